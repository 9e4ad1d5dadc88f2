"""One decision record: what was decided and why, its standing and day, and which other records it speaks of. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import PurePosixPath

from dreamd.sources.decisions.record_pages import EMPHASIS, WORDS, Page, from_org, kind_of, take_apart, tame
from dreamd.sources.decisions.record_words import (
    Standing,
    chosen_in,
    day_in,
    day_said,
    first_sentence,
    is_standing,
    month_in,
    plain,
    reason_in,
    says_nothing,
    sentences_of,
    shortened,
    speaks_of_part,
    standing_at,
    standing_in,
)
from dreamd.text import patterns

_FILE_NUMBER = re.compile(r"(?:(?P<prefix>[^\W\d_][^\d]*?)[-_. ]*)?(?P<number>(?:(?:19|20)\d\d[-_.])?\d{1,7})(?=[-_. ]|$)")
"""A year before the number belongs to it: `ADR-2024-001`."""
_FILE_DAY = re.compile(r"(\d{4})-?(\d{2})-?(\d{2})(?=[-_. ]|$)")
_TITLE_NUMBER = re.compile(r"(?i)^\[?(?:(?P<prefix>[^\W\d_][\w-]*?)[-_ #:]*)?(?P<number>(?:(?:19|20)\d\d[-_.])?\d{1,6})\]?\s*"
                           r"(?:[.:)–—|·•-]+|$|(?=\s))\s*")
_TITLE_WORD = re.compile(r"(?i)^(?:adr|madr|decision record|"
                         r"architecture decision record|decision|adl|entscheidung|决策|決定)\s*[:：–—-]+\s*")
_STANDING_BEHIND = re.compile(r"\s*[\[(（【]([^\[\]()（）【】]{3,60})[\])）】]\s*$"
                              r"|^\s*[\[(（【]([^\[\]()（）【】]{3,30})[\])）】]\s*")
_HOLLOW = re.compile(r"^\s*(?:[{<\[][^{}<>\[\]]{2,}[}>\]]\s*|(?:short )?(?:title|name)(?: of .*)?"
                     r"|titel|titre|título)$|\bN{3,}\b|\bX{3,}\b"
                     r"|(?i:insert (?:title|data)|title (?:goes )?here|\{(?:short )?title)")
_HOLE = re.compile(r"(?i)(?<!\$)\{[a-z][^{}\n=:]*[a-z] [^{}\n=]*\}|<[a-z]+(?: [a-z]+){1,8}>"
                   r"|\[(?:describe|insert|short|list|your|the change|what is)[^\]\n]{4,}\](?!\()")
_SPEAKS = re.compile(
    r"(?im)^[ \t>*+•-]*(?:\*\*|__|\["
    r"|this (?:adr|decision|record|document)?\s*(?:is |was |has been )?)?(?P<what>[^\W\d_][^\n:\[\]*(#\d]{2,24}?)"
    r"(?:\*\*|__|\])?[ \t]*[:：]?[ \t]+(?P<whom>(?:\[|`|#|<|\"|“|adr|rfc|dr-|xref|link|:\w+:|\d|decision|the ).*)$")
_ITSELF = re.compile(r"(?i)\W*(?:this|it|diese[rs]?|cette|ce|est[ae]|quest[ao])\b")
_NAMED_AT_ONCE = re.compile(r"(?i)\W*(?:adr|decision|record|rfc|dr)?[-_ #]*\d|\[|`")
_OF_ANOTHER = re.compile(r"(?m)^[ \t]*[-*+•][ \t]+(?=.*(?:\]\(|:\w+:`)|\W*(?:(?i:adr|decision|record|rfc)|[A-Z]{1,4})[-_ #]*\d)"
                         r".*$")
"""An entry of a list that begins with a record's name, or has a link."""
_OWN_FOLDER = ("readme", "index", "adr", "decision", "record", "rfc")
"""What the page of a record is called that has a folder to itself."""
_NUMBERED_FOLDER = re.compile(r"(?:[^\W\d_]{2,5}[-_])?\d{1,7}[-_. ]+[^\W\d_]")
_DIGITS = re.compile(r"(?<!\d)(?:(?:19|20)\d\d[-_.])?\d+(?!\d)")
_ENDED = (Standing.SUPERSEDED, Standing.DEPRECATED)
"""Standings whose day is not that of the decision."""
LONGEST_NAME = 60
LONGEST_DAY = 24


