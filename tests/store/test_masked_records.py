"""What comes from another store is looked through for secrets: every text of it, and each once."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dreamd.core.values import content_id, text_sha
from dreamd.store.moving import rows_masked
from dreamd.store.moving.rows_masked import masked_records
from dreamd.text import redaction
from dreamd.text.redaction import redact
from thorough import examples

NOW = "2026-02-09T08:00:00Z"
TOKEN = "ghp_0123456789abcdefghijABCDEFGHIJ012345"


def rows(text: str, n: int) -> list[dict[str, Any]]:
    """One memory as an export tells of it."""
    at, memory = f"2026-01-{1 + n % 28:02d}T{n % 24:02d}:{n % 60:02d}:00Z", content_id("m", text)
    said = {"kind": "observation", "text": text, "origin": "user", "at": at, "scope": "project:cedar", "conversation": "",
            "key": "", "sign": "", "target": "", "stored_at": at, "context": ""}
    said["id"] = content_id("said", *(said[name] for name in ("scope", "origin", "conversation", "at", "text", "target")))
    kept = {"id": memory, "wording": text_sha(text), "status": "live", "created_at": at, "observations": [said["id"]]}
    return [{"kind": "wording", "sha": text_sha(text), "text": text}, said,
            {"kind": "memory", **kept, "scope": "project:cedar", "reason": "names-path-or-command"},
            {"kind": "operation", "run": "a" * 10, "memory": memory, "evidence": '["allow: names-path-or-command"]',
             "before": None, "after": json.dumps(kept, sort_keys=True)}]


def test_each_text_of_an_export_is_looked_through_once(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: Counter[str] = Counter()
    whole = redaction._mask_all
    monkeypatch.setattr(redaction, "_mask_all", lambda text: seen.update([text]) or whole(text))  # type: ignore[func-returns-value]
    redaction.mask_name.cache_clear()
    texts = [f"The fog horn at pier {n} listens on port {9000 + n}." for n in range(30)]
    masked_records([row for n, text in enumerate(texts) for row in rows(text, n)], NOW)
    assert {text: times for text, times in seen.items() if times > 1} == {}
    assert set(texts) <= set(seen)
    assert len(seen) < len(texts) + 20, "days, ids and hashes are no texts"


def test_a_secret_is_masked_wherever_it_stands_in_an_export() -> None:
    clean, held = masked_records([*rows(f"The weather feed token is {TOKEN} since May.", 1), *rows("The kiln is hot.", 2)], NOW)
    assert TOKEN not in json.dumps(clean)
    wording, said, memory, operation = clean[:4]
    assert wording["sha"] == text_sha(wording["text"]) == memory["wording"] == json.loads(operation["after"])["wording"]
    assert memory["observations"] == [said["id"]]
    assert held == 2


def test_records_without_a_secret_are_the_same_values() -> None:
    some = [row for n in range(3) for row in rows(f"The kiln {n} is hot.", n)]
    assert [id(one) for one in masked_records(some, NOW)[0]] == [id(one) for one in some]


@examples(300)
@given(st.from_regex(rows_masked.BARE, fullmatch=True))
def test_what_is_not_looked_through_holds_nothing_that_the_mask_would_take(text: str) -> None:
    assert redact(text).text == text
