"""From values to HTML: the templates, and the words that all of them share. Everything is escaped."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime, tzinfo
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse

from dreamd.core.clock import iso
from dreamd.core.errors import ConfigError
from dreamd.core.plain_words.for_people import VOICES, WORD_OF, ago, clean, count, marks, outcome_words, stamp, status_word
from dreamd.core.plain_words.plain_reasons import OF_WISHES, done_words, fate_and_why, plain, plain_evidence
from dreamd.core.values import Observation
from dreamd.core.world import World
from dreamd.dream.telling.explained import Operation
from dreamd.kit import read_zone
from dreamd.probing.vital_signs import TROUBLE_WITH
from dreamd.report.sentences import quotes_apart
from dreamd.report.word_changes import word_changes
from dreamd.store.journal import NEVER_BACK, Run
from dreamd.store.telling.taken_back import undone_words

HERE = Path(__file__).parent
ASSETS, THIRD_PARTY = HERE / "assets", HERE / "third_party"
LONGEST_IN_A_LIST = 600
LONGEST_SHOWN = 20_000
_MARKED = re.compile(r"\*\*(?=\S)([^*\n]+?)(?<=\S)\*\*|`([^`\n]+)`")


class Renderer:
    """Makes pages of values."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._env = Environment(loader=FileSystemLoader(HERE / "templates"), autoescape=True, undefined=StrictUndefined,
                                trim_blocks=True, lstrip_blocks=True)
        self._env.filters.update(words=_words, prose=_prose, ours=self._ours,
                                 sentence=_sentence, short=_short, when=self._when, stamp=self._stamp,
                                 count=count, marks=marks, standing=status_word, outcome=outcome_words)
        self._env.globals.update(differences=word_changes, reason_words=_reason, fate_words=_fate, clue_words=_clues,
                                 run_words=_run, op_words=done_words, svg=Markup, voices=VOICES, word_of=WORD_OF,
                                 trouble_with=TROUBLE_WITH, of_wishes=OF_WISHES, cmd=world.called.command,
                                 undone_words=undone_words, never_back=NEVER_BACK)

    def page(self, request: Request, template: str, values: Mapping[str, object], *, status: int = 200) -> HTMLResponse:
        """A whole page, or the part of one that a script asked for."""
        keys = request.scope["dream.keys"]
        given = {"base": keys.base, "pen": keys.pen, "now": self._world.clock.now(), "notice": "", **values}
        return HTMLResponse(self._env.get_template(template).render(given), status)

    def _ours(self, text: str) -> Markup:
        """A sentence of ours: commands as they have to be typed, what stands in backticks as code."""
        return _marked(self._world.called.told(_words(text)))

    def _when(self, moment: datetime | None) -> Markup:
        if moment is None:
            return Markup("–")
        return Markup('<time datetime="{}" title="{}">{}</time>').format(
            iso(moment), self._stamp(moment), ago(moment, self._world.clock.now()))

    def _stamp(self, moment: datetime | None) -> str:
        return stamp(moment, self._zone()) if moment else "–"

    def _zone(self) -> tzinfo:
        try:
            return read_zone(self._world.zone_name)
        except ConfigError:
            return read_zone("UTC")


RUNS = {"dream": "a dream", "undo": "an undo", "redo": "statements handed back", "edit": "your edit", "pin": "your pin",
        "unpin": "your unpin", "review": "your decision", "restore": "your restore", "promote": "your promotion",
        "forget": "a forgetting", "attach": "an attached directory", "hold": "the audit", "mask": "a masked secret"}


def _run(run: Run) -> str:
    return RUNS.get(run.kind, run.kind)


def _reason(reason: str) -> str:
    return plain(reason) if reason else "–"


def _fate(one: Observation) -> str:
    """What became of something that was said, and why."""
    return fate_and_why(one.fate, one.fate_reason)


def _clues(one: Operation) -> tuple[str, ...]:
    texts = [side.text for side in (one.before, one.after) if side]
    return plain_evidence(one.entry.evidence, one.entry.reason, texts)


def _words(text: str) -> str:
    """What somebody said, line by line, without signs that nobody can see."""
    lines = [clean(line) for line in str(text)[:LONGEST_SHOWN].splitlines()]
    return "\n".join(lines) + (" …" if len(str(text)) > LONGEST_SHOWN else "")


def _prose(text: str) -> Markup:
    """The same with what is bold or code in markdown shown so; every other sign stands as it is."""
    return _marked(_words(text))


def _marked(text: str) -> Markup:
    kinds = Markup("{}"), Markup("<strong>{}</strong>"), Markup("<code>{}</code>")
    return Markup("").join(kinds[n % 3].format(part) for n, part in enumerate(_MARKED.split(text)) if part)


def _sentence(text: str) -> Markup:
    """A sentence of ours, with what it quotes kept in a direction of its own."""
    return Markup("").join(Markup("<bdi>{}</bdi>").format(_marked(part)) if is_quote else _marked(part)
                           for is_quote, part in quotes_apart(_words(text)))


def _short(text: str) -> str:
    """The same on one line, cut where it is long."""
    line = clean(str(text)[:2 * LONGEST_IN_A_LIST])
    return line if len(line) <= LONGEST_IN_A_LIST else line[:LONGEST_IN_A_LIST].rstrip() + " …"
