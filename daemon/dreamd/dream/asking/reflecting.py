"""Reflect: a model proposes what to promote, reword, merge or retire in a scope that changed; most of it a person decides.

The first tier needs no model: the gate has turned away what is too short, says nothing or gives orders, the judge has
counted what was said before, and what names a record, a path or a command is in force. The second is one call a scope. What
keeps every claim and touches no person's words may be done, after three nights that only propose; the rest waits in
`dream review`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime

from dreamd.core import locks
from dreamd.core.errors import UsageError
from dreamd.core.values import Memory, Scope, Status, Trust, content_id
from dreamd.dream import verbs
from dreamd.dream.allowance import Allowances
from dreamd.dream.plan import Change, Plan, Step
from dreamd.judge import merged_wording
from dreamd.judge.statement import read
from dreamd.kit import Kit
from dreamd.llm.roles import judge, reflector
from dreamd.llm.roles.bearing import OTHER_WORDS, beyond
from dreamd.llm.roles.reflector import MERGE, PROMOTE, RETIRE, REWRITE, Idea, Shown
from dreamd.models.language_model import LanguageModel, Role, credit
from dreamd.store import memories
from dreamd.store.language import proposed
from dreamd.store.language.proposed import Proposed

ONLY_PROPOSED_NIGHTS = 3
MOST_SCOPES = 3
MOST_LINES, MOST_LATELY = 80, 40
SHORTER, SHORTEST = 0.95, 0.4
"""A rewording is shorter than this share of what stood there, and not so short that something must be missing."""


def reflect(kit: Kit, model: LanguageModel, scopes: Iterable[Scope], allowances: Allowances) -> tuple[Plan, int]:
    """What a model would do about some scopes and may do now, as a plan; and how many proposals wait for a person."""
    steps: list[Step] = []
    waiting: list[Proposed] = []
    asked = 0
    for scope in list(scopes)[:MOST_SCOPES]:
        if kit.should_stop() or not model.is_on(Role.REFLECTOR):
            break
        found = _ask(kit, model, scope)
        if found is None:
            break
        asked += 1
        ideas, known, named = found
        alone = kit.settings.llm.propose_only or proposed.nights(kit.store) < ONLY_PROPOSED_NIGHTS
        for idea in ideas:
            change = _changes(kit, model, idea, known, named)
            allowed = allowances.of(scope)
            if change and not alone and (allowed is None or len(steps) < allowed.left):
                steps.append(Step(change))
                known = {**known, **{c.after.id: c.after for c in change}}
            else:
                waiting.append(_proposal(idea, named))
    if asked and not kit.dry:
        with kit.writing() as tx:
            proposed.count_night(tx)
            proposed.write_proposed(tx, waiting)
    ids = sorted({c.after.id for step in steps for c in step.changes})
    return Plan(tuple(steps), memories.load_revisions(kit.store, ids)), len(waiting)


def _ask(kit: Kit, model: LanguageModel, scope: Scope) -> tuple[list[Idea], dict[str, Memory], str] | None:
    found = memories.load_memories(kit.store, scope=scope, statuses=(Status.LIVE, Status.STALE, Status.HELD))
    newest = sorted(found, key=lambda m: (m.confirmed_at, m.id), reverse=True)
    index = [m for m in newest if m.status is not Status.HELD][:MOST_LINES]
    lately = [m for m in newest if m.status is Status.HELD][:MOST_LATELY]
    shown = [_shown("m", n, m) for n, m in enumerate(index, 1)], [_shown("o", n, m) for n, m in enumerate(lately, 1)]
    ask = reflector.ask_about(*shown, scope=str(scope), seconds=kit.settings.llm.timeout_s)
    answer = model.ask(ask)
    if not answer.ending.carries_value:
        return None
    known = {m.id: m for m in (*index, *lately)}
    ideas = [idea for idea in reflector.read_ideas(answer.value or {}, [*shown[0], *shown[1]]) if _makes_sense(idea, known)]
    model.tell(Role.REFLECTOR, moved=bool(ideas) or (answer.value or {}).get("proposals") == [])
    return ideas, known, credit(Role.REFLECTOR.value, answer.model, ask.prompt)


def _shown(mark: str, number: int, memory: Memory) -> Shown:
    voice = {Trust.USER: "person", Trust.AGENT: "agent"}.get(memory.authority, "other")
    return Shown(f"{mark}{number}", voice, memory.text, memory.id)


def _makes_sense(idea: Idea, known: Mapping[str, Memory]) -> bool:
    """Whether a proposal is one at all: what it would do to that line is not done already, and may be done to it."""
    target = known[idea.target]
    if target.pinned or target.edited:
        return False
    if idea.kind == PROMOTE:
        return target.status is Status.HELD and target.trust is not Trust.UNTRUSTED
    if idea.kind == REWRITE:
        return target.authority is Trust.AGENT and _says_the_same_shorter(target.text, idea.text)
    if idea.kind == MERGE:
        into = known[idea.into]
        loses_no_person = target.authority is not Trust.USER or into.authority is Trust.USER
        return (loses_no_person and into.status is target.status and into.trust is target.trust
                and into.memory_class is target.memory_class and merged_wording(into.text, target.text) == into.text)
    return target.status in (Status.LIVE, Status.STALE)


def _says_the_same_shorter(old: str, new: str) -> bool:
    """Whether nothing was added, and nothing that has a value, a name, a denial or a condition was left out."""
    if not SHORTEST * len(old) <= len(new) <= SHORTER * len(old) or not read(new).content_set <= read(old).content_set:
        return False
    same = read(old).conditions == read(new).conditions and read(old).modal == read(new).modal
    return same and all(beyond(one, other) in ("", OTHER_WORDS) for one, other in ((new, old), (old, new)))


def _changes(kit: Kit, model: LanguageModel, idea: Idea, known: Mapping[str, Memory], named: str) -> tuple[Change, ...]:
    """What may be done without a person: a merge in which, asked again, nothing is lost, and an agent's line made shorter."""
    if idea.kind in (PROMOTE, RETIRE):
        return ()
    target, now = known[idea.target], kit.clock.now()
    if target.status is Status.SUPERSEDED or idea.kind == MERGE and known[idea.into].status is Status.SUPERSEDED:
        return ()
    if idea.kind == REWRITE:
        return changes_of(idea.kind, target, None, idea.text, at=now, evidence=named)
    ask = judge.ask_losses([(known[idea.into].text, target.text)], scope=str(target.scope),
                           seconds=kit.settings.llm.timeout_s)
    answer = model.ask(ask)
    if not answer.ending.carries_value or 0 not in judge.read_kept(answer.value or {}, 1):
        return ()
    return changes_of(idea.kind, target, known[idea.into], "", at=now, evidence=named)


