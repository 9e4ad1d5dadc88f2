"""Train the question side of recall: a low-rank adapter with which the embedding model reads a question, never a stored text.

    python tests/bench/question_train.py --model-dir DIR [--out config/question] [--folds 4]

Texts keep the vectors of the plain model, so nothing that is stored changes. A question is drawn towards the text that answers
it and away from the others of its scene and some of other scenes. First the scenes are split into folds and each fold is asked
by an adapter that never met it, then one is trained on all of them and written. One thread and one seed, so that a second run
gives the same bytes.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import random
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from safetensors.torch import save_file
from torch import nn
from transformers import AutoModel, AutoTokenizer

sys.path.insert(0, str(Path(__file__).parent))

import question_scenes
from question_scenes import Scene, file_sha256

from dreamd.models import load_embedder
from dreamd.models.questions import ABOUT_FILE, ADAPTER_FILE

SCALE = 2.0
BEHIND = 0.5
"""What the nearness of a text behind its context counts beside that of the text alone."""
LONGEST_TOKENS = 96
ADAPTED = ("query", "value", "dense")
"""Layers with a product beside them; the pooler's is not read."""
WARM_UP = 20
"""Steps until the learning rate has risen to its height."""
LEAST = 0.02
"""Share of the learning rate that is left at the end."""
KS = (1, 3, 5, 10)


@dataclass(frozen=True)
class Recipe:
    """How an adapter is trained."""

    rank: int = 8
    epochs: int = 4
    rate: float = 5e-4
    temperature: float = 0.065
    others: int = 256
    """How many texts of other scenes every question is also held against: without them it forgets what a scene is about."""
    alone: float = 0.6
    """Share of the loss that counts the texts of the question's own scene only."""
    dropout: float = 0.05
    seed: int = 1


@dataclass(frozen=True)
class Told:
    """A scene with the vectors of its texts, which training does not change."""

    scene: Scene
    targets: torch.Tensor


class Adapted(nn.Module):
    """A frozen linear layer with a trained low-rank product beside it."""

    def __init__(self, base: nn.Linear, recipe: Recipe) -> None:
        super().__init__()
        self.base = base
        self.down = nn.Parameter(torch.randn(recipe.rank, base.in_features) / base.in_features**0.5)
        self.up = nn.Parameter(torch.zeros(base.out_features, recipe.rank))
        self._dropout = recipe.dropout

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """The layer's output and the scaled product."""
        beside = nn.functional.dropout(x, self._dropout, self.training) @ self.down.T @ self.up.T
        out: torch.Tensor = self.base(x) + SCALE * beside
        return out


class Reader:
    """The model as it reads questions."""

    def __init__(self, model_dir: Path, recipe: Recipe | None = None) -> None:
        """The plain model, or with a recipe one with adapters that have learned nothing yet."""
        self._tokenizer = AutoTokenizer.from_pretrained(model_dir)
        self.encoder = AutoModel.from_pretrained(model_dir)
        self.trained: dict[str, nn.Parameter] = {}
        for parameter in self.encoder.parameters():
            parameter.requires_grad_(False)
        for name, module in list(self.encoder.named_modules()) if recipe else []:
            for child, layer in list(module.named_children()):
                if recipe and isinstance(layer, nn.Linear) and child in ADAPTED and name.startswith("encoder."):
                    beside = Adapted(layer, recipe)
                    setattr(module, child, beside)
                    self.trained[f"{name}.{child}.down"], self.trained[f"{name}.{child}.up"] = beside.down, beside.up

    def read(self, questions: Sequence[str]) -> torch.Tensor:
        """A unit vector for each question."""
        batch = self._tokenizer(list(questions), padding=True, truncation=True, max_length=LONGEST_TOKENS, return_tensors="pt")
        hidden = self.encoder(**batch).last_hidden_state.float()
        weights = batch["attention_mask"].unsqueeze(-1).float()
        return nn.functional.normalize((hidden * weights).sum(1) / weights.sum(1), dim=-1)


def tell(model_dir: Path, scenes: Sequence[Scene]) -> list[Told]:
    """The scenes with the vectors that recall holds a question against."""
    embedder = load_embedder("light", directory=str(model_dir))
    told = []
    for scene in scenes:
        alone, behind = (torch.from_numpy(embedder.embed(texts)) for texts in (scene.texts, scene.behind))
        told.append(Told(scene, alone + BEHIND * behind))
    return told


def train(model_dir: Path, told: Sequence[Told], recipe: Recipe) -> Reader:
    """A reader of questions trained on scenes, one scene a step."""
    torch.manual_seed(recipe.seed)
    chance = random.Random(recipe.seed)
    reader = Reader(model_dir, recipe)
    parameters = list(reader.trained.values())
    optimiser = torch.optim.AdamW(parameters, lr=recipe.rate, weight_decay=0.01)
    asked = list(told)
    steps = recipe.epochs * len(asked)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: min(1.0, (step + 1) / WARM_UP) * max(LEAST, 1 - step / steps))
    reader.encoder.train()
    began = time.process_time()
    for epoch in range(recipe.epochs):
        chance.shuffle(asked)
        total = 0.0
        for one in asked:
            loss = _loss(reader, one, _others(one, asked, chance, recipe.others), recipe)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(parameters, 1.0)
            optimiser.step()
            optimiser.zero_grad()
            schedule.step()
            total += float(loss.detach())
        spent_s = time.process_time() - began
        print(f"epoch {epoch + 1}/{recipe.epochs} loss {total / len(asked):.3f} {spent_s:.0f} s", flush=True)
    reader.encoder.eval()
    return reader


