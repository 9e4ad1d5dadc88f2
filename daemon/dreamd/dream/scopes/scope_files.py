"""The files of a scope after a person's decision: brought in line at once, ahead of any dream."""

from __future__ import annotations

from collections.abc import Sequence

from dreamd.core import locks
from dreamd.core.values import Scope
from dreamd.dream import projection
from dreamd.dream.ordering import keep_order
from dreamd.dream.scopes import mirror
from dreamd.kit import Kit
from dreamd.store import work


def rewrite(kit: Kit, scopes: Sequence[Scope]) -> int:
    """Bring the files of some scopes in line with the store; how many were written."""
    written = 0
    for scope in scopes:
        if kit.store.owns_words:
            written += mirror.show_scope(kit, scope)
            continue
        changes = work.load_unwritten(kit.store).get(scope, 0)
        plan = projection.plan_scope(kit.store, scope, paths=kit.paths, rules=kit.settings.index)
        if plan.intents or changes:
            order, wanted = keep_order(kit.paths, scope, plan.order), projection.with_missing(kit, scope, plan.intents)
            with locks.foreground(kit.paths.locks), kit.store.writing() as tx:
                work.intend(tx, wanted)
                work.mark_written(tx, scope, changes, order=order)
            projection.settle(kit)
            written += len(plan.intents)
    return written
