"""The judge of pairs, as everybody asks it: one relation for each pair, and what it rests on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple, Protocol

from dreamd.core.values import Clue, Evidence, EvidenceKind, Judgement, PairScore
from dreamd.judge.conflicts.beside import collateral_guards
from dreamd.judge.features import Statement, pair_features
from dreamd.judge.guards import reasons_apart
from dreamd.judge.prose import evidence_of
from dreamd.judge.verdicts import judge, needs_score
from dreamd.models.trained import LazyScorer

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

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


@dataclass(frozen=True)
class Explanation:
    """What a verdict was made of; `vetoes` are those guards that forbid a merge whatever the network reads."""

    verdict: Judgement
    features: Mapping[str, float]
    guards: tuple[Evidence, ...]
    vetoes: tuple[Evidence, ...]
    probabilities: Mapping[str, float]


class PairReader(Protocol):
    """The network that reads two statements together."""

    @property
    def name(self) -> str:
        """Of its weights and its engine."""
        ...

    def read(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
        """Eight logits for each pair, n × 8."""
        ...


class Judge:
    """Judges pairs in batches; verdicts are remembered under its `name`."""

    def __init__(self, reader: PairReader) -> None:
        self._reader = reader
        self.name = reader.name
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
            if _is_short(pair) and needs_score(pair.a, pair.b, similarity=pair.similarity):
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
        vetoes = [evidence_of(why, seen.similarity) for why in reasons_apart(seen)]
        guards = [*vetoes, *(evidence_of(why, seen.similarity) for why in collateral_guards(seen))]
        verdict, = self.judge_all([pair])
        self._read([_words(pair)])
        score = self._scores.get(_words(pair))
        return Explanation(verdict, features, tuple(dict.fromkeys(guards)), tuple(dict.fromkeys(vetoes)),
                           {name: getattr(score, name) for name in PROBABILITIES} if score else {})

    def _read(self, pairs: Sequence[tuple[str, str]]) -> None:
        import numpy as np

        if isinstance(self._reader, LazyScorer):
            self._scores.update(zip(pairs, self._reader.score(pairs), strict=True))
            return
        logits = self._reader.read(pairs).astype(float)
        shares = np.exp(logits - logits.max(axis=1, keepdims=True))
        shares /= shares.sum(axis=1, keepdims=True)
        self._scores.update(zip(pairs, (PairScore(*row) for row in shares.tolist()), strict=True))


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
