"""Relative dates become absolute in place; only a stated end makes a TTL."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from dreamd.text.dates import make_durable

FRIDAY = datetime(2026, 7, 17, 12, tzinfo=UTC)

ABSOLUTE = [
    ("The north ramp is shut next Thursday.", "The north ramp is shut on 2026-07-23.", None, None),
    ("The survey goes on for another 2 weeks.", "The survey goes on until 2026-07-31.", "2026-07-31", None),
    ("The survey goes on for another week.", "The survey goes on until 2026-07-24.", "2026-07-24", None),
    ("Rack 4 stays off for the next three months.", "Rack 4 stays off until 2026-10-17.", "2026-10-17", None),
    ("Tomorrow the lab is closed.", "On 2026-07-18 the lab is closed.", None, None),
    ("Tomorrow morning the lab is closed.", "On 2026-07-18 in the morning the lab is closed.", None, None),
    ("Do not merge to main until next Thursday.", "Do not merge to main until 2026-07-23.", "2026-07-23", None),
    ("The demo is in 3 weeks.", "The demo is on 2026-08-07.", None, None),
    ("The certificate expires in 3 weeks.", "The certificate expires on 2026-08-07.", "2026-08-07", None),
    ("The freeze ends this Friday.", "The freeze ends on 2026-07-17.", "2026-07-17", None),
    ("The office is shut until the end of the month.", "The office is shut until 2026-07-31.", "2026-07-31", None),
    ("Since last Monday the gateway runs on nginx.", "Since 2026-07-13 the gateway runs on nginx.", None, "2026-07-13"),
    ("Since the last Monday the gateway runs on nginx.", "Since 2026-07-13 the gateway runs on nginx.", None, "2026-07-13"),
    ("The office was shut on the last Monday.", "The office was shut on 2026-07-13.", None, None),
    ("The past Monday the cache was moved.", "On 2026-07-13 the cache was moved.", None, None),
    ("The minutes of last Monday are in the wiki.", "The minutes of 2026-07-13 are in the wiki.", None, None),
    ("Our next Monday release is small.", "Our 2026-07-20 release is small.", None, None),
    ("Der Cache wurde am letzten Montag umgestellt.", "Der Cache wurde am 2026-07-13 umgestellt.", None, None),
    ("Wir haben den Cache am letzten Montag umgestellt.", "Wir haben den Cache am 2026-07-13 umgestellt.", None, None),
    ("Seit letztem Montag läuft nginx im Hafenamt.", "Seit 2026-07-13 läuft nginx im Hafenamt.", None, "2026-07-13"),
    ("Der nächste Montag ist für alle frei.", "Der 2026-07-20 ist für alle frei.", None, None),
    ("The freeze starts on the last Monday of next month.", "The freeze starts on the last Monday of 2026-08.", None, None),
    ("The v1 API is switched off on 2026-09-01.", "The v1 API is switched off on 2026-09-01.", "2026-09-01", None),
    ("The licence runs out on 5 August 2026.", "The licence runs out on 2026-08-05.", "2026-08-05", None),
    ("Valid until March 3.", "Valid until 2027-03-03.", "2027-03-03", None),
    ("Parking is free until the end of July.", "Parking is free until 2026-07-31.", "2026-07-31", None),
    ("The pilot lasts until 12.08.2026.", "The pilot lasts until 2026-08-12.", "2026-08-12", None),
    ("The key expires the day after tomorrow.", "The key expires on 2026-07-19.", "2026-07-19", None),
    ("The office opens on 2026-10-01.", "The office opens on 2026-10-01.", None, "2026-10-01"),
    ("The ban holds until Friday.", "The ban holds until 2026-07-24.", "2026-07-24", None),
    ("The meeting moved to next Tuesday's slot.", "The meeting moved to 2026-07-21's slot.", None, None),
    ("The parser was broken until yesterday.", "The parser was broken until 2026-07-16.", None, None),
    ("Die Waage ist bis nächsten Donnerstag gesperrt.", "Die Waage ist bis 2026-07-23 gesperrt.", "2026-07-23", None),
    ("Der Test läuft noch zwei Wochen.", "Der Test läuft bis 2026-07-31.", "2026-07-31", None),
    ("Morgen ist das Labor geschlossen.", "Am 2026-07-18 ist das Labor geschlossen.", None, None),
    (
        "El acceso está cerrado hasta el próximo jueves.",
        "El acceso está cerrado hasta el 2026-07-23.",
        "2026-07-23",
        None,
    ),
    ("La salle est fermée jusqu'au 5 août.", "La salle est fermée jusqu'au 2026-08-05.", "2026-08-05", None),
    ("Le bureau est fermé jusqu'à demain.", "Le bureau est fermé jusqu'à 2026-07-18.", "2026-07-18", None),
    ("A garagem está fechada até amanhã.", "A garagem está fechada até 2026-07-18.", "2026-07-18", None),
    ("接口下周四关闭。", "接口2026-07-23关闭。", None, None),
    ("测试环境8月15日到期。", "测试环境2026-08-15到期。", "2026-08-15", None),
    ("来週木曜日まで倉庫は使えません。", "2026-07-23まで倉庫は使えません。", "2026-07-23", None),
    ("다음 주 목요일까지 창고를 사용할 수 없습니다.", "2026-07-23까지 창고를 사용할 수 없습니다.", "2026-07-23", None),
]

LEFT_ALONE = [
    "Terms of payment are 14 days from now on.",
    "The office is closed from Friday until Monday each week.",
    "Das Büro ist jede Woche von Freitag bis Montag zu.",
    "La oficina cierra cada semana hasta el lunes.",
    "The gauge sends every morning at 6:15.",
    "Tide levels come in every 10 minutes.",
    "Audit entries are kept for 10 years.",
    "The review is every 2 weeks.",
    "The season begins in week 19.",
    "We may sit on the second version 4.1.2, sun and mon.",
    "The report shows yesterday's sales.",
    "If it fails on Friday, retry tomorrow.",
    "Tokens expire in 3 days.",
    "Invoices are kept until the end of the year.",
    "Nobody enters hall 2 until further notice.",
    "The lift carries up to 2000 crates.",
    "The gate opens from Monday to Friday.",
    "Open until 18:00.",
    "Reports are due within 3 days.",
    "The choir sings on Tuesdays.",
    "The rollout happens on the last Monday of the month.",
    "The freeze starts on the last Monday in June.",
    "Last Friday of the sprint is demo day.",
    "The last Monday or Tuesday of the month is frozen.",
    "Nobody deploys in the last week, and last week of the month nobody merges.",
    "Backups are verified on the last Monday.",
    "Pay day is the last Friday.",
    "The second last Friday is pay day.",
    "Our last Monday release failed.",
    "Am letzten Montag im Monat werden die Sicherungen geprüft.",
    "Sicherungen werden am letzten Montag geprüft.",
    "Der letzte Freitag des Quartals ist für alle frei.",
    "Jeweils am letzten Freitag gibt es eine Retro.",
    "Formerly the mate, today the skipper signs the log.",
    "灯台の電池は毎朝7時に点検されます。",
    "Der Server ist hier zu finden.",
]


@pytest.mark.parametrize(("said", "meant", "ttl", "valid_from"), ABSOLUTE)
def test_a_relative_date_becomes_absolute(said: str, meant: str, ttl: str | None, valid_from: str | None) -> None:
    durable = make_durable(said, FRIDAY, UTC)
    assert (durable.text, durable.ttl, durable.valid_from) == (meant, ttl, valid_from)


@pytest.mark.parametrize("text", LEFT_ALONE)
def test_a_habit_a_length_or_a_clock_time_is_left_alone(text: str) -> None:
    durable = make_durable(text, FRIDAY, UTC)
    assert (durable.text, durable.ttl) == (text, None)


@pytest.mark.parametrize("text", [meant for _, meant, _, _ in ABSOLUTE])
def test_making_durable_twice_changes_nothing(text: str) -> None:
    assert make_durable(text, FRIDAY + timedelta(days=40), UTC).text == text


def test_the_day_is_the_day_of_the_speaker() -> None:
    late = datetime(2026, 7, 17, 23, 30, tzinfo=UTC)
    east = timezone(timedelta(hours=9))
    assert make_durable("Tomorrow the lab is closed.", late, east).text == "On 2026-07-19 the lab is closed."


def test_a_date_no_calendar_holds_stays_as_it_was_said() -> None:
    text = "The archive is open until 2026-02-31."
    assert make_durable(text, FRIDAY, UTC).ttl is None
    far = datetime(8999, 12, 31, tzinfo=UTC)
    assert make_durable("The lab is closed in 900 years.", far, UTC).ttl is None
