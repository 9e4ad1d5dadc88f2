"""Damaged files: kept as copies below the home, told once by the run that found them, listed for as long as a copy is there.

A copy may hold a person's words that stand nowhere else, so none is removed before there are very many; what was masked in
the store is masked in them too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from dreamd.core import fsio
from dreamd.core.clock import iso
from dreamd.core.paths import Paths
from dreamd.text.redaction import redact

KEPT_MOST = 2_000
"""Copies of damaged files; the oldest go first beyond it."""
AWAY = "directory-away"
WORDS = {"empty": "empty", "zero-bytes": "full of zero bytes", "another-encoding": "in another encoding", "garbage": "garbage",
         "cut": "cut short", "doubled": "doubled", "merge-marks": "full of merge marks", "overwritten": "written over",
         "gone": "gone together"}


@dataclass(frozen=True)
class Damaged:
    """A file nobody can have wished for: where it is, whose, what is wrong, and its bytes where they are to be kept."""

    path: str
    scope: str
    reason: str
    body: bytes | None

    def shown(self) -> dict[str, str]:
        """The file and what is wrong with it, as a document shows it."""
        return {"kind": "damaged-file", "name": self.path, "reason": self.reason}


@dataclass(frozen=True)
class Copy:
    """A damaged file that was kept: its name below `damaged/`, what was wrong, and the file it was."""

    name: str
    reason: str
    file: str

    def shown(self) -> dict[str, str]:
        """The same as a document shows it."""
        return {"kind": "damaged-file", "name": self.file, "reason": self.reason, "copy": self.name}


def keep_copies(paths: Paths, damaged: Sequence[Damaged], *, now: datetime) -> None:
    """Copy damaged files aside; one that lies there already is not copied again."""
    there = {path.name.split(".", 1)[-1]: path for path in _copies(paths)}
    fresh = [(paths.damaged / f"{_stamp(now)}.{_label(one)}", _as_kept(one.body)) for one in damaged
             if one.body is not None and _label(one) not in there]
    fsio.write_all(fresh)
    for old in _copies(paths)[:-KEPT_MOST]:
        fsio.remove(old)


def list_copies(paths: Paths) -> list[Copy]:
    """The damaged files that were kept, oldest first."""
    parts = (path.name.split(".", 3) for path in _copies(paths))
    return [Copy(".".join(part), part[1], part[3]) for part in parts if len(part) == 4]


def tell(damaged: Sequence[Damaged]) -> Iterator[str]:
    """What a person should hear of damaged files: how many of each kind and scope, and what became of them."""
    for (scope, reason), count in sorted(Counter((d.scope, d.reason) for d in damaged).items()):
        if reason == AWAY:
            yield f"the directory of scope `{scope}` is away; `dream check --repair` writes it anew"
            continue
        files, are = ("file", "is") if count == 1 else ("files", "are")
        mine = next(d for d in damaged if (d.scope, d.reason) == (scope, reason))
        named = f" (`{mine.path}`)" if count == 1 else ""
        yield (f"{count} {files} of scope `{scope}`{named} {are} {WORDS[reason]}: set aside as damage, "
               "the memories keep their words")


def _label(one: Damaged) -> str:
    return f"{one.reason}.{fsio.sha256_bytes(one.body or b'')[:12]}.{Path(one.path).name}"


def _stamp(now: datetime) -> str:
    return iso(now).replace(":", "").split(".")[0].removesuffix("Z") + "Z"


def _copies(paths: Paths) -> list[Path]:
    return sorted(p for p in paths.damaged.iterdir() if p.is_file()) if paths.damaged.is_dir() else []


def _as_kept(body: bytes) -> bytes:
    """The bytes with every secret masked that can be read in them, in whatever encoding they are."""
    for encoding in ("utf-8", "utf-16", "latin-1"):
        if encoding == "utf-16" and not body.startswith((b"\xff\xfe", b"\xfe\xff")):
            continue
        try:
            text = body.decode(encoding)
        except UnicodeDecodeError:
            continue
        masked = redact(text).text
        return body if masked == text else masked.encode(encoding, "replace")
    return body
