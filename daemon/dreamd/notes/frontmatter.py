"""Frontmatter: reading what agents and people really write, writing what the newest Claude Code writes.

The reader is no YAML parser on purpose: real files break YAML's rules (unquoted colons, a `#` in a value, tabs),
and a memory must not vanish because of it. What it writes is valid YAML, held by a test.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

_FENCE = re.compile(r"---[ \t]*\r?\n")
_CLOSE = re.compile(r"(?m)^(?:---|\.\.\.)[ \t]*\r?$\n?")
_KEY = re.compile(r"([ \t]*)([A-Za-z_][\w.-]*)[ \t]*:(?:[ \t]+(.*)|[ \t]*)$")
_LONGEST_BLOCK = 64_000


@dataclass(frozen=True)
class Frontmatter:
    """The head of a file: plain values by key (`metadata.type` for nested ones), and where the body starts."""

    values: Mapping[str, str]
    body_start: int

    def first(self, *keys: str) -> str:
        """The first value that is set among the keys."""
        return next((self.values[key] for key in keys if self.values.get(key)), "")

    @property
    def type(self) -> str:
        """The memory type, in either dialect."""
        return self.first("metadata.type", "type").strip().lower()


def read_frontmatter(text: str) -> Frontmatter:
    """Read the block at the head of `text`; a file without one, or with one that never closes, has none."""
    start = 1 if text.startswith("\ufeff") else 0
    opened = _FENCE.match(text, start)
    if not opened:
        return Frontmatter({}, start)
    closed = _CLOSE.search(text, opened.end(), opened.end() + _LONGEST_BLOCK)
    if not closed:
        return Frontmatter({}, start)
    inside = text[opened.end() : closed.start()]
    values = _read_values(inside.splitlines())
    if not values and inside.strip():
        return Frontmatter({}, start)  # two rules with words between them
    return Frontmatter(values, closed.end())


def write_frontmatter(*, name: str, description: str, kind: str, modified: str) -> str:
    """The newest shape, ending in a line break. `name`, `kind` and `modified` must be plain words."""
    return (f"---\nname: {name}\ndescription: {quoted(description)}\n"
            f"metadata:\n  node_type: memory\n  type: {kind}\n  modified: {modified}\n---\n")


def quoted(value: str) -> str:
    """A double-quoted YAML scalar on one line, whatever is in the value."""
    return json.dumps(value, ensure_ascii=False)


def _read_values(lines: list[str]) -> dict[str, str]:
    values: dict[str, str] = {}
    parent, key = "", ""
    for line in lines:
        found = _KEY.match(line)
        if found is None or (found.group(1) and not parent and key):
            # a continued or block value: joined, for no value of ours runs over several lines
            if key and line.strip():
                values[key] = f"{values[key]} {line.strip()}".strip()
            continue
        indent, word, raw = found.groups()
        if not indent:
            parent = ""
        key = f"{parent}.{word}" if indent and parent else word
        value = _unquoted((raw or "").strip())
        if not value and not indent:
            parent = word
        values[key] = "" if value in (">", "|", ">-", "|-", ">+", "|+") else value
    return values


def _unquoted(raw: str) -> str:
    if len(raw) >= 2 and raw[0] == raw[-1] == '"':
        try:
            value = json.loads(raw, strict=False)
        except ValueError:
            return raw[1:-1]
        return value if isinstance(value, str) else raw
    if len(raw) >= 2 and raw[0] == raw[-1] == "'":
        return raw[1:-1].replace("''", "'")
    return raw
