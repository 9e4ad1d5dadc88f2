"""How newer Codex rollouts keep one message in several views, and what else arrives where a person's words do.

A rollout whose history is paginated has no screen log: a finished item holds the words as they were typed, and the
model's view names the kind of every part beside it. Either may be missing, so both are read and one is heard.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from dreamd.sources.base.refusals import Answer
from dreamd.sources.base.tolerant import Record, parse_json, record_at, text_at, texts_of

PARTS = ("text", "input_text", "output_text", "Text")
_TYPED = "user.text"
_IMAGE_MARK = re.compile(r"\s*</?(?:local_)?image(?:[ \t][^<>\n]{0,400})?>\s*")
_SPACES = re.compile(r"\s+")
_REPLY = "send_user_message_question_reply"
_MOST_WAITING = 8
_SCRIPTED_THREADS = frozenset({"subagent", "guardian_review", "memory_consolidation"})


class Views:
    """The messages that one view has given and the other not yet."""

    def __init__(self) -> None:
        self._waiting: list[tuple[str, str, int]] = []

    def offsets(self) -> list[int]:
        """Where the lines are whose other view may still come."""
        return [at for _, _, at in self._waiting]

    def turn(self) -> None:
        """Another turn began: no view of an earlier message comes any more."""
        self._waiting.clear()

    def is_new(self, view: str, text: str, *, at: int) -> bool:
        """Whether a message was not given by the other view already."""
        words = _SPACES.sub(" ", text).strip()
        for place, (other, waiting, _) in enumerate(self._waiting):
            if other != view and waiting == words:
                del self._waiting[place]
                return False
        self._waiting = [*self._waiting, (view, words, at)][-_MOST_WAITING:]
        return True


def typed_parts(body: Record) -> str:
    """What a person typed in a message of the model's view; empty when its parts name no kinds."""
    named = record_at(body, "internal_chat_message_metadata_passthrough").get("content_item_kinds")
    content = body.get("content")
    if not isinstance(named, list) or not isinstance(content, list) or len(named) != len(content):
        return ""
    typed = [part for kind, part in zip(named, content, strict=True) if kind == _TYPED]
    return "\n".join(text for text in texts_of(typed, kinds=PARTS) if not _IMAGE_MARK.fullmatch(text))


def hook_texts(item: Record) -> Iterator[str]:
    """What a hook put into the conversation."""
    fragments = item.get("fragments")
    for fragment in fragments if isinstance(fragments, list) else []:
        if isinstance(fragment, dict):
            yield text_at(fragment, "text")


def split_replies(text: str) -> tuple[str, list[Answer]]:
    """A message without the answers to the agent's own questions that the program put into it, and those answers."""
    before, opened, rest = text.partition(f"<{_REPLY}>")
    if not opened:
        return text, []
    inside, _, after = rest.partition(f"</{_REPLY}>")
    replies = parse_json(inside.strip())
    answers = [Answer(text_at(reply, "question"), text_at(reply, "answer").strip())
               for reply in (replies if isinstance(replies, list) else []) if isinstance(reply, dict)]
    return before + after, [answer for answer in answers if answer.text]


def is_sub_agent(meta: Record) -> bool:
    """Whether no person talked in this session: an agent started it, or the program itself."""
    source = meta.get("source")
    started = isinstance(source, dict) and "custom" not in source
    return started or bool(meta.get("parent_thread_id")) or text_at(meta, "thread_source") in _SCRIPTED_THREADS
