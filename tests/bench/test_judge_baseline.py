"""The judge must not get worse than its committed figures by more than their noise."""

import json
import math
import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import judge_eval

BASELINE = json.loads((Path(__file__).parent / "judge_baseline.json").read_text("utf-8"))
LOWER_IS_BETTER = {"false_merges", "collateral", "order_errors"}
WATCHED = (*LOWER_IS_BETTER, "merge_recall", "update_recall", "contradiction_recall")


def worse(now: dict[str, float], then: dict[str, float], *, low: bool) -> bool:
    """True when the share moved the wrong way by more than one standard error of the baseline's count."""
    noise = math.sqrt(max(then["share"] * (1 - then["share"]), 0.5 / then["of"]) / then["of"]) if then["of"] else 0.0
    return now["share"] > then["share"] + noise if low else now["share"] < then["share"] - noise


def check(cases: list[judge_eval.Case], name: str) -> None:
    """Compare the figures of some cases with the baseline of that name."""
    figures = judge_eval.measure(cases, judge_eval.verdicts(cases))
    lost = {
        f: (figures[f], BASELINE[name][f]) for f in WATCHED if worse(figures[f], BASELINE[name][f], low=f in LOWER_IS_BETTER)
    }
    assert not lost


def model_dir() -> Path:
    """The installed model's folder, or skip."""
    found = judge_eval.default_model_dir()
    if found is None:
        pytest.skip("the embedding model is not installed")
    return found


@pytest.mark.model
@pytest.mark.slow
@pytest.mark.parametrize(("name", "kept"), [("own", judge_eval.own_cases), ("abroad", judge_eval.abroad_cases)])
def test_the_judge_is_as_good_on_unseen_groups_as_its_baseline(name, kept):
    cases, _ = judge_eval.with_scores(kept(), model_dir(), judge_eval.ARTEFACT)
    check(cases, name)


@pytest.mark.model
def test_rules_alone_are_as_good_on_unseen_groups_as_their_baseline():
    cases, _ = judge_eval.with_scores(judge_eval.own_cases(), model_dir(), None)
    check(cases, "own_rules")


@pytest.mark.model
@pytest.mark.slow
@pytest.mark.real_data
def test_the_judge_is_as_good_on_the_labelled_pairs_as_its_baseline():
    folder = os.environ.get("DREAM_EVAL_DATA")
    if not folder:
        pytest.skip("DREAM_EVAL_DATA names no folder of labelled pairs")
    cases = judge_eval.load_cases(Path(folder) / "pairs" / "memory_pairs_dev.jsonl", "all")
    check(judge_eval.with_scores(cases, model_dir(), judge_eval.ARTEFACT)[0], "pairs")


def test_a_figure_below_its_noise_is_noticed():
    then = {"share": 0.6, "of": 100}
    assert worse({"share": 0.5}, then, low=False)
    assert not worse({"share": 0.58}, then, low=False)
    assert worse({"share": 0.02}, {"share": 0.0, "of": 300}, low=True)
