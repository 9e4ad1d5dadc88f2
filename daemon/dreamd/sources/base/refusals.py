"""A person's words inside tool results: reasons for refusing a tool call, and answers to the agent's questions.

About one durable fact in eight has no other evidence. But a tool's output, its errors included, can imitate every wording,
so nobody is believed for the words: callers read them only where the harness itself wrote beside a result that the person
refused the call, or where the result is that of the harness's own question tool.
"""

from __future__ import annotations

from dataclasses import dataclass

from dreamd.sources.base.tolerant import Record, record_at, records_at, text_at

QUESTION_TOOLS = frozenset({"AskUserQuestion", "ask_user", "ask_user_question", "request_user_input", "question"})

_REFUSED_STARTS = (
    "The user doesn't want to proceed with this tool use", "The user doesn't want to take this action",
    "The user doesn’t want to proceed with this tool use", "Permission for this tool use was denied",
    "The agent proposed a plan that was rejected by the user", "User rejected",
    "The user rejected", "Tool use rejected with user message",
)
_REASON_MARKS = (
    "the user said:", "following reason for the rejection:", "Reason for rejection:",
    "Tool use rejected with user message:", "user feedback:",
)
_SUFFIX = "\nNote: The user's next message may contain a correction"
_CLARIFY = "The user wants to clarify these questions"
_PLAN_TEXT = "Rejected plan:"
_ANSWER_STARTS = ("User has answered your questions:", "The user answered:", "Your questions have been answered:",
                  "User answered:", "Answered:")
_ANSWER_ENDS = (". You can now continue", " Read the answers carefully", "\nYou can now continue")
_NO_ANSWERS = frozenset({"", "(no option selected)", "(no answer provided)", "[no preference]"})


@dataclass(frozen=True)
class Answer:
    """What a person answered to one question of the agent; `meaning` is the chosen option's description."""

    question: str
    text: str
    meaning: str = ""


@dataclass(frozen=True)
class Refusal:
    """A refused tool call: the person's words, and answers where the refused tool was a question."""

    words: str = ""
    answers: tuple[Answer, ...] = ()


def read_refusal(text: str) -> Refusal | None:
    """The refusal a tool result speaks of; None when it is an ordinary result."""
    body = text.strip()
    if body.startswith("Error: "):
        body = body[len("Error: "):]
    if not body.startswith(_REFUSED_STARTS):
        return None
    if body.startswith("The agent proposed a plan"):  # what follows is the agent's plan, not the person's reason
        body = body.partition(_PLAN_TEXT)[0]
    lowered = body.casefold()
    starts = [lowered.find(mark.casefold()) + len(mark) for mark in _REASON_MARKS if mark.casefold() in lowered]
    if not starts:
        return Refusal()
    words = body[min(starts):].strip()
    words = words.partition(_SUFFIX)[0].strip()
    if words.startswith(_CLARIFY):
        return Refusal(answers=tuple(_clarified(words)))
    return Refusal(words)


def read_answers(text: str, outcome: Record) -> list[Answer]:
    """The answers of a question tool, from its structured outcome or else from its text."""
    structured = record_at(outcome, "answers")
    if structured:
        return [answer for asked, given in structured.items() if (answer := _structured(asked, given, outcome=outcome))]
    return _from_text(text)


def _structured(asked: str, given: object, *, outcome: Record) -> Answer | None:
    if isinstance(given, list):
        given = ", ".join(part for part in given if isinstance(part, str))
    if isinstance(given, dict):
        given = text_at(given, "answer", "text", "value")
    said = given.strip() if isinstance(given, str) else ""
    notes = text_at(record_at(record_at(outcome, "annotations"), asked), "notes").strip()
    if said.casefold() in _NO_ANSWERS:
        said = ""
    words = " — ".join(part for part in (said, notes) if part)
    if not words:
        return None
    meaning = ""
    for question in records_at(outcome, "questions"):
        if text_at(question, "question") == asked:
            meaning = next((text_at(option, "description") for option in records_at(question, "options")
                            if text_at(option, "label") == said), "")
    return Answer(asked, words, meaning)


def _from_text(text: str) -> list[Answer]:
    """Read `"question"="answer", "question"="answer"` out of the harness's sentence, quotes inside included."""
    body = text.strip()
    start = next((mark for mark in _ANSWER_STARTS if body.startswith(mark)), "")
    if not start:
        return []
    body = body[len(start):]
    for end in _ANSWER_ENDS:
        body = body.partition(end)[0]
    answers: list[Answer] = []
    for part in body.split('", "'):
        asked, equals, given = part.partition('"=')
        if not equals:  # a comma and quotes inside the answer before
            if answers:
                joined = answers.pop()
                answers.append(Answer(joined.question, f'{joined.text}", "{part.strip(chr(34))}'))
            continue
        given = given.replace(" notes: ", " — ").strip().strip('"')
        for empty in ("(no option selected)", "(No answer provided)"):
            given = given.replace(empty, "").strip(" —")
        if given:
            answers.append(Answer(asked.strip().strip('"'), given))
    return answers


def _clarified(text: str) -> list[Answer]:
    answers: list[Answer] = []
    asked = ""
    for line in text.partition("Questions asked:")[2].splitlines():
        stripped = line.strip()
        if stripped.startswith('- "'):
            asked = stripped[3:].removesuffix('"')
        for mark in ("Answer:", "User notes:"):
            given = stripped.removeprefix(mark).strip()
            if stripped.startswith(mark) and given:
                answers.append(Answer(asked, given))
    return answers
