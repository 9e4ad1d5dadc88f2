"""Where vectors lie in a team's store: each with every scope in which its words stand, so that a search reads no other scope.

The server keeps this right by itself: a vector is put into the scopes that say its words when it is written, and into a new
one when a memory or an observation comes there. What is in no scope yet is looked at from everywhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dreamd.core.errors import ConfigError

NEEDED = (0, 7)
"""Halves of floats came with this version."""
COLUMNS = {
    "vector": ("scope text NOT NULL DEFAULT ''",),
    "observation": ("word_key bigint GENERATED ALWAYS AS (word_key(text)) STORED", """talk_key bigint
        GENERATED ALWAYS AS (CASE WHEN context <> '' THEN word_key(context || ' ' || text) END) STORED"""),
}
"""What rows hold beside what a file does. By its keys an observation is found from the hash of its words."""
INDEXES = {
    "vector": (("vector_scope", "tenant, scope, model", ""),),
    "observation": (("observation_words", "tenant, word_key", ""),
                    ("observation_talk", "tenant, talk_key", "talk_key IS NOT NULL"),
                    ("observation_target", "tenant, target", ""),
                    ("observation_scope", "tenant, scope", ""),
                    ("observation_sign", "tenant, sign", "sign <> ''")),
}
_MEMORY, _OBSERVATION = "n.wording", "encode(sha256(convert_to(n.{}, 'UTF8')), 'hex')"


def ask_for_vectors(base: Any, schema: str) -> str:
    """Where the extension's types are, which is made where the role may.

    Raises ConfigError where the server has none or an old one.
    """
    install = "`apt install postgresql-15-pgvector` or what your server's packages call it, then again; nothing was changed"
    offered = base.execute("SELECT default_version FROM pg_available_extensions WHERE name = 'vector'").fetchone()
    if offered is None:
        raise ConfigError("the server has no pgvector", hint=install)
    found = base.execute("""SELECT n.nspname, e.extversion FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace
                            WHERE e.extname = 'vector'""").fetchone()
    version = found[1] if found else offered[0]
    if tuple(int(part) for part in version.split(".")[:2]) < NEEDED:
        raise ConfigError(f"the server's pgvector is {version}, a team's store needs 0.7 or later", hint=install)
    if found is not None:
        return str(found[0])
    if not base.execute("""SELECT r.rolsuper FROM pg_roles r WHERE r.rolname = session_user""").fetchone()[0]:
        trusted = base.execute("""SELECT trusted FROM pg_available_extension_versions
                                  WHERE name = 'vector' AND version = %s""", (version,)).fetchone()[0]
        if not trusted:
            raise ConfigError("the database has no pgvector yet, and this role may not make it",
                              hint="a superuser says `CREATE EXTENSION vector` in this database once; nothing was changed")
    base.execute(f"CREATE EXTENSION vector WITH SCHEMA {schema}")
    return schema


def ground(place: str) -> Iterator[str]:
    """The functions by which vectors are told and compared, wherever the extension's own are."""
    half = f'"{place}".halfvec'
    yield """CREATE OR REPLACE FUNCTION word_key(words text) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT
        AS $$ SELECT ('x' || left(encode(sha256(convert_to(words, 'UTF8')), 'hex'), 16))::bit(64)::bigint $$"""
    for name, given, gives, what in (("as_vector", "text", half, f"$1::{half}"),
                                     ("dims", half, "int", f'"{place}".vector_dims($1)'),
                                     ("norm", half, "float8", f'"{place}".l2_norm($1)'),
                                     ("far", f"{half}, {half}", "float8", f'$1 OPERATOR("{place}".<=>) $2')):
        yield f"""CREATE OR REPLACE FUNCTION {name}({given}) RETURNS {gives} LANGUAGE sql IMMUTABLE PARALLEL SAFE
            AS $$ SELECT {what} $$"""


def kind_of_vectors(place: str) -> str:
    """The type of a vector's column."""
    return f'"{place}".halfvec'


def triggers() -> Iterator[str]:
    """What puts the vectors of words into a scope where these come to stand."""
    told = {"memory": (_MEMORY,), "observation": (_OBSERVATION.format("text"), _OBSERVATION.format("context || ' ' || n.text"))}
    for table, shas in told.items():
        fresh = " UNION ".join(f"SELECT {sha} || part AS wording, n.scope FROM fresh n, (VALUES (''), ('/abroad')) AS p (part)"
                               for sha in shas)
        yield f"""CREATE OR REPLACE FUNCTION place_{table}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            INSERT INTO vector (wording, model, body, scope)
              SELECT DISTINCT ON (v.wording, v.model, s.scope) v.wording, v.model, v.body, s.scope
              FROM ({fresh}) AS s JOIN vector v ON v.wording = s.wording
              WHERE NOT EXISTS (SELECT 1 FROM vector h WHERE h.wording = v.wording AND h.model = v.model AND h.scope = s.scope)
              ON CONFLICT DO NOTHING;
            DELETE FROM vector v USING ({fresh}) AS s WHERE v.wording = s.wording AND v.scope = '';
            RETURN NULL; END $$"""
        for event in ("INSERT", "UPDATE"):
            yield f"""CREATE OR REPLACE TRIGGER place_{event.lower()} AFTER {event} ON {table} REFERENCING NEW TABLE AS fresh
                FOR EACH STATEMENT EXECUTE FUNCTION place_{table}()"""


WRITE = """WITH told (wording, model, body, key) AS (VALUES (%(wording)s, %(model)s, as_vector(%(body)s), %(key)s::bigint)),
  place AS (SELECT m.scope FROM memory m JOIN told ON m.wording = left(told.wording, 64)
            UNION SELECT o.scope FROM observation o JOIN told ON o.word_key = told.key
            UNION SELECT o.scope FROM observation o JOIN told ON o.talk_key = told.key)
INSERT INTO vector (wording, model, body, scope) SELECT told.wording, told.model, told.body, place.scope
  FROM told, (SELECT scope FROM place UNION ALL SELECT '' WHERE NOT EXISTS (SELECT 1 FROM place)) AS place
ON CONFLICT (tenant, wording, model, scope) DO UPDATE SET body = excluded.body"""
"""A vector, put wherever its words stand."""


def key_of(wording: str) -> int | None:
    """The key of an observation whose words have a hash; None for what is no hash."""
    try:
        return int.from_bytes(bytes.fromhex(wording[:16]), "big", signed=True)
    except ValueError:
        return None
