"""Who may use what lies below a directory: found, and taken back."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

from dreamd.core.fsio import translated


def list_too_open(root: Path) -> tuple[list[Path], list[Path]]:
    """Below a directory: what others than its owner may use, and what is a link or belongs to somebody else."""
    ajar, foreign = [], []
    for path in (root, *sorted(root.rglob("*"))):
        try:
            facts = path.lstat()
        except FileNotFoundError:
            continue  # a service at work tidied up meanwhile
        if stat.S_ISLNK(facts.st_mode) or facts.st_uid != os.geteuid():
            foreign.append(path)
        elif facts.st_mode & 0o077:
            ajar.append(path)
    return ajar, foreign


def close_to_others(path: Path) -> None:
    """Take every right away from all but the owner."""
    with translated(path), suppress(FileNotFoundError):
        path.chmod(path.lstat().st_mode & 0o700)
