"""What a document said in its earlier versions, where it stands in a git repository.

A document that is read for the first time, or again after several commits, has said more than its two ends show: which line
took which other's place is told by the commits between, and since when a line stands there by the first that has it.
Versions are never memories themselves; what was replaced before dream came was never heard.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from dreamd.core.repositories.commits import versions_of
from dreamd.core.values import EventKind, Speaker, content_id
from dreamd.dream.living.lineage import Files, Line
from dreamd.sources.base.contract import Adapter
from dreamd.sources.claude_code.memory_dir import Noted, NoteShape, read_version


@dataclass(frozen=True)
class Past:
    """The versions of a document since a commit: their lines by identity, and since when what the last one says stands."""

    commit: str = ""
    """The last one; empty where there is none."""
    versions: Sequence[Files] = ()
    lines: Mapping[str, Line] = field(default_factory=dict)
    since: Mapping[str, datetime] = field(default_factory=dict)
    """By the words of a line."""


def look_back(path: Path, adapter: Adapter, *, since: str) -> Past:
    """What became of a document since a commit, or as far back as its repository is looked at."""
    if not isinstance(adapter, Noted):
        return Past()
    shape: NoteShape = adapter.shape
    versions: list[Files] = []
    lines: dict[str, Line] = {}
    standing: dict[str, datetime] = {}
    commit = ""
    for version in versions_of(path, since=since):
        files: dict[str, tuple[str, ...]] = {}
        said: dict[str, datetime] = {}
        for name, events in read_version(version.files, shape, alone=path.name).items():
            noted = [e for e in events if e.kind is EventKind.NOTE and e.uid and e.speaker is not Speaker.INJECTED]
            files[content_id("file", name)] = tuple(e.uid for e in noted)
            lines.update((e.uid, Line(e.text, e.title)) for e in noted)
            said.update((e.text.strip(), standing.get(e.text.strip(), version.at)) for e in noted)
        versions.append(files)
        standing, commit = said, version.commit
    return Past(commit, versions, lines, standing)
