"""How other languages tell of a change: what was before, what is now, who took over. Tables and nothing else.

`MARKERS` are the expressions that say so, `MOVED` what stands for "is" in such a sentence, `FORMER` where the value that
ended is named, `HOLDS` who looks after what, `USES` the verbs of a plain "we use x".
"""

# ruff: noqa: E501, SIM905  patterns read better whole

from __future__ import annotations

import re

_DE = (
    "verschoben|verlegt|umgezogen|verlängert|verkürzt|erhöht|gesenkt|angehoben|umgestellt|gewechselt|umgestiegen|migriert|geändert|"
    "übertragen|vorgezogen|vertagt|vorverlegt|ausgeweitet|aufgestockt|reduziert|gekürzt|verringert|herabgesetzt|heraufgesetzt|"
    "gestiegen|gesunken|gefallen|angewachsen|ausgelagert|umbenannt|umgebucht"
)
_DE_SWAP = "ersetzt|ausgetauscht|getauscht|abgelöst"
_ES = (
    r"(?:traslad|mud|cambi|pas|ampli|aument|prolong|acort|aplaz|adelant|retras|migr|elev|desplaz|renombr|reprogram|increment|recort|rebaj|baj|alarg)"
    r"(?:ad[oa]s?|ó|amos|aron)|(?:mov|reduc|extend|sub|transfer|dismin)(?:id[oa]s?|ió|ieron|imos)|redujo|pospuso|pospuest[oa]s?|disminuy(?:ó|eron)"
)
_FR = (
    r"(?:décal|avanc|report|repouss|déplac|migr|transfér|augment|relev|abaiss|prolong|allong|port|déménag|bascul|renomm|chang|pass|mont|bais|baiss|rallong|recul)ée?s?"
    r"|réduite?s?|raccourcie?s?|étendue?s?|ramenée?s?"
)
_PT = (
    r"(?:pass|mud|migr|alter|aument|adi|antecip|prolong|prorrog|encurt|eleva|elev|troc|desloc|baix|alarg)(?:ad[oa]s?|ou|amos|aram)"
    r"|(?:mov|reduz|transfer|estend|sub)(?:id[oa]s?|iu|iram|imos)"
)
_IT = (
    r"(?:spostat|trasferit|passat|aumentat|ridott|prolungat|estes|accorciat|rinviat|anticipat|posticipat|migrat|cambiat|innalzat|abbassat|salit|sces|rinominat)[oaie]"
)
_ARTICLE = r"(?:(?:los|las|el|la|le|les|l'|der|die|das|den|dem|os|as|o|a|il|lo|gli|i) )?"

MARKERS = {
    "de": (rf"(?:wurden?|ist|sind|haben|hat) .{{2,60}}?\b(?:{_DE}|{_DE_SWAP})\b",),
    "es": (
        rf"(?:ha|han|hemos|he) (?:sido )?(?:{_ES})\b",
        rf"(?:fue|fueron) (?:{_ES}) (?:al?|por|hasta)\b",
        r"se (?:movió|trasladó|mudó|amplió|redujo|aumentó|pospuso|aplazó|adelantó|retrasó|reemplazó|sustituyó|acortó|prolongó)\b",
        r"(?:cambiamos|sustituimos|reemplazamos|cambiaron|cambió) \w[\w -]{0,30}? por\b",
        r"cambiamos (?:del?|al?)\b",
        r"(?:hemos|ha|han) (?:sustituido|reemplazado|abandonado|dejado)\b",
    ),
    "fr": (
        rf"(?:a|ont|avons|est|sont|sommes|ai) (?:été )?(?:{_FR}) (?:d[eu]|d'|des|à|au|aux|vers|en|chez|par|pour)\b",
        rf"(?:a|ont) été (?:{_FR})\b",
        r"(?:avons|a|ont) (?:remplacé|abandonné|quitté|arrêté)\b",
    ),
    "pt": (
        rf"fo(?:i|ram) (?:{_PT}) (?:para|ao|aos|à|às|por)\b",
        rf"(?:{_PT})(?:-se)? (?:d[aeo]s? [\w .-]{{1,30}}? )?(?:para|pel[ao]s?)\b",
        r"troc(?:amos|ou|aram) [\w ]{1,30}? p(?:el[ao]s?|or)\b",
        r"substituímos\b",
        r"assumiu\b",
    ),
    "it": (
        rf"(?:è|sono|siamo) (?:stat[oaie] )?(?:{_IT}) (?:a|al|alla|alle|ai|agli|all'|da|dal|dalla|dai|in|su)\b",
        rf"è stat[oa] (?:{_IT})\b",
        r"non\b.{0,30}\bpiù\b",
        r"da oggi\b",
        r"d'ora in poi\b",
        r"adesso\b",
        r"invece di\b",
        r"ora (?:è|sono|si|chiude|apre|costa|viene|vengono|dura|parte|usiamo|inizia|comincia|abbiamo|lavora|abita|va)\b",
        r"abbiamo (?:sostituito|cambiato|abbandonato)\b",
    ),
}
CJK_MARKERS = tuple(
    (
        "移転し 延長され 短縮され 引き上げ 引き下げ 切り替え 乗り換え に変わ になりました に移し に移り 値上げ 値下げ "
        "늘어났 늘었 올랐 내렸 줄어들었 줄었 갈아탔 옮겨졌 "
        "涨到 降至 增至 调至 上调 下调 移交给 接手 转由 增加到 减少到 延长至 缩短至 提前至 推迟至"
    ).split()
)

