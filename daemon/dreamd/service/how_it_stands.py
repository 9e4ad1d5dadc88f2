"""How dream stands at one moment: what it is doing, what holds it back, what waits, what is away, how healthy it is.

Read once and as values, for `dream status` and whoever else tells it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from dreamd import probe
from dreamd.core import locks, outage, telemetry
from dreamd.core.clock import FixedClock
from dreamd.core.errors import StoreMissing
from dreamd.core.outage import Marker
from dreamd.core.paths import default_config
from dreamd.core.telemetry import Beat
from dreamd.core.values import Status
from dreamd.core.world import World
from dreamd.dream import setting_aside
from dreamd.dream.setting_aside import Copy
from dreamd.models import multilingual
from dreamd.probing.health import Report
from dreamd.service.gating.due import SUCCESSES
from dreamd.service.gating.gates import Outlook, look_for_auto
from dreamd.service.gating.pause import read_pause
from dreamd.service.installing.install import may_install
from dreamd.store import journal, memories, observations, set_asides
from dreamd.store.connection import Store, open_reader
from dreamd.store.journal import Run
from dreamd.store.set_asides import Aside


@dataclass(frozen=True)
class Standing:
    """Everything the command tells, read once."""

    dreamer: str
    service: str
    beat: Beat | None
    """Of the dream that is at work."""
    pulse: Beat | None
    """Of the service."""
    last: Run | None
    last_good: Run | None
    memories: dict[str, int]
    waiting: int
    oldest_at: datetime | None
    inbox: int
    outlook: Outlook
    markers: tuple[Marker, ...]
    health: Report
    """What `dream probe` says at this moment, so that the two never contradict each other."""
    deletions: int
    """Of a person's, past their limit."""
    damaged: tuple[Copy, ...]
    """Files that were damaged and of which a copy is kept."""
    apart: str = ""
    """Why nothing is compared across languages; empty where it is."""
    categories: dict[str, int] = field(default_factory=dict)
    """Live memories by section of the index."""
    aside: tuple[Aside, ...] = ()
    """What could not be worked with and waits for a change, or for the next version."""
    model: tuple[str, ...] = ()
    """How it stands with asking a language model; empty where none is configured."""
    asking: dict[str, object] | None = None
    """The same for programs."""

    may_install: bool = True
    """Whether something here could start a service every night."""

    @property
    def by_hand(self) -> str:
        """What to do where no service runs."""
        return "`dream consolidate` dreams now" + (", `dream service install` every night" if self.may_install else "")

    @property
    def state(self) -> str:
        if self.dreamer:
            return "dreaming"
        return "paused" if self.outlook.pause is not None else "idle"

    @property
    def held_by(self) -> tuple[str, ...]:
        """What holds a dream back: the word of the service where one decides, else what we would decide."""
        waits = self.pulse is not None and self.pulse.state == "waiting" and self.outlook.pause is None
        return self.pulse.holds if waits and self.pulse is not None else self.outlook.held_by()

    @property
    def next_at(self) -> datetime | None:
        """When a dream is due by time alone."""
        return self.outlook.due.next_at

    @property
    def due_since(self) -> datetime | None:
        return self.outlook.deferral.since if self.outlook.deferral is not None else None


def look(world: World) -> Standing:
    """How everything stands now.

    Raises StoreMissing where nothing is there yet.
    """
    try:
        store = open_reader(world.paths.store)
    except StoreMissing as missing:
        held = read_pause(world.paths, world.clock.now())
        raise StoreMissing(f"{missing.message}; {held.words}" if held else missing.message, hint=missing.hint) from None
    with store:
        return _read(world, store)


def ask_probe(world: World) -> Report:
    """What `dream probe` says, without its long look into the store."""
    return probe.inspect(probe.World(home=str(world.paths.home), now=world.clock.now(), env=dict(world.env),
                                     config=str(world.settings.path or default_config(world.env)),
                                     fixed=isinstance(world.clock, FixedClock), deep=False))


def _read(world: World, store: Store) -> Standing:
    paths = world.paths
    dreamer = locks.read_owner(paths.locks, locks.DREAM_LOCK)
    service = locks.read_owner(paths.locks, locks.SERVICE_LOCK)
    runs = journal.load_runs(store, limit=1)
    waiting, oldest_at = observations.count_pending(store)
    model, asking = _asking(world, store)
    return Standing(
        model=model, asking=asking, may_install=may_install(world.env),
        dreamer=dreamer, service=service, pulse=telemetry.read_beat(paths.heartbeat) if service else None,
        beat=telemetry.read_beat(telemetry.cycle_beat_path(paths)) if dreamer else None, last=runs[0] if runs else None,
        last_good=journal.last_run(store, outcomes=SUCCESSES), memories=_counted(store),
        categories=memories.count_by_category(store), waiting=waiting,
        oldest_at=oldest_at, inbox=len(list(paths.inbox.glob("*.json"))) if paths.inbox.is_dir() else 0,
        apart=multilingual.find_multilingual(kept_in=paths.models, keep=False),
        outlook=look_for_auto(world, store), deletions=len(observations.load_put_off(store)),
        damaged=tuple(setting_aside.list_copies(paths)),
        aside=tuple(set_asides.load_asides(store)), health=ask_probe(world),
        markers=tuple(outage.read_markers(paths.outage, now=world.clock.now(),
                                          fallback=outage.runtime_dir(world.env, paths.home))))


def _counted(store: Store) -> dict[str, int]:
    """How many memories there are of each status: first what holds."""
    order = {status.value: n for n, status in enumerate(Status)}
    return dict(sorted(memories.count_by_status(store).items(), key=lambda one: order.get(one[0], len(order))))


def _asking(world: World, store: Store) -> tuple[tuple[str, ...], dict[str, object] | None]:
    settings = world.settings.llm
    if settings.backend == "off":
        return (), None
    from dreamd.kit import read_zone
    from dreamd.llm import ledger

    zone = read_zone(store.meta("zone") or "UTC")
    account = ledger.load_account(store, settings, now=world.clock.now(), zone=zone)
    return tuple(ledger.tell_account(account, settings, zone)), ledger.account_document(account, settings, zone)
