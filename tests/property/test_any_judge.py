"""What is true of any judge of pairs, however it was fitted.

Neither side comes first, company changes nothing, and what differs in a number, an identifier or a denial is never one claim.
"""

from __future__ import annotations

import random
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parents[1] / "bench"))

from claims import Claim, by_authors, claims, texts_of

from dreamd.core.values import MERGING, Judgement, Relation
from dreamd.judge import Statement
from thorough import examples, few

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dreamd.judge import Judge

DAY = datetime(2026, 3, 2, 9, tzinfo=UTC)
NEAR = 0.97
"""A similarity at which nothing but the words keeps two apart."""
SOME, FEW = few(160), few(60)
SWAPPED = {"a": "b", "b": "a", None: None}
DENIALS = ((r"\bAlways\b", "Never"), (r"\balways\b", "never"), (r"\bmust\b", "must not"), (r"\bmay\b", "may not"),
           (r"\bis\b", "is not"), (r"\bare\b", "are not"), (r"\bcan\b", "cannot"))
NOT_PLAIN = re.compile(r"\b(?:not?|never|none|nobody|nothing|without|unless|only|cannot|that|which|who|where|when"
                       r"|before|after|until|if|because|so|since|while)\b|n't\b|[`;:]", re.IGNORECASE)
"""What is denied or bounded already, or has more than one clause: there another denial may hit the wrong one."""
IDENTIFIER = re.compile(r"\b[A-Z]{2,}-\d+\b|\bv\d+(?:\.\d+)+\b|(?<=`)/?(?:[\w-]+/)+[\w-]+|(?<=`)[a-z]+_[a-z_]+"
                        r"|(?<=\s)/(?:\w+/)*\w+")
NUMBER = re.compile(r"(?<![\w.,:/-])\d+(?![\w.,:/-]*[\w/-])")
ODD = (
    "", " ", ".", "\x00", "\t\n", "\r\r\n", "…", "？", "🌱🌱", "a" * 60_000, "the gate " * 8_000, "\u202eetag eht", "ｇａｔｅ",
    "ｎｏｔ", "e\u0301" * 300, "\u200b", "\ufeffThe gate is shut.", "1" * 400, "9" * 40 + " %", "١٢٣", "½ ², Ⅷ", "``",
    "`" * 99, "((((", "%s %d {} {0}", "NaN", "-0", "1/0", "2026-02-30 25:61", "ⵜⴰⵎⴰⵣⵉⵖⵜ", "\U0010ffff", "не", "ไม่", "لا",
    "The gate is shut.")


