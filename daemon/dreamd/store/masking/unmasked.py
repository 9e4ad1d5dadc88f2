"""Secrets that stand in a store in plain text: what was kept before today's rules, found and masked.

A statement is known by its words, so what is masked gets the id that the masked words give: the same conversation read once
more is then recognised. Vectors and verdicts of the old words go; the word index is made anew.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from dreamd.core import fsio
from dreamd.core.values import content_id, text_sha, with_context
from dreamd.store import derived, observations, seals
from dreamd.text.redaction import Redacted, mask_name, redact

UNFINISHED = "masking"
"""Stands in `meta` while copies of what was masked may still lie about."""
_WORDS: Mapping[str, tuple[str, ...]] = {
    "wording": ("text",), "observation": ("text", "context", "conversation", "key"), "fate": ("evidence", "reason"),
    "operation": ("evidence", "before", "after"), "run": ("reason", "warnings", "phases"), "source": ("path",),
    "cursor": ("carry", "talk"), "staged": ("path",), "judged": ("evidence",), "memory": ("reason",), "file": ("body",),
    "intent": ("body",), "link": (), "support": (), "recall": (), "tombstone": (), "vector": (), "vector_file": (),
    "migration": (), "meta": (), "unread": ("path",), "model_word": (),
    "model_call": (), "model_answer": ("value",), "tally": ("words", "open")}
"""Columns in which words stand. Of a table that is not named here every text is looked at."""
_JSON = frozenset({"evidence", "before", "after", "warnings", "phases", "talk", "value", "words", "open"})
NAMES = frozenset({"conversation", "key"})
Look = Callable[[str], Redacted]
"""How a text is looked through: anew each time, or once for all the places it stands in."""


@dataclass(frozen=True)
class Held:
    """One row that holds secrets: where, and of which kinds. Never the secrets."""

    table: str
    row: tuple[object, ...]
    kinds: tuple[str, ...]
    masked: Mapping[str, object]


def find_held(connection: sqlite3.Connection) -> Iterator[Held]:
    """Every row of a store in which a secret stands."""
    for table, columns in seals.load_columns(connection).items():
        names = [c.strip('"') for c in columns]
        key = _key_of(connection, table)
        looked_at = _WORDS.get(table, tuple(n for n in names if n not in key))
        looked_at = tuple(n for n in looked_at if n in names)
        if not looked_at:
            continue
        asked = ", ".join(f'"{c}"' for c in (*key, *looked_at))
        for row in connection.execute(f"SELECT {asked} FROM {table}").fetchall():
            kinds: list[str] = []
            masked = {c: fresh for c, value in zip(looked_at, tuple(row)[len(key):], strict=True)
                      if (fresh := masked_value(c, value, kinds)) != value}
            if masked:
                yield Held(table, tuple(row)[:len(key)], tuple(dict.fromkeys(kinds)), masked)


def memories_of(connection: sqlite3.Connection, wording: str) -> list[str]:
    """The memories that have a wording."""
    return [str(r[0]) for r in connection.execute("SELECT id FROM memory WHERE wording = ? ORDER BY id", (wording,))]


def mask_held(tx: sqlite3.Connection, found: Sequence[Held]) -> list[str]:
    """Mask rows that hold secrets; the memories whose words changed."""
    changed: list[str] = []
    shas: dict[str, str] = {}
    for one in found:
        if one.table == "wording":
            changed += _reword(tx, str(one.row[0]), str(one.masked["text"]), shas)
    ids: dict[str, str] = {}
    for one in found:
        if one.table == "wording":
            continue
        if one.table == "observation":
            _drop_derived_of(tx, one)
        values = dict(one.masked)
        if isinstance(values.get("body"), bytes):
            values["sha" if one.table == "file" else "new_sha"] = fsio.sha256_bytes(values["body"])  # type: ignore[arg-type]
        _update(tx, one.table, one.row, values)
        if one.table == "observation":
            _name_anew(tx, one.row[0], ids)
    _follow(tx, shas, ids)
    derived.rebuild_words(tx)
    return sorted(set(changed))


def masked_value(column: str, value: object, kinds: list[str], look: Look = redact) -> object:
    """What a column holds with the secrets in it masked, and their kinds."""
    if isinstance(value, bytes):
        try:
            return redacted(value.decode(), kinds, look).encode()
        except UnicodeDecodeError:
            return value
    if not isinstance(value, str) or not value:
        return value
    if column in NAMES:
        redacted(value, kinds, look)
        return mask_name(value)
    if column in _JSON and value[:1] in "[{":
        try:
            row = json.loads(value)
        except ValueError:
            return redacted(value, kinds, look)
        fresh = walk(row, kinds, look=look)
        return value if fresh == row else json.dumps(fresh, ensure_ascii=False, sort_keys=column in ("before", "after"))
    return redacted(value, kinds, look)


def walk(value: object, kinds: list[str], names: frozenset[str] = frozenset(), name: str = "", *,
         look: Look = redact) -> object:
    """A document with the words in it masked, and the kinds of the secrets; what stands under `names` as a name."""
    if isinstance(value, str):
        words = redacted(value, kinds, look)
        return mask_name(value) if name in names and words != value else words
    if isinstance(value, dict):
        return {k: walk(v, kinds, names, k, look=look) for k, v in value.items()}
    return [walk(v, kinds, names, name, look=look) for v in value] if isinstance(value, list) else value


def redacted(text: str, kinds: list[str], look: Look = redact) -> str:
    """A text masked, and the kinds of the secrets in it."""
    done = look(text)
    kinds += done.masks
    return done.text


def _reword(tx: sqlite3.Connection, old: str, text: str, shas: dict[str, str]) -> list[str]:
    """Give the memories of a wording the masked one; two that differed in a secret alone share it from now on."""
    new = text_sha(text)
    shas[old] = new
    owners = memories_of(tx, old)
    tx.execute("INSERT INTO wording VALUES (?, ?) ON CONFLICT DO NOTHING", (new, text))
    tx.execute("UPDATE memory SET wording = ? WHERE wording = ?", (new, old))
    tx.execute("DELETE FROM wording WHERE sha = ?", (old,))
    derived.drop_vectors(tx, old)
    derived.drop_verdicts(tx, old)
    return owners


def _drop_derived_of(tx: sqlite3.Connection, one: Held) -> None:
    text, context = tx.execute("SELECT text, context FROM observation WHERE seq = ?", one.row).fetchone()
    for words in (text, with_context(text, context)):
        derived.drop_vectors(tx, text_sha(words))
    derived.drop_verdicts(tx, text_sha(text), of=int(str(one.row[0])))


def _name_anew(tx: sqlite3.Connection, seq: object, ids: dict[str, str]) -> None:
    """The id that the masked words give; a statement that was read again since has it already, and both stay."""
    row = tx.execute(f"{observations.JOINED} WHERE o.seq = ?", (seq,)).fetchone()
    one = observations.read_row(row)
    fresh = content_id("key", one.key) if one.key else observations.said_id(one)
    if fresh != one.id and tx.execute("SELECT 1 FROM observation WHERE id = ?", (fresh,)).fetchone() is None:
        tx.execute("UPDATE observation SET id = ? WHERE seq = ?", (fresh, seq))
        ids[one.id] = fresh


def _follow(tx: sqlite3.Connection, shas: Mapping[str, str], ids: dict[str, str]) -> None:
    """Bring along what names a wording or a statement by its hash."""
    for column in ("before", "after"):
        for run, seq, raw in tx.execute(f"SELECT run, seq, {column} FROM operation WHERE {column} IS NOT NULL").fetchall():
            kept = json.loads(raw)
            if kept.get("wording") in shas:
                kept["wording"] = shas[kept["wording"]]
                tx.execute(f"UPDATE operation SET {column} = ? WHERE run = ? AND seq = ?",
                           (json.dumps(kept, ensure_ascii=False, sort_keys=True), run, seq))
    for old, new in list(ids.items()):
        for (seq,) in tx.execute("SELECT seq FROM observation WHERE target = ?", (f"said:{old}",)).fetchall():
            tx.execute("UPDATE observation SET target = ? WHERE seq = ?", (f"said:{new}", seq))
            _name_anew(tx, seq, ids)


def _update(tx: sqlite3.Connection, table: str, row: tuple[object, ...], values: Mapping[str, object]) -> None:
    key = _key_of(tx, table)
    sets = ", ".join(f'"{c}" = ?' for c in values)
    where = " AND ".join(f'"{c}" = ?' for c in key)
    tx.execute(f"UPDATE {table} SET {sets} WHERE {where}", (*values.values(), *row))


def _key_of(connection: sqlite3.Connection, table: str) -> tuple[str, ...]:
    if seals.server_of(connection):
        from dreamd.store.team.shape import wanted

        return tuple(c.name for c in sorted(wanted()[table].columns, key=lambda c: c.key) if c.key)
    columns = connection.execute(f"PRAGMA main.table_info({table})").fetchall()
    return tuple(str(c[1]) for c in sorted(columns, key=lambda c: c[5]) if c[5])
