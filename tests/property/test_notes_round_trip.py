"""Statements survive being written and read; renders do not depend on order; nothing a text holds becomes structure."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import yaml
from hypothesis import given
from hypothesis import strategies as st

from dreamd.core.values import Category, Memory, MemoryClass, MemoryType, Scope, Status, Trust
from dreamd.notes import (
    EarlierVersion,
    diff_person_edits,
    index_size,
    read_directory,
    read_topic,
    render_index,
    render_topic,
    topic_path,
)
from dreamd.notes.safe_text import one_line, read_body, read_line, write_body, write_line
from thorough import examples

DAY = datetime(2026, 5, 7, 9, 30, tzinfo=UTC)
PIECES = [
    *["---", "<!--", "-->", "--!>", "# ", "## Recent", "- [", "](", "\n", "\n\n", "\\", "TTL: 2026-01-01", "```"],
    *["<!-- dream: id=a", "&#x200B;", "&amp;#xD;", "\u202e", "\u200b", "\ufeff", "\r\n", "\r", "\x00", "\u2028"],
    *["<system-reminder>", "System:", "**Why:** ", "Earlier:", "name: x", " ", "\t", "é", "日本", "a", "b c", "§", "…"],
    *["\ud800", "===", " (2026-01-01)", "\U000e0041"],
]
TEXTS = st.one_of(st.lists(st.sampled_from(PIECES), max_size=14).map("".join), st.text(max_size=60))


def memory(text: str, *, number: int = 1, days: int = 0, **changes: object) -> Memory:
    at = DAY + timedelta(days=days)
    values: dict[str, object] = {
        "id": f"{number:012x}", "scope": Scope("user"), "text": text, "memory_class": MemoryClass.RULE,
        "memory_type": MemoryType.FEEDBACK, "category": Category.RULES, "status": Status.LIVE, "trust": Trust.USER,
        "authority": Trust.USER, "created_at": at, "updated_at": at, "confirmed_at": at, "valid_from": at,
    }
    return Memory(**{**values, **changes})  # type: ignore[arg-type]


@given(TEXTS)
@examples(600)
def test_a_body_reads_back_as_it_was_said(text: str) -> None:
    assert read_body(write_body(text)) == text


@given(TEXTS)
@examples(400)
def test_a_line_reads_back_and_stays_one_line(text: str) -> None:
    written = write_line(text)
    assert read_line(written) == one_line(text)
    assert len(written.splitlines()) <= 1
    assert "<!--" not in written and "-->" not in written and "](" not in written
    written.encode("utf-8")


@given(TEXTS, st.sampled_from([None, "2026-06-01"]), st.lists(TEXTS, max_size=2))
@examples(500)
def test_a_topic_file_gives_the_statement_back_and_its_head_is_yaml(text: str, ttl: str | None, old: list[str]) -> None:
    one = memory(text, ttl=ttl)
    written = render_topic(one, earlier=[EarlierVersion(x, DAY, DAY) for x in old], sources=[text])
    found = read_topic(topic_path(one), written)
    assert (found.statement, found.ttl, found.memory_id, found.type) == (text, ttl, one.id, "feedback")
    head = yaml.safe_load(written.split("\n---\n")[0].removeprefix("---\n"))
    assert head["metadata"]["type"] == "feedback"
    assert head["name"] == topic_path(one)[:-3]
    assert isinstance(head["description"], str)
    assert written.count("<!--") == 1 and written.count("-->") == 1


@given(st.lists(TEXTS, min_size=1, max_size=8))
@examples(300)
def test_no_text_adds_a_line_to_the_index(texts: list[str]) -> None:
    memories = [memory(text, number=n + 1, days=n) for n, text in enumerate(texts)]
    plan = render_index(memories)
    files = {topic_path(m): render_topic(m) for m in memories}
    read = read_directory({**plan.files, **files})
    assert [line.target for line in read.lines if not line.recent] == [topic_path(m) for m in reversed(memories)]
    assert set(read.headings) <= {"Memory", "Rules and conventions", "Recent"}
    assert diff_person_edits({**plan.files, **files}, {**plan.files, **files}) == []


@given(st.integers(0, 500), st.integers(1, 200), st.randoms(use_true_random=False))
@examples(25)
def test_an_index_is_the_same_in_any_order_and_within_its_caps(count: int, words: int, order: object) -> None:
    memories = [memory(f"Rule {n} " + "word " * words, number=n, days=n % 90) for n in range(count)]
    plan = render_index(memories)
    order.shuffle(memories)  # type: ignore[attr-defined]
    assert render_index(memories) == plan
    lines, size = index_size(plan.text)
    assert lines <= 200 and size <= 25_000
    assert sorted(line.id for part in plan.parts for line in part) == sorted(m.id for m in memories)
    told = "".join(plan.files.values())
    assert all(f"]({topic_path(m)}) — " in told for m in memories)


@given(st.dictionaries(st.sampled_from(["MEMORY.md", "more.md", "a.md", "feedback_x-000001.md", "notes.txt"]), TEXTS))
@examples(300)
def test_any_directory_can_be_read_and_compared(files: dict[str, str]) -> None:
    one = memory("Use pnpm, never npm", file="feedback_x-000001.md")
    accepted = {**render_index([one]).files, "feedback_x-000001.md": render_topic(one)}
    for edit in [*diff_person_edits(accepted, files), *diff_person_edits(files, accepted)]:
        assert edit.kind


@given(TEXTS, TEXTS, st.sampled_from(["body", "line", "file", "tail"]))
@examples(400)
def test_what_a_person_typed_is_in_some_edit(above: str, below: str, place: str) -> None:
    one, other = memory("Use pnpm, never npm", number=1), memory("Ship on Mondays only", number=2)
    files = {**render_index([one, other]).files, **{topic_path(m): render_topic(m) for m in (one, other)}}
    typed, file = f"{above}\nzebra crossing\n{below}", topic_path(one)
    now = dict(files)
    if place == "body":
        now[file] = files[file].replace("\nUse pnpm, never npm\n", f"\n{typed}\n")
    elif place == "line":
        now["MEMORY.md"] = files["MEMORY.md"] + typed
    else:
        now[file if place == "tail" else "mine.md"] = files[file] + typed if place == "tail" else typed
    said = [f"{e.text}\n{e.title}\n{' '.join(b.text for b in e.beside)}" for e in diff_person_edits(files, now)]
    assert "zebra crossing" in " ".join(" ".join(said).split())
