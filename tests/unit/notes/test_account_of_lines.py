"""Every entry is accounted for, also where its neighbour's end changes how it reads."""

from __future__ import annotations

from dreamd.notes import account, apply_edits, detect_dialect, plan_attach, read_entries
from dreamd.notes.tidying import AttachRules

FILES = {"MEMORY.md": "| a | b |\n- ends TTL: 2026-01-01\n|---|---|"}


def test_lines_that_become_a_table_when_a_state_expires_are_still_there() -> None:
    dialect = detect_dialect(FILES)
    plan = plan_attach(read_entries(FILES, dialect), [], rules=AttachRules("2026-05-08", dialect, allow_large_change=True))
    after = apply_edits(FILES, plan.edits, dialect=dialect)
    assert account(FILES, after, archive=plan.archived, dialect=dialect) == []


def test_a_line_that_is_gone_is_missed() -> None:
    dialect = detect_dialect(FILES)
    assert len(account({"MEMORY.md": "- the loom is blue\n- spools are counted\n"}, {"MEMORY.md": "- spools are counted\n"},
                       archive=(), dialect=dialect)) == 1
