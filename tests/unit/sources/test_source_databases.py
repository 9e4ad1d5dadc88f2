"""Conversations in databases and trees of files: Cursor, Hermes, OpenCode old and new; and the notes of Codex."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

from dreamd.core.values import Cursor, EventKind, Reading, Speaker
from dreamd.sources import SourceRoots, adapter_for, discover
from dreamd.sources.base import contract

HUMAN, AGENT, TOOL, INJECTED = Speaker.HUMAN, Speaker.AGENT, Speaker.TOOL, Speaker.INJECTED
BUDGET = 1 << 20
START = Cursor()


def read(path: Path, cursor: Cursor = START, *, budget_bytes: int = BUDGET) -> Reading:
    adapter = adapter_for(path)
    assert adapter is not None
    return adapter.read(path, cursor, budget_bytes=budget_bytes)


def read_all(path: Path, cursor: Cursor = START) -> list[Reading]:
    """Readings until nothing is left, as a dream reads them."""
    readings = [read(path, cursor)]
    while not readings[-1].complete:
        readings.append(read(path, readings[-1].cursor))
    return readings


def said(*readings: Reading) -> list[tuple[Speaker, str]]:
    return [(event.speaker, event.text) for reading in readings for event in reading.events]


# ----- Cursor


def editor(path: Path, composers: dict[str, list[dict[str, object]]], **more: object) -> Path:
    """The editor's store with some conversations, written in the order given."""
    path.parent.mkdir(parents=True, exist_ok=True)
    base = sqlite3.connect(path)
    base.execute("CREATE TABLE IF NOT EXISTS ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)")
    base.execute("CREATE TABLE IF NOT EXISTS cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)")
    for composer, bubbles in composers.items():
        for bubble in bubbles:
            base.execute("INSERT INTO cursorDiskKV VALUES (?, ?)",
                         (f"bubbleId:{composer}:{bubble['bubbleId']}", json.dumps(bubble)))
        heads = [{"bubbleId": b["bubbleId"], "type": b["type"]} for b in bubbles]
        base.execute("INSERT INTO cursorDiskKV VALUES (?, ?)", (f"composerData:{composer}", json.dumps(
            {"composerId": composer, "createdAt": 1786363200000, "fullConversationHeadersOnly": heads, **more})))
    base.execute("INSERT INTO cursorDiskKV VALUES ('checkpointId:x', '{}')")
    base.commit()
    base.close()
    return path


def bubble(identity: str, kind: int, text: str, folder: str = "/srv/otter", **more: object) -> dict[str, object]:
    return {"bubbleId": identity, "type": kind, "text": text, "createdAt": "2026-02-09T10:00:00.000Z",
            "workspaceUris": [f"file://{folder}"], **more}


def test_the_editors_store_is_read_in_the_order_of_each_conversation_and_left_without_a_trace(tmp_path):
    path = editor(tmp_path / "state.vscdb", {"k-1": [
        bubble("b1", 1, "use pnpm here"), bubble("b2", 2, "Shall I commit?", toolFormerData={
            "name": "run_terminal_cmd", "toolCallId": "t", "rawArgs": '{"command": "pnpm i"}', "result": "done"}),
        bubble("b3", 1, "yes")]})
    before = path.read_bytes()
    [reading] = read_all(path)
    assert said(reading) == [(HUMAN, "use pnpm here"), (TOOL, "done"), (AGENT, "Shall I commit?"), (HUMAN, "yes")]
    assert (reading.events[-1].question, reading.events[-1].conversation) == ("Shall I commit?", "k-1")
    assert {event.cwd for event in reading.events} == {"/srv/otter"}
    assert reading.events[0].at is not None
    assert read(path, reading.cursor).events == ()
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["state.vscdb"]


