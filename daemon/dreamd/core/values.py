"""The values that travel between rooms: closed choices and frozen records, nothing that acts.

Times are aware datetimes in UTC.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from functools import lru_cache

from dreamd.core.errors import UsageError
from dreamd.core.events import Cursor as Cursor
from dreamd.core.events import Deed as Deed
from dreamd.core.events import Event as Event
from dreamd.core.events import EventKind as EventKind
from dreamd.core.events import Logged as Logged
from dreamd.core.events import Reading as Reading
from dreamd.core.events import Skip as Skip
from dreamd.core.events import Speaker as Speaker
from dreamd.core.identity import abroad_key as abroad_key
from dreamd.core.identity import content_id as content_id
from dreamd.core.identity import storable as storable
from dreamd.core.identity import text_sha as text_sha
from dreamd.core.identity import with_context as with_context
from dreamd.core.judgement import CLEARLY_LATER_DAYS as CLEARLY_LATER_DAYS
from dreamd.core.judgement import MERGING as MERGING
from dreamd.core.judgement import SURE_CONFLICT as SURE_CONFLICT
from dreamd.core.judgement import Basis as Basis
from dreamd.core.judgement import Clue as Clue
from dreamd.core.judgement import Evidence as Evidence
from dreamd.core.judgement import EvidenceKind as EvidenceKind
from dreamd.core.judgement import Judgement as Judgement
from dreamd.core.judgement import Relation as Relation

TAXONOMY_VERSION = 1
SHORTEST_TEXT = 12
IN_PASSING = "said-in-passing"
"""Sign and fate of an observation of which no memory is made and that recall finds as a passage."""
ONE_OFF = "one-off"
"""Sign of an order that becomes a memory once it is said again."""
REVISED, AGENT_WROTE = "revised-at-once", "agent-wrote-memory"
WITHHELD = frozenset({REVISED, AGENT_WROTE})
"""Signs and fates of what was said and let go at once: taken back in the same breath, or written down by the agent itself."""
MEMORY_FILE = "memory-file"
"""Sign of a line of a memory directory, which keeps the standing it has there, without a person's authority."""
OBSERVED, OBSERVED_ACCEPTED = "observed", "observed-accepted"
"""Signs of what a language model read out of a conversation; the second where the person accepted what the agent had said."""
OBSERVED_WAITS = "observed:"
"""Before the reason why such a statement waits for a person."""
GUESSED = frozenset({"another-number", "another-name", "another-denial", "another-reach", "another-order", "other-words",
                     "model-unsure", "said-by-agent"})
"""Those reasons: nobody but a language model says that it was said."""
DECISION = "decision:"
"""Before the status of a decision, in the sign of what its record says; behind it the record that took its place."""
DECIDED = "decision-"
"""The same in the reason of the memory made of it."""
LEARNED = "operation:"
"""Before what was learned, in the sign and the key of what many lines of logs say together."""
LOGGED = "operation-"
"""The same in the reason of the memory made of it."""
RECURS, MENDED = "recurs", "mended"
"""What is learned of logs: an operation that recurs, and an error that was mended more than once."""
QUOTED = "quoted"
"""Sign of what a message repeats of somebody else's words: it waits for the person to say whether it is meant."""
FROM_TASK = "proposed-by-task"
"""Sign of what a task that is done leaves to its project, and the reason why it waits for a person."""
ELSEWHERE_TOO, OVERRULED = "edited-elsewhere-too", "taken-out-elsewhere"
"""Signs of what a person did in a second place to a memory whose edit in another place counts."""
WITHDRAWN = "withdrawn-at-source"
"""Sign of an observation that a line stands no longer where it was noted, nor anything in its place."""
PLACE_OF = "place:"
"""Before the ids of observations in the target of another: it stands where those stood, in a document that was read again."""
MARKS = frozenset({"deleted-by-person", "renamed-by-person", OVERRULED, WITHDRAWN})
"""Signs of observations that say what was done to a file, and no words of anybody's."""
FADED = "stale"
"""Reason of a memory that nobody asked for in so long a time that it was archived."""
EXPIRED = "expired"
"""Reason of a memory that was archived because the day it named has passed."""
CONVERSATION_ENDED = "conversation-ended"
"""Reason of a memory of a conversation's own scope that was archived when the conversation was over."""
DELETION_WAITS = "deletion-waits"
"""Fate of a person's deletion that is past its limit: the next dream takes it up again."""
LONGEST_TEXT = 16_000
"""Longest observation text in characters; longer input is split by its reader or refused by `note`."""


def observed_waits(reason: str) -> str:
    """The sign of what a language model read and what waits for a person."""
    return OBSERVED_WAITS + reason


def is_observed(sign: str) -> bool:
    """Whether a language model read a statement out of a conversation."""
    return sign.startswith(OBSERVED)


