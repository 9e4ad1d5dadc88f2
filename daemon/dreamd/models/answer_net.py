"""The network that reads a question and a statement, and says whether the one is answered by the other.

It is the network that reads pairs with a low-rank product added to each of its upper layers, and a head of two outputs: of a
question and a statement the first is the logit that the statement answers; of a question with an earlier answer and a later
statement the second is the logit that the later one took its place.
"""

from __future__ import annotations

from pathlib import Path

from dreamd.core.paths import share_dir
from dreamd.models import model_files, pair_net
from dreamd.models.pair_net import PairNet, Trained

TRAINED, ABOUT = "answer_net.safetensors", "answer_net.json"
KIND = "answers"
LABELS = ("answers", "replaced")
_shared: dict[int, PairNet] = {}
"""By the number of its threads."""


def load_answer_net(folder: Path | None = None, *, threads: int = 1, keep: bool = True) -> PairNet:
    """The network, verified; it reads (question, statement) and (question with earlier answer, later statement).

    Raises Outage when the base, the net it was trained upon or the trained file is missing or another one.
    """
    trained = Trained(share_dir("config") / "question" / TRAINED, KIND, LABELS, upon=pair_net.shipped_file())
    return pair_net.load_net(trained, folder, threads=threads, keep=keep)


def shared_answer_net(folder: Path | None, *, threads: int, keep: bool) -> PairNet:
    """The same one for every question of a process; whoever asks first says where it is kept. Raises Outage as well."""
    if threads not in _shared:
        _shared[threads] = load_answer_net(folder, threads=threads, keep=keep)
    return _shared[threads]


def with_question(question: str, earlier: str) -> str:
    """How an earlier answer is read with its question, beside what may have taken its place."""
    return f"{question} {earlier}"


def pair_net_sha256() -> str:
    """The checksum of the net that it is trained upon."""
    return model_files.checksum(pair_net.shipped_file())