@dataclass(frozen=True)
class Record:
    """What one record tells."""

    path: str
    """Its file, from the folder it was found in."""
    name: str
    """What people call it: `ADR-0012`, or the file's own name where it has no number."""
    prefix: str
    number: int | None
    title: str
    decided: str
    why: str
    standing: Standing
    said: str
    """Its status in its own word; empty where it names none."""
    day: date | None
    when: str = ""
    """Its day, or its month, or what it says where neither can be told."""
    supersedes: tuple[str, ...] = ()
    superseded_by: tuple[str, ...] = ()
    """The words that name other records, as they stand."""


def is_record(path: str, text: str) -> bool:
    """Whether a page is a record of a decision, and no template, index or guide."""
    return not is_beside(PurePosixPath(path)) and _page_of(PurePosixPath(path), text) is not None


def read_record(path: str, text: str) -> Record | None:
    """Read a page; None for what is no record of a decision: a template, an index, a guide."""
    place = PurePosixPath(path)
    return None if is_beside(place) else read_entry(path, text, place)


def read_entry(path: str, text: str, place: PurePosixPath) -> Record | None:
    """Read a page whatever its file is called, or the part of one that stands under a heading: `place` tells its number."""
    page = _page_of(place, text)
    if page is None:
        return None
    prefix, number = _numbered(place, page)
    title = _title_of(page.title, place)
    standing, said = _standing_of(page, place)
    dated = _file_day(place.stem)
    ours, theirs = _speaks_of(page)
    if standing in (Standing.ACCEPTED, Standing.UNSTATED, Standing.UNKNOWN) and theirs:
        standing, said = Standing.SUPERSEDED, "superseded"
    decided, why = _decided(page, title)
    return Record(path, _name(prefix, number, place, page), prefix.casefold(), number, title, decided, why, standing, said,
                  *_day_of(page, dated), tuple(ours), tuple(theirs))


def _page_of(place: PurePosixPath, text: str) -> Page | None:
    """The page taken apart, where it is a record."""
    text = tame(text)
    page = take_apart(from_org(text) if place.suffix.casefold() == ".org" else text)
    number = _numbered(place, page)[1]
    standing = _standing_of(page, place)[0]
    known = number is not None or _file_day(place.stem) is not None
    if number == 0 and standing is Standing.UNSTATED and _says_standing(page):
        return None  # all that a status could be, behind the number of what comes before the first: a form
    return page if _is_record(page, standing, known=known) and not _is_hollow(page, text) else None


def _says_standing(page: Page) -> bool:
    return bool(page.first("status") or page.section("status"))


def is_beside(place: PurePosixPath) -> bool:
    """Whether a file's name says that it is about records: a template, an index, a guide."""
    stem = place.stem.casefold()
    beside = patterns.load(WORDS)["beside"]
    words = [word for word in re.split(r"[\W_]+", stem) if word]
    own_folder = stem in _OWN_FOLDER and _NUMBERED_FOLDER.match(place.parent.name)
    if (stem.replace("_", "-") in beside["words"] and not own_folder) or not words or any(
            _names_a_template(re.split(r"[\W_]+", part.casefold())) for part in (*place.parts[:-1], stem)):
        return True
    if re.search(r"(?:^|[-_])(?:n{3,}|x{3,}|y{4,}m{2}d{2})(?:[-_]|$)", stem):
        return True
    # Behind a project's own prefix and the number 0 stands the template, whatever else its name says.
    return words[-1] in ("template", "vorlage", "plantilla") and all(not word.isdigit() or int(word) == 0 for word in words)


def _names_a_template(words: Sequence[str]) -> bool:
    """Whether a file or a folder is called a template and nothing else, whatever number it has."""
    beside = patterns.load(WORDS)["beside"]
    rest = [word for word in words if word and not word.isdigit() and word not in beside["kind"]]
    return bool(rest) and all(word in beside["template"] for word in rest)