class Origin(StrEnum):
    """Where a statement comes from. Decides how far it may be trusted."""

    USER = "user"
    AGENT = "agent"
    TOOL = "tool"
    WEB = "web"
    IMPORT = "import"


class Trust(StrEnum):
    """How far a memory may be trusted: the lowest among the observations whose words it carries."""

    USER = "user"
    AGENT = "agent"
    UNTRUSTED = "untrusted"


TRUST_RANK = {Trust.UNTRUSTED: 0, Trust.AGENT: 1, Trust.USER: 2}


def trust_of(origin: Origin) -> Trust:
    """The trust an origin deserves; `import` is a file a person handed over, so it counts as an agent's word."""
    if origin is Origin.USER:
        return Trust.USER
    return Trust.AGENT if origin in (Origin.AGENT, Origin.IMPORT) else Trust.UNTRUSTED


class MemoryClass(StrEnum):
    """What a statement is, and so where it is kept and when it leaves."""

    PREFERENCE = "preference"
    RULE = "rule"
    REFERENCE = "reference"
    STATE = "state"
    HISTORY = "history"
    PROCEDURE = "procedure"


class MemoryType(StrEnum):
    """The closed set agents use in frontmatter."""

    USER = "user"
    FEEDBACK = "feedback"
    PROJECT = "project"
    REFERENCE = "reference"


class Category(StrEnum):
    """The seven sections of an index."""

    PREFERENCES = "preferences"
    RULES = "rules-conventions"
    ARCHITECTURE = "system-architecture"
    OPERATIONS = "operations"
    MEMORY_SYSTEM = "memory-system"
    PROJECTS = "projects"
    PEOPLE = "people-relationships"


class Status(StrEnum):
    """What a memory is today."""

    LIVE = "live"
    HELD = "held"
    STALE = "stale"
    ARCHIVED = "archived"
    SUPERSEDED = "superseded"
    SAID = "said"
    """Of no memory: what a person said in passing, as recall shows it."""


CURRENT = frozenset({Status.LIVE, Status.HELD, Status.STALE})
"""Statuses in which a memory still claims something."""


class GateVerdict(StrEnum):
    """What the gate lets a candidate become."""

    ALLOW = "allow"
    HOLD = "hold"
    DISCARD = "discard"


class Fate(StrEnum):
    """What became of an observation; exactly one."""

    NEW = "new"
    DUPLICATE = "duplicate"
    REFINES = "refines"
    UPDATES = "updates"
    CONTRADICTS = "contradicts"
    HELD = "held"
    DISCARDED = "discarded"


@dataclass(frozen=True, order=True)
class Scope:
    """`user`, `project:<key>`, `team:<key>` or `local:<conversation>`. No rule works across two scopes."""

    kind: str
    key: str = ""

    def __str__(self) -> str:
        return f"{self.kind}:{self.key}" if self.key else self.kind


SCOPE_KINDS = ("user", "project", "team", "local")
LONGEST_SCOPE_KEY = 200


@lru_cache(maxsize=1024)
def parse_scope(text: str) -> Scope:
    """Read a scope as people write it.

    Raises UsageError for an unknown kind, a missing or needless key, and keys that could leave a directory.
    """
    kind, _, key = text.strip().partition(":")
    if kind not in SCOPE_KINDS:
        told = "".join(c if c.isprintable() else " " for c in text.strip()[:LONGEST_SCOPE_KEY])
        raise UsageError(f"`{told}` names no scope: unknown scope kind; expected one of {', '.join(SCOPE_KINDS)}",
                         hint="write `user`, `project:NAME`, `team:NAME` or `local:CONVERSATION`")
    if kind == "user":
        if key:
            raise UsageError("the scope `user` takes no key")
        return Scope("user")
    key = key.strip()
    if not key:
        raise UsageError(f"the scope `{kind}` needs a key", hint=f"write `{kind}:NAME`")
    if len(key) > LONGEST_SCOPE_KEY:
        raise UsageError(f"the scope key is longer than {LONGEST_SCOPE_KEY} characters")
    parts = key.replace("\\", "/").split("/")
    if ".." in parts or "." in parts or any(ord(c) < 32 or ord(c) == 127 for c in key):
        raise UsageError("a scope key must not contain `.` or `..` as a path part, or control characters")
    return Scope(kind, key)


