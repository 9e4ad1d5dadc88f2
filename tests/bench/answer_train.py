"""Train the net that reads whether a statement answers a question: a low-rank addition to the net that reads pairs.

    python tests/bench/answer_train.py [--out config/question] [--threads 1]

Each question is read with what answers it and with those statements of its world that recall would bring up beside it: the
nearest by the vectors of the question side. It learns which of them answers, and by itself whether one does at all. With what
answered before it is read in one with the question beside a later statement: whether that took its place. One world of six is
never trained on and asked at the end. One thread and one seed: a second run gives the same bytes.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch
from torch import nn

sys.path.insert(0, str(Path(__file__).parent))

import answer_worlds
from answer_worlds import World
from low_rank import add_products, new_head, pair_encoder, save_trained
from pair_train import encode, pool
from question_scenes import file_sha256
from question_train import quick_numbers
from sklearn.metrics import roc_auc_score

from dreamd.models import load_embedder
from dreamd.models.answer_net import ABOUT, LABELS, TRAINED, with_question
from dreamd.models.multilingual_base import MultilingualBase, find_base


@dataclass(frozen=True)
class Recipe:
    """How the net is trained."""

    rank: int = 16
    epochs: int = 2
    rate: float = 5e-4
    lowest: int = 4
    """The layers below are left as they are."""
    beside: int = 5
    """Statements that answer nothing, read beside those that do."""
    asked: int = 4
    """Questions of a batch."""
    alone: float = 0.5
    """What the loss of each statement by itself counts beside that of the choice among them."""
    seed: int = 3


@dataclass(frozen=True)
class Case:
    """A question with the statements it is read with, those that answer it first."""

    question: str
    texts: list[str]
    answers: int
    turns: list[tuple[str, str, bool]]
    """Pairs of an earlier and a later statement, and whether the later took the place of the earlier as an answer."""


class AnswerReader(nn.Module):
    """The net that reads pairs, with low-rank products beside its upper layers and a head of two outputs."""

    def __init__(self, base: MultilingualBase, recipe: Recipe) -> None:
        super().__init__()
        torch.manual_seed(recipe.seed)
        self._base = base
        self.encoder = pair_encoder(base)
        self.trained = add_products(self.encoder, rank=recipe.rank, lowest=recipe.lowest)
        self.head = new_head(base, LABELS)
        self.trained |= {"head.weight": self.head.weight, "head.bias": self.head.bias}

    def forward(self, pairs: Sequence[tuple[str, str]]) -> torch.Tensor:
        """A row of logits for each question and statement."""
        batch = encode(self._base, pairs)
        with quick_numbers():
            hidden = self.encoder(**batch).last_hidden_state
        logits: torch.Tensor = self.head(pool(hidden.float(), batch["attention_mask"], batch["token_type_ids"]))
        return logits


def cases(worlds: Sequence[World], beside: int, chance: random.Random) -> list[Case]:
    """Every question with what answers it and the nearest of what does not; what answered it before is left out of those."""
    embedder = load_embedder("light")
    found = []
    for world in worlds:
        near = embedder.embed_questions([q.text for q in world.questions]) @ embedder.embed(world.texts).T
        for question, row in zip(world.questions, near, strict=True):
            known = question.answers | question.replaced
            others = [int(n) for n in np.argsort(-row, kind="stable") if int(n) not in known][:beside]
            places = [*sorted(question.answers), *others]
            turns = [(world.texts[old], world.texts[new], turned) for old, new, turned in _turns(question, others, chance)]
            found.append(Case(question.text, [world.texts[n] for n in places], len(question.answers), turns))
    return found


def _turns(question: answer_worlds.Question, others: Sequence[int], chance: random.Random) -> Iterator[tuple[int, int, bool]]:
    """What took the place of what; two answers of which none did; and something later that is near and no answer."""
    for old in sorted(question.answers | question.replaced):
        for new in sorted(question.answers):
            if new > old:
                yield old, new, old in question.replaced
        later = [n for n in others if n > old]
        if later:
            yield old, chance.choice(later), False


def loss_of(reader: AnswerReader, some: Sequence[Case], alone: float) -> torch.Tensor:
    """The cross entropy of choosing what answers each question, of each statement by itself, and of each turn."""
    logits = reader([(case.question, text) for case in some for text in case.texts])[:, 0]
    total, at = torch.zeros(()), 0
    for case in some:
        mine = logits[at:at + len(case.texts)]
        at += len(case.texts)
        wanted = torch.zeros(len(mine))
        wanted[:case.answers] = 1.0
        if case.answers:
            total = total - mine.log_softmax(0)[:case.answers].mean()
        total = total + alone * nn.functional.binary_cross_entropy_with_logits(mine, wanted)
    turns = [(case.question, *turn) for case in some for turn in case.turns]
    if turns:
        turned = reader([(with_question(question, old), new) for question, old, new, _ in turns])[:, 1]
        told = torch.tensor([float(is_so) for *_, is_so in turns])
        total = total + nn.functional.binary_cross_entropy_with_logits(turned, told, reduction="sum")
    return total / len(some)


def batches(some: Sequence[Case], chance: random.Random, size: int) -> Iterator[list[Case]]:
    """Questions of similar length in random order."""
    mixed = list(some)
    chance.shuffle(mixed)
    for block in range(0, len(mixed), size * 20):
        near = sorted(mixed[block:block + size * 20], key=lambda case: max(map(len, case.texts)))
        parts = [near[i:i + size] for i in range(0, len(near), size)]
        chance.shuffle(parts)
        yield from parts


def train(reader: AnswerReader, some: Sequence[Case], recipe: Recipe) -> None:
    """All epochs over the cases."""
    chance = random.Random(recipe.seed)
    steps = [part for _ in range(recipe.epochs) for part in batches(some, chance, recipe.asked)]
    optimiser = torch.optim.AdamW(list(reader.trained.values()), lr=recipe.rate, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, max_lr=recipe.rate, total_steps=len(steps), pct_start=0.08)
    began, seen = time.time(), 0.0
    for step, part in enumerate(steps, 1):
        loss = loss_of(reader, part, recipe.alone)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(list(reader.trained.values()), 1.0)
        optimiser.step()
        schedule.step()
        optimiser.zero_grad()
        seen += float(loss.detach())
        if step % 50 == 0 or step == len(steps):
            print(f"{step}/{len(steps)} loss {seen / (step % 50 or 50):.3f} {time.time() - began:.0f} s", flush=True)
            seen = 0.0


def figures(reader: AnswerReader, some: Sequence[Case]) -> dict[str, float]:
    """Of questions that something answers the share where that comes first; how well both outputs part (area under curve)."""
    first, best, turned = [], [], []
    with torch.inference_mode():
        for case in some:
            logits = reader([(case.question, text) for text in case.texts])[:, 0]
            if case.answers:
                first.append(float(logits.argmax() < case.answers))
            best.append((case.answers > 0, float(logits.max())))
            for old, new, is_so in case.turns:
                turned.append((is_so, float(reader([(with_question(case.question, old), new)])[0, 1])))
    share = sum(first) / max(len(first), 1)
    return {"questions": len(some), "first": round(share, 4), "answered_auc": _area(best), "turned_auc": _area(turned)}


def _area(some: Sequence[tuple[bool, float]]) -> float:
    return round(float(roc_auc_score([yes for yes, _ in some], [value for _, value in some])), 4)


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("config/question"))
    parser.add_argument("--threads", type=int, default=1)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    recipe = Recipe()
    used, held = answer_worlds.parted(answer_worlds.load_worlds())
    chance = random.Random(recipe.seed)
    learning, asked = cases(used, recipe.beside, chance), cases(held, 2 * recipe.beside, chance)
    print(f"{len(used)} worlds, {len(learning)} questions; {len(held)} and {len(asked)} only asked", flush=True)
    reader = AnswerReader(MultilingualBase(find_base()), recipe)
    train(reader, learning, recipe)
    others = cases(answer_worlds.load_worlds(asked=True), 2 * recipe.beside, chance)
    measured = {"worlds_left_out": figures(reader, asked), "authors_left_out": figures(reader, others)}
    print(measured, flush=True)
    facts = asdict(recipe) | {
        "files_sha256": {path.name: file_sha256(path) for path in sorted(answer_worlds.DATA.glob("*.txt"))},
        "never_trained": measured, "questions": len(learning), "worlds": len(used)}
    save_trained(args.out / TRAINED, reader.trained, LABELS)
    (args.out / ABOUT).write_text(json.dumps(facts, indent=1, sort_keys=True) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
