"""What a single word looks like: a secret, a placeholder for one, or an ordinary identifier."""

from __future__ import annotations

import math
import re
from collections import Counter

UUID = re.compile(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}")
_PLACEHOLDER = re.compile(
    r"\*{3}|x{3,}|\.{2,}|…|(?:your|my|the|some|example|dummy|fake|test|changeme"
    r"|placeholder)[-_ ][a-z_ -]*\Z"
    r"|\[?masked|\[?redacted|os\.|process\.|env\.|getenv|self\.|config\.|settings\.|vault:|op://|secret://|ssm:|arn:",
    re.IGNORECASE)
_FILLED_IN = re.compile(r"\$[{(]|\$[A-Za-z_]\w*[\"']?\Z|%[A-Za-z_]\w*%|%[sdv]\Z|%\(|<|\{|\$\d\Z|@[A-Za-z_]+@\Z")
_PATH = re.compile(r"[~./]|[A-Za-z]:\\|\w+://|[\w-]+\.(?:md|txt|py|js|ts|json|ya?ml|toml|env|pem|key|cfg|ini|sh|go|rs)\Z")
_VERSION = re.compile(r"v?\d+(?:\.\d+){1,3}\Z|\d{4}-\d\d(?:-\d\d)?\Z|\d{1,2}:\d\d\Z")


def is_placeholder(word: str) -> bool:
    """Whether a word stands where a secret goes without being one: `${TOKEN}`, `<secret>`, `get_token()`, a path."""
    if _FILLED_IN.match(word) or (_PLACEHOLDER.match(word) and not word.isupper()):
        return True
    if re.fullmatch(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+", word) or re.fullmatch(r"(?:x{3,}|\*{3,}|\.{3,})", word, re.IGNORECASE):
        return True
    if re.search(r"[(\[{]", word) and re.match(r"[A-Za-z_][\w.]*[(\[{]", word):
        return True
    if re.fullmatch(r"[A-Za-z]{2,}(?:_[A-Za-z]{2,})+", word):
        return True
    if re.fullmatch(r"[a-z_][a-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)+", word):
        return True
    return bool(_PATH.match(word) or _VERSION.match(word))


def is_secretish(word: str, *, shortest: int) -> bool:
    """Whether a word looks made up for secrecy: letters mixed with digits or signs, or case that jumps."""
    if len(word) < shortest or is_placeholder(word):
        return False
    letters, digits = any(c.isalpha() for c in word), any(c.isdigit() for c in word)
    if letters and digits:
        return True
    if letters and re.search(r"[!@#$%^&*+=~|]", word):
        return True
    parts = re.findall(r"[A-Z]?[a-z]+|[A-Z]+", word)
    return len(re.findall(r"[a-z][A-Z]", word)) >= 2 and len(word) < 3 * len(parts)


def is_named_and_numbered(word: str) -> bool:
    """Whether a word is a name with a number behind it, as things are called: `db-credentials-2`, `web01`, `release-2.4`."""
    return re.fullmatch(r"[a-z]{2,}(?:[-_/.][a-z]{2,}){0,5}[-_./]?v?\d{1,4}(?:\.\d{1,4}){0,3}", word) is not None


def is_random(word: str) -> bool:
    """Whether a long word is a random string and not a path, a name made of words, a UUID or a number."""
    if UUID.fullmatch(word) or word.isdigit() or not any(c.isdigit() for c in word) or not any(c.isalpha() for c in word):
        return False
    if re.fullmatch(r"[0-9a-fA-F]+", word):
        return len(word) >= 24 and entropy(word.lower()) >= 3.0
    parts = [part for part in re.split(r"[/_-]", word) if part]
    if sum(1 for part in parts if len(part) >= 3 and (part.isalpha() and (part.islower() or part.istitle()))) >= 2:
        return False
    if sum(c.isdigit() for c in word) < 2:
        return False
    return entropy(word) >= 3.6 and jumps(word) >= 0.3


def entropy(word: str) -> float:
    """Shannon entropy in bits a sign."""
    total = len(word)
    return -sum(n / total * math.log2(n / total) for n in Counter(word).values())


def jumps(word: str) -> float:
    """How often the kind of sign (lower, upper, digit, other) changes, as a share of the length."""
    kinds = [0 if c.islower() else 1 if c.isupper() else 2 if c.isdigit() else 3 for c in word]
    return sum(a != b for a, b in zip(kinds, kinds[1:], strict=False)) / max(1, len(word) - 1)


def is_card_number(text: str) -> bool:
    """Whether the digits of a text pass the check that payment cards use."""
    digits = [int(c) for c in text if c.isdecimal()]
    doubled = [d * 2 - 9 if d > 4 else d * 2 for d in digits[-2::-2]]
    return 13 <= len(digits) <= 19 and (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0
