"""Looking at memories: `dream list`, `show`, `search`."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from dreamd.cli.context import Context
from dreamd.cli.families.knowledge import corpus
from dreamd.cli.families.showing import waits_shown
from dreamd.cli.families.showing.filters import add_filters, chosen_by, is_sifted, sift
from dreamd.cli.printing import render
from dreamd.cli.printing.changes import why_it_stands
from dreamd.cli.printing.json_documents import memory_document, memory_file, voice_document
from dreamd.cli.printing.progress import shown
from dreamd.core.errors import UsageError
from dreamd.core.plain_words.for_people import WORD_OF
from dreamd.core.values import SCOPE_KINDS, Category, Memory, MemoryClass, Scope, Status, parse_scope
from dreamd.store.leafing.chosen import load_page

if TYPE_CHECKING:
    from dreamd.agents.reference import Consulted, Told
    from dreamd.core.paths import Paths
    from dreamd.recall.answer import Found, Look, Recall
    from dreamd.store.connection import Store

DEFAULT_STATUSES = (Status.LIVE,)
OF_MEMORIES = tuple(s for s in Status if s is not Status.SAID)
BUDGETS = ("lean", "balanced", "deep")
MOST_RESULTS = 1000
HALF = 0.5
"""Share of a question's words below which a better answer may stand among what holds no more."""
SIFTED = 60
"""Results that are looked through where only some of them are wanted."""


def add_arguments(command: str, parser: ArgumentParser) -> None:
    """Declare what each command of this family takes."""
    if command == "list":
        parser.add_argument("--all", action="store_true", help="memories of every status")
        parser.add_argument("--status", action="append", choices=[render.status_word(s) for s in OF_MEMORIES],
                            type=render.status_word, help="only memories of this status")
        add_filters(parser, usual="in the order they were made")
    elif command == "search":
        parser.add_argument("query", metavar="QUERY", nargs="+", help="what you are looking for")
        parser.add_argument("-k", dest="limit", type=int, metavar="N", help="most results")
        parser.add_argument("--budget", choices=BUDGETS, default="balanced", help="3, 7 or 15 results")
        parser.add_argument("--held", action="store_true", help="also memories that wait for a decision")
        parser.add_argument("--all", action="store_true", help="also what was replaced or archived, marked as such")
        add_filters(parser, usual="the best answer first")
        parser.add_argument("--corpus", action="store_true", help="documents (`dream corpus add`) instead of memories")
        parser.add_argument("--with-corpus", action="store_true", help="documents beside memories, dampened")
        parser.add_argument("--in", dest="among", action="append", default=[], metavar="NAME", help="only this corpus")
        parser.add_argument("--tag", default="", help="only documents with this tag")
        parser.add_argument("--no-record", action="store_true", help="do not count this as a recall")
    else:
        parser.add_argument("id", metavar="ID", help="id of a memory, or the beginning of it")


def run(context: Context, options: Namespace) -> int:
    """Carry one of them out."""
    commands: dict[str, Callable[[Context, Namespace], int]] = {"list": list_memories, "show": show, "search": search}
    return commands[context.command](context, options)


def list_memories(context: Context, options: Namespace) -> int:
    """The memories of a status, live ones unless asked otherwise."""
    from dreamd.store import memories
    from dreamd.store.connection import open_reader
    from dreamd.store.presence.team_copy import of_team, open_copy
    from dreamd.store.scopes import projects

    if options.all and options.status:
        raise UsageError("give `--all` or `--status`, not both")
    scope = _named_scope(context, options.scope)
    wanted = OF_MEMORIES if options.all else tuple(
        s for s in OF_MEMORIES if render.status_word(s) in (options.status or DEFAULT_STATUSES))
    with open_reader(context.world.paths.store) as store:
        found, _ = load_page(store, chosen_by(context, options, scope, wanted), limit=-1)
        if not options.sort:
            found.sort(key=lambda m: (m.created_at, m.id))
        counted = memories.count_by_status(store)
        empty = "" if found else _why_empty(store)
        unknown = scope if scope and not projects.holds_of(store, scope) else None
    with open_copy(context.world) as copy:
        more = load_page(copy, chosen_by(context, options, scope, wanted), limit=-1)[0] if copy else []
        known = {one for m in found for one in (m.id, m.text)}  # what both say is one's own
        found += of_team(context.world, [m for m in more if known.isdisjoint((m.id, m.text))])
    context.document({"memories": [memory_document(m, context.world.paths) for m in found]})
    if not context.json:
        _list_by_scope(context, found)
        _say_what_else(context, found, counted, wanted)
        if unknown and sum(counted.values()):
            _say_unknown(context, unknown)
        if empty and not sum(counted.values()):
            context.tell(f"no memory yet; {empty}")
    return 0


