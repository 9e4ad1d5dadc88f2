"""Extraction over real conversations: nothing breaks, and what comes out has the shape of a statement."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from dreamd.core.values import Cursor, Origin, parse_scope
from dreamd.extraction import extract
from dreamd.extraction.utterance import LONGEST_SENTENCE
from dreamd.sources import adapter_for
from dreamd.text.redaction import redact

FOLDER = os.environ.get("DREAM_EVAL_DATA", "")
KINDS = ("claude-code/*/*.jsonl", "specstory/*.md", "gemini/*.json", "copilot/*.jsonl")

pytestmark = [
    pytest.mark.real_data,
    pytest.mark.skipif(not FOLDER, reason="DREAM_EVAL_DATA names no folder with real conversations"),
]


@pytest.mark.parametrize("kind", KINDS)
def test_every_real_conversation_gives_statements_of_people_or_nothing(kind: str) -> None:
    files = sorted((Path(FOLDER) / "real").glob(kind))
    for path in files:
        adapter = adapter_for(path)
        if adapter is None:
            continue
        reading = adapter.read(path, Cursor(), budget_bytes=64 * 1024 * 1024)
        extraction = extract(reading.events, scope=parse_scope("project:eval"))
        for candidate in extraction.candidates:
            assert 0 < len(candidate.text) <= LONGEST_SENTENCE
            assert candidate.origin in (Origin.USER, Origin.AGENT) and candidate.sign and not candidate.explicit
            assert redact(redact(candidate.text).text).masks == ()
