"""Where things are: the home, everything below it, the folders agents use, and the files that travel with us.

The only module that knows the platform's directories. It creates nothing.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from dreamd.core.errors import ConfigError
from dreamd.core.values import Scope, content_id

PRIVATE_DIR = 0o700
PRIVATE_FILE = 0o600
LONGEST_NAME = 200
BACKUP_ENDINGS = (".db", ".db.gz")
"""How the names of backups end: of those an older dream left as they were, and of packed ones."""
GRAPH_SUFFIX = ".graph"
"""How the names of graphs of networks end."""
CALLER_SOCKET = "llm.sock"
OWN_FOLDER = "dream-asks-"
"""How the folder begins in which an agent's program answers dream; what is said in one is never read."""
OPENCLAW_NAMES = (".openclaw", ".clawdbot", ".moltbot", ".moldbot")
"""The folder of OpenClaw's state, newest name first."""


class Paths:
    """Everything dream writes lives below `home`; two homes never see each other."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.store = home / "dream.db"
        self.library = home / "library.db"
        """Documents to look things up in, cut into passages; there once somebody added one."""
        self.memory = home / "memory"
        """The markdown people and agents read, one directory a scope."""
        self.team = home / "team"
        """A home within this one: what came down of a team's memory, and what waits to go up."""
        self.offered = self.team / "out"
        """What is to go up; made anew by the store's owner whenever it looks."""
        self.locks = home / "locks"
        self.inbox = home / "inbox"
        """Observations that found the store busy, one file each, until the next holder takes them in."""
        self.outage = home / "outage"
        self.derived = home / "derived"
        """What may be thrown away at any time and costs the next dream a moment then."""
        self.models = home / "models"
        """Graphs of networks that were made on this machine; one that is not there is made anew within a second."""
        self.own_files = home / "own-files"
        """The hashes of the files that dream wrote: by them it knows its own, also where their store is lost."""
        self.archive = home / "archive"
        self.backups = home / "backups"
        self.asked = home / "asked"
        """The exact texts that left for a language model, where a person wants them kept for some days."""
        self.conflicts = home / "conflicts"
        """Files dream wanted to write where a person had changed something in between."""
        self.damaged = home / "damaged"
        """Copies of files that were damaged, as they were found."""
        self.primed = home / "primed"
        """What conversations were told as they began, for as long as their transcript may be read again."""
        self.logs = home / "logs"
        self.heartbeat = home / "heartbeat.json"
        self.paused = home / "paused.json"
        self.socket = home / "dream.sock"
        self.caller_socket = home / CALLER_SOCKET
        """Where the unit listens that makes the calls to a language model, where one is installed."""

    def scope_dir(self, scope: Scope) -> Path:
        """The directory of a scope's markdown; the key is percent-encoded, so no key can leave it."""
        from urllib.parse import quote  # a fifteenth of the start-up of `dream note`, which never asks

        if not scope.key:
            return self.memory / scope.kind
        name = quote(scope.key.lower(), safe=" ").replace(".", "%2E").replace("~", "%7E")
        if scope.key != scope.key.lower():
            # Where the disk does not tell case apart, `Cedar` and `cedar` must still be two directories.
            name = f"{name}~{content_id('scope', str(scope), size=6)}"
        if len(name) > LONGEST_NAME:
            # No filesystem takes more than 255 bytes; a key in another script needs nine for each character.
            name = f"{name[:LONGEST_NAME]}-{content_id('scope', str(scope))}"
        return self.memory / scope.kind / name

    def order_of(self, scope: Scope) -> Path:
        """Where the order of a scope's index is kept."""
        place = self.derived / self.scope_dir(scope).relative_to(self.memory)
        return place.with_name(f"{place.name}.order")


def read_environment() -> dict[str, str]:
    """The process environment, read in this one place."""
    return dict(os.environ)


def home_at(place: Path | str) -> Path:
    """A home as somebody named it; where that is a symbolic link, the directory it leads to.

    A person chose the link: it is followed once, here, so that everything below can go on refusing links.
    """
    home = Path(place).expanduser().absolute()
    return Path(os.path.realpath(home)) if home.is_symlink() else home


