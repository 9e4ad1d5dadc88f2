"""Who holds a store, or one scope of it: counts that only grow, so that whoever was taken over from notices."""

from __future__ import annotations

import sqlite3

from dreamd.core.values import content_id

SCOPES_EPOCH = "epoch of scopes"
"""How often any scope was taken over by itself: whoever holds all of the store is fenced by that."""


def epoch_key(scope: str) -> str:
    """The fact that counts who has held a scope by itself; of no scope, how often that happened at all."""
    return f"epoch {content_id('scope', scope)}" if scope else SCOPES_EPOCH


def fence_of(tx: sqlite3.Connection, held: str) -> int:
    """What changes as soon as anybody takes over what is held: the store, or its scope."""
    row = tx.execute("SELECT SUM(CAST(value AS INTEGER)) FROM meta WHERE key IN ('epoch', ?)", (epoch_key(held),)).fetchone()
    return int(row[0] or 0)
