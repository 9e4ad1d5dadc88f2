"""Where a repository keeps the records of its decisions: folders and pages known by name, and those that a setting names."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path, PurePosixPath

from dreamd.core.repositories.repository import find_repository
from dreamd.sources.base.finding import files_below
from dreamd.sources.base.opening import Unopened, read_start
from dreamd.sources.decisions.decision_log import read_log
from dreamd.sources.decisions.record_reading import is_beside, is_record

PAGES = (".md", ".markdown", ".mdx", ".adoc", ".asciidoc", ".rst", ".org", ".txt")
LARGEST_PAGE_BYTES = 512 * 1024
MOST_PAGES = 5_000
_NAMES = re.compile(r"(?i)(?:adrs?|madrs?|decisions?|décisions|decisiones|decisioni|decisões|entscheidungen"
                    r"|decision[-_ ]?(?:records?|log)"
                    r"|(?:architecture|architectural|technical|design)[-_ ]?decisions?(?:[-_ ]?records?)?)")
_ABOVE = re.compile(r"(?i)docs?|documentation|documents|design|architecture|arch|engineering"
                    r"|contributing|content|website|site|wiki|pages|meta")
_PARTS = frozenset({"packages", "apps", "services", "libs", "modules", "projects", "components", "crates", "src"})
_POINTERS = (".adr-dir", ".log4brains.yml", ".adr.json", "adr.config.json", ".adr-config.yaml")
_POINTED = re.compile(r"""(?im)^\s*-?\s*"?(?:adrFolder|path|directory|adr_dir|adrs)"?\s*:\s*["']?([^"'\n,]+)""")
_PAGE = re.compile(r"(?i)adr[-_ ]?\d{1,5}\D")
_LOOKED_AT = 40
_DEEPEST = 4


def folders_below(root: Path, *, thorough: bool = False) -> list[Path]:
    """The folders and logs of records in a tree, none inside another; `thorough` looks behind names that are not usual too."""
    found: dict[Path, None] = {}
    pointed = list(_pointed(root))
    for folder in (*pointed, *_named(root, thorough=thorough, deep=0)):
        if not any(folder == other or folder.is_relative_to(other) for other in found) and holds_records(folder):
            found[folder] = None
    return sorted(found)


def holds_records(folder: Path) -> bool:
    """Whether it is a log, or any of its first pages a record of a decision that lies in no folder of records inside it."""
    if holds_log(folder):
        return True
    pages = (page for page in pages_of(folder) if not is_beside(PurePosixPath(page)) and not any(
        _NAMES.fullmatch(part) for part in PurePosixPath(page).parts[:-1]))
    return any(_reads(folder, page) for page in islice(pages, _LOOKED_AT))


def is_all_records(folder: Path) -> bool:
    """Whether a folder of any name holds records and little else."""
    pages = [page for page in pages_of(folder) if not is_beside(PurePosixPath(page))][:_LOOKED_AT]
    return bool(pages) and 2 * sum(_reads(folder, page) for page in pages) > len(pages)


def pages_of(folder: Path) -> list[str]:
    """The pages below a folder, by their path from there; a log is the one page of its own."""
    if is_log(folder):
        return [folder.name]
    below = files_below(folder, endings=PAGES, deepest=_DEEPEST)
    names = (path.relative_to(folder) for path in islice(below, MOST_PAGES))
    return sorted(name.as_posix() for name in names if not any(part.startswith((".", "node_modules")) for part in name.parts))


def place_of(folder: Path) -> str:
    """The project a folder of records belongs to: its repository, else what lies above the folders known by name."""
    found = find_repository(str(folder.absolute()))
    if found:
        return found.place
    place = folder.absolute().parent if is_log(folder) else folder.absolute()
    place = place.parent if _NAMES.fullmatch(place.name) else place
    while len(place.parts) > 2 and _ABOVE.fullmatch(place.name):
        place = place.parent
    return str(place)


def is_log(path: Path) -> bool:
    """Whether a page is called as one that holds many decisions, and is none of an agent's memory."""
    named = path.suffix in PAGES and _NAMES.fullmatch(path.stem) is not None
    return named and path.is_file() and not (path.parent / "MEMORY.md").is_file()


def holds_log(path: Path) -> bool:
    """Whether a page holds many decisions."""
    return is_log(path) and bool(read_log(path.name, _text_of(path)))


def _reads(folder: Path, page: str) -> bool:
    return is_record(page, _text_of(folder / page))


def _text_of(page: Path) -> str:
    try:
        return read_start(page, LARGEST_PAGE_BYTES).decode("utf-8", "replace").removeprefix("\ufeff")
    except Unopened:
        return ""


def _pointed(root: Path) -> Iterator[Path]:
    """Folders that the files of the usual tools name, where they lie inside the tree."""
    top = root.resolve()
    for name in _POINTERS:
        try:
            told = read_start(root / name, 4096).decode("utf-8", "replace")
        except Unopened:
            continue
        for line in [told.strip()] if name == ".adr-dir" else _POINTED.findall(told):
            folder = (root / line.strip()).resolve() if line.strip() and "\0" not in line else top
            if folder != top and folder.is_relative_to(top) and folder.is_dir():
                yield root / folder.relative_to(top)


def _named(folder: Path, *, thorough: bool, deep: int) -> Iterator[Path]:
    if deep > (2 * _DEEPEST if thorough else _DEEPEST + 2):  # packages/NAME/docs/architecture/decisions
        return
    try:
        inside = sorted((entry.name, entry.is_dir(follow_symlinks=False)) for entry in os.scandir(folder))
    except OSError:  # not there, or not ours to read
        return
    if _NAMES.fullmatch(folder.name) or any(not is_dir and _PAGE.match(name) for name, is_dir in inside):
        yield folder
    yield from (folder / name for name, is_dir in inside if not is_dir and is_log(folder / name))
    if thorough and deep and any(name in _POINTERS for name, _ in inside):
        yield from _pointed(folder)
    for name in (name for name, is_dir in inside if is_dir):
        if name.startswith(".") or name in ("node_modules", "vendor", "venv"):
            continue
        part = folder.name in _PARTS
        if thorough or _NAMES.fullmatch(name) or _ABOVE.fullmatch(name) or name in _PARTS or part:
            yield from _named(folder / name, thorough=thorough, deep=deep + 1)
