"""`dream search --all`, its hint, kinds in `search` and `list`, and the share of each category in `status`."""

from __future__ import annotations

import pytest


@pytest.fixture
def replaced(lived_in):
    """A home in which a memory took the place of another."""
    lived_in.json("note", "The billing API no longer listens on port 8080, it now listens on port 9090.",
                  now="2026-03-03T09:00:00Z")
    lived_in.json("consolidate", now="2026-03-03T09:00:00Z")
    return lived_in


def test_all_shows_what_was_replaced_behind_what_holds_and_marks_it(replaced):
    found = replaced.json("search", "which port does the billing API listen on", "--all")["results"]
    told = [r["memory"]["status"] for r in found]
    assert told[0] == "live" and "superseded" in told
    assert "[replaced" in replaced("search", "billing API port", "--all").out


def test_where_only_what_is_gone_matches_the_answer_says_so(lived_in, memory_of):
    lived_in.json("review", memory_of("nightly import")["id"], "drop")
    told = lived_in("search", "nightly import data platform team", "--class", "reference")
    assert "1 archived would match; `dream search --all`" in told.out and "nothing found" not in told.out
    found = lived_in.json("search", "nightly import data platform team", "--all")["results"]
    assert "archived" in [r["memory"]["status"] for r in found]


def test_a_class_and_a_category_narrow_a_search_and_a_list(lived_in):
    rules = lived_in.json("search", "linter billing port", "--class", "rule")["results"]
    assert {r["memory"]["class"] for r in rules} <= {"rule"}
    everything = lived_in.json("list")["memories"]
    for category in {m["category"] for m in everything}:
        some = lived_in.json("list", "--category", category)["memories"]
        assert some == [m for m in everything if m["category"] == category]


def test_status_tells_the_share_of_each_category(lived_in):
    shares = lived_in.json("status")["categories"]
    assert sum(s["memories"] for s in shares.values()) == len(lived_in.json("list")["memories"])
    assert sum(s["share"] for s in shares.values()) == pytest.approx(1.0, abs=0.01)


@pytest.mark.model
def test_where_nothing_answers_a_question_the_answer_says_so_and_how_to_see_what_is_near(lived_in):
    question = "Who is the mother of the billing API's author?"
    told = lived_in("search", question)
    assert "nothing found that answers" in told.out and "8080" not in told.out and "`dream search --all`" in told.err
    assert lived_in.json("search", question)["near"]
    for words in ((question, "--all"), ("billing API",), ("on which port does the billing API listen?",)):
        assert "8080" in lived_in("search", *words).out
