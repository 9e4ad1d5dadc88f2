"""An audit of a place that is not ours: an agent's memory directory, a `CLAUDE.md` or `AGENTS.md`, a repository with them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path, PurePosixPath

from dreamd.agents import foreign_dir
from dreamd.agents.auditing.alike import Spoken, compare
from dreamd.agents.auditing.findings import Audited, Finding, Kind, Loaded, Place, in_order, shown
from dreamd.agents.guarding.foreign_secrets import lines_with_secrets, set_apart
from dreamd.core import fsio
from dreamd.core.clock import local_date, parse_instant
from dreamd.core.errors import DreamError, Refused
from dreamd.core.values import MemoryClass, Origin
from dreamd.dream.scopes.instructions import says_already
from dreamd.extraction import gate
from dreamd.kit import Kit, exclusions
from dreamd.notes import SECTIONS, Dialect, Entry, EntryKind, can_meet, detect_dialect, is_instruction_file, read_entries
from dreamd.recall.clues import find_missing_symbols, look_for_paths, names_below
from dreamd.sources.decisions.decision_folder import findings_in
from dreamd.sources.decisions.record_folders import folders_below, holds_records
from dreamd.text.injection import looks_like_injection, orders_a_breach, wears_a_role
from dreamd.text.redaction import redact

MEMORY_PLACES = ("memory", ".claude/memory", ".claude/agent-memory")
"""Where memories lie in a repository, beside its instruction files."""
OWN_WORDS = ("README.md", "README.rst", "README", "CONTRIBUTING.md")
"""What a repository says itself, beside its instruction files."""
OF_HARNESSES = frozenset({".claude", ".codex", ".openclaw", ".hermes"})
"""Below these in a person's home nothing tells which repository a memory speaks of."""
MOST_ALL_GONE = 5
"""Outside a work tree, where not one of more paths is there, the place is not the one that they were written for."""
ALWAYS_LOADED = frozenset({"memory.md", "memory_summary.md", "user.md"})


@dataclass(frozen=True)
class _Scene:
    """What was read of a place, and where what it names is looked for."""

    here: Path
    texts: Mapping[str, str]
    entries: tuple[Entry, ...]
    tree: Path | None
    bases: tuple[Path | None, ...]
    places: dict[tuple[str, int], Place] = field(default_factory=dict)
    """Where entries stand that were named already: an entry may be part of many findings."""

    def place(self, entry: Entry) -> Place:
        """Where an entry stands."""
        key = (entry.file, entry.core_start)
        if key not in self.places:
            line = self.texts[entry.file].count("\n", 0, entry.core_start) + 1
            self.places[key] = Place(entry.file, line, text=shown(entry.text))
        return self.places[key]


def audit_place(kit: Kit, place: Path, *, root: Path | None = None) -> Audited:
    """Look at a directory or one file of memories; `root` is the repository that its paths are meant in.

    Raises DreamError when it cannot be read or holds nothing of the kind, Outage without the model.
    """
    texts, here = _read(kit, place)
    rows = [e for part in _apart(texts, in_tree=not (here / "MEMORY.md").exists() and (here / ".git").exists())
            for e in _entries(part, texts)]
    tree = root or next((folder for folder in (here, *here.parents) if (folder / ".git").exists()), None)
    held = {name: lines_with_secrets(text) for name, text in texts.items()}
    rows = [e for e in rows if e.claims and e.text.strip("`~ \n")]
    kept = tuple(set_apart(rows, texts, lines=held).entries)
    scene = _Scene(here, texts, kept, tree, _bases(here, tree, root))
    found = [*_secrets(texts, held), *_orders(scene), *_gone(scene), *_past(kit, scene), *_compared(kit, scene),
             *_derivable(scene), *_of_records(kit, scene), *_overfull(kit, scene), *_unclassified(scene)]
    untold = ["paths relative to a repository: nothing tells which one; name it with `--root DIR`"] * (None in scene.bases)
    return Audited(str(place), len(rows), in_order(found), tuple(_loaded(kit, place, texts)),
                   (*untold, "changes over time and use: only dream's own memory knows them"))


