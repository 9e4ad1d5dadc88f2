"""Text that cannot pretend to be structure, and the way back to the words as they were said.

Each rule below knows one shape that a markdown reader, a program that strips comments or an agent could take
for structure. Writing puts one mark into every occurrence, also into those that already carry marks; reading
takes one away. So `read(write(text)) == text` for every text, and words that a person typed without marks
come back as typed.
"""

from __future__ import annotations

import re

LINE_MARKS = re.compile(r"(?m)^([ \t]*)(\\*)(?=---|===|\+\+\+|\*\*\*|___|#|```|~~~|[-*+] \[|<!|§)")
"""Line starts that open a heading, a rule, frontmatter, a fence, an index line or an entry of another dialect."""

_ROLES = r"system|assistant|human|user|developer|tool|function|antml|instruction|command|local-command|bash|task-|env"
_LINE_ROLE = re.compile(r"(?mi)^([ \t]*(?:system|assistant|human|user|developer|tool))(\\*)(?=:)")
_TAG = re.compile(rf"(?i)(</?)(\\*)(?=(?:{_ROLES})[\w:-]*[\s/>])")
_COMMENT_OPEN = re.compile(r"(<)(\\*)(?=!--)")
_COMMENT_CLOSE = re.compile(r"(--!?)(\\*)(?=>)")
_LINK = re.compile(r"(\])(\\*)(?=\()")

_BODY_RULES = (LINE_MARKS, _LINE_ROLE, _TAG, _COMMENT_OPEN, _COMMENT_CLOSE)
_HOOK_RULES = (_TAG, _COMMENT_OPEN, _COMMENT_CLOSE, _LINK)

_UNSEEN = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\ufff0-\ufffb\ufffe\uffff\ud800-\udfff\U000e0000-\U000e0fff"
)
_JOINERS = "\u200c\u200d"
UNSEEN = re.compile(rf"[{_UNSEEN}]|(?<![^\x00-\x7f])[{_JOINERS}]")
"""Characters that show nothing, turn the reading direction or end a line in some readers and not in others.

Joiners stay where scripts and emoji need them: after a character beyond ASCII.
"""

_ENTITY = re.compile(r"&((?:amp;)*)(?=#x[0-9A-F]+;)")
_ENTITY_BACK = re.compile(r"&((?:amp;)*)#x([0-9A-F]+);")
_SPACES = re.compile(r"\s+")
_HARMLESS = re.compile(r"[ -%'-;=?-\\^-~]*")
"""Plain characters without those that every shape of a line needs one of: `<`, `>`, `&` and `]`."""


def write_body(text: str) -> str:
    """A statement as the body of a topic file; its own line breaks stay."""
    marked = _ENTITY.sub(r"&amp;\1", text)
    edge = len(marked) - len(marked.lstrip())
    tail = len(marked.rstrip())
    if tail <= edge:
        return "".join(_entity(c) for c in marked)
    inner = UNSEEN.sub(lambda m: _entity(m.group()), marked[edge:tail])
    marked = "".join(_entity(c) for c in marked[:edge]) + inner + "".join(_entity(c) for c in marked[tail:])
    for rule in _BODY_RULES:
        marked = rule.sub(_one_more, marked)
    return marked


def read_body(text: str) -> str:
    """The statement behind a body; the inverse of `write_body`."""
    return _unmarked(text, _BODY_RULES)


def write_line(text: str) -> str:
    """A text as part of one line, neither link nor comment in it; runs of white space become one space."""
    plain = one_line(text)
    if _HARMLESS.fullmatch(plain):
        return plain
    marked = UNSEEN.sub(lambda m: _entity(m.group()), _ENTITY.sub(r"&amp;\1", plain))
    for rule in _HOOK_RULES:
        marked = rule.sub(_one_more, marked)
    return marked


def read_line(text: str) -> str:
    """The text behind a line; the inverse of `write_line` up to white space."""
    return _unmarked(text, _HOOK_RULES)


def _unmarked(text: str, rules: tuple[re.Pattern[str], ...]) -> str:
    for rule in reversed(rules):
        text = rule.sub(_one_less, text)
    return _ENTITY_BACK.sub(_character, text)


def one_line(text: str) -> str:
    """Every run of white space, line breaks included, as one space."""
    return _SPACES.sub(" ", text).strip()


def comment_spans(text: str) -> list[tuple[int, int]]:
    """Where the HTML comments of a text stand; one that never closes is none, so that it hides nothing."""
    spans: list[tuple[int, int]] = []
    start = text.find("<!--")
    while start >= 0:
        end = text.find("-->", start + 4)
        if end < 0:
            break
        spans.append((start, end + 3))
        start = text.find("<!--", end + 3)
    return spans


def _entity(char: str) -> str:
    return f"&#x{ord(char):X};"


def _character(found: re.Match[str]) -> str:
    marks, digits = found.groups()
    if marks:
        return f"&{marks[4:]}#x{digits};"
    code = int(digits, 16) if len(digits) <= 6 else 0x110000
    return chr(code) if code <= 0x10FFFF else found.group()


def _one_more(found: re.Match[str]) -> str:
    return found.group(1) + found.group(2) + "\\"


def _one_less(found: re.Match[str]) -> str:
    return found.group(1) + found.group(2)[1:]
