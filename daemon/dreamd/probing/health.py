"""What a look found and what it amounts to: one check each, one verdict over all."""

from __future__ import annotations

from collections import namedtuple
from datetime import datetime

from dreamd.probing.peek import iso

PRIORITY = ("probe_disabled", "unstartable", "environment_trap", "outage_marker_present", "binding_unavailable_no_marker",
            "fenced", "lock_overdue", "frozen", "misconfigured", "blocked", "damaged", "unknown", "stopped", "failing",
            "starved", "no_effect", "stale", "no_recent_rows", "low_capture_rate", "deferred", "healthy")
"""Which finding names the verdict when there are several; those of `TOLD` are told to the world as something else."""
TOLD = {"frozen": "stale", "misconfigured": "stale", "blocked": "stale", "failing": "stale", "damaged": "unknown",
        "unstartable": "unknown"}
CODES = {"healthy": 0, "deferred": 0, "stopped": 0, "probe_disabled": 0, "unknown": 2}

WRONG = frozenset(PRIORITY[PRIORITY.index("unstartable"):PRIORITY.index("damaged") + 1]) | {"failing"}
"""Findings that are worth a word to a conversation: until somebody acts, nothing gets better by itself."""
BEHIND_DAYS = 14

Check = namedtuple("Check", "name verdict detail hint")
World = namedtuple("World", "home now env config fixed deep named_config", defaults=(False,))
Facts = namedtuple("Facts", "waiting oldest last_success began memories newest_row runs sources epoch created zone left "
                            "files aside dropped rest awake name",
                   defaults=(0, None, None, None, 0, None, (), (), 0, None, "", (), (), frozenset(), (), "", None, ""))
"""What the store tells. `began` is when the last success began, `left` since when work stands half done and which,
`aside` the places that dream could not read and said so, `dropped` the dream after which too much was not found any more,
with how much and of how much, `rest` why no language model is asked, as the store keeps it, `awake` since when the service
that watches this home has been awake, where one does: while the machine slept nobody could do anything. `name`
tells the store from another."""
NOTHING = Facts()
Inbox = namedtuple("Inbox", "notes files oldest", defaults=(0, 0, None))
EMPTY = Inbox()
Run = namedtuple("Run", "outcome backlog started_at ended_at")


def fine(name: str, detail: str) -> Check:
    """A check that found nothing wrong."""
    return Check(name, "healthy", detail, "")


class Report:
    """What the probe found: the verdict, why, and every check behind it."""

    def __init__(self, checks: list[Check], facts: Facts = NOTHING, inbox: Inbox = EMPTY) -> None:
        self.checks, self.facts = checks, facts
        # Of several healthy checks the one about progress says most.
        named = min(checks, key=lambda c: (PRIORITY.index(c.verdict), c.name != "progress"))
        self.verdict: str = TOLD.get(named.verdict, named.verdict)
        self.reason: str = named.detail
        self.hint: str = named.hint
        self.code: int = CODES.get(self.verdict, 1)
        self.waiting: int = facts.waiting + inbox.notes
        self.oldest = min((t for t in (facts.oldest, inbox.oldest) if t is not None), default=None)

    def document(self) -> dict[str, object]:
        """The report as `dream probe --json` prints it."""
        checks = [{"name": c.name, "verdict": TOLD.get(c.verdict, c.verdict), "detail": c.detail} for c in self.checks]
        return {"verdict": self.verdict, "healthy": self.code == 0, "reason": self.reason, "hint": self.hint or None,
                "checks": checks, "last_success_at": iso(self.facts.last_success), "waiting": self.waiting,
                "oldest_waiting_at": iso(self.oldest)}


def banner(report: Report, now: datetime) -> str:
    """One line for the start of a conversation when something is really wrong with the memory; empty otherwise.

    That it is a little behind is no news: it is most of the time. That notes have waited for weeks is.
    """
    waits = (now - report.oldest).days >= BEHIND_DAYS if report.oldest else False
    wrong = report.code and (waits or any(check.verdict in WRONG for check in report.checks))
    if not wrong:
        return ""
    since = f", last dream {iso(report.facts.last_success)}" if report.facts.last_success else ""
    return f"dream: memory may be out of date ({report.verdict}: {report.reason}{since})"
