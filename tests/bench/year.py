"""Two simulated years: `python tests/bench/year.py [--nights 730] [--seed N] [--plot FILE] [--json FILE]`.

A stream of made-up life goes through the real cycle, one dream a night: new facts, rewordings, updates with and
without a word of change, near-twins, noise that must not become memory, edits by hand and recalls. A ledger beside the
store knows what is true. At the end every fact nobody contradicted must be live and findable, every ended one ended,
and the seconds a dream takes must not grow with the store.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from dreamd.core.clock import FixedClock
from dreamd.core.paths import Paths
from dreamd.core.settings import Settings
from dreamd.core.values import Candidate, Memory, MemoryClass, Origin, Scope, Status
from dreamd.core.world import World
from dreamd.dream.cycle import run_cycle
from dreamd.kit import Kit, open_kit
from dreamd.models import Embedder, load_embedder
from dreamd.recall.answer import Look, search
from dreamd.store import memories, observations

FIRST = datetime(2026, 1, 1, 9, tzinfo=UTC)
SCOPE = Scope("project", "atlas")
ASKED_AT_END = 400
COLOURS = ("amber", "birch", "cobalt", "ebony", "fern", "golden", "hazel", "ivory", "jade", "khaki", "lilac", "maroon")
THINGS = ("relay", "ledger", "gateway", "scheduler", "importer", "archive", "planner", "beacon", "mixer", "router",
          "catalogue", "sorter", "meter", "printer", "scanner", "vault", "turbine", "cutter", "compiler", "collector")

# Each attribute: a plain wording, a light rewording, a heavy one, an update that says so. One value at a time.
ATTRIBUTES = (
    ("The {s} listens on port {v}.", "The {s} is listening on port {v}.", "Port {v} is where you reach the {s}.",
     "The {s} now listens on port {v} instead of port {o}.", lambda r: r.randrange(1024, 9999)),
    ("The {s} is backed up every {v} minutes.", "The {s} gets backed up every {v} minutes.",
     "A copy of the {s} is taken every {v} minutes.", "The {s} is now backed up every {v} minutes, no longer every {o}.",
     lambda r: r.randrange(5, 240)),
    ("The {s} keeps its records for {v} days.", "The {s} keeps records for {v} days.",
     "Records stay in the {s} for {v} days.", "The {s} now keeps its records for {v} days instead of {o}.",
     lambda r: r.randrange(10, 900)),
    ("Requests to the {s} time out after {v} ms.", "Requests to the {s} time out after {v} milliseconds.",
     "The {s} gives up on a request after {v} ms.", "The timeout of requests to the {s} was raised from {o} ms to {v} ms.",
     lambda r: r.randrange(50, 9000)),
    ("The {s} holds at most {v} entries.", "At most {v} entries fit into the {s}.",
     "There is room for {v} entries in the {s}, no more.", "The {s} now holds at most {v} entries, no longer {o}.",
     lambda r: r.randrange(100, 90000)),
)
NOISE = ("Yesterday we shipped the new {s} view.", "Today I cleaned up the {s} module and committed it.", "thanks!",
         "I refactored the {s} tests this morning.")


@dataclass
class Fact:
    """What is true about one attribute of one subject, and every note that says so."""

    subject: str
    attribute: int
    value: int
    keys: list[str]
    light: int = 0
    heavy: int = 0
    ended: list[list[str]] = field(default_factory=list)
    edited: bool = False
    said_at: datetime = FIRST


@dataclass
class Life:
    """The stream, its ledger and its chance."""

    chance: random.Random
    facts: list[Fact] = field(default_factory=list)
    noise: list[str] = field(default_factory=list)
    notes: int = 0

    def key(self) -> str:
        self.notes += 1
        return f"n{self.notes}"


def main() -> int:
    options = _options()
    embedder = load_embedder("light")
    life = Life(random.Random(options.seed))
    print(f"seed {options.seed}, {options.nights} nights")
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        history = live_through(life, home, embedder, options.nights)
        result = look_back(life, home, embedder, FIRST + timedelta(days=options.nights), show=options.show)
    result.update(seed=options.seed, nights=options.nights, **_pace(history))
    for name, value in result.items():
        print(f"{name:<34} {value}")
    if options.json:
        Path(options.json).write_text(json.dumps({**result, "history": history}, indent=1) + "\n")
    if options.plot:
        plot(history, Path(options.plot))
        print(f"plot: {options.plot}")
    # A missed update leaves a line too many and is reported; a lost fact or a wrong merge is what must never be.
    lost = result["unrefuted_facts_lost"] or result["wrong_merges"]
    return 1 if lost or result["light_rewordings_over_two_copies"] else 0


def live_through(life: Life, home: Path, embedder: Embedder, nights: int) -> list[dict[str, float]]:
    """Every day's words and every night's dream; gives each night's seconds and sizes."""
    history = []
    for night in range(nights):
        day = FIRST + timedelta(days=night)
        said = _one_day(life, day)
        if night % 45 == 44:
            _edit_by_hand(life, home)
        world = _world(home, day + timedelta(hours=12))
        started, cpu = time.perf_counter(), time.process_time()
        with open_kit(world, create=True, migrate=True) as kit:
            kit.embedder = embedder
            with kit.store.writing() as tx:
                observations.append(tx, said, stored_at=day, key=observations.tombstone_key(kit.store))
            run_cycle(kit)
            history.append({"night": night, "seconds": time.perf_counter() - started, "cpu": time.process_time() - cpu,
                            "live": float(memories.count_by_status(kit.store).get("live", 0)), "facts": float(len(life.facts))})
            if life.facts and night % 3 == 0:
                asked = life.chance.choice(life.facts)
                search(kit, _question(asked))
        if night % 73 == 72:
            print(f"  night {night + 1}: {history[-1]['live']:.0f} live, {history[-1]['seconds']:.2f} s", flush=True)
    return history


