"""What forbids a merge whatever else is known, and what must not."""

from __future__ import annotations

import pytest

from dreamd.judge.alignment import Alignment
from dreamd.judge.guards import guards, vetoes
from dreamd.judge.statement import read

APART = {
    "number": ("The service listens on port 8080.", "The service listens on port 8081."),
    "small number": ("The spare came, chamber 2 has a switch again.", "The spare came, chamber 5 has a switch again."),
    "share": ("The move is at 3 of 7 pools.", "The move is at 6 of 7 pools."),
    "number said twice": ("Port 6 of switch 6 is red.", "Port 1 of switch 6 is red."),
    "unit": ("Uploads time out after 30 seconds.", "Uploads time out after 30 minutes."),
    "rate": ("The punt is let for 30 EUR a day.", "The punt is let for 30 EUR a week."),
    "version": ("The client needs schema 2.6.0.", "The client needs schema 2.6.1."),
    "date": ("The permit ends on 2026-04-17.", "The permit ends on 2026-04-27."),
    "identifier": ("Ticket PAY-311 is about rounding.", "Ticket PAY-131 is about rounding."),
    "path": ("Settings are in conf/web.toml.", "Settings are in conf/worker.toml."),
    "address": ("Subnet 10.64.12.0/24 is for workers.", "Subnet 10.64.21.0/24 is for workers."),
    "name": ("Payments go through Stripe.", "Payments go through Adyen."),
    "name at the head": ("Nina runs the marathon.", "Omar runs the marathon."),
    "quoted name": ('The icon for "barrel" is teal.', 'The icon for "basket" is teal.'),
    "polarity": ("Log request bodies.", "Do not log request bodies."),
    "always and never": ("Always squash feature branches.", "Never squash feature branches."),
    "quantifier": ("All samples are frozen.", "Some samples are frozen."),
    "condition": ("Deploy on Tuesday.", "Deploy on Tuesday if the tests pass."),
    "environment": ("On staging mails go to a catch-all box.", "In production mails go to a catch-all box."),
    "platform": ("On Windows the cache is in the profile.", "On Linux the cache is in the profile."),
    "values exchanged": ("Primer gets 6 hours, topcoat 16.", "The topcoat gets 6 hours and the primer 16."),
    "owners exchanged and reworded": ("**Owner**: Sunniva (search), Bo (ingest).", "Bo owns search, Sunniva owns ingest."),
    "denial exchanged": ("The ferry to Brand takes bikes, the one to Lyse doesn't.",
                         "Bikes aren't taken to Brand, only on the ferry to Lyse."),
    "left and right": ("Linkes Ventil: Warmwasser. Rechtes Ventil: Heizkreis.",
                       "Das linke Ventil ist für den Heizkreis, das rechte fürs Warmwasser."),
    "roles": ("The scheduler wakes the worker.", "The worker wakes the scheduler."),
    "weekday": ("The newsletter goes out on Monday.", "The newsletter goes out on Thursday."),
    "amount across languages": ("备份保留三十天。", "Backups are kept for 60 days."),
}
TOGETHER = [
    ("Primer gets 6 hours, topcoat 16.", "The topcoat gets 16 hours and the primer 6."),
    ("After the merge, run the tests and deploy on Monday.", "Run the tests after the merge, deploy on Monday."),
    ("The build server has 16 cores.", "The build machine comes with sixteen cores."),
    ("Session timeout: 1.5 h.", "A session ends after 90 minutes."),
    ("The planner is fed by the parser.", "The parser feeds the planner."),
    ("Do not edit api/gen.", "Never edit api/gen."),
    ("Cards are accepted from 10 euros.", "The shop takes cards from 10 EUR."),
    ("Please keep the diff small.", "Keep the diff small."),
    ("Backups are kept for 35 days.", "Sicherungen werden 35 Tage aufbewahrt."),
    ("Use `uv` for installs.", "Use uv for installs."),
    ("The lift is closed.", "The lift is closed because a rope broke."),
    ("No patch lands without a test.", "A patch lands together with a test."),
]


def forbidden(a: str, b: str) -> bool:
    """Whether a veto stands against making two texts one."""
    pair = Alignment(read(a), read(b))
    return bool(vetoes(pair, guards(pair)))


@pytest.mark.parametrize("kind", APART)
def test_a_certain_difference_forbids_a_merge_from_both_sides(kind: str) -> None:
    a, b = APART[kind]
    assert forbidden(a, b)
    assert forbidden(b, a)


@pytest.mark.parametrize(("a", "b"), TOGETHER)
def test_another_wording_of_one_claim_is_forbidden_by_nothing(a: str, b: str) -> None:
    assert not forbidden(a, b)
    assert not forbidden(b, a)


@pytest.mark.parametrize(("one", "other", "same"), [
    ("Before each commit, run the tide tests.", "Run the tide tests before each commit.", True),
    ("On Mondays the crew meets in the boat house.", "The crew meets in the boat house on Mondays.", True),
    ("Only keepers may restart the lamp.", "Keepers may only restart the lamp.", False),
    ("Copy the charts from the harbour to the tower.", "Copy the charts from the tower to the harbour.", False),
    ("The north crew trains on Monday, the south one rests.", "The south crew trains on Monday, the north one rests.", False),
    ("Keepers pay in coins and guests by card.", "Keepers pay by card and guests in coins.", False),
    ("Run the tide tests before the lamp check.", "Run the lamp check before the tide tests.", False),
])
def test_a_phrase_that_stands_elsewhere_changes_nothing_and_another_order_does(one: str, other: str, same: bool) -> None:
    laid = Alignment(read(one), read(other))
    assert laid.is_moved_only is same
