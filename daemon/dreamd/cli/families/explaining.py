"""`dream explain`: why a memory is what it is, from the first sentence somebody said to the last decision about it."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from dreamd.cli.context import Context
from dreamd.cli.families.looking import memory_lines
from dreamd.cli.families.run_log import change_lines, entry_document
from dreamd.cli.printing import render
from dreamd.cli.printing.json_documents import memory_document, moment, observation_document
from dreamd.core.values import Memory, Observation, Status
from dreamd.dream.phases.prune import age_of, ages
from dreamd.store import journal, memories, observations, passages, work
from dreamd.store.connection import Store, open_reader
from dreamd.store.uses import load_days_used


def add_arguments(_command: str, parser: ArgumentParser) -> None:
    """Declare what `dream explain` takes."""
    parser.add_argument("id", metavar="ID", help="id of a memory, or the beginning of it")


def run(context: Context, options: Namespace) -> int:
    """Observations, fates, versions, links and every decision with its evidence."""
    with open_reader(context.world.paths.store) as store:
        named = passages.load_named(store, options.id)
        memory = named.passage if isinstance(named, passages.Place) else named
        document = _document(context, store, memory)
    context.document(document)
    if not context.json:
        _tell(context, memory, document)
    return 0


def _document(context: Context, store: Store, memory: Memory) -> dict[str, object]:
    paths = context.world.paths
    places = {s.id: s.path for s in work.load_sources(store)}
    runs = {r.seq: r for r in journal.load_runs(store, limit=1_000_000)}
    said = observations.load_by_ids(store, [memory.id]) if memory.status is Status.SAID else []
    heard: dict[str, Observation] = {o.id: o for o in (*said, *observations.load_of_memory(store, memory.id))}
    heard.update((o.id, o) for o in observations.load_with_fate_of(store, memory.id) if o.id not in heard)
    versions = memories.load_some(store, [*memory.supersedes, *([memory.superseded_by] if memory.superseded_by else [])])
    linked = memories.load_some(store, [other for other, _ in memory.links])
    decisions = []
    for entry in journal.load_entries_of(store, memory.id):
        made = runs.get(entry.run)
        decisions.append({"run": made.id if made else None, "at": moment(made.now) if made else None,
                          "kind": made.kind if made else None, **entry_document(store, entry)})
    return {
        "memory": memory_document(memory, paths),
        "ageing": _ageing(context, store, memory),
        "observations": [observation_document(o, places.get(o.source_id, "")) for o in heard.values()],
        "decisions": decisions,
        "replaces": [memory_document(versions[i], paths) for i in memory.supersedes if i in versions],
        "replaced_by": memory_document(versions[memory.superseded_by], paths) if memory.superseded_by in versions else None,
        "links": [{"relation": relation, "memory": memory_document(linked[other], paths)}
                  for other, relation in memory.links if other in linked]}


def _ageing(context: Context, store: Store, memory: Memory) -> dict[str, object] | None:
    """How old a memory counts and what comes of it; None for what does not go by age."""
    if memory.status not in (Status.LIVE, Status.STALE) or not ages(memory):
        return None
    rules, used = context.world.settings.prune, load_days_used(store, memory.scope, since=memory.confirmed_at)
    age = age_of(memory, context.world.clock.now(), used)
    return {"since": moment(age.since), "days": age.counted.days, "days_passed": age.passed.days, "why": list(age.in_words),
            "stale_after": rules.stale_after_days, "archived_after": rules.stale_after_days + rules.archive_after_days}


def _tell(context: Context, memory: Memory, document: dict[str, object]) -> None:
    width, colour = context.width, context.colour

    def section(name: str, title: str) -> list[dict[str, object]]:
        rows = document[name]
        found = [r for r in rows if isinstance(r, dict)] if isinstance(rows, list) else []
        if found:
            context.say()
            context.say(render.paint(title, "bold", colour=colour))
        return found

    for line in memory_lines(context, memory):
        context.say(line)
    age = document["ageing"]
    if isinstance(age, dict):
        context.say(render.wrap(f"counts as {age['days']} days old; stale after {age['stale_after']}, out of the index after "
                                f"{age['archived_after']} unless it is said, confirmed or asked for", width, "  "))
        for why in age["why"]:
            context.say(render.wrap(str(why), width, "    "))
    for row in section("observations", "what was said"):
        where = f", {row['source']} at {row['start']}" if row["source"] else ""
        talk = f", conversation {row['conversation']}" if row["conversation"] else ""
        aside = ", set aside" if row["set_aside"] else ""
        context.say(render.fit(f"  {row['at']}  {row['origin']}{talk}{where}", width))
        context.say(render.wrap(str(row["text"]), width, "    "))
        context.say(render.fit(f"    → {row['fate'] or 'waits'}: {row['reason'] or '–'}{aside}", width))
    for row in section("replaces", "what it replaced"):
        context.say(render.fit(f"  {row['id']}  until {row['valid_to'] or '?'}  {render.clean(str(row['text']))}", width))
    after = document["replaced_by"]
    if isinstance(after, dict):
        context.say()
        context.say(render.paint("replaced by", "bold", colour=colour))
        context.say(render.fit(f"  {after['id']}  {render.clean(str(after['text']))}", width))
    for row in section("links", "beside it"):
        other = row["memory"]
        if isinstance(other, dict):
            context.say(render.fit(f"  {row['relation']}  {other['id']}  {render.clean(str(other['text']))}", width))
    for row in section("decisions", "every decision"):
        context.say(render.fit(f"  {row['at']}  {row['kind']} {row['run']}", width))
        for line in change_lines(row, width=width - 2, colour=colour):
            context.say("  " + line)
