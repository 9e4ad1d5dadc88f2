"""The diary as a person has it made: on the screen, as a note, as one page; never read back, and never forgotten of."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from dreamd.cli.families.telling.diaries import write_each_morning
from dreamd.cli.main import main
from dreamd.dream.cycle import run_cycle
from dreamd.sources.discovery import discover_in
from dreamd.sources.exclusion import Exclusions
from household import FIRST_DAY, FIRST_NIGHT, House, Said

MORNING = "2026-01-06T08:00:00Z"
MARKUP = "The page says <script>alert(1)</script> and ![x](http://far.example/p.png) on port 80."


@pytest.fixture(scope="module")
def dreamt(tmp_path_factory: pytest.TempPathFactory) -> House:
    house = House(tmp_path_factory.mktemp("dreamt"))
    house.say(FIRST_DAY, "The lamp controller listens on port 7400.", Said(MARKUP), "thanks a lot")
    house.dream(FIRST_NIGHT)
    return house


@pytest.fixture
def house(dreamt: House, tmp_path: Path) -> House:
    return dreamt.copy_to(tmp_path)


def dream(house: House, *words: str) -> int:
    return main(["--home", str(house.home), "--now", MORNING, *words])


def test_the_diary_tells_the_nights_in_sentences(house: House, capsys: pytest.CaptureFixture[str]) -> None:
    assert dream(house, "diary") == 0
    told = capsys.readouterr().out
    assert told.startswith("Dream's diary, 30 December 2025 to 6 January 2026\n5 January 2026\n")
    assert "It learned “The lamp controller listens on port 7400” (1) and “The page says" in told
    assert dream(house, "diary", "--json") == 0
    day = json.loads(capsys.readouterr().out)["days"][0]
    assert (day["day"], day["runs"][0]["headline"]) == ("2026-01-05", "2 learned")


def test_one_page_holds_everything_and_asks_nobody_for_anything(house: House, tmp_path: Path) -> None:
    page = tmp_path / "diary.html"
    assert dream(house, "diary", "--html", str(page)) == 0
    text = page.read_text()
    assert text.count("<svg") >= 4
    assert "<script" not in text
    assert not re.search(r"(?:src|href)\s*=", text)
    assert str(tmp_path) not in text
    assert page.stat().st_mode & 0o077 == 0


def test_a_note_holds_no_link_or_picture_of_a_memory(house: House, tmp_path: Path) -> None:
    note = tmp_path / "diary.md"
    assert dream(house, "diary", "--md", str(note)) == 0
    text = note.read_text()
    assert text.startswith("---\ndream-wrote-this: diary\n")
    assert "![x]" not in text
    assert "\\<script\\>" in text


@pytest.mark.parametrize("name", ["diary.md", "diary.html"])
def test_dream_never_reads_its_own_diary(house: House, tmp_path: Path, name: str) -> None:
    vault = tmp_path / "memory"
    vault.mkdir()
    (vault / "MEMORY.md").write_text("- The kiln is fired at 980 degrees on Mondays, for the glaze.\n")
    assert dream(house, "diary", "--md" if name.endswith("md") else "--html", str(vault / name)) == 0
    assert Exclusions().has_path(vault / name)
    assert not Exclusions().has_path(vault / "MEMORY.md")
    before = len(house.rows("SELECT 1 FROM observation"))
    house.furnish(sources={"paths": [str(vault)]})
    with house.kit(MORNING) as kit:
        run_cycle(kit)
    assert [row[0] for row in house.rows("SELECT text FROM observation ORDER BY seq")][before:] == [
        "The kiln is fired at 980 degrees on Mondays, for the glaze."]


def test_forget_says_which_diaries_it_cannot_reach(house: House, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept, gone = tmp_path / "kept.md", tmp_path / "gone.md"
    assert dream(house, "diary", "--md", str(kept)) == 0
    assert dream(house, "diary", "--md", str(gone)) == 0
    gone.unlink()
    capsys.readouterr()
    assert dream(house, "forget", "--matching", "lamp controller", "--yes") == 0
    told = capsys.readouterr()
    assert f"the diary `{kept}`, written on 2026-01-06, may hold the words: dream cannot reach it" in told.err
    assert str(gone) not in told.err


def test_a_file_that_is_no_diary_is_never_written_over(house: House, tmp_path: Path) -> None:
    other = tmp_path / "letter.md"
    other.write_text("Dear Ada")
    assert dream(house, "diary", "--md", str(other)) == 4
    assert other.read_text() == "Dear Ada"
    assert dream(house, "diary", "--md", str(house.home / "memory" / "diary.md")) == 2
    assert dream(house, "diary", "--md", str(tmp_path / "nowhere" / "diary.md")) == 1


def test_the_service_writes_the_diary_where_the_person_wants_it(house: House, tmp_path: Path) -> None:
    world = house.world(MORNING)
    assert write_each_morning(world) == ""
    assert not list(tmp_path.glob("*.md"))
    house.furnish(diary={"folder": str(tmp_path)})
    assert write_each_morning(house.world(MORNING)) == ""
    assert [path.name for path in tmp_path.glob("*.md")] == ["Dream diary 2026-01-05.md"]
    house.furnish(diary={"folder": str(tmp_path / "away")})
    assert write_each_morning(house.world(MORNING)).startswith("the diary was not written: there is no directory")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_command_and_its_options_are_completed(house: House, shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert dream(house, "completion", shell) == 0
    script = capsys.readouterr().out
    assert "consolidate" in script
    assert "dry-run" in script
    assert "diary" in script


def test_discovery_takes_no_diary_for_a_source(house: House, tmp_path: Path) -> None:
    from dreamd.sources import SourceRoots

    note = tmp_path / "diary.md"
    assert dream(house, "diary", "--md", str(note)) == 0
    roots = SourceRoots(extra=(note,), leave_out=Exclusions().has_path)
    assert discover_in(roots, lambda _path: "memory-dir") == []
