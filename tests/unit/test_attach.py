"""Keeping an agent's own memory directory in order, on a real disk, and taking it back."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from dreamd.agents import attach, foreign_dir
from dreamd.core import locks
from dreamd.core.errors import DreamError, Locked, Refused, StoreMissing, UsageError
from dreamd.core.locks import Owner
from dreamd.notes import Dialect
from dreamd.service import tending
from dreamd.store import journal
from household import House

NOW = "2026-05-08T12:00:00Z"
TWIN = "Never restart the billing service while the nightly export is running, ask the person on call"
INDEX = (
    "# Memory\r\n\r\n## Rules\r\n"
    f"- {TWIN}\r\n- {TWIN}\r\n"
    "- [Ports](ports_list.md) — where things listen\r\n"
    "- the office is closed, TTL: 2026-05-01\r\n"
)
TOPIC = "---\nname: ports\ndescription: ports\ntype: reference\n---\n\nbilling: 8080 \xe9\n"


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path)


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """A directory as an agent left it: CRLF, an odd byte, its own modes."""
    root = tmp_path / "agent" / "memory"
    root.mkdir(parents=True)
    (root / "MEMORY.md").write_bytes(INDEX.encode())
    (root / "ports-list.md").write_bytes(TOPIC.encode("latin-1"))
    (root / "MEMORY.md").chmod(0o644)
    (root / "notes.txt").write_text("not ours")
    return root


def bytes_of(root: Path) -> dict[str, bytes]:
    return {str(p.relative_to(root)): p.read_bytes() for p in sorted(root.rglob("*")) if p.is_file() and ".git" not in p.parts}


def dream(house: House, directory: Path, **wish: bool) -> attach.Carried:
    with house.kit(NOW) as kit:
        return attach.carry_out(kit, attach.plan_directory(kit, directory), **wish)


def test_a_plan_touches_nothing_and_shows_the_diff(house, directory):
    before = bytes_of(directory)
    with house.kit(NOW) as kit:
        planned = attach.plan_directory(kit, directory)
    assert planned.dialect is Dialect.CLAUDE
    assert "-- the office is closed, TTL: 2026-05-01" in planned.diff
    assert sorted(e.reason for e in planned.plan.edits) == ["dead-link", "duplicate", "expired"]
    assert bytes_of(directory) == before


def test_a_dream_puts_a_directory_in_order_and_keeps_every_other_byte(house, directory):
    done = dream(house, directory)
    after = bytes_of(directory)
    assert after["MEMORY.md"].decode() == (
        f"# Memory\r\n\r\n## Rules\r\n- {TWIN}\r\n- [Ports](ports-list.md) — where things listen\r\n"
    )
    assert after["ports-list.md"] == TOPIC.encode("latin-1")
    assert done.files == ("MEMORY.md",) and done.archived == 2
    assert stat.S_IMODE((directory / "MEMORY.md").stat().st_mode) == 0o644


def test_what_leaves_a_directory_is_in_the_archive_and_in_the_journal(house, directory):
    done = dream(house, directory)
    archive = (house.home / "attached" / done.run / "archive.jsonl").read_text()
    assert "the office is closed" in archive and TWIN in archive
    with house.kit(NOW) as kit:
        run = journal.load_run(kit.store, done.run)
        assert (run.kind, run.outcome, run.operations) == ("attach", "changed", 3)


def test_a_second_dream_changes_nothing_and_asks_no_model(house, directory):
    with house.kit(NOW) as kit:
        attach.attach(kit, directory)
    dream(house, directory)
    before, texts = bytes_of(directory), house.embedder.texts
    assert dream(house, directory).run == ""
    assert bytes_of(directory) == before
    assert house.embedder.texts == texts


def test_what_waits_past_the_limit_is_done_by_the_dreams_that_follow(house, directory):
    lines = "".join(f"- {word} is out of order, TTL: 2026-01-0{n}\n" for n, word in enumerate(
        ("oar", "gate", "lamp", "pump", "crane", "winch", "radar"), 1))
    (directory / "MEMORY.md").write_text(f"# Memory\n{lines}")
    with house.kit(NOW) as kit:
        attach.attach(kit, directory, dialect=Dialect.CLAUDE)
    assert [dream(house, directory).waiting for _ in range(2)] == [2, 0]
    assert (directory / "MEMORY.md").read_text() == "# Memory\n"
    assert dream(house, directory).run == ""


def test_undo_gives_every_byte_back_and_the_next_dream_leaves_it_so(house, directory):
    before = bytes_of(directory)
    with house.kit(NOW) as kit:
        attach.attach(kit, directory)
    done = dream(house, directory)
    with house.kit(NOW) as kit:
        assert attach.undo(kit, done.run).files == 1
    assert bytes_of(directory) == before
    assert dream(house, directory).run == ""
    assert bytes_of(directory) == before


def test_undo_brings_removed_files_back_and_takes_new_ones_away(house, directory):
    lines = "".join(f"- [Plan {n}](project_{n}.md) — decided on day {n} of it\n" for n in range(240))
    (directory / "MEMORY.md").write_text("# Memory\n" + lines + "- [Off](off.md) — closed\n")
    (directory / "off.md").write_text("---\nname: off\ntype: project\n---\n\nClosed. TTL: 2026-05-01\n")
    before = bytes_of(directory)
    done = dream(house, directory)
    assert (directory / "more.md").exists() and not (directory / "off.md").exists()
    with house.kit(NOW) as kit:
        attach.undo(kit, done.run)
    assert bytes_of(directory) == before


def test_undo_is_refused_where_somebody_wrote_since(house, directory):
    done = dream(house, directory)
    with (directory / "MEMORY.md").open("a") as stream:
        stream.write("- new\n")
    before = bytes_of(directory)
    with house.kit(NOW) as kit, pytest.raises(Refused, match=r"MEMORY\.md"):
        attach.undo(kit, done.run)
    assert bytes_of(directory) == before


def test_undo_of_a_run_without_a_backup_says_so(house, directory):
    done = dream(house, directory)
    shutil.rmtree(house.home / "attached")
    with house.kit(NOW) as kit, pytest.raises(StoreMissing):
        attach.undo(kit, done.run)


def test_a_directory_that_changed_since_the_plan_is_left_alone(house, directory):
    with house.kit(NOW) as kit:
        planned = attach.plan_directory(kit, directory)
        (directory / "other.md").write_text("new\n")
        before = bytes_of(directory)
        with pytest.raises(Refused, match="has changed"):
            attach.carry_out(kit, planned)
    assert bytes_of(directory) == before


def test_a_file_that_changes_while_others_are_written_stays_as_it_is(house, directory, monkeypatch):
    real = foreign_dir.replace_file

    def hasty(root: Path, name: str, **more: object) -> bool:
        (root / name).write_text("mine\n")
        return real(root, name, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(foreign_dir, "replace_file", hasty)
    done = dream(house, directory)
    assert (directory / "MEMORY.md").read_text() == "mine\n"
    assert any("changed meanwhile" in w for w in done.warnings)


@pytest.mark.parametrize("nth", range(1, 8))
def test_a_run_killed_at_any_write_is_finished_by_the_next(house, directory, monkeypatch, nth):
    calm = directory.parent / "calm"
    shutil.copytree(directory, calm)
    dream(house, calm)
    from dreamd.core import fsio

    class Killed(BaseException):
        pass

    real, count = fsio.write_atomic, iter(range(1, 100))

    def dying(path: Path, body: bytes) -> None:
        if next(count) == nth:
            raise Killed
        real(path, body)

    monkeypatch.setattr(fsio, "write_atomic", dying)
    with suppress(Killed):
        dream(house, directory)
    monkeypatch.setattr(fsio, "write_atomic", real)
    with house.kit(NOW) as kit:
        tending.tend(kit, attach.attach(kit, directory))
    assert bytes_of(directory) == bytes_of(calm)


def test_the_agents_own_lock_is_honoured_and_never_touched(house, directory):
    lock = directory / ".consolidate-lock"
    lock.write_text(str(os.getpid()))
    before = lock.stat().st_mtime_ns
    with house.kit(NOW) as kit, pytest.raises(Locked):
        attach.plan_directory(kit, directory)
    assert (lock.stat().st_mtime_ns, lock.read_text()) == (before, str(os.getpid()))


@pytest.mark.parametrize("how", ["dead", "old"])
def test_an_abandoned_lock_of_the_agent_is_no_lock(house, directory, how):
    lock = directory / ".consolidate-lock"
    if how == "dead":
        child = subprocess.Popen(["true"])
        child.wait()
        lock.write_text(str(child.pid))
    else:
        lock.write_text(str(os.getpid()))
        os.utime(lock, (1_000_000, 1_000_000))
    assert dream(house, directory).run


def test_another_dream_at_work_is_named(house, directory):
    with house.kit(NOW) as kit:
        planned = attach.plan_directory(kit, directory)
        with locks.hold_dream(house.paths.locks, Owner("dream consolidate", kit.clock.now())), pytest.raises(Locked):
            attach.carry_out(kit, planned)


def test_links_are_refused_or_left_alone(house, directory):
    link = directory.parent / "link"
    link.symlink_to(directory)
    with house.kit(NOW) as kit, pytest.raises(Refused, match="link"):
        attach.plan_directory(kit, link)
    outside = directory.parent / "outside.md"
    outside.write_text(TOPIC)
    (directory / "ports_list.md").symlink_to(outside)
    with house.kit(NOW) as kit:
        planned = attach.plan_directory(kit, directory)
    assert "dead-link" not in {e.reason for e in planned.plan.edits}
    (directory / "MEMORY.md").unlink()
    (directory / "MEMORY.md").symlink_to(outside)
    with house.kit(NOW) as kit, pytest.raises(Refused):
        attach.plan_directory(kit, directory)


def test_places_that_cannot_be_tended_are_refused(house, tmp_path):
    with house.kit(NOW) as kit:
        for place in (house.home, house.home / "memory", tmp_path):
            with pytest.raises(DreamError):
                attach.plan_directory(kit, place)
        unknown = tmp_path / "unknown"
        unknown.mkdir()
        (unknown / "x.md").write_text("- one\n")
        with pytest.raises(UsageError, match="whose memory"):
            attach.attach(kit, unknown)
        assert attach.attach(kit, unknown, dialect=Dialect.GENERIC).dialect is Dialect.GENERIC


def test_attached_directories_are_remembered_until_detached(house, directory):
    with house.kit(NOW) as kit:
        attach.attach(kit, directory, commit=True)
    with house.kit(NOW) as kit:
        assert [(a.path, a.dialect, a.commit) for a in attach.load_attachments(kit.store)] == [
            (str(directory), Dialect.CLAUDE, True)
        ]
        before = bytes_of(directory)
        assert attach.detach(kit, directory) and not attach.detach(kit, directory)
        assert attach.load_attachments(kit.store) == [] and bytes_of(directory) == before


def test_one_kit_tends_several_directories_each_in_a_run_of_its_own(house, directory):
    other = directory.parent / "other"
    shutil.copytree(directory, other)
    with house.kit(NOW) as kit:
        for place in (directory, other):
            attach.attach(kit, place)
        runs = [tending.tend(kit, a).run for a in attach.load_attachments(kit.store)]
    assert len(set(runs)) == 2
    assert bytes_of(directory) == bytes_of(other)


def git(root: Path, *args: str) -> str:
    who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    return subprocess.run(["git", "-C", str(root), *who, *args], capture_output=True, text=True, check=True).stdout


@pytest.fixture
def work_tree(directory: Path) -> Callable[..., str]:
    """The directory under version control, with one commit in it."""
    git(directory.parent, "init", "--quiet")
    for key, value in (("user.name", "Ada"), ("user.email", "ada@example.org")):
        git(directory.parent, "config", key, value)
    git(directory.parent, "add", "--all")
    git(directory.parent, "commit", "--quiet", "--message", "first")
    return lambda *args: git(directory.parent, *args)


def test_one_dream_makes_one_commit_of_its_own_files_only(house, directory, work_tree):
    (directory.parent / "mine.txt").write_text("not committed yet")
    work_tree("add", "mine.txt")
    done = dream(house, directory, commit=True)
    assert done.commit == work_tree("rev-parse", "HEAD").strip()
    assert work_tree("show", "--name-only", "--format=", "HEAD").split() == ["memory/MEMORY.md"]
    assert work_tree("status", "--porcelain").split() == ["A", "mine.txt"]


def test_taking_a_committed_run_back_makes_a_commit_of_the_same_files(house, directory, work_tree):
    (directory.parent / "mine.txt").write_text("not committed yet")
    work_tree("add", "mine.txt")
    run = dream(house, directory, commit=True).run
    with house.kit(NOW) as kit:
        done = attach.undo(kit, run)
    assert done.commit == work_tree("rev-parse", "HEAD").strip() and done.blocked == ""
    assert work_tree("diff", "HEAD~2", "HEAD") == "" and work_tree("rev-list", "--count", "HEAD").strip() == "3"
    assert work_tree("status", "--porcelain").split() == ["A", "mine.txt"]
    with house.kit(NOW) as kit:
        assert attach.undo(kit, dream_again(house, directory)).commit == ""


def dream_again(house, directory) -> str:
    """A run that was not to be committed."""
    return dream(house, directory).run


def test_changes_of_a_person_are_not_committed_under_our_name(house, directory, work_tree):
    with (directory / "MEMORY.md").open("a") as stream:
        stream.write("- mine\r\n")
    done = dream(house, directory, commit=True)
    assert done.run and done.commit == ""
    assert any("not committed yet" in w for w in done.warnings)
    assert work_tree("rev-list", "--count", "HEAD").strip() == "1"


def test_without_version_control_the_dream_goes_on_and_says_so(house, directory):
    done = dream(house, directory, commit=True)
    assert done.run and any(w.startswith("no commit was made") for w in done.warnings)


def test_what_is_forgotten_leaves_the_backups_too(house, directory):
    kept, gone = directory.parent / "kept", directory
    shutil.copytree(directory, kept)
    (kept / "MEMORY.md").write_text("# M\n- something else, TTL: 2026-05-01\n")
    runs = [dream(house, place).run for place in (kept, gone)]
    with house.kit(NOW) as kit:
        assert attach.forget(kit, ["The office\nis closed"]) == [runs[1]]
        with pytest.raises(StoreMissing):
            attach.undo(kit, runs[1])
    found = [p for p in (house.home / "attached").rglob("*") if p.is_file() and b"office is closed" in p.read_bytes()]
    assert found == [] and (house.home / "attached" / runs[0]).is_dir()


@pytest.mark.model
def test_twins_and_old_values_are_told_from_neighbours_by_meaning(thoughtful, tmp_path):
    root = tmp_path / "memory"
    root.mkdir()
    kept = [
        "- Run the linter before every commit, with --fix",
        "- Invoices are now written with Typst instead of LaTeX",
        "- Always squash merge pull requests",
        "- Never squash merge pull requests",
        "- The search service listens on port 9000",
        "- The staging cluster lives in Frankfurt",
    ]
    old = ["- Run the linter before every commit", "- Invoices are written with LaTeX"]
    (root / "MEMORY.md").write_text("# Memory\n" + "\n".join([*old, *kept]) + "\n")
    with thoughtful.kit(NOW) as kit:
        planned = attach.plan_directory(kit, root)
    assert planned.after["MEMORY.md"].splitlines()[1:] == kept
    assert len(planned.plan.conflicts) == 1


def test_the_line_of_a_twin_takes_nothing_from_the_line_that_stays(house, tmp_path):
    root = tmp_path / "memory"
    root.mkdir()
    mine = "- [Ports](ports.md) - ports of the harbour services"
    (root / "MEMORY.md").write_text(f"# Memory\n\n{mine}\n- [List](two.md) - ports\n")
    for name, told in (("ports", "ports of the harbour services"), ("two", "ports")):
        (root / f"{name}.md").write_text(f"---\nname: {name}\ndescription: {told}\n---\n\nThe crane listens on port 7400.\n")
    dream(house, root)
    assert (root / "MEMORY.md").read_text() == f"# Memory\n\n{mine}; List: ports\n"
    assert not (root / "two.md").exists()


def test_backups_are_bounded(house, directory):
    for n in range(23):
        (directory / "MEMORY.md").write_text(f"# M\n- ends, TTL: 2026-05-01, round {n}\n")
        dream(house, directory)
    assert len(list((house.home / "attached").glob("*/manifest.json"))) == 20


def test_a_directory_that_is_kept_from_being_read_is_not_attached_and_not_tended(house: House, directory: Path) -> None:
    dream(house, directory)
    with house.kit(NOW) as kit:
        attach.attach(kit, directory)
    (directory / "MEMORY.md").write_bytes(INDEX.encode())
    before = bytes_of(directory)
    house.furnish(sources={"exclude": [str(directory)]})
    with house.kit(NOW) as kit:
        for act in (attach.attach, attach.plan_directory):
            with pytest.raises(Refused, match="kept from being read"):
                act(kit, directory)
        left = tending.look_at_all(kit)
    assert [(one.files, one.waits, "kept from being read" in one.left) for one in left] == [((), False, True)]
    assert tending.tend_all(house.world(NOW))[0].files == () and bytes_of(directory) == before


def test_a_file_that_is_kept_from_being_read_stays_as_it_is_and_known_to_be_there(house: House, directory: Path) -> None:
    (directory / ".dreamignore").write_text("ports-list.md\n")
    (directory / "other.md").write_text("---\nname: other\ntype: reference\n---\n\nOther things.\n")
    before = (directory / "ports-list.md").read_bytes()
    with house.kit(NOW) as kit:
        planned = attach.plan_directory(kit, directory)
        attach.carry_out(kit, planned)
    assert "ports-list.md" not in planned.before.texts and (directory / "ports-list.md").read_bytes() == before
    assert "billing: 8080" not in planned.diff
    (directory / ".dreamignore").write_text("MEMORY.md\n")
    with house.kit(NOW) as kit, pytest.raises(Refused, match="kept from being read"):
        attach.plan_directory(kit, directory)
