"""Vectors that another engine made of the same model, made anew: some each night, until there are none.

Until then the old ones stand beside the new ones and are found by: the two differ in the third digit. So nothing else
changes by an exchanged engine, and no night pays for all of it.
"""

from __future__ import annotations

from dreamd.core.errors import Outage
from dreamd.dream.phases.compare import EMBED_BATCH
from dreamd.kit import Kit
from dreamd.models import ALIKE, written_by
from dreamd.store import derived

A_NIGHT = 512
"""About a second and a half of one processor."""


def renew_vectors(kit: Kit) -> int:
    """Make some vectors of another engine anew, in a night that has something to do anyway; says how many.

    What was made of words that are nowhere kept any more goes.
    """
    if kit.dry or kit.run is None or kit.should_stop():
        return 0
    ours = written_by(kit.settings.model.engine, kit.settings.model.device)
    others = [name for name in ALIKE if name not in ours]
    old = derived.find_made_by(kit.store, others)
    if not old:
        return 0
    words = derived.load_words_of(kit.store, old, limit=A_NIGHT)
    if len(words) < A_NIGHT:
        gone = sorted(set(old) - words.keys())
        kit.write_all(gone, lambda tx, some: derived.drop_made_by(tx, some, others))
    try:
        return _make_anew(kit, words, others)
    except Outage:  # the night is done and needs the model for nothing else: the old ones serve on
        return 0


def _make_anew(kit: Kit, words: dict[str, str], others: list[str]) -> int:
    import numpy as np

    embedder, done = kit.load_embedder(len(words)), 0
    shas = sorted(words, key=lambda sha: (len(words[sha]), sha))
    while done < len(shas) and not kit.should_stop():
        part = shas[done:done + EMBED_BATCH]
        fresh = list(zip(part, embedder.embed([words[sha] for sha in part]).astype(np.float16), strict=True))
        kit.write_all(fresh, lambda tx, few: derived.write_vectors(tx, dict(few), model=embedder.model_id, instead_of=others))
        done += len(part)
        kit.progress("embed", done, len(shas))
    return done
