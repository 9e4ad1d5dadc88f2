"""Whatever lies in a file, on a line or in a marker: an answer or a sentence, in time and within bounds."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

FUZZER = Path(__file__).with_name("fuzzing.py")
ATHERIS = Path(__file__).with_name("fuzz_guided.py")


def fuzz(script: Path, *options: str) -> str:
    """A run in a process of its own; what it said."""
    env = {"PATH": os.environ["PATH"], "HOME": "/", "PYTHONPATH": os.pathsep.join(p for p in sys.path if p),
           "OMP_NUM_THREADS": "1", "PYTHONHASHSEED": "0"}
    told = subprocess.run([sys.executable, str(script), *options], env=env, capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stdout + told.stderr[-4000:]
    return told.stdout.splitlines()[0] if told.stdout else told.stderr.splitlines()[-1]


def test_broken_input_of_every_kind_is_read_or_refused_in_time(capsys: pytest.CaptureFixture[str]) -> None:
    told = fuzz(FUZZER, "--inputs", "7000", "--seed", "20260717")
    with capsys.disabled():
        print(f"\n  {told}", end="")


@pytest.mark.slow
def test_a_million_broken_inputs_are_read_or_refused_in_time(capsys: pytest.CaptureFixture[str]) -> None:
    seed = os.environ.get("DREAM_SEED", str(random.SystemRandom().randint(1, 10**6)))
    told = fuzz(FUZZER, "--inputs", os.environ.get("DREAM_FUZZ", "1000000"), "--seed", seed)
    with capsys.disabled():
        print(f"\n  {told}", end="")


@pytest.mark.slow
@pytest.mark.skipif(find_spec("atheris") is None, reason="atheris is not installed: it has no build for every Python")
def test_inputs_that_follow_the_branches_of_the_readers_break_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    runs = os.environ.get("DREAM_GUIDED", "100000")
    told = fuzz(ATHERIS, f"-runs={runs}", "-max_len=4096", "-timeout=10", "-rss_limit_mb=2048")
    with capsys.disabled():
        print(f"\n  {told}", end="")


def test_a_reader_that_raises_or_hangs_would_be_caught(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The control: a fuzzer that finds nothing in a broken reader finds nothing at all."""
    import fuzzing

    def broken(body: bytes) -> None:
        if b"9999" in body:
            raise KeyError("no such thing")
        while b"\xff" in body:
            pass

    monkeypatch.setattr(fuzzing, "targets", lambda _room: {"broken": (fuzzing.SEEDS["text"], broken)})
    monkeypatch.setattr(fuzzing, "HANG_S", 0.2)
    wrong = fuzzing.run(400, 3, tmp_path)
    assert any("KeyError" in w for w in wrong) and any("Hang" in w for w in wrong)
