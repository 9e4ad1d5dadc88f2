"""What was spent stays spent: a store that takes another one's place gets the calls that only the other one knew."""

from __future__ import annotations

from contextlib import closing, suppress
from pathlib import Path

from dreamd.core.errors import DreamError
from dreamd.store.connection import open_reader, open_store


def carry_over(left: Path, store: Path) -> int:
    """Bring the calls of the store that was left into the one in its place; says how many. None where it cannot be read."""
    carried = 0
    with suppress(DreamError), closing(open_reader(left)) as old, closing(open_store(store)) as new:
        last = new.one("SELECT COALESCE(MAX(seq), 0) AS seq FROM model_call")
        calls = old.tuples("SELECT * FROM model_call WHERE seq > ?", last["seq"] if last else 0)
        if calls:
            with new.writing() as tx:
                tx.executemany(f"INSERT INTO model_call VALUES ({', '.join('?' * len(calls[0]))})", calls)
            carried = len(calls)
    return carried