def _one_day(life: Life, day: datetime) -> list[Candidate]:
    r = life.chance
    said = []
    for _ in range(r.randrange(0, 3)):
        said.append(_new_fact(life, day))
    if life.facts and r.random() < 0.5:
        said.append(_reword(life, day))
    if life.facts and r.random() < 0.25:
        said.append(_update(life, day))
    if r.random() < 0.4:
        key = life.key()
        life.noise.append(key)
        said.append(_note(key, r.choice(NOISE).format(s=_subject(r)), day))
    return [s for s in said if s]


def _new_fact(life: Life, day: datetime) -> Candidate | None:
    subject, attribute = _subject(life.chance), life.chance.randrange(len(ATTRIBUTES))
    if any(f.subject == subject and f.attribute == attribute for f in life.facts):
        return None
    fact = Fact(subject, attribute, ATTRIBUTES[attribute][4](life.chance), [life.key()], said_at=day)
    life.facts.append(fact)
    return _note(fact.keys[0], ATTRIBUTES[attribute][0].format(s=subject, v=fact.value), day)


def _reword(life: Life, day: datetime) -> Candidate | None:
    fact = life.chance.choice(life.facts)
    if fact.said_at == day or fact.edited:
        return None
    wording = 1 if life.chance.random() < 0.7 else 2
    fact.light += wording == 1
    fact.heavy += wording == 2
    fact.keys.append(life.key())
    fact.said_at = day  # a fact that is said and changed on one day is ambiguous even to a person
    return _note(fact.keys[-1], ATTRIBUTES[fact.attribute][wording].format(s=fact.subject, v=fact.value), day)


