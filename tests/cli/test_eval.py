"""`dream eval`: the figures of dream's own gold set, and gold sets that people bring."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from dreamd.core.paths import share_dir
from dreamd.dream.comparing.evaluation import FIGURES, Answered, mean_figures
from dreamd.dream.comparing.gold import Question, read_gold
from standing_by import run_dream

REPEATED = ("rule", "preference", "look-up", "state")


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """One evaluation of dream's own gold set with the real model."""
    place = tmp_path_factory.mktemp("eval")
    done = run_dream(["--home", str(place / "home"), "eval", "--json"], env={**os.environ, "HOME": str(place)})
    return json.loads(done.stdout)


@pytest.mark.model
def test_no_figure_is_worse_than_its_baseline_by_more_than_noise(measured):
    assert measured["baseline"] == {"compared": True, "worse": []}


@pytest.mark.model
def test_a_dream_loses_no_evidence_and_spends_half_of_the_words_where_things_were_repeated(measured):
    assert measured["after"]["recall@10"] >= measured["before"]["recall@10"]
    before = sum(measured["kinds"][kind]["before"]["evidence_tokens"] for kind in REPEATED)
    after = sum(measured["kinds"][kind]["after"]["evidence_tokens"] for kind in REPEATED)
    assert after <= 0.55 * before


@pytest.mark.model
def test_all_that_is_told_costs_a_third_of_what_the_ten_nearest_statements_cost(measured):
    assert measured["after"]["tokens"] <= measured["before"]["tokens"] / 3
    assert measured["after"]["tokens"] < measured["undreamt"]["tokens"], "ranking alone must not be all that saves"
    assert measured["after"]["recall@10"] >= measured["undreamt"]["recall@10"]


@pytest.mark.model
def test_a_changed_fact_answers_with_its_new_value_and_nothing_retired_is_shown(measured):
    changed = [a for a in measured["answers"] if a["kind"] == "history"]
    assert len(changed) == 10
    assert all(a["current"] for a in changed), [a["id"] for a in changed if not a["current"]]
    assert not [a["id"] for a in measured["answers"] if a["retired_shown"]]


@pytest.mark.model
def test_the_gold_set_has_ten_questions_of_each_kind(measured):
    assert {kind: part["after"]["questions"] for kind, part in measured["kinds"].items()} == dict.fromkeys(
        ("rule", "preference", "look-up", "state", "history", "unanswerable"), 10)


@pytest.mark.model
def test_every_factor_is_taken_away_once_and_its_worth_is_signed(measured):
    assert set(measured["ablation"]) == {
        "words", "vectors", "class-boost", "supersession", "age", "floor", "share-of-best", "answer", "silence", "context",
        "value", "speaker", "passages"}
    assert measured["ablation"]["vectors"]["recall@10"] > 0
    assert all("mrr" in row for row in measured["ablation"].values())


@pytest.mark.slow
@pytest.mark.model
def test_statements_as_people_talk_keep_their_evidence_at_a_fraction_of_the_words(tmp_path):
    """Three projects in one store; most is said once, in passing, and between orders and questions."""
    talk = Path(__file__).parents[2] / "config" / "eval" / "talk.json"
    done = run_dream(["--home", str(tmp_path / "home"), "eval", "--json", "--gold", str(talk)],
                     env={**os.environ, "HOME": str(tmp_path)})
    found = json.loads(done.stdout)
    assert found["after"]["recall@10"] >= found["before"]["recall@10"] - 0.02
    assert found["after"]["recall@5"] >= found["before"]["recall@5"] - 0.02
    assert found["after"]["tokens"] <= 0.36 * found["before"]["tokens"]
    assert found["after"]["retired"] <= 12 < found["before"]["retired"]
    assert found["after"]["current"] >= 0.8 > found["before"]["current"]


@pytest.mark.model
def test_a_gold_set_of_ones_own_is_measured_and_the_home_stays_empty(dream, tmp_path):
    said = {"id": "a", "at": "2026-01-05T09:00:00Z", "text": "The kiln is fired on Wednesdays", "scope": "project:pots"}
    asked = {"id": "q", "kind": "look-up", "query": "when is the kiln fired?", "evidence": [["a"]]}
    gold = tmp_path / "gold.json"
    gold.write_text(json.dumps({"schema": 1, "now": "2026-01-07T09:00:00Z", "dreams": [], "statements": [said],
                                "questions": [asked]}))
    found = dream.json("eval", "--gold", str(gold))
    assert found["after"]["recall@10"] == 1.0
    assert found["baseline"]["compared"] is False
    assert not dream.home.exists()


@pytest.mark.parametrize("body", ["", "[]", '{"schema": 2}',
                                  json.dumps({"schema": 1, "now": "2026-01-01", "dreams": [], "statements": [], "questions": [
                                      {"id": "q", "kind": "rule", "query": "x", "evidence": [["nowhere"]]}]})])
def test_what_is_no_gold_set_is_refused_with_a_hint_where_to_find_one(dream, tmp_path, body):
    gold = tmp_path / "gold.json"
    gold.write_text(body)
    told = dream("eval", "--gold", str(gold))
    assert told.code == 2
    assert "gold.json" in told.err


def test_the_year_of_talk_marks_the_evidence_of_five_kinds_of_questions():
    gold = read_gold(share_dir("config") / "eval" / "year")
    said = {statement.id: statement.candidate for statement in gold.statements}
    assert {question.kind for question in gold.questions} == {"single", "several", "time", "changed", "unanswerable"}
    assert len(gold.questions) >= 250
    assert len({question.scope for question in gold.questions}) == 8
    for question in gold.questions:
        assert bool(question.evidence) is (question.kind != "unanswerable")
        assert all(str(said[i].scope) == question.scope for i in question.retired.union(*question.evidence))
        assert all(said[old].at < said[new].at for old in question.retired for group in question.evidence for new in group)


def test_a_talk_with_a_name_for_a_turn_that_is_not_there_is_refused(dream, tmp_path):
    (tmp_path / "talks").mkdir()
    talk = "## 2025-01-01 10:00\nAnn: hello there [a]\n== questions\nsingle | who? | b | |\n"
    (tmp_path / "talks" / "a.txt").write_text(talk)
    told = dream("eval", "--gold", str(tmp_path / "talks"))
    assert (told.code, "a.txt" in told.err) == (2, True)


def test_the_new_value_counts_as_told_alone_only_where_the_old_one_is_nowhere():
    question = Question("q", "changed", "when?", (frozenset({"new"}),), frozenset({"old"}), "Friday")
    figures = dict.fromkeys(FIGURES, 1.0)
    told = mean_figures([Answered(question, figures, 2, current=True, retired=True),
                         Answered(question, figures, 1, current=True, retired=False),
                         Answered(question, figures, 0, current=False, retired=False)])
    assert (told["current"], told["alone"], told["nothing_shown"]) == (0.6667, 0.3333, 1)
