"""Plain files below a home: markdown, logs, the inbox, plans and whatever else is text.

Copies of the store that hold secrets: each is copied beside, masked, verified, and put in its own place.
"""

from __future__ import annotations

import gzip
import io
import json
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

from dreamd.core import fsio, gzipped
from dreamd.core.errors import DreamError
from dreamd.core.paths import BACKUP_ENDINGS, Paths
from dreamd.store import backups, forgetting
from dreamd.store.backups import HALF
from dreamd.store.connection import open_store
from dreamd.store.masking.unmasked import NAMES, Held, find_held, mask_held, redacted, walk
from dreamd.text.redaction import redact

LARGEST_BYTES = 64 * 1024 * 1024
_PACKED_LINES = ".ndjson.gz"
_BY_LINE = frozenset({".jsonl", ".ndjson", ".log"})


def list_texts(paths: Paths) -> Iterator[Path]:
    """Every file below a home that may be text and has no other keeper: the store, its copies and what is derived have."""
    apart = (paths.derived, paths.models, paths.locks, paths.home / "attached")
    for path in sorted(paths.home.rglob("*")):
        if path.is_symlink() or not path.is_file() or path.name.startswith(paths.store.name) \
                or path.name.endswith((*BACKUP_ENDINGS, HALF)):
            continue
        if not any(place in path.parents for place in apart):
            yield path


def masked(path: Path) -> tuple[bytes, tuple[str, ...]] | None:
    """A file as it would be with its secrets masked, and their kinds; None where there is none, or the file is no text."""
    packed = path.name.endswith(_PACKED_LINES)
    try:
        body = fsio.read_bytes(path, limit_bytes=LARGEST_BYTES)
        text = (_unpacked(body) if packed else body).decode()
    except (FileNotFoundError, UnicodeDecodeError, DreamError, OSError, EOFError, zlib.error):
        return None
    fresh, kinds = mask_text(text, ".ndjson" if packed else path.suffix)
    whole = fresh.encode("utf-8", "surrogateescape")
    return (gzip.compress(whole, 6, mtime=0) if packed else whole, kinds) if fresh != text else None


def _unpacked(body: bytes) -> bytes:
    """What is in a packed log, of which no more is read than of one that is not."""
    with gzip.GzipFile(fileobj=io.BytesIO(body)) as stream:
        return stream.read(LARGEST_BYTES)


def mask_text(text: str, suffix: str) -> tuple[str, tuple[str, ...]]:
    """What stands in a file, masked in the way of its kind, and the kinds of the secrets."""
    kinds: list[str] = []
    if suffix in _BY_LINE:
        fresh = "".join(_of_json(line, kinds) for line in text.splitlines(keepends=True))
    elif suffix in (".json", ".bad"):
        fresh = _of_json(text, kinds)
    else:
        fresh = redacted(text, kinds)
    return fresh, tuple(dict.fromkeys(kinds))


def _of_json(text: str, kinds: list[str]) -> str:
    """A document with the words in it masked; what is none is masked as it stands."""
    try:
        row = json.loads(text)
    except ValueError:
        return redacted(text, kinds)
    fresh = walk(row, kinds, NAMES)
    end = text[len(text.rstrip()):]
    if fresh != row:
        text = json.dumps(fresh, ensure_ascii=False, indent=1 if "\n" in text.strip() else None) + end
    # A field may say what its value is: {"password": "…"}.
    whole = redact(text)
    if whole.masks:
        with suppress(ValueError):
            json.loads(whole.text)
            kinds += whole.masks
            return whole.text
    return text


def list_copies(paths: Paths) -> Iterator[Path]:
    """Every copy of the store below a home: the backups, and stores that were replaced."""
    beside = (p for p in paths.home.glob(f"{paths.store.name}.*")
              if p.is_file() and not p.name.endswith((HALF, "-wal", "-shm")))
    yield from sorted((*backups.list_backups(paths.backups), *beside))


def look_into(copy: Path) -> list[Held]:
    """The rows of a copy that hold secrets.

    Raises DreamError for one that cannot be read.
    """
    try:
        with backups.unpacked(copy, copy.parent) as plain, \
                closing(sqlite3.connect(f"{plain.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as connection:
            return list(find_held(connection))
    except sqlite3.Error as error:
        raise DreamError(f"`{copy.name}` cannot be read ({type(error).__name__})") from None


def mask_copy(copy: Path) -> None:
    """Mask what stands in a copy. Whoever is killed leaves either the old copy or the new one.

    Raises DreamError for one that cannot be masked; it stays as it is.
    """
    half = copy.with_name(copy.name + HALF)
    fsio.remove(half)
    packed = gzipped.is_packed(copy)
    gzipped.unpack(copy, half)
    try:
        with open_store(half, migrate=True) as store:
            with store.writing() as tx:
                mask_held(tx, list(find_held(tx)))
            forgetting.scrub(store)
            store.connection.execute("PRAGMA journal_mode = DELETE").fetchall()
            backups.verify_store(store.connection, half)
    except (DreamError, sqlite3.Error):
        fsio.remove(half)
        raise
    backups.put_away(half, copy, packed=packed)
