"""What a statement holds to be so now: its words without those that tell of a change and of what was before it."""

# ruff: noqa: E501  tables read better as runs of words

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from dreamd.judge.abroad import shifts
from dreamd.judge.abroad.alternatives import alternatives, by_first_letter
from dreamd.judge.change.change_marks import ARROW
from dreamd.judge.slots import Slots, extract_slots
from dreamd.text import word_classes
from dreamd.text.tokens import Token, character_token, tokens

_MONTH = "|".join(sorted((*word_classes.QUALIFIERS["month"], "may"), key=len, reverse=True))
_DAY = "|".join(sorted(word_classes.QUALIFIERS["weekday"], key=len, reverse=True))
_SEASON = "spring|summer|autumn|fall|winter"
_WHEN = (
    rf"(?:\d{{4}}-\d\d(?:-\d\d)?|\d{{1,2}}(?:st|nd|rd|th|\.)?(?: of)? (?:{_MONTH})(?: \d{{4}})?|(?:{_MONTH})(?: \d{{1,2}}(?:st|nd|rd|th)?\b)?(?:,? \d{{4}})?"
    rf"|(?:{_DAY})|(?:{_SEASON})(?: \d{{4}})?|(?:release|version|sprint|v) ?[\d.]+\d|\d{{4}}|today|tomorrow|yesterday|now"
    r"|(?:\w+ ){0,2}(?:week|month|quarter|year|season|term|release|sprint|morning|migration|upgrade|update|audit|merger|patch|list|contract|move|reorganisation))"
)
_OF_THE = r"(?:the |our |this |last |next |its |coming )*(?:new |latest |recent |coming )?"
_DATED = re.compile(
    rf"^(?:contrary to|unlike) (?:the |our )?(?:earlier|previous|original|old|first|initial) \w+,? |^(?:as of|as from|effective(?: from)?|starting(?: from| with| on| in)?|beginning (?:with|on|in)|since|from|with|after|following) {_OF_THE}{_WHEN}(?: on(?:wards?)?)?\b,?"
    rf"|,? ?\b(?:as of|as from|effective(?: from)?|starting(?: from| with| on| in)?|beginning (?:with|on|in)|since|from(?= .{{1,24}} on\b)) {_OF_THE}{_WHEN}(?: on(?:wards?)?)?\b,?",
    re.IGNORECASE,
)
_CHANGED = (
    r"moved|migrated|switched|shifted|changed|bumped|raised|lowered|increased|decreased|reduced|cut|upgraded|downgraded|updated|postponed|delayed|"
    r"extended|shortened|pushed|brought forward|transferred|handed|reassigned|rescheduled|relocated|converted|ported|lifted|doubled|set|put off|put|"
    r"renamed|swapped|adjusted|corrected|revised|widened|tightened|trimmed|expanded|promoted"
)
_WENT = r"moved|migrated|switched|shifted|changed|went|gone|grew|grown|rose|risen|fell|fallen|dropped|jumped|slipped|passed|climbed|increased|decreased"
_FROM = r"(?:(?:\w+ ){0,2}?from [^,;.]{1,40}? )?"
_MOVED = re.compile(
    rf"\b(?:(?:has|have|had) been|was|were|is|are|got|gets|been|being)(?: \w+ly| now)? (?:{_CHANGED})(?: (?:up|down|back|over|out|on))?"
    rf" {_FROM}(?:to|into|onto|till|until)\b"
    rf"|\b(?:raised|lowered|bumped|upgraded|extended|shortened|postponed|delayed|increased|reduced|cut) {_FROM}(?:to|till|until)\b"
    rf"|\b(?:has |have |had )?(?:just |recently |now )?(?:{_WENT})(?: (?:up|down|back|over))? {_FROM}(?:up |down |over )?(?:to|into|onto)\b",
    re.IGNORECASE,
)
_ACTED = re.compile(
    rf"^[\w' -]{{1,40}}? (?:(?:has|have|had) )?(?:just |recently )?(?:{_CHANGED}) (?!to\b|from\b|back\b|over\b|up\b|down\b|off\b)(?:the |our |its |their )?(.{{2,50}}?)"
    rf" {_FROM}(?:to|into|onto|until) ",
    re.IGNORECASE,
)
"""Somebody moved something somewhere: said of the thing."""
_FORMER = re.compile(
    r",? ?(?:and |but )?\b(?:instead of|rather than|in place of|no longer|formerly|previously|until now|up from|down from|replacing|used to)\b(?:[^,;.]|[,.](?=\d))*"
    r"|,? ?(?:and |but )?\bnot(?: \w+){0,5} any ?more\b|[,;] ?(?:and )?not (?!to\b)(?:[^,;.]|[,.](?=\d))*"
    r"|,? ?\bstatt(?:dessen)?(?: (?:bisher|wie bisher|auf|in|am|um|bei|von|mit|den|der|die|das|dem|im))*(?: [\w.:-]+)?|[,;]? ?(?:und )?nicht (?:mehr|länger) (?:[^,;.]|[,.](?=\d))*"
    r"|,? ?\ben (?:vez|lugar) del? (?:[^,;.]|[,.](?=\d))*|[,;]? ?(?:y )?ya no (?:[^,;.]|[,.](?=\d))*"
    r"|,? ?\bau lieu d(?:[^,;.]|[,.](?=\d))*|[,;] ?(?:et )?(?:non )?plus (?:du|de|à|au|aux|le|la|les|en|sur|dans|chez|par) (?:[^,;.]|[,.](?=\d))*"
    r"|,? ?\bem vez d(?:[^,;.]|[,.](?=\d))*|[,;]? ?(?:e )?(?:já não|não mais) (?:[^,;.]|[,.](?=\d))*",
    re.IGNORECASE,
)
_APART = r"(?:an?|one|two|three|four|five|six|\d+) (?:half )?(?:minutes?|hours?|days?|weeks?|months?|years?)"
_COMPARED = re.compile(rf",? ?\b{_APART} (?:earlier|later|sooner)(?: than (?:planned|before|usual|announced|expected|last year))?, ?", re.IGNORECASE)
"""How much a date or a time has moved, said before the new one."""
_LATELY_SAID = (
    r"from (?:now|today|tomorrow) on(?:wards?)?|going forward|as of now|right now|by now|until further notice|these days|nowadays|at the moment|at present|for now|now|currently|again|"
    r"meanwhile|instead|back(?= (?:on|at|in|to)\b)|actually|after all|recently|finally|since then|today|new|henceforth|"
    r"ab sofort|ab jetzt|von nun an|künftig|jetzt|nun|nunmehr|neuerdings|mittlerweile|inzwischen|wieder|wurden?|"
    r"a partir de ahora|desde ahora|de ahora en adelante|ahora|actualmente|ya|ha sido|han sido|fue|fueron|"
    r"à partir de maintenant|désormais|dorénavant|maintenant|à présent|a été|ont été|"
    r"a partir de agora|de agora em diante|agora|atualmente|já|foi|foram|теперь|сейчас|отныне"
)
_LATELY = re.compile(rf"\b(?:{by_first_letter(alternatives(_LATELY_SAID))})\b", re.IGNORECASE)
_LATELY_LOW = re.compile(_LATELY.pattern)
_CJK_CHANGE = re.compile(
    rf"{shifts.CJK_MOVED}|"
    r"从现在(?:开始|起)|今后|以后|现在|目前|已经|已|改为|改成|改到|改在|改用|改由|变更为|变为|调整为|调整到|提高到|降低到|降到|更新为|升级到|升级为|推迟到|延期到|提前到|换成|"
    r"이제(?:부터)?(?:는)?|앞으로는?|지금은|현재|더 이상|변경되었|바뀌었|변경됐|바뀌|변경|今は|今後は?|これからは?|現在は?|現在|変更(?:され|し)?(?:ました|た)?|になりました|になった"
)
_CJK_COPULA = frozenset("是为在はがをにでの了把于都")
_CJK_POLITE = re.compile(r"です|である|でした|ます$|ました$|ません(?=$)|になり|されて|される|する$|して|(?:て)?いる$|(?:て)?います$|ある$|あります$")
_KO_ENDING = re.compile(r"(?<=[\uac00-\ud7af])(?:은|는|이|가|을|를|에|에서|으로|로|의|와|과|도|입니다|이다|합니다|한다|됩니다|된다|다)$")

