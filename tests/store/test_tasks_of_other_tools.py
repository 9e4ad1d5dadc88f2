"""Folders of tasks that other tools keep in a repository: what stands alone is proposed once, and waits for a person."""

from __future__ import annotations

import json
from pathlib import Path

from dreamd.core.values import Scope, Status
from dreamd.store.scopes import projects
from dreamd.store.scopes.projects import Known

NIGHT, NEXT = "2036-05-04T20:00:00Z", "2036-05-05T20:00:00Z"
LASTING = ("The crane API pages by cursor, never by offset (src/crane/pages.py).",
           "Loads above 40 t are refused by `crane check`, see docs/loads.md.")
LOGGED = "Crane ids are strings with leading zeros; src/crane/ids.py keeps them so."


def folder(root: Path, slug: str, tool: str) -> Path:
    place = root / "plans" / "artifacts" / slug
    (place / "observability").mkdir(parents=True)
    kept = f"- **D1** (2026-05-01): {LASTING[0]}\n- We go on tomorrow.\n* {LASTING[1]}\n"
    (place / "decisions.md").write_text(f"# Decisions\n\n{kept}")
    row = {"timestamp": "2026-05-01T09:00:00Z", "action": "verified", "tool": tool, "detail": LOGGED, "reason": ""}
    (place / "observability" / f"{slug}.ndjson").write_text(json.dumps(row) + "\n")
    return place


def known(house, root: Path) -> None:
    with house.kit(NIGHT) as kit, kit.writing() as tx:
        projects.write_known(tx, Known("path:/crane", Scope("project", "crane"), str(root)))


def test_what_another_tool_kept_and_stands_alone_is_proposed_once(house, tmp_path):
    place = folder(tmp_path / "crane", "pages", "other-tool")
    known(house, tmp_path / "crane")
    run = house.dream(NIGHT).run
    held = house.memories(Status.HELD)
    assert sorted(m.text for m in held) == sorted((*LASTING, LOGGED))
    assert {(m.reason, str(m.scope)) for m in held} == {("proposed-by-task", "project:crane")}
    assert house.dream(NEXT).changes == []
    house.undo(NEXT, run)
    assert house.dream(NEXT).changes == [] and house.memories() == []
    (place / "findings.md").write_text("- The token is AKIAIOSFODNN7EXAMPLE, see docs/key.md.\n")
    house.dream(NEXT)
    assert all("AKIAIOSFODNN7" not in str(row) for row in house.rows("SELECT text FROM observation"))


def test_a_task_that_dream_keeps_itself_is_proposed_at_its_own_end_alone(house, tmp_path):
    folder(tmp_path / "crane", "pages", "dream task")
    known(house, tmp_path / "crane")
    assert house.dream(NIGHT).changes == []


def test_a_task_is_found_among_whatever_else_lies_there(house, tmp_path):
    place = folder(tmp_path / "crane", "z-pages", "other-tool")
    for n in range(300):
        (place.parent / f"a{n}.txt").touch()
        (place.parent / f"b{n}").mkdir()
    known(house, tmp_path / "crane")
    house.dream(NIGHT)
    assert len(house.memories(Status.HELD)) == 3


PLAN = f"""# Plan

- Lower the boom first, src/crane/boom.py.

## Key decisions

1. {LASTING[0]}
- [ ] The hook is weighed in src/crane/hook.py.
- [x] {LASTING[1]}

## Next steps

- Slings are counted in src/crane/slings.py.
"""


def test_lists_are_found_below_their_headings_and_logs_by_any_name(house, tmp_path):
    place = tmp_path / "crane" / "plans" / "artifacts" / "pages"
    place.mkdir(parents=True)
    (place / "plan.md").write_text(PLAN)
    (place / "TODO.md").write_text("# To do\n\n- [ ] Winches are oiled as docs/oil.md says.\n")
    rows = ({"ts": 1, "type": "finding", "message": LOGGED}, {"ts": 2, "type": "started", "message": "Ropes: docs/ropes.md."})
    (place / "events.ndjson").write_text("".join(json.dumps(row) + "\n" for row in rows) + "{broken\n")
    known(house, tmp_path / "crane")
    house.dream(NIGHT)
    assert sorted(m.text for m in house.memories(Status.HELD)) == sorted((*LASTING, LOGGED))
