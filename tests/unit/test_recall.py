"""Recall over a real store: what is found, what is left out, and what it costs to ask again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from dreamd.core.clock import FixedClock, parse_instant
from dreamd.core.errors import Outage, StoreMissing, UsageError
from dreamd.core.values import Scope, Status
from dreamd.recall import answer as recall
from dreamd.recall import open_recall, still_found
from dreamd.recall.answer import Look, search
from dreamd.recall.ranking import EARLIER_WORDING, Budget
from dreamd.recall.shelf import Near, Shelf
from dreamd.recall.terms import telling_words
from dreamd.store import shown
from household import FIRST_DAY, FIRST_NIGHT, House, Said

LATER = "2026-01-06T09:00:00Z"
NOT_COUNTED = Look(record=False)


class Away:
    """A model that cannot be reached."""

    model_id, dim = "m", 384

    def embed(self, texts: list[str]) -> None:
        raise Outage(f"the model is away for {len(texts)}", component="model", code="model-missing")

    embed_questions = embed


@pytest.fixture
def known(house: House) -> House:
    """Some statements of two projects, dreamt over."""
    house.say(FIRST_DAY, "The cedar kiln is fired on Wednesdays", "The cedar shop opens at nine in the morning",
              "Never open the cedar kiln before it is cold", Said("The birch kiln is fired on Mondays", "project:birch"))
    house.dream(FIRST_NIGHT)
    return house


def texts(answer: recall.Recall) -> list[str]:
    return [one.memory.text for one in answer.results]


def test_a_caller_with_nothing_but_a_home_can_ask(thoughtful):
    thoughtful.say(FIRST_DAY, "The cedar kiln is fired on Wednesdays")
    thoughtful.dream(FIRST_NIGHT)
    with open_recall(str(thoughtful.home), settings=thoughtful.settings, clock=FixedClock(parse_instant(LATER))) as memory:
        assert texts(memory.search("on which day is the kiln heated?")) == ["The cedar kiln is fired on Wednesdays"]
    assert thoughtful.memory("kiln").recalls == 1


def test_a_home_without_a_store_is_said_to_be_one(tmp_path):
    with pytest.raises(StoreMissing), open_recall(tmp_path / "nowhere"):
        pass


@pytest.mark.parametrize("query", ["", "  ", "x" * 5000])
def test_a_query_that_asks_nothing_or_too_much_is_refused(known, query):
    with known.kit(LATER) as kit, pytest.raises(UsageError):
        search(kit, query)


def test_a_word_hit_that_is_far_away_keeps_its_true_cosine(known, monkeypatch):
    nearest = Near.best
    monkeypatch.setattr(Near, "best", lambda near, _count, **which: nearest(near, 1, **which))
    known.furnish(recall={"floor": 0.0})
    with known.kit(LATER) as kit:
        found = search(kit, "when is the cedar shop open in the kiln?", NOT_COUNTED).results
    assert len(found) == 4
    assert all(one.parts["vectors"] > 0 for one in found)


def test_the_word_asked_for_beats_age(thoughtful):
    thoughtful.say(FIRST_DAY, "The lamp controller listens on port 7400.")
    thoughtful.say("2026-05-01T09:00:00Z", "The lamp controller runs on host beacon-2.")
    thoughtful.dream("2026-05-02T03:00:00Z")
    with thoughtful.kit("2026-05-03T09:00:00Z") as kit:
        assert texts(search(kit, "which port", NOT_COUNTED))[:1] == ["The lamp controller listens on port 7400."]


def test_other_words_for_the_same_thing_find_it_with_and_without_the_model(thoughtful):
    thoughtful.say(FIRST_DAY, "Deploys go through the blue pipeline", "The keeper drinks green tea on the gallery")
    thoughtful.dream(FIRST_NIGHT)
    with thoughtful.kit(LATER) as kit:
        assert texts(search(kit, "how do we ship releases", NOT_COUNTED))[:1] == ["Deploys go through the blue pipeline"]
        kit.embedder = Away()  # type: ignore[assignment]
        assert texts(search(kit, "how do we ship releases", NOT_COUNTED)) == ["Deploys go through the blue pipeline"]


def test_a_question_in_words_that_a_memory_took_in_or_replaced_still_finds_it(thoughtful):
    thoughtful.say(FIRST_DAY, "The observations are kept in SQLite")
    thoughtful.dream(FIRST_NIGHT)
    thoughtful.say(LATER, "We moved from SQLite to PostgreSQL: observations are now kept in PostgreSQL")
    thoughtful.dream("2026-01-07T03:00:00Z")
    old = next(m for m in thoughtful.memories() if m.status is Status.SUPERSEDED)
    with thoughtful.kit("2026-01-08T09:00:00Z") as kit:
        found = search(kit, old.text, NOT_COUNTED).results
    assert [one.memory.status for one in found] == [Status.LIVE]
    assert found[0].parts["earlier_wording"] == EARLIER_WORDING
    assert found[0].parts["vectors"] > 0.6, "the old words, asked for to the letter"


def test_scopes_keep_to_themselves_even_when_another_has_all_the_better_hits(house):
    house.say(FIRST_DAY, *[Said(f"The birch kiln number {n} is fired on Mondays by hand", "project:birch") for n in range(150)],
              "The kiln is fired on Wednesdays")
    house.dream(FIRST_NIGHT)
    house.furnish(recall={"floor": 0.0})
    with house.kit(LATER) as kit:
        found = search(kit, "birch kiln fired Mondays by hand", replace(NOT_COUNTED, scopes=(Scope("project", "cedar"),)))
    assert texts(found) == ["The kiln is fired on Wednesdays"]


def test_words_alone_answer_while_the_model_is_away_and_the_answer_says_so(known):
    with known.kit(LATER) as kit:
        kit.embedder = Away()  # type: ignore[assignment]
        found = search(kit, "cedar kiln fired Wednesdays", NOT_COUNTED)
    assert found.mode == recall.WORDS_ONLY
    assert "found by words alone" in found.warning
    assert texts(found)[0] == "The cedar kiln is fired on Wednesdays"
    assert "vectors" not in found.results[0].parts


def test_who_is_in_a_hurry_is_answered_by_words_and_told_so_without_the_model_being_asked(known):
    with known.kit(LATER) as kit:
        kit.embedder = Away()  # type: ignore[assignment]
        found = search(kit, "cedar kiln fired Wednesdays", replace(NOT_COUNTED, hurried=True))
    assert (found.mode, texts(found)[0]) == (recall.WORDS_ONLY, "The cedar kiln is fired on Wednesdays")
    assert "no time" in found.warning


def test_little_words_find_nothing_by_themselves(known):
    known.furnish(recall={"floor": 0.0})
    with known.kit(LATER) as kit:
        for words, finds in (("what is the shed", False), ("is the shop", True)):
            found = shown.search_words_of(kit.store, telling_words(words), statuses=["live"], scopes=[], limit=9)
            assert bool(found) is finds


def test_the_shelf_is_read_again_only_when_memories_change(known, monkeypatch):
    reads = []
    true = shown.load_vectors_of
    monkeypatch.setattr(shown, "load_vectors_of", lambda *a, **k: reads.append(1) or true(*a, **k))
    monkeypatch.setattr(still_found, "ASKED", 0)  # a dream looks by itself whether memories are found again
    shelf = Shelf()
    with known.kit(LATER) as kit:
        for _ in range(3):
            search(kit, "when is the kiln fired?", shelf=shelf)
        assert len(reads) == 1
        known.say(LATER, "The cedar glaze is mixed from ash")
        search(kit, "what is the glaze made of?", shelf=shelf)
        assert len(reads) == 1
        known.dream("2026-01-06T20:00:00Z")
        assert "The cedar glaze is mixed from ash" in texts(search(kit, "cedar glaze mixed ash", shelf=shelf))
        assert len(reads) == 2


def test_what_was_forgotten_is_gone_from_a_warm_shelf_at_once(known):
    shelf = Shelf()
    with known.kit(LATER) as kit:
        assert "Wednesdays" in texts(search(kit, "cedar kiln Wednesdays", NOT_COUNTED, shelf=shelf))[0]
        known.forget(LATER, "Wednesdays")
        assert "Wednesdays" not in " ".join(texts(search(kit, "cedar kiln Wednesdays", NOT_COUNTED, shelf=shelf)))


def test_replaced_versions_are_shown_by_a_deep_look_alone_and_never_injected(house):
    house.say(FIRST_DAY, "The scheduler listens on port 7070")
    house.dream(FIRST_NIGHT)
    house.say("2026-01-09T09:00:00Z", "The scheduler now listens on port 7171 instead of 7070")
    house.dream("2026-01-09T20:00:00Z")
    question = "which port does the scheduler listen on?"
    with house.kit("2026-01-10T09:00:00Z") as kit:
        usual = search(kit, question, NOT_COUNTED)
        deep = search(kit, question, replace(NOT_COUNTED, budget=Budget.DEEP))
        injected = search(kit, question, replace(NOT_COUNTED, budget=Budget.DEEP, injection=True))
    assert {r.memory.status for r in usual.results} == {Status.LIVE}
    assert {r.memory.status for r in injected.results} == {Status.LIVE}
    assert Status.SUPERSEDED in {r.memory.status for r in deep.results}


def test_held_memories_are_shown_only_when_asked_for(house):
    from dreamd.core.values import Origin

    house.say(FIRST_DAY, Said("The import job of the cedar shop belongs to the night crew", origin=Origin.WEB))
    house.dream(FIRST_NIGHT)
    with house.kit(LATER) as kit:
        assert not search(kit, "import job night crew", NOT_COUNTED).results
        assert search(kit, "import job night crew", replace(NOT_COUNTED, held=True)).results
        assert not search(kit, "import job night crew", replace(NOT_COUNTED, held=True, injection=True)).results


def test_a_busy_store_keeps_the_count_and_not_the_answer_waiting(known):
    from dreamd.core import locks

    with known.kit(LATER) as kit, locks.foreground(kit.paths.locks):
        assert search(kit, "cedar kiln Wednesdays").results
    assert known.memory("Wednesdays").recalls == 0
    assert len(list((known.home / "inbox").glob("*.json"))) == 1
    known.dream("2026-01-06T20:00:00Z")
    assert known.memory("Wednesdays").recalls == 1


def test_a_look_names_the_statuses_it_may_show():
    usual = {Status.LIVE, Status.STALE, Status.ARCHIVED}
    assert Look().statuses == usual, "of what is archived only what left for its age"
    assert Look(held=True, budget=Budget.DEEP).statuses == usual | {Status.HELD, Status.SUPERSEDED}
    assert Look(held=True, budget=Budget.DEEP, injection=True).statuses == {Status.LIVE, Status.STALE}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A small work tree."""
    (tmp_path / "src" / "deep").mkdir(parents=True)
    (tmp_path / "src" / "deep" / "oven.py").touch()
    (tmp_path / "Makefile").touch()
    return tmp_path


