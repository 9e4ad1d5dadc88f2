"""Decision records of a repository, from their folder to the memories of its project."""

from __future__ import annotations

MONDAY, FRIDAY = "2026-03-02T09:00:00Z", "2026-03-20T09:00:00Z"
BECAUSE = "\n\n## Decision\n\n{0} because the harbour office counts by hand.\n"
RECORDS = {
    "0001-paper.md": "# 1. Paper tickets\n\nDate: 2023-01-10\n\n## Status\n\nSuperseded by [2. Cards](0002-cards.md)",
    "0002-cards.md": "# 2. Cards\n\n**Status:** Accepted | **Date:** 2024-03-05",
    "0003-turnstiles.md": "# 3. Turnstiles\n\n| | |\n|--|--|\n| Status | Rejected |\n| Date | 2024-04-01 |",
    "0004-season-passes.md": "---\nstatus: proposed\ndate: 2024-05-06\n---\n# Season passes",
}


def write(folder, records):
    """Put records into a folder, each with a decision below its top."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, top in records.items():
        (folder / name).write_text(top + BECAUSE.format(f"We settled {name[5:-3]}"))


def told(dream, now):
    """Every memory by the name of its record."""
    return {m["text"].partition(" (")[0]: m for m in dream.json("list", "--all", now=now)["memories"]}


def test_each_record_is_a_memory_of_its_project_as_live_as_its_status_says(dream):
    folder = dream.person / "ferry" / "docs" / "adr"
    write(folder, RECORDS)
    (folder / "README.md").write_text("# Decisions\n\n* [1](0001-paper.md) accepted\n")
    assert dream.json("ingest", str(dream.person / "ferry"), now=MONDAY)["stored"] == 4
    dream.json("consolidate", now=MONDAY)
    found = told(dream, MONDAY)
    assert {name: m["status"] for name, m in found.items()} == {
        "ADR-0001": "superseded", "ADR-0002": "live", "ADR-0003": "archived", "ADR-0004": "held"}
    assert {m["scope"] for m in found.values()} == {"project:ferry"}
    assert found["ADR-0001"]["superseded_by"] == found["ADR-0002"]["id"]
    text = found["ADR-0002"]["text"]
    assert text.startswith("ADR-0002 (accepted, 2024-03-05): Cards. Decided: We settled cards because")
    assert text.endswith("Record: docs/adr/0002-cards.md")
    best = dream.json("search", "turnstiles", now=MONDAY)["results"][0]["memory"]
    assert best["text"].startswith("ADR-0003 (rejected, 2024-04-01)")
    assert dream("check", now=MONDAY).code == 0

    write(folder, {"0004-season-passes.md": RECORDS["0004-season-passes.md"].replace("proposed", "accepted"),
                   "0005-phones.md": "# 5. Phones\n\nStatus: Approved\n\nSupersedes: ADR-0002",
                   "0005-again.md": "# 5. Again\n\nStatus: parked"})
    warnings = dream.json("consolidate", now=FRIDAY)["warnings"]  # the repository is known by now
    assert sum("used by several" in one or "`parked`" in one for one in warnings) == 2
    after = told(dream, FRIDAY)
    assert (after["ADR-0004"]["id"], after["ADR-0004"]["status"]) == (found["ADR-0004"]["id"], "live")
    assert (after["ADR-0002"]["status"], after["ADR-0002"]["id"]) == ("superseded", found["ADR-0002"]["id"])
    assert dream.json("consolidate", now=FRIDAY)["outcome"] == "nothing-to-do"

    dream("note", "Season tickets are sold at the north quay, see ADR-2 and adr 0004.", "--scope", "project:ferry", now=FRIDAY)
    dream.json("consolidate", now=FRIDAY)
    best = dream.json("search", "season tickets north quay", now=FRIDAY)["results"][0]
    assert best["records"] == ["ADR-0002: superseded by ADR-0005", "ADR-0004: accepted"]
    assert "[ADR-0002: superseded by ADR-0005]" in dream("search", "season tickets north quay", now=FRIDAY).out
    assert dream.json("show", best["memory"]["id"])["records"] == best["records"]
    assert dream.json("show", after["ADR-0004"]["id"])["records"] == []
    wrong = [row["warnings"] for row in dream.json("sources", now=FRIDAY)["sources"] if row["kind"] == "decisions"]
    assert [len(one) for one in wrong] == [2]
    (folder.parents[1] / ".git").mkdir()
    (folder.parents[1] / "CLAUDE.md").write_text("# House\n")
    for words in ((), (str(folder.parents[1]),)):
        found = dream("audit", *words, "--json", now=FRIDAY).document["findings"]
        assert sum(f["kind"] == "decision-record" for f in found) == 2


LOG = """# Decisions

## D-1: Stone wheels

Status: Accepted
Date: 2021-02-03

We grind with stone because steel is not to be had.

## D-2: Flour by post

Status: Proposed
Date: 2022-06-07

Small bags go by post because walkers ask for it.
"""
STEEL = """
## D-3: Steel wheels

Status: Accepted
Date: 2023-05-06
Supersedes: D-1

Steel from now on, since stone flakes ended in the flour.
"""


def test_one_page_of_many_decisions_is_read_like_a_folder_of_them(dream):
    mill = dream.person / "mill"
    (mill / ".git").mkdir(parents=True)
    (mill / "DECISIONS.md").write_text(LOG)
    assert dream.json("ingest", str(mill), now=MONDAY)["stored"] == 2
    dream.json("consolidate", now=MONDAY)
    first = told(dream, MONDAY)
    assert {name: m["status"] for name, m in first.items()} == {"D-1": "live", "D-2": "held"}
    assert {m["scope"] for m in first.values()} == {"project:mill"}
    assert first["D-1"]["text"].endswith("Record: DECISIONS.md#d-1-stone-wheels")

    (mill / "DECISIONS.md").write_text(LOG.replace("Proposed", "Accepted") + STEEL)
    dream.json("consolidate", now=FRIDAY)
    after = told(dream, FRIDAY)
    assert {name: (m["status"], m["id"]) for name, m in after.items() if name != "D-3"} == {
        "D-1": ("superseded", first["D-1"]["id"]), "D-2": ("live", first["D-2"]["id"])}
    assert after["D-1"]["superseded_by"] == after["D-3"]["id"]
    assert dream.json("consolidate", now=FRIDAY)["outcome"] == "nothing-to-do"
    (mill / "DECISIONS.md").write_text((LOG + STEEL).replace("Status: Accepted\nDate: 2023", "Status: parked\nDate: 2023"))
    looked = dream("audit", str(mill), now=FRIDAY)
    assert looked.code == 1 and "status nobody knows: `parked`" in looked.out and "DECISIONS.md#d-3-steel-wheels" in looked.out
