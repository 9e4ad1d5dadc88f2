"""What a run changes in an attached directory, as a report, a plan and `dream diff` tell it; secrets are masked in all of it.

It is written down beside the backup of the run, for the journal holds no words of a directory that is not ours.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from dreamd.core import fsio
from dreamd.core.plain_words.evidence_words import in_words
from dreamd.notes import Action, EntryEdit
from dreamd.text.redaction import redact

RECORD = "told.json"
SCOPE = "attached"
"""In place of a scope: what is kept in order there belongs to no memory of dream."""
MOVED = "index-over-its-limit"


@dataclass(frozen=True)
class ToldChange:
    """One change: which entry of which file, why, and how it read before and after; None where it was not, or is no more."""

    op: str
    entry: str
    directory: str
    file: str
    reason: str
    evidence: tuple[str, ...] = ()
    before: str | None = None
    after: str | None = None

    def document(self) -> dict[str, object]:
        """The change in the shape of an operation on a memory."""
        faces = [None if text is None else {"text": text} for text in (self.before, self.after)]
        return {"op": self.op, "memory": self.entry, "scope": SCOPE, "reason": self.reason, "evidence": list(self.evidence),
                "before": faces[0], "after": faces[1], "directory": self.directory, "file": self.file}


@dataclass(frozen=True)
class Record:
    """Everything one run changed in one directory, and the difference line by line."""

    changes: tuple[ToldChange, ...] = ()
    diff: str = field(default="", repr=False)


def tell_changes(directory: str, edits: Sequence[EntryEdit], changed: Sequence[str], diff: str) -> Record:
    """What is to be told of edits; a file that changes without one has taken in, or given away, lines of a long index."""
    told = [ToldChange(edit.action.value, edit.entry.id, directory, edit.entry.file, edit.reason,
                       tuple(redact(in_words(said)).text for said in edit.evidence), redact(_before(edit)).text, _after(edit))
            for edit in edits]
    told += [ToldChange("move", "", directory, name, MOVED) for name in changed if name not in {e.entry.file for e in edits}]
    return Record(tuple(told), redact(diff).text)


def commit_message(edits: int, files: int) -> str:
    """The message of the commit of a run, where one is made."""
    what = f"{edits} {'entry' if edits == 1 else 'entries'}" if edits else "a shorter index"
    return f"Keep memory in order: {what}, {files} {'file' if files == 1 else 'files'}"


def write_record(place: Path, record: Record) -> None:
    """Keep it beside the backup of its run."""
    fsio.write_atomic(place / RECORD, json.dumps(asdict(record)).encode("utf-8", "surrogateescape"))


def read_record(place: Path) -> Record:
    """What was kept of a run; nothing where its backup is gone, or was made before there was such a record."""
    try:
        row = json.loads(fsio.read_bytes(place / RECORD))
        return Record(tuple(ToldChange(**{**c, "evidence": tuple(c["evidence"])}) for c in row["changes"]), str(row["diff"]))
    except (FileNotFoundError, ValueError, TypeError, KeyError):
        return Record()


def _before(edit: EntryEdit) -> str:
    entry = edit.entry
    return f"[{entry.title}]({entry.target}) — {entry.text}" if entry.target else entry.text


def _after(edit: EntryEdit) -> str | None:
    entry = edit.entry
    if edit.action in (Action.REMOVE, Action.END):
        return None
    if edit.action is Action.RELINK:
        return redact(f"[{entry.title}]({edit.text}) — {entry.text}").text
    if edit.action is Action.UNLINK:
        return redact(f"{entry.title} — {entry.text}").text
    return redact(f"[{entry.title}]({entry.target}) — {edit.text}" if entry.target else edit.text).text
