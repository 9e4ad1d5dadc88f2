"""Fetching one address of the web for a person who asked for it, and never anything of this machine or its network.

The address that was looked up and judged is the address that is connected to, at each hop anew: a name that answers
otherwise the second time leads nowhere.
"""

from __future__ import annotations

import http.client
import ipaddress
import socket
import ssl
import threading
import zlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeVar
from urllib.parse import SplitResult, urljoin, urlsplit, urlunsplit

from dreamd import __version__
from dreamd.core.clock import SystemClock
from dreamd.core.errors import DreamError, Refused, UsageError

LARGEST_BYTES = 10 * 1024 * 1024
LONGEST_S = 20.0
MOST_HOPS = 5
_MOVED = frozenset({301, 302, 303, 307, 308})
_USUAL = {"http": 80, "https": 443}
_PIECE_BYTES = 1 << 16
Address = ipaddress.IPv4Address | ipaddress.IPv6Address
MayReach = Callable[[Address], bool]
_Socket = TypeVar("_Socket", bound=socket.socket)


@dataclass(frozen=True)
class Page:
    """What an address answered."""

    address: str
    body: bytes
    kind: str
    charset: str = ""


def is_public(address: Address) -> bool:
    """Whether an address is one of the open net, also where it is wrapped in another."""
    inner = _wrapped(address)
    if inner is not None:
        return is_public(inner)
    if getattr(address, "is_site_local", False):
        return False
    return address.is_global and not address.is_multicast and not address.is_reserved


def _wrapped(address: Address) -> Address | None:
    """The address that another stands for: one of the old net inside one of the new."""
    if not isinstance(address, ipaddress.IPv6Address):
        return None
    if address in ipaddress.ip_network("64:ff9b::/96"):
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or (address.teredo[1] if address.teredo else None)


def plain_address(text: str) -> str:
    """An address as it is kept and compared: no name and password in it, no fragment, the host in small letters.

    Raises UsageError for what is none of the web.
    """
    try:
        parts = urlsplit(text.strip())
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise UsageError("that is no address", hint="write it as `https://example.org/page`") from None
    if parts.scheme not in ("http", "https") or not host:
        raise UsageError("only addresses with http or https are captured", hint="save the page and capture the file")
    usual = _USUAL[parts.scheme]
    named = f"[{host}]" if ":" in host else host
    return urlunsplit((parts.scheme, named if port in (None, usual) else f"{named}:{port}", parts.path or "/", parts.query, ""))


def fetch(address: str, *, may_reach: MayReach = is_public, longest_s: float = LONGEST_S,
          env: Mapping[str, str] | None = None) -> Page:
    """Get what stands at an address; all of it, from the first look-up to the last byte, within one time.

    Raises Refused for what is not fetched at all, DreamError where nothing comes or too much.
    """
    clock = SystemClock()
    until_s, wanted = clock.monotonic() + longest_s, plain_address(address)
    for _ in range(MOST_HOPS + 1):
        parts = urlsplit(wanted)
        _refuse_proxy(parts, env or {})
        spot = _look_up(parts, may_reach, until_s - clock.monotonic())
        answer = _ask(parts, spot, until_s - clock.monotonic())
        if isinstance(answer, Page):
            return answer
        try:
            wanted = plain_address(urljoin(wanted, answer))
        except (UsageError, ValueError):
            raise Refused("it leads to an address that is none of the web") from None
    raise DreamError(f"it leads on more than {MOST_HOPS} times")


def _refuse_proxy(parts: SplitResult, env: Mapping[str, str]) -> None:
    """Raise Refused where the environment sends such addresses through a proxy: it looks hosts up itself, unjudged."""
    from urllib import request

    told = {name.lower(): value for name, value in env.items() if value}
    named = next((name for name in (f"{parts.scheme}_proxy", "all_proxy") if name in told), "")
    beside = {"no": told.get("no_proxy", "")}
    if named and not request.proxy_bypass_environment(parts.hostname or "", beside):  # type: ignore[attr-defined]
        raise Refused(f"`{named.upper()}` sends it through a proxy, and where a proxy leads to cannot be judged from here",
                      hint="save the page and capture the file, or name the host in `NO_PROXY`")


def _look_up(parts: SplitResult, may_reach: MayReach, left_s: float) -> tuple[Address, int]:
    """Where a host is, asked once; a host of which one address is not to be reached is not reached at all."""
    port = parts.port or _USUAL[parts.scheme]
    found: list[str] = []

    def ask() -> None:
        try:
            found.extend(str(row[4][0]) for row in socket.getaddrinfo(parts.hostname, port, type=socket.SOCK_STREAM))
        except (OSError, UnicodeError):
            return  # nothing was found, and that is what is said

    # The machine's own look-up takes as long as it likes; nobody waits longer for it than for all the rest.
    asking = threading.Thread(target=ask, daemon=True)
    asking.start()
    asking.join(max(0.0, left_s))
    if asking.is_alive():
        raise DreamError("it takes too long", hint="try again later, or save the page and capture the file")
    spots = [ipaddress.ip_address(one.partition("%")[0]) for one in dict.fromkeys(found)]
    if not spots:
        raise DreamError("there is no host of that name, or nothing to ask for it", hint="is this machine on the net?")
    if not all(may_reach(spot) for spot in spots):
        raise Refused("it leads to a private address, of this machine or its network",
                      hint="save the page and capture the file")
    return spots[0], port


