"""A night pays for what it heard: no other memory is read or written anew, and the files are as if all had been."""

from __future__ import annotations

import gc
from dataclasses import replace
from pathlib import Path

import pytest

from dreamd import __version__
from dreamd.core import fsio
from dreamd.core.values import parse_scope
from dreamd.dream import projection
from dreamd.store import memories, seals, work
from household import CEDAR, FIRST_DAY, FIRST_NIGHT, House, Said

PLACES = ("Cork", "Delft", "Evora", "Faro", "Ghent", "Halle", "Kiel", "Riga")
NIGHTS: tuple[tuple[str, ...], ...] = (
    tuple(f"The {place} depot keeps its records for {n + 30} days." for n, place in enumerate(PLACES)),
    ("The Cork depot now keeps its records for 90 days instead of 30.", "Lorries to the Delft depot enter by the north gate."),
    ("The Evora depot is keeping its records for 32 days.", "Ask Klara before the Faro depot is closed."),
    ("The Cork depot now keeps its records for 120 days instead of 90.", "The Riga depot has two cranes until 2026-02-01."),
    ("The Halle depot's keys hang behind the counter.",),
)


def _house(root: Path) -> House:
    house = House(root)
    for n, said in enumerate(NIGHTS):
        day = f"2026-01-{5 + 3 * n:02d}"
        house.say(f"{day}T09:00:00Z", *said)
        house.dream(f"{day}T20:00:00Z")
    return house


def _behind(house: House) -> list[str]:
    """Files that a look at all of them would write."""
    with house.kit("2026-03-01T20:00:00Z") as kit:
        return [i.path for i in projection.load_scope_files(kit.store, parse_scope(CEDAR), paths=kit.paths,
                                                            rules=kit.settings.index)]


def test_after_every_night_all_files_are_as_a_look_at_all_of_them_would_write_them(tmp_path: Path) -> None:
    house = House(tmp_path)
    for n, said in enumerate(NIGHTS):
        day = f"2026-01-{5 + 3 * n:02d}"
        house.say(f"{day}T09:00:00Z", *said)
        house.dream(f"{day}T20:00:00Z")
        assert _behind(house) == []
    house.dream("2026-05-20T20:00:00Z")  # some have aged, one state is over
    assert _behind(house) == []
    assert not house.faults("2026-05-20T21:00:00Z")


def test_a_night_makes_no_other_topic_file_than_those_it_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    house = _house(tmp_path)
    made: list[str] = []
    true = projection.render_topic
    monkeypatch.setattr(projection, "render_topic", lambda m, **k: made.append(m.text) or true(m, **k))
    house.say("2026-01-20T09:00:00Z", "Parcels for the Ghent depot are weighed twice.")
    house.dream("2026-01-20T20:00:00Z")
    assert made == ["Parcels for the Ghent depot are weighed twice."]


def test_a_night_loads_no_memory_that_it_cannot_meet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    house = _house(tmp_path)
    house.furnish(consolidate={"neighbours": 2})
    read: list[str] = []
    true = memories._memory
    monkeypatch.setattr(memories, "_memory", lambda row, *a: read.append(row["text"]) or true(row, *a))
    house.say("2026-02-10T09:00:00Z", "Parcels of glass are weighed twice.")
    house.dream("2026-02-10T20:00:00Z")
    assert len(set(read)) < len(house.memories())


def test_a_memory_that_somebody_else_changed_has_every_file_looked_at(tmp_path: Path) -> None:
    house = _house(tmp_path)
    with house.kit("2026-02-10T08:00:00Z") as kit, kit.store.writing() as tx:
        memory = house.memory("Halle depot's keys")
        memories.write_memory(tx, replace(memory, reason="", ttl="2026-12-24"))  # and dies before its file is written
    house.say("2026-02-10T09:00:00Z", "Parcels for the Ghent depot are weighed twice.")
    house.dream("2026-02-10T20:00:00Z")
    assert "2026-12-24" in house.file_of("Halle depot's keys").read_text()


def test_a_newer_dream_looks_at_every_file_of_a_scope(tmp_path: Path) -> None:
    house = _house(tmp_path)
    keys = house.file_of("Halle depot's keys")
    with house.kit(FIRST_NIGHT) as kit:
        assert work.looked_by(kit.store, parse_scope(CEDAR)) == __version__
        with kit.store.writing() as tx:
            work.write_meta(tx, f"{work.LOOKED}{CEDAR}", "0.0.1")
            tx.execute("DELETE FROM file WHERE path LIKE ?", (f"%{keys.name}",))
    keys.unlink()
    house.say("2026-02-10T09:00:00Z", "Parcels for the Ghent depot are weighed twice.")
    house.dream("2026-02-10T20:00:00Z")
    assert house.file_of("Halle depot's keys").exists()
    with house.kit(FIRST_DAY) as kit:
        assert work.looked_by(kit.store, parse_scope(CEDAR)) == __version__


