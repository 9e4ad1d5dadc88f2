"""May a dream work now? Deciders over signals that say yes, no or *unknown*, and the readers of those signals.

Unknown never blocks, and never counts as proof that nobody is there. Each gate that holds says so in words,
because a person who asks `dream status` wants to know which one it is. Deferral is bounded: a dream that was
due for a day runs slowly all the same, as long as there is mains power and room on the disk.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from dreamd.core.plain_words.for_people import past, span
from dreamd.core.settings import ServiceSettings

CPU_PRESSURE = 20.0
IO_PRESSURE = 10.0
MEMORY_PRESSURE = 5.0
USUAL_LOAD = 0.7
"""The load per core at which the limits of pressure are as written here."""
CALM_S = 30.0
PERSON_IDLE_S = 300.0
DISK_FLOOR_BYTES = 1 << 30
READER_TIMEOUT_S = 2.0


class Signal(StrEnum):
    """What a reader could tell."""

    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"


class Pace(StrEnum):
    """How hard a dream may work."""

    FULL = "full"
    PACED = "paced"
    """A person is at the machine: a quarter of one core."""
    TRICKLE = "trickle"
    """Deferred for too long: slowly, whatever the soft gates say."""


@dataclass(frozen=True)
class Pressure:
    """Share of the last ten seconds in which somebody stalled, in percent; None where the kernel does not tell."""

    cpu: float | None = None
    io: float | None = None
    memory: float | None = None


@dataclass(frozen=True)
class Surroundings:
    """Everything the gates look at; None and UNKNOWN mean that nobody could tell."""

    agents_quiet_s: float | None = None
    settled_s: float | None = None
    """Since login or resume."""
    on_battery: Signal = Signal.UNKNOWN
    battery_percent: float | None = None
    pressure: Pressure = Pressure()
    load_per_core: float | None = None
    person_active: Signal = Signal.UNKNOWN
    free_bytes: int | None = None
    disk_bytes: int | None = None


@dataclass(frozen=True)
class Hold:
    """One gate that holds work back."""

    gate: str
    words: str


@dataclass(frozen=True)
class Permission:
    """What the gates say together."""

    holds: tuple[Hold, ...]
    pace: Pace

    @property
    def granted(self) -> bool:
        return not self.holds


def judge_surroundings(seen: Surroundings, rules: ServiceSettings, *, deferred_s: float = 0.0) -> Permission:
    """Decide whether a dream may start, how hard it may work, and what holds it back in words."""
    power = _judge_power(seen, rules)
    disk = judge_disk(seen.free_bytes, seen.disk_bytes, percent=rules.min_free_percent)
    soft = [h for h in (_judge_settling(seen, rules), _judge_agents(seen, rules), _judge_load(seen, rules)) if h]
    hard = [h for h in (power, disk) if h]
    trickle = deferred_s >= rules.trickle_after_hours * 3600 and not hard
    if trickle:
        return Permission((), Pace.TRICKLE)
    pace = Pace.PACED if seen.person_active is Signal.YES else Pace.FULL
    return Permission((*hard, *soft), pace)


def judge_disk(free_bytes: int | None, disk_bytes: int | None, *, percent: float) -> Hold | None:
    """Hold when a write would bring the disk near its end: below one GiB or that share of it, whichever is more."""
    if free_bytes is None:
        return None
    # On a small disk a GiB may be most of it; a quarter of the disk is then floor enough.
    size = disk_bytes or 0
    floor = max(DISK_FLOOR_BYTES, int(size * percent / 100))
    floor = min(floor, size // 4) if size else floor
    if free_bytes >= floor:
        return None
    return Hold("disk", f"only {free_bytes / 2**30:.1f} GiB free on the disk, {floor / 2**30:.1f} needed")


def is_starved(deferred_s: float, rules: ServiceSettings) -> bool:
    """Tell whether a due dream has been held back beyond its bound."""
    return deferred_s >= rules.starved_after_hours * 3600


@dataclass(frozen=True)
class Strain:
    """Pressure over time: held until it has stayed under half of each limit for half a minute."""

    held: bool = False
    calm_since: float | None = None


def judge_strain(before: Strain, pressure: Pressure, *, at_s: float) -> Strain:
    """The next state of the pressure gate while a dream runs; `at_s` is monotonic."""
    readings = ((pressure.cpu, CPU_PRESSURE), (pressure.io, IO_PRESSURE), (pressure.memory, MEMORY_PRESSURE))
    shares = [value / limit for value, limit in readings if value is not None]
    worst = max(shares, default=0.0)
    if worst > 1.0:
        return Strain(held=True)
    if not before.held:
        return before
    if worst > 0.5:
        return Strain(held=True)
    since = before.calm_since if before.calm_since is not None else at_s
    return Strain(held=False) if at_s - since >= CALM_S else Strain(held=True, calm_since=since)


def _judge_settling(seen: Surroundings, rules: ServiceSettings) -> Hold | None:
    if seen.settled_s is None or seen.settled_s >= rules.settle_s:
        return None
    return Hold("settling", f"the machine came up {past(seen.settled_s)}, a dream waits for {span(rules.settle_s)}")


def _judge_agents(seen: Surroundings, rules: ServiceSettings) -> Hold | None:
    quiet_s = rules.quiet_minutes * 60
    if seen.agents_quiet_s is None or seen.agents_quiet_s >= quiet_s:
        return None
    return Hold("agents", f"an agent was active {past(seen.agents_quiet_s)}, a dream waits for "
                f"{span(quiet_s)} of quiet")


def _judge_power(seen: Surroundings, rules: ServiceSettings) -> Hold | None:
    if seen.on_battery is not Signal.YES:
        return None
    percent = seen.battery_percent
    if percent is not None and percent < rules.battery_min_percent:
        return Hold("battery", f"on battery at {percent:.0f} %, below {rules.battery_min_percent} %")
    return Hold("power", "on battery: transcripts are read, and nothing is dreamt")


def _judge_load(seen: Surroundings, rules: ServiceSettings) -> Hold | None:
    pressure = seen.pressure
    # One setting says how much company a dream accepts: it moves the limits of pressure along with that of load.
    share = rules.max_load_per_core / USUAL_LOAD
    for name, reading, usual in (("processor", pressure.cpu, CPU_PRESSURE), ("disk", pressure.io, IO_PRESSURE),
                                 ("memory", pressure.memory, MEMORY_PRESSURE)):
        limit = usual * share
        if reading is not None and reading > limit:
            return Hold("pressure", f"the machine is busy: programs wait for the {name} {reading:.0f} % of the time, "
                                    f"a dream starts below {limit:.0f} %")
    told = (pressure.cpu, pressure.io, pressure.memory) != (None, None, None)
    load = seen.load_per_core
    if not told and load is not None and load > rules.max_load_per_core:
        return Hold("pressure", f"the machine is busy: load {load:.2f} per core, a dream starts below "
                                f"{rules.max_load_per_core:g}")
    return None


def read_surroundings(home: Path, *, agents_quiet_s: float | None, settled_s: float | None) -> Surroundings:
    """Ask the machine; every reader that fails says unknown."""
    on_battery, percent = read_power()
    free, size = read_disk(home)
    return Surroundings(
        agents_quiet_s=agents_quiet_s, settled_s=settled_s, on_battery=on_battery, battery_percent=percent,
        pressure=read_pressure(Path("/proc/pressure")), load_per_core=read_load(), person_active=read_person(),
        free_bytes=free, disk_bytes=size)


def read_power() -> tuple[Signal, float | None]:
    """Whether we run on battery, and its charge; a machine without a battery runs on mains."""
    import psutil

    try:
        battery = psutil.sensors_battery()
    except (OSError, AttributeError, NotImplementedError, ValueError, RuntimeError):
        return Signal.UNKNOWN, None
    if battery is None:
        return Signal.NO, None
    if battery.power_plugged is None:
        return Signal.UNKNOWN, float(battery.percent)
    return (Signal.NO if battery.power_plugged else Signal.YES), float(battery.percent)


def read_pressure(directory: Path) -> Pressure:
    """Pressure stall figures of the machine (`/proc/pressure`) or of one control group."""
    values: dict[str, float | None] = {}
    for name in ("cpu", "io", "memory"):
        values[name] = None
        for path in (directory / name, directory / f"{name}.pressure"):
            with suppress(OSError, ValueError):
                found = re.search(r"^some avg10=([0-9.]+)", path.read_text(), re.MULTILINE)
                values[name] = float(found[1]) if found else None
                break
    return Pressure(values["cpu"], values["io"], values["memory"])


def own_group(proc: Path = Path("/proc/self/cgroup"), root: Path = Path("/sys/fs/cgroup")) -> Path | None:
    """The directory of our own control group, whose pressure is not blurred by what others suffer."""
    with suppress(OSError):
        for line in proc.read_text().splitlines():
            if line.startswith("0::") and (root / line[4:] / "cpu.pressure").is_file():
                return root / line[4:]
    return None


def read_load() -> float | None:
    """Runnable tasks per core over the last minute."""
    try:
        return os.getloadavg()[0] / (os.cpu_count() or 1)
    except OSError:
        return None


def read_disk(home: Path) -> tuple[int | None, int | None]:
    """Bytes we may still write where the home lives, and the size of that disk."""
    place = home
    while not place.exists() and place != place.parent:
        place = place.parent
    try:
        facts = os.statvfs(place)
    except OSError:
        return None, None
    return facts.f_bavail * facts.f_frsize, facts.f_blocks * facts.f_frsize


def read_person() -> Signal:
    """Whether a person uses the machine: input on macOS, idle hints of graphical sessions where logind runs."""
    if sys.platform == "darwin":
        idle_s = parse_hid_idle(_told(["/usr/sbin/ioreg", "-c", "IOHIDSystem", "-d", "4"]))
        return Signal.UNKNOWN if idle_s is None else (Signal.YES if idle_s < PERSON_IDLE_S else Signal.NO)
    if not Path("/run/systemd/seats").is_dir():
        return Signal.UNKNOWN
    listed = _told(["loginctl", "list-sessions", "--no-legend", "--no-pager"])
    names = [line.split()[0] for line in listed.splitlines() if line.split()]
    if not names:
        return Signal.UNKNOWN
    wanted = [f"--property={name}" for name in ("Class", "Type", "IdleHint", "State", "Remote")]
    return judge_sessions(parse_sessions(_told(["loginctl", "show-session", "--no-pager", *wanted, *names[:16]])))


def parse_hid_idle(told: str) -> float | None:
    """Seconds since the last input, from what `ioreg` prints in nanoseconds."""
    found = re.search(r'"HIDIdleTime"\s*=\s*(\d+)', told)
    return int(found[1]) / 1e9 if found else None


def parse_sessions(told: str) -> list[dict[str, str]]:
    """Sessions as `loginctl show-session` prints them: blocks of `Key=value`."""
    blocks = [block for block in told.split("\n\n") if block.strip()]
    return [dict(line.partition("=")[::2] for line in block.splitlines() if "=" in line) for block in blocks]


def judge_sessions(sessions: Sequence[Mapping[str, str]]) -> Signal:
    """Active when one graphical session of a person says it is not idle; greeters and remote shells say nothing."""
    hints = [s.get("IdleHint", "") for s in sessions
             if s.get("Class") == "user" and s.get("Type") in ("x11", "wayland", "mir") and s.get("State") == "active"]
    if "no" in hints:
        return Signal.YES
    return Signal.NO if "yes" in hints else Signal.UNKNOWN


def _told(command: Sequence[str]) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=READER_TIMEOUT_S, errors="replace",
                              stdin=subprocess.DEVNULL)
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout if done.returncode == 0 else ""
