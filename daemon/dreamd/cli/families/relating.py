"""`dream relate`: judge pairs of statements without storing anything."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from dreamd.cli.context import Context, encode
from dreamd.cli.families.intake import numbered_lines, parse_row
from dreamd.cli.printing import render
from dreamd.cli.printing.progress import shown
from dreamd.core.clock import parse_instant
from dreamd.core.errors import DreamError, Partial, UsageError
from dreamd.core.plain_words.evidence_words import all_in_words, in_words
from dreamd.core.plain_words.plain_reasons import plain_evidence
from dreamd.core.values import LONGEST_TEXT, Evidence

if TYPE_CHECKING:
    from dreamd.core.values import Judgement
    from dreamd.judge import Explanation, Judge, Pair
    from dreamd.models import Embedder

BATCH = 512
EVEN = 0.5
"""A verdict less likely than that is the one that is left."""


@dataclass(frozen=True)
class Told:
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
    parser.add_argument("--explain", action="store_true",
                        help="also show what the judge saw: features, guards and probabilities")


def run(context: Context, options: Namespace) -> int:
    """Judge one pair, or a file of them in order."""
    judge = Bench(context)
    if options.jsonl is not None:
        if options.a is not None:
            raise UsageError("give A and B or `--jsonl`, not both")
        return _relate_lines(context, judge, options.jsonl, explained=options.explain)
    if options.a is None or options.b is None:
        raise UsageError("two statements are needed", hint='`dream relate "one statement" "another one"`')
    pair = _checked({"a": options.a, "b": options.b, "a_at": options.a_at, "b_at": options.b_at})
    with shown(context, "comparing"):
        verdict, = judge.decide([pair])
    seen = judge.explain(pair) if options.explain else None
    context.document(_document(verdict, seen))
    newer = f"  ({verdict.newer.upper()} is the newer)" if verdict.newer else ""
    likely = f", {100 * verdict.confidence:.0f} % likely" if verdict.confidence >= EVEN else "; nothing else is likely enough"
    context.say(f"{verdict.relation.value}{likely}{newer}")
    for told in plain_evidence(verdict.evidence, "", (pair.a, pair.b), sides=("the first", "the second")):
        context.say(f"  {render.clean(told)}")
    if not verdict.is_sure:
        context.say("  too unsure to end anything: a dream keeps both")
    if seen is not None:
        _tell_seen(context, seen)
    return 0


def _tell_seen(context: Context, seen: Explanation) -> None:
    context.say("probabilities")
    for name, share in sorted(seen.probabilities.items(), key=lambda one: -one[1]):
        context.say(f"  {share:6.3f}  {name}")
    context.say("guards" if seen.guards else "guards: none")
    for guard in seen.guards:
        tail = "  (forbids a merge)" if guard in seen.vetoes else ""
        context.say(f"  {guard.kind.value}: {render.clean(in_words(Evidence(guard.kind, guard.a, guard.b)))}{tail}")
    context.say("features")
    for name, value in sorted(seen.features.items()):
        context.say(f"  {value:9.3f}  {name}")


class Bench:
    """The judge and the model that compares meanings, loaded when the first pair comes."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._judge: Judge | None = None
        self._embedder: Embedder | None = None

    def decide(self, pairs: Sequence[Told]) -> list[Judgement]:
        """One judgement a pair, in order; raises Outage when a model is away."""
        return self._load_judge().judge_all(self._with_vectors(pairs))

    def explain(self, pair: Told) -> Explanation:
        """What the judge sees in a pair; raises Outage when a model is away."""
        return self._load_judge().explain(*self._with_vectors([pair]))

    def _load_judge(self) -> Judge:
        from dreamd.kit import load_judge

        self._judge = self._judge or load_judge(self._context.world)
        return self._judge

    def _with_vectors(self, pairs: Sequence[Told]) -> list[Pair]:
        from dreamd.judge import Pair, Statement
        from dreamd.models import load_embedder

        texts = list(dict.fromkeys(t for p in pairs for t in (p.a, p.b)))
        if self._embedder is None:
            model = self._context.world.settings.model
            self._embedder = load_embedder(model.engine, expected_texts=len(texts), directory=model.directory,
                                           threads=model.threads, kept_in=self._context.world.paths.models)
        rows = dict(zip(texts, self._embedder.embed(texts), strict=True))
        return [Pair(Statement(p.a, p.a_at), Statement(p.b, p.b_at), float(rows[p.a] @ rows[p.b])) for p in pairs]


def _relate_lines(context: Context, judge: Bench, file: str, *, explained: bool) -> int:
    from dreamd.cli.families.intake import opened

    wrong = 0
    waiting: list[Told] = []
    with opened(context, file) as stream:
        for _, line in numbered_lines(stream):
            waiting.append(_parse(line))
            if len(waiting) >= BATCH:
                wrong += _write(context, judge, waiting, explained=explained)
                waiting = []
    wrong += _write(context, judge, waiting, explained=explained)
    if wrong:
        context.warn(f"{render.count(wrong, 'line')} could not be judged: a line holds two statements, as "
                     '`{"a": "…", "b": "…"}`; `error` in its answer says what is wrong with it')
    return Partial.exit_code if wrong else 0


def _write(context: Context, judge: Bench, pairs: Sequence[Told], *, explained: bool) -> int:
    """Answer a batch, one line each, in order; says how many were no pairs."""
    good = [p for p in pairs if not p.wrong]
    answers = iter([_document(verdict, judge.explain(pair) if explained else None)
                    for pair, verdict in zip(good, judge.decide(good) if good else (), strict=True)])
    for pair in pairs:
        refused: dict[str, object] = {"relation": None, "confidence": 0.0, "newer": None, "evidence": [], "error": pair.wrong}
        context.stdout.write(encode(refused if pair.wrong else next(answers)) + "\n")
    return len(pairs) - len(good)


def _parse(line: bytes | None) -> Told:
    try:
        return _checked(parse_row(line))
    except DreamError as error:
        return Told(wrong=error.message)


def _checked(row: dict[str, object]) -> Told:
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
    return Told(texts[0], texts[1], times[0], times[1])


def _document(verdict: Judgement, seen: Explanation | None = None) -> dict[str, object]:
    row: dict[str, object] = {
        "relation": verdict.relation.value, "confidence": round(verdict.confidence, 4), "newer": verdict.newer,
        "evidence": all_in_words(verdict.evidence), "basis": verdict.basis.value, "richer": verdict.richer,
        "sure": verdict.is_sure}
    return row if seen is None else {**row, "explanation": {
        "probabilities": {name: round(share, 4) for name, share in seen.probabilities.items()},
        "guards": [{"kind": guard.kind.value, "a": guard.a, "b": guard.b, "vetoes": guard in seen.vetoes}
                   for guard in seen.guards],
        "features": {name: round(value, 4) for name, value in seen.features.items()}}}
