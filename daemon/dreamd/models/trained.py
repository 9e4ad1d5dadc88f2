"""The trained judge of pairs, loaded by the first pair that needs it: a night without a hard pair never pays for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from dreamd.core import fsio
from dreamd.core.errors import Outage
from dreamd.core.paths import share_dir
from dreamd.core.settings import Settings
from dreamd.core.values import PairScore, content_id

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from dreamd.models.pairscore import PairScorer

SCORER_FILES = ("adapter.safetensors", "scorer.json", "lexicon.txt")
LABELS = ("same", "a_richer", "b_richer", "a_newer", "b_newer", "clash", "related", "unrelated")


class LazyScorer:
    """Knows its name at once and its weights only when asked for a score."""

    def __init__(self, artefact: Path, model_directory: str, progress: Callable[[str, int, int], None]) -> None:
        self._artefact = artefact
        self._model_directory = model_directory
        self._progress = progress
        self._loaded: PairScorer | None = None
        parts = [fsio.sha256_bytes((artefact / name).read_bytes()) for name in SCORER_FILES]
        self.name = "trained-" + content_id(*parts, size=8)

    def read(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
        """The logarithms of the probabilities."""
        import numpy as np

        rows = [[getattr(score, name) for name in LABELS] for score in self.score(pairs)]
        found: NDArray[np.float32] = np.log(np.maximum(np.array(rows, np.float32), np.float32(1e-9)))
        return found

    def score(self, pairs: Sequence[tuple[str, str]]) -> Sequence[PairScore]:
        """Probabilities for each pair, in order.

        Raises Outage when the base model is away.
        """
        if not pairs:
            return []
        if self._loaded is None:
            from dreamd.models.model_files import find_model
            from dreamd.models.pairscore import load_pair_scorer

            self._progress("judge", 0, len(pairs))
            self._loaded = load_pair_scorer(find_model(self._model_directory), self._artefact)
        return self._loaded.score(pairs)


def load_scorer(settings: Settings, progress: Callable[[str, int, int], None]) -> LazyScorer:
    """The trained judge; raises Outage when its weights are not here."""
    artefact = share_dir("config") / "judge"
    if missing := [name for name in SCORER_FILES if not (artefact / name).is_file()]:
        raise Outage(f"the judge lacks `{missing[0]}`", component="model", code="model-missing",
                     hint="install dream again, with what it depends on")
    return LazyScorer(artefact, settings.model.directory, progress)
