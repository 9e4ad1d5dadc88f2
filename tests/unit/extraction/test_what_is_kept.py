"""What people type is kept when it will hold tomorrow, and let go when it asks, muses, orders or points."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime

import pytest
from kept_and_let_go import KEPT, KEPT_UNSEEN, LET_GO, LET_GO_UNSEEN, PASTED

from dreamd.core.values import Event, EventKind, GateVerdict, Speaker, parse_scope
from dreamd.extraction import extract, gate
from dreamd.extraction.turns.answers import statement_of
from dreamd.extraction.utterance import LONGEST_SENTENCE

AT = datetime(2026, 7, 17, 12, tzinfo=UTC)


def learned(text: str, *, question: str = "") -> list[str]:
    """The live memories one message would make."""
    kind = EventKind.ANSWER if question else EventKind.PROMPT
    event = Event(Speaker.HUMAN, kind, text, AT, "talk-1", 0, 50, question=question)
    texts = []
    for found in extract([event], scope=parse_scope("project:ferry")).candidates:
        gated = gate(found.text, origin=found.origin, at=found.at, zone=UTC, explicit=found.explicit, sign=found.sign)
        if gated.verdict is GateVerdict.ALLOW and found.sign != "one-off":
            texts.append(gated.text)
    return texts


def rows(table: dict[str, tuple[str, ...]]) -> list[str]:
    return list(itertools.chain.from_iterable(table.values()))


@pytest.mark.parametrize("text", rows(KEPT))
def test_a_rule_a_preference_a_fact_a_choice_or_a_correction_is_kept(text: str) -> None:
    assert 1 <= len(learned(text)) <= 2


@pytest.mark.parametrize("text", rows(LET_GO))
def test_a_question_a_thought_an_order_a_fragment_or_a_pointer_is_let_go(text: str) -> None:
    assert learned(text) == []


@pytest.mark.parametrize("text", PASTED.values(), ids=PASTED)
def test_what_was_pasted_is_let_go(text: str) -> None:
    assert learned(text) == []


def test_the_rules_carry_to_sentences_they_were_not_made_with() -> None:
    kept = [text for text in rows(KEPT_UNSEEN) if learned(text)]
    let_go = [text for text in rows(LET_GO_UNSEEN) if not learned(text)]
    assert len(kept) >= 0.85 * len(rows(KEPT_UNSEEN))
    assert len(let_go) >= 0.95 * len(rows(LET_GO_UNSEEN))


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("why do you keep using npm?", "Stop using npm."),
        ("Why are you still adding docstrings to the tests?", "Stop adding docstrings to the tests."),
        ("How often do I have to tell you not to touch the lock file?", "Do not touch the lock file."),
        ("didn't I tell you to use the shared logger?", "Use the shared logger."),
        ("Warum benutzt du immer noch npm?", "Nicht npm verwenden."),
        ("¿Por qué sigues usando npm?", "No sigas usando npm."),
    ],
)
def test_a_complaint_about_a_habit_becomes_the_rule_it_means(said: str, kept: str) -> None:
    assert learned(said) == [kept]


@pytest.mark.parametrize("said", ["why do you keep doing that?", "you keep using it", "I told you to stop"])
def test_a_complaint_that_names_nothing_is_let_go(said: str) -> None:
    assert learned(said) == []


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("You don't need to do that, you have a local copy at ../harbour-tap", "You have a local copy at ../harbour-tap."),
        ("That's wrong, the timeout is 30 seconds by design", "The timeout is 30 seconds by design."),
        ("ok the account id is 4711-0815-22 - you should update this in the settings", "The account id is 4711-0815-22."),
        ("for #3, exports are always written in UTC", "Exports are always written in UTC."),
        ("No emojis in commit messages, ever.", "No emojis in commit messages, ever."),
        ("fyi: the vault is always locked at night", "The vault is always locked at night."),
    ],
)
def test_only_what_stands_by_itself_is_kept_of_a_sentence(said: str, kept: str) -> None:
    assert learned(said) == [kept]


def test_what_a_this_speaks_of_is_kept_with_it() -> None:
    said = "The pilot feed writes one line a second to the log. This must never happen, it should be one line a minute."
    assert learned(said) == [said]


def test_a_this_with_nothing_before_it_is_let_go() -> None:
    assert learned("This must never be red, it should always be blue.") == []


def test_a_long_statement_ends_with_a_clause() -> None:
    said = "I prefer that bookings are tested with several guests, " + ", ".join(
        f"with a cabin that has {n} beds" for n in range(3, 30)
    )
    (kept,) = learned(said)
    assert len(kept) <= LONGEST_SENTENCE and kept.endswith(" beds.") and kept[:-1] in said


@pytest.mark.parametrize(
    ("question", "answer", "told"),
    [
        ("What should happen when the pilot is late?", "Redirect to the pier", "When the pilot is late: redirect to the pier."),
        ("Which database should we use for the logs?", "Postgres", "Database to use for the logs: Postgres."),
        ("Where should exports be stored?", "/srv/exports", "Where exports should be stored: /srv/exports."),
        ("Should failed bookings be retried?", "yes", "Failed bookings should be retried."),
        ("Should failed bookings be retried?", "no, never twice", "Failed bookings should not be retried, never twice."),
        ("What is the default branch?", "develop", "The default branch is develop."),
        ("How should we name the branches?", "feature/<ticket>", "How to name the branches: feature/<ticket>."),
    ],
)
def test_an_answer_and_its_question_become_one_statement(question: str, answer: str, told: str) -> None:
    assert learned(answer, question=question) == [told]


def test_an_answer_to_a_question_of_another_form_keeps_both_as_they_stand() -> None:
    assert statement_of("Do you want tabs or spaces?", "Tabs.") == "Do you want tabs or spaces? Tabs."


def test_items_of_a_list_are_heard_one_by_one() -> None:
    said = (
        "Please add an export of the bookings. A few things to know:\n\n"
        "- we never show internal ids in exports, use the public reference instead\n"
        "- money is stored in cents\n"
        "- Rosa reviews everything that touches bookings\n\nStart with a short plan. Thanks!"
    )
    assert learned(said) == [
        "We never show internal ids in exports, use the public reference instead.",
        "Money is stored in cents.",
        "Rosa reviews everything that touches bookings.",
    ]


def test_a_list_of_things_to_do_says_nothing_lasting() -> None:
    assert learned("1. make the button blue\n2. move the form\n3. always show the total\n4. remove old code") == []


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("no no no. we talked about this yesterday: exports go to the bucket harbour-out, not to the local disk!",
         "Exports go to the bucket harbour-out, not to the local disk!"),
        ("ok great. commit that. and remember for next time that versions are bumped with `make release`, never by hand.",
         "Versions are bumped with `make release`, never by hand."),
        ("it fails. I think the problem is the writer. By the way, the CSV tests need the zone UTC, otherwise they fail.",
         "The CSV tests need the zone UTC, otherwise they fail."),
        ("Here's the mail:\n\nDear team,\nplease always send a PDF, never a link.\nKind regards,\nOtto\n\nDraft an answer?",
         ""),
    ],
)
def test_one_lasting_sentence_is_found_among_work_and_talk(said: str, kept: str) -> None:
    assert learned(said) == ([kept] if kept else [])
