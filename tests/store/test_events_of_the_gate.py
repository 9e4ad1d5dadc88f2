"""The events of the gate beside the journal: as many as there are fates, whoever is killed, and none of what is forgotten."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from dreamd.core.locks import WriteBusy
from dreamd.core.values import Origin
from dreamd.library import gate_events
from dreamd.library.gate_events import Wanted, count_fates, find_events
from dreamd.library.line_log import LineLog
from dreamd.store import journal
from household import House, Said

MONDAY, TUESDAY = "2026-05-04T20:00:00Z", "2026-05-05T20:00:00Z"
SAID = ("The billing API listens on port 8080.", "Always run the linter before pushing to the shared branch.",
        Said("The nightly import is owned by the data platform team.", origin=Origin.WEB), "thanks")


def events(house: House, run: str = "") -> list[dict[str, object]]:
    return list(find_events(house.world(MONDAY), Wanted(run=run)))


def test_events_count_what_the_history_of_each_run_counts(house: House) -> None:
    house.say(MONDAY, *SAID)
    house.dream(MONDAY)
    house.say(TUESDAY, "The billing API listens on port 9090 now.")
    house.dream(TUESDAY)
    with house.kit(TUESDAY) as kit:
        runs = journal.load_runs(kit.store, limit=10)
    assert len(runs) == 2
    for run in runs:
        counted = {fate: n for fate, n in count_fates(events(house, run.id)).items() if n}
        assert counted == {fate: n for fate, n in run.fates.items() if n}


def test_what_a_killed_dream_had_decided_is_told_by_the_next_one_once(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    house.say(MONDAY, *SAID)
    with monkeypatch.context() as patched:
        patched.setattr(gate_events, "tell", lambda *_: None)  # killed between the commit and the log
        house.dream(MONDAY)
    assert events(house) == []
    house.dream(TUESDAY)
    assert len(events(house)) == len(SAID)
    assert not list(house.paths.logs.glob("gate.ahead"))
    house.dream(TUESDAY)
    assert len(events(house)) == len(SAID)


def test_what_finds_no_place_in_the_log_is_told_by_the_next_dream_however_much_came_after_it(
        house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    def busy(*_: object) -> None:
        raise WriteBusy("the store is busy with another write")

    house.say(MONDAY, *SAID, Said("Parcels are sorted at the western depot.", scope="project:parcels"))
    with monkeypatch.context() as patched:  # another one packs the log away all night
        patched.setattr(LineLog, "append", busy)
        house.dream(MONDAY)
        house.say(TUESDAY, "The billing API listens on port 9090 now.")
        house.dream(TUESDAY)
    assert events(house) == []
    house.dream(TUESDAY)
    assert len(events(house)) == len(SAID) + 2
    assert not list(house.paths.logs.glob("gate.ahead"))


def test_a_plan_that_was_only_announced_is_no_event(house: House) -> None:
    house.say(MONDAY, *SAID)
    house.dream(MONDAY)
    ahead = house.paths.logs / "gate.ahead"
    told = events(house)[0]
    ahead.write_text(json.dumps({**told, "id": "0123456789ab"}) + "\n" + json.dumps(told) + "\n")
    house.dream(TUESDAY)
    assert Counter(str(event["id"]) for event in events(house)).most_common(1)[0][1] == 1
    assert "0123456789ab" not in {event["id"] for event in events(house)}


def test_what_is_forgotten_has_no_event_and_no_words_in_one(house: House) -> None:
    house.furnish(log={"gate_text": True, "rotate_days": 1})
    house.say(MONDAY, *SAID)
    house.dream(MONDAY)
    house.say("2026-05-20T20:00:00Z", "Parcels are sorted at the western depot.")
    house.dream("2026-05-20T21:00:00Z")
    assert len(gate_events.log_of(house.world(MONDAY)).packed()) == 1
    gone = house.forget("2026-05-20T22:00:00Z", "billing")
    assert gone.lines == 1
    assert gone.left == ()
    assert len(events(house)) == len(SAID)
    assert not any("billing" in str(event.get("text", "")) for event in events(house))
