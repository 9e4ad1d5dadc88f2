"""Whether a later text ends what an earlier one says, for words that nobody weighed.

Two answers to one question tell more than two texts alone: where both have a value of the kind that is asked for, and speak
of much the same, the later one is the answer. That much is enough to leave the earlier one out, or to show it behind.

The judge of relations ends a memory only where the wording is certain, for a memory that ends is lost from every answer. A
passage is shown for want of anything better, so far less is enough to leave it out: a later text on the same topic that
tells of a change and has another value of the same kind, or that says the thing or the person named there is gone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache

from dreamd.core.values import Judgement, Memory, Relation, Status
from dreamd.recall.ranking import Ranked, named_old, word_roots
from dreamd.text.alike.parallels import differ_in_their_subject

OF_ONE_SUBJECT = 0.34
"""Share of the words of the shorter text, its values left out, that both have where they speak of one thing."""
TOPIC = 0.37
"""Likeness from which a text that tells of a change speaks of the same thing."""
SAME = 0.62
"""Likeness from which two texts speak of the same thing without a word of change."""
ANEW = 0.45
"""Likeness from which two answers to one question speak of the same thing."""
MUCH_ALIKE = 0.5
AS_NEAR, NEARLY_AS_NEAR = 0.75, 0.6
"""Share of the earlier answer's nearness to the question that the later one needs, and enough where both are much alike."""
ITS_WORDS = 0.8
"""Share of the question's words that the earlier answer has which the later one needs: else it answers another question."""
IN_TALK = 0.44
"""Likeness from which two texts, each behind what was said before it, speak of the same thing."""
HALF = 0.5
_UNTOLD = frozenset({"name", "count", "code", "host"})
"""Kinds of value that a text may have beside the one it tells."""
ITS_WORDS_NAMED = 0.35
"""The same, where the later answer begins anew with a name of the earlier."""
LEAST_ALIKE_BESIDE = 0.3
"""The same, where the later one names the earlier value beside its own."""
IN_PLACE, BESIDE = "in place", "beside"
LEAST_ALIKE = 0.37
"""Likeness from which the later of two answers stands before the earlier."""
CLEARLY_LATER = timedelta(days=1)
_ONE_DAY = datetime(2000, 1, 1, tzinfo=UTC)
"""Two texts of one day are judged by what they say, and not by when."""
_OTHER_THING = ("different ", "names differ")
_NAME = r"(?P<old>`[^`]+`|(?:(?:Herr|Frau|Mr|Mrs|Ms|Dr)\.? )?[A-ZÄÖÜ][\w-]+|[a-z]+\d*(?= is (?:gone|out|dead|history)\b))"
_GONE = re.compile(
    rf"(?:^|[.;,] (?:and |but )?|\b(?:and|but|since|because) ){_NAME} "
    r"(?i:left|quit|retired|died|closed|moved away|was sold|broke (?:his|her|a)"
    r"|(?:is|was|has been|are|were) (?:gone|out|dead|history|sold|closed|replaced|switched off|shut down|dropped|retired)"
    r"|ist (?:weg|raus|tot|verkauft|ausgezogen|ausgeschieden)|hat (?:aufgehört|gekündigt|zugemacht|geschlossen)"
    r"|wurde (?:verkauft|abgelöst|ersetzt)|a quitté|est part[ie]e?|a fermé|se fue|dejó|cerró|saiu|fechou)\b")
_TAKEN_OVER = re.compile(r"(?i:took|takes|has taken) over [^.;]{0,40}?from (?P<old>[A-ZÄÖÜ][\w-]+)")


@dataclass(frozen=True)
class Likeness:
    """How alike two results are, as the vectors know them."""

    alone: Callable[[Memory, Memory], float]
    """The two as they are shown."""
    in_talk: Callable[[Memory, Memory], float] | None = None
    """The two behind what was said before each; None where nobody knows it."""

    def most(self, a: Memory, b: Memory) -> float:
        """The greater of both."""
        return max(self.alone(a, b), self.in_talk(a, b) if self.in_talk else 0.0)


def currently(answers: Sequence[Ranked], likeness: Likeness, question: str = "") -> list[Ranked]:
    """Answers to one question without what a later one among them has outdated, and with the later of two values first."""
    gone = {old.memory.id for old in answers for new in answers if is_of_another_day(old.memory, new.memory)
            and (is_answered_anew(old, new, likeness.alone(old.memory, new.memory))
                 or is_answered_nearer(old, new, likeness, question))}
    order = [one for one in answers if one.memory.id not in gone]
    for new in list(order):
        at = order.index(new)
        first = next((n for n, old in enumerate(order[:at])
                      if _stands_behind(old, new, likeness.alone(old.memory, new.memory))), at)
        order.insert(first, order.pop(at))
    return order


