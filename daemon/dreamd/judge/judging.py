"""The judge of pairs, as everybody asks it: one relation for each pair, and what it rests on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol

from dreamd.core.values import Clue, Evidence, EvidenceKind, Judgement, PairScore
from dreamd.judge.conflicts.beside import collateral_guards
from dreamd.judge.features import Statement, pair_features
from dreamd.judge.guards import reasons_apart
from dreamd.judge.prose import evidence_of
from dreamd.judge.verdicts import judge, needs_score

RULES = "rules-1"
LONGEST_READ = 500
"""Characters up to which a text is read together with another: a document costs the network much and teaches it nothing."""
READ_AT_ONCE = 128
"""Pairs that are read between two looks at whether to stop."""
MOST_KEPT = 65_536
PROBABILITIES = ("same", "a_richer", "b_richer", "a_newer", "b_newer", "clash", "related", "unrelated")


class Pair(NamedTuple):
    """Two statements and the cosine of their vectors."""

    a: Statement
    b: Statement
    similarity: float


class Guard(NamedTuple):
    """A difference between two statements, and whether it forbids that they become one whatever the network says."""

    evidence: Evidence
    vetoes: bool


@dataclass(frozen=True)
class Explanation:
    """What the judge sees in a pair: features by name, guards, and the probability of each label."""

    features: Mapping[str, float]
    guards: tuple[Guard, ...]
    probabilities: Mapping[str, float]


class Reader(Protocol):
    """What reads two statements together."""

    @property
    def name(self) -> str:
        """Another one whenever its readings may be others."""

    def score(self, pairs: Sequence[tuple[str, str]]) -> Sequence[PairScore]:
        """The probabilities of each pair, in order."""


class Judge:
    """Judges pairs in batches; verdicts are remembered under its `name`."""

    def __init__(self, reader: Reader | None) -> None:
        self._reader = reader
        self.name = reader.name if reader else RULES
        self._scores: dict[tuple[str, str], PairScore] = {}
        """By words alone: said again, a statement has another time, and that changes a verdict, but no reading."""

    def judge_all(self, pairs: Sequence[Pair], *, progress: Callable[[int, int], None] | None = None) -> list[Judgement]:
        """One judgement a pair, in order; `progress` is told how many of all are done, between pieces of the work.

        Raises Outage when a pair has to be read and the network is away.
        """
        tell = progress or _say_nothing
        hard = []
        for pair in pairs:
            tell(0, len(pairs))
            if self._reader and _is_short(pair) and needs_score(pair.a, pair.b, similarity=pair.similarity):
                hard.append(_words(pair))
        unread = list(dict.fromkeys(words for words in hard if words not in self._scores))
        easy = len(pairs) - len(unread)
        for start in range(0, len(unread), READ_AT_ONCE):
            tell(max(0, easy) + start, len(pairs))
            self._read(unread[start:start + READ_AT_ONCE])
        asked = frozenset(hard)
        verdicts = []
        for pair in pairs:
            score = self._scores.get(_words(pair)) if _words(pair) in asked else None
            verdicts.append(_worded(judge(pair.a, pair.b, similarity=pair.similarity, score=score), pair))
        if len(self._scores) > MOST_KEPT:
            self._scores.clear()
        return verdicts

    def explain(self, pair: Pair) -> Explanation:
        """All that the judge sees in one pair.

        Raises Outage when the network is away.
        """
        seen = pair_features(*pair)
        features = {"similarity": pair.similarity, "shared": len(seen.shared), "cover_a": seen.cover_a, "cover_b": seen.cover_b}
        if seen.gap_days is not None:
            features["days_apart"] = seen.gap_days
        guards = [*((why, True) for why in reasons_apart(seen)), *((why, False) for why in collateral_guards(seen))]
        told = {evidence_of(why, seen.similarity): vetoes for why, vetoes in reversed(guards)}
        if self._reader:
            self._read([_words(pair)])
        score = self._scores.get(_words(pair))
        return Explanation(features, tuple(Guard(*one) for one in reversed(told.items())),
                           {name: getattr(score, name) for name in PROBABILITIES} if score else {})

    def _read(self, pairs: Sequence[tuple[str, str]]) -> None:
        if self._reader:
            self._scores.update(zip(pairs, self._reader.score(pairs), strict=True))


def _words(pair: Pair) -> tuple[str, str]:
    return pair.a.text, pair.b.text


def _is_short(pair: Pair) -> bool:
    return max(len(pair.a.text), len(pair.b.text)) <= LONGEST_READ


def _worded(verdict: Judgement, pair: Pair) -> Judgement:
    """The verdict with evidence in the place of sentences."""
    clues: list[Clue] = []
    for why in verdict.evidence:
        found = evidence_of(str(why), pair.similarity, pair.a.at, pair.b.at)
        clues.append(found.turned() if _is_turned(found, pair) else found)
    return replace(verdict, evidence=tuple(dict.fromkeys(clues)))


def _is_turned(evidence: Evidence, pair: Pair) -> bool:
    """The sentences name both sides in one order, whoever asks."""
    a, b = pair.a.text, pair.b.text
    strange = evidence.a not in a and evidence.a in b or evidence.b not in b and evidence.b in a
    return strange and evidence.kind is not EvidenceKind.LATER


def _say_nothing(_done: int, _total: int) -> None:
    pass
