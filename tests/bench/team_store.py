"""What a team's store costs as it grows: disk, recall beside the same scope alone, and a night; ratios, for machines differ.

Rows are loaded in bulk as a dream would have written them, by a member of the tenant, through policies, triggers and seals.
Vectors and words are drawn: nothing here is about meaning, and the networks' own time is left out.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))

from dreamd.core.identity import content_id, text_sha
from dreamd.core.values import parse_scope
from dreamd.models import DIM, MODEL_ID
from dreamd.recall.answer import search
from dreamd.recall.retrieve import Look
from dreamd.store.team import team_vectors, word_ranks
from dreamd.store.team.database import Database
from dreamd.store.team.pointer import point
from dreamd.store.word_search import index_words
from household import House, Said
from team_hands import until, worker_process
from team_server import ENDING, Server, running

AT, NIGHT = "2026-01-06T12:00:00Z", "2026-01-07T20:00:00Z"
SETTINGS = "-c listen_addresses='' -c shared_buffers=256MB -c max_wal_size=2GB"
LEFT_OUT = "not done for lack of time"
BATCH = 500
LOST_AFTER_S = 60
"""Longer than a busy machine makes a worker wait: work that is taken from one that is alive is done twice."""
WORDS = [f"{a}{b}{c}" for a in ("ba", "ke", "lu", "mor", "ni", "sta", "tren", "vo") for b in ("ra", "le", "mi", "do", "sun")
         for c in ("", "n", "ter", "gat", "lo", "rim", "sk", "ven", "dor", "pel")]


@dataclass
class Drawn:
    """Words and vectors that are the same in each run, and as near to each other within a scope as they are apart elsewhere."""

    seed: int
    rng: np.random.Generator = field(init=False)
    dice: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self.rng, self.dice = np.random.default_rng(self.seed), random.Random(self.seed)

    def text(self, n: int) -> str:
        """A statement of a dozen words, common ones and rare ones."""
        some = [WORDS[min(int(self.dice.paretovariate(0.6)) - 1, len(WORDS) - 1)] for _ in range(10)]
        return f"The {' '.join(some)} has {n} of {self.dice.choice(WORDS)}"

    def rows(self, count: int) -> np.ndarray[Any, Any]:
        """Unit vectors."""
        rows = self.rng.standard_normal((count, DIM)).astype(np.float32)
        return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float16)


class TimeIsUp(Exception):
    """There is no time left for what it names."""


class Asking:
    """What reads a question here: it is a memory's own vector, a little off."""

    model_id, dim = MODEL_ID, DIM

    def __init__(self) -> None:
        self.row = np.zeros(DIM, np.float32)

    def embed_questions(self, _texts: Sequence[str]) -> np.ndarray[Any, Any]:
        """The row that was put here."""
        return self.row[None, :]

    embed = embed_questions


class Asked(NamedTuple):
    """What a question costs: CPU, which a busy machine changes little, and what the clock says."""

    cpu_ms: float
    clock_ms: float

    def __str__(self) -> str:
        return f"{self.cpu_ms} ({self.clock_ms})"


