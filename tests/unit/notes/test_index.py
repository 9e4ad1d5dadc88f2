"""The index of one scope."""

from __future__ import annotations

from datetime import timedelta

import pytest

from dreamd.core.values import Category, MemoryClass, MemoryType, Status, Trust
from dreamd.notes import (
    IndexFrame,
    IndexPlan,
    compose_again,
    index_entry,
    index_size,
    kept_parts,
    read_directory,
    render_index,
    topic_path,
)
from dreamd.notes.index_lines import kept_line, read_kept_lines


def shown_ids(plan: IndexPlan) -> tuple[str, ...]:
    return tuple(line.id for line in plan.parts[0])


def moved_ids(plan: IndexPlan) -> tuple[str, ...]:
    return tuple(line.id for part in plan.parts[1:] for line in part)


def test_an_index_has_one_dated_line_a_memory_in_sections_and_says_nothing_twice(make):
    pref = make("Answer in German", number=1, memory_class=MemoryClass.PREFERENCE, category=Category.PREFERENCES)
    rule = make("Use pnpm, never npm", number=2, days=1)
    state = make("Staging is frozen", number=3, days=2, category=Category.OPERATIONS, ttl="2026-06-01",
                 memory_class=MemoryClass.STATE)
    assert render_index([rule, state, pref]).text == (
        "# Memory\n\n"
        "<!-- dream: index of 3 memories, kept in order; edit freely, your edits win -->\n\n"
        "## Preferences\n"
        "- [preference](000001abcdef.md) — Answer in German (2026-05-07)\n\n"
        "## Rules and conventions\n"
        "- [rule](000002abcdef.md) — Use pnpm, never npm (2026-05-08)\n\n"
        "## Operations\n"
        "- [state](000003abcdef.md) — Staging is frozen (2026-05-09, TTL: 2026-06-01)\n\n"
        "End of the index.\n"
    )


def test_what_was_asked_for_stands_before_what_was_not_and_of_two_alike_the_later_confirmed(make):
    kind = {"memory_class": MemoryClass.REFERENCE, "category": Category.OPERATIONS}
    first, later = make("Look-up one", number=1, **kind), make("Look-up two", number=2, days=9, **kind)
    asked = make("Look-up three", number=3, recalls=1, **kind)
    often = make("Look-up four", number=4, recalls=40, **kind)
    assert shown_ids(render_index([first, later, asked, often])) == (often.id, asked.id, later.id, first.id)


def test_a_standing_rule_keeps_its_place_beside_what_is_asked_for_and_a_paste_gains_none(make):
    kind = {"memory_class": MemoryClass.REFERENCE, "category": Category.OPERATIONS}
    rule = make("Never push on Fridays", number=1)
    twice = make("Always run the tests", number=2, days=-30, spoken_in=("a", "b"))
    pasted = make("A long template", number=3, days=30, support=400, spoken_in=("a",), **kind)
    fresh = make("A look-up", number=4, days=31, **kind)
    assert shown_ids(render_index([rule, twice, pasted, fresh])) == (twice.id, rule.id, fresh.id, pasted.id)


def test_held_and_ended_memories_are_never_shown(make):
    hidden = [make(f"Hidden {s}", number=n, status=s) for n, s in enumerate(Status) if s not in ("live", "stale")]
    plan = render_index([make("Shown", number=9), *hidden])
    assert shown_ids(plan) == ("000009abcdef",)
    assert "Hidden" not in plan.text


def test_an_empty_scope_has_an_index_that_reads_as_empty():
    plan = render_index([])
    assert plan.text.startswith("# Memory\n")
    assert read_directory({"MEMORY.md": plan.text}).lines == ()


def test_what_is_worth_least_leaves_first_and_is_told_where_it_went(make):
    old = make("A look-up nobody confirmed", number=1, memory_class=MemoryClass.REFERENCE, category=Category.OPERATIONS)
    stale = make("A stale one", number=2, days=90, status=Status.STALE)
    pinned = make("A pinned one", number=3, pinned=True, memory_class=MemoryClass.STATE)
    rules = [make(f"Rule {n} of many", number=10 + n, days=n % 50) for n in range(200)]
    plan = render_index([old, stale, pinned, *rules])
    assert index_size(plan.text)[0] <= 140
    assert pinned.id in shown_ids(plan)
    assert moved_ids(plan)[-2:] == (old.id, stale.id)
    last = plan.overflow[-1][0]
    where = f"[more.md](more.md) to [{last}]({last})"
    assert plan.text.endswith(f"\n\n{len(moved_ids(plan))} more memories are in {where}.\n\nEnd of the index.\n")
    assert f"({topic_path(stale)}) — A stale one (2026-08-05, stale)" in plan.overflow[-1][1]