def _update(life: Life, day: datetime) -> Candidate | None:
    fact = life.chance.choice(life.facts)
    if fact.said_at >= day - timedelta(days=2) or fact.edited:
        return None
    older, attribute = fact.value, ATTRIBUTES[fact.attribute]
    fact.value = attribute[4](life.chance)
    if fact.value == older:
        fact.value += 1
    fact.ended.append(fact.keys)
    fact.keys, fact.light, fact.heavy, fact.said_at = [life.key()], 0, 0, day
    wording = 3 if life.chance.random() < 0.6 else 0
    return _note(fact.keys[0], attribute[wording].format(s=fact.subject, v=fact.value, o=older), day)


def _edit_by_hand(life: Life, home: Path) -> None:
    """A person corrects a line of a topic file; from then on that file is theirs."""
    files = sorted((home / "memory" / "project" / "atlas").glob("*_*.md"))
    for path in life.chance.sample(files, len(files)):
        text = path.read_text()
        fact = next((f for f in life.facts if not f.edited and not f.heavy and not f.light
                     and ATTRIBUTES[f.attribute][0].format(s=f.subject, v=f.value) in text), None)
        if fact is not None:
            before = ATTRIBUTES[fact.attribute][0].format(s=fact.subject, v=fact.value)
            fact.value += 1
            fact.edited = True
            after = ATTRIBUTES[fact.attribute][0].format(s=fact.subject, v=fact.value)
            path.write_text(text.replace(before, after))
            return


def look_back(life: Life, home: Path, embedder: Embedder, now: datetime, *, show: bool = False) -> dict[str, object]:
    """Hold the store against the ledger."""
    with open_kit(_world(home, now), create=False) as kit:
        kit.embedder = embedder
        everyone = memories.load_memories(kit.store)
        ids = {r["key"]: r["id"] for r in kit.store.all("SELECT id, key FROM observation")}
        of: dict[str, list[Memory]] = {}
        for memory in everyone:
            for observation in memory.observations:
                of.setdefault(observation, []).append(memory)
        lost = [f for f in life.facts if not _stands(f, ids, of)]
        # Two current claims of one key set that belong to different facts would be a wrong merge.
        owner = {ids[k]: n for n, f in enumerate(life.facts) for k in (*f.keys, *(k for e in f.ended for k in e)) if k in ids}
        wrong = sum(len({owner[o] for o in m.observations if o in owner}) > 1 for m in everyone)
        ended_live = sum(any(m.status is Status.LIVE and str(f.value) not in m.text
                             for k in keys for m in of.get(ids.get(k, ""), []))
                         for f in life.facts for keys in f.ended)
        copies = [len({m.id for k in f.keys for m in of.get(ids.get(k, ""), []) if m.status in (Status.LIVE, Status.STALE)})
                  for f in life.facts]
        asked = life.chance.sample(life.facts, min(ASKED_AT_END, len(life.facts)))
        missed = sum(not _found(kit, f) for f in asked)
        index = (home / "memory" / "project" / "atlas" / "MEMORY.md").read_text()
        noise = sum(bool(of.get(ids.get(k, ""))) for k in life.noise)
        if show:
            for fact in lost:
                print("lost:", fact.subject, fact.value, [(m.status.value, m.reason, m.text, m.confirmed_at.date().isoformat(),
                      [(s.text, s.confirmed_at.date().isoformat()) for s in everyone if s.id == m.superseded_by])
                      for k in fact.keys for m in of.get(ids.get(k, ""), [])])
            for fact in life.facts:
                for keys in fact.ended:
                    for m in {m.id: m for k in keys for m in of.get(ids.get(k, ""), [])}.values():
                        if m.status is Status.LIVE and str(fact.value) not in m.text:
                            print("still live:", m.text, "| now", fact.value, fact.keys)
            for n, fact in enumerate(life.facts):
                if copies[n] > 1:
                    print("copies:", sorted({m.text for k in fact.keys for m in of.get(ids.get(k, ""), [])}))
    light = [c for c, f in zip(copies, life.facts, strict=True) if f.light and not f.heavy]
    return {
        "facts": len(life.facts), "notes": life.notes, "memories": len(everyone),
        "live": sum(m.status is Status.LIVE for m in everyone), "held": sum(m.status is Status.HELD for m in everyone),
        "unrefuted_facts_lost": len(lost), "wrong_merges": wrong, "ended_facts_still_live": ended_live,
        "light_rewordings_over_two_copies": sum(c > 2 for c in light),
        "facts_reworded_lightly": len(light), "of_these_in_one_copy": sum(c == 1 for c in light),
        "facts_reworded_heavily": sum(bool(f.heavy) for f in life.facts),
        "of_these_in_one_copy_too": sum(c == 1 for c, f in zip(copies, life.facts, strict=True) if f.heavy),
        "asked": len(asked), "not_found_within_ten": missed, "noise_kept": noise,
        "index_lines": len(index.splitlines()), "index_bytes": len(index.encode())}


