"""Word tables of the judge: negators, quantifiers, conditions, change markers, qualifiers, opposites.

Tables and nothing else. A word stands here because of what it does to a claim in any field of work, never because
one example contained it. Unless a table says otherwise its entries are lower-case surfaces.
"""

# ruff: noqa: E501, SIM905  tables read better as runs of words, one family a line

from __future__ import annotations

STOP = frozenset(
    "a an the of to in on at by for from with as is are be been being was were am do does did doing done has have had having it its they them "
    "their theirs this that these those there here we us our ours you your yours i me my mine he she his her him and or but so than then also "
    "too very just will would shall can could may might must should ought need needs needed get gets got into onto over per via about which who "
    "whom whose what where why how because since while such own other another out up off down again still yet even please let lets make sure "
    "always have-to supposed able only if when unless until any all each every some no not none never nobody nothing neither nor both either "
    "much many more most less least few after before during both-of one ones thing things way "
    "now currently seem seems seemed appear appears apparently probably please currently "
    "that's it's we're they're i'm you're he's she's there's i'll we'll you'll they'll it'll don't doesn't isn't aren't won't can't cannot must-be kindly".split()
)

NEGATORS = frozenset(
    "not no never none nobody nothing neither nor nowhere cannot can't don't doesn't didn't isn't aren't wasn't weren't won't mustn't shouldn't "
    "mayn't hasn't haven't without forbidden prohibited banned disallowed avoid avoids avoided lacks lacking disabled "
    "off-limits taboo dont doesnt isnt arent wont cant mustnt shouldnt couldn't wouldn't forbid forbids prevent prevents "
    "nicht nie niemals kein keine keinen keiner keinem keines weder nirgends ohne verboten untersagt nichts niemand "
    "nunca jamás ningún ninguna ninguno tampoco sin nada nadie prohibido prohibida prohibidos prohibidas "
    "ne pas jamais aucun aucune sans rien interdit interdite interdits interdites personne "
    "non nessun nessuno nessuna niente nulla senza vietato vietata vietati vietate "
    "не нет ни никогда нельзя без запрещено "
    "não nem nenhum nenhuma sem ninguém proibido proibida proibidos proibidas".split()
)
NEGATORS_CJK = ("不得", "不要", "不能", "不可", "不会", "不再", "不用", "不是", "不接受", "不允许", "不", "没有", "没", "无需", "无", "禁止", "勿", "别",
                "않", "없", "아니", "안 ", "못", "금지", "말 것", "지 마", "말고", "마라", "마세요", "ない", "ません", "禁止", "ず")
NOT_NEGATING = ("not only", "not even", "no more than", "no less than", "not more than", "not less than", "no later than", "not later than",
                "no fewer than", "no matter", "not until", "no longer than", "nothing but", "none other", "no earlier than",
                "nicht nur", "no solo", "no sólo", "non seulement", "não só", "nicht mehr als", "no más de", "pas plus de", "não mais de")
CONDITIONS = frozenset(
    "if when unless except provided providing whenever until till while assuming otherwise excluding besides "
    "wenn falls außer sofern solange bis sobald es-sei-denn "
    "si cuando salvo excepto mientras hasta "
    "quand sauf tant lorsque jusqu'à "
    "se quando exceto salvo enquanto até a-menos".split()
)
HARD_CONDITIONS = frozenset("if unless except provided excluding wenn falls außer sofern si salvo excepto sauf se exceto".split())
CONDITIONS_CJK = ("如果", "除非", "除了", "若", "的话", "只有", "直到", "면 ", "경우", "때만", "제외", "もし", "場合", "以外")
QUANTIFIERS = {
    "all": frozenset("all every each everyone everybody everything any anyone always whole entire invariably jede jeder jedes jeden alle allen "
                     "immer sämtliche todo todos toda todas cada siempre tout tous toute toutes chaque toujours sempre".split()),
    "some": frozenset("some half few several sometimes occasionally partly einige manche manchmal algunos algunas veces certains "
                      "quelques parfois alguns algumas às-vezes minority".split()),
    "most": frozenset("most mostly usually mainly generally typically majority meist meistens mayoría plupart maioria largely often rarely seldom".split()),
    "none": frozenset("none no nobody nothing never neither kein keine keinen nie niemand ningún ninguna nunca aucun aucune jamais nenhum "
                      "nenhuma nunca".split()),
}
MODAL = {
    "must": frozenset("must shall have-to required requires mandatory always never needs need muss müssen debe deben doit doivent deve devem".split()),
    "should": frozenset("should ought recommended prefer preferred prefers sollte sollten debería devrait deveria".split()),
    "may": frozenset("may can could might optional optionally allowed permitted darf dürfen kann können puede pueden peut peuvent pode podem".split()),
}

