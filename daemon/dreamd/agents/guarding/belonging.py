"""Which teams of this machine an agent belongs to, by the place it works in: the settings name who."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from dreamd.core.values import Scope

EVERYBODY = "*"


def read_members(members: Sequence[str]) -> Iterator[tuple[Scope, list[str]]]:
    """The teams that the settings name, each with who belongs to it: names of projects, and directories."""
    for line in members:
        team, _, rest = line.partition(":")
        yield Scope("team", team.strip()), [one.strip() for one in rest.split(",") if one.strip()]


def teams_at(members: Sequence[str], project: Scope | None, cwd: str) -> list[Scope]:
    """The teams of whoever works in a project, or in a directory."""
    return sorted({team for team, who in read_members(members) if any(_is_one(one, project, cwd) for one in who)})


def told_to(scope: Scope, members: Sequence[str]) -> str:
    """Who is told unasked what a scope holds."""
    if scope.kind == "user":
        return "every agent"
    if scope.kind == "local":
        return "nobody; a search finds it"
    if scope.kind == "project":
        return "agents in that repository"
    who = [one for team, some in read_members(members) if team == scope for one in some]
    return "agents in " + ", ".join(dict.fromkeys(who)) if who else "nobody: `teams.members` names none"


def lives_until(scope: Scope) -> str:
    """How long what a scope holds may live."""
    return "its conversation is over" if scope.kind == "local" else "contradicted, aged or forgotten"


def _is_one(one: str, project: Scope | None, cwd: str) -> bool:
    if one == EVERYBODY:
        return True
    if one.startswith(("/", "~")):
        return bool(cwd) and "\x00" not in cwd and Path(cwd).resolve().is_relative_to(Path(one).expanduser().resolve())
    return project is not None and project.kind == "project" and project.key == one.removeprefix("project:")
