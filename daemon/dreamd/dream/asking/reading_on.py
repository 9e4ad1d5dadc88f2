"""Observe: a language model reads what people said since it last did, beside the extraction that needs none.

What waits is known by its place alone and read again through its adapter, so whatever is excluded or gone by then is not
read. No call is made within a write, and a place moves only in the transaction that stored what came of it.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from dreamd.core.values import (
    IN_PASSING,
    ONE_OFF,
    Candidate,
    Event,
    MemoryClass,
    Origin,
    Scope,
    storable,
)
from dreamd.dream.scopes.instructions import without_written
from dreamd.dream.scopes.mapping import evidence_of
from dreamd.dream.scopes.placing import Placing
from dreamd.dream.scopes.reader import Reader
from dreamd.extraction.classes import class_of
from dreamd.judge.statement import read
from dreamd.kit import Kit, exclusions
from dreamd.llm.roles import bearing, observer, record
from dreamd.llm.roles.prompts import load_prompt
from dreamd.llm.roles.record import Line
from dreamd.models.language_model import Answer, Ending, LanguageModel, Role
from dreamd.sources import FoundSource, SourceRoots, adapter_for, adapter_of_kind, discover
from dreamd.store import observations
from dreamd.store.language import unread
from dreamd.store.language.unread import ModelWord, Unread
from dreamd.text.redaction import mask_name, redact

STRETCH_BYTES = 8 * 1024 * 1024
MOST_TRIES = 3
"""Nights after which a stretch that cannot be answered for is let go; it was extracted without a model all the same."""
NIGHT_ENDS = frozenset({Ending.CEILING, Ending.WAITING, Ending.UNAUTHORISED, Ending.LIMITED, Ending.UNREACHABLE})
"""Endings after which nothing more is asked tonight; what waits goes on waiting."""
HALVED = frozenset({Ending.TOO_LARGE, Ending.CUT})


@dataclass
class Observed:
    """What one night's reading came to."""

    asked: int = 0
    facts: int = 0
    stored: int = 0
    left: int = 0
    dropped: Counter[str] = field(default_factory=Counter)
    endings: Counter[str] = field(default_factory=Counter)

    def counts(self) -> dict[str, float]:
        """As the record of a run keeps it."""
        told = {f"dropped.{reason}": float(n) for reason, n in sorted(self.dropped.items())}
        told |= {f"ended.{ending}": float(n) for ending, n in sorted(self.endings.items())}
        return {"asked": self.asked, "facts": self.facts, "stored": self.stored, "left": self.left, **told}


@dataclass(frozen=True)
class _Stretch:
    """What waits, as it was read again."""

    row: Unread
    events: tuple[Event, ...]
    scope: Scope


def observe(kit: Kit, model: LanguageModel, fresh: Sequence[Unread] = ()) -> Observed:
    """Have everything read that waits, what was said last first, as long as the model answers.

    `fresh` is what a dry run found, which nothing remembers.
    """
    seen = Observed()
    rows = {(one.source, one.conversation): one for one in (*unread.load_unread(kit.store), *fresh)}
    if rows and model.is_on(Role.OBSERVER):
        reader = Reader(Placing(kit, evidence_of(kit.world, kit.store)), exclusions(kit.world), kit.load_lasting)
        for n, row in enumerate(rows.values()):
            kit.progress("observe", n, len(rows))
            if kit.should_stop() or not _observe(kit, model, reader, row, seen):
                break
    seen.left = unread.count_unread(kit.store) if not kit.dry else len(rows)
    return seen


