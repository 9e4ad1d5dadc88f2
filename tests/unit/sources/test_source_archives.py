"""Conversations that agents packed away: read as what they were, never more than so much of them, and no word twice."""

from __future__ import annotations

import io
import json
import sqlite3
import sys
import tracemalloc
from contextlib import closing

import pytest
from source_shapes import read_all, said, write_lines, zstd

from dreamd.core.values import Cursor
from dreamd.sources import SourceRoots, adapter_for, discover
from dreamd.sources.base import contract, unpacking
from dreamd.sources.base.unpacking import unpack, unpacked

ROLLOUT = [
    {"timestamp": "2026-09-14T10:00:00.000Z", "type": "session_meta", "payload": {"id": "p-1", "cwd": "/srv/otter"}},
    *({"timestamp": f"2026-09-14T10:00:{n:02d}.000Z", "type": "event_msg",
       "payload": {"type": "user_message", "message": f"water the ferns in room {n}"}} for n in range(1, 9))]
WORDS = [f"water the ferns in room {n}" for n in range(1, 9)]


def pack(path, *, keep=False):
    """Pack a file away as the agents do."""
    packed = path.with_name(path.name + ".zst")
    packed.write_bytes(zstd.compress(path.read_bytes()))
    if not keep:
        path.unlink()
    return packed


@pytest.fixture
def rollout(tmp_path):
    return write_lines(tmp_path / "sessions" / "2026" / "09" / "14" / "rollout-2026-09-14T10-00-00-p-1.jsonl", ROLLOUT)


def test_a_packed_conversation_is_found_and_read_like_the_file_it_was(rollout, tmp_path):
    plain = read_all(rollout)
    packed = read_all(pack(rollout))
    assert said(packed.events) == WORDS
    assert [(e.text, e.uid, e.cwd, e.conversation, e.start) for e in packed.events] == [
        (e.text, e.uid, e.cwd, e.conversation, e.start) for e in plain.events]
    assert packed.complete
    assert [(s.kind, s.path.suffix, s.project_key) for s in discover(SourceRoots(codex_dirs=(tmp_path,)))] == [
        ("codex", ".zst", "otter")]


def test_a_conversation_that_is_packed_away_was_read_as_far_as_before_and_back_again(rollout):
    first = read_all(rollout, budget_bytes=500)
    packed = pack(rollout)
    rest = read_all(packed, first.cursor)
    assert said(first.events) + said(rest.events) == WORDS
    again = read_all(packed, rest.cursor)
    assert again.events == () and again.cursor == rest.cursor
    rollout.write_bytes(zstd.decompress(packed.read_bytes()))
    assert read_all(rollout, rest.cursor).events == ()


def test_a_packed_conversation_is_read_in_pieces_within_the_budget(rollout):
    packed, cursor, heard = pack(rollout), Cursor(), []
    for _ in range(20):
        reading = read_all(packed, cursor, budget_bytes=1)
        heard, cursor = heard + said(reading.events), reading.cursor
    assert heard == WORDS and reading.complete
    assert cursor.size == packed.stat().st_size  # by which the next dream sees that nothing changed


def test_an_archive_beside_its_file_is_not_read_twice(rollout, tmp_path):
    pack(rollout, keep=True)
    for roots in (SourceRoots(codex_dirs=(tmp_path,)), SourceRoots(extra=(tmp_path,))):
        assert [s.path for s in discover(roots)] == [rollout]


def test_several_frames_in_one_archive_are_one_file(rollout):
    body = rollout.read_bytes()
    packed = rollout.with_name(rollout.name + ".zst")
    packed.write_bytes(zstd.compress(body[:700]) + zstd.compress(body[700:]))
    assert said(read_all(packed).events) == WORDS


def test_what_lies_before_the_damage_of_an_archive_is_read_and_the_damage_is_told(rollout):
    body = rollout.read_bytes()
    begin = body.index(b"room 5")
    packed = rollout.with_name(rollout.name + ".zst")
    packed.write_bytes(zstd.compress(body[:begin]) + b"no frame at all")
    reading = read_all(packed)
    assert said(reading.events) == WORDS[:4]
    assert [s.reason for s in reading.skips if s.reason not in contract.ORDINARY] == [contract.DAMAGED]