# Change markers: an expression that itself says the claim took the place of another.
CHANGE = (
    r"\bno longer\b", r"\bnot\b[^.;]{0,40}\bany ?more\b", r"\bany longer\b", r"\b(?:took|takes|taken) the place of\b", r"\b(?:contrary to|unlike) (?:the |our )?(?:earlier|previous|original|old|first|initial) \w+", r"\b(?:starting|beginning|effective) (?:\d|january|february|march|april|may|june|july|august|september|october|november|december|monday|tuesday|wednesday|thursday|friday)", r"\bany ?more\b", r"\banymore\b", r"\bas of\b", r"\beffective\b", r"\bfrom (?:today|tomorrow|next \w+) on(?:wards?)?\b", r"\bfrom now on\b", r"\bfrom .{1,30} on(?:wards?)?[,.]",
    r"\b(?:minutes?|hours?|days?|weeks?|months?|years?) (?:earlier|later|sooner)(?: than (?:planned|before|usual|announced|expected|last year))?,",
    r"\bsince (?:the )?(?:last|spring|summer|autumn|fall|winter|january|february|march|april|may|june|july|august|september|october|november|december|"
    r"monday|tuesday|wednesday|thursday|friday|saturday|sunday|yesterday|this|release|version|v?\d)",
    r"\binstead of\b", r"\binstead\b[.;,]?", r"\bused to\b", r"\bformerly\b", r"\bpreviously\b", r"\buntil now\b", r"\bup to now\b", r"\bso far\b", r"\bafter all\b", r"\bnow\b",
    r"\bnowadays\b", r"\bmeanwhile\b", r"\b(?:was|were|been|got|is|are|gets?|has been|have been) (?:\w+ly )?(?:moved|migrated|switched|replaced|swapped|bumped|raised|"
    r"lowered|increased|reduced|cut|upgraded|downgraded|updated|changed|renamed|postponed|delayed|extended|shortened|brought forward|pushed|"
    r"dropped|removed|deleted|retired|abolished|withdrawn|cancelled|canceled|discontinued|shut down|switched off|turned off|taken out|decommissioned|"
    r"deprecated|lifted|revoked|scrapped|reversed|overturned|handed over|transferred|reassigned|rescheduled|relocated|phased out|superseded|"
    r"finished|fixed|repaired|resolved|over|unfrozen|reopened|merged into|converted|ported|rewritten|repainted|rebuilt|doubled|halved|tripled|axed|pulled|"
    r"suspended|unblocked|closed down|sunset|dissolved|ended|stopped)\b",
    r"\b(?:moved|migrated|switched|shifted|swapped|changed|went|passed|grew|rose|fell|dropped|jumped|slipped|bumped|raised|lowered|upgraded|"
    r"transferred|handed|promoted|ported|converted|relocated|increased|decreased|reduced|extended|rolled) "
    r"(?:[\w'-]+ ){0,9}?(?:from|off|over to|out of|to|into|onto|back to|up to|down to|away from)\b",
    r"\b(?:we|they|the team|i)(?:'ve| have)? (?:just )?(?:moved|migrated|switched|replaced|swapped|dropped|left|abandoned|gave up|took|retired|changed|bumped|upgraded|"
    r"stopped|removed|decided against|ended|quit|ditched|cancelled|canceled|renamed|reverted|rolled back)\b",
    r"\b(?:replaces|replaced|supersedes|superseded|took over|takes over|taken over|has taken over|gave way|gives way|give way|made way|make way)\b",
    r"\bbumped\b", r"\braised to\b", r"\blowered to\b", r"\bup(?:graded)? from\b", r"\bdown from\b", r"\brenamed\b", r"\bpostponed\b", r"\bbrought forward\b",
    r"\brescheduled\b", r"\bpushed (?:back|to)\b", r"\bmoved to\b", r"\boff the table\b", r"\bis off\b(?!-)", r"\bare off\b(?!-)", r"\bis over\b", r"\bare open again\b", r"\b(?:is|are|works?|runs?|takes?|allowed|sent|safe|open|fine|harmless|back)\b[^.;]{0,25}\bagain\b",
    r"\bback (?:on|in use|to)\b", r"\bhas left\b", r"\bleft (?:our|the|for)\b", r"\boff the plan\b", r"\b(?:new|latest|current) (?:limit|value|version|owner|deadline|date|rule|default|price|"
    r"number|address|name|lead|season|budget|target|threshold)\b", r"\bscrapped\b", r"\brevoked\b", r"\bwithdrawn\b", r"\babolished\b", r"\bdiscontinued\b", r"\bshut down\b",
    r"\bturned off\b", r"\bswitched off\b", r"\bswitched to\b", r"\bhas (?:been )?(?:fixed|finished|ended|branched|landed|expired)\b", r"\bhave (?:been )?(?:fixed|finished|ended)\b",
    r"\bfrom next (?:week|month|year|quarter|season|term|sprint|\w+day)\b", r"\b(?:moved|slipped|shifted|changed|postponed)(?: again| too)?[,;:]", r"\bput off (?:to|until|till)\b", r"\b(?:is|are) (?:down|back|up) to (?=[$€£]?\d)",
    r"\bgot its? new\b", r"\bout of use\b", r"\bgone\b", r"\bstarting (?:with|from|in|on|next)\b", r"\bbeginning (?:with|on|in)\b", r"\bwrong:", r"\bcorrection:", r"\bupdate:", r"\bchanged:",
    r"\bactually\b", r"\bscratch that\b", r"\bforget (?:what|the|about)\b", r"\brather than\b.{0,40}\bas before\b", r"\bas before\b", r"\breversed\b", r"\boverruled\b", r"\b(?:was|were|been) (?:thrown out|taken down|taken off|handed on|bought out)\b", r"\b(?:handed|passed) (?:it|this|that|them) (?:over|on)\b", r"\bg(?:ave|iven) (?:it|this|that|them) up\b", r"\b(?:given|carried|brought|passed|handed) (?:over |on )?from\b", r"\b(?:brought|carried|taken|pulled|lifted) (?:over |out )?(?:of|from|off) (?:[\w'-]+ ){1,4}?(?:to|into|onto)\b", r"\ba thing of the past\b", r"\b(?:follows|followed|succeeds|succeeded) (?:mr|mrs|ms|dr)?\.? ?\w+(?: \w+)? as\b", r"\bstepped down\b", r"\bresigned\b", r"\bthrew out\b", r"\bthese days\b", r"\bsince then\b", r"\bhenceforth\b", r"\bdecision was\b", r"\bchanged (?:his|her|their|its|our) mind\b",
    # German, Spanish, French, Portuguese
    r"\bnicht mehr\b", r"\bkeine?n? mehr\b", r"\bab sofort\b", r"\bab (?:dem )?\d", r"\bseit (?:dem |der )?(?:\d|jan|feb|mär|apr|mai|jun|jul|aug|sep|okt|nov|dez|früh|somm|herb|wint|version)", r"\bstatt(?:dessen)?\b", r"\bneuerdings\b", r"\bjetzt\b", r"\bnun\b", r"\bnunmehr\b", r"\bersetzt\b", r"\babgelöst\b", r"\bumgestellt\b", r"\bgewechselt\b",
    r"\bumgestiegen\b", r"\bverschoben\b", r"\bumgezogen\b", r"\bverlegt\b", r"\bgeändert\b", r"\berhöht\b", r"\bgesenkt\b", r"\babgeschafft\b", r"\bfrüher\b", r"\bbisher\b", r"\bdoch\b", r"\bwieder\b", r"\bübernimmt\b", r"\bübernommen\b", r"\bangehoben\b", r"\baufgehoben\b", r"\beingestellt\b", r"\babgeschaltet\b", r"\bmigriert\b", r"\bverlängert\b", r"\bverkürzt\b",
    r"\bya no\b", r"\ben lugar de\b", r"\ben vez de\b", r"\bahora\b", r"\ba partir de\b(?! las? (?:\d|(?:una|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce)\b))", r"\bdesde (?:el|la|\d|enero|febrero|marzo|abril|mayo|junio|julio|agosto|sept|octubre|nov|dic|hace)", r"\bpasó a\b", r"\bpasa a\b", r"\bpasaron a\b", r"\bse cambió\b", r"\bcambiad[oa]s?\b", r"\breemplaz\w+", r"\bsustitu\w+", r"\bmigr(?:ado|ó|amos|ada)\b", r"\baplaz\w+", r"\bpospu\w+",
    r"\btraslad\w+", r"\bpas(?:ó|amos|aron) de\b", r"\bse ha movido\b", r"\bse mudó\b", r"\bcambi(?:ó|aron)\b", r"\bse subió\b", r"\bha subido\b", r"\bha pasado\b", r"\bse amplió\b", r"\bdej(?:ó|amos|aron) de\b", r"\bse eliminó\b", r"\bse retiró\b",
    r"\b(?:ne\b|n').{0,30}\bplus\b(?! (?:de |que |d')?\d)", r"\bau lieu d", r"\bdésormais\b", r"\bmaintenant\b", r"\bà partir d(?!e \d{1,2} ?h)", r"\bdepuis\b", r"\bremplac\w+", r"\bsommes passés\b", r"\bdéménagé\w*", r"\btransféré\w*", r"\bpassée?s?\b.{0,20}\bà\b", r"\breporté\w*", r"\bdéplacé\w*", r"\bmigré\w*", r"\bsupprimé\w*", r"\babandonné\w*",
    r"\bnão\b.{0,25}\bmais\b", r"\bjá não\b", r"\bem vez d", r"\bagora\b", r"\ba partir d(?!as? \d{1,2}|e las? )", r"\bpassou\b", r"\bpassaram\b", r"\bsubstitu\w+", r"\btrocad\w+", r"\badiad\w+", r"\bmudou\b", r"\bmudaram\b", r"\bmigr(?:ado|ada|ou|amos|aram)\b", r"\bdeix(?:ou|aram|amos) de\b", r"\bfoi (?:movid|alterad|aumentad|reduzid)\w+",
    r"\bтеперь\b", r"\bбольше не\b", r"\bвместо\b", r"\bотныне\b", r"\bуже не\b", r"\bперен[её]с\w+", r"\bзамен\w+",
    # Chinese, Japanese, Korean
    r"不再", r"换到", r"延长到", r"缩短到", r"搬到", r"移到", r"改为", r"改为", r"改到", r"改成", r"改由", r"改用", r"已改", r"现在", r"从.{1,12}起", r"自.{1,12}起", r"取代", r"替换", r"换成", r"迁移到", r"迁到", r"升级到", r"升级为", r"推迟", r"延期", r"提前到", r"取消", r"移交", r"已停", r"停用", r"调整为", r"提高到", r"降到", r"降低到", r"更新为", r"变更为", r"恢复", r"以前", r"原来", r"转到", r"转由", r"已经",
    r"더 이상", r"이제", r"부터", r"바뀌", r"바꿨", r"변경(?=되|됐|돼|됨|했|하였|하기로)", r"대신", r"교체", r"이전했", r"옮겼", r"옮겨(?:졌|갔|왔|간)", r"전환", r"연기", r"미뤄", r"늘렸", r"줄였", r"올렸", r"낮췄", r"폐지", r"중단", r"취소", r"넘어갔", r"맡게", r"업그레이드", r"예전", r"앞당",
    r"もう.{0,15}ない", r"今は", r"変更", r"から.{1,10}に(?:なった|変)", r"移行", r"廃止", r"延期", r"代わり",
)

