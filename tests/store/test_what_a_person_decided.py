"""What a person decides in `dream review` is kept as labelled pairs, and goes where its words go."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path

import pytest

from dreamd.cli.main import main
from dreamd.core.values import Relation
from dreamd.dream import verbs
from household import House, Said

PACKED = Path(__file__).parents[1] / "cli" / "home_of_before.tar.xz"
GATE = ("The weir gate listens on port 7100.", "The weir gate listens on port 7200.")
BATTERY = ("The buoy battery lasts 14 days.", "The buoy battery lasts 21 days.")
VAT = ("The dye vat is cleaned on Tuesdays.", "The dye vat is cleaned on Thursdays.")
NOW, LATER, YEARS_ON = "2026-02-04T09:00:00Z", "2026-02-04T10:00:00Z", "2037-02-04T09:00:00Z"
Told = tuple[str, str, Relation, str]
DECIDED: Told = (*GATE, Relation.CONTRADICTS, "later")


@pytest.fixture
def house(house: House) -> House:
    """A home in which the port of a gate was decided, and a battery and a vat wait."""
    house.home.mkdir(mode=0o700, parents=True)
    with tarfile.open(PACKED) as packed:
        packed.extractall(house.home, filter="data")
    return house


def told(house: House) -> list[Told]:
    """The pairs as they stand now."""
    with house.kit(LATER) as kit:
        return [(p.a.text, p.b.text, p.relation, p.kept) for p in verbs.load_labelled(kit.store)]


def decide(house: House, words: str, choice: str) -> None:
    """A person answers one question."""
    with house.kit(NOW) as kit:
        verbs.decide(kit, house.memory(words).id, choice)


def test_who_keeps_one_of_two_has_said_that_both_cannot_hold(house: House) -> None:
    decide(house, BATTERY[0], "keep-a")
    assert told(house) == [DECIDED, (*BATTERY, Relation.CONTRADICTS, "earlier")]


def test_who_keeps_both_has_said_that_both_hold(house: House) -> None:
    decide(house, BATTERY[1], "both")
    assert told(house) == [DECIDED, (*BATTERY, Relation.RELATED, "both")]


def test_who_keeps_what_was_said_days_later_has_said_that_it_took_the_place(house: House) -> None:
    with house.kit(NOW) as kit, kit.store.writing() as tx:
        tx.execute("UPDATE memory SET confirmed_at = '2026-01-03T09:00:00Z' WHERE id = ?", (house.memory(VAT[0]).id,))
    decide(house, VAT[0], "keep-b")
    assert told(house) == [DECIDED, (*VAT, Relation.UPDATES, "later")]


def test_a_drop_and_what_nothing_stands_against_say_nothing_of_two_statements(house: House) -> None:
    decide(house, BATTERY[0], "drop")
    decide(house, "serviced every 300 hours", "keep-a")
    assert told(house) == [DECIDED]


def test_a_decision_that_is_taken_back_or_thought_over_leaves_no_pair(house: House) -> None:
    decide(house, BATTERY[0], "keep-a")
    run, = house.rows("SELECT id FROM run ORDER BY seq DESC LIMIT 1")
    house.undo(LATER, str(run[0]))
    assert told(house) == [DECIDED]
    decide(house, BATTERY[0], "keep-b")
    assert told(house) == [DECIDED, (*BATTERY, Relation.CONTRADICTS, "later")]
    with house.kit(LATER) as kit:
        verbs.restore(kit, house.memory(GATE[0]).id)
    assert told(house) == [(*BATTERY, Relation.CONTRADICTS, "later")]


@pytest.mark.parametrize("forgotten", GATE)
def test_a_pair_goes_with_either_of_its_statements(house: House, forgotten: str) -> None:
    decide(house, BATTERY[0], "both")
    house.forget(LATER, forgotten)
    assert told(house) == [(*BATTERY, Relation.RELATED, "both")]
    assert all(forgotten.encode() not in p.read_bytes() for p in house.home.rglob("*") if p.is_file())


def test_a_pair_keeps_the_words_that_were_decided_about_and_does_not_leave_with_the_journals_age(house: House) -> None:
    house.furnish(store={"runs_kept_days": 30})
    decide(house, BATTERY[0], "both")
    with house.kit(LATER) as kit:
        for words in BATTERY:
            verbs.pin(kit, house.memory(words).id)  # newer than what was decided
    house.say(YEARS_ON, Said("The lamp of the harbour light is replaced each May.", conversation="c9"))
    house.dream(YEARS_ON)
    house.dream(YEARS_ON.replace("-04", "-05"))
    assert told(house) == [DECIDED, (*BATTERY, Relation.RELATED, "both")]
    assert house.faults(YEARS_ON) == []


def test_the_pairs_are_printed_in_the_form_a_judge_is_trained_with(house: House, capsys: pytest.CaptureFixture[str]) -> None:
    house.dream(LATER)  # the store of before is brought up to date
    capsys.readouterr()
    assert main(["--home", str(house.home), "review", "--pairs"]) == 0
    line, = capsys.readouterr().out.splitlines()
    row = json.loads(line)
    assert {k: row[k] for k in ("a", "b", "relation", "lang", "author", "kind")} == {
        "a": GATE[0], "b": GATE[1], "relation": "contradicts", "lang": "en", "author": "review", "kind": "later kept"}
    assert (row["a_at"], row["b_at"]) == ("2026-01-08T09:05:00Z", "2026-01-08T09:06:00Z")
