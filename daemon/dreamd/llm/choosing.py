"""What could be asked on this machine, and a first try of it: programs, servers that listen here, and keys by their names.

Looking sends nothing anywhere but a question for its models to servers on this machine; a key is never read, only seen.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from urllib.request import ProxyHandler, build_opener

from dreamd.core.errors import DreamError
from dreamd.core.settings import Settings
from dreamd.core.world import World
from dreamd.kit import open_kit
from dreamd.llm.backends import KEY_VARIABLES
from dreamd.llm.backing_off import SETUP
from dreamd.llm.calling import open_caller
from dreamd.models.language_model import Answer, Ask, Ending, Role
from dreamd.store.language import language_calls
from dreamd.store.language.language_calls import Call

LOCAL_SERVERS = (("Ollama", 11434), ("LM Studio", 1234), ("llama.cpp", 8080), ("vLLM", 8000))
LOOK_S = 1.0
VERSION_S = 10.0
LARGEST_LIST_BYTES = 1_000_000
FORMS = ("schema", "json", "text")
"""What may hold a server to the form of an answer, best first."""
_WORD = "otter"


@dataclass(frozen=True)
class Found:
    """Something that could be asked."""

    backend: str
    told: str
    """What it is, for a person."""
    base_url: str = ""
    models: tuple[str, ...] = ()


def find_backends(env: Mapping[str, str]) -> list[Found]:
    """What there is, what leaves nothing off this machine first."""
    found = []
    for name, port in LOCAL_SERVERS:
        models = list_models(f"http://127.0.0.1:{port}/v1")
        if models is not None:
            found.append(Found("openai", f"{name} on this machine", f"http://127.0.0.1:{port}/v1", models))
    for program in ("claude", "codex"):
        place = shutil.which(program, path=env.get("PATH"))
        if place:
            found.append(Found(program, f"{_version(place, env)}, `{place}`; no key needed"))
    found += [Found(backend, f"a key in `{variable}`") for backend, variable in KEY_VARIABLES.items() if env.get(variable)]
    return found


def list_models(base_url: str) -> tuple[str, ...] | None:
    """The models of a server that wants no key; None where none answers in that way."""
    if not base_url.startswith(("http://", "https://")):
        return None
    with suppress(OSError, ValueError, RecursionError), \
            build_opener(ProxyHandler({})).open(f"{base_url.rstrip('/')}/models", timeout=LOOK_S) as answer:
        told = json.loads(answer.read(LARGEST_LIST_BYTES))
        rows = told.get("data") if isinstance(told, dict) else None
        if isinstance(rows, list):
            return tuple(str(row["id"])[:200] for row in rows if isinstance(row, dict) and row.get("id"))
    return None


def is_local(base_url: str) -> bool:
    """Whether an address is on this machine."""
    return re.match(r"https?://(?:localhost|127(?:\.\d+){3}|\[::1\])(?=[:/]|$)", base_url) is not None


def destination(settings: Settings) -> str:
    """Where the text goes, for a person."""
    llm = settings.llm
    if llm.base_url:
        return f"`{llm.base_url}`" + (", on this machine" if is_local(llm.base_url) else "")
    return {"claude": "Anthropic, through `claude` and the account it is logged in with",
            "codex": "OpenAI, through `codex` and the account it is logged in with",
            "openai": "OpenAI", "anthropic": "Anthropic"}.get(llm.backend, "nobody")


def try_backend(settings: Settings, world: World) -> tuple[Settings, Answer]:
    """Make one call, and where a server cannot be held to a schema, one more for each other way; with what worked.

    Where there is a store each of them is written down in it like any other call.
    """
    forms = FORMS if settings.llm.backend == "openai" else (settings.llm.answer_form,)
    answer = Answer(Ending.OFF)
    for form in forms:
        tried = replace(settings, llm=replace(settings.llm, answer_form=form))
        with open_caller(tried, world) as caller:
            answer = caller.call(question(settings.llm.timeout_s))
        _write_down(tried, world, answer)
        if answer.ending.carries_value:
            return tried, answer
        if answer.ending not in (Ending.INVALID, Ending.REFUSED):
            break
    return settings, answer


def _write_down(settings: Settings, world: World, answer: Answer) -> None:
    with suppress(DreamError), open_kit(world) as kit, kit.writing() as tx:
        asked = question(settings.llm.timeout_s)
        call = Call(0, world.clock.now(), 0, SETUP, asked.prompt, asked.scope, answer.model or settings.llm.model, answer.used,
                    answer.ending, answer.detail)
        language_calls.settle(tx, replace(call, seq=language_calls.reserve(tx, call, request="")))


def question(seconds: float) -> Ask:
    """The question of a first try; nothing of a person is in it."""
    schema = {"type": "object", "properties": {"word": {"type": "string", "enum": [_WORD]}}, "required": ["word"],
              "additionalProperties": False}
    return Ask(Role.OBSERVER, "setup@1", "You are asked whether you can answer in a given form.",
               f"The word is `{_WORD}`. Answer with it.", schema, "user", 200, seconds)


def _version(program: str, env: Mapping[str, str]) -> str:
    with suppress(OSError, subprocess.TimeoutExpired):
        told = subprocess.run([program, "--version"], stdin=subprocess.DEVNULL, capture_output=True, timeout=VERSION_S,
                              check=False, env=dict(env), cwd="/").stdout.decode(errors="replace")
        return told.strip().partition("\n")[0][:60] or "unknown version"
    return "unknown version"
