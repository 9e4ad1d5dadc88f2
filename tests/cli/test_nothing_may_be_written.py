"""A disk that takes nothing, and a home that is a symbolic link: looking works, and nothing is lost by trying."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from conftest import Terminal

START = '{"session_id": "a", "cwd": "/srv/app", "source": "startup"}'


def may_mount() -> bool:
    unshare = shutil.which("unshare")
    return bool(unshare) and subprocess.run([str(unshare), "-m", "true"], capture_output=True, check=False).returncode == 0


def told_read_only(dream: Terminal, *words: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """What a command says while the home lies on a disk that is mounted read-only."""
    home = str(dream.home)
    mounted = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"'
    return subprocess.run(["unshare", "-m", "sh", "-c", mounted, home, *dream.command(*words)], input=stdin, text=True,
                          env=dream.env, cwd=dream.person, capture_output=True, timeout=120, check=False)


@pytest.mark.skipif(not may_mount(), reason="this machine lets nobody mount")
def test_looking_works_on_a_read_only_disk(lived_in: Terminal, memory_of: Callable[[str], Any]) -> None:
    before = lived_in.files()
    lived_in.settings("[priming]\ntimeout_ms = 10000\n")
    identity = memory_of("linter")["id"]
    for words in (["list"], ["show", identity], ["search", "linter"], ["status"], ["review"]):
        told = told_read_only(lived_in, *words)
        assert told.returncode == 0, (words, told.stderr)
    primed = told_read_only(lived_in, "hook", "session-start", stdin=START)
    assert (primed.returncode, "linter" in primed.stdout) == (0, True), primed
    assert told_read_only(lived_in, "note", "This cannot be written down.").returncode == 12
    after = lived_in.files()
    changed = {name for name in after if after[name] != before.get(name)}
    assert changed <= {"locks/gate.lock", "locks/write.lock", "dream.db-shm", "dream.db-wal"}, changed


@pytest.mark.skipif(not may_mount(), reason="this machine lets nobody mount")
def test_looking_works_where_a_log_waits_that_nobody_can_fold_in(lived_in: Terminal) -> None:
    writer = ("import os, sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute('PRAGMA wal_autocheckpoint = 0'); "
              "c.execute(\"INSERT INTO tombstone VALUES ('a', 'b')\"); c.commit(); os._exit(0)")
    subprocess.run(["python3", "-c", writer, str(lived_in.home / "dream.db")], check=True)
    (lived_in.home / "dream.db-shm").unlink()
    assert (lived_in.home / "dream.db-wal").stat().st_size
    told = told_read_only(lived_in, "list")
    assert (told.returncode, "linter" in told.stdout) == (0, True), told


def test_a_home_that_is_a_symbolic_link_works(lived_in: Terminal) -> None:
    there = lived_in.home.with_name("elsewhere")
    lived_in.home.rename(there)
    lived_in.home.symlink_to(there)
    assert lived_in("note", "Reviews of the billing API need two people.").code == 0
    for words in (["consolidate"], ["search", "billing"], ["check"], ["pause"], ["resume"]):
        told = lived_in(*words)
        assert told.code == 0, (words, told)
    assert lived_in("hook", "session-start", stdin=START).code == 0
    assert lived_in("hook", "stop", stdin='{"session_id": "a", "transcript_path": "/srv/t.jsonl"}').code == 0
    assert not list((there / "outage").glob("*.json"))
    assert lived_in.home.is_symlink()
    assert list((there / "inbox").iterdir())
