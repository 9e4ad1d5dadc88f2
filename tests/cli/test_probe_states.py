"""Broken homes are never called healthy, and healthy ones never broken: each state is built for real, and asked about.

Every state starts as a copy of one home in which everything is well: it dreamed twenty-six hours ago, and nothing waits.
"""

from __future__ import annotations

import fcntl
import gzip
import json
import os
import shutil
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from dreamd import probe
from dreamd.cli.main import main
from dreamd.core import outage, telemetry
from dreamd.core.clock import iso
from dreamd.core.errors import Outage
from dreamd.core.telemetry import Heartbeat
from dreamd.core.values import Origin
from dreamd.dream import going_back
from dreamd.probing import integrity, surroundings, vital_signs
from dreamd.probing.health import Report
from dreamd.service.gating.pause import pause
from dreamd.store import journal, schema, set_asides, work
from dreamd.store.connection import open_store
from dreamd.store.intake import inbox
from household import House, Said, bare_commands

NOW = datetime.now(UTC).replace(microsecond=0)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
DREAMED = NOW - 26 * HOUR
STATED = ("The billing API listens on port 8080.", "Always run the linter before pushing.", "The staging host is called heron.",
          "The nightly export goes to the blue bucket.", "Backups are kept for forty days.", "Deploys happen on Tuesdays.")


@dataclass
class Scene:
    """A home of a test's own, and what the probe is told about the world around it."""

    house: House
    monkeypatch: pytest.MonkeyPatch
    now: datetime = NOW
    env: dict[str, str] = field(default_factory=dict)
    deep: bool = False
    reads_a_word: bool = False
    """Whether a close look tries the networks as well, which takes two seconds and is no matter to a damaged store."""
    held: ExitStack = field(default_factory=ExitStack)
    folder_of_settings: str = ""

    @property
    def home(self) -> Path:
        return self.house.home

    @property
    def person(self) -> Path:
        return self.house.root / "somebody"

    @property
    def config(self) -> Path:
        return self.house.root / f"{self.folder_of_settings}dream.toml"

    def ask(self) -> Report:
        """What the probe answers."""
        if not self.reads_a_word:
            self.monkeypatch.setattr(surroundings, "TRIAL", "")
        env = {"HOME": str(self.person), **self.env}
        return probe.inspect(probe.World(home=str(self.home), now=self.now, env=env, config=str(self.config), fixed=True,
                                         deep=self.deep))

    def sql(self, *statements: str, foreign_keys: bool = False) -> None:
        """Change the store past dream, as another program would."""
        with closing(sqlite3.connect(self.house.paths.store)) as db, db:
            db.execute(f"PRAGMA foreign_keys = {int(foreign_keys)}")
            for statement in statements:
                db.execute(statement)

    def hold(self, name: str, *, since: datetime | None = None) -> None:
        """Have somebody hold a lock until the test is over."""
        path = self.house.paths.locks / name
        path.touch()
        stream = self.held.enter_context(path.open())
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if since is not None:
            touch(path, since)

    def dreamed(self, at: datetime, outcome: str = "changed", *, backlog: int = 0, ended: bool = True) -> None:
        """A dream in the journal."""
        with closing(open_store(self.house.paths.store)) as store, store.writing() as tx:
            run = journal.begin_run(tx, kind=journal.DREAM, now=at, started_at=at, version="0")
            if ended:
                tx.execute("UPDATE run SET ended_at = ?, outcome = ?, backlog = ? WHERE seq = ?",
                           (iso(at), outcome, backlog, run.seq))

    def left(self, at: datetime, *texts: str) -> None:
        """Notes that found the store busy."""
        for n, text in enumerate(texts or ("The cache lives for ten minutes.",)):
            inbox.put_notes(self.house.paths, [Said(text).candidate(iso(at))], now=at, ticket=str(n))

    def transcript(self, name: str, at: datetime, folder: str = ".claude/projects/-srv-new") -> Path:
        """A conversation that moved last at some time."""
        path = self.person / folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        said = {"role": "user", "content": "we deploy from the release branch"}
        row = {"type": "user", "message": said, "timestamp": iso(at)}
        path.write_text(json.dumps(row) + "\n")
        touch(path, at)
        return path

    def beat(self, role: str = "service", *, at: datetime | None = None, **facts: object) -> None:
        """A heartbeat as a living process writes it."""
        paths = self.house.paths
        path = paths.heartbeat if role == "service" else telemetry.cycle_beat_path(paths)
        heart = Heartbeat(path, role, boot_id=outage.current_boot_id())
        heart.write(heart.beat)
        path.write_text(json.dumps(json.loads(path.read_text()) | {"at": iso(at or self.now)} | facts))

    @property
    def pages(self) -> list[Path]:
        return sorted(p for p in (self.home / "memory").rglob("*.md"))

    @property
    def index(self) -> Path:
        return next(p for p in self.pages if p.name == "MEMORY.md")


def touch(path: Path, at: datetime) -> None:
    os.utime(path, (at.timestamp(), at.timestamp()))


@pytest.fixture(scope="module")
def well(tmp_path_factory: pytest.TempPathFactory) -> House:
    """The home that all states are copies of."""
    house = House(tmp_path_factory.mktemp("well"))
    outage.prepare(house.paths.outage)
    house.say(iso(NOW - 30 * HOUR), *STATED, Said("I like short answers.", scope="user"))
    house.dream(iso(DREAMED))
    return house


@pytest.fixture
def scene(well: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Scene]:
    shutil.copytree(well.home, tmp_path / "home", symlinks=True)
    made = Scene(House(tmp_path), monkeypatch)
    with made.held:
        yield made


State = Callable[[Scene], object]
BROKEN: dict[str, State] = {}
HEALTHY: dict[str, State] = {}


def broken(state: State) -> State:
    """Take a state in among those that must not be called healthy."""
    BROKEN[state.__name__] = state
    return state


def healthy(state: State) -> State:
    """Take a state in among those that must not be called broken."""
    HEALTHY[state.__name__] = state
    return state


# ---- rows, tables and pages of the store ------------------------------------------------------------------------


