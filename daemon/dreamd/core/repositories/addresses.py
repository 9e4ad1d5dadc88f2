"""One form for all addresses that mean the same remote repository: host and path, without scheme, user, secret or `.git`."""

from __future__ import annotations

import os
import posixpath
import re
from pathlib import Path

_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*)://(.*)", re.IGNORECASE | re.DOTALL)
_HELPER = re.compile(r"[A-Za-z][\w+.-]*::")
_SHORT = re.compile(r"(?:[^@/\s]*@)?(\[[^\]]+\]|[^:/\s\\]{2,}):(?!//)(.*)", re.DOTALL)
"""`user@host:path`, as ssh takes it; one letter before the colon is a drive."""
_PORTS = {"http": "80", "https": "443", "git": "9418"}
_OTHER_DOORS = {"ssh.github.com": "github.com", "altssh.gitlab.com": "gitlab.com", "altssh.bitbucket.org": "bitbucket.org",
                "ssh.dev.azure.com": "dev.azure.com", "vs-ssh.visualstudio.com": "dev.azure.com"}
"""Hosts that serve another one's repositories over ssh."""
_ONE_CASE = frozenset({"github.com", "gitlab.com", "bitbucket.org", "dev.azure.com", "codeberg.org"})
"""Hosts to which `Acme/API` and `acme/api` are one."""
LONGEST = 1000


def canonical_address(written: str, root: str) -> str:
    """What an address means, whichever way it is written; a path on this machine is taken from `root`. Empty for nonsense."""
    text = _HELPER.sub("", written.strip(), count=1)[:LONGEST]
    whole = _SCHEME.fullmatch(text)
    if whole and whole[1].lower() == "file":
        return _local(re.sub(r"^(?:localhost)?(?=/)", "", whole[2]), root)
    if whole:
        return _remote(whole[1].lower(), whole[2])
    short = _SHORT.fullmatch(text)
    if short:
        return _joined(short[1], "", short[2])
    return _local(text, root) if text else ""


def _remote(scheme: str, rest: str) -> str:
    place, _, path = rest.partition("/")
    host = place.rpartition("@")[2]  # in front of it a user, and often a secret
    host, colon, port = host.rpartition(":") if re.search(r":\d*$", host) else (host, "", "")
    # The port of ssh tells nothing of what is served; two web servers of one machine are two.
    apart = colon and port and "ssh" not in scheme and _PORTS.get(scheme) != port
    return _joined(host, f":{port}" if apart else "", re.split(r"[?#]", path, maxsplit=1)[0])


def _joined(host: str, port: str, path: str) -> str:
    from urllib.parse import unquote

    host = host.strip("[]").rstrip(".").lower()
    host = _OTHER_DOORS.get(host, host)
    path = posixpath.normpath("/" + unquote(path).replace("\\", "/")).strip("/").removesuffix(".git").rstrip("/")
    if host == "dev.azure.com":
        path = re.sub(r"^v3/", "", path).replace("/_git/", "/")
    if host in _ONE_CASE:
        path = path.lower()
    return f"{host}{port}/{path}" if host and path.strip(".") and f"{host}{path}".isprintable() else ""


def _local(path: str, root: str) -> str:
    """A repository on this machine, by where it is."""
    plain = path.replace("\\", "/")
    if re.match(r"[A-Za-z]:/", plain):
        return f"file:{posixpath.normpath(plain).removesuffix('.git').rstrip('/')}"
    if "\x00" in plain:
        return ""
    place = os.path.realpath(Path(root) / plain)
    return f"file:{place.removesuffix('/.git').removesuffix('.git')}"
