"""The report of a dream as a person reads it: what was read, what became of it, what changed and why, how to undo."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from dreamd.cli.context import Context
from dreamd.cli.printing import render
from dreamd.cli.printing.changes import why
from dreamd.core.values import IN_PASSING, Fate, MemoryClass, Status
from dreamd.dream import setting_aside
from dreamd.report.plain_reasons import OF_SKIPS, plain

if TYPE_CHECKING:
    from dreamd.agents.told_changes import ToldChange
    from dreamd.core.values import Memory
    from dreamd.dream.cycle import CycleReport
    from dreamd.dream.plan import Change
    from dreamd.service.tending import Tended

SHOWN = 20
BY_HAND = (("changed", "edited"), ("added", "added"), ("deleted", "deleted"), ("renamed", "renamed"))
FEW = 4
FATES = (("new", "new", "new"), ("duplicate", "said before", "said before"), ("refines", "added detail", "added detail"),
         ("updates", "replaced something", "replaced something"), ("contradicts", "contradiction", "contradictions"),
         ("held", "held", "held"), ("discarded", "let go", "let go"))
GROUPS = (
    ("learned", "green", ("add", "promote")), ("updated", "cyan", ("supersede",)),
    ("merged", "blue", ("refine", "merge", "regroup")), ("edited by you", "cyan", ("edit", "rename")),
    ("held for you", "yellow", ("hold",)), ("kept as an earlier version", "dim", ("version", "support")),
    ("stale", "dim", ("stale",)), ("live again", "green", ("revive",)),
    ("of another class", "dim", ("reclass",)), ("retired", "dim", ("archive",)))
MASK = "[masked: "
WEIGHT = {MemoryClass.PREFERENCE: 0, MemoryClass.RULE: 1, MemoryClass.STATE: 2}
"""What a person wants to see first of what was learned."""


def tell_report(context: Context, report: CycleReport, *, plan_file: str | None, carried_out_by: str) -> None:
    """Print the report; that of a plan names the command that carries it out."""
    if report.outcome == "nothing-to-do":
        context.say(f"nothing to do: {report.reason or 'nothing is new'}")
        if not report.planned:
            _tell_first_steps(context)
        return
    if not report.changes and not report.fates:
        context.say("nothing was changed" if report.aside or report.waiting or report.damaged else
                    "nothing to change: some files were touched, what they say is as before")
        _tell_left(context, report)
        return
    _tell_head(context, report)
    if report.changes:
        _tell_changes(context, report)
    _tell_left(context, report)
    _tell_places(context, report)
    if context.verbosity > 0:
        _tell_details(context, report)
    if report.planned:
        context.say()
        context.say(f"this is a plan, nothing was changed; carry it out with `dream consolidate --apply {plan_file}`"
                    if plan_file else f"this is a plan, nothing was changed; `{carried_out_by}` carries it out")
    elif report.changes:
        if context.verbosity > 0:
            context.say()
        context.say(f"{'undo':<9}dream undo {report.run}")


def tell_tended(context: Context, tended: Sequence[Tended], *, planned: bool) -> None:
    """What was changed in attached directories, or would be: file by file, each entry as it was and as it is."""
    for one in tended:
        if not one.files:
            continue
        context.say()
        verb = "would be put in order" if planned else "put in order"
        context.say(render.paint(f"{verb}: {one.directory}", "bold", colour=context.colour)
                    + f" ({render.count(len(one.files), 'file')})")
        room = len(one.told.changes) if context.verbosity > 0 else SHOWN
        for change in one.told.changes[:room]:
            for line in tended_lines(change, width=context.width, colour=context.colour):
                context.say(line)
        if len(one.told.changes) > room:
            context.say(f"  … and {len(one.told.changes) - room:,} more" + (f": dream diff {one.run}" if one.run else ""))
        if one.run:
            context.say(f"{'undo':<9}dream undo {one.run}")
        elif planned:
            context.say("this is a plan, nothing was changed there; `dream consolidate` carries it out")


def tended_lines(change: ToldChange, *, width: int, colour: bool) -> list[str]:
    """One change of an attached directory as a small diff."""
    lines = [render.wrap(why(change.reason, change.evidence[:3]), width, f"  {render.clean(change.file)}  {change.op}  ")]
    for sign, text, style in (("-", change.before, "red"), ("+", change.after, "green")):
        if text is not None:
            lines.append(render.paint(render.wrap(f"{sign} {' '.join(text.split())}", width, "    "), style, colour=colour))
    return lines


def _tell_first_steps(context: Context) -> None:
    """On a machine where nothing was found and nothing was ever said: what to do next."""
    from dreamd.agents.attach import load_attachments
    from dreamd.store import observations, work
    from dreamd.store.connection import open_reader

    with open_reader(context.world.paths.store) as store:
        empty, attached = observations.last_seq(store) == 0, load_attachments(store)
        read = len(work.load_sources(store))
    if not empty:
        return
    context.say()
    if attached:
        context.say(f"dream keeps {render.count(len(attached), 'attached directory', 'attached directories')} in order and "
                    f"learns nothing from {'it' if len(attached) == 1 else 'them'}; `dream ingest DIR` reads what stands there")
        return
    context.say(f"{render.count(read, 'source')} read (`dream sources` lists them), and nothing in them was a person's to keep:"
                if read else "no transcript and no memory directory of an agent was found here, and nothing was noted yet:")
    for line in render.table([("  dream note \"Deploys go through the blue pipeline\"", "tell it something"),
                              ("  dream ingest PATH", "read transcripts or notes from another place"),
                              ("  dream connect --list", "which agents are installed, and how to connect one")], gap=3):
        context.say("  " + line)


def _tell_head(context: Context, report: CycleReport) -> None:
    gathered, orient = report.phases.get("gather", {}), report.phases.get("orient", {})
    seconds = sum(phase.get("seconds", 0.0) for phase in report.phases.values())
    title = "plan" if report.planned else f"dream {report.run}"
    when = render.stamp(report.now) if report.now else ""
    context.say(render.paint(f"{title} · {when} · {seconds:.1f} s", "bold", colour=context.colour))
    rows = []
    if gathered.get("sources"):
        rows.append(f"{'read':<9}{int(gathered.get('read', 0)):,} of {render.count(gathered['sources'], 'source')}: "
                    f"{render.count(gathered.get('lines', 0), 'line')}, {render.count(gathered.get('prompts', 0), 'prompt')}"
                    + ("" if report.planned else f" → {render.count(gathered.get('stored', 0), 'new observation')}"))
    beside = [(orient.get("inbox", 0), "from the inbox"),
              *((orient.get(f"edits_{kind}", 0), f"{word} by you") for kind, word in BY_HAND)]
    if any(n for n, _ in beside):
        rows.append(f"{'also':<9}{', '.join(f'{int(n)} {what}' for n, what in beside if n)}")
    said = Counter(report.fates) - _by_hand(report)
    passing = int(report.phases.get("consolidate", {}).get(f"{Fate.DISCARDED.value}.{IN_PASSING}", 0))
    said["discarded"] -= passing
    told = [f"{said[name]:,} {one if said[name] == 1 else many}" for name, one, many in FATES if said[name]]
    told += [f"{passing:,} said in passing"] if passing else []
    if told:
        rows.append(f"{'became':<9}{' · '.join(told)}")
        if (said["discarded"] or said["held"]) and not report.planned and context.verbosity <= 0:
            rows.append(f"{'':<9}`dream history {report.run}` names each with its reason")
    weighed = report.phases.get("consolidate", {})
    if weighed.get("unweighed"):
        rows.append(f"{'weighed':<9}{render.count(weighed.get('weighed', 0), 'passage')}, "
                    f"{int(weighed['unweighed']):,} left for the next dreams")
    masked = sum(1 for c in report.changes if c.before is None and MASK in c.after.text)
    if masked:
        rows.append(f"{'masked':<9}secrets in {render.count(masked, 'memory')}, before they were stored")
    if rows:
        context.say("\n".join(("", *rows)))


def _by_hand(report: CycleReport) -> Counter[str]:
    """Fates of what a person did to the files: told as such, not as something that was said."""
    edited = sum(1 for c in report.changes if c.op in ("edit", "rename"))
    deleted = sum(1 for c in report.changes if c.reason == "deleted-by-person")
    return Counter(refines=edited, updates=deleted)


def _tell_changes(context: Context, report: CycleReport) -> None:
    """Changes by kind, the newest wording of each memory once, and no more of them than a person reads."""
    final = {**report.successors, **{c.after.id: c.after for c in report.changes}}
    groups = [(title, style, ops, chosen) for title, style, ops in GROUPS if (chosen := _chosen(report.changes, ops, final))]
    sizes = [len(chosen) for *_, chosen in groups]
    rooms = sizes if context.verbosity > 0 else _share(sizes, SHOWN)
    several = len(report.scopes) > 1
    for (title, style, ops, chosen), room in zip(groups, rooms, strict=True):
        context.say()
        context.say(render.paint(f"{title} ({len(chosen):,})", "bold", colour=context.colour)
                    + ("  `dream review` asks you about them" if "hold" in ops and not report.planned else ""))
        for change in chosen[:room]:
            for line in _lines(context, change, final, style, scope=several):
                context.say(line)
    hidden = sum(sizes) - sum(rooms)
    if hidden > 0:
        context.say()
        context.say(f"… and {hidden:,} more" + ("" if report.planned else f": dream diff {report.run}"))


def _tell_left(context: Context, report: CycleReport) -> None:
    """What waits past a limit, and files that were taken for damage: each by name, and no more than a person reads."""
    room = None if context.verbosity > 0 else SHOWN
    waiting = [(c.after.id, c.after.text, why(c.reason, c.evidence[:1])) for c in report.waiting]
    damaged = [(d.path.rsplit("/", 1)[-1], "", setting_aside.WORDS.get(d.reason, d.reason)) for d in report.damaged]
    for title, rows in (("waiting", waiting), ("set aside as damage", damaged)):
        if rows:
            context.say()
            context.say(render.paint(f"{title} ({len(rows):,})", "bold", colour=context.colour))
        for name, text, reason in rows[:room]:
            tail = f"  {reason}"
            context.say("  " + render.clip(f"{name}  {text}".rstrip(), context.width - len(tail) - 2)
                        + render.paint(tail, "dim", colour=context.colour))
        if room is not None and len(rows) > room:
            context.say(f"… and {len(rows) - room:,} more")


def _share(sizes: Sequence[int], room: int) -> list[int]:
    """Divide the lines a person reads: a few for every group, the rest to the first that have more to tell."""
    given = [min(size, FEW) for size in sizes]
    while sum(given) > room:
        given[given.index(max(given))] -= 1
    for n, size in enumerate(sizes):
        given[n] += min(size - given[n], room - sum(given))
    return given


def _chosen(changes: Sequence[Change], ops: tuple[str, ...], final: dict[str, Memory]) -> list[Change]:
    """One change a memory: the last of its kind, and only while it still says how the memory ended up."""
    found: dict[str, Change] = {}
    for change in changes:
        if change.op in ops:
            found[change.after.id] = change
    if "add" in ops:
        # What replaced something is told once, beside what it replaced.
        told = {c.after.superseded_by for c in changes if c.op == "supersede"}
        fresh = [c for c in found.values()
                 if c.after.id not in told and final[c.after.id].status in (Status.LIVE, Status.STALE)]
        return sorted(fresh, key=lambda c: WEIGHT.get(final[c.after.id].memory_class, len(WEIGHT)))
    if "hold" in ops:
        return [c for c in found.values() if final[c.after.id].status is Status.HELD]
    return list(found.values())


def _lines(context: Context, change: Change, final: dict[str, Memory], style: str, *, scope: bool) -> list[str]:
    width, colour = context.width, context.colour
    after = final[change.after.id]
    head = f"  {after.id}  "
    room = width - len(head)
    if change.op == "supersede" or change.op == "merge" and after.status is Status.SUPERSEDED:
        successor = final.get(after.superseded_by)
        lines = [head + render.paint(render.clip(after.text, room), "dim", colour=colour)]
        if successor is not None:
            lines.append(" " * (len(head) - 2) + "→ " + render.paint(render.clip(successor.text, room), style, colour=colour))
        return [*lines, *_why(change, len(head), width, colour=colour)]
    if change.op == "refine" and change.before is not None and change.before.text != after.text:
        return [head + render.paint(render.clip(change.before.text, room), "dim", colour=colour),
                " " * (len(head) - 2) + "→ " + render.paint(render.clip(after.text, room), style, colour=colour)]
    said = f" (said {after.support} times)" if change.op in ("merge", "promote", "regroup") else ""
    until = f" (until {after.ttl})" if after.ttl and change.op in ("add", "archive") else ""
    tail = said + until + (f"  {render.clip(str(after.scope), 32)}" if scope else "")
    lines = [head + render.clip(after.text, room - len(tail)) + render.paint(tail, "dim", colour=colour)]
    if change.op in ("hold", "archive", "stale", "version", "revive", "reclass"):
        lines += _why(change, len(head), width, colour=colour)
    return lines


def _why(change: Change, indent: int, width: int, *, colour: bool) -> list[str]:
    told = why(change.reason, change.evidence[:3], held=change.op == "hold")
    return [render.paint(line, "dim", colour=colour) for line in render.wrap(told, width, " " * indent).split("\n")]


def _tell_details(context: Context, report: CycleReport) -> None:
    """With `-v`: where the time went, and what the readers passed over."""
    times = [f"{name} {phase.get('seconds', 0.0):.1f} s" for name, phase in report.phases.items()]
    context.say(f"{'time':<9}{', '.join(times)}")
    if report.skips:
        passed = sorted(report.skips.items(), key=lambda row: (-row[1], row[0]))
        context.say(f"{'passed':<9}{', '.join(f'{n:,} {plain(reason, OF_SKIPS)}' for reason, n in passed)}")
    if report.run and not report.planned:
        _tell_let_go(context, report.run)


def _tell_let_go(context: Context, run: str) -> None:
    """What was said and led to no memory, each with its reason."""
    from dreamd.cli.printing.fates import tell_fates, without_memory
    from dreamd.store import journal, observations
    from dreamd.store.connection import open_reader

    with open_reader(context.world.paths.store) as store:
        heard = observations.load_of_run(store, journal.load_run(store, run).seq)
    tell_fates(context, without_memory(heard))


def _tell_places(context: Context, report: CycleReport) -> None:
    """Where the markdown of every scope that changed is."""
    paths, home = context.world.paths, context.world.env.get("HOME", "")
    places = [paths.scope_dir(scope) / "MEMORY.md" for scope in report.scopes]
    there = [p for p in places if report.planned or p.exists()]
    if not there or report.planned:
        return
    context.say()
    for n, place in enumerate(there[:SHOWN]):
        context.say(f"{'memory' if n == 0 else '':<9}{render.short(place, home)}")
    if len(there) > SHOWN:
        context.say(f"{'':<9}… and {len(there) - SHOWN} more below {render.short(paths.memory, home)}")
