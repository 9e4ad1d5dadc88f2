"""`dream diary`: what the nights did, in a few sentences each; on the screen, as a note or as one page that can be mailed."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from datetime import datetime, timedelta
from pathlib import Path

from dreamd.cli.context import Context
from dreamd.cli.families.knowledge.operating import since_when
from dreamd.cli.printing import render
from dreamd.cli.printing.json_documents import change_document
from dreamd.core import fsio, locks
from dreamd.core.clock import iso
from dreamd.core.errors import DreamError, Refused, UsageError
from dreamd.core.world import World
from dreamd.kit import Kit, open_kit
from dreamd.report.diary import Diary, as_markdown, load_diary, plain_lines
from dreamd.report.nights import Night
from dreamd.report.sentences import tell_headline, tell_night
from dreamd.sources.base.own_writing import is_own_writing
from dreamd.store.connection import open_store
from dreamd.store.telling.written_out import note_written

DIARY = "diary"


def add_arguments(_command: str, parser: ArgumentParser) -> None:
    """Declare what `dream diary` takes."""
    parser.add_argument("--since", metavar="DATE", help="from this day on, or `7d`, `3w` ago (a week)")
    parser.add_argument("--html", metavar="FILE", help="write one page with its pictures, to keep or to mail")
    parser.add_argument("--md", metavar="FILE", help="write a note, for a vault")


def run(context: Context, options: Namespace) -> int:
    """Tell the nights, or write them where a person wants them."""
    since = since_when(context, options.since)
    if since is not None and since > context.world.clock.now():
        raise UsageError("that day is still to come", hint="`dream diary` tells the last week, `--since 3w` three")
    wanted = [(_target(context, word), form) for word, form in ((options.html, "html"), (options.md, "md")) if word]
    with open_kit(context.world, read_only=True) as kit:
        diary = load_diary(kit, since=since, plots=bool(wanted))
    for path, form in wanted:
        write_diary(context.world, diary, path, form)
    context.document({"since": iso(diary.since), "until": iso(diary.until), "files": [str(path) for path, _ in wanted],
                      "days": [{"day": day.day.isoformat(), "runs": [night_document(n, diary) for n in day.nights],
                                "quiet": [{"at": iso(q.at), "held": q.held, "why": q.why} for q in day.quiet]}
                               for day in diary.days]})
    for path, _ in wanted:
        context.say(f"written: {path}")
    if not wanted:
        context.say(diary.title)
        for line in plain_lines(diary):
            indent = line[:len(line) - len(line.lstrip())]
            context.say(render.wrap(line, context.width, indent) if context.stdout.isatty() else indent + render.clean(line))
    return 0


def night_document(night: Night, diary: Diary) -> dict[str, object]:
    """One run for a program, in the words a person reads."""
    return {"run": night.run.id, "kind": night.run.kind, "at": iso(night.run.now), "headline": tell_headline(night),
            "sentences": tell_night(night, diary.zone), "changes": [change_document(t) for t in night.told]}


def write_diary(world: World, diary: Diary, path: Path, form: str) -> None:
    """Write a diary and remember where.

    Raises Refused where something else stands, DreamError where nothing can be written.
    """
    if form == "html":
        from dreamd.report.diary_page import as_page

        text = as_page(diary)
    else:
        text = as_markdown(diary)
    if path.exists() and not is_own_writing(path):
        raise Refused(f"`{path}` is there already and is no diary of dream's", hint="choose another name")
    if not path.parent.is_dir():
        raise DreamError(f"there is no directory `{path.parent}`", hint="make it first")
    # Remembered first: a diary that `forget` does not know of would be worse than one that it knows and that is not there.
    remember(world, path, world.clock.now())
    fsio.write_atomic(path, text.encode("utf-8", "replace"))


def remember(world: World, path: Path, at: datetime, kind: str = DIARY) -> None:
    """Keep where something was written, so that `forget` can say what it cannot reach."""
    with locks.foreground(world.paths.locks), open_store(world.paths.store) as store, store.writing() as tx:
        note_written(tx, path, kind, at)


def write_each_morning(world: World) -> str:
    """Write the diary of the day where the settings want it; what went wrong in a sentence, for a dream is not less for it."""
    if not world.settings.diary.folder:
        return ""
    with open_kit(world, read_only=True) as kit:
        return _write_days(kit)


def _write_days(kit: Kit) -> str:
    chosen = kit.settings.diary
    folder = Path(chosen.folder).expanduser()
    today = kit.clock.now().astimezone(kit.zone).replace(hour=0, minute=0, second=0, microsecond=0)
    try:
        _outside(kit.world, folder)
        for start in (today - timedelta(days=1), today):  # of yesterday once more, with what a person did since
            diary = load_diary(kit, since=start, until=start + timedelta(days=1), plots=chosen.form == "html")
            if diary.days:
                write_diary(kit.world, diary, folder / f"Dream diary {start.date()}.{chosen.form}", chosen.form)
    except DreamError as error:
        return f"the diary was not written: {error.message}"
    return ""


def _target(context: Context, word: str) -> Path:
    path = Path(word).expanduser().absolute()
    if path.is_dir():
        raise UsageError(f"`{path}` is a directory", hint="name a file")
    _outside(context.world, path)
    return path


def _outside(world: World, path: Path) -> None:
    home = world.paths.home.resolve()
    if path.resolve().is_relative_to(home):
        raise UsageError(f"`{path}` lies in dream's own home", hint="choose a place outside it")
