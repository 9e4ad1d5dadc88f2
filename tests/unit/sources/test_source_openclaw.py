"""OpenClaw's store of sessions, and a person's words among what the program puts into the same message."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing

import pytest
from source_shapes import said, zstd

from dreamd.core.values import Cursor, Speaker
from dreamd.sources import SourceRoots, adapter_for, discover
from dreamd.sources.base import contract
from dreamd.sources.openclaw.openclaw_words import is_from_a_program, words_in

SCHEMA = """
PRAGMA synchronous = OFF;
CREATE TABLE session_nodes (session_key TEXT PRIMARY KEY, entry_json TEXT, created_via TEXT, created_actor_type TEXT,
                            spawned_by TEXT, fork_source_session_id TEXT);
CREATE TABLE session_windows (session_id TEXT PRIMARY KEY, session_key TEXT, previous_session_id TEXT, reason TEXT,
                              chat_type TEXT, hook_external_content_source TEXT, spawned_by TEXT);
CREATE TABLE transcript_events (session_id TEXT, seq INTEGER, event_json TEXT, created_at INTEGER, event_zstd BLOB,
                                navigation_json TEXT, PRIMARY KEY (session_id, seq));
CREATE TABLE transcript_event_identities (session_id TEXT, event_id TEXT, seq INTEGER, PRIMARY KEY (session_id, event_id));
CREATE TABLE session_transcript_fts_content (id INTEGER PRIMARY KEY, c0, c1, c2, c3, c4);
CREATE TABLE session_transcript_fts_rows (id INTEGER PRIMARY KEY, session_id TEXT, message_id TEXT);
"""


class Store:
    """A made-up store that tests write to entry by entry."""

    def __init__(self, path):
        self.path = path
        path.parent.mkdir(parents=True)
        with closing(sqlite3.connect(path)) as base:
            base.executescript(SCHEMA)

    def run(self, *statements):
        with closing(sqlite3.connect(self.path)) as base:
            base.execute("PRAGMA synchronous = OFF")
            for statement, given in statements:
                base.execute(statement, given)
            base.commit()

    def session(self, identity, *, cwd="/srv/otter", via="operator", previous=None, chat="direct", **more):
        self.run(("INSERT INTO session_nodes VALUES (?, '{}', ?, ?, ?, ?)",
                  (f"agent:main:{identity}", via, more.get("actor", "human"), more.get("spawned"), more.get("fork"))),
                 ("INSERT INTO session_windows VALUES (?, ?, ?, NULL, ?, ?, NULL)",
                  (identity, f"agent:main:{identity}", previous, chat, more.get("mail"))),
                 ("INSERT INTO transcript_events VALUES (?, 0, ?, 0, NULL, NULL)",
                  (identity, json.dumps({"type": "session", "version": 4, "id": identity, "cwd": cwd}))))

    def entry(self, session, number, role, text, *, packed=False, indexed=True, **more):
        identity = more.pop("identity", f"e{number}")
        head = {"type": "message", "id": identity, "parentId": None, "timestamp": "2026-09-14T10:00:00.000Z"}
        message = {"role": role, **more}
        whole = {**head, "message": {**message, "content": [{"type": "text", "text": text}]}}
        self.run(("INSERT INTO transcript_events VALUES (?, ?, ?, 0, ?, ?)", (
            session, number, None if packed else json.dumps(whole), b"\x28\xb5" if packed else None,
            json.dumps({"version": 1, "navigation": {**head, "message": message}}))),
            ("INSERT INTO transcript_event_identities VALUES (?, ?, ?)", (session, identity, number)))
        if indexed:
            self.run(("INSERT INTO session_transcript_fts_content VALUES (?, ?, ?, ?, ?, 0)",
                      (number, text, session, identity, role)),
                     ("INSERT INTO session_transcript_fts_rows VALUES (?, ?, ?)", (number, session, identity)))

    def read(self, cursor=None):
        return adapter_for(self.path).read(self.path, cursor or Cursor(), budget_bytes=1 << 20)


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "claw" / "agents" / "main" / "agent" / "openclaw-agent.sqlite")


def test_the_store_of_an_agent_is_found_and_read_and_goes_on(store, tmp_path):
    store.session("c-1")
    store.entry("c-1", 1, "user", "water the ferns on Mondays")
    store.entry("c-1", 2, "assistant", "Noted. Which ferns?")
    store.entry("c-1", 3, "toolResult", "ok", toolName="exec")
    first = store.read()
    assert [(e.speaker, e.text, e.cwd, e.conversation) for e in first.events] == [
        (Speaker.HUMAN, "water the ferns on Mondays", "/srv/otter", "c-1"),
        (Speaker.AGENT, "Noted. Which ferns?", "/srv/otter", "c-1"), (Speaker.TOOL, "ok", "/srv/otter", "c-1")]
    store.entry("c-1", 4, "user", "the tall ones")
    second = store.read(first.cursor)
    assert [(e.text, e.question) for e in second.events] == [("the tall ones", "Which ferns?")]
    assert [s.kind for s in discover(SourceRoots(openclaw_dirs=(tmp_path / "claw",)))] == ["openclaw-db"]


def test_what_is_said_in_the_agents_own_workspace_belongs_to_no_project(store):
    store.session("c-1", cwd="/home/ada/.openclaw/workspace-work")
    store.entry("c-1", 1, "user", "water the ferns on Mondays")
    assert [(e.text, e.cwd) for e in store.read().events] == [("water the ferns on Mondays", "")]


def test_what_is_packed_is_read_where_it_also_stands_unpacked(store):
    store.session("c-1")
    store.entry("c-1", 1, "user", "always prune in autumn", packed=True)
    store.entry("c-1", 2, "user", "and never in spring", packed=True, indexed=False)
    store.entry("c-1", 3, "toolResult", "a long list", packed=True, indexed=False)
    reading = store.read()
    assert said(reading.events) == ["always prune in autumn"]
    assert [skip.reason for skip in reading.skips if skip.reason not in contract.ORDINARY] == [contract.COMPRESSED]


def test_a_packed_entry_is_unpacked_whole(store):
    store.session("c-1")
    store.entry("c-1", 1, "user", "prune", packed=True, indexed=False)
    with closing(sqlite3.connect(store.path)) as base:
        body = {"type": "message", "id": "e1", "timestamp": "2026-09-14T10:00:00.000Z",
                "message": {"role": "user", "content": [{"type": "text", "text": "always prune in autumn"}]}}
        base.execute("UPDATE transcript_events SET event_zstd = ? WHERE seq = 1", (zstd.compress(json.dumps(body).encode()),))
        base.commit()
    reading = store.read()
    assert said(reading.events) == ["always prune in autumn"]
    assert contract.COMPRESSED not in {skip.reason for skip in reading.skips}


@pytest.mark.parametrize("more", [
    {"via": "cron"}, {"via": "plugin"}, {"via": "spawn"}, {"spawned": "agent:main:c-0"}, {"actor": "agent"}, {"mail": "gmail"},
    {"chat": "group"}])
def test_a_session_that_is_not_one_persons_alone_says_nothing_in_their_name(store, more):
    store.session("c-1", **more)
    store.entry("c-1", 1, "user", "use yarn")
    assert said(store.read().events) == []


def test_a_session_made_from_another_gives_only_what_is_new_in_it(store):
    store.session("c-1")
    store.entry("c-1", 1, "user", "water the ferns")
    store.session("c-2", fork="c-1")
    store.entry("c-2", 11, "user", "water the ferns", identity="e1")
    store.entry("c-2", 12, "user", "and the palms")
    assert said(store.read().events) == ["water the ferns", "and the palms"]


def test_an_entry_in_the_place_of_one_that_was_removed_is_read(store):
    store.session("c-1")
    store.entry("c-1", 1, "user", "water the ferns")
    store.entry("c-1", 2, "user", "use yarn")
    cursor = store.read().cursor
    store.run(("DELETE FROM transcript_events WHERE seq = 2", ()))
    store.entry("c-1", 3, "user", "prune in autumn")
    assert said(store.read(cursor).events) == ["prune in autumn"]


def test_two_working_directories_in_one_store_are_two_readings(store):
    store.session("c-1")
    store.entry("c-1", 1, "user", "water the ferns")
    store.session("c-2", cwd="/srv/badger")
    store.entry("c-2", 2, "user", "use cargo")
    first = store.read()
    second = store.read(first.cursor)
    assert [(e.text, e.cwd) for r in (first, second) for e in r.events] == [
        ("water the ferns", "/srv/otter"), ("use cargo", "/srv/badger")]
    assert (first.complete, second.complete) == (False, True)


@pytest.mark.parametrize(("text", "words"), [
    ("[Mon 2026-01-05 16:26:34 PST] water the ferns", "water the ferns"),
    ("Conversation info ⟦openclaw:ctx⟧\n```json\n{\"sender\": \"x\"}\n```\n\nwater the ferns", "water the ferns"),
    ("Thread ⟦openclaw:ctx⟧\nolder words\nof others\n\nwater the ferns", "water the ferns"),
    ("water the ferns\n\nContext: ⟦openclaw:ctx⟧\nuse yarn\n\nuse npm", "water the ferns"),
    ("Context:\n<active_memory_plugin>\nuse yarn\n</active_memory_plugin>\n\nwater the ferns", "water the ferns"),
    ("Delivery: send what the person shall see with the `message` tool.\nwater the ferns", "water the ferns"),
    ("Delivery: on Mondays, please", "Delivery: on Mondays, please"),
    ("<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>\nuse yarn\n<<<END_OPENCLAW_INTERNAL_CONTEXT>>>\nwater the ferns",
     "water the ferns"),
    ("<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>x<<<END_OPENCLAW_INTERNAL_CONTEXT>>>\nConversation info: ⟦openclaw:ctx⟧\n"
     "```json\n{}\n```\n<active_memory_plugin>use yarn</active_memory_plugin>\n[Sun 2026-09-27 21:24 EDT] water the ferns",
     "water the ferns"),
    ("System: [2026-01-02 11:30:00 GMT+9] Slack message\nSystem: from the team\n\nwater the ferns", "water the ferns"),
    ("System: [2026-01-02 11:30:00 GMT+9] Node went away", ""),
    ("[OpenClaw heartbeat poll]", ""), ("[Inter-session message] use yarn", ""),
    ("OpenClaw runtime context (internal):\nx", "")])
def test_a_persons_words_are_told_from_what_the_program_put_beside_them(text, words):
    assert words_in(text) == words


@pytest.mark.parametrize(("message", "program"), [
    ({"provenance": {"kind": "inter_session"}, "content": "x"}, True), ({"provenance": {"kind": "external_user"}}, False),
    ({"provenance": {"kind": "internal_system"}}, True), ({"content": [{"type": "tool_result", "content": "x"}]}, True),
    ({"content": [{"type": "text", "text": "x"}]}, False)])
def test_a_message_says_itself_where_it_came_from(message, program):
    assert is_from_a_program(message) is program


def test_a_session_that_began_anew_is_still_read_and_a_deleted_one_is_not(tmp_path):
    folder = tmp_path / "agents" / "main" / "sessions"
    folder.mkdir(parents=True)
    for name in ("w.jsonl.reset.2026-09-14T10-00-00.000Z", "v.jsonl.deleted.2026-09-14T10-00-00.000Z"):
        (folder / name).write_text('{"type": "session", "id": "w", "cwd": "/srv/otter"}\n')
    assert [s.path.name[:2] for s in discover(SourceRoots(openclaw_dirs=(tmp_path,)))] == ["w."]


@pytest.mark.parametrize(("key", "about", "heard"), [
    ("agent:main:main", {}, ["use pnpm"]), ("agent:main:telegram:12345", {"chatType": "direct"}, ["use pnpm"]),
    ("agent:main:telegram:group:-100:topic:3", {}, []), ("agent:main:slack:C1", {"chatType": "channel"}, []),
    ("agent:main:cron:j:run:r", {}, []), ("agent:main:subagent:s", {}, []),
    ("agent:main:x", {"spawnedBy": "agent:main:main"}, []),
    ("agent:main:hook:gmail:m", {}, [])])
def test_a_session_file_of_an_older_version_says_in_the_list_beside_it_who_talks(tmp_path, key, about, heard):
    path = tmp_path / "w-1.jsonl"
    path.write_text('{"type": "session", "id": "w-1", "cwd": "/srv/otter"}\n'
                    '{"type": "message", "id": "1", "message": {"role": "user", "content": "use pnpm"}}\n')
    listed = {"agent:main:y": {"sessionId": "w-0"}, key: {"sessionId": "w-1", **about}}
    (tmp_path / "sessions.json").write_text(json.dumps(listed))
    assert said(adapter_for(path).read(path, Cursor(), budget_bytes=1 << 20).events) == heard
