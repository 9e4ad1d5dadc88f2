"""What can go wrong, as sentences for a person.

    DreamError            1   a failure without a name of its own
    ├── UsageError        2   wrong arguments
    ├── CouldNotLook      2   a check for CI could not look, and so tells nothing
    ├── Partial           3   finished, some inputs set aside, each listed
    ├── Refused           4   a safety limit stopped the run, nothing was changed
    │   └── Overtaken     4   what a person decided about has changed since they saw it
    ├── StoreMissing     10   nothing there, with the command that creates it
    ├── Locked           11   another dream is at work and a person asked
    ├── Outage           12   model, disk or store unavailable; marker written, nothing lost
    ├── Corrupt          13   state contradicts itself; dream refuses to write
    └── ConfigError      78   settings unusable

The class knows its exit code; only `cli` turns an error into text and leaves the process.
A message never contains memory text: it may end up in a log.
"""

from __future__ import annotations

import errno

OF_THE_MACHINE = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS, errno.EMFILE, errno.ENFILE, errno.ENOMEM})
"""Failures of a call that the next thing would meet as well."""


class DreamError(Exception):
    """A failure, what happened in one sentence, and what to do next where that is known."""

    exit_code = 1
    outcome = "failed"

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(DreamError):
    """The command was called with arguments that mean nothing."""

    exit_code = 2


class CouldNotLook(DreamError):
    """A check that answers by its exit code could not look, and so tells nothing."""

    exit_code = 2


class Partial(DreamError):
    """The work is finished, but some inputs were set aside; each is listed."""

    exit_code = 3
    outcome = "partial"


class Refused(DreamError):
    """A safety limit stopped the run and nothing was changed."""

    exit_code = 4
    outcome = "refused"


class Overtaken(Refused):
    """What a person decided about is no longer what they saw: nothing was changed, and they look again."""


class StoreMissing(DreamError):
    """There is no store, or nothing in it by that name."""

    exit_code = 10


class Locked(DreamError):
    """Another dream is at work."""

    exit_code = 11
    outcome = "locked"


class Outage(DreamError):
    """A component dream depends on is away; a marker says so and nothing is lost.

    `component` is one of `outage.COMPONENTS`; `code` a short stable reason such as `model-missing`.
    """

    exit_code = 12
    outcome = "outage"

    def __init__(self, message: str, *, component: str, code: str, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.component = component
        self.code = code


class Corrupt(DreamError):
    """State contradicts itself; dream refuses to write over it."""

    exit_code = 13

    def __init__(self, message: str, *, hint: str | None = "run `dream check`, then `dream check --repair`") -> None:
        super().__init__(message, hint=hint)


class ConfigError(DreamError):
    """The settings cannot be used."""

    exit_code = 78


def concerns_all(error: BaseException) -> bool:
    """Whether an error speaks of more than the thing that was being worked with.

    A library or a file of dream's own that is gone (an upgrade under a running dream) is nobody's bad observation: what was
    set aside for it would wait for ever.
    """
    if isinstance(error, OSError):
        return error.errno in OF_THE_MACHINE
    known = isinstance(error, DreamError | ImportError | MemoryError) or type(error).__module__ == "sqlite3"
    return (known and not isinstance(error, UsageError)) or bool(getattr(error, "of_progress", False))


def of_progress(error: BaseException) -> None:
    """Mark what was raised by whoever shows how far a dream is: it is no fault of what the dream was working with."""
    error.of_progress = True  # type: ignore[attr-defined]
