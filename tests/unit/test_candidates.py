"""Partners by rare terms: few, found by what few others say, and the same whatever the order of the statements."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from dreamd.models.rare_words import FEW_AMONG, MOST_PARTNERS, MOST_TEXTS, plain_terms, rare_partners

WORDS = ("harbour", "crane", "5433", "tern-west", "valve", "ledger", "kiln", "v2.1", "quay", "moss")
SENTENCES = st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join), max_size=25, unique=True)


def test_statements_that_share_a_rare_name_find_each_other() -> None:
    a, b, c = "Profile tern-west reaches the customer", "Renew the certificate of tern-west", "Nothing in common here"
    asked = "where does tern-west lead?"
    found = rare_partners([a, c, asked], [a, b, c])
    assert found[a] == [b] and found[c] == []
    assert set(found[asked]) == {a, b}


def test_more_and_rarer_shared_terms_come_first() -> None:
    near = "The kiln ledger closes at 5433"
    far = "The kiln is lit on Mondays"
    others = [f"The kiln log of shift {number}" for number in range(4)]
    asked = "ledger of the kiln 5433"
    assert rare_partners([asked], [near, far, *others])[asked][0] == near


def test_a_term_that_many_share_brings_no_partners() -> None:
    texts = [f"Server {number:03d}a belongs to harbour" for number in range(30)]
    assert rare_partners(texts, texts)[texts[0]] == []
    few = texts[:MOST_TEXTS]
    assert len(rare_partners(few, few)[few[0]]) == MOST_PARTNERS


def test_paths_versions_and_identifiers_stay_whole_and_short_words_are_left_out() -> None:
    assert plain_terms("Run ./bin/up.sh at v2.1 on db_main for the CI, 7 times") == {
        "bin/up.sh", "v2.1", "db_main", "7", "times"}


@settings(max_examples=80, deadline=None)
@given(texts=SENTENCES, seed=st.randoms(use_true_random=False))
def test_partners_do_not_depend_on_the_order_of_the_statements(texts: list[str], seed: object) -> None:
    shuffled = list(texts)
    seed.shuffle(shuffled)  # type: ignore[attr-defined]
    assert rare_partners(texts, texts) == rare_partners(shuffled, shuffled)


@settings(max_examples=60, deadline=None)
@given(texts=SENTENCES)
def test_partners_share_a_term_and_are_never_the_statement_itself(texts: list[str]) -> None:
    for text, partners in rare_partners(texts, texts).items():
        for other in partners:
            assert other != text
            assert plain_terms(text) & plain_terms(other)


@settings(max_examples=80, deadline=None)
@given(texts=SENTENCES, more=st.lists(st.text(alphabet="ab7.-_ /@ß", min_size=1, max_size=12), max_size=12, unique=True))
def test_a_few_that_ask_find_the_same_partners_as_all_that_ask(texts: list[str], more: list[str]) -> None:
    everyone = list(dict.fromkeys([*texts, *more]))
    fillers = [f"plank {number} of the {number % 7}th deck" for number in range(FEW_AMONG * max(1, len(everyone)))]
    whole = [*everyone, *fillers]
    all_that_ask = rare_partners(whole, whole)
    assert rare_partners(everyone, whole) == {text: all_that_ask[text] for text in everyone}


def test_a_digit_inside_longer_numbers_is_no_sign() -> None:
    many = [f"Berth {number}0{number} is free" for number in range(100, 100 + 3 * FEW_AMONG)]
    asked, other = "Crane 7 stands on the quay", "The chain of crane 7 is new"
    assert rare_partners([asked], [asked, other, *many]) == {asked: [other]}
