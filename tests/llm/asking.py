"""A stand-in for whoever makes the calls, and a desk in a house: for tests of what is asked, not of how it is transported."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from dreamd.core.clock import FixedClock
from dreamd.core.settings import Settings
from dreamd.core.world import World
from dreamd.llm.desk import Desk, open_desk
from dreamd.models.language_model import Answer, Ask, Ending, Role, Used
from household import House

SCHEMA: Mapping[str, object] = {"type": "object", "properties": {"said": {"type": "string"}}, "required": ["said"]}
CEDAR = "project:cedar"
USUAL = Used(tokens_in=120, cached=0, tokens_out=30, seconds=0.5)


@dataclass(frozen=True)
class NoWait(FixedClock):
    """Waits are noted and not waited for."""

    waited_s: list[float] = field(default_factory=list)

    def sleep(self, seconds: float) -> None:
        """Note a wait."""
        self.waited_s.append(seconds)


class Died(BaseException):
    """The process ends here, as a kill would end it."""


@dataclass
class FakeCaller:
    """Answers as a test says, and remembers what reached it."""

    reply: Callable[[Ask], Answer] = lambda ask: Answer(Ending.ANSWERED, {"said": ask.data}, "tiny-1", USUAL)
    asked: list[Ask] = field(default_factory=list)
    opened: int = 0
    waited_s: list[float] = field(default_factory=list)

    def call(self, ask: Ask) -> Answer:
        """One request."""
        self.asked.append(ask)
        return self.reply(ask)

    @contextmanager
    def open(self, _settings: Settings, _world: World, **_wishes: object) -> Iterator[FakeCaller]:
        """As a desk opens whoever calls for it."""
        self.opened += 1
        yield self


def question(data: str = "a", *, role: Role = Role.OBSERVER, scope: str = CEDAR, most_out: int = 100,
             seconds: float = 20.0) -> Ask:
    """A question as a role would put it."""
    return Ask(role, f"{role.value}@1", "What was said?", data, SCHEMA, scope, most_out, seconds)


@contextmanager
def desk_in(house: House, caller: FakeCaller, now: str, *, of_dream: bool = True) -> Iterator[Desk]:
    """A desk in an open store."""
    with house.kit(now) as kit, open_desk(kit, caller.open, of_dream=of_dream) as desk:
        kit.world = replace(kit.world, clock=NoWait(kit.clock.now(), caller.waited_s))
        yield desk


def failing(ending: Ending, *, used: Used | None = None, retry_after_s: float | None = None) -> Callable[[Ask], Answer]:
    """A backend that always ends in one way."""
    return lambda _ask: Answer(ending, None, "tiny-1", used or Used(), "told", retry_after_s)
