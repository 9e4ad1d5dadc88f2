"""What somebody who begins with dream gets wrong is answered with what they gave and with what there is."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys

import pytest

from dreamd.cli.commands import FAMILY
from dreamd.cli.main import main
from dreamd.core.values import IN_PASSING
from household import FIRST_NIGHT, House


def said(house: House, capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    code = main(["--home", str(house.home), "--now", FIRST_NIGHT, *words])
    told = capsys.readouterr()
    return code, told.out + told.err


def test_an_export_of_no_scope_names_it_and_those_there_are(house, capsys, tmp_path):
    house.say(FIRST_NIGHT, "The billing API listens on port 8080.")
    code, told = said(house, capsys, "export", "--scope", "nope", str(tmp_path / "x.jsonl"))
    assert (code, "there is no scope `nope`" in told, "`project:cedar`" in told) == (2, True, True)


def test_a_wrong_day_for_the_diary_is_named_with_the_ways_to_say_one(house, capsys):
    house.say(FIRST_NIGHT, "The billing API listens on port 8080.")
    code, told = said(house, capsys, "diary", "--since", "zzz")
    assert code == 2
    assert "`zzz`" in told and "`7d`, `3w`" in told


def test_a_diary_of_days_to_come_is_refused(house, capsys):
    house.say(FIRST_NIGHT, "The billing API listens on port 8080.")
    code, told = said(house, capsys, "diary", "--since", "2031-01-01")
    assert (code, "still to come" in told) == (2, True)


@pytest.mark.parametrize(("terminal", "tells"), [(True, True), (False, False)])
def test_a_note_says_on_a_terminal_that_search_knows_it_after_the_next_dream(house, capsys, monkeypatch, terminal, tells):
    monkeypatch.setattr(type(sys.stdout), "isatty", lambda _: terminal, raising=False)
    _, told = said(house, capsys, "note", "The billing API listens on port 8080.")
    assert ("once a dream has taken it up" in told) is tells


def test_nothing_is_promised_for_tonight_where_no_service_runs(house, capsys, monkeypatch):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert "tonight" not in said(house, capsys, "note", "The billing API listens on port 8080.")[1]
    house.dream(FIRST_NIGHT)
    house.say(FIRST_NIGHT, "The search gateway listens on port 7000.")
    told = " ".join(said(house, capsys, "status")[1].split())
    assert f"no service runs: `dream --home {house.home} consolidate` dreams now" in told
    assert "at the earliest" not in told


@pytest.mark.parametrize(("command", "action"), [("corpus", "add|list|remove"), ("completion", "bash|zsh|fish"),
                                                 ("service", "install|uninstall")])
def test_a_verb_without_its_action_names_those_there_are(house, capsys, command, action):
    code, told = said(house, capsys, command)
    assert (code, action in told) == (2, True)


@pytest.mark.parametrize(("reason", "word"), [(IN_PASSING, "said in passing"), ("single-sighting", "waits to be heard again"),
                                              ("question", "let go")])
def test_events_are_counted_in_the_words_in_which_they_are_told(house, capsys, reason, word):
    house.paths.logs.mkdir(parents=True)
    rows = [{"verdict": "allow", "reason": "durable"}, {"verdict": "discard", "reason": reason}]
    (house.paths.logs / "gate.ndjson").write_text("".join(
        json.dumps({"time": FIRST_NIGHT, "id": "a1", "scope": "user", "class": "rule", "source": "note", **row}) + "\n"
        for row in rows))
    *told, _, counts = said(house, capsys, "events")[1].splitlines()
    assert counts.startswith("2 verdicts: ") and {"1 let in", f"1 {word}"} == set(counts.partition(": ")[2].split(", "))
    assert any(word in line for line in told)


def test_no_digit_that_is_no_number_ends_a_command(house, capsys):
    house.say(FIRST_NIGHT, "The billing API listens on port 8080.")
    for words in (["diff", "²"], ["undo", "²"], ["history", "²"], ["undo", "--redo", "²"]):
        assert said(house, capsys, *words)[0] == 10


@pytest.mark.parametrize(("shell", "ask"), [
    ("zsh", ["zsh", "-f", "-n"]), ("fish", ["fish", "--no-execute"]), ("bash", ["bash", "-n"])])
def test_a_shell_reads_its_completions_and_they_name_every_command(capsys, tmp_path, shell, ask):
    script = tmp_path / f"dream.{shell}"
    main(["completion", shell])
    script.write_text(capsys.readouterr().out)
    assert [name for name in FAMILY if name not in script.read_text()] == []
    if shutil.which(ask[0]) is None:
        pytest.skip(f"{shell} is not installed here")
    assert subprocess.run([*ask, str(script)], capture_output=True, check=False).returncode == 0


IN_BASH = 'source {0}; COMP_WORDS=({1} ""); COMP_CWORD={2}; _shtab_dream; printf "%s\\n" "${{COMPREPLY[@]}}"'
IN_FISH = "source {0}; complete -C '{1} ' | cut -f1"


@pytest.mark.parametrize(("shell", "asked"), [("bash", IN_BASH), ("fish", IN_FISH)])
@pytest.mark.parametrize(("typed", "offered"), [
    ("dream list --status", {"live", "held", "stale", "archived", "replaced"}), ("dream hook", {"session-start", "stop"}),
    ("dream help", {"look", "moving", "diary"})])
def test_a_shell_offers_what_can_follow(capsys, tmp_path, shell, asked, typed, offered):
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed here")
    script = tmp_path / f"dream.{shell}"
    main(["completion", shell])
    script.write_text(capsys.readouterr().out)
    line = asked.format(script, typed, len(typed.split()))
    told = subprocess.run([shell, "-c", line], capture_output=True, text=True, check=False,
                          env={"PATH": os.environ["PATH"], "HOME": str(tmp_path)})
    assert offered <= {one.strip() for one in told.stdout.splitlines()}, told.stderr


@pytest.mark.parametrize("filled", [False, True])
def test_a_store_in_which_nobody_noted_anything_is_sound_to_every_command_that_looks(house, capsys, tmp_path, filled):
    said(house, capsys, "init")
    if filled:
        folder = tmp_path / "memory"
        folder.mkdir()
        (folder / "MEMORY.md").write_text("# Memory\n\n- The billing API listens on port 8080.\n")
        assert said(house, capsys, "ingest", str(folder))[0] == 0
    looks = (["status"], ["list", "--all"], ["history"], ["diary"], ["review"], ["check"], ["events"], ["sources"], ["log"],
             ["scope", "list"], ["consolidate", "--dry-run"], ["consolidate", "--auto"])
    told = {words[0]: said(house, capsys, *words) for words in looks}
    assert {name: row for name, row in told.items() if row[0]} == {}
