"""Who is compared with whom, and what the judge says: vectors, neighbours, rare words, remembered verdicts.

The impure half of consolidation: it loads vectors and the judge so that the plan itself can stay a pure function.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import TYPE_CHECKING

from dreamd.core.values import CURRENT, Judgement, Memory, Scope, abroad_key, text_sha
from dreamd.dream.phases.consolidate import Worth
from dreamd.dream.phases.twins import Heard
from dreamd.judge import Pair, Statement, disused_in, ends_the_use, worth_judging
from dreamd.kit import Kit
from dreamd.models import Embedder
from dreamd.models.multilingual import SCALE
from dreamd.models.rare_words import MOST_PARTNERS, rare_partners
from dreamd.models.vectors import QUERY_ROWS, Neighbours, unit_rows
from dreamd.store import derived
from dreamd.store.derived import pair_side
from dreamd.text.language import is_english

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from dreamd.judge import Judge


EMBED_BATCH = 128
MOST_WIDE = 4_000
"""Multilingual vectors made in one night beside those of what was said: a few seconds of work."""
SPARE, WIDENED = 8, 4
"""Wordings a server is asked for beyond those that are wanted, and how many times more where these were others than wanted."""


@dataclass
class Vectors:
    """Unit vectors by wording."""

    rows: dict[str, NDArray[np.float32]] = field(default_factory=dict)
    places: Mapping[str, int] = field(default_factory=dict)
    """Wordings whose rows lie together in one matrix, in its order: a search need not copy them row by row."""
    together: NDArray[np.float32] | None = None
    abroad: frozenset[str] = frozenset()
    """Wordings that are not English."""
    wide: Vectors | None = None
    """Where some are not English: the multilingual vectors of all."""

    def __contains__(self, text: str) -> bool:
        return text in self.rows or text in self.places

    def row(self, text: str) -> NDArray[np.float32] | None:
        """The vector of a wording; None where it has none."""
        place = self.places.get(text)
        return self.rows.get(text) if place is None or self.together is None else self.together[place]

    def similarity(self, a: str, b: str) -> float:
        """Cosine of two wordings; 0 where one has no vector."""
        one, other = self.row(a), self.row(b)
        return 0.0 if one is None or other is None else float(one @ other)

    def fetch(self, texts: Iterable[str]) -> None:
        """Make some vectors ready that will be asked for; here they are."""

    def stacked(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The vectors of wordings, all of them known, as the rows of one matrix."""
        import numpy as np

        return np.stack([row for row in map(self.row, texts) if row is not None])

    def nearest(self, asked: Sequence[str], among: Sequence[str], k: int) -> Iterator[tuple[str, list[tuple[str, float]]]]:
        """For each asked wording the `k` nearest of some others with their cosines, nearest first; all of them known."""
        if not among:
            return
        lying = len(self.places) if self.together is not None and list(among[:len(self.places)]) == list(self.places) else 0
        rest = among[lying:]
        neighbours = Neighbours(self.stacked(rest) if rest else None, held=self.together if lying else None)
        for start in range(0, len(asked), QUERY_ROWS):  # no more at a time than are compared at once: each is copied twice
            some = asked[start:start + QUERY_ROWS]
            places, cosines = neighbours.search(self.stacked(some), k)
            for text, row, near in zip(some, places.tolist(), cosines.tolist(), strict=True):
                yield text, [(among[place], cosine) for place, cosine in zip(row, near, strict=True) if place >= 0]


