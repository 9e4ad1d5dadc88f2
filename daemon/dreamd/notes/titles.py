"""A few words to click on: what a statement is about, not how it begins.

"Always run the tide tests before touching the horn" is about "tide tests before touching the horn", and "the lamp runs on
host quay-2" about "lamp: host quay-2". A title ends where a phrase ends; the same words always get the same title.
"""

from __future__ import annotations

import re

TITLE_CHARS = 48
_SHORTEST = 10
_SHORTEST_CUT = 17
"""A title that has to be cut says at least this much."""
_LEAST_WORDS = 2
_MOST_STRIPPED = 5
_LEADING = re.compile(
    r"(?:a partir de (?:ahora|agora),? |(?:please|always|generally|normally|usually|by default|from now on|going forward"
    r"|in (?:the )?future|as of now|remember|keep in mind|note|make sure|be sure|ensure|see to it)(?: that| to)?,? |you always "
    r"|(?:you|we|i)(?: also| always| only)? (?:should|must|have to|need to|want to|would like to|decided to|decided on"
    r"|agreed to|do need|will|use|(?:would )?prefer(?: that| to)?|like|want) (?:always |only )?(?!not\b|never\b)"
    r"|i(?:'d| would) (?:rather|like to|prefer)(?: that| to)? |i (?:think|believe)(?: that)? "
    r"|it is important (?:that|to) |there (?:is|are) |(?:this|these|that) (?:is|are) "
    r"|(?:the|a|an|our|my|your) |(?:use|using|run|keep|write|put|call|follow) (?!it\b|them\b|in\b|up\b|on\b|from\b)"
    r"|(?:bitte|immer|grundsätzlich|ab sofort|achte darauf,? dass|wir (?:nutzen|benutzen|verwenden)|ich bevorzuge|der|die|das) "
    r"|(?:siempre|usamos|prefiero(?: que)?|asegúrate de que|el|la|los|las) "
    r"|(?:toujours|désormais|on utilise|je préfère|assure-toi que|le|les) |l['’]"
    r"|(?:sempre|usamos|prefiro|certifique-se de que|o|os|as) )", re.IGNORECASE)
_ABOUT = re.compile(
    r"(?P<thing>(?!(?:if|when|where|while|unless|because|since|as|it|this|that|there|we|i|you|they|he|she|what|which|who|how|why"
    r"|both|all|each|do|does|don['’]t|can|should|must|não|ne|nicht|every|no|not|only|never)\b)"
    r"[^\s,:;.!?]+(?: [^\s,:;.!?]+){0,3}?)"
    r" (?-i:is|are|has|have|(?:is |are )?(?:runs?|running|listens?|lives?|sits?|hosted|stored|kept|located) (?:on|in|at|under)"
    r"|uses?|ist|sind|läuft auf|liegt (?:in|auf)|es|son|está en|est|sont|tourne sur|é|são|fica em) "
    r"(?:the |a |an |our |called |named |located |der |die |das |el |la |le |o )?(?P<claim>\S+ .*)", re.IGNORECASE)
_FULL_STOP = re.compile(r"(?<=[^\s.][^\s.])[.!?;](?=\s|$)|[。！？；]|\s[—–]\s")
_CLAUSE_END = re.compile(r"[,:;](?=\s|$)|\s(?=[(—–])|\s(?=(?:because|since|when|if|so|while|which|who|that|unless|but|as"
                         r"|where|weil|wenn|dass|porque|cuando|que|si|parce|quand|quando|se)\b)|[、，]", re.IGNORECASE)
_PHRASE_END = re.compile(r"\s(?=(?:before|after|until|with|without|in|on|at|for|from|to|by|of|over|under|into|via|through"
                         r"|during|and|or|not|than|instead|between|against|vor|nach|mit|ohne|in|auf|für|von|und|oder|con|sin|en|para|de|y"
                         r"|avec|sans|dans|pour|et|com|sem|em|e)\b)", re.IGNORECASE)
