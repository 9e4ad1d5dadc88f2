"""What the instruction files of a repository say already is not stored again; what says more or the contrary is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dreamd.core.values import Status
from household import House

RULES = "# Rules\n\n- Always run the tide tests before a commit.\n- Never use tabs in the timetable files.\n"


def talk(house: House, root: Path, *said: str) -> None:
    folder = house.person / ".claude" / "projects" / "-srv-quay"
    folder.mkdir(parents=True)
    lines = [{"type": "user", "uuid": f"u-{n}", "parentUuid": None, "isSidechain": False, "userType": "external",
              "cwd": str(root), "sessionId": "s-1", "version": "2.1.231", "timestamp": f"2026-03-02T09:{n:02}:00.000Z",
              "message": {"role": "user", "content": text}} for n, text in enumerate(said)]
    (folder / "s-1.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


@pytest.mark.parametrize("name", ["CLAUDE.md", "AGENTS.md", ".github/copilot-instructions.md"])
def test_what_an_instruction_file_says_is_not_stored_again(house: House, tmp_path: Path, name: str) -> None:
    root = tmp_path / "quay"
    (root / name).parent.mkdir(parents=True)
    (root / name).write_text(RULES)
    talk(house, root / "src", "please always run the tide tests before a commit", "Always use tabs in the timetable files.",
         "Never use tabs in the timetable files, the pier printer eats them.")
    house.dream("2026-03-03T20:00:00Z")
    live = [m.text for m in house.memories() if m.status in (Status.LIVE, Status.HELD)]
    assert not any("tide tests" in text for text in live)
    assert any("printer" in text or "Always use tabs" in text for text in live)
