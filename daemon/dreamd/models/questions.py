"""The question's side of finding: an adapter to the model, trained on questions and the messages that answer them.

A question and its answer are worded apart: "who looks after the database?" against "Leonie does that now". The vectors of
what is stored stay those of the plain model, which says what is alike; only the question is read with the adapter, which
says what answers it. So nothing stored depends on the adapter, and an exchanged one is right at once.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from dreamd.core.errors import Outage
from dreamd.core.paths import share_dir
from dreamd.models import DIM
from dreamd.models.weights import WeightFile

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Read = Callable[[str], Floats]

ADAPTER_FILE = "adapter.safetensors"
ABOUT_FILE = "question.json"
_SIZES = {"intermediate.dense": (4 * DIM, DIM), "attention.output.dense": (DIM, DIM), "output.dense": (DIM, 4 * DIM)}
"""Rows and columns of the matrices of a layer that are no square, or whose name ends like that of one."""


@dataclass(frozen=True)
class Adapter:
    """A low-rank product for each of some matrices, by the matrix's name: first `down` (rank × in), then `up` (out × rank)."""

    products: Mapping[str, tuple[Floats, Floats]]
    digest: str
    """Tells this adapter from every other."""

    def added_to(self, read: Read) -> Read:
        """The same weights with the products in them."""
        def adapted(name: str) -> Floats:
            weight = read(name)
            if name in self.products:
                down, up = self.products[name]
                weight += up @ down
            return weight

        return adapted


def adapter_dir() -> Path:
    """Where the adapter that travels with dream lies."""
    return share_dir("config") / "question"


def load_adapter(folder: Path) -> Adapter:
    """The adapter in a folder.

    Raises Outage when its files are missing or unfit.
    """
    import numpy as np

    try:
        about = (folder / ABOUT_FILE).read_bytes()
        scale = np.float32(json.loads(about)["scale"])
        body = (folder / ADAPTER_FILE).read_bytes()
        with WeightFile(folder / ADAPTER_FILE) as weights:
            names = sorted(name.removesuffix(".up") for name in weights.names if name.endswith(".up"))
            products = {f"{name}.weight": _read_product(weights, name, scale) for name in names}
    except (OSError, ValueError, KeyError, TypeError) as failure:
        raise Outage(f"the adapter for questions in `{folder}` cannot be loaded", component="model",
                     code="question-adapter", hint="reinstall dream, or run `make questions`") from failure
    return Adapter(products, hashlib.sha256(about + body).hexdigest())


def _read_product(weights: WeightFile, name: str, scale: np.float32) -> tuple[Floats, Floats]:
    """Both matrices, the scale in the second; raises ValueError for another shape."""
    down, up = weights.read(f"{name}.down"), weights.read(f"{name}.up")
    place = name.split(".", 3)[-1]
    if (up.shape[0], down.shape[1]) != _SIZES.get(place, (DIM, DIM)) or up.shape[1] != down.shape[0]:
        raise ValueError("an adapter of another shape")
    return down, up * scale
