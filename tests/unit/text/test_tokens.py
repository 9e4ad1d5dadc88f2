"""Folding, splitting and stems of words."""

import pytest

from dreamd.text.tokens import fold, stem, tokens


@pytest.mark.parametrize(
    ("raw", "folded"),
    [
        ("  two   spaces ", "two spaces"),
        ("an en–dash", "an en-dash"),
        ("“quoted”", '"quoted"'),
        ("**bold** word", "bold word"),
        ("- a list line", "a list line"),
        ("１２３", "123"),
    ],
)
def test_characters_that_mean_the_same_become_the_same(raw, folded):
    assert fold(raw) == folded


@pytest.mark.parametrize(
    "forms",
    [
        ("replace", "replaces", "replaced", "replacing", "replacement"),
        ("deploy", "deploys", "deployed", "deployment", "deployments"),
        ("write", "wrote", "written", "writes"),
        ("store", "stored", "stores", "storage"),
        ("database", "db", "databases"),
        ("colour", "color", "colours"),
        ("review", "reviewer", "reviewed"),
        ("stop", "stopped", "stopping"),
        ("plan", "planned", "plans"),
        ("need", "needs"),
        ("delivery", "deliveries", "delivered"),
    ],
)
def test_the_forms_of_one_word_share_a_stem(forms):
    assert len({stem(f) for f in forms}) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [("port", "portal"), ("host", "ghost"), ("enable", "disable"), ("import", "export"), ("staging", "production")],
)
def test_different_words_keep_different_stems(one, other):
    assert stem(one) != stem(other)


@pytest.mark.parametrize(
    ("text", "kind", "surface"),
    [
        ("see conf/worker.toml for it", "path", "conf/worker.toml"),
        ("run it with --frozen", "flag", "--frozen"),
        ("at https://a.example/x now", "url", "https://a.example/x"),
        ("limit 2 GB", "number", "2"),
        ("limit 2GB", "number", "2"),
        ("write to a.b@c.example", "mail", "a.b@c.example"),
    ],
)
def test_a_token_knows_what_it_is(text, kind, surface):
    assert (kind, surface) in {(t.kind, t.surface) for t in tokens(text)}


def test_a_capital_tells_the_month_from_the_verb():
    assert [t.lower for t in tokens("It may rain in May")] == ["it", "may", "rain", "in", "may-month"]


def test_texts_share_the_tokens_they_have_in_common():
    assert tokens("the lid is shut")[1] is tokens("a lid was found")[1]
