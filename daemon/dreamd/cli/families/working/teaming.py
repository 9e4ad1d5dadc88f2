"""`dream team`: what an operator does with a team's store on PostgreSQL."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from datetime import timedelta

from dreamd.cli.context import Context
from dreamd.cli.families.working.sharing import SHARING, SHARING_HELP, WORDS_HELP, share, tell_behind
from dreamd.cli.printing import render
from dreamd.cli.printing.json_documents import moment
from dreamd.core.errors import UsageError
from dreamd.store.team import task_queue, tenancy
from dreamd.store.team.pointer import Place, checked
from dreamd.store.team.shape import STANDINGS
from dreamd.store.team.task_queue import Load
from dreamd.store.team.tenancy import Member

LOOK_S = 0.5
"""Between two looks whether a tenant is at rest."""


def add_arguments(_command: str, parser: ArgumentParser) -> None:
    """Declare what `dream team` takes."""
    parser.add_argument("action", choices=("init", "status", "users", "drain", *SHARING),
                        help="make the store or bring it up to date; how each tenant is doing; who belongs where; hand out no "
                             f"more tasks of a tenant and wait until those at work are done; {SHARING_HELP}")
    parser.add_argument("change", nargs="?", metavar="WORD", help=f"of `users`: add, remove; {WORDS_HELP}")
    parser.add_argument("role", metavar="ROLE", nargs="?", help="a role of the database; one that is not there is made")
    parser.add_argument("--role", dest="standing", choices=STANDINGS,
                        help="of `users add`: a reader looks, a member says something too, a curator also pins and decides")
    parser.add_argument("--forget", action="store_true", help="of `users remove`: with all that was said by that role alone")
    parser.add_argument("--carry", action="store_true",
                        help="of `sync`: only what needs the network; what goes up was laid ready before")
    parser.add_argument("--off", action="store_true", help="of `drain`: hand tasks out again")
    parser.add_argument("--url", metavar="URL", help="the database, as the role that owns the store (`store.url`)")
    parser.add_argument("--tenant", metavar="NAME", help="which tenant (`store.tenant`)")


def run(context: Context, options: Namespace) -> int:
    """Carry one of them out."""
    if options.action in SHARING:
        return share(context, options)
    wanted = context.world.settings.store
    place = checked(options.url or wanted.url, options.tenant or wanted.tenant)
    if options.action == "init":
        return _init(context, place.url, place.tenant)
    if options.action == "status":
        return _status(context, place.url)
    if options.action == "drain":
        return _drain(context, place, on=not options.off)
    if bool(options.change) != bool(options.role) or options.change not in (None, "add", "remove"):
        raise UsageError("`dream team users`, `dream team users add ROLE`, `dream team users remove ROLE`")
    if options.change == "add":
        made = tenancy.add_member(place.url, Member(options.role, place.tenant, options.standing or ""))
        standing = next(m.standing for m in tenancy.list_members(place.url)
                        if (m.role, m.tenant) == (options.role, place.tenant))
        context.document({"role": options.role, "tenant": place.tenant, "standing": standing, "made": made})
        context.say(f"`{options.role}` is a {standing} of `{place.tenant}`")
        if made:
            context.tell(f"the role is new and has no password: `\\password {options.role}` in psql gives it one")
        return 0
    if options.change == "remove":
        return _remove(context, place, options)
    members = tenancy.list_members(place.url)
    context.document({"members": [vars(m) for m in members]})
    for line in render.table([(m.tenant, m.role, m.standing) for m in members]):
        context.say(line.rstrip())
    return 0


def _remove(context: Context, place: Place, options: Namespace) -> int:
    from dreamd.dream.sharing.departing import forget_member

    gone = tenancy.drop_member(place.url, options.role, place.tenant)
    tenancy.drop_machines(place.url, place.tenant, options.role)
    left = forget_member(place.url, place.tenant, options.role, at=context.world.clock.now()) if options.forget else None
    told = {"forgotten": {"memories": left.memories, "observations": left.observations}} if left else {}
    context.document({"role": options.role, "tenant": place.tenant, "removed": gone, **told})
    context.say(f"`{options.role}` is {'no longer' if gone else 'no'} member of `{place.tenant}`")
    if left:
        context.say(f"forgotten: {render.count(left.observations, 'statement')}, "
                    f"{render.count(left.memories, 'memory')} that nobody else said")
        tell_behind(context, left.machines)
    elif gone:
        context.tell("what was said by that role stays, with its name; `--forget` takes it out")
    return 0


def _init(context: Context, url: str, tenant: str) -> int:
    world = context.world
    fresh = tenancy.found(url, [tenant], at=world.clock.now(), zone=world.zone_name,
                          dream_after_s=world.settings.store.dream_after_s)
    context.document({"tenant": tenant, "founded": tenant in fresh})
    context.say(f"tenant `{tenant}` {'founded' if fresh else 'is there'}, the store is up to date")
    context.tell(f"next: `dream team users add ROLE --tenant {tenant}`, and in its settings `store.url` and `store.tenant`")
    return 0


def _status(context: Context, url: str) -> int:
    backlogs = tenancy.load_backlogs(url, since=context.world.clock.now() - timedelta(days=1))
    with tenancy.owning(url) as base:
        loads = task_queue.load_loads(base)
    context.document({"tenants": [{**vars(b), "tasks": _load_document(loads[b.tenant])} for b in backlogs]})
    for line in render.table([(b.tenant, render.count(b.memories, "memory", "memories"), f"{b.waiting} waiting",
                               f"since {b.oldest}" if b.oldest else "", f"{render.count(b.dreams, 'dream')} today",
                               f"{b.failed} failed" if b.failed else "") for b in backlogs]):
        context.say(line.rstrip())
    for load in loads.values():
        context.say(render.wrap(_load_in_words(load), context.width, f"{load.tenant}: "))
    return 0


def _load_document(load: Load) -> dict[str, object]:
    return {**vars(load), "oldest": moment(load.oldest), "checked_at": moment(load.checked_at)}


def _load_in_words(load: Load) -> str:
    """How the tasks of a tenant are doing, in a sentence."""
    parts = [render.count(load.workers, "worker"), f"{render.count(load.running, 'task')} at work",
             f"{load.waiting} waiting" + (f" since {render.stamp(load.oldest)}" if load.oldest else ""),
             f"{load.failed} failed today", f"{load.a_minute:.1f} done a minute",
             (f"checked {render.stamp(load.checked_at)}" if load.checked_at else "not checked yet")
             + (f", {render.count(load.faults, 'fault')}" if load.faults else "")]
    return ", ".join(parts + (["none are handed out (`dream team drain --off`)"] if load.drained else []))


def _drain(context: Context, place: Place, *, on: bool) -> int:
    """Stop the handing out, or begin again; comes back once nothing is at work any more."""
    with tenancy.owning(place.url) as base:
        task_queue.drain(base, place.tenant, on=on)
    lost_after_s, told, lost = context.world.settings.store.worker_lost_after_s, -1, 0
    while on:
        with tenancy.owning(place.url) as base:
            running, lost = task_queue.count_at_work(base, place.tenant, lost_after_s=lost_after_s)
        if not running:
            break
        if running != told:
            context.tell(f"waiting for {render.count(running, 'task')} at work")
        told = running
        context.world.clock.sleep(LOOK_S)
    context.document({"tenant": place.tenant, "drained": on, "lost": lost})
    context.advise(f"`{place.tenant}`: " + ("no task is at work, and none is handed out until `dream team drain --off`" if on
                                         else "tasks are handed out again"))
    if lost:
        context.warn(f"{render.count(lost, 'task')} of workers that gave no sign of life for {lost_after_s} s: not waited for")
    return 0
