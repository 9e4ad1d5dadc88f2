"""Neighbours: exact up to a limit, a graph beyond."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from dreamd.core.errors import Corrupt
from dreamd.models.vectors import (
    NOTHING,
    Neighbours,
    unit_rows,
)

DIM = 48


def _rows(count: int, *, seed: int = 1, topics: int = 20) -> np.ndarray:
    chance = np.random.default_rng(seed)
    centres = chance.standard_normal((topics, DIM))
    return (centres[chance.integers(0, topics, count)] + 0.6 * chance.standard_normal((count, DIM))).astype(np.float16)


def test_a_search_gives_the_nearest_first_with_their_cosines() -> None:
    rows = _rows(500)
    units = unit_rows(rows)
    places, cosines = Neighbours(rows).search(rows[:7], 5)
    truth = units[:7] @ units.T
    for query in range(7):
        assert places[query].tolist() == np.argsort(-truth[query], kind="stable")[:5].tolist()
        assert np.allclose(cosines[query], np.sort(truth[query])[::-1][:5], atol=1e-6)


def test_rows_added_later_are_found_and_dropped_ones_are_not() -> None:
    rows = _rows(300)
    for limit in (1000, 100):
        neighbours = Neighbours(rows[:50], exact_up_to=limit)
        for start in range(50, 300, 50):
            neighbours.add(rows[start:start + 50])
        assert len(neighbours) == 300
        assert neighbours.exact == (limit == 1000)
        assert neighbours.search(rows[[3, 299]], 1)[0].ravel().tolist() == [3, 299]
        neighbours.drop(299)
        neighbours.drop(3)
        found = neighbours.search(rows[[3, 299]], 10)[0]
        assert not {3, 299} & set(found.ravel().tolist())


def test_a_row_dropped_before_the_graph_takes_over_stays_dropped() -> None:
    rows = _rows(120)
    neighbours = Neighbours(rows[:60], exact_up_to=100)
    neighbours.drop(5)
    neighbours.add(rows[60:])
    assert not neighbours.exact
    assert 5 not in neighbours.search(rows[5], 20)[0]


@pytest.mark.parametrize("limit", [1000, 250, 100])
def test_rows_that_stay_where_they_lie_are_found_as_those_that_were_copied(limit: int) -> None:
    rows = _rows(300)
    held = unit_rows(rows[:200])
    copied, lying = Neighbours(rows[:200], exact_up_to=limit), Neighbours(held=held, exact_up_to=limit)
    for neighbours in (copied, lying):
        neighbours.drop(7)
        for start in (200, 220, 290):
            neighbours.add(rows[start:min(start + 70, 300)] if start > 200 else rows[200:220])
        neighbours.drop(205)
    places, cosines = copied.search(rows[::9], 12)
    again, near = lying.search(rows[::9], 12)
    assert lying.exact == copied.exact == (limit == 1000)
    assert again.tolist() == places.tolist() and np.allclose(near, cosines, atol=1e-6)
    if limit == 1000:
        assert np.shares_memory(lying._held, held)


def test_fewer_rows_than_asked_for_leave_empty_places() -> None:
    rows = _rows(3)
    for limit in (1000, 0):
        neighbours = Neighbours(rows, exact_up_to=limit)
        neighbours.drop(1)
        places, cosines = neighbours.search(rows[:2], 6)
        assert all(sorted(line[:2].tolist()) == [0, 2] and set(line[2:].tolist()) == {NOTHING} for line in places)
        assert (cosines[:, 2:] == -1).all()
    assert Neighbours(ndim=DIM).search(rows, 4)[0].tolist() == [[NOTHING] * 4] * 3


def test_the_graph_finds_nearly_all_that_the_exact_search_finds() -> None:
    rows = _rows(3000, topics=60)
    exact = Neighbours(rows).search(rows[:300], 10)[0]
    graph = Neighbours(rows, exact_up_to=0).search(rows[:300], 10)[0]
    shared = sum(len(set(a) & set(b)) for a, b in zip(exact.tolist(), graph.tolist(), strict=True))
    assert shared / exact.size > 0.97


@pytest.mark.parametrize("bad", [0.0, np.nan, np.inf])
def test_a_vector_without_direction_is_refused_and_nothing_is_added(bad: float) -> None:
    rows = _rows(4)
    neighbours = Neighbours(rows)
    broken = rows.copy()
    broken[2] = bad
    with pytest.raises(Corrupt):
        neighbours.add(broken)
    with pytest.raises(Corrupt):
        neighbours.search(broken, 2)
    assert len(neighbours) == 4


def test_exact_search_never_loads_the_native_graph_library() -> None:
    script = ("import sys, numpy as np\nfrom dreamd.models.vectors import Neighbours\n"
              "rows = np.eye(30, dtype='f2')\nNeighbours(rows).search(rows, 3)\n"
              "print([name for name in ('usearch', 'sklearn', 'torch', 'onnxruntime') if name in sys.modules])\n")
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True, text=True)
    assert done.stdout.strip() == "[]"


def test_the_native_graph_library_comes_after_the_engine_of_the_networks() -> None:
    script = ("import sys, numpy as np\nfrom dreamd.models.vectors import Neighbours\n"
              "rows = np.eye(30, dtype='f2')\nNeighbours(rows, exact_up_to=10).search(rows, 3)\n"
              "names = list(sys.modules)\nprint(names.index('onnxruntime') < names.index('usearch'))\n"
              "from dreamd.models import onnx_engine\nonnx_engine.load_runtime().SessionOptions()\n")
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True, text=True)
    assert done.stdout.strip() == "True"
