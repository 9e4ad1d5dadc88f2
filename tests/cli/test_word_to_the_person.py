"""When something waits for a decision or health is bad, a person hears of it: once a day, and only where they want to."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from dreamd.agents import prime
from dreamd.agents.hooks import Call
from dreamd.cli.main import main
from dreamd.core.settings import build_settings
from dreamd.core.values import Origin
from dreamd.core.world import World
from dreamd.service import notice
from household import FIRST_DAY, FIRST_NIGHT, House, Said

MORNING, NOON, NEXT_DAY = "2026-01-06T08:00:00Z", "2026-01-06T12:00:00Z", "2026-01-07T08:00:00Z"


@pytest.fixture
def waiting(house: House) -> House:
    house.say(FIRST_DAY, Said("The fog horn was moved to the old mill.", origin=Origin.WEB))
    house.dream(FIRST_NIGHT)
    return house


@pytest.fixture
def desktop(tmp_path: Path) -> Path:
    """Where what was put on a desktop can be read."""
    told = tmp_path / "told"
    program = tmp_path / "bin" / "notify-send"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nprintf "%s\\n" "$*" >> "{told}"\n')
    program.chmod(0o755)
    return told


def world_at(house: House, now: str, desktop: Path) -> World:
    return replace(house.world(now), env={**house.world(now).env, "PATH": f"{desktop.parent / 'bin'}:/usr/bin:/bin"})


def test_the_desktop_hears_of_it_once_a_day_and_without_a_word_of_memory(waiting: House, desktop: Path) -> None:
    for now in (MORNING, NOON, NEXT_DAY):
        notice.look(world_at(waiting, now, desktop), -notice.BETWEEN_S - waiting.world(now).clock.monotonic())
    told = desktop.read_text().splitlines()
    assert len(told) == 2
    assert "1 memory waits for your decision: dream review" in told[0]
    assert "mill" not in desktop.read_text()


def test_a_second_look_within_minutes_asks_nothing(waiting: House, desktop: Path) -> None:
    world = world_at(waiting, MORNING, desktop)
    assert notice.look(world, world.clock.monotonic() - 1) < world.clock.monotonic()
    assert not desktop.exists()


def test_nothing_is_said_where_nothing_waits_and_nothing_is_wrong(house: House, desktop: Path) -> None:
    house.say(FIRST_DAY, "The lamp controller listens on port 7400.")
    house.dream(FIRST_NIGHT)
    told = notice.what_to_say(world_at(house, FIRST_NIGHT, desktop))
    assert "waits" not in told


def test_no_desktop_is_no_failure(waiting: House, tmp_path: Path) -> None:
    empty = replace(waiting.world(MORNING), env={"HOME": str(tmp_path), "PATH": str(tmp_path)})
    notice.look(empty, -notice.BETWEEN_S - empty.clock.monotonic())
    assert not (waiting.paths.primed / notice.NOTIFIED_ON).exists()


def test_the_desktop_is_left_alone_unless_a_person_wants_it() -> None:
    assert build_settings({}).service.notify is False


def test_the_status_says_what_waits_for_the_person(waiting: House, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--home", str(waiting.home), "--now", MORNING, "status"]) == 0
    assert f"1 memory waits for your decision; `dream --home {waiting.home} review` asks" in capsys.readouterr().out


def test_conversations_are_warned_of_bad_health_once_a_day(waiting: House) -> None:
    call = Call("session-start", "s-1", source="startup")
    text = f"<dream-memory>\n{prime.WARNING}memory may be out of date (stale: nothing ran)\n</dream-memory>"
    assert prime.may_tell(waiting.world(MORNING), prime.WARNED_ON)
    prime.keep_copy(waiting.world(MORNING), call, text)
    assert not prime.may_tell(waiting.world(NOON), prime.WARNED_ON)
    assert prime.may_tell(waiting.world(NOON), prime.ASKED_ON)
    assert prime.may_tell(waiting.world(NEXT_DAY), prime.WARNED_ON)
