"""A person's verbs: `dream review`, `pin`, `unpin`, `edit`, `restore`, `promote`, `forget`."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict

from dreamd.agents.deciding.answered_questions import answer, proposed_everywhere
from dreamd.agents.deciding.forgotten_whole import Going, forget_in_tasks, forget_whole
from dreamd.agents.hooks import dismiss_request, read_requests
from dreamd.cli.context import Context, encode
from dreamd.cli.families.attaching import proposal_rows, show_proposals
from dreamd.cli.families.knowledge.corpus import find_passages, forget_passages, still_in_documents
from dreamd.cli.families.working.sharing import tell_behind
from dreamd.cli.printing import render
from dreamd.cli.printing.changes import why_it_stands
from dreamd.cli.printing.json_documents import memory_document
from dreamd.core.clock import iso
from dreamd.core.errors import Partial, Refused, StoreMissing, UsageError
from dreamd.core.values import Memory, Status, content_id
from dreamd.dream import verbs
from dreamd.dream.living.struck import find_lines, strike
from dreamd.dream.sharing.offering import count_sent
from dreamd.dream.sharing.who_may import find_behind
from dreamd.dream.verbs import HELD_BY_A_READER, Forgotten, Labelled, Question
from dreamd.kit import Kit, open_to_change, open_to_look
from dreamd.store import checks, journal, memories
from dreamd.store.language.proposed import Proposed, load_proposed
from dreamd.store.presence.team_copy import refusing_copied
from dreamd.store.telling.written_out import WrittenOut, out_of_reach
from dreamd.text.language import language_of

KEYS = {"a": "keep-a", "b": "keep-b", "o": "both", "d": "drop", "n": "neither", **{c: c for c in verbs.CHOICES}}
NOW = {Status.LIVE: "holds now"}
SKIP, QUIT = "skip", "quit"
SHOWN = 20


def add_arguments(command: str, parser: ArgumentParser) -> None:
    """Declare what each command of this family takes."""
    if command == "review":
        parser.add_argument("id", metavar="ID", nargs="?", help="the held memory to decide about")
        parser.add_argument("choice", metavar="CHOICE", nargs="?", choices=verbs.CHOICES,
                            help="keep-a (the named one), keep-b (what it contradicts), both, drop (the named one), or neither")
        parser.add_argument("--list", action="store_true", help="only show all that waits, and ask nothing")
        parser.add_argument("--pairs", action="store_true",
                            help="what was decided between two statements, as labelled pairs, one JSON object a line")
    elif command == "forget":
        parser.add_argument("ids", metavar="ID", nargs="*", help="memories to forget")
        parser.add_argument("--matching", metavar="QUERY", help="every memory that has all these words")
        parser.add_argument("-y", "--yes", action="store_true", help="do not ask")
    else:
        named = "passage" if command == "promote" else "memory"
        parser.add_argument("id", metavar="ID", help=f"id of a {named}, or the beginning of it")
        if command == "edit":
            parser.add_argument("words", metavar="WORDS", nargs="+", help="what it says from now on")


def run(context: Context, options: Namespace) -> int:
    """Carry one of them out."""
    commands: dict[str, Callable[[Context, Namespace], int]] = {
        "review": review, "forget": forget, "pin": _verb, "unpin": _verb, "restore": _verb,
        "promote": _verb, "edit": edit}
    return commands[context.command](context, options)


def _verb(context: Context, options: Namespace) -> int:
    """pin, unpin, restore and promote: one memory or passage in, the memory out."""
    acts: dict[str, Callable[[Kit, str], Memory]] = {"pin": verbs.pin, "unpin": verbs.unpin, "restore": verbs.restore,
                                                     "promote": verbs.promote}
    act = acts[context.command]
    done = {"pin": "pinned", "unpin": "no longer pinned", "restore": "restored",
            "promote": "a memory now"}[context.command]
    with open_to_change(context.world) as kit, refusing_copied(context.world, options.id):
        memory = act(kit, options.id)
    context.document({"memory": memory_document(memory, context.world.paths)})
    context.say(f"{done}: {_line(context, memory)}")
    return 0


def edit(context: Context, options: Namespace) -> int:
    """Give a memory other words, and say how they are taken back."""
    with open_to_change(context.world) as kit, refusing_copied(context.world, options.id):
        before = journal.last_seq(kit.store)
        memory = verbs.edit(kit, options.id, " ".join(options.words))
        run = journal.last_run(kit.store, kind="edit") if journal.last_seq(kit.store) > before else None
    context.document({"memory": memory_document(memory, context.world.paths), "run": run.id if run else None})
    context.say(f"{'edited' if run else 'it says that already'}: {_line(context, memory)}")
    if run:
        context.tell(f"hint: `dream undo {run.id}` takes it back")
    return 0


def review(context: Context, options: Namespace) -> int:
    """Show what is held, or decide about one of them; on a terminal, ask for each."""
    if options.pairs:
        return _print_pairs(context, options)
    if options.choice:
        request = dismiss_request(context.world.paths, options.id) if options.choice == "drop" else None
        if request is not None:
            context.document({"memories": [], "dismissed": request})
            context.say(f"no longer asked to forget: {request['words']}")
            return 0
        with open_to_change(context.world) as kit, refusing_copied(context.world, options.id):
            changed = answer(kit, options.id, options.choice)
            context.document({"memories": [memory_document(m, context.world.paths) for m in changed]})
            for memory in changed:
                context.say(f"{NOW.get(memory.status, render.status_word(memory.status))}: {_line(context, memory)}")
            return 0
    with open_to_look(context.world) as (kit, _):
        questions = verbs.load_review(kit)
        if options.id:
            questions = [q for q in questions if any(m.id.startswith(options.id.lower()) for m in (q.memory, *q.rivals))]
            if not questions:
                raise StoreMissing("no held memory with that id", hint="`dream review` lists the held ones")
        requests = read_requests(context.world.paths)
        proposed = [] if options.id else proposed_everywhere(kit, warn=context.warn)
        ideas = [] if options.id else load_proposed(kit.store)
        told = {"model_proposals": list(map(asdict, ideas))} if ideas else {}
        context.document({"questions": [_question_document(q, context) for q in questions], "forget_requests": requests,
                          "proposals": proposal_rows(proposed), **told})
        _show_ideas(context, kit, ideas)
        for request in requests:
            context.say(f"{request['id']}  asked to forget on {request['at'][:10]}: {request['words']}")
        if requests:
            context.advise("`dream forget ID` or `dream forget --matching WORDS` carries a request out, "
                        "`dream review ID drop` dismisses it\n")
        show_proposals(context, proposed)
        if proposed:
            context.say()
        if context.asks and questions and not options.list:
            checks.refuse_if_unsound(kit.store)
            return _ask_all(context, kit, questions)
        for question in questions:
            _show_question(context, question)
    context.say("no memory waits for you" if not questions
                else f"{render.count(len(questions), 'question')}; `dream review ID keep-a` keeps a, `keep-b` the other, "
                     "`both`, `neither`; `drop` takes a out")
    return 0


def _show_ideas(context: Context, kit: Kit, ideas: Sequence[Proposed]) -> None:
    """What a language model proposes and a person decides."""
    known = memories.load_some(kit.store, [i for one in ideas for i in (one.target, one.into) if i])
    for one in ideas:
        told = " → ".join([*(known[i].text for i in (one.target, one.into) if i in known), *filter(None, [one.text])])
        context.say(render.clean(f"{one.id}  proposed ({one.credit}): {one.kind}: {told}"))
        context.say(render.clean(f"  {one.why}"))
    if ideas:
        context.advise("`dream review ID keep-a` does it, `dream review ID drop` dismisses it\n")


def _print_pairs(context: Context, options: Namespace) -> int:
    """What a person decided between two statements, in the form a judge is trained with."""
    if options.id:
        raise UsageError("`--pairs` prints all that was decided and takes no ID")
    with open_to_look(context.world) as (kit, _):
        pairs = [_pair_document(pair) for pair in verbs.load_labelled(kit.store)]
    context.document({"pairs": pairs})
    for pair in pairs:
        context.say(encode(pair))
    if not pairs:
        context.tell("nothing was decided between two statements yet")
    return 0


def _pair_document(pair: Labelled) -> dict[str, object]:
    a, b = pair.a, pair.b
    return {"id": content_id("pair", pair.run, a.id, b.id), "a": a.text, "b": b.text, "a_at": iso(a.confirmed_at),
            "b_at": iso(b.confirmed_at), "relation": pair.relation.value, "kind": f"{pair.kept} kept",
            "lang": "-".join(dict.fromkeys(map(language_of, (a.text, b.text)))), "author": "review"}


def _ask_all(context: Context, kit: Kit, questions: Sequence[Question]) -> int:
    decided = 0
    for n, question in enumerate(questions, 1):
        context.say(render.paint(f"{n} of {len(questions)}", "dim", colour=context.colour))
        _show_question(context, question)
        answer = _ask(context, question)
        if answer == QUIT:
            break
        if answer == SKIP:
            continue
        verbs.decide(kit, question.memory.id, answer)
        decided += 1
    context.say(f"{decided} decided, {len(questions) - decided} left")
    return 0


def _ask(context: Context, question: Question) -> str:
    """The decision about one question, or that it is to be skipped, or that it is enough; a key that is none is named."""
    sides = "[a] the first, [b] the other, b[o]th, [n]either" if question.rivals else "[a] keep it"
    known = {key: choice for key, choice in KEYS.items() if question.rivals or choice in ("keep-a", "drop")}
    known |= {SKIP[0]: SKIP, SKIP: SKIP, QUIT[0]: QUIT, QUIT: QUIT}
    while True:
        context.stdout.write(f"{sides}, [d]rop, [s]kip, [q]uit? ")
        context.stdout.flush()
        raw = context.stdin.readline()
        answer = raw.decode("utf-8", "replace").strip().lower() if raw else QUIT
        if answer in known:
            return known[answer]
        keys = ", ".join(key for key in known if len(key) == 1)
        context.say(f"`{render.clip(answer, 20)}` is none of the keys here: {keys}" if answer else f"type one of {keys}")


def _show_question(context: Context, question: Question) -> None:
    memory = question.memory
    context.say(f"{render.paint(memory.id, 'cyan', colour=context.colour)}  {memory.scope}  "
                f"held: {why_it_stands(memory) or 'waits to be accepted'}")
    context.say(render.wrap(memory.text, context.width, "  a  "))
    for rival in question.rivals:
        context.say(render.wrap(rival.text, context.width, "  b  "))
    context.say()


def _question_document(question: Question, context: Context) -> dict[str, object]:
    paths = context.world.paths
    return {"memory": memory_document(question.memory, paths), "rivals": [memory_document(m, paths) for m in question.rivals],
            "reason": question.memory.reason or None}


def forget(context: Context, options: Namespace) -> int:
    """Remove memories for good, and every trace of what was said."""
    if bool(options.ids) == bool(options.matching is not None):
        raise UsageError("give IDs or `--matching QUERY`", hint="`dream list --all` shows the ids")
    passages, lines = find_passages(context, options), find_lines(context.world, options.matching or "")
    options.ids = [one for one in options.ids if not one.startswith("corpus://")]
    if (passages or lines) and not options.ids and (options.matching is None or not context.world.paths.store.exists()):
        words = options.matching or ""
        code = forget_passages(context, passages, yes=options.yes, words=words, alone=not lines) if passages else 0
        return _forget_lines(context, options, lines) if lines else code
    with open_to_change(context.world) as kit:
        loose: list[tuple[int, str]] = []
        verbs.take_waiting(kit)
        if options.matching is not None:
            chosen = verbs.find_matching(kit, options.matching)
            loose = verbs.find_loose(kit, options.matching, chosen)
        else:
            with refusing_copied(context.world, options.ids[0]):
                chosen, loose = verbs.find_named(kit, list(dict.fromkeys(options.ids)))
        if not chosen and not loose and not lines and passages:
            return forget_passages(context, passages, yes=options.yes, words=options.matching or "")
        if not chosen and not loose and not lines:
            raise StoreMissing("no memory has all these words",
                               hint="`dream search` finds by meaning, `dream review ID drop` dismisses a request to forget")
        if not options.yes and not context.asks:
            _show_chosen(context, chosen, loose, lines)
            raise Refused("nothing was forgotten: there is nobody to ask", hint="pass `--yes` once you have seen what would go")
        if not options.yes and not _confirmed(context, chosen, loose, lines):
            context.say("nothing was forgotten")
            return 0

        if passages:  # before it is looked where the words still stand
            forget_passages(context, passages, yes=options.yes, words=options.matching or "", alone=False)
        went = count_sent(kit.store, [m.id for m in chosen])
        gone, left = forget_whole(kit, Going(chosen, loose, options.matching or ""))
        if at := still_in_documents(context, [*(m.text for m in chosen), *(text for _, text in loose)]):
            left = [*(place for place in left if place != kit.paths.library.name), *at]  # they say more than that file
        beyond = out_of_reach(kit.store)
        if went:
            context.warn(f"{render.count(went, 'statement')} went up to a team and {'is' if went == 1 else 'are'} still there; "
                         "`dream forget` in the team's store takes it out")
        if kit.store.owns_words:
            tell_behind(context, find_behind(kit.store))
    return _tell_forgotten(context, gone, left, beyond)


def _forget_lines(context: Context, options: Namespace, lines: Sequence[Mapping[str, object]]) -> int:
    """Take lines out of the logs and tasks of a home that has no store."""
    if not options.yes and not context.asks:
        _show_chosen(context, (), (), lines)
        raise Refused("nothing was forgotten: there is nobody to ask", hint="pass `--yes` once you have seen what would go")
    if not options.yes and not _confirmed(context, (), (), lines):
        context.say("nothing was forgotten")
        return 0
    gone = strike(context.world, (options.matching or "").casefold().split())
    left = forget_in_tasks(context.world.paths, (), options.matching or "")
    return _tell_forgotten(context, Forgotten(0, 0, 0, gone), left, ())


def _tell_forgotten(context: Context, gone: Forgotten, left: Sequence[str], beyond: Sequence[WrittenOut]) -> int:
    """What is gone, and where the words still stand: nothing is called gone for good that is not."""
    counts = {"memories": gone.memories, "observations": gone.observations, "files": gone.files, "lines": gone.lines}
    context.document({"forgotten": counts, "left": list(left), "out_of_reach": [one.path for one in beyond]})
    beside = f"; {render.count(gone.lines, 'line')} of the logs" if gone.lines else ""
    context.say(f"forgotten{'' if left else ' for good'}: {render.count(gone.memories, 'memory')}, "
                f"{render.count(gone.observations, 'statement')}; {render.count(gone.files, 'file')} rewritten or removed"
                f"{beside}")
    for place in left:
        context.warn(f"the words still stand in {place}" if " " in place else f"the words still stand in `{place}`")
    for one in beyond:
        context.warn(f"the {one.kind} `{one.path}`, written on {one.at.date()}, may hold the words: dream cannot reach it")
    if at := next((place for place in left if place.startswith("corpus://")), ""):
        context.tell(f"hint: `dream forget '{at}'` takes a document out of what is searched, and a find with its note")
    if HELD_BY_A_READER in left:
        context.tell("hint: the next dream removes them from there, once nothing reads the store as it was")
    return Partial.exit_code if left else 0


def _show_chosen(context: Context, chosen: Sequence[Memory], loose: Sequence[tuple[int, str]],
                 logged: Sequence[Mapping[str, object]] = ()) -> None:
    lines = [*(_line(context, memory) for memory in chosen),
             *(render.fit(" ".join(["in a task:" if "task" in row else "in a log:", *map(str, row.values())]), context.width)
               for row in logged),
             *(render.fit(f"said, no memory of it: {' '.join(text.split())}", context.width) for _, text in loose)]
    for line in lines[:SHOWN]:
        context.say(line)
    if len(lines) > SHOWN:
        context.say(f"… and {len(lines) - SHOWN} more")


def _confirmed(context: Context, chosen: Sequence[Memory], loose: Sequence[tuple[int, str]],
               logged: Sequence[Mapping[str, object]] = ()) -> bool:
    _show_chosen(context, chosen, loose, logged)
    beside = f" and {render.count(len(loose), 'statement')} without one" if loose else ""
    beside += f", with {render.count(len(logged), 'line')} of logs and tasks" if logged else ""
    context.stdout.write(f"forget {render.count(len(chosen), 'memory')}{beside} for good? this cannot be taken back [y/N] ")
    context.stdout.flush()
    return context.stdin.readline().strip().lower() in (b"y", b"yes")


def _line(context: Context, memory: Memory) -> str:
    return render.memory_line(memory, width=context.width, colour=context.colour)
