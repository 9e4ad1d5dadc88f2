"""The model as a numpy forward pass: no torch, ready a third of a second after process start.

No padding anywhere: the word pieces of a whole batch form one matrix for everything that looks at a single piece, and
only attention, which looks across a text, runs by groups of texts of one length. Almost all time is then spent in
matrix products at the speed of the machine, which is why this beats padded batches even for thousands of texts.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from dreamd.embedding import DIM, MODEL_ID, model_files, texts
from dreamd.errors import Outage

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

LAYERS = 6
HEADS = 12
HEAD_DIM = DIM // HEADS
EPSILON = 1e-12
BATCH_PIECES = 512
"""Best of 256 to 8192 measured: the widest activations of a batch stay in the second-level cache."""
GELU_BLOCK = 16_384
GELU_TAIL = (-3.28072976e-04, 4.91064051e-03, -3.59240031e-02, -3.18842464e-01, -7.97665354e-01, -6.93173259e-01)
"""ln of the upper normal tail as a polynomial, fitted so that x times its error stays under 5e-7 for every x."""


@dataclass(frozen=True)
class _Norm:
    gain: Floats
    shift: Floats


@dataclass(frozen=True)
class _Layer:
    """Weights of one layer, transposed once so that a row of activations multiplies from the left."""

    attend: Floats
    attend_shift: Floats
    join: Floats
    join_shift: Floats
    join_norm: _Norm
    widen: Floats
    widen_shift: Floats
    narrow: Floats
    narrow_shift: Floats
    narrow_norm: _Norm


class LightEmbedder:
    """all-MiniLM-L6-v2 in numpy."""

    model_id = MODEL_ID
    dim = DIM

    def __init__(self, folder: Path, *, threads: int = 1) -> None:
        """Load the verified model in `folder`; raises Outage when a library is missing or a weight is not there."""
        self._tokenizer = texts.load_tokenizer(folder)
        try:
            from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped,unused-ignore]

            weights = _read_weights(folder / model_files.WEIGHTS)
            self._layers = [_read_layer(weights, f"encoder.layer.{number}.") for number in range(LAYERS)]
            self._words = weights["embeddings.word_embeddings.weight"]
            self._places = (weights["embeddings.position_embeddings.weight"]
                            + weights["embeddings.token_type_embeddings.weight"][0])
            self._first_norm = _read_norm(weights, "embeddings.LayerNorm.")
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
        import numpy as np

        pieces = texts.cut(self._tokenizer, lines)
        lengths = [len(one) for one in pieces.distinct]
        rows = np.empty((len(lengths), DIM), np.float32)
        try:
            with self._pools.limit(limits=self._threads, user_api="blas"):
                for batch in texts.batches(lengths, budget=BATCH_PIECES):
                    rows[batch] = self._run([pieces.distinct[index] for index in batch])
        except MemoryError as failure:
            raise Outage("not enough memory to embed texts", component="model", code="out-of-memory") from failure
        return rows[list(pieces.place)]

    def _run(self, batch: Sequence[tuple[int, ...]]) -> Floats:
        """Mean of the last layer over each text, as unit vectors; `batch` is sorted by length."""
        import numpy as np

        groups = _groups([len(one) for one in batch])
        x = self._words[np.fromiter((number for one in batch for number in one), np.int64)]
        for start, count, length in groups:
            x[start:start + count * length].reshape(count, length, DIM)[:] += self._places[:length]
        _normalise(x, self._first_norm)
        for layer in self._layers:
            x = _apply_layer(x, layer, groups)
        means = np.concatenate([x[start:start + count * length].reshape(count, length, DIM).mean(axis=1)
                                for start, count, length in groups])
        means /= np.linalg.norm(means, axis=1, keepdims=True)
        return means


def _groups(lengths: Sequence[int]) -> list[tuple[int, int, int]]:
    """(first row, number of texts, length) for each run of texts of one length."""
    groups: list[tuple[int, int, int]] = []
    row = 0
    for length in lengths:
        if groups and groups[-1][2] == length:
            start, count, _ = groups[-1]
            groups[-1] = (start, count + 1, length)
        else:
            groups.append((row, 1, length))
        row += length
    return groups


def _apply_layer(x: Floats, layer: _Layer, groups: Sequence[tuple[int, int, int]]) -> Floats:
    joined: Floats = _attend(x, layer, groups) @ layer.join
    joined += layer.join_shift
    joined += x
    _normalise(joined, layer.join_norm)
    wide: Floats = joined @ layer.widen
    wide += layer.widen_shift
    _gelu(wide)
    narrow: Floats = wide @ layer.narrow
    narrow += layer.narrow_shift
    narrow += joined
    _normalise(narrow, layer.narrow_norm)
    return narrow


def _attend(x: Floats, layer: _Layer, groups: Sequence[tuple[int, int, int]]) -> Floats:
    """Multi-head attention; the scale of the scores is already in the query weights."""
    import numpy as np

    mixed = x @ layer.attend
    mixed += layer.attend_shift
    seen = np.empty_like(x)
    for start, count, length in groups:
        rows = slice(start, start + count * length)
        parts = mixed[rows].reshape(count, length, 3, HEADS, HEAD_DIM)
        scores = parts[:, :, 0].transpose(0, 2, 1, 3) @ parts[:, :, 1].transpose(0, 2, 3, 1)
        scores -= scores.max(axis=-1, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(axis=-1, keepdims=True)
        heads = scores @ parts[:, :, 2].transpose(0, 2, 1, 3)
        seen[rows].reshape(count, length, HEADS, HEAD_DIM)[:] = heads.transpose(0, 2, 1, 3)
    return seen


def _normalise(x: Floats, norm: _Norm) -> None:
    """Layer normalisation, in place."""
    import numpy as np

    x -= x.mean(axis=1, keepdims=True)
    spread = np.einsum("ij,ij->i", x, x)
    spread /= x.shape[1]
    spread += np.float32(EPSILON)
    x *= (1 / np.sqrt(spread))[:, None]
    x *= norm.gain
    x += norm.shift


def _gelu(x: Floats) -> None:
    """x times the normal distribution of x, in place, block by block so that the work stays in the cache.

    Written as max(x, 0) − |x|·tail(|x|), where ln tail is a short polynomial: half the passes of the usual formula.
    """
    import numpy as np

    rows = max(1, GELU_BLOCK // x.shape[1])
    highest, *rest = (np.float32(factor) for factor in GELU_TAIL)
    for start in range(0, len(x), rows):
        block = x[start:start + rows]
        size = np.abs(block)
        tail = size * highest
        for factor in rest[:-1]:
            tail += factor
            tail *= size
        tail += rest[-1]
        np.exp(tail, out=tail)
        tail *= size
        np.maximum(block, 0, out=block)
        block -= tail


def _read_weights(path: Path) -> dict[str, Floats]:
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="numpy") as archive:
            return {name: archive.get_tensor(name) for name in archive.keys()  # noqa: SIM118 - not a dict
                    if not name.startswith("pooler")}
    except SafetensorError as failure:
        raise ValueError("not a weights file") from failure


def _read_layer(weights: dict[str, Floats], name: str) -> _Layer:
    import numpy as np

    def turned(*keys: str) -> Floats:
        return np.ascontiguousarray(np.concatenate([weights[f"{name}{key}.weight"] for key in keys]).T)

    def shift(*keys: str) -> Floats:
        return np.concatenate([weights[f"{name}{key}.bias"] for key in keys])

    heads = tuple(f"attention.self.{part}" for part in ("query", "key", "value"))
    attend, attend_shift = turned(*heads), shift(*heads)
    scale = np.float32(1 / math.sqrt(HEAD_DIM))
    attend[:, :DIM] *= scale
    attend_shift[:DIM] *= scale
    return _Layer(
        attend=attend, attend_shift=attend_shift,
        join=turned("attention.output.dense"), join_shift=shift("attention.output.dense"),
        join_norm=_read_norm(weights, f"{name}attention.output.LayerNorm."),
        widen=turned("intermediate.dense"), widen_shift=shift("intermediate.dense"),
        narrow=turned("output.dense"), narrow_shift=shift("output.dense"),
        narrow_norm=_read_norm(weights, f"{name}output.LayerNorm."),
    )


def _read_norm(weights: dict[str, Floats], name: str) -> _Norm:
    return _Norm(gain=weights[f"{name}weight"], shift=weights[f"{name}bias"])
