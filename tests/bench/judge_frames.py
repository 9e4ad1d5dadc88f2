"""Pairs by rule for the judge: what an exchanged place, a denial, an opposite or a second holder does to a claim.

`frames.txt` varies values; `turns.txt` varies who does what to whom, what comes first, what is needed and how many.
"""

from __future__ import annotations

import itertools
import random
from dataclasses import dataclass, field
from pathlib import Path

DATA = Path(__file__).parent / "judge_data"
SAME, A_RICHER, B_RICHER, A_NEWER, B_NEWER, CLASH, RELATED, UNRELATED, NOT_A_MERGE = range(9)
FRAME_ROUNDS = 20
TURN_ROUNDS = 22
POLE_ROUNDS = 5
NARROWED = ("of the pilot group", "for partners", "in the annex", "of the second branch", "on the test floor", "for minors",
            "in the old building", "of the evening shift", "from abroad", "in the beta")
BOUNDS = ("on weekends", "in the test system", "if the first one is busy", "for new customers", "during the fair",
          "on the backup site", "when nobody else is there", "for the pilot")
TURNED_MEANS = {"preference": CLASH, "role": RELATED, "sequence": CLASH}
"""What the claim with exchanged places is to the claim."""
OTHER_MEANS = {"preference": RELATED, "role": None, "sequence": RELATED, "need": RELATED, "many": RELATED, "amount": RELATED}
"""What another value for the same subject is: these can all hold side by side."""

Row = tuple[str, str, int]
Lists = dict[str, list[str]]


@dataclass(frozen=True)
class Turn:
    """One frame of `turns.txt`."""

    kind: str
    subjects: str
    values: str
    says: dict[str, list[str]] = field(default_factory=lambda: {"~": [], "!": [], "&": []})


def load_frames() -> tuple[Lists, list[tuple[str, str, dict[str, list[str]]]]]:
    """The word lists and the frames over them."""
    lists: Lists = {}
    frames: list[tuple[str, str, dict[str, list[str]]]] = []
    for line in (DATA / "frames.txt").read_text("utf-8").splitlines():
        if line.startswith("@"):
            _take_list(line, lists)
        elif line.startswith("% "):
            subjects, values = line[2:].split()
            frames.append((subjects, values, {"~": [], ">": [], "-": []}))
        elif line[:2] in ("~ ", "> ", "- "):
            frames[-1][2][line[0]].append(line[2:])
    return lists, frames


def load_turns(lists: Lists) -> tuple[list[Turn], list[tuple[list[str], list[str]]]]:
    """Frames of `turns.txt` and its pairs of opposite predicates; adds its lists to `lists`."""
    turns: list[Turn] = []
    poles: list[tuple[list[str], list[str]]] = []
    for line in (DATA / "turns.txt").read_text("utf-8").splitlines():
        if line.startswith("@@ "):
            one, other = line[3:].split(" / ")
            poles.append(([p.strip() for p in one.split(";")], [p.strip() for p in other.split(";")]))
        elif line.startswith("@"):
            _take_list(line, lists)
        elif line.startswith("% "):
            turns.append(Turn(*line[2:].split()))
        elif line[:2] in ("~ ", "! ", "& "):
            turns[-1].says[line[0]].append(line[2:])
    return turns, poles


def _take_list(line: str, lists: Lists) -> None:
    name, _, members = line[1:].partition(" = ")
    lists[name] = [m.strip() for m in members.split(" | ")]


def frame_pairs(chance: random.Random) -> list[Row]:
    """Pairs from frames: reworded, another value, another subject, another attribute, a change, something added."""
    lists, frames = load_frames()
    rows: list[Row] = []
    for (subjects, values, says), _ in itertools.product(frames, range(FRAME_ROUNDS)):
        s, s2 = chance.sample(lists[subjects], 2)
        v, w = chance.sample(lists[values], 2)
        one, other = (chance.choice(says["~"]) for _ in range(2))
        base = _say(one, s, v, w)
        kinds: list[Row] = [(base, _say(other, s, w, v), CLASH), (base, _say(other, s2, chance.choice([v, w]), v), RELATED)]
        if one != other:
            kinds.append((base, _say(other, s, v, w), SAME))
        extra = chance.choice(lists[chance.choice(["reason", "place", "when", "how"])])
        kinds.append((base, f"{_say(other, s, v, w).rstrip('.')}{', ' if chance.random() < 0.3 else ' '}{extra}.", B_RICHER))
        if says[">"]:
            mark = chance.choice(says[">"])
            kinds.append((base, _say(mark, s, v, w), B_NEWER))
            kinds.append((base, _say(mark, s2, v, w), RELATED))
        if says["-"]:
            kinds.append((base, _say(chance.choice(says["-"]), s, v, w), RELATED))
            kinds.append(_overlap(chance, base, says, (s, v, w)))
        kinds.append((base, _say(_qualified(chance, other), s, w, v), RELATED))
        kinds.append((base, _say(other, f"{s} {chance.choice(NARROWED)}", v, w), RELATED))
        rows += chance.sample(kinds, min(4, len(kinds)))
    return rows


