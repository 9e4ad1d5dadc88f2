"""What is trained upon the net that reads pairs: that net in torch, products beside its upper layers, and their file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import torch
from pair_train import bert
from question_train import SCALE, Adapted
from question_train import Recipe as Rank
from safetensors.torch import save_file
from torch import nn
from transformers import BertModel

from dreamd.models import multilingual_base
from dreamd.models.answer_net import pair_net_sha256
from dreamd.models.multilingual_base import MultilingualBase
from dreamd.models.pair_net import changed_weights, shipped_file
from dreamd.models.weights import WeightFile

ADAPTED = ("query", "value", "dense")


def pair_encoder(base: MultilingualBase) -> BertModel:
    """The net that reads pairs, nothing of it to be trained; without dropout a step takes little more than half of the time."""
    encoder = bert(base)
    with WeightFile(shipped_file()) as pairs, torch.no_grad():
        read = changed_weights(base, pairs)
        for name, parameter in encoder.named_parameters():
            if "word_embeddings" not in name:
                parameter.copy_(torch.from_numpy(read(name)))
            parameter.requires_grad_(False)
    return encoder.eval()


def add_products(encoder: BertModel, *, rank: int, lowest: int) -> dict[str, nn.Parameter]:
    """Put a low-rank product beside every linear layer from one layer on; what is trained of them, by its name in the file."""
    trained: dict[str, nn.Parameter] = {}
    upper = tuple(f"encoder.layer.{n}." for n in range(lowest, len(encoder.encoder.layer)))
    for name, module in list(encoder.named_modules()):
        for child, layer in list(module.named_children()):
            if isinstance(layer, nn.Linear) and child in ADAPTED and name.startswith(upper):
                adapted = Adapted(layer, Rank(rank=rank, dropout=0.0))
                setattr(module, child, adapted)
                at = f"{name}.{child}.weight"
                trained[f"{at}.down"], trained[f"{at}.up"] = adapted.down, adapted.up
    return trained


def new_head(base: MultilingualBase, labels: Sequence[str]) -> nn.Linear:
    """A head on what is pooled of a pair, that has learned nothing yet."""
    head = nn.Linear(4 * base.shape.hidden, len(labels))
    nn.init.normal_(head.weight, std=0.01)
    nn.init.zeros_(head.bias)
    return head


def save_trained(path: Path, trained: Mapping[str, nn.Parameter], labels: Sequence[str]) -> None:
    """The file that ships; the scale of the products is in one of their factors."""
    scale = {name: SCALE if name.endswith(".up") else 1.0 for name in trained}
    tensors = {name: (parameter.detach() * scale[name]).contiguous() for name, parameter in trained.items()}
    kept = {name: value if "head." in name else value.half() for name, value in tensors.items()}
    told = {"base_sha256": multilingual_base.SHA256, "upon_sha256": pair_net_sha256(), "labels": ",".join(labels)}
    path.parent.mkdir(parents=True, exist_ok=True)
    save_file(kept, path, metadata=told)
    path.chmod(0o644)
