"""The shape of a team's store: that of the file, with a tenant at the end of every row.

It is read from an empty store of this version, so that there is one owner of what a table holds. A database of an older
version gets what it lacks: tables, columns and indexes, in one transaction with its receipt.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import cache

from dreamd.store import schema
from dreamd.store.team import vector_places, waiting

SCHEMA = "dream"
WORDS = ("memory_words", "memory_length", "memory_total")
"""The word search has tables of its own, for SQLite's index is none that another engine could read."""
MACHINES = "machine"
"""The machines that hold a copy of a tenant, and when each last brought it up to date."""
STANDINGS = ("reader", "member", "curator")
"""What somebody may be in a tenant: one who looks, one who says something too, one who also pins and decides."""
COUNTED, BUT = "'smallint', 'integer', 'bigint', 'integer[]', 'numeric', 'double precision'", "'word_key', 'talk_key'"
"""Of numbers, but those that are made of words, the server counts common values: by its guesses EXPLAIN would tell everybody
what others often say, where, and who they are."""
KINDS = "'tenant', 'status', 'class', 'type', 'model', 'origin', 'sign', 'fate', 'op', 'kind'"
"""And of tenants and of what dream's own words name: without, a question in a small scope took ten times as long."""
_TYPES = {"TEXT": "text", "INTEGER": "bigint", "BLOB": "bytea", "REAL": "double precision"}


@dataclass(frozen=True)
class Column:
    """One column; `key` is its place in the primary key, 0 for none."""

    name: str
    kind: str
    required: bool
    default: str | None
    key: int


@dataclass(frozen=True)
class Table:
    """One table as SQLite knows it."""

    name: str
    columns: tuple[Column, ...]
    references: tuple[tuple[str, str, str], ...]
    """Column, table and column referred to."""
    indexes: tuple[tuple[str, bool, str, str], ...]
    """Name, whether it is unique, columns, and where."""

    @property
    def counted(self) -> str:
        """The column that SQLite numbers by itself; empty for none."""
        keys = [c for c in self.columns if c.key]
        referring = {column for column, _, _ in self.references}
        only = keys[0] if len(keys) == 1 and keys[0].kind == "INTEGER" else None
        return only.name if only and only.name not in referring and only.name == "seq" else ""


