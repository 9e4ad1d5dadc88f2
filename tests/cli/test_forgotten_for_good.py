"""`dream forget`: asked first, whole, and never called gone for good while the words still stand somewhere."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing

import pytest

from conftest import FRIDAY, TUESDAY

WORD = "Quoxilfanz"
FACT = f"The partner {WORD} pays in spring."


def remains(dream) -> list[str]:
    """Files below the home in which the word still stands."""
    return [path for path, body in dream.files().items() if WORD.lower().encode() in body.lower()]


def texts(dream) -> list[str]:
    return [m["text"] for m in dream.json("list", "--all")["memories"]]


@pytest.fixture
def known(lived_in):
    """A home that holds one fact more."""
    lived_in.json("note", FACT, now=TUESDAY)
    lived_in.json("consolidate", now=TUESDAY)
    assert FACT in texts(lived_in)
    return lived_in


@pytest.mark.parametrize("answer", ["n\n", "y\n", ""])
def test_where_nobody_can_be_asked_nothing_is_forgotten_without_yes(known, answer):
    told = known("forget", "--matching", WORD, stdin=answer)
    assert (told.code, FACT in told.out, "--yes" in told.err) == (4, True, True)
    assert known("forget", "--matching", WORD, "--json", stdin=answer).document["error"]["code"] == 4
    assert FACT in texts(known)


def test_what_an_undone_run_held_is_forgotten_too_and_no_redo_brings_it_back(known):
    run = known.json("undo")["undone"][0]
    assert FACT not in texts(known) and remains(known)
    assert known.json("forget", "--matching", WORD, "--yes")["forgotten"]["observations"] == 1
    assert remains(known) == []
    assert known("undo", "--redo", run).code == 4
    known.json("consolidate", now=FRIDAY)
    assert not any(WORD in text for text in texts(known))


def test_what_an_undone_run_added_to_a_memory_goes_and_the_memory_stays(lived_in):
    lived_in.json("note", f"The billing API listens on port 8080, because {WORD} wanted it so.", now=TUESDAY)
    lived_in.json("consolidate", now=TUESDAY)
    assert any(WORD in text for text in texts(lived_in))
    lived_in.json("undo")
    lived_in.json("forget", "--matching", WORD, "--yes")
    assert remains(lived_in) == []
    assert "The billing API listens on port 8080." in texts(lived_in)
    assert lived_in("check").code == 0


def test_an_undone_memory_is_forgotten_by_the_id_that_its_run_shows(known):
    identity = next(m["id"] for m in known.json("list")["memories"] if m["text"] == FACT)
    known.json("undo")
    known.json("forget", identity, "--yes")
    assert remains(known) == []


def test_while_a_reader_holds_the_store_the_words_are_not_called_gone_and_the_next_dream_removes_them(known):
    with closing(sqlite3.connect(known.home / "dream.db", isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT COUNT(*) FROM wording").fetchone()
        told = known("forget", "--matching", WORD, "--yes")
        assert (told.code, "for good" in told.out, "another program is reading" in told.err) == (3, False, True)
    known.json("consolidate", now=FRIDAY)
    assert remains(known) == []


def test_set_aside_files_and_what_a_start_was_told_go_with_it(known):
    for name in ("inbox/0001-abc.bad", "primed/0123456789ab.json", "conflicts/parked.md.0123"):
        (known.home / name).parent.mkdir(exist_ok=True)
        (known.home / name).write_text(json.dumps({"at": TUESDAY, "text": FACT}))
    known.json("forget", "--matching", WORD, "--yes")
    assert remains(known) == []


def test_a_file_of_a_persons_own_below_the_home_is_named_and_left(known):
    (known.home / "my-plan.json").write_text(json.dumps({"text": FACT}))
    told = known("forget", "--matching", WORD, "--yes", "--json")
    assert (told.code, told.document["left"]) == (3, ["my-plan.json"])


def test_what_is_made_of_the_models_alone_is_not_searched(known):
    (known.home / "models" / "words-0123.graph").write_text(json.dumps({"text": FACT}))
    (known.home / "models" / "notes.txt").write_text(FACT)
    told = known("forget", "--matching", WORD, "--yes", "--json")
    assert told.document["left"] == ["models/notes.txt"]


def test_a_note_that_still_waits_in_the_inbox_is_forgotten_with_the_rest(known):
    inbox = known.home / "inbox"
    inbox.mkdir(exist_ok=True)
    with closing(sqlite3.connect(known.home / "dream.db", isolation_level=None)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        known.json("note", f"{WORD} likes plums and pears.", now=TUESDAY)
    assert len(list(inbox.glob("*.json"))) == 1
    assert known.json("forget", "--matching", WORD, "--yes")["forgotten"]["observations"] == 2
    assert remains(known) == []


def test_words_that_a_memory_no_longer_has_go_from_what_was_said(known):
    path = next(p for p in (known.home / "memory").rglob("*.md") if WORD in p.read_text() and p.name != "MEMORY.md")
    path.write_text(path.read_text().replace(WORD, "Kelvia"))
    known.json("consolidate", now=FRIDAY)
    assert "The partner Kelvia pays in spring." in texts(known)
    known.json("forget", "--matching", WORD, "--yes")
    assert remains(known) == []


def test_a_request_that_nothing_answers_to_can_be_dismissed(dream):
    dream.json("note", "The loom answers on port 7310.")
    for words in ("forget the red spools", "forget loom answers"):
        dream("hook", "user-prompt-submit", stdin=json.dumps({"session_id": "s-1", "prompt": words}))
    first, second = dream.json("review")["forget_requests"]
    assert dream("forget", "--matching", first["words"], "--yes").code == 10
    assert dream.json("review", first["id"], "drop")["dismissed"]["words"] == "the red spools"
    assert dream.json("review")["forget_requests"] == [second]
    assert second["id"] in dream("review").out
