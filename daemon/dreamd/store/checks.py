"""Questions that have only one right answer in a sound store. Each gives the faults it sees, without words of memories."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from functools import cache
from typing import TYPE_CHECKING

from dreamd.core.errors import Corrupt, DreamError
from dreamd.core.values import text_sha
from dreamd.store import observations, schema, seals
from dreamd.store.connection import Store, translated
from dreamd.store.derived import MULTILINGUAL_BYTES, VECTOR_BYTES
from dreamd.store.presence import sound_rows
from dreamd.store.presence.sound_rows import sound_row
from dreamd.store.word_search import index_words

if TYPE_CHECKING:
    from dreamd.store.team.database import Database

Look = Callable[[Store], list[str]]
KEPT = ("scope", "class", "type", "category", "trust", "authority", "created_at", "updated_at", "confirmed_at", "valid_from",
        "valid_to", "ttl", "superseded_by", "pinned", "edited", "file")
"""What the journal keeps of a memory beside its status and its words, and no repair makes anew."""
UNIT_TOLERANCE = 0.01
"""How far rounding to half floats may take a unit vector from length one, with room to spare."""


def sound_database(store: Store) -> list[str]:
    """SQLite's own look at its pages and references."""
    faults = [str(r[0]) for r in store.all("PRAGMA integrity_check(5)") if r[0] != "ok"]
    faults += [f"dangling reference in `{r[0]}`" for r in store.all("PRAGMA foreign_key_check")]
    return faults


def shape_fits(store: Store) -> list[str]:
    """Tables, columns and indexes are those a new store would have, and nothing acts by itself when dream writes."""
    if base := seals.server_of(store.connection):
        from dreamd.store.team import team_seals

        return team_seals.missing(base)
    ours, theirs = _shape(store.connection), _shape_of_a_new_one()
    faults = [f"table `{name}` is missing" for name in sorted(theirs.keys() - ours.keys())]
    for name in sorted(theirs.keys() & ours.keys()):
        columns, indexes = (theirs[name][n] - ours[name][n] for n in (0, 1))
        faults += [f"column `{name}.{c}` is missing" for c in sorted(columns)]
        faults += [f"index `{i}` is missing" for i in sorted(indexes)]
    acting = store.all("SELECT name FROM main.sqlite_master WHERE type = 'trigger' ORDER BY name")
    return faults + [f"the trigger `{row['name']}` is not dream's" for row in acting]


@cache
def _shape_of_a_new_one() -> dict[str, tuple[set[str], set[str]]]:
    with closing(sqlite3.connect(":memory:")) as wanted:
        schema.migrate(wanted, founding=None)
        return _shape(wanted)


def _shape(connection: sqlite3.Connection) -> dict[str, tuple[set[str], set[str]]]:
    """Each table with its columns and its indexes."""
    cursor = connection.cursor()
    cursor.row_factory = None
    names = [str(row[0]) for row in cursor.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()]
    return {name: ({str(c[1]) for c in cursor.execute(f"PRAGMA table_info({name})").fetchall()},
                   {str(i[1]) for i in cursor.execute(f"PRAGMA index_list({name})").fetchall()}) for name in names}


def types_fit(store: Store) -> list[str]:
    """Words are words and numbers are numbers, in every row of every table."""
    if seals.server_of(store.connection):
        return []  # a server sees to that
    return [f"a row of `{table}` holds what dream never wrote in `{column}`"
            for table, column in sound_rows.strange_cells(store.connection)]


def words_known(store: Store) -> list[str]:
    """Every memory has its wording, and no wording changed under its hash."""
    rows = store.all("SELECT id FROM memory WHERE wording NOT IN (SELECT sha FROM wording)")
    faults = [f"memory {r['id']} has lost its words" for r in rows]
    return faults + [f"the words {r['sha'][:12]} are not what they were" for r in store.all("SELECT sha, text FROM wording")
                     if text_sha(r["text"]) != r["sha"]]


def said_unchanged(store: Store) -> list[str]:
    """Every observation still has the id that its content gave it."""
    # Those with a key of the caller are read as well: words that are no text any more show themselves.
    rows, left = store.all(observations.JOINED), observations.load_left(store)
    return [f"statement {o.id} is not what it was" for o in map(observations.read_row, rows)
            if not o.key and not observations.is_itself(o, left)]


def successors_known(store: Store) -> list[str]:
    """Every superseded memory names a successor that exists, and versions do not run in circles."""
    rows = store.all("""SELECT id FROM memory m WHERE superseded_by <> ''
                        AND NOT EXISTS (SELECT 1 FROM memory s WHERE s.id = m.superseded_by)""")
    faults = [f"memory {r['id']} was replaced by one that is not there" for r in rows]
    successor = {r["id"]: r["superseded_by"] for r in store.all("SELECT id, superseded_by FROM memory")}
    for start in successor:
        seen, at = set(), start
        while at and at not in seen:
            seen.add(at)
            at = successor.get(at, "")
        if at:
            faults.append(f"memory {start} replaces itself")
    return faults


