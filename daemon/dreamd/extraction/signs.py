"""How much a sentence sounds like something to remember: signs for and against, weighed.

Key words alone find little and raise many false alarms, so no single word decides. A statement that holds beyond this
moment, sets something right, gives a reason or names a norm speaks for; a piece of work at hand, a symptom, a hedge or a
question speaks against.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from dreamd.core.values import SHORTEST_TEXT
from dreamd.extraction.claims import names_a_value, states_a_value
from dreamd.extraction.classes import is_order
from dreamd.extraction.stance import asks_for_a_nod, is_musing, is_question, is_work, points_at_screen
from dreamd.extraction.turns.passing import OF_PEOPLE, is_about_work_at_hand, names_something_at_hand, told_in_passing
from dreamd.text import patterns
from dreamd.text.language import language_of
from dreamd.text.pronouns import points_outside

ENOUGH = 2.5
"""Weight from which a sentence becomes a candidate."""

FOR = (
    ("remember", 4.0), ("preference", 3.0), ("prohibition", 2.5), ("general", 2.5), ("choice", 2.5), ("contrast", 2.0),
    ("change", 2.0), ("environment", 2.5), ("self", 3.0), ("manner", 3.0), ("settles", 3.5), ("advice", 3.0),
    ("restriction", 2.5), ("whenever", 2.5), ("correction", 1.5), ("norm", 1.5), ("each", 1.0), ("decision", 1.5),
    ("lookup", 2.5), ("definition", 2.0), ("aside", 1.5), ("rules_file", 0.5), ("reason", 1.0), ("fact", 1.0),
)
AGAINST = (("narrative", 2.5), ("addressing", 2.0), ("momentary", 1.5), ("hedge", 1.0))
_TASK = 2.5
_OF_A_THING = 1.5
_QUESTION = 5.0
_TAG_QUESTION = 1.0
"""A statement that only asks for a nod: "…, no?"."""
_OUTSIDE = 1.5
_STATED = 2.5
_TOLD = 3.0
"""What is mentioned in passing has no other sign."""
_DESCRIPTION = 0.5
_DESCRIPTION_AT_HAND = 2.0
_DESCRIBING = frozenset({"decision", "fact", "lookup", "environment"})
"""What a message that orders something says besides may only describe what is to be done."""
_MUSING = 3.0
_MUSING_WITH_REASON = 1.0
"""Who thinks aloud and says why has as good as decided."""
_POINTING = 4.0
_LONGEST_ORDER = 90
_STRONG = ("remember", "general", "preference", "prohibition", "manner", "whenever", "settles")
_SAID_OF_A_THING = re.compile(
    r"(?i)(?<!sure )(?<!ensure )(?<!note )(?<!remember )(?<!mind )(?<!clear )(?<!agree )(?<!decided )(?<!so )(?<!means )"
    r"\b(?:that|which|who|if|whether|where) (?:[\w'-]+ ){0,3}?(?:always|never|only|must|every|each|any|all)\b")
"""What "show me all files that never import it" says of the files is no rule."""
_NAMED = re.compile(r"`[^`]+`|\b[A-Z][a-z]+[A-Z]\w*|\b[A-Z]{3,}\b|--[a-z-]{2,}|\b\w+_\w+\b|(?<!\w)[~.]{0,2}/[\w./-]{3,}"
                    r"|\b\w+\.(?:md|json|ya?ml|toml|py|ts|js|go)\b"
                    r"|(?<=[a-z,] )[A-Z][a-z]{2,}")
_CODE_LIKE = re.compile(r"`|(?<!\w)-{1,2}[a-z]|\w_\w|\w\(\)|[a-z][A-Z]")
_DENIES = re.compile(r"(?i)no (?!need\b)\w")
"""What there shall not be is no piece of work."""
_FEWEST_WORDS = 4
_SHORT = 18
_STANDING_ORDER = re.compile(
    r"(?i)(?:please,? )?(?:always|never|immer|nie|niemals|siempre|nunca|toujours|sempre|mai) "
    r"(?!(?:mind|the|an?|this|that|happy|glad|good|nice|great|fun|seen|heard|been|had|done|gone|known|thought|got|said"
    r"|mit|wieder|noch|mal|zu|con|de|plus|mais|\w+ed)\b)[^\W\d_]{2,} [^\W\d_]")
"""What begins so is an order for all times, however short: "always use pnpm", and not "never seen that"."""
_HAS_VERB = re.compile(r"(?i)\b(?:is|are|be|has|have|do|does|can|must|may|need|want|we \w+|they \w+)\b"
                       r"|(?-i:(?<=[a-z0-9] )[a-z]{3,}(?<!s)s\b)")
_OF_NOW_OR_ME = re.compile(
    r"(?i)^(?:i|i'm|i'll|i've|you|since|in the|then|first|next|now)\b|\b(?:i'll|you|your|\w{2,}ed|ran|was|were|went|had|did"
    r"|got|came|made|took"
    r"|gave|wrote|sent|left|lost|broke|found|saw|sees?|shows?|hangs?|appears?|displays?|throws?|crash(?:es)?|fails?|returns?"
    r"|sort of|kind of|such that|basically|could|would|might|left)\b|[{}<>=|]")
"""What tells of the past, of the speaker's next hour or of a thought is no standing fact."""
_FIRST_PERSON = re.compile(r"(?i)^(?:i|i'm|i'll|ich|yo|je|eu|我|私|저)\b")


