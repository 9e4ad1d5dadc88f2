"""`dream corpus`: documents are taken in, found, brought up to date and forgotten; what cannot be read is named."""

from __future__ import annotations

import gzip
import io
import json
import shutil
import signal
import threading
import zipfile
from pathlib import Path
from time import process_time
from typing import Any

import pytest

from dreamd.agents.reference import Librarian
from dreamd.core.errors import StoreMissing, UsageError
from dreamd.dream import check
from dreamd.library import letting_go, shelving
from dreamd.library.cutting import LONGEST, SHORTEST, cut, embedded_words, measure_of
from dreamd.library.formats.asking_child import Reader
from dreamd.library.formats.plain_formats import header_comment, read_plain
from dreamd.models import model_files
from dreamd.models.texts import load_tokenizer
from dreamd.store.library import chunks, corpora
from dreamd.store.library.corpora import Corpus
from dreamd.store.library.library_file import open_library
from household import FIRST_DAY, House

GUIDE = "# Harbour\n\nHow the harbour runs.\n\n## Backups\n\nBackups are restored with `heron restore latest`.\n"


def said(_phase: str, _done: int, _total: int) -> None:
    """Nobody listens."""


@pytest.fixture
def books(tmp_path: Path) -> Path:
    """A folder of documents."""
    place = tmp_path / "books"
    (place / "inner").mkdir(parents=True)
    (place / "guide.md").write_text(GUIDE)
    (place / "inner" / "tide.txt").write_text("The tide table hangs beside the crane.\n")
    (place / "tool.py").write_text('#!/usr/bin/env python\n"""Counts the buoys."""\nSECRETLY = 1\n')
    (place / "picture.png").write_bytes(b"\x89PNG\0\0")
    return place


def add(house: House, place: Path, *, name: str = "", tags: tuple[str, ...] = (), watch: bool = False) -> shelving.Report:
    return shelving.add(house.world(FIRST_DAY), place, Corpus(name, "", tags, watch), progress=said, embedder=house.embedder)


def ask(house: House, query: str, **among: Any) -> list[Any]:
    return list(Librarian(house.world(FIRST_DAY), house.embedder).ask(query, 5, **among).results)


def rows(house: House, sql: str) -> list[tuple[Any, ...]]:
    with open_library(house.paths.library) as library:
        return [tuple(row) for row in library.tuples(sql)]


def measure() -> Any:
    return measure_of(load_tokenizer(model_files.locate("")))


def test_documents_are_found_under_an_address_that_tells_nothing_of_the_disk(house: House, books: Path) -> None:
    report = add(house, books, tags=("ops",))
    assert (report.read, report.others, report.problems) == (3, 1, [])
    assert ask(house, "how are backups restored?")[0].passage.address == "corpus://books/guide.md"
    assert ask(house, "who counts the buoys?")[0].passage.text == "Counts the buoys."
    assert not ask(house, "secretly")
    assert ask(house, "backups", tag="ops") and not ask(house, "backups", tag="law")
    with pytest.raises(StoreMissing):
        ask(house, "backups", names=("shelf",))


def test_what_did_not_change_is_not_read_again_and_what_moved_is_recognised(house: House, books: Path) -> None:
    add(house, books)
    before = house.embedder.texts
    again = add(house, books)
    assert (again.read, again.unchanged) == (0, 3)
    shutil.move(books / "guide.md", books / "inner" / "handbook.md")
    (books / "inner" / "tide.txt").unlink()
    moved = add(house, books)
    assert (moved.moved, moved.gone, moved.read) == (1, 1, 0)
    assert house.embedder.texts == before
    assert ask(house, "backups restored")[0].passage.address == "corpus://books/inner/handbook.md"
    assert not [r for r in ask(house, "tide table crane") if "tide" in r.passage.text]


def test_an_edited_document_takes_the_place_of_what_it_said(house: House, books: Path) -> None:
    add(house, books)
    (books / "guide.md").write_text(GUIDE.replace("heron", "osprey"))
    assert add(house, books).read == 1
    assert "osprey" in ask(house, "backups restored")[0].passage.text
    assert rows(house, "SELECT COUNT(*) FROM chunk WHERE text LIKE '%heron%'") == [(0,)]