def test_a_conversation_of_the_editor_that_goes_on_gives_what_is_new_and_knows_the_question(tmp_path):
    first = [bubble("b1", 1, "use pnpm here"), bubble("b2", 2, "Which branch?")]
    path = editor(tmp_path / "state.vscdb", {"k-1": first})
    cursor = read(path).cursor
    base = sqlite3.connect(path)
    base.execute("INSERT INTO cursorDiskKV VALUES ('bubbleId:k-1:b3', ?)", (json.dumps(bubble("b3", 1, "the stable one")),))
    heads = [{"bubbleId": b, "type": 1} for b in ("b1", "b2", "b3")]
    base.execute("INSERT INTO cursorDiskKV VALUES ('composerData:k-1', ?)", (json.dumps(
        {"fullConversationHeadersOnly": heads}),))
    base.commit()
    base.close()
    reading = read(path, cursor)
    assert [(e.text, e.question) for e in reading.events] == [("the stable one", "Which branch?")]


def test_an_older_store_of_the_editor_holds_the_messages_in_the_conversation(tmp_path):
    inline = [{"bubbleId": "b1", "type": 1, "text": "use pnpm"}, {"bubbleId": "b2", "type": 2, "text": "Done."}]
    path = editor(tmp_path / "state.vscdb", {"k-1": []}, conversation=inline)
    assert said(*read_all(path)) == [(HUMAN, "use pnpm"), (AGENT, "Done.")]


def test_two_projects_in_one_store_are_two_readings(tmp_path):
    path = editor(tmp_path / "state.vscdb", {
        "k-1": [bubble("b1", 1, "we use pnpm")], "k-2": [bubble("b2", 1, "we use cargo", "/srv/badger")]})
    readings = read_all(path)
    assert [{event.cwd for event in reading.events} for reading in readings] == [{"/srv/otter"}, {"/srv/badger"}]


def test_what_the_editor_also_keeps_as_a_transcript_is_left_to_it(tmp_path):
    path = editor(tmp_path / ".config" / "Cursor" / "User" / "globalStorage" / "state.vscdb",
                  {"k-1": [bubble("b1", 1, "use pnpm")], "k-2": [bubble("b2", 1, "use tabs")],
                   "k-3": [bubble("b3", 1, "and commit")]})
    talks = tmp_path / ".cursor" / "projects" / "srv-otter" / "agent-transcripts"
    (talks / "k-3" / "subagents").mkdir(parents=True)
    (talks / "k-3" / "k-3.jsonl").write_text('{"type": "turn_ended", "status": "success"}\n')
    (talks / "k-1").mkdir()
    transcript = talks / "k-1" / "k-1.jsonl"
    transcript.write_text('{"role": "user", "message": {"content": [{"type": "text", "text": "use pnpm"}]}}\n')
    assert said(*read_all(path)) == [(HUMAN, "use tabs"), (HUMAN, "and commit")]
    found = discover(SourceRoots(cursor_dirs=(tmp_path / ".cursor",)))
    assert [(source.kind, source.path) for source in found] == [("cursor", transcript), ("cursor-db", path)]


def test_the_command_lines_store_is_read(tmp_path):
    path = tmp_path / "0f" / "s-1" / "store.db"
    path.parent.mkdir(parents=True)
    base = sqlite3.connect(path)
    base.executescript("CREATE TABLE blobs (id TEXT PRIMARY KEY, data BLOB); CREATE TABLE meta (key TEXT, value TEXT);")
    blobs = [{"role": "system", "content": "be good"},
             {"role": "user", "content": [{"type": "text", "text": "<user_info>\nWorkspace Path: /srv/otter\n</user_info>"}]},
             {"role": "user", "content": "<user_query>\nuse pnpm\n</user_query>"},
             {"role": "assistant", "content": [{"type": "text", "text": "Done."}]}]
    for number, blob in enumerate(blobs):
        base.execute("INSERT INTO blobs VALUES (?, ?)", (f"h{number}", json.dumps(blob).encode()))
    base.execute("INSERT INTO blobs VALUES ('tree', ?)", (b"\x0a\x20\x01\x02",))
    base.commit()
    base.close()
    readings = read_all(path)
    assert [(e.speaker, e.text, e.cwd) for r in readings for e in r.events if e.speaker is not INJECTED] == [
        (HUMAN, "use pnpm", "/srv/otter"), (AGENT, "Done.", "/srv/otter")]
    assert {e.conversation for r in readings for e in r.events} == {"s-1"}
    assert read(path, readings[-1].cursor).events == ()


