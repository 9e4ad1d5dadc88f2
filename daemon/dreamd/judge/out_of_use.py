"""A whole statement that says nothing but that a thing is used no longer, and what it ends: wherever the thing is used.

"We no longer use Jenkins" ends "the builds run on Jenkins" as well: the two share a name and no verb. Said of one purpose
("for sessions") it ends nothing but what names that purpose too.
"""

# ruff: noqa: E501  tables read better as runs of words

from __future__ import annotations

import re
from functools import lru_cache

_LEAD = r"(?:(?:please|note|fyi|btw|by the way|ok|and|so|also|from now on|as of (?:now|today)|since [\w -]{2,20}|now|remember)[,:]? )*"
_WE = r"(?:we|i|they|the team|our team|nobody|people)"
_X = r"(?:the |our |any |any of )?(?P<{name}>[\w`.+#/@-]*[\w`+#](?: [\w`.+#/@-]*[\w`+#]){{0,3}}?)"
_AFTER = (
    r"(?P<where{n}> (?:for|in|on|at|within|inside|as|to|when|where) [^,;.]+)?"
    r"(?: (?:here|at all|in (?:this|the|our) (?:project|repo|repository|team|company|codebase)))?"
)
_END = r"(?:[,;.!]| because\b| since\b| as of\b| –| -).*|"
_GONE = (
    r"(?:dropped|retired|abandoned|decommissioned|ditched|scrapped|discontinued|got rid of|gotten rid of|phased out|given up|gave up"
    r"|moved (?:away|off) (?:from )?|migrated (?:away|off) (?:from )?|switched (?:away|off) (?:from )?|stopped using|quit using|shut down"
    r"|turned off|switched off|removed|deprecated)"
)
_FORMS = tuple(
    re.compile(rf"{_LEAD}{body}(?:{_END})$", re.IGNORECASE | re.DOTALL)
    for body in (
        rf"(?:{_WE} )?no longer (?:use|rely on|work with|run|need) {_X.format(name='x')}{_AFTER.format(n='')}",
        rf"(?:{_WE} )?(?:do not|don['’]t|never) (?:use|rely on|work with|run) {_X.format(name='x')}{_AFTER.format(n='')} any ?(?:more|longer)",
        rf"{_WE}(?: have|['’]ve)?(?: just| now| finally| since)? {_GONE} {_X.format(name='x')}{_AFTER.format(n='')}",
        rf"{_X.format(name='x')} (?:is|are) no longer (?:used|in use|supported|available|in service|needed){_AFTER.format(n='')}",
        rf"{_X.format(name='x')} (?:is|are)(?: not|n['’]t) (?:used|in use|supported|needed){_AFTER.format(n='')} any ?(?:more|longer)",
        rf"{_X.format(name='x')} (?:has been|have been|was|were|is|are)(?: now| finally)? "
        r"(?:retired|dropped|decommissioned|discontinued|abandoned|phased out|scrapped|shut down|switched off|turned off|gone|dead|history)",
        rf"wir (?:benutzen|nutzen|verwenden|brauchen) {_X.format(name='x')} nicht mehr",
        rf"{_X.format(name='x')} wird nicht mehr (?:benutzt|verwendet|genutzt|gebraucht)",
        rf"(?:nosotros )?ya no (?:usamos|utilizamos) {_X.format(name='x')}",
        rf"(?:nous |on )?n['’]utilis(?:ons|e) plus {_X.format(name='x')}",
    )
)
_DENIES = re.compile(r"(?i)\b(?:no longer|not|never|n['’]t|without|instead of|nicht|kein\w*|ya no|plus)\b")
_USED = (
    r"(?:\b(?:use[sd]?|using|runs?|running|with|on|in|via|through|by|from|into|to|under|is|are|called|nutzt|nutzen|benutzt|benutzen"
    r"|verwenden|verwendet|mit|auf|usa|usamos|con|en|utilisons|utilise|avec|sur) (?:the |our |an? |der |die |das |el |la |le )?(?:[\w.-]+ )?)"
)
_OTHER_CLAUSE = re.compile(r"(?i)(?:[;.] |, |\band )(?:\w+ ){0,3}?(?:is|are|was|were|has|have|goes|go|must|should|needs?|costs?|belongs?)\b")
_STOP = frozenset({"it", "this", "that", "them", "these", "those", "one", "him", "her", "me", "us", "you", "everything", "anything"})


@lru_cache(maxsize=4096)
def disused_in(text: str) -> tuple[str, str]:
    """The thing a statement says is used no longer, and the one purpose it says that of; empty where it says no such thing."""
    plain = " ".join(text.split())
    for form in _FORMS:
        found = form.match(plain)
        if found is not None and (thing := found["x"].strip("`").casefold()) not in _STOP:
            return thing, (found.groupdict().get("where") or "").strip().casefold()
    return "", ""


def ends_the_use(later: str, earlier: str) -> str:
    """The thing that a later statement says is used no longer, where an earlier one says nothing but that it is used."""
    thing, where = disused_in(later)
    if not thing or _DENIES.search(earlier) or _OTHER_CLAUSE.search(earlier):
        return ""
    plain = " ".join(earlier.replace("`", "").split()).casefold()
    if where and not {*re.findall(r"\w{3,}", where)} - {"for", "the", "our"} <= {*re.findall(r"\w{3,}", plain)}:
        return ""
    used = re.search(rf"{_USED}{re.escape(thing)}(?![\w-])", plain)
    return thing if used else ""
