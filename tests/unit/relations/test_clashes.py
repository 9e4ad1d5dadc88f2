"""Conflicts that the wording shows, and look-alikes of each that are none."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from dreamd.core.values import PairScore, Relation
from dreamd.judge import Statement, judge

DAY = datetime(2026, 3, 2, 9, tzinfo=UTC)
QUIET = (Relation.RELATED, Relation.UNRELATED)


def by_rules(a: str, b: str, days: float):
    """The verdict of the rules alone."""
    return judge(Statement(a, DAY), Statement(b, DAY + timedelta(days=days)), similarity=0.8)


UPDATES = {
    "a clock moved": ("The bakery's order deadline is 14:00.", "The bakery's order deadline has been moved to 15:30."),
    "a trailing now": ("Cellar 2 is kept at 11 degrees.", "Cellar 2 is kept at 13 degrees now."),
    "a room": ("The archive is room 31.", "The archive is room 47."),
    "a pier": ("The island boat leaves from pier 2.", "The island boat leaves from pier 5."),
    "a hall by name": ("The quartet rehearses in the Rosen hall.", "The quartet rehearses in the Linden hall."),
    "two values at once": (
        "Plot 9 carries beans and is mown every 3 weeks.",
        "Plot 9 now carries peas and is mown every 5 weeks.",
    ),
    "a weekday": ("The minutes are sent on Mondays.", "The minutes are sent on Thursdays."),
    "a holder of an office": ("The on-call engineer is Amina.", "The on-call engineer is Piotr."),
    "a dated change": ("The owner of the sorter is Nils.", "Since April the owner of the sorter is Greta."),
    "an agent": ("Refunds are checked by the cashier.", "Refunds are checked by the night clerk."),
    "an agent told in the other voice": ("The court is swept by the pupils.", "The caretaker sweeps the court."),
    "somebody moved it": ("The club fee is 5 euros.", "The board raised the club fee to 7 euros."),
    "from one to the other": ("The nightly copy runs on heron-2.", "The nightly copy was moved from heron-2 to crane-1."),
    "handed over": ("The bulletin was run by Mats.", "Mats handed the bulletin over to Ylva."),
    "stepped down": ("The choir is led by Olga.", "Olga stepped down; the choir is led by Per."),
    "retired": ("We deploy with Fabric.", "Fabric was retired; we deploy with Ansible."),
    "no longer": ("Guests may feed the goats.", "Guests may no longer feed the goats."),
    "no longer, the other way round": (
        "Six walks give a free lead in the kennel scheme.",
        "The kennel scheme gives a free lead after nine walks now, no longer six.",
    ),
    "a stage": ("The route planner is behind a flag.", "The route planner is on by default."),
    "a version": ("Our forge runs in version 8.2.", "Our forge runs in version 10.1."),
    "German": ("Der Saal wird auf 20 Grad geheizt.", "Der Saal wird jetzt auf 18 Grad geheizt statt auf 20."),
    "German, raised": ("Die Grenze ist 20 MB.", "Die Grenze wurde auf 50 MB erhöht."),
    "Spanish": ("La clave caduca a los 20 días.", "Ahora la clave caduca a los 45 días."),
    "French": ("Les cars partent du quai sud.", "Les cars partent désormais du quai nord, plus du quai sud."),
    "Portuguese": ("A senha expira em 20 dias.", "Agora a senha expira em 45 dias."),
    "Chinese": ("前台电话是分机 3310。", "前台电话现在改为分机 3325。"),
    "Korean": ("모임은 화요일에 열린다.", "모임은 이제 금요일에 열린다."),
    "Japanese": ("合言葉は20日で失効します。", "合言葉は現在45日で失効します。"),
    "who holds an office": ("Ravi is the release captain.", "Lotte is the release captain."),
    "by its identifier": ("Our cloud region is eu-north-2.", "We have moved from eu-north-2 to eu-south-1."),
    "German, from one to the other": ("Die Redaktion nutzt Slack.", "Die Redaktion ist von Slack auf Zulip umgestiegen."),
    "Spanish, from one to the other": ("El mercado es los lunes.", "El mercado pasó de los lunes a los sábados."),
    "Chinese, from one to the other": ("录像保留 20 天。", "录像保留时间从 20 天延长到 60 天。"),
    "Korean, from one to the other": ("시장은 월요일에 열린다.", "시장 날이 월요일에서 토요일로 바뀌었다."),
    "Russian": ("Пропуск действует только 20 дней.", "Теперь пропуск действует только 45 дней."),
}


@pytest.mark.parametrize("kind", UPDATES)
def test_a_change_is_seen_in_the_wording(kind):
    a, b = UPDATES[kind]
    found = by_rules(a, b, 30)
    assert (found.relation, found.newer) == (Relation.UPDATES, "b")


CONTRADICTIONS = {
    "polarity": ("Sand the boards before painting.", "The boards must not be sanded before painting."),
    "all and none": ("Every cabin has a stove.", "No cabin has a stove."),
    "opposite verbs": ("The basin is filled in autumn.", "The basin is drained in autumn."),
    "opposite states": ("The side door is locked.", "The side door is unlocked."),
    "opposite order": ("Load the timber first.", "Load the timber last."),
    "preference turned round": ("Prefer recursion over loops.", "Prefer loops over recursion."),
    "what is preferred": ("The user prefers narrow columns.", "The user prefers wide columns."),
    "amount": ("Keep the drafts for 20 days.", "Keep the drafts for 45 days."),
    "amount in other words": ("The tank is filled with 40 litres.", "With 60 litres the tank is filled."),
    "sole cause": ("The leak was caused by the gasket alone.", "The leak was purely due to the valve."),
    "permission": ("Trainees may drive the loader.", "Trainees may not drive the loader."),
    "a place by name": ("The fair is held in Graz.", "The fair is held in Linz."),
}


@pytest.mark.parametrize("kind", CONTRADICTIONS)
def test_two_claims_of_one_hour_that_cannot_both_hold_contradict(kind):
    a, b = CONTRADICTIONS[kind]
    assert by_rules(a, b, 0.01).relation is Relation.CONTRADICTS


BESIDE = {
    "another subject": ("The spring fee is 40 euros.", "The autumn fee was raised to 55 euros."),
    "another group": ("The quota for guests is 5 GB.", "The quota for members was raised to 20 GB."),
    "another object": ("Support answers mails within 9 hours.", "Support now answers calls within 2 hours."),
    "one more of many": ("The kiosk sells tea.", "The kiosk now also sells soup."),
    "another deed": ("The queue is flushed every 5 minutes.", "The queue is checked every 20 seconds."),
    "another end": ("The gallery opens at 9:00.", "The gallery closes at 19:00."),
    "first and last": ("The first bus leaves at 5:05.", "The last bus leaves at 23:50."),
    "least and most": ("The queue keeps at least 3 workers.", "The queue keeps at most 30 workers."),
    "a case of its own": ("Bake the rolls at 230 degrees.", "Bake the rolls at 210 degrees if the oven is full."),
    "a year of its own": ("The 2023 count found 40 owls.", "The 2024 count found 52 owls."),
    "what fits with what": ("The plugin works with Krita 4.", "The plugin works with Krita 5."),
    "labels": ("Pump 3 feeds the pond.", "Pump 8 feeds the pond."),
    "labels behind a place": ("The lamp above bench 4 hums.", "The lamp above bench 9 hums."),
    "another former value": ("The kiosk opens at 6 on weekdays.", "The shop next to the kiosk now opens at 9 instead of 8."),
    "another thing denied": ("Karl looks after the Riga store.", "Karl no longer looks after the Turku store."),
    "the other way round between others": (
        "Six walks give a free lead in the kennel scheme.",
        "The stable scheme gives a free lead after nine walks now, no longer six.",
    ),
    "persons exchanged": (
        "Anna pays Ben ten euros a month for the loft.",
        "Ben pays Anna eight euros a month for the loft now, no longer ten.",
    ),
    "denied in part": ("Cheques are accepted.", "Cheques are no longer accepted at the night counter."),
    "denied at a time": ("Members can use the court.", "The court can't be used on Sundays any more."),
    "not a person but a time": ("Milk is delivered by bike.", "Milk is delivered by noon."),
    "not a place but a time": ("The dog sleeps in the shed.", "The dog sleeps in the afternoon."),
    "a stop of many": ("The circus stops in Ulm.", "The circus stops in Kiel."),
    "two things, two amounts": ("We rent 3 vans for Bern.", "We rent 5 vans for Genf."),
    "both may be": ("Omar teaches Lea.", "Lea teaches Omar."),
    "another effect": ("The fire was caused by a candle.", "The flood was caused by a pipe."),
    "another cause of another day": ("The first outage was due to a disk.", "The second outage was due to a cable."),
    "a part of what was retired": ("The old press was replaced in June.", "The press room is locked at night."),
    "German": ("Die Fähre nach Sylt fährt um acht.", "Die Fähre nach Föhr fährt um neun."),
    "Spanish": ("El taller es de Eva.", "El almacén ahora es de Luis."),
    "Chinese": ("1号水箱每天清洗。", "2号水箱每周清洗。"),
    "Chinese, by day and by night": ("夜间电话是分机 3310。", "白天电话现在改为分机 3325。"),
    "Korean": ("창고는 18시에 닫는다.", "사무실은 이제 20시에 닫는다."),
}


@pytest.mark.parametrize("kind", BESIDE)
@pytest.mark.parametrize("days", [0.01, 30.0])
def test_what_only_looks_like_a_change_ends_nothing(kind, days):
    a, b = BESIDE[kind]
    assert by_rules(a, b, days).relation in QUIET


SURE_CLASH = {
    "another subject": ("Day staff get 30 days of leave.", "Night staff get 34 days of leave."),
    "a month of its own": ("The check of March found two gaps.", "The check of June found six gaps."),
    "least and most": ("The minimum bid is 20 euros.", "The maximum bid is 900 euros."),
    "a case of its own": ("Close the vents at night.", "Leave the vents open at night during storms."),
    "denied in part": ("The API returns XML.", "The API does not return XML for previews."),
    "two languages, neither English": ("Логи хранятся 30 дней.", "Yedekler 14 gün saklanır."),
    "another word in Chinese": ("不要在走廊吃饭。", "不要在走廊跑步。"),
}


@pytest.mark.parametrize("kind", SURE_CLASH)
def test_no_score_ends_a_claim_about_something_else(kind):
    a, b = SURE_CLASH[kind]
    score = PairScore(0.02, 0, 0, 0, 0, 0.2 if kind.endswith("Chinese") else 0.96, 0.02, 0)
    found = judge(Statement(a, DAY), Statement(b, DAY + timedelta(days=30)), similarity=0.8, score=score)
    assert found.relation in QUIET
