"""Made-up memories in any number, with vectors, the same for the same seed.

Every fact is one attribute of one subject with one value, so no two facts contradict each other. A near-duplicate says a
fact again in another wording; a twin, of which there are many, differs from its neighbour in the value or the subject
alone. Vectors are given, so that what is measured is the work of a dream and not that of a model: they are sums of a
part for the subject, one for the attribute, one for the value and a little noise for the wording, and so as near to
each other as those of a real model.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DIM = 384
DUPLICATE_SHARE = 0.3

COLOURS = ("amber", "birch", "cobalt", "dusty", "ebony", "fern", "golden", "hazel", "ivory", "jade", "khaki", "lilac",
           "maroon", "navy", "ochre", "pearl", "quartz", "russet", "silver", "tawny", "umber", "violet", "walnut",
           "yellow", "zinc", "copper", "basalt", "coral", "denim", "emerald")
THINGS = ("relay", "ledger", "gateway", "scheduler", "importer", "archive", "planner", "beacon", "mixer", "router",
          "catalogue", "sorter", "meter", "printer", "scanner", "dispatcher", "index", "vault", "mirror", "turbine",
          "cutter", "loader", "monitor", "register", "compiler", "terminal", "collector", "balancer", "worker", "queue")
PLACES = ("Aveiro", "Bergen", "Cork", "Delft", "Evora", "Faro", "Ghent", "Halle", "Ivrea", "Jaca", "Kiel", "Leiden",
          "Malaga", "Namur", "Odense", "Parma", "Quimper", "Riga", "Setubal", "Tartu")
PEOPLE = ("Alda", "Bruno", "Carla", "Dario", "Elsa", "Fausto", "Greta", "Hugo", "Ines", "Jonas", "Klara", "Luis")

ATTRIBUTES: tuple[tuple[str, str, str], ...] = (
    ("{s} listens on port {n}", "Port {n} is the one {s} listens on", "{s} is listening on port {n}"),
    ("{s} writes its logs to /var/log/{k}/{n}.log", "The logs of {s} are in /var/log/{k}/{n}.log",
     "/var/log/{k}/{n}.log holds the logs of {s}"),
    ("{s} is backed up every {n} minutes", "Every {n} minutes {s} is backed up", "Backups of {s} run every {n} minutes"),
    ("{p} is responsible for {s}", "Responsible for {s} is {p}", "{s} is the responsibility of {p}"),
    ("{s} holds at most {n} entries", "At most {n} entries fit into {s}", "{s} has room for at most {n} entries"),
    ("Requests to {s} time out after {n} ms", "{s} requests time out after {n} ms",
     "After {n} ms requests to {s} time out"),
    ("{s} is started with `run-{k} --slot {n}`", "Start {s} with `run-{k} --slot {n}`",
     "`run-{k} --slot {n}` starts {s}"),
    ("{s} needs {n} MB of memory", "{n} MB of memory are needed by {s}", "{s} takes {n} MB of memory"),
    ("Never restart {s} without asking {p}", "{s} must never be restarted without asking {p}",
     "Without asking {p}, never restart {s}"),
    ("{s} keeps its records for {n} days", "Records of {s} are kept for {n} days", "{s} keeps records for {n} days"),
    ("Alerts of {s} go to the channel #{k}-{n}", "The channel #{k}-{n} gets the alerts of {s}",
     "#{k}-{n} is the channel for alerts of {s}"),
    ("{s} answers {n} requests a second", "{n} requests a second are answered by {s}",
     "{s} can answer {n} requests a second"),
)


@dataclass(frozen=True)
class Generated:
    """One made-up statement; `original` is the index of the statement it repeats, or its own."""

    text: str
    original: int
    subject: int
    attribute: int
    value: int


def generate(count: int, *, seed: int = 1, duplicates: float = DUPLICATE_SHARE) -> list[Generated]:
    """`count` statements, of which the share `duplicates` repeats an earlier one in other words, well mixed."""
    chance = random.Random(seed)
    facts = count - int(count * duplicates)
    made = [_fact(number, chance) for number in range(facts)]
    repeats = [_repeat(chance.randrange(facts), made, chance) for _ in range(count - facts)]
    # A repeat comes anywhere after its fact; `original` is then moved to where that fact ended up.
    waiting = sorted(((chance.randrange(one.original + 1, facts + 1), one) for one in repeats), key=lambda pair: pair[0],
                     reverse=True)
    mixed: list[Generated] = []
    new_place: dict[int, int] = {}
    for number, fact in enumerate(made):
        new_place[number] = len(mixed)
        mixed.append(fact)
        while waiting and waiting[-1][0] <= number + 1:
            mixed.append(waiting.pop()[1])
    return [Generated(one.text, new_place[one.original], one.subject, one.attribute, one.value) for one in mixed]


def given_vectors(memories: Sequence[Generated], *, seed: int = 1) -> NDArray[np.float16]:
    """A unit vector for each statement, as float16: near for one fact, less near for one subject or one attribute."""
    import numpy as np

    chance = np.random.default_rng(seed)
    common = _table(1, chance)
    subjects = _table(1 + max(one.subject for one in memories), chance)
    attributes = _table(len(ATTRIBUTES), chance)
    values = _table(1 + max(one.value for one in memories), chance)
    rows = np.empty((len(memories), DIM), np.float16)
    for start in range(0, len(memories), 1024):
        block = memories[start:start + 1024]
        noise = chance.standard_normal((len(block), DIM)).astype(np.float32) / np.sqrt(DIM)
        # Squares of the weights are the cosines: 0.4 for any two, 0.6 for one subject, 0.7 for one attribute, 0.95 for
        # one fact, which is what all-MiniLM-L6-v2 gives these texts.
        sums = (0.63 * common + 0.44 * subjects[[one.subject for one in block]]
                + 0.55 * attributes[[one.attribute for one in block]]
                + 0.24 * values[[one.value for one in block]] + 0.22 * noise)
        rows[start:start + len(block)] = sums / np.linalg.norm(sums, axis=1, keepdims=True)
    return rows


def _fact(number: int, chance: random.Random) -> Generated:
    """Fact `number`: its subject and attribute are unlike those of every other fact."""
    subject, attribute = divmod(number, len(ATTRIBUTES))
    value = chance.randrange(20, 9000)
    return Generated(_say(subject, attribute, value, wording=0), number, subject, attribute, value)


def _repeat(original: int, made: Sequence[Generated], chance: random.Random) -> Generated:
    fact = made[original]
    text = _say(fact.subject, fact.attribute, fact.value, wording=chance.randrange(1, 3))
    return Generated(chance.choice(("{}", "{}.", "Note: {}", "{}!")).format(text), original, fact.subject,
                     fact.attribute, fact.value)


def _say(subject: int, attribute: int, value: int, *, wording: int) -> str:
    rest, thing = divmod(subject, len(THINGS))
    place_number, colour = divmod(rest, len(COLOURS))
    place = PLACES[place_number % len(PLACES)]
    name = f"the {COLOURS[colour]} {THINGS[thing]}" + (f" in {place}" if place_number else "")
    key = f"{COLOURS[colour][:3]}{THINGS[thing][:4]}{place_number or ''}"
    text = ATTRIBUTES[attribute][wording].format(s=name, n=value, k=key, p=PEOPLE[value % len(PEOPLE)])
    return text[0].upper() + text[1:]


def _table(count: int, chance: np.random.Generator) -> NDArray[np.float32]:
    import numpy as np

    rows = chance.standard_normal((count, DIM)).astype(np.float32)
    units: NDArray[np.float32] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return units
