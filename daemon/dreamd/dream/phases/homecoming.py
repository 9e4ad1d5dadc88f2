"""Files of another store: what dream wrote itself goes back to what the store says, what a person changed stays an edit.

Part of orient, where somebody went back to an older store. A file that only the list of own files knows is moved aside. Where
its store could not be read, what it says is known to nobody else: then it is taken in again as brought from elsewhere, which
is less than a person's word.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from dreamd.core import fsio
from dreamd.core.clock import iso
from dreamd.core.errors import DreamError
from dreamd.core.values import Candidate, MemoryType, Origin, Scope, content_id
from dreamd.dream import own_files, projection
from dreamd.dream.own_files import OwnFiles
from dreamd.kit import Kit
from dreamd.notes import read_topic
from dreamd.store import observations, work
from dreamd.store.forgetting import LEFT_BEHIND
from dreamd.store.work import Intent, KnownFile
from dreamd.text.redaction import redact


@dataclass
class Homecoming:
    """What has to be done about the files as they were found."""

    back: list[Intent] = field(default_factory=list)
    aside: list[str] = field(default_factory=list)
    copied: dict[str, bytes] = field(default_factory=dict)
    """What stands in a file that goes back: kept, for no store says it any more."""
    said: list[Candidate] = field(default_factory=list)


def is_due(kit: Kit) -> bool:
    """Whether the files below the home are of another store than the one that is open."""
    return own_files.last_word(kit.paths).is_ahead_of(kit.store)


def settle_in(kit: Kit) -> int:
    """Bring the files that dream wrote for another store in line with this one; say how many that were."""
    own = own_files.load_own(kit.paths)
    plan = plan_homecoming(kit, own)
    with kit.writing() as tx:
        observations.append(tx, plan.said, stored_at=kit.clock.now(), key=observations.tombstone_key(kit.store))
        work.intend(tx, plan.back)
    # Before the files go back: killed in between, all of this is done again.
    stamp = iso(kit.clock.now()).replace(":", "")
    for relative, body in plan.copied.items():
        fsio.write_atomic(kit.paths.home / LEFT_BEHIND / stamp / relative, body)
    for relative in plan.aside:
        fsio.move(kit.paths.home / relative, kit.paths.home / LEFT_BEHIND / stamp / relative)
    projection.settle(kit)
    own_files.note_settled(kit.paths, kit.store)
    return len(plan.back) + len(plan.aside)


def plan_homecoming(kit: Kit, own: OwnFiles) -> Homecoming:
    """Choose what becomes of each file. Touches nothing."""
    known = {p: k for p, k in work.load_files(kit.store).items() if p.startswith(("memory/", "archive/"))}
    plan, found = Homecoming(), set[str]()
    for relative, path in _files(kit.paths.home):
        found.add(relative)
        try:
            body = fsio.read_bytes(path)
        except (DreamError, FileNotFoundError):
            continue
        sha, before = fsio.sha256_bytes(body), known.get(relative)
        if before is not None and before.sha == sha:
            continue
        scope = own.scopes.get(sha)
        if scope is None and own.scopes:
            continue  # not what dream wrote: a person's edit, or a person's file
        topic = read_topic(path.name, body.decode("utf-8", "replace"))
        if scope is None and not topic.memory_id:
            continue
        if before is None:
            plan.aside.append(relative)
        else:
            plan.back.append(_again(before, standing=sha))
            plan.copied.update({relative: body} if topic.memory_id else {})
        if own.is_lost and scope and topic.memory_id and relative.startswith("memory/") and _is_news(topic.statement, before):
            plan.said.append(_said(topic.statement, topic.type, topic.ttl, scope=scope, kit=kit))
    # Gone since that store was written: by dream itself, as far as anybody can tell, and so no wish of a person.
    plan.back += [_again(k, standing=None) for p, k in known.items() if p not in found]
    return plan


def _again(file: KnownFile, *, standing: str | None) -> Intent:
    return Intent(file.path, standing, fsio.sha256_bytes(file.body), file.body, file.memory, file.scope)


def _is_news(statement: str, before: KnownFile | None) -> bool:
    """Whether the store does not say it already."""
    known = read_topic("", before.body.decode("utf-8", "replace")).statement if before is not None else ""
    return bool(statement) and observations.plain_words(statement) != observations.plain_words(known)


def _said(text: str, kind: str, ttl: str | None, *, scope: Scope, kit: Kit) -> Candidate:
    text = redact(text).text
    return Candidate(text, Origin.IMPORT, kit.clock.now(), scope, key=content_id("own-file", str(scope), text), ttl=ttl,
                     type_hint=MemoryType(kind) if kind in set(MemoryType) else None, sign="own-file")


def _files(home: Path) -> Iterator[tuple[str, Path]]:
    for top in ("memory", "archive"):
        waiting = [home / top]
        while waiting:
            directory = waiting.pop()
            if directory.is_symlink() or not directory.is_dir():
                continue
            for path in sorted(directory.iterdir()):
                if path.is_dir() and not path.is_symlink():
                    waiting.append(path)
                elif path.suffix == ".md" and path.is_file() and not path.is_symlink():
                    yield str(path.relative_to(home)), path
