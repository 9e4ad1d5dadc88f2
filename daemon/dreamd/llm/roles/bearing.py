"""Whether quoted lines bear what a model made of them, and whose word it then is. Pure.

A model may quote rightly and state wrongly. What its statement has beyond the quoted sentences (a number, a name, a denial, an
order, a word of substance) is found here, and such a statement waits for a person.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from dreamd.core.plain_words.rule_parts import without_labels
from dreamd.core.values import OBSERVED, OBSERVED_ACCEPTED, Origin, observed_waits
from dreamd.extraction.answered import SHORT_ANSWER, decided_by
from dreamd.extraction.orders import gives_orders
from dreamd.extraction.utterance import sentences
from dreamd.judge.statement import Reading, read
from dreamd.llm.roles.beside_quotes import in_place
from dreamd.llm.roles.observer import Fact, Quoted
from dreamd.llm.roles.record import Voice
from dreamd.llm.roles.verbatim import framing, says
from dreamd.text import patterns
from dreamd.text.tokens import fold

OTHER_WORDS = "other-words"
"""Nothing that can be named parts the two, but their words do. The judge of pairs is no help: it tells what says the same from
what does not, and a sentence that leaves out one of two halves says nearly the same."""
_CLAUSE = re.compile(r"[;:]\s+|\s+[–—-]+\s+")
_ONLY = frozenset({"only", "always", "never", "every", "all", "any", "must", "may"})


class Borne(NamedTuple):
    """What a fact may become: whose word it is, the sign it is stored with, and the words it is compared with."""

    origin: Origin
    sign: str
    basis: str


def weigh(fact: Fact) -> Borne | None:
    """Whose word a fact is and what speaks against it; None where no person said or accepted anything of it."""
    mine = [q for q in fact.quotes if q.line.voice.is_own]
    theirs = [q for q in fact.quotes if q.line.voice is Voice.AGENT]
    basis = said_in(fact.quotes)
    if any(q.line.voice is Voice.PASTED for q in fact.quotes):
        return Borne(Origin.TOOL, OBSERVED, basis)
    if not mine:
        return None
    alone = said_in(mine)
    over = beyond(fact.text, meant_by(mine))
    if not theirs or over in ("", OTHER_WORDS) and len(read(alone).content) > len(read(said_in(theirs)).content):
        return _borne(fact, Origin.USER, OBSERVED, alone, over)
    if any(_decides(one, other) for one in theirs for other in mine):
        return _borne(fact, Origin.USER, OBSERVED, basis, beyond(fact.text, meant_by(fact.quotes), answered=True))
    if any(_accepts(other) for other in mine):
        return _borne(fact, Origin.AGENT, OBSERVED_ACCEPTED, basis, beyond(fact.text, meant_by(fact.quotes)))
    if not over:
        return _borne(fact, Origin.USER, OBSERVED, alone, "")
    return Borne(Origin.AGENT, observed_waits("said-by-agent"), basis)


def _borne(fact: Fact, origin: Origin, sign: str, basis: str, over: str) -> Borne:
    why = over or ("model-unsure" if fact.unsure else "")
    return Borne(origin, observed_waits(why) if why else sign, basis)


def _decides(asked: Quoted, said: Quoted) -> bool:
    """Whether a person's short answer decides the question it was given to."""
    answer = said.line.whole or said.line.text
    filled_in = asked.line.question and asked.line.turn == said.line.turn
    follows = filled_in or asked.line.turn + 1 == said.line.turn
    return follows and bool(decided_by(asked.quote, answer, filled_in=filled_in))


def _accepts(said: Quoted) -> bool:
    answer = said.line.whole or said.line.text
    agrees = patterns.cue("words/sure", "affirmation", whole=True).match(answer.strip(" .!")) is not None
    return len(answer) <= SHORT_ANSWER and agrees


def meant_by(quotes: Sequence[Quoted]) -> str:
    """The same sentences, each with what stands beside it in its message and says how it is meant."""
    return "\n".join(dict.fromkeys(
        in_place(sentence, one.line.whole, one.line.after) for one in quotes for sentence in said_in([one]).split("\n")))


def said_in(quotes: Sequence[Quoted]) -> str:
    """The whole sentences that quotes stand in: a piece of "never on Fridays" must not say "on Fridays"."""
    found: dict[str, None] = {}
    for one in quotes:
        line, quote = fold(one.line.text), fold(one.quote)
        start, at, before = line.find(quote), 0, len(found)
        for sentence in sentences(one.line.text):
            begin = line.find(fold(sentence), at)
            at = max(at, begin + len(fold(sentence)))
            if 0 <= begin < start + len(quote) and at > start >= 0:
                found[sentence.strip()] = None
        if len(found) == before and not any(fold(quote) in fold(known) for known in found):
            found[one.line.text] = None
    return "\n".join(found)


def beyond(text: str, basis: str, *, answered: bool = False) -> str:
    """What a statement has that its sentences do not, as a reason to wait; or nothing.

    `answered` where one of the sentences is a question that the person answered.
    """
    mine, theirs = read(without_labels(text, " ")), read(basis)
    if mine.numbers - theirs.numbers or _figures(mine) - _figures(theirs):
        return "another-number"
    low = theirs.low
    names = {*mine.names, *(mine.fixed - theirs.fixed), *mine.commands, *mine.quoted, *(name for name in _capitals(mine))}
    if any(name.lower().removeprefix("version ") not in low for name in names):
        return "another-name"
    if _denies_otherwise(mine, theirs):
        return "another-denial"
    if mine.quantifiers - theirs.quantifiers or (mine.spoken & _ONLY) - theirs.spoken:
        return "another-reach"
    if gives_orders(text) and not any(gives_orders(part) for part in basis.split("\n")):
        return "another-order"
    lines = basis.split("\n")

    def is_said(part: str) -> bool:
        return any(says(part, line, answered=answered) for line in lines)

    told = [one for one in sentences(without_labels(text, "\n")) if one.strip(" .")]
    return "" if all(is_said(one) or all(map(is_said, _CLAUSE.split(one))) for one in told) else OTHER_WORDS


def _figures(text: Reading) -> Counter[str]:
    """How often each number stands there in digits: a model that writes one otherwise has done a sum."""
    return Counter(t.surface.strip(".,:") for t in text.tokens if t.kind == "number")


def _capitals(text: Reading) -> set[str]:
    """Words that begin with a capital inside a sentence, in languages where only names do."""
    if text.tongue == "de":
        return set()
    return {t.surface for before, t in zip(text.tokens, text.tokens[1:], strict=False)
            if t.kind == "word" and t.surface[:1].isupper() and t.lower != "i" and before.kind != "stop"}


def _denies_otherwise(mine: Reading, theirs: Reading) -> bool:
    if mine.denial.count and not theirs.denial.count or mine.denial.first - theirs.denial.first - framing():
        return True
    # What is denied there must not be affirmed here.
    return bool(theirs.denial.first & mine.content_set - mine.denial.first) or (
        theirs.denial.count > 0 and not mine.denial.count and len(theirs.text.split("\n")) == 1
        and mine.content_set >= theirs.content_set - framing())

