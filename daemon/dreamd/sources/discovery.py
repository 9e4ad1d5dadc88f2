"""Listing the sources of a machine, harness by harness."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from dreamd.core.errors import concerns_all
from dreamd.core.repositories.repository import find_repository
from dreamd.core.values import LONGEST_SCOPE_KEY
from dreamd.sources.base.contract import CHAT_FOLDERS, CURSOR_EDITORS, MEMORY_NAMES, NOTES_IN_A_FOLDER, FoundSource, SourceRoots
from dreamd.sources.base.finding import cwd_in, files_below, project_key_of
from dreamd.sources.base.opening import Unopened, read_start
from dreamd.sources.base.stores import is_store
from dreamd.sources.base.tolerant import moment
from dreamd.sources.base.unpacking import PACKED, is_twin, plain_name
from dreamd.sources.copilot.copilot_cli import surroundings_beside
from dreamd.sources.decisions.decision_folder import KIND as DECISIONS
from dreamd.sources.decisions.record_folders import folders_below, holds_log, is_all_records, place_of
from dreamd.sources.letta.letta_talk import TALK_NAME
from dreamd.sources.logs.log_files import ENDINGS as LOGS
from dreamd.sources.logs.log_files import has_parent
from dreamd.sources.vscode.vscode_chats import CHATS_FOLDER, workspace_of

_START_BYTES = 64 * 1024
_EXTRA_ENDINGS = (".jsonl", ".json", ".md", ".db", ".sqlite", ".vscdb", ".txt", PACKED, *LOGS)
_PAGES = (".md", ".txt", *LOGS)
_RESET = ".jsonl.reset."
"""In the name of a file that OpenClaw put away when its session began anew."""

_WORKSPACE = re.compile(r'Workspace Path: ([^\n<\\"]{1,1000})')
"""As it stands in a line of JSON, where a line break is two signs."""

MEMORY_DIR = "memory-dir"
UNRECOGNISED = "unrecognised"
"""Kind of a path over which telling the kinds apart failed."""

Recognise = Callable[[Path], str]
"""Gives the kind of a path, or nothing."""
LeaveOut = Callable[[Path], bool]
"""Says of a path that it is not to be opened."""


def discover_in(roots: SourceRoots, recognise: Recognise) -> list[FoundSource]:
    """Every source below the given roots, each once, in a stable order. Nothing unreadable stops the rest."""
    found: dict[Path, FoundSource] = {}
    for path, place in _candidates(roots):
        if path not in found and not roots.leave_out(path):
            # A page that somebody names is read as notes, whatever it is called and however it begins.
            named = MEMORY_DIR if path in roots.extra and path.suffix == ".md" and path.is_file() else ""
            named = DECISIONS if path.is_dir() and place and not _has_index(path) else named
            source = _describe(path, place=place, recognise=recognise, else_kind=named)
            if source:
                found[path] = source
    return sorted(found.values(), key=lambda source: (source.kind, str(source.path)))


def _candidates(roots: SourceRoots) -> Iterator[tuple[Path, str]]:
    """Paths worth a look, with their place where only their surroundings tell it."""
    for root in roots.claude_dirs:
        yield from _claude(root, roots.leave_out)
    for root in roots.codex_dirs:
        for place in ("sessions", "archived_sessions"):
            yield from _plain(_once(files_below(root / place, endings=(".jsonl", ".jsonl" + PACKED))))
        yield root / "memories", ""
    for root in roots.gemini_dirs:
        for project in _folders(root / "tmp"):
            yield from _newest_form(files_below(project / "chats", endings=(".jsonl", ".json"), deepest=0))
            if (project / "memory").is_dir():
                yield project / "memory", _gemini_place(project)
    for root in roots.copilot_dirs:
        yield from _plain(files_below(root / "session-state", endings=(".jsonl",), deepest=1))
    yield from _plain(stores_in(roots))
    for root in roots.opencode_dirs:
        yield root / "storage", ""
    for root in roots.openclaw_dirs:
        yield from _openclaw(root / "agents")
        if not (root / "agents").is_dir():
            yield root, ""  # a workspace that lies elsewhere
        yield from ((folder, "") for folder in _folders(root) if folder.name.startswith("workspace"))
    for root in roots.cursor_dirs:
        for project in _folders(root / "projects"):
            yield from _cursor(project / "agent-transcripts")
    for root in roots.hermes_dirs:
        for profile in (root, *_folders(root / "profiles")):
            yield from _plain(files_below(profile / "memories", endings=(".md",), deepest=0))
            yield from _plain(files_below(profile / "sessions", endings=(".jsonl", ".json"), deepest=0))
    for root in roots.letta_dirs:
        for place in ("agents", "memfs", "lc-local-backend/memfs"):
            yield from ((agent / "memory", "") for agent in _folders(root / place))
        for place in ("conversations", "lc-local-backend/conversations"):
            yield from _plain(files_below(root / place, endings=(TALK_NAME,), deepest=1))
    for root in roots.vscode_dirs:
        opened = _folders(root / CHAT_FOLDERS[0])
        for folder in (*(place / CHATS_FOLDER for place in opened), root / CHAT_FOLDERS[1]):
            yield from _newest_form(files_below(folder, endings=(".jsonl", ".json"), deepest=0))
    for root in roots.repositories:
        yield from _decisions(root, roots.leave_out)
    for path in roots.extra:
        yield from _extra(path, roots.leave_out)


def stores_in(roots: SourceRoots) -> Iterator[Path]:
    """Where the harnesses that keep conversations in databases have theirs."""
    for root in roots.opencode_dirs:
        yield from files_below(root, endings=(".db",), deepest=0)
    for root in roots.openclaw_dirs:
        for agent in _folders(root / "agents"):
            yield from files_below(agent / "agent", endings=(".sqlite",), deepest=0)
    for root in roots.cursor_dirs:
        yield from files_below(root / "chats", endings=(".db",), deepest=2)
        yield from (root.parent / place / "User" / "globalStorage" / "state.vscdb" for place in CURSOR_EDITORS)
    for root in roots.hermes_dirs:
        yield from (profile / "state.db" for profile in (root, *_folders(root / "profiles")))
    yield from (path for path in roots.extra if is_store(path))


def _openclaw(agents: Path) -> Iterator[tuple[Path, str]]:
    """Sessions of each agent that are files: those of older versions, and what was put away when one began anew."""
    for path in _once(files_below(agents, endings=("",))):
        if path.suffix == ".jsonl" or _RESET in path.name:
            yield path, ""


def _once(paths: Iterator[Path]) -> Iterator[Path]:
    """Files, without the archive of one that is still there."""
    return (path for path in paths if not is_twin(path))


def _cursor(transcripts: Path) -> Iterator[tuple[Path, str]]:
    """Transcripts of an agent, none of its sub-agents'; the flat text of older versions only without a newer form."""
    for path in files_below(transcripts, endings=(".jsonl", ".txt")):
        if path.parent.name == "subagents":
            continue
        if path.suffix != ".txt" or not (path.with_suffix("").is_dir() or path.with_suffix(".jsonl").exists()):
            yield path, ""


