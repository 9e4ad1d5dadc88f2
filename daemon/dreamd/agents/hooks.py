"""What a harness's hooks do: note that a conversation moved, take in "remember …", and never be in the way.

A hook returns in a few dozen milliseconds: it appends one file to the inbox and leaves the rest to the service or
the next dream. Whatever goes wrong here, the agent's session goes on.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from dreamd.core import fsio
from dreamd.core.clock import iso
from dreamd.core.errors import DreamError, UsageError
from dreamd.core.paths import Paths
from dreamd.core.values import LONGEST_SCOPE_KEY, LONGEST_TEXT, SHORTEST_TEXT, Candidate, Origin, Scope, content_id, parse_scope
from dreamd.core.world import World

if TYPE_CHECKING:
    from dreamd.store.connection import Store

EVENTS = ("session-start", "user-prompt-submit", "stop", "pre-compact", "session-end")
LARGEST_PAYLOAD_BYTES = 4 * 1024 * 1024
SHORTEST_NAMED = 4
"""Characters by which a request may be named."""
REQUESTS_KEPT = 100


@dataclass(frozen=True)
class Call:
    """What a harness said on standard input, as far as dream needs it."""

    event: str
    conversation: str = ""
    transcript: str = ""
    cwd: str = ""
    source: str = ""
    prompt: str = ""
    form: str = "nested"
    """How the harness wants to be answered: `nested` below the event's name, `snake` or `camel` at the top."""
    named: str = ""
    """The event as the harness calls it."""


def read_call(event: str, body: bytes) -> Call:
    """Understand a harness's JSON; what is missing or strange stays empty.

    Raises UsageError for an unknown event or a body that is no JSON object.
    """
    if event not in EVENTS:
        raise UsageError(f"unknown hook event; one of {', '.join(EVENTS)}")
    try:
        document = json.loads(body[:LARGEST_PAYLOAD_BYTES] or b"{}")
    except (ValueError, RecursionError):
        raise UsageError("the hook's input is not JSON") from None
    if not isinstance(document, dict):
        raise UsageError("the hook's input is not a JSON object")
    return Call(event, _first(document, "session_id", "sessionId", "conversation_id", "conversationId"),
                _first(document, "transcript_path", "transcriptPath"),
                _first(document, "cwd", "workspace", "directory") or _root(document),
                _first(document, "source", "trigger", "reason"), _first(document, "prompt", "user_prompt", "text"),
                _form(document), _first(document, "hook_event_name", "hookEventName"))


def _form(document: Mapping[str, object]) -> str:
    """Cursor names the event as its settings do; Copilot CLI names none, where VS Code, which runs its hooks, does."""
    named = document.get("hook_event_name", document.get("hookEventName"))
    if named == "sessionStart":
        return "snake"
    return "camel" if named is None and "sessionId" in document else "nested"


def handle(world: World, call: Call) -> str:
    """Do what an event other than `session-start` asks for, a few small files at most; what the agent is to be told of it."""
    now = world.clock.now()
    if call.event == "user-prompt-submit":
        from dreamd.agents.guarding import without_memory

        told = without_memory.hear(world, call.conversation, call.cwd, call.prompt)
        if not without_memory.asked_for(call.prompt):
            _hear(world, call, now)
        return told
    if call.transcript:
        from dreamd.store.intake import inbox

        touched = inbox.Touched(call.event, call.transcript, call.conversation, call.cwd, now)
        inbox.put_touched(world.paths, touched, ticket=f"{world.clock.monotonic():.9f}")
    return ""


def _hear(world: World, call: Call, now: datetime) -> None:
    """Take what a prompt says to the memory itself; everything else is left to the transcript."""
    from dreamd.store.intake import inbox  # the start of a conversation, which needs none of these, is in more of a hurry
    from dreamd.text.patterns import cue
    from dreamd.text.redaction import redact

    prompt = call.prompt.strip()
    asked = cue("words/speech_acts", "forget", start=True).match(prompt)
    told = cue("words/speech_acts", "remember", start=True).match(prompt)
    if (asked or told) and is_kept_out(world, call):
        return
    if asked:
        request_forget(world, prompt[asked.end():].strip(), now)
        return
    text = prompt[told.end():].strip() if told else ""
    if told and SHORTEST_TEXT <= len(text) <= LONGEST_TEXT and "\n\n" not in text:
        # Whose project the directory is, the next dream tells: no store is opened while somebody types.
        masked = redact(text).text  # before anything changes: a token with another first letter is not recognised
        candidate = Candidate(masked[:1].upper() + masked[1:], Origin.USER, now, own_scope(call.conversation),
                              conversation=call.conversation, sign="remember")
        inbox.put_notes(world.paths, [candidate], now=now, ticket=call.conversation, place=call.cwd)


