"""What a person wants forgotten is gone from every byte below the home, and stays gone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from dreamd.core import fsio
from dreamd.core.errors import StoreMissing
from dreamd.core.values import MemoryClass
from dreamd.dream import going_back, verbs
from dreamd.store import backups
from dreamd.store.intake import inbox
from household import House, Said, every_byte, words_of

DAY, NIGHT = "2026-01-05T09:00:00Z", "2026-01-05T20:00:00Z"
LATER, NIGHT_2 = "2026-01-09T09:00:00Z", "2026-01-09T20:00:00Z"
LAST, NIGHT_3 = "2026-01-19T09:00:00Z", "2026-01-19T20:00:00Z"
REFERENCE, RULE = MemoryClass.REFERENCE, MemoryClass.RULE
SECRET = "Quoxilfanz"
"""A word that stands nowhere else."""
BESIDE = Said("Invoices are rounded to full cents before tax.", conversation="c1", memory_class=RULE)


def remains(house: House, word: str = SECRET) -> list[str]:
    """Files below the home that still hold a word, in any usual encoding and case."""
    forms = [w.encode(code) for w in (word, word.lower(), word.upper()) for code in ("utf-8", "utf-16-le")]
    return [path for path in every_byte(house.home)
            if any(f in words_of(house.home / path) for f in forms) or word.lower() in path.lower()]


def lived_in(house: House) -> None:
    """A home in which one fact was said, said again, refined, replaced, edited by hand, parked and backed up."""
    house.say(DAY, Said(f"The partner {SECRET} pays in spring.", conversation="c1", memory_class=RULE), BESIDE)
    house.dream(NIGHT)
    house.say(LATER, Said(f"The partner {SECRET} pays in spring, because the audit is in May.", conversation="c2",
                          memory_class=RULE))
    house.dream(NIGHT_2)
    with house.kit(NIGHT_2) as kit:
        backups.back_up(kit.store.connection, kit.paths, now=kit.clock.now(), keep=4, why="test")
    path = house.file_of(SECRET)
    path.write_text(path.read_text().replace("in spring", "in autumn"))
    house.dream(LAST)
    fsio.write_atomic(house.paths.conflicts / "parked.md.0123", f"about {SECRET}".encode())


def test_a_forgotten_fact_is_in_no_byte_below_the_home(house: House) -> None:
    lived_in(house)
    assert len(remains(house)) >= 4, "it must have been there"
    house.forget(NIGHT_3, SECRET)
    assert remains(house) == []
    assert [m.text for m in house.memories()] == [BESIDE.text]
    assert house.faults(NIGHT_3) == []


def test_what_was_said_around_it_and_after_it_is_forgotten_with_it(house: House) -> None:
    fact = f"The partner {SECRET} pays in spring."
    house.say(DAY, Said(fact, conversation="c1", memory_class=RULE, context=f"And when does {SECRET} pay?"),
              replace(BESIDE, context=f"Fine, I noted {SECRET}."),
              Said("Shipping labels are printed on Tuesdays.", conversation="c7", context=f"You said: {fact}"),
              Said("Pallets are wrapped twice.", conversation="c7", context="How are pallets wrapped?"))
    house.dream(NIGHT)
    assert remains(house)
    house.forget(NIGHT_2, SECRET)
    assert remains(house) == []
    assert house.rows("SELECT context FROM observation WHERE context <> ''") == [("How are pallets wrapped?",)]
    assert house.faults(NIGHT_2) == []


def test_the_versions_it_had_are_forgotten_with_it(house: House) -> None:
    house.say(DAY, Said(f"The port of {SECRET} is 8080.", conversation="c1", memory_class=REFERENCE), BESIDE)
    house.dream(NIGHT)
    house.say(LATER, Said(f"The port of {SECRET} is 8081.", conversation="c2", memory_class=REFERENCE))
    house.dream(NIGHT_2)
    with house.kit(NIGHT_3) as kit:
        verbs.forget(kit, [house.memory("8081").id])
    assert remains(house) == []


def test_what_was_archived_is_forgotten_in_the_archive_too(house: House) -> None:
    house.say(DAY, Said(f"The drawings of {SECRET} lie in cabinet seven.", memory_class=REFERENCE), BESIDE)
    house.dream(NIGHT)
    house.say("2026-05-01T09:00:00Z", Said("The kettle whistles at noon.", conversation="c9"))
    house.dream("2026-09-01T20:00:00Z")
    assert any(path.startswith("archive/") for path in remains(house))
    house.forget("2026-09-02T20:00:00Z", SECRET)
    assert remains(house) == []


def test_a_copy_kept_by_an_earlier_restore_holds_it_no_longer(house: House) -> None:
    lived_in(house)
    going_back.restore_store(house.world(NIGHT_3))
    house.dream(NIGHT_3)
    house.forget(NIGHT_3, SECRET)
    assert remains(house) == []


def test_a_single_sighting_that_waits_is_forgotten_with_the_memory_that_says_the_same(house: House) -> None:
    fact = f"Ship the report to {SECRET} as a table."
    house.say(DAY, Said(fact, conversation="c1", explicit=False, sign="one-off"), BESIDE)
    house.dream(NIGHT)
    house.say(LATER, Said(fact, conversation="c2", memory_class=RULE))
    house.dream(NIGHT_2)
    house.forget(NIGHT_3, SECRET)
    assert remains(house) == []


def test_words_in_the_inbox_that_say_the_same_are_refused_when_they_come_in(house: House) -> None:
    fact = Said(f"The partner {SECRET} pays in spring.", conversation="c1", memory_class=RULE)
    house.say(DAY, fact, BESIDE)
    house.dream(NIGHT)
    inbox.put_notes(house.paths, [fact.candidate(LATER)], now=house.world(LATER).clock.now(), ticket="t")
    house.forget(NIGHT_2, SECRET)
    house.dream(NIGHT_3)
    assert remains(house) == []


def test_it_stays_forgotten_when_the_old_conversation_is_read_again_whenever_that_is(house: House) -> None:
    fact = f"The partner {SECRET} pays in spring."
    house.say(DAY, Said(fact, conversation="c1", memory_class=RULE), BESIDE)
    house.dream(NIGHT)
    house.forget(NIGHT, SECRET)
    for at in (DAY, LATER, "2027-01-01T00:00:00Z"):
        stored = house.say(LATER, Said(fact.replace(" pays", "  PAYS"), at=at, conversation="c1"))
        assert (stored[0].status, stored[0].reason) == ("refused", "forgotten")
    house.dream(NIGHT_2)
    assert remains(house) == []


def test_a_person_who_says_it_anew_in_a_new_conversation_is_believed(house: House) -> None:
    fact = f"The partner {SECRET} pays in spring."
    house.say(DAY, Said(fact, conversation="c1", memory_class=RULE), BESIDE)
    house.dream(NIGHT)
    house.forget(NIGHT, SECRET)
    house.say(LATER, Said(fact, conversation="c2", memory_class=RULE))
    house.dream(NIGHT_2)
    assert house.memory(SECRET).support == 1


def test_what_is_left_of_it_cannot_be_guessed_without_the_store(house: House) -> None:
    import hashlib

    fact = f"The partner {SECRET} pays in spring."
    house.say(DAY, Said(fact, conversation="c1", memory_class=RULE), BESIDE)
    house.dream(NIGHT)
    house.forget(NIGHT, SECRET)
    tombstones = {told for (told,) in house.rows("SELECT hash FROM tombstone")}
    plain = {hashlib.sha256(form.encode()).hexdigest() for form in (fact, fact.lower(), f"c1\x00{fact.casefold()}")}
    assert tombstones and tombstones.isdisjoint(plain)
    assert fact not in str(house.rows("SELECT * FROM operation"))


def test_a_neighbour_that_contradicted_it_is_kept_and_quotes_it_no_longer(house: House) -> None:
    house.say(DAY, Said(f"Never call {SECRET} before noon on weekdays.", conversation="c1", memory_class=RULE), BESIDE)
    house.dream(NIGHT)
    house.say("2026-01-05T21:00:00Z", Said(f"Always call {SECRET} before noon on weekdays.", conversation="c2",
                                           memory_class=RULE))
    house.dream("2026-01-05T22:00:00Z")
    house.forget(NIGHT_2, SECRET)
    assert remains(house) == []
    assert house.memory("Invoices").status.value == "live"


def test_forgetting_cannot_be_undone_and_says_so(house: House) -> None:
    house.say(DAY, Said(f"The partner {SECRET} pays in spring.", memory_class=RULE))
    house.dream(NIGHT)
    house.forget(NIGHT, SECRET)
    with pytest.raises(StoreMissing):
        house.undo(NIGHT_2)
    assert house.memories() == []


def test_nothing_is_forgotten_by_an_unknown_id(house: House) -> None:
    house.say(DAY, BESIDE)
    house.dream(NIGHT)
    with house.kit(NIGHT) as kit, pytest.raises(StoreMissing):
        verbs.forget(kit, [house.memory("Invoices").id, "feedfacecafe"])
    assert len(house.memories()) == 1


def transcript(person: Path, *lines: dict[str, object]) -> Path:
    """A conversation of an agent on this machine."""
    import json

    path = person / ".claude" / "projects" / "-srv-work-cedar" / "0b7c5a3e-1111-4222-8333-444455556666.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def prompt(text: str, n: int) -> dict[str, object]:
    """A line of a transcript in which a person says something."""
    return {"type": "user", "uuid": f"00000000-0000-4000-8000-{n:012d}", "parentUuid": None, "isSidechain": False,
            "userType": "external", "cwd": "/srv/work/cedar", "sessionId": "0b7c5a3e-1111-4222-8333-444455556666",
            "version": "2.1.0", "timestamp": f"2026-01-05T09:00:{n:02d}.000Z", "message": {"role": "user", "content": text}}


def test_what_came_from_a_transcript_leaves_no_trace_of_how_far_it_was_read(house: House) -> None:
    lines = [prompt(f"Remember: the partner {SECRET} is always billed in spring.", 1),
             prompt("Remember: invoices are always rounded to full cents before tax.", 2)]
    transcript(house.person, *lines)
    house.dream(NIGHT)
    if not any(SECRET in m.text for m in house.memories()):
        pytest.fail("the transcript was not understood, so this proves nothing")
    house.forget(NIGHT, SECRET)
    assert remains(house) == []
    transcript(house.person, *lines, prompt("Remember: reviews always need two people.", 3))
    with house.kit(NIGHT_2) as kit, kit.store.writing() as tx:
        tx.execute("DELETE FROM cursor")
    house.dream(NIGHT_2)
    assert remains(house) == []
    assert not any(SECRET in m.text for m in house.memories())
