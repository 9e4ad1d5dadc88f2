"""The judge: pairs of statements in, one relation each out. Everybody who judges asks `Judge.judge_all`.

read → align → guards and features → fitted model → policy. The pair network is slow beside all else, so it reads only what
the fitted model before it leaves open, each pair once and alone: what else is judged with it changes no verdict.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

from dreamd.core.values import Evidence, Judgement
from dreamd.judge.alignment import Alignment
from dreamd.judge.classifier import CLASSES, FittedJudge, load_fitted
from dreamd.judge.features import CHEAP, READ, cheap_row, days_between, read_rows
from dreamd.judge.guards import guards, shown, vetoes
from dreamd.judge.policy import Weighed, certain, decide
from dreamd.judge.statement import Statement, read

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LONGEST_READ = 500
"""Characters up to which the network reads a text: what is longer is a document, and no statement."""
BATCH = 64
"""Pairs between two looks at whether to stop or to wait."""


class Pair(NamedTuple):
    """Two statements and the cosine of their vectors."""

    a: Statement
    b: Statement
    similarity: float


class PairReader(Protocol):
    """The pair network."""

    @property
    def name(self) -> str:
        """Of its weights and its engine."""
        ...

    def read(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
        """Eight logits for each pair, n × 8."""
        ...


@dataclass(frozen=True)
class Explanation:
    """What a verdict was made of; `vetoes` are those guards that forbid a merge whatever the network reads."""

    verdict: Judgement
    features: Mapping[str, float]
    guards: tuple[Evidence, ...]
    vetoes: tuple[Evidence, ...]
    probabilities: Mapping[str, float]


class Judge:
    """Judges pairs; the same answer in any order, batch and company."""

    def __init__(self, reader: PairReader, fitted: FittedJudge | None = None) -> None:
        self._reader = reader
        self._fitted = fitted or load_fitted()
        self.name = f"{self._fitted.name}+{reader.name}"
        """Verdicts are remembered under it: another network or another fit judges anew."""

    def judge_all(self, pairs: Sequence[Pair], *, progress: Callable[[int, int], None] | None = None) -> list[Judgement]:
        """One verdict for each pair, in order; `progress` is told how many of how many are done, and may stop it."""
        found: list[Judgement] = []
        for start in range(0, len(pairs), BATCH):
            part = [_in_order(pair) for pair in pairs[start : start + BATCH]]
            weighed = self._weigh([pair for pair, _ in part])
            for told, (_, is_turned) in zip(weighed, part, strict=True):
                verdict = certain(told) or decide(told, self._fitted.limits)
                found.append(verdict.turned() if is_turned else verdict)
            if progress:
                progress(len(found), len(pairs))
        return found

    def explain(self, pair: Pair) -> Explanation:
        """All that the judge sees in one pair.

        Raises Outage when the network is away.
        """
        straight, is_turned = _in_order(pair)
        told, = self._weigh([straight])
        features = dict(zip(CHEAP, cheap_row(told.pair, told.guards, told.similarity, told.gap), strict=True))
        if told.labels is not None:
            read_so = read_rows(self._reader.read([(straight.a.text, straight.b.text)]))
            features |= dict(zip(READ, map(float, read_so[0]), strict=True))
        shares = dict(zip(CLASSES, map(float, told.probabilities), strict=True))
        found, stopping = (tuple(shown(one, told.pair).turned() if is_turned else shown(one, told.pair) for one in some)
                           for some in (told.guards, vetoes(told.pair, told.guards)))
        return Explanation(self.judge_all([pair])[0], features, found, stopping, shares)

    def _weigh(self, pairs: Sequence[Pair]) -> list[Weighed]:
        import numpy as np

        told = [(Alignment(read(p.a.text), read(p.b.text)), days_between(p.a.at, p.b.at)) for p in pairs]
        found = [guards(pair) for pair, _ in told]
        rows = np.array([cheap_row(pair, some, p.similarity, gap)
                         for (pair, gap), some, p in zip(told, found, pairs, strict=True)]).reshape(len(pairs), len(CHEAP))
        shares = self._fitted.before.probabilities(rows)
        open_ = shares[:, 0] + shares[:, 1] >= self._fitted.limits.ask
        asked = [n for n, p in enumerate(pairs) if open_[n] and _is_readable(p)]
        labels: dict[int, NDArray[np.float64]] = {}
        if asked:
            logits = self._reader.read([(pairs[n].a.text, pairs[n].b.text) for n in asked])
            shares[asked] = self._fitted.after.probabilities(np.concatenate([rows[asked], read_rows(logits)], axis=1))
            labels = dict(zip(asked, _softmax(logits), strict=True))
        return [Weighed(pair, some, p.similarity, (p.a.at, p.b.at), shares[n], labels.get(n))
                for n, ((pair, _), some, p) in enumerate(zip(told, found, pairs, strict=True))]


def _in_order(pair: Pair) -> tuple[Pair, bool]:
    """A pair is judged in one order, whoever asks, and whether that turned it round."""
    if (pair.a.text, str(pair.a.at)) <= (pair.b.text, str(pair.b.at)):
        return pair, False
    return Pair(pair.b, pair.a, pair.similarity), True


def _is_readable(pair: Pair) -> bool:
    return pair.a.text != pair.b.text and max(len(pair.a.text), len(pair.b.text)) <= LONGEST_READ


def _softmax(logits: NDArray[np.float32]) -> NDArray[np.float64]:
    import numpy as np

    wide: NDArray[np.float64] = np.exp(logits.astype(np.float64) - logits.max(axis=1, keepdims=True))
    wide /= wide.sum(axis=1, keepdims=True)
    return wide