def _read(kit: Kit, place: Path) -> tuple[dict[str, str], Path]:
    kept_out = exclusions(kit.world).has_path
    if place.is_symlink() and place.is_file():
        place = place.resolve()
    if place.is_dir():
        root = place.resolve()
        if (root / ".git").exists() and not (root / "MEMORY.md").exists():
            texts = _of_repository(root, kept_out)
        else:
            texts = dict(foreign_dir.read_foreign(root, kept_out).texts)
        if not texts and not folders_below(root) and not holds_records(root):
            raise DreamError(f"there is no memory in `{place}`", hint="name an instruction file or a memory directory")
        return texts, root
    if kept_out(place.absolute()):
        raise Refused(f"`{place}` is kept from being read, by `sources.exclude` or a `.dreamignore`")
    try:
        body = fsio.read_bytes(place, limit_bytes=foreign_dir.LARGEST_FILE_BYTES)
    except FileNotFoundError:
        raise DreamError(f"there is nothing at `{place}`") from None
    if b"\0" in body:
        raise DreamError(f"`{place}` is no text")
    return {place.name: foreign_dir.decode(body)}, place.resolve().parent


def _of_repository(root: Path, kept_out: Callable[[Path], bool]) -> dict[str, str]:
    texts: dict[str, str] = {}
    for path in foreign_dir.find_instruction_files(root):
        if not kept_out(path):
            body = fsio.read_bytes(path, limit_bytes=foreign_dir.LARGEST_FILE_BYTES)
            texts[path.relative_to(root).as_posix()] = foreign_dir.decode(body)
    for folder in MEMORY_PLACES:
        if (root / folder).is_dir():
            found = foreign_dir.read_foreign(root / folder, kept_out).texts
            texts.update({f"{folder}/{name}": text for name, text in found.items()})
    return texts


def _apart(texts: Mapping[str, str], *, in_tree: bool) -> list[tuple[str, list[str]]]:
    """Each instruction file by itself, for each agent reads its own; the memories of one folder together, below its name."""
    parts: dict[tuple[str, str], list[str]] = {}
    for name in texts:
        folder = next((f"{folder}/" for folder in MEMORY_PLACES if in_tree and name.startswith(f"{folder}/")), "")
        parts.setdefault((folder, name if is_instruction_file(name) else ""), []).append(name)
    return [(folder, names) for (folder, _), names in parts.items()]


def _entries(part: tuple[str, list[str]], texts: Mapping[str, str]) -> list[Entry]:
    folder, names = part
    some = {name.removeprefix(folder): texts[name] for name in names}
    dialect = Dialect.GENERIC if all(map(is_instruction_file, names)) else detect_dialect(some)
    return [replace(e, file=f"{folder}{e.file}") for e in read_entries(some, dialect)]


def _bases(here: Path, tree: Path | None, root: Path | None) -> tuple[Path | None, ...]:
    if root is not None:
        return (root,)
    if tree is not None:
        return tuple(dict.fromkeys((here, tree)))
    return (None,) if OF_HARNESSES.intersection(here.parts) else (here, here.parent)


def _secrets(texts: Mapping[str, str], lines: Mapping[str, frozenset[str]]) -> Iterator[Finding]:
    """Lines with secrets, one finding for lines that follow each other; their words are never shown."""
    for name, text in texts.items():
        held, before = lines[name], -1
        for n, line in enumerate(text.splitlines(), 1):
            if line not in held or not line.strip():
                continue
            if n != before + 1:
                kinds = ", ".join(dict.fromkeys(redact(line).masks)) or "part of a longer one"
                yield Finding(Kind.SECRET, (Place(name, n),), f"a secret in plain text ({kinds})",
                              "take it out, keep it where secrets are kept, and change it: it was read with every session")
            before = n


