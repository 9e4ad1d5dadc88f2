"""No secret of any kind stands anywhere below a home, whichever way it came in and whatever went wrong."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from dreamd.core import locks, outage, telemetry
from dreamd.core.clock import parse_instant
from dreamd.core.errors import DreamError, Outage
from dreamd.core.values import Candidate, Origin, Scope
from dreamd.store import backups
from dreamd.store.intake import inbox
from dreamd.store.intake.notebook import take_note
from household import House
from secrets_said import SECRETS as OLDER
from secrets_shaped import SHAPED
from secrets_spoken import SAID

OTHERS = dict([*SHAPED.items(), *SAID.items()][::3])
SECRETS = {**OLDER, **OTHERS}
DAY, NIGHT = "2026-01-05T09:00:00Z", "2026-01-05T20:00:00Z"
NEXT_DAY, NEXT_NIGHT = "2026-01-08T09:00:00Z", "2026-01-08T20:00:00Z"
TOKEN = "ghp_" + "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5"
SHORT_DIGITS = 6
"""A piece of a few digits stands in some id, hash, path or count by chance; it is looked for among words only."""


@dataclass(frozen=True)
class Aftermath:
    """Everything that stands below a home when all is said and done, and what a person was told meanwhile."""

    raw: bytes
    texts: str
    told: str


def wrapped(text: str, n: int) -> str:
    """A statement around a secret, so that a memory may come of it."""
    return f"Remember for cabinet {n} of the harbour office that this holds: {text}"


def talk(person: Path) -> None:
    """All of it once more in a conversation, in an agent's own notes, and in the names of things."""
    lines = [{"type": "user", "uuid": f"u-{n}", "parentUuid": None, "isSidechain": False, "userType": "external",
              "cwd": "/srv/work/cedar", "sessionId": "talk-1", "version": "2.1.0",
              "timestamp": f"2026-01-06T09:{n % 60:02d}:00Z",
              "message": {"role": "user", "content": f"From now on always know that {text}"}}
             for n, (text, _) in enumerate(SECRETS.values())]
    folder = person / ".claude" / "projects" / f"-srv-work-{TOKEN}"
    (folder / "memory").mkdir(parents=True)
    (folder / f"{TOKEN}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (folder / "memory" / "MEMORY.md").write_text("".join(f"- {' '.join(text.split())}\n" for text, _ in SECRETS.values()))


@pytest.fixture(scope="module")
def aftermath(tmp_path_factory: pytest.TempPathFactory) -> Aftermath:
    house, told = House(tmp_path_factory.mktemp("secrets")), []
    given = [Candidate(wrapped(text, n), Origin.USER, parse_instant(DAY), Scope("project", "cedar"), key=f"key {text}"[:300],
                       conversation=f"talk {text}"[:300]) for n, (text, _) in enumerate(SECRETS.values())]
    given.append(Candidate("The scope of this one is named badly.", Origin.USER, parse_instant(DAY), Scope("team", TOKEN)))
    told.append(repr(take_note(house.world(DAY), given).answers))
    house.dream(NIGHT)
    talk(house.person)
    edited = house.paths.scope_dir(Scope("project", "cedar")) / "typed-by-hand.md"
    edited.write_text("\n\n".join(wrapped(text, n) for n, (text, _) in enumerate(SECRETS.values())))
    with locks.foreground(house.paths.locks), suppress(DreamError):
        take_note(house.world(NEXT_DAY), [Candidate(f"{c.text}\nIt still does.", c.origin, c.at, c.scope, conversation="later")
                                          for c in given])
    waiting = b"".join(p.read_bytes() for p in inbox.list_inbox(house.paths))
    told.append(repr(house.dream(NEXT_NIGHT)))
    told.append(_broken_row(house))
    with house.kit(NEXT_NIGHT) as kit:
        backups.back_up(kit.store.connection, kit.paths, now=kit.clock.now(), keep=4, why="test")
    away = Outage("the model is away", component="model", code="model-missing")
    outage.flag(house.paths.outage, away, now=parse_instant(NIGHT), owner="dream consolidate")
    telemetry.log_crash(house.paths, _crash(f"the password is {TOKEN}"))
    files = [p for p in sorted(house.home.rglob("*")) if p.is_file()]
    texts = "\n".join(_columns(house.paths.store)) + "\n".join(
        p.read_text() for p in files if p.suffix in (".md", ".json", ".jsonl", ".log"))
    return Aftermath(b"\n".join(p.read_bytes() for p in files) + waiting, texts + waiting.decode(), "\n".join(told))


def _broken_row(house: House) -> str:
    """What is said when a row cannot be read."""
    with house.kit(NEXT_NIGHT) as kit, pytest.raises(DreamError) as told, kit.store.writing() as tx:
        tx.execute("INSERT INTO nowhere VALUES (?)", (TOKEN,))
    return told.value.message + str(told.value.hint)


def _crash(words: str) -> BaseException:
    try:
        raise ValueError(words)
    except ValueError as error:
        return error


def _columns(store: Path) -> Iterator[str]:
    with closing(sqlite3.connect(store)) as connection:
        tables = [r[0] for r in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for table in tables:
            if not table.startswith("memory_words_"):
                for row in connection.execute(f"SELECT * FROM {table}"):
                    yield " ".join(v if isinstance(v, str) else v.decode("utf-8", "replace") if isinstance(v, bytes) and table
                                   in ("file", "intent") else "" for v in row)


@pytest.mark.parametrize("name", OLDER)
def test_a_secret_is_nowhere_in_store_files_inbox_logs_journal_backups_or_messages(aftermath: Aftermath, name: str) -> None:
    secret = SECRETS[name][1]
    assert not _says(aftermath.told, secret)
    assert not _says(aftermath.texts, secret)
    if not _is_short(secret):
        assert secret.encode() not in aftermath.raw


def test_what_programs_hold_and_people_say_in_passing_is_nowhere_either(aftermath: Aftermath) -> None:
    left = [name for name, (_, secret) in OTHERS.items() if _says(aftermath.told, secret) or _says(aftermath.texts, secret)
            or (not _is_short(secret) and secret.encode() in aftermath.raw)]
    assert left == []


@pytest.mark.parametrize("text", ["the pin is 4821.", "pin 4821", "'4821'", "(4821)", "pin:\n4821", "pin, 4821, of the card"])
def test_a_short_secret_among_words_is_seen(text: str) -> None:
    assert _says(text, "4821")


@pytest.mark.parametrize("text", ["run 4a7df6aba14821ddbd", "7c-4821-9f", "bytes=4821", '{"ms": 4821}', "took 0.4821 s",
                                  "4821.5", "/tmp/run-4821/x"])
def test_digits_of_an_id_a_path_or_a_count_are_no_secret(text: str) -> None:
    assert not _says(text, "4821")


def _is_short(secret: str) -> bool:
    return secret.isdigit() and len(secret) <= SHORT_DIGITS


def _says(text: str, secret: str) -> bool:
    if not _is_short(secret):
        return secret in text
    return re.search(rf'(?<![\w.:=-])(?<!": ){secret}(?![\w-])(?!\.\d)', text) is not None


def test_a_token_in_a_scope_a_path_or_a_name_is_nowhere_either(aftermath: Aftermath) -> None:
    assert TOKEN.encode() not in aftermath.raw
    assert TOKEN[4:].encode() not in aftermath.raw


def test_what_stood_around_the_secrets_is_kept(aftermath: Aftermath) -> None:
    assert aftermath.texts.count("of the harbour office that this holds") > len(SECRETS)
    assert aftermath.texts.count("[masked: ") > len(SECRETS)
