"""A change of a night has one number, the same in the report, the diff, the diary and on the page, and goes back by it."""

from __future__ import annotations

import json
import re

import pytest

from asgi_browser import open_page
from dreamd.cli.main import main
from dreamd.report import pictures
from dreamd.report.nights import load_night
from household import FIRST_NIGHT, House, Said

SECOND = "2026-01-07T20:00:00Z"
THIRD = "2026-01-08T20:00:00Z"
NOW = "2026-01-09T09:00:00Z"


@pytest.fixture(scope="module")
def _lived(tmp_path_factory: pytest.TempPathFactory) -> House:
    house = House(tmp_path_factory.mktemp("numbered"))
    house.say(FIRST_NIGHT, Said("The billing API listens on port 8080.", conversation="one"))
    house.dream(FIRST_NIGHT)
    house.say(SECOND, Said("The billing API now listens on port 9090.", conversation="two", at=SECOND),
              Said("The staging database is restored every Monday.", conversation="two", at=SECOND),
              Said("We prefer tabs over spaces in this repository.", conversation="two", at=SECOND))
    house.dream(SECOND)
    return house


@pytest.fixture
def lived(_lived: House, tmp_path, capsys, monkeypatch) -> Terminal:  # type: ignore[no-untyped-def]
    house = _lived.copy_to(tmp_path)
    monkeypatch.setenv("DREAM_HOME", str(house.home))
    return Terminal(house, capsys)


class Terminal:
    """What the commands say over one home."""

    def __init__(self, house: House, capsys: pytest.CaptureFixture[str]) -> None:
        self.house, self._capsys = house, capsys

    def __call__(self, *words: str, code: int = 0) -> str:
        assert main(["--now", NOW, *words]) == code
        said = self._capsys.readouterr()
        return said.out + said.err

    def json(self, *words: str) -> dict:  # type: ignore[type-arg]
        return json.loads(self(*words, "--json"))  # type: ignore[no-any-return]

    @property
    def run(self) -> str:
        return str(self.house.rows("SELECT id FROM run WHERE kind = 'dream' ORDER BY seq DESC LIMIT 1")[0][0])


def test_the_second_one_is_the_same_memory_in_the_terminal_the_diary_and_on_the_page(lived):
    diff = dict(re.findall(r"^(\d+)  ([0-9a-f]{12})  ", lived("diff"), re.MULTILINE))
    assert list(diff) == ["1", "2", "3"]
    changes = lived.json("diff")["changes"]
    assert {str(c["number"]): c["memory"] for c in reversed(changes)} == diff
    words = {str(c["number"]): c["text"].rstrip(".") for c in reversed(changes)}
    diary = lived("diary")
    assert all(f"“{text}” ({number})" in diary for number, text in words.items())
    browser, page = open_page(lived.house)
    browser.enter()
    shown = browser.see("/").text
    page.warm.close()
    starts = [int(n) for n in re.findall(r'<ol class="changes" start="(\d+)"', shown)]
    assert starts[0] == 1
    assert re.findall(r"/undo\?only=([0-9a-f]+)", shown) == [diff[n] for n in sorted(diff)]


def test_a_report_numbers_its_changes_as_the_diff_does(lived):
    lived.house.say(NOW, "The fog horn is tested on Fridays.", "We use pnpm here, never npm.")
    report = lived("consolidate")
    told = re.findall(r"^ +(\d+)  ([0-9a-f]{12})  ", report, re.MULTILINE)
    assert len(told) == 2
    assert told == re.findall(r"^(\d+)  ([0-9a-f]{12})  ", lived("diff"), re.MULTILINE)


def test_a_diff_names_who_said_it_and_where(lived):
    assert "from  a person, a note, conversation two, 2026-01-07 20:00" in lived("diff")


def test_undo_takes_a_number_and_lists_what_goes_and_what_returns(lived):
    told = {c["number"]: c for c in lived.json("diff")["changes"] if c["kind"] == "replaced"}
    (number, replaced), = told.items()
    for words in (["--dry-run"], []):
        said = lived("undo", lived.run, "--only", str(number), *words)
        assert re.search(rf"{number}  {replaced['memory']}  live again +The billing API listens on port 8080", said)
        assert re.search(rf"{number}  [0-9a-f]{{12}}  taken out +The billing API now listens on port 9090", said)
    standing = {m.text: m.status.value for m in lived.house.memories()}
    assert standing["The billing API listens on port 8080."] == "live"
    assert "The staging database is restored every Monday." in standing