def _orders(scene: _Scene) -> Iterator[Finding]:
    for entry in scene.entries:
        mine = is_instruction_file(entry.file)  # an owner may order; nobody may order to drop the rules
        if orders_a_breach(entry.text) if mine else looks_like_injection(entry.text) or wears_a_role(entry.text):
            yield Finding(Kind.ORDER, (scene.place(entry),), "commands whoever reads it",
                          "take it out, unless you wrote it yourself")


def _gone(scene: _Scene) -> Iterator[Finding]:
    told: dict[str, list[Entry]] = {}
    found_any, names = False, cache(names_below)
    for entry in scene.entries:
        there: dict[str, bool] = {}
        if not entry.text.startswith(("```", "~~~")):
            for base in scene.bases:
                for name, is_there in look_for_paths(entry.text, base, names=names):
                    there[name] = there.get(name, False) or is_there
        found_any = found_any or any(there.values())
        if entry.kind is EntryKind.POINTER and "://" not in entry.target and not entry.target.startswith("#"):
            folder, target = (scene.here / entry.file).parent, entry.target.partition("#")[0]
            there[target] = any((base / target).exists() for base in (folder, *filter(None, scene.bases)))
        for name in (name for name, is_there in there.items() if not is_there):
            told.setdefault(name, []).append(entry)
    if scene.tree is None and not found_any and len(told) > MOST_ALL_GONE:
        return  # a copy of a memory, away from what it speaks of: nothing tells what is gone there
    for name, entries in told.items():
        yield Finding(Kind.GONE, tuple(map(scene.place, entries)), f"`{name}` is not there",
                      "name what is there now, or take it out")
    if scene.tree is not None:
        for entry, gone in zip(scene.entries, find_missing_symbols([e.text for e in scene.entries], scene.tree), strict=True):
            if gone:
                yield Finding(Kind.GONE, (scene.place(entry),), "names a function that is nowhere in the repository",
                              "name what is there now, or take it out")


def _past(kit: Kit, scene: _Scene) -> Iterator[Finding]:
    now = kit.clock.now()
    today = local_date(now, kit.zone)
    for entry in scene.entries:
        ends = entry.ttl
        if not ends and not entry.whole_file:
            said = gate(entry.text, origin=Origin.IMPORT, at=_said_at(scene, entry) or now, zone=kit.zone)
            ends = said.ttl or "" if said.memory_class is MemoryClass.STATE else ""
        if "" < ends < today:
            yield Finding(Kind.PAST, (scene.place(entry),), f"held until {ends}", "take it out")


def _said_at(scene: _Scene, entry: Entry) -> datetime | None:
    with suppress(DreamError):
        if entry.dated:
            return parse_instant(entry.dated)
    with suppress(OSError):
        return datetime.fromtimestamp((scene.here / entry.file).stat().st_mtime, UTC)
    return None


def _compared(kit: Kit, scene: _Scene) -> Iterator[Finding]:
    read = {scene.here / name for name in scene.texts}
    # A line of an index that leads to a topic says what the topic says: that one is compared.
    asked = [e for e in scene.entries
             if e.kind is EntryKind.ENTRY or (scene.here / e.file).parent / e.target not in read]
    dated = [(e, _day(e)) for e in asked]

    def meet(a: int, b: int) -> bool:
        one, other = asked[a], asked[b]
        return _part(one) == _part(other) and can_meet(one, other)

    told = compare(kit, [Spoken(" ".join(e.text.split()), at) for e, at in dated], meet)
    for group in told.groups:
        yield Finding(Kind.ALIKE, tuple(scene.place(asked[n]) for n in group), f"{len(group)} wordings of one thing",
                      "keep the one that says most and take the others out")
    for a, b in told.clashes:
        yield Finding(Kind.CONTRADICTION, (scene.place(asked[a]), scene.place(asked[b])), "these cannot both hold",
                      "keep the one that is true")


def _part(entry: Entry) -> str:
    return entry.file if is_instruction_file(entry.file) else ""


def _day(entry: Entry) -> datetime | None:
    with suppress(DreamError):
        return parse_instant(entry.dated) if entry.dated else None
    return None


