"""The network that reads two statements of any language together, and says what they are to each other.

multilingual-e5-small as its package carries it, with every layer changed by a small trained file that travels with dream:
for each matrix what is added to it at three bits a value, for all else what is added itself. The changed network is
packed into a graph once on a machine, and kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from dreamd.core.errors import Outage
from dreamd.core.paths import share_dir
from dreamd.models import PAIR_LABELS, model_files, multilingual_base, onnx_engine
from dreamd.models.weights import WeightFile

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from dreamd.models.multilingual_base import MultilingualBase
    from dreamd.models.onnx_engine import Network

    Floats = NDArray[np.float32]

TRAINED = "pair_net.safetensors"
BLOCK, MOST = 64, 3
"""Values that share a scale, and the greatest step of it: three bits tell -4 to 3."""
MAKE = "1"
"""How a graph is made of the weights; another way has other results, and another name."""
LONGEST_TOKENS = 256
LONGEST_CHARACTERS = 8_000
"""Bounds the time for cutting a text of which only the first tokens count."""
BATCH_TOKENS = 192
"""Best of 64 to 1024 measured: the widest activations of a batch stay in the second-level cache."""
KINDS = "embeddings.token_type_embeddings.weight"


@dataclass(frozen=True)
class Trained:
    """A trained file: what kind of network it makes of the base, what that tells apart, and the file it was trained upon."""

    path: Path
    kind: str = "pairs"
    labels: tuple[str, ...] = PAIR_LABELS
    upon: Path | None = None


class PairNet:
    """A verified network, whose graph and tokenizer are loaded by the first pair it reads."""

    def __init__(self, base: Path, trained: Trained, *, name: str, folder: Path | None, keep: bool, threads: int) -> None:
        self.name = name
        self._paths, self._folder, self._keep, self._threads = (base, trained), folder, keep, threads
        self._loaded: tuple[MultilingualBase, Network] | None = None

    def read(self, pairs: Sequence[tuple[str, str]], *, progress: Callable[[int, int], None] | None = None) -> Floats:
        """One row of logits in the order of its labels for each pair, read in the order given.

        What is read of a pair does not hang on the others. `progress` is told before each batch how many are read, and may
        wait or raise. Raises Outage when the files or the engine fail.
        """
        import numpy as np

        width = len(self._paths[1].labels)
        rows = np.zeros((len(pairs), width), np.float32)
        if not pairs:
            return rows
        base, network = self._load()
        distinct = list(dict.fromkeys(pairs))
        place = {pair: n for n, pair in enumerate(distinct)}
        cut = cut_pairs(base, distinct)
        done, found = 0, np.empty((len(distinct), width), np.float32)
        for batch in _batches([len(numbers) for numbers, _ in cut]):
            if progress:
                progress(done, len(distinct))
            found[batch] = network.run(to_inputs(base, [cut[n] for n in batch]))
            done += len(batch)
        rows[:] = found[[place[pair] for pair in pairs]]
        return rows

    def _load(self) -> tuple[MultilingualBase, Network]:
        if self._loaded is None:
            onnx_engine.load_runtime()
            try:
                base = multilingual_base.open_base(self._paths[0])
                trained = self._paths[1]
                name = onnx_engine.graph_name(trained.kind, self.name)
                graph = onnx_engine.kept_graph(
                    self._folder, name, lambda: make_graph(base, trained.path, upon=trained.upon), keep=self._keep)
            except (OSError, ValueError, KeyError) as failure:
                raise Outage("the net that reads pairs cannot be loaded", component="model", code="model-unreadable",
                             hint=onnx_engine.REINSTALL) from failure
            self._loaded = base, onnx_engine.Network(graph, threads=self._threads)
        return self._loaded


def load_pair_net(folder: Path | None = None, *, trained: Path | None = None, threads: int = 1, keep: bool = True) -> PairNet:
    """The network, verified: its graph and the checksums of its files are kept in `folder`, or only looked up there.

    Raises Outage when the base or the trained file is missing or another one; the hint says what to install.
    """
    return load_net(Trained(trained or shipped_file()), folder, threads=threads, keep=keep)


def shipped_file() -> Path:
    """The trained file that travels with dream."""
    return share_dir("config") / "judge" / TRAINED


def load_net(trained: Trained, folder: Path | None = None, *, threads: int = 1, keep: bool = True) -> PairNet:
    """The network of a trained file, verified like the one that reads pairs; raises Outage as well."""
    base, path = multilingual_base.find_base(kept_in=folder, keep=keep), trained.path
    try:
        with WeightFile(path) as weights:
            told = weights.metadata
        trained_sha256 = model_files.checksum(path, kept_in=folder, keep=keep)
        upon_sha256 = model_files.checksum(trained.upon, kept_in=folder, keep=keep) if trained.upon else ""
    except FileNotFoundError as failure:
        raise Outage(f"the trained part of the net that reads {trained.kind} is missing", component="model",
                     code="model-missing", hint=onnx_engine.REINSTALL) from failure
    except (OSError, ValueError) as failure:
        raise Outage(f"`{path}` cannot be read", component="model", code="model-unreadable",
                     hint=onnx_engine.REINSTALL) from failure
    wanted = (multilingual_base.SHA256, ",".join(trained.labels), upon_sha256)
    if (told.get("base_sha256"), told.get("labels"), told.get("upon_sha256", "")) != wanted:
        raise Outage(f"`{path}` was trained for another base or other labels", component="model", code="model-changed",
                     hint=onnx_engine.REINSTALL)
    made = onnx_engine.graph_name("", multilingual_base.SHA256, trained_sha256, *filter(None, [upon_sha256]), MAKE)
    return PairNet(base, trained, name=f"{trained.kind}{made[:13]}/int8", folder=folder, keep=keep, threads=threads)


def make_graph(base: MultilingualBase, trained: Path, *, upon: Path | None = None, int8: bool = True) -> bytes:
    """The graph of the changed network; raises OSError, ValueError or KeyError where the trained file is no such file."""
    from dreamd.models import bert_graph

    with ExitStack() as opened:
        below = [opened.enter_context(WeightFile(upon))] if upon else []
        file = opened.enter_context(WeightFile(trained))
        shape = base.shape
        sizes = bert_graph.Sizes(shape.layers, shape.heads, shape.hidden, shape.epsilon, int8=int8)
        head = bert_graph.Head(file.read("head.weight"), file.read("head.bias"))
        graph: bytes = bert_graph.pair_graph(changed_weights(base, *below, file), sizes, head).SerializeToString()
        return graph


def changed_weights(base: MultilingualBase, *trained: WeightFile) -> Callable[[str], Floats]:
    """What gives each weight of the base as trained files change it one after the other, by its name."""

    def read(name: str) -> Floats:
        weight = base.weight(name).copy()
        if name == KINDS:
            weight[1] = weight[0]  # the second statement's type starts as a copy of the first
        for file in trained:
            if f"{name}.bits" in file.names:
                weight += unpacked(file.read_bytes(f"{name}.bits"), file.read(f"{name}.scale")).reshape(weight.shape)
            if f"{name}.delta" in file.names:
                weight += file.read(f"{name}.delta")
            if f"{name}.down" in file.names:
                weight += file.read(f"{name}.up") @ file.read(f"{name}.down")
        return weight

    return read


def unpacked(bits: bytes, scale: Floats) -> Floats:
    """Values of three bits, most significant first, each -4 to 3 steps of the scale of its block.

    Raises ValueError when there are fewer than the scales are for.
    """
    import numpy as np

    rows = np.unpackbits(np.frombuffer(bits, np.uint8), count=scale.size * BLOCK * 3).reshape(-1, 3)
    steps = (rows << np.array([2, 1, 0], np.uint8)).sum(axis=1, dtype=np.int16) - MOST - 1
    values: Floats = (steps.reshape(-1, BLOCK) * scale[:, None]).reshape(-1).astype(np.float32)
    return values


def cut_pairs(base: MultilingualBase, pairs: Sequence[tuple[str, str]]) -> list[tuple[list[int], int]]:
    """`<s> a </s> b </s>` and where b begins; of two too long together the longer one loses its end first."""
    numbers = iter(base.numbers([text[:LONGEST_CHARACTERS] for pair in pairs for text in pair]))
    cut = []
    for one, other in zip(numbers, numbers, strict=True):
        while len(one) + len(other) > LONGEST_TOKENS - 3:
            (one if len(one) >= len(other) else other).pop()
        cut.append(([base.first, *one, base.last, *other, base.last], len(one) + 2))
    return cut


def to_inputs(base: MultilingualBase, batch: Sequence[tuple[list[int], int]]) -> dict[str, NDArray[np.generic]]:
    """What the graph takes, padded to the longest pair."""
    import numpy as np

    size = (len(batch), max(len(numbers) for numbers, _ in batch))
    tokens, kinds, mask = np.full(size, base.padding, np.int64), np.zeros(size, np.int64), np.zeros(size, np.int64)
    for n, (numbers, second_at) in enumerate(batch):
        tokens[n, :len(numbers)] = numbers
        kinds[n, second_at:len(numbers)] = 1
        mask[n, :len(numbers)] = 1
    return {"words": base.words(tokens), "kinds": kinds, "mask": mask}


def _batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Places in order of length; a batch has as many as fit into its tokens with all as long as the longest."""
    batch: list[int] = []
    for place in sorted(range(len(lengths)), key=lambda n: (lengths[n], n)):
        if batch and (len(batch) + 1) * lengths[place] > BATCH_TOKENS:
            yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch
