"""The constant part of every question: a file of `config/prompts/`, whose first line names it with its version."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from hashlib import sha256
from typing import NamedTuple

from dreamd.core.errors import ConfigError
from dreamd.core.paths import share_dir


class Prompt(NamedTuple):
    """A prompt as it travels: its name with the version, and its text, the same to the byte in every call."""

    name: str
    text: str


@cache
def load_prompt(name: str) -> Prompt:
    """The prompt of a role.

    Raises ConfigError when its file is missing or its first line is not the name and a version.
    """
    path = share_dir("config") / "prompts" / f"{name}.md"
    try:
        first, _, rest = path.read_text(encoding="utf-8").partition("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"the prompt `{path}` cannot be read: {type(error).__name__}",
                          hint="reinstall dream, or restore the file") from error
    named, _, version = first.strip().partition("@")
    if named != name or not version.isdecimal():
        raise ConfigError(f"the prompt `{path}` does not begin with its name and version, as `{name}@1`")
    return Prompt(first.strip(), rest.strip() + "\n")


def fenced(head: str, body: str) -> str:
    """Data between two marks that cannot stand in it: they are made of its own hash, so the same data give the same bytes."""
    mark = sha256(f"{head}\n{body}".encode("utf-8", "replace")).hexdigest()[:20]
    return f"{head}\n=== begin {mark} ===\n{body}\n=== end {mark} ===\n"


def shape(properties: Mapping[str, object]) -> dict[str, object]:
    """The JSON schema of an object that has all of some properties and no others, as every backend understands it."""
    return {"type": "object", "properties": dict(properties), "required": list(properties), "additionalProperties": False}


def listed(of: Mapping[str, object]) -> dict[str, object]:
    """The JSON schema of a list."""
    return {"type": "array", "items": dict(of)}


def choice(names: Sequence[str]) -> dict[str, object]:
    """The JSON schema of one word out of some."""
    return {"type": "string", "enum": list(names)}


TEXT: Mapping[str, object] = {"type": "string"}
WHOLE: Mapping[str, object] = {"type": "integer"}
SHARE: Mapping[str, object] = {"type": "number"}


def records(value: object) -> list[dict[str, object]]:
    """The objects in a list that an answer gave; nothing where it is none."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def words(value: object, most: int = 4000) -> str:
    """A text that an answer gave, on one line; nothing where it is none or longer than `most`."""
    return " ".join(value.split()) if isinstance(value, str) and len(value) <= most else ""
