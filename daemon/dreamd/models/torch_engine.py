"""The model through sentence-transformers, in batches without waste: for accelerators, and as the yardstick.

What its own `encode` spends on padding is saved by forming batches of texts of one length; equal texts run once.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from dreamd.core.errors import Outage
from dreamd.models import DIM, FLOAT_ID, LONGEST_TOKENS, texts
from dreamd.models.light import LightEmbedder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BATCH_PIECES = {"cpu": 2048}
ACCELERATED_BATCH_PIECES = 16_384


class TorchEmbedder:
    """all-MiniLM-L6-v2 in sentence-transformers, on the CPU or on an accelerator (`cuda`, `mps`)."""

    model_id = FLOAT_ID
    dim = DIM

    def __init__(self, folder: Path, *, threads: int = 1, device: str = "cpu", kept_in: Path | None = None,
                 keep: bool = True) -> None:
        """Load the verified model in `folder`, without ever asking the network.

        Raises Outage when torch or sentence-transformers is missing or the device is not there.
        """
        try:
            import torch
            from sentence_transformers import SentenceTransformer
        except ImportError as failure:
            raise Outage(f"the embedding engine is not installed: {failure.name}", component="model",
                         code="engine-missing", hint="set `model.engine` to `light`") from failure
        self._tokenizer = texts.load_tokenizer(folder)
        self._questions: LightEmbedder | None = None
        self._load_questions = partial(LightEmbedder, folder, threads=threads, kept_in=kept_in, keep=keep)
        torch.set_num_threads(threads)
        try:
            self._model = SentenceTransformer(str(folder), device=device, local_files_only=True)
        except (OSError, ValueError, RuntimeError) as failure:
            raise Outage(f"the embedding model cannot be loaded on `{device}`", component="model",
                         code="engine-failed", hint="set `model.engine` to `light`") from failure
        self._model.eval()
        self._model.max_seq_length = LONGEST_TOKENS
        self._device = device
        self._budget = BATCH_PIECES.get(device, ACCELERATED_BATCH_PIECES)

    def embed(self, lines: Sequence[str]) -> NDArray[np.float32]:
        """One unit row for each text, in order; equal texts are computed once."""
        import numpy as np
        import torch

        pieces = texts.cut(self._tokenizer, lines)
        lengths = [len(one) for one in pieces.distinct]
        rows = np.empty((len(lengths), DIM), np.float32)
        try:
            with torch.inference_mode():
                for batch in texts.batches(lengths, budget=self._budget):
                    rows[batch] = self._run([pieces.distinct[index] for index in batch])
        except RuntimeError as failure:
            raise Outage(f"embedding failed on `{self._device}`", component="model", code="engine-failed",
                         hint="set `model.engine` to `light`") from failure
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        return rows[list(pieces.place)]

    def embed_questions(self, lines: Sequence[str]) -> NDArray[np.float32]:
        """One unit row for each question; a few short lines, so the light engine reads them."""
        if self._questions is None:
            self._questions = self._load_questions()
        return self._questions.embed_questions(lines)

    def _run(self, batch: Sequence[tuple[int, ...]]) -> NDArray[np.float32]:
        import torch

        longest = max(len(one) for one in batch)
        numbers = torch.tensor([[*one, *([0] * (longest - len(one)))] for one in batch], device=self._device)
        mask = torch.tensor([[1] * len(one) + [0] * (longest - len(one)) for one in batch], device=self._device)
        out = self._model({"input_ids": numbers, "attention_mask": mask, "token_type_ids": torch.zeros_like(numbers)})
        vectors: NDArray[np.float32] = out["sentence_embedding"].float().cpu().numpy()
        return vectors
