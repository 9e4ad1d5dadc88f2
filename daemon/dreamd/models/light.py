"""The model in onnxruntime with weights of eight bits: no torch, ready a fifth of a second after process start.

What it needs is made once from the verified weights and kept below the home: the word table, a graph that reads texts
and one that reads questions. While they are there whole, the large file they were made from is not even opened.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from dreamd.core.errors import Outage
from dreamd.models import DIM, MODEL_ID, MODEL_SHA256, bert_graph, model_files, onnx_engine, questions, texts
from dreamd.models.weights import WeightFile

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

MAKE = "2"
"""How table and graphs are made of the weights; another way has other vectors, and other names."""
SIZES = bert_graph.Sizes(layers=6, heads=12, hidden=DIM, epsilon=1e-12, int8=True, fine=True)
WORDS = "embeddings.word_embeddings.weight"
LARGEST_WORD = 127
BATCH_PIECES = 256
"""The widest activations of a batch stay in the second-level cache."""


class LightEmbedder:
    """all-MiniLM-L6-v2 in whole numbers."""

    model_id = MODEL_ID
    dim = DIM

    def __init__(self, folder: Path, *, threads: int = 1, kept_in: Path | None = None, keep: bool = True) -> None:
        """Take the model in `folder`, and what was made of it in `kept_in`; what is missing there is made, and kept if told to.

        Raises Outage when a library is missing or the weights are not the expected ones.
        """
        onnx_engine.load_runtime()
        self._folder, self._threads, self._kept_in, self._keep = folder, threads, kept_in, keep
        self._tokenizer = texts.load_tokenizer(folder)
        self._words = _Words(self._kept("words", _make_words))
        self._texts: onnx_engine.Network | None = None
        self._questions: onnx_engine.Network | None = None

    def embed(self, lines: Sequence[str]) -> Floats:
        """One unit row for each text, in order; equal texts are computed once."""
        if self._texts is None:
            self._texts = self._network(self._kept("texts", lambda weights: _make_graph(weights.read)))
        return self._rows_of(lines, self._texts)

    def embed_questions(self, lines: Sequence[str]) -> Floats:
        """One unit row for each question, near to the rows of texts that answer it.

        Raises Outage when the adapter is not there.
        """
        if self._questions is None:
            adapter = questions.load_adapter(questions.adapter_dir())
            made = self._kept("questions", lambda weights: _make_graph(adapter.added_to(weights.read)), adapter.digest)
            self._questions = self._network(made)
        return self._rows_of(lines, self._questions)

    def _network(self, graph: bytes) -> onnx_engine.Network:
        return onnx_engine.Network(graph, threads=self._threads)

    def _kept(self, kind: str, make: Callable[[WeightFile], bytes], *also: str) -> bytes:
        def made() -> bytes:
            model_files.verify(self._folder, kept_in=self._kept_in, keep=self._keep)
            try:
                with WeightFile(self._folder / model_files.WEIGHTS) as weights:
                    return make(weights)
            except (KeyError, ValueError, OSError) as failure:
                raise Outage("the embedding model's weights cannot be loaded", component="model", code="model-changed",
                             hint=model_files.REINSTALL) from failure

        name = onnx_engine.graph_name(kind, MODEL_SHA256, MAKE, *also)
        return onnx_engine.kept_graph(self._kept_in, name, made, keep=self._keep)

    def _rows_of(self, lines: Sequence[str], network: onnx_engine.Network) -> Floats:
        import numpy as np

        pieces = texts.cut(self._tokenizer, lines)
        lengths = [len(one) for one in pieces.distinct]
        rows = np.empty((len(lengths), DIM), np.float32)
        for batch in texts.batches(lengths, budget=BATCH_PIECES):
            size = (len(batch), max(lengths[index] for index in batch))
            numbers, mask = np.zeros(size, np.int64), np.zeros(size, np.int64)
            for row, index in enumerate(batch):
                numbers[row, :lengths[index]] = pieces.distinct[index]
                mask[row, :lengths[index]] = 1
            rows[batch] = network.run({"words": self._words.of(numbers), "kinds": np.zeros(size, np.int64), "mask": mask})
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        return rows[list(pieces.place)]


class _Words:
    """The word table: whole numbers, and a scale for each row."""

    def __init__(self, table: bytes) -> None:
        import numpy as np

        count = len(table) // (DIM + 4)
        self._whole = np.frombuffer(table, np.int8, count * DIM).reshape(count, DIM)
        self._scales = np.frombuffer(table, "<f4", count, count * DIM)

    def of(self, numbers: NDArray[np.int64]) -> Floats:
        """A row for each number."""
        import numpy as np

        rows: Floats = self._whole[numbers].astype(np.float32)
        rows *= self._scales[numbers][..., None]
        return rows


def _make_words(weights: WeightFile) -> bytes:
    import numpy as np

    table = weights.read(WORDS)
    scales = np.maximum(np.abs(table).max(axis=1), 1e-9).astype(np.float32) / LARGEST_WORD
    whole = np.rint(table / scales[:, None]).astype(np.int8)
    made: bytes = whole.tobytes() + scales.astype("<f4").tobytes()
    return made


def _make_graph(read: Callable[[str], Floats]) -> bytes:
    graph: bytes = bert_graph.text_graph(read, SIZES).SerializeToString()
    return graph
