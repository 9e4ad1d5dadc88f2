"""Exports of dream's, read back: whole or not at all."""

from __future__ import annotations

import json
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from dreamd.core import fsio
from dreamd.core.errors import Refused
from dreamd.dream.moving.packing import ABOUT_NAME, FORMAT, LINES_NAME, RECORDS_NAME
from dreamd.sources.base.own_writing import MARK, is_own_writing
from dreamd.store.moving.rows_out import Record

LARGEST_BYTES = 256 * 1024 * 1024
LONGEST_LINE_BYTES = 16 * 1024 * 1024
"""More than any record of dream's: the longest ones are files that a person edited."""
LARGEST_ABOUT_BYTES = 64 * 1024


@dataclass(frozen=True)
class Export:
    """What an export holds."""

    records: tuple[Record, ...]
    digest: str
    label: str = ""


def read_export(path: Path) -> Export | None:
    """An export of dream's; None for anything else.

    Raises Refused for one that is damaged or of a later form.
    """
    if path.is_dir():
        path = path / LINES_NAME
        return _of_lines(fsio.read_bytes(path, limit_bytes=LARGEST_BYTES)) if path.is_file() else None
    if not is_own_writing(path):
        return None
    if zipfile.is_zipfile(path) or path.suffix.lower() == ".zip":
        return _of_bundle(path)
    return _of_lines(fsio.read_bytes(path, limit_bytes=LARGEST_BYTES))


def _of_bundle(path: Path) -> Export:
    try:
        with zipfile.ZipFile(path) as bundle:
            sizes = [bundle.getinfo(name).file_size for name in (RECORDS_NAME, ABOUT_NAME)]
            if sizes[0] > LARGEST_BYTES or sizes[1] > LARGEST_ABOUT_BYTES:
                raise Refused("the bundle is larger than any of dream's")
            about, lines = json.loads(bundle.read(ABOUT_NAME)), bundle.read(RECORDS_NAME)
    except (zipfile.BadZipFile, KeyError, ValueError, OSError, EOFError) as error:
        raise Refused(f"the bundle is damaged ({type(error).__name__})", hint="have it made again") from None
    export = _of_lines(lines)
    if not isinstance(about, dict) or about.get("digest") != export.digest:
        raise Refused("the bundle is not what it says it is: its hash is another", hint="have it made again")
    return Export(export.records, export.digest, str(about.get("label", "")))


def _of_lines(lines: bytes) -> Export:
    first, _, body = lines.partition(b"\n")
    try:
        head = json.loads(first)
        if head[MARK] != "export":
            raise Refused("that is a diary, no export", hint="`dream export FILE` makes one")
        if type(head["format"]) is not int or head["format"] < 1:
            raise ValueError("no form of an export")
        if head["format"] > FORMAT:
            raise Refused(f"the export has form {head['format']}, this dream reads {FORMAT}; nothing was taken in",
                          hint="install the newer dream")
        if head["sha256"] != fsio.sha256_bytes(body):
            raise Refused("the export is damaged: its hash is another; nothing was taken in", hint="have it made again")
        return Export(tuple(_record(line) for line in _each(body)), fsio.sha256_bytes(lines))
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
        raise Refused(f"the export is damaged ({type(error).__name__}); nothing was taken in",
                      hint="have it made again") from None


def _each(body: bytes) -> Iterator[bytes]:
    """The lines, one at a time: an export may be as large as all that is known."""
    at = 0
    while at < len(body):
        end = body.find(b"\n", at)
        end = len(body) if end < 0 else end
        yield body[at:end]
        at = end + 1


def _record(line: bytes) -> Record:
    """One record; raises ValueError for what is none, Refused for a line that is longer than any of dream's."""
    if len(line) > LONGEST_LINE_BYTES:
        raise Refused(f"a line of the export is longer than {LONGEST_LINE_BYTES // 1024 // 1024} MiB; nothing was taken in",
                      hint="have it made again")
    told = json.loads(line)
    if not isinstance(told, dict) or not isinstance(told.get("kind"), str):
        raise ValueError("no record")
    return {sys.intern(name): value for name, value in told.items()}  # the same names in every record, kept once