CJK_FORMER = re.compile(r"从\s?[^，,。从]{1,16}?(?=(?:延长|缩短|提高|降低|换|改|迁|移|调整|升级|搬|增加|减少|推迟|提前|变|涨|降|切换|转)(?:移)?(?:到|成|为|至|由))|不再[^，,；。]{1,16}[，,；]\s?")
CJK_MOVED = (
    r"(?:延长|缩短|提高|降低|换|迁|迁移|移|搬|增加|减少|涨|降|增|调|上调|下调|切换|转移|推迟|提前)(?:到|成|至)了?|改(?:到|成|为|在|用)了?"
    r"|(?:으로|로) (?:이전|변경|전환|교체|인상|인하|연장|단축|이동)(?:했다|했습니다|되었다|됐다|되었습니다|됐습니다|한다)|(?:으로|로) (?:바뀌었|바꿨|옮겼|옮겨졌|늘어났|늘었|줄었|줄어들었|올랐|내렸)\S*"
    r"|(?:に|へ)(?:移転|変更|移行|延長|短縮|移動|切り替え|引き上げ|引き下げ)(?:し|され|に)?(?:なりました|なった|ました|た|ます|る)?"
)
UNTOLD = {
    "de": frozenset("um ins ans vom beim wurde wurden hat haben dass unser unsere unserem ihre ihr uhr befindet findet finden statt".split()),
    "es": frozenset("a ha han hemos fue fueron este esta nuestro nuestra del queda quedan".split()),
    "fr": frozenset("chez vers a ont été d l s ce cette notre nos du trouve trouvent lieu".split()),
    "pt": frozenset("à às ao aos pelo pela nosso nossa num numa fica ficam".split()),
    "it": frozenset("al alla alle ai agli ha nostro nostra sono dal dalla trova si".split()),
}
"""Small words that a claim is not compared by."""
KO_LINKS = frozenset("있 있습니 하 한 합니 하고 된 됩니 되 이".split())

MOVED = {
    "de": (
        re.compile(rf"\b(?:wurden?|wird|werden|ist|sind|hat sich|haben sich) (?:vom? .{{1,40}}? )?(?:auf|nach|in|ins|um|zu|zum|zur|an) {_ARTICLE}(.{{1,40}}?) (?:{_DE})\b", re.IGNORECASE),
        r" ist \1",
    ),
    "es": (
        re.compile(rf"\b(?:se )?(?:(?:ha|han|hemos|fue|fueron) )?(?:sido )?(?:{_ES}) (?:(?:del?|desde) .{{1,30}}? )?(?:al?|hasta|para) {_ARTICLE}", re.IGNORECASE),
        " es ",
    ),
    "fr": (
        re.compile(rf"\b(?:s'est |(?:a|ont|est|sont) )(?:été )?(?:{_FR}) (?:(?:de |du |des |d').{{1,30}}? )?(?:à|au|aux|vers|en|chez|pour) {_ARTICLE}", re.IGNORECASE),
        " est ",
    ),
    "pt": (
        re.compile(rf"\b(?:(?:foi|foram) )?(?:{_PT})(?:-se)? (?:d[aeo]s? .{{1,30}}? )?(?:para|ao|aos|à|às|a) {_ARTICLE}", re.IGNORECASE),
        " é ",
    ),
    "it": (
        re.compile(rf"\b(?:è|sono|siamo|si è) (?:stat[oaie] )?(?:{_IT}) (?:da[li]?l?[aeo]? .{{1,30}}? )?(?:a|al|alla|alle|ai|agli|all'|in|su) {_ARTICLE}", re.IGNORECASE),
        " è ",
    ),
}  # fmt: skip
"""What in a sentence of change stands where a plain claim has "is", the former value included."""

