"""The sentences in which the rules here give their reasons, as evidence. It goes when they do."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from dreamd.core.values import Evidence, EvidenceKind

_KINDS = (
    ("read together they say the same", EvidenceKind.SAME_CLAIM),
    ("read together they cannot", EvidenceKind.CLASH),
    ("same words", EvidenceKind.SAME_WORDS),
    ("same list", EvidenceKind.SAME_WORDS),
    ("another unit", EvidenceKind.SAME_CLAIM),
    ("told from both ends", EvidenceKind.SAME_CLAIM),
    ("once as a noun", EvidenceKind.SAME_CLAIM),
    ("is the opposite of what", EvidenceKind.SAME_CLAIM),
    ("denies twice", EvidenceKind.SAME_CLAIM),
    ("for a vague word", EvidenceKind.SAYS_MORE),
    ("adds to it", EvidenceKind.SAYS_MORE),
    ("used no longer", EvidenceKind.OUT_OF_USE),
    ("shows the change", EvidenceKind.CHANGE_TOLD),
    ("tells of a change", EvidenceKind.CHANGE_TOLD),
    ("` ends `", EvidenceKind.CHANGE_TOLD),
    ("it is so now", EvidenceKind.CHANGE_TOLD),
    ("days later", EvidenceKind.LATER),
    ("neither wording nor time", EvidenceKind.SAME_TIME),
    ("numbers differ", EvidenceKind.QUANTITY),
    ("amount", EvidenceKind.QUANTITY),
    ("own number", EvidenceKind.QUANTITY),
    ("how many differs", EvidenceKind.QUANTIFIER),
    ("speaks of some only", EvidenceKind.QUANTIFIER),
    ("one speaks of all", EvidenceKind.QUANTIFIER),
    ("lacks", EvidenceKind.LOST_DETAIL),
    ("lost", EvidenceKind.LOST_DETAIL),
    ("differ", EvidenceKind.ENTITY),
    ("version", EvidenceKind.ENTITY),
    ("about a name", EvidenceKind.ENTITY),
    ("weekday", EvidenceKind.TEMPORAL),
    ("month", EvidenceKind.TEMPORAL),
    ("season", EvidenceKind.TEMPORAL),
    ("denies", EvidenceKind.POLARITY),
    ("denial", EvidenceKind.POLARITY),
    ("deny", EvidenceKind.POLARITY),
    ("opposite", EvidenceKind.POLARITY),
    ("rules out", EvidenceKind.POLARITY),
    ("bars", EvidenceKind.POLARITY),
    ("leaves free", EvidenceKind.POLARITY),
    ("leaves room for", EvidenceKind.POLARITY),
    ("condition", EvidenceKind.CONDITION),
    ("exchanged", EvidenceKind.ROLE_ORDER),
    ("puts first", EvidenceKind.ROLE_ORDER),
)
_SPAN = re.compile(r"`([^`]+)`")
_SHARE = re.compile(r"\((0\.\d+|1\.0+)\)$")
_NEAR = 0.5


def evidence_of(sentence: str, similarity: float, a_at: datetime | None = None, b_at: datetime | None = None) -> Evidence:
    """A reason as evidence; what no kind fits is two subjects."""
    if sentence.startswith("similarity"):
        return Evidence(EvidenceKind.NEAR if similarity >= _NEAR else EvidenceKind.FAR, share=max(0.0, similarity))
    kind = next((kind for part, kind in _KINDS if part in sentence), EvidenceKind.SUBJECT)
    if kind is EvidenceKind.SUBJECT and sentence.startswith("same subject"):
        kind = EvidenceKind.QUANTITY if any(c.isdigit() for c in sentence) else EvidenceKind.ENTITY
    if kind is EvidenceKind.LATER:
        return Evidence(kind, _day(a_at), _day(b_at))
    share = _SHARE.search(sentence)
    mine, _, theirs = sentence.partition(" against ")
    spans = [", ".join(_SPAN.findall(side)) for side in (mine, theirs)]
    if kind is EvidenceKind.SAYS_MORE:
        spans = ["", ""]  # the sentence names the side and none of its words
    return Evidence(kind, spans[0], spans[1], float(share[1]) if share else None)


def _day(at: datetime | None) -> str:
    return at.astimezone(UTC).date().isoformat() if at else ""
