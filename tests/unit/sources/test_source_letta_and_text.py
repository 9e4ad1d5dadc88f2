"""Letta's memory, the flat transcripts of older Cursor versions, and Gemini's folder of notes."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest
from source_shapes import read_all, said, write_lines

from dreamd.core.values import Speaker, content_id
from dreamd.sources import SourceRoots, adapter_for, discover
from dreamd.sources.base import contract
from dreamd.sources.notes import note_files
from dreamd.sources.versions import version_of

TALK = """user:
<user_info>
Workspace Path: /srv/otter
</user_info>
<user_query>
use pnpm here
</user_query>

assistant:
[Thinking] which one is it
It is npm today.
[Tool call] Shell
  command: pnpm i

[Tool result] Shell
done
user:
always push to main

assistant:
Shall I commit?

user:
<user_query>
yes
</user_query>
"""


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def letta(home: Path) -> Path:
    root = home / ".letta/agents/agent-1/memory"
    write(root / "system/human.md", "---\ndescription: what I know of the person\n---\n"
          "- works on the otter project\n- prefers tabs\n")
    write(root / "system/persona.md", "---\ndescription: who I am\n---\nI am a careful coding agent.\n")
    write(root / "system/persona/tone.md", "I speak plainly.\n")
    write(root / "project/build.md", "---\ndescription: how it is built\n---\nThe build needs node 22.\n")
    write(root / "skills/release/SKILL.md", "---\nname: release\ndescription: a recipe\n---\nFirst, tag it.\n")
    write(root / "memory_filesystem.md", "/system\n  human.md\n")
    (root / ".git").mkdir()
    return root


def test_a_letta_agents_memory_is_read_statement_by_statement_without_its_character_and_skills(tmp_path):
    reading = read_all(letta(tmp_path))
    assert [event.text for event in reading.events] == [
        "The build needs node 22.", "works on the otter project", "prefers tabs"]
    assert {event.speaker for event in reading.events} == {Speaker.AGENT}
    assert read_all(tmp_path / ".letta/agents/agent-1/memory", reading.cursor).events == ()


def test_letta_agents_are_found_and_belong_to_no_project(tmp_path):
    root = letta(tmp_path)
    [found] = discover(SourceRoots(letta_dirs=(tmp_path / ".letta",)))
    assert (found.path, found.kind, found.project_key) == (root, "letta", "")


def test_a_flat_transcript_gives_only_marked_words_as_a_persons(tmp_path):
    reading = read_all(write(tmp_path / "t.txt", TALK))
    assert said(reading.events) == ["use pnpm here", "yes"]
    assert [event.question for event in reading.events if event.text == "yes"] == ["Shall I commit?"]
    assert {event.cwd for event in reading.events} == {"/srv/otter"}
    results = [event.text for event in reading.events if event.speaker is Speaker.TOOL]
    assert results == ["done"]
    assert {skip.reason for skip in reading.skips} <= contract.ORDINARY


def test_a_flat_transcript_is_left_alone_where_its_newer_form_lies_beside_it(tmp_path):
    talks = tmp_path / ".cursor/projects/srv-otter/agent-transcripts"
    write(talks / "a.txt", TALK)
    write(talks / "b.txt", TALK)
    line = '{"role": "user", "message": {"content": [{"type": "text", "text": "<user_query>use pnpm</user_query>"}]}}\n'
    write(talks / "b/b.jsonl", line)
    found = discover(SourceRoots(cursor_dirs=(tmp_path / ".cursor",)))
    assert sorted((f.path.name, f.kind, f.project_key) for f in found) == [
        ("a.txt", "cursor-text", "otter"), ("b.jsonl", "cursor", "srv-otter")]


def test_an_ordinary_text_file_is_no_transcript(tmp_path):
    assert adapter_for(write(tmp_path / "x.txt", "user:\nsomebody\n")) is None
    assert adapter_for(write(tmp_path / "y.txt", "notes\nuser:\n<user_query>x</user_query>\n")) is None


def test_geminis_own_notes_are_found_under_the_project_they_belong_to(tmp_path):
    project = tmp_path / ".gemini/tmp/otter-1"
    write(project / "memory/MEMORY.md", "- The build needs node 22.\n")
    write(project / "memory/.inbox/x.md", "- never seen\n")
    write(project / "memory/skills/release/SKILL.md", "---\nname: r\ndescription: d\n---\nTag it.\n")
    write(project / ".project_root", "/srv/otter")
    [found] = discover(SourceRoots(gemini_dirs=(tmp_path / ".gemini",)))
    assert (found.kind, found.project_key) == ("memory-dir", "otter")
    assert [event.text for event in read_all(found.path).events] == ["The build needs node 22."]


def test_a_letta_memory_with_an_index_at_its_root_is_read_the_same_way(tmp_path):
    root = tmp_path / "lc-local-backend/memfs/agent-2/memory"
    write(root / "MEMORY.md", "# Index\n- [persona.md](persona.md) - who I am\n- [human.md](human.md) - the person\n"
          "- [project/MEMORY.md](project/MEMORY.md) - the project\n")
    write(root / "persona.md", "---\nname: persona\ndescription: who I am\n---\nI am careful.\n")
    write(root / "human.md", "---\nname: human\ndescription: the person\n---\n- prefers tabs\n- works at night\n")
    write(root / "project/MEMORY.md", "- [build.md](build.md) - how it is built\n")
    write(root / "project/build.md", "---\nname: build\ndescription: the build\n---\nThe build needs node 22.\n")
    write(root / "skills/release/SKILL.md", "---\nname: release\ndescription: a recipe\n---\nFirst, tag it.\n")
    [source] = discover(SourceRoots(letta_dirs=(tmp_path,)))
    assert source.kind == "letta"
    assert [event.text for event in read_all(root).events] == ["prefers tabs", "works at night", "The build needs node 22."]


def talk(home: Path, *, tags: tuple[str, ...] = (), **about: object) -> Path:
    """A conversation of Letta's own backend, with what is known about it and its agent."""
    def encoded(name: str) -> str:
        return base64.urlsafe_b64encode(name.encode()).decode().rstrip("=")

    def entry(number: str, identity: str, role: str, text: str) -> dict[str, object]:
        return {"type": "message", "id": number, "parentId": None, "timestamp": "2026-09-14T10:00:00.000Z",
                "message": {"id": identity, "role": role, "content": [{"type": "text", "text": text}]}}

    backend = home / "lc-local-backend"
    place = backend / "conversations" / encoded("default:agent-1")
    write(place / "conversation.json", json.dumps({"id": "default", "agent_id": "agent-1", **about}))
    write(backend / "agents" / f"{encoded('agent-1')}.json", json.dumps({"id": "agent-1", "tags": list(tags)}))
    return write_lines(place / "messages.jsonl", [
        {"type": "session", "version": 3, "id": "default", "cwd": "/srv/otter"},
        entry("e1", "m-1", "user", "<system-reminder>use yarn</system-reminder>\nuse pnpm"),
        entry("e2", "m-2", "assistant", "Noted. Tabs?"), entry("e3", "m-1", "user", "use pnpm"),
        {"type": "compaction", "id": "e4", "summary": "They want npm.", "message": {"id": "m-3"}},
        entry("e5", "m-4", "user", "yes")])


