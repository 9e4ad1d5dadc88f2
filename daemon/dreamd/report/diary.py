"""The diary: night by night what became of memory, as markdown or as one page that can be mailed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta, tzinfo

from dreamd.kit import Kit
from dreamd.report.nights import Night, load_nights
from dreamd.report.plots import Plot, load_plots
from dreamd.report.quiet import Quiet, load_quiet
from dreamd.report.sentences import day_words, tell_headline, tell_night
from dreamd.sources.base.own_writing import MARK

MOST_RUNS = 2000
AS_USUAL_DAYS = 7


@dataclass(frozen=True)
class Day:
    """One day: its runs, the newest first, and what the log says of dreams that changed nothing."""

    day: date
    nights: tuple[Night, ...]
    quiet: tuple[Quiet, ...]


@dataclass(frozen=True)
class Diary:
    """Some days, the newest first, and how memory stands at the end."""

    since: datetime
    until: datetime
    zone: tzinfo
    days: tuple[Day, ...]
    plots: tuple[Plot, ...]

    @property
    def title(self) -> str:
        """What it is and of when."""
        first, last = self.since.astimezone(self.zone).date(), self.until.astimezone(self.zone).date()
        span = day_words(last) if first == last else f"{day_words(first, beside=last)} to {day_words(last)}"
        return f"Dream's diary, {span}"


def load_diary(kit: Kit, *, since: datetime | None = None, until: datetime | None = None, plots: bool = True) -> Diary:
    """What the journal and the log know from some time on, until today; the last week where none is named."""
    now, zone = until or kit.clock.now(), kit.zone
    start = since or (now - timedelta(days=AS_USUAL_DAYS)).astimezone(zone).replace(hour=0, minute=0, second=0, microsecond=0)
    nights = [n for n in load_nights(kit.store, since=start, until=until, limit=MOST_RUNS)
              if n.told or n.run.kind in ("dream", "redo")]
    quiet = [one for one in load_quiet(kit.paths, since=start) if until is None or one.at < until]
    days = sorted({n.run.now.astimezone(zone).date() for n in nights} | {q.at.astimezone(zone).date() for q in quiet},
                  reverse=True)
    told = tuple(Day(day, tuple(n for n in nights if n.run.now.astimezone(zone).date() == day),
                     tuple(q for q in quiet if q.at.astimezone(zone).date() == day)) for day in days)
    return Diary(start, now, zone, told, tuple(load_plots(kit.store, kit.settings.index, now=now)) if plots else ())


def as_markdown(diary: Diary) -> str:
    """The diary as a note; its front says that dream wrote it."""
    lines = ["---", f"{MARK}: diary", f"since: {diary.since.date()}", f"until: {diary.until.date()}", "---", "",
             f"# {diary.title}", "", *plain_lines(diary, heading="## ", item="- ", code="`", words=as_note)]
    return "\n".join([*lines, ""])


def as_note(words: str) -> str:
    """Words of a memory in a note: no link, no picture from afar and no markup comes of them."""
    return "".join(f"\\{sign}" if sign in "<>[]!*_#|" else sign for sign in words)


def plain_lines(diary: Diary, *, heading: str = "", item: str = "  ", code: str = "", words: Callable[[str], str] = str,
                ) -> list[str]:
    """The days in sentences; one without any says what is known of it."""
    lines: list[str] = []
    for day in diary.days:
        lines += [*([""] if lines else []), f"{heading}{day_words(day.day)}", *([""] if heading else [])]
        for night in day.nights:
            at = night.run.now.astimezone(diary.zone)
            lines.append(f"{item}{at:%H:%M} {code}{night.run.id}{code} ({night.run.kind}): {_first(night)}")
            lines += [f"{' ' * len(item)}{item}{words(sentence)}" for sentence in tell_night(night, diary.zone)]
        lines += [f"{item}{words(line)}" for line in quiet_lines(day)]
    return lines or ["Nothing is known of these days: no dream changed anything, or none was made."]


def quiet_lines(day: Day) -> list[str]:
    """What the log says of dreams of a day that changed nothing, or were held back."""
    done = [q for q in day.quiet if not q.held]
    lines = []
    if done:
        why = f": {done[-1].why}" if done[-1].why else ""
        times = "once" if len(done) == 1 else f"{len(done)} times"
        lines.append(f"Dream looked {times} and had nothing to do{why}.")
    held = list(dict.fromkeys(q.why for q in day.quiet if q.held and q.why))
    if held and not day.nights:
        lines.append(f"A dream had to wait: {'; '.join(held[:3])}.")
    return lines


def _first(night: Night) -> str:
    return tell_headline(night) if night.told or night.run.kind == "redo" else "no memory changed"
