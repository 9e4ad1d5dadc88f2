"""What the store tells, in one consistent look; the right to write is never asked for."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import stat
from datetime import datetime, timedelta

from dreamd.probing import integrity
from dreamd.probing.health import NOTHING, Check, Facts, Run, World, fine
from dreamd.probing.peek import exists, facts_of, instant, names_in, printable, size_of
from dreamd.probing.preferences import is_zone

SUCCESS = ("changed", "nothing-to-do", "partial")
BUSY_S = 0.25
MOST_SOURCES = 2000
MOST_FILES = 500
"""Notes that are looked at: enough to see that all of them went."""
RUNS_SEEN = 10
SUCCESSES_SEEN = 50
IN_MEMORY_MOST_BYTES = 64 * 1024 * 1024
BRING_BACK = "run `dream check`; `dream restore-store` brings a backup back"
LOST = "`dream restore-store` brings a backup back, `dream init --new` begins anew"
NO_JOURNAL = b"\x01\x01"
"""In place of the two bytes of a store's beginning that say it has a log beside it."""
NAME_LETTERS = 12
"""Of the hash that tells one store from another, as the list of files that dream wrote has it."""
SMALLEST_BYTES = 512
"""No page of SQLite is smaller."""
LEADS = b'{"dream": "a team\'s store"'
"""How the words begin that stand in the place of a store on a server."""


def read_store(world: World, site: str | None) -> tuple[Facts, Check]:
    """Everything the judgement needs to know from the store, and whether the store can be believed."""
    path = world.home + "/dream.db"
    if not exists(path):
        return NOTHING, Check("store", "unknown", f"no store at `{path}`", _way_back(world.home))
    facts = facts_of(path)
    if facts is None or (stat.S_ISREG(facts.st_mode) and not facts.st_size):
        # Not even opened: SQLite would throw away the log that lies beside an empty one.
        return NOTHING, Check("store", "unknown", f"the store at `{path}` is empty", LOST)
    if facts is not None and facts.st_size < SMALLEST_BYTES and is_led_elsewhere(path):
        return NOTHING, Check("store", "unknown", "the store is a team's, on a server, where the probe does not look",
                              "`dream check` does")
    try:
        connection = _open(path)
        try:
            connection.execute("BEGIN")
            return _read(connection, world, site)
        finally:
            connection.close()
    except sqlite3.Error as error:
        told = str(error)
        hint = "try again" if "locked" in told else BRING_BACK
        return NOTHING, Check("store", "unknown", f"the store cannot be read: {printable(told)}", hint)


def is_led_elsewhere(path: str) -> bool:
    """Whether a home leads to a team's store on a server."""
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as stream:  # noqa: PTH123
            return stream.read(len(LEADS)) == LEADS
    except OSError:
        return False


def _way_back(home: str) -> str:
    left = any(name.endswith((".db", ".db.gz")) for name in names_in(f"{home}/backups")) or names_in(f"{home}/memory")
    there = any(name == ".founded" or name.startswith(("dream.db-wal", "dream.db.")) for name in names_in(home))
    return LOST if left or there else "run `dream note` or `dream consolidate`"


def _open(path: str) -> sqlite3.Connection:
    facts = facts_of(path)
    if facts is not None and not stat.S_ISREG(facts.st_mode):
        raise sqlite3.OperationalError("it is no file")  # opening a pipe would wait for whoever writes into it
    quoted = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    connection = sqlite3.connect(f"file:{quoted}?mode=ro", uri=True, timeout=BUSY_S, isolation_level=None)
    try:
        connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()
    except sqlite3.OperationalError as error:
        connection.close()
        shut = any(words in str(error) for words in ("unable to open", "readonly"))
        if not shut or size_of(path + "-wal") or not 0 < size_of(path) <= IN_MEMORY_MOST_BYTES:
            raise
        return _copied(path, error)
    return connection


