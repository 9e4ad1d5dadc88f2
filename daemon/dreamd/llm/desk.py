"""The desk: every question to a language model passes here, and here alone it is decided whether it is asked.

In this order: may this leave at all, was it answered before, is it time, is there room under the ceilings. Only then the
worst case is written down, the question asked outside of every transaction, and what it used put in its place.
"""

from __future__ import annotations

import hmac
import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from math import isfinite

from dreamd.core import outage
from dreamd.core.errors import Outage
from dreamd.core.settings import LlmSettings
from dreamd.core.values import is_excluded
from dreamd.kit import Kit
from dreamd.llm import backing_off, calling, ceilings, ledger
from dreamd.llm.backends import instructions
from dreamd.llm.calling import Caller
from dreamd.llm.ceilings import Reached
from dreamd.models.language_model import Answer, Ask, Ending, Role, Used
from dreamd.store.language import language_calls
from dreamd.store.language.language_calls import Call, Kept, Rest
from dreamd.store.language.sent_texts import keep_text
from dreamd.store.observations import tombstone_key
from dreamd.text.redaction import redact

LONGEST_DETAIL = 80
ANSWERS_KEPT = timedelta(days=180)
_OURS = frozenset({Ending.KEPT, Ending.OFF, Ending.CEILING, Ending.WAITING})
"""What only the desk says; from a caller it would be a lie."""
AWAY = "language-model"
"""The component whose marker says that a person must act."""
MOST_VALUE_BYTES = 1_000_000
"""An answer beyond this is none: no schema of ours leaves room for it."""
_USED_NOTHING = frozenset({Ending.UNAUTHORISED, Ending.LIMITED, Ending.UNREACHABLE})
_SWITCHES = {Role.OBSERVER: "observe", Role.JUDGE: "judge", Role.REFLECTOR: "reflect", Role.QUERY: "rewrite_queries"}
_NOBODY_KNOWS = "caller-died"
"""How a call ends whose maker is gone: what it used before, nobody can say."""
_FOR_PEOPLE = {"unauthorised": "the backend refuses the key or the account", "not-installed": "its program is not installed"}
OpenCaller = Callable[..., AbstractContextManager[Caller]]


@dataclass(frozen=True)
class Would:
    """A question that a dry run would have asked, with the most it could use."""

    role: Role
    prompt: str
    scope: str
    worst: Used


