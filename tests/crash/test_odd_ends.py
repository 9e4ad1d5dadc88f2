"""Other ways to end than a kill, and other ways for a machine to be slow: afterwards it runs again, and all is well."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from itertools import permutations
from pathlib import Path
from types import FrameType

import pytest
import scenario
from faults import BUSY, Fault, watched
from torment import Ordeal

import dreamd
from dreamd.core import fsio
from dreamd.core.clock import SystemClock
from dreamd.core.errors import DreamError, Outage
from dreamd.core.world import World
from dreamd.dream.cycle import run_cycle
from dreamd.probing import surroundings
from dreamd.store.connection import JOURNAL_LIMIT_BYTES
from dreamd.store.intake.notebook import take_note
from household import House, differences, snapshot
from standing_by import run_script

Tell = Callable[[str], None]
DISTURBED = Path(__file__).with_name("disturbed.py")
SEGFAULT = -signal.SIGSEGV


def disturbed(house: House, how: str, at: int = 0, *, package: Path | None = None) -> tuple[int, str]:
    """A dream in a process of its own with a disturbance at one step: (how it ended, what it said)."""
    env = {"PATH": os.environ["PATH"], "HOME": str(house.root), "OMP_NUM_THREADS": "1"}
    if package:  # only what is loaded from there can vanish there
        env |= {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": os.pathsep.join([str(package), *(p for p in sys.path if p)])}
    told = run_script(DISTURBED, str(house.root), str(house.person), scenario.NIGHT, how, str(at), env=env)
    return told.returncode, told.stdout.strip()


def left_wrong(ordeal: Ordeal, house: House) -> list[str]:
    """What differs from the undisturbed run once the dream has run again."""
    scenario.dream(house)
    return house.faults(scenario.NIGHT) + differences(ordeal.accepted[-1], snapshot(house.home))


def steps_of(ordeal: Ordeal) -> int:
    """How many steps of progress a calm dream shows."""
    code, told = disturbed(ordeal.fresh(), "calm")
    assert (code, told.split()[0]) == (0, "changed")
    return int(told.split()[1])


@pytest.mark.parametrize(("how", "code"), [("stop", 143), ("stop-twice", 143), ("crash", SEGFAULT), ("raise", 1)])
def test_a_dream_that_is_stopped_or_crashes_at_any_step_ends_well_the_next_time(ordeal: Ordeal, tell: Tell, how: str,
                                                                                code: int) -> None:
    steps = steps_of(ordeal)
    chosen = range(1, steps + 1, max(1, steps // 7)) if how == "stop" else {1, steps // 2, steps}
    wrong = []
    for at in chosen:
        house = ordeal.fresh()
        ended, _ = disturbed(house, how, at)
        wrong += [f"step {at} ended with {ended}"] if ended != code else []
        wrong += [f"{how} at step {at}: {fault}" for fault in left_wrong(ordeal, house)]
        shutil.rmtree(house.root)
    tell(f"{how} at {len(list(chosen))} of {steps} steps, {len(wrong)} anomalies")
    assert wrong == []


def test_a_dream_whose_own_files_vanish_under_it_loses_nothing(ordeal: Ordeal, room: Path) -> None:
    wrong = []
    for at in (1, 4):
        package = room / f"site-{at}"
        shutil.copytree(Path(dreamd.__file__).parent, package / "dreamd", ignore=shutil.ignore_patterns("__pycache__"))
        for travels in ("config", "systemd", "launchd"):
            shutil.copytree(Path(dreamd.__file__).parents[2] / travels, room / travels, dirs_exist_ok=True)
        house = ordeal.fresh()
        disturbed(house, "vanish", at, package=package)
        assert not (package / "dreamd").exists()
        wrong += [f"step {at}: {fault}" for fault in left_wrong(ordeal, house)]
        shutil.rmtree(house.root)
    assert wrong == []


@contextmanager
def storm() -> Iterator[list[int]]:
    """A signal every half millisecond, so that every call that waits is interrupted again and again."""
    heard: list[int] = []

    def hear(number: int, _frame: FrameType | None) -> None:
        heard.append(number)

    before = signal.signal(signal.SIGALRM, hear)
    signal.siginterrupt(signal.SIGALRM, True)
    signal.setitimer(signal.ITIMER_REAL, 0.0005, 0.0005)
    try:
        yield heard
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_a_storm_of_interrupted_calls_changes_nothing(ordeal: Ordeal) -> None:
    house = ordeal.fresh()
    with storm() as heard:
        scenario.dream(house)
    assert len(heard) > 20
    assert differences(ordeal.accepted[-1], snapshot(house.home)) == []


def test_a_note_does_not_wait_for_a_dream_on_a_slow_disk(ordeal: Ordeal, tell: Tell) -> None:
    house = ordeal.fresh()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            with watched(house.home):
                quick = fsio._fsync
                fsio._fsync = lambda descriptor: (time.sleep(0.1), quick(descriptor))[1]
                scenario.dream(house)
            code = 0
        finally:
            os._exit(code)
    longest_s, noted = 0.0, 0
    while os.waitpid(child, os.WNOHANG)[0] == 0:
        started = time.monotonic()
        world = World(house.paths, house.settings, SystemClock(), {"HOME": str(house.person)})
        taken = take_note(world, [scenario.Said(f"Shelf {noted} of the slow room holds the ledger of {1900 + noted}.",
                                                conversation="slow").candidate(scenario.NIGHT)])
        assert [a.status for a in taken.answers] == ["stored"]
        longest_s, noted = max(longest_s, time.monotonic() - started), noted + 1
        time.sleep(0.1)
    tell(f"{noted} notes beside a dream whose flushes take 100 ms, longest wait {longest_s:.2f} s")
    assert noted >= 5 and longest_s < 10
    house.dream("2026-02-06T20:00:00Z")
    said = {str(r[0]) for r in house.rows("SELECT text FROM observation WHERE conversation = 'slow'")}
    assert len(said) == noted


def test_a_reader_that_holds_an_old_view_for_hours_stops_nobody_and_the_log_stays_bounded(house: House) -> None:
    house.say(scenario.DAY, *scenario.BEFORE)
    house.dream(scenario.EVENING)
    log = house.paths.store.with_name("dream.db-wal")
    with closing(sqlite3.connect(house.paths.store, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        before = reader.execute("SELECT COUNT(*) FROM observation").fetchone()[0]
        for day in (10, 11, 12):
            house.say(f"2026-01-{day}T09:00:00Z", f"Cabinet {day} holds the drawings of pier {day * 7}.")
            assert house.dream(f"2026-01-{day}T20:00:00Z").outcome == "changed"
        assert reader.execute("SELECT COUNT(*) FROM observation").fetchone()[0] == before
        grown = log.stat().st_size
        assert grown < JOURNAL_LIMIT_BYTES
    house.say(scenario.NEXT_DAY, "The last cabinet holds nothing.")
    house.dream(scenario.NIGHT)
    assert not log.exists() or log.stat().st_size < grown / 4


@pytest.mark.parametrize("every", [4, pytest.param(1, marks=pytest.mark.slow)])
def test_a_store_that_is_busy_at_any_write_ends_a_dream_at_most_and_the_next_one_ends_well(ordeal: Ordeal, tell: Tell,
                                                                                           every: int) -> None:
    cases = [Fault(BUSY.name, at=n, error=BUSY.error, hits=BUSY.hits) for n, e in enumerate(ordeal.effects, 1)
             if e == "begin"][::every]
    wrong, refused = [], 0
    for fault in cases:
        house = ordeal.fresh()
        try:
            with watched(house.home, fault):
                scenario.dream(house)
        except Outage as told:
            refused += 1
            wrong += [] if told.code == "store-busy" else [f"begin {fault.at}: {told.code}"]
        wrong += [f"busy at effect {fault.at}: {w}" for w in left_wrong(ordeal, house)]
        shutil.rmtree(house.root)
    tell(f"busy at {len(cases)} transactions, {refused} dreams gave up, {len(wrong)} anomalies")
    # Where something may wait for another night, the dream goes on without it.
    assert len(cases) > 10 / every and refused > len(cases) / 2
    assert wrong == []


@pytest.mark.parametrize("which", ["memory", "memory/project", "memory/project/cedar"])
def test_nothing_is_written_through_a_link_in_the_place_of_a_directory(ordeal: Ordeal, room: Path, which: str) -> None:
    house = ordeal.fresh()
    elsewhere = room / "elsewhere" / which.replace("/", "-")
    elsewhere.parent.mkdir(exist_ok=True)
    shutil.move(house.home / which, elsewhere)
    (house.home / which).symlink_to(elsewhere)
    before = {p: p.read_bytes() for p in sorted(elsewhere.rglob("*")) if p.is_file()}
    with pytest.raises(DreamError, match="symbolic link"):
        scenario.dream(house)
    assert {p: p.read_bytes() for p in sorted(elsewhere.rglob("*")) if p.is_file()} == before
    (house.home / which).unlink()
    shutil.move(elsewhere, house.home / which)
    assert left_wrong(ordeal, house) == []


def test_a_file_that_only_changes_its_case_stays_the_same_memory(house: House) -> None:
    house.say(scenario.DAY, *scenario.BEFORE)
    house.dream(scenario.EVENING)
    path, known = house.file_of("importer skips rows"), house.memory("importer skips rows").id
    path.rename(path.with_name(path.name.upper().replace(".MD", ".md")))
    house.dream(scenario.NEXT_DAY)
    assert house.memory("importer skips rows").id == known
    assert house.memory("importer skips rows").status.value == "live"
    assert house.faults(scenario.NEXT_DAY) == []


PARTS = {"onnxruntime": "onnxruntime", "numpy": "numpy", "usearch": "usearch.index", "tokenizers": "tokenizers",
         "sentencepiece": "sentencepiece", "safetensors": "safetensors", "psutil": "psutil", "sklearn": "sklearn",
         "sqlite3": "sqlite3", "torch": "torch"}
NEVER = ("usearch", "onnxruntime")
"""An order that ends the process; dream loads the second before the first, always."""


def clashes(pairs: list[tuple[str, str]]) -> list[str]:
    """Pairs of native parts that a fresh process cannot load in this order."""
    found = []
    for one, other in pairs:
        code = subprocess.run([sys.executable, "-c", f"import {PARTS[one]}, {PARTS[other]}"], capture_output=True, check=False)
        found += [f"{one} then {other}: {code.returncode}"] if code.returncode else []
    return found


def test_the_native_parts_a_dream_needs_load_in_any_order() -> None:
    assert clashes(list(permutations(("numpy", "usearch", "tokenizers", "sentencepiece"), 2))) == []


@pytest.mark.slow
def test_every_two_native_parts_load_in_both_orders(tell: Tell) -> None:
    pairs = [pair for pair in permutations(PARTS, 2) if pair != NEVER]
    assert {name.replace("scikit-learn", "sklearn") for name in surroundings.NATIVE} <= PARTS.keys()
    wrong = clashes(pairs)
    tell(f"{len(pairs)} orders of native parts, {len(wrong)} clashes")
    assert wrong == []


def test_a_callback_that_fails_in_the_middle_is_recorded_and_harmless(ordeal: Ordeal) -> None:
    house = ordeal.fresh()

    def fail(phase: str, _done: int, _total: int) -> None:
        if phase == "consolidate":
            raise DreamError("a callback that fails")

    with house.kit(scenario.NIGHT) as kit, pytest.raises(DreamError, match="callback"):
        kit.progress = fail
        run_cycle(kit)
    assert house.rows("SELECT outcome FROM run ORDER BY seq DESC LIMIT 1") == [("failed",)]
    scenario.dream(house)
    assert set(differences(ordeal.accepted[-1], snapshot(house.home))) == set()
