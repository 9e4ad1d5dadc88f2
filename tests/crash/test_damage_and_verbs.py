"""A person's verbs and a damaged store: refused before anything is built on it, and what was noted waits in the inbox."""

from __future__ import annotations

import signal
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from dreamd.cli.main import main
from dreamd.dream import going_back
from dreamd.store import backups
from household import FIRST_NIGHT, House, Said, snapshot

CORRUPT = 13
VERBS = ("pin ID", "unpin ID", "restore ID", "review ID drop", "forget ID --yes", "ingest DIR", "attach DIR --yes",
         "detach DIR", "scope map", "undo", "check --secrets --repair", "consolidate")


@pytest.fixture
def damaged(house: House) -> Iterator[House]:
    """A home with a memory too few in its store, and a copy from before."""
    house.say(FIRST_NIGHT, Said("The queue is called alpha-9."), Said("Always use tabs in Makefiles."))
    house.dream(FIRST_NIGHT)
    with house.kit(FIRST_NIGHT) as kit:
        backups.back_up(kit.store.connection, kit.paths, now=kit.clock.now(), keep=4, why="test")
    before = signal.getsignal(signal.SIGTERM)
    yield house
    signal.signal(signal.SIGTERM, before)


def spoil(house: House, statement: str) -> None:
    with closing(sqlite3.connect(house.paths.store)) as connection:
        connection.execute(statement)
        connection.commit()


def test_every_verb_refuses_a_damaged_store_and_changes_nothing(damaged: House, tmp_path: Path,
                                                                 capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "MEMORY.md").write_text("# Memory\n\n- The quay is closed on Mondays.\n")
    named = damaged.memory("queue").id
    spoil(damaged, "DELETE FROM memory WHERE wording IN (SELECT sha FROM wording WHERE text LIKE '%tabs%')")
    before = snapshot(damaged.home)
    for verb in VERBS:
        words = verb.replace("ID", named).replace("DIR", str(tmp_path / "kept")).split()
        assert main(["--home", str(damaged.home), "--now", FIRST_NIGHT, *words]) == CORRUPT, verb
        assert "damaged" in (told := capsys.readouterr().err) and "hint: " in told, verb
        assert snapshot(damaged.home) == before, verb


def test_a_note_into_a_store_with_a_table_gone_waits_in_the_inbox(damaged: House, capsys: pytest.CaptureFixture[str]) -> None:
    spoil(damaged, "DROP TABLE memory")
    assert main(["--home", str(damaged.home), "--now", FIRST_NIGHT, "note", "Pier 17 has four cranes."]) == CORRUPT
    assert "waits in the inbox" in capsys.readouterr().err
    assert [*damaged.paths.inbox.iterdir()]
    going_back.restore_store(damaged.world(FIRST_NIGHT))
    damaged.dream(FIRST_NIGHT)
    assert damaged.memory("cranes").text == "Pier 17 has four cranes."