def _copied(path: str, error: sqlite3.Error) -> sqlite3.Connection:
    """A store on a disk where SQLite cannot even lay its log beside it: read as a whole, for it has no log."""
    with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as stream:  # noqa: PTH123
        body = stream.read()
    if len(body) < 100:
        raise error
    copy = sqlite3.connect(":memory:", isolation_level=None)
    copy.deserialize(body[:18] + NO_JOURNAL + body[20:])
    return copy


def _read(db: sqlite3.Connection, world: World, site: str | None) -> tuple[Facts, Check]:
    schema = db.execute("PRAGMA user_version").fetchone()[0]
    if not integrity.OLDEST_SCHEMA <= schema <= integrity.KNOWN_SCHEMA:
        hint = "use the probe that came with the dream that wrote it" if schema else _way_back(world.home)
        return NOTHING, Check("store", "unknown", f"the store has schema {schema}, this probe knows "
                              f"{integrity.KNOWN_SCHEMA}", hint)
    if db.execute("PRAGMA application_id").fetchone()[0] != integrity.APPLICATION_ID:
        return NOTHING, Check("store", "unknown", "the file is a database, but no store of dream", LOST)
    if fault := integrity.fault_of_shape(db, schema) or (integrity.fault_of_pages(db, schema) if world.deep else ""):
        return NOTHING, Check("store", "damaged", f"the store is damaged: {fault}", BRING_BACK)
    facts = _facts(db, world.now)
    try:
        fault = integrity.fault_of_rows(db, schema)
    except sqlite3.OperationalError as error:  # words that are no text any more
        fault = f"{printable(str(error))}"
    if fault:
        return facts, Check("store", "damaged", f"the store is damaged: {fault}", BRING_BACK)
    if not is_zone(str(facts.zone), world.env, site):
        return facts, Check("store", "damaged", f"the store counts days by `{printable(facts.zone)}`, which is no time zone",
                            "install the time zones of this machine (`tzdata`); `dream restore-store` brings a backup back")
    told = f"{facts.memories} {'memory' if facts.memories == 1 else 'memories'}, {facts.waiting} waiting"
    return facts, fine("store", told)


def _facts(db: sqlite3.Connection, now: datetime) -> Facts:
    waiting, oldest = db.execute("SELECT COUNT(*), MIN(o.stored_at) FROM observation o "
                                 "LEFT JOIN fate f ON f.observation = o.seq WHERE f.observation IS NULL").fetchone()
    success = _last_success(db, now)
    memories = db.execute("SELECT COUNT(*) FROM memory WHERE status IN ('live', 'held', 'stale')").fetchone()[0]
    newest = db.execute("SELECT stored_at FROM observation ORDER BY seq DESC LIMIT 1").fetchone()
    runs = [Run(*row) for row in db.execute("SELECT outcome, backlog, started_at, ended_at FROM run WHERE kind = 'dream' "
                                            "ORDER BY seq DESC LIMIT ?", (RUNS_SEEN,))]
    sources = db.execute("SELECT s.path, s.read_at, s.lines, s.prompts, c.size, c.offset, "
                         "CASE WHEN s.path LIKE '%.jsonl' THEN '' ELSE c.carry END FROM source s "
                         f"LEFT JOIN cursor c ON c.source = s.id LIMIT {MOST_SOURCES}").fetchall()
    meta = dict(db.execute("SELECT key, value FROM meta WHERE key IN ('epoch', 'zone', 'created_at', 'language model rests', "
                           "'tombstone_key')"))
    key = str(meta.get("tombstone_key", ""))
    epoch = str(meta.get("epoch", ""))
    return Facts(waiting=waiting, oldest=instant(oldest), last_success=instant(success[0]), began=instant(success[1]),
                 memories=memories, newest_row=instant(newest[0]) if newest else None, runs=tuple(runs), sources=tuple(sources),
                 epoch=int(epoch) if epoch.isdecimal() else 0, created=instant(meta.get("created_at")),
                 zone=meta.get("zone", ""), left=_left_over(db), files=tuple(_files(db)), aside=_set_aside(db),
                 dropped=_dropped(db), rest=str(meta.get("language model rests", "")),
                 name=hashlib.sha256(key.encode()).hexdigest()[:NAME_LETTERS])