def quick_numbers() -> torch.autocast:
    """Half-length numbers where the processor is made for them: half the time, and no worse; else eighteen times as long."""
    return torch.autocast("cpu", dtype=torch.bfloat16, enabled=torch.cpu._is_avx512_bf16_supported())


def _loss(reader: Reader, one: Told, others: torch.Tensor, recipe: Recipe) -> torch.Tensor:
    """How far the questions of a scene are from finding their answers, in the scene alone and among others."""
    with quick_numbers():
        read = reader.read(one.scene.questions)
    scores = read.float() @ torch.cat([one.targets, others]).T / recipe.temperature
    right = torch.tensor(one.scene.answers)
    alone, among = (nn.functional.cross_entropy(part, right) for part in (scores[:, :len(one.targets)], scores))
    return recipe.alone * alone + (1 - recipe.alone) * among


def _others(one: Told, told: Sequence[Told], chance: random.Random, count: int) -> torch.Tensor:
    """Some texts of other scenes."""
    pool = torch.cat([other.targets for other in told if other is not one]) if count else one.targets[:0]
    return pool[chance.sample(range(len(pool)), min(count, len(pool)))]


def ranks(reader: Reader, told: Sequence[Told], *, together: bool = False) -> list[int]:
    """For each question the place at which the text that answers it is found, the first being 0.

    It is looked for in its own scene, or `together` among the texts of all scenes.
    """
    found: list[int] = []
    begin, everything = 0, torch.cat([one.targets for one in told])
    with torch.inference_mode():
        for one in told:
            targets, shift = (everything, begin) if together else (one.targets, 0)
            scores = reader.read(one.scene.questions) @ targets.T
            right = scores.gather(1, torch.tensor(one.scene.answers).unsqueeze(1) + shift)
            found += (scores > right).sum(1).tolist()
            begin += len(one.targets)
    return found


def recall(found: Sequence[int]) -> dict[str, float]:
    """The share of questions whose answer is among the first 1, 3, 5 and 10."""
    return {str(k): round(sum(rank < k for rank in found) / max(len(found), 1), 4) for k in KS}


def cross_validate(model_dir: Path, told: Sequence[Told], recipe: Recipe, *, count: int) -> dict[str, dict[str, float]]:
    """Recall of plain and adapted questions on scenes that the adapter asked with has not met.

    `together` among the texts of all of these scenes.
    """
    plain = Reader(model_dir)
    plain.encoder.eval()
    found: dict[str, list[int]] = {}
    for fold, (used, asked) in enumerate(question_scenes.folds(told, count)):
        readers = {"plain": plain, "adapted": train(model_dir, used, recipe)}
        new = {name: ranks(reader, asked) for name, reader in readers.items()}
        new |= {f"{name}_together": ranks(reader, asked, together=True) for name, reader in readers.items()}
        print(f"fold {fold + 1}/{count}: " + ", ".join(f"{name} {recall(part)}" for name, part in new.items()), flush=True)
        found = {name: found.get(name, []) + part for name, part in new.items()}
    return {name: recall(part) for name, part in found.items()}


def merge_adapter(encoder: nn.Module, adapter: Mapping[str, torch.Tensor], scale: float) -> None:
    """Add the low-rank products of a written adapter to the weights that they were trained on."""
    weights = dict(encoder.named_parameters())
    with torch.no_grad():
        for name in (key.removesuffix(".down") for key in adapter if key.endswith(".down")):
            weights[name + ".weight"].data += scale * (adapter[name + ".up"].float() @ adapter[name + ".down"].float())


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model-dir", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=Path("config/question"))
    parser.add_argument("--folds", type=int, default=4, help="0: train on everything and measure nothing")
    args = parser.parse_args()
    torch.set_num_threads(1)
    recipe = Recipe()
    scenes = question_scenes.load_scenes()
    told = tell(args.model_dir, scenes)
    texts, questions = sum(len(scene.texts) for scene in scenes), sum(len(scene.questions) for scene in scenes)
    print(f"{len(scenes)} scenes, {texts} texts, {questions} questions", flush=True)
    measured = cross_validate(args.model_dir, told, recipe, count=args.folds) if args.folds else {}
    for name, shares in measured.items():
        print(f"{name:17} " + "  ".join(f"among {k}: {share:.1%}" for k, share in shares.items()))
    reader = train(args.model_dir, told, recipe)
    facts = dataclasses.asdict(recipe) | {
        "as_read_sha256": file_sha256(question_scenes.DATA / question_scenes.AS_READ),
        "base_sha256": file_sha256(args.model_dir / "model.safetensors"),
        "files_sha256": {name: file_sha256(question_scenes.DATA / name) for name in question_scenes.FILES},
        "folds": args.folds,
        "questions": questions,
        "recall": measured,
        "rows_sha256": question_scenes.scenes_sha256(scenes),
        "scale": SCALE,
        "scenes": len(scenes),
        "texts": texts,
    }
    args.out.mkdir(parents=True, exist_ok=True)
    save_file({name: tensor.detach().half().contiguous() for name, tensor in reader.trained.items()}, args.out / ADAPTER_FILE)
    (args.out / ADAPTER_FILE).chmod(0o644)
    (args.out / ABOUT_FILE).write_text(json.dumps(facts, indent=1, sort_keys=True) + "\n", "utf-8")
    for name in (ADAPTER_FILE, ABOUT_FILE):
        print(f"{(args.out / name).stat().st_size / 1e6:.2f} MB  sha256 {file_sha256(args.out / name)}  {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
