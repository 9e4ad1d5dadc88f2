"""The network that reads what a person said to an agent: how surely it is meant to last, and whether it reads alone.

It is the network that reads pairs with a low-rank product added to each of its upper layers, and a head of three outputs: of
what was said before and a sentence the logits that a careful reader keeps it, that nobody can tell from it alone what it speaks
of, and not even with what stands before it in its message. `tests/bench/lasting_train.py` trains it.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from dreamd.core.paths import share_dir
from dreamd.models import pair_net
from dreamd.models.pair_net import Trained

TRAINED = "lasting_net.safetensors"
KIND = "sentences"
LABELS = ("lasts", "leans", "adrift")
UNREAD = -99.0
PLAIN = "Done."
"""Behind it every sentence is read as well, and the mean counts: with what words an agent ends its report tells little."""
BEFORE, EARLIER, SENTENCE = 220, 160, 400
"""Characters that are read of what the other said last, of what the person said before in the same message, of the sentence."""


class Lasting(NamedTuple):
    """What is read of a sentence, as logits."""

    lasts: float
    leans: float = UNREAD
    """That it says too little without what was said before it."""
    adrift: float = UNREAD
    """That what stands before it in its own message is not enough."""


Lasts = Callable[[str, str, str], Lasting]
"""How a sentence reads, from what the other said last, what stands before it in its message, and itself."""


def load_lasting(folder: Path | None = None, *, threads: int = 1, keep: bool = True) -> Lasts:
    """What reads sentences; the network is loaded by the first of them.

    Raises Outage when the base, the net it was trained upon or the trained file is missing or another one.
    """
    trained = Trained(share_dir("config") / "hearing" / TRAINED, KIND, LABELS, upon=pair_net.shipped_file())
    net = pair_net.load_net(trained, folder, threads=threads, keep=keep)

    def read(before: str, earlier: str, sentence: str) -> Lasting:
        rows = net.read([told_with(said, earlier, sentence) for said in (before, PLAIN)])
        return Lasting(*map(float, rows.mean(axis=0)))

    return read


def told_with(before: str, earlier: str, sentence: str) -> tuple[str, str]:
    """The pair that is read: the end of what came before, and the sentence."""
    said = before.strip().replace("\n", " ")[-BEFORE:]
    mine = earlier.strip()[-EARLIER:]
    return (f"{said} | {mine}" if mine else said) or "-", sentence[:SENTENCE]
