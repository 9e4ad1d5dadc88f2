"""Vectors of what nobody compares, of what lost its own, and of what another engine of the same model made.

The last are made anew some each night, until there are none. Until then the old ones stand beside the new ones and are found
by: the two differ in the third digit. So nothing else changes by an exchanged engine, and no night pays for all of it.
"""

from __future__ import annotations

from collections.abc import Sequence

from dreamd.core.errors import Outage
from dreamd.core.values import IN_PASSING, LEARNED, MARKS, GateVerdict, Scope, abroad_key, text_sha, with_context
from dreamd.dream.phases.compare import EMBED_BATCH, embed_under, load_abroad, load_standing, load_vectors
from dreamd.dream.phases.twins import Heard
from dreamd.kit import Kit
from dreamd.models import ALIKE, written_by
from dreamd.store import derived, memories, passages, shown
from dreamd.text.language import is_english

A_NIGHT = 512
"""About a second and a half of one processor."""


def embed_heard(kit: Kit, scope: Scope, heard: Sequence[Heard], *, full: bool) -> None:
    """Give a vector to all that recall finds by and no judge compares, and to what lost it.

    That is what was said in passing, what was said behind its context, and once more what was said in another language.
    """
    if kit.dry:
        return
    words = _as_said(kit, scope, heard, full=full) if kit.settings.recall.passages else {}
    kept = [h.observation.text for h in heard if h.gated.reason != IN_PASSING and h.gated.verdict is not GateVerdict.DISCARD
            and h.observation.sign not in MARKS]
    told = (*kept, *(shown.load_wordings(kit.store, str(scope)) if full else ()))
    embed_under(kit, {sha: words[sha] for sha in derived.find_missing(kit.store, list(words), models=ALIKE)})
    abroad = {abroad_key(text_sha(text)): text for text in (*words.values(), *told) if not is_english(text)}
    wide = kit.load_abroad() if abroad else None
    if wide:
        lacking = derived.find_missing(kit.store, list(abroad), models=(wide.model_id,))
        embed_under(kit, {key: abroad[key] for key in lacking}, wide)


def _as_said(kit: Kit, scope: Scope, heard: Sequence[Heard], *, full: bool) -> dict[str, str]:
    """What was said in passing and what was said behind its context, by the hashes of the words."""
    passing = [h.observation.text for h in heard if passages.is_kept(h.observation, h.gated)]
    behind = [with_context(h.observation.text, h.observation.context) for h in heard if h.observation.context
              and not h.observation.sign.startswith(LEARNED)
              and (passages.is_kept(h.observation, h.gated) or h.gated.verdict is not GateVerdict.DISCARD)]
    alone, known = passages.load_texts(kit.store, str(scope), carried=full)
    return {text_sha(text): text for text in (*known, *behind, *alone, *passing)}


def renew_vectors(kit: Kit) -> int:
    """Make some vectors of another engine anew, in a night that has something to do anyway; says how many.

    What was made of words that are nowhere kept any more goes. Those that the store lost come first, all of them, in any night.
    """
    _make_up_for_lost(kit)
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


def _make_up_for_lost(kit: Kit) -> None:
    """Make every vector anew that recall finds by, where the store says that it lost them: it was a backup, or was repaired.

    What is made is kept whatever comes in between, and the next dream goes on from there.
    """
    if kit.dry or kit.store.held or kit.store.meta(derived.LOST) is None:
        return
    try:
        for scope in memories.load_scopes(kit.store):
            if kit.should_stop():
                return
            standing, vectors = load_standing(kit, scope)
            said = passages.load_behind_memories(kit.store, str(scope)) if kit.settings.recall.passages else []
            load_vectors(kit, (*standing, *said), vectors)
            load_abroad(kit, standing, standing, vectors)
            embed_heard(kit, scope, (), full=True)
    except Outage:  # words are found by meanwhile
        return
    with kit.writing() as tx:
        derived.find_again(tx)


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
