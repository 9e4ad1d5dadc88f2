"""Secrets as people say them: "the password for the test server is X", "unlock it with X", "X is the password".

A name of a secret is looked for, then what joins a name and a value in the rest of its sentence, then the value; each
is judged by how it stands there. What follows a name directly, or after "for …", may be a plain word; what stands
farther off must look made up. A word that tells something about a secret ("is stored", "is too short") ends the search.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from dreamd.text import patterns
from dreamd.text.secrecy.masks import Found
from dreamd.text.suspicion import UUID, is_named_and_numbered, is_placeholder, is_random, is_secretish

REACH = 120
"""How far after its name a secret may stand."""
MOST_WORDS = 8
BARE = r"[^\s\"'`<>“”„«»，。、；（）｜|\)\]\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uff00-\uffef]{2,200}"
_END = re.compile(r"[.!?](?=[\s\"]|$)|\"\s?[,}]|(?<![:：*])\n|[;。！？；]")
_CLAUSE_END = re.compile(r"[*_`\"'”)]{0,3}\s*(?:$|[\n.,;!?()|]|[:;]-?[()DP]|[-–—]\s|[，。；！]"
                         r"|(?:and|but|because|so|or|und|aber|oder|weil|y|pero|et|mais|e|ma|og|en|och|и|а)\b)")
_COUNTED = re.compile(r"(?i:(?:sha|utf|md)-?\d{1,3}|base64|v\d+(?:\.\d+)*)(?![^\W_])|\d+(?:[.-]\d+)*[a-z-]*\Z")
_ABOUT_ITSELF = re.compile(r"[a-z]+(?<!e)(?<!re)ed|(?:ge|be|ver|er|ent)[a-zäöü]+(?:t|en)"
                           r"|[a-z]{2,}(?:able|ible|ously|ingly|less|ly)|[a-z]{3,}ing")
_KEYLIKE = re.compile(r"(?i)key|token|secret|seed|schlüssel|clave|clé|chave|密|令牌|トークン|키")
_DIGITS = re.compile(r"(?i)pin|geheimzahl|otp|puk|code|cvc|cvv|kod|combination|kombination|codice|código|пин|码|暗証")
_VALUE = re.compile(
    r"[*_]{0,2}[\s*]{0,3}(?:[\"'`“„«](?P<quoted>(?!\[masked)[^\"'`”“»\n]{3,100})[\"'`”“»]"
    r"|(?P<grouped>[A-Z2-7]{4}(?:[ -][A-Z2-7]{4}){2,12}"
    r"|(?=(?:[a-z]{4}[ -]){0,12}[a-z]{0,3}[2-7])[a-z2-7]{4}(?:[ -][a-z2-7]{4}){3,12}|\d{1,4}(?:[ -]\d{1,4}){1,5})(?![\w-])"
    rf"|(?P<bare>(?!\[masked){BARE}))")
_WORDS = re.compile(r"[*_]{0,2}\s{0,3}([A-Za-zÀ-ɏ]{2,14}(?:[ -][A-Za-zÀ-ɏ]{2,14}){1,7}(?:[ -]\d{1,4})?)")
_WIDE_VALUE = re.compile(r"\s?(?=[\w!@#$%^&*+-]{0,12}[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af])"
                         r"([\w!@#$%^&*+-]{2,16})(?=$|[\s，。；！,.;!)])")


def find_named(text: str) -> Iterator[Found]:
    """Values that follow a name of a secret."""
    for name in _names().finditer(text):
        end = _END.search(text, name.end(), name.end() + REACH)
        reach = end.start() if end else min(len(text), name.end() + REACH)
        yield from _after(text, name, reach)


def find_told(text: str) -> Iterator[Found]:
    """Values in sentences of another order: "unlock it with X", "X is the password", "not X but Y", "from X to Y"."""
    folded = text.lower()
    for table, fits in (("opened", _opens), ("opened_surely", _opens_surely), ("paired_with_a_name", _is_beside_a_name),
                        ("named_after", _is_told), ("paired", _is_told), ("typed", _is_typed)):
        if not any(sign in folded for sign in patterns.load("secrets")["told"][table]["near"]):
            continue  # to make these patterns takes a third of a second
        for match in (match for pattern in _sentences(table) for match in pattern.finditer(text)):
            for group in ("quoted", "bare", "other"):
                value = (match.groupdict().get(group) or "").rstrip(".,;:!?*_")
                if value and fits(match, group, value):
                    yield Found(match.start(group), match.start(group) + len(value), "code" if table == "typed" else "password")


def _after(text: str, name: re.Match[str], reach: int) -> Iterator[Found]:
    """The value a name has in the rest of its sentence; mostly there is none."""
    kind = _kind(name)
    at_once = _VALUE.match(text, name.end(), reach) if text[name.end():name.end() + 1] in (" ", "\t", "*") else None
    bare = _stands_bare(name, at_once, text) if at_once else None
    if bare:
        yield Found(*bare, kind)
        return
    wide = _WIDE_VALUE.match(text, name.end()) if name["strong"] else None
    if wide and any(map(str.isdigit, wide[1])) and wide.start(1) > name.end() and not _tells_wide(wide[1]):
        yield Found(wide.start(1), wide.end(1), kind)
        return
    first = True
    for join in _joins().finditer(text, name.end(), reach):
        gap = _gap(text[name.end():join.start()])
        if gap is None or (join[0].strip() == "|" and gap):
            continue
        at = _past_adverbs(text, join.end(), reach)
        wide = _WIDE_VALUE.match(text, at) if name["strong"] and gap < _LOOSE else None
        if wide and not _tells_wide(wide[1]) and (
                any(map(str.isdigit, wide[1])) or _is_sign(join[0]) or join[0][:1] in "是为為は"):
            yield Found(wide.start(1), wide.end(1), kind)
            return
        value = _VALUE.match(text, at)
        if value is None:
            continue
        said = _said(value)
        several = _several_words(text, at) if name["strong"] and gap < _LOOSE else None
        if several:
            yield Found(*several, kind)
            return
        if _fits(name, join[0].strip(), gap, value, first=first):
            yield Found(*_span(value), kind)
            return
        if said.lower() in _telling() and not _is_sign(join[0]):
            first = False


_DIRECT, _LINKED, _LOOSE = 0, 1, 2


def _gap(words: str) -> int | None:
    """How a join hangs on its name: directly, by "for …", loosely; None where the name is only part of another's."""
    bare = words.strip().strip("*_`\"'").strip()
    if not bare or re.fullmatch(r"\([^)\n]{0,40}\)", bare) or bare in ("s", "'s", ","):
        return _DIRECT
    if patterns.WIDE.match(bare):
        return _LINKED if len(bare) <= 10 and not bare.startswith(tuple(_table("parts_wide"))) else None
    head = re.match(r"\w+", bare)
    if head is None or not words[:1].isspace():
        return _LOOSE if re.match(r"\s|['’]s\b", words) else None
    if head[0].lower() in _table("links"):
        return _LINKED
    return None if head[0].lower() in _table("parts") else _LOOSE


