"""What a model did can be taken back by its name or by its role; what others said stands, or waits for the next dream."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dreamd.core.errors import Refused, StoreMissing
from dreamd.core.values import Status
from dreamd.dream.asking.taking_back import apply_take_back, plan_take_back
from dreamd.store import journal
from dreamd.store.language.model_traces import Whose
from household import FIRST_NIGHT, House, Said

NIGHTS = [f"2026-01-{day:02}T20:00:00Z" for day in range(6, 12)]
READ = ("The registry of cedar listens on port 7070.", "Backups of cedar run on Tuesdays.")
SAID = "Reviews of cedar need two people."


def dream_that_read(house: House, now: str, *texts: str, model: str = "big-1", role: str = "observer") -> None:
    """A dream that takes up what a model read, and says so in the journal."""
    stored = house.say(now, *texts)
    with house.kit(now) as kit, kit.store.writing() as tx:
        for one in stored:
            tx.execute("INSERT INTO model_word (observation, role, model, prompt) SELECT seq, ?, ?, ? FROM observation "
                       "WHERE id = ?", (role, model, f"{role}@1", one.id))
    house.dream(now)
    with house.kit(now) as kit:
        became = [row for one in stored for row in kit.store.all(
            "SELECT f.run, f.memory FROM fate f JOIN observation o ON o.seq = f.observation WHERE o.id = ?", one.id)]
        with kit.store.writing() as tx:
            for row in became:
                tx.execute("UPDATE operation SET evidence = json_insert(evidence, '$[#]', ?) WHERE run = ? AND memory = ?",
                           (f"by {role} {model} {role}@1", row["run"], row["memory"]))


def take_back(house: House, now: str, whose: Whose, *, with_later: bool = False) -> None:
    """As `dream undo --model` does."""
    with house.kit(now) as kit:
        apply_take_back(kit, plan_take_back(kit, whose), with_later=with_later)


def live(house: House) -> set[str]:
    """What stands."""
    return {m.text for m in house.memories(Status.LIVE)}


@pytest.mark.parametrize("whose", [Whose(model="big-1"), Whose(role="observer"), Whose("observer", "big-1")])
def test_what_a_model_read_goes_and_what_was_said_stays(house: House, whose: Whose) -> None:
    house.say(FIRST_NIGHT, SAID)
    house.dream(FIRST_NIGHT)
    before = {p.relative_to(house.home): p.read_bytes() for p in (house.home / "memory").rglob("*.md")}
    dream_that_read(house, NIGHTS[0], *READ)
    assert live(house) == {SAID, *READ}
    take_back(house, NIGHTS[1], whose)
    assert live(house) == {SAID}
    assert {p.relative_to(house.home): p.read_bytes() for p in (house.home / "memory").rglob("*.md")} == before
    house.dream(NIGHTS[2])
    assert live(house) == {SAID} and house.faults(NIGHTS[2]) == []
    with pytest.raises(StoreMissing):
        take_back(house, NIGHTS[3], whose)


def test_another_model_and_another_role_keep_theirs(house: House) -> None:
    dream_that_read(house, NIGHTS[0], READ[0], model="big-1")
    dream_that_read(house, NIGHTS[1], READ[1], model="big-2", role="reflector")
    take_back(house, NIGHTS[2], Whose(model="big-1"))
    assert live(house) == {READ[1]}
    take_back(house, NIGHTS[3], Whose(role="reflector"))
    assert live(house) == set()


def test_what_somebody_else_said_too_waits_and_is_taken_up_again(house: House) -> None:
    with house.kit(FIRST_NIGHT):
        pass
    house.say(NIGHTS[0], READ[0])
    stored = house.say(NIGHTS[0], replace_conversation(READ[0]))
    with house.kit(NIGHTS[0]) as kit, kit.store.writing() as tx:
        tx.execute("INSERT INTO model_word (observation, role, model, prompt) SELECT seq, 'observer', 'big-1', 'observer@1' "
                   "FROM observation WHERE id = ?", (stored[0].id,))
    house.dream(NIGHTS[0])
    with house.kit(NIGHTS[0]) as kit, kit.store.writing() as tx:
        tx.execute("UPDATE operation SET evidence = '[\"by observer big-1 observer@1\"]'")
    take_back(house, NIGHTS[1], Whose(model="big-1"))
    house.dream(NIGHTS[2])
    (memory,) = house.memories(Status.LIVE)
    assert (memory.text, memory.support) == (READ[0], 1)


def replace_conversation(text: str) -> Said:
    """The same words in another conversation."""
    return replace(Said(text), conversation="other")


def test_a_later_run_that_builds_on_it_is_named_first(house: House) -> None:
    dream_that_read(house, NIGHTS[0], READ[0])
    house.say(NIGHTS[1], Said(READ[0], conversation="c7"))
    house.dream(NIGHTS[1])
    with house.kit(NIGHTS[2]) as kit:
        later = journal.load_runs(kit.store)[0].id
    with pytest.raises(Refused) as refused:
        take_back(house, NIGHTS[2], Whose(model="big-1"))
    assert later in str(refused.value)
    take_back(house, NIGHTS[2], Whose(model="big-1"), with_later=True)
    house.dream(NIGHTS[3])
    (memory,) = house.memories(Status.LIVE)
    assert (memory.text, memory.support) == (READ[0], 1), "a person said it, too"
