"""Gold sets: what was said, what is asked, and which statements hold the answer.

A set is one JSON document, or a directory of talks: plain text as people write to each other over a year, a heading for
each day, a turn a line with `[a-name]` behind what questions ask for, and the questions below.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from dreamd.core import fsio
from dreamd.core.clock import parse_instant
from dreamd.core.errors import UsageError
from dreamd.core.paths import share_dir
from dreamd.core.values import Candidate, MemoryClass, Origin, parse_scope
from dreamd.text.redaction import redact

KINDS = ("rule", "preference", "look-up", "state", "history", "single", "several", "time", "changed", "unanswerable")
LARGEST_GOLD_BYTES = 32 * 1024 * 1024
_TURN = re.compile(r"(?P<text>.*?)(?:\s+\[(?P<tag>[a-z0-9-]+)\])?$")
_QUESTIONS = "== questions"


@dataclass(frozen=True)
class Statement:
    """One thing somebody said, as the gold set gives it."""

    id: str
    candidate: Candidate


@dataclass(frozen=True)
class Question:
    """What is asked, and which statements hold the answer."""

    id: str
    kind: str
    query: str
    evidence: tuple[frozenset[str], ...]
    retired: frozenset[str] = frozenset()
    answer: str = ""
    scope: str = ""
    """Where it is asked; empty means everywhere."""


@dataclass(frozen=True)
class Gold:
    """A gold set."""

    name: str
    now: datetime
    zone: str
    dreams: tuple[datetime, ...]
    statements: tuple[Statement, ...]
    questions: tuple[Question, ...]


def read_gold(path: Path | None = None) -> Gold:
    """Read a gold set, dream's own where none is named: one JSON document, or a directory of talks.

    Raises UsageError for a file that is not in the format.
    """
    path = path or share_dir("config") / "eval" / "gold.json"
    if path.is_dir():
        return read_talks(path)
    try:
        document = json.loads(fsio.read_bytes(path, limit_bytes=LARGEST_GOLD_BYTES))
        if document["schema"] != 1:
            raise ValueError("another schema")
        gold = Gold(str(document.get("name", path.stem)), parse_instant(document["now"]), str(document.get("zone", "UTC")),
                    tuple(sorted(map(parse_instant, document["dreams"]))), tuple(map(_statement, document["statements"])),
                    tuple(map(_question, document["questions"])))
    except FileNotFoundError:
        raise UsageError(f"no gold set at `{path}`") from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise UsageError(f"`{path}` is no gold set ({type(error).__name__})",
                         hint="the README shows the format; `config/eval/gold.json` is one") from None
    known = [s.id for s in gold.statements]
    named = {i for q in gold.questions for i in q.retired.union(*q.evidence)}
    if len(set(known)) != len(known) or named - set(known):
        raise UsageError(f"`{path}` names statements twice or names some it does not have")
    return gold


def read_talks(folder: Path) -> Gold:
    """A gold set of all the talks in a directory, asked for the day after the last of them.

    Raises UsageError for a talk that is not in the format.
    """
    statements: list[Statement] = []
    questions: list[Question] = []
    for path in sorted(folder.glob("*.txt")):
        tags: dict[str, str] = {}
        try:
            body, _, asked = path.read_text(encoding="utf-8").partition(_QUESTIONS)
            for told, tag in _turns(path.stem, body):
                statements.append(told)
                if tag:
                    tags[tag] = told.id
            questions += [_asked(path.stem, n, line, tags) for n, line in enumerate(asked.strip().splitlines()) if line.strip()]
        except (OSError, ValueError, KeyError) as error:
            raise UsageError(f"`{path}` is no talk ({type(error).__name__})",
                             hint="those in `config/eval/year` are in the format") from None
    if not statements:
        raise UsageError(f"no talk in `{folder}`")
    end = max(s.candidate.at for s in statements) + timedelta(days=1)
    return Gold(folder.name, end, "UTC", (), tuple(statements), tuple(questions))


def _turns(name: str, body: str) -> Iterator[tuple[Statement, str]]:
    """Every turn of a talk with the name that questions call it by."""
    at, day, number = datetime(1970, 1, 1, tzinfo=UTC), 0, 0
    for line in body.splitlines():
        if line.startswith("## "):
            at, day, number = datetime.strptime(line[3:].strip(), "%Y-%m-%d %H:%M").replace(tzinfo=UTC), day + 1, 0
        elif line.strip() and not line.startswith("#"):
            number += 1
            turn = _TURN.match(line.strip())
            if turn is None:
                raise ValueError("not a turn")
            identity = f"{name}:{day}.{number}"
            yield Statement(identity, Candidate(
                turn["text"], Origin.USER, at + timedelta(minutes=number), parse_scope(f"project:{name}"), f"{name}-{day}",
                key=f"gold:{identity}")), turn["tag"] or ""


def _asked(name: str, number: int, line: str, tags: dict[str, str]) -> Question:
    kind, query, evidence, retired, answer = (part.strip() for part in line.split("|"))
    if kind not in KINDS or not query:
        raise ValueError("not a question")
    return Question(f"{name}-q{number}", kind, query, tuple(frozenset({tags[tag]}) for tag in evidence.split()),
                    frozenset(tags[tag] for tag in retired.split()), answer, f"project:{name}")


def _statement(row: dict[str, object]) -> Statement:
    hint = row.get("class")
    candidate = Candidate(
        redact(str(row["text"])).text, Origin(str(row.get("origin", "user"))), parse_instant(str(row["at"])),
        parse_scope(str(row.get("scope", "user"))), str(row.get("conversation", "")), key=f"gold:{row['id']}",
        class_hint=MemoryClass(str(hint)) if hint else None, ttl=str(row["ttl"]) if row.get("ttl") else None)
    return Statement(str(row["id"]), candidate)


def _question(row: dict[str, object]) -> Question:
    kind, groups, retired = str(row["kind"]), row["evidence"], row.get("retired", [])
    if kind not in KINDS or not isinstance(groups, list) or not isinstance(retired, list) or not str(row["query"]).strip():
        raise ValueError("not a question")
    return Question(str(row["id"]), kind, str(row["query"]), tuple(frozenset(map(str, group)) for group in groups),
                    frozenset(map(str, retired)), str(row.get("answer", "")))
