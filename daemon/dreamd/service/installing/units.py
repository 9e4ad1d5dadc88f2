"""The texts that are installed: templates that travel with dream, filled with the paths and limits of this place."""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

from dreamd.core.chosen.settings_environment import variable_of
from dreamd.core.errors import ConfigError
from dreamd.core.paths import CALLER_SOCKET, Paths, default_config, share_dir, user_home
from dreamd.core.world import World
from dreamd.kit import source_roots
from dreamd.sources.places import VARIABLES

if TYPE_CHECKING:
    from dreamd.llm.backends import Backend

HEADER = "managed by dream"
LABEL = "io.dreamd.service"
CALLER_LABEL = "io.dreamd.llm"
TEAM_LABEL = "io.dreamd.team"
TEAM_UNITS = ("dream-team.timer", "dream-team.service")
"""What carries between a team's store and this home, where one is set: it has the network, and of the home one folder."""
WORKER_LABEL = "io.dreamd.worker"
WORKER_UNITS = ("dream-worker.service",)
"""What dreams for a team, in a home that works in its store: it needs the network, and sees no agent's folder."""
OF_LIBPQ = (".pgpass", ".pg_service.conf", ".postgresql")
"""What a connection to PostgreSQL reads of a person's home."""
CALLER_UNITS = ("dream-llm.socket", "dream-llm.service")
"""What makes the calls to a language model, where one is configured: the owner of the store has no network."""
LOGINS = {"claude": ("CLAUDE_CONFIG_DIR", ".claude"), "codex": ("CODEX_HOME", ".codex")}
"""Where an agent's program keeps what it is logged in with: a variable, and the folder in a person's home without it."""
SERVICE_UNITS = ("dream.service", "dream-probe.service", "dream-probe.timer", "dream-alert.service")
SWEEP_UNITS = ("dream-sweep.service", "dream-sweep.timer", "dream-probe.service", "dream-probe.timer", "dream-alert.service")
SPARE_MIB = 256
"""What the supervisor and the page cache may take beside the child."""
HIDDEN = tuple(Path(place) for place in ("/home", "/root", "/run/user", "/tmp", "/var/tmp"))
"""What the sandbox replaces by empty directories, wherever a person's own home may be."""
_PLACE = re.compile(r"@([A-Z_]+)@")


@dataclass(frozen=True)
class Place:
    """Where this dream lives: what the templates need to know."""

    dream: Path
    python: Path
    home: Path
    config: Path | None
    """Only when a person named one: the usual place is found again by itself, also when it is empty today."""
    read_paths: tuple[Path, ...]
    write_paths: tuple[Path, ...]
    memory_mib: int
    environment: tuple[tuple[str, str], ...] = ()
    compiles: bool = False
    """The embedding engine makes code while it runs."""
    caller: Caller | None = None
    team_paths: tuple[Path, ...] | None = None
    """What the unit reads that shares with a team; None where the home shares with none."""
    works: bool = False
    """Whether this home works in a team's store itself: then a worker is its service."""


@dataclass(frozen=True)
class Caller:
    """What the unit needs that makes the calls to a language model."""

    backend: Backend
    read_paths: tuple[Path, ...]
    login_paths: tuple[Path, ...]
    environment: tuple[tuple[str, str], ...]

    @property
    def words(self) -> tuple[str, ...]:
        """Whom it may ask."""
        told = ((one.name, str(getattr(self.backend, one.name))) for one in fields(self.backend))
        return tuple(f"--{name.replace('_', '-')}={value}" for name, value in told if value)


def find_place(world: World, config: Path | None, *, write_paths: tuple[Path, ...] = ()) -> Place:
    """Work out the paths of this installation.

    Raises ConfigError when the command `dream` is not beside the interpreter that runs us.
    """
    python = Path(sys.executable)
    dream = python.with_name("dream")
    if not dream.exists():
        raise ConfigError(f"there is no `dream` beside `{python}`", hint="install dream into an environment of its own: "
                          "`python -m venv` and `pip install dreamd`, or `pipx install dreamd`")
    agents, works = source_roots(world).places, bool(world.settings.store.url)
    own = (Path(sys.prefix), Path(sys.base_prefix), Path(__file__).parents[3], share_dir("config").parent,
           (config or default_config(world.env)).parent)
    model = world.settings.model.directory
    more = tuple(user_home(world.env).absolute() / name for name in OF_LIBPQ) if works else agents
    wanted = {p.absolute() for p in (*own, *more, *((Path(model).expanduser(),) if model else ()))}
    person = user_home(world.env).absolute()
    # Elsewhere everything readable is readable already; only what the sandbox hides is named, and never a whole home.
    hidden = sorted(p for p in wanted if p != person and any(place in p.parents for place in (person, *HIDDEN)))
    # A setting that stands in the environment of whoever installs holds for the service too, which has another.
    carried = (*VARIABLES, *sorted(map(variable_of, world.settings.from_environment)))
    environment = tuple((name, world.env[name]) for name in carried if world.env.get(name))
    written = (world.paths.home, *(() if works else write_paths))
    return Place(dream, python, world.paths.home, config, _outermost(hidden), written,
                 world.settings.service.child_memory_mib, environment, world.settings.model.engine == "torch",
                 _find_caller(world, own[:3]) if world.settings.llm.backend != "off" and not works else None,
                 _find_team_paths(world, own) if world.settings.teams.url and not works else None, works)


