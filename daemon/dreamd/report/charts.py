"""Charts of figures over time or side by side, each with its figures in words for those who do not see it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dreamd.report.elements import element
from dreamd.report.svg_frame import (
    BOTTOM,
    HEIGHT,
    LEFT,
    RIGHT,
    TOP,
    WIDTH,
    Frame,
    colour,
    draw_key,
    draw_labels,
    draw_scale,
    key_height,
    nice_top,
    number,
    y_of,
)

MOST_TOLD = 12
"""Points whose figures the description holds: the last ones."""


@dataclass(frozen=True)
class Row:
    """One thing that is counted, a value for each label."""

    name: str
    values: tuple[float, ...]


@dataclass(frozen=True)
class Chart:
    """What a chart shows."""

    name: str
    title: str
    labels: tuple[str, ...]
    rows: tuple[Row, ...]
    unit: str = ""
    at: tuple[float, ...] = ()
    """Where each label stands from 0 to 1; evenly where it is empty."""


def bars(chart: Chart) -> str:
    """A bar for each label, its rows stacked."""
    frame, top = _begin(chart, stacked=True)
    room = (frame.width - LEFT - RIGHT) / max(1, len(chart.labels))
    wide = min(46.0, room * 0.72)
    places = [LEFT + room * (n + 0.5) for n in range(len(chart.labels))]
    for n, x in enumerate(places):
        under = 0.0
        for m, row in enumerate(chart.rows):
            if row.values[n] > 0:
                upper, lower = y_of(frame, under + row.values[n], top), y_of(frame, under, top)
                frame.draw(element("rect", element("title", f"{chart.labels[n]}, {row.name}: {number(row.values[n])}"),
                                   x=x - wide / 2, y=upper, width=wide, height=max(1.0, lower - upper), fill=colour(m)))
                under += row.values[n]
    return _end(chart, frame, places)


def lines(chart: Chart) -> str:
    """A line for each row."""
    frame, top = _begin(chart, stacked=False)
    places = _places(chart, frame)
    for m, row in enumerate(chart.rows):
        points = " ".join(f"{x:.1f},{y_of(frame, v, top):.1f}" for x, v in zip(places, row.values, strict=True))
        frame.draw(element("polyline", points=points, fill="none", stroke=colour(m), stroke_width=2))
        frame.draw(*(element("circle", element("title", f"{label}, {row.name}: {number(v)}"), cx=x, cy=y_of(frame, v, top), r=3,
                             fill=colour(m)) for x, v, label in zip(places, row.values, chart.labels, strict=True)))
    return _end(chart, frame, places)


def areas(chart: Chart) -> str:
    """The rows stacked, each holding its value until the next label."""
    frame, top = _begin(chart, stacked=True)
    places = _places(chart, frame)
    under = [0.0] * len(places)
    for m, row in enumerate(chart.rows):
        over = [a + b for a, b in zip(under, row.values, strict=True)]
        outline = [*_steps(places, over, frame, top), *reversed(_steps(places, under, frame, top))]
        frame.draw(element("polygon", element("title", row.name), points=" ".join(f"{x:.1f},{y:.1f}" for x, y in outline),
                           fill=colour(m), fill_opacity=0.85))
        under = over
    return _end(chart, frame, places)


def meters(chart: Chart, limits: Sequence[tuple[float, str]]) -> str:
    """A bar across for each label, filled as far as its value is of the limit, which is its end; figures behind the name."""
    height = TOP + 40 * len(chart.labels) + 6
    told = "; ".join(f"{label}: {words}" for label, (_, words) in zip(chart.labels, limits, strict=True))
    frame = Frame(chart.name, chart.title, told, height=height)
    wide = frame.width - 2 * RIGHT
    for n, (label, value, (limit, words)) in enumerate(zip(chart.labels, chart.rows[0].values, limits, strict=True)):
        y = TOP + 40 * n
        share = value / limit if limit else 0.0
        frame.text(RIGHT, y + 6, f"{label}: {words}")  # together: a narrow screen shows the left end
        frame.draw(element("rect", x=RIGHT, y=y + 12, width=wide, height=10, rx=3, fill="currentColor", opacity=0.15),
                   element("rect", x=RIGHT, y=y + 12, width=wide * min(1.0, share), height=10, rx=3,
                           fill=colour(0 if share < 0.9 else 1)))
    return frame.done()


def _begin(chart: Chart, *, stacked: bool) -> tuple[Frame, float]:
    sums = [sum(column) if stacked else max(column, default=0.0)
            for column in zip(*(row.values for row in chart.rows), strict=True)]
    top = nice_top(max(sums, default=0.0))
    names = [row.name for row in chart.rows] if len(chart.rows) > 1 else []
    frame = Frame(chart.name, chart.title, _in_words(chart), height=HEIGHT)
    draw_scale(frame, top, chart.unit)
    if names:
        more = key_height(names, WIDTH)
        draw_key(names, frame, HEIGHT + 8)
        frame.top.set("viewBox", f"0 0 {frame.width:g} {HEIGHT + more:g}")
    return frame, top


def _end(chart: Chart, frame: Frame, places: Sequence[float]) -> str:
    draw_labels(frame, chart.labels, places)
    return frame.done()


def _places(chart: Chart, frame: Frame) -> list[float]:
    wide = frame.width - LEFT - RIGHT
    if chart.at:
        return [LEFT + wide * at for at in chart.at]
    return [LEFT + wide * (n / (len(chart.labels) - 1) if len(chart.labels) > 1 else 0.5) for n in range(len(chart.labels))]


def _steps(places: Sequence[float], values: Sequence[float], frame: Frame, top: float) -> list[tuple[float, float]]:
    points: list[tuple[float, float]] = []
    for n, (x, value) in enumerate(zip(places, values, strict=True)):
        y = y_of(frame, value, top)
        points += [(x, points[-1][1] if n else frame.height - BOTTOM), (x, y)]
    return [*points, (frame.width - RIGHT, points[-1][1])] if points else []


def _in_words(chart: Chart) -> str:
    """The figures of the last labels, for those who do not see them."""
    if not chart.labels:
        return "nothing to show yet"
    first = max(0, len(chart.labels) - MOST_TOLD)
    told = [f"{chart.labels[n]}: " + ", ".join(f"{row.name} {number(row.values[n])}" for row in chart.rows
                                               if row.values[n] or len(chart.rows) == 1)
            for n in range(first, len(chart.labels))]
    more = f"the last {len(chart.labels) - first} of {len(chart.labels)}: " if first else ""
    return (more + "; ".join(told) + (f" ({chart.unit})" if chart.unit else ""))
