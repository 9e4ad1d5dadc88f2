"""What a folder of decision records says as a whole: which record took whose place, and what in it cannot be right. Pure."""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from urllib.parse import unquote

from dreamd.sources.decisions.record_reading import Record, whole
from dreamd.sources.decisions.record_words import Standing, plain

CYCLE, TWICE, UNKNOWN = "cycle", "number-twice", "unknown-status"
_PATH = re.compile(r"(?:(?<=<)[^<>\n]+|[\w./%~-]*[\w%-])\.(?:md|markdown|mdx|adoc|asciidoc|rst|org|txt|html)\b", re.IGNORECASE)
_NUMBER = re.compile(r"(?<![\w./])(?:(?P<prefix>[^\W\d_][\w-]*?)[-_ #]*)?#?(?<![.\d])"
                     r"(?P<number>(?:(?:19|20)\d\d[-_.])?\d{1,7})(?![\w]|\.\d)")
_URL = re.compile(r"https?://\S+?(?=[\s)>\]]|$)")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}|\(\s*(?:on\s+)?\d{1,2}[^()]*\d{4}\s*\)")
_ALONE = re.compile(r"(?i)\W*(?:(?:adrs?|decisions?|records?|rfc|dr|no\.?|nr\.?|number|and|und|et|y|e)[\W_]*"
                    r"|\d{1,7}(?=\W|$)[\W_]*)+")
_KINDS = frozenset({"adr", "adrs", "madr", "decision", "record", "rfc", "dr", "no", "nr", "number", "decisions"})
_TAKES_OVER = frozenset({Standing.ACCEPTED, Standing.UNSTATED, Standing.SUPERSEDED, Standing.DEPRECATED})
"""In which standings a record ends what it says it supersedes: what is only proposed ends nothing."""


@dataclass(frozen=True)
class Finding:
    """Something in a folder of records that cannot be right."""

    reason: str
    files: tuple[str, ...]
    detail: str = ""

    def told(self) -> str:
        """The same in words."""
        files = ", ".join(f"`{name}`" for name in self.files)
        return {CYCLE: f"decision records supersede each other in a circle: {files}",
                TWICE: f"the number {self.detail} is used by several decision records: {files}",
                UNKNOWN: f"the decision record {files} has a status nobody knows: `{self.detail}`; it waits"}[self.reason]


@dataclass(frozen=True)
class Chain:
    """A folder of records with what follows from all of them together."""

    records: Sequence[Record]
    successors: dict[str, tuple[Record, ...]] = field(default_factory=dict)
    """By file the records that took the place of one, the first of them first."""
    findings: tuple[Finding, ...] = ()

    def standing(self, record: Record) -> Standing:
        """What became of a decision, by its own record and by those after it."""
        return Standing.SUPERSEDED if self.successors.get(record.path) else record.standing


def chain(records: Sequence[Record]) -> Chain:
    """Join what each record says of the others; a supersession counts whichever of the two tells it."""
    book = _Book(records)
    after: dict[str, dict[str, Record]] = defaultdict(dict)
    for one in records:
        for other in book.named(one.superseded_by, one):
            after[one.path].setdefault(other.path, other)
    for one in records:
        if one.standing in _TAKES_OVER:
            for other in book.named(one.supersedes, one):
                if other.standing is not Standing.REJECTED:
                    after[other.path].setdefault(one.path, one)
    round_about = _circles({path: list(others) for path, others in after.items()})
    inside = {path for circle in round_about for path in circle}
    successors = {path: tuple(others.values()) for path, others in after.items() if path not in inside and others}
    findings = [*(Finding(CYCLE, circle) for circle in round_about), *book.twice(),
                *(Finding(UNKNOWN, (one.path,), one.said) for one in records if one.standing is Standing.UNKNOWN)]
    return Chain(records, successors, tuple(findings))


