"""The judge: pairs of statements in, one relation each out. Everybody who judges asks `Judge.judge_all`.

read → align → features → fitted model → policy. The pair network is slow beside all else, so it reads only what
the fitted model before it leaves open, each pair once and alone: what else is judged with it changes no verdict.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from dreamd.core.plain_words.rule_parts import rule_alone
from dreamd.core.values import Evidence, Judgement, Relation
from dreamd.judge.alignment import Alignment
from dreamd.judge.classifier import CLASSES, FittedJudge, load_fitted, softmax
from dreamd.judge.features import BESIDE, CHEAP, READ, cheap_row, read_rows
from dreamd.judge.guards import shown, vetoes
from dreamd.judge.policy import Laid, Weighed, certain, decide
from dreamd.judge.statement import Statement, read

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from dreamd.models.pair_net import PairNet

LONGEST_READ = 500
"""Characters up to which the network reads a text: what is longer is a document, and no statement."""
BATCH = 128
"""Pairs between two looks at whether to stop or to wait."""


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


class Judge:
    """Judges pairs; the same answer in any order, batch and company."""

    def __init__(self, reader: PairNet, fitted: FittedJudge | None = None) -> None:
        self._reader = reader
        self._fitted = fitted or load_fitted()
        self.name = f"{self._fitted.name}+{reader.name}"
        """Verdicts are remembered under it: another network or another fit judges anew."""

    def judge_all(self, pairs: Sequence[Pair], *, progress: Callable[[int, int], None] | None = None) -> list[Judgement]:
        """One verdict for each pair, in order; `progress` is told how many of how many are done, and may stop it."""
        found: list[Judgement] = []
        for start in range(0, len(pairs), BATCH):
            bare = [_without_reasons(pair) for pair in pairs[start : start + BATCH]]
            part = [_in_order(pair) for pair, _ in bare]
            weighed = self._weigh([pair for pair, _ in part])
            found += [_with_reasons(self._verdict(told, turned=is_turned), more)
                      for told, (_, is_turned), (_, more) in zip(weighed, part, bare, strict=True)]
            if progress:
                progress(len(found), len(pairs))
        return found

    def explain(self, pair: Pair) -> Explanation:
        """All that the judge sees in one pair.

        Raises Outage when the network is away.
        """
        bare, more = _without_reasons(pair)
        straight, is_turned = _in_order(bare)
        told, = self._weigh([straight])
        features = dict(zip((*CHEAP, *READ), map(float, told.features), strict=False))
        shares = dict(zip(CLASSES, map(float, told.probabilities), strict=True))
        found, stopping = (tuple(shown(one, told.pair).turned() if is_turned else shown(one, told.pair) for one in some)
                           for some in (told.guards, vetoes(told.pair, told.guards)))
        return Explanation(_with_reasons(self._verdict(told, turned=is_turned), more), features, found, stopping, shares)

    def _verdict(self, told: Weighed, *, turned: bool) -> Judgement:
        verdict = told.certain or decide(told, self._fitted.limits)
        return verdict.turned() if turned else verdict

    def _weigh(self, pairs: Sequence[Pair]) -> list[Weighed]:
        import numpy as np

        laid = [_laid(pair) for pair in pairs]
        rows = np.array([cheap_row(one.pair, p.similarity, one.gap)
                         for one, p in zip(laid, pairs, strict=True)]).reshape(len(pairs), len(CHEAP))
        shares = self._fitted.before.probabilities(rows)
        open_ = shares[:, 0] + shares[:, 1] >= self._fitted.limits.ask
        sure = [certain(one) for one in laid]
        asked = [n for n, p in enumerate(pairs) if open_[n] and sure[n] is None and p.a.text != p.b.text
                 and max(len(p.a.text), len(p.b.text)) <= LONGEST_READ]
        features = list(rows)
        labels: dict[int, NDArray[np.float64]] = {}
        if asked:
            logits = self._reader.read([(pairs[n].a.text, pairs[n].b.text) for n in asked])
            told = read_rows(logits)
            shares[asked] = self._fitted.after.probabilities(np.concatenate([rows[asked, :len(BESIDE)], told], axis=1))
            labels = dict(zip(asked, softmax(logits.astype(np.float64)), strict=True))
            for n, row in zip(asked, told, strict=True):
                features[n] = np.concatenate([rows[n], row])
        return [Weighed(one.pair, one.said, p.similarity, features[n], shares[n], sure[n], labels.get(n))
                for n, (one, p) in enumerate(zip(laid, pairs, strict=True))]


def _without_reasons(pair: Pair) -> tuple[Pair, str]:
    """A rule that tells its why, beside one that does not, is judged by the rule alone; and which side tells so much more."""
    a, b = (rule_alone(one.text) for one in pair[:2])
    if not (a and b) or (a == pair.a.text) == (b == pair.b.text):
        return pair, ""
    return Pair(Statement(a, pair.a.at), Statement(b, pair.b.at), pair.similarity), "b" if a == pair.a.text else "a"


def _with_reasons(verdict: Judgement, more: str) -> Judgement:
    """What the whole texts are to each other: whoever says the same and why says more."""
    is_more = more and verdict.relation is Relation.DUPLICATE
    return replace(verdict, relation=Relation.REFINES, richer=more) if is_more else verdict


def _laid(pair: Pair) -> Laid:
    return Laid(Alignment(read(pair.a.text), read(pair.b.text)), (pair.a.at, pair.b.at))


def _in_order(pair: Pair) -> tuple[Pair, bool]:
    """A pair is judged in one order, whoever asks, and whether that turned it round."""
    if (pair.a.text, str(pair.a.at)) <= (pair.b.text, str(pair.b.at)):
        return pair, False
    return Pair(pair.b, pair.a, pair.similarity), True
