"""The index of a night is made from the one before and from what changed, and nobody can tell it from one made of all."""

from __future__ import annotations

import random
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from dreamd import __version__
from dreamd.core.values import parse_scope
from dreamd.dream import ordering, projection, verbs
from dreamd.notes import index_lines
from dreamd.store import memories, work
from household import CEDAR, House

PLACES = ("Cork", "Delft", "Evora", "Faro", "Ghent", "Halle", "Kiel", "Riga", "Turku", "Varna")
FACTS = ("The {p} depot keeps its records for {n} days.", "Lorries to the {p} depot enter by gate {n}.",
         "Ask Klara before the {p} depot sends parcels over {n} kilos.", "The keys of the {p} depot hang on hook {n}.")
EVERYTHING = tuple(fact.format(p=place, n=n + 30) for n, place in enumerate(PLACES) for fact in FACTS)


@pytest.fixture(autouse=True)
def short_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages as an overflow of thousands has them, in one of thirty."""
    monkeypatch.setattr(index_lines, "FEWEST_LINES", 2)
    monkeypatch.setattr(index_lines, "PAGE_LINES", 3)


def _house(root: Path) -> House:
    house = House(root)
    house.furnish(index={"max_lines": 24, "aim_lines": 14})
    house.say("2026-01-05T09:00:00Z", *EVERYTHING)
    house.dream("2026-01-05T20:00:00Z")
    assert len(list(house.paths.scope_dir(parse_scope(CEDAR)).glob("more*.md"))) > 3
    return house


def _files(house: House) -> dict[str, bytes]:
    return {str(p.relative_to(house.home)): p.read_bytes() for d in (house.paths.memory, house.paths.archive)
            for p in sorted(d.rglob("*.md"))}


def _behind(house: House) -> list[str]:
    """Files that a look at all memories would write."""
    with house.kit("2026-03-01T20:00:00Z") as kit:
        return [i.path for i in projection.load_scope_files(kit.store, parse_scope(CEDAR), paths=kit.paths,
                                                            rules=kit.settings.index)]


def _order(house: House) -> Path:
    return house.paths.order_of(parse_scope(CEDAR))


def _night(house: House, day: int, *said: str) -> None:
    house.say(f"2026-02-{day:02d}T09:00:00Z", *said)
    house.dream(f"2026-02-{day:02d}T20:00:00Z")


def _made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The words of every memory whose line in the index is made."""
    made: list[str] = []
    true = projection.index_entry
    monkeypatch.setattr(projection, "index_entry", lambda m, *title: made.append(m.text) or true(m, *title))
    return made


