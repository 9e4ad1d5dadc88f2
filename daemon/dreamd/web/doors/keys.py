"""What one start of the page gives out, so that nobody else who can reach its port or guess its address may read or write."""

from __future__ import annotations

import hmac
import secrets
from dataclasses import dataclass

BYTES = 32


@dataclass(frozen=True)
class Keys:
    """All of them are new with each start, and worth nothing after it."""

    entry: str
    """In the link that `dream open` prints; whoever brings it is given the cookie."""
    seat: str
    """In the cookie, which reads."""
    pen: str
    """In a header that only a script of the page itself can send, which writes."""
    place: str
    """Where the page stands below its address. Cookies know no port: bound to a path that nobody else knows, ours is not sent
    to what another user of the machine serves on another one."""

    @property
    def base(self) -> str:
        return f"/{self.place}"

    @property
    def cookie(self) -> str:
        return f"dream-{self.place}"


def cut_keys() -> Keys:
    """New keys."""
    entry, seat, pen = (secrets.token_urlsafe(BYTES) for _ in range(3))
    return Keys(entry, seat, pen, secrets.token_hex(8))


def fits(shown: str | None, key: str) -> bool:
    """Whether what was shown is the key, in a time that tells nothing about it."""
    return hmac.compare_digest((shown or "").encode("utf-8", "replace"), key.encode())
