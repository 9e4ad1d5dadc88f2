"""What people did to the files since dream last wrote them, and what befell those files that nobody wished for.

A person's edit becomes an observation of the highest authority. A damaged file teaches nothing: it is copied aside, the
memory keeps its words, and the file is written as it was.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from dreamd.core import fsio
from dreamd.core.clock import iso
from dreamd.core.errors import DreamError
from dreamd.core.values import (
    ELSEWHERE_TOO,
    OVERRULED,
    Candidate,
    Memory,
    MemoryType,
    Origin,
    Scope,
    content_id,
    storable,
)
from dreamd.dream.apart import apart, set_aside
from dreamd.dream.setting_aside import AWAY, Damaged
from dreamd.kit import Kit
from dreamd.notes import Damage, EditKind, PersonEdit, decoded, diff_person_edits, find_damage, read_topic, restate_topic
from dreamd.store import forgetting, memories, observations, seals, work
from dreamd.store.presence.sound_rows import stored_scope
from dreamd.store.set_asides import EDITS, FILE, Aside
from dreamd.store.work import Facts, Intent, KnownFile
from dreamd.text.redaction import redact

LARGEST_NOTE_BYTES = 1024 * 1024
NO_TEXT = "its name is no UTF-8"
HAND = "edited-by-hand"
ELSEWHERE = frozenset({"index-line", "description", "ttl"})
"""Places where a person changed what a memory says while the statement in its file stayed."""
_FRONTMATTER = re.compile(r"\A---\r?\n.*?\n---\r?\n", re.DOTALL)


@dataclass(frozen=True)
class Edited:
    """What a person changed in one scope: statements to take in, and the files as they are now."""

    scope: Scope
    candidates: tuple[Candidate, ...]
    accepted: tuple[KnownFile, ...]
    gone: tuple[str, ...]
    restated: tuple[Intent, ...] = ()
    """Files of memories whose words were changed in the index or the description."""
    damaged: tuple[Damaged, ...] = ()
    healed: tuple[Intent, ...] = ()
    """The same files as they were before they were damaged."""
    titles: tuple[tuple[str, str], ...] = ()
    """Memories and the titles that a person gave them."""


@dataclass(frozen=True)
class _Found:
    """The files of a scope: as dream knew them, as they are now, and which of them are not to be learned from."""

    known: Mapping[str, KnownFile]
    current: dict[str, bytes]
    touched: set[str]
    unreadable: set[str]
    prefix: str

    def named(self, bodies: Mapping[str, bytes]) -> dict[str, bytes]:
        return {path.removeprefix(self.prefix): body for path, body in bodies.items()}


def read_edits(kit: Kit, warnings: list[str]) -> Iterator[Edited]:
    """Scopes with a file that is not as dream left it; files whose size and times did not move are not opened.

    How a file looks is asked before it is read: one saved again meanwhile is seen to be touched by the next look.
    """
    facts: dict[str, dict[str, Facts]] | None = None
    for name, look in work.load_looks(kit.store).items():
        scope = stored_scope(name)
        directory = kit.paths.scope_dir(scope)
        fsio.check_inside(kit.paths.home, directory)
        present = fsio.look_over(directory, ending=".md", below=f"{directory.relative_to(kit.paths.home)}/"
                                 ) if directory.is_dir() else None
        if present is not None and look == seals.look_of(present):
            continue
        facts = work.load_file_facts(kit.store) if facts is None else facts
        known = facts.get(name, {})
        if present is None:
            # The whole directory is away: a moved home or a mistake, not a wish to forget everything.
            if known:
                away = Damaged(str(directory.relative_to(kit.paths.home)), name, AWAY, None)
                yield Edited(scope, (), (), (), damaged=(away,))
            continue
        unnamed = sorted(path for path in present.keys() - known.keys() if storable(path) != path)
        for path in unnamed:
            present.pop(path)
            set_aside(kit, Aside(FILE, path, NO_TEXT))
        if unnamed and not known.keys() <= present.keys():
            continue  # one that is gone may have got that name, which is no wish to have it forgotten
        if known != present:
            touched = {p for p, facts in present.items() if known.get(p) != facts}
            edited = None
            with apart(kit, EDITS, name, partial(_look_of, present)):
                edited = _compare(kit, scope, present, warnings, touched=touched)
            if edited is not None:
                yield edited


def _look_of(present: Mapping[str, Facts]) -> str:
    """How the files of a scope look from outside."""
    return fsio.sha256_bytes(repr(sorted(present.items())).encode())[:16]


def _compare(kit: Kit, scope: Scope, present: Mapping[str, Facts], warnings: list[str], *,
             touched: AbstractSet[str]) -> Edited | None:
    found = _read(kit, scope, present, warnings, touched=touched)
    damaged, healed = _take_out_damaged(kit, scope, found)
    known, current, prefix = found.known, found.current, found.prefix
    edits = diff_person_edits({p: decoded(b) for p, b in found.named({p: k.body for p, k in known.items()}).items()},
                              {p: decoded(b) for p, b in found.named(current).items()})
    # A copy of a file as dream once wrote it, left by whatever keeps directories in step, says nothing of a person's.
    edits = [e for e in edits if not (e.copied and memories.has_wording(kit.store, e.text))]
    # Nor does one that comes back from before a person had its memory forgotten.
    said = [e for e in edits if e.kind is not EditKind.ADDED or not forgetting.had_file(kit.store, e.mark)]
    candidates = [c for e in said for c in _candidates(e, kit.clock.now(), scope)]
    elsewhere = {e.file: e for e in edits if e.kind is EditKind.CHANGED and e.reason in ELSEWHERE}
    restated: list[Intent] = []
    accepted = []
    owner = {e.file: e.memory_id for e in edits if e.memory_id and e.kind is not EditKind.DELETED}
    for relative, body in current.items():
        if relative in found.unreadable:
            continue
        before = known.get(relative)
        name = relative.removeprefix(prefix)
        if relative not in found.touched:
            restated += _restated(known[relative], elsewhere[name]) if name in elsewhere else []
            continue
        memory = before.memory if before else owner.get(name, "") or work.BY_HAND
        if memory.startswith(work.BY_HAND):
            memory = _by_hand([c for e in edits if e.file == name for c in _candidates(e, kit.clock.now(), scope)], body)
        # The hash is that of the file as it is, the body what may be kept: a secret typed by hand is masked, and
        # the difference makes the next projection mask it in the file too.
        now = KnownFile(relative, fsio.sha256_bytes(body), body, memory, str(scope), *present[relative])
        now = replace(now, body=before.body if before and before.sha == now.sha else _kept(body))
        if now != before:
            accepted.append(now)
        if name in elsewhere:
            restated += _restated(now, elsewhere[name])
    gone = tuple(p for p in known if p not in current)
    # What a person said of a memory elsewhere counts for its file too, also where that was damaged at the same time.
    restated = [replace(i, base_sha=healed.pop(i.path).base_sha) if i.path in healed else i for i in restated]
    titles = tuple((e.memory_id, redact(e.title).text) for e in edits if e.kind is EditKind.TITLED)
    warnings += _tell_beside(edits, scope)
    edited = Edited(scope, tuple(candidates), tuple(accepted), gone, tuple(restated), tuple(damaged), tuple(healed.values()),
                    titles)
    return edited if accepted or gone or damaged else None


def _read(kit: Kit, scope: Scope, present: Iterable[str], warnings: list[str], *, touched: AbstractSet[str]) -> _Found:
    known = {p: k for p, k in work.load_files(kit.store, scope=scope).items() if p.startswith("memory/")}
    found = _Found(known, {}, set(touched), set(), str(kit.paths.scope_dir(scope).relative_to(kit.paths.home)) + "/")
    for relative in sorted(present):
        if relative not in touched:
            found.current[relative] = known[relative].body  # as accepted: one edit does not have thousands of files read
            continue
        try:
            found.current[relative] = fsio.read_bytes(kit.paths.home / relative, limit_bytes=LARGEST_NOTE_BYTES)
        except (DreamError, OSError) as error:
            warnings.append(error.message if isinstance(error, DreamError) else f"cannot read `{relative}`")
            found.unreadable.add(relative)
            if relative in known:
                found.current[relative] = known[relative].body
    return found


def _take_out_damaged(kit: Kit, scope: Scope, found: _Found) -> tuple[list[Damaged], dict[str, Intent]]:
    """Have the damaged files count as they were known, and say what they were and how they come to be that again."""
    read = {p: found.current[p] for p in found.touched - found.unreadable}
    reasons = {found.prefix + name: why for name, why in
               find_damage(found.named({p: k.body for p, k in found.known.items()}), found.named(read)).items()}
    reasons |= dict.fromkeys(_gone_together(kit, found), Damage.GONE)
    damaged: list[Damaged] = []
    healed: dict[str, Intent] = {}
    for path, why in sorted(reasons.items()):
        body, before = found.current.get(path), found.known.get(path)
        damaged.append(Damaged(path, str(scope), why.value, body if before else None))
        found.touched.discard(path)
        if before is None:
            found.unreadable.add(path)  # a person's own file, which stays where it is
            del found.current[path]
            continue
        found.current[path] = before.body
        if work.is_whole(before):
            healed[path] = Intent(path, None if body is None else fsio.sha256_bytes(body), fsio.sha256_bytes(before.body),
                                  before.body, before.memory, before.scope)
    return damaged, healed


def _gone_together(kit: Kit, found: _Found) -> list[str]:
    """Files that are gone with everything beside them: a directory was emptied, not many memories deleted one by one."""
    missing = [p for p in found.known if p not in found.current]
    topics = [p for p, k in found.known.items() if k.memory]
    emptied = not found.current
    # Under new names they are all still there.
    renamed = any(p not in found.known for p in found.current)
    left = renamed or any(p in found.current for p in topics)
    all_topics = len(topics) > kit.settings.consolidate.delete_always and not left
    return missing if emptied or all_topics else []


def _tell_beside(edits: Sequence[PersonEdit], scope: Scope) -> Iterator[str]:
    """What a person should hear of edits that do not agree: which one counts, and where the other is."""
    changed = [e for e in edits if e.kind is EditKind.CHANGED]
    words = sum(any(o.text for o in e.beside) for e in changed)
    if words:
        yield (f"{words} of scope `{scope}` edited differently in two places: the file counts, "
               "what stood elsewhere is held; `dream review` asks about it")
    out = sum(any(not o.text for o in e.beside) for e in changed)
    if out:
        yield f"{out} of scope `{scope}` edited in one place and taken out in another: the edit counts"


def _kept(body: bytes) -> bytes:
    """A file's bytes as the store may keep them."""
    masked = redact(decoded(body)).text
    return body if masked == decoded(body) else masked.encode()


