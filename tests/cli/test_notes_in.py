"""`dream note`, `ingest`, `sources`: everything that goes in, and what is refused with a reason."""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import closing

import pytest

MONDAY = "2026-03-02T09:00:00Z"


def rows(dream, sql: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(dream.home / "dream.db")) as connection:
        return connection.execute(sql).fetchall()


def test_a_note_is_stored_once_however_often_it_is_said_with_its_key(dream):
    line = json.dumps({"text": "The invoice service belongs to Mara", "key": "k-1", "at": MONDAY})
    first, again = (dream.json("note", "--jsonl", "-", stdin=line + "\n")["observations"][0] for _ in range(2))
    assert (first["status"], again["status"], first["key"]) == ("stored", "known", "k-1")
    assert first["id"] == again["id"]


def test_a_note_remembers_what_the_caller_said_about_it(dream):
    dream.json("note", "The audit ends with the quarter", "--scope", "project:ledger", "--origin", "agent", "--class", "state",
               "--type", "project", "--ttl", "2026-03-31", "--at", "2026-02-01", "--conversation", "c-7", "--key", "k")
    assert rows(dream, "SELECT scope, origin, class_hint, type_hint, ttl, at, conversation, key FROM observation") == [
        ("project:ledger", "agent", "state", "project", "2026-03-31", "2026-02-01T00:00:00Z", "c-7", "k")]


def test_a_note_may_come_from_standard_input(dream):
    assert dream.json("note", stdin="Keep release notes in the changelog\n")["observations"][0]["status"] == "stored"


def test_a_dash_for_a_note_means_standard_input_too(dream):
    assert dream.json("note", "-", stdin="Keep release notes in the changelog\n")["observations"][0]["status"] == "stored"
    assert rows(dream, "SELECT text FROM observation") == [("Keep release notes in the changelog",)]


def test_a_secret_is_masked_before_anything_is_written(dream):
    secret = "ghp_" + "a1B2" * 9
    told = dream("note", f"The deploy token is {secret}, rotate it monthly", "--json")
    assert told.code == 0
    assert not [name for name, body in dream.files().items() if secret.encode() in body]
    assert "[masked: " in rows(dream, "SELECT text FROM observation")[0][0]
    assert secret not in told.out + told.err


def test_every_bad_line_is_named_and_the_good_ones_are_kept(dream):
    bad = [b'{"text": 7}', b"[]", b"not json", b'{"text": ""}', b'{"text": "an unknown class here", "class": "novel"}',
           b'{"text": "a year too far", "at": "9999-12-31"}', b'{"text": "a day too far", "ttl": "9999-12-31"}',
           b'{"text": "a way out", "scope": "project:../../x"}', b'{"text": "NUL \\u0000 inside"}',
           b'{"text": "half a sign \\ud800"}', b'{"text": "\xff\xfe broken bytes"}', b"[" * 100_000,
           b'{"text": "' + b"x" * 1_100_000 + b'"}', b'{"text": "' + b"y" * 20_000 + b'", "key": "long"}',
           b'{"at": "2026-01-01"}']
    first, last = b'{"text": "The first good line of this file"}\n\n', b'\n{"text": "The last good line of this file"}'
    body = first + b"\n".join(bad) + last
    told = dream("note", "--jsonl", "-", "--json", stdin=body)
    answers = told.document["observations"]
    assert told.code == 3
    assert [a["status"] for a in answers] == ["stored", *["refused"] * len(bad), "stored"]
    assert [a["line"] for a in answers] == [1, *range(3, 3 + len(bad)), 3 + len(bad)]
    assert all(a["reason"] for a in answers[1:-1])
    assert answers[14]["key"] == "long"
    assert rows(dream, "SELECT COUNT(*) FROM observation") == [(2,)]


def test_a_note_of_a_megabyte_is_refused_and_never_cut(dream):
    told = dream("note", stdin="word " * 210_000)
    assert (told.code, told.err) == (3, "warning: refused: longer than 16000 characters\n")
    assert not dream.home.exists()


def test_broken_utf8_on_standard_input_is_refused_in_words(dream):
    told = dream("note", stdin=b"caf\xe9 au lait and nothing else")
    assert told.code == 2
    assert "not valid UTF-8" in told.err
    assert "iconv" in told.err


def test_an_unknown_field_is_told_and_does_not_cost_the_line(dream):
    told = dream("note", "--jsonl", "-", stdin='{"text": "The gateway speaks HTTP/2 only", "scpoe": "user"}\n')
    assert told.code == 0
    assert "warning: line 1: unknown field `scpoe` is left out" in told.err


