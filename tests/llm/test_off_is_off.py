"""Without a language model, which is how dream comes, nothing of one is loaded, opened or started."""

from __future__ import annotations

import json
import socket
import subprocess
import sys

import pytest

from standing_by import lay_graphs

EXTRAS = ("openai", "anthropic", "pydantic", "jsonschema", "httpx2")
COMMANDS = (("note", "The API listens on port 8080."), ("consolidate",), ("status",), ("search", "port", "--budget", "deep"),
            ("service", "print"))
RUN = """
import json, sys
from contextlib import redirect_stdout
seen = []
sys.addaudithook(lambda event, args: seen.append([event, str(args)]) if event in (
    "socket.connect", "socket.bind", "socket.getaddrinfo", "subprocess.Popen", "os.posix_spawn", "os.system") else None)
from dreamd.cli.main import main
with redirect_stdout(sys.stderr):
    codes = [main(["--home", sys.argv[1], *words]) for words in json.loads(sys.argv[2])]
print(json.dumps([codes, [*sys.modules], seen]))
"""


@pytest.fixture(scope="module")
def left(tmp_path_factory: pytest.TempPathFactory) -> list[list[object]]:
    """What some commands without a model ended with, what was loaded by then, and what was opened or started."""
    home = tmp_path_factory.mktemp("off")
    lay_graphs(home / "home")
    env = {"HOME": str(home), "PATH": "/usr/bin:/bin", "TZ": "UTC", "OMP_NUM_THREADS": "1"}
    done = subprocess.run([sys.executable, "-c", RUN, str(home / "home"), json.dumps(COMMANDS)], env=env, cwd=home,
                          capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, done.stderr[-500:]
    told: list[list[object]] = json.loads(done.stdout)
    assert told[0] == [0] * len(COMMANDS), done.stderr[-500:]
    return told


def test_nothing_of_it_is_imported(left: list[list[object]]) -> None:
    loaded = [str(name) for name in left[1]]
    assert "dreamd.core.settings" in loaded
    assert sorted(m for m in loaded if m == "dreamd.llm" or m.startswith("dreamd.llm.") or m.partition(".")[0] in EXTRAS) == []


def test_nothing_is_opened_or_started_for_it(left: list[list[object]]) -> None:
    """A search looks for the service on a socket of this machine, and a repository is asked of git: nothing else."""
    local = f"family={int(socket.AF_UNIX)},"
    assert [one for one in map(str, left[2]) if "socket." in one and local not in one] == []
    assert [one for one in map(str, left[2]) if "socket." not in one and (sys.executable in one or "dreamd" in one)] == []
