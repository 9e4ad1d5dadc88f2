"""The adapter with which questions are read: what it was trained on, its shape, and that it finds what it should."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from dreamd.models import DIM, MODEL_SHA256, load_embedder
from dreamd.models.model_files import find_model
from dreamd.models.weights import WeightFile

sys.path.insert(0, str(Path(__file__).parents[1] / "bench"))

import question_scenes
from question_scenes import Scene, file_sha256

ROOT = Path(__file__).parents[2]
ARTEFACT = ROOT / "config" / "question"
ADAPTER = ARTEFACT / "adapter.safetensors"
FACTS = json.loads((ARTEFACT / "question.json").read_text("utf-8"))
PARTED = "what the adapter was trained on is not what `make questions` trains on now: run it and commit what it writes"
LARGEST_BYTES = 1_000_000
AT_A_CAMP_SITE = {
    "We close the gate at ten, whoever comes later has to park outside and walk.": [
        "what happens to people who arrive in the middle of the night", "latest arrival by car"],
    "The gate key hangs behind the fridge in the kiosk, don't tell the children.": [
        "where do I find what opens the barrier", "what must the little ones not know?"],
    "Halvor mows the meadow, but never before the orchids have dropped their seed.": [
        "who takes care of the grass", "what has to be over before the lawn may be cut?"],
    "can you ask Halvor whether he has seen my ladder": [],
    "The hot water comes from wood chips since spring, the oil tank went to the scrap dealer.": [
        "fuel of the boiler", "what became of the old heating?"],
    "the water is cold again in the left house, look at the log of the boiler please": [],
    "Dogs are welcome outside the bathing bay, and we take three euros a night for them.": [
        "surcharge for pets", "Where are animals not allowed?"],
    "Could you make the map of the pitches a little larger?": [],
    "Pitches 14 to 20 stay empty this year, the drains there are broken.": [
        "which places can't be booked", "reason why a part of the site is out of use"],
    "I pay the season's helpers on the last Friday, in cash, they want it so.": [
        "when do the staff get their wages", "how are salaries handed over"],
    "Bookings come in through the tourist board's portal only, I don't answer mails about it.": [
        "how can guests reserve", "May people write to us to get a place?"],
    "whoever stays a week pays six nights, but not in July and August": [
        "is there a discount for long stays", "months without a rebate"],
    "The owls nest in the old barn, so no music there between March and July.": [
        "why must it be quiet in the shed in early summer", "which birds do we protect"],
    "No, leave the heading as it is and send it to the printer.": [],
    "Ragnhild does the leaflets, she wants the texts two weeks before and without any bold type.": [
        "designer of our brochures", "lead time for printed matter", "formatting that is unwelcome"],
    "we had 412 guests in June, that's more than ever": ["how well were we visited at the start of summer"],
}
IN_A_CODE_BASE = {
    "run the tests again": [],
    "no. tox, not nox, and only the py312 env, the others take ages": [
        "how do I start the test suite", "Which interpreter is enough to check against?"],
    "Siobhan reviews everything that touches billing, me the rest": ["who has to look at a change of the invoices"],
    "why is the build red": [],
    "ok so the flaky one is test_export_roundtrip, it hates slow disks. mark it and go on": [
        "which test fails now and then", "cause of the unreliable test"],
    "We dropped Redis, sessions live in Postgres since the spring release": [
        "where is it stored who is logged in", "what do we no longer use as a cache"],
    "never rebase release branches, merge only, the auditors compare hashes": [
        "may I rewrite the history of a version branch?", "who looks at commit ids"],
    "the new box is called quince, 16 cores, only over the vpn": ["hostname of the big server", "how do I get onto quince"],
    "rename it to ledger_lines please": [],
    "timeouts are 8 s everywhere except for the bank, they get 40": [
        "how long do we wait for an answer of the bank", "default limit for outgoing calls"],
    "I want to see a plan before you touch more than three files": [
        "what should you do before a larger change", "how big may an edit be without asking"],
    "deploys go out Tuesdays and Thursdays at eleven, Piet presses the button": [
        "who brings it live", "when is the next rollout possible"],
    "log lines in English, messages to the customers in Dutch": ["language of the texts users read"],
    "thanks, that's it for today": [],
}
"""What was said, and what is asked later; nothing of it stands in the data."""


@pytest.fixture(scope="module")
def scenes() -> list[Scene]:
    return question_scenes.load_scenes()


def test_the_data_are_those_that_the_adapter_was_trained_on() -> None:
    assert FACTS["files_sha256"] == {n: file_sha256(question_scenes.DATA / n) for n in question_scenes.FILES}, PARTED
    assert {p.name for p in question_scenes.DATA.glob("*.txt")} == set(question_scenes.FILES), PARTED
    assert FACTS["as_read_sha256"] == file_sha256(question_scenes.DATA / question_scenes.AS_READ), PARTED
    assert FACTS["base_sha256"] == MODEL_SHA256, PARTED


def test_the_training_reads_the_scenes_as_it_did(scenes: list[Scene]) -> None:
    assert question_scenes.scenes_sha256(scenes) == FACTS["rows_sha256"], PARTED
    assert (FACTS["scenes"], FACTS["questions"]) == (len(scenes), sum(len(scene.questions) for scene in scenes)), PARTED


def test_every_scene_has_questions_and_messages_that_answer_none(scenes: list[Scene]) -> None:
    for scene in scenes:
        assert len(scene.texts) == len(scene.behind), scene.name
        assert scene.questions, scene.name
        assert 10 * len(set(scene.answers)) < 9 * len(scene.texts), scene.name


def test_a_scene_is_asked_once_and_never_by_what_was_trained_on_it(scenes: list[Scene]) -> None:
    parts = question_scenes.folds(scenes, 4)
    assert sorted(scene.name for _, asked in parts for scene in asked) == sorted(scene.name for scene in scenes)
    assert all(not {s.name for s in used} & {s.name for s in asked} for used, asked in parts)


def test_what_stands_nowhere_in_a_scene_is_refused() -> None:
    for line in ("U: first of all", "=== a mill | en\nQ: whose?", "=== a mill | en\nB: no such", "=== a mill | en\n\nU: x"):
        with pytest.raises(ValueError, match="line"):
            question_scenes.read_scenes(line, {})


def test_of_what_the_agent_said_before_the_last_whole_sentences_are_kept() -> None:
    assert question_scenes.tail("Done. Shall I grease the hinge too?") == "Done. Shall I grease the hinge too?"
    assert question_scenes.tail("The hinge is greased. " + "a" * 150 + ". Too?") == "a" * 150 + ". Too?"
    assert question_scenes.tail("b" * 300 + ".") == "b" * 159 + "."


def test_the_adapter_is_small_and_fits_the_model() -> None:
    assert ADAPTER.stat().st_size <= LARGEST_BYTES
    with WeightFile(find_model() / "model.safetensors") as base, WeightFile(ADAPTER) as added:
        ups = [name for name in added.names if name.endswith(".up")]
        assert len(ups) * 2 == len(added.names)
        for name in ups:
            up, down = added.read(name), added.read(name.removesuffix(".up") + ".down")
            assert up.shape[1] == down.shape[0] == FACTS["rank"]
            assert base.read(name.removesuffix(".up") + ".weight").shape == (up.shape[0], down.shape[1])
            assert up.any()


@pytest.mark.model
def test_an_adapted_question_finds_its_answer_at_least_as_often_as_a_plain_one() -> None:
    pytest.importorskip("transformers")
    import question_train
    import torch
    from safetensors.torch import load_file

    torch.set_num_threads(1)
    adapted, plain = (question_train.Reader(find_model()) for _ in range(2))
    adapted.encoder.eval()
    plain.encoder.eval()
    question_train.merge_adapter(adapted.encoder, load_file(ADAPTER), FACTS["scale"])
    said = AT_A_CAMP_SITE | IN_A_CODE_BASE
    texts, asked = list(said), [(question, n) for n, questions in enumerate(said.values()) for question in questions]
    with torch.inference_mode():
        targets = plain.read(texts)
        found = [sum(int(scores.argmax()) == n for scores, (_, n) in zip(reader.read([q for q, _ in asked]) @ targets.T, asked,
                                                                         strict=True)) for reader in (adapted, plain)]
    assert targets.shape == (len(texts), DIM)
    assert found[0] >= found[1]


@pytest.mark.model
def test_the_engine_reads_a_question_as_the_trained_net_does() -> None:
    import question_train
    import torch
    from safetensors.torch import load_file
    from transformers import AutoModel, AutoTokenizer

    folder, lines = find_model(), ["who takes care of the grass", "Which interpreter is enough to check against?"]
    net = AutoModel.from_pretrained(folder).eval()
    question_train.merge_adapter(net, load_file(ADAPTER), FACTS["scale"])
    batch = AutoTokenizer.from_pretrained(folder)(lines, padding=True, return_tensors="pt")
    mask = batch["attention_mask"].unsqueeze(-1)
    with torch.no_grad():
        hidden = net(**batch).last_hidden_state
    rows = torch.nn.functional.normalize((hidden * mask).sum(1) / mask.sum(1), dim=-1).numpy()
    assert ((load_embedder("light").embed_questions(lines) * rows).sum(axis=1) > 0.998).all()
