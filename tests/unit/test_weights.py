"""Weights are read one tensor at a time, as the library reads them, and from nothing that is no file of weights."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dreamd.models.model_files import WEIGHTS, checksum, find_model
from dreamd.models.weights import WeightFile

QUESTIONS = Path(__file__).parents[2] / "config" / "question" / "adapter.safetensors"


@pytest.mark.model
def test_tensors_read_one_at_a_time_are_those_of_the_library() -> None:
    from safetensors.numpy import load_file

    for path in (find_model() / WEIGHTS, QUESTIONS):
        expected = {name: tensor for name, tensor in load_file(path).items() if tensor.dtype.kind == "f"}
        with WeightFile(path) as weights:
            assert expected.keys() <= weights.names
            assert all(np.array_equal(weights.read(name), tensor) for name, tensor in expected.items())


def test_a_file_of_something_else_is_not_read_as_weights(tmp_path: Path) -> None:
    headers = (b"[]", b"\xff{}}", b'{"a": ')
    for body in (b"", b"PK\x03\x04 and so on, a zip", *(len(one).to_bytes(8, "little") + one for one in headers)):
        (tmp_path / WEIGHTS).write_bytes(body)
        with pytest.raises(ValueError), WeightFile(tmp_path / WEIGHTS):
            pass


@pytest.mark.model
def test_the_checksum_of_the_weights_follows_the_file(tmp_path: Path) -> None:
    (tmp_path / WEIGHTS).write_bytes(b"one")
    before = checksum(tmp_path / WEIGHTS)
    (tmp_path / WEIGHTS).write_bytes(b"other")
    assert checksum(tmp_path / WEIGHTS) != before
