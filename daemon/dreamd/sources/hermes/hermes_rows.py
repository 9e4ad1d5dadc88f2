"""Hermes' state: every message of every session in one table, and what of it a person said."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from dreamd.core.values import Cursor, Reading, content_id
from dreamd.sources.base import contract
from dreamd.sources.base.contract import Head
from dreamd.sources.base.databases import (
    ROWS_BACK,
    UNREADABLE,
    Row,
    columns_of,
    connect,
    read_database,
    read_rows,
    still_there,
    tables_of,
)
from dreamd.sources.base.refusals import Answer
from dreamd.sources.base.tolerant import Record, parse_json, parse_record, text_at, texts_of

NOT_A_PERSON = frozenset({"cron", "batch", "api", "api_server", "webhook", "tool", "subagent", "kanban"})
_JSON_MARK = "\x00json:"
_SUMMARY_STARTS = ("[CONTEXT COMPACTION", "[CONTEXT SUMMARY]:")
_SUMMARY_END = "--- END OF CONTEXT SUMMARY — respond to the message below, not the summary above ---"
_PRIOR_HEAD = "[PRIOR CONTEXT — for reference only; not a new message]"
_PRIOR_END = "[END OF PRIOR CONTEXT — COMPACTION SUMMARY BELOW]"
_SKILL_STARTS = ('[IMPORTANT: The user has invoked the "', '[IMPORTANT: The "')
_ALONGSIDE = "The user has provided the following instruction alongside the skill invocation: "
_ALONGSIDE_END = "\n\n[Runtime note:"
_BUNDLE = "\nUser instruction: "
_BUNDLE_END = "\n\n[Loaded as part of the "
_LOADED_END = "then run them with the terminal tool using the absolute path."
_OWN_ERRANDS = ("Review the conversation above and ",)
_QUESTION_TOOL = "clarify"
_BEGAN_ANEW = frozenset({
    "session_reset", "session_switch", "idle", "daily", "suspended", "resume_pending_expired", "new_session"})
_GOES_ON = frozenset({"compression", "branched"}) | _BEGAN_ANEW
"""Reasons a session ended for after which the person went on in another one."""


class Hermes:
    """Reads the sessions in Hermes' state."""

    kind = "hermes-db"

    def accepts(self, head: Head) -> bool:
        """An SQLite file with sessions and messages that have a role."""
        if not {"sessions", "messages"} <= tables_of(head):
            return False
        try:
            with closing(connect(head.path)) as base:
                return {"session_id", "role", "content"} <= columns_of(base, "messages")
        except UNREADABLE:
            return False

    def read(self, path: Path, cursor: Cursor, *, budget_bytes: int) -> Reading:
        """Read the messages behind the cursor that belong to their session or did so before it was summed up."""
        def read(base: sqlite3.Connection, size: int) -> Reading:
            here = still_there(base, "messages", cursor)
            return read_rows(_rows(base, here.offset - ROWS_BACK), here, size=size, budget_bytes=budget_bytes)

        return read_database(path, cursor, read=read)


@dataclass(frozen=True)
class _Session:
    """What is known about a session; `skip` says why none of it is a person's, where that is so."""

    cwd: str
    skip: str


def _sessions(base: sqlite3.Connection) -> dict[str, _Session]:
    about = columns_of(base, "sessions")
    wanted = ("id", "cwd", "working_directory", "directory", "source", "parent_session_id", "model_config", "end_reason")
    names = [name if name in about else "NULL" for name in wanted]
    found = {str(row[0]): dict(zip(wanted, row, strict=True)) for row in base.execute(
        f"SELECT {', '.join(names)} FROM sessions")}
    return {identity: _Session(text_at(_texts(session), "cwd", "working_directory", "directory"), _why_nobodys(
        session, found.get(str(session["parent_session_id"]), {}))) for identity, session in found.items()}


def _texts(row: Record) -> Record:
    """A row without its empty places, so that the next one in line is looked at."""
    return {key: value for key, value in row.items() if isinstance(value, str) and value}


def _why_nobodys(session: Record, parent: Record) -> str:
    """Why no person talks in a session; empty for one in which somebody may."""
    if text_at(session, "source") in NOT_A_PERSON:
        return contract.OTHER_AGENT
    if not session["parent_session_id"]:
        return ""
    marks = parse_record(text_at(session, "model_config")) or {}
    if marks.get("_delegate_from") == session["parent_session_id"]:
        return contract.SIDECHAIN
    goes_on = "_branched_from" in marks or "_reset_from" in marks or text_at(parent, "end_reason") in _GOES_ON
    return "" if goes_on or not parent else contract.SIDECHAIN


