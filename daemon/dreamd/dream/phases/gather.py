"""Gather: read what is new in every source behind its cursor and keep what people said as observations.

A cursor moves only in the transaction that stored what lay before it. What a reader passed over is counted by
reason; nothing is dropped without a record.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from dreamd.core.values import (
    Candidate,
    Cursor,
    Event,
    EventKind,
    Reading,
    Scope,
    Speaker,
    storable,
)
from dreamd.dream.apart import apart, set_aside, stands, taken_up, without_bad
from dreamd.dream.living.earlier import look_back
from dreamd.dream.living.following import Followed, follow
from dreamd.dream.living.logged import counted, is_used
from dreamd.dream.living.written_down import masked, notes_of
from dreamd.dream.scopes.instructions import without_written
from dreamd.dream.scopes.left_alone import LeftAlone, remember
from dreamd.dream.scopes.mapping import evidence_of
from dreamd.dream.scopes.placing import Placing
from dreamd.dream.scopes.reader import Reader
from dreamd.extraction import Stretch, Talks, extract, find_passages, settings_of
from dreamd.extraction.conversation import ConversationState
from dreamd.extraction.setting import Settings, setting_in
from dreamd.kit import Kit, exclusions, source_roots
from dreamd.sources import (
    Adapter,
    FoundSource,
    SourceRoots,
    adapter_for,
    adapter_of_kind,
    discover,
    facts_of,
    is_store,
    plain_name,
)
from dreamd.sources.base.contract import OVERSIZED, SPOILT
from dreamd.sources.exclusion import Exclusions
from dreamd.store import observations, work
from dreamd.store.intake import tallies
from dreamd.store.intake.tallies import Tally
from dreamd.store.language import unread
from dreamd.store.language.unread import Unread
from dreamd.store.scopes.projects import EXCLUDED, load_known
from dreamd.store.set_asides import BEHIND, MESSAGE, REASON, SOURCE, Aside
from dreamd.store.work import Position, Source
from dreamd.text.redaction import mask_name, redact

LOG = "log"
MIB = 1024 * 1024
NS = 1_000_000_000
UNREAD = {REASON: "unread", OVERSIZED: "longer than is read"}
"""What a reader passes over though somebody may have said something there: each has a row that says where and why."""
LAST_CANDIDATES = 32
"""As many as are stored together with the cursor that moves behind them."""
EARLIER_WORDS = 3
"""Kept sentences of the stretches before that a person may still take back or put right."""
STRETCH_BYTES = 8 * MIB
"""Bytes read before what they gave is committed: a killed run loses at most this much reading."""


@dataclass
class Gathered:
    """What one gathering took in; in a dry run `candidates` holds what would have been stored."""

    sources: int = 0
    read: int = 0
    lines: int = 0
    prompts: int = 0
    stored: int = 0
    known: int = 0
    refused: int = 0
    skips: Counter[str] = field(default_factory=Counter)
    candidates: list[Candidate] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    left: list[FoundSource] = field(default_factory=list)
    """Sources that were not read yet, the next one last."""
    unread: list[Unread] = field(default_factory=list)
    """In a dry run: what would wait for a language model."""
    tallies: dict[str, Tally] = field(default_factory=dict)
    """In a dry run: what logs would have said by then."""
    everything: bool = False  # all sources were looked for, and not some that a person named
    rules: Exclusions | None = None
    """What is kept from being read, as it stood when the sources were looked for: one gathering knows one answer."""


def gather(kit: Kit, *, until: int | None = None) -> Gathered:
    """Read every source as far as it goes, the newest first; what one source holds never stops the others.

    With `until`, sources that are not read once so many observations were stored are left for `gather_on`.
    """
    if kit.as_worker:
        return Gathered()
    known = tuple(dict.fromkeys(Path(k.root) for k in load_known(kit.store) if k.root.startswith("/")))
    staged = tuple(Path(s.path) for s in work.load_staged(kit.store))
    roots = replace(source_roots(kit.world, (*kit.extra_sources, *staged)), repositories=known)
    return _gather_all(kit, roots, everything=True, until=until)


def gather_from(kit: Kit, places: Sequence[Path]) -> Gathered:
    """Read what lies at some places and nothing else."""
    return _gather_all(kit, SourceRoots(extra=tuple(places)), everything=False)


def _gather_all(kit: Kit, roots: SourceRoots, *, everything: bool, until: int | None = None) -> Gathered:
    left = LeftAlone(exclusions(kit.world))
    found = discover(replace(roots, leave_out=left.has))
    # What dream wrote itself is never a source on its own, wherever a person chose to keep it.
    found = [f for f in found if not everything or not f.path.is_relative_to(kit.paths.home)]
    left.paths.update(f.path for f in found if left.rules.has_place(f.place))
    # What was written to last is read first, and so stands last among what is left.
    read = sorted((f for f in found if f.path not in left.paths), reverse=True, key=_turn)
    gathered = Gathered(sources=len(read), skips=Counter({EXCLUDED: len(left.paths)} if left.paths else {}), left=read,
                        everything=everything, rules=left.rules)
    gather_on(kit, gathered, until=until)
    remember(kit, left.paths, everything=everything)
    return gathered


def _turn(found: FoundSource) -> tuple[float, str]:
    """When a source is read: what says nothing by itself last, and in the order in which it was written."""
    at = found.modified_at.timestamp() if found.modified_at else 0
    return at if found.kind == LOG else -at, str(found.path)


def gather_on(kit: Kit, gathered: Gathered, *, until: int | None = None) -> None:
    """Read what is left."""
    reader = Reader(Placing(kit, evidence_of(kit.world, kit.store)), gathered.rules or exclusions(kit.world),
                    kit.load_lasting)
    while gathered.left and not kit.should_stop() and (until is None or gathered.stored < until):
        kit.progress("gather", gathered.sources - len(gathered.left), gathered.sources)
        _try_source(kit, gathered.left.pop(), gathered, reader)
    kit.progress("gather", gathered.sources - len(gathered.left), gathered.sources)
    if gathered.everything and not gathered.left and is_used(kit, gathered):
        from dreamd.dream.living import logbook

        with apart(kit, SOURCE, logbook.KIND):
            logbook.learn(kit, gathered)


def _try_source(kit: Kit, found: FoundSource, gathered: Gathered, reader: Reader) -> None:
    """Read a source, or set it aside as it is now."""
    name, look = str(found.path), partial(_looks, found.path)
    if stands(kit, SOURCE, name, look):
        return
    before = len(kit.aside)
    with apart(kit, SOURCE, name, look):
        _read_source(kit, found, gathered, reader)
    if len(kit.aside) == before:
        taken_up(kit, SOURCE, name)


def _read_source(kit: Kit, found: FoundSource, gathered: Gathered, reader: Reader) -> None:
    identity = work.source_id(str(plain_name(found.path)), found.kind)
    position = work.load_position(kit.store, identity)
    mtime_ns, size = _touched(found.path)
    if position.mtime_ns == mtime_ns and position.cursor.size == size and mtime_ns >= 0:
        _drop_staged(kit, found)
        return
    adapter = adapter_for(found.path) or adapter_of_kind(found.kind)
    if adapter is None:
        gathered.skips["unknown-format"] += 1
        return
    gathered.read += 1
    budget = kit.settings.sources.read_budget_mib * MIB
    for reading in _stretches(adapter, found.path, position.cursor, budget_bytes=budget):
        reading = reader.without_excluded(reading)
        scopes = reader.scopes_of(kit.store, found, reading)
        source = Source(identity, storable(str(found.path)), found.kind, next(iter(scopes.values()), Scope("user")),
                        reading.lines, reading.prompts)
        reading = replace(reading, events=tuple(_dated(reading.events, mtime_ns)))
        skips = Counter(s.reason for s in reading.skips)
        for skip in (s for s in reading.skips if s.reason in UNREAD):
            inside = f"{found.path}/{skip.file}" if skip.file else f"{found.path}{BEHIND}{skip.start}"
            set_aside(kit, Aside(MESSAGE, f"{identity}{BEHIND}{skip.file or skip.start}", UNREAD[skip.reason], place=inside))
        hearing = Hearing(source, scopes, reader)
        heard, talks = _hear(kit, hearing, reading, position, skips)
        followed = follow(kit, source, reading, [masked(one, kit.clock.now()) for one in notes_of(reading, source, scopes)],
                          lambda commit: look_back(found.path, adapter, since=commit))
        skips.update({SPOILT: followed.damaged} if followed.damaged else {})
        told = Taken([*(masked(one, kit.clock.now()) for one in heard), *followed.candidates], followed,
                     tuple(_unread(kit, source, reading, position.cursor)),
                     counted(kit, gathered, [(reader.scope_of_log(found), one) for one in reading.logged]))
        # What the next stretch has to know may quote the conversation: it is masked like everything that is kept.
        fresh = reading.cursor != position.cursor or not gathered.everything
        gathered.warnings += [redact(one).text for one in reading.told if fresh]
        cursor = replace(reading.cursor, carry=redact(reading.cursor.carry).text)
        moved = Position(cursor, mtime_ns if reading.complete else -1, redact(talks.encode()).text)
        # Of a database that was written to for nothing that concerns us, the service must not be told again and again.
        looked_at = is_store(found.path) and moved.mtime_ns != position.mtime_ns
        if told.candidates or moved.cursor != position.cursor or moved.talk != position.talk or looked_at:
            _keep(kit, source, moved, told=told, skips=skips, gathered=gathered)
        position = moved
        if kit.should_stop():
            return


@dataclass(frozen=True)
class Hearing:
    """A source, the scope of each of its conversations, and what it is read with."""

    source: Source
    scopes: Mapping[str, Scope]
    reader: Reader = field(repr=False)
    """Shown, it would name every source that was found, and not only this one."""


class Taken(NamedTuple):
    """What a reading gave, the account of a document that is kept with it, and what a language model is to read as well."""

    candidates: Sequence[Candidate]
    followed: Followed
    unread: tuple[Unread, ...] = ()
    tallies: Mapping[str, Tally] = MappingProxyType({})


def _hear(kit: Kit, hearing: Hearing, reading: Reading, position: Position, skips: Counter[str],
          ) -> tuple[list[Candidate], Talks]:
    """What is said in a reading, each conversation by itself: a database holds many, and none answers another."""
    source = hearing.source
    talks, heard, passages = Talks.decode(position.talk), list[Candidate](), list[Candidate]()
    withheld: list[Candidate] = []
    places = _places(reading)
    last, passing = (observations.load_last_of(
        kit.store, source.id, count=EARLIER_WORDS, in_passing=in_passing, ahead_of=places) if wanted else []
        for in_passing, wanted in ((False, position.cursor.offset), (True, kit.settings.recall.passages)))
    for name, events in _by_conversation([_masked(one) for one in reading.events]).items():
        state = talks.of(name)

        def listen(said: Sequence[Event], state: ConversationState = state, scope: Scope = hearing.scopes[name]) -> _Told:
            extraction = extract(said, state=state, scope=scope, source_id=source.id, earlier=last, lasts=hearing.reader.lasts)
            extraction = replace(extraction, candidates=tuple(without_written(kit, said, extraction.candidates)))
            settings, before = settings_of(said, state)
            stretch, let_go = Stretch(scope, kit.zone, source.id, passing, settings), list(extraction.withheld)
            found = find_passages(said, extraction.candidates, stretch, let_go) if kit.settings.recall.passages else ()
            return _Told([_in_its_place(one, settings) for one in extraction.candidates],
                         [_in_its_place(one, settings) for one in found], replace(extraction.state, before=before),
                         extraction.skips, let_go)

        told = without_bad(events, listen, partial(_leave_out, kit, source, skips))
        talks = talks.after(name, told.state)
        skips.update(told.skips)
        heard += told.heard
        passages += told.passages
        withheld += told.withheld
    return heard + passages + withheld, talks


def _masked(event: Event) -> Event:
    """An event without its secrets: of one taken apart, shortened or begun with a capital, a half is not known any more."""
    return replace(event, text=redact(event.text).text, question=redact(event.question).text)


class _Told(NamedTuple):
    """What a stretch of one conversation gave."""

    heard: list[Candidate]
    passages: list[Candidate]
    state: ConversationState
    skips: Mapping[str, int]
    withheld: Sequence[Candidate] = ()


def _leave_out(kit: Kit, source: Source, skips: Counter[str], event: Event, error: Exception) -> None:
    """A message nothing can be made of: the others of its conversation are heard without it."""
    skips[REASON] += 1
    set_aside(kit, Aside(MESSAGE, f"{source.id}{BEHIND}{event.start}", type(error).__name__, place=source.path), error)


def _dated(events: Sequence[Event], mtime_ns: int) -> Iterator[Event]:
    """Events with a time: where a format has none, that of what was said before, else of the file's last change."""
    known: dict[str, datetime] = {}
    changed_at = datetime.fromtimestamp(mtime_ns / NS, UTC) if mtime_ns >= 0 else None
    for event in events:
        at = event.at or known.get(event.conversation, changed_at)
        if at is not None:
            known[event.conversation] = at
        yield event if event.at or at is None else replace(event, at=at)


