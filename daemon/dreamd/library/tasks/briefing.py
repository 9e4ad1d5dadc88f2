"""What somebody needs who goes on with a task and knows nothing of it, within a bound."""

from __future__ import annotations

from collections.abc import Sequence

from dreamd.library.tasks import task_folder as parts
from dreamd.library.tasks.course import DONE, Task

MOST_TOKENS = 1500
LONGEST = 280
_RESERVED = 60
"""For the last line, which says what was left out."""


def tokens_of(text: str) -> int:
    """How many tokens a text has at most, roughly: three plain letters each, and one and a half for any other sign."""
    plain = sum(1 for c in text if c.isascii())
    return -(-plain // 3) + -(-(len(text) - plain) * 3 // 2)


def brief(task: Task) -> str:
    """The task in a page: objective, phase, open blockers, what was verified and decided, what was found."""
    head = [f"# {task.title} (`{task.folder.slug}`, {task.status})"]
    if task.objective:
        head.append(f"Objective: {_short(task.objective)}")
    head.append(f"Phase {task.number}: {task.phases[-1]}" + (" (ended)" if task.status == DONE else ""))
    if len(task.phases) > 1:
        head.append("Before: " + _short(", ".join(task.phases[:-1][-12:])))
    sections = (
        ("Open blockers", [f"{i.name} {i.text}" for i in task.blockers], 350, parts.NOTES),
        ("Verified, need not be checked again", task.kept(parts.VERIFIED), 550, parts.VERIFIED),
        ("Decided", [*task.kept(parts.DECISIONS), *task.kept(parts.REVISIONS)], 300, parts.DECISIONS),
        ("Notes of this phase", _notes(task), 200, parts.NOTES),
        ("Found", task.kept(parts.FINDINGS), 250, parts.FINDINGS))
    rows, left = head, MOST_TOKENS - _RESERVED - tokens_of("\n".join(head))
    spare = 0
    for n, (heading, lines, share, name) in enumerate(sections):
        if not lines:
            spare += share
            continue
        last = n == len(sections) - 1
        taken, used = _fitting(heading, lines, left if last else min(left, share + spare), name)
        spare = max(0, share + spare - used)
        left -= used
        rows += taken
    return "\n".join([*rows, "", f"All of it: `dream task show {task.folder.slug}`"])


def _notes(task: Task) -> list[str]:
    """The lines of `NOTES.md` below its notes and any heading of a person's."""
    text = task.folder.read(parts.NOTES)
    headings = dict.fromkeys(line[3:].strip() for line in text.splitlines() if line.startswith("## "))
    own = [h for h in headings if h not in parts.SECTIONS]
    lines = [line for heading in (parts.LINES, *own) for line in parts.section(text, heading)]
    lines += [line for line in parts.section(text, parts.BLOCKERS) if parts.read_item(line) is None]
    found = [parts.read_item(line) for line in lines]
    return [f"{i.name} {i.text}" if i else line.lstrip("-* ") for i, line in zip(found, lines, strict=True)]


def _fitting(heading: str, lines: Sequence[str], room: int, name: str) -> tuple[list[str], int]:
    """As many lines as fit, the newest for sure; and how many tokens that takes."""
    rows: list[str] = []
    used = tokens_of(f"\n\n## {heading}\n… and 999 more in `{name}`\n")
    for line in reversed(lines):
        row = f"- {_short(line)}"
        cost = tokens_of(row + "\n")
        if used + cost > room:
            break
        rows.insert(0, row)
        used += cost
    if len(rows) < len(lines):
        rows.append(f"… and {len(lines) - len(rows)} more in `{name}`")
    return (["", f"## {heading}", *rows], used) if used <= room else ([], 0)


def _short(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= LONGEST else plain[:LONGEST - 1].rstrip() + "…"
