"""What all sources of a run are read with: the scopes of their conversations, and what is kept from being read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

from dreamd.core.errors import UsageError
from dreamd.core.values import LONGEST_SCOPE_KEY, EventKind, Reading, Scope, content_id, parse_scope
from dreamd.dream.scopes.placing import Placing
from dreamd.models.lasting_net import Lasts
from dreamd.sources import FoundSource, plain_name
from dreamd.sources.exclusion import Exclusions
from dreamd.store import observations, work
from dreamd.store.connection import Store
from dreamd.text.redaction import mask_name, mask_scope


@dataclass(frozen=True)
class Reader:
    """The scopes of places, and what no place, project or conversation is read of."""

    placing: Placing
    kept_out: Exclusions
    load_lasting: Callable[[], Lasts]

    @cached_property
    def lasts(self) -> Lasts:
        """What reads how surely a sentence is meant to last: loaded by the first conversation, and gone with this reader."""
        return self.load_lasting()

    def without_excluded(self, reading: Reading) -> Reading:
        """A reading without what was said in places, or in conversations, that are never read."""
        kept = tuple(e for e in reading.events
                     if not (self.kept_out.has_place(e.cwd) or self.kept_out.has_conversation(e.conversation)))
        return replace(reading, events=kept) if len(kept) < len(reading.events) else reading

    def scopes_of(self, store: Store, found: FoundSource, reading: Reading) -> dict[str, Scope]:
        """The scope of each conversation in a reading: where it began, whatever it was read from and wherever it went."""
        if found.place and (scope := self.placing.scope_of(found.place)):
            return dict.fromkeys((event.conversation for event in reading.events), scope)
        first: dict[str, str] = {}
        for event in reading.events:
            first[event.conversation] = first.get(event.conversation) or event.cwd
        source, scopes = work.source_id(str(plain_name(found.path)), found.kind), {}
        for name, cwd in first.items():
            before = observations.load_scope_of(store, source, mask_name(name))
            noted = all(e.kind is EventKind.NOTE for e in reading.events if e.conversation == name)
            scopes[name] = before or self.placing.scope_of(cwd) or _nowhere(found, name, written_down=noted)
        return scopes

    def scope_of_log(self, found: FoundSource) -> Scope:
        """Where what a log says belongs: to the project it lies in, else to everybody here."""
        return (self.placing.scope_of(found.place) if found.place else None) or Scope("user")


def _nowhere(found: FoundSource, conversation: str, *, written_down: bool) -> Scope:
    """The scope of what has no place: its own conversation's; everybody's only what somebody wrote down for all."""
    if written_down:
        return Scope("user")
    return scope_of_conversation(conversation or found.path.stem)


def scope_of_conversation(conversation: str) -> Scope:
    """The scope of a conversation's own."""
    try:
        return mask_scope(parse_scope(f"local:{conversation[:LONGEST_SCOPE_KEY]}"))
    except UsageError:
        return Scope("local", content_id("conversation", conversation))
