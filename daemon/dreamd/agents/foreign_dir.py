"""An agent's own memory directory on disk: reading it, its agent's lock, replacing single files, one commit.

Nothing here decides anything. Every file is compared with what was read right before it is replaced, links are
never followed, and the agent's own lock file is looked at and never touched.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from dreamd.core import fsio
from dreamd.core.errors import DreamError, Locked, Refused
from dreamd.core.repositories.git import ask_git

LARGEST_FILE_BYTES = 1024 * 1024
MOST_FILES = 5_000
DEEPEST = 4
AGENT_LOCK = ".consolidate-lock"
AGENT_LOCK_LASTS = timedelta(hours=1)
"""After this long the agent itself takes its lock for abandoned: a process id may have been reused."""
INSTRUCTION_FILES = ("CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "AGENTS.override.md", "GEMINI.md", "copilot-instructions.md")
"""As harnesses spell them: a directory of thousands of files is not listed for them."""
BESIDE = (".claude", ".github")
"""Where an owner's instructions also lie, beside the root of a work tree."""
HIGHEST = 6
"""How many directories above one belong to its work tree at most."""
KEPT_OUT = "take it out there if dream may keep it in order, or `dream detach` it"


@dataclass(frozen=True)
class ForeignFiles:
    """The markdown of a directory by name, decoded so that it encodes back to the same bytes."""

    root: Path
    texts: Mapping[str, str] = field(default_factory=dict)
    modes: Mapping[str, int] = field(default_factory=dict)
    present: frozenset[str] = frozenset()
    """What is there and was not read: links, folders (with a `/` behind) that nothing was looked for in, what is no plain
    file or too large, and what a person keeps from being read."""

    def sha(self, name: str) -> str | None:
        """The sha256 of a file as read; None for one that was not there."""
        text = self.texts.get(name)
        return None if text is None else fsio.sha256_bytes(encode(text))


def encode(text: str) -> bytes:
    """The bytes of a text that `read_foreign` decoded."""
    return text.encode("utf-8", "surrogateescape")


def decode(body: bytes) -> str:
    """Text that encodes back to the same bytes, whatever they are."""
    return body.decode("utf-8", "surrogateescape")


def find_root(directory: Path, home: Path, leave_out: Callable[[Path], bool]) -> Path:
    """The directory that is meant.

    Raises Refused for a link, for a place that overlaps dream's own home, and for what a person keeps from being read.
    """
    if directory.is_symlink():
        raise Refused(f"`{directory}` is a link", hint=f"name `{directory.resolve()}` itself")
    root, home = directory.resolve(), home.resolve()
    if root == home or home in root.parents or root in home.parents:
        raise Refused(f"`{root}` and dream's own home overlap", hint="attach an agent's memory directory")
    if leave_out(directory.absolute()) or leave_out(root):
        raise Refused(f"`{root}` is kept from being read, by `sources.exclude` or a `.dreamignore`", hint=KEPT_OUT)
    return root


def read_foreign(root: Path, leave_out: Callable[[Path], bool] = lambda _path: False) -> ForeignFiles:
    """Read the markdown below a directory, but what is to be left out: that is there, and is not opened.

    Raises Refused for a link or another user's directory, and for an index that cannot be read as a plain file.
    """
    try:
        facts = root.stat(follow_symlinks=False)
    except FileNotFoundError:
        raise DreamError(f"there is no directory `{root}`", hint="`dream sources` lists what was found here") from None
    if not stat.S_ISDIR(facts.st_mode) or facts.st_uid != os.geteuid():
        raise Refused(f"`{root}` is a link, no directory, or another user's", hint="name the directory itself")
    if not os.access(root, os.R_OK | os.X_OK):
        raise Refused(f"`{root}` may not be read")
    texts: dict[str, str] = {}
    modes: dict[str, int] = {}
    present: set[str] = set()
    for count, (path, is_closed) in enumerate(_walk(root, DEEPEST)):
        if count >= MOST_FILES:
            raise Refused(f"more than {MOST_FILES} files below `{root}`", hint="name the memory directory itself")
        name = path.relative_to(root).as_posix()
        if is_closed:
            present.add(f"{name}/")
            continue
        if leave_out(path):
            if name.lower() == "memory.md":
                raise Refused(f"`{path}` is kept from being read, by `sources.exclude` or a `.dreamignore`", hint=KEPT_OUT)
            present.add(name)
            continue
        try:
            body = fsio.read_bytes(path, limit_bytes=LARGEST_FILE_BYTES)
        except (DreamError, FileNotFoundError) as error:
            if name.lower() == "memory.md":
                reason = error.message if isinstance(error, DreamError) else f"`{name}` went away"
                raise Refused(reason, hint="dream keeps an index in order only where it is a plain file") from None
            present.add(name)
            continue
        texts[name] = decode(body)
        modes[name] = stat.S_IMODE(path.stat(follow_symlinks=False).st_mode)
    return ForeignFiles(root, texts, modes, frozenset(present))


