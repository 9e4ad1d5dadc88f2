"""Who answers, one module a kind of backend: each makes exactly one request a call and tells every way of failing apart.

They run in the caller's process alone, which has neither the store nor the home. What they return has been read as JSON and
not been checked against anything; the owner of the store does that.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from email.utils import parsedate_to_datetime
from typing import Any  # a schema is of any shape

from dreamd.core.clock import SystemClock
from dreamd.core.settings import LlmSettings
from dreamd.models.language_model import Answer, Ask, Ending, Used

LARGEST_ANSWER_BYTES = 2_000_000
CHARACTERS_A_TOKEN = 3
"""A low guess for running text, so that what is estimated is rather too much."""
KEY_VARIABLES = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}
"""Where a backend's key is looked for unless a person named another variable."""


@dataclass(frozen=True)
class Backend:
    """Whom to ask, and how."""

    name: str
    base_url: str = ""
    model: str = ""
    key_variable: str = ""
    answer_form: str = "schema"
    most_cost: float = 0.0
    """US dollars one call may cost, for a program that can be told so."""

    @classmethod
    def of(cls, settings: LlmSettings) -> Backend:
        """The backend a person chose."""
        return cls(settings.backend, settings.base_url, settings.model, settings.key_variable or
                   KEY_VARIABLES.get(settings.backend, ""), settings.answer_form, settings.cost_per_call)


OPTIONS = tuple(one.name for one in fields(Backend))
"""By these names the unit that calls is told whom it may ask."""


def estimate_tokens(text: str) -> int:
    """Tokens of a text, rather too many."""
    return len(text.encode()) // CHARACTERS_A_TOKEN + 1


def sent_by(ask: Ask) -> int:
    """Estimated tokens that an ask sends, its schema included: some backends put it into the prompt."""
    return estimate_tokens(ask.fixed) + estimate_tokens(ask.data) + estimate_tokens(json.dumps(ask.schema)) + 50


def instructions(ask: Ask) -> str:
    """The constant part with the form of the answer, for whoever may not be able to enforce one."""
    return f"{ask.fixed}\n\nAnswer with one JSON object and nothing else. It must fit this JSON schema:\n" \
           f"{json.dumps(ask.schema, sort_keys=True)}\n"


def strict(schema: object) -> Any:
    """A schema as OpenAI's own models want it: every field named and none besides."""
    if isinstance(schema, list):
        return [strict(part) for part in schema]
    if not isinstance(schema, Mapping):
        return schema
    told = {name: strict(part) for name, part in schema.items() if name != "default"}
    if isinstance(fields := told.get("properties"), dict):
        told |= {"required": list(fields), "additionalProperties": False}
    return told


def read_value(text: str) -> Mapping[str, object] | None:
    """The JSON object an answer consists of, also behind a fence or thoughts; None where there is none."""
    told = text.rpartition("</think>")[2].strip()
    if told.startswith("```"):
        told = told.strip("`").removeprefix("json")
    start, end = told.find("{"), told.rfind("}")
    try:
        value = json.loads(told[start:end + 1]) if 0 <= start < end else None
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def whole_answer(text: str, *, model: str, used: Used) -> Answer:
    """An answer from its text: readable, or named for what it is."""
    value = read_value(text)
    if value is None:
        return Answer(Ending.INVALID, model=model, used=used, detail="empty" if not text.strip() else "no-json")
    return Answer(Ending.ANSWERED, value, model, used)


def by_status(status: int, code: str, *, retry_after_s: float | None = None) -> Answer:
    """What an HTTP status other than 200 means; `code` is the server's own short word for it."""
    if status in (401, 402, 403) or code in ("insufficient_quota", "billing_error"):
        return Answer(Ending.UNAUTHORISED, detail=f"http-{status}")
    if status == 429:
        return Answer(Ending.LIMITED, detail="http-429", retry_after_s=retry_after_s)
    if status == 413 or code in ("context_length_exceeded", "request_too_large"):
        return Answer(Ending.TOO_LARGE, detail=f"http-{status}")
    if status == 408:
        return silent(0.0)
    if status >= 500:
        return Answer(Ending.SERVER, detail=f"http-{status}", retry_after_s=retry_after_s)
    return Answer(Ending.REFUSED, detail=f"http-{status}")


def silent(seconds: float) -> Answer:
    """No answer in time; nobody knows what it used."""
    return Answer(Ending.SILENT, used=Used(seconds=seconds), detail="timeout")


def counted(used: Used, ask: Ask, text: str) -> Used:
    """What was used where the server counts nothing: an estimate rather than nothing."""
    if used.tokens_in + used.tokens_out > 0:
        return used
    return replace(used, tokens_in=sent_by(ask), tokens_out=estimate_tokens(text))


def whole_number(found: object) -> int:
    """A count somebody else reported; nonsense is nought."""
    return max(0, int(found)) if isinstance(found, int | float) and not isinstance(found, bool) and found < 1e12 else 0


def code_of(body: object) -> str:
    """The server's own short word for an error."""
    told = body.get("error", body) if isinstance(body, dict) else {}
    code = (told.get("code") or told.get("type")) if isinstance(told, dict) else ""
    return code if isinstance(code, str) else ""


def wait_told(headers: Mapping[str, str]) -> float | None:
    """The seconds after which a server wants to be asked again."""
    with suppress(ValueError, TypeError):
        return max(0.0, float(headers["retry-after-ms"]) / 1000) if "retry-after-ms" in headers else \
            max(0.0, float(headers["retry-after"])) if "retry-after" in headers else None
    with suppress(ValueError, TypeError, KeyError):
        return max(0.0, (parsedate_to_datetime(headers["retry-after"]) - SystemClock().now()).total_seconds())
    return None
