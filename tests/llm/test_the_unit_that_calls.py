"""The unit that calls: it answers on the socket it is handed, asks nobody but whom it was installed for, and sees no store."""

from __future__ import annotations

import os
import plistlib
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest

from agent_stand_ins import calls_of, stand_in
from dreamd.core.clock import SystemClock
from dreamd.core.paths import Paths
from dreamd.core.settings import LlmSettings, Settings
from dreamd.core.world import World
from dreamd.llm.backends import Backend
from dreamd.llm.calling import open_caller
from dreamd.models.language_model import Ask, Ending, Role
from dreamd.service.installing.install import LAUNCHD, SWEEP, SYSTEMD, Answer, Installer
from dreamd.service.installing.units import CALLER_UNITS, Caller, Place, fill_systemd, find_place
from model_server import ModelServer, Reply
from standing_by import started_beside

pytest.importorskip("openai", reason="the extra `llm` is not installed")

SCHEMA = {"type": "object", "properties": {"facts": {"type": "array", "items": {"type": "string"}}}, "required": ["facts"]}
GOOD: dict[str, Any] = {"facts": []}
ASK = Ask(Role.OBSERVER, "observer@1", "Read what was said.", "the port is 8080", SCHEMA, "project:cedar", 500, 20.0)


def world_at(home: Path, llm: LlmSettings) -> World:
    """A world of its own."""
    env = {"HOME": str(home), "PATH": f"{home / 'bin'}:/usr/bin:/bin"}
    return World(Paths(home / "dream"), Settings(llm=llm), SystemClock(), env)


@contextmanager
def unit_of(world: World) -> Iterator[subprocess.Popen[bytes]]:
    """The unit as systemd starts it: the open socket as descriptor 3, and whom it may ask on its command line."""
    world.paths.home.mkdir(parents=True)
    words = Caller(Backend.of(world.settings.llm), (), (), ()).words
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(world.paths.caller_socket))
        listening.listen()
        command = [sys.executable, "-P", "-m", "dreamd.llm.caller", "--listen", *words]
        unit = subprocess.Popen(["/bin/sh", "-c", 'exec "$@" 3<&0', "sh", *command], stdin=listening.fileno(),
                                env={**world.env, "PYTHONPATH": os.environ.get("PYTHONPATH", "")}, cwd="/")
        try:
            yield unit
        finally:
            unit.terminate()
            unit.wait(20)


def test_a_call_goes_through_the_unit_where_one_listens(tmp_path: Path) -> None:
    with ModelServer(GOOD) as server:
        world = world_at(tmp_path, LlmSettings(backend="openai", base_url=server.url, model="small"))
        with unit_of(world) as unit, open_caller(world.settings, world) as caller:
            assert caller.call(ASK).value == GOOD
            assert caller.call(ASK).value == GOOD
            assert [child.pid for child in started_beside()] == [unit.pid], "no child of ours has the network"
            server.script.append(Reply(status=500))
            assert caller.call(ASK).ending is Ending.SERVER


def test_a_unit_asks_nobody_but_whom_it_was_installed_for(tmp_path: Path) -> None:
    with ModelServer(GOOD) as installed, ModelServer(GOOD) as other:
        world = world_at(tmp_path, LlmSettings(backend="openai", base_url=installed.url, model="small"))
        changed = Settings(llm=replace(world.settings.llm, base_url=other.url))
        with unit_of(world), open_caller(changed, world) as caller:
            assert caller.call(ASK).value == GOOD
        assert (len(installed.requests), len(other.requests)) == (0, 1), "by hand a child asks whom the settings name now"


def test_a_socket_that_nobody_listens_on_is_passed_over(tmp_path: Path) -> None:
    with ModelServer(GOOD) as server:
        world = world_at(tmp_path, LlmSettings(backend="openai", base_url=server.url, model="small"))
        world.paths.home.mkdir(parents=True)
        with socket.socket(socket.AF_UNIX) as left:
            left.bind(str(world.paths.caller_socket))
        with open_caller(world.settings, world) as caller:
            assert caller.call(ASK).value == GOOD


