"""Whether a text tells somebody what to do, however it is dressed; and which statements only look something up. Pure.

An agent's word may be a fact, never a rule: what it notes in the form of an order, what a class calls a rule or a preference,
what it says that somebody else wants or allows, and a fact that changes what may be done, waits for a person. What an order
does is not asked, for no list of words would know all that does harm; only lines of a memory directory, which a person chose
to have read, are asked for that. What an agent says beyond a look-up describes how things are done here, and whoever reads it
does them so. A look-up can be told by its shape: a verb of rest with a value behind it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from dreamd.core.values import MEMORY_FILE, OBSERVED_ACCEPTED, MemoryClass, Origin, Trust, trust_of
from dreamd.extraction.classes import begins_with, class_of
from dreamd.text import patterns
from dreamd.text.injection import could_harm
from dreamd.text.language import language_of
from dreamd.text.tokens import stem

STANDING = frozenset({MemoryClass.PREFERENCE, MemoryClass.RULE})
"""What holds in every conversation, and so may come from a person alone."""
PROPOSAL = "proposal"
ACCEPTED = frozenset({PROPOSAL, OBSERVED_ACCEPTED})
"""Signs of an agent's words that the person agreed to in the conversation itself: to a thing it asked, or with a nod, which
makes a fact of what it said and no rule."""
_ORDERED_BY = 2
"""Words at the head of an order that say what is to be done: "disable", "turn off"."""
_SENTENCE = re.compile(r"(?<=[.!?])[\"'”’»)*_`]*\s+|(?<=[。！？])|\n+|;\s+|\s+[–—-]+\s+")
_CLAUSE = re.compile(r"[,:：，、]\s*|\s+(?:and|then|und|dann|y|et|e)\s+")
_JOINT = re.compile(r"(?i)[\W_]*(?:and|but|so|also|und|aber|auch|y|pero|también|et|mais|aussi|e|mas)\b[\s,]*")
"""What ties a sentence to the one before it: "and no photos before noon"."""
_LEAD = re.compile(r"(?i)[\W_]*(?:(?:please|kindly|just|also|then|and|so|always|never|bitte|por favor|s'il (?:te|vous) pla[iî]t"
                   r"|请|請)[\s,]*)*")


def needs_a_person(text: str, *, origin: Origin, memory_class: MemoryClass, sign: str) -> str:
    """Why a statement that no person made waits for one; or nothing."""
    if trust_of(origin) is not Trust.AGENT:
        return ""
    if could_harm(text) or lifts_a_safeguard(text) or any(repeats_a_deed(part) or reaches_out(part) for part in parts_of(text)):
        # Whoever wanted this may have told the agent on a page it read; only a person can say that it is meant.
        return "order-for-a-person"
    if sign in (MEMORY_FILE, PROPOSAL):
        return ""
    if changes_what_may_be_done(text):
        return "order-for-a-person"
    if memory_class in STANDING or gives_orders(text) or patterns.has("words/orders", "speaks_for", text):
        return "rule-for-a-person"
    return ""


def must_name_something(origin: Origin, sign: str) -> bool:
    """Whether a statement may live by itself only as a look-up: nobody but an agent, or a file of its, says it."""
    return trust_of(origin) is Trust.AGENT and sign != MEMORY_FILE and sign not in ACCEPTED


def changes_what_may_be_done(text: str) -> bool:
    """Whether a text put as a fact permits something, takes a safeguard away, or sends something out of the house.

    Whoever reads it acts on it as on an order, so it is one. A safeguard and its absence must stand in one sentence.
    """
    plain = text.replace("’", "'")
    return any(
        patterns.has("words/orders", "permits", part) or patterns.has("words/orders", "leaves", part)
        or (patterns.has("words/orders", "safeguard", part) and patterns.has("words/orders", "lifted", part))
        for part in parts_of(plain))


def lifts_a_safeguard(text: str) -> bool:
    """Whether a text orders a safeguard away: "disable branch protection", "turn off the firewall first"."""
    for clause in (clause for part in parts_of(text.replace("’", "'")) for clause in _CLAUSE.split(part)):
        lead = _LEAD.match(clause)
        bare = clause[lead.end():] if lead else clause
        denied = lead is not None and "never" in lead[0].casefold()
        ordered = patterns.has("words/orders", "lifted", " ".join(bare.split()[:_ORDERED_BY])) and _is_imperative(clause)
        if ordered and not denied and patterns.has("words/orders", "safeguard", bare):
            return True
    return False


def repeats_a_deed(sentence: str) -> bool:
    """Whether a sentence has something done at each occasion that cannot be undone: "publish the package after each commit".

    The occasion itself does no harm ("run the linter before every deploy"), and neither does what is forbidden.
    """
    bare = patterns.cue("words/orders", "occasion").sub("", sentence)
    return bare != sentence and patterns.has("words/orders", "deed", bare) and not patterns.has("words/orders", "forbids", bare)


def reaches_out(sentence: str) -> bool:
    """Whether a sentence orders something done with what lies beyond the project, or names a switch that takes a check away.

    Where it goes and what it touches tells, not the verb: an address, a file of the person's own, `GIT_SSL_NO_VERIFY`. To read
    what stands at an address is no such order, and neither is what is forbidden.
    """
    if not any(map(_is_imperative, _CLAUSE.split(sentence))) or patterns.has(
            "words/orders", "forbids", " ".join(sentence.split()[:_ORDERED_BY])):
        return False
    far = _FAR.search(sentence) or _NUMBERED.search(sentence)
    return bool(_PRIVATE.search(sentence)) or any(map(_takes_a_check_away, _SWITCH.findall(sentence))) or (
        far is not None and not patterns.has("words/orders", "reads", sentence[:far.start()]))


def _takes_a_check_away(switch: str) -> bool:
    """Whether the parts of a name say that something is off, and of what keeps from a mistake."""
    if re.search(r"=(?:0|false|no|off)\Z", switch) and switch.isupper():
        return True
    words = " ".join(re.split(r"[-_=]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", switch).casefold()))
    return patterns.has("words/orders", "switched", words) and patterns.has("words/orders", "guards", words)


def gives_orders(text: str) -> bool:
    """Whether any sentence of a text, or any part of one, has the form of a rule, a wish or an order."""
    return any(is_ruling(sentence) or any(map(_is_imperative, _CLAUSE.split(sentence))) for sentence in parts_of(text))


def is_ruling(sentence: str) -> bool:
    """Whether one sentence states a rule or a wish, or begins as an order does."""
    return class_of(_unjoined(sentence), has_ttl=False) in STANDING or _is_imperative(sentence)


def _unjoined(sentence: str) -> str:
    joint = _JOINT.match(sentence)
    return sentence[joint.end():] if joint else sentence


def parts_of(text: str) -> list[str]:
    """The sentences of a text, and what a dash or a semicolon sets apart in them."""
    return [part.strip() for part in _SENTENCE.split(text) if part.strip()]


def _is_imperative(clause: str) -> bool:
    lead = _LEAD.match(clause)
    bare = clause[lead.end():] if lead else clause
    if patterns.starts("words/orders", "imperative", bare) or patterns.has("words/orders", "ending", bare.rstrip(" .!。！")):
        return True
    return begins_with(_verbs(), bare)


@cache
def _verbs() -> frozenset[str]:
    plain = patterns.entries("words/orders", "verb_stem")
    return frozenset((*plain, *map(stem, plain), *patterns.entries("words/orders", "verb")))


LONGEST_SUBJECT = 14
"""Words before the verb: more is no subject any more, it is a clause."""
LONGEST_SENTENCE = 45
_BESIDE = re.compile(r"(?<!\d),(?=\s)\s*|\s+(?:and|but|while|und|aber|y|pero|et|mais|e|ma)\s+|[，、]")
_FAR = re.compile(r"(?:https?|s3|gs|s?ftps?|wss?)://\S+|[\w.+-]+@[\w-]+\.[\w.-]+")
_NUMBERED = re.compile(r"(?<![\w.])(?!127\.|0\.0\.|10\.|192\.168\.)\d{1,3}(?:\.\d{1,3}){3}(?![\w.])")
_PRIVATE = re.compile(r"(?:~|\$HOME)/\.\w|\bauthorized_keys\b|\bcron(?:tab)?\b|(?<!\w)/etc/\w"
                      r"|\boutside (?:of )?(?:the |this |your )?(?:repo(?:sitory)?|project|workspace|sandbox)\b")
"""What is the person's or the machine's, and no project's."""
_SWITCH = re.compile(r"(?<![\w/])-{0,2}[A-Za-z][A-Za-z0-9]*(?:[-_][A-Za-z0-9]+)+|\b[a-z]+(?:[A-Z][a-z]+)+=\w+"
                     r"|\b\w*(?:VERIFY|SSL|TLS|AUTH|SANDBOX)\w*=(?:0|false|no|off)\b", re.ASCII)
