"""The notebook: statements somebody wrote down on purpose, stored at once or left in the inbox while the store is busy.

An agent never waits for a dream. Everything here is on the way of `dream note`, which answers in under 150 ms,
interpreter included; so nothing heavy is imported before it is certain to be needed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from dreamd.core import locks
from dreamd.core.errors import Corrupt, DreamError, Outage
from dreamd.core.places.filesystems import check_local
from dreamd.core.places.in_the_way import NO_LOCKS
from dreamd.core.values import LONGEST_TEXT, Candidate
from dreamd.store import observations, schema, seals
from dreamd.store.connection import Store, open_store
from dreamd.store.observations import Stored
from dreamd.store.presence import lost
from dreamd.text.redaction import mask_name, mask_scope, redact

if TYPE_CHECKING:
    from dreamd.core.world import World

BUDGET_S = 2.0
"""Longest a note waits for its turn; past it the note goes to the inbox."""
DEFERRED = "deferred"
REFUSED = "refused"
TAKEN_INTO = frozenset({"observation"})
"""The only table a note goes to: to be told so spares the store two milliseconds."""
BUSY = "store-busy"
"""Ends by itself: a note that waits for it need not be told of."""
FOR_A_PERSON = frozenset({lost.EXCHANGED, lost.CODE, lost.NO_FILE, NO_LOCKS})
"""States of a store that end with a person's decision alone."""
WAITING_CODES = FOR_A_PERSON | {BUSY, "store-older"}
"""States of a store that end with the next dream, or with a person's decision; until then a note waits in the inbox."""
LONGEST_KEY = 400
OFTEN = 500
"""Notes between two words on how far it is."""


@dataclass(frozen=True)
class Noted:
    """What became of each note, in order; `deferred` when they wait in the inbox, and `why` where it is no passing thing."""

    answers: tuple[Stored, ...]
    deferred: bool = False
    why: Outage | None = None


def take_note(world: World, candidates: Sequence[Candidate], progress: Callable[[str, int, int], None] | None = None) -> Noted:
    """Store notes, secrets masked, in one short transaction ahead of any dream.

    Raises Outage when the disk takes nothing or the store belongs to a newer dream; then nothing was stored.
    """
    answers: list[Stored | None] = [_refusal(c) for c in candidates]
    now = world.clock.now()
    fit = []
    for n, (candidate, answer) in enumerate(zip(candidates, answers, strict=True)):
        if progress and n % OFTEN == 0:
            progress("looking for secrets", n, len(candidates))
        fit += [_storable(candidate, now)] if answer is None else []
    stored, deferred, why = _keep(world, fit) if fit else ([], False, None)
    left = iter(stored)
    return Noted(tuple(answer if answer is not None else next(left) for answer in answers), deferred, why)


def _storable(candidate: Candidate, now: datetime) -> Candidate:
    """A note as it may be kept: secrets masked, and never said later than now, or every true later word would lose."""
    return replace(candidate, text=redact(candidate.text).text, key=mask_name(candidate.key), at=min(candidate.at, now),
                   context=redact(candidate.context).text if candidate.context else "",
                   conversation=mask_name(candidate.conversation), scope=mask_scope(candidate.scope))


def _refusal(candidate: Candidate) -> Stored | None:
    """Why a note cannot be taken as it is; None when it can. Nothing is ever cut short silently."""
    why = ""
    if not candidate.text.strip():
        why = "empty"
    elif len(candidate.text) > LONGEST_TEXT:
        why = f"longer than {LONGEST_TEXT} characters"
    elif "\x00" in candidate.text:
        why = "contains a NUL character"
    elif len(candidate.key) > LONGEST_KEY or len(candidate.conversation) > LONGEST_KEY:
        why = f"key or conversation longer than {LONGEST_KEY} characters"
    elif not _encodable(candidate):
        why = "not valid UTF-8"
    return Stored("", candidate.key, REFUSED, why) if why else None


def _encodable(candidate: Candidate) -> bool:
    try:
        "\n".join((candidate.text, candidate.key, candidate.conversation, candidate.scope.key, candidate.context)).encode()
    except UnicodeEncodeError:
        return False
    return True


def _keep(world: World, candidates: list[Candidate]) -> tuple[list[Stored], bool, Outage | None]:
    paths, now = world.paths, world.clock.now()
    why: Outage | None = None
    check_local(paths.home, allow_network=world.settings.store.allow_network_filesystem)
    try:
        with locks.foreground(paths.locks, BUDGET_S), \
                open_store(paths.store, create_with=schema.Founding(now, world.zone_name)) as store:
            return _append(store, candidates, now), False, None
    except locks.WriteBusy:
        pass
    except Outage as failure:
        # Whatever keeps the store away, the words wait: where the inbox has no room for them either, it says so itself.
        if failure.code not in WAITING_CODES:
            _defer(world, candidates, now)
            raise Outage(f"{failure.message}; the note waits in the inbox", component=failure.component, code=failure.code,
                         hint=failure.hint) from failure
        why = failure if failure.code != BUSY else None
        if failure.code in FOR_A_PERSON:
            from dreamd.core import outage

            with suppress(DreamError):  # the note itself has no room then either, and says so
                outage.flag(paths.outage, failure, now=now, owner="dream note")
    except Corrupt as damage:
        # The store takes nothing, but the words must not be lost with it: they wait until it is mended or replaced.
        _defer(world, candidates, now)
        raise Corrupt(f"{damage.message}; the note waits in the inbox", hint=damage.hint) from damage
    return _defer(world, candidates, now), True, why


def _append(store: Store, candidates: list[Candidate], now: datetime) -> list[Stored]:
    with store.writing(only=TAKEN_INTO) as tx:
        if gone := seals.lost_tables(tx):
            raise Corrupt(f"the store `{store.path}` is damaged (table `{gone[0]}` is missing)",
                          hint="run `dream restore-store` to go back to the last verified copy")
        return observations.append(tx, candidates, stored_at=now, key=observations.tombstone_key(store))


def _defer(world: World, candidates: list[Candidate], now: datetime) -> list[Stored]:
    """Leave notes in the inbox, in files small enough to be taken in again."""
    from dreamd.store.intake.inbox import in_parts, put_notes

    for n, part in enumerate(in_parts(candidates)):
        put_notes(world.paths, part, now=now, ticket=f"{world.clock.monotonic():.9f} {n}")
    return [Stored(observations.observation_id(c), c.key, "stored", DEFERRED) for c in candidates]
