"""How well extraction finds what a person labelled as durable: recall, precision, and false memories of empty talks.

    extraction_eval.py LABELS FOLDER [--part even|odd] [--forms] [--show]

LABELS has one JSON object a line: `file` (below FOLDER) and `facts` (what a reader would keep). A memory counts as found
when its meaning is close to a fact (cosine ≥ 0.60, greedy, one to one). Live and held count together; one-off orders wait
for their third conversation and make no memory. Neither labels nor conversations are part of the project.
"""

from __future__ import annotations

import argparse
import json
import sys
from datetime import UTC
from pathlib import Path

import numpy as np

from dreamd.core.values import Cursor, Event, GateVerdict, parse_scope
from dreamd.extraction import ConversationState, extract, gate
from dreamd.models import Embedder, load_embedder
from dreamd.models.lasting_net import Lasts, load_lasting
from dreamd.sources import adapter_for

MATCH_AT = 0.60


def main(argv: list[str]) -> int:
    """Print one line a conversation and the figures at the end."""
    options = _options(argv)
    rows = [json.loads(line) for line in options.labels.read_text(encoding="utf-8").splitlines() if line.strip()]
    rows = [row for n, row in enumerate(rows) if options.part is None or n % 2 == (options.part == "odd")]
    embedder, lasts = load_embedder("light"), None if options.forms else load_lasting()
    facts = found = kept = empty = false_in_empty = 0
    for row in rows:
        memories = _memories(options.folder / row["file"], lasts)
        hits = _matched(embedder, row["facts"], memories)
        facts, kept, found = facts + len(row["facts"]), kept + len(memories), found + len(hits)
        if not row["facts"]:
            empty, false_in_empty = empty + 1, false_in_empty + len(memories)
        if options.show:
            _show(row, memories, hits)
    print(f"{len(rows)} conversations, {facts} facts, {kept} memories, {found} found")
    print(
        f"recall {found / max(1, facts):.2f}, precision {found / max(1, kept):.2f}, "
        f"{false_in_empty / max(1, empty):.2f} memories in each of {empty} empty conversations"
    )
    return 0


def _options(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="measure extraction against labels")
    parser.add_argument("labels", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--part", choices=("even", "odd"))
    parser.add_argument("--forms", action="store_true", help="go by the form of a sentence alone")
    parser.add_argument("--show", action="store_true")
    return parser.parse_args(argv)


def _events(path: Path) -> list[Event]:
    adapter = adapter_for(path)
    if adapter is None:
        return []
    events: list[Event] = []
    cursor = Cursor()
    while True:
        reading = adapter.read(path, cursor, budget_bytes=64 * 1024 * 1024)
        events += reading.events
        if reading.complete or reading.cursor == cursor:
            return events
        cursor = reading.cursor


def _memories(path: Path, lasts: Lasts | None) -> list[str]:
    extraction = extract(_events(path), state=ConversationState(), scope=parse_scope("project:eval"), lasts=lasts)
    texts = []
    for candidate in extraction.candidates:
        gated = gate(candidate.text, origin=candidate.origin, at=candidate.at, zone=UTC, explicit=candidate.explicit)
        if gated.verdict is not GateVerdict.DISCARD and candidate.sign != "one-off":
            texts.append(gated.text)
    return texts


def _matched(embedder: Embedder, facts: list[str], memories: list[str]) -> dict[int, int]:
    if not facts or not memories:
        return {}
    near = embedder.embed(facts) @ embedder.embed(memories).T
    hits: dict[int, int] = {}
    for place in np.argsort(-near, axis=None):
        fact, memory = divmod(int(place), len(memories))
        if near[fact, memory] < MATCH_AT:
            break
        if fact not in hits and memory not in hits.values():
            hits[fact] = memory
    return hits


def _show(row: dict[str, list[str]], memories: list[str], hits: dict[int, int]) -> None:
    print(f"{row['file']}: {len(row['facts'])} facts, {len(memories)} memories, {len(hits)} found")
    for n, fact in enumerate(row["facts"]):
        print(f"  {'found ' if n in hits else 'missed'} {fact}")
    for n, memory in enumerate(memories):
        print(f"  {'right ' if n in hits.values() else 'false '} {memory}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
