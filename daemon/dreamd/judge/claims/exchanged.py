"""Two parallel parts with one word of each exchanged: "frontend is Vue, admin is React", "frontend is React, admin is Vue"."""

from __future__ import annotations

import re

from dreamd.judge.features import PairFeatures
from dreamd.text.tokens import content_stems

_PARALLEL = re.compile(r"(?:, | and |; )(?:and |but )?")
PARTS = 2
LEAST_PART = 2
"""Content words of a part that tells something of something."""


def exchanged_parts(pair: PairFeatures) -> str:
    """What stands in the place of the other in each of two parts; empty where anything else differs."""
    if not pair.in_english or pair.only_a or pair.only_b or pair.a.content == pair.b.content:
        return ""
    if pair.a.negations or pair.b.negations or pair.a.conditions or pair.b.conditions or pair.a.changes or pair.b.changes:
        return ""
    mine, theirs = ([content_stems(part) for part in _PARALLEL.split(slots.bare)] for slots in (pair.a, pair.b))
    if len(mine) != PARTS or len(theirs) != PARTS or min(map(len, (*mine, *theirs))) < LEAST_PART:
        return ""
    lost, found = (mine[0] - theirs[0], theirs[0] - mine[0])
    turned = lost == theirs[1] - mine[1] and found == mine[1] - theirs[1]
    return f"`{min(lost)}` against `{min(found)}`" if turned and len(lost) == 1 == len(found) else ""