def check_agent_lock(root: Path, now: datetime) -> None:
    """Keep away while the agent itself consolidates.

    Raises Locked when its lock is younger than an hour and its process lives, or when that cannot be told.
    """
    path = root / AGENT_LOCK
    try:
        facts = path.stat(follow_symlinks=False)
        body = fsio.read_bytes(path, limit_bytes=4_096) if stat.S_ISREG(facts.st_mode) else b""
    except (FileNotFoundError, NotADirectoryError):
        return
    taken_at = datetime.fromtimestamp(facts.st_mtime, UTC)
    if now - taken_at > AGENT_LOCK_LASTS:
        return
    word = body.split(b"\n", 1)[0].strip()
    if word.isdigit() and len(word) < 10 and not _is_alive(int(word)):
        return
    raise Locked(f"the agent itself is at work in `{root}`", hint="try again when it is done, an hour at most")


def replace_file(root: Path, name: str, *, body: bytes | None, base_sha: str | None, mode: int = 0o600) -> bool:
    """Bring one file to `body` (None: away) if it still is what it was; False when somebody was quicker.

    A file that already is as wanted is fine: an interrupted run may have got there first.
    """
    path = _inside(root, name)
    present = sha_of(root, name)
    wanted = None if body is None else fsio.sha256_bytes(body)
    if present not in (wanted, base_sha):
        return False
    if body is None:
        fsio.remove(path)
        return True
    if present != wanted:
        fsio.write_atomic(path, body)
    # written private first; an agent of another tool may rely on the mode its file had
    path.chmod(mode)
    return True


def sha_of(root: Path, name: str) -> str | None:
    """The sha256 of a file as it is now; None when it is not there, something no file has when it is unreadable."""
    try:
        return fsio.sha256_bytes(fsio.read_bytes(_inside(root, name), limit_bytes=LARGEST_FILE_BYTES))
    except FileNotFoundError:
        return None
    except DreamError:
        return "unreadable"


def bytes_of(root: Path, name: str) -> bytes | None:
    """A file as it is now; None when it is not there or cannot be read."""
    try:
        return fsio.read_bytes(_inside(root, name), limit_bytes=LARGEST_FILE_BYTES)
    except (FileNotFoundError, DreamError):
        return None


def find_instruction_files(root: Path) -> list[Path]:
    """The instruction files in a directory, and those of the work tree it lies in."""
    folders = [root]
    if any((above / ".git").exists() for above in [root, *root.parents][:HIGHEST]):
        for above in root.parents[:HIGHEST]:
            if (folders[-1] / ".git").exists():
                break
            folders.append(above)
        folders += [folders[-1] / name for name in BESIDE]
    found = (folder / name for folder in dict.fromkeys(folders) for name in INSTRUCTION_FILES)
    return [path for path in found if not path.is_symlink() and path.is_file()]


def sweep(root: Path) -> None:
    """Remove temporary files that a killed run of ours left there."""
    for leftover in list(fsio.list_temporaries(root)):
        fsio.remove(leftover)


def why_not_commit(root: Path, names: Sequence[str]) -> str:
    """Why a commit of these files would not be ours alone, or not without a program of the repository; empty when it would."""
    try:
        if ask_git(root, "rev-parse", "--is-inside-work-tree").strip() != "true":
            return "not a git work tree"
        told = ask_git(root, "check-attr", "-z", "filter", "--", *names).split("\x00")
        if any(filtered not in ("unspecified", "unset") for filtered in told[2::3]):
            return "the repository has a filter for these files, and dream runs none of its programs"
        if ask_git(root, "status", "--porcelain", "--ignore-submodules=all", "--", *names).strip():
            return "the files have changes that are not committed yet"
    except DreamError as error:
        return error.message
    return ""


def commit(root: Path, names: Sequence[str], *, message: str) -> str:
    """Commit exactly these files; the commit's id. Nothing that the repository names is run: no hook, filter or signing.

    Raises DreamError with git's own first line when it will not.
    """
    ask_git(root, "add", "--all", "--", *names)
    ask_git(root, "commit", "--quiet", "--no-verify", "--no-gpg-sign", "--no-status", "--only", "--message", message,
            "--", *names)
    return ask_git(root, "rev-parse", "HEAD").strip()


def try_commit(root: Path, names: Sequence[str], blocked: str, *, message: str) -> tuple[str, str]:
    """Commit unless something stands against it: the commit's id, and what stood against it."""
    try:
        return ("", blocked) if blocked else (commit(root, names, message=message), "")
    except DreamError as error:
        return "", error.message


def _walk(directory: Path, depth: int) -> Iterator[tuple[Path, bool]]:
    """What is called markdown below a directory, whatever it is; True with a folder that is not looked into."""
    for path in sorted(directory.iterdir()):
        if path.name.lower().endswith(".md"):
            yield path, False
        if not path.is_dir():
            continue
        if depth and not (path.name.startswith(".") or path.is_symlink()) and os.access(path, os.R_OK | os.X_OK):
            yield from _walk(path, depth - 1)
        else:
            yield path, True


def _inside(root: Path, name: str) -> Path:
    if not name or name.startswith("/") or ".." in name.split("/"):
        raise DreamError(f"`{name}` is no file inside `{root}`")
    path = root / name
    for parent in list(path.relative_to(root).parents)[:-1]:
        if (root / parent).is_symlink():
            raise Refused(f"`{root / parent}` is a link", hint="replace the link by a directory")
    return path


def _is_alive(pid: int) -> bool:
    with suppress(PermissionError):
        try:
            os.kill(pid, 0)
        except (ProcessLookupError, OverflowError):
            return False
    return True
