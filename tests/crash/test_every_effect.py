"""A fault at every effect of a dream: killed, out of space, out of order, out of power. Then it runs again, and all is well."""

from __future__ import annotations

import random
import shutil
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import scenario
from faults import FULL_LASTING, IO_ONCE, KILL, KINDS, LOSE_BODIES, LOSE_ENTRIES, Fault, short_writes
from torment import Ordeal, sampled

from dreamd.core import fsio
from dreamd.core.locks import Background
from dreamd.core.paths import Paths
from dreamd.dream import projection
from dreamd.store import work
from dreamd.store.connection import Store
from dreamd.store.work import Intent
from household import House, differences, snapshot

Tell = Callable[[str], None]
SAMPLE, HANDFUL, CONTROL = 10, 4, 12
MOST = pytest.mark.parametrize("most", [HANDFUL, pytest.param(40, marks=pytest.mark.slow)])


def test_the_scenario_has_every_kind_of_change_in_it(before: House) -> None:
    report = scenario.dream(before)
    assert {c.op for c in report.changes} == {"add", "hold", "link", "merge", "refine", "supersede", "edit", "archive", "stale"}
    assert {c.reason for c in report.changes if c.op == "archive"} == {"deleted-by-person", "expired", "stale-for-too-long"}
    assert set(report.fates) == {"new", "duplicate", "refines", "updates", "contradicts", "held", "discarded"}


def test_no_single_fault_loses_or_changes_anything(ordeal: Ordeal, tell: Tell) -> None:
    outcome = ordeal.try_all(sampled(ordeal.cases(KINDS), SAMPLE))
    tell(f"{outcome.cases} of {len(list(ordeal.cases(KINDS)))} faults over {len(ordeal.effects)} effects, "
         f"{len(outcome.anomalies)} anomalies")
    assert outcome.anomalies == []


@pytest.mark.slow
def test_no_fault_at_any_effect_loses_or_changes_anything(ordeal: Ordeal, tell: Tell) -> None:
    outcome = ordeal.try_all(ordeal.cases(KINDS))
    tell(f"{outcome.cases} faults over {len(ordeal.effects)} effects, {len(outcome.anomalies)} anomalies")
    assert outcome.anomalies == []


@pytest.mark.parametrize("times", [2, pytest.param(40, marks=pytest.mark.slow)])
def test_recovery_may_be_killed_and_that_recovery_too(ordeal: Ordeal, tell: Tell, times: int) -> None:
    chance = random.Random(3)
    series = [[replace(KILL, at=chance.randint(1, last)) for last in (len(ordeal.effects), 60, 40)] for _ in range(times)]
    outcome = ordeal.try_series(series)
    tell(f"{outcome.cases} times killed three times over, {len(outcome.anomalies)} anomalies")
    assert outcome.anomalies == []


def test_writes_that_take_a_few_bytes_at_a_time_change_nothing(ordeal: Ordeal, room: Path) -> None:
    (room / "short").mkdir()
    house = ordeal.prepared.copy_to(room / "short")
    with short_writes():
        scenario.dream(house)
    assert differences(snapshot(house.home), ordeal.accepted[-1]) == []


def test_a_dream_over_a_recovered_home_changes_no_byte(ordeal: Ordeal, room: Path) -> None:
    (room / "twice").mkdir()
    house = ordeal.prepared.copy_to(room / "twice")
    scenario.dream(house)
    before = {p: p.read_bytes() for p in sorted(house.home.rglob("*")) if p.is_file()}
    assert scenario.dream(house).outcome == "nothing-to-do"
    assert {p: p.read_bytes() for p in sorted(house.home.rglob("*")) if p.is_file()} == before


@MOST
def test_the_very_first_dream_survives_every_fault_as_well(room: Path, tell: Tell, most: int) -> None:
    def first(house: House) -> None:
        house.say(scenario.DAY, *[replace(s, key=f"first-{n}") for n, s in enumerate(scenario.BEFORE)])
        house.dream(scenario.EVENING)

    ordeal = Ordeal(House(room / "nothing"), first, scenario.EVENING, room)
    ordeal.rehearse()
    # The tombstone key is made by chance, so two homes differ in tombstones; there are none here.
    outcome = ordeal.try_all(sampled(ordeal.cases(KINDS), most))
    tell(f"{outcome.cases} faults over {len(ordeal.effects)} effects of a first dream, {len(outcome.anomalies)} anomalies")
    assert outcome.anomalies == []


