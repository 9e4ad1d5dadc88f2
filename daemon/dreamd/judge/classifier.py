"""The fitted part of the judge: from a row of features to calibrated probabilities, as `make judge` wrote it.

Multinomial logistic regression over standardised features and their products with what the network reads,

    p = softmax(W [z, z·r] + b),   z = (x - mean) / scale.

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
    import numpy as np
    from numpy.typing import NDArray

CLASSES = ("merge", "conflict", "related", "unrelated")


class Fitted:
    """A fitted model: `probabilities` of rows, n × classes."""

    def __init__(self, kept: dict[str, Any]) -> None:
        import numpy as np

        self.names: tuple[str, ...] = tuple(kept["features"])
        self._mean, self._scale = np.array(kept["mean"]), np.array(kept["scale"])
        self._weights, self._bias = np.array(kept["weights"]), np.array(kept["bias"])
        self._pairs = [(self.names.index(a), self.names.index(b)) for a, b in kept["products"]]

    def probabilities(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """Probabilities of the classes, n × classes."""
        import numpy as np

        z = (rows - self._mean) / self._scale
        if self._pairs:
            z = np.concatenate([z, np.stack([z[:, i] * z[:, j] for i, j in self._pairs], axis=1)], axis=1)
        told = z @ self._weights.T + self._bias
        told -= told.max(axis=1, keepdims=True)
        shares = np.exp(told)
        found: NDArray[np.float64] = shares / shares.sum(axis=1, keepdims=True)
        return found


@dataclass(frozen=True)
class Limits:
    """From which probability each verdict is given: chosen by `make judge` so that the errors stay below its bounds."""

    ask: float
    """Least probability before reading that two have to do with each other, from which the network reads them."""
    merge: float
    conflict: float
    marked: float
    """From which share the wording itself shows which of two is current."""


@dataclass(frozen=True)
class FittedJudge:
    """All that `make judge` fits."""

    name: str
    before: Fitted
    """On what is known before the network reads a pair."""
    after: Fitted
    limits: Limits
    card: dict[str, Any]


@cache
def load_fitted() -> FittedJudge:
    """The fitted judge of this release; raises Outage when its file is missing or damaged."""
    path = share_dir("config") / "judge" / "judge.json"
    try:
        kept = json.loads(path.read_text("utf-8"))
        return FittedJudge(kept["name"], Fitted(kept["before"]), Fitted(kept["after"]), Limits(**kept["limits"]), kept)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise Outage("the fitted judge cannot be read", component="model", code="judge-unreadable",
                     hint="install dream again") from error
