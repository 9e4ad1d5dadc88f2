# ruff: noqa: PTH111, PTH119, PTH120, PTH122
"""What agents wrote since dream looked: their files themselves are asked, also in folders that dream has never seen."""

from __future__ import annotations

import os
import re
import stat
from collections import namedtuple
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime

from dreamd.probing import foreign_stores
from dreamd.probing.advance import has_had_time, interval_s
from dreamd.probing.health import Check, Facts, World, fine
from dreamd.probing.kept_out import KeptOut
from dreamd.probing.peek import DAY_S, HOUR_S, bytes_at, facts_of, names_in, span, stamp

FEWEST_CHANGED = 10
MOST_FILES = 2000
MOST_ENTRIES = 3000
"""Files and folders of one harness that are looked at for new conversations."""
FUTURE_S = 86400.0
BY_HAND_S = 4 * HOUR_S
TAIL_BYTES = 65536
MOST_ASKED = 300
"""Conversations of which it is looked up whether a person keeps them from being read."""
MOST_DATED = 200
"""Files whose words are read to learn when they were said."""
PLACES = (("claude_code", "CLAUDE_CONFIG_DIR", ".claude", "projects", 1), ("codex", "CODEX_HOME", ".codex", "sessions", 3),
          ("gemini", "", ".gemini", "tmp", 2), ("copilot", "COPILOT_HOME", ".copilot", "session-state", 1),
          ("openclaw", "OPENCLAW_STATE_DIR", ".openclaw", "agents", 2),
          ("cursor", "CURSOR_DATA_DIR", ".cursor", "projects", 3))
"""(setting, variable that moves it, folder of a person, folder of the conversations, how deep they lie)."""
PRIVATE_FOLDERS = frozenset({"subagents", "memory", "tool-results", "node_modules"})
_SAID_AT = re.compile(rb'"timestamp"\s*:\s*"([0-9T:.+Z-]{10,40})"')
Sight = namedtuple("Sight", "moved changed missed")
"""Conversations that wait (when they moved, where they are); how many moved before the last dream; which of those it missed."""
READ_THEM = "run `dream sources` to see what is not read, then `dream consolidate`"


def check_capture(world: World, facts: Facts, preferences: Mapping[str, object]) -> tuple[Check, datetime | None]:
    """Compare what the sources did with what was read of them: from the files themselves, not from counters.

    With it when the first of the conversations moved that wait to be read.
    """
    sight = _compare(world, facts, preferences)
    kept = KeptOut(preferences.get("sources"), world.env.get("HOME", ""))
    began_s = facts.began.timestamp() if facts.began else 0.0
    waiting = sorted((t, path) for t, path in sight.moved if t > began_s)[:MOST_ASKED]
    first = next((t for t, path in waiting if not kept.holds(path)), None)
    since = datetime.fromtimestamp(first, UTC) if first is not None else None
    return _judge(world, facts, preferences, sight, kept=kept), since


def _compare(world: World, facts: Facts, preferences: Mapping[str, object]) -> Sight:
    known = {path: (read, lines, prompts, size) for path, read, lines, prompts, size, *_ in facts.sources}
    gone = _gone(known)
    last = facts.last_success
    unread, changed, missed = [], 0, []
    for path, size, touched_s in _transcripts(known):
        row = known.get(path)
        if path in facts.aside:
            continue  # said and shown: one bad source is no reason to ring the bell every day
        if row is None and (os.path.basename(path), size) in gone:
            continue  # read where it lay before: a project was renamed, or a folder moved
        behind = row is None or (size != row[3] and touched_s > (stamp(row[0]) or 0.0) - 2)
        if behind:
            unread.append((path, row[3] or 0 if row else 0, touched_s))
        if last and last.timestamp() - 7 * DAY_S < touched_s <= last.timestamp():
            changed += 1
            if row is None or behind or (row[1] >= 20 and row[2] == 0):
                missed.append(path)
    began_s = facts.began.timestamp() if facts.began else 0.0
    new = [(path, offset, at_s) for path, offset, at_s in
           _new_ones(world, preferences, {**known, **dict.fromkeys(facts.aside)}, since_s=began_s)
           if (os.path.basename(path), _size(path)) not in gone]
    stores = ((path, 0, at_s) for path, at_s in foreign_stores.moved_stores(facts.sources) if path not in facts.aside)
    return Sight(_moved((*unread, *stores, *new), world.now.timestamp(), since_s=began_s), changed, missed)


