"""Where a home's store is: a few words in the place of the file, which lead to a server.

Whoever asks whether there is a store finds one; a home cannot have its own and a team's at once. No password stands in it.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

from dreamd.core import fsio
from dreamd.core.errors import ConfigError, Corrupt

MAGIC = b'{"dream": "a team\'s store"'
LONGEST_BYTES = 500
"""No store of one machine is as short: SQLite's smallest page is larger."""
TENANT = re.compile(r"[a-z0-9][a-z0-9_.-]{0,62}")
SCHEMES = ("postgresql://", "postgres://")


@dataclass(frozen=True)
class Place:
    """A server, by its address without a password, and a tenant."""

    url: str
    tenant: str


def read_pointer(store: Path) -> Place | None:
    """Where the store at a path is; None for one that is a file, or not there."""
    try:
        if not 0 < store.stat().st_size <= LONGEST_BYTES:
            return None
        body = store.read_bytes()
    except OSError:
        return None
    if not body.startswith(MAGIC):
        return None
    try:
        told = json.loads(body)
        return checked(str(told["url"]), str(told["tenant"]))
    except (ValueError, KeyError):
        raise Corrupt(f"`{store}` does not say where the team's store is", hint="remove it; the settings know") from None


def point(store: Path, url: str, tenant: str) -> None:
    """Let a home lead to a team's store.

    Raises ConfigError where it has a store of its own, or leads to another tenant.
    """
    place = checked(url, tenant)
    known = read_pointer(store)
    if known == place:
        return
    if known is None and store.exists() and store.stat().st_size:
        raise ConfigError(f"`store.url` is set, but `{store}` is a store of its own",
                          hint="give the team's memory a home of its own with `--home DIR`")
    if known is not None and known.tenant != place.tenant:
        raise ConfigError("this home belongs to another tenant", hint="give each tenant a home of its own with `--home DIR`")
    fsio.make_private_dir(store.parent)
    body = json.dumps({"dream": "a team's store", "url": place.url, "tenant": place.tenant}).encode()
    if len(body) > LONGEST_BYTES:
        raise ConfigError("`store.url` is too long", hint="leave all but host, port and database to a service file of libpq")
    fsio.write_atomic(store, body)


def checked(url: str, tenant: str) -> Place:
    """An address and a tenant as they may be.

    Raises ConfigError for another engine, for a password in the address and for a name that is none.
    """
    if not url:
        raise ConfigError("this home is no team's: `store.url` is not set", hint="see `dream help team`")
    if not url.startswith(SCHEMES):
        raise ConfigError("`store.url` must begin with `postgresql://`")
    if "password=" in url or ":" in url.partition("://")[2].rpartition("@")[0]:
        raise ConfigError("`store.url` holds a password", hint="put it into `~/.pgpass` or `PGPASSWORD`")
    if not TENANT.fullmatch(tenant):
        raise ConfigError("`store.tenant` must be a name of small letters, digits, `.`, `_` and `-`")
    return Place(url, tenant)
