"""Hermes' sessions as files: heard once wherever they are written, and only where one person talks."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing

import pytest
from source_shapes import read_all, said, write_lines

from dreamd.core.values import Cursor, Speaker
from dreamd.sources import SourceRoots, discover
from dreamd.sources.base import contract

META = {"role": "session_meta", "tools": [], "model": "m", "platform": "cli", "timestamp": "2026-09-14T10:00:00.000000"}


def message(role, content, minute=1, **more):
    return {"role": role, "content": content, "timestamp": f"2026-09-14T10:{minute:02d}:00.250000", **more}


TALK = [META, message("user", "water the ferns on Mondays"), message("assistant", "Which ferns?", 2),
        message("user", "the tall ones", 3), message("tool", "ok", 4, tool_name="terminal")]


@pytest.fixture
def sessions(tmp_path):
    return tmp_path / ".hermes" / "sessions"


def document(folder, messages, **more):
    path = folder / "session_h-1.json"
    folder.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"session_id": "h-1", "model": "m", "platform": "cli", "session_start": "2026-09-14T09:00:00",
                                "last_updated": "2026-09-14T10:00:00", "system_prompt": "use yarn", "tools": [],
                                "message_count": len(messages), "messages": messages, **more}, indent=2))
    return path


def kinds(tmp_path):
    return [s.kind for s in discover(SourceRoots(hermes_dirs=(tmp_path / ".hermes",)))]


def test_lines_are_found_and_read_and_go_on(sessions, tmp_path):
    path = write_lines(sessions / "h-1.jsonl", TALK[:3])
    first = read_all(path)
    assert [(e.speaker, e.text, e.conversation) for e in first.events] == [
        (Speaker.HUMAN, "water the ferns on Mondays", "h-1"), (Speaker.AGENT, "Which ferns?", "h-1")]
    write_lines(path, TALK)
    second = read_all(path, first.cursor)
    assert [(e.text, e.question) for e in second.events if e.speaker is Speaker.HUMAN] == [("the tall ones", "Which ferns?")]
    assert kinds(tmp_path) == ["hermes-lines"]


def test_a_document_is_read_and_only_what_is_new_in_it_later(sessions, tmp_path):
    path = document(sessions, TALK[1:3])
    first = read_all(path)
    assert said(first.events) == ["water the ferns on Mondays"]
    document(sessions, TALK[1:])
    assert said(read_all(path, first.cursor).events) == ["the tall ones"]
    assert kinds(tmp_path) == ["hermes-document"]


def test_a_document_beside_the_lines_of_its_session_says_nothing_again(sessions):
    write_lines(sessions / "h-1.jsonl", TALK)
    reading = read_all(document(sessions, TALK[1:]))
    assert reading.events == () and {s.reason for s in reading.skips} == {contract.REPEATED}


def test_a_session_that_the_state_has_is_read_there(sessions):
    path = write_lines(sessions / "h-1.jsonl", TALK)
    with closing(sqlite3.connect(sessions.parent / "state.db")) as base:
        base.execute("CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id TEXT, role TEXT, content TEXT)")
        base.execute("INSERT INTO messages VALUES (1, 'h-1', 'user', 'water the ferns on Mondays')")
        base.commit()
    assert read_all(path).events == ()
    other = write_lines(sessions / "h-2.jsonl", TALK)
    assert said(read_all(other).events) == ["water the ferns on Mondays", "the tall ones"]


@pytest.mark.parametrize("talk", [
    [{**META, "platform": "cron"}, *TALK[1:]], [META, message("user", "use yarn", display_kind="hidden")]])
def test_what_a_program_said_is_no_persons_word(sessions, talk):
    assert said(read_all(write_lines(sessions / "h-1.jsonl", talk)).events) == []


def test_what_a_program_began_stays_the_programs_in_a_later_reading(sessions):
    path, cursor = write_lines(sessions / "h-1.jsonl", [{**META, "platform": "cron"}, *TALK[1:]]), Cursor()
    for _ in TALK:
        reading = read_all(path, cursor, budget_bytes=1)
        cursor = reading.cursor
        assert said(reading.events) == []


def test_a_group_says_nothing_in_one_persons_name(sessions):
    path = write_lines(sessions / "h-1.jsonl", TALK)
    (sessions / "sessions.json").write_text(json.dumps({"agent:main:telegram:group:7": {"session_id": "h-1"}}))
    assert said(read_all(path).events) == []


@pytest.mark.parametrize("body", [
    "{}", "[]", "{\"session_id\": 5, \"session_start\": [], \"last_updated\": {}, \"messages\": 7}",
    "{\"session_id\": \"h-1\", \"session_start\": 1, \"last_updated\": 2, \"messages\": [1, {}, "
    "{\"role\": [], \"content\": 3}, {\"role\": \"user\", \"content\": {\"a\": 1}}]}"])
def test_a_document_that_makes_no_sense_is_no_error(sessions, body):
    sessions.mkdir(parents=True)
    path = sessions / "session_h-1.json"
    path.write_text(body)
    for source in discover(SourceRoots(hermes_dirs=(sessions.parent,))):
        assert said(read_all(source.path).events) == []
