"""Each verb that writes, killed at a moment that chance chooses: done or not done, and nothing that was acknowledged lost."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from dreamd.core.values import Origin, Status
from household import House, Said, differences, snapshot
from standing_by import run_dream

EVENING, AFTERWARDS = "2026-01-05T20:00:00Z", "2026-01-05T21:00:00Z"
NIGHT, LATER = "2026-01-06T20:00:00Z", "2026-01-07T20:00:00Z"
KEPT = [f"Drawings of pier {n} lie in cabinet {n * 3}." for n in range(1, 8)]
GOING, WAITING = "The partner Quoxilfanz pays in spring 2027.", "Always grease the crane before a storm."
NOTED = "The tide gauge hangs at berth 41."
MORE = "The bollards of the eastern quay are painted yellow."
NAMES = ("Alma", "Berta", "Cora", "Dora")
BROUGHT = [f"The buoy {name} is lit from {n} o'clock." for n, name in enumerate(NAMES, start=17)]
PAGE = "# Slipways\n\nThe slipway of the north basin is 41 m long. It was built for pilot boats.\n"
BOOKS = {f"chapter-{n}.md": f"# Chapter {n}\n\nThe lock number {n} is opened by keeper {n * 7}.\n" for n in range(6)}
DURABLE = "The tide tables are read from archive/tides.csv, because the web service is down at night."
PASSING = "I rewired the harbour lamps to 24 volts on the west side"
WAY = ("attach", "{folder}", "--dialect", "claude", "--yes")
START, SAID = ("task", "start", "tides", "--title", "Import the tide tables"), ("task", "note", DURABLE)
ONE = ("--scope", "project:cedar")
WHY = ("--why", "for the plan of the slipway")
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
    "undo": (("undo",),), "redo": (("undo",), ("undo", "--redo", "{run}")), "undo only": (("undo", "{run}", "--only", "1"),),
    "repair": (("check", "--repair"),), "screen": (("check", "--secrets", "--repair"),),
    "edit": (("edit", "{waiting}", "The grease of the crane is changed in May."),),
    "log": (("log", "deploy", "helm", "web 1.4 to staging", "--reason", "release"),),
    "connect": (("connect", "claude-code", "--yes"),),
    "disconnect": (("connect", "claude-code", "--yes"), ("disconnect", "claude-code")),
    "capture": (("capture", "{page}", *WHY),),
    "capture again": (("capture", "{page}", *WHY), ("capture", "{page}", *WHY, "--tag", "sea")),
    "corpus add": (("corpus", "add", "{books}"),),
    "corpus remove": (("corpus", "add", "{books}"), ("corpus", "remove", "books")),
    "task start": (START,), "task note": (START, SAID),
    "task verify": (START, ("task", "verify", "station 4 parses", "--how", "make test")),
    "task phase": (START, SAID, ("task", "phase", "build")), "task done": (START, SAID, ("task", "done")),
    "export": (("export", "{root}/all.jsonl"),), "export bundle": (("export", "{root}/all.zip", *ONE),),
    "export pages": (("export", "{root}/all"),),
    "import": (("import", "{mem0}"),),
    "import own": (("export", "{root}/all.jsonl"), ("import", "{root}/all.jsonl", "--trust")),
    "audit": (("audit", "--plan", "{plan}"),), "config": (("config", "set", "store.backups_kept", "5"),),
    "config unset": (("config", "set", "store.backups_kept", "5"), ("config", "unset", "store.backups_kept")),
    "pause": (("pause", "--for", "2h"),), "resume": (("pause", "--for", "2h"), ("resume",)),
    "connect codex": (("connect", "codex", "--yes"),),
    "disconnect codex": (("connect", "codex", "--yes"), ("disconnect", "codex")),
    "tend with a commit": ((*WAY, "--commit"), ("consolidate",)),
    "promote": (("ingest", "{talks}"), ("consolidate",), ("promote", "{passage}")),
}
"""The last command of each is the one that is killed; `undo` takes back the run that learned `MORE`."""
FINDINGS = {"audit": (0, 1), "import": (0, 3)}
"""How those end well that have something to say."""
FEW = ("note", "forget", "task done", "import")
"""Verbs that are killed each time; `make torture` kills all of them, often."""


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


def tell(house: House, words: list[str], *, within_s: float = 300.0) -> tuple[int, str]:
    """Let a command come to its end, or kill it after a while; how it ended and what it said."""
    env = {"PATH": os.environ["PATH"], "HOME": str(house.root), "TZ": "UTC", "OMP_NUM_THREADS": "1"}
    try:
        done = run_dream(["--home", str(house.home), "--now", NIGHT, *words], env=env, cwd=house.root / "quay",
                         timeout=within_s)
    except subprocess.TimeoutExpired as killed:
        return -9, (killed.output or b"").decode()
    return done.returncode, (done.stdout + done.stderr).decode()


def named_in(house: House) -> dict[str, object]:
    """What the commands above speak of, as it is called in this home, with the files that they read."""
    ((run,),) = house.rows("SELECT id FROM run WHERE kind = 'dream' ORDER BY seq DESC LIMIT 1")
    root = house.root
    for name in ("folder", ".claude", ".codex", "books", "quay", "talks"):
        (root / name).mkdir()
    (root / "folder" / "MEMORY.md").write_text("# Memory\n\n" + "- The quay is closed on Mondays.\n" * 2)
    (root / "page.md").write_text(PAGE)
    for name, text in BOOKS.items():
        (root / "books" / name).write_text(text)
    (root / "talks" / "s-1.jsonl").write_text("".join(json.dumps({
        "type": "user", "uuid": f"u-{n}", "parentUuid": None, "isSidechain": False, "userType": "external", "sessionId": "s-1",
        "cwd": str(root / "quay"), "version": "2.1.231", "timestamp": f"2026-01-05T09:0{n}:00.000Z",
        "message": {"role": "user", "content": text}}) + "\n" for n, text in enumerate((PASSING, "Now look at the gauge."))))
    for folder in ("quay", "folder"):
        subprocess.run(["git", "init", "-q", str(root / folder)], check=True, timeout=60)
    (root / "mem0.json").write_text(json.dumps({"results": [
        {"id": f"m-{n}", "memory": text, "created_at": "2025-11-02T16:00:00Z"} for n, text in enumerate(BROUGHT)]}))
    return {"kept": house.memory("pier 3").id, "waiting": house.memory("grease").id, "going": house.memory("Quoxilfanz").id,
            "run": run, "root": root, "folder": root / "folder", "books": root / "books", "plan": root / "plan.json",
            "page": root / "page.md", "talks": root / "talks", "mem0": root / "mem0.json"}


def kill_once(prepared: House, root: Path, verb: str, *, after_s: float | None) -> tuple[float, list[str]]:
    """How long a verb ran until it ended or was killed, and what is wrong behind it and the dreams that follow."""
    root.mkdir()
    house = prepared.copy_to(root)
    named = named_in(house)
    *before, words = VERBS[verb]
    for command in before:
        assert tell(house, [word.format(**named) for word in command])[0] == 0, command
    if verb == "promote":
        ((named["passage"],),) = house.rows("SELECT id FROM observation WHERE text LIKE '%harbour lamps%'")
    words = tuple(word.format(**named) for word in words)
    started = time.monotonic()
    code, said = tell(house, words, within_s=after_s or 300.0)
    took_s = time.monotonic() - started
    done = code in FINDINGS.get(verb, (0,))
    wrong = [] if done or code == -9 and after_s is not None else [f"ended with {code}: {said[-200:]}"]
    house.dream(LATER)
    wrong += house.faults(LATER) + missed(house, verb, done=done, forgotten="forgotten for good" in said)
    wrong += unseen(house, verb, done=done)
    before_it = snapshot(house.home)
    house.dream(LATER)
    wrong += [f"a second dream changes {name}" for name in differences(before_it, snapshot(house.home))]
    if "The quay is closed on Mondays." not in (root / "folder" / "MEMORY.md").read_text():
        wrong.append("the only copy of an entry went")
    shutil.rmtree(root)
    return took_s, [f"{verb} killed after {after_s}: {fault}" for fault in wrong]


def unseen(house: House, verb: str, *, done: bool) -> list[str]:
    """What is not there that a command had acknowledged, and what stands there in part."""
    kind, *_ = verb.split()
    looked = LOOKS.get(kind)
    return looked(house, verb, done) if looked else []


def of_an_export(house: House, verb: str, done: bool) -> list[str]:
    """The whole of it, or nothing; and it can be made again."""
    made = house.root / {"export": "all.jsonl", "export bundle": "all.zip", "export pages": "all"}[verb]
    wrong = ["the export is not there"] if done and not made.exists() else []
    if made.is_file() and tell(house, ["import", str(made), "--dry-run"])[0] != 0:
        wrong.append("a part of an export stands where the whole is expected")
    again = 0 if done else tell(house, ["export", str(made), *(ONE if verb == "export bundle" else ())])[0]
    return [*wrong, *([f"a second export ends with {again}"] if again else [])]


def of_a_find(house: House, verb: str, done: bool) -> list[str]:
    notes = [path.read_text() for path in (house.home / "finds").rglob("*.md")]
    wrong = [f"the find is not whole: {note}" for note in notes if WHY[1] not in note or "41 m" not in note]
    if len(notes) != 1 and (done or verb == "capture again" or notes):
        wrong.append(f"{len(notes)} finds")
    if done and "slipway" not in tell(house, ["search", "--corpus", "how long is the slipway?"])[1]:
        wrong.append("the find is not found")
    return wrong


def of_documents(house: House, verb: str, done: bool) -> list[str]:
    if verb == "corpus add" and not done and tell(house, ["corpus", "add", str(house.root / "books")])[0] != 0:
        return ["the documents cannot be added again"]
    told = tell(house, ["search", "--corpus", "who opens the locks?", "-k", "20", "--json"])[1]
    found = json.loads(told.splitlines()[0])["results"]  # below it stands what was said on stderr
    addresses = {one["document"]["address"] for one in found}
    if verb == "corpus add" and len(addresses) != len(BOOKS) or verb == "corpus remove" and done and addresses:
        return [f"found: {sorted(addresses)}"]
    return []


def of_a_task(house: House, verb: str, done: bool) -> list[str]:
    code, told = tell(house, ["task", "show", "tides", "--json"])
    said = {"task start": "Import the tide tables", "task verify": "station 4 parses"}.get(verb, DURABLE)
    if code != 0 and (done or verb != "task start"):
        return [f"the task is gone: {told[-200:]}"]
    written = [path.read_text() for path in (house.root / "quay").rglob("*.md")]  # what ends goes to a report
    lost = said not in told and not any(said in text for text in written)
    return ["the task lost what it was told"] if lost and (done or verb in ("task phase", "task done")) else []


def of_what_was_brought(house: House, verb: str, done: bool) -> list[str]:
    gone = set(BROUGHT) - {m.text for m in house.memories()} if done and verb == "import" else set()
    return [f"not taken in: {sorted(gone)}"] if gone else []


def of_a_line(house: House, _verb: str, done: bool) -> list[str]:
    return ["a line of the log is lost"] if done and "staging" not in tell(house, ["log", "--query", "staging"])[1] else []


def of_an_audit(house: House, _verb: str, done: bool) -> list[str]:
    plan = house.root / "plan.json"
    if not plan.exists():
        return ["the plan is not there"] if done else []
    return [] if tell(house, ["consolidate", "--apply", str(plan)])[0] in (0, 4) else ["the plan cannot be read"]


LOOKS: dict[str, Callable[[House, str, bool], list[str]]] = {
    "export": of_an_export, "capture": of_a_find, "corpus": of_documents, "task": of_a_task, "import": of_what_was_brought,
    "log": of_a_line, "audit": of_an_audit,
    "config": lambda house, _v, _d: [] if tell(house, ["config", "check"])[0] == 0 else ["the settings cannot be read"],
    "pause": lambda house, _v, _d: [] if tell(house, ["resume"])[0] == 0 else ["nobody can resume"],
}
"""How to look at what a verb keeps elsewhere than among the memories."""


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
    undone = verb in ("undo", "undo only")
    if verb == "promote" and done and not any(PASSING in text for text in texts):
        wrong.append("what was promoted is no memory")
    if not undone and verb != "redo" and MORE not in texts or done and (MORE in texts) is undone:
        wrong.append("what a run had learned, or what was taken back")
    return wrong


def torment(prepared: House, room: Path, verb: str, *, times: int) -> list[str]:
    """Let a verb come to its end once, to know how long that takes; then kill it at moments of that time."""
    whole_s, wrong = kill_once(prepared, room / "whole", verb, after_s=None)
    chance = random.Random(f"{verb} {os.environ.get('DREAM_SEED', '1')}")
    for n in range(times):
        wrong += kill_once(prepared, room / f"kill-{n}", verb, after_s=chance.uniform(0.05, 1.05) * whole_s)[1]
    return wrong


@pytest.mark.parametrize("verb", FEW)
def test_a_verb_killed_somewhere_loses_nothing(prepared: House, room: Path, verb: str) -> None:
    assert torment(prepared, room, verb, times=1) == []


@pytest.mark.slow
@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_killed_anywhere_loses_nothing_and_is_whole_or_not_at_all(prepared: House, room: Path, verb: str) -> None:
    assert torment(prepared, room, verb, times=int(os.environ.get("DREAM_KILLS", "60"))) == []
