"""Texts to vectors: one model, two engines whose vectors may stand beside each other, never a made-up vector.

The light engine (onnxruntime, eight bits) answers within a fraction of a second of process start and is the faster one
per CPU second; the torch engine runs the model through sentence-transformers in float32, for machines with an
accelerator and as the yardstick the light one is tested against.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MODEL_NAME = "all-MiniLM-L6-v2"
MODEL_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
FLOAT_ID = f"{MODEL_NAME}/{MODEL_SHA256[:12]}"
"""Stored beside every vector that was computed in float32."""
MODEL_ID = f"{FLOAT_ID}/int8"
"""Stored beside every vector of the light engine."""
ALIKE = (MODEL_ID, FLOAT_ID)
"""Vectors under these names are so near to each other that they are compared; those of another model never are."""
DIM = 384
LONGEST_TOKENS = 256
"""The model was trained on at most this many word pieces; what comes after them does not count."""
ACCELERATED_FROM = 3000
"""Texts from which an accelerator earns back the seconds that importing torch takes."""


PAIR_LABELS = ("same", "a-richer", "b-richer", "a-newer", "b-newer", "clash", "related", "unrelated")
"""What the network that reads pairs tells apart, in the order of its outputs."""


class Embedder(Protocol):
    """Turns texts into unit vectors of one model."""

    @property
    def model_id(self) -> str: ...
    @property
    def dim(self) -> int: ...
    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One L2-normalised float32 row for each text, in order.

        Raises Outage when the engine fails; never returns a stand-in.
        """
        ...

    def embed_questions(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row like these for each question, near to the rows of texts that answer it; raises Outage as well."""
        ...


def load_embedder(kind: str = "auto", *, expected_texts: int = 1, directory: str = "", threads: int = 1,
                  device: str = "cpu", kept_in: Path | None = None, keep: bool = True) -> Embedder:
    """Load the model with the engine that suits the work: `light`, `torch`, or `auto`.

    `auto` takes torch only for many texts on an accelerator: on a CPU the light one is faster at every size. `kept_in` is the
    folder that holds the checksum of the weights and what the light engine makes of them; with `keep` it may be written to.

    Raises Outage(component="model") when the model is missing, altered or cannot be loaded.
    """
    from dreamd.models import model_files

    accelerated = device != "cpu" and expected_texts >= ACCELERATED_FROM
    if kind == "torch" or (kind == "auto" and accelerated):
        from dreamd.models.torch_engine import TorchEmbedder

        return TorchEmbedder(model_files.find_model(directory, kept_in=kept_in, keep=keep), threads=threads, device=device,
                             kept_in=kept_in, keep=keep)
    from dreamd.models.light import LightEmbedder

    return LightEmbedder(model_files.locate(directory), threads=threads, kept_in=kept_in, keep=keep)


def written_by(kind: str, device: str = "cpu") -> frozenset[str]:
    """The names under which an engine, as settings name it, stores vectors."""
    if kind == "torch":
        return frozenset({FLOAT_ID})
    return frozenset({MODEL_ID, FLOAT_ID} if kind == "auto" and device != "cpu" else {MODEL_ID})