def status_fits(store: Store) -> list[str]:
    """Superseded ones have a successor; live ones have none; live ones have support."""
    faults = [f"memory {r['id']} is superseded by nothing" for r in
              store.all("SELECT id FROM memory WHERE status = 'superseded' AND superseded_by = '' AND reason <> 'forgotten'")]
    faults += [f"memory {r['id']} is live and superseded" for r in
               store.all("SELECT id FROM memory WHERE status IN ('live', 'held', 'stale') AND superseded_by <> ''")]
    faults += [f"memory {r['id']} has no statement behind it" for r in
               store.all("""SELECT id FROM memory m WHERE status IN ('live', 'held', 'stale')
                            AND NOT EXISTS (SELECT 1 FROM support s WHERE s.memory = m.id)""")]
    return faults


def one_scope(store: Store) -> list[str]:
    """No memory is supported by, replaced by or linked to anything of another scope."""
    faults = [f"memory {r['id']} is supported from another scope" for r in
              store.all("""SELECT DISTINCT m.id FROM memory m JOIN support s ON s.memory = m.id
                           JOIN observation o ON o.seq = s.observation WHERE o.scope <> m.scope""")]
    faults += [f"memory {r['id']} was replaced across scopes" for r in
               store.all("SELECT m.id FROM memory m JOIN memory n ON n.id = m.superseded_by WHERE n.scope <> m.scope")]
    faults += [f"memory {r['a']} is linked across scopes" for r in
               store.all("""SELECT a FROM link JOIN memory m ON m.id = a JOIN memory n ON n.id = b
                            WHERE m.scope <> n.scope""")]
    return faults


def journal_complete(store: Store) -> list[str]:
    """The newest entry about each memory ends where the memory stands: nothing changed it unseen."""
    rows = store.all(
        f"""SELECT m.id FROM memory m JOIN (SELECT memory, MAX(run * 1000000 + seq) AS newest FROM operation GROUP BY memory) l
             ON l.memory = m.id
           JOIN operation o ON o.memory = m.id AND o.run = l.newest / 1000000 AND o.seq = l.newest % 1000000
           WHERE o.after IS NOT NULL AND CASE WHEN NOT json_valid(o.after) THEN TRUE ELSE (
             json_extract(o.after, '$.status') <> m.status
             OR json_extract(o.after, '$.wording') <> m.wording
             OR json_array({', '.join(f'CAST(m.{name} AS TEXT)' for name in KEPT)})
             <> json_array({', '.join(f"CAST(json_extract(o.after, '$.{name}') AS TEXT)" for name in KEPT)})) END""")
    faults = [f"memory {r['id']} is not as the journal left it" for r in rows]
    rows = store.all("SELECT id FROM memory WHERE id NOT IN (SELECT memory FROM operation)")
    return faults + [f"memory {r['id']} is not in the journal" for r in rows]


@sound_row
def journal_chained(store: Store) -> list[str]:
    """Each entry about a memory begins where the one before it ended, so that undo can walk back."""
    faults: dict[str, None] = {}
    last: dict[str, dict[str, object]] = {}
    for row in store.all("SELECT * FROM operation ORDER BY run, seq"):
        try:
            before, after = _facts(row["before"]), _facts(row["after"])
            json.loads(row["evidence"])
        except ValueError:
            faults[f"an entry about memory {row['memory']} cannot be read"] = None
            continue
        if before and row["memory"] in last and before != last[row["memory"]]:
            faults[f"the history of memory {row['memory']} has a gap"] = None
        last[row["memory"]] = after
    return list(faults)


def _facts(raw: str | None) -> dict[str, object]:
    """What a snapshot says, but for lists whose order and length belong to others."""
    kept: dict[str, object] = json.loads(raw) if raw else {}
    return {name: value for name, value in kept.items() if name not in ("observations", "links")}


def fates_sound(store: Store) -> list[str]:
    """A fate that names a memory names one that exists, unless the run was undone."""
    rows = store.all("""SELECT observation FROM fate f WHERE memory <> '' AND set_aside = 0
                        AND NOT EXISTS (SELECT 1 FROM memory m WHERE m.id = f.memory)""")
    return [f"statement {r['observation']} led to a memory that is not there" for r in rows]


def sealed(store: Store) -> list[str]:
    """No row that only the store knows was changed by anything but dream: not by a bit, not by another program."""
    only_by = "only `dream restore-store` mends that"
    return [f"table `{table}` is not what dream wrote, {only_by}" for table in seals.broken(store.connection)
            if table not in seals.DERIVED]


FITTING: tuple[Look, ...] = (words_known, said_unchanged, successors_known, status_fits, one_scope, journal_complete,
                             journal_chained, fates_sound)
"""What rows must be to each other, whoever wrote them."""
INVARIANTS: tuple[tuple[str, Look], ...] = (
    ("database", sound_database), ("shape", shape_fits), ("types", types_fit), ("words", words_known),
    ("observations", said_unchanged), ("versions", successors_known), ("standing", status_fits),
    ("scopes", one_scope), ("journal", journal_complete),
    ("history", journal_chained), ("fates", fates_sound), ("seals", sealed),
)


