"""One bad thing stops one thing: what nobody can work with is set aside and named, and the night goes on."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from dreamd.core.values import Status
from dreamd.dream import planning
from dreamd.dream.phases import gather
from dreamd.kit import Kit
from dreamd.sources.base import contract
from dreamd.store import set_asides
from household import FIRST_NIGHT, House, Said, snapshot

Terminal = Any
"""What runs `dream` for a test."""
TUESDAY, NIGHT = "2026-03-03T09:00:00Z", "2026-03-02T20:00:00Z"


def a_session(folder: bytes, name: bytes, words: str, *, key: str = "app") -> None:
    """A transcript with one rule of a person's."""
    place = Path(os.fsdecode(folder))
    place.mkdir(parents=True, exist_ok=True)
    row = {"type": "user", "uuid": f"u-{key}", "sessionId": f"s-{key}", "cwd": f"/work/{key}",
           "timestamp": "2026-03-01T10:00:00Z", "message": {"role": "user", "content": words}}
    (place / os.fsdecode(name)).write_text(json.dumps(row) + "\n")


@pytest.mark.parametrize("sign", ["\ue000", "\ue123", "\uf8ff", "\ue001 \ue002"])
def test_a_private_character_in_another_language_is_a_character_like_any_other(dream: Terminal, sign: str) -> None:
    said = [{"text": f"Der Server für die Rechnungen {sign} läuft auf Port 8080 und wird nachts gesichert.",
             "scope": "project:a"},
            {"text": f"服务器每天晚上备份 {sign} 并且运行在端口 9090 上。", "scope": "project:a"},
            {"text": "The billing API listens on port 7070.", "scope": "project:b"}]
    dream.json("note", "--jsonl", "-", stdin="".join(json.dumps(one) + "\n" for one in said))
    assert dream.json("consolidate")["fates"]["new"] == 3
    found = dream.json("search", f"Port {sign} des Servers für die Rechnungen")["results"]
    assert "8080" in found[0]["memory"]["text"]


def test_sources_whose_names_are_no_utf8_are_read_like_any_other(dream: Terminal) -> None:
    projects = os.fsencode(dream.person / ".claude" / "projects")
    a_session(projects + b"/-work-a", b"s\xff.jsonl", "From now on always use pnpm here and never npm.", key="a")
    a_session(projects + b"/-work-\xfe", b"t.jsonl", "From now on always use yarn here and never npm.", key="b")
    memory = Path(os.fsdecode(projects + b"/-work-a/memory"))
    memory.mkdir()
    (memory / "MEMORY.md").write_text("- The billing API listens on port 8080.\n")
    (memory / os.fsdecode(b"\xfd.md")).write_text("- The cart API listens on port 9090.\n")
    assert dream.json("consolidate")["fates"]["new"] == 4
    assert dream.json("consolidate")["outcome"] == "nothing-to-do"
    told = dream("sources")
    assert told.code == 0
    assert "not read yet" not in told.out
    assert "gone" not in told.out


def test_what_is_longer_than_is_read_has_a_row_that_says_where(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contract, "MOST_PARTS", 2)
    house = House(tmp_path)
    words = " ".join(f"Entry {n} of the ledger was read at desk {n % 97}." for n in range(1_200))
    a_session(os.fsencode(house.person / ".claude" / "projects" / "-work-a"), b"s.jsonl", words)
    report = house.dream(NIGHT)
    assert (report.outcome, [one.why for one in report.aside]) == ("partial", ["longer than is read"])
    with house.kit(NIGHT) as kit:
        (row,) = set_asides.load_asides(kit.store)
    assert row.told().endswith("s.jsonl at byte 0` (longer than is read)")
    assert house.dream(TUESDAY).aside == ()