@pytest.mark.parametrize("number", ["0", "4", "77777777"])
def test_a_number_there_is_not_is_refused_with_how_many_there_are(lived, number):
    said = lived("undo", lived.run, "--only", number, code=10)
    assert "made 3 changes" in said and f"`dream diff {lived.run}` shows them" in said


def test_what_was_taken_back_is_said_wherever_the_night_is_told(lived):
    lived("undo", lived.run, "--only", "1")
    gone = lived.json("diff", lived.run)["changes"][0]
    undo = gone["taken_back_by"]
    assert undo
    assert re.search(rf"{gone['memory']}  learned  taken back by {undo}", lived("diff", lived.run))
    assert f"(1) was taken back by run {undo}." in lived("diary")
    history = lived("history")
    assert "1 of them taken back" in history
    assert f"took back one change of {lived.run}" in history
    assert f"You took back “{gone['text'].rstrip('.')}”." in lived("diary")


def test_a_memory_that_was_taken_back_says_which_run_made_it_and_which_took_it_back(lived):
    first = lived.json("diff")["changes"][0]
    lived("undo", lived.run, "--only", "1")
    told = lived("explain", first["memory"][:8])
    undo = lived.json("history")["runs"][0]["run"]
    assert first["text"] in told
    assert f"made by        dream {lived.run}" in told
    assert f"taken back by  undo {undo}" in told
    assert f"`dream undo {undo}` puts it back" in told
    assert lived.json("explain", first["memory"])["undone"] is True


def test_taking_an_undo_back_lets_the_run_stand_again_with_what_was_said(lived):
    before = lived.json("list")["memories"]
    lived("undo")
    undo = lived.json("history")["runs"][0]["run"]
    said = lived("undo", undo)
    assert f"put back {lived.run}" in said
    assert lived.json("list")["memories"] == before
    assert "taken back by" not in lived("history").splitlines()[-2]
    assert lived.house.rows("SELECT COUNT(*) FROM fate WHERE set_aside = 1") == [(0,)]
    assert lived.house.faults(NOW) == []


def test_one_command_puts_back_what_was_taken_back_and_it_is_called_so_wherever_it_is_told(lived):
    first = next(c for c in lived.json("diff")["changes"] if c["number"] == 1)
    words = first["text"].rstrip(".")
    again, = re.findall(r"`dream (undo [0-9a-f]+)` puts it back", lived("undo", lived.run, "--only", "1"))
    said = lived(*again.split())
    assert f"put back one change of {lived.run}" in said
    put = lived.json("history")["runs"][0]["run"]
    assert f"`dream undo {put}` takes it back again" in said
    assert f"put back by {put}" in lived("diff", lived.run)
    assert f"You put back “{words}”." in lived("diary") and f"put back one change of {lived.run}" in lived("history")
    assert "you put back what you had taken back" in lived("explain", first["memory"])
    assert f"took back one change of {lived.run}" in lived("undo", put)


@pytest.mark.parametrize("whole", [True, False])
def test_what_is_taken_back_already_is_refused_with_what_puts_it_back(lived, whole):
    part = () if whole else ("--only", "1")
    undo, = re.findall(r"`dream (undo [0-9a-f]+)` puts it back", lived("undo", lived.run, *part))
    assert f"`dream {undo}` puts it back" in lived("undo", lived.run, *part, code=4)


def test_the_changes_of_a_run_are_counted_as_they_are_numbered(lived):
    assert len(lived.json("diff")["changes"]) == 4  # what took another's place has the number of that one
    assert " 3 changes; 3 statements: 2 new, 1 replaced something" in lived("history")
    lived("undo", lived.run, "--only", "3")
    assert " 3 changes, 1 of them taken back;" in lived("history")


def told_by_diary(lived: Terminal, run: str) -> dict:  # type: ignore[type-arg]
    return next(n for day in lived.json("diary")["days"] for n in day["runs"] if n["run"] == run)


def test_the_record_of_a_night_stays_as_it_was_when_its_statements_are_handed_to_another(lived):
    run, night = lived.run, told_by_diary(lived, lived.run)
    lived("undo", lived.run, "--only", "1")
    lived("undo", "--redo", lived.run)
    lived("consolidate")
    assert told_by_diary(lived, run)["sentences"][0] == night["sentences"][0] == "Dream took up three new statements."
    with lived.house.kit(NOW) as kit:
        told = pictures.flow(load_night(kit.store, run))
    assert "2 from notes: new" in told and "1 from notes: replaced something" in told


