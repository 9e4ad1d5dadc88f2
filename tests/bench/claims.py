"""The labelled pairs of `pair_data`, as values: claims by tag and split, and pairs by author."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from dreamd.core.values import Relation
from dreamd.judge import Statement

DATA = Path(__file__).parent / "pair_data"
TAGS = frozenset({"number", "identifier", "negation", "name", "scope", "quantifier", "condition", "order", "time", "change",
                  "rewording", "language", "other"})
"""What decides a claim."""
CERTAIN = frozenset({"number", "identifier", "negation", "name", "scope"})
"""Tags of which not one may be merged that is two claims."""


@dataclass(frozen=True)
class Claim:
    """A labelled pair of statements; `tag` and `split` only where somebody gave them."""

    id: str
    a: Statement
    b: Statement
    relation: Relation
    lang: str
    author: str
    tag: str = ""
    split: str = ""

    @property
    def texts(self) -> tuple[str, str]:
        """The words of both sides."""
        return self.a.text, self.b.text


def load(path: Path) -> list[Claim]:
    """The pairs of one file, in its order."""
    return [_claim(json.loads(line)) for line in path.read_text("utf-8").splitlines() if line.strip()]


def claims(split: str) -> list[Claim]:
    """The claims of one part: `train` or `test`."""
    return [claim for claim in load(DATA / "claims.jsonl") if claim.split == split]


def by_authors() -> list[Claim]:
    """The pairs of all authors."""
    return [claim for path in sorted(DATA.glob("a*.jsonl"), key=lambda p: int(p.stem[1:])) for claim in load(path)]


def texts_of(pairs: Sequence[Claim]) -> list[str]:
    """Every text of some pairs once, in order."""
    return list(dict.fromkeys(text for pair in pairs for text in pair.texts))


def _claim(row: dict[str, str]) -> Claim:
    a, b = (Statement(row[side], datetime.fromisoformat(row[f"{side}_at"].replace("Z", "+00:00"))) for side in ("a", "b"))
    return Claim(row["id"], a, b, Relation(row["relation"]), row.get("lang", ""), row.get("author", ""), row.get("tag", ""),
                 row.get("split", ""))
