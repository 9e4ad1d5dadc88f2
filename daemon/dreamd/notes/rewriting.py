"""Changing a foreign directory piece by piece: what no edit names keeps its bytes, its line ends and its shape."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from dreamd.core.errors import DreamError, Refused
from dreamd.core.values import Clue
from dreamd.notes.dialects import HERMES_LIMITS, Dialect, is_instruction_file
from dreamd.notes.entries import Entry, EntryKind, read_entries
from dreamd.notes.frontmatter import read_frontmatter
from dreamd.notes.index import AIM_LINES, MAX_BYTES, MAX_LINES, index_size
from dreamd.notes.safe_text import one_line
from dreamd.text.redaction import redact

MORE_POINTER = "- [More](more.md) — lines moved out to keep this index short"


class Action(StrEnum):
    """What happens to one entry."""

    REPLACE = "replace"
    """Its words become `text`; the markup around them stays."""
    REMOVE = "remove"
    END = "end"
    """Taken out because it no longer holds; differs from `remove` in the record only."""
    APPEND = "append"
    """A new entry with `text` stands behind it, in its shape."""
    RELINK = "relink"
    """A pointer leads to the file `text`."""
    UNLINK = "unlink"
    """A pointer keeps its words and loses its link."""


@dataclass(frozen=True)
class EntryEdit:
    """One change to one entry: why, on what evidence, and which entry carries the claim on, if any does."""

    entry: Entry
    action: Action
    text: str = ""
    reason: str = ""
    evidence: tuple[Clue, ...] = ()
    successor: str = ""

    @property
    def archives(self) -> bool:
        """Whether words leave the directory by it."""
        return self.action in (Action.REPLACE, Action.REMOVE, Action.END)


@dataclass(frozen=True)
class IndexLimits:
    """How long an index may be, and how short it becomes once it is longer."""

    max_lines: int = MAX_LINES
    max_bytes: int = MAX_BYTES
    aim_lines: int = AIM_LINES

    @property
    def aim_bytes(self) -> int:
        """The share of the bytes that goes with the lines aimed at."""
        return self.max_bytes * min(self.aim_lines, self.max_lines) // self.max_lines


def apply_edits(
    files: Mapping[str, str], edits: Sequence[EntryEdit], *, dialect: Dialect, limits: IndexLimits | None = None
) -> dict[str, str]:
    """The files after the edits; a file whose one entry is taken out is gone. With `limits`, a long index is shortened.

    Raises Refused for a file that may not be edited or would outgrow its agent's limit, DreamError when an entry no
    longer stands where it was read.
    """
    for edit in edits:
        _check(files, edit)
    changed = [edit.entry.id for edit in edits if edit.action is not Action.APPEND]
    if len(set(changed)) < len(changed):
        raise DreamError("two edits for the same entry", hint="plan again")
    after = dict(files)
    for name in sorted({edit.entry.file for edit in edits}):
        own = [edit for edit in edits if edit.entry.file == name]
        if any(e.entry.whole_file and e.action in (Action.REMOVE, Action.END) for e in own):
            del after[name]
        else:
            after[name] = _edited(files[name], own, dialect)
            _check_room(name, files[name], after[name], dialect)
    return fit_index(after, dialect=dialect, limits=limits) if limits else after


def propose_edits(files: Mapping[str, str], edits: Sequence[EntryEdit], *, dialect: Dialect) -> str:
    """What the edits would make of files that are only ever proposed to, as a unified diff, secrets masked."""
    diff: list[str] = []
    for name in sorted({edit.entry.file for edit in edits}):
        after = redact(_edited(files[name], [edit for edit in edits if edit.entry.file == name], dialect)).text
        diff += difflib.unified_diff(
            redact(files[name]).text.splitlines(keepends=True), after.splitlines(keepends=True), f"a/{name}", f"b/{name}"
        )
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in diff)


def fit_index(files: Mapping[str, str], *, dialect: Dialect, limits: IndexLimits) -> dict[str, str]:
    """Move the lines worth least to `more.md` once the index is over its limits; other dialects have no such limit."""
    after = dict(files)
    name = next((n for n in sorted(files) if n.lower() == "memory.md"), "")
    if dialect is not Dialect.CLAUDE or not name or _fits(files[name], limits.max_lines, limits.max_bytes):
        return after
    more = _overflow_name(files)
    # A line with a secret stays where a person put it: it must not be copied to where nobody looks for it.
    pieces = [e for e in read_entries({name: files[name]}, dialect) if e.claims and e.target.lower() != more
              and not redact(files[name][e.start:e.end]).masks]
    pieces = sorted(pieces, key=_index_value(files, pieces))
    low, high = 0, len(pieces)
    while low < high:
        middle = (low + high) // 2
        text = _shortened(files[name], pieces[:middle], more)
        if _fits(text, min(limits.aim_lines, limits.max_lines), limits.aim_bytes):
            high = middle
        else:
            low = middle + 1
    moved = sorted(pieces[:low], key=lambda e: e.start)
    after[name] = _shortened(files[name], moved, more)
    after[more] = _with_moved(files.get(more, ""), moved, files[name])
    return after


def _check(files: Mapping[str, str], edit: EntryEdit) -> None:
    entry = edit.entry
    if is_instruction_file(entry.file) or not entry.editable:
        raise Refused(f"`{entry.file}` is not dream's to edit", hint="look at the proposed change and make it yourself")
    text = files.get(entry.file)
    if text is None or text[entry.core_start : entry.core_end] != entry.text:
        raise DreamError(f"`{entry.file}` has changed since it was read", hint="run it again")


def _check_room(name: str, before: str, after: str, dialect: Dialect) -> None:
    limit = HERMES_LIMITS.get(name.lower()) if dialect is Dialect.HERMES else None
    if limit is not None and len(after) > limit and len(after) > len(before):
        raise Refused(f"`{name}` would be over its {limit} characters", hint="remove an entry first")


def _edited(text: str, edits: Sequence[EntryEdit], dialect: Dialect) -> str:
    eol = _line_end(text)
    changes: list[tuple[int, int, str]] = []
    for edit in edits:
        entry = edit.entry
        if edit.action in (Action.REMOVE, Action.END):
            changes.append((*_removal(text, entry, dialect), ""))
        elif edit.action is Action.REPLACE:
            changes.append((entry.core_start, entry.core_end, _in_shape(text, entry, edit.text)))
        elif edit.action is Action.APPEND:
            changes.append((entry.end, entry.end, _appended(text, edit, dialect)))
        else:
            changes.append((entry.start, entry.core_start, _linked(text[entry.start : entry.core_start], edit)))
    out, at = [], 0
    for start, end, fresh in sorted(changes):
        # two removed neighbours may claim the same separator
        out += [text[at : max(at, start)], fresh]
        at = max(at, end)
    edited = "".join([*out, text[at:]])
    return edited if edited.strip() or not text.strip() else eol if text.endswith(("\n", "\r")) else ""


def _removal(text: str, entry: Entry, dialect: Dialect) -> tuple[int, int]:
    """What goes with an entry: for `§` entries one separator, the one behind it or else the one before it."""
    if dialect is not Dialect.HERMES:
        return entry.span
    behind = re.compile(r"§[ \t]*\r?\n").match(text, entry.end)
    if behind:
        return entry.start, behind.end()
    before = re.search(r"(?:\A|(?<=\n))§[ \t]*\r?\n\Z", text[: entry.start])
    if before is None:
        return entry.span
    return max(0, before.start()), entry.end


def _in_shape(text: str, entry: Entry, fresh: str) -> str:
    """New words in the place of old ones: one line in a pointer or table, indented below a bullet."""
    eol = _line_end(text)
    lead = text[entry.start : entry.core_start]
    if entry.kind is EntryKind.POINTER:
        return one_line(fresh) if lead.rstrip().endswith(("—", "–", "-", ":")) else f" — {one_line(fresh)}"
    if lead.strip():
        return fresh.strip().replace("\r\n", "\n").replace("\n", eol + " " * 2)
    return fresh.strip().replace("\r\n", "\n").replace("\n", eol)


def _appended(text: str, edit: EntryEdit, dialect: Dialect) -> str:
    entry, eol = edit.entry, _line_end(text)
    gap = "" if text[: entry.end].endswith(("\n", "\r")) or not entry.end else eol
    if dialect is Dialect.HERMES:
        return f"{gap}§{eol}{edit.text.strip()}{eol}"
    if entry.whole_file:
        return f"{gap}{eol}{edit.text.strip()}"
    lead = text[entry.start : entry.core_start] if entry.kind is EntryKind.ENTRY else ""
    lead = lead if lead.strip() else "- "
    return f"{gap}{lead}{edit.text.strip().replace(chr(10), eol + '  ')}{eol}"


def _linked(head: str, edit: EntryEdit) -> str:
    """The head of a pointer with another target, or with its title alone."""
    found = re.search(r"\[((?:\\.|[^\]\\])*)\]\((?:<[^>\n]*>|[^)\s]*)\)", head)
    if found is None:
        raise DreamError(f"`{edit.entry.file}` has no link where one was read", hint="run it again")
    fresh = found.group(1)
    if edit.action is Action.RELINK:
        target = f"<{edit.text}>" if re.search(r"[\s()]", edit.text) else edit.text
        fresh = f"[{found.group(1)}]({target})"
    return head[: found.start()] + fresh + head[found.end() :]


def _line_end(text: str) -> str:
    return "\r\n" if text.count("\r\n") * 2 > text.count("\n") else "\n"


def _fits(text: str, max_lines: int, max_bytes: int) -> bool:
    lines, size = index_size(text)
    return lines <= max_lines and size <= max_bytes


def _overflow_name(files: Mapping[str, str]) -> str:
    """`more.md`, unless that is a topic file of somebody's."""
    number = 1
    while True:
        name = "more.md" if number == 1 else f"more-{number}.md"
        taken = next((n for n in files if n.lower() == name), None)
        if taken is None or not read_frontmatter(files[taken]).values:
            return taken or name
        number += 1


