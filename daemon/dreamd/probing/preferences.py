# ruff: noqa: PTH100, PTH111, PTH112, PTH113, PTH120, PTH123
"""The settings as far as they move a threshold, and whether any dream could start with them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from dreamd.probing.health import Check, World, fine
from dreamd.probing.peek import bytes_at, exists, printable

DEFAULTS = {"min_hours": 24.0, "volume_base": 50.0, "volume_share": 0.2, "starved_after_hours": 72.0,
            "child_timeout_minutes": 60.0}
LARGEST_BYTES = 1_000_000
ZONE_PLACES = ("/usr/share/zoneinfo", "/usr/lib/zoneinfo", "/usr/share/lib/zoneinfo", "/etc/zoneinfo")
HINT = "run `dream config check`"
OF_CLUSTERS = ("DREAM_SERVICE_HOST", "DREAM_SERVICE_PORT")
"""A cluster sets these by itself where a service there is called `dream`."""


def load_preferences(world: World) -> dict[str, object]:
    """The few settings the probe reckons with; what is wrong with them is said by `check_settings`."""
    found: dict[str, object] = dict(DEFAULTS)
    document = _document(world.config) if exists(world.config) else {}
    document = _with_variables(document, world.env) if isinstance(document, dict) else {}
    service, model, sources = (_table(document, name) for name in ("service", "model", "sources"))
    found |= {k: v for k, v in service.items() if k in DEFAULTS}
    found["model_directory"] = model.get("directory")
    found["sources"] = sources
    found["language_model"] = _table(document, "llm").get("backend")
    return found


def number(preferences: Mapping[str, object], key: str) -> float:
    """One of them as a number that can be reckoned with."""
    chosen = preferences.get(key)
    usable = isinstance(chosen, int | float) and not isinstance(chosen, bool) and chosen > 0
    return float(chosen) if usable and isinstance(chosen, int | float) else DEFAULTS[key]


def check_settings(world: World, site: str | None) -> Check:
    """Settings that no dream can start with: then nothing is wrong with the store, and yet nothing will ever happen."""
    path, document = world.config, dict[str, object]()
    if exists(path):
        read = _document(path)
        if not isinstance(read, dict):
            return Check("settings", "misconfigured", f"the settings file `{path}` cannot be used: {read}", HINT)
        document = read
    elif above := _no_folder_above(path):
        return Check("settings", "misconfigured", f"the settings file `{path}` has no place: `{above}` is no folder", HINT)
    elif world.named_config:
        return Check("settings", "misconfigured", f"no settings file at `{path}`", "`dream config path` shows where it is")
    said = _with_variables({}, world.env)
    for where, told in ((f"settings file `{path}`", document), ("environment", said)):
        for name, wrong in (*_misspelt(told), *_useless(told, world, site)):
            return Check("settings", "misconfigured", f"`{printable(name)}` in the {where} {wrong}", HINT)
    if not document and not said:
        return fine("settings", "every setting at its default")
    return fine("settings", "the settings can be used")


def _no_folder_above(path: str) -> str:
    """What stands above a path in the place of a folder."""
    above = os.path.dirname(path)
    while above and not exists(above):
        above = os.path.dirname(above)
    return "" if not above or os.path.isdir(above) else above


def is_zone(name: str, env: Mapping[str, str], site: str | None) -> bool:
    """Whether there is a time zone of that name: looked for where Python looks, without loading what reads it."""
    parts = name.split("/")
    if not name or any(part in ("", ".", "..") for part in parts) or "\0" in name or "\\" in name:
        return False
    places = (*env.get("PYTHONTZPATH", "").split(":"), *ZONE_PLACES, f"{site}/tzdata/zoneinfo" if site else "")
    known = [place for place in places if place and os.path.isdir(place)]
    # Without a list of zones nobody can tell, save of the one that is no place.
    return not known or name == "UTC" or any(bytes_at(os.path.realpath(f"{p}/{name}"), 0, 4) == b"TZif" for p in known)


def _document(path: str) -> dict[str, object] | str:
    """The file parsed, or what stands against it."""
    import tomllib

    if not os.path.isfile(path):
        return "it is no file"
    try:
        with open(path, "rb") as stream:
            body = stream.read(LARGEST_BYTES + 1)
        return tomllib.loads(body.decode()) if len(body) <= LARGEST_BYTES else "it is too large"
    except (OSError, ValueError, RecursionError) as error:
        return type(error).__name__


def _with_variables(document: Mapping[str, object], env: Mapping[str, str]) -> dict[str, object]:
    """The settings with those in their place that stand in the environment; a word that is no value of its key stays one."""
    found = {name: dict(table) if isinstance(table, dict) else table for name, table in document.items()}
    variables = {name: word for name, word in env.items() if name.startswith("DREAM_") and name.count("_") > 1
                 and not name.startswith(OF_CLUSTERS)}
    for table, shown in _shown()[0].items() if variables else ():
        known = {f"DREAM_{table}_{key}".upper(): key for key in shown} if isinstance(shown, dict) else {}
        place = found.get(table, {})
        for name, word in variables.items():
            if name.startswith(f"DREAM_{table}_".upper()) and isinstance(place, dict):
                key = known.get(name, name)
                place[key] = _value_of(word, shown.get(key, "") if isinstance(shown, dict) else "")
                found[table] = place
    if isinstance(asked := found.get("llm"), dict):  # the key of a model may stand in a variable that is called like a setting
        asked.pop(str(asked.get("key_variable")), None)
    return found


def _value_of(word: str, default: object) -> object:
    import json

    if isinstance(default, list) and not word.lstrip().startswith("["):
        return [part.strip() for part in word.split(",") if part.strip()]
    if isinstance(default, str):
        return word
    plain = word.strip().lower()
    if isinstance(default, bool):
        return plain in ("true", "yes", "on", "1") if plain in _TRUTHS else word
    try:
        return json.loads(word) if isinstance(default, list) else float(word)
    except ValueError:
        return word


_TRUTHS = frozenset({"true", "yes", "on", "1", "false", "no", "off", "0"})


def _table(document: Mapping[str, object], name: str) -> dict[str, object]:
    table = document.get(name)
    return table if isinstance(table, dict) else {}


def _useless(document: Mapping[str, object], world: World, site: str | None) -> Iterable[tuple[str, str]]:
    """Values of the right kind that nothing can be done with."""
    zone = _table(document, "store").get("zone", "auto")
    if isinstance(zone, str) and zone != "auto" and not is_zone(zone, world.env, site):
        yield "store.zone", "names no time zone"
    nightly = _table(document, "service").get("nightly_at", "03:00")
    if isinstance(nightly, str) and not _is_time_of_day(nightly):
        yield "service.nightly_at", "is no time of day"
    model = _table(document, "model").get("directory")
    if isinstance(model, str) and model:
        place = os.path.expanduser(model)
        if not all(os.path.isfile(f"{place}/{name}") for name in ("model.safetensors", "tokenizer.json", "config.json")):
            yield "model.directory", "names a place without an embedding model"


def _is_time_of_day(text: str) -> bool:
    hour, colon, minute = text.strip().partition(":")
    return bool(colon) and hour.isdecimal() and minute.isdecimal() and int(hour) < 24 and int(minute) < 60


def _misspelt(document: Mapping[str, object]) -> Iterable[tuple[str, str]]:
    """Keys that are none, and values that the key cannot have, by the file that shows every default."""
    known, choices = _shown()
    if not known:
        return
    for name, table in document.items():
        shown = known.get(name)
        if not isinstance(shown, dict):
            yield f"[{name}]", "is no table of dream's"
        elif not isinstance(table, dict):
            yield name, "is not a table"
        else:
            for key, chosen in table.items():
                if key not in shown and name == "teams" and _is_of_kind(chosen, shown["members"]):
                    continue  # a team by its name, with who belongs to it
                if key not in shown:
                    yield f"{name}.{key}", "is no setting of dream's"
                elif not _is_of_kind(chosen, shown[key]):
                    yield f"{name}.{key}", "has the wrong type"
                elif f"{name}.{key}" in choices and chosen not in choices[f"{name}.{key}"]:
                    yield f"{name}.{key}", "is none of its choices"


def _shown() -> tuple[dict[str, object], dict[str, tuple[str, ...]]]:
    """Every setting at its default, and the choices where there are some: they stand at the end of the line above."""
    import tomllib

    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    shown = next((p for p in (f"{here}/_share/config/dream.toml", f"{here}/../../config/dream.toml") if exists(p)), "")
    if not shown:
        return {}, {}
    table, before, lines, choices = "", "", [], {}
    with open(shown, encoding="utf-8") as stream:
        for line in stream:
            key = line.removeprefix("# ").partition(" = ")[0]
            if line.startswith("["):
                table = line.strip().strip("[]")
            elif line.startswith("# ") and key.isidentifier() and " = " in line:
                listed = before.rpartition("(")[2].rstrip(") \n")
                if ", " in listed and line.partition(" = ")[2].strip().strip('"') in listed.split(", "):
                    choices[f"{table}.{key}"] = tuple(listed.split(", "))
                before, line = "", line[2:]
            else:
                before = line
            lines.append(line)
    return tomllib.loads("".join(lines)), choices


def _is_of_kind(chosen: object, default: object) -> bool:
    if isinstance(default, list):
        return isinstance(chosen, list) and all(isinstance(one, str) for one in chosen)
    if isinstance(default, bool) or not isinstance(default, int | float):
        return type(chosen) is type(default)
    if not isinstance(chosen, int | float) or isinstance(chosen, bool) or chosen != chosen:
        return False
    # A number outside its range is brought back into it; a part of what is counted in wholes is no number for it.
    return not isinstance(default, int) or chosen in (float("inf"), float("-inf")) or chosen == int(chosen)
