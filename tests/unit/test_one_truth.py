"""README, settings file, error tree and behaviour are one truth; these tests hold them together."""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import fields
from pathlib import Path

import pytest

from dreamd.cli.commands import GROUPS
from dreamd.core import errors
from dreamd.core.errors import ConfigError
from dreamd.core.settings import TABLES, Settings, build_settings, load_settings

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
TOML = (ROOT / "config" / "dream.toml").read_text()


def uncommented() -> dict[str, dict[str, object]]:
    lines = [re.sub(r"^# (?=\w+ = )", "", line) for line in TOML.splitlines()]
    return tomllib.loads("\n".join(line for line in lines if not line.startswith("#")))


def test_the_settings_file_shows_every_setting_at_its_default() -> None:
    shown = uncommented()
    assert list(shown) == list(TABLES)
    for table in TABLES:
        kind = getattr(Settings(), table)
        told = {f.name: list(f.default) if isinstance(f.default, tuple) else f.default for f in fields(kind)}
        assert shown[table] == told


def test_the_settings_file_as_it_ships_changes_nothing() -> None:
    assert build_settings(tomllib.loads(TOML)) == Settings()


def test_every_setting_stands_in_the_readme_with_its_default() -> None:
    rows = dict(re.findall(r"^\| `(\w+\.\w+)` \| `(.*?)` \|", README, re.M))
    told = {f"{t}.{f.name}": json.dumps(list(f.default) if isinstance(f.default, tuple) else f.default)
            for t in TABLES for f in fields(getattr(Settings(), t))}
    assert rows == told


def test_every_exit_code_stands_in_the_readme() -> None:
    listed = {int(code) for row in re.findall(r"^\| ([\d, ]+) \|", README, re.M) for code in row.split(",")}
    known = {c.exit_code for c in vars(errors).values() if isinstance(c, type) and issubclass(c, errors.DreamError)}
    assert known <= listed


def test_the_readme_names_only_commands_that_exist() -> None:
    known = {name for _, rows in GROUPS for name, _, _ in rows}
    block = README[README.index("## Every day"):README.index("## Undo")]
    named = set(re.findall(r"^dream ([a-z-]+)|          dream ([a-z-]+)", block, re.M))
    assert {a or b for a, b in named} <= known


@pytest.mark.parametrize(("document", "word"), [
    ({"prun": {}}, "prune"),
    ({"prune": {"stale_after_day": 3}}, "stale_after_days"),
])
def test_a_misspelt_key_names_the_real_one(document: dict[str, object], word: str) -> None:
    with pytest.raises(ConfigError) as caught:
        build_settings(document)
    assert word in (caught.value.hint or "")


def test_a_number_out_of_range_is_clamped_with_a_warning() -> None:
    settings = build_settings({"prune": {"stale_after_days": 3}})
    assert settings.prune.stale_after_days == 7
    assert settings.warnings == ("prune.stale_after_days 3 is below 7, using 7",)


@pytest.mark.parametrize("value", ["x", True, float("nan"), [1], 7.5])
def test_a_value_of_the_wrong_kind_is_refused(value: object) -> None:
    with pytest.raises(ConfigError):
        build_settings({"prune": {"stale_after_days": value}})


@pytest.mark.parametrize("body", [b"\xff\xfe", b"[prune", b"a = " + b"[" * 5000])
def test_a_file_that_is_no_settings_file_is_refused_with_a_sentence(tmp_path: Path, body: bytes) -> None:
    path = tmp_path / "dream.toml"
    path.write_bytes(body)
    with pytest.raises(ConfigError) as caught:
        load_settings(path)
    assert str(path) in caught.value.message


def test_a_settings_file_a_person_named_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(ConfigError):
        load_settings(tmp_path / "none.toml", required=True)
    assert load_settings(tmp_path / "none.toml") == Settings()
