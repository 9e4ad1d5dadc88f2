"""The service as a new user meets it: installed, looked at, fed, paused, stopped and removed from the command line."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from standing_by import tell_dream

SYSTEMCTL = """#!/bin/sh
shift 2
echo "$@" >> "$HOME/../calls"
case $1 in is-active) echo active ;; is-enabled) echo enabled ;; esac
exit 0
"""


class Person:
    """Somebody with an empty home directory and a command line."""

    def __init__(self, base: Path) -> None:
        self.home = base / "ada"
        self.home.mkdir()
        fake = base / "systemctl"
        fake.write_text(SYSTEMCTL)
        fake.chmod(0o755)
        self.calls = base / "calls"
        self.env = {"HOME": str(self.home), "PATH": "/usr/bin:/bin", "DREAM_SYSTEMCTL": str(fake), "TZ": "UTC",
                    "DREAM_CRONTAB": "/bin/false"}

    def dream(self, *words: str) -> subprocess.CompletedProcess[str]:
        return tell_dream(words, env=self.env)

    def files(self) -> list[str]:
        return sorted(str(p.relative_to(self.home)) for p in self.home.rglob("*") if p.is_file())


@pytest.fixture
def ada(tmp_path: Path) -> Person:
    return Person(tmp_path)


def test_attaching_reminds_of_the_service_that_may_not_write_there_yet(ada: Person) -> None:
    places = [ada.home / "one" / "memory", ada.home / "100% sure" / "memory"]
    for place in places:
        place.mkdir(parents=True)
        (place / "MEMORY.md").write_text("# Memory\n\n- ask Ada before a release\n")
    assert "service install" not in ada.dream("attach", str(places[0]), "--yes").stderr
    assert ada.dream("service", "install").returncode == 0
    assert "service install" not in ada.dream("attach", str(places[0]), "--yes").stderr
    assert "run `dream service install` again" in ada.dream("attach", str(places[1]), "--yes").stderr
    assert ada.dream("service", "install").returncode == 0
    assert "service install" not in ada.dream("attach", str(places[1]), "--yes").stderr


def test_install_status_and_uninstall_leave_nothing_but_the_home(ada: Person) -> None:
    installed = ada.dream("service", "install")
    assert installed.returncode == 0, installed.stderr
    units = [f for f in ada.files() if f.startswith(".config/systemd/user/")]
    assert [Path(u).name for u in units] == ["dream-alert.service", "dream-probe.service", "dream-probe.timer",
                                             "dream.service"]
    assert "enable dream.service dream-probe.timer" in ada.calls.read_text().replace("--no-pager ", "")
    standing = json.loads(ada.dream("--json", "service", "status").stdout)
    assert (standing["installed"], standing["active"], standing["enabled"]) == ("systemd", "active", "enabled")
    assert set(standing["files"].values()) == {"current"}
    assert ada.dream("service", "install").stdout == "everything is as it should be\n"
    assert ada.dream("service", "uninstall").returncode == 0
    assert [f for f in ada.files() if "locks" not in f] == []
    assert ada.dream("service", "status").stdout == "not installed\n"


def test_print_shows_what_would_be_installed_and_changes_nothing(ada: Person) -> None:
    for kind, word in (("systemd", "Type=notify"), ("sweep", "OnCalendar=hourly"), ("launchd", "<key>KeepAlive</key>"),
                       ("cron", "consolidate --auto")):
        shown = ada.dream("service", "print", "--as", kind)
        assert shown.returncode == 0 and word in shown.stdout
    assert ada.files() == []


def test_a_directory_that_was_attached_is_one_the_service_may_write_to(ada: Person) -> None:
    notes = ada.home / "work" / "memory"
    notes.mkdir(parents=True)
    (notes / "MEMORY.md").write_text("- [Ledger](ledger.md) - how the ledger is replicated\n")
    (notes / "ledger.md").write_text("The ledger is replicated every hour.\n")
    assert ada.dream("service", "install").returncode == 0
    attached = ada.dream("attach", "--yes", str(notes))
    assert attached.returncode == 0, attached.stderr
    assert f"ReadWritePaths={ada.home}/.local/state/dream -{notes}\n" in ada.dream("service", "print").stdout
    assert "run `dream service install` again" in ada.dream("service", "status").stderr


def test_the_service_speaks_json_lines_and_stops_when_asked(ada: Person) -> None:
    service = subprocess.Popen([sys.executable, "-m", "dreamd.cli.main", "run"], env=ada.env, stderr=subprocess.PIPE,
                               stdout=subprocess.PIPE, text=True)
    assert service.stderr is not None
    first = json.loads(service.stderr.readline())
    assert (first["event"], first["pid"]) == ("service.started", service.pid)
    status = json.loads(ada.dream("--json", "status").stdout)
    assert isinstance(status, dict)
    assert ada.dream("probe").returncode == 0
    service.send_signal(signal.SIGTERM)
    out, err = service.communicate(timeout=120)
    assert (service.returncode, out) == (0, "")
    assert json.loads(err.splitlines()[-1])["event"] == "service.stopped"


def test_a_stop_before_anything_started_is_clean_too(ada: Person) -> None:
    for delay_s in (0.0, 0.1, 0.3):
        service = subprocess.Popen([sys.executable, "-m", "dreamd.cli.main", "run"], env=ada.env,
                                   stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        time.sleep(delay_s)
        service.send_signal(signal.SIGTERM)
        assert service.wait(timeout=120) in (0, 143, -signal.SIGTERM)


def test_settings_that_cannot_be_used_stop_the_service_for_good(ada: Person) -> None:
    (ada.home / "bad.toml").write_text('[service]\nnightly_at = "25:00"\n')
    refused = ada.dream("--config", str(ada.home / "bad.toml"), "run")
    assert refused.returncode == 78
    assert "nightly_at" in refused.stderr


def test_status_tells_what_it_does_what_holds_it_and_where_everything_is(ada: Person) -> None:
    ada.dream("note", "The staging server listens on port 4001.")
    told = json.loads(ada.dream("--json", "status").stdout)
    assert told["version"] and told["paths"]["home"] == str(ada.home / ".local/state/dream")
    assert (told["state"], told["service"], told["service_state"]) == ("idle", None, None)
    assert told["waiting"] == 1 and told["oldest_waiting_at"] and told["next"]["gate"] == "volume"
    assert told["next"]["at"], "one note waits for a week at most"
    ada.dream("pause", "--for", "2h")
    assert "paused by a person until" in ada.dream("status").stdout


def test_status_follows_what_the_service_waits_for(ada: Person) -> None:
    (ada.home / ".config/dream").mkdir(parents=True)
    (ada.home / ".config/dream/dream.toml").write_text("[service]\nvolume_base = 1\nsettle_s = 3000\nquiet_minutes = 0\n")
    ada.dream("note", "The staging server listens on port 4001.")
    service = subprocess.Popen([sys.executable, "-m", "dreamd.cli.main", "run"], env=ada.env, stderr=subprocess.DEVNULL)
    try:
        heart = ada.home / ".local/state/dream/heartbeat.json"
        end = time.monotonic() + 120
        while not heart.exists() or not json.loads(heart.read_text())["holds"]:
            assert time.monotonic() < end
            time.sleep(0.1)
        told = json.loads(ada.dream("--json", "status").stdout)
        assert told["service_state"] == "waiting" and told["service_state_since"]
        assert "the machine came up" in told["next"]["held_by"][0]
        assert told["next"]["due_since"]
        assert "not started yet: the machine came up" in ada.dream("status").stdout
    finally:
        service.send_signal(signal.SIGTERM)
        assert service.wait(timeout=120) == 0


def test_watching_refreshes_until_somebody_has_seen_enough(ada: Person) -> None:
    ada.dream("note", "The staging server listens on port 4001.")
    watching = subprocess.Popen([sys.executable, "-m", "dreamd.cli.main", "status", "--watch", "0.2"], env=ada.env,
                                stdout=subprocess.PIPE, text=True)
    assert watching.stdout is not None
    seen = [next(watching.stdout) for _ in range(25)]
    watching.send_signal(signal.SIGINT)
    watching.communicate(timeout=60)
    assert watching.returncode == 0
    assert sum(line.startswith("waiting") for line in seen) >= 2
    assert not any("\x1b" in line for line in seen), "what goes to a file carries no signs for a terminal"


@pytest.mark.parametrize("words", [("--json", "status", "--watch"), ("status", "--watch", "0"), ("status", "--watch", "nan"),
                                   ("status", "--watch", "soon")])
def test_a_watch_that_means_nothing_is_refused(ada: Person, words: tuple[str, ...]) -> None:
    assert ada.dream(*words).returncode == 2


def test_an_automatic_dream_obeys_the_gates_and_a_day_later_goes_slowly(ada: Person) -> None:
    (ada.home / "s.toml").write_text(
        "[service]\nvolume_base = 1\nquiet_minutes = 30\nmax_load_per_core = 16\nmin_free_percent = 0\n")
    ada.env["DREAM_CONFIG"] = str(ada.home / "s.toml")

    def auto(now: str) -> dict[str, object]:
        ada.dream("note", f"Crane {now[8:10]} is serviced on day {now[11:13]}.", "--now", now)
        answer: dict[str, object] = json.loads(ada.dream("--json", "consolidate", "--auto", "--now", now).stdout)
        return answer

    first = auto("2026-05-07T09:00:00Z")
    assert first["outcome"] == "not-now" and "active just now, a dream waits for 30 minutes" in str(first["reason"])
    assert auto("2026-05-08T08:00:00Z")["outcome"] == "not-now"
    assert json.loads(ada.dream("--json", "status", "--now", "2026-05-08T08:10:00Z").stdout)["next"]["due_since"] == (
        "2026-05-07T09:00:00Z")
    assert auto("2026-05-08T09:30:00Z")["outcome"] == "changed"
    runs = json.loads(ada.dream("--json", "history").stdout)["runs"]
    assert "it had waited for 1 day because of agents at work" in str(runs[0]["reason"])
    assert not (ada.home / ".local/state/dream/deferred.json").exists()


def test_an_automatic_dream_stays_away_during_a_pause(ada: Person) -> None:
    (ada.home / "s.toml").write_text(
        "[service]\nvolume_base = 1\nquiet_minutes = 0\nmax_load_per_core = 16\nmin_free_percent = 0\n")
    ada.env["DREAM_CONFIG"] = str(ada.home / "s.toml")
    ada.dream("note", "The staging server listens on port 4001.")
    ada.dream("pause")
    told = json.loads(ada.dream("--json", "consolidate", "--auto").stdout)
    assert (told["outcome"], told["reason"]) == ("not-now", "paused by a person")
    ada.dream("resume")
    assert json.loads(ada.dream("--json", "consolidate", "--auto").stdout)["outcome"] == "changed"


def test_the_service_lives_in_the_present(ada: Person) -> None:
    assert ada.dream("run", "--now", "2026-01-01").returncode == 2


def test_pause_and_resume_say_what_they_did(ada: Person) -> None:
    assert json.loads(ada.dream("--json", "pause", "--for", "2h", "--now", "2026-05-07T09:30:00Z").stdout) == {
        "paused": True, "until": "2026-05-07T11:30:00Z"}
    told = ada.dream("status", "--now", "2026-05-07T09:31:00Z")  # before there is a store
    assert (told.returncode, "paused by a person until 2026-05-07 11:30" in told.stderr) == (10, True)
    assert ada.dream("resume").stdout == "resumed\n"
    assert ada.dream("resume").stdout == "it was not paused\n"
    assert ada.dream("pause", "--for", "soon").returncode == 2
