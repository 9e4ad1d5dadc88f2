"""A person's edits win: what was changed, deleted and added, and what is no edit at all."""

from __future__ import annotations

import pytest

from dreamd.notes import EditKind, diff_person_edits, render_topic, topic_path

LONG = "Deploys go out on Tuesdays only. " + "Ask the person on call before anything else happens there. " * 3


def edits(before, now):
    return [e for e in diff_person_edits(before, now) if e.kind is not EditKind.IGNORED]


def reasons(before, now):
    return sorted(e.reason for e in diff_person_edits(before, now) if e.kind is EditKind.IGNORED)


@pytest.fixture
def two(make, written):
    """A directory of two memories, and their files."""
    first, second = make("Use pnpm, never npm", number=1), make(LONG.strip(), number=2, days=1)
    return written(first, second), topic_path(first), topic_path(second)


def test_nothing_changed_is_no_edit(two):
    before, _, _ = two
    assert diff_person_edits(before, dict(before)) == []


def test_another_line_end_or_a_byte_order_mark_is_no_edit(two):
    before, _, _ = two
    now = {name: "\ufeff" + text.replace("\n", "\r\n") for name, text in before.items()}
    assert diff_person_edits(before, now) == []


def test_a_changed_body_is_the_new_statement(two):
    before, file, _ = two
    now = {**before, file: before[file].replace("\nUse pnpm, never npm\n", "\nUse bun,\nnever npm\n")}
    [edit] = edits(before, now)
    assert (edit.kind, edit.memory_id, edit.reason) == ("changed", "000001abcdef", "body")
    assert edit.text == "Use bun,\nnever npm"


def test_a_changed_index_line_is_the_new_statement(two):
    before, file, _ = two
    now = {**before, "MEMORY.md": before["MEMORY.md"].replace("— Use pnpm, never npm", "— Use bun, never npm")}
    [edit] = edits(before, now)
    assert (edit.kind, edit.file, edit.text, edit.reason) == ("changed", file, "Use bun, never npm", "index-line")


def test_an_edited_hook_keeps_the_rest_of_a_long_statement(two):
    before, _, file = two
    index = before["MEMORY.md"].replace("— Deploys go out on Tuesdays only.", "— Deploys on Fridays.")
    now = {**before, "MEMORY.md": index}
    [edit] = edits(before, now)
    assert edit.text == LONG.strip().replace("Deploys go out on Tuesdays only.", "Deploys on Fridays.")
    assert edit.file == file


def test_a_changed_description_counts(two):
    before, file, _ = two
    now = {**before, file: before[file].replace('description: "Use pnpm, never npm"', "description: Use bun here")}
    [edit] = edits(before, now)
    assert (edit.text, edit.reason) == ("Use bun here", "description")


def test_the_body_wins_over_the_index_line_and_both_are_recorded(two):
    before, file, _ = two
    now = {
        "MEMORY.md": before["MEMORY.md"].replace("— Use pnpm, never npm", "— Use yarn"),
        file: before[file].replace("\nUse pnpm, never npm\n", "\nUse bun\n"),
        **{k: v for k, v in before.items() if k not in ("MEMORY.md", file)},
    }
    [edit] = edits(before, now)
    assert (edit.text, [b.text for b in edit.beside]) == ("Use bun", ["Use yarn"])


def test_words_below_the_provenance_are_part_of_the_edit(two):
    before, file, _ = two
    [edit] = edits(before, {**before, file: before[file] + "\nExcept in the docs folder.\n"})
    assert edit.text == "Use pnpm, never npm\n\nExcept in the docs folder."


def test_a_deleted_file_is_a_wish(two):
    before, file, _ = two
    [edit] = edits(before, {k: v for k, v in before.items() if k != file})
    assert (edit.kind, edit.memory_id, edit.reason) == ("deleted", "000001abcdef", "file-deleted")


def test_a_deleted_index_line_is_a_wish(two):
    before, file, _ = two
    index = "".join(x for x in before["MEMORY.md"].splitlines(keepends=True) if file not in x)
    [edit] = edits(before, {**before, "MEMORY.md": index})
    assert (edit.kind, edit.memory_id, edit.reason) == ("deleted", "000001abcdef", "line-deleted")


def test_a_comment_that_never_closes_hides_no_line(make, written):
    before = written(*(make(f"Fact number {n}", number=n, days=n) for n in range(4)))
    now = {**before, "MEMORY.md": before["MEMORY.md"].replace("edits win -->", "edits win")}
    assert [e.kind for e in edits(before, now)] in ([], ["added"])


def test_what_an_index_says_of_itself_may_go_and_is_no_wish(make, written):
    before = written(*(make(f"Fact number {n}", number=n, days=n) for n in range(6)))
    assert edits(before, {**before, "MEMORY.md": before["MEMORY.md"].replace("End of the index.\n", "")}) == []