# Qualifiers: closed families whose members exclude one another as the place or part that a claim is about.
QUALIFIERS = {
    "environment": {"staging": "staging", "stage": "staging", "preprod": "staging", "pre-production": "staging", "production": "production", "prod": "production", "live": "production", "prd": "production",
                    "development": "dev", "dev": "dev", "testing": "test", "test": "test", "tests": "test", "qa": "test", "uat": "test", "sandbox": "sandbox", "demo": "demo", "pilot": "pilot", "canary": "canary",
                    "local": "local", "locally": "local", "ci": "ci", "simulation": "sim", "simulator": "sim", "simulated": "sim", "nightly": "nightly", "preview": "preview", "beta": "beta", "alpha": "alpha", "real": "real", "training": "training",
                    "produktion": "production", "produktiv": "production", "testumgebung": "test", "producción": "production", "pruebas": "test", "produção": "production", "testes": "test", "recette": "test",
                    "生产": "production", "生产环境": "production", "测试": "test", "测试环境": "test", "预发": "staging", "예발": "staging", "운영": "production", "스테이징": "staging", "테스트": "test", "개발": "dev"},
    "platform": {"windows": "windows", "linux": "linux", "macos": "mac", "mac": "mac", "osx": "mac", "android": "android", "ios": "ios", "ipad": "ipad", "iphone": "iphone", "arm": "arm", "arm64": "arm", "aarch64": "arm", "x86": "x86", "x86-64": "x86",
                 "x86_64": "x86", "amd64": "x86", "riscv64": "riscv", "chrome": "chrome", "firefox": "firefox", "safari": "safari", "edge": "edge", "desktop": "desktop", "mobile": "mobile", "tablet": "tablet", "tablets": "tablet", "phone": "mobile", "phones": "mobile",
                 "cpu": "cpu", "gpu": "gpu", "lambda": "lambda", "ecs": "ecs", "debian": "debian", "ubuntu": "ubuntu", "alpine": "alpine", "fedora": "fedora"},
    "weekday": {"monday": "mon", "mondays": "mon", "tuesday": "tue", "tuesdays": "tue", "wednesday": "wed", "wednesdays": "wed", "thursday": "thu", "thursdays": "thu", "friday": "fri", "fridays": "fri", "saturday": "sat",
                "saturdays": "sat", "sunday": "sun", "sundays": "sun", "montag": "mon", "montags": "mon", "dienstag": "tue", "dienstags": "tue", "mittwoch": "wed", "mittwochs": "wed", "donnerstag": "thu", "donnerstags": "thu",
                "freitag": "fri", "freitags": "fri", "samstag": "sat", "samstags": "sat", "sonntag": "sun", "sonntags": "sun", "lunes": "mon", "martes": "tue", "miércoles": "wed", "jueves": "thu", "viernes": "fri", "sábado": "sat",
                "domingo": "sun", "lundi": "mon", "mardi": "tue", "mercredi": "wed", "jeudi": "thu", "vendredi": "fri", "samedi": "sat", "dimanche": "sun", "segunda-feira": "mon", "terça-feira": "tue", "quarta-feira": "wed",
                "quinta-feira": "thu", "sexta-feira": "fri", "segunda": "mon", "terça": "tue", "quinta": "thu", "sexta": "fri",
                "lunedì": "mon", "martedì": "tue", "mercoledì": "wed", "giovedì": "thu", "venerdì": "fri", "sabato": "sat", "domenica": "sun",
                "segundas-feiras": "mon", "terças-feiras": "tue", "quartas-feiras": "wed", "quintas-feiras": "thu", "sextas-feiras": "fri", "sábados": "sat", "domingos": "sun", "segundas": "mon", "terças": "tue", "quartas": "wed", "quintas": "thu", "sextas": "fri",
                "周一": "mon", "周二": "tue", "周三": "wed", "周四": "thu", "周五": "fri", "周六": "sat", "周日": "sun", "星期一": "mon", "星期二": "tue", "星期三": "wed", "星期四": "thu", "星期五": "fri", "星期六": "sat", "星期日": "sun", "星期天": "sun",
                "월요일": "mon", "화요일": "tue", "수요일": "wed", "목요일": "thu", "금요일": "fri", "토요일": "sat", "일요일": "sun",
                "月曜": "mon", "火曜": "tue", "水曜": "wed", "木曜": "thu", "金曜": "fri", "土曜": "sat", "日曜": "sun"},
    "season": {"spring": "spring", "summer": "summer", "autumn": "autumn", "fall": "autumn", "winter": "winter", "frühjahr": "spring", "sommer": "summer", "herbst": "autumn", "primavera": "spring", "verano": "summer",
               "otoño": "autumn", "invierno": "winter", "été": "summer", "hiver": "winter", "automne": "autumn"},
    "month": {"january": "01", "february": "02", "march": "03", "april": "04", "may-month": "05", "june": "06", "july": "07", "august": "08", "september": "09", "october": "10", "november": "11", "december": "12",
              "januar": "01", "februar": "02", "märz": "03", "mai": "05", "juni": "06", "juli": "07", "oktober": "10", "dezember": "12", "enero": "01", "febrero": "02", "marzo": "03", "abril": "04", "mayo": "05", "junio": "06", "julio": "07",
              "agosto": "08", "septiembre": "09", "octubre": "10", "noviembre": "11", "diciembre": "12", "janvier": "01", "février": "02", "mars": "03", "avril": "04", "juin": "06", "juillet": "07", "août": "08", "septembre": "09",
              "octobre": "10", "novembre": "11", "décembre": "12", "janeiro": "01", "fevereiro": "02", "março": "03", "maio": "05", "junho": "06", "julho": "07", "setembro": "09", "outubro": "10", "novembro": "11", "dezembro": "12"},
    "direction": {"inbound": "in", "incoming": "in", "outbound": "out", "outgoing": "out", "upstream": "up", "downstream": "down", "upload": "up", "uploads": "up", "download": "down", "downloads": "down"},
    "side": {"left": "left", "right": "right", "left-hand": "left", "right-hand": "right", "north": "north", "south": "south", "east": "east", "west": "west", "northern": "north", "southern": "south", "eastern": "east", "western": "west", "upper": "top", "lower": "bottom", "front": "front", "rear": "rear", "top": "top", "bottom": "bottom"},
    "reach": {"public": "public", "private": "private", "internal": "internal", "external": "external", "global": "global"},
    "age": {"old": "old", "older": "old", "legacy": "old", "new": "new", "newer": "new", "existing": "existing"},
    "tier": {"primary": "primary", "secondary": "secondary", "replica": "secondary", "standby": "secondary", "backend": "backend", "back-end": "backend", "frontend": "frontend", "front-end": "frontend", "client": "client", "server": "server", "clients": "client", "servers": "server"},
    "shift": {"morning": "morning", "evening": "evening", "night": "night", "noon": "noon", "midnight": "midnight", "day": "day", "nights": "night", "weekday": "weekday", "weekdays": "weekday", "weekend": "weekend", "weekends": "weekend"},
    "colour": {"red": "red", "white": "white", "black": "black", "blue": "blue", "green": "green", "yellow": "yellow", "grey": "grey", "gray": "grey", "orange": "orange", "purple": "purple", "pink": "pink", "brown": "brown", "teal": "teal", "amber": "amber",
               "navy": "navy", "olive": "olive", "silver": "silver", "gold": "gold", "violet": "violet"},
    "part": {"horizontal": "horizontal", "vertical": "vertical", "analogue": "analogue", "analog": "analogue", "digital": "digital", "manual": "manual", "automatic": "automatic", "input": "input", "output": "output", "source": "source", "target": "target",
             "male": "male", "female": "female", "adult": "adult", "child": "child", "domestic": "domestic", "international": "international", "wholesale": "wholesale", "retail": "retail", "paper": "paper", "indoor": "indoor", "outdoor": "outdoor"},
}

