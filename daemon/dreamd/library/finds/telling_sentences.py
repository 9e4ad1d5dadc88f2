"""The few sentences of a text that tell most of it: near to all it says and to why it was wanted, and unlike each other."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from dreamd.core.errors import Outage
from dreamd.extraction.utterance import sentences
from dreamd.models import Embedder
from dreamd.text.injection import looks_like_injection

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST = 5
SPARE = 3
"""Sentences that are chosen beyond, for those that are left out."""
READ = 300
"""Sentences of a long text that are weighed: those it begins with."""
SHORTEST, LONGEST = 40, 320
WANTED_WEIGHT = 0.5
"""What nearness to the reason counts beside nearness to the whole."""
UNLIKE_WEIGHT = 0.4
"""What likeness to a sentence that is chosen already takes."""
_NOT_SAID = re.compile(r"^(?:#|\||```|>|[-*_=]{3,}\s*$|!\[)")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_ENDED = re.compile(r"[.!?。！？…][)\"'”»\]]*$")


def telling_sentences(text: str, why: str, embedder: Embedder | None) -> tuple[list[str], bool]:
    """At most five sentences, in the order in which they stand, and whether some were left out that try to give orders.

    Without a model they are the first ones.
    """
    found = _spoken(text)
    order = list(range(min(len(found), MOST + SPARE)))
    if len(found) > MOST and embedder is not None:
        with suppress(Outage):
            rows = embedder.embed(found)
            order = _chosen(rows, embedder.embed([why])[0] if why.strip() else None)
    harmless = [n for n in order if not looks_like_injection(found[n])]
    return [found[n] for n in sorted(harmless[:MOST])], len(harmless) < len(order)


def _chosen(rows: NDArray[np.float32], wanted: NDArray[np.float32] | None) -> list[int]:
    """Maximal marginal relevance: the next one says most that those before it do not."""
    import numpy as np

    middle = rows.mean(axis=0)
    worth = rows @ (middle / (np.linalg.norm(middle) or 1.0))
    if wanted is not None:
        worth = (1 - WANTED_WEIGHT) * worth + WANTED_WEIGHT * (rows @ wanted)
    chosen: list[int] = []
    nearest = np.zeros(len(rows), dtype=np.float32)
    while len(chosen) < min(MOST + SPARE, len(rows)):
        left = worth - UNLIKE_WEIGHT * nearest
        left[chosen] = -np.inf
        chosen.append(int(np.argmax(left)))
        nearest = np.maximum(nearest, rows @ rows[chosen[-1]])
    return chosen


def _spoken(text: str) -> list[str]:
    """Whole sentences of a text; no heading, no table, no code, no line of a menu."""
    found: dict[str, None] = {}
    for paragraph in re.split(r"\n\s*\n", text):
        lines = [_LINK.sub(r"\1", line.strip()) for line in paragraph.splitlines() if not _NOT_SAID.match(line.strip())]
        for sentence in sentences("\n".join(lines)):
            plain = " ".join(sentence.lstrip("-*• ").split())
            if SHORTEST <= len(plain) <= LONGEST and _ENDED.search(plain):
                found.setdefault(plain)
        if len(found) >= READ:
            break
    return _or_lines(list(found), text)[:READ]


def _or_lines(found: Sequence[str], text: str) -> list[str]:
    """A short text without one whole sentence is shown as it stands."""
    if found:
        return list(found)
    return [" ".join(line.split())[:LONGEST] for line in text.splitlines() if len(line.strip()) >= 3][:MOST]