def _named_scope(context: Context, named: str | None) -> Scope | None:
    """A scope as people name it, also by its key alone or by a directory of it; None where none is named."""
    if not named:
        return None
    if named.partition(":")[0] in SCOPE_KINDS and (":" in named or named == "user"):
        return parse_scope(named)
    from dreamd.cli.families.scoping import find_scope
    from dreamd.store.connection import open_reader

    with open_reader(context.world.paths.store) as store:
        return find_scope(store, named)


def _say_unknown(context: Context, scope: Scope) -> None:
    context.tell(f"hint: nothing was ever kept in `{scope}`; `dream scope list` shows the scopes")


def _list_by_scope(context: Context, found: Sequence[Memory]) -> None:
    by_scope: dict[Scope, list[Memory]] = {}
    for memory in found:
        by_scope.setdefault(memory.scope, []).append(memory)
    for n, scope in enumerate(sorted(by_scope)):
        if n:
            context.say()
        context.say(render.paint(str(scope), "bold", colour=context.colour))
        for memory in by_scope[scope]:
            context.say("  " + render.memory_line(memory, width=context.width - 2, colour=context.colour))


def _say_what_else(context: Context, found: Sequence[Memory], counted: dict[str, int], wanted: Sequence[Status]) -> None:
    others = [f"{n} {render.status_word(status)}" for status, n in counted.items() if Status(status) not in wanted and n]
    rest = f"; not shown: {', '.join(others)} (`dream list --all`)" if others else ""
    if found:
        context.tell(f"\n{render.count(len(found), 'memory')}{rest}")
    elif rest or sum(counted.values()):
        context.tell(f"no memory to show{rest}")


def _why_empty(store: Store) -> str:
    """What a person does next where no memory is: dream, take an undo back, or tell something."""
    from dreamd.cli.printing.render import count
    from dreamd.store import journal, observations
    from dreamd.store.telling.taken_back import how_to_put_back

    waiting, _ = observations.count_pending(store)
    if waiting:
        return f"{count(waiting, 'statement')} {'waits' if waiting == 1 else 'wait'} for `dream consolidate`"
    undone = next((r for r in journal.load_runs(store, limit=1000) if r.undone_by and observations.is_set_aside(store, r.seq)),
                  None)
    if undone is not None:
        undo = journal.load_some_runs(store, [undone.undone_by])[undone.undone_by]
        return f"what was known was taken back; `dream {how_to_put_back(undo)}` puts it back"
    return "`dream note \"…\"` tells something, `dream consolidate` reads the transcripts on this machine"


def show(context: Context, options: Namespace) -> int:
    """One memory in full, or what was said in passing."""
    from dreamd.recall.named_records import records_named
    from dreamd.store import passages
    from dreamd.store.connection import open_reader
    from dreamd.store.presence.team_copy import beside_own
    from dreamd.store.telling.voices import load_voices

    with open_reader(context.world.paths.store) as own, beside_own(context.world, own, options.id) as (store, mark):
        memory = mark(passages.load_shown(store, options.id))
        records = records_named(store, [memory])[0]
        voices = sorted(set(load_voices(store, memory.observations).values()), key=str)
    said_by = {"said_by": [voice_document(v) for v in voices]} if voices else {}
    context.document({**memory_document(memory, context.world.paths), "records": list(records), **said_by})
    for line in memory_lines(context, memory):
        context.say(line)
    if voices:
        context.say(render.wrap(f"said by {render.clean(', '.join(map(str, voices)))}", context.width, "  "))
    for one in records:
        context.say(f"  names {render.clean(one)}")
    return 0


def memory_lines(context: Context, memory: Memory) -> list[str]:
    """A memory and its facts, one a line."""
    if memory.status is Status.SAID:
        return _passage_lines(context, memory)
    home = context.world.env.get("HOME", "")
    place = memory_file(memory, context.world.paths)
    until = f" to {render.stamp(memory.valid_to)}" if memory.valid_to else ""
    facts = [
        ("scope", str(memory.scope)),
        ("class", f"{memory.memory_class} (type {memory.memory_type}, category {memory.category})"),
        ("status", ", ".join(filter(None, ("live" if memory.status is Status.LIVE else "", render.marks(memory))))),
        ("why", why_it_stands(memory)), ("worded by", WORD_OF[memory.trust]),
        ("valid", f"from {render.stamp(memory.valid_from)}{until}"),
        ("said", f"{render.count(memory.support, 'time')}, last {render.stamp(memory.confirmed_at)}"),
        ("recalled", render.count(memory.recalls, "time")
         + (f", last {render.stamp(memory.recalled_at)}" if memory.recalled_at else "")),
        ("replaces", ", ".join(memory.supersedes)), ("replaced by", memory.superseded_by),
        ("file", render.short(Path(place), home) if place else "")]
    return [render.wrap(memory.text, context.width), "", render.paint(memory.id, "cyan", colour=context.colour),
            *("  " + line for line in render.table([(name, text) for name, text in facts if text], width=context.width - 2))]


