"""The safety of a dream: what it may never do, whatever it finds. Each rule once, on a real store."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

import pytest

from dreamd.core.errors import Refused, StoreMissing
from dreamd.core.values import Memory, MemoryClass, Origin, Status, Trust
from dreamd.dream.cycle import Wish
from dreamd.store import connection as store_door
from dreamd.store import journal
from dreamd.store.uses import mark_used
from household import AS_USUAL, CEDAR, House, Said, SharedWords, differences, every_byte, snapshot

DAY, NIGHT = "2026-01-05T09:00:00Z", "2026-01-05T20:00:00Z"
DAY_2, NIGHT_2 = "2026-01-08T09:00:00Z", "2026-01-08T20:00:00Z"
DAY_3, NIGHT_3 = "2026-01-12T09:00:00Z", "2026-01-12T20:00:00Z"
HALF_A_YEAR_ON = "2026-09-01T20:00:00Z"
REFERENCE, RULE = MemoryClass.REFERENCE, MemoryClass.RULE
PORT = Said("The staging port of cedar is 8080.", conversation="c1", memory_class=REFERENCE)
NEW_PORT = Said("The staging port of cedar is 8081.", conversation="c2", memory_class=REFERENCE)
TAGS = Said("Never write to the tag registry from a notebook.", conversation="c1", memory_class=RULE)
TAGS_AND_WHY = Said("Never write to the tag registry from a notebook, because it drops the locks.", conversation="c2",
                    memory_class=RULE)


NAMES = ("mirror", "spooler", "gateway", "indexer", "scraper", "mailer", "renderer", "planner")


def place(n: int) -> Said:
    """One of many references that have nothing to do with each other."""
    words = ("harbour", "quarry", "orchard", "viaduct", "granary", "foundry", "lighthouse", "aqueduct", "brewery", "chapel",
             "dairy", "embassy", "ferry", "gallery", "hangar", "inn", "jetty", "kiln", "library", "mill", "nursery",
             "observatory", "pavilion", "quay", "refinery", "smithy", "tannery", "university", "vineyard", "workshop")
    return Said(f"Drawings of the {words[n]} lie in cabinet {words[-1 - n]}.", memory_class=REFERENCE)


def in_use(house: House) -> None:
    """Somebody asks in every scope in spring: a stretch without that would not make anything half a year old."""
    ids = [m.id for m in house.memories()]
    with house.kit("2026-05-15T09:00:00Z") as kit, kit.store.writing() as tx:
        mark_used(tx, ids, kit.clock.now())


def two_nights(house: House) -> None:
    """A night that adds, and one that merges, refines and updates."""
    house.say(DAY, PORT, TAGS)
    house.dream(NIGHT)
    house.say(DAY_2, NEW_PORT, TAGS_AND_WHY)
    house.dream(NIGHT_2)


def standing(house: House) -> list[Memory]:
    """Memories, in an order that does not depend on history."""
    return sorted(house.memories(), key=lambda m: m.id)


# 1. Everything can be taken back.


def test_every_change_is_in_the_journal_with_what_was_before_and_after(house: House) -> None:
    two_nights(house)
    chains: dict[str, str | None] = {}
    rows = house.rows("SELECT memory, before, after, reason FROM operation ORDER BY run, seq")
    for memory, before, after, reason in rows:
        assert before == chains.get(str(memory)), "an entry must begin where the one before it ended"
        assert after and reason
        chains[str(memory)] = str(after)
    assert len(rows) >= 5
    for memory in house.memories():
        after = json.loads(chains[memory.id] or "")
        assert (after["status"], after["superseded_by"]) == (memory.status.value, memory.superseded_by)
        assert after["observations"] == list(memory.observations)


def test_undo_brings_back_memories_and_files_as_they_were(house: House) -> None:
    house.say(DAY, PORT, TAGS)
    house.dream(NIGHT)
    memories, files = standing(house), snapshot(house.home)["on disk"]
    house.say(DAY_2, NEW_PORT, TAGS_AND_WHY, "Reviews of cedar need two people.")
    report = house.dream(NIGHT_2)
    assert {c.op for c in report.changes} == {"add", "refine", "supersede"}
    house.undo(NIGHT_3)
    assert standing(house) == memories
    assert snapshot(house.home)["on disk"] == files
    assert house.faults(NIGHT_3) == []


def test_a_memory_that_came_only_from_an_undone_run_is_in_no_listing(house: House) -> None:
    house.say(DAY, PORT)
    house.dream(NIGHT)
    house.undo(NIGHT_2)
    assert house.memories() == []
    with pytest.raises(StoreMissing):
        house.undo(NIGHT_3)


def test_what_an_undone_run_consumed_stays_and_is_never_taken_up_by_itself(house: House) -> None:
    two_nights(house)
    before = len(house.rows("SELECT 1 FROM observation"))
    house.undo(NIGHT_3)
    assert len(house.rows("SELECT 1 FROM observation")) == before
    assert house.rows("SELECT COUNT(*) FROM fate WHERE set_aside = 1") == [(2,)]
    assert house.dream("2026-01-13T20:00:00Z").outcome == "nothing-to-do"
    assert house.dream("2026-01-14T20:00:00Z", Wish(full=True)).fates == {}
    assert house.memory("8080").status is Status.LIVE


def test_redo_hands_an_undone_run_back_and_the_next_dream_comes_to_the_same_end(house: House) -> None:
    two_nights(house)
    wanted = [(m.text, m.status, m.support) for m in standing(house)]
    house.undo(NIGHT_3)
    with house.kit(NIGHT_3) as kit:
        undone = next(r for r in journal.load_runs(kit.store) if r.undone_by)
    assert house.redo(NIGHT_3, undone.id) == 2
    house.dream("2026-01-13T20:00:00Z")
    assert [(m.text, m.status, m.support) for m in standing(house)] == wanted


def test_an_old_run_is_taken_back_only_with_the_later_ones_that_rest_on_it_named(house: House) -> None:
    two_nights(house)
    with house.kit(NIGHT_3) as kit:
        newer, older = journal.load_runs(kit.store)
    with pytest.raises(Refused, match=newer.id):
        house.undo(NIGHT_3, older.id)
    assert house.undo(NIGHT_3, older.id, with_later=True).runs == (newer.id, older.id)
    assert house.memories() == []
    assert house.faults(NIGHT_3) == []


def test_an_old_run_that_nothing_rests_on_is_taken_back_alone(house: House) -> None:
    house.say(DAY, PORT)
    first = house.dream(NIGHT)
    house.say(DAY_2, TAGS)
    house.dream(NIGHT_2)
    assert house.undo(NIGHT_3, first.run).runs == (first.run,)
    assert [m.text for m in house.memories()] == [TAGS.text]


def test_a_run_is_undone_once(house: House) -> None:
    two_nights(house)
    with house.kit(NIGHT_3) as kit:
        newest = journal.load_runs(kit.store)[0]
    house.undo(NIGHT_3, newest.id)
    with pytest.raises(Refused, match="taken back already"):
        house.undo(NIGHT_3, newest.id)


# 2. No run retires much.


def test_a_run_that_would_retire_more_than_its_share_retires_its_share_and_lists_the_rest(house: House) -> None:
    house.say(DAY, *[place(n) for n in range(30)], TAGS)
    house.dream(NIGHT)
    in_use(house)
    report = house.dream(HALF_A_YEAR_ON)
    assert report.outcome == "partial"
    assert (len(house.memories(Status.ARCHIVED)), len(report.waiting)) == (6, 24)
    assert len(house.memories(Status.LIVE)) == 25
    house.dream(HALF_A_YEAR_ON, Wish(allow_large_change=True))
    assert len(house.memories(Status.ARCHIVED)) == 30


def test_what_waits_goes_night_by_night_the_oldest_first_until_nothing_waits(house: House) -> None:
    for n in range(12):
        house.say(f"2026-01-05T{n:02d}:00:00Z", place(n))
    house.say(DAY, TAGS)
    house.dream(NIGHT)
    in_use(house)
    gone: list[str] = []
    for _ in range(9):
        report = house.dream(HALF_A_YEAR_ON)
        gone += sorted(c.after.text for c in report.changes)
        if report.outcome == "nothing-to-do":
            break
    assert len(house.memories(Status.ARCHIVED)) == 12
    assert gone[:5] == sorted(place(n).text for n in range(5))
    before = snapshot(house.home)
    assert house.dream(HALF_A_YEAR_ON).outcome == "nothing-to-do"
    assert differences(before, snapshot(house.home)) == []


def test_what_passes_the_limit_of_one_scope_stops_no_other_and_nothing_else(house: House) -> None:
    house.say(DAY, *[place(n) for n in range(30)], TAGS, replace(place(3), scope="project:other"),
              replace(TAGS, scope="project:other"))
    house.dream(NIGHT)
    in_use(house)
    house.say(HALF_A_YEAR_ON, "The new gateway listens on port 9191.")
    report = house.dream(HALF_A_YEAR_ON)
    assert report.outcome == "partial"
    assert {str(c.after.scope) for c in report.waiting} == {TAGS.scope}
    assert len(house.memories(Status.ARCHIVED, scope="project:other")) == 1
    assert report.fates == {"new": 1}


def test_statements_that_would_hold_more_than_a_run_may_wait_and_the_night_goes_on(house: House) -> None:
    said = [[Said(f"The port of the {name} is {first + n}.", conversation="c1", memory_class=REFERENCE)
             for n, name in enumerate(NAMES)] for first in (8000, 9000)]
    house.say(DAY, *said[0])
    house.dream(NIGHT)
    house.say(DAY, *said[1], TAGS)
    report = house.dream(NIGHT)
    held = [c for c in report.changes if c.op == "hold" and c.before is not None]
    assert report.outcome == "partial"
    assert len(held) == 5
    assert len(report.waiting) == len(NAMES) - 5
    assert TAGS.text in {m.text for m in house.memories(Status.LIVE)}
    before = [len(house.memories(Status.HELD))]
    while house.dream(NIGHT).changes:
        before.append(len(house.memories(Status.HELD)))
    assert before == sorted(set(before))


def test_five_may_always_go(house: House) -> None:
    house.say(DAY, *[place(n) for n in range(5)], TAGS)
    house.dream(NIGHT)
    in_use(house)
    house.dream(HALF_A_YEAR_ON)
    assert len(house.memories(Status.ARCHIVED)) == 5


def test_a_run_never_empties_a_scope(house: House) -> None:
    house.say(DAY, place(1), place(2))
    house.dream(NIGHT)
    in_use(house)
    house.dream(HALF_A_YEAR_ON)
    assert sorted(m.status for m in house.memories()) == [Status.ARCHIVED, Status.LIVE]


def test_what_merges_or_is_updated_does_not_count_as_retired(house: House) -> None:
    ports = [Said(f"The port of the {name} is {8000 + n}.", conversation="c1", memory_class=REFERENCE) for n, name in
             enumerate(("mirror", "spooler", "gateway", "indexer", "scraper", "mailer", "renderer", "planner"))]
    house.say(DAY, *ports)
    house.dream(NIGHT)
    house.say(DAY_2, *[Said(s.text.replace("is 8", "is 9"), conversation="c2", memory_class=REFERENCE) for s in ports])
    report = house.dream(NIGHT_2)
    assert report.fates == {"updates": 8}
    assert len(house.memories(Status.SUPERSEDED)) == 8


def test_a_state_past_its_day_does_not_count_as_retired(house: House) -> None:
    freezes = [Said(f"The {name} branch is frozen.", memory_class=MemoryClass.STATE, ttl="2026-01-07") for name in
               ("spruce", "willow", "juniper", "hazel", "larch", "rowan", "alder")]
    house.say(DAY, *freezes, TAGS)
    house.dream(NIGHT)
    house.dream(NIGHT_2)
    assert len(house.memories(Status.ARCHIVED)) == 7


# 3. A dream comes to rest.


class Unwanted(SharedWords):
    """An embedder that nobody may ask."""

    def embed(self, texts: Sequence[str]) -> NoReturn:
        raise AssertionError(f"a dream with nothing to do asked the model for {len(texts)} texts")


def test_a_second_dream_changes_no_byte_and_asks_no_model(house: House) -> None:
    two_nights(house)
    before = {path: body for path, (body, _, _) in every_byte(house.home).items()}
    house.embedder = Unwanted()
    report = house.dream("2026-01-08T23:00:00Z")
    assert (report.outcome, report.run) == ("nothing-to-do", "")
    assert {path: body for path, (body, _, _) in every_byte(house.home).items()} == before


def test_a_pair_judged_once_is_not_judged_again(house: House) -> None:
    house.say(DAY, PORT, TAGS)
    house.dream(NIGHT)
    house.say(DAY_2, NEW_PORT)
    first = house.dream(NIGHT_2).phases["consolidate"]["judged"]
    assert first > 0
    house.undo(NIGHT_2)
    with house.kit(NIGHT_2) as kit:
        undone = next(r for r in journal.load_runs(kit.store) if r.undone_by)
    house.redo(NIGHT_2, undone.id)
    assert house.dream(NIGHT_3).phases["consolidate"]["judged"] == 0


def test_the_order_in_which_things_were_read_does_not_matter(tmp_path: Path) -> None:
    said = (PORT, TAGS, Said(NEW_PORT.text, at=DAY_2, conversation="c2", memory_class=REFERENCE), *[place(n) for n in range(4)])
    homes = []
    for name, order in (("forwards", said), ("backwards", said[::-1])):
        house = House(tmp_path / name)
        house.say(DAY, *order)
        house.dream(NIGHT_2)
        homes.append(standing(house))
    assert homes[0] == homes[1]


# 4. The successor is there before its predecessor goes.


CARRIED_AND_LOST = """
SELECT (SELECT COUNT(*) FROM memory m JOIN wording w ON w.sha = m.wording JOIN memory_words x ON x.rowid = m.seq
        WHERE m.status = 'live' AND w.text LIKE '%staging port%'),
       (SELECT COUNT(*) FROM memory m WHERE superseded_by <> '' AND NOT EXISTS
          (SELECT 1 FROM memory s JOIN memory_words x ON x.rowid = s.seq WHERE s.id = m.superseded_by))"""


def test_at_no_moment_is_a_claim_without_a_memory_that_carries_it(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    house.say(DAY, PORT, TAGS)
    house.dream(NIGHT)
    house.say(DAY_2, NEW_PORT, TAGS_AND_WHY, *[place(n) for n in range(20)])
    seen = []
    real = store_door._commit

    def look(connection: sqlite3.Connection) -> None:
        real(connection)
        with closing(sqlite3.connect(house.paths.store)) as outside:
            seen.append(outside.execute(CARRIED_AND_LOST).fetchone())

    monkeypatch.setattr(store_door, "_commit", look)
    house.dream(NIGHT_2)
    assert len(seen) > 3
    assert set(seen) == {(1, 0)}


def test_the_journal_names_the_successor_before_the_one_it_replaces_ends(house: House) -> None:
    two_nights(house)
    last_run = house.rows("SELECT MAX(run) FROM operation")[0][0]
    ops = [str(op) for op, text in house.rows(
        """SELECT o.op, w.text FROM operation o JOIN memory m ON m.id = o.memory JOIN wording w ON w.sha = m.wording
           WHERE o.run = ? AND w.text LIKE '%port%' ORDER BY o.seq""", last_run)]
    assert ops == ["add", "supersede"]


# 5. A merge lends no trust and lifts no mask.


def test_a_merge_takes_the_lowest_trust_and_keeps_the_highest_authority(house: House) -> None:
    house.say(DAY, TAGS)
    house.dream(NIGHT)
    house.say(DAY_2, Said(TAGS.text, origin=Origin.AGENT, conversation="c2", memory_class=RULE))
    house.dream(NIGHT_2)
    memory = house.memory("tag registry")
    assert (memory.support, memory.trust, memory.authority) == (2, Trust.AGENT, Trust.USER)


def test_words_nobody_vouches_for_never_join_a_trusted_memory(house: House) -> None:
    house.say(DAY, TAGS)
    house.dream(NIGHT)
    house.say(DAY_2, *[Said(TAGS.text, origin=origin, conversation=f"w{n}") for n, origin in
                       enumerate((Origin.WEB, Origin.TOOL, Origin.WEB, Origin.TOOL))])
    house.dream(NIGHT_2)
    memory = house.memories(Status.LIVE)
    assert [(m.support, m.trust) for m in memory] == [(1, Trust.USER)]


def test_a_trusted_statement_takes_nothing_from_an_untrusted_one_that_came_first(house: House) -> None:
    house.say(DAY, Said(TAGS.text, origin=Origin.WEB, conversation="w1"))
    house.dream(NIGHT)
    assert [m.status for m in house.memories()] == [Status.HELD]
    house.say(DAY_2, TAGS)
    house.dream(NIGHT_2)
    live = house.memories(Status.LIVE)
    assert [(m.support, m.trust) for m in live] == [(1, Trust.USER)]


def test_a_mask_in_one_member_stays_a_mask(house: House) -> None:
    secret = "ghp_" + "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5"[:36]
    masked = f"The deploy token of cedar is {secret}."
    house.say(DAY, Said(masked, conversation="c1", memory_class=REFERENCE))
    house.dream(NIGHT)
    house.say(DAY_2, Said(masked, conversation="c2", memory_class=REFERENCE))
    house.say(DAY_2, Said(masked[:-1] + ", because the old one leaked.", conversation="c3", memory_class=REFERENCE))
    house.dream(NIGHT_2)
    assert all("[masked" in m.text for m in house.memories())
    held = [path for path, (body, _, _) in every_byte(house.home).items() if secret.encode() in body]
    assert held == []


# Who is never touched.


def test_a_pinned_memory_is_touched_by_no_dream(house: House) -> None:
    from dreamd.dream import verbs

    house.say(DAY, place(1), TAGS, PORT)
    house.dream(NIGHT)
    with house.kit(DAY_2) as kit:
        for memory in house.memories():
            verbs.pin(kit, memory.id)
    pinned = {m.id: (m.text, m.status, m.valid_to) for m in house.memories()}
    house.say(DAY_2, NEW_PORT, TAGS_AND_WHY)
    house.dream(HALF_A_YEAR_ON)
    now = {m.id: (m.text, m.status, m.valid_to) for m in house.memories()}
    assert {i: now[i] for i in pinned} == pinned


def test_a_file_that_a_person_edited_keeps_its_bytes_through_later_dreams(house: House) -> None:
    two_nights(house)
    path = house.file_of("tag registry")
    path.write_text(path.read_text().replace("notebook", "notebook or a shell").replace("\n\n", "\n\n\n"))
    wanted = path.read_bytes()
    house.dream(NIGHT_3)
    house.say(DAY_3, Said(TAGS.text, conversation="c9", memory_class=RULE), place(3))
    house.dream("2026-01-20T20:00:00Z")
    house.dream(HALF_A_YEAR_ON)
    assert path.read_bytes() == wanted


def test_a_dream_for_one_scope_leaves_the_others_alone(house: House) -> None:
    from dreamd.core.values import parse_scope

    house.say(DAY, PORT, Said(TAGS.text, scope="project:birch"))
    house.dream(NIGHT, Wish(scope=parse_scope("project:birch")))
    assert [str(m.scope) for m in house.memories()] == ["project:birch"]
    assert house.dream(NIGHT_2, AS_USUAL).fates == {"new": 1}
    assert {str(m.scope) for m in house.memories()} == {"project:birch", CEDAR}


def test_a_dry_run_changes_no_byte_and_says_what_the_dream_then_does(house: House) -> None:
    two_nights(house)
    house.say(DAY_3, place(1), Said("The staging port of cedar is 8082.", conversation="c5", memory_class=REFERENCE))
    before = {path: body for path, (body, _, _) in every_byte(house.home).items()}
    promised = house.dream(NIGHT_3, Wish(only_plan=True))
    assert {path: body for path, (body, _, _) in every_byte(house.home).items()} == before
    done = house.dream(NIGHT_3, Wish(approved=promised.digest))
    assert [(c.op, c.after.id) for c in done.changes] == [(c.op, c.after.id) for c in promised.changes]


def test_an_approved_plan_is_refused_once_its_ground_has_moved(house: House) -> None:
    house.say(DAY, PORT)
    promised = house.dream(NIGHT, Wish(only_plan=True))
    house.say(DAY, TAGS)
    with pytest.raises(Refused, match="no longer what was approved"):
        house.dream(NIGHT, Wish(approved=promised.digest))
    assert house.memories() == []
