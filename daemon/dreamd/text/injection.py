"""Words made harmless before they stand in a file that an agent reads.

Hidden characters go, control characters go, and what would forge structure (frontmatter, headings, comments, index
links, fences, chat roles) is defused so that it reads the same to a person and means nothing to a parser.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from dreamd.text import patterns

_LINE_ENDS = re.compile("\r\n?|[\u0085\u2028\u2029\u000b\u000c]")
_JOINERS = "\u200c\u200d"
_JOINED_SCRIPTS = "\u0600-\u06ff\u0750-\u077f\u0900-\u0dff"
_NEEDLESS_JOINER = re.compile(f"(?<![{_JOINED_SCRIPTS}])[{_JOINERS}]|[{_JOINERS}](?![{_JOINED_SCRIPTS}])")
_HIDDEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0e"
    "\ufeff\uffa0\ufff0-\uffff\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff\ud800-\udfff"
    "\ue000-\uf8ff\U000f0000-\U0010ffff]|\ufe0f(?=\ufe0f)")
_CONTROL = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f]")
_ANSI = re.compile(r"\x1b(?:\[[0-9;?]{0,20}[A-Za-z]|\][^\x07\x1b]{0,200}(?:\x07|\x1b\\))")
_RULER = re.compile(r"^([ \t]{0,3})([-=+_*]{3,}|(?:[-_*][ \t]){2,}[-_*])[ \t]*$", re.MULTILINE)
_DOTS = re.compile(r"^([ \t]{0,3})\.\.\.[ \t]*$", re.MULTILINE)
_HEADING = re.compile(r"^([ \t]{0,3})(#{1,6})(?=[ \t]|$)", re.MULTILINE)
_FENCE = re.compile(r"`{3,}|~{3,}")
_LINK = re.compile(r"\](?=[(\[:])")
_TAG = re.compile(
    r"<(?=/?(?:system|assistant|user|human|instructions?|im_start|im_end|tool|function|command|local-command"
    r"|task-notification"
    r"|script|style|iframe|details|summary|\||!\[CDATA))", re.IGNORECASE)
_ROLE = re.compile(r"^([ \t]{0,8})(system|assistant|human|user)([ \t]?:)", re.MULTILINE | re.IGNORECASE)


def neutralise(text: str) -> str:
    """The same words without hidden characters and without anything a parser would take for structure."""
    text = strip_hidden(text)
    text = _RULER.sub(r"\1—", text)
    text = _DOTS.sub(r"\1…", text)
    text = _HEADING.sub(lambda m: f"{m[1]}\\{m[2]}", text)
    text = _FENCE.sub("'''", text)
    text = text.replace("<!--", "‹!--").replace("-->", "--›")
    text = _TAG.sub("‹", text)
    text = _LINK.sub("] ", text)
    return _ROLE.sub(r"\1\2 –", text)


def strip_hidden(text: str) -> str:
    """Remove what a person cannot see: zero-width, bidirectional, tag and control characters, escape sequences."""
    if text.isascii() and text.isprintable():
        return text
    text = _ANSI.sub("", text)
    text = _LINE_ENDS.sub("\n", text)
    text = _CONTROL.sub("", text)
    text = _HIDDEN.sub("", text)
    return _NEEDLESS_JOINER.sub("", text)


def looks_like_injection(text: str) -> bool:
    """Whether a text tries to command its reader: "ignore previous instructions" and its kind, in several languages."""
    return orders_a_breach(text) or _has("steering", text)


def orders_a_breach(text: str) -> bool:
    """Whether a text orders to drop rules or to hand out secrets, which nobody may note down as a memory."""
    return _has("strict", text)


def could_harm(text: str) -> bool:
    """Whether a text orders something that only a person may order for good: to send things away, to drop a safeguard."""
    return _has("risky", text)


def wears_a_role(text: str) -> bool:
    """Whether a text speaks under the name of a chat role, as what was pasted or forged does."""
    return _has("role", text)


def _has(table: str, text: str) -> bool:
    plain, bare = _bared(text)
    return patterns.has("words/injection", table, plain) or (bare != plain and patterns.has("words/injection", table, bare))


@lru_cache(maxsize=4)  # each text is held against several tables in a row
def _bared(text: str) -> tuple[str, str]:
    """A text in plain lower-case letters, and the same without emphasis and quotes."""
    plain = unicodedata.normalize("NFKC", strip_hidden(text)).lower().replace("’", "'")
    plain = re.sub(r"[ \t]+", " ", plain)
    return plain, re.sub(r"[*_`~\"]+", "", plain)
