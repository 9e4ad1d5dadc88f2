"""Times of day, denials of two words and names in the place of others, in languages other than English."""

from datetime import UTC, datetime, timedelta

import pytest

from dreamd.core.values import MERGING, Relation
from dreamd.judge import Statement, judge
from dreamd.judge.slots import extract_slots

DAY = datetime(2026, 4, 7, 9, tzinfo=UTC)
QUIET = (Relation.RELATED, Relation.UNRELATED)


def verdict(a, b, *, days=30.0):
    """Judge two texts by rules alone."""
    return judge(Statement(a, DAY), Statement(b, DAY + timedelta(days=days)), similarity=0.6)


@pytest.mark.parametrize(
    ("text", "clock"),
    [
        ("Die Kantine macht um halb elf auf.", "10:30"),
        ("Das Treffen ist um acht Uhr abends.", "20:00"),
        ("Der Bus fährt Viertel vor sieben.", "06:45"),
        ("El comedor abre a la una.", "01:00"),
        ("El comedor abre a las ocho y media de la tarde.", "20:30"),
        ("Le bureau ferme à 18 h.", "18:00"),
        ("Le bureau ferme à six heures et demie du soir.", "18:30"),
        ("A loja fecha às nove e meia.", "09:30"),
        ("La mensa apre alle undici e mezza.", "11:30"),
        ("食堂下午三点半开门。", "15:30"),
        ("会議は午後3時半に始まる。", "15:30"),
        ("회의는 오후 3시에 시작한다.", "15:00"),
    ],
)
def test_a_time_of_day_is_read_in_every_language(text, clock):
    assert extract_slots(text).numbers == {f"clock:{clock}"}


@pytest.mark.parametrize(
    "text",
    [
        "Ils travaillent huit heures par jour.",
        "Der Kurs dauert um die zwei Stunden.",
        "Der Umsatz ist um zwei Prozent gestiegen.",
        "这家店的优点是安静。",
        "会議は3時間かかる。",
        "회의는 3시간 걸린다.",
    ],
)
def test_a_span_a_share_and_a_merit_are_no_time_of_day(text):
    assert not any(key.startswith("clock:") for key in extract_slots(text).numbers)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Les stagiaires travaillent seuls.", "Les stagiaires ne travaillent jamais seuls."),
        ("Los becarios trabajan solos.", "Los becarios no trabajan nunca solos."),
        ("Os estagiários trabalham sozinhos.", "Os estagiários não trabalham nunca sozinhos."),
        ("On répond aux lettres.", "On ne répond à aucune lettre."),
    ],
)
def test_two_words_of_one_denial_do_not_cancel_each_other(one, other):
    assert verdict(one, other).relation not in MERGING


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Frau Keller prüft die Spesen.", "Die Spesen prüft ab sofort Herr Brandt."),
        ("Frau Wolf genehmigt die Urlaube.", "Urlaube genehmigt nicht mehr Frau Wolf, sondern Frau Vogt."),
        ("Chloé valide les devis.", "C'est désormais Hugo qui valide les devis."),
        ("Das Büro liegt in der Lindenstraße.", "Unser Büro ist in die Parkallee umgezogen."),
        ("Wir nutzen Slack für den Chat.", "Wir sind von Slack zu Mattermost gewechselt."),
        ("La oficina está en Getafe.", "La oficina se ha trasladado a Leganés."),
        ("El comedor abre a la una.", "El comedor abre ahora a las dos."),
        ("食堂十一点开门。", "食堂现在十点半开门。"),
    ],
)
def test_a_change_is_told_in_the_order_of_its_language(old, new):
    found = verdict(old, new)
    assert (found.relation, found.newer) == (Relation.UPDATES, "b")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Frau Keller prüft die Spesen.", "Die Verträge prüft ab sofort Herr Brandt."),
        ("Chloé valide les devis.", "C'est désormais Hugo qui valide les factures."),
        ("Die Kantine ist im Keller.", "Der Kiosk ist jetzt im Keller."),
        ("Das Büro liegt in der Lindenstraße.", "Das Lager ist in die Parkallee umgezogen."),
        ("La oficina está en Getafe.", "El almacén se ha trasladado a Leganés."),
        ("Die Kantine öffnet um elf.", "Der Kiosk öffnet jetzt um halb elf."),
    ],
)
def test_a_change_of_another_thing_ends_nothing(one, other):
    assert verdict(one, other).relation in QUIET
