"""The note of a find: a Markdown file with a head that Obsidian shows as properties, and what a person may write into it.

The head keeps a hash of what dream wrote. While it holds, dream may write the note anew; once somebody has written into the
note, everything stays as it is and what is new goes below.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from dreamd.core import fsio
from dreamd.core.errors import DreamError
from dreamd.core.values import content_id
from dreamd.notes.frontmatter import quoted, read_frontmatter

LARGEST_NOTE_BYTES = 1024 * 1024
LONGEST_NAME = 80
_MARK = re.compile(r"(?m)^dream: (find-[0-9a-f]+) ([0-9a-f]{12})$")
_UNSET = "0" * 12
_FORBIDDEN = re.compile(r"[\\/:*?\"<>|#^\[\]\x00-\x1f\x7f]+")
_WHY = re.compile(r"(?m)^> (\d{4}-\d\d-\d\d) · (.*)$")
_SENTENCE = re.compile(r"(?m)^- (.*)$")


@dataclass(frozen=True)
class Note:
    """What is kept of a find."""

    title: str
    source: str
    captured: str
    updated: str
    whys: tuple[tuple[str, str], ...] = ()
    """(day, why) of each time somebody captured it."""
    tags: tuple[str, ...] = ()
    sentences: tuple[str, ...] = ()

    @property
    def identity(self) -> str:
        """The same source is the same find."""
        return identity_of(self.source)


def identity_of(source: str) -> str:
    """What the note of a source is known by."""
    return f"find-{content_id('find', source, size=16)}"


def render(note: Note) -> str:
    """The whole file."""
    tags = "".join(f"\n  - {tag}" for tag in note.tags)
    head = [f"title: {quoted(note.title)}", f"source: {quoted(note.source)}", f"captured: {note.captured}",
            f"updated: {note.updated}", f"why: {quoted('; '.join(why for _, why in note.whys))}",
            *([f"tags:{tags}"] if tags else []), "trust: web", f"dream: {note.identity} {_UNSET}"]
    text = "\n".join(["---", *head, "---", "", f"# {note.title}", "", *_body(note), note.source, ""])
    return text.replace(f"{note.identity} {_UNSET}", f"{note.identity} {_hash(text)}", 1)


def _body(note: Note) -> Iterator[str]:
    if note.whys:
        yield from (*(f"> {day} · {why}" for day, why in note.whys), "")
    if note.sentences:
        yield from (*(f"- {sentence}" for sentence in note.sentences), "")


def _hash(text: str) -> str:
    return fsio.sha256_bytes(_MARK.sub(rf"dream: \1 {_UNSET}", text, count=1).encode())[:12]


def is_find(text: str) -> bool:
    """Whether a file is the note of a find."""
    head = read_frontmatter(text)
    return _MARK.search(text, 0, head.body_start) is not None


def mark_of(text: str) -> str:
    """The identity that a note's head names."""
    found = _MARK.search(text)
    return found[1] if found else ""


def words_of(text: str) -> str:
    """A note without its head: what it is found by."""
    return text[read_frontmatter(text).body_start:].strip()


def is_as_written(text: str) -> bool:
    """Whether nobody has written into a note since dream did."""
    found = _MARK.search(text)
    return found is not None and found[2] == _hash(text)


def read_note(text: str) -> Note | None:
    """The note as dream wrote it; None where somebody has written into it since."""
    if not is_as_written(text):
        return None
    head = read_frontmatter(text)
    block = re.search(r"(?m)^tags:\n((?:  - .*\n)+)", text[:head.body_start])
    tags = tuple(line.removeprefix("  - ") for line in block[1].splitlines()) if block else ()
    body = text[head.body_start:]
    return Note(head.first("title"), head.first("source"), head.first("captured"), head.first("updated"),
                tuple((day, why) for day, why in _WHY.findall(body)), tags, tuple(_SENTENCE.findall(body)))


def add_below(text: str, note: Note) -> str:
    """A note somebody has written into, with what is new below; of what stands there only the day it was updated changes."""
    head = read_frontmatter(text).body_start
    above = re.sub(r"(?m)^updated: .*$", f"updated: {note.updated}", text[:head], count=1)
    new = [line for line in _body(note) if not line or line not in text[head:]]
    if not any(new):
        return above + text[head:]
    return f"{above}{text[head:].rstrip()}\n\n## {note.updated}\n\n" + "\n".join(new).strip() + "\n"


def find_note(folder: Path, identity: str) -> Path | None:
    """The note of a find, whatever a person has called it since and wherever below the folder it lies."""
    for path in sorted(folder.rglob("*.md")):
        if any(part.startswith(".") for part in path.relative_to(folder).parts) or path.is_symlink():
            continue
        if f"\ndream: {identity} " in read_text(path)[:4096]:
            return path
    return None


def read_text(path: Path) -> str:
    """A note's text; empty for what cannot be read as one."""
    try:
        return fsio.read_bytes(path, limit_bytes=LARGEST_NOTE_BYTES).decode("utf-8")
    except (OSError, UnicodeDecodeError, DreamError):
        return ""


def free_place(folder: Path, note: Note) -> Path:
    """Where a new note goes: by its title, and by its identity too where another has that name."""
    name = _FORBIDDEN.sub(" ", note.title).strip(". ")
    name = " ".join(name.encode("utf-8", "replace").decode().split())[:LONGEST_NAME].strip(". ") or note.identity
    while len(name.encode()) > 200:
        name = name[:-1]
    taken = {path.name.casefold() for path in folder.glob("*.md")} if folder.is_dir() else set()
    plain = f"{name}.md"
    return folder / (plain if plain.casefold() not in taken else f"{name} {note.identity.removeprefix('find-')[:6]}.md")


def plain_tag(text: str) -> str:
    """A tag as Obsidian takes it: no blank, no sign but `-`, `_` and `/`; empty where nothing is left."""
    return re.sub(r"[^\w/-]+", "-", text.strip().lstrip("#")).strip("-/")


def document_of(note: Note) -> dict[str, object]:
    """A note as JSON has it."""
    return {"id": note.identity, "title": note.title, "source": note.source, "captured": note.captured,
            "updated": note.updated, "why": [why for _, why in note.whys], "tags": list(note.tags),
            "sentences": list(note.sentences)}


