"""A larger cross-encoder as a second opinion: read when it is there, named when it is not, and below the guards."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from dreamd.core.errors import Outage
from dreamd.core.settings import Settings, build_settings
from dreamd.core.values import MERGING, PairScore
from dreamd.judge import Statement, judge
from dreamd.models.crossencoder import LABELS, CrossEncoder, is_complete
from dreamd.models.trained import joined, load_scorer

PAIRS = [("The pump stops when the tank is full.", "A full tank stops the pump."), ("The gate is grey.", "Rye needs cold.")]
ORDERED = {0: "contradiction", 1: "entailment", 2: "neutral"}


def save_tiny(folder: Path, names: dict[int, str]) -> Path:
    """A randomly initialised cross-encoder with three labels, a few kilobytes of it."""
    transformers = pytest.importorskip("transformers")
    import torch

    folder.mkdir()
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "pump", "stops", "when", "tank", "is", "full", "a", "gate"]
    (folder / "vocab.txt").write_text("\n".join(words) + "\n", "utf-8")
    torch.manual_seed(5)
    config = transformers.BertConfig(vocab_size=len(words), hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
                                     intermediate_size=32, num_labels=3, id2label=names,
                                     label2id={name: place for place, name in names.items()})
    transformers.BertForSequenceClassification(config).save_pretrained(folder, safe_serialization=True)
    transformers.BertTokenizerFast(str(folder / "vocab.txt")).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny(tmp_path_factory.mktemp("nli") / "tiny", ORDERED)


def settings_with(folder: Path | str) -> Settings:
    """Settings as a person writes them."""
    return build_settings({"consolidate": {"cross_encoder": str(folder)}})


def quiet(_phase: str, _done: int, _total: int) -> None:
    """No progress."""


def test_a_cross_encoder_that_is_not_there_is_named_and_the_small_judge_goes_on(tmp_path: Path) -> None:
    settings = settings_with(tmp_path / "nowhere")
    scorer, plain = load_scorer(settings, quiet), load_scorer(Settings(), quiet)
    assert len(settings.warnings) == 1
    assert "consolidate.cross_encoder" in settings.warnings[0]
    assert "judging without it" in settings.warnings[0]
    assert scorer is not None
    assert plain is not None
    assert scorer.version == plain.version


def test_without_the_setting_nothing_is_said_of_it() -> None:
    assert settings_with("").warnings == ()


@pytest.mark.model
def test_a_cross_encoder_that_is_there_has_a_say_in_the_score(tiny: Path) -> None:
    settings = settings_with(tiny)
    scorer, plain = load_scorer(settings, quiet), load_scorer(Settings(), quiet)
    assert scorer is not None
    assert plain is not None
    assert settings.warnings == ()
    assert scorer.version != plain.version
    for one, other in zip(scorer.score(PAIRS), plain.score(PAIRS), strict=True):
        assert one != other
        assert abs(one.merge + one.conflict + one.related + one.unrelated - 1) < 1e-3


@pytest.mark.model
def test_its_labels_are_read_by_name_and_not_by_place(tiny: Path, tmp_path: Path) -> None:
    other = save_tiny(tmp_path / "other", {0: "ENTAILMENT", 1: "NEUTRAL", 2: "CONTRADICTION"})
    here, there = CrossEncoder(tiny).inferences(PAIRS), CrossEncoder(other).inferences(PAIRS)
    assert here.shape == (len(PAIRS), len(LABELS))
    assert abs(here.sum(axis=1) - 1).max() < 1e-5
    assert abs(here[:, [2, 0, 1]] - there).max() < 1e-5


@pytest.mark.model
def test_a_model_with_other_labels_is_refused_with_a_way_out(tmp_path: Path) -> None:
    folder = save_tiny(tmp_path / "stars", {0: "one", 1: "two", 2: "three"})
    with pytest.raises(Outage, match="other labels") as caught:
        CrossEncoder(folder)
    assert "consolidate.cross_encoder" in str(caught.value.hint)


@pytest.mark.model
def test_damaged_weights_are_an_outage_and_no_traceback(tiny: Path, tmp_path: Path) -> None:
    folder = tmp_path / "damaged"
    folder.mkdir()
    for file in tiny.iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    (folder / "model.safetensors").write_bytes(b"\x00" * 64)
    assert is_complete(folder)
    with pytest.raises(Outage, match="cannot be loaded"):
        CrossEncoder(folder)


def test_two_statements_that_follow_from_each_other_look_more_like_one_claim() -> None:
    unsure = PairScore(0.3, 0.05, 0.05, 0.05, 0.05, 0.2, 0.2, 0.1)
    sure = joined(unsure, (0.96, 0.03, 0.01), (0.95, 0.04, 0.01))
    assert sure.merge > unsure.merge
    assert sure.same > max(sure.a_richer, sure.b_richer)
    assert joined(unsure, (0.96, 0.03, 0.01), (0.05, 0.94, 0.01)).a_richer > unsure.a_richer
    assert joined(unsure, (0.01, 0.03, 0.96), (0.01, 0.04, 0.95)).conflict > unsure.conflict


def test_a_second_opinion_overrules_no_guard() -> None:
    certain = joined(PairScore(1.0, 0, 0, 0, 0, 0, 0, 0), (1.0, 0.0, 0.0), (1.0, 0.0, 0.0))
    a = Statement("The gateway listens on port 8080.", datetime(2026, 1, 5, tzinfo=UTC))
    b = Statement("The gateway listens on port 8081.", datetime(2026, 1, 5, tzinfo=UTC))
    assert certain.merge > 0.99
    assert judge(a, b, similarity=0.99, score=certain).relation not in MERGING
