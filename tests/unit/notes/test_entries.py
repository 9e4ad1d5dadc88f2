"""Foreign directories, cut into pieces."""

from __future__ import annotations

import pytest

from dreamd.notes import Dialect, EntryKind, detect_dialect, is_editable, read_entries

CLAUDE = {
    "MEMORY.md": "# Memory\n\n## Rules\n- [Use pnpm](feedback_pnpm.md) — never npm\n"
    "- Ports start at 8000\n  - billing: 8010\n\n"
    "| service | port |\n|---|---|\n| search | 8020 |\n\nA paragraph\nof two lines.\n\n**Why:** somebody asked.\n",
    "feedback_pnpm.md": "---\nname: pnpm\ndescription: never npm\nmetadata:\n  type: feedback\n"
    "  modified: 2026-05-07T10:00:00Z\n---\n\nUse pnpm, never npm.\n",
}
OPENCLAW = {
    "MEMORY.md": "# Long-term\n\n- Likes tea <!-- trigger: drinks --> <!-- importance: 7 -->\n- Lives in Ghent\n"
    "<!-- trigger: home -->\n",
    "memory/2026-05-07.md": "- bought tea\n",
    "AGENTS.md": "- obey\n",
}
CODEX = {
    "MEMORY.md": "# Task Group: billing\nscope: billing work\n\n## Task 1\n"
    "### rollout_summary_files\n- a.md (cwd=/srv)\n"
    "### keywords\n- billing\n\n## User preferences\n- Run the linter first [Task 1]\n",
    "memory_summary.md": "v1\n## User Profile\n\n- Writes Go\n",
    "rollout_summaries/a.md": "thread_id: 1\n",
}
HERMES = {"MEMORY.md": "Uses fish shell\n§\nServer is called otter\n§\nTwo\nlines\n", "USER.md": "Name is Ada"}
GENERIC = {"notes.md": "# Notes\n\n1. One thing\n2. Another\n"}


@pytest.mark.parametrize(
    ("files", "dialect"),
    [
        *[(CLAUDE, "claude"), (OPENCLAW, "openclaw"), (CODEX, "codex"), (HERMES, "hermes"), (GENERIC, "generic")],
        ({}, "generic"),
    ],
)
def test_a_directory_is_told_by_its_shape(files, dialect):
    assert detect_dialect(files) == dialect


def said(files, dialect):
    return [(e.kind.value, e.text) for e in read_entries(files, dialect) if e.claims]


def test_an_index_is_cut_into_pointers_bullets_rows_and_paragraphs():
    assert said(CLAUDE, Dialect.CLAUDE) == [
        ("pointer", "never npm"),
        ("entry", "Ports start at 8000\n  - billing: 8010"),
        ("entry", "| search | 8020 |"),
        ("entry", "A paragraph\nof two lines.\n\n**Why:** somebody asked."),
        ("entry", "Use pnpm, never npm."),
    ]


@pytest.mark.parametrize("reason", ["**Why:** npm rewrites it.", "**Why this matters:** npm rewrites it.",
                                    "**How to apply here:** run `make setup`."])
def test_a_paragraph_that_explains_the_one_before_stays_with_it_however_its_label_goes_on(reason):
    assert said({"MEMORY.md": f"# Memory\n\nWe use pnpm.\n\n{reason}\n"}, Dialect.CLAUDE) == [
        ("entry", f"We use pnpm.\n\n{reason}")]


def test_a_topic_file_is_one_entry_with_its_head():
    topic = next(e for e in read_entries(CLAUDE, Dialect.CLAUDE) if e.whole_file)
    assert (topic.title, topic.type, topic.description, topic.dated) == ("pnpm", "feedback", "never npm", "2026-05-07")


def test_a_pointer_knows_its_file_title_and_section():
    pointer = next(e for e in read_entries(CLAUDE, Dialect.CLAUDE) if e.kind is EntryKind.POINTER)
    assert (pointer.target, pointer.title, pointer.section) == ("feedback_pnpm.md", "Use pnpm", "Memory / Rules")


def test_marks_of_an_entry_belong_to_it_and_are_not_its_words():
    entries = [e for e in read_entries(OPENCLAW, Dialect.OPENCLAW) if e.file == "MEMORY.md" and e.claims]
    assert [e.text for e in entries] == ["Likes tea", "Lives in Ghent"]
    assert [e.marks for e in entries] == [
        " <!-- trigger: drinks --> <!-- importance: 7 -->\n", "\n<!-- trigger: home -->\n",
    ]


def test_only_the_curated_file_of_a_workspace_may_be_edited():
    editable = {e.file for e in read_entries(OPENCLAW, Dialect.OPENCLAW) if e.editable}
    assert editable == {"MEMORY.md"}


def test_records_of_a_task_group_are_not_memories_to_edit():
    entries = [e for e in read_entries(CODEX, Dialect.CODEX) if e.claims and e.editable]
    assert [e.text for e in entries if e.text.startswith(("Run", "Writes", "a.md", "billing"))] == [
        "Run the linter first", "Writes Go",
    ]
    assert not any(e.text.startswith("v1") for e in entries)


def test_sign_separated_entries_are_read_one_by_one():
    assert said(HERMES, Dialect.HERMES) == [
        ("entry", "Uses fish shell"),
        ("entry", "Server is called otter"),
        ("entry", "Two\nlines"),
        ("entry", "Name is Ada"),
    ]


@pytest.mark.parametrize("name", ["CLAUDE.md", "AGENTS.md", "GEMINI.md", "claude.local.md", "sub/AGENTS.md", ".x.md"])
def test_instructions_of_the_owner_are_never_editable(name):
    assert not any(is_editable(name, dialect) for dialect in Dialect)


def test_a_fence_or_a_comment_is_never_cut():
    text = "- one\n\n```\n# not a heading\n- not a bullet\n```\n<!--\n- hidden\n-->\n- two\n"
    entries = read_entries({"MEMORY.md": text}, Dialect.CLAUDE)
    assert [e.text for e in entries if e.claims] == ["one", "```\n# not a heading\n- not a bullet\n```", "two"]


def test_an_end_date_counts_only_when_there_is_one():
    text = "- frozen, TTL: 2026-06-01\n- TTL: 2026-01-01 or TTL: 2026-02-01\n"
    entries = read_entries({"MEMORY.md": text}, Dialect.CLAUDE)
    assert [e.ttl for e in entries] == ["2026-06-01", ""]
