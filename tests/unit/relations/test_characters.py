"""One character apart in Chinese, Japanese or Korean: another bound, order, rate or demand, which no gloss shows."""

from datetime import UTC, datetime

import pytest

from dreamd.core.paths import share_dir
from dreamd.core.values import MERGING, Hearing, PairScore
from dreamd.judge import Statement, judge
from dreamd.models.lexical.glossary import LEXICON_FILE, load_glossary

DAY = datetime(2026, 4, 7, 9, tzinfo=UTC)


@pytest.fixture(scope="module")
def verdict():
    """Judges two texts of one moment that a score takes for one claim, with what the lexicon hears in them."""
    glossary = load_glossary(share_dir("config") / "judge" / LEXICON_FILE)

    def heard(text):
        return tuple((word.surface, *word.meanings) for word in glossary.hear(text))

    def judged(a, b):
        score = PairScore(0.93, 0.01, 0.01, 0, 0, 0.03, 0.01, 0.01, heard=Hearing(heard(a), heard(b)))
        return judge(Statement(a, DAY), Statement(b, DAY), similarity=0.97, score=score)

    return judged


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("船票至少提前三天预订。", "船票至多提前三天预订。"),
        ("十吨以上的船不能靠岸。", "十吨以下的船不能靠岸。"),
        ("灯塔每月检查一次。", "灯塔每日检查一次。"),
        ("灯塔每两周检查一次。", "灯塔每周检查一次。"),
        ("游客可以穿救生衣。", "游客必须穿救生衣。"),
        ("出航前要检查发动机。", "出航后要检查发动机。"),
        ("仓库里有所有的缆绳。", "仓库里有部分缆绳。"),
        ("报告上传后会保存。", "报告下载后会保存。"),
        ("港口上午开放。", "港口下午开放。"),
        ("晚上没人值班，所以不要出航。", "晚上没人值班，所以都要出航。"),
        ("救命胴衣は必ず着る。", "救命胴衣は時々着る。"),
        ("返事は二日以内に出す。", "返事は二日以外に出す。"),
        ("船は毎週点検する。", "船は毎月点検する。"),
        ("倉庫は午前に開く。", "倉庫は午後に開く。"),
        ("18세 이상은 요금을 낸다.", "18세 이하는 요금을 낸다."),
        ("모든 배는 점검을 받는다.", "일부 배는 점검을 받는다."),
        ("창고는 매일 점검한다.", "창고는 매주 점검한다."),
        ("출항 전에 엔진을 점검한다.", "출항 후에 엔진을 점검한다."),
        ("방문객은 사진을 찍을 수 있다.", "방문객은 사진을 찍어야 한다."),
    ],
)
def test_what_differs_in_a_small_word_is_no_one_claim(verdict, a, b):
    assert verdict(a, b).relation not in MERGING


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("写邮件时请使用英语。", "邮件必须用英文写。"),
        ("灯塔每周检查一次。", "每周检查一次灯塔。"),
        ("배포는 매주 수요일에 한다.", "매주 수요일에 배포합니다."),
    ],
)
def test_another_wording_of_one_claim_is_still_joined(verdict, a, b):
    assert verdict(a, b).relation in MERGING