@pytest.mark.parametrize(("text", "clue"), [
    ("The oven is in src/deep/oven.py", None),
    ("The oven is in src/oven.py", "path missing"),
    ("The oven is described in oven.py", None),
    ("The oven is described in stove.py", "path missing"),
    ("Read ./docs/oven first", "path missing"),
    ("Orders and/or returns go to sales/support", None),
    ("The branch is feature/oven-door", None),
    ("The route is /api/v1/ovens", None),
    ("The host file is /etc/hosts", None),
    ("The oven log is /var/log/no-such-oven.log", "path missing"),
    ("Docs are at https://oven.example/docs/oven.md", None),
    ("Start it with `ls -la src`", None),
    ("Start it with `no-such-oven-tool --hot`", "command missing"),
    ("The flag is called `no-such-oven-tool`", None),
    ("The value `hot --oven` is a typo", None),
    ("On 2026-05-07 we were at 24/7 and 1/2 of the load", None),
])
def test_only_what_can_hardly_be_anything_else_is_looked_for(tree, text, clue):
    from dreamd.recall.clues import find_clue

    assert find_clue(text, tree) == clue


def test_of_a_directory_that_is_elsewhere_nothing_is_told(tmp_path):
    from dreamd.recall.clues import find_clue

    assert find_clue("The oven is in src/oven.py", tmp_path / "on-another-machine") is None