def _overlap(chance: random.Random, base: str, says: dict[str, list[str]], names: tuple[str, str, str]) -> Row:
    """Both sides share one claim and each adds another, or one adds to the other."""
    adds = [_say(a, *names) for a in says["-"]]
    first = chance.choice(adds)
    joined = f"{base.rstrip('.')}, and {first[0].lower()}{first[1:]}"
    rest = [a for a in adds if a != first]
    if not rest or chance.random() < 0.4:
        return base, joined, B_RICHER
    second = chance.choice(rest)
    again = _say(chance.choice(says["~"]), *names)
    return joined, f"{again.rstrip('.')}; {second[0].lower()}{second[1:]}", RELATED


def turn_pairs(chance: random.Random) -> list[Row]:
    """Pairs from turns: reworded, places exchanged, denied, beside it, another value; and opposite predicates."""
    lists, _ = load_frames()
    turns, poles = load_turns(lists)
    rows: list[Row] = []
    for turn, _ in itertools.product(turns, range(TURN_ROUNDS)):
        rows += _turn(chance, lists, turn)
    for (one, other), _ in itertools.product(poles, range(POLE_ROUNDS)):
        rows += _poles(chance, lists, one, other)
    return rows


def _turn(chance: random.Random, lists: Lists, turn: Turn) -> list[Row]:
    if turn.subjects == turn.values:
        s, v, w = chance.sample(lists[turn.subjects], 3)
    else:
        s, (v, w) = chance.choice(lists[turn.subjects]), chance.sample(lists[turn.values], 2)
    says = turn.says
    one, other, third = (chance.choice(says["~"]) for _ in range(3))
    base = _say(one, s, v, w)
    kinds: list[Row] = [(base, _say(third, s, v, w), SAME)] if third != one else []
    rows: list[Row] = []
    if turn.kind in TURNED_MEANS:
        rows.append((base, _say(chance.choice([one, other]), v, s, w), TURNED_MEANS[turn.kind]))
    means = OTHER_MEANS[turn.kind]
    if means is not None:
        kinds.append((base, _say(other, s, w, v), means))
    s2 = chance.choice([x for x in lists[turn.subjects] if x not in (s, v)])
    kinds.append((base, _say(other, s2, v, w), RELATED))
    for sign, label in (("!", CLASH), ("&", RELATED)):
        if says[sign]:
            kinds.append((base, _say(chance.choice(says[sign]), s, v, w), label))
    if other != one:
        rows.append((base, _say(other, s, v, w), SAME))
    return [*rows, *chance.sample(kinds, min(2, len(kinds)))]


def _poles(chance: random.Random, lists: Lists, one: list[str], other: list[str]) -> list[Row]:
    """A subject with a predicate, its rewording, its opposite, and the opposite as news."""
    s, s2 = chance.sample(lists[chance.choice(["system", "thing", "part"])], 2)
    mine, theirs = (one, other) if chance.random() < 0.5 else (other, one)
    claim, again, against = chance.choice(mine), chance.choice(mine), chance.choice(theirs)
    base = _say(f"{s} {claim}", "", "", "")
    rows: list[Row] = [(base, _say(f"{s} {against}", "", "", ""), CLASH)]
    if again != claim:
        rows.append((base, _say(f"{s} {again}", "", "", ""), SAME))
    news = chance.choice([f"since last week {s} {against}", f"from now on {s} {against}", f"{s} {against} now",
                          f"it used to be otherwise, but {s} {against}"])
    rows.append((base, _say(news, "", "", ""), B_NEWER))
    rows.append((base, _say(f"{s2} {chance.choice([claim, against])}", "", "", ""), RELATED))
    return chance.sample(rows, 3)


def _qualified(chance: random.Random, frame: str) -> str:
    """The claim under a condition or for a part only, with another value: both can hold."""
    bound = chance.choice(BOUNDS)
    return f"{bound}, {frame}" if chance.random() < 0.4 else f"{frame} {bound}"


def _say(frame: str, s: str, v: str, w: str) -> str:
    text = frame.replace("{s}", s).replace("{v}", v).replace("{w}", w)
    for article in ("no a ", "no an ", "no the "):
        text = text.replace(article, "no ")
    return text[0].upper() + text[1:] + "."
