"""Who is to be named beside a change that rests on what a language model read."""

from __future__ import annotations

from dataclasses import replace

from dreamd.core.values import Category, Gated, MemoryClass, Observation, is_observed
from dreamd.dream.plan import Plan, Step
from dreamd.models.language_model import credit
from dreamd.store.connection import Store
from dreamd.store.language.unread import ModelWord, load_words


def categorised(store: Store, one: Observation, gated: Gated) -> Gated:
    """What the gate made of an observation, in the category that a model gave where key words tell none."""
    if not is_observed(one.sign) or gated.category is not Category.PROJECTS or gated.memory_class in (
            MemoryClass.PREFERENCE, MemoryClass.RULE):
        return gated
    word = load_words(store, [one.seq]).get(one.seq)
    known = {str(c): c for c in Category}
    return replace(gated, category=known.get(word.category, gated.category)) if word else gated


def credited(store: Store, plan: Plan) -> Plan:
    """A plan in which each change that came of a model's reading names role, model and prompt."""
    seqs = {f.observation.seq for step in plan.steps for f in step.fates if is_observed(f.observation.sign)}
    words = load_words(store, sorted(seqs)) if seqs else {}
    return replace(plan, steps=tuple(_named(step, words) for step in plan.steps)) if words else plan


def _named(step: Step, words: dict[int, ModelWord]) -> Step:
    told = {f.observation.seq: words[f.observation.seq] for f in step.fates if f.observation.seq in words}
    clues = tuple(dict.fromkeys(credit(w.role, w.model, w.prompt) for w in told.values()))
    return replace(step, changes=tuple(replace(c, evidence=(*c.evidence, *clues)) for c in step.changes)) if clues else step
