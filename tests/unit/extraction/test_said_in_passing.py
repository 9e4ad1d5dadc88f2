"""What a person said and no candidate carries is kept as it was said; chatter, orders and withdrawn words are not."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from dreamd.core.values import IN_PASSING, Candidate, Event, EventKind, Observation, Origin, Speaker, parse_scope
from dreamd.extraction import ConversationState, Stretch, extract, find_passages, settings_of

AT = datetime(2026, 7, 17, 12, tzinfo=UTC)
FERRY = parse_scope("project:ferry")


def prompt(text: str, n: int = 0, question: str = "") -> Event:
    return Event(Speaker.HUMAN, EventKind.PROMPT, text, AT + n * timedelta(minutes=3), "talk-1", n * 50, n * 50 + 49,
                 question=question)


def passages(*events: Event, earlier: tuple[Observation, ...] = ()) -> list[Candidate]:
    carried = extract(events, scope=FERRY).candidates
    return find_passages(events, carried, Stretch(FERRY, UTC, earlier=earlier))


def texts(*events: Event) -> list[str]:
    return [one.text for one in passages(*events)]


def test_a_remark_that_sounds_like_work_at_hand_is_kept_as_it_was_said() -> None:
    (one,) = passages(prompt("I rewired the pier lamps of Hafen Nord to 24 volts on the west side"))
    assert one.text == "I rewired the pier lamps of Hafen Nord to 24 volts on the west side."
    assert (one.sign, one.explicit, one.origin) == (IN_PASSING, False, Origin.USER)


def test_what_a_candidate_carries_is_no_passage() -> None:
    said = prompt("always moor the ferry at pier 4")
    assert extract([said], scope=FERRY).candidates
    assert passages(said) == []


@pytest.mark.parametrize("text", [
    "thanks, that's good", "ok", "commit that", "why is the build red?",
    "what does the tide table in gate 7 do?", "imagine we had a second ferry with 300 seats",
    "translate this: our crew of 12 always eats at noon",
])
def test_thanks_questions_and_what_is_only_imagined_are_nothing_to_find(text: str) -> None:
    assert texts(prompt(text)) == []


def test_what_was_pasted_or_printed_is_not_what_a_person_said() -> None:
    assert texts(prompt("```\nthe mole is 412 metres long\n```")) == []
    printed = "Traceback (most recent call last):\n  File \"tide.py\", line 3, in <module>\nValueError: pier 9"
    assert texts(prompt(printed)) == []


def test_a_short_answer_stands_with_its_question_and_a_nod_is_none() -> None:
    asked = "The lock is new. Which colour should the lock of gate 9 get?"
    assert texts(prompt("signal orange 2010", question=asked)) in (
        [], ["Which colour should the lock of gate 9 get? signal orange 2010."],
        ["Which colour should the lock of gate 9 get? Signal orange 2010."])
    assert texts(prompt("signal orange 2010")) != []
    assert texts(prompt("yes", question="Shall I paint it?")) == []


def test_words_taken_back_a_moment_later_are_not_found_again() -> None:
    first = prompt("I rewired the pier lamps of Hafen Nord to 24 volts on the west side")
    assert not any("24" in text for text in texts(first, prompt("sorry, I meant 48 volts", 1)))
    assert not any("24" in text for text in texts(first, prompt("scratch that", 1)))


def test_words_of_an_earlier_reading_that_are_put_right_are_named_as_replaced() -> None:
    (said,) = passages(prompt("I rewired the pier lamps of Hafen Nord to 24 volts on the west side"))
    kept = Observation("abc123", 1, said.text, said.origin, said.at, said.scope, said.conversation, sign=IN_PASSING)
    events = (prompt("sorry, I meant 48 volts", 1),)
    found = find_passages(events, extract(events, scope=FERRY).candidates, Stretch(FERRY, UTC, earlier=(kept,)))
    assert [one.target for one in found] == ["said:abc123"]
    assert "48 volts" in found[0].text


def test_secrets_are_masked_before_anything_is_kept() -> None:
    secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
    found = texts(prompt(f"the old token of the harbour robot was {secret} in the beginning of spring"))
    assert all(secret not in text for text in found)


def test_what_is_said_in_a_turn_the_agent_wrote_down_itself_is_left_to_its_note() -> None:
    wrote = Event(Speaker.AGENT, EventKind.MEMORY_WRITE, "noted", AT, "talk-1", 60, 70)
    assert texts(prompt("I rewired the pier lamps of Hafen Nord to 24 volts on the west side"), wrote) == []


def test_other_languages_are_kept_too() -> None:
    assert texts(prompt("die Lampen am Pier Nord hängen seit Juni an 24 Volt")) != []
    assert texts(prompt("北码头的灯从六月起用24伏电源供电")) != []


def test_what_was_said_a_moment_before_is_not_kept_again_with_what_goes_on_from_it() -> None:
    remark, short = "the crane log files got really fat over the summer", "weekly rotation with Zonk then"
    assert texts(prompt(remark), prompt(short, 1)) == [
        "The crane log files got really fat over the summer.", "Weekly rotation with Zonk then."]


@pytest.mark.parametrize(("said", "kept"), [
    ("we painted the pier lamps of gate 9 green. the fog horn of Hafen Nord got two more bells",
     ["We painted the pier lamps of gate 9 green.", "The fog horn of Hafen Nord got two more bells."]),
    ("the fog horn of Hafen Nord got two more bells. they sound like cows",
     ["The fog horn of Hafen Nord got two more bells. They sound like cows."]),
    ("16 bells. the fog horn of Hafen Nord got loud", ["16 bells. The fog horn of Hafen Nord got loud."]),
])
def test_each_sentence_is_kept_by_itself_unless_it_says_little_or_speaks_of_the_one_before_it(
        said: str, kept: list[str]) -> None:
    assert texts(prompt(said)) == kept


@pytest.mark.parametrize("question", [
    "the harbour report of pier 9 is due when", "whats a bilge alarm again", "womit schreiben wir die Hafenbriefe nochmal",
])
def test_a_question_without_its_mark_is_nothing_to_find(question: str) -> None:
    assert texts(prompt(question)) == []
    assert texts(prompt(f"{question}. the fog horn of Hafen Nord got two more bells")) == [
        "The fog horn of Hafen Nord got two more bells."]


@pytest.mark.parametrize("order", ["please have a look at the tests of pier 9", "I think we might try a warmer blue",
                                   "drop empty berths",
                                   "drop empty berths, dont fill them in",
                                   "label the boxes in danish because nobody else can",
                                   "tear the old planks out, the whole deck stays oak wood",
                                   "label the boxes in danish please, I'm the only one who reads them"])
def test_whatever_a_person_says_can_be_found(order: str) -> None:
    assert any(order[8:17] in one for one in texts(prompt(order)))


def test_what_waits_to_be_said_again_is_found_until_then() -> None:
    said = prompt("test.ferry.example, the login is in the brown notebook")
    assert [one.sign for one in extract([said], scope=FERRY).candidates] == ["one-off"]
    assert texts(said) == ["test.ferry.example, the login is in the brown notebook."]


def test_what_a_candidate_takes_from_a_message_does_not_cost_it_the_rest() -> None:
    said = prompt("we no longer use crane 7, the lease is over. its place takes eu-brenta")
    assert [one.text for one in extract([said], scope=FERRY).candidates] == ["We no longer use crane 7, the lease is over."]
    assert texts(said) == ["We no longer use crane 7, the lease is over. Its place takes eu-brenta."]


def answered(asked: str, told: str, said: str) -> list[tuple[str, Origin]]:
    """What is kept of a message after a question of the person and the agent's answer."""
    closing = told.rsplit(". ", 1)[-1]
    events = (prompt(asked), Event(Speaker.AGENT, EventKind.PROSE, told, AT, "talk-1", 20, 30),
              prompt(said, 1, question=closing if closing.endswith("?") else ""))
    settings, _ = settings_of(events, ConversationState())
    carried = extract(events, scope=FERRY).candidates
    return [(one.text, one.origin) for one in find_passages(events, carried, Stretch(FERRY, UTC, settings=settings))]


