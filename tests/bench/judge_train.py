"""Train the pair scorer: a low-rank adapter on the embedding model's weights that reads two statements together.

    python tests/bench/judge_train.py --model-dir DIR --public DIR [--out config/judge] [--parts DIR]

Two stages: the first sees all kinds of pairs, the second goes on from it with pairs of other languages and of their
glosses; the adapter is the mean of where both ended, which knows what either knows. One thread, so that sums come out
the same: about a quarter of an hour where nothing else runs.

Data: `judge_data/` beside this file (written for this project) and the pairs `judge_generate.py` makes from it by rule;
three public sets taken by path and never copied: SNLI dev (CC BY-SA 4.0), CheckList templates (MIT), sentences of
WikiFactCheck with their negation (CC BY-SA 4.0). The seed is fixed and other languages are read with the lexicon beside the
groups, which does not grow, so a second run prints the same figures.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from safetensors.torch import save_file
from torch import nn
from transformers import AutoModel, AutoTokenizer

sys.path.insert(0, str(Path(__file__).parent))

import judge_abroad
import judge_generate
import judge_net

from dreamd.core.values import content_id
from dreamd.models import pairscore
from dreamd.models.lexical.glossary import load_glossary
from dreamd.models.pairs import FEATURES

SEED = 20
RANK = 24
SCALE = 2.0
BATCH = 32
KEPT_EVERY = 500
"""Steps after which a training is kept, to go on after a stop."""
MERGING = 3
"""The first labels are those that merge."""
QUIET = 2
"""The last ones are those of which nothing follows."""
LINE = 0.76
"""From here on the judge merges where nothing but the score tells."""
MOST_FALSE = 0.02
"""Share of the pairs kept back that must stay apart which may lie above the line: most of these a guard sees."""
CONFLICTING = 0.5
"""How much further than related ones the labels of a change or conflict are moved: only what the wording shows counts."""
BOLDER = 0.3
"""How much further than the richer ones the first label is moved: guards see more of what is wrong with it."""
NOT_A_MERGE = 8
"""A pair of which is only known that it must not merge."""


@dataclass(frozen=True)
class Stage:
    """One round of training; the next goes on from where it ends."""

    seed: int
    epochs: int
    rate: float


STAGES = (Stage(SEED, 2, 1.2e-3), Stage(SEED + 1, 1, 7e-4))
"""All kinds of pairs, then those of other languages."""


class LoraLinear(nn.Module):
    """A frozen linear layer with a trained low-rank product beside it."""

    def __init__(self, base: nn.Linear) -> None:
        super().__init__()
        self.base = base
        self.down = nn.Parameter(torch.randn(RANK, base.in_features) / base.in_features**0.5)
        self.up = nn.Parameter(torch.zeros(base.out_features, RANK))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """One product with the sum of both weights: twice as fast on a processor as two thin products beside it."""
        return nn.functional.linear(x, self.base.weight + SCALE * (self.up @ self.down), self.base.bias)


def adapt(encoder: nn.Module) -> dict[str, nn.Parameter]:
    """Freeze the encoder, put adapters on every linear layer, free the norms and segment embeddings."""
    for parameter in encoder.parameters():
        parameter.requires_grad_(False)
    trained: dict[str, nn.Parameter] = {}
    for name, module in list(encoder.named_modules()):
        for child, layer in list(module.named_children()):
            if isinstance(layer, nn.Linear) and name.startswith("encoder."):
                lora = LoraLinear(layer)
                setattr(module, child, lora)
                trained[f"{name}.{child}.down"], trained[f"{name}.{child}.up"] = lora.down, lora.up
    for name, parameter in encoder.named_parameters():
        if "LayerNorm" in name or "token_type" in name:
            parameter.requires_grad_(True)
            trained[name + ".delta"] = parameter
    return trained


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


class Course:
    """A net in training; what it has learned outlives a stop."""

    def __init__(self, model_dir: Path, parts: Path | None) -> None:
        torch.manual_seed(SEED)
        self._parts = parts
        self._came_by = ""
        self._tokenizer = AutoTokenizer.from_pretrained(model_dir)
        self._encoder = AutoModel.from_pretrained(model_dir)
        plain = {n: p.detach().clone() for n, p in self._encoder.named_parameters() if "LayerNorm" in n or "token_type" in n}
        self._start = plain
        self._trained = adapt(self._encoder)
        self._head = nn.Linear(FEATURES * self._encoder.config.hidden_size, len(pairscore.LABELS))
        self._parameters = [*self._trained.values(), *self._head.parameters()]

    def run(self, rows: list[judge_generate.Row], number: int) -> None:
        """One stage, from its beginning or from where it was stopped."""
        stage = STAGES[number]
        course = repr((stage.seed, stage.epochs, stage.rate))
        self._came_by = content_id(self._came_by, course, judge_generate.rows_sha256(rows), size=16)
        torch.manual_seed(stage.seed)
        batches = _batches(rows, random.Random(stage.seed), stage.epochs)
        optimiser = torch.optim.AdamW(self._parameters, lr=stage.rate, weight_decay=0.01)
        schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, max_lr=stage.rate, total_steps=len(batches), pct_start=0.08)
        done = self._load(optimiser, schedule)
        self._encoder.train()
        began, shown = time.time(), 0.0
        for step, part in enumerate(batches[done:], done + 1):
            loss = self._learn(part, optimiser)
            schedule.step()
            shown = 0.98 * shown + 0.02 * loss
            if step % 100 == 0:
                mean, speed = shown / (1 - 0.98 ** (step - done)), (step - done) * BATCH / (time.time() - began)
                print(f"step {step}/{len(batches)} loss {mean:.3f} {speed:.0f} pairs/s", flush=True)
            if step % KEPT_EVERY == 0 or step == len(batches):
                self._save(step, optimiser, schedule)

    def _learn(self, part: list[judge_generate.Row], optimiser: torch.optim.Optimizer) -> float:
        batch = judge_net.encode(self._tokenizer, [(a, b) for a, b, _ in part])
        with torch.autocast("cpu", dtype=torch.bfloat16):
            hidden = self._encoder(**batch).last_hidden_state
        pooled = judge_net.pool(hidden.float(), batch["attention_mask"], batch["token_type_ids"])
        logits = self._head(nn.functional.dropout(pooled, 0.1))
        loss = loss_of(logits, torch.tensor([label for _, _, label in part]))
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self._parameters, 1.0)
        optimiser.step()
        optimiser.zero_grad()
        return float(loss.detach())

    def _kept(self) -> Path | None:
        """Where this training is kept: another one, by its pairs or by what came before, has another file."""
        return self._parts / f"{self._came_by}.pt" if self._parts else None

    def _save(self, step: int, optimiser: torch.optim.Optimizer, schedule: torch.optim.lr_scheduler.LRScheduler) -> None:
        path = self._kept()
        if path:
            kept = {"step": step, "learned": [p.detach() for p in self._parameters], "chance": torch.get_rng_state()}
            torch.save(kept | {"optimiser": optimiser.state_dict(), "schedule": schedule.state_dict()}, f"{path}.new")
            Path(f"{path}.new").replace(path)

    def _load(self, optimiser: torch.optim.Optimizer, schedule: torch.optim.lr_scheduler.LRScheduler) -> int:
        """Take up what was kept of a stage; the steps it had come to."""
        path = self._kept()
        if not path or not path.is_file():
            return 0
        kept = torch.load(path, weights_only=False)
        with torch.no_grad():
            for parameter, learned in zip(self._parameters, kept["learned"], strict=True):
                parameter.copy_(learned)
        optimiser.load_state_dict(kept["optimiser"])
        schedule.load_state_dict(kept["schedule"])
        torch.set_rng_state(kept["chance"])
        return int(kept["step"])

    def adapter(self) -> dict[str, torch.Tensor]:
        """The tensors of the artefact."""
        tensors = {
            n: (p.detach() - self._start[n.removesuffix(".delta")] if n.endswith(".delta") else p.detach()).half().contiguous()
            for n, p in self._trained.items()
        }
        head = {"head.weight": self._head.weight, "head.bias": self._head.bias}
        return tensors | {n: p.detach().half().contiguous() for n, p in head.items()}


def mean(adapters: Sequence[dict[str, torch.Tensor]]) -> dict[str, torch.Tensor]:
    """What lies between adapters of which each went on from the one before."""
    return {
        name: torch.stack([one[name].float() for one in adapters]).mean(0).half().contiguous() for name in adapters[0]
    }


def _batches(rows: list[tuple[str, str, int]], chance: random.Random, epochs: int) -> list[list[tuple[str, str, int]]]:
    """Batches of similar length in random order, each pair turned round half of the time."""
    out: list[list[tuple[str, str, int]]] = []
    for _ in range(epochs):
        mixed = [judge_generate.turned(row) if chance.random() < 0.5 else row for row in rows]
        chance.shuffle(mixed)
        for block in range(0, len(mixed), BATCH * 40):
            near = sorted(mixed[block : block + BATCH * 40], key=lambda r: len(r[0]) + len(r[1]))
            parts = [near[i : i + BATCH] for i in range(0, len(near), BATCH)]
            chance.shuffle(parts)
            out.extend(parts)
    return out


def calibrate(model_dir: Path, adapter: dict[str, torch.Tensor], checks: list[judge_generate.Row]) -> dict[str, object]:
    """Temperature and a shift of the merging labels, fitted on pairs of groups that were not trained on."""
    tokenizer = AutoTokenizer.from_pretrained(model_dir)
    encoder = AutoModel.from_pretrained(model_dir)
    judge_net.merge_adapter(encoder, adapter, SCALE)
    net = judge_net.PairNet(encoder.eval(), adapter["head.weight"].float(), adapter["head.bias"].float(), 1.0)
    logits: list[torch.Tensor] = []
    with torch.inference_mode():
        for i in range(0, len(checks), 64):
            logits.append(net(judge_net.encode(tokenizer, [(a, b) for a, b, _ in checks[i : i + 64]])))
    scores, truth = torch.cat(logits), torch.tensor([label for _, _, label in checks])
    loss, temperature = min(
        (float(nn.functional.cross_entropy(scores / t, truth)), t) for t in [0.6 + 0.05 * k for k in range(50)]
    )
    right = float((scores.argmax(-1) == truth).float().mean())
    moved = scores / temperature
    moved[:, MERGING:-QUIET] += CONFLICTING
    shift, false, found = line(moved, truth < MERGING)
    print(f"groups kept back: {len(checks)} pairs, {right:.3f} right of {len(pairscore.LABELS)} labels")
    print(f"temperature {temperature:.2f}, loss {loss:.3f}; merging labels {shift:+.1f}: at {LINE} {false:.1%} of what must")
    print(f"stay apart and {found:.1%} of what belongs together, before any guard")
    return {
        "temperature": round(temperature, 2),
        "bias": [round(b * temperature, 3) for b in (shift + BOLDER, shift, shift, *[CONFLICTING] * 3, *[0.0] * QUIET)],
        "kept_back_right": round(right, 4),
        "kept_back_pairs": len(checks),
        "kept_back_false_merges": round(false, 4),
        "kept_back_merges_found": round(found, 4),
    }


def line(scores: torch.Tensor, merging: torch.Tensor) -> tuple[float, float, float]:
    """The boldest shift of the merging labels with few enough false merges at `LINE`; and the shares at it."""
    steps = [k / 10 for k in range(15, -31, -1)]
    for shift in steps:
        moved = scores.clone()
        moved[:, :MERGING] += shift
        above = moved.softmax(-1)[:, :MERGING].sum(-1) >= LINE
        false, found = float(above[~merging].float().mean()), float(above[merging].float().mean())
        if false <= MOST_FALSE or shift == steps[-1]:
            break
    return shift, false, found


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model-dir", type=Path, required=True)
    parser.add_argument("--public", type=Path, required=True, help="folder with the three public sets")
    parser.add_argument("--out", type=Path, default=Path("config/judge"))
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--parts", type=Path, help="folder that keeps what was learned, to go on after a stop")
    parser.add_argument("--limit", type=int, default=0, help="train on this many pairs only")
    args = parser.parse_args()
    missing = [n for n in judge_generate.PUBLIC_FILES if not (args.public / n).is_file()]
    if missing:
        print(
            f"the public sets {', '.join(missing)} are not in `{args.public}`; the scorer cannot be rebuilt without them",
            file=sys.stderr,
        )
        return 2
    torch.set_num_threads(args.threads)
    for folder in (args.out, *([args.parts] if args.parts else [])):
        folder.mkdir(parents=True, exist_ok=True)
    glossary = load_glossary(judge_abroad.LEXICON)
    course = Course(args.model_dir, args.parts)
    adapters: list[dict[str, torch.Tensor]] = []
    sums: list[str] = []
    for number, stage in enumerate(STAGES):
        rows = (judge_generate.abroad_pairs(stage.seed, glossary) if number
                else judge_generate.training_pairs(args.public, stage.seed, glossary))[: args.limit or None]
        sums.append(judge_generate.rows_sha256(rows))
        print(f"stage {number}: {len(rows)} pairs to train on, sha256 {sums[-1]}", flush=True)
        course.run(rows, number)
        adapters.append(course.adapter())
    tensors = mean(adapters)
    checks = [(*glossary.read(a, b), label) for a, b, label in judge_generate.kept_back_pairs(SEED)]
    facts = calibrate(args.model_dir, tensors, checks) | {
        "labels": list(pairscore.LABELS),
        "rank": RANK,
        "scale": SCALE,
        "seed": SEED,
        "base_sha256": pairscore.file_sha256(args.model_dir / "model.safetensors"),
        "lexicon_sha256": pairscore.file_sha256(judge_abroad.LEXICON),
        "rows_sha256": sums,
    }
    save_file(tensors, args.out / pairscore.ADAPTER_FILE)
    (args.out / pairscore.SCORER_FILE).write_text(json.dumps(facts, indent=1, sort_keys=True) + "\n", "utf-8")
    for name in (pairscore.ADAPTER_FILE, pairscore.SCORER_FILE):
        print(f"{(args.out / name).stat().st_size / 1e6:.2f} MB  sha256 {pairscore.file_sha256(args.out / name)}  {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
