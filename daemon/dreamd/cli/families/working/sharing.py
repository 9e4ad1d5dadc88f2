"""`dream team sync`, `private`, `share`, `machines`: what a home of one's own has to do with a team's memory."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from dreamd.cli.context import Context
from dreamd.cli.printing import render
from dreamd.core.errors import Outage, UsageError
from dreamd.kit import open_kit

if TYPE_CHECKING:
    from dreamd.dream.sharing.carrying import Carried
    from dreamd.store.team.pointer import Place
    from dreamd.store.team.tenancy import Machine

SHARING_HELP = ("bring what is shared up, and the team's memories down; keep a memory to this machine, or share it again; "
                "which machines hold a copy; take a scope of your own along, bring a tenant back")
WORDS_HELP = "of `private`, `share`: the id of a memory; of `import`: a scope; of `export`: a folder for a home, or a file"
MOST_ROUNDS = 500
"""Of a sync: a million statements."""


def share(context: Context, options: Namespace) -> int:
    """Carry one of them out."""
    return _ACTIONS[options.action](context, options)


def sync(context: Context, options: Namespace) -> int:
    """Both ways, now; while the server is away, what waits goes on waiting."""
    from dreamd.dream.sharing.carrying import Carried, carry, place_of
    from dreamd.dream.sharing.offering import offer

    place_of(context.world)
    if options.carry:
        _tell(context, carry(context.world), None)
        return 0
    totals = Carried()
    with open_kit(context.world, create=True) as kit:
        ready = offer(kit)
    for _ in range(MOST_ROUNDS):
        try:
            done = carry(context.world)
        except Outage as failure:
            raise Outage(f"{failure.message}; {render.count(ready.waiting, 'statement')} "
                         f"{'waits' if ready.waiting == 1 else 'wait'} here for the next sync", component=failure.component,
                         code=failure.code, hint=failure.hint) from None
        totals, taken_up = totals.after(done), ready.ready
        with open_kit(context.world) as kit:
            ready = offer(kit)
        if not ready.waiting or not taken_up or done.reads_only:
            break
    _tell(context, totals, ready.waiting)
    return 0


def _tell(context: Context, done: Carried, waiting: int | None) -> None:
    context.document({**vars(done), "waiting": waiting})
    up = "you are a reader: nothing goes up" if done.reads_only else f"up: {render.count(done.sent, 'statement')}"
    beside = [f"{done.known} known there" if done.known else "", f"{done.forgotten} forgotten there" if done.forgotten else ""]
    context.say(", ".join(filter(None, [up, *beside])))
    context.say(f"down: {render.count(done.brought, 'memory')} new or changed, {done.gone} gone; "
                f"{render.count(done.memories, 'memory')} of the team here")


def keep(context: Context, options: Namespace) -> int:
    """Keep a memory to this machine, or share it again."""
    from dreamd.dream.sharing.offering import mark_private

    if not options.change:
        raise UsageError(f"`dream team {options.action} ID`")
    private = options.action == "private"
    with open_kit(context.world) as kit:
        memory, went = mark_private(kit, options.change, private=private)
    context.document({"memory": memory.id, "private": private, "went_up_before": went})
    context.say(f"{'stays on this machine' if private else 'may go up again'}: "
                + render.memory_line(memory, width=context.width, colour=context.colour))
    if private and went:
        context.warn(f"{render.count(went, 'statement')} of it went up before and {'is' if went == 1 else 'are'} the team's now"
                     "; `dream forget` in the team's store takes it out there")
    return 0


def machines(context: Context, options: Namespace) -> int:
    """Which machines hold a copy of the team's memory, and which of them may still have what was forgotten."""
    from dreamd.store.team.tenancy import load_machines, open_owned

    place = _place(context, options)
    with open_owned(context.world.paths.store, place.url, place.tenant) as there:
        found = load_machines(there.base)
    context.document({"machines": [vars(one) for one in found]})
    for line in render.table([(one.member, one.name, one.at, "may still have what was forgotten" if one.behind else "")
                              for one in found]):
        context.say(line.rstrip())
    if not found:
        context.say("no machine holds a copy")
    return 0


def tell_behind(context: Context, found: Sequence[Machine]) -> None:
    """Name the machines whose copies may still have what was forgotten."""
    for one in found:
        context.warn(f"the copy on `{one.name}` of `{one.member}` is of {one.at} and loses it with its next `dream team sync`")


def move_in(context: Context, options: Namespace) -> int:
    """Take a scope of one's own along into the team's store."""
    from dreamd.cli.families.scoping import find_scope
    from dreamd.dream.sharing.whole_scopes import take_along

    if not options.change:
        raise UsageError("`dream team import SCOPE`")
    with open_kit(context.world) as kit:
        scope = find_scope(kit.store, options.change)
        done = take_along(kit, scope)
    taken = done.arrived.taken
    context.document({"scope": str(scope), "memories": len(taken.memories), "observations": taken.observations,
                      "known": taken.known, "forgotten": taken.forgotten, "private": done.private, "unpinned": done.unpinned,
                      "run": done.arrived.run or None})
    context.say(f"taken along: {render.count(len(taken.memories), 'memory')}, {render.count(taken.observations, 'statement')}")
    for n, what in ((taken.known, "known there already"), (taken.forgotten, "forgotten there, and not taken in again"),
                    (done.private, "kept to this machine"), (done.unpinned, "pinned here and not there: only a curator pins")):
        if n:
            context.say(f"{what}: {n:,}")
    return 0


def move_out(context: Context, options: Namespace) -> int:
    """Bring a tenant back into a home of its own, or into a file."""
    from pathlib import Path

    from dreamd.dream.sharing.whole_scopes import bring_back
    from dreamd.store.team.tenancy import open_owned

    if not options.change:
        raise UsageError("`dream team export DIR` makes a home, `dream team export FILE.jsonl` a file")
    target, place = Path(options.change).expanduser().absolute(), _place(context, options)
    with open_owned(context.world.paths.store, place.url, place.tenant) as there:
        count = bring_back(context.world, there, target)
    context.document({"written": str(target), "memories": count})
    context.say(f"written: {target}, {render.count(count, 'memory')}")
    if not target.suffix:
        context.tell(f"`dream --home {target} list` shows them")
    return 0


def _place(context: Context, options: Namespace) -> Place:
    from dreamd.store.team.pointer import checked

    teams, store = context.world.settings.teams, context.world.settings.store
    return checked(options.url or teams.url or store.url, options.tenant or teams.tenant or store.tenant)


_ACTIONS: dict[str, Callable[[Context, Namespace], int]] = {"sync": sync, "private": keep, "share": keep, "machines": machines,
                                                             "import": move_in, "export": move_out}
SHARING = tuple(_ACTIONS)
