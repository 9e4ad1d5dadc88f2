"""How well recall answers, before and after a dream: measured on a gold set, in homes of its own, never the person's.

The same questions are asked three times. *Before*: the ten nearest of all that was said, as any store answers that keeps
what it is told. *Undreamt*: the same statements under dream's ranking, to see what ranking alone brings. *After*: what
the dreams named in the gold set made of them. A question names the statements that hold its answer, in groups: any
statement of a group shows that fact. Figures:

    recall@k          share of a question's facts among the first k results
    MRR               one over the rank of the first result with a fact, 0 when there is none
    nDCG@10           each result counts that brings a fact not shown above it, less the further down it stands
    tokens            words and signs of all results that would be injected (ten at most)
    evidence tokens   words and signs of those results that carry the facts
    current           share of the questions about changed facts whose first word on the matter is the new value
    alone             share of them that show the new value and the old one nowhere
    retired           questions that were shown a statement which no longer holds
    nothing_shown     questions that nothing was shown to
"""

from __future__ import annotations

import json
import math
import random
import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from dreamd.core import fsio
from dreamd.core.clock import FixedClock
from dreamd.core.errors import ConfigError
from dreamd.core.paths import Paths, share_dir
from dreamd.core.settings import RecallSettings, Settings, SourceSettings
from dreamd.core.values import Memory, Status, content_id, parse_scope, text_sha, trust_of
from dreamd.core.world import World
from dreamd.dream.comparing.gold import Gold, Question
from dreamd.dream.comparing.read_once import Away, Remembered
from dreamd.dream.cycle import run_cycle
from dreamd.dream.planning import Wish
from dreamd.extraction import gate
from dreamd.kit import Kit, Progress, no_progress, open_kit
from dreamd.models import MODEL_ID, Embedder
from dreamd.recall.answer import Found, Look, search
from dreamd.recall.shelf import Shelf
from dreamd.store import derived, memories, observations

if TYPE_CHECKING:
    pass

DEEPEST = 10
DRAWS = 2000
TOKEN = re.compile(r"\w+|[^\w\s]")
FIGURES = ("recall@5", "recall@10", "mrr", "ndcg@10", "tokens", "evidence_tokens")
ABLATED: dict[str, dict[str, float]] = {
    "words": {"word_weight": 0.0}, "class-boost": {"memory_boost": 1.0, "document_boost": 1.0},
    "supersession": {"superseded_factor": 1.0}, "age": {"decay": 0.0, "age_rate_per_day": 0.0},
    "floor": {"floor": 0.0}, "context": {"context_weight": 0.0}, "value": {"value_weight": 0.0},
    "speaker": {"speaker_weight": 0.0}, "answer": {"answer_weight": 0.0}, "silence": {"least_sure": 0.0},
    "passages": {"passages": 0}, "share-of-best": {"share_of_best": 0.0}}
PLAIN: dict[str, float] = {"floor": 0.0, "share_of_best": 0.0, "memory_boost": 1.0, "document_boost": 1.0,
                           "decay": 0.0, "age_rate_per_day": 0.0,
                           "context_weight": 0.0, "value_weight": 0.0, "speaker_weight": 0.0, "answer_weight": 0.0}
"""The ranking of a store that keeps what it is told: nearness and words, and nothing else."""


@dataclass(frozen=True)
class Answered:
    """How one question fared."""

    question: Question
    figures: dict[str, float]
    results: int
    current: bool
    retired: bool


@dataclass(frozen=True)
class Evaluation:
    """Everything `dream eval` reports."""

    gold: Gold
    before: tuple[Answered, ...]
    undreamt: tuple[Answered, ...]
    after: tuple[Answered, ...]
    ablation: dict[str, dict[str, float]]
    memories: int
    later: tuple[Answered, ...] = ()
    """The same after as many more nights without news as were asked for."""
    phases: dict[str, dict[str, float]] = field(default_factory=dict)
    """What each phase of a dream brings."""
    merged: int = 0
    """Memories that carry several statements."""
    ended: int = 0
    """Statements that hold an answer of today and were ended."""


@dataclass(frozen=True)
class Wanted:
    """What is measured beside the questions before and after one dream, and who is told how far it is."""

    nights: int = 0
    phases: bool = False
    progress: Progress = no_progress


