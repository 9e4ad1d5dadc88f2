"""The layers of the model as a numpy forward pass, shared by everything that reads texts or pairs of texts.

No padding anywhere: the word pieces of a whole batch form one matrix for everything that looks at a single piece, and
only attention, which looks across a text, runs by groups of texts of one length. Almost all time is then spent in
matrix products at the speed of the machine, which is why this beats padded batches even for thousands of texts.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dreamd.models import DIM

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Read = Callable[[str], Floats]

LAYERS = 6
HEADS = 12
HEAD_DIM = DIM // HEADS
EPSILON = 1e-12
GELU_BLOCK = 16_384
GELU_TAIL = (-3.28072976e-04, 4.91064051e-03, -3.59240031e-02, -3.18842464e-01, -7.97665354e-01, -6.93173259e-01)
"""ln of the upper normal tail as a polynomial, fitted so that x times its error stays under 5e-7 for every x."""


@dataclass(frozen=True)
class Group:
    """Texts of one length, side by side in the rows of a batch."""

    first: int
    count: int
    length: int

    @property
    def rows(self) -> slice:
        """Their word pieces."""
        return slice(self.first, self.first + self.count * self.length)


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


@dataclass(frozen=True)
class Low:
    """A low-rank product beside one weight matrix: first `down` (in × rank), then `up` (rank × out)."""

    down: Floats
    up: Floats


@dataclass(frozen=True)
class Beside:
    """What an adapter adds to the matrices of one layer."""

    attend: Low
    join: Low
    widen: Low
    narrow: Low


PLAIN: Sequence[Beside | None] = (None,) * LAYERS
"""The weights as they are: nothing beside any layer."""


class Encoder:
    """Word pieces to their vectors in the last layer."""

    def __init__(self, read: Read) -> None:
        """Take the weights, by the names they have in the model's file; raises what `read` raises."""
        self._words = read("embeddings.word_embeddings.weight")
        kinds = read("embeddings.token_type_embeddings.weight")
        self._places = read("embeddings.position_embeddings.weight") + kinds[0]
        self._second = kinds[1] - kinds[0]
        self._first_norm = _read_norm(read, "embeddings.LayerNorm.")
        self._layers = [_read_layer(read, f"encoder.layer.{number}.") for number in range(LAYERS)]

    def run(self, batch: Sequence[Sequence[int]], second_at: Sequence[int] = (), *,
            beside: Sequence[Beside | None] = PLAIN) -> tuple[Floats, list[Group]]:
        """A row for each piece of each text, and where the texts lie; `batch` is sorted by length.

        `second_at` says for each text from which piece on it is the second of a pair; without it nothing is. `beside`
        holds for each layer what an adapter adds to it; the weights stay as they are.
        """
        import numpy as np

        groups = _groups([len(one) for one in batch])
        x = self._words[np.fromiter((number for one in batch for number in one), np.int64)]
        for group in groups:
            x[group.rows].reshape(group.count, group.length, DIM)[:] += self._places[:group.length]
        row = 0
        for one, at in zip(batch, second_at, strict=False):
            x[row + at:row + len(one)] += self._second
            row += len(one)
        _normalise(x, self._first_norm)
        for layer, added in zip(self._layers, beside, strict=True):
            x = _apply_layer(x, layer, groups, added)
        return x, groups


def means(x: Floats, groups: Sequence[Group]) -> Floats:
    """The mean over the pieces of each text."""
    import numpy as np

    return np.concatenate([x[one.rows].reshape(one.count, one.length, DIM).mean(axis=1) for one in groups])


def _groups(lengths: Sequence[int]) -> list[Group]:
    """One group for each run of texts of one length."""
    groups: list[Group] = []
    row = 0
    for length, run in itertools.groupby(lengths):
        groups.append(Group(row, len(list(run)), length))
        row = groups[-1].rows.stop
    return groups


def _apply_layer(x: Floats, layer: _Layer, groups: Sequence[Group], added: Beside | None) -> Floats:
    seen = _attend(x, layer, groups, added)
    joined = _through(seen, layer.join, added.join if added else None)
    joined += layer.join_shift
    joined += x
    _normalise(joined, layer.join_norm)
    wide = _through(joined, layer.widen, added.widen if added else None)
    wide += layer.widen_shift
    _gelu(wide)
    narrow = _through(wide, layer.narrow, added.narrow if added else None)
    narrow += layer.narrow_shift
    narrow += joined
    _normalise(narrow, layer.narrow_norm)
    return narrow


def _through(x: Floats, weight: Floats, low: Low | None) -> Floats:
    product: Floats = x @ weight
    if low is not None:
        product += (x @ low.down) @ low.up
    return product


def _attend(x: Floats, layer: _Layer, groups: Sequence[Group], added: Beside | None) -> Floats:
    """Multi-head attention; the scale of the scores is already in the query weights."""
    import numpy as np

    mixed = _through(x, layer.attend, added.attend if added else None)
    mixed += layer.attend_shift
    seen = np.empty_like(x)
    for group in groups:
        parts = mixed[group.rows].reshape(group.count, group.length, 3, HEADS, HEAD_DIM)
        scores = parts[:, :, 0].transpose(0, 2, 1, 3) @ parts[:, :, 1].transpose(0, 2, 3, 1)
        scores -= scores.max(axis=-1, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(axis=-1, keepdims=True)
        heads = scores @ parts[:, :, 2].transpose(0, 2, 1, 3)
        seen[group.rows].reshape(group.count, group.length, HEADS, HEAD_DIM)[:] = heads.transpose(0, 2, 1, 3)
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


def _read_layer(read: Read, name: str) -> _Layer:
    import numpy as np

    def turned(*keys: str) -> Floats:
        return np.ascontiguousarray(np.concatenate([read(f"{name}{key}.weight") for key in keys]).T)

    def shift(*keys: str) -> Floats:
        return np.concatenate([read(f"{name}{key}.bias") for key in keys])

    heads = tuple(f"attention.self.{part}" for part in ("query", "key", "value"))
    attend, attend_shift = turned(*heads), shift(*heads)
    scale = np.float32(1 / math.sqrt(HEAD_DIM))
    attend[:, :DIM] *= scale
    attend_shift[:DIM] *= scale
    return _Layer(
        attend=attend, attend_shift=attend_shift,
        join=turned("attention.output.dense"), join_shift=shift("attention.output.dense"),
        join_norm=_read_norm(read, f"{name}attention.output.LayerNorm."),
        widen=turned("intermediate.dense"), widen_shift=shift("intermediate.dense"),
        narrow=turned("output.dense"), narrow_shift=shift("output.dense"),
        narrow_norm=_read_norm(read, f"{name}output.LayerNorm."),
    )


def _read_norm(read: Read, name: str) -> _Norm:
    return _Norm(gain=read(f"{name}weight"), shift=read(f"{name}bias"))
