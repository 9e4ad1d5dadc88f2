"""Without a language model, which is how dream comes, nothing of one is loaded, opened or started."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

EXTRAS = ("openai", "anthropic", "pydantic", "jsonschema", "httpx2")


@pytest.mark.parametrize("words", [["consolidate"], ["status"], ["search", "port"], ["service", "print"]], ids=lambda w: w[0])
def test_nothing_of_it_is_imported(tmp_path: Path, words: list[str]) -> None:
    env = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin", "TZ": "UTC", "OMP_NUM_THREADS": "1"}

    def dream(*given: str) -> str:
        command = [sys.executable, "-X", "importtime", "-m", "dreamd.cli.main", "--home", str(tmp_path / "home"), *given]
        done = subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 0, done.stderr[-500:]
        return done.stderr

    dream("note", "The API listens on port 8080.")
    loaded = {line.rpartition("|")[2].strip() for line in dream(*words).splitlines() if line.startswith("import time:")}
    assert "dreamd.cli.main" in loaded or "dreamd.core.settings" in loaded
    assert sorted(m for m in loaded if m == "dreamd.llm" or m.startswith("dreamd.llm.") or m.partition(".")[0] in EXTRAS) == []
