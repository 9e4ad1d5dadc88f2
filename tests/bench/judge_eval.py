"""Figures of the judge that ships on files of labelled pairs, and what a pair costs.

    python tests/bench/judge_eval.py --pairs FILE… [--json OUT] [--wrong]

Figures on pairs that it was trained with flatter: those in `tests/bench/pair_data` and in the labelled sets of `make judge`.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from claims import Claim, load
from claims_figures import is_backwards, is_collateral, is_false_merge, judged, load_judge

from dreamd.core.values import MERGING, Judgement, Relation
from dreamd.models import load_embedder

CONFLICTS = frozenset({Relation.UPDATES, Relation.CONTRADICTS})


def figures(pairs: Sequence[Claim], answers: Sequence[Judgement]) -> dict[str, list[int]]:
    """Each figure as how many of how many."""
    both = list(zip(pairs, answers, strict=True))

    def found(relation: Relation) -> list[int]:
        mine = [answer for pair, answer in both if pair.relation is relation]
        return [sum(answer.relation is relation for answer in mine), len(mine)]

    merges = [answer for pair, answer in both if pair.relation in MERGING]
    conflicts = sum(pair.relation in CONFLICTS for pair in pairs)
    return {
        "false_merges": [sum(is_false_merge(*one) for one in both), len(both) - len(merges)],
        "collateral": [sum(is_collateral(*one) for one in both), len(both) - len(merges) - conflicts],
        "backwards": [sum(is_backwards(*one) for one in both), len(both)],
        "merges": [sum(answer.relation in MERGING for answer in merges), len(merges)],
        "updates": found(Relation.UPDATES), "contradicts": found(Relation.CONTRADICTS)}


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=Path, nargs="+", required=True)
    parser.add_argument("--json", type=Path, help="also write the figures here")
    parser.add_argument("--wrong", action="store_true", help="print the ids of the pairs that came out wrong, by kind")
    args = parser.parse_args()
    told = {}
    with tempfile.TemporaryDirectory() as home:
        judge = load_judge(Path(home))
        for path in args.pairs:
            pairs = load(path)
            embedder = load_embedder(expected_texts=2 * len(pairs))
            began = time.process_time()
            answers = judged(judge, embedder, pairs)
            seconds = time.process_time() - began
            told[path.stem] = figures(pairs, answers)
            print(f"{path.stem}: " + ", ".join(f"{name} {n}/{of}" + (f" ({n / of:.1%})" if of else "")
                                               for name, (n, of) in told[path.stem].items()) + f"; {seconds:.1f} CPU s")
            if args.wrong:
                for pair, answer in zip(pairs, answers, strict=True):
                    if is_false_merge(pair, answer) or is_collateral(pair, answer) or is_backwards(pair, answer):
                        print(f"  {pair.id}: {pair.relation.value}, judged {answer.relation.value} {answer.confidence:.2f}")
    if args.json:
        args.json.write_text(json.dumps(told, indent=1) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