def _stands(fact: Fact, ids: dict[str, str], of: dict[str, list[Memory]]) -> bool:
    """A current memory says the value that holds today, and rests on a note that said it or on an edit."""
    keys = fact.keys if not fact.edited else [*fact.keys, *(k for e in fact.ended for k in e)]
    standing = [m for k in keys for m in of.get(ids.get(k, ""), []) if m.status in (Status.LIVE, Status.STALE)]
    return any(str(fact.value) in m.text for m in standing)


def _found(kit: Kit, fact: Fact) -> bool:
    answer = search(kit, _question(fact), Look(limit=10, record=False))
    return any(fact.subject in r.memory.text and str(fact.value) in r.memory.text for r in answer.results)


def _question(fact: Fact) -> str:
    words = ("which port does the {s} listen on?", "how often is the {s} backed up?", "how long does the {s} keep records?",
             "when do requests to the {s} time out?", "how many entries does the {s} hold?")
    return words[fact.attribute].format(s=fact.subject)


def _note(key: str, text: str, day: datetime) -> Candidate:
    # Told as rules: age retires no rule, so whatever is gone at the end was lost and not merely unasked for.
    return Candidate(text, Origin.USER, day, SCOPE, conversation=f"talk-{day:%Y%m%d}", key=key,
                     class_hint=MemoryClass.RULE)


def _subject(chance: random.Random) -> str:
    return f"{chance.choice(COLOURS)} {chance.choice(THINGS)}"


def _world(home: Path, now: datetime) -> World:
    return World(Paths(home), Settings(), FixedClock(now), {"HOME": str(home.parent / "person"), "TZ": "UTC"})


def _pace(history: list[dict[str, float]]) -> dict[str, object]:
    tenth = max(1, len(history) // 10)
    early = statistics.median(h["cpu"] for h in history[tenth:2 * tenth])
    late = statistics.median(h["cpu"] for h in history[-tenth:])
    return {"cpu_s_a_night_early": round(early, 3), "cpu_s_a_night_late": round(late, 3),
            "late_over_early": round(late / max(early, 1e-6), 2)}


def plot(history: list[dict[str, float]], path: Path) -> None:
    """Live memories against facts, and CPU seconds a dream."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, (top, bottom) = pyplot.subplots(2, 1, figsize=(9, 6), sharex=True)
    nights = [h["night"] for h in history]
    top.plot(nights, [h["facts"] for h in history], label="facts that are true")
    top.plot(nights, [h["live"] for h in history], label="live memories")
    top.legend()
    bottom.plot(nights, [h["cpu"] for h in history], linewidth=0.6)
    bottom.set_ylabel("CPU s a dream")
    bottom.set_xlabel("night")
    figure.tight_layout()
    figure.savefig(path, dpi=110)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--nights", type=int, default=730)
    parser.add_argument("--seed", type=int, default=20260101)
    parser.add_argument("--plot")
    parser.add_argument("--show", action="store_true", help="print each fact that is not as it should be")
    parser.add_argument("--json")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
