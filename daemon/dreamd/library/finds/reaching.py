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
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import SplitResult, urljoin, urlsplit, urlunsplit

from dreamd import __version__
from dreamd.core.clock import SystemClock
from dreamd.core.errors import DreamError, Refused, UsageError

LARGEST_BYTES = 10 * 1024 * 1024
LONGEST_S = 20.0
MOST_HOPS = 5
_MOVED = frozenset({301, 302, 303, 307, 308})
_PIECE_BYTES = 1 << 16
Address = ipaddress.IPv4Address | ipaddress.IPv6Address
MayReach = Callable[[Address], bool]


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
    usual = {"http": 80, "https": 443}[parts.scheme]
    named = f"[{host}]" if ":" in host else host
    return urlunsplit((parts.scheme, named if port in (None, usual) else f"{named}:{port}", parts.path or "/", parts.query, ""))


def fetch(address: str, *, may_reach: MayReach = is_public, longest_s: float = LONGEST_S) -> Page:
    """Get what stands at an address.

    Raises Refused for what is not fetched at all, DreamError where nothing comes or too much.
    """
    clock = SystemClock()
    until_s, wanted = clock.monotonic() + longest_s, plain_address(address)
    for _ in range(MOST_HOPS + 1):
        parts = urlsplit(wanted)
        spot = _look_up(parts, may_reach, until_s - clock.monotonic())
        answer = _ask(parts, spot, until_s - clock.monotonic())
        if isinstance(answer, Page):
            return answer
        try:
            wanted = plain_address(urljoin(wanted, answer))
        except (UsageError, ValueError):
            raise Refused("it leads to an address that is none of the web") from None
    raise DreamError(f"it leads on more than {MOST_HOPS} times")


def _look_up(parts: SplitResult, may_reach: MayReach, left_s: float) -> tuple[Address, int]:
    """Where a host is, asked once; a host of which one address is not to be reached is not reached at all."""
    port = parts.port or {"http": 80, "https": 443}[parts.scheme]
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
    late = threading.Event()
    asking = _connection(parts, spot, left_s)

    def end() -> None:
        late.set()
        if asking.sock is not None:
            try:
                asking.sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                return  # it is closed already

    # A server that sends a sign a second keeps each single wait short; the whole is ended from outside.
    watch = threading.Timer(max(0.01, left_s), end)
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


def _connection(parts: SplitResult, spot: tuple[Address, int], left_s: float) -> http.client.HTTPConnection:
    """A connection to the address that was judged, and to no other; the name counts for the certificate alone."""
    where = (str(spot[0]), spot[1])

    def connect(*_: object, **__: object) -> socket.socket:
        return socket.create_connection(where, timeout=max(0.01, left_s))

    host = parts.hostname or ""
    made = (http.client.HTTPSConnection(host, spot[1], context=ssl.create_default_context()) if parts.scheme == "https"
            else http.client.HTTPConnection(host, spot[1]))
    made._create_connection = connect  # type: ignore[attr-defined]
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
    return whole
