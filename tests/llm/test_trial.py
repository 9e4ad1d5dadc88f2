"""`dream eval llm`: what a model brings and what it costs, beside the path without one."""

from __future__ import annotations

import json

from read_aloud import LINE, NIGHT, Reader, facts

from dreamd.core.paths import share_dir
from dreamd.dream.asking.trial import try_roles
from dreamd.models.language_model import Answer, Ask, Ending, Role
from household import House


def test_a_model_that_reads_well_is_shown_to_and_nothing_is_remembered(thoughtful: House) -> None:
    labelled = json.loads((share_dir("config") / "eval" / "llm.json").read_text())
    wanted = [fact["text"] for talk in labelled["conversations"] for fact in talk["facts"]]

    def reply(ask: Ask) -> Answer:
        if ask.role is not Role.OBSERVER:
            return Answer(Ending.REFUSED)
        lines = [(int(m[1]), m[3]) for m in LINE.finditer(ask.data) if m[2] in ("person", "refusing")]
        told = [(text, line) for text in wanted for line in lines
                if len(set(text.casefold().strip(".").split()) & set(line[1].casefold().split())) >= 4]
        return Answer(Ending.ANSWERED, facts(*(
            {"text": text, "class": "rule", "type": "project", "category": "projects", "priority": 2, "gate": "allow",
             "confidence": 0.9, "why": "", "how_to_apply": "", "quotes": [{"line": n, "quote": said}]}
            for text, (n, said) in told)))

    with thoughtful.kit(NIGHT) as kit:
        trial = try_roles(kit, Reader(reply))
    assert trial.with_model["weighted recall"] > trial.without["weighted recall"]
    assert trial.used["calls"] >= len(labelled["conversations"]) and trial.used["tokens in"] > 0
    assert thoughtful.rows("SELECT COUNT(*) FROM observation") == [(0,)]
