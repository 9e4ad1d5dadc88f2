"""A sentence said another way, so that it tells what holds: an order that sets a value, a thing set apart, a slip put right.

"Bump node to 22" leaves node at 22, "and the red box, it's in the shed" is about the box, and "we go to 32, no sorry, 25"
means 25.
"""

from __future__ import annotations

import re

from dreamd.extraction.claims import names_a_value
from dreamd.extraction.classes import is_order
from dreamd.extraction.stance import without_lead, without_tail
from dreamd.extraction.turns.passing import names_something_at_hand, without_order
from dreamd.extraction.turns.revisions import kind_of_value, revision_of
from dreamd.extraction.utterance import cleaned
from dreamd.text import patterns

_SLIP = re.compile(
    r"(?i)\s*(?:\.{2,}|…|,|;| -+| –| —)?\s*\(?\b(?:(?:(?:no|nope|ah|oh|uh|wait|nein)[,.\s]+)*(?:sorry|i mean|i meant"
    r"|make that|correction|pardon|entschuldigung"
    r"|ich meine|perdón|quiero decir|je veux dire)|no,? wait|no no)\b[,.:\s]*(?=\S)")
_LAST_WORD = re.compile(r"\S+$")
_FIRST_WORD = re.compile(r"\S+")
_LISTS = (r"(?:(?:please|and|also|plus|then|ok|so|don['’]t forget|remember|mind|add|put|note|include|print|pack|bring|buy"
    r"|book"
          r"|order|mention|take)[, ]+)*")
_SET_APART = re.compile(
    rf"(?i){_LISTS}(?P<thing>(?:the|our|my|your) (?:[\w'’-]+ ){{0,3}}?[\w'’-]+)(?: too| as well| also| please)*, "
    r"(?P<pronoun>it|they|he|she|that|those)(?P<verb>['’]s|['’]re| is| are| has| have| was| were| lives?| costs?| goes| go"
    r"| needs?| belongs?)\b(?P<rest> .+)", re.DOTALL)
_LISTING = frozenset({"and", "also", "plus", "so"})
_ENDS_AS_VERB = re.compile(r"(?i)(?:ed|broke|went|came|left|quit|died|is|was|are|were|has|again)$")
_IS = {"'s": " is", "’s": " is", "'re": " are", "’re": " are"}
_DONE = {
    "set": "set", "bump": "bumped", "raise": "raised", "lower": "lowered", "increase": "increased", "reduce": "reduced",
    "decrease": "decreased", "cut": "cut", "limit": "limited", "cap": "capped", "pin": "pinned", "upgrade": "upgraded",
    "downgrade": "downgraded", "extend": "extended", "shorten": "shortened", "switch": "switched", "change": "changed",
    "move": "moved", "shift": "moved", "update": "updated",
}
_SETS = re.compile(
    r"(?i)(?:(?:please|and|also|then|ok(?:ay)?|so|now|just|yes|no|let['’]s|can you|could you|we)[, ]+)*"
    rf"(?P<verb>{'|'.join(_DONE)}) (?P<thing>(?:the |our |my |all )?[\w./-]+(?: [\w'’./-]+){{0,4}}?)(?: up| down| back"
    rf"| over)?"
    r" (?:to|at|from \S+ to) (?P<value>[^,;:!?]{1,40}?)"
    r"(?P<more>(?:[,;] | (?:everywhere|for|because|since|as|from now on|in|with|per|each)\b).{0,80})?[.!]?")
_GOES_TO = ("switch", "move", "upgrade", "downgrade", "shift")
_SHORTEST_THING = 2
_USES = re.compile(
    r"(?i)(?:(?:please|and|also|then|ok(?:ay)?)[, ]+)*(?:use|take) (?P<thing>[^,;:]{3,50}?)"
    r"(?:, (?:id|no\.?|number|nr\.?) [\w-]+)?(?:,| -+| –|:| because| since) (?:it|s?he|they|that|because|since|all|we)\b.{8,}")
_USES_QUOTED = re.compile(r"(?i)(?:(?:please|and|also|then)[, ]+)*(?:use|take) (?P<thing>(?:the|our|my) (?:\w+ ){1,3})"
                          r"[\"“`'][\w .-]{2,40}[\"”`'].*")
