"""Words and patterns that travel as data in `config/`: read once, compiled when first asked for.

Every file of `config/words/` is one subject. A table in it holds lists by language; callers never care which
language a cue belongs to, so the lists of all languages are joined.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from dreamd.core.errors import ConfigError
from dreamd.core.paths import share_dir

OPEN_END = "(?:)"
"""An entry that ends with this is not bounded at its end."""
_CJK = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
WIDE = re.compile(f"[{_CJK}\uff01-\uff60]")


@cache
def load(name: str) -> dict[str, Any]:  # Any: whatever a table holds
    """The tables of one word file, such as `words/gate` or `secrets`.

    Raises ConfigError when the file is missing or unreadable: without its words dream would judge blindly.
    """
    import tomllib

    path = share_dir("config") / f"{name}.toml"
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"the word list `{path}` cannot be read: {type(error).__name__}",
                          hint="reinstall dream, or restore the file") from error


@cache
def entries(name: str, table: str, languages: tuple[str, ...] = ()) -> tuple[str, ...]:
    """All entries of one table: a list, or lists by language, joined."""
    value = load(name).get(table, [])
    if isinstance(value, dict):
        chosen = [v for k, v in value.items() if not languages or k in languages]
        return tuple(str(word) for words in chosen for word in words)
    if isinstance(value, list):
        return tuple(str(word) for word in value)
    raise ConfigError(f"`{table}` in the word list `{name}` is neither a list nor lists by language")


@cache
def cue(name: str, table: str, *, start: bool = False, whole: bool = False) -> re.Pattern[str]:
    """One pattern for a table: entries are regular expressions, bounded as words unless they end in CJK script.

    `start` anchors it at the beginning of the text, `whole` at both ends.
    """
    words = entries(name, table)
    body = "|".join(_bounded(word) for word in words) or r"(?!)"
    if whole:
        return re.compile(rf"\s*(?:{body})\s*\Z", re.IGNORECASE)
    return re.compile(rf"\s*(?:{body})" if start else f"(?:{body})", re.IGNORECASE)


def has(name: str, table: str, text: str) -> bool:
    """Whether any entry of a table stands in the text."""
    quick = _lower_cue(name, table) if text.isascii() else None
    if quick is not None:
        return quick.search(text.lower()) is not None
    return cue(name, table).search(text) is not None


def starts(name: str, table: str, text: str) -> bool:
    """Whether the text begins with an entry of a table."""
    quick = _lower_cue(name, table, start=True) if text.isascii() else None
    if quick is not None:
        return quick.match(text.lower()) is not None
    return cue(name, table, start=True).match(text) is not None


@cache
def _lower_cue(name: str, table: str, *, start: bool = False) -> re.Pattern[str] | None:
    """The same cue for lower-case text in plain letters; None where an entry tells capitals from others.

    Without a pattern that ignores case the engine passes over an alternative by its first letter: ten times as quick.
    """
    lowered = [in_lower_case(word) for word in entries(name, table)]
    bounded = [_bounded(word) for word in lowered if word is not None]
    if len(bounded) < len(lowered):
        return None
    headed = "|".join(word.removeprefix(_HEAD) for word in bounded if word.startswith(_HEAD))
    parts = [f"{_HEAD}(?:{headed})"] if headed else []
    body = "|".join([*parts, *(word for word in bounded if not word.startswith(_HEAD))]) or "(?!)"
    return re.compile(rf"\s*(?:{body})" if start else body)


def in_lower_case(pattern: str) -> str | None:
    """A pattern that ignores case, for plain letters in lower case: it finds the same. None where it tells capitals apart."""
    if _TELLS_CASE.search(pattern):
        return None
    return _CAPITAL.sub(lambda found: found[0].lower() if len(found[0]) == 1 else found[0], pattern)


_HEAD = r"(?<!\w)"
_TELLS_CASE = re.compile(r"\(\?-?[a-z]*i|[A-Z]-[^A-Z]|[^A-Z]-[A-Z]")
"""Parts of an entry that tell capitals from others, and ranges of signs that lower case would change."""
_CAPITAL = re.compile(r"\\.|\(\?P|[A-Z]")


def width(text: str) -> float:
    """Length in Latin characters: one sign of a wide script says about as much as one and a half letters."""
    return len(text) + len(WIDE.findall(text)) / 2


def fullness(text: str) -> int:
    """How much a text can say, in Latin characters: twelve letters are two words, and four wide signs are as much."""
    return len(text) + 2 * len(WIDE.findall(text))


def _bounded(word: str) -> str:
    if WIDE.search(word):
        return f"(?:{word})"
    head = r"(?<!\w)" if _wordlike(word[:1]) else ""
    open_end = word.endswith(OPEN_END) or word[-2:-1] == "\\"
    tail = r"(?!\w)" if _wordlike(word[-1:]) and not open_end else ""
    return f"{head}(?:{word}){tail}"


def _wordlike(sign: str) -> bool:
    return sign.isalnum() or sign in ("_", "(", ")", "[", "]", "?")