@cache
def wanted() -> Mapping[str, Table]:
    """Every table of this version but those of the word search."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as empty:
        schema.migrate(empty, founding=None)
        names = [str(row[0]) for row in empty.execute("""SELECT name FROM sqlite_master WHERE type = 'table'
                     AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'memory_words%' ORDER BY rowid""")]
        return {name: _table(empty, name) for name in names}


def _table(empty: sqlite3.Connection, name: str) -> Table:
    columns = tuple(Column(str(c[1]), str(c[2]), bool(c[3] or c[5]), c[4], int(c[5]))
                    for c in empty.execute(f"PRAGMA table_info({name})"))
    references = tuple((str(r[3]), str(r[2]), str(r[4])) for r in empty.execute(f"PRAGMA foreign_key_list({name})"))
    indexes = []
    for _, index, unique, origin, _ in empty.execute(f"PRAGMA index_list({name})").fetchall():
        if origin == "pk":
            continue
        cells = ", ".join(f'"{c[2]}"' for c in empty.execute(f"PRAGMA index_info({index})"))
        row = empty.execute("SELECT sql FROM sqlite_master WHERE name = ?", (index,)).fetchone()
        where = re.search(r"WHERE (.+)$", row[0] or "", re.DOTALL) if row else None
        own = f"{name}_{'_'.join(re.findall(r'[a-z_]+', cells))}" if index.startswith("sqlite_") else index
        indexes.append((own, bool(unique), cells, where[1] if where else ""))
    return Table(name, columns, references, tuple(indexes))


def create(vectors: str) -> Iterator[str]:
    """Everything a new database needs, in order; said again it changes nothing but what is missing.

    `vectors` is where the types of pgvector are.
    """
    yield f"SET LOCAL search_path = {SCHEMA}, pg_temp"
    yield from _ground()
    yield from _seals()
    yield from vector_places.ground(vectors)
    # Vectors are derived: those of before lay as bytes, and the nights make them anew.
    yield f"""DO $$ BEGIN IF EXISTS (SELECT 1 FROM pg_attribute WHERE attrelid = to_regclass('{SCHEMA}.vector')
        AND attname = 'body' AND atttypid = 'bytea'::regtype) THEN DROP TABLE {SCHEMA}.vector; END IF; END $$"""
    for table in wanted().values():
        yield from _create(table, vectors)
    yield from vector_places.triggers()
    yield from _words()
    yield from _machines()
    yield from waiting.create(SCHEMA)
    for name in guarded():
        yield from _guard(name)
    yield from _roles()
    yield fixed_paths(SCHEMA)


def guarded() -> tuple[str, ...]:
    """Every table with rows of tenants."""
    return (*wanted(), *WORDS, MACHINES, waiting.TABLE, "seal")


def _ground() -> Iterator[str]:
    """Who belongs to which tenant, and the one question that every row asks."""
    yield "CREATE TABLE IF NOT EXISTS tenant (name text PRIMARY KEY, created_at timestamptz NOT NULL DEFAULT now())"
    yield """CREATE TABLE IF NOT EXISTS member (
        role text NOT NULL, tenant text NOT NULL REFERENCES tenant (name) ON DELETE CASCADE, PRIMARY KEY (role, tenant))"""
    yield f"""CREATE OR REPLACE FUNCTION tenant() RETURNS text LANGUAGE plpgsql STABLE SECURITY DEFINER
        SET search_path = {SCHEMA}, pg_temp AS $$
        DECLARE bound text := current_setting('dream.tenant', true);
        BEGIN
          IF bound IS NULL OR bound = '' THEN
            RAISE EXCEPTION 'no tenant is bound' USING ERRCODE = 'DR001';
          END IF;
          IF NOT EXISTS (SELECT 1 FROM member m WHERE m.role = session_user AND m.tenant = bound)
             AND NOT EXISTS (SELECT 1 FROM tenant t JOIN pg_namespace n ON n.nspname = '{SCHEMA}'
                             WHERE t.name = bound AND pg_get_userbyid(n.nspowner) = session_user) THEN
            RAISE EXCEPTION 'no member of this tenant' USING ERRCODE = 'DR002';
          END IF;
          RETURN bound;
        END $$"""
    told = ", ".join(f"'{one}'" for one in STANDINGS)
    yield f"""ALTER TABLE member ADD COLUMN IF NOT EXISTS standing text NOT NULL DEFAULT 'member'
        CHECK (standing IN ({told}))"""
    yield f"""CREATE OR REPLACE FUNCTION standing() RETURNS text LANGUAGE plpgsql STABLE SECURITY DEFINER
        SET search_path = {SCHEMA}, pg_temp AS $$
        DECLARE bound text := tenant();
        BEGIN RETURN COALESCE((SELECT m.standing FROM member m WHERE m.role = session_user AND m.tenant = bound),
                              'curator'); END $$"""
    yield f"""CREATE OR REPLACE FUNCTION writing_tenant() RETURNS text LANGUAGE plpgsql STABLE SECURITY DEFINER
        SET search_path = {SCHEMA}, pg_temp AS $$
        BEGIN
          IF standing() = 'reader' THEN RAISE EXCEPTION 'a reader writes nothing' USING ERRCODE = 'DR003'; END IF;
          -- Others see who belongs here as it was when their transaction began, and whoever was let go would write on in one.
          IF current_setting('transaction_isolation') <> 'read committed' THEN
            RAISE EXCEPTION 'only READ COMMITTED writes' USING ERRCODE = '25001';
          END IF;
          RETURN tenant();
        END $$"""
    yield """CREATE OR REPLACE FUNCTION json_each(listed text) RETURNS TABLE (value text) LANGUAGE sql IMMUTABLE ROWS 100
        AS $$ SELECT jsonb_array_elements_text(listed::jsonb) $$"""
    yield """CREATE OR REPLACE FUNCTION json_extract(document text, path text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
        SELECT CASE jsonb_typeof(found) WHEN 'boolean' THEN (found::text = 'true')::int::text ELSE found #>> '{}' END
        FROM (SELECT document::jsonb #> string_to_array(substr(path, 3), '.') AS found) one $$"""
    yield """CREATE OR REPLACE FUNCTION json_cells(VARIADIC cells text[]) RETURNS text LANGUAGE sql IMMUTABLE
        AS $$ SELECT to_jsonb(cells)::text $$"""
    yield """CREATE OR REPLACE FUNCTION json_valid(document text) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$
        BEGIN PERFORM document::jsonb; RETURN TRUE; EXCEPTION WHEN OTHERS THEN RETURN FALSE; END $$"""


def _seals() -> Iterator[str]:
    """The sums that tell whether another program changed a row, and what counts them."""
    yield """CREATE TABLE IF NOT EXISTS seal (name text NOT NULL, total numeric NOT NULL,
        tenant text NOT NULL DEFAULT tenant() REFERENCES tenant (name) ON DELETE CASCADE, PRIMARY KEY (tenant, name))"""
    # How often another program changed the table, how often it had when the table was last found sound, and when that was.
    yield """ALTER TABLE seal ADD COLUMN IF NOT EXISTS past bigint NOT NULL DEFAULT 0,
        ADD COLUMN IF NOT EXISTS looked_past bigint NOT NULL DEFAULT 0, ADD COLUMN IF NOT EXISTS looked_at timestamptz"""
    yield """CREATE OR REPLACE FUNCTION row_hash(line text) RETURNS numeric LANGUAGE sql IMMUTABLE
        AS $$ SELECT (('x' || left(md5(line), 16))::bit(64)::bigint)::numeric $$"""
    yield f"""CREATE OR REPLACE FUNCTION count_in_seal() RETURNS trigger LANGUAGE plpgsql AS $$
        DECLARE change numeric := 0;
        BEGIN
          IF current_setting('dream.sealing', true) IS DISTINCT FROM 'on' THEN
            IF TG_OP = 'DELETE' THEN
              UPDATE {SCHEMA}.seal s SET past = s.past + 1
                WHERE s.name = TG_TABLE_NAME AND s.tenant IN (SELECT o.tenant FROM gone o);
            ELSE
              INSERT INTO {SCHEMA}.seal AS s (tenant, name, total, past)
                SELECT DISTINCT n.tenant, TG_TABLE_NAME, 0, 1 FROM fresh n ORDER BY n.tenant
                ON CONFLICT (tenant, name) DO UPDATE SET past = s.past + 1;
            END IF;
            RETURN NULL;
          END IF;
          IF TG_OP <> 'INSERT' THEN change := change - COALESCE((SELECT sum(row_hash(o::text)) FROM gone o), 0); END IF;
          IF TG_OP <> 'DELETE' THEN change := change + COALESCE((SELECT sum(row_hash(n::text)) FROM fresh n), 0); END IF;
          IF change <> 0 THEN
            INSERT INTO seal (name, total) VALUES (TG_TABLE_NAME, change)
              ON CONFLICT (tenant, name) DO UPDATE SET total = seal.total + excluded.total;
          END IF;
          RETURN NULL;
        END $$"""


def _create(table: Table, vectors: str) -> Iterator[str]:
    counted = table.counted
    kinds = {**_TYPES, "BLOB": vector_places.kind_of_vectors(vectors)} if table.name == "vector" else _TYPES
    if counted:
        # As in a file: one more than the highest. Only one writer is at work in a tenant, so no number is given twice.
        yield f"""CREATE OR REPLACE FUNCTION next_{table.name}() RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$
            BEGIN RETURN (SELECT COALESCE(MAX({counted}), 0) + 1 FROM {SCHEMA}.{table.name}); END $$"""
    lines = [_column(table, c, kinds) for c in table.columns]
    lines.append("tenant text NOT NULL DEFAULT tenant() REFERENCES tenant (name) ON DELETE CASCADE")
    lines += vector_places.COLUMNS.get(table.name, ())
    keys = ", ".join(f'"{c.name}"' for c in sorted(table.columns, key=lambda c: c.key) if c.key)
    lines.append(f"PRIMARY KEY (tenant, {keys}{', scope' if table.name == 'vector' else ''})")
    for _, unique, cells, where in table.indexes:
        if unique and not where:
            lines.append(f"UNIQUE (tenant, {cells})")
    for referring, other, there in table.references:
        lines.append(f'FOREIGN KEY (tenant, "{referring}") REFERENCES {other} (tenant, "{there}") ON DELETE CASCADE')
    yield f"CREATE TABLE IF NOT EXISTS {table.name} ({', '.join(lines)})"
    for column in table.columns:
        if not column.key:
            yield f"ALTER TABLE {table.name} ADD COLUMN IF NOT EXISTS {_column(table, column, kinds)}"
    for more in vector_places.COLUMNS.get(table.name, ()):
        yield f"ALTER TABLE {table.name} ADD COLUMN IF NOT EXISTS {more}"
    for name, cells, where in vector_places.INDEXES.get(table.name, ()):
        yield f"CREATE INDEX IF NOT EXISTS {name} ON {table.name} ({cells}){f' WHERE {where}' if where else ''}"
    for name, unique, cells, where in table.indexes:
        if not (unique and not where):
            only = f" WHERE {where}" if where else ""
            yield f"CREATE {'UNIQUE ' if unique else ''}INDEX IF NOT EXISTS {name} ON {table.name} (tenant, {cells}){only}"


def _column(table: Table, column: Column, kinds: Mapping[str, str]) -> str:
    default = f" DEFAULT next_{table.name}()" if column.name == table.counted else (
        f" DEFAULT {column.default}" if column.default is not None else "")
    return f'"{column.name}" {kinds[column.kind]}{" NOT NULL" if column.required else ""}{default}'


def _words() -> Iterator[str]:
    tenant = "tenant text NOT NULL DEFAULT tenant() REFERENCES tenant (name) ON DELETE CASCADE"
    yield f"""CREATE TABLE IF NOT EXISTS memory_words (memory bigint NOT NULL, word text NOT NULL, places int[] NOT NULL,
        {tenant}, PRIMARY KEY (tenant, word, memory))"""
    yield "CREATE INDEX IF NOT EXISTS memory_words_of ON memory_words (tenant, memory)"
    yield f"""CREATE TABLE IF NOT EXISTS memory_length (memory bigint NOT NULL, words int NOT NULL, {tenant},
        PRIMARY KEY (tenant, memory))"""
    # How many memories have how many words in all: a rank needs both, and must not count them anew for each question.
    yield f"""CREATE TABLE IF NOT EXISTS memory_total (memories bigint NOT NULL, words bigint NOT NULL, {tenant},
        PRIMARY KEY (tenant))"""
    yield """CREATE OR REPLACE FUNCTION count_words() RETURNS trigger LANGUAGE plpgsql AS $$
        DECLARE sign int := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END; n bigint; total bigint;
        BEGIN
          SELECT sign * COUNT(*), sign * COALESCE(SUM(c.words), 0) INTO n, total FROM changed c;
          IF n <> 0 THEN
            INSERT INTO memory_total (memories, words) VALUES (n, total)
              ON CONFLICT (tenant) DO UPDATE SET memories = memory_total.memories + n, words = memory_total.words + total;
          END IF;
          RETURN NULL;
        END $$"""
    for event, rows in (("INSERT", "NEW"), ("DELETE", "OLD")):
        yield f"""CREATE OR REPLACE TRIGGER total_{event.lower()} AFTER {event} ON memory_length
            REFERENCING {rows} TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_words()"""


def _machines() -> Iterator[str]:
    yield f"""CREATE TABLE IF NOT EXISTS {MACHINES} (member text NOT NULL DEFAULT session_user, name text NOT NULL,
        at text NOT NULL, graves bigint NOT NULL DEFAULT 0,
        tenant text NOT NULL DEFAULT tenant() REFERENCES tenant (name) ON DELETE CASCADE,
        PRIMARY KEY (tenant, member, name))"""


def _roles() -> Iterator[str]:
    """Whose word an observation is, told by the server itself; and that only a curator pins."""
    yield """CREATE OR REPLACE FUNCTION keep_voice() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          INSERT INTO voice (observation, member, machine)
            SELECT f.seq, session_user, COALESCE(current_setting('dream.machine', true), '') FROM fresh f
            ON CONFLICT DO NOTHING;
          RETURN NULL;
        END $$"""
    yield """CREATE OR REPLACE TRIGGER voices AFTER INSERT ON observation REFERENCING NEW TABLE AS fresh
        FOR EACH STATEMENT EXECUTE FUNCTION keep_voice()"""
    yield """CREATE OR REPLACE FUNCTION keep_pin() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          -- What is written over itself comes by here as well, and changes no pin.
          IF standing() <> 'curator' AND NOT EXISTS (
              SELECT 1 FROM memory m WHERE m.tenant = tenant() AND m.id = NEW.id AND m.pinned = NEW.pinned) THEN
            RAISE EXCEPTION 'only a curator pins' USING ERRCODE = 'DR004';
          END IF;
          RETURN NEW;
        END $$"""
    yield """CREATE OR REPLACE TRIGGER pins_new BEFORE INSERT ON memory FOR EACH ROW WHEN (NEW.pinned <> 0)
        EXECUTE FUNCTION keep_pin()"""
    yield """CREATE OR REPLACE TRIGGER pins BEFORE UPDATE ON memory FOR EACH ROW WHEN (NEW.pinned <> OLD.pinned)
        EXECUTE FUNCTION keep_pin()"""


def _guard(name: str) -> Iterator[str]:
    """Let nobody see or write a row of another tenant, not even who owns the table."""
    yield f"ALTER TABLE {name} ENABLE ROW LEVEL SECURITY"
    yield f"ALTER TABLE {name} FORCE ROW LEVEL SECURITY"
    yield f"DROP POLICY IF EXISTS own ON {name}"
    for policy in ("own_new", "own_change", "own_end"):
        yield f"DROP POLICY IF EXISTS {policy} ON {name}"
    yield uncounted(name, but=KINDS)
    # Asked once a statement and not once a row.
    yield f"CREATE POLICY own ON {name} FOR SELECT USING (tenant = (SELECT tenant()))"
    mine, changed = "tenant = (SELECT writing_tenant())", "tenant = (SELECT writing_tenant())"
    if name == MACHINES:  # a reader has a copy too, and everybody speaks for their own alone
        mine = changed = "tenant = (SELECT tenant()) AND (member = session_user OR (SELECT standing()) = 'curator')"
    elif name == "voice":  # nobody speaks with another's voice; whoever brings a whole tenant back is a curator
        mine = f"{mine} AND (member = session_user OR (SELECT standing()) = 'curator')"
        changed = f"{changed} AND (SELECT standing()) = 'curator'"
    yield f"CREATE POLICY own_new ON {name} FOR INSERT WITH CHECK ({mine})"
    yield f"CREATE POLICY own_change ON {name} FOR UPDATE USING ({changed}) WITH CHECK ({changed})"
    yield f"CREATE POLICY own_end ON {name} FOR DELETE USING ({changed})"
    if name not in wanted():
        return
    for event, tables in (("INSERT", "NEW TABLE AS fresh"), ("DELETE", "OLD TABLE AS gone"),
                          ("UPDATE", "OLD TABLE AS gone NEW TABLE AS fresh")):
        yield f"""CREATE OR REPLACE TRIGGER seal_{event.lower()} AFTER {event} ON {name} REFERENCING {tables}
            FOR EACH STATEMENT EXECUTE FUNCTION count_in_seal()"""


def uncounted(table: str, *, but: str = "''") -> str:
    """Have the server count no common values in a table but of numbers."""
    return f"""DO $$ DECLARE one name; BEGIN FOR one IN SELECT attname FROM pg_attribute WHERE attrelid = '{table}'::regclass
        AND attnum > 0 AND NOT attisdropped AND attname NOT IN ({but})
        AND (format_type(atttypid, -1) NOT IN ({COUNTED}) OR attname IN ({BUT})) LOOP
        EXECUTE format('ALTER TABLE {table} ALTER COLUMN %I SET STATISTICS 0', one); END LOOP; END $$"""


def fixed_paths(schema: str) -> str:
    """Have every function with steps find what it names in its own schema: whoever calls one may have tables of such names."""
    return f"""DO $$ DECLARE one regprocedure; BEGIN FOR one IN SELECT p.oid FROM pg_proc p
        JOIN pg_language l ON l.oid = p.prolang WHERE p.pronamespace = '{schema}'::regnamespace
          AND (l.lanname = 'plpgsql' OR p.proname LIKE 'procrastinate%') LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = {schema}, pg_temp', one); END LOOP; END $$"""


def open_to(role: str) -> Iterator[str]:
    """What a role may do that works here: rows, and nothing of their shape."""
    yield f"GRANT USAGE ON SCHEMA {SCHEMA} TO {role}"
    yield f"REVOKE ALL ON ALL TABLES IN SCHEMA {SCHEMA} FROM {role}"
    for name in guarded():
        yield f"GRANT SELECT, INSERT, UPDATE, DELETE ON {SCHEMA}.{name} TO {role}"
