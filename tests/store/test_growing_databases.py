"""Agents that keep conversations in a database: what they say is seen while it still lies in the journal beside the file."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from dreamd.core.settings import ExtractionSettings, ServiceSettings
from dreamd.service import memo
from dreamd.service.gating import gates
from dreamd.service.gating.due import judge_due
from dreamd.service.gating.watch import QUIET_END_S, Ledger, Watcher
from dreamd.service.memo import Memo
from dreamd.sources import SourceRoots, stores_below
from dreamd.store import observations
from dreamd.store.connection import open_reader
from household import House

MORNING, EVENING, TOMORROW = "2026-09-14T09:00:00Z", "2026-09-14T20:00:00Z", "2026-09-15T20:00:00Z"
BEGAN = 1_789_549_200
"""The morning after, a whole second: what a clock of the disk rounds would come back as another time now and then."""


class Agent:
    """Hermes at work: a state that stays open, so that what is new stays in its journal."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True)
        self.path = path
        self.base = sqlite3.connect(path)
        self.base.executescript("""
            PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA wal_autocheckpoint = 0;
            CREATE TABLE sessions (id TEXT PRIMARY KEY, source TEXT, parent_session_id TEXT, cwd TEXT);
            CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT, role TEXT, content TEXT,
                                   timestamp REAL);
            INSERT INTO sessions VALUES ('h-1', 'cli', NULL, '/srv/otter');""")
        self.base.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self.minutes = 0
        os.utime(path, (BEGAN, BEGAN))

    def hears(self, words: str) -> None:
        self.base.execute("INSERT INTO messages (session_id, role, content, timestamp) VALUES ('h-1', 'user', ?, 1789376400)",
                          (words,))
        self.base.commit()
        # Times of files are as coarse as a tick of the clock, and a test is quicker than that.
        self.minutes += 1
        journal = self.path.with_name(self.path.name + "-wal")
        at = BEGAN + 60 * self.minutes
        os.utime(journal, (at, at))

    @property
    def now(self) -> datetime:
        return datetime.fromtimestamp(BEGAN, UTC) + timedelta(minutes=self.minutes)


@pytest.fixture
def agent(house: House) -> Iterator[Agent]:
    hermes = Agent(house.person / ".hermes" / "state.db")
    with closing(hermes.base):
        yield hermes


def heard(house: House) -> set[str]:
    with house.kit(TOMORROW) as kit:
        return {str(row["text"]) for row in kit.store.all("SELECT text FROM observation")}


def test_what_lies_in_the_journal_of_a_database_is_read_by_the_next_dream(house: House, agent: Agent) -> None:
    agent.hears("We always water the ferns on Mondays.")
    house.dream(EVENING)
    before = (agent.path.stat().st_mtime_ns, agent.path.stat().st_size)
    agent.hears("Never prune the roses in spring.")
    assert (agent.path.stat().st_mtime_ns, agent.path.stat().st_size) == before
    house.dream(TOMORROW)
    assert any("roses" in text for text in heard(house))


def test_a_database_that_did_not_move_is_not_opened_again(house: House, agent: Agent) -> None:
    agent.hears("We always water the ferns on Mondays.")
    assert house.dream(EVENING).phases["gather"]["read"] == 1
    assert house.dream(TOMORROW).phases["gather"]["read"] == 0


def test_a_database_that_moved_for_nothing_that_concerns_dream_is_not_told_of_for_ever(house: House, agent: Agent) -> None:
    agent.hears("We always water the ferns on Mondays.")
    house.dream(EVENING)
    at = agent.path.stat().st_mtime + 3600
    os.utime(agent.path.with_name(agent.path.name + "-wal"), (at, at))
    with closing(open_reader(house.paths.store)) as store:
        assert gates.moved_sources(store).unread == (agent.path,)
    house.dream(TOMORROW)
    with closing(open_reader(house.paths.store)) as store:
        assert gates.moved_sources(store).unread == ()


def test_the_gates_count_a_database_that_moved_as_a_conversation_with_something_new(house: House, agent: Agent) -> None:
    agent.hears("We always water the ferns on Mondays.")
    house.dream(EVENING)
    rules = ServiceSettings(volume_sessions=1, min_hours=0)
    with closing(open_reader(house.paths.store)) as store:
        assert gates.moved_sources(store).unread == ()
        agent.hears("Never prune the roses in spring.")
        moved = gates.moved_sources(store)
        assert moved.unread == (agent.path,) and moved.last_at == agent.now
        assert observations.count_pending(store)[0] == 0
        assert judge_due(gates.load_backlog(store, unread_sources=len(moved.unread)), rules, now=agent.now).due


