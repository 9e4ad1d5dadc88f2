"""Facts of life and work that are only mentioned are kept; what is said of the work at hand is let go."""

from __future__ import annotations

import pytest
from mentioned import BESIDE_AN_ORDER, MENTIONED, OF_THE_MOMENT, ORDERS_ALONE
from test_what_is_kept import learned


@pytest.mark.parametrize("said", MENTIONED)
def test_a_fact_mentioned_in_passing_is_kept(said: str) -> None:
    assert 1 <= len(learned(said)) <= 2


@pytest.mark.parametrize("said", OF_THE_MOMENT)
def test_what_is_said_of_the_moment_or_of_the_thing_at_hand_is_let_go(said: str) -> None:
    assert learned(said) == []


@pytest.mark.parametrize(("said", "fact"), BESIDE_AN_ORDER)
def test_a_fact_is_heard_beside_an_order(said: str, fact: str) -> None:
    assert any(fact in kept for kept in learned(said))


@pytest.mark.parametrize("said", ORDERS_ALONE)
def test_an_order_that_describes_the_work_leaves_nothing(said: str) -> None:
    assert learned(said) == []


@pytest.mark.parametrize(
    "said", ["the mail from Ondine says the beans are late", "my coffee is cold", "we ran out of cups yesterday"]
)
def test_a_report_or_a_mood_is_no_fact(said: str) -> None:
    assert learned(said) == []


def test_the_order_before_a_fact_is_no_part_of_it() -> None:
    assert learned("write the invitation, the party is on 14 September in the old mill") == [
        "The party is on 14 September in the old mill."]


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("The Gannet was sold in May, take her off every list", "The Gannet was sold in May."),
        ("Klabauter was sold, take it off every list", "Klabauter was sold."),
        ("my colleague Runa does the bookings, so sign it with her name", "My colleague Runa does the bookings."),
        ("Tern left, Jorid is our new skipper", "Tern left, Jorid is our new skipper."),
        ("that's our naming everywhere, berth_boat_day", "our naming everywhere: berth_boat_day."),
        ("and tell Runa that nobody sails alone in the bay", "Nobody sails alone in the bay."),
        ("if a mast gets longer than 9 metres, tell me", "If a mast gets longer than 9 metres, tell me."),
        ("horses are not treated here, we send them to the yard in Wels, so drop the horse section",
         "Horses are not treated here, we send them to the yard in Wels."),
        ("the practice of Dr. Lind covers for us", "The practice of Dr. Lind covers for us."),
        ("vaccines are kept between 2 and 8 degrees btw, can you put that on top of the list",
         "Vaccines are kept between 2 and 8 degrees."),
        ("vouchers always start with SV-, maybe that helps", "Vouchers always start with SV-."),
    ],
)
def test_what_to_do_now_and_what_leads_up_to_a_fact_are_left_out(said: str, kept: str) -> None:
    assert [text.casefold() for text in learned(said)] == [kept.casefold()]
