"""What dream would change in an owner's instruction files, shown and never done.

CLAUDE.md, AGENTS.md and GEMINI.md are their owner's: nothing here writes. Where an entry has passed its own last day,
stands there twice, or no longer agrees with what a person has told dream since, the change is proposed as a
difference. What cannot be decided is named instead. Only what people said counts here, never what an agent noted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from dreamd.agents import foreign_dir, hooks
from dreamd.core import fsio
from dreamd.core.clock import local_date
from dreamd.core.errors import DreamError
from dreamd.core.values import SHORTEST_TEXT, Evidence, EvidenceKind, Memory, Relation, Status, Trust
from dreamd.dream.phases.compare import find_partners, load_vectors
from dreamd.judge import Pair, Statement
from dreamd.kit import Kit, exclusions
from dreamd.notes import Action, Dialect, Entry, EntryEdit, EntryKind, propose_edits, read_entries
from dreamd.store import memories

LONGEST_ENTRY = 600
MOST_ENTRIES = 400


@dataclass(frozen=True)
class Proposal:
    """A change to one instruction file, as a unified diff, with the reasons; and what only its owner can decide."""

    file: Path
    diff: str
    edits: tuple[EntryEdit, ...]
    conflicts: tuple[tuple[str, str], ...]
    """An entry and what dream was told that cannot hold beside it."""


def propose(kit: Kit, root: Path) -> list[Proposal]:
    """Look at the instruction files that belong to a directory; what would change there. Writes nothing into them.

    Raises Outage when there is something to compare and the model is away.
    """
    proposals = []
    kept_out = exclusions(kit.world).has_path
    for path in foreign_dir.find_instruction_files(root):
        if kept_out(path):
            continue
        try:
            text = foreign_dir.decode(fsio.read_bytes(path, limit_bytes=foreign_dir.LARGEST_FILE_BYTES))
        except (DreamError, FileNotFoundError):
            continue  # a link or too large: the owner's own business
        entries = [e for e in read_entries({path.name: text}, Dialect.GENERIC)
                   if e.kind is EntryKind.ENTRY and SHORTEST_TEXT <= len(e.text) <= LONGEST_ENTRY][:MOST_ENTRIES]
        edits = _own_faults(entries, today=local_date(kit.clock.now(), kit.zone))
        changed_at = datetime.fromtimestamp(path.stat().st_mtime, UTC)
        said, conflicts = _against_memory(kit, root, [e for e in entries if e.id not in edits], changed_at)
        edits |= said
        if edits or conflicts:
            chosen = tuple(sorted(edits.values(), key=lambda e: e.entry.start))
            diff = propose_edits({path.name: text}, chosen, dialect=Dialect.GENERIC) if chosen else ""
            proposals.append(Proposal(path, diff.encode("utf-8", "replace").decode(), chosen, tuple(conflicts)))
    return proposals


def _own_faults(entries: Sequence[Entry], *, today: str) -> dict[str, EntryEdit]:
    """Entries past their own last day, and those that say to the letter what an earlier one under the heading says."""
    edits: dict[str, EntryEdit] = {}
    first: dict[tuple[str, str], Entry] = {}
    for entry in entries:
        if "" < entry.ttl < today:
            edits[entry.id] = EntryEdit(entry, Action.END, reason="expired", evidence=(f"TTL: {entry.ttl}",))
            continue
        key = (entry.section, " ".join(entry.text.split()))
        if key in first:
            edits[entry.id] = EntryEdit(entry, Action.REMOVE, reason="duplicate", evidence=(Evidence(EvidenceKind.SAME_WORDS),),
                                        successor=first[key].id)
        first.setdefault(key, entry)
    return edits


def _against_memory(kit: Kit, root: Path, entries: Sequence[Entry], changed_at: datetime,
                    ) -> tuple[dict[str, EntryEdit], list[tuple[str, str]]]:
    """Entries that a person's later word replaces, and pairs that cannot both hold."""
    known = _told_by_people(kit, root)
    if not known or not entries:
        return {}, []
    words = {e.id: " ".join(e.text.split()) for e in entries}
    dry, kit.dry = kit.dry, True  # a proposal is a look: what has to be embedded for it is not kept, and begins no run
    try:
        vectors = load_vectors(kit, known)
    finally:
        kit.dry = dry
    texts = sorted(set(words.values()))
    # An owner's own words leave nothing in the store, not even a vector.
    vectors.rows.update(zip(texts, kit.load_embedder(len(texts)).embed(texts), strict=True))
    rules = kit.settings.consolidate
    partners = find_partners(texts, sorted(known), vectors, k=rules.neighbours, floor=rules.neighbour_floor)
    met = [(entry, known[text]) for entry in entries for text in partners.get(words[entry.id], [])]
    asked = [Pair(_as_said(words[entry.id], memory, changed_at), Statement(memory.text, memory.confirmed_at),
                  vectors.similarity(words[entry.id], memory.text)) for entry, memory in met]
    edits: dict[str, EntryEdit] = {}
    conflicts: list[tuple[str, str]] = []
    for (entry, memory), said in zip(met, kit.load_judge().judge_all(asked), strict=True):
        if entry.id in edits:
            continue
        if said.relation is Relation.UPDATES and said.newer == "b" and said.is_sure:
            edits[entry.id] = EntryEdit(entry, Action.REPLACE, memory.text, reason="updated",
                                        evidence=(*said.evidence, f"memory {memory.id}"))
        elif said.relation is Relation.CONTRADICTS or not said.is_sure:
            conflicts.append((entry.text, memory.text))
    return edits, conflicts


def _as_said(words: str, memory: Memory, changed_at: datetime) -> Statement:
    """An entry with the time of its file where that is older than a memory: nobody touched it since. Else nothing tells."""
    return Statement(words, changed_at if changed_at < memory.confirmed_at else None)


def _told_by_people(kit: Kit, root: Path) -> dict[str, Memory]:
    """What people have said of the project here and of themselves, by wording."""
    found: dict[str, Memory] = {}
    for scope in hooks.scopes_of(kit.store, str(root), kit.settings.teams.members):
        for memory in memories.load_memories(kit.store, scope=scope, statuses=(Status.LIVE,)):
            if memory.trust is Trust.USER:
                found[memory.text] = memory
    return found
