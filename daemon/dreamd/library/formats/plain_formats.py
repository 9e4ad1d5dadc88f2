"""What dream reads itself: Markdown, reStructuredText, plain text, also packed with gzip, and the header of source files."""

from __future__ import annotations

import codecs
import re
import zlib
from dataclasses import dataclass
from pathlib import PurePosixPath

LARGEST_BYTES = 64 * 1024 * 1024
"""A larger file is named and left alone."""
LARGEST_TEXT = 8 * 1024 * 1024
"""Characters that are read of one document."""
MARKDOWN = frozenset({".md", ".markdown", ".mdown", ".mkd", ".mdx"})
RST = frozenset({".rst", ".rest"})
RICH = frozenset({".html", ".htm", ".xhtml", ".pdf", ".epub", ".docx"})
"""What `dreamd[docs]` reads."""
ARCHIVES = frozenset({".zip", ".tar", ".tgz", ".7z", ".rar", ".xz", ".bz2", ".zst", ".jar", ".whl", ".deb"})
SOURCE = frozenset({
    ".py", ".pyi", ".sh", ".bash", ".zsh", ".fish", ".pl", ".pm", ".rb", ".lua", ".awk", ".tcl", ".r", ".jl", ".c", ".h", ".cc",
    ".cpp", ".hpp", ".cxx", ".m", ".mm", ".rs", ".go", ".java", ".kt", ".scala", ".swift", ".cs", ".js", ".mjs", ".cjs", ".ts",
    ".tsx", ".jsx", ".php", ".sql", ".hs", ".ml", ".ex", ".exs", ".erl", ".el", ".lisp", ".clj", ".vim", ".cocci",
    ".ps1", ".bat"})
DATA = frozenset({
    ".json", ".jsonl", ".ndjson", ".xml", ".css", ".scss", ".csv", ".tsv", ".svg", ".yaml", ".yml", ".toml", ".ini", ".conf",
    ".cfg", ".log", ".lock", ".map", ".patch", ".diff", ".po", ".pot", ".inv", ".bib", ".asc", ".sig", ".pem", ".crt", ".key",
    ".env", ".png", ".gif", ".jpg", ".jpeg", ".ico", ".webp", ".mp3", ".mp4", ".woff", ".woff2", ".ttf", ".so", ".o", ".a",
    ".bin", ".exe", ".dll", ".class", ".pyc", ".db", ".sqlite", ".pickle", ".npy"})
"""No document, whatever stands in it."""
_BLOCKS = tuple(re.compile(pattern, re.S) for pattern in (
    r"(?:[ \t]*(?:#(?!include|define|if|pragma|!\[)|//|--(?!\[\[)|;+|%+|\")[^\n]*(?:\n|\Z))+", r"[ \t]*/\*.*?\*/",
    r"[ \t]*[rRuU]?\"\"\".*?\"\"\"", r"[ \t]*[rRuU]?'''.*?'''", r"[ \t]*<!--.*?-->", r"[ \t]*\(\*.*?\*\)", r"[ \t]*\{-.*?-\}",
    r"[ \t]*--\[\[.*?\]\]"))
_SIGNS = re.compile(r"(?m)^[ \t]*(?:#+|//+!?|--|;+|%+|/\*+|\*+/|\*(?=\s|$)|[rRuU]?\"\"\"|'''|<!--|\(\*|\{-|\"(?=\s))|"
                    r"(?:\*+/|\"\"\"|'''|-->|\*\)|-\}|\]\])[ \t]*$")
_OPENING = re.compile(r"(?i)\A(?:#![^\n]*\n|<\?php\b|<\?xml[^\n]*\n|\s+|#[^\n]*coding[:=][^\n]*\n|\"use strict\";?|@echo off)")


@dataclass(frozen=True)
class Text:
    """The words of a document; `why` says why there are none."""

    text: str = ""
    form: str = "text"
    """How its headings are marked."""
    title: str = ""
    why: str = ""
    is_document: bool = True
    """False for what nobody would take for a document: it is counted, not named."""


NO_DOCUMENT = Text(why="no document", is_document=False)


