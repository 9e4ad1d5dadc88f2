"""The reflector: the index and what lately found no place in it go in, proposals come out, each with its evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from dreamd.llm.roles.prompts import TEXT, choice, fenced, listed, load_prompt, records, shape, words
from dreamd.models.language_model import Ask, Role
from dreamd.text.redaction import redact
from dreamd.text.tokens import fold

MOST_OUT = 2500
MOST_PROPOSALS = 10
LONGEST_SHOWN = 400
PROMOTE, REWRITE, MERGE, RETIRE = "promote", "rewrite", "merge", "retire"
KINDS = (PROMOTE, REWRITE, MERGE, RETIRE)
SCHEMA: Mapping[str, object] = shape({"proposals": listed(shape({
    "kind": choice(KINDS), "target": TEXT, "into": TEXT, "text": TEXT, "why": TEXT,
    "evidence": listed(shape({"line": TEXT, "quote": TEXT}))}))})


class Shown(NamedTuple):
    """A line as the model sees it: its mark, whose word it is, and the memory behind it."""

    mark: str
    voice: str
    text: str
    memory: str


@dataclass(frozen=True)
class Idea:
    """A proposal that names lines there are, and quotes them rightly."""

    kind: str
    target: str
    into: str
    text: str
    why: str


def ask_about(index: Sequence[Shown], lately: Sequence[Shown], *, scope: str, seconds: float) -> Ask:
    """Ask what should become of the lines of an index, and of what waits beside it."""
    prompt = load_prompt("reflector")
    parts = [f"{name}\n" + "\n".join(f"{one.mark} {one.voice}: {_cut(one.text)}" for one in some)
             for name, some in (("index", index), ("lately", lately))]
    return Ask(Role.REFLECTOR, prompt.name, prompt.text, fenced("# The lines", "\n\n".join(parts)), SCHEMA, scope, MOST_OUT,
               seconds)


def read_ideas(value: Mapping[str, object], lines: Sequence[Shown]) -> list[Idea]:
    """The proposals of an answer whose lines are there and whose quotes stand in them."""
    known = {one.mark: one for one in lines}
    found = []
    for raw in records(value.get("proposals"))[:MOST_PROPOSALS]:
        kind, target, into = (words(raw.get(name)) for name in ("kind", "target", "into"))
        evidence = records(raw.get("evidence"))
        quoted = all((line := known.get(words(one.get("line")))) and words(one.get("quote"))
                     and fold(words(one.get("quote"))) in fold(_cut(line.text)) for one in evidence)
        if kind in KINDS and target in known and (into in known and into != target) == (kind == MERGE) and evidence and quoted:
            found.append(Idea(kind, known[target].memory, known[into].memory if into in known else "",
                              redact(words(raw.get("text"))).text, redact(words(raw.get("why"), LONGEST_SHOWN)).text))
    return found


def _cut(text: str) -> str:
    return " ".join(redact(text).text.split())[:LONGEST_SHOWN]
