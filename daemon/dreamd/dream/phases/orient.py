"""Orient: settle what an interrupted run left, see what people edited, and decide whether there is work.

Recovery is the ordinary path: every dream begins by finishing the files of the one before, whether that one
ended well or was killed.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path

from dreamd.core import fsio
from dreamd.core.clock import iso
from dreamd.core.errors import DreamError, Outage
from dreamd.core.values import Candidate, MemoryType, Origin, Scope, content_id, parse_scope, storable
from dreamd.dream import projection
from dreamd.dream.apart import apart, set_aside
from dreamd.kit import Kit
from dreamd.notes import EditKind, PersonEdit, diff_person_edits, read_topic, restate_topic
from dreamd.store import journal, memories, observations, work
from dreamd.store.intake import inbox
from dreamd.store.set_asides import EDITS, FILE, Aside
from dreamd.store.work import Intent, KnownFile
from dreamd.text.redaction import redact

LEAST_FREE_BYTES = 64 * 1024 * 1024
LARGEST_NOTE_BYTES = 1024 * 1024
UNKNOWN_END = 2**62
"""A hook cannot tell how far a transcript will have grown by the time it is read."""
NO_TEXT = "its name is no UTF-8"
HAND = "edited-by-hand"
ELSEWHERE = frozenset({"index-line", "description", "ttl"})
"""Places where a person changed what a memory says while the statement in its file stayed."""
_FRONTMATTER = re.compile(r"\A---\r?\n.*?\n---\r?\n", re.DOTALL)


@dataclass(frozen=True)
class Edited:
    """What a person changed in one scope: statements to take in, and the files as they are now."""

    scope: Scope
    candidates: tuple[Candidate, ...]
    accepted: tuple[KnownFile, ...]
    gone: tuple[str, ...]
    restated: tuple[Intent, ...] = ()
    """Files of memories whose words were changed in the index or the description."""


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
        taken = take_inbox(kit, warnings)
    edits = tuple(_read_edits(kit, warnings))
    return Orientation(edits, interrupted, finished, taken, tuple(warnings))


def _close_interrupted(kit: Kit) -> int:
    interrupted = journal.count_interrupted(kit.store)
    if interrupted:
        kit.begin()
    return interrupted


def take_inbox(kit: Kit, warnings: list[str]) -> int:
    """Store what waits in the inbox; a file goes only after its commit."""
    taken = 0
    for delivery in inbox.take(kit.paths, warnings):
        failed = len(kit.aside)
        with apart(kit, FILE, f"inbox/{delivery.path.name}"):
            _take_in(kit, delivery)
        if len(kit.aside) > failed:
            inbox.keep_aside(kit.paths, delivery.path)
            continue
        fsio.remove(delivery.path)
        taken += len(delivery.candidates)
    return taken


def _take_in(kit: Kit, delivery: inbox.Delivery) -> None:
    now = kit.clock.now()
    with kit.writing() as tx:
        observations.append(tx, delivery.candidates, stored_at=now, key=observations.tombstone_key(kit.store))
        # What is said twice is known the second time; a recall would be counted twice if we were killed before the
        # file is gone.
        if work.take_once(tx, delivery.path.name):
            memories.record_recalls(tx, delivery.recalls, delivery.at or now)
        if delivery.touched is not None:
            _stage(tx, delivery.touched)


def _stage(tx: sqlite3.Connection, touched: inbox.Touched) -> None:
    """A conversation that moved is read next, whether or not it lies where dream looks by itself."""
    if touched.path:
        work.stage(tx, work.Staged(0, touched.path, touched.path, 0, UNKNOWN_END, touched.event, touched.at))


def _read_edits(kit: Kit, warnings: list[str]) -> Iterator[Edited]:
    """Scopes with a file that is not as dream left it; files whose size and times did not move are not opened."""
    for name, known in work.load_file_facts(kit.store).items():
        scope = parse_scope(name)
        directory = kit.paths.scope_dir(scope)
        fsio.check_inside(kit.paths.home, directory)
        if not directory.is_dir():
            # The whole directory is away: a moved home or a mistake, not a wish to forget everything.
            if known:
                warnings.append(f"the directory of scope `{scope}` is away; `dream check --repair` writes it anew")
            continue
        present = fsio.look_over(directory, ending=".md", below=f"{directory.relative_to(kit.paths.home)}/")
        unnamed = [path for path in present if storable(path) != path]
        for path in unnamed:
            present.pop(path)
            set_aside(kit, Aside(FILE, path, NO_TEXT))
        if unnamed and not known.keys() <= present.keys():
            continue  # one that is gone may have got that name, which is no wish to have it forgotten
        if known != present:
            touched = {p for p, facts in present.items() if known.get(p) != facts}
            edited = None
            with apart(kit, EDITS, name, partial(_look_of, present)):
                edited = _compare(kit, scope, {p: kit.paths.home / p for p in sorted(present)}, warnings, touched=touched)
            if edited is not None:
                yield edited


def _look_of(present: Mapping[str, object]) -> str:
    """How the files of a scope look from outside."""
    return fsio.sha256_bytes(repr(sorted(present.items())).encode())[:16]


def _compare(kit: Kit, scope: Scope, present: Mapping[str, Path], warnings: list[str], *,
             touched: AbstractSet[str]) -> Edited | None:
    known = {p: k for p, k in work.load_files(kit.store, scope=scope).items() if p.startswith("memory/")}
    current: dict[str, bytes] = {}
    unreadable: set[str] = set()
    for relative, path in present.items():
        if relative not in touched:
            current[relative] = known[relative].body  # as it was accepted: one edit does not have thousands of files read
            continue
        try:
            current[relative] = fsio.read_bytes(path, limit_bytes=LARGEST_NOTE_BYTES)
        except (DreamError, OSError) as error:
            warnings.append(error.message if isinstance(error, DreamError) else f"cannot read `{relative}`")
            unreadable.add(relative)
            if relative in known:
                current[relative] = known[relative].body
    prefix = str(kit.paths.scope_dir(scope).relative_to(kit.paths.home)) + "/"
    edits = diff_person_edits({p.removeprefix(prefix): _text(k.body) for p, k in known.items()},
                              {p.removeprefix(prefix): _text(b) for p, b in current.items()})
    candidates = [c for e in edits for c in _candidates(e, kit.clock.now(), scope)]
    elsewhere = {e.file: e for e in edits if e.kind is EditKind.CHANGED and e.reason in ELSEWHERE}
    restated: list[Intent] = []
    accepted = []
    owner = {e.file: e.memory_id for e in edits if e.memory_id and e.kind is not EditKind.DELETED}
    for relative, body in current.items():
        if relative in unreadable:
            continue
        before = known.get(relative)
        name = relative.removeprefix(prefix)
        if relative not in touched:
            restated += _restated(known[relative], elsewhere[name]) if name in elsewhere else []
            continue
        memory = before.memory if before else owner.get(name, "") or work.BY_HAND
        if memory.startswith(work.BY_HAND):
            memory = _by_hand([c for e in edits if e.file == name for c in _candidates(e, kit.clock.now(), scope)], body)
        # The hash is that of the file as it is, the body what may be kept: a secret typed by hand is masked, and
        # the difference makes the next projection mask it in the file too.
        now = projection.facts_of(present[relative], relative, body=body, memory=memory, scope=str(scope))
        now = replace(now, body=before.body if before and before.sha == now.sha else _kept(body))
        if now != before:
            accepted.append(now)
        if name in elsewhere:
            restated += _restated(now, elsewhere[name])
    gone = tuple(p for p in known if p not in current)
    return Edited(scope, tuple(candidates), tuple(accepted), gone, tuple(restated)) if accepted or gone else None


def _kept(body: bytes) -> bytes:
    """A file's bytes as the store may keep them."""
    masked = redact(_text(body)).text
    return body if masked == _text(body) else masked.encode()