IRREGULAR = {form: base for base, forms in (row.split(":") for row in (
    "archive:archives,archived,archiving|arrive:arrives,arrived,arriving,arrival,arrivals|receive:receives,received,receiving|derive:derives,derived,deriving|survive:survives,survived,surviving|be:was,were,been|note:notes,noted,noting|agree:agreed,agrees|go:went,gone,goes,going|do:did,done,does,doing|have:had,has,having|make:made,making,makes|run:ran,running,runs|write:wrote,written,writes,writing|read:reads,reading|send:sent,sends|"
    "keep:kept,keeps|hold:held,holds|build:built,builds,building,rebuilt|sell:sold|tell:told|find:found|give:gave,given,gives|take:took,taken,takes,taking|"
    "come:came,comes,coming|become:became|see:saw,seen,sees|know:knew,known|show:showed,shown,shows|grow:grew,grown|draw:drew,drawn,draws|drive:drove,driven,drives,driving|"
    "ride:rode,ridden|rise:rose,risen|choose:chose,chosen|freeze:froze,frozen|break:broke,broken|speak:spoke,spoken|wake:woke,woken|get:got,gotten|forget:forgot,forgotten|hide:hid,hidden|"
    "pay:paid,pays|say:said,says|lay:laid|lead:led,leads|feed:fed,feeds|meet:met,meets|leave:left,leaves,leaving|lose:lost,losing|mean:meant|spend:spent|lend:lent|bend:bent|think:thought|bring:brought|"
    "catch:caught|teach:taught|stand:stood|understand:understood|win:won|shoot:shot|sit:sat|sweep:swept|sleep:slept|feel:felt|deal:dealt|dig:dug|hang:hung|ring:rang,rung|seek:sought|shake:shook,shaken|steal:stole,stolen|stick:stuck|strike:struck|swing:swung|bind:bound|light:lit|eat:ate,eaten|fall:fell,fallen|fly:flew,flown|throw:threw,thrown|wear:wore,worn|tear:tore,torn|swim:swam|"
    "cut:cuts,cutting|put:puts,putting|set:sets,setting|shut:shuts|hit:hits|let:lets|split:splits,splitting|use:used,uses,using,usage|stop:stopped,stopping,stops|ship:shipped,shipping,ships|store:stored,stores,storing,storage|"
    "person:people,persons,ppl|man:men|woman:women|shelf:shelves|half:halves|knife:knives|loaf:loaves|calf:calves|wolf:wolves|roof:roofs|child:children|foot:feet|mouse:mice|index:indices,indexes|vertex:vertices|datum:data|medium:media|schedule:schedules,scheduled|"
    "delivery:deliveries,deliver,delivers,delivered,delivering|approve:approval,approvals,approved,approves,approving|approval:approval|decide:decision,decisions,decided,decides|encode:encoding,encoded,encodes|"
    "review:reviewer,reviewers,reviewed,reviews,reviewing|replace:replacement,replaced,replaces|remove:removal,removed,removes|measure:measurement,measured,measures|require:requirement,requirements,required,requires|"
    "deploy:deployment,deployments,deployed,deploys,deploying|install:installation,installed,installs|migrate:migration,migrated,migrates|release:released,releases,releasing|"
    "bill:billing,billed|cache:cached,caches,caching|log:logs,logged,logging|tag:tags,tagged,tagging|plan:plans,planned,planning|ban:banned,bans|map:maps,mapped,mapping|"
    "calculate:calculation|back-up:backup,backups|backup:backups|analyse:analysis,analyses,analysed,analyze,analyzed|lens:lenses|bus:buses|process:processes,processed|access:accesses|address:addresses,addressed|class:classes|"
    "colour:color,colors,colours|centre:center|metre:meter,meters,metres|litre:liter,liters,litres|licence:license,licenses,licences|behaviour:behavior|programme:program,programs|grey:gray|catalogue:catalog|organise:organize,organization,organisation|"
    "start:started,starts,starting,begin,begins,began,begun,beginning,commence,commences,commenced|delete:deleted,deletes,deleting,deletion,erase,erased,erases,purge,purged,purges|fetch:fetched,fetches,fetching,retrieve,retrieved,retrieves,retrieval|forbid:forbidden,forbids,prohibited,prohibits,prohibit|buy:buys,buying,bought,purchase,purchased,purchases|assist:assists,assisted,assistance|mandatory:compulsory,obligatory|whole:entire|large:big|fast:quick|"
    "repo:repository,repositories,repos|database:db,databases,dbs|config:configuration,configurations,configs,cfg|directory:dir,directories,dirs,folder,folders|environment:env,envs,environments|application:app,apps,applications|"
    "documentation:docs,doc|picture:image,images,pictures,photo,photos|maximum:max|minimum:min|message:msg,msgs,messages|number:no.,nr,numbers|administrator:admin,admins,administrators|"
    "information:info|namespace:ns,namespaces|password:pwd,passwd,passwords|operation:ops,operations|authentication:auth,authn|authorization:authz|dependency:deps,dep,dependencies|argument:arg,args,arguments|reference:ref,refs,references|variable:var,vars,variables|package:pkg,pkgs,packages|library:lib,libs,libraries|version:ver,versions|previous:prev|manager:mgr,managers|department:dept,departments|account:acct,accounts|request:req,reqs,requests|response:resp,responses|certificate:cert,certs,certificates|command:cmd,cmds,commands|error:err,errors|attribute:attr,attrs,attributes|identifier:identifiers|performance:perf|statistics:stats|transaction:txn,tx,transactions|synchronise:sync,syncs,synced,synchronize,synchronized,synchronised|average:avg|approximately:approx|quarter:qtr,quarters|customer:cust,customers|infrastructure:infra|laboratory:lab,labs|telephone:tel|bicycle:bike,bikes|reproduce:repro|specification:spec,specs|parameter:param,params|function:func,functions|temperature:temp|kubernetes:k8s|postgres:postgresql,pg|javascript:js|typescript:ts|development:dev|production:prod"
).split("|")) for form in [base, *forms.split(",")]}