def test_an_overflow_of_few_lines_is_one_page(make):
    memories = [make(f"Rule {n}: " + "long words " * 12, number=n, days=n) for n in range(160)]
    plan = render_index(memories)
    assert 10 < len(moved_ids(plan)) < 32
    assert f"\n\n{len(moved_ids(plan))} more memories are in [more.md](more.md).\n" in plan.text
    assert plan.overflow and plan.overflow[0][1].startswith("# More memories\n")


def test_an_index_that_fits_is_left_whole(make):
    plan = render_index([make(f"Rule {n}", number=n) for n in range(150)])
    assert moved_ids(plan) == () and plan.overflow == ()
    assert 140 < index_size(plan.text)[0] <= 200


@pytest.mark.parametrize("count", [1_000, 3_000])
def test_a_very_long_overflow_is_split_and_no_line_is_cut(make, count):
    memories = [make(f"Rule {n}: " + "long words " * 20, number=n, days=n % 40) for n in range(count)]
    plan = render_index(memories)
    names = [name for name, _ in plan.overflow]
    assert names[:2] == ["more.md", "more-2.md"] and len(names) == len(set(names))
    assert f"[more.md](more.md) to [{names[-1]}]({names[-1]})." in plan.text
    lines = [line for line in read_directory(plan.files).lines if not line.recent]
    assert sorted(line.target for line in lines) == sorted(topic_path(m) for m in memories)
    assert all(line.raw.endswith(")") for line in lines)


def test_a_memory_that_comes_or_goes_changes_no_more_than_a_page_or_two(make):
    memories = [make(f"Rule {n} of the harbour", number=n, days=n % 40) for n in range(3_000)]
    newest = make("A rule of today", number=9_000, days=50)
    before, after = render_index(memories).overflow, render_index([*memories, newest]).overflow
    texts = {text.partition("\n")[2] for _, text in before}  # behind the heading, which counts the pages
    assert len(before) > 6
    assert sum(text.partition("\n")[2] not in texts for _, text in after) <= 2


def test_the_caps_count_neither_frontmatter_nor_comments():
    assert index_size("---\nname: x\n---\n# Memory\n<!-- a\nb -->\n- one\n") == (2, 15)
    assert index_size("<!-- a --><!-- b -->\n- one\n") == (1, 6)
    assert index_size("- one <!-- a --><!-- b -->\n<!-- c -->\n") == (1, 27)
    assert index_size("- one <!-- a -->\n- two\n") == (2, 23)
    assert index_size("- one\n<!-- never closed\n- two\n") == (3, 30)


def test_doubt_is_shown_beside_the_line(make):
    text = render_index([make("Runs on port 80", unverified=True, trust=Trust.UNTRUSTED)]).text
    assert "(2026-05-07, unverified, from an untrusted source)" in text


def test_the_date_of_a_line_is_when_it_was_last_said(make):
    memory = make("Use pnpm")
    later = make("Use pnpm", confirmed_at=memory.confirmed_at + timedelta(days=30))
    assert "(2026-06-06)" in render_index([later]).text


def test_a_file_name_with_spaces_still_makes_a_link_that_is_found(make):
    memory = make("Use pnpm", file="My (own) note.md", memory_type=MemoryType.USER)
    [line] = read_directory(render_index([memory]).files).lines
    assert line.target == "My (own) note.md"


def test_lines_are_kept_and_read_again_whatever_stands_in_them(make):
    memories = [
        make("Use pnpm", number=1), make("Ask Ines (or Hugo) — never both", number=2), make("A [bracketed] matter", number=3),
        make("Use oak", number=4, file="My (own) note.md"), make("The pier (old) — see [x](y.md) — is shut", number=5),
        make("Größe 12 — ok", number=6, ttl="2026-06-01"), make("Spaces in names", number=7, file="a b.md"),
        make("A\ttab and\na line", number=8), make("A stale one", number=9, status=Status.STALE)]
    entries = [index_entry(m) for m in memories]
    assert read_kept_lines(map(kept_line, entries)) == entries


def test_kept_lines_sort_as_the_index_does(make):
    memories = [make(f"Rule {n}", number=n, days=n * 37 % 90 - 45, recalls=n % 5, pinned=n % 11 == 0,
                     status=Status.STALE if n % 7 == 0 else Status.LIVE) for n in range(120)]
    plan = render_index(memories)
    lines = sorted(kept_line(index_entry(m)) for m in memories)
    assert [e.id for e in read_kept_lines(lines)] == [*shown_ids(plan), *moved_ids(plan)]


def test_an_index_made_again_makes_only_the_pages_that_changed(make):
    memories = [make(f"Rule {n} of the harbour", number=n, days=n % 40) for n in range(3_000)]
    plan = render_index(memories)
    shas = dict.fromkeys(plan.files, "as written")
    newest = make("A rule of today", number=9_000, days=50)
    again = compose_again(kept_parts(plan, shas), [newest.id], [index_entry(newest)], frame=IndexFrame(), written=shas)
    made = {file.name: file.text for file in again if file.text is not None}
    assert {**plan.files, **made} == render_index([*memories, newest]).files
    assert len(made) <= 3 < len(again)