@dataclass
class Town:
    """A tenant on a server of its own, with all that was loaded into it."""

    server: Server
    house: House
    base: Database
    drawn: Drawn
    count: int = 0
    nights: int = 0
    known: dict[str, list[tuple[str, np.ndarray[Any, Any]]]] = field(default_factory=dict)

    def load(self, scope: str, count: int) -> None:
        """Load memories of a scope."""
        for start in range(0, count, BATCH):
            self._load(scope, min(BATCH, count - start))

    def _load(self, scope: str, count: int) -> None:
        # The nights between two sizes number rows of their own.
        first = 1 + self.base.ask("""SELECT GREATEST((SELECT COALESCE(MAX(seq), 0) FROM memory),
                                                     (SELECT COALESCE(MAX(seq), 0) FROM observation))""")[0][0]
        texts = [self.drawn.text(first + n) for n in range(count)]
        rows = self.drawn.rows(count)
        told = [_rows(first + n, scope, text, row) for n, (text, row) in enumerate(zip(texts, rows, strict=True))]
        self.count += count
        self.known.setdefault(scope, []).extend(list(zip(texts, rows, strict=True))[:20])
        self.base.begin(alone=True)
        try:
            for table in told[0]:
                every = [row for one in told for row in one[table]]
                columns = ", ".join(f'"{name}"' for name in every[0])
                cells = ", ".join(f'"{name}" {_kind(value)}' for name, value in every[0].items())
                values = ", ".join("as_vector(body)" if name == "body" else f'"{name}"' for name in every[0])
                self.base.ask(f"""INSERT INTO {table} ({columns})
                                  SELECT {values} FROM jsonb_to_recordset(%s::jsonb) AS r ({cells})""", [json.dumps(every)])
            self.base.commit()
        except BaseException:
            self.base.rollback()
            raise

    def ask(self, scope: str, times: int) -> Asked:
        """What a question in a scope costs, here and on the server, once both are warm."""
        with self.house.kit(NIGHT) as kit:
            chosen = kit.settings
            kit.world = replace(kit.world, settings=replace(chosen, recall=replace(chosen.recall, answer_weight=0.0)))
            kit.embedder = asking = Asking()  # type: ignore[assignment]
            look, took = Look(scopes=(parse_scope(scope),), record=False), list[float]()
            for n in range(-5, times):
                if n == 0:
                    spent = time.process_time() + self.server_cpu_s()
                text, row = self.known[scope][n % len(self.known[scope])]
                asking.row = row.astype(np.float32) + 0.02
                asking.row /= np.linalg.norm(asking.row)
                start = time.perf_counter()
                found = search(kit, " ".join(text.split()[2:6]), look)
                took.append(1000 * (time.perf_counter() - start))
                assert found.results, "a question found nothing"
            spent = time.process_time() + self.server_cpu_s() - spent
        return Asked(round(1000 * spent / times, 2), round(statistics.median(took[5:]), 1))

    def bytes_of(self) -> list[tuple[str, int]]:
        """The tables and indexes, the largest first."""
        rows = self.base.ask("""SELECT c.relname, pg_relation_size(c.oid) + COALESCE(pg_relation_size(c.reltoastrelid), 0)
            FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE n.nspname = 'dream' AND c.relkind IN ('r', 'i') ORDER BY 2 DESC""")
        return [(str(name), int(size)) for name, size in rows]

    def settle(self) -> None:
        """Let the server look at what it has, as it does by itself in time."""
        import psycopg

        with psycopg.connect(self.server.url("postgres"), autocommit=True) as session:
            session.execute("VACUUM ANALYZE")

    def server_cpu_s(self) -> float:
        """CPU of the server's processes until now."""
        first = int((self.server.socket / "data" / "postmaster.pid").read_text().split()[0])
        ticks = 0
        for stat in Path("/proc").glob("[0-9]*/stat"):
            try:
                cells = stat.read_text().rpartition(") ")[2].split()
            except OSError:
                continue
            if int(stat.parent.name) == first:
                ticks += sum(map(int, cells[11:15]))
            elif int(cells[1]) == first:
                ticks += sum(map(int, cells[11:13]))
        return ticks / os.sysconf("SC_CLK_TCK")


def _kind(value: object) -> str:
    return "bigint" if isinstance(value, int) else "int[]" if isinstance(value, list) else "float8" if isinstance(
        value, float) else "text"


def _rows(n: int, scope: str, text: str, vector: np.ndarray[Any, Any]) -> dict[str, list[dict[str, Any]]]:
    """What a dream leaves of one statement."""
    sha, said, memory = text_sha(text), content_id("said", str(n), size=24), content_id("memory", str(n))
    places = word_ranks.places(index_words(text))
    facts = {"id": memory, "scope": scope, "wording": sha, "class": "reference", "type": "project", "category": "operations",
             "taxonomy": 1, "status": "live", "trust": "user", "authority": "user", "created_at": AT, "updated_at": AT,
             "confirmed_at": AT, "valid_from": AT, "file": f"{memory}.md"}
    return {
        "observation": [{"seq": n, "id": said, "text": text, "origin": "user", "at": AT, "scope": scope,
                         "conversation": f"c{n}", "key": f"k{n}", "stored_at": AT}],
        "fate": [{"observation": n, "fate": "new", "reason": "new", "memory": memory, "run": 1}],
        "wording": [{"sha": sha, "text": text}], "memory": [{"seq": n, **facts}],
        "support": [{"memory": memory, "observation": n}],
        "operation": [{"run": 1, "seq": n, "op": "create", "memory": memory, "scope": scope, "reason": "new",
                       "after": json.dumps({**facts, "observations": [said]})}],
        "memory_words": [{"memory": n, "word": word, "places": where} for word, where in places.items()],
        "memory_length": [{"memory": n, "words": sum(map(len, places.values()))}],
        "vector": [{"wording": sha, "model": MODEL_ID, "body": team_vectors.line_of(vector), "scope": scope}],
    }


