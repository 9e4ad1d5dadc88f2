"""Whatever is said in whatever order: nothing crosses from one scope into another."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dreamd.core.values import MemoryClass, Origin, parse_scope
from dreamd.recall import answer
from household import House, Said, snapshot

SCOPES = ("user", "project:cedar", "project:cedar-ui", "project:Cedar", "team:cedar", "local:cedar", "project:a/b",
          "project:a%2Fb")
SUBJECTS = ("staging port", "retry limit", "build number")
MARKS = {scope: f"zone{n}" for n, scope in enumerate(SCOPES)}
"""A word that is only ever said in one scope."""

statements = st.builds(
    lambda scope, subject, value, origin, talk, day: Said(
        f"The {subject} of the {MARKS[scope] if value % 2 else 'shared'} gateway is {value}.", scope=scope, origin=origin,
        conversation=f"c{talk}", at=f"2026-01-{day:02d}T09:00:00Z", memory_class=MemoryClass.REFERENCE),
    st.sampled_from(SCOPES), st.sampled_from(SUBJECTS), st.integers(8000, 8005), st.sampled_from([Origin.USER, Origin.AGENT]),
    st.integers(1, 4), st.integers(1, 20))


@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(nights=st.lists(st.lists(statements, min_size=1, max_size=12), min_size=1, max_size=3))
def test_nothing_crosses_from_one_scope_into_another(nights: list[list[Said]]) -> None:
    with tempfile.TemporaryDirectory() as root:
        house = House(Path(root))
        for n, said in enumerate(nights):
            house.say(f"2026-02-0{n + 1}T09:00:00Z", *said)
            house.dream(f"2026-02-0{n + 1}T20:00:00Z")
        assert house.faults("2026-02-09T20:00:00Z") == []
        for memory in house.memories():
            for scope, mark in MARKS.items():
                assert mark not in memory.text or str(memory.scope) == scope
        crossing = """SELECT COUNT(*) FROM memory a JOIN memory b ON b.id = a.superseded_by WHERE a.scope <> b.scope"""
        assert house.rows(crossing) == [(0,)]
        _files_stay_apart(house)
        _search_stays_inside(house)


def _files_stay_apart(house: House) -> None:
    for scope, mark in MARKS.items():
        directory = str(house.paths.scope_dir(parse_scope(scope)).relative_to(house.home)) + "/"
        for path, body in snapshot(house.home)["on disk"].items():  # type: ignore[attr-defined]
            inside = path.startswith(directory) or path.startswith(directory.replace("memory/", "archive/", 1))
            assert inside or mark.encode() not in body, f"{scope} shows in {path}"


def _search_stays_inside(house: House) -> None:
    with house.kit("2026-02-09T20:00:00Z") as kit:
        for scope in SCOPES[:3]:
            look = answer.Look(scopes=(parse_scope(scope),), held=True, record=False)
            found = answer.search(kit, "staging port gateway", look)
            assert all(str(f.memory.scope) == scope for f in found.results)


def test_two_scopes_never_share_a_directory(tmp_path: Path) -> None:
    house = House(tmp_path)
    directories = [house.paths.scope_dir(parse_scope(scope)) for scope in SCOPES]
    assert len({str(d) for d in directories}) == len(SCOPES)
    assert all(house.paths.memory in d.parents or d.parent == house.paths.memory for d in directories)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(key=st.text(min_size=1, max_size=200))
def test_no_scope_key_leaves_the_memory_directory(key: str) -> None:
    from dreamd.core.errors import UsageError
    from dreamd.core.paths import Paths

    try:
        scope = parse_scope(f"project:{key}")
    except UsageError:
        return
    directory = Paths(Path("/dream")).scope_dir(scope)
    assert directory.parent == Path("/dream/memory/project")
    assert len(directory.name.encode()) <= 255, "a name the disk would not take stops every dream"
    assert parse_scope(str(scope)) == scope
