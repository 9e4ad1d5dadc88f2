"""Facts that are read when they are first asked for, and once: most pairs are decided by a few of all there are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

Fact = TypeVar("Fact")


class lazily(Generic[Fact]):
    """A method that becomes an attribute: what it gave the first time, kept beside the others of its object.

    What `functools.cached_property` does, without the lock that it takes each time.
    """

    def __init__(self, read: Callable[[Any], Fact]) -> None:  # Any: the class that the method belongs to
        self._read = read
        self._name = read.__name__
        self.__doc__ = read.__doc__

    def __get__(self, owner: Any, _kind: type | None = None) -> Fact:
        fact: Fact = self._read(owner)
        setattr(owner, self._name, fact)  # found there from now on, before this is asked again
        return fact
