"""`dream check --secrets`: what was kept before today's rules, looked through by today's rules; first a plan, then one go.

Rows, files, copies of the store, logs, the inbox and the backups of attached directories are looked at for secrets, live
memories for injected orders. Without a wish to repair nothing changes. A repair masks the store in one transaction first
and everything else after it; until the last copy is done the store remembers, and whoever is killed runs it again.
What stands in a person's own attached directories is only told.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from dreamd.agents import foreign_dir
from dreamd.agents.attach import load_attachments
from dreamd.agents.foreign_backup import Shelf
from dreamd.agents.guarding.foreign_secrets import lines_with_secrets
from dreamd.core import fsio, locks
from dreamd.core.clock import iso
from dreamd.core.errors import DreamError
from dreamd.core.locks import Owner
from dreamd.core.values import GateVerdict, Memory, Origin, Status, Trust
from dreamd.dream import verbs
from dreamd.dream.scopes import scope_files
from dreamd.extraction.gate import gate
from dreamd.kit import Kit, exclusions
from dreamd.notes import topic_path
from dreamd.store import forgetting, memories, observations
from dreamd.store.journal import Entry, begin_run, end_run, write_entry
from dreamd.store.masking import loose_files, unmasked

MASK, HOLD, TELL = "mask", "hold", "tell"
KIND = "mask"
POISON = "poison"
_ORDERS = frozenset({"injection", "quotes-an-order", "speaks-as-a-chat-role", "order-for-a-person"})
_PLACES = {"observation": "what was said", "operation": "the journal", "run": "the journal", "fate": "the journal",
           "file": "files as dream wrote them", "intent": "files still to be written", "judged": "verdicts"}


@dataclass(frozen=True)
class Find:
    """One place with a secret, or one memory with an order in it: what, where, of which kinds, and what is to be done."""

    what: str
    where: str
    kinds: tuple[str, ...]
    action: str


@dataclass(frozen=True)
class Screened:
    """What was found, what of it was done, and what could not be looked at or done."""

    finds: tuple[Find, ...]
    done: bool
    warnings: tuple[str, ...] = ()

    @property
    def open(self) -> tuple[Find, ...]:
        """What a repair would change, or has not changed."""
        return () if self.done else tuple(f for f in self.finds if f.action != TELL)


def screen(kit: Kit, *, repair: bool = False) -> Screened:
    """Look through everything; with `repair`, mask secrets and hold injected orders.

    Raises Locked while a dream is at work.
    """
    with locks.hold_dream(kit.paths.locks, Owner("dream check --secrets", kit.clock.now())):
        warnings: list[str] = []
        held = list(unmasked.find_held(kit.store.connection))
        poison = list(find_poison(kit))
        documents = list(_of_documents(kit))
        finds = [*_of_rows(kit, held), *_of_copies(kit, warnings), *_of_files(kit), *_of_backups(kit), *documents,
                 *(Find(POISON, f"memory {m.id}", (why,), HOLD) for m, why in poison), *_of_attached(kit, warnings)]
        unfinished = kit.store.meta(unmasked.UNFINISHED) is not None
        if repair and (unfinished or any(f.action == MASK and f not in documents for f in finds)):
            _mask_everything(kit, held, warnings)
        if repair and documents:
            from dreamd.library import masking_again

            masking_again.mask(kit.world)
        if repair and poison:
            verbs.hold(kit, poison)
    return Screened(tuple(finds), repair, tuple(warnings))


def _of_rows(kit: Kit, held: Sequence[unmasked.Held]) -> Iterator[Find]:
    for one in held:
        if one.table == "wording":
            owners = unmasked.memories_of(kit.store.connection, str(one.row[0]))
            yield Find("secret", ", ".join(f"memory {i}" for i in owners) or "an earlier wording", one.kinds, MASK)
        else:
            number = f" {one.row[0]}" if one.table == "observation" else ""
            yield Find("secret", f"{_PLACES.get(one.table, one.table)}{number}", one.kinds, MASK)


def _of_copies(kit: Kit, warnings: list[str]) -> Iterator[Find]:
    for copy in loose_files.list_copies(kit.paths):
        try:
            held = loose_files.look_into(copy)
        except DreamError as error:
            warnings.append(error.message)
            continue
        if held:
            kinds = tuple(dict.fromkeys(kind for one in held for kind in one.kinds))
            yield Find("secret", f"`{copy.relative_to(kit.paths.home)}`, {len(held)} rows", kinds, MASK)


def _of_files(kit: Kit) -> Iterator[Find]:
    for path in loose_files.list_texts(kit.paths):
        fresh = loose_files.masked(path)
        if fresh is not None:
            yield Find("secret", f"`{_shown(kit, path)}`", fresh[1], MASK)


def _of_backups(kit: Kit) -> Iterator[Find]:
    for run, kinds in _shelf(kit).find_secrets():
        yield Find("secret", f"the backup of run {run} of an attached directory", kinds, MASK)


def _of_documents(kit: Kit) -> Iterator[Find]:
    """Passages of documents, and notes of finds wherever a person keeps them."""
    if kit.paths.library.exists():
        from dreamd.library import masking_again

        for one in masking_again.find_bare(kit.world):
            yield Find("secret", one.address, one.kinds, MASK)


def _of_attached(kit: Kit, warnings: list[str]) -> Iterator[Find]:
    for attached in load_attachments(kit.store):
        try:
            texts = foreign_dir.read_foreign(Path(attached.path), exclusions(kit.world).has_path).texts
        except DreamError as error:
            warnings.append(error.message)
            continue
        for name, text in sorted(texts.items()):
            lines = lines_with_secrets(text)
            if lines:
                yield Find("secret", f"`{attached.path}/{name}`, {len(lines)} lines: yours, and left as it is", (), TELL)


def find_poison(kit: Kit) -> Iterator[tuple[Memory, str]]:
    """Live memories that today would not be live, because what they rest on gives orders to whoever reads them."""
    for memory in memories.load_memories(kit.store, statuses=(Status.LIVE, Status.STALE)):
        if memory.pinned or memory.edited or "person" in memory.reason or memory.reason == "accepted-by-pin":
            continue
        said = observations.load_of_memory(kit.store, memory.id)
        whys = [why for o in said if (why := _order_in(kit, memory, o.text, o.origin, o.sign))]
        origin = Origin.USER if memory.trust is Trust.USER else Origin.AGENT if memory.trust is Trust.AGENT else Origin.TOOL
        if not said:
            whys = [why] if (why := _order_in(kit, memory, memory.text, origin, "")) else []
        if whys and len(whys) >= len(said):
            yield memory, whys[0]


def _order_in(kit: Kit, memory: Memory, text: str, origin: Origin, sign: str) -> str:
    """Why a statement would not be live today, where that is for an order in it."""
    gated = gate(text, origin=origin, at=memory.created_at, zone=kit.zone, class_hint=memory.memory_class, sign=sign)
    return gated.reason if gated.verdict is not GateVerdict.ALLOW and gated.reason in _ORDERS else ""


def _mask_everything(kit: Kit, held: Sequence[unmasked.Held], warnings: list[str]) -> None:
    """The store first, in one transaction that says that more is to come; then every copy; then that all is done."""
    now = kit.clock.now()
    with locks.foreground(kit.paths.locks), kit.store.writing() as tx:
        tx.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (unmasked.UNFINISHED, iso(now)))
        run = begin_run(tx, kind=KIND, now=now, started_at=now, version="")
        changed = unmasked.mask_held(tx, held)
        for identity, memory in sorted(memories.load_some(kit.store, changed).items()):
            named = replace(memory, file="")
            memories.write_memory(tx, replace(memory, file=topic_path(named) if memory.file else ""))
            write_entry(tx, Entry(run.seq, 0, "mask", identity, str(memory.scope), "secret", (), None, None))
        end_run(tx, replace(run, outcome="changed", reason=f"secrets masked in {len(held)} rows"), ended_at=now)
    kit.run = run
    for path in loose_files.list_texts(kit.paths):
        fresh = loose_files.masked(path)
        if fresh is not None:
            fsio.write_atomic(path, fresh[0])
    scope_files.rewrite(kit, memories.load_scopes(kit.store))
    for copy in loose_files.list_copies(kit.paths):
        try:
            if loose_files.look_into(copy):
                loose_files.mask_copy(copy)
        except DreamError as error:
            warnings.append(f"`{copy.name}` was not masked: {error.message}")
    warnings += [f"run {run_id} over an attached directory can no longer be taken back" for run_id in _shelf(kit).mask()]
    with kit.background.batch():
        for path in sorted(kit.paths.derived.rglob("*")):
            if path.is_file():
                fsio.remove(path)
        forgetting.scrub(kit.store)
        with kit.store.writing() as tx:
            tx.execute("DELETE FROM meta WHERE key = ?", (unmasked.UNFINISHED,))
        kit.store.checkpoint()


def _shown(kit: Kit, path: Path) -> str:
    """A path that may be shown: the name of a topic file is made of words of its memory."""
    place = path.relative_to(kit.paths.home)
    if path.suffix == ".md" and place.parts[0] in (kit.paths.memory.name, kit.paths.archive.name, kit.paths.conflicts.name):
        return f"{place.parent}/…{path.stem[-6:]}.md"
    return str(place)


def _shelf(kit: Kit) -> Shelf:
    return Shelf(kit.paths.home / "attached")