def test_a_store_whose_rows_go_back_in_number_is_damaged_and_not_read_again_and_again(tmp_path):
    path = tmp_path / "s-1" / "store.db"
    path.parent.mkdir()
    base = sqlite3.connect(path)
    base.executescript("CREATE TABLE blobs (id TEXT, data BLOB); CREATE TABLE meta (key TEXT, value TEXT);")
    for number in range(3):
        base.execute("INSERT INTO blobs VALUES (?, ?)", (f"h{number}", b'{"role": "user", "content": "use pnpm"}'))
    ((page,),) = base.execute("SELECT rootpage FROM sqlite_master WHERE name = 'blobs'").fetchall()
    ((size,),) = base.execute("PRAGMA page_size").fetchall()
    base.commit()
    base.close()
    body = bytearray(path.read_bytes())
    cells = (page - 1) * size + 8
    body[cells + 4:cells + 6] = body[cells:cells + 2]  # the third row is the first one again
    path.write_bytes(body)
    damaged = read(path)
    assert (damaged.events, [skip.reason for skip in damaged.skips]) == ((), [contract.UNREADABLE])


def test_a_cursor_transcript_that_names_its_workspace_belongs_to_it(tmp_path):
    path = tmp_path / "k-1.jsonl"
    lines = [{"role": "user", "message": {"content": [{"type": "text", "text": text}]}} for text in (
        "<user_info>\nOS: x\nWorkspace Path: /srv/otter\n</user_info>\n<user_query>use pnpm</user_query>",
        "<user_query>and tabs</user_query>")]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    first = read(path, budget_bytes=1)
    rest = read(path, first.cursor)
    assert [(e.text, e.cwd) for r in (first, rest) for e in r.events if e.speaker is HUMAN] == [
        ("use pnpm", "/srv/otter"), ("and tabs", "/srv/otter")]


def test_a_cursor_transcript_that_names_nothing_keeps_to_its_own_folder(tmp_path):
    known = "<user_info>\nWorkspace Path: /srv/otter\n</user_info>\n<user_query>use tabs</user_query>"
    for name, text in (("k-1", "use pnpm"), ("k-2", known)):
        path = tmp_path / "projects" / "srv-otter-app" / "agent-transcripts" / name / f"{name}.jsonl"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps({"role": "user", "message": {"content": [{"type": "text", "text": text}]}}) + "\n")
    found = {source.path.stem: source.project_key for source in discover(SourceRoots(cursor_dirs=(tmp_path,)))}
    assert found == {"k-1": "srv-otter-app", "k-2": "otter"}


# ----- Hermes


def test_the_state_of_hermes_gives_what_is_still_part_of_its_sessions(tmp_path):
    path = tmp_path / ".hermes" / "state.db"
    path.parent.mkdir()
    base = sqlite3.connect(path)
    base.executescript(
        "CREATE TABLE sessions (id TEXT PRIMARY KEY, source TEXT, cwd TEXT);"
        "CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id TEXT, role TEXT, content TEXT,"
        " timestamp REAL, active INTEGER);"
        "INSERT INTO sessions VALUES ('h-1', 'cli', '/srv/otter'), ('h-2', 'cron', '');")
    for row in (("h-1", "user", "use pnpm", 1), ("h-1", "assistant", "Which branch?", 1), ("h-1", "user", "main, no", 0),
                ("h-1", "user", "the stable one", 1), ("h-1", "tool", "ok", 1), ("h-2", "user", "water the ferns", 1)):
        base.execute("INSERT INTO messages (session_id, role, content, timestamp, active) VALUES (?, ?, ?, 1786363200, ?)", row)
    base.commit()
    base.close()
    readings = read_all(path)
    assert said(*readings) == [(HUMAN, "use pnpm"), (AGENT, "Which branch?"), (HUMAN, "the stable one"), (TOOL, "ok")]
    assert readings[0].events[2].question == "Which branch?"
    reasons = {skip.reason for reading in readings for skip in reading.skips}
    assert {contract.REWOUND, contract.OTHER_AGENT} <= reasons
    assert read(path, readings[-1].cursor).events == ()
    found = discover(SourceRoots(hermes_dirs=(tmp_path / ".hermes",)))
    assert [source.kind for source in found] == ["hermes-db"]


