"""The judge of pairs in doubt: twenty a call, and for what it would join a second question in other words."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from dreamd.llm.roles.prompts import WHOLE, choice, fenced, listed, load_prompt, records, shape
from dreamd.models.language_model import Ask, Role
from dreamd.text.redaction import redact

PAIRS = 20
MOST_OUT = 1000
SAME, REPLACES, CONFLICT, APART = "same", "replaces", "conflict", "apart"
KNOWN = (SAME, REPLACES, CONFLICT, APART)
RELATIONS: Mapping[str, object] = shape({"pairs": listed(shape({
    "pair": WHOLE, "relation": choice(KNOWN)}))})
LOSSES: Mapping[str, object] = shape({"cases": listed(shape({"case": WHOLE, "lost": {"type": "boolean"}}))})


class Doubt(NamedTuple):
    """Two statements, the days they were said on, and what the guards saw."""

    a: str
    b: str
    a_day: str
    b_day: str
    seen: str


def ask_relations(doubts: Sequence[Doubt], *, scope: str, seconds: float) -> Ask:
    """Ask how some pairs stand to each other."""
    prompt = load_prompt("judge")
    told = "\n\n".join(f"pair {n}\na ({one.a_day}): {_shown(one.a)}\nb ({one.b_day}): {_shown(one.b)}\nseen: {_shown(one.seen)}"
                       for n, one in enumerate(doubts, 1))
    return Ask(Role.JUDGE, prompt.name, prompt.text, fenced("# The pairs", told), RELATIONS, scope, MOST_OUT, seconds)


def ask_losses(cases: Sequence[tuple[str, str]], *, scope: str, seconds: float) -> Ask:
    """Ask whether something is lost where one statement stays and another goes."""
    prompt = load_prompt("judge_again")
    told = "\n\n".join(f"case {n}\nkept: {_shown(kept)}\ndropped: {_shown(gone)}" for n, (kept, gone) in enumerate(cases, 1))
    return Ask(Role.JUDGE, prompt.name, prompt.text, fenced("# The cases", told), LOSSES, scope, MOST_OUT, seconds)


def read_relations(value: Mapping[str, object], count: int) -> dict[int, str]:
    """The relation of each pair by its place; none where two were given, or one that there is not."""
    told: dict[int, set[object]] = {}
    for one in records(value.get("pairs")):
        number = one.get("pair")
        if isinstance(number, int) and 1 <= number <= count:
            told.setdefault(number - 1, set()).add(str(one.get("relation")))
    return {n: str(*words) for n, words in told.items() if len(words) == 1 and words <= set(KNOWN)}


def read_kept(value: Mapping[str, object], count: int) -> Collection[int]:
    """The places of the cases in which nothing is lost, as far as that was said, and nothing else of them."""
    told: dict[int, list[object]] = {}
    for one in records(value.get("cases")):
        number = one.get("case")
        if isinstance(number, int) and 1 <= number <= count:
            told.setdefault(number - 1, []).append(one.get("lost"))
    return {n for n, answers in told.items() if answers == [False]}


def _shown(text: str) -> str:
    return " ".join(redact(text).text.split())
