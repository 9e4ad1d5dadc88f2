"""Orient: settle what an interrupted run left, see what people edited, and decide whether there is work.

Recovery is the ordinary path: every dream begins by finishing the files of the one before, whether that one
ended well or was killed.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, replace

from dreamd.core import fsio
from dreamd.core.errors import Outage
from dreamd.core.values import Candidate
from dreamd.dream import projection, setting_aside
from dreamd.dream.apart import apart
from dreamd.dream.phases import homecoming
from dreamd.dream.phases.hand_edits import Edited, read_edits
from dreamd.dream.scopes.mapping import evidence_of
from dreamd.dream.scopes.placing import Placing
from dreamd.dream.scopes.reader import scope_of_conversation
from dreamd.kit import Kit
from dreamd.library import gate_events
from dreamd.library.line_log import Row
from dreamd.store import journal, memories, observations, work
from dreamd.store.forgetting import LEFT_BEHIND
from dreamd.store.intake import inbox
from dreamd.store.language.sent_texts import drop_texts
from dreamd.store.scopes import conversation_scopes
from dreamd.store.scopes.conversation_scopes import Moved
from dreamd.store.set_asides import FILE
from dreamd.text.redaction import mask_name

LEAST_FREE_BYTES = 64 * 1024 * 1024
UNKNOWN_END = 2**62
"""A hook cannot tell how far a transcript will have grown by the time it is read."""


@dataclass(frozen=True)
class Orientation:
    """How the store was found."""

    edits: tuple[Edited, ...] = ()
    interrupted: int = 0
    finished_files: int = 0
    from_inbox: int = 0
    warnings: tuple[str, ...] = ()


def orient(kit: Kit) -> Orientation:
    """Finish what was left, take in the inbox, and look at the files people may have edited.

    Raises Outage when there is no room to work. In a dry run nothing is finished, only looked at.
    """
    warnings: list[str] = []
    if fsio.free_bytes(kit.paths.home) < LEAST_FREE_BYTES:
        raise Outage(f"less than {LEAST_FREE_BYTES // 1024 // 1024} MiB free for `{kit.paths.home}`", component="disk",
                     code="disk-nearly-full", hint="free some space; nothing is lost")
    interrupted = finished = taken = 0
    if not kit.dry:
        interrupted = _close_interrupted(kit)
        finished = len(work.load_intents(kit.store))
        conflicts = projection.settle(kit) if finished else []
        warnings.extend(f"`{path}` was changed by hand meanwhile; yours stays" for path in conflicts)
        for leftover in fsio.list_temporaries(kit.paths.home):
            fsio.remove(leftover)
        drop_texts(kit.paths, now=kit.clock.now())
        settle_events(kit)
        _come_home(kit, warnings)
        taken = take_inbox(kit, warnings)
    # Files that wait to be brought in line with the store say nothing yet about what a person changed.
    edits = () if kit.dry and homecoming.is_due(kit) else tuple(read_edits(kit, warnings))
    return Orientation(edits, interrupted, finished, taken, tuple(warnings))


def settle_events(kit: Kit) -> None:
    """Tell what an interrupted dream had decided and not told: the events of verdicts that are fates in the store."""
    def decided(events: Sequence[Row]) -> list[Row]:
        fates = {(run, said) for run in {str(event.get("run", "")) for event in events}
                 for said in observations.load_ids_of_run(kit.store, run)}
        return [event for event in events if (event.get("run"), event.get("id")) in fates]

    gate_events.settle(kit.world, decided)


def _come_home(kit: Kit, warnings: list[str]) -> None:
    if homecoming.is_due(kit):
        moved = homecoming.settle_in(kit)
        if moved:
            warnings.append(f"the store is an older one than the files: {moved} brought in line with it; what it does not know "
                            f"lies in `{LEFT_BEHIND}/`")


def _close_interrupted(kit: Kit) -> int:
    interrupted = journal.count_interrupted(kit.store)
    if interrupted:
        kit.begin()
    return interrupted


def take_inbox(kit: Kit, warnings: list[str]) -> int:
    """Store what waits in the inbox; a file goes only after its commit."""
    taken, placing = 0, Placing(kit, evidence_of(kit.world, kit.store))
    for delivery in inbox.take(kit.paths, warnings):
        failed = len(kit.aside)
        with apart(kit, FILE, f"inbox/{delivery.path.name}"):
            _take_in(kit, delivery, placing)
        if len(kit.aside) > failed:
            inbox.keep_aside(kit.paths, delivery.path)
            continue
        fsio.remove(delivery.path)
        taken += len(delivery.candidates)
    return taken


def _take_in(kit: Kit, delivery: inbox.Delivery, placing: Placing) -> None:
    now, told = kit.clock.now(), placed(delivery, placing)
    with kit.writing() as tx:
        observations.append(tx, told, stored_at=now, key=observations.tombstone_key(kit.store))
        # What is said twice is known the second time; a recall would be counted twice if we were killed before the
        # file is gone.
        if work.take_once(tx, delivery.path.name):
            memories.record_recalls(tx, delivery.recalls, delivery.at or now)
        if delivery.touched is not None:
            _stage(tx, delivery.touched)
            _note_moved(tx, delivery.touched)


def look_into_inbox(kit: Kit) -> list[Candidate]:
    """What waits in the inbox, which stays as it is."""
    placing = Placing(kit, evidence_of(kit.world, kit.store))
    return [one for delivery in inbox.take(kit.paths, [], look_only=True) for one in placed(delivery, placing)]


def placed(delivery: inbox.Delivery, placing: Placing) -> tuple[Candidate, ...]:
    """What was told in a directory, in the scope of its project."""
    scope = placing.scope_of(delivery.place) if delivery.place else None
    return tuple(replace(c, scope=scope) for c in delivery.candidates) if scope else delivery.candidates


def _stage(tx: sqlite3.Connection, touched: inbox.Touched) -> None:
    """A conversation that moved is read next, whether or not it lies where dream looks by itself."""
    if touched.path:
        work.stage(tx, work.Staged(0, touched.path, touched.path, 0, UNKNOWN_END, touched.event, touched.at))


def _note_moved(tx: sqlite3.Connection, touched: inbox.Touched) -> None:
    if touched.conversation:
        conversation_scopes.write_moved(tx, scope_of_conversation(touched.conversation), Moved(
            touched.event, touched.at, mask_name(touched.cwd)))


def write_edits(kit: Kit, edited: Edited) -> list[str]:
    """Store a scope's edits and accept the files as they are, in one transaction; then have the damaged ones as they were.

    Copies of the damaged come first: whoever is killed in between finds them damaged again. Gives the paths that somebody
    changed meanwhile.
    """
    setting_aside.keep_copies(kit.paths, edited.damaged, now=kit.clock.now())
    if not (edited.candidates or edited.accepted or edited.gone or edited.restated or edited.healed
            or edited.titles):
        return []
    with kit.writing() as tx:
        observations.append(tx, edited.candidates, stored_at=kit.clock.now(), key=observations.tombstone_key(kit.store))
        for known in edited.accepted:
            work.accept_file(tx, known)
        for path in edited.gone:
            work.drop_file(tx, path)
        for memory, title in edited.titles:
            work.write_title(tx, memory, title)
        work.intend(tx, (*edited.restated, *edited.healed))
    return projection.settle(kit) if edited.healed else []