def restated_files(kit: Kit, memory: Memory) -> list[Intent]:
    """The file of a memory saying what the memory says now; a person's words and layout around that stay."""
    edit = PersonEdit(EditKind.CHANGED, memory.file, memory.id, memory.text, ttl=memory.ttl)
    known = work.load_files(kit.store, scope=memory.scope).values()
    return [intent for file in known if file.memory == memory.id for intent in _restated(file, edit)]


def _restated(file: KnownFile, edit: PersonEdit) -> list[Intent]:
    """The file of a memory saying what a person made of it in another place."""
    text = decoded(file.body)
    topic = read_topic(edit.file, text)
    if (topic.statement, topic.ttl) == (edit.text, edit.ttl):
        return []
    body = restate_topic(text, redact(edit.text).text, ttl=edit.ttl).encode()
    return [Intent(file.path, file.sha, fsio.sha256_bytes(body), body, file.memory, file.scope)]


def _by_hand(said: Sequence[Candidate], body: bytes) -> str:
    """Who owns a file a person added: one statement, when the file says nothing else, or the person alone."""
    words = _FRONTMATTER.sub("", redact(decoded(body)).text, count=1)
    whole = len(said) == 1 and observations.plain_words(said[0].text) == observations.plain_words(words)
    return work.BY_HAND + (observations.observation_id(said[0]) if whole else "")


