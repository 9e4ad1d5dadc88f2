"""What the tasks of a worker do: dream one scope, see to a night, check; each bound to its tenant before the first query.

A worker reads nothing that lies on its machine and shows nothing on it; several tasks have a place each, so that the locks
of a home, which keep a person's dreams apart, keep no two scopes waiting.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from copy import copy
from dataclasses import dataclass, replace
from datetime import timedelta

from dreamd.core import fsio, locks
from dreamd.core.clock import ShiftedClock, SystemClock
from dreamd.core.errors import ConfigError, Locked, Outage, UsageError
from dreamd.core.locks import Owner
from dreamd.core.paths import Paths
from dreamd.core.throttle import Throttle
from dreamd.core.values import parse_scope
from dreamd.core.world import World
from dreamd.dream import check
from dreamd.dream.cycle import run_cycle
from dreamd.dream.planning import Wish
from dreamd.judge import Judge
from dreamd.kit import Kit, open_kit
from dreamd.models import Embedder
from dreamd.service.gating.due import find_slots
from dreamd.service.manners import Pulse, Stop
from dreamd.store import checks
from dreamd.store.team import task_queue
from dreamd.store.team.pointer import point

MOST_PLACES = 256
STEP_ASIDE_S = 2.0
"""How long a task waits for one that must not run beside it."""
AWAY_S = 30.0
"""How long a task waits that this machine lacks something for; another one may take it meanwhile."""
LOOK_OVER_S = 3600.0
OTHER_VERSION = ("store-newer", "store-older")
PATIENCE = timedelta(hours=1)
"""How long the rest of a night waits for the scopes; after that the fence sees to it that nothing is done twice."""
CHECK_EVERY = timedelta(days=1)
WHY = "a worker"


class Later(Exception):
    """Not now: nothing failed, and the task goes back to where it was."""

    def __init__(self, wait_s: float) -> None:
        super().__init__()
        self.wait_s = wait_s


@dataclass
class Tools:
    """What is dear to load, handed from task to task; each is used by one at a time."""

    embedder: Embedder | None = None
    judge: Judge | None = None
    abroad: Embedder | None = None
    abroad_sought: bool = False


class Errands:
    """The tasks of one worker, for the tenants it serves."""

    def __init__(self, world: World, tenants: tuple[str, ...], *, stop: Stop, furnish: Callable[[], Tools] = Tools) -> None:
        self.url, self.tenants = world.settings.store.url, tenants
        self.stop = stop
        self.done = self.failed = self.put_off = 0
        self.broken: Outage | None = None
        """What this machine lacks for any task: that is no fault of the task's."""
        self.after: Callable[[], None] = lambda: None
        """Called after every task, whatever became of it."""
        self._world = world
        self._sound_s: dict[str, float] = {}
        self._furnish, self._idle, self._counting = furnish, list[Tools](), threading.Lock()

    def carry_out(self, task: str, tenant: str, lock: str) -> str:
        """Do one task; raises Later where it is to be done at another time."""
        if tenant not in self.tenants:
            raise UsageError("a task of a tenant that this worker does not serve")
        act = {task_queue.DREAM: self._dream, task_queue.NIGHT: self._night, task_queue.REST: self._rest,
               task_queue.HEALTH: self._health, task_queue.LOOK: self._look}[task]
        outcome = "failed"
        try:
            with self._at_work(tenant) as kit:
                outcome = act(kit, lock)
            return outcome
        except Later:
            outcome = "later"
            raise
        except Locked:
            if not self.stop():
                raise
            outcome = "later"
            raise Later(0) from None
        except Outage as outage:
            if outage.component == "db" and outage.code not in OTHER_VERSION:
                raise
            outcome, self.broken = "later", outage
            raise Later(AWAY_S) from None
        finally:
            with self._counting:
                self.done += outcome not in ("failed", "later")
                self.failed += outcome == "failed"
                self.put_off += outcome == "later"
            self.after()

    def _dream(self, kit: Kit, lock: str) -> str:
        base = task_queue.base_of(kit.store)
        if task_queue.count_running(base, task_queue.REST):
            raise Later(STEP_ASIDE_S)
        scope = task_queue.find_scope(base, lock)
        if scope is None:
            return "nothing-to-do"
        kit.store.held = scope
        return run_cycle(kit, Wish(scope=parse_scope(scope)), why=WHY).outcome

    def _night(self, kit: Kit, _lock: str) -> str:
        base = task_queue.base_of(kit.store)
        task_queue.call_for_all(base)
        task_queue.call_for(base, task_queue.REST, priority=-1)
        task_queue.note_night(base)
        return "changed"

    def _rest(self, kit: Kit, _lock: str) -> str:
        """What belongs to no scope, and what gets old by itself: once the scopes are done."""
        base = task_queue.base_of(kit.store)
        tended = task_queue.load_tended(base)
        if task_queue.count_running(base, task_queue.DREAM) and tended.now - tended.night_at < PATIENCE:
            raise Later(STEP_ASIDE_S)
        return run_cycle(kit, why=WHY).outcome

    def _health(self, kit: Kit, _lock: str) -> str:
        found = [f for f in check.check(kit) if f.verdict not in (check.OK, check.EDITED)]
        task_queue.note_check(task_queue.base_of(kit.store), faults=len(found))
        return "changed"

    def _look(self, kit: Kit, _lock: str) -> str:
        """Whether a night or a check is due, however long nobody looked."""
        base = task_queue.base_of(kit.store)
        task_queue.drop_old(base)
        tended = task_queue.load_tended(base)
        if tended.night_at < find_slots(tended.now, kit.settings.service.nightly_at, kit.zone).passed:
            task_queue.call_for(base, task_queue.NIGHT)
        if tended.checked_at is None or tended.now - tended.checked_at >= CHECK_EVERY:
            task_queue.call_for(base, task_queue.HEALTH, priority=-1)
        return "changed"

    @contextmanager
    def _at_work(self, tenant: str) -> Iterator[Kit]:
        with self._place(tenant) as paths, open_kit(replace(self._world, paths=paths)) as kit:
            if type(kit.clock) is SystemClock:
                # Times of several machines stand side by side in one store: all of them are the server's.
                ahead = task_queue.load_tended(task_queue.base_of(kit.store)).now - kit.clock.now()
                kit.world = replace(kit.world, clock=ShiftedClock(ahead))
            kit.as_worker = True
            self._see_that_it_is_sound(kit, tenant)
            kit.should_stop = self.stop
            kit.background = locks.Background(paths.locks, should_stop=self.stop)
            kit.progress = Pulse(self.stop, Throttle(kit.clock, paced=False, should_stop=self.stop))
            with self._counting:
                tools = self._idle.pop() if self._idle else self._furnish()
            kit.embedder, kit.judge = tools.embedder, tools.judge
            kit.abroad, kit.abroad_sought = tools.abroad, tools.abroad_sought
            try:
                yield kit
            finally:
                with self._counting:
                    self._idle.append(Tools(kit.embedder, kit.judge, kit.abroad, kit.abroad_sought))

    def _see_that_it_is_sound(self, kit: Kit, tenant: str) -> None:
        """Look over what is due of a tenant, as every dream does before it begins, but not before each of thousands."""
        now_s = kit.clock.monotonic()
        if now_s - self._sound_s.get(tenant, -LOOK_OVER_S) >= LOOK_OVER_S:
            checks.refuse_if_unsound(kit.store)
            self._sound_s[tenant] = now_s
        kit.sound = True

    @contextmanager
    def _place(self, tenant: str) -> Iterator[Paths]:
        """A place of this task's own in the home, also beside other workers of the same home."""
        own = tenant == self._world.settings.store.tenant
        paths = copy(self._world.paths) if own else Paths(self._world.paths.home / "tenants" / tenant)
        paths.models = self._world.paths.models
        owner = Owner("dream worker", self._world.clock.now())
        with ExitStack() as held:
            for number in range(MOST_PLACES):
                place = paths.home / "workers" / str(number)
                fsio.make_private_dir(place)
                try:
                    held.enter_context(locks.hold_service(place / "locks", owner, wait_s=0))
                except Locked:
                    continue
                paths.locks, paths.heartbeat = place / "locks", place / "heartbeat.json"
                point(paths.store, self.url, tenant)
                yield paths
                return
        raise ConfigError(f"{MOST_PLACES} tasks are at work in this home already")
