"""The tokenizer of the multilingual base: SentencePiece, given only the pieces that can stand in the texts at hand.

Its model has 250,000 pieces, and the library takes half a second and tens of MiB to load them all. What a text is cut into
hangs on no piece that does not stand in it, but for the worst score, which what is unknown is measured by. A piece never goes
on over a space, so the pieces that can stand in each word are looked up, and a model is made of those.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from sentencepiece import SentencePieceProcessor

UNKNOWN, CONTROL = 2, 3
"""Kinds of a piece in a SentencePiece model; plain ones have none."""
SPACE = "\u2581"
_PIECES, _COURSE, _FOLDING, _TEXT, _SCORE, _KIND_OF_PIECE = b"\x0a", b"\x12", b"\x1a", b"\x0a", b"\x15", b"\x18"
"""Tags of the model's parts (pieces, how it was trained, how texts are folded) and of a piece's."""
_KIND, _UNIGRAM, _UNKNOWN_ID, _FIRST_ID, _LAST_ID, _PADDING_ID = 3, 1, 40, 41, 42, 43
_FACTOR = 0x9E3779B97F4A7C15
"""By which a sum over bytes is multiplied at each: no two pieces of the base have the same."""
_AS_IT_IS = b"\x0a\x08identity\x18\x01\x20\x00\x28\x01"
"""Nothing folded, for the base has a map of its own; a space in front, none removed, and spaces shown as pieces show them."""


class Pieces:
    """Texts to token numbers."""

    def __init__(self, packed: NDArray[np.uint8], starts: NDArray[np.uint32], scores: bytes, marks: Sequence[int]) -> None:
        """Take the pieces one behind the other, where each starts and the last ends, and their scores as they are stored.

        A score has four bytes; `marks` are which pieces are unknown, first, last and padding.
        """
        import numpy as np

        self._packed, self._starts, self._scores, self._marks = packed, starts, scores, marks
        self._kinds: Mapping[int, int] = {marks[0]: UNKNOWN, **dict.fromkeys(marks[1:], CONTROL)}
        # By sums and not in a dictionary, which of so many pieces takes 30 MiB more and twice the time.
        sums = np.zeros(len(starts) - 1, np.uint64)
        for begun, some in _sums(packed, starts[:-1], starts[1:]):
            sums[begun] = some
        order = np.argsort(sums, kind="stable")
        self._sums, self._order = sums[order], order.astype(np.int32)
        self._longest = int(np.diff(starts.astype(np.int64)).max())
        told = np.frombuffer(scores, "<f4").copy()
        told[list(marks)] = np.inf
        self._always = {*marks, int(told.argmin())}
        self._words: set[str] = set()
        self._chosen: list[int] = []
        self._processor: SentencePieceProcessor | None = None

    def numbers(self, texts: Sequence[str]) -> list[list[int]]:
        """Token numbers of each text, without the marks of begin and end."""
        words = {word for text in texts for word in text.split(" ")}
        if self._processor is None or not words <= self._words:
            self._take(words)
        assert self._processor is not None
        return [[self._chosen[n] for n in some] for some in self._processor.encode(list(texts))]

    def _take(self, words: set[str]) -> None:
        from sentencepiece import SentencePieceProcessor

        self._words, self._chosen = words, sorted(self._always | self._within(words))
        self._processor = SentencePieceProcessor(model_proto=self._model())

    def _within(self, words: set[str]) -> set[int]:
        """The numbers of the pieces that stand in words; one of the same sum as what stands there does no harm."""
        import numpy as np

        parts = [(SPACE + word).encode() for word in words]
        sizes = np.array([len(part) for part in parts], np.int64)
        text, ends = np.frombuffer(b"".join(parts), np.uint8), np.repeat(sizes.cumsum(), sizes)
        found: set[int] = set()
        for _, told in _sums(text, np.arange(len(text)), ends, self._longest):
            place = np.minimum(np.searchsorted(self._sums, told), len(self._sums) - 1)
            found.update(self._order[place[self._sums[place] == told]].tolist())
        return found

    def _model(self) -> bytes:
        """The chosen pieces as a SentencePiece model (its protocol buffer): each with score and kind, and how they are used."""
        made = []
        for n in self._chosen:
            text, kind = self._packed[self._starts[n]:self._starts[n + 1]].tobytes(), self._kinds.get(n)
            piece = (_TEXT + _varint(len(text)) + text + _SCORE + self._scores[4 * n:4 * n + 4]
                     + (_KIND_OF_PIECE + bytes([kind]) if kind else b""))
            made.append(_PIECES + _varint(len(piece)) + piece)
        places = [self._chosen.index(mark) for mark in self._marks]
        course = b"".join(_varint(field << 3) + _varint(value) for field, value in (
            (_KIND, _UNIGRAM), *zip((_UNKNOWN_ID, _FIRST_ID, _LAST_ID, _PADDING_ID), places, strict=True)))
        made.append(_COURSE + _varint(len(course)) + course)
        made.append(_FOLDING + _varint(len(_AS_IT_IS)) + _AS_IT_IS)
        return b"".join(made)


def _sums(text: NDArray[np.uint8], begins: NDArray[Any], ends: NDArray[Any], longest: int | None = None,
          ) -> Iterator[tuple[NDArray[np.int64], NDArray[np.uint64]]]:
    """For each length the sums of so many bytes from each beginning, of those (by their places) that do not end before."""
    import numpy as np

    left, at = np.arange(len(begins)), begins.astype(np.int64)
    told, size = np.zeros(len(begins), np.uint64), 0
    while len(left) and size != longest:
        told = told * np.uint64(_FACTOR) + text[at] + np.uint64(1)
        yield left, told
        at, size = at + 1, size + 1
        on = at < ends[left]
        left, at, told = left[on], at[on], told[on]


def _varint(number: int) -> bytes:
    """A whole number as a protocol buffer has it."""
    told = bytearray()
    while number > 127:
        told.append(number & 127 | 128)
        number >>= 7
    told.append(number)
    return bytes(told)
