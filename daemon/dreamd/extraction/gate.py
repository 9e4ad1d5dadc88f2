"""The write gate: what may become a memory, in which class, and under which durable wording. Pure.

Order matters. What may never be stored is refused first, whoever asks; then trust limits what is left; only then does
the wording decide. A class or type given by the caller replaces the gate's choice, never a refusal, a mask or a limit.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo
from functools import cache

from dreamd.core.plain_words.rule_parts import PART
from dreamd.core.values import (
    DECIDED,
    DECISION,
    FROM_TASK,
    LEARNED,
    LOGGED,
    MEMORY_FILE,
    OBSERVED_WAITS,
    QUOTED,
    SHORTEST_TEXT,
    Category,
    Gated,
    GateVerdict,
    MemoryClass,
    MemoryType,
    Origin,
    Trust,
    trust_of,
)
from dreamd.extraction.classes import category_of, class_of, type_of
from dreamd.extraction.foreign import quotes_an_order
from dreamd.extraction.orders import is_look_up, must_name_something, needs_a_person
from dreamd.extraction.stance import points_outside, states_nothing
from dreamd.text import patterns
from dreamd.text.dates import Durable, make_durable
from dreamd.text.injection import looks_like_injection, orders_a_breach, strip_hidden, wears_a_role
from dreamd.text.redaction import MASK, Redacted, redact

_ENV_VALUE = re.compile(r"\s*(?:export\s+|set\s+|\$env:)?[A-Z][A-Z0-9_]{2,}\s*=\s?\S*\s*"
                        r"|\s*(?:export\s+)?[A-Z][A-Z0-9_]{2,}=([\"']).*\1\s*")
_FENCE = re.compile(r"(?:```|~~~)[\s\S]*?(?:```|~~~|\Z)")
_CODE_BELOW = re.compile(r"\s+\S|return\b|[)\]}]")
"""A line that goes on with one."""
SHORTEST_BESIDE_MASK = 20
"""What is left beside a mask must say something: "the password: …" does not."""
_FEWEST_STEPS = 4
_SHORT_RECIPE = 800
_CHECKED_CHARS = 16_000
_TOKEN_LIMIT = 400
_LINES_OF_A_STATEMENT = 2

_CHANGE = re.compile(r"\s*(?:[-*•+]\s*|\[[ x]\]\s*|\|\s*)*(?:(?:PR|MR|pull request|merge request)\s*)?"
                     r"(?:[#!]\d{1,7}\b|\[[#!]?\d{1,7}\]|https?://\S+/(?:pull|pulls|merge_requests|issues)/\d+)"
                     r"|.{3,160}\([#!]\d{1,7}\)\s*$", re.IGNORECASE)
"""A line that begins with the number of a change, or ends with it in brackets."""


@dataclass(frozen=True)
class _Refusal:
    reason: str
    memory_class: MemoryClass = MemoryClass.REFERENCE


def gate(text: str, *, origin: Origin, at: datetime, zone: tzinfo, class_hint: MemoryClass | None = None,
         type_hint: MemoryType | None = None, ttl: str | None = None, explicit: bool = True, sign: str = "") -> Gated:
    """Decide what an observation may become, and give its durable wording."""
    redacted = redact(strip_hidden(text).strip())
    if sign.startswith(DECISION):
        return _decision(redacted, sign.split(":")[1])
    if sign.startswith(LEARNED):
        return _account(redacted, GateVerdict.HOLD, LOGGED + sign.removeprefix(LEARNED), MemoryType.REFERENCE,
                        Category.OPERATIONS)
    durable = make_durable(redacted.text, at, zone)
    judged = durable.text[:_CHECKED_CHARS]
    refusal = _refusal(redacted, origin)
    kept = refusal is not None and sign == MEMORY_FILE and _stands_there(refusal.reason)
    suspected = kept and refusal is not None and refusal.reason == "injection"
    refusal = None if kept else refusal
    if refusal is None and class_hint in (MemoryClass.HISTORY, MemoryClass.PROCEDURE):
        refusal = _Refusal(class_hint.value, class_hint)
    if refusal is None and class_hint is None and sign != MEMORY_FILE and is_procedure(redacted.text):
        refusal = _Refusal("procedure", MemoryClass.PROCEDURE)
    chosen = refusal.memory_class if refusal else class_hint or class_of(judged, has_ttl=bool(ttl or durable.ttl))
    if trust_of(origin) is Trust.UNTRUSTED and chosen in (MemoryClass.PREFERENCE, MemoryClass.RULE):
        chosen = MemoryClass.REFERENCE
    waits = sign == QUOTED and "quotes-an-order" or sign == FROM_TASK and FROM_TASK or sign.startswith(
        OBSERVED_WAITS) and sign.removeprefix(OBSERVED_WAITS) or suspected and "injection" or needs_a_person(
        judged, origin=origin, memory_class=chosen, sign=sign)
    verdict, reason = (GateVerdict.DISCARD, refusal.reason) if refusal else _verdict(
        judged, origin, explicit=explicit, waits=waits, listed=sign == MEMORY_FILE)
    if sign == MEMORY_FILE and len(redacted.text.splitlines()) > _LINES_OF_A_STATEMENT:
        durable = replace(durable, ttl=None, valid_from=None)  # what one line of a document tells of its end
    if verdict is GateVerdict.ALLOW and must_name_something(origin, sign) and not is_look_up(judged) and not (
            _names_record(judged)):
        verdict, reason = GateVerdict.HOLD, "names-nothing"
    return Gated(
        verdict=verdict, reason=reason, text=durable.text, memory_class=chosen,
        memory_type=_limited_type(type_hint, origin) or type_of(judged, chosen),
        category=category_of(judged, chosen),
        ttl=ttl or (durable.ttl if chosen is MemoryClass.STATE or class_hint is None else None) or _state_end(durable, chosen),
        valid_from=durable.valid_from, evidence=_evidence(redacted, durable, verdict, reason))


def _decision(redacted: Redacted, standing: str) -> Gated:
    """What a decision record says: its status decides; only what might be meant for the reader waits for a person."""
    verdict = GateVerdict.ALLOW if standing in ("accepted", "unstated") else GateVerdict.HOLD
    return _account(redacted, verdict, DECIDED + standing, MemoryType.PROJECT, Category.ARCHITECTURE)


def _account(redacted: Redacted, verdict: GateVerdict, reason: str, kind: MemoryType, category: Category) -> Gated:
    """What stands elsewhere in other words; what in it might be meant for the reader waits for a person."""
    text = redacted.text
    if looks_like_injection(text) or wears_a_role(text):
        verdict, reason = GateVerdict.HOLD, "injection"
    masks = tuple(f"masked: {kind}" for kind in dict.fromkeys(redacted.masks))
    return Gated(verdict, reason, text, MemoryClass.REFERENCE, kind, category,
                 evidence=(f"{verdict.value}: {reason}", *masks))


def _stands_there(reason: str) -> bool:
    """Whether a line that somebody keeps in a memory directory stands though a sentence said in a talk would not.

    It tells a step, a deed or a change because it was thought worth keeping there; what might be meant for the reader waits.
    """
    return reason in ("history", "editing-instruction", "injection")


def _state_end(durable: Durable, chosen: MemoryClass) -> str | None:
    return durable.ttl if chosen is MemoryClass.STATE else None


def _limited_type(type_hint: MemoryType | None, origin: Origin) -> MemoryType | None:
    """An untrusted origin describes neither the person nor how to work."""
    if trust_of(origin) is Trust.UNTRUSTED and type_hint in (MemoryType.USER, MemoryType.FEEDBACK):
        return MemoryType.REFERENCE
    return type_hint


def _evidence(redacted: Redacted, durable: Durable, verdict: GateVerdict, reason: str) -> tuple[str, ...]:
    masks = tuple(f"masked: {kind}" for kind in dict.fromkeys(redacted.masks))
    return (f"{verdict.value}: {reason}", *masks, *durable.evidence)


def _refusal(redacted: Redacted, origin: Origin) -> _Refusal | None:
    """Why a text may become no memory at all, or None."""
    text = redacted.text[:_CHECKED_CHARS]
    said = MASK.sub("", text)
    left = patterns.fullness(said.strip(" \n\t.:=,;-*"))
    if left < SHORTEST_TEXT:
        return _Refusal("too-short")
    # What was noted was masked before it was stored, and has no mask of today's.
    if (redacted.masks or said != text) and (left < SHORTEST_BESIDE_MASK or _says_only_that_it_is_secret(said)):
        return _Refusal("only-a-secret")
    for reason, refuses in (("secret-file", is_env_file), ("acknowledgement", is_acknowledgement), ("diff", is_diff),
                            ("log", is_log), ("code", is_code), ("commit", is_commit)):
        if refuses(text):
            return _Refusal(reason)
    if looks_like_injection(text) if trust_of(origin) is not Trust.USER else orders_a_breach(text):
        return _Refusal("injection")
    if is_change_list(text):
        return _Refusal("history", MemoryClass.HISTORY)
    if is_editing_instruction(text):
        return _Refusal("editing-instruction")
    if is_history(text):
        return _Refusal("history", MemoryClass.HISTORY)
    return None


def _verdict(text: str, origin: Origin, *, explicit: bool, waits: str, listed: bool) -> tuple[GateVerdict, str]:
    if trust_of(origin) is Trust.UNTRUSTED:
        return GateVerdict.HOLD, "untrusted-origin"
    if wears_a_role(text):
        return GateVerdict.HOLD, "speaks-as-a-chat-role"
    if waits:
        return GateVerdict.HOLD, waits
    if not listed and quotes_an_order(text):
        return GateVerdict.HOLD, "quotes-an-order"
    if not listed and points_outside(text):  # what "it" is tells the line beside, or the heading
        return GateVerdict.HOLD, "outside-pronoun"
    if origin is Origin.AGENT and patterns.has("words/gate", "root_cause", text):
        return GateVerdict.HOLD, "agent-root-cause"
    if origin is Origin.AGENT and patterns.has("words/gate", "decision", text) and not _names_record(text):
        return GateVerdict.HOLD, "agent-decision"
    if (nothing := states_nothing(text)) or (not explicit and text.rstrip().endswith(("?", "？"))):
        return GateVerdict.HOLD, nothing or "question"
    if _names_record(text):
        return GateVerdict.ALLOW, "decision-record"
    if patterns.has("words/classes", "command", text) or patterns.has("words/classes", "lookup", text):
        return GateVerdict.ALLOW, "names-path-or-command"
    return GateVerdict.ALLOW, "durable"


def _names_record(text: str) -> bool:
    """Whether a statement names where it was decided: whoever doubts it can look it up."""
    return patterns.has("words/gate", "record", text)


def is_acknowledgement(text: str) -> bool:
    """Whether a text only thanks, agrees or greets."""
    if len(text) > _TOKEN_LIMIT // 4:
        return False
    return _acknowledgements().fullmatch(text.strip().lower()) is not None


@cache
def _acknowledgements() -> re.Pattern[str]:
    return re.compile(f"(?:{'|'.join(patterns.entries('words/gate', 'acknowledgement'))})[\\s!.🙏👍🎉❤️😊]*")


def is_editing_instruction(text: str) -> bool:
    """Whether a text orders one change to some text or thing at hand, and states no rule."""
    first = re.split(r"\n|(?<=[.!?。])\s", text.strip(), maxsplit=1)[0][:_TOKEN_LIMIT]
    if not patterns.starts("words/gate", "editing", first):
        return False
    return patterns.has("words/gate", "editing_place", first) or not patterns.has("words/gate", "general", first)


def is_history(text: str) -> bool:
    """Whether a text only tells what was done, once, by the people or agents at work."""
    if patterns.has("words/gate", "standing", text):
        return False
    return patterns.starts("words/gate", "done_by_us", text) or patterns.starts("words/gate", "done_passive", text)


def is_procedure(text: str) -> bool:
    """Whether a text is a recipe of many steps, and not a document or a list of rules that happens to be numbered."""
    head = text[:_CHECKED_CHARS]
    if re.search(r"^#{1,6}\s", head, re.MULTILINE) or PART.search(head):
        return False
    steps: list[re.Match[str]] = []
    for match in patterns.cue("words/phrases", "step").finditer(head):
        if int(next(group for group in match.groups() if group)) == len(steps) + 1:
            steps.append(match)
    if len(steps) >= _FEWEST_STEPS:
        labelled = sum(1 for step in steps if re.match(r"\s*(?:\*\*|__|`)", head[step.end():step.end() + 8]))
        return labelled * 2 < len(steps) and (len(head) - steps[0].start()) * 2 >= len(head)
    return len(head) <= _SHORT_RECIPE and len(patterns.cue("words/phrases", "then").findall(head)) >= _FEWEST_STEPS


def is_env_file(text: str) -> bool:
    """Whether a text is the contents of an environment file."""
    lines = [line for line in MASK.sub("x", text).splitlines() if line.strip() and not line.lstrip().startswith("#")]
    if not lines:
        return False
    assigned = sum(1 for line in lines if _ENV_VALUE.fullmatch(line))
    return assigned == len(lines) or (assigned >= 2 and assigned * 2 >= len(lines))


def is_diff(text: str) -> bool:
    """Whether a text is a patch."""
    lines = text.splitlines()
    if any(line.startswith(("diff --git ", "@@ -", "+++ b/", "--- a/")) for line in lines):
        return True
    signs = [line[:1] for line in lines if re.match(r"[-+][^-+\s]|[-+]\s{2,}\S", line)]
    return len(signs) >= 3 and "+" in signs and "-" in signs and len(signs) * 2 >= len(lines)


def is_log(text: str) -> bool:
    """Whether a text is the output of a program."""
    if "Traceback (most recent call last)" in text:
        return True
    lines = [line for line in text.splitlines() if line.strip()]
    hits = sum(1 for line in lines if patterns.starts("words/gate", "log_line", line))
    return hits >= 2 and hits * 2 >= len(lines) or (hits == 1 and len(lines) == 1 and re.match(
        r"\s*(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d|npm (?:ERR!|error)|error\[E\d+\]|\S+:\d+:\d+: error)", text) is not None)


def is_commit(text: str) -> bool:
    """Whether a text is nothing but lines of a version control log."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return bool(lines) and all(patterns.cue("words/phrases", "commit", whole=True).match(line) for line in lines)


