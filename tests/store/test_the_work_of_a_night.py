"""The work of a night is counted, not timed: steps of SQLite, files opened and written, pairs judged."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from dreamd.core import fsio
from dreamd.core.clock import local_date, parse_instant
from dreamd.core.values import Fate, Judgement, Relation
from dreamd.dream.cycle import run_cycle
from dreamd.kit import Kit
from dreamd.models.rare_words import MOST_PARTNERS
from dreamd.recall import still_found
from dreamd.store import checks, derived, journal, memories, observations
from household import FIRST_DAY, FIRST_NIGHT, House

LAST_NIGHT = "2026-02-10T20:00:00Z"
FEW, MANY = 12, 96
JUDGE = "rules-1"
NEIGHBOURS = 2
STEPS_A_MEMORY = 200
"""Steps of SQLite that one more memory may add to a night: its words, its vector, its line of the index and its file are
looked over, each once. A table that is read as a whole beside them, or read for each of some rows, goes beyond it."""


@contextmanager
def _steps(kit: Kit) -> Iterator[list[int]]:
    """Count the steps of SQLite's own machine: the same for the same rows, on every machine and at any load."""
    counted = [0]

    def step() -> int:
        counted[0] += 1
        return 0

    kit.store.connection.set_progress_handler(step, 1)
    try:
        yield counted
    finally:
        kit.store.connection.set_progress_handler(None, 1)


def _filled(root: Path, times: int) -> House:
    """A store with a history: many words that have their fate, many runs, and many verdicts, that no night needs."""
    house = House(root)
    house.say(FIRST_DAY, *(f"The depot in row {n} is painted in shade {n + 400}." for n in range(10 * times)))
    house.say("2026-02-10T09:00:00Z", "This one still waits.")
    verdict = Judgement(Relation.UNRELATED, 0.6, ("apart",))
    with house.kit(FIRST_NIGHT) as kit, kit.store.writing() as tx:
        for observation in observations.load_pending(kit.store)[:10 * times]:
            observations.write_fate(tx, observation, Fate.DISCARDED, reason="told", memory="", run=1)
        for _ in range(3 * times):
            at = kit.clock.now()
            run = journal.begin_run(tx, kind=journal.DREAM, now=at, started_at=at, version="")
            journal.end_run(tx, replace(run, outcome="changed"), ended_at=at)
        derived.write_judged(tx, {(f"{n:06x}@", f"{n + 1:06x}@"): verdict for n in range(20 * times)}, judge=JUDGE)
    return house


LOOKS: dict[str, Callable[[Kit], object]] = {
    "words that wait": lambda kit: len(observations.load_pending(kit.store)),
    "how many wait": lambda kit: observations.count_pending(kit.store)[0],
    "runs that never ended": lambda kit: journal.count_interrupted(kit.store),
    "memories that are due": lambda kit: len(memories.load_due(
        kit.store, today=local_date(kit.clock.now(), kit.zone), heard_before=parse_instant(FIRST_DAY), faded_before={})),
    "verdicts on some pairs": lambda kit: len(derived.load_judged(
        kit.store, [(f"{n:06x}@", f"{n + 1:06x}@") for n in range(5)], judge=JUDGE)),
}


@pytest.mark.parametrize("look", LOOKS)
def test_a_look_costs_as_many_steps_whatever_was_stored_before(tmp_path: Path, look: str) -> None:
    found = []
    for times in (1, 30):
        with _filled(tmp_path / str(times), times).kit(LAST_NIGHT) as kit, _steps(kit) as counted:
            found.append((LOOKS[look](kit), counted[0]))
    (few_found, few), (many_found, many) = found
    assert few_found == many_found
    assert few > 0
    assert many <= few + 20, f"{few} steps grew to {many}"


def test_old_runs_are_looked_for_in_one_stretch_a_night_and_all_of_them_in_time(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal, "STRETCH_RUNS", 4)
    house = House(tmp_path)
    seen = []
    with house.kit(LAST_NIGHT) as kit:
        for day in range(1, 25):
            at = parse_instant("2020-01-01T00:00:00Z" if day == 1 else FIRST_DAY)
            with kit.store.writing() as tx:
                run = journal.begin_run(tx, kind="pin", now=at, started_at=at, version="")
                journal.end_run(tx, run, ended_at=at)
            if day > 16:
                with _steps(kit) as counted:
                    seen.append((journal.is_older(kit.store, before=parse_instant("2021-01-01T00:00:00Z")), counted[0]))
    assert any(old for old, _ in seen), "every stretch has its turn"
    assert not all(old for old, _ in seen), "and only one of them a night"


def _depot(n: int) -> str:
    return f"Depot {chr(65 + n % 26)}{n} keeps crate {n * 7 + 1000} behind gate {n * 3 + 100}."


def _night(root: Path, count: int, monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """The work of one night that hears one statement, over some memories."""
    house = House(root)
    house.furnish(consolidate={"neighbours": NEIGHBOURS})
    house.say(FIRST_DAY, *(_depot(n) for n in range(count)))
    house.dream(FIRST_NIGHT)
    house.say("2026-01-06T09:00:00Z", "The porter of the mill is called Ines.")
    house.dream("2026-01-06T20:00:00Z")
    work = {"opened": 0, "loaded": 0}

    def counting(name: str, true: Callable[..., object]) -> Callable[..., object]:
        def counted(*args: object, **kwargs: object) -> object:
            work[name] += 1
            return true(*args, **kwargs)
        return counted

    house.say("2026-02-10T09:00:00Z", "The lamp over the quay is green.")
    with monkeypatch.context() as patched:
        # That a store is sound is asked of every row once, before it is written on: apart from what the night itself costs.
        patched.setattr(checks, "refuse_if_unsound", lambda _store: None)
        # So is that search finds what it found, of a few memories at most, however many there are.
        patched.setattr(still_found, "ASKED", 0)
        patched.setattr(fsio, "read_bytes", counting("opened", fsio.read_bytes))
        patched.setattr(memories, "_memory", counting("loaded", memories._memory))
        with house.kit(LAST_NIGHT) as kit, _steps(kit) as counted:
            report = run_cycle(kit)
    assert report.fates == {"new": 1}
    assert len(house.memories()) == count + 2
    judged, files = report.phases["consolidate"].get("judged", 0), report.phases["prune"]["files"]
    return {**work, "judged": int(judged), "files": int(files), "steps": counted[0]}


def test_a_night_over_eight_times_as_many_memories_opens_and_writes_no_more_and_steps_over_each_of_them_once(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    few = _night(tmp_path / "few", FEW, monkeypatch)
    many = _night(tmp_path / "many", MANY, monkeypatch)
    assert (many["opened"], many["files"]) == (few["opened"], few["files"])
    assert few["judged"] <= NEIGHBOURS + MOST_PARTNERS
    assert many["judged"] <= NEIGHBOURS + MOST_PARTNERS
    assert many["loaded"] <= few["loaded"] + 4 * (NEIGHBOURS + MOST_PARTNERS)
    assert many["steps"] - few["steps"] <= STEPS_A_MEMORY * (MANY - FEW), (few, many)
