"""Notes outside Claude Code: an OpenClaw workspace, Hermes' `§` files, Codex's handbook, Letta's, and structured logs."""

# ruff: noqa: SIM905  identities read better as runs of words

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from dreamd.core.values import Cursor, Event, EventKind, MemoryType, Reading, Speaker, content_id
from dreamd.sources.base import contract
from dreamd.sources.base.contract import Head
from dreamd.sources.base.documents import Whole, read_document
from dreamd.sources.base.reading import Sink, read_lines
from dreamd.sources.base.tolerant import Record, moment, parse_record, text_at
from dreamd.sources.claude_code.memory_dir import INDEX_NAME, NoteShape, read_notes
from dreamd.sources.claude_code.memory_text import Piece

_DAILY = re.compile(r"memory/\d{4}-\d{2}-\d{2}(?:-[^/]{1,100})?\.md$")
_WORKSPACE_NAMES = frozenset({"SOUL.md", "HEARTBEAT.md", "DREAMS.md", "dreams.md", "IDENTITY.md", "BOOTSTRAP.md"})
_SECTION = re.compile(r"^[ \t]*§[ \t]*\r?$", re.MULTILINE)
_SPEAKERS = {
    "user": Speaker.HUMAN, "human": Speaker.HUMAN, "person": Speaker.HUMAN, "agent": Speaker.AGENT,
    "assistant": Speaker.AGENT, "import": Speaker.AGENT, "tool": Speaker.TOOL, "web": Speaker.TOOL,
    "system": Speaker.INJECTED, "injected": Speaker.INJECTED,
}
_AD_HOC = re.compile(r"extensions/ad_hoc/notes/[^/]{1,200}\.md$")
_APPLIES = re.compile(r"^applies_to:\s*cwd=([^;\n]{1,1000})", re.MULTILINE)
_NEXT_PLACE = re.compile(r"[`\"']?,\s|\s(?:\(|and\s|\+\s|/\s)")
_RECORDS = frozenset({"rollout_summary_files", "keywords"})
_TASK_MARK = re.compile(r"(?:\s*\[Task \d{1,6}\])+\s*\Z")
_LETTA_OWN = re.compile(r"(?:skills/|(?:system/)?persona(?:\.md$|/)|(?:system/)?memory_filesystem\.md$)")
_UNFILLED = frozenset((
    "9d2907a06667 e0839b9d861a 43a980037bfc 7b47e9180c25 d2eeda73572c 59f4373668e3 7d275eae4113 cca5d667a9ac 965d8dbef284 "
    "d7cbc6a1221d bb02e369c668 13e08482d038 b1e722193497 23533b66bac3 226b67e9434f 6b324cfa3d43 5ab6330d13ed d0518d779d59 "
    "51d5126e7498").split())
"""What Letta writes into the memory of a new agent, before it knows anything, by its identity."""
_LETTA_AGENTS = frozenset({"agents", "memfs"})
_TYPES = frozenset(kind.value for kind in MemoryType)


class OpenClawWorkspace:
    """Reads the curated memory and the daily logs; the diary and dreaming's own reports are no sources."""

    kind = "openclaw-workspace"
    shape = NoteShape(lambda name: name in (INDEX_NAME, "USER.md") or _DAILY.match(name) is not None)

    def accepts(self, head: Head) -> bool:
        """A directory with the workspace's own files beside an index or daily logs."""
        return head.is_dir and bool(_WORKSPACE_NAMES & head.names) and bool({INDEX_NAME, "memory"} & head.names)

    def read(self, path: Path, cursor: Cursor, *, budget_bytes: int) -> Reading:
        """Read the note files that changed since the cursor."""
        return read_notes(path, cursor, budget_bytes=budget_bytes, shape=self.shape)


class CodexMemories:
    """Reads the handbook Codex keeps and the notes a person had it take; the rest is made from the rollouts themselves."""

    kind = "codex-memories"

    @property
    def shape(self) -> NoteShape:
        """The handbook and the notes a person had it take."""
        return NoteShape(lambda name: name == INDEX_NAME or _AD_HOC.match(name) is not None, _HandbookLines)

    def accepts(self, head: Head) -> bool:
        """A directory with the summary Codex injects or the raw notes it merges, whether there is a handbook yet or not."""
        return head.is_dir and bool({"memory_summary.md", "raw_memories.md", "rollout_summaries"} & head.names)

    def read(self, path: Path, cursor: Cursor, *, budget_bytes: int) -> Reading:
        """Read the files that changed since the cursor, one working directory after the other."""
        whole = read_notes(path, cursor, budget_bytes=budget_bytes, shape=self.shape)
        carry = parse_record(cursor.carry) or {}
        places = list(dict.fromkeys(event.cwd for event in whole.events))
        told = carry.get("told")
        number = told if isinstance(told, int) and 0 <= told < len(places) else 0
        if not places:
            return whole
        events = tuple(event for event in whole.events if event.cwd == places[number])
        if number + 1 == len(places):
            return replace(whole, events=events)
        more = Cursor(cursor.offset, cursor.size, carry=json.dumps({**carry, "told": number + 1}, separators=(",", ":")))
        return Reading(events, more, (), 0, 0, complete=False)


