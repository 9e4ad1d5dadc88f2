"""Recall: the right memories for a question, each with why it ranks where it does.

Three stages: `retrieve` looks up words and vectors, `ranking` fuses them into one score, `resolve` makes an answer of it.
While the model is away words alone answer, and the answer says so. What was shown is counted, after the answer is made and
never in its way.

For a program that has nothing but a home:

    with open_recall("~/.local/state/dream") as memory:
        for found in memory.search("how is the client built?").results:
            print(found.score, found.memory.text)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from dreamd.core import locks
from dreamd.core.chosen.settings_environment import read_settings
from dreamd.core.clock import Clock, SystemClock
from dreamd.core.errors import DreamError, Outage, UsageError
from dreamd.core.paths import Paths, default_config, home_at, read_environment
from dreamd.core.settings import Settings
from dreamd.core.values import Memory, Status
from dreamd.core.world import World
from dreamd.kit import Kit, open_kit
from dreamd.recall.answering import reading_of
from dreamd.recall.clues import SYMBOL_MISSING, find_clue, find_missing_symbols
from dreamd.recall.named_records import records_named
from dreamd.recall.ranking import READ, Asked, rank, result_count
from dreamd.recall.resolve import Wanted, resolve
from dreamd.recall.retrieve import POOL, gather, reach_of
from dreamd.recall.retrieve import Look as Look
from dreamd.recall.shelf import Near, Shelf
from dreamd.recall.unanswered import is_unanswered, reads_none
from dreamd.store import memories
from dreamd.store.connection import Store
from dreamd.store.intake import inbox
from dreamd.store.observations import plain_words
from dreamd.store.presence.team_copy import of_team, open_copy, world_of_copy
from dreamd.store.scopes import projects

RECALL_BUDGET_S = 0.05
"""Longest a recall waits to be counted at once; past it the count goes to the inbox."""
LONGEST_QUERY = 4000
WITH_VECTORS = "words+vectors"
WORDS_ONLY = "words"


@dataclass(frozen=True)
class Found:
    """One memory of an answer; `clue` says what it names that is not there, `records` the standing of decisions it names."""

    memory: Memory
    score: float
    parts: dict[str, float]
    clue: str | None = None
    records: tuple[str, ...] = ()


@dataclass(frozen=True)
class Recall:
    """An answer, and whether meaning or words alone found it."""

    query: str
    results: tuple[Found, ...]
    mode: str
    warning: str = ""
    near: int = 0
    """Results that are near and not shown, for none of them answers."""

    @property
    def recalled(self) -> list[str]:
        """Ids of one's own memories among the results; a passage is none."""
        return [r.memory.id for r in self.results if r.memory.status is not Status.SAID and not r.memory.team]


AS_USUAL = Look()


class OpenRecall:
    """A home whose memories can be asked for; made by `open_recall`. Used by one thread."""

    def __init__(self, kit: Kit) -> None:
        self.kit = kit
        self._shelf = Shelf()

    def search(self, query: str, look: Look = AS_USUAL) -> Recall:
        """The memories that answer a query, best first; raises UsageError for an empty or endless query."""
        return search(self.kit, query, look, shelf=self._shelf)


@contextmanager
def open_recall(home: Path | str, *, settings: Settings | None = None, clock: Clock | None = None) -> Iterator[OpenRecall]:
    """Open a home for asking; the person's own settings count unless others are given.

    Raises StoreMissing where no store is, Outage for one of another version, ConfigError for broken settings.
    """
    env = read_environment()
    chosen = settings or read_settings(default_config(env), env)
    world = World(Paths(home_at(home)), chosen, clock or SystemClock(), env)
    with open_kit(world) as kit:
        yield OpenRecall(kit)


def search(kit: Kit, query: str, look: Look = AS_USUAL, *, shelf: Shelf | None = None) -> Recall:
    """The memories that answer a query, best first.

    Raises UsageError for an empty or endless query. Works by words alone while the model is away.
    """
    if not query.strip():
        raise UsageError("an empty query finds nothing", hint="say what you are looking for")
    if len(query) > LONGEST_QUERY:
        raise UsageError(f"the query is longer than {LONGEST_QUERY} characters")
    near, mode, warning = None, WORDS_ONLY, "found by words alone, for there was no time to wait"
    if not look.hurried:
        shelf = shelf or Shelf(look.statuses)
        shelf.refresh(kit)
        try:
            near, mode, warning = shelf.near(kit, query, reach_of(look)), WITH_VECTORS, ""
        except Outage as outage:
            warning = f"{outage.message}; found by words alone"
    with kit.store.reading():  # one state for all that is asked, and on a server one transaction for dozens of questions
        results, count, left = _found(kit, query, look, near)
    answer = _with_team(kit, Recall(query, results, mode, warning, left), replace(look, limit=count), shelf)
    if look.record and answer.recalled:
        record_recalls(kit, answer.recalled)
    return answer


