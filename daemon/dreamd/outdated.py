"""Whether a later text ends what an earlier one says, for words that nobody weighed.

The judge of relations ends a memory only where the wording is certain, for a memory that ends is lost from every answer. A
passage is shown for want of anything better, so far less is enough to leave it out: a later text on the same topic that
tells of a change and has another value of the same kind, or that says the thing or the person named there is gone.
"""

from __future__ import annotations

import re
from functools import lru_cache

from dreamd.ranking import named_old, word_roots

TOPIC = 0.37
"""Likeness from which a text that tells of a change speaks of the same thing."""
SAME = 0.62
"""Likeness from which two texts speak of the same thing without a word of change."""
_NAME = r"(?P<old>`[^`]+`|(?:(?:Herr|Frau|Mr|Mrs|Ms|Dr)\.? )?[A-ZÄÖÜ][\w-]+|[a-z]+\d*(?= is (?:gone|out|dead|history)\b))"
_GONE = re.compile(
    rf"(?:^|[.;,] (?:and |but )?|\b(?:and|but|since|because) ){_NAME} "
    r"(?i:left|quit|retired|died|closed|moved away|was sold|broke (?:his|her|a)"
    r"|(?:is|was|has been|are|were) (?:gone|out|dead|history|sold|closed|replaced|switched off|shut down|dropped|retired)"
    r"|ist (?:weg|raus|tot|verkauft|ausgezogen|ausgeschieden)|hat (?:aufgehört|gekündigt|zugemacht|geschlossen)"
    r"|wurde (?:verkauft|abgelöst|ersetzt)|a quitté|est part[ie]e?|a fermé|se fue|dejó|cerró|saiu|fechou)\b")
_TAKEN_OVER = re.compile(r"(?i:took|takes|has taken) over [^.;]{0,40}?from (?P<old>[A-ZÄÖÜ][\w-]+)")


def is_replaced(earlier: str, later_text: str, likeness: float, *, later: bool) -> bool:
    """Whether a text said `later` on the same topic ends what an earlier one says."""
    if not later or likeness < TOPIC:
        return False
    # Most questions are answered by memories alone, and a search that starts anew should not pay for what it does not need.
    from dreamd.extraction.revisions import values_of
    from dreamd.relations import extract_slots

    if any(re.search(rf"(?<!\w){re.escape(old)}(?!\w)", earlier, re.IGNORECASE) for old in _ended_in(later_text)):
        return True
    if likeness < SAME and not extract_slots(later_text).changes:
        return False
    mine, theirs = values_of(earlier), values_of(later_text)
    if likeness >= SAME and mine and all(values < theirs.get(kind, values) for kind, values in mine.items()):
        return True  # it has every value of the earlier text, and beside each the one that counts
    if all(not mine[kind].isdisjoint(theirs[kind]) for kind in mine.keys() & theirs.keys()):
        return False
    return not _subject(earlier).isdisjoint(_subject(later_text))


@lru_cache(maxsize=4096)
def _subject(text: str) -> frozenset[str]:
    """What a text speaks of, without the values it gives."""
    from dreamd.extraction.revisions import values_of

    bare = text.lower()
    for value in sorted((value for values in values_of(text).values() for value in values), key=len, reverse=True):
        bare = bare.replace(value, " ")
    return word_roots(bare)


@lru_cache(maxsize=4096)
def _ended_in(text: str) -> tuple[str, ...]:
    """What a text says is no longer so, by name."""
    found = [match["old"].strip("`") for pattern in (_GONE, _TAKEN_OVER) for match in pattern.finditer(text)]
    return tuple(dict.fromkeys(name for name in (*found, named_old(text)) if len(name) > 1))
