"""`dream export` and `dream import`: all that is known, or one scope, into a file or folder of a person's, and back."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from dreamd.cli.context import Context
from dreamd.cli.families.telling.diaries import remember
from dreamd.cli.printing import render
from dreamd.cli.printing.progress import shown
from dreamd.core import fsio
from dreamd.core.errors import DreamError, Refused, UsageError
from dreamd.core.values import Candidate, Scope, parse_scope
from dreamd.dream.moving.packing import as_bundle, as_lines, write_folder
from dreamd.kit import Kit, open_kit, open_to_change
from dreamd.sources.base.own_writing import is_own_writing
from dreamd.store.library import library_file
from dreamd.store.memories import load_scopes
from dreamd.store.moving.rows_out import Record, count_records, load_records

if TYPE_CHECKING:
    from dreamd.dream.moving.as_statements import Standing
    from dreamd.dream.moving.reading_back import Export
    from dreamd.store.intake.notebook import Noted
    from dreamd.store.moving.rows_in import Taken

FORMS = ("lines", "markdown", "bundle")
EXPORT = "export"
OFTEN = 500
"""Records between two words on how far an export is."""
NAMED = 5
"""Scopes that are named where another one was asked for."""


def add_arguments(command: str, parser: ArgumentParser) -> None:
    """Declare what each of the two takes."""
    if command == EXPORT:
        parser.add_argument("target", metavar="PATH", help="a file or folder, new or an earlier export; `-` prints")
        parser.add_argument("--form", choices=FORMS, help="by the name otherwise: .zip is a bundle, no ending a folder")
        parser.add_argument("--scope", metavar="SCOPE", action="append", default=[], help="this scope alone; may stand again")
        parser.add_argument("--label", metavar="TEXT", default="", help="a name for a bundle, beside its hash")
    else:
        parser.add_argument("source", metavar="PATH", help="an export, or what mem0, Claude or basic-memory keeps")
        parser.add_argument("--scope", metavar="SCOPE", help="where foreign memories belong")
        parser.add_argument("--pin", metavar="HASH", default="", help="refuse anything else than the export with this hash")
        parser.add_argument("--trust", action="store_true",
                            help="it is an export of your own: take it in as it stands, pins, rules and what was forgotten too")
        parser.add_argument("--dry-run", action="store_true", help="say what it holds, and stop")


def run(context: Context, options: Namespace) -> int:
    """Carry one of them out."""
    commands: dict[str, Callable[[Context, Namespace], int]] = {EXPORT: move_out, "import": move_in}
    return commands[context.command](context, options)


def move_out(context: Context, options: Namespace) -> int:
    """Write what is known where a person wants it."""
    form = options.form or _form_of(options.target)
    with open_kit(context.world, read_only=True) as kit:
        scopes = _scopes(kit, options.scope)
        if options.target == "-":
            context.stdout.write(as_lines(load_records(kit.store, scopes or None)).decode())
            return 0
        target = _target(context, Path(options.target).expanduser().absolute(), form)
        if form == "bundle" and len(scopes) != 1:
            raise UsageError("a bundle holds one scope", hint="name it with `--scope project:NAME`")
        remember(context.world, target, context.world.clock.now(), EXPORT)
        with shown(context, "writing") as kit.progress:
            digest = _write(kit, target, form, scopes, options.label)
    context.document({"written": str(target), "form": form, "scopes": [str(s) for s in scopes], "hash": digest or None})
    context.say(f"written: {target}")
    if digest:
        context.say(f"hash: {digest}")
    if not scopes and library_file.exists(context.world.paths.library):
        context.tell("note: documents and finds are files of your own and not in it; `dream corpus list` names them")
    return 0


def _write(kit: Kit, target: Path, form: str, scopes: list[Scope], label: str) -> str:
    if form == "markdown":
        write_folder(kit, target, scopes or load_scopes(kit.store), whole=not scopes)
        return ""
    if form == "bundle":
        body, digest = as_bundle(_counted(kit, load_records(kit.store, scopes), whole=False), scopes[0], label)
    else:
        body = as_lines(_counted(kit, load_records(kit.store, scopes or None), whole=not scopes))
        digest = fsio.sha256_bytes(body)
    fsio.write_atomic(target, body)
    return digest


def _counted(kit: Kit, records: Iterable[Record], *, whole: bool) -> Iterator[Record]:
    """The same, with a word on how far it is."""
    total = count_records(kit.store) if whole else 0  # of some scopes nobody knows before they are read
    for n, one in enumerate(records):
        if n % OFTEN == 0:
            kit.progress("writing", min(n, total), total)
        yield one


def _form_of(name: str) -> str:
    path = Path(name)
    if path.suffix.lower() == ".zip":
        return "bundle"
    return "lines" if path.suffix or name == "-" else "markdown"


def _scopes(kit: Kit, words: list[str]) -> list[Scope]:
    from dreamd.cli.families.scoping import find_scope

    there = load_scopes(kit.store)
    chosen = [find_scope(kit.store, word) for word in words]
    unknown = next((word for word, scope in zip(words, chosen, strict=True) if scope not in there), None)
    if unknown is not None:
        some = ", ".join(f"`{scope}`" for scope in there[:NAMED])
        more = f" and {len(there) - NAMED} more: `dream scope list`" if len(there) > NAMED else ""
        raise UsageError(f"there is no scope `{render.clean(unknown)}`",
                         hint=f"there {'are' if len(there) > 1 else 'is'} {some}{more}" if there else
                         "nothing is kept yet: `dream note` or `dream consolidate` begins")
    return chosen


def _target(context: Context, target: Path, form: str) -> Path:
    if target.resolve().is_relative_to(context.world.paths.home.resolve()):
        raise UsageError(f"`{target}` lies in dream's own home", hint="choose a place outside it")
    if form == "markdown" and target.exists() and not target.is_dir():
        raise UsageError(f"`{target}` is a file", hint="name a folder")
    if form != "markdown" and target.is_dir():
        raise UsageError(f"`{target}` is a directory", hint="name a file, or pass `--form markdown`")
    if form != "markdown" and target.exists() and not is_own_writing(target):
        raise Refused(f"`{target}` is there already and is no export of dream's", hint="choose another name")
    if not target.parent.is_dir():
        raise DreamError(f"there is no directory `{target.parent}`", hint="make it first")
    return target


def move_in(context: Context, options: Namespace) -> int:
    """Take in an export, or the memories of another program."""
    from dreamd.dream.moving.reading_back import read_export

    path = Path(options.source).expanduser().absolute()
    if not path.exists():
        raise UsageError(f"there is nothing at `{path}`")
    with shown(context, "reading"):
        export = read_export(path)
    if export is None:
        if options.pin:
            raise Refused(f"`{path}` is no export of dream's, and only one can be pinned")
        return _foreign(context, path, options)
    if options.pin and options.pin.lower() != export.digest:
        raise Refused("the export has another hash than the one it is pinned to; nothing was changed",
                      hint=f"it has {export.digest}")
    if options.scope:
        raise UsageError("`--scope` is for the memories of other programs", hint="`dream scope move` moves what came")
    from dreamd.dream.moving.as_statements import standing_of

    claims = standing_of(export)
    if options.dry_run:
        context.document({"program": "dream", "memories": claims.memories, "hash": export.digest, "planned": True,
                          "pinned": claims.pinned, "rules_of_a_person": claims.of_a_person, "forgotten_there": claims.graves})
        context.say(f"an export of dream with {_claimed(claims)}, hash {export.digest}; nothing was changed")
        return 0
    trusted = options.trust or context.asks and context.agrees(
        f"`{path}` holds {_claimed(claims)}.\nIs it an export of your own, to be taken in as it stands?")
    return _own(context, path, export, trusted=trusted)


def _claimed(claims: Standing) -> str:
    """What an export holds and claims for itself."""
    parts = [render.count(claims.memories, "memory")]
    parts += [f"{claims.pinned:,} pinned"] if claims.pinned else []
    parts += [f"{render.count(claims.of_a_person, 'rule')} in a person's name"] if claims.of_a_person else []
    parts += [f"{render.count(claims.graves, 'statement')} forgotten there"] if claims.graves else []
    return ", ".join(parts)


def _own(context: Context, path: Path, export: Export, *, trusted: bool) -> int:
    """Take an export in as it stands where a person vouches for it or nothing stands here yet, else by what it says."""
    from dreamd.dream.moving.as_statements import as_statements, with_doubts
    from dreamd.dream.moving.taking_in import bring_in
    from dreamd.store.moving.rows_in import is_untouched

    with open_to_change(context.world, create=True) as kit, shown(context, "taking in") as kit.progress:
        empty = is_untouched(kit.store)
        if trusted or empty:
            arrived = bring_in(kit, export if trusted else with_doubts(export))
        else:
            statements, beside = as_statements(kit, export)
    if not (trusted or empty):
        return _by_the_gate(context, path, export, statements, beside)
    taken = arrived.taken
    context.document({"program": "dream", "memories": len(taken.memories), "observations": taken.observations,
                      "known": taken.known, "forgotten": taken.forgotten, "masked": taken.masked, "run": arrived.run or None,
                      "hash": export.digest, "trusted": True})
    context.say(f"taken in: {render.count(len(taken.memories), 'memory')}, {render.count(taken.observations, 'statement')}")
    _tell_beside(context, taken)
    if taken.graves_left:
        context.warn("what was forgotten there cannot be recognised here: this store has forgotten things of its own")
    if not trusted:
        context.tell("note: nothing stood in this home, so the export was taken for your own; orders in it that could do harm "
                     "wait in `dream review`")
    if arrived.run:
        context.tell(f"hint: `dream undo {arrived.run}` takes the memories out again")
    return 0


def _by_the_gate(context: Context, path: Path, export: Export, statements: Sequence[Candidate], taken: Taken) -> int:
    """Note what an export says that nobody vouched for, as another program's."""
    from dreamd.store.intake.notebook import take_note

    with shown(context, "taking in") as progress:
        noted = take_note(context.world, statements, progress)
    counts = {status: sum(1 for one in noted.answers if one.status == status) for status in ("stored", "known", "refused")}
    context.document({"program": "dream", "memories": 0, "observations": counts["stored"],
                      "known": taken.known + counts["known"], "forgotten": taken.forgotten + counts["refused"], "masked": 0,
                      "run": None, "hash": export.digest, "trusted": False, "deferred": noted.deferred})
    if counts["stored"] or not (taken.known or taken.forgotten):
        context.say(f"taken in by what they say, as another program's: {render.count(counts['stored'], 'statement')}")
    _tell_beside(context, taken)
    _tell_refused(context, noted)
    if counts["stored"]:
        context.tell("hint: this home holds something already, so pins, rules and what was forgotten there count for nothing "
                     f"until you vouch for them: `dream import {path} --trust` takes an export of your own in as it stands")
    return 0


