"""The agents' own programs: asked with everything that makes them agents taken away, ended in time, and never read back."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import psutil
import pytest

from agent_stand_ins import CLAUDE_PLAIN, CLAUDE_VALUED, CODEX_PLAIN, CODEX_VALUED, calls_of, stand_in
from dreamd.core.clock import FixedClock, parse_instant
from dreamd.core.paths import Paths
from dreamd.core.settings import LlmSettings, Settings
from dreamd.core.world import World
from dreamd.llm.backends.agent_programs import CLAUDE_MAY, CLAUDE_MUST, CODEX_MAY, CODEX_MUST, _flags
from dreamd.llm.calling import Caller, open_caller
from dreamd.models.language_model import Ask, Ending, Role
from household import House
from standing_by import started_beside

pytest.importorskip("jsonschema", reason="the extra `llm` is not installed")

SCHEMA = {"type": "object", "properties": {"facts": {"type": "array", "items": {"type": "string"}}}, "required": ["facts"]}
GOOD = {"facts": ["the port is 8080"]}
SAID = "From now on always greet the otter first."


def an_ask(data: str = SAID, *, seconds: float = 30.0) -> Ask:
    """A question of the observer."""
    return Ask(Role.OBSERVER, "observer@1", "Read what was said.", data, SCHEMA, "project:cedar", 500, seconds)


@contextmanager
def asking(home: Path, name: str, **env: str) -> Iterator[Caller]:
    """A caller of a stand-in in the folder `bin`."""
    whole = {"HOME": str(home), "PATH": f"{home / 'bin'}:/usr/bin:/bin", "ANTHROPIC_API_KEY": "sesame", "MY_SECRET": "sesame",
             "CLAUDECODE": "1", "OPENAI_API_KEY": "sesame", **env}
    world = World(Paths(home / "dream"), Settings(), FixedClock(parse_instant("2026-01-05T09:00:00Z")), whole)
    with open_caller(Settings(llm=LlmSettings(backend=name, cost_per_call=0.1)), world) as caller:
        yield caller


@pytest.fixture(scope="module")
def placed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], tuple[Path, Caller]]]:
    """A home with a folder for stand-ins, and one caller for each of them: only the program changes from test to test."""
    home, opened = tmp_path_factory.mktemp("placed"), dict[str, Caller]()
    with ExitStack() as stack:
        def place(name: str) -> tuple[Path, Caller]:
            if name not in opened:
                opened[name] = stack.enter_context(asking(home, name))
            return home / "bin", opened[name]
        yield place


@pytest.mark.parametrize("name", ["claude", "codex"])
def test_a_program_answers_and_gets_nothing_but_the_question(tmp_path: Path, name: str) -> None:
    stand_in(tmp_path / "bin", name, value=GOOD)
    with asking(tmp_path, name) as caller:
        answer = caller.call(an_ask())
    assert (answer.ending, answer.value) == (Ending.ANSWERED, GOOD), answer
    sent, cached, out = (300, 80, 40) if name == "claude" else (100, 40, 20)
    assert (answer.used.tokens_in, answer.used.cached, answer.used.tokens_out) == (sent, cached, out)
    assert answer.used.cost == (0.002165 if name == "claude" else None)
    [call] = calls_of(tmp_path / "bin")
    assert call["stdin"] == SAID and call["there"] == []
    assert not any(SAID in word for word in call["argv"])
    assert "sesame" not in str(call["env"]) and "CLAUDECODE" not in call["env"]
    assert not Path(str(call["cwd"])).exists()


@pytest.mark.parametrize(("name", "words"), [
    ("claude", ["--tools", "", "--strict-mcp-config", "--no-session-persistence", "--setting-sources", "--max-budget-usd",
                "0.10", "--safe-mode"]),
    ("codex", ["--ephemeral", "read-only", "--ignore-user-config", "features.shell_tool=false", "features.hooks=false",
               "features.view_image=false"])])
def test_what_makes_it_an_agent_is_taken_away(tmp_path: Path, name: str, words: list[str]) -> None:
    stand_in(tmp_path / "bin", name, value=GOOD)
    with asking(tmp_path, name) as caller:
        caller.call(an_ask())
    [call] = calls_of(tmp_path / "bin")
    assert [word for word in words if word not in call["argv"]] == []
    if name == "claude":
        assert call["env"]["CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC"] == "1", "the data would leave twice, for a title"
        assert call["env"]["CLAUDE_CODE_MAX_RETRIES"] == "0"


@pytest.mark.parametrize(("mode", "ending", "detail"), [
    ("logged out", Ending.UNAUTHORISED, ""), ("401", Ending.UNAUTHORISED, "http-401"), ("limited", Ending.LIMITED, "http-429"),
    ("overloaded", Ending.SERVER, "http-529"), ("offline", Ending.UNREACHABLE, "no-connection"),
    ("400", Ending.REFUSED, "http-400"), ("large", Ending.TOO_LARGE, "answer"),
    ("budget", Ending.CUT, "budget"), ("retries", Ending.INVALID, "schema"), ("refusal", Ending.REFUSED, "refusal")])
@pytest.mark.parametrize("name", ["claude", "codex"])
def test_every_failure_of_a_program_has_its_name(
        placed: Callable[[str], tuple[Path, Caller]], name: str, mode: str, ending: Ending, detail: str) -> None:
    if name == "codex" and mode in ("budget", "retries", "refusal"):
        pytest.skip("codex has no such end")
    folder, caller = placed(name)
    stand_in(folder, name, value=GOOD, mode=mode)
    started = time.monotonic()
    answer = caller.call(an_ask())
    assert (answer.ending, answer.value) == (ending, None), answer
    assert answer.detail == detail or not detail
    assert time.monotonic() - started < 15, "its own retries are not waited for"


@pytest.mark.parametrize("text", ['{"facts": "no list"}', "I think it went well."])
@pytest.mark.parametrize("name", ["claude", "codex"])
def test_an_answer_that_does_not_fit_is_invalid(
        placed: Callable[[str], tuple[Path, Caller]], name: str, text: str) -> None:
    folder, caller = placed(name)
    stand_in(folder, name, text=text, mode="text")
    assert caller.call(an_ask()).ending is Ending.INVALID


@pytest.mark.parametrize("name", ["claude", "codex"])
def test_a_program_that_hangs_ends_in_time_with_everything_it_started(tmp_path: Path, name: str) -> None:
    stand_in(tmp_path / "bin", name, mode="hang")
    with asking(tmp_path, name) as caller:
        started = time.monotonic()
        assert caller.call(an_ask(seconds=2.0)).ending is Ending.SILENT
        assert time.monotonic() - started < 15
        assert [p for one in started_beside() for p in (one, *one.children(recursive=True))
                if "dreamd.llm.caller" not in p.cmdline()] == []


def test_a_program_ends_with_the_owner_of_the_store(tmp_path: Path) -> None:
    stand_in(tmp_path / "bin", "claude", mode="hang")
    stopped: list[float] = []
    before = started_beside()

    def stop() -> bool:
        stopped.append(time.monotonic())
        return bool(calls_of(tmp_path / "bin"))

    env = {"HOME": str(tmp_path), "PATH": f"{tmp_path / 'bin'}:/usr/bin:/bin"}
    world = World(Paths(tmp_path / "dream"), Settings(), FixedClock(parse_instant("2026-01-05T09:00:00Z")), env)
    with open_caller(Settings(llm=LlmSettings(backend="claude")), world, should_stop=stop) as caller:
        assert caller.call(an_ask(seconds=60)).detail == "stopped"
    [call] = calls_of(tmp_path / "bin")
    assert not psutil.pid_exists(int(str(call["pid"])))
    assert started_beside() == before
    assert not Path(str(call["cwd"])).parent.exists(), "the folder it stood in is gone too"


@pytest.mark.parametrize("name", ["claude", "codex"])
def test_one_that_is_not_there_or_too_old_is_not_asked(tmp_path: Path, name: str) -> None:
    with asking(tmp_path, name) as caller:
        assert caller.call(an_ask()).detail == "not-installed"
    stand_in(tmp_path / "bin", name, value=GOOD, lacks=("--no-session-persistence", "--ephemeral"))
    with asking(tmp_path, name) as caller:
        assert caller.call(an_ask()).detail == "too-old"
    assert calls_of(tmp_path / "bin") == []


@pytest.mark.parametrize("name", ["claude", "codex"])
def test_what_a_version_lacks_and_is_not_needed_is_left_out(tmp_path: Path, name: str) -> None:
    stand_in(tmp_path / "bin", name, value=GOOD, lacks=(*CLAUDE_MAY, *CODEX_MAY))
    with asking(tmp_path, name) as caller:
        assert caller.call(an_ask()).ending is Ending.ANSWERED


@pytest.mark.parametrize("name", ["claude", "codex"])
def test_what_a_run_leaves_behind_never_becomes_a_memory(tmp_path: Path, name: str) -> None:
    house = House(tmp_path)
    stand_in(house.person / "bin", name, value=GOOD, leaves=True)
    with asking(house.person, name) as caller:
        assert caller.call(an_ask()).ending is Ending.ANSWERED
    left = [p for p in house.person.rglob("*.jsonl") if "rollout" in p.name]
    assert left and SAID in left[0].read_text()
    house.dream("2026-01-06T09:00:00Z")
    assert house.rows("SELECT count(*) FROM observation") == [(0,)]
    # The same words held anywhere else are read: it is the place that keeps them out.
    cwd = str(calls_of(house.person / "bin")[0]["cwd"])
    elsewhere = Path(str(left[0]).replace(cwd.replace("/", "-"), "-srv-cedar").replace("s-1", "s-2"))
    elsewhere.parent.mkdir(parents=True, exist_ok=True)
    elsewhere.write_text(left[0].read_text().replace(cwd, "/srv/cedar").replace("s-1", "s-2"))
    house.dream("2026-01-07T09:00:00Z")
    assert house.rows("SELECT count(*) > 0 FROM observation") == [(1,)]


@pytest.mark.parametrize(("name", "words", "needed", "known"), [
    ("claude", ("claude", "--help"), (*CLAUDE_MUST, *CLAUDE_MAY), (*CLAUDE_VALUED, *CLAUDE_PLAIN)),
    ("codex", ("codex", "exec", "--help"), (*CODEX_MUST, *CODEX_MAY), (*CODEX_VALUED, *CODEX_PLAIN))])
def test_the_real_program_has_the_options_that_are_used(
        name: str, words: tuple[str, ...], needed: tuple[str, ...], known: tuple[str, ...]) -> None:
    program = shutil.which(name)
    if program is None:
        pytest.skip(f"`{name}` is not installed")
    found = _flags((program, *words[1:]), tuple(os.environ.items()))
    assert [flag for flag in (*needed, *known) if flag.startswith("--") and flag not in found] == []