def test_the_same_file_gives_the_same_passages_to_the_byte_and_none_is_too_long_or_too_short() -> None:
    words = "".join(f"## Part {n}\n\n" + f"Sentence {n} about the quay and its cranes. " * (3 + n * 5) + "\n\n"
                    for n in range(12))
    text, spans = "# Quay\n\n" + words, measure()
    one, two = cut(text, "markdown", spans), cut(text, "markdown", measure())
    assert one == two
    assert all(SHORTEST <= len(spans(piece.text)) <= LONGEST for piece in one)
    assert all(len(embedded_words("Quay", piece)) <= 1000 for piece in one)
    assert one[-1].heading == "Quay > Part 11"
    assert any(one[n].text[-40:] in one[n + 1].text for n in range(len(one) - 1)), "long sections overlap"
    assert [piece.text for piece in cut("Short.\n\n# A\n\nfew words\n", "markdown", spans)] == ["Short.\n\n# A\n\nfew words"]


@pytest.mark.parametrize("line", ["# a" + "#" * 60_000 + " x", "# a" + " " * 60_000 + "x"])
def test_no_line_of_a_document_keeps_the_reader_busy(line: str) -> None:
    spans, began = measure(), process_time()
    assert cut(f"# One\n\nThe quay is dry.\n\n{line}\n", "markdown", spans)
    assert process_time() - began < 5


