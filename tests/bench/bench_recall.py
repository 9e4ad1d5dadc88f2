"""What recall and the hooks cost: `python tests/bench/bench_recall.py [--size 20000] [--questions 200]`.

Made-up memories with given vectors; the questions are statements in other words, so every one finds something. Asked one
after the other: through the recall server over its socket, memories read from the store included, and by `dream search`
and the hooks as processes of their own. CPU seconds beside those of the clock, for the clock also counts what else the
machine is doing.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from generate import generate, given_vectors

from bench import NOW, ONE_THREAD, _machine, _timed

STARTS = 11
WARM_S = 60.0


def main() -> int:
    """Fill a home, ask, and print what it took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=20_000, help="number of memories")
    parser.add_argument("--questions", type=int, default=200, help="questions asked of the warm server")
    args = parser.parse_args()
    print(f"$ {shlex.join(['python', *sys.argv])}\n{_machine()}, load {os.getloadavg()[0]:.1f}\n")
    with tempfile.TemporaryDirectory(prefix="dream-bench-") as folder:
        home = Path(folder) / "home"
        env = {**os.environ, **ONE_THREAD, "HOME": folder, "DREAM_HOME": str(home), "XDG_CONFIG_HOME": folder}
        texts = fill(home, args.size)
        questions = [text.rstrip(".") + "?" for text in random.Random(7).sample(texts, args.questions)]
        print(f"{args.size} memories; milliseconds")
        cold = starts(["search", "--no-record", questions[0]], env)
        print(f"  dream search, cold          {cold}")
        warm(home, questions, env)
        print(f"  dream hook stop             {starts(['hook', 'stop'], env, call(folder))}")
        print(f"  dream hook user-prompt-submit {starts(['hook', 'user-prompt-submit'], env, call(folder))}")
        print(f"  dream hook session-start, no server {starts(['hook', 'session-start'], env, call(folder, fresh=True))}")
    return 0


def fill(home: Path, size: int) -> list[str]:
    """Write memories with vectors straight into a store."""
    from dreamd.core.clock import FixedClock
    from dreamd.core.paths import Paths
    from dreamd.core.settings import Settings
    from dreamd.core.values import Category, Memory, MemoryClass, MemoryType, Scope, Status, Trust, content_id, text_sha
    from dreamd.core.world import World
    from dreamd.kit import open_kit
    from dreamd.models import MODEL_ID
    from dreamd.store import derived, memories

    made = generate(size, duplicates=0.0)
    classes = (MemoryClass.REFERENCE, MemoryClass.RULE, MemoryClass.STATE, MemoryClass.PREFERENCE)
    with open_kit(World(Paths(home), Settings(), FixedClock(NOW), {"HOME": "/"}), create=True, migrate=True) as kit, \
            kit.store.writing() as tx:
        for number, one in enumerate(made):
            at = NOW - timedelta(days=number % 80)
            memories.write_memory(tx, Memory(
                content_id("bench", str(number)), Scope("project", f"bench-{number % 3}"), one.text, classes[number % 4],
                MemoryType.PROJECT, Category.OPERATIONS, Status.LIVE, Trust.USER, Trust.USER, at, at, at, at))
        vectors = {text_sha(one.text): row for one, row in zip(made, given_vectors(made), strict=True)}
        derived.write_vectors(tx, vectors, model=MODEL_ID)
    return [one.text for one in made]


def warm(home: Path, questions: Sequence[str], env: dict[str, str]) -> None:
    """Ask the server, and start a conversation through it."""
    server = subprocess.Popen([sys.executable, "-m", "dreamd.agents.recall_server", "--home", str(home)], env=env)
    try:
        begun = time.perf_counter()
        while not (home / "dream.sock").exists():
            time.sleep(0.02)
        print(f"  the server is ready after   {1000 * (time.perf_counter() - begun):.0f}")
        before = cpu_of(server.pid)
        took, found = ask_all(home, questions)
        per_question = 1000 * (cpu_of(server.pid) - before) / len(questions)
        at = sorted(took)
        print(f"  asked over the socket       median {statistics.median(took):.0f}, p95 {at[int(len(at) * 0.95)]:.0f}, "
              f"worst {at[-1]:.0f}; server CPU {per_question:.0f} a question; {found:.1f} results a question")
        print(f"  dream search, warm          {starts(['search', '--no-record', questions[0]], env)}")
        print(f"  dream hook session-start    {starts(['hook', 'session-start'], env, call(str(home.parent), fresh=True))}")
        status = Path(f"/proc/{server.pid}/status")
        if status.exists():
            resident = next(line for line in status.read_text().splitlines() if line.startswith("VmRSS"))
            print(f"  the server holds            {int(resident.split()[1]) // 1024} MiB")
    finally:
        server.terminate()
        server.wait()


def ask_all(home: Path, questions: Sequence[str]) -> tuple[list[float], float]:
    """Milliseconds of each question, and how many results one had."""
    from dreamd.agents import recall_client
    from dreamd.core.clock import FixedClock
    from dreamd.core.paths import Paths
    from dreamd.core.settings import Settings
    from dreamd.core.world import World
    from dreamd.recall.answer import Look
    from dreamd.store.connection import open_reader

    world, store = World(Paths(home), Settings(), FixedClock(NOW), {}), open_reader(home / "dream.db")
    took, found = [], 0
    try:
        until_s = time.monotonic() + WARM_S
        while recall_client.ask(world, questions[0], Look(), store=store) is None and time.monotonic() < until_s:
            time.sleep(0.1)  # what it has to load on a busy machine takes longer than a client waits
        for question in questions:
            begun = time.perf_counter()
            answer = recall_client.ask(world, question, Look(), store=store)
            took.append(1000 * (time.perf_counter() - begun))
            if answer is None:
                raise SystemExit("the server did not answer")
            found += len(answer.results)
    finally:
        store.close()
    return took, found / len(questions)


def starts(words: Sequence[str], env: dict[str, str], body: Any = None) -> str:
    """Median and worst of several starts of `dream`."""
    command = [str(Path(sys.executable).with_name("dream")), *words]
    took = []
    for number in range(STARTS):
        if body is None:
            took.append(_timed(command, env))
            continue
        before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        subprocess.run(command, env=env, input=body(number), capture_output=True, check=True)
        wall, after = time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
        took.append((1000 * wall, 1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)))
    walls = sorted(wall for wall, _ in took)
    return f"median {walls[STARTS // 2]:.0f}, worst {walls[-1]:.0f}; CPU {statistics.median(cpu for _, cpu in took):.0f}"


def call(folder: str, *, fresh: bool = False) -> Any:
    """What a harness says to a hook; a conversation of its own each time where asked for."""
    def body(number: int) -> bytes:
        conversation = f"{time.time_ns() if fresh else 0}-{number}"
        return json.dumps({"session_id": conversation, "cwd": f"{folder}/bench-0", "source": "startup",
                           "transcript_path": f"{folder}/t.jsonl", "prompt": "please tidy up the tests"}).encode()

    return body


def cpu_of(pid: int) -> float:
    """CPU seconds of another process; 0 where the platform does not tell."""
    stat = Path(f"/proc/{pid}/stat")
    if not stat.exists():
        return 0.0
    fields = stat.read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    sys.exit(main())