def test_orders_that_wait_are_not_gated_anew_in_a_night_without_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from dreamd.dream import planning

    house = House(tmp_path)
    house.say(FIRST_DAY, Said("Run the slow tests before you push.", sign="one-off", explicit=False, conversation="a"))
    house.dream(FIRST_NIGHT)
    gated: list[str] = []
    true = planning.gate
    monkeypatch.setattr(planning, "gate", lambda text, **k: gated.append(text) or true(text, **k))
    house.say("2026-01-07T09:00:00Z", "The Ghent depot has two cranes.")
    house.dream("2026-01-07T20:00:00Z")
    assert gated == ["The Ghent depot has two cranes."]
    for n, talk in enumerate("bc"):
        house.say(f"2026-01-0{8 + n}T09:00:00Z",
                  Said("Run the slow tests before you push.", sign="one-off", explicit=False, conversation=talk))
        house.dream(f"2026-01-0{8 + n}T20:00:00Z")
    assert house.memory("slow tests").support == 3


def test_an_edit_by_hand_has_no_other_file_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from dreamd.dream.phases import orient

    house = _house(tmp_path)
    path = house.file_of("Halle depot's keys")
    path.write_text(path.read_text().replace("behind the counter", "in the safe"))
    read: list[str] = []
    true = orient.fsio.read_bytes
    monkeypatch.setattr(orient.fsio, "read_bytes", lambda p, **k: read.append(p.name) or true(p, **k))
    with house.kit("2026-01-20T20:00:00Z") as kit:
        kit.dry = True
        [edited] = orient.orient(kit).edits
    assert [c.text for c in edited.candidates] == ["The Halle depot's keys hang in the safe."]
    assert read == [path.name]
    monkeypatch.undo()
    house.dream("2026-01-20T20:00:00Z")
    assert "in the safe" in house.index()
    assert _behind(house) == []


def test_while_a_plan_is_made_circles_are_seldom_searched_for_and_as_often_as_before_after_it(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from dreamd.dream import planning

    often: list[int] = []
    true = planning._plan_scope
    monkeypatch.setattr(planning, "_plan_scope", lambda *a, **k: often.append(gc.get_threshold()[0]) or true(*a, **k))
    before = gc.get_threshold()
    house = House(tmp_path)
    house.say(FIRST_DAY, "The Ghent depot has two cranes.")
    house.dream(FIRST_NIGHT)
    assert often == [planning.SELDOM]
    assert gc.get_threshold() == before


def _is_known(house: House) -> bool:
    """Whether a look over the notes comes to the sum that is kept of them."""
    with house.kit("2026-03-01T20:00:00Z") as kit:
        return work.load_looks(kit.store)[CEDAR] == seals.look_of(work.load_file_facts(kit.store)[CEDAR]) == seals.look_of(
            fsio.look_over(house.paths.scope_dir(parse_scope(CEDAR)), ending=".md", below="memory/project/cedar/"))


def test_a_dream_that_finds_no_note_touched_reads_no_row_of_any(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    house = _house(tmp_path)
    read: list[int] = []
    true = work.load_file_facts
    monkeypatch.setattr(work, "load_file_facts", lambda store: read.append(1) or true(store))
    house.dream("2026-01-20T20:00:00Z")
    assert read == []
    one, other = house.file_of("Halle depot's keys"), house.file_of("Klara")
    words = one.read_bytes(), other.read_bytes()
    one.rename(one.with_suffix(".tmp"))  # each stays as it was, and elsewhere
    other.rename(one)
    one.with_suffix(".tmp").rename(other)
    house.dream("2026-01-21T20:00:00Z")
    assert read == [1]
    assert (one.read_bytes(), other.read_bytes()) != (words[1], words[0])


def test_whatever_is_done_the_look_of_the_notes_is_known(tmp_path: Path) -> None:
    house = _house(tmp_path)
    assert _is_known(house)
    path = house.file_of("Halle depot's keys")
    path.write_text(path.read_text().replace("behind the counter", "in the safe"))
    house.dream("2026-01-20T20:00:00Z")
    assert _is_known(house)
    house.undo("2026-01-21T08:00:00Z")
    house.forget("2026-01-21T09:00:00Z", "Klara")
    house.file_of("Delft depot enter").unlink()
    house.dream("2026-01-21T20:00:00Z")
    assert _is_known(house)
    with house.kit("2026-01-22T20:00:00Z") as kit, kit.store.writing() as tx:
        tx.execute("DELETE FROM meta WHERE key LIKE ?", (f"{seals.LOOKS}%",))  # as in a store of before
    house.say("2026-01-23T09:00:00Z", "Parcels for the Ghent depot are weighed twice.")
    house.dream("2026-01-23T20:00:00Z")
    assert _is_known(house)