def _found(kit: Kit, query: str, look: Look, near: Near | None) -> tuple[tuple[Found, ...], int, int]:
    """What the store answers by itself, how many results there may be, and how many are near and answer nothing."""
    hits = gather(kit, query, look, near)
    reading = reading_of(kit, query) if near and not look.injection and not look.unread else None
    asked = Asked(budget=look.budget, count=look.limit, held=look.held, injection=look.injection, everything=look.everything,
                  read=reading.answers if reading else None)
    count, rules = result_count(asked, kit.settings.recall), kit.settings.recall
    ranked = rank(query, hits, now=kit.clock.now(), rules=rules, asked=asked if look.injection else replace(asked, count=POOL))
    if reading and count <= READ and not asked.whole:
        ranked = [one for one in ranked if "answers" in one.parts]  # what stands behind all that is read, nobody asked for
    if not look.injection:
        wanted = Wanted(kit.clock.now(), rules, count, whole=asked.whole,
                        replaced=reading.replaced if reading else None)
        ranked = resolve(ranked, wanted, kit.store, near)
    left = 0
    if near and not asked.whole and (is_unanswered(query, ranked) or (reading and reads_none(query, reading.read, rules))):
        left, ranked = len(ranked), []
    clues = find_clues(kit.store, [r.memory for r in ranked], look.directory) if look.directory else [None] * len(ranked)
    named = records_named(kit.store, [r.memory for r in ranked])
    return tuple(Found(r.memory, r.score, r.parts, clue, records)
                 for r, clue, records in zip(ranked, clues, named, strict=True)), count, left


def _with_team(kit: Kit, own: Recall, look: Look, shelf: Shelf | None) -> Recall:
    """An answer with what the copy of a team's memory says: as good stands behind as good, and what both say is one's own."""
    if look.alone or not kit.settings.teams.url:
        return own
    with open_copy(kit.world) as copy:
        if copy is None:
            return own
        beside = search(replace(kit, world=world_of_copy(kit.world), store=copy), own.query,
                        replace(look, record=False, alone=True), shelf=shelf.beside if shelf else None)
    said = {plain_words(r.memory.text) for r in own.results}
    more = [replace(r, memory=of_team(kit.world, [r.memory])[0]) for r in beside.results
            if plain_words(r.memory.text) not in said]
    mixed = sorted([*own.results, *more], key=lambda r: -r.score)
    return replace(own, results=tuple(mixed[:look.limit]), near=own.near + beside.near)


def find_clues(store: Store, found: Sequence[Memory], directory: Path) -> list[str | None]:
    """For each memory what it names that is not there: in the work tree around a directory for those of its project.

    A memory of another project, or of the person, is only asked about places that are the same from everywhere.
    """
    scope, root = projects.scope_at(store, str(directory)), _work_tree(directory)
    clues = [find_clue(m.text, root if m.scope == scope else None) for m in found]
    ours = [n for n, m in enumerate(found) if m.scope == scope and not clues[n]] if (root / ".git").exists() else []
    for n, gone in zip(ours, find_missing_symbols([found[n].text for n in ours], root) if ours else (), strict=True):
        clues[n] = SYMBOL_MISSING if gone else None
    return clues


def _work_tree(here: Path) -> Path:
    return next((folder for folder in (here, *here.parents) if (folder / ".git").exists()), here)


def record_recalls(kit: Kit, ids: Sequence[str]) -> None:
    """Count a recall for each memory; where the store is busy the count waits in the inbox."""
    now = kit.clock.now()
    if not kit.paths.home.is_dir():
        return  # it was moved away while we looked, and is not made again for a count
    try:
        with locks.foreground(kit.paths.locks, RECALL_BUDGET_S), kit.store.writing() as tx:
            memories.record_recalls(tx, ids, now)
    except DreamError:
        with suppress(DreamError):  # a home nobody may write in still answers questions
            inbox.put_recalls(kit.paths, ids, now=now, ticket=str(kit.clock.monotonic()))
