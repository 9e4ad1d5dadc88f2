"""What is used no longer ends what says that it is used, and a clock that stood ahead makes nothing said the last word."""

from __future__ import annotations

import pytest

from dreamd.core.values import Status
from dreamd.store import checks
from household import House, Said

BERTHS = Said("The boat house has 12 berths.", conversation="c0")


def told(house: House) -> dict[str, str]:
    return {m.text: m.status.value for m in house.memories() if "berths" not in m.text}


@pytest.mark.parametrize(("used", "ended"), [
    ("We use Redux for state management.", "We no longer use Redux."),
    ("The builds run on Jenkins.", "We stopped using Jenkins."),
    ("Use Yarn for all packages.", "We don't use Yarn anymore."), ("Sessions are stored in MongoDB.", "We dropped MongoDB."),
    ("The frontend uses Redux.", "Redux is not used here any more."), ("Always indent with tabs.", "No longer use tabs."),
    ("Wir benutzen Redux.", "Wir benutzen Redux nicht mehr."),
    ("Requests go through the old gateway.", "The old gateway has been retired."),
])
def test_a_thing_that_is_used_no_longer_ends_what_says_that_it_is_used(house: House, used: str, ended: str) -> None:
    house.say("2026-03-01T09:00:00Z", Said(used, conversation="c1"), BERTHS)
    house.dream("2026-03-01T20:00:00Z")
    house.say("2026-03-05T09:00:00Z", Said(ended, conversation="c2"))
    house.dream("2026-03-05T20:00:00Z")
    assert told(house) == {used: "superseded", ended: "live"}


@pytest.mark.parametrize(("used", "ended"), [
    ("We use Postgres for billing.", "We no longer use Postgres for sessions."),
    ("The Redux migration is led by Mara.", "We no longer use Redux."),
    ("We use Java 17.", "We no longer use Java 8."),
    ("The nightly builds run on Jenkins and the invoices go to Petra.", "We no longer use Jenkins."),
])
def test_what_says_something_else_as_well_stays(house: House, used: str, ended: str) -> None:
    house.say("2026-03-01T09:00:00Z", Said(used, conversation="c1"), BERTHS)
    house.dream("2026-03-01T20:00:00Z")
    house.say("2026-03-05T09:00:00Z", Said(ended, conversation="c2"))
    house.dream("2026-03-05T20:00:00Z")
    assert told(house)[used] == "live"


@pytest.mark.parametrize("dreamt_ahead", [True, False])
def test_a_note_of_a_clock_that_stood_a_year_ahead_gives_way_to_a_later_word(house: House, dreamt_ahead: bool) -> None:
    house.say("2026-03-01T09:00:00Z", BERTHS)
    house.dream("2026-03-01T20:00:00Z")
    house.say("2027-03-02T09:00:00Z", Said("The billing API listens on port 8080.", conversation="c1"))
    if dreamt_ahead:
        house.dream("2027-03-02T20:00:00Z")
    house.say("2026-03-05T09:00:00Z", Said("The billing API listens on port 9090.", conversation="c2"))
    house.dream("2026-03-05T20:00:00Z")
    assert house.memory("9090").status is Status.LIVE
    assert house.memory("8080").status is Status.SUPERSEDED
    with house.kit("2026-03-05T21:00:00Z") as kit:
        assert checks.journal_chained(kit.store) == []
