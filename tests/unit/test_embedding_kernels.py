"""Wide kernels: asked for only where every instruction they use is there, and never against a person's choice."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from dreamd.embedding.kernels import NEEDED, VARIABLE, WIDE, is_wide

AMD = f"processor\t: 0\nvendor_id\t: AuthenticAMD\nflags\t\t: fpu {' '.join(sorted(NEEDED))} sse\n\nprocessor\t: 1\n"


def test_a_new_processor_with_all_instructions_gets_wide_kernels() -> None:
    assert is_wide(AMD)


@pytest.mark.parametrize("missing", sorted(NEEDED))
def test_one_missing_instruction_is_enough_to_leave_them(missing: str) -> None:
    assert not is_wide(AMD.replace(f" {missing} ", " "))


def test_other_makers_and_unreadable_lists_are_left_alone() -> None:
    assert not is_wide(AMD.replace("AuthenticAMD", "GenuineIntel"))
    assert not is_wide("")
    assert not is_wide("Processor: something else entirely\n")


def _variable_after(script: str, **env: str) -> str | None:
    code = f"import os, json\n{script}\nprint(json.dumps(os.environ.get({VARIABLE!r})))"
    clean = {name: value for name, value in os.environ.items() if name != VARIABLE}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, env={**clean, **env})
    found: str | None = json.loads(done.stdout)
    return found


def test_the_choice_is_made_before_numpy_and_a_persons_own_stands() -> None:
    call = "from dreamd.embedding.kernels import prefer_wide_kernels; prefer_wide_kernels()"
    cpuinfo = Path("/proc/cpuinfo")
    expected = WIDE if cpuinfo.exists() and is_wide(cpuinfo.read_text(errors="replace")) else None
    assert _variable_after(call) == expected
    assert _variable_after(call, **{VARIABLE: "Haswell"}) == "Haswell"
    assert _variable_after(f"import numpy; {call}") is None
