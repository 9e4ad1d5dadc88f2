"""A person's verbs: pin, restore, review, forget. Each is one run of the journal, done at once and ahead of any dream."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from dreamd.core import locks
from dreamd.core.clock import days_between
from dreamd.core.errors import Refused, StoreMissing, UsageError
from dreamd.core.locks import Owner
from dreamd.core.values import (
    CLEARLY_LATER_DAYS,
    CURRENT,
    Memory,
    MemoryClass,
    Origin,
    Relation,
    Scope,
    Status,
    Trust,
    content_id,
)
from dreamd.dream.living.reworded import NOTHING_SEEN, Seen, embed_told, refuse_if_overtaken, reword
from dreamd.dream.living.struck import strike, strike_unknown
from dreamd.dream.phases.carry_out import write_change
from dreamd.dream.phases.orient import settle_events, take_inbox
from dreamd.dream.plan import Change
from dreamd.dream.scopes.scope_files import rewrite
from dreamd.dream.sharing.who_may import refuse_between_members, refuse_pin
from dreamd.extraction import gate
from dreamd.kit import Kit
from dreamd.notes import topic_path
from dreamd.store import forgetting, memories, observations, passages
from dreamd.store.connection import Store
from dreamd.store.intake import inbox
from dreamd.store.journal import Entry, Run, begin_run, drop_run, end_run, load_decisions, write_entry

KEEP_A, KEEP_B, BOTH, DROP, NEITHER = "keep-a", "keep-b", "both", "drop", "neither"
HELD_BY_A_READER = "the log beside the store, which another program is reading"
PROMOTED = "promoted-by-person"
DECLINED = frozenset({MemoryClass.HISTORY, MemoryClass.PROCEDURE})
"""Kinds that the gate keeps from becoming memories, and a person does not."""
CHOICES = (KEEP_A, KEEP_B, BOTH, DROP, NEITHER)


@dataclass(frozen=True)
class Question:
    """A held memory and what it cannot hold beside; without rivals it only waits to be accepted."""

    memory: Memory
    rivals: tuple[Memory, ...]


@dataclass(frozen=True)
class Labelled:
    """Two statements that could not both stand until a person decided, as they were then, the earlier one first."""

    run: str
    a: Memory
    b: Memory
    relation: Relation
    kept: str
    """Which of them the person kept: `earlier`, `later` or `both`."""


@dataclass(frozen=True)
class Forgotten:
    """How much is gone for good."""

    memories: int
    observations: int
    files: int
    lines: int = 0
    left: tuple[str, ...] = ()
    """Where the words still stand: what dream may not change, or can not yet."""


def pin(kit: Kit, memory_id: str, *, seen: Seen = NOTHING_SEEN) -> Memory:
    """Pin a memory: no dream touches it. A pin is acceptance, so a held one becomes live.

    Raises Refused for what is not current, or no memory, Overtaken where it is no longer as it was seen.
    """
    memory = _load_named(kit, memory_id)
    refuse_pin(kit.store)
    accepted = memory.status in (Status.HELD, Status.STALE)
    if memory.status not in CURRENT:
        raise Refused(f"a memory that is {memory.status.value} cannot be pinned", hint=f"`dream restore {memory.id}` first")
    after = replace(memory, pinned=True, status=Status.LIVE if accepted else memory.status,
                    reason="accepted-by-pin" if accepted else memory.reason)
    return change_by_person(kit, "pin", [(memory, after)], seen=seen)[0]


def unpin(kit: Kit, memory_id: str, *, seen: Seen = NOTHING_SEEN) -> Memory:
    """Let dreams tend to a memory again."""
    memory = _load_named(kit, memory_id)
    refuse_pin(kit.store)
    return change_by_person(kit, "unpin", [(memory, replace(memory, pinned=False))], seen=seen)[0]


def restore(kit: Kit, memory_id: str, *, seen: Seen = NOTHING_SEEN) -> Memory:
    """Bring an archived or superseded memory back to life; what had replaced it ends instead.

    Raises Refused for one that is current already.
    """
    memory = _load_named(kit, memory_id)
    if memory.status in (Status.LIVE, Status.HELD):
        raise Refused(f"that memory is {memory.status.value}, there is nothing to restore",
                      hint=f"`dream pin {memory.id}` makes it live" if memory.status is Status.HELD
                      else "`dream list --all` shows what was archived or replaced")
    now = kit.clock.now()
    successor = memories.load_some(kit.store, [memory.superseded_by]).get(memory.superseded_by)
    ttl = None if memory.reason == "expired" else memory.ttl
    changes = [(memory, replace(memory, status=Status.LIVE, superseded_by="", valid_to=None, confirmed_at=now,
                                updated_at=now, ttl=ttl, authority=Trust.USER, reason="restored-by-person"))]
    if successor is not None and successor.status in CURRENT:
        refuse_between_members(kit.store, memory, (successor,))
        changes.append((successor, replace(successor, status=Status.SUPERSEDED, superseded_by=memory.id, valid_to=now,
                                           reason="restored-by-person")))
    return change_by_person(kit, "restore", changes, seen=seen)[0]


def promote(kit: Kit, identity: str) -> Memory:
    """Make a memory of a passage: the person's word that it is meant to last, whatever its form.

    Raises StoreMissing where there is neither, Refused for what is a memory already.
    """
    named = passages.load_named(kit.store, identity)
    if isinstance(named, Memory):
        if named.status is Status.HELD and named.reason in passages.HELD_FOR_FORM:
            return change_by_person(kit, "promote", [(named, replace(named, status=Status.LIVE, reason=PROMOTED))])[0]
        raise Refused(f"that is a memory already, and {named.status.value}", hint=f"`dream show {named.id}` shows it")
    said = named.passage
    gated = gate(said.text, origin=Origin.USER, at=said.confirmed_at, zone=kit.zone)
    kind = gated.memory_class if gated.memory_class not in DECLINED else MemoryClass.REFERENCE
    memory = replace(said, id=content_id("memory", str(said.scope), said.id), text=gated.text, memory_class=kind,
                     memory_type=gated.memory_type, category=gated.category, status=Status.LIVE, ttl=gated.ttl, reason=PROMOTED,
                     answers="")
    changed = change_by_person(kit, "promote", [(None, replace(memory, file=topic_path(memory)))])[0]
    if gated.text != said.text:
        embed_told(kit, gated.text)
    return changed


def edit(kit: Kit, identity: str, words: str, *, seen: Seen = NOTHING_SEEN) -> Memory:
    """Give a memory other words, at once; a held or stale one lives by it.

    Raises Refused for what is not current, or no memory, UsageError for words that say nothing, Overtaken where the memory is
    no longer as it was seen.
    """
    memory = _load_named(kit, identity)
    if memory.status not in CURRENT:
        raise Refused(f"a memory that is {memory.status.value} cannot be edited", hint=f"`dream restore {memory.id}` first")
    refuse_between_members(kit.store, memory, _rivals(memory, memories.load_some(kit.store, [i for i, _ in memory.links])))
    after = reword(kit, memory, words, seen=seen)
    rewrite(kit, [memory.scope])
    return after


def _load_named(kit: Kit, identity: str) -> Memory:
    """A memory by its id, or by that of a passage whose words wait in it.

    Raises StoreMissing where there is neither, Refused for a passage.
    """
    named = passages.load_named(kit.store, identity)
    if isinstance(named, passages.Place):
        raise Refused("that was said in passing and is no memory", hint=f"`dream promote {named.passage.id}` makes one of it")
    return named


def load_review(kit: Kit) -> list[Question]:
    """The held memories, each with what it contradicts; a pair is asked once."""
    held = memories.load_memories(kit.store, statuses=(Status.HELD,))
    everyone = memories.load_some(kit.store, [other for m in held for other, _ in m.links])
    asked: set[str] = set()
    questions = []
    for memory in held:
        if memory.id in asked:
            continue
        rivals = _rivals(memory, everyone)
        asked.update({memory.id, *(r.id for r in rivals if r.status is Status.HELD)})
        questions.append(Question(memory, rivals))
    return questions


def decide(kit: Kit, memory_id: str, choice: str, *, seen: Seen = NOTHING_SEEN) -> list[Memory]:
    """Answer a question: keep-a (the named memory), keep-b (what it contradicts), both, drop (the named one) or neither.

    Raises UsageError for an unknown choice, Refused for a memory that is not held, Overtaken where one is not as it was seen.
    """
    if choice not in CHOICES:
        raise UsageError(f"unknown choice; one of {', '.join(CHOICES)}")
    memory = memories.load_memory(kit.store, memory_id)
    if memory.status is not Status.HELD:
        raise Refused(f"that memory is {memory.status.value}, not held", hint="`dream review` lists the held ones")
    rivals = _rivals(memory, memories.load_some(kit.store, [other for other, _ in memory.links]))
    if choice in (KEEP_B,) and not rivals:
        raise Refused("that memory contradicts nothing, there is no other side to keep",
                      hint="use keep-a to accept it, or drop")
    refuse_between_members(kit.store, memory, rivals)
    now = kit.clock.now()
    alive = [(m, replace(m, status=Status.LIVE, authority=Trust.USER, confirmed_at=now, reason="decided-by-person"))
             for m in ((memory, *rivals) if choice == BOTH else rivals if choice == KEEP_B else (memory,))]
    if choice == NEITHER:
        over = [(m, replace(m, status=Status.ARCHIVED, valid_to=now, reason="dropped-by-person")) for m in (memory, *rivals)]
        return change_by_person(kit, "review", over, seen=seen)
    if choice == DROP:
        gone = replace(memory, status=Status.ARCHIVED, valid_to=now, reason="dropped-by-person")
        return change_by_person(kit, "review", [(memory, gone), *_freed(rivals)], seen=seen)
    if choice == BOTH:
        return change_by_person(kit, "review", alive, seen=seen)
    winner, losers = (alive[0][1], rivals) if choice == KEEP_A else (alive[0][1], (memory,))
    ended = [(m, replace(m, status=Status.SUPERSEDED, superseded_by=winner.id, valid_to=now, reason="decided-by-person"))
             for m in losers if m.id != winner.id]
    return change_by_person(kit, "review", [*alive[:1], *ended], seen=seen)


def load_labelled(store: Store) -> list[Labelled]:
    """What was decided between two statements and still stands: pairs whose relation a person has told.

    They are read from the journal, which has the words once: what is undone, forgotten or masked is so here as well. A drop
    says nothing of two statements, nor does accepting one that nothing stands against.
    """
    decided: dict[frozenset[str], Labelled] = {}
    for run, entries in load_decisions(store):
        moves = [(memories.from_snapshot(store, e.before), memories.from_snapshot(store, e.after))
                 for e in entries if e.before and e.after]
        if run.kind == "restore":
            for before, _ in moves:
                decided.pop(frozenset((before.id, before.superseded_by)), None)  # the person thought again
        elif all(after.status is not Status.ARCHIVED for _, after in moves):
            for one, other in combinations(moves, 2):
                pair = _told(run, one, other)
                if pair is not None:
                    decided[frozenset((pair.a.id, pair.b.id))] = pair
    return list(decided.values())


def _told(run: Run, one: tuple[Memory, Memory], other: tuple[Memory, Memory]) -> Labelled | None:
    """What a decision tells of two memories, each given as it was and as it became; None where it tells nothing."""
    (a, a_then), (b, b_then) = sorted((one, other), key=lambda move: (move[0].confirmed_at, move[0].id))
    if memories.FORGOTTEN_TEXT in (a.text, b.text):
        return None
    if a_then.superseded_by == b.id:
        later = days_between(a.confirmed_at, b.confirmed_at) >= CLEARLY_LATER_DAYS
        return Labelled(run.id, a, b, Relation.UPDATES if later else Relation.CONTRADICTS, "later")
    if b_then.superseded_by == a.id:
        return Labelled(run.id, a, b, Relation.CONTRADICTS, "earlier")
    if a_then.status is b_then.status is Status.LIVE and (b.id, "contradicts") in a.links:
        return Labelled(run.id, a, b, Relation.RELATED, "both")
    return None


def find_matching(kit: Kit, query: str) -> list[Memory]:
    """Memories whose words contain every word of the query, whatever their status."""
    words = query.casefold().split()
    if not words:
        raise UsageError("an empty query would match everything")
    return [m for m in memories.load_memories(kit.store) if all(w in m.text.casefold() for w in words)]


def find_named(kit: Kit, ids: Sequence[str]) -> tuple[list[Memory], list[tuple[int, str]]]:
    """Memories by id, and what was said in passing, by number and text.

    Raises StoreMissing for an id of neither.
    """
    chosen: list[Memory] = []
    loose: list[tuple[int, str]] = []
    for identity in ids:
        try:
            named = passages.load_named(kit.store, identity)
        except StoreMissing:
            memory, said = forgetting.find_gone(kit.store, identity)
            if not memory and not said:
                raise
            loose += said
            continue
        if isinstance(named, passages.Place):
            loose.append((named.seq, named.passage.text))
        else:
            chosen.append(named)
    return chosen, loose


def find_loose(kit: Kit, query: str, going: Sequence[Memory] = ()) -> list[tuple[int, str]]:
    """What was said with every word of the query and goes with none of the memories that go.

    It waits, was declined, was a single sighting, was set aside by an undo, or the memory it led to has other words today.
    """
    lineage = [i for m in going for i in forgetting.load_lineage(kit.store, m.id)]
    return forgetting.load_loose(kit.store, query.casefold().split(), going=list(dict.fromkeys(lineage)))


def take_waiting(kit: Kit) -> None:
    """Take in what waits in the inbox, for a person who looks for words means what was noted a moment ago as well.

    Raises Locked while a dream is at work.
    """
    if inbox.list_inbox(kit.paths):
        with locks.hold_dream(kit.paths.locks, Owner("dream forget", kit.clock.now())):
            take_inbox(kit, [])
            if kit.run is not None:
                with kit.writing() as tx:
                    drop_run(tx, kit.run)  # taking in is no dream; `forget` has a run of its own
                kit.run = None


def forget(kit: Kit, ids: Sequence[str], *, loose: Sequence[int] = (), words: str = "",
           seen: Seen = NOTHING_SEEN) -> Forgotten:
    """Remove memories, their earlier versions and their observations for good; only tombstones stay.

    `loose` are numbers of observations that go without a memory, `words` those that no earlier wording may keep. Backups
    are made anew without all of them. Raises StoreMissing for an unknown id, Locked while a dream is at work.
    """
    loose = [*loose, *forgetting.load_said_twice(kit.store, ids)]
    ids = list(dict.fromkeys([*ids, *forgetting.load_resting_on(kit.store, loose)]))
    chosen = [memories.load_memory(kit.store, i) for i in ids]
    told = [*(m.text for m in chosen), *forgetting.load_texts(kit.store, loose)]
    with locks.hold_dream(kit.paths.locks, Owner("dream forget", kit.clock.now())):
        lineage = list(dict.fromkeys(i for m in chosen for i in forgetting.load_lineage(kit.store, m.id)))
        scopes = sorted({m.scope for m in chosen})
        now = kit.clock.now()
        settle_events(kit)
        with locks.foreground(kit.paths.locks), kit.store.writing() as tx:
            refuse_if_overtaken(tx, seen)
            lines = strike(kit.world, words.casefold().split(), told, forgetting.load_learned(kit.store, lineage, loose))
            run = begin_run(tx, kind="forget", now=now, started_at=now, version="")
            for identity in lineage:
                write_entry(tx, Entry(run.seq, 0, "forget", identity, str(chosen[0].scope), "forgotten", (), None, None))
            key = observations.tombstone_key(kit.store)
            gone = forgetting.forget_memories(tx, lineage, at=now, key=key)
            gone += forgetting.forget_observations(tx, loose, at=now, key=key)
            forgetting.forget_tallies(tx, kit.store, words.casefold().split(), told, at=now, key=key)
            forgetting.forget_wordings(tx, words.casefold().split())
            scopes = sorted({*scopes, *_rename(tx, kit, words.casefold().split())})
            end_run(tx, replace(run, outcome="changed", reason=f"memories forgotten: {len(lineage)}"), ended_at=now)
        kit.run = run
        lines += strike_unknown(kit.world, kit.store)
        files = rewrite(kit, scopes)
        with kit.background.batch():
            whole = forgetting.finish(kit.store, kit.paths)
    standing = {m.text for m in memories.load_memories(kit.store)}
    left = forgetting.find_left(kit.paths, [text for text in told if not any(text in other for other in standing)])
    return Forgotten(len(lineage), gone, files, lines, (*left, *(() if whole else (HELD_BY_A_READER,))))


def _rename(tx: sqlite3.Connection, kit: Kit, words: Sequence[str]) -> list[Scope]:
    """Give files another name whose name still has words that their memory no longer has; gives the scopes of those."""
    named = [m for m in memories.load_memories(kit.store) if words and all(w in m.file.casefold() for w in words)]
    for memory in named:
        memories.write_memory(tx, replace(memory, file=topic_path(replace(memory, file=""))))
        forgetting.forget_snapshots(tx, memory.id)
    return [memory.scope for memory in named]


def hold(kit: Kit, waiting: Sequence[tuple[Memory, str]]) -> list[Memory]:
    """Hold memories until a person decides, each for its reason."""
    return change_by_person(kit, "hold", [(memory, replace(memory, status=Status.HELD, reason=why)) for memory, why in waiting])


def _rivals(memory: Memory, everyone: dict[str, Memory]) -> tuple[Memory, ...]:
    return tuple(everyone[other] for other, relation in memory.links
                 if relation == "contradicts" and other in everyone and everyone[other].status in CURRENT)


def _freed(rivals: Sequence[Memory]) -> list[tuple[Memory, Memory]]:
    """A rival that was held only because of the dropped one lives again."""
    return [(r, replace(r, status=Status.LIVE, reason="decided-by-person")) for r in rivals if r.status is Status.HELD]


def change_by_person(kit: Kit, kind: str, changes: Sequence[tuple[Memory | None, Memory]], *,
                     seen: Seen = NOTHING_SEEN) -> list[Memory]:
    """Write changes as one run of a person, ahead of any dream that works at the same time.

    Raises Overtaken where a memory is no longer as the person saw it.
    """
    now = kit.clock.now()
    real = [Change(kind, before, after, after.reason or kind) for before, after in changes if before != after]
    if real:
        with locks.foreground(kit.paths.locks), kit.store.writing() as tx:
            refuse_if_overtaken(tx, seen)
            run = begin_run(tx, kind=kind, now=now, started_at=now, version="")
            for change in real:
                write_change(tx, change, run.seq)
            end_run(tx, replace(run, outcome="changed"), ended_at=now)
        rewrite(kit, sorted({c.after.scope for c in real}))
    return [after for _, after in changes]
