"""The running account of a stretch of conversation: what was kept, and how a second thought takes it back or sets it right."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from dreamd.core.clock import EARLIEST
from dreamd.core.values import AGENT_WROTE, ONE_OFF, REVISED, Candidate, Event, Observation, Origin, Scope, text_sha
from dreamd.extraction.conversation import SPOKEN_OF
from dreamd.extraction.revisions import REVISION, Revision, is_bare, put_right, revision_of, speaks_of
from dreamd.extraction.setting import last_words
from dreamd.extraction.stance import is_question, leans
from dreamd.extraction.surely import may_last, sign_of, states
from dreamd.extraction.utterance import LONGEST_SENTENCE, cleaned, sentences, shortened, speech
from dreamd.models.lasting_net import Lasts
from dreamd.text.alike.parallels import puts_another

LASTS, MAY_LAST = 0.5, -2.0
"""From where on a sentence without a sure form lasts, and down to where one with a form that is only likely does (logits);
`tests/bench/lasting_train.py` chooses them on authors left out.
"""
LEANS, ADRIFT = 0.5, 0.0
"""From where on a sentence that was read leans on what was said before it, and on more than its own message holds (logits)."""
LASTING = "lasting"
MOST_TURNS = 3
MOST_TOLD = 6
"""Turns, and sentences of one, that a message may still speak of."""
_SAME_SHARE = 0.6
_WORD = re.compile(r"\w{3,}")


class Read(NamedTuple):
    """What a sentence is by itself, and whether it says too little without its message, or even with it."""

    sign: str
    leans: bool = False
    adrift: bool = False


@dataclass
class Talk:
    """The running account of one stretch."""

    scope: Scope
    source_id: str
    seen: list[str]
    earlier: list[Observation]
    """What was kept of the stretches before, newest first."""
    found: list[Candidate] = field(default_factory=list)
    skips: Counter[str] = field(default_factory=Counter)
    withheld: list[Candidate] = field(default_factory=list)
    """What was found and let go again; said it was all the same."""
    turn_from: int = 0
    """Where in `found` the candidates of the running turn begin."""
    turns_since: int = 0
    """Messages with substance since the last kept sentence, the running one included."""
    takes_back: str = ""
    """The observation of an earlier stretch that the running message speaks of, until something stands in its place."""
    revised: bool = False
    """Whether the running message set an earlier word right: what else it says stands in the place of that."""
    turns: list[tuple[list[str], list[str]]] = field(default_factory=list)
    """What the person said and what the agent answered, sentence by sentence, oldest first."""
    stated: dict[str, int] = field(default_factory=dict)
    """What was stated plainly and not kept, as checksums, with where that was."""
    last_said: str = ""
    """What the person said last in the stretch before, until they say something in this one."""
    lasts: Lasts | None = None
    """What reads how surely a sentence is meant to last; without it only a sure form makes a memory."""
    before: list[str] = field(default_factory=list)
    """What the agent said since the person's last message, and asked with the running one."""

    def add(self, event: Event, text: str, *, sign: str, origin: Origin = Origin.USER) -> None:
        """Keep a statement, unless it was kept before."""
        text = shortened(text)
        known = checksum(text)
        if known in self.seen:
            self.skips["said-before"] += 1
            return
        self.seen.append(known)
        self.turns_since = 0
        target = self.takes_back if origin is Origin.USER else ""
        self.takes_back = self.takes_back if not target else ""
        self.found.append(Candidate(
            text=text, origin=origin, at=event.at or EARLIEST, scope=self.scope, conversation=event.conversation,
            explicit=False, sign=sign, source_id=self.source_id, start=event.start, end=event.end, target=target))

    def says_again(self, event: Event, text: str, told: str) -> bool:
        """Whether the person stated the same in an earlier message of the conversation: by now it is meant to be known."""
        return states(text) and self.stated.setdefault(checksum(told), event.start) != event.start

    def read(self, text: str, earlier: Sequence[str], sign: str) -> Read:
        """A sentence once it was read with what was said before it: its sign, whatever form it has, or in spite of it.

        What follows nothing is heard by its form alone: whoever hands over the words of others often opens with them.
        """
        formed = sign not in ("", ONE_OFF)
        if self.lasts is None or not formed and not may_last(text):
            return Read(sign)
        before = next(filter(None, map(last_words, reversed(self.before))), "")
        if not before:
            return Read(sign)
        read = self.lasts(before, " ".join(earlier), text)
        if formed:
            sign = sign if read.lasts >= MAY_LAST else ""
        elif read.lasts >= LASTS:
            sign = LASTING
        return Read(sign, leans=read.leans >= LEANS, adrift=read.adrift >= ADRIFT)

    def disown(self, event: Event) -> None:
        """What the person's last message held were the words of others: nothing of it is theirs."""
        last = next((one for one in reversed(self.found) if one.origin is Origin.USER), None)
        if last is None or last.conversation != event.conversation or self.turns_since > 1:
            return
        theirs = [one for one in self.found if (one.conversation, one.start) == (last.conversation, last.start)
                  and one.origin is Origin.USER]
        self.found = [one for one in self.found if one not in theirs]
        self.skips["disowned"] += len(theirs)

    def hear_agent(self, prose: str) -> None:
        """Keep what the agent said in mind: a person may speak of what it names."""
        self.before.append(prose)
        heard = [cleaned(s) for paragraph in speech(prose) for s in sentences(paragraph)]
        stated = [s for s in heard if len(s) <= LONGEST_SENTENCE // 2 and not is_question(s)]
        if not self.turns:
            self.turns.append(([], []))
        self.turns[-1][1].extend(stated[-MOST_TOLD:])

    def hear_person(self, said: list[str]) -> None:
        """Keep what the person said in mind: their next message may speak of it."""
        self.turns = [*self.turns[1 - MOST_TURNS:], ([text[:LONGEST_SENTENCE] for text in said[-MOST_TOLD:]], [])]

    def leave_to_agent(self) -> None:
        """Let go what the running turn gave, for the agent wrote a memory of it itself."""
        given = self.found[self.turn_from:]
        self.skips[AGENT_WROTE] += len(given)
        self.withheld += [replace(one, sign=AGENT_WROTE, target="") for one in given]
        del self.found[self.turn_from:]

    def undo(self, event: Event, revision: Revision) -> Candidate | Observation | None:
        """Withdraw the kept sentence that a second thought speaks of."""
        spoken_of = self._spoken_of(event, revision)
        if spoken_of is None:
            return None
        if isinstance(spoken_of, Observation):
            self.earlier.remove(spoken_of)
            self.takes_back = f"{SPOKEN_OF}{spoken_of.id}"
        else:
            self.found.remove(spoken_of)
            self.withheld.append(replace(spoken_of, sign=REVISED, target=""))
            self.turn_from = min(self.turn_from, len(self.found))
        known = checksum(spoken_of.text)
        self.seen = [one for one in self.seen if one != known]
        self.skips["taken-back"] += 1
        self.revised = True
        return spoken_of

    def left_of(self, event: Event, text: str) -> str:
        """What is left to weigh of a sentence that has undone the earlier word it speaks of; nothing when it is dealt with."""
        revision = revision_of(text)
        if revision is None:
            return text
        undone = self.undo(event, revision)
        if undone is not None:
            readable = sign_of(revision.rest) not in ("", ONE_OFF)
            fixed = put_right(undone.text, revision.rest, unreadable=not readable)
            if fixed is not None:
                self.add(event, cleaned(fixed), sign="correction")
                return ""
        return "" if not revision.rest or is_bare(revision.rest) else revision.rest

    def _spoken_of(self, event: Event, revision: Revision) -> Candidate | Observation | None:
        """The last kept sentence of the person, or the last one that is named."""
        at = event.at or EARLIEST
        words_kept: list[Candidate | Observation] = [*reversed(self.found), *self.earlier]
        near = [kept for kept in words_kept if kept.origin is Origin.USER and kept.conversation == event.conversation
                and abs(at - kept.at) <= REVISION]
        if self._is_of_last_words(revision, near):
            return None
        fits = next((kept for kept in near if speaks_of(revision, kept.text)), None)
        if fits is not None:
            return fits
        said_last = bool(near) and near[0] is words_kept[0] and self.turns_since <= 1
        return near[0] if said_last and revision.sure and not revision.about else None

    def _is_of_last_words(self, revision: Revision, near: Sequence[Candidate | Observation]) -> bool:
        """Whether a second thought puts right what the person said last, and nothing of that was kept here."""
        said = self.turns[-1][0] if self.turns and self.turns[-1][0] else [self.last_said]
        fits = [text for text in said if text and put_right(text, revision.rest) is not None] if not revision.about else []
        return bool(fits) and not any(_is_alike(kept.text, text) for kept in near for text in fits)


def begins_a_second_thought(text: str, following: str) -> bool:
    """Whether a sentence only says that something was wrong, and the next one gives the value: "wait, that's the old one"."""
    revision = revision_of(text)
    return revision is not None and leans(revision.rest) and revision_of(following) is None and is_bare(following)


def checksum(text: str) -> str:
    """A short sum that tells whether the same was said before."""
    return text_sha(text.lower().rstrip(".!。！ "))[:16]


def _is_alike(one: str, other: str) -> bool:
    """Whether one says nearly all of the other and the other nothing else: a word in the place of one may be another thing."""
    if puts_another(one, other):
        return False
    mine, theirs = set(_WORD.findall(one.lower())), set(_WORD.findall(other.lower()))
    shared = mine & theirs
    return len(shared) >= 3 and shared in (mine, theirs) and len(shared) >= _SAME_SHARE * max(len(mine), len(theirs))
