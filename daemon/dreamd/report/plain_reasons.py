"""The names of reasons in plain words: why a memory changed, why something said became none, what a reader passed over.

A name without words of its own is told as it is, its hyphens as spaces: never nothing, and never a guess.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dreamd.core.evidence_words import in_words as evidence_in_words
from dreamd.core.values import DECIDED, IN_PASSING, OBSERVED_WAITS, Clue

SINGLE_SIGHTING = "single-sighting"
OF_SAYINGS = {
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
    "untrusted-origin": "from a tool or a web page", "agent-root-cause": "an agent's guess at a cause, not yet accepted",
    "rule-for-a-person": "a rule, a wish or an order that no person has given: `dream review` accepts it",
    "order-for-a-person": "an order that could do harm, which only a person may give",
    "names-nothing": "an agent's word that looks up nothing (where, which, how large); `dream review` accepts it",
    "quotes-an-order": "repeats what somebody else ordered; `dream review` asks whether it is meant",
    "agent-decision": "an agent's decision, not yet accepted", "forgotten": "was forgotten on request"}
"""Why something that was said became no memory, or one that waits."""
OF_CHANGES = {
    "durable": "it says something that lasts", "names-path-or-command": "it names something worth looking up",
    "decision-record": "a decision record says it", "said-again": "it was said again", "accepted": "you accepted it",
    "duplicate": "it says the same", "refines": "it says the same and more", "updates": "a later statement says otherwise",
    "contradicts": "two statements cannot both hold, and nothing tells which is right",
    "members-contradict": "two members of the team say otherwise, and a curator decides",
    "older-statement-came-late": "what was said later was known already", "later-statement": "a later statement settled it",
    "repeats-ended-version": "it repeats what had ended before",
    "person-over-agent": "a person's word stands above an agent's",
    "trusted-over-untrusted": "a trusted word stands above an untrusted one",
    "better-supported": "the other was said more often",
    "edited-by-person": "you edited its file", "deleted-by-person": "you deleted it from its file",
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


def plain(reason: str, words: dict[str, str]) -> str:
    """A reason in plain words; its own name without hyphens where it has none."""
    if reason.startswith(OBSERVED_WAITS):
        return "only a language model says that it was said"
    if reason.startswith(DECIDED):
        return f"its decision record says so ({reason.removeprefix(DECIDED)})"
    return words.get(reason) or OF_CHANGES.get(reason) or OF_SAYINGS.get(reason) or reason.replace("-", " ")


def plain_evidence(clues: Sequence[Clue], reason: str) -> tuple[str, ...]:
    """What a change rests on, without figures, and without what only says its reason once more."""
    told = [evidence_in_words(clue if isinstance(clue, str) else replace(clue, share=None)) for clue in clues]
    return tuple(one.replace("ends: ", "until ") for one in dict.fromkeys(told)
                 if not one.endswith(f": {reason}") and not one.startswith("TTL"))