_UNTOLD = {
    tongue: (small | shifts.UNTOLD.get(tongue, frozenset())) - word_classes.NEGATORS
    for tongue, small in word_classes.SMALL_WORDS.items()
    if tongue != "en"
}
LEAST_TOLD = 2
"""Fewer words than this are no claim: then the wording is taken as it is."""
NEUTRAL = frozenset(
    (
        "now", "currently", "nowadays", "these days", "from now on", "going forward", "at the moment", "jetzt", "nun", "ab sofort", "ab jetzt", "wieder",
        "ahora", "actualmente", "désormais", "maintenant", "agora", "现在", "이제", "부터", "今は", "again",
    )
)  # fmt: skip
"""Words of change that leave a claim as it is: "now" and its kin."""


@dataclass(frozen=True, slots=True)
class Now:
    """A claim as it stands now: all its tokens, those it is compared by, and where these stand among all."""

    every: tuple[Token, ...]
    told: tuple[Token, ...]
    """Content words, numbers and denials; Chinese and Japanese character by character."""
    places: tuple[int, ...]

    @property
    def stems(self) -> frozenset[str]:
        """What is told, as a set of stems."""
        return frozenset(t.stem for t in self.told)


@lru_cache(maxsize=16_384)
def current(text: str) -> Now:
    """Read a claim; of a statement that tells of a change, only the new state."""
    slots = extract_slots(text)
    characters = slots.tongue in ("zh", "ja", "ko")
    if not slots.changes and not (_CJK_CHANGE.search(slots.folded) if characters else _says_lately(slots)):
        return _told(slots, slots.tokens)
    kept = slots.folded
    if slots.changes:
        kept = ARROW.sub("", kept) if "->" in slots.changes else kept
        kept = _ACTED.sub(r"\1 is ", _DATED.sub(" ", kept).strip())
        if slots.tongue in shifts.MOVED:
            kept = shifts.MOVED[slots.tongue][0].sub(shifts.MOVED[slots.tongue][1], kept)
        kept = _FORMER.sub(" ", _MOVED.sub(" is ", _COMPARED.sub(" ", kept)))
        for marker in slots.changes:
            if not marker.isascii() and ord(marker[0]) < 0x2E7F:
                kept = re.sub(rf"\b{re.escape(marker)}\b", " ", kept, flags=re.IGNORECASE)
    kept = _LATELY.sub(" ", kept)
    if characters:
        kept = _CJK_CHANGE.sub(" ", shifts.CJK_FORMER.sub("", kept))
    found = _told(slots, tokens(kept))
    return found if len(found.told) >= LEAST_TOLD else _told(slots, slots.tokens)


