"""What a night learns of many log lines: an operation that recurs, and an error that was mended more than once.

Lines are counted as they are read, by a keyed hash of what was done; no line is kept. Once something was done in three runs
it is told in one held statement with its count and last date; an error that was followed by a fix of the same target twice,
in one held lesson with both lines as evidence. A later night that reads more of it tells it anew, and that observation
brings the same memory up to date. What is no more than counted may be lost for room; what was told never is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import lru_cache

from dreamd.core.clock import iso, parse_instant
from dreamd.core.values import (
    LEARNED,
    MENDED,
    RECURS,
    Candidate,
    Deed,
    Logged,
    Origin,
    Scope,
    content_id,
)
from dreamd.sources.logs.log_lines import steady
from dreamd.store import observations
from dreamd.store.connection import Store
from dreamd.store.intake.tallies import Tally, is_forgotten, load_tallies, name_of, tally_id
from dreamd.text.redaction import redact

SOURCE = "operations"
"""What the statements of this room name as their source: they come from many lines, maybe of several logs."""
FEWEST = {RECURS: 3, MENDED: 2}
"""Runs in which something was done, and times an error was mended, before it is told."""
MOST_NEW = 100
"""Statements of a kind that one night may add; of more, those that came most often."""
MOST_OPEN = 1_000
"""Errors that may wait to be mended."""
PAUSE = timedelta(minutes=30)
_RUNS_KEPT = 8
_DIGITS = 16
_LONGEST = 160


def fold(store: Store, heard: Sequence[tuple[Scope, Logged]], known: Mapping[str, Tally] | None = None) -> dict[str, Tally]:
    """The tallies as some lines leave them; `known` are those that stand for the store's own in a dry run."""
    key = observations.tombstone_key(store)
    done: dict[str, tuple[Scope, list[Logged]]] = {}
    wrong: list[tuple[Scope, Logged, list[str]]] = []
    for scope, one in heard:
        for name in operation_names(scope, one):
            done.setdefault(name, (scope, []))[1].append(one)
        if one.about:
            wrong.append((scope, one, mending_names(scope, one)))
    ids = {name: tally_id(key, name) for name in {*done, *(n for _, _, about in wrong for n in about)}}
    ours = frozenset(ids.values())
    rows = load_tallies(store, ours) | {i: t for i, t in (known or {}).items() if i in ours}
    before = dict(rows)
    for name, (scope, lines) in done.items():
        rows[ids[name]] = _counted(rows.get(ids[name]) or Tally(ids[name], RECURS, scope), lines, name)
    for scope, one, about in wrong:
        if one.deed is Deed.ERROR:
            for name in about:
                row = rows.get(ids[name]) or Tally(ids[name], MENDED, scope)
                rows[row.id] = replace(row, open={"name": name, "line": one.line, "at": iso(one.at)},
                                       last_at=_later(row, one.at))
        elif one.deed is Deed.FIX:
            _mend(rows, [ids[name] for name in about], one)
    changed = {identity: row for identity, row in rows.items() if before.get(identity) != row}
    return _kept(store, changed, before)


def operation_names(scope: Scope, one: Logged) -> list[str]:
    """What names the operation that a line tells of: its tool, what it was done to, and why. An error is none."""
    counts = one.deed is Deed.DONE or one.deed is Deed.FIX and bool(one.tool and one.target)
    return [name_of(RECURS, scope, one.tool.casefold(), steady(one.target), steady(one.reason))] if counts else []


def mending_names(scope: Scope, one: Logged) -> list[str]:
    """What names the errors that a line may tell of, or mend."""
    return [name_of(MENDED, scope, about) for about in one.about]


def in_turn(one: Tally) -> tuple[bool, int, int, str]:
    """What was told before comes first, then what came most often."""
    return one.told <= 0, -one.runs, -one.times, one.id


def choose(due: Iterable[Tally]) -> tuple[list[Tally], list[Tally]]:
    """What is told of what is due, and what is passed over until it is heard again."""
    told: list[Tally] = []
    passed: list[Tally] = []
    new = Counter[str]()
    for one in due:
        new[one.kind] += one.told <= 0
        (told if one.told > 0 or new[one.kind] <= MOST_NEW else passed).append(one)
    return told, passed


def candidate_of(one: Tally, now: datetime) -> Candidate:
    """A tally as a statement, with the lines it rests on."""
    text, lines = (_recurring if one.kind == RECURS else _lesson)(one)
    return Candidate(text, Origin.TOOL, min(one.last_at or now, now), one.scope, sign=f"{LEARNED}{one.kind}", source_id=SOURCE,
                     key=f"{LEARNED}{one.name}:{content_id(text)[:_DIGITS]}", context="\n".join(lines))


