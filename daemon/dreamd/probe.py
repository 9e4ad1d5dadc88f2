# pathlib alone costs a fifth of the start-up this file may take:
# ruff: noqa: PTH100, PTH111, PTH118, PTH120
"""Is dream healthy? The standard library alone, an answer within its own five seconds.

It imports nothing of dream but the room `probing` and nothing native, so it still answers when everything else is broken:

    python -I -S probe.py [--home DIR] [--config FILE] [--now TIME] [--json | --nagios] [--prom FILE] [--deep]

Exit 0 healthy or switched off on purpose, 1 stale or degraded, 2 the probe itself could not tell. A plain crash of
Python exits 1 too, so the code counts only together with the last line `DREAM-PROBE 1 verdict=<v> code=<n>`. It
stands on stdout; with `--json` stdout carries one document alone and the line goes to stderr. `--seal-fd N`
repeats it on a descriptor of its own, for the shell launcher. Nothing is written but `--prom FILE`. `--deep` reads every
page and every row of the store and loads the native parts; it may take a minute.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable, Mapping
from datetime import UTC, datetime

if not __package__:  # started as a file: the room beside it is found behind everything of Python's own
    sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from dreamd.probing import advance, conversations, inside, layout, preferences, surroundings, telling, vital_signs
from dreamd.probing.health import Check, Report, World, banner
from dreamd.probing.peek import beat_of, exists, instant, printable

__all__ = ["World", "banner", "inspect", "main"]

VERSION = 1
TIME_LIMIT_S = 5
DEEP_LIMIT_S = 60


def inspect(world: World) -> Report:
    """Look at everything and judge; reads only."""
    env = world.env
    if env.get("DREAM_PROBE", "").lower() in ("off", "0", "disabled") or exists(world.home + "/probe.off"):
        return Report([Check("switch", "probe_disabled", "the probe is switched off on purpose",
                             "unset DREAM_PROBE, or remove `probe.off` from the home")])
    if env.get("DREAM_ROLE", "").lower() == "reader":
        return Report([Check("switch", "stopped", "this place only reads; somebody else writes", "")])
    chosen, site = preferences.load_preferences(world), surroundings.find_site()
    facts, store = inside.read_store(world, site)
    facts = facts._replace(awake=vital_signs.awake_since(world))
    inbox = advance.read_inbox(world)
    service, cycle = (beat_of(world.home, name) for name in ("heartbeat.json", "cycle.json"))
    beats = [beat for beat in (service, cycle) if beat]
    checks = [surroundings.check_environment(world), surroundings.check_python(world), *vital_signs.read_markers(world),
              surroundings.check_natives(world, chosen, site), surroundings.check_disk(world),
              preferences.check_settings(world, site), layout.check_layout(world), store,
              vital_signs.check_dreamer(world, chosen, cycle, facts.awake), vital_signs.check_door(world, inbox),
              vital_signs.check_pulse(world), vital_signs.check_fence(world, facts, beats), vital_signs.check_pause(world)]
    if store.verdict == "healthy":
        capture, unread = conversations.check_capture(world, facts, chosen)
        came = [t for t in (facts.oldest, inbox.oldest, unread) if t is not None]
        checks += [layout.check_files(world, facts), advance.check_inbox(world, facts, inbox, chosen),
                   advance.check_progress(world, facts, inbox, chosen), advance.check_outcomes(world, facts, chosen),
                   advance.check_effect(world, facts), advance.check_recall(facts),
                   advance.check_left_over(world, facts, chosen),
                   vital_signs.check_language_model(world, facts, chosen), capture,
                   vital_signs.check_wait(world, facts, beats, chosen),
                   vital_signs.check_service(world, facts, min(came, default=None))]
    return Report(checks, facts, inbox)


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
    now = instant(said) if said else datetime.now(UTC)
    if now is None:
        raise ValueError("`--now` is not a time in ISO 8601")
    home = os.path.expanduser(chosen.get("home") or env.get("DREAM_HOME") or state)
    return World(home=os.path.abspath(home), now=now, env={"HOME": person, **env},
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
            return 0 if _say(1, telling.USAGE) else 2
        if "deep" in chosen:
            _limit_time(DEEP_LIMIT_S)
        report = inspect(_world(chosen))
        if "prom" in chosen:
            telling.write_whole(chosen["prom"], telling.to_prometheus(report, version=VERSION))
    except BaseException as error:  # noqa: BLE001 - the one promise of a probe: no way out but 0, 1 or 2
        told = printable(str(error)) or type(error).__name__
        report = Report([Check("probe", "unknown", f"the probe failed: {told}", "run `dream check`")])
    finally:
        signal.alarm(0)
    render: Callable[[Report], str] = telling.to_nagios if "nagios" in chosen else telling.to_people
    text = json.dumps(report.document(), ensure_ascii=True) if "json" in chosen else render(report)
    seal = f"DREAM-PROBE {VERSION} verdict={report.verdict} code={report.code}"
    said = heard and (_say(1, text) and _say(2, seal) if "json" in chosen else _say(1, f"{text}\n{seal}"))
    if said and chosen.get("seal-fd", "").isdecimal():
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
