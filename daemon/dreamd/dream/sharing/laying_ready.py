"""After a dream: what may go up to a team's store is laid ready, where a home shares with one."""

from __future__ import annotations

from contextlib import suppress

from dreamd.core import deferral
from dreamd.core.errors import DreamError
from dreamd.kit import Kit


def end_with(kit: Kit) -> None:
    """What a dream ends with: no longer put off, and what it learned lies ready; it is done whatever comes of that."""
    deferral.end_deferral(kit.paths)
    if kit.settings.teams.url and not kit.store.owns_words:
        from dreamd.dream.sharing.offering import offer, offered_in

        ready, arrived = offered_in(kit.paths)
        if kit.run is None and ready.exists() and not arrived.exists():
            return  # nothing was learned
        with suppress(DreamError):  # `dream team sync` does it again, and says what is wrong
            offer(kit)
