"""Tensors of a safetensors file, each read from the disk when it is asked for.

The format is a JSON header and plain numbers behind it. Reading one tensor at a time keeps the peak of memory at what
the model needs; the library maps the whole file beside what it returns, which doubles it.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

KINDS = {"F32": "<f4", "F16": "<f2"}
LONGEST_HEADER_BYTES = 1 << 20


class WeightFile:
    """An open weights file; a context manager."""

    def __init__(self, path: Path) -> None:
        """Open the file and read its header; raises OSError or ValueError."""
        self._body = path.open("rb", buffering=0)
        try:
            size = int.from_bytes(self._body.read(8), "little")
            if not 0 < size <= LONGEST_HEADER_BYTES:
                raise ValueError("not a weights file")
            self._header = json.loads(self._body.read(size))
            if not isinstance(self._header, dict):
                raise ValueError("not a weights file")
        except (OSError, ValueError):
            self._body.close()
            raise
        self._begin = 8 + size
        told = self._header.pop("__metadata__", None)
        self.metadata: dict[str, str] = told if isinstance(told, dict) else {}

    @property
    def names(self) -> frozenset[str]:
        """The tensors in the file."""
        return frozenset(self._header)

    def read(self, name: str) -> Floats:
        """One tensor as float32; raises KeyError when it is not there, ValueError when the file is cut off."""
        import numpy as np

        about = self._header[name]
        begin, end = about["data_offsets"]
        numbers = np.empty(about["shape"], KINDS[about["dtype"]])
        if end - begin != numbers.nbytes or math.prod(about["shape"]) == 0:
            raise ValueError("not a weights file")
        self._body.seek(self._begin + begin)
        if self._body.readinto(numbers.data.cast("B")) != numbers.nbytes:
            raise ValueError("the weights file is cut off")
        return numbers.astype(np.float32, copy=False)

    def read_bytes(self, name: str) -> bytes:
        """One tensor of bytes as it lies there; raises KeyError when it is not there, ValueError when the file is cut off."""
        begin, end = self._header[name]["data_offsets"]
        self._body.seek(self._begin + begin)
        told = self._body.read(end - begin)
        if len(told) != end - begin:
            raise ValueError("the weights file is cut off")
        return told

    def __enter__(self) -> WeightFile:
        return self

    def __exit__(self, kind: type[BaseException] | None, failure: BaseException | None, trace: TracebackType | None) -> None:
        self._body.close()
