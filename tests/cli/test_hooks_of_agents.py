"""Hooks as a harness calls them: real processes, quick, silent, and never the reason that a session fails."""

from __future__ import annotations

import json
import os
import resource
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

CAPTURING = ("stop", "pre-compact", "session-end")
EVENTS = ("session-start", "user-prompt-submit", *CAPTURING)
QUICK_MS = 100


def call(dream: Any, **more: object) -> bytes:
    return json.dumps({"session_id": "s-1", "transcript_path": str(dream.root / "s-1.jsonl"), "cwd": str(dream.person),
                       "source": "startup", "prompt": "tidy the shelf", **more}).encode()


def inbox(dream: Any) -> list[dict[str, Any]]:
    return [json.loads(p.read_bytes()) for p in sorted((dream.home / "inbox").glob("*.json"))]


@pytest.mark.parametrize("event", CAPTURING)
def test_a_hook_leaves_word_that_a_conversation_moved_and_says_nothing(dream, event):
    told = dream("hook", event, stdin=call(dream))
    assert (told.code, told.out, told.err) == (0, "", "")
    (left,) = inbox(dream)
    assert left["touched"] == {"event": event, "path": str(dream.root / "s-1.jsonl"), "conversation": "s-1",
                               "cwd": str(dream.person), "at": "2026-03-02T09:00:00Z"}
    assert (dream.home / "inbox").stat().st_mode & 0o777 == 0o700
    assert next((dream.home / "inbox").iterdir()).stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(("said", "conversation"), [
    ({"conversation_id": "k-1", "transcript_path": "/talks/k.jsonl", "workspace_roots": ["/srv/otter"],
      "hook_event_name": "stop"}, "k-1"),
    ({"sessionId": "c-1", "transcriptPath": "/talks/c.jsonl", "cwd": "/srv/otter", "timestamp": 1}, "c-1")])
def test_a_harness_that_writes_its_keys_another_way_is_understood(dream, said, conversation):
    assert dream("hook", "stop", stdin=json.dumps(said)).code == 0
    (left,) = inbox(dream)
    assert (left["touched"]["conversation"], left["touched"]["cwd"]) == (conversation, "/srv/otter")


def test_a_chat_of_vscode_is_told_of_by_the_file_that_is_read(dream):
    storage = dream.root / "workspaceStorage" / "a1"
    log, chat = storage / "GitHub.copilot-chat/transcripts/v-1.jsonl", storage / "chatSessions/v-1.jsonl"
    dream("hook", "stop", stdin=call(dream, transcript_path=str(log)))
    chat.parent.mkdir(parents=True)
    chat.touch()
    dream("hook", "stop", stdin=call(dream, transcript_path=str(log)))
    assert {left["touched"]["path"] for left in inbox(dream)} == {str(log), str(chat)}


def test_a_conversation_of_many_turns_fills_no_inbox(dream):
    for _ in range(3):
        dream("hook", "stop", stdin=call(dream))
    dream("hook", "stop", stdin=call(dream, transcript_path="/elsewhere/t.jsonl"))
    assert len(inbox(dream)) == 2


def test_hooks_of_one_moment_all_leave_word_where_nothing_was_yet(dream):
    for n in range(6):
        (dream.root / f"call-{n}").write_bytes(call(dream, transcript_path=f"/talks/{n}.jsonl"))
    for home in (dream.root / "fresh" / str(n) for n in range(8)):
        callers = []
        for n in range(6):
            with (dream.root / f"call-{n}").open() as told:
                callers.append(subprocess.Popen([sys.executable, "-m", "dreamd.cli.main", "--home", str(home), "hook", "stop"],
                                                stdin=told, env=dream.env))
        assert [caller.wait(timeout=60) for caller in callers] == [0] * 6
        assert len(list((home / "inbox").glob("*.json"))) == 6


def broken_settings(dream: Any) -> bytes:
    dream.settings("[priming\nenabled = maybe")
    return call(dream)


def home_in_the_way(dream: Any) -> bytes:
    dream.home.write_text("a file where the home should be")
    return call(dream, prompt="remember that the oven is on the left")