def _newest_form(paths: Iterator[Path]) -> Iterator[tuple[Path, str]]:
    """Chats, each once: the journal where the document it was made from is still there."""
    for path in paths:
        if path.suffix != ".json" or not path.with_suffix(".jsonl").exists():
            yield path, ""


def _claude(root: Path, leave_out: LeaveOut) -> Iterator[tuple[Path, str]]:
    for project in _folders(root / "projects"):
        yield from _plain(files_below(project, endings=(".jsonl",), deepest=0))
        if (project / "memory").is_dir() and not leave_out(project / "memory"):
            yield project / "memory", _memory_place(project / "memory", leave_out)
    for agent in _folders(root / "agent-memory"):
        yield agent, ""


def _extra(path: Path, leave_out: LeaveOut) -> Iterator[tuple[Path, str]]:
    if not path.is_dir():
        yield path, _around(path)
        return
    memories = [folder for folder in (path, path / ".claude" / "memory", path / "memory")
                if (_has_index(folder) or folder == path and path.name in MEMORY_NAMES and (
                    any(path.glob("*.md")) or any(path.glob(NOTES_IN_A_FOLDER)))) and not leave_out(folder)]
    yield from ((folder, _memory_place(folder, leave_out)) for folder in memories)
    if path in memories:
        return
    decided = list(_decisions(path, leave_out, thorough=True))
    yield from decided
    for place in _once(files_below(path, endings=_EXTRA_ENDINGS)):
        if place.name == "MEMORY.md" and not leave_out(place.parent):
            yield place.parent, _memory_place(place.parent, leave_out)
        elif place.suffix in LOGS and has_parent(place):
            continue
        elif "subagents" not in place.parts and not any(place.is_relative_to(folder) for folder, _ in decided) and not any(
                _has_index(parent) for parent in place.parents if parent.is_relative_to(path)):
            yield place, _around(place)


