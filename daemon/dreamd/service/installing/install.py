"""Installing the service for one person: systemd, launchd or a cron line; no root, all or nothing, and repeatable.

What is already as it should be is left alone; what is ours is known by its header; what fails halfway is rolled
back. Uninstalling goes on through errors on purpose: a half-removed service is better than a stuck one.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path

from dreamd.core import fsio, locks
from dreamd.core.errors import DreamError, UsageError
from dreamd.core.locks import Owner
from dreamd.core.paths import user_home
from dreamd.core.world import World
from dreamd.service.installing import units
from dreamd.service.installing.units import (
    CALLER_LABEL,
    CALLER_UNITS,
    HEADER,
    LABEL,
    SERVICE_UNITS,
    SWEEP_UNITS,
    TEAM_LABEL,
    TEAM_UNITS,
    WORKER_LABEL,
    WORKER_UNITS,
    Place,
)

SYSTEMD, SWEEP, LAUNCHD, CRON = "systemd", "sweep", "launchd", "cron"
KINDS = (SYSTEMD, SWEEP, LAUNCHD, CRON)
CRON_BEGIN, CRON_END = f"# {HEADER}: begin", f"# {HEADER}: end"
COMMAND_TIMEOUT_S = 60


@dataclass(frozen=True)
class Answer:
    """What a command of the system said."""

    code: int
    out: str = ""


Ask = Callable[[Sequence[str], str], Answer]
"""Runs a command of the system with some input; tests hand in their own."""


@dataclass(frozen=True)
class Standing:
    """How the service stands on this machine."""

    kind: str
    """How it is installed; empty when it is not."""
    files: Mapping[Path, str] = field(default_factory=dict)
    """Each file: `current`, `outdated`, `missing` or `foreign`."""
    active: str = "unknown"
    enabled: str = "unknown"
    problems: tuple[str, ...] = ()


class Installer:
    """Installs, removes and looks at the service of one person on one machine."""

    def __init__(self, world: World, place: Place, *, ask: Ask | None = None) -> None:
        self._world, self.place = world, place
        self._ask = ask or _ask_system
        self._env = world.env

    def choose(self) -> str:
        """The kind that fits this machine.

        Raises DreamError where there is none of the three, or only cron for a worker.
        """
        if sys.platform == "darwin":
            return LAUNCHD
        if self._systemctl("show-environment").code == 0:
            return SYSTEMD
        if self._has("crontab", "DREAM_CRONTAB") and not self.place.works:
            return CRON
        if self.place.works:
            raise DreamError("there is no systemd user manager or launchd here, and a worker is no work for cron",
                             hint="start `dream worker` by other means, for instance in a container")
        raise DreamError("there is no systemd user manager, launchd or cron here",
                         hint="start `dream run` by other means, for instance from your login script")

    def texts(self, kind: str) -> dict[Path, str]:
        """Every file of a kind and what it has to hold."""
        caller = self.place.caller
        if self.place.works and kind != LAUNCHD:
            return {self._units() / name: units.fill_systemd(name, self.place) for name in WORKER_UNITS if kind == SYSTEMD}
        if kind == LAUNCHD:
            calls = {self._agent(CALLER_LABEL): units.fill_launchd_caller(self.place, caller)} if caller else {}
            if self._shares:
                calls[self._agent(TEAM_LABEL)] = units.fill_launchd_team(self.place)
            return {self._agent(self._label): units.fill_launchd(self.place), **calls}
        if kind == CRON:
            return {}
        names = (*(SERVICE_UNITS if kind == SYSTEMD else SWEEP_UNITS), *(CALLER_UNITS if caller else ()),
                 *(TEAM_UNITS if self._shares else ()))
        return {self._units() / name: units.fill_systemd(name, self.place) for name in names}

    def install(self, kind: str) -> list[str]:
        """Write, enable and start; says what was done, nothing when all was as it should be.

        Raises DreamError when a file in the way is not ours or the system refuses; everything is then as before.
        """
        with locks.hold_install(self._world.paths.locks, Owner("dream service install", self._world.clock.now())):
            if self.place.works and kind in (SWEEP, CRON):
                raise UsageError("a worker stays: it is a service, and no work for a timer", hint=f"`--kind {SYSTEMD}`")
            if kind == CRON:
                return self._install_cron()
            wanted = self.texts(kind)
            before = {path: _content(path) for path in wanted}
            for path, content in before.items():
                if content is not None and HEADER not in content:
                    raise DreamError(f"`{path}` is not dream's", hint="move it away, then install again")
            changed = [path for path, text in wanted.items() if before[path] != text]
            with ExitStack() as undo:
                # Also when somebody loses patience and presses Ctrl-C: nothing half installed stays behind.
                undo.callback(self._roll_back, kind, {path: before[path] for path in changed})
                for path in changed:
                    _write(path, wanted[path])
                started = self._start(kind, bool(changed))
                undo.pop_all()
            return [f"wrote `{p}`" for p in changed] + started + self._drop_needless()

    def uninstall(self) -> list[str]:
        """Stop, disable and remove everything that is ours, whatever the kind; says what was done."""
        with locks.hold_install(self._world.paths.locks, Owner("dream service uninstall", self._world.clock.now())):
            done = ([] if self.place.works else self._uninstall_cron()) + self._drop_needless(keep=False)
            for kind in (SYSTEMD, SWEEP, LAUNCHD):
                ours = [p for p in self.texts(kind) if HEADER in (_content(p) or "")]
                if not ours:
                    continue
                self._end(kind, [p.name for p in ours])
                for path in ours:
                    with suppress(DreamError):  # the next one may still go
                        fsio.remove(path)
                        done.append(f"removed `{path}`")
                if kind != LAUNCHD:
                    self._systemctl("daemon-reload")
                    self._systemctl("reset-failed", *(p.name for p in ours if p.suffix == ".service"))
            return done

    def standing(self) -> Standing:
        """How it stands, from the files and from the system itself."""
        for kind in (SYSTEMD, SWEEP, LAUNCHD):
            wanted = self.texts(kind)
            main = next(iter(wanted), None)
            if main is not None and HEADER in (_content(main) or ""):
                return self._stands(kind, wanted, main)
        table = "" if self.place.works else self._crontab()
        if CRON_BEGIN in table:
            gone = _gone(units.program_of_cron(table.partition(CRON_BEGIN)[2]))
            outdated = () if units.cron_line(self.place) in table else (
                "the cron line is outdated; run `dream service install` again",)
            return Standing(CRON, active="active", enabled="enabled", problems=gone or outdated)
        return Standing("")

    def _stands(self, kind: str, wanted: Mapping[Path, str], main: Path) -> Standing:
        files: dict[Path, str] = {}
        problems: list[str] = []
        for path, text in wanted.items():
            content = _content(path)
            files[path] = "missing" if content is None else "current" if content == text else "outdated"
        gone = _gone(units.exec_of(_content(main) or ""))
        problems.extend(gone)
        if not gone and set(files.values()) != {"current"}:
            problems.append("the installed files are not those of this dream; run `dream service install` again")
        if kind == LAUNCHD:
            active = "active" if self._launchctl("print", f"{self._domain()}/{self._label}").code == 0 else "inactive"
            return Standing(kind, files, active, "enabled" if active == "active" else "disabled", tuple(problems))
        name = main.name if kind == SYSTEMD else "dream-sweep.timer"
        active = self._systemctl("is-active", name).out.strip() or "unknown"
        enabled = self._systemctl("is-enabled", name).out.strip() or "unknown"
        if active == "failed":
            problems.append(f"it failed; `journalctl --user -u {main.stem}` and `dream probe` say why")
        return Standing(kind, files, active, enabled, tuple(problems))

    def _start(self, kind: str, changed: bool) -> list[str]:
        if kind == LAUNCHD:
            return self._start_agent(changed)
        names = WORKER_UNITS if self.place.works else (
            "dream.service" if kind == SYSTEMD else "dream-sweep.timer", "dream-probe.timer",
            *(("dream-llm.socket",) if self.place.caller else ()), *(("dream-team.timer",) if self._shares else ()))
        if not changed and all(self._systemctl("is-active", n).code == 0 for n in names):
            return []
        self._demand(self._systemctl("daemon-reload"), "systemd did not read the units")
        self._demand(self._systemctl("enable", *names), "systemd did not enable the units")
        # `restart` rather than `start`: a changed unit has to take effect, and a second service exits by itself.
        self._demand(self._systemctl("restart", *names), "systemd did not start the units")
        return [f"started `{name}`" for name in names]

    def _start_agent(self, changed: bool) -> list[str]:
        labels = (self._label, *((CALLER_LABEL,) if self.place.caller else ()), *((TEAM_LABEL,) if self._shares else ()))
        if not changed and all(self._launchctl("print", f"{self._domain()}/{label}").code == 0 for label in labels):
            return []
        for label in labels:
            self._launchctl("bootout", f"{self._domain()}/{label}")  # fails when it was not loaded, which is what we want
            self._demand(self._launchctl("bootstrap", self._domain(), str(self._agent(label))),
                         "launchd did not load the agent")
        return [f"loaded `{label}`" for label in labels]

    @property
    def _shares(self) -> bool:
        return self.place.team_paths is not None

    @property
    def _label(self) -> str:
        return WORKER_LABEL if self.place.works else LABEL

    def _drop_needless(self, *, keep: bool = True) -> list[str]:
        """Remove what makes the calls to a language model, or shares with a team, where none is configured any more."""
        if self.place.works:
            return []  # those of a person's own home on this machine are none of a worker's business
        extras = ((CALLER_UNITS, CALLER_LABEL, self.place.caller is not None), (TEAM_UNITS, TEAM_LABEL, self._shares))
        files = [path for names, label, wanted in extras if not (keep and wanted)
                 for path in (*(self._units() / name for name in names), self._agent(label))]
        ours = [path for path in files if HEADER in (_content(path) or "")]
        for path in ours:
            if path.suffix == ".plist":
                self._launchctl("bootout", f"{self._domain()}/{path.stem}")
            else:
                self._systemctl("disable", "--now", path.name)
            with suppress(DreamError):  # the next one may still go
                fsio.remove(path)
        if any(path.suffix != ".plist" for path in ours):
            self._systemctl("daemon-reload")
        return [f"removed `{path}`" for path in ours]

    def _end(self, kind: str, names: Sequence[str]) -> None:
        if kind == LAUNCHD:
            self._launchctl("bootout", f"{self._domain()}/{self._label}")
            return
        started = ("dream.service", *WORKER_UNITS)
        self._systemctl("disable", "--now", *(n for n in names if n in started or n.endswith((".timer", ".socket"))))

    def _roll_back(self, kind: str, before: Mapping[Path, str | None]) -> None:
        if not any(content is not None for content in before.values()):
            self._end(kind, [p.name for p in before])
        for path, content in before.items():
            with suppress(DreamError):  # the rest goes back all the same; the first error is the one that is told
                if content is None:
                    fsio.remove(path)
                else:
                    _write(path, content)
        if kind != LAUNCHD:
            self._systemctl("daemon-reload")

    def _install_cron(self) -> list[str]:
        table, line = self._crontab(), units.cron_line(self.place)
        block = f"{CRON_BEGIN}\n{line}\n{CRON_END}\n"
        if block in table:
            return []
        kept = _without_block(table)
        wanted = kept + ("\n" if kept and not kept.endswith("\n") else "") + block
        self._demand(self._cron(("-",), wanted), "cron did not take the line")
        return ["added a line to the crontab"]

    def _uninstall_cron(self) -> list[str]:
        table = self._crontab()
        if CRON_BEGIN not in table:
            return []
        kept = _without_block(table)
        answer = self._cron(("-",), kept) if kept.strip() else self._cron(("-r",), "")
        return ["removed the line from the crontab"] if answer.code == 0 else []

    def _demand(self, answer: Answer, said: str) -> None:
        if answer.code != 0:
            told = " ".join(answer.out.split())[:200]
            raise DreamError(f"{said}: {told}" if told else said, hint="nothing was installed; `dream service print` shows it")

    def _systemctl(self, *words: str) -> Answer:
        return self._ask((self._env.get("DREAM_SYSTEMCTL", "systemctl"), "--user", "--no-pager", *words), "")

    def _launchctl(self, *words: str) -> Answer:
        return self._ask((self._env.get("DREAM_LAUNCHCTL", "launchctl"), *words), "")

    def _cron(self, words: Sequence[str], text: str) -> Answer:
        return self._ask((self._env.get("DREAM_CRONTAB", "crontab"), *words), text)

    def _crontab(self) -> str:
        answer = self._cron(("-l",), "") if self._has("crontab", "DREAM_CRONTAB") else Answer(1)
        return answer.out if answer.code == 0 else ""

    def _has(self, program: str, variable: str) -> bool:
        return bool(self._env.get(variable)) or shutil.which(program, path=self._env.get("PATH")) is not None

    def _units(self) -> Path:
        return unit_folder(self._env)

    def _agent(self, label: str = LABEL) -> Path:
        return user_home(self._env) / "Library" / "LaunchAgents" / f"{label}.plist"

    def _domain(self) -> str:
        return f"gui/{os.getuid()}"


def may_install(env: Mapping[str, str]) -> bool:
    """Whether something here could start a service, as far as a look without asking it tells."""
    runtime = Path(env.get("XDG_RUNTIME_DIR") or f"/run/user/{os.getuid()}")
    return (sys.platform == "darwin" or bool(env.get("DREAM_SYSTEMCTL")) or (runtime / "systemd" / "private").exists()
            or bool(env.get("DREAM_CRONTAB")) or shutil.which("crontab", path=env.get("PATH")) is not None)


def is_shut_out(world: World, directory: Path) -> bool:
    """Whether an installed unit of ours may not write to a directory, which it was not told of when it was installed."""
    installed = (_content(unit_folder(world.env) / name) or "" for name in (SERVICE_UNITS[0], SWEEP_UNITS[0]))
    return any(HEADER in unit and not {directory, *directory.parents} & set(units.writable_in(unit)) for unit in installed)


def unit_folder(env: Mapping[str, str]) -> Path:
    """Where a person's own systemd units are."""
    base = env.get("XDG_CONFIG_HOME")
    return (Path(base) if base else user_home(env) / ".config") / "systemd" / "user"