class LettaMemory:
    """Reads the memory of a Letta agent: what is always in its prompt and what it looks up.

    What the agent is told to be and what it can do are no memories, and the tree of files is made by the program.
    """

    kind = "letta"

    @property
    def shape(self) -> NoteShape:
        """Everything but the agent's character, its recipes and the tree of files."""
        return NoteShape(lambda name: _LETTA_OWN.match(name) is None, _EveryLine)

    def accepts(self, head: Head) -> bool:
        """A directory with the folder that is always in the prompt, or with an index beside what the agent is told to be."""
        if not head.is_dir:
            return False
        if "system" in head.names and INDEX_NAME not in head.names:
            return ".git" in head.names or head.path.name == "memory"
        return {INDEX_NAME, "persona.md"} <= head.names and (
            ".git" in head.names or head.path.absolute().parent.parent.name in _LETTA_AGENTS)

    def read(self, path: Path, cursor: Cursor, *, budget_bytes: int) -> Reading:
        """Read the files that changed since the cursor."""
        return read_notes(path, cursor, budget_bytes=budget_bytes, shape=self.shape)


class _EveryLine:
    """Each statement by itself: the description of such a file says what it is about and is no statement."""

    def take(self, piece: Piece) -> tuple[str, str] | None:
        """The words of a piece, which count everywhere; None for one that says nothing, or only where something stands."""
        if content_id("letta", piece.text) in _UNFILLED:
            return None
        listed = piece.text.lstrip("*_ ").startswith("[") and piece.links
        return None if listed and all(_is_note(link) for link in piece.links) else (piece.text, "")


def _is_note(link: str) -> bool:
    """Whether a link leads to a file of the same memory."""
    return link.partition("#")[0].endswith(".md") and "://" not in link


class _HandbookLines:
    """What of a handbook says something by itself, and for which working directory its task group counts."""

    def __init__(self) -> None:
        self._cwd = ""

    def take(self, piece: Piece) -> tuple[str, str] | None:
        """The words of a piece and the directory they count for; None for scopes, keywords and lists of rollouts."""
        named = _APPLIES.search(piece.text)
        if named:
            self._cwd = _first_place(named[1])
        if named or piece.text.startswith(("scope:", "applies_to:")) or piece.heading in _RECORDS or (
                piece.heading.startswith("Task ")):
            return None
        return _TASK_MARK.sub("", piece.text).strip(), self._cwd


def _first_place(named: str) -> str:
    """The first directory of a scope, which may name several or say in words that it counts for none."""
    first = _NEXT_PLACE.split(named.strip(), maxsplit=1)[0].strip("`\"' ,;")
    return first if "/" in first or "\\" in first else ""


class Hermes:
    """Reads one file of entries between lines of `§`."""

    kind = "hermes"

    def accepts(self, head: Head) -> bool:
        """Markdown under one of Hermes' two names with a line that holds nothing but the sign, or where Hermes keeps it."""
        return not head.is_dir and head.path.name in (INDEX_NAME, "USER.md") and (
            _SECTION.search(head.start.decode("utf-8", "replace")) is not None or _is_at_home(head.path))

    def read(self, path: Path, cursor: Cursor, *, budget_bytes: int) -> Reading:  # noqa: ARG002 one small document
        """Read the file and give what is new in it."""
        return read_document(path, cursor, parse=lambda whole, sink: _entries(whole, sink, name=path.name))


def _is_at_home(path: Path) -> bool:
    """Whether a file lies in Hermes' own folder: one that holds a single entry has no sign in it."""
    folder = path.parent
    return folder.name == "memories" and not (folder / "memory_summary.md").exists() and any(
        place.exists() for place in (path.with_name(path.name + ".lock"), folder.parent / "state.db",
                                     folder.parent / "config.yaml"))


def _entries(whole: Whole, sink: Sink, *, name: str) -> bool:
    position = offset = 0
    for end, following in [*((m.start(), m.end()) for m in _SECTION.finditer(whole.text)), (len(whole.text), 0)]:
        text = whole.text[position:end]
        start, offset = offset, offset + len(text.encode("utf-8", "surrogateescape"))
        sink.begin(start, offset)
        if text.strip():
            sink.add(Event(Speaker.AGENT, EventKind.NOTE, text, None, "", 0, 0, title=Path(name).stem,
                           uid="note:" + content_id(name, text.strip()),
                           type_hint=MemoryType.USER if name == "USER.md" else ""))
        offset += len(whole.text[end:following].encode("utf-8", "surrogateescape")) if following else 0
        position = following
    return True


class StructuredLog:
    """Reads JSON lines that carry a statement in `text`: a log of any program, or the shape `dream note` takes."""

    kind = "structured"

    def accepts(self, head: Head) -> bool:
        """Every record has a text."""
        return bool(head.records) and all(isinstance(record.get("text"), str) for record in head.records)

    def read(self, path: Path, cursor: Cursor, *, budget_bytes: int) -> Reading:
        """Read the lines behind the cursor."""
        return read_lines(path, cursor, budget_bytes=budget_bytes, make_parser=_Log)


class _Log:
    """Structured lines need nothing from one another."""

    def __init__(self, sink: Sink) -> None:
        self._sink = sink

    def recalled(self) -> Sequence[int]:
        """Nothing."""
        return ()

    def take(self, record: Record) -> None:
        """Look at one line."""
        sink = self._sink
        text = text_at(record, "text")
        if not text.strip():
            sink.skip(contract.NO_TEXT if "text" in record else contract.UNKNOWN)
            return
        said = text_at(record, "speaker", "origin", "role").casefold()
        speaker = _SPEAKERS.get(said, Speaker.AGENT)
        at = moment(record.get("at") or record.get("timestamp") or record.get("time"))
        key = text_at(record, "key", "id")
        hint = text_at(record, "type")
        event = Event(speaker, EventKind.NOTE, text, at, text_at(record, "conversation", "session"), 0, 0,
                      uid="log:" + content_id(key or str(at), text), cwd=text_at(record, "cwd"),
                      type_hint=hint if hint in _TYPES else "")
        kind = {Speaker.TOOL: EventKind.RESULT, Speaker.INJECTED: EventKind.PROMPT}.get(speaker, EventKind.NOTE)
        sink.add(replace(event, kind=kind))
