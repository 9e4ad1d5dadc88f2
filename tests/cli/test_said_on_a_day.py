"""What a person said in passing, as the command line shows it: with its day, its id, and as no memory."""

from __future__ import annotations

import json

import pytest
from test_documents import MEMORY

REMARK = "I rewired the harbour lamps to 24 volts on the west side"
QUESTION = "how many volts did the harbour lamps get"

pytestmark = pytest.mark.model


@pytest.fixture
def talked(dream):
    """A home that has heard one talk with a rule and a remark."""
    folder = dream.person / ".claude" / "projects" / "-srv-harbour"
    folder.mkdir(parents=True)
    lines = [{"type": "user", "uuid": f"u-{n}", "parentUuid": None, "isSidechain": False, "userType": "external",
              "cwd": "/srv/harbour", "sessionId": "s-1", "version": "2.1.231", "timestamp": f"2026-03-01T09:0{n}:00.000Z",
              "message": {"role": "user", "content": text}}
             for n, text in enumerate(("always moor the ferry at pier 4", REMARK))]
    (folder / "s-1.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    dream("consolidate")
    return dream


def passage(dream):
    return dream.json("search", QUESTION)["results"][0]


def test_a_result_has_every_key_of_a_memory_and_says_that_it_was_said(talked):
    result = passage(talked)
    assert set(result) == {"memory", "score", "parts", "clue", "records"}
    assert set(result["memory"]) >= MEMORY
    told = {name: result["memory"][name] for name in ("text", "status", "class", "scope", "support", "recalls", "file")}
    assert told == {"text": f"{REMARK}.", "status": "said", "class": "history", "scope": "project:harbour", "support": 1,
                    "recalls": 0, "file": None}
    assert result["memory"]["observations"] == [result["memory"]["id"]]


def test_a_person_reads_the_day_it_was_said(talked):
    assert "[said on 2026-03-01]" in talked("search", QUESTION).out
    shown = talked("show", passage(talked)["memory"]["id"][:6]).out
    assert REMARK in shown and "none; `dream promote` makes one of it" in shown


def test_it_is_in_no_list_and_cannot_be_pinned(talked):
    assert [m["text"] for m in talked.json("list", "--all")["memories"]] == ["Always moor the ferry at pier 4."]
    assert talked("list", "--status", "said").code == 2
    for verb in ("pin", "unpin", "restore"):
        told = talked(verb, passage(talked)["memory"]["id"])
        assert (told.code, "was said in passing and is no memory" in told.err, "`dream promote " in told.err) == (4, True, True)


def test_explain_leads_to_where_it_was_said(talked):
    identity = passage(talked)["memory"]["id"]
    document = talked.json("explain", identity[:8])
    [said] = document["observations"]
    assert (said["id"], said["fate"], said["reason"]) == (identity, "discarded", "said-in-passing")
    assert said["source"].endswith("s-1.jsonl") and said["conversation"]
    assert (document["memory"]["status"], document["decisions"], document["replaces"]) == ("said", [], [])
    assert "→ said in passing: no memory is made of it" in talked("explain", identity).out


def test_the_report_of_a_dream_tells_it_apart_from_what_was_let_go(talked):
    run = talked.json("history")["runs"][0]
    assert run["fates"]["discarded"] == 1
    assert "said in passing (1)  no memory is made of it" in talked("history", run["run"]).out


def test_its_id_is_enough_to_forget_it(talked):
    told = talked.json("forget", passage(talked)["memory"]["id"], "--yes")
    assert told["forgotten"] == {"memories": 0, "observations": 1, "files": 0, "lines": 1}
    assert "said" not in {result["memory"]["status"] for result in talked.json("search", QUESTION)["results"]}
