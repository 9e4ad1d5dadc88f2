"""The Model Context Protocol server: an agent searches, notes and looks at memory through its own tool calls.

Speaks over standard input and output. Results are bounded; what an agent notes here carries the agent's own
authority, never a person's, and nothing is forgotten through it without the person's word in the same call.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from dreamd import __version__
from dreamd.agents import hooks, recall_client
from dreamd.core.clock import iso
from dreamd.core.errors import DreamError, Outage, UsageError
from dreamd.core.values import LONGEST_TEXT, Candidate, Memory, Origin, Scope, Status, parse_scope
from dreamd.core.world import World
from dreamd.kit import open_kit
from dreamd.models import Embedder
from dreamd.recall.answer import Look, search

if TYPE_CHECKING:
    from mcp.server import MCPServer

    from dreamd.store.connection import Store

MOST_RESULTS = 15
LONGEST_SHOWN = 2_000
LARGEST_INDEX_CHARS = 60_000
INSTRUCTIONS = (
    "Long-term memory of this person and project. Search before you assume; note what a later conversation should know. "
    "What comes back are records with dates: clues, not conclusions.")


def serve(world: World, *, directory: Path) -> None:
    """Answer until standard input ends.

    Raises Outage when the protocol's own library is not installed.
    """
    build(world, directory=directory).run()


def build(world: World, *, directory: Path) -> MCPServer:
    """The server with its tools and resources; `directory` tells the project when a call names no scope."""
    try:
        from mcp.server import MCPServer
        from mcp.types import ToolAnnotations
    except ImportError:
        raise Outage("the MCP library is not installed", component="config", code="mcp-missing",
                     hint="install it with `pip install 'dreamd[mcp]'`") from None

    server: MCPServer = MCPServer("dream", version=__version__, instructions=INSTRUCTIONS, log_level="WARNING")
    desk = Desk(world, directory)

    @server.tool(annotations=ToolAnnotations(title="Search memory", read_only_hint=True, open_world_hint=False))
    def memory_search(query: str, limit: int = 7, scope: str = "") -> dict[str, object]:
        """Memories that answer a question, best first, with the day each was last confirmed.

        Status `said` marks words that no memory carries, as a person said them that day.
        """
        return _told(lambda: desk.search(query, limit, scope))

    @server.tool(annotations=ToolAnnotations(title="Note something", read_only_hint=False, destructive_hint=False,
                                             idempotent_hint=True, open_world_hint=False))
    def memory_note(text: str, scope: str = "", conversation: str = "") -> dict[str, object]:
        """Keep one statement of one or two sentences as an agent's observation; the next dream takes it up."""
        return _told(lambda: desk.note(text, scope, conversation))

    @server.tool(annotations=ToolAnnotations(title="State of the memory", read_only_hint=True, open_world_hint=False))
    def memory_status() -> dict[str, object]:
        """How many memories there are, what waits, and when the last dream ended."""
        return _told(desk.status)

    @server.tool(annotations=ToolAnnotations(title="Forget a memory", read_only_hint=False, destructive_hint=True,
                                             idempotent_hint=True, open_world_hint=False))
    def memory_forget(memory_id: str, person_confirmed: bool = False) -> dict[str, object]:
        """Remove one memory for good. Only with `person_confirmed`, after the person said so in this conversation."""
        return _told(lambda: desk.forget(memory_id, person_confirmed))

    @server.tool(annotations=ToolAnnotations(title="What waits for a decision", read_only_hint=True, open_world_hint=False))
    def memory_review() -> dict[str, object]:
        """Held memories with what each contradicts; the person decides with `dream review`."""
        return _told(desk.review)

    @server.resource("dream://index", name="memory index", mime_type="text/markdown")
    def index() -> str:
        """MEMORY.md of the project this server runs in, and of the person."""
        return desk.index()

    return server


