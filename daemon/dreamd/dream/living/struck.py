"""What is forgotten goes out of the logs: lines that say it, lines it was learned of, and what the gate decided on it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from dreamd.core.world import World
from dreamd.library import gate_events, operations
from dreamd.library.line_log import Row
from dreamd.store import observations
from dreamd.store.connection import Store

TEXT = "text"


def find_lines(world: World, query: str) -> list[Row]:
    """The lines of the operational log and of tasks that have all words of a query, and the events whose text has them."""
    words = query.casefold().split()
    if not words:
        return []
    logs = ((operations.log_of(world), operations.FIELDS), (gate_events.log_of(world), (TEXT,)))
    found = [row for log, fields in logs for row in log.newest_first() if all(word in _said(row, fields) for word in words)]
    if (world.paths.home / "tasks").is_dir():
        from dreamd.library.tasks import task_runs

        found += task_runs.find_lines(world.paths, words)
    return found


def strike(world: World, words: Sequence[str], statements: Sequence[str] = (), names: Collection[str] = ()) -> int:
    """Take out of both logs what has all of some words, says one of some statements, or was learned of; how many lines.

    The logs go before the store: whoever is killed in between asks once more, and finds everything that is left.
    """
    if not world.paths.logs.is_dir():
        return 0
    wanted = [told for told in map(observations.plain_words, statements) if told]

    def says(row: Row, raw: str, fields: Sequence[str]) -> bool:
        said = _said(row, fields) if row else observations.plain_words(raw)
        return bool(words) and all(word in said for word in words) or any(told in said for told in wanted)

    struck = gate_events.log_of(world).strike(lambda row, raw: says(row, raw, (TEXT,)))
    taught = _taught(names)
    return struck + operations.log_of(world).strike(lambda row, raw: says(row, raw, operations.FIELDS) or taught(row))


def strike_unknown(world: World, store: Store) -> int:
    """Take out the events of what no store knows any more."""
    log = gate_events.log_of(world)
    if not any(world.paths.logs.glob("gate*")):
        return 0
    known = {identity for (identity,) in store.tuples("SELECT id FROM observation")}
    return log.strike(lambda row, _raw: str(row.get("id", "")) not in known if row else True)


def _taught(names: Collection[str]) -> Callable[[Row], bool]:
    """Whether a line is one of those that something was learned of."""
    if not names:
        return lambda _row: False
    from dreamd.dream.living.logbook import read_row
    from dreamd.dream.living.recurring import mending_names, operation_names

    def taught(row: Row) -> bool:
        told = read_row(row)
        return told is not None and not {*operation_names(*told), *mending_names(*told)}.isdisjoint(names)

    return taught


def _said(row: Row, fields: Sequence[str]) -> str:
    return observations.plain_words(" ".join(str(row.get(name, "")) for name in fields))
