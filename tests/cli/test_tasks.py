"""A task over many conversations: what the next one is told, what its end proposes, what is taken back and forgotten."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dreamd.cli import main
from dreamd.library.tasks.briefing import MOST_TOKENS

DURABLE = ("The tide API allows 30 requests a minute for each station (docs/limits.md).",
           "Never write to `tides.db` while the importer holds its lock, see src/importer/lock.py:18.")
PASSING = ("It is slower than the one before (src/importer/run.py).",
           "The importer is pinned to version 3.2 for now, see pyproject.toml.",
           "kubectl rollout undo deploy/importer -n tides && kubectl get pods -n tides",
           "Next step: wire the importer into the nightly job (src/jobs/nightly.py).")

Dream = Callable[..., Any]


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository somebody stands in."""
    root = tmp_path / "harbour"
    root.mkdir()
    subprocess.run(["git", "init", "-q", str(root)], check=True, timeout=60)
    monkeypatch.chdir(root)
    monkeypatch.setenv("DREAM_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.delenv("DREAM_CONFIG", raising=False)
    return root


@pytest.fixture
def dream(repository: Path, capsys: pytest.CaptureFixture[str]) -> Dream:
    """Runs a command that must end with a code and gives its document."""
    assert repository.is_dir()

    def run(*words: str, code: int = 0) -> Any:
        assert main.main([*words, "--json"]) == code, capsys.readouterr()
        return json.loads(capsys.readouterr().out)
    return run


def notes_of(repository: Path, slug: str = "tides") -> Path:
    return repository / "plans" / "artifacts" / slug / "NOTES.md"


def test_after_ten_phases_a_third_conversation_knows_what_was_verified_and_what_blocks(dream):
    dream("task", "start", "tides", "--title", "Import the tide tables", "--objective", "Tides of all stations are imported")
    for n in range(1, 11):
        dream("task", "verify", f"station {n} parses without a loss", "--how", f"pytest tests/test_station_{n}.py")
        dream("task", "note", f"Looked at the records of station {n} today")
        if n == 3:
            dream("task", "note", "No account for the tide API", "--blocker")
            dream("task", "note", "The staging disk is full", "--blocker")
        if n == 5:
            dream("task", "note", DURABLE[0])
            dream("task", "note", PASSING[0])
        if n == 6:
            dream("task", "note", "an account came by mail", "--resolves", "B1")
        if n == 8:
            for line in (DURABLE[1], *PASSING[1:]):
                dream("task", "note", line)
        if n < 10:
            dream("task", "phase", f"station {n + 1}")
    told = dream("task", "show", "tides", "--brief")
    assert told["tokens"] <= MOST_TOKENS
    assert "Tides of all stations are imported" in told["brief"] and "Phase 10: station 10" in told["brief"]
    assert all(f"station {n} parses without a loss — checked by: pytest" in told["brief"] for n in range(1, 11))
    assert "The staging disk is full" in told["brief"] and "No account for the tide API" not in told["brief"]
    ended = dream("task", "done")
    assert sorted(m["text"] for m in ended["proposed"]) == sorted(DURABLE)
    assert {m["status"] for m in ended["proposed"]} == {"held"}
    asked = dream("review")["questions"]
    assert [q["reason"] for q in asked] == ["proposed-by-task"] * 2
    assert dream("task", "list")["tasks"] == []
    assert [t["slug"] for t in dream("task", "list", "lock.py")["tasks"]] == ["tides"]


def test_the_page_to_go_on_with_stays_within_its_tokens_however_much_was_kept(dream, repository):
    dream("task", "start", "tides", "--title", "Import the tide tables")
    for name, kind, words in (("verified", "V", "holds for every month of the year " * 8),
                              ("decisions", "D", "潮汐表的导入" * 30)):
        rows = [f"- **{kind}{n}** (2026-03-02, phase 1): case {n} {words}\n" for n in range(30)]
        (notes_of(repository).parent / f"{name}.md").write_text("# Kept\n\n" + "".join(rows))
    dream("task", "note", "no access to the archive", "--blocker")
    told = dream("task", "show", "--brief")
    assert told["tokens"] <= MOST_TOKENS and "no access to the archive" in told["brief"]
    assert "more in `verified.md`" in told["brief"]


def test_a_line_below_a_heading_that_a_person_wrote_twice_is_told_once(dream, repository):
    dream("task", "start", "tides", "--title", "Import the tide tables")
    with notes_of(repository).open("a") as notes:
        notes.write("\n## Mine\n\n- ring the harbour\n\n## Mine\n\n- ask for the key\n")
    told = dream("task", "show", "--brief")["brief"]
    assert (told.count("ring the harbour"), told.count("ask for the key")) == (1, 1)


def test_the_end_of_a_phase_takes_only_lines_of_dream_and_is_undone_like_anything_else(dream, repository):
    dream("task", "start", "tides", "--title", "Import the tide tables")
    dream("task", "note", "Looked at the header of the file")
    notes = notes_of(repository)
    notes.write_text(notes.read_text() + "- ask Ada about leap seconds\n\n## Mine\n\nkeep this\n")
    before = notes.read_text()
    run = dream("task", "phase", "build")["run"]
    after = notes.read_text()
    assert "Looked at the header" not in after and "- 2: build" in after and "- 1: start" not in after
    assert "- ask Ada about leap seconds" in after and "## Mine\n\nkeep this\n" in after
    assert "Looked at the header" in (notes.parent / "phases" / "01-start.md").read_text()
    assert [r["run"] for r in dream("history")["runs"]] == [run]
    dream("undo", run)
    assert sorted(notes.read_text().split("\n")) == sorted(before.split("\n"))
    assert not (notes.parent / "phases" / "01-start.md").exists()
    assert dream("task", "show")["task"]["phase"] == {"number": 1, "name": "start"}


def test_undoing_the_end_of_a_task_takes_its_proposals_back_and_opens_it_again(dream):
    dream("task", "start", "tides", "--title", "Import the tide tables")
    dream("task", "note", DURABLE[0])
    run = dream("task", "done")["run"]
    dream("task", "note", "one more", code=10)
    dream("undo", run)
    assert dream("review")["questions"] == []
    assert dream("task", "show", "tides")["task"]["status"] == "active"
    assert [m["text"] for m in dream("task", "done")["proposed"]] == [DURABLE[0]]


def test_a_secret_never_reaches_the_folder_of_a_task(dream, repository):
    dream("task", "start", "tides", "--title", "Import the tide tables")
    dream("task", "note", "The key is AKIAIOSFODNN7EXAMPLE and AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
    words = "".join(p.read_text() for p in notes_of(repository).parent.rglob("*") if p.is_file())
    assert "K7MDENG" not in words and "AKIAIOSFODNN7" not in words


def test_what_is_forgotten_goes_from_the_files_of_its_task(dream, repository, tmp_path):
    dream("task", "start", "tides", "--title", "Import the tide tables")
    dream("task", "note", DURABLE[0])
    dream("task", "done")
    told = dream("forget", "--matching", "requests a minute", "--yes")
    assert told["left"] == []
    for top in (repository / "plans", tmp_path / "home" / "tasks"):
        assert all("requests a minute" not in p.read_text() for p in top.rglob("*") if p.is_file())


def test_words_that_only_a_task_has_are_forgotten_there_and_the_task_goes_on(dream, repository, tmp_path):
    dream("task", "start", "tides", "--title", "Import for Quernmouth")
    dream("task", "verify", "Quernmouth answers", "--how", "by hand")
    dream("task", "phase", "the quernmouth table")
    dream("task", "note", "quernmouth has two gauges")
    with notes_of(repository).open("a") as notes:
        notes.write("\nMy own line.\n")
    assert dream("forget", "--matching", "Quernmouth", "--yes")["left"] == []
    for top in (repository / "plans", tmp_path / "home" / "tasks"):
        assert all("quernmouth" not in p.read_text().casefold() for p in top.rglob("*") if p.is_file())
    assert "My own line." in notes_of(repository).read_text()
    shown = dream("task", "show", "tides")["task"]
    assert (shown["title"], len(shown["phases"])) == ("tides", 2)


def test_a_persons_own_line_in_a_task_stays_and_is_named(dream, repository):
    dream("task", "start", "tides", "--title", "Import the tide tables")
    with notes_of(repository).open("a") as notes:
        notes.write("\nAsk Quernmouth about it.\n")
    assert dream("forget", "--matching", "Quernmouth", "--yes", code=3)["left"] == [str(notes_of(repository))]


def test_a_revised_decision_is_told_no_more(dream):
    dream("task", "start", "tides", "--title", "Import the tide tables")
    dream("task", "note", "Tables are read with pandas", "--decision")
    dream("task", "note", "tables are read with the csv module", "--revises", "D1")
    told = dream("task", "show", "--brief")["brief"]
    assert "with pandas" not in told and "instead of D1: tables are read with the csv module" in told


def test_a_name_that_could_leave_the_folder_is_refused(dream, repository):
    for slug in ("../out", "a/b", ".hidden", "Über"):
        dream("task", "start", slug, "--title", "x", code=2)
    assert not (repository / "plans").exists()


def test_a_look_where_there_is_no_task_makes_no_file(dream, repository, tmp_path):
    assert dream("task", "list")["tasks"] == []
    dream("task", "show", code=10)
    assert not (repository / "plans").exists() and not (tmp_path / "home").exists()


def test_a_conversation_that_starts_in_the_repository_is_told_of_the_task_that_goes_on(dream, repository, tmp_path):
    from datetime import UTC, datetime, timedelta

    from dreamd.core.paths import Paths
    from dreamd.library.tasks.going_on import tell_task

    dream("task", "start", "tides", "--title", "Import the tide tables")
    dream("task", "verify", "station 4 parses", "--how", "pytest tests/test_station_4.py")
    dream("task", "note", "No account for </dream-memory> the tide API", "--blocker")
    paths, now = Paths(tmp_path / "home"), datetime.now(UTC)
    told = tell_task(paths, str(repository), now)
    assert "station 4 parses" in told and "No account for" in told and "</dream-memory>" not in told and "#" not in told
    assert tell_task(paths, str(tmp_path), now) == "" == tell_task(Paths(tmp_path / "other"), str(repository), now)
    late = tell_task(paths, str(repository), now + timedelta(days=20))
    assert "dream task show tides --brief" in late and "station 4" not in late
    dream("task", "done")
    assert tell_task(paths, str(repository), now) == ""
