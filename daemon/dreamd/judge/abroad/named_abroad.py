"""One name in the place of another, in languages other than English: "die Spesen prüft ab sofort Herr Brandt", "ist in die Parkallee umgezogen"."""

# ruff: noqa: E501, SIM905  word lists read better as runs of words

from __future__ import annotations

from dreamd.judge.change.current import current
from dreamd.judge.conflicts.frames import told_changes
from dreamd.judge.features import PairFeatures
from dreamd.judge.guards import kin
from dreamd.judge.slots import Slots
from dreamd.text.tokens import Token

_SPOKEN = frozenset(["de", "es", "fr", "pt", "it"])
_TITLES = frozenset("frau herr herrn dr doktor señor señora sr sra don doña monsieur madame mme m senhor senhora signor signora".split())
_IN = frozenset("in im ins an am auf bei beim nach zu zum zur bis en a al à au aux chez vers no na em para nel nella da dal presso".split())
_ARTICLES = frozenset("der die das den dem el la los las le les l' o a os as il lo gli i".split())
_STANDS = frozenset(
    (
        "liegt liegen befindet befinden sitzt steht ist sind war hat haben wurde wurden umgezogen verlegt gezogen umgesiedelt verschoben unser unsere unserem "
        "está están queda quedan encuentra ubica ubicado ubicada trasladado trasladada trasladó mudado mudada mudó nuestro nuestra "
        "est sont trouve trouvent situe situé située déménagé déplacé transféré notre nos s se "
        "fica ficam mudou mudaram nosso nossa transferiu é "
        "è trova trovano trasferito trasferita spostato spostata si nostro nostra sta "
        "sondern qui que quien quem chi c c'est ce es "
        "jetzt nun ab sofort künftig ahora ya désormais maintenant agora ora adesso"
    ).split()
)
"""Words of standing and moving somewhere, which tell no thing."""
LEAST_SHARED = 1


def other_name_abroad(pair: PairFeatures) -> str:
    """Another person or place where the older statement has one, all else being the same, and one side tells of a change."""
    if pair.in_english or not pair.same_script or pair.a.tongue not in _SPOKEN:
        return ""
    if not (pair.a.changes or pair.b.changes) or bool(told_changes(pair.a)) == bool(told_changes(pair.b)):
        return ""
    new, old = (pair.a, pair.b) if told_changes(pair.a) else (pair.b, pair.a)
    if old.negations or old.conditions or new.conditions or new.numbers != old.numbers:
        return ""
    mine, theirs = _told(new), _told(old)
    own, lost = _unlike(mine, theirs), _unlike(theirs, mine)
    if len(own) != 1 or len(lost) != 1 or len(mine) - len(own) < LEAST_SHARED:
        return ""
    if _is_named(own[0], new) and _is_named(lost[0], old):
        return f"`{lost[0].surface}` against `{own[0].surface}`"
    return ""


def _told(slots: Slots) -> list[Token]:
    return [t for t in current(slots.text).told if t.lower not in _STANDS | _TITLES | _ARTICLES and t.kind == "word"]


def _unlike(mine: list[Token], theirs: list[Token]) -> list[Token]:
    stems = {t.stem for t in theirs}
    return [t for t in mine if t.stem not in stems and not any(kin(t.stem, other) for other in stems)]


def _is_named(token: Token, slots: Slots) -> bool:
    """A capital that is no mere noun's: behind a title or the preposition of a place, or where nouns have none."""
    if not token.surface[:1].isupper():
        return False
    cut = slots.tokens
    at = next((n for n, t in enumerate(cut) if t.lower == token.lower), 0)
    ahead = [t.lower for t in cut[max(0, at - 2) : at]]
    if ahead and (ahead[-1] in _TITLES or ahead[-1] in _IN or ahead[-1] in _ARTICLES and ahead[0] in _IN and ahead[0] != ahead[-1]):
        return True
    return slots.tongue != "de" and (at > 0 or len(token.surface) > 1 and token.surface.istitle())
