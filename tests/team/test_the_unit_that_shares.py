"""Under the installed service what shares with a team, or works for one, has the network and nothing that is anybody's own."""

from __future__ import annotations

import plistlib
import shlex
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from dreamd.core.clock import SystemClock
from dreamd.core.errors import UsageError
from dreamd.core.paths import Paths
from dreamd.core.settings import build_settings
from dreamd.core.world import World
from dreamd.service.installing.install import CRON, LAUNCHD, SWEEP, SYSTEMD, Answer, Installer
from dreamd.service.installing.units import TEAM_UNITS, WORKER_UNITS, Place, fill_systemd, find_place
from household import House
from team_hands import until
from team_server import Server

SHARING = {"teams": {"url": "postgresql://ann@db/team", "tenant": "acme"}}


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A home that shares, of a person with transcripts of an agent."""
    (tmp_path / ".claude" / "projects").mkdir(parents=True, exist_ok=True)
    world = World(Paths(tmp_path / "state"), build_settings(SHARING), SystemClock(), {"HOME": str(tmp_path)})
    world.paths.locks.mkdir(parents=True)
    return world


@pytest.fixture
def place(world: World) -> Place:
    """Where this dream lives."""
    return replace(find_place(world, None), dream=Path("/bin/sh"))


def test_it_has_the_network_and_one_folder_and_the_owner_the_other_way_round(world: World, place: Place) -> None:
    unit, owner = (fill_systemd(name, place).splitlines() for name in ("dream-team.service", "dream.service"))
    assert [line for line in unit if line.startswith("PrivateNetwork=")][-1] == "PrivateNetwork=no"
    assert "PrivateNetwork=yes" in owner and "PrivateNetwork=no" not in owner
    assert f"TemporaryFileSystem={place.home}" in unit
    assert [line for line in unit if line.startswith(("ReadWritePaths=", "BindPaths="))] == [
        f"BindPaths=-{world.paths.team}", f"ReadWritePaths=-{world.paths.team}"]
    read = next(line for line in unit if line.startswith("BindReadOnlyPaths="))
    assert ".pgpass" in read and ".claude" not in read and any(".claude" in line for line in owner)
    assert any(line.startswith("ExecStart=") and line.endswith("team sync --carry") for line in unit)


def test_it_is_written_only_where_a_home_shares(world: World, place: Place, tmp_path: Path) -> None:
    asked: list[str] = []

    def system(command: Sequence[str], _text: str) -> Answer:
        asked.append(" ".join(command[2:]))
        return Answer(0)

    folder = tmp_path / ".config" / "systemd" / "user"
    for kind in (SYSTEMD, SWEEP):
        Installer(world, place, ask=system).install(kind)
        assert {*TEAM_UNITS} <= {path.name for path in folder.iterdir()}
        assert any("enable" in words and "dream-team.timer" in words for words in asked)
        Installer(world, replace(place, team_paths=None), ask=system).install(kind)
        assert not {*TEAM_UNITS} & {path.name for path in folder.iterdir()}
    assert replace(world, settings=build_settings({})).settings.teams.url == ""
    assert find_place(replace(world, settings=build_settings({})), None).team_paths is None


def test_launchd_starts_it_every_quarter_of_an_hour(world: World, place: Place) -> None:
    texts = Installer(world, place).texts(LAUNCHD)
    told = plistlib.loads(next(text for path, text in texts.items() if "team" in path.name).encode())
    assert told["StartInterval"] == 900 and told["ProgramArguments"][-3:] == ["team", "sync", "--carry"]


@pytest.mark.systemd
def test_systemd_finds_nothing_to_say_about_them(place: Place, works: World, tmp_path: Path) -> None:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd-analyze is not here")
    folder = tmp_path / "units"
    folder.mkdir()
    for each in TEAM_UNITS:
        (folder / each).write_text(fill_systemd(each, place))
    (folder / WORKER_UNITS[0]).write_text(fill_systemd(WORKER_UNITS[0], _dream_here(works)))
    env = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "XDG_RUNTIME_DIR": str(tmp_path), "SYSTEMD_UNIT_PATH": f"{folder}:"}
    for name in (*TEAM_UNITS, *WORKER_UNITS):
        told = subprocess.run(["systemd-analyze", "verify", "--user", f"./{name}"], cwd=folder, capture_output=True, text=True,
                              env=env, check=False)
        assert [line for line in told.stderr.splitlines() if "dream-" in line or "Unknown" in line] == [], told.stderr


@pytest.fixture
def works(tmp_path: Path) -> World:
    """A home that works in a team's store itself, of a person with transcripts of an agent."""
    (tmp_path / ".claude" / "projects").mkdir(parents=True, exist_ok=True)
    chosen = build_settings({"store": {"url": "postgresql://ann@db/team", "tenant": "acme"}})
    world = World(Paths(tmp_path / "work"), chosen, SystemClock(), {"HOME": str(tmp_path)})
    world.paths.locks.mkdir(parents=True)
    return world