def is_kept_out(world: World, call: Call) -> bool:
    """Whether nothing that is said here is for the memory."""
    from dreamd.core.paths import user_home
    from dreamd.sources.exclusion import Exclusions

    kept_out = Exclusions(world.settings.sources.exclude, str(user_home(world.env)))
    return kept_out.has_place(call.cwd) or kept_out.has_conversation(call.conversation)


def request_forget(world: World, words: str, now: datetime) -> None:
    """Forgetting is for good, so a prompt only asks for it; `dream review` shows the request with the command."""
    if not words:
        return
    from dreamd.core import locks
    from dreamd.text.redaction import redact

    request = {"at": iso(now), "words": redact(words).text[:400]}
    with locks.requests(world.paths.locks):  # two conversations may ask at the same moment
        _keep_requests(world.paths, [*read_requests(world.paths)[-REQUESTS_KEPT + 1:], request])


def read_requests(paths: Paths) -> list[dict[str, str]]:
    """What people asked an agent to forget and nobody has carried out or dropped yet."""
    try:
        found = json.loads(fsio.read_bytes(paths.home / "forget-requests.json"))
    except (FileNotFoundError, DreamError, ValueError):
        return []
    rows = [(str(r.get("at", "")), str(r.get("words", ""))) for r in found if isinstance(r, dict)]
    return [{"id": content_id("forget-request", at, words), "at": at, "words": words} for at, words in rows]


def drop_requests(paths: Paths, forgotten: Sequence[str]) -> None:
    """Requests whose words all stand in something that is now forgotten were seen to; the others go on waiting."""
    from dreamd.core import locks

    told = [text.casefold() for text in forgotten]
    if not read_requests(paths):
        return
    with locks.requests(paths.locks):
        requests = read_requests(paths)
        left = [r for r in requests if not any(all(w in text for w in r["words"].casefold().split()) for text in told)]
        _keep_requests(paths, left)


def dismiss_request(paths: Paths, identity: str) -> dict[str, str] | None:
    """Drop a request that a person does not want carried out, or that nothing answers to; None where no request has that id."""
    from dreamd.core import locks

    named = identity.strip().lower()
    if len(named) < SHORTEST_NAMED or not read_requests(paths):
        return None
    with locks.requests(paths.locks):
        requests = read_requests(paths)
        found = [r for r in requests if r["id"].startswith(named)]
        if len(found) != 1:
            return None
        _keep_requests(paths, [r for r in requests if r is not found[0]])
    return found[0]


def _keep_requests(paths: Paths, left: Sequence[Mapping[str, str]]) -> None:
    if left:
        rows = [{"at": r["at"], "words": r["words"]} for r in left]
        fsio.write_atomic(paths.home / "forget-requests.json", json.dumps(rows, ensure_ascii=False).encode())
    else:
        fsio.remove(paths.home / "forget-requests.json")


def own_scope(conversation: str) -> Scope:
    """The scope of what is said where no project is known: its conversation's, never everybody's."""
    try:
        return parse_scope(f"local:{conversation[:LONGEST_SCOPE_KEY].strip() or 'unknown'}")
    except UsageError:
        return Scope("local", content_id("conversation", conversation))


def scopes_of(store: Store, cwd: str, members: Sequence[str]) -> tuple[Scope, ...]:
    """What a conversation in a directory may be told: its project's, its teams', as far as they are known, and the person's."""
    from dreamd.agents.guarding.belonging import teams_at
    from dreamd.store.scopes import projects

    project = projects.scope_at(store, cwd)
    return (*((project,) if project else ()), *teams_at(members, project, cwd), Scope("user"))


def _first(document: Mapping[str, object], *names: str) -> str:
    return next((v for n in names if isinstance(v := document.get(n), str)), "")


def _root(document: Mapping[str, object]) -> str:
    roots = document.get("workspace_roots")
    return str(roots[0]) if isinstance(roots, list) and roots else ""
