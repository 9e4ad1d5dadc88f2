"""Ranking: every factor by itself, the floor before age, budgets, and questions that must find their answer."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ranking_questions import QUESTIONS, STATEMENTS, UNANSWERABLE

from dreamd.core.settings import RecallSettings
from dreamd.core.values import EXPIRED, FADED, Category, Memory, MemoryClass, MemoryType, Scope, Status, Trust
from dreamd.recall.ranking import Asked, Budget, Hit, Ranked, age_factor, fuse, rank
from dreamd.recall.terms import word_matches

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
RULES = RecallSettings()
WORDLESS = replace(RULES, word_weight=0.0)
PLAINLY = Asked()


def _memory(identity: str = "m1", text: str = "The kiln is lit on Mondays", **changes: object) -> Memory:
    memory = Memory(
        id=identity, scope=Scope("project", "kiln"), text=text, memory_class=MemoryClass.REFERENCE,
        memory_type=MemoryType.PROJECT, category=Category.OPERATIONS, status=Status.LIVE, trust=Trust.USER,
        authority=Trust.USER, created_at=NOW, updated_at=NOW, confirmed_at=NOW, valid_from=NOW)
    return replace(memory, **changes)  # type: ignore[arg-type]


def _one(memory: Memory, similarity: float, asked: Asked = PLAINLY, rules: RecallSettings = WORDLESS) -> Ranked | None:
    found = rank("kiln", [Hit(memory, vector_similarity=similarity)], now=NOW, rules=rules, asked=asked)
    return found[0] if found else None


def _one_hit(hit: Hit) -> Ranked:
    (one,) = rank("kiln", [hit], now=NOW, rules=WORDLESS)
    return one


def _score(memory: Memory, similarity: float, asked: Asked = PLAINLY) -> float:
    found = _one(memory, similarity, asked)
    assert found is not None
    return found.score


def test_a_live_memory_counts_one_and_a_half_times_its_similarity() -> None:
    assert _score(_memory(), 0.4) == pytest.approx(0.6)


def test_process_documents_are_lowered_and_other_text_counts_as_it_is() -> None:
    assert _score(_memory(memory_class=MemoryClass.PROCEDURE), 0.8) == pytest.approx(0.68)
    assert _score(_memory(memory_class=MemoryClass.HISTORY), 0.8) == pytest.approx(0.8)


def test_what_a_person_said_and_no_memory_carries_counts_like_a_memory() -> None:
    assert _score(_memory(memory_class=MemoryClass.HISTORY, status=Status.SAID), 0.4) == pytest.approx(0.6)


def test_ended_versions_count_half() -> None:
    ended = _memory(status=Status.SUPERSEDED, superseded_by="m2", valid_to=NOW)
    assert _score(ended, 0.9) == pytest.approx(0.675)


def test_an_absorbed_version_never_scores_above_a_half() -> None:
    absorbed = _memory(status=Status.SUPERSEDED, superseded_by="m2")
    assert _score(absorbed, 0.9) == pytest.approx(0.5)
    assert _score(absorbed, 0.6) == pytest.approx(0.45)


def test_nothing_below_the_floor_is_shown_however_little_there_is() -> None:
    assert _one(_memory(), 0.2333) is None
    assert _one(_memory(), 0.2334) is not None


def test_age_orders_but_never_hides() -> None:
    old = _memory(confirmed_at=NOW - timedelta(days=2000))
    assert _one(old, 0.234) is not None
    young = _memory("m2", confirmed_at=NOW - timedelta(days=1))
    order = rank("kiln", [Hit(old, vector_similarity=0.6), Hit(young, vector_similarity=0.597)], now=NOW, rules=WORDLESS)
    assert [one.memory.id for one in order] == ["m2", "m1"]
    order = rank("kiln", [Hit(old, vector_similarity=0.6), Hit(young, vector_similarity=0.585)], now=NOW, rules=WORDLESS)
    assert [one.memory.id for one in order] == ["m1", "m2"], "age orders what is as near, and nothing else"


@settings(max_examples=80, deadline=None)
@given(days=st.floats(-10, 20_000), more=st.floats(0.1, 2_000),
       status=st.sampled_from([Status.LIVE, Status.STALE, Status.ARCHIVED]))
def test_age_and_staleness_take_a_tenth_at_most_and_more_from_what_was_confirmed_earlier(
        days: float, more: float, status: Status) -> None:
    later, earlier = (_memory(status=status, confirmed_at=NOW - timedelta(days=d)) for d in (max(days, 0), max(days, 0) + more))
    assert 0.9 <= age_factor(earlier, NOW, RULES) < age_factor(later, NOW, RULES) <= 1.0


def test_of_two_as_near_the_live_one_stands_before_the_stale_and_the_stale_before_the_archived() -> None:
    live = _memory("live", confirmed_at=NOW - timedelta(days=4000))
    stale = _memory("stale", status=Status.STALE, confirmed_at=NOW - timedelta(days=91))
    gone = _memory("gone", status=Status.ARCHIVED, reason=FADED, confirmed_at=NOW)
    hits = [Hit(one, vector_similarity=0.5) for one in (gone, stale, live)]
    assert [one.memory.id for one in rank("kiln", hits, now=NOW, rules=WORDLESS)] == ["live", "stale", "gone"]


def test_who_wants_the_exponential_form_of_ageing_has_it() -> None:
    rules = replace(WORDLESS, age_rate_per_day=0.01)
    found = _one(_memory(confirmed_at=NOW - timedelta(days=2000)), 0.3, rules=rules)
    assert found is not None
    assert found.parts["age"] == pytest.approx(math.exp(-20))
    lasting = _one(_memory(memory_class=MemoryClass.RULE, confirmed_at=NOW - timedelta(days=900)), 0.5, rules=rules)
    assert lasting is not None
    assert lasting.score == pytest.approx(0.75), "preferences and rules do not age so"


@pytest.mark.parametrize(("lift", "part", "weight"), [("has_value", "asked_for", RULES.value_weight),
                                                      ("said_by", "said_by", RULES.speaker_weight)])
def test_a_value_of_the_kind_asked_for_and_a_speaker_who_is_named_count_more_and_never_more_than_all(
        lift: str, part: str, weight: float) -> None:
    plain, lifted = (_one_hit(replace(Hit(_memory(), vector_similarity=0.4), **{lift: there})) for there in (False, True))
    assert lifted.parts["similarity"] == pytest.approx(0.4 + weight * 0.6)
    assert (lifted.parts[part], part in plain.parts) == (weight, False)
    assert _one_hit(replace(Hit(_memory(), vector_similarity=1.0), **{lift: True})).parts["similarity"] == 1.0


def test_company_that_is_half_as_near_as_the_answer_stays_away_unless_one_looks_deep() -> None:
    near, company = _memory("near"), _memory("company")
    hits = [Hit(near, vector_similarity=0.8), Hit(company, vector_similarity=0.4)]
    assert [one.memory.id for one in rank("kiln", hits, now=NOW, rules=WORDLESS)] == ["near"]
    deep = rank("kiln", hits, now=NOW, rules=WORDLESS, asked=Asked(budget=Budget.DEEP))
    assert [one.memory.id for one in deep] == ["near", "company"]


def test_what_is_as_near_but_stale_or_old_is_no_company() -> None:
    near = _memory("near")
    stale = _memory("stale", status=Status.STALE, confirmed_at=NOW - timedelta(days=300))
    hits = [Hit(near, vector_similarity=0.8), Hit(stale, vector_similarity=0.7)]
    assert {one.memory.id for one in rank("kiln", hits, now=NOW, rules=WORDLESS)} == {"near", "stale"}


def test_a_word_of_the_same_meaning_counts_less_than_the_word_and_more_than_none() -> None:
    same, alike, other = word_matches("which database is it?", ["The database is new", "It is PostgreSQL", "It is green"])
    assert same > alike > other == 0.0


def test_being_recalled_makes_a_memory_young_again() -> None:
    forgotten = _memory(confirmed_at=NOW - timedelta(days=300))
    assert _score(replace(forgotten, recalled_at=NOW - timedelta(days=10)), 0.6) > _score(forgotten, 0.6)


def test_what_is_pinned_does_not_age() -> None:
    assert _score(_memory(pinned=True, confirmed_at=NOW - timedelta(days=900)), 0.5) == pytest.approx(0.75)


def test_a_time_in_the_future_is_no_bonus() -> None:
    assert _score(_memory(confirmed_at=NOW + timedelta(days=50)), 0.6) == pytest.approx(0.9)


def test_held_memories_appear_only_when_asked_for() -> None:
    held = _memory(status=Status.HELD)
    assert _one(held, 0.9) is None
    assert _one(held, 0.9, Asked(held=True)) is not None
    assert _one(held, 0.9, Asked(held=True, injection=True)) is None


def test_of_what_is_archived_only_what_left_for_its_age_is_found_and_none_of_it_is_injected() -> None:
    faded = _memory(status=Status.ARCHIVED, reason=FADED)
    assert _one(faded, 0.9) is not None
    assert _one(faded, 1.0, Asked(injection=True)) is None
    assert _one(_memory(status=Status.ARCHIVED, reason="deleted-by-person"), 1.0, Asked(held=True, budget=Budget.DEEP)) is None


def test_a_state_whose_day_has_passed_is_told_when_asked_for_behind_what_is_as_near_and_never_unasked() -> None:
    over = _memory("over", status=Status.ARCHIVED, reason=EXPIRED, confirmed_at=NOW)
    standing = _memory("standing", confirmed_at=NOW - timedelta(days=900))
    hits = [Hit(over, vector_similarity=0.5), Hit(standing, vector_similarity=0.5)]
    assert [one.memory.id for one in rank("kiln", hits, now=NOW, rules=WORDLESS)] == ["standing", "over"]
    assert _one(over, 1.0, Asked(injection=True)) is None


def test_an_ended_version_gives_way_to_its_successor_unless_one_looks_deep() -> None:
    first = _memory("m1", status=Status.SUPERSEDED, superseded_by="m2", valid_to=NOW)
    second = _memory("m2", status=Status.SUPERSEDED, superseded_by="m3", valid_to=NOW)
    third = _memory("m3")
    hits = [Hit(first, vector_similarity=0.9), Hit(second, vector_similarity=0.9), Hit(third, vector_similarity=0.5)]
    assert [one.memory.id for one in rank("kiln", hits, now=NOW, rules=WORDLESS)] == ["m3"]
    deep = rank("kiln", hits, now=NOW, rules=WORDLESS, asked=Asked(budget=Budget.DEEP))
    assert {one.memory.id for one in deep} == {"m1", "m2", "m3"}
    alone = rank("kiln", hits[:1], now=NOW, rules=WORDLESS)
    assert [one.memory.id for one in alone] == ["m1"]


def test_nothing_that_was_ended_is_injected() -> None:
    ended = _memory(status=Status.SUPERSEDED, superseded_by="gone", valid_to=NOW)
    assert _one(ended, 1.0, Asked(injection=True)) is None


def test_budgets_and_the_injection_cap_bound_the_answer() -> None:
    hits = [Hit(_memory(f"m{number:02d}"), vector_similarity=0.9 - number / 100) for number in range(40)]

    def count(asked: Asked) -> int:
        return len(rank("kiln", hits, now=NOW, rules=WORDLESS, asked=asked))

    assert [count(Asked(budget=budget)) for budget in Budget] == [3, 7, 15]
    assert count(Asked(budget=Budget.DEEP, injection=True)) == 10
    assert count(Asked(count=2)) == 2
    assert count(Asked(count=30, injection=True)) == 10
    assert count(Asked(count=0)) == 0


def test_every_factor_is_in_the_parts_and_their_product_is_the_score() -> None:
    stale = _memory(status=Status.STALE, confirmed_at=NOW - timedelta(days=30))
    found = _one(stale, 0.8, rules=RULES)
    assert found is not None
    parts = found.parts
    assert parts["words"] == 1.0
    assert parts["vectors"] == 0.8
    assert parts["similarity"] == pytest.approx(fuse(1.0, 0.8, RULES.word_weight))
    product = parts["similarity"] * parts["class_boost"] * parts["age"]
    assert found.score == pytest.approx(product)


def test_without_vectors_words_alone_answer_and_respect_the_floor() -> None:
    hits = [Hit(_memory(key, text)) for key, text in STATEMENTS.items()]
    found = rank("limit of requests a minute of the public interface", hits, now=NOW, rules=RULES)
    assert found[0].memory.id == "rate"
    assert "vectors" not in found[0].parts
    assert rank("which airline flies to Nairobi", hits, now=NOW, rules=RULES) == []
    assert rank("?!", hits, now=NOW, rules=RULES) == []
    assert rank("", hits, now=NOW, rules=RULES) == []


def test_words_match_across_endings_and_in_scripts_without_spaces() -> None:
    assert word_matches("exporting invoices", ["The invoice export is slow"]) == [pytest.approx(1.0)]
    found = word_matches("数据库端口", ["测试数据库的端口是5433", "会议室在三楼"])
    assert found[0] > 0.5 > found[1] == 0


def test_a_rare_shared_word_counts_more_than_a_common_one() -> None:
    texts = ["the lantern service", "the tern-west profile", "lantern logs", "lantern cache", "lantern docs"]
    found = word_matches("lantern tern-west", texts)
    assert found[1] > found[0] > 0


def test_shared_words_lift_a_score_and_never_lower_it() -> None:
    for similarity in (0.0, 0.3, 0.9):
        assert fuse(0.0, similarity, 0.35) == similarity
        assert fuse(1.0, similarity, 0.35) > similarity
    assert fuse(1.0, 1.0, 0.35) == 1.0
    assert fuse(0.5, -0.4, 0.0) == 0.0


@settings(max_examples=80, deadline=None)
@given(values=st.lists(st.tuples(st.floats(-1, 1), st.integers(0, 900), st.sampled_from(list(Status)),
                                 st.sampled_from(list(MemoryClass))), max_size=12))
def test_any_hits_give_a_bounded_answer_in_the_same_order_whatever_order_they_came_in(
        values: list[tuple[float, int, Status, MemoryClass]]) -> None:
    hits = [Hit(_memory(f"m{n}", f"Valve {n} opens", status=status, memory_class=kind,
                        confirmed_at=NOW - timedelta(days=days)), vector_similarity=similarity)
            for n, (similarity, days, status, kind) in enumerate(values)]
    found = rank("valve", hits, now=NOW, rules=RULES)
    again = rank("valve", hits[::-1], now=NOW, rules=RULES)
    assert [one.memory.id for one in found] == [one.memory.id for one in again]
    assert len(found) <= RULES.balanced
    assert all(one.parts["before_age"] >= RULES.floor / (1 + (one.memory.status is Status.SAID)) for one in found)
    assert len({one.memory.id for one in found}) == len(found)


@pytest.mark.model
def test_questions_find_their_answer_and_strange_ones_find_little() -> None:
    from dreamd.models import load_embedder

    embedder = load_embedder("light")
    memories = [_memory(key, text) for key, text in STATEMENTS.items()]
    rows = embedder.embed([memory.text for memory in memories])

    def ask(query: str) -> list[str]:
        near = rows @ embedder.embed([query])[0]
        hits = [Hit(memory, vector_similarity=float(cosine)) for memory, cosine in zip(memories, near, strict=True)]
        return [one.memory.id for one in rank(query, hits, now=NOW, rules=RULES)]

    places = [answers.index(wanted) + 1 if wanted in (answers := ask(query)) else 0 for query, wanted in QUESTIONS]
    assert sum(1 / place for place in places if place) / len(places) > 0.88
    assert sum(0 < place <= 5 for place in places) / len(places) > 0.94
    assert sum(len(ask(query)) for query in UNANSWERABLE) <= len(UNANSWERABLE)