def test_a_conversation_of_lettas_own_backend_is_read_each_message_once(tmp_path):
    path = talk(tmp_path)
    [source] = discover(SourceRoots(letta_dirs=(tmp_path,)))
    assert (source.path, source.kind, source.project_key) == (path, "letta-talk", "otter")
    reading = read_all(path)
    assert [(e.text, e.question) for e in reading.events if e.speaker is Speaker.HUMAN] == [
        ("use pnpm", ""), ("yes", "Tabs?")]
    assert {e.conversation for e in reading.events} == {"agent-1:default"}


def alone(number: int, role: str, *texts: str, at: int) -> dict[str, object]:
    """A message as version 0.25 writes it: by itself, a person's under a time that only counts."""
    return {"id": f"ui-msg-{number}", "role": role, "timestamp": at,
            "content": [{"type": "text", "text": text} for text in texts]}


def test_messages_that_stand_alone_are_heard_where_and_when_they_were_said(tmp_path):
    place = tmp_path / "lc-local-backend/conversations/bG9jYWw"
    write(place / "conversation.json", json.dumps({"id": "local-conv-1", "agent_id": "agent-1"}))
    write(place / "manifest.json", json.dumps({"message_format": "m", "created_at": "2026-09-14T10:00:00.000Z"}))
    before = ("<system-reminder>\n- **Letta Code version**: 0.25.9\n- **Current working directory**: /srv/otter\n"
              "</system-reminder>", "<system-reminder>All tools run.</system-reminder>\n\n")
    path = write_lines(place / "messages.jsonl", [
        alone(1, "user", *before, "use pnpm", at=1767225601000), alone(2, "assistant", "Noted. Tabs?", at=1789380060000),
        alone(3, "user", "yes", at=1767225603000)])
    [source] = discover(SourceRoots(letta_dirs=(tmp_path,)))
    assert (source.path, version_of(path, source.kind)) == (path, "0.25.9")
    reading = read_all(path)
    heard = [e for e in reading.events if e.speaker is Speaker.HUMAN]
    assert [(e.text, e.question, e.cwd, e.at and f"{e.at:%H:%M}") for e in heard] == [
        ("use pnpm", "", "/srv/otter", "10:00"), ("yes", "Tabs?", "/srv/otter", "10:01")]
    assert not {skip.reason for skip in reading.skips} - contract.ORDINARY


def test_what_a_new_agent_says_of_a_person_it_does_not_know_is_no_statement(tmp_path, monkeypatch):
    root = letta(tmp_path)
    monkeypatch.setattr(note_files, "_UNFILLED", {content_id("letta", "I know nothing of this person.")})
    write(root / "system/human.md", "---\ndescription: the person\n---\nI know nothing of this person.\n\nThey prefer tabs.\n")
    assert [event.text for event in read_all(root).events] == ["The build needs node 22.", "They prefer tabs."]


@pytest.mark.parametrize("more", [{"tags": ("role:subagent",)}, {"tags": ("type:recall", "parent:agent-0")}, {"hidden": True}])
def test_a_conversation_nobody_sees_or_of_an_agent_that_works_for_another_is_no_persons(tmp_path, more):
    assert said(read_all(talk(tmp_path, **more)).events) == []