_REASONED = re.compile(r"(?i)(?P<order>[^,;:]{8,60}), (?:that['’]s (?:when|why|how|what|where)|because|since|otherwise) .{6,}")
_NAMES = re.compile(r"(?<=[\w-] )[A-Z][\w-]+|\w\d|\d\w")
_CORRECTS = re.compile(r"(?i)(?:no|nope|nein)[,.!–—-]+ ?(?:please )?use \S+(?: (?:instead|please|here))*[.!]*")
_UNIT_AT_HAND = re.compile(r"(?i)\b(?:px|pixels?|pt|r?em|lines?|rows?|columns?|words?|characters?)\b|^(?:0|1|true|false|none"
    r"|null)\b")
_NO_THING = re.compile(r"(?i)(?:it|this|that|them|these|those|everything|all|me|us|you|one|there|here|something)\b"
    r"|.*\b(?:this|that|these|those)\b")
_CODE = re.compile(r"`|\w\(|\w_\w|=")


def plain(sentence: str) -> str:
    """A sentence without what leads up to it, orders or asks; a second thought keeps its opener, which says what it is."""
    bare = _without_slip(sentence.strip(" \t-*"))
    if revision_of(bare) is not None or _CORRECTS.fullmatch(bare):
        return bare
    return without_tail(without_order(without_lead(_apart(cleaned(bare)))))


def decree_of(sentence: str) -> str:
    """What an order that sets a value leaves behind: "bump node to 22" says that node is at 22; nothing for other orders."""
    found = _SETS.fullmatch(sentence.strip())
    if found is None:
        return sentence if _takes_by_name(sentence.strip()) or _gives_a_reason(sentence.strip()) else ""
    thing, value = found["thing"].strip(), found["value"].strip()
    if (_NO_THING.match(thing) or names_something_at_hand(thing) or _CODE.search(thing) or _UNIT_AT_HAND.search(value)
            or not _can_be_set(found["verb"], value) or len(thing) < _SHORTEST_THING):
        return ""
    plural = re.search(r"[a-z][^s\W\d]s$", thing) is not None
    more = (found["more"] or "").rstrip(" .!")
    return f"{thing[:1].upper()}{thing[1:]} {'are' if plural else 'is'} {_DONE[found['verb'].lower()]} to {value}{more}."


def _can_be_set(verb: str, value: str) -> bool:
    """Whether a value is one that a verb sets: anything counted or addressed, and a name only where something moves to it."""
    kind = kind_of_value(value)
    return kind not in ("", "name", "code") or (kind == "name" and verb.lower() in _GOES_TO and value[:1].isalpha())


def _takes_by_name(sentence: str) -> bool:
    """Whether an order takes a thing that it calls by name: "use the list "north-2" and not the old one"."""
    used = _USES.fullmatch(sentence)
    if used is not None:
        return _NAMES.search(used["thing"]) is not None and not names_something_at_hand(used["thing"])
    quoted = _USES_QUOTED.fullmatch(sentence)
    return quoted is not None and not names_something_at_hand(quoted["thing"])


def _gives_a_reason(sentence: str) -> bool:
    """Whether an order with a value says why: "send on Thursdays at 7, that's when people read it"."""
    found = _REASONED.fullmatch(sentence)
    if found is None or names_something_at_hand(found["order"]) or _NO_THING.search(found["order"]):
        return False
    orders = is_order(found["order"]) or patterns.starts("words/rules", "task", found["order"])
    return orders and names_a_value(f"x {found['order']}")


def _without_slip(sentence: str) -> str:
    """A sentence without the value that was taken back right after it was said."""
    found = _SLIP.search(sentence)
    if found is None:
        return sentence
    before, after = sentence[:found.start()].rstrip(), sentence[found.end():]
    old, new = _LAST_WORD.search(before), _FIRST_WORD.match(after)
    if old is None or new is None:
        return sentence
    kinds = kind_of_value(old[0].strip(" ,.;")), kind_of_value(new[0].strip(" ,.;"))
    return f"{before[:old.start()]}{after}" if kinds[0] and kinds[0] == kinds[1] else sentence


def _apart(sentence: str) -> str:
    """"The red box, it's in the shed" with its thing as the subject."""
    found = _SET_APART.fullmatch(sentence.strip())
    if found is None or names_something_at_hand(found["thing"]) or _ENDS_AS_VERB.search(found["thing"]):
        return sentence
    lead = sentence.strip()[:found.start("thing")]
    lists = not lead.strip(" ,") or lead.strip(" ,").lower() in _LISTING
    if not (lists or is_order(lead) or patterns.starts("words/rules", "task", lead)):
        return sentence
    return f"{found['thing'][:1].upper()}{found['thing'][1:]}{_IS.get(found['verb'].lower(), found['verb'])}{found['rest']}"