class SaysOne:
    """A network, and a fitted model behind it, that are sure of one claim whatever they read."""

    name = "says one"

    def read(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
        """The same logits for every pair."""
        return np.tile(np.array([9, *[-9] * 7], np.float32), (len(pairs), 1))

    def probabilities(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """A merge for every row."""
        return np.tile([1.0, 0.0, 0.0, 0.0], (len(rows), 1))


def some(pairs: Sequence[Claim], count: int) -> list[Claim]:
    """A few of some pairs, the same every time."""
    return random.Random(7).sample(list(pairs), count)


def ask(judge: Judge, pairs: Sequence[tuple[Statement, Statement]], *, similarity: float = 0.8) -> list[Judgement]:
    """Judge pairs in one batch."""
    from dreamd.judge import Pair

    return judge.judge_all([Pair(a, b, similarity) for a, b in pairs])


def gist(verdict: Judgement) -> tuple[Relation, str | None, str | None]:
    """What a dream acts on."""
    return verdict.relation, verdict.newer, verdict.richer


def some_pairs() -> list[tuple[Statement, Statement]]:
    """Claims and pairs of all authors, in their own times."""
    return [(pair.a, pair.b) for pair in (*some(claims("test"), SOME), *some(by_authors(), SOME // 2))]


def changed(change: Callable[[str], str | None], *, count: int = FEW) -> list[tuple[str, str]]:
    """Texts of the data beside what a change makes of them."""
    texts = texts_of([*claims("test"), *claims("train"), *by_authors()])
    random.Random(3).shuffle(texts)
    twins = [(text, twin) for text in texts if (twin := change(text)) is not None and twin != text]
    assert len(twins) >= count
    return twins[:count]


def another_number(text: str) -> str | None:
    """The text with its first number, where it is a plain one, raised."""
    found = NUMBER.search(text)
    return f"{text[:found.start()]}{int(found[0]) + 3}{text[found.end():]}" if found else None


def another_identifier(text: str) -> str | None:
    """The text with its first ticket, version, path or name of a program changed in its last sign."""
    found = IDENTIFIER.search(text)
    if not found:
        return None
    last = found[0][-1]
    other = str((int(last) + 3) % 10) if last.isdigit() else "x" if last != "x" else "y"
    return f"{text[:found.end() - 1]}{other}{text[found.end():]}"


def denied(text: str) -> str | None:
    """The text with its first verb denied; None where that may not be the only one, or is denied already."""
    if not text.isascii() or NOT_PLAIN.search(text):
        return None
    for plain, denial in DENIALS:
        twin, times = re.subn(plain, denial, text, count=1)
        if times:
            return twin
    return None


@pytest.mark.model
def test_neither_side_comes_first(real_judge: Judge) -> None:
    pairs = some_pairs()
    here, there = ask(real_judge, pairs), ask(real_judge, [(b, a) for a, b in pairs])
    turned = [(v.relation, SWAPPED[v.newer], SWAPPED[v.richer]) for v in there]
    assert [pair for pair, one, other in zip(pairs, here, turned, strict=True) if gist(one) != other] == []


@pytest.mark.model
@pytest.mark.parametrize("size", [1, 7, 64])
def test_a_verdict_does_not_depend_on_its_company(real_judge: Judge, size: int) -> None:
    pairs = some_pairs()[:FEW]
    together = [gist(verdict) for verdict in ask(real_judge, pairs)]
    shuffled = list(range(len(pairs)))
    random.Random(size).shuffle(shuffled)
    apart = {}
    for start in range(0, len(pairs), size):
        part = shuffled[start:start + size]
        apart.update(zip(part, ask(real_judge, [pairs[n] for n in part]), strict=True))
    assert [gist(apart[n]) for n in range(len(pairs))] == together


@pytest.mark.model
@pytest.mark.parametrize("days", [0, 40])
def test_one_text_twice_is_one_claim(real_judge: Judge, days: int) -> None:
    texts = texts_of(some([*claims("test"), *by_authors()], SOME))
    pairs = [(Statement(text, DAY), Statement(text, DAY + timedelta(days=days))) for text in texts]
    apart = [a.text for (a, _), v in zip(pairs, ask(real_judge, pairs, similarity=1.0), strict=True)
             if v.relation is not Relation.DUPLICATE]
    assert apart == []


@pytest.mark.model
@pytest.mark.parametrize("change", [another_number, another_identifier, denied])
@pytest.mark.parametrize("days", [0, 40])
def test_a_text_with_another_number_identifier_or_denial_is_never_the_same_claim(
        real_judge: Judge, change: Callable[[str], str | None], days: int) -> None:
    twins = changed(change)
    pairs = [(Statement(one, DAY), Statement(other, DAY + timedelta(days=days))) for one, other in twins]
    verdicts = ask(real_judge, pairs, similarity=NEAR)
    assert [twin for twin, verdict in zip(twins, verdicts, strict=True) if verdict.relation in MERGING] == []


@pytest.mark.parametrize("change", [another_number, another_identifier, denied])
def test_no_network_and_no_fit_can_make_one_claim_of_what_a_veto_keeps_apart(change: Callable[[str], str | None]) -> None:
    classifier = pytest.importorskip("dreamd.judge.classifier", reason="the fitted judge is not here yet")
    from dreamd.judge import Judge

    fitted = classifier.load_fitted()
    trusting = replace(fitted, before=SaysOne(), after=SaysOne(), limits=replace(fitted.limits, ask=0.0, merge=0.5))
    twins = changed(change)
    verdicts = ask(Judge(SaysOne(), trusting), [(Statement(one, DAY), Statement(other, DAY)) for one, other in twins])
    assert [twin for twin, verdict in zip(twins, verdicts, strict=True) if verdict.relation in MERGING] == []


@pytest.mark.model
def test_no_text_is_too_odd_to_be_judged(real_judge: Judge) -> None:
    pairs = [(Statement(one, DAY), Statement(other, None)) for one in ODD for other in ("The gate is shut.", "", ODD[7], one)]
    for verdict in ask(real_judge, pairs, similarity=0.5):
        assert isinstance(verdict.relation, Relation)
        assert 0 <= verdict.confidence <= 1


@pytest.mark.model
@examples(25)
@given(data=st.data())
def test_whatever_is_written_is_judged_alike_from_both_sides(real_judge: Judge, data: st.DataObject) -> None:
    words = st.text(st.characters(exclude_categories=("Cs",)), max_size=80)
    pairs = [(Statement(one), Statement(other)) for one, other in data.draw(st.lists(st.tuples(words, words), max_size=4))]
    similarity = data.draw(st.floats(-1, 1))
    here = ask(real_judge, pairs, similarity=similarity)
    there = ask(real_judge, [(b, a) for a, b in pairs], similarity=similarity)
    assert [v.relation for v in here] == [v.relation for v in there]
    assert all(v.relation is Relation.DUPLICATE for (a, b), v in zip(pairs, here, strict=True) if a == b and a.text.strip())
