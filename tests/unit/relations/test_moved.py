"""A phrase or a clause put elsewhere says the same; partners exchanged do not."""

from datetime import UTC, datetime

import pytest

from dreamd.core.values import MERGING
from dreamd.judge import Statement, judge, merge_guards, pair_features

DAY = datetime(2026, 4, 7, 9, tzinfo=UTC)


def features(a, b):
    """The features of two texts of one moment."""
    return pair_features(Statement(a, DAY), Statement(b, DAY), 0.8)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Loans of more than four books go through Edda.", "For more than four books, loans go through Edda."),
        ("In frost the gate is opened by hand.", "The gate in frost is opened by hand."),
        (
            "The rota hangs in the office door and helpers must not change it.",
            "Helpers must not change the rota, which hangs in the door of the office.",
        ),
        (
            "If the scale and the ledger differ, sell nothing and ring Odo.",
            "Ring Odo and sell nothing whenever ledger and scale differ.",
        ),
        (
            "Because the felt dries out, wet it for an hour before the press is closed.",
            "Wet the felt for an hour before closing the press, because it dries out.",
        ),
        ("Buy flour, yeast and salt in the mill.", "Buy salt, yeast and flour in the mill."),
        ("The hull is scraped once dry.", "The hull is scraped after drying."),
    ],
)
def test_no_guard_sees_another_claim_in_moved_words(a, b):
    assert merge_guards(features(a, b)) == ()


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("For more than four books, loans go through Edda.", "Loans of more than four books go through Edda."),
        ("Wet the felt for an hour before closing the press.", "Before closing the press, wet the felt for an hour."),
    ],
)
def test_rules_alone_merge_a_sentence_with_a_phrase_moved(a, b):
    assert judge(Statement(a, DAY), Statement(b, DAY), similarity=0.9).relation in MERGING


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("The loft holds the straw and the barn the tools.", "Straw is kept in the barn, tools in the loft."),
        ("We sew in linen but line with silk.", "We sew in silk and we line in linen."),
        ("The cox carries the oars while rowers bring the boat.", "The boat is brought by the cox, and rowers carry the oars."),
        ("Copy the rota from the office to the shed.", "Copy the rota from the shed to the office."),
    ],
)
def test_a_guard_sees_that_each_goes_with_what_the_other_had(a, b):
    assert merge_guards(features(a, b))


@pytest.mark.parametrize(
    ("sole", "denying"),
    [
        ("The ski hut is rented on Sundays only.", "Nobody can rent the ski hut on Sundays."),
        ("orchard: only pruned after the frost", "The orchard must not be pruned after the frost."),
        ("Only the warden opens the sluice.", "The warden must not open the sluice."),
    ],
)
def test_a_guard_sees_a_denial_of_the_only_one(sole, denying):
    assert "one denies what the other says is the only one" in merge_guards(features(sole, denying))


@pytest.mark.parametrize(
    ("sole", "denying"),
    [
        ("Only the warden opens the sluice.", "Nobody except the warden opens the sluice."),
        ("The hut is let on Sundays only.", "The hut is not let on days other than Sundays."),
        ("Only the ferryman opens the sluice.", "Guests don't open the sluice, the ferryman does."),
        ("Only sealed crates leave the yard.", "A crate has to be sealed or it must not leave the yard."),
        ("Prune the orchard only after the frost.", "Do not prune the orchard before the frost."),
    ],
)
def test_a_denial_of_all_others_is_no_denial_of_the_only_one(sole, denying):
    assert "one denies what the other says is the only one" not in merge_guards(features(sole, denying))


@pytest.mark.parametrize(
    ("whole", "owned", "apart"),
    [
        ("The day's catch is weighed at noon.", "The catch is weighed at noon each day.", False),
        ("The warden's boat is green.", "The warden is green.", True),
    ],
)
def test_what_belongs_to_a_day_is_no_part_of_it(whole, owned, apart):
    assert any("only" in why for why in merge_guards(features(whole, owned))) == apart


def test_one_that_is_not_named_yet_may_be_the_one_that_is():
    assert merge_guards(features("One guest has a key of her own.", "The corner guest has a key of her own, of brass.")) == ()
    assert merge_guards(features("A guest has a key of his own.", "The corner guest has a key of his own."))
