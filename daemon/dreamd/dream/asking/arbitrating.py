"""What a language model may say about pairs that the learned judge leaves in doubt.

It may have a conflict taken for one, which holds both or ends one with a trace; and it may join two where no guard forbids it,
one of them says all that the other says, and a second question in other words agrees. A run does so at most as often as it
may retire, and most pairs are never asked about.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from dreamd.core.plain_words.evidence_words import all_in_words
from dreamd.core.values import SURE_CONFLICT, Judgement, Relation, Scope
from dreamd.dream.allowance import Allowance
from dreamd.judge import Statement, merged_wording
from dreamd.kit import Kit
from dreamd.models.language_model import LanguageModel, Role, credit

if TYPE_CHECKING:
    from dreamd.llm.roles.judge import Doubt

MOST_ASKED = 60
"""Pairs of one scope that one plan asks about, those that are most in doubt."""
OPEN = 0.5
"""Where the learned judge gives less than this to both staying beside each other, they may yet be one."""
JOINED = 0.9
_CONFLICTS = (Relation.UPDATES, Relation.CONTRADICTS)
Key = tuple[str, str]
Sides = tuple[Statement, Statement]


def is_in_doubt(verdict: Judgement) -> bool:
    """Whether the learned judge saw a conflict it is not sure of, or kept two apart that look much like one."""
    if verdict.relation in _CONFLICTS:
        return not verdict.is_sure
    return verdict.relation is Relation.RELATED and verdict.confidence < OPEN


def arbitrate(kit: Kit, scope: Scope, pairs: Mapping[Key, Sides], verdicts: Mapping[Key, Judgement],
              allowance: Allowance | None) -> dict[Key, Judgement]:
    """New verdicts for those in doubt of which a model says something else, at most as many as may be."""
    model = kit.language
    doubtful = sorted((key for key in pairs if is_in_doubt(verdicts[key])), key=lambda key: (verdicts[key].confidence, key))
    if model is None or not doubtful or not model.is_on(Role.JUDGE):
        return {}
    most = allowance.left if allowance else kit.settings.consolidate.retire_always
    found = _reworded(kit, model, scope, {key: (pairs[key], verdicts[key]) for key in doubtful[:MOST_ASKED]})
    return dict(islice(found, max(0, most)))


def _reworded(kit: Kit, model: LanguageModel, scope: Scope, asked: Mapping[Key, tuple[Sides, Judgement]],
              ) -> Iterator[tuple[Key, Judgement]]:
    from dreamd.llm.roles import judge

    keys, seconds = list(asked), kit.settings.llm.timeout_s
    for start in range(0, len(keys), judge.PAIRS):
        part = keys[start:start + judge.PAIRS]
        if kit.should_stop():
            return
        ask = judge.ask_relations([_doubt(*asked[key]) for key in part], scope=str(scope), seconds=seconds)
        answer = model.ask(ask)
        if not answer.ending.carries_value:
            return
        told = judge.read_relations(answer.value or {}, len(part))
        named = credit(Role.JUDGE.value, answer.model, ask.prompt)
        model.tell(Role.JUDGE, moved=bool(told))
        for n, relation in sorted(told.items()):
            sides, verdict = asked[part[n]]
            if relation in (judge.REPLACES, judge.CONFLICT) and verdict.relation in _CONFLICTS:
                sure = replace(verdict, confidence=SURE_CONFLICT, evidence=(*verdict.evidence, named))
                yield part[n], sure if relation == judge.REPLACES else replace(sure, relation=Relation.CONTRADICTS, newer=None)
        yield from _joined(kit, model, scope, {part[n]: asked[part[n]] for n, r in told.items() if r == judge.SAME}, named)


def _joined(kit: Kit, model: LanguageModel, scope: Scope, asked: Mapping[Key, tuple[Sides, Judgement]], named: str,
            ) -> Iterator[tuple[Key, Judgement]]:
    """Those that may be joined: no guard stands against it, one wording keeps all, and a second question agrees."""
    from dreamd.llm.roles import judge

    cases: dict[Key, tuple[str, str, str]] = {}
    for key, ((a, b), verdict) in asked.items():
        kept = merged_wording(a.text, b.text) if verdict.relation is Relation.RELATED else None
        if kept is not None:
            cases[key] = (kept, b.text if kept == a.text else a.text, "a" if kept == a.text else "b")
    if not cases:
        return
    ask = judge.ask_losses([(kept, gone) for kept, gone, _ in cases.values()], scope=str(scope),
                           seconds=kit.settings.llm.timeout_s)
    answer = model.ask(ask)
    agreed = judge.read_kept(answer.value or {}, len(cases)) if answer.ending.carries_value else ()
    again = credit(Role.JUDGE.value, answer.model, ask.prompt)
    for n, (key, (_, _, richer)) in enumerate(cases.items()):
        if n in agreed:
            verdict = asked[key][1]
            yield key, Judgement(Relation.DUPLICATE, JOINED, (*verdict.evidence, named, again), richer=richer)


def _doubt(sides: Sides, verdict: Judgement) -> Doubt:
    from dreamd.llm.roles.judge import Doubt

    a, b = sides
    days = [one.at.date().isoformat() if one.at else "at some time" for one in sides]
    return Doubt(a.text, b.text, days[0], days[1], "; ".join(all_in_words(verdict.evidence)))