def is_change_list(text: str) -> bool:
    """Whether a text is nothing but changes named by their numbers: pull requests, issues, what was merged."""
    lines = [line for line in text.splitlines() if line.strip()]
    named = [found for line in lines if (found := _CHANGE.match(line))]
    if len(named) * 10 < len(lines) * 7 or not named:
        return False
    counted = [int(re.findall(r"\d+", found[0])[-1]) for found in named]
    # "#1 …, #2 …, #3 …" counts rules, not changes.
    return counted != [*range(1, len(named) + 1)] and (len(named) >= 3 or all("://" in found[0] for found in named))


def _says_only_that_it_is_secret(said: str) -> bool:
    """Whether what stands beside the masks names neither whose secret it is nor what for."""
    return not patterns.WIDE.search(said) and {*re.findall(r"[^\W\d_]+", said.casefold())} <= _of_secrets()


@cache
def _of_secrets() -> frozenset[str]:
    return frozenset(patterns.entries("words/gate", "of_secrets"))


def is_code(text: str) -> bool:
    """Whether a text is source code rather than a sentence about it."""
    told = [line for line in text.splitlines() if line.strip()]
    alone = patterns.cue("words/phrases", "code_alone", whole=True)
    if told and alone.match(told[0]) and all(alone.match(t) or _CODE_BELOW.match(t) for t in told):
        return True
    fenced = sum(len(block) for block in _FENCE.findall(text))
    if fenced * 10 >= len(text) * 6:
        return True
    lines = [line for line in text.splitlines() if line.strip()]
    hits = sum(1 for line in lines if _is_code_line(line))
    return hits * 2 > len(lines) and (len(lines) > 1 or text.rstrip().endswith((";", "{", "}", ":", ")", ">")))


def _is_code_line(line: str) -> bool:
    if re.match(r"\s*(?:[-*•]|\d+[.)])\s", line) or re.search(r"[a-z]{2,}[.!?]\s*$", line):
        return False
    return patterns.starts("words/gate", "code_line", line)
