"""Each verb that writes, killed at a moment that chance chooses: done or not done, and nothing that was acknowledged lost."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from dreamd.core.values import Origin, Status
from household import House, Said

Tell = Callable[[str], None]
EVENING, NIGHT, LATER = "2026-01-05T20:00:00Z", "2026-01-06T20:00:00Z", "2026-01-07T20:00:00Z"
KEPT = [f"Drawings of pier {n} lie in cabinet {n * 3}." for n in range(1, 8)]
GOING, WAITING = "The partner Quoxilfanz pays in spring 2027.", "Always grease the crane before a storm."
NOTED = "The tide gauge hangs at berth 41."
VERBS = {
    "note": ("note", NOTED), "pin": ("pin", "{kept}"), "unpin": ("unpin", "{kept}"),
    "review": ("review", "{waiting}", "keep-a"), "drop": ("review", "{waiting}", "drop"),
    "forget": ("forget", "{going}", "--yes"), "ingest": ("ingest", "{folder}"),
    "attach": ("attach", "{folder}", "--dialect", "claude-code", "--yes"),
    "scope": ("scope", "rename", "project:cedar", "project:larch"),
}


@pytest.fixture
def prepared(room: Path) -> House:
    """A home with memories, one of them held, and a directory of somebody's."""
    (room / "before").mkdir()
    house = House(room / "before")
    house.say(EVENING, *(Said(text, conversation=f"c{n}") for n, text in enumerate((*KEPT, GOING))),
              Said(WAITING, origin=Origin.AGENT, conversation="c99"))
    house.dream(EVENING)
    assert [m.status for m in house.memories() if m.text == WAITING] == [Status.HELD]
    return house


def begin(house: House, words: list[str]) -> subprocess.Popen[bytes]:
    env = {"PATH": os.environ["PATH"], "HOME": str(house.root), "OMP_NUM_THREADS": "1",
           "PYTHONPATH": os.pathsep.join(p for p in sys.path if p), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "dreamd.cli.main", "--home", str(house.home), "--now", NIGHT, *words]
    return subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def kill_once(prepared: House, root: Path, verb: str, *, after_s: float | None) -> list[str]:
    """What is wrong after a verb that was killed, and the dream behind it; `after_s` None lets it come to its end."""
    root.mkdir()
    house = prepared.copy_to(root)
    folder = root / "folder"
    folder.mkdir()
    (folder / "MEMORY.md").write_text("# Memory\n\n- The quay is closed on Mondays.\n- The quay is closed on Mondays.\n")
    named = {"kept": house.memory("pier 3").id, "waiting": house.memory("grease").id, "going": house.memory("Quoxilfanz").id,
             "folder": str(folder)}
    running = begin(house, [word.format(**named) for word in VERBS[verb]])
    if after_s is not None:
        time.sleep(after_s)
        running.kill()
    out, err = running.communicate(timeout=300)
    done = running.returncode == 0
    wrong = [] if done or after_s is not None else [f"ended with {running.returncode}: {err.decode()[-200:]}"]
    house.dream(LATER)
    wrong += house.faults(LATER)
    texts = [m.text for m in house.memories()]
    wrong += [f"lost: {text}" for text in KEPT if texts.count(text) != 1]
    if done and verb == "note" and NOTED not in texts:
        wrong.append("an acknowledged note is lost")
    if verb != "forget" and GOING not in texts or verb == "forget" and done and GOING in texts:
        wrong.append("what was to be forgotten, or was not")
    if b"forgotten for good" in out and any(b"Quoxilfanz" in p.read_bytes() for p in house.home.rglob("*") if p.is_file()):
        wrong.append("forgotten for good, and still there")
    if verb == "attach" and "The quay is closed on Mondays." not in (folder / "MEMORY.md").read_text():
        wrong.append("the only copy of an entry went")
    shutil.rmtree(root)
    return [f"{verb} killed after {after_s}: {fault}" for fault in wrong]


def torment(prepared: House, room: Path, verb: str, *, times: int) -> list[str]:
    """Let a verb come to its end once, to know how long that takes; then kill it at moments of that time."""
    started = time.monotonic()
    wrong = kill_once(prepared, room / "whole", verb, after_s=None)
    whole_s, chance = time.monotonic() - started, random.Random(f"{verb} {os.environ.get('DREAM_SEED', '1')}")
    for n in range(times):
        wrong += kill_once(prepared, room / f"kill-{n}", verb, after_s=chance.uniform(0.1, 0.7) * whole_s)
    return wrong


@pytest.mark.slow
@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_killed_anywhere_loses_nothing_and_is_whole_or_not_at_all(prepared: House, room: Path, verb: str) -> None:
    assert torment(prepared, room, verb, times=int(os.environ.get("DREAM_KILLS", "20"))) == []
