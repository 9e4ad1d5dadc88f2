"""Which repository a directory belongs to, read from git's own small files: no process, nothing followed, nothing waited for.

A hook asks this at the start of a conversation, and a directory may hold anything under git's names: every file is
opened without waiting, must be a plain one, and is read up to a bound.

One form for all addresses that mean the same remote repository: host and path, without scheme, user, secret or `.git`.
"""

from __future__ import annotations

import os
import posixpath
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

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


LARGEST_CONFIG_BYTES = 256 * 1024
POINTER_BYTES = 4096
LOG_BYTES = 64 * 1024
DEEPEST = 128
"""Directories above one that are looked at."""
_WORKTREE = re.compile(r"/\.(?:claude|codex|cursor)/worktrees/[^/]+|/\.worktrees/[^/]+")
"""Where harnesses and people put further worktrees of a repository, inside it: also known when they are gone."""
_DRIVE = re.compile(r"[A-Za-z]:/")
_SECTION = re.compile(r'\[\s*([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]')
_INITIAL = re.compile(r"^0{40,64} ([0-9a-f]{40,64}) .*\tcommit \(initial\)")
_AMENDED = re.compile(r"^([0-9a-f]{40,64}) ([0-9a-f]{40,64}) .*\tcommit \(amend\)")
_BRANCH = "ref: refs/heads/"


@dataclass(frozen=True)
class Repository:
    """Where a repository's files lie. All worktrees of one share `common` and `root`, each has its own `place`."""

    root: str
    """The main work tree, or the directory of a repository without one."""
    common: str
    git_dir: str
    place: str


@dataclass(frozen=True)
class Project:
    """What a directory's own files tell of the project it belongs to."""

    root: str
    name: str
    """The root's last part: what people call it."""
    remote: str = ""
    commit: str = ""
    """The first commit, as far as the log of HEAD still has it."""
    common: str = ""
    """The repository's directory; empty where there is none."""
    place: str = ""
    """The work tree it was seen in, which may be another than the root."""

    @property
    def identity(self) -> str:
        """The strongest thing it is known by: its remote's address, its first commit, its path."""
        return f"remote:{self.remote}" if self.remote else f"commit:{self.commit}" if self.commit else f"path:{self.root}"


def project_at(place: str) -> Project | None:
    """The project a directory belongs to, also one that is gone; None for what is no path."""
    path = plain_path(place)
    if not path:
        return None
    found = find_repository(path) if path.startswith("/") else None
    if found is None:
        root = _WORKTREE.sub("", path) or path
        return Project(root, _name_of(root), place=root)
    above, inside, _ = found.common.partition("/.git/modules/")
    remote = read_remote(found)
    if inside and not remote:  # a part of a repository that came from nowhere belongs to the whole
        return project_at(above)
    return Project(found.root, _name_of(found.root), remote, read_first_commit(found), found.common, found.place)


def plain_path(place: str) -> str:
    """A working directory as a harness names it, with plain slashes; empty for what is none."""
    path = place.strip().replace("\\", "/")
    if any(ord(sign) < 32 or ord(sign) == 127 for sign in path):
        return ""
    if path.startswith("/"):
        return os.path.normpath(re.sub("^/+", "/", path))
    return path.rstrip("/") if _DRIVE.match(path) or "/" in path.strip("/") else path.strip("/")


def find_repository(place: str) -> Repository | None:
    """The repository around a directory, which may be gone; None when there is none."""
    try:
        folder = Path(os.path.realpath(place)) if Path(place).is_dir() else Path(place)
    except (OSError, ValueError):
        return None
    for above in (folder, *folder.parents)[:DEEPEST]:
        marker = above / ".git"
        try:
            mode = marker.stat().st_mode
        except (OSError, ValueError):
            continue
        if stat.S_ISDIR(mode):
            return Repository(str(above), str(marker), str(marker), str(above))
        if stat.S_ISREG(mode) and (found := _behind(marker, above)):
            return found
    return None