def test_a_change_can_be_explained_by_its_number(lived):
    told = {c["number"]: c["memory"] for c in reversed(lived.json("diff")["changes"])}
    assert all(lived.json("explain", str(number))["memory"]["id"] == memory for number, memory in told.items())
    assert "made 3 changes" in lived("explain", "9", code=10)


def test_a_word_that_names_no_change_is_refused_with_the_run(lived):
    assert f"run {lived.run} changed no memory `banana`" in lived("undo", lived.run, "--only", "banana", code=10)


def test_every_command_that_is_printed_names_the_home_as_it_was_given(lived, monkeypatch):
    monkeypatch.delenv("DREAM_HOME")
    monkeypatch.chdir(lived.house.home.parent)
    home = ("--home", lived.house.home.name)
    lived.house.say(NOW, "The fog horn is tested on Fridays.")
    for words, code in ((("consolidate",), 0), (("diff",), 0), (("status",), 0), (("undo",), 0), (("undo", "ffff"), 10),
                        (("note", "The kiln is warm on Mondays."), 0), (("search", "kiln temperature of the glaze"), 0)):
        said = lived(*home, *words, code=code)
        named = re.findall(r"`(dream [a-z-][^`]*)`|^undo +(dream .*)$", said, re.MULTILINE)
        assert [one for one in (a or b for a, b in named) if not one.startswith(f"dream --home {home[1]} ")] == []
        assert named or words[0] == "note"


def test_a_note_is_found_before_any_dream_has_taken_it_up(lived):
    lived("note", "Deploys go through the blue pipeline")
    said = lived("search", "how do we deploy?")
    assert re.search(r"\[waits for the next dream\] Deploys go through the blue pipeline", said)
    assert "nothing found" not in said
    waits = lived.json("search", "how do we deploy?")["waiting"]
    assert [w["text"] for w in waits] == ["Deploys go through the blue pipeline"]
    assert "1 statement waits for the next dream" in lived("search", "colour of the harbour crane")
    lived("consolidate")
    assert lived.json("search", "how do we deploy?")["waiting"] == []


def test_the_id_of_a_memory_where_a_run_belongs_is_known_for_what_it_is(lived):
    identity = lived.json("list")["memories"][0]["id"]
    for verb in ("diff", "undo", "history"):
        said = lived(verb, identity, code=10)
        assert f"dream explain {identity}" in said and f"--only {identity}" in said


def test_redo_of_a_run_of_which_nothing_was_taken_back_says_so(lived):
    assert "nothing of that run was taken back" in lived("undo", "--redo", lived.run, code=4)
    lived("undo", lived.run, "--only", "1")
    assert "1 statement waits again" in lived("undo", "--redo", lived.run)
    assert "was not undone" not in lived("undo", "--redo", lived.run, code=4)


def test_what_stands_in_a_memory_directory_is_told_by_the_file_it_stands_in(lived, tmp_path):
    notes = tmp_path / "memory"
    notes.mkdir()
    (notes / "MEMORY.md").write_text("# Memory\n\n- The lamp controller runs on host beacon-2.\n- [Kiln](kiln.md)\n")
    (notes / "kiln.md").write_text("---\nname: kiln\ndescription: the kiln\ntype: reference\n---\n\n"
                                   "The kiln controller listens on port 7411.\n")
    lived("ingest", str(notes))
    lived("consolidate")
    told = lived("diff")
    assert "memory file: MEMORY.md" in told and "memory file: kiln.md" in told
    memory = next(c["memory"] for c in lived.json("diff")["changes"] if "kiln" in c["text"])
    assert re.search(rf"a file, {notes}/kiln.md", lived("explain", memory))


def test_a_directory_there_is_none_of_is_refused_with_where_to_look(lived, tmp_path):
    assert "`dream sources`" in lived("attach", str(tmp_path / "nowhere"), code=1)


def test_a_diff_of_no_named_run_says_what_came_after_it(lived):
    lived("undo", lived.run, "--only", "1")
    assert f"took back one change of {lived.run}\n`dream history` lists every run" in lived("diff")
    assert "since then" not in lived("diff", lived.run)


def test_where_the_last_dream_was_taken_back_whole_the_hint_puts_it_back(lived):
    lived("undo", "1", "--with-later")
    for verb in ("diff", "undo"):
        assert "puts back what was taken back" in lived(verb, code=10)
