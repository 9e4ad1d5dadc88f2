"""The machine's time zone, however somebody names it: nothing in `TZ` keeps dream from working."""

from __future__ import annotations

from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from dreamd.core.paths import system_zone_name

ZONES = Path("/usr/share/zoneinfo")


@pytest.mark.parametrize("told", ["Europe/Berlin", ":Europe/Berlin", "UTC"])
def test_a_zone_that_is_named_is_taken(told):
    assert system_zone_name({"TZ": told}) == told.removeprefix(":")


@pytest.mark.parametrize("told", [
    "CET-1CEST,M3.5.0,M10.5.0/3", "Mars/Olympus", "../../etc/passwd", "\x00", ":", "", "a" * 5000])
def test_what_only_the_c_library_understands_and_nonsense_mean_the_machines_own_zone(told):
    named = system_zone_name({"TZ": told})
    assert named == system_zone_name({})
    ZoneInfo(named)


def test_a_file_names_the_zone_it_holds(tmp_path):
    if not (ZONES / "Europe/Berlin").exists():
        pytest.skip("no zone files on this machine")
    link = tmp_path / "localtime"
    link.symlink_to(ZONES / "Europe/Berlin")
    assert ZoneInfo(system_zone_name({"TZ": f":{link}"})).utcoffset(None) is None
    assert system_zone_name({"TZ": f":{ZONES}/Europe/Berlin"}).endswith("Berlin")
    assert system_zone_name({"TZ": ":/nowhere/localtime"}) == "UTC"
