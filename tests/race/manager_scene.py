"""What a new user does on a machine with a real service manager, told as one JSON document; see `test_new_user.py`.

Runs inside namespaces of its own, as a user without rights, with the standard library alone.
"""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

HOME = Path(os.environ["HOME"])
STATE = HOME / ".local/state/dream"
SETTINGS = """
[service]
settle_s = 0
quiet_minutes = 0
min_hours = 0
volume_base = 1
max_load_per_core = 16
min_free_percent = 0
[extraction]
every_turns = 2
min_minutes = 0
"""
told: dict[str, object] = {}


def run(*words: str) -> str:
    """A command's output, errors included; its code is kept when it is not zero."""
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode:
        told.setdefault("failures", []).append([*words, done.returncode, done.stdout[-400:], done.stderr[-400:]])  # type: ignore[attr-defined]
    return done.stdout + done.stderr


def dream(*words: str) -> str:
    """The installed command."""
    return run(str(HOME / "venv/bin/dream"), *words)


def until(true: Callable[[], object], seconds: float = 300) -> bool:
    """Whether it came true in time: what runs at idle priority may have to wait for everything else."""
    end = time.monotonic() + seconds
    while not true():
        if time.monotonic() > end:
            return False
        time.sleep(0.2)
    return True


def shows(name: str, unit: str = "dream.service") -> str:
    """One property of a unit, as the manager sees it."""
    return run("systemctl", "--user", "show", unit, f"--property={name}", "--value").strip()


def how_it_stands() -> dict[str, object]:
    """`dream status --json`."""
    done = subprocess.run([str(HOME / "venv/bin/dream"), "--json", "status"], capture_output=True, text=True)
    return json.loads(done.stdout) if done.returncode == 0 else {}  # type: ignore[no-any-return]


def live() -> int:
    """How many live memories there are."""
    kept = how_it_stands().get("memories", {})
    return int(kept.get("live", 0)) if isinstance(kept, dict) else 0


def watched(command: str, seconds: float, env: dict[str, str]) -> tuple[int, str]:
    """How `dream status --watch` ends after Ctrl-C, and what it drew on a terminal until then."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.execve(command, ["dream", "status", "--watch", "0.5"], env)
    os.set_blocking(terminal, False)
    asked_at, drawn, code = time.monotonic() + seconds, b"", None
    while code is None:
        if time.monotonic() > asked_at and drawn.count(b"\x1b[H") >= 3:
            os.kill(pid, signal.SIGINT)
            asked_at += 5
        try:
            drawn += os.read(terminal, 65536)
        except BlockingIOError:
            time.sleep(0.05)
        except OSError:  # the other side of the terminal is gone
            time.sleep(0.05)
        done, status = os.waitpid(pid, os.WNOHANG)
        code = os.waitstatus_to_exitcode(status) if done else None
    os.close(terminal)
    return code, drawn.decode()


def talk() -> None:
    """A conversation with an agent goes on while the service runs."""
    lines = []
    said = ("From now on always squash commits before you merge them.", "Remember: invoices lie in the cellar.")
    for n, words in enumerate(said):
        facts = {"sessionId": "s1", "cwd": "/srv/app", "isSidechain": False, "userType": "external", "version": "2.1.0",
                 "parentUuid": None, "timestamp": time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime())}
        lines.append({**facts, "type": "user", "uuid": f"0000000{n}-0000-4000-8000-000000000000",
                      "message": {"role": "user", "content": words}})
        lines.append({**facts, "type": "assistant", "uuid": f"0000000{n}-0000-4000-8000-000000000001",
                      "message": {"role": "assistant", "stop_reason": "end_turn",
                                  "content": [{"type": "text", "text": "Understood, done."}]}})
    path = HOME / ".claude/projects/-srv-app/s1.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def processes() -> list[str]:
    """Command lines of everything of dream that runs here."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                words = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            except OSError:
                continue
            if "/bin/dream" in words or "dreamd." in words:
                found.append(words)
    return found


def link_libraries(libraries: Path, packages: Path) -> None:
    """What dream needs, as if it were installed beside it; everything but dream itself."""
    for entry in libraries.iterdir():
        if not entry.name.startswith(("dreamd", "__editable__", "_editable")) and not (packages / entry.name).exists():
            (packages / entry.name).symlink_to(entry)


