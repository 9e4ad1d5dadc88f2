"""Each text embedded once and each pair read once: an evaluation asks the same questions many times over."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

from dreamd.core.errors import Outage
from dreamd.kit import Kit, Progress
from dreamd.models import DIM, MODEL_ID, Embedder
from dreamd.models.pair_net import PairNet

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Key = TypeVar("Key", str, tuple[str, str])


class Remembered:
    """An embedder that embeds each text once: the questions are asked many times over."""

    model_id = MODEL_ID
    dim = DIM

    def __init__(self, embedder: Embedder, progress: Progress) -> None:
        self._embedder, self.progress = embedder, progress
        self._texts: dict[str, NDArray[np.float32]] = {}
        self._questions: dict[str, NDArray[np.float32]] = {}
        self._reader: PairNet | None = None

    def reader(self, kit: Kit) -> PairNet | None:
        """What reads a question with statements, the same for every kit; None where it is missing."""
        if self._reader is None and (net := kit.load_reader()):
            self._reader = ReadOnce(net)
        return self._reader

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One unit row for each text."""
        return _recalled(texts, self._texts, self._embedder.embed)

    def embed_questions(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One unit row for each question."""
        return _recalled(texts, self._questions, self._embedder.embed_questions)


class ReadOnce(PairNet):
    """What reads a question with statements, each pair once."""

    def __init__(self, net: PairNet) -> None:
        self._net = net
        self._rows: dict[tuple[str, str], NDArray[np.float32]] = {}

    def read(self, pairs: Sequence[tuple[str, str]], *,
             progress: Callable[[int, int], None] | None = None) -> NDArray[np.float32]:
        """One row for each pair; raises Outage like the other."""
        return _recalled(pairs, self._rows, lambda new: self._net.read(new, progress=progress))


def _recalled(asked: Sequence[Key], known: dict[Key, NDArray[np.float32]],
              find: Callable[[Sequence[Key]], NDArray[np.float32]]) -> NDArray[np.float32]:
    import numpy as np

    new = [one for one in dict.fromkeys(asked) if one not in known]
    if new:
        known.update(zip(new, find(new), strict=True))
    return np.stack([known[one] for one in asked])


class Away:
    """A model that is away, to see what words alone would find."""

    model_id = MODEL_ID
    dim = DIM

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Raise as a missing model does."""
        raise Outage(f"left out for {len(texts)} texts", component="model", code="left-out")

    def embed_questions(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Raise as well."""
        return self.embed(texts)
