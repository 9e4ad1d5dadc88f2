"""Changes told in other languages: what ends, what only looks like it, and what the language of a short text is."""

from datetime import UTC, datetime, timedelta

import pytest

from dreamd.core.values import PairScore, Relation
from dreamd.judge import Statement, can_merge, judge, needs_score
from dreamd.judge.change.change_marks import change_marks
from dreamd.judge.change.former import former_value
from dreamd.judge.change.takeover import kept_by
from dreamd.text.tokens import language

DAY = datetime(2026, 3, 2, 9, tzinfo=UTC)
CHANGES = (
    ("Die Bandprobe ist um 18:30.", "Die Bandprobe wurde auf 19:15 verschoben."),
    ("Das Labor ist in Gebäude 4.", "Das Labor ist in Gebäude 7 umgezogen."),
    ("Wir verwenden MySQL.", "Wir sind von MySQL auf Postgres umgestiegen."),
    ("Wir verwenden MySQL.", "Wir haben MySQL durch Postgres ersetzt."),
    ("Für den Einkauf ist Frau Ahrens zuständig.", "Für den Einkauf ist jetzt Herr Brandt zuständig."),
    ("Der Eintritt kostet 8 Euro.", "Der Eintritt wurde auf 10 Euro erhöht."),
    ("El almacén está en Getafe.", "El almacén se ha trasladado a Toledo."),
    ("El curso es los lunes.", "El curso pasó de los lunes a los viernes."),
    ("Usamos Trello.", "Cambiamos Trello por Jira."),
    ("Las copias se guardan 30 días.", "Las copias ya no se guardan 30 días sino 60."),
    ("Le site est hébergé chez OVH.", "Le site a été migré d'OVH vers Gandi."),
    ("Nous utilisons Jenkins.", "Nous sommes passés de Jenkins à Drone."),
    ("Le cours a lieu le mardi.", "Le cours a été déplacé au jeudi."),
    ("Julie s'occupe des factures.", "C'est maintenant Karim qui s'occupe des factures."),
    ("Usamos o Jenkins.", "Trocamos o Jenkins pelo GitLab."),
    ("O escritório fica em Braga.", "O escritório mudou-se para o Porto."),
    ("A Sofia cuida do estoque.", "Quem cuida do estoque agora é o Bruno."),
    ("新版本每周三发布。", "新版本不再每周三发布，改为每周五发布。"),
    ("小王负责支付模块。", "支付模块现在由小赵负责。"),
    ("密码有效期是 60 天。", "密码有效期从 60 天缩短到 30 天。"),
    ("我们使用 Jenkins。", "我们从 Jenkins 换到了 GitLab。"),
    ("회의는 매주 월요일에 한다.", "회의가 월요일에서 화요일로 바뀌었다."),
    ("사무실은 강남에 있다.", "사무실이 판교로 이전했다."),
    ("결제 모듈은 민수가 담당한다.", "결제 모듈은 이제 지훈이 담당한다."),
    ("オフィスは渋谷にある。", "オフィスは品川に移転しました。"),
    ("ログは30日間保存する。", "ログの保存期間が30日から90日に延長された。"),
    ("La riunione è il lunedì.", "La riunione è stata spostata al giovedì."),
)
BESIDE = (
    ("Die Bandprobe ist um 18:30.", "Die Chorprobe wurde auf 19:15 verschoben."),
    ("Wir verwenden MySQL.", "Wir sind von Jenkins auf GitLab umgestiegen."),
    ("Wir verwenden MySQL.", "Das Team in Wien ist von MySQL auf Postgres umgestiegen."),
    ("Für den Einkauf ist Frau Ahrens zuständig.", "Für den Verkauf ist jetzt Herr Brandt zuständig."),
    ("El curso de inglés es los lunes.", "El curso de alemán pasó de los lunes a los viernes."),
    ("La cuota de adultos es de 20 euros.", "La cuota infantil ha subido a 12 euros."),
    ("Usamos Trello.", "Cambiamos Slack por Teams."),
    ("Le cours de yoga a lieu le mardi.", "Le cours de danse a été déplacé au jeudi."),
    ("Julie s'occupe des factures.", "C'est maintenant Karim qui s'occupe des contrats."),
    ("Usamos o Jenkins.", "Trocamos o Slack pelo Teams."),
    ("A loja fecha às 19:00.", "O bar agora fecha às 20:00."),
    ("密码有效期是 60 天。", "令牌有效期从 60 天缩短到 30 天。"),
    ("小王负责支付模块。", "登录模块现在由小赵负责。"),
    ("办公室在浦东。", "仓库搬到了虹桥。"),
    ("사무실은 강남에 있다.", "창고가 판교로 이전했다."),
    ("우리는 Jenkins를 사용한다.", "우리는 Slack에서 Teams로 전환했다."),
    ("会議は月曜日です。", "研修は火曜日に変更になりました。"),
    ("La riunione è il lunedì.", "La cena è stata spostata al giovedì."),
    ("会議室Aは10人まで入れる。", "会議室Bは20人まで入れる。"),
)