def test_an_emptied_topic_file_is_a_wish(two):
    before, file, _ = two
    [edit] = edits(before, {**before, file: ""})
    assert (edit.kind, edit.reason) == ("deleted", "emptied")


def test_an_emptied_index_deletes_nothing(two):
    before, _, _ = two
    for index in ("", "\n \n"):
        assert edits(before, {**before, "MEMORY.md": index}) == []
        assert reasons(before, {**before, "MEMORY.md": index}) == ["index-emptied"]
    assert edits(before, {k: v for k, v in before.items() if k != "MEMORY.md"}) == []


def test_an_index_replaced_as_a_whole_deletes_nothing_and_its_lines_are_learned(make, written):
    before = written(*(make(f"Fact number {n}", number=n) for n in range(6)))
    found = edits(before, {**before, "MEMORY.md": "# Memory\n\n- Ship on Mondays\n"})
    assert [(e.kind, e.text) for e in found] == [("added", "Ship on Mondays")]


def test_a_directory_wiped_as_a_whole_deletes_nothing(two):
    before, _, _ = two
    [edit] = diff_person_edits(before, {})
    assert (edit.kind, edit.reason) == ("ignored", "directory-emptied")


def test_a_deleted_overflow_file_deletes_nothing(make, written):
    before = written(*(make(f"Fact number {n} with some words", number=n) for n in range(300)))
    assert "more.md" in before
    assert edits(before, {k: v for k, v in before.items() if k != "more.md"}) == []


def test_a_line_moved_between_index_and_overflow_is_no_edit(make, written):
    before = written(*(make(f"Fact number {n} with some words", number=n) for n in range(300)))
    line = next(x for x in before["more.md"].splitlines(keepends=True) if x.startswith("- ["))
    now = {**before, "more.md": before["more.md"].replace(line, ""), "MEMORY.md": before["MEMORY.md"] + line}
    assert edits(before, now) == []


def test_a_renamed_file_is_the_same_memory(two):
    before, file, _ = two
    now = {("my own name.md" if k == file else k): v for k, v in before.items()}
    [edit] = diff_person_edits(before, now)
    assert (edit.kind, edit.reason, edit.file, edit.previous_file) == ("ignored", "renamed", "my own name.md", file)


def test_a_case_only_rename_is_no_deletion(two):
    before, file, _ = two
    now = {(file.upper() if k == file else k): v for k, v in before.items()}
    assert edits(before, now) == []


def test_a_renamed_and_edited_file_is_a_change(two):
    before, file, _ = two
    now = {k: v for k, v in before.items() if k != file}
    now["other.md"] = before[file].replace("\nUse pnpm, never npm\n", "\nUse bun\n")
    [edit] = edits(before, now)
    assert (edit.kind, edit.text, edit.file, edit.previous_file) == ("changed", "Use bun", "other.md", file)


def test_a_changed_heading_is_no_edit_and_a_changed_title_is_one_of_the_title_alone(two):
    before, _, _ = two
    index = before["MEMORY.md"].replace("## Rules and conventions", "## House rules")
    index = index.replace("[rule](000001abcdef", "[X](000001abcdef")
    [edit] = edits(before, {**before, "MEMORY.md": index})
    assert (edit.kind, edit.title, edit.text, edit.memory_id) == ("titled", "X", "", "000001abcdef")
    assert reasons(before, {**before, "MEMORY.md": index}) == ["heading"]


def test_touched_frontmatter_is_no_edit(two):
    before, file, _ = two
    now = {**before, file: before[file].replace("type: feedback", "type: feedback\n  originSessionId: 00-11")}
    assert edits(before, now) == []


def test_a_lost_provenance_comment_is_found_by_the_file_name(two):
    before, file, _ = two
    now = {**before, file: "Use bun\n"}
    [edit] = edits(before, now)
    assert (edit.kind, edit.memory_id, edit.text) == ("changed", "000001abcdef", "Use bun")


def test_a_mangled_provenance_comment_is_found_by_the_file_name(two):
    before, file, _ = two
    now = {**before, file: before[file].replace("id=000001abcdef", "id=what")}
    assert edits(before, now) == []


def test_a_new_line_is_learned_with_its_section(two):
    before, _, _ = two
    added = "\n## Notes\n* Ship on Mondays,\n  never later\n\nA plain sentence.\n"
    now = {**before, "MEMORY.md": before["MEMORY.md"] + added}
    found = edits(before, now)
    assert [(e.kind, e.text, e.title) for e in found] == [
        ("added", "Ship on Mondays, never later", "Notes"),
        ("added", "A plain sentence.", "Notes"),
    ]


