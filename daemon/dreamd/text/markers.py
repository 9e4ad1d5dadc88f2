"""Verbs, nouns and turns of phrase by what they do to a claim: what holds one value, what ends, hands over or excludes.

Tables and nothing else, as in `words`; these need stems.
"""

# ruff: noqa: E501, SIM905  tables read better as runs of words

from __future__ import annotations

import re

from dreamd.text.tokens import stem, tokens

VERBS = frozenset(
    form
    for verb in (
        "use run keep hold take send store write read open close begin stop end need require cover last serve own "
        "live belong come go know see show make give get meet sit stand hang lie work build deliver approve review "
        "decide sign assign merge move export import allow accept reject support contain carry cost expire return "
        "prefer want like love hate expect report publish push pull ask talk listen answer wait expose bind connect "
        "point speak fly eat drink drive pay charge bill ship deploy release test measure count round delete remove add "
        "trigger fire lock unlock block handle own maintain administer plan feed clean water heat cool print render "
        "draw parse compile cache log retry fail pass depend follow lead manage produce provide replace save share sort "
        "split sync tag throw track translate update upload validate weigh arrive leave stay remain happen occur mean "
        "limit reach exceed assume default set let help start embed wake call notify fetch poll emit consume forward "
        "convert copy create crash define describe detect disable enable display download drop encode encrypt enforce "
        "enter escalate execute extend extract fill filter finish fix format generate grant grow guard hide host identify "
        "ignore include increase indicate ingest inherit inject insert inspect install invoke issue join label launch "
        "link list load map mark match mirror monitor mount name obtain offer order override pack paint pick place play "
        "preserve prevent process promote protect purge query queue raise receive recommend record redirect reduce "
        "refresh refuse register reject reload rename repair repeat request reserve reset resolve restart restore restrict "
        "resume reuse rotate scale scan schedule score select sell separate settle skip sleep sound squash stream strip "
        "submit subscribe suit sum supply switch tell terminate trim trust tune turn type undo unpack update upgrade "
        "verify visit wash watch wear weld wipe wrap zip rehearse teach learn train coach guide host inform invite "
        "find bring catch choose lose win pick seem look let hit shut spend sing swim teach throw understand break bend bite blow rotate lend borrow rent buy collect dispatch empty drain brew bake cook harvest plant mow grade vaccinate treat"
    ).split()
    for form in (verb, stem(verb))
)
MANY = frozenset(
    "use support include need have require contain accept offer allow know speak also help like love own serv serve "
    "cover list mention handl handle show involv join visit sell buy grow".split()
)
"""Verbs whose object is one of many: what else they take does not end it."""
LINKS = frozenset(
    "is are was were be has have had ist sind wird werden liegt läuft heißt beträgt gilt geht steht dauert kostet kommt fährt "
    "beginnt endet öffnet schließt fährt fahren wohnt arbeitet leitet macht nimmt bringt trägt zeigt hält fängt sitzt steht stehen liegen "
    "nutzt verwendet benutzt braucht gehört gilt gelten trifft treffen lädt sendet schickt speichert bezahlt prüft bleibt bleiben "
    "usa usan envía cobra vive trabaja lleva guarda queda quedan riega limpia cuenta utilise utilisent vit travaille garde reste restent paie envoie "
    "usa usam envia mora trabalha guarda fica ficam limpa rega es son está están va cuesta dura sale cierra abre llega empieza termina est sont part parte "
    "gehen kommen laufen wohnen arbeiten läuft dauern kosten è sono chiude apre costa dura parte inizia comincia trova queda quedan ficam trouve trouvent befindet "
    "partent dure coûte ferme ouvre commence arrive é são fica custa sai fecha começa".split()
)
PLACE_VERBS = frozenset(
    form
    for verb in (
        "live sit stand lie meet rehearse work run host store keep base locate call name write hold park start end begin depart leave deploy "
        "publish print register record archive train practise file stay sleep hang place house headquarter lodge mount"
    ).split()
    for form in (verb, stem(verb))
)
"""Verbs of a place that a thing has one of."""
ONE_PLACE = frozenset("at on is are called named in from en em im à au aux auf am bei an".split())
"""Words right before a value that is a place or a name, of which a thing has one."""
ONE_OF = frozenset(
    stem(w)
    for w in (
        "port room extension channel floor pier gate platform level version hall dock bay track terminal building "
        "ext apt suite stand booth berth stage "
        "gebäude raum halle saal zimmer etage stock gleis kanal edificio sala aula piso planta andén bâtiment salle étage quai prédio andar binario piano"
    ).split()
)
"""Nouns that number the value itself behind the verb: a thing listens on one port and is in one room."""
LIMITING = frozenset(
    "for after over under within than every least most to by above below until before at about around exceeds exceed exceeding "
    "nach über unter bis innerhalb alle más menos cada plus moins".split()
)
"""Words before an amount that is a bound or a period of a rule, not the name of a thing."""
ATTRIBUTES = frozenset(
    stem(w)
    for w in (
        "owner maintainer lead leader contact on-call oncall deputy chair head boss supervisor port host hostname region address "
        "name version limit maximum minimum timeout interval threshold size price fee rate default deadline date time day status "
        "licence license font theme currency capital budget quota provider vendor supplier carrier branch location place hall room "
        "pier platform gate editor format language timezone password colour color icon code extension number level unit "
        "architect moderator approver reviewer manager captain director coordinator sponsor representative treasurer secretary "
        "venue caterer landlord doctor coach trainer capacity width height length depth weight temperature speed frequency period "
        "resolution bitrate standard winner framework database engine driver model mascot motto title slogan domain registrar"
    ).split()
)
"""Nouns that a thing has one of."""
RETIRED = re.compile(
    r"(?:^|[.;,:] ?|\band |\bas |\bsince |\bbecause )(?:the |our |all |both )?([\w' -]{2,60}?) (?:(?:has been|have been|was|were|had to be)(?: finally| now)? "
    r"(?:retired|removed|dropped|abolished|withdrawn|cancelled|canceled|discontinued|shut down|switched off|turned off|taken out|taken down|thrown out|"
    r"decommissioned|scrapped|phased out|sunset|dissolved|ended|stopped|axed|pulled|closed down|replaced|superseded|overruled|"
    r"overturned|lifted|revoked|repealed|suspended|finished|fixed|resolved)"
    r"|(?:is|are)(?: finally| now)? (?:off the table|off the plan|gone|history|dead|out|over|finished|done|fixed|resolved|no more|retired|abolished|withdrawn|cancelled|switched off|overruled))\b"
)
HANDED = re.compile(
    r"^(?:the |our )?([\w' -]{2,40}?) (?:has |have )?(?:just )?(?:handed|passed|gave|given|transferred) (?!from|to|over to|on to).{2,60}? (?:to|up|over)\b"
    r"|\btook over .{0,60}?from (?:the )?([\w' -]{2,40})|\btaken over from (?:the )?([\w' -]{2,40})"
    r"|(?:^|[,;] ?|\band )(?:the |our )?([\w' -]{2,40}?) (?:has |have )?(?:handed it over|gave it up|stepped down|stepped back|retired|left|resigned)\b"
    r"|\b(?:replaced|replaces|supersedes|superseded) (?:the |our )?([\w' -]{2,40})"
    r"|\b(?:threw|thrown|took|taken) out (?:the |our )?([\w' -]{2,40})"
)
LIGHT = frozenset(
    stem(w)
    for w in (
        "set put go come stand belong amount assume take use hold lie count stay remain total equal keep make give do be have "
        "allow permit able may want ask require need run get work happen exist consist apply own"
    ).split()
)
"""Verbs that carry little: claims that differ in them alone may still be one."""
DIMENSION_NOUNS = {
    "speed": "speed", "length": "length", "width": "length", "height": "length", "depth": "length", "distance": "length",
    "weight": "mass", "weighs": "mass", "weigh": "mass", "temperature": "celsius", "duration": "time", "price": "eur", "cost": "eur", "interval": "time",
    "volume": "volume", "capacity": "volume", "long": "length", "wide": "length", "high": "length", "deep": "length",
    "thick": "length", "thickness": "length", "tall": "length", "bandwidth": "rate", "throughput": "rate",
}  # fmt: skip
EXCLUSIVE = re.compile(
    r"(?<![\w-])(?:only|solely|exclusively|alone|nothing else|no(?:body|-one| one)? (?:else|other)|sole|reserved (?:to|for)|purely|entirely|throughout|nur|allein|ausschließlich|"
    r"solo|sólo|únicamente|exclusivamente|seulement|uniquement|apenas|somente)\b|只|仅|만 |だけ|のみ"
)
STAGES = (
    ("planned", r"planned|on the roadmap|under evaluation|evaluating|being evaluated|under discussion|proposed|in preparation|being prepared|on order|not started|not yet started|an idea|a draft|drafted"),
    ("trial", r"(?:a )?prototype|(?:a )?proof of concept|experimental|in beta|a beta|behind a (?:feature )?flag|in alpha|being tested|in testing|in trial|a trial|piloted|in pilot|a pilot"
              r"|in progress|under construction|in review|under review|work in progress|unfinished|half done|in development|tested with"),
    ("blocked", r"blocked|paused|on hold|frozen|stalled|halted|suspended|postponed|out of order|broken|down for|unavailable|flaky|unstable|on (?:\w+ )?leave|ill|away"),
    ("live", r"stable|on by default|in production|generally available|rolled out|live(?: for| in| at| since|$)|released|in (?:daily |regular |full |active |everyday |constant )?use|paid out|awarded|shipped|enabled|launched|switched on|turned on"
             r"|finished|complete(?:d)?|done|merged|unblocked|resumed|back in service|back at work|operational|up and running|running$|working again|repaired|fixed|available again|mandatory|approved|in service"),
    ("ended", r"deprecated|retired|removed|off by default|disabled|discontinued|abandoned|cancelled|canceled|switched off|turned off|shut down|end of life|rejected|obsolete|archived"),
)  # fmt: skip
STAGE = {name: re.compile(rf"\b(?:is|are|was|were|been|now|still|:|and|pass:?)? ?\b(?:{pattern})\b") for name, pattern in STAGES}
STAGE_WORDS = frozenset(t.stem for _, pattern in STAGES for t in tokens(re.sub(r"[^a-z ]", " ", pattern)) if t.is_content)
