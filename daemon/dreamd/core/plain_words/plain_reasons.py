"""Names in plain words, the same in a terminal, on the page and in the diary: why a memory changed or something said became
none, what became of it, what was done, what a reader passed over.

A name without words of its own is told as it is, its hyphens as spaces: never nothing, and never a guess.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from dreamd.core.plain_words.evidence_words import in_words as evidence_in_words
from dreamd.core.values import DECIDED, IN_PASSING, OBSERVED_WAITS, Clue, Evidence, EvidenceKind, Fate

DURABLE = "durable"
LONGEST_CLUE = 90
_IN_THE_REASON = {"contradicts": frozenset({EvidenceKind.CLASH, EvidenceKind.SAME_TIME})}
"""What a reason says itself."""
SINGLE_SIGHTING = "single-sighting"
TAKEN_BACK = "undo of "
"""Before the name of what was done, where a person took that back."""
PUT_BACK = f"{TAKEN_BACK}undo"
AGAIN = f"{TAKEN_BACK}put-back"
"""Where a person took that back that they had put back."""
_OF_SAYINGS = {
    SINGLE_SIGHTING: "an order for one occasion; heard in several conversations it becomes a rule",
    IN_PASSING: "no memory is made of it, `dream search` finds it as it was said",
    "revised-at-once": "put right or taken back in the same breath",
    "agent-wrote-memory": "the agent wrote a memory of it itself",
    "acknowledgement": "only agrees, thanks or greets", "too-short": "too short to say anything",
    "only-a-secret": "nothing but a secret", "secret-file": "the contents of a file of secrets", "diff": "a diff",
    "log": "printed by a program", "code": "code",
    "commit": "a line of version control", "injection": "tries to give the agent orders",
    "editing-instruction": "an edit of one text", "history": "tells what was done; version control knows",
    "procedure": "a recipe of many steps; a runbook or a skill is its place",
    "outside-pronoun": "speaks of something it does not name", "question": "a question",
    "untrusted-origin": "it is from a tool or a web page",
    "agent-root-cause": "it is an agent's guess at a cause, not yet accepted",
    "rule-for-a-person": "it is a rule, a wish or an order that no person has given; `dream review` accepts it",
    "order-for-a-person": "it is an order that could do harm, which only a person may give",
    "names-nothing": "only an agent said it, and nobody looks it up (where, which, how large); `dream review` accepts it",
    "quotes-an-order": "it repeats what somebody else ordered; `dream review` asks whether it is meant",
    "agent-decision": "it is an agent's decision, not yet accepted"}
"""Why something that was said became no memory, or one that waits."""
_OF_CHANGES = {
    "durable": "it says something that lasts", "names-path-or-command": "it names a command, a path or what one looks up",
    "decision-record": "a decision record says it", "said-again": "it was said again", "accepted": "you accepted it",
    "duplicate": "it says the same", "refines": "it says the same and more", "updates": "a later statement says otherwise",
    "contradicts": "two statements cannot both hold, and nothing tells which is right",
    "members-contradict": "two members of the team say otherwise, and a curator decides",
    "older-statement-came-late": "what was said later was known already", "later-statement": "a later statement settled it",
    "repeats-ended-version": "it repeats what had ended before",
    "person-over-agent": "a person's word stands above an agent's",
    "trusted-over-untrusted": "a trusted word stands above an untrusted one",
    "better-supported": "the other was said more often",
    "edited-by-person": "you edited it", "deleted-by-person": "you deleted it from its file",
    "renamed-by-person": "you renamed its file", "withdrawn-at-source": "it stands no longer where it was noted",
    "said-in-several-conversations": "you said it in several conversations", "expired": "the day it named has passed",
    "has-an-end": "its end is known now, so it is a state",
    "never-ends": "it has not ended in all this time, so it is a reference",
    "conversation-ended": "its conversation is over",
    "not-asked-for": "nobody said, confirmed or asked for it in a long time",
    "stale-for-too-long": "nobody asked for it since it went stale", "heard-of-in-time": "it was said or asked for again",
    "names-what-is-gone": "it names something that is not there any more", "found-again": "what it names is there again",
    "accepted-by-pin": "you pinned it, which accepts it", "restored-by-person": "you brought it back",
    "decided-by-person": "you decided it", "dropped-by-person": "you dropped it", "promoted-by-person": "you promoted it",
    "moved-by-person": "you moved it to another scope", "taken-back": "you took it back",
    "waits-beside-standing": "a standing statement of yours says otherwise", "pinned-stands": "a pinned memory says otherwise",
    "edited-by-person-stands": "a memory you edited says otherwise", "proposed-by-task": "a finished task left it",
    "task-done": "its task is done", "task-end": "its task has ended", "phase-ended": "its phase has ended",
    "left-one-source": "one of its sources says it no longer",
    "nothing-rests-on-it": "nothing that was said supports it any more",
    "no-longer-contradicts": "what stood against it has ended", "all-sources-agree": "all its sources say the same now",
    "edited-elsewhere-too": "you edited it differently in two places",
    "taken-out-elsewhere": "you took it out in another place",
    "forgotten": "you had it forgotten", "came-by-import": "it came by an import",
    "said-by-agent-alone": "only an agent said it"}
"""Why a memory was made, changed or ended."""
OF_SKIPS = {
    "no-sign": "nothing in it that lasts", "tool-call": "calls of tools", "tool-result": "what tools printed",
    "acknowledgement": "agreement, thanks, greetings", "said-before": "the same words as before",
    "pointer": "lines of an index",
    "corrupt-line": "lines that are damaged", "corrupt-document": "documents that are damaged", "oversized": "too long to read",
    "unreadable": "not readable", "missing": "not there any more", "damaged": "damaged", "unknown-type": "of an unknown kind",
    "forgotten": "forgotten on request", "injected": "what dream itself had told",
    "own-writing": "a diary or an export of dream's"}
"""Why a reader passed something over."""


REASONS = {**_OF_SAYINGS, **_OF_CHANGES}
OF_FATES = {Fate.NEW: ("new", ""), Fate.DUPLICATE: ("said before", ""), Fate.REFINES: ("added detail", ""),
            Fate.UPDATES: ("replaced something", ""), Fate.CONTRADICTS: ("contradiction", "contradictions"),
            Fate.HELD: ("held for you", ""), Fate.DISCARDED: ("let go", "")}
"""What became of something that was said; of several, where that is another word."""
OF_OPS = {
    "add": "learned", "promote": "made a memory", "refine": "given detail", "merge": "merged", "regroup": "merged",
    "support": "said again", "supersede": "replaced", "version": "kept as an earlier version", "hold": "held for you",
    "propose": "proposed", "edit": "edited", "rename": "renamed", "archive": "archived", "restore": "brought back",
    "revive": "live again", "move": "moved", "forget": "forgotten", "link": "noted beside another", "unlink": "let stand alone",
    "undo": "taken back", "reclass": "of another class", "import": "taken in",
    "pin": "pinned", "unpin": "no longer pinned", "review": "decided by you", "crossing": "moved to another scope"}
"""What was done to a memory in one step; `stale` and the others are words already."""
OF_WISHES = ("pin", "unpin")
"""What a person does for reasons of their own: the reason that stands beside it is the memory's."""