def evaluate(gold: Gold, *, settings: Settings, embedder: Embedder, wanted: Wanted = Wanted()) -> Evaluation:
    """Ask every question before and after dreaming, after more `nights` without news, and without each factor of the ranking.

    With `phases` everything is dreamt again without each phase. Raises Outage when the model or the disk is away.
    """
    known = Remembered(embedder, wanted.progress)
    quiet = replace(settings, sources=_no_sources(), store=replace(settings.store, zone=gold.zone))
    with tempfile.TemporaryDirectory(prefix="dream-eval-") as place:
        with _kit(Path(place) / "before", gold.now, quiet, known) as kit:
            carried = _fill_undreamt(kit, gold)
            before = _ask_all(_ruled(kit, replace(kit.settings.recall, **PLAIN)), gold, carried)  # type: ignore[arg-type]
            undreamt = _ask_all(kit, gold, carried)
        home = Path(place) / "after"
        carried = _dream(home, gold, quiet, known)
        with _kit(home, gold.now, quiet, known) as kit:
            after = _ask_all(kit, gold, carried)
            held = memories.load_memories(kit.store)
            ended = _wrongly_ended(gold, held, carried)
            ablation = {name: _difference(after, answers) for name, answers in _ablated(kit, gold, carried)}
        worth = {name: _difference(after, _ask_without(Path(place) / name, gold, changed, known))
                 for name, changed in _without_phases(quiet)} if wanted.phases else {}
        later = _ask_later(home, gold, quiet, known, wanted.nights) if wanted.nights else ()
    alive = sum(memory.status is Status.LIVE for memory in held)
    return Evaluation(gold, before, undreamt, after, ablation, alive, later, worth, sum(m.support > 1 for m in held), ended)


def _wrongly_ended(gold: Gold, held: Sequence[Memory], carried: dict[str, set[str]]) -> int:
    """How many statements that questions of today need are carried by ended memories alone."""
    ended = {one for m in held if m.status is Status.SUPERSEDED for one in carried[m.id]}
    standing = {one for m in held if m.status is not Status.SUPERSEDED for one in carried[m.id]}
    needed = {one for question in gold.questions for group in question.evidence for one in group}
    return len(needed & (ended - standing))


def _without_phases(settings: Settings) -> Iterator[tuple[str, Settings]]:
    """The settings of a dream without each of its phases."""
    yield "consolidate", replace(settings, consolidate=replace(settings.consolidate, neighbour_floor=0.95))
    yield "weigh", replace(settings, consolidate=replace(settings.consolidate, passage_pairs=0))
    yield "prune", replace(settings, prune=replace(settings.prune, stale_after_days=3650))


def _ask_without(home: Path, gold: Gold, settings: Settings, embedder: Remembered) -> tuple[Answered, ...]:
    carried = _dream(home, gold, settings, embedder)
    with _kit(home, gold.now, settings, embedder) as kit:
        return _ask_all(kit, gold, carried)


def _ask_later(home: Path, gold: Gold, settings: Settings, embedder: Remembered, nights: int) -> tuple[Answered, ...]:
    """The answers after more nights in which nothing new was heard."""
    for night in range(1, nights + 1):
        with _kit(home, gold.now + timedelta(days=night), settings, embedder) as kit:
            run_cycle(kit, Wish())
    with _kit(home, gold.now + timedelta(days=nights), settings, embedder) as kit:
        return _ask_all(kit, gold, _carried(kit))