def _judge(world: World, facts: Facts, preferences: Mapping[str, object], sight: Sight, *, kept: KeptOut) -> Check:
    now_s, created_s, began_s = (t.timestamp() if t else 0.0 for t in (world.now, facts.created, facts.began))
    newest = facts.newest_row.timestamp() if facts.newest_row else created_s
    quiet_s = now_s - newest
    awake_s = facts.awake.timestamp() if facts.awake else 0.0
    # A service that is awake reads within minutes; whoever dreams by hand does so once in a day.
    soon_s = HOUR_S if facts.awake else BY_HAND_S
    late = [path for t, path in sight.moved if t > newest and now_s - max(t, awake_s) >= soon_s]
    if quiet_s > DAY_S and (count := _count_read(late, kept)):
        told = f"for {span(quiet_s)}" if facts.newest_row else "ever"
        return Check("capture", "no_recent_rows", f"nothing was stored {told}, although sources moved: {count}", READ_THEM)
    # What lay there before there was a store could not have been read by it; what a dream passed over is no conversation.
    patience_s = 3 * interval_s(preferences)
    long = [path for t, path in sight.moved if t > began_s and now_s - max(t, created_s) > patience_s]
    if has_had_time(world, facts) and (count := _count_read(long, kept)):
        return Check("capture", "no_recent_rows", f"conversations wait to be read for over {span(patience_s)}: {count}",
                     READ_THEM)
    changed, missed = sight.changed, len(sight.missed)
    if changed >= FEWEST_CHANGED and missed * 2 > changed:
        missed = _count_read(sight.missed, kept)
        changed -= len(sight.missed) - missed
    if changed >= FEWEST_CHANGED and missed * 2 > changed:
        return Check("capture", "low_capture_rate", f"only {changed - missed} of {changed} changed transcripts were understood",
                     "run `dream sources`; a format may have changed")
    return fine("capture", f"{changed - missed} of {changed} changed transcripts read, {len(sight.moved)} to come")


def _count_read(paths: Sequence[str], kept: KeptOut) -> int:
    """How many of some conversations dream may read; of very many only some are asked about."""
    return sum(1 for path in paths[:MOST_ASKED] if not kept.holds(path)) + len(paths[MOST_ASKED:])


def _moved(unread: Iterable[tuple[str, int, float]], now_s: float, *, since_s: float) -> list[tuple[float, str]]:
    """When each of them moved: when it spoke last, and never where nothing was said since the last dream.

    Files are touched, copied and ended with lines that nobody said, and the times of some lie ahead. Where the words carry no
    time, the file's own has to do.
    """
    found, dated = [], 0
    for path, offset, touched_s in unread:
        if touched_s > since_s and path.endswith((".jsonl", ".json")) and dated < MOST_DATED:
            dated += 1
            spoke_s = max((s for s in _said_at(path, offset) if s <= now_s), default=touched_s)
            touched_s = min(touched_s, spoke_s) if spoke_s > since_s else 0.0
        if touched_s <= now_s + FUTURE_S:
            found.append((touched_s, path))
    return found


def _said_at(path: str, offset: int) -> list[float]:
    """The times that stand behind an offset, near the end of a file; the beginning of time where nothing was said there."""
    size = _size(path)
    said = _times(path, max(offset, size - TAIL_BYTES))
    if not said and 0 < offset < size <= offset + TAIL_BYTES and _times(path, max(0, offset - TAIL_BYTES)):
        return [0.0]  # a harness marks the end of a conversation, or a name for it, with lines that nobody said
    return said


def _times(path: str, offset: int) -> list[float]:
    found = (stamp(raw.decode()) for raw in _SAID_AT.findall(bytes_at(path, offset, TAIL_BYTES)))
    return [s for s in found if s is not None]


def _size(path: str) -> int:
    facts = facts_of(path)
    return facts.st_size if facts else 0


