"""One bad thing stops one thing: what raises while it is worked with is set aside with its reason, and the night goes on.

What concerns everything (the disk, the store, the model, the wish to stop) is not caught here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

from dreamd import __version__
from dreamd.core import telemetry
from dreamd.core.errors import Outage, concerns_all
from dreamd.core.values import content_id, storable
from dreamd.kit import Kit
from dreamd.store import set_asides
from dreamd.store.set_asides import MESSAGE, OBSERVATION, Aside
from dreamd.text.redaction import redact

T = TypeVar("T")
R = TypeVar("R")
Look = Callable[[], str]
NAMED_BY_ID = frozenset({MESSAGE, OBSERVATION})
MOST_BAD = 32
"""So many are taken out of what is worked with together; with more of them it is no single thing that is bad."""


def unchanging() -> str:
    """The look of a thing that never changes."""
    return ""


@contextmanager
def apart(kit: Kit, kind: str, name: str, look: Look = unchanging) -> Iterator[None]:
    """Let one thing fail alone; `look` tells how it looks now."""
    try:
        yield
    except Exception as error:
        if concerns_all(error):
            raise
        set_aside(kit, Aside(kind, name, type(error).__name__, look()), error)


def without_bad(items: Sequence[T], work: Callable[[Sequence[T]], R], bad: Callable[[T, Exception], None]) -> R:
    """Work with all that can be worked with; `bad` is told of each that cannot, the first one first."""
    left = list(items)
    for _ in range(MOST_BAD):
        raised = _try(left, work)
        if not isinstance(raised, Exception):
            return raised
        good, failing = 0, len(left)
        while failing - good > 1:  # the shortest beginning that fails ends with a bad one
            middle = (good + failing) // 2
            found = _try(left[:middle], work)
            good, failing = (good, middle) if isinstance(found, Exception) else (middle, failing)
            raised = found if isinstance(found, Exception) else raised
        if not left:
            raise raised
        bad(left.pop(failing - 1), raised)
    return work(left)


def _try(items: Sequence[T], work: Callable[[Sequence[T]], R]) -> R | Exception:
    try:
        return work(items)
    except OSError as failure:  # no observation has a file of its own: it is the machine that refuses
        raise Outage("a file that the work needs could not be read or written", component="disk", code="refused",
                     hint="look at the space and the rights of the disk; what waits is taken up by the next dream") from failure
    except Exception as error:
        if concerns_all(error):
            raise
        return error


def stands(kit: Kit, kind: str, name: str, look: Look = unchanging) -> bool:
    """Whether a thing is set aside and looks as it did then."""
    known = _known(kit, kind, name)
    return known is not None and known.version == __version__ and known.mark == look()


def _known(kit: Kit, kind: str, name: str) -> Aside | None:
    return set_asides.load_aside(kit.store, Aside(kind, name, "").key)


def set_aside(kit: Kit, aside: Aside, error: Exception | None = None) -> None:
    """Remember that a thing was set aside; one that was so before, and looks the same, says nothing new."""
    shown = aside.name if aside.kind in NAMED_BY_ID else storable(redact(aside.name).text)
    fresh = Aside(aside.kind, shown, aside.why, aside.mark, __version__, storable(redact(aside.place).text),
                  content_id(aside.kind, aside.name))
    if fresh == set_asides.load_aside(kit.store, fresh.key):
        return
    kit.aside.append(fresh)
    if not kit.dry:
        if error is not None:
            telemetry.log_crash(kit.paths, error)
        with kit.writing() as tx:
            set_asides.write_aside(tx, fresh)


def taken_up(kit: Kit, kind: str, name: str) -> None:
    """A thing could be worked with: it is not set aside any more."""
    known = _known(kit, kind, name)
    if known is not None and not kit.dry:
        with kit.writing() as tx:
            set_asides.drop_aside(tx, known)


def try_old_ones(kit: Kit) -> None:
    """Have what another version of dream set aside tried again."""
    old = [one for one in set_asides.load_asides(kit.store) if one.version != __version__]
    if old and not kit.dry:
        with kit.writing() as tx:
            for one in old:
                set_asides.try_again(tx, one)
