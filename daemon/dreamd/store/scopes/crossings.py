"""The rows that go from one scope into another beside memories, and how the journal remembers them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dreamd.core.values import Clue, Scope
from dreamd.store.connection import LISTED, Store, listed
from dreamd.store.observations import mark_left
from dreamd.store.presence.sound_rows import stored_scope
from dreamd.store.scopes import projects
from dreamd.store.work import mark_unwritten


@dataclass(frozen=True)
class Rows:
    """Numbers of observations, ids of sources, what projects are known by, and names of a person's own files."""

    observations: tuple[int, ...] = ()
    sources: tuple[str, ...] = ()
    known: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


def load_rows(store: Store, scope: Scope) -> Rows:
    """Everything of a scope beside its memories."""
    return Rows(tuple(r["seq"] for r in store.all("SELECT seq FROM observation WHERE scope = ? ORDER BY seq", str(scope))),
                tuple(r["id"] for r in store.all("SELECT id FROM source WHERE scope = ? ORDER BY id", str(scope))),
                tuple(k.identity for k in projects.load_known(store) if k.scope == scope))


def load_said_of(store: Store, ids: Sequence[str], scope: Scope) -> list[int]:
    """The numbers of the observations of a scope that carry some memories, or whose fate names one."""
    return [r["seq"] for r in store.all(
        f"""SELECT o.seq FROM observation o WHERE o.scope = ? AND o.seq IN (
              SELECT observation FROM support WHERE memory IN {LISTED}
              UNION SELECT observation FROM fate WHERE memory IN {LISTED}) ORDER BY o.seq""",
        str(scope), listed(ids), listed(ids))]


def load_tied(store: Store, ids: Sequence[str]) -> list[str]:
    """Memories with all their versions and all that rest on the same statements: what can only be in one scope together."""
    found: set[str] = set()
    fresh = set(ids)
    while fresh:
        found |= fresh
        near: set[str] = set()
        for one in sorted(fresh):
            near.update(r["id"] for r in store.all(
                """SELECT superseded_by AS id FROM memory WHERE id = ?1 AND superseded_by <> ''
                   UNION SELECT id FROM memory WHERE superseded_by = ?1
                   UNION SELECT s.memory FROM support s JOIN support t ON t.observation = s.observation WHERE t.memory = ?1""",
                one))
        fresh = near - found
    return sorted(found)


def move_rows(tx: sqlite3.Connection, rows: Rows, source: Scope, target: Scope) -> None:
    """Give rows of one scope to another; what has left it meanwhile stays where it is."""
    old, new = str(source), str(target)
    for table, column, some in (("observation", "seq", rows.observations), ("source", "id", rows.sources)):
        tx.executemany(f"UPDATE {table} SET scope = ? WHERE {column} = ? AND scope = ?", ((new, one, old) for one in some))
    projects.repoint(tx, rows.known, source, target)
    for scope in (old, new):
        mark_unwritten(tx, scope)
        mark_left(tx, scope)


def pack(source: Scope, target: Scope, rows: Rows) -> tuple[str, ...]:
    """A crossing as the journal keeps it: no words, only where and which."""
    return (f"from {source}", f"to {target}", "statements " + ",".join(_ranges(rows.observations)),
            "sources " + ",".join(rows.sources), *(f"known {k}" for k in rows.known), *(f"file {f}" for f in rows.files))


def unpack(evidence: Sequence[Clue]) -> tuple[Scope, Scope, Rows]:
    """The crossing that the journal kept."""
    told = [line.partition(" ")[::2] for line in evidence if isinstance(line, str)]
    one = dict(told)
    seqs = [part.partition("-")[::2] for part in one.get("statements", "").split(",") if part]
    return stored_scope(one["from"]), stored_scope(one["to"]), Rows(
        tuple(n for low, high in seqs for n in range(int(low), int(high or low) + 1)),
        tuple(i for i in one.get("sources", "").split(",") if i),
        tuple(rest for kind, rest in told if kind == "known"), tuple(rest for kind, rest in told if kind == "file"))


def _ranges(numbers: Sequence[int]) -> Iterator[str]:
    start = last = None
    for number in sorted(numbers):
        if last is not None and number == last + 1:
            last = number
            continue
        if start is not None:
            yield f"{start}-{last}" if last != start else f"{start}"
        start = last = number
    if start is not None:
        yield f"{start}-{last}" if last != start else f"{start}"


@dataclass(frozen=True)
class Count:
    """How much a scope holds."""

    scope: Scope
    live: int
    memories: int
    observations: int
    sources: int


def count_scopes(store: Store, known: set[Scope]) -> list[Count]:
    """What every scope holds, those included that are only known by name."""
    told: dict[str, dict[str, int]] = {str(scope): {} for scope in known}
    for table, what in (("memory", "memories"), ("observation", "observations"), ("source", "sources")):
        real = " WHERE kind <> 'excluded'" if table == "source" else ""
        for row in store.all(f"SELECT scope, COUNT(*) AS n FROM {table}{real} GROUP BY scope"):
            told.setdefault(row["scope"], {})[what] = int(row["n"])
    for row in store.all("SELECT scope, COUNT(*) AS n FROM memory WHERE status = 'live' GROUP BY scope"):
        told[row["scope"]]["live"] = int(row["n"])
    return [Count(stored_scope(name), n.get("live", 0), n.get("memories", 0), n.get("observations", 0), n.get("sources", 0))
            for name, n in sorted(told.items())]


def load_sources_of(store: Store, ids: Sequence[str]) -> set[str]:
    """The sources that some memories were heard from; an empty one for what was noted."""
    return {r["source_id"] for r in store.all(
        f"""SELECT DISTINCT o.source_id FROM observation o JOIN support s ON s.observation = o.seq
            WHERE s.memory IN {LISTED}""", listed(ids))}


def load_loose_of(store: Store, sources: Sequence[str], scope: Scope) -> list[int]:
    """The observations of some sources that no memory took up: they go where their source goes."""
    found: list[int] = []
    for source in sources:
        found += [r["seq"] for r in store.all(
            """SELECT o.seq FROM observation o LEFT JOIN fate f ON f.observation = o.seq
               WHERE o.source_id = ? AND o.scope = ? AND COALESCE(f.memory, '') = ''
                 AND NOT EXISTS (SELECT 1 FROM support s WHERE s.observation = o.seq)""", source, str(scope))]
    return found
