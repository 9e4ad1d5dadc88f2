"""Cases of a crash harness: a home, faults at chosen effects, recovery by running again, and what is wrong afterwards."""

from __future__ import annotations

import os
import shutil
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from faults import KILLED, Fault, watched

from dreamd.core.errors import DreamError
from household import House, differences, snapshot

Act = Callable[[House], object]


@dataclass
class Outcome:
    """How many cases were tried and which of them left something wrong."""

    cases: int = 0
    anomalies: list[str] = field(default_factory=list)


@dataclass
class Ordeal:
    """An act over a prepared home, and what it comes to when nobody disturbs it.

    Recovery is the act itself once more. Where an act is done or not done as a whole, `recover` says what follows it
    instead, and both ends are accepted.
    """

    prepared: House
    act: Act
    now: str
    room: Path
    recover: Act | None = None
    flushes: bool = True
    accepted: list[dict[str, object]] = field(default_factory=list)
    effects: list[str] = field(default_factory=list)
    _made: int = 0

    def rehearse(self) -> None:
        """Let the act run undisturbed: count its effects and keep what it leads to."""
        house = self.fresh()
        with watched(house.home) as disk:
            self.act(house)
        self.effects = disk.effects
        if self.recover is not None:
            self.recover(house)
            untouched = self.fresh()
            self.recover(untouched)
            self.accepted.append(snapshot(untouched.home))
        assert house.faults(self.now) == []
        self.accepted.append(snapshot(house.home))

    def cases(self, kinds: Iterable[Fault]) -> Iterator[Fault]:
        """Every fault at every effect it fits."""
        chosen = tuple(kinds)
        for number, effect in enumerate(self.effects, 1):
            yield from (replace(kind, at=number) for kind in chosen if kind.fits(effect))

    def try_all(self, faults: Iterable[Fault]) -> Outcome:
        """Try faults one by one, each on a home of its own."""
        return self.try_series((fault,) for fault in faults)

    def catches(self, faults: Iterable[Fault]) -> bool:
        """Whether any of some faults leaves something wrong: for controls, which need no second one."""
        return any(self.suffer([fault]) for fault in faults)

    def try_series(self, series: Iterable[Sequence[Fault]]) -> Outcome:
        """Try series of faults: the second strikes the recovery from the first, and so on."""
        outcome = Outcome()
        for faults in series:
            outcome.cases += 1
            name = ", then ".join(f"{fault.name} at effect {fault.at}" for fault in faults)
            outcome.anomalies += [f"{name}: {wrong}" for wrong in self.suffer(faults)]
        return outcome

    def suffer(self, faults: Sequence[Fault]) -> list[str]:
        """One case: the faults one after the other, recovery, and what differs from the undisturbed run."""
        house = self.fresh()
        try:
            wrong = []
            for fault in faults:
                wrong += self.strike(house, fault)
            return wrong + self._compare(house)
        finally:
            shutil.rmtree(house.root)

    def strike(self, house: House, fault: Fault) -> list[str]:
        """The act with one fault in it."""
        return self._in_a_child(house, fault) if fault.die else self._here(house, fault)

    def fresh(self) -> House:
        """The prepared home once more, in a place of its own."""
        self._made += 1
        root = self.room / f"case-{self._made}"
        root.mkdir()
        return self.prepared.copy_to(root)

    def _here(self, house: House, fault: Fault) -> list[str]:
        try:
            with watched(house.home, fault):
                self.act(house)
        except DreamError:
            return []
        except Exception as error:  # noqa: BLE001 - an error that is no sentence is what the harness looks for
            return [f"an error nobody can act on: {_where(error)}"]
        return []

    def _in_a_child(self, house: House, fault: Fault) -> list[str]:
        child = os.fork()
        if child == 0:
            code = 1
            try:
                with watched(house.home, fault, flushes=self.flushes):
                    self.act(house)
                code = 0
            finally:
                os._exit(code)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        return [] if code in (KILLED, 0) else [f"the child ended with {code} instead of being killed"]

    def _compare(self, house: House) -> list[str]:
        try:
            (self.recover or self.act)(house)
            wrong = house.faults(self.now)
            after = snapshot(house.home)
        except Exception as error:  # noqa: BLE001 - whatever goes wrong in a recovery is an anomaly
            return [f"recovery failed: {_where(error)}"]
        if after in self.accepted:
            return wrong
        return wrong + [f"{name} differ" for name in differences(self.accepted[-1], after)]


def _where(error: BaseException) -> str:
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__}: {error} ({Path(last.filename).name}:{last.lineno})"


def sampled(faults: Iterable[Fault], most: int) -> list[Fault]:
    """An even sample, the same on every machine, that takes part of every stretch of the run."""
    everything = list(faults)
    if len(everything) <= most:
        return everything
    step = len(everything) / most
    return [everything[int(n * step)] for n in range(most)]
