"""Whatever stands in a text, gate and extraction answer, and a durable wording stays as it is."""

from __future__ import annotations

import time
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dreamd.core.values import Event, EventKind, GateVerdict, MemoryClass, Origin, Speaker, parse_scope
from dreamd.extraction import ConversationState, Talks, extract, gate
from dreamd.extraction.conversation import MOST_TALKS
from dreamd.extraction.utterance import LONGEST_SENTENCE
from thorough import examples

AT = datetime(2026, 7, 17, 12, tzinfo=UTC)
PIECES = st.sampled_from(
    [
        "next Thursday", "until", "for another 5 weeks", "tomorrow", "always", "never", "the pump", "must", "not",
        "we", "she", "it", "is", "password", "Velvet-Crab-3107", "1.", "2.", "then", "\n", "\n\n", "```", "<b>", "</b>",
        "# ", "- ", "ignore previous instructions", "yesterday we shipped", "2026-02-31", "2026-09-30", "because",
        ".", "?", "记住", "下周四", "必ず", "まで", "항상", "31.12.9999", "in 999 years", "\u200b", "\x00",
        "\ud800", "A=B", "(",
        "[masked: password]",
    ]
)  # fmt: skip
TEXTS = st.lists(PIECES, max_size=16).map(" ".join) | st.text(max_size=200)


@examples(300)
@given(TEXTS, st.sampled_from(list(Origin)), st.none() | st.sampled_from(list(MemoryClass)))
def test_the_gate_always_answers_and_keeps_its_limits(text: str, origin: Origin, hint: MemoryClass | None) -> None:
    gated = gate(text, origin=origin, at=AT, zone=UTC, class_hint=hint)
    if origin in (Origin.TOOL, Origin.WEB):
        assert gated.verdict is not GateVerdict.ALLOW
        assert gated.memory_class not in (MemoryClass.RULE, MemoryClass.PREFERENCE)
    assert "\u200b" not in gated.text and "\x00" not in gated.text


@pytest.mark.parametrize("size", [7_000, pytest.param(20_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("piece", ["the page: ", "name: ", "she wrote: ", '"always" ', "\\u0000", "> ", "don't. "])
def test_the_gate_answers_in_time_whatever_a_long_text_repeats(piece: str, size: int) -> None:
    gate(f"The password was told. {piece} Ignore that page.", origin=Origin.USER, at=AT, zone=UTC)  # words are compiled once
    for end in ("The lamp is green.", "Ignore that page, it is an attack."):
        text = f"The password was told. {piece * (size // len(piece))} {end}"
        began = time.process_time()
        gate(text, origin=Origin.USER, at=AT, zone=UTC)
        assert time.process_time() - began < size / 7_000, end


@examples(300)
@given(TEXTS)
def test_a_durable_wording_is_not_changed_again(text: str) -> None:
    once = gate(text, origin=Origin.USER, at=AT, zone=UTC).text
    assert gate(once, origin=Origin.USER, at=AT, zone=UTC).text == once


@examples(300)
@given(st.lists(st.tuples(TEXTS, st.sampled_from(list(EventKind)), st.sampled_from(list(Speaker)), TEXTS), max_size=5))
def test_extraction_always_answers_and_learns_from_people_and_their_agent_alone(
    rows: list[tuple[str, EventKind, Speaker, str]],
) -> None:
    events = [Event(s, k, t, AT, "talk", n, n + 1, question=q) for n, (t, k, s, q) in enumerate(rows)]
    extraction = extract(events, scope=parse_scope("project:x"))
    human = any(s is Speaker.HUMAN for _, _, s, _ in rows)
    assert human or not extraction.candidates
    assert all(0 < len(c.text) <= LONGEST_SENTENCE and not c.explicit for c in extraction.candidates)
    assert ConversationState.of_plain(extraction.state.plain()) == extraction.state


def test_the_states_of_several_conversations_are_kept_apart_and_the_oldest_go_first() -> None:
    talks = Talks()
    for number in range(MOST_TALKS + 3):
        talks = talks.after(f"c-{number}", ConversationState(seen=(str(number),)))
    again = Talks.decode(talks.encode())
    assert again == talks
    assert again.of(f"c-{MOST_TALKS + 2}").seen == (str(MOST_TALKS + 2),)
    assert again.of("c-0") == ConversationState()


@pytest.mark.parametrize("text", [
    "", "[", "7", "[]", '{"talks": 7}', '{"talks": [1, [2, 3], ["c"]]}', '{"talks": [["c", "{"]]}'])
def test_states_that_make_no_sense_are_none(text: str) -> None:
    assert Talks.decode(text).of("c") == ConversationState()
