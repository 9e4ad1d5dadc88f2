"""What stands in the home: folders that are folders, locks that are files, and the pages that agents read."""

from __future__ import annotations

import os
import re
import stat
from codecs import getincrementaldecoder
from collections.abc import Iterable

from dreamd.probing.health import Check, Facts, World, fine
from dreamd.probing.peek import bytes_at, facts_of

FOLDERS = ("memory", "locks", "inbox", "outage", "derived", "archive", "backups", "conflicts", "damaged", "logs",
           "primed", "models", "asked")
LOCKS = ("service.lock", "dream.lock", "write.lock", "gate.lock", "requests.lock", "install.lock")
FILES = ("dream.db", "dream.db-wal", "dream.db-shm", "own-files", ".founded", "paused.json", "heartbeat.json",
         "cycle.json", "deferred.json")
FEWEST_GONE = 3
LOOKED_AT_BYTES = 65_536
FEWEST_SIGNS, FEWEST_OF_THEM = 4, 16
"""Fewer different signs than that, over and over, are no words."""
_HEAD_CUT = re.compile(rb"---\r?\n(?: *[a-z_]+:[^\n]*\n)*(?: *[a-z_]+(?::[^\n]*)?)?")
"""Frontmatter that never ends."""
_MERGE_MARKS = (b"\n<<<<<<< ", b"\n=======")
"""What a merge leaves behind in a file that it could not settle."""
AGAIN = "`dream check --repair` writes anew from the store what is gone"
FIRST = "take away what stands there, then `dream check --repair` writes it anew from the store"


def check_layout(world: World) -> Check:
    """Folders and files that dream needs and that something else stands in the place of."""
    # A home that is read only as a whole is a person's choice; one closed file in it is an accident.
    needed = os.R_OK | os.W_OK if os.access(world.home, os.W_OK) else os.R_OK
    for name, wanted in (*((n, stat.S_ISDIR) for n in FOLDERS), *((n, stat.S_ISREG) for n in FILES),
                         *((f"locks/{n}", stat.S_ISREG) for n in LOCKS)):
        facts = facts_of(f"{world.home}/{name}")
        if facts is None:
            continue
        kind = "folder" if wanted is stat.S_ISDIR else "file"
        hint = f"put a {kind} of your own in the place of `{world.home}/{name}`, or take it away"
        if stat.S_ISLNK(facts.st_mode):
            told = "is a link, and dream goes through none"
        elif not wanted(facts.st_mode):
            told = f"is no {kind}"
        elif facts.st_uid != os.geteuid():
            told = f"belongs to user {facts.st_uid}"
        elif not os.access(f"{world.home}/{name}", needed):
            told, hint = "may not be used by its owner", f"`chmod u+rwX {world.home}/{name}`, or `chattr -i` on Linux"
        else:
            continue
        return Check("home", "blocked", f"`{name}` in the home {told}: no dream can do its work", hint)
    return fine("home", "everything stands where it should")


def check_files(world: World, facts: Facts) -> Check:
    """The pages that agents read: there, plain, and not emptied all at once. What a person changed in them is no fault."""
    indexes = [path for path, memory in facts.files if not memory and path.endswith("/MEMORY.md")]
    for path in indexes:
        if told := _fault_of(world.home, path):
            return Check("files", "blocked", f"`{path}` {told}: agents do not read what dream knows",
                         AGAIN if told.startswith("is gone") else FIRST)
    topics = [path for path, memory in facts.files if memory]
    for path in topics:
        if told := _taken_by(f"{world.home}/{path}"):
            return Check("files", "blocked", f"`{path}` {told}: dream neither reads nor writes it", FIRST)
    gone = sum(1 for path in topics if _is_spoilt(f"{world.home}/{path}"))
    if gone >= FEWEST_GONE and gone * 2 > len(topics):
        return Check("files", "blocked", f"{gone} of {len(topics)} notes are gone, empty or damaged", AGAIN if all(
            facts_of(f"{world.home}/{path}") is None for path in topics if _is_spoilt(f"{world.home}/{path}")) else FIRST)
    return fine("files", f"{len(indexes)} {'index' if len(indexes) == 1 else 'indexes'} in place")


def _fault_of(home: str, path: str) -> str:
    for folder in _above(path):
        facts = facts_of(f"{home}/{folder}")
        if facts is None:
            return f"is gone with `{folder}`"
        if not stat.S_ISDIR(facts.st_mode):
            return f"stands behind `{folder}`, which is {'a link' if stat.S_ISLNK(facts.st_mode) else 'no folder'}"
    facts = facts_of(f"{home}/{path}")
    if facts is None:
        return "is gone"
    if told := _taken_by(f"{home}/{path}"):
        return told
    return "is empty or damaged" if _is_spoilt(f"{home}/{path}") else ""


def _taken_by(path: str) -> str:
    """What stands where a file should; nothing where one does, or nothing at all."""
    facts = facts_of(path)
    if facts is None or stat.S_ISREG(facts.st_mode):
        return ""
    return "is a link" if stat.S_ISLNK(facts.st_mode) else "is no file"


def _above(path: str) -> Iterable[str]:
    """The folders a file lies in, from the home downwards."""
    parts = path.split("/")
    return ("/".join(parts[:n]) for n in range(1, len(parts)))


def _is_spoilt(path: str) -> bool:
    """No file, an empty one, no text, a few signs over and over, a cut head, the same twice, or two versions in one."""
    start = bytes_at(path, 0, LOOKED_AT_BYTES)
    bare = b"".join(start.split())
    few = len(set(bare)) < FEWEST_SIGNS and (not bare or len(bare) >= FEWEST_OF_THEM)
    half = len(start) // 2
    twice = len(start) >= 2 * FEWEST_OF_THEM and start[:half] == start[half:]
    return few or twice or b"\0" in start[:64] or not _is_text(start) or _HEAD_CUT.fullmatch(start) is not None or all(
        mark in b"\n" + start for mark in _MERGE_MARKS)


def _is_text(start: bytes) -> bool:
    try:
        getincrementaldecoder("utf-8")().decode(start)  # where the look ends inside a letter, that is no fault
    except UnicodeDecodeError:
        return False
    return True