def interval(before: Sequence[Answered], after: Sequence[Answered], figure: str) -> tuple[float, float]:
    """Between which values the mean difference of a figure lies, 95 of 100 times: questions drawn anew, two thousand times."""
    changes = [b.figures[figure] - a.figures[figure] for a, b in zip(before, after, strict=True) if a.question.evidence]
    if not changes:
        return 0.0, 0.0
    drawn = random.Random(len(changes))  # the same questions give the same interval
    means = sorted(sum(drawn.choices(changes, k=len(changes))) / len(changes) for _ in range(DRAWS))
    return round(means[DRAWS // 40], 4), round(means[-1 - DRAWS // 40], 4)


def harm(found: Evaluation) -> dict[str, int]:
    """What dreaming did for the worse: facts found no more, old values shown, statements of today ended, or made one."""
    pairs = list(zip(found.before, found.after, strict=True))
    return {"lost": sum(b.figures["recall@10"] < a.figures["recall@10"] for a, b in pairs),
            "won": sum(b.figures["recall@10"] > a.figures["recall@10"] for a, b in pairs),
            "stale": sum(one.retired for one in found.after), "ended": found.ended, "merged": found.merged}


def mean_figures(answers: Sequence[Answered], kind: str | None = None) -> dict[str, float]:
    """Means over the questions that have an answer; tokens over all of a kind."""
    of_kind = [a for a in answers if kind is None or a.question.kind == kind]
    answerable = [a for a in of_kind if a.question.evidence]
    if not of_kind:
        return {}
    means = {name: sum(a.figures[name] for a in answerable) / len(answerable) for name in FIGURES} if answerable else {}
    means["tokens"] = sum(a.figures["tokens"] for a in of_kind) / len(of_kind)
    means["questions"] = len(of_kind)
    means["retired"] = sum(a.retired for a in of_kind)
    means["nothing_shown"] = sum(a.results == 0 for a in of_kind)
    changed = [a for a in of_kind if a.question.retired and a.question.evidence]
    if changed:
        means["current"] = sum(a.current for a in changed) / len(changed)
        means["alone"] = sum(a.current and not a.retired for a in changed) / len(changed)
    return {name: round(value, 4) for name, value in means.items()}


def _no_sources() -> SourceSettings:
    return SourceSettings(claude_code=False, codex=False, gemini=False, copilot=False, opencode=False, openclaw=False,
                          cursor=False, hermes=False, letta=False, paths=())


@contextmanager
def _kit(home: Path, now: datetime, settings: Settings, embedder: Remembered) -> Iterator[Kit]:
    world = World(Paths(home), settings, FixedClock(now), {"HOME": str(home.parent), "TZ": "UTC"})
    with open_kit(world, create=True, migrate=True) as kit:
        kit.embedder, kit.progress, kit.reader = embedder, embedder.progress, embedder.reader(kit)
        yield kit


def _fill_undreamt(kit: Kit, gold: Gold) -> dict[str, set[str]]:
    """Make every statement said by now a memory of its own; which memory carries which statements."""
    carried: dict[str, set[str]] = {}
    made: list[Memory] = []
    for statement in gold.statements:
        told = statement.candidate
        if told.at > gold.now:
            continue
        gated = gate(told.text, origin=told.origin, at=told.at, zone=kit.zone, class_hint=told.class_hint, ttl=told.ttl)
        trust = trust_of(told.origin)
        identity = content_id("undreamt", statement.id)
        made.append(Memory(identity, told.scope, told.text, gated.memory_class, gated.memory_type, gated.category, Status.LIVE,
                           trust, trust, told.at, told.at, told.at, told.at))
        carried[identity] = {statement.id}
    rows = kit.load_embedder(len(made)).embed([m.text for m in made]).astype("float16")
    with kit.store.writing() as tx:
        for memory in made:
            memories.write_memory(tx, memory)
        derived.write_vectors(tx, {text_sha(m.text): row for m, row in zip(made, rows, strict=True)}, model=MODEL_ID)
    return carried


def _dream(home: Path, gold: Gold, settings: Settings, embedder: Remembered) -> dict[str, set[str]]:
    """Say and dream in the order of time; which memory carries which statements in the end."""
    waiting = sorted(gold.statements, key=lambda s: (s.candidate.at, s.id))
    for at in (*(d for d in gold.dreams if d < gold.now), gold.now):
        said = [s for s in waiting if s.candidate.at <= at]
        waiting = waiting[len(said):]
        with _kit(home, at, settings, embedder) as kit:
            with kit.store.writing() as tx:
                observations.append(tx, [s.candidate for s in said], stored_at=at,
                                    key=observations.tombstone_key(kit.store))
            if at != gold.now or at in gold.dreams or not gold.dreams:
                run_cycle(kit, Wish())
    with _kit(home, gold.now, settings, embedder) as kit:
        return _carried(kit)


def _carried(kit: Kit) -> dict[str, set[str]]:
    """Which statements each memory carries, and each passage is."""
    keys = {r["id"]: r["key"].removeprefix("gold:") for r in kit.store.all("SELECT id, key FROM observation WHERE key <> ''")}
    return {i: {key} for i, key in keys.items()} | {
        m.id: {keys[o] for o in m.observations if o in keys} for m in memories.load_memories(kit.store)}


def _ask_all(kit: Kit, gold: Gold, carried: dict[str, set[str]]) -> tuple[Answered, ...]:
    shelf, answers = Shelf(), []
    for n, question in enumerate(gold.questions):
        kit.progress("asking", n, len(gold.questions))
        answers.append(_ask(kit, question, carried, shelf))
    return tuple(answers)


def _ask(kit: Kit, question: Question, carried: dict[str, set[str]], shelf: Shelf) -> Answered:
    scopes = (parse_scope(question.scope),) if question.scope else ()
    found = search(kit, question.query, Look(limit=DEEPEST, record=False, scopes=scopes), shelf=shelf).results
    shows = [carried.get(one.memory.id, set()) for one in found]
    new_facts = _new_facts(question, shows)
    carriers = {n for n, shown in enumerate(shows) if any(group & shown for group in question.evidence)}
    first = next((n for n, new in enumerate(new_facts) if new), None)
    old = [n for n, shown in enumerate(shows) if shown & question.retired and n not in carriers]
    groups = len(question.evidence) or 1
    gain = sum((1 if new else 0) / math.log2(n + 2) for n, new in enumerate(new_facts))
    ideal = sum(1 / math.log2(n + 2) for n in range(min(groups, DEEPEST)))
    figures = {
        "recall@5": sum(new_facts[:5]) / groups, "recall@10": sum(new_facts) / groups,
        "mrr": 1 / (first + 1) if first is not None else 0.0, "ndcg@10": gain / ideal,
        "tokens": float(sum(map(_tokens, found))), "evidence_tokens": float(sum(_tokens(found[n]) for n in carriers))}
    says_it = first is not None and question.answer.casefold() in found[first].memory.text.casefold()
    return Answered(question, figures, len(found), says_it and (not old or (first or 0) < old[0]), bool(old))


def _new_facts(question: Question, shows: Sequence[set[str]]) -> list[int]:
    """For each result how many facts it is the first to show."""
    seen: set[int] = set()
    counts = []
    for shown in shows:
        new = {n for n, group in enumerate(question.evidence) if group & shown} - seen
        seen |= new
        counts.append(len(new))
    return counts


def _tokens(found: Found) -> int:
    return len(TOKEN.findall(found.memory.text))


def _ablated(kit: Kit, gold: Gold, carried: dict[str, set[str]]) -> Iterator[tuple[str, tuple[Answered, ...]]]:
    """The answers without each factor in turn."""
    rules = kit.settings.recall
    for name, changed in ABLATED.items():
        yield name, _ask_all(_ruled(kit, replace(rules, **changed)), gold, carried)  # type: ignore[arg-type]
    yield "vectors", _ask_all(replace(kit, embedder=Away()), gold, carried)


def _ruled(kit: Kit, rules: RecallSettings) -> Kit:
    return replace(kit, world=replace(kit.world, settings=replace(kit.settings, recall=rules)))


def _difference(full: Sequence[Answered], without: Sequence[Answered]) -> dict[str, float]:
    """What a factor brings: the figure with it less the figure without it."""
    one, other = mean_figures(full), mean_figures(without)
    return {name: round(one[name] - other[name], 4) for name in (*FIGURES, "retired", "nothing_shown")
            if name in one and name in other}


def read_baseline(path: Path | None = None) -> dict[str, dict[str, float]]:
    """The figures of dream's own gold set that a change may not worsen, each with the noise it is allowed.

    Raises ConfigError when the file is missing or damaged.
    """
    path = path or share_dir("config") / "eval" / "baseline.json"
    try:
        document = json.loads(fsio.read_bytes(path))
        return {str(name): {"figure": float(row["figure"]), "noise": float(row["noise"])} for name, row in document.items()}
    except (FileNotFoundError, ValueError, KeyError, TypeError, AttributeError):
        raise ConfigError(f"the baseline `{path}` cannot be read", hint="reinstall dream, or restore the file") from None


def compare_with_baseline(after: dict[str, float], baseline: dict[str, dict[str, float]]) -> list[str]:
    """What became worse than its noise; a figure of tokens or retired statements is worse when it grows."""
    worse = []
    for name, row in baseline.items():
        now = after.get(name, 0.0)
        grows = name in ("tokens", "evidence_tokens", "retired")
        lost = now - row["figure"] if grows else row["figure"] - now
        if lost > row["noise"] + 1e-9:
            worse.append(f"{name} is {now:g}, it was {row['figure']:g} (noise {row['noise']:g})")
    return worse
