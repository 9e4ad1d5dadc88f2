"""Pictures of a run and of a subject: what flowed from where to what, and which words held when."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from dreamd.core.plain_words.plain_reasons import OF_FATES, fate_words
from dreamd.core.values import IN_PASSING, Fate
from dreamd.report.elements import element
from dreamd.report.nights import Night
from dreamd.report.svg_frame import TOP, WIDTH, Frame, colour

MOST_FROM = 8
BAR = 12
LEFT_ROOM, RIGHT_ROOM = 190.0, 185.0
MOST_A_PIECE = 26.0
"""Room for one statement where there are few."""
NAME = 21


@dataclass(frozen=True)
class Version:
    """One wording of a subject and when it held."""

    memory: str
    text: str
    status: str
    since: datetime
    until: datetime | None


def flow(night: Night) -> str:
    """A run from sources to memories: how much came from where, and what became of it, what was let go by its reason."""
    why = {one.observation: row for row in night.let_go for one in row.said}
    rows: list[tuple[str, str]] = []
    for one in night.taken:
        fate = night.fates.get(one.observation, "")
        let = why.get(one.observation)
        to = ("said in passing" if let.reason == IN_PASSING else f"let go: {let.why}") if let else (
            fate_words(Fate(fate), n=2) if fate else "waits")
        rows.append((one.place, to))
    rows += [(place, fate_words(Fate(fate), n=2)) for place, fate in night.since]
    froms, tos = Counter(a for a, _ in rows), Counter(b for _, b in rows)
    few = {name for name, _ in froms.most_common(MOST_FROM if len(froms) <= MOST_FROM else MOST_FROM - 1)}
    links = Counter((a if a in few else "other sources", b) for a, b in rows)
    left = Counter[str]()
    for (a, _), n in links.items():
        left[a] += n
    told = "; ".join(f"{n} from {a}: {b}" for (a, b), n in links.most_common(20)) or "nothing was taken up in this run"
    return _flow(Frame(f"flow-{night.run.id}", f"What flowed where in run {night.run.id}", told), left, tos, links)


def _flow(frame: Frame, left: Counter[str], right: Counter[str], links: Counter[tuple[str, str]]) -> str:
    total = max(1, sum(left.values()))
    rows = max(len(left), len(right), 1)
    tall = min(max(150.0, rows * 34.0), total * MOST_A_PIECE + (rows - 1) * 34.0) if links else 30.0
    frame.height = TOP * 2 + tall
    frame.top.set("viewBox", f"0 0 {WIDTH:g} {frame.height:g}")
    if not links:
        frame.text(16, frame.height / 2, "nothing was taken up in this run")
        return frame.done()
    tops: list[dict[str, float]] = []
    scale = (tall - (rows - 1) * 12) / total
    order = list(right)
    for side, x in ((left, LEFT_ROOM), (right, WIDTH - RIGHT_ROOM)):
        tops.append(_place(side, scale, tall))
        for name, y in tops[-1].items():
            high = side[name] * scale
            fill = colour(order.index(name)) if side is right else "currentColor"
            frame.draw(element("rect", x=x, y=y, width=BAR, height=max(1.0, high), fill=fill,
                               opacity=0.9 if side is right else 0.55))
            words = _short(_of_one(name) if side[name] == 1 else name, NAME)
            frame.text(x - 8 if side is left else x + BAR + 8, y + high / 2 + 4, f"{side[name]:,}  {words}",
                       anchor="end" if side is left else "start")
    begun = [dict(places) for places in tops]
    for (a, b), n in sorted(links.items(), key=lambda row: (tops[0][row[0][0]], tops[1][row[0][1]])):
        wide = n * scale
        y1, y2 = begun[0][a] + wide / 2, begun[1][b] + wide / 2
        begun[0][a] += wide
        begun[1][b] += wide
        x1, x2 = LEFT_ROOM + BAR, WIDTH - RIGHT_ROOM
        mid = (x1 + x2) / 2
        frame.draw(element("path", element("title", f"{n:,} from {a}: {b}"), d=(f"M{x1:.1f},{y1:.1f} C{mid:.1f},{y1:.1f} "
                           f"{mid:.1f},{y2:.1f} {x2:.1f},{y2:.1f}"), fill="none", stroke=colour(order.index(b)),
                           stroke_width=max(1.0, wide), stroke_opacity=0.4))
    return frame.done()


def _place(side: Counter[str], scale: float, tall: float) -> dict[str, float]:
    used = sum(side.values()) * scale
    gap = (tall - used) / (len(side) - 1) if len(side) > 1 else 0.0
    y, places = TOP + (0.0 if len(side) > 1 else (tall - used) / 2), {}
    for name, n in side.items():
        places[name] = y
        y += n * scale + gap
    return places


def timeline(name: str, versions: Sequence[Version], now: datetime) -> str:
    """The wordings of one subject, each as long as it held."""
    if not versions:
        return Frame(name, "Versions", "nothing is known of it", height=40).done()
    first = min(v.since for v in versions)
    span = max((max([now, *(v.until or now for v in versions)]) - first).total_seconds(), 1.0)
    told = "; ".join(f"{v.since.date()} to {v.until.date() if v.until else 'today'}: {v.text}" for v in versions)
    wrapped = [textwrap.wrap(" ".join(v.text.split()), 66)[:4] or [""] for v in versions]
    frame = Frame(name, "How one subject changed", told, height=TOP * 2 + sum(34 + 15 * len(lines) for lines in wrapped))
    y = float(TOP)
    for version, lines in zip(versions, wrapped, strict=True):
        start = (version.since - first).total_seconds() / span
        end = ((version.until or now) - first).total_seconds() / span
        wide = WIDTH - 32
        until = version.until.date() if version.until else "today"
        frame.text(16, y + 10, f"{version.since.date()} – {until} · {version.status}", opacity=0.8)
        current = version.until is None and version.status in ("live", "held", "stale")
        frame.draw(element("rect", x=16, y=y + 15, width=wide, height=6, rx=3, fill="currentColor", opacity=0.12),
                   element("rect", x=16 + wide * min(start, 0.995), y=y + 15, width=max(4.0, wide * max(0.0, end - start)),
                           height=6, rx=3, fill=colour(0 if current else 7)))
        for n, line in enumerate(lines):
            frame.text(16, y + 36 + 15 * n, line)
        y += 34 + 15 * len(lines)
    return frame.done()


def _of_one(name: str) -> str:
    """How a place or a fate is called where there is one of it."""
    return "note" if name == "notes" else next((one for one, many in OF_FATES.values() if many == name), name)


def _short(words: str, most: int) -> str:
    return words if len(words) <= most else f"{words[:most - 1].rstrip()}…"
