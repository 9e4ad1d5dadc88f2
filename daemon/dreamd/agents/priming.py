"""What a new conversation is told: the choice and the words. `prime` decides whether anything is told at all.

Unasked it is told only what was said twice or plainly meant to last, of this project or of the person, and a date that is
near; everything else is found by whoever asks. Facts with dates, never commands, marked so that dream never learns its own
words back.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from dreamd.agents import foreign_dir, hooks
from dreamd.agents.prime import ASKING
from dreamd.core import fsio
from dreamd.core.clock import local_date
from dreamd.core.errors import DreamError
from dreamd.core.values import Scope
from dreamd.kit import Kit, exclusions
from dreamd.recall.ahead import in_words, look_ahead
from dreamd.recall.answer import Found, Look, record_recalls, search
from dreamd.recall.ranking import Budget
from dreamd.recall.shelf import Shelf
from dreamd.store import memories, shown
from dreamd.store.presence.team_copy import of_team, open_copy, world_of_copy
from dreamd.text.injection import neutralise

LARGEST_BYTES = 4_500
"""Fifteen hundred tokens at three bytes each; a harness cuts at 10,000 characters."""
LONGEST_FACT_CHARS = 480
NEAR_DAYS = 14
"""So many days before its end a date is near."""
OPENING = "<dream-memory>"
CLOSING = "</dream-memory>"
HEADING = ('What is on record from earlier conversations, each fact with the day it was last confirmed; '
           'a record can be out of date, and "I" is the person:')
STANDING_SHARE = 0.5
"""Seats kept for what lasts, whatever it is about."""
TEAM_SHARE = 0.3
"""Seats that a team's memory may take from one's own."""
ASKED_FOR = 3
"""As many are looked at for each seat: what stands in two scopes, or is said elsewhere, takes none."""
RECENT = 5
LARGEST_INSTRUCTIONS_BYTES = 256 * 1024
LONGEST_QUERY_CHARS = 500
"""Reading a query costs a tenth of a millisecond a character, and a conversation waits for it."""


def choose(kit: Kit, *, cwd: str, words: str = "", shelf: Shelf | None = None, hurried: bool = False,
           told_today: Sequence[str] = ()) -> list[Found]:
    """What a new conversation in a directory should know: what its first words call up, and what always holds.

    A day that is near comes first, where it was not told today.
    """
    if exclusions(kit.world).has_place(cwd):
        cwd = ""  # what is there is not read, not even to say whether a memory still holds
    scopes = hooks.scopes_of(kit.store, cwd, kit.settings.teams.members)

    def chosen(kit: Kit, shelf: Shelf | None) -> list[Found]:
        return _choose(kit, scopes, cwd=cwd, words=words, shelf=shelf, hurried=hurried, told_today=told_today)

    own = chosen(kit, shelf)
    with open_copy(kit.world) as copy:
        if copy is None:
            return own
        told = {_words(one.memory.text) for one in own}
        team = [replace(one, memory=of_team(kit.world, [one.memory])[0]) for one in chosen(
            replace(kit, world=world_of_copy(kit.world), store=copy), shelf.beside if shelf else None)
            if _words(one.memory.text) not in told]
    wanted = min(kit.settings.priming.memories, kit.settings.recall.injection_cap)
    return [*own[:wanted - min(len(team), round(wanted * TEAM_SHARE))], *team][:wanted]


def _choose(kit: Kit, scopes: tuple[Scope, ...], *, cwd: str, words: str, shelf: Shelf | None, hurried: bool,
            told_today: Sequence[str]) -> list[Found]:
    """The choice of one store, one's own or the copy of a team's."""
    wanted = min(kit.settings.priming.memories, kit.settings.recall.injection_cap)
    query = build_query(kit, scopes[0], words)
    # A deep look: the start of a conversation is no question, so nothing is too far behind the best answer to it.
    look = Look(limit=wanted, budget=Budget.DEEP, scopes=scopes, record=False, injection=True, hurried=hurried, alone=True,
                directory=Path(cwd) if cwd else None)
    called = list(search(kit, query, look, shelf=shelf).results) if query else []
    may = set(_lasting(kit, scopes, among=[one.memory.id for one in called])) if called else set()
    called = [one for one in called if one.memory.id in may]
    stated = _words_of_instructions(cwd)
    ids = _lasting(kit, scopes, limit=ASKED_FOR * wanted)
    known = memories.load_some(kit.store, ids)
    lasting = [Found(known[i], 0.0, {}) for i in ids if i in known]
    ahead = look_ahead(kit, scopes, told_today)
    told = [[one for one in some if _words(one.memory.text) not in stated
             and (one.memory.pinned or one.memory.id not in ahead.quiet)]
            for some in (called, lasting)]
    return [*ahead.due[:wanted], *_seat(told[0], told[1], max(0, wanted - len(ahead.due)))]


def build_query(kit: Kit, scope: Scope, words: str) -> str:
    """The words the start of a conversation brings along, and the newest entries of the index."""
    recent = memories.load_some(kit.store, shown.load_recent_ids(kit.store, scope=str(scope), limit=RECENT))
    told = sorted(recent.values(), key=lambda m: (m.updated_at, m.id))
    return " ".join([words, *(m.text[:LONGEST_QUERY_CHARS // RECENT] for m in told)]).strip()[:LONGEST_QUERY_CHARS]


def remark(kit: Kit, *, cwd: str, banner: str, ask: bool) -> str:
    """What is said of the memory itself: that something is wrong with it, or else, where it may ask, that something waits."""
    scopes = hooks.scopes_of(kit.store, cwd, kit.settings.teams.members) if ask else ()
    waiting = shown.count_waiting(kit.store, scopes=[str(s) for s in scopes]) if ask else 0
    if banner or not waiting:
        return banner
    wait = "statement waits" if waiting == 1 else "statements wait"
    return kit.world.called.told(f"{waiting} {wait} for the person's decision: `dream {ASKING}")


def tell(kit: Kit, found: Sequence[Found], *, banner: str = "") -> tuple[str, list[str]]:
    """Put a choice into words and count what is told as recalled; with what of it has a day ahead."""
    text, told = render(found, banner=banner)
    if told:
        record_recalls(kit, own_ids(told))
    return text, dated(told)


def own_ids(told: Sequence[Found]) -> list[str]:
    """Ids of what was told of one's own memory: it is counted, and the team's is not."""
    return [one.memory.id for one in told if not one.memory.team]


def dated(told: Sequence[Found]) -> list[str]:
    """Ids of what was told for a day ahead."""
    return [one.memory.id for one in told if in_words(one)]


def render(found: Sequence[Found], *, banner: str = "") -> tuple[str, list[Found]]:
    """The text as it is injected, one dated fact a line between the marks, and what of the choice found room in it."""
    lines = [f"Note about the memory itself: {_one_line(banner)}"] if banner else []
    told: list[Found] = []
    size = len(OPENING) + len(CLOSING) + len(HEADING) + sum(map(len, lines)) + 8
    facts = []
    for one in found:
        clue = f" ({one.clue} here today)" if one.clue else ""
        named = f" ({_one_line('; '.join(one.records))})" if one.records else ""
        ends = f" (until {one.memory.ttl})" if one.memory.ttl and one.memory.ttl not in one.memory.text else ""
        when = f" ({in_words(one)})" if in_words(one) else ""
        team = f" (team {_one_line(one.memory.team)})" if one.memory.team else ""
        noted = f"- noted {one.memory.confirmed_at.date().isoformat()}: {_one_line(one.memory.text)}"
        fact = f"{noted}{team}{when}{ends}{named}{clue}"
        taken = len(fact.encode("utf-8", "replace")) + 1
        if size + taken > LARGEST_BYTES:
            continue
        size += taken
        facts.append(fact)
        told.append(one)
    if facts:
        lines += [HEADING, *facts]
    return ("\n".join((OPENING, *lines, CLOSING)) if lines else ""), told


def _one_line(text: str) -> str:
    """A text that can neither end the marks around it nor begin a line of its own."""
    plain = " ".join(neutralise(text).replace("<", "‹").replace(">", "›").split())
    return plain if len(plain) <= LONGEST_FACT_CHARS else plain[:LONGEST_FACT_CHARS].rstrip() + " …"


def _words_of_instructions(cwd: str) -> str:
    """What the owner's instruction files say here: an agent reads them anyway, and nothing of it is told twice."""
    said = []
    for path in foreign_dir.find_instruction_files(Path(cwd)) if cwd and "\x00" not in cwd else ():
        with suppress(DreamError, FileNotFoundError):  # too large or a link: then it may be told twice
            said.append(_words(foreign_dir.decode(fsio.read_bytes(path, limit_bytes=LARGEST_INSTRUCTIONS_BYTES))))
    return " . ".join(said)


def _words(text: str) -> str:
    plain = " ".join(re.findall(r"\w+", text.casefold()))
    return f" {plain} "


def _lasting(kit: Kit, scopes: Sequence[Scope], *, limit: int = 100, among: Sequence[str] = ()) -> list[str]:
    today = kit.clock.now()
    days = (local_date(today, kit.zone), local_date(today + timedelta(days=NEAR_DAYS), kit.zone))
    return shown.load_lasting_ids(kit.store, scopes=[str(s) for s in scopes], days=days, limit=limit, among=among)


def _seat(called: Sequence[Found], lasting: Sequence[Found], wanted: int) -> list[Found]:
    """Half the seats for what lasts most, as far as there is any; the rest for what was called up."""
    kept = min(round(wanted * STANDING_SHARE), len({_words(one.memory.text) for one in lasting}))
    seated: dict[str, Found] = {}
    for room, some in ((wanted - kept, called), (wanted, lasting), (wanted, called)):
        for one in some:
            if len(seated) < room:
                # By its words: a fact that stands in two scopes is one fact, and told once.
                seated.setdefault(_words(one.memory.text), one)
    return list(seated.values())