@pytest.mark.parametrize(("asked", "told", "said"), [
    ("which harbour office handles our berth?", "In the contract it is the office in Husum.", "right, thanks"),
    ("welches Amt ist für uns zuständig?", "Im Vertrag steht das Amt in Husum.", "danke"),
    ("what is missing in the file?", "The lamp needs the profile Pier 24. Shall I add it?", "yes"),
])
def test_what_the_agent_answers_with_a_value_and_the_person_agrees_to_is_kept_as_the_agents_word(
        asked: str, told: str, said: str) -> None:
    assert (told.split(". Shall")[0].rstrip(".") + ".", Origin.AGENT) in answered(asked, told, said)


@pytest.mark.parametrize(("asked", "told", "said"), [
    ("which harbour office handles our berth?", "In the contract it is the office in Husum.", "no, that's wrong"),
    ("which harbour office handles our berth?", "In the contract it is the office in Husum.", "now fix the tests"),
    ("paint the lamps", "In the contract it is the office in Husum.", "right, thanks"),
    ("which lamp is it?", "I painted the lamp of Pier 9.", "right, thanks"),
    ("paint the lamps", "The tin of Pier 9 could be empty.", "ok"),
    ("paint the lamps", "The tin of Pier 9 is empty.", "that is bad"),
])
def test_what_nobody_asked_for_or_agreed_to_and_what_the_agent_did_is_not_kept(asked: str, told: str, said: str) -> None:
    assert all(origin is Origin.USER for _, origin in answered(asked, told, said))


