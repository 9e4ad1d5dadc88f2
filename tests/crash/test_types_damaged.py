"""One flipped bit makes bytes or a number of words in a row: every look at it says so, none shows it or ends in a traceback."""

from __future__ import annotations

import contextlib
import io
import re
import shutil
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
import scenario

from dreamd.cli import main as command_line
from dreamd.core.errors import Corrupt
from dreamd.store.presence.sound_rows import known_types
from household import House

NOW = "2026-02-06T20:00:00Z"
COLUMNS = """SELECT t.name, c.name FROM sqlite_master t JOIN pragma_table_info(t.name) c
             WHERE t.type = 'table' AND c.type = 'TEXT' AND t.name NOT LIKE 'memory_words%' AND t.name NOT LIKE 'sqlite%'"""
TURNED = {"bytes": 'CAST("{0}" AS BLOB)', "a number": "7", "nothing": "NULL"}
OF_ONE = {"memory": "id = '{0}'", "wording": "sha = (SELECT wording FROM memory WHERE id = '{0}')", "fate": "memory = '{0}'",
          "observation": "seq = (SELECT MAX(observation) FROM support WHERE memory = '{0}')", "operation": "memory = '{0}'",
          "support": "memory = '{0}'", "file": "memory = '{0}'", "run": "seq = (SELECT MAX(seq) FROM run)",
          "vector": "wording = (SELECT wording FROM memory WHERE id = '{0}')", "meta": "key = 'created_at'"}
"""The rows that a look at one memory comes by."""
LOOKS = (("list", "--all", "--json"), ("show", "{0}", "--json"), ("explain", "{0}", "--json"), ("status", "--json"),
         ("diff", "{1}"))


@pytest.fixture(scope="module")
def slept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """A home after the night of the scenario, with something that waits."""
    house = scenario.prepare(tmp_path_factory.mktemp("types"))
    scenario.dream(house)
    house.say(scenario.NIGHT, "The north gate of cedar is painted green.")
    yield house
    shutil.rmtree(house.root)


def turn(store: Path, table: str, column: str, into: str, where: str) -> int:
    """Do what a bit in the head of a row does: the value has another type, whatever its column asks for."""

    def reshape(sql: str) -> None:
        with closing(sqlite3.connect(store, isolation_level=None)) as base:
            base.execute("PRAGMA writable_schema = ON").fetchall()
            (version,) = base.execute("PRAGMA schema_version").fetchone()
            base.execute("UPDATE sqlite_master SET sql = ? WHERE name = ? AND type = 'table'", (sql, table))
            base.execute(f"PRAGMA schema_version = {version + 1}").fetchall()

    with closing(sqlite3.connect(store)) as base:
        (shape,) = base.execute("SELECT sql FROM sqlite_master WHERE name = ? AND type = 'table'", (table,)).fetchone()
    reshape(re.sub(r"\bTEXT\b|\bNOT NULL\b", "", shape))
    try:
        with closing(sqlite3.connect(store, isolation_level=None)) as base, contextlib.suppress(sqlite3.IntegrityError):
            return base.execute(f'UPDATE "{table}" SET "{column}" = {into.format(column)} WHERE {where}').rowcount
        return 0  # the key of a table without numbers is never nothing
    finally:
        reshape(shape)


def told(house: House, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> tuple[int, str]:
    """How a command ends, and what it says."""
    streams = [io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2)]
    monkeypatch.setattr(sys, "stdout", streams[0])
    monkeypatch.setattr(sys, "stderr", streams[1])
    try:
        code = command_line._run(["--home", str(house.home), "--now", NOW, *words])
    finally:
        monkeypatch.undo()
    for stream in streams:
        stream.seek(0)
    return code, "".join(stream.read() for stream in streams)


@pytest.mark.parametrize("every", [5, pytest.param(1, marks=pytest.mark.slow)])
def test_the_check_sees_every_word_that_is_none_any_more(slept: House, tmp_path: Path, every: int) -> None:
    memory, unseen, tried = slept.memory("8081").id, [], 0
    for n, (table, column) in enumerate(slept.rows(COLUMNS)[::every]):
        house = slept.copy_to(tmp_path / "turned")
        where = f'"{column}" IS NOT NULL AND {OF_ONE.get(str(table), "1").format(memory)}'
        if turn(house.paths.store, str(table), str(column), list(TURNED.values())[n % 2], where) > 0:
            tried += 1
            with contextlib.suppress(Corrupt):  # it could not even begin, and said so
                unseen += [(table, column)] if not house.faults(NOW) else []
        shutil.rmtree(house.root)
    assert tried > 70 / every
    assert unseen == []


@pytest.mark.parametrize("kind", TURNED)
@pytest.mark.parametrize("place", ["memory.reason", "memory.file", "memory.id", "memory.status", "observation.text",
                                   "observation.target", "wording.text", "meta.value", "operation.reason", "run.id"])
def test_no_look_shows_a_row_that_dream_never_wrote_or_ends_in_a_traceback(
        slept: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str, kind: str) -> None:
    table, column = place.split(".")
    house, memory = slept.copy_to(tmp_path / "turned"), slept.memory("8081").id
    assert turn(house.paths.store, table, column, TURNED[kind], OF_ONE[table].format(memory)) > 0
    run, before = slept.rows("SELECT id FROM run ORDER BY seq DESC")[0][0], house.paths.store.read_bytes()
    answers = [told(house, tuple(word.format(memory, run) for word in words), monkeypatch) for words in LOOKS]
    assert {code for code, _ in answers} <= {0, Corrupt.exit_code}, answers
    assert Corrupt.exit_code in {code for code, _ in answers}
    assert not [said for _, said in answers if "unforeseen" in said or "b'" in said]
    assert all(" check" in said or "restore-store" in said for code, said in answers if code)
    assert house.paths.store.read_bytes() == before


def test_every_name_of_a_column_means_one_type_in_all_tables() -> None:
    assert [name for name, types in known_types().items() if len(types - {type(None)}) > 1] == []
