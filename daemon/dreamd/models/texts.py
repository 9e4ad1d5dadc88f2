"""What both engines do before the model sees a text: clean, count once, cut into word pieces, form batches."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from dreamd.core.errors import Outage
from dreamd.models import LONGEST_TOKENS
from dreamd.models.model_files import REINSTALL

if TYPE_CHECKING:
    from tokenizers import Tokenizer

LONGEST_CHARACTERS = 16_000
"""Bounds the time for cutting a text of which only the first word pieces count."""
VOCABULARY = 30_522


@dataclass(frozen=True)
class Pieces:
    """The distinct texts as word-piece numbers, and for each text given the distinct one it is."""

    distinct: tuple[tuple[int, ...], ...]
    place: tuple[int, ...]


def load_tokenizer(folder: Path, *, longest: int = LONGEST_TOKENS) -> Tokenizer:
    """The model's own tokenizer, without padding and cut at the model's length.

    Raises Outage when its library is missing or its file is not usable.
    """
    try:
        from tokenizers import Tokenizer
    except ImportError as failure:
        raise Outage(f"the embedding engine is not installed: {failure.name}", component="model", code="engine-missing",
                     hint="reinstall dream with its dependencies") from failure
    try:
        body = (folder / "tokenizer.json").read_text(encoding="utf-8")
        # Looked at before the library sees it: what it raises for a broken file has no class of its own.
        words = json.loads(body)["model"]["vocab"]
    except (OSError, ValueError, KeyError, TypeError) as failure:
        raise Outage("the embedding model's `tokenizer.json` cannot be read", component="model",
                     code="model-changed", hint=REINSTALL) from failure
    if len(words) != VOCABULARY:
        raise Outage("the embedding model's `tokenizer.json` has another vocabulary", component="model",
                     code="model-changed", hint=REINSTALL)
    tokenizer = Tokenizer.from_str(body)
    tokenizer.no_padding()
    tokenizer.enable_truncation(longest)
    return tokenizer


def cut(tokenizer: Tokenizer, texts: Sequence[str]) -> Pieces:
    """Word pieces of every distinct text; equal texts are cut, and later embedded, once."""
    place_of: dict[tuple[int, ...], int] = {}
    seen: dict[str, int] = {}
    place: list[int] = []
    for text in texts:
        clean = _clean(text)
        if clean not in seen:
            # One call a text: the batch call starts threads of its own and is no faster for short texts.
            pieces = tuple(tokenizer.encode(clean).ids)
            seen[clean] = place_of.setdefault(pieces, len(place_of))
        place.append(seen[clean])
    return Pieces(tuple(place_of), tuple(place))


def batches(lengths: Sequence[int], *, budget: int) -> Iterator[list[int]]:
    """Indices in order of length, cut where the word pieces of a batch would pass `budget`."""
    batch: list[int] = []
    spent = 0
    for index in sorted(range(len(lengths)), key=lambda i: (lengths[i], i)):
        if batch and spent + lengths[index] > budget:
            yield batch
            batch, spent = [], 0
        batch.append(index)
        spent += lengths[index]
    if batch:
        yield batch


def _clean(text: str) -> str:
    """The text as far as it can count, with lone surrogates replaced: the tokenizer takes UTF-8 only."""
    return text[:LONGEST_CHARACTERS].encode("utf-8", "replace").decode("utf-8")
