"""Word-for-word English for other languages, good enough for a model that only reads English.

The lexicon has one concept a line: English first, then one column a language. Where two lines give one word two
meanings, the earlier line counts; a stem that two lines would read differently counts for neither.
"""

# ruff: noqa: SIM905  word lists read better as runs of words

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from dreamd.embedding.amounts import restate
from dreamd.embedding.wordforms import ROMANCE, bases, roots, stem_of, verb_root, whole

TONGUES = ("de", "es", "fr", "pt", "zh", "ko", "ja", "it")
UNSPACED = frozenset(["zh", "ko", "ja"])
"""Languages in which a word is found inside a run of characters."""
_SMALL = {
    "de": frozenset(
        (
            "der die das ein eine einen einer dem den des und nicht ist sind wird werden mit zu zum zur im am auf für bei "
            "nur nie auch wenn darf dürfen muss müssen kein keine keinen es sich von aus nach vor ab bis seit als ohne "
            "können kann hat haben jede jeder jedes alle wir uns nun jetzt wieder sondern statt"
        ).split()
    ),
    "es": frozenset(
        (
            "el la los las un una del y se con por para que al su sus debe deben lo ya es son nunca sin más hay solo sólo "
            "como de en cada pueden puede está están siempre desde hasta antes nos"
        ).split()
    ),
    "fr": frozenset(
        (
            "le la les un une des du de et pas est sont se avec par pour que au aux sa ses dans sur il sans nous ne chaque "
            "toujours jamais ce cette doit doivent peut peuvent"
        ).split()
    ),
    "pt": frozenset(
        (
            "o a os as um uma da do das dos de e não é são se em no na nos nas com por para que ao seu sua já sem mais foi "
            "cada nunca sempre pode podem deve devem só"
        ).split()
    ),
    "it": frozenset(
        (
            "il lo gli della dello delle degli nel nella nei nelle alla allo alle agli dal dalla dai che di non è sono viene "
            "vengono ogni può possono devono più senza anche quando di sempre"
        ).split()
    ),
    "en": frozenset(
        "the a an of to in on is are be and or not for with by from at as it this that we our must has have only no".split()
    ),
}
_LETTERS = {"de": "äöüß", "es": "ñ¿¡áéíóú", "fr": "èêëàçœéù", "pt": "ãõçáéíóú"}
_FILLER = frozenset(w for tongue in ("de", "es", "fr", "pt", "it") for w in _SMALL[tongue]) - frozenset(
    "nicht kein keine nie nur wenn sin pas sans não sem nunca solo con mit avec com und y et ne non senza".split()
) | frozenset(
    (
        "wurde wurden worden war waren dieser diese dieses ihr ihre ihren sein seine unser unsere unseren man jedem vom beim "
        "dass zwar ha han fue fueron ser este esta estos estas nuestro nuestra nuestros nuestras le les ont être ces leur "
        "leurs notre qui où l'on foram ser há nosso nossa nossos pela pelo pelas pelos à às aos num numa que é hanno "
        "stato stata essere questo questa nostro nostra si lo"
    ).split()
)
_SCRIPTS = (("ko", re.compile(r"[\uac00-\ud7af]")), ("zh", re.compile(r"[\u3400-\u9fff]")))
_HAN = re.compile(r"[\u3005\u3400-\u9fff]")
_KANA = re.compile(r"[\u3040-\u30ff]")
LONGEST_WORD = 8
_KO_PARTICLES = frozenset(["", *"은 는 이 가 을 를 의 에 도 로 만 와 과 에서 부터 까지 마다 보다".split()])
_KO_TAIL = re.compile("(?:에서는|에서|에게|으로|까지|부터|마다|보다|하고|은|는|이|가|을|를|의|에|도|로|만|와|과)$")
_ZH_SMALL = frozenset(
    "的了在是和与及或将被把从到对于为由以向着过地得就都也还又再才只个种件条项次时中上下内外里间后前每各请应须要"
    "会能可不没未所有这那其之而且则但因如果当若即使已经正吗呢吧给让跟同比等些本该此某另做用进出来去起"
)
_MONTHS = "january february march april may june july august september october november december".split()
_MONTH = re.compile(r"(?<!\d)(1[0-2]|[1-9])\s?[월月](?!间|간)")
_LATIN = r"[^\W_\u3040-\u9fff\uac00-\ud7af]+"
_RUN = re.compile(r"[\u3005\u3040-\u30ff\u3400-\u9fff]")
_WORD = re.compile(rf"[\u3005\u3040-\u30ff\u3400-\u9fff]+|[\uac00-\ud7af]+|{_LATIN}(?:[-./:_']{_LATIN})*|[^\w\s]")
_SHORTEST_COMPOUND = 8
_SAID = 0xE000
"""From here on a character for private use stands for an entry of several words that has been glossed already."""