def kind_of(path: str) -> str:
    """How a file is read, by its name: `rich`, `source`, `markdown`, `rst`, `text`, `archive`, or `data` for no document."""
    pure = PurePosixPath(path)
    suffix = pure.suffix.lower()
    if suffix == ".gz":
        inner = kind_of(pure.stem)
        return "archive" if inner == "archive" or pure.stem.lower().endswith(".tar") else "data" if inner == "rich" else inner
    for kind, suffixes in (("rich", RICH), ("source", SOURCE), ("markdown", MARKDOWN), ("rst", RST), ("archive", ARCHIVES),
                           ("data", DATA)):
        if suffix in suffixes:
            return kind
    return "text"


def read_plain(path: str, body: bytes) -> Text:
    """The words of a file that needs no library."""
    kind = kind_of(path)
    if path.lower().endswith(".gz"):
        unpacked = _unpack(body)
        if isinstance(unpacked, str):
            return Text(why=unpacked)
        body = unpacked
    text = _decode(body)
    if text is None:
        return Text(why="not text") if kind in ("markdown", "rst") or path.lower().endswith(".txt") else NO_DOCUMENT
    if kind == "source":
        words = header_comment(text[:200_000])
        return Text(words) if words else Text(why="no header comment", is_document=False)
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if not text.strip():
        return Text(why="empty", is_document=False)
    return Text(text[:LARGEST_TEXT], kind, title_of(text, kind))


def title_of(text: str, form: str) -> str:
    """The first heading of a text that has any."""
    if form == "markdown":
        found = re.search(r"(?m)^#[ \t]+(.+?)[ \t]*#*$", text[:4000])
        return found[1][:120] if found else ""
    if form == "rst":
        found = re.search(r"(?m)^(\S.*)\n([=\-~^*#])\2{2,}[ \t]*$", text[:4000])
        return found[1][:120] if found else ""
    return ""


def header_comment(text: str) -> str:
    """What a source file says of itself before its first line of code."""
    rest, said = text.lstrip("\ufeff").replace("\r\n", "\n"), list[str]()
    while rest:
        opening = _OPENING.match(rest)
        if opening and opening.end():
            rest = rest[opening.end():]
            continue
        block = next((found for pattern in _BLOCKS if (found := pattern.match(rest))), None)
        if block is None or not block.end():
            break
        said.append(_SIGNS.sub("", block[0]))
        rest = rest[block.end():]
    lines = [line.strip() for line in "\n".join(said).split("\n")]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def _unpack(body: bytes) -> bytes | str:
    """The bytes a file was packed from, or why there are none; a small file that unpacks to a disk full is left alone."""
    unpacking = zlib.decompressobj(wbits=31)
    try:
        found = unpacking.decompress(body, LARGEST_BYTES)
    except zlib.error:
        return "damaged"
    if unpacking.unconsumed_tail:
        return "unpacks to more than 64 MiB"
    return found if unpacking.eof else "damaged"


_OF_TEXT = re.compile(r"utf-|utf_|iso8859|latin|ascii|cp\d|koi8|gb|big5|shift_jis|euc_|iso2022|mac-|hz$|johab|tis-620")


def decoded(body: bytes, charset: str) -> str:
    """Bytes as text in the encoding that is named for them, or in UTF-8 where that name is none of text."""
    return body.decode(codec_of(charset or "utf-8-sig") or "utf-8", "replace")


def codec_of(charset: str) -> str:
    """Python's name of an encoding of text; empty for any other: of those it knows, some take quadratic time."""
    try:
        known = codecs.lookup(charset).name
    except (LookupError, ValueError):
        return ""
    return known if _OF_TEXT.match(known) else ""


def _decode(body: bytes) -> str | None:
    """Text in the encodings people use; None for what is none."""
    if body[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return body.decode("utf-16", "replace")
    if b"\0" in body:
        return None
    try:
        return body.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None if is_binary(body) else body.decode("cp1252", "replace")


def is_binary(body: bytes) -> bool:
    """Whether bytes that are no UTF-8 are none of text at all: signs stand among them that no text has."""
    return sum(byte < 9 or 13 < byte < 32 for byte in body[:4096]) > 8