BROKEN |= {
    "memories_deleted": lambda s: s.sql("DELETE FROM memory"),
    "memories_deleted_with_all_that_hangs_on_them": lambda s: s.sql("DELETE FROM memory", foreign_keys=True),
    "one_memory_deleted": lambda s: s.sql("DELETE FROM memory WHERE seq = 2"),
    "a_memory_made_held": lambda s: s.sql("UPDATE memory SET status = 'held' WHERE seq = 1"),
    "words_changed": lambda s: s.sql("UPDATE wording SET text = text || '.'"),
    "words_deleted": lambda s: s.sql("DELETE FROM wording"),
    "observations_deleted": lambda s: s.sql("DELETE FROM observation WHERE seq > 3"),
    "fates_deleted": lambda s: s.sql("DELETE FROM fate"),
    "supports_deleted": lambda s: s.sql("DELETE FROM support"),
    "runs_deleted": lambda s: s.sql("DELETE FROM run"),
    "journal_deleted": lambda s: s.sql("DELETE FROM operation"),
    "one_fact_of_the_store_deleted": lambda s: s.sql("DELETE FROM meta WHERE key = 'created_at'"),
    "the_seal_of_the_files_deleted": lambda s: s.sql("DELETE FROM meta WHERE key = 'seal file'"),
    "the_number_of_its_schema_is_a_lower_one": lambda s: s.sql("PRAGMA user_version = 1"),
    "facts_of_the_store_deleted": lambda s: s.sql("DELETE FROM meta"),
    "a_column_gone": lambda s: s.sql("ALTER TABLE memory DROP COLUMN pinned"),
    "an_index_gone": lambda s: s.sql("DROP INDEX observation_key"),
    "a_trigger_that_lets_nothing_in": lambda s: s.sql(
        "CREATE TRIGGER t BEFORE INSERT ON observation BEGIN SELECT RAISE(ABORT, 'no'); END"),
    "runs_that_never_ended": lambda s: s.sql("UPDATE run SET ended_at = NULL"),
    "the_zone_of_the_store_is_none": lambda s: s.sql("UPDATE meta SET value = 'Mars/Phobos' WHERE key = 'zone'"),
    **{f"table_{name}_gone": (lambda s, name=name: s.sql(f"DROP TABLE {name}"))  # type: ignore[misc]
       for name in sorted(integrity.shape_of(schema.VERSION))},
}


@broken
def memories_deleted_in_a_store_too_large_to_add_up(s: Scene) -> None:
    s.monkeypatch.setattr(integrity, "MOST_ROWS", 0)
    s.sql("DELETE FROM memory", foreign_keys=True)


@broken
def observations_deleted_in_a_store_too_large_to_add_up(s: Scene) -> None:
    s.monkeypatch.setattr(integrity, "MOST_ROWS", 0)
    s.sql("DELETE FROM observation")


@broken
def the_store_emptied(s: Scene) -> None:
    s.house.paths.store.write_bytes(b"")


@broken
def a_way_back_that_was_cut_short(s: Scene) -> None:
    copy = s.home / "dream.db.restoring-20260301T090000Z"
    shutil.copy(s.house.paths.store, copy)
    touch(copy, NOW - 3 * HOUR)


