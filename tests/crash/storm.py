"""A storm over a living service: it is killed at random moments while notes come in, files are edited and the clock jumps.

    python tests/crash/storm.py --kills 500 --seed 7

Afterwards every acknowledged note and every edit by hand has to be there, and `dream check` clean. The seed gives the
same sequence of kills, edits and jumps; what they meet in the service differs from run to run, as in life.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import sqlite3
import sys
import tempfile
import threading
import time
from collections import Counter
from contextlib import closing, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from dreamd.core.clock import SystemClock
from dreamd.core.errors import DreamError
from dreamd.core.settings import load_settings
from dreamd.core.values import Candidate, Origin, parse_scope
from dreamd.core.world import World
from dreamd.store.intake.notebook import REFUSED, take_note
from serving import EAGER, Place, alive
from standing_by import lay_graphs

SCOPES = ("user", "project:cedar", "project:birch", "project:alder")
THINGS = ("crane", "sluice", "kiln", "ferry", "turbine", "loom", "press", "furnace", "pump", "lathe", "boiler", "winch")
PLACES = ("the north quay", "the old mill", "the upper yard", "hall three", "the east gate", "the annex", "pier nine")
SAYINGS = ("The {t} in {p} is serviced by crew {n}.", "Drawings of {t} number {n} lie in {p}.",
           "Never start the {t} in {p} before bell {n}.", "From now on report {n} about the {t} goes to {p}.",
           "I prefer {t} plans in format {n}, because {p} has no plotter.")
JUMPS_S = (7200.0, -7200.0, 86400.0, -86400.0, 10 * 86400.0, -10 * 86400.0)
NOTE_EVERY_S = 0.25
MOST_WAITING = 40
STOPS = ("supervisor", "child", "both", "both", "supervisor", "child", "twice asked")


class ShiftedClock(SystemClock):
    """The clock of the machine, as wrong as a file says."""

    def __init__(self, place: Path) -> None:
        self._place = place

    def now(self) -> datetime:
        return datetime.now(UTC) + timedelta(seconds=float(self._place.read_text() or 0))


@dataclass
class Storm:
    """What was done, and what was promised meanwhile."""

    place: Place
    chance: random.Random
    kills: Counter[str] = field(default_factory=Counter)
    at_work: int = 0
    """Kills that met a child at work."""
    jumps: int = 0
    dreams: int = 0
    promised: dict[str, str] = field(default_factory=dict)
    """Acknowledged notes by their key."""
    written: list[str] = field(default_factory=list)
    """Words a person put into a file, one of a kind each."""
    refused: list[str] = field(default_factory=list)
    _over: threading.Event = field(default_factory=threading.Event)
    _offset_s: float = 0.0

    def rage(self, kills: int, *, patience_s: float) -> None:
        """Kill so many times."""
        self._set_clock(0.0)
        first = self.place.base / "first.jsonl"  # something to edit by hand from the first moment on
        first.write_text("".join(json.dumps({"text": f"Spare parts of the {thing} are ordered by the harbour office."}) + "\n"
                                 for thing in THINGS))
        self.place.dream("note", "--jsonl", str(first))
        self.place.dream("consolidate")
        people = threading.Thread(target=self._live, args=(random.Random(self.chance.random()),))
        people.start()
        try:
            service = self.place.serve(EAGER)
            for _ in range(kills):
                if self.chance.random() < 0.15:
                    self._let_finish()
                self._wait(self.chance.random() < 0.75, self.chance.uniform(0.02, patience_s))
                self._strike(service.pid)
                if service.poll() is None and not alive(service.pid):
                    service.wait()
                if service.poll() is not None:
                    self.dreams += len(self.place.events("cycle.finished"))
                    self.place.started.remove(service)
                    service = self.place.serve(EAGER)
                if self.chance.random() < 0.15:
                    self.jumps += 1
                    self._set_clock(self._offset_s + self.chance.choice(JUMPS_S))
        finally:
            self._over.set()
            people.join()
        service.send_signal(signal.SIGTERM)
        service.wait(timeout=120)

    def _wait(self, for_a_dream: bool, then_s: float) -> None:
        """Any moment, mostly one at which a dream is at work: a service alone would be killed half asleep."""
        end = time.monotonic() + 8
        while for_a_dream and not self._child_at_work() and time.monotonic() < end:
            time.sleep(0.02)
        time.sleep(then_s)

    def _let_finish(self) -> None:
        """Now and then a dream gets through, so that the next ones have something to lose."""
        end = time.monotonic() + 15
        while not self.place.events("cycle.finished", exit_code=0) and time.monotonic() < end:
            time.sleep(0.05)

    def _child_at_work(self) -> int:
        started = self.place.events("cycle.started")
        pid = int(str(started[-1]["pid"])) if started else 0
        return pid if pid and alive(pid) else 0

    def _strike(self, supervisor: int) -> None:
        how = self.chance.choice(STOPS)
        child, ended = self._child_at_work(), len(self.place.events("cycle.finished"))
        self.at_work += bool(child)
        if how == "child" and not child:
            how = "supervisor"
        self.kills[how] += 1
        with suppress(ProcessLookupError):
            if how in ("supervisor", "both"):
                os.kill(supervisor, signal.SIGKILL)
            if how in ("child", "both") and child:
                os.kill(child, signal.SIGKILL)
            if how == "twice asked":
                os.kill(supervisor, signal.SIGTERM)
                time.sleep(self.chance.uniform(0.0, 0.3))
                os.kill(supervisor, signal.SIGTERM)
        if how == "child":
            while alive(supervisor) and len(self.place.events("cycle.finished")) == ended:
                time.sleep(0.02)
            self._set_clock(self._offset_s + 4500.0)  # past the hour at most that an outage waits
        else:
            end = time.monotonic() + 30
            while alive(supervisor) and time.monotonic() < end:
                time.sleep(0.01)

    def _set_clock(self, offset_s: float) -> None:
        # Forty days either way: what age alone would archive is another test's concern.
        self._offset_s = max(-40 * 86400.0, min(40 * 86400.0, offset_s))
        clock = self.place.clock
        assert clock is not None
        clock.with_suffix(".new").write_text(str(self._offset_s))
        clock.with_suffix(".new").replace(clock)

    def _live(self, chance: random.Random) -> None:
        """People and agents: notes all the time, a file edited now and then."""
        assert self.place.clock is not None
        clock = ShiftedClock(self.place.clock)
        config = self.place.base / "dream.toml"
        config.write_text(EAGER)
        world = World(self.place.paths, load_settings(config), clock, self.place.env)
        touched: set[Path] = set()
        number = 0
        while not self._over.wait(chance.uniform(0.0, 2 * NOTE_EVERY_S)):
            if self._waiting() > MOST_WAITING:
                continue  # dreams that are always killed while they plan would never come to write
            number += 1
            text = chance.choice(SAYINGS).format(t=chance.choice(THINGS), p=chance.choice(PLACES), n=number)
            note = Candidate(text, Origin.USER, clock.now(), parse_scope(chance.choice(SCOPES)), key=f"storm-{number}")
            try:
                answer = take_note(world, [note]).answers[0]
            except DreamError as error:
                self.refused.append(error.message)
            else:
                if answer.status == REFUSED:
                    self.refused.append(answer.reason)
                else:
                    self.promised[note.key] = text
            if number % 3 == 0:
                self._edit(chance, number, touched)

    def _waiting(self) -> int:
        with closing(sqlite3.connect(self.place.paths.store, timeout=5)) as store:
            return int(store.execute("SELECT (SELECT COUNT(*) FROM observation) - (SELECT COUNT(*) FROM fate)").fetchone()[0])

    def _edit(self, chance: random.Random, number: int, touched: set[Path]) -> None:
        """A person adds a file, or words to a statement in one they have not touched before."""
        files = [f for f in self.place.paths.memory.rglob("*.md") if f.name != "MEMORY.md" and f not in touched]
        scopes = sorted({f.parent for f in files})
        if not scopes:
            return
        mark = f"hand-{number}-mark"
        if chance.random() < 0.5:
            path = chance.choice(scopes) / f"by-hand-{number}.md"
            path.write_text(f"The {chance.choice(THINGS)} of shed {number} has the sign {mark}.\n")
            self.written.append(mark)
            return
        path = chance.choice(sorted(files))
        touched.add(path)
        with suppress(FileNotFoundError):  # the dream was quicker: there is nothing left to edit
            lines = path.read_text().splitlines()
            place = next((n for n, line in enumerate(lines) if line.endswith(".") and not line.startswith(("#", "-", ">"))), -1)
            if place >= 0 and path.exists():
                lines[place] = f"{lines[place][:-1]}, with the sign {mark}."
                path.with_suffix(".swp").write_text("\n".join(lines) + "\n")
                path.with_suffix(".swp").replace(path)
                self.written.append(mark)

    def calm(self) -> list[str]:
        """Let everything come to rest, and say what is wrong."""
        wrong = []
        for _ in range(3):
            done = self.place.dream("--json", "consolidate")
            if done.returncode:
                wrong.append(f"the last dream ended with {done.returncode}: {done.stderr.strip()[:300]}")
            elif json.loads(done.stdout)["outcome"] == "nothing-to-do":
                break
        checked = self.place.dream("--json", "check")
        if checked.returncode:
            wrong.append(f"`dream check` says {checked.stdout.strip()[:600]}")
        with closing(sqlite3.connect(self.place.paths.store)) as store:
            known = dict(store.execute("SELECT key, text FROM observation WHERE key <> ''").fetchall())
            texts = "\n".join(t for t, in store.execute("SELECT text FROM observation"))
            fateless = store.execute("SELECT COUNT(*) FROM observation o LEFT JOIN fate f ON f.observation = o.seq "
                                     "WHERE f.observation IS NULL").fetchone()[0]
            homeless = store.execute("SELECT COUNT(*) FROM fate WHERE fate NOT IN ('discarded') AND memory NOT IN "
                                     "(SELECT id FROM memory)").fetchone()[0]
        wrong += [f"the note `{key}` is not there" for key, text in self.promised.items() if known.get(key) != text]
        wrong += [f"the edit `{mark}` is not there" for mark in self.written if mark not in texts]
        wrong += [f"{fateless} observations have no fate"] if fateless else []
        wrong += [f"{homeless} fates name a memory that is not there"] if homeless else []
        wrong += [f"`{p.name}` was left behind" for p in self.place.paths.home.rglob("*.dream-tmp")]
        wrong += [f"`{p.name}` waits in the inbox" for p in self.place.paths.inbox.glob("*")]
        wrong += [f"the marker `{p.name}` still stands" for p in self.place.paths.outage.glob("*.json")]
        return wrong

    def told(self, seconds: float) -> str:
        """What happened, in one line."""
        kinds = ", ".join(f"{n} {how}" for how, n in sorted(self.kills.items()))
        return (f"{sum(self.kills.values())} kills ({kinds}; {self.at_work} met a dream at work) in {seconds:.0f} s, "
                f"{self.dreams} dreams ended, "
                f"{len(self.promised)} notes acknowledged, {len(self.refused)} refused, {len(self.written)} edits by hand, "
                f"{self.jumps} clock jumps")


def storm(base: Path, *, kills: int, seed: int, patience_s: float = 1.2) -> tuple[Storm, list[str], str]:
    """One whole storm: what was done, what is wrong afterwards, and a line about it."""
    (base / "person" / ".claude" / "projects").mkdir(parents=True)
    place = Place(base, base / "clock")
    lay_graphs(place.paths.home)
    place.paths.locks.mkdir(mode=0o700)
    raging = Storm(place, random.Random(seed))
    started = time.monotonic()
    try:
        raging.rage(kills, patience_s=patience_s)
        wrong = raging.calm()
    finally:
        for process in place.started:
            if process.poll() is None:
                process.kill()
            process.wait()
    return raging, wrong, raging.told(time.monotonic() - started)


def main() -> int:
    """Storm once and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=500)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randint(1, 10**6))
    parser.add_argument("--keep", type=Path, help="a new directory that is kept, to look at afterwards")
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    base = options.keep or Path(tempfile.mkdtemp(prefix="dream-storm-"))
    base.mkdir(exist_ok=True)
    _, wrong, told = storm(base, kills=options.kills, seed=options.seed)
    print(told)
    print(json.dumps(wrong, indent=1) if wrong else "0 anomalies")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
