"""`dream worker`: dreams for a team, a task at a time or several; nothing of it is loaded by any other command."""

from __future__ import annotations

import asyncio
from argparse import ArgumentParser, Namespace
from importlib.util import find_spec

from dreamd.cli.context import Context
from dreamd.cli.printing import render
from dreamd.core.errors import ConfigError, UsageError
from dreamd.service.manners import Stop


def add_arguments(_command: str, parser: ArgumentParser) -> None:
    """Declare what `dream worker` takes."""
    ends = parser.add_mutually_exclusive_group()
    ends.add_argument("--once", action="store_true", help="do one task and leave")
    ends.add_argument("--until-idle", action="store_true", help="work off what waits now, without waiting for more to come, "
                                                                "and leave")
    parser.add_argument("--concurrency", metavar="N", type=int, default=1, help="tasks at a time; each loads what it needs "
                                                                                "(1)")
    parser.add_argument("--all-tenants", action="store_true", help="serve every tenant the role belongs to, and not only "
                                                                   "`store.tenant`")


def run(context: Context, options: Namespace) -> int:
    """Work until it is told to stop, or until there is nothing left."""
    store = context.world.settings.store
    if not store.url:
        raise ConfigError("a worker dreams for a team, and this home has a store of its own", hint="set `store.url`")
    if not 1 <= options.concurrency <= 64:
        raise UsageError("`--concurrency` takes 1 to 64")
    if find_spec("procrastinate") is None:
        raise ConfigError("a worker needs procrastinate", hint="`pip install 'dreamd[team]'`")
    from dreamd.service.workers.errands import Errands
    from dreamd.service.workers.shift import Shift, work
    from dreamd.store.team import task_queue

    tenants = task_queue.load_tenants(store.url)
    if store.tenant not in tenants:
        raise ConfigError("this role is no member of the tenant", hint="the operator adds it with `dream team users`")
    stop = Stop(context.world.paths, heeds_pause=False)
    errands = Errands(context.world, tuple(tenants) if options.all_tenants else (store.tenant,), stop=stop)
    context.tell(f"working for {', '.join(f'`{t}`' for t in errands.tenants)}, {options.concurrency} at a time")
    shift = Shift(concurrency=1 if options.once else options.concurrency, lost_after_s=store.worker_lost_after_s,
                  until_idle=options.until_idle, once=options.once)
    asyncio.run(work(errands, shift, context.tell))
    context.document({"done": errands.done, "failed": errands.failed, "put_off": errands.put_off,
                      "stopped": bool(stop.code)})
    context.say(f"{render.count(errands.done, 'task')} done, {errands.failed} failed, {errands.put_off} put off")
    return stop.code
