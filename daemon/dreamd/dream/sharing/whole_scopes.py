"""A scope of one's own taken along into a team's store with all that is known of it, and a tenant brought back into a home."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from dreamd.core import fsio
from dreamd.core.errors import Refused, UsageError
from dreamd.core.locks import Background
from dreamd.core.paths import Paths
from dreamd.core.values import LEARNED, Scope, content_id
from dreamd.core.world import World
from dreamd.dream.moving.packing import as_lines
from dreamd.dream.moving.taking_in import Arrived, bring_in_rows
from dreamd.dream.scopes.scope_files import rewrite
from dreamd.dream.sharing.carrying import copy_vectors, place_of, scope_there
from dreamd.dream.sharing.offering import as_key, is_kept_here, load_private, remember_sent, shared_scopes
from dreamd.kit import Kit, open_kit
from dreamd.store import forgetting, memories
from dreamd.store.moving.rows_masked import following
from dreamd.store.moving.rows_out import Record, load_records
from dreamd.store.presence import lost
from dreamd.store.team.team_store import TeamStore, open_team


@dataclass(frozen=True)
class Along:
    """What a scope brought along."""

    arrived: Arrived
    private: int
    """Memories that stayed, for a person keeps them to this machine."""
    unpinned: int
    """Memories whose pin stayed, for only a curator pins there."""


def take_along(kit: Kit, scope: Scope) -> Along:
    """Take a scope into the team's store: statements, memories, versions, decisions; what is private stays.

    Raises Refused for a scope that is kept to this machine, or is called otherwise there.
    """
    if is_kept_here(str(scope), kit.settings):
        raise Refused(f"`{scope}` is kept to this machine", hint="`teams.private` and `llm.exclude` say so")
    kept = {i for one in load_private(kit.store) for i in forgetting.load_lineage(kit.store, one)}
    records = list(_without(list(load_records(kit.store, [scope])), kept))
    if not records:
        raise UsageError(f"there is nothing of `{scope}` to take along", hint="`dream scope list` shows the scopes")
    with closing(open_team(kit.paths.store, place_of(kit.world))) as team:
        known = shared_scopes(kit.store, kit.settings, all_of_them=True).get(str(scope), [])
        if (there := scope_there(team, str(scope), known)) != str(scope):
            raise Refused(f"there it is `{there}`, and what is called `{scope}` is another project",
                          hint=f"`dream scope rename '{scope}' '{there}'` first")
        pins = [one for one in records if one.get("pinned")] if not team.decides else []
        for one in pins:
            one["pinned"] = 0
        arrived = bring_in_rows(Kit(kit.world, team, Background(kit.paths.locks)), _with_own_keys(records))
        copy_vectors(kit.store, team, [str(one["sha"]) for one in records if one["kind"] == "wording"])
    remember_sent(kit, [str(one["id"]) for one in records if one["kind"] == "observation"])
    return Along(arrived, len(kept), len(pins))


def bring_back(world: World, team: TeamStore, target: Path) -> int:
    """Write a tenant into a home of its own, or as lines into a file; says how many memories.

    Raises Refused for a place where something is already.
    """
    if target.exists() and (target.is_file() or any(target.iterdir())):
        raise Refused(f"`{target}` is there already", hint="choose a place that is empty or not there yet")
    if target.suffix:
        fsio.write_atomic(target, as_lines(load_records(team, None)))
        return len(memories.load_memories(team))
    home = replace(world, paths=Paths(target))
    fsio.make_private_dir(target)
    fsio.create_private(home.paths.store)
    with closing(sqlite3.connect(home.paths.store, isolation_level=None)) as empty:
        empty.execute("PRAGMA journal_mode = WAL")
        empty.execute("BEGIN IMMEDIATE")
        team.copy_into(empty)
        empty.execute("COMMIT")
    lost.mark_founded(home.paths.store)
    with open_kit(home) as kit:
        rewrite(kit, memories.load_scopes(kit.store))
        return len(memories.load_memories(kit.store))


def _without(records: Sequence[Record], kept: set[str]) -> Iterator[Record]:
    """The records without those of memories that stay, what was said for them, and every word of theirs."""
    said = {o for one in records if one["kind"] == "memory" and one["id"] in kept for o in one["observations"]}
    said |= {one["observation"] for one in records if one["kind"] == "fate" and one["memory"] in kept}
    words = {one["wording"] for one in records if one["kind"] == "memory" and one["id"] in kept}
    for one in records:
        named = {one.get("id"), one.get("memory"), one.get("observation"), one.get("a"), one.get("b")}
        if named.isdisjoint(kept | said) and one.get("sha") not in words:
            yield one


def _with_own_keys(records: Sequence[Record]) -> list[Record]:
    """The records with keys that are nobody else's: two members may use the same one for different things."""
    ids: dict[str, str] = {}
    fresh = []
    for one in records:
        if one["kind"] == "observation" and one["key"] and not one["key"].startswith(LEARNED):
            key = as_key(one["key"], one["text"], one["scope"])
            ids[one["id"]] = content_id("key", key)
            one = {**one, "key": key, "id": ids[one["id"]]}
        fresh.append(one)
    return [following(one, {}, ids) for one in fresh]
