"""Changing a few settings in a person's own file: those lines, and no other byte of it."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path

from dreamd.core import fsio
from dreamd.core.errors import ConfigError
from dreamd.core.settings import LARGEST_FILE_BYTES, build_settings


def write_keys(path: Path, table: str, keys: Mapping[str, str | bool | int | float]) -> None:
    """Set keys of one table; the file is made where there is none.

    Raises ConfigError where the file spells them in a way that only a person should change.
    """
    place = path.resolve()
    before = fsio.read_bytes(place, limit_bytes=LARGEST_FILE_BYTES).decode("utf-8") if place.exists() else ""
    lines = before.splitlines(keepends=True)
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += "\n"
    start = next((n for n, line in enumerate(lines) if re.match(rf"\s*\[\s*{table}\s*\]\s*(?:#.*)?$", line)), None)
    if start is None:
        lines += ["\n"] if lines else []
        start = len(lines)
        lines.append(f"[{table}]\n")
    for key, value in keys.items():
        end = next((n for n in range(start + 1, len(lines)) if re.match(r"\s*\[", lines[n])), len(lines))
        there = next((n for n in range(start + 1, end) if re.match(rf"\s*{key}\s*=", lines[n])), None)
        told = f"{key} = {json.dumps(value, ensure_ascii=False)}\n"
        if there is None:
            lines.insert(start + 1, told)
        else:
            lines[there] = told
    after = "".join(lines)
    try:
        settings = build_settings(tomllib.loads(after))
    except tomllib.TOMLDecodeError:
        settings = None
    if settings is None or any(getattr(getattr(settings, table), key) != value for key, value in keys.items()):
        wanted = ", ".join(f"{key} = {json.dumps(value)}" for key, value in keys.items())
        raise ConfigError(f"`{path}` spells `[{table}]` in a way that dream does not change", hint=f"set there: {wanted}")
    fsio.write_atomic(place, after.encode())
