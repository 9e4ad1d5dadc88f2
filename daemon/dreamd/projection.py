"""From memories to files: what each scope's directory should hold, and getting it there safely.

The store decides first, the files follow from intents. Before a file is replaced its bytes are compared with
what dream last knew of it: where a person was quicker, theirs stays, ours is parked, and the next dream takes
the edit in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from dreamd import fsio
from dreamd.errors import DreamError
from dreamd.model import Memory, Scope, Status
from dreamd.mutex import Background
from dreamd.notes import EarlierVersion, render_index, render_topic
from dreamd.paths import Paths
from dreamd.settings import IndexSettings
from dreamd.store import memories, work
from dreamd.store.connection import Store
from dreamd.store.work import Intent, KnownFile

BATCH = 32
BY_HAND = "by-hand "
"""Owner of a file a person added; behind it the observation that says all of it, where there is one."""
WITH_FILE = frozenset({Status.LIVE, Status.STALE, Status.ARCHIVED})
PARKED_MOST = 200
"""Files kept in `conflicts/`; the oldest go first beyond it."""


def plan_files(everything: Sequence[Memory], known: Mapping[str, KnownFile], *, scope: Scope, paths: Paths,
               rules: IndexSettings) -> list[Intent]:
    """The files of one scope that differ from what dream last wrote. Touches nothing."""
    desired = render_scope(everything, known, scope=scope, paths=paths, rules=rules)
    carried = {o for m in everything if m.status in WITH_FILE for o in m.observations}
    for path, file in known.items():
        if path not in desired and file.memory.startswith(BY_HAND) and file.memory.removeprefix(BY_HAND) not in carried:
            # A person's own file that no memory says all of: theirs, whatever dream makes of it.
            desired[path] = (file.body, file.memory)
    intents = []
    for path, (body, memory) in desired.items():
        sha = fsio.sha256_bytes(body)
        before = known.get(path)
        if before is not None and body == before.body and not work.is_whole(before):
            continue  # the bytes kept for a person's file are damaged, the file itself is not
        if before is None or before.sha != sha:
            intents.append(Intent(path, before.sha if before else None, sha, body, memory, str(scope)))
    for path, before in known.items():
        if path not in desired:
            intents.append(Intent(path, before.sha, None, None, before.memory, str(scope)))
    return intents


def render_scope(everything: Sequence[Memory], known: Mapping[str, KnownFile], *, scope: Scope, paths: Paths,
                 rules: IndexSettings) -> dict[str, tuple[bytes, str]]:
    """Every file a scope should have: path below the home → (bytes, memory id)."""
    prefix = str(paths.scope_dir(scope).relative_to(paths.home))
    archive = str(Path(paths.archive.name) / Path(prefix).relative_to(paths.memory.name))
    earlier: dict[str, list[EarlierVersion]] = {}
    for memory in everything:
        if memory.status is Status.SUPERSEDED and memory.superseded_by and memory.reason != "duplicate":
            earlier.setdefault(memory.superseded_by, []).append(
                EarlierVersion(memory.text, memory.valid_from, memory.valid_to))
    files: dict[str, tuple[bytes, str]] = {}
    shown = []
    for memory in everything:
        if memory.status in (Status.LIVE, Status.STALE):
            shown.append(memory)
        elif memory.status is not Status.ARCHIVED:
            continue
        path = f"{archive if memory.status is Status.ARCHIVED else prefix}/{memory.file}"
        if memory.edited and path in known:
            # A person's own words and layout: kept to the byte until that person changes them.
            files[path] = (known[path].body, memory.id)
        else:
            files[path] = (render_topic(memory, earlier=earlier.get(memory.id, ())).encode(), memory.id)
    if shown:
        index = render_index(shown, title=str(scope), max_lines=rules.max_lines, max_bytes=rules.max_kib * 1024,
                             aim_lines=rules.aim_lines)
        files[f"{prefix}/MEMORY.md"] = (index.text.encode(), "")
        for name, text in index.overflow:
            files[f"{prefix}/{name}"] = (text.encode(), "")
    return files


def load_scope_files(store: Store, scope: Scope, *, paths: Paths, rules: IndexSettings) -> list[Intent]:
    """Plan the files of a scope from the store as it is."""
    return plan_files(memories.load_memories(store, scope=scope), work.load_files(store, scope=scope), scope=scope,
                      paths=paths, rules=rules)


def settle(store: Store, background: Background, *, paths: Paths) -> list[str]:
    """Carry out every intent there is; give back the paths where a person was quicker.

    Safe to repeat and to interrupt: a file that already holds the new bytes only loses its intent.
    """
    conflicts: list[str] = []
    while True:
        with background.batch():
            intents = work.load_intents(store, limit=BATCH)
            if not intents:
                return conflicts
            for directory in dict.fromkeys((paths.home / i.path).parent for i in intents):
                fsio.check_inside(paths.home, directory)
            fit = [i for i in intents if _fits(i, paths)]
            targets = {paths.home / i.path: i for i in fit}
            # Asked again at the last moment: writing a batch takes long enough for a person to save a file.
            late = fsio.write_all([(path, i.body) for path, i in targets.items() if i.body is not None],
                                  may_replace=lambda path, of=targets: _fits(of[path], paths))  # type: ignore[misc]
            fit = [i for path, i in targets.items() if path not in late]
            for intent in fit:
                if intent.body is None:
                    fsio.remove(paths.home / intent.path)
            with store.writing() as tx:
                for intent in intents:
                    if intent in fit:
                        work.settle(tx, intent, _known(intent, paths))
                    else:
                        conflicts.append(intent.path)
                        _park(intent, paths)
                        work.drop_intent(tx, intent.path)


def _fits(intent: Intent, paths: Paths) -> bool:
    """True while the file is what dream last knew, or already what it is to become."""
    try:
        present: str | None = fsio.sha256_bytes(fsio.read_bytes(paths.home / intent.path))
    except FileNotFoundError:
        present = None
    except DreamError:
        return False
    return present in (intent.new_sha, intent.base_sha)


def _known(intent: Intent, paths: Paths) -> KnownFile | None:
    if intent.body is None:
        return None
    path = paths.home / intent.path
    # Saved or removed by a person since the rename: the next dream must look, whatever the file's time says.
    suspect = KnownFile(intent.path, fsio.sha256_bytes(intent.body), intent.body, intent.memory, intent.scope)
    try:
        known = facts_of(path, intent.path, body=intent.body, memory=intent.memory, scope=intent.scope)
        return known if fsio.sha256_bytes(fsio.read_bytes(path)) == intent.new_sha else suspect
    except (FileNotFoundError, DreamError):
        return suspect


def facts_of(path: Path, relative: str, *, body: bytes, memory: str, scope: str) -> KnownFile:
    """A file as it is on disk now, with what tells cheaply whether it was touched since."""
    facts = path.stat(follow_symlinks=False)
    return KnownFile(relative, fsio.sha256_bytes(body), body, memory, scope, facts.st_size, facts.st_mtime_ns, facts.st_ino)


def _park(intent: Intent, paths: Paths) -> None:
    if intent.body is None or intent.new_sha is None:
        return
    kept = sorted(paths.conflicts.glob("*")) if paths.conflicts.is_dir() else []
    for old in kept[:max(0, len(kept) - PARKED_MOST + 1)]:
        fsio.remove(old)
    fsio.write_atomic(paths.conflicts / f"{Path(intent.path).name}.{intent.new_sha[:12]}", intent.body)
