"""Anthropic through its own SDK, with a mark behind the constant part: from the second call on it comes from the cache.

One request a call, as everywhere: no retries of the SDK's own, no redirects, and an answer read in pieces.
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


def ask_anthropic(backend: Backend, ask: Ask, env: Mapping[str, str]) -> Answer:
    """Ask once.

    Raises ImportError where the SDK is not installed.
    """
    import anthropic

    key = env.get(backend.key_variable)
    if not key and not backend.base_url:
        return Answer(Ending.UNAUTHORISED, detail="no-key")

    @contextmanager
    def stream() -> Iterator[Any]:
        client = anthropic.Anthropic(
            api_key=key or "none", base_url=backend.base_url.rstrip("/").removesuffix("/v1") or None, max_retries=0,
            timeout=ask.seconds, http_client=anthropic.DefaultHttpxClient(follow_redirects=False, timeout=ask.seconds))
        with client, client.messages.with_streaming_response.create(**request_of(backend, ask)) as response:
            yield response

    return ask_through(anthropic, anthropic.AnthropicError, stream,
                       lambda body, seconds: read_message(body, ask, seconds=seconds), backend=backend, ask=ask)


def request_of(backend: Backend, ask: Ask) -> dict[str, Any]:
    """The parameters of one request: what never changes, the mark, and behind it the data."""
    told: dict[str, Any] = {
        "model": backend.model, "max_tokens": ask.most_out,
        "system": [{"type": "text", "text": instructions(ask), "cache_control": {"type": "ephemeral"}}],
        "messages": [{"role": "user", "content": ask.data}]}
    if backend.answer_form == "schema":
        told["output_config"] = {"format": {"type": "json_schema", "schema": strict(ask.schema)}}
    return told


def read_message(body: bytes, ask: Ask, *, seconds: float) -> Answer:
    """What a 200 says."""
    try:
        told = json.loads(body)
        parts, usage = told["content"], dict(told["usage"])
        text = "".join(part["text"] for part in parts if part["type"] == "text")
        model, reason = str(told["model"])[:200], str(told["stop_reason"])
    except (ValueError, RecursionError, KeyError, TypeError):
        return Answer(Ending.INVALID, used=counted(Used(seconds=seconds), ask, body.decode(errors="replace")), detail="no-json")
    cached = whole_number(usage.get("cache_read_input_tokens"))
    sent = whole_number(usage.get("input_tokens")) + whole_number(usage.get("cache_creation_input_tokens")) + cached
    used = counted(Used(sent, cached, whole_number(usage.get("output_tokens")), seconds), ask, text)
    if reason == "refusal":
        return Answer(Ending.REFUSED, model=model, used=used, detail=reason)
    if reason in ("max_tokens", "model_context_window_exceeded"):
        return Answer(Ending.CUT, model=model, used=used, detail=reason)
    return whole_answer(text, model=model, used=used)