def _find_team_paths(world: World, own: tuple[Path, ...]) -> tuple[Path, ...]:
    """What the unit that shares needs of this machine: its interpreter, the settings, and what libpq reads."""
    person = user_home(world.env).absolute()
    wanted = {p.absolute() for p in (*own, *(person / name for name in OF_LIBPQ))}
    return _outermost(sorted(p for p in wanted if p != person and any(place in p.parents for place in (person, *HIDDEN))))


def _find_caller(world: World, own: tuple[Path, ...]) -> Caller:
    """What the caller needs of this machine: its interpreter, the agent's program, and that program's login."""
    from dreamd.llm.backends import Backend  # nothing of that room where no model is configured

    backend, env = Backend.of(world.settings.llm), world.env
    path = env.get("PATH", os.defpath)
    program = shutil.which(backend.name, path=path) if backend.name in LOGINS else None
    # The program may be a link into a folder of packages, and need the interpreter that stands beside its name.
    places = (Path(program).absolute().parent, Path(program).resolve().parents[1]) if program else ()
    person = user_home(env).absolute()
    wanted = {p.absolute() for p in (*own, share_dir("config").parent, *places)}
    hidden = sorted(p for p in wanted if p != person and any(place in p.parents for place in (person, *HIDDEN)))
    told, logins = [("PATH", path)], list[Path]()
    if backend.name in LOGINS:
        variable, folder = LOGINS[backend.name]
        logins = [Path(env.get(variable) or person / folder)]
        told.append((variable, str(logins[0])))
    return Caller(backend, _outermost(hidden), tuple(logins), tuple(told))


def fill_systemd(name: str, place: Place) -> str:
    """A unit with every placeholder filled.

    Raises ConfigError when the template asks for something unknown, so that no unit is installed half filled.
    """
    template = (share_dir("systemd") / name).read_text(encoding="utf-8")
    sandbox = (share_dir("systemd") / "sandbox.conf").read_text(encoding="utf-8")
    lines = sandbox.splitlines()
    intro = next(n for n, line in enumerate(lines) if not line.strip())
    body = template.replace("@SANDBOX@", "\n".join(lines[intro + 1:]))
    if name in TEAM_UNITS:
        return _filled(body, _team_values(place))
    return _filled(body, _caller_values(place, place.caller) if place.caller and name in CALLER_UNITS else _values(place))


def fill_launchd_caller(place: Place, caller: Caller) -> str:
    """The property list of the agent that makes the calls."""
    template = (share_dir("launchd") / "dream-llm.plist").read_text(encoding="utf-8")
    words = (str(place.python), "-P", "-m", "dreamd.llm.caller", *caller.words)
    return _filled(template, {
        "LABEL": CALLER_LABEL, "ARGUMENTS": "\n        ".join(f"<string>{escape(word)}</string>" for word in words),
        "SOCKET": escape(str(place.home / CALLER_SOCKET)), "PATH": escape(dict(caller.environment)["PATH"])})


def fill_launchd(place: Place) -> str:
    """The agent's property list with every placeholder filled: what is kept alive is the owner of a store, or a worker."""
    return _fill_agent("dream.plist", *((WORKER_LABEL, place, "worker") if place.works else (LABEL, place, "run")))


def fill_launchd_team(place: Place) -> str:
    """The property list of the agent that shares with a team."""
    return _fill_agent("dream-team.plist", TEAM_LABEL, place, "--quiet", "team", "sync", "--carry")


def _fill_agent(name: str, label: str, place: Place, *command: str) -> str:
    template = (share_dir("launchd") / name).read_text(encoding="utf-8")
    words = (str(place.dream), "--home", str(place.home), *_config_words(place), *command)
    arguments = "\n        ".join(f"<string>{escape(word)}</string>" for word in words)
    return _filled(template, {"LABEL": label, "ARGUMENTS": arguments, "LOGS": escape(str(place.home / "logs"))})


def cron_line(place: Place) -> str:
    """One line for people with neither systemd nor launchd: a sweep an hour, at a minute of its own."""
    minute = hashlib.sha256(str(place.home).encode()).digest()[0] % 60
    words = (str(place.dream), "--home", str(place.home), *_config_words(place), "--quiet", "consolidate", "--auto")
    # A percent sign ends the command in a crontab, whatever quotes stand around it.
    command = " ".join(_shell_quoted(w) for w in words).replace("%", r"\%")
    return f"{minute} * * * * {command} >/dev/null 2>&1"


def program_of_cron(table: str) -> Path | None:
    """The program the first line of a crontab starts."""
    line = next((line for line in table.splitlines() if line and not line.startswith(("#", ":"))), "")
    try:
        words = shlex.split(line.replace(r"\%", "%"))
    except ValueError:
        return None
    return Path(words[5]) if len(words) > 5 else None


