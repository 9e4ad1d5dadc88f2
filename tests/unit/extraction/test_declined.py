"""A note that becomes no memory: why, and what of it would be worth keeping."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from dreamd.core.values import Origin
from dreamd.extraction.declined import Declined, why_declined
from dreamd.extraction.gate import is_change_list

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)


def declined(text: str) -> Declined | None:
    return why_declined(text, origin=Origin.USER, at=NOW, zone=UTC)


@pytest.mark.parametrize(("reason", "text"), [
    ("history", "- #123 Fix the login form\n- #124 Bump the dependencies\n- #125 Add a retry to the uploader"),
    ("commit", "Fix the login form (#123)\nBump the dependencies (#124)\nAdd a retry to the uploader (#125)"),
    ("history", "https://git.example/ferry/quay/pull/7\nhttps://git.example/ferry/quay/pull/8 merged"),
    ("log", "2026-01-01T10:00:00 INFO worker started\n2026-01-01T10:00:01 ERROR no answer\n2026-01-01T10:00:02 INFO retry"),
    ("procedure", "How to deploy:\n1. build the image\n2. push it to the registry\n3. run the migration\n4. restart it"),
    ("history", "We shipped the new importer today."),
])
def test_a_list_of_changes_a_log_and_a_recipe_say_why_and_what_is_worth_keeping(reason: str, text: str) -> None:
    told = declined(text)
    assert told is not None and told.reason == reason and told.advice


def test_what_holds_inside_a_declined_note_is_named() -> None:
    told = declined("Merged today:\n- #123 Fix the login form\n- #124 Bump the dependencies\n- #125 Add a retry\n- #126 Sort\n"
                    "- #127 Paint\n- #128 Tidy\nThe release notes are written in docs/releases.md.")
    assert told is not None and told.worth == ("The release notes are written in docs/releases.md.",)


@pytest.mark.parametrize("text", [
    "The pump stands in hall 2.", "Issue #12 must be fixed before the release on Friday.",
    "Never close #12 without asking Ada.\nThe crane is serviced in March.",
    "#12 must stay open until Friday.", "#1 never push on Fridays\n#2 always test\n#3 ask Ada first",
    "# Pumps\n\n#1 pump is in hall 2, #2 pump is in hall 3.", "Use ticket numbers like #123 in commit messages"])
def test_what_holds_and_names_a_number_is_no_list_of_changes(text: str) -> None:
    assert not is_change_list(text)
