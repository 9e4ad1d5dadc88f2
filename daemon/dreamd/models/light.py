"""The model in numpy: no torch, ready a third of a second after process start."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from dreamd.core.errors import Outage
from dreamd.models import DIM, MODEL_ID, encoder, model_files, questions, texts
from dreamd.models.weights import WeightFile

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

BATCH_PIECES = 512
"""Best of 256 to 8192 measured: the widest activations of a batch stay in the second-level cache."""


class LightEmbedder:
    """all-MiniLM-L6-v2 in numpy."""

    model_id = MODEL_ID
    dim = DIM

    def __init__(self, folder: Path, *, threads: int = 1) -> None:
        """Load the verified model in `folder`; raises Outage when a library is missing or a weight is not there."""
        self._tokenizer = texts.load_tokenizer(folder)
        self._beside: tuple[encoder.Beside, ...] | None = None
        try:
            from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped,unused-ignore]

            with WeightFile(folder / model_files.WEIGHTS) as weights:
                self._encoder = encoder.Encoder(weights.read)
        except ImportError as failure:
            raise Outage(f"the embedding engine is not installed: {failure.name}", component="model",
                         code="engine-missing", hint="reinstall dream with its dependencies") from failure
        except (KeyError, ValueError, OSError) as failure:
            raise Outage("the embedding model's weights cannot be loaded", component="model", code="model-changed",
                         hint=model_files.REINSTALL) from failure
        # More threads than asked for would change the last bits of a vector from machine to machine, and idle
        # threads of a linear algebra library burn a core while they wait.
        self._threads = threads
        self._pools = ThreadpoolController()

    def embed(self, lines: Sequence[str]) -> Floats:
        """One unit row for each text, in order; equal texts are computed once."""
        return self._rows_of(lines, encoder.PLAIN)

    def embed_questions(self, lines: Sequence[str]) -> Floats:
        """One unit row for each question, near to the rows of texts that answer it.

        Raises Outage when the adapter is not there.
        """
        if self._beside is None:
            self._beside = questions.load_adapter(questions.adapter_dir())
        return self._rows_of(lines, self._beside)

    def _rows_of(self, lines: Sequence[str], beside: Sequence[encoder.Beside | None]) -> Floats:
        import numpy as np

        pieces = texts.cut(self._tokenizer, lines)
        lengths = [len(one) for one in pieces.distinct]
        rows = np.empty((len(lengths), DIM), np.float32)
        try:
            with self._pools.limit(limits=self._threads, user_api="blas"):
                for batch in texts.batches(lengths, budget=BATCH_PIECES):
                    rows[batch] = self._run([pieces.distinct[index] for index in batch], beside)
        except MemoryError as failure:
            raise Outage("not enough memory to embed texts", component="model", code="out-of-memory") from failure
        return rows[list(pieces.place)]

    def _run(self, batch: Sequence[tuple[int, ...]], beside: Sequence[encoder.Beside | None]) -> Floats:
        """Mean of the last layer over each text, as unit vectors; `batch` is sorted by length."""
        import numpy as np

        rows = encoder.means(*self._encoder.run(batch, beside=beside))
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        return rows