def _derivable(scene: _Scene) -> Iterator[Finding]:
    lines = own_words(scene.tree, besides=[scene.here / name for name in scene.texts]) if scene.tree else {}
    for entry in scene.entries:
        name = next((name for name, said in lines.items() if says_already(entry.text, said)), "")
        if name and not entry.whole_file:
            yield Finding(Kind.DERIVABLE, (scene.place(entry),), f"`{name}` says it already", "take it out: it is read there")


def own_words(tree: Path, besides: Sequence[Path] = ()) -> dict[str, list[str]]:
    """What a repository says itself, line by line, by the file that says it."""
    found: dict[str, list[str]] = {}
    for path in (*(tree / name for name in OWN_WORDS), *foreign_dir.find_instruction_files(tree)):
        if path in besides or path.is_symlink():
            continue
        with suppress(DreamError, OSError):
            text = fsio.read_bytes(path, limit_bytes=foreign_dir.LARGEST_FILE_BYTES).decode("utf-8", "replace")
            found[path.relative_to(tree).as_posix()] = [line for line in text.splitlines() if line.strip()]
    return found


def _of_records(kit: Kit, scene: _Scene) -> Iterator[Finding]:
    """What in the decision records of a repository, or of a directory with nothing else, cannot be right."""
    kept_out = exclusions(kit.world).has_path
    looked = scene.here == scene.tree or not scene.texts or holds_records(scene.here)
    for folder in folders_below(scene.here) if looked else ():
        if not kept_out(folder):
            yield from about_records(folder, folder.relative_to(scene.here).as_posix())


def about_records(folder: Path, name: str) -> Iterator[Finding]:
    """A circle, a number used twice, a status nobody knows, in one folder or log of records."""
    above = PurePosixPath(name) if folder.is_dir() else PurePosixPath(name).parent
    for one in findings_in(folder):
        yield Finding(Kind.RECORD, tuple(Place(str(above / file)) for file in one.files), redact(one.told()).text,
                      "put the record right; until then it waits or counts as it stands")


def _overfull(kit: Kit, scene: _Scene) -> Iterator[Finding]:
    most = fullest(kit)
    sections = Counter((e.file, e.section) for e in scene.entries if not e.whole_file)
    for (file, section), count in sections.items():
        if count > most:
            yield Finding(Kind.OVERFULL, (Place(file),), f"{count} entries under `{shown(section)}`, more than {most}",
                          "move what is seldom needed into a file of its own")
    limits = kit.settings.index
    for name, text in scene.texts.items():
        lines, size = text.count("\n") + 1, len(foreign_dir.encode(text))
        if name.rpartition("/")[2].lower() == "memory.md" and (lines > limits.max_lines or size > limits.max_kib * 1000):
            yield Finding(Kind.OVERFULL, (Place(name),), f"{lines} lines and {size:,} bytes: agents read "
                          f"{limits.max_lines} lines and {limits.max_kib} kB of an index",
                          "move what is seldom needed into topic files")


def fullest(kit: Kit) -> int:
    """How many entries one category may hold when all of them share an index fairly."""
    return kit.settings.index.max_lines // len(SECTIONS)


def _unclassified(scene: _Scene) -> Iterator[Finding]:
    if any(e.whole_file and e.type for e in scene.entries):  # nobody classes anything where nothing is classed
        for entry in scene.entries:
            if entry.whole_file and not entry.type:
                yield Finding(Kind.UNCLASSIFIED, (scene.place(entry),), "its frontmatter names no type",
                              "add `type: user`, `feedback`, `project` or `reference`")


def _loaded(kit: Kit, place: Path, texts: Mapping[str, str]) -> Iterator[Loaded]:
    limits = kit.settings.index
    for name, text in texts.items():
        base = name.rpartition("/")[2].lower()
        if is_instruction_file(name) or place.is_file():
            yield Loaded(name, len(foreign_dir.encode(text)))
        elif base in ALWAYS_LOADED:
            first = "".join(text.splitlines(keepends=True)[:limits.max_lines])
            yield Loaded(name, min(len(foreign_dir.encode(first)), limits.max_kib * 1000))