def _by_conversation(events: Sequence[Event]) -> dict[str, list[Event]]:
    """The events of each conversation in their order, the conversation that was heard last at the end."""
    found: dict[str, list[Event]] = {}
    for event in events:
        found.setdefault(event.conversation, []).append(event)
    return dict(sorted(found.items(), key=lambda talk: talk[1][-1].start))


def _places(reading: Reading) -> frozenset[tuple[str, int]]:
    """Where each message of a reading stands."""
    names = {name: mask_name(name) for name in {event.conversation for event in reading.events}}
    return frozenset((names[event.conversation], event.start) for event in reading.events)


def _drop_staged(kit: Kit, found: FoundSource) -> None:
    """A stretch that was read already, by a dream between the hook and now."""
    if not kit.dry and any(s.path == str(found.path) for s in work.load_staged(kit.store)):
        with kit.writing() as tx:
            work.unstage(tx, str(found.path))


def _stretches(adapter: Adapter, path: Path, cursor: Cursor, *, budget_bytes: int) -> Iterator[Reading]:
    """Read a source piece by piece."""
    spent = 0
    while spent < budget_bytes:
        reading = adapter.read(path, cursor, budget_bytes=STRETCH_BYTES)
        yield reading
        spent += max(STRETCH_BYTES, reading.cursor.offset - cursor.offset)
        if reading.complete or reading.cursor == cursor:
            return
        cursor = reading.cursor


