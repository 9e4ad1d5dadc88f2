"""A store that is being founded is not there yet."""

from __future__ import annotations

from pathlib import Path

import pytest

from dreamd.errors import StoreMissing
from dreamd.store.connection import open_reader


def test_a_reader_who_comes_while_a_store_is_founded_finds_none_and_no_outage(tmp_path: Path) -> None:
    path = tmp_path / "dream.db"
    path.touch()
    with pytest.raises(StoreMissing):
        open_reader(path)
