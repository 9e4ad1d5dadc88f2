"""Conversations of Letta's own backend: the bones of an OpenClaw session, with what is known about them in files beside.

A message is appended again whenever it changed, under a new number but its own identity. Newer versions write the message
alone, give a person's words a time of their own counting and name the directory in what they put before them.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from dreamd.core.values import Cursor, Reading
from dreamd.sources.base import contract
from dreamd.sources.base.contract import Head
from dreamd.sources.base.opening import read_record
from dreamd.sources.base.reading import Sink, read_lines
from dreamd.sources.base.tolerant import Record, moment, record_at, text_at, texts_of
from dreamd.sources.openclaw.openclaw_entries import Claw
from dreamd.sources.openclaw.openclaw_words import Company

TALK_NAME = "messages.jsonl"
_SUB_AGENT = ("role:subagent", "parent:")
_PUT_BEFORE = "<system-reminder>"
_DIRECTORY = re.compile(r"\*\*Current working directory\*\*: (/[^\n]{0,1000})")


class LettaTalk:
    """Reads one conversation."""

    kind = "letta-talk"

    def accepts(self, head: Head) -> bool:
        """Messages beside the file that says whose conversation it is."""
        return head.path.name == TALK_NAME and bool(head.records) and head.path.with_name("conversation.json").is_file()

    def read(self, path: Path, cursor: Cursor, *, budget_bytes: int) -> Reading:
        """Read the lines behind the cursor."""
        about = read_record(path.with_name("conversation.json"))
        company = _company(path, about)
        name = f"{text_at(about, 'agent_id')}:{text_at(about, 'id') or path.parent.name}"
        since = moment(read_record(path.with_name("manifest.json")).get("created_at"))
        return read_lines(path, cursor, budget_bytes=budget_bytes,
                          make_parser=lambda sink: _Talk(name, sink, company=company, since=since, begun=cursor.offset > 0))


class _Talk:
    """One conversation, entry by entry: the header's own name is one that every agent's first conversation has."""

    def __init__(self, name: str, sink: Sink, *, company: Company, since: datetime | None, begun: bool) -> None:
        self._name = name
        self._claw = Claw(name, sink, company=company)
        self._since = since
        self._latest = None if begun else since
        """The last time that can be true; None where what comes may be as late as the file."""

    def recalled(self) -> Sequence[int]:
        """Where the directory was named, and the open question and calls."""
        return self._claw.recalled()

    def take(self, record: Record) -> None:
        """Look at one entry."""
        kind, own = text_at(record, "type"), text_at(record_at(record, "message"), "id")
        if kind == "session":
            record = {**record, "id": self._name}
        elif kind == "message" and own:
            record = {**record, "id": own}
        elif not kind and text_at(record, "role"):
            record = self._alone(record)
        self._claw.take(record)

    def _alone(self, message: Record) -> Record:
        """The entry that a message would stand in."""
        for text in texts_of(message.get("content")):
            named = _DIRECTORY.search(text) if text.startswith(_PUT_BEFORE) else None
            if named:
                self._claw.move_to(named[1].strip())
        at = moment(message.get("timestamp"))
        if at is None or self._since is None or at >= self._since:
            self._latest = at or self._latest
        told = {key: value for key, value in message.items() if key != "timestamp"}
        return {"type": "message", "id": text_at(message, "id"), "message": told,
                "timestamp": self._latest.isoformat() if self._latest else None}


def _company(path: Path, about: Record) -> Company:
    """Who talks here: nobody where the conversation is hidden or its agent works for another one."""
    if about.get("hidden") is True:
        return Company(contract.OTHER_AGENT)
    named = base64.urlsafe_b64encode(text_at(about, "agent_id").encode("utf-8", "replace")).decode().rstrip("=")
    tags = read_record(path.parents[2] / "agents" / f"{named}.json").get("tags") if len(path.parts) > 3 else None
    worked_for = any(isinstance(tag, str) and tag.startswith(_SUB_AGENT) for tag in tags) if isinstance(tags, list) else False
    return Company(contract.SIDECHAIN if worked_for else "")
