"""Files that nobody can have wished to be as they are: nothing is learned from them, and what is deleted has a limit."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from dreamd.core.values import MemoryClass, Status
from dreamd.dream import check
from dreamd.dream.cycle import Wish
from household import House, Said, snapshot

DAY, NIGHT = "2026-01-05T09:00:00Z", "2026-01-05T20:00:00Z"
NIGHT_2, NIGHT_3, NIGHT_4 = "2026-01-06T20:00:00Z", "2026-01-07T20:00:00Z", "2026-01-08T20:00:00Z"
LARGE = Wish(allow_large_change=True)
PLACES = ["harbour", "ledger", "kestrel", "orchard", "lantern", "quarry", "saddle", "turbine", "violet", "walnut", "anchor",
          "bakery", "cobalt", "dynamo", "ember", "fjord", "glacier", "hangar", "island", "jasmine", "kiln", "lagoon", "mosaic",
          "nectar"]
TEXTS = [f"The {place} service writes its log to /var/log/{place}.log every {n + 3} minutes; Küche {n} liest ihn."
         for n, place in enumerate(PLACES)]


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> House:
    """A home with two dozen memories, made once."""
    house = House(tmp_path_factory.mktemp("first"))
    house.say(DAY, *(Said(text) for text in TEXTS))
    house.dream(NIGHT)
    return house


@pytest.fixture
def home(first: House, tmp_path: Path) -> House:
    return first.copy_to(tmp_path)


def topics(house: House) -> list[Path]:
    return sorted(p for p in house.paths.memory.rglob("*.md") if p.name != "MEMORY.md")


def live(house: House) -> set[str]:
    return {m.text for m in house.memories(Status.LIVE)}


def merge_marks(body: bytes) -> bytes:
    head, said = body.split(b"\n---\n\n", 1)
    return head + b"\n---\n\n<<<<<<< HEAD\n" + said + b"=======\nThe other side says this.\n>>>>>>> theirs\n"


def statement_of(body: bytes) -> bytes:
    return next(line for line in body.splitlines() if line.startswith(b"The "))


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda _: b"", "blank": lambda _: b" \n\t\n", "zero bytes": lambda b: b"\0" * len(b),
    "zero bytes at the end": lambda b: b[:200] + b"\0" * (len(b) - 200), "cut in the middle": lambda b: b[:len(b) // 2],
    "cut at the end": lambda b: b[:-20], "its beginning gone": lambda b: b[60:],
    "no more than frontmatter": lambda b: b[:b.index(b"The ")],
    "doubled": lambda b: b + b, "its lines doubled": lambda b: b"".join(line * 2 for line in b.splitlines(keepends=True)),
    "utf-16": lambda b: b.decode().encode("utf-16"), "utf-16 without a mark": lambda b: b.decode().encode("utf-16-le"),
    "latin-1": lambda b: b.decode().encode("latin-1"), "utf-8 twice": lambda b: b.decode("latin-1").encode(),
    "question marks": lambda b: b.decode().encode("ascii", "replace"), "merge marks": merge_marks,
    "one sign all over": lambda b: bytes(ord("?") if n % 6 == 3 and c < 128 else c for n, c in enumerate(b)),
    "three times over": lambda b: b.replace(statement_of(b), (statement_of(b) + b"\n\n") * 3),
    "its lines run together": lambda b: b.replace(b"\n", b" "), "backwards": lambda b: b.decode()[::-1].encode(),
    "a mark between two sides": lambda b: b.replace(b"\n---\n\n", b"\n---\n\n=======\n"),
    "one page over all": lambda _: b"<html><body>404 not found</body></html>\n"}


@pytest.mark.parametrize("how", DAMAGE)
def test_topic_files_that_are_all_damaged_change_no_memory_and_come_back(home: House, how: str) -> None:
    before = {path: path.read_bytes() for path in topics(home)}
    for path, body in before.items():
        path.write_bytes(DAMAGE[how](body))
    report = home.dream(NIGHT_2)
    assert live(home) == set(TEXTS)
    assert report.outcome == "partial" and not report.changes
    assert {d.path for d in report.damaged} == {str(p.relative_to(home.home)) for p in before}
    assert any("set aside" in w for w in report.warnings)
    assert {path: path.read_bytes() for path in topics(home)} == before
    kept = sorted(p.read_bytes() for p in home.paths.damaged.iterdir())
    assert kept == sorted(DAMAGE[how](body) for body in before.values())
    at_rest = snapshot(home.home)
    assert home.dream(NIGHT_3).outcome == "nothing-to-do" and snapshot(home.home) == at_rest
    assert home.faults(NIGHT_4) == []


@pytest.mark.parametrize("how", ["empty", "zero bytes", "cut in the middle", "cut at the end", "its beginning gone", "doubled",
                                 "utf-16", "utf-8 twice"])
def test_a_damaged_index_ends_nothing(home: House, how: str) -> None:
    index = topics(home)[0].parent / "MEMORY.md"
    before = index.read_bytes()
    index.write_bytes((DAMAGE | {"its beginning gone": lambda b: b[len(b) // 2:]})[how](before))
    report = home.dream(NIGHT_2)
    assert live(home) == set(TEXTS) and report.outcome == "partial"
    assert index.read_bytes() == before


@pytest.mark.parametrize("share", [n if n % 25 == 20 else pytest.param(n, marks=pytest.mark.slow)
                                   for n in range(5, 100, 5)])
def test_a_file_cut_anywhere_is_no_edit(home: House, share: int) -> None:
    for path in topics(home)[::2]:
        body = path.read_bytes()
        path.write_bytes(body[:len(body) * share // 100])
    for path in topics(home)[1::2]:
        body = path.read_bytes()
        path.write_bytes(body[len(body) * share // 100:])
    home.dream(NIGHT_2)
    assert live(home) == set(TEXTS)


@pytest.mark.parametrize("what", ["directory", "all of memory", "everything in the directory", "all but the index"])
@pytest.mark.parametrize("noted", [False, True], ids=["nothing new", "and something new"])
def test_files_gone_with_their_directory_are_no_wish(home: House, what: str, noted: bool) -> None:
    directory = topics(home)[0].parent
    if what == "directory":
        shutil.rmtree(directory)
    elif what == "all of memory":
        shutil.rmtree(home.paths.memory)
    else:
        for path in [*topics(home), *([directory / "MEMORY.md"] if what.startswith("everything") else [])]:
            path.unlink()
    if noted:
        home.say(NIGHT, "The canary group of cedar is called sparrow.")
    report = home.dream(NIGHT_2)
    assert report.outcome == "partial"
    home.dream(NIGHT_3)
    home.dream(NIGHT_4)
    assert live(home) >= set(TEXTS)
    if noted:
        assert len(topics(home)) == len(TEXTS) + 1


def test_one_file_copied_over_all_others_ends_none_of_them(home: House) -> None:
    first, *others = topics(home)
    for path in others:
        path.write_bytes(first.read_bytes())
    home.dream(NIGHT_2)
    assert live(home) == set(TEXTS)


def test_what_a_person_wrote_stands_beside_damage(home: House) -> None:
    mine, *others = topics(home)
    mine.write_text(mine.read_text().replace("minutes", "seconds"))
    for path in others:
        path.write_bytes(b"")
    home.dream(NIGHT_2)
    assert len(live(home)) == len(TEXTS)
    assert len(live(home) - set(TEXTS)) == 1 and "seconds" in next(iter(live(home) - set(TEXTS)))


def test_a_sentence_taken_out_is_an_edit_and_no_cut(home: House) -> None:
    path = topics(home)[0]
    path.write_text(path.read_text().replace("minutes; Küche", "minutes. Küche"))
    home.dream(NIGHT_2)
    text = path.read_text()
    path.write_text(text[:text.index(" Küche")] + "\n" + text[text.index("\n<!-- dream"):])
    home.dream(NIGHT_3)
    assert any(t.endswith("minutes.") for t in live(home))


def test_a_new_file_in_utf_16_is_read_as_the_person_wrote_it(home: House) -> None:
    (topics(home)[0].parent / "mine.md").write_bytes("Maren signs off every change to the ledger.\n".encode("utf-16"))
    home.dream(NIGHT_2)
    assert "Maren signs off every change to the ledger." in live(home)


def test_secrets_in_a_damaged_file_are_masked_in_its_copy(home: House) -> None:
    secret = "ghp_" + "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5"[:36]
    path = topics(home)[0]
    path.write_bytes(path.read_text().replace("The ", f"{secret} The ").encode("utf-16"))
    home.dream(NIGHT_2)
    forms = (secret.encode(), secret.encode("utf-16-le"))
    bodies = {p: p.read_bytes() for p in home.home.rglob("*") if p.is_file()}
    assert [p for p, body in bodies.items() if any(form in body for form in forms)] == []


def test_check_names_damage_before_a_dream_and_the_copies_after_it(home: House) -> None:
    topics(home)[0].write_bytes(b"")
    with home.kit(NIGHT_2) as kit:
        assert [f.name for f in check.check(kit) if f.verdict == check.EDITED] == ["damaged files"]
    home.dream(NIGHT_2)
    with home.kit(NIGHT_2) as kit:
        assert [f.name for f in check.check(kit) if f.verdict == check.EDITED] == ["set aside"]


def test_more_deletions_than_half_of_a_scope_wait_in_line(home: House) -> None:
    for path in topics(home)[:-2]:
        path.unlink()
    report = home.dream(NIGHT_2)
    assert report.outcome == "partial"
    assert len(live(home)) == 12 and len(report.waiting) == 10
    assert {c.evidence for c in report.waiting} == {("deletion-limit",)}
    assert any("wait" in w and "--allow-large-change" in w for w in report.warnings)
    assert home.dream(NIGHT_3).outcome == "changed"
    assert len(live(home)) == 2
    before = snapshot(home.home)
    assert home.dream(NIGHT_4).outcome == "nothing-to-do" and snapshot(home.home) == before


def test_a_person_may_have_all_of_it_done_at_once(home: House) -> None:
    for path in topics(home)[:-1]:
        path.unlink()
    report = home.dream(NIGHT_2, LARGE)
    assert (report.outcome, len(live(home)), report.waiting) == ("changed", 1, [])


def test_the_limit_of_deletions_is_a_setting(home: House) -> None:
    home.furnish(consolidate={"max_delete_percent": 1, "delete_always": 2})
    index = topics(home)[0].parent / "MEMORY.md"
    lines = index.read_text().splitlines(keepends=True)
    out = [line for line in lines if "—" in line][:5]
    index.write_text("".join(line for line in lines if line not in out))
    assert len(home.dream(NIGHT_2).waiting) == 3
    assert len(live(home)) == len(TEXTS) - 2


def test_undoing_a_run_leaves_none_of_its_deletions_waiting(home: House) -> None:
    for path in topics(home)[:-2]:
        path.unlink()
    home.undo(NIGHT_3, home.dream(NIGHT_2).run)
    home.dream(NIGHT_4)
    assert live(home) == set(TEXTS)


def test_repair_withdraws_deletions_that_wait(home: House) -> None:
    for path in topics(home)[:-2]:
        path.unlink()
    home.dream(NIGHT_2)
    with home.kit(NIGHT_3) as kit:
        assert any(f.name == "deletions" and f.verdict == check.EDITED for f in check.check(kit))
        assert any(f.name == "deletions" and f.verdict == check.REPAIRED for f in check.check(kit, repair=True))
    home.dream(NIGHT_3)
    assert len(live(home)) == 12


def test_a_deletion_that_waits_is_off_once_the_person_says_the_thing_again(home: House) -> None:
    home.furnish(consolidate={"max_delete_percent": 1, "delete_always": 1})
    out = topics(home)[:2]
    for path in out:
        path.unlink()
    waits = home.dream(NIGHT_2).waiting[0].after
    home.say(NIGHT_3, Said(waits.text, conversation="later"))
    home.dream(NIGHT_3)
    home.dream(NIGHT_4)
    assert waits.text in live(home)


@pytest.mark.parametrize("ttl", [None, "2026-01-06"], ids=["lasting", "past its end"])
def test_the_last_memory_of_a_scope_goes_only_when_it_is_allowed(house: House, ttl: str | None) -> None:
    house.say(DAY, Said("The loom of cedar answers on port 7310.", ttl=ttl, memory_class=MemoryClass.STATE if ttl else None))
    house.dream(NIGHT)
    house.file_of("loom").unlink()
    report = house.dream(NIGHT_3)
    if ttl:
        assert report.outcome == "changed" and not live(house)
        return
    assert report.outcome == "partial" and report.waiting[0].evidence == ("last-live-memory",)
    assert live(house) == {"The loom of cedar answers on port 7310."}
    before = snapshot(house.home)
    assert house.dream(NIGHT_4).outcome == "partial" and snapshot(house.home) == before
    house.dream(NIGHT_4, LARGE)
    assert not live(house)


def test_a_file_in_place_of_the_last_one_is_its_successor(house: House) -> None:
    house.say(DAY, Said("The loom of cedar answers on port 7310."))
    house.dream(NIGHT)
    path = house.file_of("loom")
    path.unlink()
    (path.parent / "mine.md").write_text("Spools of cedar are counted on Mondays by Maren.\n")
    assert house.dream(NIGHT_2).outcome == "changed"
    assert live(house) == {"Spools of cedar are counted on Mondays by Maren."}


def test_all_files_under_new_names_are_renamed_and_not_gone(home: House) -> None:
    for path in topics(home):
        path.rename(path.with_name(f"my-{path.name}"))
    report = home.dream(NIGHT_2)
    assert live(home) == set(TEXTS) and not report.damaged
    assert {p.name[:3] for p in topics(home)} == {"my-"} and len(topics(home)) == len(TEXTS)


def test_a_file_written_anew_by_a_person_is_an_edit(home: House) -> None:
    topics(home)[0].write_text("Canaries\n=======\n\nThe canary group of cedar is called sparrow.\n")
    home.dream(NIGHT_2)
    assert any("sparrow" in text for text in live(home))