class _Book:
    """Records by everything that may name them."""

    def __init__(self, records: Sequence[Record]) -> None:
        self._by_path = {one.path.casefold(): one for one in records}
        self._by_stem: dict[str, list[Record]] = defaultdict(list)
        self._by_number: dict[int, list[Record]] = defaultdict(list)
        self._by_title: dict[str, list[Record]] = defaultdict(list)
        self._prefixes = {one.prefix for one in records} | {part for one in records for part in one.prefix.split("-")}
        for one in records:
            self._by_stem[_stem(one.path)].append(one)
            self._by_title[_bare(one.title)].append(one)
            if one.number is not None:
                self._by_number[one.number].append(one)

    def named(self, phrases: Sequence[str], by: Record) -> list[Record]:
        """The records that some words name, seen from one of them, which never names itself."""
        found: dict[str, Record] = {}
        for phrase in phrases:
            for one in self._in(phrase, by):
                if one.path != by.path:
                    found[one.path] = one
        return list(found.values())

    def _in(self, phrase: str, by: Record) -> Iterator[Record]:
        paths = [one for match in _PATH.finditer(unquote(phrase)) if (one := self._at(match[0], by))]
        if paths:
            yield from paths
            return
        words = _URL.sub(" ", phrase)
        stems = [one for word in re.findall(r"[\w.-]{4,}", unquote(words)) for one in self._by_stem.get(word.casefold(), ())]
        if stems:
            yield from stems
            return
        titled = self._by_title.get(_bare(plain(words)))
        if titled:
            yield from titled[:1]
            return
        words = _DAY.sub(" ", plain(words))
        alone = _ALONE.fullmatch(words) is not None or re.match(r"\W*\d{1,7}\W*[.:–—-]\s", words) is not None
        for match in _NUMBER.finditer(words):
            prefix = (match["prefix"] or "").casefold().strip("-_ ")
            if (prefix or not alone) and prefix not in _KINDS | self._prefixes and not match[0].startswith("#"):
                continue
            one = self._numbered(whole(match["number"]), prefix, by)
            if one is not None:
                yield one
            alone = alone and _ALONE.fullmatch(words) is not None

    def _at(self, path: str, by: Record) -> Record | None:
        """The record at a path as a link has it, from the file it stands in, from the folder, or by its name alone."""
        here = posixpath.normpath(posixpath.join(posixpath.dirname(by.path), path)).casefold()
        same = self._by_stem.get(_stem(path), [])
        return self._by_path.get(here) or self._by_path.get(posixpath.normpath(path).casefold()) or (
            same[0] if len(same) == 1 else None)

    def _numbered(self, number: int, prefix: str, by: Record) -> Record | None:
        found = [one for one in self._by_number.get(number, ()) if one.path != by.path]
        folder = posixpath.dirname(by.path)
        beside = [one for one in found if posixpath.dirname(one.path) == folder]
        named, alike = ([one for one in found if prefix and one.prefix == prefix],
                        [one for one in beside if one.prefix == by.prefix])
        for fits in (named, alike, beside, found):
            if fits:
                return fits[0] if len(fits) == 1 else None
        return None

    def twice(self) -> Iterator[Finding]:
        """Numbers that several records of one folder and prefix have."""
        for number, some in sorted(self._by_number.items()):
            beside: dict[tuple[str, str], list[Record]] = defaultdict(list)
            for one in some:
                beside[posixpath.dirname(one.path), one.prefix].append(one)
            for same in beside.values():
                if len(same) > 1:
                    yield Finding(TWICE, tuple(one.path for one in same), str(number))


def _stem(path: str) -> str:
    """The name of a page, or of the heading in it."""
    page, _, heading = path.casefold().partition(".md#")
    return heading or PurePosixPath(page).stem


def _bare(title: str) -> str:
    return re.sub(r"[\W_]+", " ", title.casefold()).strip()


def _circles(after: dict[str, list[str]]) -> list[tuple[str, ...]]:
    """Every circle of records that lead back to themselves, each once."""
    found: dict[frozenset[str], tuple[str, ...]] = {}
    for start in after:
        stack: list[tuple[str, tuple[str, ...]]] = [(start, (start,))]
        seen: set[str] = set()
        while stack:
            here, way = stack.pop()
            for following in after.get(here, ()):
                if following == start:
                    found.setdefault(frozenset(way), tuple(sorted(way)))
                elif following not in seen:
                    seen.add(following)
                    stack.append((following, (*way, following)))
    return sorted(found.values())


