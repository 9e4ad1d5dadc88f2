"""The trained judge of pairs, loaded by the first pair that needs it: a night without a hard pair never pays for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from dreamd.core import fsio
from dreamd.core.paths import share_dir
from dreamd.core.settings import Settings
from dreamd.core.values import PairScore, content_id
from dreamd.models import crossencoder

if TYPE_CHECKING:
    from dreamd.models.crossencoder import CrossEncoder
    from dreamd.models.pairscore import PairScorer

SCORER_FILES = ("adapter.safetensors", "scorer.json", "lexicon.txt")


class LazyScorer:
    """Knows its version at once and its weights only when asked for a score."""

    def __init__(self, artefact: Path, model_directory: str, progress: Callable[[str, int, int], None], *,
                 second: Path | None = None, threads: int = 1) -> None:
        self._artefact = artefact
        self._model_directory = model_directory
        self._progress = progress
        self._second_directory, self._threads = second, threads
        self._loaded: PairScorer | None = None
        self._second: CrossEncoder | None = None
        parts = [fsio.sha256_bytes((artefact / name).read_bytes()) for name in SCORER_FILES]
        more = [crossencoder.identity(second)] if second else []
        self.version = "trained-" + content_id(*parts, *more, size=8)

    @property
    def name(self) -> str:
        """The same, as the judge asks for it."""
        return self.version

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
        scores = self._loaded.score(pairs)
        return self._joined(pairs, scores) if self._second_directory else scores

    def _joined(self, pairs: Sequence[tuple[str, str]], scores: Sequence[PairScore]) -> list[PairScore]:
        """The scores with the second opinion, which reads each pair in both orders."""
        if self._second is None:
            assert self._second_directory is not None
            self._second = crossencoder.CrossEncoder(self._second_directory, threads=self._threads)
        rows = self._second.inferences([*pairs, *((b, a) for a, b in pairs)]).tolist()
        return [joined(score, *rows[n::len(pairs)]) for n, score in enumerate(scores)]


def joined(score: PairScore, forward: Sequence[float], backward: Sequence[float]) -> PairScore:
    """The mean of the trained score and of what two inferences say of the same relations.

    `forward` holds the probabilities that `b` follows from `a`, may hold beside it or clashes; `backward` the other order.
    An inference tells neither what is newer nor how far apart two topics are: there the trained shares are kept.
    """
    there, back = forward[0], backward[0]
    clash = (forward[2] + backward[2]) / 2
    beside = max(0.0, 1.0 - there - clash) * max(0.0, 1.0 - back - clash)
    said = [there * back, there * (1.0 - back), back * (1.0 - there), clash, beside]
    same, a_richer, b_richer, conflict, apart = (one / max(sum(said), 1e-9) for one in said)
    quiet = score.related + score.unrelated
    known = max(score.conflict, 1e-9), max(quiet, 1e-9)
    return PairScore(
        same=(score.same + same) / 2, a_richer=(score.a_richer + a_richer) / 2, b_richer=(score.b_richer + b_richer) / 2,
        a_newer=(score.a_newer + conflict * score.a_newer / known[0]) / 2,
        b_newer=(score.b_newer + conflict * score.b_newer / known[0]) / 2,
        clash=(score.clash + conflict * score.clash / known[0]) / 2,
        related=(score.related + apart * score.related / known[1]) / 2,
        unrelated=(score.unrelated + apart * score.unrelated / known[1]) / 2, heard=score.heard)


def load_scorer(settings: Settings, progress: Callable[[str, int, int], None]) -> LazyScorer | None:
    """The trained judge, where the settings want it and its weights are here; without it rules alone judge."""
    artefact = share_dir("config") / "judge"
    if settings.consolidate.judge == "rules" or not all((artefact / name).is_file() for name in SCORER_FILES):
        return None
    second = Path(settings.consolidate.cross_encoder).expanduser() if settings.consolidate.cross_encoder else None
    return LazyScorer(artefact, settings.model.directory, progress, threads=settings.model.threads,
                      second=second if second and crossencoder.is_complete(second) else None)
