"""How the judge does on the claims and on a sample of every author, and the floors that the suite holds it to.

    python tests/bench/claims_figures.py [--wrong] [--write-baseline]

Figures by tag are of the claims that measure; figures by author are of pairs that the shipped net was trained on, and flatter.
`--wrong` prints what came out wrong, `--write-baseline` writes `claims_baseline.json` (`make baseline`), and with it which
claims about another environment, group or part are still ended: a defect by itself, which may only get smaller.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parent))

from claims import CERTAIN, Claim, by_authors, claims, texts_of

from dreamd.core.clock import FixedClock, parse_instant
from dreamd.core.paths import Paths
from dreamd.core.settings import Settings
from dreamd.core.values import MERGING, Judgement, Relation
from dreamd.core.world import World

if TYPE_CHECKING:
    from dreamd.judge import Judge
    from dreamd.models import Embedder

BASELINE = Path(__file__).parent / "claims_baseline.json"
CONFLICTS = frozenset({Relation.UPDATES, Relation.CONTRADICTS})
QUIET = frozenset({Relation.RELATED, Relation.UNRELATED})
SAMPLED = 14
"""Pairs of each author that the suite has time for."""

Counts = dict[str, int]
Figures = dict[str, dict[str, Counts]]
STILL_ENDED = "still_ended"
"""In the baseline: ids of the claims about another scope that something ends."""
STILL_MERGED = "still_merged"
"""In the baseline: ids of the claims that differ for certain and are made one all the same."""


def sample() -> list[Claim]:
    """A few pairs of every author, the same every time."""
    chosen: dict[str, list[Claim]] = defaultdict(list)
    for pair in sorted(by_authors(), key=lambda p: hashlib.sha256(p.id.encode()).digest()):
        if len(chosen[pair.author]) < SAMPLED:
            chosen[pair.author].append(pair)
    return [pair for author in sorted(chosen) for pair in chosen[author]]


def load_judge(home: Path) -> Judge:
    """The judge as a dream makes it, with what it keeps below `home`."""
    from dreamd import kit

    world = World(Paths(home), Settings(), FixedClock(parse_instant("2026-01-05T09:00:00Z")), {"HOME": str(home), "TZ": "UTC"})
    return kit.load_judge(world)


def judged(judge: Judge, embedder: Embedder, pairs: Sequence[Claim]) -> list[Judgement]:
    """The judge's answer to every pair, in one batch, as a dream asks for it."""
    from dreamd.judge import Pair

    texts = texts_of(pairs)
    rows = dict(zip(texts, embedder.embed(texts), strict=True))
    return judge.judge_all([Pair(p.a, p.b, float(rows[p.a.text] @ rows[p.b.text])) for p in pairs])


def is_false_merge(pair: Claim, answer: Judgement) -> bool:
    """Whether two claims would be made one."""
    return answer.relation in MERGING and pair.relation not in MERGING


def is_collateral(pair: Claim, answer: Judgement) -> bool:
    """Whether one of two that can both hold would be ended or held."""
    return answer.relation in CONFLICTS and answer.is_sure and pair.relation in QUIET


def is_backwards(pair: Claim, answer: Judgement) -> bool:
    """Whether the later of two statements would be ended by the earlier one."""
    if answer.relation is not Relation.UPDATES or pair.a.at is None or pair.b.at is None or pair.a.at == pair.b.at:
        return False
    return answer.newer != ("a" if pair.a.at > pair.b.at else "b")


def is_right(pair: Claim, answer: Judgement) -> bool:
    """Whether a dream would do the right thing: one merge is as good as another, and so is one way to stand apart."""
    return answer.relation is pair.relation or any({answer.relation, pair.relation} <= kind for kind in (MERGING, QUIET))


