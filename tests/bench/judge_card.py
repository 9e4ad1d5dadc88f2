"""The model card: what the judge was fitted on, how well it does on authors it never saw, and what each part is worth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
from joblib import Parallel, delayed
from judge_fit import (
    COLLATERAL,
    EITHER,
    FALSE_MERGES,
    PARTS,
    Figures,
    apart,
    either_sure,
    figures,
    forests,
    limit,
    verdicts,
)
from judge_rows import Rows

from dreamd.judge.classifier import Forests
from dreamd.judge.features import BESIDE, READ

HEAD = ("pairs | false merges | merges | updates | contradictions | collateral", "--- | --- | --- | --- | --- | ---")
FAMILIES = {
    "vectors": ("similarity",), "shared words": ("cover_least", "cover_most", "shared"),
    "lengths": ("length_least", "length_ratio"), "words of change": ("changes_one", "changes_both"), "time apart": ("later",),
}
"""What is switched off together, to see what it is worth."""
BEFORE = {"letters": ("grams",), "language": ("foreign", "across_languages"),
          "values of each side": ("values_least", "values_most"), "names of each side": ("names_least", "names_most")}
"""What only tells whether a pair need be read."""
BINS, ABLATION_PARTS = 10, 3


NOT_FOR_LIMITS = ("claims", "real_lines_1", "a17", "a18", "a21", "a22", "a24", "a32", "a35", "a37", "a38",
                  "a39", "a40", "a41", "a42")
"""Claims were written to break a judge and not as people write; of the net that read these real lines hardly an author wrote
any; of stores the pairs were taken that the judge before was least sure of; two authors were made to look like updates;
of exchanged places and of wishes (a37 to a40) no other author wrote, so that a net without them knows neither; and the rest
measure what was chosen."""


def limits_of(rows: Rows, shares: np.ndarray) -> tuple[float, float, float]:
    """From which probability of a merge, of a conflict and of either the errors on these pairs stay within the bounds.

    The third may add a share of errors of its own.
    """
    counted = ~np.isin(rows.authors, NOT_FOR_LIMITS)
    merging = np.where(rows.may_merge, shares[:, 0], 0.0)
    ending = limit(shares[:, 1], counted & (rows.right > 1), COLLATERAL)
    either = limit(either_sure(shares), counted & (rows.right > 1) & (shares[:, 1] < ending), EITHER)
    return limit(merging, counted & (rows.right != 0), FALSE_MERGES), ending, either


def by_author(rows: Rows, given: np.ndarray) -> list[str]:
    """A line an author, then one for English and one for other languages, then all."""
    groups = {name: rows.authors == name for name in dict.fromkeys(rows.authors)}
    groups |= {"English": rows.english, "other languages": ~rows.english, "all": np.ones(len(rows.right), bool)}
    lines = [f"| authors left out | {HEAD[0]} |", f"| --- | {HEAD[1]} |"]
    return [*lines, *(f"| {name} | {figures(rows.some(mine), given[mine]).row()} |" for name, mine in groups.items())]


def ablation(rows: Rows, jobs: int = 2) -> list[str]:
    """What is found without each family, at the same bounds on the errors."""
    chosen = {"(nothing)": (), **FAMILIES, "the network": READ}
    free = replace(rows, may_merge=np.ones(len(rows.right), bool))
    asked = [(rows, names) for names in chosen.values()] + [(free, ())]
    found = Parallel(n_jobs=jobs)(delayed(_without)(some, names) for some, names in asked)
    lines = ["| without | merges | updates | contradictions |", "| --- | --- | --- | --- |"]
    return [*lines, *(f"| {name} | {told.merges:.1%} | {told.updates:.1%} | {told.contradicts:.1%} |"
                      for name, told in zip((*chosen, "vetoes"), found, strict=True))]


def _without(rows: Rows, names: Sequence[str]) -> Figures:
    columns = np.array([n for n, name in enumerate((*BESIDE, *READ)) if name not in names])
    shares = apart(rows, columns, ABLATION_PARTS)
    return figures(rows, verdicts(rows, shares, *limits_of(rows, shares)))


def veto_prices(rows: Rows) -> list[str]:
    """How many true merges the vetoes cost, and how many others they keep apart."""
    merge = rows.right == 0
    return [f"Vetoes stand against {int((~rows.may_merge & merge).sum())} of {int(merge.sum())} true merges "
            f"and against {int((~rows.may_merge & ~merge).sum())} of {int((~merge).sum())} pairs that must stay apart."]


def calibration(rows: Rows, shares: np.ndarray) -> list[str]:
    """Of the pairs given a probability, the share that is so: as a table and as bars."""
    lines = ["| probability | merges: pairs | are | | conflicts: pairs | are | |", "| --- " * 7 + "|"]
    for low in np.arange(BINS) / BINS:
        cells = []
        for kind in (0, 1):
            inside = (shares[:, kind] >= low) & (shares[:, kind] < low + 1 / BINS + (low > 0.89))
            share = float((rows.right[inside] == kind).mean()) if inside.any() else 0.0
            cells += [str(int(inside.sum())), f"{share:.0%}", "█" * round(share * BINS)]
        lines.append(f"| {low:.1f}–{low + 1 / BINS:.1f} | " + " | ".join(cells) + " |")
    return lines


def learning(rows: Rows, seed: int = 5) -> list[str]:
    """What is found on left-out authors by fits on ever more of the others."""
    names = sorted(set(rows.authors))
    chance = np.random.default_rng(seed)
    lines = ["| authors to learn from | merges | updates | contradictions |", "| --- | --- | --- | --- |"]
    for count in (2, 4, 8, 16, len(names) * (PARTS - 1) // PARTS):
        found = np.zeros((len(rows.right), 4))
        for first in range(PARTS):
            mine = np.isin(rows.authors, names[first::PARTS])
            some = chance.permutation([n for n in names if n not in names[first::PARTS]])[:count]
            found[mine] = fit_on(rows.some(rows.grown & np.isin(rows.authors, some)), rows.some(mine))
        told = figures(rows, verdicts(rows, found, *limits_of(rows, found)))
        lines.append(f"| {count} | {told.merges:.1%} | {told.updates:.1%} | {told.contradicts:.1%} |")
    return lines


def fit_on(part: Rows, asked: Rows) -> np.ndarray:
    """Probabilities of some pairs by a fit on others."""
    return Forests(forests(part.whole, part.right)).probabilities(asked.whole)


def data(rows: Rows) -> Iterator[str]:
    """A line for each author: pairs, other languages, relations."""
    yield "| author | pairs | not English | duplicate | refines | updates | contradicts | related | unrelated |"
    yield "| --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    for name in dict.fromkeys(rows.authors):
        mine = rows.authors == name
        told: Mapping[str, int] = Counter(p.row["relation"] for p, one in zip(rows.pairs, mine, strict=True) if one)
        cells = [str(told.get(r, 0)) for r in ("duplicate", "refines", "updates", "contradicts", "related", "unrelated")]
        yield f"| {name} | {int(mine.sum())} | {int((~rows.english & mine).sum())} | " + " | ".join(cells) + " |"