def test_an_archive_that_is_cut_off_is_read_as_far_as_it_goes_and_on_from_there_when_it_is_whole(tmp_path):
    lines = [ROLLOUT[0], *({**ROLLOUT[1], "payload": {"type": "user_message", "message": f"{n} {n * n * 7919:x}"}}
                           for n in range(20_000))]
    path = write_lines(tmp_path / "rollout-x.jsonl", lines)
    packed = pack(path)
    whole = packed.read_bytes()
    packed.write_bytes(whole[:len(whole) // 2])
    first = read_all(packed)
    assert first.events and [s.reason for s in first.skips if s.reason not in contract.ORDINARY] == [contract.DAMAGED]
    packed.write_bytes(whole)
    rest = read_all(packed, first.cursor)
    assert len(said(first.events)) + len(said(rest.events)) == 20_000


def test_a_small_archive_that_unpacks_to_very_much_fills_no_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(unpacking, "LARGEST_UNPACKED_BYTES", 64 * 1024 * 1024)
    head = "".join(json.dumps(line) + "\n" for line in ROLLOUT).encode()
    packed = tmp_path / "rollout-x.jsonl.zst"
    with zstd.open(packed, "wb") as stream:
        stream.write(head)
        for _ in range(100):
            stream.write(b"0" * 1024 * 1024)
    assert packed.stat().st_size < 100_000
    tracemalloc.start()
    try:
        reading = read_all(packed)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert said(reading.events) == WORDS
    assert contract.OVERSIZED in {s.reason for s in reading.skips}
    assert reading.cursor.offset <= 64 * 1024 * 1024
    assert peak < 40 * 1024 * 1024


def test_an_archive_that_asks_for_too_much_memory_is_not_opened(tmp_path):
    options = {zstd.CompressionParameter.window_log: 27, zstd.CompressionParameter.checksum_flag: 1}
    packed = tmp_path / "rollout-x.jsonl.zst"
    with zstd.open(packed, "wb", options=options) as stream:
        stream.write("".join(json.dumps(line) + "\n" for line in ROLLOUT).encode())
    assert adapter_for(packed) is None


def test_without_the_library_an_archive_is_named_and_left(rollout, monkeypatch):
    adapter = adapter_for(rollout)
    packed = pack(rollout)
    for name in ("backports", "backports.zstd", "compression", "compression.zstd"):
        monkeypatch.setitem(sys.modules, name, None)
    reading = adapter.read(packed, Cursor(), budget_bytes=1 << 20)
    assert [s.reason for s in reading.skips] == [contract.COMPRESSED]
    assert reading.cursor == Cursor() and adapter_for(packed) is None


def test_an_archive_can_be_read_from_anywhere():
    body = bytes(range(256)) * 5000
    with unpacked(io.BytesIO(zstd.compress(body))) as stream:
        for place in (1_000_000, 5, 900_000, 0):
            assert stream.seek(place) == place and stream.read(300) == body[place:place + 300]
        assert stream.seek(0, 2) == len(body) and stream.read(1) == b""


@pytest.mark.parametrize("body", [b"", b"\x28\xb5\x2f\xfd", b"{}", zstd.compress(b"x" * 2000)])
def test_a_packed_piece_that_is_nothing_or_too_long_is_none(body):
    assert unpack(body, limit_bytes=1000) is None


def claw(session, *entries):
    head = {"type": "session", "version": 4, "id": session, "cwd": "/srv/otter"}
    return [head, *({"type": "message", "id": f"e{n}", "parentId": None, "timestamp": "2026-09-14T10:00:00.000Z",
                     "message": {"role": "user", "content": [{"type": "text", "text": text}]}}
                    for n, text in enumerate(entries))]


@pytest.mark.parametrize(("key", "heard"), [("agent:main:main", ["water the ferns"]), ("agent:main:telegram:group:7", []),
                                            ("agent:main:cron:nightly", [])])
def test_a_session_that_began_anew_is_read_from_its_archive_as_what_the_store_says_it_was(tmp_path, key, heard):
    folder = tmp_path / "agents" / "main"
    lines = claw("c-1", "water the ferns")
    path = pack(write_lines(folder / "sessions" / "c-1.jsonl.reset.2026-09-15T08-00-00.000Z.g1", lines))
    (folder / "agent").mkdir()
    with closing(sqlite3.connect(folder / "agent" / "openclaw-agent.sqlite")) as base:
        base.execute("CREATE TABLE transcript_events (session_id TEXT, seq INTEGER, event_json TEXT)")
        base.execute("CREATE TABLE session_transcript_archives (session_id, generation, session_key, reason, encoding, "
                     "archive_blob BLOB, archive_name)")
        base.execute("INSERT INTO session_transcript_archives VALUES ('c-1', 'g1', ?, 'reset', 'zstd', x'00', ?)",
                     (key, path.name))
        base.commit()
    found = {s.kind: s.path for s in discover(SourceRoots(openclaw_dirs=(tmp_path,)))}
    assert found["openclaw"] == path
    reading = read_all(path)
    assert said(reading.events) == heard
    assert {e.conversation for e in reading.events} <= {"c-1"}


def test_a_session_that_was_deleted_stays_deleted_packed_or_not(tmp_path):
    folder = tmp_path / "agents" / "main" / "sessions"
    write_lines(folder / "c-1.jsonl.deleted.2026-09-15T08-00-00.000Z", claw("c-1", "a"))
    pack(write_lines(folder / "c-2.jsonl.deleted.2026-09-15T08-00-00.000Z", claw("c-2", "b")))
    assert discover(SourceRoots(openclaw_dirs=(tmp_path,))) == []
