"""What a language model may propose for what is remembered: a person decides, and the words of a person stay."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Mapping
from types import SimpleNamespace

import pytest
from read_aloud import NIGHT, Reader, night

from dreamd.cli.families import dreaming
from dreamd.core.values import MemoryClass, Origin, Status
from dreamd.dream.asking.reflecting import take_proposed
from dreamd.models.language_model import Answer, Ask, Ending, Role
from dreamd.store.language.proposed import load_proposed
from household import House, Said

LONG = "The exporter of cedar is in the folder `tools/export`, which is where the exporter of cedar stands."
SHORT = "The exporter of cedar is in the folder `tools/export`."


def agent(text: str) -> Said:
    """Something an agent noted."""
    return Said(text, origin=Origin.AGENT, memory_class=MemoryClass.REFERENCE)


def proposing(*ideas: Mapping[str, object], lost: bool = False) -> Reader:
    """A reflector with the same ideas every night; a line is named by a piece of it."""
    def reply(ask: Ask) -> Answer:
        if ask.role is Role.JUDGE:
            return Answer(Ending.ANSWERED, {"cases": [{"case": 1, "lost": lost}]})
        lines = {text: mark for line in ask.data.splitlines() if " " in line
                 for mark, text in [line.split(" ", 1)] if mark[:1] in "mo" and mark[1:].isdigit()}

        def mark_of(piece: str) -> str:
            return next((mark for text, mark in lines.items() if piece and piece in text), piece)

        told = []
        for idea in ideas:
            target = mark_of(str(idea["target"]))
            evidence = [{"line": target, "quote": str(idea.get("quote", idea["target"]))}]
            told.append({"kind": idea["kind"], "target": target, "into": mark_of(str(idea.get("into", ""))),
                         "text": idea.get("text", ""), "why": "because", "evidence": evidence})
        return Answer(Ending.ANSWERED, {"proposals": told})
    model = Reader(reply)
    model.on = frozenset({Role.REFLECTOR})
    return model


REWRITE = {"kind": "rewrite", "target": LONG, "text": SHORT}


def nights(house: House, model: Reader, count: int = 4) -> None:
    """So many nights, each with something new."""
    for n in range(count):
        house.say(f"2026-01-{5 + n:02d}T09:00:00Z", f"Box {n} of cedar is on port {8000 + n}.")
        night(house, model, f"2026-01-{5 + n:02d}T20:00:00Z")


def test_for_three_nights_it_only_proposes_and_then_an_agents_line_is_shortened(house: House) -> None:
    house.say(NIGHT, agent(LONG))
    nights(house, proposing(REWRITE), 3)
    assert house.memory("exporter").text == LONG
    with house.kit(NIGHT) as kit:
        assert len(load_proposed(kit.store)) == 1
    nights(house, proposing(REWRITE), 4)
    assert house.memory("exporter").text == SHORT


def test_a_persons_wording_is_never_rewritten(house: House) -> None:
    house.say(NIGHT, LONG)
    nights(house, proposing(REWRITE))
    assert house.memory("exporter").text == LONG
    with house.kit(NIGHT) as kit:
        assert load_proposed(kit.store) == []


@pytest.mark.parametrize("text", [
    "The exporter of cedar is in the folder `tools/import`.", "The exporter of cedar is not in the folder `tools/export`.",
    "The exporter of cedar is somewhere.", "x", "The exporter of maple is in the folder `tools/export`."])
def test_a_rewording_that_says_anything_else_is_no_proposal(house: House, text: str) -> None:
    house.say(NIGHT, agent(LONG))
    nights(house, proposing({**REWRITE, "text": text}))
    assert house.memory("exporter").text == LONG


def test_what_would_retire_or_promote_waits_for_a_person_for_ever(house: House) -> None:
    house.say(NIGHT, "The depot of cedar is in Porto.", "The lab of cedar is in Lyon.")
    nights(house, proposing(*({"kind": "retire", "target": f"Box {n} of cedar"} for n in range(4)),
                            {"kind": "retire", "target": "The depot of cedar"}))
    assert {m.status for m in house.memories()} == {Status.LIVE}
    with house.kit(NIGHT) as kit:
        ideas = [one for one in load_proposed(kit.store) if "depot" in house.memory("depot").text and
                 one.target == house.memory("depot").id]
        assert len(ideas) == 1
        take_proposed(kit, ideas[0].id, "keep-a")
        assert ideas[0] not in load_proposed(kit.store)
    assert house.memory("depot").status is Status.ARCHIVED


def test_nothing_is_merged_across_a_veto_or_where_something_is_lost(house: House) -> None:
    house.say(NIGHT, agent("The depot of cedar is on port 8080."), agent("The depot of cedar is on port 8081."))
    nights(house, proposing({"kind": "merge", "target": "on port 8080", "into": "on port 8081"}))
    assert all(m.status is not Status.SUPERSEDED or m.reason != "duplicate" for m in house.memories())


@pytest.mark.parametrize("idea", [
    {**REWRITE, "quote": "somewhere else"}, {**REWRITE, "kind": "obey"}, {"kind": "merge", "target": LONG, "into": "m99"}])
def test_a_proposal_without_its_evidence_is_none(house: House, idea: dict[str, object]) -> None:
    house.say(NIGHT, agent(LONG))
    nights(house, proposing(idea))
    with house.kit(NIGHT) as kit:
        assert load_proposed(kit.store) == []


def test_a_night_without_news_asks_nothing(house: House) -> None:
    house.say(NIGHT, agent(LONG))
    nights(house, proposing(REWRITE), 1)
    again = proposing(REWRITE)
    night(house, again, "2026-01-20T20:00:00Z")
    assert again.asked == []


def test_what_is_forgotten_stands_in_no_proposal(house: House) -> None:
    house.say(NIGHT, agent(LONG))
    nights(house, proposing(REWRITE), 1)
    house.forget(NIGHT, "exporter")
    assert [row for row in house.rows("SELECT value FROM meta") if "export" in str(row[0])] == []


@pytest.mark.parametrize("asked", [True, False])
def test_a_person_may_have_one_night_only_propose(house: House, asked: bool) -> None:
    parser = ArgumentParser()
    dreaming.add_arguments("consolidate", parser)
    options = parser.parse_args(["--propose"] if asked else [])
    context = SimpleNamespace(world=house.world(NIGHT))
    _, world = dreaming._wish(context, options, dreaming.CycleHolder())  # type: ignore[arg-type]  # a world is all it asks for
    assert world.settings.llm.propose_only is asked
