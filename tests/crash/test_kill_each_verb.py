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
EVENING, AFTERWARDS = "2026-01-05T20:00:00Z", "2026-01-05T21:00:00Z"
NIGHT, LATER = "2026-01-06T20:00:00Z", "2026-01-07T20:00:00Z"
KEPT = [f"Drawings of pier {n} lie in cabinet {n * 3}." for n in range(1, 8)]
GOING, WAITING = "The partner Quoxilfanz pays in spring 2027.", "Always grease the crane before a storm."
NOTED = "The tide gauge hangs at berth 41."
MORE = "The bollards of the eastern quay are painted yellow."
WAY = ("attach", "{folder}", "--dialect", "claude", "--yes")
VERBS: dict[str, tuple[tuple[str, ...], ...]] = {
    "note": (("note", NOTED),), "pin": (("pin", "{kept}"),), "unpin": (("pin", "{kept}"), ("unpin", "{kept}")),
    "review": (("review", "{waiting}", "keep-a"),), "drop": (("review", "{waiting}", "drop"),),
    "restore": (("review", "{waiting}", "drop"), ("restore", "{waiting}")),
    "forget": (("forget", "{going}", "--yes"),), "ingest": (("ingest", "{folder}"),),
    "attach": (WAY,), "detach": (WAY, ("detach", "{folder}")), "tend": (WAY, ("consolidate",)),
    "scope rename": (("scope", "rename", "project:cedar", "project:larch"),),
    "scope merge": (("scope", "merge", "project:cedar", "project:quay"),),
    "scope move": (("scope", "move", "{kept}", "--to", "project:quay"),),
    "consolidate": (("note", NOTED), ("consolidate",)),
    "plan": (("note", NOTED), ("consolidate", "--plan", "{plan}"), ("consolidate", "--apply", "{plan}")),
    "undo": (("undo",),), "redo": (("undo",), ("undo", "--redo", "{run}")),
    "repair": (("check", "--repair"),), "screen": (("check", "--secrets", "--repair"),),
    "edit": (("edit", "{waiting}", "The grease of the crane is changed in May."),),
    "log": (("log", "deploy", "helm", "web 1.4 to staging", "--reason", "release"),),
    "connect": (("connect", "claude-code", "--yes"),),
    "disconnect": (("connect", "claude-code", "--yes"), ("disconnect", "claude-code")),
}
"""The last command of each is the one that is killed; `undo` takes back the run that learned `MORE`."""


@pytest.fixture
def prepared(room: Path) -> House:
    """A home with memories, one of them held, and a directory of somebody's."""
    (room / "before").mkdir()
    house = House(room / "before")
    house.say(EVENING, *(Said(text, conversation=f"c{n}") for n, text in enumerate((*KEPT, GOING))),
              Said(WAITING, origin=Origin.AGENT, conversation="c99"))
    house.dream(EVENING)
    house.say(AFTERWARDS, Said(MORE, conversation="c98"))
    house.dream(AFTERWARDS)
    assert [m.status for m in house.memories() if m.text == WAITING] == [Status.HELD]
    return house


def begin(house: House, words: list[str]) -> subprocess.Popen[bytes]:
    env = {"PATH": os.environ["PATH"], "HOME": str(house.root), "OMP_NUM_THREADS": "1",
           "PYTHONPATH": os.pathsep.join(p for p in sys.path if p), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "dreamd.cli.main", "--home", str(house.home), "--now", NIGHT, *words]
    return subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def finish(house: House, words: list[str]) -> int:
    """Let a command come to its end."""
    running = begin(house, words)
    running.communicate(timeout=300)
    return running.returncode


def named_in(house: House, folder: Path) -> dict[str, object]:
    """What the commands above speak of, as it is called in this home."""
    ((run,),) = house.rows("SELECT id FROM run WHERE kind = 'dream' ORDER BY seq DESC LIMIT 1")
    return {"kept": house.memory("pier 3").id, "waiting": house.memory("grease").id, "going": house.memory("Quoxilfanz").id,
            "folder": folder, "plan": folder.parent / "plan.json", "run": run}


def kill_once(prepared: House, root: Path, verb: str, *, after_s: float | None) -> tuple[float, list[str]]:
    """How long a verb ran until it ended or was killed, and what is wrong behind it and the dream that follows."""
    root.mkdir()
    house = prepared.copy_to(root)
    folder = root / "folder"
    folder.mkdir()
    (root / ".claude").mkdir()
    (folder / "MEMORY.md").write_text("# Memory\n\n- The quay is closed on Mondays.\n- The quay is closed on Mondays.\n")
    named = named_in(house, folder)
    *before, words = ([word.format(**named) for word in command] for command in VERBS[verb])
    for command in before:
        assert finish(house, command) == 0, command
    started = time.monotonic()
    running = begin(house, words)
    if after_s is not None:
        time.sleep(after_s)
        running.kill()
    out, err = running.communicate(timeout=300)
    took_s = time.monotonic() - started
    done = running.returncode == 0
    wrong = [] if done or after_s is not None else [f"ended with {running.returncode}: {err.decode()[-200:]}"]
    house.dream(LATER)
    wrong += house.faults(LATER) + missed(house, verb, done=done, forgotten=b"forgotten for good" in out)
    if "The quay is closed on Mondays." not in (folder / "MEMORY.md").read_text():
        wrong.append("the only copy of an entry went")
    shutil.rmtree(root)
    return took_s, [f"{verb} killed after {after_s}: {fault}" for fault in wrong]


def missed(house: House, verb: str, *, done: bool, forgotten: bool) -> list[str]:
    """What a person would miss, or would be surprised to find."""
    texts = [m.text for m in house.memories()]
    wrong = [f"lost: {text}" for text in KEPT if texts.count(text) != 1]
    if NOTED not in texts and (done and verb == "note" or verb in ("consolidate", "plan")):
        wrong.append("an acknowledged note is lost")
    if verb != "forget" and GOING not in texts or verb == "forget" and done and GOING in texts:
        wrong.append("what was to be forgotten, or was not")
    if forgotten and any(b"Quoxilfanz" in p.read_bytes() for p in house.home.rglob("*") if p.is_file()):
        wrong.append("forgotten for good, and still there")
    if verb not in ("undo", "redo") and MORE not in texts or done and (MORE in texts) is (verb == "undo"):
        wrong.append("what a run had learned, or what was taken back")
    return wrong


def torment(prepared: House, room: Path, verb: str, *, times: int) -> list[str]:
    """Let a verb come to its end once, to know how long that takes; then kill it at moments of that time."""
    whole_s, wrong = kill_once(prepared, room / "whole", verb, after_s=None)
    chance = random.Random(f"{verb} {os.environ.get('DREAM_SEED', '1')}")
    for n in range(times):
        wrong += kill_once(prepared, room / f"kill-{n}", verb, after_s=chance.uniform(0.2, 1.1) * whole_s)[1]
    return wrong


@pytest.mark.slow
@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_killed_anywhere_loses_nothing_and_is_whole_or_not_at_all(prepared: House, room: Path, verb: str) -> None:
    assert torment(prepared, room, verb, times=int(os.environ.get("DREAM_KILLS", "20"))) == []