def _dream_here(world: World) -> Place:
    return replace(find_place(world, None), dream=Path("/bin/sh"))


def test_a_home_that_works_for_a_team_is_installed_as_a_worker_with_the_network_and_no_agent_s_folder(works: World) -> None:
    place = _dream_here(works)
    texts = Installer(works, place).texts(SYSTEMD)
    assert [path.name for path in texts] == [*WORKER_UNITS]
    unit = next(iter(texts.values())).splitlines()
    assert [line for line in unit if line.startswith("PrivateNetwork=")][-1] == "PrivateNetwork=no"
    assert [line for line in unit if line.startswith(("ReadWritePaths=", "BindPaths="))] == [
        f"BindPaths={works.paths.home}", f"ReadWritePaths={works.paths.home}"]
    read = next(line for line in unit if line.startswith("BindReadOnlyPaths="))
    assert ".pgpass" in read and ".claude" not in read
    assert any(line.startswith("ExecStart=/bin/sh ") and line.endswith("--quiet worker") for line in unit)


def test_a_worker_is_installed_and_removed_beside_what_a_person_has_of_their_own(works: World, world: World, place: Place,
                                                                                 tmp_path: Path) -> None:
    asked: list[str] = []

    def system(command: Sequence[str], _text: str) -> Answer:
        asked.append(" ".join(command[2:]))
        return Answer(0, "active")

    folder = tmp_path / ".config" / "systemd" / "user"
    Installer(world, place, ask=system).install(SYSTEMD)
    own = {path.name for path in folder.iterdir()}
    hand = Installer(works, _dream_here(works), ask=system)
    hand.install(SYSTEMD)
    assert {path.name for path in folder.iterdir()} == {*own, *WORKER_UNITS}
    assert any("enable dream-worker.service" in words for words in asked)
    assert (hand.standing().kind, hand.standing().active, hand.standing().problems) == (SYSTEMD, "active", ())
    assert hand.install(SYSTEMD) == []
    hand.uninstall()
    assert {path.name for path in folder.iterdir()} == own and hand.standing().kind == ""
    assert any("disable --now dream-worker.service" in words for words in asked)
    for kind in (SWEEP, CRON):
        with pytest.raises(UsageError, match="a worker stays"):
            hand.install(kind)


def test_launchd_keeps_a_worker_alive(works: World) -> None:
    texts = Installer(works, _dream_here(works)).texts(LAUNCHD)
    assert [path.name for path in texts] == ["io.dreamd.worker.plist"]
    told = plistlib.loads(next(iter(texts.values())).encode())
    assert told["KeepAlive"]["Crashed"] and told["ProgramArguments"][-1] == "worker" and told["Label"] == "io.dreamd.worker"


@pytest.mark.slow
def test_what_the_unit_starts_works_until_it_is_asked_to_stop(server: Server, tmp_path: Path) -> None:
    home, tenant, config = House(tmp_path), server.tenant(), tmp_path / "dream.toml"
    config.write_text(f'[store]\nurl = "{server.url("worker")}"\ntenant = "{tenant}"\n')
    chosen = build_settings({"store": {"url": server.url("worker"), "tenant": tenant}})
    place = find_place(World(home.paths, chosen, SystemClock(), {"HOME": str(tmp_path)}), config)
    line = next(line for line in fill_systemd("dream-worker.service", place).splitlines() if line.startswith("ExecStart="))
    process = subprocess.Popen(shlex.split(line.partition("=")[2]), stderr=subprocess.PIPE, text=True)
    with process:
        until(lambda: server.ask("SELECT 1 FROM dream_work.procrastinate_workers"), within_s=60)
        process.terminate()
        assert process.wait(60) == 143
