"""`restore-store` and `init --new`, killed at every effect: nothing acknowledged is lost, and there is a store or a refusal."""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from faults import FULL_LASTING, IO_ONCE, KILL, LOSE_ENTRIES, TORN_KILL, Fault, watched

from dreamd.core.errors import DreamError, Outage
from dreamd.core.values import Candidate, Origin, parse_scope
from dreamd.dream import going_back
from dreamd.store import backups
from dreamd.store.connection import open_reader
from dreamd.store.intake.notebook import take_note
from household import CEDAR, House, Said

Tell = Callable[[str], None]
DAY, NIGHT = "2026-03-01T09:00:00Z", "2026-03-01T20:00:00Z"
NEXT_DAY, EVENING, LATER = "2026-03-02T09:00:00Z", "2026-03-02T20:00:00Z", "2026-03-03T20:00:00Z"
BEFORE = ("The staging port of cedar is 8080.", "Reviews of cedar need two people.")
SINCE = tuple(f"Cabinet {n} holds the drawings of pier {n * 7}." for n in range(1, 6))
AFTER = "The canary group of cedar is called sparrow."
CALLS = ("fsync", "fdatasync", "pwrite64", "write", "rename", "unlink", "ftruncate", "mkdir", "flock", "link")


@pytest.fixture
def lived(room: Path) -> Iterator[House]:
    """A home with a backup and five notes since that are in the log of the store alone, which somebody reads."""
    (room / "lived").mkdir()
    house = House(room / "lived")
    house.say(DAY, *BEFORE)
    house.dream(NIGHT)
    assert backups.list_backups(house.paths.backups)
    with closing(sqlite3.connect(house.paths.store, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT COUNT(*) FROM observation").fetchall()
        for text in SINCE:
            note(house, text)
        yield house


def note(house: House, text: str) -> None:
    """What `dream note` does."""
    world = house.world(NEXT_DAY)
    answer = take_note(world, [Candidate(text, Origin.USER, world.clock.now(), parse_scope(CEDAR), conversation=text[:9])])
    assert answer.answers[0].status in ("stored", "known")


def copy(house: House, room: Path) -> House:
    """The home as it lies on the disk, log included."""
    root = room / "case"
    shutil.rmtree(root, ignore_errors=True)
    shutil.copytree(house.root, root, symlinks=True)
    return House(root)


def in_a_child(act: Callable[[], object]) -> int:
    """Carry something out in a process that may die of it; 1 for a failure a person is told of."""
    child = os.fork()
    if child == 0:
        code = 70
        try:
            act()
            code = 0
        except DreamError:
            code = 1
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def wrong_after(house: House) -> list[str]:
    """What a person would miss: a store or a refusal, and every word that was acknowledged, now or after the next dream."""
    wrong = []
    try:
        open_reader(house.paths.store).close()
    except Outage:
        pass
    except DreamError as error:
        wrong.append(f"neither a store nor a refusal: {error.message}")
    note(house, AFTER)
    if is_founded_anew(house):
        wrong.append("a new store was founded in silence")
    house.dream(EVENING)
    said = {str(text) for (text,) in house.rows("SELECT text FROM observation")}
    wrong += [f"lost: {text}" for text in (*BEFORE, *SINCE, AFTER) if text not in said]
    return wrong + house.faults(EVENING)


def is_founded_anew(house: House) -> bool:
    """Whether the store is none that knew what was said first."""
    try:
        with closing(open_reader(house.paths.store)) as store:
            return store.one("SELECT 1 FROM observation WHERE text = ?", BEFORE[0]) is None
    except DreamError:
        return False


def suffer(house: House, fault: Fault | None) -> int:
    """Go back to the backup while something goes wrong; gives how that ended."""
    def act() -> None:
        with watched(house.home, fault):
            going_back.restore_store(house.world(EVENING))

    return in_a_child(act)


def effects_of(lived: House, room: Path) -> int:
    house = copy(lived, room)
    with watched(house.home) as disk:
        going_back.restore_store(house.world(EVENING))
    return len(disk.effects)


def test_going_back_loses_no_note_that_stood_in_the_log_alone(lived: House) -> None:
    done = going_back.restore_store(lived.world(EVENING))
    assert (done.saved, done.whole) == (len(SINCE), True)
    assert wrong_after(lived) == []


def test_going_back_compares_ids_and_not_the_numbers_of_rows(lived: House, room: Path) -> None:
    """The copy has more rows than the store: then no number is `after` its last one."""
    house, other = copy(lived, room), House(room / "other")
    other.say(DAY, *BEFORE, *(f"Shelf {n} is empty." for n in range(40)))
    other.dream(NIGHT)
    (backup,) = backups.list_backups(other.paths.backups)
    going_back.restore_store(house.world(EVENING), backup)
    assert wrong_after(house) == []


@pytest.mark.parametrize("every", [20, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", [KILL, LOSE_ENTRIES, TORN_KILL, FULL_LASTING, IO_ONCE], ids=lambda f: f.name)
def test_going_back_may_be_stopped_anywhere(lived: House, room: Path, kind: Fault, every: int) -> None:
    effects = effects_of(lived, room)
    wrong = []
    for at in range(1, effects + 1, -(-every // 4) if kind is KILL else every):
        house = copy(lived, room)
        code = suffer(house, replace(kind, at=at))
        assert code in (0, 1, 137), code
        wrong += [f"{kind.name} at {at} of {effects}: {one}" for one in wrong_after(house)]
    assert wrong == []


@pytest.mark.parametrize("every", [14, pytest.param(3, marks=pytest.mark.slow)])
def test_going_back_ends_by_itself_what_was_begun(lived: House, room: Path, every: int) -> None:
    """Wherever it was killed, `restore-store` once more comes to its end as well."""
    effects = effects_of(lived, room)
    for at in range(2, effects + 1, every):
        house = copy(lived, room)
        suffer(house, replace(KILL, at=at))
        assert suffer(house, None) == 0
        assert wrong_after(house) == []
        assert not list(house.home.glob("dream.db.restoring*"))


@pytest.mark.parametrize("kind", [KILL, TORN_KILL, FULL_LASTING, IO_ONCE], ids=lambda f: f.name)
def test_a_copy_is_whole_or_not_there_wherever_its_making_is_stopped(lived: House, room: Path, kind: Fault) -> None:
    def make(house: House, fault: Fault | None) -> int:
        with house.kit(EVENING) as kit, watched(house.home, fault) as disk:
            backups.back_up(kit.store.connection, kit.paths, now=kit.clock.now(), keep=2, why="test")
        return len(disk.effects)

    effects = make(copy(lived, room), None)
    assert effects > 5
    for at in range(1, effects + 1, 2):
        house = copy(lived, room)
        assert in_a_child(partial(make, house, replace(kind, at=at))) in (0, 1, 137)
        for one in (kept := backups.list_backups(house.paths.backups)):
            with backups.unpacked(one, one.parent) as plain, closing(sqlite3.connect(plain)) as connection:
                backups.verify_store(connection, one)
        assert kept
        make(house, None)
        assert {p.name for p in house.paths.backups.iterdir()} == {p.name for p in backups.list_backups(house.paths.backups)}


def test_a_dream_after_going_back_learns_none_of_its_own_files(lived: House) -> None:
    lived.dream(EVENING)
    assert lived.memory("pier 7.")
    (oldest, *_) = backups.list_backups(lived.paths.backups)
    going_back.restore_store(lived.world(LATER), oldest)
    lived.dream(LATER)
    signs = {str(sign) for (sign,) in lived.rows("SELECT sign FROM observation")}
    assert signs <= {"", "remember"}, signs
    assert lived.memory("pier 7.").text == SINCE[0]
    assert lived.faults(LATER) == []


def test_a_persons_edit_is_still_one_after_going_back(lived: House) -> None:
    lived.dream(EVENING)
    file = lived.file_of("two people")
    file.write_text(file.read_text().replace("two people", "three people"))
    (oldest, *_) = backups.list_backups(lived.paths.backups)
    going_back.restore_store(lived.world(LATER), oldest)
    lived.dream(LATER)
    assert lived.memory("three people")
    assert lived.faults(LATER) == []


def test_what_only_files_say_is_brought_back_where_the_store_is_gone(lived: House) -> None:
    lived.say(EVENING, Said(AFTER))
    lived.dream(EVENING)
    lived.paths.store.unlink()
    (oldest, *_) = backups.list_backups(lived.paths.backups)
    done = going_back.restore_store(lived.world(LATER), oldest)
    assert not done.whole
    lived.dream(LATER)
    found = lived.rows("SELECT origin FROM observation WHERE text LIKE '%sparrow%'")
    assert found == [("import",)], "and not with the authority of a person"
    assert lived.faults(LATER) == []


def test_what_is_forgotten_stands_in_no_file_that_was_left_behind_either(lived: House) -> None:
    lived.dream(EVENING)
    (oldest, *_) = backups.list_backups(lived.paths.backups)
    going_back.restore_store(lived.world(LATER), oldest)
    lived.dream(LATER)
    assert any(b"pier 7." in p.read_bytes() for p in lived.home.glob("set-aside/**/*.md"))
    lived.forget(LATER, "pier 7.")
    assert not [p for p in lived.home.rglob("*") if p.is_file() and b"pier 7." in p.read_bytes()]


def test_a_new_store_knows_nothing_of_the_files_before_it(lived: House) -> None:
    lived.paths.store.unlink()
    lived.paths.store.with_name("dream.db-wal").unlink()
    note(lived, AFTER)
    founded = going_back.begin_anew(lived.world(EVENING), anew=True)
    assert founded.taken == 1
    lived.dream(EVENING)
    assert [m.text for m in lived.memories()] == [AFTER]
    assert lived.faults(EVENING) == []


@pytest.mark.parametrize("every", [5, pytest.param(1, marks=pytest.mark.slow)])
def test_a_new_store_may_be_killed_while_it_is_made(lived: House, room: Path, every: int) -> None:
    def prepared() -> House:
        house = copy(lived, room)
        house.paths.store.write_bytes(b"")
        house.paths.store.with_name("dream.db-wal").unlink()
        note(house, AFTER)
        return house

    def begin(house: House, fault: Fault | None) -> int:
        def act() -> None:
            with watched(house.home, fault):
                going_back.begin_anew(house.world(EVENING), anew=True)

        return in_a_child(act)

    house = prepared()
    with watched(house.home) as disk:
        going_back.begin_anew(house.world(EVENING), anew=True)
    for at in range(1, len(disk.effects) + 1, every):
        house = prepared()
        begin(house, replace(KILL, at=at))
        assert begin(house, None) in (0, 1)  # done already, or done now
        house.dream(EVENING)
        assert [m.text for m in house.memories()] == [AFTER], at


@pytest.mark.slow
def test_going_back_may_be_killed_at_any_system_call(lived: House, room: Path, tell: Tell) -> None:
    if shutil.which("strace") is None:
        pytest.skip("`strace` is not here")

    def go_back(house: House, *strace: str) -> int:
        env = {"PATH": os.environ["PATH"], "HOME": str(house.person), "PYTHONDONTWRITEBYTECODE": "1", "TZ": "UTC",
               "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
        words = [sys.executable, "-m", "dreamd.cli.main", "--home", str(house.home), "--now", EVENING, "restore-store"]
        traced = ["strace", "-f", "-qq", "-o", str(room / "trace"), *strace]
        return subprocess.run([*traced, *words], env=env, capture_output=True, timeout=120, check=False).returncode

    house = copy(lived, room)
    assert go_back(house, "-e", f"trace={','.join(CALLS)}") == 0
    made = Counter(re.findall(r"(?m)^\d+\s+(\w+)\(", (room / "trace").read_text()))
    wrong, cases = [], [(call, at) for call in CALLS for at in range(1, made[call] + 1)]
    for call, at in cases:
        house = copy(lived, room)
        go_back(house, "-e", f"trace={call}", "-e", f"inject={call}:signal=KILL:when={at}")
        wrong += [f"{call} {at}: {one}" for one in wrong_after(house)]
    tell(f"killed at each of {len(cases)} system calls ({dict(made)}), {len(wrong)} anomalies")
    assert wrong == []
