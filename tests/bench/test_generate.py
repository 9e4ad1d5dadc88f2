"""The made-up memories are what the bench says they are."""

from __future__ import annotations

import numpy as np
import pytest
from generate import generate, given_vectors


def test_the_same_seed_gives_the_same_memories_and_another_seed_others() -> None:
    assert generate(300, seed=4) == generate(300, seed=4)
    assert generate(300, seed=4) != generate(300, seed=5)
    assert np.array_equal(given_vectors(generate(300)), given_vectors(generate(300)))


@pytest.mark.parametrize("count", [1, 2, 10, 1000])
def test_thirty_percent_repeat_an_earlier_fact_in_other_words(count: int) -> None:
    made = generate(count)
    repeats = [(place, one) for place, one in enumerate(made) if one.original != place]
    assert len(made) == count
    assert len(repeats) == int(count * 0.3)
    for place, one in repeats:
        fact = made[one.original]
        assert one.original < place
        assert fact.original == one.original
        assert (one.subject, one.attribute, one.value) == (fact.subject, fact.attribute, fact.value)
        assert one.text != fact.text


def test_no_two_facts_are_about_the_same_attribute_of_the_same_subject() -> None:
    facts = [one for place, one in enumerate(generate(3000)) if one.original == place]
    assert len({(one.subject, one.attribute) for one in facts}) == len(facts)
    assert len({one.text for one in facts}) == len(facts)


def test_vectors_are_nearest_for_one_fact_and_less_near_for_one_attribute() -> None:
    made = generate(600)
    rows = given_vectors(made).astype(np.float32)
    near = rows @ rows.T
    repeats = [float(near[place, one.original]) for place, one in enumerate(made) if one.original != place]
    twins = [float(near[a, b]) for a, one in enumerate(made[:200]) for b, other in enumerate(made[:a])
             if one.attribute == other.attribute and one.subject != other.subject]
    assert min(repeats) > 0.93
    assert 0.6 < float(np.median(twins)) < 0.8
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=2e-3)
