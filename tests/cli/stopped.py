"""`dream` in a process that is sent a signal at a chosen moment: `stopped.py NAME TIMES AT COMMAND…`.

The moment is a write of the dream, counted from 1: nothing hangs on how fast a machine is. With TIMES 2 the second signal
comes at the next look at whether to stop.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from dreamd.cli import stopping
from dreamd.cli.main import main
from dreamd.kit import Kit
from dreamd.service import manners

number, times, at = getattr(signal, sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
stopping.LONGEST_STEP_S = 120.0  # how long a step takes here tells how busy the machine is, and nothing about dream
writing, looks, count = Kit.writing, manners.Stop.__call__, 0


@contextmanager
def counted(kit: Kit, *, durable: bool = True) -> Iterator[object]:
    """A write of the dream; the chosen one is interrupted in the middle."""
    global count
    with writing(kit, durable=durable) as tx:
        count += 1
        if count == at:
            os.kill(os.getpid(), number)
        yield tx


def look(stop: manners.Stop) -> bool:
    """Asked once, it is asked again."""
    if stop.code and times > 1:
        os.kill(os.getpid(), number)
    return looks(stop)


Kit.writing = counted  # type: ignore[method-assign, assignment]
manners.Stop.__call__ = look  # type: ignore[method-assign]
code = main(sys.argv[4:])
print(f"writes {count}", file=sys.stderr)
sys.exit(code)
