"""Conversations in SQLite, opened for reading only and without leaving a trace: what all have in common, and Cursor's.

Their tables are nobody's promise, so every column and every key is looked for before it is read. A reading stays within
one working directory: what was said in two projects must never be taken for one.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from dreamd.core.values import Cursor, Event, EventKind, Reading, Speaker
from dreamd.sources.base import contract
from dreamd.sources.base.contract import Head
from dreamd.sources.base.human_words import separate
from dreamd.sources.base.opening import Unopened, open_source, read_start
from dreamd.sources.base.reading import Sink, unread
from dreamd.sources.base.refusals import Answer
from dreamd.sources.base.tolerant import Record, moment, parse_record, record_at, records_at, text_at
from dreamd.sources.base.turns import Turns

SQLITE_MAGIC = b"SQLite format 3\x00"
UNREADABLE = (sqlite3.Error, UnicodeDecodeError)
"""What a damaged file raises; the second when SQLite's own words about it quote bytes of it."""
LOOKED_BACK = 6
"""Messages before the cursor that are looked at again: they may hold the question that is answered next."""
ROWS_BACK = 50
ROWS_AT_ONCE = 500
_STEPS_BACK = (0, 1, 2, 4, 8, 16, 64, 256, 1024)
_WORKSPACE = re.compile(r"<user_info>.{0,2000}?Workspace Path: ([^\n<]{1,1000})", re.DOTALL)
_HIGHEST = 8
_TRANSCRIPT_START = 16 * 1024
_SUMMED_UP = 22
"""The kind of message by which the editor marks where a conversation was summed up."""


def connect(path: Path) -> sqlite3.Connection:
    """Open for reading. Without a journal beside it the file is taken as it is, so that SQLite leaves no files."""
    journal = path.with_name(path.name + "-wal")
    mode = "mode=ro" if journal.exists() else "mode=ro&immutable=1"
    base = sqlite3.connect(f"{path.absolute().as_uri()}?{mode}", uri=True, timeout=2.0)
    base.execute("PRAGMA query_only = 1")
    base.text_factory = lambda raw: raw.decode("utf-8", "replace")
    return base


