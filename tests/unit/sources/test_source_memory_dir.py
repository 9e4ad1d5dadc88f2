"""Memory directories: both frontmatter dialects, indexes that hold the facts themselves, tables, links."""

from __future__ import annotations

import os

import pytest
from source_shapes import read_all

from dreamd.core.clock import cpu_s
from dreamd.core.values import EventKind, Speaker
from dreamd.sources import adapter_for
from dreamd.sources.base import contract
from dreamd.sources.base.human_words import closing_question, separate
from dreamd.sources.claude_code.memory_text import pieces_of, split_front

FLAT = """---
name: feedback_use-pnpm
description: Use pnpm in this repo; npm breaks the lockfile
type: feedback
---

Use pnpm, never npm.

**Why:** npm rewrote the lockfile.
"""
NESTED = """---
name: project_release
description: "Release on Tuesdays: never on Fridays"
metadata:\x20
  node_type: memory
  type: project
  originSessionId: 00000000-0000-0000-0000-000000000001
  modified: 2026-08-11T22:39:07.585Z
---

The release is cut on Tuesdays. See [[feedback_use-pnpm]].
"""
INDEX = """# Memory

Some words before.

## Feedback
- [Use pnpm](feedback_use-pnpm.md) — npm breaks the lockfile
- [Gone](feedback_gone.md) — the staging host is otter-2

## Build
- Run `make all` twice:
  - first for headers
  - then for objects
* Ports are listed in [the wiki](https://wiki.example/ports)

| Host | Port |
|------|-----:|
| otter-1 | 8080 |
| otter-2 | 8081 |

<!-- a comment with facts: nobody learns this -->

```bash
make deploy
```
"""


@pytest.fixture
def memory(tmp_path):
    folder = tmp_path / "memory"
    folder.mkdir()
    (folder / "MEMORY.md").write_text(INDEX)
    (folder / "feedback_use-pnpm.md").write_text(FLAT)
    (folder / "project_release.md").write_text(NESTED)
    return folder


def notes(reading):
    return {(event.file, event.title, event.text) for event in reading.events}


def test_a_topic_file_is_one_note_with_its_description_and_type(memory):
    events = {event.file: event for event in read_all(memory).events if event.file != "MEMORY.md"}
    flat, nested = events["feedback_use-pnpm.md"], events["project_release.md"]
    assert flat.text == "Use pnpm, never npm.\n\n**Why:** npm rewrote the lockfile."
    assert (flat.title, flat.type_hint) == ("Use pnpm in this repo; npm breaks the lockfile", "feedback")
    assert (nested.title, nested.type_hint) == ("Release on Tuesdays: never on Fridays", "project")
    assert nested.conversation == "00000000-0000-0000-0000-000000000001"
    assert nested.at is not None
    assert nested.at.isoformat() == "2026-08-11T22:39:07.585000+00:00"
    assert {event.kind for event in events.values()} == {EventKind.NOTE}
    assert {event.speaker for event in events.values()} == {Speaker.AGENT}


def test_an_index_gives_its_own_facts_and_leaves_pointers_to_their_files(memory):
    reading = read_all(memory)
    assert {(title, text) for file, title, text in notes(reading) if file == "MEMORY.md"} == {
        ("", "Some words before."),
        ("Feedback", "Gone — the staging host is otter-2"),
        ("Build", "Run `make all` twice:\n- first for headers\n- then for objects"),
        ("Build", "Ports are listed in the wiki"),
        ("Build", "Host: otter-1; Port: 8080"),
        ("Build", "Host: otter-2; Port: 8081"),
        ("Build", "```bash\nmake deploy\n```"),
    }
    assert [skip.reason for skip in reading.skips] == [contract.POINTER]


def test_offsets_of_index_notes_lie_in_the_file(memory):
    (memory / "MEMORY.md").write_text("# Gedächtnis\n\n- Größe zählt\n- Umlaute auch\n")
    body = (memory / "MEMORY.md").read_bytes()
    events = [event for event in read_all(memory).events if event.file == "MEMORY.md"]
    assert [body[event.start:event.end].decode().strip() for event in events] == ["- Größe zählt", "- Umlaute auch"]


def test_an_unchanged_directory_says_nothing_and_a_changed_file_only_itself(memory):
    first = read_all(memory)
    assert read_all(memory, first.cursor).events == ()
    (memory / "project_release.md").write_text(NESTED.replace("Tuesdays.", "Mondays."))
    second = read_all(memory, first.cursor)
    assert [event.file for event in second.events] == ["project_release.md"]


def test_a_note_keeps_its_identity_when_another_line_changes(memory):
    first = read_all(memory)
    (memory / "MEMORY.md").write_text(INDEX.replace("8081", "8082"))
    second = read_all(memory, first.cursor)
    known = {event.uid for event in first.events}
    assert [event.text for event in second.events if event.uid not in known] == ["Host: otter-2; Port: 8082"]


