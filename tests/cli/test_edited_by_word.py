"""`dream edit`: other words for a memory, at once, with a person's authority, and taken back like any other run."""

from __future__ import annotations

from pathlib import Path


def test_the_memory_and_its_file_say_the_new_words_and_undo_brings_the_old_ones(lived_in, memory_of):
    memory = memory_of("8080")
    told = lived_in.json("edit", memory["id"][:8], "The billing API listens on port 9191.")
    assert told["memory"]["text"] in Path(told["memory"]["file"]).read_text()
    assert (told["memory"]["id"], told["memory"]["edited"]) == (memory["id"], True)
    assert lived_in("check").code == 0
    lived_in.json("undo", told["run"])
    assert memory_of("8080")["edited"] is False
    assert "8080" in Path(memory["file"]).read_text()


def test_undoing_the_second_of_two_edits_has_the_file_say_the_first_again(lived_in, memory_of):
    memory = memory_of("8080")
    lived_in.json("edit", memory["id"], "The billing API listens on port 9191.")
    second = lived_in.json("edit", memory["id"], "The billing API listens on port 7171.")
    assert "7171" in Path(memory["file"]).read_text()
    lived_in.json("undo", second["run"])
    assert "9191" in Path(memory["file"]).read_text()
    assert "7171" not in Path(memory["file"]).read_text()


def test_an_edit_is_one_run_of_its_own_and_begins_no_dream(lived_in, memory_of):
    before = len(lived_in.json("history")["runs"])
    lived_in.json("edit", memory_of("8080")["id"], "The billing API listens on port 9191.")
    runs = lived_in.json("history")["runs"]
    assert (len(runs), runs[0]["kind"], runs[0]["outcome"]) == (before + 1, "edit", "changed")
    assert lived_in.json("consolidate")["outcome"] == "nothing-to-do"


def test_a_secret_in_the_new_words_is_masked_everywhere(lived_in, memory_of):
    lived_in.json("edit", memory_of("8080")["id"], "The billing API wants the token ghp_" + "a1B2c3D4e5F6" * 3)
    assert not [name for name, body in lived_in.files().items() if b"a1B2c3D4e5F6a1B2" in body]


def test_a_later_day_in_the_new_words_is_the_day_it_ends(lived_in, memory_of):
    edited = lived_in.json("edit", memory_of("freeze")["id"], "The release freeze lasts until 2026-03-24.")["memory"]
    assert edited["ttl"] == "2026-03-24"


def test_what_is_held_is_accepted_by_an_edit_and_what_is_archived_is_restored_first(lived_in, memory_of):
    identity = memory_of("nightly import")["id"]
    assert lived_in.json("edit", identity, "The nightly import belongs to the data team.")["memory"]["status"] == "live"
    lived_in.json("consolidate", now="2026-03-20T09:00:00Z")
    told = lived_in("edit", memory_of("freeze")["id"], "The release freeze is over.")
    assert (told.code, "dream restore" in told.err) == (4, True)


def test_words_that_say_nothing_or_nothing_new_change_nothing(lived_in, memory_of):
    memory = memory_of("8080")
    assert lived_in("edit", memory["id"], " ").code == 2
    assert lived_in.json("edit", memory["id"], memory["text"])["run"] is None
