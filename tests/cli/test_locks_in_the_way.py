"""Something else stands in the place of the locks: each command says what and what to do, and a note waits in the inbox."""

from __future__ import annotations

import os
import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest

from dreamd.core import locks
from dreamd.core.errors import Outage

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
NOTE = "The pier of cedar has nine cranes."
WRITERS = (("consolidate",), ("check",), ("undo",), ("forget", "--yes", "--matching", "kiln"),
           ("restore-store",))
READERS = (("list",), ("search", "kiln"), ("status",), ("history",))


def a_file(place: Path) -> Path:
    place.write_bytes(b"")
    return place


def a_link(place: Path) -> Path:
    (place.parent.parent / "elsewhere").mkdir()
    place.symlink_to(place.parent.parent / "elsewhere")
    return place


def a_link_to_nowhere(place: Path) -> Path:
    place.symlink_to("/nowhere/at/all")
    return place


def directories(place: Path) -> Path:
    for name in ("gate", "write", "dream", "service"):
        (place / f"{name}.lock").mkdir(parents=True)
    return place / "dream.lock"


def pipes(place: Path) -> Path:
    place.mkdir()
    for name in ("gate", "write", "dream", "service"):
        os.mkfifo(place / f"{name}.lock")
    return place / "dream.lock"


KINDS = {a_file: "a file and no directory", a_link: "a symbolic link and no directory",
         a_link_to_nowhere: "a symbolic link and no directory", directories: "a directory and no file",
         pipes: "a pipe and no file"}


def test_each_command_says_what_stands_there_and_a_note_waits(dream):
    dream("note", "The kiln of cedar is fired at 900 degrees.")
    dream("consolidate")
    for n, (put, what) in enumerate(KINDS.items()):
        shutil.rmtree(dream.home / "locks")
        standing = put(dream.home / "locks")
        noted = dream("note", f"{NOTE} It is quay {n}.")
        assert noted.code == 0
        assert what in noted.err and "inbox" in noted.err
        for words in WRITERS if put is a_file else WRITERS[:1]:
            told = dream(*words)
            assert (told.code, what in told.err, "move it away" in told.err) == (12, True, True), (put, words, told)
        assert [dream(*words).code for words in READERS if put is a_file] in ([], [0] * len(READERS))
        with pytest.raises(Outage, match=what), locks.hold_service(dream.home / "locks", locks.Owner("dream run", NOW)):
            pytest.fail("held a lock that is none")
        if standing.is_file() or standing.is_symlink():
            standing.unlink()
            standing.mkdir()
    shutil.rmtree(dream.home / "locks")
    assert dream("consolidate").code == 0
    assert dream("list").out.count(NOTE) == len(KINDS)
