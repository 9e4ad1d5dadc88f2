"""Documents in a git repository: the commits between two readings say what took which place, and since when a line stands."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from dreamd.core.clock import iso, parse_instant
from dreamd.core.repositories import git
from dreamd.core.repositories.commits import versions_of
from dreamd.core.values import Memory, Status
from household import House

FIRST = """# Boat yard

- The slipway crane lifts nine tonnes at most.
- Hulls are washed before they enter the hall.
- The spare keys hang behind the map.
"""
CRANE = "- The slipway crane lifts nine tonnes at most.\n"
NAME = ".claude/projects/-srv-yard/memory"
READ, AGAIN = "2026-06-01T20:00:00Z", "2026-09-01T20:00:00Z"


class Repository:
    """A work tree with a memory directory, and the home of a dream that is told of it now and then."""

    def __init__(self, root: Path) -> None:
        self.house = House(root)
        self.root = self.house.person
        self.place = self.root / NAME
        self.place.mkdir(parents=True)
        self.git("init", "-q", "-b", "main")
        self.days = iter(range(1, 29))

    def git(self, *words: str, at: str = "2026-01-01T09:00:00Z") -> str:
        """Run git as the person would."""
        env = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_AUTHOR_DATE": at, "GIT_COMMITTER_DATE": READ,
               "GIT_AUTHOR_NAME": "Ada", "GIT_AUTHOR_EMAIL": "ada@example.org", "GIT_COMMITTER_NAME": "Ada",
               "GIT_COMMITTER_EMAIL": "ada@example.org"}
        done = subprocess.run(["git", "-C", str(self.root), *words], check=True, capture_output=True, text=True, env=env)
        return done.stdout

    def commit(self, text: str, *, month: str = "02", name: str = "MEMORY.md") -> None:
        """Commit a version of a file, a day later than the one before."""
        (self.place / name).write_text(text)
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "c", at=f"2026-{month}-{next(self.days):02}T09:00:00Z")

    def dream(self, now: str) -> str:
        """Read the directory and dream, with every file as new as a fresh clone has it."""
        for path in self.place.rglob("*.md"):
            at = parse_instant(now).timestamp() - 60
            os.utime(path, (at, at))
        return self.house.dream(now).outcome

    def one(self, words: str) -> Memory:
        return self.house.memory(words)


@pytest.fixture
def yard(tmp_path: Path) -> Repository:
    return Repository(tmp_path)


def test_a_line_is_as_old_as_the_first_commit_that_has_it_without_a_break(yard: Repository) -> None:
    yard.commit(FIRST)
    yard.commit(FIRST.replace("nine", "twelve"))
    yard.commit(FIRST.replace("nine", "twelve").replace("- The spare keys hang behind the map.\n", ""))
    yard.commit(FIRST.replace("nine", "twelve"))
    yard.dream(READ)
    assert {m.text.partition(" ")[2]: iso(m.valid_from)[:10] for m in yard.house.memories()} == {
        "slipway crane lifts twelve tonnes at most.": "2026-02-02", "are washed before they enter the hall.": "2026-02-01",
        "spare keys hang behind the map.": "2026-02-04"}
    assert not [m for m in yard.house.memories() if "nine" in m.text]


def test_a_line_that_moved_with_its_file_keeps_its_age_and_one_not_committed_has_that_of_the_file(yard: Repository) -> None:
    yard.commit(FIRST)
    yard.git("mv", f"{NAME}/MEMORY.md", f"{NAME}/yard.md")
    yard.commit("# Index\n")
    (yard.place / "yard.md").write_text(FIRST + "- The hall is locked at night.\n")
    yard.dream(READ)
    assert iso(yard.one("nine tonnes").valid_from)[:10] == "2026-02-01"
    assert iso(yard.one("locked").valid_from)[:10] == READ[:10]


def test_what_took_a_place_by_several_steps_is_told_by_the_commits_between(yard: Repository) -> None:
    yard.commit(FIRST)
    yard.dream(READ)
    steps = ("- The slipway crane lifts nine tonnes since its new cable.\n",
             "- A travelling hoist with a new cable has replaced the crane.\n",
             "- A travelling hoist moves every hull now.\n")
    for step in steps:
        yard.commit(FIRST.replace(CRANE, step), month="07")
    last = FIRST.replace(CRANE, "- The cook comes on Mondays.\n" + steps[-1])
    yard.commit("- Paint is kept in the cellar.\n" + last, month="07")
    yard.dream(AGAIN)
    old, new = yard.one("nine tonnes at most"), yard.one("moves every hull")
    assert (old.status, old.superseded_by, iso(new.valid_from)[:10]) == (Status.SUPERSEDED, new.id, "2026-07-04")
    assert not [m for m in yard.house.memories() if "new cable" in m.text]
    assert yard.dream(AGAIN) == "nothing-to-do"


def test_what_went_alone_is_withdrawn_though_another_line_stands_in_its_place_now(yard: Repository) -> None:
    yard.commit(FIRST)
    yard.dream(READ)
    yard.commit(FIRST.replace(CRANE, ""), month="07")
    yard.commit(FIRST.replace(CRANE, "- The cook comes on Mondays.\n"), month="07")
    yard.dream(AGAIN)
    assert (yard.one("nine tonnes").status, yard.one("nine tonnes").reason) == (Status.ARCHIVED, "withdrawn-at-source")
    assert yard.one("cook").status is Status.LIVE


def test_what_a_branch_did_arrives_with_the_commit_that_joined_it(yard: Repository) -> None:
    yard.commit(FIRST)
    yard.dream(READ)
    yard.git("checkout", "-q", "-b", "aside")
    yard.commit(FIRST.replace("nine", "ten"), month="07")
    yard.git("checkout", "-q", "main")
    yard.commit(FIRST + "- The hall is locked at night.\n", month="07")
    yard.git("merge", "-q", "--no-edit", "aside", at="2026-07-09T09:00:00Z")
    yard.dream(AGAIN)
    assert yard.one("nine tonnes").superseded_by == yard.one("ten tonnes").id
    assert iso(yard.one("ten tonnes").valid_from)[:10] == "2026-07-09"


@pytest.mark.parametrize("how", ["forgotten", "shallow", "no git", "slow", "broken"])
def test_where_the_commits_tell_nothing_the_two_ends_do(yard: Repository, how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    yard.commit("# Boat yard\n")
    yard.commit(FIRST)
    yard.dream(READ)
    if how == "forgotten":
        yard.git("reset", "-q", "--hard", "HEAD~1")
    (yard.place / "MEMORY.md").write_text(FIRST.replace("nine", "ten"))
    yard.git("commit", "-qam", "c")
    if how == "forgotten":
        yard.git("reflog", "expire", "--expire=now", "--all")
        yard.git("gc", "-q", "--prune=now")
    elif how == "shallow":
        (yard.root / ".git" / "shallow").write_text(yard.git("rev-parse", "HEAD"))
    elif how == "no git":
        monkeypatch.setenv("PATH", "/nowhere")
    elif how == "slow":
        monkeypatch.setattr("dreamd.core.repositories.commits.LONGEST_S", 0.0)
    else:
        (yard.root / ".git" / "HEAD").write_text("nonsense")
    yard.dream(AGAIN)
    assert yard.one("nine tonnes").superseded_by == yard.one("ten tonnes").id


def test_only_so_many_commits_and_so_many_bytes_are_looked_at(yard: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    for n in range(6):
        yard.commit(FIRST + f"- Berth {n} is let.\n")
    assert len(versions_of(yard.place)) == 6
    monkeypatch.setattr("dreamd.core.repositories.commits.MOST_COMMITS", 4)
    assert len(versions_of(yard.place)) == 4
    monkeypatch.setattr("dreamd.core.repositories.commits.MOST_BYTES", 2 * (len(FIRST) + 20))
    assert [v.files["MEMORY.md"].splitlines()[-1] for v in versions_of(yard.place)] == [
        b"- Berth 4 is let.", b"- Berth 5 is let."]


def test_a_name_that_looks_like_an_option_or_a_pattern_is_only_a_name(yard: Repository) -> None:
    odd = yard.root / "--output=x" / "*"
    odd.mkdir(parents=True)
    yard.place = odd
    yard.commit(FIRST)
    assert [list(v.files) for v in versions_of(odd)] == [["MEMORY.md"]]
    assert [list(v.files) for v in versions_of(odd / "MEMORY.md")] == [[""]]


def test_looking_back_runs_nothing_that_a_repository_names(yard: Repository, tmp_path: Path) -> None:
    trap = tmp_path / "trap.sh"
    trap.write_text(f'#!/bin/sh\necho "$0 $*" >> {tmp_path}/sprung\ncat\n')
    trap.chmod(0o755)
    yard.commit(FIRST)
    yard.commit(FIRST.replace("nine", "ten"))
    (yard.root / ".gitattributes").write_text("*.md filter=trap diff=trap\n")
    for key in ("core.fsmonitor", "core.pager", "core.sshCommand", "gpg.program", "diff.external", "diff.trap.textconv",
                "diff.trap.command", "filter.trap.smudge", "filter.trap.process", "pager.log", "alias.log", "core.gitProxy"):
        yard.git("config", key, str(trap))
    yard.git("config", "log.showSignature", "true")
    for name in ("post-checkout", "reference-transaction", "fsmonitor-watchman"):
        (yard.root / ".git" / "hooks" / name).symlink_to(trap)
    assert len(versions_of(yard.place)) == 2
    assert not (tmp_path / "sprung").exists()
    assert git.ask_git(yard.root, "rev-parse", "HEAD")