def _restated(file: KnownFile, edit: PersonEdit) -> list[Intent]:
    """The file of a memory saying what a person made of it in another place."""
    text = _text(file.body)
    topic = read_topic(edit.file, text)
    if (topic.statement, topic.ttl) == (edit.text, edit.ttl):
        return []
    body = restate_topic(text, redact(edit.text).text, ttl=edit.ttl).encode()
    return [Intent(file.path, file.sha, fsio.sha256_bytes(body), body, file.memory, file.scope)]


def _by_hand(said: Sequence[Candidate], body: bytes) -> str:
    """Who owns a file a person added: one statement, when the file says nothing else, or the person alone."""
    words = _FRONTMATTER.sub("", redact(_text(body)).text, count=1)
    whole = len(said) == 1 and observations.plain_words(said[0].text) == observations.plain_words(words)
    return work.BY_HAND + (observations.observation_id(said[0]) if whole else "")


def _candidates(edit: PersonEdit, now: datetime, scope: Scope) -> Iterator[Candidate]:
    """An edit as statements of the person who made it."""
    day = iso(now)
    if edit.previous_file and edit.memory_id:
        yield Candidate(edit.file, Origin.USER, now, scope, key=content_id("renamed", str(scope), edit.memory_id, edit.file),
                        sign="renamed-by-person", target=edit.memory_id)
    if edit.kind is EditKind.DELETED and edit.memory_id:
        yield Candidate("[deleted by hand]", Origin.USER, now, scope, sign="deleted-by-person", target=edit.memory_id,
                        key=content_id("deleted", str(scope), edit.memory_id, day))
    elif edit.kind is EditKind.CHANGED and edit.memory_id:
        text = redact(edit.text).text
        yield Candidate(text, Origin.USER, now, scope, sign=HAND, target=edit.memory_id, ttl=edit.ttl,
                        key=content_id("edited", str(scope), edit.memory_id, text, day))
    elif edit.kind is EditKind.ADDED and edit.text.strip():
        text = redact(edit.text).text
        kind = MemoryType(edit.type_hint) if edit.type_hint in set(MemoryType) else None
        yield Candidate(text, Origin.USER, now, scope, sign=HAND, type_hint=kind, ttl=edit.ttl,
                        key=content_id("added", str(scope), edit.file, text))


def write_edits(kit: Kit, edited: Edited) -> None:
    """Store a scope's edits and accept the files as they are, in one transaction."""
    with kit.writing() as tx:
        observations.append(tx, edited.candidates, stored_at=kit.clock.now(), key=observations.tombstone_key(kit.store))
        for known in edited.accepted:
            work.accept_file(tx, known)
        for path in edited.gone:
            work.drop_file(tx, path)
        work.intend(tx, edited.restated)


def _text(body: bytes) -> str:
    return body.decode("utf-8", "replace")
