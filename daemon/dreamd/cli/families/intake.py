"""`dream note`, `dream ingest`, `dream sources`: what goes in."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import IO, TYPE_CHECKING

from dreamd.cli.context import Context
from dreamd.cli.printing.json_documents import moment
from dreamd.core.errors import DreamError, Partial, UsageError
from dreamd.core.values import LONGEST_TEXT, Candidate, MemoryClass, MemoryType, Origin, parse_scope

if TYPE_CHECKING:
    from dreamd.core.errors import Outage
    from dreamd.dream.phases.gather import Gathered
    from dreamd.dream.telling.where_from import Reach
    from dreamd.extraction.declined import Declined
    from dreamd.store.intake.notebook import Noted
    from dreamd.store.observations import Stored

LONGEST_LINE_BYTES = 1024 * 1024
BATCH = 500
PASTED = 240
"""Characters from which a note is more than the sentence or two that a memory is."""
FIELDS = ("text", "at", "scope", "origin", "class", "type", "ttl", "conversation", "key")
SHOWN_REFUSALS = 20


def add_arguments(command: str, parser: ArgumentParser) -> None:
    """Declare what each command of this family takes."""
    if command == "ingest":
        parser.add_argument("paths", metavar="PATH", nargs="+", help="file or directory to read")
    if command != "note":
        return
    parser.add_argument("text", metavar="TEXT", nargs="*", help="what to remember; left out: standard input")
    parser.add_argument("--scope", help="user, project:NAME, team:NAME or local:CONVERSATION (user)")
    parser.add_argument("--origin", help="user, agent, tool, web or import (user)")
    parser.add_argument("--class", dest="memory_class", metavar="CLASS", help=", ".join(MemoryClass))
    parser.add_argument("--type", dest="memory_type", metavar="TYPE", help=", ".join(MemoryType))
    parser.add_argument("--ttl", metavar="DATE", help="last day it is true, YYYY-MM-DD")
    parser.add_argument("--at", metavar="TIME", help="when it was said (now)")
    parser.add_argument("--conversation", default="", metavar="ID", help="the conversation it was said in")
    parser.add_argument("--key", default="", help="your own id: the same key twice is stored once")
    parser.add_argument("--jsonl", metavar="FILE", help="read statements as JSON lines; `-` is standard input; the options "
                        "above are what counts for a line that does not say it")


def run(context: Context, options: Namespace) -> int:
    """Carry one of them out."""
    commands: dict[str, Callable[[Context, Namespace], int]] = {"note": note, "ingest": ingest, "sources": sources}
    return commands[context.command](context, options)


def note(context: Context, options: Namespace) -> int:
    """Store one note, or a stream of them."""
    from dreamd.store.intake.notebook import take_note

    if options.jsonl is not None:
        if options.text:
            raise UsageError("give TEXT or `--jsonl`, not both")
        if options.key:
            raise UsageError("`--key` names one note", hint="give each line a `key` of its own")
        return _note_lines(context, options.jsonl, _told(options))
    text = " ".join(options.text) if options.text and options.text != ["-"] else _read_text(context)
    if not text.strip():
        raise UsageError("there is nothing to note", hint="`dream note \"what to remember\"`")
    candidate = _candidate(context, {"text": text, "key": options.key, **_told(options)})
    noted = take_note(context.world, [candidate])
    declined = _declined(context, candidate) if noted.answers[0].status == "stored" else None
    return _answer(context, [(1, a) for a in noted.answers], deferred=noted.deferred, why=noted.why, declined=declined)


def _declined(context: Context, candidate: Candidate) -> Declined | None:
    """What the gate will say against a note, where somebody reads it or the text looks like something pasted.

    To ask costs as much as half a note: whoever notes a plain sentence from a program does not wait for it.
    """
    text = candidate.text
    if not (context.stdout.isatty() or "\n" in text or len(text) > PASTED or text.count("#") > 1):
        return None
    from dreamd.extraction.declined import why_declined
    from dreamd.kit import read_zone

    return why_declined(text, origin=candidate.origin, at=candidate.at, zone=read_zone(context.world.zone_name),
                        class_hint=candidate.class_hint)


def _told(options: Namespace) -> dict[str, object]:
    """What the command line says of a note, or of every line that does not say it itself."""
    row = {"scope": options.scope, "origin": options.origin, "class": options.memory_class, "type": options.memory_type,
           "ttl": options.ttl, "at": options.at, "conversation": options.conversation or None}
    return {name: told for name, told in row.items() if told is not None}


def _read_text(context: Context) -> str:
    if context.stdin.isatty():
        raise UsageError("there is nothing to note", hint="`dream note \"what to remember\"`")
    body = context.stdin.read(LONGEST_TEXT * 4 + 1)
    try:
        return body.decode("utf-8").strip()
    except UnicodeDecodeError:
        if len(body) > LONGEST_TEXT * 4:
            return "x" * (LONGEST_TEXT + 1)  # too long whatever the cut at the end did to its last sign
        raise UsageError("standard input is not valid UTF-8", hint="convert it first, with `iconv` for instance") from None


def _note_lines(context: Context, file: str, told: dict[str, object]) -> int:
    """Store JSON lines batch by batch; a line that cannot be taken is listed and the others are stored."""
    _candidate(context, {"text": "what a line says", **told})  # what no line can use is wrong before the first of them
    from dreamd.store.intake.notebook import take_note
    from dreamd.store.observations import Stored

    answers: list[tuple[int, Stored]] = []
    waiting: list[tuple[int, Candidate]] = []
    deferred, why = False, None

    def flush() -> bool:
        nonlocal why
        noted: Noted = take_note(context.world, [c for _, c in waiting])
        answers.extend((n, a) for (n, _), a in zip(waiting, noted.answers, strict=True))
        waiting.clear()
        why = noted.why or why
        return noted.deferred

    with opened(context, file) as stream:
        for number, line in numbered_lines(stream):
            try:
                waiting.append((number, _parse_line(context, number, line, told)))
            except DreamError as error:
                answers.append((number, Stored("", _key_of(line), "refused", error.message)))
            if len(waiting) >= BATCH:
                deferred = flush() or deferred
    if waiting:
        deferred = flush() or deferred
    return _answer(context, sorted(answers, key=lambda row: row[0]), deferred=deferred, why=why)


def opened(context: Context, file: str) -> IO[bytes]:
    """The lines to read: a file, or standard input for `-`."""
    if file == "-":
        return context.stdin
    try:
        return Path(file).expanduser().open("rb")
    except OSError as error:
        raise UsageError(f"cannot read `{file}`: {error.strerror}") from None


def numbered_lines(stream: IO[bytes]) -> Iterator[tuple[int, bytes | None]]:
    """Lines with their numbers, blank ones left out; None for one that is too long to be held."""
    number = 0
    while line := stream.readline(LONGEST_LINE_BYTES + 1):
        number += 1
        if len(line) > LONGEST_LINE_BYTES and not line.endswith(b"\n"):
            while (more := stream.readline(LONGEST_LINE_BYTES)) and not more.endswith(b"\n"):
                pass
            yield number, None
        elif line.strip():
            yield number, line


def _parse_line(context: Context, number: int, line: bytes | None, told: dict[str, object]) -> Candidate:
    row = parse_row(line)
    unknown = [name for name in row if name not in FIELDS]
    if unknown:
        context.warn(f"line {number}: unknown field `{unknown[0][:40]}` is left out")
    return _candidate(context, {**told, **{name: row[name] for name in FIELDS if row.get(name) is not None}})


def parse_row(line: bytes | None) -> dict[str, object]:
    """One JSON object.

    Raises UsageError for anything else.
    """
    import json

    if line is None:
        raise UsageError(f"the line is longer than {LONGEST_LINE_BYTES} bytes")
    try:
        row = json.loads(line.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise UsageError("the line is not valid UTF-8") from None
    except (ValueError, RecursionError):
        raise UsageError("the line is not valid JSON") from None
    if not isinstance(row, dict):
        raise UsageError("the line is not a JSON object")
    return row


def _key_of(line: bytes | None) -> str:
    """The key of a line that was refused, so that the caller can tell which it was."""
    try:
        key = parse_row(line).get("key")
    except UsageError:
        return ""
    return key if isinstance(key, str) else ""


def _candidate(context: Context, row: dict[str, object]) -> Candidate:
    """A note from its fields.

    Raises UsageError for a field that is not what it should be.
    """
    from dreamd.core.clock import parse_instant

    for name, content in row.items():
        if not isinstance(content, str):
            raise UsageError(f"`{name}` must be a string")
    told = {name: str(content) for name, content in row.items()}
    if not told.get("text", "").strip():
        raise UsageError("`text` is missing or empty")
    kind, shape = told.get("class", ""), told.get("type", "")
    return Candidate(
        text=told["text"].strip(), origin=Origin(_chosen("origin", told.get("origin", "user"), tuple(Origin))),
        at=parse_instant(told["at"]) if told.get("at") else context.world.clock.now(),
        scope=parse_scope(told.get("scope") or "user"), conversation=told.get("conversation", ""),
        key=told.get("key", ""), class_hint=MemoryClass(_chosen("class", kind, tuple(MemoryClass))) if kind else None,
        type_hint=MemoryType(_chosen("type", shape, tuple(MemoryType))) if shape else None,
        ttl=_day(told["ttl"]) if told.get("ttl") else None)


def _chosen(name: str, word: str, choices: tuple[str, ...]) -> str:
    if word not in choices:
        raise UsageError(f"`{name}` must be one of {', '.join(choices)}")
    return word


def _day(text: str) -> str:
    try:
        day = date.fromisoformat(text.strip())
    except ValueError:
        raise UsageError("`ttl` is not a date", hint="write it like `2026-05-07`") from None
    if not 1970 <= day.year < 9000:
        raise UsageError(f"the year {day.year} of `ttl` is out of range", hint="years 1970 to 8999 are accepted")
    return day.isoformat()


def _answer(context: Context, answers: list[tuple[int, Stored]], *, deferred: bool, why: Outage | None,
            declined: Declined | None = None) -> int:
    rows: list[dict[str, object]] = [
        {"id": a.id or None, "key": a.key or None, "status": a.status, "reason": a.reason or None, "line": n}
        for n, a in answers]
    if declined is not None:
        rows[0]["declined"] = {"reason": declined.reason, "worth_keeping": declined.advice or None,
                               "lines": list(declined.worth)}
    inbox = context.world.paths.inbox
    context.document({"observations": rows} | ({"inbox": str(inbox)} if deferred else {}))
    stored = sum(1 for _, a in answers if a.status == "stored")
    known = sum(1 for _, a in answers if a.status == "known")
    refused = [(n, a) for n, a in answers if a.status == "refused"]
    told = [f"{number} {word}" for number, word in ((stored, "stored"), (known, "known already")) if number]
    if context.verbosity >= 0 and told:
        later = ", waiting in the inbox while the store is busy" if deferred and not why else ""
        context.say(f"noted: {', '.join(told)}{later}")
        if stored and declined is None and not why and context.stdout.isatty():
            from dreamd.core import locks
            nightly = "tonight's, or " if locks.read_owner(context.world.paths.locks, locks.SERVICE_LOCK) else ""
            context.tell(f"it is known to `dream search` once a dream has taken it up: {nightly}`dream consolidate` now")
    if declined is not None:
        _tell_declined(context, declined)
    if why:
        context.warn(f"{why.message}; what was noted waits in `{inbox}`")
        context.tell(f"hint: {why.hint}")
    for n, a in refused[:SHOWN_REFUSALS]:
        context.warn(f"line {n} refused: {a.reason}" if len(answers) > 1 else f"refused: {a.reason}")
    if len(refused) > SHOWN_REFUSALS:
        context.warn(f"{len(refused) - SHOWN_REFUSALS} more lines refused; `--json` lists them all")
    return Partial.exit_code if refused else 0


def _tell_declined(context: Context, declined: Declined) -> None:
    """It is kept as it was said; what no dream makes of it, and what would be a memory."""
    from dreamd.core.plain_words.plain_reasons import plain

    context.tell(f"it stays as it was said, and no memory is made of it: {plain(declined.reason)}")
    if declined.advice:
        context.tell(f"worth keeping: {declined.advice}")
    for line in declined.worth:
        context.tell(f'hint: dream note "{line}"')


def ingest(context: Context, options: Namespace) -> int:
    """Read given files and directories now; what they say waits for the next dream."""
    from dreamd.cli.printing.progress import shown
    from dreamd.cli.printing.render import count
    from dreamd.cli.stopping import listening
    from dreamd.core import fsio, locks
    from dreamd.dream.phases.gather import gather_from
    from dreamd.dream.scopes.task_lines import propose_given
    from dreamd.kit import open_to_change
    from dreamd.service.manners import Stop
    from dreamd.store import journal, observations

    if not all(options.paths):
        raise UsageError("an empty path names nothing", hint="`dream ingest .` reads what lies here")
    world, places = context.world, [Path(p).expanduser().absolute() for p in options.paths]
    for place in places:
        if not place.exists():
            raise UsageError(f"no such file or directory: `{place}`")
    fsio.make_private_dir(world.paths.locks)
    stop = Stop(world.paths, heeds_pause=False)
    with locks.hold_dream(world.paths.locks, locks.Owner("dream ingest", world.clock.now())), \
            open_to_change(world, create=True) as kit, listening(stop), shown(context, "reading") as kit.progress:
        kit.kind, kit.should_stop = "ingest", stop
        gathered = gather_from(kit, places)
        folders, lines = propose_given(kit, places)
        gathered.sources, gathered.stored = gathered.sources + folders, gathered.stored + lines
        if kit.run is not None:
            # Reading is no dream: what it stored stays, its journal entry goes.
            with kit.writing() as tx:
                journal.drop_run(tx, kit.run)
        waiting, _ = observations.count_pending(kit.store)
    context.document({"sources": gathered.sources, "lines": gathered.lines, "prompts": gathered.prompts,
                      "stored": gathered.stored, "known": gathered.known, "refused": gathered.refused,
                      "waiting": waiting, "skips": dict(sorted(gathered.skips.items())), "warnings": gathered.warnings})
    of = f"{gathered.sources - len(gathered.left):,} of " if gathered.left else ""
    context.say(f"read {of}{count(gathered.sources, 'source')}: {count(gathered.lines, 'line')}, "
                f"{count(gathered.prompts, 'prompt')}; {gathered.stored} stored, {gathered.known} known already")
    if waiting:
        context.advise(f"{count(waiting, 'statement')} {'waits' if waiting == 1 else 'wait'}; `dream consolidate` takes "
                    f"{'it' if waiting == 1 else 'them'} up")
    if stop.code:
        context.tell("stopped; nothing is lost, `dream ingest` goes on from here")
        return stop.code
    return _set_aside(context, gathered, places)


def _set_aside(context: Context, gathered: Gathered, places: Sequence[Path]) -> int:
    """Exit code and words for what a reading passed over that a healthy file would not have."""
    from dreamd.core.plain_words.plain_reasons import plain_skip
    from dreamd.sources import ORDINARY, why_unread

    for warning in gathered.warnings:
        context.warn(warning)
    unusual = {reason: n for reason, n in gathered.skips.items() if reason in _TROUBLE and reason not in ORDINARY}
    if gathered.sources == 0 and gathered.skips["excluded"]:
        raise Partial("what lies there is kept from being read, by `sources.exclude` or a `.dreamignore`",
                      hint="take it out there if dream may read it")
    if gathered.sources == 0:
        for place in places:
            if why := _WHY_UNREAD.get(why_unread(place)):
                context.warn(f"`{place}` {why}")
        nothing = "nothing there looks like a source dream can read"
        if not context.json:
            raise Partial(nothing, hint="transcripts, memory directories and JSON lines are; see `dream sources`")
        context.warn(nothing)  # the one document is out; it says that no source was read
        return Partial.exit_code
    if unusual:
        context.warn("set aside: " + ", ".join(f"{n} × {plain_skip(reason)}" for reason, n in sorted(unusual.items())))
        return Partial.exit_code
    return 0


_TROUBLE = frozenset({"corrupt-line", "corrupt-document", "oversized", "encoding-replaced", "unreadable", "missing",
                      "symlink", "not-a-file", "unknown-format", "compressed", "damaged-archive"})
_WHY_UNREAD = {
    "symlink": "is a link; name the file it leads to", "not-a-file": "is no ordinary file",
    "unreadable": "cannot be read", "damaged-archive": "is a packed file that is damaged", "no-text": "is empty",
    "compressed": "is packed, and the library `backports.zstd` that would unpack it is missing",
}


def sources(context: Context, _options: Namespace) -> int:
    """List what was found on this machine and how far each was read; contents stay unread."""
    from dreamd.cli.printing import render
    from dreamd.dream.telling.where_from import load_reach

    rows = load_reach(context.world)
    context.document({"sources": [_source_document(row) for row in rows]})
    if not rows:
        context.say("no source was found on this machine")
        context.tell("hint: `dream ingest PATH` reads one from anywhere, `sources.paths` in the settings names more")
        return 0
    home = context.world.env.get("HOME", "")
    told = [(f"{r.kind} {r.version}".strip(), r.scope, r.progress, render.short(Path(r.path), home)) for r in rows]
    for row, words, line in zip(rows, told, render.table(told), strict=True):
        place = render.clean(words[-1])
        context.say(line if len(line) <= context.width else f"{line.removesuffix(place).rstrip()}\n  {place}")
        for warning in () if context.json else _wrong_there(row):
            context.say(f"  {render.clean(warning)}")
    context.say("")
    context.say(f"{render.count(len(rows), 'source')}, {sum(1 for r in rows if r.read_at)} read before")
    return 0


def _source_document(row: Reach) -> dict[str, object]:
    return {"path": row.path, "kind": row.kind, "scope": row.scope, "version": row.version, "present": row.present,
            "bytes": row.bytes, "read_bytes": row.read_bytes, "lines": row.lines, "prompts": row.prompts,
            "observations": row.observations, "skips": dict(row.skips), "read_at": moment(row.read_at),
            "warnings": _wrong_there(row)}


def _wrong_there(row: Reach) -> list[str]:
    """What in a folder of decision records cannot be right; of anything else the contents stay unread."""
    from dreamd.sources.decisions.decision_folder import KIND, findings_in
    from dreamd.text.redaction import redact

    return [redact(one.told()).text for one in findings_in(Path(row.path))] if row.kind == KIND else []