def test_a_file_by_hand_whose_name_is_no_utf8_is_named_and_left(lived_in: Terminal) -> None:
    notes = next(p for p in (lived_in.home / "memory").rglob("MEMORY.md")).parent
    (notes / os.fsdecode(b"mine\xff.md")).write_text("The staging database is called otter.\n")
    lived_in.json("note", "The cart service listens on port 7070.", now=TUESDAY)
    told = lived_in("consolidate", "--json", now=TUESDAY)
    assert told.code == 3
    assert [one["kind"] for one in told.document["set_aside"]] == ["file"]
    assert told.document["fates"]["new"] == 1
    assert [one["kind"] for one in lived_in.json("status")["set_aside"]] == ["file"]
    before = snapshot(lived_in.home)
    assert lived_in.json("consolidate", now=TUESDAY)["outcome"] == "nothing-to-do"
    assert snapshot(lived_in.home) == before


def test_a_memory_whose_file_got_a_name_that_is_no_utf8_is_not_taken_for_deleted(lived_in: Terminal) -> None:
    path = next(p for p in sorted((lived_in.home / "memory").rglob("*.md")) if p.name != "MEMORY.md")
    path.rename(path.parent / os.fsdecode(b"moved\xff.md"))
    before = lived_in.json("list")["memories"]
    lived_in("consolidate", now=TUESDAY)
    assert [m["id"] for m in lived_in.json("list")["memories"]] == [m["id"] for m in before]


def test_a_file_of_the_inbox_that_no_store_can_hold_is_kept_aside(lived_in: Terminal) -> None:
    row = {"text": "Half a character \ud800 stands in this text.", "origin": "user", "at": NIGHT, "scope": "project:a",
           "conversation": "", "key": "", "class": None, "type": None, "ttl": None, "explicit": True, "sign": ""}
    (lived_in.home / "inbox").mkdir(exist_ok=True)
    (lived_in.home / "inbox" / "20260302T200000Z-x.json").write_text(json.dumps({"schema": 1, "observations": [row]}))
    lived_in.json("note", "The cart service listens on port 7070.", now=TUESDAY)
    told = lived_in("consolidate", "--json", now=TUESDAY)
    assert told.code == 3
    assert told.document["fates"]["new"] == 1
    assert sorted(p.suffix for p in (lived_in.home / "inbox").iterdir()) == [".bad"]


@pytest.fixture
def quick(tmp_path: Path) -> House:
    return House(tmp_path)


def breaks_on(monkeypatch: pytest.MonkeyPatch, room: Any, name: str, sign: str) -> None:
    """From now on a function raises as soon as what it is given says a word."""
    whole = getattr(room, name)

    def broken(*given: Any, **named: Any) -> Any:
        if sign in str([one for one in given if not isinstance(one, Kit)]) + str(named):
            raise ZeroDivisionError("never to be told")
        return whole(*given, **named)

    monkeypatch.setattr(room, name, broken)


@pytest.mark.parametrize(("room", "name"), [(planning, "gate"), (planning, "plan_consolidation")])
def test_an_observation_that_cannot_be_worked_with_is_set_aside_alone(
        quick: House, monkeypatch: pytest.MonkeyPatch, room: Any, name: str) -> None:
    said = [Said(f"The {thing} service listens on port {port}.", scope=scope) for port, (thing, scope) in enumerate(
        (t, s) for s in ("project:a", "project:b") for t in ("billing", "cart", "poison", "search"))]
    quick.say(FIRST_NIGHT, *said)
    breaks_on(monkeypatch, room, name, "poison")
    report = quick.dream(FIRST_NIGHT)
    assert report.outcome == "partial"
    assert {(one.kind, one.why) for one in report.aside} == {("observation", "ZeroDivisionError")}
    assert len(quick.memories(Status.LIVE)) == 6
    assert quick.rows("SELECT fate, reason FROM fate WHERE reason = 'set-aside'") == [("discarded", "set-aside")] * 2
    before = snapshot(quick.home)
    assert quick.dream(FIRST_NIGHT).outcome == "nothing-to-do"
    assert snapshot(quick.home) == before