def test_a_table_row_is_learned_and_its_head_is_not(two):
    before, _, _ = two
    now = {**before, "MEMORY.md": before["MEMORY.md"] + "\n| service | port |\n|---|---|\n| billing | 8080 |\n"}
    assert [e.text for e in edits(before, now)] == ["billing — 8080"]


def test_a_new_line_with_a_dead_link_is_learned(two):
    before, _, _ = two
    now = {**before, "MEMORY.md": before["MEMORY.md"] + "- [Ports](ports.md) — billing listens on 8080\n"}
    [edit] = edits(before, now)
    assert (edit.kind, edit.text, edit.title) == ("added", "billing listens on 8080", "Ports")


def test_a_new_file_and_its_pointer_are_learned_once(two):
    before, _, _ = two
    new = "---\nname: ports\ndescription: billing port\ntype: reference\n---\n\nbilling listens on 8080\n"
    index = before["MEMORY.md"] + "- [Ports](ports.md) — where billing listens\n"
    now = {**before, "ports.md": new, "MEMORY.md": index}
    [edit] = edits(before, now)
    assert (edit.text, edit.type_hint, edit.title, [b.text for b in edit.beside]) == (
        "billing listens on 8080", "reference", "ports", ["where billing listens"])


def test_a_rewritten_line_without_its_link_is_that_line(two):
    before, file, _ = two
    lines = before["MEMORY.md"].splitlines(keepends=True)
    index = "".join("- Use bun, never npm\n" if file in line else line for line in lines)
    [edit] = edits(before, {**before, "MEMORY.md": index})
    assert (edit.kind, edit.memory_id, edit.text) == ("changed", "000001abcdef", "Use bun, never npm")


def test_a_second_line_for_a_memory_is_learned_beside_it(two):
    before, file, _ = two
    now = {**before, "MEMORY.md": before["MEMORY.md"] + f"- [pnpm]({file}) — pnpm 9 or newer\n"}
    assert [(e.kind, e.text) for e in edits(before, now)] == [("added", "pnpm 9 or newer")]
    above = before["MEMORY.md"].replace("- [", f"- [pnpm]({file}) — pnpm 9 or newer\n- [", 1)
    assert [(e.kind, e.text) for e in edits(before, {**before, "MEMORY.md": above})] == [("added", "pnpm 9 or newer")]


def test_a_copied_file_is_no_new_memory_and_an_edited_copy_is(two):
    before, file, _ = two
    assert edits(before, {**before, "copy.md": before[file]}) == []
    now = {**before, "copy.md": before[file].replace("\nUse pnpm, never npm\n", "\nUse bun\n")}
    [edit] = edits(before, now)
    assert (edit.kind, edit.memory_id, edit.text) == ("added", "", "Use bun")


def test_a_changed_or_removed_end_date_is_an_edit(make, written):
    memory = make("Staging is frozen", ttl="2026-06-01")
    before, file = written(memory), topic_path(memory)
    [edit] = edits(before, {**before, file: before[file].replace("TTL: 2026-06-01", "TTL: 2026-07-01")})
    assert (edit.kind, edit.text, edit.ttl) == ("changed", "Staging is frozen", "2026-07-01")
    [edit] = edits(before, {**before, file: before[file].replace("\nTTL: 2026-06-01\n", "")})
    assert edit.ttl is None
    index = before["MEMORY.md"].replace("TTL: 2026-06-01", "TTL: 2026-08-01")
    [edit] = edits(before, {**before, "MEMORY.md": index})
    assert edit.ttl == "2026-08-01"


def test_a_long_new_file_without_frontmatter_is_read_paragraph_by_paragraph(two):
    before, _, _ = two
    text = "# Ports\n\n- billing: 8080\n- search: 8081\n\n" + "A long paragraph about it. " * 40
    found = edits(before, {**before, "ports.md": text})
    assert [e.text[:14] for e in found] == ["billing: 8080", "search: 8081", "A long paragra"]


def test_garbage_is_kept_apart_and_nothing_fails(two):
    before, file, _ = two
    now = {**before, file: "\x00\x01<!-- dream: id=", "x.bin": "\ud800", "sub/a.md": "x"}
    found = diff_person_edits(before, now)
    assert [e.file for e in found if e.reason == "not-markdown"] == ["sub/a.md", "x.bin"]
    assert [e.memory_id for e in found if e.kind is EditKind.CHANGED] == ["000001abcdef"]


def test_what_a_person_typed_is_rendered_and_read_back_as_typed(make):
    memory = make("# Heading\n- [x](y.md)\n<b>bold</b> C:\\new & more", number=3)
    assert diff_person_edits({"a.md": render_topic(memory)}, {"a.md": render_topic(memory) + "\n"}) == []
