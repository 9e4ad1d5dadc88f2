"""An audit of dream's own memory: what a dream has not put in order, and what only a person can."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path

from dreamd.agents.auditing.alike import Spoken, compare
from dreamd.agents.auditing.findings import Audited, Finding, Kind, Loaded, Place, in_order, shown
from dreamd.agents.auditing.place_audit import about_records, fullest, own_words
from dreamd.agents.guarding.screening import find_poison
from dreamd.core.clock import local_date
from dreamd.core.values import TAXONOMY_VERSION, Memory, MemoryClass, Relation, Scope, Status
from dreamd.dream.scopes.instructions import says_already
from dreamd.kit import Kit
from dreamd.recall.answer import find_clues
from dreamd.recall.clues import look_for_paths
from dreamd.sources.decisions.decision_folder import KIND
from dreamd.store import memories, work
from dreamd.store.scopes import projects
from dreamd.text.redaction import redact

CHANGED_OFTEN = 3
"""Times from which a fact that was replaced is better looked up than remembered."""
_LASTING = frozenset({MemoryClass.RULE, MemoryClass.PREFERENCE})


def audit_own(kit: Kit, *, scope: Scope | None = None, here: Path | None = None) -> Audited:
    """Look at every memory that holds, of one scope or all; `here` is where what they name is looked for.

    Raises Outage when there is something to compare and the model is away.
    """
    everything = memories.load_memories(kit.store, scope=scope)
    live = [m for m in everything if m.status in (Status.LIVE, Status.STALE)]
    found = [*_secrets(kit, live, scope), *_undecided(everything), *_compared(kit, live), *_past(kit, live),
             *find_changed(everything), *_about_here(kit, live, here), *_overfull(kit, live), *_unclassified(live),
             *_unasked(kit, live), *_of_records(kit, scope)]
    return Audited(f"dream's memory{f' of {scope}' if scope else ''}", len(live), in_order(found),
                   tuple(_loaded(kit, {m.scope for m in live})))


def _place(memory: Memory) -> Place:
    return Place(memory=memory.id, text=shown(memory.text))


def _secrets(kit: Kit, live: Sequence[Memory], scope: Scope | None) -> Iterator[Finding]:
    for memory in live:
        masks = redact(memory.text).masks
        if masks:
            kinds = ", ".join(dict.fromkeys(masks))
            yield Finding(Kind.SECRET, (Place(memory=memory.id),), f"a secret in plain text ({kinds})",
                          "`dream check --secrets --repair` masks it everywhere; change the secret")
    for memory, why in find_poison(kit):
        if scope is None or memory.scope == scope:
            yield Finding(Kind.ORDER, (_place(memory),), f"commands whoever reads it ({why})",
                          "`dream check --secrets --repair` holds it, `dream forget` removes it")


def _undecided(everything: Sequence[Memory]) -> Iterator[Finding]:
    by_id = {m.id: m for m in everything}
    for memory in everything:
        against = [by_id[other] for other, relation in memory.links if relation == Relation.CONTRADICTS and other in by_id]
        waits = memory.status is Status.HELD and memory.reason == "contradicts"
        if waits and not any(m.id < memory.id and m.status is Status.HELD for m in against):
            yield Finding(Kind.CONTRADICTION, tuple(map(_place, (memory, *against))), "these cannot both hold, and wait",
                          f"`dream review {memory.id[:8]}`")


def _compared(kit: Kit, live: Sequence[Memory]) -> Iterator[Finding]:
    told = compare(kit, [Spoken(m.text, m.confirmed_at) for m in live], lambda a, b: live[a].scope == live[b].scope)
    for group in told.groups:
        yield Finding(Kind.ALIKE, tuple(_place(live[n]) for n in group), f"{len(group)} wordings of one thing",
                      "`dream consolidate --full` joins what it can; `dream forget` the others")
    for a, b in told.clashes:
        yield Finding(Kind.CONTRADICTION, (_place(live[a]), _place(live[b])), "these cannot both hold",
                      "`dream consolidate --full` judges them again; `dream forget` the one that is wrong")


def _past(kit: Kit, live: Sequence[Memory]) -> Iterator[Finding]:
    today = local_date(kit.clock.now(), kit.zone)
    for memory in live:
        if memory.ttl and memory.ttl < today:
            yield Finding(Kind.PAST, (_place(memory),), f"held until {memory.ttl}", "`dream consolidate` archives it")


def find_changed(everything: Sequence[Memory]) -> Iterator[Finding]:
    """Facts that were replaced again and again: the next value is wrong soon, too."""
    by_id = {m.id: m for m in everything}
    for memory in everything:
        if memory.status not in (Status.LIVE, Status.STALE):
            continue
        before, waiting = dict[str, Memory](), list(memory.supersedes)
        while waiting:
            one = by_id.get(waiting.pop())
            if one is not None and one.id not in before:
                before[one.id] = one
                waiting += one.supersedes
        times = sum(one.reason != Relation.DUPLICATE for one in before.values())
        if times >= CHANGED_OFTEN:
            yield Finding(Kind.CHANGED, (_place(memory),), f"changed {times} times",
                          "note where it can be looked up instead of what it is now")


def _of_records(kit: Kit, scope: Scope | None) -> Iterator[Finding]:
    """What in the folders of decision records that were read cannot be right."""
    for source in work.load_sources(kit.store):
        if source.kind == KIND and scope in (None, source.scope):
            yield from about_records(Path(source.path), source.path)


def _about_here(kit: Kit, live: Sequence[Memory], here: Path | None) -> Iterator[Finding]:
    """What memories of the project we stand in name that is gone, and what the project says itself."""
    if here is None:
        return
    scope = projects.scope_at(kit.store, str(here))
    tree = next((folder for folder in (here, *here.parents) if (folder / ".git").exists()), None)
    ours = [m for m in live if m.scope == scope]
    if tree is None or not ours:
        return
    words = own_words(tree)
    for memory, clue in zip(ours, find_clues(kit.store, ours, here), strict=True):
        gone = dict.fromkeys(name for name, there in look_for_paths(memory.text, tree) if not there)
        if gone or clue:
            detail = f"{', '.join(f'`{name}`' for name in gone)} is not there" if gone else str(clue)
            yield Finding(Kind.GONE, (_place(memory),), detail, "`dream note` what is there now, or `dream forget` it")
        name = next((name for name, said in words.items() if says_already(memory.text, said)), "")
        if name:
            yield Finding(Kind.DERIVABLE, (_place(memory),), f"`{name}` says it already", "`dream forget` it: it is read there")


def _overfull(kit: Kit, live: Sequence[Memory]) -> Iterator[Finding]:
    for (scope, category), count in Counter((m.scope, m.category) for m in live if m.status is Status.LIVE).items():
        if count > fullest(kit):
            yield Finding(Kind.OVERFULL, (Place(file=f"{scope}, {category}"),), f"{count} memories in one category, more than "
                          f"{fullest(kit)}", f"`dream list --scope {scope}` shows them; `dream forget` what nobody needs")


def _unclassified(live: Sequence[Memory]) -> Iterator[Finding]:
    for memory in live:
        if memory.taxonomy_version < TAXONOMY_VERSION:
            yield Finding(Kind.UNCLASSIFIED, (_place(memory),), "classed by an earlier version",
                          "say it again with `dream note`")


def _unasked(kit: Kit, live: Sequence[Memory]) -> Iterator[Finding]:
    """References and states that nothing has ever asked for; rules and preferences are told unasked."""
    before = kit.clock.now() - timedelta(days=kit.settings.prune.stale_after_days)
    for memory in live:
        if not (memory.recalls or memory.pinned or memory.memory_class in _LASTING) and memory.confirmed_at < before:
            yield Finding(Kind.UNASKED, (_place(memory),), f"never asked for since {memory.confirmed_at:%Y-%m-%d}",
                          "age archives it in time; `dream pin` keeps it, `dream forget` removes it")


def _loaded(kit: Kit, scopes: set[Scope]) -> Iterator[Loaded]:
    for scope in sorted(scopes):
        index = kit.paths.scope_dir(scope) / "MEMORY.md"
        if index.is_file():
            yield Loaded(str(index.relative_to(kit.paths.home)), index.stat().st_size)
