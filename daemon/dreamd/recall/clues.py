"""Whether what a memory names is still there: a clue that it may be out of date, never a verdict.

Only what can hardly be anything else is checked. Branches, `and/or`, routes of an interface and words in code format
that no shell would run look much like paths and commands, and a clue that cries wolf is worse than none.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

from dreamd.core.errors import DreamError
from dreamd.core.repositories.git import ask_git

PATH_MISSING = "path missing"
COMMAND_MISSING = "command missing"
SYMBOL_MISSING = "symbol missing"

MOST_ENTRIES = 5_000
DEEPEST = 4
GREP_S = 0.25
"""A large repository is not searched to its end while somebody waits for an answer."""
LONGEST_TEXT = 4_000

ENDINGS = (
    "py", "js", "ts", "tsx", "jsx", "mjs", "go", "rs", "c", "h", "cc", "cpp", "hpp", "java", "kt", "rb", "sh", "bash", "md",
    "rst", "txt", "toml", "yaml", "yml", "json", "jsonl", "cfg", "ini", "conf", "sql", "csv", "html", "css", "lock", "proto",
    "tf", "ipynb", "swift", "php")
_SLASHED = re.compile(r"(?<![\w/.:@#<-])(~/|/|\.{1,2}/)?((?:[\w.@+-]+/)+[\w.@+-]*[\w@+-]|[\w.@+-]*[\w@+-](?=/))(/?)(?![\w/:])")
_NAMED = re.compile(rf"(?<![\w/.:@-])([\w-]+\.(?:{'|'.join(ENDINGS)}))(?![\w/]|\.\w)")
_CODE = re.compile(r"`([^`\n]{1,200})`")
_RUNNING = re.compile(r"(?:\b(?:run|runs|running|call|use|with|by|via|execute|start|started|starts|type|invoke|through)"
                      r"|[:;(]|^)\s*$", re.IGNORECASE)
_COMMAND = re.compile(r"[a-z][a-z0-9_.+-]{1,30}")
_SYMBOL = re.compile(r"(?:[A-Za-z_]\w*[.:]{1,2})*([A-Za-z_]\w{3,80})\(\)")
_SKIPPED = frozenset({"node_modules", "target", "dist", "build", "__pycache__", "venv"})


def find_clue(text: str, directory: Path | None) -> str | None:
    """What a memory names that cannot be found here; None when all is there or nothing can be told."""
    text = text[:LONGEST_TEXT]
    directory = directory if directory is not None and directory.is_dir() else None  # what is elsewhere cannot be told
    if any(not there for _, there in look_for_paths(text, directory)):
        return PATH_MISSING
    if any(not _runs(word, directory) for word in _commands(text)):
        return COMMAND_MISSING
    return None


def look_for_paths(text: str, directory: Path | None, *,
                   names: Callable[[Path], frozenset[str] | None] | None = None) -> Iterator[tuple[str, bool]]:
    """Every path a text names, as seen from a directory, and whether it is there.

    `names` remembers `names_below` for whoever looks for many.
    """
    for path in _paths(text[:LONGEST_TEXT], directory):
        below = directory is not None and path.is_relative_to(directory)
        there = _is_there(path, directory, names or names_below)
        yield str(path.relative_to(directory) if directory is not None and below else path), there


def find_missing_symbols(texts: list[str], directory: Path) -> list[bool]:
    """For each text whether a function it names as `name()` is nowhere in the work tree; one search for all of them."""
    named = [set(_SYMBOL.findall(" ".join(_CODE.findall(text[:LONGEST_TEXT])))) for text in texts]
    wanted = sorted(set().union(*named)) if named else []
    there = _grep(wanted, directory) if wanted else set()
    return [there is not None and bool(names - there) for names in named]


def _paths(text: str, directory: Path | None) -> list[Path]:
    found: list[Path] = []
    for match in _SLASHED.finditer(text):
        root, name, slash = match.groups()
        path = _as_path(root or "", name, directory, folder=bool(slash))
        if path is not None:
            found.append(path)
    if directory is not None:
        found.extend(directory / name for name in _NAMED.findall(_SLASHED.sub(" ", text)))
    return found


def _as_path(root: str, name: str, directory: Path | None, *, folder: bool) -> Path | None:
    """The path a text means; None where the words could as well mean something else."""
    first = name.split("/")[0]
    if root == "~/":
        return Path(root + name).expanduser()
    if root == "/":
        # `/api/v1/users` is a route; `/etc/hosts` is a file because there is an `/etc`.
        return Path(root + name) if Path("/" + first).is_dir() and "/" in name else None
    if directory is None:
        return None
    sure = root.startswith(".") or name.rpartition(".")[2] in ENDINGS or (folder and "/" in name)
    return directory / (root + name) if sure or ("/" in name and (directory / first).is_dir()) else None


def _is_there(path: Path, directory: Path | None, names: Callable[[Path], frozenset[str] | None]) -> bool:
    try:
        if path.exists():
            return True
        if directory is None or path.parent != directory:
            return False
        below = names(directory)
        return below is None or path.name in below
    except (OSError, ValueError, RuntimeError):
        return True


def names_below(directory: Path) -> frozenset[str] | None:
    """The names of the files in a tree; None for one that is too large to be told."""
    seen, names = 0, set[str]()
    for here, folders, files in os.walk(directory):
        depth = len(Path(here).relative_to(directory).parts)
        folders[:] = [f for f in folders if f not in _SKIPPED and not f.startswith(".git")] if depth < DEEPEST else []
        seen += len(files) + len(folders)
        if seen > MOST_ENTRIES:
            return None
        names.update(files)
    return frozenset(names)


def _commands(text: str) -> list[str]:
    """First words of code that the sentence says is run, and that has something after it."""
    found = []
    for match in _CODE.finditer(text):
        first, _, rest = match[1].strip().partition(" ")
        told = _RUNNING.search(text[max(0, match.start() - 24):match.start()])
        if rest.strip() and told and _COMMAND.fullmatch(first) and "." not in first.strip("."):
            found.append(first)
    return found


def _runs(word: str, directory: Path | None) -> bool:
    if shutil.which(word) or word in _BUILT_IN:
        return True
    return directory is not None and any((directory / place / word).exists() for place in (".", "bin", "scripts", ".venv/bin"))


_BUILT_IN = frozenset({"cd", "source", "export", "alias", "eval", "exec", "set", "unset", "ulimit", "trap", "if", "for",
                       "while", "sudo", "select", "update", "insert", "delete", "create", "alter", "drop", "from", "import"})


def _grep(names: list[str], directory: Path) -> set[str] | None:
    """Those of the names that some tracked file has; None when it cannot be told in time."""
    words = [part for name in names for part in ("-e", name)]
    try:
        told = ask_git(directory, "grep", "-I", "-h", "-o", "-w", "-F", *words, timeout_s=GREP_S, thorough=False,
                       accepts=(0, 1))
    except DreamError:
        return None
    return set(told.split("\n"))