FORMER = {
    "de": (
        re.compile(r"\bvo[nm] (?:der |den |dem )?(.{2,30}?) (?:auf|zu|zum|zur|nach|in) .{2,40}?\b(?:" + _DE + r")\b"),
        re.compile(rf"\b(?:haben|hat|wurden?) (.{{2,30}}?) (?:durch|gegen) .{{2,40}}?\b(?:{_DE_SWAP})\b"),
    ),
    "es": (
        re.compile(r"\b(?:pas(?:ó|a|amos|aron|ado|ada)|cambi\w+|migr\w+|mud\w+|traslad\w+|sub\w+|baj\w+|ampli\w+|movi\w+) (?:\w+ ){0,4}?(?:del?|desde) (?:los |las |el |la )?(.{2,30}?) (?:al?|hasta) "),
        re.compile(r"\b(?:cambiamos|hemos cambiado|sustituimos|hemos sustituido|reemplazamos|hemos reemplazado) (?:el |la )?(.{2,30}?) por "),
        re.compile(r"\bya no (?:se )?\w+ (?:el |la |los |las )?(.{2,30}?),? (?:sino|ahora) "),
    ),
    "fr": (
        re.compile(r"\b(?:pass\w+|migr\w+|déplac\w+|déménag\w+|chang\w+|transfér\w+) (?:\w+ ){0,4}?(?:de |du |des |d')(?:la |le |l')?(.{2,30}?) (?:à|au|aux|vers|en) "),
        re.compile(r"\b(?:avons|a|ont) remplacé (?:le |la |l'|les )?(.{2,30}?) par "),
    ),
    "pt": (
        re.compile(r"\b(?:pass\w+|migr\w+|mud\w+|alter\w+|aument\w+|reduz\w+) (?:\w+ ){0,4}?(?:do|da|de|dos|das) (.{2,30}?) (?:para|ao|à|a) "),
        re.compile(r"\b(?:troc|substitu)\w+ (?:o |a |os |as )?(.{2,30}?) (?:pel[ao]s?|por) "),
        re.compile(r"\b(?:já não|não) (?:é|são|usamos|se usa) (.{2,30}?),? mas "),
    ),
    "it": (
        re.compile(r"\b(?:passat|spostat|trasferit|migrat|cambiat)[oaie] (?:da|dal|dalla|dallo|dai|dalle) (.{2,30}?) (?:a|al|alla|alle|ai|agli|su|in) "),
        re.compile(r"\babbiamo (?:sostituito|cambiato) (?:il |la |lo |l'|i )?(.{2,30}?) con "),
    ),
    "zh": (
        re.compile(r"从\s?(.{1,20}?)\s?(?:延长|缩短|提高|降低|换|改|迁移|迁|移|调整|升级|搬|增加|减少|推迟|提前|变|涨|降|切换|转)(?:到|成|为|至|由)了?"),
        re.compile(r"不再(?:使用|用|采用|在|是)?\s?(.{1,14}?)(?:发布|举行|进行)?[，,；;]\s?(?:改|换|而是|现在|转)"),
    ),
    "ko": (re.compile(r"([^\s]{1,20}?)에서 .{1,20}?(?:으로|로) (?:바뀌|바꿨|변경|옮|이전|늘|줄|이동|전환|교체|갈아|인상|인하)"),),
    "ja": (re.compile(r"([^はがをの、]{1,20}?)から.{1,20}?(?:に|へ)(?:移|変|なっ|なり|変更|切り替|延長|短縮|引き上げ|引き下げ|乗り換)"),),
    "ru": (re.compile(r"\bс (.{2,30}?) (?:на|в|до) "),),
}  # fmt: skip
"""The value that ended, as the new statement names it."""

