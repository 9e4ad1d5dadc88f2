"""A stand-in for the network that reads two statements together: it goes by the words they share, and is the same everywhere.

It is right wherever two texts are worded alike, which is enough where a test turns on what a dream does with a verdict and
not on how one is found.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from dreamd.judge import Judge

LABELS = ("same", "a_richer", "b_richer", "a_newer", "b_newer", "clash", "related", "unrelated")
SURE = 4.0
"""How far the label it settles on stands above the others: a share of nine tenths."""
_SMALL = frozenset({"a", "an", "the", "is", "are", "was", "were", "be", "been", "of", "to", "in", "on", "at", "for", "and",
                    "or", "by", "with", "from", "our", "we", "it", "its", "this", "that", "i", "you"})
_CHANGE = re.compile(r"\b(?:now|no longer|instead|moved to|switched to|changed to|renamed|not any ?more|from now on)\b")
_NO = frozenset(["not", "never", "no", "don't", "doesn't", "without", "cannot", "can't"])
_OWN = 2
"""Words of its own up to which a statement may put another value in the place of one."""


class ReadsWords:
    """Reads pairs by the words they share."""

    name = "words-1"

    def __init__(self) -> None:
        self.pairs = 0

    def read(self, pairs: Sequence[tuple[str, str]], *,
             progress: Callable[[int, int], None] | None = None) -> NDArray[np.float32]:
        """Eight logits a pair."""
        import numpy as np

        rows = np.zeros((len(pairs), len(LABELS)), dtype=np.float32)
        for n, (a, b) in enumerate(pairs):
            if progress:
                progress(n, len(pairs))
            self.pairs += 1
            rows[n, LABELS.index(label_of(a, b))] = SURE
        return rows


class AsRead:
    """A fit that takes what the network reads for what is so, and has every pair read."""

    def probabilities(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """Shares of merge, conflict, related and unrelated, from their log-odds behind the cheap features."""
        import numpy as np

        from dreamd.judge.features import BESIDE, CHEAP

        if rows.shape[1] == len(CHEAP):
            return np.tile([0.25, 0.25, 0.25, 0.25], (len(rows), 1))
        shares = 1 / (1 + np.exp(-rows[:, len(BESIDE):len(BESIDE) + 4]))
        found: NDArray[np.float64] = shares / shares.sum(axis=1, keepdims=True)
        return found


def judge_of_words() -> Judge:
    """The judge with the stand-in for its network and for what was fitted; vetoes and policy are its own."""
    from dreamd.judge import Judge
    from dreamd.judge.classifier import FittedJudge, Limits

    limits = Limits(ask=0.0, merge=0.5, conflict=0.5, either=2.0, marked=0.5)
    return Judge(ReadsWords(), FittedJudge("as-read", AsRead(), AsRead(), limits))


def label_of(a: str, b: str) -> str:
    """What two statements are to each other, as far as their words tell."""
    mine, theirs = _words(a), _words(b)
    shared, only_a, only_b = mine & theirs, mine - theirs, theirs - mine
    if mine == theirs:
        return "same"
    near = 2 * len(shared) >= max(len(mine), len(theirs)) and len(shared) >= _OWN
    if near and bool(mine & _NO) != bool(theirs & _NO):
        return "clash"
    if near and _newer(a, b):
        return _newer(a, b)
    if near and (not only_a or not only_b):
        return "b_richer" if only_b else "a_richer"
    if near and _begin_alike(a, b) and _numbers(only_a) and _numbers(only_b):
        return "clash"
    return "related" if shared else "unrelated"


def _begin_alike(a: str, b: str) -> bool:
    """Whether two texts name the same thing before they say anything of it, as far as half of their words tell."""
    mine, theirs = a.casefold().split(), b.casefold().split()
    half = (min(len(mine), len(theirs)) + 1) // 2
    return mine[:half] == theirs[:half]


def _newer(a: str, b: str) -> str:
    told = [bool(_CHANGE.search(text.casefold())) for text in (a, b)]
    return "" if told[0] == told[1] else "a_newer" if told[0] else "b_newer"


def _words(text: str) -> frozenset[str]:
    return frozenset(w.strip("'") for w in re.findall(r"[\w']+", text.casefold())) - _SMALL


def _numbers(words: frozenset[str]) -> bool:
    return bool(words) and all(any(c.isdigit() for c in word) for word in words)