class Desk:
    """What the tools do, apart from the protocol."""

    def __init__(self, world: World, directory: Path) -> None:
        self._world = world
        self._directory = directory
        self._embedder: Embedder | None = None

    def search(self, query: str, limit: int, scope: str) -> dict[str, object]:
        """Search the named scope, or the project here and the person's own."""
        wanted = max(1, min(limit, MOST_RESULTS))
        with open_kit(self._world) as kit:
            look = Look(limit=wanted, scopes=self._scopes(kit.store, scope), directory=self._directory)
            answer = recall_client.ask(self._world, query, look, store=kit.store)
            if answer is None:
                # The model stays here for as long as the agent's session lasts; only its first search waits for it.
                kit.embedder = self._embedder
                answer = search(kit, query, look)
                self._embedder = kit.embedder
        return {"results": [{**_face(r.memory), "score": round(r.score, 3), "clue": r.clue} for r in answer.results],
                "mode": answer.mode, "warning": answer.warning}

    def note(self, text: str, scope: str, conversation: str) -> dict[str, object]:
        """Store one observation of the agent."""
        from dreamd.store.intake.notebook import take_note

        if len(text) > LONGEST_TEXT:
            raise UsageError(f"the text is longer than {LONGEST_TEXT} characters", hint="note one or two sentences")
        where = parse_scope(scope) if scope else self._here() or hooks.own_scope(conversation)
        candidate = Candidate(text.strip(), Origin.AGENT, self._world.clock.now(), where, conversation=conversation)
        answer = take_note(self._world, [candidate]).answers[0]
        return {"id": answer.id, "status": answer.status, "reason": answer.reason, "scope": str(where)}

    def status(self) -> dict[str, object]:
        """Counts and times."""
        from dreamd.store import journal, memories, observations

        with open_kit(self._world, read_only=True) as kit:
            waiting, oldest = observations.count_pending(kit.store)
            last = journal.last_run(kit.store, outcomes=("changed", "nothing-to-do"))
            return {"memories": memories.count_by_status(kit.store), "waiting": waiting,
                    "oldest_waiting_at": iso(oldest) if oldest else None,
                    "last_dream_at": iso(last.ended_at) if last and last.ended_at else None}

    def forget(self, memory_id: str, person_confirmed: bool) -> dict[str, object]:
        """Forget for good, with the person's word."""
        from dreamd.agents import attach
        from dreamd.dream import verbs

        if not person_confirmed:
            return {"forgotten": False, "reason": "ask the person first; then call again with person_confirmed"}
        with open_kit(self._world) as kit:
            chosen, loose = verbs.find_named(kit, [memory_id])
            text = (chosen[0].text if chosen else loose[0][1])
            gone = verbs.forget(kit, [m.id for m in chosen], loose=[seq for seq, _ in loose])
            attach.forget(kit, [text])
            hooks.drop_requests(self._world.paths, [text])
        return {"forgotten": True, "memories": gone.memories, "observations": gone.observations}

    def review(self) -> dict[str, object]:
        """The questions that wait."""
        from dreamd.dream import verbs

        with open_kit(self._world, read_only=True) as kit:
            questions = verbs.load_review(kit)
        return {"questions": [{"memory": _face(q.memory), "contradicts": [_face(r) for r in q.rivals]}
                              for q in questions[:MOST_RESULTS]], "more": max(0, len(questions) - MOST_RESULTS)}

    def index(self) -> str:
        """The index files of the scopes here, as an agent would load them."""
        texts: list[str] = []
        if not self._world.paths.store.exists():
            return "No memory yet.\n"
        with open_kit(self._world, read_only=True) as kit:
            scopes = self._scopes(kit.store, "")
        for scope in scopes:
            path = self._world.paths.scope_dir(scope) / "MEMORY.md"
            if path.is_file():
                texts.append(path.read_text("utf-8", "replace"))
        return "\n".join(texts)[:LARGEST_INDEX_CHARS] or "No memory yet.\n"

    def _scopes(self, store: Store, named: str) -> tuple[Scope, ...]:
        return (parse_scope(named),) if named else hooks.scopes_of(store, str(self._directory))

    def _here(self) -> Scope | None:
        """The scope of the project this server runs in, given one where it has none; None while the store is busy."""
        from dreamd.dream.scopes.place_now import place_now

        return place_now(self._world, str(self._directory))


def _told(act: Callable[[], dict[str, object]]) -> dict[str, object]:
    """Carry out a call; what went wrong reaches the agent as the same sentence a person would read."""
    from mcp.server.mcpserver.exceptions import ToolError

    try:
        return act()
    except DreamError as error:
        raise ToolError(f"{error.message}; {error.hint}" if error.hint else error.message) from None


def _face(memory: Memory) -> dict[str, object]:
    text = memory.text if len(memory.text) <= LONGEST_SHOWN else memory.text[:LONGEST_SHOWN] + " …"
    return {"id": memory.id, "text": text, "class": memory.memory_class.value, "scope": str(memory.scope),
            "status": memory.status.value, "confirmed_at": iso(memory.confirmed_at), "stale": memory.status is Status.STALE}