# ----- OpenCode


def test_a_store_of_opencode_two_is_read(tmp_path):
    path = tmp_path / "opencode.db"
    base = sqlite3.connect(path)
    base.executescript(
        "CREATE TABLE session_v2 (id TEXT PRIMARY KEY, parent_id TEXT, directory TEXT);"
        "CREATE TABLE session_message (id TEXT PRIMARY KEY, session_id TEXT, type TEXT, data TEXT);"
        "INSERT INTO session_v2 VALUES ('o-1', NULL, '/srv/otter'), ('o-2', 'o-1', '/srv/otter');")
    rows = [("m-1", "o-1", {"type": "user", "text": "use pnpm", "time": {"created": 1786363200000}}),
            ("m-2", "o-1", {"type": "synthetic", "text": "Called the Read tool"}),
            ("m-3", "o-1", {"type": "assistant", "time": {"created": 1, "completed": 2}, "content": [
                {"type": "text", "text": "Shall I commit?"},
                {"type": "tool", "name": "bash", "state": {"status": "completed", "input": {}, "output": "ok"}}]}),
            ("m-4", "o-1", {"type": "user", "text": "yes"}), ("m-5", "o-2", {"type": "user", "text": "look into it"})]
    for identity, session, body in rows:
        base.execute("INSERT INTO session_message VALUES (?, ?, ?, ?)", (identity, session, body["type"], json.dumps(body)))
    base.commit()
    base.close()
    reading, *_ = read_all(path)
    assert said(reading) == [(HUMAN, "use pnpm"), (INJECTED, "Called the Read tool"), (AGENT, "Shall I commit?"),
                             (TOOL, "ok"), (HUMAN, "yes")]
    assert reading.events[-1].question == "Shall I commit?"


def test_sessions_of_two_directories_in_one_opencode_store_are_two_readings(tmp_path):
    path = tmp_path / "opencode.db"
    base = sqlite3.connect(path)
    base.executescript(
        "CREATE TABLE session (id TEXT PRIMARY KEY, parent_id TEXT, directory TEXT);"
        "CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, data TEXT);"
        "CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, data TEXT);"
        "INSERT INTO session VALUES ('o-1', NULL, '/srv/otter'), ('o-2', NULL, '/srv/badger');")
    for number, session in enumerate(("o-1", "o-1", "o-2", "o-1")):
        base.execute("INSERT INTO message VALUES (?, ?, '{\"role\": \"user\"}')", (f"m{number}", session))
        base.execute("INSERT INTO part VALUES (?, ?, ?)", (f"p{number}", f"m{number}", json.dumps(
            {"type": "text", "text": f"statement {number}"})))
    base.commit()
    base.close()
    readings = read_all(path)
    assert [sorted({e.cwd for e in r.events}) for r in readings] == [["/srv/otter"], ["/srv/badger"], ["/srv/otter"]]
    assert [text for _, text in said(*readings)] == [f"statement {n}" for n in range(4)]


