"""Fit what recall weighs once it has read a question with what was found.

    python tests/bench/answer_limits.py [--talks config/eval/year] [--home DIR] [--kept FILE]

Prints the constants of `dreamd.recall.answering`, which tell which of two answers took the place of the other, and
`recall.least_sure`: below it nothing is shown, at the price of one right answer in eighty. What nobody said is asked in two
ways: as the authors asked it, and of the other speaker where the right answer is a speaker's own. Cases come of worlds that
the network never met and of talks that were dreamt over. Every author, and every talk, is left out in turn: the figures are
those of the left out. `--home` keeps the dreamt talks and `--kept` the cases, for a second run.
"""

from __future__ import annotations

import argparse
import pickle
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

import answer_worlds
from answer_worlds import World
from sklearn.linear_model import LogisticRegression

from dreamd.core.identity import speaker_of
from dreamd.core.settings import RecallSettings, Settings
from dreamd.core.values import Category, Memory, MemoryClass, MemoryType, Status, Trust, parse_scope
from dreamd.dream.comparing import evaluation
from dreamd.dream.comparing.gold import Gold, Question, read_talks
from dreamd.dream.comparing.read_once import Remembered
from dreamd.kit import Kit, no_progress
from dreamd.models import load_embedder
from dreamd.recall import resolve, retrieve
from dreamd.recall.answering import Reading
from dreamd.recall.ranking import Asked, Hit, Ranked, rank
from dreamd.recall.shelf import Shelf
from dreamd.recall.unanswered import reads_none

COUNT, OFTEN = 10, 5
SWAPPED = "swapped"
DAY = datetime(2026, 1, 1, 9, tzinfo=UTC)
LIMITS = (0.005, 0.01, 0.015, 0.02, 0.025, 0.03, 0.04, 0.05)
LOST = 0.0125
"""Share of the right answers that silence may cost."""


@dataclass(frozen=True)
class Case:
    """A question: whether anything answers it, and what was read of its results and of every pair of two answers."""

    author: str
    has_answer: bool
    is_swapped: bool
    """Whether it was put to another than the one who answers it."""
    is_found: bool
    """Whether what answers it is among the results."""
    question: str
    read: tuple[tuple[float, str], ...]
    """All that was read, with how likely each answers."""
    turns: tuple[tuple[str, str, tuple[float, ...]], ...]
    """What an earlier and a later one are: `answer`, `replaced` or `other`."""


def cases_of_talks(gold: Gold, home: Path) -> Iterator[Case]:
    """The questions of talks, asked after a dream; a home that has been dreamt in is asked as it is."""
    embedder = load_embedder("light", expected_texts=len(gold.statements))
    known, quiet = Remembered(embedder, no_progress), replace(Settings(), sources=evaluation._no_sources())
    if not home.exists():
        evaluation._dream(home, gold, quiet, known)
    with evaluation._kit(home, gold.now, quiet, known) as kit:
        carried, shelf = evaluation._carried(kit), Shelf()
        for question in [*gold.questions, *_of_other_speakers(gold)]:
            scope = parse_scope(question.scope)
            look = retrieve.Look(limit=COUNT, record=False, scopes=(scope,))
            shelf.refresh(kit)
            near = shelf.near(kit, question.query, retrieve.reach_of(look))
            hits = retrieve.gather(kit, question.query, look, near)
            right = {one for group in question.evidence for one in group}

            def part(one: Ranked, right: set[str] = right, old: frozenset[str] = question.retired) -> str:
                says = carried.get(one.memory.id, set())
                return "answer" if says & right else "replaced" if says & old else "other"

            yield _read(kit, question.query, hits, str(scope), question.kind, part,
                        lambda ranked, spy, near=near: resolve.resolve(
                            ranked, resolve.Wanted(kit.clock.now(), kit.settings.recall, COUNT, replaced=spy), kit.store, near))


def _of_other_speakers(gold: Gold) -> Iterator[Question]:
    told = {one.id: one.candidate for one in gold.statements}
    for question in gold.questions:
        texts = [one.text for one in told.values() if str(one.scope) == question.scope]
        right = [told[one].text for one in sorted(question.retired.union(*question.evidence))]
        if other := asked_of_another(question.query, right, texts):
            yield replace(question, kind=SWAPPED, query=other, evidence=(), retired=frozenset())


