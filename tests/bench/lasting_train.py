"""Train the net that reads whether a sentence of a person is meant to last: a low-rank addition to the net that reads pairs.

    python tests/bench/lasting_train.py [--out config/hearing] [--threads 2] [--folds 2] [--scores FILE]
    python tests/bench/lasting_train.py --ask FILE …

Conversations and what a careful reader keeps of them stand in `tests/bench/lasting_data`, a file an author. Sentences are those
that extraction has read, in the same words and with the same words before them. First one is trained on all and written; then
the authors are split, each part is heard by a net that never met it, and the two limits of `dreamd.extraction.talk` are chosen
on that. The layers below the trained ones do not change: what comes out of them is made once. One seed and one number of
threads: a second run gives the same bytes.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
import torch
from torch import nn

sys.path.insert(0, str(Path(__file__).parent))

import lasting_talks
from lasting_talks import Heard, Talk
from low_rank import add_products, new_head, pair_encoder, save_trained
from pair_train import encode, pool
from question_scenes import file_sha256
from sklearn.metrics import average_precision_score

from dreamd.extraction.talk import ADRIFT, LEANS
from dreamd.models.lasting_net import LABELS, PLAIN, TRAINED, UNREAD, Lasting, Lasts, load_lasting, told_with
from dreamd.models.multilingual_base import MultilingualBase, find_base

ABOUT = "lasting_net.json"
UNSEEN = -10_000.0
LASTS, MAY_LAST = (-0.5, 0.0, 0.5, 1.0), (-2.0,)
"""Limits that are tried."""


@dataclass(frozen=True)
class Recipe:
    """How the net is trained."""

    rank: int = 16
    lowest: int = 8
    """The layers below are left as they are."""
    epochs: int = 4
    rate: float = 5e-4
    batch: int = 24
    plain: float = 0.6
    """Share of the sentences without anything that is read in each epoch."""
    wanted: float = 2.0
    misleading: float = 1.0
    """What the loss counts of a sentence that lasts, and of one that only looks so; another counts once."""
    elsewhere: float = 0.5
    """How often a sentence is read behind what an agent said in another conversation: how it ends its reports tells little."""
    leans: float = 0.5
    """What the loss counts of whether a sentence leans, and on what."""
    seed: int = 3


@dataclass(frozen=True)
class Below:
    """What comes out of the layers that stay as they are, for one sentence: tokens × hidden, and whose each token is."""

    hidden: np.ndarray
    kinds: np.ndarray


def through(layers: Sequence[nn.Module], x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """What layers make of their input; `mask` is 1 where a token stands."""
    unseen = ((1 - mask.float()) * UNSEEN)[:, None, None, :]
    for layer in layers:
        told = layer(x, attention_mask=unseen)
        x = told[0] if isinstance(told, tuple) else told
    return x


def read_below(base: MultilingualBase, encoder: nn.Module, heard: Sequence[Heard], recipe: Recipe) -> list[Below]:
    """What comes out of the lower layers, made once for each sentence."""
    found: dict[int, Below] = {}
    pairs = [told_with(one.before, one.earlier, one.text) for one in heard]
    order = sorted(range(len(pairs)), key=lambda n: (len(pairs[n][0]) + len(pairs[n][1]), n))
    with torch.inference_mode():
        for at in range(0, len(order), 32):
            part = order[at:at + 32]
            batch = encode(base, [pairs[n] for n in part])
            x = encoder.embeddings(input_ids=batch["input_ids"], token_type_ids=batch["token_type_ids"])
            x = through(encoder.encoder.layer[:recipe.lowest], x, batch["attention_mask"])
            for row, n in enumerate(part):
                size = int(batch["attention_mask"][row].sum())
                found[n] = Below(x[row, :size].half().numpy(), batch["token_type_ids"][row, :size].numpy())
    return [found[n] for n in range(len(pairs))]


class LastingReader(nn.Module):
    """The upper layers with low-rank products beside them, and a head of one output."""

    def __init__(self, base: MultilingualBase, recipe: Recipe) -> None:
        super().__init__()
        encoder = pair_encoder(base)
        torch.manual_seed(recipe.seed)
        self.trained = add_products(encoder, rank=recipe.rank, lowest=recipe.lowest)
        self.layers, self.head = encoder.encoder.layer[recipe.lowest:], new_head(base, LABELS)
        self.trained |= {"head.weight": self.head.weight, "head.bias": self.head.bias}

    def forward(self, below: Sequence[Below]) -> torch.Tensor:
        """A row of logits for each sentence."""
        longest, wide = max(len(one.hidden) for one in below), below[0].hidden.shape[1]
        x, mask = torch.zeros(len(below), longest, wide), torch.zeros(len(below), longest, dtype=torch.long)
        kinds = torch.zeros(len(below), longest, dtype=torch.long)
        for n, one in enumerate(below):
            size = len(one.hidden)
            x[n, :size], mask[n, :size] = torch.from_numpy(one.hidden.astype(np.float32)), 1
            kinds[n, :size] = torch.from_numpy(one.kinds)
        logits: torch.Tensor = self.head(pool(through(self.layers, x, mask), mask, kinds))
        return logits


def batches(heard: Sequence[Heard], below: Sequence[Below], recipe: Recipe) -> Iterator[list[int]]:
    """All epochs: sentences of similar length in random order, of the plain ones a part each time."""
    chance = random.Random(recipe.seed)
    for _ in range(recipe.epochs):
        mixed = [n for n, one in enumerate(heard) if one.lasts or one.misleads or chance.random() < recipe.plain]
        chance.shuffle(mixed)
        for block in range(0, len(mixed), recipe.batch * 20):
            near = sorted(mixed[block:block + recipe.batch * 20], key=lambda n: len(below[n].hidden))
            parts = [near[i:i + recipe.batch] for i in range(0, len(near), recipe.batch)]
            chance.shuffle(parts)
            yield from parts


def elsewhere(heard: Sequence[Heard], recipe: Recipe) -> list[Heard]:
    """The same sentences, each behind what an agent said before another."""
    said = [one.before for one in heard]
    random.Random(recipe.seed).shuffle(said)
    return [replace(one, before=before) for one, before in zip(heard, said, strict=True)]


def train(base: MultilingualBase, heard: Sequence[Heard], below: Sequence[Below], moved: Sequence[Below],
          recipe: Recipe) -> LastingReader:
    """A reader that learned from some sentences, as they were said and as they would read elsewhere."""
    reader, steps, chance = LastingReader(base, recipe), list(batches(heard, below, recipe)), random.Random(recipe.seed)
    optimiser = torch.optim.AdamW(list(reader.trained.values()), lr=recipe.rate, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, max_lr=recipe.rate, total_steps=len(steps), pct_start=0.08)
    began, seen = time.time(), 0.0
    for step, part in enumerate(steps, 1):
        wanted = torch.tensor([float(heard[n].lasts) * 0.98 + 0.01 for n in part])
        counts = torch.tensor([recipe.wanted if heard[n].lasts else recipe.misleading if heard[n].misleads else 1.0
                               for n in part])
        logits = reader([(moved if chance.random() < recipe.elsewhere else below)[n] for n in part])
        loss = (nn.functional.binary_cross_entropy_with_logits(logits[:, 0], wanted, reduction="none") * counts).mean()
        rows = [row for row, n in enumerate(part) if heard[n].reads]
        if rows:
            leans = torch.tensor([_leaning(heard[part[row]]) for row in rows])
            loss = loss + recipe.leans * nn.functional.binary_cross_entropy_with_logits(logits[rows, 1:], leans)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(list(reader.trained.values()), 1.0)
        optimiser.step()
        schedule.step()
        optimiser.zero_grad()
        seen += float(loss.detach())
        if step % 100 == 0 or step == len(steps):
            print(f"{step}/{len(steps)} loss {seen / (step % 100 or 100):.3f} {time.time() - began:.0f} s", flush=True)
            seen = 0.0
    return reader


def logits_of(reader: LastingReader, below: Sequence[Below]) -> np.ndarray:
    """What a reader says of sentences."""
    found, order = np.zeros((len(below), len(LABELS))), sorted(range(len(below)), key=lambda n: len(below[n].hidden))
    with torch.inference_mode():
        for at in range(0, len(order), 64):
            part = order[at:at + 64]
            found[part] = reader([below[n] for n in part]).numpy()
    return found


def heard_by_others(base: MultilingualBase, talks: Sequence[Talk], heard: Sequence[Heard], below: Sequence[Below],
                    moved: Sequence[Below], recipe: Recipe, folds: int) -> np.ndarray:
    """For each sentence the logits of a reader that never met its author: of two readings the mean, as where it ships."""
    plain = read_below(base, pair_encoder(base), [replace(one, before=PLAIN) for one in heard], recipe)
    authors = sorted({talk.author for talk in talks})
    found = np.zeros((len(heard), len(LABELS)))
    for fold in range(folds):
        out = set(authors[fold::folds])
        learned = [n for n, one in enumerate(heard) if one.author not in out]
        asked = [n for n, one in enumerate(heard) if one.author in out]
        reader = train(base, *([some[n] for n in learned] for some in (heard, below, moved)), recipe)
        found[asked] = sum(logits_of(reader, [some[n] for n in asked]) for some in (below, plain)) / 2
        told = [heard[n].lasts for n in asked]
        print(f"without {', '.join(sorted(out))}: average precision {average_precision_score(told, found[asked, 0]):.3f}",
              flush=True)
    return found


def limits(talks: Sequence[Talk], said: Lasts) -> dict[str, float]:
    """The pair of limits with the best measure on authors left out, and what forms alone find.

    It is F with beta a half (van Rijsbergen 1979), in which precision counts twice as much as recall: silence before noise.
    """
    best: dict[str, float] = {}
    for lasts in LASTS:
        for may in MAY_LAST:
            found = lasting_talks.figures(talks, said, (lasts, may))
            print(lasts, may, {name: round(value, 3) for name, value in found.items()}, flush=True)
            both = 1.25 / (1 / max(found["precision"], 0.01) + 0.25 / max(found["recall"], 0.01))
            if both > best.get("both", 0.0):
                best = {"lasts": lasts, "may_last": may, "both": both, **found}
    alone = lasting_talks.figures(talks, None)
    return best | {f"forms_{name}": value for name, value in alone.items()}


def _leaning(one: Heard) -> tuple[float, float]:
    """Whether it leans, and whether its own message is not enough."""
    return float(one.reads != "alone"), float(one.reads == "adrift")


def leaning(heard: Sequence[Heard], found: np.ndarray) -> dict[str, float]:
    """How well the other outputs tell what leans, at the limits of `dreamd.extraction.talk`."""
    asked = [n for n, one in enumerate(heard) if one.reads]
    so = np.array([_leaning(heard[n]) for n in asked]) > 0
    measured = {}
    for column, (name, limit) in enumerate((("leans", LEANS), ("adrift", ADRIFT))):
        told, right = found[asked, column] >= limit, so[:, column]
        measured |= {f"{name}_share": float(right.mean()), f"{name}_precision": float(right[told].mean()),
                     f"{name}_recall": float(told[right].mean())}
    return measured


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("config/hearing"))
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--folds", type=int, default=2)
    parser.add_argument("--ask", type=Path, nargs="+", help="ask the net that ships about files it was not trained on, and end")
    parser.add_argument("--scores", type=Path, help="where to write what readers said of authors they never met")
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    for file in args.ask or ():
        told = lasting_talks.load_talks(file)
        print(file.name, {"forms": lasting_talks.figures(told, None), "read": lasting_talks.figures(told, load_lasting())})
    if args.ask:
        return 0
    recipe, base = Recipe(), MultilingualBase(find_base())
    talks = lasting_talks.load_talks()
    heard = lasting_talks.heard_in(talks)
    print(f"{len(talks)} conversations of {len({t.author for t in talks})} authors, {len(heard)} sentences, "
          f"{sum(one.lasts for one in heard)} that last", flush=True)
    below, moved = (read_below(base, pair_encoder(base), some, recipe) for some in (heard, elsewhere(heard, recipe)))
    save_trained(args.out / TRAINED, train(base, heard, below, moved, recipe).trained, LABELS)
    found = heard_by_others(base, talks, heard, below, moved, recipe, args.folds)
    if args.scores:
        rows = [[one.author, one.talk, one.before, one.earlier, one.text, one.lasts, value]
                for one, value in zip(heard, found.tolist(), strict=True)]
        args.scores.write_text(json.dumps(rows, ensure_ascii=False), "utf-8")
    said = {(one.before, one.earlier, one.text): Lasting(*map(float, row)) for one, row in zip(heard, found, strict=True)}
    measured = limits(talks, lambda *words: said.get(words, Lasting(UNREAD)))
    measured["average_precision"] = float(average_precision_score([one.lasts for one in heard], found[:, 0]))
    measured |= leaning(heard, found[:, 1:])
    print(json.dumps(measured, indent=1), flush=True)
    facts = asdict(recipe) | {
        "files_sha256": {path.name: file_sha256(path) for path in sorted(lasting_talks.DATA.glob("*.jsonl"))},
        "authors_left_out": {name: round(value, 3) for name, value in measured.items()},
        "conversations": len(talks), "sentences": len(heard), "that_last": sum(one.lasts for one in heard)}
    (args.out / ABOUT).write_text(json.dumps(facts, indent=1, sort_keys=True) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
