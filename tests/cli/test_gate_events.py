"""The verdicts of the gate as events: one a fate, no words unless wanted, in step with the journal and the status."""

from __future__ import annotations

import json
import select

from cli.conftest import MONDAY, NOTES, Terminal


def test_events_agree_with_history_and_status(lived_in: Terminal) -> None:
    told = lived_in.json("events")
    run = lived_in.json("history")["runs"][0]["run"]
    heard = lived_in.json("history", run)["observations"]
    status = lived_in.json("status")
    assert {event["id"] for event in told["events"]} == {one["id"] for one in heard}
    assert sum(told["counts"].values()) == len(told["events"]) == len(heard) == len(NOTES)
    assert {event["run"] for event in told["events"]} == {run}
    assert told["counts"]["discard"] == sum(one["fate"] == "discarded" for one in heard)
    assert told["counts"]["hold"] == status["memories"].get("held", 0)
    assert told["counts"]["allow"] == status["memories"]["live"]
    assert status["waiting"] == 0


def test_an_event_has_its_fields_and_no_words(lived_in: Terminal) -> None:
    body = (lived_in.home / "logs" / "gate.ndjson").read_text()
    rows = [json.loads(line) for line in body.splitlines()]
    assert all({"time", "id", "scope", "class", "verdict", "reason", "confidence", "source"} <= row.keys() for row in rows)
    assert {row["time"] for row in rows} == {MONDAY}
    assert not any(note["text"][:20] in body for note in NOTES)


def test_words_are_kept_with_the_setting_and_a_dry_run_tells_nothing(dream: Terminal) -> None:
    dream.settings("[log]\ngate_text = true\n")
    dream.json("note", "The billing API listens on port 8080.")
    dream.json("consolidate", "--dry-run")
    assert dream.json("events")["events"] == []
    dream.json("consolidate")
    assert [event["text"] for event in dream.json("events")["events"]] == ["The billing API listens on port 8080."]


def test_events_are_followed_as_they_come(lived_in: Terminal) -> None:
    path = lived_in.home / "logs" / "gate.ndjson"
    line = path.read_text().splitlines()[0]
    following = lived_in.start("events", "--follow", "--json", "--verdict", json.loads(line)["verdict"])
    assert following.stdout is not None
    try:
        for number in range(200):  # it begins to listen at some moment
            with path.open("a") as log:
                log.write(line.replace(json.loads(line)["id"], f"{number:012}") + "\n")
            if select.select([following.stdout], [], [], 0.1)[0]:
                break
        assert json.loads(following.stdout.readline())["id"].startswith("0000")
    finally:
        following.terminate()
        following.communicate()
