"""What passes between the owner of the store and the caller: one line of JSON each way, text and numbers only.

What comes back is read as a stranger's word: each field of the right kind and size, or it is no answer.
"""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from typing import Any  # JSON is of any type until it is checked here

from dreamd.llm.backends import LARGEST_ANSWER_BYTES, Backend, whole_number
from dreamd.models.language_model import Answer, Ask, Ending, Role, Used

LARGEST_LINE_BYTES = 4 * LARGEST_ANSWER_BYTES
"""Escaped, one character may take six."""


def request_line(backend: Backend, ask: Ask) -> bytes:
    """One question as a line; of where it comes from it says nothing."""
    asked = {**asdict(ask), "schema": dict(ask.schema), "scope": ""}
    return json.dumps({"backend": asdict(backend), "ask": asked}).encode() + b"\n"


def read_request(line: bytes) -> tuple[Backend, Ask]:
    """Whom to ask and what.

    Raises ValueError for a line that is no question.
    """
    told = _object(line)
    try:
        asked = dict(told["ask"])
        return Backend(**told["backend"]), Ask(**{**asked, "role": Role(asked["role"])})
    except (KeyError, TypeError) as error:
        raise ValueError("no question") from error


def answer_line(answer: Answer) -> bytes:
    """What came of it as a line."""
    return json.dumps(asdict(answer)).encode() + b"\n"


def read_answer(line: bytes) -> Answer:
    """What came of a question.

    Raises ValueError for a line that is no answer.
    """
    told = _object(line)
    used, value = told.get("used"), told.get("value")
    ending, wait = Ending(told.get("ending", "")), told.get("retry_after_s")
    if not isinstance(used, dict) or (ending is Ending.ANSWERED) != isinstance(value, dict) or ending is Ending.KEPT:
        raise ValueError("no answer")
    cost, seconds = _amount(used.get("cost")), _amount(used.get("seconds")) or 0.0
    sent, cached, out = (whole_number(used.get(name)) for name in ("tokens_in", "cached", "tokens_out"))
    return Answer(ending, value, str(told.get("model", ""))[:200], Used(sent, cached, out, seconds, cost),
                  str(told.get("detail", ""))[:80], _amount(wait))


def _object(line: bytes) -> dict[str, Any]:
    try:
        told = json.loads(line)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    if not isinstance(told, dict):
        raise ValueError("no object")
    return told


def _amount(found: object) -> float | None:
    known = isinstance(found, int | float) and not isinstance(found, bool) and math.isfinite(found) and found >= 0
    return float(found) if known and isinstance(found, int | float) else None
