"""The query: a question put in the words of the statement that would answer it."""

from __future__ import annotations

from collections.abc import Mapping

from dreamd.judge.statement import read
from dreamd.llm.roles.prompts import TEXT, fenced, load_prompt, shape, words
from dreamd.models.language_model import Ask, Role
from dreamd.text.redaction import redact

MOST_OUT = 120
SECONDS = 2.0
LONGEST = 300
SCHEMA: Mapping[str, object] = shape({"query": TEXT})


def ask_for(query: str, *, scope: str) -> Ask:
    """Ask for other words."""
    prompt = load_prompt("query")
    asked = " ".join(redact(query).text.split())
    return Ask(Role.QUERY, prompt.name, prompt.text, fenced("# What was asked", asked), SCHEMA, scope, MOST_OUT, SECONDS)


def read_query(value: Mapping[str, object], query: str) -> str:
    """The other words, where they have every number and name of the question and no new one; else nothing."""
    found = words(value.get("query"), LONGEST)
    asked, told = read(query), read(found)
    kept = {*asked.fixed, *asked.commands, *asked.quoted, *asked.names}
    same = asked.numbers == told.numbers and all(name.lower().removeprefix("version ") in told.low for name in kept)
    invented = {name for name in (*told.fixed, *told.names) if name.lower().removeprefix("version ") not in asked.low}
    return found if found and same and not invented else ""
