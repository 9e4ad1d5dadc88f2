"""Whatever speaks the OpenAI protocol: Ollama, llama.cpp, vLLM, LM Studio, most hosts, and OpenAI itself.

One request a call: the SDK's own retries are off, and redirects too, for they would take the text to another host.
The answer is read in pieces, so that neither size nor slowness passes a limit.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any  # the SDK takes what its release takes

from dreamd.llm.backends import (
    Backend,
    counted,
    instructions,
    strict,
    whole_answer,
    whole_number,
)
from dreamd.llm.backends.through_sdk import ask_through
from dreamd.models.language_model import Answer, Ask, Ending, Used

NO_KEY = "none"
"""What a local server that wants no key is sent in its place."""


def ask_openai(backend: Backend, ask: Ask, env: Mapping[str, str]) -> Answer:
    """Ask once.

    Raises ImportError where the SDK is not installed.
    """
    import openai

    @contextmanager
    def stream() -> Iterator[Any]:
        client = openai.OpenAI(
            api_key=env.get(backend.key_variable) or NO_KEY, base_url=backend.base_url or None, max_retries=0,
            timeout=ask.seconds, http_client=openai.DefaultHttpxClient(follow_redirects=False, timeout=ask.seconds))
        with client, client.chat.completions.with_streaming_response.create(**request_of(backend, ask)) as response:
            yield response

    return ask_through(openai, openai.OpenAIError, stream,
                       lambda body, seconds: read_completion(body, ask, seconds=seconds), backend=backend, ask=ask)


def request_of(backend: Backend, ask: Ask) -> dict[str, Any]:
    """The parameters of one request: what never changes first, the data last."""
    told: dict[str, Any] = {
        "model": backend.model,
        "messages": [{"role": "system", "content": instructions(ask)}, {"role": "user", "content": ask.data}]}
    if backend.base_url:
        told |= {"max_tokens": ask.most_out, "temperature": 0}
    else:  # OpenAI's own models that think refuse both
        told["max_completion_tokens"] = ask.most_out
    if backend.answer_form == "schema":
        form = {"name": ask.role.value, "schema": ask.schema} if backend.base_url else \
            {"name": ask.role.value, "schema": strict(ask.schema), "strict": True}
        told["response_format"] = {"type": "json_schema", "json_schema": form}
    elif backend.answer_form == "json":
        told["response_format"] = {"type": "json_object"}
    return told


def read_completion(body: bytes, ask: Ask, *, seconds: float) -> Answer:
    """What a 200 says; some servers answer 200 to everything."""
    try:
        told = json.loads(body)
    except (ValueError, RecursionError):
        told = None
    if not isinstance(told, dict):
        return Answer(Ending.INVALID, used=counted(Used(seconds=seconds), ask, body.decode(errors="replace")), detail="no-json")
    model = str(told.get("model") or "")[:200]
    usage = _within(told, "usage")
    details = _within(usage, "prompt_tokens_details")
    used = Used(whole_number(usage.get("prompt_tokens")),
                whole_number(details.get("cached_tokens")),
                whole_number(usage.get("completion_tokens")), seconds)
    choice = _first_choice(told)
    message = _within(choice, "message")
    content = message.get("content")
    text = content if isinstance(content, str) else ""
    used = counted(used, ask, text)
    if message.get("refusal") or choice.get("finish_reason") == "content_filter":
        return Answer(Ending.REFUSED, model=model, used=used, detail="refusal")
    if choice.get("finish_reason") == "length":
        return Answer(Ending.CUT, model=model, used=used, detail="length")
    if not choice:
        return Answer(Ending.INVALID, model=model, used=used, detail="no-choice")
    return whole_answer(text, model=model, used=used)


def _within(told: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = told.get(name)
    return found if isinstance(found, dict) else {}


def _first_choice(told: Mapping[str, Any]) -> Mapping[str, Any]:
    choices = told.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    return first if isinstance(first, dict) else {}
