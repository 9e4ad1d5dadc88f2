"""What is read only when asked for gives the same answers as if all had been read."""

from __future__ import annotations

import itertools

import pytest

from dreamd.core.values import Relation
from dreamd.judge import Statement, extract_slots, judge, merge_guards, pair_features
from dreamd.judge.claims.phrases import plainer
from dreamd.judge.claims.politeness import plain
from dreamd.judge.lazily import lazily
from dreamd.judge.slots import says_only

STATEMENTS = (
    "The north pump runs at 40 bar.",
    "The south pump never runs on Mondays.",
    "Before the harvest the barn is swept by Ines.",
    "Only Hugo may open the `vault-7` in Lisbon.",
    "If it rains, the market is held in the hall.",
    "Der Hafen ist montags geschlossen.",
)


def test_a_fact_is_read_once_and_only_when_it_is_asked_for() -> None:
    read: list[str] = []

    class Page:
        @lazily
        def words(self) -> int:
            """How many words there are."""
            read.append("words")
            return 7

    page, other = Page(), Page()
    assert not read
    assert (page.words, page.words) == (7, 7)
    assert read == ["words"]
    assert other.words == 7
    assert read == ["words", "words"]


def test_a_statement_is_split_at_once_and_no_further_than_every_pair_asks_for() -> None:
    slots = extract_slots("The lantern above the third gate was never read by anybody.")
    assert {"tokens", "content_set", "tongue"} <= vars(slots).keys()
    assert {"denial", "numbers", "names", "verb_at"}.isdisjoint(vars(slots))
    assert slots.negations == 1
    assert "denial" in vars(slots)
    assert "names" not in vars(slots)


def test_a_verdict_tells_the_first_of_all_reasons() -> None:
    told = 0
    for one, other in itertools.permutations(STATEMENTS, 2):
        verdict = judge(Statement(one), Statement(other), similarity=0.6)
        assert verdict.relation in (Relation.RELATED, Relation.UNRELATED)
        left, right = sorted((one, other))
        guards = merge_guards(pair_features(Statement(left), Statement(right), 0.6))
        if guards:
            assert verdict.evidence == guards[:2]
            told += 1
    assert told > len(STATEMENTS)


@pytest.mark.parametrize("ending", [
    ", please", " pls", " plz", ", thx", ", thanks", " thank you", ", ok", " okay", ", right", ", alright", ", got it",
    ", will you", " would you", ", that would help", " if you can", " if possible", " if you don't mind", " would be great"])
def test_every_polite_end_is_seen(ending: str) -> None:
    assert plain(f"Close the lower gate{ending}.") == "Close the lower gate"
    assert plain(f"Close the lower gate{ending.upper()}.") == "Close the lower gate"


@pytest.mark.parametrize("text", [
    "PRIOR to the feast the hall is swept.", "Nobody but Ines has a key.", "No one else except Ines has a key.",
    "Nothing Other than oil is burnt.", "In order to open it, turn the wheel."])
def test_every_roundabout_phrase_is_seen_in_whatever_case(text: str) -> None:
    assert plainer(text) != text
    assert plainer(text.upper()).lower() == plainer(text).lower()


@pytest.mark.parametrize("text", ["only ines", "the sole key", "ines alone", "nothing else", "exclusively oil", "solo ines",
                                  "nur ines", "sólo ines", "só ines", "ausschließlich öl", "只有", "apenas ines"])
def test_whatever_leaves_no_room_is_seen(text: str) -> None:
    assert says_only(text)
    assert not says_only("commonly a lonely person knows")
