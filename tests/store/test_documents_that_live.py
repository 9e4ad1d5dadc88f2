"""Documents that are read again: what took another's place succeeds it, what vanished is withdrawn, damage is no wish."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from dreamd.core.clock import parse_instant
from dreamd.core.values import Memory, Origin, Status
from dreamd.dream import verbs
from dreamd.dream.cycle import Wish
from dreamd.store import observations, work
from household import House, Said, differences, snapshot

DAYS = [f"2026-03-{day:02}T20:00:00Z" for day in range(1, 29)]
INDEX = """# Memory of the boat yard

## Slipway

- The slipway crane lifts nine tonnes at most.
- Hulls are washed before they enter the hall.
- The winch is greased every second Friday.

## Office

- Invoices leave on the last working day.
- The spare keys hang behind the map.
"""
TOPIC = """---
name: varnish
description: how varnish is mixed
type: project
---

Varnish is mixed three to one with hardener in the glass room.

It dries for two nights before anybody sands it.
"""
SANDING = """---
name: sanding
description: sanding
---

Sanding starts at the keel and ends at the rail.
"""


class Yard:
    """A memory directory of an agent, and the home of a dream that reads it every night."""

    def __init__(self, root: Path) -> None:
        self.house = House(root)
        self.place = self.house.person / ".claude" / "projects" / "-srv-yard" / "memory"
        self.night = 0

    def write(self, name: str, text: str | bytes) -> None:
        """Put a file into the directory, as of the day that comes."""
        path = self.place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        self._dated(path)

    def drop(self, *names: str) -> None:
        """Take files away."""
        for name in names:
            (self.place / name).unlink()

    def _dated(self, path: Path) -> None:
        at = parse_instant(DAYS[self.night]).timestamp() - 3600
        os.utime(path, (at, at))

    def dream(self, **wish: bool) -> str:
        """Sleep a night over it."""
        self.night += 1
        return self.house.dream(DAYS[self.night - 1], Wish(**wish)).outcome

    def one(self, words: str) -> Memory:
        return self.house.memory(words)

    def live(self) -> set[str]:
        return {m.text for m in self.house.memories(Status.LIVE)}


@pytest.fixture
def yard(tmp_path: Path) -> Yard:
    """A directory with an index and a topic file, read once."""
    made = Yard(tmp_path)
    made.write("MEMORY.md", INDEX)
    made.write("varnish.md", TOPIC)
    assert made.dream() == "changed"
    assert len(made.live()) == 6
    return made


def test_a_line_that_took_anothers_place_is_its_successor(yard: Yard) -> None:
    yard.write("MEMORY.md", INDEX.replace("lifts nine tonnes at most", "lifts twelve tonnes since the new cable"))
    yard.dream()
    old, new = yard.one("nine tonnes"), yard.one("twelve tonnes")
    assert (old.status, old.superseded_by, old.reason, new.status) == (
        Status.SUPERSEDED, new.id, "edited-at-source", Status.LIVE)
    assert yard.house.rows("SELECT evidence FROM operation WHERE memory = ? AND op = 'supersede'", old.id) == [
        ('["edited at its source"]',)]
    assert len(yard.live()) == 6


def test_other_words_in_the_same_place_are_the_successor_too(yard: Yard) -> None:
    yard.write("MEMORY.md", INDEX.replace("Hulls are washed before they enter the hall.", "Paint tins stay outside overnight."))
    yard.dream()
    assert yard.one("Hulls are washed").superseded_by == yard.one("Paint tins").id


def test_a_line_that_is_edited_and_moved_at_once_is_its_own_successor_and_no_other_lines(yard: Yard) -> None:
    yard.write("MEMORY.md", """# Memory of the boat yard

## Slipway

- Invoices leave on the tenth working day.
- The winch is greased every second Friday.
- The slipway crane lifts twelve tonnes at most.

## Office

