"""Installed from a wheel into a throw-away home, as a new user would: started, fed, watched, stopped, removed."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import sysconfig
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path

import pytest
from manager_scene import SETTINGS, link_libraries, watched

from dreamd.core.clock import iso

ROOT = Path(__file__).resolve().parents[2]
SCENE = Path(__file__).with_name("manager_scene.py")
LIBRARIES = sysconfig.get_paths()["purelib"]
STRANGER = 12345
"""A user without any rights; no need that anybody goes by that name."""
MACHINE = r"""
set -e
mount --make-rprivate /
mount -t tmpfs tmpfs /run
# What the first process of a machine with systemd has made before anyone logs in.
mkdir -p /run/systemd/system /run/systemd/unit-root /run/systemd/mount-rootfs /run/user/$STRANGER
chown $STRANGER /run/user/$STRANGER
chmod 700 /run/user/$STRANGER
mount -t cgroup2 cgroup2 /sys/fs/cgroup
mkdir -p $GROUP/user
chown -R $STRANGER $GROUP
echo $$ > $GROUP/user/cgroup.procs
mount -t tmpfs -o mode=755 tmpfs /home
mkdir -p /home/ada /run/libraries /run/wheels
chown $STRANGER /home/ada
mount --bind "$LIBRARIES" /run/libraries
cp "$WHEELS"/*.whl /run/wheels/
chmod -R a+rX /run/wheels
cp "$SCENE" /run/scene.py
export HOME=/home/ada XDG_RUNTIME_DIR=/run/user/$STRANGER LIBRARIES=/run/libraries WHEELS=/run/wheels
cd /
exec setpriv --reuid $STRANGER --regid $STRANGER --clear-groups "$PYTHON" /run/scene.py
"""


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if find_spec("hatchling") is None or find_spec("build") is None or find_spec("pip") is None:
        pytest.skip("`build`, `hatchling` and `pip` are not all here, and this test asks no network for them")
    place = tmp_path_factory.mktemp("wheels")
    built = subprocess.run([sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(place), str(ROOT)],
                           capture_output=True, text=True)
    assert built.returncode == 0, built.stderr[-500:]
    return place


# ---- with a service manager ---------------------------------------------------------------------------------------


@pytest.fixture
def machine(wheels: Path) -> Iterator[dict[str, object]]:
    """A machine of its own in namespaces, with systemd's user manager, and what the scene told."""
    python = next((p for p in (sys.executable, "/usr/bin/python3") if _runs_for_strangers(p)), "")
    if os.geteuid() != 0 or not python or not all(map(shutil.which, ("unshare", "setpriv", "systemctl", "systemd-run"))):
        pytest.skip("needs root, systemd, `unshare` and an interpreter that any user may run")
    group = Path(f"/sys/fs/cgroup/dream-test-{os.getpid()}")
    env = {"PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "STRANGER": str(STRANGER), "GROUP": str(group), "PYTHON": python,
           "LIBRARIES": LIBRARIES, "WHEELS": str(wheels), "SCENE": str(SCENE), "LANG": "C.UTF-8"}
    apart = ["unshare", "--mount", "--cgroup", "--pid", "--fork", "--kill-child=SIGKILL", "--mount-proc", "sh", "-c", MACHINE]
    done = subprocess.run(apart, env=env, capture_output=True, text=True, timeout=1200)
    for left in (group, Path("/sys/fs/cgroup/unified") / group.name):
        for place in sorted((p for p in left.rglob("*") if p.is_dir()), reverse=True):
            place.rmdir()
        if left.is_dir():
            left.rmdir()
    assert done.stdout.strip() or "mount:" in done.stderr, done.stderr
    told = json.loads(done.stdout.splitlines()[-1]) if done.stdout.strip() else {}
    if not told.get("manager"):
        pytest.skip(f"no user manager starts here: {done.stderr.strip()[-200:]}")
    yield told


def _runs_for_strangers(python: str) -> bool:
    if os.geteuid() != 0 or shutil.which("setpriv") is None:
        return False
    # The shell in between has lost what `setpriv` itself still may.
    drop = ["setpriv", f"--reuid={STRANGER}", f"--regid={STRANGER}", "--clear-groups", "sh", "-c", 'exec "$@"', "sh"]
    asked = "import sys; print(sys.version_info[:2] == tuple(map(int, sys.argv[1:])))"
    told = subprocess.run([*drop, python, "-c", asked, *map(str, sys.version_info[:2])], capture_output=True, text=True)
    return told.stdout.strip() == "True"


@pytest.mark.slow
@pytest.mark.systemd
def test_a_new_user_with_systemd_has_a_confined_service_that_works_and_goes_without_a_trace(machine: dict[str, object]) -> None:
    told = machine
    assert "failures" not in told, told["failures"]
    assert "started `dream.service`" in str(told["installed"])
    assert told["again"] == "everything is as it should be\n"
    assert told["first_dream"] and told["extracted"], told["status"]
    kind, state, said, watchdog = told["notify"]  # type: ignore[misc]
    assert (kind, state, watchdog) == ("notify", "active", "2min")
    assert said
    # It is really confined: no new rights, a filter on calls, none of what else lies in the home directory.
    assert told["confined"] == {"NoNewPrivs": "1", "Seccomp": "2", "CapBnd": "0000000000000000"}
    assert "secret" not in told["sees"] and "venv" in told["sees"]  # type: ignore[operator]
    # What it was asked to keep in order it may write to, and nothing else of the agent's.
    assert told["may_write"] == ["inside", "outside"]
    assert told["watch_code"] == 0
    assert str(told["watch"]).count("\x1b[H") >= 3, "it refreshes in place"
    status = told["status"]
    assert isinstance(status, dict) and status["service_state"] == "idle" and status["last_success_at"]
    assert told["probed"] == "0", told["probe"]
    assert told["stopped"] == ["inactive", "success"] and float(str(told["stop_s"])) < 30
    assert told["left_running"] == [] and told["units"] == []
    assert told["left"] == [".claude/projects/-srv-app/memory/MEMORY.md", ".claude/projects/-srv-app/memory/ledger.md",
                            ".claude/projects/-srv-app/s1.jsonl", ".config/dream/dream.toml", "secret"]


# ---- by hand ------------------------------------------------------------------------------------------------------


class Ada:
    """A new user with an empty home directory."""

    def __init__(self, base: Path, wheels: Path) -> None:
        self.home = base / "ada"
        self.home.mkdir()
        self.state = self.home / ".local/state/dream"
        self.bin = self.home / "venv" / "bin"
        self.env = {"HOME": str(self.home), "PATH": "/usr/bin:/bin", "TZ": "UTC", "DREAM_SYSTEMCTL": "/bin/false",
                    "DREAM_CRONTAB": "/bin/false"}
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(self.home / "venv")], check=True)
        subprocess.run([sys.executable, "-m", "pip", "--python", str(self.bin / "python"), "install", "-q", "--no-deps",
                        "--no-index", "--no-cache-dir", *map(str, wheels.glob("dreamd-*.whl"))], check=True)
        packages = next((self.home / "venv/lib").glob("python3*/site-packages"))
        link_libraries(Path(LIBRARIES), packages)
        (self.home / ".config/dream").mkdir(parents=True)
        (self.home / ".config/dream/dream.toml").write_text(SETTINGS)
        self.talk = self.home / ".claude/projects/-srv-app/s1.jsonl"
        self.talk.parent.mkdir(parents=True)

    def dream(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([str(self.bin / "dream"), *words], env=self.env, capture_output=True, text=True, timeout=120)

    def live(self) -> int:
        told = self.dream("--json", "status")
        return int(json.loads(told.stdout)["memories"].get("live", 0)) if told.returncode == 0 else 0

    def says(self, words: str) -> None:
        with self.talk.open("a") as stream:
            for kind, message in (("user", {"role": "user", "content": words}),
                                  ("assistant", {"role": "assistant", "stop_reason": "end_turn",
                                                 "content": [{"type": "text", "text": "Understood, done."}]})):
                stream.write(json.dumps({"type": kind, "message": message, "uuid": str(uuid.uuid4()), "sessionId": "s1",
                                         "cwd": "/srv/app", "isSidechain": False, "parentUuid": None, "version": "2.1.0",
                                         "userType": "external", "timestamp": iso(datetime.now(UTC))}) + "\n")


class Manager:
    """The ear of a service manager."""

    def __init__(self, address: Path) -> None:
        self.heard: list[str] = []
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(str(address))
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def _listen(self) -> None:
        while message := self._socket.recv(4096):
            self.heard += message.decode().splitlines()

    def close(self) -> None:
        self._socket.shutdown(socket.SHUT_RD)
        self._thread.join(2)
        self._socket.close()


def until(true: Callable[[], object], seconds: float = 300) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.1)