def plain(reason: str) -> str:
    """Why a memory is as it is, or something said became none; the name without hyphens where it has no words."""
    if reason.startswith(OBSERVED_WAITS):
        return "only a language model says that it was said"
    if reason.startswith(DECIDED):
        return f"its decision record says so ({reason.removeprefix(DECIDED)})"
    if reason in (PUT_BACK, AGAIN):
        return "you put back what you had taken back" if reason == PUT_BACK else "you took it back again"
    if reason.startswith(TAKEN_BACK):
        return f"you took back that it was {OF_OPS.get(op := reason.removeprefix(TAKEN_BACK), op)}"
    return REASONS.get(reason) or reason.replace("-", " ")


def done_words(op: str, reason: str) -> str:
    """What was done to a memory in one step."""
    return "put back" if reason == PUT_BACK else OF_OPS.get(op, op)


def plain_why(reason: str, rests: Sequence[str]) -> str:
    """Why a memory was made or changed, beside what that rests on."""
    if reason == DURABLE and any(one.startswith("until ") for one in rests):
        return "it says what holds for a time"
    return plain(reason) if reason else ""


def plain_skip(reason: str) -> str:
    """Why a reader passed something over."""
    return OF_SKIPS.get(reason) or plain(reason)


def fate_words(fate: Fate | None, reason: str = "", n: int = 1) -> str:
    """What became of one thing that was said, or of several."""
    if fate is None:
        return "waits for the next dream"
    if reason in (IN_PASSING, SINGLE_SIGHTING):
        return "said in passing" if reason == IN_PASSING else "waits to be heard again"
    one, many = OF_FATES[fate]
    return many if many and n != 1 else one


def fate_and_why(fate: Fate | None, reason: str) -> str:
    """The same with its reason."""
    became, why = fate_words(fate, reason), plain(reason) if reason else ""
    return became if not why or why == became else f"{became}: {why}"


def plain_evidence(clues: Sequence[Clue], reason: str, texts: Sequence[str] = (), *,
                   sides: tuple[str, str] = ("what was said newly", "what was known")) -> tuple[str, ...]:
    """What a change rests on, without figures, and without what only says its reason once more.

    Words are shown as they stand in one of the `texts`, where they are found there; `sides` are the two that were compared.
    """
    told = [clue if isinstance(clue, str) else _side_by_side(replace(
        clue, share=None, a=_as_written(clue.a, texts), b=_as_written(clue.b, texts)), sides)
        for clue in clues if isinstance(clue, str) or clue.kind not in _IN_THE_REASON.get(reason, ())]
    return tuple(one.replace("ends: ", "until ") for one in dict.fromkeys(told)
                 if not one.endswith(f": {reason}") and not one.startswith("TTL"))


def _side_by_side(clue: Evidence, sides: tuple[str, str]) -> str:
    if clue.kind is EvidenceKind.SAYS_MORE and bool(clue.a) != bool(clue.b):
        return f"{sides[0] if clue.a else sides[1]} adds `{clue.a or clue.b}`"
    return evidence_in_words(clue)


def _as_written(span: str, texts: Sequence[str]) -> str:
    """Words as a comparison read them, the way a person wrote them, and not all of them where they are many."""
    words = re.findall(r"\w+", span)
    found = None
    if len(words) > 1:
        pattern = re.compile(r"\W{1,8}".join(map(re.escape, words)))
        found = next((hit for text in texts if (hit := pattern.search(text))), None)
    told = " ".join(found.group().replace("**", "").replace("`", "").split()) if found else span
    return told if len(told) <= LONGEST_CLUE else f"{told[:LONGEST_CLUE].rsplit(' ', 1)[0]} …"
