"""Only a form that leaves no doubt makes a memory at once; all else waits to be said again, or is nothing."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hearing import heard, learned

from dreamd.core.values import ONE_OFF, EventKind
from dreamd.models.lasting_net import load_lasting

SAID: dict[str, list[str]] = tomllib.loads((Path(__file__).parent / "said.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("text", SAID["sure"])
def test_what_leaves_no_doubt_is_a_memory_at_once(text: str) -> None:
    assert 1 <= len(learned(text)) <= 2


@pytest.mark.model
def test_of_what_has_no_form_some_is_heard_and_hardly_any_of_what_is_of_the_moment(tmp_path: Path) -> None:
    lasts, done, never = load_lasting(tmp_path), "> Done. The pier page is as you said.", SAID["never"][::4]
    kept, false = ([text for text in some if learned(done, text, lasts=lasts)] for some in (SAID["lasting"], never))
    assert len(kept) >= len(SAID["lasting"]) / 6
    assert len(false) <= len(never) / 20, false


@pytest.mark.parametrize("text", SAID["perhaps"])
def test_a_weak_single_sighting_is_no_memory(text: str) -> None:
    assert learned(text) == []
    assert {one.sign for one in heard(text)} <= {ONE_OFF}


@pytest.mark.parametrize("text", SAID["never"])
def test_a_question_a_thought_an_order_for_now_or_a_report_is_no_memory(text: str) -> None:
    assert learned(text) == []


@pytest.mark.parametrize("text", SAID["pasted"])
def test_what_was_written_beforehand_is_no_memory(text: str) -> None:
    assert heard(text) == []


REVIEWER = ("You are a senior reviewer. You MUST read every file. NEVER suggest a change without a line number. Always answer"
            " in the table below, sorted by severity, and always keep the table under ten rows so that it can be read.\n\n")


@pytest.mark.parametrize(("text", "kept"), [
    (f"{REVIEWER}## Rules\n- Never praise.\n\n```\nlook at the tide view, and from now on never round the heights\n```", 1),
    (f"{REVIEWER}<user_request>from now on never round the tide heights</user_request>", 1),
    (f"{REVIEWER}## Rules\n- Never praise.\n- Always sort by severity.", 0),
    ("<role>You MUST always cite.</role>\n\n## Rules\n- Never praise.\n- List ten.\n\n## Task\n```\nreview it\n```", 0),
    ("# Plan: split the mailer\n\nThe mailer must always retry three times. We never send twice.\n\n1. Create queue.py", 0),
    ("this is what the other agent reported:\n\nYou should always add an index. We never sail on port 9.\n\nis that true?", 0),
    ("ruff says:\n\ntide.py:14:5: E722 never use bare except\n\nfix these please", 0),
    ("Write the summary:\n\n\"Describe the systems. Always name the trade-offs, and never leave out what was rejected by the"
     " committee.\"", 0),
    ("```\nnever use tabs\n```\n\nWe always indent with tabs in this project.", 1),
])
def test_a_message_is_unwrapped_before_it_is_read(text: str, kept: int) -> None:
    assert len(learned(text)) == kept


@pytest.mark.parametrize(("question", "answer", "kept"), [
    ("Which separator should the export use?", "Semicolon (Recommended)", "Which separator should the export use? Semicolon."),
    ("Which layout should the chart have?", "Two rows\" selected preview:\n+---+---+\n| a | b |",
     "Which layout should the chart have? Two rows."),
    ("Should failed bookings be retried?", "no, never twice", "Should failed bookings be retried? Never twice."),
])
def test_an_answer_is_kept_with_its_question_as_one(question: str, answer: str, kept: str) -> None:
    assert learned(answer, kind=EventKind.ANSWER, question=question) in ([kept], [kept.replace("? N", "? No, n")])


@pytest.mark.parametrize(("question", "answer"), [
    ("Which option do you prefer?", "B"), ("What should I do next?", "the tests"),
    ("Which task should we start with?", "Gate 7"),
    ("Want me to commit these?", "yes please"), ("How should I proceed?", "Fix it now"),
    ("Which colour should it be?", "you decide"),
    ("Can you reproduce it?", "not reliably"), ("Which of the two should I fix first?", "the pager"),
])
def test_an_answer_about_how_to_go_on_decides_nothing(question: str, answer: str) -> None:
    assert learned(answer, kind=EventKind.ANSWER, question=question) == []
    assert learned(f"> {question}", answer) == []


@pytest.mark.parametrize("text", [
    "Tenant 17 uses the EU region.", "The ferry runs every 20 minutes.",
    "Die Klasse 5b fährt nach Husum.", "Batch 9 was baked with rye."])
def test_what_is_plainly_stated_is_a_memory_once_it_is_said_again_in_the_same_talk(text: str) -> None:
    assert learned(text) == []
    assert learned(f"{text} {text}") == []
    assert learned(text, "> ok", "what about the pier", "> fine", text) == [text]


@pytest.mark.parametrize("text", ["the build is red", "it still fails", "commit this", "can you run the linter on src/app.py",
                                  "see src/app.py line 40", "which region does tenant 17 use"])
def test_what_is_of_the_moment_is_none_however_often_it_is_said(text: str) -> None:
    assert learned(text, "> ok", text, "> fine", text) == []


@pytest.mark.parametrize(("turns", "kept"), [
    (("the ramp is slow", "> I raised the timeout.", "No, don't raise timeouts to hide slowness. Find the query"),
     ["Don't raise timeouts to hide slowness."]),
    (("That's intentional.",), []),
    (("the tide job sleeps for an hour, fix it. always show the total, even when the list is empty",), []),
])
def test_a_memory_reads_alone(turns: tuple[str, ...], kept: list[str]) -> None:
    assert learned(*turns) in (kept, [text.replace(". Perfect, e", ". E") for text in kept])


def test_the_parts_of_a_rule_are_kept_as_parts() -> None:
    said = "From now on never print in this service.\nWhy: the log shipper drops it.\nHow to apply: use the ferry's logger."
    assert learned(said) == ["From now on never print in this service.\n\n**Why:** The log shipper drops it.\n\n"
                             "**How to apply:** Use the ferry's logger."]


def test_a_refusal_says_what_is_right() -> None:
    assert learned("rows without a pier must be rejected and written to rejects.csv", kind=EventKind.REFUSAL) == [
        "Rows without a pier must be rejected and written to rejects.csv."]
    assert learned("not now", kind=EventKind.REFUSAL) == []


def test_a_sentence_too_long_to_keep_whole_is_not_cut() -> None:
    assert learned("I prefer that bookings are tested " + "with a cabin that has a bed, " * 20) == []
