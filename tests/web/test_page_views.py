"""What the page shows of a home, and that it shows it without a script."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tomllib
from http.client import HTTPConnection
from pathlib import Path

import pytest

from asgi_browser import SECOND_NIGHT, open_page
from dreamd.core.settings import build_settings
from household import House, Said


@pytest.mark.parametrize(("path", "words"), [
    ("/", ["Last night", "The staging database is restored every Monday", "The next dream", "Take the whole night back"]),
    ("/memories", ["The billing API now listens on port 9090", "5 memories"]),
    ("/decide", ["The search gateway listens on port 7000", "owned by the data platform team", "Neither", "Keep that"]),
    ("/over-time", ["Live memories by class", "<svg"]),
    ("/health", ["What the probe looked at", "Sources"])])
def test_every_view_is_there_without_a_script(onlooker, path, words):
    answer = onlooker.see(path)
    assert answer.status == 200
    assert [one for one in words if one not in answer.text] == []


@pytest.mark.parametrize("path", ["/", "/memories", "/memories?q=port", "/decide", "/over-time", "/health"])
def test_a_home_with_nothing_in_it_says_what_to_do_first(house, path):
    browser, page = open_page(house)
    browser.enter()
    answer = browser.see(path)
    assert (answer.status, "dream note" in answer.text, "Nothing here yet" in answer.text) == (404, True, True)
    page.warm.close()


def test_the_copy_of_a_teams_memory_is_leafed_through_read_and_left_as_it_is(lived, tmp_path):
    """Made where a sync puts it, by a dream of its own: no server is needed to look."""
    there = House(tmp_path / "theirs")
    there.say(SECOND_NIGHT, "The kiln fires at 1180 degrees.")
    there.dream(SECOND_NIGHT)
    shutil.copytree(there.home, lived.home / "team")
    with sqlite3.connect(lived.home / "team" / "dream.db") as copy:
        copy.execute("INSERT INTO meta VALUES ('synced', ?)", (SECOND_NIGHT,))
    lived.settings = build_settings({"teams": {"url": "postgresql://ann@db/team", "tenant": "acme"}})
    browser, page = open_page(lived)
    browser.enter()
    kiln = f"/memory/{there.memory('kiln').id}"
    assert "The kiln fires" not in browser.see("/memories").text and "of acme, as of" in browser.see("/memories").text
    for path in ("/memories?whose=team", "/memories?whose=team&q=kiln", "/memories?q=kiln"):
        told = browser.see(path).text
        assert (kiln in told, "team acme" in told, "5 memories" in told) == (True, True, False)
    told = browser.see(kiln).text
    assert [one for one in ("The kiln fires at 1180", "acme", "dream team sync") if one not in told] == []
    assert "/act/" not in told
    refused = browser.do("pin", id=there.memory("kiln").id, seen=f"{there.memory('kiln').id}:1")
    assert (refused.status, "read-only" in refused.text) == (409, True)
    page.warm.close()


@pytest.mark.parametrize(("query", "there", "gone"), [
    ("q=which+port+does+billing+use", "9090", "Monday"), ("q=billing&status=all", "8080", "Monday"),
    ("status=held", "nightly import", "linter"), ("origin=web&status=all", "nightly import", "linter"),
    ("class=rule", "linter", "9090"), ("age=older", "Nothing here answers that", "linter"),
    ("scope=user", "Nothing here", "linter"),
    ("status=superseded", "8080", "9090"), ("page=99999999&status=nonsense&class=x&order=y&age=z&origin=w", "9090", "8080.")])
def test_what_is_chosen_is_shown_and_nothing_else(onlooker, query, there, gone):
    text = onlooker.see(f"/memories?{query}").text
    shown = text[text.index('<section id="results"'):]
    assert (there in shown, gone in shown) == (True, False)


def test_a_part_of_the_page_is_all_that_a_script_asks_for(onlooker):
    part = onlooker.see("/memories?q=billing", **{"hx-target": "results", "hx-request": "true"}).text
    assert part.lstrip().startswith('<section id="results"') and "<html" not in part


def test_what_was_noted_is_found_before_a_dream_has_taken_it_up(lived):
    lived.say(SECOND_NIGHT, "Deploys go through the blue pipeline")
    browser, page = open_page(lived)
    browser.enter()
    shown = browser.see("/memories?q=how+do+we+deploy").text
    assert "Deploys go through the blue pipeline" in shown and "waits for the next dream" in shown
    assert "blue pipeline" not in browser.see("/memories?q=harbour").text
    page.warm.close()


def test_looking_for_something_is_no_recall(onlooker):
    onlooker.see("/memories?q=billing")
    assert onlooker.house.rows("SELECT COUNT(*) FROM recall") == [(0,)]


def test_a_memory_tells_who_said_it_what_it_replaced_and_how_it_changed(onlooker):
    text = onlooker.see(f"/memory/{onlooker.house.memory('9090').id}").text
    for words in ("What was said", "a person", "What went into it", "<del>8080</del><ins>9090</ins>", "Its history",
                  "How it changed"):
        assert words in text, words


def test_what_was_said_in_passing_can_be_looked_at(house):
    house.say(SECOND_NIGHT, Said("by the way the kiln was warm today, nice weather", conversation="five", explicit=False,
                                 sign="passing"))
    house.dream(SECOND_NIGHT)
    browser, page = open_page(house)
    browser.enter()
    rows = house.rows("SELECT o.id FROM observation o JOIN fate f ON f.observation = o.seq WHERE f.memory = ''")
    for (identity,) in rows:
        assert browser.see(f"/memory/{identity}").status in (200, 404)
    page.warm.close()


def test_without_its_libraries_the_command_says_what_brings_them(monkeypatch, tmp_path, capsys):
    from dreamd.cli.main import main

    for name in [*sys.modules]:
        if name.startswith(("dreamd.web", "starlette")):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "starlette", None)
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    assert main(["--home", str(tmp_path), "open"]) == 1
    assert "dreamd[web]" in capsys.readouterr().err


def test_the_page_comes_with_an_extra_alone():
    told = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    named = " ".join(told["dependencies"])
    assert not [one for one in ("starlette", "uvicorn", "jinja2", "fastapi", "flask") if one in named]
    assert {one.partition(">")[0] for one in told["optional-dependencies"]["web"]} == {"starlette", "uvicorn", "jinja2"}


def test_the_command_says_where_the_page_is_and_closes_it_with_ctrl_c(lived):
    command = [sys.executable, "-m", "dreamd.cli.main", "--home", str(lived.home), "open", "--no-browser", "--json"]
    env = {"HOME": str(lived.root), "PATH": "/usr/bin:/bin", "SSH_CONNECTION": "10.0.0.2 50000 10.0.0.7 22",
           "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env, text=True) as started:
        told = json.loads(started.stdout.readline())
        line = HTTPConnection("127.0.0.1", told["port"], timeout=30)
        line.request("GET", "/" + told["url"].partition("/?")[2].join(("?", "")))
        answer = line.getresponse()
        answer.read()
        line.close()
        started.send_signal(signal.SIGINT)
        assert (answer.status, started.wait(30)) == (303, 0)
    assert told["tunnel"] == f"ssh -L {told['port']}:127.0.0.1:{told['port']} 10.0.0.7"