def _is_record(page: Page, standing: Standing, *, known: bool) -> bool:
    """Whether a page holds a decision: it has a standing or says what was decided, and a number or a form besides."""
    decides = page.has_section("decision") or bool(page.first("decision"))
    why = page.has_section("context") or page.has_section("why") or bool(page.first("why"))
    stated = standing is not Standing.UNSTATED
    if not (page.title or stated) or not (decides or stated or (known and why)):
        return False
    dated = bool(page.first("date") or page.section("date") or _told_in_passing(page) or day_in(page.first("status")))
    lists = not stated and _says_standing(page)  # all that a status could be
    tells = stated and standing is not Standing.UNKNOWN  # without a number or a day, a sentence about statuses is none
    return known or (tells and (decides or why)) or (stated and dated) or (decides and why and dated and not lists)


def _is_hollow(page: Page, text: str) -> bool:
    """Whether a page is a form that nobody filled in."""
    if _HOLLOW.search(plain(page.title)) or _HOLLOW.search(page.title):
        return True
    return sum(1 for _ in _HOLE.finditer(re.sub(r"```.*?(?:```|\Z)", "", text, flags=re.DOTALL))) >= 3


def _numbered(place: PurePosixPath, page: Page) -> tuple[str, int | None]:
    """The prefix and number of a record: from its file's name, else from its title, else from a field."""
    dated = _FILE_DAY.match(place.stem)
    stem = place.stem[dated.end():].lstrip("-_. ") if dated and _file_day(place.stem) else place.stem
    in_file = _FILE_NUMBER.match(stem)
    front = (in_file["prefix"] or "") if in_file else ""
    if in_file and len(front) <= LONGEST_NAME // 2 and (not front or _is_prefix(front)):
        return front.strip("-_. "), whole(in_file["number"])
    above = _FILE_NUMBER.match(place.parent.name)
    if above and place.stem.casefold() in _OWN_FOLDER:
        return (above["prefix"] or "").strip("-_. "), whole(above["number"])
    in_title = _TITLE_NUMBER.match(plain(page.title))
    if in_title and (not in_title["prefix"] or _is_prefix(in_title["prefix"])):
        return (in_title["prefix"] or "").strip("-_ "), whole(in_title["number"])
    told = re.search(r"(?:([^\W\d_][\w-]*?)[-_ #]*)?(\d{1,6})", plain(page.first("number")))
    return ((told[1] or "").strip("-_ "), int(told[2])) if told else ("", None)


def whole(number: str) -> int:
    """A number as it is compared, a year before it included."""
    return int(re.sub(r"\D", "", number))


def _is_prefix(words: str) -> bool:
    """Whether what stands before a number names a kind of record, as `ADR-` or `odh-adr-operator-` does."""
    parts = [part for part in re.split(r"[\W_]+", words) if part]
    return words.isupper() or len(parts) == 1 and len(words) <= 5 or any(
        part.casefold() in ("adr", "madr", "rfc", "decision", "dr", "record", "ad", "edr", "pdr", "tdr") for part in parts)


def _name(prefix: str, number: int | None, place: PurePosixPath, page: Page) -> str:
    if number is None:
        return place.stem[:LONGEST_NAME]
    written = (found[0] for told in (place.stem, page.title) for found in _DIGITS.finditer(told))
    digits = next((one for one in written if whole(one) == number), str(number))
    front = prefix if any(sign.isupper() for sign in prefix) else prefix.upper()
    return f"{re.sub(r'[_ .]+', '-', front) or 'ADR'}-{digits}"


def _title_of(heading: str, place: PurePosixPath) -> str:
    title = _STANDING_BEHIND.sub(lambda m: "" if standing_in(m[1] or m[2])[0] is not Standing.UNKNOWN else m[0], plain(heading))
    for _ in range(2):
        number = _TITLE_NUMBER.match(title)
        if number and (not number["prefix"] or _is_prefix(number["prefix"])) and title[number.end():].strip():
            title = title[number.end():]
        title = _TITLE_WORD.sub("", title)
    return shortened(title.strip(" :–—-") or place.stem)


