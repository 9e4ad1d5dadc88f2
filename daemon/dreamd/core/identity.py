"""Ids and hashes by which words are recognised: derived from content, so two stores fed the same input agree."""

from __future__ import annotations

import hashlib
import re

_SPEAKER = re.compile(r"\s*\[?([^\W\d_][\w'’-]*(?: [^\W\d_][\w'’.-]*){0,2})\]?: (?=\S)")


def content_id(*parts: str, size: int = 12) -> str:
    """An id derived from its parts: the first `size` hex digits of a sha256 over length-prefixed UTF-8."""
    digest = hashlib.sha256()
    for part in parts:
        raw = part.encode("utf-8", "surrogatepass")
        digest.update(len(raw).to_bytes(8, "big"))
        digest.update(raw)
    return digest.hexdigest()[:size]


def storable(name: str) -> str:
    """A name as a store can hold it: bytes of a file name that are no UTF-8 are written out, so that two stay two."""
    return name.encode("utf-8", "backslashreplace").decode()


def with_context(text: str, context: str) -> str:
    """A text behind what was said before it: the words a second vector of it is made of; the text alone without any."""
    return f"{context} {text}" if context else text


def text_sha(text: str) -> str:
    """The full sha256 of a statement's wording, used wherever wording has to be recognised without storing it."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def abroad_key(sha: str) -> str:
    """Under what the multilingual vector of a wording that is not English is kept; that of an English one is under its own."""
    return f"{sha}/abroad"


def vector_keys(sha: str) -> tuple[str, ...]:
    """All that vectors of a wording may be kept under; the last one was made by versions that read foreign words as English."""
    return sha, abroad_key(sha), f"{sha}/en"


def speaker_of(text: str) -> str:
    """Who says a turn of talk, where it says so itself ("Ann: I moved"); else nothing."""
    named = _SPEAKER.match(text)
    return named[1] if named and named[1][0].isupper() else ""


def words_of_speaker(text: str) -> str:
    """A turn of talk without the name of who says it."""
    return text[named.end():] if speaker_of(text) and (named := _SPEAKER.match(text)) else text
