"""A dream or a reading that a person stops: the first signal lets it end its step, the second does not."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from dreamd.core.paths import Paths
from dreamd.store import journal
from dreamd.store.connection import open_reader
from standing_by import run_script

NOTES = 40
MONDAY, FRIDAY = "2026-03-02T09:00:00Z", "2026-03-06T09:00:00Z"
DRIVER = Path(__file__).with_name("stopped.py")


@pytest.fixture
def full(dream):
    """A home with hundreds of notes that no dream has seen."""
    dream.json("note", "--jsonl", "-", stdin="".join(
        json.dumps({"text": f"The pump number {n} of the north field stands in row {n % 17}.", "at": MONDAY,
                    "scope": "project:otter"}) + "\n" for n in range(NOTES)))
    return dream


def stopped(terminal, name, *words, at, times=1, home=None):
    """Run a command that is sent a signal in the middle of one of its writes."""
    return run_script(DRIVER, name, str(times), str(at), "--home", str(home or terminal.home), "--now", FRIDAY, *words,
                      env=terminal.env)


def runs(home):
    """How the runs ended, newest first, and when."""
    store = open_reader(Paths(home).store)
    try:
        return [(run.outcome, run.ended_at) for run in journal.load_runs(store)]
    finally:
        store.close()


@pytest.mark.parametrize(("name", "code"), [("SIGTERM", 143), ("SIGINT", 130)])
def test_a_dream_asked_to_stop_ends_its_step_and_closes_its_run_and_the_next_one_finishes(full, name, code):
    told = stopped(full, name, "consolidate", "--json", at=4)
    assert told.returncode == code, told.stderr
    assert "nothing is lost" in told.stderr
    document = json.loads(told.stdout)
    [(outcome, ended)] = runs(full.home)
    assert (document["outcome"], document["reason"], outcome) == ("interrupted", "asked to stop", "interrupted")
    assert document["run"]
    assert ended  # by itself, not by the dream after it
    assert full.json("consolidate", now=FRIDAY)["outcome"] == "changed"
    assert len(full.json("list", now=FRIDAY)["memories"]) == NOTES
    assert full("check", now=FRIDAY).code == 0
    assert full.json("consolidate", now=FRIDAY)["outcome"] == "nothing-to-do"


def test_a_dream_stopped_at_any_of_its_writes_leaves_no_open_run(full, tmp_path):
    calm = tmp_path / "calm"
    shutil.copytree(full.home, calm)
    told = stopped(full, "SIGTERM", "consolidate", at=0, home=calm)
    assert told.returncode == 0, told.stderr
    writes = int(re.search(r"writes (\d+)", told.stderr)[1])
    assert writes > 4
    for at in sorted({1, writes // 2, writes}):
        home = tmp_path / f"home-{at}"
        shutil.copytree(full.home, home)
        told = stopped(full, "SIGTERM", "consolidate", at=at, home=home)
        assert told.returncode in (0, 143), told.stderr
        assert all(ended for _, ended in runs(home))
        assert all(outcome == "interrupted" for outcome, _ in runs(home)) or told.returncode == 0


def test_whoever_asks_twice_is_obeyed_at_once_and_loses_nothing(full):
    told = stopped(full, "SIGTERM", "consolidate", "--json", at=4, times=2)
    assert (told.returncode, told.stdout) == (143, "")
    assert runs(full.home) == [("", None)]
    assert full.json("consolidate", now=FRIDAY)["outcome"] == "changed"
    assert len(full.json("list", now=FRIDAY)["memories"]) == NOTES
    assert [outcome for outcome, _ in runs(full.home)] == ["changed", "interrupted"]


def test_a_reading_asked_to_stop_keeps_what_it_has_read_and_goes_on_later(full):
    places = [full.root / f"log-{n}.jsonl" for n in range(3)]
    for n, place in enumerate(places):
        place.write_text("".join(json.dumps({"text": f"Valve {n}-{row} opens to the left.", "at": MONDAY}) + "\n"
                                 for row in range(20)))
    told = stopped(full, "SIGTERM", "ingest", "--json", *map(str, places), at=1)
    assert told.returncode == 143, told.stderr
    assert json.loads(told.stdout)["stored"] == 20
    assert full.json("ingest", *map(str, places))["waiting"] == NOTES + 60


def test_a_pause_is_for_the_service_and_keeps_no_person_from_dreaming(full):
    assert full("pause").code == 0
    assert full.json("consolidate", now=FRIDAY)["outcome"] == "changed"
