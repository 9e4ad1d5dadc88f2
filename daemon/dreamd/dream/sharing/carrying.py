"""What has the network: takes up what lies ready, and brings the copy of the team's memory up to date. Sees no store beside.

Both ways are in pieces that may come twice: a statement is known by what it says and a copy by what it was made of, so whatever
was interrupted goes on with the next sync, a week later too.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace

from dreamd import __version__
from dreamd.core import fsio, locks
from dreamd.core.clock import iso
from dreamd.core.errors import ConfigError, Refused
from dreamd.core.locks import Background, Owner
from dreamd.core.values import CURRENT, Candidate, Scope, content_id, parse_scope
from dreamd.core.world import World
from dreamd.dream.scopes import mirror
from dreamd.dream.sharing.offering import is_shared, offered_in
from dreamd.kit import Kit
from dreamd.models import ALIKE
from dreamd.store import derived, forgetting, memories, observations, schema
from dreamd.store.connection import Store, open_store
from dreamd.store.intake.inbox import from_row
from dreamd.store.journal import begin_run, end_run
from dreamd.store.moving.rows_copied import drop_copies, load_copies, write_copies
from dreamd.store.moving.rows_out import load_some_records
from dreamd.store.presence.team_copy import SYNCED, world_of_copy
from dreamd.store.scopes.projects import Known, find_known, load_known, write_known
from dreamd.store.team.pointer import Place, checked
from dreamd.store.team.shape import MACHINES
from dreamd.store.team.team_store import TeamStore, machine_name, open_team
from dreamd.store.work import load_unwritten, write_meta

BATCH = 200
"""Statements that go up in one transaction, and memories that come down in one."""


@dataclass(frozen=True)
class Carried:
    """What went up and what came down."""

    sent: int = 0
    known: int = 0
    """Statements that were there already."""
    forgotten: int = 0
    """Statements that were forgotten there and are not taken in again."""
    brought: int = 0
    gone: int = 0
    memories: int = 0
    reads_only: bool = False
    """Whether this member is a reader: nothing goes up."""

    def after(self, next_one: Carried) -> Carried:
        """The same with what was carried after it."""
        return replace(next_one, sent=self.sent + next_one.sent, known=self.known + next_one.known,
                       forgotten=self.forgotten + next_one.forgotten, brought=self.brought + next_one.brought,
                       gone=self.gone + next_one.gone)


def place_of(world: World) -> Place:
    """The team's store that a home shares with.

    Raises ConfigError where none is set.
    """
    teams = world.settings.teams
    if world.settings.store.url:
        raise ConfigError("this home works in a team's store itself, there is nothing to share with it",
                          hint="`[teams]` is for a home with a store of its own")
    if not teams.url:
        raise ConfigError("this home shares with no team", hint="set `teams.url` and `teams.tenant`; see `dream help team`")
    return checked(teams.url, teams.tenant)


def carry(world: World) -> Carried:
    """Both ways, once.

    Raises Outage for a server that is away, Locked where another sync is at work; what was done until then stays done.
    """
    place, beside = place_of(world), world_of_copy(world)
    fsio.make_private_dir(beside.paths.home)
    with locks.hold_dream(beside.paths.locks, Owner("dream team sync", world.clock.now())), \
            closing(open_team(beside.paths.store, place)) as team:
        scopes, told = _read_offer(world)
        names = {there: here for here, known in scopes.items() if (there := scope_there(team, here, known)) != here}
        done = _take_up(world, team, scopes, told) if team.writes else Carried(reads_only=True)
        with _open_copy(beside) as copy:
            brought, gone = _bring_down(world, team, copy.store, names)
            for scope in sorted(load_unwritten(copy.store)):
                mirror.show_scope(copy, scope)
            with copy.store.writing() as tx:
                write_meta(tx, SYNCED, iso(world.clock.now()))
            held = copy.store.one("SELECT COUNT(*) AS n FROM memory")
        _sign(world, team)
    return replace(done, brought=brought, gone=gone, memories=int(held["n"]) if held else 0)


def _read_offer(world: World) -> tuple[dict[str, list[str]], list[tuple[str, Candidate]]]:
    """The shared scopes, and what lies ready: each statement with its id here."""
    try:
        first, *lines = fsio.read_bytes(offered_in(world.paths)[0]).decode("utf-8", "replace").splitlines()
    except (FileNotFoundError, ValueError):
        return {}, []
    rows = [json.loads(line) for line in lines]
    return json.loads(first)["scopes"], [(str(row["id"]), from_row(row)) for row in rows]


def _take_up(world: World, team: TeamStore, scopes: Mapping[str, Sequence[str]],
             told: Sequence[tuple[str, Candidate]]) -> Carried:
    key, now, counted = observations.tombstone_key(team), world.clock.now(), {"stored": 0, "known": 0, "refused": 0}
    for start in range(0, len(told), BATCH):
        part = told[start:start + BATCH]
        with team.writing() as tx:
            places = {}
            for scope in {str(one.scope) for _, one in part}:
                places[scope] = parse_scope(scope_there(team, scope, scopes.get(scope, ())))
                for identity in scopes.get(scope, ()):
                    if find_known(team, identity) is None:
                        write_known(tx, Known(identity, places[scope]))
            answers = observations.append(tx, [replace(one, scope=places[str(one.scope)], at=min(one.at, now))
                                               for _, one in part], stored_at=now, key=key)
        for answer in answers:
            counted[answer.status] += 1
        _note_arrived(world, [identity for identity, _ in part])
    return Carried(counted["stored"], counted["known"], counted["refused"])


def scope_there(team: Store, scope: str, known: Sequence[str]) -> str:
    """What a scope is called in the team's store: by what its project is known by, for two may have one name."""
    found = next((k for k in (find_known(team, one) for one in known) if k), None)
    if found or not known:
        return str(found.scope) if found else scope
    taken = any(str(k.scope) == scope for k in load_known(team))
    kind, _, key = scope.partition(":")
    return str(Scope(kind, f"{key}-{content_id('project', known[0], size=6)}")) if taken else scope


