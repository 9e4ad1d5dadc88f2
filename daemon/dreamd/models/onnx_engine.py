"""onnxruntime: the one place that imports it, runs a graph, and keeps a graph that was made on this machine.

A graph is made from verified weights in about a second and kept below the home under a name that holds a digest of all
it was made from, with its own checksum in front: what is damaged, cut off or of another make is made anew, and where
the home takes nothing a graph serves the process that made it.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from dreamd.core import fsio
from dreamd.core.errors import DreamError, Outage
from dreamd.core.paths import GRAPH_SUFFIX

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

MAGIC = b"dream graph 1 "
HEAD_BYTES = len(MAGIC) + 65
LARGEST_BYTES = 512 << 20
REINSTALL = "reinstall dream with its dependencies"


def load_runtime() -> ModuleType:
    """The library itself.

    Whatever else loads native code beside it must come after: with the versions that are pinned, usearch imported first
    ends the process. Raises Outage when it is not installed.
    """
    # Newer builds tell their maker of each session, over the network and through a queue in the person's cache.
    os.putenv("ORT_DISABLE_TELEMETRY", "1")
    try:
        import onnxruntime
    except ImportError as failure:
        raise Outage("the engine of the networks is not installed: onnxruntime", component="model", code="engine-missing",
                     hint=REINSTALL) from failure
    found: ModuleType = onnxruntime
    return found


class Network:
    """A graph, ready to be run."""

    def __init__(self, graph: bytes, *, threads: int = 1) -> None:
        """Load a graph; raises Outage when the engine is missing or does not take it."""
        runtime = load_runtime()
        options = runtime.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
        # Idle threads that spin are not polite in the background. Memory is kept for the largest batch ever seen, and batches
        # are small: without the arena a process that reads pairs and texts holds 18 MiB more.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        options.log_severity_level = 3
        try:
            self._session: Any = runtime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
        except RuntimeError as failure:
            raise Outage("the engine of the networks does not take the graph that was made for it", component="model",
                         code="engine-failed", hint=REINSTALL) from failure
        if hasattr(self._session, "_model_bytes"):
            self._session._model_bytes = b""  # the graph, kept only for another provider to fall back to: there is none

    def run(self, inputs: Mapping[str, NDArray[Any]]) -> Floats:
        """The first output; raises Outage when the engine fails."""
        try:
            found: Floats = self._session.run(None, dict(inputs))[0]
        except (RuntimeError, MemoryError) as failure:
            raise Outage("a network failed while it read", component="model", code="engine-failed") from failure
        return found


def graph_name(kind: str, *made_from: str) -> str:
    """The name of a kept graph: what it is for, and a digest of all that it was made from."""
    return f"{kind}-{hashlib.sha256(chr(0).join(made_from).encode()).hexdigest()[:20]}"


def kept_graph(folder: Path | None, name: str, make: Callable[[], bytes], *, keep: bool = True) -> bytes:
    """The graph of that name in `folder`, made where it is not there whole, and kept unless told not to `keep`.

    Older graphs of the same kind go. Raises what `make` raises; a folder that takes nothing is no failure, and none is made
    where there is no home.
    """
    path = folder / f"{name}{GRAPH_SUFFIX}" if folder else None
    graph = _read_kept(path) if path else None
    if graph is None:
        graph = make()
        if keep and path and path.parent.parent.is_dir():
            with suppress(DreamError, OSError):  # read-only or full: what was made serves this process
                fsio.write_atomic(path, MAGIC + hashlib.sha256(graph).hexdigest().encode() + b"\n" + graph)
                _remove_older(path)
    return graph


def _read_kept(path: Path) -> bytes | None:
    try:
        body = fsio.read_bytes(path, limit_bytes=LARGEST_BYTES)
    except (DreamError, OSError):  # not there, a link, another user's: made anew
        return None
    head, graph = body[:HEAD_BYTES], body[HEAD_BYTES:]
    del body  # a copy of tens of MiB otherwise lives as long as the graph is checked
    return graph if head == MAGIC + hashlib.sha256(graph).hexdigest().encode() + b"\n" else None


def _remove_older(path: Path) -> None:
    kind = path.name.rpartition("-")[0]
    for other in path.parent.glob(f"{kind}-*{GRAPH_SUFFIX}"):
        if other != path and other.name.rpartition("-")[0] == kind:
            fsio.remove(other)
