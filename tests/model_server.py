"""A server that speaks the OpenAI protocol and Anthropic's over real HTTP, and misbehaves when it is told to.

    with ModelServer({"facts": []}) as server:      # the same answer to everything
        server.script += [Reply(status=429, headers={"retry-after": "7"}), Reply(hang=True)]    # first these, in turn
        … base_url = server.url …
    server.requests                                  # what came in, with the tokens that its cache had

An answer is a value (sent as JSON), a string (sent as it is), a `Reply`, or a function that makes one from an `Asked`.
Tokens are four characters; cached are those of the longest prefix shared with an earlier prompt, in steps of sixteen.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

CHARACTERS = 4
STEP = 16


@dataclass(frozen=True)
class Reply:
    """One answer, or one way of not giving it."""

    value: object = None
    """Sent as JSON text."""
    text: str | None = None
    """Sent as it is."""
    status: int = 200
    code: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    finish: str = "stop"
    refusal: str = ""
    body: bytes | None = None
    """The whole HTTP body, whatever it is."""
    megabytes: int = 0
    """So much text instead of an answer."""
    after_s: float = 0.0
    byte_every_s: float = 0.0
    hang: bool = False
    drop: bool = False
    no_usage: bool = False


@dataclass(frozen=True)
class Asked:
    """One request as it came."""

    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]
    tokens: int
    cached: int

    @property
    def system(self) -> str:
        """The constant part."""
        if self.path.endswith("/messages"):
            return _flat(self.body.get("system", ""))
        return "".join(_flat(m["content"]) for m in self.body.get("messages", ()) if m["role"] != "user")

    @property
    def user(self) -> str:
        """The data."""
        return "".join(_flat(m["content"]) for m in self.body.get("messages", ()) if m["role"] == "user")

    @property
    def schema(self) -> Mapping[str, Any] | None:
        """The schema the answer should fit, where one was sent."""
        form = self.body.get("response_format") or {}
        return (form.get("json_schema") or {}).get("schema")


Answering = Callable[[Asked], object]


class ModelServer:
    """Listens on a free port until it is closed."""

    def __init__(self, answer: object = None, *, model: str = "stand-in", models: tuple[str, ...] = ()) -> None:
        self.answer = answer if answer is not None else {}
        self.script: list[object] = []
        self.requests: list[Asked] = []
        self.model = model
        self.models = models or (model,)
        self._seen: list[str] = []
        self._lock = threading.Lock()
        self._closing = threading.Event()
        server = self

        class Line(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                with suppress(OSError):
                    server._answer(self)

            def do_GET(self) -> None:
                with suppress(OSError):
                    _send(self, 200, json.dumps({"object": "list", "data": [{"id": m, "object": "model"} for m in
                                                                            server.models]}).encode())

            def log_message(self, *_: object) -> None:
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Line)
        self._http.daemon_threads = True
        self._http.block_on_close = False
        threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    @property
    def url(self) -> str:
        """The base URL a person would configure."""
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    @property
    def root(self) -> str:
        """The same for Anthropic's SDK, which adds the version itself."""
        return self.url.removesuffix("/v1")

    def forget(self) -> None:
        """As if it had just been started."""
        with self._lock:
            self.script.clear()
            self.requests.clear()
            self._seen.clear()

    def close(self) -> None:
        """Listen no more; whoever was kept waiting is let go."""
        self._closing.set()
        self._http.shutdown()
        self._http.server_close()

    def __enter__(self) -> ModelServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _answer(self, line: BaseHTTPRequestHandler) -> None:
        body = json.loads(line.rfile.read(int(line.headers.get("content-length", 0))) or b"{}")
        with self._lock:
            asked = self._take(line, body)
            told = self.script.pop(0) if self.script else self.answer
        if callable(told):
            told = told(asked)
        reply = told if isinstance(told, Reply) else Reply(text=told) if isinstance(told, str) else Reply(value=told)
        if self._closing.wait(3600 if reply.hang else reply.after_s) or reply.drop:
            line.close_connection = True
            return
        whole = reply.body if reply.body is not None else _body_of(reply, asked, str(body.get("model") or self.model))
        if reply.byte_every_s:
            _send(line, reply.status, whole, reply.headers, start=0)
            for n in range(len(whole)):
                line.wfile.write(whole[n:n + 1])
                line.wfile.flush()
                if self._closing.wait(reply.byte_every_s):
                    line.close_connection = True
                    return
        else:
            _send(line, reply.status, whole, reply.headers)

    def _take(self, line: BaseHTTPRequestHandler, body: Mapping[str, Any]) -> Asked:
        prompt = json.dumps([body.get("system"), body.get("response_format"), body.get("messages")])
        marked = "cache_control" in prompt or not line.path.endswith("/messages")
        shared = max((len(os.path.commonprefix((prompt, earlier))) for earlier in self._seen), default=0) if marked else 0
        self._seen.append(prompt)
        asked = Asked(line.path, {name.lower(): told for name, told in line.headers.items()}, body, len(prompt) // CHARACTERS,
                      shared // CHARACTERS // STEP * STEP)
        self.requests.append(asked)
        return asked


def _body_of(reply: Reply, asked: Asked, model: str) -> bytes:
    text = reply.text if reply.text is not None else json.dumps(reply.value)
    text = "x" * (reply.megabytes << 20) or text
    out = len(text) // CHARACTERS + 1
    if asked.path.endswith("/messages"):
        told: dict[str, Any] = {"type": "error", "error": {"type": reply.code or "error", "message": "as told"}}
        if reply.status == 200:
            told = {"id": "msg_1", "type": "message", "role": "assistant", "model": model,
                    "content": [{"type": "text", "text": text}], "stop_sequence": None,
                    "stop_reason": "refusal" if reply.refusal else "max_tokens" if reply.finish == "length" else "end_turn",
                    "usage": {"input_tokens": asked.tokens - asked.cached, "cache_read_input_tokens": asked.cached,
                              "cache_creation_input_tokens": 0, "output_tokens": out}}
    else:
        told = {"error": {"message": "as told", "type": "error", "code": reply.code or None}}
        if reply.status == 200:
            told = {"id": "chatcmpl-1", "object": "chat.completion", "created": 0, "model": model,
                    "choices": [{"index": 0, "finish_reason": reply.finish, "message": {
                        "role": "assistant", "content": None if reply.refusal else text, "refusal": reply.refusal or None}}],
                    "usage": {"prompt_tokens": asked.tokens, "completion_tokens": out, "total_tokens": asked.tokens + out,
                              "prompt_tokens_details": {"cached_tokens": asked.cached}}}
    if reply.no_usage:
        told.pop("usage", None)
    return json.dumps(told).encode()


def _send(line: BaseHTTPRequestHandler, status: int, body: bytes, headers: Mapping[str, str] | None = None,
          *, start: int | None = None) -> None:
    line.send_response(status)
    line.send_header("content-type", "application/json")
    line.send_header("content-length", str(len(body)))
    for name, value in (headers or {}).items():
        line.send_header(name, value)
    line.end_headers()
    line.wfile.write(body[:start])


def _flat(content: object) -> str:
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content)
    return str(content or "")
