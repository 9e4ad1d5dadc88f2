"""What crash tests share."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import scenario
from torment import Ordeal

SHARED_MEMORY = Path("/dev/shm")


@pytest.fixture
def room() -> Iterator[Path]:
    """A place for many homes. In memory where the machine has that: what a flush is good for is modelled here."""
    base = SHARED_MEMORY if SHARED_MEMORY.is_dir() and os.access(SHARED_MEMORY, os.W_OK) else None
    place = Path(tempfile.mkdtemp(prefix="dream-torment-", dir=base))
    yield place
    shutil.rmtree(place, ignore_errors=True)


@pytest.fixture
def ordeal(room: Path) -> Ordeal:
    """The dream of the scenario over its home."""
    (room / "before").mkdir()
    made = Ordeal(scenario.prepare(room / "before"), scenario.dream, scenario.NIGHT, room)
    made.rehearse()
    return made


@pytest.fixture
def tell(capsys: pytest.CaptureFixture[str]) -> Callable[[str], None]:
    """Say something on the terminal though the test passes."""

    def say(words: str) -> None:
        with capsys.disabled():
            print(f"\n  {words}", end="")

    return say