UNITS = {
    "s": ("time", 1.0, "s sec secs second seconds секунда секунды секунд sekunde sekunden segundo segundos seconde secondes secondo secondi 秒 초"),
    "ms": ("time", 0.001, "ms millisecond milliseconds millisekunden milisegundos millisecondes 毫秒 밀리초"),
    "us": ("time", 1e-6, "µs us microsecond microseconds"),
    "min": ("time", 60.0, "min mins minute minutes minuten минута минуты минут minuto minutos minuti 分钟 分間 분"),
    "h": ("time", 3600.0, "h hr hrs hour hours stunde stunden час часа часов hora horas heure heures ore 小时 時間 시간"),
    "d": ("time", 86400.0, "d day days tag tage tagen день дня дней día días dia dias jour jours giorno giorni 天 日间 日間 일"),
    "wk": ("time", 604800.0, "week weeks wk wks woche wochen неделя недели недель semana semanas semaine semaines settimana settimane 周 星期 週間 주"),
    "mo": ("month", 1.0, "month months monat monate monaten месяц месяца месяцев mes meses mois mês mese mesi 个月 か月 ヶ月 月 개월"),
    "y": ("month", 12.0, "year years yr yrs jahr jahre jahren año años an ans année années ano anos anno anni 年 년"),
    "B": ("bytes", 1.0, "byte bytes"), "kB": ("bytes", 1e3, "kb kilobyte kilobytes"), "MB": ("bytes", 1e6, "mb megabyte megabytes meg megs"),
    "GB": ("bytes", 1e9, "gb gigabyte gigabytes gig gigs"), "TB": ("bytes", 1e12, "tb terabyte terabytes"), "TiB": ("bytes", 1099511627776.0, "tib"),
    "KiB": ("bytes", 1024.0, "kib"), "MiB": ("bytes", 1048576.0, "mib"), "GiB": ("bytes", 1073741824.0, "gib"),
    "bps": ("rate", 1.0, "bit/s bps"), "kbps": ("rate", 1e3, "kbit/s kbps kbit kilobit kilobits"), "Mbps": ("rate", 1e6, "mbit/s mbps mbit megabit megabits"), "Gbps": ("rate", 1e9, "gbit/s gbps gbit gigabit gigabits"),
    "um": ("length", 1e-6, "µm μm um micrometre micrometres micrometer micrometers micron microns"), "permille": ("percent", 0.1, "‰ permille promille permil"),
    "mm": ("length", 0.001, "mm millimetre millimetres millimeter millimeters milímetros"), "cm": ("length", 0.01, "cm centimetre centimetres centimeter centimeters zentimeter centímetros"),
    "m": ("length", 1.0, "m metre metres meter meters metern metro metros mètre mètres 米 미터"), "km": ("length", 1000.0, "km kilometre kilometres kilometer kilometers kilómetros 公里 킬로미터"),
    "ft": ("feet", 1.0, "ft foot feet"), "in": ("inch", 1.0, "inch inches"), "mile": ("mile", 1.0, "mile miles"),
    "m2": ("area", 1.0, "m2 m² sqm"), "ha": ("area", 10_000.0, "ha hectare hectares hektar hectárea hectáreas"), "km2": ("area", 1e6, "km2 km²"), "fold": ("fold", 1.0, "x fold fach"), "m3": ("volume", 1000.0, "m3 m³"), "l": ("volume", 1.0, "l litre litres liter liters litros 升 리터"), "ml": ("volume", 0.001, "ml millilitre millilitres milliliter"),
    "g": ("mass", 1.0, "g gram grams gramm gramos gramas 克 그램"), "kg": ("mass", 1000.0, "kg kilo kilos kilogram kilograms kilogramm 公斤 千克 킬로그램"), "t": ("mass", 1e6, "t tonne tonnes ton tons tonnen toneladas 吨 톤"), "lb": ("lb", 1.0, "lb lbs pound pounds"), "oz": ("oz", 1.0, "oz ounce ounces"),
    "Hz": ("freq", 1.0, "hz hertz"), "kHz": ("freq", 1e3, "khz"), "MHz": ("freq", 1e6, "mhz"), "GHz": ("freq", 1e9, "ghz"),
    "W": ("power", 1.0, "w watt watts"), "kW": ("power", 1e3, "kw kilowatt kilowatts"), "MW": ("power", 1e6, "mw"), "kWh": ("energy", 1.0, "kwh"), "V": ("volt", 1.0, "v volt volts"), "A": ("amp", 1.0, "amp amps ampere"), "mA": ("amp", 0.001, "ma"),
    "%": ("percent", 1.0, "% percent pct prozent porcentaje pourcent percento 百分之 퍼센트 per-cent"), "°C": ("celsius", 1.0, "°c celsius 度 도"), "°F": ("fahrenheit", 1.0, "°f fahrenheit"), "deg": ("degree", 1.0, "degree degrees grad grados degrés graus"), "arcmin": ("degree", 1 / 60, "arcminute arcminutes"), "arcsec": ("degree", 1 / 3600, "arcsecond arcseconds"),
    "EUR": ("eur", 1.0, "eur euro euros 欧元 유로"), "ct": ("eur", 0.01, "cent cents"), "USD": ("usd", 1.0, "usd dollar dollars 美元 달러"), "GBP": ("gbp", 1.0, "gbp"),
    "px": ("px", 1.0, "px pixel pixels 像素 픽셀"), "dpi": ("dpi", 1.0, "dpi"), "dB": ("db", 1.0, "lufs decibel decibels"), "fps": ("fps", 1.0, "fps"), "rpm": ("rpm", 1.0, "rpm"), "km/h": ("speed", 1.0, "km/h kph kmh"), "mph": ("mph", 1.0, "mph"),
    "bar": ("bar", 1.0, "bar"), "ppm": ("ppm", 1.0, "ppm"), "K": ("kelvin", 1.0, "kelvin"),
}
UNIT_NAMES = {name: (dim, factor) for dim, factor, names in UNITS.values() for name in names.split()}
CJK_UNITS = tuple(sorted((n for n in UNIT_NAMES if ord(n[0]) > 0x2E7F), key=len, reverse=True))