_FAR_REST = re.compile(r"(?i)(?:\b(?:is|are|at|in|on|under|see|called|ist|sind|unter|auf|bei|es|son|está|están|en|est|sont"
                       r"|sur|à|é|são|em|è|sono|su)\s+|[:=(|<]\s*|[是为在は]\s*)$")
_LOWER_VALUE = (
    r"\d", r"`[^`\n]+`", r"(?<!\w)[~.]{0,2}/?\w[\w.-]*/[\w./*-]+", r"(?<!\w)/[\w.-]+", r"\b\w+://\S", r"(?<!\w)--\w[\w-]+",
    r"\w_\w", r"\b\w+-[A-Z]\w*", r"\b[a-z]\w*-\w+(?=[.\s]*$)", r"\b[a-z]+[A-Z]\w*", r"\b[A-Z][a-z0-9]+[A-Z]\w*",
    r"\b[\w-]{2,}\.[a-z]{2,5}\b", r"(?<!\w)[\"“„«][^\"”“»\n]{2,40}[\"”“»]")
_VALUE = re.compile("|".join(_LOWER_VALUE))
_NAME = re.compile(r"(?<=[a-z,/(:] )[A-Z][a-z]\w+|(?<=[a-z:] )[A-Z]{2,}(?=(?: [a-z]+)?[.\s]*$)")
"""The name of one thing inside a sentence; capitals alone only near its end, for acronyms are common nouns."""
_COMMAND = re.compile(r"`[^`\s]+\s[^`]*`")
_CALLED = re.compile(r"(?i)\b(?:called|named|heißt|heißen|llama|s'appelle|chama|chiama)\s+(?=\w)|叫做?|という")
_LED = re.compile(r"(?:The |Die |Der |Das |Le |La |El )?(?:[A-Z]\w+ v?\d[\d.]* (?:is|are|ist|sind|est|es) "
                  r"(?:the|used|die|der|das|la|le|el)\b"
                  r"|(?:\w+ )?`?[\w.-]*[/.][\w./-]*\w`? (?:holds|contains|enthält|contient|contiene)\b)")


