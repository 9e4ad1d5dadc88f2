"""Measuring: `dream eval`."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from dataclasses import replace
from itertools import product
from pathlib import Path

from dreamd.cli.context import Context
from dreamd.cli.printing import render
from dreamd.cli.printing.progress import shown
from dreamd.core.errors import UsageError
from dreamd.core.paths import share_dir
from dreamd.core.settings import LlmSettings
from dreamd.dream.comparing import evaluation
from dreamd.dream.comparing.evaluation import Answered, Evaluation, Wanted, harm, interval, mean_figures
from dreamd.dream.comparing.gold import KINDS, read_gold
from dreamd.models import load_embedder

MOST_NIGHTS = 1000
WITH_INTERVAL = ("recall@10", "mrr")
BESIDES = ("current", "alone", "retired", "nothing_shown")
SHOWN = ("recall@5", "recall@10", "mrr", "ndcg@10", "tokens", "evidence_tokens")


def add_arguments(_command: str, parser: ArgumentParser) -> None:
    """Declare what `dream eval` takes."""
    parser.add_argument("what", nargs="?", choices=("llm",), help="try the roles of the language model that is set up instead")
    parser.add_argument("--gold", type=Path, metavar="FILE", help="a gold set in place of dream's own; `talk` and `year` "
                        "are two more of dream's, a directory holds talks")
    parser.add_argument("--nights", type=int, default=0, metavar="N", help="ask once more after N nights without news")
    parser.add_argument("--phases", action="store_true", help="dream again without each phase, to see what it brings")


def run(context: Context, options: Namespace) -> int:
    """Measure recall before and after a dream; exit 1 when dream's own gold set fares worse than its baseline."""
    if not 0 <= options.nights <= MOST_NIGHTS:
        raise UsageError(f"`--nights` must be from 0 to {MOST_NIGHTS}")
    if options.what:
        return _try_model(context)
    gold = read_gold(_place(options.gold))
    model = context.world.settings.model
    asked, known = render.count(len(gold.questions), "question"), render.count(len(gold.statements), "statement")
    context.tell(f"asking {asked} of {known}, before and after dreaming …")
    embedder = load_embedder(model.engine, expected_texts=len(gold.statements), directory=model.directory,
                             threads=model.threads, device=model.device, kept_in=context.world.paths.models)
    alone = replace(context.world.settings, llm=LlmSettings())  # what is measured costs nothing
    with shown(context, "dreaming and asking") as tick:
        found = evaluation.evaluate(gold, settings=alone, embedder=embedder,
                                    wanted=Wanted(options.nights, options.phases, tick))
    worse = [] if options.gold else evaluation.compare_with_baseline(
        evaluation.mean_figures(found.after), evaluation.read_baseline())
    context.document(_document(found, worse, own=not options.gold))
    if not context.json:
        _show(context, found)
        for line in worse:
            context.warn(f"worse than the baseline: {line}")
    return 1 if worse else 0


def _try_model(context: Context) -> int:
    """Each role of the language model beside the path without it: what it brings, and what that used."""
    from dreamd.kit import open_to_change

    if context.world.settings.llm.backend == "off":
        raise UsageError("no language model is set up", hint="`dream llm setup` finds what is there")
    from dreamd.dream.asking.trial import try_roles
    from dreamd.llm.calling import open_caller
    from dreamd.llm.desk import open_desk

    with open_to_change(context.world, create=True) as kit, open_desk(kit, open_caller, of_dream=False) as desk:
        found = try_roles(kit, desk)
    context.document({"without": found.without, "with": found.with_model, "used": found.used, "endings": dict(found.endings)})
    for name in dict.fromkeys((*found.without, *found.with_model)):
        shares = [f"{some[name]:.2f}" if name in some else "–" for some in (found.without, found.with_model)]
        context.say(f"{name:24} {shares[0]:>8} without   {shares[1]:>8} with a model")
    for name, value in found.used.items():
        told = (f"${value:.2f}" if value else "unknown") if name == "cost" else f"{value:,.0f}"
        context.say(f"{name:24} {told:>8}")
    for ending, count in sorted(found.endings.items()):
        context.say(f"{ending:24} {count:>8}")
    return 0


def _place(named: Path | None) -> Path | None:
    """Where a gold set lies: a file or directory, or one of dream's own by its name."""
    if named is None:
        return None
    own = share_dir("config") / "eval"
    mine = next((place for place in (own / f"{named}.json", own / named) if place.exists()), None)
    return mine if mine and named.name == str(named) and not named.exists() else named.expanduser().absolute()


def _document(found: Evaluation, worse: list[str], *, own: bool) -> dict[str, object]:
    return {
        "gold": found.gold.name, "statements": len(found.gold.statements), "questions": len(found.gold.questions),
        "memories": found.memories, "before": mean_figures(found.before), "undreamt": mean_figures(found.undreamt),
        "after": mean_figures(found.after),
        "later": mean_figures(found.later), "harm": harm(found), "phases": found.phases,
        "intervals": {name: interval(found.before, found.after, name) for name in WITH_INTERVAL},
        "later_intervals": {name: interval(found.after, found.later, name) for name in WITH_INTERVAL if found.later},
        "kinds": {k: {"before": mean_figures(found.before, k), "undreamt": mean_figures(found.undreamt, k),
                      "after": mean_figures(found.after, k)} for k in _kinds(found)},
        "ablation": found.ablation, "baseline": {"compared": own, "worse": worse},
        "answers": [_answer(a, b) for b, a in zip(found.before, found.after, strict=True)]}


def _answer(after: Answered, before: Answered) -> dict[str, object]:
    return {"id": after.question.id, "kind": after.question.kind, "before": before.figures, "after": after.figures,
            "current": after.current, "retired_shown": after.retired}


def _show(context: Context, found: Evaluation) -> None:
    rows: list[tuple[str, ...]] = [("", "", *SHOWN, *BESIDES)]
    for kind in (None, *_kinds(found)):
        for when, answers in (("before", found.before), ("undreamt", found.undreamt), ("after", found.after),
                              ("later", found.later)):
            means = mean_figures(answers, kind)
            if means:
                rows.append((kind or "all", when, *(_figure(means.get(name)) for name in (*SHOWN, *BESIDES))))
    for line in render.table(rows):
        context.say(line)
    context.say("\nbefore: the ten nearest of all that was said; undreamt: the same under dream's ranking; after: the memories")
    compared = {"after less before": (found.before, found.after), "later less after": (found.after, found.later)}
    for name, (said, pair) in product(WITH_INTERVAL, compared.items()):
        if pair[1]:
            low, high = interval(*pair, name)
            context.say(f"{name}, {said}: {low:+.3f} to {high:+.3f} (95 %)")
    context.say("harm: " + ", ".join(f"{count} {what}" for what, count in harm(found).items()))
    context.say(f"{found.memories} live memories of {len(found.gold.statements)} statements")
    context.say("\nwhat each factor brings (figure with it less figure without it):")
    for line in render.table([("", *SHOWN), *((name, *(f"{row.get(n, 0.0):+.3f}" for n in SHOWN))
                                             for name, row in (*found.ablation.items(), *found.phases.items()))]):
        context.say(line)


def _kinds(found: Evaluation) -> list[str]:
    there = {question.kind for question in found.gold.questions}
    return [kind for kind in KINDS if kind in there]


def _figure(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}" if value < 10 else f"{value:.0f}"
