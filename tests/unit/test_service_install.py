"""Installing the service: the right texts, nothing half done, nothing foreign touched, every trace removed."""

from __future__ import annotations

import plistlib
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from dreamd.core.clock import SystemClock
from dreamd.core.errors import ConfigError, DreamError
from dreamd.core.paths import Paths, share_dir
from dreamd.core.settings import Settings
from dreamd.core.world import World
from dreamd.service.installing import units
from dreamd.service.installing.install import CRON, LAUNCHD, SWEEP, SYSTEMD, Answer, Installer, may_install
from dreamd.service.installing.units import Place, cron_line, exec_of, fill_launchd, fill_systemd

EVERY_UNIT = sorted({*units.SERVICE_UNITS, *units.SWEEP_UNITS})
PLACE = Place(dream=Path("/home/ada/.venvs/dream/bin/dream"), python=Path("/home/ada/.venvs/dream/bin/python"),
              home=Path("/home/ada/.local/state/dream"), config=None, read_paths=(Path("/home/ada/.claude"),),
              write_paths=(Path("/home/ada/.local/state/dream"),), memory_mib=2048)


class Machine:
    """systemctl, launchctl and crontab of a machine that does as it is told, or fails where a test says so."""

    def __init__(self, fails_at: str = "") -> None:
        self.calls: list[str] = []
        self.active: set[str] = set()
        self.crontab = "0 5 * * * /usr/bin/backup\n"
        self.fails_at = fails_at

    def __call__(self, command: Sequence[str], text: str) -> Answer:
        words = " ".join(c for c in command if not c.startswith("--"))
        self.calls.append(words)
        if self.fails_at and self.fails_at in words:
            return Answer(1, "it says no")
        _, verb, *rest = words.split()
        if words == "crontab -l":
            return Answer(0, self.crontab) if self.crontab else Answer(1, "no crontab")
        if words.startswith("crontab"):
            self.crontab = text
        elif verb in ("restart", "bootstrap"):
            self.active.update(rest)
        elif verb == "disable":
            self.active.difference_update(rest)
        elif verb == "bootout":
            self.active.clear()
        elif verb == "is-active":
            return Answer(0, "active\n") if rest[0] in self.active else Answer(3, "inactive\n")
        elif verb == "is-enabled":
            return Answer(0, "enabled\n") if rest[0] in self.active else Answer(1, "disabled\n")
        elif verb == "print":
            return Answer(0 if any("LaunchAgents" in a for a in self.active) else 113)
        return Answer(0)

    def changes(self) -> list[str]:
        return [c for c in self.calls if not re.search(r"is-active|is-enabled|show-environment|crontab -l| print ", c)]


@pytest.fixture
def person(tmp_path: Path) -> Path:
    home = tmp_path / "ada"
    (home / ".local" / "state" / "dream" / "locks").mkdir(parents=True)
    return home


def installer(person: Path, machine: Machine, **changes: object) -> Installer:
    env = {"HOME": str(person), "PATH": "/usr/bin:/bin", "DREAM_CRONTAB": "crontab"}
    world = World(Paths(person / ".local/state/dream"), Settings(), SystemClock(), env)
    here = Place(**{**PLACE.__dict__, "dream": Path("/bin/sh"), **changes})  # type: ignore[arg-type]
    return Installer(world, here, ask=machine)


def files(person: Path) -> dict[str, str]:
    return {str(p.relative_to(person)): p.read_text() for p in sorted(person.rglob("*"))
            if p.is_file() and p.suffix != ".lock"}


# ---- what is written --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", EVERY_UNIT)
def test_no_placeholder_is_left_in_a_unit(name: str) -> None:
    text = fill_systemd(name, PLACE)
    assert not re.search(r"@[A-Z_]+@", text)
    assert text.startswith("# managed by dream\n")


def test_every_line_of_the_sandbox_has_its_reason_before_it() -> None:
    before = ""
    for line in (share_dir("systemd") / "sandbox.conf").read_text().splitlines():
        if line and not line.startswith("#"):
            assert before.startswith("# "), line
        before = line


