"""Words of time inside names of files are parts of a name, not times."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from dreamd.text.dates import make_durable

SAID = datetime(2026, 3, 2, 9, tzinfo=UTC)


@pytest.mark.parametrize("text", ["The observing plan is in plans/tonight.toml", "The list is kept in today.md",
                                  "Drafts go to queue/tomorrow", "The old plan is archive/yesterday/plan.txt"])
def test_a_file_named_after_a_day_keeps_its_name(text):
    assert make_durable(text, SAID, UTC).text == text


def test_the_day_beside_a_file_is_still_told(tmp_path):
    assert "2026-03-03" in make_durable(f"The list in {tmp_path.name}.md is due tomorrow.", SAID, UTC).text
