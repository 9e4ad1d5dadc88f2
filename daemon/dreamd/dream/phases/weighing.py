"""Weigh what was said in passing: against the nearest memories and the nearest other passages of its scope.

Recall judges nothing. Whether a memory carries a passage, or something said later took its place, is found out here and
remembered with all other verdicts on pairs, for every search to read. The newest passages come first, and no more pairs a dream
than a setting allows: what is left is weighed by the next dreams, and until then it is shown like anything else that was said.
A memory that changed meets the passages weighed before it; a passage that is new meets everything.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import partial

from dreamd.core.errors import Locked
from dreamd.core.values import Scope, Status
from dreamd.dream.phases.carry_out import keep_verdicts
from dreamd.dream.phases.compare import Vectors, load_standing, load_vectors
from dreamd.judge import Pair, Statement
from dreamd.kit import Kit
from dreamd.store import derived, journal, memories, observations, passages, work
from dreamd.store.derived import WEIGHED, pair_side
from dreamd.store.passages import Spoken
from dreamd.store.presence.sound_rows import stored_scope
from dreamd.text.alike.parallels import is_same_wording

PHASE = "weigh"
WEIGHED_TO = "weighed-to"
"""The store's fact of the last run after which nothing was left to weigh."""
NEIGHBOURS = 4
"""Memories, and other passages, that one passage is weighed against at most: the nearest of each."""
FLOOR = 0.42
"""Cosine from which two statements may speak of the same thing."""
LONGEST = 500
"""Characters up to which a text is a statement: nothing longer is judged."""
BATCH = 32
"""Pairs between two looks at whether to stop."""
SHOWN = (Status.LIVE, Status.STALE, Status.HELD, Status.SUPERSEDED)
"""What may carry a passage or have ended with it; what is archived for its age is a passage itself."""


@dataclass(frozen=True)
class Weighing:
    """What one dream weighed, and how many passages are left for the next ones."""

    pairs: int = 0
    passages: int = 0
    left: int = 0


@dataclass(frozen=True)
class _Subject:
    """What is weighed: a passage, or a memory that changed."""

    one: Spoken
    is_passage: bool

    @property
    def id(self) -> str:
        return self.one.id

    @property
    def said(self) -> Statement:
        return Statement(self.one.text, self.one.at)


@dataclass
class _Work:
    """Pairs in the order they are judged, and after how many of them each passage is done."""

    pairs: dict[tuple[str, str], Pair] = field(default_factory=dict)
    done_after: list[tuple[int, str]] = field(default_factory=list)
    is_up_to_date: bool = True
    """Whether the pairs of every changed memory are among them."""


def weigh_passages(kit: Kit, scope: Scope | None = None) -> Weighing:
    """Judge passages that no dream has weighed, and what changed memories mean for the others; of all scopes, or of one.

    Raises Outage where the judge is away, Locked when asked to stop: what was judged by then is kept.
    """
    most, place = kit.settings.consolidate.passage_pairs, str(scope) if scope else None
    if kit.dry or not most or not kit.settings.recall.passages:
        return Weighing()
    since, last = int(kit.store.meta(WEIGHED_TO) or 0), journal.last_seq(kit.store)
    if last <= since:
        return Weighing()
    fresh = passages.load_unweighed(kit.store, after=since, scope=place)
    changed = passages.load_changed_beside(kit.store, after=since, scope=place)
    ahead = _plan(kit, [_Subject(one, is_passage=False) for one in changed], [_Subject(one, is_passage=True) for one in fresh])
    weighed = _carry_out(kit, ahead)
    if kit.run is not None and (fresh or changed) and not kit.store.held:  # it looks at all that was ever judged
        _drop_what_is_gone(kit)
    if kit.run is not None and scope is None and weighed == len(fresh) and ahead.is_up_to_date:
        with kit.writing() as tx:
            # The run that this weighing began itself, and no other that came in between.
            work.write_meta(tx, WEIGHED_TO, str(last + (kit.run.seq == last + 1)))
    return Weighing(len(ahead.pairs), weighed, len(fresh) - weighed)


def _plan(kit: Kit, changed: Sequence[_Subject], fresh: Sequence[_Subject]) -> _Work:
    """The pairs to judge, those of changed memories first, then those of the newest passages, as many as are allowed."""
    most = kit.settings.consolidate.passage_pairs
    subjects = [*changed, *fresh[:most]]
    unweighed = {one.id for one in fresh}
    near: dict[str, list[Pair]] = {}
    for scope in dict.fromkeys(one.one.scope for one in subjects):
        kit.progress(PHASE, 0, 0)
        near.update(_near(kit, stored_scope(scope), [one for one in subjects if one.one.scope == scope], unweighed))
    known = derived.find_judged(kit.store, [_key(pair) for pairs in near.values() for pair in pairs])
    ahead = _Work()
    for one in subjects:
        new = {key: pair for pair in near[one.id] if (key := _key(pair)) not in known and key not in ahead.pairs}
        if ahead.pairs and len(ahead.pairs) + len(new) > most:
            ahead.is_up_to_date = one.is_passage
            break
        ahead.pairs.update(new)
        if one.is_passage:
            ahead.done_after.append((len(ahead.pairs), one.id))
    return ahead