def test_a_thousand_lines_are_answered_in_order(dream):
    lines = "".join(json.dumps({"text": f"Rack {n} stands in row {n % 40}", "key": f"r{n}"}) + "\n" for n in range(1200))
    answers = dream.json("note", "--jsonl", "-", stdin=lines)["observations"]
    assert [a["key"] for a in answers] == [f"r{n}" for n in range(1200)]


def test_a_note_waits_in_the_inbox_while_the_store_is_busy_and_the_next_dream_takes_it(dream):
    from dreamd.core import locks

    dream.json("note", "Parcels are weighed at the north gate")
    with locks.foreground(dream.home / "locks"):
        answer = dream.json("note", "The kiln is fired on Wednesdays")["observations"][0]
    assert (answer["status"], answer["reason"]) == ("stored", "deferred")
    assert len(list((dream.home / "inbox").glob("*.json"))) == 1
    report = dream.json("consolidate")
    assert (report["fates"]["new"], report["phases"]["orient"]["inbox"]) == (2, 1)
    assert not list((dream.home / "inbox").glob("*.json"))


def test_a_note_does_not_wait_for_a_dream(lived_in):
    from dreamd.core import locks
    from dreamd.core.clock import parse_instant

    with locks.hold_dream(lived_in.home / "locks", locks.Owner("a long dream", parse_instant(MONDAY))):
        answer = lived_in.json("note", "Written while somebody dreams")["observations"][0]
    assert (answer["status"], answer["reason"]) == ("stored", None), "written at once: nobody else lets go of the lock"


def test_the_home_is_for_its_owner_alone(dream):
    dream.json("note", "The on-call rota is kept in the wiki")
    assert {p.stat().st_mode & 0o077 for p in [dream.home, *dream.home.rglob("*")]} == {0}


def test_a_home_that_a_dream_makes_is_for_its_owner_alone_too(dream):
    transcript(dream)
    assert dream("consolidate").code == 0
    assert {p.stat().st_mode & 0o077 for p in [dream.home, *dream.home.rglob("*")]} == {0}


def transcript(dream):
    folder = dream.person / ".claude" / "projects" / "-srv-otter"
    folder.mkdir(parents=True)
    common = {"sessionId": "s1", "timestamp": MONDAY, "cwd": "/srv/otter"}
    lines = [{**common, "type": "user", "uuid": "u1", "userType": "external",
              "message": {"role": "user", "content": "Remember: we always tag releases with a leading v, like v2.1"}},
             {**common, "type": "assistant", "uuid": "a1", "parentUuid": "u1",
              "message": {"role": "assistant", "content": [{"type": "text", "text": "Understood."}]}}]
    path = folder / "s1.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def test_sources_lists_what_is_there_and_reads_nothing(dream):
    path = transcript(dream)
    found = dream.json("sources")["sources"]
    assert [(s["path"], s["kind"], s["scope"], s["read_at"]) for s in found] == [
        (str(path), "claude-code", "project:otter", None)]
    assert not dream.home.exists()


def test_sources_says_which_version_of_a_program_wrote_last(dream):
    path = transcript(dream)
    lines = path.read_text().splitlines()
    path.write_text("".join(line.replace("{", f'{{"version": "2.1.{n}", ', 1) + "\n" for n, line in enumerate(lines)))
    assert dream.json("sources")["sources"][0]["version"] == "2.1.1"
    assert dream("sources").out.startswith("claude-code 2.1.1  project:otter")


def test_a_machine_where_only_scripts_talked_is_not_told_that_nothing_was_found(dream):
    path = transcript(dream)
    path.write_text(path.read_text().replace('"type": "user"', '"type": "user", "promptSource": "sdk"'))
    told = dream("consolidate").out
    assert "1 source read" in told and "no transcript" not in told


def test_ingest_reads_one_place_now_and_leaves_the_rest_to_the_dream(dream):
    path = transcript(dream)
    first = dream.json("ingest", str(path))
    again = dream.json("ingest", str(path))
    assert (first["sources"], first["stored"], first["waiting"]) == (1, 1, 1)
    assert (again["stored"], again["waiting"]) == (0, 1)
    assert dream.json("history")["runs"] == []
    assert dream.json("sources")["sources"][0]["lines"] == 2
    assert sum(dream.json("consolidate")["fates"].values()) == 1


