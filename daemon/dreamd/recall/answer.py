"""Recall: the right memories for a question, each with why it ranks where it does.

Words and vectors are looked up apart and fused by `ranking`. While the model is away words alone answer, and
the answer says so. What was shown is counted, after the answer is made and never in its way.

For a program that has nothing but a home:

    with open_recall("~/.local/state/dream") as memory:
        for found in memory.search("how is the client built?").results:
            print(found.score, found.memory.text)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from dreamd.core import locks
from dreamd.core.clock import Clock, SystemClock, local_date
from dreamd.core.errors import DreamError, Outage, UsageError
from dreamd.core.paths import Paths, default_config, home_at, read_environment
from dreamd.core.settings import Settings, load_settings
from dreamd.core.values import Memory, Scope, Status
from dreamd.core.world import World
from dreamd.kit import Kit, open_kit
from dreamd.recall.asked import has_what_is_asked, kind_asked_for
from dreamd.recall.clues import SYMBOL_MISSING, find_clue, find_missing_symbols
from dreamd.recall.outdated import Likeness, currently
from dreamd.recall.own import own_first
from dreamd.recall.ranking import (
    LONGEST_QUESTION,
    Asked,
    Budget,
    Hit,
    Ranked,
    alike_words,
    rank,
    result_count,
    shared_words,
    telling_words,
    word_matches,
    word_stems,
)
from dreamd.recall.said import Known, Wanted, add_to, as_shown
from dreamd.recall.sequels import Around, with_sequels
from dreamd.recall.shelf import Near, Shelf
from dreamd.recall.unanswered import is_unanswered
from dreamd.recall.weighed import Weighed
from dreamd.store import memories, shown
from dreamd.store.connection import Store
from dreamd.store.intake import inbox
from dreamd.store.scopes import projects

WORD_POOL = 60
WORD_POOL_ALONE = 150
"""Words that have to answer alone deserve a longer look."""
VECTOR_POOL = 60
RECALL_BUDGET_S = 0.05
"""Longest a recall waits to be counted at once; past it the count goes to the inbox."""
LONGEST_QUERY = 4000
WITH_VECTORS = "words+vectors"
WORDS_ONLY = "words"


@dataclass(frozen=True)
class Found:
    """One memory of an answer; `clue` says what it names that is not there."""

    memory: Memory
    score: float
    parts: dict[str, float]
    clue: str | None = None


@dataclass(frozen=True)
class Recall:
    """An answer, and whether meaning or words alone found it."""

    query: str
    results: tuple[Found, ...]
    mode: str
    warning: str = ""

    @property
    def recalled(self) -> list[str]:
        """Ids of the memories among the results; a passage is none."""
        return [r.memory.id for r in self.results if r.memory.status is not Status.SAID]


@dataclass(frozen=True)
class Look:
    """How to look, apart from the question itself."""

    limit: int | None = None
    """Number of results in place of the budget's."""
    budget: Budget = Budget.BALANCED
    held: bool = False
    """Also memories that wait for a decision."""
    scopes: tuple[Scope, ...] = ()
    """Only these; empty means all."""
    record: bool = True
    """Count what is shown as recalled."""
    injection: bool = False
    """For a conversation: only what holds today, and never more than the injection cap."""
    directory: Path | None = None
    """Where relative paths that a memory names are looked for."""
    hurried: bool = False
    """By words alone, for there is no time to wait for the model."""

    @property
    def statuses(self) -> frozenset[Status]:
        """What such a look may show."""
        more = {Status.HELD} if self.held and not self.injection else set()
        if self.budget is Budget.DEEP and not self.injection:
            more.add(Status.SUPERSEDED)
        return frozenset({Status.LIVE, Status.STALE} | more | (set() if self.injection else {Status.ARCHIVED}))


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
    chosen = settings or load_settings(default_config(env))
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
            near, mode, warning = shelf.near(kit, query), WITH_VECTORS, ""
        except Outage as outage:
            warning = f"{outage.message}; found by words alone"
    hits = _hits(kit, query, look, near)
    asked = Asked(budget=look.budget, count=look.limit, held=look.held, injection=look.injection,
                  nearness=near.between if near else None)
    ranked = rank(query, hits, now=kit.clock.now(), rules=kit.settings.recall, asked=asked)
    if not look.injection:
        ranked = _with_what_was_said(kit, _wanted(kit, query, asked, look, by_words=not (near and near.sayings)), near, ranked)
    if near and ranked and look.budget is not Budget.DEEP and is_unanswered(query, ranked):
        ranked = []
    ranked = own_first(ranked, query) if len(query) <= LONGEST_QUESTION else ranked
    clues = find_clues(kit.store, [r.memory for r in ranked], look.directory) if look.directory else [None] * len(ranked)
    results = tuple(Found(as_shown(r.memory), r.score, r.parts, clue) for r, clue in zip(ranked, clues, strict=True))
    answer = Recall(query, results, mode, warning)
    if look.record and answer.recalled:
        record_recalls(kit, answer.recalled)
    return answer


def _with_what_was_said(kit: Kit, wanted: Wanted, near: Near | None, ranked: Sequence[Ranked]) -> list[Ranked]:
    """The memories of an answer with passages and with what was said later of the same; what that outdated is left out."""
    weighed = Weighed(None if wanted.whole else kit.store)  # who asks for history is shown what is over, too
    known = Known(kit.store, weighed, near.sayings, near.worded_like) if near else Known(kit.store, weighed)
    found = add_to(ranked, wanted, known)
    if wanted.whole:
        return found
    if near and found:
        found = with_sequels(found, wanted, store=kit.store, around=Around(near.beside, near.vector_of, near.sayings))
    likeness = Likeness(near.between, near.in_talk) if near else Likeness(shared_words)
    weighed.meet(one.memory for one in found)
    return currently(found, likeness, wanted.query, weighed) if len(found) > 1 else found


def _wanted(kit: Kit, query: str, asked: Asked, look: Look, *, by_words: bool) -> Wanted:
    now, words = kit.clock.now(), telling_words(query) if by_words else []
    return Wanted(query, now, local_date(now, kit.zone), kit.settings.recall, result_count(asked, kit.settings.recall),
                  frozenset(str(s) for s in look.scopes), word_stems([*words, *alike_words(words)]) if by_words else (),
                  look.budget is Budget.DEEP)


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


def _hits(kit: Kit, query: str, look: Look, near: Near | None) -> list[Hit]:
    """What words or vectors bring up; a hit of either carries both of its measures."""
    at_least = 2 * (look.limit or 0)
    words = telling_words(query)
    stems = word_stems(words if near else [*words, *alike_words(words)])
    names = shown.search_words_of(
        kit.store, stems, statuses=sorted(s.value for s in look.statuses),
        scopes=sorted(str(s) for s in look.scopes), limit=max(WORD_POOL if near else WORD_POOL_ALONE, at_least))
    if near:
        names += near.best(max(VECTOR_POOL, at_least), statuses={s.value for s in look.statuses},
                           scopes={str(s) for s in look.scopes})
    known = memories.load_some(kit.store, list(dict.fromkeys(names)))
    pool = [m for m in known.values() if m.status in look.statuses]
    matches = word_matches(query, [m.text for m in pool])
    kind = kind_asked_for(query) if len(query) <= LONGEST_QUESTION else ""
    return [Hit(m, match, near.of(m.id) if near else None, near is not None and near.is_earlier(m.id),
                has_value=has_what_is_asked(kind, m.text)) for m, match in zip(pool, matches, strict=True)]


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
