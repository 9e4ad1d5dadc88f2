"""The engine of the pair scorer: the numbers of the net in torch, without torch, the same every time."""

from __future__ import annotations

import itertools
import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from dreamd.core.errors import Outage
from dreamd.core.values import PairScore
from dreamd.models.model_files import WEIGHTS, find_model, weights_sha256
from dreamd.models.pairs import LONGEST_TOKENS, PairEngine
from dreamd.models.pairscore import ADAPTER_FILE, LABELS, LEXICON_FILE, SCORER_FILE, PairScorer, load_pair_scorer
from dreamd.models.weights import WeightFile

ROOT = Path(__file__).parents[2]
ARTEFACT = ROOT / "config" / "judge"
LINES = [
    "The greenhouse vents open at 26 degrees.",
    "Vents of the greenhouse open from 26 °C on, unless it rains.",
    "We now open the vents at 24 degrees instead of 26.",
    "Die Lüftung im Gewächshaus öffnet bei 26 Grad.",
    "La ventilación del invernadero ya no se abre sola.",
    "Les aérations de la serre s'ouvrent à 26 degrés.",
    "A ventilação da estufa abre com 24 graus.",
    "温室通风口在26度时打开。",
    "온실 환기구는 26도에서 열린다.",
    "温室の換気口は26度で開く。",
    "Форточки теплицы открываются при 26 градусах.",
    "",
    "`vent.open(at=26)  # °C` 🌱\x00",
]
REWORDED = [
    "The night porter locks the gate.",
    "Nobody but the night porter locks the gate.",
    "It is the porter who shuts the gate at night.",
    "The gate gets closed by whoever is on duty at night.",
    "At night the gate is locked so that the deer stay in.",
    "Someone has to lock the gate before dark.",
]
LONG = "The vents open, then the fans start, then the shades come down over the seedlings. " * 20
PAIRS = [*itertools.islice(itertools.combinations(LINES, 2), 47), (LINES[-1], LINES[0]), (LONG, LINES[0]), (LINES[3], LONG)]


@pytest.fixture(scope="module")
def scorer() -> PairScorer:
    return load_pair_scorer(find_model(), ARTEFACT)


@pytest.fixture(scope="module")
def engine(scorer: PairScorer) -> PairEngine:
    return scorer._engine


def _values(score: PairScore) -> list[float]:
    return [getattr(score, label) for label in LABELS]


@pytest.mark.model
def test_fifty_pairs_in_many_languages_get_the_probabilities_of_torch(engine: PairEngine) -> None:
    pytest.importorskip("transformers")
    import torch
    from safetensors.torch import load_file
    from transformers import AutoModel, AutoTokenizer

    sys.path.insert(0, str(ROOT / "tests" / "bench"))
    import judge_net

    torch.set_num_threads(1)
    facts = json.loads((ARTEFACT / SCORER_FILE).read_text("utf-8"))
    adapter = load_file(ARTEFACT / ADAPTER_FILE)
    encoder = AutoModel.from_pretrained(find_model()).eval()
    judge_net.merge_adapter(encoder, adapter, facts["scale"])
    net = judge_net.PairNet(encoder, adapter["head.weight"].float(),
                            adapter["head.bias"].float() + torch.tensor(facts["bias"]), facts["temperature"])
    tokenizer = AutoTokenizer.from_pretrained(find_model())
    with torch.inference_mode():
        expected = net(judge_net.encode(tokenizer, PAIRS)).softmax(-1).numpy()
    assert len(PAIRS) == 50
    assert np.abs(engine.probabilities(PAIRS) - expected).max() <= 2e-4


@pytest.mark.model
def test_the_turned_pair_has_exactly_the_turned_score(scorer: PairScorer) -> None:
    forward = scorer.score(PAIRS)
    backward = scorer.score([(b, a) for a, b in PAIRS])
    assert [score.turned() for score in forward] == backward


@pytest.mark.model
def test_a_score_is_the_first_reading_or_the_mean_of_both_orders(scorer: PairScorer, engine: PairEngine) -> None:
    pairs = [(a, b) for a, b in itertools.combinations(sorted(LINES[:3]), 2)]
    pairs += [(a, b) for a, b in itertools.pairwise(sorted(["The gate is grey.", "Rye needs cold.", "Tax is due in May."]))]
    pairs += list(itertools.combinations(sorted(REWORDED), 2))
    firsts = engine.probabilities(pairs)
    turned = [_values(PairScore(*row).turned()) for row in engine.probabilities([(b, a) for a, b in pairs]).tolist()]
    means = (firsts + np.array(turned, np.float32)) / 2
    scores = np.array([_values(score) for score in scorer.score(pairs)])
    once, twice = (np.abs(scores - expected).max(axis=1) < 1e-5 for expected in (firsts, means))
    assert (once | twice).all()
    assert (once & ~twice).any()
    assert (twice & ~once).any()