@dataclass(frozen=True)
class Glossary:
    """What the lexicon knows, by language: words, stems of words, roots of verbs, and entries of several words."""

    exact: Mapping[str, Mapping[str, str]]
    stems: Mapping[str, Mapping[str, str]]
    verbs: Mapping[str, Mapping[str, str]]
    phrases: Mapping[str, tuple[tuple[str, str], ...]]
    """The first word of each entry of several words, and the entry; longest first."""

    def read(self, a: str, b: str) -> tuple[str, str]:
        """Two texts as the net reads them: glossed, and amounts in one form.

        What the lexicon lacks tells two texts of one language apart, and would only look like more in one of two.
        """
        alike = tongue_of(a) == tongue_of(b)
        return restate(self.gloss(a, keep=alike)), restate(self.gloss(b, keep=alike))

    def gloss(self, text: str, *, keep: bool = False) -> str:
        """The text itself when English, otherwise its words in English as far as they are known.

        With `keep`, unknown Chinese, Japanese and Korean words stand as made-up names; without it they are left out.
        """
        text = unicodedata.normalize("NFKC", text).replace("`", "").replace("**", "").replace("’", "'").strip()
        tongue = tongue_of(text)
        if tongue == "en":
            return text
        if tongue in UNSPACED:
            text = _MONTH.sub(lambda m: f" {_MONTHS[int(m.group(1)) - 1]} ", text)
        said: list[str] = []
        low = text.lower()
        for first, phrase in self.phrases[tongue]:
            if first in low and (found := _phrase(phrase)).search(text):
                text = found.sub(f" {chr(_SAID + len(said))} ", text)
                said.append(self.exact[tongue][phrase])
        told = (said[ord(w) - _SAID] if _is_said(w) else self._word(w, tongue, keep) for w in _WORD.findall(text))
        return " ".join(" ".join(told).split())

    def _word(self, word: str, tongue: str, keep: bool) -> str:
        if _RUN.match(word):
            return self._run(word, "ja" if tongue == "ja" else "zh", keep)
        if "\uac00" <= word[0] <= "\ud7af":
            return self._run(word, "ko", keep)
        low = word.lower()
        if tongue in UNSPACED or not low[0].isalpha():
            return word
        if low in self.exact[tongue]:
            return self.exact[tongue][low]
        if low in _FILLER:
            return ""
        bare = whole(low) if tongue != "de" else low
        if bare in _FILLER:
            return ""
        return self.exact[tongue].get(bare) or self._by_form(bare, tongue) or word[len(word) - len(bare) :]

    def _by_form(self, low: str, tongue: str) -> str:
        """The word as a form of another: a plural, a participle, a verb with an ending, or put together of two."""
        known, verbs = self.exact[tongue], self.verbs[tongue]
        found = next((known[form] for form in bases(low, tongue) if form in known), "")
        found = found or next((verbs[root] for root in roots(low, tongue) if root in verbs), "")
        found = found or self.stems[tongue].get(stem_of(low, tongue), "")
        return found or (self._by_parts(low) if tongue == "de" and len(low) >= _SHORTEST_COMPOUND else "")

    def _by_parts(self, low: str) -> str:
        """A German compound: the longest known front, then the rest."""
        known, stems = self.exact["de"], self.stems["de"]
        for cut in range(len(low) - 3, 3, -1):
            front = known.get(low[:cut]) or known.get(low[:cut].removesuffix("s")) or stems.get(low[:cut])
            rest = low[cut:]
            back = front and (known.get(rest) or next((known[f] for f in bases(rest, "de") if f in known), ""))
            back = back or stems.get(stem_of(rest, "de"))
            if front and back:
                return f"{front} {back}"
        return ""

    def _run(self, run: str, tongue: str, keep: bool) -> str:
        """Known words of a run without spaces, the longest first."""
        found: list[str] = []
        unknown: list[str] = [""]
        at = 0
        while at < len(run):
            size = next((n for n in range(min(LONGEST_WORD, len(run) - at), 0, -1) if self._knows(run, tongue, at, n)), 0)
            if size:
                found += [_made_up(unknown, tongue, keep), self.exact[tongue][run[at : at + size]]]
                unknown = [""]
            elif _is_small(run[at], tongue):
                unknown.append("")
            elif tongue != "ko" or not any(found):
                unknown[-1] += run[at]
            at += size or 1
        return " ".join([*found, _made_up(unknown, tongue, keep)])

    def _knows(self, run: str, tongue: str, at: int, size: int) -> bool:
        """A single Korean syllable counts as a word only with nothing but a particle behind it, a single kanji only alone."""
        if size == 1 and tongue == "ja" and any(_HAN.match(c) for c in (run[max(0, at - 1) : at], run[at + 1 : at + 2])):
            return False
        if size == 1 and tongue == "ko" and run[at] not in "안못" and (at or run[1:] not in _KO_PARTICLES):
            return False
        return run[at : at + size] in self.exact[tongue]


