"""The question's side of finding: read with an adapter, measured in every wording a memory has."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dreamd.core.errors import Outage
from dreamd.core.values import abroad_key, text_sha
from dreamd.models import DIM, load_embedder
from dreamd.models.questions import ABOUT_FILE, ADAPTER_FILE, adapter_dir, load_adapter
from dreamd.recall.answer import Look, search
from dreamd.recall.wordings import Wordings
from dreamd.store.shown import Row
from household import FIRST_DAY, FIRST_NIGHT, House

LATER = "2026-01-09T09:00:00Z"
NOT_COUNTED = Look(record=False)


@pytest.mark.model
def test_a_question_is_read_otherwise_than_a_text_and_a_text_as_before() -> None:
    light = load_embedder("light")
    lines = ["Who looks after the kiln?", "how long does it burn", ""]
    texts, questions, again = light.embed(lines), light.embed_questions(lines), light.embed(lines)
    assert questions.shape == (len(lines), DIM) and questions.dtype == np.float32
    assert np.allclose(np.linalg.norm(questions, axis=1), 1, atol=1e-5)
    assert (np.abs(texts - questions).max(axis=1) > 0.01).all()
    assert np.array_equal(texts, again)


@pytest.mark.model
def test_both_engines_read_a_question_alike() -> None:
    line = ["Who looks after the kiln?"]
    assert np.array_equal(load_embedder("torch").embed_questions(line), load_embedder("light").embed_questions(line))


@pytest.mark.parametrize("spoil", ["lost", "cut", "no scale", "another shape"])
def test_an_adapter_that_is_lost_or_damaged_is_an_outage_that_says_what_to_do(tmp_path: Path, spoil: str) -> None:
    folder = tmp_path / "question"
    shutil.copytree(adapter_dir(), folder)
    weights = folder / ADAPTER_FILE
    if spoil == "lost":
        weights.unlink()
    elif spoil == "cut":
        weights.write_bytes(weights.read_bytes()[:-100])
    elif spoil == "no scale":
        (folder / ABOUT_FILE).write_text(json.dumps({"rank": 8}), "utf-8")
    else:
        body = weights.read_bytes()
        size = int.from_bytes(body[:8], "little")
        header = json.loads(body[8:8 + size])
        header["encoder.layer.0.output.dense.down"]["shape"].reverse()
        told = json.dumps(header, separators=(",", ":")).encode().ljust(size)
        assert len(told) == size
        weights.write_bytes(body[:8] + told + body[8 + size:])
    with pytest.raises(Outage) as outage:
        load_adapter(folder)
    assert outage.value.component == "model"
    assert "make questions" in (outage.value.hint or "")


def test_a_memory_is_as_near_as_its_nearest_wording_and_nearer_for_its_talk() -> None:
    rows = [Row("own", "s", "live"), Row("old", "s", "live"), Row("talk", "s", "live"), Row("old", "s", "live", earlier=True),
            Row("talk", "s", "live", earlier=True, behind=True)]
    found = Wordings.of(rows).nearness(np.array([0.5, 0.2, 0.3, 0.4, 0.6], np.float32), 1.5)
    assert found.of("own") == pytest.approx(0.5)
    assert found.of("old") == pytest.approx(0.4 * 0.95) and found.is_earlier("old")
    assert found.of("talk") == pytest.approx((0.3 + 1.5 * 0.6) / 2.5)
    assert not found.is_earlier("own") and not found.is_earlier("talk")
    assert found.of("nobody") is None


GERMAN = ("Die Angebote heißen immer nach dem Nachnamen und dem Jahr.", "Der Drucker steht im Keller neben der Heizung.",
          "Die Schlüssel hängen in der Küche hinter der Tür.")


@pytest.mark.model
@pytest.mark.parametrize("most", [6, 0])
def test_what_was_noted_in_another_language_is_found_by_its_meaning(thoughtful: House, most: int) -> None:
    rules = replace(thoughtful.settings.recall, passages=most)
    thoughtful.settings = replace(thoughtful.settings, recall=rules)
    thoughtful.say(FIRST_DAY, *GERMAN)
    thoughtful.dream(FIRST_NIGHT)
    with thoughtful.kit(LATER) as kit:
        for question, answer in (("where are the keys?", 2), ("wo ist der Schlüssel", 2), ("where is the printer", 1)):
            assert search(kit, question, NOT_COUNTED).results[0].memory.text.startswith(GERMAN[answer][:12]), question


@pytest.mark.model
def test_every_vector_of_a_note_goes_with_the_note(thoughtful: House) -> None:
    thoughtful.say(FIRST_DAY, *GERMAN)
    thoughtful.dream(FIRST_NIGHT)

    def kept() -> set[str]:
        with thoughtful.kit(LATER) as kit:
            return {row[0] for row in kit.store.all("SELECT wording FROM vector")}

    with thoughtful.kit(LATER) as kit:
        told = {m.text: m.id for m in (r.memory for r in search(kit, "where are the keys?", NOT_COUNTED).results)}
    words = next(text for text in told if "Schlüssel" in text)
    gone = text_sha(words)
    assert {gone, abroad_key(gone)} <= kept()
    assert thoughtful.forget(LATER, words).memories
    assert not {one for one in kept() if one.startswith(gone)}
