"""Follows a document from one reading to the next: what stood in it is kept by file, as identities and in order.

A line that took another's place becomes an observation that names the one before; what is gone is told by an observation of
its own. Nothing here changes a memory: what it means for them is planned by the dream like everything else.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from dreamd.core.values import MEMORY_FILE, PLACE_OF, WITHDRAWN, Candidate, Observation, Reading, content_id, storable
from dreamd.dream.living.earlier import Past
from dreamd.dream.living.lineage import Files, Line, is_one_line, trace, trace_through
from dreamd.kit import Kit
from dreamd.notes import find_damage
from dreamd.store import observations, work
from dreamd.store.work import Source
from dreamd.text.redaction import mask_name

GONE_TEXT = "[no longer where it was noted]"
AGAIN = "~"
"""Before the number of the reading in which a line came anew: one that comes back is said once more."""
_BEFORE = ""
"""Stands for the files of all that was read before there was an account of lines."""


LookBack = Callable[[str], Past]


@dataclass(frozen=True)
class Account:
    """What stood in a source when it was last read: the lines of each file, by the number of the reading."""

    number: int = 0
    files: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    whole: bool = False
    """Whether every file was read since the account began."""
    commit: str = ""
    """The last commit that changed something there, where the document stands in a repository."""

    def encode(self) -> str:
        """The account as JSON: identities alone, no words."""
        return json.dumps({"n": self.number, "whole": self.whole, "files": {k: list(v) for k, v in self.files.items()},
                           **({"commit": self.commit} if self.commit else {})}, separators=(",", ":"), sort_keys=True)

    @classmethod
    def decode(cls, text: str) -> Account:
        """Read an account back; none is that of a source that was not followed yet."""
        if not text:
            return cls()
        raw = json.loads(text)
        return cls(raw["n"], {name: tuple(uids) for name, uids in raw["files"].items()}, raw["whole"],
                   raw.get("commit", ""))


@dataclass(frozen=True)
class Followed:
    """What a reading gives once it was held against the one before."""

    candidates: list[Candidate]
    source: str = ""
    account: str = ""
    at_once: bool = False
    """Whether all of it has to be stored together: were half of it, a line might stand of which no account speaks."""
    damaged: int = 0
    """Files that nobody can have wished to be as they are; nothing of them is taken."""

    def write(self, tx: sqlite3.Connection) -> None:
        """Keep the account, with the observations it speaks of."""
        if self.account:
            work.write_account(tx, self.source, self.account)


def follow(kit: Kit, source: Source, reading: Reading, noted: Sequence[Candidate], back: LookBack) -> Followed:
    """What a document says now, each line with what it took the place of, and what it says no more.

    `back` gives what it said since a commit.
    """
    if reading.standing is None:
        return Followed(list(noted))
    return _Document(kit, source, reading, {one.key: one for one in noted}).compare(back)


class _Document:
    """One reading of a source beside the account of the one before."""

    def __init__(self, kit: Kit, source: Source, reading: Reading, noted: dict[str, Candidate]) -> None:
        self._kit, self._source, self._reading = kit, source, reading
        self._account = Account.decode(work.load_account(kit.store, source.id))
        self._new: dict[str, Candidate] = {}
        """What the changed files say, by line."""
        self._old: dict[str, Observation] = {}
        """What the changed files said, by line."""
        self._files: dict[str, tuple[str, ...]] = {}
        for name, uids in (reading.standing or {}).items():
            place = content_id("file", name)
            if uids is not None:
                self._files[place] = self._named(place, uids, noted)
            elif place in self._account.files:
                self._files[place] = self._account.files[place]

    def _named(self, place: str, uids: Sequence[str], noted: Mapping[str, Candidate]) -> tuple[str, ...]:
        """The lines of a file: what stood there keeps its identity, what comes anew has one of this reading."""
        stood = {_plain(uid): uid for uid in self._account.files.get(place, ())}
        fresh = f"{AGAIN}{self._account.number + 1}" if self._account.whole else ""
        named = [stood.get(uid, f"{uid}{fresh}") for uid in uids]
        for uid, name in zip(uids, named, strict=True):
            if one := noted.get(self._key(uid)):
                self._new[name] = replace(one, key=self._key(name))
        return tuple(named)

    def _key(self, uid: str) -> str:
        return storable(mask_name(f"note:{self._source.id}:{uid}"))

    def compare(self, back: LookBack) -> Followed:
        """Hold what stands against what stood."""
        past = back(self._account.commit) if self._files != self._account.files else Past(self._account.commit)
        self._date(past)
        stood = {place: uids for place, uids in self._account.files.items() if self._files.get(place) != uids}
        away = stood.keys() - self._files.keys()
        if self._is_emptied(away):
            self._files.update({place: stood.pop(place) for place in away})
        self._load(stood)
        damaged = self._damaged(stood)
        for place in damaged:
            for uid in set(self._files[place]) - set(stood[place]):
                self._new.pop(uid, None)
            self._files[place] = stood.pop(place)
        said: dict[str, Observation | Candidate] = {**self._old, **self._new}
        lines = {uid: Line(one.text, one.context) for uid, one in said.items()}
        changed = {place: uids for place, uids in self._files.items() if self._account.files.get(place) != uids}
        took = trace(stood, changed, lines).took
        if past.versions and self._account.number:
            took = self._by_versions(took, lines, past)
        if not self._account.number:
            stood = self._from_before()
        targets, marks = self._told(took, stood)
        account = replace(self._account, files=self._files, whole=self._account.whole or self._reading.complete,
                          commit=past.commit or self._account.commit)
        known = account == self._account
        return Followed([*(_in_place_of(one, targets.get(uid, ())) for uid, one in self._new.items()), *marks],
                        self._source.id, "" if known else replace(account, number=account.number + 1).encode(),
                        account.number > 0, len(damaged))

    def _date(self, past: Past) -> None:
        """Let each new line be as old as the first of the versions without a break that has it."""
        words = {event.uid: event.text.strip() for event in self._reading.events}
        for name, one in self._new.items():
            since = past.since.get(words.get(_plain(name), ""))
            if since is not None and since < one.at:
                self._new[name] = replace(one, at=since)

    def _by_versions(self, took: Mapping[str, str], lines: Mapping[str, Line], past: Past) -> dict[str, str]:
        """What took each line's place as the commits tell it; where they say that it went alone, words alone speak for more."""
        def plain(files: Files) -> dict[str, list[str]]:
            return {place: [_plain(uid) for uid in uids] for place, uids in files.items()}

        named = {_plain(uid): uid for uids in self._files.values() for uid in uids}
        told = trace_through((plain(self._account.files), *past.versions, plain(self._files)),
                             {**past.lines, **{_plain(uid): line for uid, line in lines.items()}})
        alike = {old: new for old, new in took.items() if is_one_line(lines[old], lines[new])}
        return alike | {old: named[told[_plain(old)]] for old in self._old if _plain(old) in told}

    def _is_emptied(self, away: Collection[str]) -> bool:
        """Whether the files are gone with everything beside them: that is a place that was lost, and no wish."""
        stay = self._account.files.keys() & self._files.keys()
        fresh = self._files.keys() - self._account.files.keys()
        return len(away) > self._kit.settings.consolidate.delete_always and len(stay) <= 1 and not fresh

    def _load(self, stood: Mapping[str, Sequence[str]]) -> None:
        ids = {content_id("key", self._key(uid)): uid for uids in stood.values() for uid in uids}
        self._old = {ids[one.id]: one for one in observations.load_by_ids(self._kit.store, ids)}

    def _from_before(self) -> dict[str, tuple[str, ...]]:
        """What was read of a source before there was an account of it, and is not there now."""
        if not self._reading.complete or None in (self._reading.standing or {}).values():
            return {}
        here = {content_id("key", self._key(uid)) for uids in self._files.values() for uid in uids}
        told = work.load_lines(self._kit.store, (self._source.id,), sign=MEMORY_FILE)
        self._old = {one.id: one for one in observations.load_by_ids(self._kit.store, (i for i in told if i not in here))}
        return {_BEFORE: tuple(self._old)}

    def _damaged(self, stood: Mapping[str, Sequence[str]]) -> list[str]:
        """Files that were cut, doubled, garbled or written over."""
        texts = {uid: one.text for uid, one in self._old.items()} | {uid: one.text for uid, one in self._new.items()}

        def bodies(files: Mapping[str, Sequence[str]]) -> dict[str, bytes]:
            return {f"{place}.md": "\n\n".join(texts.get(uid, "") for uid in files[place]).encode("utf-8", "replace")
                    for place in stood.keys() & self._files.keys()}

        return [name.removesuffix(".md") for name in find_damage(bodies(stood), bodies(self._files))]

    def _told(self, took: Mapping[str, str], stood: Mapping[str, Sequence[str]],
              ) -> tuple[dict[str, list[Observation]], list[Candidate]]:
        """The lines whose place each new one took, and what is said of those that left nothing in theirs."""
        here = {uid for uids in self._files.values() for uid in uids}
        now = max((e.at for e in self._reading.events if e.at), default=self._kit.clock.now())
        targets: dict[str, list[Observation]] = {}
        marks = []
        for uid in dict.fromkeys(uid for uids in stood.values() for uid in uids if uid not in here):
            one, new = self._old.get(uid), self._new.get(took.get(uid, ""))
            if one is not None and new is not None and new.scope == one.scope:
                targets.setdefault(took[uid], []).append(one)
            elif one is not None:
                marks.append(Candidate(
                    GONE_TEXT, one.origin, max(one.at, now), one.scope, one.conversation, f"{one.key}:gone",
                    source_id=self._source.id, sign=WITHDRAWN, target=PLACE_OF + one.id))
        return targets, marks


def _plain(uid: str) -> str:
    """The identity of a line without the reading in which it came."""
    return uid.partition(AGAIN)[0]


def _in_place_of(one: Candidate, before: Sequence[Observation]) -> Candidate:
    """A line with the names of those that stood in its place; it is no older than they are."""
    if not before:
        return one
    return replace(one, target=PLACE_OF + ",".join(sorted(o.id for o in before)), at=max(one.at, *(o.at for o in before)))
