"""What a memory is follows from what is known of its end: with one it is a state, and what never ends is a reference."""

from __future__ import annotations

import pytest

from dreamd.core.values import MemoryClass, Status
from dreamd.dream.living.reworded import reword
from household import Said

FIRST, SOON = "2026-01-05T09:00:00Z", "2026-01-06T09:00:00Z"
AGAIN, LATE = "2026-03-20T09:00:00Z", "2026-04-10T09:00:00Z"
GATEWAY = "The cedar gateway answers on port 9400."
DOWN = "The cedar staging box is down until 2026-02-20."


def class_of(house, words: str) -> tuple[MemoryClass, str | None]:
    memory = house.memory(words)
    return memory.memory_class, memory.ttl


def test_a_reference_that_gets_an_end_is_a_state(house):
    house.say(FIRST, GATEWAY)
    house.dream(FIRST)
    house.say(SOON, Said(GATEWAY, ttl="2026-03-01"))
    run = house.dream(SOON).run
    assert class_of(house, "gateway") == (MemoryClass.STATE, "2026-03-01")
    house.undo(SOON, run)
    assert class_of(house, "gateway") == (MemoryClass.REFERENCE, None)


def test_a_state_that_never_ends_becomes_a_reference_once_and_by_plan(house):
    house.say(FIRST, Said(GATEWAY, memory_class=MemoryClass.STATE))
    house.dream(FIRST)
    house.say(AGAIN, Said(GATEWAY))
    house.dream(AGAIN)
    assert class_of(house, "gateway")[0] is MemoryClass.STATE
    report = house.dream(LATE)
    assert [(c.op, c.reason) for c in report.changes] == [("reclass", "never-ends")]
    assert class_of(house, "gateway")[0] is MemoryClass.REFERENCE
    assert house.dream(LATE).changes == []
    house.undo(LATE, report.run)
    assert class_of(house, "gateway")[0] is MemoryClass.STATE


@pytest.mark.parametrize("how", ["file", "words"])
def test_an_end_that_a_person_takes_out_is_gone_and_the_state_a_reference(house, how):
    house.say(FIRST, DOWN)
    house.dream(FIRST)
    assert class_of(house, "staging") == (MemoryClass.STATE, "2026-02-20")
    if how == "file":
        path = house.file_of("staging")
        told = path.read_text()
        assert "\n\nTTL: 2026-02-20" in told
        path.write_text(told.replace("\n\nTTL: 2026-02-20", "").replace(" until 2026-02-20", ""))
        house.dream(SOON)
    else:
        with house.kit(SOON) as kit:
            reword(kit, house.memory("staging"), "The cedar staging box is down.")
    assert class_of(house, "staging") == (MemoryClass.REFERENCE, None)
    house.dream(AGAIN)
    assert house.memory("staging").status is Status.LIVE
