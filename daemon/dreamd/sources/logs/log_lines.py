"""What one line of a log tells, in every dialect: dream's own, Go's `slog`, structlog and pino as JSON, and logfmt.

The dialects differ in the names of the same few fields, so a line is looked at by names, not by program. An *operation*
needs words for why it was done: a line without any (a request, a heartbeat) is traffic. Of the tool and the target one may
be missing, for which the message stands then. A line that names both as such (`tool` with `target` or `detail`, as dream's own
do) may do without a reason.

**A run** is what a line names as one (`run`, `session`, `conversation`, `job_id`, `build` and their like); else a process
on one day (`pid`, with its host: a service that stays up for weeks does not run once); else its time tells: the same
operation less than half an hour after the last time on the same day is the same run.
"""

from __future__ import annotations

import re
from datetime import datetime
from functools import lru_cache

from dreamd.core.values import Deed, Logged
from dreamd.sources.base.tolerant import Record, clean, moment, parse_record

LONGEST_FIELD = 300
LONGEST_LINE = 64 * 1024
MOST_ABOUT = 3
_TIME = ("timestamp", "time", "ts", "@timestamp", "at", "t", "datetime")
_LEVEL = ("level", "lvl", "severity", "levelname", "log.level")
_MESSAGE = ("msg", "message", "event")
_ACTION = ("action", "operation", "op")
_TOOL = ("tool", "command", "cmd", "program", "component", "logger", "name", "module", "service", "app", "subsystem")
_TARGET = ("target", "detail", "path", "file", "resource", "object", "table", "test", "job", "package", "url", "endpoint")
_NAMED = ("target", "detail")
_REASON = ("reason", "why", "cause")
_WRONG = ("err", "error", "exception", "exc_info")
_RUN = ("run", "run_id", "runid", "session", "session_id", "sessionid", "conversation", "job_id", "build", "build_id",
        "invocation", "invocation_id")
_HOST = ("hostname", "host")
_ERROR_LEVELS = frozenset({"error", "err", "fatal", "critical", "crit", "panic", "alert", "emerg", "emergency"})
_ERROR_NUMBER = 50
"""From here on pino's levels are errors; its debug lines stand at 20 and below."""
_NO_DEED = frozenset({"debug", "trace", "10", "20"})
_ERRORS = frozenset({"error", "errors", "err", "fail", "failed", "fails", "failure", "failing", "crash", "crashed", "exception",
                     "panic", "broken", "broke"})
_FIXES = frozenset({"fix", "fixed", "fixes", "bugfix", "hotfix", "resolve", "resolved", "repair", "repaired", "mend", "mended",
                    "patched", "recover", "recovered", "restored"})
_DENIALS = frozenset({"no", "not", "never", "without", "if", "until", "when"})
_PAIR = re.compile(r'([A-Za-z_@][\w.@/-]{0,80})(=(?:"(?:[^"\\]|\\.)*"|[^\s"]*))?(?:\s+|$)')
_PAIRS = re.compile(rf"\s*(?:{_PAIR.pattern})+")
_WORD = re.compile(r"[a-z]+")
_VOLATILE = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"
                       r"|\b\d{4}-\d\d-\d\d[t ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:z|[+-]\d\d:?\d\d)?"
                       r"|\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}\b"
                       r"|\b\d+(?:\.\d+)?\s?(?:ns|µs|us|ms|s|sec|seconds|min|minutes)\b|\bpid[ =]\d+\b")
"""What differs each time the same is done: ids, hashes, times, and how long it took."""
_HEAD = re.compile(r"([^:]{2,60}?)(?:: | [-–—] )")
"""What stands before the colon: `billing api: timeout`."""
_JOINTS = frozenset("/._-")


def parse_line(text: str) -> Record | None:
    """The fields of a line, of JSON or of `key=value` pairs; None where it has none."""
    text = text.strip()[:LONGEST_LINE]
    return parse_record(text) if text.startswith("{") else _pairs(text)


def is_log(record: Record) -> bool:
    """Whether fields are those of a line of a log: when, and either how grave and what, or what was done with what to what."""
    fields = _flat(record)
    if not isinstance(record.get("text"), str) and _at(record) is not None:
        return bool(_first(fields, _LEVEL) and _first(fields, _MESSAGE)) or all(
            _first(fields, names) for names in (_ACTION, ("tool",), _TARGET))
    return False


