"""The pair scorer's net in torch: what training fits and what the engine in numpy is held against."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch
from torch import nn

from dreamd.models.pairs import LONGEST_TOKENS


class PairNet:
    """The encoder and a linear head on what it pools; calling it gives logits."""

    def __init__(self, encoder: nn.Module, weight: torch.Tensor, bias: torch.Tensor, temperature: float) -> None:
        self.encoder = encoder
        self._weight = weight
        self._bias = bias
        self._temperature = temperature

    def __call__(self, batch: dict[str, torch.Tensor]) -> torch.Tensor:
        """Logits of the labels for a batch of encoded pairs."""
        hidden = self.encoder(**batch).last_hidden_state.float()
        pooled = pool(hidden, batch["attention_mask"], batch["token_type_ids"])
        return (pooled @ self._weight.T + self._bias) / self._temperature


def pool(hidden: torch.Tensor, mask: torch.Tensor, kinds: torch.Tensor) -> torch.Tensor:
    """First token, mean of all tokens, and of the two statements' means the distance and the product."""
    left, right = _mean(hidden, mask * (1 - kinds)), _mean(hidden, mask * kinds)
    return torch.cat([hidden[:, 0], _mean(hidden, mask), (left - right).abs(), left * right], dim=-1)


def _mean(hidden: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    weights = mask.unsqueeze(-1).to(hidden.dtype)
    return (hidden * weights).sum(1) / weights.sum(1)


def merge_adapter(encoder: nn.Module, adapter: Mapping[str, torch.Tensor], scale: float) -> None:
    """Add the low-rank products and plain deltas of the adapter to the weights they were trained on."""
    weights = dict(encoder.named_parameters())
    with torch.no_grad():
        for name, tensor in adapter.items():
            if name.endswith(".down"):
                base = name.removesuffix(".down")
                weights[base + ".weight"].data += scale * (adapter[base + ".up"].float() @ tensor.float())
            elif name.endswith(".delta"):
                weights[name.removesuffix(".delta")].data += tensor.float()


def encode(tokenizer: object, pairs: Sequence[tuple[str, str]]) -> dict[str, torch.Tensor]:
    """Token tensors of pairs, cut at the longest length the net reads."""
    assert callable(tokenizer)
    batch = tokenizer(
        [a for a, _ in pairs],
        [b for _, b in pairs],
        padding=True,
        truncation="longest_first",
        max_length=LONGEST_TOKENS,
        return_tensors="pt",
    )
    return dict(batch)
