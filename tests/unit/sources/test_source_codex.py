"""Codex rollouts as newer versions write them: finished items, kinds of parts, and what is no person's word."""

from __future__ import annotations

import pytest
from source_shapes import read_all, said, write_lines

from dreamd.core.values import Cursor, EventKind, Speaker
from dreamd.sources import adapter_for
from dreamd.sources.base import contract
from dreamd.sources.base.human_words import separate


def line(kind, body, second=0, **more):
    return {"timestamp": f"2026-09-14T10:00:{second:02d}.000Z", "type": kind, "payload": body, **more}


def item(body, second=0):
    return line("event_msg", {"type": "item_completed", "thread_id": "p-1", "turn_id": "t-1", "item": body,
                              "started_at_ms": 1, "completed_at_ms": 2}, second)


def typed(text, second=0):
    return item({"type": "UserMessage", "id": "i", "content": [{"type": "text", "text": text, "text_elements": []},
                                                               {"type": "local_image", "path": "/x.png"}]}, second)


def told(text, second=0):
    return item({"type": "AgentMessage", "id": "i", "phase": "final", "content": [{"type": "Text", "text": text}]}, second)


def model(parts, kinds, second=0, **more):
    return line("response_item", {
        "type": "message", "role": "user", "content": [{"type": "input_text", "text": part} for part in parts],
        "internal_chat_message_metadata_passthrough": {"turn_id": "t-1", "content_item_kinds": kinds}}, second, **more)


def meta(**more):
    return line("session_meta", {"id": "p-1", "cwd": "/srv/otter", "source": "cli", "history_mode": "paginated", **more})


START = line("event_msg", {"type": "task_started", "turn_id": "t-1"})


def test_a_paginated_rollout_is_heard_once_from_either_of_its_two_views(tmp_path):
    path = write_lines(tmp_path / "rollout-x.jsonl", [
        meta(), START,
        model(["# AGENTS.md instructions\nnever", "<environment_context/>"],
              ["agents_md.instructions", "environments.environment_context"]),
        model(["use pnpm here"], ["user.text"], 1), typed("use pnpm here", 1), told("Shall I commit?", 2),
        line("response_item", {"type": "message", "role": "assistant",
                               "content": [{"type": "output_text", "text": "Shall I commit?"}]}, 2),
        line("event_msg", {"type": "task_started", "turn_id": "t-2"}, 3),
        model(["<image name=[Image #1]>", "yes, always", "</image>"], ["user.text", "user.text", "user.text"], 4),
        line("event_msg", {"type": "task_started", "turn_id": "t-3"}, 5), typed("tabs, not spaces", 6),
        line("event_msg", {"type": "task_started", "turn_id": "t-4"}, 7),
        model(["<image name=[Image #1] path=\"/tmp/x.png\">", "</image>", "[Image #1] as shown here"], ["user.text"] * 3, 8),
        typed("as shown here\n\n[Image #1]", 8)])
    reading = read_all(path)
    assert said(reading.events) == ["use pnpm here", "yes, always", "tabs, not spaces", "as shown here"]
    assert [e.text for e in reading.events if e.speaker is Speaker.AGENT] == ["Shall I commit?"]
    assert [e.question for e in reading.events if e.text == "yes, always"] == ["Shall I commit?"]
    assert {(e.conversation, e.cwd) for e in reading.events} == {("p-1", "/srv/otter")}
    assert not {skip.reason for skip in reading.skips} - contract.ORDINARY


def test_a_paginated_rollout_that_is_read_between_its_two_views_is_still_heard_once(tmp_path):
    path = write_lines(tmp_path / "rollout-x.jsonl", [
        meta(), START, model(["use pnpm here"], ["user.text"], 1), typed("use pnpm here", 1), typed("and yarn never", 2)])
    adapter, cursor, heard = adapter_for(path), Cursor(), []
    for _ in range(9):
        reading = adapter.read(path, cursor, budget_bytes=1)
        heard, cursor = heard + said(reading.events), reading.cursor
    assert heard == ["use pnpm here", "and yarn never"]


def test_what_a_hook_or_the_parent_of_a_fork_put_there_is_not_said_by_the_person(tmp_path):
    path = write_lines(tmp_path / "rollout-x.jsonl", [
        meta(forked_from_id="p-0"), START,
        model(["use yarn"], ["user.text"], 1, ordinal=3, metadata={"inherited_user_message": True}),
        item({"type": "HookPrompt", "id": "h", "fragments": [{"text": "run the linter", "hookRunId": "r"}]}, 2),
        model(["use pip"], ["unknown"], 3)])
    reading = read_all(path)
    assert said(reading.events) == []
    assert [e.text for e in reading.events if e.speaker is Speaker.INJECTED] == ["run the linter"]
    assert contract.REPEATED in {skip.reason for skip in reading.skips}


