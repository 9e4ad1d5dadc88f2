"""What a language model was asked and what that used: every call, what it answered, and what came of its answers.

A call has its row before it is made, with the most it may use, and keeps these figures unless it comes to a known end: a
process that died in between has used the worst case. No row here holds what was asked; an answer is kept under a keyed
hash of what was.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from dreamd.core.clock import iso, parse_instant
from dreamd.models.language_model import Ending, Used
from dreamd.store.connection import Store
from dreamd.store.presence.sound_rows import sound_row

MOST_CALLS = 200_000
RESTS = "language model rests"
"""The fact that says why no model is asked for some time, and when that ends."""
_COLUMNS = ("seq, at, run, role, prompt, scope, model, tokens_in, cached, tokens_out, seconds, cost, ending, detail, retry_at, "
            "moved")


@dataclass(frozen=True)
class Call:
    """One call; `ending` is None while it is out, and for good where whoever made it died."""

    seq: int
    at: datetime
    run: int
    role: str
    prompt: str
    scope: str
    model: str
    used: Used
    ending: Ending | None = None
    detail: str = ""
    retry_at: datetime | None = None
    moved: bool = True
    """Whether what was answered led to anything."""


@dataclass(frozen=True)
class Spent:
    """What some calls used together; calls whose price nobody knows add nothing to the cost."""

    requests: int = 0
    tokens_in: int = 0
    cached: int = 0
    tokens_out: int = 0
    seconds: float = 0.0
    cost: float = 0.0
    priced: int = 0

    @property
    def tokens(self) -> int:
        """In and out, cached ones too."""
        return self.tokens_in + self.tokens_out


@dataclass(frozen=True)
class Kept:
    """What was answered before, or how it failed for good."""

    ending: Ending
    model: str
    value: Mapping[str, object] | None


@dataclass(frozen=True)
class Rest:
    """Why no model is asked for some time."""

    why: str
    """The name of a ceiling, or of what is wrong."""
    until: datetime
    since: datetime
    day: str = ""
    """When it goes on, by the days of the store's zone."""
    most: float | None = None
    """What the ceiling was: one that a person has raised since is none."""


def reserve(tx: sqlite3.Connection, call: Call, *, request: str) -> int:
    """Write a call down before it is made, with the most it may use; gives its number."""
    row = tx.execute(
        """INSERT INTO model_call (at, run, role, prompt, scope, request, model, tokens_in, tokens_out, seconds, cost)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING seq""",
        (iso(call.at), call.run, call.role, call.prompt, call.scope, request, call.model, call.used.tokens_in,
         call.used.tokens_out, call.used.seconds, call.used.cost)).fetchone()
    return int(row[0])


def settle(tx: sqlite3.Connection, call: Call) -> None:
    """Put what a call used and how it ended in the place of the worst case."""
    used = call.used
    tx.execute("""UPDATE model_call SET model = ?, tokens_in = ?, cached = ?, tokens_out = ?, seconds = ?, cost = ?, ending = ?,
                  detail = ?, retry_at = ? WHERE seq = ?""",
               (call.model, used.tokens_in, used.cached, used.tokens_out, used.seconds, used.cost,
                call.ending.value if call.ending else "", call.detail, iso(call.retry_at) if call.retry_at else None, call.seq))


def note_moved(tx: sqlite3.Connection, seq: int, *, moved: bool) -> None:
    """Note whether anything came of an answer."""
    tx.execute("UPDATE model_call SET moved = ? WHERE seq = ?", (int(moved), seq))


def spent_between(store: Store, start: datetime, end: datetime) -> Spent:
    """What all calls of a stretch of time used, those that are out and those that nobody saw end with their worst case."""
    row = store.one("""SELECT COUNT(*) AS requests, COALESCE(SUM(tokens_in), 0) AS tokens_in,
                         COALESCE(SUM(cached), 0) AS cached,
                         COALESCE(SUM(tokens_out), 0) AS tokens_out, COALESCE(SUM(seconds), 0.0) AS seconds,
                         COALESCE(SUM(cost), 0.0) AS cost, COUNT(cost) AS priced
                       FROM model_call WHERE at >= ? AND at < ?""", _stamp(start), _stamp(end))
    return Spent(**dict(row)) if row else Spent()


