"""What a prompt asked to forget is shown to the person, and goes once it is done."""

from __future__ import annotations

import json


def test_a_request_to_forget_waits_in_review_until_it_is_carried_out(dream):
    dream.json("note", "The loom answers on port 7310.")
    dream.json("consolidate")
    for words in ("forget loom answers", "forget the red spools"):
        told = dream("hook", "user-prompt-submit", stdin=json.dumps({"session_id": "s-1", "prompt": words}))
        assert told.code == 0
    assert [r["words"] for r in dream.json("review")["forget_requests"]] == ["loom answers", "the red spools"]
    assert "loom answers" in dream("review").out
    dream.json("forget", "--matching", "loom", "--yes")
    assert [r["words"] for r in dream.json("review")["forget_requests"]] == ["the red spools"]
