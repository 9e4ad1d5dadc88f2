"""Labelled pairs as the judge sees them: features before the network reads, its logits from folds, and the right answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import numpy as np
from pair_folds import SCORES, Labelled

from dreamd.core.clock import days_between
from dreamd.judge.alignment import Alignment
from dreamd.judge.features import BESIDE, CHEAP, cheap_row, read_rows
from dreamd.judge.guards import guards, vetoes
from dreamd.judge.statement import read
from dreamd.judge.wording import kept_wording
from dreamd.models import load_embedder

CLASS = {"duplicate": 0, "refines": 0, "updates": 1, "contradicts": 1, "related": 2, "unrelated": 3}
NEIGHBOURS = 8
"""Nearest statements of other pairs of an author that are taken for strangers to each of a pair's sides."""
NOT_FITTED = ("claims", "a17", "a37", "a38", "a39", "a40", "a41", "a42")
"""Whose pairs the forests are not grown on: of theirs the logits are those of nets that had never met their kind, so that
forests learn to doubt a net that has. With the first two they find 58 % of the updates of left-out authors where they are sure,
without them 67 %."""


@dataclass(frozen=True)
class Rows:
    """n labelled pairs. All arrays have n rows."""

    pairs: tuple[Labelled, ...]
    cheap: np.ndarray
    logits: np.ndarray
    right: np.ndarray
    """The class: 0 merge, 1 conflict, 2 related, 3 unrelated."""
    may_merge: np.ndarray
    """False where a veto stands, or each side would lose something."""
    english: np.ndarray

    @property
    def whole(self) -> np.ndarray:
        """All features after the network has read."""
        return np.concatenate([self.cheap[:, :len(BESIDE)], read_rows(self.logits)], axis=1)

    @property
    def authors(self) -> np.ndarray:
        """Whose pairs they are; the two sets of one hand count as one."""
        return np.array(["memory" if p.author.startswith("memory") else p.author for p in self.pairs])

    @property
    def grown(self) -> np.ndarray:
        """Whose pairs forests are grown on."""
        return ~np.isin(self.authors, NOT_FITTED)

    def some(self, chosen: np.ndarray) -> Rows:
        """The rows a mask or a list of places leaves."""
        places = np.flatnonzero(chosen) if chosen.dtype == bool else chosen
        return Rows(tuple(self.pairs[n] for n in places), self.cheap[places], self.logits[places], self.right[places],
                    self.may_merge[places], self.english[places])


class Similar:
    """Cosines of texts by the encoder whose vectors every memory has."""

    def __init__(self, texts: Sequence[str]) -> None:
        rows = np.asarray(load_embedder(expected_texts=len(texts)).embed(list(texts)), np.float32)
        self._rows = dict(zip(texts, rows / np.linalg.norm(rows, axis=1, keepdims=True), strict=True))

    def __call__(self, a: str, b: str) -> float:
        """The cosine of two of the texts."""
        return float(self._rows[a] @ self._rows[b])

    def near(self, texts: Sequence[str]) -> np.ndarray:
        """For each text the places of the others, nearest first."""
        rows = np.stack([self._rows[t] for t in texts])
        return np.argsort(-(rows @ rows.T), axis=1, kind="stable")


def seen(pairs: Sequence[tuple[str, str, float | None]], similar: Similar) -> tuple[np.ndarray, np.ndarray]:
    """Cheap features of pairs with their days apart, and whether a merge is open to each."""
    rows, may = [], []
    for a, b, gap in pairs:
        laid = Alignment(read(a), read(b))
        rows.append(cheap_row(laid, similar(a, b), gap))
        may.append(not vetoes(laid, guards(laid)) and kept_wording(laid) is not None)
    return np.array(rows).reshape(len(rows), len(CHEAP)), np.array(may)


def build(labelled: Sequence[Labelled], scores: Path = SCORES) -> tuple[Rows, Similar]:
    """The rows of all pairs of which a file holds what nets read of authors whom they never met."""
    with np.load(scores) as kept:
        place = {str(name): n for n, name in enumerate(kept["ids"])}
        both = np.stack([kept["plain"], kept["turned"]], axis=1).astype(np.float32)
    known = [p for p in labelled if f"{p.author}/{p.row['id']}" in place]
    texts = list(dict.fromkeys(t for p in known for t in (p.row["a"], p.row["b"])))
    similar = Similar(texts)
    sides = [_in_order(p.row) for p in known]
    cheap, may = seen([(a, b, gap) for a, b, gap, _ in sides], similar)
    at = [place[f"{p.author}/{p.row['id']}"] for p in known], [int(turned) for *_, turned in sides]
    english = np.array([read(a).tongue == read(b).tongue == "en" for a, b, *_ in sides])
    right = np.array([CLASS[p.row["relation"]] for p in known])
    return Rows(tuple(known), cheap, both[at], right, may, english), similar


def _in_order(row: dict[str, str]) -> tuple[str, str, float | None, bool]:
    turned = (row["a"], row["a_at"]) > (row["b"], row["b_at"])
    one, other = ("b", "a") if turned else ("a", "b")
    return row[one], row[other], days_between(_instant(row[f"{one}_at"]), _instant(row[f"{other}_at"])), turned


def _instant(told: str) -> datetime:
    return datetime.fromisoformat(told.replace("Z", "+00:00"))


def strangers(labelled: Sequence[Labelled], similar: Similar) -> np.ndarray:
    """Cheap features of statements beside their nearest neighbours in other pairs of the author: what a night compares most."""
    found: list[tuple[str, str, float | None]] = []
    for author in sorted({p.author for p in labelled}):
        mine = [(n, p.row[side]) for n, p in enumerate(labelled) if p.author == author for side in ("a", "b")]
        places = similar.near([text for _, text in mine])
        for n, (pair, text) in list(enumerate(mine))[::2]:
            others = [mine[m] for m in places[n] if mine[m][0] != pair and mine[m][1] != text]
            found += [(*sorted((text, other)), 3.0) for _, other in others[2:NEIGHBOURS]]
    return seen(found, similar)[0]
