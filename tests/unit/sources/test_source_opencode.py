"""OpenCode's store as newer versions keep it: two tables of messages, forks, answers still being written."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing

import pytest
from source_shapes import said

from dreamd.core.values import Cursor, EventKind, Speaker
from dreamd.sources import adapter_for
from dreamd.sources.base import contract

NOW = 1_786_363_200_000
SCHEMA = """
CREATE TABLE session (id TEXT PRIMARY KEY, parent_id TEXT, fork_session_id TEXT, directory TEXT, title TEXT,
                      time_created INTEGER);
CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);
CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, data TEXT);
CREATE TABLE session_message (id TEXT PRIMARY KEY, session_id TEXT, type TEXT, seq INTEGER, time_created INTEGER,
                              time_updated INTEGER, data TEXT);
"""


class Store:
    """A made-up store that tests write to message by message."""

    def __init__(self, path):
        self.path = path
        self.run(SCHEMA)
        self.session("s-1")

    def run(self, *statements):
        with closing(sqlite3.connect(self.path)) as base:
            base.executescript("PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY;")
            for statement in statements:
                if isinstance(statement, str):
                    base.executescript(statement)
                else:
                    base.execute(*statement)
            base.commit()

    def session(self, identity, *, parent=None, fork=None, directory="/srv/otter", title="t"):
        self.run(("INSERT INTO session VALUES (?, ?, ?, ?, ?, 0)", (identity, parent, fork, directory, title)))

    def whole(self, identity, kind, body, *, session="s-1", second=0):
        at = NOW + second * 1000
        self.run(("INSERT INTO session_message VALUES (?, ?, ?, 0, ?, ?, ?)",
                  (identity, session, kind, at, at, json.dumps(body))))

    def parted(self, identity, role, text, *, session="s-1", second=0, part="text", **more):
        at = NOW + second * 1000
        body = {"role": role, "time": {"created": at, "completed": at}, **more}
        self.run(("INSERT INTO message VALUES (?, ?, ?, ?, ?)", (identity, session, at, at, json.dumps(body))),
                 ("INSERT INTO part VALUES (?, ?, ?, ?)",
                  (f"prt_{identity}", identity, session, json.dumps({"type": part, "text": text}))))

    def read(self, cursor=None, *, budget_bytes=1 << 20):
        return adapter_for(self.path).read(self.path, cursor or Cursor(), budget_bytes=budget_bytes)


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "opencode.db")


def answer(*content, done=True, **more):
    return {"time": {"created": NOW, **({"completed": NOW} if done else {})}, "content": list(content), **more}


def test_a_message_that_is_one_row_is_told_by_the_column_beside_it(store):
    store.whole("m1", "agent-switched", {"agent": "plan"})
    store.whole("m2", "user", {"text": "use pnpm", "files": []}, second=1)
    store.whole("m3", "system", {"text": "the date is today"}, second=2)
    store.whole("m4", "skill", {"skill": "release", "text": "always use yarn"}, second=3)
    store.whole("m5", "shell", {"command": "ls", "output": "a b"}, second=4)
    store.whole("m6", "assistant", answer(
        {"type": "text", "text": "Shall I commit?"},
        {"type": "tool", "id": "c", "name": "bash", "state": {
            "status": "completed", "input": {}, "content": [{"type": "text", "text": "done"}]}},
        {"type": "tool", "id": "d", "name": "edit", "state": {"status": "error", "error": {
            "type": "PermissionCorrectedError",
            "message": "refused with the following feedback: not in this file"}}}), second=5)
    store.whole("m7", "user", {"text": "yes"}, second=6)
    reading = store.read()
    assert said(reading.events) == ["use pnpm", "not in this file", "yes"]
    assert [e.text for e in reading.events if e.speaker is Speaker.INJECTED] == ["the date is today", "always use yarn"]
    assert [e.text for e in reading.events if e.speaker is Speaker.TOOL] == ["a b", "done"]
    assert (reading.events[-1].question, reading.events[-1].cwd) == ("Shall I commit?", "/srv/otter")
    assert not {skip.reason for skip in reading.skips} - contract.ORDINARY


def test_a_message_that_stands_in_both_tables_is_heard_once_and_what_follows_in_the_newer_one_too(store):
    store.parted("m1", "user", "use pnpm", second=1)
    store.parted("m2", "assistant", "Shall I commit?", second=2)
    store.whole("m1x", "user", {"text": "use pnpm"}, second=1)
    store.whole("m2x", "assistant", answer({"type": "text", "text": "Shall I commit?"}), second=3)
    store.whole("m3", "user", {"text": "tabs, not spaces"}, second=900)
    assert said(store.read().events) == ["use pnpm", "tabs, not spaces"]


@pytest.mark.parametrize(("text", "words"), [
    ('"use pnpm here"', "use pnpm here"), ('"call it \\"otter\\", please"', 'call it "otter", please'),
    ('"tabs" and "spaces"', '"tabs" and "spaces"'), ("pnpm", "pnpm")])
def test_what_was_typed_behind_the_command_is_heard_without_the_marks_the_program_puts_around_it(store, text, words):
    store.parted("m1", "user", text, second=1)
    assert said(store.read().events) == [words]


@pytest.mark.parametrize("fork", [{"fork": "s-1"}, {"title": "t (fork #1)"}])
def test_a_fork_gives_only_what_is_new_in_it(store, fork):
    store.parted("m1", "user", "use pnpm", second=1)
    store.session("s-2", **fork)
    store.parted("m2", "user", "use pnpm", session="s-2", second=1)
    store.parted("m3", "user", "and tabs", session="s-2", second=50)
    reading = store.read()
    assert said(reading.events) == ["use pnpm", "and tabs"]
    assert contract.REPEATED in {skip.reason for skip in reading.skips}


def test_an_answer_still_being_written_is_read_when_it_is_whole_even_behind_other_sessions(store):
    store.whole("m1", "user", {"text": "use pnpm"})
    store.whole("m2", "assistant", answer({"type": "text", "text": "I will"}, done=False))
    store.session("s-2")
    store.whole("m3", "user", {"text": "use tabs"}, session="s-2")
    first = store.read()
    assert [e.text for e in first.events] == ["use pnpm", "use tabs"]
    assert store.read(first.cursor).events == ()
    whole = answer({"type": "text", "text": "I will do so. Also in the docs?"})
    store.run(("UPDATE session_message SET data = ? WHERE id = 'm2'", (json.dumps(whole),)))
    store.whole("m4", "user", {"text": "no"}, second=9)
    second = store.read(first.cursor)
    assert [(e.text, e.question) for e in second.events] == [
        ("I will do so. Also in the docs?", ""), ("no", "Also in the docs?")]
    assert store.read(second.cursor).events == ()


def test_a_message_in_the_place_of_one_that_was_taken_back_is_read(store):
    store.parted("m1", "user", "use pnpm", second=1)
    store.parted("m2", "user", "use yarn", second=2)
    cursor = store.read().cursor
    store.run("DELETE FROM message WHERE id = 'm2'")
    store.parted("m3", "user", "and tabs", second=3)
    assert said(store.read(cursor).events) == ["and tabs"]


def test_a_summary_of_the_conversation_is_nobodys_statement(store):
    store.parted("m1", "assistant", "The user wants yarn.", second=1, summary=True, mode="compaction")
    store.whole("m2", "compaction", {"status": "completed", "summary": "They want npm.", "recent": ""}, second=900)
    kinds = [(e.kind, e.text) for e in store.read().events]
    assert kinds == [(EventKind.BOUNDARY, ""), (EventKind.SUMMARY, "The user wants yarn."),
                     (EventKind.BOUNDARY, ""), (EventKind.SUMMARY, "They want npm.")]


@pytest.mark.parametrize("state", [
    {"structured": {"answers": [["SQLite"], []]}}, {"metadata": {"answers": [["SQLite"]]}},
    {"content": [{"type": "text", "text": 'User has answered your questions: "Which store?"="SQLite", "And?"="Unanswered". '
                                          'You can now continue with the answers in mind.'}]}])
def test_an_answer_to_the_agents_question_is_found_wherever_the_version_keeps_it(store, state):
    asked = {"questions": [{"question": "Which store?"}, {"question": "And?"}]}
    store.whole("m1", "assistant", answer(
        {"type": "tool", "name": "question", "state": {"status": "completed", "input": asked, **state}}))
    assert [(e.kind, e.question, e.text) for e in store.read().events] == [(EventKind.ANSWER, "Which store?", "SQLite")]


def test_the_sessions_of_sub_agents_stay_out(store):
    store.session("s-2", parent="s-1")
    store.whole("m1", "user", {"text": "look into it"}, session="s-2")
    reading = store.read()
    assert (reading.events, [skip.reason for skip in reading.skips]) == ((), [contract.SIDECHAIN])


def test_a_session_that_only_the_newer_table_knows_is_read_beside_the_others(store):
    store.parted("m1", "user", "use pnpm")
    store.run("CREATE TABLE session_v2 (id TEXT PRIMARY KEY, parent_id TEXT, directory TEXT);"
              "INSERT INTO session_v2 VALUES ('s-9', NULL, '/srv/otter'), ('s-8', 's-9', '/srv/otter');")
    store.whole("m2", "user", {"text": "use tabs"}, session="s-9", second=60)
    store.whole("m3", "user", {"text": "look into it"}, session="s-8", second=61)
    reading = store.read()
    assert [(e.text, e.cwd) for e in reading.events] == [("use pnpm", "/srv/otter"), ("use tabs", "/srv/otter")]
    assert contract.SIDECHAIN in {skip.reason for skip in reading.skips}
