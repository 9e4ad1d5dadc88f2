"""What was said in passing is weighed by dreams, and recall reads what they found: bounded, remembered, gone with its words."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from dreamd.core.errors import Locked
from dreamd.core.settings import build_settings
from dreamd.core.values import IN_PASSING, Judgement, Relation, text_sha
from dreamd.dream import verbs
from dreamd.dream.cycle import CycleReport, run_cycle
from dreamd.judge import Judge, Pair
from dreamd.recall.answer import Look, search
from dreamd.recall.ranking import Budget
from household import FIRST_DAY, FIRST_NIGHT, House, Said, every_byte
from reading import ReadsWords

SECOND_DAY, SECOND_NIGHT, THIRD_NIGHT = "2026-01-15T09:00:00Z", "2026-01-15T20:00:00Z", "2026-01-16T20:00:00Z"
LATER = "2026-01-20T09:00:00Z"
QUIET = Look(record=False, unread=True)
TUESDAY = "the cedar kiln of the pottery is fired on Tuesday mornings"
FRIDAY = "the cedar kiln of the pottery is fired on Fridays"


class Newest(Judge):
    """Of two statements that share words the later one is current, and it is counted how often anybody asked."""

    def __init__(self) -> None:
        super().__init__(ReadsWords())
        self.asked: list[frozenset[str]] = []

    def judge_all(self, pairs: Sequence[Pair], *, progress: Callable[[int, int], None] | None = None) -> list[Judgement]:
        """The later one of each pair."""
        assert progress is not None
        self.asked += [frozenset((pair.a.text, pair.b.text)) for pair in pairs]
        later = ["a" if (pair.a.at or pair.b.at) > pair.b.at else "b" for pair in pairs if pair.a.at and pair.b.at]
        return [Judgement(Relation.UPDATES, 0.9, newer=newer) for newer in later]


def in_passing(text: str, conversation: str = "c1") -> Said:
    return Said(text, conversation=conversation, explicit=False, sign=IN_PASSING)


def dream(house: House, now: str, judge: Judge) -> CycleReport:
    with house.kit(now) as kit:
        kit.judge = judge
        return run_cycle(kit)


def found(house: House, query: str = "when is the cedar kiln of the pottery fired") -> list[str]:
    with house.kit(LATER) as kit:
        return [one.memory.text for one in search(kit, query, QUIET).results]


def verdicts(house: House) -> list[tuple[object, ...]]:
    return house.rows("SELECT * FROM judged ORDER BY a, b")


def every_file(house: House) -> dict[str, bytes]:
    return {name: body for name, (body, *_) in every_byte(house.home).items()}


def limited(house: House, pairs: int) -> None:
    house.settings = build_settings({"consolidate": {"passage_pairs": pairs}})


@pytest.fixture
def kiln(house: House) -> House:
    """Two passages that tell of one thing, said on two days."""
    house.say(FIRST_DAY, in_passing(TUESDAY))
    house.say(SECOND_DAY, in_passing(FRIDAY, "c2"))
    return house


def test_a_dream_finds_out_which_of_two_passages_is_of_today(kiln: House) -> None:
    judge = Newest()
    report = dream(kiln, SECOND_NIGHT, judge)
    assert judge.asked == [{TUESDAY, FRIDAY}]
    assert (report.phases["consolidate"]["weighed"], report.phases["consolidate"]["unweighed"]) == (2, 0)
    assert found(kiln) == [FRIDAY]


def test_who_asks_for_history_is_shown_what_is_over(kiln: House) -> None:
    dream(kiln, SECOND_NIGHT, Newest())
    with kiln.kit(LATER) as kit:
        deep = search(kit, "when is the cedar kiln of the pottery fired", Look(record=False, budget=Budget.DEEP)).results
    assert {one.memory.text for one in deep} == {TUESDAY, FRIDAY}


def test_what_no_dream_has_weighed_is_shown_the_later_first(kiln: House) -> None:
    limited(kiln, 0)
    judge = Newest()
    dream(kiln, SECOND_NIGHT, judge)
    assert judge.asked == []
    assert found(kiln) == [FRIDAY, TUESDAY]


def test_a_second_dream_judges_nothing_and_touches_no_byte(kiln: House) -> None:
    dream(kiln, SECOND_NIGHT, Newest())
    before, judge = every_file(kiln), Newest()
    assert dream(kiln, THIRD_NIGHT, judge).outcome == "nothing-to-do"
    assert judge.asked == []
    assert every_file(kiln) == before


def test_a_dream_weighs_the_newest_first_and_leaves_the_rest_to_the_next_ones(house: House) -> None:
    woods = ["beech", "oak", "pine", "alder", "birch", "larch"]
    for n, wood in enumerate(woods):
        house.say(f"2026-01-{n + 1:02}T09:00:00Z", in_passing(f"the kiln of the pottery is fired with {wood} wood", f"c{n}"))
    limited(house, 4)
    judge = Newest()
    report = dream(house, SECOND_NIGHT, judge)
    assert 0 < len(judge.asked) <= 4
    assert all(any("larch" in text or "birch" in text for text in pair) for pair in judge.asked)
    left = [report.phases["consolidate"]["unweighed"]]
    while left[-1]:
        asked = len(judge.asked)
        report = dream(house, THIRD_NIGHT, judge)
        assert len(judge.asked) - asked <= 4
        assert "weighed" in report.reason
        left.append(report.phases["consolidate"]["unweighed"])
        assert left[-1] < left[-2]
    assert len(judge.asked) == len(set(judge.asked)), "no pair was judged twice"
    before = every_file(house)
    dream(house, LATER, judge)
    assert every_file(house) == before


def test_a_memory_that_is_told_later_meets_the_passages_weighed_before(house: House) -> None:
    house.say(FIRST_DAY, in_passing(TUESDAY))
    dream(house, FIRST_NIGHT, Newest())
    house.say(SECOND_DAY, Said(FRIDAY, conversation="c2"))
    judge = Newest()
    dream(house, SECOND_NIGHT, judge)
    assert judge.asked == [{TUESDAY, FRIDAY}]
    assert found(house) == [FRIDAY]


def test_what_was_judged_before_a_dream_was_stopped_is_not_judged_again(house: House) -> None:
    woods = [f"wood{n}" for n in range(12)]
    for n, wood in enumerate(woods):
        told = f"the kiln of the pottery is fired with {wood} each time"
        house.say(f"2026-01-{n + 1:02}T09:00:00Z", in_passing(told, f"c{n}"))
    judge = Newest()
    with house.kit(SECOND_NIGHT) as kit, pytest.raises(Locked):
        kit.judge = judge
        kit.should_stop = lambda: bool(judge.asked)
        run_cycle(kit)
    stopped = len(judge.asked)
    dream(house, THIRD_NIGHT, judge)
    assert 0 < stopped < len(judge.asked) == len(set(judge.asked))


def test_what_was_forgotten_leaves_no_verdict(kiln: House) -> None:
    dream(kiln, SECOND_NIGHT, Newest())
    assert verdicts(kiln)
    with kiln.kit(LATER) as kit:
        memories, loose = verbs.find_named(kit, [str(kiln.rows("SELECT id FROM observation WHERE text = ?", TUESDAY)[0][0])])
        verbs.forget(kit, [one.id for one in memories], loose=[seq for seq, _ in loose])
    sides = {str(side).partition("@")[0] for row in verdicts(kiln) for side in row[:2]}
    assert text_sha(TUESDAY)[:24] not in sides
    dream(kiln, LATER, Newest())
    assert found(kiln) == [FRIDAY]
    assert len(verdicts(kiln)) == 1, "what is left is that the other one was weighed"


def test_verdicts_that_were_lost_are_found_anew(kiln: House) -> None:
    dream(kiln, SECOND_NIGHT, Newest())
    before = verdicts(kiln)
    with kiln.kit(LATER) as kit:
        from dreamd.dream.check import _drop_verdicts

        _drop_verdicts(kit)
    assert verdicts(kiln) == []
    assert found(kiln) == [FRIDAY, TUESDAY]
    dream(kiln, LATER, Newest())
    assert verdicts(kiln) == before
    assert found(kiln) == [FRIDAY]


def test_a_run_that_is_undone_takes_its_passages_out_of_what_is_weighed(kiln: House) -> None:
    report = dream(kiln, SECOND_NIGHT, Newest())
    kiln.undo(LATER, report.run)
    kiln.say(LATER, in_passing("the shed of the pottery is green", "c3"))
    dream(kiln, LATER, Newest())
    assert not any(row[2] == "updates" for row in verdicts(kiln))


def test_where_no_passages_are_kept_nothing_is_weighed(kiln: House) -> None:
    kiln.settings = build_settings({"recall": {"passages": 0}})
    judge = Newest()
    dream(kiln, SECOND_NIGHT, judge)
    assert judge.asked == []
    assert verdicts(kiln) == []


@pytest.mark.model
@pytest.mark.usefixtures("real_judge")
def test_with_the_real_judge_the_value_of_today_stands_alone(thoughtful: House) -> None:
    thoughtful.say(FIRST_DAY, in_passing("the lamp controller listens on port 7400"))
    thoughtful.say(SECOND_DAY, in_passing("the lamp controller now listens on port 7500", "c2"))
    thoughtful.dream(SECOND_NIGHT)
    shown = found(thoughtful, "on which port does the lamp controller listen")
    assert shown == ["the lamp controller now listens on port 7500"]
