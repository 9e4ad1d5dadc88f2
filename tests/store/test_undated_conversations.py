"""Formats that say no time: what was said there is as old as the file, not as old as computers."""

from __future__ import annotations

import json
import os
from pathlib import Path

from dreamd.core.clock import parse_instant
from dreamd.core.values import Status
from household import House

SAID_AT, NIGHT = "2026-09-14T09:00:00Z", "2026-09-15T03:00:00Z"


def transcript(house: House, *told: str, at: str = SAID_AT) -> Path:
    path = house.person / ".cursor" / "projects" / "srv-otter" / "agent-transcripts" / "c-1" / "c-1.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(
        {"role": "user", "message": {"content": [{"type": "text", "text": f"<user_query>\n{text}\n</user_query>"}]}}) + "\n"
        for text in told))
    os.utime(path, (parse_instant(at).timestamp(),) * 2)
    return path


def test_what_was_said_at_no_known_time_dates_from_the_files_last_change_and_is_no_old_news(house: House) -> None:
    transcript(house, "Remember that the staging database listens on port 5433 on host heron-2.")
    house.dream(NIGHT)
    memory = house.memory("5433")
    assert memory.status is Status.LIVE
    assert memory.confirmed_at == parse_instant(SAID_AT)


def test_what_has_a_time_keeps_it_and_what_follows_without_one_takes_it_over(house: House) -> None:
    transcript(house, "<timestamp>Sunday, Sep 13, 2026, 4:26 PM (UTC+0)</timestamp> Never prune the roses in spring.",
               "We always water the ferns on Mondays.")
    house.dream(NIGHT)
    assert house.memory("ferns").confirmed_at == house.memory("roses").confirmed_at == parse_instant("2026-09-13T16:26:00Z")


def test_a_file_from_the_future_says_nothing_later_than_now(house: House) -> None:
    transcript(house, "We always water the ferns on Mondays.", at="2031-01-01T00:00:00Z")
    house.dream(NIGHT)
    assert house.memory("ferns").confirmed_at == parse_instant(NIGHT)
