"""Which entries say one thing in several wordings, and which cannot both hold: asked of the judge that dreams ask.

Nothing is merged here, so more counts as one thing than a dream would join: chains of wordings, and two that name the same
command where the judge reads one claim and only no wording keeps the words of both.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache

from dreamd.core.values import MERGING, Evidence, EvidenceKind, Judgement, Relation
from dreamd.dream.phases.compare import find_partners, load_vectors
from dreamd.judge import Pair, Statement
from dreamd.kit import Kit

LONGEST_JUDGED = 600
"""Longest text that is judged as one statement."""
MORE_LIKELY_THAN_NOT = 0.5
LONGEST_THING = 3
"""Words of what may stand in the place of another: `tabs` of `spaces`."""
_CODE = re.compile(r"`([^`\n]+)`")


@dataclass(frozen=True)
class Spoken:
    """One entry as the judge is told it."""

    text: str
    at: datetime | None = None


@dataclass(frozen=True)
class Compared:
    """Groups of entries that say one thing, and pairs that cannot both hold, by their numbers."""

    groups: tuple[tuple[int, ...], ...] = ()
    clashes: tuple[tuple[int, int], ...] = ()


def compare(kit: Kit, spoken: Sequence[Spoken], meet: Callable[[int, int], bool]) -> Compared:
    """Judge every entry against those near it that it may meet.

    Raises Outage when there is something to compare and the model is away.
    """
    asked = [n for n, one in enumerate(spoken) if len(one.text) <= LONGEST_JUDGED]
    if len(asked) < 2:
        return Compared()
    by_text: dict[str, list[int]] = defaultdict(list)
    for n in asked:
        by_text[spoken[n].text].append(n)
    texts, rules = list(by_text), kit.settings.consolidate
    vectors = load_vectors(kit, texts)
    partners = find_partners(texts, texts, vectors, k=rules.neighbours, floor=rules.neighbour_floor)
    pairs = {(min(a, b), max(a, b)) for text, near in partners.items() for other in (text, *near)
             for a in by_text[text] for b in by_text[other] if a != b and (meet(a, b) or _same_command(spoken[a], spoken[b]))}
    ordered = sorted(pairs)
    # Copies of a memory say the same many times over: what is said in the same words of the same days is judged once.
    said = [(spoken[a], spoken[b]) for a, b in ordered]
    asking = {both: Pair(Statement(both[0].text, both[0].at), Statement(both[1].text, both[1].at),
                         vectors.similarity(both[0].text, both[1].text)) for both in said}
    judge = kit.load_judge()
    judged = dict(zip(asking, judge.judge_all([*asking.values()], progress=lambda n, of: kit.progress("judge", n, of)),
                      strict=True))
    verdicts = {key: judged[both] for key, both in zip(ordered, said, strict=True)}

    @cache
    def one_claim(both: tuple[Spoken, Spoken]) -> bool:
        pair, said = asking[both], judged[both]
        if said.relation in MERGING:
            return True
        if not _same_command(*both):
            return False
        if said.relation is Relation.CONTRADICTS:
            return not _has_sign(said)  # of one command, and nothing in the words that clashes
        if said.relation is not Relation.RELATED or said.confidence >= MORE_LIKELY_THAN_NOT:
            return False
        told = judge.explain(pair)
        return told.probabilities["merge"] >= MORE_LIKELY_THAN_NOT and not told.vetoes

    part_of = _parts(len(spoken), [key for key, both in zip(ordered, said, strict=True) if one_claim(both)])
    members: dict[int, list[int]] = defaultdict(list)
    for n, part in enumerate(part_of):
        members[part].append(n)
    groups = tuple(tuple(some) for some in members.values() if len(some) > 1)
    return Compared(groups, _clashes(verdicts, part_of))


def _clashes(verdicts: dict[tuple[int, int], Judgement], part_of: Sequence[int]) -> tuple[tuple[int, int], ...]:
    """One pair for any two claims that clash in most of their wordings; what clashes with one wording of six does not."""
    judged: Counter[tuple[int, int]] = Counter()
    clashing: dict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
    for (a, b), said in verdicts.items():
        if part_of[a] == part_of[b]:
            continue
        key = (min(part_of[a], part_of[b]), max(part_of[a], part_of[b]))
        judged[key] += 1
        if said.relation in (Relation.CONTRADICTS, Relation.UPDATES) and said.is_sure and _has_sign(said):
            clashing[key].append((a, b))
    return tuple(min(pairs) for key, pairs in clashing.items() if 2 * len(pairs) >= judged[key])


_WITHOUT_A_SIGN = frozenset({EvidenceKind.CLASH, EvidenceKind.SAME_TIME, EvidenceKind.LATER})


def _has_sign(said: Judgement) -> bool:
    """Whether anything in the words shows what clashes: a value, a denial, a change told, or one thing in the place of another.

    Where the two part in several places and none of them tells, nobody could be shown what cannot both hold.
    """
    parting = [one for one in said.evidence if isinstance(one, Evidence) and one.kind not in _WITHOUT_A_SIGN]
    told = any(one.kind is not EvidenceKind.SUBJECT for one in parting)
    return told or len(parting) == 1 and all(len(side.split()) <= LONGEST_THING for side in (parting[0].a, parting[0].b))


def _parts(count: int, edges: Sequence[tuple[int, int]]) -> list[int]:
    """For each entry the smallest number it can be reached from."""
    part = list(range(count))
    for a, b in edges:
        low, high = sorted((part[a], part[b]))
        part = [low if p == high else p for p in part]
    return part


def _same_command(one: Spoken, other: Spoken) -> bool:
    return bool(_commands(one.text)) and _commands(one.text) == _commands(other.text)


def _commands(text: str) -> frozenset[str]:
    return frozenset(" ".join(found.split()) for found in _CODE.findall(text))