def _standing_of(page: Page, place: PurePosixPath) -> tuple[Standing, str]:
    """The standing of a record: its status field, its status section, what its title says, the folder it lies in."""
    unknown = ""
    for told in (*(value for name, value in page.fields.get("status", ()) if value), page.section("status")):
        standing, said = standing_in(_without_replacing(told))
        if standing not in (Standing.UNSTATED, Standing.UNKNOWN):
            return standing, said
        unknown = unknown or (said if standing is Standing.UNKNOWN else "")
    if unknown:
        return Standing.UNKNOWN, unknown
    if told := next(filter(is_standing, page.unnamed), ""):
        return standing_in(told)
    if told := _told_in_passing(page):
        return standing_in(told)
    behind = _STANDING_BEHIND.search(plain(page.title))
    for told in ((behind[1] or behind[2]) if behind else "", *(part for part in reversed(place.parts[:-1]))):
        standing, said = standing_in(told.replace("_", " ").replace("-", " ")) if told else (Standing.UNSTATED, "")
        if standing not in (Standing.UNSTATED, Standing.UNKNOWN) and len(told.split()) <= 2 + (told != place.parent.name):
            return standing, said
    return Standing.UNSTATED, ""


def _told_in_passing(page: Page) -> str:
    """The sentence above the first section that tells a standing and its day: "Agreed on 14 March by both guilds".

    What a list says of others, each entry by its name or a link, is an index's.
    """
    own = _OF_ANOTHER.sub("", page.preamble)
    return next((said for said in sentences_of(own) if (day := day_said(said)) and
                 standing_in(said[:said.index(day)])[0] not in (Standing.UNSTATED, Standing.UNKNOWN)), "")


def _day_of(page: Page, in_name: date | None) -> tuple[date | None, str]:
    """The day of a decision: the one called so, then the one beside its status, in its file's name, of its last change."""
    told = page.fields.get("date", ())
    days = [(name.casefold(), day) for name, value in told if (day := day_in(value))]
    later = ("updated", "modified", "lastmod", "created", "start", "proposed")
    first = next((day for name, day in days if not any(word in name for word in later)), None)
    status = "\n".join((*(v for _, v in page.fields.get("status", ())), page.section("status")))
    steps = [(standing_at(line, said), day) for line in map(plain, status.splitlines())
             if (said := day_said(line)) and (day := day_in(said))]
    steps += [(Standing.ACCEPTED, day) for heading, text in page.sections if kind_of(heading) == "links"
              for line in text.splitlines() if (day := day_in(line)) and standing_in(line)[0] is Standing.ACCEPTED]
    changed = [day for heading, text in page.sections if kind_of(heading) == "links" for line in text.splitlines()
               if (day := day_in(line[:LONGEST_NAME]))]
    taken = [day for kind, day in steps if kind is Standing.ACCEPTED] or [day for kind, day in steps if kind not in _ENDED]
    beside, ended = max(taken, default=None), max((day for _, day in steps), default=None)
    passing = day_in(next((line for line in page.preamble.splitlines() if _is_day(line)), "") or _told_in_passing(page))
    day = (first or day_in(page.section("date")) or beside or in_name or ended or (days[0][1] if days else None) or passing
           or max(changed, default=None))
    if day is not None:
        return day, day.isoformat()
    written = plain(page.first("date") or page.section("date"))[:LONGEST_DAY]
    month = month_in(written)
    return month, month.isoformat()[:7] if month else written if any(sign.isdigit() for sign in written) else ""


def _file_day(stem: str) -> date | None:
    found = _FILE_DAY.match(stem)
    return day_in("-".join(found.groups())) if found else None


def _decided(page: Page, title: str) -> tuple[str, str]:
    """What was decided and why, a sentence each; the title alone says it where the record has no more."""
    body = page.section("decision") or page.section("summary") or page.first("decision")
    decided, why = chosen_in(body)
    decided = decided or first_sentence(body) or first_sentence(
        "\n".join(line for line in page.preamble.splitlines() if not _is_field(line)))
    why = why or first_sentence(page.section("why")) or shortened(plain(page.first("why"))) or reason_in(body)
    why = why or first_sentence(page.section("context"))
    same = re.sub(r"\W+", " ", decided.casefold()).strip() == re.sub(r"\W+", " ", title.casefold()).strip()
    return "" if same else decided, "" if why == decided else why


def _is_field(line: str) -> bool:
    return "|" in line or _is_day(line) or re.match(r"[\s>*_+-]*[^:：]{1,40}[:：]|\s*[-*+>!]", line) is not None


