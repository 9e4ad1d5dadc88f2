"""A reading that ends between two of its writes: what was kept already is not mistaken for what was said before."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from dreamd.core.errors import Locked
from dreamd.store import work
from household import House, snapshot

NIGHT = "2026-01-05T20:00:00Z"
REMARK = "I rewired the harbour lamps to 24 volts on the west side"
SECOND_THOUGHT = "sorry, I meant 48 volts"
OTHERS = [f"I painted locker {n} of the boat house {colour} with the brush from bay {n + 60}"
          for n in range(60) for colour in [("green", "white", "amber", "slate")[n % 4]]]


def talk(house: House, said: Sequence[str]) -> Path:
    """A transcript of what a person said within a few minutes."""
    folder = house.person / ".claude" / "projects" / "-srv-cedar"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "t1.jsonl"
    path.write_text("".join(json.dumps(
        {"type": "user", "uuid": f"t1-{n}", "parentUuid": None, "isSidechain": False, "userType": "external",
         "cwd": "/srv/cedar", "sessionId": "t1", "version": "2.1.231",
         "timestamp": f"2026-01-05T09:{n // 10:02}:{n % 10:02}.000Z", "message": {"role": "user", "content": text}}) + "\n"
        for n, text in enumerate(said)))
    return path


@contextmanager
def ends_before_the_cursor_moves() -> Iterator[None]:
    """The dream is over at the first cursor it wants to move."""
    with pytest.MonkeyPatch.context() as patched:
        def gone(*_args: object, **_more: object) -> None:
            raise Locked("asked to stop")

        patched.setattr(work, "write_position", gone)
        with pytest.raises(Locked):
            yield


@pytest.mark.parametrize("place", [1, 26, 28])
def test_a_second_thought_never_puts_right_what_was_said_after_it(house: House, tmp_path: Path, place: int) -> None:
    talk(house, [SECOND_THOUGHT, *OTHERS[:place], REMARK, *OTHERS[place:]])
    calm = House(tmp_path / "calm", persons_own=house.person)
    calm.dream(NIGHT)
    assert any("24 volts" in str(text) for (text,) in calm.rows("SELECT text FROM observation"))
    with ends_before_the_cursor_moves():
        house.dream(NIGHT)
    assert 0 < house.rows("SELECT COUNT(*) FROM observation")[0][0] < calm.rows("SELECT COUNT(*) FROM observation")[0][0]
    house.dream(NIGHT)
    assert snapshot(house.home)["observations"] == snapshot(calm.home)["observations"]
