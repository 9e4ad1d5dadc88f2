"""What a trained pair net ships: its differences from the base at three bits a value, and the same net as an int8 graph.

Low ranks were tried and lose: on 1,939 pairs of left-out authors the average precision of merges and conflicts is .879 and
.822 at full rank, .866 and .802 at rank 64, .861 and .796 at rank 32; at three bits nothing is lost.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import onnx

from dreamd.models.bert_graph import Head, Sizes, pair_graph
from dreamd.models.multilingual_base import MultilingualBase

HEAD = ("head.weight", "head.bias")
SHARED = 64
"""Pairs of like length that are read together."""
LONGEST_TOKENS = 256
BLOCK, MOST = 64, 3
"""Values that share a scale, and the greatest step: three bits tell -4 to 3."""

Arrays = dict[str, np.ndarray]


def shrunk(base: Arrays, learned: Arrays) -> Arrays:
    """The file that ships: `.bits` and `.scale` for each matrix, `.delta` for all else, the head as it is."""
    parts: Arrays = {}
    for name, value in learned.items():
        if name in HEAD:
            parts[name] = value.astype(np.float32)
            continue
        change = value.astype(np.float32) - base[name]
        if change.ndim == 2 and change.size % BLOCK == 0:
            parts[f"{name}.bits"], parts[f"{name}.scale"] = packed(change)
        else:
            parts[f"{name}.delta"] = change.astype(np.float16)
    return parts


def packed(change: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Three bits a value, most significant first, and a float16 scale for each block of values."""
    blocks = change.reshape(-1, BLOCK)
    scale = (np.abs(blocks).max(axis=1) / MOST).astype(np.float16)
    steps = np.rint(blocks / np.maximum(scale.astype(np.float32), 1e-8)[:, None])
    values = (np.clip(steps, -MOST - 1, MOST) + MOST + 1).astype(np.uint8)
    bits = (values.reshape(-1, 1) >> np.array([2, 1, 0], np.uint8)) & 1
    return np.packbits(bits.reshape(-1)), scale


def restored(base: Arrays, parts: Arrays) -> Callable[[str], np.ndarray]:
    """What reads a weight of the net that base and parts make together."""
    def read(name: str) -> np.ndarray:
        whole = base[name].copy()
        if f"{name}.bits" in parts:
            whole += unpacked(parts[f"{name}.bits"], parts[f"{name}.scale"]).reshape(whole.shape)
        if f"{name}.delta" in parts:
            whole += parts[f"{name}.delta"].astype(np.float32)
        return whole
    return read


def unpacked(bits: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """The values that `packed` packed, up to a step of their block."""
    rows = np.unpackbits(bits)[: scale.size * BLOCK * 3].reshape(-1, 3)
    values = (rows << np.array([2, 1, 0], np.uint8)).sum(axis=1, dtype=np.int16) - MOST - 1
    return (values.reshape(-1, BLOCK) * scale.astype(np.float32)[:, None]).reshape(-1)


class ReadingNet:
    """The net as it ships, at int8."""

    def __init__(self, base: MultilingualBase, read: Callable[[str], np.ndarray], head: Arrays, *, threads: int = 2) -> None:
        import onnxruntime
        from onnxruntime.quantization import QuantType, quantize_dynamic

        shape = base.shape
        sizes = Sizes(shape.layers, shape.heads, shape.hidden, shape.epsilon)
        self._base = base
        self._words = base.tensor("emb.word", shape.vocabulary, shape.hidden)
        with TemporaryDirectory() as folder:
            plain, small = Path(folder) / "plain.onnx", Path(folder) / "small.onnx"
            onnx.save(pair_graph(read, sizes, Head(head["head.weight"], head["head.bias"])), plain)
            quantize_dynamic(plain, small, per_channel=True, reduce_range=True, weight_type=QuantType.QInt8)
            options = onnxruntime.SessionOptions()
            options.intra_op_num_threads = threads
            self._session = onnxruntime.InferenceSession(str(small), options, providers=["CPUExecutionProvider"])

    def logits(self, pairs: Sequence[tuple[str, str]]) -> np.ndarray:
        """Logits of pairs in this order of their sides."""
        base = self._base
        numbers = base.numbers([text for pair in pairs for text in pair])
        rows: list[tuple[list[int], int]] = []
        for one, other in zip(numbers[::2], numbers[1::2], strict=True):
            while len(one) + len(other) > LONGEST_TOKENS - 3:
                (one if len(one) >= len(other) else other).pop()
            rows.append(([base.first, *one, base.last, *other, base.last], len(one) + 2))
        found = np.zeros((len(rows), 8), np.float32)
        order = sorted(range(len(rows)), key=lambda n: len(rows[n][0]))
        for start in range(0, len(order), SHARED):
            part = order[start : start + SHARED]
            found[part] = self._read([rows[n] for n in part])
        return found

    def _read(self, rows: list[tuple[list[int], int]]) -> np.ndarray:
        size = (len(rows), max(len(row) for row, _ in rows))
        numbers = np.full(size, self._base.padding)
        kinds, mask = np.zeros(size, np.int64), np.zeros(size, np.int64)
        for i, (row, second_at) in enumerate(rows):
            numbers[i, : len(row)] = row
            kinds[i, second_at : len(row)] = 1
            mask[i, : len(row)] = 1
        return self._session.run(None, {"words": self._words[numbers], "kinds": kinds, "mask": mask})[0]
