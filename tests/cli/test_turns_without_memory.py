"""What a person wants without memory: that turn, in any language the gate knows, and the next one is as before."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dreamd.agents.guarding.without_memory import asked_for
from dreamd.agents.mcp_server import Desk
from dreamd.cli.starting import build_world

TURNS = (
    "Ignore memory. Which port does the gateway use?", "What would you recommend? Don't use memory.",
    "Fresh context: rewrite this function", "Answer without your memory: what is a B-tree?",
    "ignore memory and tell me what port you would choose", "Bitte nutze dein Gedächtnis nicht.",
    "Frischer Kontext, bitte.", "Ignora tu memoria y dime qué puerto usarías", "Contexto nuevo, por favor.",
    "N'utilise pas ta mémoire pour cette question", "Contexte vierge, s'il te plaît",
    "Não use a memória para esta pergunta", "Contexto limpo, por favor", "请忽略你的记忆，重新回答", "用全新的上下文回答",
    "기억을 사용하지 말고 답해줘", "새로운 컨텍스트로 시작해줘", "記憶を使わないでください", "新しいコンテキストで答えて",
    "Ignora la tua memoria e rispondi", "Non usare i ricordi per questa domanda", "Gebruik je geheugen deze keer niet.",
    "Frisse context, alsjeblieft", "Nie korzystaj z pamięci", "Не используй память для этого вопроса", "Ответь без памяти.")
CONVERSATIONS = ("Ignore memory for this conversation.", "From now on, don't use memory.",
                 "Dans cette conversation, n'utilise pas ta mémoire.",
                 "Ignora la memoria in questa conversazione", "Vanaf nu: gebruik geen geheugen", "在这次对话中不要使用记忆")
NEITHER = ("Ignore memory leaks in the test output", "Don't use memory mapped files for the index",
           "don't use memory for caching, use redis", "create a fresh context manager class",
           "The service crashed without memory limits set", "El proceso se queda sin memoria libre",
           "Ignora la memoria condivisa del processo", "Gebruik geen geheugen voor de cache",
           "Без памяти процесс падает", "内存不足怎么办")


@pytest.mark.parametrize(("wanted", "said"), [*(("turn", one) for one in TURNS), *(("", one) for one in NEITHER),
                                              *(("conversation", one) for one in CONVERSATIONS)])
def test_a_wish_for_a_turn_without_memory_is_told_from_words_about_memory(wanted, said):
    assert asked_for(said) == wanted


def hook(dream: Any, event: str, prompt: str = "", *, conversation: str = "s-1") -> str:
    said = {"session_id": conversation, "cwd": str(dream.person), "hook_event_name": event, "prompt": prompt,
            "transcript_path": "/nowhere/s.jsonl"}
    name = {"UserPromptSubmit": "user-prompt-submit", "Stop": "stop"}[event]
    told = dream("hook", name, stdin=json.dumps(said))
    assert (told.code, told.err) == (0, "")
    return json.loads(told.out)["hookSpecificOutput"]["additionalContext"] if told.out else ""


def found(dream: Any, place: Path | None = None) -> dict[str, object]:
    """What the tool of an agent answers in a directory."""
    world = build_world({"--home": str(dream.home), "--now": "2026-03-02T09:00:00Z"})
    return Desk(world, place or dream.person).search("which port", 3, "user")


def test_the_agent_is_told_its_tools_are_off_for_that_turn_and_the_next_is_as_before(dream):
    dream("note", "The harbour gateway listens on port 4455", "--scope", "user")
    dream("consolidate")
    assert len(found(dream)["results"]) == 1
    assert "without memory" in hook(dream, "UserPromptSubmit", "Fresh context please. Which port?")
    off = found(dream)
    assert (off["results"], off["mode"]) == ([], "off") and "off for this turn" in str(off["warning"])
    assert found(dream, dream.root / "elsewhere")["mode"] != "off"
    assert hook(dream, "UserPromptSubmit", "And now?") == ""
    assert len(found(dream)["results"]) == 1


def test_a_turn_without_memory_ends_with_the_answer(dream):
    hook(dream, "UserPromptSubmit", "Don't use memory.")
    asked = dream("search", "which port", "--json", CLAUDECODE="1")
    assert asked.document["mode"] == "off" and "off for this turn" in asked.err
    hook(dream, "Stop")
    assert list((dream.home / "silent").iterdir()) == []


def test_a_conversation_without_memory_stays_so_in_every_turn(dream):
    assert "this conversation" in hook(dream, "UserPromptSubmit", "Ignore memory for this conversation.")
    hook(dream, "Stop")
    assert "this conversation" in hook(dream, "UserPromptSubmit", "Which port?")
    assert hook(dream, "UserPromptSubmit", "Which port?", conversation="s-2") == ""
