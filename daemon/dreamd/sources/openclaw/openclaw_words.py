"""What a person wrote in a message of OpenClaw, among everything its channels and its own clock put beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from dreamd.sources.base import contract
from dreamd.sources.base.tolerant import Record, record_at, records_at, text_at

_MARK = "⟦openclaw:ctx⟧"
"""Ends the heading of every block the program puts into a message."""
_REST_IS_CONTEXT = f"Context: {_MARK}"
_MEMORY_HEAD, _MEMORY_OPEN, _MEMORY_CLOSE = "Context:", "<active_memory_plugin>", "</active_memory_plugin>"
_HINT = "`message` tool"
_ENVELOPE = re.compile(r"^\[[^\]\n]{3,200}\d{1,2}:\d{2}[^\]\n]{0,40}\] ?")
"""Channels put a line such as `[WebChat 2026-02-09 10:00]` before what a person wrote."""
_MESSAGE_ID = re.compile(r"\n?\[message_id: [^\]\n]{1,100}\]\s*$")
_METADATA = re.compile(r"\A(?:[A-Z][^\n]{3,80}\(untrusted[^\n]{0,40}\):\n```json\n(?:[^`]|`(?!``))*```\s*)+")
_BLOCKS = (("<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>", "<<<END_OPENCLAW_INTERNAL_CONTEXT>>>"), (_MEMORY_OPEN, _MEMORY_CLOSE))
_NEWS = re.compile(r"\A(?:System(?: \(untrusted\))?: [^\n]*(?:\n+|\Z))+")
"""What happened since the last message, line by line before what the person wrote."""
_BACKGROUND = (
    "Read HEARTBEAT.md", "HEARTBEAT", "A new session was started via", "[cron:", "Pre-compaction memory flush",
    "[System", "System:", "A subagent task", "GatewayRestart", "Continue where you left off", "[Inter-session message]",
    "[OpenClaw heartbeat", "[OpenClaw exec", "[OpenClaw cron", "[OpenClaw session event]", "[OpenClaw runtime",
    "OpenClaw runtime context (internal):", "Run the following periodic tasks", "Follow the heartbeat monitor",
)
_NOT_A_PERSON = frozenset({"inter_session", "internal_system"})
_SHARED = frozenset({"group", "channel"})
_BY_PROGRAMS = frozenset({"cron", "hook", "plugin", "internal"})


@dataclass(frozen=True)
class Company:
    """Who talks in a session: `skip` says why no person does, and in a shared one it is not the person alone."""

    skip: str = ""
    shared: bool = False


def company_of(key: str, *about: Record) -> Company:
    """Who talks in a session, from its key (`agent:main:telegram:group:7`) and what is known about it."""
    steps = set(key.split(":")[2:])
    begun = {text_at(known, name) for known in about for name in ("created_via", "created_actor_type")}
    if steps & {"subagent"} or begun & {"spawn", "agent"} or any(text_at(known, "spawned_by", "spawnedBy") for known in about):
        return Company(contract.SIDECHAIN)
    if (steps | begun) & _BY_PROGRAMS or "explicit:model-run" in key or any(
            text_at(known, "hook_external_content_source") for known in about):
        return Company(contract.OTHER_AGENT)
    return Company(shared=bool(steps & _SHARED) or any(text_at(known, "chat_type", "chatType") in _SHARED for known in about))


def words_in(text: str) -> str:
    """What the person typed; empty when the program wrote the message itself."""
    body = _ENVELOPE.sub("", text.strip(), count=1)
    if _MARK in body or _MEMORY_OPEN in body or _HINT in body:
        body = "\n".join(_without_context(body.split("\n")))
    for begin, end in _BLOCKS:
        body = _without_block(body, begin, end)
    body = _METADATA.sub("", _NEWS.sub("", body.strip()))
    body = _MESSAGE_ID.sub("", _ENVELOPE.sub("", body.strip(), count=1)).strip()
    return "" if body.startswith(_BACKGROUND) else body


def is_from_a_program(message: Record) -> bool:
    """Whether the message names a program, another session or a tool as where it came from."""
    if text_at(record_at(message, "provenance"), "kind") in _NOT_A_PERSON:
        return True
    parts = records_at(message, "content")
    return bool(parts) and all(text_at(part, "type") in ("tool_result", "toolResult") for part in parts)


def _without_context(lines: list[str]) -> Iterator[str]:
    """The lines outside every block that a marked heading opens."""
    place = 0
    while place < len(lines):
        line = lines[place].strip()
        if line == _REST_IS_CONTEXT:
            return
        if line.endswith(_MARK):
            place = _end_of_block(lines, place + 1)
        elif line == _MEMORY_HEAD and place + 1 < len(lines) and lines[place + 1].strip() == _MEMORY_OPEN:
            place = _behind(lines, place + 2, _MEMORY_CLOSE)
        else:
            if not (line.startswith("Delivery: ") and _HINT in line):
                yield lines[place]
            place += 1


def _end_of_block(lines: list[str], place: int) -> int:
    """Behind the fence that opens right here, else behind the next blank line."""
    if place < len(lines) and lines[place].strip() == "```json":
        return _behind(lines, place + 1, "```")
    return _behind(lines, place, "")


def _behind(lines: list[str], place: int, wanted: str) -> int:
    while place < len(lines) and lines[place].strip() != wanted:
        place += 1
    return place + 1


def _without_block(text: str, begin: str, end: str) -> str:
    """A text without everything between two marks; what is not closed goes to the end."""
    kept, rest = [], text
    while True:
        before, opened, after = rest.partition(begin)
        kept.append(before)
        if not opened:
            return "".join(kept)
        rest = after.partition(end)[2]