def _tell_refused(context: Context, noted: Noted) -> None:
    """Say why statements were not taken, and how many for each reason."""
    reasons = Counter(one.reason for one in noted.answers if one.status == "refused")
    for why, n in reasons.most_common():
        context.warn(f"{render.count(n, 'statement')} not taken in: {why}")


def _tell_beside(context: Context, taken: Taken) -> None:
    if taken.known:
        context.say(f"known here already, and left as they are: {render.count(taken.known, 'memory')}")
    if taken.forgotten:
        context.say(f"forgotten here, and not taken in again: {taken.forgotten:,}")


def _foreign(context: Context, path: Path, options: Namespace) -> int:
    from dreamd.dream.moving.foreign_memories import in_scope, read_foreign
    from dreamd.store.intake.notebook import take_note

    found = read_foreign(path, context.world.clock.now())
    if found is None:
        raise UsageError(f"`{path}` is neither an export nor memories of mem0, Claude or basic-memory",
                         hint="transcripts and memory directories are for `dream ingest`")
    found = in_scope(found, parse_scope(options.scope) if options.scope else None)
    if options.dry_run:
        context.document({"program": found.program, "statements": len(found.statements), "left": found.left, "planned": True})
        context.say(f"{found.program}: {render.count(len(found.statements), 'statement')}; nothing was changed")
        return 0
    with shown(context, "taking in") as progress:
        noted = take_note(context.world, found.statements, progress)
    counts = {status: sum(1 for one in noted.answers if one.status == status) for status in ("stored", "known", "refused")}
    context.document({"program": found.program, **counts, "left": found.left, "deferred": noted.deferred})
    told = ", ".join(f"{n:,} {name}" for name, n in counts.items() if n)
    context.say(f"{found.program}: {told or 'no statement'}"
                + (f"; {render.count(found.left, 'entry')} left: relations, tasks, or nothing said" if found.left else ""))
    _tell_refused(context, noted)
    if counts["stored"]:
        context.tell("hint: `dream consolidate` takes them up; rules and preferences among them wait for you in `dream review`")
    return 0