def _near(kit: Kit, scope: Scope, subjects: Sequence[_Subject], unweighed: AbstractSet[str]) -> dict[str, list[Pair]]:
    """The pairs of some subjects of one scope."""
    _, vectors = load_standing(kit, scope, whole=False)
    held = dict(memories.load_said(kit.store, scope, statuses=SHOWN))
    spoken = passages.load_spoken(kit.store, scope=str(scope))
    said = {one.text: one.at for one in spoken}
    weighed = {one.text: one.at for one in spoken if one.id not in unweighed}
    load_vectors(kit, [*held, *said, *(one.said.text for one in subjects)], vectors)
    found: dict[str, list[Pair]] = {one.id: [] for one in subjects}
    new, moved = ([one for one in subjects if one.is_passage is wanted] for wanted in (True, False))
    for mine, others in ((new, held), (new, said), (moved, weighed)):
        near = _nearest([one.said.text for one in mine], list(others), vectors)
        for one in mine:
            found[one.id] += [_pair(one.said, Statement(text, others[text]), cosine)
                              for text, cosine in near.get(one.said.text, ())]
    return found


def _nearest(asked: Sequence[str], among: Sequence[str], vectors: Vectors) -> dict[str, list[tuple[str, float]]]:
    """For each wording the nearest of some others that say it in other words, with their cosines."""
    known = [text for text in among if text in vectors and len(text) <= LONGEST]
    having = [text for text in dict.fromkeys(asked) if text in vectors and len(text) <= LONGEST]
    return {text: [(other, c) for other, c in near if c >= FLOOR and not is_same_wording(text, other)][:NEIGHBOURS]
            for text, near in vectors.nearest(having, known, NEIGHBOURS + 1)}


def _pair(one: Statement, other: Statement, similarity: float) -> Pair:
    """Two statements in the order in which a verdict on them is remembered."""
    pair = Pair(one, other, similarity)
    key, turned = _key(pair), Pair(other, one, similarity)
    return pair if key == tuple(sorted(key)) else turned


def _key(pair: Pair) -> tuple[str, str]:
    return pair_side(pair.a.text, pair.a.at), pair_side(pair.b.text, pair.b.at)


def _carry_out(kit: Kit, ahead: _Work) -> int:
    """Judge pairs and remember them, batch by batch; says how many passages are done."""
    pairs, done, judge = list(ahead.pairs.items()), 0, ""
    for start in range(0, max(len(pairs), bool(ahead.done_after)), BATCH):
        part = pairs[start:start + BATCH]
        kit.progress(PHASE, start, len(pairs))
        if kit.should_stop():
            raise Locked("asked to stop", hint="nothing is lost; the next dream goes on from here")
        if part:
            judge = kit.load_judge().name
            tell = partial(_tell, kit, start, len(pairs))
            verdicts = kit.load_judge().judge_all([pair for _, pair in part], progress=tell)
            keep_verdicts(kit, {key: verdict for (key, _), verdict in zip(part, verdicts, strict=True)}, judge=judge)
        ended = [identity for after, identity in ahead.done_after[done:] if after <= start + len(part)]
        kit.write_all(ended, partial(derived.mark_weighed, judge=judge))
        done += len(ended)
    return done


def _tell(kit: Kit, start: int, total: int, done: int, _of: int) -> None:
    kit.progress(PHASE, start + done, total)


def _drop_what_is_gone(kit: Kit) -> None:
    """Forget verdicts on what is no passage any more, and on passages beside what nobody says in these words any more."""
    pairs = derived.load_pairs(kit.store)
    marked = {b for a, b in pairs if a == WEIGHED}
    spoken = passages.load_spoken(kit.store)
    said = {pair_side(one.text, one.at) for one in spoken}
    living = said | memories.load_sides(kit.store)
    left = marked - {one.id for one in spoken}
    past = {pair_side(one.text, one.at) for one in observations.load_by_ids(kit.store, sorted(left))} - living
    gone = [(WEIGHED, one) for one in sorted(left)]
    gone += [(a, b) for a, b in pairs if a != WEIGHED and (
        a in past or b in past or (a in said and b not in living) or (b in said and a not in living))]
    kit.write_all(gone, derived.drop_pairs)
