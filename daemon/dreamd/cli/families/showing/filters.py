"""Which memories `dream list` and `dream search` show, and which of them first, as options say it."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from dreamd.cli.context import Context
from dreamd.cli.families.knowledge.operating import since_when
from dreamd.core.values import Category, MemoryClass, Origin, Scope, Status
from dreamd.store.leafing.chosen import ORDERS, Chosen, of_origin

if TYPE_CHECKING:
    from dreamd.recall.answer import Found


def add_filters(parser: ArgumentParser, *, usual: str) -> None:
    """Declare the options; `usual` is the order without any."""
    parser.add_argument("--scope", help="only this scope")
    parser.add_argument("--class", dest="memory_class", choices=[c.value for c in MemoryClass], help="only this class")
    parser.add_argument("--category", choices=[c.value for c in Category], help="only this section of the index")
    parser.add_argument("--origin", choices=[o.value for o in Origin], help="only what rests on the word of one of these")
    parser.add_argument("--since", metavar="AGE|DATE", help="only what was said since then: `7d`, `2h`, `2026-05-07`")
    parser.add_argument("--before", metavar="AGE|DATE", help="only what was not said again since then: `90d`, `2026-05-07`")
    parser.add_argument("--sort", choices=tuple(ORDERS), help="first what was said last, made last, asked for most often, or "
                                                              f"not heard of for longest ({usual})")


def is_sifted(options: Namespace) -> bool:
    """Whether an answer is to be looked through once more, beyond what recall itself narrows."""
    return bool(options.origin or options.since or options.before or options.sort)


def chosen_by(context: Context, options: Namespace, scope: Scope | None, statuses: Sequence[Status] = ()) -> Chosen:
    """Which memories the options ask for; raises UsageError for a time that is none."""
    def known(kind: Callable[[str], Any], text: str | None) -> Any:
        return kind(text) if text else None

    return Chosen(scope, frozenset(statuses), known(MemoryClass, options.memory_class), known(Category, options.category),
                  known(Origin, options.origin), since_when(context, options.since), since_when(context, options.before),
                  options.sort or "said")


def sift(context: Context, options: Namespace, found: Sequence[Found], most: int) -> tuple[Found, ...]:
    """What is chosen of an answer, by origin and age, in the order that is wanted."""
    from dreamd.store.connection import open_reader

    chosen = chosen_by(context, options, None)
    kept = [r for r in found if (not chosen.heard_after or r.memory.confirmed_at >= chosen.heard_after)
            and (not chosen.heard_before or r.memory.confirmed_at < chosen.heard_before)]
    if chosen.origin:
        with open_reader(context.world.paths.store) as store:
            rests = of_origin(store, [r.memory.id for r in kept], chosen.origin)
        # What was said in passing is a person's.
        kept = [r for r in kept if r.memory.id in rests or (r.memory.status, chosen.origin) == (Status.SAID, Origin.USER)]
    keys: dict[str, Callable[[Found], float]] = {
        "said": lambda r: -r.memory.confirmed_at.timestamp(), "made": lambda r: -r.memory.created_at.timestamp(),
        "asked": lambda r: -r.memory.recalls, "oldest": lambda r: r.memory.confirmed_at.timestamp()}
    return tuple(sorted(kept[:most], key=keys[options.sort]) if options.sort else kept[:most])
