"""Word-for-word English for other languages, good enough for a model that only reads English.

The gloss gives each word its first meaning in the lexicon; what is heard keeps all meanings, and what is not known.
"""

# ruff: noqa: SIM905  word lists read better as runs of words

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from dreamd.core.paths import share_dir
from dreamd.models.lexical.canonical_amounts import restate
from dreamd.models.lexical.lexicon import Meanings, Vocabulary, load_vocabulary
from dreamd.models.lexical.wordforms import ROMANCE, bases, korean_bases, roots, stem_of, whole

UNSPACED = frozenset(["zh", "ko", "ja"])
"""Languages in which a word is found inside a run of characters."""
_SMALL = {
    "de": frozenset(
        (
            "der die das ein eine einen einer dem den des und nicht ist sind wird werden mit zu zum zur im am auf für bei "
            "nur nie auch wenn darf dürfen muss müssen kein keine keinen es sich von aus nach vor ab bis seit als ohne "
            "können kann hat haben jede jeder jedes alle wir uns nun jetzt wieder sondern statt an um wurde wurden "
            "in geht frau herr herrn dieses diese dieser vom beim"
        ).split()
    ),
    "es": frozenset(
        (
            "el la los las un una del y se con por para que al su sus debe deben lo ya es son nunca sin más hay solo sólo "
            "como de en cada pueden puede está están siempre desde hasta antes nos no a dos ha han fue este esta"
        ).split()
    ),
    "fr": frozenset(
        (
            "le la les un une des du de et pas est sont se avec par pour que au aux sa ses dans sur il sans nous ne chaque "
            "toujours jamais ce cette doit doivent peut peuvent en à avant après ont a été nos notre chez"
        ).split()
    ),
    "pt": frozenset(
        (
            "o a os as um uma da do das dos de e não é são se em no na nos nas com por para que ao seu sua já sem mais foi "
            "cada nunca sempre pode podem deve devem só às aos à agora foi nosso nossa novos novo"
        ).split()
    ),
    "it": frozenset(
        (
            "il lo gli della dello delle degli nel nella nei nelle alla allo alle agli dal dalla dai che di non è sono viene "
            "vengono ogni può possono devono più senza anche quando di sempre la le i un una ha ho al con da oggi si "
            "su e in"
        ).split()
    ),
    "en": frozenset(
        "the a an of to in on is are be and or not for with by from at as it this that we our must has have only no "
        "was were can may one its after before when full new my your all any i".split()
    ),
}
_LETTERS = {"de": "äöüß", "es": "ñ¿¡áéíóú", "fr": "èêëàçœéùâîôû", "pt": "ãõçáéíóúâêô", "it": "èàòùì"}
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
LEXICON_FILE = "lexicon.txt"
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
_TITLES = frozenset("frau herr herrn dr señor señora monsieur madame mme senhor senhora signor signora".split())
"""Right behind them stands a name, whatever else it may mean: "Frau Keller"."""
_PRIVATE = re.compile("[\ue000-\uf8ff]+")
_SAID = 0xE000
"""From here on a character for private use stands for an entry of several words that has been glossed already."""


class Heard(NamedTuple):
    """A word as it stands, and what it may mean in English; no meaning where the lexicon does not know it."""

    surface: str
    meanings: Meanings


