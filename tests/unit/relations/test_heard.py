"""What a lexicon hears in two statements decides where a score alone is unsure: one claim, a conflict, or two things."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from dreamd.core.values import MERGING, Hearing, PairScore, Relation
from dreamd.judge import Statement, judge, merged_wording
from dreamd.judge.conflicts.polarity import denies, lacks
from dreamd.judge.features import pair_features
from dreamd.judge.heard import compare
from dreamd.judge.slots import extract_slots
from dreamd.models.lexical.glossary import load_glossary
from dreamd.text.tokens import language

LEXICON = Path(__file__).parents[3] / "config" / "judge" / "lexicon.txt"
DAY = datetime(2026, 3, 2, 9, tzinfo=UTC)
UNSURE = PairScore(0.2, 0.02, 0.02, 0.02, 0.02, 0.1, 0.5, 0.12)
STRANGE = PairScore(0.02, 0.01, 0.01, 0.02, 0.02, 0.02, 0.4, 0.5)
SURE_MERGE = PairScore(0.92, 0.01, 0.01, 0.0, 0.0, 0.04, 0.01, 0.01)
SURE_CLASH = PairScore(0.01, 0.0, 0.0, 0.0, 0.0, 0.97, 0.02, 0.0)
SAME = (
    ("The greenhouse door stays shut at night.", "Die Tür des Gewächshauses bleibt nachts geschlossen."),
    ("The cook orders the fish on Thursdays.", "El cocinero pide el pescado los jueves."),
    ("Spare tyres are stored in the cellar.", "备用轮胎存放在地下室。"),
    ("Members can book the sauna online.", "회원은 사우나를 온라인으로 예약할 수 있다."),
    ("The vet vaccinates the lambs in March.", "O veterinário vacina os cordeiros em março."),
    ("The museum lends the costumes to schools.", "Le musée prête les costumes aux écoles."),
    ("Parking in the courtyard costs four euros.", "Il parcheggio nel cortile costa quattro euro."),
    ("New volunteers get a badge.", "新しいボランティアはバッジを受け取る。"),
    ("会议记录由秘书保存。", "秘书负责保存会议记录。"),
    ("사진은 매일 밤 백업된다.", "매일 밤 사진을 백업한다."),
)
RICHER = (
    ("The dishwasher runs at night.", "Die Spülmaschine läuft nachts, weil der Strom dann billiger ist."),
    ("Contracts are kept in the safe.", "Los contratos se guardan en la caja fuerte de la segunda planta, junto a los sellos."),
    ("The goats get hay.", "山羊吃干草，每天早晚各一次，由学徒负责。"),
    ("Backups run every night.", "백업은 매일 밤 실행되며, 끝나면 관리자에게 메일로 결과를 보낸다."),
)
CLASHES = (
    ("Guests may smoke on the balcony.", "Auf dem Balkon dürfen Gäste nicht rauchen."),
    ("The sauna opens at nine.", "La sauna abre a las diez."),
    ("The choir sings without a conductor.", "O coro canta com regente."),
    ("The museum shop accepts cards.", "박물관 매점은 카드를 받지 않는다."),
    ("Entry to the garden is free.", "L'entrée du jardin est payante."),
    ("The team lunch is on Tuesdays.", "O almoço da equipe é às quintas-feiras."),
    ("수영장은 무료이다.", "수영장은 유료이다."),
)
CHANGES = (
    ("The yoga class is on Mondays.", "Der Yogakurs findet jetzt mittwochs statt."),
    ("The bakery opens at six.", "面包店现在七点开门。"),
    ("Tickets cost 12 euros.", "티켓 가격이 15유로로 올랐다."),
    ("The manuals are kept on Dropbox.", "Die Handbücher wurden auf Nextcloud umgezogen."),
)
TWINS = (
    ("Coffee is served with milk.", "Tee wird mit Milch serviert."),
    ("Coffee is served with milk.", "Kaffee wird ohne Milch serviert."),
    ("The nurse orders the gloves.", "Der Arzt bestellt die Handschuhe."),
    ("Cats are vaccinated in spring.", "Los perros se vacunan en primavera."),
    ("The cellar is cleaned on Fridays.", "阁楼每周五打扫。"),
    ("Students pay half price.", "Rentner zahlen den halben Preis."),
    ("The choir rehearses in the gym.", "오케스트라는 체육관에서 연습한다."),
    ("Invoices are archived for ten years.", "Os contratos são arquivados por dez anos."),
    ("Ben repairs the bikes for Anna.", "Anna repariert die Räder für Ben."),
    ("采购由小李负责。", "采购由小赵负责。"),
    ("유진이 채용을 담당한다.", "민석이 채용을 담당한다."),
)


@pytest.fixture(scope="module")
def hear():
    """What the lexicon that travels with the judge hears in two texts."""
    glossary = load_glossary(LEXICON)

    def heard(one, other):
        return Hearing(*(tuple((w.surface, *w.meanings) for w in glossary.hear(text)) for text in (one, other)))

    return heard


def verdict(hear, one, other, *, days=0, score=UNSURE):
    """Judge two texts some days apart with a score that heard them."""
    sides = Statement(one, DAY), Statement(other, DAY + timedelta(days=days))
    return judge(*sides, similarity=0.6, score=replace(score, heard=hear(one, other)))


@pytest.mark.parametrize(("one", "other"), SAME)
def test_two_that_say_the_same_word_by_word_are_one_claim(hear, one, other):
    assert verdict(hear, one, other).relation is Relation.DUPLICATE
    assert merged_wording(one, other)


@pytest.mark.parametrize(("poor", "rich"), RICHER)
def test_one_that_says_the_same_and_more_is_the_richer(hear, poor, rich):
    found = verdict(hear, poor, rich)
    assert (found.relation, found.richer) == (Relation.REFINES, "b")
    assert verdict(hear, rich, poor).richer == "a"


@pytest.mark.parametrize(("one", "other"), CLASHES)
def test_what_cannot_both_hold_is_seen_across_languages(hear, one, other):
    assert verdict(hear, one, other).relation is Relation.CONTRADICTS


@pytest.mark.parametrize(("old", "new"), CHANGES)
def test_a_change_ends_what_another_language_said_of_the_same_thing(hear, old, new):
    found = verdict(hear, old, new, days=40)
    assert (found.relation, found.newer) == (Relation.UPDATES, "b")


@pytest.mark.parametrize(("one", "other"), TWINS)
@pytest.mark.parametrize("score", [UNSURE, SURE_MERGE], ids=["unsure", "sure"])
def test_another_thing_in_the_same_place_is_never_the_same_claim(hear, one, other, score):
    assert verdict(hear, one, other, score=score).relation not in MERGING


@pytest.mark.parametrize(("one", "other"), [
    ("Solo la directora abre la caja fuerte.", "La caja fuerte la abre únicamente el gerente."),
    ("Nur die Direktorin öffnet den Tresor.", "Den Tresor öffnet nur der Geschäftsführer."),
])
def test_two_words_for_an_office_within_a_language_are_two_people(hear, one, other):
    assert verdict(hear, one, other).relation not in MERGING


def test_each_of_two_things_may_have_its_own_day(hear):
    two = "The bakery delivers bread on Mondays.", "Die Bäckerei liefert donnerstags Kuchen."
    assert verdict(hear, *two, score=SURE_CLASH).relation is Relation.RELATED


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("A Joana cuida das compras.", "A Joana não cuida mais do estoque, agora é o Rui."),
        ("Camille valide les factures.", "C'est désormais Louis qui valide les devis."),
    ],
)
def test_who_gives_up_one_thing_keeps_the_other(hear, one, other):
    assert verdict(hear, one, other, days=30, score=SURE_CLASH).relation is Relation.RELATED


def test_nothing_follows_from_a_text_that_could_not_be_read(hear):
    unread = "The clasp of the reliquary is loose.", "Das Xylokarp der Quirlzange wackelt am Zwickel."
    assert verdict(hear, *unread).evidence == ("similarity 0.60",)


def test_what_shares_no_word_is_unrelated_and_what_shares_a_thing_is_related(hear):
    strange = "The ferry leaves at noon.", "数据库每周备份一次。"
    assert verdict(hear, *strange, score=STRANGE).relation is Relation.UNRELATED
    assert verdict(hear, *strange).relation is Relation.RELATED, "a score that finds one topic knows more than single words"
    two = "The north gate is locked at eight.", "La puerta sur se cierra a las nueve."
    assert verdict(hear, *two).relation is Relation.RELATED


def test_words_of_one_meaning_and_names_are_shared(hear):
    two = "Loaves are sliced with the Brevo.", "El pan se corta en rebanadas con la Brevo."
    told = compare(pair_features(*(Statement(t) for t in two), 0.5), hear(*two))
    assert {w.surface for w in told.shared} >= {"loaves", "Brevo"}


@pytest.mark.parametrize(
    ("text", "denied"),
    [
        ("O carro fica no pátio.", False),
        ("O carro não fica no pátio.", True),
        ("No se puede aparcar.", True),
        ("コードは毎日見直さなければならない。", False),
        ("ここでは撮影できません。", True),
        ("价格不超过十元。", False),
        ("这里不能拍照。", True),
        ("문은 잠그지 않으면 안 된다.", False),
        ("Les billets ne sont vendus qu'au kiosque.", False),
        ("Les billets ne sont pas vendus.", True),
    ],
)
def test_a_denial_is_told_from_what_only_looks_like_one(text, denied):
    assert denies(extract_slots(text), abroad=True) is denied


def test_what_is_done_without_is_no_denial():
    slots = extract_slots("Der Chor probt ohne Orgel.")
    assert lacks(slots)
    assert not denies(slots, abroad=True)


@pytest.mark.parametrize(
    ("text", "tongue"),
    [
        ("A limpeza roda no servidor velho.", "pt"),
        ("Il negozio chiude alle sette.", "it"),
        ("Die Fahrt geht dieses Jahr an den See.", "de"),
        ("Los barcos salen a las dos.", "es"),
        ("We enhance the old garage.", "en"),
    ],
)
def test_words_that_only_one_language_has_tell_more_than_shared_ones(text, tongue):
    assert language(text) == tongue


def test_how_often_is_read_in_other_languages():
    assert extract_slots("La nevera se revisa dos veces al día.").numbers == extract_slots("Twice a day.").numbers
    assert extract_slots("Wir lüften dreimal täglich.").numbers == extract_slots("Three times a day.").numbers


def test_a_german_passive_in_another_order_is_the_same_claim():
    one, other = "Der Müll wird dienstags abgeholt.", "Dienstags wird der Müll abgeholt."
    assert judge(Statement(one, DAY), Statement(other, DAY), similarity=0.9).relation is Relation.DUPLICATE


def test_from_an_hour_on_tells_of_no_change():
    assert extract_slots("A partir de las 20:00 no se llama a nadie.").changes == ()
    assert extract_slots("A partir de mayo se cobra entrada.").changes


HALF = PairScore(0.19, 0.01, 0.01, 0.02, 0.02, 0.2, 0.4, 0.15)
LIKELY_CLASH_ABROAD = PairScore(0.02, 0.0, 0.0, 0.0, 0.0, 0.82, 0.15, 0.01)
LIKELY_CLASH = PairScore(0.06, 0.0, 0.0, 0.0, 0.0, 0.76, 0.1, 0.08)


def test_a_verb_more_in_another_language_is_no_other_claim(hear):
    told = "Apprentices get a free bus ticket per year.", "Los aprendices reciben un billete de autobús gratis por año."
    assert verdict(hear, *told, score=HALF).relation in MERGING
    other = "Los profesores reciben un billete de autobús gratis por año."
    assert verdict(hear, told[0], other, score=HALF).relation not in MERGING


def test_a_sure_score_joins_what_a_lexicon_could_read_within_another_language(hear):
    told = "Ein Gutschein gilt zwei Jahre.", "Gutscheine sind zwei Jahre gültig."
    assert verdict(hear, *told, score=SURE_MERGE).relation in MERGING
    assert verdict(hear, told[0], "Gutscheine sind zwei Jahre teurer.", score=HALF).relation not in MERGING
    people = "Der Koch bestellt den Fisch.", "Den Fisch bestellt die Wirtin."
    assert verdict(hear, *people, score=SURE_MERGE).relation not in MERGING


def test_a_name_in_plain_letters_takes_the_place_of_another_in_chinese(hear):
    found = verdict(hear, "我的终端请用 fish 配色。", "我的终端请用 nord 配色。", score=LIKELY_CLASH)
    assert found.relation in (Relation.UPDATES, Relation.CONTRADICTS)


def test_a_change_told_in_korean_ends_what_it_repeats(hear):
    found = verdict(hear, "주문 접수는 전화로 한다.", "주문 접수는 전화 대신 앱으로 바뀌었다.", score=SURE_CLASH)
    assert found.relation is Relation.UPDATES


@pytest.mark.parametrize("score", [UNSURE, SURE_MERGE])
def test_what_runs_on_is_not_what_stops(hear, score):
    told = "The machine stops when the door is open.", "Die Maschine läuft bei offener Tür weiter."
    assert verdict(hear, *told, score=score).relation not in MERGING


def test_a_common_word_that_is_the_opposite_of_another_leaves_other_claims_joined(hear):
    told = "Spare tyres stay in the cellar.", "备用轮胎留在地下室。"
    assert verdict(hear, *told, score=SURE_MERGE).relation in MERGING


@pytest.mark.parametrize(("text", "numbers"), [
    ("두 사람이 문을 잠근다.", {":2"}), ("한 사람만 문을 잠근다.", {":1"}), ("한 사람이 문을 잠근다.", set()),
    ("회의는 한 시간 걸린다.", {"time:3600"}), ("보트 세 척과 노 네 개", {":4"}), ("열두 명이 온다.", {":12"})])
def test_a_korean_number_counts_the_word_behind_it(text, numbers):
    assert set(extract_slots(text).numbers) == numbers


def test_two_persons_are_not_one_only(hear):
    found = verdict(hear, "모든 문은 두 사람이 잠근다.", "문은 한 사람만 잠근다.", score=SURE_MERGE)
    assert found.relation not in MERGING


def test_what_is_forbidden_is_denied_in_every_number_and_gender(hear):
    two = "Guests may bring dogs.", "Les chiens des invités sont interdits."
    assert verdict(hear, *two, score=SURE_CLASH).relation is Relation.CONTRADICTS
    same = "Open fires are forbidden on the jetty.", "As fogueiras são proibidas no cais."
    assert "only one side is a denial" not in verdict(hear, *same).evidence


def test_another_colour_of_one_thing_is_a_conflict_and_another_thing_of_one_colour_is_none(hear):
    one = verdict(hear, "A porta do barco é azul.", "A porta do barco é verde.", score=LIKELY_CLASH_ABROAD)
    assert one.relation is Relation.CONTRADICTS
    other = verdict(hear, "A porta do barco é azul.", "A janela da casa é azul.", score=LIKELY_CLASH_ABROAD)
    assert other.relation not in (Relation.CONTRADICTS, Relation.UPDATES)


def test_a_title_and_a_participle_hide_no_handover(hear):
    two = "Herr Krause leitet die Werkstatt.", "Die Werkstatt wird jetzt von Frau Behrens geleitet."
    assert verdict(hear, *two, days=30, score=SURE_CLASH).relation is Relation.UPDATES
    stays = "Herr Krause leitet die Werkstatt.", "Die Werkstatt wird jetzt von Frau Behrens bezahlt."
    assert verdict(hear, *stays, days=30, score=UNSURE).relation is Relation.RELATED


def test_to_receive_is_to_get_and_to_send_is_not(hear):
    got = "Guests get a free coffee every morning."
    assert verdict(hear, got, "Los huéspedes reciben un café gratis cada mañana.").relation in MERGING
    assert verdict(hear, got, "Los huéspedes envían un café gratis cada mañana.").relation not in MERGING
