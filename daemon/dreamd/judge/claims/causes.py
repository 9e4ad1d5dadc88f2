"""What is said to have brought something about, and whether two statements name different causes of one thing."""

# ruff: noqa: E501  patterns read better whole

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from dreamd.judge.features import PairFeatures
from dreamd.text.tokens import content_stems

_CAUSE = r"(?:caused by|due to|because of|owing to|the fault of|down to|the result of|triggered by|brought about by|a consequence of|explained by)"
_CAUSED = re.compile(
    rf"^(?P<what>.{{4,80}}?) (?:(?:is|are|was|were)(?: only| purely| solely| simply| entirely)? {_CAUSE}|(?:come|comes|came) from|results? from|resulted from|stems? from|stemmed from|ha[sd] its cause in"
    r"|(?:had|has) (?:only )?(?:one|a single) (?:cause|reason)[,:]|(?:broke|failed|stopped|crashed|happened) (?:purely |solely |only )?(?:because of|for one reason[,:])"
    r"|\w+ed (?:(?:purely|solely|only) because(?: of)?|for one reason(?: only| alone)?[,:])"
    r"|(?:is|are|was|were) (?:purely|simply|solely|just|only|entirely) (?=an? )|(?:is|are|was|were) (?:a|the) fault of)(?P<why>[^;.,]{3,80})"
)
"""What happened, and what is said to have brought it about."""
_BLAMED = re.compile(
    r"^(?:the )?(?:only |sole |one |real |single |root |actual )*(?:cause|reason|culprit)s? (?:of|for|behind) (?P<what>.{4,80}?) (?:is|was|were|lies in|lay in)(?P<why>[^;.,]{3,80})"
)
_MADE = re.compile(
    r"^(?P<why>[^;.]{3,60}?)(?:,? and nothing else,?| alone| by itself| and nothing but that) (?:has |have |had )?"
    r"(?:made|caused|led to|brought about|spoil(?:ed|t)|broken?|ruined|stopped|crashed) (?P<what>[^;.,]{4,80})"
)
"""What alone brought something about."""
_SOLE = re.compile(r"\b(?:only|alone|purely|solely|entirely|nothing else|the (?:only|one|sole|single) (?:cause|reason|culprit)|for one reason|one (?:cause|reason)|a single (?:cause|reason)|only that|nothing but)\b")


_SOLELY = frozenset(["alone", "sole", "solely", "pure", "purely", "entire", "entirely", "else"])


@dataclass(frozen=True, slots=True)
class Cause:
    """What happened and what brought it about, as stems, and whether nothing else did."""

    what: frozenset[str]
    why: frozenset[str]
    sole: bool


@lru_cache(maxsize=16_384)
def cause_in(folded: str) -> Cause | None:
    """The cause that a statement names; None when it names none."""
    low = folded.lower()
    match = _CAUSED.match(low) or _BLAMED.match(low) or _MADE.match(low)
    if not match:
        return None
    what, why = content_stems(match.group("what")), content_stems(match.group("why")) - _SOLELY
    return Cause(what, why, bool(_SOLE.search(low))) if what and why else None


def other_cause(pair: PairFeatures) -> str:
    """Both name the cause of one thing, and no word of the two causes is the same."""
    one, other = cause_in(pair.a.folded), cause_in(pair.b.folded)
    if not one or not other or one.why & other.why:
        return ""
    return "each names another cause" if len(one.what & other.what) * 2 >= min(len(one.what), len(other.what)) else ""


def only_cause(pair: PairFeatures) -> str:
    """Another cause of one thing, where both leave room for no further one."""
    one, other = cause_in(pair.a.folded), cause_in(pair.b.folded)
    return other_cause(pair) if one and other and one.sole and other.sole else ""
