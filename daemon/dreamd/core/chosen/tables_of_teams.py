"""The table `[teams]` as people write it: beside its own keys one for each team, with who belongs to it."""

from __future__ import annotations

from collections.abc import Collection, Mapping


def with_members(content: Mapping[str, object], known: Collection[str]) -> Mapping[str, object]:
    """A table of teams with a key of its own for each as the one list that every place of the settings can hold."""
    listed = content.get("members", [])
    own = {team: who for team, who in content.items()
           if team not in known and isinstance(who, list) and all(isinstance(one, str) for one in who)}
    if not own or not isinstance(listed, list):
        return content
    return {**{team: who for team, who in content.items() if team not in own},
            "members": [*listed, *(f"{team}: {', '.join(who)}" for team, who in own.items())]}
