"""`dream team`: what an operator does with a team's store on PostgreSQL."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from dreamd.cli.context import Context
from dreamd.cli.printing import render
from dreamd.core.errors import UsageError
from dreamd.store.team import tenancy
from dreamd.store.team.pointer import checked
from dreamd.store.team.tenancy import Member


def add_arguments(_command: str, parser: ArgumentParser) -> None:
    """Declare what `dream team` takes."""
    parser.add_argument("action", choices=("init", "users"), help="make the store or bring it up to date; who may what")
    parser.add_argument("change", nargs="?", choices=("add", "remove"), help="of `users`: let a role in, or no more")
    parser.add_argument("role", metavar="ROLE", nargs="?", help="a role of the database; one that is not there is made")
    parser.add_argument("--url", metavar="URL", help="the database, as the role that owns the store (`store.url`)")
    parser.add_argument("--tenant", metavar="NAME", help="which tenant (`store.tenant`)")
    parser.add_argument("--as", dest="part", choices=tenancy.PARTS, default="member", help="what the role may do")


def run(context: Context, options: Namespace) -> int:
    """Carry one of them out."""
    wanted = context.world.settings.store
    place = checked(options.url or wanted.url, options.tenant or wanted.tenant)
    if options.action == "init":
        return _init(context, place.url, place.tenant)
    if bool(options.change) != bool(options.role):
        raise UsageError("`dream team users`, `dream team users add ROLE`, `dream team users remove ROLE`")
    if options.change == "add":
        made = tenancy.add_member(place.url, Member(options.role, place.tenant, options.part))
        context.document({"role": options.role, "tenant": place.tenant, "part": options.part, "made": made})
        context.say(f"`{options.role}` is a {options.part} of `{place.tenant}`")
        if made:
            context.tell(f"the role is new and has no password: `\\password {options.role}` in psql gives it one")
        return 0
    if options.change == "remove":
        gone = tenancy.drop_member(place.url, options.role, place.tenant)
        context.document({"role": options.role, "tenant": place.tenant, "removed": gone})
        context.say(f"`{options.role}` is {'no longer' if gone else 'no'} member of `{place.tenant}`")
        return 0
    members = tenancy.list_members(place.url)
    context.document({"members": [vars(m) for m in members]})
    for line in render.table([(m.tenant, m.role, m.part) for m in members]):
        context.say(line.rstrip())
    return 0


def _init(context: Context, url: str, tenant: str) -> int:
    fresh = tenancy.found(url, [tenant], at=context.world.clock.now(), zone=context.world.zone_name)
    context.document({"tenant": tenant, "founded": tenant in fresh})
    context.say(f"tenant `{tenant}` {'founded' if fresh else 'is there'}, the store is up to date")
    context.tell(f"next: `dream team users add ROLE --tenant {tenant}`, and in its settings `store.url` and `store.tenant`")
    return 0
