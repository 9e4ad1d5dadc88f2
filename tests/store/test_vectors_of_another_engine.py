"""Vectors that another engine made: found by until they are replaced, and replaced a batch a night."""

from __future__ import annotations

import pytest

from dreamd.core.errors import Outage
from dreamd.core.values import IN_PASSING
from dreamd.dream.phases import renew
from dreamd.models import FLOAT_ID, MODEL_ID
from dreamd.recall.answer import Look, search
from household import CEDAR, FIRST_DAY, FIRST_NIGHT, House, Said, SharedWords, every_byte, snapshot

TOLD = ("The kiln is lit on Mondays.", "Ledgers are kept for ten years.", "The gate is locked at nine.",
        "Whoever leaves last waters the figs.", "Parcels wait behind the counter.")
PASSED = Said("who took the ladder to the orchard", sign=IN_PASSING, context="we looked for it all day")
LATER = ("2026-01-06", "2026-01-07", "2026-01-08", "2026-01-09", "2026-01-10", "2026-01-11")
NOT_COUNTED = Look(record=False)


class Before(SharedWords):
    """The engine of before."""

    model_id = FLOAT_ID


class Away(SharedWords):
    """An engine that is not there."""

    def embed(self, texts: object) -> object:  # type: ignore[override]  # noqa: ARG002
        raise Outage("away", component="model", code="model-missing")


@pytest.fixture
def old(house: House) -> House:
    """A home whose vectors the engine of before made."""
    house.embedder = Before()
    house.say(FIRST_DAY, *TOLD, PASSED)
    house.dream(FIRST_NIGHT)
    house.embedder = SharedWords()
    assert names(house).keys() == {FLOAT_ID}
    return house


def names(house: House) -> dict[object, object]:
    """How many vectors stand under each name."""
    return dict(house.rows("SELECT model, COUNT(*) FROM vector GROUP BY model"))


def embedded(house: House) -> int:
    """How many texts the engine of today was given so far."""
    assert isinstance(house.embedder, SharedWords)
    return house.embedder.texts


def found(house: House, question: str) -> list[str]:
    """What a question finds, best first."""
    with house.kit(f"{LATER[-1]}T09:00:00Z") as kit:
        return [one.memory.text for one in search(kit, question, NOT_COUNTED).results]


def test_a_memory_is_found_by_an_old_vector(old: House) -> None:
    assert found(old, "which day is the kiln lit?")[0] == TOLD[0]
    assert embedded(old) == 1, "the question, and no memory"


def test_a_night_with_nothing_to_do_leaves_old_vectors_and_every_byte_alone(old: House) -> None:
    before = {name: seen[0] for name, seen in every_byte(old.home).items()}
    old.dream(f"{LATER[0]}T20:00:00Z")
    assert {name: seen[0] for name, seen in every_byte(old.home).items()} == before
    assert embedded(old) == 0


def test_some_are_made_anew_each_night_until_there_are_none_and_nothing_else_changes(
        old: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(renew, "A_NIGHT", 3)
    before = snapshot(old.home)["memories"]
    left, answers = names(old)[FLOAT_ID], found(old, "who waters the figs")
    assert isinstance(left, int) and left > 3
    for day in LATER:
        given = embedded(old)
        old.say(f"{day}T09:00:00Z", f"The ferry of {day} was late.")
        old.dream(f"{day}T20:00:00Z")
        now_left = names(old).get(FLOAT_ID, 0)
        assert now_left == max(0, left - 3)
        assert embedded(old) - given <= 3 + 2, "what is new, and one batch"
        left = now_left
        assert found(old, "who waters the figs")[:len(answers)] == answers
        assert old.rows("SELECT wording FROM vector GROUP BY wording HAVING COUNT(*) > 1") == []
    assert names(old).keys() == {MODEL_ID}
    after = {row[0]: row for row in snapshot(old.home)["memories"]}  # type: ignore[attr-defined]
    assert [after[row[0]] for row in before] == before  # type: ignore[attr-defined]
    assert old.faults(f"{LATER[-1]}T21:00:00Z") == []


def test_a_dry_run_makes_none_anew(old: House) -> None:
    from dreamd.dream.cycle import run_cycle

    old.say(f"{LATER[0]}T09:00:00Z", "The ferry was late.")
    before = names(old)
    with old.kit(f"{LATER[0]}T20:00:00Z") as kit:
        kit.dry = True
        run_cycle(kit)
    assert names(old) == before


def test_the_vector_of_words_that_nobody_keeps_goes_and_is_not_looked_for_every_night(old: House) -> None:
    from dreamd.store import derived

    with old.kit(FIRST_DAY) as kit, kit.store.writing() as tx:
        derived.write_vectors(tx, {"f" * 64: SharedWords().embed(["gone"]).astype("float16")[0]}, model=FLOAT_ID)
    old.say(f"{LATER[0]}T09:00:00Z", "The ferry was late.")
    old.dream(f"{LATER[0]}T20:00:00Z")
    assert names(old).keys() == {MODEL_ID}
    assert old.rows("SELECT 1 FROM vector WHERE wording = ?", "f" * 64) == []


def test_a_model_that_goes_away_while_old_vectors_are_made_anew_spoils_no_night(old: House) -> None:
    with old.kit(f"{LATER[0]}T20:00:00Z") as kit:
        kit.begin()
        kit.embedder = Away()
        before = names(old)
        assert renew.renew_vectors(kit) == 0
    assert names(old) == before


@pytest.mark.parametrize("engine, made", [("torch", 0), ("light", 6), ("auto", 6)])
def test_the_engine_that_is_set_says_what_is_old(old: House, engine: str, made: int) -> None:
    old.furnish(model={"engine": engine})
    if engine == "torch":
        old.embedder = Before()
    old.say(f"{LATER[0]}T09:00:00Z", "The ferry was late.")
    old.dream(f"{LATER[0]}T20:00:00Z")
    assert names(old).get(MODEL_ID, 0) >= made
    assert (names(old).get(FLOAT_ID, 0) == 0) is (engine != "torch")


def test_a_home_with_vectors_of_both_is_asked_about_each_memory_once(old: House) -> None:
    from dreamd.store import derived

    rows = old.rows("SELECT wording, body FROM vector")
    import numpy as np

    with old.kit(FIRST_DAY) as kit, kit.store.writing() as tx:
        derived.write_vectors(tx, {str(sha): np.frombuffer(body, "<f2") for sha, body in rows}, model=MODEL_ID)  # type: ignore[call-overload]
    answers = found(old, "which day is the kiln lit?")
    assert answers[0] == TOLD[0] and len(answers) == len(set(answers))
    old.say(f"{LATER[0]}T09:00:00Z", "The ferry was late.")
    old.dream(f"{LATER[0]}T20:00:00Z")
    assert names(old).keys() == {MODEL_ID}
    assert len(old.memories(scope=CEDAR)) == len(TOLD) + 1
