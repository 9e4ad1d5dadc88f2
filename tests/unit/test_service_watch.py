"""Conversations are followed by their files: turns are counted, what trails is known, nothing breaks the watcher."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from dreamd.core.settings import ExtractionSettings
from dreamd.service.gating.watch import Ledger, Watcher, count_marks, neighbours

NOW = datetime(2026, 5, 7, 12, 0, tzinfo=UTC)
RULES = ExtractionSettings(every_turns=3, min_minutes=10)


def turns(path: Path, count: int = 1) -> None:
    with path.open("a") as stream:
        for _ in range(count):
            stream.write(json.dumps({"type": "user", "message": {"role": "user", "content": "hello"}}) + "\n")
            stream.write(json.dumps({"type": "assistant", "message": {"stop_reason": "end_turn"}}) + "\n")


@pytest.fixture
def talk(tmp_path: Path) -> Path:
    return tmp_path / "s1.jsonl"


def test_a_conversation_is_due_after_its_turns_and_not_before(talk: Path) -> None:
    ledger = Ledger(RULES)
    turns(talk, 2)
    assert ledger.look(talk, now=NOW)
    assert ledger.take_due(NOW) == []
    turns(talk)
    ledger.look(talk, now=NOW)
    assert ledger.take_due(NOW) == [talk]


def test_a_file_that_did_not_move_counts_nothing(talk: Path) -> None:
    ledger = Ledger(RULES)
    turns(talk, 2)
    ledger.look(talk, now=NOW)
    for _ in range(10):
        assert not ledger.look(talk, now=NOW)
    assert ledger.take_due(NOW) == []


def test_what_was_read_before_is_not_counted_again(talk: Path) -> None:
    turns(talk, 9)
    ledger = Ledger(RULES)
    ledger.learn({talk: talk.stat().st_size})
    assert not ledger.look(talk, now=NOW)
    turns(talk, 3)
    ledger.look(talk, now=NOW)
    assert ledger.take_due(NOW) == [talk]


def test_what_trails_behind_an_extraction_is_known_to_the_byte(talk: Path) -> None:
    ledger = Ledger(RULES)
    turns(talk, 3)
    ledger.look(talk, now=NOW)
    before = talk.stat().st_size
    ledger.extracted([talk], now=NOW)
    assert ledger.trailing([talk]) == []
    turns(talk, 1)
    ledger.look(talk, now=NOW)
    assert ledger.trailing([talk]) == [(talk, before, talk.stat().st_size)]
    assert ledger.take_due(NOW) == []
    ledger.mark(talk, staged=True)
    assert ledger.take_due(NOW) == [talk]


def test_a_conversation_that_fell_silent_is_extracted_with_few_turns(talk: Path) -> None:
    ledger = Ledger(RULES)
    turns(talk, 1)
    ledger.look(talk, now=NOW)
    assert ledger.take_due(NOW + timedelta(minutes=20)) == []
    assert ledger.take_due(NOW + timedelta(minutes=31)) == [talk]
    ledger.extracted([talk], now=NOW + timedelta(minutes=31))
    assert ledger.take_due(NOW + timedelta(days=3)) == []


def test_a_compaction_does_not_wait_for_more_turns(talk: Path) -> None:
    ledger = Ledger(RULES)
    turns(talk, 1)
    with talk.open("a") as stream:
        stream.write('{"type": "system", "subtype": "compact_boundary"}\n')
    ledger.look(talk, now=NOW)
    assert ledger.take_due(NOW) == [talk]


def test_unread_transcripts_are_counted_and_a_deleted_one_is_forgotten(talk: Path) -> None:
    ledger = Ledger(RULES)
    turns(talk, 1)
    ledger.look(talk, now=NOW)
    assert (ledger.unread(), ledger.last_moved_at()) == (1, NOW)
    talk.unlink()
    assert not ledger.look(talk, now=NOW)
    assert ledger.unread() == 0


def test_growth_of_an_unknown_format_is_a_turn(talk: Path) -> None:
    talk.write_bytes(b"\x00\xff garbage" * 100)
    assert count_marks(talk, 0, 1200) == (1, False)
    assert count_marks(talk.with_name("gone"), 0, 10) == (0, False)


def test_a_huge_transcript_is_looked_at_from_its_end(talk: Path) -> None:
    with talk.open("wb") as stream:
        stream.seek(200 * 1024 * 1024)
        stream.write(b"\n")
    turns(talk, 4)
    before = time.process_time()
    assert count_marks(talk, 0, talk.stat().st_size)[0] == 4
    assert time.process_time() - before < 1.0


def test_file_events_tell_which_transcript_moved(tmp_path: Path) -> None:
    root = tmp_path / "projects"
    (root / "deep").mkdir(parents=True)
    watcher = Watcher([root, tmp_path / "not-there"])
    if not watcher.live:
        pytest.skip("no file events on this platform")
    assert watcher.take_touched() == set()
    touched: set[Path] = set()
    end = time.monotonic() + 60
    while not touched and time.monotonic() < end:
        # Again and again: an event may fall into the moment in which somebody looks, and the slow look is for those.
        turns(root / "deep" / "s1.jsonl")
        (root / "deep" / "picture.png").touch()
        time.sleep(0.05)
        touched = watcher.take_touched()
    assert touched == {root / "deep" / "s1.jsonl"}


def test_the_slow_look_finds_new_neighbours_without_events(tmp_path: Path, talk: Path) -> None:
    turns(talk)
    turns(tmp_path / "s2.jsonl")
    (tmp_path / "notes.md").touch()
    assert neighbours([talk]) == [talk, tmp_path / "s2.jsonl"]
    assert neighbours([tmp_path / "gone" / "x.jsonl"]) == []
