"""Which tasks there are on this machine, and what the ends of their phases moved: for undo, and for forgetting.

One file a task below the home, made by the first end of a phase.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from dreamd.core import fsio
from dreamd.core.errors import StoreMissing
from dreamd.core.paths import Paths
from dreamd.library.tasks.course import PhaseEnd
from dreamd.library.tasks.task_folder import Folder, Item
from dreamd.store.observations import plain_words

PLACE = "tasks"


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


def forget(paths: Paths, statements: Sequence[str]) -> list[str]:
    """Take the lines out of every task that say any of these words; the files where a person's own line still does."""
    wanted = [words for words in map(plain_words, statements) if words]
    left: list[str] = []
    for place in sorted((paths.home / PLACE).glob("*.json")) if wanted else ():
        row = _read(paths, place.stem)
        folder = Folder(Path(str(row["root"])), str(row["slug"]))
        runs = row["runs"] if isinstance(row["runs"], dict) else {}
        kept = {run: _without(end, wanted) for run, end in runs.items()}
        if kept != runs:
            _write(paths, place.stem, {**row, "runs": kept})
        files = [*sorted(folder.root.rglob("*.md")), folder.log] if folder.root.is_dir() else []
        for path in files:
            left += _forget_in(path, wanted)
    return left


def _forget_in(path: Path, wanted: Sequence[str]) -> list[str]:
    try:
        text = fsio.read_bytes(path).decode("utf-8", "replace")
    except FileNotFoundError:
        return []
    kept = [line for line in text.splitlines() if not (_says(line, wanted) and (
        line.startswith(("- **", "{")) or path.parent.name == "phases"))]
    if len(kept) < len(text.splitlines()):
        fsio.write_atomic(path, ("\n".join(kept) + "\n").encode())
    return [str(path)] if any(_says(line, wanted) for line in kept) else []


def _without(end: dict[str, object], wanted: Sequence[str]) -> dict[str, object]:
    """What a run did, without the lines that say something."""
    lists = {name: [one for one in rows if not _says(json.dumps(one, ensure_ascii=False), wanted)]
             for name, rows in end.items() if isinstance(rows, list | tuple)}
    body = "".join(f"{line}\n" for line in str(end["body"]).splitlines() if not _says(line, wanted))
    return {**end, **lists, "body": body}


def _says(line: str, wanted: Sequence[str]) -> bool:
    plain = plain_words(line)
    return any(words in plain for words in wanted)


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
