"""Forms of one word in languages that the lexicon knows by its base form: plurals, genders, participles, verb endings.

Nothing here has to be a word: a form only counts when the lexicon knows what it leads to.
"""

# ruff: noqa: SIM905  word lists read better as runs of words

from __future__ import annotations

import re
from collections.abc import Iterator

ROMANCE = frozenset(["es", "fr", "pt", "it"])
_DE_ENDINGS = ("ungen", "enen", "erin", "es", "en", "er", "em", "et", "te", "ten", "e", "n", "s", "t")
_ROMANCE_ENDINGS = tuple(
    (
        "aciones ación ação ções ados adas idos idas amos aron aram ado ada ido ida ando endo ar er ir an en am em es os "
        "as ent ées ée és é re ou ó o a e s"
    ).split()
)
_VERB = {
    "de": re.compile(r"^(.{3,}?)(?:en|n)$"),
    "es": re.compile(r"^(.{2,}?)[aeií]r(?:se)?$"),
    "fr": re.compile(r"^(.{2,}?)(?:er|ir|re)$"),
    "pt": re.compile(r"^(.{2,}?)[aei]r(?:-se)?$"),
    "it": re.compile(r"^(.{2,}?)[aei]r(?:e|si)$"),
}
"""The base form of a verb, and its root."""
_VERB_ENDINGS = {
    "es": "amos emos imos aron ieron aban ían aba ía ado ada ados adas ido ida idos idas ando iendo arse erse irse ará erá irá "
    "arán erán irán aré eré a e o an en as es ó ió é í",
    "fr": "ons ez ent ait aient era eront ira iront ant issent issons it is é ée és ées i ie is ies u ue us ues e es",
    "pt": "amos emos imos aram eram iram avam iam ava ia ado ada ados adas ido ida idos idas ando endo indo ará erá irá arão "
    "erão irão a e o am em ou eu iu ei",
    "it": "iamo ate ete ite ano ono ato ata ati ate ito ita iti ite uto uta uti ute ando endo erà eranno irà iranno a e i o",
}
_ENDINGS_OF = {tongue: tuple(sorted(endings.split(), key=len, reverse=True)) for tongue, endings in _VERB_ENDINGS.items()}
_PLURALS = {
    "es": (("iones", "ión"), ("ciones", "ción"), ("ces", "z"), ("es", ""), ("s", ""), ("as", "o"), ("a", "o")),
    "fr": (("eaux", "eau"), ("aux", "al"), ("aux", "au"), ("eux", "eu"), ("s", ""), ("x", ""), ("es", ""), ("e", ""),
           ("elles", "el"), ("elle", "el"), ("ives", "if"), ("ive", "if"), ("euses", "eux"), ("euse", "eux")),
    "pt": (("ões", "ão"), ("ães", "ão"), ("ais", "al"), ("eis", "el"), ("óis", "ol"), ("is", "il"), ("ns", "m"), ("es", ""),
           ("s", ""), ("as", "o"), ("a", "o")),
    "it": (("i", "o"), ("i", "e"), ("e", "a"), ("chi", "co"), ("che", "ca"), ("ghi", "go"), ("ghe", "ga"), ("a", "o"),
           ("e", "o")),
}  # fmt: skip
_PREFIXES = tuple(
    (
        "zurück weiter zusammen herunter hinunter herauf heraus hinaus herein hinein heran voraus vorbei nach über unter durch "
        "fest frei hoch her hin weg ein aus auf ab an um vor zu los mit bei"
    ).split()
)
_GE = re.compile(rf"^({'|'.join(_PREFIXES)})?(?:ge|zu)(.{{2,}}?)(?:en|e?te[nrms]?|et|t|e[nrms]?)?$")
_UMLAUTS = str.maketrans("äöü", "aou")
_ELIDED = re.compile(r"^(?:[ldsnjcmt]|qu|jusqu|lorsqu|puisqu|dell|nell|all|dall|sull|un|quest|quell)'(?=\w)")
_SHORTEST = 3


def whole(word: str) -> str:
    """A word without the article or pronoun that is written with it ("l'eau", "d'eau", "dell'anno")."""
    return _ELIDED.sub("", word)


def bases(word: str, tongue: str) -> Iterator[str]:
    """Base forms that a plural, a feminine or a participle may belong to, the likeliest first."""
    if tongue == "de":
        yield from _german(word)
        return
    for ending, put in _PLURALS.get(tongue, ()):
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST:
            yield word[: len(word) - len(ending)] + put


def _german(word: str) -> Iterator[str]:
    for ending in ("", "e", "n", "en", "er", "s", "es", "ern", "em", "innen"):
        cut = word.removesuffix(ending)
        if (ending and cut == word) or len(cut) < _SHORTEST:
            continue
        if ending:
            yield cut
        plain = cut.translate(_UMLAUTS)
        if plain != cut:
            yield plain
        if ending in ("", "n", "en"):
            yield cut + "e"
    part = _GE.match(word)
    if part:
        front, root = part.group(1) or "", part.group(2)
        yield from (front + root + "en", front + root + "n")
    if word.endswith(("t", "te", "ten")):
        root = re.sub(r"(?:e?te?n?)$", "", word)
        yield from (root + "en", root + "n")
        plain = root.translate(_UMLAUTS)
        if plain != root:
            yield from (plain + "en", plain + "n")


def verb_root(word: str, tongue: str) -> str:
    """The root of a verb in its base form; empty for anything else."""
    found = _VERB[tongue].match(word) if tongue in _VERB and " " not in word else None
    return found.group(1) if found else ""


def roots(word: str, tongue: str) -> Iterator[str]:
    """Roots of verbs that a form may belong to; Spanish with the vowel that its stressed forms change."""
    for ending in _ENDINGS_OF.get(tongue, ()):
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST:
            root = word[: len(word) - len(ending)]
            yield root
            if tongue == "es":
                for told, base in (("ie", "e"), ("ue", "o")):
                    if told in root:
                        yield root.replace(told, base)


def stem_of(word: str, tongue: str) -> str:
    """A crude stem that only has to be equal for the forms of one word."""
    for ending in _DE_ENDINGS if tongue == "de" else _ROMANCE_ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= len("word"):
            return word[: -len(ending)]
    return word


_HANGUL = 0xAC00
_KOREAN_ENDINGS = frozenset("지고면게던습")
_FINALS, _VOWELS = 28, 21
_ENDING_FINALS = frozenset([4, 8, 16, 17, 20])
"""Final consonants that a verb's ending puts under an open syllable: ㄴ, ㄹ, ㅁ, ㅂ, ㅆ."""
_CONTRACTED = {6: 20, 14: 13, 9: 8, 4: 18, 0: 18, 10: 11}
"""Vowels that arise where a stem's vowel meets that of an ending, and the stem's own, by number."""


def korean_bases(word: str) -> Iterator[str]:
    """The stem that a Korean verb form may belong to: "보낸" to "보내", "바꿨" to "바꾸", "받지" to "받"."""
    if word[-1] in _KOREAN_ENDINGS:
        yield word[:-1]
    code = ord(word[-1]) - _HANGUL
    if not 0 <= code < _HANGUL:
        return
    vowel, final = code // _FINALS % _VOWELS, code % _FINALS
    if final and final not in _ENDING_FINALS:
        return
    bare = code - final
    if final:
        yield word[:-1] + chr(_HANGUL + bare)
    if final in (0, 20) and vowel in _CONTRACTED:
        yield word[:-1] + chr(_HANGUL + bare + (_CONTRACTED[vowel] - vowel) * _FINALS)
