"""Vectors to neighbours: derived, disposable, never asked for truth.

Up to a hundred thousand rows every answer is exact: comparing all with all, in tiles, costs less CPU than building an
HNSW graph (20,000 rows: 3 s against 8 s) and one query takes a millisecond. Beyond that a usearch graph takes over,
built in memory for the one dream that needs it. Nothing of this is kept in a file: reading the rows of 20,000 memories
takes less than half a second, and graph bytes in a file can go bad, which crashes whoever loads them or goes unnoticed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dreamd.core.errors import Corrupt

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Places = NDArray[np.int64]

EXACT_UP_TO = 100_000
QUERY_ROWS = 256
GRAPH_ROWS = 4096
METRIC = "cos"
DTYPE = "f16"
CONNECTIVITY, EXPANSION_ADD, EXPANSION_SEARCH = 16, 128, 96
NOTHING = -1
"""In place of a row number, where there are fewer neighbours than asked for."""


class Neighbours:
    """The nearest rows of a growing matrix, by cosine; rows are named by their place in it."""

    def __init__(self, matrix: NDArray[Any] | None = None, *, ndim: int = 384, exact_up_to: int = EXACT_UP_TO,
                 held: Floats | None = None) -> None:
        """Take the rows of `matrix` (any float type); raises Corrupt for a row that has no direction.

        The rows of `held` come before them: `unit_rows` has made them, and they are searched where they lie, for to copy what
        a store holds takes longer than to search it.
        """
        import numpy as np
        from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped,unused-ignore]

        self._held: Floats = np.empty((0, ndim if matrix is None else matrix.shape[1]), np.float32) if held is None else held
        self.ndim = self._held.shape[1]
        self._exact_up_to = exact_up_to
        self._count = len(self._held)
        self._rows: Floats = np.empty((0, self.ndim), np.float32)
        self._gone = np.zeros(self._count, np.bool_)
        self._graph: Any = None  # usearch.index.Index, imported only when needed
        self._pools = ThreadpoolController()
        if matrix is not None and len(matrix):
            self.add(matrix)
        elif self._count > exact_up_to:
            self.add(self._held[:0])

    def __len__(self) -> int:
        return self._count

    @property
    def exact(self) -> bool:
        """Whether answers are exact rather than those of a graph."""
        return self._graph is None

    def add(self, rows: NDArray[Any]) -> None:
        """Append rows; raises Corrupt for a row that has no direction, and then adds none."""
        fresh = unit_rows(rows)
        if self._graph is None and self._count + len(fresh) > self._exact_up_to:
            self._graph = _empty_graph(self.ndim)
            self._feed(0, self._held)
            self._feed(len(self._held), self._rows[:self._count - len(self._held)])
            for place in self._gone[:self._count].nonzero()[0].tolist():
                self._graph.remove(place)
            self._held, self._rows, self._gone = self._held[:0], self._rows[:0], self._gone[:0]
        if self._graph is None:
            self._append(fresh)
        else:
            self._feed(self._count, fresh)
        self._count += len(fresh)

    def drop(self, place: int) -> None:
        """Leave a row out of every later answer; the places of the others stay."""
        if not 0 <= place < self._count:
            raise IndexError(place)
        if self._graph is None:
            self._gone[place] = True
        elif place in self._graph:
            self._graph.remove(place)

    def search(self, queries: NDArray[Any], k: int) -> tuple[Places, Floats]:
        """For each query the `k` nearest places and their cosines, best first; `NOTHING` and −1 where none is left."""
        import numpy as np

        asked = unit_rows(queries)
        places = np.full((len(asked), k), NOTHING, np.int64)
        cosines = np.full((len(asked), k), -1, np.float32)
        if not self._count or not k:
            return places, cosines
        for start in range(0, len(asked), QUERY_ROWS):
            block = slice(start, start + QUERY_ROWS)
            found, near = self._look_up(asked[block], k) if self._graph is not None else self._scan(asked[block], k)
            places[block, :found.shape[1]] = found
            cosines[block, :near.shape[1]] = near
        places[cosines <= -1] = NOTHING
        return places, cosines

    def _append(self, fresh: Floats) -> None:
        import numpy as np

        own = self._count - len(self._held)
        needed = own + len(fresh)
        if not own:
            self._rows = fresh
        elif needed > len(self._rows):
            grown = np.empty((max(needed, own * 5 // 4), self.ndim), np.float32)
            grown[:own] = self._rows[:own]
            self._rows = grown
        if own:
            self._rows[own:needed] = fresh
        self._gone = np.concatenate([self._gone, np.zeros(len(self._held) + len(self._rows) - len(self._gone), np.bool_)])

    def _feed(self, start: int, fresh: Floats) -> None:
        import numpy as np

        for offset in range(0, len(fresh), GRAPH_ROWS):
            block = fresh[offset:offset + GRAPH_ROWS].astype(np.float16)
            self._graph.add(np.arange(start + offset, start + offset + len(block)), block, threads=1)

    def _scan(self, asked: Floats, k: int) -> tuple[Places, Floats]:
        import numpy as np

        parts = [rows for rows in (self._held, self._rows[:self._count - len(self._held)]) if len(rows)]
        with self._pools.limit(limits=1, user_api="blas"):
            products = [asked @ rows.T for rows in parts]
        cosines = np.concatenate(products, axis=1) if len(products) > 1 else products[0]
        cosines[:, self._gone[:self._count]] = -1
        k = min(k, self._count)
        chosen = np.argpartition(cosines, self._count - k, axis=1)[:, self._count - k:]
        return _ordered(chosen, np.take_along_axis(cosines, chosen, axis=1))

    def _look_up(self, asked: Floats, k: int) -> tuple[Places, Floats]:
        import numpy as np

        k = min(k, max(len(self._graph), 1))
        found = self._graph.search(asked.astype(np.float16), k, threads=1)
        near = 1 - np.atleast_2d(found.distances).astype(np.float32)
        if found.keys.ndim != 2:
            return np.atleast_2d(found.keys).astype(np.int64), near
        # A graph that finds fewer than asked leaves the rest of the line undefined.
        near[np.arange(k)[None, :] >= np.atleast_1d(found.counts)[:, None]] = -1
        return _ordered(found.keys.astype(np.int64), near)


def unit_rows(rows: NDArray[Any]) -> Floats:
    """Rows as float32 of length one; raises Corrupt for zero, infinite or undefined ones."""
    import numpy as np

    units = np.array(np.atleast_2d(rows), np.float32)
    lengths = np.sqrt(np.einsum("ij,ij->i", units, units))
    wrong = ~(np.isfinite(lengths) & (lengths > 1e-6))
    if wrong.any():
        raise Corrupt(f"{int(wrong.sum())} of {len(units)} vectors have no direction, the first at row "
                      f"{int(wrong.argmax())}", hint="run `dream check --repair`; it computes vectors anew")
    units /= lengths[:, None]
    return units


def _ordered(places: Places, cosines: Floats) -> tuple[Places, Floats]:
    """Best first; equal ones by place, so that an answer does not depend on how it was found."""
    import numpy as np

    order = np.lexsort((places, -cosines), axis=1)
    return (np.take_along_axis(places, order, axis=1).astype(np.int64, copy=False),
            np.take_along_axis(cosines, order, axis=1))


def _empty_graph(ndim: int) -> Any:
    from dreamd.models.onnx_engine import load_runtime

    load_runtime()  # before usearch: the other order ends the process
    from usearch.index import Index

    # Everything that follows the processor or the version by default is pinned: files and answers must not differ.
    return Index(ndim=ndim, metric=METRIC, dtype=DTYPE, connectivity=CONNECTIVITY, expansion_add=EXPANSION_ADD,
                 expansion_search=EXPANSION_SEARCH)
