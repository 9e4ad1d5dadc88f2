"""A trained scorer for pairs: the embedding model's own weights plus a small adapter read both statements together.

The adapter is low-rank: at load it is added to the frozen weights, so a pair costs one pass and no more. The base model
knows English only, so other languages are glossed word by word from a small lexicon first; numbers and names pass as
they are. A pair is read in the order of its words, and in both orders where the first reading finds something, so the
scores of (a, b) and (b, a) are mirror images.
"""

# ruff: noqa: SIM905  word lists read better as runs of words

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from dreamd.errors import DreamError
from dreamd.model import PairScore

if TYPE_CHECKING:
    from dreamd.embedding.pairs import PairEngine

ADAPTER_FILE = "adapter.safetensors"
SCORER_FILE = "scorer.json"
LEXICON_FILE = "lexicon.txt"
TONGUES = ("de", "es", "fr", "pt", "zh", "ko")
SECOND_LOOK = (0.4, 0.85)
"""Between these probabilities of a merge the other order is read too; a conflict gains nothing by it."""
LABELS = tuple(PairScore.__dataclass_fields__)
_SMALL = {
    "de": frozenset(
        (
            "der die das ein eine einen einer den dem des und nicht ist sind wird werden mit zu zum zur im am auf für bei "
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
    "en": frozenset(
        "the a an of to in on is are be and or not for with by from at as it this that we our must has have only no".split()
    ),
}
_LETTERS = {"de": "äöüß", "es": "ñ¿¡áéíóú", "fr": "èêëàçœéù", "pt": "ãõçáéíóú"}
_FILLER = frozenset(w for tongue in ("de", "es", "fr", "pt") for w in _SMALL[tongue]) - frozenset(
    "nicht kein keine nie nur wenn sin pas sans não sem nunca solo con mit avec com und y et ne".split()
)
LONGEST_WORD = 6
_KO_PARTICLES = frozenset(["", *"은 는 이 가 을 를 의 에 도 로 만 와 과 에서 부터 까지 마다 보다".split()])
_KO_TAIL = re.compile("(?:에서는|에서|에게|으로|까지|부터|마다|보다|하고|은|는|이|가|을|를|의|에|도|로|만|와|과)$")
_ZH_SMALL = frozenset(
    "的了在是和与及或将被把从到对于为由以向着过地得就都也还又再才只个种件条项次时中上下内外里间后前每各请应须要"
    "会能可不没未所有这那其之而且则但因如果当若即使已经正吗呢吧给让跟同比等些本该此某另做用进出来去起"
)
_MONTHS = "january february march april may june july august september october november december".split()
_MONTH = re.compile(r"(?<!\d)(1[0-2]|[1-9])\s?[월月](?!间|간)")
_LATIN = r"[^\W_\u3040-\u9fff\uac00-\ud7af]+"
_WORD = re.compile(rf"[\u3400-\u9fff]+|[\uac00-\ud7af]+|{_LATIN}(?:[-./:_']{_LATIN})*|[^\w\s]")
_DE_ENDINGS = ("ungen", "enen", "erin", "es", "en", "er", "em", "et", "te", "ten", "e", "n", "s", "t")
_ROMANCE_ENDINGS = (
    "aciones",
    "ación",
    "ação",
    "ções",
    "ados",
    "adas",
    "idos",
    "idas",
    "amos",
    "aron",
    "aram",
    "ado",
    "ada",
    "ido",
    "ida",
    "ando",
    "endo",
    "ar",
    "er",
    "ir",
    "an",
    "en",
    "am",
    "em",
    "es",
    "os",
    "as",
    "ent",
    "ées",
    "ée",
    "és",
    "é",
    "re",
    "ou",
    "ó",
    "o",
    "a",
    "e",
    "s",
)


class PairScorer:
    """Scores pairs of statements; `version` changes whenever a score may."""

    def __init__(self, engine: PairEngine, glossary: Glossary, version: str) -> None:
        self._engine = engine
        self._glossary = glossary
        self.version = version

    def score(self, pairs: Sequence[tuple[str, str]]) -> list[PairScore]:
        """Probabilities of the relations for each pair, in the order given."""
        turned = [a > b for a, b in pairs]
        read = [self._glossary.read(min(pair), max(pair)) for pair in pairs]
        found = self._probabilities(read)
        again = [i for i, s in enumerate(found) if SECOND_LOOK[0] < s.merge < SECOND_LOOK[1]]
        for i, second in zip(again, self._probabilities([(read[i][1], read[i][0]) for i in again]), strict=True):
            found[i] = _mean(found[i], second.turned())
        return [s.turned() if t else s for s, t in zip(found, turned, strict=True)]

    def _probabilities(self, pairs: Sequence[tuple[str, str]]) -> list[PairScore]:
        return [PairScore(*row) for row in self._engine.probabilities(pairs).tolist()]


def load_pair_scorer(model_dir: Path, artefact_dir: Path) -> PairScorer:
    """Build the scorer from the base model's folder and the trained artefact.

    Raises DreamError when a file is missing or the adapter was trained for other base weights, Outage when the engine
    or its weights cannot be loaded.
    """
    from dreamd.embedding.model_files import weights_sha256
    from dreamd.embedding.pairs import Adapter, PairEngine

    for path in (
        artefact_dir / ADAPTER_FILE,
        artefact_dir / SCORER_FILE,
        artefact_dir / LEXICON_FILE,
        model_dir / "model.safetensors",
    ):
        if not path.is_file():
            raise DreamError(f"no `{path.name}` for the pair scorer", hint="run `make judge`, or set `judge.model = false`")
    facts = json.loads((artefact_dir / SCORER_FILE).read_text("utf-8"))
    if weights_sha256(model_dir) != facts["base_sha256"]:
        raise DreamError("the pair scorer was trained for other base weights", hint="run `make judge` with the installed model")
    adapter = Adapter(artefact_dir / ADAPTER_FILE, float(facts["scale"]), tuple(facts["bias"]), float(facts["temperature"]))
    version = hashlib.sha256(
        (
            file_sha256(artefact_dir / ADAPTER_FILE)
            + file_sha256(artefact_dir / LEXICON_FILE)
            + json.dumps(facts, sort_keys=True)
        ).encode()
    ).hexdigest()[:12]
    return PairScorer(PairEngine(model_dir, adapter), load_glossary(artefact_dir / LEXICON_FILE), version)


@dataclass(frozen=True)
class Glossary:
    """Word-for-word English for other languages, good enough for a model that only reads English."""

    exact: Mapping[str, Mapping[str, str]]
    stems: Mapping[str, Mapping[str, str]]
    phrases: Mapping[str, tuple[tuple[re.Pattern[str], str], ...]]
    """Entries of several words, longest first."""

    def read(self, a: str, b: str) -> tuple[str, str]:
        """Two texts as the net reads them: glossed, and amounts in one form.

        What the lexicon lacks tells two texts of one language apart, and would only look like more in one of two.
        """
        from dreamd.embedding.amounts import restate

        alike = tongue_of(a) == tongue_of(b)
        return restate(self.gloss(a, keep=alike)), restate(self.gloss(b, keep=alike))

    def gloss(self, text: str, *, keep: bool = False) -> str:
        """The text itself when English, otherwise its words in English as far as they are known.

        With `keep`, unknown Chinese and Korean words stand as made-up names; without it they are left out.
        """
        text = unicodedata.normalize("NFKC", text).replace("`", "").replace("**", "").strip()
        tongue = tongue_of(text)
        if tongue == "en":
            return text
        if tongue in ("zh", "ko"):
            text = _MONTH.sub(lambda m: f" {_MONTHS[int(m.group(1)) - 1]} ", text)
        for pattern, english in self.phrases[tongue]:
            text = pattern.sub(english, text)
        return " ".join(" ".join(self._word(w, tongue, keep) for w in _WORD.findall(text)).split())

    def _word(self, word: str, tongue: str, keep: bool) -> str:
        if re.match(r"[\u3400-\u9fff]", word):
            return self._run(word, "zh", keep)
        if re.match(r"[\uac00-\ud7af]", word):
            return self._run(word, "ko", keep)
        low = word.lower()
        if tongue in ("zh", "ko") or not low[0].isalpha():
            return word
        if low in self.exact[tongue]:
            return self.exact[tongue][low]
        if low in _FILLER:
            return ""
        return self._by_stem(low, tongue) or word

    def _by_stem(self, low: str, tongue: str) -> str:
        stem = stem_of(low, tongue)
        if stem in self.stems[tongue]:
            return self.stems[tongue][stem]
        if tongue != "de" or len(low) < 8:
            return ""
        for cut in range(len(low) - 3, 3, -1):  # a compound: the longest known front, then the rest
            front = self.exact["de"].get(low[:cut]) or self.stems["de"].get(low[:cut])
            rest = low[cut:].removeprefix("s") if low[cut:] not in self.exact["de"] else low[cut:]
            back = self.exact["de"].get(rest) or self.stems["de"].get(stem_of(rest, "de"))
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
            elif tongue == "zh" and run[at] in _ZH_SMALL:
                unknown.append("")
            elif tongue == "zh" or not any(found):
                unknown[-1] += run[at]
            at += size or 1
        return " ".join([*found, _made_up(unknown, tongue, keep)])

    def _knows(self, run: str, tongue: str, at: int, size: int) -> bool:
        """A single Korean syllable counts as a word only with nothing but a particle behind it."""
        if size == 1 and tongue == "ko" and run[at] not in "안못" and (at or run[1:] not in _KO_PARTICLES):
            return False
        return run[at : at + size] in self.exact[tongue]


def _made_up(unknown: list[str], tongue: str, keep: bool) -> str:
    """Pronounceable stand-ins for words the lexicon lacks, the same for the same word."""
    words = [_KO_TAIL.sub("", w) if tongue == "ko" and len(w) > 2 else w for w in unknown]
    if not keep:
        return ""
    return " ".join("".join("bdfgklmnprstvz"[ord(c) % 14] + "aeiou"[ord(c) // 14 % 5] for c in w)
                    for w in words if len(w) > 1 and not (tongue == "ko" and w.endswith("다")))


def load_glossary(path: Path) -> Glossary:
    """Read the lexicon: one concept a line, English first, then one column a language."""
    exact: dict[str, dict[str, str]] = {t: {} for t in TONGUES}
    stems: dict[str, dict[str, str]] = {t: {} for t in TONGUES}
    for line in path.read_text("utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        english, *columns = line.split("|")
        for tongue, column in zip(TONGUES, columns, strict=True):
            for word in filter(None, column.split("/")):
                exact[tongue].setdefault(word.replace(" ", "") if tongue in ("zh",) else word, english)
                if tongue not in ("zh", "ko"):
                    stems[tongue].setdefault(stem_of(word, tongue), english)
    phrases = {
        t: tuple((_phrase(w), exact[t][w]) for w in sorted((w for w in exact[t] if " " in w), key=len, reverse=True))
        for t in TONGUES
    }
    return Glossary(exact, stems, phrases)


def _phrase(words: str) -> re.Pattern[str]:
    """An entry of several words, each with a short ending."""
    return re.compile(r"(?i)\b" + r"\w{0,2}\s+".join(re.escape(w) for w in words.split()) + r"\w{0,2}\b")


def tongue_of(text: str) -> str:
    """The language as far as script and small words show it."""
    letters = sum(c.isalpha() for c in text) or 1
    for tongue, pattern in (("ko", r"[\uac00-\ud7af]"), ("zh", r"[\u3400-\u9fff]")):
        if len(re.findall(pattern, text)) * 4 > letters:
            return tongue
    found = re.findall(r"[^\W\d_]+", text.lower())
    counts = {
        tongue: sum(w in small for w in found) + any(c in text.lower() for c in _LETTERS.get(tongue, ""))
        for tongue, small in _SMALL.items()
    }
    best = max(counts, key=lambda tongue: (counts[tongue], tongue == "en"))
    return best if counts[best] else "en"


def stem_of(word: str, tongue: str) -> str:
    """A crude stem that only has to be equal for the forms of one word."""
    for ending in _DE_ENDINGS if tongue == "de" else _ROMANCE_ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word[: -len(ending)]
    return word


def file_sha256(path: Path) -> str:
    """Hex sha256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _mean(one: PairScore, other: PairScore) -> PairScore:
    names = PairScore.__dataclass_fields__
    return PairScore(*((getattr(one, n) + getattr(other, n)) / 2 for n in names))
