"""Equal words in each other's places make another claim; phrases put elsewhere, lists and both ends of an "is" do not."""

from datetime import UTC, datetime

import pytest

from dreamd.core.values import MERGING, PairScore
from dreamd.judge import Statement, judge, merge_guards, pair_features

DAY = datetime(2026, 4, 7, 9, tzinfo=UTC)
UNSURE = PairScore(0.3, 0.01, 0.01, 0, 0, 0.2, 0.4, 0.08)


def verdict(a, b, score=None):
    """What the judge says of two texts of one moment."""
    return judge(Statement(a, DAY), Statement(b, DAY), similarity=0.97, score=score)


APART = {
    "who and whom": ("Ida mentors Odo.", "Odo mentors Ida."),
    "to whom": ("Ida gibt Odo das Boot.", "Odo gibt Ida das Boot."),
    "in Spanish": ("Rosa enseña remo a Bruno.", "Bruno enseña remo a Rosa."),
    "whence and where to": ("O óleo vai do tanque ao barril.", "O óleo vai do barril ao tanque."),
    "which of two": ("The cox pays for the oars, we pay for the boat.", "We pay for the oars, the cox pays for the boat."),
    "what is what": ("The wooden gate is painted.", "The painted gate is wooden."),
    "a place in German": ("Das Boot liegt hinter dem Schuppen.", "Der Schuppen liegt hinter dem Boot."),
    "labels": ("Ida bakes and Odo fries.", "bake: Odo. fry: Ida."),
    "from, to": ("Crates came from the mill and from nowhere else.", "Crates came from the mill and to nowhere else."),
}


@pytest.mark.parametrize("kind", APART)
def test_words_that_changed_places_are_no_one_claim_by_rule(kind):
    for score in (None, UNSURE):
        assert verdict(*APART[kind], score).relation not in MERGING


SAME = {
    "a phrase in front": ("The boats are oiled in June.", "In June the boats are oiled."),
    "a phrase in front, in German": ("Die Boote werden im Juni geölt.", "Im Juni werden die Boote geölt."),
    "both ends of an is": ("The name of the ferry is Otter.", "Otter is the name of the ferry."),
    "a list": ("Ida, Odo and Ulf row the boat.", "Ulf, Ida and Odo row the boat."),
    "labels in another order": ("bake: Ida, fry: Odo", "fry: Odo, bake: Ida"),
}


@pytest.mark.parametrize("kind", SAME)
def test_words_that_stand_elsewhere_as_a_phrase_are_one_claim_by_rule(kind):
    assert verdict(*SAME[kind]).relation in MERGING


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Oars are oiled in the shed, the log is only a copy.", "Oars aren't oiled in the shed, the log is only a copy."),
        ("Always moor two boats at jetty A and B, never alone.", "Never moor two boats at jetty A and B, never alone."),
        ("Don't row on the weir, the gate is open.", "Don't row on the weir, the gate isn't open."),
        ("The pier is lit until 23:00.", "The pier isn't lit until 23:00."),
        ("Ida bakes and Odo fries.", "Ida doesn't bake, and Odo doesn't fry."),
    ],
)
def test_a_list_or_a_bound_hides_no_denial(a, b):
    for score in (None, UNSURE):
        assert verdict(a, b, score).relation not in MERGING


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Die Halle A wird montags gefegt.", "Die Halle B wird montags gefegt."),
        ("Moor the ferry at jetty C.", "Moor the ferry at jetty D."),
    ],
)
def test_a_letter_of_its_own_tells_two_things_apart(a, b):
    assert "each side has a letter of its own" in merge_guards(pair_features(Statement(a, DAY), Statement(b, DAY), 0.97))
