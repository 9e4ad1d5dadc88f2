"""What the view of the memories shows: those that were searched for or chosen, and one of them with everything about it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import TypeVar

from dreamd.core.errors import UsageError
from dreamd.core.values import Category, Memory, MemoryClass, Observation, Origin, Status, parse_scope
from dreamd.dream.telling.explained import Explained, explain, knowing
from dreamd.kit import Kit
from dreamd.recall.answer import Found, Look, Recall
from dreamd.recall.ranking import Budget
from dreamd.recall.undreamt import find_waiting
from dreamd.report.heard import Source, read_source
from dreamd.report.pictures import timeline
from dreamd.report.plots import load_versions
from dreamd.store import memories, observations, passages
from dreamd.store.connection import Store
from dreamd.store.leafing.chosen import ORDERS, Chosen, count_by, load_page, of_origin
from dreamd.store.presence.team_copy import of_team, open_copy
from dreamd.store.telling.said_where import load_places

A_PAGE = 40
FOUND_AT_MOST = 60
LONGEST_QUERY = 400
MOST_ANCESTORS = 200
AGES = {"week": ("in the last week", 7, 0), "month": ("in the last month", 30, 0), "quarter": ("in the last 90 days", 90, 0),
        "older": ("not for 90 days", 0, 90)}
ORDER_WORDS = {"said": "said last", "made": "newest first", "asked": "asked for most", "oldest": "not heard of for longest"}
TEAM = "team"
One = TypeVar("One", bound=StrEnum)


@dataclass(frozen=True)
class Asked:
    """What somebody typed and chose, as it stands in the address."""

    query: str = ""
    scope: str = ""
    memory_class: str = ""
    category: str = ""
    status: str = "live"
    origin: str = ""
    age: str = ""
    order: str = "said"
    whose: str = ""
    """`team` for the copy of a team's memory in a home of one's own."""
    page: int = 1

    def address(self, **changed: object) -> str:
        """The query of an address that asks the same, or nearly."""
        from urllib.parse import urlencode

        told = {**vars(self), **changed}
        plain = vars(Asked())
        names = {"query": "q", "memory_class": "class"}
        return urlencode({names.get(n, n): v for n, v in told.items() if v != plain[n]})


@dataclass(frozen=True)
class Shown:
    """A page of memories."""

    found: Sequence[Found | Memory]
    total: int
    mode: str = ""
    warning: str = ""
    waiting: Sequence[Observation] = ()
    """What waits for the next dream and has the words that were looked for."""

    @property
    def pages(self) -> int:
        return max(1, -(-self.total // A_PAGE))


@dataclass(frozen=True)
class Branch:
    """One version of a memory with those that went into it."""

    memory: Memory
    parts: tuple[Branch, ...] = ()


@dataclass(frozen=True)
class Whole:
    """One memory with everything about it."""

    told: Explained
    revision: int
    tree: Branch
    timeline: str = ""
    """The versions of the subject as a picture; empty where there is one alone."""


def read_asked(given: Mapping[str, str]) -> Asked:
    """What an address asks for; what makes no sense is left out."""
    def one_of(name: str, known: Sequence[str], otherwise: str = "") -> str:
        chosen = given.get(name, otherwise)
        return chosen if chosen in known else otherwise

    page = given.get("page", "1")
    return Asked(
        given.get("q", "").strip()[:LONGEST_QUERY], given.get("scope", ""), one_of("class", [c.value for c in MemoryClass]),
        one_of("category", [c.value for c in Category]),
        one_of("status", ["all", *(s.value for s in Status if s is not Status.SAID)], "live"),
        one_of("origin", [o.value for o in Origin]), one_of("age", list(AGES)), one_of("order", list(ORDERS), "said"),
        one_of("whose", [TEAM]),
        min(int(page), 1_000_000) if page.isdecimal() and len(page) < 8 and int(page) else 1)


def choose(asked: Asked, now: datetime) -> Chosen:
    """The same as the store is asked."""
    def known(kind: type[One], text: str) -> One | None:
        return kind(text) if text else None

    try:
        scope = parse_scope(asked.scope) if asked.scope else None
    except UsageError:
        scope = None
    _, within, beyond = AGES.get(asked.age, ("", 0, 0))
    statuses = frozenset[Status]() if asked.status == "all" else frozenset({Status(asked.status)})
    return Chosen(scope, statuses, known(MemoryClass, asked.memory_class), known(Category, asked.category),
                  known(Origin, asked.origin), now - timedelta(days=within) if within else None,
                  now - timedelta(days=beyond) if beyond else None, asked.order)


def show(kit: Kit, asked: Asked, search: Callable[[str, Look], Recall]) -> Shown:
    """The memories that answer a query best first, or without one those that were chosen, in their order."""
    chosen = choose(asked, kit.clock.now())
    if not asked.query:
        with whose(kit, asked) as store:
            found, total = load_page(store, chosen, limit=A_PAGE, after=A_PAGE * (asked.page - 1))
        return Shown(of_team(kit.world, found) if asked.whose else found, total)
    everything = chosen.wants_past or chosen.statuses != {Status.LIVE}
    look = Look(limit=FOUND_AT_MOST, budget=Budget.BALANCED, held=chosen.wants_held or not chosen.statuses, record=False,
                scopes=(chosen.scope,) if chosen.scope else (), everything=everything,
                classes=frozenset({chosen.memory_class} if chosen.memory_class else ()),
                categories=frozenset({chosen.category} if chosen.category else ()))
    answer = search(asked.query, look)
    kept = [f for f in answer.results if _belongs(f.memory, chosen) and (f.memory.team or not asked.whose)]
    if chosen.origin:
        with whose(kit, asked) as store:
            rests = of_origin(store, [f.memory.id for f in kept], chosen.origin)
        kept = [f for f in kept if f.memory.id in rests]
    waits = find_waiting(kit.store, asked.query, scopes=look.scopes).found if asked == Asked(asked.query, asked.scope) else ()
    return Shown(kept, len(kept), answer.mode, answer.warning, waits)


@contextmanager
def whose(kit: Kit, asked: Asked) -> Iterator[Store]:
    """The store that is leafed through: one's own, or the copy of a team's where that is wanted and there."""
    with open_copy(kit.world) if asked.whose else nullcontext() as copy:
        yield kit.store if copy is None else copy


def facets(kit: Kit, asked: Asked) -> dict[str, dict[str, int]]:
    """How many memories each filter would show."""
    with whose(kit, asked) as store, store.reading():
        return {column: count_by(store, column) for column in ("scope", "class", "category", "status")}


def load_whole(kit: Kit, identity: str) -> Whole:
    """One memory, or what was said in passing, with everything about it.

    Raises StoreMissing where there is none.
    """
    with knowing(kit, identity) as (kit, mark), kit.store.reading():
        told = explain(kit, identity)
        told = replace(told, memory=mark(told.memory))
        revision = memories.load_revisions(kit.store, [told.memory.id]).get(told.memory.id, 0)
        subject = load_versions(kit.store, told.memory.id) if revision else []
        picture = timeline(f"subject-{told.memory.id}", subject, kit.clock.now()) if len(subject) > 1 else ""
        return Whole(told, revision, _tree(kit, told.memory), picture)


def load_said(kit: Kit, ids: Sequence[str]) -> dict[str, Source]:
    """Who said some memories last, and where, by their ids."""
    with kit.store.reading():
        heard = {identity: some[-1] for identity in ids if (some := observations.load_of_memory(kit.store, identity))}
        places = load_places(kit.store, heard.values())
    return {identity: read_source(one, places.get(one.id)) for identity, one in heard.items()}


def is_passage(memory: Memory) -> bool:
    """Whether that is no memory but what was said in passing."""
    return memory.status is Status.SAID


def kind_of_held(memory: Memory) -> bool:
    """Whether a person can make a memory of what is held only for its form."""
    return memory.status is Status.HELD and memory.reason in passages.HELD_FOR_FORM


def _belongs(memory: Memory, chosen: Chosen) -> bool:
    """A passage is no memory of any standing: it is shown beside what holds, where no kind was asked for."""
    if memory.status is Status.SAID:
        plain = not (chosen.memory_class or chosen.category)
        return plain and replace(chosen, statuses=frozenset()).has(memory) and chosen.statuses in (
            frozenset(), frozenset({Status.LIVE}))
    return chosen.has(memory)


def _tree(kit: Kit, memory: Memory) -> Branch:
    """What went into a memory, and what had gone into that, each once."""
    known = {memory.id: memory}
    fresh = list(memory.supersedes)
    while fresh and len(known) < MOST_ANCESTORS:
        found = memories.load_some(kit.store, fresh[:MOST_ANCESTORS])
        known.update(found)
        fresh = [i for m in found.values() for i in m.supersedes if i not in known]
    seen: set[str] = set()

    def branch(one: Memory) -> Branch:
        seen.add(one.id)
        return Branch(one, tuple(branch(known[i]) for i in one.supersedes if i in known and i not in seen))

    return branch(memory)
