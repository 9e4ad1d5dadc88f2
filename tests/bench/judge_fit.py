"""Fit the judge on labelled pairs and choose its limits by a bound on its errors.

The net's logits come from folds that left an author out; the probabilities that limits are chosen by come from fits that left
him out as well. So a limit never rests on pairs whose author trained what is measured.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from judge_rows import Rows
from sklearn.linear_model import LogisticRegression

from dreamd.judge.features import CHEAP, READ

FALSE_MERGES, COLLATERAL = 0.003, 0.008
"""Shares of what must stay apart that may be merged, and of what ends nothing that may be ended or held: where limits are set.
The bounds that are claimed lie above them, for a limit meets other pairs than those it was chosen on."""
LOST = 0.004
"""Share of merges and conflicts that may be left unread for want of a sign that two have to do with each other."""
STRENGTH = 0.05
"""Inverse of the penalty on weights (C), chosen by folds over authors."""
WITH_READING = ("merge", "conflict", "related")
"""What the network reads, whose weight may hang on each other feature."""


@dataclass(frozen=True)
class Fit:
    """A fitted multinomial regression as it is kept: arrays as lists."""

    features: tuple[str, ...]
    mean: np.ndarray
    scale: np.ndarray
    products: tuple[tuple[str, str], ...]
    weights: np.ndarray
    bias: np.ndarray

    def kept(self) -> dict[str, Any]:
        """What is written: six digits are more than two trainings agree on."""
        def told(values: np.ndarray) -> Any:
            return np.vectorize(lambda v: float(f"{v:.6g}"))(values).tolist()
        return {"features": self.features, "mean": told(self.mean), "scale": told(self.scale), "products": self.products,
                "weights": told(self.weights), "bias": told(self.bias)}

    def probabilities(self, rows: np.ndarray) -> np.ndarray:
        """n × classes."""
        told = self._wide(rows) @ self.weights.T + self.bias
        shares = np.exp(told - told.max(axis=1, keepdims=True))
        return shares / shares.sum(axis=1, keepdims=True)

    def _wide(self, rows: np.ndarray) -> np.ndarray:
        return widened((rows - self.mean) / self.scale, self.features, self.products)


def widened(z: np.ndarray, features: Sequence[str], products: Sequence[tuple[str, str]]) -> np.ndarray:
    """Standardised features and the products of some of them."""
    place = {name: n for n, name in enumerate(features)}
    return np.concatenate([z, *(z[:, [place[a]]] * z[:, [place[b]]] for a, b in products)], axis=1)


def fit(rows: np.ndarray, right: np.ndarray, features: Sequence[str], *, strength: float = STRENGTH,
        weights: np.ndarray | None = None) -> Fit:
    """Fit rows of features to classes."""
    mean, scale = rows.mean(0), rows.std(0)
    scale[scale < 1e-9] = 1.0
    products = tuple((a, b) for a in WITH_READING for b in features if a in features and b in CHEAP)
    wide = widened((rows - mean) / scale, features, products)
    model = LogisticRegression(C=strength, max_iter=3000).fit(wide, right, sample_weight=weights)
    return Fit(tuple(features), mean, scale, products, model.coef_, model.intercept_)


def apart(rows: Rows, columns: np.ndarray, right: np.ndarray | None = None, **settings: Any) -> np.ndarray:
    """Probabilities of each author's pairs by a fit that saw none of his."""
    right = rows.right if right is None else right
    found = np.zeros((len(right), 4))
    features = [(*CHEAP, *READ)[n] for n in columns]
    for author in sorted(set(rows.authors)):
        mine = rows.authors == author
        made = fit(rows.whole[~mine][:, columns], right[~mine], features, **settings)
        found[mine] = made.probabilities(rows.whole[mine][:, columns])
    return found


ALL = np.arange(len(CHEAP) + len(READ))


def limit(scores: np.ndarray, unwanted: np.ndarray, share: float) -> float:
    """The least score above which lies no more than that share of the unwanted."""
    highest = np.sort(scores[unwanted])[::-1]
    return float(np.nextafter(highest[min(len(highest) - 1, int(share * len(highest)))], 2.0)) if len(highest) else 1.0


@dataclass(frozen=True)
class Figures:
    """How a judge does on pairs."""

    pairs: int
    false_merges: int
    apart: int
    collateral: int
    unended: int
    merges: float
    updates: float
    contradicts: float

    def row(self) -> str:
        """As a line of a table."""
        return (f"{self.pairs} | {self.false_merges}/{self.apart} | {self.merges:.0%} | {self.updates:.0%} | "
                f"{self.contradicts:.0%} | {self.collateral}/{self.unended}")


def verdicts(rows: Rows, shares: np.ndarray, merge: float, conflict: float) -> np.ndarray:
    """The class each pair is given, as the policy gives it: a merge, else a conflict, else apart."""
    merged = (shares[:, 0] >= merge) & rows.may_merge
    return np.where(merged, 0, np.where(shares[:, 1] >= conflict, 1, 2 + (shares[:, 3] > shares[:, 2])))


def figures(rows: Rows, given: np.ndarray) -> Figures:
    """Counts of what went wrong and shares of what was found."""
    said = np.array([p.row["relation"] for p in rows.pairs])
    stay, unended = rows.right != 0, rows.right > 1

    def found(kind: np.ndarray, wanted: int) -> float:
        return float((given[kind] == wanted).mean()) if kind.any() else float("nan")

    wrong = int((given[stay] == 0).sum()), int((given[unended] == 1).sum())
    return Figures(len(said), wrong[0], int(stay.sum()), wrong[1], int(unended.sum()),
                   found(rows.right == 0, 0), found(said == "updates", 1), found(said == "contradicts", 1))
