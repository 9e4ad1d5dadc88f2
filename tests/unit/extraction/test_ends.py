"""A thing that is so until a day ends on that day, however the day is written."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hearing import learned

from dreamd.core.values import MemoryClass, Origin
from dreamd.extraction import gate

AT = datetime(2026, 7, 17, 12, tzinfo=UTC)


def end_of(text: str) -> str | None:
    return gate(text, origin=Origin.USER, at=AT, zone=UTC).ttl


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("mira is on leave until 1 september 2026, ask sven about billing meanwhile", "2026-09-01"),
        ("the tide service is down until 30 august 2026, use the cached tides until then", "2026-08-30"),
        ("The lift is out of order until 30 August 2026, use the stairs until then.", "2026-08-30"),
        ("Der Aufzug ist bis zum 15. Oktober außer Betrieb.", "2026-10-15"),
        ("Bis zum 15. Oktober ist die Teststrecke gesperrt.", "2026-10-15"),
        ("die Kantine ist bis 15. oktober geschlossen", "2026-10-15"),
        ("Die Brücke ist bis Ende September gesperrt.", "2026-09-30"),
        ("La oficina está cerrada hasta el 15 de octubre.", "2026-10-15"),
        ("el servidor está apagado hasta finales de septiembre", "2026-09-30"),
        ("Le bureau est fermé jusqu'au 15 octobre.", "2026-10-15"),
        ("O elevador está parado até o dia 3 de outubro.", "2026-10-03"),
        ("Staging is frozen until the end of september.", "2026-09-30"),
        ("we are in a code freeze until sept 4", "2026-09-04"),
        ("the trial of the map service ends on october 3rd", "2026-10-03"),
        ("the licence is valid until 12/31/2026", "2026-12-31"),
        ("the bridge is closed until 31/12/2026", "2026-12-31"),
        ("Anna is away till monday", "2026-07-20"),
        ("the old server will be switched off on 15 September", "2026-09-15"),
        ("we use the fallback queue through 30 september 2026", "2026-09-30"),
        ("倉庫は10月15日まで閉まっています。", "2026-10-15"),
        ("창고는 10월 15일까지 닫습니다.", "2026-10-15"),
    ],
)
def test_a_state_with_an_end_is_kept_with_that_end_when_somebody_says_it(text: str, end: str) -> None:
    assert end_of(text) == end
    (kept,) = learned(text)
    found = gate(kept, origin=Origin.USER, at=AT, zone=UTC)
    assert (found.memory_class, found.ttl) == (MemoryClass.STATE, end)


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("Lo stand è chiuso fino al 15 ottobre 2026.", "2026-10-15"),
        ("De lift is buiten gebruik tot 15 oktober 2026.", "2026-10-15"),
        ("Мост закрыт до 15 октября 2026 года.", "2026-10-15"),
        ("Most jest zamknięty do 15 października 2026 roku.", "2026-10-15"),
        ("Lo stand è chiuso fino al 3 marzo.", "2027-03-03"),
    ],
)
def test_an_end_is_read_in_languages_of_which_little_is_known(text: str, end: str) -> None:
    assert end_of(text) == end


@pytest.mark.parametrize(
    "text",
    [
        "The tickets are kept until 30 August.",
        "Rechnungen werden bis 30. September aufbewahrt.",
        "the shop is open until 8 pm",
        "Nobody sails until march winds are over.",
        "the pier is closed until 03/04/2026",
        "no deployments before 3 august",
        "Two of the 15. Oktober is a strange name for a band.",
    ],
)
def test_what_names_no_certain_end_has_none(text: str) -> None:
    assert end_of(text) is None
