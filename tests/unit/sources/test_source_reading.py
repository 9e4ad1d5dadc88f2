"""The engine under the line formats: cursors, half-written and oversized lines, and files that cannot be read."""

from __future__ import annotations

import json
import os
import tracemalloc
from dataclasses import replace
from pathlib import Path

import pytest
from source_shapes import prose, read_all, said, user, write_lines

from dreamd.core.values import Cursor
from dreamd.sources import ADAPTERS, adapter_for, adapter_of_kind
from dreamd.sources.base import contract
from dreamd.sources.claude_code.session_lines import ClaudeCode

CLAUDE = ClaudeCode()


def test_reading_again_gives_nothing_and_leaves_the_cursor(tmp_path):
    path = write_lines(tmp_path / "s.jsonl", [user("hello there", "u-1")])
    first = read_all(path)
    second = read_all(path, first.cursor)
    assert second.events == ()
    assert second.cursor == first.cursor
    assert second.complete


def test_appended_lines_are_read_from_where_the_last_read_stopped(tmp_path):
    path = write_lines(tmp_path / "s.jsonl", [user("one thing", "u-1")])
    first = read_all(path)
    with path.open("a") as file:
        file.write(json.dumps(user("another", "u-2")) + "\n")
    second = read_all(path, first.cursor)
    assert said(second.events) == ["another"]
    assert second.events[0].start == first.cursor.offset
    assert second.cursor.offset == path.stat().st_size


def test_a_half_written_last_line_is_waited_for(tmp_path):
    path = write_lines(tmp_path / "s.jsonl", [user("one thing", "u-1")])
    whole = path.stat().st_size
    line = json.dumps(user("another", "u-2"))
    path.write_text(path.read_text() + line[:60])
    first = read_all(path)
    assert said(first.events) == ["one thing"]
    assert first.cursor.offset == whole
    assert first.skips == ()
    path.write_text(path.read_text() + line[60:] + "\n")
    assert said(read_all(path, first.cursor).events) == ["another"]


def test_a_whole_last_line_without_a_line_break_is_read(tmp_path):
    path = tmp_path / "s.jsonl"
    path.write_text(json.dumps(user("one thing", "u-1")))
    first = read_all(path)
    assert said(first.events) == ["one thing"]
    with path.open("a") as file:
        file.write("\n" + json.dumps(user("another", "u-2")) + "\n")
    assert said(read_all(path, first.cursor).events) == ["another"]


def test_a_replaced_file_is_read_from_its_beginning(tmp_path):
    path = write_lines(tmp_path / "s.jsonl", [user("one thing", "u-1")])
    cursor = read_all(path).cursor
    write_lines(path, [user("one else", "u-9"), user("more", "u-8")])
    assert said(read_all(path, cursor).events) == ["one else", "more"]


def test_a_change_far_behind_the_beginning_is_noticed(tmp_path):
    path = write_lines(tmp_path / "s.jsonl", [user("filler " * 40, f"u-{n}") for n in range(400)] + [user("old", "x")])
    cursor = read_all(path).cursor
    assert cursor.offset > 100_000
    path.write_text(path.read_text().replace('"old"', '"new"'))
    assert said(read_all(path, cursor).events)[-1] == "new"


def test_a_truncated_file_is_read_from_its_beginning(tmp_path):
    path = write_lines(tmp_path / "s.jsonl", [user("one thing", "u-1"), user("two things", "u-2")])
    cursor = read_all(path).cursor
    write_lines(path, [user("one thing", "u-1")])
    assert said(read_all(path, cursor).events) == ["one thing"]


@pytest.mark.parametrize("carry", ["", "{", "[]", '{"lines":["x",-5,99999999],"tail":4}', '{"lines":7}'])
def test_a_damaged_carry_means_reading_again_not_failing(tmp_path, carry):
    path = write_lines(tmp_path / "s.jsonl", [user("one thing", "u-1")])
    cursor = replace(read_all(path).cursor, carry=carry)
    assert said(read_all(path, cursor).events) == ["one thing"]


def test_a_byte_budget_stops_between_lines_and_says_that_more_is_waiting(tmp_path):
    path = write_lines(tmp_path / "s.jsonl", [user(f"prompt number {n}", f"u-{n}") for n in range(20)])
    cursor, heard, rounds = Cursor(), [], 0
    while True:
        reading = read_all(path, cursor, budget_bytes=1000)
        heard += said(reading.events)
        rounds += 1
        cursor = reading.cursor
        if reading.complete:
            break
    assert heard == [f"prompt number {n}" for n in range(20)]
    assert rounds > 3


def test_a_budget_smaller_than_a_line_still_moves_on(tmp_path):
    path = write_lines(tmp_path / "s.jsonl", [user("one thing", "u-1"), user("two things", "u-2")])
    first = read_all(path, budget_bytes=0)
    assert said(first.events) == ["one thing"]
    assert not first.complete
    assert said(read_all(path, first.cursor, budget_bytes=0).events) == ["two things"]