def asked_of_another(question: str, right: Sequence[str], texts: Sequence[str]) -> str:
    """A question put to who speaks most beside whom it names, where that one alone gives its answers; else nothing."""
    speakers = Counter(speaker_of(text) for text in texts if speaker_of(text))
    named = [name for name in speakers if re.search(rf"\b{re.escape(name)}\b", question)]
    others = [name for name, count in speakers.most_common() if name not in named and count >= OFTEN]
    if len(named) != 1 or not others or not right or any(speaker_of(text) != named[0] for text in right):
        return ""
    return re.sub(rf"\b{re.escape(named[0])}\b", others[0], question)


def cases_of_worlds(worlds: Sequence[tuple[str, World]]) -> Iterator[Case]:
    """The questions of worlds, each statement of one a memory of its own."""
    embedder = load_embedder("light")
    with tempfile.TemporaryDirectory() as place, evaluation._kit(
            Path(place) / "home", DAY, Settings(), Remembered(embedder, no_progress)) as kit:
        for author, world in worlds:
            said = [_memory(n, text) for n, text in enumerate(world.texts)]
            swapped = [answer_worlds.Question(other, frozenset()) for q in world.questions if (
                other := asked_of_another(q.text, [world.texts[n] for n in sorted(q.answers | q.replaced)], world.texts))]
            asked = [*world.questions, *swapped]
            cosines = embedder.embed_questions([q.text for q in asked]) @ embedder.embed(world.texts).T
            for question, row in zip(asked, cosines, strict=True):
                hits = [Hit(one, None, float(cosine)) for one, cosine in zip(said, row, strict=True)]
                places = {one.id: n for n, one in enumerate(said)}

                def part(one: Ranked, places: dict[str, int] = places, asked: answer_worlds.Question = question) -> str:
                    place = places[one.memory.id]
                    return "answer" if place in asked.answers else "replaced" if place in asked.replaced else "other"

                kind = SWAPPED if question in swapped else "single" if question.answers else "unanswerable"
                yield _read(kit, question.text, hits, author, kind, part,
                            lambda ranked, spy: resolve.without_earlier_answers(ranked, spy)[:COUNT])


def _memory(number: int, text: str) -> Memory:
    at = DAY - timedelta(days=400 - number)
    return Memory(f"m{number}", parse_scope("project:world"), text, MemoryClass.REFERENCE, MemoryType.PROJECT,
                  Category.PROJECTS, Status.LIVE, Trust.USER, Trust.USER, at, at, at, at, spoken_in=(f"c{number}",))


Spy = Callable[[Sequence[tuple[Ranked, Ranked]]], Sequence[float]]


def _read(kit: Kit, question: str, hits: Sequence[Hit], author: str, kind: str, part: Callable[[Ranked], str],
          answer: Callable[[list[Ranked], Spy], list[Ranked]]) -> Case:
    """What recall reads of a question before anything is hidden."""
    reading, met = Reading(kit, question), list[tuple[Ranked, Ranked]]()

    def spy(pairs: Sequence[tuple[Ranked, Ranked]]) -> Sequence[float]:
        met.extend(pairs)
        return []

    ranked = rank(question, hits, now=kit.clock.now(), rules=kit.settings.recall, asked=Asked(count=60, read=reading.answers))
    found = answer(ranked, spy)
    turns = tuple((part(old), part(new), tuple(signs))
                  for (old, new), signs in zip(met, reading.signs_of_turns(met), strict=True))
    is_found = any(part(one) == "answer" for one in found)
    has_answer = kind not in (SWAPPED, "unanswerable")
    return Case(author, has_answer, kind == SWAPPED, is_found, question, tuple(reading.read), turns if has_answer else ())


