"""From the events of a conversation to candidates, without a language model.

What people type is the signal. Each message is told from its pastes, split into sentences and weighed sentence by
sentence; short answers are joined with their question; of the agent's own words only a root cause counts that the person
then accepted. A stretch in which the agent wrote a memory itself is left alone: the agent's note is the observation.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

from dreamd.extraction import words
from dreamd.extraction.answers import norm_of, statement_of
from dreamd.extraction.borrowed import has_an_end, unmeant_as, without_handed_over
from dreamd.extraction.conversation import SPOKEN_OF, TAKEN_BACK, ConversationState, Extraction
from dreamd.extraction.gate import is_acknowledgement, is_editing_instruction, is_history
from dreamd.extraction.passing import is_mentioned, without_order
from dreamd.extraction.revisions import Revision, is_bare, is_named_in, is_same_subject, put_right, revision_of
from dreamd.extraction.signs import ENOUGH, Weighed, is_at_work, is_one_off, weigh
from dreamd.extraction.speech import LONGEST_SENTENCE, cleaned, items, sentences, shortened, speech, without_request
from dreamd.extraction.stance import (
    is_fragment,
    is_marked,
    is_question,
    leans,
    rule_of_complaint,
    without_item,
    without_lead,
    without_tail,
)
from dreamd.model import Candidate, Event, EventKind, Observation, Origin, Scope, Speaker, text_sha

SHORT_ANSWER = 60
LONGEST_HEARD = 1_000
"""A sentence longer than this is weighed by its beginning."""
SHORT_DENIAL = 45
SHORTEST_ANTECEDENT = 30
SHORTEST_LIST = 3
REACH_BACK = 3
"""How many sentences back a "this" may point."""
REVISION = timedelta(minutes=30)
REMEMBERED = 24
"""Wordings kept as checksums, so a repeated prompt is not a second statement of the same conversation."""
_SAME_SHARE = 0.6
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_HUMAN = frozenset({EventKind.PROMPT, EventKind.REFUSAL, EventKind.ANSWER})
_WORD = re.compile(r"\w{3,}")
_REASON_START = re.compile(
    r"(?i)\s*(?:because|'?cause|since|otherwise|it's (?:be)?cause|that's because|the reason|so that|weil|denn|sonst|porque"
    r"|parce que|car|sinon"
    r"|pois|因为|否则|なぜなら|왜냐하면)")
_REASON_INSIDE = re.compile(r"(?i), so (?:it|that|there|they|we)\b|\bbecause\b|, (?:weil|denn|deshalb)\b|, por eso|, donc\b")
_LATTER = re.compile(
    r"(?i)(?:the (?:latter|former|other one|first one|second one)|both|neither|same (?:for|with|goes)|likewise|letztere"
    r"|das gleiche|lo mismo|de même)\b")


@dataclass
class _Talk:
    """The running account of one stretch."""

    scope: Scope
    source_id: str
    causes: list[str]
    seen: list[str]
    earlier: list[Observation]
    """What was kept of the stretches before, newest first."""
    found: list[Candidate] = field(default_factory=list)
    skips: Counter[str] = field(default_factory=Counter)
    turn_from: int = 0
    """Where in `found` the candidates of the running turn begin."""
    turns_since: int = 0
    """Messages with substance since the last kept sentence, the running one included."""
    mentioned: frozenset[str] = frozenset()
    """Sentences of the running message that come by the way."""
    takes_back: str = ""
    """The observation of an earlier stretch that the running message speaks of, until something stands in its place."""
    revised: bool = False
    """Whether the running message set an earlier word right: what else it says stands in the place of that."""


def extract(events: Sequence[Event], *, scope: Scope, state: ConversationState | None = None, source_id: str = "",
            earlier: Sequence[Observation] = ()) -> Extraction:
    """Find what may be worth remembering in a stretch of conversation.

    `earlier` is what was last kept of the stretches before, newest first: a second thought may speak of it.
    """
    state = state or ConversationState()
    talk = _Talk(scope, source_id, list(state.causes), list(state.seen), list(earlier))
    for event in events:
        if event.kind is EventKind.MEMORY_WRITE:
            talk.skips["agent-wrote-memory"] += len(talk.found) - talk.turn_from
            del talk.found[talk.turn_from:]
            talk.causes.clear()
        elif event.kind is EventKind.PROSE and event.speaker is Speaker.AGENT:
            talk.causes = _causes(event.text) or talk.causes
        elif event.kind in _HUMAN:
            if event.speaker is not Speaker.HUMAN:
                talk.skips["not-a-person"] += 1
                continue
            talk.turn_from = len(talk.found)
            _listen(talk, event)
            if talk.takes_back:
                _add(talk, event, shortened(event.text), sign=TAKEN_BACK)
    kept = _last_versions(talk.found)
    talk.skips["revised"] += len(talk.found) - len(kept)
    return Extraction(tuple(kept), +talk.skips, ConversationState(tuple(talk.causes[-3:]), tuple(talk.seen[-REMEMBERED:])))


def _listen(talk: _Talk, event: Event) -> None:
    """Take one message of a person apart."""
    text = event.text.strip()
    _accepted(talk, event)
    talk.turns_since += 1
    talk.revised = False
    revision = revision_of(text[:LONGEST_SENTENCE])
    if revision is not None and revision.sure and len(text) <= SHORT_ANSWER and not revision.rest:
        _undo(talk, event, revision)
        return
    if revision is None and text and event.question and len(text) <= SHORT_ANSWER and _is_answer(talk, event, text):
        return
    if not text or is_acknowledgement(text):
        talk.skips["acknowledgement"] += 1
        talk.turns_since -= 1
        return
    paragraphs = speech(without_handed_over(text))
    if not paragraphs:
        talk.skips["paste"] += 1
        return
    before = len(talk.seen)
    talk.mentioned = _mentioned(paragraphs)
    denied = words.has("words/rules", "denial", text[:LONGEST_SENTENCE])
    _listen_to([s for paragraph in paragraphs for s in _said(paragraph)], talk, event, denied=denied)
    if len(talk.seen) == before and not talk.revised:
        talk.skips["no-sign"] += 1


def _said(paragraph: str) -> list[str]:
    """The sentences of a paragraph, each without what only leads up to it; a list of things to do says nothing lasting."""
    listed = items(paragraph)
    if len(listed) >= SHORTEST_LIST and sum(map(_is_to_do, listed)) * 2 >= len(listed):
        paragraph = "\n".join(line for line in paragraph.splitlines() if not items(line))
    found = (_told(without_item(sentence[:LONGEST_HEARD])) for sentence in sentences(paragraph))
    return [text for text in found if not is_fragment(text) and not is_marked(text)]


def _mentioned(paragraphs: list[str]) -> frozenset[str]:
    """The sentences that say of themselves that they come by the way; the words that say so are gone from what is weighed."""
    if not any(map(is_mentioned, paragraphs)):
        return frozenset()
    return frozenset(_told(without_item(s[:LONGEST_HEARD])) for p in paragraphs for s in sentences(p) if is_mentioned(s))


def _told(sentence: str) -> str:
    """A sentence that stands by itself; a second thought keeps its opener, which says what it is."""
    bare = sentence.strip(" \t-*")
    return bare if revision_of(bare) is not None else without_tail(without_order(without_lead(cleaned(sentence))))


def _is_to_do(text: str) -> bool:
    return is_at_work(text) and not weigh(text).strong


def _listen_to(said: list[str], talk: _Talk, event: Event, *, denied: bool) -> None:
    n = 0
    busy = [is_at_work(text) for text in said]
    while n < len(said):
        if n + 1 < len(said) and _begins_a_second_thought(said[n], said[n + 1]):
            n += 1
            said[n] = f"wait, {said[n]}"
        text = _second_thought(talk, event, said[n])
        n += 1
        if not text:
            continue
        if unmeant := unmeant_as(text):
            talk.skips[unmeant] += 1
            continue
        if _is_bare_request(text):
            # "…. Remember that." speaks of the sentence before it.
            if n > 1:
                _add(talk, event, said[n - 2], sign="remember")
            continue
        rule = rule_of_complaint(text)
        if rule is not None:
            _add(talk, event, cleaned(rule), sign="complaint")
            continue
        if words.has("words/rules", "denial", text) and words.width(text) < SHORT_DENIAL:
            continue  # "that's wrong" says what is not; what is right stands in the next sentence
        weighed = weigh(text, refused=event.kind is EventKind.REFUSAL, denied=denied or talk.revised,
                        at_work=sum(busy) > busy[n - 1], mentioned=text in talk.mentioned)
        too_light = weighed.weight < ENOUGH and not has_an_end(text)
        if too_light or is_history(text) or (is_editing_instruction(text) and not weighed.strong):
            if is_one_off(text):
                _add(talk, event, text, sign="one-off")
            continue
        text = without_request(text)
        if _leans_back(text):
            before = _antecedent(said[:n - 1])
            if not before or len(before) + len(text) >= LONGEST_SENTENCE:
                talk.skips["no-antecedent"] += 1
                continue
            text = f"{before} {text}"
        while n < len(said) and _adds_reason(said[n]) and len(text) + len(said[n]) < LONGEST_SENTENCE:
            text = f"{text} {said[n]}"
            n += 1
        _add(talk, event, text, sign=_sign(weighed, event))


def _begins_a_second_thought(text: str, following: str) -> bool:
    """Whether a sentence only says that something was wrong, and the next one gives the value: "wait, that's the old one"."""
    revision = revision_of(text)
    return revision is not None and leans(revision.rest) and revision_of(following) is None and is_bare(following)


def _second_thought(talk: _Talk, event: Event, text: str) -> str:
    """What is left to weigh of a sentence once it has undone the earlier word it speaks of; nothing when it is dealt with."""
    revision = revision_of(text)
    if revision is None:
        return text
    undone = _undo(talk, event, revision)
    if undone is not None:
        readable = weigh(_told(revision.rest), denied=True).weight >= ENOUGH
        fixed = put_right(undone.text, revision.rest, unreadable=not readable)
        if fixed is not None:
            _add(talk, event, cleaned(fixed), sign="correction")
            return ""
    return "" if not revision.rest or is_bare(revision.rest) else _told(revision.rest)


def _undo(talk: _Talk, event: Event, revision: Revision) -> Candidate | Observation | None:
    """Withdraw the kept sentence that a second thought speaks of."""
    spoken_of = _spoken_of(talk, event, revision)
    if spoken_of is None:
        return None
    if isinstance(spoken_of, Observation):
        talk.earlier.remove(spoken_of)
        talk.takes_back = f"{SPOKEN_OF}{spoken_of.id}"
    else:
        talk.found.remove(spoken_of)
        talk.turn_from = min(talk.turn_from, len(talk.found))
    talk.seen = [known for known in talk.seen if known != _checksum(spoken_of.text)]
    talk.skips["taken-back"] += 1
    talk.revised = True
    return spoken_of


def _spoken_of(talk: _Talk, event: Event, revision: Revision) -> Candidate | Observation | None:
    """The last kept sentence of the person, or the last one that is named."""
    at = event.at or _EPOCH
    words_kept: list[Candidate | Observation] = [*reversed(talk.found), *talk.earlier]
    near = [kept for kept in words_kept if kept.origin is Origin.USER and kept.conversation == event.conversation
            and abs(at - kept.at) <= REVISION]
    for kept in near:
        if revision.about:
            if is_named_in(revision.about, kept.text):
                return kept
        elif (revision.sure or not is_question(revision.rest)) and (
                put_right(kept.text, revision.rest) or is_same_subject(revision.rest, kept.text)):
            return kept
    said_last = bool(near) and near[0] is words_kept[0] and talk.turns_since <= 1
    return near[0] if said_last and revision.sure and not revision.about else None


def _antecedent(earlier: list[str]) -> str:
    """The sentence that a "this" or "it" speaks of: the nearest one that says enough to be spoken of."""
    for n, text in enumerate(reversed(earlier[-REACH_BACK:])):
        if n == 0 and is_question(text) and len(text) < LONGEST_SENTENCE // 4:
            return text
        if words.width(text) >= SHORTEST_ANTECEDENT and not is_question(text) and not words.has("words/rules", "denial", text):
            return "" if _leans_back(text) else text
    return ""


def _sign(weighed: Weighed, event: Event) -> str:
    return "refusal" if event.kind is EventKind.REFUSAL else weighed.sign


def _is_bare_request(sentence: str) -> bool:
    """Whether a sentence asks to remember and says nothing to be remembered."""
    words_left = sentence.rstrip(".!。！ ")
    for tail in (" this", " it", " please", ""):
        if words.cue("words/rules", "remember", whole=True).match(words_left.removesuffix(tail)):
            return True
    return False


def _adds_reason(sentence: str) -> bool:
    """Whether the next sentence only says why, and is no rule of its own."""
    if _REASON_START.match(sentence):
        return True
    weighed = weigh(sentence)
    return _REASON_INSIDE.search(sentence) is not None and not (
        sentence.endswith("?") or weighed.strong or "norm" in weighed.signs)


def _leans_back(sentence: str) -> bool:
    """Whether a sentence can only be understood with the one before."""
    return leans(sentence) or _LATTER.match(sentence) is not None


def _is_answer(talk: _Talk, event: Event, text: str) -> bool:
    """Join a short answer with what was asked; True when the message is dealt with."""
    question = event.question.strip()
    if words.has("words/rules", "offer", question):
        if re.fullmatch(words.cue("words/rules", "affirmation", whole=True), text):
            talk.skips["leave-to-work"] += 1
            return True
        return False
    asked = sentences(question)[-1] if sentences(question) else question
    if re.fullmatch(words.cue("words/rules", "affirmation", whole=True), text):
        norm = norm_of(asked, text)
        if norm is None:
            talk.skips["short-answer"] += 1
        else:
            _add(talk, event, norm, sign="answer")
        return True
    if event.kind is not EventKind.ANSWER and not _asks_for_a_norm(question):
        return False
    if not _asks_for_a_norm(asked) or len(asked) > LONGEST_SENTENCE // 2:
        return False
    said = text if text[-1] in ".!。！" else f"{text}."
    _add(talk, event, statement_of(asked, said), sign="answer")
    return True


def _asks_for_a_norm(question: str) -> bool:
    return re.search(r"(?i)\b(?:should|prefer|which|what|how|where|when|default|always|convention|policy|soll|welche|debe"
                     r"|quel|qual)\b|[哪什]|どの|어떤", question
                     ) is not None


def _accepted(talk: _Talk, event: Event) -> None:
    """Keep a root cause of the agent that the person accepts with these words; anything else lets it go."""
    if talk.causes and words.starts("words/rules", "acceptance", event.text) and len(event.text) <= LONGEST_SENTENCE:
        for cause in talk.causes[-1:]:
            _add(talk, event, cause, sign="root-cause", origin=Origin.AGENT)
    talk.causes.clear()


def _causes(prose: str) -> list[str]:
    found = [s for paragraph in speech(prose) for s in sentences(paragraph)
             if re.search(r"(?i)\broot cause\b|grundursache|causa raíz|cause racine|causa raiz|根本原因|근본 ?원인", s)]
    return [cleaned(s) for s in found if 30 <= len(s) <= LONGEST_SENTENCE and not s.rstrip().endswith("?")]


def _add(talk: _Talk, event: Event, text: str, *, sign: str, origin: Origin = Origin.USER) -> None:
    text = shortened(text)
    known = _checksum(text)
    if known in talk.seen:
        talk.skips["said-before"] += 1
        return
    talk.seen.append(known)
    talk.turns_since = 0
    target = talk.takes_back if origin is Origin.USER else ""
    talk.takes_back = talk.takes_back if not target else ""
    talk.found.append(Candidate(
        text=text, origin=origin, at=event.at or _EPOCH, scope=talk.scope, conversation=event.conversation,
        explicit=False, sign=sign, source_id=talk.source_id, start=event.start, end=event.end, target=target))


def _checksum(text: str) -> str:
    return text_sha(text.lower())[:16]


def _last_versions(found: list[Candidate]) -> list[Candidate]:
    """What was revised within minutes counts once, in its last wording."""
    kept: list[Candidate] = []
    for candidate in found:
        twin = next((n for n, earlier in enumerate(kept) if _revises(candidate, earlier)), None)
        if twin is None:
            kept.append(candidate)
        else:
            kept[twin] = replace(candidate, sign=kept[twin].sign if candidate.sign == "one-off" else candidate.sign,
                                 target=candidate.target or kept[twin].target)
    return kept


def _revises(later: Candidate, earlier: Candidate) -> bool:
    if later.conversation != earlier.conversation or abs(later.at - earlier.at) > REVISION:
        return False
    if not {"one-off", TAKEN_BACK}.isdisjoint((later.sign, earlier.sign)):
        return False
    mine, theirs = set(_WORD.findall(later.text.lower())), set(_WORD.findall(earlier.text.lower()))
    return len(mine & theirs) >= 3 and len(mine & theirs) >= _SAME_SHARE * max(len(mine), len(theirs))
