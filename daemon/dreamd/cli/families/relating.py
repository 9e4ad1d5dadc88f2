"""`dream relate`: judge pairs of statements without storing anything."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from dreamd.cli.context import Context, encode
from dreamd.cli.families.intake import numbered_lines, parse_row
from dreamd.core.clock import parse_instant
from dreamd.core.errors import DreamError, Outage, Partial, UsageError
from dreamd.core.values import LONGEST_TEXT

if TYPE_CHECKING:
    from dreamd.core.values import Judgement
    from dreamd.models import Embedder
    from dreamd.models.trained import LazyScorer

BATCH = 512


@dataclass(frozen=True)
class Pair:
    """Two statements and when each was said; `wrong` says why a line is no pair."""

    a: str = ""
    b: str = ""
    a_at: datetime | None = None
    b_at: datetime | None = None
    wrong: str = ""


def add_arguments(_command: str, parser: ArgumentParser) -> None:
    """Declare what `dream relate` takes."""
    parser.add_argument("a", metavar="A", nargs="?", help="one statement")
    parser.add_argument("b", metavar="B", nargs="?", help="another one")
    parser.add_argument("--a-at", metavar="TIME", help="when A was said")
    parser.add_argument("--b-at", metavar="TIME", help="when B was said")
    parser.add_argument("--jsonl", metavar="FILE", help="read pairs as JSON lines, answer in JSON lines; `-` is standard input")
    parser.add_argument("--rules", action="store_true", help="judge by rules alone, without the embedding model")


def run(context: Context, options: Namespace) -> int:
    """Judge one pair, or a file of them in order."""
    judge = Bench(context, rules=options.rules)
    if options.jsonl is not None:
        if options.a is not None:
            raise UsageError("give A and B or `--jsonl`, not both")
        return _relate_lines(context, judge, options.jsonl)
    if options.a is None or options.b is None:
        raise UsageError("two statements are needed", hint='`dream relate "one statement" "another one"`')
    pair = _checked({"a": options.a, "b": options.b, "a_at": options.a_at, "b_at": options.b_at})
    verdict, = judge.decide([pair])
    context.document(_document(verdict))
    context.say(f"{verdict.relation.value}  {verdict.confidence:.2f}")
    for line in verdict.evidence:
        context.say(f"  {line}")
    if not verdict.is_sure:
        context.say("  too unsure to end anything: a dream keeps both")
    return 0


class Bench:
    """The judge with its embedding model, loaded when the first pair comes; rules alone while the model is away."""

    def __init__(self, context: Context, *, rules: bool) -> None:
        self._context = context
        self._rules = rules
        self._embedder: Embedder | None = None
        self._scorer: LazyScorer | None = None

    def decide(self, pairs: Sequence[Pair]) -> list[Judgement]:
        """One judgement a pair, in order."""
        from dreamd.judge import Statement, judge, needs_score

        near = self._similarities(pairs)
        sides = [(Statement(p.a, p.a_at), Statement(p.b, p.b_at)) for p in pairs]
        scorer = self._load_scorer()
        hard = [n for n, (a, b) in enumerate(sides) if scorer and needs_score(a, b, similarity=near[n])]
        told = scorer.score([(sides[n][0].text, sides[n][1].text) for n in hard]) if scorer else ()
        scores = dict(zip(hard, told, strict=True))
        return [judge(a, b, similarity=near[n], score=scores.get(n)) for n, (a, b) in enumerate(sides)]

    def _load_scorer(self) -> LazyScorer | None:
        from dreamd.kit import no_progress
        from dreamd.models.trained import load_scorer

        if self._scorer is None and not self._rules:
            self._scorer = load_scorer(self._context.world.settings, no_progress)
        return None if self._rules else self._scorer

    def _similarities(self, pairs: Sequence[Pair]) -> list[float]:
        texts = list(dict.fromkeys(t for p in pairs for t in (p.a, p.b)))
        embedder = self._load(len(texts))
        if embedder is None:
            return [0.0] * len(pairs)
        rows = dict(zip(texts, embedder.embed(texts), strict=True))
        return [float(rows[p.a] @ rows[p.b]) for p in pairs]

    def _load(self, texts: int) -> Embedder | None:
        from dreamd.models import load_embedder

        if self._rules or self._embedder is not None:
            return self._embedder
        model = self._context.world.settings.model
        try:
            self._embedder = load_embedder(model.engine, expected_texts=texts, directory=model.directory, threads=model.threads)
        except Outage as outage:
            self._rules = True
            self._context.warn(f"{outage.message}; judging by rules alone")
        return self._embedder


def _relate_lines(context: Context, judge: Bench, file: str) -> int:
    from dreamd.cli.families.intake import opened

    wrong = 0
    waiting: list[Pair] = []
    with opened(context, file) as stream:
        for _, line in numbered_lines(stream):
            waiting.append(_parse(line))
            if len(waiting) >= BATCH:
                wrong += _write(context, judge, waiting)
                waiting = []
    wrong += _write(context, judge, waiting)
    if wrong:
        context.warn("1 line is no pair; its answer carries an `error`" if wrong == 1
                     else f"{wrong:,} lines are no pairs; their answers carry an `error`")
    return Partial.exit_code if wrong else 0


def _write(context: Context, judge: Bench, pairs: Sequence[Pair]) -> int:
    """Answer a batch, one line each, in order; says how many were no pairs."""
    good = [p for p in pairs if not p.wrong]
    verdicts = iter(judge.decide(good) if good else ())
    for pair in pairs:
        refused: dict[str, object] = {"relation": None, "confidence": 0.0, "evidence": [], "error": pair.wrong}
        context.stdout.write(encode(refused if pair.wrong else _document(next(verdicts))) + "\n")
    return len(pairs) - len(good)


def _parse(line: bytes | None) -> Pair:
    try:
        return _checked(parse_row(line))
    except DreamError as error:
        return Pair(wrong=error.message)


def _checked(row: dict[str, object]) -> Pair:
    texts = []
    for name in ("a", "b"):
        text = row.get(name)
        if not isinstance(text, str) or not text.strip():
            raise UsageError(f"`{name}` is missing or empty")
        if len(text) > LONGEST_TEXT:
            raise UsageError(f"`{name}` is longer than {LONGEST_TEXT} characters")
        texts.append(text)
    times = []
    for name in ("a_at", "b_at"):
        told = row.get(name)
        if told is not None and not isinstance(told, str):
            raise UsageError(f"`{name}` must be a string")
        times.append(parse_instant(told) if told else None)
    return Pair(texts[0], texts[1], times[0], times[1])


def _document(verdict: Judgement) -> dict[str, object]:
    return {"relation": verdict.relation.value, "confidence": round(verdict.confidence, 4), "evidence": list(verdict.evidence),
            "basis": verdict.basis.value, "richer": verdict.richer, "newer": verdict.newer, "sure": verdict.is_sure}
