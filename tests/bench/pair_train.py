"""Train a net that reads two statements of any language, on a multilingual base, all layers but the word table.

Two passes over the generated pairs as they were written; `pair_folds.py` goes on with labelled ones. What was learned is kept,
to go on after a stop. On one machine with one number of threads two trainings end in the same figures.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import judge_generate
import numpy as np
import torch
from judge_frames import A_NEWER, A_RICHER, B_NEWER, B_RICHER, CLASH, NOT_A_MERGE, RELATED, SAME, UNRELATED, Row
from question_train import quick_numbers
from sklearn.metrics import average_precision_score
from torch import nn
from transformers import BertConfig, BertModel

from dreamd.models.multilingual_base import MultilingualBase, find_base

LABELS = 8
LONGEST_TOKENS = 256
BATCH = 32
KEPT_EVERY = 200
EARLY_LAYERS, EARLY_RATE = 4, 1e-3
"""Layers before the early head, and how fast it learns: it starts from nothing with each set of labelled pairs."""
MERGING, CONFLICTING = slice(0, 3), slice(3, 6)
FALSE_MERGES, COLLATERAL = 0.005, 0.015
"""Shares of what must stay apart at which the finds are told."""


@dataclass(frozen=True)
class Stage:
    """One round of training."""

    name: str
    rate: float
    seed: int
    batch: int
    early: float = 0.0
    """What the loss of a head after the first layers counts beside the other (deep supervision, Lee et al. 2015). It was meant
    to let pairs go early and tells too little for that (area under curve .65), so it stays behind."""


def bert(base: MultilingualBase) -> BertModel:
    """The base as a net of torch: its word table frozen, the second statement's type starting as a copy of the first."""
    shape = base.shape
    net = BertModel(BertConfig(
        vocab_size=8, hidden_size=shape.hidden, num_hidden_layers=shape.layers, num_attention_heads=shape.heads,
        intermediate_size=shape.inner, max_position_embeddings=shape.positions, type_vocab_size=shape.kinds,
        layer_norm_eps=shape.epsilon, pad_token_id=base.padding, attn_implementation="eager"), add_pooling_layer=False)
    wide, inner = shape.hidden, shape.inner

    def read(name: str, *size: int) -> torch.Tensor:
        return torch.from_numpy(base.tensor(name, *size).copy())

    kinds = read("emb.type", shape.kinds, wide)
    kinds[1] = kinds[0]
    named = {"embeddings.position_embeddings.weight": read("emb.pos", shape.positions, wide),
             "embeddings.token_type_embeddings.weight": kinds,
             "embeddings.LayerNorm.weight": read("emb.ln.w", wide), "embeddings.LayerNorm.bias": read("emb.ln.b", wide)}
    square = {"attention.self.query": "q", "attention.self.key": "k", "attention.self.value": "v",
              "attention.output.dense": "ao"}
    for number in range(shape.layers):
        to, at = f"encoder.layer.{number}.", f"l{number}."
        sizes = {**{key: (part, wide, wide) for key, part in square.items()},
                 "intermediate.dense": ("fi", inner, wide), "output.dense": ("fo", wide, inner)}
        for key, (part, rows, columns) in sizes.items():
            named[f"{to}{key}.weight"] = read(f"{at}{part}.w", rows, columns)
            named[f"{to}{key}.bias"] = read(f"{at}{part}.b", rows)
        for key, part in (("attention.output.LayerNorm", "aln"), ("output.LayerNorm", "oln")):
            named[f"{to}{key}.weight"], named[f"{to}{key}.bias"] = read(f"{at}{part}.w", wide), read(f"{at}{part}.b", wide)
    net.load_state_dict(named, strict=False)
    net.embeddings.word_embeddings = nn.Embedding.from_pretrained(
        read("emb.word", shape.vocabulary, wide), freeze=True, padding_idx=base.padding)
    return net


def encode(base: MultilingualBase, pairs: Sequence[tuple[str, str]]) -> dict[str, torch.Tensor]:
    """`<s> a </s> b </s>` for each pair, padded; of two too long together the longer one loses its end first."""
    numbers = base.numbers([text for pair in pairs for text in pair])
    rows: list[tuple[list[int], int]] = []
    for one, other in zip(numbers[::2], numbers[1::2], strict=True):
        while len(one) + len(other) > LONGEST_TOKENS - 3:
            (one if len(one) >= len(other) else other).pop()
        rows.append(([base.first, *one, base.last, *other, base.last], len(one) + 2))
    size = (len(rows), max(len(row) for row, _ in rows))
    batch = {"input_ids": torch.full(size, base.padding), "token_type_ids": torch.zeros(size, dtype=torch.long),
             "attention_mask": torch.zeros(size, dtype=torch.long)}
    for i, (row, second_at) in enumerate(rows):
        batch["input_ids"][i, : len(row)] = torch.tensor(row)
        batch["token_type_ids"][i, second_at : len(row)] = 1
        batch["attention_mask"][i, : len(row)] = 1
    return batch


