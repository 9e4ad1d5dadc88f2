"""Whether the store is what dream wrote: its shape, its seals, and with time enough every page.

The seals are those of the room `store`, reckoned here a second time because a probe must not depend on what it judges. Of a
small store the rows that matter are added up at every look; of a large one only where rows must meet is looked at, and the
rest is left to `--deep`.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterable
from hashlib import blake2b

KNOWN_SCHEMA = 6
OLDEST_SCHEMA = 1
"""What is looked at here stands in stores of all schemas from this one on; the next dream brings an older one up to date."""
SEALED_SINCE = 2
APPLICATION_ID = 0x64726D64
SHAPE = {
    "cursor": "source offset size prefix_bytes prefix_sha carry mtime_ns talk",
    "fate": "observation fate reason memory run evidence set_aside",
    "file": "path sha body memory scope size mtime_ns inode",
    "intent": "path base_sha new_sha body memory scope",
    "judged": "a b relation confidence evidence basis richer newer judge",
    "link": "a b relation",
    "memory": "seq id scope wording class type category taxonomy status trust authority created_at updated_at confirmed_at "
              "valid_from valid_to ttl superseded_by pinned edited unverified reason file rev",
    "memory_words": "words",
    "meta": "key value",
    "migration": "number name applied_at",
    "observation": "seq id text origin at scope conversation key class_hint type_hint ttl explicit sign source_id start end "
                   "target stored_at masks",
    "operation": "run seq op memory scope reason evidence before after",
    "recall": "memory times last_at",
    "run": "seq id kind now started_at ended_at outcome reason phases fates warnings backlog undone_by version",
    "source": "id path kind scope first_seen_at read_at lines prompts observations skips moved_at",
    "staged": "seq source path start end why at",
    "support": "memory observation",
    "tombstone": "hash at",
    "vector": "wording model body",
    "vector_file": "generation sha bytes count ndim metric dtype library applied",
    "wording": "sha text",
}
"""Tables and their columns as every store since `OLDEST_SCHEMA` has them; one that has more is fine."""
SHAPE_SINCE = {
    4: {
        "model_answer": "request at role scope model ending value",
        "model_call": "seq at run role prompt scope request model tokens_in cached tokens_out "
                "seconds cost ending detail retry_at moved",
        "model_word": "observation role model prompt category",
        "unread": "source conversation path kind offset size prefix_bytes prefix_sha first last tries at",
    },
    5: {
        "tally": "id kind scope times runs recent last_at told words open",
    },
    6: {
        "sent": "observation team at",
        "voice": "observation member machine",
    },
}
"""Those that came later, by the schema that brought them."""
INDEXES = frozenset({"observation_key", "observation_source", "fate_run", "fate_waiting", "memory_scope", "memory_wording",
                     "memory_successor", "memory_ttl", "memory_age", "support_observation", "operation_memory", "file_scope",
                     "file_memory"})
QUICKLY_SEALED = ("memory", "wording", "support", "link", "fate", "tombstone", "recall", "migration", "observation",
                  "operation", "meta", "run")
"""What nobody but the store knows and people and agents live by, the most telling first."""
MOST_ROWS = 4000
QUICK_S = 0.03
ROWS_BETWEEN_LOOKS = 250
MODULUS = 1 << 64
COPIED_MOST_BYTES = 256 * 1024 * 1024
_UNSEALED = {"file": ("size", "mtime_ns", "inode")}
_WITH_BYTES = ("file", "intent", "vector")
_ORPHANS = (
    ("memories", "SELECT 1 FROM (SELECT DISTINCT memory FROM operation EXCEPT SELECT id FROM memory) g WHERE (SELECT after "
                 "FROM operation o WHERE o.memory = g.memory ORDER BY o.run DESC, o.seq DESC LIMIT 1) IS NOT NULL LIMIT 1"),
    ("words of memories", "SELECT 1 FROM memory WHERE wording NOT IN (SELECT sha FROM wording) LIMIT 1"),
    ("the grounds of memories", "SELECT 1 FROM memory m WHERE status IN ('live', 'held', 'stale') AND NOT EXISTS "
                              "(SELECT 1 FROM support s WHERE s.memory = m.id) LIMIT 1"),
    ("observations", "SELECT 1 FROM support WHERE observation NOT IN (SELECT seq FROM observation) LIMIT 1"),
    ("memories", "SELECT 1 FROM support WHERE memory NOT IN (SELECT id FROM memory) LIMIT 1"),
    ("observations", "SELECT 1 FROM fate WHERE observation NOT IN (SELECT seq FROM observation) LIMIT 1"),
    ("runs", "SELECT 1 FROM (SELECT DISTINCT run FROM operation) WHERE run NOT IN (SELECT seq FROM run) LIMIT 1"),
    ("words to search by", "SELECT 1 FROM memory WHERE status IN ('live', 'held', 'stale') "
                           "AND seq NOT IN (SELECT id FROM memory_words_docsize) LIMIT 1"),
    ("files of memories", "SELECT 1 FROM memory m WHERE status = 'live' AND scope NOT IN (SELECT scope FROM file) "
                          "AND NOT EXISTS (SELECT 1 FROM intent) AND NOT EXISTS (SELECT 1 FROM meta WHERE key > 'unwritten ' "
                          "AND key < 'unwritten~' OR key > 'aside ' AND key < 'aside~') LIMIT 1"),
    ("facts of the store", "SELECT 1 WHERE (SELECT COUNT(*) FROM meta WHERE key IN ('epoch', 'zone', 'tombstone_key')) < 3"),
)
"""Rows that are gone are missed by other rows: (what is missing, a question that has an answer only then)."""
_SEALED_TABLES = """SELECT name FROM main.sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'
                    AND name NOT LIKE 'memory_words%' ORDER BY name"""


def shape_of(schema: int) -> dict[str, str]:
    """Tables and columns that a store of a schema has."""
    return SHAPE | {table: columns for since, brought in SHAPE_SINCE.items() if since <= schema
                    for table, columns in brought.items()}


def fault_of_shape(db: sqlite3.Connection, schema: int) -> str:
    """A table, column or index that is missing, or a trigger, for dream has none there; empty when all is as it should be."""
    found: dict[str, set[str]] = {}
    for table, column in db.execute("SELECT m.name, c.name FROM main.sqlite_master m JOIN pragma_table_info(m.name) c "
                                    "WHERE m.type = 'table'"):
        found.setdefault(table, set()).add(column)
    newer = [table for since, brought in SHAPE_SINCE.items() if since > schema for table in brought if table in found]
    if newer:
        return f"its number says schema {schema}, and `{min(newer)}` is of a later one"
    for table, columns in shape_of(schema).items():
        if table not in found:
            return f"the table `{table}` is gone"
        if missing := set(columns.split()) - found[table]:
            return f"`{table}` has lost its column `{min(missing)}`"
    there = {row[0] for row in db.execute("SELECT name FROM main.sqlite_master WHERE type = 'index'")}
    if INDEXES - there:
        return f"the index `{min(INDEXES - there)}` is gone"
    acting = db.execute("SELECT MIN(name) FROM main.sqlite_master WHERE type = 'trigger'").fetchone()[0]
    return f"another program put the trigger `{acting}` into it" if acting else ""


def fault_of_rows(db: sqlite3.Connection, schema: int) -> str:
    """Rows that dream never wrote or that somebody took away, as far as a quick look tells."""
    until_s = time.process_time() + QUICK_S
    for missing, question in _ORPHANS:
        if time.process_time() > until_s:
            break  # of a very large store `--deep` tells the rest
        if db.execute(question).fetchone():
            return f"{missing} were taken out of the store"
    if schema >= SEALED_SINCE:
        sealed = {row[0] for row in db.execute("SELECT substr(key, 6) FROM meta WHERE key > 'seal ' AND key < 'seal~'")}
        if bare := set(shape_of(schema)) - sealed - {"memory_words"}:
            return f"the seal of `{min(bare)}` was taken out of the store"
        until_s = time.process_time() + QUICK_S
        for table in QUICKLY_SEALED:
            if db.execute(f"SELECT COUNT(*) FROM {table}").fetchone()[0] > MOST_ROWS:
                continue
            fits = _fits_seal(db, table, until_s=until_s)
            if fits is None:
                break
            if not fits:
                return f"rows of `{table}` are not what dream wrote"
    return ""


def fault_of_pages(db: sqlite3.Connection, schema: int) -> str:
    """Every page, every reference, every seal and the index of words; for this there must be time."""
    answer = str(db.execute("PRAGMA integrity_check(1)").fetchone()[0])
    if answer != "ok":
        return "pages are damaged"
    if db.execute("PRAGMA foreign_key_check").fetchone():
        return "rows refer to what is not there"
    if schema >= SEALED_SINCE:
        for (table,) in db.execute(_SEALED_TABLES).fetchall():
            if not _fits_seal(db, table):
                return f"rows of `{table}` are not what dream wrote"
    pages, size = (db.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "page_size"))
    return "" if pages * size > COPIED_MOST_BYTES else _fault_of_words(db)


def _fault_of_words(db: sqlite3.Connection) -> str:
    """SQLite looks into its index of words only where it might write: so it does in a copy."""
    copy = sqlite3.connect(":memory:")
    try:
        db.backup(copy)
        copy.execute("INSERT INTO memory_words (memory_words) VALUES ('integrity-check')")
        missing = copy.execute("SELECT 1 FROM memory WHERE status IN ('live', 'held', 'stale') "
                               "AND seq NOT IN (SELECT rowid FROM memory_words) LIMIT 1").fetchone()
        told = "memories are missing in it" if missing else ""
    except sqlite3.DatabaseError:
        told = "it is damaged"
    finally:
        copy.close()
    return f"the index of words: {told}" if told else ""


def _fits_seal(db: sqlite3.Connection, table: str, *, until_s: float | None = None) -> bool | None:
    """Whether the rows of a table add up to its seal; None when the time is up before that can be told."""
    row = db.execute("SELECT value FROM meta WHERE key = ?", (f"seal {table}",)).fetchone()
    columns = ", ".join(f'"{c[1]}"' for c in db.execute(f"PRAGMA main.table_info({table})")
                        if c[1] not in _UNSEALED.get(table, ()))
    rows: Iterable[tuple[object, ...]] = db.execute(f"SELECT {columns} FROM main.{table}")
    total = 0
    for n, values in enumerate(rows, 1):
        if until_s is not None and n % ROWS_BETWEEN_LOOKS == 0 and time.process_time() > until_s:
            return None
        if table != "meta" or not str(values[0]).startswith("seal "):
            total += _row_hash(table, values)
    try:
        return row is not None and int(str(row[0]), 16) == total % MODULUS
    except ValueError:
        return False


def _row_hash(table: str, row: tuple[object, ...]) -> int:
    if table in _WITH_BYTES:
        row = tuple(blake2b(v, digest_size=16).digest() if isinstance(v, bytes) else v for v in row)
    return int.from_bytes(blake2b(repr((table, *row)).encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")
