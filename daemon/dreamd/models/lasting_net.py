"""The network that reads what a person said to an agent, and says how surely it is meant to last beyond the task at hand.

It is the network that reads pairs with a low-rank product added to each of its upper layers, and a head of one output: of what
was said before and a sentence the logit that a careful reader keeps it. `tests/bench/lasting_train.py` trains it.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from dreamd.core.paths import share_dir
from dreamd.models import pair_net
from dreamd.models.pair_net import Trained

TRAINED = "lasting_net.safetensors"
KIND = "sentences"
LABELS = ("lasts",)
BEFORE, EARLIER, SENTENCE = 220, 160, 400
"""Characters that are read of what the other said last, of what the person said before in the same message, of the sentence."""
Lasts = Callable[[str, str, str], float]
"""How surely (logit) a sentence lasts, from what the other said last, what stands before it in its message, and itself."""


def load_lasting(folder: Path | None = None, *, threads: int = 1, keep: bool = True) -> Lasts:
    """What reads sentences; the network is loaded by the first of them.

    Raises Outage when the base, the net it was trained upon or the trained file is missing or another one.
    """
    trained = Trained(share_dir("config") / "hearing" / TRAINED, KIND, LABELS, upon=pair_net.shipped_file())
    net = pair_net.load_net(trained, folder, threads=threads, keep=keep)
    return lambda before, earlier, sentence: float(net.read([told_with(before, earlier, sentence)])[0, 0])


def told_with(before: str, earlier: str, sentence: str) -> tuple[str, str]:
    """The pair that is read: the end of what came before, and the sentence."""
    said = before.strip().replace("\n", " ")[-BEFORE:]
    mine = earlier.strip()[-EARLIER:]
    return (f"{said} | {mine}" if mine else said) or "-", sentence[:SENTENCE]