def _gone(known: Mapping[str, tuple[object, ...]]) -> set[tuple[str, object]]:
    """Names and sizes of conversations that were read to their ends and lie elsewhere by now."""
    return {(os.path.basename(path), row[3]) for path, row in known.items()
            if row[3] and path.endswith((".jsonl", ".json")) and facts_of(path) is None}


def _transcripts(known: Iterable[str]) -> Iterator[tuple[str, int, float]]:
    """Known transcripts and their neighbours of the same kind: (path, size, changed at)."""
    folders: dict[str, set[str]] = {}
    for path in known:
        folder, name = os.path.split(path)
        folders.setdefault(folder, set()).add(os.path.splitext(name)[1])
    seen = 0
    for folder, endings in list(folders.items())[:400]:
        if endings - {".jsonl", ".json"}:
            continue  # notes and databases are not told from their neighbours by their names
        for name in names_in(folder):
            if os.path.splitext(name)[1] in endings and seen < MOST_FILES:
                seen += 1
                facts = facts_of(f"{folder}/{name}")
                if facts is not None and stat.S_ISREG(facts.st_mode):
                    yield f"{folder}/{name}", facts.st_size, facts.st_mtime


def _new_ones(world: World, preferences: Mapping[str, object], known: Mapping[str, object], *,
              since_s: float) -> Iterator[tuple[str, int, float]]:
    """Conversations in folders of the harnesses that nothing was read from yet, as far as they moved since the last dream."""
    beside = {os.path.dirname(path) for path in known}
    for place, deepest in _places(world, preferences):
        for path, facts in _below(place, deepest, [MOST_ENTRIES]):
            if path not in known and os.path.dirname(path) not in beside and facts.st_size and facts.st_mtime > since_s:
                yield path, 0, facts.st_mtime
    for place, deepest in (*foreign_stores.places(world.env, _wanted(preferences)), *_extra(preferences)):
        for path, _ in _below(place, deepest, [MOST_ENTRIES], foreign_stores.ENDINGS):
            touched_s = foreign_stores.touched(path) if path not in known else 0.0
            if touched_s > since_s and foreign_stores.has_rows(path, {}):
                yield path, 0, touched_s


def _places(world: World, preferences: Mapping[str, object]) -> Iterator[tuple[str, int]]:
    person, wanted = world.env.get("HOME", ""), _wanted(preferences)
    for setting, variable, folder, inner, deepest in PLACES:
        moved = world.env.get(variable, "") if variable else ""
        root = os.path.expanduser(moved) if moved else f"{person}/{folder}" if person else ""
        if root and wanted.get(setting, True) is not False:
            yield f"{root}/{inner}", deepest
    yield from _extra(preferences)


def _wanted(preferences: Mapping[str, object]) -> Mapping[str, object]:
    chosen = preferences.get("sources")
    return chosen if isinstance(chosen, dict) else {}


def _extra(preferences: Mapping[str, object]) -> Iterator[tuple[str, int]]:
    """What the settings name beside the harnesses."""
    extra = _wanted(preferences).get("paths", [])
    for path in extra if isinstance(extra, list) else []:
        if isinstance(path, str) and path:
            yield os.path.expanduser(os.path.expandvars(path)), 3


def _below(place: str, deepest: int, left: list[int], endings: tuple[str, ...] = (".jsonl",),
           ) -> Iterator[tuple[str, os.stat_result]]:
    """Transcripts below a folder, those in the folders that changed last first: of very many not all can be looked at."""
    folders = []
    try:
        with os.scandir(place) as entries:
            for entry in entries:
                left[0] -= 1
                if left[0] < 0:
                    break
                if entry.is_dir(follow_symlinks=False):
                    if deepest and entry.name not in PRIVATE_FOLDERS:
                        folders.append((-entry.stat(follow_symlinks=False).st_mtime, entry.path))
                elif entry.name.endswith(endings) and entry.is_file(follow_symlinks=False):
                    yield entry.path, entry.stat(follow_symlinks=False)
    except (OSError, ValueError):
        return  # not there, not ours to read, or gone since
    for _, path in sorted(folders):
        yield from _below(path, deepest - 1, left, endings)