def _ask(parts: SplitResult, spot: tuple[Address, int], left_s: float) -> Page | str:
    """Ask once; gives a page, or where it leads on to."""
    line = _Line(parts, spot, left_s)
    asking = line.connection
    late = line.late

    # A server that sends a sign a second keeps each single wait short; the whole is ended from outside.
    watch = threading.Timer(max(0.01, left_s), line.cut)
    watch.daemon = True
    watch.start()
    try:
        asking.request("GET", urlunsplit(("", "", parts.path or "/", parts.query, "")), headers={
            "User-Agent": f"dream/{__version__}", "Accept": "text/html, text/plain, text/markdown, application/pdf;q=0.9",
            "Accept-Encoding": "identity", "Connection": "close"})
        answer = asking.getresponse()
        if answer.status in _MOVED and answer.getheader("Location"):
            return str(answer.getheader("Location"))
        if answer.status != 200:
            raise DreamError(f"it answers with {answer.status}")
        body = _read(answer)
        if late.is_set():
            raise DreamError("it takes too long")
        kind = answer.headers.get_content_type()
        return Page(urlunsplit(parts), body, kind, answer.headers.get_content_charset() or "")
    except (OSError, http.client.HTTPException, ValueError) as error:
        slow = late.is_set() or isinstance(error, TimeoutError)
        raise DreamError("it takes too long" if slow else f"nothing that can be read comes from there ({type(error).__name__})",
                         hint="try again later, or save the page and capture the file") from None
    finally:
        watch.cancel()
        asking.close()


class _Line:
    """A connection to the address that was judged, and to no other, that can be cut at any moment of it.

    The name counts for the certificate alone. The handshake is done here, for while `http.client` does it nobody can reach the
    socket, and what ends late then goes on for as long as the other side likes.
    """

    def __init__(self, parts: SplitResult, spot: tuple[Address, int], left_s: float) -> None:
        self.late = threading.Event()
        self._where, self._host, self._left_s = (str(spot[0]), spot[1]), parts.hostname or "", max(0.01, left_s)
        self._context = ssl.create_default_context() if parts.scheme == "https" else None
        self._socket: socket.socket | None = None
        self.connection = http.client.HTTPConnection(self._host, spot[1])
        self.connection.default_port = _USUAL[parts.scheme]  # what `Host` leaves out
        self.connection._create_connection = self._connect  # type: ignore[attr-defined]

    def cut(self) -> None:
        """End whatever goes on."""
        self.late.set()
        if self._socket is not None:
            with suppress(OSError):  # it is closed already
                socket.socket.shutdown(self._socket, socket.SHUT_RDWR)

    def _connect(self, *_: object, **__: object) -> socket.socket:
        made = self._held(socket.create_connection(self._where, timeout=self._left_s))
        if self._context is None:
            return made
        made = self._held(self._context.wrap_socket(made, server_hostname=self._host, do_handshake_on_connect=False))
        try:
            made.do_handshake()
        except OSError:
            made.close()
            raise
        return self._held(made)

    def _held(self, made: _Socket) -> _Socket:
        """The socket that is cut; raises TimeoutError where it was to be cut before it was there."""
        self._socket = made
        if self.late.is_set():
            made.close()
            raise TimeoutError
        return made


def _read(answer: http.client.HTTPResponse) -> bytes:
    body = bytearray()
    while piece := answer.read(_PIECE_BYTES):
        body += piece
        if len(body) > LARGEST_BYTES:
            raise DreamError("it is larger than 10 MiB")
    if answer.length:  # a page that was cut off is not taken for the whole
        raise DreamError("it broke off in the middle", hint="try again")
    packing = (answer.getheader("Content-Encoding") or "identity").lower()
    if packing == "identity":
        return bytes(body)
    if packing not in ("gzip", "deflate", "x-gzip"):
        raise DreamError("it comes packed in a way that was not asked for")
    unpacking = zlib.decompressobj(zlib.MAX_WBITS | 32)
    try:
        whole = unpacking.decompress(bytes(body), LARGEST_BYTES)
    except zlib.error:
        raise DreamError("it comes packed, and damaged") from None
    if unpacking.unconsumed_tail:
        raise DreamError("it is larger than 10 MiB")
    if not unpacking.eof:
        raise DreamError("it comes packed, and damaged")
    return whole