@broken
def the_store_cut(s: Scene) -> None:
    body = s.house.paths.store.read_bytes()
    s.house.paths.store.write_bytes(body[:len(body) // 2])


@broken
def the_store_gone(s: Scene) -> None:
    s.house.paths.store.unlink()


@broken
def the_home_gone(s: Scene) -> None:
    shutil.rmtree(s.home)


@broken
def a_store_that_is_a_link(s: Scene) -> None:
    s.house.paths.store.rename(s.home / "elsewhere.db")
    s.house.paths.store.symlink_to(s.home / "elsewhere.db")


@broken
def a_store_that_is_a_pipe(s: Scene) -> None:
    s.house.paths.store.unlink()
    os.mkfifo(s.house.paths.store)


@broken
def a_database_of_another_program(s: Scene) -> None:
    s.house.paths.store.unlink()
    s.sql("CREATE TABLE things (name)", f"PRAGMA user_version = {schema.VERSION}")


@broken
def a_store_of_a_newer_dream(s: Scene) -> None:
    s.sql("PRAGMA user_version = 99")


def root_page(s: Scene, name: str) -> tuple[int, int]:
    """Where the first page of a table begins in the file, and where it ends."""
    with closing(sqlite3.connect(s.house.paths.store)) as db:
        size = int(db.execute("PRAGMA page_size").fetchone()[0])
        number = int(db.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (name,)).fetchone()[0])
        return (number - 1) * size, number * size


def scribble(s: Scene, name: str, at: int, count: int) -> None:
    """Overwrite bytes of a page, counted from its end where `at` is negative, and have the probe look closely."""
    start = root_page(s, name)[at < 0]
    with s.house.paths.store.open("r+b") as stream:
        stream.seek(start + at)
        stream.write(b"\x5a" * count)
    s.deep = True


BROKEN |= {
    **{f"a_page_of_{name}_damaged": (lambda s, name=name: scribble(s, name, 0, 2048))  # type: ignore[misc]
       for name in ("observation", "judged", "vector", "file", "operation_memory", "memory_words_data", "recall", "staged")},
    **{f"the_end_of_a_page_of_{name}_damaged": (lambda s, name=name: scribble(s, name, -96, 90))  # type: ignore[misc]
       for name in ("observation", "memory", "operation", "wording", "run", "meta")},
}


@broken
def a_run_changed_by_another_program_seen_by_a_close_look(s: Scene) -> None:
    s.sql("UPDATE run SET reason = 'x'")
    s.deep = True


@broken
def vectors_changed_seen_by_a_close_look(s: Scene) -> None:
    s.sql("UPDATE vector SET body = zeroblob(768)")
    s.deep = True


@broken
def the_word_index_emptied_seen_by_a_close_look(s: Scene) -> None:
    s.sql("DELETE FROM memory_words")
    s.deep = True


# ---- settings and surroundings ----------------------------------------------------------------------------------


BROKEN |= {f"settings_{name}": (lambda s, text=text: s.config.write_text(text)) for name, text in {  # type: ignore[misc]
    "with_an_unknown_zone": '[store]\nzone = "Mars/Phobos"\n',
    "with_a_zone_that_is_a_path": '[store]\nzone = "../../etc/passwd"\n',
    "with_an_empty_zone": '[store]\nzone = ""\n',
    "with_a_nightly_time_that_is_none": '[service]\nnightly_at = "25:99"\n',
    "with_a_nightly_time_in_words": '[service]\nnightly_at = "at night"\n',
    "with_an_unknown_judge": '[consolidate]\njudge = "coin"\n',
    "with_an_unknown_engine": '[model]\nengine = "steam"\n',
    "with_half_a_backup": "[store]\nbackups_kept = 2.5\n",
    "with_a_number_for_a_team": "[teams]\nharbour = 3\n",
    "with_no_number": "[service]\nmin_hours = nan\n",
    "with_numbers_for_paths": "[sources]\npaths = [1]\n",
    "with_a_model_that_is_not_there": '[model]\ndirectory = "/nowhere"\n',
    "that_are_no_toml": "[service\n",
    "too_large": "#" * 1_100_000,
}.items()}


@broken
def settings_that_are_a_folder(s: Scene) -> None:
    s.config.mkdir()


@broken
def python_home_that_is_none(s: Scene) -> None:
    s.env["PYTHONHOME"] = "/nonexistent"


@broken
def a_module_of_pythons_in_the_way(s: Scene) -> None:
    (s.house.root / "lib").mkdir()
    (s.house.root / "lib" / "sqlite3.py").write_text("raise SystemExit(0)")
    s.env["PYTHONPATH"] = f"/nowhere:{s.house.root / 'lib'}"


@broken
def a_full_disk(s: Scene) -> None:
    facts = os.statvfs(s.home)

    class Full:
        f_flag, f_bavail, f_frsize, f_files, f_favail = facts.f_flag, 1000, facts.f_frsize, facts.f_files, facts.f_favail

    s.monkeypatch.setattr(os, "statvfs", lambda _path: Full())


@broken
def a_marker_that_only_memory_took(s: Scene) -> None:
    s.env["XDG_RUNTIME_DIR"] = str(s.house.root / "runtime")
    (s.house.root / "runtime").mkdir()
    fallback = outage.runtime_dir(s.env, s.home)
    assert fallback is not None
    outage.flag(fallback, Outage("no space left", component="disk", code="disk-full"), now=NOW, owner="dream run")


@broken
def a_marker_of_the_model(s: Scene) -> None:
    outage.flag(s.home / "outage", Outage("it is missing", component="model", code="model-missing"), now=NOW, owner="x")


# ---- what stands in the home ------------------------------------------------------------------------------------


def replaced(name: str, by: str) -> State:
    """Something else in the place of a file or folder of the home."""
    def change(s: Scene) -> None:
        path = s.home / name
        path.parent.mkdir(exist_ok=True)
        aside = s.house.root / "aside"
        if path.exists():
            path.rename(aside)
        if by == "file":
            path.write_text("")
        elif by == "folder":
            path.mkdir()
        elif by == "link":
            aside.mkdir(exist_ok=True) if not aside.exists() else None
            path.symlink_to(aside)

    return change


BROKEN |= {f"{name}_a_{by}".replace("/", "_"): replaced(name, by) for name, by in (
    ("locks", "file"), ("inbox", "file"), ("outage", "file"), ("archive", "file"), ("derived", "file"), ("conflicts", "file"),
    ("logs", "file"), ("damaged", "file"), ("own-files", "folder"), ("memory", "file"),
    ("memory", "link"), ("backups", "link"), ("inbox", "link"), ("locks", "link"),
    ("locks/write.lock", "folder"), ("locks/dream.lock", "link"), ("locks/gate.lock", "folder"), ("paused.json", "folder"),
    ("heartbeat.json", "folder"), ("dream.db-wal", "folder"), ("memory/user", "link"), ("memory/project", "file"))}
def merged(text: str) -> str:
    """A file in which git left two versions side by side, somewhere below its head."""
    head, _, rest = text.partition("\n")
    return f"{head}\n<<<<<<< HEAD\n{rest}=======\n{rest}>>>>>>> other\n"


BROKEN |= {"memory_gone": lambda s: shutil.rmtree(s.home / "memory"),
           "a_scope_gone": lambda s: shutil.rmtree(s.index.parent),
           "an_index_gone_from_the_disk": lambda s: s.index.unlink(),
           "an_index_emptied": lambda s: s.index.write_text(""),
           "an_index_twice_in_one": lambda s: s.index.write_bytes(s.index.read_bytes() * 2),
           "an_index_of_nothing_but_nul": lambda s: s.index.write_bytes(bytes(400)),
           "all_notes_emptied": lambda s: [p.write_text("") for p in s.pages if p.name != "MEMORY.md"],
           "all_notes_with_the_marks_of_a_merge": lambda s: [p.write_text(merged(p.read_text())) for p in s.pages],
           "all_notes_gone": lambda s: [p.unlink() for p in s.pages if p.name != "MEMORY.md"]}


def a_note_of(s: Scene) -> Path:
    """A note, taken away."""
    note: Path = next(p for p in s.pages if p.name != "MEMORY.md")
    note.unlink()
    return note


BROKEN |= {"a_note_that_is_a_link": lambda s: a_note_of(s).symlink_to("/etc/hostname"),
           "a_note_that_is_a_folder": lambda s: a_note_of(s).mkdir()}


@broken
def an_index_that_is_a_folder(s: Scene) -> None:
    index = s.index
    index.unlink()
    index.mkdir()


def written_over(body: bytes, *, topics: bool) -> State:
    """Pages of which another program left only this."""

    def made(s: Scene) -> None:
        for page in (page for page in s.pages if (page.name != "MEMORY.md") is topics):
            page.write_bytes(body)

    return made


BROKEN |= {
    f"{'notes' if topics else 'indexes'}_{how}": written_over(body, topics=topics) for topics in (False, True)
    for how, body in {"in_another_encoding": "Der Hafen schließt um fünf.\n".encode("latin-1"), "of_one_sign": b"?" * 200,
                      "that_are_packed": gzip.compress(b"The quay is closed. " * 40, mtime=0)[:60]}.items()}
BROKEN["notes_cut_in_their_heads"] = written_over(b"---\nname: reference\ndescr", topics=True)


@broken
def an_index_that_is_a_link(s: Scene) -> None:
    index = s.index
    index.rename(s.house.root / "elsewhere.md")
    index.symlink_to(s.house.root / "elsewhere.md")


@broken
def a_home_of_somebody_else(s: Scene) -> None:
    if os.geteuid():
        s.monkeypatch.setattr(os, "geteuid", lambda: 12345)
    else:
        os.chown(s.home, 12345, 12345)


# ---- what came in, and what came of it --------------------------------------------------------------------------


@broken
def a_store_that_takes_no_word(s: Scene) -> None:
    closed = os.access
    s.monkeypatch.setattr(os, "access", lambda path, how: closed(path, how) and not (
        str(path).endswith("dream.db") and how & os.W_OK))


@broken
def a_folder_of_settings_that_is_a_file(s: Scene) -> None:
    s.config.write_text("")
    s.folder_of_settings = "dream.toml/"


@broken
def the_store_of_another_home(s: Scene) -> None:
    other = House(s.house.root / "other")
    other.say(iso(NOW - 30 * HOUR), *STATED)
    other.dream(iso(DREAMED))
    put_in_its_place(s, other.paths.store.read_bytes())


@broken
def an_older_store_laid_back_by_hand(s: Scene) -> None:
    before = s.house.paths.store.read_bytes()
    s.house.say(iso(NOW - 20 * HOUR), "The mail relay is called otter.")
    s.house.dream(iso(NOW - 20 * HOUR))
    put_in_its_place(s, before)


def put_in_its_place(s: Scene, body: bytes) -> None:
    """Put another store in the place of the one that is there."""
    for beside in ("dream.db-wal", "dream.db-shm"):
        (s.home / beside).unlink(missing_ok=True)
    s.house.paths.store.write_bytes(body)


@healthy
def gone_back_to_a_backup(s: Scene) -> None:
    going_back.restore_store(s.house.world(iso(NOW - HOUR)))


@healthy
def a_conversation_of_an_hour_where_somebody_dreams_by_hand(s: Scene) -> None:
    s.transcript("a.jsonl", NOW - 2 * HOUR)


@broken
def the_write_lock_held_for_ever_and_a_full_inbox(s: Scene) -> None:
    s.hold("write.lock")
    s.left(NOW - 30 * DAY, *(f"The service number {n} listens on port {4000 + n}." for n in range(60)))


@broken
def a_note_in_the_inbox_for_days_from_a_clock_that_ran_ahead(s: Scene) -> None:
    s.left(NOW + 300 * DAY)
    touch(next(s.house.paths.inbox.glob("*.json")), NOW - 5 * DAY)


@broken
def the_gate_held_and_a_few_notes_in_the_inbox(s: Scene) -> None:
    s.hold("gate.lock")
    s.left(NOW - 20 * timedelta(minutes=1))


@broken
def one_note_in_the_inbox_for_days(s: Scene) -> None:
    s.left(NOW - 4 * DAY)


@broken
def an_inbox_that_dreams_passed_over(s: Scene) -> None:
    s.left(NOW - 27 * HOUR)


@broken
def a_service_awake_and_notes_in_the_inbox_for_hours(s: Scene) -> None:
    s.hold("service.lock")
    s.beat(state="idle")
    s.left(NOW - 3 * HOUR)


@broken
def three_failed_dreams(s: Scene) -> None:
    for n in (3, 2, 1):
        s.dreamed(NOW - n * HOUR, "failed")


@broken
def three_dreams_that_refused(s: Scene) -> None:
    for n in (24, 14, 4):
        s.dreamed(NOW - n * HOUR, "refused")


@broken
def refusing_every_night_since_half_a_year(s: Scene) -> None:
    s.now = NOW + 180 * DAY
    for n in range(30):
        s.dreamed(s.now - (30 - n) * DAY, "refused")


@broken
def two_failures_and_no_success_for_days(s: Scene) -> None:
    s.now = NOW + 4 * DAY
    s.dreamed(s.now - 30 * HOUR, "refused")
    s.dreamed(s.now - 6 * HOUR, "failed")


@broken
def failures_of_all_kinds(s: Scene) -> None:
    for n, outcome in enumerate(("outage", "interrupted", "failed", "locked", "refused")):
        s.dreamed(NOW - (9 - n) * HOUR, outcome)


@broken
def ten_dreams_cut_short(s: Scene) -> None:
    for n in range(10):
        s.dreamed(NOW - (11 - n) * HOUR, "interrupted")


@broken
def three_dreams_that_left_the_same(s: Scene) -> None:
    for n in (9, 6, 3):
        s.dreamed(NOW - n * HOUR, backlog=7)


@broken
def three_dreams_that_passed_over_what_waits(s: Scene) -> None:
    s.house.say(iso(NOW - 25 * HOUR), "The mail relay is called otter.")
    for n, backlog in ((20, 1), (12, 3), (4, 6)):
        s.dreamed(NOW - n * HOUR, backlog=backlog)


@broken
def many_waiting_and_no_dream_for_days(s: Scene) -> None:
    s.now = NOW + 3 * DAY
    s.house.say(iso(NOW), *(f"The service number {n} listens on port {4000 + n}." for n in range(60)))


@broken
def one_note_waiting_for_weeks(s: Scene) -> None:
    s.now = NOW + 15 * DAY
    s.house.say(iso(NOW), "The mail relay is called otter.")


@broken
def a_dead_service_and_one_note_waiting_for_days(s: Scene) -> None:
    s.now = NOW + 4 * DAY
    s.house.say(iso(NOW), "The mail relay is called otter.")
    s.beat(at=NOW)


@broken
def a_dead_service_and_unread_conversations_in_a_new_folder(s: Scene) -> None:
    s.beat(at=NOW - 20 * HOUR)
    s.now = NOW + DAY
    s.transcript("a.jsonl", NOW)


@broken
def a_dead_service_and_a_note_waiting_since_the_morning(s: Scene) -> None:
    s.beat(at=NOW - 10 * HOUR)
    s.house.say(iso(NOW - 8 * HOUR), "The mail relay is called otter.")


@broken
def a_dead_service_and_a_conversation_since_the_morning(s: Scene) -> None:
    s.beat(at=NOW - 10 * HOUR)
    s.transcript("a.jsonl", NOW - 8 * HOUR)


@broken
def a_pause_that_nobody_can_read(s: Scene) -> None:
    (s.home / "paused.json").write_text("{")


@broken
def the_files_of_memories_forgotten(s: Scene) -> None:
    s.sql("DELETE FROM file")


@broken
def the_word_index_emptied(s: Scene) -> None:
    s.sql("DELETE FROM memory_words")


MESSAGES = {
    "opencode": (".local/share/opencode/opencode.db", "CREATE TABLE message (id TEXT, session_id TEXT, data TEXT);"
                 "INSERT INTO message VALUES ('m-1', 's-1', '{}')"),
    "hermes": (".hermes/profiles/work/state.db", "CREATE TABLE messages (id INTEGER PRIMARY KEY, content TEXT);"
               "INSERT INTO messages (content) VALUES ('use pnpm')"),
    "cursor": (".cursor/chats/0f/s-1/store.db", "CREATE TABLE blobs (id TEXT, data BLOB);"
               "INSERT INTO blobs VALUES ('b-1', '{}')"),
    "the_editor": (".config/Cursor/User/globalStorage/state.vscdb", "CREATE TABLE cursorDiskKV (key TEXT UNIQUE, value BLOB);"
                   "INSERT INTO cursorDiskKV VALUES ('bubbleId:c:1', '{}')"),
    "openclaw": (".openclaw/agents/main/agent/main.sqlite", "CREATE TABLE transcript_events (session_id TEXT);"
                 "INSERT INTO transcript_events VALUES ('s-1')"),
}


def database(name: str, *, known: bool, read: int = 0) -> State:
    """A store of conversations that moved after the last dream, and of which a dream before it had read some rows."""
    def made(s: Scene) -> None:
        place, script = MESSAGES[name]
        path = s.person / place
        path.parent.mkdir(parents=True)
        with closing(sqlite3.connect(path)) as base:
            base.executescript(script)
        touch(path, NOW)
        s.beat(at=NOW - 20 * HOUR)
        s.now = NOW + DAY
        if known:
            s.sql(f"INSERT INTO source (id, path, kind, scope, first_seen_at, read_at) VALUES ('x', '{path}', 'any', 'user', "
                  f"'{iso(DREAMED)}', '{iso(DREAMED)}')",
                  f"INSERT INTO cursor (source, offset, size, prefix_bytes, prefix_sha) VALUES ('x', {read}, 0, 0, '')")

    return made


BROKEN |= {f"a_dead_service_and_unread_messages_in_a_database_of_{name}": database(name, known=False) for name in MESSAGES}
BROKEN |= {f"a_dead_service_and_new_messages_in_a_database_of_{name}": database(name, known=True) for name in MESSAGES}
HEALTHY |= {f"a_database_of_{name}_that_moved_and_has_no_new_message": database(name, known=True, read=1) for name in MESSAGES}


@broken
def unread_conversations_while_notes_keep_coming(s: Scene) -> None:
    s.now = NOW + 4 * DAY
    s.transcript("a.jsonl", NOW)
    s.house.say(iso(s.now - HOUR), "The mail relay is called otter.")


@broken
def unread_conversations_of_another_harness(s: Scene) -> None:
    s.now = NOW + 4 * DAY
    s.transcript("rollout-1.jsonl", NOW, ".codex/sessions/2026/03/02")


@broken
def unread_conversations_whose_files_lie_ahead_of_the_clock(s: Scene) -> None:
    path = s.transcript("a.jsonl", NOW)
    touch(path, NOW + 90 * DAY)
    s.now = NOW + 4 * DAY


@broken
def never_dreamed_beside_old_conversations(s: Scene) -> None:
    shutil.rmtree(s.home)
    s.house.say(iso(NOW - 4 * DAY), "The mail relay is called otter.")
    s.transcript("a.jsonl", NOW - 40 * DAY)


@broken
def a_store_founded_days_ago_that_nothing_ever_came_to(s: Scene) -> None:
    shutil.rmtree(s.home)
    with s.house.kit(iso(NOW - 2 * DAY)):
        pass
    s.transcript("a.jsonl", NOW - 5 * HOUR)


@broken
def a_dream_that_was_killed_days_ago(s: Scene) -> None:
    s.now = NOW + 4 * DAY
    s.dreamed(NOW, ended=False)


@broken
def words_to_be_forgotten_that_still_lie_about(s: Scene) -> None:
    s.now = NOW + 4 * DAY
    with closing(open_store(s.house.paths.store)) as store, store.writing() as tx:
        work.write_meta(tx, "forgetting", iso(NOW))


@broken
def held_back_beyond_its_bound_by_a_file_alone(s: Scene) -> None:
    s.now = NOW + 4 * DAY
    s.house.say(iso(NOW), "The mail relay is called otter.")
    (s.home / "deferred.json").write_text(json.dumps({"schema": 1, "since": iso(NOW), "gates": ["battery"]}))


@broken
def a_frozen_service(s: Scene) -> None:
    s.hold("service.lock")
    s.beat(at=NOW - HOUR)


@broken
def a_service_alive_for_hours_that_never_gave_a_sign(s: Scene) -> None:
    s.hold("service.lock", since=NOW - 9 * HOUR)


@broken
def a_service_alive_whose_sign_nobody_can_read(s: Scene) -> None:
    s.hold("service.lock", since=NOW - 9 * HOUR)
    s.house.paths.heartbeat.write_text("{{")


@broken
def a_dream_lock_held_for_hours_without_a_sign(s: Scene) -> None:
    s.hold("dream.lock", since=NOW - 5 * HOUR)


@broken
def a_dream_lock_held_for_days_however_lively(s: Scene) -> None:
    s.hold("dream.lock", since=NOW - 2 * DAY)
    s.beat("cycle", done=5, total=9)


@broken
def a_dream_that_stepped_aside_again_and_again(s: Scene) -> None:
    s.beat("cycle", yields=10)


@broken
def a_store_that_is_older_than_its_last_dream(s: Scene) -> None:
    s.beat("cycle", counters={"epoch": 50})


@broken
def a_dream_under_a_clock_far_ahead(s: Scene) -> None:
    s.dreamed(NOW + 200 * DAY)


# ---- and what is well -------------------------------------------------------------------------------------------


@healthy
def as_it_is(_scene: Scene) -> None:
    pass


@healthy
def looked_at_closely(s: Scene) -> None:
    s.deep = s.reads_a_word = True


@healthy
def just_founded_by_a_note(s: Scene) -> None:
    shutil.rmtree(s.home)
    s.house.say(iso(NOW), "The mail relay is called otter.")


@healthy
def just_founded_beside_old_conversations(s: Scene) -> None:
    shutil.rmtree(s.home)
    s.house.say(iso(NOW), "The mail relay is called otter.")
    for n in range(5):
        s.transcript(f"{n}.jsonl", NOW - (400 - n) * DAY)


@healthy
def founded_and_empty(s: Scene) -> None:
    shutil.rmtree(s.home)
    with s.house.kit(iso(NOW - HOUR)):
        pass


@healthy
def paused(s: Scene) -> None:
    s.now = NOW + 30 * DAY
    s.house.say(iso(NOW), *(f"The service number {n} listens on port {4000 + n}." for n in range(60)))
    pause(s.house.paths, now=NOW)


@healthy
def idle_for_half_a_year(s: Scene) -> None:
    s.now = NOW + 180 * DAY


@healthy
def idle_for_half_a_year_beside_a_service(s: Scene) -> None:
    s.now = NOW + 180 * DAY
    s.hold("service.lock")
    s.beat(state="idle")


@healthy
def a_conversation_that_begins_after_a_long_holiday(s: Scene) -> None:
    s.now = NOW + 20 * DAY
    s.transcript("a.jsonl", s.now - timedelta(minutes=10))


@healthy
def conversations_that_were_there_before_the_last_dream_and_are_none(s: Scene) -> None:
    s.now = NOW + 9 * DAY
    s.transcript("a.jsonl", NOW - 9 * DAY)


@healthy
def what_subagents_wrote(s: Scene) -> None:
    s.now = NOW + 9 * DAY
    s.transcript("a.jsonl", NOW, ".claude/projects/-srv-new/subagents")


@healthy
def sources_that_are_switched_off(s: Scene) -> None:
    s.now = NOW + 9 * DAY
    s.config.write_text("[sources]\nclaude_code = false\n")
    s.transcript("a.jsonl", NOW)


def kept_out(exclude: str = "", ignored_in: str = "", ignored: str = "") -> State:
    """Conversations that a person keeps from being read, and days that passed since."""
    def change(s: Scene) -> None:
        s.now = NOW + 9 * DAY
        work = s.house.root / "clients" / "acme"
        work.mkdir(parents=True)
        path = s.transcript("one.jsonl", NOW)
        path.write_text(json.dumps({**json.loads(path.read_text()), "cwd": str(work / "shop")}) + "\n")
        touch(path, NOW)
        if exclude:
            s.config.write_text(f"[sources]\nexclude = [{json.dumps(exclude.format(root=s.house.root))}]\n")
        if ignored_in:
            place = s.house.root / ignored_in
            place.mkdir(parents=True, exist_ok=True)
            (place / ".dreamignore").write_text(ignored)

    return change


HEALTHY |= {
    "kept_out_by_its_file": kept_out("{root}/somebody/.claude/projects/-srv-new"), "kept_out_by_its_folder": kept_out("-srv-*"),
    "kept_out_by_the_home": kept_out("~/.claude/projects/*/one.jsonl"), "kept_out_by_where_it_was": kept_out("{root}/clients"),
    "kept_out_by_a_part_of_where_it_was": kept_out("clients/acme"), "kept_out_by_its_project": kept_out("project:Acme"),
    "kept_out_by_its_name": kept_out("conversation:one"), "kept_out_by_a_file_there": kept_out("", "clients/acme", ""),
    "kept_out_by_a_file_above": kept_out("", "clients", "acme/\n"),
    "kept_out_by_a_file_beside_it": kept_out("", "somebody/.claude/projects/-srv-new", "*.jsonl\n")}
BROKEN |= {
    "another_project_kept_out": kept_out("project:beacon"), "another_folder_kept_out": kept_out("{root}/clients/beacon"),
    "another_conversation_kept_out": kept_out("conversation:two"),
    "a_file_that_keeps_others_out": kept_out("", "clients", "beacon/")}


@healthy
def a_dream_at_work(s: Scene) -> None:
    s.hold("dream.lock", since=NOW - HOUR)
    s.beat("cycle", done=5, total=9)


@healthy
def a_first_dream_that_takes_hours_and_shows_it(s: Scene) -> None:
    s.hold("dream.lock", since=NOW - 6 * HOUR)
    s.beat("cycle", done=5, total=9)
    s.house.say(iso(NOW), *(f"The service number {n} listens on port {4000 + n}." for n in range(60)))


@healthy
def notes_in_the_inbox_for_seconds(s: Scene) -> None:
    s.left(NOW - timedelta(seconds=20), "The mail relay is called otter.", "The mail relay moved.")
    s.hold("write.lock")


@healthy
def notes_in_the_inbox_overnight_without_a_service(s: Scene) -> None:
    s.left(NOW - 12 * HOUR)


@healthy
def notes_in_the_inbox_while_a_dream_is_at_work(s: Scene) -> None:
    s.left(NOW - 2 * HOUR)
    s.hold("dream.lock", since=NOW - 3 * HOUR)
    s.hold("write.lock")
    s.beat("cycle", done=5, total=9)


@healthy
def notes_in_the_inbox_while_the_battery_is_low(s: Scene) -> None:
    s.left(NOW - 9 * HOUR)
    s.hold("service.lock")
    s.beat(state="waiting", holds=["on battery at 20 %"], due_since=iso(NOW - 9 * HOUR))


@healthy
def a_store_being_written(s: Scene) -> None:
    store = s.held.enter_context(closing(open_store(s.house.paths.store)))
    s.held.enter_context(store.writing())


@healthy
def a_clock_set_back_by_hours(s: Scene) -> None:
    s.house.say(iso(NOW), "The mail relay is called otter.")
    s.now = NOW - 5 * HOUR


@healthy
def a_clock_that_jumped_a_month_ahead(s: Scene) -> None:
    s.now = NOW + 30 * DAY
    s.hold("service.lock")
    s.beat()


@healthy
def a_service_started_a_moment_ago(s: Scene) -> None:
    s.hold("service.lock", since=NOW - timedelta(seconds=20))


@healthy
def a_dream_under_a_clock_far_ahead_and_one_after_it(s: Scene) -> None:
    s.dreamed(NOW + 200 * DAY)
    s.dreamed(NOW - HOUR)


@healthy
def sources_unmounted(s: Scene) -> None:
    s.transcript("a.jsonl", NOW - 27 * HOUR)
    shutil.rmtree(s.person)


@healthy
def switched_off(s: Scene) -> None:
    (s.home / "probe.off").touch()
    shutil.rmtree(s.home / "memory")


@healthy
def a_place_that_only_reads(s: Scene) -> None:
    s.env["DREAM_ROLE"] = "reader"


@healthy
def a_read_only_home(s: Scene) -> None:
    access = os.access
    s.monkeypatch.setattr(os, "access", lambda path, mode, **k: mode != os.W_OK and access(path, mode, **k))


@healthy
def a_home_behind_a_link(s: Scene) -> None:
    s.home.rename(s.house.root / "elsewhere")
    s.home.symlink_to(s.house.root / "elsewhere")


@healthy
def a_home_that_was_copied(s: Scene) -> None:
    shutil.copytree(s.home, s.house.root / "copy")
    shutil.rmtree(s.home)
    (s.house.root / "copy").rename(s.home)


@healthy
def a_failure_that_is_over(s: Scene) -> None:
    for n, outcome in enumerate(("failed", "refused", "failed", "changed")):
        s.dreamed(NOW - (9 - n) * HOUR, outcome)


@healthy
def one_dream_that_refused(s: Scene) -> None:
    s.dreamed(NOW - HOUR, "refused")


@healthy
def dreams_that_were_interrupted_by_day(s: Scene) -> None:
    for n in range(4):
        s.dreamed(NOW - (9 - n) * HOUR, "interrupted")


@healthy
def nights_on_which_some_things_waited(s: Scene) -> None:
    for n in range(4):
        s.dreamed(NOW - (9 - n) * HOUR, "partial")


@healthy
def nights_that_leave_something_for_a_person_to_decide(s: Scene) -> None:
    s.house.say(iso(NOW - 25 * HOUR), "The mail relay is called otter.")
    for n in range(4):
        s.dreamed(NOW - (9 - n) * HOUR, "partial", backlog=1)


@healthy
def a_source_that_cannot_be_read_and_was_set_aside(s: Scene) -> None:
    path = s.transcript("a.jsonl", NOW - 5 * HOUR)
    with closing(open_store(s.house.paths.store)) as store, store.writing() as tx:
        set_asides.write_aside(tx, set_asides.Aside(set_asides.SOURCE, str(path), "IndexError"))


@healthy
def a_dream_killed_a_moment_ago(s: Scene) -> None:
    s.house.say(iso(NOW - HOUR), "The mail relay is called otter.")
    s.dreamed(NOW - timedelta(minutes=1), ended=False)


@healthy
def a_note_edited_by_a_person(s: Scene) -> None:
    page = s.pages[1]
    page.write_text(page.read_text() + "\nAnd so it stays.\n")


@healthy
def a_note_removed_by_a_person(s: Scene) -> None:
    next(p for p in s.pages if p.name != "MEMORY.md").unlink()


@healthy
def a_note_added_by_a_person(s: Scene) -> None:
    (s.index.parent / "mine.md").write_text("The printer hums.\n")


@healthy
def due_and_held_back_for_hours(s: Scene) -> None:
    s.house.say(iso(NOW - 20 * HOUR), *(f"The service number {n} listens on port {4000 + n}." for n in range(60)))
    (s.home / "deferred.json").write_text(json.dumps({"schema": 1, "since": iso(NOW - 8 * HOUR), "gates": ["battery"]}))


@healthy
def a_burst_after_a_quiet_month(s: Scene) -> None:
    s.now = NOW + 30 * DAY
    s.house.say(iso(s.now - 3 * HOUR), *(f"The service number {n} listens on port {4000 + n}." for n in range(60)))


@healthy
def everything_forgotten(s: Scene) -> None:
    for memory in s.house.memories():
        s.house.forget(iso(NOW - HOUR), memory.text)


@healthy
def one_memory_forgotten(s: Scene) -> None:
    s.house.forget(iso(NOW - HOUR), "heron")


@healthy
def the_last_dream_undone(s: Scene) -> None:
    s.house.undo(iso(NOW - HOUR))


@healthy
def something_held_for_a_person(s: Scene) -> None:
    s.house.say(iso(NOW - 3 * HOUR), Said("The door code is on the fridge.", origin=Origin.WEB))
    s.house.dream(iso(NOW - 2 * HOUR))


@healthy
def a_dream_that_changed_what_was_known(s: Scene) -> None:
    s.house.say(iso(NOW - 3 * HOUR), "The billing API now listens on port 9090.", Said("Never push on Fridays.", scope="user"))
    s.house.dream(iso(NOW - 2 * HOUR))
    s.deep = True


@healthy
def settings_that_name_a_team_and_who_belongs_to_it(s: Scene) -> None:
    s.config.write_text('[teams]\nharbour = ["repo-a", "~/src/harbour"]\n')


@healthy
def settings_beyond_their_range_and_a_zone(s: Scene) -> None:
    s.config.write_text('[store]\nzone = "Europe/Berlin"\nbackups_kept = 900\n'
                        '[service]\nnightly_at = "4:30"\nmin_hours = 1e9\n')


@healthy
def a_python_path_that_is_in_nobodys_way(s: Scene) -> None:
    (s.house.root / "lib" / "json").mkdir(parents=True)
    (s.house.root / "lib" / "billing.py").touch()
    s.env["PYTHONPATH"] = str(s.house.root / "lib")


@healthy
def garbage_in_the_inbox_that_was_set_aside(s: Scene) -> None:
    s.house.paths.inbox.mkdir(exist_ok=True)
    (s.house.paths.inbox / "x.bad").write_text("{")


@healthy
def a_service_that_was_killed_where_nothing_came_in_since(s: Scene) -> None:
    s.now = NOW + 30 * DAY
    s.beat(at=NOW)


@healthy
def a_service_killed_a_moment_ago(s: Scene) -> None:
    s.beat(at=NOW - timedelta(minutes=5))
    s.house.say(iso(NOW - HOUR), "The mail relay is called otter.")
    s.transcript("a.jsonl", NOW - timedelta(minutes=90))


@healthy
def a_dead_service_in_whose_place_a_person_dreams(s: Scene) -> None:
    s.beat(at=NOW - 9 * DAY)
    s.house.say(iso(NOW - 5 * HOUR), "The mail relay is called otter.")


# ---- a quiet weekend --------------------------------------------------------------------------------------------

MONDAY = NOW + 63 * HOUR
"""NOW is Friday evening: the lid is closed, and opened again on Monday morning."""


def conversation(s: Scene, *, read: bool = True, folder: str = "-srv-known", name: str = "a.jsonl",
                 said: datetime = DREAMED - HOUR) -> Path:
    """A conversation, read to its end by the last dream or never."""
    path = s.transcript(name, said, f".claude/projects/{folder}")
    if read:
        s.sql(f"INSERT INTO source (id, path, kind, scope, first_seen_at, read_at, lines, prompts) VALUES "
              f"('{name}', '{path}', 'claude-code', 'user', '{iso(said)}', '{iso(DREAMED)}', 1, 1)",
              f"INSERT INTO cursor (source, offset, size, prefix_bytes, prefix_sha) VALUES "
              f"('{name}', {path.stat().st_size}, {path.stat().st_size}, 0, '')")
    return path


def over_the_weekend(s: Scene, how: str) -> None:
    """Who was there between Friday evening and Monday morning."""
    s.now = MONDAY
    if how == "asleep":
        s.hold("service.lock")
        s.beat(awake_since=iso(MONDAY - HOUR / 2), state="idle")
    elif how == "killed":
        s.beat(at=NOW)


def only_touched(s: Scene) -> None:
    touch(conversation(s), NOW)


def only_touched_and_never_read(s: Scene) -> None:
    touch(conversation(s, read=False), NOW)


def read_and_in_another_folder(s: Scene) -> None:
    path = conversation(s)
    to = path.parent.with_name("-srv-renamed") / path.name
    to.parent.mkdir()
    touch(path.rename(to), NOW)


def copied_back_from_a_backup(s: Scene) -> None:
    path = conversation(s)
    body = path.read_bytes()
    path.unlink()
    path.write_bytes(body)
    touch(path, NOW)


def named_by_its_harness(s: Scene) -> None:
    path = conversation(s)
    with path.open("a") as stream:
        stream.write(json.dumps({"type": "summary", "summary": "Deploying from the release branch"}) + "\n")
    touch(path, NOW)


QUIET: dict[str, State] = {state.__name__: state for state in (
    only_touched, only_touched_and_never_read, read_and_in_another_folder, copied_back_from_a_backup, named_by_its_harness)}


def at_rest(state: State, how: str) -> State:
    def made(s: Scene) -> None:
        state(s)
        over_the_weekend(s, how)

    return made


HEALTHY |= {f"a_conversation_{name}_and_a_service_{how}_over_the_weekend": at_rest(state, how)
            for name, state in QUIET.items() for how in ("asleep", "killed", "never_there")}
HEALTHY |= {f"{name}_on_friday_and_a_service_that_slept": at_rest(state, "asleep") for name, state in {
    "said": lambda s: s.transcript("a.jsonl", NOW),
    "said_beside_what_was_read": lambda s: (conversation(s), conversation(s, name="b.jsonl", read=False, said=NOW)),
    "a_note": lambda s: s.house.say(iso(NOW), "The mail relay is called otter."),
    "many_notes": lambda s: s.house.say(iso(NOW - 20 * HOUR), *(f"The service {n} listens on {4000 + n}." for n in range(60))),
    "a_note_in_the_inbox": lambda s: s.left(NOW),
    "a_dream_killed": lambda s: s.dreamed(NOW - 12 * HOUR, ended=False),
    "a_dream_begun": lambda s: (s.hold("dream.lock", since=NOW), s.beat("cycle", at=MONDAY)),
}.items()}
BROKEN |= {f"said_on_friday_and_a_service_{how}": at_rest(lambda s: s.transcript("a.jsonl", NOW), how)
           for how in ("killed", "never_there")}


@broken
def a_service_awake_for_hours_after_the_weekend_and_a_conversation_of_friday(s: Scene) -> None:
    s.transcript("a.jsonl", NOW)
    over_the_weekend(s, "asleep")
    s.beat(awake_since=iso(MONDAY - 2 * HOUR), state="idle")


@broken
def a_service_awake_for_a_day_and_notes_of_last_week(s: Scene) -> None:
    s.house.say(iso(NOW), *(f"The service number {n} listens on port {4000 + n}." for n in range(60)))
    s.hold("service.lock")
    s.now = NOW + 5 * DAY
    s.beat(awake_since=iso(s.now - DAY), state="idle")


@broken
def a_dead_service_and_a_conversation_that_went_on_in_another_folder(s: Scene) -> None:
    read_and_in_another_folder(s)
    path = s.person / ".claude/projects/-srv-renamed/a.jsonl"
    with path.open("a") as stream:
        said = {"role": "user", "content": "the release branch is frozen"}
        stream.write(json.dumps({"type": "user", "message": said, "timestamp": iso(NOW)}) + "\n")
    touch(path, NOW)
    over_the_weekend(s, "killed")


# ---- the claims -------------------------------------------------------------------------------------------------


def test_there_are_enough_states() -> None:
    assert len(BROKEN) >= 45 and len(HEALTHY) >= 20


@pytest.mark.parametrize("name", sorted(BROKEN))
def test_a_broken_home_is_never_called_healthy(scene: Scene, name: str) -> None:
    BROKEN[name](scene)
    seen = scene.ask()
    assert (seen.code, seen.hint != "") in ((1, True), (2, True)), (seen.verdict, seen.reason)


@pytest.mark.parametrize("name", sorted(HEALTHY))
def test_a_healthy_home_is_never_called_broken(scene: Scene, name: str) -> None:
    HEALTHY[name](scene)
    seen = scene.ask()
    assert seen.code == 0, (seen.verdict, seen.reason)


def test_a_service_that_has_only_just_woken_up_is_not_frozen(scene: Scene) -> None:
    scene.hold("service.lock")
    slept, here = 63 * 3600.0, time.clock_gettime(time.CLOCK_BOOTTIME)
    scene.beat(boot_s=here - slept - 60, awake_s=time.monotonic() - 60, at=NOW - 63 * HOUR)
    world = probe.World(home=str(scene.home), now=NOW, env={"HOME": str(scene.person)}, config=str(scene.config), fixed=False,
                        deep=False)
    assert vital_signs.check_pulse(world).verdict == "healthy"
    assert vital_signs.awake_since(world) == NOW
    scene.beat(boot_s=here - slept, awake_s=time.monotonic() - slept, at=NOW - 63 * HOUR)
    assert vital_signs.check_pulse(world).verdict == "frozen"


def test_what_the_probe_expects_in_a_store_is_what_a_store_has(well: House) -> None:
    """Whoever adds a table or a column adds it to `integrity.SHAPE_SINCE`, by the schema that brought it."""
    with closing(sqlite3.connect(well.paths.store)) as db:
        assert integrity.fault_of_shape(db, schema.VERSION) == ""
        tables = {row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    assert {t for t in tables if not t.startswith(("memory_words_", "sqlite_"))} == set(integrity.shape_of(schema.VERSION))


def test_the_seals_are_reckoned_as_the_store_reckons_them(well: House) -> None:
    with closing(sqlite3.connect(f"file:{well.paths.store}?mode=ro", uri=True)) as db:
        assert integrity.fault_of_pages(db, schema.VERSION) == ""


def test_a_time_in_the_name_of_an_inbox_file_counts_and_not_the_time_of_the_disk(scene: Scene) -> None:
    scene.left(NOW - 40 * DAY)
    assert scene.ask().oldest == NOW - 40 * DAY


def test_an_empty_store_is_not_opened_for_that_would_take_its_log_away(scene: Scene) -> None:
    log = scene.home / "dream.db-wal"
    log.write_bytes(b"what was said last")
    scene.house.paths.store.write_bytes(b"")
    seen = scene.ask()
    assert (seen.code, "dream restore-store" in seen.hint, "dream init --new" in seen.hint) == (2, True, True)
    assert log.read_bytes() == b"what was said last"


def test_what_waits_in_the_inbox_is_counted(scene: Scene) -> None:
    scene.left(NOW - timedelta(minutes=1), "The mail relay is called otter.", "The cache lives for ten minutes.")
    scene.house.say(iso(NOW), "The proxy is called newt.")
    assert scene.ask().document()["waiting"] == 3



# ---- and nobody else says otherwise -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["memory_gone", "three_failed_dreams", "locks_a_file", "one_note_in_the_inbox_for_days",
                                  "words_changed", "as_it_is", "paused"])
