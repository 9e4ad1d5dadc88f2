"""The tokenizer of the multilingual base: SentencePiece, given only the pieces that can stand in the texts at hand.

Its model has 250,000 pieces, and the library takes half a second and tens of MiB to load them all. What a text is cut into
hangs on no piece that does not stand in it, but for the worst score, which what is unknown is measured by. A piece never goes
on over a space, so the pieces that can stand in each word are looked up, and a model is made of those.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sentencepiece import SentencePieceProcessor

UNKNOWN, CONTROL = 2, 3
"""Kinds of a piece in a SentencePiece model; plain ones have none."""
SPACE = "\u2581"
_PIECES, _COURSE, _FOLDING, _TEXT, _SCORE, _KIND_OF_PIECE = b"\x0a", b"\x12", b"\x1a", b"\x0a", b"\x15", b"\x18"
"""Tags of the model's parts (pieces, how it was trained, how texts are folded) and of a piece's."""
_KIND, _UNIGRAM, _UNKNOWN_ID, _FIRST_ID, _LAST_ID, _PADDING_ID = 3, 1, 40, 41, 42, 43
_AS_IT_IS = b"\x0a\x08identity\x18\x01\x20\x00\x28\x01"
"""Nothing folded, for the base has a map of its own; a space in front, none removed, and spaces shown as pieces show them."""


class Pieces:
    """Texts to token numbers."""

    def __init__(self, texts: Sequence[bytes], scores: bytes, marks: Sequence[int]) -> None:
        """Take the pieces, their scores as they are stored, four bytes each, and which are unknown, first, last and padding."""
        import numpy as np

        self._texts, self._scores, self._marks = texts, scores, marks
        self._kinds: Mapping[int, int] = {marks[0]: UNKNOWN, **dict.fromkeys(marks[1:], CONTROL)}
        self._number = dict(zip(texts, range(len(texts)), strict=True))
        self._longest = max(len(text.decode("utf-8", "replace")) for text in texts)
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

        chosen = self._always.union(*(self._within(SPACE + word) for word in words))
        self._words, self._chosen = words, sorted(chosen)
        self._processor = SentencePieceProcessor(model_proto=self._model())

    def _within(self, word: str) -> set[int]:
        """The numbers of the pieces that stand in a word."""
        parts = {word[start:end] for start in range(len(word))
                 for end in range(start + 1, min(len(word), start + self._longest) + 1)}
        return {number for part in parts if (number := self._number.get(part.encode())) is not None}

    def _model(self) -> bytes:
        """The chosen pieces as a SentencePiece model (its protocol buffer): each with score and kind, and how they are used."""
        made = []
        for n in self._chosen:
            text, kind = self._texts[n], self._kinds.get(n)
            piece = (_TEXT + _varint(len(text)) + text + _SCORE + self._scores[4 * n:4 * n + 4]
                     + (_KIND_OF_PIECE + bytes([kind]) if kind else b""))
            made.append(_PIECES + _varint(len(piece)) + piece)
        places = [self._chosen.index(mark) for mark in self._marks]
        course = b"".join(_varint(field << 3) + _varint(value) for field, value in (
            (_KIND, _UNIGRAM), *zip((_UNKNOWN_ID, _FIRST_ID, _LAST_ID, _PADDING_ID), places, strict=True)))
        made.append(_COURSE + _varint(len(course)) + course)
        made.append(_FOLDING + _varint(len(_AS_IT_IS)) + _AS_IT_IS)
        return b"".join(made)


def _varint(number: int) -> bytes:
    """A whole number as a protocol buffer has it."""
    told = bytearray()
    while number > 127:
        told.append(number & 127 | 128)
        number >>= 7
    told.append(number)
    return bytes(told)