def default_home(env: Mapping[str, str]) -> Path:
    """`DREAM_HOME`, or the platform's state directory."""
    chosen = env.get("DREAM_HOME")
    if chosen:
        return home_at(chosen)
    if sys.platform == "darwin":
        return home_at(user_home(env) / "Library" / "Application Support" / "dream")
    base = env.get("XDG_STATE_HOME")
    return home_at((Path(base) if base else user_home(env) / ".local" / "state") / "dream")


def default_config(env: Mapping[str, str]) -> Path:
    """`DREAM_CONFIG`, or `dream.toml` in the platform's config directory."""
    chosen = env.get("DREAM_CONFIG")
    if chosen:
        return Path(chosen).expanduser().absolute()
    if sys.platform == "darwin":
        return user_home(env) / "Library" / "Application Support" / "dream" / "dream.toml"
    base = env.get("XDG_CONFIG_HOME")
    return (Path(base) if base else user_home(env) / ".config") / "dream" / "dream.toml"


def user_home(env: Mapping[str, str]) -> Path:
    """The person's home directory.

    Raises ConfigError where there is none.
    """
    home = env.get("HOME")
    if home:
        return Path(home)
    try:
        return Path.home()
    except RuntimeError:
        raise ConfigError("no home directory is set", hint="set HOME, or pass `--home DIR`") from None


def openclaw_home(env: Mapping[str, str], home: Path) -> Path:
    """What OpenClaw takes for the person's home."""
    return Path(env["OPENCLAW_HOME"]).expanduser() if env.get("OPENCLAW_HOME") else home


def openclaw_states(env: Mapping[str, str], home: Path) -> tuple[Path, ...]:
    """The folders of OpenClaw's state: the one that is chosen, and where none is, under every name it has had."""
    if env.get("OPENCLAW_STATE_DIR"):
        return (Path(env["OPENCLAW_STATE_DIR"]).expanduser(),)
    names = [*OPENCLAW_NAMES]
    profile = env.get("OPENCLAW_PROFILE", "")
    if profile and profile != "default" and "/" not in profile:
        names.insert(0, f".openclaw-{profile}")
    return tuple(openclaw_home(env, home) / name for name in names)


def openclaw_state(env: Mapping[str, str], home: Path) -> Path:
    """The folder in which OpenClaw, started as things are, keeps its state: an older name's only where the new one is not."""
    states = openclaw_states(env, home)
    if states[0].name != OPENCLAW_NAMES[0]:  # somebody chose it
        return states[0]
    return next((state for state in states if state.is_dir()), states[0])


def share_dir(name: str) -> Path:
    """A folder that travels with dream: `config`, `systemd` or `launchd`, from the wheel or from a checkout."""
    packaged = Path(__file__).parents[1] / "_share" / name
    if packaged.is_dir():
        return packaged
    checkout = Path(__file__).parents[3] / name
    if checkout.is_dir():
        return checkout
    raise ConfigError(f"the folder `{name}` that belongs to dream is missing", hint="install dream again")


def system_zone_name(env: Mapping[str, str]) -> str:
    """The machine's time zone as an IANA name; `UTC` where it cannot be told."""
    named = env.get("TZ", "").removeprefix(":")
    if named.startswith("/"):
        return _zone_behind(Path(named))
    return named if named and _is_zone(named) else _zone_behind(Path("/etc/localtime"))


def _zone_behind(path: Path) -> str:
    try:
        target = str(path.resolve())
    except (OSError, ValueError, RuntimeError):
        return "UTC"
    _, found, name = target.partition("zoneinfo/")
    return name if found else "UTC"


def _is_zone(name: str) -> bool:
    """False for what only the C library understands, such as `CET-1CEST,M3.5.0,M10.5.0/3`, and for nonsense."""
    from zoneinfo import ZoneInfo

    try:
        ZoneInfo(name)
    except (KeyError, OSError, ValueError):
        return False
    return True


def is_plain(path: Path) -> bool:
    """Whether there is a file that opening does not wait at: no directory, link, pipe or device."""
    with suppress(OSError):
        return stat.S_ISREG(path.lstat().st_mode)
    return False
