"""What a person reads: near words are near, times and reasons are said as people say them, nothing is cut in a pipe."""

from __future__ import annotations

import io
from argparse import Namespace
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from dreamd.cli.commands import nearest
from dreamd.cli.context import _width
from dreamd.cli.families import agents, attaching, deciding
from dreamd.cli.parser import Parser
from dreamd.cli.printing import progress, render
from dreamd.cli.printing.changes import why, why_it_stands
from dreamd.core.errors import UsageError
from dreamd.core.plain_words.evidence_words import in_words
from dreamd.core.plain_words.for_people import ENDLESS, ago
from dreamd.core.plain_words.plain_reasons import plain_evidence
from dreamd.core.values import Evidence, EvidenceKind
from dreamd.dream.verbs import Question
from dreamd.probing import telling
from household import FIRST_DAY, House

NOW = datetime(2026, 5, 7, 9, 30, tzinfo=UTC)


class OnATerminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("wrong", "meant"), [("--statuss", "`--status`"), ("--long", "see `dream list --help`"),
                                              ("--confg", "`--config`"), ("--verbos", "see `dream list --help`")])
def test_a_hint_names_an_option_only_where_it_is_near(wrong: str, meant: str) -> None:
    parser = Parser(prog="dream list")
    for option in ("--status", "--config", "--all"):
        parser.add_argument(option)
    with pytest.raises(UsageError) as told:
        parser.parse_args([wrong])
    assert meant in (told.value.hint or "")


@pytest.mark.parametrize(("word", "meant"), [("serch", "search"), ("stauts", "status"), ("remove", None), ("start", None),
                                             ("delete", None)])
def test_a_command_is_guessed_only_where_it_is_a_slip(word: str, meant: str | None) -> None:
    assert nearest(word) == meant


@pytest.mark.parametrize(("seconds", "said"), [(0, "just now"), (59, "just now"), (60, "1 minute ago"), (7300, "2 hours ago"),
                                               (-30, "in a moment"), (-3600 * 3, "in 3 hours"), (86400 * 2, "2 days ago")])
def test_times_are_said_as_people_say_them(seconds: int, said: str) -> None:
    assert ago(NOW - timedelta(seconds=seconds), NOW) == said


def test_nothing_is_cut_or_broken_where_no_terminal_is() -> None:
    text = "word " * 100
    assert _width(io.StringIO(), {"COLUMNS": "80"}) == ENDLESS
    assert render.clip(text, ENDLESS - 20) == render.wrap(text, ENDLESS - 20) == text.strip()


def test_a_table_goes_on_below_its_last_column_in_a_terminal() -> None:
    width = _width(OnATerminal(), {"COLUMNS": "50"})
    lines = render.table([("a", "one two three " * 8), ("測試", "x")], width=width)
    assert max(map(len, lines)) <= width == 50
    assert lines[1].startswith("      ") and lines[-1] == "測試  x"


def test_what_finds_no_room_beside_its_name_stands_below_it() -> None:
    lines = render.table([("2026-05-07 09:30", "586fd14f7678", "project:lighthouse", "claude-code", "let in " * 9)], width=80)
    assert max(map(len, lines)) <= 80
    assert lines[0].endswith("claude-code") and lines[1].startswith("    let in")


def test_reasons_are_plain_words_without_figures() -> None:
    clash = Evidence(EvidenceKind.CLASH, share=0.98)
    assert why("contradicts", (clash, Evidence(EvidenceKind.SAME_TIME))).endswith("hold, and nothing tells which is right")
    assert why("updates", (clash,)).endswith("says otherwise: read together they cannot both hold")
    assert why("names-path-or-command", ("allow: names-path-or-command",)) == "it names a command, a path or what one looks up"
    assert why("durable", ("allow: durable", "ends: 2026-06-05")) == "it says what holds for a time: until 2026-06-05"
    assert plain_evidence((clash,), "") == ("read together they cannot both hold",)
    assert in_words(Evidence(EvidenceKind.OUT_OF_USE, "port 7400", "port 7400")) == "`port 7400` is used no longer"


def test_a_state_with_an_end_is_not_called_lasting(tmp_path) -> None:
    house = House(tmp_path)
    house.say(FIRST_DAY, "The north pier is closed until 2026-09-30.")
    house.dream(FIRST_DAY)
    memory = house.memory("north pier")
    assert why_it_stands(replace(memory, reason="durable")) == "it says what holds until then"


def test_a_wrong_key_in_a_review_is_named_with_those_there_are(tmp_path) -> None:
    house = House(tmp_path)
    house.say(FIRST_DAY, "The north pier is closed until 2026-09-30.")
    house.dream(FIRST_DAY)
    said: list[str] = []
    context = Namespace(stdout=io.StringIO(), stdin=io.BytesIO(b"z\nb\n\na\n"), say=said.append)
    assert deciding._ask(context, Question(house.memory("north pier"), ())) == "keep-a"
    assert said == ["`z` is none of the keys here: a, d, s, q", "`b` is none of the keys here: a, d, s, q",
                    "type one of a, d, s, q"]


@pytest.mark.parametrize(("family", "command"), [(agents, "disconnect"), (agents, "connect"), (attaching, "detach"),
                                                 (attaching, "attach")])
def test_who_passes_yes_everywhere_is_never_refused(family, command: str) -> None:
    parser = Parser(prog="dream")
    family.add_arguments(command, parser)
    assert parser.parse_args(["place", "-y"]).yes


def test_the_help_of_the_probe_is_for_people() -> None:
    assert telling.USAGE.startswith("usage: dream probe") and "python" not in telling.USAGE.lower()


@pytest.mark.parametrize(("done", "seconds", "said"), [(0, 5.0, "reading: 0 of 10 …"),
                                                     (5, 60.0, "reading: 5 of 10, about 1 minute left …")])
def test_progress_says_what_how_far_and_how_long_still(done: int, seconds: float, said: str) -> None:
    assert progress.line("reading", done, 10, seconds) == said
    assert progress.line("searching", 0, 0, 3.2) == "searching, 3 seconds …"


@pytest.mark.parametrize(("stream", "tells"), [(OnATerminal(), True), (io.StringIO(), False)])
def test_progress_is_told_on_a_terminal_alone_and_clears_itself(monkeypatch, stream: io.StringIO, tells: bool) -> None:
    import time

    monkeypatch.setattr(progress, "FIRST_S", 0.01)
    with progress.shown(Namespace(verbosity=0, stderr=stream, width=80), "reading") as tick:
        tick("read", 3, 10)
        time.sleep(0.1)
    assert ("reading files: 3 of 10" in stream.getvalue()) is tells
    assert stream.getvalue().endswith(progress.CLEAR) is tells


def test_what_a_person_did_to_files_is_counted_by_kind(tmp_path) -> None:
    house = House(tmp_path)
    house.say(FIRST_DAY, "The billing API listens on port 8080.", "Never paint the bell of the west tower.")
    house.dream(FIRST_DAY)
    house.file_of("bell").unlink()
    house.file_of("8080").with_name("new.md").write_text("The gate of the yard opens at seven.\n")
    counts = house.dream("2026-01-06T20:00:00Z").phases["orient"]
    assert (counts["edits"], counts["edits_added"], counts["edits_deleted"]) == (2, 1, 1)