@dataclass
class Desk:
    """Asks within every limit that is set. Used by one thread, as its kit is."""

    kit: Kit
    open_caller: OpenCaller = calling.open_caller
    of_dream: bool = True
    """Whether a dream asks, in whose record the calls belong; a search or a trial belongs to none."""
    only_kept: bool = False
    """Nobody is asked, and what was answered before counts."""
    counts: Counter[str] = field(default_factory=Counter)
    """What was asked and how it ended, for the record of a run."""
    would: list[Would] = field(default_factory=list)
    opened: ExitStack = field(default_factory=ExitStack)
    caller: Caller | None = None
    last: dict[Role, int] = field(default_factory=dict)
    over: set[str] = field(default_factory=set)
    """Roles that got nowhere tonight."""
    too_large: set[str] = field(default_factory=set)
    """Ceilings of one call that a question of tonight would have passed alone."""
    rested: Rest | None = None
    """Why no model is asked any more, where this was met while the desk was open."""

    @property
    def settings(self) -> LlmSettings:
        """What a person allows."""
        return self.kit.settings.llm

    def is_on(self, role: Role) -> bool:
        """Whether asking in this role can lead to anything now."""
        if self.settings.backend == "off" or not getattr(self.settings, _SWITCHES[role]):
            return False
        if self._is_over(role):
            return False
        wait, full = backing_off.waits(self._calls(), scope="", now=self.now), self._reached(Used())
        if self.of_dream:  # what keeps a whole dream from asking is said like what stops it in its middle
            self._beyond(full)
            if wait is not None:
                self._rest(Rest(wait.why, wait.until, self.now))
        return wait is None and full is None

    def ask(self, ask: Ask) -> Answer:
        """Ask once, within every limit that is set."""
        try:
            answer = self._ask(ask)
        except Outage:
            if self.of_dream:
                raise
            answer = Answer(Ending.WAITING, detail="store-busy")  # a search does without, whatever is wrong with the store
        self.counts[f"{ask.role.value}.{answer.ending.value}"] += 1
        return answer

    def tell(self, role: Role, *, moved: bool) -> None:
        """Say whether the last answer in a role led to anything; three that did not end the role for the night."""
        seq = self.last.get(role)
        if seq is not None and not moved and not self.kit.dry:
            with self.kit.store.writing(epoch=self.kit.epoch) as tx:
                language_calls.note_moved(tx, seq, moved=moved)

    def told(self) -> list[str]:
        """What the record of a run should say: what a dry run would ask, and why nobody is asked any more."""
        lines = [ledger.tell_would(role.value, [one.worst for one in self.would if one.role is role])
                 for role in dict.fromkeys(one.role for one in self.would)]
        lines += [f"no language model as {role} before tomorrow: {ledger.WORDS['no-progress']}" for role in sorted(self.over)]
        lines += [f"no language model for a question that may pass `llm.{setting}` by itself: raise it, and it is asked again"
                  for setting in sorted(self.too_large)]
        return [*lines, *([ledger.tell_rest(self.rested, self.kit.zone)] if self.rested else [])]

    @property
    def now(self) -> datetime:
        """The time of this question."""
        return self.kit.clock.now()

    def _ask(self, ask: Ask) -> Answer:
        if self.settings.backend == "off" or not getattr(self.settings, _SWITCHES[ask.role]):
            return Answer(Ending.OFF, detail="switched-off")
        if is_excluded(ask.scope, self.settings.exclude):
            return Answer(Ending.OFF, detail="excluded")
        # A role masks what it was given; this is the door, and nothing passes it that only a mistake could have let by.
        ask = replace(ask, data=redact(ask.data).text, seconds=float(min(ask.seconds, self.settings.timeout_s)))
        request = self._request(ask)
        kept = language_calls.load_kept(self.kit.store, request)
        if kept is not None:
            return _again(kept)
        if self.only_kept:
            return Answer(Ending.OFF, detail="only-kept")
        worst = ceilings.worst_case(ask, self.settings, self._calls())
        stopped = self._stopped(ask, worst)
        if stopped is not None:
            return stopped
        if self.kit.dry:
            self.would.append(Would(ask.role, ask.prompt, ask.scope, worst))
            return Answer(Ending.OFF, detail="dry-run")
        answer, tried = self._attempt(ask, request, worst), 1
        while (wait_s := calling.wait_before_retry(answer, tried)) is not None and wait_s < ask.seconds:
            if self.kit.should_stop() or backing_off.is_open(self._calls()):
                break
            self.kit.clock.sleep(wait_s)
            answer, tried = self._attempt(ask, request, worst), tried + 1
        wait = None if answer.ending.carries_value else backing_off.waits(self._calls(), scope="", now=self.now)
        if wait is not None:  # the record of this very night says that it was the last question
            self._rest(Rest(wait.why, wait.until, self.now))
        return answer

    def _stopped(self, ask: Ask, worst: Used) -> Answer | None:
        """What stands against asking now; None where nothing does."""
        if self.kit.should_stop():
            return Answer(Ending.WAITING, detail="stopping")
        wait = backing_off.waits(self._calls(), scope=ask.scope, now=self.now)
        if wait is not None:
            if wait.everywhere:
                self._rest(Rest(wait.why, wait.until, self.now))
            return Answer(Ending.WAITING, detail=wait.why, retry_after_s=(wait.until - self.now).total_seconds())
        if self._is_over(ask.role):
            self.over.add(ask.role.value)
            return Answer(Ending.WAITING, detail="no-progress")
        return self._beyond(ceilings.too_large(worst, self.settings) or self._reached(worst))

    def _attempt(self, ask: Ask, request: str, worst: Used) -> Answer:
        """One request, with its row from before it to after it."""
        run = self.kit.begin().seq if self.of_dream else 0
        call = Call(0, self.now, run, ask.role.value, ask.prompt, ask.scope, self.settings.model, worst)
        with self.kit.store.writing(epoch=self.kit.epoch) as tx:
            # Looked at once more with the write lock held: a search may have asked meanwhile.
            full = self._reached(worst)
            if full is None:
                if not self.last:
                    language_calls.drop_old(tx, answers_before=self.now - ANSWERS_KEPT)
                call = replace(call, seq=language_calls.reserve(tx, call, request=request))
        beyond = self._beyond(full)
        if beyond is not None:
            return beyond
        self.last[ask.role] = call.seq
        if self.settings.log_text:
            keep_text(self.kit.paths, f"{instructions(ask)}\n{ask.data}\n", call=call.seq, at=call.at)
        began_s = self.kit.clock.monotonic()
        answer = self._caller().call(ask)
        took_s = self.kit.clock.monotonic() - began_s
        answer = _checked(answer, took_s=took_s)
        used = self._used(answer, worst)
        wait_s = answer.retry_after_s
        longest_s = backing_off.LONGEST.total_seconds()
        retry_at = None if wait_s is None else self.now + timedelta(seconds=min(max(0.0, wait_s), longest_s))
        call = replace(call, model=answer.model or call.model, used=used, ending=answer.ending,
                       detail=answer.detail[:LONGEST_DETAIL], retry_at=retry_at)
        self._settle(call, request, answer)
        self._mark(answer)
        return replace(answer, used=used)

    def _settle(self, call: Call, request: str, answer: Answer) -> None:
        """Write down in one transaction what a call used and what it said."""
        with self.kit.store.writing(epoch=self.kit.epoch) as tx:
            language_calls.settle(tx, call)
            if answer.ending is Ending.ANSWERED or answer.ending in backing_off.FOR_GOOD:
                kept = Kept(answer.ending, call.model, answer.value if answer.ending.carries_value else None)
                language_calls.keep(tx, request, kept, role=call.role, scope=call.scope, at=call.at)
            if answer.ending is Ending.ANSWERED and language_calls.load_rest(self.kit.store) is not None:
                language_calls.write_rest(tx, None)
        for name, amount in (("requests", 1), ("tokens_in", call.used.tokens_in), ("cached", call.used.cached),
                             ("tokens_out", call.used.tokens_out)):
            self.counts[name] += amount

    def _used(self, answer: Answer, worst: Used) -> Used:
        """What a call counts for: what the backend says, and the worst case where it does not say."""
        told, free = answer.used, answer.ending in _USED_NOTHING and answer.detail != _NOBODY_KNOWS
        unsaid = not told.tokens_in and not told.tokens_out
        if unsaid and not free:
            told = replace(told, tokens_in=worst.tokens_in, tokens_out=worst.tokens_out)
        unknown = 0.0 if unsaid and free and worst.cost is not None else worst.cost
        costs = (told.cost, ceilings.price(told, self.settings), unknown)
        return replace(told, cost=next((cost for cost in costs if cost is not None), None))

    def _mark(self, answer: Answer) -> None:
        """Leave a marker where a person must act, and take it away once somebody answers."""
        fallback = outage.runtime_dir(self.kit.world.env, self.kit.paths.home)
        if answer.ending is Ending.ANSWERED:
            outage.clear(self.kit.paths.outage, AWAY, fallback=fallback)
        why = answer.ending.value if answer.ending.needs_a_person else answer.detail
        if why in _FOR_PEOPLE:
            failure = Outage(f"no language model: {_FOR_PEOPLE[why]}; dreams go on without one", component=AWAY, code=why,
                             hint="`dream llm setup` tries it, `dream llm off` does without")
            outage.flag(self.kit.paths.outage, failure, now=self.now, owner="dream", fallback=fallback)

    def _beyond(self, full: Reached | None) -> Answer | None:
        if full is None:
            return None
        if full.until is None:
            self.too_large.add(full.setting)
        else:
            self._rest(Rest(full.setting, full.until, self.now))
        wait_s = (full.until - self.now).total_seconds() if full.until else None
        return Answer(Ending.CEILING, detail=full.setting, retry_after_s=wait_s)

    def _rest(self, rest: Rest) -> None:
        """Have it known, for status and probe, why no model is asked; said once, not for each question."""
        most = getattr(self.settings, rest.why, None)
        rest = replace(rest, day=ledger.goes_on(rest, self.kit.zone), most=most)
        self.rested = rest
        known = language_calls.load_rest(self.kit.store)
        if not self.kit.dry and (known is None or (known.why, known.until) != (rest.why, rest.until)):
            with self.kit.store.writing(epoch=self.kit.epoch) as tx:
                language_calls.write_rest(tx, rest)

    def _reached(self, worst: Used) -> Reached | None:
        # A dry run makes no rows: what it would have asked so far counts all the same.
        worst = ceilings.added([worst, *(one.worst for one in self.would)])
        return ceilings.reached(self.kit.store, worst, self.settings, now=self.now, zone=self.kit.zone,
                                requests=1 + len(self.would))

    def _calls(self) -> list[Call]:
        return language_calls.load_calls(self.kit.store, limit=backing_off.MOST_LOOKED_AT)

    def _is_over(self, role: Role) -> bool:
        """Whether this role has got nowhere tonight."""
        night = max(window.start for window in ceilings.windows(self.now, self.kit.zone) if window.name == "night")
        return backing_off.is_stuck(language_calls.load_calls(self.kit.store, limit=backing_off.MOST_LOOKED_AT, since=night,
                                                              role=role.value))

    def _request(self, ask: Ask) -> str:
        """What tells one question from every other one, and tells nobody what it was."""
        body = json.dumps([self.settings.backend, self.settings.base_url, self.settings.model, ask.role.value, ask.prompt,
                           ask.fixed, ask.data, ask.schema, ask.most_out], sort_keys=True)
        return hmac.digest(tombstone_key(self.kit.store), b"asked\0" + body.encode(), "sha256").hex()

    def _caller(self) -> Caller:
        """The one who makes the calls, started by the first of them."""
        if self.caller is None:
            opening = self.open_caller(self.kit.settings, self.kit.world, should_stop=self.kit.should_stop)
            self.caller = self.opened.enter_context(opening)
        return self.caller


