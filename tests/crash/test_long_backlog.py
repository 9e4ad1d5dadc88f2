"""A long backlog is worked off in units: killed anywhere and begun again it comes to the same end, and nothing is torn."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from dreamd.core.values import Status
from dreamd.dream import backlog, cycle, undo
from dreamd.dream.cycle import Wish
from dreamd.kit import Kit
from household import House, Said, differences, events_in, snapshot

NIGHT, LATER = "2026-02-01T20:00:00Z", "2026-02-02T20:00:00Z"
THINGS = ("mirror", "spooler", "gateway", "indexer", "scraper", "mailer", "renderer", "planner", "sorter", "beacon")
SCOPES = ("project:big", "project:big", "project:small", "user")


class Killed(BaseException):
    """The process is gone: nobody catches this."""


HOMES = pytest.mark.parametrize("homes", [1, pytest.param(6, marks=pytest.mark.slow)])


@pytest.fixture(autouse=True)
def _short_units(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backlog, "UNIT", 16)
    monkeypatch.setattr(cycle, "FIRST_LOOK_AT", 24)


@contextmanager
def killed_at(monkeypatch: pytest.MonkeyPatch, nth: int) -> Iterator[None]:
    """The nth write of a dream, and every one after it, never comes about."""
    writing, count = Kit.writing, 0

    @contextmanager
    def counted(kit: Kit, *, durable: bool = True) -> Iterator[object]:
        nonlocal count
        count += 1
        if count >= nth:
            raise Killed
        with writing(kit, durable=durable) as tx:
            yield tx

    with monkeypatch.context() as patch:
        patch.setattr(Kit, "writing", counted)
        # One step a transaction, so that a unit can be torn anywhere.
        patch.setattr(Kit, "parts", lambda _kit, rows, start: iter([rows[start:start + 1]]))
        yield


def statements() -> list[Said]:
    """Values that follow each other, repetitions and richer wordings: what becomes of one depends on what was there."""
    chance = random.Random(11)
    said = []
    for n in range(90):
        thing, value = chance.choice(THINGS), 8000 + chance.randrange(3)
        text = chance.choice((f"The port of the {thing} is {value}.", f"The {thing} is restarted every {value % 7 + 2} days.",
                              f"Always ask {thing}-owners before touching the {thing}."))
        said.append(Said(text, scope=chance.choice(SCOPES), conversation=f"c{n % 9}",
                         at=f"2026-01-{1 + n // 4:02d}T{n % 24:02d}:00:00Z", key=f"k{n}"))
    return said


def new_house(root: Path) -> House:
    return House(root)


@pytest.fixture(scope="module")
def _told(tmp_path_factory: pytest.TempPathFactory) -> House:
    house = new_house(tmp_path_factory.mktemp("told"))
    house.say("2026-01-31T20:00:00Z", *statements())
    return house


@HOMES
def test_a_dream_killed_between_any_two_writes_comes_to_the_same_end(
        _told: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, homes: int) -> None:
    calm = _told.copy_to(tmp_path / "calm")
    assert calm.dream(NIGHT).outcome == "changed"
    end = snapshot(calm.home)
    chance = random.Random(3)
    for n in range(homes):
        house = _told.copy_to(tmp_path / f"house-{n}")
        for _ in range(3):
            with killed_at(monkeypatch, chance.randrange(2, 60)), pytest.raises(Killed):
                house.dream(NIGHT)
                raise Killed  # it was done before
        house.dream(NIGHT)
        assert differences(end, snapshot(house.home)) == []
        assert house.faults(NIGHT) == []
        assert house.rows("SELECT * FROM meta WHERE key IN ('torn', 'first look')") == []


def test_the_dream_after_a_long_one_has_nothing_to_do(_told: House, tmp_path: Path) -> None:
    house = _told.copy_to(tmp_path)
    house.dream(NIGHT)
    before = snapshot(house.home)
    assert house.dream(NIGHT).outcome == "nothing-to-do"
    assert differences(before, snapshot(house.home)) == []


def test_a_long_dream_is_undone_as_one(_told: House, tmp_path: Path) -> None:
    house = _told.copy_to(tmp_path)
    report = house.dream(NIGHT)
    house.undo(LATER, report.run)
    assert house.memories() == []
    assert list((house.home / "memory").rglob("*.md")) == []
    assert house.redo(LATER, report.run) == 90
    house.dream(LATER)
    assert house.memories(Status.LIVE)


def test_the_undo_of_a_long_dream_killed_anywhere_took_all_of_it_back_or_nothing(
        _told: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dreamed = _told.copy_to(tmp_path / "dreamed")
    report = dreamed.dream(NIGHT)
    whole = {m.text for m in dreamed.memories()}
    touched: list[str] = []
    write = undo.memories.delete_memory
    monkeypatch.setattr(undo.memories, "delete_memory", lambda tx, identity: (touched.append(identity), write(tx, identity))[1])
    with monkeypatch.context() as patch:
        patch.setattr(Kit, "writing", counted(writes := []))
        dreamed.copy_to(tmp_path / "calm").undo(LATER, report.run)
    inside = len(touched)
    assert inside > 20 and len(writes) > 2
    ends = set()
    moments = [*((nth, 0) for nth in range(1, len(writes) + 1)), (0, 1), (0, inside // 2), (0, inside)]
    for n, (nth, deleted) in enumerate(moments):
        house = dreamed.copy_to(tmp_path / f"house-{n}")
        with monkeypatch.context() as patch, pytest.raises(Killed):
            patch.setattr(Kit, "writing", counted([], most=nth - 1) if nth else Kit.writing)
            patch.setattr(undo.memories, "delete_memory", dies_after(write, deleted) if deleted else write)
            house.undo(LATER, report.run)
        house.dream(LATER)
        left = {m.text for m in house.memories()}
        assert left in (set(), whole), (nth, deleted)
        assert house.faults(LATER) == []
        ends.add(bool(left))
    assert ends == {True, False}, "killed before its transaction nothing of it is done, killed behind it all"


def counted(writes: list[int], *, most: int = 1 << 30) -> Callable[..., AbstractContextManager[object]]:
    """Transactions of a kit as they are, until `most` of them came about."""
    writing = Kit.writing

    @contextmanager
    def counting(kit: Kit, *, durable: bool = True) -> Iterator[object]:
        writes.append(1)
        if len(writes) > most:
            raise Killed
        with writing(kit, durable=durable) as tx:
            yield tx

    return counting


def dies_after(act: Callable[..., bool], times: int) -> Callable[..., bool]:
    """The same, and the process is gone at the nth time."""
    left = [times]

    def acting(*given: object) -> bool:
        left[0] -= 1
        if left[0] <= 0:
            raise Killed
        return act(*given)

    return acting


def test_the_plan_of_a_long_dream_is_what_it_then_does(_told: House, tmp_path: Path) -> None:
    planned, done = _told.copy_to(tmp_path / "a"), _told.copy_to(tmp_path / "b")
    before = snapshot(planned.home)
    plan = planned.dream(NIGHT, Wish(only_plan=True))
    assert differences(before, snapshot(planned.home)) == []
    report = done.dream(NIGHT)
    assert [c.after for c in plan.changes] == [c.after for c in report.changes]
    assert (plan.fates, plan.digest) == (report.fates, report.digest)
    assert planned.dream(NIGHT, Wish(approved=plan.digest)).outcome == "changed"
    assert differences(snapshot(planned.home), snapshot(done.home)) == []


def test_the_newest_and_the_small_scopes_are_there_before_the_rest(
        _told: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    house = _told.copy_to(tmp_path)
    units: list[set[str]] = []
    write = cycle.write_files
    monkeypatch.setattr(cycle, "write_files", lambda kit, scopes, *rest, **named: (
        units.append({str(s) for s in scopes}), write(kit, scopes, *rest, **named))[1])
    house.dream(NIGHT)
    assert set().union(*units[:3]) == set(SCOPES)
    counts = [e["counts"] for e in events_in(house.paths) if e["event"] == "unit.finished"]
    assert len(counts) >= 5
    assert {one["total"] for one in counts} == {90}


def a_person_with_memories(root: Path) -> House:
    """A first dream with much to read: notes in many directories, the newest of which were written to last."""
    house = new_house(root)
    for n in range(8):
        folder = house.person / ".claude" / "projects" / f"-work-p{n % 5}-{n}" / "memory"
        folder.mkdir(parents=True)
        lines = [f"- The port of the {THINGS[(n + k) % 10]} in hall {n % 5} is {8000 + (n * k) % 4}." for k in range(11)]
        (folder / "MEMORY.md").write_text("# Notes\n\n" + "\n".join(lines) + "\n")
        for path in (folder / "MEMORY.md", folder):
            os.utime(path, (1_760_000_000 + n * 86_400,) * 2)
    return house


def test_a_first_dream_shows_something_before_it_has_read_everything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    house = a_person_with_memories(tmp_path)
    read: list[int] = []
    write = cycle.write_files

    def seen(kit: Kit, *rest: object, **named: object) -> int:
        read.append(len(kit.store.all("SELECT 1 FROM source")))
        return write(kit, *rest, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(cycle, "write_files", seen)
    assert house.dream(NIGHT).outcome == "changed"
    assert read[0] < 8 == read[-1]


@HOMES
def test_a_first_dream_killed_anywhere_comes_to_the_same_end(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch, homes: int) -> None:
    told = a_person_with_memories(tmp_path / "told")
    calm = House(tmp_path / "calm", persons_own=told.person)
    calm.dream(NIGHT)
    end, chance = snapshot(calm.home), random.Random(5)
    for n in range(homes):
        house = House(tmp_path / f"house-{n}", persons_own=told.person)
        for _ in range(3):
            with killed_at(monkeypatch, chance.randrange(2, 50)), pytest.raises(Killed):
                house.dream(NIGHT)
                raise Killed  # it was done before
        house.dream(NIGHT)
        assert differences(end, snapshot(house.home)) == []
