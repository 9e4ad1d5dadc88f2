"""Whatever was said: a dream comes to rest, the order of reading does not matter, and cutting a night in two neither."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from dreamd.core.errors import Refused
from dreamd.core.values import Memory, MemoryClass, Origin
from dreamd.dream.cycle import Wish
from household import House, Said, snapshot
from thorough import examples

THINGS = ("importer", "exporter", "mirror", "spooler")
SAYINGS = ("The {t} listens on port {n}.", "Never restart the {t} before the backup.",
           "Always restart the {t} before the backup.",
           "Never restart the {t} before the backup, because it holds {n} locks.", "The {t} no longer listens on port {n}.",
           "I prefer the {t} in mode {n}.", "The {t} keeps {n} copies until 2026-03-0{d}.")
NIGHT = "2026-02-01T20:00:00Z"
QUIET = examples(20, suppress_health_check=list(HealthCheck))

statements = st.lists(st.builds(
    lambda say, thing, n, d, origin, talk, kind: Said(
        say.format(t=thing, n=n, d=d), origin=origin, conversation=f"c{talk}", at=f"2026-01-{talk:02d}T{9 + d:02d}:00:00Z",
        memory_class=kind, explicit=talk % 3 != 0, sign="one-off" if talk % 3 == 0 else ""),
    st.sampled_from(SAYINGS), st.sampled_from(THINGS), st.integers(2, 4), st.integers(1, 5),
    st.sampled_from([Origin.USER, Origin.USER, Origin.AGENT, Origin.WEB]), st.integers(1, 9),
    st.sampled_from([None, MemoryClass.RULE, MemoryClass.REFERENCE])), min_size=1, max_size=14)


@contextmanager
def home() -> Iterator[House]:
    """A home that is gone afterwards."""
    with tempfile.TemporaryDirectory() as root:
        yield House(Path(root))


def end(house: House) -> list[Memory]:
    """Memories in an order of their own."""
    return sorted(house.memories(), key=lambda m: m.id)


@QUIET
@given(said=statements)
def test_a_second_dream_has_nothing_to_do_and_the_home_is_sound(said: list[Said]) -> None:
    with home() as house:
        house.say(NIGHT, *said)
        house.dream(NIGHT, Wish(allow_large_change=True))
        before = snapshot(house.home)
        assert house.dream(NIGHT).outcome == "nothing-to-do"
        assert snapshot(house.home) == before
        assert house.faults(NIGHT) == []


@QUIET
@given(said=statements, turn=st.randoms(use_true_random=False))
def test_the_order_of_reading_does_not_matter(said: list[Said], turn: object) -> None:
    with home() as one, home() as other:
        shuffled = list(said)
        turn.shuffle(shuffled)  # type: ignore[attr-defined]
        one.say(NIGHT, *said)
        other.say(NIGHT, *shuffled)
        one.dream(NIGHT, Wish(allow_large_change=True))
        other.dream(NIGHT, Wish(allow_large_change=True))
        assert end(one) == end(other)


@QUIET
@given(said=statements)
def test_undo_gives_back_what_was_there_whatever_the_night_did(said: list[Said]) -> None:
    with home() as house:
        house.say(NIGHT, Said("Invoices are rounded to full cents before tax.", memory_class=MemoryClass.RULE), said[0])
        house.dream(NIGHT)
        before, files = end(house), snapshot(house.home)["on disk"]
        house.say(NIGHT, *said[1:])
        report = house.dream("2026-02-02T20:00:00Z", Wish(allow_large_change=True))
        if report.run and report.changes:
            house.undo("2026-02-03T20:00:00Z")
            assert (end(house), snapshot(house.home)["on disk"]) == (before, files)
            assert house.faults("2026-02-03T20:00:00Z") == []


@QUIET
@given(said=statements)
def test_every_word_anybody_vouches_for_is_still_somewhere(said: list[Said]) -> None:
    with home() as house:
        house.say(NIGHT, *said)
        try:
            house.dream(NIGHT)
        except Refused:
            return
        kept = {str(text) for text, in house.rows("SELECT text FROM observation")}
        assert kept == {s.text for s in said}
        fates = house.rows("SELECT COUNT(*) FROM observation o LEFT JOIN fate f ON f.observation = o.seq WHERE f.fate IS NULL")
        assert fates == [(0,)]
