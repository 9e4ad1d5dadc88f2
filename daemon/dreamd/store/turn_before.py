"""The turn before a noted one: notes of one conversation follow each other as turns of talk do, and answer one another."""

from __future__ import annotations

import sqlite3
from datetime import timedelta

from dreamd.core.clock import iso
from dreamd.core.identity import speaker_of
from dreamd.core.values import Candidate

LOOKED_BACK = 200
"""Observations among which the turn before a noted one is looked for."""
JUST_BEFORE = timedelta(hours=1)
LONGEST_CONTEXT = 400
"""Characters of the turn before, from which on it would leave no room for the words behind it."""


def said_before(tx: sqlite3.Connection, noted: Candidate) -> str:
    """What somebody noted just before in the same conversation; of turns that say whose they are, also without its name."""
    if not noted.explicit or noted.target or noted.sign or not (noted.conversation or speaker_of(noted.text)):
        return ""
    row = tx.execute(
        """SELECT text FROM (SELECT * FROM observation ORDER BY seq DESC LIMIT ?) AS late WHERE scope = ? AND conversation = ?
           AND explicit = 1 AND sign = '' AND target = '' AND origin IN ('user', 'agent') AND at BETWEEN ? AND ?
           ORDER BY at DESC, seq DESC LIMIT 1""",
        (LOOKED_BACK, str(noted.scope), noted.conversation, iso(noted.at - JUST_BEFORE), iso(noted.at))).fetchone()
    if row is None or len(row["text"]) > LONGEST_CONTEXT or not (noted.conversation or speaker_of(row["text"])):
        return ""
    return str(row["text"])