def test_a_giant_line_is_passed_in_little_memory_and_recorded(tmp_path):
    path = tmp_path / "s.jsonl"
    with path.open("wb") as file:
        file.write(json.dumps(user("before it", "u-1")).encode() + b"\n")
        start = file.tell()
        file.write(b'{"type":"user","message":{"content":"')
        for _ in range(120):
            file.write(b"never mind this " * 65536)
        file.write(b'"}}\n')
        end = file.tell()
        file.write(json.dumps(user("after it", "u-2")).encode() + b"\n")
    tracemalloc.start()
    reading = read_all(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert said(reading.events) == ["before it", "after it"]
    assert [(skip.reason, skip.start, skip.end) for skip in reading.skips] == [(contract.OVERSIZED, start, end)]
    assert peak < 40 * 1024 * 1024


def test_a_giant_line_without_end_is_not_read_twice(tmp_path, monkeypatch):
    monkeypatch.setattr(contract, "LONGEST_LINE_BYTES", 4096)
    path = tmp_path / "s.jsonl"
    path.write_bytes(json.dumps(user("before it", "u-1")).encode() + b"\n" + b"never mind " * 2000)
    first = read_all(path)
    assert first.cursor.offset == path.stat().st_size
    assert read_all(path, first.cursor).skips == ()
    with path.open("ab") as file:
        file.write(b"more of it" * 900 + b"\n" + json.dumps(user("after it", "u-2")).encode() + b"\n")
    second = read_all(path, first.cursor)
    assert said(second.events) == ["after it"]
    assert [skip.reason for skip in second.skips] == [contract.OVERSIZED]


def test_a_giant_line_longer_than_the_budget_is_passed_in_several_reads(tmp_path, monkeypatch):
    monkeypatch.setattr(contract, "LONGEST_LINE_BYTES", 4096)
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"never mind " * 800_000 + b"\n" + json.dumps(user("after it", "u-2")).encode() + b"\n")
    cursor, heard = Cursor(), []
    for _ in range(30):
        reading = CLAUDE.read(path, cursor, budget_bytes=1_000_000)
        heard += said(reading.events)
        assert reading.cursor.offset > cursor.offset
        cursor = reading.cursor
        if reading.complete:
            break
    assert heard == ["after it"]


def test_bytes_that_are_no_utf8_are_replaced_and_counted(tmp_path):
    path = tmp_path / "s.jsonl"
    path.write_bytes(json.dumps(user("caf@ first", "u-1")).encode().replace(b"@", b"\xe9") + b"\n")
    reading = read_all(path)
    assert said(reading.events) == ["caf\ufffd first"]
    assert [skip.reason for skip in reading.skips] == [contract.REPLACED_BYTES]


def test_nul_and_lone_surrogates_never_reach_a_store(tmp_path):
    reading = read_all(write_lines(tmp_path / "s.jsonl", [
        json.dumps(user("a\x00b \ud800 c", "u-1", cwd="/srv/\udcff", uuid="u\ud800"))]))
    (event,) = reading.events
    for text in (event.text, event.cwd, event.uid):
        assert "\x00" not in text
        text.encode("utf-8")


def test_json_nested_beyond_reason_is_a_corrupt_line(tmp_path):
    path = write_lines(tmp_path / "s.jsonl", [user("one thing", "u-1"), '{"a":' + "[" * 200_000, user("two", "u-2")])
    reading = read_all(path)
    assert said(reading.events) == ["one thing", "two"]
    assert contract.CORRUPT in {skip.reason for skip in reading.skips}


@pytest.mark.parametrize("adapter", ADAPTERS, ids=lambda adapter: adapter.kind)
def test_every_adapter_answers_for_paths_that_cannot_be_read(tmp_path, adapter):
    target = tmp_path / "target.jsonl"
    target.write_text("{}\n")
    link = tmp_path / "link.jsonl"
    link.symlink_to(target)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path in (tmp_path / "missing", link, pipe, Path("/dev/null"), tmp_path / "with\x00nul"):
        reading = adapter.read(path, Cursor(), budget_bytes=100)
        assert reading.events == ()
        assert reading.skips, path


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_an_unreadable_file_says_so(tmp_path):
    path = write_lines(tmp_path / "s.jsonl", [user("hi", "u-1")])
    path.chmod(0)
    assert [skip.reason for skip in CLAUDE.read(path, Cursor(), budget_bytes=100).skips] == [contract.UNREADABLE]


def test_reading_never_changes_a_file(tmp_path):
    path = write_lines(tmp_path / "s.jsonl", [user("hi there", "u-1"), prose("Shall I?", "a-1")])
    path.chmod(0o400)
    before, status = path.read_bytes(), path.stat()
    read_all(path)
    after = path.stat()
    assert path.read_bytes() == before
    assert (after.st_mtime_ns, after.st_ctime_ns) == (status.st_mtime_ns, status.st_ctime_ns)


@pytest.mark.parametrize("body", [b"", b"\n\n\n", b"\xff\xfe\x00", b"{}", b"[1,2]\n", b"null\n", b"{" * 5000, b"# hi\n"])
def test_strange_files_are_nobodys(tmp_path, body):
    path = tmp_path / "x"
    path.write_bytes(body)
    assert adapter_for(path) is None


def test_every_kind_can_be_found_again_by_its_name():
    assert all(adapter_of_kind(adapter.kind) is adapter for adapter in ADAPTERS)
    assert adapter_of_kind("carrier pigeon") is None
