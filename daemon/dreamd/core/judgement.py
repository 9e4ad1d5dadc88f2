"""How two statements stand to each other, and what a verdict on that rests on."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum


class Relation(StrEnum):
    """How two statements of one scope stand to each other."""

    DUPLICATE = "duplicate"
    REFINES = "refines"
    UPDATES = "updates"
    CONTRADICTS = "contradicts"
    RELATED = "related"
    UNRELATED = "unrelated"


MERGING = frozenset({Relation.DUPLICATE, Relation.REFINES})


class Basis(StrEnum):
    """What an `updates` or `contradicts` verdict rests on; the caller weighs time and authority by it."""

    MARKER = "marker"
    """The wording itself shows the change ("no longer", "moved from … to")."""
    TIME = "time"
    """Only the times of the two statements tell which is current."""
    NONE = "none"


_SWAPPED = {"a": "b", "b": "a"}
CLEARLY_LATER_DAYS = 1.0
"""Days between two statements from which their times tell which is current."""
SURE_CONFLICT = 0.85
"""Confidence from which a conflict ends or holds what stands: every statement meets a score of others, and one wrong
ending in a hundred comparisons would be one in every few nights."""


class EvidenceKind(StrEnum):
    """What a verdict on a pair rests on."""

    SAME_WORDS = "same_words"
    SAME_CLAIM = "same_claim"
    """Read together the two say one thing."""
    CLASH = "clash"
    """Read together they cannot both hold."""
    SAYS_MORE = "says_more"
    QUANTITY = "quantity"
    ENTITY = "entity"
    """A name, identifier, version, path or command."""
    TEMPORAL = "temporal"
    POLARITY = "polarity"
    QUANTIFIER = "quantifier"
    CONDITION = "condition"
    ROLE_ORDER = "role_order"
    """Who and whom, which before which."""
    SUBJECT = "subject"
    CHANGE_TOLD = "change_told"
    """The wording itself tells that something changed."""
    LATER = "later"
    """One was said clearly later; the spans are the days."""
    SAME_TIME = "same_time"
    """Neither wording nor time tells which is current."""
    OUT_OF_USE = "out_of_use"
    LOST_DETAIL = "lost_detail"
    """No wording of the two keeps what both say."""
    NEAR = "near"
    FAR = "far"


@dataclass(frozen=True)
class Evidence:
    """One thing a verdict rests on: its kind, where it stands in each text, and how sure or how much it is.

    The spans are whole words as they stand in `a` and in `b`; empty where there is nothing to show. It is put into
    words for people alone (`core.evidence_words`), and nothing reads those.
    """

    kind: EvidenceKind
    a: str = ""
    b: str = ""
    share: float | None = None

    def turned(self) -> Evidence:
        """The same seen from the other side."""
        return Evidence(self.kind, self.b, self.a, self.share)


Clue = Evidence | str
"""What a decision rests on: the judge's evidence, or a sentence of another room (the gate, pruning, a limit)."""


@dataclass(frozen=True)
class Judgement:
    """One relation between `a` and `b` with its confidence (0–1) and its evidence.

    `richer` names the side ("a" or "b") whose wording says everything the other says, for `duplicate` and
    `refines`. `newer` names the side that is current, for `updates`.
    """

    relation: Relation
    confidence: float
    evidence: tuple[Clue, ...] = ()
    basis: Basis = Basis.NONE
    richer: str | None = None
    newer: str | None = None

    @property
    def is_sure(self) -> bool:
        """Whether a dream acts on it. A conflict less sure than that ends and holds nothing: both stay in force."""
        return self.relation not in (Relation.UPDATES, Relation.CONTRADICTS) or self.confidence >= SURE_CONFLICT

    def turned(self) -> Judgement:
        """The same verdict on `b` and `a`."""
        evidence = tuple(clue if isinstance(clue, str) else clue.turned() for clue in self.evidence)
        return replace(self, evidence=evidence, richer=_SWAPPED.get(self.richer or ""), newer=_SWAPPED.get(self.newer or ""))