def _passage_lines(context: Context, memory: Memory) -> list[str]:
    facts = [("scope", str(memory.scope)), ("said", render.stamp(memory.confirmed_at)),
             ("memory", "none; `dream promote` makes one of it, `dream forget` removes it"),
             *([("answers", memory.answers)] if memory.answers else [])]
    return [render.wrap(memory.text, context.width), "", render.paint(memory.id, "cyan", colour=context.colour),
            *("  " + line for line in render.table(facts, width=context.width - 2))]


def search(context: Context, options: Namespace) -> int:
    """The memories that answer a question, best first."""
    from dreamd.agents.guarding import without_memory
    from dreamd.dream.asking.rewording import reword
    from dreamd.recall.answer import Found, Look
    from dreamd.recall.ranking import Budget
    from dreamd.text.redaction import redact

    if options.limit is not None and not 1 <= options.limit <= MOST_RESULTS:
        raise UsageError(f"`-k` must be from 1 to {MOST_RESULTS}")
    query = " ".join(options.query)
    if _is_off(context):
        context.document({"query": redact(query).text, "mode": "off", "results": [], "not_shown": {}, "near": 0})
        context.warn(without_memory.OFF)
        return 0
    documents = _documents(context, query, options)
    if options.corpus:
        return _tell_documents(context, redact(query).text, documents)
    scope = _named_scope(context, options.scope)
    scopes = (scope,) if scope else ()
    wording = reword(context.world, query, Budget(options.budget), scope=scopes[0] if scopes else None, place=_here())
    look = Look(limit=options.limit, budget=Budget(options.budget), held=options.held or options.all, scopes=scopes,
                record=not options.no_record, everything=options.all,
                classes=frozenset({MemoryClass(options.memory_class)} if options.memory_class else ()),
                categories=frozenset({Category(options.category)} if options.category else ()))
    with shown(context, "searching"):
        answer = _asked(context, wording.query, look, options)
        if wording.used and not answer.results:
            wording, answer = wording._replace(query=query, used=False), _asked(context, query, look, options)
    paths = context.world.paths
    results = _with_clues(paths, answer.results)
    beside = [d for d in documents.results if d.score >= context.world.settings.recall.floor] if documents else []
    # Sorted together: what a document loses and a memory gains is in the scores already.
    mixed: list[Found | Told] = [*results, *beside] if options.sort else sorted(
        [*results, *beside], key=lambda one: -one.score)
    share = max((r.parts.get("words", 0.0) for r in results), default=-1.0)
    left = {} if share >= HALF or options.all else _left_out(context, query, look, share)
    waits = waits_shown.look(context, query, scopes)
    if wording.used:
        context.tell(f"searched for: {render.clean(redact(wording.query).text)}")
    context.document({"query": redact(query).text, "mode": answer.mode, **wording.told(), "results": [
        {"memory": memory_document(r.memory, paths), "score": round(r.score, 4),
         "parts": {name: round(part, 4) for name, part in r.parts.items()}, "clue": r.clue, "records": list(r.records)}
        if isinstance(r, Found)
        else corpus.told_document(r) for r in mixed], "not_shown": left, "near": answer.near, **waits_shown.document(waits)})
    if answer.warning:
        context.warn(answer.warning)
    _say_results(context, mixed)
    waits_shown.say(context, waits, found=bool(mixed))
    if not mixed and not waits.found:
        _say_why_nothing(context, left, scope, answer.near)
    elif left:
        context.tell(f"hint: {_counted(left)} would match your words better; `dream search --all` shows it")
    return 0


def _counted(left: dict[str, int]) -> str:
    return ", ".join(f"{n} {render.status_word(status)}" for status, n in left.items())


def _say_why_nothing(context: Context, left: dict[str, int], scope: Scope | None, near: int) -> None:
    from dreamd.store.connection import open_reader
    from dreamd.store.scopes import projects

    context.advise(f"nothing that holds now; {_counted(left)} would match; `dream search --all` shows it" if left
                else "nothing found that answers" if near else "nothing found")
    if near:
        context.tell(f"hint: {render.count(near, 'result')} near the question; `dream search --all` shows what is near")
    with open_reader(context.world.paths.store) as store:
        unknown = scope is not None and not projects.holds_of(store, scope)
    if unknown and scope is not None:
        _say_unknown(context, scope)


