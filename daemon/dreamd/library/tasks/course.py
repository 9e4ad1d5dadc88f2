"""How a task goes: where it stands, what is kept on the way, and what the end of a phase leaves. Plans are pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from dreamd.core import fsio
from dreamd.core.errors import Refused, StoreMissing, UsageError
from dreamd.library.tasks import task_folder as parts
from dreamd.library.tasks.task_folder import Folder, Item

ACTIVE, DONE = "active", "done"
PHASES = "phases"
FIRST_PHASE = "start"
KINDS = {"decision": ("D", parts.DECISIONS), "revision": ("R", parts.REVISIONS), "verified": ("V", parts.VERIFIED),
         "note": ("N", parts.NOTES), "blocker": ("B", parts.NOTES)}


@dataclass(frozen=True)
class Task:
    """A task as its files tell it."""

    folder: Folder
    title: str
    objective: str
    status: str
    phases: tuple[str, ...]
    """The names of its phases so far, the last one the present."""
    changed_at: str

    @property
    def number(self) -> int:
        return len(self.phases)

    @property
    def blockers(self) -> list[Item]:
        """What stands in the way."""
        return [i for i in self.noted("B") if not i.is_over]

    def noted(self, kind: str) -> list[Item]:
        """The lines of a kind in `NOTES.md`."""
        return [i for i in self.folder.items(parts.NOTES) if i.kind == kind]

    def kept(self, name: str) -> list[str]:
        """What stands in one of the lists and holds, a person's own lines too."""
        return [*(f"{i.name} {i.text}" for i in self.folder.items(name) if not i.is_over), *self.folder.own_lines(name)]


@dataclass(frozen=True)
class PhaseEnd:
    """What the end of a phase does: its report, the lines that last, and those of `NOTES.md` that come and go."""

    report: str
    body: str
    findings: tuple[Item, ...]
    drop: tuple[tuple[str, str], ...]
    add: tuple[tuple[str, str], ...]
    action: str
    """`phase` or `done`."""
    name: str


def start(folder: Folder, *, title: str, objective: str, at: datetime, day: str) -> Task:
    """Make the folder of a new task.

    Raises Refused where there is one already.
    """
    if folder.log.exists() or folder.read(parts.NOTES):
        raise Refused(f"there is a task `{folder.slug}` already", hint=f"`dream task show {folder.slug}`")
    phase = _phase_line(1, FIRST_PHASE, day)
    folder.write(parts.NOTES, f"# {title}\n\n## {parts.OBJECTIVE}\n\n{objective}\n\n## {parts.PHASE}\n\n{phase}\n\n"
                              f"## {parts.BLOCKERS}\n\n## {parts.LINES}\n")
    folder.tell(at, "start", title, objective, lines=[phase])
    return load(folder)


def load(folder: Folder) -> Task:
    """Read a task.

    Raises StoreMissing where there is none.
    """
    events, notes = folder.events(), folder.read(parts.NOTES)
    if not notes and not events:
        raise StoreMissing(f"no task `{folder.slug}` here", hint="`dream task list` shows them, `dream task start` makes one")
    title = next((line[2:].strip() for line in notes.splitlines() if line.startswith("# ")), folder.slug)
    phases, ended = [FIRST_PHASE], False
    for event in events:
        action, detail = event.get("action"), event.get("detail", "")
        if action == "phase":
            phases.append(detail)
        elif action == "undone" and detail == "phase" and len(phases) > 1:
            phases.pop()
        elif action in (DONE, "undone"):
            ended = action == DONE
    return Task(folder, title, " ".join(parts.section(notes, parts.OBJECTIVE)), DONE if ended else ACTIVE, tuple(phases),
                events[-1].get("timestamp", "") if events else "")


def load_all(place: Path) -> list[Task]:
    """Every task below a place, the one that moved last first."""
    found = [load(Folder(root, root.name)) for root in sorted(place.iterdir()) if root.is_dir() and not root.is_symlink()
             and ((root / parts.NOTES).is_file() or (root / "observability" / f"{root.name}.ndjson").is_file())
             ] if place.is_dir() else []
    return sorted(found, key=lambda task: task.changed_at, reverse=True)


def keep(task: Task, kind: str, text: str, *, at: datetime, day: str) -> Item:
    """Write one line into the task.

    Raises Refused for a task that is done.
    """
    _refuse_if_done(task)
    letter, name = KINDS[kind]
    item = Item(letter, _next(task.folder, letter), day, task.number, text)
    if name == parts.NOTES:
        heading = parts.BLOCKERS if kind == "blocker" else parts.LINES
        task.folder.write(name, parts.with_lines(task.folder.read(name), heading, [item.line]))
    else:
        task.folder.add(name, item, task.title)
    task.folder.tell(at, kind, text, item.name, lines=[item.line])
    return item


