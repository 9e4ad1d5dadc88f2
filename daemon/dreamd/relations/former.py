"""The former value that a statement names beside the new one, in several languages: "from x to y", "von x auf y", "从 x 改到 y"."""

# ruff: noqa: E501  patterns read better whole

from __future__ import annotations

import re

from dreamd.relations.current import current
from dreamd.relations.features import PairFeatures
from dreamd.relations.slots import Slots

_FROM_TO = {
    "de": re.compile(r"\bvo[nm] (?:der |den |dem )?(.{2,30}?) (?:auf|zu|zum|zur|nach|in) .{2,40}?\b(?:umgestiegen|gewechselt|verlegt|migriert|umgezogen|erhöht|gesenkt|verschoben|umgestellt|geändert|verlängert|verkürzt|angehoben)\b"),
    "es": re.compile(r"\b(?:pas(?:ó|a|amos|aron|ado|ada)|cambi\w+|migr\w+|mud\w+|traslad\w+|sub\w+|baj\w+|ampli\w+|movi\w+) (?:\w+ ){0,4}?(?:del?|desde) (?:los |las |el |la )?(.{2,30}?) (?:al?|hasta) "),
    "fr": re.compile(r"\b(?:pass\w+|migr\w+|déplac\w+|déménag\w+|chang\w+|transfér\w+) (?:\w+ ){0,4}?(?:de |du |des |d')(?:la |le |l')?(.{2,30}?) (?:à|au|aux|vers|en) "),
    "pt": re.compile(r"\b(?:pass\w+|migr\w+|mud\w+|troc\w+|alter\w+|aument\w+|reduz\w+) (?:\w+ ){0,4}?(?:do|da|de|dos|das) (.{2,30}?) (?:para|ao|à|a) "),
    "zh": re.compile(r"从\s?(.{1,20}?)\s?(?:延长|缩短|提高|降低|换|改|迁移|迁|移|调整|升级|搬|增加|减少|推迟|提前|变)(?:到|成|为|至|由)了?"),
    "ko": re.compile(r"([^\s]{1,20}?)에서 .{1,20}?(?:으로|로) (?:바뀌|바꿨|변경|옮|이전|늘|줄|이동|전환|교체)"),
    "ja": re.compile(r"([^はがを、]{1,20}?)から.{1,20}?(?:に|へ)(?:移|変|なっ|変更|切り替|延長|短縮|引き上げ|引き下げ)"),
    "ru": re.compile(r"\bс (.{2,30}?) (?:на|в|до) "),
}  # fmt: skip
LEAST_SHARED = 1


def former_abroad(pair: PairFeatures) -> str:
    """One side says, in its own language, from what to what something went, and the other still says the former."""
    if not pair.same_script or pair.a.tongue not in _FROM_TO:
        return ""
    for new, old in ((pair.a, pair.b), (pair.b, pair.a)):
        match = _FROM_TO[new.tongue].search(new.folded) if new.changes and not old.changes and not old.negations else None
        said = match.group(1).strip().lower() if match else ""
        if said and said in old.folded.lower() and _speak_of_one(new, old, said):
            return f"`{new.changes[0]}` ends `{said}`"
    return ""


def _speak_of_one(new: Slots, old: Slots, said: str) -> bool:
    """Beside the former value both have something in common, and the older statement says little more."""
    mine, theirs = (frozenset(s for s in current(slots.text).stems if s.lower() not in said) for slots in (new, old))
    full = {t.stem for t in new.tokens} | set(new.folded.lower())
    lost = {s for s in theirs if s not in mine and s not in full}
    return len(mine & theirs) >= LEAST_SHARED and len(lost) <= max(1, len(theirs) // 3)
