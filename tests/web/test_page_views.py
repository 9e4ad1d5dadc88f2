"""What the page shows of a home, and that it shows it without a script."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize(("path", "words"), [
    ("/", ["Last night", "The staging database is restored every Monday", "The next dream", "Take it back"]),
    ("/memories", ["The billing API now listens on port 9090", "5 memories"]),
    ("/decide", ["The search gateway listens on port 7000", "owned by the data platform team", "Neither", "Keep that"]),
    ("/over-time", ["Live memories by class", "<svg"]),
    ("/health", ["What the probe looked at", "Sources"])])
def test_every_view_is_there_without_a_script(browser, path, words):
    answer = browser.see(path)
    assert answer.status == 200
    assert [one for one in words if one not in answer.text] == []