@dataclass(frozen=True)
class Candidate:
    """A statement that may become an observation, as extraction or a person hands it over."""

    text: str
    origin: Origin
    at: datetime
    scope: Scope
    conversation: str = ""
    key: str = ""
    class_hint: MemoryClass | None = None
    type_hint: MemoryType | None = None
    ttl: str | None = None
    """`YYYY-MM-DD`, when the caller gave one."""
    explicit: bool = True
    """False for text extracted from transcripts: a single sighting of a one-off order is then held back."""
    sign: str = ""
    """The extraction rule that found it, for the record (`correction`, `remember`, `preference`, …)."""
    source_id: str = ""
    start: int = 0
    end: int = 0
    target: str = ""
    """Memory id, when a person edited that memory's file; `said:` and an observation id, when they took that word back."""
    context: str = ""
    """What was said just before in the conversation: for finding the text, never shown as it or judged."""


@dataclass(frozen=True)
class Gated:
    """What the gate decided about one observation, and the durable wording it may be stored under."""

    verdict: GateVerdict
    reason: str
    """Name of the rule that decided, as printed by `explain`."""
    text: str
    """Durable wording: dates absolute, pronouns as they were, secrets already masked."""
    memory_class: MemoryClass
    memory_type: MemoryType
    category: Category
    ttl: str | None = None
    valid_from: str | None = None
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True)
class Observation:
    """One immutable thing somebody said or noted. Append-only."""

    id: str
    seq: int
    text: str
    origin: Origin
    at: datetime
    scope: Scope
    conversation: str = ""
    key: str = ""
    class_hint: MemoryClass | None = None
    type_hint: MemoryType | None = None
    ttl: str | None = None
    explicit: bool = True
    sign: str = ""
    source_id: str = ""
    start: int = 0
    end: int = 0
    target: str = ""
    fate: Fate | None = None
    fate_reason: str = ""
    memory_id: str = ""
    set_aside: bool = False
    context: str = ""


@dataclass(frozen=True)
class Memory:
    """One consolidated statement and everything that is known about it."""

    id: str
    scope: Scope
    text: str
    memory_class: MemoryClass
    memory_type: MemoryType
    category: Category
    status: Status
    trust: Trust
    authority: Trust
    """The highest standing of anyone who made this claim: a person's word stays one when an agent repeats it."""
    created_at: datetime
    updated_at: datetime
    confirmed_at: datetime
    """When it was last said, confirmed or edited (recalls are kept apart)."""
    valid_from: datetime
    valid_to: datetime | None = None
    ttl: str | None = None
    superseded_by: str = ""
    supersedes: tuple[str, ...] = ()
    observations: tuple[str, ...] = ()
    support: int = 1
    spoken_in: tuple[str, ...] = ()
    """The conversations it was said in, as far as they are known."""
    recalls: int = 0
    recalled_at: datetime | None = None
    pinned: bool = False
    edited: bool = False
    """A person edited its file since dream last wrote it: never touched by a dream."""
    unverified: bool = False
    taxonomy_version: int = TAXONOMY_VERSION
    reason: str = ""
    """Why it has its status (`expired`, `contradicts`, `stale`, `deleted-by-person`, …)."""
    file: str = ""
    links: tuple[tuple[str, str], ...] = field(default=())
    """(other memory id, relation) pairs."""
    answers: str = ""
    """What was said just before it, for finding a passage and for reading it; no words of its own."""
    held_since: datetime | None = field(default=None, compare=False)
    """When a dream first held it; None until it has been stored."""
    stood_at: datetime | None = field(default=None, compare=False)
    """When a document was last read anew in which it stands; None where none says it."""
    team: str = field(default="", compare=False)
    """The tenant of a team's store that it came from; empty for one's own."""

    @property
    def is_faded(self) -> bool:
        """Whether it was archived for its age, with its conversation, or for want of a document that says it: search finds it.

        Nobody said that it no longer holds, or, of a decision, its own words say so.
        """
        return self.status is Status.ARCHIVED and (
            self.reason in (FADED, WITHDRAWN, CONVERSATION_ENDED) or self.is_decision)

    @property
    def is_decision(self) -> bool:
        """Whether it is what a decision record says: its words are the record's, which tell also what became of it."""
        return self.reason.startswith(DECIDED)

    @property
    def is_account(self) -> bool:
        """Whether its words are those of a record, or what many lines of logs say together: nobody else's to reword."""
        return self.is_decision or self.reason.startswith(LOGGED)

    @property
    def may_answer(self) -> bool:
        """Whether a search shows it unasked for versions and for what waits."""
        return self.status in (Status.LIVE, Status.STALE) or self.is_faded or self.is_expired

    @property
    def is_expired(self) -> bool:
        """Whether it was archived because the day it named has passed: it is told as what was, and never unasked."""
        return self.status is Status.ARCHIVED and self.reason == EXPIRED


def is_excluded(scope: str, exclude: tuple[str, ...]) -> bool:
    """Whether a person keeps a scope to this machine: by its whole name, or by its kind alone, as `local`."""
    names = {scope.casefold(), scope.partition(":")[0].casefold()}
    return any(one.casefold().strip() in names for one in exclude)
