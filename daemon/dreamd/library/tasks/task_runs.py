"""Which tasks there are on this machine, and what the ends of their phases moved: for undo, and for forgetting.

One file a task below the home, made by the first end of a phase.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict
from functools import reduce
from pathlib import Path

from dreamd.core import fsio
from dreamd.core.errors import StoreMissing
from dreamd.core.paths import Paths
from dreamd.library.line_log import read_row
from dreamd.library.tasks.course import PhaseEnd
from dreamd.library.tasks.task_folder import Folder, Item, mark
from dreamd.store.observations import plain_words

PLACE = "tasks"
FORGOTTEN = "…"
Says = Callable[[str], bool]


def remember(paths: Paths, folder: Folder) -> None:
    """Know where a task lies."""
    if not _file(paths, folder.id).exists():
        _write(paths, folder.id, {"root": str(folder.root), "slug": folder.slug, "runs": {}})


def load_folders(paths: Paths) -> list[Folder]:
    """Where the tasks lie that are known on this machine."""
    rows = [_read(paths, place.stem) for place in sorted((paths.home / PLACE).glob("*.json"))]
    return [Folder(Path(str(row["root"])), str(row["slug"])) for row in rows if "root" in row and "slug" in row]


def record(paths: Paths, folder: Folder, run: str, end: PhaseEnd) -> None:
    """Keep what a run is about to do in a task's folder."""
    remember(paths, folder)
    row = _read(paths, folder.id)
    runs = row["runs"]
    assert isinstance(runs, dict)
    runs[run] = asdict(end)
    _write(paths, folder.id, row)


def load(paths: Paths, task: str, run: str) -> tuple[Folder, PhaseEnd]:
    """The task and what a run did there.

    Raises StoreMissing where nothing is known of it.
    """
    row = _read(paths, task)
    runs = row["runs"]
    if not isinstance(runs, dict) or run not in runs:
        raise StoreMissing("nothing is known of what that run did to its task")
    end = runs[run]
    drop, add = (tuple((str(heading), str(line)) for heading, line in end[name]) for name in ("drop", "add"))
    return Folder(Path(str(row["root"])), str(row["slug"])), PhaseEnd(
        str(end["report"]), str(end["body"]), tuple(Item(**item) for item in end["findings"]), drop, add,
        str(end["action"]), str(end["name"]))


def find_lines(paths: Paths, words: Sequence[str]) -> list[dict[str, object]]:
    """The lines of every task that have all of some words."""
    says = _saying((), words)
    return [{"task": folder.slug, "line": line} for folder in load_folders(paths) for path in _pages(folder)
            for line in fsio.read_bytes(path).decode("utf-8", "replace").splitlines() if says(line)]


def forget(paths: Paths, statements: Sequence[str], words: Sequence[str] = ()) -> list[str]:
    """Take the lines out of every task that say any statement, or have all of some words.

    Gives the files where a person's own line still does.
    """
    says, left = _saying(statements, words), list[str]()
    for place in sorted((paths.home / PLACE).glob("*.json")):
        row = _read(paths, place.stem)
        folder = Folder(Path(str(row["root"])), str(row["slug"]))
        runs = row["runs"] if isinstance(row["runs"], dict) else {}
        kept = {run: _without(end, says) for run, end in runs.items()}
        if kept != runs:
            _write(paths, place.stem, {**row, "runs": kept})
        events = folder.events()
        begun = [told for event in events if event.get("action") == "start"
                 for told in (event.get("detail", ""), event.get("reason", "")) if says(told)]
        wrote = {one for event in events for one in event.get("wrote", "").split()}
        for path in [*_pages(folder), *([folder.log] if folder.log.is_file() else [])]:
            left += _forget_in(path, says, begun, folder.slug, wrote)
    return left


def _pages(folder: Folder) -> list[Path]:
    return sorted(folder.root.rglob("*.md")) if folder.root.is_dir() else []


def _forget_in(path: Path, says: Says, begun: Sequence[str], slug: str, wrote: Collection[str]) -> list[str]:
    """One file without what dream wrote there of it; the title and objective of a task give way to its name."""
    lines = fsio.read_bytes(path).decode("utf-8", "replace").splitlines()
    kept: list[str] = []
    for line in lines:
        if not says(line):
            kept.append(line)
        elif line.startswith("{"):
            kept.append(_unsaid(line))  # that something happened stays: the phases are counted by it
        elif line.startswith(("# ", "Of ")) or line in begun:
            kept.append(reduce(lambda told, words: told.replace(words, slug), begun, line))
        elif not (line.startswith("- **") or path.parent.name == "phases" or mark(line) in wrote):
            kept.append(line)
    if kept != lines:
        fsio.write_atomic(path, ("\n".join(kept) + "\n").encode())
    return [str(path)] if any(map(says, kept)) else []


def _unsaid(line: str) -> str:
    row = read_row(line.encode())
    return json.dumps({**row, "detail": FORGOTTEN, "reason": ""}, ensure_ascii=False) if row else ""


def _without(end: dict[str, object], says: Says) -> dict[str, object]:
    """What a run did, without the lines that say something."""
    lists = {name: [one for one in rows if not says(json.dumps(one, ensure_ascii=False))]
             for name, rows in end.items() if isinstance(rows, list | tuple)}
    body = "".join(f"{line}\n" for line in str(end["body"]).splitlines() if not says(line))
    return {**end, **lists, "body": body, "name": FORGOTTEN if says(str(end["name"])) else end["name"]}


def _saying(statements: Sequence[str], words: Sequence[str]) -> Says:
    """Whether a line says any statement, or has all of some words."""
    wanted = [told for told in map(plain_words, statements) if told]

    def says(line: str) -> bool:
        plain = plain_words(line)
        return bool(words) and all(word in plain for word in words) or any(told in plain for told in wanted)

    return says


def _file(paths: Paths, task: str) -> Path:
    return paths.home / PLACE / f"{task}.json"


def _read(paths: Paths, task: str) -> dict[str, object]:
    try:
        row = json.loads(fsio.read_bytes(_file(paths, task)))
    except FileNotFoundError:
        raise StoreMissing("nothing is known of that task") from None
    return row if isinstance(row, dict) else {}


def _write(paths: Paths, task: str, row: dict[str, object]) -> None:
    fsio.write_atomic(_file(paths, task), json.dumps(row, ensure_ascii=False, indent=1).encode())
