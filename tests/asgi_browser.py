"""A page over a real store, asked in the same process: what a browser sends and gets, without a browser."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from dreamd.web.doors.keys import Keys, cut_keys
from dreamd.web.page import Page, build_page
from household import House

SECOND_DAY = "2026-01-06T09:00:00Z"
SECOND_NIGHT = "2026-01-06T20:00:00Z"
TODAY = "2026-01-07T08:00:00Z"


@dataclass
class Answer:
    """What came back."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()


@dataclass
class Browser:
    """Asks as a browser of this machine does; what it says of itself can be changed."""

    page: Page
    app: Any
    keys: Keys
    house: House = field(default=None)  # type: ignore[assignment]
    cookies: dict[str, str] = field(default_factory=dict)
    host: str = "127.0.0.1:4000"

    def __call__(self, method: str, path: str, *, body: bytes = b"", headers: Mapping[str, str | None] | None = None) -> Answer:
        told: dict[str, str | None] = {"host": self.host, "sec-fetch-site": "same-origin", "content-length": str(len(body))}
        if self.cookies:
            told["cookie"] = "; ".join(f"{k}={v}" for k, v in self.cookies.items())
        told.update(headers or {})
        return asyncio.run(ask(self.app, method, path, body, {k: v for k, v in told.items() if v is not None}))

    def enter(self) -> Answer:
        answer = self("GET", f"/?token={self.keys.entry}", headers={"sec-fetch-site": "none"})
        name, _, rest = answer.headers["set-cookie"].partition("=")
        self.cookies = {name: rest.partition(";")[0]}
        return answer

    def see(self, path: str, **headers: str) -> Answer:
        """One view."""
        return self("GET", self.keys.base + path, headers=headers)

    def do(self, verb: str, *, headers: Mapping[str, str | None] | None = None, **said: str) -> Answer:
        """One change, as the page's own script sends it."""
        told: dict[str, str | None] = {"content-type": "application/json", "x-dream-token": self.pen,
                                       "origin": f"http://{self.host}", "hx-request": "true", **(headers or {})}
        return self("POST", f"{self.keys.base}/act/{verb}", body=json.dumps(said).encode(), headers=told)

    @property
    def pen(self) -> str:
        """The key of changes, as a page shows it to its own script."""
        found = re.search(r'data-pen="([^"]+)"', self.see("/memories").text)
        assert found
        return found[1]

    def seen(self, words: str) -> tuple[str, str]:
        """Id and revision of a memory, as its page tells them."""
        identity = self.house.memory(words).id
        found = re.search(r'name="seen" value="([^"]+)"', self.see(f"/memory/{identity}").text)
        assert found
        return identity, found[1]


async def ask(app: Any, method: str, path: str, body: bytes, headers: Mapping[str, str]) -> Answer:
    """One request to an application."""
    parts = urlsplit(path)
    sent: list[dict[str, Any]] = []
    chunks = [body[n:n + 65_536] for n in range(0, len(body), 65_536)] or [b""]

    async def receive() -> dict[str, Any]:
        if not chunks:
            await asyncio.sleep(3600)
        return {"type": "http.request", "body": chunks.pop(0), "more_body": bool(chunks)}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    scope = {"type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method, "path": parts.path,
             "raw_path": parts.path.encode(), "query_string": parts.query.encode(), "root_path": "", "scheme": "http",
             "headers": [(k.lower().encode(), v.encode()) for k, v in headers.items()], "server": ("127.0.0.1", 4000),
             "client": ("127.0.0.1", 50000)}
    await app(scope, receive, send)
    start = next(m for m in sent if m["type"] == "http.response.start")
    told = {k.decode(): v.decode() for k, v in start["headers"]}
    return Answer(start["status"], told, b"".join(m.get("body", b"") for m in sent if m["type"] == "http.response.body"))


def open_page(house: House, now: str = TODAY) -> tuple[Browser, Page]:
    """A page over a home, and a browser that has not come in yet."""
    keys = cut_keys()
    app, page = build_page(house.world(now), keys, embedder=house.embedder)
    return Browser(page, app, keys, house), page