def _is_said(word: str) -> bool:
    return _SAID <= ord(word[0]) < _SAID + 0x1900


def _is_small(char: str, tongue: str) -> bool:
    """A character that carries no word of its own: a Chinese particle, Japanese endings and particles."""
    return tongue == "zh" and char in _ZH_SMALL or tongue == "ja" and "\u3040" <= char <= "\u309f"


def _made_up(unknown: list[str], tongue: str, keep: bool) -> str:
    """Pronounceable stand-ins for words the lexicon lacks, the same for the same word."""
    words = [_KO_TAIL.sub("", w) if tongue == "ko" and len(w) > 2 else w for w in unknown]
    if not keep:
        return ""
    return " ".join("".join("bdfgklmnprstvz"[ord(c) % 14] + "aeiou"[ord(c) // 14 % 5] for c in w)
                    for w in words if len(w) > 1 and not (tongue == "ko" and w.endswith("다")))


def load_glossary(path: Path) -> Glossary:
    """Read the lexicon; a line may end before the last column."""
    exact: dict[str, dict[str, str]] = {t: {} for t in TONGUES}
    for tongue, english, word in entries(path):
        exact[tongue].setdefault(word, english)
    stems: dict[str, dict[str, str]] = {t: {} for t in TONGUES}
    verbs: dict[str, dict[str, str]] = {t: {} for t in TONGUES}
    for tongue in (*sorted(ROMANCE), "de"):
        _stems(exact[tongue], tongue, stems[tongue], verbs[tongue])
    phrases = {
        t: tuple((w.split()[0], w) for w in sorted((w for w in exact[t] if " " in w), key=len, reverse=True)) for t in TONGUES
    }
    return Glossary(exact, stems, verbs, phrases)


def entries(path: Path) -> Iterator[tuple[str, str, str]]:
    """Language, English word and word of every entry, in the order of the file."""
    for line in path.read_text("utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        english, *columns = line.split("|")
        for tongue, column in zip(TONGUES, columns, strict=False):
            for word in filter(None, column.split("/")):
                yield tongue, english, word.replace(" ", "") if tongue in ("zh", "ja") else word


def _stems(exact: Mapping[str, str], tongue: str, stems: dict[str, str], verbs: dict[str, str]) -> None:
    """Fill in the stems of single words; one that two words of different meaning share is left out."""
    unclear: set[str] = set()
    for word, english in exact.items():
        if " " in word:
            continue
        root = verb_root(word, tongue) if tongue != "de" else ""
        if root:
            verbs.setdefault(root, english)
        stem = stem_of(word, tongue)
        if stems.setdefault(stem, english) != english and stem != word:
            unclear.add(stem)
    for stem in unclear - exact.keys():
        del stems[stem]


@lru_cache(maxsize=4096)
def _phrase(words: str) -> re.Pattern[str]:
    """An entry of several words, each with a short ending."""
    return re.compile(r"(?i)\b" + r"\w{0,2}\s+".join(re.escape(w) for w in words.split()) + r"\w{0,2}\b")


def tongue_of(text: str) -> str:
    """The language as far as script and small words show it."""
    if _KANA.search(text):
        return "ja"
    letters = sum(c.isalpha() for c in text) or 1
    for tongue, script in _SCRIPTS:
        if len(script.findall(text)) * 4 > letters:
            return tongue
    found = re.findall(r"[^\W\d_]+", text.lower())
    counts = {
        tongue: sum(w in small for w in found) + any(c in text.lower() for c in _LETTERS.get(tongue, ""))
        for tongue, small in _SMALL.items()
    }
    best = max(counts, key=lambda tongue: (counts[tongue], tongue == "en"))
    return best if counts[best] else "en"
