"""Several processes write the log of events while it is full: each line stands in it once, whoever rotates it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from dreamd.core import telemetry
from dreamd.core.paths import Paths

WRITERS, LINES = 4, 1500


def test_no_line_is_lost_when_several_see_a_full_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(telemetry, "LOG_BYTES", 8_000)
    monkeypatch.setattr(telemetry, "LOGS_KEPT", 1000)
    paths = Paths(tmp_path)
    children = []
    for writer in range(WRITERS):
        child = os.fork()
        if child == 0:
            done = [telemetry.log_event(paths, "cycle.tick", sequence=writer * LINES + n) for n in range(LINES)]
            os._exit(0 if all(done) else 1)
        children.append(child)
    assert [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children] == [0] * WRITERS
    kept = [line for log in paths.logs.iterdir() for line in log.read_text().splitlines()]
    assert len(kept) == len(set(kept)) == WRITERS * LINES
    assert len(list(paths.logs.iterdir())) > WRITERS
