"""The pairs that a training makes by rule: every file reads, what was changed decides the label, and some are kept back."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import judge_frames
import judge_generate
from judge_frames import CLASH, RELATED, SAME


@pytest.mark.parametrize("letter", judge_generate.LETTERS + judge_generate.UNSEEN)
def test_every_group_has_a_claim_and_something_to_hold_it_against(letter: str) -> None:
    path = judge_generate.DATA / f"groups_{letter}.txt"
    groups = judge_generate.load_groups(path)
    signs = {line[:2] for line in path.read_text("utf-8").splitlines() if line}
    assert signs <= {"= ", "~ ", "+ ", "> ", "! ", "- "}
    assert all(group.claim and any(group.lines.values()) for group in groups)


def test_exchanged_preferences_clash_and_exchanged_roles_stand_beside_each_other() -> None:
    rows = judge_frames.turn_pairs(random.Random(3))
    labels = {(a, b): label for a, b, label in rows}
    over = [label for (a, b), label in labels.items()
            if a.startswith("The user prefers ") and b.startswith("The user prefers ")
            and a[17:-1].split(" to ") == b[17:-1].split(" to ")[::-1]]
    trained = [label for (a, b), label in labels.items()
               if " trains " in a and " trains " in b and a[:-1].split(" trains ") == b[:-1].split(" trains ")[::-1]]
    assert over
    assert set(over) == {CLASH}
    assert trained
    assert set(trained) == {RELATED}


def test_opposite_predicates_clash_and_rewordings_do_not() -> None:
    _, poles = judge_frames.load_turns(judge_frames.load_frames()[0])
    rows = judge_frames.turn_pairs(random.Random(4))
    side = {text: n for n, (one, other) in enumerate(poles) for text in (*one, *other)}
    assert len(side) == sum(len(one) + len(other) for one, other in poles)
    heated = [(a, b, label) for a, b, label in rows if "is heated" in a + b and "is unheated" in a + b]
    assert {label for _, _, label in heated} <= {CLASH, RELATED, judge_frames.B_NEWER}
    assert any(label == SAME for _, _, label in rows)


def test_the_same_seed_gives_the_same_pairs() -> None:
    one, other = (judge_frames.turn_pairs(random.Random(8)) + judge_frames.frame_pairs(random.Random(8)) for _ in range(2))
    assert one == other


def test_what_is_kept_back_or_only_measures_is_not_trained_on() -> None:
    used = {r[:2] for g in judge_generate._used(judge_generate.LETTERS) for r in judge_generate.group_pairs(g)}
    kept = {r[:2] for g in judge_generate._kept_back(judge_generate.LETTERS) for r in judge_generate.group_pairs(g)}
    measured = {r[:2] for r in judge_generate.unseen_pairs()}
    assert len(kept) > 1_000
    assert len(measured) > 10_000
    assert not used & (kept | measured)