def test_the_service_sees_a_database_move_and_extracts_it_when_it_fell_silent(house: House, agent: Agent) -> None:
    agent.hears("We always water the ferns on Mondays.")
    house.dream(EVENING)
    ledger = Ledger(ExtractionSettings())
    ledger.learn(dict(memo.read_memo(house.world(EVENING), Memo()).taken))
    assert not ledger.look(agent.path, now=agent.now) and ledger.unread() == 0
    agent.hears("Never prune the roses in spring.")
    assert ledger.look(agent.path, now=agent.now)
    assert ledger.unread() == 1 and ledger.last_moved_at() == agent.now
    assert ledger.take_due(agent.now) == []
    silent = agent.now + timedelta(seconds=QUIET_END_S)
    assert ledger.take_due(silent) == [agent.path]
    house.dream(TOMORROW)
    ledger.learn(dict(memo.read_memo(house.world(EVENING), Memo()).taken))
    assert ledger.unread() == 0


def test_a_database_that_nobody_read_yet_is_something_new(agent: Agent) -> None:
    agent.hears("We always water the ferns on Mondays.")
    ledger = Ledger(ExtractionSettings())
    assert stores_below(SourceRoots(hermes_dirs=(agent.path.parent,))) == [agent.path]
    assert ledger.look(agent.path, now=agent.now) and ledger.unread() == 1


def test_the_databases_of_every_harness_that_has_one_are_known(tmp_path: Path) -> None:
    places = [tmp_path / place for place in (
        "opencode/opencode.db", ".openclaw/agents/main/agent/openclaw-agent.sqlite", ".cursor/chats/w/c/store.db",
        ".config/Cursor/User/globalStorage/state.vscdb", ".hermes/state.db", ".hermes/profiles/work/state.db")]
    for path in places:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    roots = SourceRoots(opencode_dirs=(tmp_path / "opencode",), openclaw_dirs=(tmp_path / ".openclaw",),
                        cursor_dirs=(tmp_path / ".cursor",), hermes_dirs=(tmp_path / ".hermes",))
    assert set(stores_below(roots)) == set(places)


def test_that_an_editor_writes_down_what_it_remembers_is_no_agent_at_work(tmp_path: Path) -> None:
    path = tmp_path / "state.vscdb"
    path.write_bytes(b"x")
    ledger = Ledger(ExtractionSettings())
    assert ledger.look(path, now=datetime.now(UTC))
    assert ledger.unread() == 1 and ledger.last_moved_at() is None


def test_a_file_event_of_a_journal_tells_of_its_database(tmp_path: Path) -> None:
    root = tmp_path / "agents"
    root.mkdir()
    known = root / "openclaw-agent.sqlite"
    watcher = Watcher([root], stores=[known])
    if not watcher.live:
        pytest.skip("no file events on this platform")
    touched: set[Path] = set()
    end = time.monotonic() + 60
    while not touched and time.monotonic() < end:
        # Again and again: an event may fall into the moment in which somebody looks, and the slow look is for those.
        (root / "other.sqlite").touch()
        (root / "openclaw-agent.sqlite-wal").touch()
        time.sleep(0.05)
        touched = watcher.take_touched()
    assert touched == {known}


def test_what_is_said_again_in_another_conversation_of_a_database_counts_as_said_again(house: House, agent: Agent) -> None:
    for number in (2, 3):
        agent.base.execute("INSERT INTO sessions VALUES (?, 'cli', NULL, '/srv/otter')", (f"h-{number}",))
    for number in (1, 2, 3):
        agent.base.execute("INSERT INTO messages (session_id, role, content, timestamp) VALUES (?, 'user', ?, ?)",
                           (f"h-{number}", "We always water the ferns on Mondays.", 1789376400 + number))
    agent.base.commit()
    house.dream(EVENING)
    assert house.memory("ferns").support == 3


def test_a_word_in_one_conversation_of_a_database_answers_no_question_of_another(house: House, agent: Agent) -> None:
    agent.base.execute("INSERT INTO sessions VALUES ('h-2', 'cli', NULL, '/srv/otter')")
    for session, role, text in (("h-1", "user", "We always water the ferns on Mondays."),
                                ("h-2", "user", "Sorry, that was a joke, forget it.")):
        agent.base.execute("INSERT INTO messages (session_id, role, content, timestamp) VALUES (?, ?, ?, 1789376400)",
                           (session, role, text))
    agent.base.commit()
    house.dream(EVENING)
    assert house.memory("ferns").support == 1
