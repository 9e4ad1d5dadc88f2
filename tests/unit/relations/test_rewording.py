"""What is no difference: polite turns, bounds in other words, denials of something else, words of the reason alone."""

from datetime import UTC, datetime, timedelta

import pytest

from dreamd.core.values import PairScore, Relation
from dreamd.judge import Statement, judge, merge_guards, pair_features

DAY = datetime(2026, 4, 7, 9, tzinfo=UTC)
MERGED = (Relation.DUPLICATE, Relation.REFINES)


def score(same, conflict):
    """A score that sees one claim with `same`, a conflict with `conflict`, and a neighbour with the rest."""
    rest = 1 - same - conflict
    return PairScore(same=same, a_richer=0, b_richer=0, a_newer=0, b_newer=0, clash=conflict, related=rest, unrelated=0)


def verdict(a, b, *, scored=None, similarity=0.7):
    """Judge two texts said on one day."""
    return judge(Statement(a, DAY), Statement(b, DAY + timedelta(minutes=3)), similarity=similarity, score=scored).relation


def guards(a, b):
    """The guards against a merge."""
    return merge_guards(pair_features(Statement(a, DAY), Statement(b, DAY), 0.7))


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("I'd be glad if reports for the council stayed below two pages.", "Reports for the council stay below two pages."),
        ("[memo] The label printer is called attic-2...", "The label printer is called attic-2"),
        ("The archive needs at least 3 guards.", "The archive needs no fewer than three guards."),
        ("The pump runs for at most 20 minutes.", "The pump runs for no more than 20 minutes."),
        ("Parcels above 30 kg are refused.", "Parcels larger than 30 kg are refused."),
        ("A sack of lime weighs 25 kg.", "A sack of lime is 25,000 g."),
        ("The mill leases the yard to the potter.", "The potter rents the yard from the mill."),
        ("The till exports its totals to the ledger.", "The ledger receives its totals from the till."),
        ("Claims for the barge are checked before payment.", "Claims for the barge are checked by the clerk before payment."),
        ("The pond is only a buffer, losing it must do no harm.", "The pond is just a buffer and losing it has to do no harm."),
        ("Wax is melted at 70 degrees.", "Wax gets melted at 70 °C."),
        ("Guests sign the book when they arrive.", "On arrival guests sign the book."),
        ("Leave the notes of the translator.", "Don't remove the notes of the translator."),
    ],
)
def test_the_same_in_a_usual_other_wording_is_merged_by_rule(a, b):
    assert verdict(a, b) in MERGED


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Call the vet when a lamb won't drink, whatever the hour.", "Phone the vet at any hour if a lamb refuses its milk."),
        ("Don't let the oil fall below 40 degrees before bottling.", "Bottling starts while the oil has at least 40 degrees."),
        ("Staff hate being asked about shifts they have agreed on.", "Don't bother staff with shifts, they don't like it."),
        ("Flyers are white only, since the copy shop wants a fee for colours.", "White is the one colour of our flyers."),
        ("We lost most of the morning, and agreed that crates get a label.", "Crates get a label, so it was agreed."),
        ("For a changed recipe I want the cost before and after.", "Show what a recipe costs prior to an edit and after it."),
        ("Tools in the shed: saws, rakes, forks.", "The shed holds forks, saws and rakes as tools."),
        ("Put the drums on the right.", "The drums belong on the right-hand side, the left has no view."),
        ("The bar shuts with the last guest, then the lamp goes on.", "After the last guest the bar shuts, without music."),
    ],
)
def test_wordings_of_one_claim_are_kept_apart_by_no_guard(a, b):
    assert guards(a, b) == ()


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Visitors may take pictures of the altar.", "Visitors may not take pictures."),
        ("A warden may open the vault after the tour.", "After the tour the vault is not to be opened by a warden."),
        ("Keep at least 4 spares.", "Never hold more than 4 spares."),
        ("The indexer obeys sitemaps but ignores feeds.", "Our indexer reads feeds; it skips sitemaps."),
        ("There is a shed, so don't build another.", "Build a new shed, the old one must not be mended."),
        ("Sort the cards by name, dates are of no use.", "The clerk wants the cards by date, not by name."),
        ("A crate without a label is not acceptable.", "Crates need no label."),
        ("The chest is locked except for the clerk.", "The chest is locked for the clerk only."),
        ("When we store a place, the town comes first and the street second.", "Places have the street before the town."),
        ("Some trainees attend the drill.", "Trainees attend the drill every week."),
        ("The choir sings with the organ.", "The choir sings without the organ."),
        ("Letters go to the mayor's deputy.", "Letters go to the mayor."),
        ("The council wants to close the pool.", "The council closes the pool."),
        ("The gate was changed to steel.", "The gate is made of wood."),
    ],
)
def test_what_may_mean_another_claim_is_still_kept_apart(a, b):
    assert guards(a, b) != ()