def _is_day(line: str) -> bool:
    """Whether a line holds a day and nothing else."""
    return (said := day_said(line)) != "" and len(re.sub(r"\W", "", line.replace(said, "", 1))) == 0


def _speaks_of(page: Page) -> tuple[list[str], list[str]]:
    """What a page says that it supersedes, and by what it is superseded, in the words that name it."""
    told: dict[str, list[str]] = {"supersedes": [], "superseded_by": []}
    for kind, found in told.items():
        found += [value for _, value in page.fields.get(kind, ()) if not says_nothing(value)]
        found += [text for heading, text in page.sections if kind_of(heading) == kind and not says_nothing(text)]
    for text in _places(page):
        for kind, cue in (("superseded_by", _by()), ("supersedes", _OVER)):
            told[kind] += [whom for found in cue.finditer(text) if not says_nothing(whom := found[1] or found[2])
                           and not speaks_of_part(text[max(0, found.start() - 20):found.start()] + whom)]
    for line in (*(line for text in _places(page) for line in _SPEAKS.finditer(text)), *_said_of_itself(page)):
        kind = _relation_of(line)
        if kind in told and not speaks_of_part(f"{line['what']} {line['whom']}"):
            told[kind].append(line["whom"])
    return told["supersedes"], told["superseded_by"]


def _said_of_itself(page: Page) -> Iterator[re.Match[str]]:
    """Lines among its reasons that begin by saying what the record replaces; elsewhere only with itself as their subject."""
    for heading, text in page.sections:
        for part in re.split(r"\n\s*\n|\n(?=[ \t]*[-*+•][ \t])", text):
            line = _SPEAKS.match(part)
            reasons = kind_of(heading) in ("decision", "summary", "context", "why")
            if line and _NAMED_AT_ONCE.match(line["whom"]) and (reasons or _ITSELF.match(part)):
                yield line


def _relation_of(line: re.Match[str]) -> str:
    """The kind of relation that a line tells; a verb may stand around what it speaks of ("löst ADR-7 ab")."""
    what, last = line["what"], line["whom"].rstrip(" .").rpartition(" ")[2]
    if (day := day_said(line["whom"])) and line["whom"].startswith(day):
        return ""  # it tells when, and not what of
    return kind_of(what.rpartition(",")[2]) or kind_of(what.split()[-1]) or kind_of(f"{what} {last}")


def _without_replacing(status: str) -> str:
    """A status without the lines that say what the record replaces: "ersetzt" by itself is also what became of a record."""
    return _SPEAKS.sub(lambda line: "" if _relation_of(line) == "supersedes" else line[0], status)


@cache
def _by() -> re.Pattern[str]:
    """What says by whom a record was replaced, a day perhaps between: "replaced on 2 May by …", "ersetzt durch …"."""
    names = [name.rpartition(" ") for name in patterns.load(WORDS)["fields"]["superseded_by"] if " " in name]
    verbs, means = ("|".join(sorted({re.escape(one) for one in some}, key=lambda one: (-len(one), one)))
                    for some in ([verb for verb, _, _ in names], ["with", *(by for _, _, by in names)]))
    return re.compile(rf"(?i)\b(?:{verbs})(?:[ \t,(]+(?:\w{{1,3}}[ \t]+)?\d[\d./-]{{5,9}}\)?)?"
                      rf"[ \t]+(?:{means})\b[ \t:|]*([^\n|]{{1,300}})"
                      r"|(?:\b(?:durch|von)[ \t]|被|由)[ \t]*([^\n]{1,200}?)[ \t]*(?:\b(?:ersetzt|abgelöst)\b|取代)")


_OVER = re.compile(r"(?i)\b(?:super[sc]e+des|superseeds|obsoletes)\b[ \t:|]*([^\n|]{1,300})"
                   r"|取代[ \t了]*([^\n]{1,200})")


def _places(page: Page) -> Iterator[str]:
    """Where a record speaks of its relations to others: its status, above its first section, among its links."""
    yield EMPHASIS.sub("", page.preamble)
    yield from (behind[1] or behind[2] for behind in _STANDING_BEHIND.finditer(plain(page.title)))
    yield from (value for kind in ("status", "links") for _, value in page.fields.get(kind, ()))
    yield from (text for heading, text in page.sections if kind_of(heading) in ("status", "links"))
