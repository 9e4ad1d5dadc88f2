"""A transcript grows between two dreams: what is taken back or put right in the second part ends what the first left."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dreamd.core.values import Status
from household import House, Said

NIGHT, LATER = "2026-03-02T10:10:00Z", "2026-03-02T20:00:00Z"
FERRY = "project:ferry"
RULE = "Always use semicolons in the tide scripts."
BESIDE = "The ferry bell rings twice before it casts off."


def write_talk(house: House, *said: str) -> None:
    """A transcript with these prompts, three minutes apart, an answer after each."""
    folder = house.person / ".claude" / "projects" / "-srv-ferry"
    folder.mkdir(parents=True, exist_ok=True)
    rows: list[str] = []
    for n, text in enumerate(said):
        for typ, words in (("user", text), ("assistant", "Understood, done.")):
            content: object = text if typ == "user" else [{"type": "text", "text": words}]
            rows.append(json.dumps({
                "type": typ, "uuid": f"{typ}-{n}", "parentUuid": None, "isSidechain": False, "userType": "external",
                "cwd": "/srv/ferry", "sessionId": "talk-1", "version": "2.1.231", "gitBranch": "main",
                "timestamp": f"2026-03-02T10:{n * 3:02}:00.000Z", "message": {"role": typ, "content": content}}))
    Path(folder / "talk-1.jsonl").write_text("\n".join(rows) + "\n", encoding="utf-8")


def told(house: House) -> dict[str, Status]:
    return {m.text: m.status for m in house.memories() if m.text != BESIDE}


@pytest.mark.parametrize(
    ("first", "second", "ends", "stands"),
    [
        ("use port 7001 for the tide feed from now on", "sorry, I meant 7010", "Use port 7001 for the tide feed from now on.",
         "Use port 7010 for the tide feed from now on."),
        ("from now on answer in Dutch", "that was a joke, keep answering in English", "From now on answer in Dutch.",
         "From now on answer in English."),
        ("remember that our release day is Friday", "correction: our release day is Thursday", "Our release day is Friday.",
         "Our release day is Thursday."),
        ("always name the piers pier/north", "no wait, always name them north/pier", "Always name the piers pier/north.",
         "Always name the piers north/pier."),
    ],
)
def test_a_word_put_right_after_a_dream_ends_the_wrong_one(
    house: House, first: str, second: str, ends: str, stands: str
) -> None:
    write_talk(house, first)
    house.dream(NIGHT)
    assert told(house) == {ends: Status.LIVE}
    write_talk(house, first, second)
    house.dream(LATER)
    assert told(house) == {ends: Status.SUPERSEDED, stands: Status.LIVE}
    assert house.memory(ends.rstrip(".")).superseded_by == house.memory(stands.rstrip(".")).id
    assert house.faults(LATER) == []


def test_a_word_put_right_before_any_dream_took_it_up_ends_the_wrong_one_too(house: House) -> None:
    write_talk(house, "use port 7001 for the tide feed from now on", "sorry, I meant 7010")
    house.dream(NIGHT)
    assert told(house) == {"Use port 7010 for the tide feed from now on.": Status.LIVE}


def test_a_word_taken_back_after_a_dream_is_archived(house: House) -> None:
    house.say("2026-03-01T09:00:00Z", Said(BESIDE, FERRY))
    write_talk(house, "please always use semicolons in the tide scripts")
    house.dream(NIGHT)
    write_talk(house, "please always use semicolons in the tide scripts", "forget what I said about semicolons")
    house.dream(LATER)
    assert told(house) == {RULE: Status.ARCHIVED}
    before = house.rows("SELECT * FROM memory ORDER BY id")
    house.dream("2026-03-03T20:00:00Z")
    assert house.rows("SELECT * FROM memory ORDER BY id") == before


def test_what_was_said_in_other_conversations_too_is_not_taken_back_by_one(house: House) -> None:
    house.say("2026-02-01T09:00:00Z", Said(RULE, FERRY, conversation="c0"), Said(BESIDE, FERRY))
    write_talk(house, "please always use semicolons in the tide scripts")
    house.dream(NIGHT)
    write_talk(house, "please always use semicolons in the tide scripts", "forget what I said about semicolons")
    house.dream(LATER)
    assert told(house) == {RULE: Status.LIVE}


def test_the_last_live_memory_of_a_scope_stands_and_the_dream_goes_on(house: House) -> None:
    write_talk(house, "please always use semicolons in the tide scripts")
    house.dream(NIGHT)
    write_talk(house, "please always use semicolons in the tide scripts", "forget what I said about semicolons")
    house.dream(LATER)
    assert told(house) == {RULE: Status.LIVE}


def test_a_dream_that_took_a_word_back_can_be_undone(house: House) -> None:
    write_talk(house, "remember that our release day is Friday")
    house.dream(NIGHT)
    write_talk(house, "remember that our release day is Friday", "correction: our release day is Thursday")
    house.dream(LATER)
    house.undo("2026-03-02T21:00:00Z")
    assert told(house) == {"Our release day is Friday.": Status.LIVE}
