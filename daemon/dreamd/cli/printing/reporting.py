"""The report of a dream as a person reads it: what was read, what became of it, what changed and why, how to undo."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from dreamd.cli.context import Context
from dreamd.cli.printing import render
from dreamd.cli.printing.changes import why
from dreamd.core.plain_words.plain_reasons import plain_skip
from dreamd.dream import setting_aside
from dreamd.dream.telling.gist import fates_in_words, in_passing
from dreamd.report.nights import Kind, Told, load_night, tell_plan

if TYPE_CHECKING:
    from dreamd.agents.told_changes import ToldChange
    from dreamd.dream.cycle import CycleReport
    from dreamd.service.tending import Tended

SHOWN = 20
BY_HAND = (("changed", "edited"), ("added", "added"), ("deleted", "deleted"), ("renamed", "renamed"))
FEW = 4
STYLES = {Kind.LEARNED: "green", Kind.MERGED: "blue", Kind.DETAILED: "blue", Kind.REPLACED: "cyan", Kind.HELD: "yellow",
          Kind.REVIVED: "green", Kind.EDITED: "cyan"}
REASONED = (Kind.REPLACED, Kind.HELD, Kind.RETIRED, Kind.FADED, Kind.EARLIER, Kind.REVIVED, Kind.OTHER, Kind.FORGOTTEN)
"""What nobody understands without its reason."""
SAID_OFTEN = (Kind.LEARNED, Kind.DETAILED, Kind.SAID_AGAIN)
MASK = "[masked: "


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
        context.advise(f"this is a plan, nothing was changed; carry it out with `dream consolidate --apply {plan_file}`"
                    if plan_file else f"this is a plan, nothing was changed; `{carried_out_by}` carries it out")
    elif report.changes:
        if context.verbosity > 0:
            context.say()
        undo = context.world.called.command(f"undo {report.run}")
        context.say(f"{'undo':<9}{undo}")
        context.say(f"{'':<9}{undo} --only N   one change, by its number")


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
            context.advise(f"  … and {len(one.told.changes) - room:,} more" + (f": `dream diff {one.run}`" if one.run else ""))
        if one.run:
            context.say(f"{'undo':<9}{context.world.called.command(f'undo {one.run}')}")
        elif planned:
            context.advise("this is a plan, nothing was changed there; `dream consolidate` carries it out")


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
        context.advise(f"dream keeps {render.count(len(attached), 'attached directory', 'attached directories')} in order and "
                    f"learns nothing from {'it' if len(attached) == 1 else 'them'}; `dream ingest DIR` reads what stands there")
        return
    context.advise(f"{render.count(read, 'source')} read (`dream sources` lists them), nothing there was a person's to keep:"
                   if read else "no transcript and no memory directory of an agent was found here, and nothing was noted yet:")
    for line in render.table([(f"  {context.world.called.command(words)}", what) for words, what in (
            ('note "Deploys go through the blue pipeline"', "tell it something"),
            ("ingest PATH", "read transcripts or notes from another place"),
            ("connect --list", "which agents are installed, and how to connect one"))], gap=3):
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
                    + ("" if report.planned else f" → {render.count(gathered.get('stored', 0), 'new statement')}"))
    said = Counter(report.fates) - _by_hand(report)
    waited = 0 if report.planned else said.total() - gathered.get("stored", 0) - orient.get("inbox", 0)
    beside = [(max(0, waited), "that waited"), (orient.get("inbox", 0), "from the inbox"),
              *((orient.get(f"edits_{kind}", 0), f"{word} by you") for kind, word in BY_HAND)]
    if any(n for n, _ in beside):
        also = "also" if rows or not any(n for n, _ in beside[:2]) else "took up"
        rows.append(f"{also:<9}{', '.join(f'{int(n):,} {what}' for n, what in beside if n)}")
    told = fates_in_words(said, report.phases)
    if told:
        rows.append(f"{'heard':<9}{render.count(said.total(), 'statement')}: {' · '.join(told)}")
        if (said["discarded"] > in_passing(report.phases) or said["held"]) and not report.planned and context.verbosity <= 0:
            rows.append(context.world.called.told(f"{'':<9}`dream history {report.run}` names each with its reason"))
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
    """Changes by kind, numbered as everywhere, and no more of them than a person reads."""
    told = _load_told(context, report)
    groups = [(kind, chosen) for kind in Kind if (chosen := [one for one in told if one.kind is kind and not one.beside])]
    sizes = [len(chosen) for _, chosen in groups]
    rooms = sizes if context.verbosity > 0 else _share(sizes, SHOWN)
    digits = len(str(sum(sizes)))
    for (kind, chosen), room in zip(groups, rooms, strict=True):
        context.say()
        asks = "  `dream review` asks you about them" if kind is Kind.HELD and not report.planned else ""
        context.advise(render.paint(f"{kind.words} ({len(chosen):,})", "bold", colour=context.colour) + asks)
        for one in chosen[:room]:
            for line in _lines(context, one, digits, scope=len(report.scopes) > 1):
                context.say(line)
    hidden = sum(sizes) - sum(rooms)
    if hidden > 0:
        context.say()
        context.advise(f"… and {hidden:,} more" + ("" if report.planned else f": `dream diff {report.run}`"))


def _load_told(context: Context, report: CycleReport) -> Sequence[Told]:
    """The changes as the journal has them; those of a plan as it would."""
    from dreamd.store.connection import open_reader

    if report.planned:
        return tell_plan(report.changes, report.successors)
    with open_reader(context.world.paths.store) as store:
        return load_night(store, report.run).told


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


def _lines(context: Context, one: Told, digits: int, *, scope: bool) -> list[str]:
    """One change: its number, its memory, its words, what took their place, and why where that does not go without saying."""
    width, colour, style = context.width, context.colour, STYLES.get(one.kind, "dim")
    head = f"  {one.number:>{digits}}  {one.memory}  "
    room = width - len(head)
    new = one.successor or (one.text if one.before and one.after and one.before.text != one.after.text else "")
    until = one.after.ttl if one.after and one.kind in (Kind.LEARNED, Kind.RETIRED) else None
    tail = (f" (said {one.support} times)" if one.support > 1 and one.kind in SAID_OFTEN else "") + (
        f" (until {until})" if until else "") + (f"  {render.clip(one.scope, 32)}" if scope else "")
    old = one.before.text if new and not one.successor and one.before else one.text
    lines = [head + render.clip(old, room - len(tail)) + render.paint(tail, "dim", colour=colour)]
    if new:
        lines.append(" " * (len(head) - 2) + "→ " + render.paint(render.clip(new, room), style, colour=colour))
    if one.kind in REASONED:
        because = render.wrap("; ".join(filter(None, (one.why, *one.evidence[:3]))), width, " " * len(head))
        lines += [render.paint(line, "dim", colour=colour) for line in because.split("\n")]
    return lines


def _tell_details(context: Context, report: CycleReport) -> None:
    """With `-v`: where the time went, and what the readers passed over."""
    times = [f"{name} {phase.get('seconds', 0.0):.1f} s" for name, phase in report.phases.items()]
    context.say(f"{'time':<9}{', '.join(times)}")
    if report.skips:
        passed = sorted(report.skips.items(), key=lambda row: (-row[1], row[0]))
        context.say(f"{'passed':<9}{', '.join(f'{n:,} {plain_skip(reason)}' for reason, n in passed)}")
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
