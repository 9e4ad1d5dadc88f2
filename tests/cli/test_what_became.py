"""What became of everything that was said has names and reasons; help and empty machines say what to do next."""

from __future__ import annotations

import json
import shlex

import pytest

from dreamd.cli import main
from dreamd.cli.commands import FAMILY
from dreamd.cli.examples import EXAMPLES
from dreamd.core.plain_words.plain_reasons import plain

MONDAY = "2026-03-02T09:00:00Z"
SAID = ("The lab freezer is kept at minus 80 degrees.", "thanks, looks great", "ok, very nice work")


@pytest.fixture
def dreamt(dream):
    """A home where one of three notes became a memory; with it the id of the run."""
    lines = "".join(json.dumps({"text": text, "at": MONDAY}) + "\n" for text in SAID)
    dream.json("note", "--jsonl", "-", stdin=lines)
    return dream, dream.json("consolidate")["run"]


def test_a_run_tells_the_fate_and_the_reason_of_everything_that_was_said(dreamt):
    dream, run = dreamt
    out = dream("history", run).out
    assert "new (1)  it says something that lasts" in out
    assert "let go (2)  only agrees, thanks or greets" in out
    assert all(text in out for text in SAID)


def test_a_diff_names_what_was_let_go_and_with_v_the_rest_too(dreamt):
    dream, run = dreamt
    brief, full = dream("diff", run).out, dream("diff", run, "-v").out
    assert "let go (2)" in brief and "new (1)" not in brief
    assert "let go (2)" in full and "new (1)" in full


def test_a_loud_dream_names_what_it_let_go_and_an_ordinary_one_says_where_to_look(dream):
    dream.json("note", SAID[0])
    dream.json("note", SAID[1])
    loud = dream("consolidate", "--now", MONDAY, "-v").out
    assert SAID[1] in loud
    dream.json("note", SAID[2], now="2026-03-03T09:00:00Z")
    told = dream("consolidate", now="2026-03-03T09:00:00Z").out
    assert SAID[2] not in told and "names each with its reason" in told


def test_documents_give_fates_without_what_was_said(dreamt):
    dream, run = dreamt
    for command in ("history", "diff"):
        rows = dream.json(command, run)["observations"]
        assert sorted(row["fate"] for row in rows) == ["discarded", "discarded", "new"]
        assert not any("text" in row for row in rows)


def test_every_reason_of_the_gate_has_words(dream):
    dream.json("note", "Fetch the newest tide table, please, and then do that again", "--origin", "tool")
    run = dream.json("consolidate")["run"]
    (row,) = dream.json("history", run)["observations"]
    assert row["reason"] and plain(row["reason"]) != row["reason"]


def test_an_undo_counts_only_what_was_still_there(dreamt):
    dream, run = dreamt
    (memory,) = dream.json("list")["memories"]
    dream.json("forget", memory["id"], "--yes")
    assert dream.json("undo", run)["memories"] == 0


def test_a_list_that_an_undo_emptied_says_how_to_put_it_back(dreamt):
    dream, run = dreamt
    undo = dream.json("undo", run)["run"]
    told = dream("list")
    assert told.code == 0 and f"`dream undo {undo}` puts it back" in told.err


def test_a_list_before_the_first_dream_says_what_waits(dream):
    dream.json("note", SAID[0])
    assert "1 statement waits for `dream consolidate`" in dream("list").err


def test_an_empty_machine_says_what_to_do_next(dream):
    out = dream("consolidate").out
    assert out.startswith("nothing to do: ")
    assert all(step in out for step in ("dream note ", "dream ingest PATH", "dream connect --list"))
    dream.json("note", SAID[0])
    dream("consolidate")
    assert dream("consolidate").out.strip() == "nothing to do: no new statements, no edits, nothing due"


def test_an_id_too_short_says_how_many_signs_are_needed(dreamt):
    dream, _ = dreamt
    told = dream("show", "a0")
    assert told.code == 2 and "give its first 4 characters at least" in told.err


def test_a_plan_for_a_directory_there_is_not_is_refused_and_makes_none(dream):
    told = dream("consolidate", "--plan", str(dream.person / "no" / "such" / "plan.json"))
    assert told.code == 2 and "there is no directory for the plan" in told.err
    assert not (dream.person / "no").exists()


def test_a_home_that_cannot_be_made_is_an_outage_that_names_another_place(dream):
    told = dream("--home", "/proc/nowhere", "note", "hello there")
    assert told.code == 12 and "`--home`" in told.err


def test_words_without_quotes_are_one_note(dream):
    dream.json("note", "the", "quay", "closes", "at", "sunset")
    dream.json("consolidate")
    assert [m["text"] for m in dream.json("list")["memories"]] == ["the quay closes at sunset"]


def test_a_wrong_setting_is_named_with_its_file(dream):
    dream.settings("[index]\nmax_linez = 3\n")
    told = dream("list")
    assert told.code == 78 and "dream.toml`" in told.err and "did you mean `max_lines`?" in told.err


def test_a_misspelt_option_is_told_the_one_that_was_meant(dream):
    assert "did you mean `--scope`?" in dream("note", "hello there", "--skope", "user").err


def test_a_statement_that_was_old_when_it_was_read_is_as_young_as_any_other(dream):
    dream.json("note", "The pier camera hangs on mast 4.", "--at", "2025-03-01")
    dream.json("consolidate")
    assert [m["status"] for m in dream.json("list")["memories"]] == ["live"]


@pytest.mark.parametrize("command", [c for c in FAMILY if c != "probe"])
def test_the_help_of_every_command_ends_with_examples_that_parse(command):
    assert EXAMPLES[command]
    for line, _ in EXAMPLES[command]:
        words = shlex.split(line.rpartition("| ")[2])
        assert words[0] == "dream"
        call = main.read_call(words[1:])
        if call.command != "hook":
            main._parse(call.command, main.load_family(call.command), call.words)
