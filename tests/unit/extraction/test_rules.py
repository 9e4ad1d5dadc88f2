"""What people type becomes candidates; pastes, templates, orders and yeses do not."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from dreamd.core.values import Candidate, Event, EventKind, Origin, Speaker, parse_scope
from dreamd.extraction import Extraction, extract
from dreamd.models.lasting_net import Lasting

SCOPE = parse_scope("project:ferry")
AT = datetime(2026, 7, 17, 12, tzinfo=UTC)


def said(
    text: str,
    *,
    kind: EventKind = EventKind.PROMPT,
    question: str = "",
    speaker: Speaker = Speaker.HUMAN,
    minute: int = 0,
) -> Event:
    return Event(
        speaker,
        kind,
        text,
        AT + timedelta(minutes=minute),
        "talk-1",
        minute * 100,
        minute * 100 + 50,
        question=question,
    )


def agent(text: str, *, kind: EventKind = EventKind.PROSE, minute: int = 0) -> Event:
    return said(text, kind=kind, speaker=Speaker.AGENT, minute=minute)


def heard(*events: Event) -> Extraction:
    return extract(events, scope=SCOPE, source_id="src")


def durable(*events: Event) -> list[Candidate]:
    return [c for c in heard(*events).candidates if c.sign != "one-off"]


@pytest.mark.parametrize(
    "text",
    [
        "Remember that the dye vats are cleaned on Fridays only.",
        "From now on use metric units in every report.",
        "I prefer tables over long paragraphs.",
        "Never touch the pattern archive without asking.",
        "We no longer support the serial cranes.",
        "The staging database must not hold real customer names, because auditors read it.",
        "Merk dir: die Kräne laufen immer mit Protokoll 4.",
        "Ich bevorzuge kurze Antworten ohne Tabellen.",
        "Ab jetzt immer zuerst die Tests schreiben.",
        "Recuerda que los informes siempre van en euros.",
        "A partir de ahora usa siempre unidades métricas.",
        "Prefiero respuestas cortas en español.",
        "Souviens-toi que les rapports sont toujours en euros.",
        "Je préfère les réponses courtes sans tableaux.",
        "Lembre-se de que os relatórios sempre usam euros.",
        "Prefiro respostas curtas e sem tabelas.",
        "记住：报表总是使用公制单位。",
        "从现在起所有接口都必须有测试。",
        "レポートは必ずメートル法を使うことを覚えておいて。",
        "もうシリアル接続は使っていません。今後は必ずOPC UAです。",
        "기억해: 보고서는 항상 미터법을 사용합니다.",
        "앞으로는 절대 main에 바로 푸시하지 마세요.",
    ],
)
def test_a_strong_sign_makes_a_candidate(text: str) -> None:
    found = durable(said(text))
    assert len(found) >= 1
    assert all(c.origin is Origin.USER and not c.explicit and c.sign and c.conversation == "talk-1" for c in found)


@pytest.mark.parametrize(
    "text",
    [
        "commit this",
        "commit",
        "go on",
        "yes please",
        "can you check why the build fails?",
        "Open the report of the last run.",
        "the page remains blank when I open it",
        "Fix the typo in line 12.",
        "I ran it again and it still crashes.",
        "what does the second flag do?",
        "Let's look at the next comment.",
        "I just pushed the branch.",
        "hmm, looks like the button is not rendered",
        "thanks, that works now!",
        "Remove the print button from the toolbar.",
        "Are you sure?",
        "Rename the helper in this file.",
        "run it",
    ],
)
def test_a_piece_of_work_makes_none(text: str) -> None:
    assert durable(said(text)) == []


def test_the_words_of_a_refused_tool_call_count() -> None:
    found = durable(said("we never use npm here, take pnpm", kind=EventKind.REFUSAL))
    assert [c.sign for c in found] == ["standing"]
    assert "pnpm" in found[0].text


def test_a_short_answer_carries_its_question() -> None:
    found = durable(
        said(
            "Send the guest to the desk", kind=EventKind.ANSWER, question="What is the rule when a badge has expired?"
        )
    )
    assert [c.text for c in found] == ["What is the rule when a badge has expired? Send the guest to the desk."]


@pytest.mark.parametrize("answer", ["yes", "yup", "ok, go ahead", "b)", "proceed"])
def test_a_yes_to_an_offer_of_work_is_no_belief(answer: str) -> None:
    assert heard(said(answer, question="Shall I build the fix now?")).candidates == ()


def test_a_template_with_rules_in_it_is_not_speech() -> None:
    template = (
        "## Task\n\nYou MUST always answer in JSON.\n\n## Rules\n\n- NEVER write files\n- ALWAYS cite\n\n"
        "## Output\n\nOne object.\n\n## End\n\nAlways stop."
    )
    assert heard(said(template)).candidates == ()


@pytest.mark.parametrize(
    ("said_so", "kept"),
    [
        ("Please remember that the vats are cleaned on Fridays only.", "The vats are cleaned on Fridays only."),
        ("Note: exports never run on Sundays.", "Exports never run on Sundays."),
        ("记住：报表总是使用公制单位。", "报表总是使用公制单位。"),
        ("Merk dir: die Kräne laufen immer mit Protokoll 4.", "Die Kräne laufen immer mit Protokoll 4."),
        ("ok, please always ask before removing a route", "Always ask before removing a route."),
    ],
)
def test_the_words_that_only_address_somebody_go(said_so: str, kept: str) -> None:
    assert [c.text for c in durable(said(said_so))] == [kept]


def test_what_stands_in_a_fenced_block_is_not_speech() -> None:
    found = durable(
        said(
            "Here is what the linter says:\n\n```\nnever use tabs, always use spaces\n```\n\n"
            "We always indent with tabs in this project."
        )
    )
    assert [c.text for c in found] == ["We always indent with tabs in this project."]


def test_a_pasted_log_or_review_is_not_speech() -> None:
    review = (
        "A review comment:\n\nThe parser should never return null. "
        "Consider using an option type instead of null, because callers forget."
    )
    log = "2026-07-17 10:00:01 ERROR must never happen\n2026-07-17 10:00:02 ERROR always retry"
    assert durable(said(review)) == [] and durable(said(log)) == []


def test_only_the_durable_sentence_of_a_long_prompt_is_kept() -> None:
    text = (
        "Please fix the pager in the tide view, it jumps back. I tried it twice. "
        "Dates in the tide view are always shown as week numbers. "
        "Then run the tests and show me the result."
    )
    assert [c.text for c in durable(said(text))] == ["Dates in the tide view are always shown as week numbers."]


def test_what_an_agent_wrote_down_itself_is_not_extracted_again() -> None:
    write = Event(Speaker.AGENT, EventKind.MEMORY_WRITE, "", AT, "talk-1", 60, 70)
    heard_once = heard(
        said("Never touch the pattern archive without asking."),
        write,
        said("I prefer tables over long paragraphs.", minute=1),
    )
    assert [c.text for c in heard_once.candidates] == ["I prefer tables over long paragraphs."]
    assert heard_once.skips["agent-wrote-memory"] == 1


def test_injected_text_tools_and_summaries_are_never_learned() -> None:
    rule = "Never touch the pattern archive without asking."
    events = [
        said(rule, speaker=Speaker.INJECTED),
        said(rule, kind=EventKind.RESULT, speaker=Speaker.TOOL),
        agent(rule, kind=EventKind.SUMMARY),
        agent(rule),
    ]
    assert heard(*events).candidates == ()


def test_another_value_is_another_statement_and_the_same_words_are_one() -> None:
    found = durable(
        said("Always keep the crane log for 3 days on disk."),
        said("Always keep the crane log for 5 days on disk.", minute=2),
        said("always keep the crane log for 5 days on disk", minute=3),
    )
    assert [c.text for c in found] == ["Always keep the crane log for 3 days on disk.",
                                       "Always keep the crane log for 5 days on disk."]


def test_the_same_words_again_are_no_second_statement() -> None:
    first = heard(said("I prefer tables over long paragraphs."))
    again = extract([said("I prefer tables over long paragraphs.", minute=3)], state=first.state, scope=SCOPE)
    assert again.candidates == () and again.skips["said-before"] == 1


@pytest.mark.parametrize(
    "text",
    [
        "update the changelog",
        "run the checks and the tests",
        "don't touch generated files",
        "ask me before you start",
    ],
)
def test_a_short_order_about_the_way_of_working_waits_for_its_return(text: str) -> None:
    found = heard(said(text)).candidates
    assert [c.sign for c in found] == ["one-off"] and not found[0].explicit


@pytest.mark.parametrize("text", ["commit this", "commit", "push it", "Commit!"])
def test_an_order_that_never_generalises_is_not_even_kept(text: str) -> None:
    assert heard(said(text)).candidates == ()


def test_everything_that_was_passed_over_is_counted() -> None:
    answer = heard(
        said("thanks!"), said("x", speaker=Speaker.INJECTED), said("Open the last report."), said("> quoted only")
    )
    assert answer.skips == {"acknowledgement": 1, "not-a-person": 1, "no-sign": 1, "paste": 1}


def test_what_only_looks_like_a_rule_is_none_once_it_is_read_and_a_wish_to_remember_is_not_asked_about():
    talk = [agent("Shall I change it?"), said("We never deploy on Fridays here.", minute=1)]
    wish = [agent("Shall I change it?"), said("Remember that the dye vats are cleaned on Fridays only.", minute=1)]
    for told, unlikely in ((talk, 0), (wish, 1)):
        signs = [[one for one in extract(told, scope=SCOPE, lasts=lambda *_, at=at: at).candidates if one.sign != "one-off"]
                 for at in (Lasting(-1.0), Lasting(-9.0))]
        assert [len(some) for some in signs] == [1, unlikely]


BIN, NIGHT = "The tar goes into the blue bin behind shed two.", "The lid stays shut at night, because of the gulls."


@pytest.mark.parametrize(("asked", "typed", "read", "kept"), [
    ("Noted.", f"{BIN} {NIGHT}", Lasting(5.0, 5.0, -5.0), [f"{BIN} {NIGHT}"]),
    ("Where does the tar go?", "Into the blue bin behind shed two, and nowhere else.", Lasting(5.0, 5.0, 5.0),
     ["Where does the tar go? Into the blue bin behind shed two, and nowhere else."]),
    ("I moved the tar.", "The same goes for the paint in shed two.", Lasting(5.0, 5.0, 5.0), []),
    ("Noted.", "The paint in shed two belongs to the chandler.", Lasting(5.0, -5.0, -5.0),
     ["The paint in shed two belongs to the chandler."]),
], ids=["with the sentence before", "with the question", "not at all", "alone"])
def test_what_reads_as_leaning_is_kept_with_what_it_leans_on_or_not_at_all(asked: str, typed: str, read: Lasting,
                                                                         kept: list[str]) -> None:
    def lasts(_before: str, _earlier: str, text: str) -> Lasting:
        return read if text != BIN else Lasting(-5.0)

    talk = [agent(asked), replace(said(typed, minute=1), question=asked if asked.endswith("?") else "")]
    assert [one.text for one in extract(talk, scope=SCOPE, lasts=lasts).candidates] == kept