def measure(pairs: Sequence[Claim], answers: Sequence[Judgement], key: Callable[[Claim], str]) -> dict[str, Counts]:
    """By key: how many pairs there are of each sort, and how many of each came out right."""
    counts: dict[str, Counts] = defaultdict(lambda: defaultdict(int))
    for pair, answer in zip(pairs, answers, strict=True):
        here = counts[key(pair)]
        here["pairs"] += 1
        here["right"] += is_right(pair, answer)
        here["false_merges"] += is_false_merge(pair, answer)
        here["collateral"] += is_collateral(pair, answer)
        sort = "merges" if pair.relation in MERGING else "apart" if pair.relation in QUIET else pair.relation.value
        here[sort] += 1
        here[f"{sort}_found"] += is_right(pair, answer)
    return {name: dict(sorted(here.items())) for name, here in sorted(counts.items())}


def fallen(now: dict[str, Counts], then: dict[str, Counts]) -> dict[str, str]:
    """What got worse by more than the noise of its count, with what it was and is."""
    found = {}
    for name, before in then.items():
        for sort in ("pairs", "merges", "updates", "contradicts", "apart"):
            of = before.get(sort, 0)
            figure = "right" if sort == "pairs" else f"{sort}_found"
            was, is_now = before.get(figure, 0), now.get(name, {}).get(figure, 0)
            if of and is_now < was - max(1.0, math.sqrt(was * (of - was) / of)):
                found[f"{name}: {figure}"] = f"{was} of {of} before, {is_now} now"
    return found


def figures(pairs: Sequence[Claim], answers: Sequence[Judgement]) -> Figures:
    """By tag for the claims, by author for the rest."""
    both = list(zip(pairs, answers, strict=True))
    measured, sampled = ([one for one in both if bool(one[0].tag) is tagged] for tagged in (True, False))
    return {"tags": measure([p for p, _ in measured], [j for _, j in measured], lambda claim: claim.tag),
            "authors": measure([p for p, _ in sampled], [j for _, j in sampled], lambda claim: claim.author)}


def ended(pairs: Sequence[Claim], answers: Sequence[Judgement]) -> list[str]:
    """Ids of the claims about another scope that something ends or holds."""
    return [p.id for p, j in zip(pairs, answers, strict=True) if p.tag == "scope" and is_collateral(p, j)]


def merged(pairs: Sequence[Claim], answers: Sequence[Judgement]) -> list[str]:
    """Ids of the claims that differ for certain and are made one all the same."""
    return [p.id for p, j in zip(pairs, answers, strict=True) if p.tag in CERTAIN and is_false_merge(p, j)]


def main() -> int:
    """Run from the command line."""
    from dreamd.models import load_embedder

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wrong", action="store_true", help="print every pair that came out wrong")
    parser.add_argument("--write-baseline", action="store_true", help="write the floors that the suite holds the judge to")
    args = parser.parse_args()
    pairs = [*claims("test"), *sample()]
    with tempfile.TemporaryDirectory() as home:
        answers = judged(load_judge(Path(home)), load_embedder("light", expected_texts=1), pairs)
    found = figures(pairs, answers)
    if args.wrong:
        _tell_wrong(pairs, answers)
    for part, names in found.items():
        for name, counts in names.items():
            print(f"{part:8}{name:12}" + "  ".join(f"{what} {count}" for what, count in counts.items()))
    if args.write_baseline:
        known = {STILL_ENDED: ended(pairs, answers), STILL_MERGED: merged(pairs, answers)}
        BASELINE.write_text(json.dumps(found | known, indent=1) + "\n", "utf-8")
    return 0


def _tell_wrong(pairs: Sequence[Claim], answers: Sequence[Judgement]) -> None:
    for pair, answer in zip(pairs, answers, strict=True):
        if not is_right(pair, answer):
            print(f"{pair.id} {pair.tag or pair.author}: {pair.relation} -> {answer.relation} {answer.confidence:.2f}")
            print(f"    {pair.a.text}\n    {pair.b.text}")


if __name__ == "__main__":
    sys.exit(main())
