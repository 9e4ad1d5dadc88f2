"""What `dream search` says of what waits for the next dream."""

from __future__ import annotations

from collections.abc import Sequence

from dreamd.cli.context import Context
from dreamd.cli.printing import render
from dreamd.core.clock import iso
from dreamd.core.values import Scope
from dreamd.recall.undreamt import Waiting, find_waiting
from dreamd.store.connection import open_reader

MARK = "waits for the next dream"


def look(context: Context, query: str, scopes: Sequence[Scope]) -> Waiting:
    """What waits and has the words of a question."""
    with open_reader(context.world.paths.store) as store:
        return find_waiting(store, query, scopes=scopes)


def document(waiting: Waiting) -> dict[str, object]:
    """The same for a program."""
    return {"waiting": [{"id": one.id, "text": one.text, "scope": str(one.scope), "at": iso(one.at), "origin": one.origin.value}
                        for one in waiting.found]}


def say(context: Context, waiting: Waiting, *, found: bool) -> None:
    """Each on a line, marked; where nothing at all was found, how many wait."""
    for one in waiting.found:
        head = f"{one.id}  {one.scope}  [{MARK}] "
        context.say(render.paint(one.id, "cyan", colour=context.colour) + head[len(one.id):]
                    + render.clip(one.text, context.width - len(head)))
    if waiting.count and not waiting.found and not found:
        verb, them = ("waits", "it") if waiting.count == 1 else ("wait", "them")
        context.tell(f"hint: {render.count(waiting.count, 'statement')} {verb} for the next dream; `dream consolidate` "
                     f"takes {them} up")