def furnish() -> None:
    """An environment from the wheel, settings, and the folder of an agent."""
    run(sys.executable, "-m", "venv", "--without-pip", str(HOME / "venv"))
    os.environ["PYTHONPATH"] = os.environ["LIBRARIES"]
    wheel = next(Path(os.environ["WHEELS"]).glob("dreamd-*.whl"))
    run(sys.executable, "-m", "pip", "--python", str(HOME / "venv/bin/python"), "install", "-q", "--no-deps", "--no-index",
        "--no-cache-dir", str(wheel))
    del os.environ["PYTHONPATH"]
    packages = next((HOME / "venv/lib").glob("python3*/site-packages"))
    link_libraries(Path(os.environ["LIBRARIES"]), packages)
    (HOME / ".config/dream").mkdir(parents=True)
    (HOME / ".config/dream/dream.toml").write_text(SETTINGS)
    (HOME / ".claude/projects/-srv-app").mkdir(parents=True)
    (HOME / "secret").write_text("nothing a memory service has any business with")


def main() -> None:
    """The whole scene."""
    manager = subprocess.Popen(["/lib/systemd/systemd", "--user"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    asked = ["systemctl", "--user", "is-system-running"]
    up = until(lambda: subprocess.run(asked, capture_output=True, text=True).stdout.strip() in ("running", "degraded"), 60)
    told["manager"] = up
    if not up:
        return
    furnish()
    dream("note", "The staging server listens on port 4001.")
    notes = HOME / ".claude/projects/-srv-app/memory"
    notes.mkdir()
    (notes / "MEMORY.md").write_text("- [Ledger](ledger.md) - how the ledger is replicated\n")
    (notes / "ledger.md").write_text("The ledger is replicated every hour.\n")
    dream("attach", "--yes", str(notes))
    told["installed"] = dream("service", "install")
    told["again"] = dream("service", "install")
    told["first_dream"] = until(lambda: live() >= 1)
    pid = shows("MainPID")
    told["notify"] = [shows("Type"), shows("ActiveState"), shows("StatusText"), shows("WatchdogUSec")]
    inside = ["nsenter", "--user", "--mount", "--preserve-credentials", "--target", pid, "ls", "-A", str(HOME)]
    told["sees"] = subprocess.run(inside, capture_output=True, text=True).stdout.split()
    walls = f"touch {notes}/x && rm {notes}/x && echo inside; touch {notes.parent}/x 2>/dev/null || echo outside"
    told["may_write"] = subprocess.run([*inside[:-3], "sh", "-c", walls], capture_output=True, text=True).stdout.split()
    limits = Path(f"/proc/{pid}/status").read_text()
    told["confined"] = {line.split(":")[0]: line.split(":")[1].strip() for line in limits.splitlines()
                        if line.startswith(("NoNewPrivs", "Seccomp:", "CapBnd"))}
    talk()
    told["watch_code"], told["watch"] = watched(str(HOME / "venv/bin/dream"), 3, dict(os.environ))
    told["extracted"] = until(lambda: live() >= 3)
    told["status"] = how_it_stands()
    told["probe"] = subprocess.run([str(HOME / "venv/bin/dream"), "probe"], capture_output=True, text=True).stdout
    subprocess.run(["systemctl", "--user", "start", "dream-probe.service"], capture_output=True)
    told["probed"] = shows("ExecMainStatus", "dream-probe.service")
    before = time.monotonic()
    run("systemctl", "--user", "stop", "dream.service")
    told["stop_s"] = time.monotonic() - before
    told["stopped"] = [shows("ActiveState"), shows("Result")]
    told["removed"] = dream("service", "uninstall")
    told["left_running"] = processes()
    listed = ["systemctl", "--user", "list-unit-files", "--no-legend", "dream*"]
    told["units"] = subprocess.run(listed, capture_output=True, text=True).stdout.split()
    told["left"] = sorted(str(p.relative_to(HOME)) for p in HOME.rglob("*") if p.is_file()
                          and not p.is_relative_to(HOME / "venv") and not p.is_relative_to(STATE))
    manager.terminate()


if __name__ == "__main__":
    main()
    print(json.dumps(told))
