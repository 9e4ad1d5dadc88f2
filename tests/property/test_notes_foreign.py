"""Whatever a foreign file holds: pieces cover it, no edit changes nothing, nothing is lost, nothing hangs."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dreamd.notes import (
    Action,
    AttachRules,
    Dialect,
    EntryEdit,
    IndexLimits,
    account,
    apply_edits,
    detect_dialect,
    diff_person_edits,
    index_size,
    plan_attach,
    read_directory,
    read_entries,
)
from thorough import examples

LINES = st.sampled_from([
    *["# H", "## Rules", "- one thing to know", "  - nested", "* [T](a.md) — hook", "- [T](gone.md)", "plain words"],
    *["", "  ", "v1", "| a | b |", "|---|---|", "```", "<!-- note -->", "<!--", "-->", "---", "§", "name: x", "1. first"],
    *["\ttab", "**Why:** so", "- x [Task 2]", "- y <!-- trigger: z -->", "<!-- importance: 3 -->", "\ufeff", "\x0c"],
    *["- ends TTL: 2026-01-01", "\u2028"],
])
TEXTS = st.one_of(
    st.tuples(st.lists(LINES, max_size=12), st.sampled_from(["\n", "\r\n", "\r"]), st.booleans()).map(
        lambda x: x[1].join(x[0]) + (x[1] if x[2] else "")
    ),
    st.text(max_size=40),
)
NAMES = st.sampled_from(["MEMORY.md", "a.md", "USER.md", "more.md", "memory/2026-05-07.md", "AGENTS.md", "x.txt"])
FILES = st.dictionaries(NAMES, TEXTS, max_size=4)


@given(FILES, st.sampled_from(list(Dialect)))
@examples(400)
def test_pieces_cover_every_character_once(files: dict[str, str], dialect: Dialect) -> None:
    entries = read_entries(files, dialect)
    for name, text in files.items():
        own = [e for e in entries if e.file == name]
        assert "".join(text[e.start : e.end] for e in own) == text
        assert all(e.start <= e.core_start <= e.core_end <= e.end for e in own)
        assert all(text[e.core_start : e.core_end] == e.text for e in own)
    assert len({e.id for e in entries}) == len(entries)
    assert apply_edits(files, [], dialect=dialect) == files


@given(FILES, st.sampled_from(list(Dialect)), st.data())
@examples(300)
def test_only_what_is_removed_goes(files: dict[str, str], dialect: Dialect, data: st.DataObject) -> None:
    claims = [e for e in read_entries(files, dialect) if e.claims and e.editable]
    taken = [e for e in claims if data.draw(st.booleans())]
    after = apply_edits(files, [EntryEdit(e, Action.REMOVE) for e in taken], dialect=dialect)
    for name in files:
        if not any(e.file == name for e in taken):
            assert after[name] == files[name]
        elif name in after:
            assert "".join(after[name].split()) in _subsequences(files[name], taken, name)


def _subsequences(text: str, taken: list, name: str) -> set[str]:
    """The text without the pieces, with or without the `§` lines that went with them."""
    left, at = "", 0
    for entry in sorted((e for e in taken if e.file == name), key=lambda e: e.start):
        left += text[at : entry.start]
        at = entry.end
    plain = "".join((left + text[at:]).split())
    found = {plain}
    for _ in taken:
        found |= {x[:i] + x[i + 1 :] for x in found for i, c in enumerate(x) if c == "§"}
    return found


@given(FILES)
@examples(300)
def test_a_dream_over_anything_loses_nothing_and_rests(files: dict[str, str]) -> None:
    dialect = detect_dialect(files)
    rules = AttachRules("2026-05-08", dialect, allow_large_change=True)
    plan = plan_attach(read_entries(files, dialect), [], rules=rules)
    after = apply_edits(files, plan.edits, dialect=dialect, limits=IndexLimits())
    assert account(files, after, archive=plan.archived, dialect=dialect) == []
    again = plan_attach(read_entries(after, dialect), [], rules=rules)
    assert again.edits == ()
    assert apply_edits(after, [], dialect=dialect, limits=IndexLimits()) == after


@pytest.mark.parametrize(
    "text",
    [
        *["<!--\n" * 9_000, " " * 90_000, "#" * 90_000, "- [" * 40_000, "\n" * 90_000, "| " * 40_000, "- - " * 30_000],
        *["---\n" * 9_000, "\\" * 90_000, "[" * 90_000, "&amp;" * 20_000, "- a\n\n" * 6_000, "§\n" * 20_000],
        *["<!---->" * 20_000, "x<!---->" * 20_000, "<!---->\n" * 9_000],
        *["( " * 90_000, "# " + " " * 90_000 + "x", "- x" + " -->" * 40_000, "<" + "\\" * 90_000 + "x" + "-" * 90_000],
    ],
    ids=range(20),
)
def test_no_text_takes_long_to_read(text: str) -> None:
    text = text[:len(text) // 3]
    started = time.process_time()
    for dialect in Dialect:
        read_entries({"MEMORY.md": text, "a.md": text}, dialect)
    read_directory({"MEMORY.md": text, "a.md": text})
    diff_person_edits({"MEMORY.md": "# Memory\n", "a.md": "x"}, {"MEMORY.md": text, "a.md": text})
    index_size(text)
    assert time.process_time() - started < 10, "a second or two on any machine; minutes once it is no longer linear"
