"""`dream events`: the verdicts of the gate, as they were and as they come."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import islice
from pathlib import Path
from stat import S_ISREG

from dreamd.cli.context import Context, encode
from dreamd.cli.families.knowledge.operating import MOST_SHOWN, SHOWN, since_when
from dreamd.cli.printing import render
from dreamd.core.errors import UsageError
from dreamd.core.plain_words.for_people import stamp
from dreamd.core.plain_words.plain_reasons import fate_words, plain
from dreamd.core.values import Fate, GateVerdict
from dreamd.library.line_log import told_at
from dreamd.text.injection import strip_hidden

LOOK_EVERY_S = 0.3
IN_WORDS = {GateVerdict.ALLOW.value: "let in", GateVerdict.HOLD.value: "held for you"}


def add_arguments(_command: str, parser: ArgumentParser) -> None:
    """Declare what `dream events` takes."""
    parser.add_argument("--follow", action="store_true", help="go on with what comes; with `--json` one document a line")
    parser.add_argument("--since", metavar="TIME", help="no older ones: a time, or `2h`, `7d`, `3w` ago")
    parser.add_argument("--verdict", choices=[verdict.value for verdict in GateVerdict], default="",
                        help="only what was let in, held for you, or let go")
    parser.add_argument("--run", default="", metavar="RUN", help="of one run, as `dream history` names it")
    parser.add_argument("-n", "--limit", type=int, default=SHOWN, metavar="N", help=f"most events ({SHOWN})")


def run(context: Context, options: Namespace) -> int:
    """Show the newest verdicts of the gate, with how many there were of each kind."""
    from dreamd.library import gate_events

    if not 1 <= options.limit <= MOST_SHOWN:
        raise UsageError(f"`--limit` must be from 1 to {MOST_SHOWN}")
    wanted = gate_events.Wanted(since_when(context, options.since), options.verdict, options.run)
    if options.follow:
        return _follow(context, wanted, gate_events.log_of(context.world).path)
    found = list(gate_events.find_events(context.world, wanted))
    shown = list(islice(found, options.limit))[::-1]
    counts = gate_events.count_verdicts(found)
    context.document({"events": shown, "counts": counts, "fates": gate_events.count_fates(found),
                      "more": len(found) > len(shown)})
    for row in shown:
        *head, words = _line(row)
        context.say(render.wrap(words, context.width, f"{'  '.join(head)}  "))
    if not found:
        context.say("nothing that the gate decided fits" if options.since or options.verdict or options.run else
                    "the gate has decided nothing yet")
        if not (options.since or options.verdict or options.run):
            context.tell("hint: `dream consolidate` hands it what was said")
    else:
        context.say("")
        became = Counter(_became(row) for row in found)
        context.say(f"{render.count(len(found), 'verdict')}: " + ", ".join(f"{n:,} {word}" for word, n in became.most_common()))
    return 0


def _follow(context: Context, wanted: object, path: Path) -> int:
    """Tell each verdict as it comes, until somebody has seen enough."""
    from dreamd.library.gate_events import Wanted

    assert isinstance(wanted, Wanted)
    with suppress(KeyboardInterrupt):  # the way to leave, and no failure
        for row in _coming(path):
            if wanted.fits(row):
                context.stdout.write((encode(row) if context.json else "  ".join(_line(row))) + "\n")
                context.stdout.flush()
    return 0


def _coming(path: Path) -> Iterator[dict[str, object]]:
    """Lines that are added from now on, also once the file was rotated."""
    from dreamd.core.clock import SystemClock
    from dreamd.library.line_log import read_row

    seen, number, rest = _at(path)[1], _at(path)[0], b""
    while True:
        here, size = _at(path)
        if here != number or size < seen:
            number, seen, rest = here, 0, b""
        if size > seen:
            with suppress(OSError), path.open("rb") as stream:
                stream.seek(seen)
                body = stream.read(size - seen)
                seen += len(body)
                *lines, rest = (rest + body).split(b"\n")
                yield from (row for line in lines if (row := read_row(line)) is not None)
        SystemClock().sleep(LOOK_EVERY_S)


def _at(path: Path) -> tuple[int, int]:
    try:
        found = path.lstat()
    except OSError:
        return 0, 0
    return (found.st_ino, found.st_size) if S_ISREG(found.st_mode) else (0, 0)


def _became(row: Mapping[str, object]) -> str:
    """What the gate made of something, in the words in which every report counts it."""
    verdict = str(row.get("verdict", ""))
    if verdict == GateVerdict.DISCARD.value:
        return fate_words(Fate.DISCARDED, str(row.get("reason", "")))
    return IN_WORDS.get(verdict, verdict)


def _line(row: Mapping[str, object]) -> list[str]:
    """One verdict in words, the longest last; the file is anyone's to write, so what is none is told as it stands."""
    told = {name: str(row.get(name, "")) for name in ("verdict", "reason", "class", "scope", "source", "id")}
    at, reason = told_at(row), told["reason"]
    became = _became(row)
    words = [stamp(at) if at else str(row.get("time", "")), *(told[name] for name in ("id", "class", "scope", "source")),
             f"{became}: {plain(reason)}" if reason else became]
    return [one for word in words if (one := " ".join(strip_hidden(word).split()))]
