"""What of a message was said, and what was pasted; and the sentences of what was said.

Templates, plans, logs, reviews and command output stand in the same message as the words of the person. Only what
sits around a paste is speech. All scans are linear in the message.
"""

from __future__ import annotations

import re
from itertools import pairwise

from dreamd.core.values import SHORTEST_TEXT
from dreamd.extraction.gate import is_code, is_diff, is_env_file, is_log
from dreamd.text import patterns

LONGEST_SPEECH = 6_000
"""Nobody types more than this at once; what is longer and structured was written beforehand."""
LONGEST_SENTENCE = 400
LONGEST_MESSAGE = 30_000
"""Characters of one message that are looked at; what lies beyond was pasted."""
_MOST_TAGS = 100
_FEWEST_SETTINGS = 3
_FEWEST_LETTERS = 0.4
"""Share of letters below which a text was printed by something."""
_STRUCTURED_LINES = 12
_FENCE = re.compile(r"^[ \t]{0,3}(`{3,}|~{3,})[^\n]*\n[\s\S]*?(?:^[ \t]{0,3}\1[ \t]*$|\Z)", re.MULTILINE)
_OPENING = re.compile(r"<([a-zA-Z][\w-]{1,40})(?:\s[^<>\n]{0,300})?>")
_SHOWN = re.compile(r"^[^\n]{0,160}:[ \t]*\n\s*?(`{3,}|~{3,})[^\n]*\n[\s\S]*?(?:^[ \t]{0,3}\1[ \t]*$|\Z)", re.MULTILINE)
_SECTION = re.compile(r"(?m)^#{1,6}\s+\S")
"""A heading: what stands below it was written beforehand, for nobody types one."""
_OWN_TAG = re.compile(
    r"(?i)<((?:user[_-]?)?(?:request|query|question|message|input|prompt|arguments?|feedback|task))>\s*([^<]{3,1000}?)\s*</\1>")
_COMMENT = re.compile(r"<!--[\s\S]*?-->")
"""Nobody speaks in one: it came with a page."""
_PLAIN_FENCE = re.compile(r"(?:`{3,}|~{3,})(?:text|txt|md|markdown)?[ \t]*\n")
_QUOTED = re.compile(r"\"[^\"]{60,4000}\"|“[^”]{60,4000}”|„[^“”]{60,4000}[“”]|«[^»]{60,4000}»")
_SHORTEST_TEMPLATE = 200
_LONGEST_FILLED_IN = 1_000
_LONGEST_NAME = 11
_HEADING = re.compile(r"#{1,6}\s+\S|\*\*[^*\n]{2,60}\*\*:?\s*$|={3,}$|-{3,}$")
_FIRST_PERSON = re.compile(r"\b(?:I|I['’](?:m|ve|ll|d)|my|ich|je|yo)\b")
_FEWEST_OF_ONESELF = 4
"""Who speaks of themselves so often types, however many headings there are."""
_MARKED = re.compile(r"\s*(?:>|[-*•]\s|\d{1,3}[.)]\s|[|│]|\(\d+\)|[-+]{1}\s?[⚠✅❌🔴🟡🟢]|[⚠✅❌🔴🟡🟢📦📍✨🚀💡])")
_MACHINE = re.compile(
    r"\s*(?:[{}\[\])<>|$#;]|\((?![A-Za-z])|//|/\*|\*/|[A-Z_]+=\S+(?:\s|$)|\S+=\S+\s*(?:$|\S+=)|\S+@\S+[:~]|[~./]\S*/\S*\s*$|https?://\S+\s*$"
    r"|[\w.-]+\s*\|\s|\"[^\"\n]{1,60}\"\s*:|\S+:\d+(?::\d+)?:?\s"
    r"|[A-Z][\w-]{1,30}:\s*$"
    r"|time=\d|level=|\[\d\d/\d\d|\d+ ?(?:passed|failed)|[A-Z_]{4,}\s+(?:[A-Z_]{3,}\b|[\[:*=<>\"'{])|[+-]{2,})")