def test_a_budget_goes_through_a_directory_in_several_reads(memory):
    everything = notes(read_all(memory))
    reading = read_all(memory, budget_bytes=1)
    found, rounds = notes(reading), 1
    while not reading.complete:
        reading = read_all(memory, reading.cursor, budget_bytes=1)
        found |= notes(reading)
        rounds += 1
        assert rounds < 10
    assert found == everything


def test_an_index_alone_is_a_memory_too(tmp_path):
    (tmp_path / "MEMORY.md").write_text("## Types\n- Int: literal\n- Bool: literal\n")
    assert {text for _, _, text in notes(read_all(tmp_path))} == {"Int: literal", "Bool: literal"}


def test_a_file_without_frontmatter_is_read_like_an_index(tmp_path):
    (tmp_path / "MEMORY.md").write_text("- `debugging.md` - how to debug\n")
    (tmp_path / "debugging.md").write_text("# Debugging\n\nUse the tracer.\n\n- never the printer\n")
    assert notes(read_all(tmp_path)) == {
        ("debugging.md", "", "Use the tracer."), ("debugging.md", "", "never the printer")}


@pytest.mark.parametrize("front", [
    "---\nname: [broken\ndescription: still: readable\ntype: project\n---\nBody text here.\n",
    "---\r\nname: x\r\ndescription: still: readable\r\ntype: project\r\n---\r\nBody text here.\r\n",
])
def test_broken_yaml_falls_back_to_reading_lines(front):
    values, body = split_front(front)
    assert (values.description, values.type_hint) == ("still: readable", "project")
    assert body.strip() == "Body text here."


def test_frontmatter_that_never_ends_is_text():
    front, body = split_front("---\nname: x\nno end here\n")
    assert front.name == ""
    assert "no end here" in body


def test_home_grown_types_give_no_hint():
    assert split_front("---\nname: x\ntype: gotcha\n---\nBody")[0].type_hint == ""


def test_a_small_frontmatter_cannot_unfold_into_a_giant_one():
    lines = ["a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
    front, _ = split_front("---\nname: x\n" + "\n".join(lines) + "\nnumber: 0x" + "f" * 9000 + "\n---\nBody")
    assert front.name == "x"


def test_what_dream_wrote_itself_is_never_learned_back(memory):
    (memory / "feedback_use-pnpm.md").write_text(FLAT + "\n<!-- dream: id=0123 support=2 -->\n")
    (memory / "MEMORY.md").write_text(
        "- the person's own line\n- dream's own line <!-- dream: id=0123 -->\n"
        "<!-- dream:begin -->\n- inside the block\n<!-- dream:end -->\n- after the block\n")
    speakers = {event.text.strip(): event.speaker for event in read_all(memory).events}
    assert speakers["the person's own line"] is Speaker.AGENT
    assert speakers["after the block"] is Speaker.AGENT
    assert {text for text, speaker in speakers.items() if speaker is Speaker.INJECTED} == {
        "dream's own line", "inside the block", "Use pnpm, never npm.\n\n**Why:** npm rewrote the lockfile."}


def test_symlinks_giants_and_unreadable_files_are_named_and_the_rest_is_read(memory, monkeypatch):
    monkeypatch.setattr(contract, "LARGEST_NOTE_FILE_BYTES", 1000)
    (memory / "giant.md").write_text("x" * 2000)
    (memory / "link.md").symlink_to(memory / "MEMORY.md")
    (memory / "closed.md").write_text("secret")
    (memory / "closed.md").chmod(0)
    (memory / "latin.md").write_bytes(b"- caf\xe9 opens late\n")
    reading = read_all(memory)
    reasons = {(skip.file, skip.reason) for skip in reading.skips}
    assert {("giant.md", contract.OVERSIZED), ("link.md", contract.SYMLINK),
            ("latin.md", contract.REPLACED_BYTES)} <= reasons
    assert os.geteuid() == 0 or ("closed.md", contract.UNREADABLE) in reasons
    assert "caf\ufffd opens late" in {event.text for event in reading.events}


def test_a_single_note_file_is_a_source_too(memory):
    adapter = adapter_for(memory / "feedback_use-pnpm.md")
    assert adapter is not None
    assert adapter.kind == "memory-dir"
    assert len(read_all(memory / "feedback_use-pnpm.md").events) == 1


@pytest.mark.parametrize("text", [
    "<!--" * 200_000, "# " + " #" * 200_000, "- " * 200_000, "[" * 300_000, "|" * 300_000, "```\n" * 50_000,
    "x <ide_selection>" * 50_000, "<!-- dream" * 50_000, "<!-- x\n" * 50_000, "§\n" * 50_000,
])
def test_no_text_takes_more_than_linear_time(text):
    began = cpu_s()
    list(pieces_of(text))
    split_front("---\n" + text)
    separate(text)
    closing_question(text + " really?")
    assert cpu_s() - began < 30, "a second on any machine; minutes once it is no longer linear"
