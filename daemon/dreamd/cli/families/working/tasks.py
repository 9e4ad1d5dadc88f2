"""`dream task`: a piece of work over many conversations, in a folder of its repository that a person can read."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

from dreamd.cli.context import Context
from dreamd.cli.printing import render
from dreamd.cli.printing.json_documents import memory_document
from dreamd.core import fsio, locks
from dreamd.core.clock import local_date
from dreamd.core.errors import StoreMissing, UsageError
from dreamd.core.repositories.repository import find_repository
from dreamd.core.values import parse_scope
from dreamd.library.tasks import briefing, course, task_runs
from dreamd.library.tasks import task_folder as parts
from dreamd.library.tasks.course import ACTIVE, DONE, Task
from dreamd.library.tasks.task_folder import Folder, Item


def add_arguments(_command: str, parser: ArgumentParser) -> None:
    """Declare what `dream task` takes."""
    parser.add_argument("action", choices=tuple(_ACTIONS), help="what to do")
    parser.add_argument("words", metavar="SLUG|WORDS", nargs="*",
                        help="start SLUG · note [SLUG] TEXT · verify [SLUG] ITEM · phase [SLUG] NAME · done [SLUG] · "
                             "show [SLUG] · list [WORDS]; without SLUG the task that moved last")
    parser.add_argument("--title", metavar="TITLE", help="start: what a person calls it")
    parser.add_argument("--objective", metavar="TEXT", default="", help="start: what is to be true at its end")
    parser.add_argument("--how", metavar="TEXT", default="", help="verify: how it was checked")
    parser.add_argument("--source", metavar="TEXT", default="", help="note: where it can be looked up")
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--blocker", action="store_true", help="note: it stands in the way")
    kind.add_argument("--decision", action="store_true", help="note: it was decided")
    kind.add_argument("--resolves", metavar="B1", default="", help="note: it takes a blocker out of the way")
    kind.add_argument("--revises", metavar="D1", default="", help="note: it takes the place of a decision")
    parser.add_argument("--brief", action="store_true", help=f"show: what is needed to go on, in {briefing.MOST_TOKENS} tokens")
    parser.add_argument("--all", action="store_true", help="list: also those that are done")
    parser.add_argument("--scope", metavar="SCOPE", help="done: whose memory it is proposed to (the repository's)")
    parser.add_argument("--repo", metavar="DIR", default=".", help="the repository (the one you stand in)")


def run(context: Context, options: Namespace) -> int:
    """Carry one of them out."""
    return _ACTIONS[options.action](context, options)


def start(context: Context, options: Namespace) -> int:
    """Begin a task."""
    if len(options.words) != 1:
        raise UsageError("a task has one name", hint='`dream task start SLUG --title "what it is"`')
    slug = parts.checked_slug(options.words[0])
    folder = Folder(_place(context, options) / slug, slug)
    title = parts.one_line(options.title or slug)
    objective = parts.one_line(options.objective or title)
    with _alone(context):
        task = course.start(folder, title=title, objective=objective, at=context.world.clock.now(), day=_today(context))
        task_runs.remember(context.world.paths, folder)
    context.document({"task": _document(task)})
    context.say(f"task `{slug}` begun in `{folder.root}`")
    return 0


def note(context: Context, options: Namespace) -> int:
    """Keep a note, a decision or a blocker; or put one in the place of another."""
    with _alone(context):
        task, text = _task_and_words(context, options)
        if options.source:
            text += f" (source: {parts.one_line(options.source)})"
        text = parts.one_line(text)
        at, day = context.world.clock.now(), _today(context)
        if options.resolves:
            item = course.replace_line(task, options.resolves, text, at=at)
            return _kept(context, task, item, f"resolved {item.name}")
        if options.revises:
            named = options.revises.upper()
            if not any(i.name == named and not i.is_over for i in task.folder.items(parts.DECISIONS)):
                raise UsageError(f"no decision `{named}` stands in this task")
            item = course.keep(task, "revision", f"instead of {named}: {text}", at=at, day=day)
            course.replace_line(task, named, item.name, at=at)
            return _kept(context, task, item, f"{item.name} takes the place of {named}")
        kind = "blocker" if options.blocker else "decision" if options.decision else "note"
        item = course.keep(task, kind, text, at=at, day=day)
        return _kept(context, task, item, f"{kind} {item.name}")


def verify(context: Context, options: Namespace) -> int:
    """Keep an item that was checked, with how."""
    if not options.how.strip():
        raise UsageError("how was it checked?", hint='`dream task verify "ITEM" --how "the command, or what was read"`')
    with _alone(context):
        task, text = _task_and_words(context, options)
        item = course.keep(task, "verified", f"{text} — checked by: {parts.one_line(options.how)}",
                           at=context.world.clock.now(), day=_today(context))
        return _kept(context, task, item, f"verified {item.name}")


def _kept(context: Context, task: Task, item: Item, words: str) -> int:
    task_runs.remember(context.world.paths, task.folder)
    context.document({"task": task.folder.slug, "id": item.name, "text": item.text})
    context.say(f"{words} in `{task.folder.slug}`")
    return 0


def phase(context: Context, options: Namespace) -> int:
    """End the present phase and begin another."""
    with _alone(context):
        task, name = _task_and_words(context, options)
        return _end(context, options, task, name[:80])


def done(context: Context, options: Namespace) -> int:
    """End the task and propose what stands alone."""
    with _alone(context):
        task = _named_task(context, options)
        return _end(context, options, task, "")


def _end(context: Context, options: Namespace, task: Task, next_phase: str) -> int:
    from dreamd.dream.scopes.place_now import place_now
    from dreamd.dream.scopes.task_ends import end_phase
    from dreamd.kit import open_to_change

    scope = parse_scope(options.scope) if options.scope else place_now(context.world, str(_root(options)))[0]
    with open_to_change(context.world, create=True) as kit:
        ended = end_phase(kit, task, next_phase, scope)
    rows = [memory_document(m, context.world.paths) for m in ended.proposed]
    context.document({"task": _document(course.load(task.folder)), "run": ended.run, "report": ended.report,
                      "findings": list(ended.findings), "proposed": rows, "scope": str(scope) if scope else None})
    ended_what = f"phase {task.number} ({task.phases[-1]})" if next_phase else f"task `{task.folder.slug}`"
    context.say(f"ended {ended_what}; report in `{ended.report}`, {render.count(ended.gone, 'line')} left `{parts.NOTES}`")
    if next_phase:
        context.say(f"phase {task.number + 1}: {next_phase}")
    for memory in ended.proposed:
        context.say("  proposed: " + render.memory_line(memory, width=context.width - 12, colour=context.colour))
    if not next_phase:
        context.say("nothing is proposed: no project is known here" if scope is None else
                    f"{render.count(len(ended.proposed), 'line')} proposed to {scope}; `dream review` decides" if ended.proposed
                    else f"nothing in it was new to {scope}; all of it stays with the task")
    context.tell(f"`dream undo {ended.run}` takes it back")
    return 0


def show(context: Context, options: Namespace) -> int:
    """Show a task; briefly, what is needed to go on."""
    task = _named_task(context, options)
    if options.brief:
        text = briefing.brief(task)
        context.document({"task": task.folder.slug, "brief": text, "tokens": briefing.tokens_of(text)})
        for line in text.splitlines():
            context.say(render.clean(line))
        return 0
    context.document({"task": _document(task)})
    context.say(f"{task.title}  ({task.folder.slug}, {task.status}, phase {task.number}: {task.phases[-1]})")
    context.say(task.objective)
    for heading, lines in (("open blockers", [f"{i.name} {i.text}" for i in task.blockers]),
                           *((title.lower(), task.kept(name)) for name, title in parts.TITLES.items()),
                           ("notes of this phase", [f"{i.name} {i.text}" for i in task.noted("N")])):
        if lines:
            context.say(f"\n{heading}:")
        for line in lines:
            context.say(render.wrap(line, context.width, "  "))
    context.say(f"\nall of it in `{task.folder.root}`")
    return 0


def show_list(context: Context, options: Namespace) -> int:
    """List the tasks of the repository; those that are done too where words are looked for."""
    words = " ".join(options.words).casefold().split()
    tasks = [t for t in course.load_all(_place(context, options))
             if (t.status == ACTIVE or options.all or words) and all(w in _all_words(t) for w in words)]
    context.document({"tasks": [_document(t, full=False) for t in tasks]})
    for line in render.table([(t.folder.slug, t.status, f"phase {t.number}: {t.phases[-1]}",
                               render.count(len(t.blockers), "open blocker"), t.title) for t in tasks]):
        context.say(render.fit(line, context.width))
    if not tasks:
        context.say("no task here" + (" has these words" if words else ""))
        context.tell("hint: `dream task list --all` shows those that are done too")
    return 0


def _all_words(task: Task) -> str:
    reports = sorted((task.folder.root / course.PHASES).glob("*.md"))
    names = (parts.NOTES, *parts.TITLES, *(f"{course.PHASES}/{path.name}" for path in reports))
    return " ".join([task.folder.slug, *(task.folder.read(name) for name in names)]).casefold()


def _document(task: Task, *, full: bool = True) -> dict[str, object]:
    row: dict[str, object] = {
        "slug": task.folder.slug, "title": task.title, "objective": task.objective, "status": task.status,
        "phase": {"number": task.number, "name": task.phases[-1]}, "place": str(task.folder.root),
        "blockers": [{"id": i.name, "text": i.text} for i in task.blockers]}
    if full:
        lists = {name.removesuffix(".md"): [{"id": i.name, "text": i.text} for i in task.folder.items(name) if not i.is_over]
                 for name in parts.TITLES}
        row |= {"phases": list(task.phases), **lists, "notes": [{"id": i.name, "text": i.text} for i in task.noted("N")]}
    return row


def _task_and_words(context: Context, options: Namespace) -> tuple[Task, str]:
    """The task that is meant and the words that follow."""
    words = list(options.words)
    folder = Folder(_place(context, options) / words[0], words[0]) if len(words) > 1 and words[0].islower() else None
    if folder is not None and folder.root.is_dir():
        words.pop(0)
    else:
        folder = None
    text = parts.one_line(" ".join(words))
    return (course.load(folder) if folder else _last(context, options)), text


def _named_task(context: Context, options: Namespace) -> Task:
    if len(options.words) > 1:
        raise UsageError("name one task", hint="`dream task list` shows them")
    if not options.words:
        return _last(context, options)
    slug = parts.checked_slug(options.words[0])
    return course.load(Folder(_place(context, options) / slug, slug))


def _last(context: Context, options: Namespace) -> Task:
    """The task that moved last and goes on; for a look, also one that is done."""
    tasks = course.load_all(_place(context, options))
    found = next((t for t in tasks if t.status != DONE), tasks[0] if tasks and options.action == "show" else None)
    if found is None:
        raise StoreMissing("no task goes on here", hint='`dream task start SLUG --title "what it is"`')
    return found


def _place(context: Context, options: Namespace) -> Path:
    root = _root(options)
    place = root / Path(context.world.settings.tasks.place).expanduser()
    if place.is_relative_to(root):
        fsio.check_inside(root, place)
    return place


def _root(options: Namespace) -> Path:
    """The work tree around a directory, or the directory itself."""
    here = Path(options.repo).expanduser().absolute()
    if not here.is_dir():
        raise UsageError(f"no such directory: `{here}`")
    found = find_repository(str(here))
    return Path(found.place) if found else here


def _today(context: Context) -> str:
    from zoneinfo import ZoneInfo

    return local_date(context.world.clock.now(), ZoneInfo(context.world.zone_name))


def _alone(context: Context) -> AbstractContextManager[None]:
    """Two agents may work on one task; they write one after the other."""
    fsio.make_private_dir(context.world.paths.locks)
    return locks.requests(context.world.paths.locks)


_ACTIONS: dict[str, Callable[[Context, Namespace], int]] = {
    "start": start, "note": note, "verify": verify, "phase": phase, "done": done, "show": show, "list": show_list}
