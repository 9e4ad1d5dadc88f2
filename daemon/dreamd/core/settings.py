"""Settings: one frozen record a table, read from TOML, clamped to their range, and never guessed.

A value out of range is clamped with a warning; a misspelt table or key is an error that names the nearest
real one, because a setting that silently does nothing is worse than none. `config/dream.toml` shows every
setting at its default; a test holds the two together.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import Any  # TOML values are of any type until they are checked here

from dreamd.core.chosen.tables_of_teams import with_members
from dreamd.core.errors import ConfigError
from dreamd.core.values import parse_scope

LARGEST_FILE_BYTES = 1_000_000
LIKE_A_SLIP = 0.75
TEAM_FORM = "write `payments = [\"repo-a\", \"~/src/pay\"]` below `[teams]`"


def _number(default: float, low: float, high: float, doc: str) -> Any:
    return field(default=default, metadata={"low": low, "high": high, "doc": doc})


def _choice(default: str, choices: tuple[str, ...], doc: str) -> Any:
    return field(default=default, metadata={"choices": choices, "doc": doc})


def _free(default: object, doc: str) -> Any:
    return field(default=default, metadata={"doc": doc})


@dataclass(frozen=True)
class StoreSettings:
    url: str = _free("", "a team's store, `postgresql://ROLE@HOST/DATABASE`, password in `~/.pgpass`; empty: a file")
    tenant: str = _free("", "which tenant of a team's store this home works in")
    dream_after_s: int = _number(60, 0, 86_400, "a team's scope is dreamt so long after a word; for `dream team init`")
    worker_lost_after_s: int = _number(30, 2, 3600, "a worker without a sign of life for so long loses its tasks to others")
    zone: str = _free("auto", "time zone of days and TTLs, an IANA name; auto: the machine's when the store is made")
    allow_network_filesystem: bool = _free(False, "accept a home on NFS or SMB, where locks may not exclude")
    backups_kept: int = _number(4, 1, 50, "verified copies of the store kept in `backups/`, packed, without vectors")
    runs_kept_days: int = _number(3650, 30, 36500, "how long runs stay in the journal and can be taken back")


@dataclass(frozen=True)
class SourceSettings:
    claude_code: bool = _free(True, "read Claude Code transcripts and memory directories")
    codex: bool = _free(True, "read Codex CLI sessions and memories")
    gemini: bool = _free(True, "read Gemini CLI sessions")
    copilot: bool = _free(True, "read Copilot CLI sessions and chats of VS Code")
    opencode: bool = _free(True, "read OpenCode sessions")
    openclaw: bool = _free(True, "read OpenClaw sessions and workspaces")
    cursor: bool = _free(True, "read Cursor agent transcripts")
    hermes: bool = _free(True, "read Hermes memories")
    letta: bool = _free(True, "read Letta memories")
    paths: tuple[str, ...] = _free((), "more files or directories to read on every dream")
    exclude: tuple[str, ...] = _free((), "never read: paths as in .gitignore, `project:NAME`, `conversation:ID`")
    read_budget_mib: int = _number(256, 1, 4096, "most that one dream reads from one source")


@dataclass(frozen=True)
class ExtractionSettings:
    every_turns: int = _number(5, 1, 100, "completed turns of a conversation after which it is extracted")
    min_minutes: float = _number(10, 0, 1440, "least time between two extractions of one conversation")
    promote_after_conversations: int = _number(3, 2, 20, "conversations that make a repeated one-off order a rule")


@dataclass(frozen=True)
class ConsolidateSettings:
    neighbours: int = _number(6, 2, 64, "nearest memories each new statement is compared with")
    neighbour_floor: float = _number(0.40, 0.0, 0.95, "cosine below which two statements are not compared")
    passage_pairs: int = _number(1500, 0, 100000, "pairs with a passage that one dream judges, of the newest first; 0: none")
    max_retire_percent: int = _number(20, 1, 100, "share of a scope's live memories one run may retire")
    retire_always: int = _number(5, 1, 1000, "memories one run may retire whatever the share")
    max_delete_percent: int = _number(50, 1, 100, "share of a scope's live memories that deleted files may end in one run")
    delete_always: int = _number(10, 1, 1000, "memories that deleted files may end in one run whatever the share")


@dataclass(frozen=True)
class PruneSettings:
    stale_after_days: int = _number(90, 7, 3650, "days without being said, confirmed or recalled until a reference is stale")
    archive_after_days: int = _number(90, 7, 3650, "further days until a stale memory is archived")


@dataclass(frozen=True)
class IndexSettings:
    max_lines: int = _number(200, 20, 2000, "longest `MEMORY.md` in lines")
    max_kib: int = _number(25, 2, 256, "largest `MEMORY.md` in KiB")
    aim_lines: int = _number(140, 10, 2000, "length an attached agent's index is brought down to once it is over the limit")


@dataclass(frozen=True)
class RecallSettings:
    floor: float = _number(0.35, 0.0, 1.0, "score below which nothing is shown")
    memory_boost: float = _number(1.5, 0.1, 5.0, "factor for memories and passages")
    document_boost: float = _number(0.85, 0.1, 5.0, "factor for process documents")
    superseded_factor: float = _number(0.5, 0.0, 1.0, "factor for superseded versions")
    decay: float = _number(0.02, 0.0, 0.1, "most that age and staleness take of a score; order only, never below the floor")
    age_rate_per_day: float = _number(0.0, 0.0, 1.0, "exponential rate in its place; 0: none")
    word_weight: float = _number(0.35, 0.0, 1.0, "share of the word match in the fused similarity")
    share_of_best: float = _number(0.6, 0.0, 1.0, "nearness below this share of the best is left out, save from deep looks")
    context_weight: float = _number(1.5, 0.0, 5.0, "what words behind what was said before them count beside the words alone")
    value_weight: float = _number(0.15, 0.0, 1.0, "lift of a text that has the kind of value a question asks for")
    speaker_weight: float = _number(0.25, 0.0, 1.0, "lift of what was said by somebody whom the question names")
    answer_weight: float = _number(0.3, 0.0, 1.0, "lift of what reads as an answer to the question; 0: nothing is read")
    least_sure: float = _number(0.004, 0.0, 1.0, "how likely one result must answer a question for any to be shown; 0: always")
    passages: int = _number(10, 0, 10, "of ten results at most, what was said and no memory carries; 0: none, and none is kept")
    lean: int = _number(3, 1, 50, "results of the lean budget")
    balanced: int = _number(7, 1, 50, "results of the balanced budget")
    deep: int = _number(15, 1, 50, "results of the deep budget")
    injection_cap: int = _number(10, 1, 50, "most memories ever injected into a conversation")


@dataclass(frozen=True)
class ModelSettings:
    engine: str = _choice("auto", ("auto", "light", "torch"), "auto: onnxruntime; torch for many texts on an accelerator")
    device: str = _choice("cpu", ("cpu", "cuda", "mps"), "where torch embeds, when it does")
    directory: str = _free("", "directory of the embedding model; empty: the installed package")
    threads: int = _number(1, 1, 64, "CPU threads used for embedding")


@dataclass(frozen=True)
class ServiceSettings:
    min_hours: float = _number(24, 0, 720, "least time between two dreams")
    volume_base: int = _number(50, 1, 100000, "waiting statements that make a dream worth while")
    volume_share: float = _number(0.2, 0.0, 10.0, "the same, per memory already kept")
    volume_sessions: int = _number(5, 1, 1000, "conversations with something new that are enough instead")
    nightly_at: str = _free("03:00", "local time of the nightly dream")
    weekly_page: bool = _free(False, "write a page a week into `weeks/` in the home: what was learned, changed, decided, waits")
    quiet_minutes: float = _number(5, 0, 120, "how long agents must have been quiet")
    battery_min_percent: int = _number(30, 0, 100, "charge below which nothing starts on battery")
    max_load_per_core: float = _number(0.7, 0.05, 16.0, "load above which a dream waits, where pressure is unknown")
    min_free_percent: float = _number(5, 0, 50, "free share of the disk below which nothing starts; never less than 1 GiB")
    settle_s: int = _number(120, 0, 3600, "wait after login or resume")
    trickle_after_hours: float = _number(24, 1, 720, "deferral after which a dream runs slowly all the same")
    starved_after_hours: float = _number(72, 1, 2160, "deferral that counts as starved")
    notify: bool = _free(False, "say on the desktop, once a day, that something waits for a decision or health is bad")
    child_timeout_minutes: int = _number(60, 1, 1440, "longest honest dream; past it the child is ended")
    child_memory_mib: int = _number(2048, 256, 65536, "address space of the child, in MiB above its libraries")


@dataclass(frozen=True)
class PrimingSettings:
    enabled: bool = _free(True, "tell an agent what is known when a conversation starts")
    memories: int = _number(8, 1, 10, "memories taken for a new conversation")
    branches: str = _free("*", "branches that are primed, a shell pattern")
    tracker_command: str = _free("", "command that prints an issue's title; `{issue}` is replaced by its number")
    timeout_ms: int = _number(2000, 100, 10000, "longest a start of a conversation may wait")


@dataclass(frozen=True)
class McpSettings:
    scopes: tuple[str, ...] = _free((), "scopes agents may use besides their own project and `user`; `*`: every one")


@dataclass(frozen=True)
class TeamSettings:
    """Who belongs to a team; each entry names it and its members."""

    members: tuple[str, ...] = _free((), "who is told the `team:` memories of this machine: `payments: repo-a, ~/src/pay`")
    url: str = _free("", "a team's store that this home shares scopes with, `postgresql://ROLE@HOST/DATABASE`; empty: none")
    tenant: str = _free("", "which tenant of it")
    scopes: tuple[str, ...] = _free(("project", "team"), "what goes up and comes down: scopes, or kinds of them")
    private: tuple[str, ...] = _free((), "scopes of which nothing goes up, whatever `teams.scopes` says")

    def __post_init__(self) -> None:
        """Raise ConfigError for an entry that names no team, or nobody, UsageError for a name that is none."""
        for entry in self.members:
            team, _, who = entry.partition(":")
            if not (team.strip() and who.strip()):
                raise ConfigError(f"`teams` names no team, or nobody of it: `{entry}`", hint=TEAM_FORM)
            parse_scope(f"team:{team}")


@dataclass(frozen=True)
class TaskSettings:
    place: str = _free("plans/artifacts", "where the folders of tasks stand, from the root of their repository")


@dataclass(frozen=True)
class LogSettings:
    rotate_mib: int = _number(8, 1, 128, "size from which the operational log and that of the gate are packed away")
    rotate_days: int = _number(30, 1, 3650, "age of the first line from which they are, whatever the size")
    kept_days: int = _number(730, 1, 36500, "how long what was packed is kept and searched")
    gate_text: bool = _free(False, "keep the words beside each verdict of the gate")


@dataclass(frozen=True)
class FindSettings:
    folder: str = _free("", "folder for the notes of `dream capture`, of an Obsidian vault for instance; empty: below the home")


@dataclass(frozen=True)
class DiarySettings:
    folder: str = _free("", "folder, as one of a vault, into which the service writes the diary of each day; empty: none")
    form: str = _choice("md", ("md", "html"), "a note, or a page with its pictures")


@dataclass(frozen=True)
class LlmSettings:
    backend: str = _choice("off", ("off", "claude", "codex", "openai", "anthropic"),
                           "off; an agent's own program; a server that speaks the OpenAI protocol; Anthropic")
    base_url: str = _free("", "address of the server, as `http://localhost:11434/v1`; empty: the backend's own")
    model: str = _free("", "name of the model; empty: the program's own choice")
    key_variable: str = _free("", "environment variable that holds the key; the key itself is never kept")
    answer_form: str = _choice("schema", ("schema", "json", "text"),
                               "what holds a server to the form of an answer; `dream llm setup` finds out which it can")
    observe: bool = _free(True, "let it read conversations that have something new")
    judge: bool = _free(True, "ask it about pairs that the judge leaves in doubt")
    reflect: bool = _free(True, "let it propose what to promote, reword, merge or retire")
    rewrite_queries: bool = _free(False, "let it reword a search of the balanced and deep budgets, two seconds at most")
    propose_only: bool = _free(False, "what it reflects is only ever proposed; otherwise the first three nights")
    exclude: tuple[str, ...] = _free((), "scopes and projects of which nothing leaves the machine, `project:NAME` or a scope")
    timeout_s: int = _number(180, 5, 3600, "longest wait for one answer; a local model may need minutes")
    tokens_per_call: int = _number(40_000, 500, 1_000_000, "most tokens in and out of one call")
    requests_per_night: int = _number(60, 0, 10_000, "most calls in a night")
    requests_per_month: int = _number(1_000, 0, 100_000, "most calls in a month")
    tokens_per_night: int = _number(500_000, 0, 100_000_000, "most tokens in a night, in and out, cached ones too")
    tokens_per_month: int = _number(8_000_000, 0, 1_000_000_000, "most tokens in a month")
    seconds_per_night: int = _number(1_800, 0, 86_400, "longest time spent waiting for answers in a night")
    seconds_per_month: int = _number(36_000, 0, 2_678_400, "the same in a month")
    cost_per_call: float = _number(0.25, 0.0, 100.0, "most US dollars one call may cost, where prices are known")
    cost_per_night: float = _number(1.0, 0.0, 1000.0, "most US dollars a night")
    cost_per_month: float = _number(10.0, 0.0, 10_000.0, "most US dollars a month")
    price_in: float = _number(0.0, 0.0, 1000.0, "US dollars for a million tokens in; all three 0: unknown, tokens only count")
    price_cached: float = _number(0.0, 0.0, 1000.0, "the same for tokens that come from the backend's cache")
    price_out: float = _number(0.0, 0.0, 1000.0, "the same for tokens out")
    log_text: bool = _free(False, "keep the exact text that left the machine, for seven days")


@dataclass(frozen=True)
class Settings:
    """All tables, plus what was clamped and which keys the person set."""

    store: StoreSettings = StoreSettings()
    sources: SourceSettings = SourceSettings()
    extraction: ExtractionSettings = ExtractionSettings()
    consolidate: ConsolidateSettings = ConsolidateSettings()
    prune: PruneSettings = PruneSettings()
    index: IndexSettings = IndexSettings()
    recall: RecallSettings = RecallSettings()
    model: ModelSettings = ModelSettings()
    service: ServiceSettings = ServiceSettings()
    priming: PrimingSettings = PrimingSettings()
    mcp: McpSettings = McpSettings()
    llm: LlmSettings = LlmSettings()
    teams: TeamSettings = TeamSettings()
    tasks: TaskSettings = TaskSettings()
    log: LogSettings = LogSettings()
    finds: FindSettings = FindSettings()
    diary: DiarySettings = DiarySettings()
    warnings: tuple[str, ...] = ()
    set_by_person: frozenset[str] = frozenset()
    from_environment: frozenset[str] = frozenset()
    path: Path | None = None


RETIRED = {
    "consolidate.judge": "there is one judge, and without its network notes wait",
    "consolidate.cross_encoder": "no second network is read",
    "recall.stale_factor": "age and staleness together take a tenth of a score at most, `recall.decay`"}
"""Settings of versions before: a file that still names one is read with a warning."""
TABLES = tuple(table.name for table in fields(Settings) if is_dataclass(table.default))


def load_settings(path: Path, *, required: bool = False) -> Settings:
    """Read a settings file; one that is not there means defaults, unless a person named it.

    Raises ConfigError when it cannot be read, is no TOML, or has a key dream does not know.
    """
    try:
        with path.open("rb") as stream:
            raw = stream.read(LARGEST_FILE_BYTES + 1)
    except FileNotFoundError:
        if required:
            raise ConfigError(f"no settings file at `{path}`",
                              hint="`dream config path` shows where it is looked for") from None
        return Settings()
    except OSError as error:
        raise ConfigError(f"cannot read the settings file `{path}`: {error.strerror}") from error
    if len(raw) > LARGEST_FILE_BYTES:
        raise ConfigError(f"the settings file `{path}` is larger than {LARGEST_FILE_BYTES} bytes")
    import tomllib  # most homes have no settings file, and a note should not pay for reading none

    try:
        document = tomllib.loads(raw.decode("utf-8"))
    except UnicodeDecodeError:
        raise ConfigError(f"the settings file `{path}` is not UTF-8") from None
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ConfigError(f"the settings file `{path}` is not valid TOML: {error}") from None
    try:
        return build_settings(document, path=path)
    except ConfigError as error:
        raise ConfigError(f"{error.message}, in `{path}`", hint=error.hint) from None


def build_settings(document: Mapping[str, object], *, path: Path | None = None) -> Settings:
    """Check a parsed document key by key.

    Raises ConfigError for an unknown table or key and for a value of the wrong type.
    """
    warnings: list[str] = []
    chosen: set[str] = set()
    tables: dict[str, Any] = {}
    for name, content in document.items():
        if name not in TABLES:
            raise ConfigError(f"unknown table `[{name}]`", hint=_nearest(name, TABLES))
        if not isinstance(content, Mapping):
            raise ConfigError(f"`{name}` must be a table", hint=f"write `[{name}]` on a line of its own")
        content = with_members(content, {f.name for f in fields(TeamSettings)}) if name == "teams" else content
        kind = type(getattr(Settings(), name))
        known = {f.name: f for f in fields(kind)}
        values: dict[str, Any] = {}
        for key, value in content.items():
            if f"{name}.{key}" in RETIRED:
                warnings.append(f"{name}.{key} has no effect any more: {RETIRED[f'{name}.{key}']}; take it out")
                continue
            if key not in known:
                raise ConfigError(f"unknown key `{name}.{key}`", hint=_nearest(key, tuple(known)))
            values[key] = _checked(f"{name}.{key}", value, known[key], warnings)
            chosen.add(f"{name}.{key}")
        tables[name] = kind(**values)
    return Settings(**tables, warnings=tuple(warnings), set_by_person=frozenset(chosen), path=path)


def check_word(name: str, word: str) -> tuple[Any, tuple[str, ...]]:
    """The value that a word on a command line stands for, clamped to its range, with what was clamped.

    Raises ConfigError for a name that is no setting, with the nearest that is, and for a word of the wrong type.
    """
    known = {f"{table}.{f.name}": f for table in TABLES for f in fields(getattr(Settings(), table))}
    if name not in known:
        raise ConfigError(f"unknown key `{name}`", hint=_nearest(name, tuple(known)))
    default, warnings = known[name].default, list[str]()
    value: object = word
    if isinstance(default, bool):
        value = {"true": True, "yes": True, "on": True, "1": True,
                 "false": False, "no": False, "off": False, "0": False}.get(word.strip().lower(), word)
    elif isinstance(default, tuple):
        value = _listed(word)
    elif isinstance(default, int | float):
        try:
            value = float(word)
        except ValueError:
            raise ConfigError(f"`{name}` must be a number") from None
    checked = _checked(name, value, known[name], warnings)
    return checked, tuple(warnings)


def _listed(word: str) -> object:
    """Several in one word: with commas between, or as JSON where one of them has a comma in it."""
    if word.lstrip().startswith("["):
        import json

        try:
            return json.loads(word)
        except (ValueError, RecursionError):
            return word  # refused as no list
    return [part.strip() for part in word.split(",") if part.strip()]


def _checked(name: str, value: object, spec: Any, warnings: list[str]) -> object:
    default, meta = spec.default, spec.metadata
    if isinstance(default, tuple):
        if not isinstance(value, list) or not all(isinstance(v, str) for v in value):
            raise ConfigError(f"`{name}` must be a list of strings")
        return tuple(value)
    if isinstance(default, bool | str):
        if type(value) is not type(default):
            raise ConfigError(f"`{name}` must be {'true or false' if isinstance(default, bool) else 'a string'}")
        if "choices" in meta and value not in meta["choices"]:
            raise ConfigError(f"`{name}` must be one of {', '.join(meta['choices'])}")
        return value
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        raise ConfigError(f"`{name}` must be a number")
    return _clamped(name, value, meta, whole=isinstance(default, int), warnings=warnings)


def _clamped(name: str, value: float, meta: Mapping[str, Any], *, whole: bool, warnings: list[str]) -> float:
    low, high = meta["low"], meta["high"]
    if value < low or value > high:
        bound, side = (low, "below") if value < low else (high, "above")
        warnings.append(f"{name} {value} is {side} {bound}, using {bound}")
        return bound  # type: ignore[no-any-return]
    if whole and value != int(value):
        raise ConfigError(f"`{name}` must be a whole number")
    return int(value) if whole else value


def _nearest(word: str, known: tuple[str, ...]) -> str:
    from difflib import SequenceMatcher

    ratio = {name: max(SequenceMatcher(None, word, part).ratio() for part in (name, name.split(".")[-1])) for name in known}
    near = sorted(known, key=lambda name: -ratio[name])[:3]
    if ratio[near[0]] >= LIKE_A_SLIP:
        return f"did you mean `{near[0]}`?"
    return f"nearest are {', '.join(f'`{name}`' for name in near)}; `dream config show` lists all of them"
