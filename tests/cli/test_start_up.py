"""What a command must not pay for: the modules of a child process, counted by name."""

from __future__ import annotations

import os
import resource
import subprocess
import sys

import pytest

HEAVY = {"numpy", "sklearn", "torch", "usearch", "detect_secrets", "dateparser", "sqlite_utils", "yaml", "scipy",
         "sentence_transformers", "tokenizers", "apscheduler", "psutil", "safetensors"}
LOOK = """
import sys
from dreamd.cli import main
code = main.main({words!r})
print("MODULES", code, *sorted({{m.split(".")[0] for m in sys.modules}}))
"""


PLAIN = [sys.executable, "-c", "import argparse, dataclasses, json, logging, sqlite3, tomllib"]
"""What any program pays that reads words and settings and keeps rows."""


def work_of(command: list[str], dream) -> float:
    """Seconds of a processor that a process took, start of the interpreter included."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, input=b"", capture_output=True, env=dream.env, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def modules(dream, *words: str) -> tuple[int, set[str]]:
    command = [sys.executable, "-c", LOOK.format(words=["--home", str(dream.home), *words])]
    out = subprocess.run(command, capture_output=True, text=True, env=dream.env, input="", timeout=60).stdout
    _, code, *names = next(line for line in out.splitlines() if line.startswith("MODULES")).split()
    return int(code), set(names)


@pytest.mark.parametrize("words", [["--help"], ["note", "Prefer small modules over large ones"], ["list"], ["note", "--help"],
                                   ["show", "abcd"], ["config"], ["history"]])
def test_light_commands_import_nothing_heavy(lived_in, words):
    _, names = modules(lived_in, *words)
    assert not names & HEAVY


def test_a_note_with_a_secret_imports_the_detectors_and_nothing_else_heavy(dream):
    code, names = modules(dream, "note", "The deploy token is ghp_" + "a1B2" * 9)
    assert code == 0
    assert not names & (HEAVY - {"detect_secrets", "yaml"})


def test_who_captures_nothing_keeps_no_task_and_asks_no_model_imports_and_makes_nothing_for_it(lived_in):
    code = ("import sys\nfrom dreamd.cli import main\n"
            f"main.main(['--home', {str(lived_in.home)!r}, 'search', 'the billing port'])\n"
            f"main.main(['--home', {str(lived_in.home)!r}, 'note', 'The billing port of the tests is 7001'])\n"
            f"main.main(['--home', {str(lived_in.home)!r}, 'consolidate', '-q'])\n"
            "unasked = ('dreamd.llm', 'dreamd.dream.asking.arbitrating', 'openai', 'anthropic', 'httpx',\n"
            "           'dreamd.library.finds', 'dreamd.library.tasks', 'dreamd.library.formats', 'trafilatura', 'lxml')\n"
            "print('THERE', *(m for m in sys.modules if m.startswith(unasked)))")
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=lived_in.env, check=True).stdout
    assert told.splitlines()[-1] == "THERE"
    assert not (lived_in.home / "finds").exists() and not (lived_in.home / "library.db").exists()


def test_help_does_not_even_import_argparse(dream):
    _, names = modules(dream, "--help")
    assert not names & {"argparse", "sqlite3", "tomllib", "filelock"}


def test_a_note_costs_little(dream):
    dream("note", "The first note makes the store")
    command = dream.command("note", "Every later note only adds a row")
    # The best of several, against what Python itself takes here and now: how fast or busy the machine is does not matter.
    pairs = [(work_of(PLAIN, dream), work_of(command, dream)) for _ in range(7)]
    plain, spent = (min(of) for of in zip(*pairs, strict=True))
    assert spent < 4 * plain, (spent, plain)


@pytest.mark.model
def test_an_engine_keeps_nothing_beside_the_home_and_queues_nothing_to_be_sent(dream, tmp_path):
    env = {name: value for name, value in dream.env.items() if name != "CI" and not name.startswith(("ORT_", "XDG_"))}
    person = tmp_path / "person-without-a-past"
    person.mkdir()
    dream("note", "The otter sleeps at noon")
    night = [sys.executable, "-m", "dreamd.cli.main", "--home", str(dream.home), "--json", "consolidate"]
    told = subprocess.run(night, env={**env, "HOME": str(person)}, capture_output=True, check=True).stdout
    assert b'"new": 1' in told
    assert list(person.iterdir()) == []


def test_a_command_multiplies_with_one_thread_however_many_processors_there_are() -> None:
    told = subprocess.run(
        [sys.executable, "-c", "from dreamd.cli.main import main; main(['--version']); import numpy, threadpoolctl;"
         "print([pool['num_threads'] for pool in threadpoolctl.threadpool_info() if pool['user_api'] == 'blas'])"],
        capture_output=True, text=True, check=True, env={n: v for n, v in os.environ.items() if "NUM_THREADS" not in n})
    assert told.stdout.splitlines()[-1] == "[1]"
