"""Every real file at hand: no crash, every line accounted for, people told from everything else."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest
from source_shapes import read_all

from dreamd.core.clock import cpu_s
from dreamd.core.values import EventKind, Reading, Speaker
from dreamd.sources import ORDINARY, SourceRoots, discover

DATA = os.environ.get("DREAM_EVAL_DATA", "")
pytestmark = [
    pytest.mark.real_data,
    pytest.mark.skipif(not (DATA and (Path(DATA) / "real").is_dir()), reason="DREAM_EVAL_DATA names no folder with real files"),
]
_LINES = ("claude-code", "copilot-cli")


@pytest.fixture(scope="module")
def readings() -> dict[Path, tuple[str, Reading]]:
    sources = discover(SourceRoots(extra=(Path(DATA) / "real",)))
    return {source.path: (source.kind, read_all(source.path)) for source in sources}


def test_every_file_is_recognised(readings):
    root = Path(DATA) / "real"
    wanted = [path for name in ("claude-code", "specstory", "gemini", "copilot") for path in (root / name).rglob("*")
              if path.is_file()] + [path for path in (root / "memory-dirs").iterdir() if path.is_dir()]
    assert set(wanted) <= set(readings)


def test_nothing_in_them_is_unusable(readings):
    reasons = Counter(skip.reason for _, reading in readings.values() for skip in reading.skips)
    assert set(reasons) <= ORDINARY
    assert all(reading.complete for _, reading in readings.values())


def test_every_line_is_an_event_or_a_skip(readings):
    for path, (kind, reading) in readings.items():
        if kind in _LINES:
            body = path.read_bytes()
            assert reading.cursor.offset == len(body)
            position = 0
            for start, end in sorted({(e.start, e.end) for e in reading.events} | {(s.start, s.end) for s in reading.skips}):
                assert body[position:start].strip() == b""
                position = max(position, end)
            assert body[position:].strip() == b""


def test_about_one_line_in_seventy_is_a_person(readings):
    claude = [reading for kind, reading in readings.values() if kind == "claude-code"]
    lines, prompts = sum(r.lines for r in claude), sum(r.prompts for r in claude)
    assert 60 < lines / prompts < 100


def test_no_markup_passes_for_a_persons_words(readings):
    said = [event.text for _, reading in readings.values() for event in reading.events if event.speaker is Speaker.HUMAN]
    marks = ("<command-", "<local-command", "<system-reminder", "<task-notification", "[Request interrupted", "Caveat: The",
             "Implement the following plan", "<system_reminder")
    assert not [text[:60] for text in said if text.startswith(marks)]
    assert len(said) > 150


def test_answers_come_with_their_question(readings):
    answers = [event for _, reading in readings.values() for event in reading.events if event.kind is EventKind.ANSWER]
    assert answers
    assert all(event.question for event in answers)


def test_reading_in_portions_gives_the_same_events(readings):
    biggest = max((path for path, (kind, _) in readings.items() if kind == "claude-code"), key=lambda p: p.stat().st_size)
    events = []
    reading = read_all(biggest, budget_bytes=50_000)
    while True:
        events += reading.events
        if reading.complete:
            break
        reading = read_all(biggest, reading.cursor, budget_bytes=50_000)
    whole = readings[biggest][1].events
    assert [(e.uid, e.kind, e.text, e.question) for e in events] == [(e.uid, e.kind, e.text, e.question) for e in whole]


def test_transcripts_are_read_at_twenty_megabytes_a_second(readings):
    paths = [path for path, (kind, _) in readings.items() if kind == "claude-code"]
    began = cpu_s()
    for path in paths:
        read_all(path)
    speed = sum(path.stat().st_size for path in paths) / 1e6 / (cpu_s() - began)
    assert speed > 20, f"{speed:.0f} MB/s of processor time"
