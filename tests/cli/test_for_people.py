"""What a person reads: the report of a dream, lists, questions; nothing a memory says can steer a terminal."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import termios
from contextlib import suppress
from pathlib import Path

import pytest

from dreamd.cli.printing import render

TUESDAY = "2026-03-03T09:00:00Z"
FRIDAY = "2026-03-20T09:00:00Z"


def test_the_report_says_what_was_learned_where_it_is_and_how_to_undo(dream):
    dream.json("note", "--jsonl", "-", stdin='{"text": "The lab freezer is kept at minus 80 degrees"}\n'
                                             '{"text": "The vault password is hunter2hunter2, ask Mara"}\n')
    told = dream("consolidate")
    run = dream.json("history")["runs"][0]["run"]
    lines = told.out.splitlines()
    assert lines[0].startswith(f"dream {run} · 2026-03-02 09:00 · ")
    assert "The lab freezer is kept at minus 80 degrees" in told.out
    assert "masked   secrets in 1 memory, before they were stored" in lines
    assert f"undo     dream undo {run}" in lines
    assert any(line.startswith("memory") and line.endswith("/memory/user/MEMORY.md") for line in lines)
    assert "hunter2hunter2" not in told.out


def test_the_report_shows_old_and_new_side_by_side(lived_in):
    lived_in.json("note", "The billing API no longer listens on port 8080, it now listens on port 9090.", now=TUESDAY)
    out = lived_in("consolidate", now=TUESDAY).out.splitlines()
    at = next(n for n, line in enumerate(out) if line.startswith("replaced (1)"))
    assert out[at + 1].endswith("The billing API listens on port 8080.")
    assert out[at + 2].strip() == "→ The billing API no longer listens on port 8080, it now listens on port 9090."


def test_what_a_person_did_to_the_files_is_not_told_as_something_that_was_said(lived_in, memory_of):
    path, other = (Path(memory_of(words)["file"]) for words in ("8080", "linter"))
    path.write_text(path.read_text().replace("8080", "8181"))
    other.unlink()
    out = lived_in("consolidate", now=TUESDAY).out
    assert "also     1 edited by you, 1 deleted by you" in out
    assert "became" not in out


def test_a_plan_does_not_say_that_what_it_read_was_stored(dream):
    folder = dream.person / ".claude" / "projects" / "-srv-otter"
    folder.mkdir(parents=True)
    said = {"role": "user", "content": "Remember: we always tag releases with a leading v, like v2.1"}
    (folder / "s1.jsonl").write_text(json.dumps({"type": "user", "uuid": "u1", "userType": "external", "sessionId": "s1",
                                                 "cwd": "/srv/otter", "timestamp": TUESDAY, "message": said}) + "\n")
    plan, done = (dream("consolidate", *more, now=FRIDAY).out for more in (("--dry-run",), ()))
    assert "1 line, 1 prompt\n" in plan
    assert "1 line, 1 prompt → 1 new statement\n" in done


def test_the_history_says_first_that_a_run_was_taken_back(lived_in):
    lived_in("undo")
    assert any(" dream  changed  taken back by " in " ".join(line.split(" ")) for line in lived_in("history").out.splitlines())
    again = lived_in("undo")
    assert (again.code, "there is no dream to take back" in again.err) == (10, True)


def test_a_wrong_status_names_the_right_ones(lived_in):
    told = lived_in("list", "--status", "bogus")
    assert told.code == 2
    assert "'held'" in told.err and "<" not in told.err


def test_a_terminal_without_a_size_is_no_narrow_one(lived_in):
    ours, theirs = pty.openpty()  # a fresh one says that it has 0 columns
    lived_in.json("note", "Visitors of the north pier sign the blue book at the desk of the harbour office before noon")
    subprocess.run(lived_in.command("consolidate"), stdout=theirs, env=lived_in.env, check=True)
    os.close(theirs)
    told = os.read(ours, 65536).decode()
    os.close(ours)
    assert "at the desk of the harbour" in told


def test_nothing_to_do_is_one_line(lived_in):
    told = lived_in("consolidate")
    assert (told.code, told.out, told.err) == (0, "nothing to do: no new statements, no edits, nothing due\n", "")


def test_a_long_report_stops_after_twenty_changes_and_says_where_the_rest_is(dream):
    words = ["anchor", "basil", "copper", "dahlia", "ember", "falcon", "garnet", "hazel", "indigo",
             "jasmine", "kestrel", "lemon", "maple", "nectar", "olive", "pepper", "quartz", "rowan",
             "saffron", "tulip", "umber", "violet", "walnut", "yarrow", "zinnia"]
    lines = "".join(f'{{"text": "Room {w} seats {n + 3} people and has a {w} door"}}\n' for n, w in enumerate(words))
    dream.json("note", "--jsonl", "-", stdin=lines)
    out = dream("consolidate").out
    shown = sum(1 for line in out.splitlines() if "seats" in line)
    run = dream.json("history")["runs"][0]["run"]
    assert shown == 20
    assert f"… and 5 more: `dream diff {run}`" in out


def test_a_list_is_one_line_a_memory_by_scope(lived_in):
    out = lived_in("list").out.splitlines()
    assert out[0] == "user"
    assert len(out) == 4
    assert all(len(line) <= 100 for line in out)


def test_text_that_would_steer_a_terminal_is_shown_harmless(dream):
    dream.json("note", "--jsonl", "-", stdin='{"text": "The status light \\u001b[31mturns red\\u001b[0m\\u0007 on failure"}\n')
    dream.json("consolidate")
    identity = dream.json("list", "--all")["memories"][0]["id"]
    for words in (["list", "--all"], ["show", identity], ["explain", identity], ["search", "status light"], ["diff", "1"]):
        assert not {"\x1b", "\x07"} & set(dream(*words).out), words


def test_colours_are_for_terminals_that_want_them(lived_in):
    def on_a_terminal(**env: str) -> str:
        ours, theirs = pty.openpty()
        done = subprocess.Popen(lived_in.command("list"), stdin=theirs, stdout=theirs, stderr=theirs,
                                env={**lived_in.env, "TERM": "xterm", **env})
        done.wait(timeout=60)
        os.close(theirs)
        told = b""
        try:
            while part := os.read(ours, 65536):
                told += part
        except OSError:  # Linux says so at the end of a terminal
            pass
        os.close(ours)
        return told.decode()

    assert "\x1b[" in on_a_terminal()
    assert "\x1b[" not in on_a_terminal(NO_COLOR="1")
    assert "\x1b[" not in lived_in("list").out


def test_review_on_a_terminal_asks_and_obeys(lived_in):
    ours, theirs = pty.openpty()
    running = subprocess.Popen(lived_in.command("review"), stdin=theirs, stdout=theirs, stderr=theirs,
                               env={**lived_in.env, "TERM": "dumb"})
    os.write(ours, b"a\n")
    running.wait(timeout=60)
    os.close(theirs)
    os.close(ours)
    assert {m["status"] for m in lived_in.json("list", "--all")["memories"]} == {"live"}


def test_quiet_says_nothing_and_verbose_where_the_time_went(dream):
    assert dream("note", "-q", "The quiet room is on the third floor").out == ""
    assert "time     orient" in dream("consolidate", "-v").out
    dream.json("note", "The loud room is on the first floor")
    assert dream("consolidate", "-q").out == ""


def test_progress_is_for_terminals_and_clears_itself(lived_in):
    lived_in.json("note", "The lift is serviced every other Thursday")
    ours, theirs = pty.openpty()
    done = subprocess.run(lived_in.command("consolidate"), stdout=subprocess.PIPE, stderr=theirs, env=lived_in.env)
    os.close(theirs)
    told = os.read(ours, 65536).decode()
    os.close(ours)
    assert "comparing" in told
    assert told.endswith("\r\x1b[K")
    assert "comparing" not in done.stdout.decode()


@pytest.mark.parametrize(("number", "said"), [(1, "1 memory"), (2, "2 memories"), (1200, "1,200 memories"), (0, "0 memories")])
def test_counts_read_as_words(number, said):
    assert render.count(number, "memory") == said


def test_days_are_not_daies():
    assert render.count(2, "day") == "2 days"


def test_a_line_is_cut_by_columns_not_by_signs():
    assert render.clip("ab", 2) == "ab"
    assert render.clip("abcdef", 4) == "abc…"
    assert render.clip("測試測試", 5) == "測試…"


@pytest.mark.parametrize("words", [
    ["list", "--all"], ["diff"], ["events"], ["check"], ["help"], ["history", "RUN"], ["undo", "--dry-run"],
    ["explain", "MEMORY"]], ids=" ".join)
def test_what_is_told_fits_a_narrow_terminal_and_is_whole_in_a_pipe(lived_in, memory_of, words):
    named = {"RUN": lived_in.json("history")["runs"][-1]["run"], "MEMORY": memory_of("8080")["id"]}
    words = [named.get(word, word) for word in words]
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 80, 0, 0))
    with subprocess.Popen(lived_in.command(*words, now=TUESDAY), stdin=theirs, stdout=theirs, stderr=theirs, env=lived_in.env,
                          cwd=lived_in.person) as running:
        os.close(theirs)
        told = b""
        with suppress(OSError):  # the terminal is gone with its last program
            while piece := os.read(ours, 65536):
                told += piece
        running.wait()
    os.close(ours)
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", told.decode())
    wide = [line for line in plain.split("\r\n") if len(line.rpartition("\r")[2]) > 80 and str(lived_in.home) not in line]
    assert wide == []
    assert "…" not in lived_in(*words, now=TUESDAY).out.replace("COMMAND …", "").replace('"…"', "")