@pytest.mark.slow
def test_a_new_user_starts_it_as_the_unit_would_feeds_watches_stops_and_removes_it(tmp_path: Path, wheels: Path) -> None:
    ada = Ada(tmp_path, wheels)
    before = {p for p in ada.home.rglob("*") if p.is_file()}
    assert ada.dream("note", "The staging server listens on port 4001.").returncode == 0
    unit = next(text for path, text in json.loads(ada.dream("--json", "service", "print").stdout)["files"].items()
                if path.endswith("dream.service"))
    command = shlex.split(next(line for line in unit.splitlines() if line.startswith("ExecStart=")).removeprefix("ExecStart="))
    given = dict(word.split("=", 1) for line in unit.splitlines() if line.startswith("Environment=")
                 for word in shlex.split(line.removeprefix("Environment=")))
    manager = Manager(tmp_path / "notify")
    log = (tmp_path / "log").open("w")
    service = subprocess.Popen(command, env={**ada.env, **given, "NOTIFY_SOCKET": str(tmp_path / "notify")}, stderr=log)
    try:
        until(lambda: "READY=1" in manager.heard)
        until(lambda: ada.live() == 1)
        ada.says("From now on always squash commits before you merge them.")
        ada.says("Remember: invoices lie in the cellar.")
        code, drawn = watched(str(ada.bin / "dream"), 2.5, ada.env)
        assert code == 0 and drawn.count("\x1b[H") >= 3 and f"(pid {service.pid})" in drawn
        until(lambda: ada.live() == 3)
        assert manager.heard.count("WATCHDOG=1") >= 2
        assert any(line.startswith("STATUS=working") for line in manager.heard)
        service.send_signal(signal.SIGTERM)
        assert service.wait(timeout=120) == 0
        assert "STOPPING=1" in manager.heard
    finally:
        service.kill()
        service.wait()
        log.close()
        manager.close()
    lines = [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]
    assert (lines[0]["event"], lines[-1]["event"]) == ("service.started", "service.stopped")
    assert ada.dream("service", "uninstall").returncode == 0
    left = {p for p in ada.home.rglob("*") if p.is_file() and "__pycache__" not in p.parts} - before - {ada.talk}
    assert all(p.is_relative_to(ada.state) for p in left), left
    assert {"backups", "dream.db", "logs", "memory"} <= {p.name for p in ada.state.iterdir()}
    assert not [p for p in Path("/proc").glob("[0-9]*/cmdline") if str(ada.home).encode() in _words(p)]


def _words(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""
