"""The pictures that answer questions about a memory over time, each with what the store cannot tell said beside it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from dreamd.core.plain_words.for_people import status_word
from dreamd.core.settings import IndexSettings
from dreamd.core.values import Fate
from dreamd.report.charts import Chart, Row, areas, bars, lines, meters
from dreamd.report.pictures import Version
from dreamd.store import journal, memories
from dreamd.store.connection import Store
from dreamd.store.journal import DREAM, Run
from dreamd.store.telling import over_time

NIGHTS = 60
"""The nights a picture holds: the newest."""
AGES = ((7, "under a week"), (30, "1 to 4 weeks"), (90, "1 to 3 months"), (180, "3 to 6 months"), (365, "6 to 12 months"),
        (10**6, "over a year"))
DONE = (("learned", ("add", "promote")), ("replaced", ("supersede",)), ("merged or detailed", ("merge", "refine", "regroup")),
        ("held", ("hold", "propose")), ("stale or archived", ("stale", "archive")), ("live again", ("revive", "restore")),
        ("kept as an earlier version", ("version", "support")), ("others", ()))
BECAME = ((Fate.NEW, "new"), (Fate.DUPLICATE, "said before"), (Fate.REFINES, "added detail"),
          (Fate.UPDATES, "replaced something"), (Fate.CONTRADICTS, "contradict"), (Fate.HELD, "held"),
          (Fate.DISCARDED, "let go or said in passing"))


@dataclass(frozen=True)
class Plot:
    """One picture and what belongs to it."""

    name: str
    title: str
    svg: str
    """Empty where there is nothing to show yet."""
    note: str = ""
    """What the store cannot tell, or how to read it."""


def load_plots(store: Store, limits: IndexSettings, *, now: datetime) -> list[Plot]:
    """Every picture of the memory as it stands and came to be; one without data says so."""
    runs = [run for run in reversed(journal.load_runs(store, limit=NIGHTS, kind=DREAM)) if run.ended_at]
    of_nights = f"the last {NIGHTS} of {over_time.count_nights(store):,} dreams" if len(runs) >= NIGHTS else ""
    return [plot_live(store, now), plot_done(store, runs, of_nights), plot_unasked(store, now), plot_index(store, limits),
            plot_seconds(runs, of_nights), plot_spent(store, runs, of_nights), plot_capture(runs, of_nights), plot_shown(store)]


def plot_live(store: Store, now: datetime) -> Plot:
    """Live memories by class, after each run that changed any."""
    stands, today = over_time.load_stands(store), over_time.count_live(store)
    title = "Live memories by class"
    if not stands:
        return Plot("live", title, "", "no memory yet")
    name = list(today) + sorted({kind for stand in stands for kind in stand.live} - today.keys())
    first, span = stands[0].at, max((now - stands[0].at).total_seconds(), 1.0)
    kept = stands if len(stands) <= 400 else stands[::len(stands) // 400 + 1] + stands[-1:]
    at = tuple(min(1.0, max(0.0, (stand.at - first).total_seconds() / span)) for stand in kept)
    rows = tuple(Row(kind, tuple(float(stand.live.get(kind, 0)) for stand in kept)) for kind in name)
    chart = Chart("live", title, _days([stand.at for stand in kept]), rows, "live memories", at)
    differs = stands[-1].live != today
    return Plot("live", title, areas(chart), "the journal no longer holds the oldest runs: earlier figures are too low"
                if differs else "")


def plot_done(store: Store, runs: Sequence[Run], note: str) -> Plot:
    """What the nights did to memories."""
    done = over_time.count_changes(store, [run.seq for run in runs])
    named = {op for _, ops in DONE for op in ops}
    rows = [Row(name, tuple(float(sum(n for op, n in done[run.seq].items() if (op in ops if ops else op not in named)))
                            for run in runs)) for name, ops in DONE]
    return _nightly("done", "What nights did", runs, rows, "changes", note=note)


def plot_unasked(store: Store, now: datetime) -> Plot:
    """How old the live memories are that nobody was ever shown."""
    some, title = over_time.load_unasked(store), "How long nobody asked for them"
    if not some:
        return Plot("unasked", title, "", "every live memory has been shown at least once, or there is none")
    classes = [kind for kind, _ in Counter(one.memory_class for one in some).most_common()]
    counts: Counter[tuple[str, str]] = Counter()
    for one in some:
        days = max(0, (now - one.since).days)
        counts[next(label for most, label in AGES if days < most), one.memory_class] += 1
    labels = tuple(label for _, label in AGES)
    rows = tuple(Row(kind, tuple(float(counts[label, kind]) for label in labels)) for kind in classes)
    return Plot("unasked", title, bars(Chart("unasked", title, labels, rows, "live memories")),
                "live memories that were never shown; since each was last said, or since dream first knew it")


def plot_index(store: Store, limits: IndexSettings) -> Plot:
    """How large each index is against its limits."""
    sizes, title = over_time.load_index_sizes(store), "Index size against its limits"
    if not sizes:
        return Plot("index", title, "", "no index has been written yet")
    most = sorted(sizes, key=lambda one: -max(one.lines / limits.max_lines, one.size / (1024 * limits.max_kib)))[:8]
    shares = [max((one.lines / limits.max_lines, f"{one.lines} of {limits.max_lines} lines"),
                  (one.size / (1024 * limits.max_kib), f"{one.size / 1024:.1f} of {limits.max_kib} KiB")) for one in most]
    chart = Chart("index", title, tuple(one.scope for one in most), (Row("share", tuple(share for share, _ in shares)),))
    more = f"the fullest 8 of {len(sizes)}; " if len(sizes) > 8 else ""
    return Plot("index", title, meters(chart, [(1.0, words) for _, words in shares]),
                f"{more}as they are today: the store does not keep what they were")


def plot_seconds(runs: Sequence[Run], note: str) -> Plot:
    """How long nights took, and how much of the processor."""
    rows = [Row(words, tuple(sum(phase.get(name, 0.0) for phase in run.phases.values()) for run in runs))
            for words, name in (("seconds", "seconds"), ("CPU seconds", "cpu_s"))]
    return _nightly("seconds", "Seconds a night", runs, rows, "seconds", note=note, draw=lines)


def plot_spent(store: Store, runs: Sequence[Run], note: str) -> Plot:
    """What language models used a night."""
    title, spent = "Tokens a night", over_time.load_spent(store, [run.seq for run in runs])
    if not spent:
        return Plot("spent", title, "", "no language model was asked in these nights")
    priced = [one.cost for one in spent.values() if one.cost is not None]
    money = (f"{sum(priced):.2f} US dollars in all" if len(priced) == len(spent) else
             f"{sum(priced):.2f} US dollars for {len(priced)} of {len(spent)} nights; for the others no price is known"
             if priced else "what it cost is not known: no price is set")
    row = Row("tokens", tuple(float(spent[run.seq].tokens if run.seq in spent else 0) for run in runs))
    return _nightly("spent", title, runs, [row], "tokens", note="; ".join(filter(None, (money, note))))


def plot_capture(runs: Sequence[Run], note: str) -> Plot:
    """What became of what was said, night by night."""
    total = Counter[str]()
    for run in runs:
        total.update(run.fates)
    heard = sum(total.values())
    share = (f"of {heard:,} statements {heard - total[Fate.DISCARDED.value]:,} became a memory or support one, also in nights "
             "that were taken back; " if heard else "")
    some = [run for run in runs if run.fates]
    rows = [Row(words, tuple(float(run.fates.get(fate.value, 0)) for run in some)) for fate, words in BECAME]
    return _nightly("capture", "What became of what was said", some, rows, "statements",
                    note=share + "what a reader passed over is not counted here" + (f"; {note}" if note else ""))


def plot_shown(store: Store) -> Plot:
    """What is known of memories being of use."""
    some, times = over_time.count_shown(store)
    return Plot("shown", "Recalls that were followed by use", "",
                f"the store knows that memories were shown {times:,} times and that {some:,} live ones were ever shown; "
                "whether an agent then used them it does not know")


def load_versions(store: Store, memory_id: str) -> list[Version]:
    """Every wording one subject had, oldest first: what a memory replaced, itself, and what replaced it."""
    start = memories.load_memory(store, memory_id)
    found, wanted = {start.id: start}, {*start.supersedes, start.superseded_by} - {""}
    while wanted:
        fresh = memories.load_some(store, sorted(wanted))
        found.update(fresh)
        wanted = {i for one in fresh.values() for i in (*one.supersedes, one.superseded_by)} - {""} - found.keys()
    ordered = sorted(found.values(), key=lambda one: (one.valid_from, one.created_at, one.id))
    return [Version(one.id, one.text, status_word(one.status), one.valid_from, one.valid_to) for one in ordered]


def _nightly(name: str, title: str, runs: Sequence[Run], counted: Sequence[Row], unit: str, *, note: str = "",
             draw: Callable[[Chart], str] = bars) -> Plot:
    """A picture with a place for each night; rows that are zero throughout are left out."""
    rows = [row for row in counted if any(row.values)]
    if not rows:
        return Plot(name, title, "", note or "nothing to show yet")
    return Plot(name, title, draw(Chart(name, title, _days([run.now for run in runs]), tuple(rows), unit)), note)


def _days(moments: Sequence[datetime]) -> tuple[str, ...]:
    """The day of each moment, and of several of one day the time."""
    days = [at.date().isoformat() for at in moments]
    return tuple(days if len(days) == 1 or len(set(days)) > 1 else [f"{at:%H:%M}" for at in moments])
