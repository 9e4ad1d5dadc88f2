"""A home that is moved away or exchanged under a running service: nothing is founded in its place, and nothing is lost."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from household import bare_commands
from serving import ONLY_EXTRACTION, SEARCHED, Place

NOTED = "The staging port of cedar is 8080."
MEANWHILE = "Reviews of cedar need two people."


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    (tmp_path / "person").mkdir()
    made = Place(tmp_path)
    yield made
    for process in made.started:
        process.kill()
        process.wait()


def served(place: Place) -> None:
    """A home with a store in it and a service that has looked at it."""
    assert place.dream("note", NOTED).returncode == 0
    place.serve(ONLY_EXTRACTION)
    place.waits_for(place.paths.heartbeat.exists)


def test_a_moved_home_is_not_made_again_by_its_service(place: Place) -> None:
    served(place)
    elsewhere = place.base / "elsewhere"
    place.paths.home.rename(elsewhere)
    place.waits_for(lambda: place.events("service.home-away"))
    assert not place.paths.home.exists()
    shutil.move(elsewhere, place.paths.home)
    place.waits_for(lambda: place.events("service.home-back"))
    assert place.rows("SELECT text FROM observation") == [(NOTED,)]


def test_a_note_into_a_moved_home_waits_and_says_where(place: Place) -> None:
    served(place)
    place.paths.home.rename(place.base / "elsewhere")
    told = place.dream("note", MEANWHILE)
    assert (told.returncode, str(place.paths.inbox) in told.stderr) == (0, True), told.stderr
    assert not place.paths.store.exists()
    asked = place.dream("list")
    assert asked.returncode == 12
    assert "dream restore-store" in bare_commands(asked.stderr)
    assert "dream init --new" in bare_commands(asked.stderr)


def test_an_empty_directory_in_the_place_of_the_home_stays_without_a_store(place: Place) -> None:
    """As where a disk was unmounted: what is below the mount point is not the home."""
    served(place)
    elsewhere = place.base / "elsewhere"
    place.paths.home.rename(elsewhere)
    place.paths.home.mkdir()
    place.waits_for(lambda: place.events("service.home-away"))
    assert place.dream("consolidate").returncode == 12
    assert place.dream("note", MEANWHILE).returncode == 0
    assert not place.paths.store.exists()
    assert len(list(place.paths.inbox.glob("*.json"))) == 1


@pytest.mark.slow
def test_a_note_below_a_mount_point_comes_along_when_the_home_is_back(place: Place) -> None:
    served(place)
    home, elsewhere, below = place.paths.home, place.base / "elsewhere", place.base / "below"
    home.rename(elsewhere)
    home.mkdir()
    assert place.dream("note", MEANWHILE).returncode == 0
    held = Path(f"/proc/{place.started[0].pid}/fd")
    place.waits_for(lambda: any(os.path.realpath(one) == str(place.paths.inbox) for one in held.iterdir()))
    home.rename(below)
    elsewhere.rename(home)
    place.waits_for(lambda: place.rows("SELECT text FROM observation") == [(NOTED,), (MEANWHILE,)])
    assert not list((below / "inbox").glob("*.json"))


def test_a_store_that_vanishes_under_a_service_is_not_founded_anew(place: Place) -> None:
    served(place)
    place.paths.store.unlink()
    place.waits_for(lambda: (place.paths.outage / "db.json").exists())
    assert not place.paths.store.exists()
    assert place.dream("status").returncode == 12
    assert place.dream("note", MEANWHILE).returncode == 0
    assert place.dream("init", "--new").returncode == 0
    place.waits_for(lambda: place.rows("SELECT text FROM observation") == [(MEANWHILE,)])


CLAIMING = ("import socket, sys\nfrom pathlib import Path\nfrom dreamd.store.presence.lost import names_of_home\n"
            "held = [socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) for _ in names_of_home(Path(sys.argv[1]))]\n"
            "[one.bind(name) for one, name in zip(held, names_of_home(Path(sys.argv[1])))]\nprint(flush=True)\n"
            "sys.stdin.read()")


def test_a_service_in_a_network_of_its_own_is_heard_too(place: Place) -> None:
    """As the unit starts it: with `PrivateNetwork=yes` a name in there answers nobody outside."""
    alone = ["unshare", "--user", "--map-current-user", "--net"]
    if not shutil.which("unshare") or subprocess.run([*alone, "true"], capture_output=True, check=False).returncode:
        pytest.skip("this machine gives no network of one's own")
    service = subprocess.Popen([*alone, sys.executable, "-c", CLAIMING, str(place.paths.home)], env={
        **os.environ, "PYTHONPATH": os.pathsep.join(SEARCHED)}, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    place.started.append(service)
    assert service.stdout is not None and service.stdout.readline()
    told = place.dream("note", MEANWHILE)
    assert (told.returncode, str(place.paths.inbox) in told.stderr) == (0, True), told.stderr
    assert not place.paths.store.exists()
    assert place.dream("consolidate").returncode == 12
    service.communicate()
