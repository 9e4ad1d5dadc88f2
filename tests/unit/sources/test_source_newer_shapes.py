"""What newer versions of Gemini, Cursor, Copilot and VS Code write, beside the shapes they have always had."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from datetime import UTC, datetime

import pytest
from source_shapes import read_all, said, write_lines

from dreamd.core.values import EventKind, Speaker
from dreamd.sources import SourceRoots, adapter_for, discover
from dreamd.sources.base import contract
from dreamd.sources.cursor.cursor_lines import sent_at

# ----- Gemini

GEMINI = {"sessionId": "g-1", "projectHash": "ab", "startTime": "2026-08-10T12:00:00Z"}


def gemini(uid, kind, content, **more):
    return {"id": uid, "timestamp": "2026-08-10T12:00:00.000Z", "type": kind, "content": content, **more}


def test_what_gemini_replaced_by_a_summary_was_said_all_the_same(tmp_path):
    path = write_lines(tmp_path / "session.jsonl", [
        GEMINI, gemini("1", "user", "use pnpm"), gemini("2", "gemini", "Done."), gemini("3", "user", "and tabs"),
        {"$set": {"messages": [
            gemini("8", "user", [{"text": "<state_snapshot>\nThey want yarn.\n</state_snapshot>"}]),
            gemini("9", "user", "and tabs")]}},
        gemini("10", "user", "commit")])
    assert said(read_all(path).events) == ["use pnpm", "and tabs", "commit"]


def test_a_history_that_gemini_takes_up_again_under_new_numbers_is_the_same_history(tmp_path):
    lines = [GEMINI, gemini("1", "user", "use pnpm"), gemini("2", "gemini", "Done."), gemini("3", "user", "yes"),
             gemini("4", "user", "yes")]
    path = write_lines(tmp_path / "session.jsonl", lines)
    first = read_all(path)
    again = [gemini(str(n), "user", text) for n, text in enumerate(("use pnpm", "yes", "yes", "and tabs"), 11)]
    write_lines(path, [*lines, *again, {"$set": {"messages": again}}])
    known = {event.uid for event in first.events}
    assert len(known) == len(first.events)
    assert [event.text for event in read_all(path, first.cursor).events if event.uid not in known] == ["and tabs"]


def test_a_session_of_gemini_in_both_forms_is_one_source(tmp_path):
    chats = tmp_path / "tmp" / "otter" / "chats"
    write_lines(chats / "session-1.jsonl", [GEMINI, gemini("1", "user", "use pnpm")])
    (chats / "session-1.json").write_text(json.dumps({**GEMINI, "messages": []}))
    assert [s.path.name for s in discover(SourceRoots(gemini_dirs=(tmp_path,)))] == ["session-1.jsonl"]


# ----- Cursor


def cursor(role, *content):
    return {"role": role, "message": {"content": list(content)}}


def typed(text):
    sent = "<timestamp>Tuesday, Jul 21, 2026, 6:56 PM (UTC+8)</timestamp>"
    return {"type": "text", "text": f"{sent}\n<user_query>\n{text}\n</user_query>"}


def test_a_cursor_transcript_says_when_something_was_sent_and_what_was_written_to_memory(tmp_path):
    path = write_lines(tmp_path / "k.jsonl", [
        cursor("user", typed("use pnpm")),
        cursor("assistant", {"type": "text", "text": "Noted."},
               {"type": "tool_use", "name": "Write", "input": {"path": "/srv/memory/a.md", "contents": "pnpm"}},
               {"type": "tool_use", "name": "StrReplace", "input": {"path": "/srv/memory/b.md", "old_string": "a",
                                                                    "new_string": "tabs"}}),
        {"type": "turn_ended", "status": "completed"}])
    reading = read_all(path)
    assert [(e.text, e.at) for e in reading.events if e.speaker is Speaker.HUMAN] == [
        ("use pnpm", datetime(2026, 7, 21, 10, 56, tzinfo=UTC))]
    assert [e.text for e in reading.events if e.kind is EventKind.MEMORY_WRITE] == ["pnpm", "tabs"]
    assert not {skip.reason for skip in reading.skips} - contract.ORDINARY


@pytest.mark.parametrize(("stamp", "at"), [
    ("Monday, Mar 2, 2026, 12:05 AM", datetime(2026, 3, 2, 0, 5, tzinfo=UTC)),
    ("Monday, Mar 2, 2026, 12:05 PM (UTC-3:30)", datetime(2026, 3, 2, 15, 35, tzinfo=UTC)),
    ("Monday, Mai 2, 2026, 12:05 PM", None), ("Monday, Feb 31, 2026, 12:05 PM", None),
    ("Monday, Mar 2, 2026, 12:05 PM (UTC+99)", datetime(2026, 3, 2, 12, 5, tzinfo=UTC))])
def test_a_time_is_read_as_it_is_read_out(stamp, at):
    assert sent_at(f"<timestamp>{stamp}</timestamp>\n<user_query>x</user_query>") == at


def test_the_transcripts_of_cursors_sub_agents_stay_out(tmp_path):
    talk = tmp_path / "projects" / "p" / "agent-transcripts" / "k"
    write_lines(talk / "k.jsonl", [cursor("user", typed("use pnpm"))])
    write_lines(talk / "subagents" / "s.jsonl", [cursor("user", typed("look into it"))])
    assert [s.path.name for s in discover(SourceRoots(cursor_dirs=(tmp_path,)))] == ["k.jsonl"]


# ----- Copilot CLI


def copilot(kind, body, uid, **more):
    return {"type": kind, "data": body, "id": uid, "timestamp": "2026-07-19T23:12:34.849Z", "parentId": None, **more}


def test_copilot_events_of_sub_agents_and_of_other_sessions_are_not_the_persons(tmp_path):
    path = write_lines(tmp_path / "c-1" / "events.jsonl", [
        copilot("session.start", {"sessionId": "c-1", "context": {"cwd": "/srv/otter"}}, "1"),
        copilot("user.message", {"content": "", "transformedContent": "<current_datetime>now</current_datetime>\n\nuse pnpm\n\n"
                                 "<reminder>use yarn</reminder>"}, "2"),
        copilot("user.message", {"content": "look into it"}, "3", agentId="a-1"),
        copilot("user.message", {"content": "use npm", "inputOrigin": "authenticated-cross-session"}, "4"),
        copilot("user.message", {"content": "use bun", "integrity": "untrusted"}, "5"),
        copilot("model.call_failure", {}, "6"), copilot("commands.changed", {}, "7"), copilot("tools.updated", {}, "8")])
    reading = read_all(path)
    assert said(reading.events) == ["use pnpm"]
    assert contract.SIDECHAIN in {skip.reason for skip in reading.skips} <= contract.ORDINARY


def test_a_copilot_session_whose_events_name_no_directory_says_it_beside_them(tmp_path):
    path = write_lines(tmp_path / "session-state" / "c-1" / "events.jsonl", [
        copilot("session.start", {"sessionId": "c-1", "cwd": None}, "1"),
        copilot("user.message", {"content": "use pnpm"}, "2")])
    path.with_name("workspace.yaml").write_text("id: c-1\ncwd: /srv/otter/x\ngit_root: '/srv/otter'\nbranch: main\n")
    (event,) = read_all(path).events
    assert (event.cwd, event.branch) == ("/srv/otter", "main")
    assert [s.project_key for s in discover(SourceRoots(copilot_dirs=(tmp_path,)))] == ["otter"]


# ----- VS Code


def test_a_vscode_chat_knows_answers_to_its_questions_and_what_was_stopped(tmp_path):
    questions = [{"id": "q1", "type": "singleSelect", "title": "Which store?", "options": [
        {"id": "a", "label": "SQLite", "value": "v-a"}]}, {"id": "q2", "type": "text", "title": "Its name?"},
        {"id": "q3", "type": "multiSelect", "title": "Which days?"}]
    carousel = {"kind": "questionCarousel", "questions": questions, "isUsed": True, "data": {
        "q1": {"selectedValue": "v-a"}, "q2": "otter", "q3": {"selectedValues": ["Mon", "Tue"], "freeformValue": "or later"}}}
    path = tmp_path / "c.jsonl"
    path.write_text(json.dumps({"kind": 0, "v": {"version": 3, "sessionId": "v-1", "creationDate": 1786363200000, "requests": [
        {"requestId": "r1", "timestamp": 1786363200000, "message": {"text": "set it up"}, "modelState": {"value": 2},
         "response": [{"value": "Let me ask."}, carousel, {"kind": "questionCarousel", "questions": questions}]},
        {"requestId": "r2", "timestamp": 1786363200000, "message": {"text": "not so"}, "response": []}]}}) + "\n")
    reading = read_all(path)
    assert [(e.question, e.text) for e in reading.events if e.kind is EventKind.ANSWER] == [
        ("Which store?", "SQLite"), ("Its name?", "otter"), ("Which days?", "Mon, Tue, or later")]
    assert [(e.text, e.title) for e in reading.events if e.kind is EventKind.PROMPT] == [
        ("set it up", ""), ("not so", "interrupted")]


def test_the_second_copy_of_a_vscode_chat_is_read_only_where_the_first_is_gone(tmp_path):
    storage = tmp_path / "workspaceStorage" / "a1"
    path = write_lines(storage / "GitHub.copilot-chat" / "transcripts" / "v-1.jsonl", [
        copilot("session.start", {"sessionId": "v-1"}, "1"), copilot("user.message", {"content": "use pnpm"}, "2")])
    assert said(read_all(path).events) == ["use pnpm"]
    (storage / "chatSessions").mkdir()
    (storage / "chatSessions" / "v-1.json").write_text("{}")
    assert adapter_for(path) is None


# ----- Cursor's stores


def blobs(path, texts, *, meta=None, beside=None):
    path.parent.mkdir(parents=True)
    with closing(sqlite3.connect(path)) as base:
        base.executescript("CREATE TABLE blobs (id TEXT PRIMARY KEY, data BLOB); CREATE TABLE meta (key TEXT, value TEXT);")
        base.execute("INSERT INTO meta VALUES ('0', ?)", (json.dumps(meta or {"agentId": path.parent.name}).encode().hex(),))
        for number, text in enumerate(texts):
            base.execute("INSERT INTO blobs VALUES (?, ?)", (f"h{number}", json.dumps(
                {"role": "user", "content": [{"type": "text", "text": text}]}).encode()))
        base.commit()
    if beside:
        path.with_name("meta.json").write_text(json.dumps(beside))
    return path


def test_a_store_of_cursors_command_line_says_beside_it_where_and_when(tmp_path):
    stamp = "<timestamp>Tuesday, Jul 21, 2026, 6:56 PM (UTC+8)</timestamp>\n"
    path = blobs(tmp_path / "chats" / "0f" / "s-1" / "store.db", [
        "<user_query>use pnpm</user_query>", stamp + "<user_query>and tabs</user_query>"],
        beside={"schemaVersion": 1, "cwd": "/srv/otter", "createdAtMs": 1786363200000})
    assert [(e.text, e.cwd, e.at) for e in read_all(path).events] == [
        ("use pnpm", "/srv/otter", datetime(2026, 8, 10, 12, tzinfo=UTC)),
        ("and tabs", "/srv/otter", datetime(2026, 7, 21, 10, 56, tzinfo=UTC))]


@pytest.mark.parametrize(("meta", "beside", "reason"), [
    ({"subagentInfo": {"parentAgentId": "s-0"}}, None, contract.SIDECHAIN), ({}, {"isSubagent": True}, contract.SIDECHAIN),
    ({"agentId": "s-1"}, None, contract.REPEATED)])
def test_a_store_of_a_sub_agent_or_of_a_talk_that_has_a_transcript_is_passed_over(tmp_path, meta, beside, reason):
    if reason is contract.REPEATED:
        write_lines(tmp_path / ".cursor" / "projects" / "p" / "agent-transcripts" / "s-1" / "s-1.jsonl", [
            cursor("user", typed("use pnpm"))])
    path = blobs(tmp_path / ".cursor" / "chats" / "0f" / "s-1" / "store.db", ["<user_query>use pnpm</user_query>"],
                 meta=meta, beside=beside)
    reading = read_all(path)
    assert (reading.events, [skip.reason for skip in reading.skips]) == ((), [reason])


def editor(path, talks):
    """The editor's store; each conversation with what is known about it, its messages and those of them it lists."""
    with closing(sqlite3.connect(path)) as base:
        base.executescript("CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);"
                           "CREATE TABLE composerHeaders (composerId TEXT PRIMARY KEY, value TEXT, isSubagent INTEGER);")
        for name, about, messages, listed in talks:
            for identity, body in messages.items():
                base.execute("INSERT INTO cursorDiskKV VALUES (?, ?)", (f"bubbleId:{name}:{identity}", json.dumps(body)))
            heads = {"fullConversationHeadersOnly": [{"bubbleId": i} for i in listed], **about}
            base.execute("INSERT INTO cursorDiskKV VALUES (?, ?)", (f"composerData:{name}", json.dumps(heads)))
            base.execute("INSERT INTO composerHeaders VALUES (?, '{}', ?)", (name, int(about.get("child", 0))))
        base.commit()
    return path


