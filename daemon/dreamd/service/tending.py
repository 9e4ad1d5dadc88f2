"""After a dream: the attached directories of agents, one by one; trouble with one never reaches the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from dreamd.agents import attach
from dreamd.agents.attach import Attachment, Carried
from dreamd.agents.told_changes import Record
from dreamd.core.errors import DreamError, Refused
from dreamd.core.values import content_id
from dreamd.core.world import World
from dreamd.kit import Kit, exclusions, open_kit


@dataclass(frozen=True)
class Tended:
    """What became of one directory, or would become of it. `left` says why nothing did that should have."""

    directory: str
    run: str = ""
    files: tuple[str, ...] = ()
    told: Record = Record()
    warnings: tuple[str, ...] = ()
    left: str = ""
    waits: bool = False
    """Whether it was left because it is past a limit, which only a person can lift."""

    @property
    def digest(self) -> str:
        """A hash of what would be done, by which a plan is known again."""
        return content_id("tended", self.directory, repr(self.told.changes), self.told.diff, size=32) if self.files else ""


def tend_all(world: World, approved: Mapping[str, str] | None = None) -> list[Tended]:
    """Keep every attached directory in order; with `approved` those alone whose change somebody has agreed to."""
    with open_kit(world) as kit:
        attachments = attach.load_attachments(kit.store)
    found = []
    for attachment in attachments:
        if approved is not None and attachment.path not in approved:
            continue
        with open_kit(world) as kit:
            found.append(_apart(kit, attachment, dry=False))
    return found


def look_at_all(kit: Kit) -> list[Tended]:
    """What keeping every attached directory in order would change; nothing is."""
    return [_apart(kit, attachment, dry=True) for attachment in attach.load_attachments(kit.store)]


def differing(kit: Kit, approved: Mapping[str, str]) -> list[str]:
    """Directories for which the plan is no longer what was approved."""
    return [one.directory for one in look_at_all(kit) if one.directory in approved and approved[one.directory] != one.digest]


def tend(kit: Kit, attachment: Attachment) -> Carried:
    """One dream over an attached directory without a question: recover, plan, carry out."""
    warnings = attach.recover(kit)
    planned = attach.plan_directory(kit, Path(attachment.path), dialect=attachment.dialect)
    done = attach.carry_out(kit, planned, commit=attachment.commit)
    return replace(done, warnings=(*warnings, *done.warnings))


def _apart(kit: Kit, attachment: Attachment, *, dry: bool) -> Tended:
    if exclusions(kit.world).has_path(Path(attachment.path)):  # a wish and no limit: there is nothing to wait for
        why = "it is kept from being read; `dream detach` leaves it for good"
        return Tended(attachment.path, warnings=(f"`{attachment.path}` was left as it is: {why}",), left=why)
    try:
        if dry:
            planned = attach.plan_directory(kit, Path(attachment.path), dialect=attachment.dialect)
            return Tended(attachment.path, "", tuple(planned.changed), planned.told(), planned.plan.warnings,
                          *_what_waits(len(planned.plan.waiting)))
        done = tend(kit, attachment)
        return Tended(attachment.path, done.run, done.files, done.told, done.warnings, *_what_waits(done.waiting))
    except (DreamError, OSError) as error:
        why = error.message if isinstance(error, DreamError) else f"{error.strerror or type(error).__name__}"
        told = f"`{attachment.path}` was left as it is: {why}"
        return Tended(attachment.path, warnings=(told,), left=why, waits=isinstance(error, Refused | OSError))


def _what_waits(count: int) -> tuple[str, bool]:
    return (f"{count} entries wait, past the share that one dream may take out", True) if count else ("", False)


def outcome_of(tended: Sequence[Tended], before: str) -> str:
    """The outcome of a dream, once its directories are in order too."""
    if any(one.waits for one in tended):
        return "partial"
    return "changed" if before == "nothing-to-do" and any(one.files for one in tended) else before
