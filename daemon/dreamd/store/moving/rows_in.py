"""Records of another store, taken in: each by its id and once, and never what was forgotten here.

What is here already stays as it is. Runs of the other store go before those of this one, for they are its past.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from dreamd.core.clock import iso
from dreamd.core.values import Relation, content_id, parse_scope
from dreamd.store.connection import Store
from dreamd.store.moving.rows_masked import OFTEN, Progress, masked_records
from dreamd.store.moving.rows_out import MEMORY, OBSERVATION, RUN, Record
from dreamd.store.observations import is_forgotten, parts_of
from dreamd.store.scopes.projects import Known, find_known, write_known
from dreamd.store.word_search import index_words
from dreamd.store.work import mark_unwritten, write_meta


@dataclass
class Taken:
    """What came of some records."""

    memories: list[str] = field(default_factory=list)
    """Ids of those that are new here."""
    edited: dict[str, str] = field(default_factory=dict)
    """The files of those of them that a person had edited, by id."""
    said: list[str] = field(default_factory=list)
    """Ids of statements that are new here."""
    runs: list[int] = field(default_factory=list)
    """Numbers of the runs that are new here."""
    known: int = 0
    """Memories that are here already and stay as they are."""
    forgotten: int = 0
    """Memories and statements that were forgotten here and are not taken in again."""
    masked: int = 0
    """Texts in which a secret was masked on the way."""
    graves_left: bool = False
    """Whether what was forgotten there cannot be recognised here, for this store has forgotten things of its own."""

    @property
    def observations(self) -> int:
        """How many statements are new here."""
        return len(self.said)

    @property
    def is_nothing(self) -> bool:
        """Whether the store is as before."""
        return not self.memories and not self.observations


class _Arrival:
    """One transaction's worth of records on their way in."""

    def __init__(self, store: Store, tx: sqlite3.Connection, records: Iterable[Record], key: bytes) -> None:
        self.store, self.tx, self.key = store, tx, key
        self.by_kind: dict[str, list[Record]] = {}
        for record in records:
            self.by_kind.setdefault(str(record["kind"]), []).append(record)
        self.taken = Taken()
        self.words: dict[str, str] = {}
        """The words of memories, by their hash."""
        self.refused: set[str] = set()
        self.fresh_said: set[str] = set()
        self.runs: dict[str, int] = {}

    def of(self, kind: str) -> list[Record]:
        """The records of one kind."""
        return self.by_kind.get(kind, [])

    def ids(self, table: str) -> set[str]:
        """What a table holds already."""
        return {r[0] for r in self.tx.execute(f"SELECT id FROM {table}")}

    def insert(self, table: str, columns: Sequence[str], row: dict[str, Any]) -> bool:
        """Add a row, unless one with its key is there."""
        return insert_fitting(self.tx, table, columns, row)


_ID = re.compile(r"[0-9a-f]{6,64}")
_FILE = re.compile(r"[^/\\\x00-\x1f.][^/\\\x00-\x1f]*\.md")
_OF_DREAM = frozenset({"memory.md", "more.md"})
"""Files beside those of memories that nobody's memory may stand in."""
_NUMBERS = frozenset({"seq", "explicit", "start", "end", "taxonomy", "pinned", "edited", "unverified", "rev", "backlog",
                      "times", "set_aside", "run", "observation"})


def fit(column: str, told: object) -> object:
    """What a column holds, if it is of its kind; raises ValueError otherwise, for SQLite would take anything."""
    kinds = int if column in _NUMBERS else (int, float) if column == "confidence" else (str, type(None))
    if not isinstance(told, kinds):
        raise ValueError("no value of that column")
    return str(parse_scope(told)) if column == "scope" and isinstance(told, str) else told


def insert_fitting(tx: sqlite3.Connection, table: str, columns: Sequence[str], row: Record) -> bool:
    """Add a row of another store, unless one with its key is there; raises ValueError for what is no value of a column."""
    names, values = ", ".join(f'"{c}"' for c in columns), ", ".join(f":{c}" for c in columns)
    told = {name: fit(name, row[name]) for name in columns}
    return tx.execute(f"INSERT INTO {table} ({names}) VALUES ({values}) ON CONFLICT DO NOTHING", told).rowcount > 0


def check_identity(identity: str) -> None:
    """Raise ValueError for an id that dream would not give: files are named after it."""
    if not _ID.fullmatch(identity):
        raise ValueError("no id of a memory")


def check_file(name: str) -> None:
    """Raise ValueError for a file name that dream would not give: it becomes a path. A memory without a file has none."""
    if name and (not _FILE.fullmatch(name) or name.lower() in _OF_DREAM):
        raise ValueError("no name of a memory's file")


