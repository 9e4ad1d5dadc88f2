"""The page of a decision record taken apart: its title, its fields wherever they stand, and its sections.

Fields stand in front matter, in a table, in bold or listed lines below the title, in the attributes of AsciiDoc and
reStructuredText, or as sections of their own. What a field is called is a matter of the words file, not of the place.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache

from dreamd.text import patterns

WORDS = "words/decisions"
_FRONT = re.compile(r"\A\s*(?:(---)|(\+\+\+))[ \t]*\r?\n(.*?)^(?:---|\+\+\+|\.\.\.)[ \t]*$\n?", re.DOTALL | re.MULTILINE)
_ENTRY = re.compile(r"([\w][\w .-]{0,40}?)\s*[:=]\s*(.*)")
_FENCE = re.compile(r"^[ \t]*(```|~~~|----$|\.\.\.\.$).*?(?:^[ \t]*\1.*?$|\Z)", re.DOTALL | re.MULTILINE)
_TOP_FENCE = re.compile(r"(\A\s*(?:#[^\n]+\s+)?)^(```|~~~)[^\n]*\n(.*?)^\2[^\n]*$", re.DOTALL | re.MULTILINE)
"""A block right below the title: where a field stands in each of its lines, it is the head of the record."""
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)"
                      r"|^\.\.(?![ \t]*(?:_|\[|\||[\w:-]+::))(?=[ \t\n])[^\n]*(?:\n[ \t]+\S[^\n]*|\n[ \t]*(?=\n[ \t]+\S))*",
                      re.DOTALL | re.MULTILINE)
_BARE_TITLE = re.compile(r"(?i)(?:[a-z]{2,4}[-_ #]*)?\d{1,6}[.:)][ \t]+[^\W\d_].*")
"""A title that nothing marks as one but its number."""
LONGEST_LINE, LONGEST_RUN = 1_000, 80
_RUN = re.compile(rf"([^\w\n])\1{{{LONGEST_RUN},}}")
_GAP = re.compile(r" (?=[a-zß-ÿ]{2})")
_ATX = re.compile(r"(#{1,6}|={1,6})[ \t]+(.*?)[ \t#=]*(?:\{[#.:][^{}]*\}[ \t]*)?$")
_UNDERLINE = re.compile(r"(=|-|~|\^|\*|\+|#|\"){3,}\s*$")
_BADGE = re.compile(r"!\[[^\]]{0,200}\]\([^)\s]*/badge/([A-Za-z_]{2,20})-([^)\s-]+)-[^)]*\)")
_CALLOUT = re.compile(r"(?m)^>[ \t]*\[!(\w+)\][+-]?(.*)$")
_ORG = ((re.compile(r"(?im)^#\+title:"), "#"),
        (re.compile(r"(?im)^#\+(\w+):"), r"\1:"),
        (re.compile(r"(?im)^[ \t]*:(?:properties|end):[ \t]*\n?"), ""),
        (re.compile(r"(?m)^\*+(?=[ \t])"), lambda stars: "#" * len(stars[0])),
        (re.compile(r"\[\[(?:file:)?([^\[\]]+)\]\[([^\[\]]+)\]\]"), r"[\2](\1)"),
        (re.compile(r"\[\[(?:file:)?([^\[\]]+)\]\]"), r"\1"))
"""What org writes in another way than markdown."""
_ATTRIBUTE = re.compile(r":([\w][\w .-]{0,40}):[ \t]*(.*)")
_LABELLED = re.compile(r"([^\W\d_][^:：|*_\n]{0,40}?)[ \t]*(?:::?|：)[ \t]*(.*)")
_BOLD = re.compile(r"(?:\*\*|__)([^*_]{2,40})(?:\*\*|__)")
_PLACE = re.compile(r"(?m)^ {0,3}\[([^\]\n]+)\]:[ \t]*<?([^\s<>]+)>?(?:[ \t]+[\"'(][^\n]*)?$")
_NAMED_LINK = re.compile(r"\[([^\]\[\n]+)\](?:\[([^\]\[\n]*)\])?(?![(:\[])")
_DEFINED = re.compile(r"(?i)<dt[^>]{0,200}>(.{0,500}?)</dt>\s*<dd[^>]{0,200}>(.{0,1000}?)</dd>", re.DOTALL)
EMPHASIS = re.compile(r"(?<!\w)[*_]{1,3}(?=\S)|(?<=\S)[*_]{1,3}(?!\w)")
_LEAD = re.compile(r"^(?:[ \t>]|[-*+•][ \t]|\d{1,2}[.)][ \t](?=\*\*))*")
_CELL = re.compile(r"(?i)\s*</t[dh]>\s*<t[dh][^>]*>\s*")
_ROW = re.compile(r"(?i)<tr[^>]*>\s*<t[dh][^>]*>(.{0,1000}?)</t[dh]>\s*</tr>", re.DOTALL)
_LISTED_ROW = re.compile(r"(?m)^[ \t]*\* - (.*\n(?:[ \t]+- .*(?:\n|\Z))+)")
"""A row of a table of reStructuredText that is written as a list of lists."""
_TAG = re.compile(r"(?i)</?(?:b|strong|em|i|br|p|dl|dt|dd|table|tbody|thead|sub|small|span|div|u)(?:\s[^<>]*)?/?>")
_BOX = re.compile(r"[-*+][ \t]*\[[ xX✓✔]\]")
_RULE_CELL = re.compile(r":?-{2,}:?|={2,}")


@dataclass
class Page:
    """What a page says, by the kind of its fields and sections; `preamble` is what stands before the first section."""

    title: str = ""
    fields: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    unnamed: list[str] = field(default_factory=list)
    """The values of fields at its head whose names are of no kind."""
    """By kind, each with the name it has on the page."""
    sections: list[tuple[str, str]] = field(default_factory=list)
    """Headings below the title, each with the text under it."""
    preamble: str = ""

    def first(self, kind: str) -> str:
        """The first field of a kind that says something."""
        return next((value for _, value in self.fields.get(kind, ()) if value.strip()), "")

    def section(self, kind: str) -> str:
        """The text of the first section of a kind that says something."""
        return next((text for heading, text in self.sections if kind_of(heading) == kind and text.strip()), "")

    def has_section(self, kind: str) -> bool:
        """Whether there is a section of a kind."""
        return any(kind_of(heading) == kind for heading, _ in self.sections)


@cache
def _kinds() -> dict[str, str]:
    tables = patterns.load(WORDS)["fields"]
    return {name: kind for kind, names in reversed(tables.items()) for name in names}


def kind_of(label: str) -> str:
    """The kind of field or section a label names; empty for any other."""
    plain = re.sub(r"[\s_-]+", " ", re.sub(r"[*_`:：#?!.]+|^\d+(?:\.\d+)*[.)]?\s+", " ", label)).strip().casefold()
    return _kinds().get(plain, "") or _kinds().get(plain.replace(" ", ""), "")


def tame(text: str) -> str:
    """A page without what keeps patterns busy for hours: endless runs of one sign, and lines as long as books."""
    text = _RUN.sub(lambda run: run[0][:LONGEST_RUN], text)
    return "\n".join(part for line in text.split("\n") for part in ([line] if len(line) <= LONGEST_LINE else _parts(line)))


def _parts(line: str) -> Iterator[str]:
    """A long line in lines that begin with a plain word, so that none looks like a field or a list; a table's row stays one."""
    while len(line) > LONGEST_LINE and not line.lstrip().startswith("|"):
        gaps = [found.start() for found in _GAP.finditer(line, LONGEST_LINE // 2, LONGEST_LINE)]
        at = gaps[-1] if gaps else LONGEST_LINE
        yield line[:at]
        line = line[at:]
    yield line


def front_of(text: str) -> str:
    """The front matter of a page, as it stands."""
    front = _FRONT.match(text)
    return front[0] if front else ""


def outside_fences(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Lines, with their place, that stand in no block of code and no remark."""
    closing = ""
    for n, line in enumerate(lines):
        plain = line.strip()
        if closing:
            closing = "" if closing in plain else closing
        elif fence := re.match(r"```|~~~|----$|\.\.\.\.$", plain):
            closing = fence[0]
        elif plain.startswith("<!--") and "-->" not in plain:
            closing = "-->"
        else:
            yield n, line


def from_org(text: str) -> str:
    """A page of org as one of markdown: its headings, keywords, properties and links."""
    for shape, ours in _ORG:
        text = shape.sub(ours, text)
    return text


def take_apart(text: str) -> Page:
    """The title, fields and sections of a page."""
    page = Page()
    front = _FRONT.match(text)
    if front:
        _note_head(page, _front_entries(front[3]))
        text = text[front.end():]
    text = _with_places(text)
    text = _TOP_FENCE.sub(lambda top: top[1] + top[3] if _is_head(top[3]) else top[0], _COMMENT.sub("", text))
    text = _BADGE.sub(lambda badge: f"{badge[1]}: {badge[2].replace('_', ' ')}", _FENCE.sub("", text))
    text = _DEFINED.sub(r"\n\1: \2\n", text)
    text = _CALLOUT.sub(lambda box: f"### {box[2].strip() or box[1]}", text)
    text = _ROW.sub(lambda row: f"| {_CELL.sub(' | ', row[1])} |".replace("\n", " "), text)
    text = _LISTED_ROW.sub(lambda row: "| " + re.sub(r"\n[ \t]+- ", " | ", row[1].rstrip()) + " |\n", text)
    text = _TAG.sub("", text)
    here: list[str] = []
    bodies: list[tuple[str, list[str]]] = [("", here)]
    for level, line in _lines(text):
        if level and not page.title and len(bodies) == 1 and not kind_of(line) and not any(
                kind_of(name) == "title" for name, _ in _labelled("\n".join(here))):
            page.title = line
        elif level:
            here = []
            bodies.append((line, here))
        else:
            here.append(line)
    page.preamble = "\n".join(bodies[0][1]).strip()
    _note_head(page, _labelled(page.preamble))
    for heading, body in bodies[1:]:
        name, colon, value = heading.partition(":")
        if colon and value.strip() and kind_of(name):
            _note(page, name, value)
        page.sections.append((heading if not colon or not kind_of(name) else name, "\n".join(body).strip()))
        if kind_of(heading) == "links" or kind_of(heading) == "status":
            for name, value in _labelled(page.sections[-1][1]):
                _note(page, name, value)
    if page.sections:  # a record may be signed at its foot
        for name, value in _labelled(page.sections[-1][1].rpartition("\n\n")[2]):
            _note(page, name, value)
    bare = _BARE_TITLE.match(page.preamble)
    page.title = page.title or page.first("title") or (bare[0] if bare else "")
    return page


def _with_places(text: str) -> str:
    """A page whose links say where they lead, and not at its foot."""
    places = {name.casefold(): place for name, place in _PLACE.findall(text)}

    def told(link: re.Match[str]) -> str:
        place = places.get((link[2] or link[1]).casefold())
        return f"[{link[1]}]({place})" if place else link[0]

    return _NAMED_LINK.sub(told, _PLACE.sub("", text)) if places else text


def _is_head(block: str) -> bool:
    """Whether each line of a block is a field, and some of them are known."""
    lines = [line.strip() for line in block.splitlines() if line.strip()]
    return all(_LABELLED.fullmatch(line) for line in lines) and any(_is_labelled(line) for line in lines)


def _note_head(page: Page, fields: Iterable[tuple[str, str]]) -> None:
    """The fields at the head of a page, those with names of its own too: at its foot they are no longer the record's."""
    for name, value in fields:
        _note(page, name, value)
        page.unnamed += [] if kind_of(name) else [value.strip()]


def _note(page: Page, name: str, value: str) -> None:
    kind = kind_of(name)
    if kind:
        page.fields.setdefault(kind, []).append((name.strip(), value.strip()))


def _front_entries(text: str) -> Iterator[tuple[str, str]]:
    """The entries of front matter, a list as one value; a line that is no entry belongs to the one before."""
    name, values = "", list[str]()
    for line in text.splitlines():
        if line.lstrip().startswith("#"):
            continue
        entry = _ENTRY.fullmatch(line.strip())
        if entry and (line[:1] not in " \t-" or kind_of(entry[1])):  # a field may lie one level down
            if name:
                yield name, ", ".join(values)
            name, values = entry[1], [_unquoted(entry[2])] if entry[2] else []
        elif line.strip():
            values.append(_unquoted(line.strip().removeprefix("- ")))
    if name:
        yield name, ", ".join(values)


def _unquoted(value: str) -> str:
    value = re.sub(r"\s+#\s.*$", "", value.strip())
    if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
        value = value[1:-1]
    listed = re.fullmatch(r"\[([^\[\]()]*)\]", value)
    return ", ".join(part.strip().strip("\"'") for part in listed[1].split(",")) if listed else value


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Lines, each with the level of the heading it is, or 0; a title between or above lines of signs is a heading too."""
    lines = [line.rstrip() for line in text.splitlines()]
    skip = False
    for n, line in enumerate(lines):
        following = lines[n + 1] if n + 1 < len(lines) else ""
        if skip:
            skip = False
            continue
        heading = _ATX.fullmatch(line)
        plain = line.strip()
        if heading and heading[2]:
            yield len(heading[1]), EMPHASIS.sub("", heading[2]).strip()
        elif plain and _UNDERLINE.fullmatch(following) and not _UNDERLINE.fullmatch(plain) and not plain.startswith(
                ("|", "-", "*", ">")) and not (following[0] != "=" and _is_labelled(plain)):
            skip = True
            yield (1 if following[0] == "=" else 2), EMPHASIS.sub("", plain)
        elif not _UNDERLINE.fullmatch(plain):
            yield 0, line


def _labelled(text: str) -> Iterator[tuple[str, str]]:
    """Fields that stand in lines: two cells of a table, one row below a head, or a name before a colon."""
    rows: list[list[str]] = []
    boxes: list[str] = []
    label = ""
    for line in [*text.splitlines(), ""]:
        plain = line.strip()
        in_table = plain.startswith("|") or plain.count("|") > 1 and not _is_labelled(plain)
        cells = [cell.strip() for cell in plain.strip("|").split("|")] if in_table else []
        if cells:
            rows += [] if all(_RULE_CELL.fullmatch(cell) or not cell for cell in cells) else [cells]
            continue
        yield from _rows(rows)
        rows = []
        if label and _BOX.match(plain):  # of boxes below a label each counts
            boxes.append(plain)
            continue
        if label and (boxes or plain):  # the value of a label that ends its line
            yield label, "\n".join(boxes) or plain.removeprefix(":").strip()
        label, boxes = "", []
        attribute = _ATTRIBUTE.fullmatch(plain)
        if attribute:
            yield attribute[1], attribute[2]
            continue
        for part in _fields_of_line(plain):
            said = _LABELLED.fullmatch(EMPHASIS.sub("", _LEAD.sub("", part)).strip())
            if said and said[2]:
                yield said[1], said[2]
            elif said:
                label = said[1]
            elif kind_of(part) in ("status", "date") or (alone := _BOLD.fullmatch(plain)) and kind_of(alone[1]):
                label = part.strip("*_ ")
            else:
                yield from _unmarked(part)


def _fields_of_line(line: str) -> list[str]:
    """The fields of a line that has several; what names none goes on with the one before: "Status: Proposed | Accepted"."""
    parts: list[str] = []
    for part in re.split(r"\s+[|·•]\s+|\s{2,}(?=\*\*)|(?<=\S)\s+(?=\*\*[^*]{2,40}(?::\*\*|\*\*:)\s)", line):
        if parts and _is_labelled(parts[-1]) and re.fullmatch(r"[^\W\d_][^:：*_\[\]\d]*", part):
            parts[-1] += f" | {part}"
        else:
            parts.append(part)
    return parts


def _is_labelled(line: str) -> bool:
    """Whether a line begins with a field that records have."""
    said = _LABELLED.match(EMPHASIS.sub("", line))
    return said is not None and kind_of(said[1]) != ""


def _unmarked(part: str) -> Iterator[tuple[str, str]]:
    """A bold or bracketed name with its value behind it and no colon between: "**Status** accepted", "[Supersedes] …"."""
    bold = re.fullmatch(r"(?:\*\*|__|\[)([^*_\[\]]{2,40})(?:\*\*|__|\](?!\())[ \t–—-]*(.+)", _LEAD.sub("", part).strip())
    if bold:
        yield bold[1], bold[2]


def _rows(rows: list[list[str]]) -> Iterator[tuple[str, str]]:
    head = kind_of(rows[1][0]) == "" and all(kind_of(cell) for cell in rows[0]) if len(rows) == 2 else False
    if len(rows) == 2 and len(rows[0]) == len(rows[1]) and (len(rows[0]) > 2 or head):
        yield from zip(rows[0], rows[1], strict=True)
    elif all(len(row) in (2, 4, 6) for row in rows):
        for row in rows:
            yield from zip(row[::2], row[1::2], strict=True)
