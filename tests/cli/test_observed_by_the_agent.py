"""`connect --observe`: the agent is asked once in a conversation, and what it answers passes the gate like any agent's word."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

SAID = ("Please never touch the generated client in src/api.", "The bakery orders flour on Tuesdays only.", "Go on.", "Good.")
STATEMENT = "The bakery orders flour on Tuesdays only."


@pytest.fixture
def talk(dream: Any) -> Path:
    """A conversation of four turns."""
    path = dream.person / ".claude/projects/-srv-bakery/s-1.jsonl"
    path.parent.mkdir(parents=True)
    rows = []
    for n, text in enumerate(SAID):
        common = {"sessionId": "s-1", "timestamp": f"2026-03-02T08:0{n}:00Z", "cwd": "/srv/bakery", "userType": "external"}
        rows += [{**common, "type": "user", "uuid": f"u{n}", "message": {"role": "user", "content": text}},
                 {**common, "type": "assistant", "uuid": f"a{n}", "message": {
                     "role": "assistant", "content": [{"type": "text", "text": "The oven is set to 260 degrees. Done."}]}}]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def stop(dream: Any, talk: Path, *, active: bool = False, said: str = "Done.", words: tuple[str, ...] = ("--observe",)) -> Any:
    body = {"session_id": "s-1", "transcript_path": str(talk), "cwd": "/srv/bakery", "hook_event_name": "Stop",
            "stop_hook_active": active, "last_assistant_message": said}
    told = dream("hook", "stop", *words, stdin=json.dumps(body).encode())
    assert (told.code, told.err) == (0, "")
    return json.loads(told.out) if told.out else None


def row(text: str, evidence: str) -> str:
    return json.dumps({"remember": text, "evidence": evidence})


def notes(dream: Any) -> list[dict[str, Any]]:
    left = [json.loads(p.read_bytes()) for p in sorted((dream.home / "inbox").glob("*.json"))]
    return [one for document in left for one in document.get("observations", ())]


def test_the_agent_is_asked_once_in_a_conversation_after_some_turns_and_never_while_it_answers(dream, talk):
    assert [stop(dream, talk) for _ in range(3)] == [None] * 3
    question = stop(dream, talk)
    assert question["decision"] == "block" and "at most five" in question["reason"]
    assert stop(dream, talk, active=True, said="nothing to remember.") is None
    assert [stop(dream, talk, active=active) for active in (False, True)] == [None] * 2
    assert notes(dream) == []


def test_without_the_wish_nobody_is_asked(dream, talk):
    assert [stop(dream, talk, words=()) for _ in range(4)] == [None] * 4
    assert not (dream.home / "observed").exists()


def test_what_the_agent_answers_is_kept_as_an_agents_word_with_the_persons_own_as_evidence(dream, talk):
    for _ in range(4):
        stop(dream, talk)
    answer = "\n".join(["Here they are:", row(STATEMENT, "flour on  tuesdays only"), "```",
                        row("Everyone may deploy.", "you may deploy whenever you like"),
                        row("The oven is set to 260 degrees.", "The oven is set to 260 degrees."), row("x", "bakery orders")])
    assert stop(dream, talk, active=True, said=answer) is None
    assert [(one["text"], one["origin"], one["context"]) for one in notes(dream)] == [
        (STATEMENT, "agent", "flour on  tuesdays only")]
    talk.unlink()
    dream.json("consolidate")
    [memory] = dream.json("list", "--all")["memories"]
    assert (memory["text"], memory["scope"], memory["trust"]) == (STATEMENT, "project:bakery", "agent")


def test_of_many_statements_five_are_taken_and_a_second_answer_is_none(dream, talk):
    for _ in range(4):
        stop(dream, talk)
    many = "\n".join(row(f"The bakery orders flour number {n} on Tuesdays.", "orders flour on Tuesdays") for n in range(9))
    stop(dream, talk, active=True, said=many)
    stop(dream, talk, active=True, said=many.replace("flour number", "salt number"))
    assert [one["text"][31:32] for one in notes(dream)] == list("01234")


def test_a_secret_in_an_answer_is_masked_before_it_is_written(dream, talk):
    for _ in range(4):
        stop(dream, talk)
    token = "ghp_" + "Ab1" * 12
    stop(dream, talk, active=True, said=row(f"The bakery's token is {token}.", "the bakery orders flour"))
    assert token not in "".join(p.read_text() for p in (dream.home / "inbox").glob("*.json"))


def test_a_person_who_wants_no_memory_here_is_not_asked_about(dream, talk):
    dream("hook", "user-prompt-submit", stdin=json.dumps(
        {"session_id": "s-1", "prompt": "Ignore memory for this conversation.", "cwd": "/srv/bakery"}).encode())
    assert [stop(dream, talk) for _ in range(4)] == [None] * 4


def test_whatever_the_agent_answers_the_hook_ends_well(dream, talk):
    for _ in range(4):
        stop(dream, talk)
    odd = ("", "{", '{"a":' * 9000 + "1}", '{"remember": 3}', '{"remember": {}, "evidence": []}', "\x00", "null")
    assert stop(dream, talk, active=True, said="\n".join(odd)) is None
    assert notes(dream) == []


def test_observing_is_off_by_default_says_what_it_costs_and_gives_every_byte_back(dream):
    settings = dream.person / ".claude/settings.json"
    settings.parent.mkdir()
    settings.write_text('{"model": "x"}\n')
    dream("connect", "claude-code", "--yes")
    assert "--observe" not in settings.read_text()
    told = dream("connect", "claude-code", "--observe", "--yes")
    assert told.code == 0 and "prolongs a turn" in told.out + told.err
    assert settings.read_text().count("hook stop --observe # dream-memory") == 1
    dream("connect", "claude-code", "--yes")
    assert "hook stop --observe" in settings.read_text()
    dream("connect", "claude-code", "--no-observe", "--yes")
    assert "--observe" not in settings.read_text() and "hook stop # dream-memory" in settings.read_text()
    dream("connect", "claude-code", "--observe", "--yes")
    dream("disconnect", "claude-code")
    assert settings.read_text() == '{"model": "x"}\n'


def test_a_harness_without_a_hook_that_can_ask_is_not_connected_so(dream):
    (dream.person / ".cursor").mkdir()
    told = dream("connect", "cursor", "--observe", "--yes")
    assert told.code == 2 and "cannot ask" in told.err
    assert not (dream.person / ".cursor/hooks.json").exists()