def _note_arrived(world: World, ids: Sequence[str]) -> None:
    line = json.dumps({"team": world.settings.teams.tenant, "ids": list(ids)}).encode() + b"\n"
    fsio.append_line(offered_in(world.paths)[1], line)


@contextmanager
def _open_copy(beside: World) -> Iterator[Kit]:
    store = open_store(beside.paths.store, create_with=schema.Founding(beside.clock.now(), beside.zone_name), migrate=True)
    try:
        yield Kit(beside, store, Background(beside.paths.locks))
    finally:
        store.close()


def _bring_down(world: World, team: TeamStore, copy: Store, names: Mapping[str, str]) -> tuple[int, int]:
    """Make the copy what the team's store is: gives how many memories came or changed, and how many went."""
    here, now = load_copies(copy), iso(world.clock.now())
    with team.reading():
        # What is called as a scope here and is another project has no place here to be shown in.
        scopes = [s for s in map(str, memories.load_scopes(team)) if s in names or s not in names.values()]
        there = _marks(team, [s for s in scopes if is_shared(names.get(s, s), world.settings)])
        gone = sorted(here.keys() - there.keys())
        changed = [identity for identity, mark in there.items() if here.get(identity) != mark]
        if gone:
            drop_copies(copy, gone)
        for start in range(0, len(changed), BATCH):
            ids = changed[start:start + BATCH]
            try:
                records = list(load_some_records(team, ids))
                write_copies(copy, records, there, names, now=now)
            except (KeyError, TypeError, ValueError) as error:
                raise Refused(f"the team's store holds something this dream cannot read ({type(error).__name__})",
                              hint="its operator runs `dream check`") from None
            copy_vectors(team, copy, [str(one["sha"]) for one in records if one["kind"] == "wording"])
    if gone or changed:
        _mark_changed(copy, world)
        forgetting.scrub(copy)  # what went may have been forgotten: no free page keeps it
    return len(changed), len(gone)


def _mark_changed(copy: Store, world: World) -> None:
    """Leave a run by which whoever keeps vectors in memory sees that the copy is another one."""
    now = world.clock.now()
    with copy.writing() as tx:
        run = begin_run(tx, kind="sync", now=now, started_at=now, version=__version__)
        end_run(tx, replace(run, outcome="changed"), ended_at=now)
        tx.execute("DELETE FROM run WHERE seq < ?", (run.seq,))


def _marks(team: TeamStore, scopes: Sequence[str]) -> dict[str, str]:
    """What each memory of some scopes is known by: another as soon as anything of it changes."""
    rows = team.base.ask("""SELECT m.id, md5(m::text || COALESCE((
          SELECT string_agg(s.observation::text, ',' ORDER BY s.observation) FROM support s WHERE s.memory = m.id), ''))
        FROM memory m
        WHERE m.scope = ANY(%s) AND m.status = ANY(%s) ORDER BY m.seq""", (list(scopes), sorted(s.value for s in CURRENT)))
    return {str(identity): str(mark) for identity, mark in rows}


def copy_vectors(source: Store, target: Store, shas: Sequence[str]) -> None:
    """Take along what was found out about the meaning of wordings: no network has to read them again."""
    for model in ALIKE:
        known, rows = derived.load_vectors(source, shas, models=(model,))
        if known:
            with target.writing() as tx:
                derived.write_vectors(tx, dict(zip(known, rows, strict=True)), model=model)


def _sign(world: World, team: TeamStore) -> None:
    """Tell the team's store that this machine knows all that was forgotten there."""
    name = f"{machine_name()}-{content_id('home', str(world.paths.home), size=4)}"
    team.base.ask(f"""INSERT INTO {MACHINES} (name, at, graves) VALUES (%s, %s, (SELECT COUNT(*) FROM tombstone))
        ON CONFLICT (tenant, member, name) DO UPDATE SET at = excluded.at, graves = excluded.graves""",
                  (name, iso(world.clock.now())))