@pytest.mark.parametrize("line", [
    "Type=notify", "WatchdogSec=120", "KillMode=mixed", "TimeoutStopSec=30", "RestartPreventExitStatus=2 13 78",
    "SuccessExitStatus=11", "LimitCORE=0", "UMask=0077", "PrivateUsers=yes", "ProtectHome=tmpfs", "Nice=5",
    "MemoryHigh=1536M", "MemoryMax=2304M", "BindPaths=/home/ada/.local/state/dream",
    "BindReadOnlyPaths=-/home/ada/.claude", "BindReadOnlyPaths=-%t/systemd/notify", "MemoryDenyWriteExecute=yes",
    "ExecStart=/home/ada/.venvs/dream/bin/dream --home /home/ada/.local/state/dream run"])
def test_the_service_has_what_it_needs(line: str) -> None:
    assert line in fill_systemd("dream.service", PLACE).splitlines()


def test_what_tells_of_a_failure_stands_where_systemd_looks_for_it() -> None:
    for name in EVERY_UNIT:
        text = fill_systemd(name, PLACE)
        if "OnFailure" in text:
            assert text.index("\nOnFailure=") < text.index("\n[Service]\n")


def test_the_owner_of_the_store_has_no_network_and_the_settings_named_by_a_person_are_kept() -> None:
    named = Place(**{**PLACE.__dict__, "config": Path("/home/ada/my settings.toml")})
    text = fill_systemd("dream.service", named)
    assert "PrivateNetwork=yes" in text
    assert '--config "/home/ada/my settings.toml" run' in text


@pytest.mark.parametrize("odd", ["/home/a b/dream", "/home/100%/dream", '/home/qu"ote/dream', "/home/back\\slash/dream",
                                 "/home/ünï/dream", "/home/$HOME/dream"])
def test_a_path_with_odd_characters_comes_through_every_format(odd: str) -> None:
    place = Place(**{**PLACE.__dict__, "dream": Path(odd)})
    assert exec_of(fill_systemd("dream.service", place)) == Path(odd)
    assert plistlib.loads(fill_launchd(place).encode())["ProgramArguments"][0] == odd
    command = cron_line(place).split(" ", 5)[5].replace(r"\%", "%").removesuffix(" >/dev/null 2>&1")
    told = subprocess.run(["sh", "-c", f"printf '%s\\n' {command}"], capture_output=True, text=True)
    assert told.stdout.splitlines()[0] == odd


def test_only_an_engine_that_compiles_may_make_code() -> None:
    torch = Place(**{**PLACE.__dict__, "compiles": True})
    assert "MemoryDenyWriteExecute=no" in fill_systemd("dream.service", torch).splitlines()


def test_whatever_the_sandbox_hides_and_dream_needs_is_named(person: Path) -> None:
    venv = person / "venv"
    (venv / "bin").mkdir(parents=True)
    (venv / "bin" / "dream").touch()
    world = World(Paths(person / ".local/state/dream"), Settings(), SystemClock(), {"HOME": str(person)})
    before, sys.executable, sys.prefix = (sys.executable, sys.prefix), str(venv / "bin" / "python"), str(venv)
    try:
        named = units.find_place(world, None).read_paths
    finally:
        sys.executable, sys.prefix = before
    # The environment below a home, an interpreter below /root and a checkout below /tmp are all behind the walls.
    assert venv in named and person / ".claude" in named
    for place in (Path(sys.base_prefix), Path(units.__file__)):
        hidden = any(place.is_relative_to(h) for h in units.HIDDEN)
        assert not hidden or any(place.is_relative_to(n) for n in named)


def test_a_path_that_would_forge_a_line_is_refused() -> None:
    with pytest.raises(ConfigError):
        fill_systemd("dream.service", Place(**{**PLACE.__dict__, "home": Path("/x\nExecStartPre=/bin/rm")}))


def test_the_agent_has_the_keys_launchd_needs() -> None:
    agent = plistlib.loads(fill_launchd(PLACE).encode())
    assert agent == {
        "Label": units.LABEL, "RunAtLoad": True, "KeepAlive": {"SuccessfulExit": False, "Crashed": True},
        "ProgramArguments": [str(PLACE.dream), "--home", str(PLACE.home), "run"],
        "ThrottleInterval": 60, "ExitTimeOut": 30, "ProcessType": "Background", "LowPriorityIO": True,
        "LowPriorityBackgroundIO": True, "Nice": 10, "Umask": 0o077, "SoftResourceLimits": {"NumberOfFiles": 512},
        "EnvironmentVariables": {"OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"},
        "StandardErrorPath": str(PLACE.home / "logs" / "service.err")}
    assert plistlib.loads(plistlib.dumps(agent)) == agent


