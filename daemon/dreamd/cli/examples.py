"""What a person types first: a few lines for every command, shown below its help. Every one works as printed."""

from __future__ import annotations

EXAMPLES: dict[str, tuple[tuple[str, str], ...]] = {
    "consolidate": (
        ("dream consolidate --dry-run", "what a dream would do; nothing is written"),
        ("dream consolidate", "one dream, now"),
        ("dream consolidate --plan night.json", "keep the plan, read it at leisure, …"),
        ("dream consolidate --apply night.json", "… and carry out exactly that")),
    "status": (("dream status", ""),),
    "note": (
        ('dream note "Deploys go through the blue pipeline"', "holds everywhere"),
        ('dream note "Staging is frozen" --scope project:harbour --ttl 2030-01-31', "one project, until a day"),
        ("dream note --jsonl notes.jsonl", "one JSON object a line, `text` is required"),
        ("git log -1 --format=%B | dream note", "from standard input")),
    "ingest": (
        ("dream ingest ~/.claude/projects", "transcripts of an agent"),
        ("dream ingest ~/notes/memory", "a memory directory, wherever it came from")),
    "log": (
        ('dream log deploy helm "web 1.4 to staging" --reason release', "one line more"),
        ("dream log --query staging --since 7d", "what was done there this week")),
    "sources": (("dream sources", ""),),
    "capture": (
        ('dream capture https://example.org/tides --fetch --why "for the harbour plan"', "fetched, because you say so"),
        ("dream capture ~/Downloads/tides.pdf --tag sea", "a file becomes a note too"),
        ("pbpaste | dream capture - --why \"said at lunch\"", "some words")),
    "corpus": (
        ("dream corpus add ~/handbook --tag ops --watch", "every dream brings it up to date"),
        ("dream corpus list", "what was added, and what of it could not be read"),
        ('dream search --corpus "how are backups restored?"', "documents answer; memories are not asked")),
    "open": (
        ("dream open", "prints the link; Ctrl-C closes the page"),
        ("dream open --no-browser --idle 5", "ends when nobody has looked for five minutes")),
    "list": (
        ("dream list", "what holds"),
        ("dream list --scope project:harbour --class rule", "the rules of one project"),
        ("dream list --status held --status stale", "what waits or fades"),
        ("dream list --all", "also what was replaced or archived")),
    "show": (("dream show 53e5", "four characters of an id are enough where they are unique"),),
    "search": (
        ('dream search "how do we deploy?"', "words and meaning together"),
        ("dream search port -k 3", "three results"),
        ("dream search port --all", "also what was replaced or archived"),
        ("dream search password --held", "also what waits for a decision")),
    "explain": (("dream explain 53e5", "who said what when, and every decision since"),),
    "task": (
        ('dream task start export --title "Export to CSV"', "in the repository you stand in"),
        ('dream task verify "quotes are doubled" --how "pytest tests/test_csv.py"', "an item that was checked"),
        ('dream task note "no access to staging" --blocker', "what stands in the way"),
        ("dream task phase build", "end the present phase, begin the next"),
        ("dream task show export --brief", "what is needed to go on")),
    "relate": (
        ('dream relate "The API listens on 8080" "The API listens on 9090"', ""),
        ("dream relate --jsonl pairs.jsonl", 'lines like {"a": "…", "b": "…"}')),
    "review": (
        ("dream review", "one question after the other"),
        ("dream review 04e9 keep-a", "decide one: the named memory holds"),
        ("dream review --pairs", "what you decided, as labelled pairs that train a judge")),
    "pin": (("dream pin 53e5", ""),),
    "unpin": (("dream unpin 53e5", ""),),
    "edit": (('dream edit 53e5 "The API listens on port 9090"', "at once, and `dream undo RUN` takes it back"),),
    "restore": (("dream list --status archived", "find it"), ("dream restore 53e5", "bring it back")),
    "promote": (("dream search \"the kiln\"", "find what was said"), ("dream promote 53e5", "keep it as a memory")),
    "doctor": (
        ("dream doctor", "exit 0: all is well, 1: something is not, 2: something could not be looked at"),
        ("dream doctor --json", "for a program")),
    "audit": (
        ("dream audit", "dream's own memory"),
        ("dream audit CLAUDE.md", "an instruction file; exit 0 clean, 1 findings, 2 could not look"),
        ("dream audit ~/.claude/projects/x/memory --root ~/src/x", "an agent's memory of a repository")),
    "forget": (
        ("dream forget 53e5", "one memory and all that was said for it"),
        ('dream forget --matching "blue pipeline"', "every memory with all these words; asks first")),
    "scope": (
        ("dream scope list", "every scope, and what its project is known by"),
        ("dream scope map --dry-run", "what could become of scopes that an older dream kept by directory names")),
    "history": (
        ("dream history", "the newest runs"),
        ("dream history 8473", "one run: everything that was said, what became of it and why")),
    "diary": (("dream diary --since 3d", "what the last nights did, and why"),
              ("dream diary --html diary.html", "one page with pictures, to keep or to mail")),
    "diff": (("dream diff 8473", "every change: before, after, why"), ("dream diff 8473 -v", "and every single fate")),
    "events": (("dream events --verdict discard --since 7d", "what was let go this week"),
               ("dream events --follow", "each verdict as it comes")),
    "undo": (
        ("dream undo", "the last dream that changed something"),
        ("dream undo 8473 --dry-run", "what taking it back would mean"),
        ("dream undo --redo 8473", "let the next dream take up what it had heard")),
    "check": (("dream check", "look"), ("dream check --repair", "rebuild what is derived")),
    "export": (
        ("dream export memory.jsonl", "everything, to take to another machine"),
        ("dream export notes", "a folder of notes to read, with all records beside them"),
        ("dream export harbour.zip --scope project:harbour", "a bundle of one scope; prints the hash it can be pinned to")),
    "import": (
        ("dream import memory.jsonl", "what is here already, or was forgotten here, stays so"),
        ("dream import mem0.json --dry-run", "from mem0's `get_all`; Claude's data export, basic-memory's folders too")),
    "restore-store": (("dream restore-store", "the newest verified backup"),),
    "init": (("dream init", "an empty store; `dream note` and `dream consolidate` make one by themselves"),
             ("dream init --new", "the old one is lost and you do without it")),
    "config": (
        ("dream config path", "where the file is looked for"),
        ("dream config show", "what applies, and where it came from"),
        ("dream config set recall.lean 5", "one setting; everything else in the file stays"),
        ("dream config unset recall.lean", "its default counts again"),
        ("dream config check", "is the file right?")),
    "llm": (
        ("dream llm setup", "finds what is here, shows what it would mean, asks, tries one call"),
        ("dream llm setup claude", "the program you are logged in with, no key needed"),
        ("dream llm setup openai --base-url http://localhost:11434/v1 --model qwen3", "a server on this machine"),
        ("dream llm status", "who is asked for what, and what it used"),
        ("dream llm log", "each call"),
        ("dream llm off", "ask nobody any more")),
    "completion": (("dream completion bash", "goes into ~/.local/share/bash-completion/completions/dream"),
                   ("dream completion zsh", "goes into `_dream` in a folder of $fpath"),
                   ("dream completion fish", "goes into ~/.config/fish/completions/dream.fish")),
    "eval": (("dream eval", "built-in questions, in homes of its own"), ("dream eval --gold mine.json", "your own")),
    "run": (("dream run", "in the foreground; `dream service install` keeps it running"),),
    "service": (("dream service print", "the unit, without installing it"), ("dream service install", ""),
                ("dream service uninstall", "")),
    "pause": (("dream pause --for 2h", "for two hours"), ("dream pause", "until `dream resume`")),
    "resume": (("dream resume", ""),),
    "connect": (("dream connect --list", "which agents are here"), ("dream connect claude-code", "shows the change and asks")),
    "disconnect": (("dream disconnect claude-code", ""),),
    "attach": (("dream attach ~/.claude/projects/x/memory", "shows the difference and asks"),),
    "detach": (("dream detach ~/.claude/projects/x/memory", ""),),
    "team": (("dream team init --tenant acme --url postgresql://owner@db/team", "make it, or bring it up to date"),
             ("dream team users add ann --role curator --tenant acme --url postgresql://owner@db/team", "let a role in"),
             ("dream team status", "how each tenant is doing"),
             ("dream team sync", "bring what this home shares up, and the team's memories down"),
             ("dream team private 3fa2", "keep a memory to this machine"),
             ("dream team import project:cedar", "take a scope of your own along"),
             ("dream team export ~/acme", "a tenant as a home of its own"),
             ("dream team drain", "hand out no more tasks and wait for those at work; `--off` hands out again")),
    "worker": (("dream worker --concurrency 2", "two tasks at a time, until it is told to stop"),
               ("dream worker --until-idle", "work off what waits, then leave"),
               ("dream worker --all-tenants", "for every tenant this role belongs to")),
    "mcp": (("dream mcp", "an agent starts this itself"),),
    "hook": (("dream hook session-start", "with the harness's JSON on standard input"),),
}


def lines_of(rows: tuple[tuple[str, str], ...], indent: str = "  ") -> list[str]:
    """Command lines with what they do, aligned where that stays readable."""
    width = max(len(command) for command, _ in rows)
    if any(what for _, what in rows) and width <= 44:
        return [f"{indent}{command:<{width}}  {what}".rstrip() for command, what in rows]
    return [line for command, what in rows for line in (f"{indent}{command}", f"{indent}    {what}" if what else "") if line]
