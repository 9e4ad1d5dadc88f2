"""Hermes' sessions as files: what older versions, and those that are asked to, keep beside or instead of their state.

Two shapes in one folder: lines that grow, under the name of the session, and a document that is written anew after each
turn. Which of them the state also has is read there, for it alone knows what was taken back.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from dreamd.core.values import Cursor, Reading
from dreamd.sources.base import contract
from dreamd.sources.base.contract import Head
from dreamd.sources.base.databases import UNREADABLE, Row, connect, tell_row
from dreamd.sources.base.documents import Whole, read_document
from dreamd.sources.base.opening import read_record
from dreamd.sources.base.reading import Sink, read_lines
from dreamd.sources.base.tolerant import Record, parse_record, record_at, records_at, text_at, texts_of
from dreamd.sources.base.turns import Turns
from dreamd.sources.base.unpacking import plain_name
from dreamd.sources.hermes.hermes_rows import NOT_A_PERSON, as_heard, identity_of

_DOCUMENT_KEYS = frozenset({"session_id", "session_start", "last_updated"})
_ROLES = frozenset({"user", "assistant", "tool"})
_SHARED = frozenset({"group", "channel", "supergroup", "thread", "room"})
_DOCUMENT_NAME = "session_"


class HermesTranscript:
    """Reads the lines of one session."""

    kind = "hermes-lines"

    def accepts(self, head: Head) -> bool:
        """A first line that says what the session began with, and no id of its own."""
        first = head.records[0] if head.records else {}
        return text_at(first, "role") == "session_meta" and "type" not in first

    def read(self, path: Path, cursor: Cursor, *, budget_bytes: int) -> Reading:
        """Read the lines behind the cursor."""
        session = plain_name(path).stem
        about = _about(path, session)
        return read_lines(path, cursor, budget_bytes=budget_bytes, make_parser=lambda sink: _Talk(session, about, sink))


class HermesSnapshot:
    """Reads the document of one session."""

    kind = "hermes-document"

    def accepts(self, head: Head) -> bool:
        """A document with the times of a session."""
        return head.keys >= _DOCUMENT_KEYS

    def read(self, path: Path, cursor: Cursor, *, budget_bytes: int) -> Reading:  # noqa: ARG002 one document
        """Read the session as it stands and give what is new in it."""
        return read_document(path, cursor, parse=lambda whole, sink: _read_snapshot(path, whole, sink))


@dataclass(frozen=True)
class _About:
    """What is known about a session; `skip` says why none of it is a person's."""

    skip: str = ""
    shared: bool = False


class _Talk:
    """One session, message by message."""

    def __init__(self, session: str, about: _About, sink: Sink, *, at: object = None) -> None:
        self._session = session
        self._about = about
        self._sink = sink
        self._at = at
        self._begun_at = -1
        self._turns = Turns(sink)

    def recalled(self) -> Sequence[int]:
        """Where it says what the session began with, and the open question and calls."""
        return [offset for offset in (self._begun_at, *self._turns.offsets()) if offset >= 0]

    def take(self, record: Record) -> None:
        """Look at one message."""
        role = text_at(record, "role")
        if role == "session_meta":
            self._begun_at = self._sink.start
            if text_at(record, "platform") in NOT_A_PERSON:
                self._about = _About(contract.OTHER_AGENT)
        skip = self._about.skip
        if skip or role not in _ROLES:
            self._sink.skip(skip or contract.BOOKKEEPING)
            return
        text = "\n".join(texts_of(record.get("content"), kinds=("text", "input_text", "output_text")))
        at = record.get("timestamp") or self._at
        row = as_heard(Row(self._sink.start, identity_of(at, role, text), self._session, role, text, at), record)
        if self._about.shared and row.role == "user":
            row = Row(row.number, row.identity, row.session, "injected", row.text, row.at)
        tell_row(row, self._turns, self._sink)


def _read_snapshot(path: Path, whole: Whole, sink: Sink) -> bool:
    """Hand over a document; False for one that cannot be parsed."""
    document = parse_record(whole.text.removeprefix("\ufeff"))
    if document is None:
        return False
    session = text_at(document, "session_id") or plain_name(path).stem.removeprefix(_DOCUMENT_NAME)
    about = _about(path, session)
    if text_at(document, "platform") in NOT_A_PERSON:
        about = _About(contract.OTHER_AGENT)
    elif path.with_name(f"{session}.jsonl").exists():
        about = _About(contract.REPEATED)
    talk = _Talk(session, about, sink, at=document.get("session_start"))
    for number, message in enumerate(records_at(document, "messages")):
        sink.begin(number, number)
        talk.take(message)
        sink.close()
    return True


def _about(path: Path, session: str) -> _About:
    """Whether a session is one person's, and not in the state as well."""
    if session.startswith(("cron_", "batch_")):
        return _About(contract.OTHER_AGENT)
    if _is_in_state(path.parent.parent / "state.db", session):
        return _About(contract.REPEATED)
    for key, known in read_record(path.with_name("sessions.json")).items():
        if isinstance(known, dict) and text_at(known, "session_id") == session:
            kinds = {text_at(known, "chat_type"), text_at(record_at(known, "origin"), "chat_type"), *key.split(":")[2:]}
            return _About(shared=bool(kinds & _SHARED))
    return _About()


def _is_in_state(state: Path, session: str) -> bool:
    if not state.is_file():
        return False
    try:
        with closing(connect(state)) as base:
            return base.execute("SELECT 1 FROM messages WHERE session_id = ? LIMIT 1", (session,)).fetchone() is not None
    except UNREADABLE:
        return False
