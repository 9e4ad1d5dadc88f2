"""`make judge`: train the pair net, fit the judge, choose its limits, and write all of it with a model card.

    python tests/bench/judge_make.py --data DIR [--extra FILE…] [--parts DIR] [--threads N] [--fit-only]

DIR holds `pairs/` as in `tests/bench/pair_data/README.md`. What is done is kept in `--parts`: a stopped run goes on. On one
machine with one number of threads two runs write the same bytes.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import zipfile
from pathlib import Path

import judge_card
import numpy as np
import pair_folds
import pair_train
from joblib import Parallel, delayed
from judge_fit import ALL, LOST, apart, boosted, figures, forests, verdicts
from judge_rows import Rows, build, strangers

from dreamd.judge.classifier import Boosted, Forests
from dreamd.judge.features import CHEAP

OUT, NET = Path(__file__).resolve().parents[2] / "config" / "judge", "pair_net.safetensors"


def before_reading(cheap: np.ndarray, rows: Rows, beside: np.ndarray) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """The fit on what is known before the net reads, `cheap`, strangers among the unrelated; by it how near to a merge or a
    conflict each pair is that its author left out."""
    def fit(chosen: np.ndarray) -> dict[str, np.ndarray]:
        weights = np.concatenate([np.ones(int(chosen.sum())), np.full(len(beside), chosen.sum() / max(1, len(beside)))])
        right = np.concatenate([rows.right[chosen], np.full(len(beside), 3)])
        return boosted("before", np.concatenate([cheap[chosen], beside]), right, weights)

    concern = np.zeros(len(rows.right))
    for group in (*pair_folds.FOLDS, pair_folds.NEVER_TRAINED):
        mine = np.isin(rows.authors, ["memory" if name.startswith("memory") else name for name in group])
        if mine.any():
            concern[mine] = Boosted(fit(~mine), "before").probabilities(cheap[mine])[:, :2].sum(1)
    return fit(np.ones(len(rows.right), bool)), concern


def read_from(rows: Rows, shares: np.ndarray, concern: np.ndarray) -> float:
    """From where a pair is read: so that few of the merges and conflicts that reading finds are left unread."""
    given = verdicts(rows, shares, *judge_card.limits_of(rows, shares))
    wanted = np.sort(concern[(rows.right == given) & (rows.right < 2)])
    return float(wanted[int(LOST * len(wanted))])


def reading_worth(rows: Rows, beside: np.ndarray, shares: np.ndarray) -> list[str]:
    """How many more neighbours would be read without each family of what is known before, at the same share left unread."""
    families = {"(nothing)": (), **judge_card.FAMILIES, **judge_card.BEFORE}

    def read_without(names: tuple[str, ...]) -> float:
        columns = [n for n, name in enumerate(CHEAP) if name not in names]
        fit, concern = before_reading(rows.cheap[:, columns], rows, beside[:, columns])
        near = Boosted(fit, "before").probabilities(beside[:, columns])[:, :2].sum(1)
        return float((near >= read_from(rows, shares, concern)).mean())

    found = Parallel(n_jobs=2)(delayed(read_without)(names) for names in families.values())
    return ["", "| without | neighbours read |", "| --- | --- |",
            *(f"| {name} | {share:.1%} |" for name, share in zip(families, found, strict=True))]


def marked_limit(rows: Rows) -> float:
    """The share of "newer" among the conflict labels that best parts marked updates from contradictions within a day."""
    from scipy.special import softmax

    told = softmax(rows.logits.astype(float), axis=1)
    said = np.array([p.row["relation"] for p in rows.pairs])
    near = rows.cheap[:, CHEAP.index("later")] == 0
    chosen = near & (rows.right == 1)
    share = told[:, 3:5].max(1) / told[:, 3:6].sum(1)
    tried = np.linspace(0.3, 0.95, 66)
    right = [((share[chosen] >= t) == (said[chosen] == "updates")).mean() for t in tried]
    return float(tried[int(np.argmax(right))])


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--extra", type=Path, nargs="*", default=[], help="more labelled pairs")
    parser.add_argument("--parts", type=Path, default=Path("build/judge"))
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--fit-only", action="store_true",
                        help="take the net that ships, and what nets read of authors they never met, as they are")
    parser.add_argument("--no-ablation", dest="ablation", action="store_false",
                        help="leave out what each part is worth and how the fit learns")
    args = parser.parse_args()
    if not args.fit_only:
        pair_train.generated(args.data, args.parts, threads=args.threads)
        pair_folds.run(args.data, args.parts, args.extra, threads=args.threads)
        pair_folds.join_scores(args.parts)
        (OUT / NET).write_bytes((args.parts / NET).read_bytes())
    rows, similar = build(pair_folds.load(args.data, args.extra))
    beside = strangers(rows.pairs, similar)
    shares = apart(rows, ALL)
    first, concern = before_reading(rows.cheap, rows, beside)
    unread = reading_worth(rows, beside, shares) if args.ablation else []
    ask = read_from(rows, shares, concern)
    shares[concern < ask, :2] = 0.0  # what is not read is neither merged nor ended
    limits = judge_card.limits_of(rows, shares)
    trees = {**forests(rows.whole[rows.grown], rows.right[rows.grown]), **first}
    chosen = dict(zip(("ask", "merge", "conflict", "either", "marked"), (ask, *limits, marked_limit(rows)), strict=True))
    near = Boosted(first, "before").probabilities(beside)[:, :2].sum(1)
    read_of = {name: float((some >= ask).mean()) for name, some in (("labelled", concern), ("neighbours", near))}
    given = verdicts(rows, shares, *limits)
    print(f"{keep(chosen, trees)}: {figures(rows, given).row()}", flush=True)
    told = card(rows, shares, given, Forests(trees).probabilities(rows.whole), limits, read_of, unread)
    (OUT / "CARD.md").write_text(told, "utf-8")
    return 0


def keep(limits: dict[str, float], trees: dict[str, np.ndarray]) -> str:
    """Write what was fitted, and give the name it has from a digest of it."""
    digest = hashlib.sha256(json.dumps({"limits": limits}, sort_keys=True).encode())
    for part in sorted(trees):
        digest.update(trees[part].tobytes())
    name = f"judge-{digest.hexdigest()[:8]}"
    (OUT / "judge.json").write_text(json.dumps({"name": name, "limits": limits}, separators=(",", ":")) + "\n", "utf-8")
    _save(OUT / "trees.npz", trees)
    return name


def _save(path: Path, arrays: dict[str, np.ndarray]) -> None:
    """An npz file that is the same bytes for the same arrays: without the time of writing."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(arrays):
            body = io.BytesIO()
            np.save(body, arrays[name])
            archive.writestr(zipfile.ZipInfo(f"{name}.npy"), body.getvalue(), zipfile.ZIP_DEFLATED)


