"""What kind of value a question asks for, and whether a text has one of it.

"Who checks the texts?" wants a name and "how long may they be?" a number. Nearness of meaning does not see that: a remark
on the same topic without any value is often nearer than the answer. A text that has what is asked for counts more.
"""

from __future__ import annotations

import re
from functools import lru_cache

from dreamd.text import patterns

KINDS = ("who", "how_much", "when", "where")
_LISTED = "words/asked"
_VERB = r"(?:is|does|has|handles|checks|takes|took|wants|says|makes|ist|macht|hat)"
_CAPITAL = r"[A-ZÀ-ÖØ-Þ]"
_NAME = re.compile(
    rf"(?<=[^\W\d_.!?])[,;:]? (?:{_CAPITAL}[^\W\d_]{{2,}}|[A-Z]{{2,}})|\b(?:Dr|Mrs?|Ms|Herr|Frau|Mme)\b\.? ?[A-Z]"
    rf"|^{_CAPITAL}[^\W\d_]+(?: {_CAPITAL}[^\W\d_]+)? {_VERB}\b")
"""A capital where no sentence begins, or at the beginning before a verb."""
_DIGIT = re.compile(r"\d")
_ADDRESS = re.compile(r"[\w~-]*[\w>][./@:][\w~<]|(?<!\w)[#/~][\w-]|[/\\]\w|\w_\w|\w-\d")


def kind_asked_for(question: str) -> str:
    """`who`, `how_much`, `when` or `where`; nothing for a question that asks for anything else."""
    return next((kind for kind in KINDS if patterns.has(_LISTED, kind, question)), "")


def has_what_is_asked(kind: str, text: str) -> bool:
    """Whether a text has a value of the kind that a question asks for; False for a question of no kind."""
    return bool(kind) and kind in _kinds_in(text)


@lru_cache(maxsize=8192)
def _kinds_in(text: str) -> frozenset[str]:
    digit, name = _DIGIT.search(text) is not None, _NAME.search(text) is not None
    found = {
        "who": name,
        "how_much": digit or patterns.has(_LISTED, "amount", text),
        "when": digit or patterns.has(_LISTED, "time", text),
        "where": name or _ADDRESS.search(text) is not None or patterns.has(_LISTED, "place", text),
    }
    return frozenset(kind for kind, there in found.items() if there)
