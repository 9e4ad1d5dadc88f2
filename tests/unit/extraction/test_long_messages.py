"""A message of a thousand sentences is split once, however many of its sentences ask what stands around them."""

from __future__ import annotations

import pytest

from dreamd.extraction import setting
from dreamd.extraction.setting import Setting


def test_a_message_is_split_once_for_all_of_its_sentences(monkeypatch: pytest.MonkeyPatch) -> None:
    said = [f"The crane on pier {n} lifts {n * 7} tonnes." for n in range(300)]
    message = Setting("", "", " ".join(said))
    splits = []
    split = setting.sentences
    monkeypatch.setattr(setting, "sentences", lambda text: splits.append(text) or split(text))
    around = [message.around(text) for text in said]
    assert len(splits) <= 1
    assert around[0] == " ".join(said[1:5]) and around[5] == " ".join(said[:5])[:len(around[5])]
    assert all(len(text) <= setting.LONGEST_BESIDE + 5 for text in around)