def read_logged(record: Record) -> Logged | None:
    """What a line tells; None for one that tells of nothing done, no error and no fix."""
    at, fields = _at(record), _flat(record)
    if at is None:
        return None
    said, level = _first(fields, _MESSAGE), _first(fields, _LEVEL).casefold()
    action, target, reason = _first(fields, _ACTION) or said, _first(fields, _TARGET), _first(fields, _REASON)
    tool = _first(fields, _TOOL)
    deed = _deed(action, said, level)
    if deed is Deed.DONE and level in _NO_DEED:
        return None
    own = all(_first(fields, (name,)) for name in ("action", "tool", "detail"))
    if deed is not Deed.DONE:
        reason = reason or _first(fields, _WRONG)
        if not (target or said):
            return None
    elif not (_first(fields, ("tool",)) and _first(fields, _NAMED)) and not (reason and (tool or target) and (said or action)):
        return None
    return Logged(at, deed, action, tool, target or said, reason, _run(fields, at), _first(fields, ("scope",)) if own else "",
                  _about(target, said, named=bool(target) and not own) if deed is not Deed.DONE else ())


def steady(text: str) -> str:
    """A text without what differs each time the same is done."""
    return " ".join(_VOLATILE.sub(" ", text.casefold()).split())


@lru_cache(maxsize=1_024)
def _deed(action: str, said: str, level: str) -> Deed:
    if level in _ERROR_LEVELS or level.isdecimal() and int(level) >= _ERROR_NUMBER:
        return Deed.ERROR
    # What became of it stands first or last: "failed to connect", "restart fixed"; between them stands what it is about.
    words = [found for text in dict.fromkeys((action, said)) if (found := _WORD.findall(text.casefold()))]
    ends = [found[0] for found in words] + [found[-1] for found in words if not _DENIALS & set(found)]
    told = next((word for word in ends if word in _ERRORS or word in _FIXES), "")
    return Deed.ERROR if told in _ERRORS else Deed.FIX if told else Deed.DONE


def _about(target: str, said: str, *, named: bool) -> tuple[str, ...]:
    """What an error or a fix is about: the target that is named, else paths and names of a shape in its words."""
    if named:
        return (steady(target),)
    from dreamd.text.identifiers import fixed_names
    from dreamd.text.tokens import tokens

    words = " ".join(dict.fromkeys((target, said))).strip()
    plain = words.casefold()
    shaped = {name.casefold() for name in fixed_names(words, tokens(words)) if _JOINTS & set(name) and " " not in name}
    found = sorted(shaped, key=lambda name: (plain.find(name), name))[:MOST_ABOUT]
    whole = steady(target or said)
    head = _HEAD.match(whole)
    return tuple(dict.fromkeys(one for one in (*found, head[1] if head else "", whole) if one))


def _run(fields: Record, at: datetime) -> str:
    named = _first(fields, _RUN)
    if named:
        return named
    pid = _first(fields, ("pid",))
    return f"{_first(fields, _HOST)}:{pid}:{at:%Y-%m-%d}" if pid else ""


def _at(record: Record) -> datetime | None:
    return next((at for name in _TIME if name in record and (at := moment(_number(record[name]))) is not None), None)


def _number(value: object) -> object:
    """A time that a line without types spells as a number."""
    return float(value) if isinstance(value, str) and value.replace(".", "", 1).isdecimal() and len(value) > 8 else value


def _first(fields: Record, names: tuple[str, ...]) -> str:
    """The first of some fields that says something, as words."""
    for name in names:
        if name in fields:
            value = fields[name]
            if isinstance(value, str):
                words = " ".join(value[:LONGEST_FIELD * 4].split())
            else:
                words = str(value) if isinstance(value, int | float) and not isinstance(value, bool) else ""
            if words:
                return clean(words)[:LONGEST_FIELD]
    return ""


def _flat(record: Record) -> Record:
    """The fields, those of a group beside the others where nothing else has their name."""
    found = {name.casefold(): value for name, value in record.items()}
    for name, group in record.items():
        if isinstance(group, dict):
            for inner, value in group.items():
                found.setdefault(f"{name}.{inner}".casefold(), value)
                found.setdefault(str(inner).casefold(), value)
    return found


def _pairs(text: str) -> Record | None:
    """The fields of a logfmt line; None where anything in it is none."""
    if not _PAIRS.fullmatch(text):
        return None
    found: Record = {name: _unquoted(value[1:]) if value else True for name, value in _PAIR.findall(text)}
    return found if any(not isinstance(value, bool) for value in found.values()) else None


def _unquoted(value: str) -> str:
    if not value.startswith('"'):
        return value
    if "\\" not in value:
        return value[1:-1]
    parsed = parse_record(f'{{"v":{value}}}')
    return str(parsed["v"]) if parsed else value[1:-1].replace('\\"', '"')