def refuse_if_unsound(store: Store, *, only_look: bool = False) -> None:
    """Raise Corrupt for a store that is not as dream left it: what is built on it would be wrong, and make it harder to mend.

    What `dream check` asks beside this follows from it, for what dream itself writes fits together. `only_look` for a store
    that was opened without the right to write, which the word index needs to be asked. One that was looked over within a day,
    and that nobody but dream wrote into since, is not read again; of a server's, each table that this holds for.
    """
    if base := seals.server_of(store.connection):
        _look_over_tenant(store, base, only_look=only_look)
    elif not store.looked_over.holds():
        with store.looked_over.looking(only_look=only_look):
            _look_over(store, only_look=only_look)


def _look_over(store: Store, *, only_look: bool) -> None:
    with translated(store.path), store.reading():
        faults = [str(row[0]) for row in store.all("PRAGMA integrity_check(1)") if row[0] != "ok"]
        faults = faults or shape_fits(store)
        unsealed = [] if faults else seals.broken(store.connection)
    _refuse(store, faults, unsealed)
    if not only_look and stale_words(store):
        _refuse_index(store)


def _look_over_tenant(store: Store, base: Database, *, only_look: bool) -> None:
    from dreamd.store.team import team_seals

    with store.reading():
        faults = shape_fits(store)
        due = {} if faults else team_seals.find_due(base)
        unsealed = team_seals.broken(base, frozenset(seals.load_columns(store.connection)) - due.keys()) if due else []
        _refuse(store, faults, unsealed)
        if team_seals.WORD_INDEX in due and not only_look and stale_words(store):
            _refuse_index(store)
    if due and not only_look and store.writes:
        with suppress(DreamError), store.writing():  # a look that nobody remembers only costs another one
            team_seals.mark_looked(base, due)


def _refuse(store: Store, faults: Sequence[str], unsealed: Sequence[str]) -> None:
    if lasting := sorted(set(unsealed) - seals.DERIVED) or faults:
        what = faults[0] if faults else f"table `{lasting[0]}` is not what dream wrote"
        raise Corrupt(f"the store `{store.path}` is damaged ({what}); nothing was changed",
                      hint="run `dream check`; `dream restore-store` goes back to the last verified copy")
    if unsealed:
        _refuse_index(store, f"table `{unsealed[0]}`")


def _refuse_index(store: Store, what: str = "the word index") -> None:
    raise Corrupt(f"{what} of the store `{store.path}` is not what dream wrote; nothing was changed",
                  hint="run `dream check --repair`: it is made anew")


def stale_words(store: Store) -> int:
    """Rows the word index has too many, too few or wrong; one for an index that is damaged itself."""
    if base := seals.server_of(store.connection):
        from dreamd.store.team import word_ranks

        with store.reading():  # others write meanwhile, and an index of now does not fit memories of before
            return word_ranks.count_stale(base)
    try:
        store.connection.execute("INSERT INTO memory_words (memory_words) VALUES ('integrity-check')")
        known = {r["rowid"]: r["words"] for r in store.all("SELECT rowid, words FROM memory_words")}
    except (sqlite3.DatabaseError, DreamError):
        return 1
    rows = store.all("SELECT m.seq, w.text FROM memory m JOIN wording w ON w.sha = m.wording")
    wrong = sum(known.get(r["seq"]) not in (None, index_words(r["text"])) for r in rows)
    row = store.one("""SELECT (SELECT COUNT(*) FROM memory WHERE seq NOT IN (SELECT rowid FROM memory_words))
                         + (SELECT COUNT(*) FROM memory_words WHERE rowid NOT IN (SELECT seq FROM memory)) AS n""")
    return wrong + (int(row["n"]) if row else 0)


def bad_vectors(store: Store) -> list[tuple[str, str]]:
    """Vectors of a wrong length, with a number that is none, or not of length one."""
    import numpy as np

    if base := seals.server_of(store.connection):
        from dreamd.store.team import team_vectors

        return team_vectors.find_bad(base, [size // 2 for size in (VECTOR_BYTES, MULTILINGUAL_BYTES)], UNIT_TOLERANCE)
    rows = store.all("SELECT wording, model, body FROM vector")
    sizes = {size: [r for r in rows if isinstance(r["body"], bytes) and len(r["body"]) == size]
             for size in (VECTOR_BYTES, MULTILINGUAL_BYTES)}
    known = {(r["wording"], r["model"]) for some in sizes.values() for r in some}
    bad = [key for r in rows if (key := (r["wording"], r["model"])) not in known]
    for whole in filter(None, sizes.values()):
        matrix = np.frombuffer(b"".join(r["body"] for r in whole), dtype="<f2").reshape(len(whole), -1).astype(np.float32)
        off = ~(np.abs(np.linalg.norm(matrix, axis=1) - 1.0) < UNIT_TOLERANCE)
        bad += [(r["wording"], r["model"]) for r, wrong in zip(whole, off.tolist(), strict=True) if wrong]
    return bad