def _say_results(context: Context, mixed: Sequence[Found | Told]) -> None:
    from dreamd.recall.answer import Found

    for result in mixed:
        if isinstance(result, Found):
            clue = "".join(f"  [{render.clean(one)}]" for one in (*result.records, result.clue) if one)
            context.say(render.memory_line(result.memory, width=context.width - len(clue), colour=context.colour, scope=True)
                        + clue)
        else:
            corpus.say_told(context, result)


def _documents(context: Context, query: str, options: Namespace) -> Consulted | None:
    """What the library answers, where it is asked."""
    if options.corpus and options.with_corpus:
        raise UsageError("give `--corpus` or `--with-corpus`, not both")
    if not (options.corpus or options.with_corpus):
        if options.among or options.tag:
            raise UsageError("`--in` and `--tag` choose among documents", hint="with `--corpus` or `--with-corpus`")
        return None
    rules = context.world.settings.recall
    by_budget = {"lean": rules.lean, "balanced": rules.balanced, "deep": rules.deep}
    return corpus.consult(context, query, options.limit or by_budget[options.budget], options.among, options.tag)


def _tell_documents(context: Context, query: str, answer: Consulted | None) -> int:
    results = answer.results if answer else ()
    context.document({"query": query, "mode": answer.mode if answer else "", "results": [
        corpus.told_document(told) for told in results]})
    if answer and answer.warning:
        context.warn(answer.warning)
    for told in results:
        corpus.say_told(context, told)
    if not results:
        context.say("nothing found")
        context.tell("hint: `dream corpus list` says what was added")
    return 0


def _asked(context: Context, query: str, look: Look, options: Namespace) -> Recall:
    """An answer of what was chosen by origin and age, in the order that is wanted."""
    if not is_sifted(options):
        return _recall(context, query, look)
    rules = context.world.settings.recall
    most = look.limit or {"lean": rules.lean, "balanced": rules.balanced, "deep": rules.deep}[options.budget]
    answer = _recall(context, query, replace(look, limit=max(SIFTED, most)))
    return replace(answer, results=sift(context, options, answer.results, most))


def _left_out(context: Context, query: str, look: Look, share: float) -> dict[str, int]:
    """How many memories that hold no more, or wait, match with more of the words and are not shown; passages are none."""
    from collections import Counter

    found = _recall(context, query, replace(look, everything=True, held=True, record=False)).results
    return dict(Counter(r.memory.status.value for r in found if r.memory.status not in (Status.SAID, Status.LIVE, Status.STALE)
                        and r.parts.get("words", 0.0) > share))


def _recall(context: Context, query: str, look: Look) -> Recall:
    """Ask the recall server where one listens; do the work here otherwise."""
    paths = context.world.paths
    plain = not (look.everything or look.narrowed)  # what the server knows how to look for
    if plain and query.strip() and (paths.socket.exists() or paths.heartbeat.exists()):
        from dreamd.agents import recall_client
        from dreamd.store.connection import open_reader

        with open_reader(paths.store) as store:
            answer = recall_client.ask(context.world, query, look, store=store)
        if answer is not None:
            return answer
    from dreamd.kit import open_kit, open_to_look
    from dreamd.recall.answer import search as find

    if not look.record:
        with open_kit(context.world, read_only=True) as kit:
            return find(kit, query, look)
    # Looking must work where nothing may be written; then it is not counted as a recall.
    with open_to_look(context.world) as (kit, counts):
        return find(kit, query, replace(look, record=counts))


def _is_off(context: Context) -> bool:
    """Whether an agent asks in a turn that its person wants without memory; who types here is not in a turn."""
    from dreamd.agents.guarding import without_memory

    here = _here()
    return here is not None and without_memory.is_agent(context.world.env) and without_memory.is_off_at(context.world, here)


def _here() -> Path | None:
    """The directory somebody stands in, if it is still there."""
    try:
        return Path.cwd()
    except OSError:
        return None


def _with_clues(paths: Paths, results: Sequence[Found]) -> list[Found]:
    """Say of memories of the project we stand in whether what they name is still there."""
    from dreamd.recall.answer import find_clues
    from dreamd.store.connection import open_reader

    here = _here()
    if not results or here is None:
        return list(results)
    with open_reader(paths.store) as store:
        clues = find_clues(store, [r.memory for r in results], here)
    return [replace(r, clue=clue) for r, clue in zip(results, clues, strict=True)]
