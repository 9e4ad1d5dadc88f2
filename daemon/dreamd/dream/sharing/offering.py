"""What may go up to a team's store: chosen and masked here, by the owner of the store, who has no network.

It lies in a file of its own, so that whoever has the network needs nothing else. The file is made anew at every look: what was
forgotten or marked private meanwhile is in it no longer, and what arrived is known by what the carrier wrote beside it.

What goes up is what is in force here: each statement that carries a live memory of a shared scope, once. What was only heard,
waits for a decision, was let go or set aside stays.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from dreamd.core import fsio, locks
from dreamd.core.clock import iso
from dreamd.core.errors import Refused
from dreamd.core.paths import Paths
from dreamd.core.settings import Settings
from dreamd.core.values import (
    MARKS,
    WITHHELD,
    Candidate,
    Memory,
    Observation,
    content_id,
    is_excluded,
    is_observed,
    parse_scope,
)
from dreamd.kit import Kit
from dreamd.store import memories, observations, work
from dreamd.store.connection import LISTED, Store, listed
from dreamd.store.intake.inbox import as_row
from dreamd.store.scopes.projects import load_known
from dreamd.text.redaction import mask_name, mask_scope, redact

AT_ONCE = 2_000
"""Statements that lie ready at a time."""
PRIVATE = "private "
"""Before the id of a memory in `meta` that a person keeps to this machine."""
OWN_KINDS = frozenset({"user", "local"})
"""Scopes of one person or one conversation: they go up only where a person names them in full."""
_PLAIN_SIGN = frozenset({"one-off", "memory-file"})


@dataclass(frozen=True)
class Offer:
    """How much lies ready, how much waits in all, and what arrived since the last look."""

    ready: int
    waiting: int
    arrived: int = 0


def offered_in(paths: Paths) -> tuple[Path, Path]:
    """Where what is to go up lies, and where the carrier writes down what arrived."""
    return paths.offered / "offered.jsonl", paths.offered / "arrived.jsonl"


def offer(kit: Kit) -> Offer:
    """Write down what arrived, and lay ready what may go up."""
    arrived = _settle(kit)
    team, held_back = kit.settings.teams.tenant, load_private(kit.store)
    scopes = shared_scopes(kit.store, kit.settings)
    rows = kit.store.all(f"""SELECT o.seq, s.memory FROM observation o JOIN support s ON s.observation = o.seq
        JOIN memory m ON m.id = s.memory JOIN fate f ON f.observation = o.seq
        WHERE o.scope IN {LISTED} AND m.status IN ('live', 'stale') AND f.set_aside = 0
          AND o.sign NOT IN {LISTED}
          AND NOT EXISTS (SELECT 1 FROM sent t WHERE t.observation = o.seq AND t.team = ?) ORDER BY o.seq""",
                         listed(scopes), listed(MARKS | WITHHELD), team)
    private = {r["seq"] for r in rows if r["memory"] in held_back}
    waiting = list(dict.fromkeys(r["seq"] for r in rows if r["seq"] not in private))
    told = observations.load_by_seqs(kit.store, waiting[:AT_ONCE])
    named = {str(mask_scope(parse_scope(scope))): [mask_name(one) for one in known] for scope, known in scopes.items()}
    lines = [json.dumps({"scopes": named}), *(json.dumps({"id": one.id, **as_row(as_told(one))}) for one in told)]
    fsio.make_private_dir(kit.paths.offered)
    fsio.write_atomic(offered_in(kit.paths)[0], "\n".join(lines).encode("utf-8", "surrogatepass") + b"\n")
    return Offer(len(told), len(waiting), arrived)


def count_ready(paths: Paths) -> int:
    """How many statements lie ready to go up."""
    try:
        return max(0, len(fsio.read_bytes(offered_in(paths)[0]).splitlines()) - 1)
    except FileNotFoundError:
        return 0


def as_told(one: Observation) -> Candidate:
    """A statement as it goes up: masked once more, with nothing of where it lay on this machine or what was said around it."""
    text = redact(one.text).text
    # A key is one person's own: two members may have the same one for different things.
    key = as_key(one.key, text, str(one.scope)) if one.key else ""
    sign = one.sign if is_observed(one.sign) or one.sign in _PLAIN_SIGN else ""
    return Candidate(text, one.origin, one.at, mask_scope(one.scope), mask_name(one.conversation), key, one.class_hint,
                     one.type_hint, one.ttl, one.explicit, sign)


def as_key(key: str, text: str, scope: str) -> str:
    """A key of one person's as one that is nobody else's, in a store of many."""
    return content_id("sent", key, text, scope)


def shared_scopes(store: Store, settings: Settings, *, all_of_them: bool = False) -> dict[str, list[str]]:
    """The scopes of this home that are shared, or all, each with what its project is known by anywhere."""
    known = load_known(store)
    return {scope: [k.identity for k in known if str(k.scope) == scope and not k.identity.startswith("path:")]
            for (scope,) in store.tuples("SELECT DISTINCT scope FROM observation ORDER BY scope")
            if all_of_them or is_shared(scope, settings)}


def is_shared(scope: str, settings: Settings) -> bool:
    """Whether a person shares a scope with the team; what is kept from a language model is kept from a team as well."""
    kind = scope.partition(":")[0]
    if is_kept_here(scope, settings):
        return False
    names = settings.teams.scopes
    return scope in names or kind not in OWN_KINDS and any(one == kind or fnmatchcase(scope, one) for one in names)


def is_kept_here(scope: str, settings: Settings) -> bool:
    """Whether a person keeps a scope to this machine."""
    return (is_excluded(scope, settings.teams.private) or is_excluded(scope, settings.llm.exclude)
            or any(fnmatchcase(scope, one) for one in settings.teams.private))


def mark_private(kit: Kit, identity: str, *, private: bool) -> tuple[Memory, int]:
    """Keep a memory to this machine, with what becomes of it, or share it; says how many of its statements went up before."""
    memory = memories.load_memory(kit.store, identity)
    if kit.store.owns_words:
        raise Refused("this home works in the team's store itself, where nothing is anybody's own")
    with locks.foreground(kit.paths.locks), kit.store.writing() as tx:
        if private:
            work.write_meta(tx, f"{PRIVATE}{memory.id}", "1")
        else:
            tx.execute("DELETE FROM meta WHERE key = ?", (f"{PRIVATE}{memory.id}",))
    offer(kit)
    return memory, count_sent(kit.store, [memory.id])


def count_sent(store: Store, ids: Sequence[str]) -> int:
    """How many statements of some memories went up to a team's store."""
    row = store.one(f"""SELECT COUNT(DISTINCT t.observation) AS n FROM sent t JOIN support s ON s.observation = t.observation
                        WHERE s.memory IN {LISTED}""", listed(ids))
    return int(row["n"]) if row else 0


