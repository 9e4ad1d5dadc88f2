"""`make team-demo` as a person runs it, and as one who has seen enough of it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import pytest

import team_demo
from team_hands import until


@pytest.fixture
def place() -> Iterator[Path]:
    """A directory for all it makes; a path of pytest's is too long for the server's socket, and closed to its user."""
    root = Path(tempfile.mkdtemp(prefix="dream-t-"))
    root.chmod(0o755)
    yield root
    shutil.rmtree(root, ignore_errors=True)


def _demo(place: Path) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, team_demo.__file__], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            env={**os.environ, "TMPDIR": str(place), "OMP_NUM_THREADS": "1"})


def _running(place: Path) -> list[str]:
    """The processes that work below a directory."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            there = (process / "cwd").readlink()
        except OSError:
            continue
        if str(place) in f"{words} {there}":
            found.append(words)
    return found


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_the_demo_leaves_nothing_behind_where_it_is_ended_early(place: Path, sign: signal.Signals) -> None:
    with _demo(place) as demo:
        until(lambda: list(place.glob("dream-pg-*/data/postmaster.pid")) and list(place.glob("dream-demo-*/operator")))
        demo.send_signal(sign)
        demo.send_signal(sign)  # whoever is impatient does it twice
        assert demo.wait(60) == 128 + sign, demo.communicate()
    assert list(place.iterdir()) == [] and _running(place) == []


def test_no_two_statements_of_the_demo_are_taken_for_a_contradiction(capsys: pytest.CaptureFixture[str], tmp_path: Path,
                                                                     ) -> None:
    from dreamd.cli.main import main

    told = [words for talks in team_demo.SAID.values() for turns in talks for words in turns]
    pairs = tmp_path / "pairs.jsonl"
    pairs.write_text("".join(json.dumps({"a": a, "b": b}) + "\n" for a, b in combinations(told, 2)))
    assert main(["--home", str(tmp_path / "home"), "relate", "--jsonl", str(pairs)]) == 0
    verdicts = [json.loads(line)["relation"] for line in capsys.readouterr().out.splitlines()]
    assert len(verdicts) == len(told) * (len(told) - 1) // 2 and "contradicts" not in verdicts


@pytest.mark.slow
def test_the_demo_ends_with_one_memory_and_leaves_nothing_behind(place: Path) -> None:
    with _demo(place) as demo:
        said, complaint = demo.communicate()
    assert demo.returncode == 0, complaint
    assert "all of them know the same" in said and "[path missing]" not in said
    assert list(place.iterdir()) == [] and _running(place) == []