def test_an_order_for_one_place_is_no_richer_order():
    assert verdict("Water the roses.", "Water the roses in the yard.") not in MERGED
    assert verdict("Rose shears are in stock.", "Rose shears are in stock in the red shed.") in MERGED


PLAIN = ("Hand the keys back at the desk once you leave.", "On departure keys are returned to reception.")


@pytest.mark.parametrize(
    ("a", "b", "same", "conflict", "similarity", "merged"),
    [
        (*PLAIN, 0.75, 0.15, 0.7, True),
        (*PLAIN, 0.62, 0.15, 0.7, False),
        (*PLAIN, 0.68, 0.29, 0.7, False),
        (*PLAIN, 0.75, 0.15, 0.5, False),
        ("No new doors.", "Never paint doors.", 0.8, 0.1, 0.6, False),
        ("Shut the roof of the hall at night.", "Leave the hall roof open at night.", 0.8, 0.1, 0.8, False),
    ],
)
def test_a_score_is_taken_at_its_word_where_nothing_hints_at_a_difference(a, b, same, conflict, similarity, merged):
    assert (verdict(a, b, scored=score(same, conflict), similarity=similarity) in MERGED) is merged


@pytest.mark.parametrize(("same", "conflict", "merged"), [(0.8, 0.1, True), (0.65, 0.1, False), (0.75, 0.22, False)])
def test_a_denial_of_something_else_asks_for_a_surer_score(same, conflict, merged):
    a, b = "Don't let the oil fall below 40 degrees before bottling.", "Bottling starts while the oil has at least 40 degrees."
    assert verdict(a, b) not in MERGED
    assert (verdict(a, b, scored=score(same, conflict)) in MERGED) is merged


LONG = (
    "After last year's flood the council agreed that every cellar in the lane gets a pump and that the pumps are tested.",
    "Cellars in the lane get a pump each, and pumps are tested, says the council.",
)


def test_a_fair_score_joins_long_wordings_that_hint_at_no_conflict():
    assert verdict(*LONG, scored=score(0.62, 0.3)) in MERGED
    assert verdict(*LONG, scored=score(0.57, 0.42)) not in MERGED
    assert verdict("Cellars get a pump.", "A pump for each basement.", scored=score(0.62, 0.3)) not in MERGED


def test_no_fair_score_joins_long_wordings_of_which_each_says_more():
    each = PairScore(same=0.1, a_richer=0.3, b_richer=0.3, a_newer=0, b_newer=0, clash=0.2, related=0.1, unrelated=0)
    assert verdict(*LONG, scored=each) not in MERGED


def test_equal_amounts_written_otherwise_make_a_fair_score_enough():
    a, b = "With the engine on a buoy reports three times a minute.", "While running, the float sends a sign every 20 seconds."
    assert verdict(a, b, scored=score(0.55, 0.3)) in MERGED
    assert verdict(a, b.replace("20", "25"), scored=score(0.55, 0.3)) not in MERGED


@pytest.mark.parametrize(
    ("polite", "plain"),
    [
        ("Would you mind not folding my maps? Thank you!", "Do not fold the maps."),
        ("If it isn't too much trouble, I'd be glad if the maps were numbered.", "The maps are numbered."),
        ("TODO >>> oil the hinges *and* the lock", "Oil the hinges and the lock."),
        ("No guest may bring more than two dogs.", "A guest may bring at most two dogs."),
        ("The bus is free of charge.", "The bus is free."),
    ],
)
def test_manners_and_turns_of_phrase_are_no_difference(polite, plain):
    assert guards(polite, plain) == ()


def test_the_farther_the_vectors_the_surer_a_score_must_be():
    told = "Suggest, never decide, when it is about titles of plays.", "Titles of plays are for others to choose: just propose."
    assert verdict(*told, scored=score(0.75, 0.1), similarity=0.72) in MERGED
    assert verdict(*told, scored=score(0.75, 0.1), similarity=0.65) not in MERGED
    assert verdict(*told, scored=score(0.81, 0.1), similarity=0.65) in MERGED
    assert verdict(*told, scored=score(0.77, 0.1), similarity=0.5) not in MERGED
    assert verdict(*told, scored=score(0.79, 0.1), similarity=0.5) in MERGED
    assert verdict(*told, scored=score(0.8, 0.19), similarity=0.5) not in MERGED


@pytest.mark.parametrize(("conflict", "merged"), [(0.1, True), (0.24, False)])
def test_of_nearly_equal_words_the_rest_is_what_may_differ(conflict, merged):
    a = "Barges that carry more than 2 t of grain to the mill are delayed at the lock, and the miller gets a note."
    b = "Barges that carry more than 2 t of grain to the mill are kept at the lock, and a note goes to the miller."
    assert (verdict(a, b, scored=score(0.75, conflict), similarity=0.95) in MERGED) is merged


def test_a_bound_that_stands_in_both_explains_no_denial():
    a, b = "Jobs are delayed until the night.", "Jobs are not delayed until the night."
    assert guards(a, b) != ()
    assert guards("Nothing is shipped until it is signed.", "It is shipped only after it is signed.") == ()