def is_answered_nearer(old: Ranked, new: Ranked, likeness: Likeness, question: str = "") -> bool:
    """Whether a later answer is at least as near to the question, of the same talk, and has another value.

    The earlier one then speaks either of the same thing before it changed or of another thing that was asked for less. A live
    memory is left out only where the later answer names its value beside another one.
    """
    earlier, later = old.memory, new.memory
    if earlier.pinned or "sequel" in new.parts or new.parts["similarity"] < old.parts["similarity"]:
        return False
    if not _answers_as_much(old, new):
        return False
    instead = _instead(earlier.text, later.text, question)
    if not instead or (earlier.status is Status.LIVE and instead != BESIDE) or _are_parallel(earlier.text, later.text):
        return False
    alike = likeness.most(earlier, later)
    return alike >= (LEAST_ALIKE_BESIDE if instead == BESIDE else IN_TALK) and not _is_of_another_kind(earlier, later, alike)


def _instead(earlier: str, later: str, question: str) -> str:
    """How a later text has another value of a kind that an earlier one has: in its place, or beside it; or nothing."""
    from dreamd.extraction.turns.revisions import values_of

    mine, theirs, asked = values_of(earlier), values_of(later), values_of(question)
    shared = (mine.keys() & theirs.keys()) - _UNTOLD - asked.keys()
    if any(mine[kind] < theirs[kind] for kind in shared):
        return BESIDE
    return IN_PLACE if any(mine[kind].isdisjoint(theirs[kind]) for kind in shared) else ""


def _are_parallel(earlier: str, later: str) -> bool:
    """Whether two texts say the same kind of thing of two things: each has words of its own beside those they share."""
    mine, theirs = _subject(earlier), _subject(later)
    shared = mine & theirs
    return len(shared) >= HALF * min(len(mine), len(theirs)) > 0 and bool(mine - theirs) and bool(theirs - mine)


def is_answered_anew(old: Ranked, new: Ranked, likeness: float) -> bool:
    """Whether one answer to a question is plainly what the other said before, with the value of today.

    Live memories are left alone: a night has weighed them against each other.
    """
    earlier, later = old.memory, new.memory
    if earlier.status not in (Status.SAID, Status.STALE) or earlier.pinned or likeness < ANEW:
        return False
    needed = NEARLY_AS_NEAR if likeness >= MUCH_ALIKE else AS_NEAR
    if new.parts["similarity"] < needed * old.parts["similarity"] or not is_of_another_day(earlier, later):
        return False
    if likeness >= MUCH_ALIKE and _tells_it_changed(old, new):
        return True
    if _answers_as_much(old, new) and _has_other_value(old, new):
        return not _is_of_another_thing(earlier, later, likeness)
    verdict = judged(earlier, later, likeness)
    return verdict.relation is Relation.UPDATES and verdict.newer == "b"


def _stands_behind(old: Ranked, new: Ranked, likeness: float) -> bool:
    """Whether the earlier of two answers belongs behind the later one: enough for an order that hides nothing."""
    if likeness < LEAST_ALIKE or new.parts["similarity"] < NEARLY_AS_NEAR * old.parts["similarity"]:
        return False
    if not is_of_another_day(old.memory, new.memory):
        return False
    return _tells_it_changed(old, new) or (_answers_as_much(old, new) and _has_other_value(old, new))


def _tells_it_changed(old: Ranked, new: Ranked) -> bool:
    """Whether the later answer tells of a change and has another value of a kind that the earlier has, of one thing."""
    earlier, later = old.memory.text, new.memory.text
    return _instead(earlier, later, "") != "" and _tells_a_change(later) and not _are_parallel(earlier, later)


def _answers_as_much(old: Ranked, new: Ranked) -> bool:
    """Whether the later answer has the words of the question that the earlier has, or was found through it."""
    if "sequel" in new.parts and "named" not in new.parts:
        return True
    return new.parts["words"] >= (ITS_WORDS_NAMED if "named" in new.parts else ITS_WORDS) * old.parts["words"]


def is_of_another_day(earlier: Memory, later: Memory) -> bool:
    """Whether one was said clearly later, in another conversation of the same scope."""
    apart = later.confirmed_at - earlier.confirmed_at >= CLEARLY_LATER and earlier.scope == later.scope
    return apart and set(earlier.spoken_in).isdisjoint(later.spoken_in)


