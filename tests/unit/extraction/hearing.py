"""Talks in short: what a person types, what the agent says after "> ", and what of it becomes a live or held memory."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from dreamd.core.values import ONE_OFF, Candidate, Event, EventKind, GateVerdict, Speaker, parse_scope
from dreamd.extraction import extract, gate
from dreamd.models.lasting_net import Lasts
from dreamd.sources.base.human_words import closing_question

AT = datetime(2026, 7, 17, 12, tzinfo=UTC)


def talk(*turns: str, kind: EventKind = EventKind.PROMPT, question: str = "") -> list[Event]:
    """The events of a talk, two minutes apart; its last message may refuse a tool call or answer a question tool."""
    events: list[Event] = []
    asked = ""
    for n, text in enumerate(turns):
        at, start = AT + n * timedelta(minutes=2), n * 100
        if text.startswith("> "):
            asked = closing_question(text[2:])
            events.append(Event(Speaker.AGENT, EventKind.PROSE, text[2:], at, "talk-1", start, start + 99))
        else:
            last = n + 1 == len(turns)
            events.append(Event(Speaker.HUMAN, kind if last else EventKind.PROMPT, text, at, "talk-1", start, start + 99,
                                question=question or asked if last else asked))
    return events


def heard(*turns: str, kind: EventKind = EventKind.PROMPT, question: str = "", lasts: Lasts | None = None) -> list[Candidate]:
    """The candidates of a talk."""
    events = talk(*turns, kind=kind, question=question)
    return list(extract(events, scope=parse_scope("project:ferry"), lasts=lasts).candidates)


def learned(*turns: str, kind: EventKind = EventKind.PROMPT, question: str = "", lasts: Lasts | None = None) -> list[str]:
    """The memories a talk would make, live or held, in their durable wording."""
    texts = []
    for found in heard(*turns, kind=kind, question=question, lasts=lasts):
        gated = gate(found.text, origin=found.origin, at=found.at, zone=UTC, explicit=found.explicit, sign=found.sign)
        if gated.verdict is not GateVerdict.DISCARD and found.sign != ONE_OFF:
            texts.append(gated.text)
    return texts
