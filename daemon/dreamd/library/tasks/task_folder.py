"""The folder of a task: which files there are, the lines dream writes into them, and how they are read again.

The markdown is the truth, so that a person may strike or reword any line with an editor; the ndjson beside it only tells
what happened when, and which lines dream wrote itself.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from dreamd.core import fsio
from dreamd.core.clock import iso
from dreamd.core.errors import UsageError
from dreamd.core.values import content_id
from dreamd.text.injection import strip_hidden
from dreamd.text.redaction import redact

NOTES = "NOTES.md"
DECISIONS, REVISIONS, VERIFIED, FINDINGS = "decisions.md", "revisions.md", "verified.md", "findings.md"
TITLES = {DECISIONS: "Decisions", REVISIONS: "Revisions", VERIFIED: "Verified", FINDINGS: "Findings"}
OBJECTIVE, PHASE, BLOCKERS, LINES = "Objective", "Phase", "Blockers", "Notes"
SECTIONS = (OBJECTIVE, PHASE, BLOCKERS, LINES)
LONGEST_LINE = 2000
_SLUG = re.compile(r"[a-z0-9][a-z0-9._-]{0,79}")
_ITEM = re.compile(r"- \*\*([DRVNB])(\d+)\*\* \((\d{4}-\d\d-\d\d), phase (\d+)\): (.+)")
RESOLVED, REVISED = " → resolved: ", " → revised by "


@dataclass(frozen=True)
class Item:
    """One line of a task with a name of its own: a decision, revision, verified item, note or blocker."""

    kind: str
    number: int
    day: str
    phase: int
    text: str

    @property
    def name(self) -> str:
        return f"{self.kind}{self.number}"

    @property
    def line(self) -> str:
        """The line as it stands in its file."""
        return f"- **{self.name}** ({self.day}, phase {self.phase}): {self.text}"

    @property
    def is_over(self) -> bool:
        """Whether a later line took its place."""
        return RESOLVED in self.text or REVISED in self.text


def read_events(log: Path) -> list[dict[str, str]]:
    """The lines of a log, oldest first; one that cannot be read is passed over."""
    try:
        body = fsio.read_bytes(log, limit_bytes=64 * 1024 * 1024).decode("utf-8", "replace")
    except FileNotFoundError:
        return []
    rows = []
    for line in body.splitlines():
        try:
            row = json.loads(line)
        except ValueError:
            continue
        if isinstance(row, dict):
            rows.append({str(k): str(v) for k, v in row.items()})
    return rows


@dataclass(frozen=True)
class Folder:
    """Where the files of one task lie."""

    root: Path
    slug: str

    @property
    def id(self) -> str:
        return content_id("task", str(self.root))

    @property
    def log(self) -> Path:
        return self.root / "observability" / f"{self.slug}.ndjson"

    def read(self, name: str) -> str:
        """The words of one file; nothing where there is none."""
        try:
            return fsio.read_bytes(self.root / name).decode("utf-8", "replace")
        except FileNotFoundError:
            return ""

    def write(self, name: str, text: str) -> None:
        """Put one file in the place of what was there."""
        fsio.write_atomic(self.root / name, text.encode())

    def items(self, name: str) -> list[Item]:
        """The lines of a file that carry a name."""
        return [item for line in self.read(name).splitlines() if (item := read_item(line))]

    def own_lines(self, name: str) -> list[str]:
        """What a person wrote into one of the lists by hand."""
        return [line.lstrip("-* ").strip() for line in self.read(name).splitlines()
                if line.strip() and not line.startswith("#") and read_item(line) is None]

    def add(self, name: str, item: Item, title: str) -> None:
        """Append a line to one of the lists."""
        text = self.read(name) or f"# {TITLES[name]}: {title}\n\n"
        self.write(name, f"{text.rstrip(chr(10))}\n{item.line}\n" if read_item(text.splitlines()[-1]) else
                   f"{text.rstrip(chr(10))}\n\n{item.line}\n")

    def events(self) -> list[dict[str, str]]:
        """What happened, oldest first."""
        return read_events(self.log)

    def tell(self, at: datetime, action: str, detail: str, reason: str = "", *, lines: Sequence[str] = ()) -> None:
        """Append what happened, with the marks of the lines that dream wrote."""
        row = {"timestamp": iso(at), "action": action, "tool": "dream task", "detail": detail, "reason": reason}
        if lines:
            row["wrote"] = " ".join(map(mark, lines))
        fsio.append_line(self.log, json.dumps(row, ensure_ascii=False).encode())


def mark(line: str) -> str:
    """By what dream knows a line again that it wrote."""
    return content_id("task-line", line.strip())


def read_item(line: str) -> Item | None:
    """A line with a name; None for any other."""
    found = _ITEM.fullmatch(line.rstrip())
    return Item(found[1], int(found[2]), found[3], int(found[4]), found[5]) if found else None


def checked_slug(slug: str) -> str:
    """A name that is one folder.

    Raises UsageError for any other.
    """
    if not _SLUG.fullmatch(slug):
        raise UsageError("a task's name is made of small letters, digits, `-`, `_` and `.`",
                         hint="`export-to-csv`, for instance")
    return slug


def one_line(text: str) -> str:
    """Words as they may stand in a task: on one line, secrets masked, nothing hidden.

    Raises UsageError for nothing at all and for too much.
    """
    plain = " ".join(redact(strip_hidden(text)).text.split())
    if not plain:
        raise UsageError("there is nothing to keep", hint='`dream task note "what was found"`')
    if len(plain) > LONGEST_LINE:
        raise UsageError(f"a line of a task has {LONGEST_LINE} characters at most", hint="put the rest into a file beside it")
    return plain


def section(text: str, name: str) -> list[str]:
    """The lines below a heading of `NOTES.md`, blank ones left out."""
    return [line for heading, line in _walk(text) if heading == name and line.strip() and not line.startswith("## ")]


def with_lines(text: str, name: str, add: Sequence[str], drop: Sequence[str] = ()) -> str:
    """`NOTES.md` with lines added at the end of a section and others taken out of it; the rest as it is, to the letter."""
    gone, kept = list(drop), []
    last = -1
    for heading, line in _walk(text):
        if heading == name and line in gone:
            gone.remove(line)
            continue
        kept.append(line)
        if heading == name and line.strip():
            last = len(kept)
    if last < 0:
        kept += ["", f"## {name}", ""]
        last = len(kept)
    if add and kept[last - 1].startswith("## "):
        add = ["", *add]
        del kept[last:last + 1 if kept[last:last + 1] == [""] else last]
    kept[last:last] = add
    if add and len(kept) > last + len(add) and kept[last + len(add)].strip():
        kept.insert(last + len(add), "")
    return "\n".join(kept).rstrip("\n") + "\n"


def _walk(text: str) -> list[tuple[str, str]]:
    heading, rows = "", []
    for line in text.splitlines():
        if line.startswith("## "):
            heading = line[3:].strip()
        rows.append((heading, line))
    return rows