NUMBER_WORDS = {word: value for row in (
    "zero=0 null=0 cero=0 two=2 three=3 four=4 five=5 six=6 seven=7 eight=8 nine=9 ten=10 eleven=11 twelve=12 thirteen=13 fourteen=14 fifteen=15 sixteen=16 seventeen=17 eighteen=18 nineteen=19 "
    "twenty=20 thirty=30 forty=40 fifty=50 sixty=60 seventy=70 eighty=80 ninety=90 dozen=12 "
    "zwei=2 drei=3 vier=4 fünf=5 sechs=6 sieben=7 acht=8 neun=9 zehn=10 elf=11 zwölf=12 dreizehn=13 vierzehn=14 fünfzehn=15 sechzehn=16 siebzehn=17 achtzehn=18 neunzehn=19 zwanzig=20 dreißig=30 dreissig=30 vierzig=40 fünfzig=50 "
    "sechzig=60 siebzig=70 achtzig=80 neunzig=90 "
    "dos=2 tres=3 cuatro=4 cinco=5 seis=6 siete=7 ocho=8 nueve=9 diez=10 once_es=11 doce=12 trece=13 catorce=14 quince=15 dieciséis=16 diecisiete=17 dieciocho=18 diecinueve=19 veinte=20 veinticuatro=24 veinticinco=25 treinta=30 cuarenta=40 cincuenta=50 "
    "sesenta=60 setenta=70 ochenta=80 noventa=90 cien=100 ciento=100 doscientos=200 quinientos=500 "
    "deux=2 trois=3 quatre=4 cinq=5 sept=7 huit=8 neuf=9 dix=10 onze=11 douze=12 treize=13 quatorze=14 quinze=15 seize=16 vingt=20 trente=30 quarante=40 cinquante=50 soixante=60 "
    "dois=2 duas=2 três=3 quatro=4 sete=7 oito=8 nove=9 dez=10 doze=12 catorze=14 vinte=20 trinta=30 quarenta=40 cinquenta=50 sessenta=60 setenta_pt=70 oitenta=80 cem=100"
).split() for word, value in [(row.split("=")[0], int(row.split("=")[1]))]}
SCALE_WORDS = {"hundred": 100, "thousand": 1000, "million": 1_000_000, "hundert": 100, "tausend": 1000, "mil": 1000, "mille": 1000, "millones": 1_000_000, "cents_fr": 100, "k": 1000}
TIMES_WORDS = {"once": 1, "twice": 2, "thrice": 3, "einmal": 1, "zweimal": 2, "dreimal": 3}
PERIODS = {"hourly": ("time", 3600.0), "daily": ("time", 86400.0), "nightly": ("time", 86400.0), "weekly": ("time", 604800.0), "fortnightly": ("time", 1209600.0), "monthly": ("month", 1.0), "quarterly": ("month", 3.0), "yearly": ("month", 12.0),
           "annually": ("month", 12.0), "annual": ("month", 12.0), "täglich": ("time", 86400.0), "wöchentlich": ("time", 604800.0), "monatlich": ("month", 1.0), "stündlich": ("time", 3600.0), "jährlich": ("month", 12.0), "diariamente": ("time", 86400.0)}
FRACTION_WORDS = {"half": 0.5, "third": 1 / 3, "thirds": 1 / 3, "quarter": 0.25, "quarters": 0.25, "fifth": 0.2, "fifths": 0.2, "tenth": 0.1, "tenths": 0.1}
