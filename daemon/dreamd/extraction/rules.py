"""From the events of a conversation to candidates, without a language model.

What people type is the signal. Each message is told from its pastes, split into sentences and weighed sentence by
sentence; answers are joined with their question, and what begins with "it" or "she" with what it speaks of; of the agent's
own words only a root cause or a proposal counts that the person then accepted. A stretch in which the agent wrote a memory
itself is left alone: the agent's note is the observation.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from dreamd.core.values import ONE_OFF, Candidate, Event, EventKind, Observation, Origin, Scope, Speaker
from dreamd.extraction.claims import names_a_value
from dreamd.extraction.conversation import TAKEN_BACK, ConversationState, Extraction
from dreamd.extraction.foreign import disowns, divide, says_so
from dreamd.extraction.gate import is_acknowledgement, is_editing_instruction, is_history
from dreamd.extraction.lasting import lasting_clause
from dreamd.extraction.orders import is_ruling
from dreamd.extraction.pasted import paste_key
from dreamd.extraction.signs import ENOUGH, is_at_work, is_one_off, weigh
from dreamd.extraction.stance import is_fragment, is_marked, is_question, leans, rule_of_complaint, without_item
from dreamd.extraction.talk import Talk, begins_a_second_thought, last_versions
from dreamd.extraction.turns.accepted import accepts_a_proposal, causes_of, proposal_of
from dreamd.extraction.turns.antecedents import LONGEST_LEAD, Before, begins_with_pronoun, with_antecedent, without_pronoun
from dreamd.extraction.turns.borrowed import has_an_end, unmeant_as, without_handed_over
from dreamd.extraction.turns.choices import with_names
from dreamd.extraction.turns.passing import is_mentioned, names_something_at_hand
from dreamd.extraction.turns.replies import SHORT_ANSWER, WITHOUT_VERB, chosen_of, reply_of, settled_by, takes_one
from dreamd.extraction.turns.restated import decree_of, plain
from dreamd.extraction.turns.revisions import revision_of
from dreamd.extraction.utterance import LONGEST_SENTENCE, cleaned, items, sentences, shortened, speech, without_request
from dreamd.text import patterns

LONGEST_HEARD = 1_000
"""A sentence longer than this is weighed by its beginning."""
SHORT_DENIAL = 45
SHORTEST_ANTECEDENT = 30
SHORTEST_LIST = 3
REACH_BACK = 3
"""How many sentences back a "this" may point."""
SHORTEST_CHOICE = 40
"""A choice told in fewer letters than this is told with the sentence before it, which says what it comes after."""
LONGEST_ADDITION = 90
MOST_REPEATED = 20
"""Orders of others kept of one message."""
MOST_INSTEAD = 3
"""Words of a fragment that names what to take instead: "No rainbow. Viridis."."""
REMEMBERED = 24
"""Wordings kept as checksums, so a repeated prompt is not a second statement of the same conversation."""
_HUMAN = frozenset({EventKind.PROMPT, EventKind.REFUSAL, EventKind.ANSWER})
_REASON_START = re.compile(
    r"(?i)\s*(?:because|'?cause|since|otherwise|it's (?:be)?cause|that's because|the reason|so that|weil|denn|sonst|porque"
    r"|parce que|car|sinon"
    r"|pois|因为|否则|なぜなら|왜냐하면)")
_REASON_INSIDE = re.compile(r"(?i), so (?:it|that|there|they|we)\b|\bbecause\b|, (?:weil|denn|deshalb)\b|, por eso|, donc\b")
_LATTER = re.compile(
    r"(?i)(?:the (?:latter|former|other one|first one|second one)|both|neither|same (?:for|with|goes)|likewise|letztere"
    r"|das gleiche|lo mismo|de même)\b")
_TAKES_IT_NOW = re.compile(r"(?-i:[A-Z])[\w.-]+(?: [\w.-]+){0,4} (?:does|do|handles?|makes?|prints?|runs?|takes?|has"
    r"|keeps?) (?:it|that|them|this)\b.*"
                           r"\b(?:now|instead|from now on|since)\b")
_NEW_ONE = re.compile(r"(?i)\b(?:a|another) (?:new|second|bigger|smaller|better|other) one\b|\banother one\b")
_DOES_INSTEAD = re.compile(r"(?i)(?:(?:please|just|instead|rather)[, ]+)*(?:use|write|take|make|put|do|prefer|stick"
    r"|go) (?!it\b|this\b|that\b|on\b)"
                           r"(?:\S+ ){0,10}\S+")
_THEN = re.compile(r"(?:(?i:ok|so|well|right)[, ]+)*(?!(?i:it|this|that|no|yes|and|but|i|we|what|let|the|ok"
    r"|so)\b)([\w.-]{3,}) then(?=[.,!]|$)")
"""What the agent named is taken: "oak then"."""
_GENERALISES = re.compile(r"(?i)(?:all|every|each|our)\b.*\b(?:like (?:that|this)|(?:this|that) way)\b")
"""What goes for all of a kind, said of the sentence before."""
_OF_A_THING_NUMBERED = re.compile(r"(?:The |Our )?[A-Z]?[a-z]{2,} (?:[A-Z]*\d[\w.-]*|[A-Z]) [a-z]{2,}s \w")
"""What says something of one of several: "Room 2.14 seats eight people"."""
_POINTS_BACK = frozenset({"stated", "told", "environment", "lookup", "definition", "change", "contrast", "restriction", "self"})
"""What a sentence about an "it" that another message named has to sound like."""


class _Heard(NamedTuple):
    text: str
    sign: str


def extract(events: Sequence[Event], *, scope: Scope, state: ConversationState | None = None, source_id: str = "",
            earlier: Sequence[Observation] = ()) -> Extraction:
    """Find what may be worth remembering in a stretch of conversation.

    `earlier` is what was last kept of the stretches before, newest first: a second thought may speak of it.
    """
    state = state or ConversationState()
    talk = Talk(scope, source_id, list(state.causes), list(state.seen), list(earlier), last_said=state.before[1])
    for event in events:
        if event.kind is EventKind.MEMORY_WRITE:
            talk.leave_to_agent()
        elif event.kind is EventKind.PROSE and event.speaker is Speaker.AGENT:
            talk.causes = causes_of(event.text) or talk.causes
            talk.proposed = proposal_of(event.text)
            talk.hear_agent(event.text)
        elif event.kind in _HUMAN:
            if event.speaker is not Speaker.HUMAN:
                talk.skips["not-a-person"] += 1
                continue
            talk.turn_from = len(talk.found)
            _listen(talk, event)
            if talk.takes_back:
                talk.add(event, shortened(event.text), sign=TAKEN_BACK)
    said = {(event.conversation, event.start): event.text for event in events if event.kind is EventKind.PROMPT}
    kept = [_known_by_its_place(one, said) for one in last_versions(talk.found)]
    talk.skips["revised"] += len(talk.found) - len(kept)
    return Extraction(tuple(kept), +talk.skips, ConversationState(tuple(talk.causes[-3:]), tuple(talk.seen[-REMEMBERED:])),
                      tuple(talk.withheld))


def _known_by_its_place(one: Candidate, said: Mapping[tuple[str, int], str]) -> Candidate:
    """A statement out of a long text, as the same one wherever that text is pasted again."""
    message = said.get((one.conversation, one.start), "")
    return one if one.target or one.origin is not Origin.USER else replace(one, key=paste_key(one, message))


def _listen(talk: Talk, event: Event) -> None:
    """Take one message of a person apart."""
    text = event.text.strip()
    _accepted(talk, event)
    talk.turns_since += 1
    talk.revised = False
    before = len(talk.seen)
    if disowns(text):
        talk.disown(event)
    revision = revision_of(text[:LONGEST_SENTENCE])
    if revision is not None and revision.sure and len(text) <= SHORT_ANSWER and not revision.rest:
        talk.undo(event, revision)
        return
    answered: list[str] = []
    if revision is None and text:
        reply = reply_of(text, talk.before(event), filled_in=event.kind is EventKind.ANSWER)
        if reply is not None and reply.told:
            talk.add(event, reply.told, sign="answer")
        elif reply is not None:
            talk.skips[reply.why] += 1
        if reply is not None:
            answered = [text.removesuffix(reply.rest).strip()[:LONGEST_SENTENCE]]
            text = reply.rest
        if not text:
            talk.hear_person(answered)
            return
    if not text or is_acknowledgement(text):
        talk.skips["acknowledgement"] += 1
        talk.turns_since -= 1
        return
    parts = divide(without_handed_over(text))
    paragraphs = speech(parts.own)
    if not paragraphs:
        talk.skips["paste"] += 1
        _repeat(talk, event, parts.told if speech(text) else ())
        return
    talk.mentioned = _mentioned(paragraphs)
    denied = patterns.has("words/rules", "denial", text[:LONGEST_SENTENCE])
    _listen_to([s for paragraph in paragraphs for s in _said(paragraph)], talk, event, denied=denied, answered=answered)
    talk.hear_person([*answered, *(s for paragraph in paragraphs for s in sentences(paragraph))])
    if len(talk.seen) == before and not talk.revised:
        talk.skips["no-sign"] += 1
    _repeat(talk, event, parts.told)


def _repeat(talk: Talk, event: Event, theirs: Sequence[str]) -> None:
    """Keep the orders of others that a message repeats as what they are: the person may say that one of them is meant."""
    rulings = [s for told in theirs for paragraph in speech(told) for s in sentences(paragraph)
                if is_ruling(s) and not (says_so(s) and patterns.width(s) < SHORT_DENIAL)]
    for text in rulings[:MOST_REPEATED]:
        talk.repeat(event, cleaned(text))


def _said(paragraph: str) -> list[str]:
    """The sentences of a paragraph, each without what only leads up to it; a list of things to do says nothing lasting."""
    listed = items(paragraph)
    if len(listed) >= SHORTEST_LIST and sum(map(_is_to_do, listed)) * 2 >= len(listed):
        paragraph = "\n".join(line for line in paragraph.splitlines() if not items(line))
    found = (plain(without_item(sentence[:LONGEST_HEARD])) for sentence in sentences(paragraph))
    return [text for text in found if not is_fragment(text) and not is_marked(text)]


def _mentioned(paragraphs: list[str]) -> frozenset[str]:
    """The sentences that say of themselves that they come by the way; the words that say so are gone from what is weighed."""
    if not any(map(is_mentioned, paragraphs)):
        return frozenset()
    return frozenset(plain(without_item(s[:LONGEST_HEARD])) for p in paragraphs for s in sentences(p) if is_mentioned(s))


def _is_to_do(text: str) -> bool:
    return is_at_work(text) and not weigh(text).strong


def _listen_to(said: list[str], talk: Talk, event: Event, *, denied: bool, answered: list[str]) -> None:
    n, kept_at = 0, -1 if len(talk.found) > talk.turn_from else -2
    busy = [is_at_work(text) for text in said]
    while n < len(said):
        if n + 1 < len(said) and begins_a_second_thought(said[n], said[n + 1]):
            n += 1
            said[n] = f"wait, {said[n]}"
        text = talk.left_of(event, said[n])
        n += 1
        if not text:
            continue
        heard = _heard(talk, event, text, [*answered, *said[:n - 1]], at_work=sum(busy) > busy[n - 1],
                       denied=denied or talk.revised)
        leaning = heard is None or heard.sign == ONE_OFF or _TAKES_IT_NOW.match(text) is not None
        if kept_at >= n - 3 and talk.found and leaning and _adds_to(text, talk.found[-1].text, next_to=kept_at == n - 2):
            kept_at = n - 1 if talk.add_to_last(text) else kept_at
            continue
        if heard is None:
            continue
        if kept_at == n - 2 and talk.found and heard.text.startswith(f"{talk.found[-1].text} ") and (
                talk.add_to_last(heard.text[len(talk.found[-1].text):].strip())):
            kept_at = n - 1
            continue
        while n < len(said) and _adds_reason(said[n]) and len(heard.text) + len(said[n]) < LONGEST_SENTENCE:
            heard = _Heard(f"{heard.text} {said[n]}", heard.sign)
            n += 1
        talk.add(event, heard.text, sign=heard.sign)
        kept_at = n - 1


def _heard(talk: Talk, event: Event, text: str, earlier: list[str], *, at_work: bool, denied: bool) -> _Heard | None:
    """What one sentence says to be kept, with the sign that speaks for it."""
    if unmeant := unmeant_as(text):
        talk.skips[unmeant] += 1
        return None
    if _is_bare_request(text):  # "…. Remember that." speaks of the sentence before it
        return _Heard(earlier[-1], "remember") if earlier else None
    rule = rule_of_complaint(text)
    if rule is not None:
        return _Heard(cleaned(rule), "complaint")
    if patterns.has("words/rules", "denial", text) and patterns.width(text) < SHORT_DENIAL:
        return None  # "that's wrong" says what is not; what is right stands in the next sentence
    before = talk.before(event)
    text = with_names(text, (*reversed(earlier), before.asked, *reversed(before.told), *reversed(before.said)))
    if decree := decree_of(text):
        return _Heard(decree, "decree")
    refused = event.kind is EventKind.REFUSAL
    weighed = weigh(text, refused=refused, denied=denied, at_work=at_work, mentioned=text in talk.mentioned)
    too_light = weighed.weight < ENOUGH and not has_an_end(text)
    if too_light or is_history(text) or (is_editing_instruction(text) and not weighed.strong):
        return _found_inside(text, before, earlier, at_work=at_work)
    text = without_request(text)
    if _leans_back(text):
        front = _antecedent(earlier)
        whole = f"{front} {text}" if front else with_antecedent(text, before, earlier)
        if not whole or len(whole) >= LONGEST_SENTENCE:
            talk.skips["no-antecedent"] += 1
            return None
        text = whole
    if weighed.sign == "choice" and len(text) <= SHORTEST_CHOICE and earlier and _tells_why(earlier[-1]):
        text = f"{earlier[-1]} {text}"
    return _Heard(text, "refusal" if refused else weighed.sign)


def _tells_why(text: str) -> bool:
    """Whether a sentence says something that a choice after it may come from."""
    return not (is_question(text) or is_at_work(text) or leans(text)) and SHORTEST_ANTECEDENT <= len(text) <= LONGEST_LEAD


def _found_inside(text: str, before: Before, earlier: list[str], *, at_work: bool) -> _Heard | None:
    """What a sentence that says too little as it stands leaves behind: a value set, a clause that lasts, a thing spoken of."""
    if chosen := chosen_of(text, before) or settled_by(text, before):
        return _Heard(chosen, "choice")
    if earlier and _NEW_ONE.search(text) and names_a_value(text) and not is_question(earlier[-1]) and not is_at_work(text):
        return _Heard(f"{earlier[-1]} {text}", "change")
    if (then := _THEN.match(text)) and (named := next((t for t in before.told if then[1].lower() in t.lower()), "")):
        return _Heard(f"{named} {text}", "choice")
    if earlier and _GENERALISES.match(text) and not is_question(earlier[-1]):
        return _Heard(f"{earlier[-1]} {text}", "general")
    if begins_with_pronoun(text):
        named = without_pronoun(text)
        weighed = weigh(named, at_work=at_work)
        if weighed.weight >= ENOUGH and not _POINTS_BACK.isdisjoint(weighed.signs) and not names_something_at_hand(named):
            whole = with_antecedent(text, before, earlier)
            if whole:
                return _Heard(whole, weighed.sign)
    first_hand = not begins_with_pronoun(text) or not patterns.has("words/rules", "narrative", text)
    if first_hand and (clause := lasting_clause(text)):
        return _Heard(clause, "clause")
    return _Heard(text, ONE_OFF) if is_one_off(text) else None


def _adds_to(text: str, last: str, *, next_to: bool) -> bool:
    """Whether a sentence only says more of what was kept: where it also holds and where not, or what to take instead."""
    if len(text) > LONGEST_ADDITION or is_question(text) or is_acknowledgement(text):
        return False
    if not next_to:
        return patterns.starts("words/replies", "narrows", text)
    named = len(text.split()) <= MOST_INSTEAD and not is_at_work(text)
    instead = (named or _DOES_INSTEAD.fullmatch(text) is not None) and patterns.starts("words/replies", "forbids", last)
    if WITHOUT_VERB.fullmatch(text) and any(sign.isdigit() for sign in text) and not _OF_A_THING_NUMBERED.match(text):
        return True
    if instead or takes_one(text) or _TAKES_IT_NOW.match(text) is not None:
        return True
    return any(patterns.starts("words/replies", table, text) for table in ("adds", "narrows"))


def _antecedent(earlier: list[str]) -> str:
    """The sentence that a "this" or "it" speaks of: the nearest one that says enough to be spoken of."""
    for n, text in enumerate(reversed(earlier[-REACH_BACK:])):
        if n == 0 and is_question(text) and len(text) < LONGEST_SENTENCE // 4:
            return text
        long_enough = patterns.width(text) >= SHORTEST_ANTECEDENT
        if long_enough and not is_question(text) and not patterns.has("words/rules", "denial", text):
            return "" if _leans_back(text) else text
    return ""


def _is_bare_request(sentence: str) -> bool:
    """Whether a sentence asks to remember and says nothing to be remembered."""
    words_left = sentence.rstrip(".!。！ ")
    for tail in (" this", " it", " please", ""):
        if patterns.cue("words/rules", "remember", whole=True).match(words_left.removesuffix(tail)):
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


def _accepted(talk: Talk, event: Event) -> None:
    """Keep what the agent found or proposed and the person accepts with these words; anything else lets it go."""
    if talk.causes and patterns.starts("words/rules", "acceptance", event.text) and len(event.text) <= LONGEST_SENTENCE:
        talk.add(event, talk.causes[-1], sign="root-cause", origin=Origin.AGENT)
    if talk.proposed and accepts_a_proposal(event.text):
        talk.add(event, talk.proposed, sign="proposal", origin=Origin.AGENT)
    talk.causes.clear()
    talk.proposed = ""
