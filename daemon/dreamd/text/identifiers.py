"""What must survive a merge word for word: versions, identifiers, paths, addresses, code, quotations, proper names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from dreamd.text import word_classes
from dreamd.text.tokens import Token

_CODE = re.compile(r"`([^`\n]+)`")
_QUOTED = re.compile(r'"([^"\n]{1,60})"')
_VERSION = re.compile(r"(?<![\w.])[vV]?\d+(?:\.(?:\d+|x))+(?:[-+][\w.]+)?(?![\w])|(?<![\w.])[vV]\d+\b")
_ADDRESS = re.compile(r"\b\d{1,3}(?:\.\d{1,3}){3}(?:/\d{1,2})?(?::\d+)?\b")
_UUID = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", re.IGNORECASE)
_HEX = re.compile(r"\b0x[0-9a-fA-F]+\b|\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}\b")
_DIGIT = re.compile(r"\d")
_DASHES_OF_UUID = 4
_DOTS_OF_ADDRESS = 3
_SHAPED_KINDS = frozenset(["url", "mail", "path", "flag"])
_ORDINAL = re.compile(r"\d+(?:st|nd|rd|th|s|x|[ap]m)")
_MIXED = re.compile(r"^(?=.*\d)(?=.*[A-Za-z])[\w.:+#-]+$")
_SNAKE = re.compile(r"^\w*[a-zA-Z0-9]_\w+$|^_\w+$")
_CAMEL = re.compile(r"^[a-z]+[A-Z]\w*$|^[A-Z][a-z0-9]+[A-Z]\w*$")
_FILE = re.compile(
    r"^[\w-]+(?:\.[\w-]+)*\.(?:py|js|ts|tsx|jsx|go|rs|java|kt|rb|ex|exs|c|h|cpp|hpp|cs|sh|md|rst|txt|toml|ya?ml|json|xml|csv|sql|lock|cfg|ini|conf|env|"
    r"html?|css|scss|tf|tfvars|smk|nix|gradle|proto|ipynb|pdf|png|svg|zip|tar|gz|log|bak|db|sqlite|service|timer|plist|urdf|xacro|launch|vue|swift|php|pl|lua|r|jl|hs|clj|ps1|bat|mk)$"
)
_AROUND = ".,;:!?()[]{}\"'`"
_LONGEST_UNIT = 3
_SHORTEST_CODE = 6
_CAPITAL_INSIDE = re.compile(r"[a-z]\d*[A-Z]|^[A-Z]{1,2}[a-z]$")
"""A small letter before a capital one, which no sentence begins with; or a unit with its own capital."""


def fixed_names(text: str, tokens: Sequence[Token]) -> frozenset[str]:
    """Names with a shape of their own: these never have a synonym, so unequal ones never merge."""
    found: set[str] = set()
    if text.count("-") >= _DASHES_OF_UUID:
        found.update(m.group().lower() for m in _UUID.finditer(text))
    if _DIGIT.search(text):
        found.update(m.group().lower() for pattern in (_ADDRESS, _HEX) for m in pattern.finditer(text))
        found.update(f"version {value}" for match in _VERSION.finditer(text) if "." in (
            value := match.group().lower().lstrip("v")) and not _is_measure(text, match.end(), value))
    found.update([_shaped(token.surface) for token in tokens if token.kind == "word"])
    found.discard("")
    for token in tokens:
        if token.kind in _SHAPED_KINDS:
            name = token.surface.strip(".,:")
            found.add({"flag": name, "path": name.rstrip("/")}.get(token.kind, name.rstrip("/").lower()))
    return frozenset(found)


def without_addresses(text: str) -> str:
    """Text without network addresses and UUIDs, whose digits count nothing."""
    if text.count("-") >= _DASHES_OF_UUID:
        text = _UUID.sub(" ", text)
    return _ADDRESS.sub(" ", text) if text.count(".") >= _DOTS_OF_ADDRESS else text


@lru_cache(maxsize=65_536)
def _shaped(surface: str) -> str:
    """The fixed name that a word is by its shape: a file, `snake_case`, letters with digits. Empty when it is none."""
    name = surface.strip(".,:")
    if "." in name and _FILE.match(name) or "_" in name and _SNAKE.match(name):
        return name
    mixed = _DIGIT.search(name) and _MIXED.match(name) and not _ORDINAL.fullmatch(name.lower())
    return name.lower().replace("-", "") if mixed else ""


def commands(text: str) -> frozenset[str]:
    """Code spans as written, spaces made single."""
    return frozenset(" ".join(m.group(1).split()) for m in _CODE.finditer(text)) if "`" in text else frozenset()


def quotations(text: str) -> frozenset[str]:
    """Quoted words, lower case."""
    return frozenset(" ".join(m.group(1).lower().split()).strip(".,") for m in _QUOTED.finditer(text))


def proper_names(tokens: Sequence[Token], tongue: str) -> frozenset[str]:
    """Capitalised names inside a sentence and acronyms anywhere, lower case; in German, full of capitals, acronyms only."""
    found: set[str] = set()
    starts = True
    for token in tokens:
        if token.kind == "stop":
            starts = token.surface in ".!?;:"
            continue
        if token.surface == token.lower:  # without a capital no name
            starts = False
            continue
        name = token.surface.strip(".,:'").removesuffix("'s")
        low = name.lower()
        if token.kind == "word" and len(name) > 1 and token.lower not in _COMMON_CAPITALS and low not in _NO_NAMES:
            acronym = name.isupper() and name.isalpha()
            if _CAMEL.match(name):
                found.add(low)
            elif acronym and len(name) < 8 and low not in _SHOUTED:
                found.add(low.rstrip("s") if len(name) > 3 else low)
            elif name[0].isupper() and not starts and tongue != "de":
                found.add(low)
            elif not acronym and name[0].isupper() and any(c.isupper() for c in name[1:]):
                found.add(low.rstrip("s") if name.endswith("s") and name[:-1].isupper() else low)
        starts = False
    return frozenset(found)


def is_short_for(short: str, long: str) -> bool:
    """`tf` for `terraform`, `k8s` for `kubernetes`, `ddb` for `dynamodb`: letters in order, the first one shared."""
    if len(short) < 2 or len(short) >= len(long) or short[0] != long[0]:
        return False
    if short == long.rstrip("s") or long.startswith(short):
        return True
    at = 0
    for char in short:
        at = long.find(char, at) + 1
        if not at:
            return False
    return len(short) <= 4


_COMMON_CAPITALS = frozenset(
    set(word_classes.QUALIFIERS["weekday"]) | set(word_classes.QUALIFIERS["month"]) | {"may", "ok", "english", "i"})
_NO_NAMES = word_classes.STOP | word_classes.UNIT_NAMES.keys()
_SHOUTED = word_classes.STOP | word_classes.NEGATORS | {"must", "only", "note", "todo", "important", "warning", "please"}


def _is_measure(text: str, end: int, value: str) -> bool:
    """A decimal with a unit or symbol behind it is a measure, not a version."""
    if value.count(".") != 1 or value.endswith("x"):
        return False
    follow = re.match(r"\s?([^\W\d_]+(?:/[a-z])?|[°%€$²³])", text[end:])
    return bool(follow and follow.group(1).lower() in word_classes.UNIT_NAMES) or bool(follow and follow.group(1) in "°%€$")


def are_written_apart(one: str, other: str) -> bool:
    """Whether two texts of the same words name two things by how these are written: a sign, a path, a code, a unit.

    Prose is written as one likes ("GitHub", "NOT"); a path, a code of mixed letters and digits and a unit are not.
    """
    ours, theirs = one.split(), other.split()
    if len(ours) != len(theirs):
        return False
    befores = ("", *ours)
    return any(a != b and _says_apart(a.strip(_AROUND), b.strip(_AROUND), before)
               for a, b, before in zip(ours, theirs, befores, strict=False))


def _says_apart(one: str, other: str, before: str) -> bool:
    signed = tuple(word[:1] in "-−" and word[1:2].isdigit() for word in (one, other))
    if signed[0] != signed[1] and one.lstrip("-−") == other.lstrip("-−"):
        return True
    if one == other or one.lower() != other.lower():
        return False
    if one[:1] in "/~" or one.count("/") > 1 and "://" not in one:
        return True
    if before[-1:].isdigit() and len(one) <= _LONGEST_UNIT:
        return any(map(_CAPITAL_INSIDE.search, (one, other)))
    return len(one) >= _SHORTEST_CODE and any(c.isdigit() for c in one) and any(map(_CAPITAL_INSIDE.search, (one, other)))
