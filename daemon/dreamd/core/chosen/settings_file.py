"""Changing a few settings in a person's own file: those lines, and no other byte of it."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

from dreamd.core import fsio
from dreamd.core.errors import ConfigError
from dreamd.core.settings import LARGEST_FILE_BYTES, build_settings

_REMARK = re.compile(r"""[^#"'\[]*=\s*(?:"[^"\\]*"|'[^']*'|\[[^#\]]*\]|[^#"'\[]*?)\s*(#.*?)\s*$""")
"""A setting on one line with a remark behind it."""
Value = str | bool | int | float | list[str]


def write_keys(path: Path, table: str, keys: Mapping[str, Value]) -> None:
    """Set keys of one table; the file is made where there is none.

    Raises ConfigError where the file spells them in a way that only a person should change.
    """
    lines = _lines(path)
    start = _start(lines, table)
    if start is None:
        lines += ["\n"] if lines else []
        start = len(lines)
        lines.append(f"[{table}]\n")
    for key, value in keys.items():
        there = _line_of(lines, start, key)
        told = f"{key} = {json.dumps(value, ensure_ascii=False)}\n"
        if there is None:
            lines.insert(start + 1, told)
        else:
            remark = _REMARK.match(lines[there])
            lines[there] = f"{told[:-1]}  {remark[1]}\n" if remark else told
    _replace(path, "".join(lines), table, keys)


def remove_key(path: Path, table: str, key: str) -> bool:
    """Take one key's line out, so that its default counts; False where it does not stand there.

    Raises ConfigError where the file spells it in a way that only a person should change.
    """
    lines = _lines(path)
    start = _start(lines, table)
    there = None if start is None else _line_of(lines, start, key)
    if there is None:
        return False
    del lines[there]
    _replace(path, "".join(lines), table, {})
    return True


def _lines(path: Path) -> list[str]:
    place = path.resolve()
    before = fsio.read_bytes(place, limit_bytes=LARGEST_FILE_BYTES).decode("utf-8") if place.exists() else ""
    lines = before.splitlines(keepends=True)
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += "\n"
    return lines


def _start(lines: Sequence[str], table: str) -> int | None:
    return next((n for n, line in enumerate(lines) if re.match(rf"\s*\[\s*{table}\s*\]\s*(?:#.*)?$", line)), None)


def _line_of(lines: Sequence[str], start: int, key: str) -> int | None:
    end = next((n for n in range(start + 1, len(lines)) if re.match(r"\s*\[", lines[n])), len(lines))
    return next((n for n in range(start + 1, end) if re.match(rf"\s*{key}\s*=", lines[n])), None)


def _replace(path: Path, after: str, table: str, keys: Mapping[str, Value]) -> None:
    """Put a text in the place of a settings file, if it says what was meant."""
    try:
        settings = build_settings(tomllib.loads(after))
    except tomllib.TOMLDecodeError:
        settings = None
    if settings is None or any(_plain(getattr(getattr(settings, table), key)) != value for key, value in keys.items()):
        wanted = ", ".join(f"{key} = {json.dumps(value)}" for key, value in keys.items()) or "take the key out"
        raise ConfigError(f"`{path}` spells `[{table}]` in a way that dream does not change", hint=f"set there: {wanted}")
    fsio.write_atomic(path.resolve(), after.encode())


def _plain(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value