- The spare keys hang behind the map.
""")
    yard.dream()
    assert yard.one("nine tonnes").superseded_by == yard.one("twelve tonnes").id
    assert yard.one("last working day").superseded_by == yard.one("tenth working day").id
    assert (yard.one("Hulls are washed").status, yard.one("Hulls are washed").superseded_by) == (Status.ARCHIVED, "")


def test_what_stands_below_another_heading_in_other_words_took_nobodys_place(yard: Yard) -> None:
    yard.write("MEMORY.md", INDEX.replace("- The winch is greased every second Friday.\n\n## Office\n\n", "## Meals\n\n"
                                          "- Soup comes at noon from the canteen.\n\n## Office\n\n"))
    yard.dream()
    assert (yard.one("winch").status, yard.one("Soup").status) == (Status.ARCHIVED, Status.LIVE)


def test_what_vanished_alone_is_withdrawn_and_can_be_restored(yard: Yard) -> None:
    yard.write("MEMORY.md", INDEX.replace("- The winch is greased every second Friday.\n", ""))
    yard.dream()
    gone = yard.one("winch")
    assert (gone.status, gone.reason, gone.superseded_by) == (Status.ARCHIVED, "withdrawn-at-source", "")
    with yard.house.kit(DAYS[5]) as kit:
        verbs.restore(kit, gone.id)
    yard.dream()
    assert yard.one("winch").status is Status.LIVE


def test_what_is_struck_through_in_a_document_is_said_no_more(yard: Yard) -> None:
    washed, greased = "Hulls are washed before they enter the hall.", "The winch is greased every second Friday."
    yard.write("MEMORY.md", INDEX.replace(washed, f"~~{washed}~~").replace(
        greased, f"~~{greased}~~ The winch is greased every Monday, with `~~grease~~` as label."))
    yard.write("varnish.md", TOPIC.replace("It dries for two nights", "It dries for ~~two~~ five nights"))
    yard.dream()
    assert (yard.one("Hulls are washed").status, yard.one("second Friday").status) == (Status.ARCHIVED, Status.SUPERSEDED)
    assert yard.one("every Monday").text == "The winch is greased every Monday, with `~~grease~~` as label."
    assert "~~" not in yard.one("five nights").text and "two nights" not in yard.one("five nights").text
    yard.write("MEMORY.md", INDEX)
    yard.dream()
    assert yard.one("Hulls are washed").status is Status.LIVE
    assert yard.dream() == "nothing-to-do"


def test_a_line_that_comes_back_lives_again(yard: Yard) -> None:
    without = INDEX.replace("- The winch is greased every second Friday.\n", "")
    for text, there in ((without, False), (INDEX, True), (without, False), (INDEX, True)):
        yard.write("MEMORY.md", text)
        yard.dream()
        assert ("The winch is greased every second Friday." in yard.live()) is there


def test_a_line_that_is_edited_and_put_back_lives_again(yard: Yard) -> None:
    for text, words in ((INDEX.replace("nine", "ten"), "ten"), (INDEX, "nine"), (INDEX.replace("nine", "ten"), "ten")):
        yard.write("MEMORY.md", text)
        yard.dream()
        assert [t for t in yard.live() if "tonnes" in t] == [f"The slipway crane lifts {words} tonnes at most."]


def test_what_a_person_said_too_stays_when_the_line_goes(yard: Yard) -> None:
    scope = str(yard.one("winch").scope)
    yard.house.say(DAYS[0], Said("The winch is greased every second Friday.", scope=scope, conversation="talk"))
    yard.dream()
    yard.write("MEMORY.md", INDEX.replace("- The winch is greased every second Friday.\n", ""))
    yard.dream()
    assert yard.one("winch").status is Status.LIVE and len(yard.one("winch").observations) == 1


def test_what_another_file_says_too_stays_until_that_says_it_no_more(yard: Yard) -> None:
    yard.write("office.md", "## Keys\n\n- The spare keys hang behind the map.\n")
    yard.dream()
    yard.write("MEMORY.md", INDEX.replace("- The spare keys hang behind the map.\n", ""))
    yard.dream()
    assert yard.one("spare keys").status is Status.LIVE
    yard.write("office.md", "## Keys\n\n- The office is closed on Mondays.\n")
    yard.dream()
    assert yard.one("spare keys").superseded_by == yard.one("closed on Mondays").id


def test_the_next_text_of_a_topic_file_is_its_next_version_whatever_it_says(yard: Yard) -> None:
    yard.write("varnish.md", TOPIC.replace("It dries for two nights before anybody sands it.", "Never sand it."))
    yard.dream()
    old, new = yard.one("two nights"), yard.one("Never sand")
    assert (old.status, old.superseded_by) == (Status.SUPERSEDED, new.id)
    yard.write("varnish.md", TOPIC.partition("Varnish is")[0] + "Oil is used now, and brushes are kept in water.\n")
    yard.dream()
    assert yard.one("Never sand").superseded_by == yard.one("Oil is used").id


def test_a_renamed_file_keeps_its_memory(yard: Yard) -> None:
    before = yard.one("two nights")
    yard.drop("varnish.md")
    yard.write("coating.md", TOPIC)
    yard.dream()
    after = yard.one("two nights")
    assert (after.id, after.status, len(after.observations)) == (before.id, Status.LIVE, 1)
    yard.drop("coating.md")
    yard.write("lacquer.md", TOPIC.replace("two nights", "three nights"))
    yard.dream()
    assert yard.one("two nights").superseded_by == yard.one("three nights").id
    yard.drop("lacquer.md", "MEMORY.md")
    yard.write("coats/lacquer.md", TOPIC.replace("two nights", "four nights"))
    yard.dream()
    assert yard.one("three nights").superseded_by == yard.one("four nights").id


def test_files_that_were_merged_and_split_keep_their_lineage(yard: Yard) -> None:
    yard.write("sanding.md", SANDING)
    yard.dream()
    both = TOPIC + "\nSanding starts at the keel and ends at the rail.\n"
    yard.drop("sanding.md")
    yard.write("varnish.md", both)
    yard.dream()
    new = next(m for m in yard.house.memories(Status.LIVE) if "hardener" in m.text)
    assert len(new.supersedes) == 2
    yard.drop("varnish.md")
    yard.write("mixing.md", TOPIC.replace("\nIt dries for two nights before anybody sands it.\n", ""))
    yard.write("sanding.md", SANDING)
    yard.dream()
    now = {m.text for m in yard.house.memories(Status.LIVE)}
    assert "Sanding starts at the keel and ends at the rail." in now
    assert [m.status for m in yard.house.memories() if m.id == new.id] == [Status.SUPERSEDED]


def test_a_line_that_moves_into_another_file_or_to_another_place_keeps_its_memory(yard: Yard) -> None:
    known = yard.one("spare keys").id
    yard.write("MEMORY.md", INDEX.replace("- The spare keys hang behind the map.\n", ""))
    yard.write("office.md", "## Keys\n\n- The spare keys hang behind the map.\n")
    yard.dream()
    assert (yard.one("spare keys").id, yard.one("spare keys").status) == (known, Status.LIVE)
    lines = INDEX.replace("- The spare keys hang behind the map.\n", "").splitlines()
    yard.write("MEMORY.md", "\n".join([*lines[:2], *lines[7:], *lines[2:7]]) + "\n")
    yard.dream()
    assert len(yard.live()) == 6


SPOILT: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda _: b"", "blank": lambda _: b" \n\n", "zero bytes": lambda b: b"\0" * len(b),
    "zero bytes at the end": lambda b: b[:40] + b"\0" * (len(b) - 40), "cut": lambda b: b[:len(b) - 25],
    "doubled": lambda b: b + b, "another encoding": lambda b: b.decode().encode("utf-16"),
    "merge marks": lambda b: b.replace(b"- Hulls", b"<<<<<<< ours\n- Hulls") + b"=======\n>>>>>>> theirs\n"}


@pytest.mark.parametrize("how", SPOILT)
def test_damage_ends_nothing_and_what_comes_back_whole_is_as_it_was(yard: Yard, how: str) -> None:
    before = yard.live()
    yard.write("MEMORY.md", SPOILT[how](INDEX.encode()))
    yard.write("varnish.md", SPOILT[how](TOPIC.encode()))
    yard.dream()
    assert yard.live() == before
    yard.write("MEMORY.md", INDEX)
    yard.write("varnish.md", TOPIC)
    yard.dream()
    assert yard.live() == before
    yard.write("MEMORY.md", INDEX.replace("nine", "ten"))
    yard.dream()
    assert yard.one("nine tonnes").superseded_by == yard.one("ten tonnes").id


def test_a_directory_that_is_gone_or_emptied_ends_nothing(yard: Yard) -> None:
    for n in range(12):
        yard.write(f"berth-{n}.md", SANDING + f"\nBerth {n} is let to the harbour club number {n}.\n")
    yard.dream()
    before = yard.live()
    kept = yard.house.root / "kept"
    shutil.copytree(yard.place, kept)
    for path in yard.place.glob("berth-*.md"):
        path.unlink()
    yard.drop("varnish.md")
    yard.dream()
    assert yard.live() == before
    shutil.rmtree(yard.place)
    yard.dream()
    assert yard.live() == before
    shutil.copytree(kept, yard.place)
    assert yard.dream() == "nothing-to-do"
    assert yard.live() == before


def many(count: int, word: str = "hangs") -> str:
    names = ("anchor", "buoy", "compass", "dinghy", "engine", "fender", "gaff", "halyard", "jib", "keel", "lantern", "mast")
    return "# Lockers\n\n" + "".join(f"- The {names[n % 12]} of crew {n} {word} on hook {n * 7}.\n" for n in range(count))


def test_more_than_half_of_a_scope_does_not_vanish_in_one_night(tmp_path: Path) -> None:
    yard = Yard(tmp_path)
    yard.write("MEMORY.md", many(40))
    yard.dream()
    held = len(yard.live())
    yard.write("MEMORY.md", many(5))
    assert yard.dream() == "partial"
    assert len(yard.live()) == held - held // 2
    assert yard.dream(allow_large_change=True) == "changed"
    assert len(yard.live()) == 5


def test_what_took_anothers_place_counts_for_no_limit(tmp_path: Path) -> None:
    yard = Yard(tmp_path)
    yard.write("MEMORY.md", many(40))
    yard.dream()
    yard.write("MEMORY.md", many(40, "lies"))
    assert yard.dream() == "changed"
    assert {" lies on hook" in text for text in yard.live()} == {True}


def test_what_was_edited_is_undone_with_the_run_and_a_second_dream_changes_nothing(yard: Yard) -> None:
    yard.write("MEMORY.md", INDEX.replace("nine", "ten").replace("- The spare keys hang behind the map.\n", ""))
    yard.dream()
    calm = snapshot(yard.house.home)
    assert yard.dream() == "nothing-to-do"
    assert differences(calm, snapshot(yard.house.home)) == []
    yard.house.undo(DAYS[10])
    assert yard.one("nine tonnes").status is Status.LIVE and yard.one("spare keys").status is Status.LIVE
    assert not [m for m in yard.house.memories() if "ten tonnes" in m.text]


def test_a_dry_run_tells_what_the_dream_then_does(yard: Yard) -> None:
    yard.write("MEMORY.md", INDEX.replace("nine", "ten").replace("- The spare keys hang behind the map.\n", ""))
    plan = yard.house.dream(DAYS[5], Wish(only_plan=True))
    done = yard.house.dream(DAYS[5])
    assert [(c.op, c.after) for c in plan.changes] == [(c.op, c.after) for c in done.changes]


def test_what_a_person_pinned_is_not_for_a_file_to_end(yard: Yard) -> None:
    with yard.house.kit(DAYS[1]) as kit:
        verbs.pin(kit, yard.one("nine tonnes").id)
        verbs.pin(kit, yard.one("spare keys").id)
    yard.write("MEMORY.md", INDEX.replace("nine", "ten").replace("- The spare keys hang behind the map.\n", ""))
    yard.dream()
    assert [yard.one(w).status for w in ("nine tonnes", "ten tonnes", "spare keys")] == [
        Status.LIVE, Status.HELD, Status.LIVE]


def test_a_line_stands_by_itself_with_its_heading_and_is_not_held_for_its_neighbour(yard: Yard) -> None:
    yard.write("MEMORY.md", INDEX + "\n## Forklift\n\n- The forklift runs on gas.\n- It needs a new seat before winter.\n")
    yard.dream()
    assert yard.one("new seat").status is Status.LIVE
    assert yard.house.rows("SELECT context FROM observation WHERE text LIKE '%new seat%'") == [("Forklift",)]


def test_a_file_of_several_versions_read_before_one_dream_ends_in_the_last(yard: Yard) -> None:
    for number in ("ten", "eleven", "twelve"):
        yard.write("MEMORY.md", INDEX.replace("nine", number))
        with yard.house.kit(DAYS[3]) as kit:
            from dreamd.dream.phases.gather import gather

            gather(kit)
    yard.dream()
    assert [t for t in yard.live() if "tonnes" in t] == ["The slipway crane lifts twelve tonnes at most."]


def test_a_reading_that_was_killed_is_read_again_to_the_same_end(yard: Yard, tmp_path: Path,
                                                                 monkeypatch: pytest.MonkeyPatch) -> None:
    calm = yard.house.copy_to(tmp_path / "calm")
    yard.write("MEMORY.md", INDEX.replace("nine", "ten").replace("- The spare keys hang behind the map.\n", ""))
    with monkeypatch.context() as patch:
        patch.setattr(work, "write_account", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            yard.house.dream(DAYS[2])
    yard.house.dream(DAYS[3])
    calm.dream(DAYS[3])
    assert {(m.text, m.status) for m in calm.memories()} == {(m.text, m.status) for m in yard.house.memories()}


def test_a_home_that_kept_no_account_yet_learns_what_is_gone(yard: Yard) -> None:
    with yard.house.kit(DAYS[1]) as kit, kit.store.writing() as tx:
        tx.execute("DELETE FROM meta WHERE key LIKE 'stands in %'")
        tx.execute("UPDATE cursor SET carry = REPLACE(carry, ',\"told\":1', '')")
    yard.write("MEMORY.md", INDEX.replace("- The spare keys hang behind the map.\n", ""))
    yard.dream()
    assert yard.one("spare keys").reason == "withdrawn-at-source"
    assert len(yard.live()) == 5
    assert yard.dream() == "nothing-to-do"


def test_entries_of_a_file_of_sections_follow_each_other_too(tmp_path: Path) -> None:
    house = House(tmp_path)
    place = house.person / ".hermes" / "memories" / "MEMORY.md"
    place.parent.mkdir(parents=True)
    (place.parent.parent / "state.db").touch()
    told = "The depot opens at six.\n§\nThe ferry takes forty cars.\n§\nTickets are sold on board.\n"
    for n, text in enumerate((told, told.replace("forty", "fifty").replace("\n§\nTickets are sold on board.", ""))):
        place.write_text(text)
        at = parse_instant(DAYS[n]).timestamp()
        os.utime(place, (at, at))
        house.dream(DAYS[n])
    assert house.memory("forty cars").superseded_by == house.memory("fifty cars").id
    assert house.memory("sold on board").reason == "withdrawn-at-source"


def test_the_marks_of_what_is_gone_carry_no_words(yard: Yard) -> None:
    yard.write("MEMORY.md", INDEX.replace("- The spare keys hang behind the map.\n", ""))
    yard.dream()
    with yard.house.kit(DAYS[5]) as kit:
        told = [o for o in observations.load_with_fate_of(kit.store, yard.one("spare keys").id) if o.target]
    assert [(o.origin, "keys" in o.text, o.fate_reason) for o in told] == [(Origin.IMPORT, False, "withdrawn-at-source")]


def test_what_still_stands_in_a_document_that_is_kept_up_does_not_age(yard: Yard) -> None:
    for n, day in enumerate(("2026-05-20T20:00:00Z", "2026-08-10T20:00:00Z", "2026-10-30T20:00:00Z", "2027-01-20T20:00:00Z")):
        yard.write("MEMORY.md", INDEX.replace("nine tonnes", f"{n + 20} tonnes"))
        yard.house.dream(day)
        assert yard.one("two nights").status is Status.LIVE and yard.one("spare keys").status is Status.LIVE
