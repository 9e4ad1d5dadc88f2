"""What a prompt asked to forget is shown to the person, and goes once it is done."""

from __future__ import annotations

import json
import subprocess


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


def test_requests_of_one_moment_in_a_home_that_is_not_there_yet_are_all_kept(dream):
    calls = []
    for n in range(6):
        said = dream.root / f"call-{n}.json"
        said.write_text(json.dumps({"session_id": f"s-{n}", "prompt": f"forget the loom number {n}"}))
        with said.open("rb") as body:
            calls.append(subprocess.Popen(dream.command("hook", "user-prompt-submit"), stdin=body, stdout=subprocess.PIPE,
                                          stderr=subprocess.PIPE, env=dream.env))
    for call in calls:
        assert call.communicate(timeout=120) == (b"", b"")
    found = json.loads((dream.home / "forget-requests.json").read_text())
    assert sorted(r["words"] for r in found) == [f"the loom number {n}" for n in range(6)]