@MOST
def test_undo_happens_as_a_whole_or_not_at_all(before: House, room: Path, tell: Tell, most: int) -> None:
    scenario.dream(before)
    ordeal = Ordeal(before, lambda h: h.undo(scenario.NIGHT), scenario.NIGHT, room, recover=scenario.dream)
    ordeal.rehearse()
    outcome = ordeal.try_all(sampled(ordeal.cases(KINDS), most))
    tell(f"{outcome.cases} faults over {len(ordeal.effects)} effects of an undo, {len(outcome.anomalies)} anomalies")
    assert outcome.anomalies == []


@MOST
def test_what_was_to_be_forgotten_is_gone_whole_or_still_there_whole(before: House, room: Path, tell: Tell, most: int) -> None:
    scenario.dream(before)
    ordeal = Ordeal(before, lambda h: h.forget(scenario.NIGHT, "ledger cuts"), scenario.NIGHT, room, recover=scenario.dream)
    ordeal.rehearse()
    anomalies, cases = [], sampled(ordeal.cases([KILL, FULL_LASTING, IO_ONCE]), most)
    for fault in cases:
        anomalies += _halfway_forgotten(ordeal, fault)
    tell(f"{len(cases)} faults over {len(ordeal.effects)} effects of a forget, {len(anomalies)} anomalies")
    assert anomalies == []


def _halfway_forgotten(ordeal: Ordeal, fault: Fault) -> list[str]:
    """After the fault and one dream the words are in every place they were in, or in none."""
    house = ordeal.fresh()
    wrong = ordeal.strike(house, fault)
    scenario.dream(house)
    wrong += house.faults(scenario.NIGHT)
    known = any("ledger cuts" in m.text for m in house.memories())
    on_disk = [p.name for p in house.home.rglob("*") if p.is_file() and b"ledger cuts" in p.read_bytes()]
    if known != bool(on_disk):
        wrong.append(f"{fault.name} at effect {fault.at}: the words are left in {on_disk}")
    shutil.rmtree(house.root)
    return wrong


def test_files_written_before_the_commit_would_be_caught(ordeal: Ordeal, monkeypatch: pytest.MonkeyPatch) -> None:
    """The control: in the wrong order the same harness must find anomalies, or it finds nothing at all."""

    def at_once(tx: sqlite3.Connection, intents: Sequence[Intent], _real: Callable[..., None] = work.intend) -> None:
        home = Path(tx.execute("PRAGMA database_list").fetchone()[2]).parent
        for intent in intents:
            if intent.body is None:
                fsio.remove(home / intent.path)
            else:
                fsio.write_atomic(home / intent.path, intent.body)
        _real(tx, intents)

    monkeypatch.setattr(work, "intend", at_once)
    assert ordeal.catches(sampled(ordeal.cases([KILL]), CONTROL))


def test_files_that_are_not_flushed_would_be_caught(ordeal: Ordeal) -> None:
    """The other control: where every fsync is a lie, a power loss must be seen to take files."""
    ordeal.flushes = False
    assert ordeal.catches(reversed(sampled(ordeal.cases([LOSE_BODIES, LOSE_ENTRIES]), CONTROL)))


def test_intents_forgotten_before_their_files_would_be_caught(ordeal: Ordeal, monkeypatch: pytest.MonkeyPatch) -> None:
    """And the third: an intent dropped before its file is written leaves a file behind for ever."""

    def hasty(store: Store, _background: Background, *, paths: Paths) -> list[str]:
        intents = work.load_intents(store)
        with store.writing() as tx:
            for intent in intents:
                work.settle(tx, intent, work.KnownFile(intent.path, intent.new_sha or "", intent.body or b"", intent.memory,
                                                       intent.scope))
        for intent in intents:
            if intent.body is None:
                fsio.remove(paths.home / intent.path)
            else:
                fsio.write_atomic(paths.home / intent.path, intent.body)
        return []

    monkeypatch.setattr(projection, "settle", hasty)
    assert ordeal.catches(sampled(ordeal.cases([KILL]), CONTROL))

