"""Taking back what one model did, or what was done in one role, in whichever runs: the rest of those runs stands."""

from __future__ import annotations

from dataclasses import dataclass

from dreamd.core import locks
from dreamd.core.errors import Refused, StoreMissing
from dreamd.core.locks import Owner
from dreamd.core.values import Scope
from dreamd.dream import undo
from dreamd.dream.undo import Undone
from dreamd.kit import Kit
from dreamd.store import checks, journal
from dreamd.store.journal import Entry, Run
from dreamd.store.language import model_traces
from dreamd.store.language.model_traces import Whose
from dreamd.store.presence.sound_rows import stored_scope
from dreamd.store.telling.taken_back import UNDO


@dataclass(frozen=True)
class TakeBackPlan:
    """What goes back to a model's word; `later` are standing runs that build on it."""

    whose: Whose
    entries: tuple[Entry, ...]
    later: tuple[Run, ...] = ()


def plan_take_back(kit: Kit, whose: Whose) -> TakeBackPlan:
    """Find what a model did.

    Raises StoreMissing where nothing stands that it did.
    """
    entries = model_traces.load_credited(kit.store, whose)
    if not entries and not model_traces.count_words(kit.store, whose):
        raise StoreMissing(f"nothing stands here that goes back to `{whose.told()}`",
                           hint="`dream llm log` shows which models were asked, and in which roles")
    later = model_traces.load_runs_after(kit.store, entries)
    return TakeBackPlan(whose, tuple(entries), tuple(journal.load_run(kit.store, str(seq)) for seq in later))


def apply_take_back(kit: Kit, plan: TakeBackPlan, *, with_later: bool = False) -> Undone:
    """Reverse what a model did, newest change first; what others said for the same waits for the next dream.

    Raises Refused when later runs build on it and were not asked for too, Locked while a dream is at work.
    """
    if plan.later and not with_later:
        raise Refused(f"later runs build on what `{plan.whose.told()}` did: {', '.join(r.id for r in plan.later)}",
                      hint="undo them too with `--with-later`; the next dream takes up what was said anew")
    kit.kind = UNDO
    with locks.hold_dream(kit.paths.locks, Owner("dream undo", kit.clock.now())):
        checks.refuse_if_unsound(kit.store)
        return _reverse(kit, plan)


def _reverse(kit: Kit, plan: TakeBackPlan) -> Undone:
    mine, touched, scopes = kit.begin(), set[str](), set[Scope]()
    beside = _beside(kit, plan)
    entries = sorted((*plan.entries, *beside), key=lambda entry: (entry.run, entry.seq), reverse=True)
    with kit.writing() as tx:
        for entry in entries:
            touched |= {entry.memory} if undo.reverse(tx, kit, entry, mine, scopes) else set()
            scopes.add(stored_scope(entry.scope))
        aside = model_traces.set_words_aside(tx, plan.whose, run=mine.seq)
        handed = model_traces.hand_back_beside(tx, entries)
        apart = model_traces.leave_apart(tx, plan.whose)
        model_traces.mark_taken_back(tx, plan.entries, plan.whose)
    files = undo.project(kit, sorted(scopes))
    what = f"took back {len(plan.entries)} changes of `{plan.whose.told()}`; {handed} statements of others wait again"
    kit.end( what + (f"; {apart} pairs it judged stay apart" if apart else ""))
    runs = sorted({journal.load_run(kit.store, str(e.run)).id for e in plan.entries})
    return Undone(mine.id, what, tuple(runs), len(touched), aside, files)


def _beside(kit: Kit, plan: TakeBackPlan) -> list[Entry]:
    """What was done to the same memories afterwards: reversed with it, and worked out anew by the next dream."""
    own = {(entry.run, entry.seq) for entry in plan.entries}
    first: dict[str, tuple[int, int]] = {}
    for entry in plan.entries:
        first.setdefault(entry.memory, (entry.run, entry.seq))
    return [entry for run in sorted({*(run.seq for run in plan.later), *(run for run, _ in own)})
            for entry in journal.load_entries(kit.store, run)
            if entry.memory in first and (entry.run, entry.seq) > first[entry.memory] and (entry.run, entry.seq) not in own]
