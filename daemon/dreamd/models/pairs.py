"""The pair scorer's net: the model reads `[CLS] a [SEP] b [SEP]`, a linear head says how the two relate.

The trained adapter is low-rank and is added to the model's weights while they are read, so a pair costs one pass and no
more. Everything is float32: a faster number format would make a verdict depend on the machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from dreamd.core.errors import Outage
from dreamd.models import DIM, bert_graph, model_files, onnx_engine, texts
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
SIZES = bert_graph.Sizes(layers=6, heads=12, hidden=DIM, epsilon=1e-12)
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

            with WeightFile(folder / model_files.WEIGHTS) as base, WeightFile(adapter.path) as added:
                read = _Adapted(base, added, np.float32(adapter.scale)).read
                weight = added.read("head.weight") / np.float32(adapter.temperature)
                bias = (added.read("head.bias") + np.array(adapter.bias, np.float32)) / np.float32(adapter.temperature)
                if weight.shape != (len(adapter.bias), FEATURES * DIM) or len(bias) != len(adapter.bias):
                    raise ValueError("head and calibration differ in shape")
                self._words = read("embeddings.word_embeddings.weight")
                graph = bert_graph.pair_graph(read, SIZES, bert_graph.Head(weight, bias)).SerializeToString()
        except (KeyError, ValueError, OSError) as failure:
            raise Outage("the pair scorer's weights cannot be loaded", component="model", code="judge-changed",
                         hint=RETRAIN) from failure
        self._labels = len(bias)
        self._network = onnx_engine.Network(graph, threads=threads)

    def probabilities(self, pairs: Sequence[tuple[str, str]]) -> Floats:
        """A row of probabilities for each pair, in order; equal pairs are read once."""
        import numpy as np

        pieces = texts.cut_pairs(self._tokenizer, pairs)
        lengths = [len(one.pieces) for one in pieces.distinct]
        rows = np.empty((len(lengths), self._labels), np.float32)
        for batch in texts.batches(lengths, budget=BATCH_PIECES):
            rows[batch] = self._run([pieces.distinct[index] for index in batch])
        return rows[list(pieces.place)]

    def _run(self, batch: Sequence[texts.PairPieces]) -> Floats:
        """Softmax of the head's scores."""
        import numpy as np

        size = (len(batch), max(len(one.pieces) for one in batch))
        numbers, kinds, mask = (np.zeros(size, np.int64) for _ in range(3))
        for row, one in enumerate(batch):
            numbers[row, :len(one.pieces)] = one.pieces
            kinds[row, one.second_at:len(one.pieces)] = 1
            mask[row, :len(one.pieces)] = 1
        scores = self._network.run({"words": self._words[numbers], "kinds": kinds, "mask": mask})
        scores -= scores.max(axis=1, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(axis=1, keepdims=True)
        return scores


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
