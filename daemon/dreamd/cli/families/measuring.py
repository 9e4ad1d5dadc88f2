"""Measuring: `dream eval`."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from dreamd.cli.context import Context
from dreamd.cli.printing import render

if TYPE_CHECKING:
    from dreamd.dream.evaluation import Answered, Evaluation

SHOWN = ("recall@5", "recall@10", "mrr", "ndcg@10", "tokens", "evidence_tokens")


def add_arguments(_command: str, parser: ArgumentParser) -> None:
    """Declare what `dream eval` takes."""
    parser.add_argument("--gold", type=Path, metavar="FILE", help="a gold set in place of dream's own")


def run(context: Context, options: Namespace) -> int:
    """Measure recall before and after a dream; exit 1 when dream's own gold set fares worse than its baseline."""
    from dreamd.dream import evaluation
    from dreamd.models import load_embedder

    gold = evaluation.read_gold(options.gold.expanduser().absolute() if options.gold else None)
    model = context.world.settings.model
    asked, known = render.count(len(gold.questions), "question"), render.count(len(gold.statements), "statement")
    context.tell(f"asking {asked} of {known}, before and after dreaming …")
    embedder = load_embedder(model.engine, expected_texts=len(gold.statements), directory=model.directory,
                             threads=model.threads, device=model.device, kept_in=context.world.paths.models)
    found = evaluation.evaluate(gold, settings=context.world.settings, embedder=embedder)
    worse = [] if options.gold else evaluation.compare_with_baseline(
        evaluation.mean_figures(found.after), evaluation.read_baseline())
    context.document(_document(found, worse, own=not options.gold))
    if not context.json:
        _show(context, found)
        for line in worse:
            context.warn(f"worse than the baseline: {line}")
    return 1 if worse else 0


def _document(found: Evaluation, worse: list[str], *, own: bool) -> dict[str, object]:
    from dreamd.dream.evaluation import KINDS, mean_figures

    return {
        "gold": found.gold.name, "statements": len(found.gold.statements), "questions": len(found.gold.questions),
        "memories": found.memories, "before": mean_figures(found.before), "undreamt": mean_figures(found.undreamt),
        "after": mean_figures(found.after),
        "kinds": {k: {"before": mean_figures(found.before, k), "undreamt": mean_figures(found.undreamt, k),
                      "after": mean_figures(found.after, k)} for k in KINDS},
        "ablation": found.ablation, "baseline": {"compared": own, "worse": worse},
        "answers": [_answer(a, b) for b, a in zip(found.before, found.after, strict=True)]}


def _answer(after: Answered, before: Answered) -> dict[str, object]:
    return {"id": after.question.id, "kind": after.question.kind, "before": before.figures, "after": after.figures,
            "current": after.current, "retired_shown": after.retired}


def _show(context: Context, found: Evaluation) -> None:
    from dreamd.dream.evaluation import KINDS, mean_figures

    rows: list[tuple[str, ...]] = [("", "", *SHOWN, "current", "retired")]
    for kind in (None, *KINDS):
        for when, answers in (("before", found.before), ("undreamt", found.undreamt), ("after", found.after)):
            means = mean_figures(answers, kind)
            if means:
                rows.append((kind or "all", when, *(_figure(means.get(name)) for name in (*SHOWN, "current", "retired"))))
    for line in render.table(rows):
        context.say(line)
    context.say("\nbefore: the ten nearest of all that was said; undreamt: the same under dream's ranking; after: the memories")
    context.say(f"{found.memories} live memories of {len(found.gold.statements)} statements")
    context.say("\nwhat each factor brings (figure with it less figure without it):")
    for line in render.table([("", *SHOWN), *((name, *(f"{row.get(n, 0.0):+.3f}" for n in SHOWN))
                                             for name, row in found.ablation.items())]):
        context.say(line)


def _figure(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}" if value < 10 else f"{value:.0f}"
