"""Spelled numbers of every language are the amounts they spell, and no other."""

import pytest

from dreamd.core.values import MERGING, PairScore
from dreamd.judge import Statement, extract_slots, judge

SURE = PairScore(0.95, 0, 0, 0, 0, 0.03, 0.01, 0.01)

SPELLED = {
    "de": ("Die Fähre braucht {} Stunden.", {"hundert": 100, "zweihundert": 200, "zwölf": 12, "anderthalb": 1.5}),
    "es": ("El barco tarda {} horas.", {"once": 11, "veintiuno": 21, "doscientos": 200, "mil": 1000}),
    "fr": ("Le bac met {} heures.", {"soixante-dix": 70, "quatre-vingts": 80, "quatre-vingt-dix": 90, "deux cents": 200}),
    "pt": ("O barco leva {} horas.", {"treze": 13, "vinte e um": 21, "duzentos": 200, "mil": 1000}),
    "it": ("Il traghetto impiega {} ore.", {"due": 2, "ventuno": 21, "novanta": 90, "duecento": 200, "mille": 1000}),
    "zh": ("渡船要{}个月修好。", {"十一": 11, "二十": 20, "两": 2}),
    "ja": ("渡し船は{}時間かかる。", {"二": 2, "十二": 12, "三十": 30}),
    "ko": ("나룻배는 {} 분 걸린다.", {"삼십": 30, "이십오": 25, "백": 100, "십": 10}),
}
CASES = [(sentence, word, value) for sentence, told in SPELLED.values() for word, value in told.items()]


@pytest.mark.parametrize(("sentence", "word", "value"), CASES)
def test_a_spelled_number_is_its_figure(sentence, word, value):
    found = extract_slots(sentence.format(word)).numbers
    assert found == extract_slots(sentence.format(value)).numbers != frozenset()


@pytest.mark.parametrize("tongue", SPELLED)
def test_two_spelled_numbers_are_two_amounts(tongue):
    sentence, told = SPELLED[tongue]
    one, other = [sentence.format(word) for word in list(told)[:2]]
    assert judge(Statement(one), Statement(other), similarity=0.97, score=SURE).relation not in MERGING


def test_a_hundred_people_are_a_hundred():
    assert extract_slots("チームは百人だ。").numbers == extract_slots("チームは100人だ。").numbers


def test_this_is_no_two():
    assert extract_slots("이 시간에는 배가 없다.").numbers == frozenset()
