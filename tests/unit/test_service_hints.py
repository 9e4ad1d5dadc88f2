"""Words that hooks left behind reach the throttle once: an end counts as an end, a turn as a turn."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from dreamd.core.paths import Paths
from dreamd.core.settings import ExtractionSettings
from dreamd.service.gating.watch import Ledger
from dreamd.service.word_left import Hints
from dreamd.store.work import Staged

NOW = datetime.now(UTC)
RULES = ExtractionSettings(every_turns=5, min_minutes=10)


def touched(paths: Paths, name: str, event: str, talk: Path) -> Path:
    paths.inbox.mkdir(parents=True, exist_ok=True)
    file = paths.inbox / f"{name}.json"
    file.write_text(json.dumps({"schema": 1, "touched": {"event": event, "path": str(talk), "conversation": "", "cwd": "",
                                                         "at": "2026-05-07T09:30:00Z"}}))
    return file


def talked(tmp_path: Path) -> Path:
    talk = tmp_path / "s1.jsonl"
    talk.write_text('{"type":"user"}\n{"stop_reason":"end_turn"}\n')
    return talk


@pytest.mark.parametrize("ending", ["session-end", "pre-compact"])
def test_the_end_of_a_conversation_and_what_is_about_to_be_compacted_is_extracted_without_more_turns(
        tmp_path: Path, ending: str) -> None:
    paths, ledger = Paths(tmp_path / "home"), Ledger(RULES)
    talk = talked(tmp_path)
    touched(paths, "1", "stop", talk)
    hints = Hints()
    hints.take(paths, (), ledger, now=NOW)
    assert ledger.take_due(NOW) == []
    touched(paths, "2", ending, talk)
    hints.take(paths, (), ledger, now=NOW)
    assert ledger.take_due(NOW) == [talk]


def test_a_word_is_followed_once_and_not_for_ever(tmp_path: Path) -> None:
    paths, ledger, hints = Paths(tmp_path / "home"), Ledger(RULES), Hints()
    talk = talked(tmp_path)
    row = Staged(1, str(talk), str(talk), 0, 2**62, "session-end", NOW)
    hints.take(paths, (row,), ledger, now=NOW)
    ledger.extracted([talk], now=NOW)
    for hours in range(1, 5):
        hints.take(paths, (row,), ledger, now=NOW + timedelta(hours=hours))
        assert ledger.take_due(NOW + timedelta(hours=hours)) == []


def test_a_stretch_that_trailed_asks_no_throttle_even_after_a_restart(tmp_path: Path) -> None:
    ledger = Ledger(RULES)
    talk = talked(tmp_path)
    Hints().take(Paths(tmp_path / "home"), (Staged(1, str(talk), str(talk), 0, 9, "trailing", NOW),), ledger, now=NOW)
    assert ledger.take_due(NOW) == [talk]


def test_an_inbox_that_waits_is_noticed_and_garbage_in_it_is_no_fault(tmp_path: Path) -> None:
    paths, ledger, hints = Paths(tmp_path / "home"), Ledger(RULES), Hints()
    assert not hints.take(paths, (), ledger, now=NOW)
    paths.inbox.mkdir(parents=True)
    for n, body in enumerate((b"", b"{", b"[]", b"\xff", b'{"touched": 5}', b'{"touched": {"path": "/x\\u0000y"}}')):
        (paths.inbox / f"{n}.json").write_bytes(body)
    assert not hints.take(paths, (), ledger, now=NOW)
    os.utime(paths.inbox / "0.json", (NOW.timestamp() - 100,) * 2)
    assert hints.take(paths, (), ledger, now=NOW)
