"""The net that reads whether a statement answers a question: what it was trained on, its shape, and that it knows an answer."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from dreamd.core.errors import Outage
from dreamd.models import answer_net, multilingual_base
from dreamd.models.answer_net import load_answer_net, pair_net_sha256, with_question
from dreamd.models.multilingual_base import MultilingualBase, find_base
from dreamd.models.pair_net import TRAINED as PAIRS
from dreamd.models.pair_net import changed_weights
from dreamd.models.weights import WeightFile

sys.path.insert(0, str(Path(__file__).parents[1] / "bench"))

import answer_worlds
from question_scenes import file_sha256

ROOT = Path(__file__).parents[2]
NET = ROOT / "config" / "question" / answer_net.TRAINED
FACTS = json.loads((ROOT / "config" / "question" / answer_net.ABOUT).read_text("utf-8"))
PARTED = "what the net was trained on is not what `make answers` trains on now: run it and commit what it writes"
LARGEST_BYTES = 2_000_000
LAYER = "encoder.layer.7.intermediate.dense.weight"
IN_A_BINDERY = {
    "The guillotine is serviced by a man from Leiden, every second autumn.": ["who looks after the paper cutter?"],
    "We glue with wheat paste only, the synthetic one yellows.": ["Why is no artificial adhesive used?"],
    "The big press came from a convent and needs two people to turn.": ["How many hands does it take to work the press?"],
    "Orders above thirty volumes get a tenth off.": ["is there a rebate for large jobs"],
    "Marjolein gilds the edges, and nobody else may touch the leaf.": ["who is allowed to handle the gold?"],
    "Wouter gilds nothing, he sews and rounds the spines.": ["what is Wouter's part of the work?"],
    "The small press jams when it is cold, so keep the stove on at night.": ["reason to heat after hours"],
    "Can you ask Marjolein about the leaf for the atlas?": [],
    "Monday is for repairs, new bindings start on Tuesday.": ["on which day may a customer expect a mended book to be begun?"],
    "The invoices go out on the fifteenth, by post, the libraries insist on paper.": ["how do libraries want their bills?"],
    "Two apprentices start in September, one of them left-handed.": ["When do the trainees come?"],
    "the press again, it squeaks": [],
    "Leather comes from a tannery in Porto, vellum from nobody any more.": ["Where do we buy hides?"],
}
"""What was said, and what is asked later; nothing of it stands in the data."""


def test_the_data_are_those_that_the_net_was_trained_on() -> None:
    written = {path.name: file_sha256(path) for path in answer_worlds.DATA.glob("*.txt")}
    assert written and FACTS["files_sha256"] == written, PARTED
    used, asked = answer_worlds.parted(answer_worlds.load_worlds())
    assert FACTS["worlds"] == len(used), PARTED
    others = answer_worlds.load_worlds(asked=True)
    for name, worlds in (("worlds_left_out", asked), ("authors_left_out", others)):
        assert FACTS["never_trained"][name]["questions"] == sum(len(world.questions) for world in worlds), PARTED


def test_the_net_is_small_and_was_trained_upon_the_one_that_reads_pairs() -> None:
    assert NET.stat().st_size <= LARGEST_BYTES
    with WeightFile(NET) as net:
        assert net.metadata["base_sha256"] == multilingual_base.SHA256
        assert net.metadata["upon_sha256"] == pair_net_sha256(), "`make judge` wrote another net: run `make answers` as well"
        assert net.read("head.weight").shape == (len(answer_net.LABELS), 4 * 384)


def test_a_layer_is_that_of_the_net_below_and_the_product() -> None:
    base = MultilingualBase(find_base())
    with WeightFile(ROOT / "config" / "judge" / PAIRS) as pairs, WeightFile(NET) as net:
        below, whole = changed_weights(base, pairs)(LAYER), changed_weights(base, pairs, net)(LAYER)
        product = net.read(f"{LAYER}.up") @ net.read(f"{LAYER}.down")
    assert product.any()
    assert np.allclose(whole - below, product, atol=1e-5)


def test_a_net_upon_another_one_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = tmp_path / "pair_net.safetensors"
    other.write_bytes(b"another")
    monkeypatch.setattr(answer_net.pair_net, "shipped_file", lambda: other)
    with pytest.raises(Outage) as refused:
        load_answer_net()
    assert refused.value.code == "model-changed"


def test_a_world_with_a_number_that_is_not_there_is_refused() -> None:
    world = "=== a mill | en\n1. 2024-01-01 The wheel turns\n"
    assert answer_worlds.read_worlds(world + "Q: what turns -> 1")[0].questions[0].answers == {0}
    assert answer_worlds.read_worlds(world + "Q: what stands -> none")[0].questions[0].answers == frozenset()
    for line in ("Q: what turns -> 2", "Q: what turns", "3. 2024-01-01 The stone"):
        with pytest.raises(ValueError, match="world"):
            answer_worlds.read_worlds(world + line)


@pytest.mark.model
def test_what_answers_reads_likelier_than_most_that_does_not() -> None:
    texts, asked = list(IN_A_BINDERY), [(q, n) for n, some in enumerate(IN_A_BINDERY.values()) for q in some]
    read = load_answer_net().read([(question, text) for question, _ in asked for text in texts])[:, 0]
    rows = read.reshape(len(asked), len(texts))
    right = np.array([row[n] for row, (_, n) in zip(rows, asked, strict=True)])
    assert (rows < right[:, None]).sum(1).mean() > 0.75 * (len(texts) - 1)


@pytest.mark.model
def test_what_took_the_place_of_an_answer_is_told_from_what_stands_beside_it() -> None:
    question, earlier = "who gilds the edges?", "Marjolein gilds the edges, and nobody else may touch the leaf."
    later = ["Since Easter the edges are gilded by Wouter, Marjolein's hands shake.", "Marjolein ordered new leaf from Lyon.",
             "The edges of the atlas are to be red."]
    read = load_answer_net().read([(with_question(question, earlier), one) for one in later])[:, 1]
    assert read[0] > max(0, *read[1:])
