"""The claims say what they are: each has its tag and times that fit its label, and what measures is not trained on."""

from __future__ import annotations

import sys
from collections import Counter
from datetime import timedelta
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from claims import DATA, TAGS, by_authors, claims, load, texts_of

from dreamd.core.values import Relation

GROUPS = Path(__file__).parent / "judge_data"
EVERY = load(DATA / "claims.jsonl")


def test_every_claim_has_a_known_tag_and_a_side() -> None:
    assert {claim.tag for claim in EVERY} == TAGS
    assert {claim.split for claim in EVERY} == {"train", "test"}
    assert len({claim.id for claim in EVERY}) == len(EVERY)


def test_about_a_third_of_the_claims_measures_and_every_tag_is_measured() -> None:
    measured = Counter(claim.tag for claim in claims("test"))
    assert 0.3 < sum(measured.values()) / len(EVERY) < 0.4
    assert measured.keys() == TAGS
    assert min(measured.values()) >= 5


def test_no_pair_stands_twice_and_none_holds_one_text_on_both_sides() -> None:
    pairs = Counter(frozenset(claim.texts) for claim in EVERY)
    assert [pair for pair, times in pairs.items() if times > 1 or len(pair) < 2] == []


def test_no_statement_is_trained_on_and_measured() -> None:
    measured = set(texts_of(claims("test")))
    trained = {*texts_of(claims("train")), *texts_of(by_authors())}
    for path in GROUPS.glob("groups_*.txt"):
        trained |= {line[2:].strip() for line in path.read_text("utf-8").splitlines()}
    assert measured & trained == set()


def test_what_cannot_both_hold_was_said_within_a_day_and_an_update_has_a_later_side() -> None:
    for claim in EVERY:
        apart = claim.b.at - claim.a.at
        assert claim.relation is not Relation.CONTRADICTS or abs(apart) < timedelta(days=1), claim.id
        assert claim.relation is not Relation.UPDATES or apart != timedelta(), claim.id
