"""What a command must not pay for: the modules of a child process, counted by name."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest

HEAVY = {"numpy", "sklearn", "torch", "usearch", "detect_secrets", "dateparser", "sqlite_utils", "yaml", "scipy",
         "sentence_transformers", "tokenizers", "apscheduler", "psutil", "safetensors"}
LOOK = """
import sys
from dreamd.cli import main
code = main.main({words!r})
print("MODULES", code, *sorted({{m.split(".")[0] for m in sys.modules}}))
"""


def modules(dream, *words: str) -> tuple[int, set[str]]:
    command = [sys.executable, "-c", LOOK.format(words=["--home", str(dream.home), *words])]
    out = subprocess.run(command, capture_output=True, text=True, env=dream.env, input="", timeout=60).stdout
    _, code, *names = next(line for line in out.splitlines() if line.startswith("MODULES")).split()
    return int(code), set(names)


@pytest.mark.parametrize("words", [["--help"], ["note", "Prefer small modules over large ones"], ["list"], ["note", "--help"],
                                   ["show", "abcd"], ["config"], ["history"]])
def test_light_commands_import_nothing_heavy(lived_in, words):
    _, names = modules(lived_in, *words)
    assert not names & HEAVY


def test_a_note_with_a_secret_imports_the_detectors_and_nothing_else_heavy(dream):
    code, names = modules(dream, "note", "The deploy token is ghp_" + "a1B2" * 9)
    assert code == 0
    assert not names & (HEAVY - {"detect_secrets", "yaml"})


def test_help_does_not_even_import_argparse(dream):
    _, names = modules(dream, "--help")
    assert not names & {"argparse", "sqlite3", "tomllib", "filelock"}


def test_a_note_answers_quickly(dream):
    dream("note", "The first note makes the store")
    command = dream.command("note", "Every later note only adds a row")
    spent = []
    for _ in range(7):
        started = time.perf_counter()
        subprocess.run(command, capture_output=True, env=dream.env, check=True)
        spent.append(time.perf_counter() - started)
    busy = os.getloadavg()[0] / (os.cpu_count() or 1)
    if busy > 0.7:
        pytest.skip(f"the machine is busy ({busy:.1f} a core), a time would mean nothing")
    assert sorted(spent)[len(spent) // 2] < 0.15