def settle_in(server: Server, root: Path, seed: int) -> Town:
    """An empty tenant."""
    house, name = House(root), server.tenant()
    house.home.mkdir(parents=True)
    point(house.paths.store, server.url("worker"), name)
    base = Database(server.url("worker"), name)
    base.ask("""INSERT INTO run (seq, id, kind, now, started_at, ended_at, outcome)
                VALUES (1, 'r1', 'dream', %s, %s, %s, 'changed')""", [AT, AT, AT])
    return Town(server, house, base, Drawn(seed))


def measure(sizes: argparse.Namespace) -> Iterator[tuple[str, object]]:
    """Every figure, one after the other: scopes alone, then among more and more others; and what there was no time for."""
    small, large, asks, end = sizes.small, sizes.large, sizes.asks, time.monotonic() + 60 * sizes.minutes
    if time.monotonic() >= end:
        yield LEFT_OUT, "everything"
        return
    with tempfile.TemporaryDirectory() as place, running(settings=SETTINGS) as server:
        town = settle_in(server, Path(place) / "small", 1)
        town.load("project:small", small)
        town.settle()
        alone = {"project:small": town.ask("project:small", asks)}
        yield f"recall in a scope of {small:,} alone, ms of CPU (of the clock)", alone["project:small"]
    with tempfile.TemporaryDirectory() as place, running(settings=SETTINGS) as server:
        town = settle_in(server, Path(place) / "large", 1)
        town.load("project:large", large)
        town.settle()
        alone["project:large"] = town.ask("project:large", asks)
        yield f"recall in a scope of {large:,} alone, ms of CPU (of the clock)", alone["project:large"]
        town.load("project:small", small)
        for size in sorted(sizes.memories):
            try:
                yield from _crowded(town, size, sizes, alone, end)
            except TimeIsUp as stopped:
                yield LEFT_OUT, f"at {size:,}: {stopped}; and all beyond that"
                return