def _has_other_value(old: Ranked, new: Ranked) -> bool:
    """Whether both answers have what was asked for, or a value of one kind each, and the later one has another."""
    from dreamd.extraction.turns.revisions import values_of

    mine, theirs = values_of(old.memory.text), values_of(new.memory.text)
    shared = (mine.keys() & theirs.keys()) - {"name"}  # capitals name something, and not always what is asked for
    if any(mine[kind].isdisjoint(theirs[kind]) for kind in shared):
        return True
    if shared and all(mine[kind] <= theirs[kind] for kind in shared):
        return not mine.keys() <= theirs.keys() and _tells_a_change(new.memory.text)
    both_answer = "asked_for" in old.parts and "asked_for" in new.parts
    # Where both name the same one, the later says something else of it.
    same = not mine.get("name", set()).isdisjoint(theirs.get("name", set()))
    return (both_answer and not same) or _tells_a_change(new.memory.text)


def _tells_a_change(text: str) -> bool:
    from dreamd.judge import extract_slots  # a search that starts anew should not pay for what it seldom needs

    return bool(extract_slots(text).changes)


def _is_of_another_thing(earlier: Memory, later: Memory, likeness: float) -> bool:
    """Whether the judge of relations sees two things in two texts: two environments, two colours, two people."""
    found = judged(earlier, later, likeness)
    apart = (str(clue).startswith(_OTHER_THING) and not str(clue).startswith("different weekday") for clue in found.evidence)
    return found.relation is Relation.UNRELATED or any(apart)


def _is_of_another_kind(earlier: Memory, later: Memory, likeness: float) -> bool:
    """Whether the judge sees two things in what both texts say of them: two environments, two colours."""
    clues = judged(earlier, later, likeness).evidence
    return any(str(clue).startswith("different ") and not str(clue).startswith("different weekday") for clue in clues)


def judged(one: Memory, other: Memory, likeness: float) -> Judgement:
    """The judge's verdict by rules on two results. One answer asks for that of a pair up to three times."""
    return _verdict(one.text, one.confirmed_at, other.text, other.confirmed_at, likeness)


@lru_cache(maxsize=256)
def _verdict(one: str, one_at: datetime, other: str, other_at: datetime, likeness: float) -> Judgement:
    from dreamd.judge import Statement, judge

    return judge(Statement(one, one_at), Statement(other, other_at), similarity=likeness)


def is_replaced(earlier: str, later_text: str, likeness: float, *, later: bool) -> bool:
    """Whether a text said `later` on the same topic ends what an earlier one says."""
    if not later or likeness < TOPIC:
        return False
    # Most questions are answered by memories alone, and a search that starts anew should not pay for what it does not need.
    from dreamd.extraction.turns.revisions import values_of
    from dreamd.judge import extract_slots

    if any(re.search(rf"(?<!\w){re.escape(old)}(?!\w)", earlier, re.IGNORECASE) for old in _ended_in(later_text)):
        return True
    if likeness < SAME and not extract_slots(later_text).changes:
        return False
    if _tell_of_two(earlier, later_text):
        return False
    mine, theirs = values_of(earlier), values_of(later_text)
    if likeness >= SAME and mine and all(values < theirs.get(kind, values) for kind, values in mine.items()):
        return True  # it has every value of the earlier text, and beside each the one that counts
    if all(not mine[kind].isdisjoint(theirs[kind]) for kind in mine.keys() & theirs.keys()):
        return False
    mine_of, theirs_of = _subject(earlier), _subject(later_text)
    return len(mine_of & theirs_of) >= OF_ONE_SUBJECT * min(len(mine_of), len(theirs_of)) > 0


def _tell_of_two(earlier: str, later: str) -> bool:
    """Whether two texts built alike name two things: "tenant 17 uses …" and "tenant 18 uses …"."""
    if not differ_in_their_subject(earlier, later):
        return False
    verdict = _verdict(earlier, _ONE_DAY, later, _ONE_DAY, 1.0)
    return verdict.relation in (Relation.RELATED, Relation.UNRELATED)


@lru_cache(maxsize=4096)
def _subject(text: str) -> frozenset[str]:
    """What a text speaks of, without the values it gives."""
    from dreamd.extraction.turns.revisions import values_of

    bare = text.lower()
    for value in sorted((value for values in values_of(text).values() for value in values), key=len, reverse=True):
        bare = bare.replace(value, " ")
    return word_roots(bare)


@lru_cache(maxsize=4096)
def _ended_in(text: str) -> tuple[str, ...]:
    """What a text says is no longer so, by name."""
    found = [match["old"].strip("`") for pattern in (_GONE, _TAKEN_OVER) for match in pattern.finditer(text)]
    return tuple(dict.fromkeys(name for name in (*found, named_old(text)) if len(name) > 1))