def test_what_is_no_source_is_set_aside_in_words(dream):
    (dream.person / "blob.bin").write_bytes(bytes(range(256)) * 10)
    told = dream("ingest", str(dream.person / "blob.bin"))
    assert told.code == 3
    assert "nothing there looks like a source" in told.err


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read anywhere")
def test_an_unreadable_directory_is_set_aside_in_words(dream):
    shut = dream.person / "shut"
    shut.mkdir(mode=0)
    told = dream("ingest", str(shut))
    shut.chmod(0o700)
    assert (told.code, told.err.startswith("error: ")) == (3, True)


def test_a_corrupt_line_makes_a_dream_partial_and_is_counted(dream):
    path = transcript(dream)
    with path.open("a") as stream:
        stream.write('{"type": "user", broken\n')
    told = dream("consolidate", "--json")
    assert (told.code, told.document["outcome"], told.document["skips"].get("corrupt-line")) == (3, "partial", 1)
    assert dream.json("consolidate")["outcome"] == "nothing-to-do"


def test_notes_of_one_moment_in_a_home_that_is_not_there_yet_are_all_kept(dream):
    words = [("note", text) for text in (
        "The kiln glows for seven hours.", "Invoices go out on Mondays.", "The harbour master is called Ines.",
        "Never paint the north door.", "Deploys wait for the tide table.", "The archive lies under /srv/attic.")]
    calls = [dream.start(*said) for said in (*words, ("consolidate",), ("check",))]
    for call in calls:
        _, err = call.communicate(timeout=240)
        assert b"Traceback" not in err
    assert [call.returncode for call in calls[:len(words)]] == [0] * len(words)
    dream("consolidate")
    told = {m["text"] for m in dream.json("list", "--all")["memories"]}
    assert told == {text for _, text in words}


@pytest.mark.parametrize(("name", "body", "words"), [
    ("empty.jsonl", b"", "is empty"),
    ("damaged.jsonl.zst", b"\x28\xb5\x2f\xfd" + b"\xff" * 300, "is a packed file that is damaged"),
    ("picture.png", b"\x89PNG" + b"\x00" * 50, "")])
def test_a_file_that_cannot_be_read_is_told_with_the_reason(dream, name, body, words):
    path = dream.root / name
    path.write_bytes(body)
    told = dream("ingest", str(path))
    assert told.code == 3
    assert (f"`{path}` {words}" in told.err) if words else (str(path) not in told.err)
    assert "hint: " in told.err


def test_a_link_is_told_to_be_one_and_an_empty_path_names_nothing(dream):
    (dream.root / "talk.jsonl").write_text("{}\n")
    (dream.root / "link.jsonl").symlink_to(dream.root / "talk.jsonl")
    assert "is a link; name the file it leads to" in dream("ingest", str(dream.root / "link.jsonl")).err
    told = dream("ingest", "")
    assert told.code == 2 and "empty path" in told.err


def test_a_packed_conversation_is_listed_with_how_far_it_was_read_wherever_it_lies_now(dream):
    try:
        from compression import zstd
    except ImportError:
        from backports import zstd
    path = dream.person / ".codex" / "sessions" / "2026" / "03" / "01" / "rollout-2026-03-01T10-00-00-p.jsonl"
    path.parent.mkdir(parents=True)
    at = "2026-03-01T10:00:00.000Z"
    body = [{"timestamp": at, "type": "session_meta", "payload": {"id": "p", "cwd": "/srv/otter"}},
            {"timestamp": at, "type": "event_msg", "payload": {"type": "user_message",
                                                               "message": "We always water the ferns on Mondays."}}]
    path.write_text("".join(json.dumps(line) + "\n" for line in body))
    assert dream.json("consolidate")["phases"]["gather"]["stored"] == 1
    packed = path.with_name(path.name + ".zst")
    packed.write_bytes(zstd.compress(path.read_bytes()))
    path.unlink()
    assert dream.json("consolidate", now="2026-03-03T09:00:00Z")["phases"]["gather"]["stored"] == 0
    rows = [row for row in dream.json("sources")["sources"] if "rollout" in row["path"]]
    assert [(row["path"], row["present"], row["observations"]) for row in rows] == [(str(packed), True, 1)]


def test_a_declined_note_says_why_and_what_of_it_would_be_worth_keeping(dream):
    recipe = "How to deploy:\n1. build the image\n2. push it to the registry\n3. run the migration\n4. restart the service\n"
    told = dream("note", stdin=recipe)
    assert told.code == 0 and "a recipe of many steps" in told.err and "worth keeping: where it stands" in told.err
    row = dream.json("note", "- #12 Fix the form\n- #13 Bump things\n- #14 Add a retry")["observations"][0]
    assert (row["status"], row["declined"]["reason"]) == ("stored", "history")
    assert "declined" not in dream.json("note", "The pump stands\nin hall 2.")["observations"][0]
