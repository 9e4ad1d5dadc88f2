"""Everything that waits for a person, and what the answer does: held memories, requests to forget, what was proposed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from dreamd.agents import attach, proposals
from dreamd.agents.hooks import read_requests
from dreamd.agents.proposals import Proposal
from dreamd.core.errors import DreamError
from dreamd.core.values import Memory
from dreamd.dream import verbs
from dreamd.dream.living.reworded import NOTHING_SEEN, Seen
from dreamd.dream.verbs import Question
from dreamd.kit import Kit
from dreamd.store.language.proposed import Proposed, load_proposed


@dataclass(frozen=True)
class Waiting:
    """What a person is asked, by kind."""

    questions: tuple[Question, ...]
    requests: tuple[dict[str, str], ...]
    """What agents were asked to forget, which a person has to carry out."""
    ideas: tuple[Proposed, ...]
    """What a language model proposes."""

    def __len__(self) -> int:
        return len(self.questions) + len(self.requests) + len(self.ideas)


def load_waiting(kit: Kit) -> Waiting:
    """What waits for a person, instruction files of attached directories apart: those take a model to look at."""
    return Waiting(tuple(verbs.load_review(kit)), tuple(read_requests(kit.paths)), tuple(load_proposed(kit.store)))


def proposed_everywhere(kit: Kit, *, warn: Callable[[str], object]) -> list[Proposal]:
    """What dream would change in the instruction files of every attached directory; no file is named twice."""
    found: dict[Path, Proposal] = {}
    for attached in attach.load_attachments(kit.store):
        try:
            found.update({one.file: one for one in proposals.propose(kit, Path(attached.path))})
        except DreamError as error:  # the model is away, or the directory: what is held is shown all the same
            warn(f"`{attached.path}` was not looked at: {error.message}")
    return [found[file] for file in sorted(found)]


def answer(kit: Kit, identity: str, choice: str, *, seen: Seen = NOTHING_SEEN) -> list[Memory]:
    """What a person's choice changed: of a held memory, or of what a language model proposed.

    Raises UsageError for an unknown choice, Refused for a memory that is not held.
    """
    if any(one.id == identity for one in load_proposed(kit.store)):
        from dreamd.dream.asking.reflecting import take_proposed

        return take_proposed(kit, identity, choice) or []
    return verbs.decide(kit, identity, choice, seen=seen)
