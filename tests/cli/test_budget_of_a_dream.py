"""`dream consolidate --budget`: as long as somebody gave, or as the machine has to spare, and it says so."""

from __future__ import annotations

import json

from dreamd.core.settings import ServiceSettings
from dreamd.service.gating.allotting import allot
from dreamd.service.gating.idle import Pace, Pressure, Signal, Surroundings, judge_surroundings

RULES = ServiceSettings()


def allotted(seen: Surroundings, waiting: int = 2000):
    return allot(seen, judge_surroundings(seen, RULES), RULES, waiting=waiting)


def test_what_waits_what_feeds_the_machine_and_who_works_there_choose_the_time():
    calm = Surroundings(on_battery=Signal.NO, load_per_core=0.1)
    assert (allotted(calm).limit_s, allotted(calm).pace) == (200.0, Pace.FULL)
    assert "2000 waiting" in allotted(calm).words and "load 0.10 per core" in allotted(calm).words
    assert allotted(calm, 0).limit_s == 60.0 and allotted(calm, 10**6).limit_s == 3600.0
    on_battery = allotted(Surroundings(on_battery=Signal.YES, battery_percent=80.0))
    assert on_battery.limit_s == 120.0 and "on battery at 80 %" in on_battery.words
    low = allotted(Surroundings(on_battery=Signal.YES, battery_percent=10.0))
    assert low.limit_s == 0.0 and "below 30 %" in low.words
    busy = allotted(Surroundings(pressure=Pressure(90.0, 0.0, 0.0)), 10**5)
    assert (busy.limit_s, busy.pace) == (300.0, Pace.PACED) and "busy" in busy.words


def test_a_dream_ends_when_its_time_is_up_and_the_next_one_goes_on(dream):
    told = (f"The pump number {n} stands in hall {n} beside the crane." for n in range(150))
    lines = "".join(json.dumps({"text": text}) + "\n" for text in told)
    dream("note", "--jsonl", "-", stdin=lines, now=None)
    cut = dream("consolidate", "--budget", "0.01s", "--json", now=None)
    assert (cut.code, cut.document["outcome"], cut.document["reason"]) == (0, "interrupted", "its time is up")
    assert cut.document["budget"] == {"limit_s": 0.01, "pace": "full", "why": "as it was asked for"}
    whole = dream("consolidate", "--budget", "auto", "--json", now=None)
    assert whole.code == 0 and whole.document["budget"]["limit_s"] >= 60 and "budget: " in whole.err
    assert dream.json("status", now=None)["waiting"] == 0
    assert [dream("consolidate", "--budget", *words).code for words in (["soon"], ["auto", "--dry-run"])] == [2, 2]
