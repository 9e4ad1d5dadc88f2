"""People edit their memory with any editor, while dream works or not. Theirs wins, and nothing they wrote is lost."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from dreamd.core import fsio
from dreamd.core.errors import DreamError
from dreamd.core.paths import Paths
from dreamd.core.values import MemoryClass, Status
from dreamd.dream import projection
from dreamd.dream.phases import hand_edits
from dreamd.store.intake import inbox
from dreamd.store.work import Intent
from household import House, Said, snapshot

DAY, NIGHT = "2026-01-05T09:00:00Z", "2026-01-05T20:00:00Z"
NIGHT_2, NIGHT_3, NIGHT_4 = "2026-01-09T20:00:00Z", "2026-01-10T20:00:00Z", "2026-01-11T20:00:00Z"
RULE = MemoryClass.RULE
REVIEWS = Said("Reviews of cedar need two people.", conversation="c1", memory_class=RULE)
INVOICES = Said("Invoices are rounded to full cents before tax.", conversation="c1", memory_class=RULE)
TAGS = Said("Never write to the tag registry from a notebook.", conversation="c2", memory_class=RULE)


@pytest.fixture
def home(house: House) -> House:
    """A home with three memories in their files."""
    house.say(DAY, REVIEWS, INVOICES, TAGS)
    house.dream(NIGHT)
    return house


def at_rest(house: House, night: str) -> bool:
    """True when a further dream has nothing to do and changes no byte."""
    before = snapshot(house.home)
    return house.dream(night).outcome == "nothing-to-do" and snapshot(house.home) == before and house.faults(night) == []


def everything_kept(house: House, words: str) -> bool:
    """True while some words stand in a file or an observation."""
    on_disk = b"".join(p.read_bytes() for p in house.home.rglob("*.md"))
    return words.encode() in on_disk or any(words in str(t) for t, in house.rows("SELECT text FROM observation"))


def test_a_changed_line_is_taken_in_with_the_highest_authority(home: House) -> None:
    path = home.file_of("Reviews")
    path.write_text(path.read_text().replace("need two people", "need three people"))
    home.dream(NIGHT_2)
    memory = home.memory("Reviews")
    assert memory.text == "Reviews of cedar need three people."
    assert (memory.edited, memory.authority.value, memory.support) == (True, "user", 2)
    assert "three people" in home.index()
    assert at_rest(home, NIGHT_3)


@pytest.mark.parametrize("line", ["\n", "\r\n"], ids=["unix", "dos"])
def test_a_line_changed_in_the_index_is_said_by_the_file_of_the_memory_too(home: House, line: str) -> None:
    path = home.file_of("Reviews")
    path.write_bytes(path.read_bytes().replace(b"\n", line.encode()))
    home.dream(NIGHT_2)
    index = path.parent / "MEMORY.md"
    index.write_text(index.read_text().replace("need two people", "need three people"))
    home.dream(NIGHT_3)
    assert home.memory("Reviews").text == "Reviews of cedar need three people."
    said = path.read_bytes().decode()
    assert said.count("need three people") == 2, "in the statement and in the description"
    assert "need two people" not in said
    assert said.count("<!-- dream: id=") == 1
    assert "three people" in home.index()
    assert at_rest(home, NIGHT_4)


def test_a_description_changed_by_hand_is_said_by_the_statement_too(home: House) -> None:
    path = home.file_of("Reviews")
    path.write_text(path.read_text().replace("need two people", "need three people", 1))
    home.dream(NIGHT_2)
    assert "need two people" not in path.read_text()
    assert "three people" in home.index()
    assert at_rest(home, NIGHT_3)


def test_an_added_file_is_learned_and_its_words_stay_on_disk(home: House) -> None:
    (home.file_of("Reviews").parent / "signing.md").write_text("Maren signs off every change to the ledger.\n")
    home.dream(NIGHT_2)
    assert home.memory("Maren").authority.value == "user"
    assert everything_kept(home, "Maren signs off every change to the ledger.")
    assert at_rest(home, NIGHT_3)


@pytest.mark.parametrize("text", [
    "Ok.\n", "We shipped the new importer on Monday and then fixed the tests, first this, then that.\n",
    "# A plan\n\n1. First do this.\n2. Then do that.\n3. Then the other.\n4. Finally rest.\n",
    "```python\nprint('hello')\n```\n", "Add the section after the second heading.\n"],
    ids=["too short", "history", "procedure", "code", "editing instruction"])
def test_a_file_a_person_added_is_not_removed_because_dream_declines_it(home: House, text: str) -> None:
    path = home.file_of("Reviews").parent / "mine.md"
    path.write_text(text)
    for night in (NIGHT_2, NIGHT_3):
        home.dream(night)
    on_disk = [p.read_text() for p in home.paths.memory.rglob("*.md")]
    assert any(text.strip() in body for body in on_disk)
    assert at_rest(home, NIGHT_4)


def test_a_deleted_file_is_a_wish_archived_and_not_brought_back(home: House) -> None:
    path = home.file_of("Reviews")
    path.unlink()
    home.dream(NIGHT_2)
    assert home.memory("Reviews").status is Status.ARCHIVED
    assert not path.exists()
    assert "Reviews" not in home.index()
    home.say(NIGHT_2, Said(REVIEWS.text, at=DAY, conversation="c8", memory_class=RULE))
    home.dream(NIGHT_3)
    assert home.memories(Status.LIVE) == [m for m in home.memories() if "Reviews" not in m.text]
    assert at_rest(home, NIGHT_4)


def test_a_deleted_line_of_the_index_archives_what_it_pointed_at(home: House) -> None:
    index = home.file_of("Reviews").parent / "MEMORY.md"
    index.write_text("".join(line for line in index.read_text().splitlines(keepends=True) if "Reviews" not in line))
    home.dream(NIGHT_2)
    assert "Reviews" not in home.index() or home.memory("Reviews").status is Status.LIVE
    assert everything_kept(home, REVIEWS.text)
    assert at_rest(home, NIGHT_3)


def test_a_line_added_to_the_index_is_learned(home: House) -> None:
    index = home.file_of("Reviews").parent / "MEMORY.md"
    index.write_text(index.read_text() + "\n- The canary group of cedar is called sparrow\n")
    home.dream(NIGHT_2)
    assert everything_kept(home, "The canary group of cedar is called sparrow")
    assert any("sparrow" in m.text for m in home.memories())
    assert at_rest(home, NIGHT_3)


def test_a_renamed_file_keeps_its_new_name_and_its_memory(home: House) -> None:
    path = home.file_of("Reviews")
    path.rename(path.with_name("how-we-review.md"))
    home.dream(NIGHT_2)
    assert home.memory("Reviews").status is Status.LIVE
    assert home.memory("Reviews").file == "how-we-review.md"
    assert "how-we-review.md" in home.index()
    assert not path.exists()
    assert at_rest(home, NIGHT_3)


def test_a_directory_that_is_away_is_no_wish_to_forget_everything(home: House, tmp_path: Path) -> None:
    directory = home.file_of("Reviews").parent
    directory.rename(tmp_path / "elsewhere")
    report = home.dream(NIGHT_2)
    assert any("away" in w for w in report.warnings)
    assert len(home.memories(Status.LIVE)) == 3
    (tmp_path / "elsewhere").rename(directory)
    assert at_rest(home, NIGHT_3)


def test_a_directory_that_is_away_is_written_anew_by_repair(home: House) -> None:
    from dreamd.dream import check

    directory = home.file_of("Reviews").parent
    before = snapshot(home.home)["on disk"]
    shutil.rmtree(directory)
    with home.kit(NIGHT_2) as kit:
        assert any(f.verdict == "repaired" for f in check.check(kit, repair=True))
    assert snapshot(home.home)["on disk"] == before
    assert at_rest(home, NIGHT_3)


@pytest.mark.parametrize("body", [
    b"", b"\x00\x01\x02", b"\xff\xfe garbage \x80", b"---\nname: [unclosed\n", b"---\n" * 50, b"a" * 20_000,
    b"Zeile eins\r\nZeile zwei\r\n", b"<!-- dream: {broken -->", b"\xef\xbb\xbfReviews need a bom."],
    ids=["empty", "nul", "not utf-8", "broken yaml", "fences", "one long line", "crlf", "forged marker", "bom"])
def test_garbage_in_a_topic_file_stops_nothing_and_loses_no_other_memory(home: House, body: bytes) -> None:
    home.file_of("Reviews").write_bytes(body)
    home.dream(NIGHT_2)
    assert {m.text for m in home.memories(Status.LIVE)} >= {INVOICES.text, TAGS.text}
    assert any(REVIEWS.text == str(t) for t, in home.rows("SELECT text FROM observation"))
    home.dream(NIGHT_3)
    assert at_rest(home, NIGHT_4)


def test_a_file_of_ten_megabytes_is_left_alone_and_named(home: House) -> None:
    path = home.file_of("Reviews")
    path.write_bytes(b"x" * 10_000_000)
    report = home.dream(NIGHT_2)
    assert any("larger than" in w for w in report.warnings)
    assert path.stat().st_size == 10_000_000
    assert home.memory("Reviews").status is Status.LIVE


def test_a_link_in_the_place_of_a_topic_file_is_neither_read_nor_written_through(home: House, tmp_path: Path) -> None:
    target = tmp_path / "precious.md"
    target.write_text("A precious thing that is none of dream's business.")
    path = home.file_of("Reviews")
    path.unlink()
    path.symlink_to(target)
    report = home.dream(NIGHT_2)
    assert any("symbolic link" in w for w in report.warnings)
    assert target.read_text() == "A precious thing that is none of dream's business."
    assert not any("precious" in m.text for m in home.memories())


def test_a_directory_in_the_place_of_a_topic_file_is_named(home: House) -> None:
    path = home.file_of("Reviews")
    path.unlink()
    path.mkdir()
    report = home.dream(NIGHT_2)
    assert any("not a plain file" in w or "cannot read" in w for w in report.warnings)
    assert home.memory("Reviews").status is Status.LIVE


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read and write everything")
def test_a_file_dream_may_not_read_is_named_and_kept(home: House) -> None:
    path = home.file_of("Reviews")
    path.write_text("x")
    path.chmod(0)
    report = home.dream(NIGHT_2)
    assert any("cannot read" in w for w in report.warnings)
    assert home.memory("Reviews").status is Status.LIVE


def test_a_secret_typed_into_a_file_by_hand_is_masked_everywhere(home: House) -> None:
    secret = "ghp_" + "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5"[:36]
    path = home.file_of("Reviews")
    path.write_text(path.read_text().replace("two people", f"two people and {secret}"))
    (path.parent / "token.md").write_text(f"The deploy token of cedar is {secret}.\n")
    home.dream(NIGHT_2)
    home.dream(NIGHT_3)
    assert [p for p in home.home.rglob("*") if p.is_file() and secret.encode() in p.read_bytes()] == []


def test_an_edit_made_while_the_dream_works_is_kept(home: House, monkeypatch: pytest.MonkeyPatch) -> None:
    path = home.file_of("Reviews")
    edited = path.read_text().replace("need two people", "need four people")
    home.say(NIGHT, Said(REVIEWS.text, conversation="c7", memory_class=RULE), "The canary group of cedar is called sparrow.")
    real = fsio._write

    def meanwhile(descriptor: int, body: bytes) -> None:
        real(descriptor, body)
        if b"Reviews of cedar" in body and "four" not in path.read_text():
            path.write_text(edited)

    monkeypatch.setattr(fsio, "_write", meanwhile)
    home.dream(NIGHT_2)
    monkeypatch.setattr(fsio, "_write", real)
    assert path.read_text() == edited, "the person was quicker"
    home.dream(NIGHT_3)
    assert home.memory("Reviews").text == "Reviews of cedar need four people."
    assert at_rest(home, NIGHT_4)


def test_an_inbox_file_that_makes_no_sense_is_kept_aside_and_the_others_come_in(home: House) -> None:
    now = home.world(NIGHT).clock.now()
    inbox.put_notes(home.paths, [Said("The canary group of cedar is called sparrow.").candidate(NIGHT)], now=now, ticket="a")
    for name, body in (("0.json", b"{"), ("1.json", b"[]"), ("2.json", b'{"schema": 99}'), ("3.json", b"\xff" * 100),
                       ("4.json", b'{"schema": 1, "observations": [{"text": 3}]}'), ("5.json", b"[" * 100_000)):
        (home.paths.inbox / name).write_bytes(body)
    report = home.dream(NIGHT_2)
    assert home.memory("sparrow").status is Status.LIVE
    assert sorted(p.name for p in home.paths.inbox.iterdir()) == [f"{n}.bad" for n in range(6)]
    assert sum("kept as `.bad`" in w for w in report.warnings) == 6


def test_a_persons_deletion_is_not_undone_by_a_restored_older_index(home: House) -> None:
    index = home.file_of("Reviews").parent / "MEMORY.md"
    older = index.read_text()
    home.file_of("Reviews").unlink()
    home.dream(NIGHT_2)
    index.write_text(older)
    home.dream(NIGHT_3)
    home.dream(NIGHT_4)
    assert home.faults(NIGHT_4) == []
    assert everything_kept(home, REVIEWS.text)


def test_a_checkout_that_puts_every_file_back_in_time_loses_nothing(home: House, tmp_path: Path) -> None:
    directory = home.file_of("Reviews").parent
    shutil.copytree(directory, tmp_path / "commit")
    home.say(NIGHT, "The canary group of cedar is called sparrow.")
    home.dream(NIGHT_2)
    shutil.rmtree(directory)
    shutil.copytree(tmp_path / "commit", directory)
    home.dream(NIGHT_3)
    home.dream(NIGHT_4)
    assert home.faults(NIGHT_4) == []
    assert {REVIEWS.text, INVOICES.text, TAGS.text} <= {m.text for m in home.memories(Status.LIVE)}
    assert everything_kept(home, "sparrow")


def save(path: Path, text: str) -> None:
    """Replace a file as an editor does."""
    path.with_suffix(".swp").write_text(text)
    path.with_suffix(".swp").replace(path)


def test_what_is_saved_while_a_dream_reads_the_file_is_learned_by_the_next(home: House,
                                                                           monkeypatch: pytest.MonkeyPatch) -> None:
    path = home.file_of("Reviews").with_name("crane.md")
    path.write_text("The crane of cedar stands in the yard.\n")
    read = fsio.read_bytes

    def saved_again(one: Path, *, limit_bytes: int = 2**20) -> bytes:
        body = read(one, limit_bytes=limit_bytes)
        if one == path and b"kiln" not in body:
            save(path, "The crane of cedar stands in the yard, beside the kiln.\n")
        return body

    with monkeypatch.context() as patched:
        patched.setattr(hand_edits.fsio, "read_bytes", saved_again)
        home.dream(NIGHT_2)
    home.dream(NIGHT_3)
    assert "beside the kiln" in home.memory("crane of cedar").text
    assert "beside the kiln" in home.file_of("crane of cedar").read_text()
    assert at_rest(home, NIGHT_4)


def test_what_is_saved_over_a_file_that_an_interrupted_dream_had_written_is_learned_by_the_next(
        house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    house.say(DAY, REVIEWS)

    def die(*_: object) -> list[str]:
        raise DreamError("the power went")

    with monkeypatch.context() as patched, pytest.raises(DreamError, match="the power went"):
        patched.setattr(projection, "_conclude", die)
        house.dream(NIGHT)
    path, look = house.file_of("Reviews"), projection._standing
    place, looking = projection._put_in_place, [False]

    def placing(intents: Sequence[Intent], *told: object) -> None:
        looking[0] = True
        place(intents, *told)  # type: ignore[arg-type]
        looking[0] = False

    def saved_after(intent: Intent, paths: Paths) -> str | None:
        standing = look(intent, paths)
        if looking[0] and paths.home / intent.path == path:
            save(path, path.read_text().replace("two people", "three people"))
        return standing

    with monkeypatch.context() as patched:
        patched.setattr(projection, "_put_in_place", placing)
        patched.setattr(projection, "_standing", saved_after)
        house.dream(NIGHT_2)
    house.dream(NIGHT_3)
    assert "three people" in house.memory("Reviews").text
    assert at_rest(house, NIGHT_4)
