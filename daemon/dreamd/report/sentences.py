"""A night in a few plain sentences, made from the journal and from nothing else."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import date, datetime, tzinfo

from dreamd.core.values import IN_PASSING, Fate
from dreamd.report.nights import Kind, Night, Told
from dreamd.report.word_changes import common_words
from dreamd.store.telling.taken_back import undone_words
from dreamd.text import patterns

MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
          "December")
NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
QUOTED = 3
"""Memories of a kind that are told by their words; the others are counted."""
LONGEST_QUOTE = 110
_QUOTED = re.compile("(?<=“)([^“”]*)(?=”)")
_DREAM_VERBS = {"pin": "You pinned", "unpin": "You unpinned", "restore": "You brought back", "forget": "You had forgotten",
                "review": "You decided on", "edit": "You edited", "promote": "You promoted", "move": "You moved",
                "mask": "A secret was masked in", "import": "You took in"}


def tell_night(night: Night, zone: tzinfo) -> list[str]:
    """A night in sentences: what was read, what came of it and why; where nothing changed, why not."""
    return [*_head(night), *_changes(night, zone), *_rest(night)]


def tell_headline(night: Night) -> str:
    """The same in one line."""
    counts: dict[str, int] = {}
    for one in night.alone:
        counts[one.kind.words] = counts.get(one.kind.words, 0) + 1
    if not night.undone_by and (back := sum(1 for one in night.alone if one.taken_back)):
        counts["taken back"] = back
    told = ", ".join(f"{n:,} {kind}" for kind, n in counts.items())
    return told or why_nothing(night)


def why_nothing(night: Night) -> str:
    """Why no memory changed; empty where one did."""
    if night.has_changes:
        return ""
    if night.run.reason:
        return night.run.reason
    if not night.run.ended_at:
        return "it has not ended"
    if night.heard:
        return "all that was said was let go" if night.let_go else "all that was said was known already"
    if night.sources is not None:
        return "nothing new stood in what was read" if night.read else "no source had anything new"
    return "nothing was to be done"


def day_words(day: date | datetime, *, beside: date | datetime | None = None) -> str:
    """A day as people write it, with the year unless it is that of the day beside it."""
    told = f"{day.day} {MONTHS[day.month - 1]}"
    return told if beside is not None and beside.year == day.year else f"{told} {day.year}"


def quotes_apart(sentence: str) -> list[tuple[bool, str]]:
    """A sentence in parts, and whether each is what somebody said: words of a script that runs the other way must not turn
    those around them."""
    parts = _QUOTED.split(sentence)
    return [(n % 2 == 1, part) for n, part in enumerate(parts) if part]


def _head(night: Night) -> Iterator[str]:
    run = night.run
    if night.undone_by:
        yield f"This was {undone_words(run)} by run {night.undone_by}."
    if run.outcome in ("interrupted", "failed", "outage", "locked") or run.ended_at is None:
        yield f"It did not come to its end{f': {run.reason}' if run.reason else ''}."
    if run.kind != "dream":
        return
    taken = f"{_count(night.heard, 'new statement')}" if night.heard else "nothing new"
    if night.sources == 0 and night.heard:
        yield f"Dream took up {taken}."
    elif night.sources:
        lines = f" ({_count(night.lines, 'line')})" if night.lines else ""
        read = _number(night.read) if night.read else "none"
        yield (f"Dream looked at {_count(night.sources, 'source')}, read {read} of them{lines} and took up {taken}.")
    if not night.has_changes:
        yield f"No memory changed: {why_nothing(night)}."


def _changes(night: Night, zone: tzinfo) -> Iterator[str]:
    groups: dict[Kind, list[Told]] = {}
    for one in night.alone:
        groups.setdefault(one.kind, []).append(one)
    if night.run.kind in _DREAM_VERBS and night.told:
        yield f"{_DREAM_VERBS[night.run.kind]} {_quotes(night.told)}."
        return
    if night.run.kind == "undo":
        for kind, verb in ((Kind.TAKEN_BACK, "took"), (Kind.PUT_BACK, "put")):
            if some := [replace(one, number=0) for one in groups.get(kind, ())]:
                yield f"You {verb} back {_quotes(some)}."
        return
    day = night.run.now.astimezone(zone)
    tellers: dict[Kind, Callable[[list[Told]], Iterator[str]]] = {
        Kind.LEARNED: _learned,
        Kind.MERGED: lambda some: _merged(some, night), Kind.REPLACED: lambda some: _replaced(some, day, zone),
        Kind.HELD: _held, Kind.RETIRED: lambda some: _for_reasons(some, "was archived", "were archived"),
        Kind.FADED: lambda some: _for_reasons(some, "went stale", "went stale"),
        Kind.REVIVED: lambda some: _for_reasons(some, "is live again", "are live again"),
        Kind.EARLIER: lambda some: _for_reasons(some, "was kept as an earlier version", "were kept as earlier versions"),
        Kind.SAID_AGAIN: lambda some: iter([f"{_quotes(some)} {'was' if len(some) == 1 else 'were'} said again."]),
        Kind.DETAILED: lambda some: iter([f"{_quotes(some)} now {'says' if len(some) == 1 else 'say'} more than before."]),
        Kind.EDITED: lambda some: iter([f"You edited {_quotes(some)}."])}
    for kind, some in groups.items():
        yield from tellers[kind](some) if kind in tellers else _for_reasons(some, "was changed", "were changed")
    yield from () if night.undone_by else _taken_back(night)


def _taken_back(night: Night) -> Iterator[str]:
    """What of it no longer stands, where the rest of it does."""
    runs: dict[str, list[Told]] = {}
    for one in night.alone:
        if one.taken_back:
            runs.setdefault(one.taken_back, []).append(one)
    for run, some in runs.items():
        yield f"{_quotes(some)} {'was' if len(some) == 1 else 'were'} taken back by run {run}."


def _learned(some: list[Told]) -> Iterator[str]:
    again = [one for one in some if one.after and len(one.after.observations) > 1]
    for one in again[:QUOTED]:
        subject = common_words([s.text for s in one.sources], _little())
        about = f" about “{subject}”" if subject else ""
        yield f"{_number(len(one.sources)).capitalize()} notes{about} became one: {_numbered(one)}."
    if len(again) > QUOTED:
        yield f"{_count(len(again) - QUOTED, 'more memory', 'more memories')} came of several notes each."
    if fresh := [one for one in some if one not in again]:
        yield f"It learned {_quotes(fresh)}."


def _merged(some: list[Told], night: Night) -> Iterator[str]:
    into: dict[str, list[Told]] = {}
    for one in some:
        into.setdefault(one.after.superseded_by if one.after else "", []).append(one)
    kept = {one.memory: one.text for one in night.told}
    for identity, gone in list(into.items())[:QUOTED]:
        text = kept.get(identity) or gone[0].successor
        subject = common_words([text, *(one.text for one in gone)], _little())
        about = f" about “{subject}”" if subject else ""
        numbers = ", ".join(str(one.number) for one in gone)
        yield f"{_number(len(gone) + 1).capitalize()} memories{about} became one: {_quote(text)} ({numbers})."
    if len(into) > QUOTED:
        yield f"{_count(len(into) - QUOTED, 'more memory', 'more memories')} took in others."


def _replaced(some: list[Told], day: datetime, zone: tzinfo) -> Iterator[str]:
    for one in some[:QUOTED]:
        ended = one.after.valid_to if one.after else None
        when = f" on {day_words(ended.astimezone(zone), beside=day)}" if ended else ""
        because = f"{_quote(one.successor)} took its place" if one.successor else one.why
        yield f"{_numbered(one)} ended{when}, because {because}{_resting(one)}."
    if len(some) > QUOTED:
        yield f"{_count(len(some) - QUOTED, 'more memory', 'more memories')} ended because later ones took their place."


def _held(some: list[Told]) -> Iterator[str]:
    pairs = [one for one in some if one.rivals]
    told: set[str] = set()
    sides: list[str] = []
    for one in pairs:
        if one.memory not in told:
            told |= {one.memory, *(identity for identity, _ in one.rivals)}
            numbers = {other.memory: other for other in some}
            sides.append(" against ".join([_numbered(one), *(
                _numbered(numbers[i]) if i in numbers else _quote(text) for i, text in one.rivals)]))
    for side in sides[:QUOTED]:
        yield f"You are asked which is right: {side}."
    if len(sides) > QUOTED:
        yield f"You are asked the same of {_count(len(sides) - QUOTED, 'more pair')}."
    alone = [one for one in some if one.memory not in told]
    yield from _for_reasons(alone, "waits for you", "wait for you") if alone else ()


def _for_reasons(some: list[Told], one_did: str, many_did: str) -> Iterator[str]:
    reasons: dict[str, list[Told]] = {}
    for one in some:
        reasons.setdefault(one.why, []).append(one)
    for why, rows in reasons.items():
        did = one_did if len(rows) == 1 else many_did
        yield f"{_quotes(rows)} {did}, because {why}." if why else f"{_quotes(rows)} {did}."


def _rest(night: Night) -> Iterator[str]:
    passing = next((row.count for row in night.let_go if row.reason == IN_PASSING), 0)
    if passing:
        was, them = ("was", "it") if passing == 1 else ("were", "them")
        yield (f"{_count(passing, 'statement').capitalize()} {was} only said in passing: search finds {them}, "
               f"no memory is made of {them}.")
    gone = [row for row in night.let_go if row.reason != IN_PASSING]
    if gone:
        parts = "; ".join(f"{_number(row.count)}: {row.why}" for row in gone[:4])
        more = sum(row.count for row in gone[4:])
        all_gone = sum(row.count for row in gone)
        yield (f"{_count(all_gone, 'statement').capitalize()} {'was' if all_gone == 1 else 'were'} let go ({parts}"
               + (f"; {_number(more)} for other reasons" if more else "") + ").")
    known = sum(1 for fate in night.fates.values() if fate == Fate.DUPLICATE.value)
    if known and not night.has_changes:
        yield f"{_count(known, 'statement').capitalize()} had been said before."
    if night.recall is not None:
        asked, found = night.recall.asked, night.recall.found
        yield (f"Search still finds {'the' if asked == 1 else 'all'} {_count(asked, 'memory')} that it found before."
               if asked == found else
               f"Of {_count(asked, 'memory')} that search found before, it finds {_number(found)} now.")
    if night.spent is not None:
        cost = f", {night.spent.cost:.2f} US dollars" if night.spent.cost is not None else ""
        times = "once" if night.spent.calls == 1 else f"{_number(night.spent.calls)} times"
        yield f"A language model was asked {times} ({night.spent.tokens:,} tokens{cost})."
    for warning in night.run.warnings[:QUOTED]:
        yield f"A warning: {warning.rstrip('.')}."


def _resting(one: Told) -> str:
    return f" ({'; '.join(one.evidence[:2])})" if one.evidence else ""


def _quotes(some: Sequence[Told]) -> str:
    """Some memories by their words, the others counted."""
    shown = [_numbered(one) for one in some[:QUOTED]]
    if len(some) > QUOTED:
        shown.append(f"{_number(len(some) - QUOTED)} more")
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def _numbered(one: Told) -> str:
    """Its words and, where a run made several changes, the number by which it can be taken back."""
    return f"{_quote(one.text)} ({one.number})" if one.number else _quote(one.text)


def _quote(text: str) -> str:
    plain = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    if len(plain) > LONGEST_QUOTE:
        plain = f"{plain[:LONGEST_QUOTE].rsplit(' ', 1)[0]} …"
    return f"“{plain.rstrip('.')}”"


def _number(n: int) -> str:
    return NUMBERS[n] if 0 <= n < len(NUMBERS) else f"{n:,}"


def _count(n: int, one: str, many: str = "") -> str:
    plural = many or (f"{one[:-1]}ies" if one.endswith("y") else f"{one}s")
    return f"{_number(n)} {one if n == 1 else plural}"


def _little() -> frozenset[str]:
    return frozenset(patterns.entries("words/little", "little"))
