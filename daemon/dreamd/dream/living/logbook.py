"""The logs of a night: dream's own is read on from where the last night ended, then what all of them say is told.

Nothing is packed away for good before it was read here: what is old is dropped behind the mark alone.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from dreamd.core.errors import UsageError
from dreamd.core.values import Candidate, Cursor, Logged, Scope, parse_scope
from dreamd.dream.apart import apart, taken_up
from dreamd.dream.living.logged import OWN, Gathering
from dreamd.dream.living.recurring import FEWEST, candidate_of, choose, fold, in_turn
from dreamd.kit import Kit
from dreamd.library import operations
from dreamd.library.line_log import Mark, Row
from dreamd.sources.logs.log_lines import is_log, read_logged
from dreamd.store import observations, work
from dreamd.store.intake.tallies import Tally, is_forgotten, load_due, mark_told, write_tallies
from dreamd.store.set_asides import SOURCE
from dreamd.store.work import Position, Source
from dreamd.text.redaction import redact

KIND = OWN


def learn(kit: Kit, gathered: Gathering) -> None:
    """Read dream's own log on, and make observations of what the logs say by now."""
    with apart(kit, SOURCE, KIND):
        _read_own(kit, gathered)
        taken_up(kit, SOURCE, KIND)
    due = [one for one in _due(kit, gathered.tallies) if not is_forgotten(kit.store, one.name)]
    told, passed = choose(due)
    candidates = [_masked(candidate_of(one, kit.clock.now())) for one in told]
    if kit.dry:
        gathered.candidates += candidates
        return
    if not due:
        return
    with kit.writing() as tx:
        answers = observations.append(tx, candidates, stored_at=kit.clock.now(), key=observations.tombstone_key(kit.store))
        mark_told(tx, told, passed)
    gathered.stored += sum(answer.status == "stored" for answer in answers)


def own_source(kit: Kit) -> str:
    """The source that dream's own log is."""
    return work.source_id(str(operations.log_of(kit.world).path), KIND)


def read_row(row: Row) -> tuple[Scope, Logged] | None:
    """What a line of dream's own log tells, and in which scope."""
    one = read_logged(row) if is_log(row) else None
    if one is None:
        return None
    try:
        return parse_scope(one.scope or "user"), one
    except UsageError:
        return Scope("user"), one


def _read_own(kit: Kit, gathered: Gathering) -> None:
    log, source = operations.log_of(kit.world), own_source(kit)
    cursor = work.load_position(kit.store, source).cursor
    if why := log.hindrance():
        raise UsageError(why)
    before = mark = Mark(cursor.carry, cursor.offset)
    for rows, behind in log.read_on(mark):
        heard = [told for row in rows if (told := read_row(row)) is not None]
        tallies = fold(kit.store, heard, gathered.tallies)
        gathered.lines += len(rows)
        if kit.dry:
            gathered.tallies.update(tallies)
            continue
        if behind != mark:
            with kit.writing() as tx:
                write_tallies(tx, tallies.values())
                _move(kit, tx, Source(source, str(log.path), KIND, Scope("user"), len(rows)), behind)
        mark = behind
    if not kit.dry and mark != before:
        log.drop_old(kit.clock.now(), up_to=mark.packed)


def _move(kit: Kit, tx: sqlite3.Connection, source: Source, mark: Mark) -> None:
    work.write_position(tx, source, Position(Cursor(mark.lines, carry=mark.packed)), skips=Counter({"log-line": source.lines}),
                        at=kit.clock.now())


def _due(kit: Kit, fresh: Mapping[str, Tally]) -> list[Tally]:
    """What is to be told, what came most often first; in a dry run with what it has read."""
    due = {one.id: one for one in load_due(kit.store, fewest=FEWEST)}
    due |= {i: t for i, t in fresh.items() if t.words and t.times > abs(t.told) and t.runs >= FEWEST[t.kind]}
    return sorted(due.values(), key=in_turn)


def _masked(candidate: Candidate) -> Candidate:
    return replace(candidate, text=redact(candidate.text).text, context=redact(candidate.context).text)
