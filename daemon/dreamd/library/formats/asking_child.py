"""Having files read by a process of its own, which is ended where one of them keeps it too long.

What a file may take is counted in the time that it is worked on: on a machine that does much else, a sound file waits for its
turn, and would be left out today and read tomorrow.
"""

from __future__ import annotations

import json
import math
import os
import selectors
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from dreamd.core.clock import SystemClock
from dreamd.library.formats.plain_formats import LARGEST_TEXT, Text

LONGEST_S = 60.0
"""What one file may take of a processor."""
PATIENCE = 10.0
"""Times as long as that may pass on the clock."""
_PIECE_BYTES = 1 << 20


class Reader:
    """A process that reads files; started by the first one, and again after each that breaks it."""

    def __init__(self, longest_s: float = LONGEST_S) -> None:
        self._longest_s = longest_s
        self._child: subprocess.Popen[bytes] | None = None

    def read(self, path: Path) -> Text:
        """The words of one file, or why there are none."""
        child = self._child or self._start()
        assert child.stdin is not None
        try:
            child.stdin.write(json.dumps(str(path)).encode() + b"\n")
            child.stdin.flush()
            told = self._answer(child)
        except (BrokenPipeError, ValueError):
            told = b""
        if not told:
            late = self.close() == -signal.SIGXCPU or told is None
            return Text(why="takes longer than a minute" if late else "breaks the program that reads it")
        try:
            found = json.loads(told)
            return Text(str(found["text"])[:LARGEST_TEXT], str(found["form"]), str(found["title"]), str(found["why"]))
        except (ValueError, KeyError, TypeError):
            self.close()
            return Text(why="breaks the program that reads it")

    def _start(self) -> subprocess.Popen[bytes]:
        self._child = subprocess.Popen([sys.executable, "-P", "-m", "dreamd.library.formats.reading_child",
                                        str(math.ceil(self._longest_s))],
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        return self._child

    def _answer(self, child: subprocess.Popen[bytes]) -> bytes | None:
        """One line; empty where the process is gone, None where it takes too long."""
        assert child.stdout is not None
        clock, said = SystemClock(), bytearray()
        until_s = clock.monotonic() + self._longest_s * PATIENCE
        with selectors.DefaultSelector() as selector:
            selector.register(child.stdout, selectors.EVENT_READ)
            while not said.endswith(b"\n"):
                left_s = until_s - clock.monotonic()
                if left_s <= 0 or not selector.select(left_s):
                    return None
                piece = os.read(child.stdout.fileno(), _PIECE_BYTES)
                if not piece or len(said) > LARGEST_TEXT * 8:
                    return b""
                said += piece
        return bytes(said)

    def close(self) -> int:
        """End the process; gives how it ended."""
        child, self._child = self._child, None
        if child is None:
            return 0
        child.kill()  # nothing to one that is gone already
        for stream in (child.stdin, child.stdout):
            with suppress(OSError):
                if stream is not None:
                    stream.close()
        return child.wait()
