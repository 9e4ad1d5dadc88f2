"""What turns a claim in a small word, in any of the languages: at least or at most, before or after, must or may, a week or a month.

A gloss drops most of these words and a lexicon takes them for faint ones, so neither a score nor the words that two statements
share tell such a pair apart. Two statements are kept apart where each tells another member of one family.
"""

# ruff: noqa: E501  tables read better one member a line

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from dreamd.judge.features import PairFeatures

LEAST_LETTERS = 4
"""Letters of a word that is no article."""
_NOT_MORE = re.compile(
    r"\b(?:nicht (?:mehr als|über|länger als)|no (?:más|mayor) de|no (?:more|longer|later) than|not (?:more|longer|over) than|pas plus de|não mais (?:de|do que)|non (?:più|oltre) (?:di|i|le)"
    r"|ne (?:doit|peut) pas dépasser|no (?:debe|puede) (?:superar|exceder)|não (?:deve|pode) (?:ultrapassar|exceder|passar)|non (?:deve|può) superare)\b|不超过|不多于"
)
_NOT_LESS = re.compile(
    r"\b(?:nicht (?:weniger als|unter)|no menos de|(?:no|not) (?:less|fewer) than|pas moins de|não menos de|non meno di)\b|不少于|不低于"
)
_N = r"(?= ?[$€£]?\d| (?:zwei|drei|vier|fünf|sechs|acht|zehn|zwölf|dos|tres|cuatro|cinco|diez|deux|trois|quatre|cinq|dix|dois|três|dez|due|tre|dieci|two|three|four|five|ten|twelve))"
_FAMILIES: dict[str, tuple[str, ...]] = {
    "bound": (
        rf"\b(?:at least|mindestens|wenigstens|al menos|como mínimo|por lo menos|au moins|au minimum|pelo menos|no mínimo|almeno|come minimo|minimum)\b|\b(?:over|above|more than|über|mehr als|más de|encima de|plus de|au-dessus de|mais de|acima de|più di|oltre|sopra i){_N}|至少|最少|以上|少なくとも|最低|이상|최소|적어도|초과",
        rf"\b(?:at most|up to|höchstens|maximal|como máximo|a lo sumo|au plus|au maximum|no máximo|al massimo|maximum|innerhalb|within)\b|\b(?:under|below|less than|fewer than|unter|weniger als|bis zu|menos de|debajo de|moins de|au-dessous de|abaixo de|até|meno di|sotto i){_N}|至多|最多|以下|以内|不到|最大で|未満|이하|최대|이내|미만",
    ),
    "order": (
        r"\b(?:before|prior to|until|vor|bevor|ehe|antes|avant|antes|prima)\b|之前|以前|前(?!台|端|面|往|后|年|缀|提)|전에|하기 전|先に|먼저|まで(?!も)",
        r"\b(?:after|afterwards|once|nach|nachdem|después|tras|après|depois|após|dopo)\b|之后|以后|之後|后(?!端|台|面|续|缀|勤)|後(?!ろ|輩)|한 뒤|후에|(?<=\w) 후(?= |$)",
    ),
    "side": (r"以内|之内|[天日时時月年周週]内|이내", r"以外|之外|[天日时時月年周週]外|이외"),
    "part of the day": (
        r"\b(?:in the morning|mornings?|morgens|vormittags?|am morgen|(?:de|por) la mañana|(?:du|le) matin|(?:da|de) manhã|pela manhã|(?:al|del) mattino|di mattina)\b|上午|早上|早晨|午前|朝(?!食)|오전|아침",
        r"\b(?:in the (?:afternoon|evening)|afternoons?|evenings?|abends|am abend|nachmittags?|am nachmittag|(?:de|por) la (?:tarde|noche)|(?:du|le) soir|(?:de )?l'après-midi|(?:da|à|de) (?:tarde|noite)|di sera|la sera|alla sera|(?:di|del|al) pomeriggio)\b|下午|午后|午後|晚上|夜里|夕方|오후|저녁",
    ),
    "demand": (
        r"\b(?:must|has to|have to|required|mandatory|muss|müssen|pflicht|debe|deben|obligatori[oa]s?|doit|doivent|il faut|obligatoires?|deve|devem|devono|tem de|têm de|tem que|obrigatóri[oa]s?|precisam?)\b|必须|务必|なければならない|必須|해야|(?:아|어|여|여야|아야|어야)야? 한다|어야 한|아야 한",
        r"\b(?:may|can|allowed|optional|darf|dürfen|kann|können|freiwillig|puede|pueden|opciona(?:l|les)|peut|peuvent|facultatif|pode|podem|opcional|può|possono|facoltativ[oa])\b|可以|允许|てもよい|てもいい|できる|수 있|해도 된|아도 된|어도 된",
    ),
    "how many": (
        r"\b(?:all|every|each|everyone|alle|allen|aller|jede[rmns]?|sämtliche|todos|todas|cada|tous|toutes|chaque|tutti|tutte|ogni)\b|所有|全部|全体|すべて|全て|全員|모든|모두|전부|전체",
        r"\b(?:some|several|certain|most|einige|manche|mehrere|die meisten|algun[oa]s|vari[oa]s|la mayoría|certains|certaines|quelques|plusieurs|la plupart|alguns|algumas|vári[oa]s|a maioria|alcuni|alcune|qualche|la maggior parte)\b|部分|有些|一些|大多|多数|一部|いくつか|ほとんど|일부|몇몇|대부분",
    ),
    "how often": (
        r"\b(?:always|immer|stets|siempre|toujours|sempre)\b|总是|始终|必ず|常に|いつも|항상|언제나|반드시",
        r"\b(?:sometimes|occasionally|rarely|seldom|manchmal|gelegentlich|selten|a veces|rara vez|de vez en cuando|parfois|rarement|às vezes|raramente|a volte|talvolta)\b|有时|偶尔|很少|時々|たまに|가끔|때때로|종종",
        r"\b(?:never|nie|niemals|nunca|jamás|jamais|mai)\b|从不|从来不|決して|절대",
    ),
    "reach": (
        r"\b(?:only|solely|exclusively|nur|ausschließlich|sólo|solo|solamente|únicamente|seulement|uniquement|só|somente|apenas|soltanto|solamente)\b|只|仅|だけ|のみ|뿐",
        r"\b(?:also|as well|too|auch|también|aussi|également|também|anche)\b|也(?!许)|もまた",
    ),
    "hand": (r"\b(?:left|links|linke[rns]?|izquierd[oa]|gauche|esquerd[oa]|sinistr[oa])\b|左|왼", r"\b(?:right|rechts|rechte[rns]?|derech[oa]|droite?|direit[oa]|destr[oa])\b|右|오른"),
    "leave": (r"允许|许可|許可|허용|허가", r"禁止|严禁|不许|금지"),
    "way": (r"上传|アップロード|업로드|\bupload", r"下载|ダウンロード|다운로드|\bdownload"),
    "door": (r"入口|进口|입구|输入|輸入|수입", r"出口|출구|输出|輸出|수출"),
    "rate": (
        r"\b(?:per minute|a minute|every minute|pro minute|por minuto|par minute|al minuto)\b|每分钟|毎分|매분|분당",
        r"\b(?:hourly|per hour|an hour|every hour|stündlich|pro stunde|jede stunde|(?:por|cada) hora|par heure|toutes les heures|all'ora|ogni ora)\b|每小时|毎時|매시간|시간당",
        r"\b(?:daily|nightly|per day|a day|(?:every|each) (?:day|night|morning|evening)|täglich\w*|pro tag|am tag|jeden? (?:tag|nacht|morgen|abend)|(?:al|por|cada) día|cada (?:noche|mañana)|diari[oa]s?|diariamente|par jour|chaque (?:jour|nuit|matin|soir)|tous les (?:jours|soirs|matins)|quotidien\w*|por dia|(?:cada|todo|todos os) dias?|diári[oa]s?|al giorno|ogni (?:giorno|notte|sera)|quotidian\w*)\b|每天|每日|每晚|毎日|毎晩|毎朝|매일",
        r"\b(?:weekly|per week|a week|(?:every|each) week|wöchentlich\w*|pro woche|in der woche|jede woche|(?:a la|por|cada) semana|semanal(?:es|mente)?|par semaine|chaque semaine|toutes les semaines|hebdomadaires?|toda semana|semanais|alla settimana|ogni settimana|settimanal\w*)\b|每周|每星期|毎週|매주",
        r"\b(?:monthly|per month|a month|(?:every|each) month|monatlich\w*|pro monat|im monat|jeden monat|(?:al|por|cada) mes|mensual(?:es|mente)?|par mois|chaque mois|tous les mois|mensuels?|mensuelles?|(?:por|cada|todo) mês|mensal|mensais|al mese|ogni mese|mensil\w*)\b|每月|每个月|毎月|매월|매달",
        r"\b(?:yearly|annual(?:ly)?|per year|a year|(?:every|each) year|jährlich\w*|pro jahr|im jahr(?! \d)|jedes jahr|(?:al|por|cada) año|anual(?:es|mente)?|par an|chaque année|tous les ans|annuels?|annuelles?|(?:por|cada|todo) ano|anuais|all'anno|ogni anno)\b|每年|毎年|매년",
    ),
}
_MEMBERS = {family: tuple(re.compile(member) for member in members) for family, members in _FAMILIES.items()}