_SENTENCE_END = re.compile(
    r"(?<![A-Z0-9]\.[A-Z0-9])(?<!\be\.g)(?<!\bi\.e)(?<!\betc)(?<!\bvs)(?<!\bz\.B)(?<!\bDr)(?<!\bProf)(?<!\bMrs)(?<!\bMr)(?<!\bMs)"
    r"(?<!\bSt)(?<!\bapprox)(?<!\bca)(?<!\.)(?<!: \d)"
    r"(?!(?<=\d)\.\s(?i:jan|feb|mär|apr|mai\b|jun|jul|aug|sep|okt|nov|dez|jän))[.!?]+[\"'”’)*_`]*(?=\s|$)|[。！？]+|\n+")
_REVIEW = re.compile(
    r"(?:^|[.!?]\s+|\n)(?:Consider (?:\w+ing|a |an |the )|Suggestion:|Nit:|nit:|suggestion:|Verify each finding"
    r"|In `?@?[\w./-]+`? (?:around|at) lines?)")
"""The voice of a review, which people paste."""
_BEFORE_WIDE = re.compile(r"[a-z]+ ?[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_FAILURE = re.compile(r"\s*(?:[A-Za-z_][\w.]*(?:Error|Exception|Warning|Panic|Fault)(?: \[\w+\])?:\s"
                      r"|Traceback \(|File \"[^\"]+\", line \d"
                      r"|at \S+ ?\(|at \S+:\d+|Caused by:|panic: |goroutine \d)")
_BARE_HEADING = re.compile(r"[A-Z][\w'-]*(?: [\w'-]+){0,4}:?$")
_SETTING = re.compile(r"\s*(?:- )?[\w./-]+:(?:\s+\S[^.!?]{0,80})?$")
_LONG_LINE = 60
_ITEM = re.compile(r"(?m)^[ \t]*(?:[-*•]|\(?\d{1,2}[.)])[ \t]+")
_ELLIPSIS = re.compile(r"\.{3,}|…")
_OPENERS = re.compile(
    r"^(?:(?:(?:ok(?:ay)?|yeah|yep|yup|nope|so(?! that\b)|well|hm+|uhm*|a+h+|o+h+|and|but|also|then|now|alright"
    r"|actually|oh|ah|hey|hi|please"
    r"|btw|by the way|perfect,|cool,|nice,"
    r"|thanks|haha|lol|good morning)(?![\w-])|(?:yes|no|great|right|sure|perfect|cool|nice|good|fine|thanks|done|ja|nein"
    r"|doch|sí|non|oui|sim"
    r"|não"
    r"|wrong|correct|exactly|true)(?=\s*[,.!:;…–—]))[,.!:;…–—\s]*)+(?=\S)", re.IGNORECASE)
"""A "no" before a comma answers; a "no" before a word forbids, and must stay."""


def speech(text: str) -> list[str]:
    """The paragraphs of a message that the person typed, pastes left out, in order; of a template what was filled in."""
    text = text[:LONGEST_MESSAGE]
    own = filled_in(text)
    if own is not None:
        return [said for said in map(_said_lines, own) if said and not _is_machine(said)]
    text = _before_written(_without_tagged(_without_quoted(_FENCE.sub("\n\n", text))))
    blocks = [block for block in re.split(r"\n[ \t]*\n", text) if block.strip()]
    if _is_document(text, blocks):
        return []
    kept: list[str] = []
    pasting = printed = False
    for block in blocks:
        said = _said_lines(block)
        machine = not said or _is_machine(said)
        # Whoever says "I" below a piece of code is its reader again; below somebody's words it may be theirs.
        if pasting and not (_speaks(said) or (printed and not machine and _FIRST_PERSON.search(said))):
            printed |= machine or said != block.strip()
            continue
        pasting, printed = _introduces_paste(block), False
        if not machine and not _REVIEW.search(said):
            kept.append(said)
    return kept


def sentences(paragraph: str) -> list[str]:
    """The sentences of a paragraph, wrapped lines joined; code in backticks is never split."""
    paragraph = _ITEM.sub("\x04", paragraph)  # an item of a list begins anew, whatever the one before ends with
    joined = re.sub(r"(?<=[^\s.!?:。！？])\n(?=[a-z(`])", " ", paragraph)
    masked = re.sub(r"`[^`\n]{1,200}`", lambda m: m[0].replace(".", "\x00").replace("!", "\x01").replace("?", "\x02"), joined)
    masked = _ELLIPSIS.sub(lambda m: "\x03" if m[0] == "…" else "\x05", masked)
    found: list[str] = []
    start = 0
    for end in _SENTENCE_END.finditer(masked):
        found.append(masked[start:end.end()])
        start = end.end()
    found.append(masked[start:])
    split = [part for piece in found for part in re.split(r"\x04|[\x03\x05]\s+(?=[A-Z\u3040-\u9fff\uac00-\ud7af])", piece)]
    restored = [_restored(part) for part in split]
    return [part for part in restored if part]


def cleaned(sentence: str) -> str:
    """A sentence without the words that only address somebody, with a capital and a full stop."""
    text = re.sub(r"(?i)\b(?:pls|plz)\b", "please", re.sub(r"\s+", " ", sentence)).strip(" \t-–—*")
    shorter = _OPENERS.sub("", text)
    text = shorter if len(shorter) >= 12 else text
    text = re.sub(r"(?i)^(?:please|can you|could you|would you)(?: please)? ", "", text)
    if text and text[0].islower() and not re.match(r"[a-z]+[A-Z_./-]|[a-z]+\d", text) and not _BEFORE_WIDE.match(text):
        text = text[0].upper() + text[1:]
    if not text or text[-1] in ".!?。！？:":
        return text
    return text + ("。" if re.match("[\u3040-\u30ff\u3400-\u9fff]", text[-1]) else ".")


def shortened(text: str) -> str:
    """A statement no longer than is kept, ended where a clause ends and never in the middle of one."""
    text = text.strip()
    if len(text) <= LONGEST_SENTENCE:
        return text
    head = text[:LONGEST_SENTENCE - 1]
    end = max(head.rfind(mark) for mark in (". ", "; ", ", ", " (", "。", "、", "，"))
    if end < LONGEST_SENTENCE // 3:
        end = head.rfind(" ")
    return head[:end].rstrip(" ,;.(、，") + "." if end > 0 else head


def without_request(text: str) -> str:
    """A cleaned sentence without the "remember that" before it."""
    text = re.sub(r"(?i),? please(?=[.!]?$)", "", text)
    asked = (patterns.cue("words/sure", "remember", start=True).match(text)
             or patterns.cue("words/sure", "aside", start=True).match(text))
    if asked is None:
        return text
    rest = re.sub(r"(?i)^[\s:,：，–-]+(?:that |dass |daran, dass |de que |que )?", "", text[asked.end():])
    return rest[:1].upper() + rest[1:] if patterns.width(rest) >= SHORTEST_TEXT else text


def filled_in(text: str) -> list[str] | None:
    """The words a person filled into a template: in its fence, or between tags of their own; None for no template."""
    bare = _FENCE.sub("\n\n", text)
    plays = patterns.starts("words/phrases", "role", bare)
    if not (plays and len(bare) > _SHORTEST_TEMPLATE) and _SECTION.search(bare) is None:
        return None
    own = [found[2] for found in _OWN_TAG.finditer(text)] or [
        found[0].strip().strip("`~").strip() for found in _FENCE.finditer(text) if _PLAIN_FENCE.match(found[0].lstrip())]
    before = _SECTION.split(_without_tagged(bare), maxsplit=1)[0].strip() if not plays else ""
    return [part for part in (*re.split(r"\n[ \t]*\n", before), *own) if part.strip() and len(part) <= _LONGEST_FILLED_IN]


def without_shown(text: str) -> str:
    """A message without what it shows in a fence or brings in a comment, and without the line that only says what is shown."""
    return _COMMENT.sub("\n\n", _FENCE.sub("\n\n", _SHOWN.sub("\n\n", text)))


def _without_quoted(text: str) -> str:
    """Drop what stands between quotation marks and is longer than any name of a thing: a document, an order."""
    return _QUOTED.sub(lambda found: "…" if len(found[0].split()) > _LONGEST_NAME else found[0], text)


def _without_tagged(text: str) -> str:
    """Drop what stands between a tag and its end; a tag that is never closed is a type or a sign, and stays."""
    kept: list[str] = []
    position = 0
    never_closed: set[str] = set()
    for opening in _OPENING.finditer(text):
        name = opening[1]
        if opening.start() < position or name in never_closed:
            continue
        end = text.find(f"</{name}>", opening.end())
        if end >= 0:
            kept.append(text[position:opening.start()])
            position = end + len(name) + 3
        elif len(never_closed) < _MOST_TAGS:
            never_closed.add(name)
        else:
            break
    return "\n\n".join([*kept, text[position:]])


def _before_written(text: str) -> str:
    """What stands before a mail or a report with bare headings, which were written beforehand."""
    lines = text.splitlines()
    full = [n for n, line in enumerate(lines) if line.strip()]
    signed = max((n for n in full if patterns.starts("words/phrases", "sign_off", lines[n])), default=-1)
    headed = [n for n in full if patterns.starts("words/phrases", "mail_header", lines[n])]
    begun = [n for n, after in pairwise(headed) if after <= n + 2] + [
        n for n in full if n < signed - 1 and patterns.starts("words/phrases", "greeting", lines[n])]
    if begun:
        return "\n".join(lines[:min(begun)])
    headings = [n for n, after in pairwise(full) if _BARE_HEADING.match(lines[n].strip()) and len(lines[after]) >= _LONG_LINE
                and not _BARE_HEADING.match(lines[after].strip())]
    return "\n".join(lines[:headings[0]]) if len(headings) > 1 else text


def _restored(part: str) -> str:
    for mark, sign in (("\x00", "."), ("\x01", "!"), ("\x02", "?"), ("\x03", "…"), ("\x05", "...")):
        part = part.replace(mark, sign)
    return part.strip(" \n\t")


def _is_document(text: str, blocks: list[str]) -> bool:
    """Whether a whole message was written beforehand: a plan, a template, a specification."""
    lines = [line for line in text.splitlines() if line.strip()]
    headings = sum(1 for line in lines if _HEADING.match(line.strip()))
    marked = sum(1 for line in lines if _MARKED.match(line))
    if len(_FIRST_PERSON.findall(text)) >= _FEWEST_OF_ONESELF:
        return len(text) > LONGEST_SPEECH
    if headings >= 3 and (len(lines) >= _STRUCTURED_LINES or headings * 5 >= len(lines)):
        return True
    if blocks and re.match(r"#{1,3}\s", blocks[0].lstrip()) and len(lines) >= _STRUCTURED_LINES:
        return True
    structured = len(lines) >= _STRUCTURED_LINES and (headings > 0 or marked * 4 >= len(lines))
    return structured and len(text) > LONGEST_SPEECH


def _said_lines(block: str) -> str:
    """A block without the lines that were quoted or printed, and without what hangs below such a line."""
    kept: list[str] = []
    hanging = False
    for line in block.splitlines():
        if _is_printed(line):
            hanging = True
        elif line.strip() and not (hanging and line.startswith(("  ", "\t"))):
            hanging = False
            kept.append(line)
    return "\n".join(kept).strip()


def _is_printed(line: str) -> bool:
    bare = line.strip()
    if bare.startswith((">", "|", "│", "⚠", "✅", "❌", "- ⚠", "- ✅", "- ❌", "✨", "📦", "📍")):
        return True
    if re.search(r"[⚠✅❌🔴🟡🟢]", bare[:14]) or _HEADING.match(bare):
        return True
    if _MACHINE.match(line) or _FAILURE.match(line) or patterns.starts("words/gate", "log_line", line):
        return True
    ends_as_code = re.search(r"[;{}()]$", bare) is not None and not re.search(r"[a-z]{3,}\)$", bare)
    return ends_as_code and patterns.starts("words/gate", "code_line", line)


def _is_machine(text: str) -> bool:
    lines = text.splitlines()
    if len(lines) >= _FEWEST_SETTINGS and all(_SETTING.match(line) for line in lines):
        return True
    if is_log(text) or is_diff(text) or is_env_file(text) or is_code(text):
        return True
    return len(re.findall(r"[^\W\d_]", text)) < _FEWEST_LETTERS * len(text)


def _introduces_paste(block: str) -> bool:
    last = block.strip().splitlines()[-1].strip()
    return patterns.has("words/phrases", "of_others", last) or patterns.cue("words/sure", "introduces").search(last) is not None


def _speaks(said: str) -> bool:
    """Whether a paragraph after a paste is a person again: it asks, or turns to whoever reads it."""
    return bool(said) and patterns.has("words/phrases", "turns_to", said[:300])
