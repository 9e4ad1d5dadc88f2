"""What was said just before a message is kept with it, whole, masked, and the same however often a talk is read."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from dreamd.core.values import Event, EventKind, Speaker
from dreamd.extraction import ConversationState, settings_of
from dreamd.extraction.setting import LONGEST_SAID, LONGEST_TOLD

AT = datetime(2026, 7, 17, 12, tzinfo=UTC)


def talk(*lines: str, conversation: str = "talk-1") -> list[Event]:
    """Lines of a person and, with a `>` before them, of the agent."""
    return [Event(Speaker.AGENT if line.startswith(">") else Speaker.HUMAN,
                  EventKind.PROSE if line.startswith(">") else EventKind.PROMPT, line.removeprefix("> "),
                  AT + n * timedelta(minutes=1), conversation, n * 50, n * 50 + 49) for n, line in enumerate(lines)]


def contexts(*events: Event, state: ConversationState | None = None) -> list[str]:
    settings, _ = settings_of(events, state or ConversationState())
    return [setting.around(setting.message) for here in settings.values() for setting in here]


def test_a_message_follows_the_persons_last_words_and_the_agents_answer() -> None:
    said = talk("the alarm of pier 3 rings all night", "> It rings above 80 decibels. Shall I loosen it?", "92, 10 min")
    assert contexts(*said) == ["", "The alarm of pier 3 rings all night. It rings above 80 decibels. Shall I loosen it?"]


def test_a_nod_between_leaves_the_task_standing_and_the_agents_words_count_once() -> None:
    said = talk("the alarm of pier 3 rings all night", "> Shall I look at it?", "yes", "> It rings above 80.", "92")
    assert contexts(*said)[2] == "The alarm of pier 3 rings all night. It rings above 80."
    assert contexts(*talk("> It rings above 80.", "the bell too", "and the horn"))[1] == "The bell too."


def test_another_conversation_begins_without_what_was_said_in_the_one_before() -> None:
    assert contexts(*talk("the alarm rings"), *talk("good morning", conversation="talk-2")) == ["", ""]


def test_one_reading_and_two_give_the_same() -> None:
    said = talk("the alarm of pier 3 rings all night", "> It rings above 80 decibels.", "92, 10 min", "> Set.",
                "and the bell at 70")
    whole = contexts(*said)
    for cut in range(1, len(said)):
        _, before = settings_of(said[:cut], ConversationState())
        state = ConversationState.of_plain(ConversationState(before=before).plain())
        assert [*contexts(*said[:cut]), *contexts(*said[cut:], state=state)] == whole


def test_a_sentence_of_a_message_follows_the_rest_of_it_too() -> None:
    ((setting,),) = settings_of(talk("the crane lease is over. its place takes brenta"), ConversationState())[0].values()
    assert setting.around("Its place takes brenta.") == "The crane lease is over."
    assert setting.around("The crane lease is over. Its place takes brenta.") == ""


def test_whole_sentences_are_kept_as_far_as_they_have_room_and_pasted_text_is_none() -> None:
    long = " ".join(f"The lamp of pier {n} was painted green again." for n in range(20))
    (_, after) = contexts(*talk(long, f"> {long}", "92"))
    assert len(after) <= LONGEST_SAID + LONGEST_TOLD + 1
    assert after.startswith("The lamp of pier ") and after.endswith("was painted green again.")
    assert contexts(*talk("```\nthe mole is 412 metres long\n```", "92"))[1] == ""


def test_secrets_in_it_are_masked() -> None:
    secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
    assert secret not in contexts(*talk(f"the old token was {secret} in spring", "92"))[1]
