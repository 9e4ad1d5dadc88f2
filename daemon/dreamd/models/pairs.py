"""The pair scorer's net in numpy: the model reads `[CLS] a [SEP] b [SEP]`, a linear head says how the two relate.

The trained adapter is low-rank and is added to the model's weights while they are read, so a pair costs one pass and no
more. Everything is float32 on one thread: a faster number format would make a verdict depend on the machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from dreamd.core.errors import Outage
from dreamd.models import DIM, encoder, model_files, texts
from dreamd.models.weights import WeightFile

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

BATCH_PIECES = 512
LONGEST_TOKENS = 160
"""Both statements together, as in training."""
FEATURES = 4
"""First token, mean of all, and of the two statements' means the distance and the product, by component."""
RETRAIN = "run `make judge` with the installed model"


@dataclass(frozen=True)
class Adapter:
    """What training added to the model, and how its head was calibrated."""

    path: Path
    scale: float
    bias: tuple[float, ...]
    temperature: float


class PairEngine:
    """Probabilities of the labels for pairs of texts."""

    def __init__(self, folder: Path, adapter: Adapter, *, threads: int = 1) -> None:
        """Load the verified model in `folder` with the adapter; raises Outage when something is missing or unfit."""
        self._tokenizer = texts.load_tokenizer(folder, longest=LONGEST_TOKENS)
        try:
            import numpy as np
            from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped,unused-ignore]

            with WeightFile(folder / model_files.WEIGHTS) as base, WeightFile(adapter.path) as added:
                self._encoder = encoder.Encoder(_Adapted(base, added, np.float32(adapter.scale)).read)
                head = added.read("head.weight").T / np.float32(adapter.temperature)
                bias = (added.read("head.bias") + np.array(adapter.bias, np.float32)) / np.float32(adapter.temperature)
            if head.shape != (FEATURES * DIM, len(adapter.bias)) or len(bias) != len(adapter.bias):
                raise ValueError("head and calibration differ in shape")
        except ImportError as failure:
            raise Outage(f"the engine of the pair scorer is not installed: {failure.name}", component="model",
                         code="engine-missing", hint="reinstall dream with its dependencies") from failure
        except (KeyError, ValueError, OSError) as failure:
            raise Outage("the pair scorer's weights cannot be loaded", component="model", code="judge-changed",
                         hint=RETRAIN) from failure
        self._head, self._bias = np.ascontiguousarray(head), bias
        self._threads = threads
        self._pools = ThreadpoolController()

    def probabilities(self, pairs: Sequence[tuple[str, str]]) -> Floats:
        """A row of probabilities for each pair, in order; equal pairs are read once."""
        import numpy as np

        pieces = texts.cut_pairs(self._tokenizer, pairs)
        lengths = [len(one.pieces) for one in pieces.distinct]
        rows = np.empty((len(lengths), len(self._bias)), np.float32)
        try:
            with self._pools.limit(limits=self._threads, user_api="blas"):
                for batch in texts.batches(lengths, budget=BATCH_PIECES):
                    rows[batch] = self._run([pieces.distinct[index] for index in batch])
        except MemoryError as failure:
            raise Outage("not enough memory to compare statements", component="model", code="out-of-memory") from failure
        return rows[list(pieces.place)]

    def _run(self, batch: Sequence[texts.PairPieces]) -> Floats:
        """Softmax of the head over first piece, mean, and how the two statements' means differ; sorted by length."""
        import numpy as np

        x, groups = self._encoder.run([one.pieces for one in batch], [one.second_at for one in batch])
        firsts = np.concatenate([x[group.rows][::group.length] for group in groups])
        left, right = _sides(x, [len(one.pieces) for one in batch], [one.second_at for one in batch])
        scores: Floats = np.concatenate([firsts, encoder.means(x, groups), np.abs(left - right), left * right], 1) @ self._head
        scores += self._bias
        scores -= scores.max(axis=1, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(axis=1, keepdims=True)
        return scores


def _sides(x: Floats, lengths: Sequence[int], second_at: Sequence[int]) -> tuple[Floats, Floats]:
    """The mean over each first statement and over each second one."""
    import numpy as np

    whole, split = np.array(lengths), np.array(second_at)
    begin = np.cumsum(whole) - whole
    sums = np.add.reduceat(x, np.stack([begin, begin + split], 1).ravel(), axis=0)
    sums /= np.stack([split, whole - split], 1).ravel()[:, None].astype(np.float32)
    return sums[::2], sums[1::2]


@dataclass(frozen=True)
class _Adapted:
    """The model's tensors with the adapter's products and differences added."""

    base: WeightFile
    added: WeightFile
    scale: np.float32

    def read(self, name: str) -> Floats:
        """One tensor of the trained net."""
        tensor = self.base.read(name)
        layer = name.removesuffix(".weight")
        if f"{layer}.down" in self.added.names:
            tensor += self.scale * (self.added.read(f"{layer}.up") @ self.added.read(f"{layer}.down"))
        if f"{name}.delta" in self.added.names:
            tensor += self.added.read(f"{name}.delta")
        return tensor