def test_the_editors_newer_store_says_who_began_a_talk_where_it_was_and_what_was_taken_back(tmp_path):
    def said_by(kind, text, **more):
        return {"type": kind, "text": text, "createdAt": "2026-02-09T10:00:00.000Z", **more}

    place = {"workspaceIdentifier": {"id": "a1", "uri": {"$mid": 1, "fsPath": "/srv/otter", "scheme": "file"}}}
    path = editor(tmp_path / "state.vscdb", [
        ("k-1", place, {"b1": said_by(1, "use pnpm"), "b2": said_by(1, "use yarn"), "b3": said_by(1, "and tabs"),
                        "b4": said_by(2, "They want npm.", capabilityType=22)}, ["b1", "b3", "b4"]),
        ("k-2", {**place, "subagentInfo": {"parentComposerId": "k-1"}}, {"c1": said_by(1, "look into it")}, ["c1"]),
        ("k-3", {**place, "child": 1}, {"d1": said_by(1, "look further")}, ["d1"])])
    reading = read_all(path)
    assert [(e.speaker, e.text, e.cwd) for e in reading.events] == [
        (Speaker.HUMAN, "use pnpm", "/srv/otter"), (Speaker.HUMAN, "and tabs", "/srv/otter")]
    assert [skip.reason for skip in reading.skips].count(contract.SIDECHAIN) == 2
