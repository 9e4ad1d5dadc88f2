"""Settings from the environment, `DREAM_RECALL_LEAN` for `recall.lean`: they count before the file, and are checked like it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any  # tables of any kind, checked where their values are

from dreamd.core.errors import ConfigError
from dreamd.core.settings import TABLES, Settings, check_word, load_settings

OF_CLUSTERS = ("DREAM_SERVICE_HOST", "DREAM_SERVICE_PORT")
"""A cluster sets these by itself where a service there is called `dream`."""
TYPING_ERROR = 0.85
"""How alike a variable must be to one of ours before somebody can be told that it was meant."""


def read_settings(path: Path, env: Mapping[str, str], *, required: bool = False) -> Settings:
    """The settings of a file, and over them those of an environment.

    Raises ConfigError when the file cannot be read, or either has a key or a value that dream does not know.
    """
    return _override(load_settings(path, required=required), env)


def variable_of(name: str) -> str:
    """The variable of the environment that sets a setting: `DREAM_RECALL_LEAN` for `recall.lean`."""
    return f"DREAM_{name.replace('.', '_').upper()}"


def overrides(env: Mapping[str, str], *, others: Collection[str] = ()) -> dict[str, str]:
    """The settings that an environment has, by name, with the variable of each; `others` are there for another purpose.

    Raises ConfigError for a variable that looks like one and is none.
    """
    told = [name for name in env if name.startswith("DREAM_") and name.count("_") > 1]
    if not told:
        return {}
    known = {variable_of(f"{table}.{f.name}"): f"{table}.{f.name}" for table in TABLES
             for f in fields(getattr(Settings(), table))}
    for variable in sorted(told):
        if variable in known or variable in others or variable.startswith(OF_CLUSTERS):
            continue
        import difflib

        ours = variable.startswith(tuple(f"DREAM_{table.upper()}_" for table in TABLES))
        close = difflib.get_close_matches(variable, known, n=1, cutoff=0.0 if ours else TYPING_ERROR)
        if close:
            raise ConfigError(f"unknown setting `{variable}` in the environment", hint=f"did you mean `{close[0]}`?")
    return {known[variable]: variable for variable in told if variable in known}


def _override(settings: Settings, env: Mapping[str, str]) -> Settings:
    """Settings with what the environment says in the place of what the file does."""
    chosen = overrides(env, others=(settings.llm.key_variable, env.get(variable_of("llm.key_variable"), "")))
    if not chosen:
        return settings
    warnings = [w for w in settings.warnings if w.split(" ", 1)[0] not in chosen]
    tables: dict[str, dict[str, Any]] = {}
    for name, variable in chosen.items():
        try:
            value, clamped = check_word(name, env[variable])
        except ConfigError as error:
            raise ConfigError(f"{error.message}, in the variable `{variable}`", hint=error.hint) from None
        warnings += [f"{warning}, from `{variable}`" for warning in clamped]
        table, _, key = name.partition(".")
        tables.setdefault(table, {})[key] = value
    changed: dict[str, Any] = {table: replace(getattr(settings, table), **values) for table, values in tables.items()}
    return replace(settings, **changed, warnings=tuple(warnings), from_environment=frozenset(chosen))