def _index_value(files: Mapping[str, str], pieces: Sequence[Entry]) -> _Value:
    days = sorted(e.dated for e in pieces if e.dated)
    return _Value(files, days[len(days) // 2] if days else "")


class _Value:
    """Sorts index lines by what they are worth, least first: kind, day, and place from the bottom up."""

    def __init__(self, files: Mapping[str, str], usual_day: str) -> None:
        self.heads = {name: read_frontmatter(text) for name, text in files.items()}
        self.usual_day = usual_day

    def __call__(self, entry: Entry) -> tuple[int, str, int]:
        head = self.heads.get(entry.target)
        kind = (head.type if head else "") or re.split(r"[-_]", entry.target.rsplit("/", 1)[-1].lower(), maxsplit=1)[0]
        rank = {"user": 2, "feedback": 2, "reference": 1}.get(kind, 0 if entry.target else 1)
        if "**" in entry.text:
            rank = max(rank, 2)  # somebody wanted it seen
        return rank, entry.dated or self.usual_day, -entry.start


def _shortened(text: str, moved: Iterable[Entry], more: str) -> str:
    at, out = 0, []
    for entry in sorted(moved, key=lambda e: e.start):
        out.append(text[at : entry.start])
        at = entry.end
    kept = "".join([*out, text[at:]])
    if not at or f"]({more})" in kept:
        return kept
    eol = _line_end(text)
    kept = kept if kept.endswith(("\n", "\r")) or not kept else kept + eol
    return f"{kept}{eol}{MORE_POINTER.replace('more.md', more)}{eol}"


def _with_moved(before: str, moved: Sequence[Entry], index: str) -> str:
    """The overflow file with the moved lines, verbatim, under the headings they had."""
    eol = _line_end(before or index)
    text = before or f"# More memories{eol}"
    text = text if text.endswith(("\n", "\r")) else text + eol
    sections = re.findall(r"(?m)^## (.*?)[ \t]*\r?$", before)
    section = sections[-1] if sections else ""
    for entry in moved:
        own = entry.section.rsplit(" / ", 1)[-1]
        if own != section:
            text += f"{eol}## {own or 'Other'}{eol}"
            section = own
        raw = index[entry.start : entry.end]
        text += raw if raw.endswith(("\n", "\r")) else raw + eol
    return text
