"""A line of many megabytes: what a person says before and after the paste is heard, and the rest is on record."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dreamd.core.values import Cursor
from dreamd.sources.base import contract
from dreamd.sources.base.finding import look_at
from dreamd.sources.claude_code.session_lines import ClaudeCode

FACTS = {"sessionId": "s1", "cwd": "/srv/otter", "isSidechain": False, "userType": "external", "version": "2.1.0",
         "parentUuid": None}


def said(number: int, text: str) -> str:
    return json.dumps({**FACTS, "type": "user", "uuid": f"u{number}", "timestamp": f"2026-01-05T10:0{number}:00.000Z",
                       "message": {"role": "user", "content": text}}) + "\n"


def test_a_line_of_fourteen_megabytes_is_split_and_not_set_aside(tmp_path: Path) -> None:
    filler = " ".join(f"entry {n} of the ledger was read at desk {n % 97}." for n in range(330_000))
    path = tmp_path / "s.jsonl"
    path.write_text(said(1, "before it") + said(2, f"first words\n\n{filler}\n\nlast words") + said(3, "after it"))
    assert path.stat().st_size > 14_000_000
    reading = ClaudeCode().read(path, Cursor(), budget_bytes=1 << 30)
    texts = [event.text for event in reading.events]
    assert (texts[0], texts[-1], len(texts)) == ("before it", "after it", contract.MOST_PARTS + 2)
    assert texts[1].startswith("first words")
    assert texts[-2].endswith("last words")
    assert [skip.reason for skip in reading.skips] == [contract.OVERSIZED], "what lies in the middle is on record"


@pytest.mark.parametrize("megabytes", [6, 18])
def test_a_conversation_that_begins_with_a_line_of_many_megabytes_is_recognised(tmp_path: Path, megabytes: int) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text(said(1, "first words\n\n" + "a line that was pasted\n" * (megabytes * 42_000)) + said(2, "after it"))
    head = look_at(path)
    assert head is not None
    assert ClaudeCode().accepts(head)
    assert ClaudeCode().read(path, Cursor(), budget_bytes=1 << 30).events[-1].text == "after it"


def test_a_message_of_half_a_million_characters_is_read_whole(tmp_path: Path) -> None:
    facts = [f"Entry {n} of the ledger was read at desk {n % 97}." for n in range(10_000)]
    path = tmp_path / "s.jsonl"
    path.write_text(said(1, " ".join(facts)))
    reading = ClaudeCode().read(path, Cursor(), budget_bytes=1 << 30)
    assert reading.skips == ()
    assert " ".join(event.text for event in reading.events).split() == " ".join(facts).split()
