"""What answers a question stands before what is only near, and nothing goes because of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import pytest
from test_ranking import NOW, RULES, _memory

from dreamd.core.errors import Outage
from dreamd.core.values import Memory, Status
from dreamd.models import answer_net
from dreamd.recall.answer import Look, search
from dreamd.recall.answering import Reading
from dreamd.recall.ranking import LONGEST_QUESTION, READ, Asked, Budget, Hit, Ranked, rank
from dreamd.recall.resolve import REPLACED, without_earlier_answers
from household import FIRST_DAY, FIRST_NIGHT, House

LATER = "2026-01-06T09:00:00Z"
QUESTION = "on which weekday is the glaze kiln heated?"


def _ranked(likely: Sequence[float], count: int = 3, weight: float = 0.5) -> list[Ranked]:
    hits = [Hit(_memory(f"m{n}", f"Kiln {n} is lit"), 0.0, 0.5 - n / 100) for n in range(count)]
    read = {f"m{n}": value for n, value in enumerate(likely)}

    def told(some: Sequence[Memory]) -> list[float]:
        return [read[memory.id] for memory in some]

    return rank("kiln", hits, now=NOW, rules=replace(RULES, answer_weight=weight), asked=Asked(count=count, read=told))


def test_what_reads_as_an_answer_stands_first() -> None:
    found = _ranked([0.1, 0.1, 0.9])
    assert [one.memory.id for one in found] == ["m2", "m0", "m1"]
    assert found[0].parts["answers"] == pytest.approx(0.9)


def test_reading_lowers_no_score_and_hides_nothing() -> None:
    plain, read = _ranked([0.0, 0.0, 0.0]), _ranked([0.3, 0.0, 1.0])
    before = {one.memory.id: one.score for one in plain}
    assert {one.memory.id for one in read} == before.keys()
    assert all(one.score >= before[one.memory.id] for one in read)


def test_no_more_than_the_first_are_read() -> None:
    found = _ranked([0.5] * READ, count=READ + 2)
    assert len(found) == READ + 2
    assert sum("answers" in one.parts for one in found) == READ


@pytest.mark.parametrize(("status", "nearness", "likely", "shown"), [
    (Status.ARCHIVED, 0.3, 0.004, False), (Status.ARCHIVED, 0.3, 0.006, True), (Status.ARCHIVED, 0.4, 0.001, True),
    (Status.ARCHIVED, 0.1, 0.6, True), (Status.LIVE, 0.3, 0.004, True)])
def test_what_was_archived_and_is_far_by_itself_is_shown_where_it_may_answer(
        status: Status, nearness: float, likely: float, shown: bool) -> None:
    gone = replace(_memory(), status=status, reason="expired" if status is Status.ARCHIVED else "")
    for asked, there in ((Asked(read=lambda _: [likely]), shown), (Asked(read=lambda _: []), nearness > 0.2),
                         (Asked(read=lambda _: [likely], everything=True), shown or nearness > 0.2)):
        assert bool(rank("kiln", [Hit(gone, 0.0, nearness)], now=NOW, rules=RULES, asked=asked)) is there


def test_what_is_far_is_shown_where_it_reads_as_an_answer_and_not_otherwise() -> None:
    hits = [Hit(_memory("near"), 0.0, 0.6), Hit(_memory("far"), 0.0, 0.1), Hit(_memory("remote"), 0.0, 0.1)]
    likely = {"near": 0.1, "far": 0.8, "remote": 0.3}
    asked = Asked(read=lambda some: [likely[one.id] for one in some])
    assert {one.memory.id for one in rank("stove", hits, now=NOW, rules=RULES, asked=asked)} == {"near", "far"}
    assert [one.memory.id for one in rank("stove", hits, now=NOW, rules=RULES)] == ["near"]


@pytest.fixture
def kilns(thoughtful: House) -> House:
    """A few statements on one thing, dreamt over."""
    thoughtful.say(FIRST_DAY, "The glaze kiln is heated on Wednesdays", "The glaze kiln on the left has a broken door",
                   "Ask Runa before the glaze kiln is opened")
    thoughtful.dream(FIRST_NIGHT)
    return thoughtful


@pytest.mark.model
def test_a_question_is_read_with_what_was_found(kilns: House) -> None:
    with kilns.kit(LATER) as kit:
        found = search(kit, QUESTION, Look(record=False)).results
    assert found[0].memory.text == "The glaze kiln is heated on Wednesdays"
    assert found[0].parts["answers"] > max(one.parts["answers"] for one in found[1:])


@pytest.mark.model
def test_who_looks_by_nearness_or_writes_at_length_is_not_kept_waiting(kilns: House) -> None:
    long = QUESTION + " I ask for the glaze kiln" * (LONGEST_QUESTION // 20)
    with kilns.kit(LATER) as kit:
        looks = [search(kit, QUESTION, Look(record=False, unread=True)),
                 search(kit, QUESTION, Look(record=False, injection=True)), search(kit, long, Look(record=False))]
        assert kit.reader is None
    assert all("answers" not in one.parts for found in looks for one in found.results)


@pytest.mark.model
def test_without_the_net_the_order_of_nearness_stands(kilns: House, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*_: object, **__: object) -> None:
        raise Outage("away", component="model", code="model-missing")

    monkeypatch.setattr(answer_net, "_shared", {})
    monkeypatch.setattr(answer_net, "load_answer_net", away)
    with kilns.kit(LATER) as kit:
        plain = search(kit, QUESTION, Look(record=False, unread=True)).results
        found = search(kit, QUESTION, Look(record=False)).results
    assert [one.memory.id for one in found] == [one.memory.id for one in plain]


@pytest.mark.model
def test_a_person_switches_the_reading_off(kilns: House) -> None:
    kilns.furnish(recall={"answer_weight": 0.0})
    with kilns.kit(LATER) as kit:
        search(kit, QUESTION, Look(record=False))
        assert kit.reader is None


def _told(*days: int, pinned: bool = False) -> list[Ranked]:
    """Two that read as answers and one that does not, said so many days ago."""
    return [Ranked(_memory(f"m{n}", f"The kiln is heated on day {n}", confirmed_at=NOW - timedelta(days=day),
                           pinned=pinned and not n), 0.8 - n / 10, {"answers": 0.05 if n == 2 else 0.9})
            for n, day in enumerate(days)]


def test_of_two_answers_the_later_stands_alone_where_it_took_the_place_of_the_earlier() -> None:
    asked: list[tuple[str, str]] = []

    def replaced(pairs: Sequence[tuple[Ranked, Ranked]]) -> list[float]:
        asked.extend((old.memory.id, new.memory.id) for old, new in pairs)
        return [0.9 for _ in pairs]

    assert [one.memory.id for one in without_earlier_answers(_told(9, 2, 1), replaced)] == ["m1", "m2"]
    assert asked == [("m0", "m1")], "what is no answer takes nobody's place, and the earlier never that of the later"


def test_what_answered_before_goes_also_where_the_question_hardly_reads_it_as_an_answer_today() -> None:
    asked: list[tuple[str, str]] = []

    def replaced(pairs: Sequence[tuple[Ranked, Ranked]]) -> list[float]:
        asked.extend((old.memory.id, new.memory.id) for old, new in pairs)
        return [0.9 for _ in pairs]

    new, beside, old = _told(1, 1, 9)
    assert [one.memory.id for one in without_earlier_answers([new, beside, old], replaced)] == ["m0", "m1"]
    assert asked == [("m2", "m0"), ("m2", "m1")]
    surely_none = replace(old, parts={"answers": 0.005})
    assert without_earlier_answers([new, surely_none], replaced) == [new, surely_none]


def test_a_later_answer_before_an_earlier_one_keeps_its_place() -> None:
    new, beside, old = _told(1, 5, 9)
    told = without_earlier_answers([new, beside, old], lambda pairs: [
        0.9 if (o.memory.id, n.memory.id) == ("m2", "m0") else 0.1 for o, n in pairs])
    assert [one.memory.id for one in told] == ["m0", "m1"], "it fell to the place of the earlier"


@pytest.mark.parametrize(("days", "pinned", "likely"), [((9, 2, 1), False, [0.2]), ((9, 2, 1), True, []),
                                                        ((2, 2, 1), False, []), ((9, 2, 1), False, [])])
def test_two_answers_stand_beside_each_other_where_nothing_says_that_one_is_over(
        days: tuple[int, ...], pinned: bool, likely: list[float]) -> None:
    told = _told(*days, pinned=pinned)
    assert without_earlier_answers(told, lambda pairs: likely[:len(pairs)]) == told


class _Read:
    """A kit whose network reads every later statement as surely as this for the successor of an earlier."""

    def __init__(self, surely: float) -> None:
        self._surely = surely

    def load_reader(self) -> _Read:
        return self

    def read(self, pairs: Sequence[tuple[str, str]]) -> list[tuple[float, float]]:
        return [(0.0, self._surely) for _ in pairs]


def _turned(question: str, near: float, surely: float = 4.0) -> float:
    old, new, _ = (replace(one, parts={"answers": 0.5, "nearness": here})
                   for one, here in zip(_told(9, 2, 1), (0.8, near, 0.4), strict=True))
    (likely,) = Reading(_Read(surely), question).replaced([(old, new)])  # type: ignore[arg-type]
    return likely


def test_a_later_remark_that_is_far_from_the_question_hides_no_answer() -> None:
    assert _turned("on which day is the kiln heated", 0.8) >= REPLACED
    assert _turned("on which day is the kiln heated", 0.2) < REPLACED
    assert _turned("on which day is the kiln heated", 0.8, surely=2.0) < REPLACED


@pytest.mark.parametrize("question", ["when did we heat the kiln", "who carried the lamps", "wann wurde der Ofen geheizt",
                                      "¿quién hizo el horno?", "quand a-t-on chauffé le four", "quem fez o forno"])
def test_nothing_later_answers_anew_what_happened_once(question: str) -> None:
    assert _turned(question, 0.8) < REPLACED


def test_what_reads_as_no_answer_is_left_out_behind_the_nearest_but_not_from_a_deep_look() -> None:
    hits = [Hit(_memory(f"m{n}", f"Kiln {n} is lit"), 0.0, 0.5 - n / 100) for n in range(5)]
    likely = {"m0": 0.001, "m1": 0.001, "m2": 0.001, "m3": 0.001, "m4": 0.2}

    def found(asked: Asked) -> set[str]:
        read = replace(asked, read=lambda some: [likely[one.id] for one in some])
        return {one.memory.id for one in rank("kiln", hits, now=NOW, rules=RULES, asked=read)}

    assert found(Asked()) == {"m0", "m1", "m2", "m4"}
    assert found(Asked(budget=Budget.DEEP)) == found(Asked(everything=True)) == set(likely)
    likely = dict.fromkeys(likely, 0.001)
    said = [replace(hit, memory=replace(hit.memory, answers="Is the kiln lit?")) for hit in hits]
    asked = Asked(read=lambda some: [likely[one.id] for one in some])
    assert len(rank("kiln", said, now=NOW, rules=RULES, asked=asked)) == 5, "it was read without what it was said to"
