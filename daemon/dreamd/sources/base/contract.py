"""What every adapter promises, and the values that finding and reading sources share.

A reader never raises on what a file holds: what it cannot use becomes a `Skip` with a reason out of this module.
Every byte behind a cursor is covered by an event or by a skip, blank lines aside.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol

from dreamd.core.values import Cursor, Reading

LONGEST_LINE_BYTES = 4 * 1024 * 1024
"""A longer line is read in pieces, and what is no text in it is pressed out."""
SPLIT_LINES = 4
"""As many times that long a line may stay: its words are split into several statements. What is longer even so is skipped
with a record."""
MOST_PARTS = 64
"""Parts into which a long message is split: a million characters. Of a longer one the first and the last are kept, with a
record of the rest."""
LARGEST_DOCUMENT_BYTES = 64 * 1024 * 1024
"""Formats that are one document have to be held in memory; a larger file is skipped with a record."""
LARGEST_NOTE_FILE_BYTES = 4 * 1024 * 1024

BOOKKEEPING = "bookkeeping"
"""Lines the harness keeps for itself: progress, snapshots, titles."""
SIDECHAIN = "sub-agent"
THINKING = "thinking"
TOOL_CALL = "tool-call"
NO_TEXT = "no-text"
REPEATED = "repeated"
INJECTED = "injected"
WORDLESS = "refused-without-words"
UNMARKED = "unmarked-refusal"
"""A result in the words of a refusal that nothing beside it marks as one: whoever wrote it, it is a tool's output."""
POINTER = "pointer"
OWN_WRITING = "own-writing"
"""A diary or an export that dream wrote for a person."""
REWOUND = "rewound"
OTHER_AGENT = "scripted-run"
LOG_LINE = "log-line"
"""A line of a program's log: a night may learn from many, and none is a statement."""
COMPRESSED = "compressed"
"""Packed in a way this program cannot open; the words of it are read where they also stand unpacked."""
DAMAGED = "damaged-archive"
"""A packed file of which nothing can be read behind this place."""

CORRUPT = "corrupt-line"
CORRUPT_DOCUMENT = "corrupt-document"
OVERSIZED = "oversized"
REPLACED_BYTES = "encoding-replaced"
UNKNOWN = "unknown-type"
UNREADABLE = "unreadable"
MISSING = "missing"
SYMLINK = "symlink"
NOT_A_FILE = "not-a-file"

SPOILT = "damaged"
"""A file of notes, known before, that is empty now or holds what nobody types: it is read once it is whole again."""
FAILED = "set-aside"
"""Reading it raised something that nobody foresaw."""

ORDINARY = frozenset({
    BOOKKEEPING, SIDECHAIN, THINKING, TOOL_CALL, NO_TEXT, REPEATED, INJECTED, WORDLESS, UNMARKED, POINTER, OWN_WRITING, REWOUND,
    OTHER_AGENT, LOG_LINE,
})
"""Reasons that belong to a healthy file; any other reason deserves a word to the person."""

MEMORY_NAMES = ("memory", "memories")
"""Names of folders in which an agent keeps what it wants to know."""
NOTES_IN_A_FOLDER = "[!.]*/*.md"
"""Notes that an agent has sorted into folders, below such a folder."""
CURSOR_EDITORS = (".config/Cursor", "Library/Application Support/Cursor", "AppData/Roaming/Cursor")
"""Where Cursor keeps its store, on each platform, beside the folder of its agent."""
VSCODE_EDITORS = tuple(
    f"{place}/{name}/User" for place in (".config", "Library/Application Support", "AppData/Roaming")
    for name in ("Code", "Code - Insiders", "VSCodium")) + (".vscode-server/data/User", ".vscode-server-insiders/data/User")
"""Where VS Code keeps what belongs to a person, on each platform, and on a machine that is worked on from afar."""
CHAT_FOLDERS = ("workspaceStorage", "globalStorage/emptyWindowChatSessions")
"""Where VS Code keeps chats: for each folder that was opened, and for windows without one."""


def nothing_left_out(_path: Path) -> bool:
    """Leave nothing out."""
    return False


@dataclass(frozen=True)
class SourceRoots:
    """Where the harnesses of this machine keep their files; the caller knows the environment, this room does not."""

    claude_dirs: tuple[Path, ...] = ()
    codex_dirs: tuple[Path, ...] = ()
    gemini_dirs: tuple[Path, ...] = ()
    copilot_dirs: tuple[Path, ...] = ()
    opencode_dirs: tuple[Path, ...] = ()
    openclaw_dirs: tuple[Path, ...] = ()
    cursor_dirs: tuple[Path, ...] = ()
    hermes_dirs: tuple[Path, ...] = ()
    letta_dirs: tuple[Path, ...] = ()
    vscode_dirs: tuple[Path, ...] = ()
    """The `User` folders of VS Code and of editors made from it."""
    extra: tuple[Path, ...] = ()
    """Files and directories named in the settings or on the command line; looked at by content."""
    repositories: tuple[Path, ...] = ()
    """Work trees that are known, in which decisions may be recorded."""
    leave_out: Callable[[Path], bool] = nothing_left_out
    """Says of a path that it is not to be opened, whoever named it."""

    @property
    def places(self) -> tuple[Path, ...]:
        """Everything below which something is read, for whoever has to let a program in there."""
        editors = tuple(root.parent / place / "User" / "globalStorage" for root in self.cursor_dirs for place in CURSOR_EDITORS)
        chats = tuple(root / folder for root in self.vscode_dirs for folder in CHAT_FOLDERS)
        return (*self.claude_dirs, *self.codex_dirs, *self.gemini_dirs, *self.copilot_dirs, *self.opencode_dirs,
                *self.openclaw_dirs, *self.cursor_dirs, *editors, *self.hermes_dirs, *self.letta_dirs, *chats, *self.extra)


@dataclass(frozen=True)
class FoundSource:
    """One source on this machine. `project_key` names the project of its place for people."""

    path: Path
    kind: str
    project_key: str
    size_bytes: int
    modified_at: datetime | None
    place: str = ""
    """The working directory in the lines, or where the harness keeps it that it belongs; empty where nothing tells."""


@dataclass(frozen=True)
class Head:
    """What an adapter looks at before it says that a path is its own: the first bytes and the records in them."""

    path: Path
    is_dir: bool = False
    start: bytes = b""
    records: tuple[dict[str, object], ...] = ()
    """The first JSON objects, for files that are JSON lines."""
    keys: frozenset[str] = frozenset()
    """Keys at the top of a file that is one JSON document."""
    names: frozenset[str] = frozenset()
    """Names in a directory."""


class Adapter(Protocol):
    """Reads one format into events; opens files for reading only and keeps no state between calls."""

    @property
    def kind(self) -> str:
        """The format's name, as `dream sources` prints it."""

    def accepts(self, head: Head) -> bool:
        """Whether this looks like the adapter's format."""

    def read(self, path: Path, cursor: Cursor, *, budget_bytes: int) -> Reading:
        """Read what lies behind the cursor, at least one record and then no further than the budget."""
