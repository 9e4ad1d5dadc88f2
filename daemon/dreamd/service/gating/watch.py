"""Which conversations moved, how many turns they completed, and so which are to be extracted.

File events tell early; looking at the files themselves, slowly, is the truth. Turns are counted by marks in
the bytes that came in, without parsing them: this decides only *when* to extract, never what is learned.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from dreamd.core.settings import ExtractionSettings
from dreamd.core.throttle import Talk, after_extraction, is_extraction_due
from dreamd.sources import OF_AN_EDITOR, SourceRoots, facts_of, is_store, reach_of, written_store

TURN_MARKS = (b'"subtype":"turn_duration"', b'"stop_reason":"end_turn"', b'"type":"task_complete"',
              b'"type":"assistant.turn_end"', b'"type":"gemini"')
COMPACTION_MARKS = (b'"subtype":"compact_boundary"', b'"type":"compacted"', b'"type":"session.compaction')
ENDINGS = frozenset({".jsonl", ".json"})
LARGEST_LOOK_BYTES = 8 * 1024 * 1024
PRIVATE_FOLDERS = frozenset({"subagents", "memory", "tool-results"})
"""What agents keep beside a conversation and nobody said."""
DEEPEST = 5
MOST_TALKS = 5000
QUIET_END_S = 1800.0
"""A conversation that has not moved for half an hour counts as ended: few harnesses say so themselves."""


class Notices(Protocol):
    """The part of a file watcher that is used: what changed since it was asked last."""

    def watch(self, debounce_ms: int, step_ms: int, timeout_ms: int, stop_event: None) -> set[tuple[int, str]] | str: ...


class Watcher:
    """File events of the platform, collected by the kernel and fetched on a tick; no thread of ours wakes up."""

    def __init__(self, roots: Iterable[Path], *, stores: Iterable[Path] = ()) -> None:
        self._stores = frozenset(stores)
        self.roots = tuple(sorted(root for root in set(roots) if root.is_dir()))
        self._notices = _start_watching(self.roots)

    @property
    def live(self) -> bool:
        """False where the platform has no file events; the slow look then finds everything."""
        return self._notices is not None

    def take_touched(self) -> set[Path]:
        """Paths that changed since the last call."""
        if self._notices is None:
            return set()
        # A step of 0 asks without sleeping: a millisecond of looking is cheaper than one more wake-up.
        told = self._notices.watch(1, 0, 1, None)
        if isinstance(told, str):  # `timeout`, `stop` or `signal`: nothing changed
            return set()
        touched = {Path(path) for _, path in told if _is_transcript(path)}
        return touched | {store for _, path in told if (store := written_store(Path(path))) in self._stores}


def _start_watching(roots: Sequence[Path]) -> Notices | None:
    """Load the native half of `watchfiles` alone; the rest would bring an event loop we do not use."""
    if not roots:
        return None
    found = importlib.util.find_spec("watchfiles")
    for folder in (found.submodule_search_locations or ()) if found else ():
        for path in sorted(Path(folder).glob("_rust_notify*.so")):
            spec = importlib.util.spec_from_file_location("_rust_notify", path)
            if spec is None or spec.loader is None:
                continue
            with suppress(ImportError, OSError):  # no events here: the slow look finds everything
                native = importlib.util.module_from_spec(spec)
                spec.loader.exec_module(native)
                notices: Notices = native.RustNotify([str(r) for r in roots], False, False, 300, True, True)
                return notices
    return None


@dataclass(frozen=True)
class Followed:
    """One transcript as the service knows it; of a database the time of its last change stands for its bytes."""

    taken_bytes: int = 0
    """How far it has been extracted."""
    seen_bytes: int = 0
    moved_at: datetime | None = None
    talk: Talk = Talk()


class Ledger:
    """The transcripts that moved, with their turns. A cache: what matters after a crash is in the store."""

    def __init__(self, rules: ExtractionSettings) -> None:
        self.rules = rules
        self._followed: dict[Path, Followed] = {}

    def learn(self, taken: Mapping[Path, int]) -> None:
        """Take over how far each source has been extracted, as the store knows it."""
        for path, offset in taken.items():
            known = self._followed.get(path, Followed(seen_bytes=offset))
            self._followed[path] = replace(known, taken_bytes=offset, seen_bytes=max(known.seen_bytes, offset))

    def look(self, path: Path, *, now: datetime) -> bool:
        """Look at one transcript; True when it moved."""
        try:
            mtime_ns, size = facts_of(path)
        except (OSError, ValueError):  # gone, or a name no file can have
            self._followed.pop(path, None)
            return False
        size = reach_of(path, mtime_ns=mtime_ns, size=size)
        known = self._followed.get(path)
        if known is None:
            if len(self._followed) >= MOST_TALKS:
                return False  # the nightly dream reads it all the same
            known = Followed()
        if size == known.seen_bytes and path in self._followed:
            return False
        start = known.seen_bytes if size > known.seen_bytes else 0
        turns, compacted = (1, False) if is_store(path) else count_marks(path, start, size)
        talk = replace(known.talk, turns=known.talk.turns + turns, compacted=known.talk.compacted or compacted, ended=False)
        # What grew while nobody looked did so when its file says; a time ahead of us is a stepped clock.
        moved_at = min(now, datetime.fromtimestamp(max(0.0, mtime_ns / 1e9), UTC))
        self._followed[path] = replace(known, seen_bytes=size, moved_at=moved_at, talk=talk)
        return True

    def mark(self, path: Path, *, ended: bool = False, staged: bool = False) -> None:
        """Note what a hook or a stage row says about a transcript."""
        known = self._followed.get(path, Followed())
        turns = max(known.talk.turns, 1) if ended else known.talk.turns
        talk = replace(known.talk, turns=turns, ended=known.talk.ended or ended, staged=known.talk.staged or staged)
        self._followed[path] = replace(known, talk=talk)

    def take_due(self, now: datetime) -> list[Path]:
        """Transcripts whose extraction the throttle allows now."""
        due = []
        for path, known in self._followed.items():
            talk = known.talk
            quiet = known.moved_at is not None and (now - known.moved_at).total_seconds() >= QUIET_END_S
            if quiet and known.seen_bytes > known.taken_bytes:
                talk = replace(talk, ended=True, turns=max(talk.turns, 1))
            if is_extraction_due(talk, every_turns=self.rules.every_turns, min_minutes=self.rules.min_minutes, now=now):
                due.append(path)
        return sorted(due)

    def extracted(self, paths: Iterable[Path], *, now: datetime) -> None:
        """An extraction of these transcripts began: count from here."""
        for path in paths:
            known = self._followed.get(path)
            if known is not None:
                self._followed[path] = replace(known, talk=after_extraction(known.talk, now=now), taken_bytes=known.seen_bytes)

    def trailing(self, paths: Iterable[Path]) -> list[tuple[Path, int, int]]:
        """What came in behind `paths` while they were extracted: (path, from, to) to stage."""
        found = []
        for path in paths:
            known = self._followed.get(path)
            if known is not None and known.seen_bytes > known.taken_bytes:
                found.append((path, known.taken_bytes, known.seen_bytes))
        return found

    def unread(self) -> int:
        """How many transcripts hold something that was not extracted."""
        return sum(1 for known in self._followed.values() if known.seen_bytes > known.taken_bytes)

    def last_moved_at(self) -> datetime | None:
        """When a conversation moved last: agents are at work."""
        return max((known.moved_at for path, known in self._followed.items()
                    if known.moved_at and path.suffix not in OF_AN_EDITOR), default=None)

    def paths(self) -> list[Path]:
        """Every transcript that is followed."""
        return sorted(self._followed)


def count_marks(path: Path, start: int, end: int) -> tuple[int, bool]:
    """Completed turns and whether there was a compaction in a stretch of bytes; growth without marks is one turn."""
    try:
        with path.open("rb") as stream:
            stream.seek(max(start, end - LARGEST_LOOK_BYTES))
            body = stream.read(LARGEST_LOOK_BYTES)
    except OSError:
        return 0, False
    squeezed = body.replace(b'": "', b'":"')
    turns = max(squeezed.count(mark) for mark in TURN_MARKS)
    known = turns or any(b'"type":"%s"' % kind in squeezed for kind in (b"user", b"assistant", b"response_item"))
    compacted = any(mark in squeezed for mark in COMPACTION_MARKS)
    return (turns if known else int(end > start)), compacted


def transcript_places(roots: SourceRoots) -> tuple[Path, ...]:
    """The folders below which harnesses write transcripts; elsewhere in theirs they keep state that is none."""
    named = [(roots.claude_dirs, "projects"), (roots.codex_dirs, "sessions"), (roots.gemini_dirs, "tmp"),
             (roots.copilot_dirs, "session-state"), (roots.openclaw_dirs, "agents"), (roots.cursor_dirs, "projects"),
             (roots.cursor_dirs, "chats")]
    places = [root / folder for group, folder in named for root in group]
    return tuple(place for place in (*places, *roots.extra) if place.is_dir())


def transcripts_below(places: Iterable[Path]) -> list[Path]:
    """Every transcript there is: the slow look that needs no events, and finds what an event was lost for."""
    found: list[Path] = []
    for place in places:
        depth = len(place.parts)
        for folder, folders, names in os.walk(place):
            here = Path(folder)
            if len(here.parts) - depth >= DEEPEST:
                folders.clear()
            folders[:] = [f for f in folders if f not in PRIVATE_FOLDERS]
            found += [here / name for name in names if _is_transcript(name)]
            if len(found) >= MOST_TALKS:
                return sorted(found)
    return sorted(found)


def _is_transcript(path: str) -> bool:
    name, ending = os.path.splitext(path)  # noqa: PTH122 - asked for every event
    return ending in ENDINGS and not any(f"/{folder}/" in name for folder in PRIVATE_FOLDERS)


def neighbours(known: Iterable[Path]) -> list[Path]:
    """Transcripts beside known ones: the slow look that needs no events."""
    folders = {(path.parent, path.suffix) for path in known if path.suffix in ENDINGS}
    found: list[Path] = []
    for folder, ending in sorted(folders)[:400]:
        with suppress(OSError):
            found += [p for p in folder.iterdir() if p.suffix == ending][:1000]
    return sorted(set(found))
