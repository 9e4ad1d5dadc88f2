"""Who is told what a scope holds, and until when: a team's memory reaches the agents that belong, and no others."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dreamd.agents import priming
from dreamd.agents.mcp_server import Desk
from dreamd.cli import main
from dreamd.core.errors import ConfigError
from dreamd.core.settings import build_settings
from household import Said

NOW = "2026-05-04T09:00:00Z"
TEAMS = "Refunds of the ferry shop are booked by the payments team."


@pytest.fixture
def ferry(house, tmp_path: Path):
    """Two repositories and a folder, of which one repository and the folder belong to a team."""
    for name in ("ferry", "tide"):
        (tmp_path / name / ".git").mkdir(parents=True)
        (tmp_path / name / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (tmp_path / "pay" / "deep").mkdir(parents=True)
    house.furnish(teams={"payments": ["ferry", f"{tmp_path}/pay"]})
    house.say(NOW, Said(TEAMS, scope="team:payments"), Said("The ferry leaves at six.", scope="project:ferry"),
              Said("The tide gauge stands at the pier.", scope="project:tide"))
    house.dream(NOW)
    return house


def told(house, place: Path) -> str:
    with house.kit(NOW) as kit:
        return priming.render(priming.choose(kit, cwd=str(place), hurried=True))[0]


def test_a_teams_memory_reaches_the_agents_that_belong_and_no_others(ferry, tmp_path):
    assert TEAMS in told(ferry, tmp_path / "ferry") and TEAMS in told(ferry, tmp_path / "pay" / "deep")
    assert TEAMS not in told(ferry, tmp_path / "tide") and TEAMS not in told(ferry, tmp_path)
    desks = [Desk(ferry.world(NOW), tmp_path / name) for name in ("ferry", "tide")]
    asked = [desk.search("who books refunds", 5, "")["results"] for desk in desks]
    assert [any(one["text"] == TEAMS for one in found) for found in asked] == [True, False]
    kept = Desk(ferry.world(NOW), tmp_path / "ferry").note("The payments team meets in room four.", "team:payments", "")
    assert (kept["status"], kept["scope"]) == ("stored", "team:payments")


def test_the_list_of_scopes_says_how_long_each_lives_and_who_is_told(ferry, capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("DREAM_TEAMS_MEMBERS", '["payments: ferry, tide"]')
    assert main.main(["--home", str(ferry.home), "scope", "list", "--json"]) == 0
    rows = {row["scope"]: row for row in json.loads(capsys.readouterr().out)["scopes"]}
    assert rows["team:payments"]["told_to"] == "agents in ferry, tide"
    assert rows["project:tide"]["told_to"] == "agents in that repository"
    assert main.main(["--home", str(ferry.home), "scope", "list"]) == 0
    assert "until contradicted, aged or forgotten" in capsys.readouterr().out


def test_a_team_that_names_nobody_is_an_error_in_the_settings():
    assert build_settings({"teams": {"payments": ["a", "b"]}}).teams.members == ("payments: a, b",)
    for wrong in ({"members": ["payments"]}, {"members": [": a"]}, {"payments": "a"}, {"payments": []}):
        with pytest.raises(ConfigError):
            build_settings({"teams": wrong})


def test_a_scope_is_named_by_its_key_alone_and_one_that_holds_nothing_is_said_to(ferry, capsys):
    for words in (["list"], ["search", "--no-record", "gauge"]):
        assert main.main(["--home", str(ferry.home), *words, "--scope", "tide"]) == 0
        assert "The tide gauge stands at the pier." in capsys.readouterr().out
        assert main.main(["--home", str(ferry.home), *words, "--scope", "project:harbour"]) == 0
        assert "nothing was ever kept in `project:harbour`" in capsys.readouterr().err