def label_of(row: dict[str, str]) -> int:
    """The net's label for a labelled pair: of two claims the longer is the richer, of two values the later the newer."""
    later_b = row["b_at"] >= row["a_at"]
    return {"duplicate": SAME, "refines": B_RICHER if len(row["b"]) >= len(row["a"]) else A_RICHER,
            "updates": B_NEWER if later_b else A_NEWER, "contradicts": CLASH, "related": RELATED,
            "unrelated": UNRELATED}[row["relation"]]


def loss_of(logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """Cross entropy with a little smoothing; for `NOT_A_MERGE` only the mass on the three merging labels counts."""
    log = logits.float().log_softmax(-1)
    known = labels != NOT_A_MERGE
    total = torch.zeros(())
    if known.any():
        total = total + nn.functional.cross_entropy(logits[known].float(), labels[known], label_smoothing=0.03, reduction="sum")
    if (~known).any():
        total = total - log[~known][:, 3:].logsumexp(-1).sum()
    return total / len(labels)


def pool(hidden: torch.Tensor, mask: torch.Tensor, kinds: torch.Tensor) -> torch.Tensor:
    """First token, mean of all tokens, and of the two statements' means the distance and the product."""
    left, right = _mean(hidden, mask * (1 - kinds)), _mean(hidden, mask * kinds)
    return torch.cat([hidden[:, 0], _mean(hidden, mask), (left - right).abs(), left * right], dim=-1)


def _mean(hidden: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    weights = mask.unsqueeze(-1).to(hidden.dtype)
    return (hidden * weights).sum(1) / weights.sum(1)


class PairCourse:
    """A net in training."""

    def __init__(self, base: MultilingualBase, parts: Path | None) -> None:
        torch.manual_seed(0)
        self._base, self._parts = base, parts
        self._encoder = bert(base)
        self._head = nn.Linear(4 * base.shape.hidden, LABELS)
        self._early_head = nn.Linear(4 * base.shape.hidden, 1)
        nn.init.zeros_(self._early_head.weight)
        nn.init.zeros_(self._early_head.bias)
        self._learned = {**{n: p for n, p in self._encoder.named_parameters() if p.requires_grad},
                         **{f"head.{n}": p for n, p in self._head.named_parameters()}}
        self._early = {f"early.{n}": p for n, p in self._early_head.named_parameters()}

    def logits(self, pairs: Sequence[tuple[str, str]]) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits of the labels, and of the early head: that two are one claim or cannot both hold."""
        batch = encode(self._base, pairs)
        with quick_numbers():
            layers = self._encoder(**batch, output_hidden_states=True).hidden_states
        last, early = (pool(hidden.float(), batch["attention_mask"], batch["token_type_ids"])
                       for hidden in (layers[-1], layers[EARLY_LAYERS]))
        return (self._head(nn.functional.dropout(last, 0.1, training=self._encoder.training)), self._early_head(early)[:, 0])

    def run(self, rows: list[Row], stage: Stage) -> None:
        """One pass, from its beginning or from where it was stopped."""
        batches = list(_batches(rows, random.Random(stage.seed), stage.batch))
        torch.manual_seed(stage.seed)
        optimiser = torch.optim.AdamW([{"params": [*self._learned.values()]}, {"params": [*self._early.values()]}],
                                      lr=stage.rate, weight_decay=0.01, fused=True)
        schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, max_lr=[stage.rate, EARLY_RATE], total_steps=len(batches),
                                                       pct_start=0.08)
        kept = self._parts / f"{stage.name}.pt" if self._parts else None
        done = self._load(kept, optimiser, schedule) if kept and kept.is_file() else 0
        self._encoder.train()
        self._keep_all()
        began = time.time()
        for step, part in enumerate(batches[done:], done + 1):
            logits, early = self.logits([(a, b) for a, b, _ in part])
            labels = torch.tensor([label for _, _, label in part])
            loss = loss_of(logits, labels)
            if stage.early:
                loss = loss + stage.early * nn.functional.binary_cross_entropy_with_logits(
                    early, (labels < CONFLICTING.stop).float())
            loss.backward()
            torch.nn.utils.clip_grad_norm_(self._learned.values(), 1.0)
            optimiser.step()
            schedule.step()
            optimiser.zero_grad()
            if step % KEPT_EVERY == 0 or step == len(batches):
                speed = (step - done) * stage.batch / (time.time() - began)
                print(f"{stage.name} {step}/{len(batches)} loss {float(loss):.3f} {speed:.0f} pairs/s", flush=True)
                if kept:
                    self._keep(kept, step, optimiser, schedule)

    def take(self, path: Path) -> None:
        """Go on from what an earlier pass has learned."""
        self._set(torch.load(path, weights_only=False)["learned"])

    def _set(self, learned: dict[str, torch.Tensor]) -> None:
        with torch.no_grad():
            for name, parameter in self._all().items():
                parameter.copy_(learned[name])

    def _all(self) -> dict[str, nn.Parameter]:
        return {**self._learned, **self._early}

    def learned(self) -> dict[str, np.ndarray]:
        """Every weight that ships changed, by its name in the encoder."""
        return {name: p.detach().numpy().copy() for name, p in self._learned.items()}

    def _keep_all(self) -> None:
        """No dropout inside the layers: it is worth its time only where the same few pairs are read many times."""
        for part in self._encoder.modules():
            if isinstance(part, nn.Dropout):
                part.p = 0.0

    def _keep(self, path: Path, step: int, *moving: torch.optim.Optimizer | torch.optim.lr_scheduler.LRScheduler) -> None:
        learned = {name: p.detach() for name, p in self._all().items()}
        torch.save({"step": step, "learned": learned, "chance": torch.get_rng_state(),
                    "moving": [one.state_dict() for one in moving]}, f"{path}.new")
        Path(f"{path}.new").replace(path)

    def _load(self, path: Path, *moving: torch.optim.Optimizer | torch.optim.lr_scheduler.LRScheduler) -> int:
        kept = torch.load(path, weights_only=False)
        self._set(kept["learned"])
        for one, state in zip(moving, kept["moving"], strict=True):
            one.load_state_dict(state)
        torch.set_rng_state(kept["chance"])
        return int(kept["step"])


def _batches(rows: list[Row], chance: random.Random, size: int) -> Iterator[list[Row]]:
    """Batches of similar length in random order, each pair turned round half of the time."""
    mixed = [judge_generate.turned(row) if chance.random() < 0.5 else row for row in rows]
    chance.shuffle(mixed)
    for block in range(0, len(mixed), size * 40):
        near = sorted(mixed[block : block + size * 40], key=lambda r: len(r[0]) + len(r[1]))
        parts = [near[i : i + size] for i in range(0, len(near), size)]
        chance.shuffle(parts)
        yield from parts


def report(name: str, rows: Sequence[dict[str, str]], found: np.ndarray) -> dict[str, float]:
    """Average precision of merges and conflicts, and the share found at a few false ones. Thresholds are chosen here."""
    said = np.array([row["relation"] for row in rows])
    merge, conflict = np.isin(said, ["duplicate", "refines"]), np.isin(said, ["updates", "contradicts"])
    merging, conflicting = found[:, MERGING].sum(1), found[:, CONFLICTING].sum(1)
    figures = {"pairs": float(len(rows)), "merges_ap": float(average_precision_score(merge, merging)),
               "conflicts_ap": float(average_precision_score(conflict, conflicting)),
               "merges_found": _found(merging, merge, ~merge, FALSE_MERGES),
               "conflicts_found": _found(conflicting, conflict, ~merge & ~conflict, COLLATERAL)}
    print(f"{name}: " + ", ".join(f"{key} {value:.3f}" for key, value in figures.items()), flush=True)
    return figures


def _found(score: np.ndarray, wanted: np.ndarray, unwanted: np.ndarray, share: float) -> float:
    """The share of the wanted that lies above all but `share` of the unwanted; not a number where one kind is missing."""
    if not wanted.any() or not unwanted.any():
        return float("nan")
    highest = np.sort(score[unwanted])[::-1]
    return float((score[wanted] > highest[min(len(highest) - 1, round(share * len(highest)))]).mean())


def generated(data: Path, parts: Path, *, threads: int) -> None:
    """Two passes over the generated pairs, kept in `parts`; what is there already is not done again."""
    torch.set_num_threads(threads)
    parts.mkdir(parents=True, exist_ok=True)
    course = PairCourse(MultilingualBase(find_base()), parts)
    rows = judge_generate.written_pairs(data / "pairs" / "public", 20)
    print(f"{len(rows)} generated pairs, sha256 {judge_generate.rows_sha256(rows)}", flush=True)
    for stage in (Stage("first", 1e-4, 20, BATCH), Stage("second", 7e-5, 21, BATCH)):
        course.run(rows, stage)
