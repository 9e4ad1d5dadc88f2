"""Scopes for people: `dream scope list`, `rename`, `merge`, `move`, `map`."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from dreamd.agents.guarding.belonging import lives_until, told_to
from dreamd.cli.context import Context
from dreamd.cli.printing import render
from dreamd.core.errors import UsageError
from dreamd.core.values import SCOPE_KINDS, Scope, parse_scope
from dreamd.dream.scopes.crossing import apply_crossing, apply_mapping, plan_move, plan_whole
from dreamd.dream.scopes.mapping import plan_mapping
from dreamd.kit import open_kit, open_to_change
from dreamd.store.scopes import crossings, projects

if TYPE_CHECKING:
    from dreamd.dream.scopes.crossing import Crossing
    from dreamd.dream.scopes.mapping import Mapped
    from dreamd.kit import Kit
    from dreamd.store.connection import Store

SHOWN = 20


def add_arguments(_command: str, parser: ArgumentParser) -> None:
    """Declare what `dream scope` takes."""
    parser.add_argument("action", choices=tuple(_ACTIONS), help="what to do")
    parser.add_argument("words", metavar="SCOPE|ID", nargs="*",
                        help="rename OLD NEW · merge FROM INTO · move ID… --to SCOPE; a scope is a name or a directory of it")
    parser.add_argument("--to", "--into", dest="to", metavar="SCOPE", help="where it goes")
    parser.add_argument("--dry-run", action="store_true", help="say what would change, and stop")


def run(context: Context, options: Namespace) -> int:
    """Carry one of them out."""
    return _ACTIONS[options.action](context, options)


def show(context: Context, options: Namespace) -> int:
    """List the scopes, what each is known by and what is in it."""
    if options.words or options.to:
        raise UsageError("`dream scope list` takes nothing else")
    with open_kit(context.world, read_only=True) as kit:
        known = projects.load_known(kit.store)
        waits = {one.scope: one for one in plan_mapping(kit)}
        rows, members = [], context.world.settings.teams.members
        for count in crossings.count_scopes(kit.store, {k.scope for k in known}):
            mine = [k for k in known if k.scope == count.scope]
            rows.append({"scope": str(count.scope), "name": count.scope.key or count.scope.kind,
                         "lives_until": lives_until(count.scope), "told_to": told_to(count.scope, members),
                         "known_by": [k.identity for k in mine], "places": sorted({k.root for k in mine if k.root}),
                         "live": count.live, "memories": count.memories, "observations": count.observations,
                         "sources": count.sources, "waits": waits[count.scope].why if count.scope in waits else None})
    context.document({"scopes": rows})
    for line in render.table([(str(r["scope"]), render.count(int(str(r["live"])), "memory", "memories"), _known_by(r))
                              for r in rows]):
        context.say(render.fit(line.rstrip(), context.width))
    kinds = {str(r["scope"]) if str(r["scope"]).startswith("team:") else str(r["scope"]).partition(":")[0]: r for r in rows}
    for n, line in enumerate(render.table([(kind, f"told to {r['told_to']}", f"a memory lives until {r['lives_until']}")
                                           for kind, r in kinds.items()], width=context.width)):
        context.say(f"{'' if n else chr(10)}{line}")
    if not rows:
        context.say("no scope yet")
    if waits:
        context.tell(f"{render.count(len(waits), 'scope')} of an older dream "
                     f"{'waits' if len(waits) == 1 else 'wait'}: `dream scope map --dry-run` shows what could become of "
                     f"{'it' if len(waits) == 1 else 'them'}")
    return 0


def _known_by(row: dict[str, object]) -> str:
    told = row["known_by"] if isinstance(row["known_by"], list) else []
    plain = ", ".join(str(k).partition(":")[2] for k in told)
    return render.clean("; ".join(part for part in (plain, str(row["waits"] or "")) if part))


def rename(context: Context, options: Namespace) -> int:
    """Give a scope another name; its project stays what it is."""
    old, new = _two(options, "rename OLD NEW")

    def plan(kit: Kit) -> list[Crossing]:
        source = find_scope(kit.store, old)
        return plan_whole(kit, source, _named(new, source.kind), merge=False)

    return _carry_out(context, options, plan, "rename")


def merge(context: Context, options: Namespace) -> int:
    """Make one of two scopes, from now on too."""
    one, other = _two(options, "merge FROM INTO")
    return _carry_out(context, options, lambda kit: plan_whole(
        kit, find_scope(kit.store, one), find_scope(kit.store, other), merge=True), "merge")


def move(context: Context, options: Namespace) -> int:
    """Move memories with all that was said for them."""
    words = list(options.words)
    target = options.to or (words.pop() if len(words) > 1 else "")
    if not words or not target:
        raise UsageError("say which memories go where", hint="`dream scope move ID… --to SCOPE`")
    return _carry_out(context, options, lambda kit: plan_move(kit, words, find_scope(kit.store, target)), "move")


def sort_out(context: Context, options: Namespace) -> int:
    """Give what an older dream kept by directory names to the projects it belongs to, as far as that can be told."""
    if options.words or options.to:
        raise UsageError("`dream scope map` takes nothing else")
    with open_to_change(context.world, read_only=options.dry_run) as kit:
        found = plan_mapping(kit)
        done = None if options.dry_run or not any(one.goes for one in found) else apply_mapping(kit, found)
    context.document({"planned": bool(options.dry_run), "run": done.id if done else None,
                      "scopes": [_mapped(one) for one in found]})
    for one in found:
        context.say(f"{one.scope}: {one.why}")
        for part in one.goes:
            context.say(f"  → {part.target}  {render.count(len(part.memories), 'memory', 'memories')}  {part.identity}")
        if one.stays:
            context.advise(f"  waits for you: {render.count(one.stays, 'memory')}; `dream scope move ID --to SCOPE`, "
                           f"or `dream scope merge {one.scope} SCOPE`")
    if not found:
        context.say("every scope is known by its project; nothing to map")
    elif done:
        context.tell(f"`dream undo {done.id}` takes it back")
    elif options.dry_run:
        context.tell("`dream scope map` carries it out")
    return 0


def _mapped(one: Mapped) -> dict[str, object]:
    return {"scope": str(one.scope), "reason": one.why, "stays": one.stays, "goes": [
        {"to": str(part.target), "known_by": part.identity, "memories": list(part.memories)} for part in one.goes]}


def _carry_out(context: Context, options: Namespace, plan: Callable[[Kit], Sequence[Crossing]], verb: str) -> int:
    """Plan, and unless that was all that was asked for, do it."""
    with open_to_change(context.world, read_only=options.dry_run) as kit:
        crossings = plan(kit)
        done = None if options.dry_run else apply_crossing(kit, crossings, verb)
    moved = [(c, m) for c in crossings for m in c.memories]
    context.document({"planned": bool(options.dry_run), "run": done.id if done else None, "operations": [
        {"op": verb, "memory": m.id, "from": str(c.source), "to": str(c.target), "text": m.text} for c, m in moved],
        "observations": sum(len(c.rows.observations) for c in crossings)})
    for c in crossings:
        context.say(f"{'would go' if options.dry_run else 'went'} from {c.source} to {c.target}: "
                    f"{render.count(len(c.memories), 'memory', 'memories')}, "
                    f"{render.count(len(c.rows.observations), 'statement')}")
        for memory in c.memories[:SHOWN] if options.dry_run else ():
            context.say("  " + render.memory_line(memory, width=context.width - 2, colour=context.colour))
        if options.dry_run and len(c.memories) > SHOWN:
            context.say(f"  … and {len(c.memories) - SHOWN} more")
    if done:
        context.tell(f"`dream undo {done.id}` takes it back")
        if verb == "merge":
            context.tell(f"`dream consolidate --full --scope {crossings[0].target}` compares what came together")
    return 0


def find_scope(store: Store, text: str) -> Scope:
    """A scope as people name it: written out, by its key alone, or by a directory of its project."""
    if text.partition(":")[0] in SCOPE_KINDS and (":" in text or text == "user"):
        return parse_scope(text)
    place = Path(text).expanduser()
    like_a_place = text.startswith((".", "/", "~")) or "/" not in text
    if like_a_place and not projects.is_used(store, f"project:{text}") and place.is_dir():
        found = projects.scope_at(store, str(place.absolute()))
        if found is None:
            raise UsageError(f"nothing is known of the project in `{text}`", hint="`dream scope list` shows the scopes")
        return found
    return parse_scope(f"project:{text}")


def _named(text: str, kind: str) -> Scope:
    return parse_scope(text if text.partition(":")[0] in SCOPE_KINDS and (":" in text or text == "user") else f"{kind}:{text}")


def _two(options: Namespace, form: str) -> tuple[str, str]:
    words = [*options.words, *([options.to] if options.to else [])]
    if len(words) != 2:
        raise UsageError(f"`dream scope {form}` takes two scopes")
    return words[0], words[1]


_ACTIONS: dict[str, Callable[[Context, Namespace], int]] = {
    "list": show, "rename": rename, "merge": merge, "move": move, "map": sort_out}
