"""Chats of VS Code, as a document and as a journal; what stands around them; and what the journal may do to us."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from source_shapes import Json, read_all, said, write_lines

from dreamd.core.values import Event, EventKind, Speaker
from dreamd.sources import SourceRoots, adapter_for, discover
from dreamd.sources.base import contract
from dreamd.sources.base.finding import HEAD_BYTES, look_at

STORAGE = Path("Code/User/workspaceStorage/a1b2c3")


def asked(identity: str, text: str, *answer: Json, **more: object) -> Json:
    return {"requestId": identity, "timestamp": 1786363200000, "message": {"text": text, "parts": []},
            "response": list(answer), **more}


def told(text: str) -> Json:
    return {"value": text, "supportThemeIcons": False}


def chat(*requests: Json, **more: object) -> Json:
    return {"version": 3, "responderUsername": "Copilot", "sessionId": "c-1", "creationDate": 1786363000000,
            "requests": list(requests), **more}


def journal(home: Path, *entries: Json | str, folder: str = "file:///srv/otter", name: str = "c-1.jsonl") -> Path:
    place = home / STORAGE
    path = write_lines(place / "chatSessions" / name, entries)
    (place / "workspace.json").write_text(json.dumps({"folder": folder}), encoding="utf-8")
    return path


def document(home: Path, whole: Json, name: str = "c-1.json") -> Path:
    path = home / STORAGE / "chatSessions" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(whole, indent=2), encoding="utf-8")
    (home / STORAGE / "workspace.json").write_text('{"folder": "file:///srv/otter"}', encoding="utf-8")
    return path


def root(value: Json) -> Json:
    return {"kind": 0, "v": value}


def lines_of(events: tuple[Event, ...]) -> list[tuple[Speaker, str]]:
    return [(event.speaker, event.text) for event in events]


def test_a_document_gives_what_was_asked_and_answered_with_time_and_folder(tmp_path):
    reading = read_all(document(tmp_path, chat(
        asked("r-1", "use pnpm here", told("Shall I remove the "), {"kind": "inlineReference", "name": "package-lock.json"},
              told("?"), {"kind": "thinking", "value": "hm"}, {"kind": "progressTaskSerialized"}),
        asked("r-2", "yes"))))
    assert lines_of(reading.events) == [
        (Speaker.HUMAN, "use pnpm here"), (Speaker.AGENT, "Shall I remove the package-lock.json?"), (Speaker.HUMAN, "yes")]
    assert reading.events[2].question == "Shall I remove the package-lock.json?"
    assert {(event.cwd, event.conversation) for event in reading.events} == {("/srv/otter", "c-1")}
    assert all(event.at is not None for event in reading.events)
    assert {skip.reason for skip in reading.skips} <= contract.ORDINARY


def test_a_journal_says_what_the_document_it_ends_with_says(tmp_path):
    path = journal(
        tmp_path, root(chat()),
        {"kind": 2, "k": ["requests"], "v": [asked("r-1", "use npm here")]},
        {"kind": 2, "k": ["requests", 0, "response"], "v": [told("Done, "), told("and now")]},
        {"kind": 2, "k": ["requests", 0, "response"], "i": 1, "v": [told("with npm.")]},
        {"kind": 2, "k": ["requests"], "v": [asked("r-2", "never npm")]},
        {"kind": 1, "k": ["requests", 1, "message"], "v": {"text": "never npm, always pnpm"}},
        {"kind": 1, "k": ["customTitle"], "v": "packages"}, {"kind": 3, "k": ["customTitle"]})
    reading = read_all(path)
    assert lines_of(reading.events) == [
        (Speaker.HUMAN, "use npm here"), (Speaker.AGENT, "Done, with npm."), (Speaker.HUMAN, "never npm, always pnpm")]
    assert {skip.reason for skip in reading.skips} <= contract.ORDINARY
    assert read_all(path, reading.cursor).events == ()


def test_a_request_the_person_took_back_was_never_said(tmp_path):
    path = journal(tmp_path, root(chat(asked("r-1", "keep the lock file"), asked("r-2", "delete the lock file"))),
                   {"kind": 2, "k": ["requests"], "i": 1})
    assert said(read_all(path).events) == ["keep the lock file"]
    whole = chat(asked("r-1", "keep it"), asked("r-2", "delete it", shouldBeRemovedOnSend={"requestId": "r-2"}))
    assert said(read_all(document(tmp_path / "b", whole)).events) == ["keep it"]


def test_a_chat_that_goes_on_gives_only_what_is_new_and_knows_the_question(tmp_path):
    first = [root(chat(asked("r-1", "use pnpm here", told("Which branch?"))))]
    path = journal(tmp_path, *first)
    cursor = read_all(path).cursor
    journal(tmp_path, *first, {"kind": 2, "k": ["requests"], "v": [asked("r-2", "main")]})
    [event] = read_all(path, cursor).events
    assert (event.text, event.question) == ("main", "Which branch?")


def test_only_typed_words_are_a_persons(tmp_path):
    reading = read_all(document(tmp_path, chat(
        asked("r-1", "@workspace /explain why is the cache cold?"), asked("r-2", "@terminal"),
        asked("r-3", 'Continue: "Run it?"', confirmation="Continue"), asked("r-4", "go on", isSystemInitiated=True))))
    assert said(reading.events) == ["why is the cache cold?", "@terminal"]


@pytest.mark.parametrize("confirmed", [False, {"type": 0}])
def test_a_refused_tool_call_and_a_stopped_answer_are_seen_in_the_next_words(tmp_path, confirmed):
    call = {"kind": "toolInvocationSerialized", "toolId": "run_in_terminal", "toolCallId": "t", "isConfirmed": confirmed}
    reading = read_all(document(tmp_path, chat(
        asked("r-1", "publish it", told("I run npm publish."), call), asked("r-2", "never publish from a branch"),
        asked("r-3", "then tag it", told("Tagging"), isCanceled=True), asked("r-4", "no, sign the tag"))))
    titles = {event.text: event.title for event in reading.events if event.speaker is Speaker.HUMAN}
    assert titles["never publish from a branch"] == "refused"
    assert titles["no, sign the tag"] == "interrupted"


def test_a_confirmed_call_is_no_refusal(tmp_path):
    calls = [{"kind": "toolInvocationSerialized", "toolId": "x", "isConfirmed": how} for how in (True, None, {"type": 1})]
    reading = read_all(document(tmp_path, chat(asked("r-1", "build it", told("Building."), *calls), asked("r-2", "fine"))))
    assert [event.title for event in reading.events if event.text == "fine"] == [""]


def test_what_the_agent_writes_into_its_memory_is_known_as_such(tmp_path):
    arguments = json.dumps({"command": "create", "path": "/memories/repo/build.md", "file_text": "the build needs node 22"})
    rounds = [{"response": "", "toolCalls": [{"name": "memory", "id": "t-1", "arguments": arguments},
                                             {"name": "read_file", "id": "t-2", "arguments": "{}"}]}]
    reading = read_all(document(tmp_path, chat(asked("r-1", "remember the node version", told("Kept."),
                                                     result={"metadata": {"toolCallRounds": rounds}}))))
    [write] = [event for event in reading.events if event.kind is EventKind.MEMORY_WRITE]
    assert (write.speaker, write.text) == (Speaker.AGENT, "the build needs node 22")


@pytest.mark.parametrize(("about", "cwd"), [
    ({"folder": "file:///srv/my%20otter"}, "/srv/my otter"), ({"folder": "file:///c%3A/work/otter"}, "c:/work/otter"),
    ({"folder": "vscode-remote://ssh-remote%2Bbox/home/p/otter"}, "/home/p/otter"),
    ({"workspace": "file:///srv/team/all.code-workspace"}, "/srv/team"), ({}, ""), ({"folder": "file://[::"}, "")])
def test_the_folder_of_a_chat_is_read_beside_it(tmp_path, about, cwd):
    path = journal(tmp_path, root(chat(asked("r-1", "use pnpm"))))
    (tmp_path / STORAGE / "workspace.json").write_text(json.dumps(about), encoding="utf-8")
    assert read_all(path).events[0].cwd == cwd


def test_a_torn_last_line_waits_and_a_broken_one_is_counted(tmp_path):
    path = journal(tmp_path, root(chat(asked("r-1", "use pnpm"))), '{"kind": 2, "k": [',
                   {"kind": 2, "k": ["requests"], "v": []})
    with path.open("a", encoding="utf-8") as handle:
        handle.write('{"kind":2,"k":["requests"],"v":[{"requestId":"r-2"')
    reading = read_all(path)
    assert said(reading.events) == ["use pnpm"]
    assert [skip.reason for skip in reading.skips] == [contract.CORRUPT]


@pytest.mark.parametrize("entry", [
    {"kind": 1, "k": ["requests", 10**9], "v": {}}, {"kind": 2, "k": ["requests"], "i": -1, "v": [1]},
    {"kind": 2, "k": ["requests"], "i": 10**12}, {"kind": 1, "k": [], "v": 1}, {"kind": 1, "v": 1}, {"kind": 9, "k": ["x"]},
    {"kind": 1, "k": ["requests", True, "message"], "v": 1}, {"kind": 1, "k": ["a"] * 5000, "v": 1},
    {"kind": 2, "k": ["version"], "v": [1]}, {"kind": 3, "k": ["requests", 0]}, {"kind": 1, "k": [{}, 1.5], "v": 1}],
    ids=lambda entry: json.dumps(entry)[:40])
def test_an_entry_that_does_not_fit_changes_nothing(tmp_path, entry):
    reading = read_all(journal(tmp_path, root(chat(asked("r-1", "use pnpm"))), entry))
    assert said(reading.events) == ["use pnpm"]
    assert [skip.reason for skip in reading.skips] == [contract.CORRUPT]


def test_a_journal_whose_first_line_is_longer_than_what_is_looked_at_is_known_all_the_same(tmp_path):
    long = asked("r-1", "use pnpm", told("x y " * 1_200_000))
    path = journal(tmp_path, root(chat(long)))
    whole = document(tmp_path, chat(long), "whole.json")
    whole.write_text(json.dumps(chat(long)), encoding="utf-8")
    for one in (path, whole):
        adapter, head = adapter_for(one), look_at(one)
        assert adapter is not None and head is not None
        assert (adapter.kind, len(head.start)) == ("vscode-chat", HEAD_BYTES)  # hundreds of them are looked at on every dream


def test_chats_are_found_in_every_window_once_and_under_their_project(tmp_path):
    journal(tmp_path, root(chat(asked("r-1", "use pnpm"))))
    document(tmp_path, chat(asked("r-1", "use pnpm")))
    document(tmp_path, chat(asked("r-9", "older")), "old.json")
    empty = tmp_path / "Code/User/globalStorage/emptyWindowChatSessions"
    write_lines(empty / "e.jsonl", [root(chat(asked("r-2", "without a folder")))])
    (tmp_path / STORAGE / "chatSessions/notes.json").write_text('{"a": 1}', encoding="utf-8")
    found = discover(SourceRoots(vscode_dirs=(tmp_path / "Code/User", tmp_path / "nowhere")))
    assert sorted((f.path.name, f.kind, f.project_key) for f in found) == [
        ("c-1.jsonl", "vscode-chat", "otter"), ("e.jsonl", "vscode-chat", ""), ("old.json", "vscode-chat", "otter")]