def fit_turns(cases: Sequence[Case]) -> None:
    """Which later answer took the place of an earlier one."""
    rows = [(n, c.author, old == "replaced", new, signs) for n, c in enumerate(cases) for old, new, signs in c.turns
            if old == "answer" or (old == "replaced" and new == "answer")]
    signs, is_so = np.array([r[4] for r in rows]), np.array([r[2] for r in rows])
    told = _left_out(signs, is_so, [r[1] for r in rows])
    asked = sum(c.has_answer for c in cases)
    wanted = {rows[i][0] for i in np.flatnonzero(is_so)}
    print(f"turns: {int(is_so.sum())} of {len(rows)} pairs, {len(wanted)} questions with one")
    for limit in np.arange(0.2, 0.85, 0.05):
        hidden = {rows[i][0] for i in np.flatnonzero(~is_so & (told >= limit))}
        found = {rows[i][0] for i in np.flatnonzero(is_so & (told >= limit))}
        print(f"  from {limit:.2f}: {len(found) / max(len(wanted), 1):.1%} old values hidden, "
              f"{len(hidden)} of {asked} questions ({len(hidden) / asked:.1%}) lose an answer")
    model = _fitted(signs, is_so)
    print(f"TURNS, TURNS_BASE = ({', '.join(f'{w:.2f}' for w in model.coef_[0])}), {model.intercept_[0]:.2f}")


def fit_silence(cases: Sequence[Case]) -> None:
    """Below which likelihood of the surest answer nothing is shown: of authors left out, what it hides and what it silences."""
    right = [c for c in cases if c.has_answer and c.is_found]
    asked = {"as asked": [c for c in cases if not c.has_answer and not c.is_swapped],
             "of the other speaker": [c for c in cases if c.is_swapped]}
    print(f"silence: {len(right)} questions with an answer among what was found; without:",
          ", ".join(f"{len(some)} {name}" for name, some in asked.items()))
    for limit in LIMITS:
        print(f"  below {limit}: {_silent(right, limit):.1%} of the answers lost, silent for",
              ", ".join(f"{_silent(some, limit):.0%} {name}" for name, some in asked.items()))
    told = {author: _limit([c for c in right if c.author != author]) for author in {c.author for c in cases}}
    print(f"  by the limit of the other authors: {_mean([_is_silent(c, told[c.author]) for c in right]):.1%} lost, silent for",
          ", ".join(f"{_mean([_is_silent(c, told[c.author]) for c in some]):.0%} {name}" for name, some in asked.items()))
    print(f"least_sure = {_limit(right)}")


def _limit(right: Sequence[Case]) -> float:
    return max((limit for limit in LIMITS if _silent(right, limit) <= LOST), default=0.0)


def _silent(some: Sequence[Case], limit: float) -> float:
    return _mean([_is_silent(c, limit) for c in some])


def _is_silent(case: Case, limit: float) -> bool:
    return reads_none(case.question, case.read, RecallSettings(least_sure=limit))


def _mean(some: Sequence[bool]) -> float:
    return sum(some) / max(len(some), 1)


def _left_out(signs: np.ndarray, is_so: np.ndarray, authors: Sequence[str]) -> np.ndarray:
    """How likely each is by what was fitted on all authors but its own."""
    told, who = np.zeros(len(signs)), np.array(authors)
    for author in sorted(set(authors)):
        mine = who == author
        told[mine] = _fitted(signs[~mine], is_so[~mine]).predict_proba(signs[mine])[:, 1]
    return told


def _fitted(signs: np.ndarray, is_so: np.ndarray) -> LogisticRegression:
    return LogisticRegression(C=1.0, max_iter=1000).fit(signs, is_so)


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--talks", type=Path, action="append")
    parser.add_argument("--home", type=Path)
    parser.add_argument("--kept", type=Path)
    args = parser.parse_args()
    if args.kept and args.kept.exists():
        cases = pickle.loads(args.kept.read_bytes())
    else:
        held = [(path.name, world) for path in sorted(answer_worlds.DATA.glob("*.txt"))
                for n, world in enumerate(answer_worlds.read_worlds(path.read_text("utf-8"))) if path.name.startswith("asked_")]
        cases = list(cases_of_worlds(held))
        for folder in args.talks or [Path("config/eval/year")]:
            with tempfile.TemporaryDirectory() as place:
                cases += cases_of_talks(read_talks(folder), args.home or Path(place) / "home")
        if args.kept:
            args.kept.write_bytes(pickle.dumps(cases))
    fit_turns(cases)
    fit_silence(cases)
    return 0


if __name__ == "__main__":
    sys.exit(main())
