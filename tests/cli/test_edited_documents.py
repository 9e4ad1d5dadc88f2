"""A memory directory that its agent edits between two dreams: the commands tell what became of each line."""

from __future__ import annotations

MONDAY, FRIDAY = "2026-03-02T09:00:00Z", "2026-03-20T09:00:00Z"
AFTER = "# Notes\n\n- The kiln fires at 1220 degrees.\n- Orders are packed on Thursdays.\n"
BEFORE = AFTER.replace("1220", "1180") + "- The cat sleeps in the glaze room.\n"


def test_explain_tells_of_what_was_edited_and_search_still_finds_what_is_gone(dream):
    folder = dream.person / "notes" / "memory"
    folder.mkdir(parents=True)
    for text, now in ((BEFORE, MONDAY), (AFTER, FRIDAY)):
        (folder / "MEMORY.md").write_text(text)
        dream.json("ingest", str(folder), now=now)
        dream.json("consolidate", now=now)
    found = {m["text"]: m for m in dream.json("list", "--all", now=FRIDAY)["memories"]}
    old, new = found["The kiln fires at 1180 degrees."], found["The kiln fires at 1220 degrees."]
    gone = found["The cat sleeps in the glaze room."]
    assert [m["status"] for m in (old, new, gone)] == ["superseded", "live", "archived"]
    assert old["superseded_by"] == new["id"]
    told = dream("explain", old["id"], now=FRIDAY).out
    assert "edited-at-source" not in told and "edited at its source" in told and new["id"] in told
    assert "it stands no longer where it was noted" in dream("explain", gone["id"], now=FRIDAY).out
    best = dream.json("search", "where does the cat sleep", now=FRIDAY)["results"][0]["memory"]
    assert (best["id"], best["status"]) == (gone["id"], "archived")
    assert dream.json("consolidate", now=FRIDAY)["outcome"] == "nothing-to-do"
    assert dream("restore", gone["id"], now=FRIDAY).code == 0
    assert dream.json("show", gone["id"], now=FRIDAY)["status"] == "live"


def test_a_page_that_somebody_names_is_read_as_notes_and_read_again(dream):
    page = dream.person / "NOTES.md"
    for text, now in ((BEFORE, MONDAY), (AFTER, FRIDAY)):
        page.write_text(text)
        dream.json("ingest", str(page), now=now)
        dream.json("consolidate", now=now)
    assert {m["text"]: m["status"] for m in dream.json("list", "--all", now=FRIDAY)["memories"]} == {
        "The kiln fires at 1180 degrees.": "superseded", "The kiln fires at 1220 degrees.": "live",
        "Orders are packed on Thursdays.": "live", "The cat sleeps in the glaze room.": "archived"}


def test_a_folder_of_memories_needs_no_index(dream):
    folder = dream.person / "work" / "memory"
    folder.mkdir(parents=True)
    (folder / "kiln.md").write_text(AFTER)
    assert dream.json("ingest", str(folder))["stored"] == 2
