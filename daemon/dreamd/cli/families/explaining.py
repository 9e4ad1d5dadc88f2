"""`dream explain`: why a memory is what it is, from the first sentence somebody said to the last decision about it."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from dataclasses import replace

from dreamd.cli.context import Context
from dreamd.cli.families.looking import memory_lines
from dreamd.cli.printing import render
from dreamd.cli.printing.changes import change_lines
from dreamd.cli.printing.json_documents import memory_document, moment, observation_document, operation_document, voice_document
from dreamd.core.plain_words.for_people import VOICES
from dreamd.core.plain_words.plain_reasons import fate_and_why
from dreamd.core.values import Memory, Observation, is_observed
from dreamd.dream.phases.prune import Age
from dreamd.dream.telling.explained import Explained, explain, knowing
from dreamd.kit import Kit, open_kit
from dreamd.report.nights import memory_named
from dreamd.store import journal, memories
from dreamd.store.telling import taken_back
from dreamd.store.telling.voices import Voice


def add_arguments(_command: str, parser: ArgumentParser) -> None:
    """Declare what `dream explain` takes."""
    parser.add_argument("id", metavar="ID", help="id of a memory, or the beginning of it; or the number "
                        "that a change of the last dream has in `dream diff`")


def run(context: Context, options: Namespace) -> int:
    """Observations, fates, versions, links and every decision with its evidence."""
    with open_kit(context.world, read_only=True) as kit, knowing(kit, options.id) as (knows, mark):
        told = explain(knows, _named(kit, options.id))
        told = replace(told, memory=mark(told.memory))
    document = _document(context, told)
    context.document(document)
    if not context.json:
        _tell(context, told, _ageing(context, told.age))
    return 0


def _named(kit: Kit, named: str) -> str:
    """The memory of a change by its number in the last dream, as `dream diff` shows it; any other word as it is."""
    run = journal.last_run(kit.store, undoable=True) if named.isdecimal() and len(named) < memories.SHORTEST_ID else None
    return memory_named(kit.store, run, named) if run else named


def _document(context: Context, told: Explained) -> dict[str, object]:
    paths = context.world.paths
    decisions = [{"run": one.run.id if one.run else None, "at": moment(one.run.now) if one.run else None,
                  "kind": one.run.kind if one.run else None, **operation_document(one)} for one in told.decisions]
    return {
        "memory": memory_document(told.memory, paths), "undone": told.undone,
        "ageing": _ageing(context, told.age),
        "observations": [{**observation_document(o, told.places.get(o.id, "")), **voice_document(told.voices.get(o.id))}
                         for o in told.heard],
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


def _tell(context: Context, told: Explained, ageing: dict[str, object] | None) -> None:
    width, colour = context.width, context.colour

    def section(title: str, there: object) -> None:
        if there:
            context.say()
            context.say(render.paint(title, "bold", colour=colour))

    def beside(word: str, memory: Memory) -> None:
        context.say(render.wrap(memory.text, width, f"  {memory.id}  {word}"))

    if told.undone:
        _tell_undone(context, told)
    for line in memory_lines(context, told.memory) if not told.undone else ():
        context.say(line)
    if ageing:
        days = render.count(told.age.counted.days if told.age else 0, "day")
        context.say(render.wrap(f"{days} of the {ageing['stale_after']} after which it is stale, and the "
                                f"{ageing['archived_after']} after which it leaves the index", width, "  "))
        for why in told.age.in_words if told.age else ():
            context.say(render.wrap(why, width, "    "))
    section("what was said", told.heard)
    for one in told.heard:
        _tell_heard(context, one, told.places.get(one.id, ""), told.voices.get(one.id))
    section("what it replaced", told.replaces)
    for memory in told.replaces:
        beside(f"until {render.stamp(memory.valid_to)}  " if memory.valid_to else "", memory)
    section("replaced by", told.replaced_by)
    if told.replaced_by:
        beside("", told.replaced_by)
    section("beside it", told.links)
    for relation, memory in told.links:
        beside(f"{relation}  ", memory)
    section("every decision", told.decisions)
    for decision in told.decisions:
        run = decision.run
        context.say(f"  {render.stamp(run.now)}  {run.kind} {run.id}" if run else "  –")
        for line in change_lines(decision, width=width - 2, colour=colour):
            context.say("  " + line)


def _tell_undone(context: Context, told: Explained) -> None:
    """A memory that is none any more: its words, which run made it and which took that back."""
    context.say(render.wrap(told.memory.text, context.width))
    context.say()
    runs = [one.run for one in told.decisions if one.run]
    made, undo = (f"{run.kind} {run.id}, {render.stamp(run.now)}" if run else "a run that the journal no longer has"
                  for run in ((runs[0], runs[-1]) if runs else (None, None)))
    rows = [("scope", str(told.memory.scope)), ("memory", "none any more: what had made it was taken back"), ("made by", made),
            ("taken back by", undo)]
    context.say(render.paint(told.memory.id, "cyan", colour=context.colour))
    for line in render.table(rows, width=context.width - 2):
        context.say("  " + line)
    if runs:
        context.advise(f"  `dream {taken_back.how_to_put_back(runs[-1], told.memory.id)}` puts it back")


def _tell_heard(context: Context, one: Observation, place: str, voice: Voice | None) -> None:
    """What was said, by whom, where, and what became of it."""
    talk = f", conversation {one.conversation}" if one.conversation else ""
    where = f", {render.clean(place)}" if place else ""
    by = f", {render.clean(str(voice))}" if voice else ""
    context.say(render.wrap(f"{VOICES[one.origin]}{by}{talk}{where}", context.width, f"  {render.stamp(one.at)}  "))
    for line in _words(one):
        context.say(render.wrap(line, context.width, "    "))
    told = [fate_and_why(one.fate, one.fate_reason), *(["set aside"] if one.set_aside else [])]
    context.say(render.wrap(", ".join(told), context.width, "    → "))


def _words(one: Observation) -> list[str]:
    """The words of an observation; where a language model made them, first the sentences that it read them in."""
    if not is_observed(one.sign):
        return [one.text]
    return [*(one.context or "").split("\n"), f"as a language model read it: {one.text}"]