_TRAILING = frozenset(
    ["a", "an", "and", "are", "as", "at", "be", "been", "by", "can", "could", "did", "do", "does", "for", "from",
     "has", "have", "if", "in", "into", "is", "it", "its", "may", "might", "must", "not", "of", "on", "only", "or",
     "our", "should", "so", "such", "than", "that", "the", "their", "these", "this", "those", "to", "very", "was",
     "we", "were", "when", "where", "which", "while", "who", "will", "with", "would", "your", "you", "before",
     "after", "until", "without", "over", "under", "via", "between", "because", "since", "but", "also", "actually", "cause",
     "properly", "need", "needs", "want", "wants", "use", "uses", "der", "die", "das", "den", "dem", "ein", "eine",
     "und", "oder", "mit", "für", "von", "zu", "im", "in", "auf", "ist", "sind", "el", "la", "los", "las", "un",
     "una", "y", "o", "de", "en", "con", "para", "que", "es", "son", "le", "les", "des", "du", "et", "ou", "avec",
     "pour", "dans", "est", "sont", "os", "as", "um", "uma", "e", "em", "com", "se"]
)


def headline(text: str) -> str:
    """A title for a statement that is free of markup, or an empty one where it has no words."""
    said = _FULL_STOP.split(text.strip(), maxsplit=1)[0].strip() or text.strip()
    rest = _stripped(said)
    title = _about(rest) or _fitted(rest)
    title = re.sub(r"\s+(?=[,;:])", "", title).strip(" ,.;:-—–!?。！？")
    if title.count('"') % 2:
        title = title.strip('" ')
    return _capital(title, began=said[:1])


def _stripped(said: str) -> str:
    for _ in range(_MOST_STRIPPED):
        found = _LEADING.match(said)
        rest = said[found.end():] if found else ""
        if len(rest) < _SHORTEST:
            break
        said = rest
    return said


def _about(said: str) -> str:
    """`Lamp: host quay-2`, where a thing is said to be something; empty otherwise."""
    found = _ABOUT.fullmatch(said)
    if found is None or found["thing"].lower().split()[-1] in _TRAILING or found["claim"].startswith("to "):
        return ""
    claim = _claim(found["claim"], TITLE_CHARS - len(found["thing"]) - 2)
    return f"{found['thing']}: {claim}" if claim else ""


def _claim(said: str, room: int) -> str:
    """What is said of the thing: all of it, or its first clause, or its first phrase of two words."""
    if len(said) <= room:
        return said
    head = said[:max(room, 0) + 1]
    for ends, words in ((_CLAUSE_END, 1), (_PHRASE_END, _LEAST_WORDS)):
        parts = [_without_trailing(head[:found.start()]) for found in ends.finditer(head)]
        enough = [part for part in parts if len(part.split()) >= words]
        if enough:
            return enough[0] if words == 1 else enough[-1]
    return ""


def _fitted(said: str) -> str:
    """All of it, or the longest beginning that ends with a clause, else with a phrase, else with a word."""
    if len(said) <= TITLE_CHARS:
        return said
    head = said[:TITLE_CHARS + 1]
    for ends in (_CLAUSE_END, _PHRASE_END):
        places = [found.start() for found in ends.finditer(head) if _is_enough(head[:found.start()].strip())]
        if places:
            return _without_trailing(head[:places[-1]])
    space = head.rfind(" ")
    return _without_trailing(head[:space]) if space > 0 else said[:TITLE_CHARS // 2] + "…"


def _is_enough(part: str) -> bool:
    words = _without_trailing(part).split()
    return len(words) >= _LEAST_WORDS and len(part) >= _SHORTEST_CUT


def _without_trailing(title: str) -> str:
    words = title.split()
    while len(words) > 1 and words[-1].lower().strip(",.;:") in _TRAILING:
        words.pop()
    return " ".join(words)


def _capital(title: str, *, began: str) -> str:
    """A capital for an ordinary first word of a sentence that had one; the names of tools stay as they are written."""
    first = re.match(r"[^\W\d_]+(?=[\s,:'’]|$)", title)
    if first is None or not began.isupper() or not re.search(r"[aeiouyäöüáéíóú]", first[0]):
        return title
    return title[:1].upper() + title[1:]
