"""A person edits the index and the file of one memory, not alike: one of them counts, and neither is lost without a word."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from dreamd.core import fsio
from dreamd.core.values import MemoryClass, Status
from dreamd.dream import verbs
from household import House, Said, snapshot

DAY, NIGHT = "2026-01-05T09:00:00Z", "2026-01-05T20:00:00Z"
NIGHT_2, NIGHT_3, NIGHT_4 = "2026-01-09T20:00:00Z", "2026-01-10T20:00:00Z", "2026-01-11T20:00:00Z"
REVIEWS = "Reviews of cedar need two people."
OTHERS = ("Invoices are rounded to full cents before tax.", "Never write to the tag registry from a notebook.")


@pytest.fixture
def home(house: House) -> House:
    house.say(DAY, *(Said(text, conversation=f"c{n}", memory_class=MemoryClass.RULE)
                     for n, text in enumerate((REVIEWS, *OTHERS))))
    house.dream(NIGHT)
    return house


def index_of(house: House) -> Path:
    return house.file_of("Invoices").parent / "MEMORY.md"


def rewrite(path: Path, change: Callable[[str], str]) -> None:
    path.write_bytes(change(path.read_bytes().decode()).encode())


def line_of(house: House) -> str:
    return next(line for line in index_of(house).read_text().splitlines() if "Reviews of cedar need" in line and "—" in line)


def said(house: House, *statuses: Status) -> list[str]:
    return sorted(m.text for m in house.memories(*statuses) if "Reviews" in m.text)


def at_rest(house: House, night: str) -> bool:
    before = snapshot(house.home)
    return house.dream(night).outcome == "nothing-to-do" and snapshot(house.home) == before and house.faults(night) == []


SHAPES: dict[str, Callable[[str], str]] = {"plain": lambda t: t, "dos": lambda t: t.replace("\n", "\r\n"),
                                           "bom": lambda t: "\ufeff" + t}


@pytest.mark.parametrize("shape", SHAPES)
def test_the_file_counts_and_the_line_is_held_for_a_decision(home: House, shape: str) -> None:
    topic = home.file_of("Reviews")
    rewrite(index_of(home), lambda t: SHAPES[shape](t.replace("need two people", "need four people")))
    rewrite(topic, lambda t: SHAPES[shape](t.replace("\nReviews of cedar need two", "\nReviews of cedar need three")))
    report = home.dream(NIGHT_2)
    assert said(home, Status.LIVE) == ["Reviews of cedar need three people."]
    assert said(home, Status.HELD) == ["Reviews of cedar need four people."]
    assert "three people" in home.index() and "need three people" in home.file_of("need three").read_text()
    assert any("dream review" in w for w in report.warnings)
    with home.kit(NIGHT_3) as kit:
        [question] = verbs.load_review(kit)
        assert [r.text for r in question.rivals] == ["Reviews of cedar need three people."]
        verbs.decide(kit, question.memory.id, verbs.KEEP_A)
    assert said(home, Status.LIVE) == ["Reviews of cedar need four people."]
    home.dream(NIGHT_3)
    assert at_rest(home, NIGHT_4)


def test_one_edit_in_both_places_is_no_conflict(home: House) -> None:
    for path in (index_of(home), home.file_of("Reviews")):
        rewrite(path, lambda t: t.replace("need two people", "need three people"))
    report = home.dream(NIGHT_2)
    assert said(home) == ["Reviews of cedar need three people."] and not any("two places" in w for w in report.warnings)
    assert at_rest(home, NIGHT_3)


def test_a_line_that_only_says_less_than_the_file_is_no_conflict(home: House) -> None:
    rewrite(home.file_of("Reviews"), lambda t: t.replace("\nReviews of cedar need two people.",
                                                         "\nReviews of cedar need three people. Ada is one."))
    rewrite(index_of(home), lambda t: t.replace("need two people", "need three people"))
    home.dream(NIGHT_2)
    assert said(home) == ["Reviews of cedar need three people. Ada is one."]


def test_a_line_taken_out_while_its_file_was_edited_ends_nothing_and_is_told(home: House) -> None:
    line = line_of(home)
    rewrite(index_of(home), lambda t: t.replace(line + "\n", ""))
    rewrite(home.file_of("Reviews"), lambda t: t.replace("need two people", "need three people"))
    report = home.dream(NIGHT_2)
    assert said(home, Status.LIVE) == ["Reviews of cedar need three people."]
    assert any("taken out" in w for w in report.warnings)
    assert home.rows("SELECT COUNT(*) FROM fate WHERE reason = 'taken-out-elsewhere'") == [(1,)]
    assert at_rest(home, NIGHT_3)


def test_a_file_deleted_while_its_line_was_edited_stays_with_the_new_words(home: House) -> None:
    topic = home.file_of("Reviews")
    rewrite(index_of(home), lambda t: t.replace("need two people", "need three people"))
    topic.unlink()
    report = home.dream(NIGHT_2)
    assert said(home, Status.LIVE) == ["Reviews of cedar need three people."]
    assert "need three people" in home.file_of("Reviews").read_text()
    assert any("taken out" in w for w in report.warnings)
    assert at_rest(home, NIGHT_3)


def test_a_renamed_file_and_an_edited_line_are_one_memory(home: House) -> None:
    topic = home.file_of("Reviews")
    rewrite(index_of(home), lambda t: t.replace("need two people", "need three people"))
    topic.rename(topic.with_name("how-we-review.md"))
    home.dream(NIGHT_2)
    assert said(home) == ["Reviews of cedar need three people."]
    assert home.memory("Reviews").file == "how-we-review.md"
    assert "need three people" in topic.with_name("how-we-review.md").read_text()
    home.dream(NIGHT_3)
    assert at_rest(home, NIGHT_4)


def test_a_title_of_a_persons_stays(home: House) -> None:
    line = line_of(home)
    title = line[line.index("[") + 1:line.index("](")]
    rewrite(index_of(home), lambda t: t.replace(f"[{title}](", "[Four eyes](", 1))
    home.dream(NIGHT_2)
    assert "[Four eyes](" in line_of(home)
    home.say(NIGHT_2, "The canary group of cedar is called sparrow.", Said(REVIEWS, conversation="again"))
    home.dream(NIGHT_3)
    assert "[Four eyes](" in line_of(home) and said(home) == [REVIEWS]
    home.forget(NIGHT_4, "Reviews")
    assert not any("Four eyes" in str(v) for v, in home.rows("SELECT value FROM meta"))


def test_a_title_and_the_words_of_a_file_are_both_kept(home: House) -> None:
    line = line_of(home)
    title = line[line.index("[") + 1:line.index("](")]
    rewrite(index_of(home), lambda t: t.replace(f"[{title}](", "[Four eyes](", 1))
    rewrite(home.file_of("Reviews"), lambda t: t.replace("need two people", "need three people"))
    home.dream(NIGHT_2)
    assert "[Four eyes](" in line_of(home) and said(home) == ["Reviews of cedar need three people."]


def test_two_lines_for_one_file_keep_both_their_words(home: House) -> None:
    line = line_of(home)
    two = "\n".join(line.replace("two people", f"{n} people") for n in ("three", "four"))
    rewrite(index_of(home), lambda t: t.replace(line, two))
    home.dream(NIGHT_2)
    assert said(home, Status.LIVE) == ["Reviews of cedar need three people."]
    assert said(home, Status.HELD) == ["Reviews of cedar need four people."]
    home.dream(NIGHT_3)
    assert at_rest(home, NIGHT_4)


def test_a_type_changed_in_the_frontmatter_stays(home: House) -> None:
    topic = home.file_of("Reviews")
    kind = home.memory("Reviews").memory_type.value
    other = "project" if kind != "project" else "feedback"
    rewrite(topic, lambda t: t.replace(f"type: {kind}", f"type: {other}"))
    home.dream(NIGHT_2)
    assert home.memory("Reviews").memory_type.value == other and f"type: {other}" in topic.read_text()
    assert at_rest(home, NIGHT_3)


def test_the_index_edited_while_the_dream_writes_it_is_taken_in_by_the_next(home: House, monkeypatch: pytest.MonkeyPatch,
                                                                          ) -> None:
    index = index_of(home)
    home.say(NIGHT, "The canary group of cedar is called sparrow.")
    real = fsio._write

    def meanwhile(descriptor: int, body: bytes) -> None:
        real(descriptor, body)
        if b"# Memory: " in body and "four" not in index.read_text():
            rewrite(index, lambda t: t.replace("need two people", "need four people"))

    monkeypatch.setattr(fsio, "_write", meanwhile)
    home.dream(NIGHT_2)
    monkeypatch.setattr(fsio, "_write", real)
    assert "need four people" in index.read_text(), "the person was quicker"
    home.dream(NIGHT_3)
    assert said(home) == ["Reviews of cedar need four people."] and "sparrow" in home.index()
    assert at_rest(home, NIGHT_4)


def test_a_file_edited_while_its_memory_ends_keeps_what_the_person_wrote(home: House, monkeypatch: pytest.MonkeyPatch) -> None:
    topic = home.file_of("Reviews")
    home.say(NIGHT_2, Said("Reviews of cedar no longer need two people, they need five people now.", conversation="c9",
                           memory_class=MemoryClass.RULE))
    real = fsio._write

    def meanwhile(descriptor: int, body: bytes) -> None:
        real(descriptor, body)
        if b"five people" in body and topic.exists() and "Ada" not in topic.read_text():
            rewrite(topic, lambda t: t.replace("need two people.", "need two people, and Ada is one of them."))

    monkeypatch.setattr(fsio, "_write", meanwhile)
    home.dream(NIGHT_2)
    monkeypatch.setattr(fsio, "_write", real)
    home.dream(NIGHT_3)
    assert any("Ada is one of them" in text for text in said(home, Status.LIVE, Status.HELD))


def test_deleting_files_by_hand_works_after_one_such_memory_was_forgotten(home: House) -> None:
    home.file_of("Reviews").unlink()
    home.dream(NIGHT_2)
    home.forget(NIGHT_3, "Reviews")
    home.file_of("Invoices").unlink()
    home.dream(NIGHT_4)
    assert home.memory("Invoices").status is Status.ARCHIVED


def test_a_copy_of_a_file_as_dream_once_wrote_it_is_no_word_of_a_persons(home: House) -> None:
    topic = home.file_of("Reviews")
    older = topic.read_bytes()
    rewrite(topic, lambda t: t.replace("need two people", "need three people"))
    home.dream(NIGHT_2)
    topic.with_name(f"{topic.stem} (conflicted copy).md").write_bytes(older)
    home.dream(NIGHT_3)
    assert said(home, Status.LIVE) == ["Reviews of cedar need three people."] and said(home, Status.HELD) == []
    assert at_rest(home, NIGHT_4)


def test_a_copy_that_a_person_wrote_on_is_theirs(home: House) -> None:
    topic = home.file_of("Reviews")
    copy = topic.with_name("mine.md")
    copy.write_text(topic.read_text().replace("Reviews of cedar need two people.", "Spools of cedar are counted by Maren."))
    home.dream(NIGHT_2)
    assert home.memory("Maren").authority.value == "user"