def test_what_was_set_aside_is_tried_again_with_the_next_version(quick: House, monkeypatch: pytest.MonkeyPatch) -> None:
    quick.say(FIRST_NIGHT, "The poison service listens on port 1.", "The cart service listens on port 2.")
    with monkeypatch.context() as patch:
        breaks_on(patch, planning, "gate", "poison")
        assert quick.dream(FIRST_NIGHT).outcome == "partial"
    assert quick.dream(FIRST_NIGHT).outcome == "nothing-to-do"
    monkeypatch.setattr("dreamd.dream.apart.__version__", "99")
    assert quick.dream(FIRST_NIGHT).fates == {"new": 1}
    assert len(quick.memories(Status.LIVE)) == 2
    assert quick.rows("SELECT * FROM meta WHERE key LIKE 'aside %'") == []


def test_a_scope_that_cannot_be_planned_leaves_the_others_alone(quick: House, monkeypatch: pytest.MonkeyPatch) -> None:
    quick.say(FIRST_NIGHT, *(Said(f"The {t} service listens on port {n}.", scope=s) for s in ("project:a", "project:bad")
                             for n, t in enumerate(("billing", "cart"))))
    breaks_on(monkeypatch, planning, "load_standing", "bad")
    report = quick.dream(FIRST_NIGHT)
    assert {(m.scope.key) for m in quick.memories(Status.LIVE)} == {"a"}
    assert report.outcome == "partial"


def test_a_source_that_cannot_be_read_leaves_the_others_alone(quick: House, monkeypatch: pytest.MonkeyPatch) -> None:
    projects = os.fsencode(quick.person / ".claude" / "projects")
    for name in ("good", "poison"):
        a_session(projects + b"/-work-a", f"{name}.jsonl".encode(), f"From now on always use {name} in every test.", key=name)
    with monkeypatch.context() as patch:
        breaks_on(patch, gather, "_hear", "poison")
        report = quick.dream(FIRST_NIGHT)
        assert [one.kind for one in report.aside] == ["source"]
        assert len(quick.memories(Status.LIVE)) == 1
        before = snapshot(quick.home)
        again = quick.dream(FIRST_NIGHT)
        assert (again.outcome, again.aside, again.warnings) == ("nothing-to-do", (), [])
        assert snapshot(quick.home) == before
    a_session(projects + b"/-work-a", b"poison.jsonl", "From now on always use the poison cabinet in every test.", key="poison")
    assert quick.dream(FIRST_NIGHT).fates == {"new": 1}
    assert quick.rows("SELECT * FROM meta WHERE key LIKE 'aside %'") == []


def test_a_message_that_cannot_be_heard_leaves_the_others_of_its_conversation(
        quick: House, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = quick.person / ".claude" / "projects" / "-work-a"
    folder.mkdir(parents=True)
    rows = [{"type": "user", "uuid": f"u{n}", "sessionId": "s", "cwd": "/work/a", "timestamp": f"2026-01-0{n + 1}T10:00:00Z",
             "message": {"role": "user", "content": f"From now on always use {word} in every test."}}
            for n, word in enumerate(("amber", "poison", "cobalt"))]
    (folder / "s.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    breaks_on(monkeypatch, gather, "extract", "poison")
    report = quick.dream(FIRST_NIGHT)
    assert sorted(m.text.split()[5] for m in quick.memories(Status.LIVE)) == ["amber", "cobalt"]
    assert [one.kind for one in report.aside] == ["message"]


@pytest.mark.parametrize("kind", ["pipe", "directory"])
def test_what_stands_in_the_place_of_the_list_of_own_files_is_moved_away(quick: House, kind: str) -> None:
    place = quick.paths.own_files
    place.parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(place) if kind == "pipe" else place.mkdir()
    quick.say(FIRST_NIGHT, Said("The billing API listens on port 8080."))
    assert quick.dream(FIRST_NIGHT).outcome == "changed"
    assert place.is_file() and place.with_name("own-files.in-the-way").exists()
    assert quick.faults("2026-03-03T09:00:00Z") == []
