"""Rewording a question before it is searched for: two seconds, or the question as it was."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import NamedTuple

from dreamd.core.errors import DreamError
from dreamd.core.values import Scope
from dreamd.core.world import World
from dreamd.kit import open_kit
from dreamd.models.language_model import LanguageModel, Role
from dreamd.recall.ranking import Budget
from dreamd.store.scopes import projects

BUDGETS = frozenset({Budget.BALANCED, Budget.DEEP})


class Wording(NamedTuple):
    """What is searched for: the question, or what a model made of it; `asked` whether one was asked."""

    query: str
    used: bool = False
    asked: bool = False

    def told(self) -> dict[str, object]:
        """For the answer: which wording was used, where a model was asked."""
        return {"searched": {"query": self.query, "reworded": self.used}} if self.asked else {}


def reword(world: World, query: str, budget: Budget, *, scope: Scope | None = None, place: Path | None = None) -> Wording:
    """A question in the words of what would answer it, where a person wants that and it comes in time."""
    rules = world.settings.llm
    if rules.backend == "off" or not rules.rewrite_queries or budget not in BUDGETS or not query.strip():
        return Wording(query)
    from dreamd.llm.roles.query import SECONDS

    found: list[str] = []
    # Beside the one who waits: a call that takes longer is settled when it ends, or counts in full when nobody is there then.
    asking = Thread(target=_ask, args=(world, query, scope, place, found), daemon=True)
    asking.start()
    asking.join(SECONDS)
    return Wording(found[0], used=True, asked=True) if found else Wording(query, asked=True)


def _ask(world: World, query: str, scope: Scope | None, place: Path | None, found: list[str]) -> None:
    from dreamd.llm.calling import open_caller
    from dreamd.llm.desk import open_desk

    with suppress(DreamError), open_kit(world) as kit, open_desk(kit, open_caller, of_dream=False) as desk:
        at = scope or (projects.scope_at(kit.store, str(place)) if place else None) or Scope("user")
        found.extend(ask_model(desk, query, at))


def ask_model(model: LanguageModel, query: str, scope: Scope) -> list[str]:
    """Other words for a question, if a model has any that fit."""
    from dreamd.llm.roles.query import ask_for, read_query

    if not model.is_on(Role.QUERY):
        return []
    answer = model.ask(ask_for(query, scope=str(scope)))
    told = read_query(answer.value or {}, query) if answer.ending.carries_value else ""
    return [told] if told else []