def replace_line(task: Task, named: str, text: str, *, at: datetime) -> Item:
    """Mark a blocker as resolved, or a decision as revised; it stays to be read until its phase ends.

    Raises UsageError for a name that no open line has.
    """
    _refuse_if_done(task)
    name = parts.NOTES if named[:1].upper() == "B" else parts.DECISIONS
    old = next((i for i in task.folder.items(name) if i.name == named.upper() and not i.is_over), None)
    if old is None:
        raise UsageError(f"no open line `{named}` in this task", hint=f"`dream task show {task.folder.slug}` names them")
    new = Item(old.kind, old.number, old.day, old.phase,
               old.text + (parts.RESOLVED if old.kind == "B" else parts.REVISED) + text)
    lines = [new.line if line == old.line else line for line in task.folder.read(name).splitlines()]
    task.folder.write(name, "\n".join(lines) + "\n")
    task.folder.tell(at, "resolved" if old.kind == "B" else "revised", text, old.name, lines=[new.line])
    return old


def plan_end(task: Task, next_phase: str, *, day: str, lasts: Callable[[str], bool]) -> PhaseEnd:
    """What the end of the present phase does; `next_phase` empty where the task ends. Touches nothing.

    Of `NOTES.md` only lines that dream wrote, and nobody changed since, may go.
    """
    _refuse_if_done(task)
    written = {m for event in task.folder.events() for m in event.get("wrote", "").split()}
    notes = task.folder.read(parts.NOTES)
    over = [(parts.PHASE, line) for line in parts.section(notes, parts.PHASE)]
    over += [(parts.BLOCKERS, i.line) for i in task.noted("B") if i.is_over]
    over += [(parts.LINES, i.line) for i in task.noted("N")]
    drop = tuple(one for one in over if parts.mark(one[1]) in written)
    own = [i for i in task.noted("N") if (parts.LINES, i.line) in drop]
    number = task.number
    line = _phase_line(number + 1, next_phase, day) if next_phase else f"- done ({day})"
    slug = "".join(c if c.isalnum() else "-" for c in task.phases[-1].lower()).strip("-")[:40] or "phase"
    return PhaseEnd(f"{PHASES}/{number:02d}-{slug}.md", _report(task, day),
                    tuple(i for i in own if lasts(i.text)), drop, ((parts.PHASE, line),),
                    "phase" if next_phase else DONE, next_phase)


def apply_end(task: Task, end: PhaseEnd, *, at: datetime, run: str) -> None:
    """Write the report, the lines that last and the new `NOTES.md`; what is there already is not written twice."""
    folder = task.folder
    folder.write(end.report, end.body)
    there = {i.line for i in folder.items(parts.FINDINGS)}
    for item in end.findings:
        if item.line not in there:
            folder.add(parts.FINDINGS, item, task.title)
    folder.write(parts.NOTES, _moved(folder.read(parts.NOTES), end.add, end.drop))
    folder.tell(at, end.action, end.name or task.title, run, lines=[line for _, line in end.add])


def take_back(folder: Folder, end: PhaseEnd, *, at: datetime, run: str) -> None:
    """Undo the end of a phase: the lines that went stand again, those that came go; whatever a person wrote stays."""
    notes = folder.read(parts.NOTES)
    standing = set(notes.splitlines())
    back = [(heading, line) for heading, line in end.drop if line not in standing]
    folder.write(parts.NOTES, _moved(notes, back, end.add))
    gone = {i.line for i in end.findings}
    if gone:
        kept = [line for line in folder.read(parts.FINDINGS).splitlines() if line not in gone]
        folder.write(parts.FINDINGS, "\n".join(kept).rstrip("\n") + "\n")
    if folder.read(end.report) == end.body:
        fsio.remove(folder.root / end.report)
    folder.tell(at, "undone", end.action, run)


def _moved(notes: str, add: Sequence[tuple[str, str]], drop: Sequence[tuple[str, str]]) -> str:
    for heading in parts.SECTIONS:
        fresh, gone = ([line for h, line in lines if h == heading] for lines in (add, drop))
        if fresh or gone:
            notes = parts.with_lines(notes, heading, fresh, gone)
    return notes


def _report(task: Task, day: str) -> str:
    """All that was kept in the present phase, in the words it was kept in."""
    folder, number = task.folder, task.number
    rows = [f"# Phase {number}: {task.phases[-1]}", "", f"Of {task.title}, ended {day}."]
    named = (("Decisions", folder.items(parts.DECISIONS)), ("Revisions", folder.items(parts.REVISIONS)),
             ("Verified", folder.items(parts.VERIFIED)), ("Notes", task.noted("N")))
    for heading, items in named:
        mine = [i.line for i in items if i.phase == number]
        rows += ["", f"## {heading}", "", *mine] if mine else []
    blockers = [i.line for i in task.noted("B")]
    rows += ["", "## Blockers", "", *blockers] if blockers else []
    return "\n".join(rows) + "\n"


def _next(folder: Folder, letter: str) -> int:
    """A number that no line of the kind has had, also none that is gone."""
    told = [e.get("reason", "") for e in folder.events() if e.get("action") in KINDS]
    had = [int(name[1:]) for name in told if name[:1] == letter and name[1:].isdecimal()]
    names = dict.fromkeys(name for _, name in KINDS.values())
    return max([0, *had, *(i.number for name in names for i in folder.items(name) if i.kind == letter)]) + 1


def _phase_line(number: int, name: str, day: str) -> str:
    return f"- {number}: {name} (since {day})"


def _refuse_if_done(task: Task) -> None:
    if task.status == DONE:
        raise Refused(f"the task `{task.folder.slug}` is done",
                      hint="`dream undo RUN` of the run that ended it opens it again, `dream history` shows the runs")
