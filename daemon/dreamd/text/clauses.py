"""The clauses of a statement: which is the first, where its verb stands, and which words stand together."""

# ruff: noqa: SIM905  word lists read better as runs of words

from __future__ import annotations

from collections.abc import Sequence

from dreamd.text import word_classes
from dreamd.text.markers import VERBS
from dreamd.text.negation import CLAUSE_END
from dreamd.text.tokens import Token

_PART_END = CLAUSE_END | word_classes.CONDITIONS | word_classes.REASONS
_HEAD_END = word_classes.REASONS - {"as", "for", "so", "da", "ya"} | {"which", "whose", "but"}
_SHORTEST_HEAD = 3
_LONGEST_LABEL = 4
"""Words before a colon that are the name of what is told behind it: "log retention: 30 days"."""
HELPING = frozenset(
    (
        "is are was were be has have had must may can should will shall would could does do did doesn't don't didn't "
        "isn't aren't wasn't weren't hasn't haven't cannot can't won't mustn't shouldn't ist sind wird werden hat haben "
        "muss müssen darf dürfen kann es son está están debe deben tiene tienen est sont doit doivent ont é são deve "
        "devem tem têm gets get got needs need"
    ).split()
)
_COMMANDING = frozenset(["always", "never", "please", "do", "don't", "dont", "not", "avoid", "prefer", "only"])
_SPEAKERS = frozenset("i we they you he she it".split())
_FRONTED = frozenset(
    ("before after since because if when unless until while to in on at for with from during once as whenever without").split()
)
_DETERMINERS = frozenset(
    "the a an of to no every each all our its their this that any some in on for from with by and or".split()
)
_AFTER_VERB = frozenset(
    (
        "the a an to in on at for from with by of into its our their his her no only all every each any as under over "
        "through before after up"
    ).split()
)


def first_clause(cut: Sequence[Token]) -> tuple[Token, ...]:
    """The first clause: up to a stop, a reason or a relative word, if it is a claim already."""
    for i, token in enumerate(cut[_SHORTEST_HEAD:], _SHORTEST_HEAD):
        if token.kind == "stop" or token.lower in _HEAD_END:
            return tuple(cut[:i])
    return tuple(cut)


def verb_at(cut: Sequence[Token], head: Sequence[Token]) -> int:
    """Index of the main verb (or of the colon that stands for one); 0 for an imperative, -1 when none was found."""
    if not head or head[0].lower in _FRONTED or head[0].lower == "there":
        return -1
    first = 0
    for i, t in enumerate(head):
        if t.is_content or t.lower in _COMMANDING:
            first = i
            break
    if first and head[0].lower in _SPEAKERS and head[first].kind == "word" and not head[first].lower.endswith("ly"):
        return first
    colon = -1
    for i, t in enumerate(cut):
        if t.surface == ":":
            colon = i
            break
    if 1 < colon <= _LONGEST_LABEL and all(t.is_content and t.lower not in _COMMANDING for t in cut[:colon]):
        return colon
    bare = first == 0 or first == 1 and head[0].lower not in _DETERMINERS
    if head[first].lower in _COMMANDING or (head[first].stem in VERBS and bare and not _is_noun_here(head, first)):
        return 0
    for i in range(first + 1, len(head)):
        if head[i].lower in HELPING:
            return i
    found = [
        i
        for i, t in enumerate(head)
        if i > first and t.kind == "word" and (t.stem in VERBS or (t.lower.endswith("s") and len(t.lower) > 3))
    ]
    strong = [
        i for i in found if i + 1 < len(head) and head[i + 1].lower in _AFTER_VERB and head[i - 1].lower not in _DETERMINERS
    ]
    known = [i for i in found if head[i].stem in VERBS and head[i - 1].lower not in _DETERMINERS]
    first_found = min([*strong[:1], *known[:1]], default=colon)
    return first_found + 1 if first_found >= 0 and first_found + 1 in strong else first_found


def clauses(cut: Sequence[Token]) -> tuple[tuple[str, ...], ...]:
    """Content stems cut at punctuation and connectives: the order inside a part means something, that of the parts does not."""
    parts: list[list[str]] = [[]]
    for token in cut:
        if token.kind in ("stop", "op") or token.lower in _PART_END:
            parts.append([])
        elif token.is_content:
            parts[-1].append(token.stem)
    return tuple(tuple(part) for part in parts if part)


_SURE_VERBS = frozenset("goes uses needs takes comes happens requires depends lasts costs stays belongs begins becomes".split())
"""Forms that are nothing but verbs: the word before them is no order."""


def _is_noun_here(head: Sequence[Token], first: int) -> bool:
    """`Release notes are …`, `Plans need …`: a verb's word that stands as the subject."""
    if first + 1 < len(head) and head[first + 1].lower in _SURE_VERBS:
        return True
    return head[first].lower.endswith("s") or any(t.lower in HELPING for t in head[first + 1 : first + 3])
