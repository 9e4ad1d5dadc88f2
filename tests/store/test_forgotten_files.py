"""Files that come back from before a `forget`: out of a copy, a synchronised folder, a repository."""

from __future__ import annotations

import pytest

from household import FIRST_NIGHT, House, Said

FACT = "The partner Quoxilfanz pays in spring 2027."
LATER, LATEST = "2026-01-06T20:00:00Z", "2026-01-07T20:00:00Z"


def texts(house: House) -> list[str]:
    return sorted(m.text for m in house.memories())


@pytest.fixture
def forgotten(house: House) -> dict[str, bytes]:
    """What lay in the files before a fact was forgotten, by path below the home."""
    house.say(FIRST_NIGHT, Said(FACT, conversation="c7"), Said("Always use tabs in Makefiles.", conversation="c8"))
    house.dream(FIRST_NIGHT)
    before = {str(p.relative_to(house.home)): p.read_bytes() for p in (house.home / "memory").rglob("*.md")}
    house.forget(LATER, "Quoxilfanz")
    return before


@pytest.mark.parametrize("which", ["all", "MEMORY.md", "quoxilfanz"])
def test_files_from_before_a_forget_bring_no_words_back(house: House, forgotten: dict[str, bytes], which: str) -> None:
    for path, body in forgotten.items():
        if which == "all" or which in path:
            (house.home / path).write_bytes(body)
    house.dream(LATEST)
    assert texts(house) == ["Always use tabs in Makefiles."]
    assert not [p for p in (house.home / "memory").rglob("*") if p.is_file() and b"uoxilfanz" in p.read_bytes()]


def test_who_writes_it_down_anew_is_believed(house: House, forgotten: dict[str, bytes]) -> None:
    folder = next(house.home / path for path in forgotten).parent
    (folder / "partner.md").write_text(f"---\nname: partner\ntype: project\n---\n\n{FACT}\n")
    house.dream(LATEST)
    assert FACT in texts(house)