def _rows(base: sqlite3.Connection, after: int) -> Iterator[Row]:
    sessions, columns = _sessions(base), columns_of(base, "messages")
    wanted = ("timestamp", "active", "compacted", "observed", "display_kind", "tool_name", "_compressed_summary")
    names = ", ".join(name if name in columns else "NULL" for name in wanted)
    for number, session, role, content, *rest in base.execute(
            f"SELECT rowid, session_id, role, content, {names} FROM messages WHERE rowid > ? ORDER BY rowid", (after,)):
        marks: Record = dict(zip(wanted, rest, strict=True))
        known = sessions.get(str(session), _Session("", ""))
        text = _plain(content)
        row = Row(int(number), identity_of(marks["timestamp"], str(role or ""), text), str(session), str(role or ""), text,
                  marks["timestamp"], known.cwd)
        if known.skip or (marks["active"] == 0 and not marks["compacted"]):
            yield _changed(row, skip=known.skip or contract.REWOUND)
        else:
            yield as_heard(row, marks)


def identity_of(at: object, role: str, text: str) -> str:
    """What tells a message from others wherever it is written: summing up writes rows anew."""
    return "hermes:" + content_id(f"{at}:{role}", text)


def as_heard(row: Row, marks: Record) -> Row:
    """A message as what it is: a person's words, an answer, a summary, or what the program put there."""
    text = row.text
    if row.role == "user" and (marks.get("observed") or marks.get("display_kind")):
        return _changed(row, role="injected")
    if row.role == "tool" and marks.get("tool_name") == _QUESTION_TOOL:
        return _changed(row, answers=tuple(_answers(text)))
    if row.role in ("user", "assistant") and (marks.get("_compressed_summary") or _carries_summary(text)):
        words = _beside_summary(text)
        return _changed(row, text=words or text, role=row.role if words else "summary")
    if row.role == "user":
        words = _typed(text)
        return _changed(row, text=words or text, role="user" if words else "injected")
    return row


def _changed(row: Row, *, text: str | None = None, role: str = "", skip: str = "", answers: tuple[Answer, ...] = ()) -> Row:
    return Row(row.number, row.identity, row.session, role or row.role, row.text if text is None else text, row.at,
               row.cwd, skip, answers)


def _plain(content: object) -> str:
    """The text of a message, which may be a list of parts behind a mark."""
    text = content if isinstance(content, str) else ""
    if not text.startswith(_JSON_MARK):
        return text
    return "\n".join(texts_of(parse_json(text[len(_JSON_MARK):]), kinds=("text", "input_text", "output_text")))


def _answers(text: str) -> Iterator[Answer]:
    """What a person answered to a question of the agent."""
    given = parse_record(text) or {}
    words = given.get("user_response")
    if isinstance(words, list):
        words = ", ".join(word for word in words if isinstance(word, str))
    if isinstance(words, str) and words.strip() and given.get("timed_out") is not True:
        yield Answer(text_at(given, "question"), words.strip())


def _carries_summary(text: str) -> bool:
    return text.lstrip().startswith(_SUMMARY_STARTS) or _PRIOR_END in text


def _beside_summary(text: str) -> str:
    """What of a message that carries a summary is not part of it."""
    before, merged, _ = text.partition(_PRIOR_END)
    if merged:
        return before.strip().removeprefix(_PRIOR_HEAD).strip()
    return text.partition(_SUMMARY_END)[2].strip()


def _typed(text: str) -> str:
    """What a person typed: the words beside an invoked skill; empty where the program wrote all of it."""
    body = text.strip()
    if body.startswith(_OWN_ERRANDS):
        return ""
    if not body.startswith(_SKILL_STARTS):
        return text
    _, beside, words = body.rpartition(_ALONGSIDE)
    if beside:
        return words.partition(_ALONGSIDE_END)[0].strip()
    _, bundled, words = body.partition(_BUNDLE)
    if bundled:
        return words.partition(_BUNDLE_END)[0].strip()
    return body.rpartition(_LOADED_END)[2].strip() if _LOADED_END in body else ""
