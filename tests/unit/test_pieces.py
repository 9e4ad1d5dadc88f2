"""The tokenizer of the multilingual base: what stands in words is looked up in little memory, and nothing is missed."""

from __future__ import annotations

import tracemalloc
from itertools import pairwise

import numpy as np
import pytest

from dreamd.models import multilingual_base
from dreamd.models.multilingual_base import MultilingualBase
from dreamd.models.pieces import SPACE

TEXTS = ["The gateway listens on port 9400.", "Unser Steuerbüro heißt Falk & Partner.", "短い文字列を読む", "",
         "zażółć 😀 gęślą", "Привет, мир", "a" * 90]


@pytest.fixture(scope="module")
def base() -> MultilingualBase:
    """The installed base."""
    return multilingual_base.open_base(multilingual_base.find_base())


def test_a_tokenizer_is_made_ready_in_little_memory(base: MultilingualBase) -> None:
    tracemalloc.start()
    try:
        pieces = base._read_pieces()
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert kept < 12 << 20
    assert len(np.unique(pieces._sums)) == len(pieces._sums) == base._count


def test_every_piece_that_stands_in_a_word_is_found(base: MultilingualBase) -> None:
    pieces, packed = base._read_pieces(), base._read_pieces()._packed.tobytes()
    known = {packed[start:end]: n for n, (start, end) in enumerate(pairwise(pieces._starts.tolist()))}
    words = {word for text in TEXTS for word in text.split(" ")}
    parts = [SPACE + word for word in words]
    standing = {known.get(part[start:end].encode()) for part in parts for start in range(len(part))
                for end in range(start + 1, len(part) + 1)} - {None}
    assert pieces._within(words) == standing
    assert len(standing) > 100
