"""What hooks and earlier services left word of: conversations that ended, were compacted, or trailed behind."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from dreamd.core import fsio
from dreamd.core.errors import DreamError
from dreamd.core.paths import Paths
from dreamd.service.gating.watch import Ledger
from dreamd.store.work import Staged

TRAILING = "trailing"
"""Why a stretch was staged by the service itself: it came in during an extraction and asks no throttle."""
ENDINGS = frozenset({"session-end", "pre-compact"})
MOST_LOOKS = 200
NOTE_BYTES = 64 * 1024
INBOX_WAIT_S = 60.0


class Hints:
    """Passes each word on once; a word that leads nowhere must not be followed for ever."""

    def __init__(self) -> None:
        self._rows: set[tuple[int, int]] = set()
        self._files: set[str] = set()

    def take(self, paths: Paths, staged: Sequence[Staged], ledger: Ledger, *, now: datetime) -> bool:
        """Tell the ledger what is new; True when something in the inbox has waited for long enough."""
        for row in staged:
            if (row.seq, row.end) not in self._rows:
                self._rows.add((row.seq, row.end))
                self._pass_on(Path(row.path), row.why, ledger, now)
        return self._look_into(paths.inbox, ledger, now)

    def _look_into(self, inbox: Path, ledger: Ledger, now: datetime) -> bool:
        try:
            waiting = sorted(p for p in inbox.iterdir() if p.suffix == ".json")
        except OSError:
            return False
        names = {p.name for p in waiting}
        for path in [p for p in waiting if p.name not in self._files][:MOST_LOOKS]:
            with suppress(OSError, DreamError, ValueError, KeyError, TypeError, RecursionError):
                touched = json.loads(fsio.read_bytes(path, limit_bytes=NOTE_BYTES))["touched"]
                self._pass_on(Path(str(touched["path"])), str(touched["event"]), ledger, now)
            self._files.add(path.name)
        self._files &= names
        with suppress(OSError, IndexError):
            return now.timestamp() - waiting[0].stat().st_mtime >= INBOX_WAIT_S
        return False

    def _pass_on(self, path: Path, why: str, ledger: Ledger, now: datetime) -> None:
        ledger.look(path, now=now)
        if why == TRAILING:
            ledger.mark(path, staged=True)
        elif why in ENDINGS:
            ledger.mark(path, ended=True)