@dataclass(frozen=True)
class Weighed:
    """A sentence with its weight and the sign that spoke loudest for it."""

    weight: float
    sign: str
    signs: tuple[str, ...]
    strong: bool


def weigh(sentence: str, *, refused: bool = False, denied: bool = False, at_work: bool = False, mentioned: bool = False,
          ) -> Weighed:
    """Weigh one sentence.

    `refused` when it was said while refusing a tool call, `denied` when it follows a "that is wrong", `at_work` when the
    message also orders or asks something: a thing stated there describes the task; `mentioned` when it comes "by the way".
    """
    text = sentence.strip()
    found = [(name, weight) for name, weight in FOR if _speaks_for(name, text)]
    signs = tuple(name for name, _ in found)
    strong = _is_strong(text, signs)
    if _is_stated(text) and not (at_work and (names_something_at_hand(text) or _CODE_LIKE.search(text))):
        found.append(("stated", _STATED))
        signs = (*signs, "stated")
    elif _is_told(text, at_work=at_work) or (mentioned and _is_declared(text)) or (not at_work and _is_standing(text)):
        found.append(("told", _TOLD))
        signs = (*signs, "told")
    weight = sum(w for _, w in found) - _against(text, signs, strong=strong or "told" in signs)
    if at_work and set(signs) <= _DESCRIBING and not _FIRST_PERSON.match(text):
        weight -= _DESCRIPTION_AT_HAND if names_something_at_hand(text) else _DESCRIPTION
    denied = denied and not patterns.has("words/rules", "narrative", text)
    weight += max(_shape(text), 0.0) if "stated" in signs else _shape(text)
    weight += (2.0 if refused and signs else 0.0) + (1.5 if denied and signs else 0.0)
    return Weighed(weight, signs[0] if signs else "", signs, strong)


def _is_stated(text: str) -> bool:
    """Whether a thing is said to be so, with a value, and not of this moment."""
    return states_a_value(text) and not (
        is_at_work(text) or is_about_work_at_hand(text) or patterns.has("words/rules", "momentary", text))


def _is_told(text: str, *, at_work: bool) -> bool:
    """Whether a fact of life or work is mentioned in passing; beside an order only what people are and do."""
    whose = told_in_passing(text)
    if not whose or patterns.has("words/rules", "momentary", text):
        return False
    return not _begins_at_work(text) if whose in OF_PEOPLE else not (at_work or is_at_work(text))


def _is_declared(text: str) -> bool:
    """Whether a sentence just says something, of no thing at hand and not of this moment."""
    return not (is_at_work(text) or is_musing(text) or names_something_at_hand(text)
                or patterns.has("words/claims", "passing", text)
                or any(patterns.has("words/rules", table, text) for table in ("narrative", "momentary")))