@pytest.fixture(scope="module")
def unit_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd-analyze is not here")
    base = tmp_path_factory.mktemp("units")
    here = Place(**{**PLACE.__dict__, "dream": Path("/bin/sh"), "home": base, "write_paths": (base,)})
    for name in EVERY_UNIT:
        (base / name).write_text(fill_systemd(name, here))
    return base


def analyze(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["systemd-analyze", *words], cwd=cwd, capture_output=True, text=True,
                          env={"PATH": "/usr/bin:/bin", "HOME": str(cwd), "XDG_RUNTIME_DIR": str(cwd)})


@pytest.mark.systemd
@pytest.mark.parametrize("name", EVERY_UNIT)
def test_systemd_finds_nothing_to_say_about_a_unit(unit_dir: Path, name: str) -> None:
    told = analyze("verify", "--user", f"./{name}", cwd=unit_dir)
    # A misspelt key only prints a line and exits 0, so any word at all is a failure.
    assert (told.returncode, told.stdout, told.stderr) == (0, "", "")


@pytest.mark.systemd
def test_the_check_above_would_notice_a_misspelt_key(unit_dir: Path) -> None:
    text = (unit_dir / "dream.service").read_text()
    (unit_dir / "broken.service").write_text(text.replace("NoNewPrivileges=", "NoNewPriviledges="))
    assert "Unknown key" in analyze("verify", "--user", "./broken.service", cwd=unit_dir).stderr


@pytest.mark.systemd
@pytest.mark.parametrize("name", [n for n in EVERY_UNIT if n.endswith(".service")])
def test_a_unit_is_exposed_no_more_than_1_1_by_what_takes_effect(unit_dir: Path, name: str) -> None:
    told = analyze("security", "--user", "--offline=yes", "--threshold=11", f"./{name}", cwd=unit_dir)
    assert told.returncode == 0, told.stdout[-200:]
    # Scored, and without effect in a per-user manager: a good figure must not come from these.
    for idle in ("ProtectProc", "ProtectControlGroups", "IPAddressDeny", "DevicePolicy", "RemoveIPC", "ProcSubset"):
        assert f"\n{idle}=" not in (unit_dir / name).read_text()


# ---- how it is done ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [SYSTEMD, SWEEP, LAUNCHD, CRON])
def test_installing_twice_changes_nothing_the_second_time(person: Path, kind: str) -> None:
    machine = Machine()
    assert installer(person, machine).install(kind)
    before, machine.calls = files(person), []
    assert installer(person, machine).install(kind) == []
    assert files(person) == before
    assert machine.changes() == []


@pytest.mark.parametrize("kind", [SYSTEMD, SWEEP, LAUNCHD, CRON])
def test_uninstalling_removes_every_trace(person: Path, kind: str) -> None:
    machine = Machine()
    before = files(person)
    installer(person, machine).install(kind)
    assert installer(person, machine).standing().kind == kind
    assert installer(person, machine).uninstall()
    assert files(person) == before
    assert machine.crontab == "0 5 * * * /usr/bin/backup\n"
    assert machine.active == set()
    assert installer(person, machine).standing().kind == ""
    assert installer(person, machine).uninstall() == []


@pytest.mark.parametrize(("kind", "fails_at"), [(SYSTEMD, "enable"), (SYSTEMD, "restart"), (SYSTEMD, "daemon-reload"),
                                                (SWEEP, "restart"), (LAUNCHD, "bootstrap"), (CRON, "crontab -")])
def test_what_fails_halfway_leaves_everything_as_it_was(person: Path, kind: str, fails_at: str) -> None:
    machine = Machine(fails_at)
    before, table = files(person), machine.crontab
    with pytest.raises(DreamError):
        installer(person, machine).install(kind)
    assert files(person) == before
    assert machine.crontab == table


def test_a_failed_update_brings_the_old_unit_back(person: Path) -> None:
    installer(person, Machine()).install(SYSTEMD)
    before = files(person)
    with pytest.raises(DreamError, match="it says no"):
        installer(person, Machine("restart"), memory_mib=512).install(SYSTEMD)
    assert files(person) == before


