"""Everything one dream, or one command of a person, works with; opened together and closed together."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import tzinfo
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar
from zoneinfo import ZoneInfo

from dreamd import __version__
from dreamd.core import locks
from dreamd.core.clock import Clock
from dreamd.core.errors import ConfigError, Outage
from dreamd.core.locks import Background
from dreamd.core.paths import Paths, user_home
from dreamd.core.places.filesystems import check_local
from dreamd.core.settings import Settings
from dreamd.core.throttle import BATCH_BUDGET_S, COMPANY_BATCH_S, Batching, Company
from dreamd.core.values import Gated
from dreamd.core.world import World
from dreamd.models import Embedder, load_embedder
from dreamd.sources import SourceRoots
from dreamd.store import schema
from dreamd.store.backups import back_up
from dreamd.store.connection import Store, open_in_memory, open_reader, open_store
from dreamd.store.journal import DREAM, Run, begin_run, close_interrupted, end_run
from dreamd.store.presence import exchange, lost
from dreamd.store.set_asides import Aside
from dreamd.store.work import take_epoch
from dreamd.text.language import keep_with

if TYPE_CHECKING:
    from dreamd.judge import Judge
    from dreamd.models.language_model import LanguageModel
    from dreamd.models.lasting_net import Lasts
    from dreamd.models.pair_net import PairNet
    from dreamd.sources.exclusion import Exclusions

Row = TypeVar("Row")
PIECE_ROWS = 8
"""Rows between two looks at the clock."""
COMPANY_PIECE_ROWS = 2
"""The same while others write."""
Progress = Callable[[str, int, int], None]
"""Called with a phase, how much is done and of how much; must be quick."""


def no_progress(_phase: str, _done: int, _total: int) -> None:
    """Say nothing."""


@dataclass(frozen=True)
class Ahead:
    """How far a dream is on its way through a long backlog."""

    done: int = 0
    total: int = 0
    since_s: float = 0.0

    def left_s(self, now_s: float) -> float | None:
        """How long it still takes, going by how long it took so far; None before anything is done."""
        return (now_s - self.since_s) / self.done * (self.total - self.done) if self.done else None

    def counters(self, now_s: float) -> dict[str, int]:
        """The same as a heartbeat carries it; nothing where there is no long way."""
        left_s = self.left_s(now_s)
        return {"observations": self.done, "of": self.total, **({"left_s": round(left_s)} if left_s is not None else {})} \
            if self.total else {}


@dataclass
class Kit:
    """An open store with everything around it. Used by one thread."""

    world: World
    store: Store
    background: Background
    progress: Progress = no_progress
    should_stop: Callable[[], bool] = lambda: False
    embedder: Embedder | None = None
    judge: Judge | None = None
    language: LanguageModel | None = None
    """Who can be asked in words; None where no backend is set."""
    abroad: Embedder | None = None
    """What finds texts of other languages; sought when something is not English."""
    abroad_sought: bool = False
    reader: PairNet | None = None
    """What reads whether a statement answers a question; sought by the first question."""
    reader_sought: bool = False
    lasts: Lasts | None = None
    """What reads how surely a sentence of a person is meant to last, in place of the network that dream brings."""
    epoch: int | None = None
    extra_sources: tuple[Path, ...] = ()
    dry: bool = False
    as_worker: bool = False
    """Whether this machine only works for a team: then nothing that lies on it is read, and nothing is shown on it anew."""
    sound: bool = False  # whether whoever opened the store has seen of late that it is as dream left it
    standing_in: Path | None = None
    """Where the person stands who asked for this: what memories name can be looked for there, and nowhere else."""
    batching: Batching = Batching()
    """How large the next batch may be; it shrinks while others wait to write."""
    company: Company = Company()
    run: Run | None = None
    """The journal entry of what this kit does; begun by the first write, so that nothing to do leaves no byte."""
    at_begin: Callable[[], None] = lambda: None
    """Done once, before the first write."""
    kind: str = DREAM
    embedded: int = 0
    ahead: Ahead = Ahead()
    verdicts: dict[str, Gated] = field(default_factory=dict, repr=False)
    """What the gate decided on observations whose fate is yet to be written, by their ids."""
    aside: list[Aside] = field(default_factory=list)
    """What could not be worked with in this run and was set aside."""

    @property
    def paths(self) -> Paths:
        return self.world.paths

    @property
    def settings(self) -> Settings:
        return self.world.settings

    @property
    def clock(self) -> Clock:
        return self.world.clock

    @contextmanager
    def writing(self, *, durable: bool = True) -> Iterator[sqlite3.Connection]:
        """One short transaction of a dream: through the turnstile, under the write lock, in its own epoch.

        Afterwards whoever waits is let through, and the log of the store is folded in while nobody is kept waiting.
        What would only be done again after a loss of power need not be `durable`; whatever something outside the store
        relies on must be.
        """
        if self.run is None:
            self.begin()
        if self.batching.pause_s and not self.should_stop():
            self.clock.sleep(self.batching.pause_s)
        with self.in_turn():
            with self.background.batch():
                since_s = self.clock.monotonic()
                with self.store.writing(epoch=self.epoch, durable=durable) as tx:
                    yield tx
                    held_s = self.clock.monotonic() - since_s
            waited = self.background.someone_waits()
            self.batching = self.batching.after_yield() if waited else self.batching.after_batch(held_s)
            self.store.fold_if_long()

    @contextmanager
    def in_turn(self) -> Iterator[None]:
        """One piece of writing, to store or disk: while others write, some time after the last one and not in their way."""
        self._await_turn()
        since_s = self.clock.monotonic() - self.background.waited_s
        yield
        now_s = self.clock.monotonic()
        self.company = self.company.after_work(now_s - self.background.waited_s - since_s, now_s=now_s)

    def _await_turn(self) -> None:
        while True:
            now_s = self.clock.monotonic()
            self.company = self.company.after_look(met=self.store.others_wrote(), now_s=now_s)
            wait_s = self.company.wait_s(now_s)
            if not wait_s or self.should_stop():
                return
            self.clock.sleep(wait_s)

    @property
    def has_company(self) -> bool:
        """Whether others wrote here of late."""
        return self.company.is_here(self.clock.monotonic())

    def write_all(self, rows: Sequence[Row], write: Callable[[sqlite3.Connection, Sequence[Row]], object]) -> None:
        """Write many rows in batches that keep nobody waiting for long; durable with the next commit that is."""
        done = 0
        while done < len(rows):
            with self.writing(durable=False) as tx:
                for part in self.parts(rows, done):
                    write(tx, part)
                    done += len(part)

    def parts(self, rows: Sequence[Row], start: int) -> Iterator[Sequence[Row]]:
        """What fits into one batch, from `start` on, in small pieces: as many rows as it may have, within its time."""
        since_s, end = self.clock.monotonic(), min(len(rows), start + self.batching.rows)
        crowded = self.has_company and not self.company.has_rhythm(since_s)
        budget_s, piece = (COMPANY_BATCH_S, COMPANY_PIECE_ROWS) if crowded else (BATCH_BUDGET_S, PIECE_ROWS)
        while start < end and self.clock.monotonic() - since_s < budget_s:
            yield rows[start:min(end, start + piece)]
            start += piece

    @property
    def yields(self) -> int:
        """After how many batches in a row somebody was waiting."""
        return self.batching.yields

    def begin(self) -> Run:
        """Open the run in the journal and take the store over; a second call gives the same run."""
        if self.run is None:
            self.at_begin()
            self.store.leave_log()
            with self.background.batch(), self.store.writing() as tx:
                now = self.clock.now()
                held = self.store.held
                self.epoch = take_epoch(tx, held=held)
                close_interrupted(tx, ended_at=now, held=held)
                self.run = begin_run(tx, kind=self.kind, now=now, started_at=now, version=__version__, held=held)
        return self.run

    def end(self, reason: str, warnings: Sequence[str] = ()) -> None:
        """Close the run of a person's verb in the journal."""
        ended = replace(self.begin(), outcome="changed", reason=reason, warnings=tuple(warnings))
        with self.writing() as tx:
            end_run(tx, ended, ended_at=self.clock.now())
        self.store.checkpoint()

    @property
    def zone(self) -> tzinfo:
        """The zone the store counts its days in."""
        return read_zone(self.store.meta("zone") or "UTC")

    def load_embedder(self, expected_texts: int) -> Embedder:
        """The embedding model, loaded once.

        Raises Outage when it is away.
        """
        if self.embedder is None:
            model = self.settings.model
            self.embedder = load_embedder(model.engine, expected_texts=expected_texts, directory=model.directory,
                                          threads=model.threads, device=model.device, kept_in=self.paths.models,
                                          keep=not self.dry)
        return self.embedder

    def load_abroad(self) -> Embedder | None:
        """The encoder of other languages, loaded once; None where it is not installed or not the one that is known."""
        if self.abroad is None and not self.abroad_sought:
            from dreamd.models.multilingual import load_multilingual

            self.abroad_sought = True
            with suppress(Outage):  # other languages then stay apart, and `dream status` says why
                self.abroad = load_multilingual(threads=self.settings.model.threads, kept_in=self.paths.models,
                                                keep=not self.dry)
        return self.abroad

    def load_reader(self) -> PairNet | None:
        """What reads whether a statement answers a question, loaded once; None where it is missing or another one."""
        if self.reader is None and not self.reader_sought:
            from dreamd.models.answer_net import shared_answer_net

            self.reader_sought = True
            with suppress(Outage):  # answers then stand in the order of nearness
                self.reader = shared_answer_net(self.paths.models, threads=self.settings.model.threads, keep=not self.dry)
        return self.reader

    def load_lasting(self) -> Lasts:
        """What reads how surely a sentence is meant to last, anew for whoever asks: it is needed while conversations are heard.

        Raises Outage when the network is missing or another one.
        """
        from dreamd.models.lasting_net import load_lasting

        return self.lasts or load_lasting(self.paths.models, threads=self.settings.model.threads, keep=not self.dry)

    def load_judge(self) -> Judge:
        """The judge of pairs, made once."""
        if self.judge is None:
            self.judge = load_judge(self.world, keep=not self.dry)
        return self.judge


