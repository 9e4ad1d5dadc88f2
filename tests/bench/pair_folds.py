"""Train the pair net on labelled pairs, once for each group of authors left out and once on all, and keep what each reads.

Begins with what `pair_train.py` kept of its generated passes. For each fold the pairs of its authors are read, in both
orders, by a net that never saw a pair of theirs: `scores*.npz` hold those logits. `pair_net.safetensors` is the net that ships.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from pair_parts import ship
from pair_train import PairCourse, Stage, bert, label_of, report
from scipy.special import softmax

from dreamd.models.multilingual_base import MultilingualBase, find_base
from dreamd.models.pair_net import load_pair_net

EPOCHS = 2
RATE, BATCH = 4e-5, 32
EARLY_WEIGHT = 0.2
FOLDS = (("memory_pairs_dev", "memory_pairs_2", "claims"),
         ("real_lines_1", "a1", "a2", "a7", "a9", "a12", "a16", "a21", "a23", "a28", "a30", "a34"),
         ("real_lines_2", "a14", "a15", "a17", "a26", "a27", "a29", "a31", "a33"),
         ("a3", "a4", "a5", "a6", "a8", "a10", "a11", "a13", "a19", "a20", "a25", "a36"))
"""Authors that are left out together: those of one hand, and the rest in parts. Real lines are parted by project."""
NEVER_TRAINED = ("a18", "a22", "a24", "a32", "a35", "a37", "a38", "a39", "a40", "a41", "a42")
"""Authors of whom no net reads a pair before it is measured: the net that ships is, on theirs."""
FIRST_PROJECTS = ("ActorForth", "portfolio")
OWN = Path(__file__).parent / "pair_data"
SCORES = OWN / "scores.npz"
"""What nets read of the pairs of authors whom they never met: `make judge FIT=1` fits and measures on it without training."""


@dataclass(frozen=True)
class Labelled:
    """A labelled pair with the name of its author's file."""

    author: str
    row: dict[str, str]


def load(data: Path, extra: list[Path]) -> list[Labelled]:
    """All labelled pairs, author by author."""
    files = [data / "pairs" / f"{name}.jsonl" for name in ("memory_pairs_dev", "memory_pairs_2", "real_lines")]
    files += [*sorted(OWN.glob("a*.jsonl"), key=lambda path: int(path.stem[1:])), OWN / "claims.jsonl", *extra]
    lines = [(path.stem, line) for path in files for line in path.read_text("utf-8").splitlines() if line.strip()]
    rows = [_labelled(author, json.loads(line)) for author, line in lines]
    return [row for row in rows if row.row.get("split", "train") == "train"]


def _labelled(author: str, row: dict[str, str]) -> Labelled:
    if author == "real_lines":
        author += "_1" if any(name in row["source"] for name in FIRST_PROJECTS) else "_2"
    return Labelled(author, row)


def trained(base: MultilingualBase, parts: Path, name: str, rows: list[Labelled]) -> PairCourse:
    """The net after the generated passes and the labelled pairs; at once where that was kept."""
    course = PairCourse(base, parts)
    course.take(parts / "second.pt")
    pairs = [(r.row["a"], r.row["b"], label_of(r.row)) for r in rows]
    course.run(pairs * EPOCHS, Stage(name, RATE, 22, BATCH, EARLY_WEIGHT))
    return course


def run(data: Path, parts: Path, extra: list[Path], *, threads: int, only: Sequence[str] = ()) -> None:
    """Train every fold and the net that ships, or those named; what `parts` holds already is not done again."""
    torch.set_num_threads(threads)
    base = MultilingualBase(find_base())
    weights = {name: value.numpy().copy() for name, value in bert(base).state_dict().items()}
    everything = load(data, extra)
    known = [r for r in everything if r.author not in NEVER_TRAINED]
    for number, left_out in enumerate(FOLDS):
        kept, name = parts / f"scores{number}.npz", f"fold{number}"
        if kept.is_file() or only and name not in only:
            continue
        ship(parts / f"{name}.safetensors", weights,
             trained(base, parts, name, [r for r in known if r.author not in left_out]).learned())
        keep_scores(kept, parts / f"{name}.safetensors", [r for r in known if r.author in left_out], threads=threads)
    whole = parts / "pair_net.safetensors"
    if only and "whole" not in only:
        return
    if not whole.is_file():
        ship(whole, weights, trained(base, parts, "whole", known).learned())
    keep_scores(parts / f"scores{len(FOLDS)}.npz", whole, [r for r in everything if r.author in NEVER_TRAINED], threads=threads)


def join_scores(parts: Path) -> None:
    """All that folds have read, in one file of half the width."""
    kept = [np.load(path) for path in sorted(parts.glob("scores*.npz"))]
    joined = {name: np.concatenate([one[name] for one in kept]) for name in ("ids", "plain", "turned")}
    np.savez_compressed(SCORES, **{name: rows if name == "ids" else rows.astype(np.float16) for name, rows in joined.items()})


def keep_scores(path: Path, net: Path, held: Sequence[Labelled], *, threads: int) -> None:
    """Keep what a net reads of pairs that it was not trained with, in both orders, and print how good that is."""
    pairs = [(r.row["a"], r.row["b"]) for r in held]
    reader = load_pair_net(trained=net, threads=threads)
    plain, turned = reader.read(pairs), reader.read([(b, a) for a, b in pairs])
    np.savez(path, ids=np.array([f"{r.author}/{r.row['id']}" for r in held]), plain=plain, turned=turned)
    for author in dict.fromkeys(r.author for r in held):
        mine = [n for n, r in enumerate(held) if r.author == author]
        report(author, [held[n].row for n in mine], softmax(plain[mine], -1))
