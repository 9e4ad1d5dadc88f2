"""After a dream: the attached directories of agents, one by one; trouble with one never reaches the others."""

from __future__ import annotations

from dreamd.agents import attach
from dreamd.core.errors import DreamError
from dreamd.core.world import World
from dreamd.kit import open_kit


def tend_all(world: World) -> list[str]:
    """Keep every attached directory in order; gives what a person should hear about."""
    with open_kit(world) as kit:
        attachments = attach.load_attachments(kit.store)
    warnings: list[str] = []
    for attachment in attachments:
        try:
            with open_kit(world) as kit:
                warnings.extend(attach.tend(kit, attachment).warnings)
        except DreamError as error:
            warnings.append(f"`{attachment.path}` was left as it is: {error.message}")
    return warnings
