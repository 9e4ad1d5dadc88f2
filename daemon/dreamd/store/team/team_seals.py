"""Seals of a team's store: the server counts them in the transaction that changes the rows, where dream changes them.

A trigger adds up only in a session that says it is dream's: what another program changes leaves a seal that does not fit,
and is counted. So a table that was found sound is not read again until another program changed it or a day is over.
"""

from __future__ import annotations

from collections.abc import Mapping
from zlib import crc32

from dreamd.store.team.database import Database
from dreamd.store.team.shape import SCHEMA, WORDS, wanted

LONGEST_S, SPREAD_S = 24 * 3600, 6 * 3600
"""After so long a table is read again, whatever is known of it: a disk tells nobody what it does. The tables of a tenant, and
the tenants of a server, come due at different times within the spread before that, so that no hour bears all of it."""
WORD_INDEX = WORDS[0]


def load_columns(*, only: frozenset[str] | None = None) -> dict[str, tuple[str, ...]]:
    """The tables that are sealed, with their columns, quoted."""
    return {name: tuple(f'"{c.name}"' for c in table.columns) for name, table in wanted().items()
            if only is None or name in only}


def broken(base: Database, but: frozenset[str]) -> list[str]:
    """The tables whose rows are not what dream wrote."""
    looked_at = [name for name in wanted() if name not in but]
    asked = " UNION ALL ".join(f"""SELECT '{name}' WHERE (SELECT COALESCE(sum(row_hash(t::text)), 0) FROM {name} t)
        <> COALESCE((SELECT total FROM seal WHERE name = '{name}'), 0)""" for name in looked_at)
    return sorted(str(row[0]) for row in base.ask(asked)) if looked_at else []


def find_due(base: Database) -> dict[str, int]:
    """The tables that have to be looked over, the word index among them, and how often another program changed each.

    A database of an older dream counts no such changes: there it is always all of them.
    """
    names = [*wanted(), WORD_INDEX]
    if not _keeps_looks(base):
        return dict.fromkeys(names, 0)
    longest = [LONGEST_S - crc32(f"{base.tenant} {name}".encode()) % SPREAD_S for name in names]
    rows = base.ask("""SELECT w.name, COALESCE(s.past, 0) FROM unnest(%s::text[], %s::float8[]) w (name, longest_s)
        LEFT JOIN seal s ON s.name = w.name WHERE s.looked_at IS NULL OR s.past <> s.looked_past
        OR extract(epoch FROM now() - s.looked_at) NOT BETWEEN 0 AND w.longest_s""", (names, longest))
    return {str(name): int(past) for name, past in rows}


def mark_looked(base: Database, sound: Mapping[str, int]) -> None:
    """Remember that tables were found sound, as `find_due` gave them in the transaction that looked."""
    if sound and _keeps_looks(base):
        base.ask("""INSERT INTO seal AS s (name, total, looked_past, looked_at)
            SELECT w.name, 0, w.past, now() FROM unnest(%s::text[], %s::bigint[]) w (name, past)
            ON CONFLICT (tenant, name) DO UPDATE SET looked_past = excluded.looked_past, looked_at = excluded.looked_at""",
                 (list(sound), list(sound.values())))


def _keeps_looks(base: Database) -> bool:
    return bool(base.ask("""SELECT 1 FROM pg_attribute WHERE attrelid = to_regclass('seal') AND attname = 'looked_at'
                            AND NOT attisdropped"""))


def lost_tables(base: Database) -> list[str]:
    """Tables that were sealed and are gone."""
    rows = base.ask("SELECT name FROM seal EXCEPT SELECT tablename FROM pg_tables WHERE schemaname = %s", (SCHEMA,))
    return sorted(str(row[0]) for row in rows)


def renew(base: Database, name: str) -> None:
    """Seal one table as it stands."""
    base.ask(f"""INSERT INTO seal (name, total) SELECT '{name}', COALESCE(sum(row_hash(t::text)), 0) FROM {name} t
                 ON CONFLICT (tenant, name) DO UPDATE SET total = excluded.total""")


def missing(base: Database) -> list[str]:
    """What a database lacks of the shape of a team's store, in words."""
    there = {(str(r[0]), str(r[1])) for r in base.ask("""SELECT c.relname, a.attname FROM pg_attribute a
        JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = %s AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped""", (SCHEMA,))}
    tables = {name for name, _ in there}
    faults = [f"table `{name}` is missing" for name in sorted(wanted().keys() - tables)]
    faults += [f"column `{t.name}.{c.name}` is missing" for t in wanted().values() for c in t.columns
               if t.name in tables and (t.name, c.name) not in there]
    indexes = {str(r[0]) for r in base.ask("SELECT indexname FROM pg_indexes WHERE schemaname = %s", (SCHEMA,))}
    return faults + [f"index `{i[0]}` is missing" for t in wanted().values() for i in t.indexes
                     if i[0] not in indexes and not (i[1] and not i[3])]
