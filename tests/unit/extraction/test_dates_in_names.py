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


@pytest.mark.parametrize("text", [
    "Never call clock.today() in the tide tables", "The `tomorrow` pane is slow", "Time.yesterday is off by one",
    "Run the report with --since yesterday", "Set the lamp to 'tonight' in the menu", "The Tomorrow pane lists the ships",
    "The field says \"next week\" where no ship is due"])
def test_a_word_of_time_that_is_code_an_option_a_quotation_or_a_name_is_no_day(text):
    assert make_durable(text, SAID, UTC).text == text


@pytest.mark.parametrize("text", ["Tomorrow the lamp is off.", "The crane (yesterday it broke) is back",
                                  "It broke... yesterday, I think", "He said \"we sail tomorrow\" to the crew"])
def test_a_day_that_is_meant_is_told_beside_brackets_dots_and_in_longer_quotations(text):
    assert "2026-03-0" in make_durable(text, SAID, UTC).text


def test_the_day_beside_a_file_is_still_told(tmp_path):
    assert "2026-03-03" in make_durable(f"The list in {tmp_path.name}.md is due tomorrow.", SAID, UTC).text