def test_a_file_that_is_not_ours_is_neither_overwritten_nor_removed(person: Path) -> None:
    mine = person / ".config/systemd/user/dream.service"
    mine.parent.mkdir(parents=True)
    mine.write_text("[Service]\nExecStart=/usr/bin/my-own\n")
    with pytest.raises(DreamError, match="is not dream's"):
        installer(person, Machine()).install(SYSTEMD)
    installer(person, Machine()).uninstall()
    assert files(person) == {".config/systemd/user/dream.service": "[Service]\nExecStart=/usr/bin/my-own\n"}


def test_a_link_in_the_way_is_not_followed(person: Path, tmp_path: Path) -> None:
    unit = person / ".config/systemd/user/dream.service"
    unit.parent.mkdir(parents=True)
    (tmp_path / "target").write_text("precious")
    unit.symlink_to(tmp_path / "target")
    with pytest.raises(DreamError):
        installer(person, Machine()).install(SYSTEMD)
    assert (tmp_path / "target").read_text() == "precious"


def test_an_environment_that_moved_is_said_in_words(person: Path) -> None:
    machine = Machine()
    gone = person / "old" / "bin" / "dream"
    installer(person, machine, dream=gone).install(SYSTEMD)
    standing = installer(person, machine, dream=gone).standing()
    assert any("is gone" in p and "dream service install" in p for p in standing.problems)


def test_an_environment_that_moved_is_said_of_a_cron_line_too(person: Path) -> None:
    machine = Machine()
    gone = person / "old place" / "bin" / "dream"
    installer(person, machine, dream=gone).install(CRON)
    told = installer(person, machine).standing()
    assert told.kind == CRON and f"`{gone}`, which is gone" in told.problems[0]
    assert installer(person, machine).install(CRON)
    assert installer(person, machine).standing().problems == ()


def test_a_cron_line_where_neither_systemd_nor_launchd_is_and_a_sentence_where_nothing_is(person: Path) -> None:
    assert installer(person, Machine("show-environment")).choose() == CRON
    bare = installer(person, Machine("show-environment"))
    bare._env = {"HOME": str(person), "PATH": str(person)}
    with pytest.raises(DreamError, match="no systemd user manager, launchd or cron"):
        bare.choose()


def test_other_settings_make_the_installed_files_outdated_and_installing_renews_them(person: Path) -> None:
    machine = Machine()
    installer(person, machine).install(SYSTEMD)
    changed = installer(person, machine, memory_mib=512)
    assert "outdated" in changed.standing().files.values()
    assert len(changed.install(SYSTEMD)) == 3  # one file, two starts
    assert set(changed.standing().files.values()) == {"current"}


def test_the_status_is_what_the_system_says(person: Path) -> None:
    machine = Machine()
    installer(person, machine).install(SYSTEMD)
    assert (installer(person, machine).standing().active, installer(person, machine).standing().enabled) == (
        "active", "enabled")
    machine.active.clear()
    assert installer(person, machine).standing().active == "inactive"


def test_uninstalling_goes_on_when_the_system_refuses(person: Path) -> None:
    before = files(person)
    installer(person, Machine()).install(SYSTEMD)
    installer(person, Machine("disable")).uninstall()
    assert files(person) == before


def test_the_crontab_of_a_person_is_kept_to_the_byte(person: Path) -> None:
    machine = Machine()
    machine.crontab = "# mine\n0 5 * * * /usr/bin/backup"
    installer(person, machine).install(CRON)
    assert machine.crontab.startswith("# mine\n0 5 * * * /usr/bin/backup\n# managed by dream: begin\n")
    installer(person, machine).uninstall()
    assert machine.crontab.rstrip("\n") == "# mine\n0 5 * * * /usr/bin/backup"


@pytest.mark.parametrize(("there", "may"), [("", False), ("bin/crontab", True), ("run/systemd/private", True)])
def test_a_service_is_promised_only_where_something_could_start_it(tmp_path, monkeypatch, there, may):
    monkeypatch.setattr(sys, "platform", "linux")
    if there:
        (tmp_path / there).parent.mkdir(parents=True)
        (tmp_path / there).touch(mode=0o755)
    assert may_install({"PATH": str(tmp_path / "bin"), "XDG_RUNTIME_DIR": str(tmp_path / "run")}) is may
