"""The question's side of finding: an adapter beside the model, trained on questions and the messages that answer them.

A question and its answer are worded apart: "who looks after the database?" against "Leonie does that now". The vectors of
what is stored stay those of the plain model, which says what is alike; only the question is read with the adapter, which
says what answers it. So nothing stored depends on the adapter, and an exchanged one is right at once.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from dreamd.core.errors import Outage
from dreamd.core.paths import share_dir
from dreamd.models import DIM
from dreamd.models.encoder import HEAD_DIM, LAYERS, Beside, Low
from dreamd.models.weights import WeightFile

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

ADAPTER_FILE = "adapter.safetensors"
ABOUT_FILE = "question.json"
_HEADS = tuple(f"attention.self.{part}" for part in ("query", "key", "value"))


def adapter_dir() -> Path:
    """Where the adapter that travels with dream lies."""
    return share_dir("config") / "question"


def load_adapter(folder: Path) -> tuple[Beside, ...]:
    """What the adapter in a folder adds to each layer.

    Raises Outage when its files are missing or unfit.
    """
    import numpy as np

    try:
        scale = np.float32(json.loads((folder / ABOUT_FILE).read_text("utf-8"))["scale"])
        with WeightFile(folder / ADAPTER_FILE) as weights:
            return tuple(_read_layer(weights, f"encoder.layer.{number}.", scale) for number in range(LAYERS))
    except (OSError, ValueError, KeyError, TypeError) as failure:
        raise Outage(f"the adapter for questions in `{folder}` cannot be loaded", component="model",
                     code="question-adapter", hint="reinstall dream, or run `make questions`") from failure


def _read_layer(weights: WeightFile, name: str, scale: np.float32) -> Beside:
    import numpy as np

    attend = _read_low(weights, [f"{name}{part}" for part in _HEADS], (DIM, DIM), scale)
    # The scale of the attention scores is in the query weights, so it is in what is added to them.
    attend.up[:, :DIM] *= np.float32(HEAD_DIM ** -0.5)
    return Beside(attend=attend, join=_read_low(weights, [f"{name}attention.output.dense"], (DIM, DIM), scale),
                  widen=_read_low(weights, [f"{name}intermediate.dense"], (DIM, 4 * DIM), scale),
                  narrow=_read_low(weights, [f"{name}output.dense"], (4 * DIM, DIM), scale))


def _read_low(weights: WeightFile, names: Sequence[str], shape: tuple[int, int], scale: np.float32) -> Low:
    """The products beside some matrices that lie side by side; a matrix without one gets nothing added.

    Raises ValueError for another shape.
    """
    import numpy as np

    size_in, size_out = shape
    downs, ups = [np.zeros((size_in, 0), np.float32)], [np.zeros((0, size_out * len(names)), np.float32)]
    for place, name in enumerate(names):
        if f"{name}.down" not in weights.names:
            continue
        down, up = weights.read(f"{name}.down"), weights.read(f"{name}.up")
        if down.shape[1] != size_in or up.shape != (size_out, down.shape[0]):
            raise ValueError("an adapter of another shape")
        wide = np.zeros((down.shape[0], size_out * len(names)), np.float32)
        wide[:, place * size_out:(place + 1) * size_out] = scale * up.T
        downs.append(down.T)
        ups.append(wide)
    return Low(np.ascontiguousarray(np.concatenate(downs, axis=1)), np.concatenate(ups))