def read_branch(place: str) -> str:
    """The branch checked out around a directory; empty when there is none."""
    path = plain_path(place)
    found = find_repository(path) if path.startswith("/") else None
    text = read_plain(Path(found.git_dir) / "HEAD", POINTER_BYTES).strip() if found else ""
    return text.removeprefix(_BRANCH) if text.startswith(_BRANCH) else ""


def read_remote(found: Repository) -> str:
    """The address of `origin`, else of the only remote, in the one form of all that mean the same; else empty."""
    addresses: dict[str, str] = {}
    for section, name, key, content in read_config(Path(found.common) / "config"):
        if section == "remote" and key == "url" and content:
            addresses.setdefault(name, content)
    chosen = addresses.get("origin") or (next(iter(addresses.values())) if len(addresses) == 1 else "")
    return canonical_address(chosen, found.root) if chosen else ""


def read_first_commit(found: Repository) -> str:
    """The first commit as the log of HEAD tells it; empty where that no longer goes back so far."""
    lines = read_plain(Path(found.common) / "logs" / "HEAD", LOG_BYTES).split("\n")
    first = _INITIAL.match(lines[0])
    if first is None:
        return ""
    commit = first[1]
    for line in lines[1:]:
        amended = _AMENDED.match(line)
        if amended is None or amended[1] != commit:
            break
        commit = amended[2]
    return commit


def read_plain(path: Path, limit_bytes: int) -> str:
    """The beginning of a plain file; empty for whatever else stands there. Never waits."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY)
    except (OSError, ValueError):
        return ""
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return ""
        return os.read(descriptor, limit_bytes).decode("utf-8", "surrogateescape")
    except OSError:
        return ""
    finally:
        os.close(descriptor)


def read_config(path: Path) -> Iterator[tuple[str, str, str, str]]:
    """The settings in one of git's files: section, its name, key, value. Other files it includes are not read."""
    section = name = ""
    lines = iter(read_plain(path, LARGEST_CONFIG_BYTES).split("\n"))
    for line in lines:
        rest = line.strip()
        head = _SECTION.match(rest)
        if head:
            section, dot, tail = head[1].partition(".")
            name = re.sub(r"\\(.)", r"\1", head[2]) if head[2] is not None else tail if dot else ""
            section, rest = section.lower(), rest[head.end():].strip()
        if not rest or rest[0] in "#;[":
            continue
        while rest.endswith("\\") and not rest.endswith("\\\\"):
            rest = rest[:-1] + next(lines, "")
        key, _, raw = rest.partition("=")
        yield section, name, key.strip().lower(), _value(raw.strip())


def _value(raw: str) -> str:
    """A value without its quotes and without the comment behind it."""
    found, quoted, escaped = "", False, False
    for sign in raw:
        if escaped:
            found, escaped = found + {"n": "\n", "t": "\t"}.get(sign, sign), False
        elif sign == "\\":
            escaped = True
        elif sign == '"':
            quoted = not quoted
        elif sign in "#;" and not quoted:
            break
        else:
            found += sign
    return found.strip()


def _behind(marker: Path, folder: Path) -> Repository | None:
    """The repository a `.git` file points to: of a linked worktree the one that all of them share."""
    text = read_plain(marker, POINTER_BYTES)
    if not text.startswith("gitdir:") or "\x00" in text:
        return None
    git_dir = os.path.normpath(folder / text.removeprefix("gitdir:").strip())
    told = read_plain(Path(git_dir) / "commondir", POINTER_BYTES).strip()
    above, linked, _ = git_dir.rpartition("/worktrees/")
    if told and "\x00" not in told:
        common = Path(os.path.realpath(Path(git_dir) / told))
    elif linked and (above.endswith("/.git") or (Path(above) / "config").is_file()):
        common = Path(os.path.realpath(above))  # a worktree whose own record is gone still says whose it was
    else:
        return Repository(str(folder), os.path.realpath(git_dir), git_dir, str(folder))
    inside = common.name.startswith(".")  # `.git`, or a `.bare` with the worktrees beside it
    return Repository(str(common.parent if inside else common), str(common), git_dir, str(folder))


def _name_of(root: str) -> str:
    name = PurePosixPath(root).name
    name = name.removesuffix(".git") or name
    return "" if name in (".", "..") else name
