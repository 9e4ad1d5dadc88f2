"""Training pairs for the judge: from the groups and frames in `judge_data/`, and from public sets taken by path.

A group is one claim (`=`) with wordings that say the same (`~`), say more (`+`), replace it (`>`), clash with it (`!`)
or stand beside it (`-`). A frame is a sentence pattern over lists; pairs of its fillings are labelled by what was changed.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from judge_frames import (
    A_NEWER,
    A_RICHER,
    B_NEWER,
    B_RICHER,
    CLASH,
    DATA,
    NOT_A_MERGE,
    RELATED,
    SAME,
    UNRELATED,
    Row,
    frame_pairs,
    load_frames,
    turn_pairs,
)

PUBLIC_FILES = ("snli_dev.jsonl", "checklist_templates.jsonl", "negation_wikifactcheck.jsonl")
NAMES = ("same", "a-richer", "b-richer", "a-newer", "b-newer", "clash", "beside", "stranger")
_TURNED = {A_RICHER: B_RICHER, B_RICHER: A_RICHER, A_NEWER: B_NEWER, B_NEWER: A_NEWER}
LETTERS = "abcdefghiklmnop"
"""The group files that the training takes from."""
UNSEEN = "qr"
"""Those that no training has seen: they only measure."""
MOST_PAIRS = {SAME: 16, B_RICHER: 10, B_NEWER: 10, CLASH: 12, RELATED: 16}
"""Pairs that one group gives, by label: groups in many languages would drown the others."""
SAME_DETAIL = 0.55
"""Share of common words from which two richer wordings may be one and the same."""
KEPT_BACK = 9
"""Every ninth group is kept for calibration."""


@dataclass
class Group:
    """One claim and the statements around it, by sign."""

    claim: str
    lines: dict[str, list[str]] = field(default_factory=lambda: {s: [] for s in "~+>!-"})


STRANGERS, INFERENCE, TEMPLATES, DENIALS = 5600, 3500, 1200, 700
"""Pairs of unlike groups, and of the three public sets."""


def written_pairs(public: Path, seed: int) -> list[Row]:
    """Pairs of all groups, frames and public sets as they were written, for a net that reads every language itself."""
    chance = random.Random(seed)
    used = _used(LETTERS)
    rows = [r for g in used for r in group_pairs(g)]
    rows += [r for r in rows if r[2] in (SAME, A_RICHER, B_RICHER)]
    rows += [r for g in used for r in number_twins(g, chance)]
    rows += strangers(used, STRANGERS, chance)
    rows += noisy([r for r in rows if r[2] != UNRELATED], chance)
    return [*rows, *frame_pairs(chance), *turn_pairs(chance), *public_pairs(public, chance)]


def rows_sha256(rows: Sequence[Row]) -> str:
    """Hex sha256 of training pairs as the net reads them: another one means another training."""
    return hashlib.sha256("\n".join(f"{a}\t{b}\t{label}" for a, b, label in rows).encode()).hexdigest()


def kept_back_pairs(seed: int) -> list[Row]:
    """The pairs of the groups that neither training sees, as written."""
    kept = _kept_back(LETTERS)
    return [r for g in kept for r in group_pairs(g)] + strangers(kept, 150, random.Random(seed))


def unseen_pairs() -> list[Row]:
    """The pairs of the group files that only measure, as written."""
    return [r for g in _all_groups(UNSEEN) for r in group_pairs(g)]


def _all_groups(letters: str = LETTERS) -> list[Group]:
    return [g for letter in letters for g in load_groups(DATA / f"groups_{letter}.txt")]


def _kept_back(letters: str) -> list[Group]:
    return [g for i, g in enumerate(_all_groups(letters)) if i % KEPT_BACK == 4]


def _used(letters: str) -> list[Group]:
    return [g for i, g in enumerate(_all_groups(letters)) if i % KEPT_BACK != 4]


def turned(row: Row) -> Row:
    """The pair with its sides exchanged, and the label that follows."""
    return row[1], row[0], _TURNED.get(row[2], row[2])


def load_groups(path: Path) -> list[Group]:
    """Read a file of groups."""
    groups: list[Group] = []
    for line in path.read_text("utf-8").splitlines():
        if line.startswith("= "):
            groups.append(Group(line[2:]))
        elif line[:2] in ("~ ", "+ ", "> ", "! ", "- "):
            groups[-1].lines[line[0]].append(line[2:])
    return groups


def group_pairs(group: Group) -> list[Row]:
    """Every labelled pair that a group implies."""
    alike = [group.claim, *group.lines["~"]]
    richer, newer, clashing, beside = (group.lines[s] for s in "+>!-")
    rows: list[Row] = [(a, b, SAME) for a, b in itertools.combinations(alike, 2)]
    rows += [(a, b, B_RICHER) for a in alike for b in richer]
    rows += [(a, b, RELATED) for a, b in itertools.combinations(richer, 2) if _overlap(a, b) < SAME_DETAIL]
    rows += [(a, b, B_NEWER) for a in [*alike, *richer] for b in newer]
    rows += [(a, b, CLASH) for a in [*alike, *richer] for b in clashing]
    rows += [(a, b, RELATED) for a in [group.claim, *alike[1:], *richer, *clashing[:1], *newer] for b in beside]
    chance = random.Random(len(group.claim))
    kinds = [[r for r in rows if r[2] == label] for label in MOST_PAIRS]
    return [r for kind in kinds for r in chance.sample(kind, min(len(kind), MOST_PAIRS[kind[0][2]] if kind else 0))]


def _overlap(a: str, b: str) -> float:
    """The share of words that both have."""
    left, right = (set(re.findall(r"\w+", t.lower())) for t in (a, b))
    return len(left & right) / max(1, len(left | right))


def number_twins(group: Group, chance: random.Random) -> list[Row]:
    """A number changed in one of two wordings: the same subject with another value."""
    rows: list[Row] = []
    for text in [group.claim, *group.lines["~"][:3]]:
        found = re.search(r"\b\d+\b", text)
        if found and not re.search(r"[A-Z]-\d|\.\d|ber-\d", text):
            other = str(max(1, int(found.group()) + chance.choice([-1, 1, 2, 5, 10, 30])))
            rows.append((group.claim, text[: found.start()] + other + text[found.end() :], CLASH))
    return rows


def strangers(groups: list[Group], count: int, chance: random.Random) -> list[Row]:
    """Statements of two groups, which have nothing to do with each other."""
    rows: list[Row] = []
    while len(rows) < count:
        one, other = chance.sample(groups, 2)
        first = chance.choice([one.claim, *one.lines[chance.choice("~+>!-")]])
        second = chance.choice([other.claim, *other.lines[chance.choice("~+>!-")]])
        rows.append((first, second, UNRELATED))
    return rows


def noisy(rows: list[Row], chance: random.Random) -> list[Row]:
    """The way people scribble: no capitals, no stop, a lead-in, a reason behind one side."""
    lists, _ = load_frames()
    out: list[Row] = []
    for a, b, label in chance.sample(rows, len(rows) // 4):
        side = chance.random()
        if side < 0.35:
            a = a[0].lower() + a[1:].rstrip(".")
        elif side < 0.6:
            a = f"{chance.choice(lists['polite'])} {a[0].lower()}{a[1:]}"
        elif label in (SAME, B_RICHER, CLASH, B_NEWER) and a.isascii():
            b = f"{b.rstrip('.')}, {chance.choice(lists['reason'])}."
            label = B_RICHER if label == SAME else label
        out.append((a, b, label))
    return out


def public_pairs(folder: Path, chance: random.Random) -> list[Row]:
    """Inference, template and negation pairs of the public sets, in our labels."""

    def rows_of(name: str) -> list[dict[str, str]]:
        return [json.loads(line) for line in (folder / name).read_text("utf-8").splitlines()]

    labels = {"entailment": A_RICHER, "neutral": RELATED, "contradiction": CLASH}
    snli = [(r["a"].strip(), r["b"].strip(), labels[r["label"]]) for r in rows_of(PUBLIC_FILES[0])]
    checks = [(r["a"], r["b"], SAME if int(r["duplicate"]) else NOT_A_MERGE) for r in rows_of(PUBLIC_FILES[1])]
    denials = [(r["a"], r["b"], CLASH) for r in rows_of(PUBLIC_FILES[2])]
    return [*chance.sample(snli, INFERENCE), *chance.sample(checks, TEMPLATES), *chance.sample(denials, DENIALS)]
