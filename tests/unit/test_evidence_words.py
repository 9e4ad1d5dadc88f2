"""Evidence is kept as values and worded for people alone."""

import json

import pytest

from dreamd.core.plain_words.evidence_words import all_in_words, each_text, from_json, in_words, to_json
from dreamd.core.values import Basis, Evidence, EvidenceKind, Judgement, Relation

PORTS = Evidence(EvidenceKind.QUANTITY, "8080", "8081")


@pytest.mark.parametrize("kind", EvidenceKind)
def test_every_kind_has_plain_words(kind):
    bare, one, both = (in_words(Evidence(kind, *spans)) for spans in ((), ("", "port 9"), ("port 8", "port 9")))
    assert bare and "_" not in bare
    assert kind is EvidenceKind.LATER or ("port 9" in one and "port 8" in both and "port 9" in both)


def test_evidence_is_kept_as_values_and_sentences_as_they_are():
    clues = (PORTS, "said in 3 conversations", Evidence(EvidenceKind.SAME_CLAIM, share=0.93))
    assert json.loads(to_json(clues)) == [{"kind": "quantity", "a": "8080", "b": "8081"}, "said in 3 conversations",
                                          {"kind": "same_claim", "share": 0.93}]
    assert from_json(to_json(clues)) == clues


def test_what_another_version_kept_is_still_read():
    assert from_json('["numbers differ: `1` against `2`"]') == ("numbers differ: `1` against `2`",)
    assert all_in_words(from_json('[{"kind": "of a later version", "a": "x"}]')) == ["of a later version: x"]


def test_a_verdict_seen_from_the_other_side_turns_its_evidence_too():
    verdict = Judgement(Relation.UPDATES, 0.9, (PORTS,), Basis.TIME, newer="b")
    assert verdict.turned() == Judgement(Relation.UPDATES, 0.9, (Evidence(EvidenceKind.QUANTITY, "8081", "8080"),),
                                         Basis.TIME, newer="a")
    assert verdict.turned().turned() == verdict


def test_every_text_of_evidence_can_be_masked():
    assert each_text((PORTS, "port 8080"), lambda text: text.replace("8080", "…")) == (
        Evidence(EvidenceKind.QUANTITY, "…", "8081"), "port …")


def test_days_between_two_statements_are_counted():
    assert in_words(Evidence(EvidenceKind.LATER, "2026-01-02", "2026-03-04")) == \
        "said 61 days apart, on 2026-01-02 and 2026-03-04"