def card(rows: Rows, shares: np.ndarray, given: np.ndarray, whole: np.ndarray, limits: tuple[float, float, float],
         read_of: dict[str, float], unread: list[str]) -> str:
    """The model card; `unread` is the ablation of what is known before reading, and without it none is made."""
    seen = figures(rows, verdicts(rows, whole, *limits)).row()
    parts = {
        "Data": [*judge_card.data(rows)],
        "Authors left out": [
            "Each line is of pairs whose author trained neither the net nor the fit that judged them; limits were chosen on",
            "all lines together, so that single lines lie on both sides of the bound.", "",
            *judge_card.by_author(rows, given), "",
            f"| the fit on its own pairs (net left out by author) | {judge_card.HEAD[0]} |", f"| --- | {judge_card.HEAD[1]} |",
            f"| all | {seen} |"],
        "What the net reads": [f"{read_of['labelled']:.0%} of the labelled pairs and {read_of['neighbours']:.0%} of a "
                               "statement's nearest neighbours are read; the rest is settled by what is known before.",
                               *unread],
        "Calibration": judge_card.calibration(rows, shares),
        "Vetoes": judge_card.veto_prices(rows),
    }
    if unread:
        parts["Ablation"] = ["Found on left-out authors at the same bounds on the errors.", "", *judge_card.ablation(rows)]
        parts["Learning curve"] = judge_card.learning(rows)
    told = "\n\n".join(f"## {title}\n\n" + "\n".join(lines) for title, lines in parts.items())
    return f"# The judge of pairs\n\nWritten by `make judge`; not edited by hand.\n\n{told}\n"


if __name__ == "__main__":
    raise SystemExit(main())
