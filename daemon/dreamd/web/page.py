"""The page as an application: which address shows what. Each view reads in one go, closes the store, and only then answers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from dreamd.agents.attach import load_attachments
from dreamd.agents.deciding.answered_questions import load_waiting, proposed_everywhere
from dreamd.core import telemetry
from dreamd.core.errors import DreamError, Locked, Outage, Overtaken, Refused, StoreMissing, UsageError
from dreamd.core.values import Category, MemoryClass, Origin, Status
from dreamd.core.world import World
from dreamd.dream import verbs
from dreamd.dream.telling.where_from import load_reach
from dreamd.kit import Kit, open_kit
from dreamd.models import Embedder
from dreamd.report.plots import Plot, load_plots
from dreamd.report.quiet import load_quiet
from dreamd.service import how_it_stands
from dreamd.store import journal, memories
from dreamd.store.connection import FIRST_STEPS
from dreamd.store.presence.team_copy import HOW_IT_CHANGES, load_synced
from dreamd.store.telling.taken_back import UNDO
from dreamd.web import acts
from dreamd.web.doors.door import Door
from dreamd.web.doors.keys import Keys
from dreamd.web.rendering import ASSETS, THIRD_PARTY, Renderer
from dreamd.web.views import night_by_night, remembered
from dreamd.web.warm import Warm

STATUS_OF = ((StoreMissing, 404), (UsageError, 400), (Locked, 423), (Overtaken, 409), (Refused, 409), (Outage, 503))
QUIET = 5
View = Callable[[Request], Response]


class Page:
    """What the addresses of the page show and do, for one home."""

    def __init__(self, world: World, *, embedder: Embedder | None = None) -> None:
        self.world = world
        self.warm = Warm(world, embedder=embedder)
        self.render = Renderer(world)
        self.nights = night_by_night.Nights()
        self._plots: tuple[object, list[Plot]] = None, []

    def last_night(self, request: Request) -> Response:
        """The newest dream, what comes next, and the runs before it."""
        with open_kit(self.world, read_only=True) as kit:
            shown, lines = self.nights.show(kit), self.nights.lines(kit)
            waiting = len(load_waiting(kit))
        standing = how_it_stands.look(self.world)
        quiet = load_quiet(self.world.paths, since=shown.run.now if shown else None)[-QUIET:]
        return self.render.page(request, "nights.html", {
            "shown": shown, "lines": lines, "standing": standing, "waiting": waiting, "quiet": quiet})

    def night(self, request: Request) -> Response:
        """One run."""
        with open_kit(self.world, read_only=True) as kit:
            shown, undo = self.nights.show(kit, request.path_params["run"]), self._undo(kit, request)
        return self.render.page(request, "night.html", {"shown": shown, "undo": undo})

    def _undo(self, kit: Kit, request: Request) -> night_by_night.Shown | None:
        """The undo that has just led here, told on top."""
        named = request.query_params.get("done", "")
        with suppress(StoreMissing):
            shown = self.nights.show(kit, named) if named else None
            return shown if shown is not None and shown.run.kind == UNDO else None
        return None

    def taking_back(self, request: Request) -> Response:
        """What taking a run back would mean."""
        named, only = request.path_params["run"], request.query_params.get("only", "")
        with open_kit(self.world, read_only=True) as kit:
            shown, (plan, why_not) = self.nights.show(kit, named), night_by_night.plan(kit, named, only)
        return self.render.page(request, "undo.html", {
            "shown": shown, "plan": plan, "why_not": why_not, "only": only})

    def over_time(self, request: Request) -> Response:
        """How the memory came to be what it is, in pictures."""
        with open_kit(self.world, read_only=True) as kit:
            now = kit.clock.now()
            drawn = journal.last_seq(kit.store), now.replace(second=0, microsecond=0)  # at most a minute old
            if self._plots[0] != drawn:
                self._plots = drawn, load_plots(kit.store, self.world.settings.index, now=now)
        return self.render.page(request, "over_time.html", {"plots": self._plots[1]})

    def health(self, request: Request) -> Response:
        """The verdicts of the probe, what is away, who holds a lock, what waits, and how far each source was read."""
        return self.render.page(request, "health.html", {
            "standing": how_it_stands.look(self.world), "sources": load_reach(self.world)})

    def memories(self, request: Request) -> Response:
        """The memories that were searched for or chosen."""
        asked = remembered.read_asked(request.query_params)
        with open_kit(self.world, read_only=True) as kit:
            shown = remembered.show(kit, asked, self.warm.search)
            part = request.headers.get("hx-target") == "results"
            counted = {} if part else remembered.facets(kit, asked)
        return self.render.page(request, "_results.html" if part else "memories.html", {
            "asked": asked, "shown": shown, "facets": counted, "synced": load_synced(self.world),
            "team": self.world.settings.teams.tenant, "ages": remembered.AGES, "orders": remembered.ORDER_WORDS,
            "per_page": remembered.A_PAGE, "origins": [o.value for o in Origin], "classes": [c.value for c in MemoryClass],
            "categories": [c.value for c in Category], "statuses": [s.value for s in Status if s is not Status.SAID]})

    def memory(self, request: Request) -> Response:
        """One memory with everything about it."""
        return self._memory(request, request.path_params["id"])

    def _memory(self, request: Request, identity: str, *, part: bool = False, **told: object) -> Response:
        with open_kit(self.world, read_only=True) as kit:
            whole, undo = remembered.load_whole(kit, identity), self._undo(kit, request)
        return self.render.page(request, "_memory.html" if part else "memory.html", {
            "whole": whole, "told": whole.told, "memory": whole.told.memory, "rules": self.world.settings.prune,
            "passage": remembered.is_passage(whole.told.memory), "promotable": remembered.kind_of_held(whole.told.memory),
            "how_it_changes": HOW_IT_CHANGES, "done": None, "undo": undo, **told})

    def decide(self, request: Request) -> Response:
        """What waits for a person."""
        with open_kit(self.world, read_only=True) as kit:
            waiting = load_waiting(kit)
            ids = [m.id for q in waiting.questions for m in (q.memory, *q.rivals)]
            named = [i for idea in waiting.ideas for i in (idea.target, idea.into) if i]
            said = remembered.load_said(kit, ids)
            revisions, attached = memories.load_revisions(kit.store, ids), bool(load_attachments(kit.store))
            known = memories.load_some(kit.store, named)
        return self.render.page(request, "decide.html", {
            "waiting": waiting, "said": said, "attached": attached, "revisions": revisions, "known": known,
            "choices": verbs.CHOICES})

    def proposals(self, request: Request) -> Response:
        """What dream would change in instruction files, which only their owner changes."""
        warnings: list[str] = []
        with open_kit(self.world, read_only=True) as kit:
            kit.embedder = self.warm.embedder
            found = proposed_everywhere(kit, warn=warnings.append)
            self.warm.embedder = kit.embedder
        return self.render.page(request, "proposals.html", {"found": found, "warnings": warnings})

    def act(self, request: Request, body: bytes) -> Response:
        """One verb, and what the page shows after it."""
        verb, said = request.path_params["verb"], acts.read_said(body)
        try:
            done = acts.act(self.world, verb, said, self.warm)
        except Overtaken as overtaken:
            if verb == "edit" and said.get("id"):
                return self._conflict(request, said, overtaken)
            raise
        if done.go:
            answer = self.render.page(request, "_done.html", {"done": done})
            answer.headers["HX-Redirect"] = request.scope["dream.keys"].base + done.go
            return answer
        if done.memory and verb not in ("decide", "forget"):
            return self._memory(request, done.memory, part=True, done=done)
        return self.render.page(request, "_done.html", {"done": done})

    def _conflict(self, request: Request, said: acts.Said, overtaken: Overtaken) -> Response:
        """The words of both, where a memory changed under the hand of who edits it; nothing of either is lost."""
        with open_kit(self.world, read_only=True) as kit:
            whole = remembered.load_whole(kit, said["id"])
        return self.render.page(request, "_conflict.html", {
            "whole": whole, "memory": whole.told.memory, "words": said.get("words", ""), "error": overtaken}, status=409)


def build_page(world: World, keys: Keys, *, touch: Callable[[], object] = lambda: None,
               embedder: Embedder | None = None) -> tuple[ASGIApp, Page]:
    """The whole application behind its door, and the page, to be let go of at the end."""
    page = Page(world, embedder=embedder)

    def view(show: View) -> Callable[[Request], Awaitable[Response]]:
        async def answer(request: Request) -> Response:
            return await _settled(page, request, lambda: show(request))

        return answer

    async def act(request: Request) -> Response:
        body = await request.body()
        return await _settled(page, request, lambda: page.act(request, body))

    routes = [Route("/", view(page.last_night)), Route("/night/{run}", view(page.night)),
              Route("/night/{run}/undo", view(page.taking_back)), Route("/memories", view(page.memories)),
              Route("/memory/{id}", view(page.memory)), Route("/decide", view(page.decide)),
              Route("/proposals", view(page.proposals)), Route("/over-time", view(page.over_time)),
              Route("/health", view(page.health)),
              Route("/act/{verb}", act, methods=["POST"]),
              Mount("/assets", StaticFiles(directory=ASSETS)), Mount("/third-party", StaticFiles(directory=THIRD_PARTY))]
    inside = Starlette(routes=[Mount(keys.base, routes=routes)], exception_handlers={404: _nothing_here(page)})
    return Door(inside, keys, touch=touch), page


async def _settled(page: Page, request: Request, answer: Callable[[], Response]) -> Response:
    """An answer, made in a thread; what went wrong as a sentence, in the place where the answer would have been."""
    try:
        return await run_in_threadpool(answer)
    except DreamError as error:
        status = next((code for kind, code in STATUS_OF if isinstance(error, kind)), 500)
        return _sorry(page, request, error, status)
    except Exception as error:  # noqa: BLE001 - the end of a request: recorded by place and class, never as text
        with suppress(OSError):
            telemetry.log_crash(page.world.paths, error)
        return _sorry(page, request, DreamError(f"something unforeseen happened ({type(error).__name__})",
                                                hint="nothing that was stored is lost; `dream check` looks"), 500)


def _sorry(page: Page, request: Request, error: DreamError, status: int) -> HTMLResponse:
    part = request.method == "POST" or "hx-request" in request.headers
    answer = page.render.page(request, "_sorry.html" if part else "sorry.html", {
        "error": error, "title": "Nothing here yet" if error.hint == FIRST_STEPS else "Not this way"}, status=status)
    if part:  # beside what somebody may be writing, never in its place
        answer.headers.update({"HX-Retarget": "#trouble", "HX-Reswap": "innerHTML"})
    return answer


def _nothing_here(page: Page) -> Callable[[Request, Exception], Awaitable[Response]]:
    async def answer(request: Request, _error: Exception) -> Response:
        return _sorry(page, request, StoreMissing("there is nothing at this address"), 404)

    return answer