def _candidates(edit: PersonEdit, now: datetime, scope: Scope) -> Iterator[Candidate]:
    """An edit as statements of the person who made it."""
    day = iso(now)
    if edit.previous_file and edit.memory_id:
        yield Candidate(edit.file, Origin.USER, now, scope, key=content_id("renamed", str(scope), edit.memory_id, edit.file),
                        sign="renamed-by-person", target=edit.memory_id)
    if edit.kind is EditKind.DELETED and edit.memory_id:
        yield Candidate("[deleted by hand]", Origin.USER, now, scope, sign="deleted-by-person", target=edit.memory_id,
                        key=content_id("deleted", str(scope), edit.memory_id, day))
    elif edit.kind is EditKind.CHANGED and edit.memory_id:
        text = redact(edit.text).text
        kind = MemoryType(edit.type_hint) if edit.type_hint in set(MemoryType) else None
        yield Candidate(text, Origin.USER, now, scope, sign=HAND, type_hint=kind, target=edit.memory_id, ttl=edit.ttl,
                        key=content_id("edited", str(scope), edit.memory_id, text, day))
        for other in edit.beside:
            said = redact(other.text).text
            yield Candidate(said or "[taken out by hand]", Origin.USER, now, scope, sign=ELSEWHERE_TOO if said else OVERRULED,
                            target=edit.memory_id, ttl=other.ttl,
                            key=content_id(ELSEWHERE_TOO, str(scope), edit.memory_id, other.reason, said, other.ttl or "", day))
    elif edit.kind is EditKind.ADDED and edit.text.strip():
        text = redact(edit.text).text
        kind = MemoryType(edit.type_hint) if edit.type_hint in set(MemoryType) else None
        yield Candidate(text, Origin.USER, now, scope, sign=HAND, type_hint=kind, ttl=edit.ttl,
                        key=content_id("added", str(scope), edit.file, text))
        for other in edit.beside:
            said = redact(other.text).text
            yield Candidate(said, Origin.USER, now, scope, sign=HAND, ttl=other.ttl,
                            key=content_id("pointer", str(scope), edit.file, said))