class Searched(Vectors):
    """The vectors of a scope in a store that finds what is near by itself: only those that are needed are brought here."""

    def __init__(self, kit: Kit, scope: Scope, models: Sequence[str], shas: Mapping[str, str] | None = None) -> None:
        """Speak for the vectors of some models; `shas` are what those of some texts are kept under, where not their hashes."""
        super().__init__()
        self._kit, self.scope, self._models, self._shas = kit, scope, models, dict(shas or {})
        self.held = derived.find_held(kit.store, scope, models=models)

    def __contains__(self, text: str) -> bool:
        return text in self.rows or self._sha(text) in self.held

    def row(self, text: str) -> NDArray[np.float32] | None:
        """The vector of a wording; None where it has none."""
        self.fetch((text,))
        return self.rows.get(text)

    def fetch(self, texts: Iterable[str]) -> None:
        """Bring some vectors here."""
        lacking = {sha: text for text in texts if text not in self.rows and (sha := self._sha(text)) in self.held}
        if lacking:
            known, rows = derived.load_vectors(self._kit.store, list(lacking), models=self._models)
            self.rows.update(zip((lacking[sha] for sha in known), _units(rows), strict=True))

    def nearest(self, asked: Sequence[str], among: Sequence[str], k: int) -> Iterator[tuple[str, list[tuple[str, float]]]]:
        """For each asked wording the `k` nearest of some others with their cosines, nearest first; all of them known."""
        place = {text: n for n, text in enumerate(among)}
        afar = {self._sha(text): text for text in among if self._sha(text) in self.held}
        here = [text for text in among if self._sha(text) not in self.held]
        for start in range(0, len(asked), QUERY_ROWS):
            some = asked[start:start + QUERY_ROWS]
            self.fetch(some)
            found = self._afar(self.stacked(some), afar, k)
            self.fetch(dict.fromkeys(text for near in found for text in near))
            for text, near in zip(some, found, strict=True):
                met = [other for other in (*near, *here) if other in self.rows]
                cosines = (self.stacked(met) @ self.rows[text]).tolist() if met else []
                yield text, sorted(zip(met, cosines, strict=True), key=lambda one: (-one[1], place[one[0]]))[:k]

    def _afar(self, rows: NDArray[np.float32], afar: Mapping[str, str], k: int) -> list[list[str]]:
        """For each row more than enough of some texts, given by their hashes, that the server finds nearest to it."""
        found: dict[int, list[str]] = {}
        count, left = k + SPARE, list(range(len(rows) if afar else 0))
        while left:
            near = derived.nearest(self._kit.store, rows[left], models=self._models, scopes=[str(self.scope)], count=count)
            found.update((n, [afar[sha] for sha in some if sha in afar]) for n, some in zip(left, near, strict=True))
            left = [n for n in left if len(found[n]) < min(k, len(afar)) and count < WIDENED * len(self.held)]
            count *= WIDENED
        return [found.get(n, []) for n in range(len(rows))]

    def _sha(self, text: str) -> str:
        if text not in self._shas:
            self._shas[text] = text_sha(text)
        return self._shas[text]


def load_standing(kit: Kit, scope: Scope, *, whole: bool = True) -> tuple[list[str], Vectors]:
    """The words of every memory of a scope, and the vectors that are known of them; not all are brought here unless `whole`."""
    from dreamd.models import ALIKE

    if not whole and derived.finds_near(kit.store):
        return derived.load_texts(kit.store, scope), Searched(kit, scope, ALIKE)
    texts, known, rows = derived.load_standing(kit.store, scope, models=ALIKE)
    return texts, Vectors({}, dict(zip(known, range(len(known)), strict=True)), unit_rows(rows)) if known else Vectors()


def load_vectors(kit: Kit, texts: Iterable[str], vectors: Vectors | None = None) -> Vectors:
    """Vectors of wordings: from the store where they are known, embedded and kept where they are not.

    Those that `vectors` lacks are added to it. Raises Outage when something has to be embedded and the model is away.
    """
    from dreamd.models import ALIKE

    vectors = vectors or Vectors()
    by_sha = {text_sha(t): t for t in texts if t not in vectors}
    known, rows = derived.load_vectors(kit.store, list(by_sha), models=ALIKE)
    vectors.rows.update(zip((by_sha[sha] for sha in known), _units(rows), strict=True))
    missing = by_sha.keys() - known
    if missing:
        _embed(kit, {sha: by_sha[sha] for sha in missing}, vectors)
    return vectors


def load_abroad(kit: Kit, asked: Sequence[str], standing: Sequence[str], vectors: Vectors) -> None:
    """Add the multilingual vectors of a scope where something in it is not English, as far as their encoder is there.

    In a large scope that holds its first note of another language, the others get theirs a part a night.
    """
    if all(map(is_english, asked)) and not derived.has_any_vector(kit.store, [abroad_key(text_sha(t)) for t in standing]):
        return  # what stands need not be told by its words: that of another language has its vector, if its encoder is there
    texts = list(dict.fromkeys((*asked, *standing)))
    foreign = frozenset(text for text in texts if not is_english(text))
    embedder = kit.load_abroad() if foreign else None
    if embedder is None:
        return
    by_key = {abroad_key(text_sha(t)) if t in foreign else text_sha(t): t for t in texts}
    wide, have, new = Vectors(), set[str](), set(asked)
    if isinstance(vectors, Searched):
        wide = searched = Searched(kit, vectors.scope, (embedder.model_id,), {text: key for key, text in by_key.items()})
        have = searched.held & by_key.keys()
    else:
        known, rows = derived.load_vectors(kit.store, list(by_key), models=(embedder.model_id,))
        wide.rows.update(zip((by_key[key] for key in known), _units(rows), strict=True))
        have.update(known)
    missing = sorted((key for key in by_key if key not in have),
                     key=lambda key: (by_key[key] not in new, by_key[key] not in foreign))
    if missing:
        _embed(kit, {key: by_key[key] for key in missing[:len(new) + MOST_WIDE]}, wide, embedder)
    vectors.abroad, vectors.wide = foreign, wide


