"""What stands in a text where a secret stood, and how secrets are cut out of it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

MASK = re.compile(r"\[masked: [a-z0-9 ]{1,40}\]")


@dataclass(frozen=True)
class Found:
    """Where a secret stands in a text, and of which kind it is."""

    start: int
    end: int
    kind: str


def cut_out(text: str, found: Iterable[Found], masks: list[str]) -> str:
    """The text with a mask for each secret that was found; of two that overlap the earlier counts."""
    parts, at = [], 0
    for one in sorted(found, key=lambda f: (f.start, -f.end)):
        if one.start < at or one.end <= one.start:
            continue
        masks.append(one.kind)
        parts += [text[at:one.start], f"[masked: {one.kind}]"]
        at = one.end
    return "".join(parts) + text[at:]
