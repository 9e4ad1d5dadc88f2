"""What a run did to an attached directory, kept below the home: the bytes before and after, and what left it.

The manifest is written before the first file of the directory changes. `planned` means that some files may not be
written yet; whoever finds it finishes the work. Of a file that holds secrets only the change is kept: the lines with
them are taken from the file itself when a run is finished or taken back, and a masked copy lies beside it for people.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from dreamd.agents.foreign_dir import decode, encode
from dreamd.agents.guarding.foreign_secrets import apply_change, encode_change, lines_with_secrets
from dreamd.core import fsio
from dreamd.core.errors import DreamError, StoreMissing
from dreamd.store.masking.loose_files import mask_text
from dreamd.text.redaction import redact

PLANNED = "planned"
DONE = "done"
UNDONE = "undone"
KEPT_RUNS = 20
MANIFEST = "manifest.json"
ARCHIVE = "archive.jsonl"


@dataclass(frozen=True)
class FileChange:
    """One file by the sha256 of its bytes before and after; None where it was not, or is no more."""

    name: str
    before: str | None
    after: str | None
    mode: int


@dataclass(frozen=True)
class Manifest:
    """One run over one directory."""

    run: str
    root: str
    dialect: str
    at: str
    state: str
    files: tuple[FileChange, ...]
    commit: str = ""
    """The commit it made in the repository around the directory."""


@dataclass(frozen=True)
class Shelf:
    """One directory a run, the bodies in it named by their sha256."""

    root: Path

    def place(self, run: str) -> Path:
        """Where the backup of a run lies."""
        return self.root / run

    def runs(self) -> list[str]:
        """Runs with a manifest, oldest first."""
        found = sorted(self.root.glob(f"*/{MANIFEST}"), key=lambda p: (p.stat().st_mtime_ns, p.parent.name))
        return [path.parent.name for path in found]

    def store(self, manifest: Manifest, pairs: Iterable[tuple[bytes | None, bytes | None]], *, archive: bytes) -> None:
        """Keep each file before and after, and the archived entries, and last of all the manifest that makes them count."""
        place = self.place(manifest.run)
        for pair in pairs:
            secret = any(body is not None and lines_with_secrets(decode(body)) for body in pair)
            for body, other in (pair, pair[::-1]):
                if body is None:
                    continue
                sha = fsio.sha256_bytes(body)
                if not secret:
                    fsio.write_atomic(place / sha, body)
                    continue
                fsio.write_atomic(place / f"{sha}.change", encode_change(other or b"", body))
                fsio.write_atomic(place / f"{sha}.masked", encode(redact(decode(body)).text))
        fsio.write_atomic(place / ARCHIVE, archive)
        self._write(manifest)

    def mark(self, manifest: Manifest, state: str, *, commit: str = "") -> None:
        """Remember how far a run has come, and the commit it made."""
        self._write(replace(manifest, state=state, commit=commit or manifest.commit))

    def load(self, run: str) -> Manifest:
        """The manifest of a run.

        Raises StoreMissing when there is none, DreamError for one that cannot be read.
        """
        try:
            row = json.loads(fsio.read_bytes(self.place(run) / MANIFEST))
            files = tuple(FileChange(**file) for file in row.pop("files"))
            return Manifest(**row, files=files)
        except FileNotFoundError:
            raise StoreMissing("that run kept no backup of an attached directory") from None
        except (ValueError, TypeError, KeyError, AttributeError):
            raise DreamError(f"the backup of run {run} of an attached directory cannot be read") from None

    def body(self, run: str, sha: str | None, present: bytes | None) -> bytes | None:
        """The bytes of a file before or after a run; `present` are those it has now, which a change is applied to.

        Raises DreamError when they are not what they were.
        """
        if sha is None or (present is not None and fsio.sha256_bytes(present) == sha):
            return None if sha is None else present
        place = self.place(run)
        try:
            change = place / f"{sha}.change"
            body = apply_change(fsio.read_bytes(change), present or b"") if change.exists() else fsio.read_bytes(place / sha)
        except FileNotFoundError:
            body = b""
        if fsio.sha256_bytes(body) != sha:
            raise DreamError(f"the backup of run {run} of an attached directory is damaged")
        return body

    def drop_old(self) -> None:
        """Keep the backups of the newest runs."""
        for run in self.runs()[:-KEPT_RUNS]:
            self._drop(run)

    def drop_saying(self, statements: Iterable[str]) -> list[str]:
        """Drop the backups that hold any of these words, for a person wants them gone; those runs stay as they are.

        Gives back the runs that can no longer be undone.
        """
        wanted = [words for words in map(_words, statements) if words]
        dropped = []
        for run in self.runs():
            bodies = (p.read_bytes() for p in sorted(self.place(run).iterdir()) if not p.name.startswith("."))
            if any(words in _words(body.decode("utf-8", "replace")) for body in bodies for words in wanted):
                self._drop(run)
                dropped.append(run)
        return dropped

    def find_secrets(self) -> list[tuple[str, tuple[str, ...]]]:
        """The runs whose backups hold secrets in plain text, with their kinds."""
        found = []
        for run in self._places():
            kinds = [kind for path in self._bodies(run) for kind in mask_text(decode(path.read_bytes()), path.suffix)[1]]
            if kinds:
                found.append((run, tuple(dict.fromkeys(kinds))))
        return found

    def mask(self) -> list[str]:
        """Mask the backups of every run; those that cannot be taken back any more, for the secret stood nowhere else."""
        spoilt = []
        for run in self._places():
            fresh = {path: mask_text(decode(path.read_bytes()), path.suffix) for path in self._bodies(run)}
            if not any(kinds for _, kinds in fresh.values()) or self._keep_changes(run):
                continue
            spoilt.append(run)
            for path, (text, kinds) in fresh.items():
                if kinds:
                    fsio.write_atomic(path, encode(text))
        return spoilt

    def _keep_changes(self, run: str) -> bool:
        """Keep of each file how it changed instead of how it was; False where a secret itself came or went."""
        place = self.place(run)
        try:
            files = self.load(run).files
            pairs = [tuple(None if sha is None else fsio.read_bytes(place / sha) for sha in (f.before, f.after)) for f in files]
        except (DreamError, FileNotFoundError):
            return False
        changes = {fsio.sha256_bytes(body): encode_change(other or b"", body) for old, new in pairs
                   for body, other in ((old, new), (new, old)) if body is not None}
        if any(lines_with_secrets(decode(body)) - set(decode(other or b"").splitlines()) for old, new in pairs
               for body, other in ((old, new), (new, old)) if body is not None):
            return False
        if redact(decode(fsio.read_bytes(place / ARCHIVE))).masks:
            return False
        for sha, change in changes.items():
            fsio.write_atomic(place / f"{sha}.change", change)
        for sha in changes:
            fsio.remove(place / sha)
        return True

    def _places(self) -> list[str]:
        return sorted(path.name for path in self.root.iterdir() if path.is_dir()) if self.root.is_dir() else []

    def _bodies(self, run: str) -> list[Path]:
        return [p for p in sorted(self.place(run).iterdir())
                if p.is_file() and p.name != MANIFEST and not p.name.startswith(".")]

    def _drop(self, run: str) -> None:
        # the manifest goes first: without it the rest counts for nothing
        for path in sorted(self.place(run).iterdir(), key=lambda p: p.name != MANIFEST):
            fsio.remove(path)
        self.place(run).rmdir()

    def _write(self, manifest: Manifest) -> None:
        fsio.write_atomic(self.place(manifest.run) / MANIFEST, json.dumps(asdict(manifest)).encode())


def _words(text: str) -> str:
    """The words of a text in order, whatever stands between them."""
    return " ".join(re.findall(r"\w+", text.casefold()))
