"""A night is told from the journal in plain words, with its reasons, sources and pictures, and never more than is known."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC
from pathlib import Path

import pytest

from dreamd.core.clock import parse_instant
from dreamd.core.settings import IndexSettings
from dreamd.core.telemetry import log_event
from dreamd.core.values import Origin
from dreamd.report.heard import Source
from dreamd.report.nights import Kind, Night, Recall, load_night, load_nights
from dreamd.report.pictures import flow, timeline
from dreamd.report.plots import Plot, load_plots, load_versions
from dreamd.report.quiet import load_quiet
from dreamd.report.sentences import quotes_apart, tell_headline, tell_night, why_nothing
from dreamd.report.svg_frame import LEFT, Frame, draw_labels, draw_scale
from dreamd.report.word_changes import Part, common_words, word_changes
from dreamd.store.connection import open_reader
from household import FIRST_DAY, FIRST_NIGHT, House, Said

SECOND_DAY, SECOND_NIGHT = "2026-02-05T09:00:00Z", "2026-02-05T20:00:00Z"
SVG = "{http://www.w3.org/2000/svg}"


def nights(house: House) -> list[Night]:
    with open_reader(house.paths.store) as store:
        return load_nights(store)


def told(house: House, n: int = 0) -> str:
    return "\n".join(tell_night(nights(house)[n], UTC))


def plots(house: House, now: str = SECOND_NIGHT) -> dict[str, Plot]:
    with open_reader(house.paths.store) as store:
        return {one.name: one for one in load_plots(store, IndexSettings(), now=parse_instant(now))}


@pytest.fixture(scope="module")
def two_nights(tmp_path_factory: pytest.TempPathFactory) -> House:
    """Two nights that nobody changes; who wants to takes a copy."""
    house = House(tmp_path_factory.mktemp("nights"))
    house.say(FIRST_DAY, Said("The lamp controller listens on port 7400.", conversation="a", at="2026-01-04T08:00:00Z"),
              Said("The lamp controller listens on port 7400.", conversation="b", at="2026-01-05T08:00:00Z"),
              "The storm webcam is switched off until 2026-01-20.", "thanks a lot")
    house.dream(FIRST_NIGHT)
    house.say(SECOND_DAY, "The lamp controller now listens on port 7500.")
    house.dream(SECOND_NIGHT)
    return house


def test_a_night_says_what_was_learned_and_what_notes_became_one(two_nights: House) -> None:
    first = told(two_nights, 1)
    assert "It learned “The storm webcam is switched off until 2026-01-20” (2)." in first
    assert "Two notes became one: “The lamp controller listens on port 7400” (1)." in first
    assert "One statement was let go (one: only agrees, thanks or greets)." in first


def test_a_night_says_what_ended_when_and_because_of_what(two_nights: House) -> None:
    assert ("“The lamp controller listens on port 7400” (1) ended on 5 February, because “The lamp controller now listens on "
            "port 7500” took its place") in told(two_nights)
    assert "“The storm webcam is switched off until 2026-01-20” (2) was archived, because the day it named has passed." in told(
        two_nights)


def test_every_change_has_its_reason_its_source_its_words_and_what_undoes_it(two_nights: House) -> None:
    night = nights(two_nights)[0]
    ended = next(one for one in night.told if one.kind is Kind.REPLACED)
    new = next(one for one in night.told if one.kind is Kind.LEARNED)
    assert (ended.why, ended.run, ended.op.split("/")[0]) == ("a later statement says otherwise", night.run.id, night.run.id)
    assert ended.successor == "The lamp controller now listens on port 7500."
    assert [(s.kind, s.text) for s in new.sources] == [("note", "The lamp controller now listens on port 7500.")]
    assert "dream undo" not in told(two_nights)
    assert tell_headline(night) == "1 replaced, 1 archived"


def test_a_night_in_which_no_memory_changed_says_why(house: House) -> None:
    house.say(FIRST_DAY, "The lamp controller listens on port 7400.")
    house.dream(FIRST_NIGHT)
    house.say(SECOND_DAY, "thanks a lot")
    house.dream(SECOND_NIGHT)
    night = nights(house)[0]
    assert why_nothing(night) == "all that was said was let go"
    assert "No memory changed: all that was said was let go." in told(house)


def test_contradictions_are_told_once_side_by_side(house: House) -> None:
    house.say(FIRST_DAY, Said("The fog horn listens on port 7400.", conversation="a", at="2026-01-05T08:00:00Z"),
              Said("The fog horn listens on port 7500.", conversation="b", at="2026-01-05T08:10:00Z"))
    house.dream(FIRST_NIGHT)
    assert told(house).count("You are asked which is right: “The fog horn listens on port 7") == 1
    assert "” (2) against “The fog horn listens on port 7" in told(house)


def test_an_undone_night_says_so_and_the_undo_itself_is_told(two_nights: House, tmp_path: Path) -> None:
    house = two_nights.copy_to(tmp_path)
    house.undo("2026-02-06T09:00:00Z")
    undo, second, _ = nights(house)
    assert second.undone_by == undo.run.id
    assert "You took back “" in told(house)


def test_what_was_forgotten_stands_in_no_night(two_nights: House, tmp_path: Path) -> None:
    house = two_nights.copy_to(tmp_path)
    house.forget("2026-02-06T09:00:00Z", "lamp controller")
    everything = " ".join("\n".join(tell_night(night, UTC)) + repr(night.told) + flow(night) for night in nights(house))
    assert "7400" not in everything
    assert "7500" not in everything


def test_a_night_tells_what_search_found_before_and_after(two_nights: House) -> None:
    night = nights(two_nights)[0]
    assert night.recall is not None
    assert night.recall.found == night.recall.asked
    for recall, words in ((Recall(4, 4), "all four memories that"), (Recall(1, 1), "the one memory that")):
        assert f"Search still finds {words} it found before." in tell_night(replace(night, recall=recall), UTC)
    assert nights(two_nights)[1].recall is None  # nothing was known before the first night


def test_what_a_quiet_night_left_in_the_log_is_told(two_nights: House) -> None:
    log_event(two_nights.paths, "cycle.finished", kind="dream", outcome="nothing-to-do", reason="nothing due")
    log_event(two_nights.paths, "service.held", reason="the machine is in use")
    told_of = [(one.held, one.why) for one in load_quiet(two_nights.paths)]
    assert told_of == [(False, "nothing due"), (True, "the machine is in use")]


@pytest.mark.parametrize(("before", "after", "came", "went"), [
    ("the port is 7400", "the port is 7500", "7500", "7400"), ("", "all new", "all new", ""), ("one", "one", "", ""),
    ("it is at 10.0.3.4.", "it is at 10.0.7.9.", "10.0.7.9", "10.0.3.4"),
    ("see docs/a.md", "see docs/b.md", "docs/b.md", "docs/a.md"),
    ("端口是 7400。", "端口是 7500。", "7500", "7400")])
def test_words_that_came_and_went_are_told_apart_and_lose_nothing(before: str, after: str, came: str, went: str) -> None:
    parts = word_changes(before, after)
    assert "".join(words for part, words in parts if part is not Part.IN) == before
    assert "".join(words for part, words in parts if part is not Part.OUT) == after
    assert "".join(words for part, words in parts if part is Part.IN) == came
    assert "".join(words for part, words in parts if part is Part.OUT) == went


def test_two_texts_with_little_in_common_are_told_one_after_the_other() -> None:
    before, after = "The lighthouse project deploys with Ansible.", "We moved the lighthouse deployment from Ansible to Nix."
    assert word_changes(before, after) == ((Part.OUT, before), (Part.IN, after))


def test_what_waits_or_ended_at_once_is_not_marked_as_new(two_nights: House) -> None:
    learned = next(one for night in nights(two_nights) for one in night.told if one.kind is Kind.LEARNED)
    assert learned.words == ((Part.IN, learned.text),)
    assert replace(learned, kind=Kind.HELD).words == replace(learned, kind=Kind.RETIRED).words == ((Part.SAME, learned.text),)


def test_what_a_sentence_quotes_keeps_its_own_direction_and_does_not_turn_the_sentence() -> None:
    hebrew = "\u05e9\u05e8\u05ea 6"
    assert quotes_apart(f"“{hebrew}” (1) was archived.") == [(False, "“"), (True, hebrew), (False, "” (1) was archived.")]
    assert quotes_apart("It learned “a” (2) and “b” (3).")[1::2] == [(True, "a"), (True, "b")]


def test_an_imported_file_is_named_by_its_place_alone() -> None:
    source = Source("o", parse_instant(SECOND_DAY), Origin.IMPORT.value, "memory-dir", "memory", "", "words")
    assert source.told == "memory file: memory"
    assert replace(source, kind="note", name="").told == "a file, a note"


def test_several_notes_are_said_to_be_about_what_all_of_them_name() -> None:
    small = frozenset({"the", "on"})
    assert common_words(["The lamp controller listens on port 7400.", "Port 7400 is where the lamp controller waits."],
                        small) == "lamp controller"
    assert common_words(["Always test first.", "Always test first."], small) == ""


def test_live_memories_over_time_end_with_those_of_today(two_nights: House) -> None:
    live = plots(two_nights)["live"]
    assert live.note == ""
    assert "2026-01-05: state 1, reference 1" in live.svg or "2026-01-05: reference 1, state 1" in live.svg
    assert "2026-02-05: reference 1" in live.svg


@pytest.mark.parametrize("name", ["live", "done", "unasked", "index", "seconds", "capture"])
def test_every_picture_can_be_read_without_seeing_it(two_nights: House, name: str) -> None:
    top = ET.fromstring(plots(two_nights)[name].svg)
    title, desc = top[0], top[1]
    assert (top.get("role"), title.tag, desc.tag) == ("img", f"{SVG}title", f"{SVG}desc")
    assert top.get("aria-labelledby") == f"{title.get('id')} {desc.get('id')}"
    assert title.text
    assert desc.text
    assert not any(one.tag in (f"{SVG}script", f"{SVG}style") or "style" in one.attrib or "onclick" in one.attrib
                   for one in top.iter())


def test_what_the_store_does_not_know_is_said_and_not_drawn(two_nights: House) -> None:
    shown = plots(two_nights)
    assert shown["shown"].svg == ""
    assert "it does not know" in shown["shown"].note
    assert shown["spent"].note == "no language model was asked in these nights"


@pytest.mark.parametrize("draw", [flow, lambda night: timeline("t", _versions(night), parse_instant(SECOND_NIGHT))])
def test_words_of_a_memory_are_never_markup_in_a_picture(house: House, draw: Callable[[Night], str]) -> None:
    house.say(FIRST_DAY, Said("The page says <script>alert(1)</script> & \x1b[31mmore\x00 on port 80.", origin=Origin.USER))
    house.dream(FIRST_NIGHT)
    drawn = draw(nights(house)[0])
    assert "<script" not in drawn
    ET.fromstring(drawn)


def _versions(night: Night) -> list:  # type: ignore[type-arg]
    from dreamd.report.pictures import Version

    return [Version(one.memory, one.text, "live", night.run.now, None) for one in night.told]


def test_a_subject_is_shown_through_all_its_versions(two_nights: House) -> None:
    with open_reader(two_nights.paths.store) as store:
        versions = load_versions(store, two_nights.memory("7500").id)
        assert [v.text[-5:-1] for v in versions] == ["7400", "7500"]
        assert versions == load_versions(store, two_nights.memory("7400").id)
    assert versions[0].until == versions[1].since


def test_the_picture_of_a_run_counts_everything_that_went_in(two_nights: House) -> None:
    with open_reader(two_nights.paths.store) as store:
        night = load_night(store, "1")
    assert len(night.taken) == 4
    assert "2 from notes: new" in flow(night)
    assert "let go: only agrees, thanks or greets" in flow(night)


@pytest.mark.parametrize("top", [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 20.0, 30.0, 500.0])
def test_a_count_has_whole_figures_at_its_side(top: float) -> None:
    frame = Frame("x", "x", "x")
    draw_scale(frame, top, "")
    figures = re.findall(r"<text[^>]*>([^<]*)</text>", frame.done())
    assert [one for one in figures if "." in one] == [] and (figures[0], figures[-1]) == ("0", f"{top:g}")


def test_days_below_a_picture_stand_apart_however_near_their_nights_are() -> None:
    frame = Frame("days", "days", "three nights within an hour")
    draw_labels(frame, ["2026-11-28"] * 3, [LEFT, LEFT + 40.0, LEFT + 60.0])
    places = re.findall(r'<text x="([\d.]+)"', frame.done())
    assert places == [f"{LEFT + 60:g}"]


def test_one_note_is_told_as_one(house: House) -> None:
    house.say(FIRST_NIGHT, "The billing API listens on port 8080.")
    house.dream(FIRST_NIGHT)
    picture = flow(nights(house)[0])
    assert ("1  note<" in picture, "1  new<" in picture) == (True, True)
