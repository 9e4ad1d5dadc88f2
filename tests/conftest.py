"""What every kind of test may ask for."""

from __future__ import annotations

import os
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from dreamd.core.clock import FixedClock, parse_instant
from dreamd.core.paths import Paths
from dreamd.core.settings import Settings
from dreamd.core.world import World
from dreamd.models import Embedder, load_embedder
from household import FIRST_NIGHT, House
from team_server import NEEDED, NO_SERVER, Server, programs, running

if TYPE_CHECKING:
    from dreamd.judge import Judge

# The suite tries the same examples every time, so that red means a change; `make torture` looks for new ones.
# No example has a deadline: how long one takes says how busy the machine is, and nothing about dream.
settings.register_profile("suite", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("torture", derandomize=False, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("suite")

# A shell lets what it starts in the background ignore Ctrl-C, and whatever that starts as well; here some have to hear it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Homes of tests lie in memory where the machine has room for that: on a disk the suite waits for thousands of flushes, and
# what a flush is good for is modelled in tests/crash. TMPDIR chooses another place.
SHARED_MEMORY, ROOM_BYTES = Path("/dev/shm"), 2 << 30


def _has_room(place: Path) -> bool:
    """Whether a place takes homes, and programs that can be run."""
    if not os.access(place, os.W_OK):
        return False
    facts = os.statvfs(place)
    return facts.f_bavail * facts.f_frsize > ROOM_BYTES and not facts.f_flag & os.ST_NOEXEC


if _has_room(SHARED_MEMORY):
    os.environ.setdefault("TMPDIR", str(SHARED_MEMORY))
    tempfile.tempdir = None


@pytest.fixture
def house(tmp_path: Path) -> House:
    """An empty home; words shared stand in for meaning."""
    return House(tmp_path)


@pytest.fixture(scope="session")
def real_model() -> Embedder:
    """The embedding model itself, loaded once."""
    return load_embedder("light", expected_texts=1)


@pytest.fixture(scope="session")
def judge_with_network(tmp_path_factory: pytest.TempPathFactory) -> Judge:
    """The judge of pairs as a dream makes it, with its network, made once."""
    from dreamd.kit import load_judge

    home = tmp_path_factory.mktemp("judge")
    world = World(Paths(home), Settings(), FixedClock(parse_instant(FIRST_NIGHT)), {"HOME": str(home), "TZ": "UTC"})
    return load_judge(world)


@pytest.fixture(scope="session")
def real_judge(judge_with_network: Judge) -> Judge:
    """The same, once it is the fitted one."""
    pytest.importorskip("dreamd.judge.classifier", reason="the fitted judge is not here yet")
    return judge_with_network


@pytest.fixture
def thoughtful(tmp_path: Path, real_model: Embedder, judge_with_network: Judge) -> House:
    """An empty home with the real networks, for tests that turn on meaning."""
    return House(tmp_path, real_model, judge=judge_with_network, reads=True)


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """A PostgreSQL of the session's own."""
    if programs() is None:
        if os.environ.get(NEEDED):
            pytest.fail(NO_SERVER)
        pytest.skip(NO_SERVER)
    pytest.importorskip("psycopg")
    with running() as one:
        yield one
