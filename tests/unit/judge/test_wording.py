"""Which wording a merge keeps, and what the ending of a statement would lose."""

from __future__ import annotations

import pytest

from dreamd.judge.wording import leaves_more, merged_wording


@pytest.mark.parametrize(("old", "new", "lost"), [
    ("Bed 9 of the nursery grows thyme and is watered every 4 days.",
     "Bed 9 of the nursery is watered every 6 days from now on, no longer every 4.", "grow"),
    ("The ledger listens on port 7100 and its logs go to /var/log/ledger.", "The ledger now listens on port 7200.", "log"),
])
def test_an_ending_that_would_lose_a_claim_is_named(old: str, new: str, lost: str) -> None:
    assert lost in leaves_more(old, new)


@pytest.mark.parametrize(("old", "new"), [
    ("The mill is built with Bazel.", "We replaced Bazel by Pants; the mill does not build with Bazel any more."),
    ("The harbour crew meets on Mondays.", "The harbour crew now meets on Thursdays instead of Mondays."),
    ("The ledger listens on port 7100.", "The ledger listens on port 7200."),
    ("Fair day is 2026-11-12.", "The fair is postponed from 2026-11-12 to 2027-02-04."),
    ("The essay is due on 1 March.", "Deadline for the essay is 15 April now."),
    ("Rollout day is Wednesday.", "We roll out on Mondays now."),
    ("Our tracker is Jira.", "We switched to Linear."),
    ("Greta does the flyers.", "Anton does the flyers now."),
    ("Greta is in charge of the flyers.", "Anton took over the flyers."),
])
def test_a_plain_replacement_loses_nothing(old: str, new: str) -> None:
    assert leaves_more(old, new) == ""


@pytest.mark.parametrize(
    ("poorer", "richer"),
    [
        ("Exports run at 05:10.", "Exports run at 05:10 on host otter-w2."),
        ("Rotate the keys.", "Rotate the keys with `keyctl rotate`."),
        ("The lift is closed.", "The lift is closed until 3 June."),
        ("The tank is cleaned.", "The tank is cleaned by Nora because the tester found lime."),
    ],
)
def test_the_kept_wording_is_the_one_that_says_everything(poorer, richer):
    assert merged_wording(poorer, richer) == richer
    assert merged_wording(richer, poorer) == richer


def test_a_mask_is_not_lost_in_a_merge():
    assert (
        merged_wording("The printer needs its password.", "The printer needs its password [masked: password].")
        == "The printer needs its password [masked: password]."
    )


def test_two_details_on_two_sides_stay_apart():
    assert merged_wording("Exports run on otter-w2.", "Exports run at 05:10.") is None