def _says_lately(slots: Slots) -> bool:
    if not slots.folded.isascii():
        return _LATELY.search(slots.folded) is not None
    # Plain letters in lower case are looked through several times as quickly as letters of either case.
    return _LATELY_LOW.search(slots.low) is not None


def _told(slots: Slots, cut: tuple[Token, ...]) -> Now:
    small, spaced = _UNTOLD.get(slots.tongue, frozenset()), slots.tongue not in ("zh", "ja", "ko")
    found: list[Token] = []
    places: list[int] = []
    for i, token in enumerate(cut):
        if token.kind == "cjk":
            parts = _cjk(token, slots.tongue)
            found.extend(parts)
            places.extend([i] * len(parts))
            continue
        kept = token.kind == "number" or token.lower in word_classes.NEGATORS or token.stem == "not"
        if not kept and (token.is_content or not spaced and token.kind == "word"):  # the A of 会議室A is no article
            kept = token.lower not in small and token.lower not in ("called", "named")
        if kept:
            found.append(token)
            places.append(i)
    return Now(cut, tuple(found), tuple(places))


def _cjk(token: Token, tongue: str) -> list[Token]:
    if tongue == "ko":
        bare = _KO_ENDING.sub("", token.surface)
        return [character_token(bare)] if bare and bare not in shifts.KO_LINKS else []
    run = _CJK_POLITE.sub("", token.surface)
    return [character_token(char) for char in run if char not in _CJK_COPULA]