def embed_under(kit: Kit, words: Mapping[str, str], embedder: Embedder | None = None) -> None:
    """Embed words and keep each vector under what it is asked for by; raises Outage when the model is away."""
    if words:
        _embed(kit, words, Vectors(), embedder)


def _embed(kit: Kit, missing: Mapping[str, str], vectors: Vectors, embedder: Embedder | None = None) -> None:
    import numpy as np

    embedder = embedder or kit.load_embedder(len(missing))
    model = embedder.model_id
    shas = sorted(missing, key=lambda sha: (len(missing[sha]), sha))
    for start in range(0, len(shas), EMBED_BATCH):
        part = shas[start:start + EMBED_BATCH]
        rows = embedder.embed([missing[sha] for sha in part]).astype(np.float16)
        fresh = dict(zip(part, rows, strict=True))
        kit.embedded += len(part)
        if not kit.dry:
            kit.write_all(list(fresh.items()), lambda tx, few: derived.write_vectors(tx, dict(few), model=model))
        vectors.rows.update(zip((missing[sha] for sha in part), _units(rows), strict=True))
        kit.progress("embed", start + len(part), len(shas))


def _units(rows: NDArray[np.float16]) -> NDArray[np.float32]:
    import numpy as np

    wide = rows.astype(np.float32)
    wide /= np.maximum(np.sqrt(np.einsum("ij,ij->i", wide, wide)), np.float32(1e-12))[:, None]
    return wide


def find_partners(asked: Sequence[str], everyone: Sequence[str], vectors: Vectors, *, k: int, floor: float,
                  ) -> dict[str, list[str]]:
    """For each asked wording the wordings it is worth comparing with: nearest first, then those sharing rare terms."""
    if not asked:
        return {}
    texts = [t for t in dict.fromkeys(everyone) if t in vectors]
    partners: dict[str, list[str]] = {t: [] for t in asked}
    for text, near in vectors.nearest([t for t in partners if t in vectors], texts, k + 1):
        partners[text] = [other for other, cosine in near if cosine >= floor and other != text]
    _add_abroad(partners, texts, vectors, k=k, floor=floor)
    _add_rare(partners, list(dict.fromkeys(everyone)))
    _add_used(partners, list(dict.fromkeys(everyone)))
    return partners


def _add_used(partners: dict[str, list[str]], everyone: list[str]) -> None:
    """What says that a thing is used no longer need not be near at all to what says that it is used."""
    for text, near in partners.items():
        if disused_in(text)[0]:
            using = [t for t in everyone if t not in near and ends_the_use(text, t)]
            near.extend(using[:MOST_PARTNERS])


def _add_abroad(partners: dict[str, list[str]], texts: Sequence[str], vectors: Vectors, *, k: int, floor: float) -> None:
    """Neighbours across languages: of what is not English all by the multilingual vectors, of English those that are not."""
    wide = vectors.wide
    if wide is None:
        return
    everyone = [t for t in texts if t in wide]
    foreign = [t for t in everyone if t in vectors.abroad]
    if not foreign:
        return
    for asked, among in (([t for t in partners if t in wide and t in vectors.abroad], everyone),
                         ([t for t in partners if t in wide and t not in vectors.abroad], foreign)):
        for text, near in wide.nearest(asked, among, k + 1):
            across = [other for other, cosine in near if cosine * SCALE >= floor and other != text]
            kept = [] if text in vectors.abroad else partners[text]
            partners[text] = [*kept, *(t for t in across if t not in kept)]


def _add_rare(partners: dict[str, list[str]], everyone: list[str]) -> None:
    for text, sharing in rare_partners(partners, everyone).items():
        have = {text, *partners[text]}
        partners[text].extend(t for t in sharing if t not in have)


def likely_pairs(partners: Mapping[str, Sequence[str]], heard: Sequence[Heard], standing: Sequence[Memory], worth: Worth, *,
                  full: bool) -> list[tuple[str, datetime, str, datetime]]:
    """The pairs a plan will most likely ask about, so that they can be judged together: each with what was said before it."""
    said: dict[str, datetime] = {m.text: m.confirmed_at for m in standing}
    current = {m.text: m.confirmed_at for m in standing if full and m.status in CURRENT}

    def asks(text: str, at: datetime, among: Mapping[str, datetime]) -> list[tuple[str, datetime, str, datetime]]:
        near = [wording for wording in partners.get(text, ()) if wording in among]
        return [(text, at, wording, among[wording]) for wording in worth(text, near)]

    likely = [pair for text, at in current.items() for pair in asks(text, at, current)]
    for one in heard:
        text, at = one.gated.text, one.observation.at
        likely += asks(text, at, said)
        said[text] = max(at, said.get(text, at))
    return likely