def load_judge(world: World, *, keep: bool = True) -> Judge:
    """The judge of pairs, with the network that reads them; with `keep` what is made of it is kept for the next one.

    Raises Outage when the network is missing or another one: nothing is judged without it, and what is to be placed waits.
    """
    from dreamd.judge import Judge
    from dreamd.models import pair_net

    return Judge(pair_net.load_pair_net(world.paths.models, threads=world.settings.model.threads, keep=keep))


def read_zone(name: str) -> tzinfo:
    """A time zone by its IANA name.

    Raises ConfigError for an unknown one.
    """
    try:
        return ZoneInfo(name)
    except (ValueError, OSError, KeyError):
        raise ConfigError(f"unknown time zone `{name}`", hint="set `store.zone` to a name like `Europe/Berlin`") from None


def _keep_languages(folder: Path, name: str, make: Callable[[], bytes], *, keep: bool) -> bytes:
    from dreamd.models import onnx_engine

    return onnx_engine.kept_graph(folder, onnx_engine.graph_name("languages", name), make, keep=keep)


def check_home(world: World) -> None:
    """Refuse a home whose locks would not exclude.

    Raises ConfigError for a network filesystem that was not allowed.
    """
    check_local(world.paths.home, allow_network=world.settings.store.allow_network_filesystem)