def _fits(name: re.Match[str], join: str, gap: int, value: re.Match[str], *, first: bool) -> bool:
    said = _said(value)
    if len(said) < 3 or said.lower() in _telling() or is_placeholder(said):
        return False
    if name["strong"] is None:
        return _fits_weak(name, gap, value, said)
    if value["grouped"]:
        return gap < _LOOSE and len(re.sub(r"\D", "", said)) >= 4 and _ends_clause(value)
    made_up = is_secretish(said, shortest=5)
    if not first:
        return made_up and _is_sign(join)
    if gap == _LOOSE:
        return (made_up and not _COUNTED.match(said)) or (_is_sign(join) and _ends_clause(value) and _is_word(said))
    if join in ("'s", "’s") and (gap != _DIRECT or said.lower() in _table("parts")):
        return False
    if join == "to":
        return made_up or (_ends_clause(value) and _is_word(said) and _is_set(name))
    if value["quoted"] or made_up or (_is_sign(join) and gap == _DIRECT and join not in "-–—|"):
        return len(said) >= 3
    return _ends_clause(value) and _is_word(said)


def _fits_weak(name: re.Match[str], gap: int, value: re.Match[str], said: str) -> bool:
    if _DIGITS.search(name["weak"]) and not is_secretish(said, shortest=8):
        return gap < _LOOSE and re.fullmatch(r"[\d#* -]{4,20}|\d{3,8}[A-Z#*]|[A-Z]\d{3,8}", said) is not None \
            and len(re.sub(r"\D", "", said)) >= 3
    if name["weak"].lower() == "pass" and (name["weak"].isupper() or (gap != _DIRECT and not _is_a_thing(name))):
        return False  # tests pass, and say so in capitals
    if value["grouped"]:
        return re.search(r"(?i)seed|secret|2fa|totp|key", name["weak"]) is not None and not said[0].isdigit() and gap < _LOOSE
    if gap == _LOOSE:
        return is_random(said) and len(said) >= 12
    if is_named_and_numbered(said):
        return False
    return is_secretish(said, shortest=8) or re.fullmatch(r"[a-z]{20,200}|[A-Z]{20,200}|[A-Z2-7]{16,64}", said) is not None


