"""What crash tests share."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
import scenario
from torment import Ordeal

from household import House

SHARED_MEMORY = Path("/dev/shm")
AT_REST = "2026-02-06T20:00:00Z"


@contextmanager
def _place() -> Iterator[Path]:
    """A place for many homes. In memory where the machine has that: what a flush is good for is modelled here."""
    base = SHARED_MEMORY if SHARED_MEMORY.is_dir() and os.access(SHARED_MEMORY, os.W_OK) else None
    place = Path(tempfile.mkdtemp(prefix="dream-torment-", dir=base))
    yield place
    shutil.rmtree(place, ignore_errors=True)


@pytest.fixture
def room() -> Iterator[Path]:
    """A place for many homes, of the test's own."""
    with _place() as place:
        yield place


@pytest.fixture(scope="session")
def _before() -> Iterator[House]:
    with _place() as place:
        yield scenario.prepare(place)


@pytest.fixture(scope="session")
def _slept() -> Iterator[House]:
    with _place() as place:
        house = scenario.prepare(place)
        scenario.dream(house)
        house.dream(AT_REST)
        yield house


@pytest.fixture
def before(_before: House, room: Path) -> House:
    """The home as it stands before the night of the scenario; each test has its own copy."""
    return _before.copy_to(room / "before")


@pytest.fixture
def slept(_slept: House, room: Path) -> House:
    """A home after the night of the scenario, at rest; each test has its own copy."""
    return _slept.copy_to(room / "slept")


@pytest.fixture(scope="session")
def _rehearsed(_before: House) -> Iterator[Ordeal]:
    with _place() as place:
        made = Ordeal(_before, scenario.dream, scenario.NIGHT, place)
        scenario.dream(made.fresh())  # the first dream of a process has effects that no other has
        made.rehearse()
        yield made


@pytest.fixture
def ordeal(_rehearsed: Ordeal, room: Path) -> Ordeal:
    """The dream of the scenario over its home."""
    return replace(_rehearsed, room=room)


@pytest.fixture
def tell(capsys: pytest.CaptureFixture[str]) -> Callable[[str], None]:
    """Say something on the terminal though the test passes."""

    def say(words: str) -> None:
        with capsys.disabled():
            print(f"\n  {words}", end="")

    return say