def newer_store(dream: Any) -> bytes:
    dream("note", "The oven is on the left side of the kitchen")
    with closing(sqlite3.connect(dream.home / "dream.db")) as connection:
        connection.execute("PRAGMA user_version = 999")
    return call(dream)


def damaged_store(dream: Any) -> bytes:
    dream.home.mkdir(mode=0o700)
    (dream.home / "dream.db").write_bytes(b"no database at all" * 400)
    return call(dream)


SAID: dict[str, bytes] = {
    "garbage": b"{not json", "no object": b"[1, 2]", "nothing": b"", "nested": b'{"a":' * 50_000 + b"1" + b"}" * 50_000,
    "strange values": json.dumps({"session_id": ["x"], "transcript_path": "/a\x00b", "cwd": 7, "prompt": None,
                                  "source": {}}).encode(),
    "lone surrogates": (rb'{"session_id": "\ud800", "transcript_path": "/t/\udfff.jsonl", "cwd": "/\ud800", '
                        rb'"prompt": "remember that \ud800 is odd here"}')}


@pytest.mark.parametrize("body", SAID.values(), ids=SAID)
def test_whatever_a_harness_says_a_hook_ends_well_and_silently(dream, body):
    for event in EVENTS:
        told = dream("hook", event, stdin=body)
        assert (event, told.code, told.out, told.err) == (event, 0, "", "")


@pytest.mark.parametrize("trouble", [broken_settings, home_in_the_way, newer_store, damaged_store], ids=lambda t: t.__name__)
def test_whatever_is_wrong_with_dream_a_hook_ends_well_and_silently(dream, trouble: Callable[[Any], bytes]):
    body = trouble(dream)
    for event in EVENTS:
        told = dream("hook", event, stdin=body)
        assert (event, told.code, told.out, told.err) == (event, 0, "", "")


def test_an_unknown_event_and_a_missing_one_end_well(dream):
    for words in (["hook", "no-such-event"], ["hook"], ["hook", "stop", "--odd"]):
        told = dream(*words, stdin=call(dream))
        assert (told.code, told.out) == (0, "")


def test_broken_settings_are_told_by_a_marker_and_keep_no_conversation_from_being_noted(dream):
    dream("note", "The oven is on the left side of the kitchen")
    dream.settings("[priming\n")
    dream("hook", "session-start", stdin=call(dream))
    assert (dream.home / "outage" / "config.json").exists()
    dream("hook", "stop", stdin=call(dream))
    assert len(inbox(dream)) == 1


def test_a_harness_that_never_closes_the_pipe_is_not_waited_for(dream):
    reading, writing = os.pipe()
    try:
        os.write(writing, call(dream))  # lies there before anybody looks
        process = subprocess.Popen(dream.command("hook", "stop"), stdin=reading, stdout=subprocess.DEVNULL, env=dream.env)
        assert process.wait(timeout=120) == 0  # and the pipe is still open
    finally:
        os.close(reading)
        os.close(writing)
    assert len(inbox(dream)) == 1


@pytest.mark.parametrize("event", [*CAPTURING, "user-prompt-submit"])
def test_a_hook_spends_less_than_a_tenth_of_a_second(dream, event):
    def work_of(*command: str) -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, input=call(dream), env=dream.env, capture_output=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return 1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)

    # Seconds of work, start of the interpreter included: the clock on the wall would measure the machine's other work. A
    # machine that takes long to start an interpreter at all has as many of those instead.
    pairs = [(work_of(sys.executable, "-c", "import json"), work_of(*dream.command("hook", event))) for _ in range(5)]
    plain, spent = (min(of) for of in zip(*pairs, strict=True))
    assert spent < max(QUICK_MS, 6 * plain), (spent, plain)


def test_the_quick_way_imports_nothing_of_dream_but_itself(dream):
    look = ("import sys; from dreamd.cli.main import main\n"
            f"main({['--home', str(dream.home), 'hook', 'stop']!r})\n"
            "print(sorted(m for m in sys.modules if m.startswith('dreamd') or m in ('sqlite3', 'dataclasses', 'argparse')))")
    done = subprocess.run([sys.executable, "-c", look], input=call(dream), env=dream.env, capture_output=True, check=True)
    assert set(json.loads(done.stdout.decode().replace("'", '"'))) == {
        "dreamd", "dreamd.cli", "dreamd.cli.commands", "dreamd.cli.hooking", "dreamd.cli.main", "dreamd.cli.told",
        "dreamd.core", "dreamd.core.errors"}


