"""What was said in passing is kept, found, forgotten and undone like everything that was said, and is never a memory."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from dreamd.core.errors import Refused, StoreMissing
from dreamd.core.values import IN_PASSING, Scope, Status
from dreamd.dream import verbs
from dreamd.recall.answer import Look, search
from dreamd.store import journal, passages
from household import House, Said, every_byte, snapshot

DAY, NIGHT = "2026-01-05T09:00:00Z", "2026-01-05T20:00:00Z"
LATER, NIGHT_2 = "2026-01-09T09:00:00Z", "2026-01-09T20:00:00Z"
RULE = "always moor the ferry at pier 4"
REMARK = "I rewired the Quoxilfanz lamps to 24 volts on the west side"
TOLD = "I rewired the Quoxilfanz lamps to 24 volts on the west side."
QUESTION = "how many volts did the Quoxilfanz lamps get"
QUIET = Look(record=False)


def talk(house: House, name: str, *said: str, at: str = DAY) -> Path:
    """A transcript of what a person said, one message a line."""
    folder = house.person / ".claude" / "projects" / "-srv-cedar"
    folder.mkdir(parents=True, exist_ok=True)
    lines = [{"type": "user", "uuid": f"{name}-{n}", "parentUuid": None, "isSidechain": False, "userType": "external",
              "cwd": "/srv/cedar", "sessionId": name, "version": "2.1.231",
              "timestamp": at.replace(":00:00Z", f":{n:02}:00.000Z"), "message": {"role": "user", "content": text}}
             for n, text in enumerate(said)]
    path = folder / f"{name}.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def found(house: House, query: str = QUESTION, look: Look = QUIET) -> list[tuple[Status, str]]:
    with house.kit(NIGHT_2) as kit:
        return [(one.memory.status, one.memory.text) for one in search(kit, query, look).results]


def said(house: House) -> list[str]:
    return [str(text) for (text,) in house.rows("SELECT text FROM observation WHERE sign = ? ORDER BY seq", IN_PASSING)]


@pytest.fixture
def talked(house: House) -> House:
    """One talk with a rule and a remark, dreamt over."""
    talk(house, "t1", RULE, REMARK)
    house.dream(NIGHT)
    return house


def test_a_remark_is_found_as_it_was_said_and_is_no_memory(talked: House) -> None:
    assert [m.text for m in talked.memories()] == ["Always moor the ferry at pier 4."]
    assert found(talked) == [(Status.SAID, TOLD)]
    with talked.kit(NIGHT_2) as kit:
        assert verbs.load_review(kit) == []
        (one,) = search(kit, QUESTION).results
    assert (one.memory.confirmed_at.date().isoformat(), one.parts["class_boost"]) == ("2026-01-05", 1.5)
    assert talked.rows("SELECT COUNT(*) FROM recall") == [(0,)]
    assert "Quoxilfanz" not in "".join(p.read_text() for p in (talked.home / "memory").rglob("*.md"))


def test_it_has_one_fate_and_the_run_counts_it_with_what_was_let_go(talked: House) -> None:
    rows = talked.rows("SELECT f.fate, f.reason, f.memory FROM fate f JOIN observation o ON o.seq = f.observation "
                       "WHERE o.sign = ?", IN_PASSING)
    assert rows == [("discarded", IN_PASSING, "")]


def test_a_second_dream_over_the_same_talk_changes_no_byte(talked: House) -> None:
    def lasting() -> dict[str, tuple[bytes, int, int]]:
        return {path: facts for path, facts in every_byte(talked.home).items() if not path.startswith("locks/")}

    before = lasting()
    assert talked.dream(NIGHT).outcome == "nothing-to-do"
    assert lasting() == before


def test_two_homes_that_hear_the_same_in_one_or_two_readings_keep_the_same(house: House, tmp_path: Path) -> None:
    other = House(tmp_path / "other", persons_own=house.person)
    talk(house, "t1", RULE)
    house.dream(NIGHT)
    talk(house, "t1", RULE, REMARK)
    house.dream(NIGHT)
    other.dream(NIGHT)
    assert said(house) == said(other) != []
    assert snapshot(house.home)["memories"] == snapshot(other.home)["memories"]


def test_other_scopes_and_the_start_of_a_conversation_do_not_see_it(talked: House) -> None:
    assert found(talked, look=Look(record=False, scopes=(Scope("project", "birch"),))) == []
    assert found(talked, look=Look(record=False, scopes=(Scope("project", "cedar"),))) != []
    assert found(talked, look=Look(record=False, injection=True)) == []


def test_a_setting_switches_it_off_for_asking_and_for_keeping(talked: House) -> None:
    talked.furnish(recall={"passages": 0})
    assert found(talked) == []
    talk(talked, "t2", "I rewired the Zwirbelnuss winch to 40 volts on the east side", at=LATER)
    talked.dream(NIGHT_2)
    assert len(said(talked)) == 1


def test_by_words_alone_it_is_found_too(talked: House) -> None:
    assert found(talked, look=Look(record=False, hurried=True)) == [
        (Status.SAID, TOLD)]


def test_a_vector_that_was_lost_is_made_anew_by_the_next_dream_that_hears_something(talked: House) -> None:
    with talked.kit(LATER) as kit, kit.store.writing() as tx:
        tx.execute("DELETE FROM vector")
    talk(talked, "t2", "always lock the gate at pier 5", at=LATER)
    talked.dream(NIGHT_2)
    with talked.kit(NIGHT_2) as kit:
        (one,) = search(kit, QUESTION, QUIET).results
    assert one.memory.status is Status.SAID and "vectors" in one.parts
    assert talked.faults(NIGHT_2) == []


def test_what_was_put_right_in_a_later_reading_is_found_with_the_right_value_alone(talked: House) -> None:
    talk(talked, "t1", RULE, REMARK, "sorry, I meant 48 volts")
    talked.dream(NIGHT)
    assert [text for _, text in found(talked)] == [TOLD.replace("24", "48")]


def test_forgetting_it_by_its_id_leaves_no_byte_and_no_later_reading_brings_it_back(talked: House) -> None:
    with talked.kit(LATER) as kit:
        (one,) = search(kit, QUESTION, QUIET).results
        chosen, loose = verbs.find_named(kit, [one.memory.id[:6]])
        assert (chosen, [text for _, text in loose]) == ([], [one.memory.text])
        verbs.forget(kit, [], loose=[seq for seq, _ in loose])
    assert [path for path, (body, _, _) in every_byte(talked.home).items() if b"uoxilfanz" in body] == []
    assert len(talked.rows("SELECT wording FROM vector")) == 1
    with talked.kit(LATER) as kit, kit.store.writing() as tx:
        tx.execute("DELETE FROM cursor")
    talked.dream(NIGHT_2)
    assert (said(talked), found(talked)) == ([], [])


def test_forgetting_by_words_takes_it_along(talked: House) -> None:
    with talked.kit(LATER) as kit:
        loose = verbs.find_loose(kit, "quoxilfanz lamps")
        verbs.forget(kit, [], loose=[seq for seq, _ in loose])
    assert said(talked) == []


def test_forgetting_a_memory_takes_along_what_was_said_in_passing_of_the_same(house: House) -> None:
    talk(house, "t1", RULE, "the crew can always moor the ferry at pier 4, said the harbour office in June")
    house.dream(NIGHT)
    assert any("harbour office" in text for text in said(house)) or not said(house)
    house.forget(LATER, "moor the ferry")
    assert [text for text in said(house) if "pier 4" in text] == []


def test_an_undone_run_sets_it_aside_and_a_redo_brings_it_back(talked: House) -> None:
    (run,) = (str(r) for (r,) in talked.rows("SELECT id FROM run WHERE outcome = 'changed'"))
    talked.undo(LATER, run)
    assert found(talked) == []
    talked.redo(LATER, run)
    talked.dream(NIGHT_2)
    assert found(talked) != []


def test_it_can_be_shown_by_the_beginning_of_its_id(talked: House) -> None:
    with talked.kit(LATER) as kit:
        (one,) = search(kit, QUESTION, QUIET).results
        assert passages.load_shown(kit.store, one.memory.id[:5]) == passages.load_shown(kit.store, one.memory.id)
        with pytest.raises(StoreMissing):
            passages.load_shown(kit.store, "ffffffff")


def test_an_end_that_it_names_leaves_it_found_as_it_was_said_and_never_told_unasked(house: House) -> None:
    talk(house, "t1", RULE, "I rewired the Quoxilfanz lamps to the old cable until 7 January 2026")
    house.dream(NIGHT)
    question = "which cable have the Quoxilfanz lamps"
    assert any(status is Status.SAID and "7 January 2026" in text for status, text in found(house, question))
    assert not any(status is Status.SAID for status, _ in found(house, question, replace(QUIET, injection=True)))


def test_a_dry_run_keeps_and_embeds_nothing(house: House) -> None:
    from dreamd.dream.cycle import Wish

    talk(house, "t1", RULE, REMARK)
    house.dream(NIGHT, Wish(only_plan=True))
    assert said(house) == []
    assert house.rows("SELECT COUNT(*) FROM vector") == [(0,)]


TURNS = (Said("Ann: Which colour shall the hull of the Zwirbel get?", conversation="c1"),
         Said("Bo: Orange, I already bought three tins.", conversation="c1"),
         Said("Bo: We launched the Zwirbel on Sunday.", conversation="c2"))


def test_what_a_note_asks_or_tells_of_a_day_is_found_as_it_was_said(house: House) -> None:
    house.say(DAY, *TURNS,
              Said("diff --git a/zwirbel b/zwirbel\n--- a/zwirbel\n+++ b/zwirbel\n@@ -1 +1 @@\n-a\n+b", conversation="c3"))
    house.dream(NIGHT)
    asked = found(house, "Which colour shall the hull get?")
    assert (Status.SAID, TURNS[0].text) in asked
    assert not any("diff" in text for _, text in found(house, "zwirbel diff"))


def test_the_turn_before_a_noted_one_helps_to_find_it_and_is_shown_with_it(house: House) -> None:
    house.say(DAY, *TURNS)
    with house.kit(LATER) as kit:
        contexts = [r["context"] for r in kit.store.all("SELECT context FROM observation ORDER BY seq")]
    assert contexts == ["", TURNS[0].text, ""], "a turn of another conversation answers nothing"


def test_a_passage_is_promoted_by_hand_once_and_an_undo_makes_it_a_passage_again(talked: House) -> None:
    with talked.kit(LATER) as kit:
        (one,) = search(kit, QUESTION, QUIET).results
        made = verbs.promote(kit, one.memory.id[:6])
        with pytest.raises(Refused):
            verbs.promote(kit, made.id)
        run = journal.load_runs(kit.store, limit=1)[0]
    assert (made.status, made.text, made.observations) == (Status.LIVE, TOLD, (one.memory.id,))
    assert found(talked) == [(Status.LIVE, TOLD)]
    talked.dream(NIGHT_2)
    assert found(talked) == [(Status.LIVE, TOLD)]
    talked.undo(LATER, str(run.id))
    assert (Status.LIVE, TOLD) not in found(talked)