def _decisions(root: Path, leave_out: LeaveOut, *, thorough: bool = False) -> Iterator[tuple[Path, str]]:
    """The folders of a tree in which decisions are recorded."""
    found = folders_below(root, thorough=thorough)
    if thorough and not found and is_all_records(root):
        found = [root]
    yield from ((folder, place_of(folder)) for folder in found if not leave_out(folder))


def _around(path: Path) -> str:
    """The repository that a page lies in; conversations say themselves where they were held."""
    if holds_log(path):
        return place_of(path)
    found = find_repository(str(path.absolute().parent)) if path.suffix in _PAGES else None
    return found.place if found else ""


def _has_index(folder: Path) -> bool:
    return (folder / "MEMORY.md").is_file()


def _memory_place(folder: Path, leave_out: LeaveOut) -> str:
    """The place of a memory directory: from the transcripts beside it, else where it lies itself."""
    for path in list(files_below(folder.parent, endings=(".jsonl",), deepest=0))[-3:]:
        if not leave_out(path) and (place := _place_in(path)):
            return place
    if folder.parent.name == ".claude":
        return str(folder.parent.parent.absolute())
    whole = folder.name in MEMORY_NAMES or (folder.parent / ".git").exists()
    return str((folder.parent if whole else folder).absolute())


def _plain(paths: Iterator[Path]) -> Iterator[tuple[Path, str]]:
    for path in paths:
        yield path, ""


def _folders(root: Path) -> list[Path]:
    try:
        return sorted(Path(entry.path) for entry in os.scandir(root) if entry.is_dir())
    except OSError:  # not there, or not ours to read: nothing to find
        return []


def _place_in(path: Path) -> str:
    try:
        return cwd_in(read_start(path, _START_BYTES))
    except Unopened:
        return ""


def _describe(path: Path, *, place: str, recognise: Recognise, else_kind: str = "") -> FoundSource | None:
    try:
        kind = recognise(path) or else_kind
    except Exception as error:  # one path nobody foresaw does not hide all the others
        if concerns_all(error):
            raise
        kind = UNRECOGNISED  # whoever reads it comes upon the same, and can say so
    if not kind:
        return None
    try:
        status = path.stat()
        size = sum(entry.stat().st_size for entry in os.scandir(path)) if path.is_dir() else status.st_size
    except OSError:
        return None
    if not place and not path.is_dir():
        place = _place_around(path) or (_place_in(path) if plain_name(path).suffix in (".json", ".jsonl") else "")
        place = place or (surroundings_beside(path)[0] if path.name == "events.jsonl" else "")
    return FoundSource(path, kind, project_key_of(place), size, moment(status.st_mtime), place)


def _place_around(path: Path) -> str:
    """The place of formats whose lines do not name a directory, from the files around them."""
    parents = path.absolute().parents
    if len(parents) > 2 and parents[1].name == ".specstory":
        return str(parents[2])
    if "agent-transcripts" in path.parts:
        return _cursor_place(path)
    if path.parent.name == CHATS_FOLDER:
        return workspace_of(path)
    return _gemini_place(path.parent.parent) if path.parent.name == "chats" else ""


def _gemini_place(project: Path) -> str:
    try:
        named = read_start(project / ".project_root", 4096)
        return named.decode("utf-8", "replace").strip()
    except Unopened:  # older builds do not write it
        return ""


def _cursor_place(path: Path) -> str:
    """The place of a Cursor transcript: the workspace it names, else the folder's own name, kept to itself."""
    try:
        named = _WORKSPACE.search(read_start(path, _START_BYTES).decode("utf-8", "replace"))
    except Unopened:
        named = None
    if named:
        return named[1].strip()
    return path.parts[path.parts.index("agent-transcripts") - 1][:LONGEST_SCOPE_KEY]