def _files(db: sqlite3.Connection) -> list[tuple[str, str]]:
    """The indexes of all scopes and some of the notes, each with the memory it is about; those still to be written left out.

    From the indexes of the table alone: beside each row lies the body of its file, and they are not to be read.
    """
    waiting = {row[0] for row in db.execute("SELECT path FROM intent")}
    rows = db.execute("SELECT path, '' FROM file INDEXED BY file_scope WHERE path LIKE 'memory/%/MEMORY.md'").fetchall()
    rows += db.execute("SELECT path, memory FROM file INDEXED BY file_memory WHERE memory <> '' AND path > 'memory/' "
                       "AND path < 'memory0' LIMIT ?", (MOST_FILES,)).fetchall()
    return [(path, memory) for path, memory in rows if path not in waiting]


def _last_success(db: sqlite3.Connection, now: datetime) -> tuple[str | None, str | None]:
    """When the last dream that came to a good end ended, and when it began.

    One that ended under a clock far ahead of ours counts only while no other came after it: it must not outshine them all.
    """
    rows = db.execute("SELECT ended_at, started_at FROM run WHERE kind = 'dream' AND outcome IN (?, ?, ?) "
                      "ORDER BY seq DESC LIMIT ?", (*SUCCESS, SUCCESSES_SEEN)).fetchall()
    ahead = (now + timedelta(days=1)).isoformat()
    believed = [row for row in rows if row[0] is not None and row[0] <= ahead]
    return max(believed) if believed and rows[0] in believed else rows[0] if rows else (None, None)


def _dropped(db: sqlite3.Connection) -> tuple[str, int, int] | tuple[()]:
    """The dream after which search did not find what it had found before, while it stands and is not undone."""
    row = db.execute("SELECT value FROM meta WHERE key = 'recall-dropped'").fetchone()
    try:
        told = json.loads(row[0]) if row and row[0] else {}
        run, lost, asked = str(told["run"]), len(told["lost"]), int(told["of"])
    except (ValueError, KeyError, TypeError):
        return ()
    standing = db.execute("SELECT undone_by FROM run WHERE id = ?", (run,)).fetchone()
    return (run, lost, asked) if standing and not standing[0] else ()


def _set_aside(db: sqlite3.Connection) -> frozenset[str]:
    """Sources that dream could not work with: it told so, and tries them again when they change."""
    found: set[str] = set()
    for (raw,) in db.execute("SELECT value FROM meta WHERE key > 'aside ' AND key < 'aside~' LIMIT ?", (MOST_SOURCES,)):
        try:
            told = json.loads(raw)
        except ValueError:
            continue
        if isinstance(told, dict):
            found.update(str(told[key]) for key in ("name", "place") if told.get(key))
    return frozenset(found)


def _left_over(db: sqlite3.Connection) -> tuple[str, str]:
    """Work that somebody began and nobody finished: since when, and what; empty when there is none."""
    begun = db.execute("SELECT started_at FROM run WHERE ended_at IS NULL AND seq >= COALESCE((SELECT seq FROM run "
                       "WHERE kind = 'dream' ORDER BY seq DESC LIMIT 1), 0) LIMIT 1").fetchone()
    if begun:
        return str(begun[0]), "a dream began and never ended"
    ended = db.execute("SELECT MAX(ended_at) FROM (SELECT ended_at FROM run ORDER BY seq DESC LIMIT 1)").fetchone()
    forgetting = db.execute("SELECT value FROM meta WHERE key = 'forgetting'").fetchone()
    if forgetting:
        return str(forgetting[0]), "what was to be forgotten for good still lies about"
    behind = db.execute("SELECT 1 FROM intent UNION ALL SELECT 1 FROM meta WHERE key > 'unwritten ' AND key < 'unwritten~' "
                        "LIMIT 1").fetchone()
    return (str(ended[0]), "files still wait to be written") if behind and ended and ended[0] else ("", "")