def is_look_up(text: str) -> bool:
    """Whether every sentence of a text says of a thing where, which or how large it is.

    What touches on safety, what is to be done at an occasion, and a command with its arguments, which whoever reads it may
    carry out, are no mere look-ups.
    """
    if patterns.has("words/orders", "each_time", text) or _COMMAND.search(text):
        return False
    parts = [part for part in _SENTENCE.split(text) if part and part.strip()]
    return all(_is_plain(part) or _names_a_version(part) for part in parts)


def _names_a_version(sentence: str) -> bool:
    """Whether a sentence says what a thing with its version, or a file, is for: "Node 20 is the …", "a/b.ts holds …"."""
    led = _LED.match(sentence)
    return led is not None and len(sentence.split()) <= LONGEST_SUBJECT and not _touches_safety(sentence)


def _touches_safety(sentence: str) -> bool:
    return patterns.has("words/orders", "safeguard", sentence) or not {
        *re.findall(r"[^\W\d_]+", sentence.casefold())}.isdisjoint(_secret_things())


@cache
def _secret_things() -> frozenset[str]:
    return frozenset(patterns.entries("words/orders", "entrusted"))


def _is_plain(sentence: str) -> bool:
    bare = patterns.cue("words/phrases", "because").sub("", sentence.strip())
    if len(bare.split()) > LONGEST_SENTENCE or not _far_things_rest(bare):
        return False
    tongue = language_of(bare)
    if _touches_safety(bare) and not patterns.has("words/phrases", "bare_place", bare):
        return False
    whole = False
    for clause in _BESIDE.split(bare):
        if not clause.strip(" .!?\"'"):
            continue
        if not whole:
            whole = _says_a_value(clause, tongue)
        elif len(clause.split()) > 1 and not _has_value(clause, tongue):
            return False
    return whole


def _says_a_value(clause: str, tongue: str) -> bool:
    """Whether a verb of rest stands in a clause, with a value behind it that is more than the name of its subject."""
    for verb in _resting().finditer(clause):
        if len(clause[:verb.start()].split()) <= LONGEST_SUBJECT and any(
                not patterns.has("words/phrases", "only_whom", clause[:at]) for at in _values(clause, tongue, verb.end())):
            return True
    colon = re.match(r"[^:：]{3,60}[:：]\s", clause)  # "Staging cluster: k8s-stg-2"
    return colon is not None and any(True for _ in _values(clause, tongue, colon.end()))


def _has_value(clause: str, tongue: str) -> bool:
    return any(True for _ in _values(clause, tongue, 0))


def _values(clause: str, tongue: str, start: int) -> Iterator[int]:
    """Where values begin from a place on."""
    for called in _CALLED.finditer(clause):
        if called.end() >= start:
            yield called.end()
    for found in _VALUE.finditer(clause, start):
        yield clause.rfind(" ", 0, found.start() + 1) + 1
    if tongue != "de":  # full of capitals
        for found in _NAME.finditer(clause, start):
            yield found.start()


def _far_things_rest(sentence: str) -> bool:
    """Whether the addresses in a sentence are places, and not where something goes, comes from or is fetched."""
    return all(_FAR_REST.search(sentence[:found.start()]) for found in _FAR.finditer(sentence))


@cache
def _resting() -> re.Pattern[str]:
    return patterns.cue("words/orders", "rests")