@contextmanager
def open_kit(world: World, *, create: bool = False, migrate: bool = False, read_only: bool = False) -> Iterator[Kit]:
    """Open the store and close it again, whatever happens in between.

    `read_only` with `create` gives an empty store in memory where there is none, for a dry run that leaves no trace.
    """
    if read_only and create and not lost.is_there(world.paths.store):
        lost.refuse_if_lost(world.paths.store)
        store = open_in_memory(schema.Founding(world.clock.now(), world.zone_name))
    elif read_only:
        store = open_reader(world.paths.store)
    else:
        check_home(world)
        read_zone(world.zone_name)
        if exchange.is_left(world.paths):
            with locks.foreground(world.paths.locks):
                exchange.finish(world.paths)
        founding = schema.Founding(world.clock.now(), world.zone_name) if create else None
        store = open_store(world.paths.store, create_with=founding, migrate=migrate,
                           before_migration=lambda connection: back_up(
                               connection, world.paths, now=world.clock.now(), keep=world.settings.store.backups_kept,
                               why="migration"))
    keep_with(partial(_keep_languages, world.paths.models, keep=not read_only))
    try:
        yield Kit(world, store, Background(world.paths.locks))
    finally:
        store.close()


@contextmanager
def open_to_change(world: World, *, create: bool = False, read_only: bool = False) -> Iterator[Kit]:
    """Open the store for what a person decides; a damaged one is refused, for nothing that is built on it would hold."""
    from dreamd.store import checks

    with open_kit(world, create=create, read_only=read_only) as kit:
        checks.refuse_if_unsound(kit.store, only_look=read_only)
        yield kit


@contextmanager
def open_to_look(world: World) -> Iterator[tuple[Kit, bool]]:
    """Open the store for a question; gives also whether an answer may be counted. Where nothing can be written, it is not."""
    try:
        with ExitStack() as opened:
            kit = opened.enter_context(open_kit(world))
            opened_with = opened.pop_all()
    except Outage as failure:
        if failure.component != "disk" and failure.code != "store-unreadable":
            raise
    else:
        with opened_with:
            yield kit, kit.store.writes
        return
    with open_kit(world, read_only=True) as kit:
        yield kit, False


def source_roots(world: World, extra: tuple[Path, ...] = ()) -> SourceRoots:
    """Where the harnesses of this machine keep their files, as far as the settings let dream look."""
    from dreamd.sources.places import roots_in

    roots = roots_in(world.env, user_home(world.env), world.settings.sources, extra=extra)
    return replace(roots, leave_out=exclusions(world).has_path)


def exclusions(world: World) -> Exclusions:
    """What the person keeps from being read."""
    from dreamd.sources.exclusion import Exclusions

    return Exclusions(world.settings.sources.exclude, str(user_home(world.env)))
