"""What a sentence stands beside in the message it was typed in: what brings it in, goes on with it, or takes it back. Pure.

Below "things we stopped doing:" an item says the opposite of what it says alone, and before "scratch that" it says nothing.
A quote of the item is right all the same, so a sentence is compared together with such neighbours.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from dreamd.extraction.revisions import revision_of, speaks_of
from dreamd.extraction.utterance import sentences
from dreamd.text import patterns
from dreamd.text.tokens import fold

WORDS = "words/verbatim"
_ITEM = re.compile(r"[ \t]*(?:[-*•]|\(?\d{1,2}[.)])[ \t]+")
_ENDED = tuple(".!?。！？")


class _Part(NamedTuple):
    text: str
    item: bool


def in_place(sentence: str, message: str, after: str = "") -> str:
    """A sentence with the neighbours that say how it is meant; `after` is what its person said next."""
    parts = [_Part(text, _ITEM.match(line) is not None) for line in message.splitlines() for text in sentences(line)]
    at = next((n for n, part in enumerate(parts) if fold(sentence) in fold(part.text)), None)
    if at is None:
        return sentence
    lead, told = at - 1, sentence
    while lead >= 0 and parts[at].item and parts[lead].item:
        lead -= 1
    if lead >= 0 and _brings_in(parts[lead].text):
        told = f"{parts[lead].text.rstrip(' .:：')}: {told}"
    later = [*(part.text for part in parts[at + 1:]), *([after] if after else [])]
    if len(parts) > at + 1 and not parts[at + 1].item and _goes_on(sentence, later[0]):
        told = f"{told.rstrip(' .')}, {later[0]}"
    back = next((text for n, text in enumerate(later) if _takes_back(text, sentence, at_once=n == 0)), "")
    return f"{told.rstrip(' .')}, {back}" if back else told


def _brings_in(text: str) -> bool:
    return text.rstrip().endswith((":", "：")) or patterns.has(WORDS, "brings_in", text)


def _goes_on(sentence: str, following: str) -> bool:
    if patterns.starts(WORDS, "takes_some_back", following):
        return True
    return not sentence.rstrip().endswith(_ENDED) and (
        patterns.starts(WORDS, "goes_on", following) or patterns.starts(WORDS, "narrows", following))


def _takes_back(text: str, sentence: str, *, at_once: bool) -> bool:
    revision = revision_of(text)
    if revision is None:
        return False
    return at_once and revision.sure and not (revision.rest or revision.about) or speaks_of(revision, sentence)