def _observe(kit: Kit, model: LanguageModel, reader: Reader, row: Unread, seen: Observed) -> bool:
    """Have one stretch read; False where nothing more is to be asked tonight."""
    stretch = _read_again(kit, reader, row)
    lines = record.lines_of(stretch.events) if stretch else []
    parts = [part for part in record.cut(lines, observer.room(kit.settings.llm)) if any(line.voice.is_own for line in part)]
    if (stretch is None or not parts) and not kit.dry:
        with kit.writing() as tx:
            unread.move(tx, row, None)
    while stretch and parts:
        if kit.should_stop():
            return False
        part = parts[0]
        answer = model.ask(observer.ask_about(part, scope=str(stretch.scope), seconds=kit.settings.llm.timeout_s))
        seen.asked += 1
        seen.endings[answer.ending.value] += 1
        if answer.ending in HALVED and len({line.turn for line in part}) > 1:
            parts[0:1] = record.cut(part, sum(len(line.text.encode()) + 20 for line in part) // 2)
            continue
        parts.pop(0)
        if answer.ending.carries_value:
            before, useless = seen.facts, seen.dropped.total()
            _take(kit, stretch, part, answer, None if not parts else parts[0][0].start, seen=seen)
            # Nothing to be found is an answer like any other; nothing that could be used is none.
            model.tell(Role.OBSERVER, moved=seen.facts > before or seen.dropped.total() == useless)
        elif not kit.dry:
            return _after_failure(kit, row, answer.ending)
    return True


def _after_failure(kit: Kit, row: Unread, ending: Ending) -> bool:
    """What becomes of a stretch that got no answer; False where nothing more is to be asked tonight."""
    if ending in NIGHT_ENDS:
        return False
    with kit.writing() as tx:
        if ending is Ending.OFF or row.tries + 1 >= MOST_TRIES:  # excluded, or nobody can answer for it
            unread.move(tx, row, None)
        else:
            unread.tried(tx, row)
    return True


def _read_again(kit: Kit, reader: Reader, row: Unread) -> _Stretch | None:
    """The events of a stretch; None where they are gone, or kept from being read by now."""
    path = Path(row.path)
    found = next((f for f in discover(SourceRoots(extra=(path,), leave_out=reader.kept_out.has_path)) if f.path == path), None)
    adapter = adapter_for(path) or adapter_of_kind(row.kind) if found and not reader.kept_out.has_place(found.place) else None
    if found is None or adapter is None:
        return None
    events: list[Event] = []
    scope, cursor = Scope("user"), row.cursor
    while True:
        reading = reader.without_excluded(adapter.read(path, cursor, budget_bytes=STRETCH_BYTES))
        ours = {e.conversation for e in reading.events if storable(mask_name(e.conversation)) == row.conversation}
        reading = replace(reading, events=tuple(e for e in reading.events if e.conversation in ours))
        if reading.events:
            scope = _scope(kit, reader, found, row) or next(iter(reader.scopes_of(kit.store, found, reading).values()))
        events += [e for e in reading.events if row.first <= e.start and e.end <= row.last]
        if reading.complete or reading.cursor == cursor:
            return _Stretch(row, tuple(events), scope) if events else None
        cursor = reading.cursor


def _scope(kit: Kit, reader: Reader, found: FoundSource, row: Unread) -> Scope | None:
    return observations.load_scope_of(kit.store, row.source, row.conversation) or (
        reader.placing.scope_of(found.place) if found.place else None)


def _take(kit: Kit, stretch: _Stretch, part: Sequence[Line], answer: Answer, first: int | None, *, seen: Observed) -> None:
    """Store what came of one call, and move the place in the same transaction."""
    facts = observer.read_facts(answer.value or {}, part, seen.dropped)
    seen.facts += len(facts)
    candidates = _candidates(kit, stretch, facts, seen.dropped)
    kept = {c for c, _ in without_doubles(kit, candidates, seen.dropped)}
    written = set(without_written(kit, stretch.events, [c for c, _ in candidates if c in kept]))
    seen.dropped["written-already"] += len(kept) - len(written)
    credits = [(_beside_passing(kit, c), ModelWord(Role.OBSERVER.value, answer.model, load_prompt("observer").name, category))
               for c, category in candidates if c in written]
    if kit.dry:
        return
    key, now = observations.tombstone_key(kit.store), kit.clock.now()

    def is_new(tx: sqlite3.Connection, one: Candidate) -> bool:
        # The sentences it rests on are as forgotten as the words made of them.
        return not any(observations.is_forgotten(tx, one.conversation, said, key=key) for said in one.context.split("\n"))

    with kit.writing() as tx:
        told = [(c, w) for c, w in credits if is_new(tx, c)]
        answers = observations.append(tx, [c for c, _ in told], stored_at=now, key=key)
        unread.credit_to(tx, {a.id: w for a, (_, w) in zip(answers, told, strict=True) if a.status == "stored"})
        unread.move(tx, stretch.row, first)
    seen.stored += sum(a.status == "stored" for a in answers)
    seen.dropped["forgotten"] += len(credits) - len(told)
    seen.dropped = +seen.dropped


def _beside_passing(kit: Kit, one: Candidate) -> Candidate:
    """A fact in the very words that were kept as said in passing is an observation of its own and not that one again."""
    identity = observations.observation_id(one)
    known = observations.load_by_ids(kit.store, [identity])
    return replace(one, key=f"observed {identity}") if any(o.sign in (IN_PASSING, ONE_OFF) for o in known) else one


def _candidates(kit: Kit, stretch: _Stretch, facts: Sequence[observer.Fact], dropped: Counter[str],
                ) -> list[tuple[Candidate, str]]:
    """The facts as candidates with the category each was given: whose word they are say their lines."""
    borne = [(fact, told) for fact in facts if (told := bearing.weigh(fact)) is not None]
    dropped["said-by-agent-alone"] += len(facts) - len(borne)
    found = []
    for fact, told in borne:
        own = [q.line for q in fact.quotes if q.line.voice.is_own] or [q.line for q in fact.quotes]
        place = max(own, key=lambda line: line.start)
        keyless = class_of(fact.text, has_ttl=False) is MemoryClass.REFERENCE
        hint = fact.memory_class if keyless and told.origin is Origin.USER else None
        found.append((Candidate(
            redact(fact.text).text, told.origin, min(place.at, kit.clock.now()), stretch.scope, stretch.row.conversation,
            class_hint=hint, type_hint=fact.memory_type, explicit=False, sign=told.sign, source_id=stretch.row.source,
            start=place.start, end=place.end, context=told.basis), fact.category.value))
    return found


def without_doubles(kit: Kit, found: Sequence[tuple[Candidate, str]], dropped: Counter[str]) -> Iterator[tuple[Candidate, str]]:
    """What says more than a sentence that was extracted at the same place without a model says already."""
    known: Mapping[int, list[str]] = {}
    if found:
        known = unread.load_said_at(kit.store, found[0][0].source_id, found[0][0].conversation,
                                    leave_out=(IN_PASSING, ONE_OFF))
    for one, category in found:
        mine = read(one.text).content_set
        if any(mine <= read(said).content_set for said in known.get(one.start, ())):
            dropped["extracted-already"] += 1
        else:
            yield one, category
