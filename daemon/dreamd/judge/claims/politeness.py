"""Words that only make a statement polite, loud or official, and the statement without them."""

# ruff: noqa: E501  tables read better one turn of phrase after another

from __future__ import annotations

import re

from dreamd.judge.claims.phrases import has_any

_WISH = (
    r"(?:could|would|can|will) you (?:please )?(?:be so kind (?:as )?to )?",
    r"you could ",
    r"it would be (?:lovely|nice|great|good|kind|helpful)(?: to (?:get |have )?| if,?(?: in (?:the )?future,?)? (?:you|the agent|the assistant) (?:could |would )?)",
    r"i(?:'d| would) (?:really )?(?:appreciate it|be grateful|be glad|be happy|love it|like it|prefer it) if (?:(?:you|the agent|the assistant) (?:could |would )?)?",
    r"i'd (?:like|love) (?:you )?to ",
    r"(?:would|do) you mind (?!if\b|not\b)",
    r"do me a favou?r and ",
    r"be so kind (?:as )?to ",
    r"(?:please|pls|plz) ",
    r"kindly ",
)
_POLITE = re.compile(
    r"(?i)^(?:please,?\s+)?"
    r"(?:when(?:ever)? you (?:have (?:the )?time|can|get a chance)"
    r"|if (?:you can|possible|you don't mind|it(?:'s| is) not too much(?: trouble| to ask| work)?|it isn't too much(?: trouble| to ask| work)?)|next time|from time to time)?[,\s]*"
    rf"(?:(?:maybe|perhaps) (?:next time )?)?(?:{'|'.join(_WISH)})?"
)
_THANKS = (
    r"please|pls|plz|thx|thanks|thank you|ok|okay|alright|got it|will you|would you|that would (?:help|be)[^.]*|if you can|if possible|if you don't mind|that'd help|many thanks|cheers|much appreciated"
    r"|would be (?:great|nice|lovely)"
)
_POLITE_END = re.compile(rf"(?i)(?:,? (?:{_THANKS})|, right)+[.!]?$")
_LEAD_IN = re.compile(
    r"(?i)^(?:\[\w{0,12}\]|todo ?(?::|>+|-+)|(?:sorry|apologies)\b[^,.;]{0,30}, but|according to [^,]{3,60},|fyi[:,]?|note(?: that|:)|remember(?: that|:)|just so you know,|for the record,"
    r"|as far as i know,?|wrong[:,]|correction:|heads[ -]up[:,]|gotcha[:,]|reminder[:,]|psa[:,]|(?:btw|yo|hey|hi|hello)\b,?|so,|ok,|ah,|oh,|by the way,?"
    r"|as a reminder[:,]|please (?:be advised|note|be aware|keep in mind|remember|bear in mind) (?:that )?|be aware that|keep in mind that"
    r"|bear in mind that|it (?:should|must) be noted that|we would like to (?:remind|inform) you that|(?:we|you) should know that"
    r"|it (?:is|has been) (?:established|common|standard|agreed|our|general|good) (?:practice|policy|custom)?(?: (?:with|in)in (?:the|our) \w+)?(?: to| that)"
    r"|(?:the team|we|everyone|the group) (?:has |have )?(?:agreed|decided|settled) (?:that|to)|as (?:we )?(?:agreed|discussed)(?: earlier)?,"
    r"|(?:employees|users|developers|contributors|colleagues|staff|all staff|everyone|you|team members) (?:is|are) (?:kindly )?(?:requested|asked|expected|reminded) to"
    r"|(?:basically|obviously|of course|generally speaking|in short|in principle)[,:]) ?"
)
_SHOUTS = re.compile(r"[!?]{1,}(?=$|\s)")


_THANKING = (" please", " pls", " plz", " thx", " thank", " cheers", " that'd", " much", " many", " ok", " right", " alright", " got it", " will you", " would", " if ")
"""What a polite end has one of: looked for first, for hardly a statement ends so."""


_MIND_NOT = re.compile(r"(?i)^(?:would|do) you mind not ")


def plain(text: str) -> str:
    """Folded text without the phrases that only make a request polite."""
    bare = _SHOUTS.sub("", text) if "!" in text or "?" in text else text
    bare = _without(_LEAD_IN, bare)
    if bare[:1] in "wWdD":
        bare = _MIND_NOT.sub("do not ", bare)
    low = bare.lower()
    if not bare.isascii() or has_any(low, _THANKING):
        bare = _POLITE_END.sub("", bare)
    bare = _without(_POLITE, bare)
    return bare if len(bare) >= 8 else text


def _without(opening: re.Pattern[str], text: str) -> str:
    found = opening.match(text)
    return text[found.end() :] if found else text
