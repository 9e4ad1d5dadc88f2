"""One memory as one markdown file: its name, its bytes, and the reading of what a person made of it.

    ---
    frontmatter in the newest Claude Code shape
    ---

    the statement, with **Why:** and **How to apply:** where it has them

    TTL: 2026-06-01                      for a state

    <!-- dream: id=… class=… support=… trust=… from=… -->

    Earlier:                             what it replaced

    - 2026-01-05 to 2026-03-02: …

Recalls are left out on purpose: being asked for must not change a file.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from dreamd.core.clock import iso
from dreamd.core.values import Memory, Status
from dreamd.notes.frontmatter import quoted, read_frontmatter, write_frontmatter
from dreamd.notes.safe_text import one_line, read_body, read_line, write_body, write_line

HOOK_CHARS = 160
"""A statement up to this length is its own hook; a longer one lends its first sentence."""
LONGEST_HOOK = 240
LONGEST_EARLIER = 400
EARLIER_SHOWN = 10
SOURCES_SHOWN = 5

PROVENANCE = re.compile(r"(?m)^[ \t]*<!-- dream: (.*?)-->[ \t]*$")
_ID = re.compile(r"\bid=([0-9A-Za-z_-]+)")
_PLAIN_NAME = re.compile(r"[a-z]+[_-][a-z0-9_-]*[a-z][a-z0-9_-]*")
_SAFE_FILE = re.compile(r"[^\x00-\x1f\x7f/\\:]+\.md", re.IGNORECASE)
_TTL_LINE = re.compile(r"(?:\A|\n)[ \t]*TTL: (\d{4}-\d\d-\d\d)[ \t]*\Z")
_DESCRIPTION = re.compile(r"(?m)^description:.*$")
_OPENING = re.compile(r"#.*|\*\*[^*\n]*\*\*|[^\n]*:")
"""A paragraph that only opens what follows: a heading, a line in bold, a line that ends in a colon."""
_WORD = re.compile(r"[a-z0-9]+")
_REASON = re.compile(r"(?m)\*\*Why:?\*\*|^Why:")
_SENTENCE_END = re.compile(r"(?<=[.!?])(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\bvs\.)(?<!\bcf\.)\s+(?=[^\sa-z])|(?<=[。！？])")


@dataclass(frozen=True)
class EarlierVersion:
    """A statement this memory replaced, and when it held."""

    text: str
    valid_from: datetime | None = None
    valid_to: datetime | None = None


@dataclass(frozen=True)
class TopicText:
    """What a topic file says. `memory_id` is empty when dream did not write the file."""

    file: str
    memory_id: str
    name: str
    description: str
    type: str
    statement: str
    ttl: str | None
    tail: tuple[str, ...]
    """Lines below the provenance comment that are not blank."""


def topic_path(memory: Memory) -> str:
    """The flat file name of a memory: its id, or the name it already has. The words stand in the index and in the file."""
    if is_flat_name(memory.file):
        return memory.file
    return f"{''.join(_WORD.findall(memory.id.lower())) or 'memory'}.md"


def is_flat_name(name: str) -> bool:
    """Whether `name` is a markdown file directly inside the directory, and neither hidden nor the index."""
    return (
        len(name) <= 200
        and not name.startswith((".", "~"))
        and _SAFE_FILE.fullmatch(name) is not None
        and name.lower() != "memory.md"
    )


def render_topic(memory: Memory, *, earlier: Sequence[EarlierVersion] = (), sources: Sequence[str] = ()) -> str:
    """The whole topic file of a memory. `sources` are short references such as `claude-code/3f2a`."""
    file = topic_path(memory)
    stem = file[:-3]
    name = stem if _PLAIN_NAME.fullmatch(stem) else '"' + re.sub(r'["\\]', "_", stem) + '"'
    head = write_frontmatter(
        name=name,
        description=write_line(hook_of(memory.text)),
        kind=memory.memory_type.value,
        modified=iso(memory.updated_at),
    )
    body = write_body(memory.text)
    if memory.ttl:
        body = f"{body}\n\nTTL: {memory.ttl}"
    elif _TTL_LINE.search(body):
        at = body.rindex("TTL:")
        body = f"{body[:at]}TTL&#x3A;{body[at + 4 :]}"
    return f"{head}\n{body}\n\n{_provenance(memory, sources)}\n{_earlier(earlier)}"


def read_topic(file: str, text: str) -> TopicText:
    """Read a topic file in whatever state people left it; never fails."""
    plain = unix_lines(text)
    front = read_frontmatter(plain)
    comment = PROVENANCE.search(plain, front.body_start)
    region = plain[front.body_start : comment.start() if comment else len(plain)].strip()
    tail = plain[comment.end() :] if comment else ""
    ident = _ID.search(comment.group(1)) if comment else None
    ttl = _TTL_LINE.search(region)
    if ttl:
        region = region[: ttl.start()].rstrip()
    return TopicText(
        file=file,
        memory_id=ident.group(1) if ident else "",
        name=front.first("name"),
        description=one_line(read_line(front.first("description"))),
        type=front.type,
        statement=read_body(region),
        ttl=ttl.group(1) if ttl else None,
        tail=tuple(line for line in tail.split("\n") if line.strip()),
    )


def restate_topic(text: str, statement: str, *, ttl: str | None) -> str:
    """The file saying `statement` instead, for words that changed elsewhere; all around the statement stays as it is."""
    plain = unix_lines(text)
    start = read_frontmatter(plain).body_start
    comment = PROVENANCE.search(plain, start)
    body = write_body(statement) + (f"\n\nTTL: {ttl}" if ttl else "")
    head = _DESCRIPTION.sub(lambda _: f"description: {quoted(write_line(hook_of(statement)))}", plain[:start], count=1)
    head += "" if not head or head.endswith("\n\n") else "\n"
    fresh = f"{head}{body}\n" + (f"\n{plain[comment.start():]}" if comment else "")
    return fresh.replace("\n", "\r\n") if "\r\n" in text else fresh


def unix_lines(text: str) -> str:
    """The text without a byte order mark and with plain line ends."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def hook_of(text: str) -> str:
    """What an index says of a statement, reasons left out: the statement when short, else its first sentence."""
    rule = _REASON.split(text.strip(), maxsplit=1)[0].strip() or text.strip()
    whole = one_line(rule)
    if len(whole) <= HOOK_CHARS:
        return whole
    parts = re.split(r"\n\s*\n", rule)
    told = next((n for n, part in enumerate(parts, 1) if not _OPENING.fullmatch(part.strip())), len(parts))
    paragraph = one_line("\n".join(parts[:told]))
    if len(paragraph) <= HOOK_CHARS:
        return paragraph
    first, *more = (sentence.strip() for sentence in _SENTENCE_END.split(paragraph))
    if more and first.endswith(("?", "？")) and len(first) + len(more[0]) < LONGEST_HOOK:
        first = f"{first} {more[0]}"  # a question is followed by what was said about it
    return _clipped(first, LONGEST_HOOK)


