"""Which of two answers is of today: what a night found to be over is left out, and of two values the later stands first.

Two answers to one question tell more than two texts alone: where both have a value of the kind that is asked for, and speak
of much the same, the later one is most likely the answer. That much is enough to show it first, and never to leave out the
earlier one: only a verdict does that (`weighed`), for what is left out is lost from the answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import lru_cache

from dreamd.core.values import Memory, Relation, Status
from dreamd.recall.ranking import Ranked, named_old, word_roots
from dreamd.recall.weighed import Weighed
from dreamd.text.alike.parallels import differ_in_their_subject

OF_ONE_SUBJECT = 0.34
"""Share of the words of the shorter text, its values left out, that both have where they speak of one thing."""
TOPIC = 0.37
"""Likeness from which a text that tells of a change speaks of the same thing."""
SAME = 0.62
"""Likeness from which two texts speak of the same thing without a word of change."""
NEARLY_AS_NEAR = 0.6
"""Share of the earlier answer's nearness to the question that the later one needs."""
ITS_WORDS = 0.8
"""Share of the question's words that the earlier answer has which the later one needs: else it answers another question."""
IN_TALK = 0.44
"""Likeness from which two texts, each behind what was said before it, speak of the same thing."""
HALF = 0.5
UNWEIGHED = Weighed()
"""Where no dream has weighed anything."""
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
_CHANGE = re.compile(
    r"(?i:\b(?:now(?! and (?:then|again))|no longer|any ?more|instead|from now on|since (?:last|then)|moved?|switched|changed|"
    r"migrated|renamed|replace[sd]|bumped|raised|lowered|upgraded|postponed|took over|takes over|went|becomes?|became|used to"
    r"|jetzt|nun|ab sofort|nicht mehr|statt(?:dessen)?|umgezogen|gewechselt|verschoben|geändert|wird"
    r"|ahora|ya no|en vez de|a partir de|cambi\w+|désormais|maintenant|ne .{0,30}plus|au lieu de|remplac\w+"
    r"|agora|já não|em vez de|passou a|mudou)\b)|->|→")
"""Words that tell of a change."""
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


def currently(answers: Sequence[Ranked], likeness: Likeness, question: str = "", weighed: Weighed = UNWEIGHED) -> list[Ranked]:
    """Answers to one question without what a later one among them ended, and with the later of two values first."""
    gone = {old.memory.id for old in answers for new in answers if is_over(old.memory, new.memory, weighed)}
    order = [one for one in answers if one.memory.id not in gone]
    for new in list(order):
        at = order.index(new)
        first = next((n for n, old in enumerate(order[:at]) if _stands_behind(old, new, likeness, question, weighed)), at)
        order.insert(first, order.pop(at))
    return order


def is_over(earlier: Memory, later: Memory, weighed: Weighed) -> bool:
    """Whether a night found that something said on a later day took the place of what was only said, or of what is stale."""
    loose = (earlier.status in (Status.SAID, Status.STALE) or earlier.is_faded) and not earlier.pinned
    return loose and is_of_another_day(earlier, later) and weighed.is_past(earlier, later)


def _stands_behind(old: Ranked, new: Ranked, likeness: Likeness, question: str, weighed: Weighed) -> bool:
    """Whether the earlier of two answers belongs behind the later one: enough for an order that hides nothing."""
    earlier, later = old.memory, new.memory
    if not is_of_another_day(earlier, later):
        return False
    found = weighed.of(earlier, later)
    if found is not None and found.relation in (Relation.UPDATES, Relation.CONTRADICTS):
        return found.newer != "a"
    if found is not None and found.relation is Relation.UNRELATED:
        return False
    alike = likeness.alone(earlier, later)
    if _is_answered_nearer(old, new, likeness, question):
        return True
    if is_replaced(earlier.text, later.text, alike, later=True) and not _are_parallel(earlier.text, later.text):
        return True
    if alike < LEAST_ALIKE or new.parts["similarity"] < NEARLY_AS_NEAR * old.parts["similarity"]:
        return False
    return _tells_it_changed(old, new) or (_answers_as_much(old, new) and _has_other_value(old, new))


def _is_answered_nearer(old: Ranked, new: Ranked, likeness: Likeness, question: str) -> bool:
    """Whether a later answer is at least as near to the question, of the same talk, and has another value.

    The earlier one then speaks either of the same thing before it changed or of another thing that was asked for less.
    """
    earlier, later = old.memory, new.memory
    if earlier.pinned or "sequel" in new.parts or new.parts["similarity"] < old.parts["similarity"]:
        return False
    if not _answers_as_much(old, new):
        return False
    instead = _instead(earlier.text, later.text, question)
    if not instead or (earlier.status is Status.LIVE and instead != BESIDE) or _are_parallel(earlier.text, later.text):
        return False
    return likeness.most(earlier, later) >= (LEAST_ALIKE_BESIDE if instead == BESIDE else IN_TALK)


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
    return _CHANGE.search(text) is not None


def is_replaced(earlier: str, later_text: str, likeness: float, *, later: bool) -> bool:
    """Whether a text said `later` on the same topic most likely ends what an earlier one says."""
    if not later or likeness < TOPIC:
        return False
    # Most questions are answered by memories alone, and a search that starts anew should not pay for what it does not need.
    from dreamd.extraction.turns.revisions import values_of

    if any(re.search(rf"(?<!\w){re.escape(old)}(?!\w)", earlier, re.IGNORECASE) for old in _ended_in(later_text)):
        return True
    if (likeness < SAME and not _tells_a_change(later_text)) or differ_in_their_subject(earlier, later_text):
        return False
    mine, theirs = values_of(earlier), values_of(later_text)
    if likeness >= SAME and mine and all(values < theirs.get(kind, values) for kind, values in mine.items()):
        return True  # it has every value of the earlier text, and beside each the one that counts
    if all(not mine[kind].isdisjoint(theirs[kind]) for kind in mine.keys() & theirs.keys()):
        return False
    mine_of, theirs_of = _subject(earlier), _subject(later_text)
    return len(mine_of & theirs_of) >= OF_ONE_SUBJECT * min(len(mine_of), len(theirs_of)) > 0


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
