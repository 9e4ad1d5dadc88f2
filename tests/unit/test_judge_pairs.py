"""The pairs that train the judge: every file reads, and what a rule changed decides the label."""

from __future__ import annotations

import json
import os
import random
import sys
from pathlib import Path

import pytest

from dreamd.models.lexical.glossary import load_glossary
from dreamd.models.pairscore import SCORER_FILE, file_sha256

sys.path.insert(0, str(Path(__file__).parents[1] / "bench"))

import judge_abroad
import judge_frames
import judge_generate
from judge_frames import CLASH, RELATED, SAME

FACTS = json.loads((Path(__file__).parents[2] / "config" / "judge" / SCORER_FILE).read_text("utf-8"))
PARTED = "what the judge was trained on is not what `make judge` trains on now: run it and commit what it writes"


@pytest.mark.parametrize("letter", judge_generate.ABROAD + judge_generate.UNSEEN)
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


@pytest.mark.parametrize("letters", [judge_generate.LETTERS, judge_generate.ABROAD])
def test_groups_that_training_keeps_back_are_not_trained_on(letters: str) -> None:
    kept, used = ({r[:2] for g in groups for r in judge_generate.group_pairs(g) if r[2] == SAME}
                  for groups in (judge_generate._kept_back(letters), judge_generate._used(letters)))
    assert kept
    assert not kept & used


def test_what_the_second_training_keeps_back_the_first_has_not_seen() -> None:
    first = {r[:2] for g in judge_generate._used(judge_generate.LETTERS) for r in judge_generate.group_pairs(g)}
    kept = {r[:2] for r in judge_generate.kept_back_abroad(20) if r[2] != judge_frames.UNRELATED}
    assert len(kept) > 1_000
    assert not kept & first


def test_what_only_measures_is_not_trained_on() -> None:
    trained = {r[:2] for g in judge_generate._all_groups(judge_generate.ABROAD) for r in judge_generate.group_pairs(g)}
    measured = {r[:2] for r in judge_generate.unseen_pairs()}
    assert len(measured) > 10_000
    assert not measured & trained


def test_the_training_reads_the_lexicon_that_the_artefact_names() -> None:
    assert file_sha256(judge_abroad.LEXICON) == FACTS["lexicon_sha256"], PARTED


@pytest.mark.slow
def test_the_pairs_of_the_second_training_are_made_again() -> None:
    rows = judge_generate.abroad_pairs(FACTS["seed"] + 1, load_glossary(judge_abroad.LEXICON))
    assert judge_generate.rows_sha256(rows) == FACTS["rows_sha256"][1], PARTED


@pytest.mark.slow
@pytest.mark.real_data
def test_the_pairs_of_the_first_training_are_made_again() -> None:
    folder = os.environ.get("DREAM_EVAL_DATA")
    if not folder:
        pytest.skip("DREAM_EVAL_DATA names no folder with the public sets")
    rows = judge_generate.training_pairs(Path(folder) / "pairs" / "public", FACTS["seed"], load_glossary(judge_abroad.LEXICON))
    assert judge_generate.rows_sha256(rows) == FACTS["rows_sha256"][0], PARTED