def test_only_memories_of_the_project_are_measured_by_its_work_tree(house, tmp_path):
    import subprocess

    tree = tmp_path / "cedar"
    tree.mkdir()
    (tree / "oven.py").write_text("def heat_up():\n    pass\n")
    for words in (["init", "-q"], ["add", "."]):
        subprocess.run(["git", "-C", str(tree), *words], check=True)
    told = ["The oven is heated by `heat_up()`", "The oven is cooled by `cool_down()`", "The oven manual is docs/oven.md"]
    house.say(FIRST_DAY, *told, *(Said(text.replace("oven", "stove"), "user") for text in told))
    house.dream(FIRST_NIGHT)
    with house.kit(LATER) as kit:
        look = Look(record=False, limit=9, budget=Budget.DEEP, directory=tree)
        found = {one.memory.text: one.clue for one in (*search(kit, "oven", look).results, *search(kit, "stove", look).results)}
    assert found[told[0]] is None
    assert found[told[1]] == "symbol missing"
    assert found[told[2]] == "path missing"
    assert {found[text.replace("oven", "stove")] for text in told} == {None}


def test_a_function_that_no_tracked_file_has_is_a_clue(tree):
    import subprocess

    from dreamd.recall.clues import find_missing_symbols

    (tree / "src" / "deep" / "oven.py").write_text("def heat_up():\n    pass\n")
    for words in (["init", "-q"], ["add", "."]):
        subprocess.run(["git", "-C", str(tree), *words], check=True)
    named = ["`heat_up()` is slow", "`oven.cool_down()` is slow", "heating is slow"]
    assert find_missing_symbols(named, tree) == [False, True, False]