def _clipped(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    cut = text[: limit - 1]
    space = cut.rfind(" ")
    return (cut[:space] if space > limit // 2 else cut).rstrip(" ,;:—-") + "…"


def _provenance(memory: Memory, sources: Sequence[str]) -> str:
    parts = [
        f"id={memory.id}",
        f"class={memory.memory_class}",
        *([] if memory.status is Status.LIVE else [f"status={memory.status}"]),
        f"support={memory.support}",
        f"trust={memory.trust}",
    ]
    known = sorted({_reference(source) for source in sources} - {""})
    if known:
        rest = len(known) - SOURCES_SHOWN
        parts.append("from=" + ",".join(known[:SOURCES_SHOWN]) + (f",+{rest}" if rest > 0 else ""))
    return f"<!-- dream: {' '.join(parts)} -->"


def _reference(source: str) -> str:
    """A source reference that can stand inside a comment: no spaces, no two dashes in a row."""
    return re.sub(r"-{2,}", "-", re.sub(r"[^\w./:@+-]+", "_", source, flags=re.ASCII)).strip("-_")[:80]


def _earlier(versions: Sequence[EarlierVersion]) -> str:
    if not versions:
        return ""
    ordered = sorted(versions, key=lambda v: (_moment(v.valid_to), _moment(v.valid_from), v.text), reverse=True)
    lines = [f"- {_span(v)}: {write_line(_clipped(one_line(v.text), LONGEST_EARLIER))}" for v in ordered]
    if len(lines) > EARLIER_SHOWN:
        lines = [*lines[:EARLIER_SHOWN], f"- and {len(lines) - EARLIER_SHOWN} before that"]
    return "\nEarlier:\n\n" + "\n".join(lines) + "\n"


def _moment(moment: datetime | None) -> float:
    return moment.timestamp() if moment else 0.0


def _span(version: EarlierVersion) -> str:
    start, end = (m.astimezone(UTC).date().isoformat() if m else "" for m in (version.valid_from, version.valid_to))
    if start and end:
        return f"{start} to {end}"
    return f"until {end}" if end else f"from {start}" if start else "before"
