"""`dream team`: what an operator does with a team's store on PostgreSQL."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from datetime import timedelta

from dreamd.cli.context import Context
from dreamd.cli.families.working.sharing import SHARING, SHARING_HELP, WORDS_HELP, share, tell_behind
from dreamd.cli.printing import render
from dreamd.core.errors import UsageError
from dreamd.store.team import tenancy
from dreamd.store.team.pointer import Place, checked
from dreamd.store.team.shape import STANDINGS
from dreamd.store.team.tenancy import Member


def add_arguments(_command: str, parser: ArgumentParser) -> None:
    """Declare what `dream team` takes."""
    parser.add_argument("action", choices=("init", "status", "users", *SHARING),
                        help=f"make the store or bring it up to date; how each tenant is doing; who belongs where; "
                             f"{SHARING_HELP}")
    parser.add_argument("change", nargs="?", metavar="WORD", help=f"of `users`: add, remove; {WORDS_HELP}")
    parser.add_argument("role", metavar="ROLE", nargs="?", help="a role of the database; one that is not there is made")
    parser.add_argument("--role", dest="standing", choices=STANDINGS,
                        help="of `users add`: a reader looks, a member says something too, a curator also pins and decides")
    parser.add_argument("--forget", action="store_true", help="of `users remove`: with all that was said by that role alone")
    parser.add_argument("--carry", action="store_true",
                        help="of `sync`: only what needs the network; what goes up was laid ready before")
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
        context.say(f"forgotten: {render.count(left.observations, 'observation')}, "
                    f"{render.count(left.memories, 'memory')} that nobody else said")
        tell_behind(context, left.machines)
    elif gone:
        context.tell("what was said by that role stays, with its name; `--forget` takes it out")
    return 0


def _init(context: Context, url: str, tenant: str) -> int:
    fresh = tenancy.found(url, [tenant], at=context.world.clock.now(), zone=context.world.zone_name)
    context.document({"tenant": tenant, "founded": tenant in fresh})
    context.say(f"tenant `{tenant}` {'founded' if fresh else 'is there'}, the store is up to date")
    context.tell(f"next: `dream team users add ROLE --tenant {tenant}`, and in its settings `store.url` and `store.tenant`")
    return 0


def _status(context: Context, url: str) -> int:
    backlogs = tenancy.load_backlogs(url, since=context.world.clock.now() - timedelta(days=1))
    context.document({"tenants": [vars(b) for b in backlogs]})
    for line in render.table([(b.tenant, render.count(b.memories, "memory", "memories"), f"{b.waiting} waiting",
                               f"since {b.oldest}" if b.oldest else "", f"{b.dreams} dreams today",
                               f"{b.failed} failed" if b.failed else "") for b in backlogs]):
        context.say(line.rstrip())
    return 0