def changes_of(kind: str, target: Memory, into: Memory | None, text: str, *, at: datetime, evidence: str,
               ) -> tuple[Change, ...]:
    """A proposal as changes, the successor before the one it replaces."""
    if kind == REWRITE:
        return (Change("refine", target, replace(target, text=text, updated_at=at), "reworded", (evidence,)),)
    if into is None:
        return ()
    joined = replace(
        into, support=into.support + target.support, confirmed_at=max(into.confirmed_at, target.confirmed_at),
        observations=tuple(dict.fromkeys((*into.observations, *target.observations))),
        spoken_in=tuple(dict.fromkeys((*into.spoken_in, *target.spoken_in))))
    ended = replace(target, status=Status.SUPERSEDED, superseded_by=into.id, valid_to=at, reason="duplicate")
    return (Change("merge", into, joined, "duplicate", (evidence,)),
            Change("supersede", target, ended, "duplicate", (evidence,)))


def _proposal(idea: Idea, named: str) -> Proposed:
    identity = content_id("proposed", idea.kind, idea.target, idea.into, idea.text, size=12)
    return Proposed(identity, idea.kind, idea.target, idea.into, idea.text if idea.kind == REWRITE else "", idea.why, named)


def take_proposed(kit: Kit, identity: str, choice: str) -> list[Memory] | None:
    """Carry a proposal out, or let it go; None where no proposal has that id."""
    one = next((p for p in proposed.load_proposed(kit.store) if p.id == identity), None)
    if one is None:
        return None
    changed: list[Memory] = []
    known = memories.load_some(kit.store, [i for i in (one.target, one.into) if i])
    target, into, now = known.get(one.target), known.get(one.into), kit.clock.now()
    if choice == verbs.KEEP_A and target is not None:
        if one.kind == PROMOTE and target.status is Status.HELD:
            changed = verbs.decide(kit, target.id, verbs.KEEP_A)
        elif one.kind == RETIRE:
            gone = replace(target, status=Status.ARCHIVED, valid_to=now, reason="dropped-by-person")
            changed = verbs.change_by_person(kit, "review", [(target, gone)])
        else:
            found = changes_of(one.kind, target, into, one.text, at=now, evidence=one.credit)
            changed = verbs.change_by_person(kit, "review", [(c.before, c.after) for c in found])
    elif choice not in (verbs.KEEP_A, verbs.DROP):
        raise UsageError("a proposal is taken with keep-a or dismissed with drop")
    with locks.foreground(kit.paths.locks), kit.store.writing() as tx:
        proposed.drop_proposed(tx, one.id)
    return changed