def test_what_a_person_asks_to_be_remembered_is_a_memory_after_the_next_dream(dream):
    told = dream("hook", "user-prompt-submit", stdin=call(
        dream, prompt="Remember that the glaze kiln is fired on Wednesdays only; the key is ghp_" + "a1B2" * 9))
    assert (told.code, told.out, told.err) == (0, "", "")
    assert "ghp_" not in (dream.home / "inbox").joinpath(next((dream.home / "inbox").iterdir()).name).read_text()
    dream.json("consolidate")
    (memory,) = dream.json("list")["memories"]
    assert memory["text"].startswith("The glaze kiln is fired on Wednesdays only")
    assert memory["trust"] == "user"


def test_an_ordinary_prompt_leaves_nothing_behind(dream):
    dream("hook", "user-prompt-submit", stdin=call(dream, prompt="why does the build remember nothing?"))
    assert not dream.home.exists() or not inbox(dream)


def test_forgetting_is_asked_for_and_never_done_by_a_prompt(lived_in):
    before = lived_in.json("list", "--all")["memories"]
    lived_in("hook", "user-prompt-submit", stdin=call(lived_in, prompt="forget about port 8080"))
    assert lived_in.json("list", "--all")["memories"] == before
    (request,) = json.loads((lived_in.home / "forget-requests.json").read_text())
    assert request["words"] == "port 8080"


def test_a_transcript_that_a_hook_named_is_read_by_the_next_dream(dream):
    folder = dream.person / ".claude" / "projects" / "-srv-kiln"
    folder.mkdir(parents=True)
    line = {"type": "user", "uuid": "u-1", "parentUuid": None, "isSidechain": False, "userType": "external", "cwd": "/srv/kiln",
            "sessionId": "s-1", "version": "2.1.231", "timestamp": "2026-03-02T08:00:00.000Z",
            "message": {"role": "user", "content": "From now on always wear gloves when you open the kiln, never bare hands."}}
    (folder / "s-1.jsonl").write_text(json.dumps(line) + "\n")
    told = dream("hook", "session-end", stdin=call(dream, transcript_path="~/.claude/projects/-srv-kiln/s-1.jsonl"))
    assert told.code == 0
    assert inbox(dream)[0]["touched"]["path"] == str(folder / "s-1.jsonl")
    dream.json("consolidate")
    assert any("gloves" in m["text"] for m in dream.json("list", "--all")["memories"])
    assert inbox(dream) == []


def test_a_link_in_place_of_the_inbox_is_not_followed(dream):
    outside = dream.root / "outside"
    outside.mkdir()
    dream.home.mkdir()
    (dream.home / "inbox").symlink_to(outside)
    assert dream("hook", "stop", stdin=call(dream)).code == 0
    assert not list(outside.iterdir())


def test_a_home_nobody_may_write_in_costs_the_session_nothing(dream):
    if os.geteuid() == 0:
        pytest.skip("root may write everywhere")
    dream.home.mkdir(mode=0o500)
    for event in EVENTS:
        told = dream("hook", event, stdin=call(dream, prompt="remember that the oven is on the left"))
        assert (told.code, told.out, told.err) == (0, "", "")


def test_help_still_tells_about_the_hook(dream):
    told = dream("hook", "--help")
    assert told.code == 0
    assert "session-start" in told.out
    assert Path(dream.home).exists() is False


def test_a_disk_without_room_costs_nothing_and_leaves_no_litter(dream):
    call = {"session_id": "s-1", "transcript_path": str(dream.person / "t.jsonl"), "cwd": str(dream.person),
            "prompt": "remember that the pump is blue"}
    for event in ("stop", "user-prompt-submit", "session-start"):
        words = " ".join(f"'{word}'" for word in dream.command("hook", event))
        done = subprocess.run(["/bin/sh", "-c", f"ulimit -f 0; exec {words}"], input=json.dumps(call).encode(), env=dream.env,
                              capture_output=True, timeout=120)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b""), event
    assert [path.name for path in dream.home.rglob("*") if path.is_file() and "inbox" in path.parts] == []