def verdict(a, b):
    """Judge two texts a month apart, by rule alone."""
    return judge(Statement(a, DAY), Statement(b, DAY + timedelta(days=30)), similarity=0.8)


@pytest.mark.parametrize(("old", "new"), CHANGES)
def test_a_change_told_in_another_language_ends_the_former_value(old, new):
    found = verdict(old, new)
    assert found.relation is Relation.UPDATES
    assert found.newer == "b"


@pytest.mark.parametrize(("one", "other"), BESIDE)
def test_a_change_of_another_thing_ends_nothing(one, other):
    assert verdict(one, other).relation in (Relation.RELATED, Relation.UNRELATED)


@pytest.mark.parametrize(("old", "new"), CHANGES)
def test_a_change_is_never_taken_for_the_same_claim(old, new):
    assert not can_merge(old, new)[0]


@pytest.mark.parametrize(
    ("text", "tongue"),
    [
        ("Usamos o Jenkins.", "pt"),
        ("Usamos Trello.", "es"),
        ("Julie s'occupe des factures.", "fr"),
        ("Siamo passati da Jenkins a GitLab.", "it"),
        ("Wir nutzen Jenkins.", "de"),
        ("Joe's dog's name isn't Rex's.", "en"),
        ("We use Jenkins.", "en"),
    ],
)
def test_a_short_text_tells_its_language_by_a_verb_or_an_elision(text, tongue):
    assert language(text) == tongue


def test_a_habit_in_another_language_is_no_change():
    assert change_marks("los martes pasamos lista y cambiamos el filtro.", "es") == ()
    assert change_marks("le bus passe à huit heures.", "fr") == ()


def test_a_former_value_is_read_with_what_stands_before_it():
    assert former_value("Nous sommes passés de Jenkins à Drone.", "fr")[0] == "jenkins"
    assert former_value("Der Kurs wurde von Montag auf Freitag verlegt.", "de")[0] == "montag"
    assert former_value("Der Kurs ist am Montag.", "de") == ("", "")


def test_a_keeper_and_a_thing_are_found_in_either_order():
    assert kept_by("小王负责支付模块。", "zh") == ("小王", "支付模块")
    assert kept_by("支付模块现在由小赵负责。", "zh") == ("小赵", "支付模块")
    assert kept_by("Das Büro ist groß.", "de") is None


@pytest.mark.parametrize(("one", "other"), BESIDE)
def test_a_score_cannot_make_a_conflict_of_two_things_side_by_side(one, other):
    found = judge(Statement(one, DAY), Statement(other, DAY), similarity=0.9, score=PairScore(0, 0, 0, 0, 0, 0.98, 0.02, 0))
    assert found.relation in (Relation.RELATED, Relation.UNRELATED)


def test_days_of_the_week_are_compared_between_two_languages():
    clash = PairScore(0, 0, 0, 0, 0, 0.95, 0.05, 0)
    told = "The choir meets on Tuesday.", "O coro se reúne às quintas-feiras."
    assert judge(*(Statement(t, DAY) for t in told), similarity=0.1, score=clash).relation is Relation.CONTRADICTS
    same = told[0], "O coro se reúne às terças-feiras."
    assert judge(*(Statement(t, DAY) for t in same), similarity=0.1, score=clash).relation is Relation.RELATED


def test_statements_without_spaces_are_near_when_they_share_words_and_not_when_vectors_say_so():
    near = judge(Statement("北京仓库周日不发货。", DAY), Statement("成都仓库周日不发货。", DAY), similarity=0.1)
    far = judge(Statement("仓库钥匙在前台。", DAY), Statement("我们每年植树两次。", DAY), similarity=0.8)
    assert (near.relation, far.relation) == (Relation.RELATED, Relation.UNRELATED)


def test_between_two_languages_a_score_is_asked_even_where_a_merge_is_barred():
    one, other = Statement("Ana works in Oslo.", DAY), Statement("Luis trabaja en la oficina de Lima.", DAY)
    assert needs_score(one, other, similarity=0.1)


def test_one_day_of_the_week_is_not_another_where_no_space_parts_words():
    assert not can_merge("周三不安排会议。", "周四不安排会议。")[0]
    assert not can_merge("월요일에는 회의가 없다.", "금요일에는 회의가 없다.")[0]


def test_between_two_languages_a_word_of_change_alone_needs_a_sure_score():
    beside = Statement("Alerts go to the chat.", DAY)
    moved = Statement("Hemos pasado de Nagios a Zabbix.", DAY + timedelta(days=9))
    unsure = judge(beside, moved, similarity=0.1, score=PairScore(0, 0, 0, 0.1, 0.6, 0.05, 0.25, 0))
    assert unsure.relation is Relation.RELATED
