"""Secrets in a directory that is not ours: they stay where a person put them, and nowhere else.

A line that holds a secret is never edited or moved, so that it stands the same before and after every run. What is kept
below the home for taking a run back then needs no such line: it is taken from the file itself. What is shown is masked.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from dreamd.core import fsio
from dreamd.core.errors import DreamError
from dreamd.notes import Entry
from dreamd.text.redaction import redact


@dataclass(frozen=True)
class Apart:
    """The entries that may be planned with, and the files in which others hold secrets and stay as they are."""

    entries: tuple[Entry, ...]
    files: frozenset[str]

    @property
    def warnings(self) -> tuple[str, ...]:
        """What to tell about it: where, never what."""
        return tuple(f"`{name}` holds secrets in plain text; the lines with them stay as they are"
                     for name in sorted(self.files))


def lines_with_secrets(text: str) -> frozenset[str]:
    """The lines of a text of which a mask would change anything."""
    masked = redact(text)
    if not masked.masks:
        return frozenset()
    return frozenset(text.splitlines()) - frozenset(masked.text.splitlines())


def set_apart(entries: Sequence[Entry], files: Mapping[str, str], *,
              lines: Mapping[str, frozenset[str]] | None = None) -> Apart:
    """Leave out what holds a secret; of a file that is one entry as a whole, any line counts.

    `lines` are those with secrets of each file, where somebody has looked already.
    """
    found = lines if lines is not None else {name: lines_with_secrets(text) for name, text in files.items()}
    held = {name: some for name, some in found.items() if some}
    left = []
    for entry in entries:
        raw = files.get(entry.file, "") if entry.whole_file else files.get(entry.file, "")[entry.start:entry.end]
        if not held.get(entry.file, frozenset()).intersection(raw.splitlines()):
            left.append(entry)
    return Apart(tuple(left), frozenset(held))


def moves_secrets(before: Mapping[str, str], after: Mapping[str, str]) -> bool:
    """Whether a line with a secret would come into a file or leave it."""
    for name in {*before, *after}:
        old, new = before.get(name, ""), after.get(name, "")
        if old != new and lines_with_secrets(old) != lines_with_secrets(new):
            return True
    return False


def masked_diff(before: Mapping[str, str], after: Mapping[str, str], names: Iterable[str]) -> str:
    """The change as a unified diff, secrets masked on both sides."""
    lines: list[str] = []
    for name in names:
        old, new = before.get(name), after.get(name)
        lines += difflib.unified_diff(
            redact(old or "").text.splitlines(keepends=True), redact(new or "").text.splitlines(keepends=True),
            "/dev/null" if old is None else f"a/{name}", "/dev/null" if new is None else f"b/{name}")
    text = "".join(x if x.endswith("\n") else f"{x}\n\\ No newline at end of file\n" for x in lines)
    return text.encode("utf-8", "replace").decode()


def encode_change(base: bytes, target: bytes) -> bytes:
    """How `target` is made from `base`: lines that both have are named by their place, only the others stand here."""
    old = base.splitlines(keepends=True)
    places: dict[bytes, int] = {}
    for n, line in reversed(list(enumerate(old))):
        places[line] = n
    steps: list[list[int]] = []
    fresh: list[bytes] = []
    at = -1
    for line in target.splitlines(keepends=True):
        at = at + 1 if at + 1 < len(old) and old[at + 1] == line else places.get(line, -1)
        if at < 0:
            fresh.append(line)
            steps.append([-1, len(line)])
        elif steps and steps[-1][0] >= 0 and steps[-1][0] + steps[-1][1] == at:
            steps[-1][1] += 1
        else:
            steps.append([at, 1])
    head = {"from": fsio.sha256_bytes(base), "steps": steps}
    return json.dumps(head).encode() + b"\n" + b"".join(fresh)


def apply_change(change: bytes, base: bytes) -> bytes:
    """The bytes that `encode_change` was told.

    Raises DreamError when they cannot be made from these.
    """
    head, _, fresh = change.partition(b"\n")
    try:
        row = json.loads(head)
        if row["from"] != fsio.sha256_bytes(base):
            raise DreamError("that file is not what it was")
        old, parts, taken = base.splitlines(keepends=True), [], 0
        for place, count in row["steps"]:
            if place >= 0:
                parts += old[place:place + count]
            else:
                parts.append(fresh[taken:taken + count])
                taken += count
        return b"".join(parts)
    except (ValueError, TypeError, KeyError):
        raise DreamError("what was kept of that file cannot be read") from None