def take_in(store: Store, tx: sqlite3.Connection, records: Sequence[Record], *, key: bytes, now: datetime,
            progress: Progress | None = None) -> Taken:
    """Take records in, inside the caller's transaction; `key` is this store's tombstone key."""
    clean, masked = masked_records(records, iso(now), progress)
    arrival = _Arrival(store, tx, clean, key)
    arrival.taken.masked = masked
    _bury(arrival)
    _hear(arrival)
    wanted = _choose(arrival)
    _number_runs(arrival, wanted)
    for one in arrival.of("wording"):
        arrival.words[one["sha"]] = one["text"]
    for n, one in enumerate(wanted):
        if progress and n % OFTEN == 0:
            progress("taking in", n, len(wanted))
        _write_memory(arrival, one)
    if progress:
        progress("taking in the journal", 0, 0)
    fresh = {one["id"] for one in wanted}
    _write_journal(arrival, fresh)
    _write_beside(arrival, fresh)
    if tx.execute("""SELECT 1 FROM support s LEFT JOIN fate f ON f.observation = s.observation
                     WHERE f.observation IS NULL LIMIT 1""").fetchone():
        raise ValueError("a dream would take up again what a memory rests on already")
    for one in arrival.of("project"):
        if find_known(store, one["identity"]) is None:
            write_known(tx, Known(one["identity"], parse_scope(one["scope"])))
    if arrival.fresh_said:
        write_meta(tx, "weighed-to", "0")  # what was said in passing is weighed once more, by the next dreams
    arrival.taken.memories, arrival.taken.said = sorted(fresh), sorted(arrival.fresh_said)
    return arrival.taken


def choose_unknown(store: Store, records: Iterable[Record], *, key: bytes) -> tuple[list[Record], Taken]:
    """The memories that are neither here nor forgotten here, and how many are one or the other. Touches nothing."""
    with store.reading() as tx:
        arrival = _Arrival(store, tx, records, key)
        arrival.refused = {one["id"] for one in arrival.of("observation") if _was_forgotten(arrival, one)}
        return _choose(arrival), arrival.taken


def is_untouched(store: Store) -> bool:
    """Whether nothing was ever said, learned, decided or forgotten here."""
    return all(store.one(f"SELECT 1 FROM {table} LIMIT 1") is None
               for table in ("observation", "memory", "operation", "tombstone"))


def _bury(arrival: _Arrival) -> None:
    """Take over what was forgotten there, as far as this store's own secret allows."""
    for one in arrival.of("tombstones"):
        known = arrival.tx.execute("SELECT 1 FROM tombstone LIMIT 1").fetchone() is not None
        if known and bytes.fromhex(one["key"]) != arrival.key:
            arrival.taken.graves_left = True
            continue
        arrival.key = bytes.fromhex(one["key"])
        write_meta(arrival.tx, "tombstone_key", one["key"])
        arrival.tx.executemany("INSERT INTO tombstone VALUES (?, ?) ON CONFLICT DO NOTHING", one["rows"])


def _hear(arrival: _Arrival) -> None:
    known = arrival.ids("observation")
    for one in arrival.of("observation"):
        if one["id"] in known:
            continue
        check_identity(one["id"])
        if _was_forgotten(arrival, one):
            arrival.refused.add(one["id"])
            arrival.taken.forgotten += 1
            continue
        if arrival.insert("observation", OBSERVATION, one):
            arrival.fresh_said.add(one["id"])


def _was_forgotten(arrival: _Arrival, one: Record) -> bool:
    return any(is_forgotten(arrival.tx, one["conversation"], part, key=arrival.key)
               for part in parts_of(one["text"], one["sign"]))


def _choose(arrival: _Arrival) -> list[Record]:
    """The memories that are new here and that nobody here had forgotten."""
    here = arrival.ids("memory")
    gone = {r[0] for r in arrival.tx.execute("SELECT memory FROM operation WHERE op = 'forget'")}
    wanted = []
    for one in arrival.of("memory"):
        if one["id"] in here:
            arrival.taken.known += 1
        elif one["id"] in gone or arrival.refused & set(one["observations"]):
            arrival.taken.forgotten += 1
        else:
            wanted.append(one)
    return wanted


def _number_runs(arrival: _Arrival, wanted: Sequence[Record]) -> None:
    """Give the runs that something of this rests on a number: those they had where none is here, else before all others."""
    here = {r[0]: r for r in arrival.tx.execute(f"SELECT {', '.join(RUN)}, seq, kind FROM run")}
    fresh = {one["id"] for one in wanted}
    gone = arrival.ids("memory") | {one["id"] for one in arrival.of("memory")}
    named = {one["run"] for one in arrival.of("operation") if one["memory"] in fresh or one["memory"] not in gone}
    named |= {one["run"] for one in arrival.of("fate") if one["observation"] in arrival.fresh_said}
    kept = {one["id"]: _run_id(one, here) for one in arrival.of("run")}
    arrival.runs = {one: here[name][len(RUN)] for one, name in kept.items() if name in here}
    new = [one for one in arrival.of("run") if one["id"] in named and one["id"] not in arrival.runs]
    first = 1 if not here else min(1, *(r[len(RUN)] for r in here.values())) - len(new)
    for n, one in enumerate(new):
        for name, kind in (("phases", dict), ("fates", dict), ("warnings", list)):
            if not isinstance(json.loads(one[name]), kind):
                raise ValueError("no account of a run")
        arrival.runs[one["id"]] = first + n
        arrival.taken.runs.append(first + n)
        arrival.insert("run", ("seq", "kind", *RUN), {**one, "id": kept[one["id"]], "seq": first + n, "kind": one["run_kind"]})
    for one in new:
        if by := arrival.runs.get(one["undone_by"]):
            arrival.tx.execute("UPDATE run SET undone_by = ? WHERE seq = ?", (by, arrival.runs[one["id"]]))


