"""The diary as one page: nothing beside it, no script, readable in light and dark, on paper and without seeing it."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterator

from dreamd.report.diary import Day, Diary, quiet_lines
from dreamd.report.elements import Element, add_all, as_html, clean, element
from dreamd.report.nights import Night, Told
from dreamd.report.pictures import flow
from dreamd.report.plots import Plot
from dreamd.report.sentences import day_words, quotes_apart, tell_headline, tell_night
from dreamd.report.word_changes import Part
from dreamd.sources.base.own_writing import MARK

STYLE = """
:root { color-scheme: light dark; --paper: #fff; --ink: #1c1d20; --soft: #63656b; --line: #d9dade;
  --in: #e2f3e6; --out: #fae3e3; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #17181b; --ink: #e8e8ea; --soft: #a2a4ab; --line: #36383e; --in: #1f3a27; --out: #472627; } }
body { background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 46rem;
  padding: 1rem; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.2rem; border-top: 1px solid var(--line); padding-top: 1rem; margin-top: 2rem; }
h3 { font-size: 1rem; margin-bottom: .3rem; } code { font-size: .9em; } .soft { color: var(--soft); font-size: .9rem; }
summary { cursor: pointer; } li.change { margin-bottom: .8rem; } ins { background: var(--in); text-decoration: none; }
del { background: var(--out); } figure { margin: 1rem 0; } figcaption { color: var(--soft); font-size: .9rem; }
"""


def as_page(diary: Diary) -> str:
    """The whole page as text."""
    body = element("body", element("main", element("h1", diary.title)))
    main = body[0]
    for day in diary.days:
        add_all(main, _day(day, diary))
    if not diary.days:
        main.append(element("p", "Nothing is known of these days: no dream changed anything, or none was made."))
    main.append(element("h2", "How memory stands"))
    add_all(main, (_figure(plot) for plot in diary.plots))
    head = element("head", element("meta", charset="utf-8"), element("meta", name=MARK, content="diary"),
                   element("meta", name="viewport", content="width=device-width, initial-scale=1"),
                   element("title", diary.title))
    style = ET.SubElement(head, "style")
    style.text = STYLE
    return as_html(element("html", head, body, lang="en"))


def _day(day: Day, diary: Diary) -> Iterator[Element]:
    yield element("h2", day_words(day.day))
    for night in day.nights:
        at = night.run.now.astimezone(diary.zone)
        yield element("h3", f"{at:%H:%M} · {tell_headline(night) if night.told else 'no memory changed'} ",
                      element("span", f"({night.run.kind} {night.run.id})", class_="soft"))
        yield add_all(element("ul"), (_sentence(told) for told in tell_night(night, diary.zone)))
        if night.heard:
            yield element("figure", drawn(flow(night)))
        if night.told:
            yield _details(night)
    for line in quiet_lines(day):
        yield element("p", line)


def _sentence(told: str) -> Element:
    return element("li", *(element("bdi", part) if is_quote else part for is_quote, part in quotes_apart(told)))


def _details(night: Night) -> Element:
    """Every change of a run, folded away."""
    listed = add_all(element("ul"), (_change(one) for one in night.alone))
    back = element("p", "", element("code", f"dream undo {night.run.id}"), " takes the run back.", class_="soft")
    return element("details", element("summary", f"every change ({len(night.alone):,})"), listed,
                   None if night.undone_by else back)


def _change(one: Told) -> Element:
    words = element("p")
    for part, text in one.words:
        tag = {Part.IN: "ins", Part.OUT: "del"}.get(part, "span") if one.before and one.after else "span"
        add_all(words, [element(tag, text)])
    from_where = "; ".join(dict.fromkeys(f"{s.told}, {s.at.date()}" for s in one.sources))
    evidence = f" ({'; '.join(one.evidence)})" if one.evidence else ""
    return element("li", element("strong", f"{one.number}. {one.kind.words}"), f": {one.why}{evidence} ", words,
                   element("p", f"replaced by: {one.successor}") if one.successor else None,
                   element("p", f"{one.memory} · {one.scope} · {one.op}" + (f" · from {from_where}" if from_where else ""),
                           class_="soft"), class_="change")


def _figure(plot: Plot) -> Element:
    note = plot.note if plot.svg else plot.note or "nothing to show yet"
    return element("figure", element("h3", plot.title), drawn(plot.svg) if plot.svg else None,
                   element("figcaption", clean(note)) if note else None)


def drawn(svg: str) -> Element:
    """A picture as an element of a page, which knows by itself what it is."""
    return ET.fromstring(svg.replace(' xmlns="http://www.w3.org/2000/svg"', "", 1))
