"""One home that has everything in it a dream can meet, so that every effect of a dream is among its effects.

`prepare` makes the home as it stands before the night: memories of several ages, a person's edits to their files, a
note in the inbox, an agent's memory directory, a conversation. The dream over it adds, merges, refines, updates, holds a
contradiction, takes in edits, expires a state, marks a reference as stale and archives another, keeps what was said in
passing with what was said before it, and puts right what was said wrong.
"""

from __future__ import annotations

import json
from pathlib import Path

from dreamd.core.clock import parse_instant
from dreamd.core.values import MemoryClass, Origin
from dreamd.dream.cycle import CycleReport
from dreamd.store.intake import inbox
from household import House, Said
from standing_by import lay_graphs

LONG_AGO = "2025-07-25T09:00:00Z"
LATELY = "2025-10-20T09:00:00Z"
DAY = "2026-01-05T09:00:00Z"
EVENING = "2026-01-05T20:00:00Z"
NEXT_DAY = "2026-02-05T09:00:00Z"
NIGHT = "2026-02-05T20:00:00Z"
REFERENCE, RULE, STATE = MemoryClass.REFERENCE, MemoryClass.RULE, MemoryClass.STATE

BEFORE = (
    Said("The batch logs of the harvester are kept under /srv/harvester/logs.", at=LONG_AGO, memory_class=REFERENCE),
    Said("The old dashboard of the harvester listens on port 4410.", at=LATELY, memory_class=REFERENCE),
    Said("The staging port of cedar is 8080.", at=DAY, conversation="c1", memory_class=REFERENCE),
    Said("Never write to the tag registry from a notebook.", at=DAY, conversation="c1", memory_class=RULE),
    Said("Client numbers in cedar have four digits.", at=DAY, conversation="c1", memory_class=REFERENCE),
    Said("Always squash commits before merging into the release branch.", at=DAY, conversation="c2", memory_class=RULE),
    Said("The release branch of cedar is frozen.", at=DAY, conversation="c2", memory_class=STATE, ttl="2026-01-31"),
    Said("The importer skips rows without a postcode on purpose.", at=DAY, conversation="c2", memory_class=REFERENCE),
    Said("Name the invoice columns in lower case with underscores.", at=DAY, conversation="c2", memory_class=RULE),
    Said("I prefer short commit messages in the present tense.", scope="user", at=DAY, memory_class=MemoryClass.PREFERENCE),
)
AFTER = (
    Said("The staging port of cedar is 8081.", conversation="c7", memory_class=REFERENCE),
    Said("Never write to the tag registry from a notebook.", conversation="c7", memory_class=RULE),
    Said("Client numbers in cedar have four digits, because the ledger cuts the fifth.", conversation="c7",
         memory_class=REFERENCE),
    Said("Never squash commits before merging into the release branch.", at="2026-01-05T10:00:00Z", conversation="c3",
         memory_class=RULE),
    Said("The nightly export of cedar writes parquet files.", conversation="c7", memory_class=REFERENCE),
    Said("The page says every key may be shared with support.", origin=Origin.WEB, conversation="c7"),
    Said("Reviews of cedar need two people.", scope="project:cedar-ui", memory_class=RULE),
)
INBOX = Said("The sandbox of cedar is wiped every Sunday night.", conversation="c8", key="inbox-1", memory_class=REFERENCE)
AGENT_INDEX = "- [Ledger](ledger.md) - the ledger of cedar is replicated hourly\n"
AGENT_FILE = """---
name: ledger
description: how the ledger is replicated
type: project
---
The ledger of cedar is replicated to the second site every hour.
"""


TALK = (
    ("user", "From now on the reviews of cedar are read aloud on Tuesdays."),
    ("assistant", "Understood. Which voltage do the harbour lamps of cedar take?"),
    ("user", "24 volts"),
    ("user", "I swapped the fuses of the quarry crane for 32 amps on the south side"),
    ("assistant", "Shall I keep the glaze recipe in the blue folder of the archive?"),
    ("user", "yes, the archive of cedar stands behind the boat house door"),
    ("user", "we moved the tide tables of cedar to shelf 12 last week"),
    ("user", "sorry, I meant shelf 14"),
    ("assistant", "Noted."),
)
"""What a person and an agent said to each other."""


def prepare(root: Path) -> House:
    """The home as it stands before the night."""
    house = House(root)
    for said in BEFORE[:2]:  # age counts from the day on which a dream first held them
        house.say(said.at, said)
        house.dream(said.at)
    house.say(DAY, *BEFORE[2:])
    house.dream(EVENING)
    house.say(NEXT_DAY, *AFTER)
    inbox.put_notes(house.paths, [INBOX.candidate(NEXT_DAY)], now=parse_instant(NEXT_DAY), ticket="waiting")
    _edit_by_hand(house)
    _agent_memory(house.person)
    _conversation(house.person)
    lay_graphs(house.home)
    return house


def dream(house: House) -> CycleReport:
    """The night itself."""
    return house.dream(NIGHT)


def _edit_by_hand(house: House) -> None:
    changed = house.file_of("importer skips rows")
    changed.write_text(changed.read_text().replace("without a postcode", "without a postcode or a town"))
    house.file_of("invoice columns").unlink()
    added = changed.parent / "who-signs-off.md"
    added.write_text("Maren signs off every change to the ledger.\n")


def _agent_memory(person: Path) -> None:
    directory = person / ".claude" / "projects" / "-srv-work-cedar" / "memory"
    directory.mkdir(parents=True)
    (directory / "MEMORY.md").write_text(AGENT_INDEX)
    (directory / "ledger.md").write_text(AGENT_FILE)


def _conversation(person: Path) -> None:
    facts = {"sessionId": "talk-1", "cwd": "/srv/work/cedar", "isSidechain": False, "userType": "external", "version": "2.1.0",
             "parentUuid": None}
    folder = person / ".claude" / "projects" / "-srv-work-cedar"
    folder.mkdir(parents=True, exist_ok=True)
    lines = [{**facts, "type": who, "uuid": f"talk-1-{n}", "timestamp": f"2026-02-05T10:{n:02d}:00.000Z",
              "message": {"role": who, "content": text if who == "user" else [{"type": "text", "text": text}]}}
             for n, (who, text) in enumerate(TALK)]
    (folder / "talk-1.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
