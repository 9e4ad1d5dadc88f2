"""A running service is killed again and again under notes, edits by hand and a jumping clock; nothing promised is lost."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from storm import storm

Tell = Callable[[str], None]


def test_a_service_killed_three_times_loses_no_acknowledged_note(tmp_path: Path, tell: Tell) -> None:
    seed = int(os.environ.get("DREAM_SEED", "20260105"))
    raging, wrong, told = storm(tmp_path, kills=3, seed=seed)
    tell(f"seed {seed}: {told}, {len(wrong)} anomalies")
    assert wrong == []
    assert raging.promised and not raging.refused


@pytest.mark.slow
def test_a_service_killed_five_hundred_times_loses_no_acknowledged_note(tmp_path: Path, tell: Tell) -> None:
    seed = int(os.environ.get("DREAM_SEED", str(random.SystemRandom().randint(1, 10**6))))
    tell(f"seed {seed}")
    raging, wrong, told = storm(tmp_path, kills=500, seed=seed)
    tell(f"{told}, {len(wrong)} anomalies")
    assert wrong == []
    assert len(raging.written) > 50 and raging.at_work > 100
