"""A person's verbs as the page asks for them: the same as in a terminal, each on what the person had before them.

An answer is what the page shows next. Where a memory is no longer as it was seen, nothing is changed: both are shown.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from dreamd.agents.deciding.answered_questions import answer, load_waiting
from dreamd.agents.deciding.forgotten_whole import Going, forget_whole
from dreamd.agents.hooks import dismiss_request
from dreamd.core.errors import Overtaken, StoreMissing, UsageError
from dreamd.core.plain_words.for_people import count, status_word
from dreamd.core.values import Memory
from dreamd.core.world import World
from dreamd.dream import undo as undoing
from dreamd.dream import verbs
from dreamd.kit import Kit, open_to_change
from dreamd.report.nights import memory_named
from dreamd.store import journal, memories
from dreamd.store.presence.team_copy import refusing_copied
from dreamd.store.telling.taken_back import PART
from dreamd.store.telling.written_out import out_of_reach
from dreamd.web.warm import Warm

Said = Mapping[str, str]
_VIEW = re.compile(r"/(?:night|memory)/[0-9a-f]{1,64}")


@dataclass(frozen=True)
class Done:
    """What an act did: where it leaves the person, in words, and the run that takes it back."""

    told: str
    memory: str = ""
    run: str = ""
    left: tuple[str, ...] = ()
    """Where forgotten words still stand."""
    beyond: tuple[str, ...] = ()
    """Diaries and exports that may hold them and that dream cannot reach."""
    go: str = ""
    """The view that shows what it came to; empty where that is said in its place."""
    counted: int | None = None
    """How many questions wait after a decision."""


def read_said(body: bytes) -> dict[str, str]:
    """What a page sent, as plain words.

    Raises UsageError for anything else.
    """
    try:
        said = json.loads(body)
    except (ValueError, RecursionError):
        said = None
    if not isinstance(said, dict) or not all(isinstance(v, str) for v in said.values()):
        raise UsageError("that is no JSON object of words")
    if any("\ud800" <= sign <= "\udfff" for word in (*said, *said.values()) for sign in word):
        raise UsageError("half a character stands in it, which no file can hold")
    return said


def act(world: World, verb: str, said: Said, warm: Warm) -> Done:
    """Carry one verb out.

    Raises Overtaken where what it is about is no longer as it was seen, and whatever the verb raises.
    """
    chosen = VERBS.get(verb)
    if chosen is None:
        raise StoreMissing("there is no such verb")
    with refusing_copied(world, said.get("id", "")), open_to_change(world) as kit:
        kit.embedder = warm.embedder
        before = journal.last_seq(kit.store)
        done = chosen(kit, said)
        warm.embedder = kit.embedder
        after = journal.load_runs(kit.store, limit=1) if not done.run and verb not in FOR_GOOD else []
        run = after[0].id if after and after[0].seq > before else done.run
        return replace(done, run=run)


def seen_in(said: Said) -> dict[str, int]:
    """The revisions of what the person had before them: `id:revision`, with blanks between.

    Raises UsageError where none is told: a change without it could overwrite what nobody has seen.
    """
    seen = {}
    for one in said.get("seen", "").split():
        identity, _, revision = one.partition(":")
        if not revision.isdecimal() or len(revision) > 15:
            raise UsageError("a revision is a number")
        seen[identity] = int(revision)
    if not seen:
        raise UsageError("it is not told what was seen", hint="load the page again")
    return seen


def _of_memory(verb: Callable[..., Memory], told: str) -> Callable[[Kit, Said], Done]:
    def run(kit: Kit, said: Said) -> Done:
        return Done(told, verb(kit, said.get("id", ""), seen=seen_in(said)).id)

    return run


def _edit(kit: Kit, said: Said) -> Done:
    seen = seen_in(said)
    if any(memories.load_revisions(kit.store, [i]).get(i, 0) != revision for i, revision in seen.items()):
        raise Overtaken("that memory has changed since you saw it")  # also where it says the new words by now
    return Done("it says so from now on", verbs.edit(kit, said.get("id", ""), said.get("words", ""), seen=seen).id)


def _promote(kit: Kit, said: Said) -> Done:
    return Done("it is a memory now", verbs.promote(kit, said.get("id", "")).id)


def _forget(kit: Kit, said: Said) -> Done:
    seen = {} if said.get("passage") else seen_in(said)
    verbs.take_waiting(kit)
    chosen, loose = verbs.find_named(kit, [said.get("id", "")])
    gone, left = forget_whole(kit, Going(chosen, loose, seen=seen))
    told = (f"forgotten{'' if left else ' for good'}: {count(gone.memories, 'memory')}, "
            f"{count(gone.observations, 'statement')}, {count(gone.files, 'file')} rewritten or removed")
    beyond = tuple(f"{one.kind} {one.path}, written on {one.at.date()}" for one in out_of_reach(kit.store))
    return Done(told, left=tuple(left), beyond=beyond)


def _decide(kit: Kit, said: Said) -> Done:
    choice, identity = said.get("choice", ""), said.get("id", "")
    if choice == verbs.DROP and dismiss_request(kit.paths, identity) is not None:
        return Done("no longer asked for", counted=len(load_waiting(kit)))
    is_memory = bool(memories.load_revisions(kit.store, [identity]))
    changed = answer(kit, identity, choice, seen=seen_in(said) if is_memory else {})
    told = "; ".join(f"“{m.text.rstrip('.')}” is {status_word(m.status)}" for m in changed) or "dismissed"
    return Done(told, identity, counted=len(load_waiting(kit)))


def _undo(kit: Kit, said: Said) -> Done:
    named = said.get("run", "")
    run = journal.load_run(kit.store, named)
    if run.kind == journal.ATTACH:
        from dreamd.agents import attach

        return Done(f"took back {run.id}: {count(attach.undo(kit, run.id).files, 'file')} as before", run=run.id,
                    go=f"/night/{run.id}")
    whole = PART in run.reason  # what took one change back is about nothing else
    plan = undoing.plan_undo(kit, named, only="" if whole else memory_named(kit.store, run, said.get("only", "")))
    later = [r.id for r in plan.later]
    if later and sorted(later) != sorted(said.get("later", "").split()):
        raise Overtaken("other runs build on it than you saw", hint="nothing was taken back; look again")
    done = undoing.apply_undo(kit, plan, with_later=bool(later))
    at = said.get("at", "")
    at = at if _VIEW.fullmatch(at) else f"/night/{plan.run.id}"
    return Done(done.told, run=done.run, go=f"{at}?done={done.run}")


VERBS: dict[str, Callable[[Kit, Said], Done]] = {
    "pin": _of_memory(verbs.pin, "pinned: no dream touches it"),
    "unpin": _of_memory(verbs.unpin, "dreams tend to it again"),
    "restore": _of_memory(verbs.restore, "it lives again"), "edit": _edit, "promote": _promote, "forget": _forget,
    "decide": _decide, "undo": _undo}
FOR_GOOD = frozenset({"forget", "undo"})
"""What no later undo takes back."""