def load_private(store: Store) -> set[str]:
    """Ids of the memories that stay on this machine: those a person named, and what stands in their place today."""
    rows = store.all("SELECT key FROM meta WHERE key >= ? AND key < ?", PRIVATE, PRIVATE[:-1] + "!")
    named = {r["key"].removeprefix(PRIVATE) for r in rows}
    return named | set(_successors(store, named)) if named else named


def _successors(store: Store, named: set[str]) -> Iterator[str]:
    rows = store.tuples("""WITH RECURSIVE line (id) AS (SELECT value FROM json_each(?) UNION
        SELECT m.superseded_by FROM memory m JOIN line ON m.id = line.id WHERE m.superseded_by <> '') SELECT id FROM line""",
                        listed(sorted(named)))
    yield from (identity for (identity,) in rows)


def _settle(kit: Kit) -> int:
    """Remember for good what the carrier says has arrived."""
    _, place = offered_in(kit.paths)
    ids: list[str] = []
    with suppress(FileNotFoundError):
        for line in fsio.read_bytes(place).decode("utf-8", "replace").splitlines():
            with suppress(ValueError, KeyError, TypeError):  # a line that was cut off: it goes up once more, and is known there
                told = json.loads(line)
                if told["team"] == kit.settings.teams.tenant:
                    ids += [str(one) for one in told["ids"]]
    if ids:
        remember_sent(kit, ids)
    with suppress(FileNotFoundError):
        fsio.remove(place)
    return len(ids)


def remember_sent(kit: Kit, ids: Sequence[str]) -> None:
    """Remember for good that statements are in the team's store."""
    now, team = iso(kit.clock.now()), kit.settings.teams.tenant
    with locks.foreground(kit.paths.locks), kit.store.writing() as tx:
        tx.execute(f"INSERT OR IGNORE INTO sent SELECT seq, ?, ? FROM observation WHERE id IN {LISTED}",
                   (team, now, listed(ids)))
