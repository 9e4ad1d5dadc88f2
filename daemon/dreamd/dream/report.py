"""How a dream went, phase by phase, as it is told and kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from dreamd.core.values import OVERRULED, WITHDRAWN, Fate, Memory, Scope
from dreamd.dream import setting_aside
from dreamd.dream.phases.edited import RENAMED
from dreamd.dream.phases.hand_edits import Edited
from dreamd.dream.phases.orient import Orientation
from dreamd.dream.phases.twins import DELETED
from dreamd.dream.plan import Change, FateOf, Plan, digest
from dreamd.dream.setting_aside import Damaged
from dreamd.store.set_asides import Aside

CHANGED = "changed"
NOTHING = "nothing-to-do"
PARTIAL = "partial"
MOST_TOLD = 20
"""Things set aside that are named one by one."""
WORTH_A_WORD = frozenset({"corrupt-line", "corrupt-document", "oversized", "encoding-replaced", "unknown-type", "unreadable",
                          "missing", "symlink", "not-a-file", "unknown-format", "compressed", "damaged-archive", "damaged"})
"""Reasons to skip that do not belong to a healthy source: a person should hear of them."""


@dataclass
class CycleReport:
    """How a dream went, phase by phase."""

    run: str = ""
    outcome: str = NOTHING
    reason: str = ""
    why: str = ""
    """Why it was started and what had held it back, for the journal; empty when a person asked."""
    now: datetime | None = None
    phases: dict[str, dict[str, float]] = field(default_factory=dict)
    fates: dict[str, int] = field(default_factory=dict)
    changes: list[Change] = field(default_factory=list)
    successors: Mapping[str, Memory] = field(default_factory=dict)
    """What took the place of a changed memory and did not change itself, by id."""
    warnings: list[str] = field(default_factory=list)
    digest: str = ""
    parts: list[str] = field(default_factory=list)
    """The same for each unit that was planned by itself, in order."""
    planned: bool = False
    scopes: list[Scope] = field(default_factory=list)
    damaged: list[Damaged] = field(default_factory=list)
    """Files that nobody can have wished to be as they were found."""
    skips: Mapping[str, int] = field(default_factory=dict)
    waiting: list[Change] = field(default_factory=list)
    """What is past a safety limit: it waits for the next run, or for a person."""
    aside: Sequence[Aside] = ()
    """What could not be worked with and was set aside in this run."""


def note_plan(report: CycleReport, plan: Plan, counts: dict[str, float]) -> None:
    """Add what a plan does, and what became of what went into it."""
    for name, count in (("observations", sum(plan.fates().values())), ("judged", plan.judged)):
        counts[name] = counts.get(name, 0.0) + float(count)
    # Everything that went in and does not come out as a live memory, by the name of the reason.
    for fate in _declined(plan):
        name = f"{fate.fate.value}.{fate.reason}"
        counts[name] = counts.get(name, 0.0) + 1
    report.changes += plan.changes()
    report.fates = dict(Counter(report.fates) + plan.fates())
    report.parts.append(digest((plan,)))


def _declined(plan: Plan) -> list[FateOf]:
    return [f for step in plan.steps for f in step.fates if f.fate in (Fate.DISCARDED, Fate.HELD)]


def tell_nothing(report: CycleReport) -> str:
    """Why no memory changed, and what was done all the same."""
    weighed = int(report.phases.get("consolidate", {}).get("weighed", 0))
    return "no new statements, no edits, nothing due" + (f"; {weighed} passages of earlier days weighed" if weighed else "")


def tell_aside(told: Sequence[str]) -> list[str]:
    """A line for each thing that was set aside, as far as there is room."""
    more = [f"set aside: {len(told) - MOST_TOLD} more"] if len(told) > MOST_TOLD else []
    return [*(f"set aside: {one}" for one in told[:MOST_TOLD]), *more]


def tell_waiting(waiting: Sequence[Change]) -> Iterator[str]:
    """A line a scope about what passes the limit of a run, and one about what a person deleted past its own."""
    kinds = Counter((str(c.after.scope), c.reason if c.reason in (DELETED, WITHDRAWN) else "") for c in waiting)
    for (scope, why), count in sorted(kinds.items()):
        yield {DELETED: f"{count} deleted by hand in scope `{scope}`, past the limit of that: they wait, oldest first; ",
               WITHDRAWN: f"{count} of scope `{scope}` stand no longer where they were noted, more than may go at once: "
                          "they wait, oldest first; ",
               "": f"{count} more of scope `{scope}` would be retired than a run may: they wait, oldest first; "}[why] \
            + "`--allow-large-change` does it now"


def count_orientation(orientation: Orientation, counts: dict[str, float], report: CycleReport) -> None:
    """Put what orient found into a report."""
    counts.update(interrupted=orientation.interrupted, files_finished=orientation.finished_files,
                  inbox=orientation.from_inbox, **_count_edits(orientation.edits))
    report.warnings.extend(orientation.warnings)
    report.damaged = [d for e in orientation.edits for d in e.damaged]
    report.warnings.extend(setting_aside.tell(report.damaged))


def _count_edits(edits: Sequence[Edited]) -> dict[str, int]:
    """What a person did to files, in all and by kind."""
    said = [c for edited in edits for c in edited.candidates]
    kinds = Counter("renamed" if c.sign == RENAMED else "deleted" if c.sign in (DELETED, OVERRULED) else
                    "changed" if c.target else "added" for c in said)
    return {"edits": len(said), **{f"edits_{kind}": n for kind, n in sorted(kinds.items())}}
