"""What decisions rest on: how the store keeps it, and how people read it. Nothing parses the words."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import date

from dreamd.core.values import Clue, Evidence, EvidenceKind

_PLAIN = {
    EvidenceKind.SAME_WORDS: "the same words",
    EvidenceKind.SAME_CLAIM: "read together they say the same",
    EvidenceKind.CLASH: "read together they cannot both hold",
    EvidenceKind.SAYS_MORE: "one says the same and more",
    EvidenceKind.QUANTITY: "the amounts differ",
    EvidenceKind.ENTITY: "the names differ",
    EvidenceKind.TEMPORAL: "the times differ",
    EvidenceKind.POLARITY: "one denies what the other says",
    EvidenceKind.QUANTIFIER: "they differ in how many it holds for",
    EvidenceKind.CONDITION: "they hold under different conditions",
    EvidenceKind.ROLE_ORDER: "who and whom, or first and second, are exchanged",
    EvidenceKind.SUBJECT: "they differ",
    EvidenceKind.CHANGE_TOLD: "the wording tells of a change",
    EvidenceKind.LATER: "one was said clearly later",
    EvidenceKind.SAME_TIME: "neither wording nor time tells which is current",
    EvidenceKind.OUT_OF_USE: "what it speaks of is used no longer",
    EvidenceKind.LOST_DETAIL: "one wording cannot keep what both say",
    EvidenceKind.NEAR: "near in meaning",
    EvidenceKind.FAR: "far apart in meaning",
}
_OF_ONE_SPAN = {
    EvidenceKind.SAYS_MORE: "one says the same and adds `{}`",
    EvidenceKind.CONDITION: "only one holds under a condition: `{}`",
    EvidenceKind.CHANGE_TOLD: "`{}` tells of a change",
    EvidenceKind.OUT_OF_USE: "`{}` is used no longer",
    EvidenceKind.LOST_DETAIL: "`{}` would be lost",
}
"""Where one side alone has something to show; of the other kinds it is given behind the plain words."""


def in_words(clue: Clue) -> str:
    """One reason as people read it."""
    if isinstance(clue, str):
        return clue
    if clue.kind is EvidenceKind.LATER:
        return _days(clue) or _PLAIN[clue.kind]
    plain, spans = _PLAIN[clue.kind], [span for span in dict.fromkeys((clue.a, clue.b)) if span]
    if len(spans) == 1 and clue.kind in _OF_ONE_SPAN:
        told = _OF_ONE_SPAN[clue.kind].format(spans[0])
    elif len(spans) == 1:
        told = f"{plain}: `{spans[0]}`" + ("" if clue.a == clue.b else " on one side only")
    else:
        told = f"{plain}: `{spans[0]}` against `{spans[1]}`" if spans else plain
    return told if clue.share is None else f"{told} ({clue.share:.2f})"


def all_in_words(clues: Iterable[Clue]) -> list[str]:
    """Each reason as people read it."""
    return [in_words(clue) for clue in clues]


def to_json(clues: Iterable[Clue]) -> str:
    """Reasons as the store keeps them: a sentence as it is, evidence as its kind and what it has besides."""
    return json.dumps([clue if isinstance(clue, str) else _row(clue) for clue in clues], ensure_ascii=False)


def from_json(text: str) -> tuple[Clue, ...]:
    """Reasons that the store kept. A kind that is not known here is a sentence like any other."""
    return tuple(_clue(row) for row in json.loads(text))


def each_text(clues: Iterable[Clue], change: Callable[[str], str]) -> tuple[Clue, ...]:
    """The same reasons with every text in them changed: masked, for one."""
    return tuple(change(clue) if isinstance(clue, str) else replace(clue, a=change(clue.a), b=change(clue.b)) for clue in clues)


def _row(clue: Evidence) -> dict[str, object]:
    row: dict[str, object] = {"kind": clue.kind.value}
    row |= {name: span for name, span in (("a", clue.a), ("b", clue.b)) if span}
    return row if clue.share is None else {**row, "share": round(clue.share, 4)}


def _clue(row: object) -> Clue:
    if not isinstance(row, dict):
        return str(row)
    share = row.get("share")
    try:
        return Evidence(EvidenceKind(row["kind"]), str(row.get("a", "")), str(row.get("b", "")),
                        float(share) if share is not None else None)
    except ValueError:
        return ": ".join(str(row[name]) for name in ("kind", "a", "b") if name in row)


def _days(clue: Evidence) -> str:
    try:
        apart = abs((date.fromisoformat(clue.b) - date.fromisoformat(clue.a)).days)
    except ValueError:
        return ""
    return f"said {apart:,} {'day' if apart == 1 else 'days'} apart, on {clue.a} and {clue.b}"
