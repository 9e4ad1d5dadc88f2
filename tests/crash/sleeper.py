"""One dream in a process of its own, to be killed: `sleeper.py ROOT PERSON NOW`."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from household import House

if __name__ == "__main__":
    print(House(Path(sys.argv[1]), persons_own=Path(sys.argv[2])).dream(sys.argv[3]).outcome, flush=True)
