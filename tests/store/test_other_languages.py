"""What is not English: told by a library, found and compared across languages, apart where the encoder is missing."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from dreamd.core.values import abroad_key, parse_scope, text_sha
from dreamd.dream.cycle import Wish, run_cycle
from dreamd.dream.phases.compare import Vectors, find_partners, load_abroad, load_standing, load_vectors
from dreamd.models import FLOAT_ID, multilingual
from dreamd.models.multilingual import MULTILINGUAL_ID, find_multilingual, load_multilingual
from dreamd.recall.answer import Look, search
from dreamd.store import derived
from dreamd.text import language
from dreamd.text.language import identify, is_english
from household import CEDAR, FIRST_DAY, FIRST_NIGHT, House

LATER = "2026-01-09T09:00:00Z"
NOT_COUNTED = Look(record=False)
GERMAN = "Die Rechnungen werden jeden Freitag an das Steuerbüro geschickt."
ENGLISH = ("Invoices go to the tax office every Friday.", "The staging server is restarted on Sunday nights.",
           "Release notes are written by the person who merges.", "The kiln in the workshop burns for nine hours.")
PAIR_DATA = Path(__file__).parents[1] / "bench" / "pair_data"


class OneMeaning:
    """Vectors for tests that do not turn on meaning: all that is not English lies near the invoices."""

    model_id, dim = MULTILINGUAL_ID, 512

    def embed(self, texts: list[str]) -> np.ndarray:
        """One unit row a text."""
        rows = np.zeros((len(texts), self.dim), np.float32)
        for row, text in zip(rows, texts, strict=True):
            row[0 if "nvoice" in text or not is_english(text) else 1 + len(text)] = 1.0
        return rows

    embed_questions = embed


def statements() -> list[tuple[str, str]]:
    """Labelled statements with the language they are in."""
    rows = [json.loads(line) for path in sorted(PAIR_DATA.glob("a*.jsonl")) for line in path.read_text("utf-8").splitlines()]
    return sorted({(row[side], row["lang"]) for row in rows for side in "ab" if "-" not in row["lang"]})


def test_the_model_of_languages_is_unpacked_once_and_what_is_kept_tells_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    kept: dict[str, bytes] = {}
    made: list[str] = []

    def keep(name: str, make: language.Make) -> bytes:
        if name not in kept:
            made.append(name)
            kept[name] = make()
        return kept[name]

    monkeypatch.setattr(language, "_kept", keep)
    said = (GERMAN, *ENGLISH, "Il porto è chiuso la domenica.")
    fresh = language._identifier.__wrapped__(), language._identifier.__wrapped__()
    assert len(made) == 1
    assert [[one.rank(text) for text in said] for one in fresh] == [[language._identifier().rank(text) for text in said]] * 2


def test_languages_are_told_apart_and_english_is_taken_for_no_other() -> None:
    some = statements()[::4]
    english = [text for text, language in some if language == "en"]
    others = [(text, language) for text, language in some if language != "en"]
    assert sum(not is_english(text) for text in english) <= len(english) // 500
    assert sum(is_english(text) for text, _ in others) <= len(others) // 50
    assert sum(identify(text) == language for text, language in others) >= 0.97 * len(others)


@pytest.mark.parametrize("text", ["", "42", "`make seed`", "/var/log/cedar", "OK", "\ud800", "🙂"])
def test_what_is_in_no_language_counts_as_english(text: str) -> None:
    assert is_english(text)


@pytest.mark.model
def test_a_note_is_found_by_a_question_in_another_language(thoughtful: House) -> None:
    thoughtful.say(FIRST_DAY, GERMAN, *ENGLISH[1:])
    thoughtful.dream(FIRST_NIGHT)
    with thoughtful.kit(LATER) as kit:
        for question, wanted in (("who gets our invoices?", GERMAN), ("An wen gehen die Rechnungen?", GERMAN),
                                 ("Wie lange brennt der Ofen in der Werkstatt?", ENGLISH[3]),
                                 ("how long does the kiln burn?", ENGLISH[3])):
            assert search(kit, question, NOT_COUNTED).results[0].memory.text == wanted, question


@pytest.mark.model
def test_the_translation_of_a_statement_is_among_those_it_is_compared_with(thoughtful: House) -> None:
    thoughtful.say(FIRST_DAY, *ENGLISH)
    thoughtful.dream(FIRST_NIGHT)
    with thoughtful.kit(LATER) as kit:
        standing, vectors = load_standing(kit, parse_scope(CEDAR))
        load_vectors(kit, [GERMAN], vectors)
        load_abroad(kit, [GERMAN], standing, vectors)
        partners = find_partners([GERMAN, ENGLISH[0]], [*standing, GERMAN], vectors, k=2, floor=0.35)
    assert partners[GERMAN][0] == ENGLISH[0]
    assert GERMAN in partners[ENGLISH[0]]


def test_only_a_scope_with_another_language_pays_for_it(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**_: object) -> None:
        raise AssertionError("loaded for English alone")

    monkeypatch.setattr(multilingual, "load_multilingual", refuse)
    house.say(FIRST_DAY, *ENGLISH)
    house.dream(FIRST_NIGHT)
    with house.kit(LATER) as kit:
        assert search(kit, "who gets the invoices?", NOT_COUNTED).results
    assert not house.rows("SELECT 1 FROM vector WHERE model = ?", MULTILINGUAL_ID)


def test_without_the_encoder_other_languages_stay_apart_and_nothing_fails(house: House,
                                                                          monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(multilingual, "PACKAGE", "no_such_package")
    assert find_multilingual() == "its encoder is not installed"
    assert load_multilingual() is None
    house.say(FIRST_DAY, GERMAN, *ENGLISH)
    assert house.dream(FIRST_NIGHT).outcome == "changed"
    with house.kit(LATER) as kit:
        assert search(kit, "Rechnungen Steuerbüro", NOT_COUNTED).results[0].memory.text == GERMAN
    assert house.faults(LATER) == []


def test_another_file_is_not_taken_for_the_encoder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "usem3_other"
    (folder / "resources").mkdir(parents=True)
    (folder / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(multilingual, "PACKAGE", folder.name)
    assert "cannot be read" in find_multilingual()
    for name in multilingual.FILES:
        (folder / "resources" / name).write_bytes(b"another model")
    assert "not the file that dream knows" in find_multilingual()


def test_vectors_of_two_models_stand_side_by_side_and_old_ones_break_nothing(house: House) -> None:
    house.say(FIRST_DAY, GERMAN, *ENGLISH)
    with house.kit(FIRST_NIGHT) as kit:
        kit.abroad = OneMeaning()
        run_cycle(kit, Wish())
    found = {row[0] for row in house.rows("SELECT wording FROM vector WHERE model = ?", MULTILINGUAL_ID)}
    assert abroad_key(text_sha(GERMAN)) in found
    assert text_sha(ENGLISH[0]) in found
    with house.kit(LATER) as kit, kit.writing() as tx:  # as versions before did, which read foreign words as English
        derived.write_vectors(tx, {f"{text_sha(GERMAN)}/en": np.full(384, 384**-0.5, np.float16)}, model=FLOAT_ID)
    assert house.faults(LATER) == []
    with house.kit(LATER) as kit:
        kit.abroad = OneMeaning()
        assert search(kit, "which invoices?", NOT_COUNTED).results
    assert house.forget(LATER, "Steuerbüro").memories
    assert not house.rows("SELECT 1 FROM vector WHERE wording LIKE ?", f"{text_sha(GERMAN)}%")


def test_neighbours_across_languages_join_those_within_one() -> None:
    def unit(width: int, place: int) -> np.ndarray:
        return np.eye(width, dtype=np.float32)[place]

    texts = [*ENGLISH, GERMAN]
    wide = Vectors({text: unit(512, 0 if text in (GERMAN, ENGLISH[0]) else 5 + n) for n, text in enumerate(texts)})
    vectors = Vectors({text: unit(384, n) for n, text in enumerate(texts)}, abroad=frozenset({GERMAN}), wide=wide)
    partners = find_partners(texts, texts, vectors, k=3, floor=0.3)
    assert partners[GERMAN][:1] == [ENGLISH[0]]
    assert GERMAN in partners[ENGLISH[0]]
    assert GERMAN not in partners[ENGLISH[1]]
