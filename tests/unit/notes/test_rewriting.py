"""Edits that keep every byte they do not mean to change."""

from __future__ import annotations

import pytest

from dreamd.core.errors import DreamError, Refused
from dreamd.notes import (
    Action,
    Dialect,
    EntryEdit,
    IndexLimits,
    apply_edits,
    fit_index,
    index_size,
    propose_edits,
    read_entries,
)


def edit(files, words, action, text="", dialect=Dialect.CLAUDE):
    entry = next(e for e in read_entries(files, dialect) if e.claims and e.text == words)
    return apply_edits(files, [EntryEdit(entry, action, text)], dialect=dialect)


def test_a_replaced_entry_keeps_marker_marks_and_line_end():
    files = {"MEMORY.md": "# M\r\n*   [ ] Likes tea <!-- importance: 7 -->\r\n* b\r\n"}
    after = edit(files, "Likes tea", Action.REPLACE, "Likes coffee\nblack", Dialect.OPENCLAW)
    assert after["MEMORY.md"] == "# M\r\n*   [ ] Likes coffee\r\n  black <!-- importance: 7 -->\r\n* b\r\n"


def test_a_replaced_pointer_keeps_its_link():
    files = {"MEMORY.md": "- [A](a.md): old\n- [B](b.md)\n"}
    assert edit(files, "old", Action.REPLACE, "new\nwords")["MEMORY.md"] == "- [A](a.md): new words\n- [B](b.md)\n"
    assert edit(files, "", Action.REPLACE, "new")["MEMORY.md"] == "- [A](a.md): old\n- [B](b.md) — new\n"


def test_a_removed_entry_takes_its_lines_and_nothing_else():
    files = {"MEMORY.md": "# M\n\n- one\n- two\n  more\n- three"}
    assert edit(files, "two\n  more", Action.REMOVE)["MEMORY.md"] == "# M\n\n- one\n- three"
    assert edit(files, "three", Action.END)["MEMORY.md"] == "# M\n\n- one\n- two\n  more\n"


def test_a_removed_topic_takes_its_file():
    files = {"MEMORY.md": "# M\n", "a.md": "---\nname: a\n---\nGone\n"}
    assert edit(files, "Gone", Action.REMOVE) == {"MEMORY.md": "# M\n"}


@pytest.mark.parametrize(
    ("words", "after"), [("one", "two\n§\nthree\n"), ("two", "one\n§\nthree\n"), ("three", "one\n§\ntwo\n")]
)
def test_a_removed_sign_entry_takes_one_separator(words, after):
    files = {"MEMORY.md": "one\n§\ntwo\n§\nthree\n"}
    assert edit(files, words, Action.REMOVE, dialect=Dialect.HERMES)["MEMORY.md"] == after


def test_an_appended_entry_takes_the_shape_of_its_neighbour():
    files = {"MEMORY.md": "# M\r\n* one"}
    assert edit(files, "one", Action.APPEND, "two")["MEMORY.md"] == "# M\r\n* one\r\n* two\r\n"
    files = {"MEMORY.md": "one\n§\ntwo\n"}
    assert edit(files, "two", Action.APPEND, "three", Dialect.HERMES)["MEMORY.md"] == "one\n§\ntwo\n§\nthree\n"


def test_a_file_is_not_brought_over_the_limit_its_agent_has():
    files = {"USER.md": "x" * 1_300 + "\n§\ntwo\n"}
    with pytest.raises(Refused):
        edit(files, "two", Action.APPEND, "y" * 100, Dialect.HERMES)


def test_a_link_changes_its_target_or_loses_it_and_keeps_its_words():
    files = {"MEMORY.md": "- [A b](a.md) — hook\n"}
    assert edit(files, "hook", Action.RELINK, "new name.md")["MEMORY.md"] == "- [A b](<new name.md>) — hook\n"
    assert edit(files, "hook", Action.UNLINK)["MEMORY.md"] == "- A b — hook\n"


def test_instructions_of_the_owner_are_proposed_to_and_not_edited():
    files = {"CLAUDE.md": "- be kind\n- be quick\n"}
    entry = next(e for e in read_entries(files, Dialect.GENERIC) if e.text == "be quick")
    change = EntryEdit(entry, Action.REPLACE, "be slow")
    with pytest.raises(Refused):
        apply_edits(files, [change], dialect=Dialect.GENERIC)
    assert propose_edits(files, [change], dialect=Dialect.GENERIC).endswith("-- be quick\n+- be slow\n")


def test_a_file_that_changed_meanwhile_is_not_edited():
    files = {"MEMORY.md": "- one\n"}
    [entry] = read_entries(files, Dialect.CLAUDE)
    with pytest.raises(DreamError, match="has changed"):
        apply_edits({"MEMORY.md": "- two\n"}, [EntryEdit(entry, Action.REMOVE)], dialect=Dialect.CLAUDE)


def long_index(count=230):
    lines = [f"- [Plan {n}](project_{n}.md) — 2026-0{1 + n % 9}-01 something was decided\n" for n in range(count)]
    rules = [f"- [Rule {n}](feedback_{n}.md) — never do {n}\n" for n in range(20)]
    return {"MEMORY.md": "# Memory\n\n## Plans\n" + "".join(lines) + "\n## Rules\n" + "".join(rules)}


def test_a_long_index_is_brought_down_by_moving_its_least_lines():
    files = long_index()
    after = fit_index(files, dialect=Dialect.CLAUDE, limits=IndexLimits())
    lines, size = index_size(after["MEMORY.md"])
    assert lines <= 140 and size <= 17_500
    assert after["MEMORY.md"].count("never do") == 20
    assert "[More](more.md)" in after["MEMORY.md"]
    before = sorted(x for x in files["MEMORY.md"].splitlines() if x.startswith("- "))
    left = [x for text in after.values() for x in text.splitlines() if x.startswith("- ") and "[More]" not in x]
    assert sorted(left) == before
    assert fit_index(after, dialect=Dialect.CLAUDE, limits=IndexLimits()) == after


def test_what_moves_out_joins_what_moved_before():
    once = fit_index(long_index(), dialect=Dialect.CLAUDE, limits=IndexLimits())
    grown = {**once, "MEMORY.md": once["MEMORY.md"] + "".join(f"- fresh line number {n}\n" for n in range(90))}
    twice = fit_index(grown, dialect=Dialect.CLAUDE, limits=IndexLimits())
    assert twice["more.md"].startswith(once["more.md"])
    assert twice["MEMORY.md"].count("[More](more.md)") == 1


def test_a_topic_file_called_more_is_left_alone():
    own = "---\nname: more\ntype: user\n---\nBody\n"
    after = fit_index({**long_index(), "more.md": own}, dialect=Dialect.CLAUDE, limits=IndexLimits())
    assert after["more.md"] == own and "more-2.md" in after


def test_other_dialects_have_no_such_limit():
    files = {"MEMORY.md": "- x\n" * 500}
    assert fit_index(files, dialect=Dialect.CODEX, limits=IndexLimits()) == files
