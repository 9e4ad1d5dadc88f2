"""The door every request passes before anything of the page sees it.

A page that only this machine can reach is still reached by every site that a browser on it has open, and by every other user of
the machine. So: the address must name this machine (a name that was made to point here is none of ours), what a browser says
about where a request comes from must be ourselves, reading takes the cookie of this start, writing the key in a header as well,
and only as JSON, which no form of another site can send.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dreamd.web.doors.keys import Keys, fits

NAMES = frozenset({"localhost", "127.0.0.1", "[::1]"})
"""What this machine may be called: any other name was made to point here by somebody else."""
LARGEST_BODY_BYTES = 64 * 1024
BODY_WITHIN_S = 10.0
PEN = "x-dream-token"
TOLD_ONCE = ("origin", "sec-fetch-site", "sec-fetch-mode", "content-type", "content-length", PEN)
"""What decides who may do what: of two of them this door and whoever stands before it could each believe another one."""
OURS = frozenset({"same-origin", "none"})
POLICY = ("default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; "
          "base-uri 'none'; frame-ancestors 'none'")
WITH_EACH = {
    "content-security-policy": POLICY, "x-content-type-options": "nosniff", "referrer-policy": "no-referrer",
    "cache-control": "no-store", "cross-origin-opener-policy": "same-origin", "cross-origin-resource-policy": "same-origin",
    "x-frame-options": "DENY", "permissions-policy": "camera=(), geolocation=(), microphone=()"}
SHUT = "this page belongs to whoever started it: open the link that `dream open` printed\n"
COME_IN = """<!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="0; url={0}/">
<title>dream</title><p><a href="{0}/">What dream knows</a></p></html>"""


_CLOSED = partial(PlainTextResponse, headers={"connection": "close"})


class Door:
    """Lets in who belongs here, and gives every answer the headers that keep it here."""

    def __init__(self, page: ASGIApp, keys: Keys, *, touch: Callable[[], object] = lambda: None) -> None:
        self._page, self._keys, self._touch = page, keys, touch

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or hand it on."""
        if scope["type"] != "http":
            return
        headers = Headers(scope=scope)

        async def send_on(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(WITH_EACH)
            await send(message)

        answer = self._turn_away(scope, headers) or self._let_in(scope, headers)
        if answer is None and scope["method"] == "POST":
            try:
                body = await asyncio.wait_for(_read(receive, headers), BODY_WITHIN_S)
                answer = _CLOSED("that is more than any memory says\n", 413) if body is None else None
            except TimeoutError:
                body, answer = None, _CLOSED("the rest of it did not come\n", 408)
            if body is not None:
                receive = _again(body)
        if answer is not None:
            await answer(scope, receive, send_on)
            return
        self._touch()
        await self._page({**scope, "dream.keys": self._keys}, receive, send_on)

    def _turn_away(self, scope: Scope, headers: Headers) -> Response | None:
        """The refusal of what comes from elsewhere, whatever it brings."""
        hosts = headers.getlist("host")
        if len(hosts) != 1 or _name_in(hosts[0]) not in NAMES:
            return PlainTextResponse("this page answers to the names of this machine alone\n", 421)
        if any(len(headers.getlist(name)) > 1 for name in TOLD_ONCE):
            return PlainTextResponse("what was asked for says two things of itself\n", 400)
        if scope["method"] not in ("GET", "HEAD", "POST"):
            return PlainTextResponse("there is nothing to do in this way\n", 405)
        origins = headers.getlist("origin")
        if origins and origins != [f"http://{hosts[0]}"]:
            return PlainTextResponse("another site has nothing to ask here\n", 403)
        site = headers.get("sec-fetch-site")
        entering = scope["path"] == "/" and scope["method"] == "GET" and headers.get("sec-fetch-mode", "navigate") == "navigate"
        if site is not None and site not in OURS and not entering:
            return PlainTextResponse("another site has nothing to ask here\n", 403)
        if scope["method"] == "POST" and headers.get("content-type", "").partition(";")[0].strip() != "application/json":
            return PlainTextResponse("changes are taken as JSON alone\n", 415)
        return None

    def _let_in(self, scope: Scope, headers: Headers) -> Response | None:
        """The way in for who brings the key of the link; a refusal for who has none; None for who may pass."""
        keys = self._keys
        if scope["path"] == "/":
            shown = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])
            if scope["method"] != "GET" or not fits(shown[0], keys.entry):
                return PlainTextResponse(SHUT, 403)
            # A browser that was sent here by another program keeps the cookie back from a redirect: it is sent on by a page.
            site = headers.get("sec-fetch-site")
            answer: Response = RedirectResponse(f"{keys.base}/", 303) if site in (None, *OURS) else HTMLResponse(
                COME_IN.format(keys.base))
            answer.set_cookie(keys.cookie, keys.seat, path=keys.base, httponly=True, samesite="strict")
            return answer
        if not scope["path"].startswith(f"{keys.base}/") or not fits(_cookie(headers, keys.cookie), keys.seat):
            return PlainTextResponse(SHUT, 403)
        if scope["method"] == "POST" and not fits(headers.get(PEN), keys.pen):
            return PlainTextResponse("changes take the key of the page that shows them\n", 403)
        return None


def _name_in(host: str) -> str:
    """The name in a `Host` header, without the port."""
    name, colon, port = host.rpartition(":")
    return (name if colon and port.isdigit() else host).lower()


def _cookie(headers: Headers, name: str) -> str:
    jar: SimpleCookie = SimpleCookie()
    try:
        jar.load("; ".join(headers.getlist("cookie")))
    except CookieError:
        return ""
    return jar[name].value if name in jar else ""


async def _read(receive: Receive, headers: Headers) -> bytes | None:
    """The whole of a body; None for one that is too long."""
    told = headers.get("content-length", "0")
    if not told.isdecimal() or int(told) > LARGEST_BODY_BYTES:
        return None
    body = b""
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return body
        body += bytes(message.get("body", b""))
        if len(body) > LARGEST_BODY_BYTES:
            return None
        if not message.get("more_body"):
            return body


def _again(body: bytes) -> Receive:
    """The body, to be read once more."""
    async def receive() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    return receive
