"""A tenant is not read whole each hour: a table found sound is read again when something changed it, or after a day."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest

from dreamd.core.errors import Corrupt
from dreamd.store import checks
from dreamd.store.team import team_seals, word_ranks
from dreamd.store.team.database import Database
from dreamd.store.team.shape import wanted
from household import House, Said
from team_server import Server

NOON, NIGHT, LATER = "2026-01-06T12:00:00Z", "2026-01-06T20:00:00Z", "2026-01-07T20:00:00Z"
SAID = tuple(Said(f"The crane {n} of cedar lifts {n * 3} tons.", conversation=f"c{n}") for n in range(12))


@pytest.fixture
def lived(team_house: House) -> House:
    """A tenant that was dreamt over and looked at."""
    team_house.say(NOON, *SAID)
    team_house.dream(NIGHT)
    look(team_house)
    return team_house


def look(house: House) -> None:
    with house.kit(LATER) as kit:
        checks.refuse_if_unsound(kit.store)


def due(house: House) -> set[str]:
    with house.kit(LATER) as kit:
        return set(team_seals.find_due(kit.store.base))  # type: ignore[attr-defined]


@contextmanager
def another_program(server: Server) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(server.url("worker")) as other:
        other.execute("SELECT set_config('dream.tenant', %s, true)", (server.tenants[-1],))
        yield other


def age(server: Server, hours: int) -> None:
    with another_program(server) as other:
        other.execute("UPDATE dream.seal SET looked_at = looked_at - make_interval(hours => %s)", (hours,))


def test_the_first_look_reads_everything_and_the_next_one_nothing(team_house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    team_house.say(NOON, *SAID)
    assert due(team_house) == {*wanted(), team_seals.WORD_INDEX}
    look(team_house)
    assert due(team_house) == set()
    asked: list[str] = []
    ask = Database.ask
    monkeypatch.setattr(Database, "ask", lambda base, said, values=(): asked.append(said) or ask(base, said, values))
    look(team_house)
    assert asked and not [one for one in asked if "row_hash" in one or "FROM memory" in one]


def test_what_dream_writes_itself_makes_nothing_due(lived: House) -> None:
    lived.say(LATER, Said("The gate of cedar is painted green."))
    lived.dream(LATER)
    assert due(lived) == set()


@pytest.mark.parametrize("change", ["UPDATE dream.memory SET pinned = 1", "DELETE FROM dream.support",
                                    "INSERT INTO dream.tombstone SELECT 'x', 'y', 'z'"],
                         ids=["changed", "taken out", "put in"])
def test_what_another_program_changes_is_seen_at_the_next_look(lived: House, server: Server, change: str) -> None:
    table = change.split("dream.")[1].split()[0]
    if table == "tombstone":
        columns = [c.name for c in wanted()[table].columns]
        change = f"INSERT INTO dream.tombstone ({', '.join(columns)}) VALUES ({', '.join(['1'] * len(columns))})"
    with another_program(server) as other:
        other.execute("SET LOCAL search_path = pg_catalog, dream")
        other.execute(change)
    assert due(lived) == {table}
    with pytest.raises(Corrupt, match=f"`{table}` is not what dream wrote"):
        look(lived)
    assert due(lived) == {table}, "and it stays so until somebody mends it"


def test_within_a_day_everything_is_read_again_and_not_all_in_one_hour(lived: House, server: Server) -> None:
    age(server, 17)
    assert due(lived) == set()
    shares = []
    for _ in range(7):
        age(server, 1)
        shares.append(len(due(lived)))
    every = len(wanted()) + 1
    assert shares == sorted(shares) and shares[-1] == every
    assert max(now - before for before, now in zip([0, *shares], shares, strict=False)) < every


def test_a_word_that_is_missing_in_the_index_is_seen_when_it_is_due(lived: House, server: Server,
                                                                    monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word_ranks, "AT_ONCE", 5)
    with lived.kit(LATER) as kit:
        assert checks.stale_words(kit.store) == 0
    with another_program(server) as other:
        other.execute("DELETE FROM dream.memory_words WHERE memory IN (SELECT seq FROM dream.memory ORDER BY seq LIMIT 2)")
        other.execute("UPDATE dream.memory_words SET memory = 100000 WHERE memory = (SELECT max(seq) FROM dream.memory)")
    with lived.kit(LATER) as kit:
        assert checks.stale_words(kit.store) == 4
    age(server, 24)
    with pytest.raises(Corrupt, match="word index"):
        look(lived)
    with lived.kit(LATER) as kit:
        assert checks.stale_words(kit.store) == 4


def test_a_database_that_counts_no_changes_is_read_whole_each_time(lived: House, server: Server) -> None:
    server.ask("ALTER TABLE dream.seal DROP COLUMN looked_at")
    try:
        assert due(lived) == {*wanted(), team_seals.WORD_INDEX}
        look(lived)
    finally:
        server.ask("ALTER TABLE dream.seal ADD COLUMN looked_at timestamptz")
