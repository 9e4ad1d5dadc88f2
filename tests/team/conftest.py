"""A server for the session, and homes of both kinds."""

from __future__ import annotations

from pathlib import Path

import pytest

from dreamd.store.team.pointer import point
from household import House
from team_server import Server


@pytest.fixture
def team_house(tmp_path: Path, server: Server) -> House:
    """A home that leads to a tenant of its own."""
    house = House(tmp_path / "team")
    house.home.mkdir(parents=True)
    point(house.paths.store, server.url("worker"), server.tenant())
    return house


@pytest.fixture
def own_house(tmp_path: Path) -> House:
    """A home with a store of its own."""
    return House(tmp_path / "own")
