"""English words of one meaning, for comparing what a lexicon gives as English: two languages rarely choose the same one.

Tables and nothing else. A row holds words that may stand for each other in a claim about any field of work; a word that has
a second meaning of its own beside them belongs in none.
"""

# ruff: noqa: E501  tables read better as runs of words

from __future__ import annotations

from dreamd.text.tokens import stem

_ROWS = (
    "bread loaf", "canteen cafeteria refectory", "restaurant diner", "purchase buy acquire", "sell sale", "ship dispatch", "send mail transmit",
    "return refund restitute", "delete erase remove eliminate drop", "store keep save retain preserve conserve archive", "repair fix mend", "begin start commence",
    "end finish terminate conclude", "choose select pick", "check inspect verify examine control audit", "test trial", "clean wipe wash tidy", "cook prepare",
    "rehearse practise rehearsal practice", "rehearsal rehearse", "print printed printout", "show display present indicate", "hide conceal",
    "speak talk", "phone call telephone ring", "inform notify tell tip advise announce announcement notification", "greet hello",
    "answer reply response respond", "ask question inquire", "need require necessary", "want wish desire", "like love enjoy", "prefer preference favour",
    "dislike hate", "allow permit permission authorise authorize may admit consent", "forbid prohibit ban disallow forbidden", "approve approval authorise",
    "sign signature", "manage administer run operate lead head direct", "responsible charge care look", "employee worker staff personnel workforce",
    "boss chief supervisor", "intern trainee apprentice", "colleague coworker workmate", "customer client shopper", "guest visitor",
    "doctor physician", "dentist dental", "pharmacy drugstore chemist", "medicine medication drug pill", "vaccine vaccination vaccinate", "ill sick",
    "pupil student", "teacher instructor", "lesson class course", "exam examination", "kid child children", "film movie", "photo picture image photograph",
    "painting picture", "score partition sheet", "choir chorus", "orchestra", "concert performance", "hall gym gymnasium", "hall lobby foyer vestibule", "swimming pool swimming hall",
    "car automobile vehicle", "truck lorry", "bicycle bike cycle", "train railway", "station stop", "ferry boat", "harbour harbor port", "parking park",
    "trip journey travel tour excursion", "luggage baggage", "flat apartment", "house home", "room chamber", "cellar basement", "garbage rubbish trash waste refuse",
    "garden yard", "lawn grass", "shop store shopping", "checkout till cash", "price cost rate", "fee charge fare", "invoice bill", "receipt slip voucher",
    "discount rebate reduction", "contract agreement", "salary wage pay payroll", "holiday vacation leave", "shift duty", "deadline due",
    "meeting conference session appointment", "desk table", "mailbox inbox letterbox", "file document record", "folder directory", "report",
    "summary overview", "list table", "error mistake fault bug defect failure", "alarm alert warning alarm-system", "outage failure downtime interruption",
    "crash collapse", "deploy deployment release publish launch rollout", "production prod live", "staging preproduction", "database db", "repository repo",
    "library lib", "merge combine join", "branch", "commit", "review inspect revise", "encrypt encrypted encryption encode cipher", "password passphrase",
    "login log-in sign-in", "account", "permission right access", "request query", "search find look", "change alter modify edit adapt amend",
    "rename name", "replace substitute exchange swap switch", "move transfer relocate shift migrate", "hand pass", "manual handbook guide", "submit hand", "tour route", "see view watch", "bake baking", "turn order", "increase raise grow extend rise",
    "reduce lower decrease cut shorten", "split divide separate", "isolate separate isolated", "share shared common joint", "use employ utilise utilize apply",
    "create make produce generate build", "write compose draft", "read", "open", "close shut closed", "lock locked", "unlock", "empty clear",
    "fill", "empty wipe clear purge", "feed feeding food fodder nourish", "eat consume", "drink", "water irrigate", "plant grow cultivate", "harvest reap", "milk",
    "cow cattle", "calf", "goods merchandise product item article", "parcel package packet", "delivery deliver", "warehouse depot storehouse", "stock inventory",
    "supplier vendor provider", "owner proprietor", "tenant renter", "landlord", "rent lease", "repair service maintenance maintain", "heat warm heating",
    "cool chill cold", "freeze frozen freezer", "hot warm", "big large great", "small little", "quick fast rapid", "free gratis",
    "urgent rush", "important essential", "simple easy plain", "short brief concise", "long", "new fresh", "old ancient", "broken defective faulty",
    "foreign abroad", "local regional", "public open", "daily day", "weekly week", "monthly month", "yearly annual year", "night nightly overnight", "morning", "evening",
    "noon midday", "weekend", "quarter quarterly", "beginning start", "end", "first", "last final", "next following", "front", "back rear",
    "behind", "beside next", "above over", "below under", "entrance entry", "exit", "floor storey", "building", "wall", "key", "board committee",
    "club association", "member", "neighbour neighbor", "grandfather grandpa", "grandmother grandma", "birthday", "gift present", "party celebration feast",
    "match game", "training practice exercise workout", "coach trainer", "league", "team group crew squad", "user", "player", "character figure",
    "crust", "dough", "flour", "bakery baker", "cake tart pie", "biscuit cookie", "drink beverage", "meal food dish", "vegetable", "fruit",
    "english", "number digit figure", "amount quantity", "size", "reason cause", "result outcome", "place location site spot", "person people somebody someone",
    "everyone everybody", "nobody no-one", "document paper", "crack burst split", "rest pause break", "compress shrink", "upload", "download", "sync synchronise synchronize",
    "backup back-up", "log record register journal", "register enrol enroll registration sign-up", "book reserve reservation booked booking", "cancel call-off annul",
    "postpone delay defer", "abolish discontinue withdraw retire scrap", "take accept receive", "get receive obtain", "collect gather fetch pick", "bring carry",
    "hang", "put place lay", "locate located lie stand", "live reside", "work job", "help assist support", "visit", "wait", "watch observe monitor monitoring",
    "measure measurement", "count", "weigh weight", "calculate compute", "estimate", "plan schedule", "discuss", "decide decision", "agree", "complain complaint",
    "pay payment", "order purchase-order", "advance beforehand", "automatic automatically", "manual hand", "direct straight",
    "regular regularly periodic", "temporary provisional", "permanent permanently", "separate separately", "together jointly",
)  # fmt: skip
ALIKE: dict[str, frozenset[int]] = {}
for _row, _words in enumerate(_ROWS):
    for _word in _words.split():
        for _form in {_word, stem(_word)}:
            ALIKE[_form] = ALIKE.get(_form, frozenset()) | {_row}
