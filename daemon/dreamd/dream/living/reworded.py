"""A memory in the words a person gives it: what an edit of its file does at the next dream, done at once."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace

from dreamd.core import locks
from dreamd.core.clock import iso
from dreamd.core.errors import Outage, Overtaken, Refused, UsageError
from dreamd.core.values import LONGEST_TEXT, Candidate, Memory, Origin, content_id, storable, text_sha
from dreamd.dream.phases.carry_out import Footing, apply_step
from dreamd.dream.phases.draft import Draft
from dreamd.dream.phases.edited import Deletions, take_edit
from dreamd.dream.phases.hand_edits import HAND, restated_files
from dreamd.dream.phases.twins import Heard
from dreamd.extraction import gate
from dreamd.kit import Kit
from dreamd.store import derived, memories, observations, work
from dreamd.store.journal import begin_run, end_run
from dreamd.text.redaction import redact

Seen = Mapping[str, int]
"""The revisions of the memories that a person had before them when they decided."""
NOTHING_SEEN: Seen = {}


def refuse_if_overtaken(tx: sqlite3.Connection, seen: Seen) -> None:
    """Raise Overtaken where a memory has changed since a person saw it; asked with the write lock held."""
    if any(memories.revision(tx, identity) != revision for identity, revision in seen.items()):
        raise Overtaken("that memory has changed since you saw it", hint="nothing was changed; look at it again")


def reword(kit: Kit, memory: Memory, words: str, *, seen: Seen = NOTHING_SEEN) -> Memory:
    """Give a memory other words, as a run of its own that can be undone; its files are the caller's.

    Raises UsageError for words that say nothing, Refused for some that were forgotten or keep nothing once masked, Overtaken
    where the memory is no longer as it was seen.
    """
    text = redact(storable(words.strip())).text
    if not text:
        raise UsageError("there are no new words", hint="`dream forget` removes a memory")
    if len(text) > LONGEST_TEXT:
        raise UsageError(f"the words are longer than {LONGEST_TEXT} characters")
    now, scope = kit.clock.now(), memory.scope
    gated = gate(text, origin=Origin.USER, at=now, zone=kit.zone)
    if not gated.text.strip():
        raise Refused("of these words nothing may be kept", hint="a secret has its place in a safe, not in a memory")
    if gated.text == memory.text:
        return memory
    revisions = memories.load_revisions(kit.store, [memory.id])
    key = content_id("edited", str(scope), memory.id, text, iso(now), str(revisions.get(memory.id, 0)))
    told = Candidate(text, Origin.USER, now, scope, sign=HAND, target=memory.id, key=key)
    with locks.foreground(kit.paths.locks), kit.store.writing() as tx:
        refuse_if_overtaken(tx, {**revisions, **seen})
        stored = observations.append(tx, [told], stored_at=now, key=observations.tombstone_key(kit.store))[0]
        if stored.status == "refused":
            raise Refused("these words were forgotten on request, and do not come back by an edit")
        observation = next(o for o in observations.load_by_ids(kit.store, [stored.id]))
        draft = Draft([memory], revisions)
        # An end that stood in the words went with them; one that was given beside them stays.
        kept = None if memory.ttl and memory.ttl in memory.text else memory.ttl
        take_edit(Heard(observation, replace(gated, ttl=gated.ttl or kept)), draft, Deletions())
        run = begin_run(tx, kind="edit", now=now, started_at=now, version="")
        footing = Footing(dict(revisions))
        for step in draft.steps:
            apply_step(tx, step, footing, run.seq)
        work.intend(tx, restated_files(kit, draft.memories[memory.id]))
        end_run(tx, replace(run, outcome="changed"), ended_at=now)
    embed_told(kit, gated.text)
    return memories.load_memory(kit.store, memory.id)


def embed_told(kit: Kit, text: str) -> None:
    """Have words found by their meaning at once; while the model is away, words find them until a dream has it again.

    This is no part of a dream: it begins no run, and takes the store from none that is at work.
    """
    import numpy as np

    with suppress(Outage):
        embedder = kit.load_embedder(1)
        rows = embedder.embed([text]).astype(np.float16)
        with locks.foreground(kit.paths.locks), kit.store.writing() as tx:
            derived.write_vectors(tx, {text_sha(text): rows[0]}, model=embedder.model_id)
