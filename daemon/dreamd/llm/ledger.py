"""What asking has used, how much is left, and why nobody is asked at the moment: read from the calls, told in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo

from dreamd.core.clock import iso, local_date
from dreamd.core.settings import LlmSettings
from dreamd.llm import backing_off
from dreamd.llm.ceilings import reached, windows
from dreamd.models.language_model import Used
from dreamd.store.connection import Store
from dreamd.store.language import language_calls
from dreamd.store.language.language_calls import Rest, Spent

RECENT = timedelta(days=30)
WORDS = {
    "circuit-open": "calls failed three times in a row", "rate-limited": "the backend asks to wait",
    "unauthorised": "the backend refuses the key or the account", "no-progress": "the last three answers led to nothing"}


@dataclass(frozen=True)
class Budget:
    """What one stretch of time has used of what it may."""

    name: str
    spent: Spent
    requests: int
    tokens: int
    seconds: int
    cost: float


@dataclass(frozen=True)
class Account:
    """How it stands with asking."""

    night: Budget
    month: Budget
    rest: Rest | None
    """Why nobody is asked now, and until when."""
    shares: dict[str, float]
    """Of the tokens in, how many came from the backend's cache, by role."""


def load_account(store: Store, settings: LlmSettings, *, now: datetime, zone: tzinfo) -> Account:
    """How it stands with asking at some instant."""
    night, evening, month = (_budget(store, settings, window.name, window.start, window.end) for window in windows(now, zone))
    fuller = max(night, evening, key=lambda one: (one.spent.requests, one.spent.tokens))
    return Account(fuller, month, find_rest(store, settings, now=now, zone=zone),
                   {role: spent.cached / spent.tokens_in for role, spent in
                    language_calls.spent_by_role(store, now - RECENT).items() if spent.tokens_in})


def find_rest(store: Store, settings: LlmSettings, *, now: datetime, zone: tzinfo) -> Rest | None:
    """Why nobody is asked now, as far as it holds for every question, reckoned from the calls and the settings as they are."""
    full = reached(store, Used(), settings, now=now, zone=zone)
    if full is not None and full.until is not None:
        return Rest(full.setting, full.until, now)
    wait = backing_off.waits(language_calls.load_calls(store, limit=backing_off.MOST_LOOKED_AT), scope="", now=now)
    if wait is not None:
        return Rest(wait.why, wait.until, now)
    # Where only a part of a ceiling is left, a question may still have been too large for it: that was written down.
    told = language_calls.load_rest(store)
    stands = told is not None and now < told.until and getattr(settings, told.why, None) == told.most
    return told if stands else None


def goes_on(rest: Rest, zone: tzinfo) -> str:
    """The day it goes on; with the time where that is not the beginning of a night."""
    local = rest.until.astimezone(zone)
    return local_date(rest.until, zone) + (f" {local:%H:%M}" if rest.why in WORDS else "")


def tell_rest(rest: Rest, zone: tzinfo) -> str:
    """Why nobody is asked, and the day it goes on."""
    why = WORDS.get(rest.why) or f"`llm.{rest.why}` is reached"
    return (f"no language model before {goes_on(rest, zone)}: {why}; dreams go on without it, and what it was to "
            "read waits")


def tell_account(account: Account, settings: LlmSettings, zone: tzinfo) -> list[str]:
    """An account in a few lines: what is configured, what was used of what may be, and why nobody is asked."""
    lines = [settings.backend + (f" `{settings.model}`" if settings.model else "")]
    lines += [f"this {one.name}: {_told(one)}" for one in (account.night, account.month)]
    if account.shares:
        lines.append("from the backend's cache: " + ", ".join(f"{role} {share:.0%}" for role, share in
                                                             sorted(account.shares.items())) + " of the tokens in")
    return [*lines, *([tell_rest(account.rest, zone)] if account.rest else [])]


def account_document(account: Account, settings: LlmSettings, zone: tzinfo) -> dict[str, object]:
    """The same for programs."""
    rest = account.rest
    return {"backend": settings.backend, "model": settings.model or None,
            "night": _document(account.night), "month": _document(account.month),
            "cached_share": {role: round(share, 3) for role, share in sorted(account.shares.items())},
            "rests": {"why": rest.why, "until": iso(rest.until), "goes_on": local_date(rest.until, zone)} if rest else None}


def tell_would(role: str, worst: Sequence[Used]) -> str:
    """What a dry run would have asked in a role, and the most it could come to."""
    costs = [used.cost for used in worst if used.cost is not None]
    money = f", ${sum(costs):.2f}" if costs else ", at a price that is not known"
    return (f"would ask a language model as {role}: {len(worst)} {'call' if len(worst) == 1 else 'calls'}, at most "
            f"{sum(used.tokens_in for used in worst):,} tokens in and {sum(used.tokens_out for used in worst):,} out{money}")


def _budget(store: Store, settings: LlmSettings, name: str, start: datetime, end: datetime) -> Budget:
    most = {what: getattr(settings, f"{what}_per_{name}") for what in ("requests", "tokens", "seconds", "cost")}
    return Budget(name, language_calls.spent_between(store, start, end), **most)


def _told(budget: Budget) -> str:
    spent = budget.spent
    money = f", ${spent.cost:.2f} of ${budget.cost:.2f}" if spent.priced else ""
    return (f"{spent.requests:,} of {budget.requests:,} calls, {spent.tokens:,} of {budget.tokens:,} tokens, "
            f"{spent.seconds:,.0f} of {budget.seconds:,} s{money}")


def _document(budget: Budget) -> dict[str, object]:
    spent = budget.spent
    return {"requests": {"used": spent.requests, "most": budget.requests},
            "tokens": {"used": spent.tokens, "most": budget.tokens},
            "seconds": {"used": round(spent.seconds, 1), "most": budget.seconds},
            "cost": {"used": round(spent.cost, 4) if spent.priced else None, "most": budget.cost}}
