"""What a person said and no candidate carries: kept as it was said, so that it stays findable, and nothing more.

Extraction leaves sentences out, and has to: who takes everything remembers remarks on the work at hand. So all else that a
person said becomes observations of their own, of which no memory is made: only a yes, a greeting and a plain question, in
which nothing can be found, are left out. What its person took back a moment later is dropped here too.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import tzinfo

from dreamd.core.clock import EARLIEST
from dreamd.core.values import (
    AGENT_WROTE,
    IN_PASSING,
    ONE_OFF,
    REVISED,
    Candidate,
    Event,
    EventKind,
    Observation,
    Origin,
    Scope,
    Speaker,
    text_sha,
)
from dreamd.extraction.answered import LONGEST_ANSWER, LONGEST_REPLY, SHORT_ANSWER, offered, taken_up
from dreamd.extraction.borrowed import typed, unmeant_as
from dreamd.extraction.conversation import HUMAN, SPOKEN_OF, TAKEN_BACK
from dreamd.extraction.gate import is_acknowledgement
from dreamd.extraction.revisions import REVISION, Revision, is_bare, put_right, revision_of, speaks_of
from dreamd.extraction.setting import Settings, setting_in
from dreamd.extraction.stance import asks_for_a_nod, is_fragment, is_question, leans, without_item, without_substance
from dreamd.extraction.surely import DEFINITE
from dreamd.extraction.utterance import cleaned, sentences, shortened
from dreamd.text import patterns
from dreamd.text.alike.parallels import are_built_alike, puts_another
from dreamd.text.dates import make_durable
from dreamd.text.redaction import redact

SHORTEST = 30
"""A sentence shorter than this goes with the one before it."""
LITTLE = 16
"""A sentence shorter than this is kept with the one beside it."""
LONGEST_QUESTION = 200
LONGEST_HEARD = 1_000
LONGEST_PASSAGE = 280
LONGEST_CONTEXT = 160
SHORT_MESSAGE = 160
FEWEST_TERMS = 2
CARRIED = 0.75
"""Share of a sentence's words that a candidate of the same message must have for the sentence to be carried by it."""
FEWEST_ALIKE = 3
_CLAUSE = re.compile(r"[,;:]\s+")
_PRINTED = re.compile(r"\b(?:FATAL|ERROR|Fatal|\w*(?:Error|Exception|Violation))\b\s*[:(]")
"""What a program prints when it fails."""
_TERM = re.compile(r"[^\W_]{3,}|\d+|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


@dataclass(frozen=True)
class Stretch:
    """Where a stretch of conversation was heard."""

    scope: Scope
    zone: tzinfo
    source_id: str = ""
    earlier: Sequence[Observation] = ()
    """What was said in passing in the stretches before, newest first."""
    settings: Settings = field(default_factory=dict)
    """What was said just before each message."""


@dataclass
class _Heard:
    """The running account of one stretch."""

    stretch: Stretch
    carried: Sequence[tuple[Candidate, frozenset[str]]]
    """What became a candidate, with its words."""
    earlier: list[Observation]
    """What of the stretches before stands yet."""
    found: list[Candidate] = field(default_factory=list)
    before: str = ""
    """What the person said last."""
    turn_from: int = 0
    """Where in `found` the running turn begins."""
    last_from: int = 0
    """Where the turn before it began."""
    withheld: list[Candidate] = field(default_factory=list)
    """What was found and let go again."""


def find_passages(events: Sequence[Event], carried: Sequence[Candidate], stretch: Stretch,
                  withheld: list[Candidate] | None = None) -> list[Candidate]:
    """What a person said in a stretch that none of its candidates carries and that is worth finding again.

    What was let go again, and is not among the `withheld` yet, is added to them with the sign that says why.
    """
    # What waits to be said again is no memory yet.
    told = [(one, _terms(one.text)) for one in carried if one.sign != ONE_OFF]
    heard = _Heard(stretch, told, list(stretch.earlier))
    for event in events:
        if event.kind is EventKind.MEMORY_WRITE:
            heard.withheld += [replace(one, sign=AGENT_WROTE, target="") for one in heard.found[heard.turn_from:]]
            del heard.found[heard.turn_from:]
        elif event.kind in HUMAN and event.speaker is Speaker.HUMAN:
            heard.last_from, heard.turn_from = heard.turn_from, len(heard.found)
            _listen(heard, event)
    if withheld is not None:
        known = {text_sha(one.text.lower()) for one in withheld}
        withheld += [one for one in heard.withheld if text_sha(one.text.lower()) not in known]
    return heard.found


def _listen(heard: _Heard, event: Event) -> None:
    """Take one message of a person apart."""
    setting = setting_in(heard.stretch.settings, (event.conversation, event.start), f"{event.question} {event.text}")
    # Masked before anything is taken apart: a secret without the words beside it is not recognised any more.
    text = (setting.message if setting else redact(event.text).text).strip()
    before, heard.before = heard.before, "" if is_acknowledgement(text) else cleaned(text)[-LONGEST_CONTEXT:]
    for stated in (told for told in taken_up(setting, text) if not _PRINTED.search(told)):
        heard.found.append(replace(_candidate(heard, event, stated), origin=Origin.AGENT))
    if not text or is_acknowledgement(text):
        return
    asked = _asked(event, text)
    if asked and len(text) <= SHORT_ANSWER and revision_of(text) is None:
        if offer := offered(setting, text):
            _keep(heard, event, f"{offer} {cleaned(text)}")
        elif not _is_nod(asked, text) and not _is_carried(heard, event, cleaned(text)):
            _keep(heard, event, f"{asked} {cleaned(text)}")
        return
    parts: list[_Part] = []
    said = _said(text)
    if said and (offer := offered(setting, text)):
        said.pop(0)
        _keep(heard, event, f"{offer} {cleaned(sentences(text)[0])}")
    for sentence in said:
        revision = revision_of(sentence)
        left = cleaned(sentence if revision is None else _put_right(heard, event, revision))
        if left and not is_acknowledgement(left) and not unmeant_as(left):
            # Who asks may use the words around a short sentence, of which no memory has any.
            carried = _is_carried(heard, event, left)
            wanted = _is_worth_finding(left, beside=bool(parts)) and (bool(parts) and len(left) < SHORTEST or not carried)
            parts.append(_Part(left, wanted, carried))
    for n, passage in enumerate(_chunks(_needed(parts))):
        context = asked or (before if leans(passage) and len(passage) <= SHORT_ANSWER else "")
        _keep(heard, event, f"{context} {passage}" if context and not n else passage)


@dataclass(frozen=True)
class _Part:
    """One sentence of a message, and whether it is worth finding and carried by nothing."""

    text: str
    wanted: bool
    carried: bool = False


def _said(text: str) -> list[str]:
    """The sentences of a message that the person typed."""
    found = (without_item(s[:LONGEST_HEARD]) for paragraph in typed(text) for s in sentences(paragraph))
    return [s for s in found if not is_fragment(s)]


def _asked(event: Event, text: str) -> str:
    """The question that a message of moderate length follows: what is said may be understood with it alone."""
    asked = (sentences(redact(event.question).text) or [""])[-1].strip()
    longest = LONGEST_ANSWER if event.kind is EventKind.ANSWER else LONGEST_REPLY
    return asked if asked.endswith(("?", "？")) and len(asked) <= LONGEST_QUESTION and len(text) <= longest else ""


def _is_nod(asked: str, text: str) -> bool:
    """Whether an answer is a yes or a no and nothing else, or only tells the agent to do what it offers."""
    if is_acknowledgement(text) or patterns.cue("words/sure", "affirmation", whole=True).match(text):
        return True
    little = not DEFINITE.search(text, 1) and len(_terms(text) - without_substance()) < FEWEST_TERMS
    return little and patterns.has("words/sure", "offer", asked)


def _needed(parts: Sequence[_Part]) -> list[str]:
    """What is wanted of a message: all of a short one, or the sentences with those they can only be understood with."""
    kept = {n for n, part in enumerate(parts) if part.wanted}
    if kept and sum(len(part.text) for part in parts) <= SHORT_MESSAGE:
        leaning = any(_leans(part.text) for part in parts if part.wanted)
        return [part.text for part in parts if part.wanted or not (is_question(part.text) or part.carried and not leaning)]
    kept |= {n - 1 for n in kept if n and (_leans(parts[n].text) or not _says_enough(parts[n].text))}
    return [parts[n].text for n in sorted(kept)]


def _chunks(said: Sequence[str]) -> list[str]:
    """Each sentence by itself, with those it can only be understood with or that say little, as far as one passage reaches."""
    chunks: list[str] = []
    for text in said:
        joins = bool(chunks) and (_leans(text) or min(len(chunks[-1]), len(text)) < LITTLE)
        if joins and len(chunks[-1]) + len(text) < LONGEST_PASSAGE:
            chunks[-1] = f"{chunks[-1]} {text}"
        else:
            chunks.append(text)
    return chunks


def _is_worth_finding(text: str, *, beside: bool) -> bool:
    """Whether a sentence says something that can be asked for; one that stands `beside` another in its message may say less."""
    objects = asks_for_a_nod(text) or patterns.starts("words/phrases", "objects", text)
    if _PRINTED.search(text) or (is_question(text) and not objects):
        return False
    telling = [clause for clause in _CLAUSE.split(text) if not is_acknowledgement(clause)]
    said = _terms(" ".join(telling)) - without_substance()
    return DEFINITE.search(text, 1) is not None or len(said) >= FEWEST_TERMS - 2 * beside


def _leans(text: str) -> bool:
    """Whether a sentence speaks of what the one before it named."""
    return leans(text) or patterns.starts("words/phrases", "pronoun", text)


def _says_enough(text: str) -> bool:
    return (patterns.fullness(text) if patterns.WIDE.search(text) else len(text)) >= SHORTEST


def _put_right(heard: _Heard, event: Event, revision: Revision) -> str:
    """Undo the passage that a second thought speaks of; gives what the thought says besides."""
    spoken_of = _spoken_of(heard, event, revision)
    left = "" if not revision.rest or is_bare(revision.rest) else revision.rest
    if spoken_of is None:
        return left
    fixed = put_right(spoken_of.text, revision.rest, unreadable=True)
    target = ""
    if isinstance(spoken_of, Observation):
        heard.earlier.remove(spoken_of)
        target = f"{SPOKEN_OF}{spoken_of.id}"
    else:
        heard.found.remove(spoken_of)
        heard.withheld.append(replace(spoken_of, sign=REVISED, target=""))
        heard.turn_from = min(heard.turn_from, len(heard.found))
    if fixed is not None and not _is_carried(heard, event, cleaned(fixed)):
        _keep(heard, event, cleaned(fixed), target=target)
    elif target:
        told = revision.rest or redact(event.text).text
        heard.found.append(replace(_candidate(heard, event, told), sign=TAKEN_BACK, target=target))
    return left if fixed is None else ""


def _spoken_of(heard: _Heard, event: Event, revision: Revision) -> Candidate | Observation | None:
    """The last passage of the person that a second thought fits, or what they said last."""
    at = event.at or EARLIEST
    said: list[Candidate | Observation] = [*reversed(heard.found), *heard.earlier]
    for one in said:
        if one.sign != IN_PASSING or one.conversation != event.conversation or abs(at - one.at) > REVISION:
            continue
        if speaks_of(revision, one.text):
            return one
    last = heard.found[heard.last_from:]
    return last[-1] if last and revision.sure and not revision.about else None


def _keep(heard: _Heard, event: Event, text: str, *, target: str = "") -> None:
    """Add a passage, unless it was said before."""
    one = _candidate(heard, event, text)
    if all((one.conversation, one.text) != (other.conversation, other.text) for other in heard.found):
        heard.found.append(replace(one, target=target))


def _candidate(heard: _Heard, event: Event, text: str) -> Candidate:
    # As it was said: who is shown the words is shown their day as well.
    at, said, where = event.at or EARLIEST, redact(shortened(text)).text, heard.stretch
    return Candidate(said, Origin.USER, at, where.scope, event.conversation, ttl=make_durable(said, at, where.zone).ttl,
                     explicit=False, sign=IN_PASSING, source_id=where.source_id, start=event.start, end=event.end)


def _is_carried(heard: _Heard, event: Event, text: str) -> bool:
    """Whether a candidate says it: one of the same message, or one that says it again within minutes."""
    mine, at = _terms(text), event.at or EARLIEST
    for one, theirs in heard.carried:
        if one.conversation != event.conversation:
            continue
        common = len(mine & theirs)
        if (one.start, one.at) == (event.start, at):
            if common >= CARRIED * len(mine) and not any(term.isdigit() for term in mine - theirs) and (
                    mine <= theirs or not are_built_alike(text, one.text)):
                return True
        elif at <= one.at <= at + REVISION and common >= max(FEWEST_ALIKE, CARRIED * max(len(mine), len(theirs))) and (
                not puts_another(text, one.text)):
            return True
    return False


def _terms(text: str) -> frozenset[str]:
    return frozenset(_TERM.findall(text.casefold()))