@pytest.mark.model
def test_a_score_depends_neither_on_its_company_nor_on_the_run(engine: PairEngine) -> None:
    together = engine.probabilities([*PAIRS, PAIRS[0]])
    assert np.array_equal(together, engine.probabilities([*PAIRS, PAIRS[0]]))
    assert np.array_equal(together[0], together[-1])
    assert together.dtype == np.float32
    for place in (0, 20, 48):
        assert np.abs(engine.probabilities([PAIRS[place]])[0] - together[place]).max() < 1e-5


@pytest.mark.model
def test_of_two_texts_too_long_together_both_are_still_read(engine: PairEngine) -> None:
    ends = engine.probabilities([(LONG, "The fans stay off."), (LONG + "And more.", "The fans stay off."),
                                 (LONG, "The fans start.")])
    assert np.array_equal(ends[0], ends[1])
    assert np.abs(ends[0] - ends[2]).max() > 1e-3
    assert len(LONG.split()) > LONGEST_TOKENS


@pytest.mark.model
def test_scoring_needs_no_torch_says_nothing_and_starts_at_once() -> None:
    script = (
        "import json, sys, time\n"
        "from pathlib import Path\n"
        "begun = time.process_time()\n"
        "from dreamd.models.model_files import find_model\n"
        "from dreamd.models.pairscore import load_pair_scorer\n"
        f"load_pair_scorer(find_model(), Path({str(ARTEFACT)!r})).score([('The lid is shut.', 'The lid is closed.')])\n"
        "took = time.process_time() - begun\n"
        "heavy = [name for name in ('torch', 'transformers', 'sentence_transformers', 'sklearn') if name in sys.modules]\n"
        "print(json.dumps([took, heavy]))\n"
    )
    runs = [subprocess.run([sys.executable, "-c", script], capture_output=True, check=True) for _ in range(3)]
    found = [json.loads(run.stdout) for run in runs]
    assert {run.stderr for run in runs} == {b""}
    assert all(heavy == [] for _, heavy in found)
    assert min(took for took, _ in found) < 5, "half a second on a usual machine"


@pytest.mark.model
@pytest.mark.parametrize("keep", [5, 4000, -1])
def test_an_adapter_cut_off_is_an_outage_with_a_next_step(tmp_path: Path, keep: int) -> None:
    for name in (ADAPTER_FILE, LEXICON_FILE, SCORER_FILE):
        shutil.copy(ARTEFACT / name, tmp_path / name)
    body = (tmp_path / ADAPTER_FILE).read_bytes()
    (tmp_path / ADAPTER_FILE).write_bytes(body[:keep])
    with pytest.raises(Outage) as caught:
        load_pair_scorer(find_model(), tmp_path)
    assert (caught.value.component, caught.value.code) == ("model", "judge-changed")
    assert caught.value.hint


@pytest.mark.model
def test_a_calibration_of_another_shape_is_refused(tmp_path: Path) -> None:
    for name in (ADAPTER_FILE, LEXICON_FILE, SCORER_FILE):
        shutil.copy(ARTEFACT / name, tmp_path / name)
    facts = json.loads((tmp_path / SCORER_FILE).read_text("utf-8"))
    (tmp_path / SCORER_FILE).write_text(json.dumps(facts | {"bias": [0.5]}), "utf-8")
    with pytest.raises(Outage, match="cannot be loaded"):
        load_pair_scorer(find_model(), tmp_path)


@pytest.mark.model
def test_tensors_read_one_at_a_time_are_those_of_the_library() -> None:
    from safetensors.numpy import load_file

    for path in (find_model() / WEIGHTS, ARTEFACT / ADAPTER_FILE):
        expected = {name: tensor for name, tensor in load_file(path).items() if tensor.dtype.kind == "f"}
        with WeightFile(path) as weights:
            assert expected.keys() <= weights.names
            assert all(np.array_equal(weights.read(name), tensor) for name, tensor in expected.items())


def test_a_file_of_something_else_is_not_read_as_weights(tmp_path: Path) -> None:
    headers = (b"[]", b"\xff{}}", b'{"a": ')
    for body in (b"", b"PK\x03\x04 and so on, a zip", *(len(one).to_bytes(8, "little") + one for one in headers)):
        (tmp_path / WEIGHTS).write_bytes(body)
        with pytest.raises(ValueError), WeightFile(tmp_path / WEIGHTS):
            pass


@pytest.mark.model
def test_the_checksum_of_the_weights_follows_the_file(tmp_path: Path) -> None:
    (tmp_path / WEIGHTS).write_bytes(b"one")
    before = weights_sha256(tmp_path)
    (tmp_path / WEIGHTS).write_bytes(b"other")
    assert weights_sha256(tmp_path) != before
