"""`dream attach`: keep an agent's own memory directory in order, in its dialect, and be able to take it back.

Plan, show, carry out: the plan holds the directory before and after. What is to be written lies below the home,
with a manifest, before the first file changes; so an interrupted run is finished by the next one, and `undo` has
the bytes. A directory that has not changed since it was last settled costs one reading and no model.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from pathlib import Path

from dreamd.agents import foreign_dir
from dreamd.agents.foreign_backup import DONE, PLANNED, UNDONE, FileChange, Manifest, Shelf
from dreamd.agents.foreign_dir import ForeignFiles
from dreamd.agents.guarding.foreign_secrets import masked_diff, moves_secrets, set_apart
from dreamd.agents.told_changes import SCOPE, Record, commit_message, read_record, tell_changes, write_record
from dreamd.core import fsio, locks
from dreamd.core.clock import SystemClock, iso, local_date, parse_instant
from dreamd.core.errors import DreamError, Refused, UsageError
from dreamd.core.locks import Owner
from dreamd.core.plain_words.evidence_words import all_in_words, each_text
from dreamd.core.values import Relation, content_id
from dreamd.dream.phases.compare import Vectors, find_partners
from dreamd.judge import Pair, Statement
from dreamd.kit import Kit, exclusions
from dreamd.notes import (
    AttachPlan,
    AttachRules,
    Dialect,
    Entry,
    EntryKind,
    IndexLimits,
    JudgedPair,
    account,
    apply_edits,
    can_meet,
    detect_dialect,
    plan_attach,
    read_entries,
)
from dreamd.store import journal, work
from dreamd.store.connection import Store
from dreamd.store.journal import Run
from dreamd.text.redaction import redact

KIND = journal.ATTACH
META = "attached"
MOST_NAMED = 5
_DAY_NOTE = re.compile(r" ?\((?:\w+ )?\d{4}-\d\d-\d\d\)$")
"""The day an entry carries at its end; the judge is told it as a time, not as words."""
LONGEST_JUDGED = 600
"""Longest text that is judged as one statement; longer ones merge only word for word."""


@dataclass(frozen=True)
class Attachment:
    """A directory dream keeps in order. `settled` names the state in which there was nothing left to do."""

    path: str
    dialect: Dialect
    commit: bool = False
    settled: str = ""


@dataclass(frozen=True)
class DirectoryPlan:
    """What a dream would do to a directory: before, after, and every edit with its reason."""

    dialect: Dialect
    before: ForeignFiles
    after: dict[str, str]
    plan: AttachPlan
    settled: str

    @property
    def changed(self) -> list[str]:
        """Names of files that would change, come or go."""
        names = {*self.before.texts, *self.after}
        return sorted(n for n in names if self.before.texts.get(n) != self.after.get(n))

    @property
    def diff(self) -> str:
        """The change as a unified diff, secrets masked."""
        return masked_diff(self.before.texts, self.after, self.changed)

    def told(self) -> Record:
        """What a person is told of it."""
        return tell_changes(str(self.before.root), self.plan.edits, self.changed, self.diff)


@dataclass(frozen=True)
class Carried:
    """How it went: the run to undo it by, the files, the commit where one was wanted."""

    run: str
    files: tuple[str, ...]
    archived: int
    commit: str = ""
    warnings: tuple[str, ...] = ()
    told: Record = Record()
    waiting: int = 0
    """Entries past the share that one dream may take out."""


def load_attachments(store: Store) -> list[Attachment]:
    """Every attached directory, by path."""
    rows = json.loads(store.meta(META) or "[]")
    return [Attachment(r["path"], Dialect(r["dialect"]), bool(r["commit"]), str(r["settled"])) for r in rows]


def attach(kit: Kit, directory: Path, *, dialect: Dialect | None = None, commit: bool = False) -> Attachment:
    """Remember a directory; nothing in it is touched yet.

    Raises UsageError when its dialect cannot be told, Refused for a place that dream must not tend.
    """
    root = foreign_dir.find_root(directory, kit.paths.home, exclusions(kit.world).has_path)
    chosen = dialect or _dialect_of(_read(kit, root))
    known = {a.path: a for a in load_attachments(kit.store)}
    before = known.get(str(root))
    settled = before.settled if before and before.dialect is chosen else ""
    known[str(root)] = Attachment(str(root), chosen, commit, settled)
    _remember(kit, list(known.values()))
    return known[str(root)]


def detach(kit: Kit, directory: Path) -> bool:
    """Leave a directory alone from now on; what is in it stays as it is. False when it was not attached."""
    path = str(directory.absolute())
    known = load_attachments(kit.store)
    left = [a for a in known if a.path not in (path, str(directory.resolve()))]
    if len(left) < len(known):
        _remember(kit, left)
    return len(left) < len(known)


def plan_directory(kit: Kit, directory: Path, *, dialect: Dialect | None = None, allow_large_change: bool = False,
                   ) -> DirectoryPlan:
    """Read a directory, judge its entries and say what would change. Touches nothing.

    Raises Refused for a place that dream must not tend, Locked while the agent itself is at work, Outage without a model.
    """
    root = foreign_dir.find_root(directory, kit.paths.home, exclusions(kit.world).has_path)
    foreign_dir.check_agent_lock(root, SystemClock().now())
    files = _read(kit, root)
    known = next((a for a in load_attachments(kit.store) if a.path == str(root)), None)
    chosen = dialect or (known.dialect if known else _dialect_of(files))
    today = local_date(kit.clock.now(), kit.zone)
    settled = _fingerprint(files.texts, chosen, today)
    if known and known.settled == settled:
        return DirectoryPlan(chosen, files, dict(files.texts), AttachPlan(), settled)
    apart = set_apart(read_entries(files.texts, chosen), files.texts)
    rules = AttachRules(today, chosen, allow_large_change=allow_large_change, present=files.present | apart.files)
    plan = plan_attach(apart.entries, _judged(kit, apart.entries), rules=rules)
    plan = replace(plan, warnings=(*plan.warnings, *apart.warnings))
    limits = kit.settings.index
    after = apply_edits(files.texts, plan.edits, dialect=chosen, limits=IndexLimits(
        limits.max_lines, limits.max_kib * 1000, limits.aim_lines))
    if moves_secrets(files.texts, after):
        plan, after = AttachPlan(warnings=plan.warnings, waiting=plan.waiting), dict(files.texts)
    missing = account(files.texts, after, archive=plan.archived, dialect=chosen)
    if missing:
        raise DreamError(f"{len(missing)} entries of `{root}` would be lost; nothing was changed",
                         hint="this is a fault of dream; please report it")
    # What waits for the next dream is not settled: it is looked at and told again.
    return DirectoryPlan(chosen, files, after, plan, "" if plan.waiting else _fingerprint(after, chosen, today))


def carry_out(kit: Kit, planned: DirectoryPlan, *, commit: bool = False) -> Carried:
    """Do what was planned: backup, journal, files, and a commit where asked for.

    Raises Refused when the directory has changed since, Locked while the agent or another dream is at work.
    """
    root = planned.before.root
    with locks.hold_dream(kit.paths.locks, Owner("dream attach", kit.clock.now())):
        warnings = [*planned.plan.warnings, *_finish_interrupted(kit)]
        foreign_dir.check_agent_lock(root, SystemClock().now())
        if dict(_read(kit, root).texts) != dict(planned.before.texts):
            raise Refused(f"`{root}` has changed since the plan was made", hint="run it again")
        if not planned.changed:
            _settle(kit, root, planned.settled)
            return Carried("", (), 0, warnings=tuple(warnings), waiting=len(planned.plan.waiting))
        blocked = foreign_dir.why_not_commit(root, planned.changed) if commit else ""
        kit.kind, kit.run = KIND, None  # a run of its own, also where one kit tends several directories
        run = kit.begin()
        manifest = _write_backup(kit, run, planned)
        _write_journal(kit, run, planned)
        warnings += _write_files(kit, manifest)
        _settle(kit, root, planned.settled)
        made = ""
        if commit:
            message = commit_message(len(planned.plan.edits), len(planned.changed))
            made, blocked = foreign_dir.try_commit(root, planned.changed, blocked, message=message)
            _shelf(kit).mark(manifest, DONE, commit=made)
        warnings += [f"no commit was made: {blocked}"] if blocked else []
        kit.end(f"changed in an attached directory: {', '.join(planned.changed[:MOST_NAMED])}", warnings)
        _shelf(kit).drop_old()
    return Carried(run.id, tuple(planned.changed), len(planned.plan.archived), made, tuple(warnings), planned.told(),
                   len(planned.plan.waiting))


def load_told(kit: Kit, run_id: str) -> Record:
    """What a run changed in an attached directory, in words."""
    return read_record(_shelf(kit).place(run_id))


@dataclass(frozen=True)
class TakenBack:
    """How many files are as before a run, and the commit that says so, or why none does, where the run had made one."""

    files: int
    commit: str = ""
    blocked: str = ""


def undo(kit: Kit, run_id: str) -> TakenBack:
    """Put the files of an attached directory back as they were before a run, with a commit where the run made one.

    Raises StoreMissing for a run without a backup, Refused when a file has changed since.
    """
    run = journal.load_run(kit.store, run_id)
    if run.undone_by:
        raise Refused("that run is taken back already")
    manifest = _shelf(kit).load(run.id)
    root = Path(manifest.root)
    with locks.hold_dream(kit.paths.locks, Owner("dream undo", kit.clock.now())):
        foreign_dir.check_agent_lock(root, SystemClock().now())
        moved = [f.name for f in manifest.files if foreign_dir.sha_of(root, f.name) not in (f.after, f.before)]
        if moved:
            raise Refused(f"changed since that run: {', '.join(f'`{name}`' for name in moved[:5])}",
                          hint=f"the files as they were lie in `{_shelf(kit).place(run.id)}`")
        names = [f.name for f in manifest.files]
        blocked = foreign_dir.why_not_commit(root, names) if manifest.commit else ""
        kit.kind, kit.run = "undo", None
        mine = kit.begin()
        for file in manifest.files:
            body = _shelf(kit).body(run.id, file.before, foreign_dir.bytes_of(root, file.name))
            if not foreign_dir.replace_file(root, file.name, body=body, base_sha=file.after, mode=file.mode):
                raise Refused(f"`{file.name}` changed while it was put back", hint="run it again")
        with kit.writing() as tx:
            journal.mark_undone(tx, run.seq, by=mine.seq)
        _shelf(kit).mark(manifest, UNDONE)
        texts = _read(kit, root).texts
        _settle(kit, root, _fingerprint(texts, Dialect(manifest.dialect), local_date(kit.clock.now(), kit.zone)))
        made = ""
        if manifest.commit:
            message = f"Take back {manifest.commit[:12]}: memory as it was before"
            made, blocked = foreign_dir.try_commit(root, names, blocked, message=message)
        kit.end(f"took back {run.id}", [f"no commit was made: {blocked}"] if blocked else [])
    return TakenBack(len(manifest.files), made, blocked)


def forget(kit: Kit, statements: Sequence[str]) -> list[str]:
    """Drop backups of attached directories that hold what a person wants forgotten; the runs they belonged to."""
    return _shelf(kit).drop_saying(statements)


def recover(kit: Kit) -> list[str]:
    """Finish what killed runs had begun to write, before anything is planned; mostly there is nothing.

    Raises Locked while another dream is at work.
    """
    if not _shelf(kit).runs():
        return []
    with locks.hold_dream(kit.paths.locks, Owner("dream attach", kit.clock.now())):
        return _finish_interrupted(kit)


def _finish_interrupted(kit: Kit) -> list[str]:
    """Finish interrupted runs; files somebody changed meanwhile stay as they are."""
    warnings: list[str] = []
    for run in _shelf(kit).runs():
        try:
            manifest = _shelf(kit).load(run)
        except DreamError as error:
            warnings.append(error.message)
            continue
        if manifest.state == PLANNED:
            foreign_dir.sweep(Path(manifest.root))
            warnings += _write_files(kit, manifest)
    return warnings


def _read(kit: Kit, root: Path) -> ForeignFiles:
    return foreign_dir.read_foreign(root, exclusions(kit.world).has_path)


def _dialect_of(files: ForeignFiles) -> Dialect:
    found = detect_dialect(files.texts)
    if found is Dialect.GENERIC:
        raise UsageError(f"cannot tell whose memory directory `{files.root}` is",
                         hint=f"say it with `--dialect`, one of {', '.join(d.value for d in Dialect)}")
    return found


def _fingerprint(texts: Mapping[str, str], dialect: Dialect, today: str) -> str:
    """The state of a directory on a day; another day matters only where something can expire."""
    dated = any("TTL:" in text for text in texts.values())
    shas = [f"{name} {fsio.sha256_bytes(foreign_dir.encode(text))}" for name, text in sorted(texts.items())]
    return content_id("directory", dialect.value, today if dated else "", *shas, size=32)


def _judged(kit: Kit, entries: Sequence[Entry]) -> list[JudgedPair]:
    """Relations of the entries that may meet: near in meaning, under one heading, short enough to be one claim."""
    asked = [e for e in entries if e.kind is EntryKind.ENTRY and e.editable and len(e.text) <= LONGEST_JUDGED]
    if len(asked) < 2:
        return []
    words = {e.id: _DAY_NOTE.sub("", " ".join(e.text.split())) for e in asked}
    texts = sorted(set(words.values()))
    vectors = Vectors(dict(zip(texts, kit.load_embedder(len(texts)).embed(texts), strict=True)))
    rules = kit.settings.consolidate
    partners = find_partners(texts, texts, vectors, k=rules.neighbours, floor=rules.neighbour_floor)
    by_words: dict[str, list[Entry]] = {}
    for entry in asked:
        by_words.setdefault(words[entry.id], []).append(entry)
    pairs = [(a, b) for text, near in sorted(partners.items()) for other in near if text < other
             for a in by_words[text] for b in by_words[other] if can_meet(a, b)]
    said_of = {e.id: Statement(words[e.id], _moment(e.dated)) for e in asked}
    asking = [Pair(said_of[a.id], said_of[b.id], vectors.similarity(words[a.id], words[b.id])) for a, b in pairs]
    verdicts = kit.load_judge().judge_all(asking, progress=lambda done, of: kit.progress("judge", done, of))
    return [JudgedPair(a.id, b.id, said) for (a, b), said in zip(pairs, verdicts, strict=True)
            if said.relation not in (Relation.UNRELATED, Relation.RELATED)]


def _moment(day: str) -> datetime | None:
    try:
        return parse_instant(day) if day else None
    except UsageError:
        return None


def _shelf(kit: Kit) -> Shelf:
    """Backups, archive and manifests of attached directories."""
    return Shelf(kit.paths.home / "attached")


def _write_backup(kit: Kit, run: Run, planned: DirectoryPlan) -> Manifest:
    files = []
    pairs: list[tuple[bytes | None, bytes | None]] = []
    for name in planned.changed:
        old, new = (None if text is None else foreign_dir.encode(text)
                    for text in (planned.before.texts.get(name), planned.after.get(name)))
        shas = [None if body is None else fsio.sha256_bytes(body) for body in (old, new)]
        pairs.append((old, new))
        files.append(FileChange(name, shas[0], shas[1], planned.before.modes.get(name, _usual_mode(planned.before))))
    rows = [{"file": e.entry.file, "text": e.entry.text, "title": e.entry.title, "action": e.action, "reason": e.reason,
             "evidence": all_in_words(e.evidence), "successor": e.successor} for e in planned.plan.edits if e.archives]
    archive = "".join(json.dumps(row) + "\n" for row in rows).encode()
    manifest = Manifest(run.id, str(planned.before.root), planned.dialect.value, iso(kit.clock.now()), PLANNED, tuple(files))
    write_record(_shelf(kit).place(run.id), planned.told())
    _shelf(kit).store(manifest, pairs, archive=archive)
    return manifest


def _usual_mode(files: ForeignFiles) -> int:
    return next((mode for name, mode in sorted(files.modes.items()) if name.lower() == "memory.md"), 0o600)


def _write_journal(kit: Kit, run: Run, planned: DirectoryPlan) -> None:
    with kit.writing() as tx:
        for edit in planned.plan.edits:
            # evidence may quote a word of the directory, and nobody has looked for secrets in there yet
            evidence = each_text(edit.evidence, lambda said: redact(said).text)
            journal.write_entry(tx, journal.Entry(
                run.seq, 0, edit.action.value, edit.entry.id, SCOPE, edit.reason, evidence, None, None))


def _write_files(kit: Kit, manifest: Manifest) -> list[str]:
    """Write what comes or changes first and remove last, so that no words are nowhere in between."""
    warnings = []
    for file in sorted(manifest.files, key=lambda f: f.after is None):
        present = foreign_dir.bytes_of(Path(manifest.root), file.name)
        if present is not None and fsio.sha256_bytes(present) not in (file.before, file.after):
            warnings.append(f"`{file.name}` was changed meanwhile; it stays as it is")
            continue
        body = _shelf(kit).body(manifest.run, file.after, present)
        if not foreign_dir.replace_file(Path(manifest.root), file.name, body=body, base_sha=file.before, mode=file.mode):
            warnings.append(f"`{file.name}` was changed meanwhile; it stays as it is")
    _shelf(kit).mark(manifest, DONE)
    return warnings


def _settle(kit: Kit, root: Path, settled: str) -> None:
    known = load_attachments(kit.store)
    fresh = [replace(a, settled=settled) if a.path == str(root) else a for a in known]
    if fresh != known:
        _remember(kit, fresh)


def _remember(kit: Kit, attachments: Sequence[Attachment]) -> None:
    rows = [asdict(a) for a in sorted(attachments, key=lambda a: a.path)]
    with kit.background.batch(), kit.store.writing() as tx:
        work.write_meta(tx, META, json.dumps(rows))
