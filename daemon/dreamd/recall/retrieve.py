"""What may answer a question: the memories and passages that words or vectors bring up, each with all its measures."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from dreamd.core.identity import speaker_of, with_context, words_of_speaker
from dreamd.core.values import Category, Memory, MemoryClass, Scope, Status
from dreamd.kit import Kit
from dreamd.recall.asked import has_what_is_asked, kind_asked_for
from dreamd.recall.ranking import LONGEST_QUESTION, Budget, Hit
from dreamd.recall.shelf import Near, Reach
from dreamd.recall.terms import alike_words, telling_words, word_matches, word_roots, word_stems
from dreamd.store import memories, passages, shown

POOL = 60
"""Memories that words bring up, memories that vectors bring up, and passages, looked at for one question."""
CONTEXT_WORDS = 0.33
"""What the words before a text count beside what their meaning does: a number in them is not the text's own."""
NARROWED = 20
"""Times as many are looked at where only some kinds of them are wanted."""
POOL_ALONE = 150
"""Words that have to answer alone deserve a longer look."""


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
    alone: bool = False
    """Only one's own memory, and not what came down of a team's."""
    hurried: bool = False
    """By words alone, for there is no time to wait for the model."""
    unread: bool = False
    """In the order of nearness: no result is read together with the question."""
    everything: bool = False
    """Also what was replaced or archived."""
    classes: frozenset[MemoryClass] = frozenset()
    """Only memories of these; empty means all."""
    categories: frozenset[Category] = frozenset()
    """Only memories of these; empty means all."""

    @property
    def narrowed(self) -> bool:
        """Whether only some kinds of memories are wanted, and no passage, which is of none."""
        return bool(self.classes or self.categories)

    @property
    def statuses(self) -> frozenset[Status]:
        """What such a look may show."""
        more = {Status.HELD} if self.held and not self.injection else set()
        if (self.everything or self.budget is Budget.DEEP) and not self.injection:
            more.add(Status.SUPERSEDED)
        return frozenset({Status.LIVE, Status.STALE} | more | (set() if self.injection else {Status.ARCHIVED}))


def reach_of(look: Look) -> Reach:
    """How far a question with vectors looks."""
    return Reach(_most(look, POOL), frozenset(s.value for s in look.statuses), frozenset(str(s) for s in look.scopes))


def _most(look: Look, pool: int) -> int:
    return max(pool, 2 * (look.limit or 0)) * (NARROWED if look.narrowed else 1)


def gather(kit: Kit, query: str, look: Look, near: Near | None) -> list[Hit]:
    """The hits of a question; what words or vectors alone brought up carries both measures."""
    most = _most(look, POOL if near else POOL_ALONE)
    words = telling_words(query)
    stems = word_stems(words if near else [*words, *alike_words(words)])
    statuses, scopes = {s.value for s in look.statuses}, {str(s) for s in look.scopes}
    names = shown.search_words_of(kit.store, stems, statuses=sorted(statuses), scopes=sorted(scopes), limit=most)
    if near:
        near.meet(names)
        names += near.best(most, statuses=statuses, scopes=scopes)
    known = memories.load_some(kit.store, list(dict.fromkeys(names)))
    pool = [m for m in known.values() if m.may_answer or m.status in look.statuses - {Status.ARCHIVED}]
    if look.everything:
        pool = [m for m in known.values() if m.status in look.statuses]
    if look.narrowed:
        pool = [m for m in pool if (not look.classes or m.memory_class in look.classes)
                and (not look.categories or m.category in look.categories)]
    elif kit.settings.recall.passages and not look.injection:
        pool += _passages(kit, look, near, stems, most)
    return _measured(kit, query, pool, near)


def _passages(kit: Kit, look: Look, near: Near | None, stems: list[str], most: int) -> list[Memory]:
    """The passages that may answer a question; by words where they have no vectors."""
    scopes = frozenset(str(s) for s in look.scopes)
    if near and near.sayings:
        ids = [near.sayings.rows[n].id for n in near.sayings.best(most, scopes=scopes)]
    else:
        ids = passages.search_words_of(kit.store, stems, scopes=sorted(scopes), limit=most)
    return list(passages.load_some(kit.store, ids).values())


def _measured(kit: Kit, query: str, pool: list[Memory], near: Near | None) -> list[Hit]:
    """Each of a pool with its nearness, the share of the question's words it has, and what else it has of the question."""
    weight = CONTEXT_WORDS * kit.settings.recall.context_weight
    answered = passages.load_answered(kit.store, [one.id for one in pool])
    alone = word_matches(query, [one.text for one in pool])
    if answered and weight:
        behind = word_matches(query, [with_context(one.text, answered.get(one.id, "")) for one in pool])
        alone = [(a + weight * b) / (1 + weight) for a, b in zip(alone, behind, strict=True)]
    short = len(query) <= LONGEST_QUESTION
    kind, asked = (kind_asked_for(query), word_roots(query)) if short else ("", frozenset())
    hits = []
    for one, match in zip(pool, alone, strict=True):
        names = word_roots(speaker_of(one.text)) if speaker_of(one.text) else frozenset()
        hits.append(Hit(one, match, near.of(one.id) if near else None, near is not None and near.is_earlier(one.id),
                        has_value=has_what_is_asked(kind, words_of_speaker(one.text)), said_by=not names.isdisjoint(asked)))
    return hits