def tables_of(head: Head) -> set[str]:
    """The tables of a database; empty for any other file."""
    if not head.start.startswith(SQLITE_MAGIC):
        return set()
    try:
        with closing(connect(head.path)) as base:
            return {str(name) for (name,) in base.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    except UNREADABLE:
        return set()


def read_database(path: Path, cursor: Cursor, *, read: Callable[[sqlite3.Connection, int], Reading]) -> Reading:
    """Open a database and read it; what cannot be opened or understood is a reason, never an error."""
    try:
        with open_source(path) as handle:
            size = handle.seek(0, 2)
        with closing(connect(path)) as base:
            return read(base, size)
    except Unopened as error:
        return unread(cursor, error.reason)
    except (*UNREADABLE, OSError):
        return unread(cursor, contract.UNREADABLE)


def columns_of(base: sqlite3.Connection, table: str) -> set[str]:
    """The columns of a table; empty where it is not there."""
    return {str(row[1]) for row in base.execute(f"PRAGMA table_info({table})")}


def row_of(base: sqlite3.Connection, table: str, key: str, value: str) -> Record:
    """One row of a table under its columns' names, without the long ones; empty where it is not there."""
    names = sorted(name for name in columns_of(base, table) if not name.endswith(("_json", "_blob", "_zstd")))
    if key not in names:
        return {}
    found = base.execute(f"SELECT {', '.join(names)} FROM {table} WHERE {key} = ?", (value,)).fetchone()
    return dict(zip(names, found, strict=True)) if found else {}


def workspace_in(text: str) -> str:
    """The working directory that Cursor names before a person's first words; empty when it does not."""
    found = _WORKSPACE.search(text[:8000]) if "Workspace Path:" in text[:8000] else None
    return found[1].strip() if found else ""


class CursorIde:
    """Reads the conversations in the editor's own store; those it also keeps as transcripts are left to these."""

    kind = "cursor-db"

    def accepts(self, head: Head) -> bool:
        """An SQLite file with the editor's table of keys and values."""
        return "cursorDiskKV" in tables_of(head)

    def read(self, path: Path, cursor: Cursor, *, budget_bytes: int) -> Reading:
        """Read the conversations that moved since the cursor, which is the last row that was read."""
        return read_database(path, cursor, read=lambda base, size: _Composers(base, path, cursor).read(size, budget_bytes))


@dataclass(frozen=True)
class _Bubble:
    row: int
    identity: str
    body: Record


class _Composers:
    """One read of the editor's store. A row that changes gets a new number, so what is new lies behind the last one."""

    def __init__(self, base: sqlite3.Connection, path: Path, cursor: Cursor) -> None:
        self._base = base
        self._path = path
        last = base.execute("SELECT coalesce(max(rowid), 0) FROM cursorDiskKV").fetchone()[0]
        self._last = int(last)
        self._after = cursor.offset if 0 <= cursor.offset <= self._last else 0
        self._heads = columns_of(base, "composerHeaders")
        self._sink = Sink()
        self._spent = 0

    def read(self, size: int, budget_bytes: int) -> Reading:
        """Whole conversations, as many as the budget and the directory of the first allow."""
        waiting = self._moved()
        where: str | None = None
        while waiting:
            composer = next(iter(waiting))
            bubbles, about = self._bubbles(composer)
            cwd = next((c for b in bubbles if (c := _folder(b.body))), _folder(about))
            if self._spent and (self._spent >= budget_bytes or cwd != where):
                break
            where = cwd
            del waiting[composer]
            self._tell(composer, about, bubbles, cwd=cwd)
            self._spent += 1
        offset = min(waiting.values()) - 1 if waiting else self._last
        rows = max(0, offset - self._after)
        sink = self._sink
        return Reading(tuple(sink.events), Cursor(offset, size), tuple(sink.skips), rows, sink.prompts, not waiting)

    def _moved(self) -> dict[str, int]:
        """Conversations with new rows, each with its first one, in the order in which they moved."""
        found: dict[str, int] = {}
        for row, key in self._base.execute(
                "SELECT rowid, key FROM cursorDiskKV WHERE rowid > ? AND (key >= 'bubbleId:' AND key < 'bubbleId;' "
                "OR key >= 'composerData:' AND key < 'composerData;') ORDER BY rowid", (self._after,)):
            found.setdefault(str(key).split(":")[1], int(row))
        return found

    def _bubbles(self, composer: str) -> tuple[list[_Bubble], Record]:
        """The messages of a conversation in its own order, and what is known about it."""
        row, about = self._value(f"composerData:{composer}")
        inline = [_Bubble(row, text_at(b, "bubbleId") or f"{composer}:{n}", b)
                  for n, b in enumerate(records_at(about, "conversation"))]
        stored = {}
        for number, key, raw in self._base.execute("SELECT rowid, key, value FROM cursorDiskKV WHERE key >= ? AND key < ?",
                                                   (f"bubbleId:{composer}:", f"bubbleId:{composer};")):
            identity = str(key).rpartition(":")[2]
            stored[identity] = _Bubble(int(number), identity, record_in(raw))
        order = [text_at(h, "bubbleId") for h in records_at(about, "fullConversationHeadersOnly")]
        listed = [stored.pop(identity) for identity in order if identity in stored]
        since = row if order else 0  # what was there when the list was written, and is not in it, was taken back
        return inline + listed + sorted((b for b in stored.values() if b.row > since), key=lambda b: b.row), about

    def _tell(self, composer: str, about: Record, bubbles: list[_Bubble], *, cwd: str) -> None:
        sink, turns = self._sink, Turns(self._sink)
        new = [b.row > self._after for b in bubbles]
        begin = max(0, (new.index(True) if True in new else len(new)) - LOOKED_BACK)
        child = self._is_child(composer, about)
        set_aside = child or has_transcript(self._path, composer)
        began = moment(about.get("createdAt"))
        for bubble in bubbles[begin:]:
            sink.muted = bubble.row <= self._after
            sink.begin(bubble.row, bubble.row)
            self._spent += 0 if sink.muted else len(str(bubble.body))
            if set_aside:
                sink.skip(contract.SIDECHAIN if child else contract.REPEATED)
            else:
                sent = bubble.body.get("createdAt") or record_at(bubble.body, "timingInfo").get("clientRpcSendTime")
                _hear_bubble(turns, Event(Speaker.AGENT, EventKind.PROSE, "", moment(sent) or began, composer, 0, 0,
                                          uid=f"cursor:{bubble.identity}", cwd=cwd), bubble.body)
            sink.close()
        sink.muted = False

    def _is_child(self, composer: str, about: Record) -> bool:
        """Whether an agent began the conversation, which newer versions say in a table of their own too."""
        if text_at(about, "parentComposerId") or text_at(record_at(about, "subagentInfo"), "parentComposerId"):
            return True
        if not {"composerId", "isSubagent"} <= self._heads:
            return False
        found = self._base.execute("SELECT isSubagent FROM composerHeaders WHERE composerId = ?", (composer,)).fetchone()
        return bool(found and found[0])

    def _value(self, key: str) -> tuple[int, Record]:
        found = self._base.execute("SELECT rowid, value FROM cursorDiskKV WHERE key = ?", (key,)).fetchone()
        return (int(found[0]), record_in(found[1])) if found else (0, {})


def _hear_bubble(turns: Turns, event: Event, bubble: Record) -> None:
    """One message of the editor: 1 is a person's, 2 the agent's, with what a tool did beside it."""
    text = text_at(bubble, "text")
    if bubble.get("capabilityType") == _SUMMED_UP:
        return
    if bubble.get("type") == 1:
        turns.hear(event, separate(text))
        return
    tool = record_at(bubble, "toolFormerData")
    if tool:
        name = text_at(tool, "name")
        arguments = parse_record(text_at(tool, "rawArgs", "params")) or {}
        turns.call(event, (text_at(tool, "toolCallId") or event.uid, name, arguments))
        if text_at(tool, "userDecision") == "rejected":
            turns.stop("refused")
        elif text_at(tool, "result"):
            turns.result(event, text_at(tool, "result"), name=name)
    turns.prose(event, text)


def _folder(record: Record) -> str:
    """The workspace a message or a conversation was in; empty when nothing says so."""
    opened = text_at(record_at(record_at(record, "workspaceIdentifier"), "uri"), "fsPath", "path")
    if opened:
        return opened
    uris = record.get("workspaceUris")
    first = uris[0] if isinstance(uris, list) and uris and isinstance(uris[0], str) else ""
    if first.startswith("file:"):
        return unquote(urlsplit(first).path)
    return first if first.startswith("/") else workspace_in(text_at(record, "text"))


def has_transcript(path: Path, composer: str) -> bool:
    """Whether the words of a conversation also stand in a transcript, which is read by itself; some only mark turns."""
    homes = [above / ".cursor" / "projects" for above in list(path.absolute().parents)[:_HIGHEST]]
    kept = (found for home in homes if home.is_dir() for found in home.glob(f"*/agent-transcripts/{composer}*"))
    return any(_has_words(file) for found in kept for file in (found.glob("*") if found.is_dir() else (found,)))


def _has_words(transcript: Path) -> bool:
    try:
        start = read_start(transcript, _TRANSCRIPT_START)
    except Unopened:  # a folder of sub-agents
        return False
    return b'"role"' in start or (transcript.suffix == ".txt" and b"user:" in start)


@dataclass(frozen=True)
class Row:
    """One message of a table: its number, whose it is and what it says."""

    number: int
    identity: str
    session: str
    role: str
    text: str
    at: object = None
    cwd: str = ""
    skip: str = ""
    """Why it is passed over, where it is."""
    answers: tuple[Answer, ...] = ()
    """What a person answered in it, where it belongs to a question of the agent."""


def read_rows(rows: Iterator[Row], cursor: Cursor, *, size: int, budget_bytes: int) -> Reading:
    """Messages behind the cursor, within one working directory; the last ones before it are looked at again.

    Raises sqlite3.DatabaseError where rows go back in number: then no number says how far was read.
    """
    sink, sessions = Sink(), dict[str, Turns]()
    after = cursor.offset
    spent, count, where, last = 0, 0, "", -1
    complete = True
    for row in rows:
        if row.number <= last:
            raise sqlite3.DatabaseError("rows out of order")
        last = row.number
        sink.muted = row.number <= cursor.offset
        if not sink.muted:
            if count and (spent >= budget_bytes or row.cwd != where):
                complete = False
                break
            after, count, where = row.number, count + 1, row.cwd
            spent += len(row.text)
        turns = sessions.setdefault(row.session, Turns(sink))
        sink.begin(row.number, row.number)
        tell_row(row, turns, sink)
        sink.close()
    return Reading(tuple(sink.events), Cursor(after, size), tuple(sink.skips), count, sink.prompts, complete)


def tell_row(row: Row, turns: Turns, sink: Sink) -> None:
    """Hand over one message."""
    event = Event(Speaker.AGENT, EventKind.PROSE, "", moment(row.at), row.session, 0, 0, uid=row.identity, cwd=row.cwd)
    if row.skip:
        sink.skip(row.skip)
    elif row.answers:
        turns.answer(event, list(row.answers))
    elif row.role == "summary":
        turns.sum_up(event, row.text)
    elif row.role == "user":
        turns.hear(event, separate(row.text))
    elif row.role == "assistant":
        turns.prose(event, row.text)
    elif row.role == "tool":
        turns.result(event, row.text, name="tool")
    else:
        turns.put(event, row.text)


def steps_back(base: sqlite3.Connection, table: str, after: int, *, names: str) -> list[list[object]]:
    """What stands in some of the last rows that were read, nearest first: numbers of rows are given again.

    `names` are the columns that tell one row from another; each step is the row's number and these as text.
    """
    steps: list[list[object]] = []
    for back in _STEPS_BACK:
        found = base.execute(f"SELECT rowid, {names} FROM {table} WHERE rowid <= ? ORDER BY rowid DESC LIMIT 1 OFFSET ?",
                             (after, back)).fetchone()
        if found:
            steps.append([found[0], *map(str, found[1:])])
    return steps


def last_still_there(base: sqlite3.Connection, table: str, steps: object, *, names: str) -> int:
    """The last row of such steps that still is what it was; 0 where none is."""
    for step in steps if isinstance(steps, list) else []:
        if isinstance(step, list) and len(step) > 1 and isinstance(step[0], int):
            found = base.execute(f"SELECT {names} FROM {table} WHERE rowid = ?", (step[0],)).fetchone()
            if found and [str(value) for value in found] == step[1:]:
                return int(step[0])
    return 0


def still_there(base: sqlite3.Connection, table: str, cursor: Cursor) -> Cursor:
    """The cursor, or the beginning where the table no longer reaches as far: it is another one."""
    last = int(base.execute(f"SELECT coalesce(max(rowid), 0) FROM {table}").fetchone()[0])
    return cursor if 0 <= cursor.offset <= last else Cursor()


def record_in(raw: object) -> Record:
    """The JSON object in a value, as text or as bytes; empty for anything else."""
    text = raw.decode("utf-8", "replace") if isinstance(raw, bytes) else raw
    return (parse_record(text) or {}) if isinstance(text, str) and text.lstrip().startswith("{") else {}
