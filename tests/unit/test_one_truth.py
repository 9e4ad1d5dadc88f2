"""README, settings file, error tree and behaviour are one truth; these tests hold them together."""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import fields
from pathlib import Path

import pytest

from dreamd.cli.commands import GROUPS
from dreamd.cli.manual.markdown import CODE, blocks
from dreamd.cli.manual.topics import list_topics, read_topic
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


def test_help_on_settings_shows_every_setting_with_its_default() -> None:
    shown = read_topic("settings")
    for table in TABLES:
        for field in fields(getattr(Settings(), table)):
            told = list(field.default) if isinstance(field.default, tuple) else field.default
            assert f"# {field.name} = {json.dumps(told)}\n" in shown, f"{table}.{field.name}"


def test_every_exit_code_is_told() -> None:
    listed = {int(code) for row in re.findall(r"^\| ([\d, ]+) \|", read_topic("exit-codes"), re.M) for code in row.split(",")}
    known = {c.exit_code for c in vars(errors).values() if isinstance(c, type) and issubclass(c, errors.DreamError)}
    assert known <= listed


def test_the_manual_names_only_commands_settings_and_topics_that_exist() -> None:
    text = README + "".join(read_topic(name) for name in list_topics())
    known = {name for _, rows in GROUPS for name, _, _ in rows} | {"help", "COMMAND"}
    typed = "\n".join(line for block in blocks(text) if block.kind == CODE for line in block.lines)
    assert set(re.findall(r"`dream ([a-z][a-z-]+)", text)) <= known
    assert set(re.findall(r"^dream ([a-z][a-z-]+) (?!·|[0-9a-f]{10})", typed, re.M)) <= known
    keys = {f"{table}.{f.name}" for table in TABLES for f in fields(getattr(Settings(), table))}
    assert {key for key in re.findall(r"`([a-z]+\.[a-z_]+)`", text) if key.partition(".")[0] in TABLES} <= keys
    for row in re.findall(r"^\| ((?:`[a-z-]+` ?)+)\|", README, re.M):
        assert set(re.findall("`([a-z-]+)`", row)) <= set(list_topics())


def test_the_readme_fits_on_a_few_screens() -> None:
    assert len(README.splitlines()) <= 162


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