@pytest.mark.parametrize(("asked", "told", "said", "kept"), [
    ("the horn fails", "There is no copy of the chart. I could save it every night to //cellar/charts.", "do that 👍",
     "I could save it every night to //cellar/charts."),
    ("the varnish peels", "An oil with hardener is tougher, for example Tonga Marine.", "take that, for every boat",
     "An oil with hardener is tougher, for example Tonga Marine."),
    ("draw the pier map", "The map is drawn. Width 85 mm for one column?", "y", "Width 85 mm for one column? Y."),
    ("qué canal pongo en el cartel?", "En la licencia pone canal 74.", "ese", "En la licencia pone canal 74."),
    ("the horn is too loud", "The horn has 120 decibels. 85 would be plenty.", "ok make it that", "85 would be plenty."),
    ("the port rejects our papers", "For single crates they only take form Kappa.", "dann eben das, bitte alles umschreiben",
     "For single crates they only take form Kappa."),
    ("hm", "I would choose the mole of Husum.", "ok, convinced. we do this", "I would choose the mole of Husum."),
    ("der Lack blättert", "Üblich ist Hartöl von Tonga.", "dann das, für alle Boote", "Üblich ist Hartöl von Tonga."),
])
def test_what_the_agent_proposed_and_the_person_took_up_is_kept_as_the_agents_word(
        asked: str, told: str, said: str, kept: str) -> None:
    assert (kept, Origin.AGENT) in answered(asked, told, said)


@pytest.mark.parametrize("said", ["first, the crew knows it", "first one, the crew knows it", "the first"])
def test_a_choice_by_a_bare_number_stands_with_the_things_to_choose_from(said: str) -> None:
    kept = answered("where do we moor", "Gate 7 or the old mole would fit.", said)
    assert any(text.startswith("Gate 7 or the old mole would fit. ") for text, _ in kept)


def test_a_choice_by_its_place_stands_with_the_things_to_choose_from() -> None:
    told = "I could name them pier-date-number or date-pier-number. Which one?"
    kept = answered("rename the 300 scans", told, "the latter please")
    assert ("I could name them pier-date-number or date-pier-number. The latter please.", Origin.USER) in kept


@pytest.mark.parametrize("text", [
    "psql: FATAL: no entry for host 10.20.4.17 in the list", "the app stops with: Invariant Violation: pier 9 was not found",
])
def test_what_a_program_prints_when_it_fails_is_nothing_to_find(text: str) -> None:
    assert texts(prompt(text)) == []


def test_every_answer_to_several_questions_at_once_is_found_with_its_own_question() -> None:
    asked = {"What happens at low tide?": "The ferry waits at the outer pier", "Can you make the horn fail?":
             "Honestly I have not heard the horn fail in weeks. Note it in the log book and we look into the matter in spring."}
    events = [Event(Speaker.HUMAN, EventKind.ANSWER, said, AT, "talk-1", 50, 99, question=question)
              for question, said in asked.items()]
    settings, _ = settings_of(events, ConversationState())
    found = " ".join(one.text for one in find_passages(events, (), Stretch(FERRY, UTC, settings=settings)))
    assert "outer pier" in found and "log book" in found
    assert "Can you make the horn fail? Honestly I have not heard the horn fail in weeks." in found


def test_what_a_person_says_below_code_they_show_is_theirs_again_and_a_report_below_its_heading_is_not() -> None:
    shown = "let's talk about these:\n\n// bells of the pier\nconst (\n    bellStart = \"bell_start\"\n)\n\n"
    own = "It's odd. I don't see who reads the bell marks of pier 9. Let's drop the marks."
    assert "Let's drop the marks." in " ".join(texts(prompt(shown + own)))
    report = "the reviewer says:\n\nconst (\n    bell = \"b\"\n)\n\nThe test of pier 9 covers only high tide."
    assert not any("high tide" in one for one in texts(prompt(report)))


def test_an_error_that_an_agents_service_printed_is_not_taken_up_with_the_word_to_go_on() -> None:
    failed = 'API Error: 500 {"type":"error","error":{"type":"api_error","message":"Internal server error"}}'
    told = [Event(Speaker.AGENT, EventKind.PROSE, failed, AT, "talk-1", 0, 49), prompt("proceed", 1)]
    settings, _ = settings_of(told, ConversationState())
    assert find_passages(told, (), Stretch(FERRY, UTC, settings=settings)) == []