def exec_of(unit: str) -> Path | None:
    """The program a filled unit or property list starts, to see whether it is still there."""
    found = re.search(r"^ExecStart=(?:\"((?:[^\"\\]|\\.)*)\"|(\S+))", unit, re.MULTILINE)
    if found:
        return Path((found[1] or found[2]).replace("%%", "%").replace('\\"', '"').replace("\\\\", "\\"))
    listed = re.search(r"<key>ProgramArguments</key>\s*<array>\s*<string>(.*?)</string>", unit, re.DOTALL)
    return Path(listed[1].replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")) if listed else None


def writable_in(unit: str) -> tuple[Path, ...]:
    """The places a filled unit may write to."""
    found = re.search(r"^ReadWritePaths=(.*)$", unit, re.MULTILINE)
    try:
        words = shlex.split(found[1]) if found else []
    except ValueError:
        return ()
    return tuple(Path(word.removeprefix("-").replace("%%", "%")) for word in words)


def _values(place: Place) -> dict[str, str]:
    systemd = share_dir("systemd")
    environment = " ".join(_unit_quoted(f"{name}={content}") for name, content in place.environment)
    return {
        "DREAM": _unit_quoted(str(place.dream)), "HOME": _unit_quoted(str(place.home)),
        "CONFIG": " ".join(_unit_quoted(w) for w in _config_words(place)), "PYTHON": _unit_quoted(str(place.python)),
        "PROBE": _unit_quoted(str(systemd / "dream-probe.sh")), "ALERT": _unit_quoted(str(systemd / "dream-alert.sh")),
        "MEMORY_HIGH_MIB": str(place.memory_mib * 3 // 4), "MEMORY_MAX_MIB": str(place.memory_mib + SPARE_MIB),
        "READ_PATHS": " ".join(_unit_quoted(f"-{p}") for p in place.read_paths),
        "NO_NEW_CODE": "no" if place.compiles else "yes",
        # Only the home has to be there; a directory that was attached may have gone since.
        "WRITE_PATHS": " ".join(_unit_quoted(str(p) if p == place.home else f"-{p}") for p in place.write_paths),
        "ENVIRONMENT": environment,
    }


def _caller_values(place: Place, caller: Caller) -> dict[str, str]:
    """The same for the unit that calls: of the folders of agents it sees the login of the one it asks, and no more."""
    program = caller.backend.name in LOGINS
    return _values(place) | {
        # A path in a socket unit takes no quotes, and a dollar is a variable only where a command is started.
        "SOCKET": str(place.home / CALLER_SOCKET).replace("%", "%%"),
        "BACKEND": " ".join(_unit_quoted(word.replace("$", "$$")) for word in caller.words),
        "READ_PATHS": " ".join(_unit_quoted(f"-{p}") for p in caller.read_paths),
        "LOGIN_PATHS": " ".join(_unit_quoted(f"-{p}") for p in caller.login_paths),
        "ENVIRONMENT": " ".join(_unit_quoted(f"{name}={content}") for name, content in caller.environment),
        "STORE": _unit_quoted(f"-{place.home}"),
        # Agents' programs make code while they run.
        "NO_NEW_CODE": "no" if program else "yes"}


def _team_values(place: Place) -> dict[str, str]:
    """The same for the unit that shares: of the home it sees the folder of the team, and nothing of any agent's."""
    return _values(place) | {"READ_PATHS": " ".join(_unit_quoted(f"-{p}") for p in place.team_paths or ()),
                             "TEAM": _unit_quoted(f"-{Paths(place.home).team}"), "NO_NEW_CODE": "yes"}


def _config_words(place: Place) -> tuple[str, ...]:
    return ("--config", str(place.config)) if place.config is not None else ()


def _filled(template: str, values: Mapping[str, str]) -> str:
    def fill(found: re.Match[str]) -> str:
        if found[1] not in values:
            raise ConfigError(f"a template asks for `{found[1]}`, which is not known", hint="install dream again")
        return values[found[1]]

    # Trailing blanks are left by placeholders with nothing to say.
    return "\n".join(re.sub(r"(?<=\S) {2,}", " ", line.rstrip()) for line in _PLACE.sub(fill, template).splitlines()) + "\n"


def _unit_quoted(text: str) -> str:
    """A word for a unit file: percent and dollar have a meaning there, and so do blanks and quotes."""
    if any(ord(c) < 32 for c in text):
        raise ConfigError("a path with control characters cannot stand in a unit file")
    plain = text.replace("%", "%%")
    if re.fullmatch(r"[A-Za-z0-9_@%+=:,./-]+", plain):
        return plain
    return '"' + plain.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _shell_quoted(text: str) -> str:
    return shlex.quote(text)


def _outermost(paths: list[Path]) -> tuple[Path, ...]:
    """Paths without those that lie below another one of them."""
    kept: list[Path] = []
    for path in paths:
        if not any(other == path or other in path.parents for other in kept):
            kept.append(path)
    return tuple(kept)
