"""The gloss of other languages: forms of a word, entries of several words, and what must not be taken for a word."""

from pathlib import Path

import pytest

from dreamd.models.lexical.glossary import load_glossary, tongue_of
from dreamd.models.lexical.lexicon import TONGUES, entries
from dreamd.models.lexical.wordforms import korean_bases

LEXICON = Path(__file__).parents[2] / "config" / "judge" / "lexicon.txt"
MOST_BYTES = 600_000


@pytest.fixture(scope="module")
def glossary():
    """The lexicon that travels with the judge."""
    return load_glossary(LEXICON)


def lexicon(tmp_path, *lines):
    """A lexicon of a few lines."""
    path = tmp_path / "lexicon.txt"
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return load_glossary(path)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Die Verträge werden mit den Schlüsseln abgeholt.", ["contract", "with", "key", "collect"]),
        ("Los niños juegan en las habitaciones.", ["children"]),
        ("Les bureaux de l'équipe sont fermés.", ["office", "team", "close"]),
        ("As reuniões começam com os relatórios mensais.", ["meeting", "start", "with", "report"]),
        ("I negozi della piazza chiudono alle sette.", ["shop", "seven"]),
        ("倉庫の鍵は毎週点検する。", ["warehouse", "key", "every", "week", "check"]),
    ],
)
def test_a_form_of_a_word_is_read_as_the_word(glossary, text, words):
    said = glossary.gloss(text).split()
    assert [w for w in words if w not in said] == []


def test_an_entry_of_several_words_is_not_read_a_second_time(tmp_path):
    glossary = lexicon(tmp_path, "in any case||en todo caso||", "marry||case/casar||")
    assert glossary.gloss("La puerta se cierra en todo caso.").split().count("marry") == 0
    assert "in any case" in glossary.gloss("La puerta se cierra en todo caso.")


def test_a_stem_that_two_words_share_is_read_as_neither(tmp_path):
    glossary = lexicon(tmp_path, "port||puerto||", "harness||puerta||")
    assert "puertan" in glossary.gloss("Los de la casa se puertan con el perro.").split()


def test_the_earlier_line_of_a_word_counts(tmp_path):
    glossary = lexicon(tmp_path, "bench|bank", "money house|bank")
    assert glossary.gloss("Die Bank ist neu.").split()[0] == "bench"


def test_a_french_article_before_a_vowel_is_no_part_of_the_word(glossary):
    assert glossary.gloss("Il faut nettoyer l'entrée avant l'ouverture.") == "must clean entrance before opening ."


def test_what_follows_an_elided_preposition_keeps_its_capital(glossary):
    assert "OVH" in glossary.gloss("Le serveur vient d'OVH.").split()


def test_a_single_kanji_inside_a_name_is_no_word(glossary):
    assert "inside" not in glossary.gloss("田中さんが持っている。").split()


@pytest.mark.parametrize(
    ("text", "tongue"),
    [
        ("会議は月曜日です。", "ja"),
        ("会议在星期一。", "zh"),
        ("Il negozio chiude alle sette di sera.", "it"),
        ("The shop closes at seven in the evening.", "en"),
        ("O negócio fecha às sete da noite.", "pt"),
    ],
)
def test_a_language_is_told_by_its_script_or_its_small_words(text, tongue):
    assert tongue_of(text) == tongue


def test_every_line_of_the_lexicon_has_an_english_word_and_no_more_columns_than_languages():
    lines = [line for line in LEXICON.read_text("utf-8").splitlines() if line and not line.startswith("#")]
    assert [line for line in lines if not line.split("|")[0] or len(line.split("|")) > 1 + len(TONGUES)] == []
    assert LEXICON.stat().st_size < MOST_BYTES


def test_no_entry_of_the_lexicon_has_blanks_around_it_or_capitals_in_it():
    wrong = [(tongue, word) for tongue, _, word in entries(LEXICON) if word != word.strip() or word != word.lower()]
    assert wrong == []


def test_a_word_is_heard_with_all_that_it_may_mean(tmp_path):
    glossary = lexicon(tmp_path, "bench|bank", "money house|bank", "lend|||prêter", "ready|||prêt/prête")
    assert glossary.hear("Die Bank ist neu.")[0] == ("bank", ("bench", "money house"))
    assert ("prête", ("ready", "lend")) in glossary.hear("Le musée prête les costumes.")


def test_a_word_that_is_not_known_is_heard_as_it_stands_and_english_not_at_all(tmp_path):
    glossary = lexicon(tmp_path, "bench|bank")
    assert ("Quirl", ()) in glossary.hear("Der Quirl ist neu.")
    assert glossary.hear("The bench is new.") == ()


@pytest.mark.parametrize(
    ("form", "base"), [("보낸", "보내"), ("바꿨", "바꾸"), ("마셨", "마시"), ("끓인", "끓이"), ("받지", "받"), ("나눠", "나누")]
)
def test_a_korean_verb_is_found_by_its_stem(form, base):
    assert base in korean_bases(form)


def test_a_language_is_loaded_when_it_is_met_and_not_before(tmp_path):
    glossary = lexicon(tmp_path, "bench|bank|banco")
    assert glossary.gloss("The bench is new.") == "The bench is new."
    (tmp_path / "lexicon.txt").write_text("seat|bank|banco\n", "utf-8")
    assert "seat" in glossary.gloss("Die Bank ist neu.").split()


def test_of_two_languages_the_one_is_read_whose_words_are_known(tmp_path):
    glossary = lexicon(tmp_path, "invoice||factura|||||", "need||necesitar|||||", "cost||||fatura|||")
    assert "invoice" in glossary.gloss("Cada factura necesita dos firmas.").split()


def test_a_name_behind_a_title_or_inside_a_sentence_is_no_form_of_a_word(tmp_path):
    glossary = lexicon(tmp_path, "fire|brand|", "tuesday||martes", "cellar|keller|")
    told = [word for text in ("Frau Keller und Herr Brandt kommen.", "La clave es de Marta.") for word in glossary.hear(text)]
    heard = {word.surface: word.meanings for word in told}
    assert heard["Keller"] == heard["Brandt"] == heard["Marta"] == ()


def test_words_joined_by_a_hyphen_are_read_one_by_one_where_all_are_known(tmp_path):
    glossary = lexicon(tmp_path, "admin|admin|", "password|passwort|")
    heard = {word.surface: word.meanings for word in glossary.hear("Das Admin-Passwort und der Quux-Zugang sind weg.")}
    assert heard["admin"] == ("admin",) and heard["passwort"] == ("password",) and heard["Quux-Zugang"] == ()
