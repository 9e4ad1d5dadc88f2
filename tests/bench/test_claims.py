"""The judge on the claims that measure: some kinds of error must not happen at all, and no figure falls below its floor."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import claims_figures
from claims import Claim, claims
from claims_figures import BASELINE, STILL_ENDED, STILL_MERGED, fallen, is_backwards

if TYPE_CHECKING:
    from dreamd.core.values import Judgement
    from dreamd.judge import Judge
    from dreamd.models import Embedder

Answered = list[tuple[Claim, "Judgement"]]


@pytest.fixture(scope="module")
def measured(real_judge: Judge, real_model: Embedder) -> Answered:
    """The claims that measure, each with what the judge says of it."""
    pairs = claims("test")
    return list(zip(pairs, claims_figures.judged(real_judge, real_model, pairs), strict=True))


@pytest.fixture(scope="module")
def sampled(real_judge: Judge, real_model: Embedder) -> Answered:
    """A few pairs of every author, each with what the judge says of it."""
    pairs = claims_figures.sample()
    return list(zip(pairs, claims_figures.judged(real_judge, real_model, pairs), strict=True))


def told(answered: Answered) -> list[tuple[str, str]]:
    """The words of some pairs, for who reads a failure."""
    return [claim.texts for claim, _ in answered]


@pytest.mark.model
def test_two_claims_that_differ_for_certain_are_never_made_one(measured: Answered) -> None:
    known = json.loads(BASELINE.read_text("utf-8"))[STILL_MERGED] if BASELINE.is_file() else []
    found = claims_figures.merged([c for c, _ in measured], [j for _, j in measured])
    assert told([(c, j) for c, j in measured if c.id in found and c.id not in known]) == []


@pytest.mark.model
def test_nothing_ends_what_is_said_of_another_environment_group_or_part(measured: Answered) -> None:
    known = json.loads(BASELINE.read_text("utf-8"))[STILL_ENDED] if BASELINE.is_file() else []
    found = claims_figures.ended([c for c, _ in measured], [j for _, j in measured])
    assert told([(c, j) for c, j in measured if c.id in found and c.id not in known]) == []


@pytest.mark.model
@pytest.mark.parametrize("of", ["measured", pytest.param("sampled", marks=pytest.mark.slow)])
def test_nothing_ends_what_was_said_after_it(request: pytest.FixtureRequest, of: str) -> None:
    assert told([(c, j) for c, j in request.getfixturevalue(of) if is_backwards(c, j)]) == []


@pytest.mark.model
def test_no_figure_of_a_tag_falls_below_its_floor(measured: Answered) -> None:
    now = claims_figures.measure([c for c, _ in measured], [j for _, j in measured], lambda claim: claim.tag)
    assert fallen(now, _floors("tags")) == {}


@pytest.mark.slow
@pytest.mark.model
def test_no_figure_of_an_author_falls_below_its_floor(sampled: Answered) -> None:
    now = claims_figures.measure([c for c, _ in sampled], [j for _, j in sampled], lambda claim: claim.author)
    assert fallen(now, _floors("authors")) == {}


def test_a_fall_beyond_the_noise_of_a_count_is_noticed() -> None:
    then = {"order": {"pairs": 100, "right": 60, "merges": 10, "merges_found": 10}}
    assert fallen({"order": {"right": 54, "merges_found": 10}}, then) == {"order: right": "60 of 100 before, 54 now"}
    assert fallen({"order": {"right": 56, "merges_found": 9}}, then) == {}
    assert fallen({}, then).keys() == {"order: right", "order: merges_found"}


def _floors(part: str) -> dict[str, claims_figures.Counts]:
    if not BASELINE.is_file():
        pytest.skip("no floors yet: `make baseline` writes them")
    floors: dict[str, claims_figures.Counts] = json.loads(BASELINE.read_text("utf-8"))[part]
    return floors
