"""`dream explain`: why a memory is what it is, from the first sentence somebody said to the last decision about it."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from dreamd.cli.context import Context
from dreamd.cli.families.looking import memory_lines
from dreamd.cli.families.run_log import change_lines
from dreamd.cli.printing import render
from dreamd.cli.printing.json_documents import memory_document, moment, observation_document, operation_document
from dreamd.core.values import Memory
from dreamd.dream.phases.prune import Age
from dreamd.dream.telling.explained import Explained, explain
from dreamd.kit import open_kit


def add_arguments(_command: str, parser: ArgumentParser) -> None:
    """Declare what `dream explain` takes."""
    parser.add_argument("id", metavar="ID", help="id of a memory, or the beginning of it")


def run(context: Context, options: Namespace) -> int:
    """Observations, fates, versions, links and every decision with its evidence."""
    with open_kit(context.world, read_only=True) as kit:
        told = explain(kit, options.id)
    document = _document(context, told)
    context.document(document)
    if not context.json:
        _tell(context, told.memory, document)
    return 0


def _document(context: Context, told: Explained) -> dict[str, object]:
    paths = context.world.paths
    decisions = [{"run": one.run.id if one.run else None, "at": moment(one.run.now) if one.run else None,
                  "kind": one.run.kind if one.run else None, **operation_document(one)} for one in told.decisions]
    return {
        "memory": memory_document(told.memory, paths),
        "ageing": _ageing(context, told.age),
        "observations": [observation_document(o, told.places.get(o.source_id, "")) for o in told.heard],
        "decisions": decisions,
        "replaces": [memory_document(one, paths) for one in told.replaces],
        "replaced_by": memory_document(told.replaced_by, paths) if told.replaced_by else None,
        "links": [{"relation": relation, "memory": memory_document(other, paths)} for relation, other in told.links]}


def _ageing(context: Context, age: Age | None) -> dict[str, object] | None:
    """How old a memory counts and what comes of it; None for what does not go by age."""
    if age is None:
        return None
    rules = context.world.settings.prune
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
        for line in _words(row):
            context.say(render.wrap(line, width, "    "))
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


def _words(row: dict[str, object]) -> list[str]:
    """The words of an observation; where a language model made them, first the sentences that it read them in."""
    if not row["read_by_model"]:
        return [str(row["text"])]
    return [*str(row["context"] or "").split("\n"), f"as a language model read it: {row['text']}"]