def test_a_program_ends_when_the_owner_hangs_up(tmp_path: Path) -> None:
    stand_in(tmp_path / "bin", "claude", mode="hang")
    world = world_at(tmp_path, LlmSettings(backend="claude"))
    with unit_of(world):
        with open_caller(world.settings, world, should_stop=lambda: bool(calls_of(tmp_path / "bin"))) as caller:
            assert caller.call(replace(ASK, seconds=60)).detail == "stopped"
        pid = int(str(calls_of(tmp_path / "bin")[0]["pid"]))
        for _ in range(100):
            if not psutil.pid_exists(pid):
                break
            time.sleep(0.1)
        assert not psutil.pid_exists(pid)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """A place with the program of an agent that is logged in."""
    stand_in(tmp_path / "bin", "claude")
    (tmp_path / ".claude").mkdir()
    found = find_place(world_at(tmp_path, LlmSettings(backend="claude", model="x $HOME%")), None)
    return replace(found, dream=Path("/bin/sh"))


def test_the_unit_has_the_network_and_no_store_and_the_owner_the_other_way_round(place: Place) -> None:
    unit, owner = (fill_systemd(name, place) for name in ("dream-llm.service", "dream.service"))
    settings = [line for line in unit.splitlines() if line.startswith("PrivateNetwork=")]
    assert settings[-1] == "PrivateNetwork=no" and "PrivateNetwork=yes\n" in owner and "PrivateNetwork=no" not in owner
    assert f"InaccessiblePaths=-{place.home}\n" in unit
    written = [line for line in unit.splitlines() if line.startswith(("ReadWritePaths=", "BindPaths="))]
    assert all(".claude" in line and str(place.home) not in line for line in written) and written
    read = next(line for line in unit.splitlines() if line.startswith("BindReadOnlyPaths="))
    assert ".codex" not in read and "config/dream" not in read
    assert '"--model=x $$HOME%%"' in unit
    assert "@" not in "".join(line for line in unit.splitlines() if not line.startswith(("#", "SystemCallFilter")))


def test_it_is_written_only_where_a_model_is_configured(place: Place, tmp_path: Path) -> None:
    world = world_at(tmp_path, LlmSettings())
    world.paths.locks.mkdir(parents=True)
    asked: list[str] = []

    def system(command: Sequence[str], _text: str) -> Answer:
        asked.append(" ".join(command[2:]))
        return Answer(0)

    folder = tmp_path / ".config" / "systemd" / "user"
    for kind in (SYSTEMD, SWEEP):
        Installer(world, place, ask=system).install(kind)
        assert {*CALLER_UNITS} <= {path.name for path in folder.iterdir()}
        assert any("enable" in words and "dream-llm.socket" in words for words in asked)
        done = Installer(world, replace(place, caller=None), ask=system).install(kind)
        assert not {*CALLER_UNITS} & {path.name for path in folder.iterdir()} and "dream-llm.service" in " ".join(done)
    Installer(world, place, ask=system).install(SYSTEMD)
    Installer(world, replace(place, caller=None), ask=system).uninstall()
    assert list(folder.iterdir()) == []


def test_launchd_starts_it_with_a_connection_as_its_input(place: Place, tmp_path: Path) -> None:
    texts = Installer(world_at(tmp_path, LlmSettings()), place).texts(LAUNCHD)
    assert len(texts) == 2
    told = plistlib.loads(next(text for path, text in texts.items() if "llm" in path.name).encode())
    assert told["inetdCompatibility"] == {"Wait": False} and told["Sockets"]["Listeners"]["SockPathName"].endswith("llm.sock")
    assert "--name=claude" in told["ProgramArguments"]


@pytest.mark.systemd
@pytest.mark.parametrize("name", CALLER_UNITS)
def test_systemd_finds_nothing_to_say_about_it(place: Place, tmp_path: Path, name: str) -> None:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd-analyze is not here")
    folder = tmp_path / "units"
    folder.mkdir()
    for each in CALLER_UNITS:
        (folder / each).write_text(fill_systemd(each, place))
    env = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "XDG_RUNTIME_DIR": str(tmp_path), "SYSTEMD_UNIT_PATH": f"{folder}:"}
    told = subprocess.run(["systemd-analyze", "verify", "--user", f"./{name}"], cwd=folder, capture_output=True, text=True,
                          env=env)
    assert [line for line in told.stderr.splitlines() if "dream-llm" in line or "Unknown" in line] == [], told.stderr
    if name.endswith(".service"):
        told = subprocess.run(["systemd-analyze", "security", "--user", "--offline=yes", "--threshold=100", f"./{name}"],
                              cwd=folder, capture_output=True, text=True, env=env)
        level = float(told.stdout.rpartition("exposure level for")[2].split(":")[1].split()[0])
        assert level <= 2.2, told.stdout[-2000:]
