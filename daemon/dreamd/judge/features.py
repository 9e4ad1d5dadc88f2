"""One row of numbers for a pair: overlap, vectors, time, values and names of each side, and what the pair network reads."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from dreamd.core.values import CLEARLY_LATER_DAYS
from dreamd.judge.alignment import Alignment

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BESIDE = ("similarity", "cover_least", "cover_most", "shared", "length_least", "length_ratio", "changes_one", "changes_both",
          "later")
"""What is known of a pair, and counts beside what the network reads of it."""
CHEAP = (*BESIDE, "grams", "foreign", "across_languages", "values_least", "values_most", "names_least", "names_most")
"""All by which it is told whether the network need read a pair."""
READ = ("merge", "conflict", "related", "unrelated", "richer", "marked", "same", "clash")
"""What the network adds: log-odds."""
SAME, A_RICHER, B_RICHER, A_NEWER, B_NEWER, CLASH, RELATED, UNRELATED = range(8)


def cheap_row(pair: Alignment, similarity: float, gap: float | None) -> list[float]:
    """The features of `CHEAP`, in their order, the same for both orders of the pair; `gap` in days, None where unknown."""
    cover = sorted((pair.cover(0), pair.cover(1)))
    lengths = sorted((len(pair.a.terms), len(pair.b.terms)))
    changes = bool(pair.a.changes) + bool(pair.b.changes)
    tongues = {pair.a.tongue, pair.b.tongue}
    own = (float(number) for found in (pair.numbers, pair.names) for number in sorted(map(len, found)))
    return [similarity, *cover, math.log1p(len(pair.shared)), math.log1p(lengths[0]), lengths[0] / max(1, lengths[1]),
            float(changes == 1), float(changes == 2), float(gap is not None and abs(gap) >= CLEARLY_LATER_DAYS),
            pair.grams, float(tongues != {"en"}), float(len(tongues) > 1), *own]


def read_rows(logits: NDArray[np.float32]) -> NDArray[np.float64]:
    """The features of `READ` from the network's eight logits, n × 8; they do not depend on the order of the sides."""
    import numpy as np

    log = logits.astype(np.float64)
    log -= np.logaddexp.reduce(log, axis=1, keepdims=True)

    def odds(*labels: int) -> NDArray[np.float64]:
        inside = np.logaddexp.reduce(log[:, labels], axis=1)
        outside = np.logaddexp.reduce(log[:, [n for n in range(8) if n not in labels]], axis=1)
        told: NDArray[np.float64] = np.clip(inside - outside, -12, 12)
        return told

    columns = [odds(SAME, A_RICHER, B_RICHER), odds(A_NEWER, B_NEWER, CLASH), odds(RELATED), odds(UNRELATED),
               odds(A_RICHER, B_RICHER), odds(A_NEWER, B_NEWER), odds(SAME), odds(CLASH)]
    return np.stack(columns, axis=1)