class Glossary:
    """Reads other languages with the lexicon at a path, each language loaded when it is first met."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._loaded: dict[str, Vocabulary] = {}

    def vocabulary(self, tongue: str) -> Vocabulary:
        """What the lexicon knows of a language."""
        if tongue not in self._loaded:
            self._loaded[tongue] = load_vocabulary(self._path, tongue)
        return self._loaded[tongue]

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
        text, tongue = self._plain(text)
        if tongue == "en":
            return text
        heard = self._words(text, tongue)
        told = (word.meanings[0] if word.meanings else _unknown(word.surface, keep=keep) for word in heard)
        return " ".join(" ".join(told).split())

    def in_english(self, text: str) -> str:
        """A short text in English words as far as they are known; an English one as it stands."""
        return text if tongue_of(text) == "en" else self.gloss(text) or text

    def hear(self, text: str) -> tuple[Heard, ...]:
        """The words of a text in another language with all that each may mean; nothing for English."""
        text, tongue = self._plain(text)
        return () if tongue == "en" else tuple(word for word in self._words(text, tongue) if word.surface)

    def _plain(self, text: str) -> tuple[str, str]:
        """The text without marks, and its language."""
        text = unicodedata.normalize("NFKC", text).replace("`", "").replace("**", "").replace("’", "'").strip()
        told = _counted(text)
        most = max(told.values())
        close = [tongue for tongue, count in told.items() if count and count > most - CLOSE and tongue != "en"]
        english = told.get("en", 0) == most
        if not most or english and (not close or max(told[tongue] for tongue in close) < most):
            return text, "en"
        best = close[0] if len(close) == 1 else max(close, key=lambda tongue: (self._known(text, tongue), told[tongue]))
        return text, "en" if english and 3 * self._known(text, best) <= 2 * len(_long_words(text)) else best

    def _known(self, text: str, tongue: str) -> int:
        """How many words of a text a language has."""
        known = self.vocabulary(tongue)
        return sum(w in known.words or bool(_by_form(w, tongue, known)) for w in _long_words(text))

    def _words(self, text: str, tongue: str) -> list[Heard]:
        known = self.vocabulary(tongue)
        text = _PRIVATE.sub(" ", text)  # no word of any language, and here each would stand for an entry
        if tongue in UNSPACED:
            text = _MONTH.sub(lambda m: f" {_MONTHS[int(m.group(1)) - 1]} ", text)
        said: list[Heard] = []
        low = text.lower()
        for first, phrase in known.phrases:
            if first in low and (found := _phrase(phrase)).search(text):
                text = found.sub(f" {chr(_SAID + len(said))} ", text)
                said.append(Heard(phrase, known.words[phrase]))
        heard: list[Heard] = []
        ahead = ""
        for word in _WORD.findall(text):
            if _is_said(word):
                heard.append(said[ord(word) - _SAID])
            elif word[0].isupper() and self._is_name(word.lower(), ahead, tongue):
                heard.append(Heard(word, ()))
            else:
                heard += self._word(word, tongue)
            ahead = word
        return heard

    def _is_name(self, low: str, ahead: str, tongue: str) -> bool:
        """Behind a title, or where no noun has a capital and no entry is that word: Marta is no form of martes."""
        titled = ahead.lower() in _TITLES
        capital = bool(ahead) and tongue in ROMANCE and whole(low) not in self.vocabulary(tongue).words
        return low not in _FILLER and (titled or capital)

    def _word(self, word: str, tongue: str) -> list[Heard]:
        if _RUN.match(word):
            return _run(word, "ja" if tongue == "ja" else "zh", self.vocabulary("ja" if tongue == "ja" else "zh"))
        if "\uac00" <= word[0] <= "\ud7af":
            return _run(word, "ko", self.vocabulary("ko"))
        low = word.lower()
        if tongue in UNSPACED or not low[0].isalpha():
            return [Heard(word, ())]
        known = self.vocabulary(tongue)
        if low in known.words:
            return [Heard(low, tuple(dict.fromkeys((*known.words[low], *_as_verb(low, tongue, known)))))]
        bare = whole(low) if tongue != "de" else low
        if low in _FILLER or bare in _FILLER:
            return []
        meanings = known.words.get(bare) or _by_form(bare, tongue, known)
        if meanings:
            return [Heard(bare, meanings)]
        parts = _by_parts(low, known) if tongue == "de" and len(low) >= _SHORTEST_COMPOUND else []
        joined = [heard for part in word.split("-") if part for heard in self._word(part, tongue)] if "-" in word else []
        if joined and all(heard.meanings for heard in joined):
            return joined
        return parts or [Heard(word[len(word) - len(bare) :], ())]


def _long_words(text: str) -> list[str]:
    return [word for word in _LETTERS_ONLY.findall(text.lower()) if len(word) >= LONG]


def _by_form(low: str, tongue: str, known: Vocabulary) -> Meanings:
    """The word as a form of another: a plural, a participle, a verb with an ending."""
    found = next((known.words[form] for form in bases(low, tongue) if form in known.words), ())
    return tuple(dict.fromkeys((*found, *_as_verb(low, tongue, known)))) or known.stems.get(stem_of(low, tongue), ())


def _as_verb(low: str, tongue: str, known: Vocabulary) -> Meanings:
    """The word as a form of a verb, whatever else it may be: "prête" is ready, and lends."""
    return next((known.verbs[root] for root in roots(low, tongue) if root in known.verbs), ())


def _by_parts(low: str, known: Vocabulary) -> list[Heard]:
    """A German compound: the longest known front, then the rest."""
    words, stems = known.words, known.stems
    for cut in range(len(low) - 3, 3, -1):
        front = words.get(low[:cut]) or words.get(low[:cut].removesuffix("s")) or stems.get(low[:cut])
        rest = low[cut:]
        back = front and (words.get(rest) or next((words[f] for f in bases(rest, "de") if f in words), ()))
        back = back or stems.get(stem_of(rest, "de"))
        if front and back:
            return [Heard(low[:cut], front), Heard(rest, back)]
    return []


def _run(run: str, tongue: str, known: Vocabulary) -> list[Heard]:
    """Known words of a run without spaces, the longest first, and what stands between them."""
    found: list[Heard] = []
    unknown = ""
    met = False
    at = 0
    while at < len(run):
        sizes = range(min(LONGEST_WORD, len(run) - at), 0, -1)
        size, key = next(((n, k) for n in sizes if (k := _key(run, tongue, (at, n), known))), (1, ""))
        if key or _is_small(run[at], tongue):
            found += [Heard(unknown, ())] if unknown else []
            found += [Heard(run[at : at + size], known.words[key])] if key else []
            unknown, met = "", met or bool(key)
        elif tongue != "ko" or not met:
            unknown += run[at]
        at += size
    return [*found, Heard(unknown, ())] if unknown else found


def _key(run: str, tongue: str, place: tuple[int, int], known: Vocabulary) -> str:
    """The entry that stands at a place of a run; empty where none does.

    A single Korean syllable counts as a word only with nothing but a particle behind it, a single kanji only alone.
    """
    at, size = place
    if size == 1 and tongue == "ja" and any(_HAN.match(c) for c in (run[max(0, at - 1) : at], run[at + 1 : at + 2])):
        return ""
    if size == 1 and tongue == "ko" and run[at] not in "안못" and (at or run[1:] not in _KO_PARTICLES):
        return ""
    word = run[at : at + size]
    if word in known.words:
        return word
    if tongue != "ko" or size == 1:
        return ""
    return next((base for base in korean_bases(word) if base in known.words and (at == 0 or len(base) > 1)), "")


def _is_said(word: str) -> bool:
    return _SAID <= ord(word[0]) < _SAID + 0x1900


def _is_small(char: str, tongue: str) -> bool:
    """A character that carries no word of its own: a Chinese particle, Japanese endings and particles."""
    return tongue == "zh" and char in _ZH_SMALL or tongue == "ja" and "\u3040" <= char <= "\u309f"


def _unknown(word: str, *, keep: bool) -> str:
    """A word that the lexicon lacks; without Latin letters a pronounceable stand-in, the same for the same word."""
    if not (_RUN.match(word) or "\uac00" <= word[:1] <= "\ud7af"):
        return word
    korean = "\uac00" <= word[0] <= "\ud7af"
    word = _KO_TAIL.sub("", word) if korean and len(word) > 2 else word
    if not keep or len(word) < 2 or korean and word.endswith("다"):
        return ""
    return "".join("bdfgklmnprstvz"[ord(c) % 14] + "aeiou"[ord(c) // 14 % 5] for c in word)


def load_glossary(path: Path) -> Glossary:
    """A reader for the lexicon at a path."""
    return Glossary(path)


@cache
def lexicon() -> Glossary:
    """A reader for the lexicon that travels with dream."""
    return load_glossary(share_dir("config") / "judge" / LEXICON_FILE)


def in_english(text: str) -> str:
    """The same by the lexicon that travels with dream."""
    return lexicon().in_english(text)


@lru_cache(maxsize=4096)
def _phrase(words: str) -> re.Pattern[str]:
    """An entry of several words, each with a short ending."""
    return re.compile(r"(?i)\b" + r"\w{0,2}\s+".join(re.escape(w) for w in words.split()) + r"\w{0,2}\b")


def tongue_of(text: str) -> str:
    """The language as far as script and small words show it."""
    told = _counted(text)
    best = max(told, key=lambda tongue: (told[tongue], tongue == "en"))
    return best if told[best] else "en"


def _counted(text: str) -> dict[str, int]:
    """How much speaks for each language; one that the script tells has all of it."""
    if _KANA.search(text):
        return {"ja": 1}
    letters = sum(c.isalpha() for c in text) or 1
    for tongue, script in _SCRIPTS:
        if len(script.findall(text)) * 4 > letters:
            return {tongue: 1}
    low = text.lower()
    found = _LETTERS_ONLY.findall(low)
    told = {tongue: sum((w in small) + (w in _TELLING[tongue]) for w in found) for tongue, small in _SMALL.items()}
    return {tongue: count + any(c in low for c in _LETTERS.get(tongue, "")) for tongue, count in told.items()}


_LETTERS_ONLY = re.compile(r"[^\W\d_]+")
_TELLING = {
    tongue: frozenset(w for w in small if not any(w in other for name, other in _SMALL.items() if name != tongue))
    for tongue, small in _SMALL.items()
}
"""Small words that no other language of these has."""
LONG = 3
CLOSE = 2
"""Two languages for which nearly as much speaks are told apart by the words that the lexicon knows."""