def _crowded(town: Town, size: int, sizes: argparse.Namespace, alone: dict[str, Asked], end: float,
             ) -> Iterator[tuple[str, object]]:
    """All that is measured of a store of one size.

    Raises TimeIsUp with what there was no time for.
    """
    began, before, at = time.perf_counter(), town.count, f"at {size:,}"
    while town.count < size:
        _hurry(end, f"loading, which had come to {town.count:,}")
        town.load(f"project:other-{len(town.known)}", min(sizes.small, size - town.count))
    if town.count > before:
        yield f"{at}: loaded, memories a second", round((town.count - before) / (time.perf_counter() - began))
    town.settle()
    parts = town.bytes_of()
    yield f"{at}: kB of disk a memory", round(sum(size for _, size in parts) / town.count / 1000, 2)
    yield f"{at}: where it goes, bytes a memory", {name: round(size / town.count) for name, size in parts[:14]}
    for name, first in alone.items():
        asked, count = town.ask(name, sizes.asks), sizes.small if name.endswith("small") else sizes.large
        yield f"{at}: recall in a scope of {count:,}, ms of CPU (of the clock)", asked
        yield f"{at}: recall in a scope of {count:,}, times the same alone, CPU", round(asked.cpu_ms / first.cpu_ms, 2)
    for workers in (1, 2):
        yield from _night(town, at, sizes.new or town.count // 100, workers, end)


def _hurry(end: float, what: str) -> None:
    if time.monotonic() >= end:
        raise TimeIsUp(what)


def _night(town: Town, at: str, new: int, workers: int, end: float) -> Iterator[tuple[str, object]]:
    """A night with some new observations, in scopes as they come, by workers in processes of their own."""
    tenant, server, scopes = town.server.tenants[-1], town.server, list(town.known)
    told = f"a night with {new:,} new, workers: {workers}"
    _hurry(end, told)
    town.nights += 1
    town.house.say(NIGHT, *(Said(f"The {WORDS[n % len(WORDS)]} gate {n} opens at {n % 24} o'clock on channel {town.nights}{n}",
                                 scope=scopes[n % len(scopes)], conversation=f"n{n}") for n in range(new)))
    before = server.ask("SELECT COALESCE(max(id), 0) FROM dream_work.procrastinate_workers")[0][0]
    with ExitStack() as held:
        at_work = [held.enter_context(worker_process(town.house.root / f"hand{n}", server.url("worker"), tenant,
                                                     now="2026-01-08T20:00:00Z", lost_after_s=LOST_AFTER_S))
                   for n in range(workers)]
        until(lambda: server.ask("SELECT count(*) FROM dream_work.procrastinate_workers WHERE id > %s",
                                 before)[0][0] >= workers, within_s=600)
        own, theirs, began = sum(map(_cpu_s, at_work)), town.server_cpu_s(), time.perf_counter()
        server.hurry(tenant)
        until(lambda: time.monotonic() >= end or not server.ask(
            "SELECT 1 FROM dream_work.procrastinate_jobs WHERE tenant = %s AND task_name = 'dream' "
            "AND status IN ('todo', 'doing') LIMIT 1", tenant), within_s=36_000)
        _hurry(end, told)
        took, spent, base = time.perf_counter() - began, sum(map(_cpu_s, at_work)) - own, town.server_cpu_s() - theirs
        peak = max(int(_status(process, "VmHWM")) for process in at_work) // 1024
    told = f"{at}: {told}"
    yield f"{told}, ms each", round(1000 * took / new, 1)
    yield f"{told}, CPU of workers, ms each", round(1000 * spent / new, 1)
    yield f"{told}, CPU of the database, ms each", round(1000 * base / new, 1)
    yield f"{told}, most memory of a worker, MiB", peak


def _cpu_s(process: subprocess.Popen[str]) -> float:
    cells = Path(f"/proc/{process.pid}/stat").read_text().rpartition(") ")[2].split()
    return sum(map(int, cells[11:13])) / os.sysconf("SC_CLK_TCK")


def _status(process: subprocess.Popen[str], name: str) -> str:
    lines = Path(f"/proc/{process.pid}/status").read_text().splitlines()
    return next(line.split()[1] for line in lines if line.startswith(name))


def plot(told: dict[str, object], sizes: Sequence[int], path: Path) -> None:
    """How what is dear grows with the store."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, 3, figsize=(13, 4))
    wanted = (("recall, times the same alone", "times the same alone, CPU"), ("a night, ms a new observation", "ms each"),
              ("kB of disk a memory", "kB of disk"))
    for axis, (title, words) in zip(axes, wanted, strict=True):
        kinds = sorted({name.partition(": ")[2] for name in told if words in name})
        for kind in kinds:
            points = [(size, told[f"at {size:,}: {kind}"]) for size in sizes if f"at {size:,}: {kind}" in told]
            axis.plot(*zip(*points, strict=True), marker="o", label=kind.replace(words, "").strip(", "))
        axis.set(title=title, xscale="log", xlabel="memories", ylim=(0, None))
        axis.legend(fontsize=6)
    figure.tight_layout()
    figure.savefig(path)


def main() -> None:
    """Print every figure as it comes, and keep them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memories", type=int, nargs="+", default=[10_000, 60_000], help="in all, one size after the other")
    parser.add_argument("--large", type=int, default=5_000, help="of the large scope")
    parser.add_argument("--small", type=int, default=500, help="of every other scope")
    parser.add_argument("--asks", type=int, default=40, help="questions of which the mean is told")
    parser.add_argument("--new", type=int, default=0, help="observations of a night; 0: one for each hundred memories")
    parser.add_argument("--minutes", type=float, default=50, help="after which nothing more is begun")
    parser.add_argument("--json", type=Path, default=Path("build/team_store.json"))
    chosen = parser.parse_args()
    ENDING.heed()
    print(f"a scope of {chosen.large:,}, others of {chosen.small:,}; {os.cpu_count()} processors", flush=True)
    told: dict[str, object] = {}
    chosen.json.parent.mkdir(parents=True, exist_ok=True)
    for name, value in measure(chosen):
        told[name] = value
        print(f"{name}: {value}", flush=True)
        chosen.json.write_text(json.dumps({"sizes": vars(chosen), "figures": told}, indent=1, default=str))
    if any(name.startswith("at ") for name in told):
        plot(told, sorted(chosen.memories), chosen.json.with_suffix(".png"))


if __name__ == "__main__":
    main()
