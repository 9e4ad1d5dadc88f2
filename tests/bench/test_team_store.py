"""What measures a team's store ends in time, and says what it left out."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import team_store


def test_what_there_is_no_time_for_is_told(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, team_store.__file__, "--minutes", "0", "--json", str(tmp_path / "figures.json")],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "not done for lack of time: everything" in done.stdout