def test_the_files_of_opencode_before_its_store_are_read(tmp_path):
    storage = tmp_path / "opencode" / "storage"

    def write(name: str, body: dict[str, object]) -> None:
        place = storage / f"{name}.json"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(json.dumps(body))

    write("session/p/ses_1", {"id": "ses_1", "directory": "/srv/otter"})
    write("session/p/ses_2", {"id": "ses_2", "directory": "/srv/otter", "parentID": "ses_1"})
    for number, (session, role, text) in enumerate((("ses_1", "user", "use pnpm"), ("ses_1", "assistant", "Done. More?"),
                                                     ("ses_2", "user", "look into it"))):
        write(f"message/{session}/msg_{number}", {"id": f"msg_{number}", "role": role, "time": {"created": 1786363200000}})
        write(f"part/msg_{number}/prt_1", {"type": "text", "text": text})
    [source] = discover(SourceRoots(opencode_dirs=(tmp_path / "opencode",)))
    assert source.kind == "opencode-tree"
    readings = read_all(storage)
    assert said(*readings) == [(HUMAN, "use pnpm"), (AGENT, "Done. More?")]
    assert read(storage, readings[-1].cursor).events == ()
    write("message/ses_1/msg_9", {"id": "msg_9", "role": "user"})
    write("part/msg_9/prt_1", {"type": "text", "text": "no"})
    assert said(*read_all(storage, readings[-1].cursor)) == [(HUMAN, "no")]


# ----- Codex memories


HANDBOOK = """# Task Group: otter releases
scope: how releases of the otter go out
applies_to: cwd=/srv/otter; reuse_rule=same repository

## Task 1: cut a release

### rollout_summary_files
- rollout_summaries/2026-02-09-abcd-release.md (cwd=/srv/otter, rollout_path=x, updated_at=2026-02-09, thread_id=t)

### keywords
- release, tag

## User preferences
- the user wants signed tags on every release [Task 1]

# Task Group: badger docs
scope: the handbook
applies_to: cwd=/srv/badger; reuse_rule=same repository

## Reusable knowledge
- the handbook is built with `mdbook build` [Task 1]
"""


def test_the_handbook_of_codex_gives_its_own_lines_for_the_directory_each_counts_for(tmp_path):
    root = tmp_path / "memories"
    (root / "rollout_summaries").mkdir(parents=True)
    (root / "extensions" / "ad_hoc" / "notes").mkdir(parents=True)
    (root / "MEMORY.md").write_text(HANDBOOK)
    (root / "memory_summary.md").write_text("v1\n\n## User Profile\nlikes otters\n")
    (root / "raw_memories.md").write_text("- raw\n")
    (root / "rollout_summaries" / "a.md").write_text("thread_id: t\n- a summary\n")
    (root / "extensions" / "ad_hoc" / "notes" / "n.md").write_text("- the user is called Ada\n")
    readings = read_all(root)
    assert {(e.cwd, e.text) for r in readings for e in r.events} == {
        ("/srv/otter", "the user wants signed tags on every release"),
        ("/srv/badger", "the handbook is built with `mdbook build`"), ("", "the user is called Ada")}
    assert all(len({e.cwd for e in reading.events}) == 1 for reading in readings)
    assert {e.kind for r in readings for e in r.events} == {EventKind.NOTE}
    assert read(root, readings[-1].cursor).events == ()
    assert [s.kind for s in discover(SourceRoots(codex_dirs=(tmp_path,)))] == ["codex-memories"]


# ----- Damage


def test_a_database_whose_damage_lies_in_the_name_of_a_table_is_unreadable_and_stops_nobody(tmp_path):
    path = editor(tmp_path / "state.vscdb", {"k-1": [bubble("b1", 1, "use pnpm here")]})
    known = adapter_for(path)
    assert known is not None
    body = path.read_bytes().replace(b"CREATE TABLE cursorDiskKV", b"CREATE TABLX cursorDiskKV")
    path.write_bytes(body.replace(b"cursorDiskKVcursorDiskKV", b"\xdb\xffrsorDiskKVcursorDiskKV"))
    assert adapter_for(path) is None
    assert [skip.reason for skip in known.read(path, START, budget_bytes=BUDGET).skips] == [contract.UNREADABLE]
