"""Hermes' state as newer versions keep it, and its files of memories."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing

import pytest
from source_shapes import said

from dreamd.core.values import Cursor, EventKind, MemoryType, Speaker
from dreamd.sources import SourceRoots, adapter_for, discover
from dreamd.sources.base import contract

SCHEMA = """
PRAGMA synchronous = OFF;
CREATE TABLE sessions (id TEXT PRIMARY KEY, source TEXT, parent_session_id TEXT, model_config TEXT, end_reason TEXT, cwd TEXT);
CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT, role TEXT, content TEXT, tool_name TEXT,
    timestamp REAL, observed INTEGER DEFAULT 0, active INTEGER DEFAULT 1, compacted INTEGER DEFAULT 0, display_kind TEXT);
INSERT INTO sessions VALUES ('h-1', 'cli', NULL, NULL, NULL, '/srv/otter');
"""


class State:
    """A made-up state that tests write to message by message."""

    def __init__(self, path):
        self.path = path
        with closing(sqlite3.connect(path)) as base:
            base.executescript(SCHEMA)

    def run(self, statement, *given):
        with closing(sqlite3.connect(self.path)) as base:
            base.execute("PRAGMA synchronous = OFF")
            base.execute(statement, given)
            base.commit()

    def session(self, identity, *, source="cli", parent=None, marks=None):
        self.run("INSERT INTO sessions VALUES (?, ?, ?, ?, NULL, '/srv/otter')", identity, source, parent,
                 json.dumps(marks) if marks else None)

    def message(self, role, content, *, session="h-1", at=1786363200.25, **more):
        names = ["session_id", "role", "content", "timestamp", *more]
        self.run(f"INSERT INTO messages ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})",
                 session, role, content, at, *more.values())

    def read(self, cursor=None):
        return adapter_for(self.path).read(self.path, cursor or Cursor(), budget_bytes=1 << 20)


@pytest.fixture
def state(tmp_path):
    return State(tmp_path / "state.db")


def test_a_message_of_parts_is_read_as_its_text(state):
    state.message("user", "\x00json:" + json.dumps([{"type": "text", "text": "use pnpm"}, {"type": "image_url"}]))
    assert said(state.read().events) == ["use pnpm"]


def test_what_was_summed_up_is_still_said_once_and_what_was_taken_back_is_not(state):
    state.message("user", "use pnpm", at=1.5, active=0, compacted=1)
    state.message("user", "use yarn", at=2.5, active=0)
    state.message("user", "use pnpm", at=1.5)
    reading = state.read()
    assert said(reading.events) == ["use pnpm"]
    assert {contract.REWOUND, contract.REPEATED} <= {skip.reason for skip in reading.skips}


def test_a_message_written_anew_after_summing_up_keeps_its_identity(state):
    state.message("user", "use pnpm", at=1.5)
    first = state.read()
    state.session("h-2", parent="h-1")
    state.run("UPDATE sessions SET end_reason = 'compression' WHERE id = 'h-1'")
    state.message("user", "use pnpm", at=1.5, session="h-2")
    assert state.read(first.cursor).events[0].uid == first.events[0].uid


@pytest.mark.parametrize(("text", "heard", "kind"), [
    ("[CONTEXT COMPACTION — REFERENCE ONLY] They want yarn.", [], EventKind.SUMMARY),
    ("[CONTEXT COMPACTION — REFERENCE ONLY] They want yarn.\n--- END OF CONTEXT SUMMARY — respond to the message below, "
     "not the summary above ---\n\nuse pnpm", ["use pnpm"], EventKind.PROMPT),
    ("[PRIOR CONTEXT — for reference only; not a new message]\nuse pnpm\n\n[END OF PRIOR CONTEXT — COMPACTION SUMMARY "
     "BELOW]\n[CONTEXT COMPACTION] They want yarn.", ["use pnpm"], EventKind.PROMPT)])
def test_a_summary_is_nobodys_statement_and_the_words_beside_it_are(state, text, heard, kind):
    state.message("user", text)
    reading = state.read()
    assert said(reading.events) == heard
    assert reading.events[-1].kind is kind


@pytest.mark.parametrize("more", [{"observed": 1}, {"display_kind": "hidden"}, {"display_kind": "model_switch"}])
def test_what_others_wrote_or_the_program_put_there_is_not_the_persons(state, more):
    state.message("user", "use yarn", **more)
    (event,) = state.read().events
    assert (event.speaker, event.text) == (Speaker.INJECTED, "use yarn")


SKILL = '[IMPORTANT: The user has invoked the "release" skill, so follow it.]\n\nAlways use yarn.\n\n'


@pytest.mark.parametrize(("text", "heard"), [
    (SKILL + "The user has provided the following instruction alongside the skill invocation: tag it as 2.0\n\n"
     "[Runtime note: today]", ["tag it as 2.0"]),
    (SKILL + "\nUser instruction: tag it as 2.0\n\n[Loaded as part of the \"ops\" bundle]", ["tag it as 2.0"]),
    (SKILL, []), ("Review the conversation above and save what matters.", []),
    ("[IMPORTANT: the tests must stay green]", ["[IMPORTANT: the tests must stay green]"])])
def test_of_an_invoked_skill_only_the_instruction_is_the_persons(state, text, heard):
    state.message("user", text)
    assert said(state.read().events) == heard


def test_an_answer_to_a_question_of_the_agent_is_an_answer(state):
    state.message("tool", json.dumps({"question": "Which store?", "choices_offered": ["A"], "user_response": "SQLite"}),
                  tool_name="clarify")
    state.message("tool", json.dumps({"question": "And?", "user_response": None}), tool_name="clarify")
    answered, silent = state.read().events
    assert (answered.kind, answered.question, answered.text) == (EventKind.ANSWER, "Which store?", "SQLite")
    assert silent.speaker is Speaker.TOOL


@pytest.mark.parametrize(("source", "marks", "ended", "heard"), [
    ("cli", None, None, False), ("cli", {"_delegate_from": "h-1"}, "compression", False), ("cli", None, "compression", True),
    ("cli", {"_branched_from": "h-1"}, None, True), ("telegram", {"_reset_from": "h-1"}, None, True),
    ("subagent", {"_branched_from": "h-1"}, None, False), ("kanban", None, "compression", False)])
def test_a_session_below_another_is_the_persons_only_where_they_went_on_in_it(state, source, marks, ended, heard):
    state.session("h-2", source=source, parent="h-1", marks=marks)
    state.run("UPDATE sessions SET end_reason = ? WHERE id = 'h-1'", ended)
    state.message("user", "use pnpm", session="h-2")
    assert bool(said(state.read().events)) is heard


def test_a_file_with_a_single_entry_is_read_like_one_with_many(tmp_path):
    memories = tmp_path / "memories"
    memories.mkdir()
    (tmp_path / "config.yaml").write_text("model: m\n")
    (memories / "USER.md").write_text("Ada prefers tea")
    (memories / "MEMORY.md").write_text("The repository\nuses pnpm")
    found = discover(SourceRoots(hermes_dirs=(tmp_path,)))
    assert [(s.path.name, s.kind) for s in found] == [("MEMORY.md", "hermes"), ("USER.md", "hermes")]
    texts = [(e.text, e.type_hint) for s in found
             for e in adapter_for(s.path).read(s.path, Cursor(), budget_bytes=1 << 20).events]
    assert texts == [("The repository\nuses pnpm", ""), ("Ada prefers tea", MemoryType.USER)]