def spent_by_role(store: Store, since: datetime) -> dict[str, Spent]:
    """What the calls of each role used since some time, as far as they came to an end."""
    rows = store.all("""SELECT role, COUNT(*) AS requests, SUM(tokens_in) AS tokens_in, SUM(cached) AS cached,
                          SUM(tokens_out) AS tokens_out, SUM(seconds) AS seconds, COALESCE(SUM(cost), 0.0) AS cost,
                          COUNT(cost) AS priced
                        FROM model_call WHERE at >= ? AND ending <> '' GROUP BY role""", _stamp(since))
    return {told.pop("role"): Spent(**told) for told in map(dict, rows)}


def has_larger(store: Store, start: datetime, end: datetime, *, tokens: int, cost: float) -> bool:
    """Whether a call of a stretch of time took more tokens or money than one may."""
    return store.one("SELECT 1 FROM model_call WHERE at >= ? AND at < ? AND (tokens_in + tokens_out > ? OR cost > ?) LIMIT 1",
                     _stamp(start), _stamp(end), tokens, cost) is not None


@sound_row
def load_calls(store: Store, *, limit: int = 50, since: datetime | None = None, role: str | None = None) -> list[Call]:
    """The calls, newest first."""
    where, args = ["seq > 0"], list[object]()
    if since is not None:
        where, args = [*where, "at >= ?"], [*args, _stamp(since)]
    if role is not None:
        where, args = [*where, "role = ?"], [*args, role]
    rows = store.all(f"SELECT {_COLUMNS} FROM model_call WHERE {' AND '.join(where)} ORDER BY seq DESC LIMIT ?", *args, limit)
    return [_call(row) for row in rows]


def keep(tx: sqlite3.Connection, request: str, kept: Kept, *, role: str, scope: str, at: datetime) -> None:
    """Keep an answer, or that the same question fails in the same way again."""
    tx.execute("INSERT OR REPLACE INTO model_answer VALUES (?, ?, ?, ?, ?, ?, ?)",
               (request, iso(at), role, scope, kept.model, kept.ending.value,
                None if kept.value is None else json.dumps(kept.value, ensure_ascii=False)))


@sound_row
def load_kept(store: Store, request: str) -> Kept | None:
    """What became of the same question before."""
    row = store.one("SELECT ending, model, value FROM model_answer WHERE request = ?", request)
    if row is None:
        return None
    return Kept(Ending(row["ending"]), row["model"], None if row["value"] is None else json.loads(row["value"]))


@sound_row
def load_rest(store: Store) -> Rest | None:
    """Why no model is asked for some time; None where it is."""
    told = store.meta(RESTS)
    if told is None:
        return None
    rest = json.loads(told)
    return Rest(str(rest["why"]), parse_instant(rest["until"]), parse_instant(rest["since"]), str(rest["day"]), rest["most"])


def write_rest(tx: sqlite3.Connection, rest: Rest | None) -> None:
    """Say why no model is asked for some time, or that it is again."""
    if rest is None:
        tx.execute("DELETE FROM meta WHERE key = ?", (RESTS,))
    else:
        told = {"why": rest.why, "until": iso(rest.until), "since": iso(rest.since), "day": rest.day, "most": rest.most}
        tx.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (RESTS, json.dumps(told, sort_keys=True)))


def drop_old(tx: sqlite3.Connection, *, answers_before: datetime) -> None:
    """Drop answers that nobody will ask for again, and calls past counting; how a question failed stays.

    Calls go by their number and not by their time: a clock that was set wrong must not empty what ceilings are reckoned from.
    """
    tx.execute("DELETE FROM model_call WHERE seq <= (SELECT MAX(seq) FROM model_call) - ?", (MOST_CALLS,))
    tx.execute("DELETE FROM model_answer WHERE at < ? AND value IS NOT NULL", (_stamp(answers_before),))


def forget_answers(tx: sqlite3.Connection) -> None:
    """Remove every answer; how a question failed has no words and stays."""
    tx.execute("DELETE FROM model_answer WHERE value IS NOT NULL")


def _stamp(moment: datetime) -> str:
    # Without its last sign a time stands before every spelling of itself, with milliseconds or without.
    return iso(moment.replace(microsecond=0)).removesuffix("Z")


def _call(row: sqlite3.Row) -> Call:
    used = Used(row["tokens_in"], row["cached"], row["tokens_out"], row["seconds"], row["cost"])
    return Call(row["seq"], parse_instant(row["at"]), row["run"], row["role"], row["prompt"], row["scope"], row["model"], used,
                Ending(row["ending"]) if row["ending"] else None, row["detail"],
                parse_instant(row["retry_at"]) if row["retry_at"] else None, bool(row["moved"]))
