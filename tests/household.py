"""A home with a dream in it: how a test feeds a store, runs dreams over it and looks at what came of it.

Everything is the real thing, on a real disk. Only the networks may be stand-ins, and only where a test does not
turn on meaning: then words shared are meaning enough.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import re
import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from dreamd.core.clock import FixedClock, parse_instant
from dreamd.core.paths import Paths
from dreamd.core.settings import Settings, build_settings
from dreamd.core.telemetry import EVENTS_NAME
from dreamd.core.values import Candidate, Memory, MemoryClass, Origin, Status, parse_scope
from dreamd.core.world import World
from dreamd.dream import check, undo, verbs
from dreamd.dream.cycle import CycleReport, Wish, run_cycle
from dreamd.extraction.talk import LASTS, MAY_LAST
from dreamd.judge import Judge
from dreamd.kit import Kit, open_kit
from dreamd.models import DIM, MODEL_ID, Embedder
from dreamd.models.lasting_net import Lasting
from dreamd.store import memories, observations
from dreamd.store.observations import Stored
from dreamd.store.team.pointer import read_pointer
from dreamd.text.redaction import redact
from reading import judge_of_words
from standing_by import linked

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

CEDAR = "project:cedar"
FIRST_DAY = "2026-01-05T09:00:00Z"
FIRST_NIGHT = "2026-01-05T20:00:00Z"
AS_USUAL = Wish()

class SharedWords:
    """Vectors of hashed words: quick, the same everywhere, and near wherever two texts share words."""

    model_id = MODEL_ID
    dim = DIM

    def __init__(self) -> None:
        self.texts = 0

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One unit row a text."""
        import numpy as np

        rows = np.zeros((len(texts), DIM), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            self.texts += 1
            for word in re.findall(r"\w+", text.casefold()) or ["-"]:
                digest = hashlib.sha256(word.encode()).digest()
                row[int.from_bytes(digest[:2], "big") % DIM] += 1.0
            row /= np.linalg.norm(row)
        return rows

    def embed_questions(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The same: here a question is near to what it shares words with."""
        return self.embed(texts)


@dataclass(frozen=True)
class Said:
    """One statement, with as little ceremony as a test can afford."""

    text: str
    scope: str = CEDAR
    origin: Origin = Origin.USER
    conversation: str = ""
    key: str = ""
    at: str = ""
    memory_class: MemoryClass | None = None
    ttl: str | None = None
    explicit: bool = True
    sign: str = ""
    context: str = ""

    def candidate(self, now: str) -> Candidate:
        """The statement as the store takes it."""
        return Candidate(redact(self.text).text, self.origin, parse_instant(self.at or now), parse_scope(self.scope),
                         self.conversation, self.key, self.memory_class, None, self.ttl, self.explicit, self.sign,
                         context=self.context)


def by_its_form(_before: str, _earlier: str, _sentence: str) -> Lasting:
    """A network that adds nothing to a sentence without a sure form and takes nothing from one that has it."""
    return Lasting((LASTS + MAY_LAST) / 2)


@dataclass
class House:
    """A home below a test's own directory, and a person's home beside it that dream may read."""

    root: Path
    embedder: Embedder = field(default_factory=SharedWords)
    settings: Settings = build_settings({})
    persons_own: Path | None = None
    judge: Judge = field(default_factory=judge_of_words)
    reads: bool = False
    """Whether a network reads what a person says to an agent; otherwise its form alone tells what lasts."""

    @property
    def home(self) -> Path:
        return self.root / "home"

    @property
    def person(self) -> Path:
        """The home of the person, which dream reads and never writes."""
        return self.persons_own or self.root / "person"

    @property
    def paths(self) -> Paths:
        return Paths(self.home)

    def furnish(self, **tables: dict[str, object]) -> None:
        """Choose settings by table and key."""
        self.settings = build_settings(tables)

    def world(self, now: str) -> World:
        """The world as it is at some instant."""
        env = {"HOME": str(self.person), "TZ": "UTC"}
        return World(self.paths, self.settings, FixedClock(parse_instant(now)), env)

    @contextmanager
    def kit(self, now: str) -> Iterator[Kit]:
        """An open store at some instant; made when it is not there."""
        with open_kit(self.world(now), create=True, migrate=True) as kit:
            kit.embedder, kit.judge = self.embedder, self.judge
            kit.lasts = None if self.reads else by_its_form
            yield kit

    def say(self, now: str, *said: Said | str) -> list[Stored]:
        """Store statements as observations."""
        candidates = [(Said(s) if isinstance(s, str) else s).candidate(now) for s in said]
        with self.kit(now) as kit, kit.store.writing() as tx:
            return observations.append(tx, candidates, stored_at=kit.clock.now(), key=observations.tombstone_key(kit.store))

    def dream(self, now: str, wish: Wish = AS_USUAL) -> CycleReport:
        """One whole dream."""
        with self.kit(now) as kit:
            return run_cycle(kit, wish)

    def memories(self, *statuses: Status, scope: str | None = None) -> list[Memory]:
        """Memories as they stand."""
        with self.kit(FIRST_DAY) as kit:
            return memories.load_memories(kit.store, scope=parse_scope(scope) if scope else None, statuses=statuses or None)

    def memory(self, words: str) -> Memory:
        """The one memory whose text contains some words."""
        found = [m for m in self.memories() if words in m.text]
        assert len(found) == 1, f"{len(found)} memories with {words!r} among {[m.text for m in self.memories()]}"
        return found[0]

    def file_of(self, words: str) -> Path:
        """The topic file of a memory."""
        memory = self.memory(words)
        return self.paths.scope_dir(memory.scope) / memory.file

    def index(self, scope: str = CEDAR) -> str:
        """The text of a scope's index."""
        return (self.paths.scope_dir(parse_scope(scope)) / "MEMORY.md").read_text()

    def undo(self, now: str, run: str | None = None, *, with_later: bool = False) -> undo.Undone:
        """Take a run back."""
        with self.kit(now) as kit:
            return undo.apply_undo(kit, undo.plan_undo(kit, run), with_later=with_later)

    def redo(self, now: str, run: str) -> int:
        """Hand the observations of an undone run back."""
        with self.kit(now) as kit:
            return undo.redo(kit, run)

    def forget(self, now: str, words: str) -> verbs.Forgotten:
        """Have everything forgotten that contains some words."""
        with self.kit(now) as kit:
            return verbs.forget(kit, [m.id for m in verbs.find_matching(kit, words)])

    def faults(self, now: str) -> list[str]:
        """What `dream check` finds wrong; nothing in a sound home. What a person changed is no fault."""
        with self.kit(now) as kit:
            return [f"{f.name}: {f.detail}" for f in check.check(kit) if f.verdict not in (check.OK, check.EDITED)]

    def rows(self, sql: str, *args: object) -> list[tuple[object, ...]]:
        """Look into the store from outside; on a server as any other reader."""
        if self.paths.store.exists() and read_pointer(self.paths.store):
            with self.kit(FIRST_DAY) as kit:
                return [tuple(row) for row in kit.store.tuples(sql, *args)]
        with closing(sqlite3.connect(self.paths.store)) as connection:
            return connection.execute(sql, args).fetchall()

    def copy_to(self, root: Path) -> House:
        """The same home elsewhere, to the byte and the time of every file; the person's home is shared."""
        other = House(root, self.embedder, self.settings, self.person, self.judge, self.reads)
        if not self.home.exists():
            return other
        shutil.copytree(self.home, other.home, symlinks=True, copy_function=linked)
        with closing(sqlite3.connect(other.paths.store)) as connection:
            for (path,) in connection.execute("SELECT path FROM file").fetchall():
                if (other.home / path).exists():
                    inode = (other.home / path).stat().st_ino
                    connection.execute("UPDATE file SET inode = ? WHERE path = ?", (inode, path))
            connection.commit()
        return other


def events_in(paths: Paths) -> list[dict[str, object]]:
    """What the newest log of events holds, oldest first."""
    return [json.loads(line) for line in (paths.logs / EVENTS_NAME).read_text().splitlines()]


STATE = {
    "memories": """SELECT m.id, m.scope, w.text, class, type, category, taxonomy, status, trust, authority, created_at,
                     updated_at, confirmed_at, valid_from, valid_to, ttl, superseded_by, pinned, edited, unverified, reason,
                     file, rev FROM memory m LEFT JOIN wording w ON w.sha = m.wording ORDER BY m.id""",
    "support": "SELECT memory, o.id FROM support s JOIN observation o ON o.seq = s.observation ORDER BY 1, 2",
    "links": "SELECT a, b, relation FROM link ORDER BY 1, 2, 3",
    "observations": """SELECT o.id, text, origin, at, scope, conversation, key, class_hint, ttl, explicit, sign, target,
                         context, fate, f.reason, f.memory, f.evidence, f.set_aside FROM observation o
                       LEFT JOIN fate f ON f.observation = o.seq ORDER BY o.id""",
    "journal": "SELECT memory, op, scope, reason, evidence, before, after FROM operation ORDER BY memory, run, seq",
    "files": "SELECT path, sha, body, memory, scope FROM file ORDER BY path",
    "intents": "SELECT path FROM intent ORDER BY path",
    "cursors": """SELECT s.kind, c.offset, c.size, c.prefix_sha, c.carry, c.talk
                  FROM cursor c JOIN source s ON s.id = c.source ORDER BY s.id""",
    "vectors": "SELECT wording, model, hex(body) FROM vector ORDER BY wording, model",
    "words": "SELECT m.id, x.words FROM memory_words x JOIN memory m ON m.seq = x.rowid ORDER BY m.id",
    "tombstones": "SELECT hash FROM tombstone ORDER BY hash",
    "recalls": "SELECT memory, times, last_at FROM recall ORDER BY memory",
}
"""Everything a store means. What only tells when and in how many attempts it came about is left out."""
WRITTEN = ("memory", "archive", "inbox", "conflicts")


def snapshot(home: Path) -> dict[str, object]:
    """What a home means: memories, fates, journal, and the bytes of every file a person or an agent may read."""
    with closing(sqlite3.connect(home / "dream.db")) as connection:
        state: dict[str, object] = {name: connection.execute(sql).fetchall() for name, sql in STATE.items()}
    state["on disk"] = {str(p.relative_to(home)): p.read_bytes()
                        for top in WRITTEN for p in sorted((home / top).rglob("*")) if p.is_file()}
    return state


def differences(one: dict[str, object], other: dict[str, object]) -> list[str]:
    """The names of what is not the same in two snapshots."""
    return [name for name in one if one[name] != other[name]]


def words_of(path: Path) -> bytes:
    """What is in a file, unpacked where it is packed."""
    body = path.read_bytes()
    return gzip.decompress(body) if body.startswith(b"\x1f\x8b") else body


def every_byte(home: Path) -> dict[str, tuple[bytes, int, int]]:
    """All files of a home with bytes, mode and time of the last change: to show that nothing was touched."""
    return {str(p.relative_to(home)): (p.read_bytes(), p.stat().st_mode, p.stat().st_mtime_ns)
            for p in sorted(home.rglob("*")) if p.is_file()}


def bare_commands(shown: str) -> str:
    """What was printed, without the home and the settings file that commands in it name."""
    return re.sub(r" --(?:home|config) [^\s`]+", "", shown)
