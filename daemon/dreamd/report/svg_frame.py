"""The frame of every picture: a title and a description for those who do not see it, axes, a key, colours for light and dark.

No script, no style sheet, no font of its own: a picture takes its ink from the text around it, its colours from variables that
a page may set, and so stands in a page with a strict policy, in a mail, or in a file by itself.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from dreamd.report.elements import Element, add, as_xml, element

WIDTH, HEIGHT = 500, 250
"""Narrow enough to be read on a phone, where a picture is drawn at two thirds of this."""
LEFT, RIGHT, TOP, BOTTOM = 46, 14, 26, 34
LINE_HEIGHT = 16
COLOURS = ("#3f7fd0", "#c9691f", "#2f9464", "#a65bb5", "#b58a12", "#3c98a8", "#c4547a", "#7d7f85")
"""Eight tones that stand out from white and from black alike; each may be set as `--dream-1` to `--dream-8`."""
MOST_LABELS = 5
LABEL_SIGN, GAP = 7.2, 8.0


def colour(n: int) -> str:
    """The colour of the nth thing, as a page may have set it."""
    n %= len(COLOURS)
    return f"var(--dream-{n + 1}, {COLOURS[n]})"


@dataclass
class Frame:
    """A picture that is being drawn."""

    name: str
    title: str
    told: str
    width: float = WIDTH
    height: float = HEIGHT

    def __post_init__(self) -> None:
        self.top = element("svg", element("title", self.title, id=f"{self.name}-title"),
                           element("desc", self.told, id=f"{self.name}-desc"), xmlns="http://www.w3.org/2000/svg", role="img",
                           aria_labelledby=f"{self.name}-title {self.name}-desc", viewBox=f"0 0 {self.width:g} {self.height:g}",
                           width="100%", font_family="system-ui, sans-serif", font_size=12, fill="currentColor",
                           class_="dream-plot")

    def draw(self, *some: Element) -> None:
        """Put shapes into the picture."""
        for one in some:
            add(self.top, one)

    def text(self, x: float, y: float, words: str, *, anchor: str = "start", opacity: float | None = None) -> None:
        """Write some words."""
        self.draw(element("text", words, x=x, y=y, text_anchor=anchor if anchor != "start" else None, opacity=opacity))

    def done(self) -> str:
        """The picture as text."""
        return as_xml(self.top)


def nice_top(most: float) -> float:
    """A round number at or above the largest value."""
    if most <= 0:
        return 1.0
    size: float = 10.0 ** math.floor(math.log10(most))
    return next(step * size for step in (1, 2, 3, 4, 5, 6, 8, 10) if step * size >= most)


def number(value: float) -> str:
    """A figure with as many signs as it needs."""
    return f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:,.1f}" if value >= 1 else f"{value:.2g}"


def draw_scale(frame: Frame, top: float, unit: str) -> None:
    """Lines and figures at the side: whole figures wherever the top is one, for nobody counts 3.8 memories."""
    steps = next((n for n in (4, 5, 3, 2, 1) if top % n == 0), 4)
    for n in range(steps + 1):
        y = y_of(frame, top * n / steps, top)
        frame.draw(element("line", x1=LEFT, x2=frame.width - RIGHT, y1=y, y2=y, stroke="currentColor", stroke_width=1,
                           opacity=0.5 if n == 0 else 0.15))
        frame.text(LEFT - 6, y + 4, number(top * n / steps), anchor="end", opacity=0.8)
    if unit:
        frame.text(4, 12, unit, opacity=0.8)


def y_of(frame: Frame, value: float, top: float) -> float:
    """How far down a value stands."""
    return frame.height - BOTTOM - (frame.height - TOP - BOTTOM) * min(1.0, max(0.0, value / top))


def draw_labels(frame: Frame, labels: Sequence[str], places: Sequence[float]) -> None:
    """Write as many labels below as there is room for, the last always."""
    step = max(1, math.ceil((len(labels) - 1) / (MOST_LABELS - 1))) if len(labels) > 1 else 1
    shown = sorted({*range(0, len(labels), step), len(labels) - 1} if labels else set())
    reached, ahead = -math.inf, math.inf
    for n in [*shown[-1:], *(n for n in shown[:-1] if labels[n] != labels[-1] and labels[n] not in labels[:n])]:
        anchor = "end" if places[n] > frame.width - RIGHT - 30 else "start" if places[n] < LEFT + 10 else "middle"
        wide = LABEL_SIGN * len(labels[n])
        left = places[n] - wide * {"start": 0, "middle": 0.5, "end": 1}[anchor]
        if left >= reached and left + wide <= ahead:
            frame.text(places[n], frame.height - BOTTOM + 18, labels[n], anchor=anchor, opacity=0.8)
            if ahead == math.inf:
                ahead = left - GAP
            else:
                reached = left + wide + GAP


def key_room(name: str) -> float:
    """How wide a colour and its name are, with the gap to the next."""
    return 30 + 6.8 * len(name)


def draw_key(names: Sequence[str], frame: Frame, top: float) -> None:
    """Name the colours, one after the other, below a picture."""
    x, y = float(LEFT), top
    for n, name in enumerate(names):
        room = key_room(name)
        if x + room > frame.width and x > LEFT:
            x, y = float(LEFT), y + LINE_HEIGHT
        frame.draw(element("rect", x=x, y=y - 9, width=10, height=10, rx=2, fill=colour(n)))
        frame.text(x + 15, y, name)
        x += room


def key_height(names: Sequence[str], width: float = WIDTH) -> float:
    """How much room the names of the colours need."""
    rows, x = 1, float(LEFT)
    for name in names:
        room = key_room(name)
        if x + room > width and x > LEFT:
            rows, x = rows + 1, float(LEFT)
        x += room
    return rows * LINE_HEIGHT + 6 if names else 0