def test_status_says_what_the_probe_says(scene: Scene, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    {**BROKEN, **HEALTHY}[name](scene)
    scene.monkeypatch.setenv("HOME", str(scene.person))
    scene.config.write_text("")
    seen = scene.ask()
    words = ["--home", str(scene.home), "--config", str(scene.config), "--now", iso(scene.now), "status"]
    assert main([*words, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["health"]
    assert told == {"verdict": seen.verdict, "healthy": seen.code == 0, "reason": seen.reason, "hint": seen.hint or None}
    main(words)
    shown = bare_commands(capsys.readouterr().out)
    assert "health" in shown and seen.verdict in shown
    assert f"{seen.verdict}: {seen.reason}" in shown or seen.verdict == "healthy"
    assert (bool(seen.hint) and seen.hint in shown) == (seen.code > 0)


@pytest.mark.parametrize(("text", "named"), [('[store]\nzone = "Mars/Phobos"\n', "Mars/Phobos"),
                                             ('[service]\nnightly_at = "25:99"\n', "nightly_at")])
def test_the_check_that_the_probe_names_finds_what_the_probe_found(scene: Scene, text: str, named: str,
                                                                  capsys: pytest.CaptureFixture[str]) -> None:
    scene.config.write_text(text)
    assert "dream config check" in scene.ask().hint
    assert main(["--home", str(scene.home), "--config", str(scene.config), "config", "check"]) == 78
    assert named in capsys.readouterr().err


@pytest.mark.parametrize("name", ["memory_gone", "a_scope_gone", "an_index_gone_from_the_disk", "all_notes_gone"])
def test_what_the_hint_names_mends_it(scene: Scene, name: str) -> None:
    BROKEN[name](scene)
    assert "dream check --repair" in scene.ask().hint
    assert main(["--home", str(scene.home), "--now", iso(scene.now), "-q", "check", "--repair"]) == 0
    assert scene.ask().verdict == "healthy"
