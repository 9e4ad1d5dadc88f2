"""A home that the dream of before made: it opens, and no memory changes because the program did."""

from __future__ import annotations

import sqlite3
import tarfile
from contextlib import closing
from pathlib import Path

import pytest

from cli.conftest import Terminal
from household import differences, every_byte, snapshot

PACKED = Path(__file__).with_name("home_of_before.tar.xz")
MORNING, NIGHT, NEXT_NIGHT = "2026-02-04T08:00:00Z", "2026-02-04T20:00:00Z", "2026-02-05T20:00:00Z"
MADE_ANEW = {"vectors", "recalls"}
"""What may be made anew in the background, and what only says that a memory was shown."""


@pytest.fixture
def old(dream: Terminal) -> Terminal:
    """The home, as that dream left it."""
    dream.home.mkdir(mode=0o700)
    with tarfile.open(PACKED) as packed:
        packed.extractall(dream.home, filter="tar")
    return dream


def ends_before(old: Terminal) -> dict[str, object]:
    """The same as `ends`, of a store that only a dream may bring up to date."""
    with closing(sqlite3.connect(old.home / "dream.db")) as store:
        return {name: (text, status, ended or None) for name, text, status, ended in store.execute(
            "SELECT id, text, status, superseded_by FROM memory JOIN wording ON sha = wording")}


def ends(old: Terminal) -> dict[str, object]:
    """Every memory's text and status."""
    return {m["id"]: (m["text"], m["status"], m["superseded_by"]) for m in old.json("list", "--all", now=MORNING)["memories"]}


def test_a_store_of_before_is_read_once_a_dream_has_brought_it_up_to_date(old: Terminal) -> None:
    told = old("list", now=MORNING)
    assert (told.code, "dream consolidate" in told.err) == (12, True)
    old.json("consolidate", now=MORNING)
    assert old("list", now=MORNING).code == 0


def test_an_old_home_is_looked_at_asked_and_checked_and_no_memory_changes(old: Terminal) -> None:
    known = ends_before(old)
    old.json("consolidate", now=MORNING)
    assert ends(old) == known
    before = snapshot(old.home)
    assert len(ends(old)) == 43
    assert old.json("status", now=MORNING)
    found = old.json("search", "where is the map of the buoys", "--scope", "project:tidepool", now=MORNING)["results"]
    assert "docs/buoys.svg" in found[0]["memory"]["text"]
    assert [q["memory"]["text"] for q in old.json("review", now=MORNING)["questions"]]
    assert old.json("check", now=MORNING)["healthy"] is True
    assert set(differences(before, snapshot(old.home))) <= MADE_ANEW


def test_a_dream_without_anything_new_changes_no_memory_of_an_old_home_and_writes_its_index_anew_once(old: Terminal) -> None:
    known, edited = ends_before(old), next(old.home.rglob("*spare-heddles*.md"))
    words = edited.read_bytes()
    after = []
    for night in (NIGHT, NEXT_NIGHT):
        told = old.json("consolidate", now=night)
        assert (told["operations"], told["waiting"], sum(told["fates"].values())) == ([], [], 0)
        after.append(snapshot(old.home))
    assert set(differences(*after)) <= MADE_ANEW
    assert ends(old) == known
    assert edited.read_bytes() == words, "what a person edited keeps its name and its bytes"
    indexes = [path.read_text() for path in (old.home / "memory").rglob("MEMORY.md")]
    lines = [line for text in indexes for line in text.splitlines() if "](" in line]
    told = {m["file"].rpartition("/")[2] for m in old.json("list", now=NEXT_NIGHT)["memories"]}
    assert sorted(line.partition("](")[2].partition(")")[0] for line in lines) == sorted(told)
    assert old.json("check", now=NEXT_NIGHT)["healthy"] is True


def test_a_new_note_changes_nothing_that_it_does_not_speak_of(old: Terminal) -> None:
    before = ends_before(old)
    old.json("note", "The lamp of the harbour light is replaced each May.", "--scope", "project:tidepool", now=MORNING)
    told = old.json("consolidate", now=NIGHT)
    assert [o["op"] for o in told["operations"]] == ["add"]
    assert {i: end for i, end in ends(old).items() if i in before} == before


def test_what_a_new_judge_would_change_of_an_old_home_is_shown_and_nothing_is_changed(old: Terminal) -> None:
    old.json("consolidate", now=NIGHT)
    before = every_byte(old.home)
    told = old("consolidate", "--full", "--dry-run", "--json", now=NIGHT)
    assert told.code == (3 if told.document["waiting"] else 0)
    assert told.document["planned"] is True
    assert all(o["op"] and o["reason"] and o["after"] for o in told.document["operations"])
    assert every_byte(old.home) == before


def test_what_is_judged_anew_goes_through_a_plan_and_is_taken_back(old: Terminal) -> None:
    old.json("consolidate", now=MORNING)
    before, plan = ends(old), old.root / "plan.json"
    shown = old("consolidate", "--full", "--plan", str(plan), "--json", now=NIGHT).document
    done = old("consolidate", "--apply", str(plan), "--json", now=None).document
    assert done["operations"] == shown["operations"]
    named = {o["memory"] for o in shown["operations"]}
    assert {i for i, end in ends(old).items() if before.get(i) != end} <= named
    assert old("consolidate", "--full", "--dry-run", "--json", now=NIGHT).document["operations"] == []
    if done["operations"]:
        old.json("undo", done["run"], now=NEXT_NIGHT)
    assert ends(old) == before
