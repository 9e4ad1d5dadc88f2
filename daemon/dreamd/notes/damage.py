"""Whether a file that is not as dream left it was edited by a person, or is damaged: empty, cut, doubled, in another encoding.

Nobody wishes for such a file, so nothing is learned from it and the memory keeps its words. In doubt it is an edit: only
what no editor leaves behind counts as damage. Most files end in a comment of dream's, and that is what tells a file cut
short from one of which a person took the last sentence.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from enum import StrEnum

from dreamd.notes.directory import is_index
from dreamd.notes.index import END
from dreamd.notes.safe_text import one_line
from dreamd.notes.topic import PROVENANCE, TopicText, read_topic, unix_lines

MANY = 5
"""From this many topic files on, if that is most of them, nobody wrote each anew from its first line to its last."""
SAME_WORDS_IN = 3
"""From this many files on that say one and the same thing all at once, something has written over them."""
STRANGE_SHARE = 20
"""One control character in so many characters makes a text that nobody typed."""
SHORTEST_REMAINDER = 8
BLOTS = 3
"""From this many places and letters on that one sign took the place of, it was not typed: a hidden word is one place."""

_MERGE = re.compile(r"(?m)^(?:<{7}|>{7})(?: .*)?$|(?:\A|\n\s*\n)={7}\n")
"""Also the middle one by itself: under a line of words it would only make that a heading."""
_BEYOND_ASCII = re.compile(r"\w*[^\x00-\x7f]+\w*")
_CONTROL = re.compile(r"[\x01-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff")
_ENDS_SENTENCE = (".", "!", "?", "。", "！", "？", ":", ")", "`", '"')


class Damage(StrEnum):
    """What is wrong with a file."""

    EMPTY = "empty"
    ZEROS = "zero-bytes"
    ENCODING = "another-encoding"
    GARBAGE = "garbage"
    CUT = "cut"
    DOUBLED = "doubled"
    MERGE_MARKS = "merge-marks"
    OVERWRITTEN = "overwritten"
    GONE = "gone"
    """Not there, and everything beside it neither: the directory was emptied."""


def find_damage(accepted: Mapping[str, bytes], current: Mapping[str, bytes]) -> dict[str, Damage]:
    """The damaged ones among the files that changed; `accepted` holds all files as dream last knew them, by name."""
    found = {name: kind for name, body in current.items() if (kind := _damage(name, accepted.get(name), body))}
    sound = {name: decoded(body) for name, body in current.items() if name not in found and not is_index(name)}
    found |= dict.fromkeys(_overwritten(accepted, sound), Damage.OVERWRITTEN)
    return found | dict.fromkeys(_frameless(accepted, sound), Damage.GARBAGE)


def _damage(name: str, accepted: bytes | None, body: bytes) -> Damage | None:
    """What is wrong with one file, as far as it alone can tell."""
    if body == accepted:
        return None
    before = None if accepted is None else decoded(accepted)
    now = decoded(body)
    own = before is None and body.startswith(_WIDE_MARKS) and "\ufffd" not in now  # another system's editor made it
    unreadable = None if own else _unreadable(before or "", body)
    if unreadable is not None:
        return unreadable
    if _MERGE.search(now) and not _MERGE.search(before or ""):
        return Damage.MERGE_MARKS
    if before is None or not before.strip():
        return None  # a file of a person's own, empty or not, says what it says
    if not now.strip():
        return Damage.EMPTY
    return _damaged_index(before, now) if is_index(name) else _damaged_topic(name, before, now)


def _unreadable(before: str, body: bytes) -> Damage | None:
    if body.startswith(_WIDE_MARKS):
        return Damage.ENCODING
    if b"\0" in body and "\0" not in before:
        return Damage.ZEROS if body.count(b"\0") < len(body) // 3 or not body.strip(b"\0") else Damage.ENCODING
    try:
        now = body.decode("utf-8")
    except UnicodeDecodeError:
        return Damage.ENCODING
    if "\ufffd" in now and "\ufffd" not in before or _is_garbled(before, now) or _is_blotted(before, now):
        return Damage.ENCODING
    strange = len(_CONTROL.findall(now)) - len(_CONTROL.findall(before))
    return Damage.GARBAGE if strange * STRANGE_SHARE > len(now) else None


def _is_garbled(before: str, now: str) -> bool:
    """Whether letters beyond ASCII came back as a program writes them that takes them for those of another encoding."""
    for word in set(_BEYOND_ASCII.findall(before)):
        if word in now:
            continue
        wrong = {word.encode("utf-8").decode(other, "ignore") for other in ("latin-1", "cp1252")}
        if any(len(form) > len(word) and form in now for form in wrong):
            return True
    return not before.isascii() and before.encode("ascii", "replace").decode() == now


def _is_blotted(before: str, now: str) -> bool:
    """Whether one sign stands where different letters were, all over a text, as a program leaves that could not write them."""
    if len(before) != len(now):
        return False
    signs = {new for old, new in zip(before, now, strict=True) if old != new}
    if len(signs) != 1 or (sign := signs.pop()).isalnum():
        return False
    gone = [(at, old) for at, (old, new) in enumerate(zip(before, now, strict=True)) if old != new]
    apart = sum(1 for n, (at, _) in enumerate(gone) if not n or at - gone[n - 1][0] > 1)
    letters = {old for _, old in gone if old.isalnum()}
    return apart >= BLOTS and len(letters) >= BLOTS and not sign.isspace()


def _damaged_topic(name: str, before: str, now: str) -> Damage | None:
    was, topic = read_topic(name, before), read_topic(name, now)
    if not topic.statement and was.statement and set(topic.tail) <= set(was.tail):
        return Damage.EMPTY
    if len(PROVENANCE.findall(now)) > max(1, len(PROVENANCE.findall(before))):
        return Damage.DOUBLED
    if _is_doubled(before, now) or _is_doubled(was.statement, topic.statement):
        return Damage.DOUBLED
    same = one_line(topic.statement) == one_line(was.statement) and topic.ttl == was.ttl
    whole = same and set(topic.tail) <= set(was.tail)
    return Damage.CUT if not whole and _is_cut(before, now, framed=_lost_frame(was, topic)) else None


def _damaged_index(before: str, now: str) -> Damage | None:
    if _is_doubled(before, now):
        return Damage.DOUBLED
    old, new = unix_lines(before).strip(), unix_lines(now).strip()
    # Whoever takes out lines by hand leaves the mark at the end; dreams of before had the newest there once more.
    last = END if END in old else "## Recent"
    lost_end = last in old and last not in new and old.index(last) > len(new)
    lost_head = old.splitlines()[0] != new.splitlines()[0] and old.endswith(new)
    return Damage.CUT if _is_cut(before, now, framed=lost_end or lost_head) else None


def _lost_frame(was: TopicText, topic: TopicText) -> bool:
    """Whether the comment at the end or the frontmatter went with what is missing."""
    return any(old and not new for old, new in (
        (was.name or was.type, topic.name or topic.type), (was.memory_id, topic.memory_id)))


def _is_cut(before: str, now: str, *, framed: bool) -> bool:
    """Whether a text is the beginning or the end of another, cut where no person would stop."""
    old, new = unix_lines(before).strip(), unix_lines(now).strip()
    if len(new) >= len(old):
        return False
    if old.startswith(new):
        return framed or old[len(new)] != "\n" and not new.endswith(_ENDS_SENTENCE)
    return old.endswith(new) and (framed or old[-len(new) - 1] != "\n")


def _is_doubled(before: str, now: str) -> bool:
    """Whether a text is another one twice: one after the other, or line by line."""
    old, new = one_line(unix_lines(before)), one_line(unix_lines(now))
    if len(old) < SHORTEST_REMAINDER or len(new) < 2 * len(old):
        return False
    for joint in ("", " "):
        times = (len(new) + len(joint)) // (len(old) + len(joint))
        if times > 1 and new == joint.join([old] * times):
            return True
    lines = [line for line in unix_lines(now).splitlines() if line.strip()]
    return lines[::2] == lines[1::2] == [line for line in unix_lines(before).splitlines() if line.strip()]


def _overwritten(accepted: Mapping[str, bytes], sound: Mapping[str, str]) -> Iterator[str]:
    """Files that hold a copy of another memory's file, and several that all say one and the same thing all at once."""
    topics = {name: read_topic(name, text) for name, text in sound.items() if name in accepted}
    was = {name: read_topic(name, decoded(accepted[name])) for name in topics}
    strangers = {name for name in topics if was[name].memory_id and topics[name].memory_id not in ("", was[name].memory_id)}
    owners = _owners(accepted) if strangers else {}
    said = Counter(one_line(topics[name].statement) for name in topics
                   if one_line(topics[name].statement) != one_line(was[name].statement))
    for name, topic in topics.items():
        home = owners.get(topic.memory_id, "") if name in strangers else ""
        kept = home != "" and home != name and (home not in topics or topics[home].memory_id == topic.memory_id)
        words = one_line(topic.statement)
        if kept or words != one_line(was[name].statement) and said[words] >= SAME_WORDS_IN:
            yield name


def _frameless(accepted: Mapping[str, bytes], sound: Mapping[str, str]) -> list[str]:
    """Files that lost their frontmatter, their comment and their words, where most files of the directory did so at once."""
    lost = []
    for name, text in sound.items():
        was, now = read_topic(name, decoded(accepted.get(name, b""))), read_topic(name, text)
        framed = was.memory_id and (was.name or was.type)
        if framed and not (now.memory_id or now.name or now.type) and one_line(was.statement) != one_line(now.statement):
            lost.append(name)
    return lost if len(lost) >= MANY and 2 * len(lost) > sum(not is_index(name) for name in accepted) else []


def _owners(accepted: Mapping[str, bytes]) -> dict[str, str]:
    """The file of each memory, as dream last knew it."""
    topics = (read_topic(name, decoded(body)) for name, body in accepted.items() if not is_index(name))
    return {topic.memory_id: topic.file for topic in topics if topic.memory_id}


def decoded(body: bytes) -> str:
    """The words of a file, as far as there are any; a byte order mark tells what an editor of another system wrote."""
    return body.decode("utf-16" if body.startswith(_WIDE_MARKS) else "utf-8", "replace")
