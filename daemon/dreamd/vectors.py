"""Vectors to neighbours: derived, disposable, never asked for truth.

Up to a hundred thousand rows every answer is exact: comparing all with all, in tiles, costs less CPU than building an
HNSW graph (20,000 rows: 3 s against 8 s) and one query takes a millisecond. Beyond that a usearch graph takes over,
built in memory for the one dream that needs it. Nothing of this is kept in a file: reading the rows of 20,000 memories
takes less than half a second, and graph bytes in a file can go bad, which crashes whoever loads them or goes unnoticed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dreamd.errors import Corrupt

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Places = NDArray[np.int64]

EXACT_UP_TO = 100_000
TILE_ROWS = 1024
QUERY_ROWS = 256
GRAPH_ROWS = 4096
METRIC = "cos"
DTYPE = "f16"
CONNECTIVITY, EXPANSION_ADD, EXPANSION_SEARCH = 16, 128, 96
NOTHING = -1
"""In place of a row number, where there are fewer neighbours than asked for."""


@dataclass(frozen=True)
class Pairs:
    """Near pairs of rows, `first[n] < second[n]`, in order of row; iterates as `(i, j, similarity)`."""

    first: Places
    second: Places
    similarity: Floats

    def __len__(self) -> int:
        return len(self.first)

    def __iter__(self) -> Iterator[tuple[int, int, float]]:
        return zip(self.first.tolist(), self.second.tolist(), self.similarity.tolist(), strict=True)


class Neighbours:
    """The nearest rows of a growing matrix, by cosine; rows are named by their place in it."""

    def __init__(self, matrix: NDArray[Any] | None = None, *, ndim: int = 384, exact_up_to: int = EXACT_UP_TO) -> None:
        """Take the rows of `matrix` (any float type); raises Corrupt for a row that has no direction."""
        import numpy as np
        from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped,unused-ignore]

        self.ndim = ndim if matrix is None else matrix.shape[1]
        self._exact_up_to = exact_up_to
        self._count = 0
        self._rows: Floats = np.empty((0, self.ndim), np.float32)
        self._gone = np.zeros(0, np.bool_)
        self._graph: Any = None  # usearch.index.Index, imported only when needed
        self._pools = ThreadpoolController()
        if matrix is not None and len(matrix):
            self.add(matrix)

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
            self._feed(0, self._rows[:self._count])
            for place in self._gone[:self._count].nonzero()[0].tolist():
                self._graph.remove(place)
            self._rows, self._gone = self._rows[:0], self._gone[:0]
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

        needed = self._count + len(fresh)
        if needed > len(self._rows):
            grown = np.empty((needed if not self._count else max(needed, self._count * 5 // 4), self.ndim), np.float32)
            grown[:self._count] = self._rows[:self._count]
            self._rows = grown
            self._gone = np.concatenate([self._gone, np.zeros(len(grown) - len(self._gone), np.bool_)])
        self._rows[self._count:needed] = fresh

    def _feed(self, start: int, fresh: Floats) -> None:
        import numpy as np

        for offset in range(0, len(fresh), GRAPH_ROWS):
            block = fresh[offset:offset + GRAPH_ROWS].astype(np.float16)
            self._graph.add(np.arange(start + offset, start + offset + len(block)), block, threads=1)

    def _scan(self, asked: Floats, k: int) -> tuple[Places, Floats]:
        import numpy as np

        with self._pools.limit(limits=1, user_api="blas"):
            cosines = asked @ self._rows[:self._count].T
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


def near_pairs(matrix: NDArray[Any], *, min_similarity: float, k: int, exact_up_to: int = EXACT_UP_TO) -> Pairs:
    """Every pair at least `min_similarity` near in which one row is among the `k` nearest of the other.

    Memory: the rows in float32, `k` neighbours a row and two tiles. Raises Corrupt for a row without direction.
    """
    import numpy as np
    from threadpoolctl import threadpool_limits

    count = len(matrix)
    k = min(k, count - 1)
    if k < 1:
        nothing = np.zeros(0, np.int64)
        return Pairs(nothing, nothing, np.zeros(0, np.float32))
    best = _Best(count, k, min_similarity)
    if count > exact_up_to:
        _fill_from_graph(best, matrix, exact_up_to=exact_up_to)
    else:
        with threadpool_limits(1, user_api="blas"):
            _fill_from_tiles(best, unit_rows(matrix))
    return best.pairs()


class _Best:
    """For each row its `k` nearest so far: the streaming form of a top-k over a matrix that never exists whole."""

    def __init__(self, count: int, k: int, floor: float) -> None:
        import numpy as np

        self.k = k
        self.floor = np.float32(floor)
        self.cosine = np.full((count, k), -np.inf, np.float32)
        self.place = np.full((count, k), NOTHING, np.int32)

    def offer(self, start: int, tile: Floats, first_place: int) -> None:
        """Take what is near enough of `tile`, whose rows belong to `start…` and whose columns to `first_place…`."""
        import numpy as np

        block = slice(start, start + len(tile))
        worst = self.cosine[block].min(axis=1)
        wanted = tile >= np.maximum(self.floor, np.nextafter(worst, np.float32(np.inf)))[:, None]
        taking = wanted.sum(axis=1)
        if not taking.any():
            return
        if taking.mean() > 2 * self.k:
            width = min(self.k, tile.shape[1])
            columns = np.argpartition(tile, tile.shape[1] - width, axis=1)[:, tile.shape[1] - width:]
            cosines = np.take_along_axis(tile, columns, axis=1)
            self._merge(np.arange(start, start + len(tile)), columns + first_place,
                        np.where(cosines >= self.floor, cosines, -np.inf))
            return
        rows, columns = np.nonzero(wanted)
        some = np.flatnonzero(taking)
        slots = np.arange(len(rows)) - np.repeat(np.cumsum(taking[some]) - taking[some], taking[some])
        lines = np.repeat(np.arange(len(some)), taking[some])
        places = np.full((len(some), int(taking.max())), NOTHING, np.int64)
        cosines = np.full(places.shape, -np.inf, np.float32)
        places[lines, slots] = columns + first_place
        cosines[lines, slots] = tile[rows, columns]
        self._merge(some + start, places, cosines)

    def pairs(self) -> Pairs:
        """Each pair that either row kept, once."""
        import numpy as np

        rows, slots = np.nonzero(np.isfinite(self.cosine))
        others = self.place[rows, slots].astype(np.int64)
        first, second = np.minimum(rows, others), np.maximum(rows, others)
        _, chosen = np.unique(first * len(self.place) + second, return_index=True)
        return Pairs(first[chosen], second[chosen], self.cosine[rows, slots][chosen])

    def _merge(self, rows: Places, places: Places, cosines: Floats) -> None:
        import numpy as np

        all_cosines = np.concatenate([self.cosine[rows], cosines], axis=1)
        all_places = np.concatenate([self.place[rows], places.astype(np.int32)], axis=1)
        kept = np.argsort(-all_cosines, axis=1, kind="stable")[:, :self.k]
        self.cosine[rows] = np.take_along_axis(all_cosines, kept, axis=1)
        self.place[rows] = np.take_along_axis(all_places, kept, axis=1)


def _fill_from_tiles(best: _Best, rows: Floats) -> None:
    """Compare all with all, each pair once: the upper triangle of the similarity matrix, tile by tile."""
    import numpy as np

    for top in range(0, len(rows), TILE_ROWS):
        upper = rows[top:top + TILE_ROWS]
        for left in range(top, len(rows), TILE_ROWS):
            tile = upper @ rows[left:left + TILE_ROWS].T
            if left == top:
                np.fill_diagonal(tile, -2)
                best.offer(top, tile, left)
                continue
            best.offer(top, tile, left)
            best.offer(left, np.ascontiguousarray(tile.T), top)


def _fill_from_graph(best: _Best, matrix: NDArray[Any], *, exact_up_to: int) -> None:
    import numpy as np

    neighbours = Neighbours(matrix, exact_up_to=exact_up_to)
    for start in range(0, len(matrix), QUERY_ROWS):
        places, cosines = neighbours.search(matrix[start:start + QUERY_ROWS], best.k + 1)
        own = places == np.arange(start, start + len(places))[:, None]
        usable = ~own & (places != NOTHING) & (cosines >= best.floor)
        best._merge(np.arange(start, start + len(places)), places, np.where(usable, cosines, -np.inf))


def _ordered(places: Places, cosines: Floats) -> tuple[Places, Floats]:
    """Best first; equal ones by place, so that an answer does not depend on how it was found."""
    import numpy as np

    order = np.lexsort((places, -cosines), axis=1)
    return (np.take_along_axis(places, order, axis=1).astype(np.int64, copy=False),
            np.take_along_axis(cosines, order, axis=1))


def _empty_graph(ndim: int) -> Any:
    from usearch.index import Index

    # Everything that follows the processor or the version by default is pinned: files and answers must not differ.
    return Index(ndim=ndim, metric=METRIC, dtype=DTYPE, connectivity=CONNECTIVITY, expansion_add=EXPANSION_ADD,
                 expansion_search=EXPANSION_SEARCH)