def _is_a_thing(name: re.Match[str]) -> bool:
    """Whether an article or an owner before a word makes it a thing: "the pass for …", "our pass"."""
    return re.search(r"(?i)\b(?:the|an?|my|our|your|his|her|their|its|\w+['’]s)\s(?:new\s|old\s)?\Z",
                     name.string[max(0, name.start() - 40):name.start()]) is not None


def _stands_bare(name: re.Match[str], value: re.Match[str], text: str) -> tuple[int, int] | None:
    """Where a value follows a name without a join: "password kX9v", "PASSWORD 'x'", "log in with the password heron"."""
    said, where = _said(value), _span(value)
    if said.lower() in _telling() or is_placeholder(said):
        return None
    if name["strong"] is None:
        if _DIGITS.search(name["weak"]):
            named = re.search(r"(?i)[a-z][ -]?code\Z|puk|cvc|cvv", name["weak"])
            return where if named and re.fullmatch(r"\d{3,8}", said) else None
        proven = UUID.fullmatch(said) or is_random(said) or re.fullmatch(r"[A-Z2-7]{16,64}", said)
        return where if _KEYLIKE.search(name["weak"]) and proven else None
    if value["quoted"]:
        return where if len(said) >= 4 and " " not in said else None
    if _brings(text, name) and said.lower() not in _table("parts"):
        several = None if value["grouped"] else _several_words(text, name.end())
        if several or (_ends_clause(value) and _is_word(said)):
            return several or where
    return where if not _COUNTED.match(said) and is_secretish(said, shortest=6) else None


def _brings(text: str, name: re.Match[str]) -> bool:
    """Whether words before a name say that it is used here: "log in with the password …"."""
    return re.search(r"(?i)(?:\b(?:with|using|mit|avec|con|com|met)\s(?:the\s|das\s|dem\s|le\s|la\s|a\s|o\s)?(?:\w+\s)?"
                     r"|\w[)\"]?[:,]\s)\Z",
                     text[max(0, name.start() - 40):name.start()]) is not None


def _several_words(text: str, at: int) -> tuple[int, int] | None:
    """Several plain words to the end of a clause, none of which would tell something about a secret."""
    match = _WORDS.match(text, at, at + REACH)
    if match is None:
        return None
    words = list(re.finditer(r"[^ -]+", match[1]))
    while len(words) > 1 and not _CLAUSE_END.match(text, match.start(1) + words[-1].end()):
        words.pop()  # an "and" ends the clause within what was matched
    words = words[:next((n for n, w in enumerate(words) if n and _CLAUSE_END.match(w[0])), len(words))]
    if len(words) < 2 or len(words) > MOST_WORDS or not _CLAUSE_END.match(text, match.start(1) + words[-1].end()):
        return None
    if any(w[0].lower() in _table("telling") or _ABOUT_ITSELF.fullmatch(w[0]) or w[0][1:].lower() != w[0][1:] for w in words):
        return None
    return match.start(1), match.start(1) + words[-1].end()