HOLDS = {
    "de": (
        re.compile(r"^für (?P<what>.{2,50}?) (?:ist|sind) (?:jetzt |nun |ab sofort |seit \w+ )?(?P<who>.{2,30}?) (?:zuständig|verantwortlich)$"),
        re.compile(r"^(?P<who>.{2,30}?) (?:ist|sind) (?:jetzt |nun |ab sofort )?für (?P<what>.{2,50}?) (?:zuständig|verantwortlich)$"),
        re.compile(r"^(?P<who>.{2,30}?) (?:leitet|betreut|übernimmt) (?:jetzt |nun |ab sofort )?(?P<what>.{2,50}?)$"),
        re.compile(r"^(?P<what>.{2,50}?) (?:leitet|betreut|übernimmt|hat) (?:jetzt|nun|ab sofort) (?P<who>.{2,30}?)(?: übernommen)?$"),
    ),
    "es": (
        re.compile(r"^(?P<what>.{2,50}?) (?:la|lo|las|los) (?:lleva|gestiona|coordina|dirige) (?:ahora )?(?P<who>.{2,30}?)$"),
        re.compile(r"^de (?P<what>.{2,50}?) se (?:encarga|ocupa) (?:ahora )?(?P<who>.{2,30}?)$"),
        re.compile(r"^(?P<who>.{2,30}?) (?:ahora )?(?:se (?:encarga|ocupa) (?:ahora )?del?|lleva|gestiona|coordina|dirige) (?:ahora )?(?P<what>.{2,50}?)$"),
    ),
    "fr": (
        re.compile(r"^c'est (?:maintenant |désormais )?(?P<who>.{2,30}?) qui (?:s'occupe|est responsable|est chargée?) (?:maintenant |désormais )?(?:de |du |des |d')(?P<what>.{2,50}?)$"),
        re.compile(r"^(?P<who>.{2,30}?) (?:s'occupe|est (?:maintenant |désormais )?(?:responsable|chargée?)) (?:maintenant |désormais )?(?:de |du |des |d')(?P<what>.{2,50}?)$"),
    ),
    "pt": (
        re.compile(r"^quem (?:cuida|trata) (?:agora )?d[aeo]s? (?P<what>.{2,50}?) (?:agora )?é (?:agora )?(?P<who>.{2,30}?)$"),
        re.compile(r"^(?P<who>.{2,30}?) (?:agora )?(?:cuida|trata) (?:agora )?d[aeo]s? (?P<what>.{2,50}?)$"),
        re.compile(r"^(?P<who>.{2,30}?) (?:agora )?é (?:agora )?(?:o |a )?responsável (?:por|pel[ao]s?) (?P<what>.{2,50}?)$"),
    ),
    "zh": (
        re.compile(r"^(?P<what>.{2,20}?)(?:现在|现|目前|改|已|已经|以后|转)?由(?P<who>.{1,8}?)(?:负责|接手|管理|主持)(?:了)?$"),
        re.compile(r"^(?:现在|目前)?(?P<who>.{1,8}?)(?:现在)?(?:负责|管理|主持|接手)(?:了)?(?P<what>.{2,20}?)$"),
    ),
    "ko": (
        re.compile(r"^(?P<what>.{2,20}?)[은는] (?:이제 |앞으로 |지금은 )?(?P<who>\S{1,8}?)[이가] (?:담당|맡|관리|책임)\S*$"),
        re.compile(r"^(?P<who>\S{1,8}?)[은는이가] (?:이제 |앞으로 )?(?P<what>.{2,20}?)[을를] (?:담당|맡|관리|책임)\S*$"),
    ),
    "ja": (
        re.compile(r"^(?P<what>.{2,20}?)は(?:今は|今後は|現在は?|これからは?)?、?(?P<who>.{1,8}?)(?:さん)?が担当(?:して|し|する|です).*$"),
        re.compile(r"^(?:今は|今後は|現在は?)?、?(?P<who>.{1,8}?)(?:さん)?[はが](?P<what>.{2,20}?)を担当(?:して|し|する).*$"),
    ),
    "it": (
        re.compile(r"^(?:ora |adesso )?(?P<who>.{2,30}?) (?:ora |adesso )?si occupa (?:ora |adesso )?(?:di |del |della |dei |delle |degli |dell')(?P<what>.{2,50}?)$"),
        re.compile(r"^(?:di |del |della |dei |delle )(?P<what>.{2,50}?) (?:ora |adesso )si occupa (?P<who>.{2,30}?)$"),
    ),
}  # fmt: skip
"""Who looks after what, in a sentence without its stop."""

LEAVING = frozenset(
    (
        "von vom durch gegen de del des du d desde do da dos das dal dalla da passés passé passée passé migré cambiado pasado migrado mudado passado "
        "passati passata remplacé ersetzt sustituido reemplazado sostituito cambiato el la le il o a os as les 从 不再 用 使用 se"
    ).split()
)
"""Words of leaving itself, which name no thing."""
USES = re.compile(
    r"\b(?:nutzen|verwenden|benutzen|usamos|utilizamos|utilisons|employons|usiamo|utilizziamo)\b|使用|采用|我们用|在用|[을를] (?:사용|쓴|씁|이용|쓰고)|を(?:使|利用)",
    re.IGNORECASE,
)
