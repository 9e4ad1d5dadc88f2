"""Neighbours: exact up to a limit, a graph beyond."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from dreamd.core.errors import Corrupt
from dreamd.models.vectors import NOTHING, Neighbours, unit_rows

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


@pytest.mark.parametrize("limit", [1000, 100])
def test_rows_that_stay_where_they_lie_are_found_as_those_that_were_copied(limit: int) -> None:
    rows = _rows(300)
    held = unit_rows(rows[:200])
    copied, lying = Neighbours(rows, exact_up_to=limit), Neighbours(rows[200:], held=held, exact_up_to=limit)
    places, cosines = copied.search(rows[::9], 12)
    again, near = lying.search(rows[::9], 12)
    assert again.tolist() == places.tolist() and np.allclose(near, cosines, atol=1e-6)
    assert np.shares_memory(lying._blocks[0], held)


def test_fewer_rows_than_asked_for_leave_empty_places() -> None:
    rows = _rows(3)
    for limit in (1000, 0):
        neighbours = Neighbours(rows, exact_up_to=limit)
        places, cosines = neighbours.search(rows[:2], 6)
        assert all(sorted(line[:3].tolist()) == [0, 1, 2] and set(line[3:].tolist()) == {NOTHING} for line in places)
        assert (cosines[:, 3:] == -1).all()
    assert Neighbours().search(rows, 4)[0].tolist() == [[NOTHING] * 4] * 3


def test_the_graph_finds_nearly_all_that_the_exact_search_finds() -> None:
    rows = _rows(3000, topics=60)
    exact = Neighbours(rows).search(rows[:300], 10)[0]
    graph = Neighbours(rows, exact_up_to=0).search(rows[:300], 10)[0]
    shared = sum(len(set(a) & set(b)) for a, b in zip(exact.tolist(), graph.tolist(), strict=True))
    assert shared / exact.size > 0.97


@pytest.mark.parametrize("bad", [0.0, np.nan, np.inf])
def test_a_vector_without_direction_is_refused(bad: float) -> None:
    rows = _rows(4)
    broken = rows.copy()
    broken[2] = bad
    with pytest.raises(Corrupt):
        Neighbours(broken)
    with pytest.raises(Corrupt):
        Neighbours(rows).search(broken, 2)


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
