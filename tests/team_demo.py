"""`make team-demo`: a database of its own, two workers and three members with agents' transcripts, who end with one memory.

Everything is made up and lies below one temporary directory; the database and all of it are gone afterwards. What is run is
the `dream` of this environment, as a person would run it.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from team_server import ENDING, running

TENANT = "lighthouse"
REMOTE = "https://example.test/harbour/lighthouse.git"
QUESTIONS = ("which port does the lamp controller listen on", "what to do before touching the fog horn schedule",
             "where are the tide tables kept")
SAID = {
    "ann": (("The lamp controller listens on port 7400. Remember that.",
             "Always run the tide tests before you touch the fog horn schedule."),),
    "bert": (("Remember that the lamp controller listens on port 7400.",
              "Remember that the tide tables are kept in charts/tides.csv."), ("Never push to main on Fridays.",)),
    "cora": (("Remember: the keeper's log is written in Danish.",),),
}
"""What each member told an agent, conversation by conversation."""
AGENTS = ("claude_code", "codex", "gemini", "copilot", "opencode", "openclaw", "cursor", "hermes", "letta")


@dataclass(frozen=True)
class Somebody:
    """A member or a worker: a role of the database, a machine's worth of directories, and settings of its own."""

    name: str
    root: Path

    def make(self, settings: str, conversations: Sequence[Sequence[str]] = ()) -> Somebody:
        """The directories, settings and transcripts."""
        project = self.root / "lighthouse"
        (project / ".git").mkdir(parents=True)
        (project / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
        (project / ".git" / "config").write_text(f'[core]\n\tbare = false\n[remote "origin"]\n\turl = {REMOTE}\n')
        off = "".join(f"{name} = false\n" for name in AGENTS if name != "claude_code" or not conversations)
        (project / "charts").mkdir()
        (project / "charts" / "tides.csv").touch()
        (self.root / "dream.toml").write_text(f"[sources]\n{off}{settings}")
        place = self.root / ".claude" / "projects" / "lighthouse"
        place.mkdir(parents=True)
        for n, turns in enumerate(conversations, 1):
            day = (datetime.now(UTC) - timedelta(days=4 - n)).date()
            talk = f"{self.name}-{n}"
            lines = [{"type": "user", "uuid": f"{talk}-{k}", "parentUuid": None, "isSidechain": False, "userType": "external",
                      "cwd": str(project), "sessionId": talk, "version": "2.1.231", "gitBranch": "main",
                      "timestamp": f"{day}T08:0{k}:00.000Z", "message": {"role": "user", "content": words}}
                     for k, words in enumerate(turns)]
            (place / f"{talk}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        return self

    @contextmanager
    def starts(self, *words: str) -> Iterator[subprocess.Popen[str]]:
        """A `dream` of theirs, which ends with us."""
        kept = {name: os.environ[name] for name in ("PATH", "LANG", "PYTHONPATH", "VIRTUAL_ENV") if name in os.environ}
        env = {**kept, "HOME": str(self.root), "TZ": "UTC", "XDG_RUNTIME_DIR": str(self.root)}
        process = None
        try:
            with ENDING.in_one_go():
                process = subprocess.Popen([sys.executable, "-m", "dreamd.cli.main", "--home", str(self.root / "home"),
                                            "--config", str(self.root / "dream.toml"), *words], stdout=subprocess.PIPE,
                                           stderr=subprocess.PIPE, text=True, env=env, cwd=self.root / "lighthouse")
            yield process
        finally:
            if process is not None:
                process.terminate()  # one that is done does not hear it
                process.wait()

    def hears(self, process: subprocess.Popen[str]) -> str:
        """What it says until it is done."""
        said, complaint = process.communicate()
        if process.returncode not in (0, 3):
            raise SystemExit(f"`dream {' '.join(map(str, process.args[7:]))}` as {self.name} ended with {process.returncode}:\n"
                             f"{complaint}")
        return said.rstrip()

    def dream(self, *words: str) -> str:
        """What `dream` says."""
        with self.starts(*words) as process:
            return self.hears(process)


@contextmanager
def _place() -> Iterator[Path]:
    root = Path(tempfile.mkdtemp(prefix="dream-demo-"))
    try:
        yield root
    finally:
        for path in root.rglob("*"):  # what came down of the team is read-only
            if path.is_dir() and not path.is_symlink():
                path.chmod(0o700)
        shutil.rmtree(root, ignore_errors=True)


def say(title: str, *lines: str) -> None:
    """One step and what came of it."""
    print(f"\n── {title}", *(f"   {line}" for block in lines for line in block.splitlines()), sep="\n", flush=True)


def main() -> None:
    """The whole of it."""
    ENDING.heed()
    since = time.monotonic()
    with running() as server, _place() as root:
        operator = Somebody("operator", root / "operator").make("")
        there = ("--url", server.url("owner"), "--tenant", TENANT)
        say("a database of its own, and who belongs to it", operator.dream("team", "init", *there), *(
            operator.dream("team", "users", "add", role, "--role", standing, *there) for role, standing in (
                ("ann", "member"), ("bert", "member"), ("cora", "curator"), ("worker1", "member"), ("worker2", "member"))))
        members = [Somebody(name, root / name).make(
            f'[teams]\nurl = "{server.url(name)}"\ntenant = "{TENANT}"\n', talks) for name, talks in SAID.items()]
        workers = [Somebody(name, root / name).make(
            f'[store]\nurl = "{server.url(name)}"\ntenant = "{TENANT}"\n') for name in ("worker1", "worker2")]
        for member in members:
            member.dream("consolidate")
            say(f"{member.name} dreams at home and shares", member.dream("list"), member.dream("team", "sync"))
        server.hurry(TENANT)
        with ExitStack() as both:
            at_work = [both.enter_context(worker.starts("worker", "--until-idle")) for worker in workers]
            told = [worker.hears(process) for worker, process in zip(workers, at_work, strict=True)]
        say("two workers dream for the team", *told, operator.dream("team", "status", *there))
        for member in members:
            say(f"{member.name} brings the team's memory down, and asks", member.dream("team", "sync"),
                *(member.dream("search", "-k", "1", question) for question in QUESTIONS))
            _check(member)
        shared = json.loads(members[2].dream("--json", "search", "-k", "1", QUESTIONS[0]))["results"][0]["memory"]
        say("who said it", members[2].dream("explain", shared["id"]))
    print(f"\nall of them know the same; cleaned up after {time.monotonic() - since:.0f} s")


def _check(member: Somebody) -> None:
    """Stop where a member does not find what another said."""
    for question, words in zip(QUESTIONS, ("7400", "tide tests", "charts/tides.csv"), strict=True):
        found = json.loads(member.dream("--json", "search", "-k", "3", question))["results"]
        if not any(words in one["memory"]["text"] for one in found):
            raise SystemExit(f"{member.name} does not find {words!r}; of the team's memories these are known:\n"
                             + member.dream("search", "--all", question))


if __name__ == "__main__":
    main()