def _is_word(said: str) -> bool:
    """Whether a plain word may be a secret: it does not tell something about one."""
    return len(said) >= 3 and _ABOUT_ITSELF.fullmatch(said) is None and sum(map(str.isalnum, said)) >= 3


def _is_set(name: re.Match[str]) -> bool:
    """Whether a verb before a name, or the Polish "to be", gives it a value: "I set the password to …"."""
    if name["strong"].lower().startswith("has"):
        return True
    return re.search(r"(?i)\b(?:set|sets|setting|changed?|reset|updated?|switched)\b[^.\n;]{0,40}\Z",
                     name.string[max(0, name.start() - 60):name.start()]) is not None


def _ends_clause(value: re.Match[str]) -> bool:
    raw = value["quoted"] or value["grouped"] or value["bare"]
    if raw[-1] in ".,;:!?*":
        return True
    return _CLAUSE_END.match(value.string, value.end()) is not None


def _opens(match: re.Match[str], group: str, value: str) -> bool:
    """What unlocks a thing: a made-up word, or a plain one that is no tool and no part of a person."""
    if value.lower() in _telling() or is_placeholder(value):
        return False
    if _opens_surely(match, group, value):
        return True
    end = match.start(group) + len(value)
    return value.isalpha() and value.islower() and len(value) >= 4 and value not in _table("tools") \
        and _ABOUT_ITSELF.fullmatch(value) is None and _CLAUSE_END.match(match.string, end) is not None


def _opens_surely(match: re.Match[str], group: str, value: str) -> bool:
    if value.lower() in _telling() or value.lower() in _table("tools") or is_placeholder(value):
        return False
    if group == "quoted" and " " in value:
        # What stands between backticks is a command.
        plain = match.string[match.start(group) - 1] != "`" and re.fullmatch(r"[a-zà-ÿ]+(?: [a-zà-ÿ]+){1,7}", value)
        return bool(plain) and not set(value.split()) & (_telling() | _table("tools"))
    if is_named_and_numbered(value):
        return False
    digits = sum(c.isdigit() for c in value)
    return is_secretish(value, shortest=6) and (
        digits >= 2 or re.search(r"[!@#$%^&*+=~|-]|[a-z][A-Z]", value) is not None) \
        and re.fullmatch(r"[a-z]+-?\d{1,4}|[A-Z]{1,5}-?\d+|[\d.-]+", value) is None


def _is_beside_a_name(_match: re.Match[str], _group: str, value: str) -> bool:
    return value.lower() not in _telling() and is_secretish(value, shortest=6) and not is_named_and_numbered(value)


def _is_told(match: re.Match[str], group: str, value: str) -> bool:
    if len(value) < 3 or value.lower() in _telling() or is_placeholder(value) or _COUNTED.match(value):
        return False
    if is_secretish(value, shortest=5):
        return True
    return _is_word(value) and value.lower() not in _table("tools") and not _says_otherwise(match, group)


def _says_otherwise(match: re.Match[str], group: str) -> bool:
    """Whether the other half of a pair tells something about the secret, and so this one does as well."""
    groups = match.groupdict()
    other = str((groups.get("quoted") or groups.get("bare") if group == "other" else groups.get("other")) or "").strip(".,")
    return bool(other) and (other.lower() in _telling() or _ABOUT_ITSELF.fullmatch(other) is not None)


def _is_typed(_match: re.Match[str], _group: str, value: str) -> bool:
    return re.fullmatch(r"[\d#*-]{4,12}", value) is not None


def _span(value: re.Match[str]) -> tuple[int, int]:
    group = "quoted" if value["quoted"] else "grouped" if value["grouped"] else "bare"
    return value.start(group), value.start(group) + len(_said(value))