def test_a_night_makes_the_lines_of_what_it_changed_and_reads_no_other_file(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    house = _house(tmp_path)
    made, read = _made(monkeypatch), []
    true = work._known_file
    monkeypatch.setattr(work, "_known_file", lambda row: read.append(row["path"]) or true(row))
    _night(house, 1, "Parcels for the Ghent depot are weighed twice.")
    assert made == ["Parcels for the Ghent depot are weighed twice."]
    assert read == []  # it has no file yet, and of the others the store is not asked for a single one
    assert _behind(house) == []


def test_a_night_writes_no_page_of_the_index_that_stays_as_it_was(tmp_path: Path) -> None:
    house = _house(tmp_path)
    before = _files(house)
    _night(house, 1, EVERYTHING[1])  # said again: its line moves up
    after = _files(house)
    pages = {p for p in before if "/more" in p}
    assert pages == {p for p in after if "/more" in p}
    assert 0 < sum(before[p] != after[p] for p in pages) < len(pages)
    assert _behind(house) == []


def test_pages_that_a_person_deleted_before_a_night_that_was_killed_come_back_with_the_next(tmp_path: Path) -> None:
    house = _house(tmp_path)
    pages = sorted(house.paths.scope_dir(parse_scope(CEDAR)).glob("more*.md"))
    with house.kit("2026-02-01T08:00:00Z") as kit, kit.store.writing() as tx:
        for page in pages:
            page.unlink()
            work.drop_file(tx, str(page.relative_to(house.home)))  # as far as that night came
    _night(house, 1, EVERYTHING[1])
    assert all(page.exists() for page in pages)
    assert _behind(house) == []


def _gone(order: Path) -> None:
    order.unlink()


def _emptied(order: Path) -> None:
    order.write_bytes(b"")


def _cut(order: Path) -> None:
    order.write_bytes(order.read_bytes()[:-40])


def _other_word(order: Path) -> None:
    order.write_bytes(order.read_bytes().replace(b"Halle", b"Nantes"))


def _no_text(order: Path) -> None:
    order.write_bytes(bytes(range(256)) * 9)


def _directory(order: Path) -> None:
    order.unlink()
    order.mkdir()


def _link(order: Path) -> None:
    order.rename(order.with_name("elsewhere"))
    order.symlink_to("elsewhere")


@pytest.mark.parametrize("damage", [_gone, _cut, _other_word, _link, *(pytest.param(one, marks=pytest.mark.slow)
                                                                          for one in (_emptied, _no_text, _directory))])
def test_an_order_that_is_lost_or_damaged_is_made_anew_from_all_memories(
        tmp_path: Path, damage: Callable[[Path], None]) -> None:
    house, sound = _house(tmp_path / "a"), _house(tmp_path / "b")
    damage(_order(house))
    for one in (house, sound):
        _night(one, 1, "Parcels for the Ghent depot are weighed twice.", "The keys of the Halle depot hang on hook 77.")
    assert _files(house) == _files(sound)
    assert _behind(house) == []
    for one in (house, sound):
        _night(one, 2, "Parcels for the Riga depot are weighed twice.")
    assert _files(house) == _files(sound)


def test_an_order_of_another_night_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    house = _house(tmp_path)
    older = _order(house).read_bytes()
    _night(house, 1, "Parcels for the Ghent depot are weighed twice.")
    _order(house).write_bytes(older)
    made = _made(monkeypatch)
    _night(house, 2, "Parcels for the Riga depot are weighed twice.")
    assert len(made) > len(EVERYTHING)
    assert _behind(house) == []


def test_a_store_that_was_put_back_makes_its_index_from_all_memories(tmp_path: Path) -> None:
    house = _house(tmp_path)
    shutil.copy(house.paths.store, tmp_path / "copy.db")
    _night(house, 1, "Parcels for the Ghent depot are weighed twice.")
    shutil.copy(tmp_path / "copy.db", house.paths.store)
    _night(house, 2, "Parcels for the Riga depot are weighed twice.")
    assert any(b"Riga depot are weighed" in body for path, body in _files(house).items() if "/more" in path)
    assert _behind(house) == []


def test_what_another_program_changed_since_has_the_index_made_from_all_memories(tmp_path: Path) -> None:
    house = _house(tmp_path)
    kept, memory = _order(house).read_bytes(), house.memory("Turku depot hang")
    with house.kit("2026-02-01T08:00:00Z") as kit:
        named = work.order_kept(kit.store, parse_scope(CEDAR))
        verbs.pin(kit, memory.id)
        # An older dream knows of no order: it leaves the one there is, and the fact that names it.
        _order(house).write_bytes(kept)
        with kit.store.writing() as tx:
            work.write_meta(tx, f"{work.ORDER}{CEDAR}", named)
    _night(house, 1, "Parcels for the Ghent depot are weighed twice.")
    assert _behind(house) == []
    assert memory.file in house.index()


def test_a_pin_leaves_an_order_that_the_next_night_goes_on_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    house = _house(tmp_path)
    with house.kit("2026-02-01T08:00:00Z") as kit:
        verbs.pin(kit, house.memory("Turku depot hang").id)
    made = _made(monkeypatch)
    _night(house, 1, "Parcels for the Ghent depot are weighed twice.")
    assert made == ["Parcels for the Ghent depot are weighed twice."]
    assert _behind(house) == []


def test_a_change_that_came_while_files_were_planned_takes_the_order_out_of_use(tmp_path: Path) -> None:
    house = _house(tmp_path)
    scope = parse_scope(CEDAR)
    with house.kit("2026-02-01T08:00:00Z") as kit:
        assert work.looked_by(kit.store, scope) == __version__
        with kit.store.writing() as tx:
            memories.write_memory(tx, replace(house.memory("Turku depot hang"), ttl="2026-12-24"))
            work.mark_written(tx, scope, 0, by=__version__, order="of the plan before it")
        assert work.order_kept(kit.store, scope) == ""
        assert work.load_unwritten(kit.store) == {scope: 1}


def test_nothing_of_what_was_forgotten_is_left_in_what_is_kept_of_an_index(tmp_path: Path) -> None:
    house = _house(tmp_path)
    assert b"Varna" in _order(house).read_bytes()
    house.forget("2026-02-01T08:00:00Z", "varna")
    assert [p for p in house.home.rglob("*") if p.is_file() and b"varna" in p.read_bytes().lower()] == []
    _night(house, 1, "Parcels for the Ghent depot are weighed twice.")
    assert _order(house).exists() and b"varna" not in _order(house).read_bytes().lower()
    assert _behind(house) == []


def test_what_is_kept_of_an_index_is_its_owners_alone(tmp_path: Path) -> None:
    house = _house(tmp_path)
    assert _order(house).stat().st_mode & 0o077 == 0
    assert _order(house).parent.stat().st_mode & 0o077 == 0
    assert house.faults("2026-02-01T08:00:00Z") == []


def test_an_order_that_cannot_be_kept_stops_no_night(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    house = _house(tmp_path)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(ordering.fsio, "write_unsynced", full)
    _night(house, 1, "Parcels for the Ghent depot are weighed twice.")
    monkeypatch.undo()
    assert "Ghent depot are weighed" in house.file_of("Ghent depot are weighed").read_text()
    _night(house, 2, "Parcels for the Riga depot are weighed twice.")
    assert _behind(house) == []


def test_an_index_that_came_to_hold_nothing_is_gone_and_comes_back(tmp_path: Path) -> None:
    house = House(tmp_path)
    house.say("2026-01-05T09:00:00Z", EVERYTHING[0])
    house.dream("2026-01-05T20:00:00Z")
    house.forget("2026-02-01T08:00:00Z", "cork")
    assert not (house.paths.scope_dir(parse_scope(CEDAR)) / "MEMORY.md").exists()
    _night(house, 1, EVERYTHING[1].replace("Cork", "Delft"))
    _night(house, 2, EVERYTHING[2].replace("Cork", "Delft"))
    assert house.index().count("Delft") == 2
    assert _behind(house) == []


def test_what_was_asked_for_comes_into_the_index_the_next_night_and_then_nothing_moves(tmp_path: Path) -> None:
    house = _house(tmp_path)
    _night(house, 1)
    hidden = next(m for m in house.memories() if m.text not in house.index() and m.recalls == 0)
    with house.kit("2026-02-02T08:00:00Z") as kit, kit.store.writing() as tx:
        memories.record_recalls(tx, [hidden.id], kit.clock.now())
    _night(house, 2)
    assert hidden.text in house.index()
    assert _behind(house) == []
    before = _files(house)
    _night(house, 3)
    assert _files(house) == before


def _step(house: House, day: int, chance: random.Random) -> None:
    """One day of a life: what is said, edited, pinned, forgotten or taken back, and the night after it."""
    now = f"2026-{2 + day // 28:02d}-{1 + day % 28:02d}"
    place, other, n = chance.choice(PLACES), chance.choice(PLACES), chance.randrange(10, 99)
    act = chance.choice(("say", "say", "say", "edit", "index", "pin", "forget", "undo", "delete", "extra", "ask", "ask"))
    directory = house.paths.scope_dir(parse_scope(CEDAR))
    topics = sorted(p for p in directory.glob("*.md") if re.fullmatch("[0-9a-f]{12}", p.stem))
    if act == "edit":
        path = chance.choice(topics)
        path.write_text(path.read_text().replace("depot", "yard"))
    elif act == "index":
        page = chance.choice(sorted(directory.glob("more*.md")) or [directory / "MEMORY.md"])
        page.write_text(page.read_text().replace("depot", "shed", 1))
    elif act == "delete":
        chance.choice(topics).unlink()
    elif act == "extra":
        (directory / f"by-hand-{day}.md").write_text(f"The {place} yard is paved since {n}.\n")
    with house.kit(f"{now}T08:00:00Z") as kit:
        found = sorted(verbs.find_matching(kit, place.casefold()), key=lambda m: m.id)
    if act == "pin" and found:
        with house.kit(f"{now}T08:00:00Z") as kit:
            verbs.pin(kit, chance.choice(found).id)
    elif act == "forget":
        house.forget(f"{now}T08:00:00Z", f"{place.casefold()} depot keeps")
    elif act == "undo":
        house.undo(f"{now}T08:30:00Z", with_later=True)
    elif act == "ask" and found:
        with house.kit(f"{now}T08:00:00Z") as kit, kit.store.writing() as tx:
            memories.record_recalls(tx, [chance.choice(found).id], kit.clock.now())
    house.say(f"{now}T09:00:00Z", chance.choice(FACTS).format(p=place, n=n),
              f"The {other} depot no longer keeps its records for {n} days.")
    house.dream(f"{now}T20:00:00Z")


@pytest.mark.parametrize("seed", [0, *(pytest.param(n, marks=pytest.mark.slow) for n in (1, 2))])
def test_a_life_with_and_without_what_is_kept_gives_the_same_files_night_for_night(tmp_path: Path, seed: int) -> None:
    kept, bare = _house(tmp_path / "kept"), _house(tmp_path / "bare")
    for day in range(10):
        shutil.rmtree(bare.paths.derived, ignore_errors=True)
        for house in (kept, bare):
            _step(house, day, random.Random(seed * 1_000 + day))
        assert _files(kept) == _files(bare)
        assert _behind(kept) == []
    assert kept.faults("2026-05-01T20:00:00Z") == []
