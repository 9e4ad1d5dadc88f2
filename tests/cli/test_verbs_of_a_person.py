"""review, pin, unpin, restore, forget, history, diff, undo, check: what a person does, and what it leaves behind."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

TUESDAY = "2026-03-03T09:00:00Z"
FRIDAY = "2026-03-20T09:00:00Z"


def status_of(terminal, words: str) -> str | None:
    found = [m["status"] for m in terminal.json("list", "--all")["memories"] if words in m["text"]]
    return found[0] if found else None


def test_a_pin_accepts_what_was_held_and_unpin_lets_go(lived_in, memory_of):
    identity = memory_of("nightly import")["id"]
    pinned = lived_in.json("pin", identity[:8])["memory"]
    assert (pinned["status"], pinned["pinned"]) == ("live", True)
    assert lived_in.json("unpin", identity)["memory"]["pinned"] is False


def test_review_lists_what_is_held_and_decides_it(lived_in, memory_of):
    identity = memory_of("nightly import")["id"]
    questions = lived_in.json("review")["questions"]
    assert [q["memory"]["id"] for q in questions] == [identity]
    lived_in.json("review", identity, "keep-a")
    assert (status_of(lived_in, "nightly import"), lived_in.json("review")["questions"]) == ("live", [])


def test_review_drop_archives(lived_in, memory_of):
    lived_in.json("review", memory_of("nightly import")["id"], "drop")
    assert status_of(lived_in, "nightly import") == "archived"


def test_an_expired_memory_comes_back_with_restore(lived_in, memory_of):
    lived_in.json("consolidate", now=FRIDAY)
    assert status_of(lived_in, "release freeze") == "archived"
    back = lived_in.json("restore", memory_of("release freeze")["id"], now=FRIDAY)["memory"]
    assert (back["status"], Path(back["file"]).exists()) == ("live", True)


def test_restoring_what_is_live_is_refused(lived_in, memory_of):
    told = lived_in("restore", memory_of("8080")["id"])
    assert (told.code, "nothing to restore" in told.err) == (4, True)


def test_forget_removes_the_words_from_every_file(lived_in, memory_of):
    words = b"listens on port 8080"  # four digits alone stand in the store's own random key by chance
    assert [name for name, body in lived_in.files().items() if words in body]
    gone = lived_in.json("forget", memory_of("8080")["id"], "--yes")["forgotten"]
    assert gone["memories"] == gone["observations"] == 1
    assert not [name for name, body in lived_in.files().items() if words in body or b"port 8080" in body]


def test_forget_matching_takes_every_memory_with_the_words(lived_in):
    assert lived_in.json("forget", "--matching", "billing port", "--yes")["forgotten"]["memories"] == 1
    assert lived_in("forget", "--matching", "billing port", "--yes").code == 10


def test_undo_takes_the_last_dream_back_and_redo_hands_it_over_again(lived_in):
    lived_in.json("note", "The coffee machine is descaled every month", now=TUESDAY)
    run = lived_in.json("consolidate", now=TUESDAY)["run"]
    assert lived_in.json("undo", "--dry-run")["run"] == run
    assert status_of(lived_in, "coffee") == "live"
    assert lived_in.json("undo", now=TUESDAY)["undone"] == [run]
    assert status_of(lived_in, "coffee") is None
    assert lived_in.json("consolidate", now=TUESDAY)["outcome"] == "nothing-to-do"
    assert lived_in.json("undo", "--redo", run, now=TUESDAY)["observations"] == 1
    assert lived_in.json("consolidate", now=TUESDAY)["fates"]["new"] == 1
    assert status_of(lived_in, "coffee") == "live"


def test_one_change_of_a_run_is_taken_back_and_the_others_stand(lived_in, memory_of):
    run = lived_in.json("history")["runs"][-1]["run"]
    gone = lived_in.json("undo", run, "--only", memory_of("8080")["id"][:8], now=TUESDAY)
    assert (gone["memories"], gone["observations_set_aside"]) == (1, 1)
    assert (status_of(lived_in, "8080"), status_of(lived_in, "linter")) == (None, "live")


def test_a_run_handed_over_again_stays_undone_and_is_not_taken_back_twice(lived_in):
    first = lived_in.json("undo", now=TUESDAY)["undone"][0]
    lived_in.json("undo", "--redo", first, now=TUESDAY)
    assert (lived_in("undo").code, lived_in("undo", "--redo", first).code) == (10, 4)
    run = lived_in.json("consolidate", now=TUESDAY)["run"]
    assert lived_in.json("undo", now=TUESDAY)["undone"] == [run]
    assert lived_in("undo").code == 10
    assert [r["undone_by"] is not None for r in lived_in.json("history")["runs"] if r["kind"] == "dream"] == [True, True]
    assert lived_in.json("check")["healthy"] is True


def test_taking_back_a_pin_does_not_offer_observations_it_never_had(lived_in, memory_of):
    lived_in.json("pin", memory_of("8080")["id"])
    run = lived_in.json("history")["runs"][0]["run"]
    told = lived_in("undo", run)
    assert (told.code, "--redo" in told.err) == (0, False)


def test_undo_of_an_old_run_names_the_later_ones_first(lived_in):
    first = lived_in.json("history")["runs"][-1]["run"]
    lived_in.json("note", "The billing API no longer listens on port 8080, it now listens on port 9090.", now=TUESDAY)
    later = lived_in.json("consolidate", now=TUESDAY)["run"]
    told = lived_in("undo", first, now=TUESDAY)
    assert (told.code, later in told.err, "--with-later" in told.err) == (4, True, True)
    assert set(lived_in.json("undo", first, "--with-later", now=TUESDAY)["undone"]) == {first, later}
    assert lived_in.json("list", "--all")["memories"] == []


def test_history_and_diff_tell_what_a_run_did(lived_in):
    run = lived_in.json("history")["runs"][0]
    assert (run["kind"], run["outcome"], run["operations"]) == ("dream", "changed", 4)
    diff = lived_in.json("diff", run["run"][:6])
    assert {o["after"]["status"] for o in diff["operations"]} == {"live", "held"}
    assert all(o["reason"] for o in diff["operations"])


def test_check_is_clean_and_repair_writes_anew_what_is_missing(lived_in, memory_of):
    assert lived_in.json("check")["healthy"] is True
    path = Path(memory_of("8080")["file"])
    (path.parent / "MEMORY.md").unlink()
    broken = lived_in("check")
    assert (broken.code, "dream check --repair" in broken.err + broken.out) == (13, True)
    lived_in.json("check", "--repair")
    assert (path.parent / "MEMORY.md").exists()
    assert lived_in.json("check")["healthy"] is True


def test_a_topic_file_that_a_person_deleted_is_a_wish_and_no_damage(lived_in, memory_of):
    Path(memory_of("8080")["file"]).unlink()
    told = lived_in("check")
    assert (told.code, "your wish" in told.out) == (0, True)
    told = lived_in.json("check")
    assert told["healthy"] is True
    assert [f["name"] for f in told["findings"] if f["verdict"] == "edited"] == ["deleted files"]


def test_a_store_changed_past_dream_is_13_and_names_the_way_back(lived_in):
    with closing(sqlite3.connect(lived_in.home / "dream.db")) as connection, connection:
        connection.execute("UPDATE operation SET reason = 'because'")
    told = lived_in("check")
    assert (told.code, "table `operation`" in told.out, "dream restore-store" in told.out) == (13, True, True)
    assert lived_in("restore-store").code == 0
    assert lived_in("check").code == 0


def test_a_backup_brings_the_store_back(lived_in):
    before = lived_in.json("list", "--all")
    (lived_in.home / "dream.db").write_bytes(b"not a database any more" * 1000)
    for extra in ("-wal", "-shm"):
        (lived_in.home / f"dream.db{extra}").unlink(missing_ok=True)
    back = lived_in.json("restore-store")
    assert Path(back["kept"]).exists()
    assert lived_in.json("list", "--all") == before


def test_a_symlink_as_topic_file_is_left_alone_and_told(lived_in, memory_of):
    path = Path(memory_of("8080")["file"])
    target = lived_in.person / "elsewhere.md"
    target.write_text("this file is somebody else's")
    path.unlink()
    path.symlink_to(target)
    lived_in.json("note", "The badge printer is on the second floor", now=TUESDAY)
    told = lived_in("consolidate", now=TUESDAY)
    assert told.code in (0, 3)
    assert "symbolic link" in told.err
    assert target.read_text() == "this file is somebody else's"
    assert status_of(lived_in, "8080") == "live"


def test_an_edit_by_hand_is_learned_and_stands(lived_in, memory_of):
    path = Path(memory_of("8080")["file"])
    path.write_text(path.read_text().replace("8080", "7070"))
    report = lived_in.json("consolidate", now=TUESDAY)
    assert report["phases"]["orient"]["edits"] == 1
    assert status_of(lived_in, "7070") == "live"
