"""A larger cross-encoder for natural-language inference, where a person has put one on the disk: a second opinion.

It is read through sentence-transformers and never fetched. What it says is joined with what the trained judge says; the
hard guards stand above both.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from dreamd.core.errors import Outage

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

CONFIG = "config.json"
WEIGHTS = ("model.safetensors", "model.safetensors.index.json")
LABELS = ("entailment", "neutral", "contradiction")
BATCH = 32
SWITCH_OFF = "set `consolidate.cross_encoder` to \"\", or to a model whose labels are entailment, neutral and contradiction"


def is_complete(folder: Path) -> bool:
    """Whether a model with weights that cannot run code lies in `folder`."""
    return (folder / CONFIG).is_file() and any((folder / name).is_file() for name in WEIGHTS)


def identity(folder: Path) -> str:
    """What tells this model from another without reading all of its weights."""
    sizes = [f"{name}:{(folder / name).stat().st_size}" for name in WEIGHTS if (folder / name).is_file()]
    return "\n".join([(folder / CONFIG).read_text("utf-8"), *sizes])


class CrossEncoder:
    """Three probabilities for each ordered pair: that `b` follows from `a`, that it may or may not hold, that it cannot."""

    def __init__(self, folder: Path, *, threads: int = 1, device: str = "cpu") -> None:
        """Load the model in `folder`, without ever asking the network.

        Raises Outage when a library is missing, the files are damaged or the model has other labels.
        """
        try:
            import torch
            from safetensors import SafetensorError
            from sentence_transformers import CrossEncoder as Model
        except ImportError as failure:
            raise Outage(f"the engine of the cross-encoder is not installed: {failure.name}", component="model",
                         code="engine-missing", hint=SWITCH_OFF) from failure
        try:
            names = json.loads((folder / CONFIG).read_text("utf-8")).get("id2label", {})
            told = {str(name).lower(): int(place) for place, name in names.items()}
            self._order = [told[label] for label in LABELS]
            torch.set_num_threads(threads)
            self._model = Model(str(folder), device=device, local_files_only=True, model_kwargs={"use_safetensors": True},
                                activation_fn=torch.nn.Identity())
        except KeyError as failure:
            raise Outage(f"the cross-encoder in `{folder}` has other labels than {', '.join(LABELS)}", component="model",
                         code="cross-encoder-unfit", hint=SWITCH_OFF) from failure
        except (OSError, ValueError, RuntimeError, SafetensorError) as failure:
            raise Outage(f"the cross-encoder in `{folder}` cannot be loaded", component="model",
                         code="cross-encoder-failed", hint=SWITCH_OFF) from failure

    def inferences(self, pairs: Sequence[tuple[str, str]]) -> Floats:
        """A row of probabilities in the order of `LABELS` for each pair.

        Raises Outage when the model fails.
        """
        import numpy as np

        try:
            logits = self._model.predict(list(pairs), batch_size=BATCH, show_progress_bar=False, convert_to_numpy=True)
        except RuntimeError as failure:
            raise Outage("comparing statements with the cross-encoder failed", component="model",
                         code="cross-encoder-failed", hint=SWITCH_OFF) from failure
        scores: Floats = np.asarray(logits, np.float32)[:, self._order]
        scores -= scores.max(axis=1, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(axis=1, keepdims=True)
        return scores