def _recurring(one: Tally) -> tuple[str, list[str]]:
    said = one.words
    why = f", because of {_closed(said['reason'])}" if said.get("reason") else ""
    what = " ".join(word for word in (said.get("action", ""), f"with {said['tool']}" if said.get("tool") else "") if word)
    told = (f"Operation that recurs: {what}: {_closed(said.get('target', ''))}{why}. "
            f"Done {one.times} times in {one.runs} runs, last on {one.last_at:%Y-%m-%d}.")
    return told, [said.get("line", "")]


def _lesson(one: Tally) -> tuple[str, list[str]]:
    said = one.words
    told = (f"Lesson about {_closed(said.get('about', ''))}: after the error “{_closed(said.get('error', ''))}” the fix was "
            f"“{_closed(said.get('fix', ''))}”. Seen {one.times} times, last on {one.last_at:%Y-%m-%d}.")
    return told, [f"error: {said.get('error_line', '')}", f"fix: {said.get('fix_line', '')}"]


def _closed(text: str) -> str:
    """Words of a line inside a sentence."""
    short = text if len(text) <= _LONGEST else f"{text[:_LONGEST - 1]}…"
    return short.strip().rstrip(".")


def _later(row: Tally, at: datetime) -> datetime:
    return max(row.last_at or at, at)


def _counted(row: Tally, lines: Sequence[Logged], name: str) -> Tally:
    """A tally with some lines more of what it counts; a run counts once."""
    recent = [(mark, None if mark else parse_instant(at)) for mark, at in row.recent]
    runs = row.runs
    for one in lines:
        if one.run:
            last: tuple[str, datetime | None] = (_mark(one.run), None)
            same = last if last in recent else None
        else:
            last = ("", one.at)
            same = next((run for run in recent if run[1] is not None and _is_near(run[1], one.at)), None)
        runs += same is None
        if same is None or not one.run:
            recent = [*(run for run in recent if run is not same), last][-_RUNS_KEPT:]
    newest = max(reversed(lines), key=lambda one: one.at)
    tells = newest if row.last_at is None or newest.at >= row.last_at else None if row.words else lines[0]
    words = row.words if tells is None else {"name": name, "action": tells.action, "tool": tells.tool, "target": tells.target,
                                             "reason": tells.reason, "line": tells.line}
    return replace(row, times=row.times + len(lines), runs=runs, last_at=_later(row, newest.at), words=words,
                   recent=tuple((mark, iso(at) if at else "") for mark, at in recent))


@lru_cache(maxsize=1_024)
def _mark(run: str) -> str:
    return content_id("run", run)[:_DIGITS]


def _is_near(a: datetime, b: datetime) -> bool:
    return a.date() == b.date() and abs(a - b) < PAUSE


def _mend(rows: dict[str, Tally], about: Sequence[str], one: Logged) -> None:
    """Count an error as mended that a fix of the same target follows; the same error waits nowhere else then."""
    for named, identity in zip(one.about, about, strict=True):
        row = rows.get(identity)
        if row is None or not row.open or parse_instant(row.open["at"]) > one.at:
            continue
        error = row.open
        words = {"name": error["name"], "about": named, "error": error["line"].partition(" ")[2],
                 "fix": one.line.partition(" ")[2], "error_line": error["line"], "fix_line": one.line}
        rows[identity] = replace(row, times=row.times + 1, runs=row.runs + 1, open={}, words=words, last_at=_later(row, one.at))
        for other in about:
            if other in rows and (rows[other].open.get("line"), rows[other].open.get("at")) == (error["line"], error["at"]):
                rows[other] = replace(rows[other], open={})
        return


def _kept(store: Store, changed: dict[str, Tally], before: Mapping[str, Tally]) -> dict[str, Tally]:
    """What of changed tallies is worth a row, with words only where there is something to tell, and those masked.

    Of what a night could not tell for its number there are none: they come with the next line of it.
    """
    waiting = sorted((t for t in changed.values() if t.open), key=lambda t: (t.open["at"], t.id))[-MOST_OPEN:]
    still_open = {t.id for t in waiting}
    ready = sorted((t for t in changed.values() if t.runs >= FEWEST[t.kind]), key=in_turn)
    telling = {t.id for n, t in enumerate(ready) if n < 2 * MOST_NEW or t.told > 0}
    kept = {}
    for identity, row in changed.items():
        tells = row.id in telling or row.kind == MENDED and row.times > 0
        if row.open and identity not in still_open:
            row = replace(row, open={})
        if row.words and not tells:
            row = replace(row, words={})
        if not (row.times or row.open or identity in before):
            continue
        if row.name and is_forgotten(store, row.name):
            continue
        kept[identity] = replace(row, words=_masked(row.words), open=_masked(row.open)) if row.words or row.open else row
    return kept


def _masked(words: Mapping[str, str]) -> dict[str, str]:
    return {name: redact(text).text if name not in ("at", "name") else text for name, text in words.items()}