def test_a_bomb_a_broken_file_and_a_scan_are_named_and_the_rest_goes_on(house: House, books: Path) -> None:
    pytest.importorskip("pypdf")
    pytest.importorskip("mammoth")
    import pypdf

    scan = pypdf.PdfWriter()
    scan.add_blank_page(200, 200)
    scan.write(books / "scan.pdf")
    (books / "broken.pdf").write_bytes(b"%PDF-1.7\nnothing of it")
    (books / "packed.txt.gz").write_bytes(gzip.compress(b"a" * (80 << 20), 6))
    with zipfile.ZipFile(books / "bomb.docx", "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("word/document.xml", b"\0" * (64 << 20))
    (books / "nested.zip").write_bytes((books / "bomb.docx").read_bytes())
    with (books / "huge.txt").open("wb") as huge:
        huge.truncate(2 << 30)
    (books / "page.html").write_text("<html><title>Lock</title><nav>Menu</nav><h1>Lock</h1><p>The sluice opens at noon.</html>")
    report = add(house, books)
    why = dict(report.problems)
    assert why.keys() == {"scan.pdf", "broken.pdf", "packed.txt.gz", "bomb.docx", "nested.zip", "huge.txt"}
    assert "scanned" in why["scan.pdf"] and "damaged" in why["broken.pdf"] and "unpacks" in why["bomb.docx"]
    assert report.read == 4
    assert ask(house, "when does the sluice open?")[0].passage.text == "# Lock\n\nThe sluice opens at noon."
    assert not ask(house, "menu")


def test_a_book_of_chapters_and_a_letter_are_read_with_their_headings(tmp_path: Path) -> None:
    pytest.importorskip("mammoth")
    pytest.importorskip("selectolax")
    book = tmp_path / "book.epub"
    with zipfile.ZipFile(book, "w") as packed:
        packed.writestr("META-INF/container.xml", '<container><rootfile full-path="o/b.opf"/></container>')
        packed.writestr("o/b.opf", '<package><dc:title>Tides</dc:title><manifest><item id="a" href="a.xhtml"/></manifest>'
                                   '<spine><itemref idref="a"/></spine></package>')
        packed.writestr("o/a.xhtml", "<html><body><h2>Ebb</h2><p>Water falls.</p></body></html>")
    reader = Reader()
    try:
        found = reader.read(book)
    finally:
        reader.close()
    assert (found.title, found.text, found.why) == ("Tides", "## Ebb\n\nWater falls.", "")


def test_a_reader_that_never_ends_is_ended(tmp_path: Path) -> None:
    pytest.importorskip("selectolax")
    (tmp_path / "a.html").write_text("<p>word</p>")
    (tmp_path / "deep.html").write_text("<div>" * 100_000)
    reader = Reader(longest_s=0.0)
    assert reader.read(tmp_path / "a.html").why == "takes longer than a minute"
    reader = Reader(longest_s=1.0)
    assert reader.read(tmp_path / "deep.html").why == "takes longer than a minute"
    assert reader.read(tmp_path / "a.html").text == "word"
    reader.close()


def test_a_sound_file_is_read_on_a_machine_that_does_much_else(tmp_path: Path) -> None:
    pytest.importorskip("selectolax")
    (tmp_path / "a.html").write_text("<p>word</p>")
    reader = Reader(longest_s=1.0)
    assert reader.read(tmp_path / "a.html").text == "word"
    assert reader._child is not None
    reader._child.send_signal(signal.SIGSTOP)
    threading.Timer(1.5, reader._child.send_signal, (signal.SIGCONT,)).start()
    assert reader.read(tmp_path / "a.html").text == "word"
    reader.close()


@pytest.mark.parametrize("written", ["iso-8859-1", "windows-1250", "koi8-r", "utf-16", "utf-8"])
def test_a_page_in_an_older_encoding_keeps_its_letters(tmp_path: Path, written: str) -> None:
    pytest.importorskip("selectolax")
    words = {"koi8-r": "Паром уходит в семь", "windows-1250": "Loď odplouvá každý den"}.get(written, "Die Fähre fährt täglich")
    declared = f'<meta http-equiv="Content-Type" content="text/html; charset={written}">' if written != "utf-8" else ""
    (tmp_path / "a.html").write_bytes(f"<html><head>{declared}</head><body><p>{words}</p>".encode(written))
    reader = Reader()
    assert reader.read(tmp_path / "a.html").text == words
    (tmp_path / "a.html").write_bytes(bytes(range(256)) * 40)
    assert reader.read(tmp_path / "a.html").why == "not text"
    reader.close()


def test_what_a_person_has_forgotten_is_not_taken_in_again(house: House, books: Path) -> None:
    add(house, books)
    found = letting_go.find(house.world(FIRST_DAY), words="heron restore")
    assert [one.address for one in found] == ["corpus://books/guide.md"]
    assert letting_go.forget(house.world(FIRST_DAY), found).passages == 1
    shutil.copy(books / "guide.md", books / "copy.md")
    add(house, books)
    assert not letting_go.find(house.world(FIRST_DAY), words="heron restore")
    assert b"heron" not in house.paths.library.read_bytes()


def test_secrets_in_documents_are_masked(house: House, books: Path) -> None:
    key = "ghp_" + "a1B2" * 9
    (books / "guide.md").write_text(f"# Tokens\n\nThe token is {key}.\n")
    add(house, books)
    assert key not in json.dumps(rows(house, "SELECT text FROM chunk"))
    assert key.encode() not in house.paths.library.read_bytes()


def test_documents_can_be_asked_for_while_others_are_taken_in_and_a_stopped_run_goes_on(house: House, books: Path) -> None:
    seen: list[int] = []

    def look(phase: str, done: int, _total: int) -> None:
        if phase == "read" and done == 2:
            seen.append(len(rows(house, "SELECT seq FROM chunk")))
            raise KeyboardInterrupt

    world = house.world(FIRST_DAY)
    with pytest.raises(KeyboardInterrupt):
        shelving.add(world, books, Corpus("", ""), progress=look, embedder=house.embedder)
    assert seen == [1]
    again = add(house, books)
    assert again.read + again.unchanged == 3 and again.unchanged >= 1
    with open_library(house.paths.library) as library:
        assert corpora.count_corpus(library, "books").waiting == 0


def test_a_watched_corpus_follows_its_folder_and_one_that_is_away_keeps_what_it_has(house: House, books: Path) -> None:
    add(house, books, watch=True)
    (books / "new.md").write_text("The fog horn is tested on Fridays.\n")
    shelving.refresh_watched(house.world(FIRST_DAY), progress=said, embedder=house.embedder)
    assert ask(house, "fog horn tested")[0].passage.address == "corpus://books/new.md"
    books.rename(books.with_name("away"))
    assert shelving.refresh_watched(house.world(FIRST_DAY), progress=said, embedder=house.embedder) == []
    assert ask(house, "fog horn tested")


def test_two_folders_of_one_name_get_two_names_and_a_corpus_can_be_taken_out(house: House, books: Path) -> None:
    other = books / "inner" / "books"
    other.mkdir()
    (other / "x.md").write_text("Lanterns are filled at dusk.\n")
    add(house, books)
    assert add(house, other).corpus == "inner-books"
    with pytest.raises(UsageError):
        add(house, books / "inner", name="books")
    assert shelving.remove(house.world(FIRST_DAY), "books") == 4
    assert [r.passage.address for r in ask(house, "lanterns dusk")] == ["corpus://inner-books/x.md"]
    assert rows(house, "SELECT COUNT(*) FROM chunk_words") == rows(house, "SELECT COUNT(*) FROM chunk")


def test_a_library_that_is_damaged_is_seen(house: House, books: Path) -> None:
    add(house, books)
    with open_library(house.paths.library) as library:
        assert chunks.look_over(library) == []
        library.connection.execute("DELETE FROM chunk_words")
        assert chunks.look_over(library)
    assert standing(house) == "broken"
    assert (standing(house, repair=True), standing(house)) == ("repaired", "ok")
    assert ask(house, "backups restored")


def standing(house: House, *, repair: bool = False) -> str:
    """What `dream check` says of the documents."""
    return checked(house, repair=repair).verdict


def checked(house: House, *, repair: bool = False) -> check.Finding:
    """What `dream check` finds in the documents."""
    with house.kit(FIRST_DAY) as kit:
        return next(f for f in check.check(kit, repair=repair) if f.name == "documents")


def test_a_library_whose_pages_are_damaged_is_read_again_and_what_was_forgotten_stays_away(house: House, books: Path) -> None:
    add(house, books, tags=("sea",), watch=True)
    letting_go.forget(house.world(FIRST_DAY), letting_go.find(house.world(FIRST_DAY), words="heron restore"))
    with open_library(house.paths.library) as library:
        library.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        page, = library.connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'chunk'").fetchone()
        size, = library.connection.execute("PRAGMA page_size").fetchone()
    with house.paths.library.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\xff" * size)
    assert standing(house) == "broken"
    assert (standing(house, repair=True), standing(house)) == ("repaired", "ok")
    assert ask(house, "tide table crane", tag="sea")
    assert not letting_go.find(house.world(FIRST_DAY), words="heron restore")


def test_a_library_that_tells_nothing_any_more_is_left_to_the_person(house: House, books: Path) -> None:
    add(house, books)
    house.paths.library.write_bytes(b"\xff" * 9000)
    assert [checked(house, repair=repair).verdict for repair in (False, True)] == ["broken", "broken"]
    assert "add the documents again" in checked(house, repair=True).detail


@pytest.mark.parametrize(("body", "said_first"), [
    ("#!/bin/sh\n# Fills the tank.\n# Twice.\necho 1\n", "Fills the tank.\nTwice."),
    ("/*\n * Opens the gate.\n */\n#include <a.h>\n", "Opens the gate."),
    ("// Closes the gate.\npackage main\n// not this\n", "Closes the gate."),
    ("x = 1\n# not this\n", ""),
])
def test_of_a_source_file_its_header_alone_is_read(body: str, said_first: str) -> None:
    assert header_comment(body) == said_first


def test_text_in_other_encodings_is_read_and_what_is_none_is_no_document() -> None:
    assert read_plain("a.txt", "Grüße".encode("utf-16")).text == "Grüße"
    assert read_plain("a.txt", "Grüße".encode("cp1252")).text == "Grüße"
    assert not read_plain("blob", b"\x7fELF\0\0").is_document
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb") as out:
        out.write(b"packed words")
    assert read_plain("README.gz", packed.getvalue()).text == "packed words"


def test_documents_from_the_command_line(dream: Any, books: Path) -> None:
    told = dream.json("corpus", "add", str(books), "--tag", "ops")
    assert (told["corpus"], told["read"], told["problems"]) == ("books", 3, [])
    found = dream.json("search", "--corpus", "how are backups restored?")["results"]
    assert found[0]["document"]["address"] == "corpus://books/guide.md"
    assert found[0]["parts"]["boost"] == 0.85
    dream.json("note", "The crane is serviced in March.")
    dream.json("consolidate")
    assert all("memory" in one for one in dream.json("search", "how are backups restored?")["results"])
    beside = dream.json("search", "--with-corpus", "how are backups restored? who services the crane?")["results"]
    assert {"memory", "document"} == {key for one in beside for key in one if key in ("memory", "document")}
    assert dream("forget", "corpus://books/guide.md", "--yes").code == 0
    assert dream.json("corpus", "list")["corpora"][0]["tags"] == ["ops"]
    assert dream.json("corpus", "remove", "books")["documents"] == 3
    assert dream("corpus", "remove", "books").code == 10


def test_without_documents_nothing_is_made(dream: Any) -> None:
    assert dream.json("corpus", "list") == {"corpora": []}
    assert dream("search", "--corpus", "anything").code == 10
    assert not dream.home.exists()
