"""What was said is kept for good, once, in order, and every writer is told what became of it."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import pytest

from dreamd.core.errors import DreamError
from dreamd.core.values import MemoryClass, Origin
from dreamd.dream import verbs
from dreamd.dream.plan import Plan
from dreamd.store import observations, shown, work
from dreamd.store.connection import Fenced
from household import House, Said, snapshot

DAY, NIGHT = "2026-01-05T09:00:00Z", "2026-01-05T20:00:00Z"
LATER, NIGHT_2 = "2026-01-09T09:00:00Z", "2026-01-09T20:00:00Z"
PORT = Said("The staging port of cedar is 8080.", conversation="c1", memory_class=MemoryClass.REFERENCE)
NEW_PORT = Said("The staging port of cedar is 8081.", conversation="c2", memory_class=MemoryClass.REFERENCE)
REVIEWS = Said("Reviews of cedar need two people.", conversation="c1")
LOOK = "SELECT id, text, origin, at, scope, conversation, key, stored_at FROM observation ORDER BY seq"


def test_observations_are_never_changed_or_removed_by_dreams_undo_or_a_persons_verbs(house: House) -> None:
    house.say(DAY, PORT, REVIEWS, "Short.", Said("The page says so, they say.", origin=Origin.WEB))
    first = house.rows(LOOK)
    house.dream(NIGHT)
    house.say(LATER, NEW_PORT)
    house.dream(NIGHT_2)
    house.file_of("Reviews").unlink()
    house.dream("2026-01-10T20:00:00Z")
    with house.kit(NIGHT_2) as kit:
        verbs.restore(kit, house.memory("8080").id)
    house.undo("2026-01-11T20:00:00Z", with_later=True)
    house.dream("2027-01-11T20:00:00Z")
    assert house.rows(LOOK)[:len(first)] == first


def test_the_same_key_is_stored_once_whatever_comes_with_it(house: House) -> None:
    one = house.say(DAY, Said("The ledger closes at six.", key="note-1"))
    other = house.say(LATER, Said("The ledger closes at seven.", key="note-1"))
    assert [one[0].status, other[0].status] == ["stored", "known"]
    assert one[0].id == other[0].id
    assert house.rows("SELECT text FROM observation") == [("The ledger closes at six.",)]


def test_the_same_words_of_one_moment_are_one_observation_and_of_two_moments_two(house: House) -> None:
    assert [s.status for s in house.say(DAY, REVIEWS, REVIEWS)] == ["stored", "known"]
    assert [s.status for s in house.say(LATER, REVIEWS)] == ["stored"]


def test_what_was_said_before_it_is_kept_beside_an_observation_and_is_no_part_of_it(house: House) -> None:
    house.say(DAY, replace(PORT, context="Which port does staging of cedar listen on?"))
    house.say(DAY, PORT)
    assert house.rows("SELECT text, context FROM observation") == [(PORT.text, "Which port does staging of cedar listen on?")]
    with house.kit(DAY) as kit:
        [one] = observations.load_pending(kit.store)
        assert one.context == "Which port does staging of cedar listen on?"


def test_two_homes_fed_alike_are_alike(tmp_path: Path) -> None:
    ends = []
    for name in ("one", "other"):
        house = House(tmp_path / name)
        house.say(DAY, PORT, REVIEWS)
        house.dream(NIGHT)
        house.say(LATER, NEW_PORT, Said(REVIEWS.text, conversation="c3"))
        house.dream(NIGHT_2)
        ends.append(snapshot(house.home))
    assert ends[0] == ends[1]


def test_a_dream_that_was_overtaken_writes_nothing_more(house: House) -> None:
    house.say(DAY, PORT)
    with house.kit(NIGHT) as slow, house.kit(NIGHT) as quick:
        slow.begin()
        quick.begin()
        with pytest.raises(Fenced), slow.writing() as tx:
            work.write_meta(tx, "zone", "Europe/Oslo")
        with quick.writing() as tx:
            work.write_meta(tx, "zone", "Europe/Rome")
    assert house.rows("SELECT value FROM meta WHERE key = 'zone'") == [("Europe/Rome",)]


def test_a_store_that_went_back_to_an_older_copy_fences_the_dream_that_worked_on_it(house: House) -> None:
    house.say(DAY, PORT)
    with house.kit(NIGHT) as kit:
        kit.begin()
        with kit.store.writing() as tx:
            tx.execute("UPDATE meta SET value = '0' WHERE key = 'epoch'")
        with pytest.raises(Fenced), kit.writing() as tx:
            work.write_meta(tx, "zone", "Europe/Oslo")


def test_what_a_person_did_while_the_dream_planned_stands_and_the_rest_waits(house: House) -> None:
    house.say(DAY, PORT, REVIEWS)
    house.dream(NIGHT)
    house.say(LATER, NEW_PORT, "Invoices are rounded to full cents before tax.")
    meant = house.memory("8080").id

    def pin_now() -> bool:
        if not house.memory("8080").pinned:
            with house.kit(NIGHT_2) as other:
                verbs.pin(other, meant)
        return False

    with house.kit(NIGHT_2) as kit:
        from dreamd.dream.cycle import run_cycle

        planned: list[Plan] = []
        kit.progress = lambda phase, done, _total: planned.append(Plan()) if phase == "consolidate" and not done else None
        kit.should_stop = lambda: pin_now() if planned else False
        report = run_cycle(kit)
    assert any("changed while the dream was planned" in w for w in report.warnings)
    assert (house.memory("8080").pinned, house.memory("8080").status.value) == (True, "live")
    assert house.memory("Invoices").status.value == "live"
    assert house.dream("2026-01-10T20:00:00Z").fates == {"held": 1}
    assert house.memory("8081").status.value == "held"
    assert house.faults(NIGHT_2) == []


SCRIPTS = (
    ("部署之前必须运行数据库迁移。", "数据库"), ("リリースの前に必ずテストを実行する。", "テスト"),
    ("배포 전에 항상 테스트를 실행한다.", "테스트"), ("Die Brücke wird montags geprüft.", "brucke"),
    ("La réunion commence à neuf heures.", "reunion"), ("Сервер перезапускается ночью.", "сервер"))


def test_words_are_found_in_every_script(house: House) -> None:
    house.say(DAY, *(text for text, _ in SCRIPTS), "Reviews of cedar need two people.")
    house.dream(NIGHT)
    with house.kit(NIGHT) as kit:
        found = [shown.search_words_of(kit.store, [query], statuses=["live"], scopes=[], limit=5) for _, query in SCRIPTS]
    assert found == [[house.memory(text[:8]).id] for text, _ in SCRIPTS]


def test_no_query_is_mistaken_for_the_language_of_the_index(house: House) -> None:
    house.say(DAY, PORT)
    house.dream(NIGHT)
    with house.kit(NIGHT) as kit:
        for query in ('"', "a AND", "NEAR(", "col:x", "*", "'; DROP TABLE memory; --", "\x00", "😀", "-", "()"):
            found = shown.search_words_of(kit.store, [query], statuses=["live"], scopes=[], limit=5)
            assert found in ([], [house.memory("8080").id]), query


def test_notes_taken_while_another_writes_wait_their_turn(house: House) -> None:
    house.say(DAY, PORT)
    told: list[str] = []

    def one(n: int) -> None:
        told.extend(s.status for s in house.say(DAY, f"Cabinet number {n} holds the drawings of the quay."))

    writers = [threading.Thread(target=one, args=(n,)) for n in range(8)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert told == ["stored"] * 8
    assert len(house.rows("SELECT 1 FROM observation")) == 9


def test_a_transaction_that_fails_half_way_leaves_nothing(house: House) -> None:
    with house.kit(DAY) as kit:
        with pytest.raises(DreamError, match="stop"), kit.store.writing() as tx:
            observations.append(tx, [PORT.candidate(DAY)], stored_at=kit.clock.now(), key=b"k")
            raise DreamError("stop")
        assert observations.count_pending(kit.store) == (0, None)
