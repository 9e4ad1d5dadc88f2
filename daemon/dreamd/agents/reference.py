"""Asking the library: passages of documents, best first, for the command line and for agents.

Words and vectors are weighed as for memories, and then dampened by `recall.document_boost`: beside a memory a document counts
less, for nobody told it. Nothing here is ever told unasked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from dreamd.core.errors import Outage, UsageError
from dreamd.core.world import World
from dreamd.library.consulting import Brought, bring_up, choose
from dreamd.models import Embedder, load_embedder
from dreamd.recall.answer import LONGEST_QUERY, WITH_VECTORS, WORDS_ONLY
from dreamd.recall.ranking import fuse
from dreamd.recall.shelf import read_question
from dreamd.recall.terms import telling_words, word_matches
from dreamd.store.library.chunks import Passage
from dreamd.store.library.library_file import open_library
from dreamd.text.injection import looks_like_injection

MOST_OF_ONE = 2
"""Passages of one document in an answer."""
LEAST = 0.2
"""Nearness below which a passage answers nothing."""


@dataclass(frozen=True)
class Told:
    """A passage of an answer; `orders` where its words try to give orders to who reads them."""

    passage: Passage
    score: float
    parts: dict[str, float]
    orders: bool = False


@dataclass(frozen=True)
class Consulted:
    """An answer of the library, and whether meaning or words alone found it."""

    results: tuple[Told, ...]
    mode: str
    warning: str = ""


class Librarian:
    """Answers questions about documents; keeps the model between two of them."""

    def __init__(self, world: World, embedder: Embedder | None = None) -> None:
        self._world = world
        self.embedder = embedder

    def ask(self, query: str, count: int, *, names: Sequence[str] = (), tag: str = "") -> Consulted:
        """The passages that answer a question.

        Raises StoreMissing where nothing was ever added or no corpus has that name, UsageError for an empty query.
        """
        if not query.strip() or len(query) > LONGEST_QUERY:
            raise UsageError("an empty or endless query finds nothing", hint="say what you are looking for")
        with open_library(self._world.paths.library) as library:
            among, mode, warning, row = choose(library, names=names, tag=tag), WITH_VECTORS, "", None
            try:
                row = read_question(self._load(), query)
            except Outage as outage:
                mode, warning = WORDS_ONLY, f"{outage.message}; found by words alone"
            brought = bring_up(library, " ".join(telling_words(query)), row, among)
        return Consulted(tuple(self._weigh(query, brought)[:count]), mode, warning)

    def _weigh(self, query: str, brought: Sequence[Brought]) -> list[Told]:
        rules = self._world.settings.recall
        shares = word_matches(query, [f"{b.passage.address} {b.passage.title} {b.passage.heading} {b.passage.text}"
                                      for b in brought])
        weighed = []
        for one, share in zip(brought, shares, strict=True):
            near = fuse(share, one.cosine, rules.word_weight)
            parts = {"nearness": near, "words": share, "boost": rules.document_boost}
            if one.cosine is not None:
                parts["vectors"] = one.cosine
            weighed.append(Told(one.passage, near * rules.document_boost, parts, looks_like_injection(one.passage.text)))
        weighed.sort(key=lambda told: (-told.score, told.passage.seq))
        of_one: Counter[str] = Counter()
        seen: set[str] = set()
        kept = []
        for told in weighed:
            place, words = told.passage.address, told.passage.text
            of_one[place] += 1
            if told.parts["nearness"] >= LEAST and of_one[place] <= MOST_OF_ONE and words not in seen:
                seen.add(words)
                kept.append(told)
        return kept

    def _load(self) -> Embedder:
        if self.embedder is None:
            model = self._world.settings.model
            self.embedder = load_embedder(model.engine, directory=model.directory, threads=model.threads, device=model.device,
                                          kept_in=self._world.paths.models, keep=self._world.paths.home.is_dir())
        return self.embedder
