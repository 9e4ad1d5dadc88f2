"""A fuzzer of our own: seeds in the shapes that programs write, broken at random, given to everything that reads.

An input must end in an answer or in a `DreamError`: no other exception, no more than two seconds, no memory without
bound. It runs in a process of its own whose address space is limited, and says its seed, so that a run can be repeated:

    python tests/property/fuzzing.py --inputs 1000000 --seed 7 [--target settings]
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import signal
import sqlite3
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType, SimpleNamespace

from fuzz_seeds import DATABASES, SEEDS, WORDS

from dreamd import probe
from dreamd.agents import harnesses, hooks
from dreamd.cli.families import intake as note_lines
from dreamd.core import outage, telemetry
from dreamd.core.clock import FixedClock
from dreamd.core.errors import DreamError
from dreamd.core.paths import Paths
from dreamd.core.settings import load_settings
from dreamd.core.values import Cursor, Origin
from dreamd.extraction import gate
from dreamd.notes import Dialect, detect_dialect, diff_person_edits, read_directory, read_entries, read_topic, restate_topic
from dreamd.probing import vital_signs
from dreamd.service.gating import pause
from dreamd.sources import ADAPTERS, adapter_for
from dreamd.store.intake import inbox
from dreamd.text.redaction import redact

Target = Callable[[bytes], object]
LIMIT_S = 2.0
HANG_S = 8.0
"""Time of the processor after which an input is given up; on the clock of the wall it may take as much as a busy machine makes
of that."""
WALL_S = 240.0
ROOM_BYTES = 1 << 30
"""What the whole run may take beyond what was loaded when it began."""
LARGEST_BYTES = 200_000
NOW = datetime(2026, 7, 17, 12, tzinfo=UTC)
class Fuzzer:
    """Breaks seeds: everything follows from the seed of its chance."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)

    def broken(self, seeds: tuple[bytes, ...]) -> bytes:
        """One input."""
        chance = self.chance
        body = bytearray(chance.choice(seeds))
        if chance.random() < 0.15:
            body = bytearray(self._reshaped(bytes(body)))
        for _ in range(chance.choice((1, 1, 2, 3, 5, 8))):
            self._break(body)
        if chance.random() < 0.0005:
            at = chance.randrange(len(body) + 1)
            body[at:at] = chance.choice(WORDS) * chance.randrange(1, LARGEST_BYTES // 8)
        return bytes(body[:LARGEST_BYTES])

    def _break(self, body: bytearray) -> None:
        chance = self.chance
        at, upto = sorted((chance.randrange(len(body) + 1), chance.randrange(len(body) + 1)))
        kind = chance.randrange(9)
        if kind == 0 and body:
            body[min(at, len(body) - 1)] ^= 1 << chance.randrange(8)
        elif kind == 1:
            del body[at:min(upto, at + chance.choice((1, 4, 64, 4000)))]
        elif kind == 2:
            body[at:at] = body[at:min(upto, at + 200)] * chance.choice((1, 2, 5))
        elif kind == 3:
            body[at:upto] = chance.choice(WORDS)
        elif kind == 4:
            del body[at:]
        elif kind == 5:
            body[at:at] = chance.randbytes(chance.choice((1, 2, 8)))
        elif kind == 6:
            other = chance.choice(SEEDS[chance.choice(tuple(SEEDS))])
            body[at:] = other[chance.randrange(len(other) + 1):]
        else:
            body[at:at] = chance.choice(WORDS)

    def _reshaped(self, body: bytes) -> bytes:
        """The same JSON with a value in the wrong place."""
        lines = body.split(b"\n")
        n = self.chance.randrange(len(lines))
        with suppress(ValueError, RecursionError):
            document = json.loads(lines[n])
            self._misplace(document, 0)
            lines[n] = json.dumps(document).encode()
        return b"\n".join(lines)

    def _misplace(self, node: object, depth: int) -> None:
        chance = self.chance
        if not isinstance(node, dict | list) or not node or depth > 6:
            return
        key = chance.choice(list(node) if isinstance(node, dict) else list(range(len(node))))
        if chance.random() < 0.4:
            wrong: tuple[object, ...] = (None, True, 0, -1, 2**70, 1e300, "", "x" * 300, [], {}, [[]], {"text": []}, "\ud800")
            node[key] = chance.choice(wrong)
        else:
            self._misplace(node[key], depth + 1)


def targets(room: Path) -> dict[str, tuple[tuple[bytes, ...], Target]]:
    """Everything that reads what others wrote, each with its seeds."""
    made: dict[str, tuple[tuple[bytes, ...], Target]] = {}
    file, folder = room / "input.jsonl", room / "folder"
    folder.mkdir()
    for adapter in ADAPTERS:
        def read(body: bytes, _adapter: object = adapter) -> None:
            file.write_bytes(body)
            cursor = _adapter.read(file, Cursor(), budget_bytes=1 << 30).cursor  # type: ignore[attr-defined]
            assert not _adapter.read(file, cursor, budget_bytes=1 << 30).events  # type: ignore[attr-defined]

        seeds = (_database(room, DATABASES[adapter.kind]),) if adapter.kind in DATABASES else (
            *SEEDS["lines"], *SEEDS["document"], *SEEDS["markdown"])
        made[f"adapter {adapter.kind}"] = (seeds, read)
    paths, clock = Paths(room / "home"), FixedClock(NOW)
    for directory in (paths.inbox, paths.outage):
        directory.mkdir(parents=True)
    context = SimpleNamespace(world=SimpleNamespace(clock=clock), warn=lambda _words: None)

    def through(path: Path, act: Callable[[], object]) -> Target:
        def target(body: bytes) -> None:
            path.write_bytes(body)
            act()

        return target

    stores = tuple(_database(room, script) for script in DATABASES.values())
    marker, beat = paths.outage / "disk.json", paths.heartbeat
    made |= {
        "recognition": (SEEDS["lines"] + SEEDS["document"] + SEEDS["markdown"] + stores,
                        through(file, lambda: adapter_for(file))),
        "settings": (SEEDS["settings"], through(room / "dream.toml", lambda: load_settings(room / "dream.toml"))),
        "marker": (SEEDS["record"], through(marker, lambda: outage.read_markers(paths.outage, now=NOW))),
        "marker, as the probe reads it": (SEEDS["record"], through(
            marker, lambda: vital_signs.read_markers(probe.World(str(paths.home), NOW, {}, "", True, False)))),
        "heartbeat": (SEEDS["record"], through(beat, lambda: telemetry.read_beat(beat))),
        "pause": (SEEDS["record"], through(paths.paused, lambda: pause.read_pause(paths, NOW))),
        "inbox": (SEEDS["record"], through(paths.inbox / "1.json", lambda: list(inbox.take(paths, [], look_only=True)))),
        "agent's settings": (SEEDS["agent"], lambda body: [
            harnesses.add_hooks(one, body, "dream") for one in harnesses.HARNESSES if one.shape in ("nested", "flat")]),
        "hook": (SEEDS["record"], lambda body: hooks.read_call("user-prompt-submit", body)),
        "note line": (SEEDS["lines"][-1:], lambda body: note_lines._parse_line(context, 1, body, {})),  # type: ignore[arg-type]
        "note text": (SEEDS["text"], _note), "redaction": (SEEDS["text"] + SEEDS["markdown"], lambda b: redact(_text(b))),
        "topic file": (SEEDS["markdown"], _topic), "directory": (SEEDS["markdown"], _directory),
        "edits": (SEEDS["markdown"], _edits),
    }
    return made


def _database(room: Path, script: str) -> bytes:
    path = room / "seed.db"
    path.unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(script)
    return path.read_bytes()


def _text(body: bytes) -> str:
    return body.decode("utf-8", "replace")


def _note(body: bytes) -> None:
    gate(_text(body), origin=Origin.AGENT if len(body) % 2 else Origin.USER, at=NOW, zone=UTC)


def _topic(body: bytes) -> None:
    text = _text(body)
    read_topic("ledger.md", text)
    restate_topic(text, "Something else.", ttl=None)


def _directory(body: bytes) -> None:
    files = {"MEMORY.md": _text(body), "ledger.md": _text(SEEDS["markdown"][0])}
    read_directory(files)
    read_entries(files, detect_dialect(files))
    for dialect in Dialect:
        read_entries(files, dialect)


def _edits(body: bytes) -> None:
    was = {"MEMORY.md": _text(SEEDS["markdown"][1]), "ledger.md": _text(SEEDS["markdown"][0])}
    diff_person_edits(was, {**was, "ledger.md" if len(body) % 2 else "MEMORY.md": _text(body)})


def run(inputs: int, seed: int, room: Path, *, only: str = "") -> list[str]:
    """Try so many inputs in turn over all targets; what went wrong, with the input."""
    chosen = {name: t for name, t in targets(room).items() if only in name}
    fuzzer, wrong, slowest = Fuzzer(seed), [], (0.0, "")
    names = list(chosen)
    for number in (signal.SIGPROF, signal.SIGALRM):
        signal.signal(number, _hang)
    for n in range(inputs):
        name = names[n % len(names)]
        seeds, target = chosen[name]
        body = fuzzer.broken(seeds)
        signal.setitimer(signal.ITIMER_PROF, HANG_S)
        signal.setitimer(signal.ITIMER_REAL, WALL_S)
        started = time.process_time()
        try:
            target(body)
        except DreamError:
            pass
        except (Exception, Hang) as error:  # noqa: BLE001 - whatever it is, it is what a fuzzer looks for
            where = traceback.extract_tb(error.__traceback__)[-1]
            told = f"{name}: {type(error).__name__}: {str(error)[:200]} ({Path(where.filename).name}:{where.lineno})"
            wrong.append(f"{told} on {_kept(body)}")
        took_s = time.process_time() - started
        slowest = max(slowest, (took_s, f"{name}, {len(body)} bytes"))
        if took_s > LIMIT_S:
            wrong.append(f"{name}: {took_s:.1f} s for {len(body)} bytes, {_kept(body)}")
        if len(wrong) >= 20:
            break
    for timer in (signal.ITIMER_PROF, signal.ITIMER_REAL):
        signal.setitimer(timer, 0)
    peak_mib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024 if sys.platform != "darwin" else 1024 * 1024)
    print(f"{n + 1} inputs over {len(names)} readers, seed {seed}, {len(wrong)} faults, slowest {slowest[0]:.2f} s "
          f"({slowest[1]}), peak {peak_mib:.0f} MiB")
    return wrong


class Hang(BaseException):
    """An input that does not come to an end."""


def _hang(_signal: int, _frame: FrameType | None) -> None:
    raise Hang


def _kept(body: bytes) -> str:
    if len(body) <= 400:
        return repr(body)
    path = Path(tempfile.gettempdir()) / f"dream-fuzz-{abs(hash(body)) % 10**8}.bin"
    path.write_bytes(body)
    return str(path)


def main() -> int:
    """Run from the command line, or in a child of a test."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--inputs", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--target", default="")
    options = parser.parse_args()
    redact("warm up: the password is Velvet-Crab-3107 and ghp_" + "aB3" * 12)
    loaded = Path("/proc/self/statm")
    if loaded.exists():
        most_bytes = int(loaded.read_text().split()[0]) * resource.getpagesize() + ROOM_BYTES
        resource.setrlimit(resource.RLIMIT_AS, (most_bytes, most_bytes))
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as room:
        wrong = run(options.inputs, options.seed, Path(room), only=options.target)
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