def _keep(kit: Kit, source: Source, position: Position, *, told: Taken, skips: Counter[str], gathered: Gathered) -> None:
    gathered.lines += source.lines
    gathered.prompts += source.prompts
    gathered.skips.update(skips)
    candidates = told.candidates
    if kit.dry:
        gathered.candidates.extend(candidates)
        gathered.unread.extend(told.unread)
        gathered.tallies.update(told.tallies)
        return
    now, answered = kit.clock.now(), Counter[str]()

    def append(tx: sqlite3.Connection, some: Sequence[Candidate]) -> None:
        answers = observations.append(tx, some, stored_at=now, key=observations.tombstone_key(kit.store))
        answered.update(a.status for a in answers)

    # Many would keep writers waiting: what is stored before the cursor moves is known again should it not come to that.
    last = 0 if told.followed.at_once else -LAST_CANDIDATES
    kit.write_all(candidates[:last], append)
    with kit.writing() as tx:
        append(tx, candidates[last:])
        kept = replace(source, path=redact(source.path).text, observations=answered["stored"])
        work.write_position(tx, kept, position, skips=skips, at=now)
        told.followed.write(tx)
        tallies.write_tallies(tx, told.tallies.values())
        unread.wait(tx, told.unread)
        work.unstage(tx, source.path)
    gathered.stored += answered["stored"]
    gathered.known += answered["known"]
    gathered.refused += answered["refused"]


