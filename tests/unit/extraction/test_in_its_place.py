"""What can only be understood with what was said before it is told with its question, its name or the sentence it speaks of."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from dreamd.core.values import Event, EventKind, GateVerdict, Speaker, parse_scope
from dreamd.extraction import extract, gate
from dreamd.sources.base.human_words import closing_question

AT = datetime(2026, 7, 17, 12, tzinfo=UTC)


def live(*turns: str) -> list[str]:
    """The live memories of a talk; "> " begins what the agent says."""
    events: list[Event] = []
    asked = ""
    for n, text in enumerate(turns):
        at, start = AT + n * timedelta(minutes=2), n * 100
        if text.startswith("> "):
            asked = closing_question(text[2:])
            events.append(Event(Speaker.AGENT, EventKind.PROSE, text[2:], at, "talk-1", start, start + 99))
        else:
            events.append(Event(Speaker.HUMAN, EventKind.PROMPT, text, at, "talk-1", start, start + 99, question=asked))
    texts = []
    for found in extract(events, scope=parse_scope("project:ferry")).candidates:
        gated = gate(found.text, origin=found.origin, at=found.at, zone=UTC, explicit=found.explicit)
        if gated.verdict is GateVerdict.ALLOW and found.sign != "one-off":
            texts.append(gated.text)
    return texts


@pytest.mark.parametrize(
    ("turns", "kept"),
    [
        (("> Should the tide heights be floats or whole millimetres?", "the second one"),
         "The tide heights should be whole millimetres."),
        (("> Do you want a bell or a horn?", "the latter"), "Do you want a bell or a horn? A horn."),
        (("> Sails from the old loft, or from the yard in Vik?", "Vik. and only in winter"),
         "Sails from the old loft, or from the yard in Vik? Vik. Only in winter."),
        (("> At which rate are the tides stored?", "48. the other rate is left from the old gauge"),
         "At which rate are the tides stored? 48."),
        (("> The price stays the same?", "no, 65"), "The price stays the same? No, 65."),
        (("the ramp sensor sends garbage", "> It talks to bus 2. Which bus should it use?", "12"),
         "The ramp sensor sends garbage. Which bus should it use? 12."),
        (("our harbour needs a data sheet", "> In which format?", "A5 landscape, the rack holds nothing bigger"),
         "Our harbour needs a data sheet. In which format? A5 landscape, the rack holds nothing bigger."),
        (("> Is your gauge on another pier?", "ah right, mine is on pier 12"), "My gauge is on pier 12."),
        (("> Where should the logbooks go?", "/srv/quay/logbooks, but mind that the disk is wiped every Sunday"),
         "Where the logbooks should go: /srv/quay/logbooks, but mind that the disk is wiped every Sunday."),
        (("> Done, which projection would you like?", "UTM 33, as in our other charts"),
         "Which projection would you like? UTM 33, as in our other charts."),
        (("> Do you run a spare pump?", "we do, it's in shed 9, only needs diesel"),
         "Do you run a spare pump? We do, it's in shed 9, only needs diesel."),
        (("> Do you paint the buoys yourselves?", "never, the yard does that"),
         "Do you paint the buoys yourselves? Never, the yard does that."),
        (("> Should I drop the old ticket printer?", "not yet, the kiosks use it until 30 September 2027"),
         "Should I drop the old ticket printer? Not yet, the kiosks use it until 2027-09-30."),
    ],
)
def test_an_answer_stands_with_its_question(turns: tuple[str, ...], kept: str) -> None:
    assert kept in live(*turns)


@pytest.mark.parametrize(
    ("turns", "kept"),
    [
        (("who looks after the lamps in winter?", "> You have not told me.", "my cousin Brit does it"),
         "Who looks after the lamps in winter? My cousin Brit does it."),
        (("how much may the new rope cost", "> You would have to tell me.", "340 altogether, more is not in the till"),
         "How much may the new rope cost? 340 altogether, more is not in the till."),
        (("which of the two paints dries faster, Nerol or Basalin", "> Basalin.", "take Nerol, it smells less"), "Nerol"),
        (("should we keep the diesel pump or buy the Vento?", "> The Vento is cheaper to run.", "ok let's take the Vento then"),
         "Should we keep the diesel pump or buy the Vento? Let's take the Vento then."),
        (("how often should I grease the winch", "> Every two weeks.", "I do it on Mondays then"),
         "How often should I grease the winch? I do it on Mondays then."),
    ],
)
def test_what_the_person_asked_and_then_settled_stands_with_their_question(turns: tuple[str, ...], kept: str) -> None:
    assert any(kept in text for text in live(*turns))


@pytest.mark.parametrize(
    ("turns", "kept"),
    [
        (("what's the speed limit in the basin right now", "> 9 knots for all boats.", "make it 6, the swans are back"),
         "The speed limit in the basin: 6 knots for all boats."),
        (("how long are day tickets valid?", "> Day tickets are valid for 18 hours.", "24"),
         "Day tickets are valid for 24 hours."),
        (("and the night tickets?", "> Currently 7 hours.", "10"), "The night tickets: 10 hours."),
        (("how long do we keep the tide logs", "> 14 days by default.", "the insurer wants 400"),
         "How long do we keep the tide logs? 400 days by default."),
        (("the horn goes off all night", "> The limit is 70 cm for 2 minutes.", "90 for 15 minutes"),
         "The limit is 90 cm for 15 minutes."),
        (("> Your terms say 14 days. Should I change them?", "hm, yes, actually make it 30 days for everyone"),
         "The terms say 30 days."),
        (("the ramp can be lowered so far that it scrapes", "> I can set a minimum height.", "860 mm"),
         "The ramp can be lowered so far that it scrapes. Minimum height: 860 mm."),
        (("what depth do we assume at pier 3?", "> 4 metres.", "that can go down to 3"),
         "What depth do we assume at pier 3? 3 metres."),
    ],
)
def test_a_value_set_anew_is_told_with_what_it_is_the_value_of(turns: tuple[str, ...], kept: str) -> None:
    assert live(*turns) == [kept]


@pytest.mark.parametrize(
    ("turns", "kept"),
    [
        (("we have a rescue boat now", "> Good. What is it called?",
         "it is called Tern and only sails with two people, skipper is Odd"),
         "The rescue boat is called Tern and only sails with two people, skipper is Odd."),
        (("write a card for aunt Solveig, she turns 70", "> Here it is.", "she's fond of tulips"),
         "Solveig is fond of tulips."),
        (("Mika's swimming lesson is at 4 pm on Tuesdays in the old bath", "> Noted.", "his teacher is Ms Ferro"),
         "Mika's teacher is Ms Ferro."),
        (("draft a letter about the deposit", "> Here is the letter to the landlord.",
         "he's called Mr Quist and he reads only Danish"),
         "The landlord is called Mr Quist and he reads only Danish."),
        (("charts must not be edited. they're in /srv/charts and read only for a reason",),
         "Charts must not be edited. They're in /srv/charts and read only for a reason."),
        (("also the spare fuse box, it's in the boat house",), "The spare fuse box is in the boat house."),
        (("check the harbour crane while you're there. it's in shed 12 behind the ropes",),
         "The harbour crane is in shed 12 behind the ropes."),
        (("my insurer wants 95 lamps at most", "> Noted.", "she's called Rosa Lind, her office is in Vik"),
         "My insurer is called Rosa Lind, her office is in Vik."),
        (("Otto went to sea, my daughter Runa helps instead", "> Nice.", "she can only come on Sundays"),
         "Runa can only come on Sundays."),
    ],
)
def test_a_pronoun_is_told_with_the_name_it_stands_for(turns: tuple[str, ...], kept: str) -> None:
    assert kept in live(*turns)


@pytest.mark.parametrize(
    "turns",
    [
        ("Ada and Bea came by", "> Nice.", "she only works on Mondays"),
        ("look at the log of the pump", "> It is empty.", "it is called in the wrong place"),
        ("the painter came from Oslo", "> Good.", "she only works on Mondays"),
        ("she only works on Mondays",),
        ("open the sluice plan", "> Which sheet?", "I don't know yet"),
        ("> Shall I go on with the second part?", "the second one"),
        ("> Which one should I fix first?", "the first one"),
        ("what does the gauge show", "> 4 metres.", "ok thanks"),
        ("> What did you see on the screen?", "a red box"),
    ],
)
def test_where_it_is_not_plain_what_is_meant_nothing_is_made_of_it(turns: tuple[str, ...]) -> None:
    assert live(*turns) == []


def test_what_the_agent_proposed_counts_once_the_person_says_yes() -> None:
    proposed = "> The queue at the gate grows. I would limit the queue to 40 cars per ramp."
    assert live("why is the gate slow?", proposed, "yes, do that") == ["The queue is limited to 40 cars per ramp."]
    assert live("why is the gate slow?", proposed, "no, leave it") == []


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("bump the gauge firmware to 4.2", "The gauge firmware is bumped to 4.2."),
        ("raise the mooring fee to 35 euros from now on", "The mooring fee is raised to 35 euros from now on."),
        ("use the guest boat Alma, id 4410, she has every sensor we sell",
         "Use the guest boat Alma, id 4410, she has every sensor we sell."),
        ("send the tide mail on Fridays at 6, that's when skippers read it",
         "Send the tide mail on Fridays at 6, that's when skippers read it."),
        ("after the survey we go to 12 ... no sorry, 15 as depth limit", "After the survey we go to 15 as depth limit."),
        ("no, use rsync", "Use rsync here."),
        ("ok, Beluga it is then. no Orca", "Beluga it is then. No Orca."),
        ("night passes last 15 hours, the board decided that last week", "Night passes last 15 hours."),
        ("I hate those plastic fenders. take rope ones like in shed 4",
         "I hate those plastic fenders. Take rope ones like in shed 4."),
        ("not glossy red please!! teal.", "Not glossy red please!! teal."),
        ("why do you keep adding stickers? the hull says it already. leave them off unless the club asks",
         "Stop adding stickers. Leave them off unless the club asks."),
        ("labels go on the stern board, \"out\"", "Labels go on the stern board, \"out\"."),
        ("everything above 30 knots gets turned away, the insurer asked for that last time",
         "Everything above 30 knots gets turned away."),
        ("IT gave us a new disk, charts belong in /srv/charts from now on",
         "IT gave us a new disk, charts belong in /srv/charts from now on."),
        ("the depot moved: depot-2.ferry.example, the rest is unchanged",
         "The depot moved: depot-2.ferry.example, the rest is unchanged."),
        ("the club opens a new pier. we try Norvik", "The club opens a new pier. We try Norvik."),
        ("key moved, it's in the shed now, left of the door", "Key moved, it's in the shed now, left of the door."),
        ("the old pump broke. bought a new one, 50 l per minute", "The old pump broke. Bought a new one, 50 l per minute."),
        ("only page the skipper between 7 and 22", "Only page the skipper between 7 and 22."),
        ("Everything UTC, tide tables too", "Everything UTC, tide tables too."),
        ("we take hemp ropes instead of nylon, the crew likes them more",
         "We take hemp ropes instead of nylon, the crew likes them more."),
        ("If it storms, always moor at pier 9.", "If it storms, always moor at pier 9."),
    ],
)
def test_what_holds_is_heard_in_an_order_a_slip_and_a_complaint(said: str, kept: str) -> None:
    assert live(said) == [kept]


@pytest.mark.parametrize(
    "said",
    [
        "change the title to Harbour",
        "change the greeting to 'Ahoy'",
        "set x to 3 in the loop",
        "The skipper in Oslo sees an empty berth plan.",
        "set the margin to 8 pixels",
        "move it to 9:30",
        "use the second hook, it is shorter",
        "gauge: connection to pier 4 timed out: no answer",
        "I think the gauge could sit on pier 4",
        "I have 12 minutes left before the bus",
        "the pump ran for 6 hours and nothing came out",
        "maybe the gauge sits on pier 4",
    ],
)
def test_what_is_done_once_or_only_thought_leaves_nothing(said: str) -> None:
    assert live(said) == []