@contextmanager
def open_desk(kit: Kit, open_caller: OpenCaller = calling.open_caller, *, of_dream: bool = True) -> Iterator[Desk]:
    """A desk for as long as a dream or a command works; whoever makes its calls is started by the first one."""
    desk = Desk(kit, open_caller, of_dream)
    with desk.opened:
        yield desk


def _again(kept: Kept) -> Answer:
    """What was answered before; a question that failed for good fails again without being asked."""
    if kept.ending.carries_value:
        return Answer(Ending.KEPT, kept.value, kept.model, detail="kept")
    return Answer(kept.ending, None, kept.model, detail="failed-before")


def _checked(answer: Answer, *, took_s: float) -> Answer:
    """An answer whose figures can be added up: nothing below nothing, and no more cached than came in."""
    told = answer.used
    tokens_in, cost = max(0, told.tokens_in), told.cost
    used = Used(tokens_in, min(max(0, told.cached), tokens_in), max(0, told.tokens_out), round(max(told.seconds, took_s), 3),
                None if cost is None or not isfinite(cost) else max(0.0, cost))
    if answer.ending in _OURS or (answer.ending.carries_value and answer.value is None):
        return replace(answer, ending=Ending.INVALID, value=None, used=used)
    if answer.value is not None and len(json.dumps(answer.value)) > MOST_VALUE_BYTES:
        return replace(answer, ending=Ending.TOO_LARGE, value=None, used=used)
    return replace(answer, used=used)
