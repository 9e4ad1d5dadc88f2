"""Kill -9 at random moments of a dream in a process of its own, over generated conversations; then it runs again."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from household import House, Said, differences, snapshot
from standing_by import lay_graphs

NIGHT = "2026-02-05T20:00:00Z"
SLEEPER = Path(__file__).with_name("sleeper.py")
PLACES = ("harbour", "quarry", "orchard", "viaduct", "granary", "foundry", "chapel", "dairy", "ferry", "gallery", "kiln",
          "mill")
SAYINGS = ("Remember: the {p} gate is always closed at {n}.", "Never restart the {p} service before {n} o'clock.",
           "From now on the {p} report goes to shelf {n}.", "We no longer use shelf {n} for the {p} report.",
           "I prefer the {p} plans in format {n}, because the plotter needs it.", "please run the {p} job {n} times")
Tell = Callable[[str], None]


def converse(person: Path, chance: random.Random, *, talks: int, turns: int) -> None:
    """Conversations as an agent keeps them, a person and an agent taking turns."""
    for talk in range(talks):
        session = f"{talk:08d}-1111-4222-8333-444455556666"
        path = person / ".claude" / "projects" / f"-srv-work-{'cedar' if talk % 2 else 'birch'}" / f"{session}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = []
        for turn in range(turns):
            words = chance.choice(SAYINGS).format(p=chance.choice(PLACES), n=chance.randint(2, 90))
            facts = {"sessionId": session, "cwd": f"/srv/work/{'cedar' if talk % 2 else 'birch'}", "isSidechain": False,
                     "userType": "external", "version": "2.1.0", "parentUuid": None,
                     "timestamp": f"2026-01-{1 + talk % 28:02d}T09:{turn:02d}:00.000Z"}
            lines.append({**facts, "type": "user", "uuid": f"{talk:08d}-0000-4000-8000-{2 * turn:012d}",
                          "message": {"role": "user", "content": words}})
            lines.append({**facts, "type": "assistant", "uuid": f"{talk:08d}-0000-4000-8000-{2 * turn + 1:012d}",
                          "message": {"role": "assistant", "content": [{"type": "text", "text": "Understood, done."}]}})
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def begin(house: House) -> subprocess.Popen[bytes]:
    """A dream in a process of its own."""
    env = {"PATH": os.environ["PATH"], "HOME": str(house.root), "OMP_NUM_THREADS": "1",
           "PYTHONPATH": os.pathsep.join(p for p in sys.path if p), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.Popen([sys.executable, str(SLEEPER), str(house.root), str(house.person), NIGHT], env=env,
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)


def finish(house: House) -> str:
    """Let a dream run to its end; its outcome."""
    out, _ = begin(house).communicate(timeout=300)
    return out.decode().strip()


@pytest.fixture
def prepared(room: Path) -> House:
    """Conversations to read, notes that wait, and memories from a night before."""
    (room / "before").mkdir()
    house = House(room / "before")
    house.say("2026-01-05T09:00:00Z", *[Said(f"Drawings of the {p} lie in cabinet {n}.") for n, p in enumerate(PLACES)])
    house.dream("2026-01-05T20:00:00Z")
    converse(house.person, random.Random(11), talks=4, turns=6)
    lay_graphs(house.home)  # a kill is to meet the dream, and not what it makes once of the models
    return house


def fresh(prepared: House, root: Path) -> House:
    """A copy to torment, reading the same conversations."""
    root.mkdir()
    return prepared.copy_to(root)


def torment(prepared: House, room: Path, *, times: int, seed: int) -> list[str]:
    """Kill and run again, so many times; what was wrong afterwards."""
    calm = fresh(prepared, room / "calm")
    started = time.monotonic()
    assert finish(calm) == "changed"
    whole_s = time.monotonic() - started
    wanted, chance, wrong = snapshot(calm.home), random.Random(seed), []
    for n in range(times):
        house = fresh(prepared, room / "calm-again")
        dream = begin(house)
        time.sleep(chance.uniform(0.2, 1.0) * whole_s)
        dream.kill()
        dream.communicate()
        finish(house)
        left = house.faults(NIGHT) + differences(wanted, snapshot(house.home))
        wrong += [f"kill {n}: {fault}" for fault in left]
        shutil.rmtree(house.root)
    return wrong


def test_killed_anywhere_a_dream_comes_to_the_same_end_when_it_runs_again(prepared: House, room: Path, tell: Tell) -> None:
    seed = int(os.environ.get("DREAM_SEED", "20260105"))
    wrong = torment(prepared, room, times=1, seed=seed)
    tell(f"1 kill, seed {seed}, {len(wrong)} anomalies")
    assert wrong == []


@pytest.mark.slow
def test_killed_many_times_over_a_dream_comes_to_the_same_end(prepared: House, room: Path, tell: Tell) -> None:
    seed = int(os.environ.get("DREAM_SEED", str(random.SystemRandom().randint(1, 10**6))))
    wrong = torment(prepared, room, times=100, seed=seed)
    tell(f"100 kills, seed {seed}, {len(wrong)} anomalies")
    assert wrong == []
