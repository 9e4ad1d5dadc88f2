"""The two ways out of a lost or damaged store: back to a verified copy, or a new one that a person wants on purpose."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from dreamd.core import fsio, locks, outage
from dreamd.core.errors import Corrupt, DreamError, Outage, Refused, StoreMissing, UsageError
from dreamd.core.locks import Owner
from dreamd.core.paths import Paths
from dreamd.core.world import World
from dreamd.dream.phases.orient import take_inbox
from dreamd.kit import open_kit
from dreamd.store import backups, journal, schema
from dreamd.store.connection import open_reader, open_store
from dreamd.store.language.spent_before import carry_over
from dreamd.store.presence import exchange, lost


@dataclass(frozen=True)
class Restored:
    """The copy that was used, where the store before it is kept, and what of it waits in the inbox."""

    used: Path
    kept: Path | None
    saved: int
    whole: bool
    """False where the store before it could not be read as a whole."""


@dataclass(frozen=True)
class Founded:
    """What came into a new store, what was moved away for it, and what a person should hear about."""

    taken: int
    kept: tuple[Path, ...]
    warnings: tuple[str, ...]


def restore_store(world: World, file: Path | None = None) -> Restored:
    """Put a verified copy in the store's place; the present store is kept beside it.

    What only the present store holds waits in the inbox before anything is changed. Raises StoreMissing without a copy,
    Corrupt when none can be trusted, Locked while a dream is at work.
    """
    paths = world.paths
    if file is not None and file.exists() and paths.store.exists() and file.samefile(paths.store):
        raise UsageError("that is the store itself", hint="name a file from `backups/`, or none for the newest sound one")
    with locks.hold_dream(paths.locks, Owner("dream restore-store", world.clock.now())), locks.foreground(paths.locks):
        exchange.finish(paths)
        choices = [file] if file else backups.list_backups(paths.backups)[::-1]
        if not choices:
            raise StoreMissing(f"no backup in `{paths.backups}`",
                               hint="dream makes one every week and before a migration; without one `dream init --new` "
                                    "begins anew, and what is there now is kept beside")
        with _first_sound(choices, paths.backups) as (chosen, plain):
            saved = exchange.save(paths, plain, world.clock.now())
            exchange.append_settling(paths, known=saved.whole)
            exchange.bring(paths, plain, exchange.new_stamp(paths, world.clock.now()))
        kept = exchange.finish(paths)
        if kept is not None:
            carry_over(kept, paths.store)
        exchange.prune(paths)
    _clear_marker(world)
    return Restored(chosen, kept, saved.observations, saved.whole)


def begin_anew(world: World, *, anew: bool) -> Founded:
    """Found a store; with `anew` also where one is lost or damaged, whose remains are moved beside.

    Raises Refused where a sound store is, Outage where one is lost and nobody said that it may be, Corrupt likewise.
    """
    paths = world.paths
    fsio.make_private_dir(paths.locks)
    with locks.hold_dream(paths.locks, Owner("dream init", world.clock.now())):
        with locks.foreground(paths.locks):
            exchange.finish(paths)
            _refuse_if_sound(paths, anew=anew)
            kept = _move_away(paths, exchange.new_stamp(paths, world.clock.now())) if anew else ()
            founding = schema.Founding(world.clock.now(), world.zone_name, anew=anew)
            open_store(paths.store, create_with=founding).close()
        _clear_marker(world)
        warnings: list[str] = []
        with open_kit(world) as kit:
            taken = take_inbox(kit, warnings)
            if kit.run is not None:
                # Taking in is no dream: what it stored stays, its journal entry goes.
                with kit.writing() as tx:
                    journal.drop_run(tx, kit.run)
    return Founded(taken, kept, tuple(warnings))


def _refuse_if_sound(paths: Paths, *, anew: bool) -> None:
    try:
        with open_reader(paths.store) as store:
            backups.verify_store(store.connection, paths.store)
    except Corrupt:
        if not anew:
            raise
        return
    except StoreMissing:
        return
    except Outage as failure:
        if failure.code != lost.CODE or not anew:
            raise
        return
    raise Refused(f"there is a store at `{paths.store}`, and it is sound",
                  hint="`dream status` shows it; another one needs another place, `--home DIR`")


def _move_away(paths: Paths, stamp: str) -> tuple[Path, ...]:
    """Move what is left of the old store and its files beside: they are not this store's, and no person's edits either."""
    old = exchange.move_aside(paths, stamp)
    kept = [old] if old is not None else []
    for folder in (paths.memory, paths.archive):
        if folder.is_dir() and not folder.is_symlink():
            target = folder.with_name(f"{folder.name}.replaced-{stamp}")
            fsio.move(folder, target)
            kept.append(target)
    return tuple(kept)


def _clear_marker(world: World) -> None:
    with suppress(DreamError):  # the next dream takes it away as well
        outage.clear(world.paths.outage, "db", fallback=outage.runtime_dir(world.env, world.paths.home))


@contextmanager
def _first_sound(choices: Sequence[Path], place: Path) -> Iterator[tuple[Path, Path]]:
    """The first copy that can be trusted, and a file with what is in it."""
    for path in choices:
        if not path.is_file():
            raise StoreMissing(f"no file at `{path}`")
        with suppress(Corrupt), ExitStack() as tried:
            plain = tried.enter_context(backups.unpacked(path, place))
            with closing(sqlite3.connect(f"{plain.absolute().as_uri()}?mode=ro", uri=True)) as copy:
                backups.verify_store(copy, path)
            opened = tried.pop_all()
            break
    else:
        raise Corrupt("no copy of the store can be trusted",
                      hint="look into `backups/`; `dream init --new` begins anew, and what is there now is kept beside")
    with opened:
        yield path, plain
