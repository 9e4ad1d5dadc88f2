"""Who looks after a thing now, in several languages, where the older statement says that somebody else does."""

from __future__ import annotations

import re
from functools import lru_cache

from dreamd.judge.abroad import shifts
from dreamd.judge.features import PairFeatures

_ARTICLE = re.compile(r"^(?:der|die|das|den|dem|el|la|los|las|le|les|l'|o|a|os|as|il|lo|gli|i|frau|herrn?) ?(?=\w)")
_END = re.compile(r"[.。!！]+$")


def other_keeper(pair: PairFeatures) -> str:
    """One thing in the hands of two, of whom one has it "now"; empty where nothing says so."""
    if not pair.same_script or pair.a.tongue not in shifts.HOLDS or bool(pair.a.changes) == bool(pair.b.changes):
        return ""
    one, other = kept_by(pair.a.folded, pair.a.tongue), kept_by(pair.b.folded, pair.b.tongue)
    if not one or not other or one[1] != other[1] or one[0] == other[0]:
        return ""
    return f"`{one[0]}` against `{other[0]}`"


@lru_cache(maxsize=4096)
def kept_by(folded: str, tongue: str) -> tuple[str, str] | None:
    """Who, and what, if the statement says that somebody looks after something."""
    low = _END.sub("", folded.lower()).strip()
    for pattern in shifts.HOLDS.get(tongue, ()):
        match = pattern.match(low)
        if match:
            return _bare(match.group("who")), _bare(match.group("what"))
    return None


def _bare(words: str) -> str:
    return _ARTICLE.sub("", words.strip(), count=1)
