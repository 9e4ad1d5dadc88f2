"""Capturing a find: a page, a file or some words become a note in a person's folder, and the note is found like a document."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import unquote, urlsplit

from dreamd.core import fsio
from dreamd.core.clock import local_date
from dreamd.core.errors import DreamError, Outage, Refused, UsageError
from dreamd.core.paths import user_home
from dreamd.core.values import content_id, storable
from dreamd.core.world import World
from dreamd.kit import exclusions, read_zone
from dreamd.library import shelving
from dreamd.library.finds import reaching
from dreamd.library.finds.note_file import (
    Note,
    add_below,
    find_note,
    free_place,
    plain_tag,
    read_note,
    read_text,
    render,
)
from dreamd.library.finds.telling_sentences import telling_sentences
from dreamd.library.formats.asking_child import Reader
from dreamd.library.formats.plain_formats import Text, codec_of, decoded, is_binary, kind_of, read_plain
from dreamd.models import Embedder, load_embedder
from dreamd.text.injection import strip_hidden
from dreamd.text.redaction import redact

LONGEST_TITLE, LONGEST_WHY = 160, 500
PAGE_ENDING = ".webpage"
"""What the reading process takes for a page of the web, of which it takes the article alone."""
_WITH_CONTROLS = ("utf-16", "utf-32", "iso2022", "hz")
"""Encodings in which text has bytes that elsewhere are none of text."""


@dataclass(frozen=True)
class Wanted:
    """What a person asked to capture: an address, a file, or words."""

    place: str
    why: str = ""
    tags: tuple[str, ...] = ()
    fetch: bool = False
    words: bytes | None = None
    """What came on standard input, where that is captured."""


@dataclass(frozen=True)
class Captured:
    """The note of a find, where it lies, and what became of it: `new`, `updated` or `unchanged`."""

    note: Note
    path: Path
    address: str
    status: str
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Source:
    """Where a find is from, and what was read there."""

    source: str
    title: str
    text: str = ""


def capture(world: World, wanted: Wanted, *, may_reach: reaching.MayReach = reaching.is_public,
            embedder: Embedder | None = None) -> Captured:
    """Write or update the note of a find, and make it findable.

    Raises UsageError for what cannot be captured, Refused for what may not be fetched, DreamError where nothing came.
    """
    found = _read(world, wanted, may_reach)
    folder = folder_of(world)
    reads, warnings = (embedder, []) if embedder or not found.text else _load(world)
    why = _line(wanted.why, LONGEST_WHY)
    told, ordered = telling_sentences(_masked(found.text), why, reads)
    warnings += ["words that try to give orders were left out of the note"] * ordered
    today = local_date(world.clock.now(), read_zone(world.zone_name))
    note = Note(_harmless(_line(found.title, LONGEST_TITLE)) or "find", found.source, today, today,
                ((today, _harmless(why)),) if why else (),
                tuple(dict.fromkeys(tag for one in wanted.tags if (tag := plain_tag(redact(one).text)))),
                tuple(map(_harmless, told)))
    path, note, status = _write(folder, note)
    report = shelving.add_finds(world, folder, embedder=reads)
    warnings += [report.warning] if report.warning else []
    return Captured(note, path, f"corpus://{report.corpus}/{path.relative_to(folder).as_posix()}", status, tuple(warnings))


def folder_of(world: World) -> Path:
    """The folder of notes: a person's choice, else one below the home.

    Raises UsageError where the place that it should lie in is not there: a disk that is away, or a typing error.
    """
    chosen = world.settings.finds.folder
    if not chosen:
        return world.paths.home / "finds"
    place = Path(chosen.replace("~", str(user_home(world.env)), 1) if chosen.startswith("~") else chosen)
    if not place.is_absolute():
        raise UsageError(f"`finds.folder` is `{chosen}`, which is no whole path", hint="begin it with `/` or `~/`")
    if not place.parent.is_dir():
        raise UsageError(f"`{place.parent}` is not there", hint="`finds.folder` says where notes go; is a disk away?")
    return place.resolve()


def _write(folder: Path, note: Note) -> tuple[Path, Note, str]:
    there = find_note(folder, note.identity) if folder.is_dir() else None
    if there is None:
        path = free_place(folder, note)
        fsio.write_atomic(path, render(note).encode())
        return path, note, "new"
    before = read_text(there)
    known = read_note(before)
    if known is None:
        after = add_below(before, note)
    else:
        same = known.whys if note.whys and note.whys[0][1] in {why for _, why in known.whys} else (*known.whys, *note.whys)
        note = replace(note, captured=known.captured, whys=same, tags=tuple(dict.fromkeys((*known.tags, *note.tags))),
                       title=note.title if note.sentences else known.title, sentences=note.sentences or known.sentences)
        after = render(note)
    if after == before:
        return there, note, "unchanged"
    fsio.write_atomic(there, after.encode())
    return there, note, "updated"


def _read(world: World, wanted: Wanted, may_reach: reaching.MayReach) -> _Source:
    if wanted.words is not None:
        return _from_words(wanted.words)
    if "://" in wanted.place:
        return _from_web(world, wanted, may_reach)
    if wanted.fetch:
        raise UsageError("`--fetch` is for addresses of the web")
    return _from_file(world, Path(wanted.place).expanduser().absolute())


def _from_words(body: bytes) -> _Source:
    text = storable(decoded(body, "")).strip()
    if not text:
        raise UsageError("there is nothing to capture")
    first = next(line.strip("#*>- \t") for line in text.splitlines() if line.strip())
    return _Source(f"words: {content_id('words', text, size=6)}", first, text)


def _from_web(world: World, wanted: Wanted, may_reach: reaching.MayReach) -> _Source:
    address = reaching.plain_address(wanted.place)
    kept = redact(address).text
    parts = urlsplit(kept)
    last = unquote(parts.path.rstrip("/").rpartition("/")[2])
    title = " · ".join(filter(None, (re.sub(r"[-_+]+", " ", re.sub(r"\.\w{2,5}$", "", last)), parts.hostname or "")))
    if not wanted.fetch:
        return _Source(kept, title)
    page = reaching.fetch(address, may_reach=may_reach, env=world.env)
    # What the server says of the encoding counts before what the page says of itself, where it is one.
    codec = codec_of(page.charset)
    body = decoded(page.body, codec).encode("utf-8-sig") if codec else page.body
    if codec and not codec.startswith(_WITH_CONTROLS) and is_binary(page.body):
        raise DreamError("what stands there cannot be read: not text")
    if page.kind in ("text/html", "application/xhtml+xml"):
        found = _in_child(body, PAGE_ENDING)
    elif page.kind == "application/pdf":
        found = _in_child(page.body, ".pdf")
    elif page.kind.startswith("text/"):
        found = read_plain("page.md" if page.kind == "text/markdown" else "page.txt", body)
    else:
        raise DreamError(f"it is no page with words but `{page.kind[:60]}`", hint="save it and capture the file")
    if found.why:
        raise DreamError(f"what stands there cannot be read: {found.why}")
    return _Source(kept, found.title or title, found.text)


def _from_file(world: World, path: Path) -> _Source:
    if exclusions(world).has_path(path):
        raise Refused(f"`{path.name}` is kept from being read, by `sources.exclude` or a `.dreamignore`")
    if not path.is_file():
        raise UsageError(f"there is no file `{path}`", hint="an address begins with `https://`; `-` reads standard input")
    if path.stat().st_size > reaching.LARGEST_BYTES:
        raise UsageError(f"`{path.name}` is larger than 10 MiB", hint="`dream corpus add` takes large documents in")
    kind = kind_of(path.name)
    if kind in ("data", "archive"):
        raise UsageError(f"`{path.name}` is no document")
    found = _of_child(path) if kind == "rich" else read_plain(path.name, fsio.read_bytes(path))
    if found.why:
        raise DreamError(f"`{path.name}` cannot be read: {found.why}")
    home = user_home(world.env)
    shown = f"~/{path.relative_to(home).as_posix()}" if path.is_relative_to(home) else path.as_posix()
    return _Source(redact(storable(shown)).text, found.title or path.stem, found.text)


def _in_child(body: bytes, ending: str) -> Text:
    """What a page says, read by a process of its own from a place of its own, which is gone afterwards."""
    with TemporaryDirectory(prefix="dream-find-") as folder:
        path = Path(folder) / f"page{ending}"
        fsio.write_unsynced(path, body)
        return _of_child(path)


def _of_child(path: Path) -> Text:
    reader = Reader(longest_s=reaching.LONGEST_S)
    try:
        return reader.read(path)
    finally:
        reader.close()


def _load(world: World) -> tuple[Embedder | None, list[str]]:
    model = world.settings.model
    try:
        return load_embedder(model.engine, directory=model.directory, threads=model.threads, device=model.device,
                             kept_in=world.paths.models), []
    except Outage as outage:
        return None, [f"{outage.message}; the note has the first sentences, not the most telling ones"]


def _line(text: str, longest: int) -> str:
    return _masked(" ".join(text.split()))[:longest].strip()


def _masked(text: str) -> str:
    return redact(strip_hidden(storable(text))).text


def _harmless(text: str) -> str:
    """Words of others in a note: no link, no embedding and no tag of theirs does anything in the program that shows it."""
    plain = re.sub(r"`\s*\$?=", "`", text).replace("[[", "[ [").replace("![", "! [").replace("%%", "%")
    return re.sub(r"<(?=[A-Za-z/!?%])", "‹", plain)