def _unread(kit: Kit, source: Source, reading: Reading, before: Cursor) -> Iterator[Unread]:
    """The stretch of each conversation in which a person spoke, where a language model is to read it."""
    if kit.settings.llm.backend == "off" or not kit.settings.llm.observe:
        return
    for name, events in _by_conversation(reading.events).items():
        said = [event.at for event in events if event.speaker is Speaker.HUMAN and event.kind is not EventKind.NOTE]
        if said:
            at = max((at for at in said if at), default=kit.clock.now())
            yield Unread(source.id, storable(mask_name(name)), source.path, source.kind, before,
                         min(e.start for e in events), max(e.end for e in events), at)


def _looks(path: Path) -> str:
    """How a source looks from outside: another look, and it is worth another try."""
    try:
        if not path.is_dir():
            return " ".join(map(str, facts_of(path)))
        facts = sorted((str(p), s.st_size, s.st_mtime_ns) for p in path.rglob("*") if (s := p.lstat()))
    except (OSError, ValueError):
        return ""
    return sha256(repr(facts).encode()).hexdigest()[:16]


def _touched(path: Path) -> tuple[int, int]:
    """(mtime_ns, size) of a file; a directory or something unreadable is always looked into."""
    try:
        return (-1, -1) if path.is_dir() else facts_of(path)
    except OSError:
        return -1, -1


def _in_its_place(candidate: Candidate, settings: Settings) -> Candidate:
    """A statement with what was said around it, for finding it."""
    setting = setting_in(settings, (candidate.conversation, candidate.start), candidate.text)
    return replace(candidate, context=setting.around(candidate.text)) if setting else candidate
