"""`dream help`: the overview, a family, a topic or a command; and man pages of all of it."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from dreamd import __version__
from dreamd.cli.commands import FAMILY, GROUPS, SUMMARY, nearest_of, overview
from dreamd.cli.context import wants_colour
from dreamd.cli.examples import EXAMPLES, lines_of
from dreamd.cli.manual.markdown import as_man, in_terminal
from dreamd.cli.manual.topics import list_topics, read_topic
from dreamd.core.errors import UsageError
from dreamd.core.paths import read_environment

WIDEST = 100


def tell(words: Sequence[str]) -> str | None:
    """What `dream help` prints for some words; None where it is the help of a command alone.

    Raises UsageError for a word that is no family, topic or command.
    """
    if "--man" in words:
        return _write_pages([w for w in words if w != "--man"])
    word = words[0] if words else ""
    if not word:
        return overview()
    told = [part for part in (_topic(word), _family(word)) if part]
    if told and word in FAMILY:
        told.append(f"`dream {word} --help` shows the options of the command")
    if not told and word not in FAMILY:
        known = sorted({*FAMILY, *list_topics(), *(name for name, _ in GROUPS)})
        close = nearest_of(word.lower(), known)
        raise UsageError(f"there is no help on `{word}`",
                         hint=f"did you mean `dream help {close}`?" if close else "`dream help` lists families and topics")
    return "\n\n".join(told) or None


def _topic(word: str) -> str:
    if word not in list_topics():
        return ""
    width = min(WIDEST, shutil.get_terminal_size((WIDEST, 24)).columns)
    return in_terminal(read_topic(word), width=width, colour=wants_colour(sys.stdout, read_environment()))


def _family(word: str) -> str:
    rows = dict(GROUPS).get(word, ())
    told = [f"commands of the family `{word}`:"] if rows else []
    for name, _, summary in rows:
        told += ["", f"dream {name}: {summary}", *(lines_of(EXAMPLES[name]) if name in EXAMPLES else ())]
    return "\n".join(told)


def _write_pages(words: Sequence[str]) -> str:
    if not words:
        raise UsageError("`dream help --man` needs a directory", hint="`dream help --man ~/.local/share/man`")
    root = Path(words[0]).expanduser()
    pages = {("dream", 1): f"# the memory of AI agents, consolidated\n\n```\n{_everything()}\n```\n",
             **{(f"dream-{name}", 7): read_topic(name) for name in list_topics()}}
    try:
        for (name, section), text in pages.items():
            path = root / f"man{section}" / f"{name}.{section}"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(as_man(text, name=name, section=section, version=__version__), "utf-8")
    except OSError as error:
        raise UsageError(f"the pages cannot be written to `{root}`: {error.strerror}", hint="name another directory") from None
    return f"{len(pages)} pages in {root}; `man dream`, `man dream-dreaming`"


def _everything() -> str:
    """Every command with what it is for, by family."""
    return overview() + "\n\n" + "\n\n".join(
        "\n".join([f"{title}:", *(f"  {name:<15}{SUMMARY[name]}" for name, _, _ in rows)]) for title, rows in GROUPS)
