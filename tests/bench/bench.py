"""What dream costs, measured: `python tests/bench/bench.py [--sizes 1000,5000,20000] [section …]`.

Every measurement runs in a process of its own, so that CPU seconds and the peak of memory belong to it alone. "Above
bare" is the peak of resident memory less that of the same process right after its imports. One thread throughout.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import platform
import resource
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any  # results of a measurement, printed and dropped

if TYPE_CHECKING:
    from dreamd.models import Embedder

sys.path.insert(0, str(Path(__file__).parent))
from generate import Generated, generate, given_vectors

SIZES = (1000, 5000, 20_000)
FRESH = 100
NOW = datetime(2026, 5, 1, 3, tzinfo=UTC)
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
MIB = 1024 * 1024


def main() -> int:
    """Run the sections asked for, all of them by default."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sections", nargs="*", choices=[*SECTIONS, []], help="sections to run; all by default")
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)), help="numbers of memories, comma separated")
    parser.add_argument("--child", nargs=2, metavar=("STEP", "ARGUMENTS"), help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.child:
        print(json.dumps(STEPS[args.child[0]](**json.loads(args.child[1]))))
        return 0
    sizes = [int(size) for size in args.sizes.split(",")]
    print(f"$ {shlex.join(['python', *sys.argv])}\n{_machine()}\n")
    for name in args.sections or SECTIONS:
        SECTIONS[name](sizes)
    return 0


# --- sections -------------------------------------------------------------------------------------------------------


def bench_embedding(_sizes: list[int]) -> None:
    """Texts per CPU second beside sentence-transformers' own `encode`, in one process with the same texts."""
    found = _child("embedding", counts=[10, 100, 1000])
    print("embedding: distinct short texts, one thread, texts per CPU second (best of 3)")
    print(f"  {'texts':>6} {'light':>8} {'torch':>8} {'encode()':>9} {'gain':>6}   least cosine of light and encode()")
    for row in found["rows"]:
        print(f"  {row['count']:>6} {row['light']:>8.0f} {row['torch']:>8.0f} {row['theirs']:>9.0f}"
              f" {row['light'] / row['theirs']:>5.2f}x   {row['least']:.4f}")
    print(f"  CPU s to import and load: light {found['light_load_s']:.2f}, "
          f"sentence-transformers {found['theirs_load_s']:.2f}; to make and keep light's graphs once {found['make_s']:.2f}")
    cold = sorted((_child("cold_query") for _ in range(5)), key=lambda one: one["wall_s"])[2]
    print(f"  import, load and one query from nothing: {cold['wall_s']:.2f} s, {cold['above_bare_mib']:.0f} MiB\n")


def bench_pairs(_sizes: list[int]) -> None:
    """The trained judge: start, single readings, and hard pairs with the rules before and after it."""
    cold = sorted((_child("cold_pair") for _ in range(5)), key=lambda one: one["wall_s"])[2]
    found = _child("pairs")
    print("pairs: of the groups that training kept back, 12 to 30 words together; one thread")
    print(f"  import, load and one pair from nothing: {cold['cpu_s']:.2f} CPU s, {cold['wall_s']:.2f} s, "
          f"{cold['above_bare_mib']:.0f} MiB above bare; heavy libraries imported: {cold['heavy'] or 'none'}")
    print(f"  {found['count']} pairs of {found['pieces']:.1f} words: {found['readings_per_s']:.0f} readings per CPU s")
    print(f"  judged: {found['asked']:.0%} of the pairs are read; "
          f"{found['judged_per_s']:.0f} pairs per CPU s, {1e4 / found['judged_per_s']:.0f} CPU s for 10,000")
    print(f"  judged with as many strangers: {found['mixed_per_s']:.0f} pairs per CPU s, "
          f"{1e4 / found['mixed_per_s']:.0f} CPU s for 10,000\n")


def bench_neighbours(sizes: list[int]) -> None:
    """The neighbours of every one of given vectors, and one query."""
    print("neighbours: the 16 nearest of each among given vectors; one query")
    for size in sizes:
        with tempfile.TemporaryDirectory(prefix="dream-bench-") as folder:
            _child("vectors", count=size, path=f"{folder}/rows.npy")
            found = _child("neighbours", path=f"{folder}/rows.npy")
        print(f"  {size:>6}: {found['cpu_s']:>6.2f} CPU s, {found['above_bare_mib']:>4.0f} MiB above bare; "
              f"one query {found['query_ms']:.2f} ms")
    print()


def bench_dream(sizes: list[int]) -> None:
    """Whole dreams over generated memories, then a few new ones, then nothing to do."""
    if not _can_dream():
        return
    print("dream: over generated memories with given vectors, 30 % of them near-duplicates")
    for size in sizes:
        with tempfile.TemporaryDirectory(prefix="dream-bench-") as home:
            _child("fill", home=home, first=0, count=size, total=size + FRESH)
            first = _child("dream", home=home)
            _child("fill", home=home, first=size, count=FRESH, total=size + FRESH)
            more = _child("dream", home=home)
            idle = _child("dream", home=home)
            truth = _child("truth", home=home, total=size + FRESH)
        _print_dream(f"{size} new", first)
        _print_dream(f"{FRESH} new into {size}", more)
        _print_dream(f"nothing to do, {size}", idle)
        print(f"  {'':<26} {truth['facts']} facts in {truth['live']} live memories; wrongly held {truth['only_held']}, "
              f"wrongly ended {truth['lost']}, mixed in one memory {truth['mixed']}")
    print()


def bench_growth(sizes: list[int]) -> None:
    """What a store costs as it grows: a dream with nothing to do, one with a few new statements, and the disk."""
    print("growth: memories put there in bulk, their vectors given; times the smallest store")
    for size in sizes:
        with tempfile.TemporaryDirectory(prefix="dream-bench-") as home:
            _child("stock", home=home, count=size)
            _child("dream", home=home)
            idle = min((_child("dream", home=home) for _ in range(3)), key=lambda one: one["cpu_s"])
            _child("fill", home=home, first=size, count=FRESH, total=size + FRESH)
            more = _child("dream", home=home)
            disk = _child("disk", home=home)
        if size == sizes[0]:
            least, least_more = idle["cpu_s"], more["cpu_s"]
        _print_dream(f"nothing to do, {size}", idle)
        _print_dream(f"{FRESH} new into {size}", more)
        print(f"  {'':<26} nothing to do {idle['cpu_s'] / least:.2f}x, {FRESH} new {more['cpu_s'] / least_more:.2f}x; a memory "
              f"takes {disk['each'] / 1000:.2f} kB (" + ", ".join(f"{name} {n}" for name, n in disk["parts"].items()) + ")")
    print()


def bench_shell(_sizes: list[int]) -> None:
    """Commands as a person or a hook starts them."""
    dream, probe = (str(Path(sys.executable).parent / name) for name in ("dream", "dream-probe"))
    if not Path(dream).exists():
        return
    commands = {"dream --help": [dream, "--help"], "dream-probe": [probe],
                "dream note": [dream, "note", "The quay crane is painted every spring"],
                "dream search": [dream, "search", "when is the crane painted?"]}
    print("shell: milliseconds from start to exit (median and worst of 11), CPU milliseconds (median)")
    with tempfile.TemporaryDirectory(prefix="dream-bench-") as home:
        env = {**os.environ, **ONE_THREAD, "DREAM_HOME": f"{home}/home", "HOME": home}
        for setup in (commands["dream note"], [dream, "consolidate", "--json"]):
            subprocess.run(setup, env=env, capture_output=True, check=True)
        for name, command in commands.items():
            took = [_timed(command, env) for _ in range(11)]
            walls = sorted(wall for wall, _ in took)
            print(f"  {name:<14} {walls[5]:>6.0f} {walls[-1]:>6.0f} {statistics.median(cpu for _, cpu in took):>6.0f}")
    print()


def bench_page(sizes: list[int]) -> None:
    """Answers of the page over a full store, beside those over one with nothing in it."""
    print("page: milliseconds until the server has answered, of the processor in brackets (medians of 15); times an empty "
          "store")
    with tempfile.TemporaryDirectory(prefix="dream-bench-") as folder:
        empty = _child("page", home=f"{folder}/empty")
        for size in sizes:
            _child("stock", home=f"{folder}/{size}", count=size)
            _child("fill", home=f"{folder}/{size}", first=size, count=FRESH, total=size + FRESH)
            _child("dream", home=f"{folder}/{size}")
            full = _child("page", home=f"{folder}/{size}")
            told = ", ".join(f"{name} {ms:.0f} ({cpu_ms:.0f})" + (f" {cpu_ms / empty[name][1]:.1f}x" if name in empty else "")
                             for name, (ms, cpu_ms) in full.items())
            print(f"  {size:>6}: {told}")
    print()


SECTIONS: dict[str, Callable[[list[int]], None]] = {
    "embedding": bench_embedding, "pairs": bench_pairs, "neighbours": bench_neighbours, "dream": bench_dream,
    "growth": bench_growth, "shell": bench_shell, "page": bench_page}


# --- steps: each runs in a child process and answers with one JSON object -------------------------------------------


def step_embedding(counts: list[int]) -> dict[str, Any]:
    from dreamd.models import load_embedder
    from dreamd.models.model_files import find_model

    texts = list(dict.fromkeys(one.text for one in generate(2 * max(counts), seed=3)))[:max(counts)]
    kept = Path(tempfile.mkdtemp()) / "models"
    made, _ = _cpu(lambda: _ready(load_embedder("light", kept_in=kept)))
    light_load, light = _cpu(lambda: _ready(load_embedder("light", kept_in=kept)))
    exact = load_embedder("torch")

    def load_theirs() -> Any:
        import torch
        from sentence_transformers import SentenceTransformer

        torch.set_num_threads(1)
        return SentenceTransformer(str(find_model()), device="cpu", local_files_only=True)

    theirs_load, theirs = _cpu(load_theirs)
    rows = []
    for count in counts:
        part = texts[:count]
        mine = min((_cpu(lambda part=part: light.embed(part)) for _ in range(3)), key=lambda pair: pair[0])
        third = min((_cpu(lambda part=part: exact.embed(part)) for _ in range(3)), key=lambda pair: pair[0])
        other = min((_cpu(lambda part=part: theirs.encode(part, show_progress_bar=False)) for _ in range(3)),
                    key=lambda pair: pair[0])
        rows.append({"count": count, "light": count / mine[0], "torch": count / third[0], "theirs": count / other[0],
                     "least": float((mine[1] * other[1]).sum(axis=1).min())})
    return {"rows": rows, "light_load_s": light_load, "make_s": made - light_load, "theirs_load_s": theirs_load}


def _ready(embedder: Embedder) -> Embedder:
    embedder.embed(["ready"])
    embedder.embed_questions(["ready?"])
    return embedder


def step_cold_query() -> dict[str, Any]:
    bare, begun = _peak_bytes(), time.perf_counter()
    from dreamd.models import load_embedder

    load_embedder("light").embed(["how do I start the worker?"])
    return {"wall_s": time.perf_counter() - begun, "above_bare_mib": (_peak_bytes() - bare) / MIB}


def step_cold_pair() -> dict[str, Any]:
    import numpy as np

    np.ones((64, 64), np.float32) @ np.ones((64, 64), np.float32)
    bare, begun = _peak_bytes(), time.perf_counter()
    cpu, _ = _cpu(lambda: _pair_net().read([("The lid is shut.", "The lid is closed.")]))
    return {"cpu_s": cpu, "wall_s": time.perf_counter() - begun, "above_bare_mib": (_peak_bytes() - bare) / MIB,
            "heavy": [name for name in ("torch", "transformers", "sklearn") if name in sys.modules]}


def step_pairs() -> dict[str, Any]:
    """Read, and judge as a dream would, pairs about one thing; then the same beside pairs of strangers."""
    from judge_generate import kept_back_pairs

    from dreamd.judge import Judge, Pair, Statement
    from dreamd.models import load_embedder

    sized = {(a, b): len(f"{a} {b}".split()) for a, b, _ in kept_back_pairs(20)}
    close = [(pair, words) for pair, words in sized.items() if 12 <= words <= 30]
    near = [pair for pair, _ in close]
    mixed = [*near, *((a, b) for (a, _), (_, b) in zip(near, near[len(near) // 2:] + near, strict=False))]
    lines = sorted({line for pair in mixed for line in pair})
    vectors = dict(zip(lines, load_embedder("light").embed(lines), strict=True))
    reader = _Counted(_pair_net())
    judge = Judge(reader)

    def judged(pairs: list[tuple[str, str]]) -> int:
        before = reader.count
        judge.judge_all([Pair(Statement(a, NOW), Statement(b, NOW), float(vectors[a] @ vectors[b])) for a, b in pairs])
        return reader.count - before

    reading = min(_cpu(lambda: reader.read(near))[0] for _ in range(2))
    judging, asked = min(_cpu(lambda: judged(near)) for _ in range(2))
    mixing = min(_cpu(lambda: judged(mixed))[0] for _ in range(2))
    return {"count": len(near), "pieces": statistics.mean(words for _, words in close), "readings_per_s": len(near) / reading,
            "asked": asked / len(near), "judged_per_s": len(near) / judging, "mixed_per_s": len(mixed) / mixing}


class _Counted:
    """The network, and how many pairs it has read."""

    def __init__(self, net: Any) -> None:
        self.name, self.count, self._net = net.name, 0, net

    def read(self, pairs: list[tuple[str, str]]) -> Any:
        self.count += len(pairs)
        return self._net.read(pairs)


def step_vectors(count: int, path: str) -> dict[str, Any]:
    import numpy as np

    np.save(path, given_vectors(generate(count)))
    return {}


def step_neighbours(path: str) -> dict[str, Any]:
    import numpy as np

    from dreamd.models.vectors import Neighbours

    np.ones((64, 64), np.float32) @ np.ones((64, 64), np.float32)
    bare = _peak_bytes()
    rows = np.load(path)
    cpu, neighbours = _cpu(lambda: Neighbours(rows))
    search_s, _ = _cpu(lambda: neighbours.search(rows, 16))
    peak = _peak_bytes()
    query_s, _ = _cpu(lambda: [neighbours.search(rows[place], 10) for place in range(50)])
    return {"cpu_s": cpu + search_s, "above_bare_mib": (peak - bare) / MIB, "query_ms": query_s / 50 * 1000}


def step_fill(home: str, first: int, count: int, total: int) -> dict[str, Any]:
    """Put observations and their vectors into the store, as `note` and an earlier embedding would have."""
    from dreamd.core.values import text_sha
    from dreamd.extraction import gate
    from dreamd.kit import open_kit
    from dreamd.models import MODEL_ID
    from dreamd.store import derived, observations

    made = generate(total)
    rows = given_vectors(made)[first:first + count]
    told = _told(made)[first:first + count]
    with open_kit(_world(home), create=True, migrate=True) as kit, kit.store.writing() as tx:
        observations.append(tx, told, stored_at=NOW, key=observations.tombstone_key(kit.store))
        # A statement is compared in the wording the gate gave it.
        wordings = [gate(one.text, origin=one.origin, at=one.at, zone=UTC, class_hint=None, type_hint=None, ttl=None,
                         explicit=True).text for one in told]
        derived.write_vectors(tx, {text_sha(text): row for text, row in zip(wordings, rows, strict=True)},
                              model=MODEL_ID)
    return {}


def step_truth(home: str, total: int) -> dict[str, Any]:
    """Hold what the dreams did against what is known of the generated statements: nothing in them ever changed."""
    from dreamd.core.values import Scope, Status
    from dreamd.kit import open_kit
    from dreamd.store import memories, observations

    made = generate(total)
    fact_of = {observations.observation_id(told): one.original for told, one in zip(_told(made), made, strict=True)}
    with open_kit(_world(home)) as kit:
        kept = memories.load_memories(kit.store, scope=Scope("project", "bench"))
    facts = [{fact_of[name] for name in memory.observations if name in fact_of} for memory in kept]
    live = [names for memory, names in zip(kept, facts, strict=True) if memory.status is Status.LIVE]
    held = [names for memory, names in zip(kept, facts, strict=True) if memory.status is Status.HELD]
    everything = set(fact_of.values())
    return {"live": len(live), "facts": len(everything), "mixed": sum(len(names) > 1 for names in facts),
            "only_held": len(set().union(*held) - set().union(*live)),
            "lost": len(everything - set().union(*live) - set().union(*held))}


def step_dream(home: str) -> dict[str, Any]:
    import numpy as np

    from dreamd.dream.cycle import Wish, run_cycle
    from dreamd.kit import open_kit

    np.ones((64, 64), np.float32) @ np.ones((64, 64), np.float32)
    bare, begun = _peak_bytes(), time.perf_counter()
    with open_kit(_world(home), create=True, migrate=True) as kit:
        cpu, report = _cpu(lambda: run_cycle(kit, Wish(allow_large_change=True)))
        embedded = kit.embedder is not None
    return {"outcome": report.outcome, "cpu_s": cpu, "wall_s": time.perf_counter() - begun, "fates": report.fates,
            "phases": {name: counts.get("cpu_s", counts["seconds"]) for name, counts in report.phases.items()},
            "above_bare_mib": (_peak_bytes() - bare) / MIB, "embedded": embedded}


def step_stock(home: str, count: int) -> dict[str, Any]:
    """Memories in any number, as a dream would have left them, without the minutes that dream would take."""
    from dreamd.core.values import Fate, Memory, MemoryType, Status, text_sha, trust_of
    from dreamd.dream.phases.carry_out import write_change
    from dreamd.dream.plan import Change
    from dreamd.extraction import gate
    from dreamd.kit import open_kit
    from dreamd.models import MODEL_ID
    from dreamd.store import derived, observations

    made = generate(count)
    rows, told = given_vectors(made), _told(made)
    with open_kit(_world(home), create=True, migrate=True) as kit:
        run = kit.begin()
        with kit.store.writing() as tx:
            observations.append(tx, told, stored_at=NOW, key=observations.tombstone_key(kit.store))
            for one in observations.load_pending(kit.store):
                gated = gate(one.text, origin=one.origin, at=one.at, zone=UTC)
                memory = Memory(one.id[:12], one.scope, gated.text, gated.memory_class, MemoryType.PROJECT, gated.category,
                                Status.LIVE, trust_of(one.origin), trust_of(one.origin), one.at, one.at, one.at, one.at,
                                observations=(one.id,), reason="durable", file=f"{one.id[:12]}.md")
                write_change(tx, Change("add", None, memory, "durable"), run.seq)
                observations.write_fate(tx, one, Fate.NEW, reason="durable", memory=memory.id, run=run.seq)
            derived.write_vectors(tx, {text_sha(one.text): row for one, row in zip(told, rows, strict=True)}, model=MODEL_ID)
        kit.end("made for a measurement")
    return {}


def step_disk(home: str) -> dict[str, Any]:
    """Bytes on the disk a memory, by what they are for."""
    from dreamd.kit import open_kit

    place = _world(home).paths.home
    with open_kit(_world(home)) as kit:
        count = kit.store.one("SELECT COUNT(*) AS n FROM memory")["n"]
        parts = {f"dream.db: {row[0]}": row[1] for row in kit.store.tuples(
            "SELECT name, SUM(pgsize) FROM dbstat GROUP BY name ORDER BY 2 DESC LIMIT 12")}
    sizes: dict[str, int] = {}
    for path in place.rglob("*"):
        if path.is_file():
            top = path.relative_to(place).parts[0]
            sizes[top] = sizes.get(top, 0) + path.stat().st_blocks * 512
    every = {**dict(sorted(sizes.items(), key=lambda one: -one[1])), **parts}
    return {"each": sum(sizes.values()) / count, "parts": {name: round(n / count) for name, n in every.items()}}


def step_page(home: str) -> dict[str, Any]:
    """How long each view takes, its first answer left out: what it needs is warm then."""
    sys.path.insert(0, str(Path(__file__).parents[1]))
    from asgi_browser import Browser, cut_keys
    from dreamd.core.values import Scope, Status
    from dreamd.kit import open_kit
    from dreamd.store import memories
    from dreamd.web.page import build_page

    with open_kit(_world(home), create=True, migrate=True) as kit:
        some = memories.load_ids(kit.store, Scope("project", "bench"), Status.LIVE)
    keys = cut_keys()
    app, page = build_page(_world(home), keys)
    browser = Browser(page, app, keys)
    browser.enter()
    views = {"last night": "/", "memories": "/memories", "page 100": "/memories?page=100",
             "filtered": "/memories?origin=user&order=oldest", "search": "/memories?q=which+port+does+the+relay+use",
             "decide": "/decide", "over time": "/over-time", "health": "/health",
             **({"one memory": f"/memory/{min(some)}"} if some else {})}
    took: dict[str, Any] = {}
    for name, path in views.items():
        times = []
        for _ in range(16):
            begun, begun_cpu = time.perf_counter(), time.process_time()
            assert browser.see(path).status == 200, path
            times.append((1000 * (time.perf_counter() - begun), 1000 * (time.process_time() - begun_cpu)))
        took[name] = [statistics.median(column) for column in zip(*times[1:], strict=True)]
    page.warm.close()
    return took


STEPS: dict[str, Callable[..., dict[str, Any]]] = {
    "page": step_page, "disk": step_disk, "stock": step_stock,
    "embedding": step_embedding, "cold_query": step_cold_query, "cold_pair": step_cold_pair, "pairs": step_pairs,
    "vectors": step_vectors, "neighbours": step_neighbours, "fill": step_fill, "dream": step_dream, "truth": step_truth}


# --- the small things -----------------------------------------------------------------------------------------------


def _child(step: str, **arguments: object) -> dict[str, Any]:
    """Run one step in a fresh process and return what it found."""
    done = subprocess.run([sys.executable, __file__, "--child", step, json.dumps(arguments)], capture_output=True,
                          env={**os.environ, **ONE_THREAD, "TOKENIZERS_PARALLELISM": "false"}, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"the step `{step}` failed:\n{done.stderr[-2000:]}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def _print_dream(what: str, found: dict[str, Any]) -> None:
    phases = ", ".join(f"{name} {seconds:.1f}" for name, seconds in found["phases"].items())
    fates = ", ".join(f"{name} {count}" for name, count in sorted(found["fates"].items()) if count)
    print(f"  {what:<26} {found['outcome']:<14} {found['cpu_s']:>7.2f} CPU s {found['wall_s']:>7.2f} s "
          f"{found['above_bare_mib']:>5.0f} MiB above bare   ({phases}){'; ' + fates if fates else ''}"
          f"{'; the model was loaded' if found['embedded'] else ''}")


def _pair_net() -> Any:
    from dreamd.models.pair_net import load_pair_net

    return load_pair_net(None)


def _can_dream() -> bool:
    try:
        return importlib.util.find_spec("dreamd.dream.cycle") is not None
    except ModuleNotFoundError:
        return False


def _told(made: list[Generated]) -> list[Any]:
    """The generated statements as a person would have noted them, a minute apart, in conversations of twenty."""
    from dreamd.core.values import Candidate, Origin, Scope

    return [Candidate(one.text, Origin.USER, NOW - timedelta(days=30) + timedelta(minutes=number),
                      Scope("project", "bench"), conversation=f"c{number // 20}")
            for number, one in enumerate(made)]


def _world(home: str) -> Any:
    from dreamd.core.clock import FixedClock
    from dreamd.core.paths import Paths
    from dreamd.core.settings import Settings
    from dreamd.kit import World

    settings = Settings()
    return World(Paths(Path(home) / "home"), replace(settings, store=replace(settings.store, zone="UTC")),
                 FixedClock(NOW), {"HOME": home})


def _cpu(work: Callable[[], Any]) -> tuple[float, Any]:
    begun = time.process_time()
    result = work()
    return time.process_time() - begun, result


def _timed(command: list[str], env: dict[str, str]) -> tuple[float, float]:
    """Wall and CPU milliseconds of one command."""
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, env=env, capture_output=True, check=False)
    wall, after = time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall * 1000, cpu * 1000


def _peak_bytes() -> int:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def _machine() -> str:
    model = platform.processor() or platform.machine()
    if Path("/proc/cpuinfo").exists():
        names = [line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
        model = names[0].partition(": ")[2] if names else model
    kernels = subprocess.run([sys.executable, "-c", "import numpy, threadpoolctl as t\n"
                              "print(*{one['architecture'] for one in t.threadpool_info()})"],
                             capture_output=True, text=True, check=False).stdout.strip()
    return (f"{model}, {os.cpu_count()} cores, {platform.system()} {platform.release()}, "
            f"Python {platform.python_version()}, OpenBLAS kernels {kernels}")


if __name__ == "__main__":
    sys.exit(main())
