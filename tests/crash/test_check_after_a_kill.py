"""`dream check` after a run was killed between its decision and its files: unfinished, and nobody's wish."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from faults import KILL, Fault, watched

from dreamd.core.errors import DreamError
from dreamd.dream import check
from household import House, snapshot

DAY, NIGHT, LATER = "2026-03-01T09:00:00Z", "2026-03-01T20:00:00Z", "2026-03-02T20:00:00Z"


def lived(root: Path) -> House:
    house = House(root)
    house.say(DAY, *(f"Cabinet {n} holds the drawings of pier {n * 7}." for n in range(1, 7)))
    house.dream(NIGHT)
    return house


def struck(house: House, act: Callable[[House], object], fault: Fault) -> None:
    child = os.fork()
    if child == 0:
        try:
            with watched(house.home, fault):
                act(house)
        except DreamError:
            pass
        finally:
            os._exit(0)
    os.waitpid(child, 0)


def said(house: House) -> dict[str, str]:
    with house.kit(LATER) as kit:
        return {f.name: f.verdict for f in check.check(kit)}


def repaired(house: House) -> None:
    with house.kit(LATER) as kit:
        check.check(kit, repair=True)


@pytest.mark.parametrize("every", [6, pytest.param(1, marks=pytest.mark.slow)])
def test_an_undo_killed_anywhere_speaks_of_no_deletion(room: Path, every: int) -> None:
    (room / "lived").mkdir()
    house = lived(room / "lived")
    calm = house.copy_to(room / "calm")
    with watched(calm.home) as disk:
        calm.undo(LATER)
    calm.dream(LATER)
    wanted = snapshot(calm.home)["on disk"]
    for at in range(1, len(disk.effects) + 1, every):
        other = house.copy_to(room / f"case-{at}")
        struck(other, lambda h: h.undo(LATER), replace(KILL, at=at))
        verdicts = said(other)
        assert "deleted files" not in verdicts, at
        assert set(verdicts.values()) <= {"ok", "edited"}, (at, verdicts)
        if not any(other.rows("SELECT 1 FROM run WHERE undone_by <> 0")):
            continue  # it had not come to its decision
        for name, finish in (("repaired", repaired), ("dreamt", lambda h: h.dream(LATER))):
            finished = other.copy_to(room / f"{name}-{at}")
            finish(finished)
            assert said(finished)["unfinished files"] == "ok"
            assert snapshot(finished.home)["on disk"] == wanted, (at, name)