def bearings_apart(pair: PairFeatures) -> Iterator[str]:
    """Families of small words of which each side has another member; what is English alone has guards of its own."""
    if pair.in_english:
        return
    mine, theirs = _told(pair.a.low), _told(pair.b.low)
    # "darf nicht" is "must not", and who alone may approve is who must
    lax = bool(pair.a.negations or pair.b.negations or pair.a.only or pair.b.only)
    for family in (f for f in _FAMILIES if f in mine and f in theirs):
        if mine[family] & theirs[family] or family == "demand" and lax or family == "order" and _told_from_other_end(pair):
            continue
        yield f"different {family}"


def _told_from_other_end(pair: PairFeatures) -> bool:
    """ "Before x comes y", "x comes after y": the word for it has changed together with its place, or with that of the two."""
    if not pair.same_script:
        return False
    left, right = ([s for s in slots.content if s in pair.shared and len(s) >= LEAST_LETTERS] for slots in (pair.a, pair.b))
    ahead = [bool(_ORDER.match(slots.low)) for slots in (pair.a, pair.b)]
    return len(left) > 1 and (ahead[0] != ahead[1]) != (left[0] != right[0] and len(right) > 1)


_ORDER = re.compile("|".join(_FAMILIES["order"]))


@lru_cache(maxsize=8192)
def _told(low: str) -> dict[str, frozenset[int]]:
    """Which members of each family a text has."""
    text = _NOT_LESS.sub(" at least ", _NOT_MORE.sub(" at most ", low))
    found = {}
    for family, members in _MEMBERS.items():
        told = frozenset(n for n, member in enumerate(members) if member.search(text))
        if told:
            found[family] = told
    return found