def _is_standing(text: str) -> bool:
    """Whether a sentence just says how something is, with a value, and nothing in it sounds of this moment or of the past."""
    if _OF_NOW_OR_ME.search(text) or _CODE_LIKE.search(text) or not _HAS_VERB.search(text):
        return False
    if len(text.split()) < _FEWEST_WORDS or not names_a_value(text) or language_of(text) != "en":
        return False
    unsure = any(patterns.has("words/rules", table, text) for table in ("hedge", "addressing"))
    return _is_declared(text) and not (unsure or points_at_screen(text))


def _begins_at_work(text: str) -> bool:
    """Whether a sentence begins with an order, a wish or a question; what comes after a fact takes nothing from it."""
    return (patterns.starts("words/rules", "task", text) or patterns.starts("words/stance", "works", text)
            or is_order(text) or is_question(text))


def _is_strong(text: str, signs: tuple[str, ...]) -> bool:
    """Whether a sign of a rule stands in the sentence itself, not in what it says of some thing."""
    of_a_thing = _SAID_OF_A_THING.search(text)
    if of_a_thing is not None:
        text = text[:of_a_thing.start()]
        signs = tuple(name for name in signs if _speaks_for(name, text))
    return any(name in _STRONG for name in signs) or {"each", "norm"} <= set(signs)


def _speaks_for(name: str, text: str) -> bool:
    if name == "settles" and names_something_at_hand(text):
        return False
    if name != "remember" or patterns.WIDE.search(text):
        return patterns.has("words/rules", name, text)
    return any(patterns.starts("words/rules", name, clause) for clause in re.split(r"[,;:.–—]\s+|\band\s+", text))


def _against(text: str, signs: tuple[str, ...], *, strong: bool) -> float:
    """What speaks against a sentence: a question, a passing thought, a piece of work, this moment, something unseen."""
    advised = "advice" in signs
    weight = sum(w for name, w in AGAINST if patterns.has("words/rules", name, text) and not (advised and name == "narrative"))
    ordered = patterns.starts("words/rules", "task", text) or (is_order(text) and not _DENIES.match(text))
    if (ordered and not patterns.starts("words/rules", "environment", text)) or is_work(text):
        task = 0.5 if strong else _TASK + (_OF_A_THING if _SAID_OF_A_THING.search(text) else 0.0)
        weight += 0.0 if _STANDING_ORDER.match(text) else task
    if is_question(text):
        weight += _QUESTION
    elif asks_for_a_nod(text):
        weight += _TAG_QUESTION
    if is_musing(text):
        weight += _MUSING_WITH_REASON if "reason" in signs else _MUSING
    if points_at_screen(text):
        weight += _POINTING
    return weight + (_OUTSIDE if "told" not in signs and points_outside(text) else 0.0)


def is_at_work(sentence: str) -> bool:
    """Whether a sentence orders or asks something."""
    text = sentence.strip()
    return patterns.starts("words/rules", "task", text) or is_order(text) or is_work(text) or is_question(text)


def is_one_off(sentence: str) -> bool:
    """Whether a sentence is a short order about the way of working, a rule once it recurs."""
    text = sentence.strip().rstrip(".!")
    if text.endswith("?") or not SHORTEST_TEXT <= patterns.width(text) <= _LONGEST_ORDER:
        return False
    return patterns.starts("words/rules", "one_off", text) and not patterns.has("words/rules", "momentary", text)


def _shape(text: str) -> float:
    """Length and names: a durable sentence is neither a shout nor a page, and it names what it is about."""
    size = patterns.width(text)
    too_short = size < _SHORT and not _STANDING_ORDER.match(text)
    shape = 0.5 if 30 <= size <= 300 else -1.0 if too_short or size > 400 else 0.0
    if _NAMED.search(text):
        shape += 0.5
    if _FIRST_PERSON.match(text):
        shape -= 0.5
    return shape
