"""Who alone does a thing: "only the porter opens the vault", "the vault is opened by the caretaker and nobody else"."""

# ruff: noqa: SIM905  word lists read better as runs of words

from __future__ import annotations

from collections.abc import Sequence

from dreamd.judge.features import PairFeatures
from dreamd.judge.slots import Slots
from dreamd.text.markers import EXCLUSIVE, LIGHT
from dreamd.text.tokens import Token, stem

_ALONE = frozenset(
    stem(w)
    for w in (
        "only alone sole solely exclusive exclusively nobody else no one other purely entirely reserved business decision job "
        "task matter responsibility duty hand allowed permitted done made lie fall"
    ).split()
)
_OWNED = frozenset("business decision job task matter responsibility duty".split())
LEAST_DEED = 2
"""Words of a deed, with what it is done to."""


def other_sole(pair: PairFeatures) -> str:
    """Both say who alone does one and the same thing, and name somebody else."""
    if not pair.in_english or pair.a.conditions or pair.b.conditions:
        return ""
    if not EXCLUSIVE.search(pair.a.low) or not EXCLUSIVE.search(pair.b.low):
        return ""
    one, other = _holder(pair.a), _holder(pair.b)
    if one and other:
        (who, deed), (whom, again) = one, other
    elif one or other:
        # "only the porter opens the vault": what the other side calls the deed tells where the holder ends
        holder, whole = (one, _weighty(pair.b.tokens)) if one else (other, _weighty(pair.a.tokens))
        assert holder is not None
        (who, deed), again = holder, holder[1] & whole
        whom = whole - again
    else:
        return _both_open(pair)
    same = min(len(deed), len(again)) >= LEAST_DEED and (deed <= again or again <= deed) and len(deed ^ again) <= 1
    if not same or not who or not whom or who <= whom or whom <= who:
        return ""
    return f"`{' '.join(sorted(who))}` against `{' '.join(sorted(whom))}`"


def _both_open(pair: PairFeatures) -> str:
    """ "Only x does it" beside "only y does it", where nothing but who does it differs."""
    first = [next((t.stem for t in slots.tokens[1:] if t.is_content), "") for slots in (pair.a, pair.b)]
    begun = all(slots.tokens[0].lower == "only" for slots in (pair.a, pair.b))
    apart = first[0] in pair.only_a and first[1] in pair.only_b and len(pair.shared) >= LEAST_DEED
    last = [slots.content[-1:] for slots in (pair.a, pair.b)]
    alone = begun and apart and last[0] == last[1] and max(len(pair.only_a), len(pair.only_b)) <= LEAST_DEED
    return f"`{first[0]}` against `{first[1]}`" if alone else ""


def _holder(slots: Slots) -> tuple[frozenset[str], frozenset[str]] | None:
    """Who alone does what, as stems; None where a statement leaves room for others, or does not say."""
    cut = slots.tokens
    stop = next((i for i, t in enumerate(cut) if t.kind == "stop"), len(cut))
    cut = cut[:stop]
    low = [t.lower for t in cut]
    if slots.passive and "by" in low:
        at = low.index("by")
        behind = next((i for i in range(at + 1, len(cut)) if low[i] in ("and", "who")), len(cut))
        return _pair_of(cut[at + 1 : behind], cut[:at])
    if "reserved" in low:
        at = low.index("reserved")
        return _pair_of(cut[at + 2 :], cut[:at])
    owned = next((i for i, t in enumerate(cut) if t.lower in _OWNED and i and cut[i - 1].surface.lower().endswith("'s")), -1)
    if owned > 0 and slots.verb_at > 0:
        return _pair_of(cut[slots.verb_at : owned], cut[: slots.verb_at])
    return None


def _pair_of(who: Sequence[Token], deed: Sequence[Token]) -> tuple[frozenset[str], frozenset[str]] | None:
    one, other = _weighty(who), _weighty(deed)
    return (one, other) if one and other else None


def _weighty(run: Sequence[Token]) -> frozenset[str]:
    return frozenset(t.stem for t in run if t.is_content) - _ALONE - LIGHT
