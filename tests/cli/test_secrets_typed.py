"""Secrets on the way in by hand: what an agent's prompt hook takes, what is asked for, and what is said of a mistake."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from secrets_said import HEX32, SECRETS
from standing_by import tell_dream

TOKENS = {name: SECRETS[name] for name in ("databricks token", "gitlab token", "huggingface token", "github token",
                                           "sendgrid key")}


def dream(root: Path, *words: str, said: str = "") -> str:
    env = {**os.environ, "HOME": str(root), "DREAM_HOME": str(root / "home"), "DREAM_NOW": "2026-05-08T12:00:00Z", "TZ": "UTC"}
    done = tell_dream(words, env=env, stdin=said)
    return done.stdout + done.stderr


@pytest.mark.parametrize("word", ["remember that", "forget that"])
def test_a_prompt_that_begins_with_a_token_leaves_none_of_it(tmp_path: Path, word: str) -> None:
    for n, (text, secret) in enumerate(TOKENS.values()):
        prompt = f"{word} {text} of the harbour office {'lies in the safe ' * (20 if word.startswith('forget') else 1)}{text}"
        dream(tmp_path, "hook", "user-prompt-submit", said=json.dumps(
            {"session_id": f"s{n}", "cwd": str(tmp_path), "prompt": prompt, "hook_event_name": "UserPromptSubmit"}))
        raw = b"".join(p.read_bytes() for p in (tmp_path / "home").rglob("*") if p.is_file())
        assert secret.encode() not in raw
        assert secret[:12].encode() not in raw


def test_a_secret_that_was_typed_is_not_said_again(tmp_path: Path) -> None:
    dream(tmp_path, "note", "The harbour office has two doors.")
    for words in (("search", "--json", "the", "password", "is", "Velvet-Crab-3107"), ("frobnicate=" + "dapi" + HEX32,),
                  ("note", "--at", "password=Velvet-Crab-3107", "x"), ("show", "the password is Velvet-Crab-3107"),
                  ("consolidate", "--scope", "the password is Velvet-Crab-3107"),
                  ("note", "--json", "--at", "dapi" + HEX32, "x")):
        told = dream(tmp_path, *words)
        assert "Velvet-Crab-3107" not in told
        assert HEX32 not in told


def test_a_secret_that_is_known_by_a_command_is_masked_before_its_sentence_is_taken_apart(tmp_path: Path) -> None:
    talk = tmp_path / ".claude" / "projects" / "-srv-bank" / "s-1.jsonl"
    talk.parent.mkdir(parents=True)
    said = ("remember: mariadb -u root -pW1nterz4uber shop",
            "Remember that tokens are in the vault. remember: mysql -pPl0vers shop")
    talk.write_text("".join(json.dumps({
        "type": "user", "uuid": f"u-{n}", "parentUuid": None, "isSidechain": False, "userType": "external",
        "cwd": "/srv/bank", "sessionId": "s-1", "version": "2.1.231", "timestamp": f"2026-05-07T10:0{n}:00Z",
        "message": {"role": "user", "content": text}}) + "\n" for n, text in enumerate(said)))
    dream(tmp_path, "consolidate")
    assert "masked" in dream(tmp_path, "list", "--all")
    kept = b"".join(p.read_bytes() for p in (tmp_path / "home").rglob("*") if p.is_file())
    for secret in (b"W1nterz4uber", b"Pl0vers"):
        assert secret not in kept
