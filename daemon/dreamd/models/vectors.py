"""Vectors to neighbours: derived, disposable, never asked for truth.

Up to a hundred thousand rows every answer is exact: comparing all with all, in tiles, costs less CPU than building an
HNSW graph (20,000 rows: 3 s against 8 s) and one query takes a millisecond. Beyond that a usearch graph takes over,
built in memory for the one dream that needs it. Nothing of this is kept in a file: reading the rows of 20,000 memories
takes less than half a second, and graph bytes in a file can go bad, which crashes whoever loads them or goes unnoticed.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
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
    """The nearest rows of a matrix, by cosine; rows are named by their place in it."""

    def __init__(self, matrix: NDArray[Any] | None = None, *, held: Floats | None = None,
                 exact_up_to: int = EXACT_UP_TO) -> None:
        """Take the rows of `matrix` (any float type); raises Corrupt for a row that has no direction.

        The rows of `held` come before them: `unit_rows` has made them, and they are searched where they lie, for to copy what
        a store holds takes longer than to search it.
        """
        blocks = (held, None if matrix is None or not len(matrix) else unit_rows(matrix))
        self._blocks = [block for block in blocks if block is not None and len(block)]
        self._count = sum(map(len, self._blocks))
        self._graph: Any = _graph_of(self._blocks) if self._count > exact_up_to else None

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

    def _scan(self, asked: Floats, k: int) -> tuple[Places, Floats]:
        import numpy as np

        with _pools().limit(limits=1, user_api="blas"):
            products = [asked @ rows.T for rows in self._blocks]
        cosines = np.concatenate(products, axis=1) if len(products) > 1 else products[0]
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


@cache
def _pools() -> Any:
    """The threads of what multiplies matrices, found once a process: to look which libraries are loaded takes milliseconds."""
    from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped,unused-ignore]

    return ThreadpoolController()


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
    return (np.take_along_axis(places, order, axis=1).astype(np.int64, copy=False), np.take_along_axis(cosines, order, axis=1))


def _graph_of(blocks: Sequence[Floats]) -> Any:
    import numpy as np

    from dreamd.models.onnx_engine import load_runtime

    load_runtime()  # before usearch: the other order ends the process
    from usearch.index import Index

    # Everything that follows the processor or the version by default is pinned: files and answers must not differ.
    graph = Index(ndim=blocks[0].shape[1], metric=METRIC, dtype=DTYPE, connectivity=CONNECTIVITY, expansion_add=EXPANSION_ADD,
                  expansion_search=EXPANSION_SEARCH)
    for block in blocks:
        for offset in range(0, len(block), GRAPH_ROWS):
            some = block[offset:offset + GRAPH_ROWS].astype(np.float16)
            graph.add(np.arange(len(graph), len(graph) + len(some)), some, threads=1)
    return graph