def _run_id(one: Record, here: dict[str, Any]) -> str:
    """Under which id a run is kept: its own, or another where a run of this store has that by chance."""
    told = tuple(one[name] for name in RUN if name not in ("reason", "warnings"))
    mine = here.get(one["id"])
    if mine is None or told == tuple(side for name, side in zip(RUN, mine, strict=False) if name not in ("reason", "warnings")):
        return str(one["id"])
    return content_id("run", *map(str, told), size=10)


def _write_memory(arrival: _Arrival, one: Record) -> None:
    check_identity(one["id"])
    check_file(one["file"])
    text = _keep_words(arrival, one["wording"])
    scope = fit("scope", one["scope"])
    rivals = arrival.tx.execute("SELECT 1 FROM memory WHERE scope = ? AND file = ? AND file <> ''", (scope, one["file"]))
    # Two memories never share a file: the second has one of its own name.
    arrival.insert("memory", MEMORY, {**one, "file": f"{one['id']}.md" if rivals.fetchone() else one["file"]})
    arrival.tx.executemany("INSERT INTO support SELECT ?, seq FROM observation WHERE id = ?",
                           ((one["id"], said) for said in one["observations"]))
    seq = arrival.tx.execute("SELECT seq FROM memory WHERE id = ?", (one["id"],)).fetchone()[0]
    arrival.tx.execute("INSERT INTO memory_words (rowid, words) VALUES (?, ?)", (seq, index_words(text)))
    mark_unwritten(arrival.tx, str(scope))
    if "body" in one:
        arrival.taken.edited[one["id"]] = one["body"]


def _keep_words(arrival: _Arrival, sha: str) -> str:
    text = arrival.words[sha]
    arrival.tx.execute("INSERT INTO wording VALUES (?, ?) ON CONFLICT DO NOTHING", (sha, text))
    return text


def _write_journal(arrival: _Arrival, fresh: set[str]) -> None:
    """The operations on what is new, and on what is in neither store any more; each with its words under their hash here."""
    here = arrival.ids("memory") - fresh
    skipped = {one["id"] for one in arrival.of("memory")} - fresh
    for one in arrival.of("operation"):
        if one["memory"] in here or one["memory"] in skipped or one["run"] not in arrival.runs:
            continue
        sides = {name: _as_kept(arrival, one[name]) for name in ("before", "after")}
        arrival.insert("operation", ("run", "seq", "op", "memory", "scope", "reason", "evidence", "before", "after"),
                       {**one, **sides, "run": arrival.runs[one["run"]]})


def _as_kept(arrival: _Arrival, side: str | None) -> str | None:
    """A snapshot of the journal, its words kept with it."""
    if side is None:
        return None
    kept = json.loads(side)
    check_file(str(kept.get("file", "")))
    if kept["wording"] in arrival.words:
        _keep_words(arrival, kept["wording"])
    return side


def _write_beside(arrival: _Arrival, fresh: set[str]) -> None:
    seqs = dict(arrival.tx.execute("SELECT id, seq FROM observation").fetchall())
    for one in arrival.of("fate"):
        if one["observation"] in arrival.fresh_said and one["run"] in arrival.runs:
            arrival.insert("fate", ("observation", "fate", "reason", "memory", "run", "evidence", "set_aside"),
                           {**one, "observation": seqs[one["observation"]], "run": arrival.runs[one["run"]]})
    for one in arrival.of("model-word"):
        if one["observation"] in arrival.fresh_said:
            arrival.insert("model_word", ("observation", "role", "model", "prompt", "category"),
                           {**one, "observation": seqs[one["observation"]]})
    for one in arrival.of("voice") if arrival.store.decides else ():  # elsewhere it is the word of whoever brings it
        if one["observation"] in arrival.fresh_said:
            arrival.tx.execute("INSERT OR REPLACE INTO voice VALUES (?, ?, ?)",
                               (seqs[one["observation"]], str(one["member"]), str(one["machine"])))
    there = arrival.ids("memory")
    for one in arrival.of("link"):
        if {one["a"], one["b"]} <= there and {one["a"], one["b"]} & fresh:
            arrival.insert("link", ("a", "b", "relation"), {**one, "relation": Relation(one["relation"]).value})
    for one in arrival.of("recall"):
        if one["memory"] in fresh:
            arrival.insert("recall", ("memory", "times", "last_at"), one)
    for one in arrival.of("judged"):
        arrival.insert("judged", ("a", "b", "relation", "confidence", "evidence", "basis", "richer", "newer", "judge"), one)
