"""One whole dream as confined as its unit confines it, by the same kernel features, where there is no systemd to ask."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

CONFINE = r"""
set -e
mount --make-rprivate /
mkdir -p "$STAGE"
mount -t tmpfs tmpfs "$STAGE"
mkdir "$STAGE/state" "$STAGE/claude"
mount --bind "$PERSON/.local/state/dream" "$STAGE/state"
mount --bind "$PERSON/.claude" "$STAGE/claude"
# ProtectHome=tmpfs: the rest of the home directory is not there; what is named comes back.
mount -t tmpfs tmpfs "$PERSON"
mkdir -p "$PERSON/.local/state/dream" "$PERSON/.claude"
mount --bind "$STAGE/state" "$PERSON/.local/state/dream"
mount --bind "$STAGE/claude" "$PERSON/.claude"
mount -o remount,bind,ro "$PERSON/.claude"
# ProtectSystem=strict: everything else is read-only.
mount -o remount,bind,ro /
cd /
umask 077
ulimit -c 0
exec setpriv --no-new-privs --bounding-set=-all --inh-caps=-all "$@"
"""


@pytest.fixture
def person(tmp_path: Path) -> Path:
    for program in ("unshare", "setpriv", "mount"):
        if shutil.which(program) is None:
            pytest.skip(f"`{program}` is not here")
    allowed = subprocess.run(["unshare", "--user", "--map-root-user", "--mount", "--net", "--ipc", "true"], capture_output=True)
    if allowed.returncode:
        pytest.skip("this machine allows no namespaces")
    home = tmp_path / "person"
    (home / ".local" / "state" / "dream").mkdir(parents=True)
    (home / ".claude" / "projects").mkdir(parents=True)
    (home / "secret").write_text("what a memory service has no business with")
    return home


def confined(person: Path, *words: str) -> subprocess.CompletedProcess[str]:
    env = {"HOME": str(person), "PERSON": str(person), "STAGE": str(person.parent / "stage"), "PATH": os.environ["PATH"],
           "OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1", "TMPDIR": "/dev/shm"}
    return subprocess.run(["unshare", "--user", "--map-root-user", "--mount", "--net", "--ipc", "sh", "-c", CONFINE, "sh",
                           *words], env=env, capture_output=True, text=True, timeout=300)


def test_the_walls_of_this_test_are_real(person: Path) -> None:
    look = (f"import os, socket\nassert not os.path.exists({str(person / 'secret')!r})\n"
            "for place in ('/usr/x', '/var/x', os.environ['HOME'] + '/.claude/x'):\n"
            "    try:\n        open(place, 'w'); raise SystemExit(f'{place} is writable')\n    except OSError: pass\n"
            "try:\n    socket.create_connection(('127.0.0.1', 1), 0.2); raise SystemExit('a network')\nexcept OSError: pass\n"
            "open(os.environ['HOME'] + '/.local/state/dream/ok', 'w').close()")
    told = confined(person, sys.executable, "-c", look)
    assert (told.returncode, told.stderr) == (0, "")
    assert (person / ".local/state/dream/ok").exists()


def test_a_whole_dream_needs_nothing_its_unit_forbids(person: Path) -> None:
    dream = [sys.executable, "-m", "dreamd.cli.main"]
    noted = confined(person, *dream, "note", "The staging server listens on port 4001.")
    assert noted.returncode == 0, noted.stderr
    told = confined(person, *dream, "consolidate")
    assert told.returncode == 0, told.stderr
    with closing(sqlite3.connect(person / ".local/state/dream/dream.db")) as store:
        assert store.execute("SELECT status FROM memory").fetchall() == [("live",)]
    probed = confined(person, *dream, "probe")
    assert probed.stdout.splitlines()[-1] == "DREAM-PROBE 1 verdict=healthy code=0"