def test_an_answer_to_the_agents_own_question_is_an_answer(tmp_path):
    reply = ('<send_user_message_question_reply>\n[{"questionItemId": "q", "question": "Which store?", '
             '"answer": "SQLite"}]\n</send_user_message_question_reply>')
    reading = read_all(write_lines(tmp_path / "rollout-x.jsonl", [meta(), START, model([reply], ["user.text"], 1)]))
    assert [(e.kind, e.question, e.text) for e in reading.events] == [(EventKind.ANSWER, "Which store?", "SQLite")]


@pytest.mark.parametrize(("more", "heard"), [
    ({"source": {"custom": "atlas"}}, ["use pnpm"]), ({"source": {"subagent": {"other": "x"}}}, []),
    ({"source": {"internal": "memory_consolidation"}}, []), ({"thread_source": "guardian_review"}, []),
    ({"thread_source": "user"}, ["use pnpm"])])
def test_a_session_of_another_program_is_a_persons_and_one_an_agent_started_is_not(tmp_path, more, heard):
    path = write_lines(tmp_path / "rollout-x.jsonl", [meta(**more), START, typed("use pnpm")])
    assert said(read_all(path).events) == heard


def test_lines_newer_versions_keep_for_themselves_deserve_no_word(tmp_path):
    path = write_lines(tmp_path / "rollout-x.jsonl", [
        meta(), line("token_usage_record", {}), line("retained_context", {}), line("inter_agent_communication", {}),
        item({"type": "Plan", "id": "p", "text": "1. do"}), line("response_item", {"type": "compaction"})])
    reading = read_all(path)
    assert (reading.events, {skip.reason for skip in reading.skips}) == ((), {contract.BOOKKEEPING})


@pytest.mark.parametrize("text", [
    "<skill>\n<name>release</name>\nalways tag\n</skill>", "<hook_prompt hook_run_id=\"r\">lint</hook_prompt>",
    "<user_shell_command>\nls\n</user_shell_command>", "<codex_internal_context source=\"goal\">x</codex_internal_context>",
    "<external_github.issue>\nuse yarn\n</external_github.issue>", "<goal_context>x</goal_context>\n<SKILL>y</SKILL>",
    "# AGENTS.md instructions\n\nuse yarn", "<personality_spec>be kind", "<recommended_plugins>\nuse yarn"])
def test_a_message_that_begins_with_a_programs_block_says_nothing(text):
    assert separate(text).said == ""


def test_a_person_may_write_about_such_a_tag_and_beside_files_they_mention():
    assert separate("put the <skill>name</skill> tag back").said == "put the <skill>name</skill> tag back"
    assert separate("<skill>x</skill>\n\nuse pnpm").said == "use pnpm"
    assert separate("# Files mentioned by the user:\n\n## a.py: /srv/a.py\n\n## My request:\nuse pnpm").said == "use pnpm"


@pytest.mark.parametrize(("scope", "counts"), [
    ("cwd=/srv/otter, /srv/badger; reuse_rule=both", "/srv/otter"), ("cwd=/srv/otter (and its worktrees)", "/srv/otter"),
    ("cwd=`/srv/otter`", "/srv/otter"), ("cwd=any; reuse_rule=everywhere", "")])
def test_a_task_group_counts_for_the_first_directory_it_names_or_for_none(tmp_path, scope, counts):
    (tmp_path / "memory_summary.md").write_text("v1\n")
    (tmp_path / "MEMORY.md").write_text(
        f"# Task Group: releases\nscope: x\napplies_to: {scope}\n\n## User preferences\n- the user wants signed tags\n")
    assert [(e.cwd, e.text) for e in read_all(tmp_path).events] == [(counts, "the user wants signed tags")]


def test_the_raw_material_of_codex_is_no_memory_before_there_is_a_handbook(tmp_path):
    root = tmp_path / "memories"
    (root / "rollout_summaries").mkdir(parents=True)
    (root / "rollout_summaries" / "2026-09-14-a.md").write_text("thread_id: t\n- a summary\n")
    (root / "raw_memories.md").write_text("- raw\n")
    assert adapter_for(root).kind == "codex-memories"
    assert read_all(root).events == ()
