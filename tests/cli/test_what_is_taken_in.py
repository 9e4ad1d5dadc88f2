"""What goes in: options that hold for every line, one document whatever happens, and what no memory is made of."""

from __future__ import annotations

import json

import pytest


def lines(*rows: dict[str, str]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def test_options_hold_for_every_line_that_does_not_say_it_itself(dream):
    body = lines({"text": "The loom answers on port 7310."}, {"text": "Spools are kept in the red box.", "scope": "team:weave"},
                 {"text": "The dye house is closed.", "ttl": "2026-03-09", "class": "state", "scope": None})
    dream.json("note", "--jsonl", "-", "--scope", "project:loom", "--origin", "import", "--class", "reference", "--ttl",
               "2026-04-01", "--at", "2026-02-01T08:00:00Z", stdin=body)
    dream.json("consolidate")
    told = {m["text"]: m for m in dream.json("list", "--all")["memories"]}
    loom, spools, dye = (told[t] for t in ("The loom answers on port 7310.", "Spools are kept in the red box.",
                                           "The dye house is closed."))
    assert [m["scope"] for m in (loom, spools, dye)] == ["project:loom", "team:weave", "project:loom"]
    assert [m["class"] for m in (loom, spools, dye)] == ["reference", "reference", "state"]
    assert {m["created_at"] for m in told.values()} == {"2026-02-01T08:00:00Z"}
    assert loom["trust"] != "user"


@pytest.mark.parametrize("option", [("--origin", "nobody"), ("--at", "yesterday-ish"), ("--ttl", "soon"), ("--class", "x"),
                                    ("--key", "one-for-all")])
def test_an_option_that_no_line_can_use_is_refused_before_the_first(dream, option):
    assert dream("note", "--jsonl", "-", *option, stdin=lines({"text": "The loom answers on port 7310."})).code == 2


def test_an_ingest_that_finds_no_source_prints_one_document(dream):
    (dream.person / "picture.bin").write_bytes(bytes(range(256)))
    told = dream("ingest", str(dream.person / "picture.bin"), "--json")
    assert told.code == 3 and told.document["sources"] == 0


def test_code_commits_and_bare_secrets_become_no_memory_and_a_limit_is_no_rule(dream):
    secret = "ghp_" + "a1B2c3D4e5" * 4
    said = ("def add(a, b): return a + b", "def add(a, b):\n    return a + b", "x = make_loom(3, 4)",
            "3f2a9bc fix the loom timeout", "fix(loom): retry the weave",
            "Merge pull request #12 from weave/red", f"Remember: the token is {secret}",
            f"My new API key is {secret}", "Retry limit is 5", "Build server is called north",
            "Fix: always restart the loom after a change.", "3f2a9bc is the last good build of the loom.")
    dream.json("note", "--jsonl", "-", stdin=lines(*({"text": text} for text in said)))
    dream.json("consolidate")
    told = {m["text"]: m["class"] for m in dream.json("list", "--all")["memories"]}
    assert told == {"Retry limit is 5": "reference", "Build server is called north": "reference",
                    "Fix: always restart the loom after a change.": "rule",
                    "3f2a9bc is the last good build of the loom.": "reference"}


def test_a_check_points_at_nothing_that_would_not_help(lived_in):
    (lived_in.home / "memory" / "user" / "elsewhere.md").symlink_to(lived_in.root / "elsewhere.md")
    told = lived_in("check")
    assert told.code == 13 and "--repair" not in told.err


def test_a_folder_of_tasks_that_another_tool_wrote_is_taken_in_by_ingest(dream):
    crane = dream.person / "crane"
    place = crane / "plans" / "artifacts" / "pages"
    place.mkdir(parents=True)
    (crane / ".git").mkdir()
    lasting = "The crane API pages by cursor, never by offset (src/crane/pages.py)."
    (place / "decisions.md").write_text(f"# Decisions\n\n- **D1** (2026-05-01): {lasting}\n- We go on tomorrow.\n")
    for named in (place, place.parent, crane):
        told = dream.json("ingest", str(named))
        assert (told["sources"], told["stored"]) == (1, 1 if named == place else 0)
    dream.json("consolidate")
    assert [(m["text"], m["scope"]) for m in dream.json("list", "--status", "held")["memories"]] == [(lasting, "project:crane")]
    assert dream.json("consolidate")["outcome"] == "nothing-to-do"
    assert dream("ingest", str(crane / ".git")).code == 3