def _said(value: re.Match[str]) -> str:
    return (value["quoted"] or value["grouped"] or value["bare"] or "").rstrip(".,;:!?*_")


def _kind(name: re.Match[str]) -> str:
    if name["strong"]:
        return "password"
    return re.sub(r"[^a-z0-9]+", " ", name["weak"].lower()).strip()[:40].strip() or "secret"


def _is_sign(join: str) -> bool:
    return not join.strip()[:1].isalpha()


def _past_adverbs(text: str, at: int, reach: int) -> int:
    """Behind "still", "now" and the like, that stand between a join and its value."""
    while (match := _adverbs().match(text, at, reach)) is not None:
        at = match.end()
    return at


def _tells_wide(value: str) -> bool:
    if re.match(r"[\d〇一二三四五六七八九十百]+(?:文字|桁|자|글자|位|个|個|회|日|天|分|秒|小|時|月|年|개)", value):
        return True
    if re.search(r"(?:ます|ません|する|した|ない|이다|합니다|됩니다)\Z", value):
        return True
    return value.startswith(tuple(_table("telling_wide")))


def _spoken() -> dict[str, list[str]]:
    found: dict[str, list[str]] = patterns.load("secrets")["spoken"]
    return found


@cache
def _table(name: str) -> frozenset[str]:
    return frozenset(_spoken()[name])


@cache
def _telling() -> frozenset[str]:
    """Words that say something about a secret and are none."""
    return _table("plain") | _table("telling")


@cache
def _names() -> re.Pattern[str]:
    def bounded(words: list[str]) -> str:
        wide = [w for w in words if patterns.WIDE.search(w)]
        other = [w for w in words if w not in wide]
        return "|".join([rf"(?<![A-Za-z0-9_\w])(?:{'|'.join(sorted(other, key=len, reverse=True))})(?![A-Za-z0-9_\]])",
                         *sorted(wide, key=len, reverse=True)])

    return re.compile(f"(?P<strong>{bounded(_spoken()['strong'])})|(?P<weak>{bounded(_spoken()['weak'])})", re.IGNORECASE)


@cache
def _joins() -> re.Pattern[str]:
    """What joins a name and its value. A word only where it stands alone: there is an "est" in every test."""
    words = "|".join(sorted((j for j in _spoken()["joins"] if not patterns.WIDE.search(j)), key=len, reverse=True))
    wide = "|".join(j for j in _spoken()["joins"] if patterns.WIDE.search(j))
    return re.compile(r"\s{0,3}(?:=>|->|→|⇒|=|(?<!\d)[:：](?!//|\d)|[:：](?=\s)|\|)|\s{1,3}[-–—]\s|—"
                      rf"|(?<=\w)['’]s(?=\s)|(?<![\w-])(?:{words})(?=[\s:：*\"'`“])[:：]?|(?:{wide})[:：]?", re.IGNORECASE)


@cache
def _adverbs() -> re.Pattern[str]:
    return re.compile(rf"\s{{0,3}}(?:{'|'.join(_spoken()['adverbs'])})(?=[\s:：])[:：]?", re.IGNORECASE)


@cache
def _sentences(table: str) -> tuple[re.Pattern[str], ...]:
    """The sentences of a table; one of its words `near` stands in every text that such a sentence is in."""
    row = patterns.load("secrets")["told"][table]
    value = rf"(?:[\"'`“„«](?P<quoted>(?!\[masked)[^\"'`”“»\n]{{3,80}})[\"'`”“»]|(?P<bare>(?!\[masked){BARE}))"
    other = rf"(?P<other>(?!\[masked){BARE})"
    # A sentence that begins with its value would else be tried at every letter of a page without a space.
    border = rf"(?<!{BARE.removesuffix('{2,200}')})"
    begun = value.replace("(?P<bare>", rf"(?P<bare>{border}")
    shapes = (re.sub("^VALUE", lambda _: begun, s).replace("VALUE", value) for s in row["sentences"])
    return tuple(re.compile(shape.replace("OTHER", other), re.IGNORECASE) for shape in shapes)
