"""A person who sets right what they just said: the wrong word does not stay, whatever becomes of the new one."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from dreamd.core.values import Event, EventKind, GateVerdict, Speaker, parse_scope
from dreamd.extraction import Extraction, extract, gate
from dreamd.extraction.revisions import put_right, revision_of

AT = datetime(2026, 7, 17, 12, tzinfo=UTC)


def heard(*said: str, apart: timedelta = timedelta(minutes=3)) -> Extraction:
    events = [
        Event(Speaker.HUMAN, EventKind.PROMPT, text, AT + n * apart, "talk-1", n * 50, n * 50 + 49)
        for n, text in enumerate(said)
    ]
    return extract(events, scope=parse_scope("project:ferry"))


def live(found: Extraction) -> list[str]:
    gated = [gate(c.text, origin=c.origin, at=c.at, zone=UTC, explicit=c.explicit)
             for c in found.candidates if c.sign != "one-off"]
    return [g.text for g in gated if g.verdict is GateVerdict.ALLOW]


@pytest.mark.parametrize(
    ("first", "second", "kept"),
    [
        ("always use port 8801 for the tide feed", "sorry, I meant 8810", "Always use port 8810 for the tide feed."),
        ("we always sail from quay/north", "no wait, 7 pm", ""),
        ("always store the tickets under out/tickets", "no wait, always store them under var/tickets",
         "Always store the tickets under var/tickets."),
        ("remember that bookings are kept for 30 days on the harbour disk", "oops, 60 days",
         "Bookings are kept for 60 days on the harbour disk."),
        ("always use npm in the booking app", "I meant pnpm, not npm", "Always use pnpm in the booking app."),
        ("from now on answer in French", "that was a joke, keep answering in German", "From now on answer in German."),
        ("remember that a berth costs 240 euros in summer and 170 in spring", "sorry, I meant 175 in spring",
         "A berth costs 240 euros in summer and 175 in spring."),
        ("nets go on the blue hook from now on", "no wait, on the silver hook, the blue one is for ropes",
         "Nets go on the silver hook from now on."),
        ("remember: our emergency number is 0676 4410 22, it hangs on every pier",
         "wait, that's the old one. it's 0676 4410 29",
         "Our emergency number is 0676 4410 29, it hangs on every pier."),
        ("remember that the harbour url is hbr.ferry.example", "oops, the harbour url is harbour.ferry.example",
         "The harbour url is harbour.ferry.example."),
        ("we always use pnpm in this repo", "Scratch that. We always use bun.", "We always use bun."),
        ("Die Fahrpläne immer 30 Tage aufheben", "Entschuldigung, ich meinte 60", "Die Fahrpläne immer 60 Tage aufheben."),
        ("usamos siempre el puerto 8801 para las mareas", "perdón, quise decir 8810",
         "Usamos siempre el puerto 8810 para las mareas."),
        ("Utilise toujours le port 8801 pour les marées", "pardon, je voulais dire 8810",
         "Utilise toujours le port 8810 pour les marées."),
    ],
)
def test_a_value_set_right_stands_in_the_place_of_the_wrong_one(first: str, second: str, kept: str) -> None:
    found = heard(first, second)
    assert live(found) == ([kept] if kept else live(heard(first)))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("please always use semicolons in the scripts", "actually never mind the semicolons, the formatter does that"),
        ("always squash before the merge of a pier", "forget what I said about squashing"),
        ("always paint the cabins in blue first", "that was a joke"),
        ("always paint the cabins in blue first", "never mind"),
        ("always paint the cabins in blue first", "I take that back"),
        ("always paint the cabins in blue first", "just kidding, do as you like"),
        ("remember that tickets are kept for 30 days, bookings for 90 days.", "sorry, I meant 60"),
        ("Schreib die Commits immer auf Dänisch", "war nur ein Scherz"),
        ("siempre pinta las cabinas de azul antes de salir", "olvida lo que he dicho"),
        ("peins toujours les cabines en bleu avant de partir", "c'était une blague"),
        ("always paint the cabins in blue first", "no wait, I changed my mind"),
    ],
)
def test_what_is_taken_back_is_gone_and_counted(first: str, second: str) -> None:
    assert len(live(heard(first))) == 1
    found = heard(first, second)
    assert live(found) == []
    assert found.skips["taken-back"] == 1


@pytest.mark.parametrize(
    "second",
    [
        "wait, why is the pier test red?",
        "sorry, the harbour page is slow again",
        "thanks, that works",
        "never mind the warning about the fonts",
        "forget about the tooltip for now",
    ],
)
def test_words_about_something_else_take_nothing_back(second: str) -> None:
    first = "always paint the cabins in blue first"
    assert live(heard(first, second)) == live(heard(first)) != []


def test_a_second_thought_about_work_in_between_leaves_the_rule_alone() -> None:
    first = "always paint the cabins in blue first"
    assert live(heard(first, "now fix the login of the pier page", "scratch that")) == live(heard(first))


def test_a_second_thought_about_a_remark_in_between_leaves_a_rule_with_a_value_of_the_same_kind_alone() -> None:
    rule, thought = "always moor the ferry at pier 4", "sorry, I meant 48 volts"
    remark = "I rewired the lamps to 24 volts on the west side"
    assert live(heard(rule, remark, thought)) == live(heard(rule)) != []
    assert live(heard("always rewire the lamps to 24 volts", thought)) == ["Always rewire the lamps to 48 volts."]


def test_a_second_thought_hours_later_is_no_slip_of_the_tongue() -> None:
    found = heard("always use port 8801 for the tide feed", "sorry, I meant 8810", apart=timedelta(hours=3))
    assert live(found) == ["Always use port 8801 for the tide feed."]


def test_thanks_in_between_do_not_matter() -> None:
    found = heard("always use port 8801 for the tide feed", "great", "sorry, I meant 8810")
    assert live(found) == ["Always use port 8810 for the tide feed."]


def test_what_was_taken_back_may_be_said_again() -> None:
    rule = "always paint the cabins in blue first"
    assert live(heard(rule, "scratch that", rule)) == live(heard(rule))


def test_the_opener_of_a_second_thought_is_not_kept() -> None:
    assert live(heard("Wait, we never use singletons in the booking code.")) == ["We never use singletons in the booking code."]


def test_a_value_is_put_right_only_where_one_of_its_kind_stands() -> None:
    assert put_right("Tickets cost 30, cabins 90.", "60") is None
    assert put_right("The ferry sails on Mondays.", "60") is None
    assert put_right("The ferry sails at 14:00 from pier 7.", "15:30") == "The ferry sails at 15:30 from pier 7."


def test_a_plain_sentence_is_no_second_thought() -> None:
    assert revision_of("The correction of the tide is stored in metres.") is None
    assert revision_of("I mean it: never push to main.") is None


def test_the_word_that_is_named_is_put_right_and_not_the_last_one() -> None:
    found = heard("remember that a berth costs 240 euros in summer and 170 in spring",
                  "remember: our dinghies are 40 euros cheaper",
                  "sorry, I meant 175 in spring for the berth")
    assert sorted(live(found)) == [
        "A berth costs 240 euros in summer and 175 in spring.", "Our dinghies are 40 euros cheaper."]
