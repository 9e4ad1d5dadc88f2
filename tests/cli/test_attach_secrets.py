"""Secrets in an attached directory stay where a person put them: never printed, never below the home; undo gives every byte."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

import pytest
from test_attach_command import dream

from dreamd.agents import attach
from dreamd.core import fsio
from dreamd.service import tending
from household import House
from secrets_said import SECRETS
from secrets_shaped import SHAPED
from secrets_spoken import SAID

NOW = "2026-05-08T12:00:00Z"
TWIN = "Never restart the billing service while the nightly export is running, ask the person on call"
ALL = {name: row for name, row in {**SECRETS, **SHAPED, **SAID}.items() if len(row[1]) > 6 and not row[1].isdigit()}
LINES = [f"- {' '.join(text.split())}" for text, _ in ALL.values()]
HEAD = "---\nname: {0}\ndescription: {0}\ntype: reference\n---\n\n"


def bytes_of(root: Path) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in sorted(root.iterdir()) if p.is_file()}


def furnish(root: Path, lines: list[str]) -> Path:
    """Every line, some twice, and a secret past its last day, around an entry whose time is over."""
    root.mkdir()
    (root / "MEMORY.md").write_text("\n".join([
        "# Memory", "", "## Rules", "- the office is closed, TTL: 2026-05-01", *lines[:60], *lines[:5],
        "- the lobby password is Kelp-Moss-77x, TTL: 2026-05-01", ""]))
    (root / "more-secrets.md").write_text(HEAD.format("more") + "\n".join(lines[60:]) + "\n")
    (root / "key.md").write_text(HEAD.format("key") + SECRETS["private key"][0] + "\n")
    return root


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """Every secret in a line."""
    return furnish(tmp_path / "memory", LINES)


def left_of_secrets(home: Path, told: str) -> list[str]:
    raw = b"\n".join(p.read_bytes() for p in sorted(home.rglob("*")) if p.is_file())
    return [name for name, (_, secret) in ALL.items() if secret in told or secret.encode() in raw]


@pytest.mark.parametrize("flags", [(), ("--json",)])
def test_no_secret_of_a_directory_is_printed_or_kept_and_undo_gives_every_byte(
        tmp_path: Path, directory: Path, flags: tuple[str, ...]) -> None:
    before = bytes_of(directory)
    told = [dream(tmp_path, "attach", str(directory), wish, *flags) for wish in ("--dry-run", "--yes")]
    after = bytes_of(directory)
    assert b"the office is closed" not in after["MEMORY.md"]
    assert b"Kelp-Moss-77x" in after["MEMORY.md"]
    assert "holds secrets" in told[0].stderr
    run = json.loads(dream(tmp_path, "history", "--json").stdout)["runs"][0]["run"]
    told += [dream(tmp_path, "diff", run, *flags), dream(tmp_path, "undo", run, *flags)]
    assert [done.returncode for done in told] == [0, 0, 0, 0]
    assert bytes_of(directory) == before
    assert left_of_secrets(tmp_path / "home", "".join(done.stdout + done.stderr for done in told)) == []


def test_an_index_that_grew_too_long_keeps_its_secrets_where_they_are(tmp_path: Path, directory: Path) -> None:
    house = House(tmp_path)
    index = directory / "MEMORY.md"
    crates = [f"- crate {n} of the harbour holds rope number {n * 7}, see the ledger" for n in range(240)]
    index.write_text("\n".join(["# Memory", *crates, *LINES[:60], ""]))
    before = bytes_of(directory)
    with house.kit(NOW) as kit:
        done = attach.carry_out(kit, attach.plan_directory(kit, directory))
    after = bytes_of(directory)
    assert len(index.read_text().splitlines()) < 220
    assert not any(line.encode() in after["more.md"] for line in LINES[:60])
    assert left_of_secrets(house.home, "") == []
    with house.kit(NOW) as kit:
        attach.undo(kit, done.run)
    assert bytes_of(directory) == before


@pytest.mark.parametrize("nth", [n if n % 3 == 1 else pytest.param(n, marks=pytest.mark.slow) for n in range(1, 9)])
def test_a_run_over_secrets_killed_at_any_write_is_finished_by_the_next(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch, nth: int) -> None:
    house, directory = House(tmp_path), furnish(tmp_path / "memory", LINES[:60] + LINES[60::9])

    class Killed(BaseException):
        pass

    real, count = fsio.write_atomic, iter(range(1, 100))

    def dying(path: Path, body: bytes) -> None:
        if next(count) == nth:
            raise Killed
        real(path, body)

    before = bytes_of(directory)
    monkeypatch.setattr(fsio, "write_atomic", dying)
    with suppress(Killed), house.kit(NOW) as kit:
        attach.carry_out(kit, attach.plan_directory(kit, directory))
    monkeypatch.setattr(fsio, "write_atomic", real)
    with house.kit(NOW) as kit:
        tending.tend(kit, attach.attach(kit, directory))
    after = bytes_of(directory)
    assert after["MEMORY.md"] == before["MEMORY.md"].replace(b"- the office is closed, TTL: 2026-05-01\n", b"")
    assert left_of_secrets(house.home, "") == []
