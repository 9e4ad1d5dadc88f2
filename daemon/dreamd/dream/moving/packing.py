"""Exports: JSON lines, a folder of notes, or a bundle of one scope that can be pinned. The same store gives the same bytes.

Each carries all records, so that nothing is lost on the way back; the notes of a folder stand beside them for people.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from dreamd.core import fsio
from dreamd.core.errors import Refused
from dreamd.core.values import Scope
from dreamd.dream import projection
from dreamd.kit import Kit
from dreamd.sources.base.own_writing import MARK, is_own_writing
from dreamd.store import memories, work
from dreamd.store.moving.rows_out import Record, load_records

FORMAT = 1
LINES_NAME = "dream-export.jsonl"
"""The records in a folder of notes."""
ABOUT_NAME, RECORDS_NAME = "bundle.json", "memories.jsonl"
EARLIEST = (1980, 1, 1, 0, 0, 0)
"""The time of every file in a bundle: the same memories give the same bytes."""


def as_lines(records: Iterable[Record]) -> bytes:
    """All records, one a line, behind a line that tells how many they are and what their hash is."""
    body = "".join(json.dumps(one, ensure_ascii=True, sort_keys=True, separators=(",", ":")) + "\n" for one in records).encode()
    head = {MARK: "export", "format": FORMAT, "records": body.count(b"\n"), "sha256": fsio.sha256_bytes(body)}
    return json.dumps(head).encode() + b"\n" + body


def as_bundle(records: Iterable[Record], scope: Scope, label: str) -> tuple[bytes, str]:
    """One scope in one file, and the hash by which it can be pinned."""
    lines = as_lines(records)
    digest = fsio.sha256_bytes(lines)
    about = {MARK: "bundle", "format": FORMAT, "scope": str(scope), "label": label, "digest": digest}
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as bundle:
        # The first one is not packed: by its first bytes a bundle is known for what it is.
        bundle.writestr(zipfile.ZipInfo(ABOUT_NAME, EARLIEST), json.dumps(about, ensure_ascii=True))
        bundle.writestr(zipfile.ZipInfo(RECORDS_NAME, EARLIEST), lines, compress_type=zipfile.ZIP_DEFLATED)
    return packed.getvalue(), digest


def write_folder(kit: Kit, folder: Path, scopes: Sequence[Scope], *, whole: bool) -> int:
    """Write notes a person can read, and all records beside them; says how many files.

    Raises Refused for a folder that holds anything that is not an export of dream's.
    """
    _refuse_foreign(folder)
    wanted = {LINES_NAME: as_lines(load_records(kit.store, None if whole else scopes))}
    for n, scope in enumerate(scopes):
        kit.progress("writing", n, len(scopes))
        everything = memories.load_memories(kit.store, scope=scope)
        known = work.load_files(kit.store, scope=scope)
        made = projection.render_scope(everything, known, scope=scope, paths=kit.paths, rules=kit.settings.index)
        wanted |= {path.removeprefix(f"{kit.paths.memory.name}/"): _marked(body) for path, (body, _) in made.items()}
    fsio.write_all([(folder / name, body) for name, body in sorted(wanted.items())])
    for path in _files(folder):
        if str(path.relative_to(folder)) not in wanted:
            fsio.remove(path)
    return len(wanted)


def _refuse_foreign(folder: Path) -> None:
    foreign = next((path for path in _files(folder) if not is_own_writing(path)), None)
    if foreign is not None:
        raise Refused(f"`{foreign}` is no part of an export", hint="choose a folder that is empty or not there yet")


def _files(folder: Path) -> list[Path]:
    return [path for path in sorted(folder.rglob("*")) if path.is_file() or path.is_symlink()] if folder.is_dir() else []


def _marked(body: bytes) -> bytes:
    """A note that says in its first lines that dream wrote it."""
    if body.startswith(b"---\n"):
        return b"---\n" + f"{MARK}: export\n".encode() + body[4:]
    return f"<!-- {MARK}: export -->\n".encode() + body
