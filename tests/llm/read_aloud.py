"""Conversations as a harness leaves them, a model that answers as a test says, and a night with it: for tests of the roles."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from dreamd.dream.cycle import CycleReport, Wish, run_cycle
from dreamd.models.language_model import Answer, Ask, Ending, Role, Used
from household import AS_USUAL, House

MORNING, NIGHT, NEXT_NIGHT = "2026-01-05T09:00:00Z", "2026-01-05T20:00:00Z", "2026-01-06T20:00:00Z"
LINE = re.compile(r"^(\d+) (person|refusing|pasted|agent): (.*)$", re.MULTILINE)
REFUSED = ("The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the "
           "new_string was NOT written to the file). To tell you how to proceed, the user said:\n")
Turn = tuple[str, str]
"""Who speaks (`person`, `agent`, `refuses`, `result`) and what."""


def talk(house: House, session: str, *turns: Turn, project: str = "cedar", at: str = MORNING) -> Path:
    """A conversation as Claude Code writes it; what is there already goes on."""
    path = house.person / ".claude" / "projects" / f"-srv-{project}" / f"{session}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    there = path.read_text().splitlines() if path.exists() else []
    base = {"isSidechain": False, "userType": "external", "cwd": f"/srv/{project}", "sessionId": session, "version": "2.1.231",
            "parentUuid": None, "timestamp": at}
    for n, (who, text) in enumerate(turns, len(there)):
        if who == "agent":
            line: dict[str, object] = {"type": "assistant", "message": {"role": "assistant", "content": [
                {"type": "text", "text": text}]}}
        elif who == "person":
            line = {"type": "user", "message": {"role": "user", "content": text}}
        else:
            told = REFUSED + text if who == "refuses" else text
            block = {"type": "tool_result", "tool_use_id": f"t-{n}", "content": told, "is_error": who == "refuses"}
            line = {"type": "user", "message": {"role": "user", "content": [block]}}
            if who == "refuses":
                line["toolUseResult"] = "User rejected tool use"
        there.append(json.dumps({**base, "uuid": f"{session}-{n}", **line}))
    path.write_text("\n".join(there) + "\n")
    return path


@dataclass(frozen=True)
class Label:
    """What a reader finds: a statement and pieces of the lines it rests on."""

    text: str
    pieces: tuple[str, ...]
    kind: str = "rule"
    gate: str = "allow"
    confidence: float = 0.9
    category: str = "projects"
    why: str = ""


@dataclass
class Reader:
    """A language model that answers as a test says, and remembers what it was shown."""

    reply: Callable[[Ask], Answer]
    asked: list[Ask] = field(default_factory=list)
    told: list[tuple[Role, bool]] = field(default_factory=list)
    on: frozenset[Role] = frozenset(Role)

    def ask(self, ask: Ask) -> Answer:
        """Answer once."""
        self.asked.append(ask)
        answer = self.reply(ask)
        return replace(answer, model=answer.model or "stand-in-1", used=Used(100, 0, 20, 0.1))

    def is_on(self, role: Role) -> bool:
        """Whether the role is switched on."""
        return role in self.on

    def tell(self, role: Role, *, moved: bool) -> None:
        """Hear whether that led anywhere."""
        self.told.append((role, moved))


def oracle(*labels: Label) -> Reader:
    """Answers from labels: each with the lines its pieces stand in, where they are shown."""
    return Reader(lambda ask: Answer(Ending.ANSWERED, facts(*(fact_of(label, ask) for label in labels if shows(label, ask)))))


def shows(label: Label, ask: Ask) -> bool:
    """Whether every piece stands in a line of the question."""
    return all(any(piece in m[3] for m in LINE.finditer(ask.data)) for piece in label.pieces)


def fact_of(label: Label, ask: Ask) -> dict[str, object]:
    """A label in the form of an answer."""
    quotes = [{"line": next(int(m[1]) for m in LINE.finditer(ask.data) if piece in m[3]), "quote": piece}
              for piece in label.pieces]
    return {"text": label.text, "class": label.kind, "type": "project", "category": label.category, "priority": 2,
            "gate": label.gate, "confidence": label.confidence, "why": label.why, "how_to_apply": "", "quotes": quotes}


def facts(*some: Mapping[str, object]) -> dict[str, object]:
    """The answer of an observer."""
    return {"segments": [{"narrative": "They spoke.", "facts": list(some)}]} if some else {"segments": []}


def saying(value: object) -> Reader:
    """Always the same answer."""
    return Reader(lambda _ask: Answer(Ending.ANSWERED, value))  # type: ignore[arg-type]  # whatever a backend may send


def ending(*endings: Ending) -> Reader:
    """Fails in these ways, one after the other, the last one for ever."""
    left = list(endings)
    return Reader(lambda _ask: Answer(left.pop(0) if len(left) > 1 else left[0]))


def night(house: House, model: Reader, now: str = NIGHT, wish: Wish = AS_USUAL) -> CycleReport:
    """One whole dream with someone to ask."""
    house.furnish(llm={"backend": "openai"}, recall={"passages": 0})
    with house.kit(now) as kit:
        kit.language = model
        return run_cycle(kit, wish)


def texts(house: House, *statuses: object) -> list[str]:
    """What stands in memory."""
    return sorted(m.text for m in house.memories(*statuses))  # type: ignore[arg-type]  # as `memories` takes them


def of_observer(report: CycleReport) -> Mapping[str, float]:
    """The counts of the phase."""
    return report.phases["observe"]

