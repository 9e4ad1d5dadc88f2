"""Every command there is, in the groups people think in, and the module that carries each out.

A table and nothing else, so that `dream --help` costs no import.
"""

from __future__ import annotations

from collections.abc import Iterable

LIKE_A_SLIP = 0.75
"""Likeness from which a word is another one mistyped: `serch` is, `long` for `config` and `remove` for `resume` are not."""
GROUPS: tuple[tuple[str, tuple[tuple[str, str, str], ...]], ...] = (
    ("dream", (
        ("consolidate", "dreaming", "one whole dream now: read, compare, merge, retire"),
        ("status", "state", "what it is doing, when it last did anything, what waits, what is next"),
        ("probe", "probe", "is it healthy? exit 0 yes, 1 no, 2 cannot tell"),
    )),
    ("tell", (
        ("note", "intake", "add a statement, or many from JSON lines"),
        ("ingest", "intake", "read transcripts, memory directories and logs from anywhere"),
        ("log", "knowledge.operating", "what was done, with what and why: one line, or look lines up"),
        ("sources", "intake", "what was found on this machine, how far each was read"),
        ("capture", "knowledge.capture", "keep a page, a file or some words as a find, with why"),
        ("corpus", "knowledge.corpus", "documents to look things up in: add, list, remove"),
    )),
    ("look", (
        ("open", "showing.browsing", "the page: nights, memories, what waits for you, in a browser on this machine"),
        ("list", "looking", "the memories"),
        ("show", "looking", "one memory in full"),
        ("search", "looking", "the memories that answer a question"),
        ("explain", "explaining", "why a memory is what it is"),
        ("relate", "relating", "judge pairs of statements without storing anything"),
    )),
    ("decide", (
        ("review", "deciding", "the held memories, one at a time"),
        ("pin", "deciding", "keep a memory as it is, whatever a dream finds"),
        ("unpin", "deciding", "let dreams tend to it again"),
        ("edit", "deciding", "give a memory other words"),
        ("restore", "deciding", "bring an archived or replaced memory back"),
        ("promote", "deciding", "make a memory of what was said in passing"),
        ("forget", "deciding", "remove memories and what was said, for good"),
        ("scope", "scoping", "whose project is what: list, rename, merge, move, map"),
    )),
    ("work", (
        ("task", "working.tasks", "a piece of work over many conversations: notes, verified items, phases"),
    )),
    ("journal", (
        ("history", "run_log", "the runs so far"),
        ("diff", "run_log", "what a run changed"),
        ("diary", "telling.diaries", "the nights in a few sentences each, here or as a note or page"),
        ("events", "knowledge.watching", "what the gate decided on everything said; `--follow` as it comes"),
        ("undo", "run_log", "take a run back"),
    )),
    ("upkeep", (
        ("check", "upkeep", "verify store, files, vectors and journal against each other"),
        ("doctor", "showing.doctoring", "probe, check, sources, hooks, service and versions: one report, and what to do next"),
        ("audit", "auditing", "what pollutes a memory, yours or an agent's: twins, contradictions, what is gone"),
        ("export", "moving.travelling", "all that is known, or one scope, into a file or folder of your own"),
        ("import", "moving.travelling", "take in an export, or what mem0, Claude or basic-memory kept"),
        ("restore-store", "founding", "go back to a verified backup of the store"),
        ("init", "founding", "make a store; `--new` where the old one is lost"),
        ("config", "upkeep", "settings, where each came from, what was clamped"),
        ("completion", "telling.completing", "what a shell needs to complete these words: bash, zsh, fish"),
        ("llm", "llm", "a language model, where you want one: set up, off, what it used"),
        ("eval", "measuring", "does it help? what recall finds before and after dreaming"),
    )),
    ("team", (
        ("team", "working.teaming", "a team's memory on PostgreSQL, for whoever runs it: init, status, users, drain"),
        ("worker", "working.serving_team", "dream for a team: take its tasks, as many of these as you like"),
    )),
    ("service", (
        ("run", "daemon", "the service itself: watches, waits, dreams at night"),
        ("service", "daemon", "install, uninstall or look at the systemd or launchd unit"),
        ("pause", "daemon", "keep the service from starting work"),
        ("resume", "daemon", "let it start work again"),
    )),
    ("agents", (
        ("connect", "agents", "hooks in an agent's own configuration"),
        ("disconnect", "agents", "take the hooks out again, to the byte"),
        ("attach", "attaching", "keep an agent's own memory directory in order"),
        ("detach", "attaching", "leave that directory alone again"),
        ("mcp", "agents", "Model Context Protocol server on standard input and output"),
        ("hook", "agents", "called by an agent's harness; exit 0 whatever happens"),
    )),
)

FAMILY = {name: family for _, rows in GROUPS for name, family, _ in rows}
SUMMARY = {name: summary for _, rows in GROUPS for name, _, summary in rows}

GLOBAL_OPTIONS = (
    ("--home DIR", "everything dream writes lives below it (or DREAM_HOME)"),
    ("--config FILE", "settings file (or DREAM_CONFIG)"),
    ("--now TIME", "act as if it were this time, ISO 8601 (or DREAM_NOW)"),
    ("--json", "one JSON document on standard output"),
    ("-q, -v", "quieter, louder"),
)


EVERYDAY = (
    ("dream consolidate", "one dream, now; `--dry-run` only shows it"),
    ("dream status", "what it does, what waits, is it healthy"),
    ("dream open", "all of it on a page in your browser"),
    ('dream note "Deploys go through Nix"', "tell it something"),
    ('dream search "how do we deploy?"', "ask it"),
    ("dream list", "what holds now"),
    ("dream explain 53e5", "why it is what it is: who said what"),
    ("dream review", "decide what waits for you"),
    ('dream edit 53e5 "…"', "other words for a memory"),
    ("dream forget 53e5", "for good, everywhere"),
    ("dream diff", "what the last run changed, and why"),
    ("dream undo", "take it back"),
    ("dream connect claude-code", "tell an agent what is known, and listen"),
)
"""What people use most, in the order in which they come to need it."""


NARROW = 80
"""Columns that every terminal has."""


def overview() -> str:
    """The text of `dream --help`: the everyday commands with an example each, and where all the others are told."""
    from dreamd.cli.examples import lines_of
    from dreamd.cli.manual.topics import list_topics
    from dreamd.cli.printing.render import wrap

    lines = ["usage: dream [options] COMMAND …", "",
             "Consolidates the memory of AI agents: what they and you said becomes small,", "current and explained.",
             "", "every day:", *lines_of(EVERYDAY)]
    lines += ["", "all commands (`dream help FAMILY` tells what each is for):"]
    for title, rows in GROUPS:
        lines += wrap(" ".join(name for name, _, _ in rows), NARROW, f"  {title:<10}").splitlines()
    lines += ["", "at length (`dream help TOPIC`):", *wrap(" · ".join(list_topics()), NARROW, "  ").splitlines()]
    lines += ["", "options, before or after the command:", *(f"  {name:<15}{what}" for name, what in GLOBAL_OPTIONS),
              "", "`dream COMMAND --help` shows a command's own options and examples"]
    return "\n".join(lines)


def nearest(word: str) -> str | None:
    """The command somebody probably meant."""
    return nearest_of(word.lower(), [*FAMILY, "help"])


def nearest_of(word: str, known: Iterable[str]) -> str | None:
    """The one of some words that a person probably mistyped; none where it would be a guess."""
    import difflib

    close = difflib.get_close_matches(word, list(known), n=1, cutoff=LIKE_A_SLIP)
    return close[0] if close else None
