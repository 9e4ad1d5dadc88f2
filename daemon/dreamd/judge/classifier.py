"""The fitted part of the judge: from a row of features to calibrated probabilities, as `make judge` wrote it.

Before the network has read a pair boosted trees say whether it need be read; afterwards two forests say what the pair is:
extremely randomised trees, whose leaves hold shares of the classes (Geurts, Ernst and Wehenkel 2006), and
boosted trees, whose leaves are added up under a softmax (Friedman 2001). Their mean counts.

Nothing is learned here, and no number of it stands in code.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from dreamd.core.errors import Outage
from dreamd.core.paths import share_dir

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

CLASSES = ("merge", "conflict", "related", "unrelated")


class Forest:
    """Trees as arrays: of every node its feature, threshold, children and values; a leaf is its own child."""

    def __init__(self, kept: Mapping[str, NDArray[Any]], name: str) -> None:
        """Take the arrays of one of the forests in a file."""
        self._roots, self._feature, self._threshold = (kept[f"{name}.{part}"] for part in ("roots", "feature", "threshold"))
        self._left, self._right, self._values = (kept[f"{name}.{part}"] for part in ("left", "right", "values"))
        self._depth = int(kept[f"{name}.depth"])
        self.trees = len(self._roots)

    def total(self, rows: Floats) -> Floats:
        """The sum of the values of the leaves that each row comes to, n × classes."""
        import numpy as np

        narrow = rows.astype(np.float32)
        at = np.broadcast_to(self._roots, (len(rows), len(self._roots)))
        row = np.arange(len(rows))[:, None]
        for _ in range(self._depth):
            below = narrow[row, self._feature[at]] <= self._threshold[at]
            at = np.where(below, self._left[at], self._right[at])
        found: Floats = self._values[at].astype(np.float64).sum(axis=1)
        return found


class Boosted:
    """A forest whose leaves are added up under a softmax."""

    def __init__(self, kept: Mapping[str, NDArray[Any]], name: str) -> None:
        """Take the arrays of one of the forests in a file."""
        self._trees, self._prior = Forest(kept, name), kept[f"{name}.prior"]

    def probabilities(self, rows: Floats) -> Floats:
        """Probabilities of the classes, n × classes."""
        return softmax(self._trees.total(rows) + self._prior)


class Forests:
    """The mean of the shares of one forest and of what another adds up to."""

    def __init__(self, kept: Mapping[str, NDArray[Any]]) -> None:
        self._shares, self._boosted = Forest(kept, "shares"), Boosted(kept, "boosted")

    def probabilities(self, rows: Floats) -> Floats:
        """Probabilities of the classes, n × classes."""
        return (self._shares.total(rows) / self._shares.trees + self._boosted.probabilities(rows)) / 2


def softmax(told: Floats) -> Floats:
    """Shares from logits, by row."""
    import numpy as np

    shares: Floats = np.exp(told - told.max(axis=1, keepdims=True))
    shares /= shares.sum(axis=1, keepdims=True)
    return shares


@dataclass(frozen=True)
class Limits:
    """From which probability each verdict is given: chosen by `make judge` so that the errors stay below its bounds."""

    ask: float
    """Least probability before reading that two have to do with each other, from which the network reads them."""
    merge: float
    conflict: float
    either: float
    """Least probability of a merge and a conflict together, from which a conflict is given that is likelier than the merge."""
    marked: float
    """From which share the wording itself shows which of two is current."""


@dataclass(frozen=True)
class FittedJudge:
    """All that `make judge` fits."""

    name: str
    before: Boosted
    """On what is known before the network reads a pair."""
    after: Forests
    limits: Limits


@cache
def load_fitted() -> FittedJudge:
    """The fitted judge of this release; raises Outage when its files are missing or damaged."""
    import numpy as np

    folder = share_dir("config") / "judge"
    try:
        kept = json.loads((folder / "judge.json").read_text("utf-8"))
        with np.load(folder / "trees.npz") as trees:
            return FittedJudge(kept["name"], Boosted(trees, "before"), Forests(trees), Limits(**kept["limits"]))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise Outage("the fitted judge cannot be read", component="model", code="judge-unreadable",
                     hint="install dream again") from error
