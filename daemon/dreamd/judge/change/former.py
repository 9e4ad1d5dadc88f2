"""The former value that a statement names beside the new one, in several languages: "von x auf y", "从 x 改到 y"."""

# ruff: noqa: E501, SIM905  word lists read better as runs of words

from __future__ import annotations

from functools import lru_cache

from dreamd.judge.abroad import shifts
from dreamd.judge.change.current import current
from dreamd.judge.features import PairFeatures
from dreamd.judge.slots import Slots
from dreamd.text.tokens import tokens

LEAST_SHARED = 1
_UNSPACED = ("zh", "ja", "ko")
_WE = frozenset(
    (
        "wir sind haben hat nous sommes avons on est es nosotros hemos se ha nós noi siamo abbiamo 우리는 우리 我们 咱们 私たちは cambiamos "
        "trocamos migramos passamos pasamos sustituimos reemplazamos substituímos ya no não já"
    ).split()
)
_VAGUE = frozenset(
    (
        "시간 기간 기한 보관 보존 후 뒤 전 매주 매월 매일 期 间 限 時 間 期間 zeit frist dauer tiempo plazo durée délai prazo tempo duración "
        "duração durata termine jeden jede cada chaque jedes tous toutes 每 周 毎 週 保 留 时 使 用 采 利 管 理"
    ).split()
)
"""Words that come and go between two ways to say how long, how often or with what."""


def former_abroad(pair: PairFeatures) -> str:
    """One side says, in its own language, from what to what something went, and the other still says the former."""
    if not pair.same_script or pair.a.tongue not in shifts.FORMER:
        return ""
    for new, old in ((pair.a, pair.b), (pair.b, pair.a)):
        if not new.changes or old.changes or old.negations:
            continue
        said, ahead = former_value(new.folded, new.tongue)
        if said and said in old.folded.lower() and (_was_used(old, said, ahead) or _speak_of_one(new, old, (said, ahead))):
            return f"`{new.changes[0]}` ends `{said}`"
    return ""


@lru_cache(maxsize=4096)
def former_value(folded: str, tongue: str) -> tuple[str, str]:
    """The value that a statement says has ended, in lower case, and what stands before it; both empty where it names none."""
    low = folded.lower()
    for pattern in shifts.FORMER.get(tongue, ()):
        match = pattern.search(low)
        if match and match.group(1).strip():
            return match.group(1).strip(), low[: match.start(1)]
    return "", ""


def _was_used(old: Slots, said: str, ahead: str) -> bool:
    """ "We use x" beside "we went from x to y": one of us speaks, and x goes by a name."""
    named = any(name.lower() == said for name in (*old.names, *old.fixed)) or said.isascii() and old.tongue in _UNSPACED
    named = named or any(t.lower == said and t.surface[:1].isupper() for t in old.tokens[1:])
    spoken = {t.lower for t in tokens(ahead) if t.kind not in ("stop", "op")} - _WE - shifts.LEAVING
    return named and not spoken and bool(shifts.USES.search(old.folded))


def _speak_of_one(new: Slots, old: Slots, former: tuple[str, str]) -> bool:
    """Beside the former value both have something in common, and neither speaks of a thing of its own."""
    said, ahead = former
    mine, theirs = (frozenset(s for s in current(slots.text).stems if s.lower() not in said) for slots in (new, old))
    full = {t.stem for t in new.tokens} | set(new.folded.lower())
    predicate = {t.stem for t in current(old.text).told[-1:]} if old.tongue == "ko" else set()
    lost = {s for s in theirs - predicate if s not in mine and s not in full and not _is_vague(s)}
    told = {form for t in old.tokens for form in (t.lower, t.stem)} | (set(old.folded) if new.tongue in _UNSPACED[:2] else set())
    own = {s for s in mine if s in ahead and s not in told and not _is_vague(s) and s not in shifts.LEAVING}
    shared = len(mine & theirs) + any(s in old.folded for s in mine if len(s) > 1 and old.tongue == "ko")
    return shared >= LEAST_SHARED and not (own and lost) and len(lost) <= max(1, len(theirs) // 3)


def _is_vague(stem: str) -> bool:
    return stem in _VAGUE or all("\u3040" <= c <= "\u309f" for c in stem)
