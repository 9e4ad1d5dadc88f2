"""Train the pair scorer: a low-rank adapter on the embedding model's weights that reads two statements together.

    python tests/bench/judge_train.py --model-dir DIR --public DIR [--out config/judge]

One thread, so that sums come out the same: about a quarter of an hour where nothing else runs.

Data: `judge_data/` beside this file (written for this project) and the pairs `judge_generate.py` makes from it by rule;
three public sets taken by path and never copied: SNLI dev (CC BY-SA 4.0), CheckList templates (MIT), sentences of
WikiFactCheck with their negation (CC BY-SA 4.0). The seed is fixed, so a second run prints the same figures.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from torch import nn
from transformers import AutoModel, AutoTokenizer

sys.path.insert(0, str(Path(__file__).parent))

import judge_generate
import judge_net

from dreamd import pairscore
from dreamd.embedding.glossary import load_glossary
from dreamd.embedding.pairs import FEATURES

SEED = 20
RANK = 24
SCALE = 2.0
RATE = 1.2e-3
BATCH = 32
MERGING = 3
"""The first labels are those that merge."""
LINE = 0.76
"""From here on the judge merges where nothing but the score tells."""
MOST_FALSE = 0.02
"""Share of the unseen pairs that must stay apart which may lie above the line: most of these a guard sees."""
BOLDER = 0.3
"""How much further than the richer ones the first label is moved: guards see more of what is wrong with it."""
NOT_A_MERGE = 8
"""A pair of which is only known that it must not merge."""
EPOCHS = 2


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


def train(model_dir: Path, rows: list[judge_generate.Row], epochs: int) -> dict[str, torch.Tensor]:
    """Fit one adapter and return its tensors."""
    torch.manual_seed(SEED)
    chance = random.Random(SEED)
    tokenizer = AutoTokenizer.from_pretrained(model_dir)
    encoder = AutoModel.from_pretrained(model_dir)
    start = {n: p.detach().clone() for n, p in encoder.named_parameters() if "LayerNorm" in n or "token_type" in n}
    trained = adapt(encoder)
    head = nn.Linear(FEATURES * encoder.config.hidden_size, len(pairscore.LABELS))
    optimiser = torch.optim.AdamW([*trained.values(), *head.parameters()], lr=RATE, weight_decay=0.01)
    batches_of = _batches(rows, chance, epochs)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, max_lr=RATE, total_steps=len(batches_of), pct_start=0.08)
    encoder.train()
    began, shown = time.time(), 0.0
    for step, part in enumerate(batches_of):
        batch = judge_net.encode(tokenizer, [(a, b) for a, b, _ in part])
        with torch.autocast("cpu", dtype=torch.bfloat16):
            hidden = encoder(**batch).last_hidden_state
        pooled = judge_net.pool(hidden.float(), batch["attention_mask"], batch["token_type_ids"])
        logits = head(nn.functional.dropout(pooled, 0.1))
        loss = loss_of(logits, torch.tensor([label for _, _, label in part]))
        loss.backward()
        torch.nn.utils.clip_grad_norm_([*trained.values(), *head.parameters()], 1.0)
        optimiser.step()
        optimiser.zero_grad()
        schedule.step()
        shown = 0.98 * shown + 0.02 * loss.item()
        if step % 100 == 99:
            print(
                f"step {step + 1}/{len(batches_of)} loss {shown / (1 - 0.98 ** (step + 1)):.3f}",
                f"{(step + 1) * BATCH / (time.time() - began):.0f} pairs/s",
                flush=True,
            )
    tensors = {
        n: (p.detach() - start[n.removesuffix(".delta")] if n.endswith(".delta") else p.detach()).half().contiguous()
        for n, p in trained.items()
    }
    tensors["head.weight"], tensors["head.bias"] = (
        head.weight.detach().half().contiguous(),
        head.bias.detach().half().contiguous(),
    )
    return tensors


def blend(adapters: list[dict[str, torch.Tensor]]) -> dict[str, torch.Tensor]:
    """The mean of several adapters as one: low-rank factors side by side, everything else averaged."""
    out: dict[str, torch.Tensor] = {}
    for name in adapters[0]:
        parts = [a[name].float() for a in adapters]
        if name.endswith(".down"):
            whole = torch.cat(parts, 0)
        elif name.endswith(".up"):
            whole = torch.cat(parts, 1) / len(parts)
        else:
            whole = torch.stack(parts).mean(0)
        out[name] = whole.half().contiguous()
    return out


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
    shift, false, found = line(scores / temperature, truth < MERGING)
    print(f"unseen groups: {len(checks)} pairs, {right:.3f} right of {len(pairscore.LABELS)} labels")
    print(f"temperature {temperature:.2f}, loss {loss:.3f}; merging labels {shift:+.1f}: at {LINE} {false:.1%} of what must")
    print(f"stay apart and {found:.1%} of what belongs together, before any guard")
    return {
        "temperature": round(temperature, 2),
        "bias": [round(b * temperature, 3) for b in (shift + BOLDER, shift, shift, *[0.0] * (len(pairscore.LABELS) - MERGING))],
        "unseen_groups_right": round(right, 4),
        "unseen_groups_pairs": len(checks),
        "unseen_groups_false_merges": round(false, 4),
        "unseen_groups_merges_found": round(found, 4),
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
    parser.add_argument("--epochs", type=int, default=EPOCHS)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--parts", type=Path, help="folder that keeps each finished adapter, to go on after a stop")
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
    glossary = (
        load_glossary(args.out / pairscore.LEXICON_FILE)
        if (args.out / pairscore.LEXICON_FILE).is_file()
        else load_glossary(Path("config/judge") / pairscore.LEXICON_FILE)
    )
    adapters: list[dict[str, torch.Tensor]] = []
    args.out.mkdir(parents=True, exist_ok=True)
    for number, mixture in enumerate(judge_generate.MIXTURES):
        rows, checks = judge_generate.training_pairs(mixture, args.public, SEED, glossary)
        part = args.parts / f"part_{number}.safetensors" if args.parts else None
        if part and part.is_file():
            adapters.append(load_file(part))
            continue
        print(f"mixture {number}: {len(rows)} pairs to train on, {len(checks)} of unseen groups", flush=True)
        adapters.append(train(args.model_dir, rows[: args.limit or None], args.epochs))
        if part:
            save_file(adapters[-1], part)
    tensors = blend(adapters)
    facts = calibrate(args.model_dir, tensors, checks)
    save_file(tensors, args.out / pairscore.ADAPTER_FILE)
    facts |= {
        "labels": list(pairscore.LABELS),
        "rank": RANK * len(adapters),
        "scale": SCALE,
        "seed": SEED,
        "base_sha256": pairscore.file_sha256(args.model_dir / "model.safetensors"),
        "epochs": args.epochs,
    }
    (args.out / pairscore.SCORER_FILE).write_text(json.dumps(facts, indent=1, sort_keys=True) + "\n", "utf-8")
    print(f"adapter {(args.out / pairscore.ADAPTER_FILE).stat().st_size / 1e6:.2f} MB in `{args.out}`")
    for name in (pairscore.ADAPTER_FILE, pairscore.SCORER_FILE):
        print(f"sha256 {pairscore.file_sha256(args.out / name)}  {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