def tell_worth(heard: Sequence[Heard], standing: Sequence[Memory]) -> Worth:
    """What tells which of the near are worth judging, by what they say and the days on which they were said."""
    days: dict[str, set[date]] = {}
    for text, at in (*((m.text, m.confirmed_at) for m in standing), *((h.gated.text, h.observation.at) for h in heard)):
        days.setdefault(text, set()).add(at.date())
    known: dict[tuple[str, ...], list[str]] = {}

    def worth(text: str, near: Sequence[str]) -> list[str]:
        key = (text, *near)
        if key not in known:
            known[key] = worth_judging(text, near, lambda one, other: not days[one].isdisjoint(days[other]))
        return known[key]

    return worth


class PairJudge:
    """Judges pairs and remembers: a pair judged once is not judged again until one side changes."""

    def __init__(self, kit: Kit) -> None:
        self._kit = kit
        self._judge: Judge | None = None
        """Loaded for the first statement that has to be placed: a night without one needs no network."""
        self._remembers = False
        self._known: dict[tuple[str, str], Judgement] = {}
        self._looked: set[tuple[str, str]] = set()
        """Pairs whose remembered verdict was looked up."""
        self._vectors = Vectors()
        self.fresh: dict[tuple[str, str], Judgement] = {}
        self.together: dict[tuple[str, str], tuple[Statement, Statement]] = {}
        """The pairs of the last scope that was judged together, which somebody else may be asked about."""

    @property
    def name(self) -> str:
        """Under which verdicts are remembered; empty before anything was to be judged."""
        return self._judge.name if self._judge else ""

    def _load(self) -> Judge:
        if self._judge is None:
            self._judge = self._kit.load_judge()
            self._remembers = derived.has_judged(self._kit.store, judge=self.name)
        return self._judge

    def prepare(self, vectors: Vectors, likely: Sequence[tuple[str, datetime, str, datetime]]) -> None:
        """Take the vectors of a scope, recall what was judged of the likely pairs, and judge the others together.

        Raises Outage when the judge is away, also where there is nothing to compare with: what waits then waits on.
        """
        judge, self._vectors = self._load(), vectors
        pairs = {key: (left, right) for key, left, right in (_sides(*pair) for pair in likely) if key not in self._looked}
        if self._remembers:
            self._known.update(derived.load_judged(self._kit.store, pairs, judge=self.name))
        self._looked.update(pairs)
        vectors.fetch({side.text for pair in pairs.values() for side in pair})
        unknown = {key: Pair(left, right, vectors.similarity(left.text, right.text))
                   for key, (left, right) in pairs.items() if key not in self._known}
        # A plan is made without a lock, for a minute where much is new: here it can be paced, seen and stopped.
        told = self._kit.progress
        verdicts = judge.judge_all(list(unknown.values()), progress=lambda done, of: told("judge", done, of))
        self.fresh.update(zip(unknown, verdicts, strict=True))
        self.together = {key: pairs[key] for key in unknown}

    def settle(self, *, remembered: bool) -> None:
        """Let go of what was only for one plan; what is `remembered` in the store is asked for there from now on."""
        self._known, self._looked, self._vectors, self.fresh = {}, set(), Vectors(), {}
        self._remembers = self._remembers or remembered

    def relate(self, a: str, a_at: datetime, b: str, b_at: datetime) -> Judgement:
        """The relation of two statements, as seen from `a`."""
        key, left, _ = _sides(a, a_at, b, b_at)
        if key not in self._looked:
            # Nobody foresaw it: one statement took over the other's time or words while the plan was made.
            self.prepare(self._vectors, [(a, a_at, b, b_at)])
        verdict = self._known.get(key) or self.fresh[key]
        return verdict if left.text == a and left.at == a_at else verdict.turned()


def _sides(a: str, a_at: datetime, b: str, b_at: datetime) -> tuple[tuple[str, str], Statement, Statement]:
    """A pair in one order, whoever asks: the smaller hash first."""
    one, other = pair_side(a, a_at), pair_side(b, b_at)
    left, right = Statement(a, a_at), Statement(b, b_at)
    return ((one, other), left, right) if one <= other else ((other, one), right, left)
