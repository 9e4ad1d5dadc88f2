"""A store that is gone with its backups or files still there: no command founds another one in silence."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Terminal

FRIDAY, TUESDAY = "2026-03-20T09:00:00Z", "2026-03-03T09:00:00Z"

WAYS: dict[str, Callable[[Terminal], object]] = {
    "gone": lambda dream: (dream.home / "dream.db").unlink(),
    "empty": lambda dream: (dream.home / "dream.db").write_bytes(b""),
    "gone, backups alone": lambda dream: [(dream.home / "dream.db").unlink(), shutil.rmtree(dream.home / "memory")],
    "gone, files alone": lambda dream: [(dream.home / "dream.db").unlink(), shutil.rmtree(dream.home / "backups"),
                                        (dream.home / ".founded").unlink()],
}
ASKED = (["status"], ["search", "port"], ["consolidate"], ["consolidate", "--dry-run"], ["ingest", "."], ["check"], ["undo"],
         ["sources"], ["init"], ["pin", "abcd"])
LATER = "Reviews of the billing API need two people."


@pytest.mark.parametrize("lose", WAYS.values(), ids=list(WAYS))
def test_a_note_waits_and_says_where_when_the_store_is_lost(lived_in: Terminal, lose: Callable[[Terminal], object]) -> None:
    lose(lived_in)
    told = lived_in("note", LATER)
    assert (told.code, str(lived_in.home / "inbox") in told.err) == (0, True), told
    assert "dream restore-store" in told.err
    assert not (lived_in.home / "dream.db").exists() or not (lived_in.home / "dream.db").stat().st_size
    asked = lived_in("list")
    assert (asked.code, "dream restore-store" in asked.err, "dream init --new" in asked.err) == (12, True, True)


def _in_its_place(home: Path, name: str, make: Callable[[Path], object]) -> None:
    (home / name).unlink(missing_ok=True)
    make(home / name)


ODD: dict[str, Callable[[Path], object]] = {
    "a pipe": os.mkfifo,
    "a directory": Path.mkdir,
    "a symbolic link": lambda path: path.symlink_to(path.parent / "elsewhere.db"),
    "a symbolic link to itself": lambda path: path.symlink_to(path),
}


@pytest.mark.parametrize("name", ["dream.db", "dream.db-wal", "dream.db-shm", "dream.db-journal"])
@pytest.mark.parametrize("make", ODD.values(), ids=list(ODD))
def test_a_note_waits_where_no_file_stands_in_the_place_of_the_store(
        lived_in: Terminal, name: str, make: Callable[[Path], object]) -> None:
    _in_its_place(lived_in.home, name, make)
    told = lived_in("note", LATER)
    assert (told.code, str(lived_in.home / "inbox") in told.err, name in told.err) == (0, True, True), told
    assert "move it away" in told.err
    asked = lived_in("consolidate")
    assert (asked.code, "no file" in asked.err) == (12, True), asked
    if name != "dream.db":
        path = lived_in.home / name
        path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()
        lived_in("consolidate", now=TUESDAY)
        assert LATER in {m["text"] for m in lived_in.json("list", now=TUESDAY)["memories"]}
        assert not list((lived_in.home / "outage").glob("*.json"))


def test_every_other_command_is_an_outage_and_touches_nothing(lived_in: Terminal) -> None:
    (lived_in.home / "dream.db").unlink()
    lived_in("list")
    before = {name: body for name, body in lived_in.files().items() if not name.startswith(("outage/", "locks/"))}
    for words in ASKED:
        told = lived_in(*words, now=FRIDAY)
        assert (told.code, "dream init --new" in told.err) == (12, True), (words, told)
    after = {name: body for name, body in lived_in.files().items() if not name.startswith(("outage/", "locks/"))}
    assert after == before


def test_a_lost_store_comes_back_with_what_was_noted_meanwhile(lived_in: Terminal) -> None:
    known = {m["text"] for m in lived_in.json("list")["memories"]}
    (lived_in.home / "dream.db").unlink()
    lived_in("note", LATER)
    assert lived_in("restore-store").code == 0
    lived_in.json("consolidate", now=TUESDAY)
    assert {m["text"] for m in lived_in.json("list", now=TUESDAY)["memories"]} == {*known, LATER}
    assert lived_in("check", now=TUESDAY).code == 0
    assert not list((lived_in.home / "outage").glob("*.json"))


def test_a_new_store_is_made_on_purpose_alone(lived_in: Terminal) -> None:
    (lived_in.home / "dream.db").unlink()
    lived_in("note", LATER)
    told = lived_in.json("init", "--new")
    assert told["taken"] == 1
    lived_in.json("consolidate", now=TUESDAY)
    assert [m["text"] for m in lived_in.json("list", "--all", now=TUESDAY)["memories"]] == [LATER]
    (run,) = lived_in.json("history", now=TUESDAY)["runs"]
    assert run["phases"]["orient"]["edits"] == 0, "its own files of old are no person's edits"
    assert list(lived_in.home.glob("memory.replaced-*"))


def test_a_sound_store_is_not_replaced_by_a_new_one(lived_in: Terminal) -> None:
    before = (lived_in.home / "dream.db").read_bytes()
    assert lived_in("init", "--new").code == 4
    assert (lived_in.home / "dream.db").read_bytes() == before


def test_a_damaged_store_without_a_backup_is_kept_beside_a_new_one(lived_in: Terminal) -> None:
    shutil.rmtree(lived_in.home / "backups")
    (lived_in.home / "dream.db").write_bytes(b"this is no database, not even close to one" * 200)
    assert lived_in("restore-store").code == 10
    assert lived_in("init").code == 13
    assert lived_in("init", "--new").code == 0
    assert len(list(lived_in.home.glob("dream.db.replaced-*"))) == 1
    assert lived_in("check").code == 0


def test_an_empty_home_is_still_founded_by_the_first_note(dream: Terminal) -> None:
    dream.home.mkdir()
    (dream.home / "dream.db").touch()
    assert dream("note", LATER).code == 0
    assert dream.json("status")["waiting"] == 1


def test_notes_alone_are_reason_enough_not_to_found_again(dream: Terminal) -> None:
    dream("note", LATER)
    (dream.home / "dream.db").unlink()
    assert dream("note", "The kiln of cedar is fired at 900 degrees.").code == 0
    assert dream("status").code == 12
