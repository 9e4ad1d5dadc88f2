"""A trained scorer for pairs: the embedding model's own weights plus a small adapter read both statements together.

The adapter is low-rank: at load it is added to the frozen weights, so a pair costs one pass and no more. The base model
knows English only, so other languages are glossed word by word from a small lexicon first; numbers and names pass as
they are. A pair is read in the order of its words, and in both orders where the first reading finds something, so the
scores of (a, b) and (b, a) are mirror images.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from dreamd.core.errors import DreamError
from dreamd.core.values import Hearing, PairScore
from dreamd.models.lexical.glossary import LEXICON_FILE as LEXICON_FILE
from dreamd.models.lexical.glossary import Glossary, load_glossary

if TYPE_CHECKING:
    from dreamd.models.pairs import PairEngine

ADAPTER_FILE = "adapter.safetensors"
SCORER_FILE = "scorer.json"
MISSING = "run `make judge`"
SECOND_LOOK = (0.4, 0.85)
"""Between these probabilities of a merge the other order is read too; a conflict gains nothing by it."""
HEARD_AT_ONCE = 8192
LABELS = tuple(name for name in PairScore.__dataclass_fields__ if name != "heard")


class PairScorer:
    """Scores pairs of statements; `version` changes whenever a score may."""

    def __init__(self, engine: PairEngine, glossary: Glossary, version: str) -> None:
        self._engine = engine
        self._glossary = glossary
        self.version = version
        # A statement meets many others: what is heard in it is kept once for all of them.
        self._listen = lru_cache(maxsize=HEARD_AT_ONCE)(self._heard_in)

    def score(self, pairs: Sequence[tuple[str, str]]) -> list[PairScore]:
        """Probabilities of the relations for each pair, in the order given."""
        turned = [a > b for a, b in pairs]
        read = [self._glossary.read(min(pair), max(pair)) for pair in pairs]
        found = self._probabilities(read)
        again = [i for i, s in enumerate(found) if SECOND_LOOK[0] < s.merge < SECOND_LOOK[1]]
        for i, second in zip(again, self._probabilities([(read[i][1], read[i][0]) for i in again]), strict=True):
            found[i] = _mean(found[i], second.turned())
        found = [s.turned() if t else s for s, t in zip(found, turned, strict=True)]
        return [replace(s, heard=self._hear(*pair)) for s, pair in zip(found, pairs, strict=True)]

    def _hear(self, a: str, b: str) -> Hearing | None:
        one, other = self._listen(a), self._listen(b)
        return Hearing(one, other) if one or other else None

    def _heard_in(self, text: str) -> tuple[tuple[str, ...], ...]:
        return tuple((word.surface, *word.meanings) for word in self._glossary.hear(text))

    def _probabilities(self, pairs: Sequence[tuple[str, str]]) -> list[PairScore]:
        return [PairScore(*row) for row in self._engine.probabilities(pairs).tolist()]


def load_pair_scorer(model_dir: Path, artefact_dir: Path) -> PairScorer:
    """Build the scorer from the base model's folder and the trained artefact.

    Raises DreamError when a file is missing or the adapter was trained for other base weights, Outage when the engine
    or its weights cannot be loaded.
    """
    from dreamd.models.model_files import weights_sha256
    from dreamd.models.pairs import Adapter, PairEngine

    for path in (
        artefact_dir / ADAPTER_FILE,
        artefact_dir / SCORER_FILE,
        artefact_dir / LEXICON_FILE,
        model_dir / "model.safetensors",
    ):
        if not path.is_file():
            raise DreamError(f"no `{path.name}` for the pair scorer", hint=MISSING)
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


def file_sha256(path: Path) -> str:
    """Hex sha256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _mean(one: PairScore, other: PairScore) -> PairScore:
    return PairScore(*((getattr(one, n) + getattr(other, n)) / 2 for n in LABELS))
