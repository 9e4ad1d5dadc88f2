"""The gates: each holds for its own reason and says so, unknown never blocks, and waiting has an end."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dreamd.core.settings import ServiceSettings
from dreamd.service.gating import idle
from dreamd.service.gating.idle import (
    Pace,
    Pressure,
    Signal,
    Strain,
    Surroundings,
    judge_disk,
    judge_strain,
    judge_surroundings,
)
from dreamd.service.run import FOR_READING_TOO

RULES = ServiceSettings()
GIB = 1 << 30
CALM = Surroundings(agents_quiet_s=3600, settled_s=3600, on_battery=Signal.NO, pressure=Pressure(0, 0, 0),
                    load_per_core=0.1, person_active=Signal.NO, free_bytes=100 * GIB, disk_bytes=500 * GIB)

HELD = {
    "agents": Surroundings(agents_quiet_s=30),
    "settling": Surroundings(settled_s=20),
    "power": Surroundings(on_battery=Signal.YES, battery_percent=80),
    "battery": Surroundings(on_battery=Signal.YES, battery_percent=20),
    "pressure": Surroundings(pressure=Pressure(cpu=35)),
    "disk": Surroundings(free_bytes=GIB // 2, disk_bytes=500 * GIB),
}


@pytest.mark.parametrize("gate", HELD)
def test_each_gate_holds_alone_and_says_why(gate: str) -> None:
    told = judge_surroundings(HELD[gate], RULES)
    assert [h.gate for h in told.holds] == [gate]
    assert len(told.holds[0].words) > 10
    assert not told.granted


def test_nothing_known_never_blocks() -> None:
    told = judge_surroundings(Surroundings(), RULES)
    assert told.granted and told.pace is Pace.FULL


def test_a_calm_machine_may_dream_at_full_pace() -> None:
    told = judge_surroundings(CALM, RULES)
    assert (told.granted, told.pace) == (True, Pace.FULL)


def test_a_person_at_the_machine_slows_a_dream_and_does_not_stop_it() -> None:
    told = judge_surroundings(Surroundings(person_active=Signal.YES), RULES)
    assert (told.granted, told.pace) == (True, Pace.PACED)


def test_load_counts_only_where_pressure_is_unknown() -> None:
    assert not judge_surroundings(Surroundings(load_per_core=3.0), RULES).granted
    assert judge_surroundings(Surroundings(load_per_core=3.0, pressure=Pressure(1, 1, 1)), RULES).granted


def test_on_battery_only_reading_is_allowed_and_on_a_low_one_nothing() -> None:
    held = {name: {hold.gate for hold in judge_surroundings(HELD[name], RULES).holds} for name in ("power", "battery", "disk")}
    assert held["power"].isdisjoint(FOR_READING_TOO)
    assert held["battery"] & set(FOR_READING_TOO)
    assert held["disk"] & set(FOR_READING_TOO)


@pytest.mark.parametrize("gate", ["agents", "settling", "pressure"])
def test_after_a_day_of_deferral_a_dream_trickles_through_soft_gates(gate: str) -> None:
    told = judge_surroundings(HELD[gate], RULES, deferred_s=24 * 3600)
    assert (told.granted, told.pace) == (True, Pace.TRICKLE)
    assert not judge_surroundings(HELD[gate], RULES, deferred_s=23 * 3600).granted


@pytest.mark.parametrize("gate", ["power", "battery", "disk"])
def test_no_deferral_opens_a_hard_gate(gate: str) -> None:
    assert not judge_surroundings(HELD[gate], RULES, deferred_s=1000 * 3600).granted


def test_beyond_three_days_a_dream_counts_as_starved() -> None:
    assert not idle.is_starved(71 * 3600, RULES)
    assert idle.is_starved(72 * 3600, RULES)


def test_a_battery_that_flips_each_second_never_opens_a_gate_it_should_not() -> None:
    for second in range(20):
        seen = Surroundings(on_battery=Signal.YES if second % 2 else Signal.NO, battery_percent=20)
        assert judge_surroundings(seen, RULES).granted == (second % 2 == 0)


def test_pressure_holds_until_it_has_been_under_half_for_half_a_minute() -> None:
    state = judge_strain(Strain(), Pressure(cpu=25), at_s=0)
    assert state.held
    state = judge_strain(state, Pressure(cpu=15), at_s=10)
    assert state.held and state.calm_since is None
    state = judge_strain(state, Pressure(cpu=5), at_s=20)
    assert judge_strain(state, Pressure(cpu=5), at_s=49).held
    assert not judge_strain(state, Pressure(cpu=5), at_s=50).held
    relapsed = judge_strain(state, Pressure(io=11), at_s=30)
    assert relapsed.held and relapsed.calm_since is None


def test_unknown_pressure_never_strains() -> None:
    assert not judge_strain(Strain(), Pressure(), at_s=0).held


def test_a_small_disk_is_not_held_for_ever() -> None:
    assert judge_disk(GIB // 2, GIB, percent=5) is None
    assert judge_disk(GIB // 8, GIB, percent=5) is not None
    assert judge_disk(None, None, percent=5) is None


def test_how_much_of_a_large_disk_stays_free_is_a_person_s_choice_but_never_less_than_a_gib() -> None:
    assert judge_disk(11 * GIB, 252 * GIB, percent=5) is not None
    assert judge_disk(11 * GIB, 252 * GIB, percent=2) is None
    assert judge_disk(GIB // 2, 252 * GIB, percent=0) is not None
    held = judge_surroundings(Surroundings(free_bytes=11 * GIB, disk_bytes=252 * GIB), replace(RULES, min_free_percent=1))
    assert "disk" not in [one.gate for one in held.holds]


GREETER = "Class=greeter\nType=wayland\nIdleHint=no\nState=active\n"
DESK = "Class=user\nType=wayland\nIdleHint={}\nState=active\nRemote=no\n"
SHELL = "Class=user\nType=tty\nIdleHint=no\nState=active\nRemote=yes\n"


@pytest.mark.parametrize(("told", "expected"), [
    ("", Signal.UNKNOWN), (GREETER, Signal.UNKNOWN), (SHELL, Signal.UNKNOWN), (DESK.format("no"), Signal.YES),
    (DESK.format("yes"), Signal.NO), (DESK.format("yes") + "\n" + DESK.format("no"), Signal.YES),
    (GREETER + "\n" + DESK.format("yes"), Signal.NO), ("garbage", Signal.UNKNOWN)])
def test_a_person_is_a_graphical_session_that_is_not_idle(told: str, expected: Signal) -> None:
    assert idle.judge_sessions(idle.parse_sessions(told)) is expected


def test_input_on_a_mac_is_read_in_nanoseconds() -> None:
    assert idle.parse_hid_idle('  |   "HIDIdleTime" = 4200000000\n') == 4.2
    assert idle.parse_hid_idle("nothing") is None


def test_pressure_is_read_from_the_machine_or_a_group(tmp_path: Path) -> None:
    (tmp_path / "cpu").write_text("some avg10=12.34 avg60=1.00 avg300=0.00 total=1\nfull avg10=0.00\n")
    (tmp_path / "io.pressure").write_text("some avg10=3.00 avg60=0.00 avg300=0.00 total=1\n")
    (tmp_path / "memory").write_text("garbage")
    assert idle.read_pressure(tmp_path) == Pressure(12.34, 3.0, None)
    assert idle.read_pressure(tmp_path / "nowhere") == Pressure()


def test_the_readers_answer_on_this_machine(tmp_path: Path) -> None:
    seen = idle.read_surroundings(tmp_path / "not" / "yet", agents_quiet_s=None, settled_s=None)
    assert seen.free_bytes is not None and seen.disk_bytes is not None and seen.free_bytes <= seen.disk_bytes
    judge_surroundings(seen, RULES)


@given(st.builds(
    Surroundings, agents_quiet_s=st.none() | st.floats(-1e6, 1e9), settled_s=st.none() | st.floats(-1e6, 1e9),
    on_battery=st.sampled_from(Signal), battery_percent=st.none() | st.floats(0, 100),
    load_per_core=st.none() | st.floats(0, 100), person_active=st.sampled_from(Signal),
    free_bytes=st.none() | st.integers(0, 1 << 50), disk_bytes=st.none() | st.integers(0, 1 << 50)))
def test_every_surrounding_gets_an_answer_with_reasons(seen: Surroundings) -> None:
    told = judge_surroundings(seen, RULES)
    assert told.granted == (not told.holds)
    assert all(hold.words for hold in told.holds)