def _gone(program: Path | None) -> tuple[str, ...]:
    """What to say about a program that is to be started and is not there any more."""
    if program is None or program.exists():
        return ()
    return (f"it starts `{program}`, which is gone: the environment was moved or removed; "
            "run `dream service install` from the new one",)


def _without_block(table: str) -> str:
    lines, inside = [], False
    for line in table.splitlines(keepends=True):
        if line.startswith(CRON_BEGIN):
            inside = True
        if not inside:
            lines.append(line)
        if line.startswith(CRON_END):
            inside = False
    return "".join(lines)


def _content(path: Path) -> str | None:
    """What stands in a file of ours; a link or something unreadable reads as foreign, not as absent."""
    try:
        return fsio.read_bytes(path, limit_bytes=256 * 1024).decode("utf-8", "replace")
    except FileNotFoundError:
        return None
    except (DreamError, OSError):
        return ""


def _write(path: Path, text: str) -> None:
    fsio.write_atomic(path, text.encode())


def _ask_system(command: Sequence[str], text: str) -> Answer:
    try:
        done = subprocess.run(command, input=text, capture_output=True, text=True, errors="replace", timeout=COMMAND_TIMEOUT_S)
    except (OSError, subprocess.SubprocessError) as error:
        return Answer(127, f"{command[0]}: {type(error).__name__}")
    return Answer(done.returncode, done.stdout if done.returncode == 0 or done.stdout else done.stderr)


def document(standing: Standing) -> dict[str, object]:
    """A standing as `dream service status --json` prints it."""
    return {"installed": standing.kind or None, "active": standing.active, "enabled": standing.enabled,
            "files": {str(p): state for p, state in standing.files.items()}, "problems": list(standing.problems)}
