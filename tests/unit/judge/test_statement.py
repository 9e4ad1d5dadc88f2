"""Names, polarity, quantifiers, conditions, markers and qualifiers of one statement."""

import re
import time
from collections.abc import Callable

import pytest

from dreamd.judge.statement import Reading, read
from dreamd.text import word_classes


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("The app needs version 2.6.0.", "version 2.6.0"),
        ("Config is in conf/app.toml.", "conf/app.toml"),
        ("Server ber-12 is old.", "ber12"),
        ("Ticket PAY-311 is open.", "pay311"),
        ("Subnet 10.1.2.0/24 is ours.", "10.1.2.0/24"),
        ("Set `MAX_JOBS` to four.", "MAX_JOBS"),
        ("Encode as H.264.", "h.264"),
        ("The gauge has 0x3f.", "0x3f"),
        ("Pass --dry-run to it.", "--dry-run"),
        ("See https://a.example/b for it.", "https://a.example/b"),
        ("Its id is 5be1d2aa-7c1f-4a36-8a0e-93d1c7f00b52.", "5be1d2aa-7c1f-4a36-8a0e-93d1c7f00b52"),
        ("Edit build.gradle by hand.", "build.gradle"),
    ],
)
def test_names_with_a_shape_are_found(text, name):
    assert name in read(text).fixed


@pytest.mark.parametrize("text", ["The pump stops when it is full.", "A tank of 2.5 m depth.", "It costs 3.5 EUR a day."])
def test_plain_words_and_measures_are_no_names(text):
    assert not read(text).fixed


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("We deploy with Helm.", "helm"),
        ("Logs go to Graylog now.", "graylog"),
        ("The DNS is slow.", "dns"),
        ("Uses PostGIS for maps.", "postgis"),
    ],
)
def test_proper_names_are_found(text, name):
    assert name in read(text).names


@pytest.mark.parametrize(
    ("text", "denied"),
    [
        ("Do not edit the generated files.", {"edit"}),
        ("Reports are never mailed.", {"mail"}),
        ("Use the logger rather than print.", {"print"}),
        ("We do not use Helm.", {"use"}),
        ("Edit the list, but not the totals.", {"total"}),
        ("No more than five jobs run.", set()),
        ("Send it to Ann, not to Bob.", {"bob"}),
    ],
)
def test_what_a_negator_denies_stands_behind_it_in_its_clause(text, denied):
    assert read(text).denial.first == denied


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("All tests need it.", {"all"}),
        ("Some tests need it.", {"some"}),
        ("Most tests need it.", {"most"}),
        ("No test needs it.", {"none"}),
        ("Never do it.", {"none"}),
        ("At most five tests need it.", set()),
        ("Cada prueba cuenta.", {"all"}),
    ],
)
def test_quantifiers_are_read(text, kinds):
    assert read(text).quantifiers == kinds


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Stop if it fails.", True),
        ("Publish unless it rains.", True),
        ("Wenn es regnet, bleibt es zu.", True),
        ("如果失败就停止。", True),
        ("Stop at once.", False),
    ],
)
def test_conditions_are_read(text, found):
    assert bool(read(text).conditions) is found


@pytest.mark.parametrize(
    "text",
    [
        "We no longer use Helm.",
        "Helm was replaced by Kustomize.",
        "We moved from Helm to Kustomize.",
        "Go was bumped to 1.23.",
        "As of May the limit is 5.",
        "The deadline was postponed.",
        "Ines took over from Tobias.",
        "Kafka is off the table.",
        "The freeze was lifted.",
        "Das Lager schließt jetzt um acht.",
        "Los pagos ya no pasan por Stripe.",
        "Le portail est désormais fermé.",
        "As notas passaram a ser pagas.",
        "会议改到周三。",
        "회의가 수요일로 변경되었다.",
    ],
)
def test_a_change_marker_is_seen(text):
    assert read(text).changes


@pytest.mark.parametrize(
    "text",
    [
        "The pump stops when the tank is full.",
        "We deploy with Helm.",
        "Every parcel is weighed.",
        "Das Lager schließt um acht.",
        "仓库十八点关门。",
    ],
)
def test_a_plain_statement_has_no_change_marker(text):
    assert not read(text).changes


@pytest.mark.parametrize(
    ("text", "qualifier"),
    [
        ("On staging the cache is off.", ("environment", "staging")),
        ("In prod it runs twice.", ("environment", "production")),
        ("On Windows it fails.", ("platform", "windows")),
        ("Inbound calls time out.", ("direction", "in")),
        ("Montags ist zu.", ("weekday", "mon")),
        ("测试环境每天清空。", ("environment", "test")),
    ],
)
def test_qualifiers_are_read_in_one_form(text, qualifier):
    assert qualifier in read(text).qualifiers


def test_everything_that_a_merge_may_not_lose_is_read():
    told = read('Run `make seed` on ber-12 at 05:10 with conf/a.toml, limit 2 GB, label "fair", owner Nora.')
    found = told.fixed | told.commands | told.names | told.quoted | told.numbers
    assert {"make seed", "ber12", "conf/a.toml", "fair", "nora", "clock:05:10", "bytes:2e+09"} <= found


def by_each_alternative(text: str) -> tuple[str, ...]:
    """The markers of change in a text, by one pattern that tries each from its own beginning."""
    return tuple(dict.fromkeys(m.group().strip() for m in PLAIN.finditer(text.lower())))


PLAIN = re.compile("|".join(word_classes.CHANGE))


@pytest.mark.parametrize("text", [
    "As of May the gate is no longer locked, from now on it was moved to the yard.",
    "We switched from hay to straw instead; now.",
    "Das Tor ist ab sofort nicht mehr zu, neuerdings jetzt.", "大门不再上锁，现在改为刷卡。从今天起",
    "이제 더 이상 잠그지 않는다",
    "Ya no se cierra, ahora se cambió.", "The nowhere gate knows instead-ish snow.", ""])
def test_markers_of_change_are_those_that_each_by_itself_would_find(text):
    assert read(text).changes == by_each_alternative(text)


def test_a_text_without_a_marker_is_passed_over_quickly():
    text = "The ferry of Lund leaves the pier at seven and carries forty bicycles across the sound every day. " * 4

    def took(find: Callable[[str], tuple[str, ...]]) -> float:
        begun = time.process_time()
        for _ in range(40):
            assert not find(text)
        return time.process_time() - begun

    assert min(took(lambda one: Reading(one).changes) for _ in range(3)) < min(took(by_each_alternative) for _ in range(3)) / 2
