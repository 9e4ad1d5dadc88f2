"""Documents to look things up in: `dream corpus add`, `list`, `remove`, and what `dream search --corpus` prints."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from dreamd.cli.context import Context
from dreamd.cli.printing import render
from dreamd.cli.printing.progress import shown
from dreamd.core.errors import DreamError, StoreMissing, UsageError
from dreamd.core.plain_words.for_people import ENDLESS

if TYPE_CHECKING:
    from dreamd.agents.reference import Consulted, Told
    from dreamd.library.shelving import Report
    from dreamd.store.library.chunks import Passage
    from dreamd.store.library.corpora import Corpus

PARTIAL = 3
SHOWN = 10
LONGEST_SHOWN = 300


def add_arguments(_command: str, parser: ArgumentParser) -> None:
    """Declare what `dream corpus` takes."""
    parser.add_argument("action", choices=tuple(_ACTIONS), help="what to do")
    parser.add_argument("place", metavar="PATH|NAME", nargs="?", help="add: a directory or a file · remove: a corpus")
    parser.add_argument("--tag", action="append", default=[], metavar="T", help="a word to look through only some of them by")
    parser.add_argument("--name", default="", help="its name in addresses (the directory's own)")
    parser.add_argument("--watch", action="store_true", help="every dream brings it up to date")


def run(context: Context, options: Namespace) -> int:
    """Carry one of them out."""
    if options.action != "list" and not options.place:
        raise UsageError(f"`dream corpus {options.action}` needs a {'place' if options.action == 'add' else 'name'}")
    if options.action != "add" and (options.tag or options.name or options.watch):
        raise UsageError("`--tag`, `--name` and `--watch` belong to `dream corpus add`")
    return _ACTIONS[options.action](context, options)


def add(context: Context, options: Namespace) -> int:
    """Take documents in, or bring them up to date."""
    from dreamd.library.shelving import add as take_in
    from dreamd.store.library.corpora import Corpus

    wish = Corpus(options.name, "", tuple(options.tag), options.watch)
    with shown(context, "reading documents") as progress:
        report = take_in(context.world, Path(options.place), wish, progress=progress)
    context.document(report_document(report))
    say_report(context, report)
    if report.warning:
        context.warn(report.warning)
    return PARTIAL if report.problems else 0


def read_watched(context: Context) -> None:
    """Bring the corpora up to date that are to be watched; a dream is none the worse where that fails."""
    if not context.world.paths.library.exists():
        return
    from dreamd.library.shelving import refresh_watched

    try:
        with shown(context, "reading documents") as progress:
            reports = refresh_watched(context.world, progress=progress)
    except DreamError as error:
        context.warn(f"documents were not brought up to date: {error.message}")
        return
    for one in reports:
        if one.read or one.moved or one.gone:
            context.tell(f"corpus://{one.corpus}  {one.read} read, {one.moved} moved, {one.gone} gone")


def report_document(report: Report) -> dict[str, object]:
    """What became of the files of a corpus, as JSON."""
    return {"corpus": report.corpus, "read": report.read, "unchanged": report.unchanged, "moved": report.moved,
            "gone": report.gone, "passages": report.passages, "no_document": report.others,
            "problems": [{"path": path, "why": why} for path, why in report.problems], "warning": report.warning}


def say_report(context: Context, report: Report) -> None:
    """The same for a person."""
    parts = [(report.read, "read"), (report.unchanged, "unchanged"), (report.moved, "moved"), (report.gone, "gone")]
    said = ", ".join(f"{n} {what}" for n, what in parts if n) or "nothing to read"
    context.say(f"corpus://{report.corpus}  {said}; {render.count(report.passages, 'passage')}"
                + (f"; {report.others} other files are no documents" if report.others else ""))
    for path, why in report.problems[:SHOWN]:
        context.say(f"  {render.clean(path)}: {why}")
    if len(report.problems) > SHOWN:
        context.advise(f"  and {len(report.problems) - SHOWN} more (`dream corpus list --json` names all)")


def list_corpora(context: Context, options: Namespace) -> int:
    """What was added, and what of it could not be read."""
    from dreamd.store.library import corpora, library_file

    if options.place:
        raise UsageError("`dream corpus list` takes nothing else")
    rows: list[tuple[Corpus, corpora.Counted]] = []
    if library_file.exists(context.world.paths.library):
        with library_file.open_library(context.world.paths.library) as library:
            rows = [(one, corpora.count_corpus(library, one.name)) for one in corpora.load_corpora(library)]
    context.document({"corpora": [
        {"name": one.name, "root": one.root, "tags": list(one.tags), "watch": one.watch, "added_at": one.added_at,
         "read_at": one.read_at, "documents": n.documents, "passages": n.chunks, "waiting": n.waiting,
         "problems": [{"path": path, "why": why} for path, why in n.problems]} for one, n in rows]})
    for one, n in rows:
        context.say(f"corpus://{one.name}  {render.count(n.documents, 'document')}, {render.count(n.chunks, 'passage')}"
                    + (f" ({n.waiting} by words alone as yet)" if n.waiting else "")
                    + (f"; {len(n.problems)} could not be read" if n.problems else "")
                    + (f"  [{', '.join(one.tags)}]" if one.tags else "") + ("  watched" if one.watch else "")
                    + ("" if one.read_at else "  not gone through to its end: add it again"))
    if not rows:
        context.say("no documents yet")
        context.tell("hint: `dream corpus add PATH` adds a file or a directory")
    return 0


def remove(context: Context, options: Namespace) -> int:
    """Take a corpus out; its files stay where they are."""
    from dreamd.library.shelving import remove as take_out

    gone = take_out(context.world, options.place)
    context.document({"removed": options.place, "documents": gone})
    context.say(f"{render.count(gone, 'document')} taken out; the files themselves were not touched")
    return 0


def find_passages(context: Context, options: Namespace) -> list[Passage]:
    """What `dream forget` names in documents; raises StoreMissing for an address at which nothing stands."""
    named = [one for one in options.ids if one.startswith("corpus://")]
    if not context.world.paths.library.exists() and not named:
        return []
    from dreamd.library import letting_go

    found = letting_go.find(context.world, words=options.matching or "", addresses=named)
    if named and not found:
        raise StoreMissing("no document has that address", hint="`dream search --corpus` shows addresses")
    return found


def still_in_documents(context: Context, wordings: Sequence[str]) -> list[str]:
    """Where in documents and finds some wordings stand; nothing is loaded where there are none."""
    if not context.world.paths.library.exists():
        return []
    from dreamd.library import letting_go

    return letting_go.still_in(context.world, wordings)


def forget_passages(context: Context, found: Sequence[Passage], *, yes: bool, words: str = "",
                    alone: bool = True) -> int:
    """Forget passages of documents, once a person has seen which."""
    from dreamd.library import letting_go

    for one in found[:SHOWN]:
        context.say(render.fit(f"{one.address}: {' '.join(one.text.split())}", context.width))
    if not yes and not context.agrees(f"forget {render.count(len(found), 'passage')} for good?"):
        context.say("no passage was forgotten")
        return 0
    gone = letting_go.forget(context.world, found, words=words)
    if alone:
        context.document({"forgotten": {"memories": 0, "observations": 0, "files": gone.notes, "passages": gone.passages},
                          "left": []})
    if gone.passages:
        files = (f"{render.count(gone.notes, 'note')} of finds with them" if gone.notes
                 else "the files themselves were not touched")
        context.tell(f"{render.count(gone.passages, 'passage')} of documents forgotten; {files}")
    return 0


def consult(context: Context, query: str, limit: int, names: Sequence[str], tag: str = "") -> Consulted:
    """Ask the documents."""
    from dreamd.agents.reference import Librarian

    return Librarian(context.world).ask(query, limit, names=names, tag=tag)


def told_document(told: Told) -> dict[str, object]:
    """One passage of an answer, as JSON."""
    one = told.passage
    return {"document": {"address": one.address, "title": one.title, "heading": one.heading, "text": one.text,
                         "tags": list(one.tags), "gives_orders": told.orders, "trust": one.trust},
            "score": round(told.score, 4), "parts": {name: round(part, 4) for name, part in told.parts.items()}, "clue": None}


def say_told(context: Context, told: Told) -> None:
    """One passage of an answer, for a person."""
    one = told.passage
    where = " · ".join(filter(None, (one.address, one.heading)))
    context.say(render.paint(render.clip(where, context.width), "cyan", colour=context.colour))
    words = render.clip(one.text, LONGEST_SHOWN if context.width < ENDLESS else ENDLESS)
    context.say(render.wrap(words, context.width, "      "))


_ACTIONS: dict[str, Callable[[Context, Namespace], int]] = {"add": add, "list": list_corpora, "remove": remove}
