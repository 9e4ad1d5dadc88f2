"""What a language model may say about pairs in doubt: nothing is joined across a guard, and nothing by one word alone."""

from __future__ import annotations

import re

import pytest
from read_aloud import NIGHT, Reader

from dreamd.core.clock import parse_instant
from dreamd.core.values import Basis, Evidence, EvidenceKind, Judgement, Relation, parse_scope
from dreamd.dream.allowance import Allowance
from dreamd.dream.asking.arbitrating import arbitrate, is_in_doubt
from dreamd.judge import Statement
from dreamd.models.language_model import Answer, Ask, Ending, Role
from household import CEDAR, House

MONDAY, TUESDAY = parse_instant("2026-01-05T09:00:00Z"), parse_instant("2026-01-06T09:00:00Z")
OPEN = Judgement(Relation.RELATED, 0.2, (Evidence(EvidenceKind.NEAR, share=0.8),))
UNSURE = Judgement(Relation.UPDATES, 0.6, (Evidence(EvidenceKind.CLASH, share=0.6),), Basis.TIME, newer="b")


def says(relation: str, *, lost: bool = False) -> Reader:
    """A model with one opinion of every pair."""
    def reply(ask: Ask) -> Answer:
        pairs, cases = re.findall(r"^pair (\d+)$", ask.data, re.MULTILINE), re.findall(r"^case (\d+)$", ask.data, re.MULTILINE)
        if cases:
            return Answer(Ending.ANSWERED, {"cases": [{"case": int(n), "lost": lost} for n in cases]})
        return Answer(Ending.ANSWERED, {"pairs": [{"pair": int(n), "relation": relation} for n in pairs]})
    return Reader(reply)


def settled(house: House, model: Reader, *pairs: tuple[str, str], verdict: Judgement = OPEN, left: int = 5,
            ) -> dict[tuple[str, str], Judgement]:
    """What becomes of pairs that were all judged alike."""
    sides = {(f"{n}", f"{n}b"): (Statement(a, MONDAY), Statement(b, TUESDAY)) for n, (a, b) in enumerate(pairs)}
    with house.kit(NIGHT) as kit:
        kit.language = model
        return arbitrate(kit, parse_scope(CEDAR), sides, dict.fromkeys(sides, verdict), Allowance(left))


ALIKE = ("The import at night only works while the tunnel is up.", "The nightly import works only while the tunnel is up.")


def test_two_that_no_guard_keeps_apart_are_joined_once_both_questions_agree(house: House) -> None:
    model = says("same")
    found, = settled(house, model, ALIKE).values()
    assert found.relation is Relation.DUPLICATE and found.richer in ("a", "b")
    assert [ask.prompt for ask in model.asked] == ["judge@1", "judge_again@1"]
    assert any(clue == "by judge stand-in-1 judge_again@1" for clue in found.evidence)


def test_where_the_second_question_sees_a_loss_nothing_is_joined(house: House) -> None:
    assert settled(house, says("same", lost=True), ALIKE) == {}


@pytest.mark.parametrize(("one", "other"), [
    ("Staging of cedar is on port 8080.", "Staging of cedar is on port 8081."),
    ("Always squash before a merge.", "Never squash before a merge."),
    ("Ines owns the replica.", "Vera owns the replica."),
    ("The freeze ends on 2026-03-01.", "The freeze ends on 2026-04-01."),
])
def test_a_model_that_joins_everything_joins_nothing_across_a_veto(house: House, one: str, other: str) -> None:
    assert settled(house, says("same"), (one, other)) == {}


def test_a_conflict_that_was_seen_becomes_sure_and_none_is_made(house: House) -> None:
    pair = ("The demo is on Tuesday.", "The demo is on Thursday.")
    found, = settled(house, says("replaces"), pair, verdict=UNSURE).values()
    assert found.is_sure and found.relation is Relation.UPDATES and found.newer == "b"
    held, = settled(house, says("conflict"), pair, verdict=UNSURE).values()
    assert held.is_sure and held.relation is Relation.CONTRADICTS
    assert settled(house, says("replaces"), pair, verdict=OPEN) == {}


def test_a_run_goes_by_a_models_word_no_oftener_than_it_may_retire(house: House) -> None:
    pairs = [(f"The import of box {n} runs at night.", f"At night the import of box {n} runs.") for n in "abcdefgh"]
    assert len(settled(house, says("same"), *pairs, left=3)) <= 3
    assert settled(house, says("same"), *pairs, left=0) == {}


def test_pairs_are_asked_twenty_at_a_time_and_not_without_end(house: House) -> None:
    pairs = [(f"The import of box {n} runs at night.", f"Box {n} stands in the cellar.") for n in range(200)]
    model = says("apart")
    assert settled(house, model, *pairs) == {}
    assert [len(re.findall(r"^pair ", ask.data, re.MULTILINE)) for ask in model.asked] == [20, 20, 20]


@pytest.mark.parametrize("value", [
    {}, {"pairs": 7}, {"pairs": [{"pair": 5, "relation": "same"}]}, {"pairs": [{"pair": 1, "relation": "one"}]},
    {"pairs": [{"pair": 1, "relation": "same"}, {"pair": 1, "relation": "apart"}]},
    {"pairs": [{"pair": "1", "relation": "same"}]}])
def test_an_answer_that_fits_no_pair_changes_nothing(house: House, value: dict[str, object]) -> None:
    assert settled(house, Reader(lambda _ask: Answer(Ending.ANSWERED, value)), ALIKE) == {}


def test_what_the_learned_judge_is_sure_of_is_not_asked(house: House) -> None:
    model = says("same")
    for sure in (Judgement(Relation.RELATED, 0.9), Judgement(Relation.UPDATES, 0.95), Judgement(Relation.UNRELATED, 0.2)):
        assert not is_in_doubt(sure)
        settled(house, model, ALIKE, verdict=sure)
    assert model.asked == []


def test_without_an_answer_or_with_the_role_off_the_verdict_stands(house: House) -> None:
    assert settled(house, Reader(lambda _ask: Answer(Ending.CEILING)), ALIKE) == {}
    off = says("same")
    off.on = frozenset({Role.OBSERVER})
    assert settled(house, off, ALIKE) == {} and off.asked == []
