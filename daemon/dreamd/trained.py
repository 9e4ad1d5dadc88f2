"""The trained judge of pairs, loaded by the first pair that needs it: a night without a hard pair never pays for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from dreamd import fsio
from dreamd.model import PairScore, content_id
from dreamd.paths import share_dir
from dreamd.settings import Settings

if TYPE_CHECKING:
    from dreamd.pairscore import PairScorer

SCORER_FILES = ("adapter.safetensors", "scorer.json", "lexicon.txt")


class LazyScorer:
    """Knows its version at once and its weights only when asked for a score."""

    def __init__(self, artefact: Path, model_directory: str, progress: Callable[[str, int, int], None]) -> None:
        self._artefact = artefact
        self._model_directory = model_directory
        self._progress = progress
        self._loaded: PairScorer | None = None
        parts = [fsio.sha256_bytes((artefact / name).read_bytes()) for name in SCORER_FILES]
        self.version = "trained-" + content_id(*parts, size=8)

    def score(self, pairs: Sequence[tuple[str, str]]) -> Sequence[PairScore]:
        """Probabilities for each pair, in order.

        Raises Outage when the base model is away.
        """
        if not pairs:
            return []
        if self._loaded is None:
            from dreamd.embedding.model_files import find_model
            from dreamd.pairscore import load_pair_scorer

            self._progress("judge", 0, len(pairs))
            self._loaded = load_pair_scorer(find_model(self._model_directory), self._artefact)
        return self._loaded.score(pairs)


def load_scorer(settings: Settings, progress: Callable[[str, int, int], None]) -> LazyScorer | None:
    """The trained judge, where the settings want it and its weights are here; without it rules alone judge."""
    artefact = share_dir("config") / "judge"
    if settings.consolidate.judge == "rules" or not all((artefact / name).is_file() for name in SCORER_FILES):
        return None
    return LazyScorer(artefact, settings.model.directory, progress)
